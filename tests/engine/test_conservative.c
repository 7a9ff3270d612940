/*
 * The conservative engine against the sequential one: digests, state, records in order, counters, pending
 * events, stop points, hook, stopping and faults, for any number of threads. label: threads
 */
#include "harness.h"
#include "harness.h"
#include "toy.h"

#include "weir/digest.h"

/* What a run gives, to be compared. */
typedef struct outcome {
    weir_status status;
    uint64_t events, event_digest, state_digest, records, records_digest, pending, pending_digest;
    uint64_t hooks;
    weir_time now_ps;
    char message[512];
} outcome;

typedef struct watch {
    outcome *out;
    weir_record_head last;
    weir_time hook_step_ps;
} watch;

static weir_status take_records(void *user, const weir_record_head *records, uint32_t stride, size_t n)
{
    watch *w = user;
    const unsigned char *at = (const unsigned char *)records;
    for (size_t i = 0; i < n; i++, at += stride) {
        const weir_record_head *r = (const weir_record_head *)(const void *)at;
        const weir_record_head *l = &w->last;
        const int rises = w->out->records == 0 || r->time_ps > l->time_ps ||
                          (r->time_ps == l->time_ps &&
                           (r->entity > l->entity || (r->entity == l->entity && r->number > l->number)));
        assert_true(rises);
        w->last = *r;
        w->out->records++;
        w->out->records_digest = weir_digest_bytes(w->out->records_digest, r, sizeof *r + r->bytes);
    }
    return WEIR_OK;
}

static weir_time hook(void *user, weir_time horizon)
{
    watch *w = user;
    w->out->hooks = w->out->hooks * 31 + (uint64_t)horizon;
    return horizon + w->hook_step_ps;
}

static void tally(void *user, const weir_event *e)
{
    outcome *out = user;
    out->pending++;
    out->pending_digest += weir_event_fold(e->tie, e, 0);
}

/* Run to until_ps in `steps` equal steps. */
static outcome run(weir_setup setup, weir_engine engine, uint32_t threads, weir_time until_ps, int steps,
                   weir_time hook_step_ps)
{
    outcome out = {.status = WEIR_OK};
    watch w = {.out = &out, .hook_step_ps = hook_step_ps};
    weir_diag *diag = weir_diag_new();
    setup.engine = engine;
    setup.threads = threads;
    setup.sink = take_records;
    setup.user = &w;
    setup.hook = hook_step_ps ? hook : NULL;
    setup.hook_first_ps = hook_step_ps;
    weir_sim *sim = new_sim(diag, &setup);
    for (int i = 1; i <= steps && out.status == WEIR_OK; i++)
        out.status = weir_sim_run(diag, sim, until_ps / steps * i, NULL);
    out.now_ps = weir_sim_now(sim);
    if (out.status != WEIR_OK) {
        snprintf(out.message, sizeof out.message, "%s", weir_diag_get(diag, 0)->text);
        assert_int_equal(weir_diag_count(diag), 1);
        assert_int_equal(weir_sim_run(diag, sim, until_ps, NULL), out.status);
    } else {
        expect_ok(diag, weir_sim_fetch(diag, sim));
        out.events = weir_sim_events(sim);
        out.event_digest = weir_sim_event_digest(sim);
        out.state_digest = weir_sim_state_digest(sim);
        weir_sim_pending(sim, tally, &out);
        weir_sim_memory memory;
        weir_sim_memory_use(sim, &memory);
        assert_int_equal(memory.pending_events, out.pending);
        assert_true(memory.pending_peak >= out.pending);
    }
    weir_sim_free(sim);
    weir_diag_free(diag);
    return out;
}

static void expect_same(const outcome *got, const outcome *want, uint32_t threads, const char *what)
{
    if (got->status != want->status || strcmp(got->message, want->message) != 0)
        fail_msg("%s, %u threads: %s '%s', want %s '%s'", what, threads, weir_status_name(got->status),
                 got->message, weir_status_name(want->status), want->message);
    if (want->status != WEIR_OK)
        return;
    if (got->event_digest != want->event_digest || got->state_digest != want->state_digest ||
        got->records_digest != want->records_digest || got->pending_digest != want->pending_digest)
        fail_msg("%s, %u threads: events %llu, want %llu; one of the digests differs", what, threads,
                 (unsigned long long)got->events, (unsigned long long)want->events);
    assert_int_equal(got->events, want->events);
    assert_int_equal(got->records, want->records);
    assert_int_equal(got->pending, want->pending);
    assert_int_equal(got->hooks, want->hooks);
    assert_int_equal(got->now_ps, want->now_ps);
}

