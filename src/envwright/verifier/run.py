"""From names on a command line to verdicts."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from envwright.core.errors import EnvwrightError
from envwright.core.registry import spec
from envwright.core.spec import Form
from envwright.verifier import contract as contracts
from envwright.verifier import pairs
from envwright.verifier.contract import Contract
from envwright.verifier.engine import verify
from envwright.verifier.session import Effort
from envwright.verifier.verdict import Verdict

EPISODES = 100  # played one by one
GAMES = 1000  # of each form, in lock-step, where the reference plays many games at once
TRACED, LONGEST = 6, 10_000  # of which so many are also played one by one, for so many steps


def verify_names(
    names: Sequence[str],
    *,
    contract: Path | None = None,
    levels: Sequence[str],
    episodes: int | None = None,
    calls: int | None = None,
    seed: int = 0,
    patience: float = 60.0,
    out: Path | None = None,
    policies: Sequence[str] = (),
    progress: Callable[[str], None] = lambda what: None,
) -> Iterator[Verdict]:
    """A verdict for a pair, or one for each form of an environment that has several."""
    if len(names) > 2:
        raise EnvwrightError("Give an environment of envwright's, a contract's file, or REFERENCE CANDIDATE.")
    found = contracts.load(contract) if contract is not None else pairs.find_contract(names)
    if contract is not None and len(names) == 2:
        found = replace(found, reference=names[0], candidate=names[1])
    for form in forms_of(names):
        asked = levels_of(form, levels)
        if not asked:
            continue
        subject = "" if form is None else f"{spec(names[0]).id.rpartition('-v')[0]}, {form.name}"
        chosen = found if form is None else pairs.of_form(found, form)
        chosen = replace(chosen, policies=(*chosen.policies, *(str(Path(p).resolve()) for p in policies)))
        tell = progress if form is None else lambda what, about=subject: progress(f"{about}: {what}")
        verdict = _verify(chosen, asked, episodes, calls, seed, patience, out, label(chosen, form), tell)
        yield replace(verdict, subject=subject or verdict.subject)


def forms_of(names: Sequence[str]) -> Sequence[Form | None]:
    """The forms in which an environment is verified; None: as the contract has it."""
    named = len(names) == 1 and not names[0].endswith(".toml")
    return (spec(names[0]).forms or (None,)) if named else (None,)


def levels_of(form: Form | None, levels: Sequence[str]) -> list[str]:
    """What is asked of a form. Policies play the reference as it is made: with other settings there is no L4."""
    return [level for level in levels if level != "L4" or form is None or not form.setting]


def _verify(
    contract: Contract,
    levels: Sequence[str],
    episodes: int | None,
    calls: int | None,
    seed: int,
    patience: float,
    out: Path | None,
    name: str,
    progress: Callable[[str], None],
) -> Verdict:
    kind = pairs.kind_of(contract)
    effort = Effort(episodes=episodes or EPISODES, seed=seed)
    if kind.plays_many:
        games = episodes or kind.effort.get("games", GAMES)
        usual = Effort(episodes=min(games, TRACED), seed=seed, limit=LONGEST)
        effort = replace(usual, **{**kind.effort, "games": games})
    if calls is not None:
        effort = replace(effort, calls=calls)
    host = pairs.make_host(contract, patience=patience)
    try:
        return verify(
            contract,
            host,
            pairs.make_candidate(contract),
            effort=effort,
            levels=levels,
            regressions=None if out is None else out / "regressions" / name,
            traces=None if out is None else out / "traces" / f"{name}.trace",
            batched=lambda num_envs: kind.batched(num_envs, **contract.reference_options),
            progress=progress,
        )
    finally:
        host.close()


def label(contract: Contract, form: Form | None = None) -> str:
    """The pair as the name of a folder."""
    text = f"{contract.reference}--{contract.candidate}" + ("" if form is None else f"--{form.name}")
    return "".join(c if c.isalnum() or c in "-._" else "-" for c in text)
