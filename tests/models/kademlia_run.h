/* What the tests of Kademlia share: simulations of given parameters, and their counters. */
#ifndef TESTS_MODELS_KADEMLIA_RUN_H
#define TESTS_MODELS_KADEMLIA_RUN_H

#include <math.h>
#include "diag.h"
#include "models/kademlia/kademlia.h"
#include "models/usual/kademlia.h"

typedef struct running {
    wi_kad *kad;
    weir_sim *sim;
    const kad_world *w;
} running;

static inline running start(weir_diag *diag, const kad_params *params, weir_engine engine)
{
    running r;
    weir_setup setup;
    expect_ok(diag, wi_kad_new(diag, params, &r.kad));
    wi_kad_setup(r.kad, &setup);
    setup.engine = engine;
    r.w = wi_kad_world(r.kad);
    expect_ok(diag, weir_sim_new(diag, &setup, &r.sim));
    return r;
}

static inline void end(running r)
{
    weir_sim_free(r.sim);
    wi_kad_free(r.kad);
}

static inline int64_t count(running r, uint32_t counter)
{
    return weir_sim_counters(r.sim)[counter];
}

static inline int64_t of_kind(running r, uint32_t kind, uint32_t what)
{
    return count(r, kad_kind_counter(kind, what));
}

static inline kad_params defaults(void)
{
    kad_params p;
    usual_kademlia(&p);
    return p;
}

#endif
