"""Fast reinforcement-learning environments, verified to behave like the slow ones they replace."""

import contextlib
from typing import Any

from envwright.api import create as create
from envwright.api import train as train
from envwright.api import translate as translate
from envwright.api import verify as verify
from envwright.core import Batch as Batch
from envwright.core import Box as Box
from envwright.core import Controls as Controls
from envwright.core import Discrete as Discrete
from envwright.core import Env as Env
from envwright.core import EnvwrightError as EnvwrightError
from envwright.core import Form as Form
from envwright.core import JaxBatch as JaxBatch
from envwright.core import NativeEnv as NativeEnv
from envwright.core import Record as Record
from envwright.core import Spec as Spec
from envwright.core import Step as Step
from envwright.core import TimeLimit as TimeLimit
from envwright.core import batch_of as batch_of
from envwright.core import key as key
from envwright.core import make as make
from envwright.core import register as register
from envwright.core import rollout as rollout
from envwright.core import tune_cpu as tune_cpu
from envwright.core.errors import MissingExtraError
from envwright.core.version import VERSION
from envwright.envs import register_all as _register_all

__version__ = VERSION

_register_all()
with contextlib.suppress(MissingExtraError):  # which is to say, if Gymnasium is installed
    # As Gymnasium recommends, importing a package makes its environments known to `gym.make`.
    import envwright.adapters.gymnasium_registration  # noqa: F401


def batch(id: str, num_envs: int, *, params: Any = None, devices: int | None = 1, **kwargs: Any) -> Batch:
    """A batch of environments with its state inside: `batch("Pong-v0", 4096, frameskip=8)`."""
    return batch_of(make(id, **kwargs), num_envs, params=params, devices=devices)
