/*
 * Which LP size the GPU engine uses (paper 003, section 4.2): other sizes are tried while the simulation
 * runs, and the one with most events a second is kept. Results do not depend on the size, so neither on the
 * clock.
 *
 * The paper's engine tries all sizes in a row and keeps the best. Here a *check* tries only the sizes next to
 * the present one, double or half: at most two without a clear gain, then the present one once more, so that
 * a load that rises or falls steadily does not decide. What follows a change of size (regions grow, caches
 * fill) is not measured. A check that gains leads to another one in the same direction; one that does not
 * doubles the wait for the next, which is never shorter than some dozen times what the check has cost,
 * regrouping included. A rate that has drifted shortens the wait.
 */
#pragma once

#include <stdint.h>

enum { WI_GPU_ADAPT_SHIFT_MAX = 10 };

typedef enum wi_gpu_adapt_phase {
    WI_GPU_ADAPT_WATCH, /* between two checks */
    WI_GPU_ADAPT_BASE,  /* a check begins: the present size is measured */
    WI_GPU_ADAPT_TRY,   /* another size is */
    WI_GPU_ADAPT_AGAIN  /* the present size once more */
} wi_gpu_adapt_phase;

/* What a size did, and when. */
typedef struct wi_gpu_adapt_rate {
    double events_per_s, at_s;
} wi_gpu_adapt_rate;

typedef struct wi_gpu_adapt {
    uint32_t shift, shift_max; /* LP size now and at most, as powers of two */
    int fixed;                 /* the user's choice: never changes */
    uint64_t cycle_events;     /* not 0: change so often, whatever is measured */
    wi_gpu_adapt_phase phase;
    double now_s; /* since the start */
    /* The stretch under way, once `settle_s` are over. */
    uint64_t events;
    double wall_s, settle_s;
    double patience; /* how much longer than at first both last */
    /* The check under way. */
    uint32_t base;      /* the size that others are held against */
    int up;             /* towards larger sizes */
    int lost;           /* tries since the base that gained nothing clear */
    int gained;         /* this check has found a better size */
    uint32_t unsteady;  /* stretches in a row with another rate than expected */
    double trend_per_s; /* how fast the base's rate rose just before, in parts of it; 0 where it fell */
    wi_gpu_adapt_rate rate[WI_GPU_ADAPT_SHIFT_MAX + 1];
    uint64_t check_events;   /* since it left the base; */
    double check_s, moved_s; /* moved_s: of it, regrouping */
    /* The wait for the next one. */
    double wait_s, waited_s, cost_s; /* cost_s: of the last check */
} wi_gpu_adapt;

/* `lp_size`: 0, or the user's choice, a power of two. `cycle_events`: 0, or try all sizes in turn, each for
 * so many events, for tests. */
void wi_gpu_adapt_init(wi_gpu_adapt *adapt, uint32_t n_entities, uint32_t lp_size, uint64_t cycle_events);

/* So much was done in so much time with the present size. Returns whether `shift` has changed: entities must
 * be regrouped, and wi_gpu_adapt_moved called. */
int wi_gpu_adapt_measured(wi_gpu_adapt *adapt, uint64_t events, double wall_s);

/* All events have been moved, to LPs of another size or to a larger pool, which took so long. */
void wi_gpu_adapt_moved(wi_gpu_adapt *adapt, double wall_s);

/* How long a launch should last: long enough that launching costs nothing, short enough to be stopped, and
 * shorter while a check is under way. */
double wi_gpu_adapt_launch_s(const wi_gpu_adapt *adapt);
