"""Hand-made bugs in the rules of TCG Pocket in JAX: is each found, by which level, and blamed on what it is in?

    python benchmarks/tcg_pocket_bugs.py

They are verified by the environment's own contract: single steps (L1), steps phase by phase (L2), starts (L3), until
one of them fails. What the reference does in these steps is recorded once for all of them, and the rules are run
operation by operation, over all steps at once: to compile them takes longer than to run them so.
"""

import argparse
import hashlib
import importlib
import pickle
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import jax

import bugs
import envwright.envs
from envwright.candidates import jax_candidate, one_game
from envwright.verifier import contract as contracts
from envwright.verifier import engine, pairs
from envwright.verifier.host import Host
from envwright.verifier.levels import fitting, l1_steps, l2_phases, l3_episodes
from envwright.verifier.phases import first_parting
from envwright.verifier.session import Effort, Session
from envwright.verifier.synthesis import States
from envwright.verifier.trial import Precision, StepTrial, owner
from envwright.verifier.verdict import Check, Divergence, Verdict

sys.path[:] = [place for place in sys.path if Path(place) != Path(__file__).parent]  # coverage.py there hides another
PACKAGE = "envwright.envs.tcg_pocket"
FOLDER = bugs.SOURCE / "envwright" / "envs" / "tcg_pocket"
STEPS, WATCHED = 2000, 500


