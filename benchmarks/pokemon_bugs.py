"""Hand-made bugs in the rules of Pokemon: is each caught, and blamed on the phase of an update that it is in?

    envwright reference pokemon
    python benchmarks/pokemon_bugs.py

They are verified against Pokemon Showdown by the environment's own contract: phase by phase (L2), and, if that finds
nothing, in single steps (L1), where masks are compared as well. States are recorded ones and ones that the contract
makes of them.
"""

from functools import partial
from pathlib import Path

import bugs

VERIFY = """
import json, os, sys, warnings
warnings.simplefilter("ignore")
# Each bug is compiled anew. The numbers of the rules are whole, so that what XLA leaves undone costs time alone; those
# of the observation, in which no bug is, would be rounded otherwise, and are left out.
os.environ["XLA_FLAGS"] = "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true"
from dataclasses import replace
from pathlib import Path
from envwright.verifier import pairs
from envwright.verifier.engine import ask
from envwright.verifier.levels.l1_steps import check_steps
from envwright.verifier.levels.l2_phases import check_phases
from envwright.verifier.session import Effort, Session
from remembering import Remembering
contract, folder = pairs.find_contract([sys.argv[1]]), Path(sys.argv[3])
contract = replace(contract, outcome={n: e for n, e in contract.outcome.items() if n != "observation"})
host = Remembering(lambda: pairs.make_host(contract, apart=False), folder)
watched = int(sys.argv[2])
effort = Effort(episodes=8, limit=300, pool=400, watched=watched, states=watched, corners=100, draws=400)
session = Session(contract, host, pairs.make_candidate(contract), effort, traces=folder / "trace")
found = {"caught": False, "blamed": [], "level": ""}
for level, question in (("L2", check_phases), ("L1", check_steps)):
    checks = ask(level, question, session)
    blamed = [divergence.module for check in checks for divergence in check.divergences]
    if not all(check.passed for check in checks):
        assert blamed, [check.detail for check in checks]
        found = {"caught": True, "blamed": blamed, "level": level}
        break
host.close()
print(json.dumps(found))
"""
Bug = partial(bugs.Bug, env="pokemon")

