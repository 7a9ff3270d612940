/*
 * PHOLD: its population stays, its delays and targets follow the stated distributions, its digests are the
 * pinned ones, and it keeps the model contract. label: bits
 */
#include <math.h>
#include "diag.h"
#include "models/phold/phold.h"
#include "models/usual/phold.h"

typedef struct running {
    wi_uniform *phold;
    weir_sim *sim;
} running;

static running start(weir_diag *diag, const phold_params *params, uint64_t seed, weir_engine engine)
{
    running r;
    weir_setup setup;
    expect_ok(diag, wi_phold_new(diag, params, &r.phold));
    wi_uniform_setup(r.phold, &setup);
    setup.seed = seed;
    setup.engine = engine;
    expect_ok(diag, weir_sim_new(diag, &setup, &r.sim));
    return r;
}

static void end(running r)
{
    weir_sim_free(r.sim);
    wi_uniform_free(r.phold);
}

/* What is pending: how many at home, how many away, and the sum of what is left of their delays. */
typedef struct census {
    uint64_t n, away;
    double ahead_ps;
    weir_time now_ps;
} census;

static void count(void *user, const weir_event *e)
{
    census *c = user;
    c->n++;
    c->away += e->target != e->source;
    c->ahead_ps += (double)(e->time_ps - c->now_ps);
}

/*
 * In the long run a delay found pending is length-biased: with D = L + Exp(M), the mean of what is left of it
 * is E[D^2] / (2 E[D]) = ((L + M)^2 + M^2) / (2 (L + M)), and events come at N / (L + M) per unit of time.
 * With L = M = 1 us: 1.25 us and N / 2 us. Of N = 50,000 the standard errors are below 0.5 %; 2 % is asked.
 */
static void follows_its_distributions(void **state)
{
    weir_diag *diag = *state;
    phold_params params;
    usual_phold(&params);
    params.n_entities = 5000;
    params.events_per_entity = 10;
    params.remote_share = 0.3;
    const running r = start(diag, &params, 7, WEIR_ENGINE_SEQUENTIAL);
    const weir_time warm_ps = 20 * WEIR_PS_PER_US, end_ps = 40 * WEIR_PS_PER_US;
    expect_ok(diag, weir_sim_run(diag, r.sim, warm_ps, NULL));
    const uint64_t warm = weir_sim_events(r.sim);
    expect_ok(diag, weir_sim_run(diag, r.sim, end_ps, NULL));
    const double events = (double)(weir_sim_events(r.sim) - warm);
    assert_true(fabs(events / (50000.0 * 20 / 2) - 1) < 0.01);
    census c = {.now_ps = end_ps};
    assert_int_equal(weir_sim_pending(NULL, r.sim, count, &c), WEIR_OK);
    assert_int_equal(c.n, 50000);
    assert_true(fabs((double)c.away / 50000 - 0.3) < 0.01);
    assert_true(fabs(c.ahead_ps / 50000 / 1.25e6 - 1) < 0.02);
    uint64_t handled = 0;
    for (uint32_t e = 0; e < params.n_entities; e++)
        handled += ((const phold_entity *)weir_sim_state(r.sim, e))->handled;
    assert_int_equal(handled, weir_sim_events(r.sim));
    end(r);
}

/* With two entities and all hops remote, each event goes to the other one. */
static void remote_is_never_oneself(void **state)
{
    weir_diag *diag = *state;
    phold_params params;
    usual_phold(&params);
    params.n_entities = 2;
    params.events_per_entity = 50;
    params.remote_share = 1;
    const running r = start(diag, &params, 1, WEIR_ENGINE_SEQUENTIAL);
    expect_ok(diag, weir_sim_run(diag, r.sim, 100 * WEIR_PS_PER_US, NULL));
    census c = {0};
    assert_int_equal(weir_sim_pending(NULL, r.sim, count, &c), WEIR_OK);
    assert_int_equal(c.n, 100);
    assert_int_equal(c.away, 100);
    end(r);
}

static void alone_and_empty(void **state)
{
    weir_diag *diag = *state;
    phold_params params;
    usual_phold(&params);
    params.n_entities = 1;
    params.remote_share = 0;
    params.mean_ps = 0; /* every delay is the lookahead */
    params.lookahead_ps = 1;
    running r = start(diag, &params, 1, WEIR_ENGINE_SEQUENTIAL);
    expect_ok(diag, weir_sim_run(diag, r.sim, 1000, NULL));
    assert_int_equal(weir_sim_events(r.sim), 1000); /* at 0, 1, ... 999 */
    end(r);
    params.events_per_entity = 0;
    r = start(diag, &params, 1, WEIR_ENGINE_SEQUENTIAL);
    expect_ok(diag, weir_sim_run(diag, r.sim, 1000, NULL));
    assert_int_equal(weir_sim_events(r.sim), 0);
    end(r);
}

/* The same on every machine. A change here changes every published number: say so in the changelog. */
static void digests_are_pinned(void **state)
{
    weir_diag *diag = *state;
    phold_params params;
    usual_phold(&params);
    params.n_entities = 1000;
    params.events_per_entity = 4;
    const running r = start(diag, &params, 42, WEIR_ENGINE_SEQUENTIAL);
    expect_ok(diag, weir_sim_run(diag, r.sim, 50 * WEIR_PS_PER_US, NULL));
    assert_int_equal(weir_sim_events(r.sim), 98352);
    assert_int_equal(weir_sim_event_digest(r.sim), UINT64_C(0x0fcde9305a4998f0));
    assert_int_equal(weir_sim_state_digest(r.sim), UINT64_C(0x87a3b9e2e480ba7a));
    end(r);
}

static void keeps_the_contract(void **state)
{
    weir_diag *diag = *state;
    static const weir_time lookahead_ps[] = {1, WEIR_PS_PER_NS, WEIR_PS_PER_US};
    for (size_t i = 0; i < sizeof lookahead_ps / sizeof lookahead_ps[0]; i++) {
        phold_params params;
        usual_phold(&params);
        params.n_entities = 100;
        params.events_per_entity = 5;
        params.lookahead_ps = lookahead_ps[i];
        const running plain = start(diag, &params, 3, WEIR_ENGINE_SEQUENTIAL);
        const running checked = start(diag, &params, 3, WEIR_ENGINE_CHECK);
        expect_ok(diag, weir_sim_run(diag, plain.sim, 50 * WEIR_PS_PER_US, NULL));
        expect_ok(diag, weir_sim_run(diag, checked.sim, 50 * WEIR_PS_PER_US, NULL));
        assert_int_equal(weir_sim_event_digest(plain.sim), weir_sim_event_digest(checked.sim));
        assert_int_equal(weir_sim_state_digest(plain.sim), weir_sim_state_digest(checked.sim));
        end(plain);
        end(checked);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_its_distributions), cmocka_unit_test(remote_is_never_oneself),
        cmocka_unit_test(alone_and_empty),           cmocka_unit_test(digests_are_pinned),
        cmocka_unit_test(keeps_the_contract),
    };
    return cmocka_run_group_tests(tests, diag_set_up, diag_tear_down);
}
