"""What verification has to meet of the rules; showdown/coverage.js counts it while Showdown plays."""

from envwright.envs.pokemon import tables

# Every place from which this version of Showdown draws a number in a battle of these moves: the line, then the method.
DRAWS = (
    "scripts.js:414 tryMoveHit randomChance",
    "scripts.js:426 tryMoveHit sample",
    "scripts.js:622 moveHit randomChance",
    "scripts.js:694 getDamage randomChance",
    "scripts.js:779 getDamage random",
    "conditions.js:51 onBeforeMove randomChance",
    "conditions.js:74 onStart random",
    "conditions.js:149 onStart random",
    "conditions.js:162 onBeforeMove randomChance",
    "moves.js:481 onHit sample",
    "battle.js:2315 runAction>eachEvent shuffle",
    "battle.js:2402 runAction>eachEvent shuffle",
    "battle.js:2484 commitChoices>sort shuffle",
    "battle-queue.js:283 insertChoice random",
    "pokemon.js:1269 setStatus>runEvent shuffle",
)


def possible() -> dict[str, list[str]]:
    """The moves of random battles, with Struggle, and all places that draw. Of pairs and effects nobody knows which can
    be met: they are counted, and none is missed."""
    return {"move": [*(tables.MOVES[i] for i in tables.POOL), "struggle"], "draw": list(DRAWS)}
