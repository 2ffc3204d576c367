"""The native interface. Depends on jax and numpy only."""

from envwright.core.batch import Batch as Batch
from envwright.core.batch import BatchStep as BatchStep
from envwright.core.batch import JaxBatch as JaxBatch
from envwright.core.chance import fork as fork
from envwright.core.chance import key as key
from envwright.core.env import Env as Env
from envwright.core.env import Step as Step
from envwright.core.env import choose as choose
from envwright.core.errors import EnvwrightError as EnvwrightError
from envwright.core.execute import tune_cpu as tune_cpu
from envwright.core.native import NativeEnv as NativeEnv
from envwright.core.native import batch_of as batch_of
from envwright.core.record import Record as Record
from envwright.core.record import scalar as scalar
from envwright.core.registry import make as make
from envwright.core.registry import register as register
from envwright.core.rollout import Rollout as Rollout
from envwright.core.rollout import rollout as rollout
from envwright.core.spaces import Box as Box
from envwright.core.spaces import Discrete as Discrete
from envwright.core.spaces import Space as Space
from envwright.core.spec import Controls as Controls
from envwright.core.spec import Form as Form
from envwright.core.spec import Spec as Spec
from envwright.core.timelimit import TimeLimit as TimeLimit
