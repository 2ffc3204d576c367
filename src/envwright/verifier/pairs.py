"""Which contract, and the two sides that it is about: names on the command line into things that run."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from envwright.candidates.find import find_candidate
from envwright.candidates.protocol import Candidate
from envwright.core.errors import EnvwrightError, UnknownEnvError
from envwright.core.registry import registered, spec
from envwright.core.spec import Form, Spec
from envwright.references.protocol import Reference
from envwright.references.python import PythonReference
from envwright.references.registry import ReferenceKind, find_kind
from envwright.verifier import contract as contracts
from envwright.verifier import requirements
from envwright.verifier.contract import Contract
from envwright.verifier.host import Apart, Here, Host

SHIPPED = Path(__file__).parent / "shipped"  # contracts of pairs of which neither side is registered with us


def find_contract(names: Sequence[str]) -> Contract:
    """A contract from its file, from the name of an environment, or from the two sides of a pair."""
    if len(names) == 1:
        name = names[0]
        return contracts.load(Path(name)) if name.endswith(".toml") else contract_of(spec(name))
    reference, candidate = names
    paths = [*sorted(SHIPPED.glob("*.toml")), *(path for s in registered() if (path := s.file(s.contract)))]
    for found in map(contracts.load, paths):
        if (found.reference, found.candidate) == (reference, candidate):
            return found
    try:  # of an environment that ships a contract, with another copy of its reference
        return replace(contract_of(spec(candidate)), reference=reference, base=Path())
    except UnknownEnvError:
        raise EnvwrightError(
            f"envwright has no contract for {reference} and {candidate}; begin one with: envwright contract init "
            f"{reference} --candidate {candidate}, then give it with --contract."
        ) from None


def contract_of(chosen: Spec) -> Contract:
    """The contract that ships with an environment."""
    path = chosen.file(chosen.contract)
    if path is None:
        raise EnvwrightError(f"{chosen.id} has no contract yet; write one and give its file instead of the name.")
    return contracts.load(path)


def of_form(contract: Contract, form: Form) -> Contract:
    """The contract of a form: its options on both sides, how its reference is set, its own scripted players, and, if it
    has them, its phases."""
    contract = with_setting(with_options(contract, form.options, form.options), form.setting or contract.setting)
    return replace(contract, policies=form.policies or contract.policies, phases=contract.phases if form.phases else ())


def with_setting(contract: Contract, name: str) -> Contract:
    """The contract with its reference set as [settings.NAME] says."""
    if name and name not in contract.settings:
        raise EnvwrightError(f"{contract.candidate} is verified with [settings.{name}], which its contract lacks.")
    return replace(contract, setting=name)


def with_options(contract: Contract, reference: Mapping[str, Any], candidate: Mapping[str, Any]) -> Contract:
    """The contract with other options on either side."""
    return replace(
        contract,
        reference_options={**contract.reference_options, **reference},
        candidate_options={**contract.candidate_options, **candidate},
    )


def kind_of(contract: Contract) -> ReferenceKind:
    """The reference of a contract, not made yet."""
    kind = find_kind(contract.reference, contract.base, contract.settings.get(contract.setting))
    if contract.settings and not kind.takes_settings:
        raise EnvwrightError(f"No attribute of {contract.reference} can be set, as [settings] of its contract wants.")
    return kind


def make_host(contract: Contract, *, apart: bool = True, patience: float | None = None) -> Host:
    """The reference of a contract, in a process of its own unless told otherwise."""
    requirements.check(contract)
    make = partial(_law, kind_of(contract), contract)
    if not apart:
        return Here(make())
    return Apart(make) if patience is None else Apart(make, patience=patience)


def _law(kind: ReferenceKind, contract: Contract) -> Reference:
    """The reference of a contract; what the contract names is state, even if it changes only now and then."""
    reference = kind.make(**contract.reference_options)
    if isinstance(reference, PythonReference):
        reference.expect(sorted({name for expression in contract.state.values() for name in expression.names}))
    return reference


def make_candidate(contract: Contract) -> Candidate:
    return find_candidate(contract.candidate, contract.candidate_options, contract.base)
