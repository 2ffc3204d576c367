"""Says whether a translation behaves like its reference, and where it does not."""

from envwright.verify.verdict import Divergence as Divergence
from envwright.verify.verdict import Verdict as Verdict
