"""Whether a reference can be relied on: it repeats itself, its draws can be replayed, its state put back."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from envwright.references.plain import differences
from envwright.references.protocol import Draw, Outcome, Reference

_STEPS = 200  # of an episode; what is not found in so many is rarely found in more


@dataclass(frozen=True)
class ReferenceFinding:
    """One thing about the reference that a translator should know; a note is no fault."""

    kind: Literal["seed", "tape", "restore", "survives", "info", "made", "non-finite", "growth"]
    where: str  # the attribute, or the field of the outcome
    sentence: str
    note: bool = False


@dataclass(frozen=True)
class SelfCheck:
    """The result of `check_reference`."""

    name: str
    episodes: int
    steps: int
    findings: tuple[ReferenceFinding, ...]

    @property
    def ok(self) -> bool:
        """Whether there is nothing but notes."""
        return all(finding.note for finding in self.findings)


@dataclass(frozen=True)
class _Moment:
    outcome: Outcome
    snapshot: dict[str, Any]


def check_reference(reference: Reference, episodes: int = 3, seed: int = 0, steps: int = _STEPS) -> SelfCheck:
    """Play each episode three times: recorded, from the same seed, and from the tape; and every step twice."""
    check = _Check(reference, np.random.Generator(np.random.PCG64(seed)), steps)
    sizes: list[dict[str, int]] = []
    for episode in range(episodes):
        check.episode = episode
        actions, first = check.record(seed + episode)
        check.replay(first, actions, seed + episode, with_tape=True)
        check.replay(first, actions, seed + episode, with_tape=False)
        check.again(actions, seed + episode)
        sizes.append(_sizes("", first[0].snapshot))
    check.growth(sizes)
    found = {(finding.kind, finding.where): finding for finding in reversed(check.findings)}  # the first of each
    return SelfCheck(reference.name, episodes, check.steps, tuple(reversed(found.values())))


class _Check:
    def __init__(self, reference: Reference, rng: np.random.Generator, most: int) -> None:
        self.reference, self.rng, self.most = reference, rng, most
        self.findings: list[ReferenceFinding] = []
        self.episode = self.steps = 0

    def find(self, kind: Any, where: str, sentence: str, note: bool = False) -> None:
        self.findings.append(ReferenceFinding(kind, where, f"{self.reference.name} {sentence}", note))

    def record(self, seed: int) -> tuple[list[Any], list[_Moment]]:
        """An episode with random actions; once more, if what was thought constant has changed in it."""
        actions, moments = self._record(seed)
        if self.reference.late_changes():
            actions, moments = self._record(seed)
        self.steps += len(actions)
        return actions, moments

    def _record(self, seed: int) -> tuple[list[Any], list[_Moment]]:
        actions: list[Any] = []
        moments = [_Moment(self.reference.reset(seed), self.reference.snapshot())]
        self._finite(moments[0].outcome, 0)
        while len(actions) < self.most and not _ended(moments[-1].outcome):
            actions.append(self.reference.sample_action(self.rng))
            moments.append(_Moment(self.reference.step(actions[-1]), self.reference.snapshot()))
            self._finite(moments[-1].outcome, len(actions))
        return actions, moments

    def replay(self, first: Sequence[_Moment], actions: Sequence[Any], seed: int, with_tape: bool) -> None:
        """The same episode from the same seed, with its recorded draws or without; ends at the first difference."""
        for step, before in enumerate(first):
            tape = before.outcome.draws if with_tape else None
            outcome = self._call(step, actions, seed, tape)
            now = self.reference.snapshot()
            if step == 0 and not _unlike_draws(before.outcome, outcome):  # else it begins otherwise by chance
                now = self._survivors(before.snapshot, now)
            self._info(before.outcome, outcome, step)
            where = _unlike(before.outcome, outcome, before.snapshot, now)
            if where and with_tape:
                place = f"field `{where[8:]}`" if where.startswith("outcome.") else f"attribute `{where}`"
                self.find(
                    "tape",
                    where,
                    f"is not deterministic given its tape: {place} differs {self._at(step)} when the same draws are "
                    "replayed; something else than its state, its actions and random numbers decides it.",
                )
                return
            if where:
                drawn = _unlike_draws(before.outcome, outcome)
                place = f"; its draws differ first at {drawn}, so the seed does not reach that generator"
                why = place if drawn else ""
                self.find(
                    "seed",
                    where,
                    f"is not the same twice with seed {seed}: `{where}` differs {self._at(step)}{why}.",
                    note=bool(drawn),
                )
                return

    def _call(self, step: int, actions: Sequence[Any], seed: int, tape: Sequence[Draw] | None) -> Outcome:
        return self.reference.step(actions[step - 1], tape) if step else self.reference.reset(seed, tape)

    def _survivors(self, before: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
        """Note what a reset leaves of the episode before, and put it to what it was the first time."""
        names = [name for name in before if differences({name: before[name]}, {name: now.get(name)})]
        for name in names:
            self.find(
                "survives",
                name,
                f"has state that survives reset: {name}; an episode depends on the one before through it.",
                note=True,
            )
        self.reference.restore({name: before[name] for name in names})
        return self.reference.snapshot()

    def _info(self, one: Outcome, two: Outcome, step: int) -> None:
        """Note where info differs: it may count all games, or tell the time, and is seldom asked for."""
        for where in differences({"info": one.info}, {"info": two.info}, 1):
            self.find("info", where, f"does not give the same info again: `{where}` differs {self._at(step)}.", True)

    def again(self, actions: Sequence[Any], seed: int) -> None:
        """Every call twice from the same snapshot, with the same draws."""
        for step in range(len(actions) + 1):
            before = self.reference.snapshot()
            pairs = []
            tape = None
            for _ in range(2):
                self.reference.restore(before)
                outcome = self._call(step, actions, seed, tape)
                tape = outcome.draws
                pairs.append(_Moment(outcome, self.reference.snapshot()))
            one, two = pairs
            self._info(one.outcome, two.outcome, step)
            if where := _unlike(one.outcome, two.outcome, one.snapshot, two.snapshot):
                self.find(
                    "restore",
                    where,
                    f"does not repeat a call after its snapshot is put back: `{where}` differs {self._at(step)}; part "
                    "of its state is where no snapshot reaches, such as a global variable, or it is not deterministic.",
                )
                return
            if _ended(one.outcome):
                return

    def growth(self, sizes: Sequence[dict[str, int]]) -> None:
        """Containers that are longer at every reset."""
        for path in sizes[0] if len(sizes) > 2 else ():
            lengths = [size.get(path, 0) for size in sizes]
            if all(a < b for a, b in itertools.pairwise(lengths)):
                self.find(
                    "growth",
                    path,
                    f"grows with every episode: `{path}` has had {', '.join(map(str, lengths))} elements right after "
                    "reset; a translation needs an array of a fixed size, and a log has to be cleared in reset.",
                )

    def _finite(self, outcome: Outcome, step: int) -> None:
        for field in ("obs", "reward"):
            if not _is_finite(getattr(outcome, field)):
                name = "observation" if field == "obs" else "reward"
                value = getattr(outcome, field)
                self.find("non-finite", field, f"gives a {name} that is not finite {self._at(step)}: {value}.")

    def _at(self, step: int) -> str:
        return f"in episode {self.episode} at {'reset' if step == 0 else f'step {step}'}"


def _ended(outcome: Outcome) -> bool:
    return outcome.terminated or outcome.truncated


def _unlike(one: Outcome, two: Outcome, before: dict[str, Any], now: dict[str, Any]) -> str | None:
    """The first place where state, or else the outcome but info, differs."""
    names = [name for name in Outcome._fields if name not in ("info", "draws")]
    a, b = ({f"outcome.{name}": getattr(x, name) for name in names} for x in (one, two))
    return next(iter([*differences(before, now, 1), *differences(a, b, 1)]), None)


def _unlike_draws(one: Outcome, two: Outcome) -> str | None:
    for a, b in zip(one.draws, two.draws, strict=False):
        if differences(tuple(a), tuple(b), 1):
            return f"{a.site} ({a.method})"
    return None


def _is_finite(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_is_finite, value.values()))
    if isinstance(value, list | tuple):
        return all(map(_is_finite, value))
    array = np.asarray(value)
    return array.dtype.kind not in "fc" or bool(np.isfinite(array).all())


def _sizes(path: str, value: Any) -> dict[str, int]:
    """The length of every list, set, dict and deque in a snapshot, by its place."""
    if isinstance(value, dict):
        found = {} if path == "" or "__class__" in value else {path: len(value)}
        for key, item in value.items():
            found |= _sizes(f"{path}.{key}".lstrip("."), item)
        return found
    if isinstance(value, str | bytes | np.ndarray | np.generic) or not hasattr(value, "__len__"):
        return {}
    return {path: len(value)}
