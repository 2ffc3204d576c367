"""Gymnasium's CartPole."""

from envwright.envs.cartpole.env import FEATURES as FEATURES
from envwright.envs.cartpole.env import CartPole as CartPole
from envwright.envs.cartpole.rules import Params as Params
from envwright.envs.cartpole.rules import State as State
