"""`python -m envwright`"""

import sys

from envwright.cli import main

sys.exit(main())
