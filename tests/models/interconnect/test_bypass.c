/*
 * An interconnect and its surrogate: in both modes every packet comes once, ping-pong never stalls, no zombie is
 * delivered, all engines agree, the suspended network comes back as it was; predictors against what they were
 * made from; periods and figures that cannot be.
 */
#include "nightly.h"
#include "interconnect_run.h"
#include "models/interconnect/bypass.h"
#include "models/usual/director.h"
#include "models/usual/interconnect.h"

typedef struct directed {
    fabric f;
    weir_diag *diag;
    wi_ic_bypass bypass;
    wi_director *director;
    weir_status status;
} directed;

static weir_time direct(void *user, weir_time now_ps)
{
    directed *d = user;
    weir_time next_ps = WEIR_TIME_MAX;
    if (d->status == WEIR_OK)
        d->status = wi_director_call(d->diag, d->director, now_ps, &next_ps);
    return next_ps;
}

static directed *direct_start(weir_diag *diag, ic_params p, const wi_director_params *how, weir_engine engine,
                              uint32_t threads)
{
    directed *d = calloc(1, sizeof *d);
    weir_setup setup;
    p.surrogate = true;
    d->diag = diag;
    expect_ok(diag, wi_ic_new(diag, &p, &d->f.ic));
    wi_ic_setup(d->f.ic, &setup);
    setup.engine = engine;
    setup.threads = threads;
    const wi_director_model model = wi_ic_bypass_model(&d->bypass);
    expect_ok(diag, wi_director_new(diag, how, &model, &d->director));
    setup.hook = direct;
    setup.hook_first_ps = wi_director_first(d->director);
    setup.user = d;
    d->f.w = wi_ic_world(d->f.ic);
    expect_ok(diag, weir_sim_new(diag, &setup, &d->f.sim));
    expect_ok(diag, wi_ic_bypass_init(diag, &d->bypass, d->f.ic, d->f.sim));
    return d;
}

static void direct_end(directed *d)
{
    wi_ic_bypass_free(&d->bypass);
    wi_director_free(d->director);
    fabric_end(d->f);
    free(d);
}

static void direct_run(directed *d, weir_time until_ps)
{
    expect_ok(d->diag, weir_sim_run(d->diag, d->f.sim, until_ps, NULL));
    expect_ok(d->diag, d->status);
    expect_ok(d->diag, weir_sim_fetch(d->diag, d->f.sim));
}

static const wi_period periods[] = {{30 * WEIR_PS_PER_US, 60 * WEIR_PS_PER_US, 20 * WEIR_PS_PER_US},
                                    {75 * WEIR_PS_PER_US, 90 * WEIR_PS_PER_US, 10 * WEIR_PS_PER_US}};

static wi_director_params two_periods(wi_surrogate_mode mode)
{
    wi_director_params how;
    usual_director(&how);
    how.mode = mode;
    how.periods = periods;
    how.n_periods = 2;
    how.always = true; /* the network is only filling then */
    return how;
}

static ic_params loaded(const ic_job *job)
{
    ic_params p;
    usual_interconnect(&p);
    p.burst = 16;
    p.jobs = job;
    p.n_jobs = 1;
    return p;
}

