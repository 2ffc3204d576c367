"""Effects of attacks, Trainers and abilities as rows of small numbers, one for each stage of `carrying_out`.

What an operation cannot be written as is refused here, so that no card is ever done by half. All stages are done in one
order; where a card has several operations, it is that of its list.
"""

from collections.abc import Callable, Mapping
from typing import Any

from envwright.envs.tcg_pocket import tables
from envwright.envs.tcg_pocket.tables import ENERGIES, TYPES, Op, Ops

Row = dict[str, int]

# Kinds, by the names that the fields below give them.
TOSS_UNTIL, TOSS_PER_ENERGY = 5, 6  # of `coins`; below that it is their number
ALWAYS, HEADS, ALL_HEADS, TAILS = range(4)  # of `when`: of all that comes after the damage
EXTRA_ENERGY, DAMAGED_FOE, DAMAGED_SELF, POISONED_FOE, EX_FOE, AVENGED = range(4, 10)  # of `bonus_if`, after those
BENCHED_FOE, BENCHED_OWN, ENERGY_FOE, HAND_FOE = range(1, 5)  # of `count`
HIT_CHOSEN, HIT_CHOSEN_BENCH, HIT_BENCH, HIT_RANDOM, HIT_OWN_BENCH = range(1, 6)  # of `hit_whom`
STATUSES = ("", "asleep", "paralyzed", "poisoned")  # the first two as conditions of the state
UNITS_SELF, ALL_SELF, RANDOM_FOE, RANDOM_ANY = range(1, 5)  # of `discard`
HEAL_SELF, HEAL_EACH, HEAL_CHOSEN = range(1, 4)  # of `heal_whom`
LASTING = ("", "no_attack", "no_retreat", "needs_coin", "dealt_less", "prevent", "taken_less", "guard")
TO_SELF, TO_ASKED, TO_CHOSEN, TO_ACTIVE = range(1, 5)  # of `attach`
FOE_SWITCHES, DRAGGED, SELF_SWITCHES = range(1, 4)  # of `switch`
MOVE_CHOSEN, MOVE_ALL = range(1, 3)  # of `move`
OWN, FOE = range(1, 3)  # of `mix` and `draws`
ASK_OWN, ASK_FOE, ASK_FOE_BENCH, ASK_ENERGY, ASK_DISCARDED = range(1, 6)  # of `ask`

_OWN_ANY = {"side": "own", "zone": "any", "pick": "choose"}
_FOE_ANY = {"side": "opponent", "zone": "any", "pick": "choose"}
_FOE_BENCH = {"side": "opponent", "zone": "bench"}
_EACH = {"side": "own", "zone": "any", "pick": "each"}
_HIT = {
    HIT_CHOSEN: _FOE_ANY,
    HIT_CHOSEN_BENCH: {**_FOE_BENCH, "pick": "choose"},
    HIT_BENCH: {**_FOE_BENCH, "pick": "each"},
    HIT_RANDOM: {"side": "opponent", "zone": "any", "pick": "random"},
    HIT_OWN_BENCH: {"side": "own", "zone": "bench", "pick": "choose"},
}
HITS = 4  # of `HIT_RANDOM`


class CannotEncodeError(ValueError):
    """An operation that the engine has no stage for."""


def filters() -> list[Mapping[str, Any]]:
    """All filters of the cards; the first lets every Pokemon pass. `damaged` is looked at apart."""
    found: list[Mapping[str, Any]] = [{}]

    def look(value: Any) -> None:
        if isinstance(value, Mapping):
            for name in ("filter", "attacker"):
                if name in value and bare(value[name]) not in found:
                    found.append(bare(value[name]))
            for inner in value.values():
                look(inner)
        elif isinstance(value, list | tuple):
            for inner in value:
                look(inner)

    for card in tables.CARDS:
        if card:
            look([attack.effect for attack in card.attacks])
            look([card.effect, card.requires])
            look([card.ability.effect, card.ability.requires] if card.ability else [])
    return found


def bare(wanted: Mapping[str, Any]) -> Mapping[str, Any]:
    """A filter without what is of the moment."""
    return {name: value for name, value in wanted.items() if name != "damaged"}


FILTERS = filters()


def filter_number(op: Mapping[str, Any], name: str = "filter") -> int:
    return FILTERS.index(bare(op.get(name, {})))


def tens(amount: int) -> int:
    if amount % 10:
        raise CannotEncodeError(f"{amount} is no multiple of 10")
    return amount // 10


def encode(ops: Ops) -> Row:
    """The row of an effect; what it does not have is 0."""
    row: Row = {}
    for op in ops:
        if op["op"] == "coin_flips":
            _coins(row, op)
        else:
            _one(row, op, ALWAYS)
    return row


def put(row: Row, **fields: int) -> None:
    """Fill fields in; one that has a value already would be two operations of a kind."""
    for name, value in fields.items():
        if name in row and not (name == "when" and row[name] == value):
            raise CannotEncodeError(f"{name} is needed twice")
        row[name] = value


