"""From names on a command line to verdicts."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from envwright.core.errors import EnvwrightError
from envwright.core.registry import spec
from envwright.verify import contract as contracts
from envwright.verify import pairs
from envwright.verify.engine import verify
from envwright.verify.session import Effort
from envwright.verify.verdict import Verdict


def verify_names(
    names: Sequence[str],
    *,
    contract: Path | None = None,
    levels: Sequence[str],
    episodes: int | None = None,
    seed: int = 0,
    patience: float = 60.0,
    out: Path | None = None,
    policies: Sequence[str] = (),
    progress: Callable[[str], None] = lambda what: None,
) -> Iterator[Verdict]:
    """A verdict for a pair; several for one of ours that comes in several forms."""
    if len(names) > 2:
        raise EnvwrightError("Give one of envwright's environments, a contract's file, or REFERENCE CANDIDATE.")
    if len(names) == 1 and not names[0].endswith(".toml") and spec(names[0]).name == "pong":
        from envwright.verify.pong import verify_pong

        folder = None if out is None else out / "regressions"
        yield from verify_pong(episodes or 1000, seed=seed, levels=levels, regressions=folder, progress=progress)
        return
    found = contracts.load(contract) if contract is not None else pairs.find_contract(list(names))
    if contract is not None and len(names) == 2:
        found = replace(found, reference=names[0], candidate=names[1])
    found = replace(found, policies=(*found.policies, *(str(Path(p).resolve()) for p in policies)))
    host = pairs.make_host(found, patience=patience)
    try:
        yield verify(
            found,
            host,
            pairs.make_candidate(found),
            effort=Effort(episodes=episodes or 100, seed=seed),
            levels=levels,
            regressions=None if out is None else out / "regressions" / label(found),
            traces=None if out is None else out / "traces" / f"{label(found)}.trace",
            progress=progress,
        )
    finally:
        host.close()


def label(contract: contracts.Contract) -> str:
    """The pair as the name of a folder."""
    text = f"{contract.reference}--{contract.candidate}"
    return "".join(c if c.isalnum() or c in "-._" else "-" for c in text)
