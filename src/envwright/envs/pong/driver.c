// Drives PufferLib's pong.h, which is fetched at build time and not part of this project.
//
// Luck is ours: the header's rand() is answered from an injected tape, or from the C library and recorded.
// A batch is an array of structs, so that snapshot and restore are plain copies of memory.
// A copy of the header may have been marked (references/c_source.py); whoever listens is called at each mark.

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static int library_rand(void) { return rand(); }

#ifndef PER_THREAD // the quickest kind, of which a process has room for a few libraries only
#define PER_THREAD __thread __attribute__((tls_model("initial-exec")))
#endif

static PER_THREAD const int32_t *injected; // what the next rand() of the current environment returns, or NULL
static PER_THREAD int32_t *recorded;       // where it is noted
static PER_THREAD int32_t *draws;          // how often each environment asked during this call
static PER_THREAD int32_t current;         // the environment that is playing
static PER_THREAD int32_t asked_line;      // where rand() was last called
static PER_THREAD const char *asked_in;

static int tape_rand(int32_t line, const char *function) {
    asked_line = line;
    asked_in = function;
    int value = injected ? injected[current] : library_rand();
    recorded[current] = value;
    draws[current] += 1;
    return value;
}

static PER_THREAD void (*listener)(int32_t point);

static void pass(int32_t point) {
    if (listener) listener(point);
}

static void leave(const int32_t *point) { pass(*point); }

#define ENVWRIGHT_GLIMPSE(point) pass(point)
#define ENVWRIGHT_AT_RETURN(point) __attribute__((cleanup(leave))) const int32_t envwright_return_##point = point

#define rand() tape_rand(__LINE__, __func__)
#include "pong.h"
#undef rand

#define EXPORT __attribute__((visibility("default")))

// The fields of the struct that make up a game, for the reader on the Python side: name, type, place.
#define FIELDS(F) \
    F(float, paddle_yl) F(float, paddle_yr) F(float, ball_x) F(float, ball_y) F(float, ball_vx) F(float, ball_vy) \
    F(uint32, score_l) F(uint32, score_r) F(float, paddle_dir) F(int32, tick) F(int32, n_bounces) F(int32, win) \
    F(float, log.perf) F(float, log.score) F(float, log.episode_return) F(float, log.episode_length) F(float, log.n)

#define NAME(type, field) #field,
#define TYPE(type, field) #type,
#define PLACE(type, field) offsetof(Pong, field),
EXPORT const char *const field_names[] = {FIELDS(NAME) NULL};
EXPORT const char *const field_types[] = {FIELDS(TYPE) NULL};
EXPORT const size_t field_places[] = {FIELDS(PLACE)};
EXPORT size_t struct_size(void) { return sizeof(Pong); }

typedef struct Court {
    float width, height, paddle_width, paddle_height, ball_width, ball_height, paddle_speed;
    float ball_initial_speed_x, ball_initial_speed_y, ball_max_speed_y, ball_speed_y_increment;
    uint32_t max_score;
    int32_t frameskip, continuous;
} Court;

EXPORT void set_up(Pong *envs, int32_t n, const Court *court) {
    for (int32_t i = 0; i < n; i++) {
        Pong *env = envs + i;
        env->width = court->width;
        env->height = court->height;
        env->paddle_width = court->paddle_width;
        env->paddle_height = court->paddle_height;
        env->ball_width = court->ball_width;
        env->ball_height = court->ball_height;
        env->paddle_speed = court->paddle_speed;
        env->ball_initial_speed_x = court->ball_initial_speed_x;
        env->ball_initial_speed_y = court->ball_initial_speed_y;
        env->ball_max_speed_y = court->ball_max_speed_y;
        env->ball_speed_y_increment = court->ball_speed_y_increment;
        env->max_score = court->max_score;
        env->frameskip = court->frameskip;
        env->continuous = court->continuous;
        init(env);
    }
}

// Point the structs at the caller's buffers; again after a restore, whose pointers may be another batch's.
EXPORT void attach(Pong *envs, int32_t n, float *obs, float *actions, float *rewards, unsigned char *terminals) {
    for (int32_t i = 0; i < n; i++) {
        envs[i].observations = obs + 8 * i;
        envs[i].actions = actions + i;
        envs[i].rewards = rewards + i;
        envs[i].terminals = terminals + i;
    }
}

EXPORT void seed(uint32_t value) { srand(value); }

EXPORT void set_tape(const int32_t *inject, int32_t *record, int32_t *count) {
    injected = inject;
    recorded = record;
    draws = count;
}

EXPORT void set_listener(void (*call)(int32_t point)) { listener = call; }

EXPORT int32_t drawn_line(void) { return asked_line; }

EXPORT const char *drawn_in(void) { return asked_in; }

EXPORT void observe_all(Pong *envs, int32_t n) {
    for (current = 0; current < n; current++) compute_observations(envs + current);
}

EXPORT void reset_all(Pong *envs, int32_t n) {
    for (current = 0; current < n; current++) c_reset(envs + current);
}

EXPORT void step_all(Pong *envs, int32_t n) {
    for (current = 0; current < n; current++) c_step(envs + current);
}

// A race for benchmarks: draw random actions for all, step all, `steps` times over.
EXPORT uint32_t race(Pong *envs, int32_t n, int64_t steps, uint32_t state) {
    for (int64_t t = 0; t < steps; t++) {
        for (int32_t i = 0; i < n; i++) {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            envs[i].actions[0] =
                envs[i].continuous ? (float)state * (2.0f / 4294967296.0f) - 1.0f : (float)(((uint64_t)state * 3) >> 32);
        }
        for (current = 0; current < n; current++) c_step(envs + current);
    }
    return state;
}
