"""Which reference, which candidate, and by which contract: names on the command line into things that run."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from envwright.candidates.find import find_candidate
from envwright.candidates.protocol import Candidate
from envwright.core.errors import EnvwrightError
from envwright.core.registry import spec
from envwright.references.protocol import Reference
from envwright.references.python import PythonReference
from envwright.verify import contract as contracts
from envwright.verify.contract import Contract
from envwright.verify.host import Apart, Here, Host

SHIPPED = Path(__file__).parent / "shipped"  # contracts of pairs that others wrote
ENVS = Path(__file__).parent.parent / "envs"  # contracts of our own environments, beside them

KINDS = "gymnasium:ID, minatar:GAME, node:FILE.js, pufferlib:pong, module:Class or path/to/file.py:Class"


def find_contract(names: list[str]) -> Contract:
    """A contract from its file, from the name of one of our environments, or from the two sides of a shipped pair."""
    if len(names) == 1:
        return _of_one(names[0])
    reference, candidate = names
    for path in [*sorted(SHIPPED.glob("*.toml")), *sorted(ENVS.glob("*/contract*.toml"))]:
        found = contracts.load(path)
        if (found.reference, found.candidate) == (reference, candidate):
            return found
    raise EnvwrightError(
        f"envwright has no contract for {reference} and {candidate}; begin one with: envwright contract init "
        f"{reference} --candidate {candidate}, then give it with --contract."
    )


def _of_one(name: str) -> Contract:
    if name.endswith(".toml"):
        return contracts.load(Path(name))
    chosen = spec(name)
    path = ENVS / chosen.name / "contract.toml"
    if not path.exists():
        raise EnvwrightError(f"{chosen.id} has no contract yet; write one and give its file instead of the name.")
    return contracts.load(path)


def make_host(contract: Contract, *, apart: bool = True, patience: float | None = None) -> Host:
    """The reference of a contract, in a process of its own unless told otherwise."""
    make = partial(_law, contract)
    if not apart:
        return Here(make())
    return Apart(make) if patience is None else Apart(make, patience=patience)


def _law(contract: Contract) -> Reference:
    """The reference of a contract; what the contract names is state, even if it changes only now and then."""
    reference = find_reference(contract.reference, contract.reference_options, contract.base)
    if isinstance(reference, PythonReference):
        reference.expect(sorted({name for expression in contract.state.values() for name in expression.names}))
    return reference


def make_candidate(contract: Contract) -> Candidate:
    return find_candidate(contract.candidate, contract.candidate_options, contract.base)


def find_reference(name: str, options: dict[str, Any], base: Path | None) -> Reference:
    """A reference by name. Each kind is imported only when it is asked for."""
    kind, _, rest = name.partition(":")
    folder = base or Path()
    if not rest:
        raise EnvwrightError(f"There is no reference called {name}; a reference is {KINDS}.")
    if name == "pufferlib:pong":
        from envwright.envs.pong.game import PongGame

        return PongGame(**options)
    if kind == "minatar":
        from envwright.references.minatar_game import minatar_reference

        return minatar_reference(rest, **options)
    if kind == "node":
        from envwright.references.node import NodeReference

        return NodeReference(folder / rest, **options)
    from envwright.references.gymnasium_env import gymnasium_reference

    if kind == "gymnasium":
        return gymnasium_reference(rest, **options)
    return gymnasium_reference(str(folder / name) if ".py:" in name else name, **options)


def with_options(contract: Contract, reference: dict[str, Any], candidate: dict[str, Any]) -> Contract:
    """The contract with other options on either side."""
    return replace(
        contract,
        reference_options={**contract.reference_options, **reference},
        candidate_options={**contract.candidate_options, **candidate},
    )