BUGS = [
    Bug(
        "who is asleep selects a move",
        "choose",
        "choosing.py",
        " | (me.status == ASLEEP) | (me.status == FROZEN)\n    struggles",
        " | (me.status == FROZEN)\n    struggles",
    ),
    Bug(
        "who recharges selects a move",
        "choose",
        "choosing.py",
        "kept = me.recharging | me.charging",
        "kept = me.charging",
    ),
    Bug("no Struggle without PP", "choose", "choosing.py", "jnp.where(struggles, STRUGGLE, picked)", "picked"),
    Bug(
        "Struggle counts as a move of the first slot",
        "choose",
        "choosing.py",
        "free = moves & ~kept & ~struggles",
        "free = moves & ~kept",
    ),
    Bug(
        "the foe is shown what was selected, asleep or not",
        "choose",
        "choosing.py",
        "jnp.where(kept, pick(me.moves, slot), selected)",
        "selected",
    ),
    Bug(
        "a choice is not yet what was used last",
        "choose",
        "choosing.py",
        "used=jnp.where(free, picked, me.used)",
        "used=me.used",
    ),
    Bug("a tie is won by the other side", "order", "choosing.py", "(word >> 31 == 1)", "(word >> 31 == 0)"),
    Bug(
        "no draw for a tie of two moves",
        "order",
        "choosing.py",
        "sorts = tie & (even | both_switch)",
        "sorts = tie & both_switch",
    ),
    Bug(
        "priority forgotten",
        "move",
        "choosing.py",
        "even = moves[0] & moves[1] & (priority[0] == priority[1])",
        "even = moves[0] & moves[1]",
    ),
    Bug(
        "no draws for a tie at BeforeTurn",
        "order",
        "choosing.py",
        "seed_ = prng.skip(seed_, normal & tie, 2)",
        "seed_ = prng.skip(seed_, normal & tie, 1)",
    ),
    Bug(
        "speeds not looked up when choices are committed",
        "choose",
        "choosing.py",
        "jnp.where(stands & going, fighter.modified[SPEED], fighter.speed)",
        "fighter.speed",
    ),
    Bug(
        "burned members enter unhurt",
        "switch",
        "choosing.py",
        "hurt = jnp.where(normal, hurt, 0)",
        "hurt = jnp.zeros_like(hurt)",
    ),
    Bug(
        "replacements are hurt by their burn",
        "switch",
        "choosing.py",
        "hurt = jnp.where(normal, hurt, 0)",
        "hurt = hurt + 0 * normal",
    ),
    Bug(
        "a switch leaves last moves",
        "switch",
        "choosing.py",
        "last_move=jnp.where(anybody, 0, fighter.last_move)",
        "last_move=fighter.last_move",
    ),
    Bug(
        "who leaves goes to the end",
        "switch",
        "choosing.py",
        "swapped = jnp.where(state.order == into[:, None], old, state.order)",
        "swapped = jnp.where(state.order == into[:, None], state.order, state.order)",
    ),
    Bug(
        "who enters has not been seen",
        "switch",
        "choosing.py",
        "seen=state.seen | (here & entering[:, None])",
        "seen=state.seen",
    ),
    Bug(
        "boosts outlast a switch",
        "switch",
        "fighter.py",
        "boosts=anew((none,) * 6, ",
        "boosts=anew(tuple(state.boosts[side, i].astype(jnp.int32) for i in range(6)), ",
    ),
    Bug(
        "paralysis does not slow who enters",
        "switch",
        "fighter.py",
        "fresh = drops(base, status, jnp.bool_(True))",
        "fresh = base",
    ),
    Bug(
        "no draw for a tie as one enters",
        "switch",
        "choosing.py",
        "seed_ = prng.skip(seed_, (tie_one & ~dies_one) | (replaced & tie_other), 2)",
        "seed_ = prng.skip(seed_, replaced & tie_other, 2)",
    ),
    Bug("sleep ends a turn late", "move", "moving.py", "sleep=me.sleep - asleep.astype(jnp.int32)", "sleep=me.sleep"),
    Bug(
        "who flinches recharges as well",
        "move",
        "moving.py",
        "recharges = goes & ~me.flinched & me.recharging",
        "recharges = goes & me.recharging",
    ),
    Bug(
        "confusion hurts a little less often",
        "move",
        "moving.py",
        "(prng.byte(word) >= 128)",
        "(prng.byte(word) >= 129)",
    ),
    Bug("paralysis in 64 of 256 turns", "move", "moving.py", "(prng.byte(word) < 63)", "(prng.byte(word) < 64)"),
    Bug(
        "paralysis before confusion is over",
        "move",
        "moving.py",
        "clears, dazed = dazed & (turns == 0), dazed & (turns > 0)",
        "clears, dazed = dazed & (turns == 0), dazed",
    ),
    Bug(
        "PP stops at 0",
        "move",
        "moving.py",
        "pp = (pick(me.pp, slot) + by) & 63",
        "pp = jnp.maximum(pick(me.pp, slot) + by, 0)",
    ),
    Bug(
        "Sky Attack pays twice",
        "move",
        "moving.py",
        "pays = moves & (me.selected != STRUGGLE) & (me.charging | ~two_turns)",
        "pays = moves & (me.selected != STRUGGLE)",
    ),
    Bug(
        "Mirror Move reflects itself",
        "move",
        "moving.py",
        "nothing = (foe.last_move == 0) | (foe.last_move == MIRROR_MOVE)",
        "nothing = foe.last_move == 0",
    ),
    Bug(
        "every move forgets the last damage",
        "move",
        "moving.py",
        "forgets = tries & (move.keeps_last_damage == 0)",
        "forgets = tries",
    ),
    Bug(
        "no miss in 256",
        "move",
        "hitting.py",
        "misses = rolls & (prng.byte(word) >= chance)",
        "misses = rolls & (prng.byte(word) > chance)",
    ),
    Bug(
        "evasion raised makes hits likelier",
        "move",
        "hitting.py",
        "hundredths(-foe.boosts[EVASION])",
        "hundredths(foe.boosts[EVASION])",
    ),
    Bug(
        "a substitute lets stat moves through",
        "move",
        "hitting.py",
        "blocked = harmless & (foe.substitute > 0) & (lowers | confuses",
        "blocked = harmless & (foe.substitute > 0) & (confuses",
    ),
    Bug(
        "no explosion against a substitute that breaks",
        "move",
        "hitting.py",
        "(immune | ~moment.foe.substitute_broke)",
        "(immune | moment.foe.substitute_broke | True)",
    ),
    Bug(
        "Hyper Beam recharges after a knock-out",
        "move",
        "hitting.py",
        "(strikes & (move.recharges > 0) & (foe.hp > 0))",
        "(strikes & (move.recharges > 0))",
    ),
    Bug(
        "fire does not thaw",
        "move",
        "hitting.py",
        "foe = foe.replace(status=jnp.where(thaws, HEALTHY, foe.status))",
        "foe = foe.replace(status=foe.status)",
    ),
    Bug(
        "same types are not spared a status",
        "move",
        "hitting.py",
        "~spared(move, moment.foe)",
        "~(spared(move, moment.foe) & False)",
    ),
    Bug("Counter answers Counter", "move", "damage.py", "(foe.selected_for_foe != COUNTER)\n        & ", ""),
    Bug("Super Fang takes half, and one", "move", "damage.py", "jnp.maximum(foe.hp >> 1, 1)", "(foe.hp + 1) >> 1"),
    Bug(
        "a substitute takes what the foe has HP",
        "move",
        "damage.py",
        "jnp.maximum(substitute - damage, 0), substitute)",
        "jnp.maximum(substitute - capped, 0), substitute)",
    ),
    Bug(
        "drain of a third",
        "move",
        "damage.py",
        "gain = jnp.maximum(dealt >> 1, 1)",
        "gain = jnp.maximum(over(dealt, 3), 1)",
    ),
    Bug("recoil though a substitute breaks", "move", "damage.py", "paid = holds | direct", "paid = shielded | direct"),
    Bug(
        "critical hits by the species it looks like",
        "move",
        "damage.py",
        "tables.species(me.species)",
        "tables.species(me.active_species)",
    ),
    Bug(
        "critical hits keep boosts",
        "move",
        "damage.py",
        "jnp.where(critical, of_kind(me.base, ATTACK, SPECIAL), of_kind(me.modified, ATTACK, SPECIAL))",
        "of_kind(me.modified, ATTACK, SPECIAL)",
    ),
    Bug(
        "Reflect against critical hits",
        "move",
        "damage.py",
        "defence = jnp.where(critical, of_kind(foe.base, DEFENCE, SPECIAL), doubled)",
        "defence = doubled",
    ),
    Bug(
        "large stats do not roll over",
        "move",
        "damage.py",
        "jnp.maximum(defence >> 2 & 255, 1)",
        "jnp.maximum(defence >> 2, 1)",
    ),
    Bug(
        "damage has no upper bound",
        "move",
        "damage.py",
        "jnp.minimum(over(damage, 50), 997) + 2",
        "over(damage, 50) + 2",
    ),
    Bug(
        "a last factor of 218 to 256",
        "move",
        "damage.py",
        "(217 + prng.below(word, 39))",
        "(218 + prng.below(word, 39))",
    ),
    Bug(
        "boosts at 999 go on",
        "move",
        "effects.py",
        "stays = of_battle & jnp.where(by > 0, modified == CAP, modified == 1)",
        "stays = of_battle & (by < 0) & (modified == 1)",
    ),
    Bug(
        "no second drop of burn and paralysis",
        "move",
        "effects.py",
        "foe = foe.replace(modified=drops(foe.modified, foe.status, changed))",
        "foe = foe.replace(modified=foe.modified)",
    ),
    Bug("Recover works with 255 missing", "move", "effects.py", "((gap == 255) | (gap == 511))", "(gap == 511)"),
    Bug(
        "no draw for the clauses",
        "move",
        "effects.py",
        "seed = prng.skip(seed, sets | rests)",
        "seed = prng.skip(seed, rests)",
    ),
    Bug(
        "two may be frozen",
        "move",
        "effects.py",
        "sets = sets & ~one_asleep & ~one_frozen",
        "sets = sets & ~one_asleep",
    ),
    Bug(
        "sleep of 2 to 8 turns",
        "move",
        "effects.py",
        "jnp.where(sleeps, 1 + prng.below(word, 7), foe.sleep)",
        "jnp.where(sleeps, 2 + prng.below(word, 7), foe.sleep)",
    ),
    Bug(
        "a substitute needs more than a quarter",
        "move",
        "effects.py",
        "(4 * me.hp >= me.max_hp)",
        "(4 * me.hp > me.max_hp)",
    ),
    Bug("Transform copies PP", "move", "effects.py", "jnp.minimum(tables.row(number).pp, 5)", "tables.row(number).pp"),
    Bug(
        "who knocks out the foe suffers from its burn",
        "move",
        "moving.py",
        "goes_on = ~moves | on_self | (moment.foe.hp > 0)",
        "goes_on = ~moves | on_self | (moment.foe.hp >= 0)",
    ),
    Bug(
        "no draw for a tie at the end of a turn",
        "end",
        "ending.py",
        "seed = prng.skip(update.seed, rests & (sides[0].speed == sides[1].speed))",
        "seed = update.seed",
    ),
    Bug("flinches outlast the turn", "end", "ending.py", "fighter.flinched & ~rests", "fighter.flinched"),
    Bug("a last turn of 1001", "end", "ending.py", "LAST_TURN = 1000", "LAST_TURN = 1001"),
    Bug("a double knock-out is won", "end", "ending.py", "jnp.where(left[0], FIRST, TIE)", "FIRST"),
    Bug(
        "who sleeps may choose a move",
        "legal actions",
        "rules.py",
        "only_one = trapped | (status == ASLEEP) |",
        "only_one = trapped |",
    ),
    Bug(
        "who recharges may switch",
        "legal actions",
        "rules.py",
        "may_switch = (asked_to_move & ~trapped)",
        "may_switch = asked_to_move",
    ),
    Bug(
        "moves without PP may be chosen",
        "legal actions",
        "rules.py",
        "first, state.active_pp > 0)",
        "first, state.active_moves > 0)",
    ),
]


if __name__ == "__main__":
    bugs.compare(__doc__, BUGS, Path("envs") / "pokemon", VERIFY, watched=600)
