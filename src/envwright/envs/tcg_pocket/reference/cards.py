"""Cards between deck, hand, discard pile and play."""

from envwright.envs.tcg_pocket.layout import CARDS, ENERGIES, HAND_LIMIT, HEIGHT, IN_DECK, IN_HAND, IN_PLAY, NONE
from envwright.envs.tcg_pocket.reference import board
from envwright.envs.tcg_pocket.reference.dice import shuffled
from envwright.envs.tcg_pocket.reference.state import PocketState

# What ends when a Pokemon leaves the Active Spot or evolves there (R8.6).
OF_ACTIVE = ("no_attack_left", "no_retreat_left", "needs_coin_left", "prevent_left")
OF_ACTIVE += ("dealt_less", "dealt_less_left", "taken_less", "taken_less_left")
OF_POKEMON = ("stack", "damage", "energy", "new", "used")  # goes with it wherever it goes (R4.13)


# ---- deck and hand ----


def lay_deck(s: PocketState, player: int, cards: list[int]) -> None:
    """These cards k are the deck, from bottom to top."""
    s.deck[player] = [k + 1 for k in cards] + [0] * (CARDS - len(cards))


def shuffle(s: PocketState, player: int) -> None:
    """R12.3."""
    lay_deck(s, player, shuffled(board.deck(s, player), s.dice.keys()))
    s.seen_top[player] = 0


def take_from_top(s: PocketState, player: int) -> int:
    """The top card, taken off the deck."""
    cards = board.deck(s, player)
    k = cards.pop()
    lay_deck(s, player, cards)
    s.seen_top[player] = max(0, s.seen_top[player] - 1)  # R11.7
    return k


def draw(s: PocketState, player: int, n: int) -> None:
    """R4.9."""
    for _ in range(n):
        if board.deck(s, player) and len(board.hand(s, player)) < HAND_LIMIT:
            s.where[player][take_from_top(s, player)] = IN_HAND


def leave_hand(s: PocketState, player: int, k: int, to: int) -> None:
    """A card leaves the hand; R11.6: its copies there are no longer known."""
    s.where[player][k] = to
    for other in range(CARDS):
        if s.cards[player][other] == s.cards[player][k]:
            s.known[player][other] = False


def hand_into_deck(s: PocketState, player: int) -> None:
    """The whole hand onto the deck, which is shuffled."""
    cards = board.hand(s, player)
    for k in cards:
        leave_hand(s, player, k, IN_DECK)
    lay_deck(s, player, board.deck(s, player) + cards)
    shuffle(s, player)


# ---- into play, out of play, within play ----


def put_on_bench(s: PocketState, player: int, k: int) -> None:
    """R2.8: a Pokemon comes into play on the free place with the lowest number."""
    place = board.free_bench(s, player)[0]
    put_down(s, player, place, k)
    s.new[player][place] = True


def put_down(s: PocketState, player: int, place: int, k: int) -> None:
    """A card that is a Pokemon by itself, onto an empty place."""
    s.where[player][k] = IN_PLAY
    s.stack[player][place][0] = k + 1


def evolve(s: PocketState, player: int, place: int, k: int) -> None:
    """R4.3."""
    below = s.stack[player][place]
    leave_hand(s, player, k, IN_PLAY)
    below[below.index(0)] = k + 1
    s.new[player][place], s.used[player][place] = True, False
    if place == 0:
        leave_active_spot(s, player)


def leave_active_spot(s: PocketState, player: int) -> None:
    """R8.6."""
    s.condition[player], s.poisoned[player] = NONE, False
    for name in OF_ACTIVE:
        getattr(s, name)[player] = 0


def remove(s: PocketState, player: int, place: int, to: int) -> list[int]:
    """A Pokemon leaves play with its stack; its energy is gone. Returns the cards k, Basic first."""
    cards = [k - 1 for k in s.stack[player][place] if k]
    for k in cards:
        s.where[player][k] = to
    s.stack[player][place], s.energy[player][place] = [0] * HEIGHT, [0] * ENERGIES
    s.damage[player][place], s.new[player][place], s.used[player][place] = 0, False, False
    if place == 0:
        leave_active_spot(s, player)
    return cards


def swap(s: PocketState, player: int, place: int) -> None:
    """R4.13: the Active and a Benched Pokemon change places; also promotion, with nobody in the Active Spot."""
    for name in OF_POKEMON:
        rows = getattr(s, name)[player]
        rows[0], rows[place] = rows[place], rows[0]
    leave_active_spot(s, player)
