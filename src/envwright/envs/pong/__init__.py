"""PufferLib's Pong."""

from envwright.envs.pong.env import FEATURES as FEATURES
from envwright.envs.pong.env import Pong as Pong
from envwright.envs.pong.state import Params as Params
from envwright.envs.pong.state import State as State
