/*
 * The conservative engine against the sequential one: digests, state, records in order, counters, pending
 * events, stop points, hook, stopping and faults, for any number of threads. label: threads
 */
#include "threaded.h"

static const threaded_engine threaded = {.engine = WEIR_ENGINE_CONSERVATIVE,
                                         .threads = {1, 2, 3, 7},
                                         .n_threads = 4,
                                         .fault_seeds = 4,
                                         .fault_until = 600,
                                         .stop_records = 5000,
                                         .stop_until = 4000,
                                         .least_threads = 1};

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
        for (int i = 0; i < threaded.n_threads; i++) {
            const outcome got =
                run(t.setup, WEIR_ENGINE_CONSERVATIVE, threaded.threads[i], until_ps, steps, hook_ps);
            expect_same(&got, &want, threaded.threads[i], "toy");
        }
    }
}

/* ---- set-ups that cannot run ---- */

static void call_it(void *user, uint32_t entity, char *text, size_t size)
{
    snprintf(text, size, "%s %u", (const char *)user, entity);
}

/* More threads than entities: as many as there are, and a word about it. */
static void refuses_what_cannot_run(void **state)
{
    (void)state;
    toy t;
    toy_make(&t, 1);
    t.setup.engine = WEIR_ENGINE_CONSERVATIVE;
    t.setup.threads = UINT16_MAX + 1;
    expect_refused(&t.setup, "1 ranks of 65536 threads; the most is 65535 threads in all");
    t.setup.threads = 2;
    t.lookahead_ps[3] = 1;
    expect_refused(
        &t.setup,
        "entity 3 is at the border of two partitions with a lookahead of 1 ps, and the conservative engine "
        "needs 1000 there");
    t.setup.name = call_it;
    t.setup.user = "Ann";
    expect_refused(&t.setup, "model 'toy': entity 3 (node Ann 3) is at the border");
    t.lookahead_ps[3] = TOY_GRID_PS;
    t.lookahead_ps[TOY_NODES] = 999;
    expect_refused(&t.setup, "(depot Ann 40) is at the border of two partitions with a lookahead of 999 ps");
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(gives_the_sequential_digests), THREADED_TESTS,
                                       cmocka_unit_test(refuses_what_cannot_run),
                                       cmocka_unit_test(an_event_outside_of_the_graph_is_a_fault)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
