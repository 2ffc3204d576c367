/* Hoard, many games at once. Actions: two of each game, 3 * pile + (number of pebbles - 1), or 9, which waits. */
#include <stdint.h>

#define API __attribute__((visibility("default")))

typedef struct {
    uint64_t random;
    int32_t piles[3];
    int32_t turn, moves;
} Game;

static int die(Game *game, int sides) {
    game->random = game->random * 6364136223846793005u + 1442695040888963407u;
    return (int)((game->random >> 33) % (uint64_t)sides);
}

API int game_size(void) { return sizeof(Game); }

API void seed(Game *game, uint64_t value) { game->random = value * 2654435761u + 12345u; }

API void reset(Game *game) {
    for (int i = 0; i < 3; i++) game->piles[i] = 1 + die(game, 5);
    game->turn = die(game, 2);
    game->moves = 0;
}

API void observe(const Game *game, float *obs, uint8_t *legal) {
    int any = 0;
    for (int player = 0; player < 2; player++) {
        for (int i = 0; i < 3; i++) obs[player * 4 + i] = (float)game->piles[i];
        obs[player * 4 + 3] = player == game->turn;
        for (int a = 0; a < 10; a++) legal[player * 10 + a] = 0;
    }
    for (int a = 0; a < 9; a++) {
        legal[game->turn * 10 + a] = game->piles[a / 3] > a % 3;
        any |= legal[game->turn * 10 + a];
    }
    legal[game->turn * 10 + 9] = !any;
    legal[(1 - game->turn) * 10 + 9] = 1;
}

/* 1: the last pebble was taken, 2: too many moves, 3: both */
API int step(Game *game, const int32_t *actions, float *reward) {
    int turn = game->turn, action = actions[turn];
    game->piles[action / 3] -= action % 3 + 1;
    int rolled = die(game, 8);
    game->moves += 1;
    int empty = !game->piles[0] && !game->piles[1] && !game->piles[2];
    if (!empty && rolled < 3 && game->piles[rolled] < 5) game->piles[rolled] += 1;
    game->turn = 1 - turn;
    reward[turn] = empty ? 1.0f : 0.0f;
    reward[1 - turn] = empty ? -1.0f : 0.0f;
    return empty | (game->moves >= 60 ? 2 : 0);
}
