/* What tests of the wireless model share: a run with its sums. */
#ifndef TESTS_MODELS_WIRELESS_RUN_H
#define TESTS_MODELS_WIRELESS_RUN_H

#include "diag.h"
#include "models/wireless/params.h"
#include "models/wireless/stats.h"
#include "models/usual/wireless.h"

typedef struct running {
    wi_wireless *made;
    weir_sim *sim;
    wireless_stats stats;
} running;

static inline running run(weir_diag *diag, const wireless_params *params, uint64_t seed, weir_engine engine,
                          uint32_t threads, double seconds)
{
    running r;
    weir_setup setup;
    expect_ok(diag, wi_wireless_new(diag, params, &r.made));
    wi_wireless_setup(r.made, &setup);
    setup.seed = seed;
    setup.engine = engine;
    setup.threads = threads;
    expect_ok(diag, weir_sim_new(diag, &setup, &r.sim));
    expect_ok(diag, weir_sim_run(diag, r.sim, (weir_time)(seconds * 1e12), NULL));
    expect_ok(diag, wi_wireless_stats(diag, r.sim, r.made, &r.stats));
    return r;
}

static inline void end(running r)
{
    weir_sim_free(r.sim);
    wi_wireless_free(r.made);
}

static inline wireless_params plain(void)
{
    wireless_params p;
    usual_wireless(&p);
    return p;
}

/* A channel that does not fade, with a mean SNR that `db` raises. */
static inline wireless_params steady(double tx_dbm)
{
    wireless_params p = plain();
    p.rician_k = 1e6;
    p.delay_spread_s = 0.0;
    p.tx_dbm = tx_dbm;
    return p;
}

#endif
