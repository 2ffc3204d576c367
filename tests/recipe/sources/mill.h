// A mill on a river, written to be analysed.
#include <stdlib.h>
#include <string.h>
#include "mill_luck.h"
#include "nowhere.h"

#define WIDTH 8
#define CELLS (WIDTH * 4)
#define COIN() (rand() % 2)
#define UNUSED 99

enum Kind { EMPTY, GRAIN, FLOUR = 7, KINDS };

typedef struct {
    float speed;
    int worn;
} Wheel;

typedef struct mill {
    unsigned char cells[CELLS];
    int counts[KINDS];
    float* observations;
    Wheel wheel;
    Wheel spare[2];
    int day;
    int best;
    int shown;
    unsigned int seed;
    struct Sack* sacks;
} Mill;

struct Sack {
    int weight;
    struct Sack* next;
};

static const float RATES[3] = {0.5f, 1.0f, 2.0f};
static int visits = 0;

static void fill(unsigned char* cells, int kind) {
    for (int i = 0; i < CELLS; i++) {
        cells[i] = kind;
    }
}

static void turn(Wheel* wheel) {
    wheel->speed = RATES[1];
    wheel->worn++;
}

void observe(Mill* mill) {
    float* out = mill->observations;
    out[0] = mill->wheel.speed;
}

/* Called once,
 * before the first day. */
void prepare(Mill* mill) {
    mill->observations = calloc(4, sizeof(float));
    mill->seed = 1;
}

void mill_reset(Mill* mill) {
    fill(mill->cells, EMPTY);
    memset(mill->counts, 0, sizeof(mill->counts));
    mill->day = 0;
    mill->wheel = (Wheel){0};
    mill->shown = 0;
    observe(mill);
}

int weigh(struct Sack* sack) {
    if (sack == NULL) {
        return 0;
    }
    return sack->weight + weigh(sack->next);
}

void mill_step(Mill* mill, int action) {
    static int calls = 0;
    calls += 1;
    visits += 1;
    mill->day += 1;
    mill->shown = 1;
    switch (action) {
        case 0:
            mill->cells[luck_below(&mill->seed, CELLS)] = GRAIN;
            break;
        case 1:
            mill->counts[FLOUR] += COIN();
            break;
        default:
            turn(&mill->wheel);
    }
    do {
        mill->best = mill->best > mill->day ? mill->best : mill->day;
    } while (0);
    if (weigh(mill->sacks) > 3) {
        mill_reset(mill);
    }
    observe(mill);
}

void c_render(Mill* mill) {
    DrawText("mill", mill->shown, 0, 0);
}

int main(void) {
    Mill mill;
    mill.best = 3;
    return 0;
}