static const uint32_t thread_counts[] = {1, 2, 3, 7};
enum { THREAD_COUNTS = sizeof thread_counts / sizeof thread_counts[0] };

static void gives_the_sequential_digests(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        toy t;
        toy_make(&t, seed % 2 == 0);
        t.setup.seed = seed;
        const weir_time until_ps = 600 * TOY_GRID_PS, hook_ps = seed % 3 == 0 ? 77 * TOY_GRID_PS : 0;
        const int steps = seed % 2 ? 1 : 13;
        const outcome want = run(t.setup, WEIR_ENGINE_SEQUENTIAL, 0, until_ps, steps, hook_ps);
        assert_true(want.events > 10000 && want.records > 100);
        for (int i = 0; i < THREAD_COUNTS; i++) {
            const outcome got =
                run(t.setup, WEIR_ENGINE_CONSERVATIVE, thread_counts[i], until_ps, steps, hook_ps);
            expect_same(&got, &want, thread_counts[i], "toy");
        }
    }
}

/* ---- breaking off ---- */

/* Letters later than this are a fault of the model, wherever they arrive. */
static const weir_time fault_from_ps = 300 * (weir_time)TOY_GRID_PS;

static void late_letter(weir_ctx *ctx, void *state, const weir_event *e)
{
    if (e->time_ps >= fault_from_ps)
        weir_fault(ctx, 1);
    else
        toy_letter_arrives(ctx, state, e);
}

static void hasty_tick(weir_ctx *ctx, void *state, const weir_event *e)
{
    toy_tick(ctx, state, e);
    if (e->time_ps >= fault_from_ps && ctx->entity % 3 == 1)
        weir_schedule(ctx, (ctx->entity + 7) % TOY_NODES, TOY_TICK, TOY_GRID_PS - 1);
}

/* The earliest fault in the order of events is the one that is told, whoever meets it. */
static void tells_the_earliest_fault(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++)
        for (int which = 0; which < 2; which++) {
            toy t;
            toy_make(&t, 1);
            t.setup.seed = seed;
            if (which)
                t.types[TOY_TICK].handle = hasty_tick;
            else
                t.types[TOY_LETTER].handle = late_letter;
            t.types[TOY_TICK].max_events = 6;
            const outcome want = run(t.setup, WEIR_ENGINE_SEQUENTIAL, 0, 600 * TOY_GRID_PS, 3, 0);
            assert_int_equal(want.status, WEIR_E_MODEL);
            for (int i = 0; i < THREAD_COUNTS; i++) {
                const outcome got =
                    run(t.setup, WEIR_ENGINE_CONSERVATIVE, thread_counts[i], 600 * TOY_GRID_PS, 3, 0);
                expect_same(&got, &want, thread_counts[i], which ? "delay" : "own check");
            }
        }
}

static volatile int stop_now;

static weir_status stop_at_records(void *user, const weir_record_head *records, uint32_t stride, size_t n)
{
    uint64_t *seen = user;
    (void)records, (void)stride;
    *seen += n;
    stop_now = *seen > 5000;
    return WEIR_OK;
}

