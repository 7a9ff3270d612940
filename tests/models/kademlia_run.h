/* What the tests of Kademlia share: simulations of given parameters, and their counters. */
#ifndef TEST_MODELS_KADEMLIA_RUN_H
#define TEST_MODELS_KADEMLIA_RUN_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "models/kademlia/kademlia.h"

static inline void expect_ok(const weir_diag *diag, weir_status status)
{
    if (status != WEIR_OK)
        fail_msg("%s: %s", weir_status_name(status),
                 weir_diag_count(diag) ? weir_diag_get(diag, 0)->text : "no message");
}

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
    wi_kad_params_init(&p);
    return p;
}

static inline int set_up(void **state)
{
    return (*state = weir_diag_new()) ? 0 : -1;
}

static inline int tear_down(void **state)
{
    weir_diag_free(*state);
    return 0;
}

#endif
