/*
 * M/G/k queues against theory: the chance to wait and the mean wait, exact for one server (Pollaczek and Khinchine) and for exponential
 * service (Erlang's C), within four standard errors over batches of time; and Lee and Longton's wait of several servers with another
 * service within 6 %. Service times have the mean and the variability that were asked for. Equal digests on the engines of the host.
 */
#include <math.h>

#include "diag.h"
#include "models/mgk/mgk.h"

static weir_sim *start(weir_diag *diag, const wi_uniform *queues, weir_engine engine, uint32_t threads)
{
    weir_setup setup;
    weir_sim *sim = NULL;
    wi_uniform_setup(queues, &setup);
    setup.seed = 7;
    setup.engine = engine;
    setup.threads = threads;
    expect_ok(diag, weir_sim_new(diag, &setup, &sim));
    return sim;
}

/* Over all queues as of now: customers that came, that had to wait, and their time in line. */
static void totals(const weir_sim *sim, uint32_t n, double out[3])
{
    memset(out, 0, 3 * sizeof *out);
    for (uint32_t i = 0; i < n; i++) {
        mgk_queue now = *(const mgk_queue *)weir_sim_state(sim, i);
        mgk_integrate(&now, weir_sim_now(sim));
        out[0] += (double)now.came;
        out[1] += (double)now.delayed;
        out[2] += 1e-12 * now.waiting_ps;
    }
}

/* Within 4 standard errors of the mean over batches, or within the share `most` of what is no more than near. */
static void expect_mean(const char *what, const double *value, int n, double theory, double most)
{
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < n; i++) {
        sum += value[i];
        squares += value[i] * value[i];
    }
    const double mean = sum / n, error = sqrt((squares / n - mean * mean) / (n - 1.0));
    if (!(fabs(mean - theory) < 4.0 * error + most * theory) || !(error < 0.05 * theory))
        fail_msg("%s: %g +- %g, theory %g", what, mean, error, theory);
}

static void expect_theory(weir_diag *diag, const mgk_params *p, double most)
{
    enum { BATCHES = 20 };
    const mgk_theory theory = wi_mgk_theory(p);
    double before[3], now[3], delayed[BATCHES], wait_s[BATCHES];
    wi_uniform *queues = NULL;
    char what[80];
    snprintf(what, sizeof what, "%u servers, load %g, variability %g", p->servers, p->load, p->variability);
    expect_ok(diag, wi_mgk_new(diag, p, &queues));
    weir_sim *sim = start(diag, queues, WEIR_ENGINE_SEQUENTIAL, 0);
    expect_ok(diag, weir_sim_run(diag, sim, WEIR_PS_PER_S / 2, NULL));
    totals(sim, p->n_queues, before);
    for (int b = 0; b < BATCHES; b++, memcpy(before, now, sizeof now)) {
        expect_ok(diag, weir_sim_run(diag, sim, weir_sim_now(sim) + WEIR_PS_PER_S / 10, NULL));
        totals(sim, p->n_queues, now);
        delayed[b] = (now[1] - before[1]) / (now[0] - before[0]);
        wait_s[b] = (now[2] - before[2]) / (now[0] - before[0]);
    }
    expect_mean(what, delayed, BATCHES, theory.delayed, most);
    expect_mean(what, wait_s, BATCHES, theory.wait_s, most);
    weir_sim_free(sim);
    wi_uniform_free(queues);
}

static void waits_as_theory_has_it(void **state)
{
    static const double variability[] = {0.0, 0.3, 1.0, 4.0};
    for (size_t i = 0; i < 4; i++)
        expect_theory(*state, &(mgk_params){300, 1, 0.7, variability[i], WEIR_PS_PER_MS}, 0.0);
    expect_theory(*state, &(mgk_params){100, 4, 0.8, 1.0, WEIR_PS_PER_MS}, 0.0);
    expect_theory(*state, &(mgk_params){100, 3, 0.8, 0.5, WEIR_PS_PER_MS}, 0.06);
}

/* Erlang's C of 2 servers at a load of one half is 1/3, and a wait is a third of a service; of one server all is in the load. */
static void theory_is_erlangs(void **state)
{
    (void)state;
    const mgk_theory two = wi_mgk_theory(&(mgk_params){1, 2, 0.5, 1.0, WEIR_PS_PER_S});
    const mgk_theory constant = wi_mgk_theory(&(mgk_params){1, 1, 0.8, 0.0, WEIR_PS_PER_S});
    assert_true(fabs(two.delayed - 1.0 / 3.0) < 1e-12 && fabs(two.wait_s - 1.0 / 3.0) < 1e-12);
    assert_true(fabs(constant.delayed - 0.8) < 1e-12 && fabs(constant.wait_s - 2.0) < 1e-12);
}

static void engines_agree(void **state)
{
    weir_diag *diag = *state;
    static const weir_engine engines[] = {WEIR_ENGINE_SEQUENTIAL, WEIR_ENGINE_CHECK, WEIR_ENGINE_CONSERVATIVE,
                                          WEIR_ENGINE_OPTIMISTIC};
    uint64_t digest[4];
    for (size_t e = 0; e < 4; e++) {
        const mgk_params p = {50, 3, 0.9, 2.0, WEIR_PS_PER_MS};
        wi_uniform *queues = NULL;
        expect_ok(diag, wi_mgk_new(diag, &p, &queues));
        weir_sim *sim = start(diag, queues, engines[e], e < 2 ? 0 : 2);
        expect_ok(diag, weir_sim_run(diag, sim, 50 * WEIR_PS_PER_MS, NULL));
        digest[e] = weir_sim_state_digest(sim) ^ weir_sim_event_digest(sim);
        assert_int_equal(digest[e], digest[0]);
        weir_sim_free(sim);
        wi_uniform_free(queues);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_as_theory_has_it),
        cmocka_unit_test(theory_is_erlangs),
        cmocka_unit_test(engines_agree),
    };
    return cmocka_run_group_tests(tests, diag_set_up, diag_tear_down);
}
