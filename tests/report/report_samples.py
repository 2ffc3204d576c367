"""A run as it might have been: three modules, a repair that broke what was right, one that helped, and its result."""

from collections.abc import Sequence

import numpy as np

from envwright.agents.protocol import DOLLAR
from envwright.core.spaces import Box, Discrete
from envwright.recipe.events import (
    Began,
    Event,
    Finished,
    HandedOver,
    Judged,
    Kept,
    Measured,
    Packaged,
    Reserved,
    RolledBack,
    Settled,
)
from envwright.recipe.versions import digest
from envwright.verifier.interface import Field, Interface

INTERFACE = Interface(
    package="fast_blackjack",
    title="Blackjack",
    state=(Field("player", (22,), "int64", "pad(player, 22)"), Field("dealer", (12,), "int64", "pad(dealer, 12)")),
    start_luck=(Field("cards", (4,), "int64", "draws('draw_card')"),),
    step_luck=(Field("cards", (10,), "int64", "pad(draws('draw_card'), 10)"),),
    observation=Field("observation", (3,), "int64", "obs"),
    info=(),
    action_space=Discrete(2),
    observation_space=Box((0, 0, 0), (31, 10, 1), (3,), np.dtype(np.int32)),
)

CONTRACT = """\
version = 1
reference = "gymnasium:Blackjack-v1"
candidate = "fast_blackjack.env:Blackjack"

[ignored]
"reference.render_mode" = "only drawn on the screen"

[[reachable]]
holds = "len(player) <= 22"
reason = "a longer hand has passed 21 before"
"""

CARDS = '''"""Cards and what a hand of them counts."""

import jax
import jax.numpy as jnp


def usable_ace(hand: jax.Array) -> jax.Array:
    """Whether an ace can count 11."""
    return (hand == 1).any() & (hand.sum() + 10 <= 21)


def sum_hand(hand: jax.Array) -> jax.Array:
    """What the hand counts, at its best."""
    return hand.sum() + 10 * usable_ace(hand).astype(jnp.int32)
'''
DEALER = '''"""The dealer, who draws below 17."""

import jax


def play(hand: jax.Array, cards: jax.Array) -> jax.Array:
    """The dealer's hand at the end."""
    return jax.lax.fori_loop(0, 10, lambda k, h: draw_below(h, cards[k], 17), hand)
'''
WORSE = DEALER.replace("17", "16").replace("range", "span")
BETTER = DEALER.replace(
    "    return jax.lax.fori_loop(0, 10, lambda k, h: draw_below(h, cards[k], 17), hand)\n",
    "    # Who once stands never draws again, so cards are used in order.\n"
    "    return jax.lax.fori_loop(0, 10, lambda k, h: draw_below(h, cards[k], STANDS), hand)\n",
).replace("import jax\n", "import jax\n\nSTANDS = 17\n", 1)
RULES = '"""A round of Blackjack."""\n\n' + "".join(f"LINE_{i} = {i}\n" for i in range(60))
TEST = '"""Tests of the cards."""\n\n\ndef test_an_ace_counts_eleven_at_most_once() -> None: ...\n'

FILES = {
    "fast_blackjack/__init__.py": "",
    "fast_blackjack/cards.py": CARDS,
    "fast_blackjack/dealer.py": BETTER,
    "fast_blackjack/rules.py": RULES,
    "tests/test_cards.py": TEST,
}

BEGAN = Began(
    name="blackjack",
    reference="gymnasium:Blackjack-v1",
    target="jax",
    agents=("claude", "person"),
    budget=10 * DOLLAR,
    hashes={"source": "3f" * 32, "contract": "a1" * 32, "plan": "07" * 32, "prompts": "c9" * 32},
    seed=0,
    secret=271_828_182_845,
    versions={"envwright": "0.1.0", "jax": "0.10.2", "numpy": "2.4.6", "python": "3.11.2"},
)

COUNTEREXAMPLE = """\
L3 episodes: 100 episodes, 3 part from the reference
module dealer, state.dealer, episode 41, step 2: expected [10, 6, 1, 0], got [10, 6, 0, 0]; so in 14 inputs
smallest input: player = [10, 10], dealer = [10, 6], action = 0, cards = [1]"""


def check(level: str, name: str, status: str = "pass", count: int = 0, detail: str = "") -> dict[str, object]:
    return {"level": level, "name": name, "status": status, "detail": detail, "count": count, "divergences": []}