/* The laws at every step, and in the end all that was sent has come. */
static void every_packet_comes_once(void **state)
{
    weir_diag *diag = *state;
    for (int i = 0; i < 4; i++) {
        ic_job job;
        ic_job_init(&job);
        job.stop_ps = 100 * WEIR_PS_PER_US;
        ic_params p = loaded(&job);
        p.predictor = i / 2 ? WI_PREDICTOR_quantile : WI_PREDICTOR_mean;
        const wi_director_params how = two_periods(i % 2 ? WI_HYBRID : WI_HYBRID_LITE);
        directed *d = direct_start(diag, p, &how, WEIR_ENGINE_SEQUENTIAL, 0);
        for (weir_time t = 7 * WEIR_PS_PER_US; t < 110 * WEIR_PS_PER_US; t += 7 * WEIR_PS_PER_US) {
            direct_run(d, t);
            expect_ok(diag, wi_ic_check(diag, d->f.ic, d->f.sim));
        }
        direct_run(d, 2 * WEIR_PS_PER_MS);
        expect_ok(diag, wi_ic_check(diag, d->f.ic, d->f.sim));
        const int64_t injected = fabric_count(d->f, IC_COUNT_INJECTED),
                      predicted = fabric_count(d->f, IC_COUNT_PREDICTED);
        assert_true(predicted > 3000 && injected > 3000);
        assert_int_equal(fabric_count(d->f, IC_COUNT_PACKETS), injected + predicted);
        assert_int_equal(fabric_count(d->f, IC_COUNT_ZOMBIES), d->bypass.rescued);
        assert_true((how.mode == WI_HYBRID) == (d->bypass.rescued > 0));
        for (uint32_t r = 0; r < d->f.w->n_routers; r++)
            assert_int_equal(((ic_router *)weir_sim_state(d->f.sim, d->f.w->n_terminals + r))->waiting, 0);
        direct_end(d);
    }
}

/* The simulation advances only if every ping and pong comes: as many of one as of the other. */
static void ping_pong_never_stalls(void **state)
{
    weir_diag *diag = *state;
    for (int mode = 0; mode < 2; mode++) {
        ic_job job;
        ic_job_init(&job);
        job.pattern = IC_PING_PONG;
        job.placement = WEIR_SC_PLACE_RANDOM;
        job.message_bytes = 6000;
        ic_params p = loaded(&job);
        const wi_director_params how = two_periods((wi_surrogate_mode)mode);
        directed *d = direct_start(diag, p, &how, WEIR_ENGINE_SEQUENTIAL, 0);
        uint64_t before[72] = {0};
        for (int i = 1; i <= 3; i++) {
            direct_run(d, i * 40 * WEIR_PS_PER_US);
            for (uint32_t t = 0; t < 72; t++) {
                const uint64_t now = ((const ic_terminal *)weir_sim_state(d->f.sim, t))->messages;
                assert_true(now > before[t]);
                before[t] = now;
            }
        }
        const uint32_t *place = IC_TABLE(d->f.w, uint32_t, d->f.w->rank_terminal_at);
        for (uint32_t r = 0; r < 72; r += 2) {
            const uint64_t ping = before[place[r]], pong = before[place[r + 1]];
            assert_true(pong == ping || pong == ping + 1);
        }
        direct_end(d);
    }
}

/* Programs go on in both modes, eager messages and those that are asked for, on every engine alike; all ranks end. */
static void programs_go_on(void **state)
{
    static const job_action actions[] = {{.op = JOB_OP_COMPUTE, .time_ps = WEIR_PS_PER_US},
                                         {.op = JOB_OP_ALLREDUCE, .algorithm = JOB_DOUBLING, .bytes = 3000},
                                         {.op = JOB_OP_EXCHANGE, .bytes = 9000},
                                         {.op = JOB_OP_BARRIER}};
    weir_diag *diag = *state;
    for (int mode = 0; mode < 2; mode++) {
        uint64_t digest = 0;
        for (int e = 0; e < 4; e++) {
            static const weir_engine engines[] = {WEIR_ENGINE_SEQUENTIAL, WEIR_ENGINE_CHECK,
                                                  WEIR_ENGINE_CONSERVATIVE, WEIR_ENGINE_OPTIMISTIC};
            if (SANITIZED && mode && engines[e] == WEIR_ENGINE_CHECK) /* nine tenths of the time */
                continue;
            ic_job job;
            ic_job_init(&job);
            job.pattern = IC_PROGRAMMED;
            job.actions = actions;
            job.n_actions = 4;
            job.iterations = 4;
            job.eager_bytes = 8000;
            job.grid[0] = 8, job.grid[1] = 9;
            job.placement = WEIR_SC_PLACE_RANDOM;
            const ic_params p = loaded(&job);
            const wi_director_params how = two_periods((wi_surrogate_mode)mode);
            directed *d = direct_start(diag, p, &how, engines[e], e >= 2 ? 2 : 0);
            for (weir_time t = 20 * WEIR_PS_PER_US; t <= 400 * WEIR_PS_PER_US; t += 20 * WEIR_PS_PER_US) {
                direct_run(d, t);
                expect_ok(diag, wi_ic_check(diag, d->f.ic, d->f.sim));
            }
            const int64_t *c = weir_sim_counters(d->f.sim) + d->f.w->program_counters;
            assert_int_equal(c[IC_PROG_ENDED], 72);
            assert_int_equal(c[IC_PROG_ITERATIONS], 4 * 72);
            assert_int_equal(c[IC_PROG_MESSAGES], fabric_count(d->f, IC_COUNT_MESSAGES));
            assert_true(fabric_count(d->f, IC_COUNT_PREDICTED) > 500);
            assert_int_equal(fabric_count(d->f, IC_COUNT_PACKETS),
                             fabric_count(d->f, IC_COUNT_INJECTED) + fabric_count(d->f, IC_COUNT_PREDICTED));
            if (e == 0)
                digest = weir_sim_state_digest(d->f.sim);
            assert_int_equal(weir_sim_state_digest(d->f.sim), digest);
            direct_end(d);
        }
    }
}

