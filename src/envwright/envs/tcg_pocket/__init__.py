"""Pokemon TCG Pocket, the card game for two players. `spec.md` says what its rules are."""

from envwright.envs.tcg_pocket.env import Params as Params
from envwright.envs.tcg_pocket.env import TcgPocket as TcgPocket
from envwright.envs.tcg_pocket.state import State as State