def answers(**changed: str) -> tuple[dict[str, object], ...]:
    """All questions, some with another status."""
    asked = (
        check("L0", "the reference repeats itself", count=20),
        check("L0", "spaces", count=2),
        check("L0", "fields", count=4, detail="nothing left out"),
        check("L0", "params matter", "skip", detail="there are no params"),
        check("L1", "function sum_hand", count=4_812),
        check("L1", "function usable_ace", count=4_812),
        check("L1", "single steps", count=5_000, detail="3,000 recorded and invented states, 2,000 corners"),
        check("L1", "luck", count=10_000, detail="chi-square over 10 values, p = 0.31"),
        check("L2", "phases", count=300, detail="hit, dealer, showdown, payout, ending"),
        check("L3", "episodes", count=100, detail="100 episodes to their end, 161 steps"),
        check("L3", "coverage", "note", detail="31 of 33 lines of the original ran"),
    )
    return tuple(c | {"status": changed.get(str(c["name"]).replace(" ", "_"), c["status"])} for c in asked)


def call(
    task: str, files: dict[str, str], amount: int, seconds: float, sentence: str = "", stop: str = "done"
) -> Sequence[Event]:
    name = f"{task}.claude.1"
    return (
        Reserved(name, task, "claude", DOLLAR),
        Settled(
            name, task, amount, "reported", stop, files, usage=(amount // 12, amount // 20, 0, amount // 90, 4),
            model="opus", sentence=sentence, seconds=seconds,
        ),
    )  # fmt: skip


def alone(module: str) -> Judged:
    return Judged(
        f"{module}-1", f"module {module}", True, (check("L1", f"function {module}", count=4_812),), seconds=1.9
    )


def begun() -> list[Event]:
    """Three modules written, the whole found wrong."""
    return [
        BEGAN,
        *call("translate-cards", {"fast_blackjack/cards.py": CARDS, "tests/test_cards.py": TEST}, 182_000, 48.2),
        Kept("translate-cards", "cards"),
        alone("cards"),
        *call("translate-dealer", {"fast_blackjack/dealer.py": DEALER}, 96_000, 31.7, "Done; 17 is where it stands."),
        Kept("translate-dealer", "dealer"),
        *call("translate-rules", {"fast_blackjack/rules.py": RULES}, 341_000, 102.4),
        Kept("translate-rules", "rules"),
        Judged("v1", "whole", False, answers(episodes="fail"), "dealer", COUNTEREXAMPLE, 6.8),
    ]


def repaired() -> list[Event]:
    """One repair that broke the steps, one that helped."""
    broken = "L1 single steps: 5,000 steps, 212 differ\nmodule dealer, state.dealer: expected [10, 7], got [10, 7, 5]"
    return [
        *begun(),
        *call("repair-dealer-1", {"fast_blackjack/dealer.py": WORSE}, 64_000, 22.0),
        Judged("v2", "whole", False, answers(single_steps="fail", phases="skip"), "dealer", broken, 3.1),
        RolledBack("repair-dealer-1", "dealer", ("L1 single steps",)),
        *call("repair-dealer-2", {"fast_blackjack/dealer.py": BETTER}, 71_000, 25.3, "The dealer drew once too few."),
        Judged(digest(FILES), "whole", True, answers(), seconds=7.0),
        Kept("repair-dealer-2", "dealer"),
    ]


def finished() -> list[Event]:
    """Verified, measured, packaged."""
    facts = {
        "step": "one decision; where an episode ended, the start of the next is part of it",
        "num_envs": 4096,
        "layout": "sharded",
        "cores": 2,
        "compile_seconds": 0.84,
        "candidate_rates": [251e6, 248e6, 255e6, 243e6, 250e6],
    }
    return [
        *repaired(),
        Judged(digest(FILES), "hidden 1", True, answers(), seconds=8.4),
        Measured(52_400.0, 250e6, (4771.0, 4602.0, 4893.0), facts),
        Packaged({"dist/fast_blackjack-0.1.0-py3-none-any.whl": "5d" * 32}),
        Finished("verified"),
    ]


def handed_over() -> list[Event]:
    """A run that waits for a person."""
    why = "3 repairs in a row did not help; the last: the same input still fails"
    return [*repaired()[:-4], HandedOver("dealer", why, "# Repair dealer\n..."), Finished("handed over", why + ".")]


def hostile() -> list[Event]:
    """An agent that writes HTML wherever it can."""
    evil = '</pre><script>alert("x")</script><img src=https://evil.example/x onerror=alert(1)>\x1b[31m & "\''
    return [
        BEGAN,
        *call("translate-cards", {f"fast_blackjack/{evil}.py": evil}, 1, 1.0, evil),
        Kept("translate-cards", "cards"),
        *call("repair-cards-1", {f"fast_blackjack/{evil}.py": evil + "\n" + evil}, 1, 1.0, evil, stop=evil),
        Judged("v", "whole", False, (check("L1", evil, "fail", 1, evil),), evil, evil, 1.0),
        RolledBack("repair-cards-1", "cards", (evil,)),
        HandedOver(evil, evil, evil),
        Measured(1.0, 2.0, (2.0, 1.0, 3.0), {evil: evil}),
        Finished(evil, evil),
    ]