/* Stopped at a consistent point, and then as if nothing had been. */
static void stops_and_goes_on(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 3; threads++) {
        toy t;
        toy_make(&t, 1);
        const weir_time until_ps = 4000 * TOY_GRID_PS;
        const outcome want = run(t.setup, WEIR_ENGINE_SEQUENTIAL, 0, until_ps, 1, 0);
        weir_diag *diag = weir_diag_new();
        uint64_t seen = 0;
        t.setup.engine = WEIR_ENGINE_CONSERVATIVE;
        t.setup.threads = threads;
        t.setup.sink = stop_at_records;
        t.setup.user = &seen;
        weir_sim *sim = new_sim(diag, &t.setup);
        stop_now = 1;
        assert_int_equal(weir_sim_run(diag, sim, until_ps, &stop_now), WEIR_E_INTERRUPTED);
        assert_int_equal(weir_sim_now(sim), 0);
        stop_now = 0;
        assert_int_equal(weir_sim_run(diag, sim, until_ps, &stop_now), WEIR_E_INTERRUPTED);
        const weir_time at_ps = weir_sim_now(sim);
        assert_true(at_ps > 0 && at_ps < until_ps);
        const uint64_t digest = weir_sim_event_digest(sim);
        weir_sim *once = new_sim(diag, &(weir_setup){t.setup.model,
                                                     t.setup.world,
                                                     t.setup.world_bytes,
                                                     {TOY_NODES, TOY_DEPOTS},
                                                     {t.world.first_slot},
                                                     3,
                                                     t.lookahead_ps,
                                                     1});
        expect_ok(diag, weir_sim_run(diag, once, at_ps, NULL));
        assert_int_equal(weir_sim_event_digest(once), digest);
        expect_ok(diag, weir_sim_run(diag, sim, until_ps, NULL));
        assert_int_equal(weir_sim_event_digest(sim), want.event_digest);
        assert_int_equal(weir_sim_state_digest(sim), want.state_digest);
        assert_int_equal(seen, want.records);
        weir_sim_free(once);
        weir_sim_free(sim);
        weir_diag_free(diag);
    }
}

static weir_status full_disk(void *user, const weir_record_head *records, uint32_t stride, size_t n)
{
    (void)user, (void)records, (void)stride, (void)n;
    return WEIR_E_IO;
}

static void a_failing_sink_ends_the_run(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 3; threads++) {
        toy t;
        toy_make(&t, 1);
        weir_diag *diag = weir_diag_new();
        t.setup.engine = WEIR_ENGINE_CONSERVATIVE;
        t.setup.threads = threads;
        t.setup.sink = full_disk;
        weir_sim *sim = new_sim(diag, &t.setup);
        assert_int_equal(weir_sim_run(diag, sim, 4000 * TOY_GRID_PS, NULL), WEIR_E_IO);
        expect_message(diag, "records could not be taken");
        assert_int_equal(weir_sim_run(diag, sim, 5000 * TOY_GRID_PS, NULL), WEIR_E_IO);
        weir_sim_free(sim);
        weir_diag_free(diag);
    }
}

/* ---- set-ups that cannot run ---- */

static void expect_refused(const weir_setup *setup, const char *text)
{
    weir_diag *diag = weir_diag_new();
    weir_sim *sim;
    assert_int_equal(weir_sim_new(diag, setup, &sim), WEIR_E_ARG);
    assert_null(sim);
    expect_message(diag, text);
    weir_diag_free(diag);
}

static void refuses_what_cannot_run(void **state)
{
    (void)state;
    toy t;
    toy_make(&t, 1);
    t.setup.engine = WEIR_ENGINE_CONSERVATIVE;
    t.setup.threads = TOY_ENTITIES + 1;
    expect_refused(&t.setup, "1 rank of 46 threads for a model that falls into 45 parts at most");
    t.setup.threads = 2;
    t.lookahead_ps[3] = 1;
    expect_refused(&t.setup, "entity 3 is at the border of two partitions with a lookahead of 1 ps");
}

/* Groups of eight nodes, each said to send to its own only, which is not true. */
static void an_event_outside_of_the_graph_is_a_fault(void **state)
{
    (void)state;
    toy t;
    uint32_t group[TOY_ENTITIES], first[TOY_ENTITIES + 1] = {0};
    toy_make(&t, 1);
    for (uint32_t e = 0; e < TOY_ENTITIES; e++)
        group[e] = e % 5;
    const weir_comm_graph comm = {.n_groups = 5, .group = group, .first = first, .target = group};
    t.setup.comm = &comm;
    const outcome got = run(t.setup, WEIR_ENGINE_CONSERVATIVE, 2, 600 * TOY_GRID_PS, 1, 0);
    assert_int_equal(got.status, WEIR_E_MODEL);
    assert_non_null(strstr(got.message, "whose group the model's graph does not name"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gives_the_sequential_digests),
                                       cmocka_unit_test(tells_the_earliest_fault),
                                       cmocka_unit_test(stops_and_goes_on),
                                       cmocka_unit_test(a_failing_sink_ends_the_run),
                                       cmocka_unit_test(refuses_what_cannot_run),
                                       cmocka_unit_test(an_event_outside_of_the_graph_is_a_fault)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
