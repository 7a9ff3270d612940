/*
 * Which LP size the GPU engine uses (paper 003, section 4.2): sizes 1, 2, 4, ... are tried while the
 * simulation runs, each for a measured stretch, and the one with most events a second is kept, until so many
 * events have passed or the rate has drifted. Results do not depend on the size, so neither on the clock.
 *
 * Unlike the paper's engine, a trial ends early once two sizes in a row fall well behind the best: the rate
 * has one hump over sizes, and the largest sizes are the slowest to measure.
 */
#ifndef WI_ENGINE_GPU_ADAPT_H
#define WI_ENGINE_GPU_ADAPT_H

#include <stdint.h>

typedef struct wi_gpu_adapt {
    uint32_t shift, shift_max; /* LP size now and at most, as powers of two */
    int fixed;                 /* the user's choice: never changes */
    int trying;
    uint32_t best_shift, behind; /* behind: sizes in a row that fell behind the best */
    double best_rate;
    /* The stretch under way. */
    uint64_t events;
    double wall_s;
    uint64_t chosen_events; /* since the last choice */
    uint32_t drifting;      /* stretches in a row with another rate than at the choice */
} wi_gpu_adapt;

/* `lp_size`: 0, or the user's choice, a power of two. */
void wi_gpu_adapt_init(wi_gpu_adapt *adapt, uint32_t n_entities, uint32_t lp_size);

/* So much was done in so much time with the present size. Returns whether `shift` has changed. */
int wi_gpu_adapt_measured(wi_gpu_adapt *adapt, uint64_t events, double wall_s);

#endif
