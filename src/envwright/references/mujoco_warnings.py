"""What MuJoCo's compiler says of a model.

MuJoCo prints its warnings and appends them to a file in the working directory. Those about the XML of a reference, such
as that an attribute is deprecated, come with every copy that is made of it, and its users cannot change it.
"""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def compiler_warnings_logged() -> Iterator[None]:
    """While a model is compiled, MuJoCo's warnings go to Python's `logging`, at level INFO. Later ones are printed."""
    mujoco: Any = sys.modules.get("mujoco")
    if mujoco is None:
        yield
        return
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(logging.getLogger(__name__).info)
    try:
        yield
    finally:
        mujoco.set_mju_user_warning(before)
