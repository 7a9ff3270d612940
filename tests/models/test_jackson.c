/*
 * The queueing network against theory (Jackson 1957), over loads and routings: the mean number at a station, the mean
 * time of a visit and the share of busy time within their intervals, and what arrivals find within that of a
 * geometric distribution (PASTA). And equal digests on the engines of the host.
 */
#include <math.h>

#include "diag.h"
#include "models/jackson/jackson.h"

static weir_sim *start(weir_diag *diag, const wi_uniform *jackson, weir_engine engine, uint32_t threads)
{
    weir_setup setup;
    weir_sim *sim = NULL;
    wi_uniform_setup(jackson, &setup);
    setup.seed = 42;
    setup.engine = engine;
    setup.threads = threads;
    expect_ok(diag, weir_sim_new(diag, &setup, &sim));
    return sim;
}

/* Totals over all stations as of now: customers held, and busy, times time; visits. */
static void totals(const weir_sim *sim, uint32_t n, double out[3])
{
    memset(out, 0, 3 * sizeof *out);
    for (uint32_t s = 0; s < n; s++) {
        jackson_station now = *(const jackson_station *)weir_sim_state(sim, s);
        jackson_integrate(&now, weir_sim_now(sim));
        out[0] += now.busy_ps;
        out[1] += now.customer_ps;
        out[2] += (double)now.served;
    }
}

/* Within 4 standard errors of the mean over batches of time, which are far longer than what a customer stays. */
static void expect_mean(const char *what, double sum, double squares, double n, double theory)
{
    const double mean = sum / n, error = sqrt((squares / n - mean * mean) / (n - 1.0));
    if (!(fabs(mean - theory) < 4.0 * error) || !(error < 0.05 * theory))
        fail_msg("%s: %g +- %g, theory %g", what, mean, error, theory);
}

static void as_theory_has_it(void **state)
{
    weir_diag *diag = *state;
    enum { STATIONS = 200, BATCHES = 25 };
    static const double loads[] = {0.2, 0.5, 0.8}, leaves[] = {0.1, 1.0};
    for (size_t i = 0; i < 6; i++) {
        const jackson_params p = {STATIONS, loads[i % 3], leaves[i / 3], WEIR_PS_PER_MS,
                                  300 * WEIR_PS_PER_US};
        wi_uniform *jackson = NULL;
        expect_ok(diag, wi_jackson_new(diag, &p, &jackson));
        weir_sim *sim = start(diag, jackson, WEIR_ENGINE_SEQUENTIAL, 0);
        const weir_time warm_ps = WEIR_PS_PER_S / 2, batch_ps = WEIR_PS_PER_S / 10;
        const double span = STATIONS * (double)batch_ps;
        int64_t found[JACKSON_FOUND];
        double before[3], now[3], sum[3] = {0}, squares[3] = {0}, all = 0, theory = 1 - p.load;
        expect_ok(diag, weir_sim_run(diag, sim, warm_ps, NULL));
        memcpy(found, weir_sim_counters(sim), sizeof found);
        totals(sim, STATIONS, before);
        for (int b = 1; b <= BATCHES; b++, memcpy(before, now, sizeof now)) {
            expect_ok(diag, weir_sim_run(diag, sim, warm_ps + b * batch_ps, NULL));
            totals(sim, STATIONS, now);
            const double held = now[1] - before[1];
            const double value[3] = {(now[0] - before[0]) / span, held / span,
                                     held / (now[2] - before[2]) / (double)p.service_ps};
            for (int k = 0; k < 3; k++) {
                sum[k] += value[k];
                squares[k] += value[k] * value[k];
            }
        }
        expect_mean("load", sum[0], squares[0], BATCHES, p.load);
        expect_mean("customers", sum[1], squares[1], BATCHES, p.load / (1 - p.load));
        expect_mean("visit", sum[2], squares[2], BATCHES, 1 / (1 - p.load));
        for (int k = 0; k < JACKSON_FOUND; k++)
            all += (double)(weir_sim_counters(sim)[k] - found[k]);
        for (int k = 0; k < 5; k++, theory *= p.load) {
            const double share = (double)(weir_sim_counters(sim)[k] - found[k]) / all;
            if (!(fabs(share - theory) < 0.05 * theory + 0.003))
                fail_msg("load %g: %g of all find %d, theory %g", p.load, share, k, theory);
        }
        weir_sim_free(sim);
        wi_uniform_free(jackson);
    }
}

static void engines_agree(void **state)
{
    weir_diag *diag = *state;
    static const uint32_t threads[] = {1, 2, 5};
    const jackson_params p = {60, 0.7, 0.3, WEIR_PS_PER_MS, WEIR_PS_PER_MS / 10};
    wi_uniform *jackson = NULL;
    uint64_t want = 0;
    expect_ok(diag, wi_jackson_new(diag, &p, &jackson));
    for (int i = 0; i < 5; i++) {
        weir_sim *sim = i == 0   ? start(diag, jackson, WEIR_ENGINE_SEQUENTIAL, 0)
                        : i == 1 ? start(diag, jackson, WEIR_ENGINE_CHECK, 0)
                                 : start(diag, jackson, WEIR_ENGINE_CONSERVATIVE, threads[i - 2]);
        expect_ok(diag, weir_sim_run(diag, sim, WEIR_PS_PER_S / 4, NULL));
        if (i > 0)
            assert_true(weir_sim_state_digest(sim) == want);
        want = weir_sim_state_digest(sim);
        weir_sim_free(sim);
    }
    wi_uniform_free(jackson);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_theory_has_it),
        cmocka_unit_test(engines_agree),
    };
    return cmocka_run_group_tests(tests, diag_set_up, diag_tear_down);
}
