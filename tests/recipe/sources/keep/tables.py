"""Numbers of the game."""

ROOMS = 3 * 4
LIMIT = 50
WAYS = [[0] * 4 for _ in range(ROOMS)]
for room in range(ROOMS):
    WAYS[room][0] = max(room - 1, 0)


def damage_table(strength: int) -> list[int]:
    return [strength * level for level in range(10)]


DAMAGE = damage_table(3)
UNUSED = damage_table(4)