def _coins(row: Row, op: Op) -> None:
    if "until" in op:
        put(row, coins=TOSS_UNTIL)
    elif "n_per" in op:
        if op["n_per"] != {"what": "energy", "on": "self"}:
            raise CannotEncodeError(f"coins per {op['n_per']}")
        put(row, coins=TOSS_PER_ENERGY)
    else:
        put(row, coins=op["n"])
    for branch, when in {"then": ALWAYS, "if_heads": HEADS, "if_all_heads": ALL_HEADS, "if_tails": TAILS}.items():
        for inner in op.get(branch, ()):
            _one(row, inner, when)


def _one(row: Row, op: Op, when: int) -> None:
    name = op["op"]
    if name == "attack_fails" and when == TAILS:
        put(row, fails=1)
    elif name == "damage_bonus":
        put(row, bonus=tens(op["amount"]), **(_condition(op["if"]) if "if" in op else {"bonus_if": when}))
    elif name == "self_damage" and when in (ALWAYS, TAILS):
        put(row, recoil=tens(op["amount"]), recoil_tails=int(when == TAILS))
    elif name in BEFORE and when == ALWAYS:
        put(row, **BEFORE[name](op))
    elif name in AFTER:
        put(row, when=when, **AFTER[name](op))
    else:
        raise CannotEncodeError(f"{name} in this place: {dict(op)}")


def _condition(condition: Op) -> Row:
    kind = condition["cond"], condition.get("on", ""), condition.get("status", "")
    if kind[0] == "extra_energy":
        return {"bonus_if": EXTRA_ENERGY, "extra_type": ENERGIES.index(condition["type"]), "extra": condition["n"]}
    known = {
        ("has_damage", "defending", ""): DAMAGED_FOE,
        ("has_damage", "self", ""): DAMAGED_SELF,
        ("has_status", "defending", "poisoned"): POISONED_FOE,
        ("is_ex", "defending", ""): EX_FOE,
        ("own_ko_by_attack_last_turn", "", ""): AVENGED,
    }
    return {"bonus_if": known[kind]}


def _count(what: Op) -> Row:
    if what["what"] == "benched":
        return {"count": BENCHED_OWN if what["side"] == "own" else BENCHED_FOE, "count_filter": filter_number(what)}
    if what == {"what": "energy", "on": "defending"}:
        return {"count": ENERGY_FOE}
    raise CannotEncodeError(f"a count of {dict(what)}")


def _kind(kinds: Mapping[int, Any], target: Any) -> int:
    """The number of a target, its filter apart."""
    plain = target if isinstance(target, str) else {name: value for name, value in target.items() if name != "filter"}
    return next(number for number, known in kinds.items() if known == plain)


def _damage_pokemon(op: Op) -> Row:
    if op.get("times", HITS) != HITS:
        raise CannotEncodeError(f"{op['times']} hits")
    return {"hit": tens(op["amount"]), "hit_whom": _kind(_HIT, op["target"]), **_ask(op)}


def _ask(op: Op) -> Row:
    """What is chosen before a Trainer or an ability is carried out; of attacks it is not looked at."""
    target = op["target"]
    if isinstance(target, str) or target["pick"] != "choose":
        return {}
    kinds = {ASK_OWN: _OWN_ANY, ASK_FOE: _FOE_ANY}
    asked = [kind for kind in kinds if _kind_or_none(kinds, target) == kind]
    if not asked:
        return {}
    damaged = int(target.get("filter", {}).get("damaged", False))
    return {"ask": asked[0], "ask_filter": filter_number(target), "ask_damaged": damaged}


def _kind_or_none(kinds: Mapping[int, Any], target: Any) -> int | None:
    try:
        return _kind(kinds, target)
    except StopIteration:
        return None


def _heal(op: Op) -> Row:
    whom = _kind({HEAL_SELF: "self", HEAL_EACH: _EACH, HEAL_CHOSEN: _OWN_ANY}, op["target"])
    amount = {"drain": 1} if op["amount"] == "damage_dealt" else {"heal": tens(op["amount"])}
    return {"heal_whom": whom, **amount, **_ask(op)}


def _discard_energy(op: Op) -> Row:
    if op.get("pick") == "random":
        both = {"side": "both", "zone": "any", "pick": "random"}
        return {"discard": _kind({RANDOM_FOE: "defending", RANDOM_ANY: both}, op["target"])}
    if op["target"] != "self" or (op["type"] == "any") != (op["n"] == "all"):
        raise CannotEncodeError(f"{dict(op)}")
    if op["n"] == "all":
        return {"discard": ALL_SELF}
    return {"discard": UNITS_SELF, "discard_type": ENERGIES.index(op["type"]), "discard_n": op["n"]}


def _lasting(kind: str, target: str) -> Callable[[Op], Row]:
    def encode(op: Op) -> Row:
        if op["target"] != target or op["duration"] != "opponent_next_turn":
            raise CannotEncodeError(f"{dict(op)}")
        return {"lasting": LASTING.index(kind), "lasting_amount": tens(op.get("amount", 0))}

    return encode


