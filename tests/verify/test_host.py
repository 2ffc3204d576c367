"""References in a process of their own: whatever they do there, we get a sentence and go on."""

import os
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from envwright.core.errors import EnvwrightError
from envwright.references.protocol import Reference, ReferenceFailedError
from envwright.references.registry import find_reference
from envwright.verifier.expression import ExpressionError
from envwright.verifier.host import Apart, Here

MAKE = partial(find_reference, "games.py:Walk", {}, Path(__file__).parent)


# ---- work, done in the child ----


def walk(reference: Reference, steps: int, beat: Any) -> tuple[int, int]:
    reference.reset(seed=0)
    for _ in range(steps):
        reference.step(1)
        beat()
    return os.getpid(), reference.look()["at"]


def crash(reference: Reference, beat: Any) -> None:
    os.abort()


def leave(reference: Reference, beat: Any) -> None:
    os._exit(3)


def hang(reference: Reference, beat: Any) -> None:
    time.sleep(600)


def dawdle(reference: Reference, beat: Any) -> str:
    for _ in range(4):
        time.sleep(0.5)
        beat()
    return "done"


def leak(reference: Reference, beat: Any) -> None:
    heap = []
    while True:
        heap.append(b"x" * 2**25)
        beat()


def fail(reference: Reference, beat: Any) -> None:
    raise ZeroDivisionError("of all things")


def mistake(reference: Reference, beat: Any) -> None:
    raise ExpressionError("It is written wrong.")


def unspeakable(reference: Reference, beat: Any) -> Any:
    return lambda: None


@pytest.fixture(scope="module")
def host():
    host = Apart(MAKE, patience=1.0, memory=2**30)
    yield host
    host.close()


@pytest.mark.parametrize(
    ("work", "says"),
    [
        (crash, r"The reference's process died \(killed by SIGABRT\); the rest goes on\."),
        (leave, r"The reference's process died \(exit code 3\); the rest goes on\."),
        (hang, r"The reference made no step for 1 s and was stopped; it seems to hang\."),
        (leak, r"The reference took 1\.\d GiB of memory in [\d,]+ steps and was stopped; it seems to leak\."),
    ],
)
def test_a_child_that_cannot_go_on_is_replaced(host, work, says):
    with pytest.raises(ReferenceFailedError, match=f"^{says}$"):
        host.run(work)
    process, at = host.run(walk, 3)
    assert process != os.getpid()
    assert at >= 3


@pytest.mark.parametrize(
    ("work", "kind", "says"),
    [
        (
            fail,
            ReferenceFailedError,
            r"The reference failed with ZeroDivisionError: of all things \(test_host\.py:\d+\)",
        ),
        (mistake, ExpressionError, "It is written wrong"),
        (unspeakable, ReferenceFailedError, "The reference failed with .*pickle"),
    ],
)
def test_an_error_leaves_the_child_alive(host, work, kind, says):
    before, _ = host.run(walk, 0)
    with pytest.raises(kind, match=f"^{says}"):
        host.run(work)
    assert host.run(walk, 0)[0] == before


def test_slow_is_not_stuck(host):
    assert host.run(dawdle) == "done"


def test_a_child_ends_with_its_host():
    host = Apart(MAKE)
    process, _ = host.run(walk, 1)
    host.close()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
    host.close()


def test_what_cannot_be_made_says_so_each_time():
    host = Apart(partial(find_reference, "games.py:Wlak", {}, Path(__file__).parent))
    for _ in range(2):
        with pytest.raises(EnvwrightError, match=r"has no class 'Wlak'; it has .*Walk"):
            host.run(walk, 1)
    host.close()


def test_here_is_this_process_and_gives_the_same():
    here, apart = Here(MAKE()), Apart(MAKE)
    try:
        assert here.run(walk, 4)[0] == os.getpid()
        assert here.run(walk, 4)[1] == apart.run(walk, 4)[1]
    finally:
        here.close()
        apart.close()