class Remembering:
    """What was asked once for all bugs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, name: str, arguments: Any, work: Callable[[], Any]) -> Any:
        file = self.folder / hashlib.sha256(pickle.dumps((name, arguments))).hexdigest()
        if not file.exists():
            file.write_bytes(pickle.dumps(work()))
        return pickle.loads(file.read_bytes())


class RememberingHost:
    """A reference that is asked the same once."""

    def __init__(self, host: Host, memory: Remembering) -> None:
        self.host, self.memory = host, memory

    def run(self, work: Callable[..., Any], *arguments: Any) -> Any:
        return self.memory(work.__qualname__, arguments, lambda: self.host.run(work, *arguments))

    def close(self) -> None:
        self.host.close()


def explain_first(session: Session, precision: Precision, found: StepTrial, level: str) -> list[Divergence]:
    """Whom the verifier would blame for the first step that differs; it is not made smaller."""
    del level
    if not len(found.rows):
        return []
    row = int(found.rows[0])
    parting = first_parting(session, precision.candidate, found.reference, row)
    module = parting.module(session.contract) if parting else owner(session, found, row)
    where = parting.where if parting else "the whole step"
    columns = [name for name, rows in found.bad.items() if rows[row]]
    return [Divergence(module, columns[0], None, None, differing=len(found.rows), note=f"after {where}")]


def starts(session: Session) -> list[Check]:
    return [l3_episodes.check_starts(session)]


def verify(contract: contracts.Contract, host: Host, traces: Path) -> Verdict:
    """The rules as they can be imported now."""
    effort = Effort(episodes=40, limit=200, pool=1000, states=STEPS, corners=0, watched=WATCHED)
    with jax.disable_jit():
        return engine.verify(
            contract,
            host,
            pairs.make_candidate(contract),
            effort=effort,
            levels=["L1", "L2", "L3"],
            stop_at_failure=True,
            traces=traces / "trace",
        )


@contextmanager
def in_place(bug: bugs.Bug) -> Iterator[None]:
    """Meanwhile the environment is imported from a copy with the bug in it."""
    with tempfile.TemporaryDirectory() as home:
        copy = Path(home) / FOLDER.name
        shutil.copytree(FOLDER, copy, ignore=shutil.ignore_patterns("__pycache__"))
        (copy / bug.file).write_text(bugs.edited(bug, FOLDER))
        envwright.envs.__path__.insert(0, home)
        kept = {name: sys.modules.pop(name) for name in list(sys.modules) if name.startswith(PACKAGE)}
        importlib.invalidate_caches()
        try:
            yield
        finally:
            envwright.envs.__path__.remove(home)
            for name in [name for name in sys.modules if name.startswith(PACKAGE)]:
                del sys.modules[name]
            sys.modules.update(kept)
            importlib.invalidate_caches()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="bugs whose name contains this")
    parser.add_argument("--first", type=int, default=1, help="the number of the bug to begin with")
    parser.add_argument("--check", action="store_true", help="only see whether every edit can be made")
    parser.add_argument("--traces", type=Path, help="a folder for what the reference did, to be used again")
    asked = parser.parse_args()
    chosen = [bug for bug in BUGS[asked.first - 1 :] if asked.only in bug.what]
    for bug in chosen:
        bugs.edited(bug, FOLDER)
    if asked.check:
        print(f"{len(chosen)} bugs can be put in.")
        return
    traces = asked.traces or Path(tempfile.mkdtemp())
    traces.mkdir(parents=True, exist_ok=True)
    memory = Remembering(traces)
    jax_candidate.GAMES = STEPS  # all steps at once, by operations that need not be traced for that
    one_game.in_pieces = lambda function: function
    l1_steps.explain = explain_first
    engine._prepare = lambda session: None
    engine.QUESTIONS = {"L1": (fitting.steps,), "L2": (l2_phases.check_phases,), "L3": (starts,)}
    invent = States.invent
    States.invent = lambda self, actions, count, rng: memory(
        "invent", (count, rng.bit_generator.state), lambda: invent(self, actions, count, rng)
    )
    contract = pairs.with_options(pairs.find_contract(["tcg_pocket"]), {"decks": "all"}, {"decks": "all"})
    host = RememberingHost(pairs.make_host(contract, apart=False), memory)
    if (verdict := verify(contract, host, traces)).failed:
        raise SystemExit(f"It fails without a bug already:\n{verdict.text()}")
    print("| bug | in | caught by | blamed | steps that differ |\n|---|---|---|---|---|", flush=True)
    levels, right = Counter[str](), 0
    for bug in chosen:
        began = time.monotonic()
        with in_place(bug):
            verdict = verify(contract, host, traces)
        failed = [check for check in verdict.checks if check.status == "fail"]
        blamed = [divergence for check in failed for divergence in check.divergences]
        names = list(dict.fromkeys(divergence.module for divergence in blamed)) or [check.detail for check in failed]
        levels[failed[0].level if failed else "nothing"] += 1
        right += names[:1] == [bug.module]
        differing = f"{blamed[0].differing:,}" if blamed else ""
        level = failed[0].level if failed else "nothing"
        print(f"| {bug.what} | {bug.module} | {level} | {', '.join(names)} | {differing} |", flush=True)
        print(f"{time.monotonic() - began:.1f} s, {[(d.column, d.note) for d in blamed]}", file=sys.stderr, flush=True)
    caught = len(chosen) - levels["nothing"]
    print(f"\n{caught} of {len(chosen)} caught ({dict(levels)}), {right} blamed on what they are in.")


Bug = partial(bugs.Bug, env="tcg_pocket")

BUGS = [
    # ---- what is printed on cards, and energy ----
    Bug("doubled energy not doubled", "legal actions", "engine/looking.py", "low + (low & 255), low)", "low, low)"),
    Bug(
        "energy doubled by the opponent's Pokemon",
        "legal actions",
        "engine/looking.py",
        "return Paying(doubled=doubled, units=units, count=count(units))",
        "return Paying(doubled=doubled, units=units, count=count((low, high)))",
    ),
    Bug("costs paid in total only", "legal actions", "engine/looking.py",
        "return reaches(energy.units, needed) & (energy.count >= whole)", "return energy.count >= whole"),
    Bug("asleep Pokemon attack", "legal actions", "engine/looking.py",
        "(side.condition == ASLEEP) | (side.condition == PARALYZED)", "side.condition == PARALYZED"),
    Bug("evolution on the second turn", "legal actions", "engine/looking.py",
        "FIRST_EVOLUTION = 3", "FIRST_EVOLUTION = 2"),
    Bug("new Pokemon evolve", "legal actions", "engine/looking.py", "mon.there & ~mon.new & late", "mon.there & late"),
    Bug("Primeval Law ignored", "legal actions", "engine/looking.py", "found[0][0] & ~fixed", "found[0][0]"),
    Bug("locked players play Supporters", "legal actions", "engine/looking.py",
        "(me.lock_left > 0) | foe.active.passive", "foe.active.passive"),
    Bug("attacks that copy are copied", "legal actions", "engine/looking.py",
        "(number > 0) & (other.copies == 0) & paid", "(number > 0) & paid"),
    Bug("two Supporters a turn", "legal actions", "engine/legality.py",
        "supporter = ~table.supporter_used & ~is_locked(me, foe)", "supporter = ~is_locked(me, foe)"),
    Bug("the second copy of a card is played", "legal actions", "engine/legality.py",
        "copy = held & (first | ~before)", "copy = held"),
    Bug("fossils retreat", "legal actions", "engine/legality.py", " & (me.active.card.fossil == 0)\n", "\n"),
    Bug("retreat costs are printed ones", "legal actions", "engine/legality.py",
        "table.me.active.card.retreat + table.retreat_change, 0)", "table.me.active.card.retreat, 0)"),
    Bug("abilities used twice a turn", "legal actions", "engine/legality.py",
        "fresh = (card.once == 0) | ~mon.used", "fresh = jnp.bool_(True)"),
    Bug("the last fossil is discarded", "legal actions", "engine/legality.py",
        "for mon in table.me.mons]) > 1", "for mon in table.me.mons]) > 0"),
    # ---- playing ----
    Bug("evolved Pokemon are not new", "playing", "engine/playing.py",
        "new=jnp.bool_(True), used=jnp.bool_(False), **fresh", "new=mon.new, used=jnp.bool_(False), **fresh"),
    Bug("Trainers do not count as Supporters", "playing", "engine/playing.py",
        "supporter_used=table.supporter_used | deed.supporter)", "supporter_used=table.supporter_used)"),
    Bug("doubled units pay one for a retreat", "playing", "engine/playing.py",
        "n = u32(jnp.where(worth, (left + 1) >> 1, left))", "n = u32(left)"),
    Bug("a card that is played stays known", "playing", "engine/playing.py",
        "copies(me, deed.k)),\n", "jnp.uint32(0)),\n"),
    Bug("abilities are not marked as used", "playing", "engine/playing.py",
        "mon.used | (deed.uses & (deed.place == place) & (mon.card.once > 0))", "mon.used"),
    Bug("evolving keeps conditions", "playing", "rules.py",
        "leaves | (deed.evolves & (deed.place == 0))", "leaves"),
    # ---- damage ----
    Bug("weakness of 10", "damage", "engine/damage.py", "WEAKNESS = 20", "WEAKNESS = 10"),
    Bug("weakness of the attacker", "damage", "engine/damage.py",
        "active.card.weakness == me.active.card.type", "me.active.card.weakness == active.card.type"),
    Bug("weakness also without damage", "damage", "engine/damage.py",
        "jnp.where((amount > 0) & weak, amount + WEAKNESS, amount)", "jnp.where(weak, amount + WEAKNESS, amount)"),
    Bug("reductions of abilities forgotten", "damage", "engine/damage.py",
        "amount - _less(active) - foe.taken_less - foe.guard", "amount - foe.taken_less - foe.guard"),
    Bug("prevention forgotten", "damage", "engine/damage.py", "jnp.where(foe.prevent_left > 0, 0, amount)", "amount"),
    Bug("damage of attacks on the Bench not reduced", "damage", "engine/damage.py",
        "jnp.maximum(n - _less(mon) - foe.guard, 0)", "jnp.maximum(n, 0)"),
    Bug("counter-damage of no damage", "damage", "engine/damage.py", "(dealt > 0) & active.passive", "active.passive"),
    Bug("heads counted as tails", "damage", "engine/damage.py",
        "heads = size(jnp.where(until, streak, draws.coins & most))",
        "heads = size(jnp.where(until, streak, ~draws.coins & most))"),
    Bug("coins until tails count the tails", "damage", "engine/damage.py",
        "streak = draws.coins & ~(draws.coins + 1)", "streak = draws.coins ^ (draws.coins + 1)"),
    Bug("boost for everybody", "damage", "engine/damage.py",
        "jnp.where(table.me.active.fits(number), table.boost, 0)", "table.boost"),
    Bug("extra energy not beside the cost", "damage", "engine/damage.py",
        "extra = pays_and(paying(me), cost(deed.attack), deed.row.total, unit(row.extra_type, row.extra), row.extra)",
        "extra = pays_and(paying(me), unit(0, jnp.int32(0)), 0, unit(row.extra_type, row.extra), row.extra)"),
    Bug("benched Pokemon counted on the wrong side", "damage", "engine/damage.py",
        "encoding.BENCHED_OWN: total([i32(mon.fits(wanted)) for mon in me.bench])",
        "encoding.BENCHED_OWN: total([i32(mon.fits(wanted)) for mon in foe.bench])"),
    Bug("random hits choose among four places", "damage", "engine/damage.py",
        "nth(there, share(draws.targets[hit], n))", "nth(there, share(draws.targets[0], n))"),
    # ---- effects ----
    Bug("healing above full HP", "effects", "engine/effects.py",
        "jnp.maximum(mon.damage - amount, 0), mon.damage)", "mon.damage - amount, mon.damage)"),
    Bug("poison cures sleep", "effects", "engine/effects.py",
        "replaces = (row.status > 0) & ~poisons & open_to_it", "replaces = (row.status > 0) & open_to_it"),
    Bug("conditions on the knocked out", "effects", "engine/effects.py",
        "~protected & foe.active.there & ~at_zero_hp(foe.active)", "~protected & foe.active.there"),
    Bug("effects last a turn less", "effects", "engine/effects.py", "ENDS_OF_TURN = 2", "ENDS_OF_TURN = 1"),
    Bug("effects on the protected", "effects", "engine/effects.py",
        "name: holds & ~protected for name, holds", "name: holds for name, holds"),
    Bug("boosts replace each other", "effects", "engine/effects.py",
        "boost=table.boost + row.boost * 10,", "boost=jnp.where(boosts, row.boost * 10, 0),"),
    Bug("energy of another type attached", "effects", "engine/effects.py",
        "me.zone_now - 1, jnp.where", "me.zone_now & 7, jnp.where"),
    Bug("the zone keeps its energy", "effects", "engine/effects.py",
        "zone_now=jnp.where(deed.energizes, 0, me.zone_now))", "zone_now=me.zone_now)"),
    Bug("all energy discarded", "effects", "engine/effects.py",
        "jnp.minimum(row.discard_n, units_of(energy, row.discard_type))", "units_of(energy, row.discard_type)"),
    Bug("one unit moved instead of all", "effects", "engine/effects.py",
        "jnp.where(every & mon.there, units_of(mon.energy, row.move_type), ", "jnp.where(every & mon.there, 1, "),
    Bug("a random unit of the first Pokemon", "effects", "engine/effects.py",
        "left = share(draws.pick, total(taken))", "left = jnp.zeros_like(total(taken))"),
    # ---- piles ----
    Bug("11 cards in hand", "piles", "engine/piles.py",
        "jnp.minimum(jnp.minimum(asked, n), HAND_LIMIT - held)", "jnp.minimum(jnp.minimum(asked, n), 11 - held)"),
    Bug("searched decks are not shuffled", "piles", "engine/piles.py",
        "shuffles = mixes | leaves | (row.search > 0)", "shuffles = mixes | leaves"),
    Bug("shuffling keeps what was seen", "piles", "engine/piles.py",
        "seen_top=jnp.where(shuffles, 0, pile.seen_top)", "seen_top=pile.seen_top"),
    Bug("a card that was not wanted stays on top", "piles", "engine/piles.py",
        "draws, under, stays = sorts & fits & ~full, sorts & ~fits,",
        "draws, under, stays = sorts & fits & ~full, sorts & fits & full,"),
    Bug("revived from the wrong place", "piles", "engine/piles.py",
        "nth(foe.in_discard & basics, deed.chosen_card)", "nth(foe.in_discard, deed.chosen_card)"),
    Bug("equal keys are swapped", "piles", "engine/shuffling.py",
        "PLACE = np.arange(CARDS, dtype=np.int32)", "PLACE = np.arange(CARDS, dtype=np.int32)[::-1].copy()"),
    # ---- asking ----
    Bug("retreats are not asked for", "asking", "rules.py", "(left > 0, RETREAT),", "(left > 99, RETREAT),"),
    Bug("energy is attached once", "asking", "engine/effects.py",
        "jnp.where(deed.attaches, table.units - 1,", "jnp.where(deed.attaches, 0,"),
    Bug("nobody has to switch", "asking", "rules.py", "(switches, SWITCH),", "(switches & False, SWITCH),"),
    # ---- knock-outs and the end ----
    Bug("one point for a Pokemon ex", "knock-outs", "engine/ending.py", "1 + mon.card.ex, 0)", "1, 0)"),
    Bug("knocked out one short of its HP", "knock-outs", "engine/ending.py",
        "falls = happens & mon.there & (mon.damage >= mon.hp)", "falls = happens & mon.there & (mon.damage > mon.hp)"),
    Bug("avenged for poison", "knock-outs", "engine/ending.py",
        "avenged = theirs.any & (table.stage == IN_ENDING)", "avenged = theirs.any"),
    Bug("two points win", "knock-outs", "engine/ending.py", "side.points >= POINTS_TO_WIN", "side.points >= 2"),
    Bug("both win, the one on turn first", "knock-outs", "engine/ending.py",
        "jnp.where(scores[0] == scores[1], TIE, ", "jnp.where(scores[0] == scores[1], mine, "),
    Bug("promotion in the other order", "knock-outs", "rules.py",
        "if flags.promotion != OTHER_FIRST:", "if flags.promotion == OTHER_FIRST:"),
    Bug("a turn too many", "knock-outs", "rules.py", "table.turn >= flags.turn_limit", "table.turn > flags.turn_limit"),
    # ---- the end of a turn, the next turn ----
    Bug("poison of 20", "end of turn", "engine/ending.py", "POISON = 10", "POISON = 20"),
    Bug("sleepers share a coin", "end of turn", "engine/ending.py",
        "((draws.wake >> number) & 1) != 0", "(draws.wake & 1) != 0"),
    Bug("paralysis of both ends", "end of turn", "engine/ending.py",
        "(side.condition == PARALYZED) if number == 0 else", "(side.condition == PARALYZED) if True else"),
    Bug("marks of the turn stay", "end of turn", "engine/ending.py",
        "mon.replace(new=mon.new & ~ends, used=mon.used & ~ends)", "mon.replace(new=mon.new & ~ends)"),
    Bug("unused energy is kept", "end of turn", "engine/ending.py",
        "if flags.unused_energy == LOST:", "if flags.unused_energy == KEPT:"),
    Bug("no card on the second turn", "next turn", "engine/ending.py",
        "draws_card = starts if flags.first_turn_draw else starts & (turn > 1)", "draws_card = starts & (turn > 2)"),
    Bug("energy on the first turn", "next turn", "engine/ending.py",
        "moves = starts & (turn > 1)\n", "moves = starts\n"),
    Bug("the energy to come is always the first type", "next turn", "engine/ending.py",
        "nth(bits, share(word, size(bits))) + 1", "nth(bits, share(word >> 31, size(bits))) + 1"),
    # ---- setup ----
    Bug("tails is the first player", "setup", "engine/setup.py", "first = 1 - i32(draws.first & 1)",
        "first = i32(draws.first & 1)"),
    Bug("the certain Basic is always the first", "setup", "engine/setup.py",
        "certain, n = bit(nth(basics, share(opening, size(basics)))), 1",
        "certain, n = bit(nth(basics, jnp.int32(0))), 1"),
    # ---- what is seen ----
    Bug("the other's hand in setup is seen", "observation", "observation.py",
        "jnp.where(setup, OPENING, hands[1])", "hands[1]"),
    Bug("the other's next energy is seen", "observation", "observation.py",
        '"zone_next": state.zone_next[me],', '"zone_next": state.zone_next[them],'),
    Bug("cards under others are not seen", "observation", "observation.py",
        "jnp.where(third > 0, second, none)]", "none]"),
    Bug("the loser gets nothing", "reward", "env.py",
        "jnp.stack([first - second, second - first])", "jnp.stack([first, second])"),
]  # fmt: skip


if __name__ == "__main__":
    main()