static void engines_agree(void **state)
{
    weir_diag *diag = *state;
    for (int i = 0; i < 4; i++) {
        ic_job job;
        ic_job_init(&job);
        job.load = 0.7;
        ic_params p = loaded(&job);
        p.predictor = i / 2 ? WI_PREDICTOR_quantile : WI_PREDICTOR_mean;
        p.seed = 5 + (uint64_t)i;
        const wi_director_params how = two_periods(i % 2 ? WI_HYBRID : WI_HYBRID_LITE);
        uint64_t want[3] = {0};
        for (uint32_t k = 0; k <= 6; k++) {
            const uint32_t threads = (k + 1) / 2; /* each number on both engines */
            directed *d = direct_start(diag, p, &how,
                                       k == 0  ? WEIR_ENGINE_SEQUENTIAL
                                       : k % 2 ? WEIR_ENGINE_CONSERVATIVE
                                               : WEIR_ENGINE_OPTIMISTIC,
                                       threads);
            direct_run(d, 40 * WEIR_PS_PER_US);
            direct_run(d, 100 * WEIR_PS_PER_US);
            const uint64_t got[3] = {weir_sim_events(d->f.sim), weir_sim_event_digest(d->f.sim),
                                     weir_sim_state_digest(d->f.sim)};
            if (k == 0)
                memcpy(want, got, sizeof want);
            assert_memory_equal(got, want, sizeof want);
            direct_end(d);
        }
    }
}

/* What is suspended keeps its remaining delays: with all sources still, the network runs through the same states,
 * later by the time that it stood. */
static void a_suspended_network_comes_back_as_it_was(void **state)
{
    weir_diag *diag = *state;
    uint64_t hops[2];
    for (int with = 0; with < 2; with++) {
        ic_job job;
        ic_job_init(&job);
        job.stop_ps = 30 * WEIR_PS_PER_US;
        ic_params p = loaded(&job);
        wi_director_params how = two_periods(WI_HYBRID);
        how.n_periods = 1;
        directed *d = with ? direct_start(diag, p, &how, WEIR_ENGINE_SEQUENTIAL, 0) : NULL;
        fabric f = with ? d->f : fabric_start(diag, &p, WEIR_ENGINE_SEQUENTIAL, 0);
        const weir_time look_ps = 33 * WEIR_PS_PER_US + (with ? 30 * WEIR_PS_PER_US : 0);
        expect_ok(diag, weir_sim_run(diag, f.sim, look_ps, NULL));
        hops[with] = 0;
        for (uint32_t r = 0; r < f.w->n_routers; r++)
            hops[with] += ((ic_router *)weir_sim_state(f.sim, f.w->n_terminals + r))->hops;
        if (with)
            direct_end(d);
        else
            fabric_end(f);
    }
    /* Injection differs from 30 us on: terminals with a backlog go round instead. */
    assert_true(hops[1] <= hops[0] && (double)hops[1] > 0.97 * (double)hops[0]);
}

