"""What a translation must look like from outside, in any language: its state, its random draws, its functions.

The contract says how the reference's values become the candidate's; recorded games say of what shape and kind they are.
From the two follows every name, shape and type that an agent has to write against, so nothing of it is left to taste.
"""

from dataclasses import dataclass

from envwright.core.spaces import Space
from envwright.verifier.codecs import Codec

NARROW = {"float64": "float32", "int64": "int32", "uint64": "uint32"}  # what JAX computes in unless told otherwise


@dataclass(frozen=True)
class Field:
    """A named value of fixed shape."""

    name: str
    shape: tuple[int, ...]
    dtype: str  # NumPy's name for it, as the reference has it: "float64", "int64", "bool"
    source: str = ""  # the contract's expression for it
    codec: Codec | None = None  # what that makes of the reference, if it is one of the known forms


@dataclass(frozen=True)
class Signature:
    """A function that exists on both sides."""

    module: str
    name: str  # the candidate's
    reference: str
    arguments: tuple[Field, ...]
    result: Field


@dataclass(frozen=True)
class Interface:
    """A whole environment."""

    package: str  # fast_blackjack
    title: str  # Blackjack; the class
    state: tuple[Field, ...]
    start_luck: tuple[Field, ...]
    step_luck: tuple[Field, ...]
    observation: Field
    info: tuple[Field, ...]
    action_space: Space
    observation_space: Space
    functions: tuple[Signature, ...] = ()
    phases: tuple[tuple[str, tuple[Field, ...]], ...] = ()  # what is known after each phase of a step
    constants: tuple[tuple[str, str], ...] = ()  # attributes of the original that never change, as Python writes them
    max_episode_steps: int | None = None  # a limit that is put around the environment, not one of its rules
