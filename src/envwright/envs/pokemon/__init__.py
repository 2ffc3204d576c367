"""Pokemon Showdown's random battles of generation 1."""

from envwright.envs.pokemon.env import Params as Params
from envwright.envs.pokemon.env import Pokemon as Pokemon
from envwright.envs.pokemon.observation import FEATURES as FEATURES
from envwright.envs.pokemon.state import State as State
from envwright.envs.pokemon.state import Team as Team
