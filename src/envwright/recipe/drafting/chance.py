"""The random draws that a candidate is handed: a field for each function that draws, or for each method in it."""

import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence

from envwright.recipe.drafting.arrays import lettered, shape_of
from envwright.recipe.drafting.fields import ROOM, DraftError, Fields, free
from envwright.references.protocol import Draw
from envwright.verifier.codecs import Codec, DrawnValues, Padded
from envwright.verifier.expression import places_of, site_function, site_line

# Room for what is drawn until it fits: the longest of n games took ln n / ln(1/p) draws, so k times as many are too few
# once in n ** k games. An episode that runs out of draws in a step is truncated; a start cannot be, and has more room.
ROOM_OF_A_START = 4
FEW = 4  # at least so often is taken to have been drawn what may be drawn until it fits

Kept = Mapping[tuple[str, str], Sequence[Draw]]  # draws by function and method


def chance_of(
    draws: Mapping[tuple[str, str], int],
    without: Mapping[str, str],
    steady: Iterable[str],
    drawn: Kept | None = None,
    picked: Iterable[tuple[str, str]] = (),
    times: int = ROOM,
    again: Container[str] = (),
) -> Fields:
    """A field for each function that draws, with room for what it draws in one go; for each method, if it has several;
    and for each line, if in which order they draw is not always the same, or they draw what is of different shapes.

    `draws` are the most by site and method; `steady` functions never draw less. What is `picked` is chosen from lists
    that change, so the candidate is handed the index. Nothing is steady that may be drawn `again` and again.
    """
    picked = set(picked)
    most: dict[str, dict[str, Counter[int]]] = {}
    for (site, method), count in draws.items():
        most.setdefault(site_function(site), {}).setdefault(method, Counter())[site_line(site)] += count
    fields: Fields = {}
    steady = {part for part in steady if not _is_again(part.partition(".")[0], most, again)}
    for function, methods in most.items():
        for method, lines in methods.items():
            if function in without or f"{function}.{method}" in without:
                continue
            seen = [draw for draw in (drawn or {}).get((function, method), ()) if site_line(draw.site) in lines]
            by_index = (function, method) in picked or any(places_of(draw) is not None for draw in seen)
            whole = len(methods) == 1 and not by_index
            which = function if whole else f"{function}.{method}"
            parts = {which: (lines.total(), seen)}
            if len(lines) > 1 and not by_index and (which not in steady or len(_shapes(seen)) > 1):
                own = {line: [draw for draw in seen if site_line(draw.site) == line] for line in lines}
                parts = {f"{function}:{line}": (count, own[line]) for line, count in lines.items()}
            for part, (count, own_seen) in parts.items():
                _of_one_shape(function, method, own_seen)
                if function in again or part in again or (part == which and _is_again(function, most, again)):
                    count = max(count, FEW)
                room = count if part in steady or count == 1 else times * count
                shape = _shape(own_seen[0]) if own_seen and (function, method) not in picked else None
                name = free(_word(function if len(methods) == 1 else f"{function}_{method}"), fields)
                codec = _codec(part, room, shape or (), by_index)
                texts = [text for draw in own_seen for text in draw.value] if any(map(_are_texts, own_seen)) else []
                fields[name] = (lettered(codec, texts) if texts and room == 1 else None) or codec
    return fields


def _is_again(function: str, most: Mapping[str, Mapping[str, Counter[int]]], again: Container[str]) -> bool:
    """Whether something in a function may be drawn again and again."""
    lines = {line for counts in most.get(function, {}).values() for line in counts}
    return function in again or any(f"{function}:{line}" in again for line in lines)


def _codec(which: str, room: int, shape: tuple[int, ...], picks: bool) -> Codec:
    """One draw or several."""
    if room == 1:
        return DrawnValues(which, 0, shape, picks)
    return Padded(DrawnValues(which, picks=picks), room, 0, shape)


def _shapes(draws: Sequence[Draw]) -> set[tuple[int, ...] | None]:
    return {_shape(draw) for draw in draws}


def _shape(draw: Draw) -> tuple[int, ...] | None:
    if (places := places_of(draw)) is not None:
        return (len(places),)
    return (len(draw.value),) if _are_texts(draw) else shape_of(draw.value)


def _are_texts(draw: Draw) -> bool:
    """Whether a list of texts is drawn: it was shuffled, or some of it were chosen."""
    return isinstance(draw.value, list) and bool(draw.value) and all(isinstance(text, str) for text in draw.value)


def only_shown(drawn: Kept, picked: Iterable[tuple[str, str]], shown: Iterable[str]) -> dict[str, str]:
    """Functions, or methods in them, that draw texts for the screen alone, with the reason why they are ignored.

    `shown` is what only the drawing of the screen reads; without, a text that is not picked from a list is refused.
    """
    shown, picked = sorted(shown), set(picked)
    found: dict[str, str] = {}
    for (function, method), draws in drawn.items():
        if all(_shape(draw) is not None for draw in draws) or ((function, method) in picked and not shown):
            continue
        if not shown:
            raise DraftError(
                f"{function} draws what is not a number; write a line for it in [chance] of contract.toml."
            )
        alone = all(other == method for name, other in drawn if name == function)
        found[function if alone else f"{function}.{method}"] = (
            f"it draws texts, which are taken for {' and '.join(shown)}, and those only the screen shows"
        )
    return found


def texts_by_index(drawn: Kept) -> set[tuple[str, str]]:
    """The methods that choose one from a list of things that are not numbers."""
    return {
        place
        for place, draws in drawn.items()
        if any(shape_of(draw.value) is None for draw in draws) and all(draw.pick is not None for draw in draws)
    }


def _of_one_shape(function: str, method: str, draws: Sequence[Draw]) -> None:
    shapes = _shapes(draws) - {None}
    if len(shapes) > 1:
        one, *_, other = sorted(shapes, key=str)
        raise DraftError(
            f"{function} draws {method} of the shapes {one} and {other}; write lines for them in [chance] of "
            "contract.toml."
        )


def _word(text: str) -> str:
    """A name for a field; `<lambda>` has none that could be used."""
    return re.sub(r"\W+", "_", text).strip("_") or "chance"
