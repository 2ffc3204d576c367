"""A generation 1 battle as arrays: everything that Pokemon Showdown's `Battle` has to go on with, and nothing else.

Sides are the first axis: 0 is p1, 1 is p2. Members of a team are the next one, by their place in the team at the start,
which never changes; Showdown's own order, which switches permute, is `order`. Its active member is `order[side, 0]`.
Where a field has no meaning, such as the turns of a sleep that there is not, it is 0. Moves and species are numbers of
`tables` (0 for none).

What Showdown has and a `State` has not follows from it: `fainted` is `hp == 0`, `switchFlag` is `request == SWITCH`,
`trapped` is `recharging | charging`. A faint in generation 1 empties the queue, so nothing of it is left over between
two updates.
"""

import jax

from envwright.core import Record

SIDES, MEMBERS, SLOTS = 2, 6, 4
ACTIONS = 10  # 0-3: the move in that slot, or the only thing to do; 4-9: switch to member 0-5
FIRST_SWITCH = 4

# Main status of a member. A fainted one has none.
HEALTHY, ASLEEP, POISONED, BURNED, FROZEN, PARALYSED = range(6)
STATUSES = ("", "slp", "psn", "brn", "frz", "par")  # Showdown's ids

# What Showdown asks of a side.
WAIT, MOVE, SWITCH = range(3)

# Winners.
NOBODY_YET, FIRST, SECOND, TIE = range(4)

# Places in `stats`, in `stored` and `modified`, and in `boosts`. Special attack and defence are one stat, and every
# move of the pool that changes one changes the other as well.
MAX_HP = 0
STATS = ("hp", "atk", "def", "spe", "spa")  # of `stats`; the last four, of `stored` and `modified`
BOOSTS = ("atk", "def", "spe", "spa", "accuracy", "evasion")
ATTACK, DEFENCE, SPEED, SPECIAL, ACCURACY, EVASION = range(6)

# Hints that Showdown gives only once in a battle; bits of `hints`.
HINT_AT_999, HINT_AT_1 = 1, 2


class Team(Record):
    """Six Pokemon as Showdown has made them. Empty places, all behind the others, are 0 throughout."""

    species: jax.Array  # (6,) uint8, number in the Pokedex
    level: jax.Array  # (6,) uint8
    moves: jax.Array  # (6, 4) uint8, 0 behind the last
    pp: jax.Array  # (6, 4) uint8
    stats: jax.Array  # (6, 5) int16, maximal HP, attack, defence, speed, special: `maxhp`, `baseStoredStats`
    speed_points: jax.Array  # (6,) uint8, IV of speed + EV of speed // 4: who transforms computes a speed with it


class State(Record):
    """After an update, that is, when Showdown asks for choices or the battle is over."""

    # ---- members of the two teams: Pokemon ----
    species: jax.Array  # (2, 6) uint8, `set.species`
    level: jax.Array  # (2, 6) uint8
    stats: jax.Array  # (2, 6, 5) int16, `maxhp` and `baseStoredStats`
    speed_points: jax.Array  # (2, 6) uint8, as in `Team`
    moves: jax.Array  # (2, 6, 4) uint8, `baseMoveSlots[].id`
    pp: jax.Array  # (2, 6, 4) uint8, `baseMoveSlots[].pp`, 0 to 63
    hp: jax.Array  # (2, 6) int16
    status: jax.Array  # (2, 6) uint8, one of `STATUSES`
    sleep: jax.Array  # (2, 6) uint8, `statusState.time`: how many more turns it sleeps
    rested: jax.Array  # (2, 6) bool, asleep by its own Rest, which Sleep Clause does not count: `statusState.source`
    substitute_broke: jax.Array  # (2, 6) bool, `subFainted`; cleared late, and not by switching
    seen: jax.Array  # (2, 6) bool, has been on the field: `previouslySwitchedIn > 0`
    order: jax.Array  # (2, 6) uint8, the member at each of Showdown's positions

    # ---- the active member of each side ----
    active_species: jax.Array  # (2,) uint8, `species`; another one's after Transform
    types: jax.Array  # (2, 2) uint8, `types`, 0 where there is no second one
    active_moves: jax.Array  # (2, 4) uint8, `moveSlots[].id`; others after Mimic and Transform
    active_pp: jax.Array  # (2, 4) uint8, `moveSlots[].pp`
    stored: jax.Array  # (2, 4) int16, `storedStats`: attack, defence, speed, special
    modified: jax.Array  # (2, 4) int16, `modifiedStats`: with boosts, burn and paralysis
    boosts: jax.Array  # (2, 6) int8, -6 to 6: attack, defence, speed, special, accuracy, evasion
    speed: jax.Array  # (2,) int16, `speed`, which ties are decided by and which may be stale; 0 if fainted
    substitute: jax.Array  # (2,) uint8, `volatiles.substitute.hp`
    confusion: jax.Array  # (2,) uint8, `volatiles.confusion.time`: turns, including the one in which it ends
    transformed: jax.Array  # (2,) bool
    recharging: jax.Array  # (2,) bool, `volatiles.mustrecharge`
    charging: jax.Array  # (2,) bool, `volatiles.twoturnmove`, which is Sky Attack's
    reflect: jax.Array  # (2,) bool, `volatiles.reflect`
    flinched: jax.Array  # (2,) bool, `volatiles.flinch`; outlasts a turn that a faint cut short
    last_move: jax.Array  # (2,) uint8, `Pokemon.lastMove`: what Mirror Move would use

    # ---- what each side chose and did: Side ----
    selected: jax.Array  # (2,) uint8, `lastSelectedMove`
    selected_slot: jax.Array  # (2,) uint8, `lastSelectedMoveSlot`, 0 to 3
    selected_for_foe: jax.Array  # (2,) uint8, `lastEnemySelectedMove`: what the foe takes it for
    used: jax.Array  # (2,) uint8, `Side.lastMove`
    used_for_foe: jax.Array  # (2,) uint8, `lastEnemyMove`: what the foe's Counter looks at

    # ---- the battle ----
    last_damage: jax.Array  # () int32, `lastDamage`: what Counter doubles
    turn: jax.Array  # () int16, 1 to 1001
    request: jax.Array  # (2,) uint8, WAIT, MOVE or SWITCH
    winner: jax.Array  # () uint8, NOBODY_YET, FIRST, SECOND or TIE
    hints: jax.Array  # () uint8, those that were given
    seed: jax.Array  # (2,) uint32, high and low word of Showdown's generator