static void it_switches_by_itself(void **state)
{
    weir_diag *diag = *state;
    ic_job job[2];
    ic_job_init(&job[0]);
    job[0].n_ranks = 36;
    job[0].placement = WEIR_SC_PLACE_RANDOM;
    job[0].load = 0.4;
    job[1] = job[0];
    job[1].start_ps = 700 * WEIR_PS_PER_US; /* the change that it must see */
    ic_params p = loaded(job);
    p.n_jobs = 2;
    wi_director_params how;
    usual_director(&how);
    how.batch_ps = 20 * WEIR_PS_PER_US;
    how.tolerance = 0.1;
    directed *d = direct_start(diag, p, &how, WEIR_ENGINE_SEQUENTIAL, 0);
    direct_run(d, 1500 * WEIR_PS_PER_US);
    size_t n;
    const wi_decision *log = wi_director_log(d->director, &n);
    assert_true(n >= 3);
    assert_true(log[0].round && log[0].at_ps >= 200 * WEIR_PS_PER_US && log[0].at_ps < 500 * WEIR_PS_PER_US);
    assert_true(!log[1].round && log[1].at_ps > 700 * WEIR_PS_PER_US && log[1].at_ps <= 760 * WEIR_PS_PER_US);
    assert_string_equal(log[1].reason, "traffic changed");
    assert_true(log[2].round && log[2].latency_new_s > 0.0);
    expect_ok(diag, wi_ic_check(diag, d->f.ic, d->f.sim));
    direct_end(d);
}

/*
 * What was tracked must tell what will be (tests/surrogate/test_director.c). Of neighbours at half load it does not: the link
 * between two groups carries the flows of two, just what it can, so their queues wander. Of uniform traffic at half load it does.
 */
static void periods_want_a_settled_network(void **state)
{
    static const wi_period period = {700 * WEIR_PS_PER_US, 900 * WEIR_PS_PER_US, 400 * WEIR_PS_PER_US, {0}};
    weir_diag *diag = *state;
    for (int wanders = 0; wanders < 2; wanders++) {
        wi_director_params how = two_periods(WI_HYBRID);
        ic_job job;
        size_t n;
        ic_job_init(&job);
        job.pattern = wanders ? IC_NEIGHBOUR : IC_UNIFORM;
        job.load = 0.5;
        how.periods = &period;
        how.n_periods = 1;
        how.always = false;
        directed *d = direct_start(diag, loaded(&job), &how, WEIR_ENGINE_SEQUENTIAL, 0);
        direct_run(d, 710 * WEIR_PS_PER_US);
        const wi_decision *log = wi_director_log(d->director, &n);
        assert_int_equal(n, 1);
        assert_string_equal(log->reason, wanders ? "not settled" : "given");
        assert_true(wanders ? log->shift > 0.2 : log->shift < 0.1);
        assert_true(wanders != (fabric_count(d->f, IC_COUNT_PREDICTED) > 0));
        if (wanders)
            expect_message(diag, "latencies of single sources differ by");
        direct_end(d);
    }
}

