"""Bytes to keys."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envwright.play.keys import HOLD, Held, parse

WHOLE = b"w\x1b[A k\x1bOB\x1b[1;5Cq\x1b[D\x1b[3~S\x03"
NAMES = ["w", "up", "space", "k", "down", "right", "q", "left", "s", "ctrl-c"]


def parse_pieces(pieces: list[bytes]) -> tuple[list[str], bytes]:
    found, rest = [], b""
    for piece in pieces:
        keys, rest = parse(rest + piece)
        found += keys
    return found, rest


def test_letters_arrows_and_space_have_names() -> None:
    assert parse(WHOLE) == (NAMES, b"")


@given(cuts=st.lists(st.integers(0, len(WHOLE))))
def test_a_sequence_may_arrive_in_any_number_of_pieces(cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(WHOLE)]
    pieces = [WHOLE[a:b] for a, b in zip(edges, edges[1:], strict=False)]  # noqa: RUF007
    assert parse_pieces(pieces) == (NAMES, b"")


@pytest.mark.parametrize("beginning", [b"\x1b", b"\x1b[", b"\x1bO", b"\x1b[1;5"])
def test_an_unfinished_sequence_waits_for_its_end(beginning: bytes) -> None:
    assert parse(b"w" + beginning) == (["w"], beginning)


def test_an_escape_by_itself_does_not_swallow_the_next_key() -> None:
    assert parse_pieces([b"\x1b", b"q"]) == (["q"], b"")
    assert parse_pieces([b"\x1b", b"\x1b[A"]) == (["up"], b"")


@given(st.binary(max_size=40))
def test_no_bytes_break_the_parser(data: bytes) -> None:
    keys, rest = parse(data)
    assert all(key.isprintable() and key for key in keys)
    assert rest == b"" or (rest.startswith(b"\x1b") and data.endswith(rest))


def test_other_characters_are_no_keys() -> None:
    assert parse("é▀\t\x7f".encode()) == ([], b"")


def test_enter_is_a_key() -> None:
    assert parse(b"\r\n") == (["enter", "enter"], b"")


def test_a_key_is_held_for_a_moment_after_its_last_byte() -> None:
    held = Held().press("up", now=1.0)
    assert held.at(1.0) == "up"
    assert held.at(1.0 + HOLD - 0.01) == "up"
    assert held.at(1.0 + HOLD) is None
    assert held.press("down", now=1.05).at(1.06) == "down"
    assert Held().at(0.0) is None