def _taken_less(op: Op) -> Row:
    return _lasting("taken_less" if op["target"] == "self" else "guard", op["target"])(op)


def _attach(op: Op) -> Row:
    bench, active = (
        {"side": "own", "zone": "bench", "pick": "choose"},
        {"side": "own", "zone": "active", "pick": "each"},
    )
    kinds = {TO_SELF: "self", TO_ASKED: bench, TO_ACTIVE: active}
    chosen = op["target"] == "chosen" or _kind_or_none({TO_CHOSEN: _OWN_ANY}, op["target"]) is not None
    row = {"attach": TO_CHOSEN if chosen else _kind(kinds, op["target"]), "attach_type": ENERGIES.index(op["type"])}
    if not isinstance(op["target"], str):
        row["attach_filter"] = filter_number(op["target"])
    if op["n"] not in (1, "heads") or (op["n"] == 1 and op.get("split")):
        raise CannotEncodeError(f"{dict(op)}")
    return {**row, "attach_heads": int(op["n"] == "heads"), **_ask(op)}


def _force_switch(op: Op) -> Row:
    if op["chooser"] == "opponent":
        return {"switch": FOE_SWITCHES}
    return {"switch": DRAGGED, "ask": ASK_FOE_BENCH, "ask_filter": filter_number(op)}


def _move_energy(op: Op) -> Row:
    one = op["n"] == 1 and op["from"]["pick"] == "choose"
    if op["from"]["zone"] != "bench" or op["to"]["zone"] != "active" or not (one or op["n"] == "all"):
        raise CannotEncodeError(f"{dict(op)}")
    ask = {"ask": ASK_ENERGY, "ask_filter": filter_number(op["from"])} if one else {}
    return {"move": MOVE_CHOSEN if one else MOVE_ALL, "move_type": ENERGIES.index(op["type"]), **ask}


def _draw(op: Op) -> Row:
    row = {"draws": OWN if op["player"] == "own" else FOE}
    if isinstance(op["n"], int):
        return {**row, "draw": op["n"]}
    if op["n"] != {"what": "hand", "side": "opponent"} or op["player"] != "own":
        raise CannotEncodeError(f"{dict(op)}")
    return {**row, "draw_hand": 1}


def _search(op: Op) -> Row:
    return {"search": 1, "wanted": filter_number(op), "to_bench": int(op["to"] == "bench")}


def _boost(op: Op) -> Row:
    return {"boost": tens(op["amount"]), "boost_named": int("attacker" in op)}


BEFORE: dict[str, Callable[[Op], Row]] = {
    "damage_per_head": lambda op: {"per_head": tens(op["amount"])},
    "damage_per_count": lambda op: {"per_count": tens(op["amount"]), **_count(op["count"])},
    "damage_bonus_per_count": lambda op: {"bonus_per_count": tens(op["amount"]), **_count(op["count"])},
    "damage_pokemon": _damage_pokemon,
    "choose_pokemon": _ask,
    "copy_attack": lambda op: {},  # is the attack's, not its effect's
    "play_as_pokemon": lambda op: {},  # these three are of fossils, which the card says
    "may_discard_self": lambda op: {},
}
AFTER: dict[str, Callable[[Op], Row]] = {
    "heal": _heal,
    "status": lambda op: {"status": STATUSES.index(op["status"])},
    "discard_energy": _discard_energy,
    "cannot_attack": _lasting("no_attack", "defending"),
    "cannot_retreat": lambda op: {} if op["duration"] == "while_in_play" else _lasting("no_retreat", "defending")(op),
    "attack_needs_coin": _lasting("needs_coin", "defending"),
    "reduce_damage_dealt": _lasting("dealt_less", "defending"),
    "prevent_attack": _lasting("prevent", "self"),
    "reduce_damage_taken": _taken_less,
    "lock_supporters": lambda op: {"lock": 1},
    "attach_energy_from_zone": _attach,
    "force_switch": _force_switch,
    "switch_self": lambda op: {"switch": SELF_SWITCHES},
    "move_energy": _move_energy,
    "draw": _draw,
    "shuffle_hand_into_deck": lambda op: {"mix": OWN if op["player"] == "own" else FOE},
    "reveal_hand": lambda op: {"reveal": 1},
    "look_deck": lambda op: {"look": op["n"]},
    "sort_top_card": lambda op: {"sort_top": 1, "wanted": filter_number(op)},
    "search_deck": _search,
    "discard_hand": lambda op: {"discard_hand": 1},
    "shuffle_into_deck": lambda op: {"into_deck": 1},
    "return_to_hand": lambda op: {"to_hand": 1},
    "revive_to_bench": lambda op: {"revive": 1, "ask": ASK_DISCARDED, "ask_filter": filter_number(op)},
    "boost_damage": _boost,
    "retreat_cost_mod": lambda op: {"retreat_less": -op["amount"]},
}
PASSIVE = ("", "lock_supporters", "no_evolve_active", "double_energy", "damage_attacker", "reduce_damage_taken")
assert set(TYPES[: len(ENERGIES)]) == set(ENERGIES)