static void predictors_keep_what_they_saw(void **state)
{
    (void)state;
    wi_seen seen = {0};
    int64_t row[1 + WI_QUANTILES];
    uint64_t random = 3;
    double sum = 0.0, drawn = 0.0;
    uint32_t below_seen = 0, below_drawn = 0;
    const weir_time mark_ps = 900000;
    for (int i = 0; i < 20000; i++) { /* two humps */
        const weir_time latency_ps = (i % 3 ? 400000 : 2000000) + rnd_below(&random, 700000);
        seen.packets++;
        seen.units += 16;
        seen.sent += i % 2;
        seen.stalled_ps += i % 2 ? 3000 : 0;
        seen.sum_ps += latency_ps;
        seen.bin[wi_seen_bin(latency_ps)]++;
        sum += (double)latency_ps;
        below_seen += latency_ps < mark_ps;
    }
    const weir_time own_ps = 16 * 1000; /* which is left out of rows */
    wi_predictor_fit(WI_PREDICTOR_mean, &seen, 1000, row);
    assert_int_equal(wi_predict_stall(row), 3000);
    assert_int_equal(wi_predict(WI_PREDICTOR_mean, row, 9), (int64_t)(sum / 20000) - own_ps);
    wi_predictor_fit(WI_PREDICTOR_quantile, &seen, 1000, row);
    for (int i = 0; i < 20000; i++) {
        const weir_time latency_ps = wi_predict(WI_PREDICTOR_quantile, row, rnd(&random)) + own_ps;
        drawn += (double)latency_ps;
        below_drawn += latency_ps < mark_ps;
    }
    assert_true(drawn / sum > 0.93 && drawn / sum < 1.07);
    assert_true(below_drawn > 0.93 * below_seen && below_drawn < 1.07 * below_seen);
    for (uint32_t b = 0; b + 1 < WI_SEEN_BINS; b++) {
        assert_int_equal(wi_seen_bin(wi_seen_bin_low(b)), b);
        assert_int_equal(wi_seen_bin(wi_seen_bin_low(b + 1) - 1), b);
    }
    assert_int_equal(wi_seen_bin(WEIR_PS_PER_S), WI_SEEN_BINS - 1);
    wi_predictor_fit(WI_PREDICTOR_constant, &seen, 1000, row);
    assert_int_equal(wi_predict(WI_PREDICTOR_constant, row, 9) + own_ps, WEIR_PS_PER_US);
    assert_int_equal(wi_predict_stall(row), 0);
}

static void expect_refused(weir_diag *diag, const wi_director_params *how, const char *text)
{
    wi_director *d;
    const wi_director_model model = {0};
    assert_int_equal(wi_director_new(diag, how, &model, &d), WEIR_E_ARG);
    expect_message(diag, text);
}

static void what_cannot_be_is_refused(void **state)
{
    weir_diag *diag = *state;
    wi_director_params how = two_periods(WI_HYBRID);
    const wi_period empty[] = {{5, 5, 1}}, overlap[] = {{50, 80, 10}, {70, 90, 1}}, early[] = {{50, 80, 51}},
                    untracked[] = {{50, 80, 0}};
    how.n_periods = 1;
    how.periods = empty;
    expect_refused(diag, &how, "period 1 is empty");
    how.periods = early;
    expect_refused(diag, &how, "period 1 tracks");
    how.periods = untracked;
    expect_refused(diag, &how, "more than none");
    how.periods = overlap;
    how.n_periods = 2;
    expect_refused(diag, &how, "before the one before it ends");
    how.n_periods = 0;
    expect_refused(diag, &how, "empty list");
    how.periods = NULL;
    how.batches = 5;
    expect_refused(diag, &how, "even number");

    /* A tracked period in which nothing was delivered. */
    ic_job job;
    ic_job_init(&job);
    job.start_ps = 50 * WEIR_PS_PER_US;
    how = two_periods(WI_HYBRID);
    directed *d = direct_start(diag, loaded(&job), &how, WEIR_ENGINE_SEQUENTIAL, 0);
    expect_ok(diag, weir_sim_run(diag, d->f.sim, 40 * WEIR_PS_PER_US, NULL));
    assert_int_equal(d->status, WEIR_E_ARG);
    expect_message(diag, "no packet was delivered while latencies were tracked");
    direct_end(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_packet_comes_once),
                                       cmocka_unit_test(ping_pong_never_stalls),
                                       cmocka_unit_test(programs_go_on),
                                       cmocka_unit_test(engines_agree),
                                       cmocka_unit_test(a_suspended_network_comes_back_as_it_was),
                                       cmocka_unit_test(it_switches_by_itself),
                                       cmocka_unit_test(periods_want_a_settled_network),
                                       cmocka_unit_test(predictors_keep_what_they_saw),
                                       cmocka_unit_test(what_cannot_be_is_refused)};
    return cmocka_run_group_tests(tests, diag_set_up, diag_tear_down);
}
