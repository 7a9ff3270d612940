/* What the tests of interconnects share: simulations of given parameters, their counters, and a single packet. */
#ifndef TEST_MODELS_INTERCONNECT_RUN_H
#define TEST_MODELS_INTERCONNECT_RUN_H

#include "diag.h"
#include "models/interconnect/interconnect.h"
#include "splitmix.h"

typedef struct fabric {
    wi_ic *ic;
    weir_sim *sim;
    const ic_world *w;
} fabric;

static inline fabric fabric_start(weir_diag *diag, const ic_params *params, weir_engine engine,
                                  uint32_t threads)
{
    fabric f;
    weir_setup setup;
    expect_ok(diag, wi_ic_new(diag, params, &f.ic));
    wi_ic_setup(f.ic, &setup);
    setup.engine = engine;
    setup.threads = threads;
    f.w = wi_ic_world(f.ic);
    expect_ok(diag, weir_sim_new(diag, &setup, &f.sim));
    return f;
}

static inline void fabric_end(fabric f)
{
    weir_sim_free(f.sim);
    wi_ic_free(f.ic);
}

static inline void fabric_run(weir_diag *diag, fabric f, weir_time until_ps)
{
    expect_ok(diag, weir_sim_run(diag, f.sim, until_ps, NULL));
    expect_ok(diag, weir_sim_fetch(diag, f.sim));
}

/* A counter, summed over all jobs. */
static inline int64_t fabric_count(fabric f, uint32_t what)
{
    int64_t sum = 0;
    for (uint32_t j = 0; j <= f.w->n_jobs; j++)
        sum += weir_sim_counters(f.sim)[(size_t)j * IC_COUNTERS + what];
    return sum;
}

/* The same of a counter in picoseconds, which carries. */
static inline __int128 fabric_ps(fabric f, uint32_t what)
{
    return wi_ic_sum_ps(fabric_count(f, what), fabric_count(f, IC_CARRY + what));
}

/* Chunks that came in a span, as a share of what all terminals' channels could bring. */
static inline double fabric_share(fabric f, int64_t chunks, weir_time span_ps)
{
    return (double)chunks * (double)f.w->class_[IC_TERMINAL].chunk_ps / ((double)span_ps * f.w->n_terminals);
}

/* Channels of unlike speed, so that a formula cannot take one for another. */
static inline void fabric_unlike(ic_params *p)
{
    p->terminal = (ic_channel_params){.rate_bps = 20000000000u, .delay_ps = 7000, .buffer_bytes = 32768};
    p->local = (ic_channel_params){.rate_bps = 13000000000u, .delay_ps = 11000, .buffer_bytes = 16384};
    p->global = (ic_channel_params){.rate_bps = 31000000000u, .delay_ps = 313000, .buffer_bytes = 65536};
    p->router_ps = 90000;
    p->nic_ps = 41000;
}

#endif
