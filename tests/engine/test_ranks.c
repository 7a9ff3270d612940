/*
 * Ranks: the program starts itself under mpirun, on one to three ranks of one or two threads, and each rank
 * compares what it reads with a sequential run of its own. Skips aloud without MPI or mpirun. label: slow
 */
#include "outcome.h"

#include "nightly.h"
#include "over_ranks.h"
#include "weir/ranks.h"

/* ---- inside ---- */

static void same_digests_on_ranks(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++)
        for (uint32_t threads = 1; threads <= 2; threads++) {
            if (SANITIZED && seed % 2 != threads % 2)
                continue;
            toy t;
            toy_make(&t, seed % 2 == 0);
            t.setup.seed = seed;
            const weir_time until_ps = 300 * TOY_GRID_PS, hook_ps = seed == 3 ? 77 * TOY_GRID_PS : 0;
            outcome want = run(t.setup, WEIR_ENGINE_SEQUENTIAL, 0, until_ps, 5, hook_ps);
            const outcome got = run(t.setup, WEIR_ENGINE_CONSERVATIVE, threads, until_ps, 5, hook_ps);
            if (weir_rank() > 0) { /* records are handed out on rank 0 alone */
                assert_int_equal(got.records, 0);
                want.records = want.records_digest = 0;
            }
            expect_same(&got, &want, threads, "ranks");
        }
}

/* Time Warp between ranks, with tiny bounds and delays at random too. */
static void optimistic_digests_on_ranks(void **state)
{
    (void)state;
    static const weir_optimistic_options options[] = {{0},
                                                      {.stress = 1},
                                                      {.memory_bytes = 40000, .stress = 2},
                                                      {.gvt_events = 1},
                                                      {.window_ps = 1, .stress = 3}};
    for (uint64_t seed = 1; seed <= 5; seed++)
        for (uint32_t threads = 1; threads <= 2; threads++) {
            if (SANITIZED && seed % 2 != threads % 2)
                continue;
            toy t;
            toy_make(&t, seed % 2 == 0);
            t.setup.seed = seed;
            t.setup.optimistic = options[seed - 1];
            const weir_time until_ps = 100 * TOY_GRID_PS, hook_ps = seed == 3 ? 27 * TOY_GRID_PS : 0;
            outcome want = run(t.setup, WEIR_ENGINE_SEQUENTIAL, 0, until_ps, 3, hook_ps);
            const outcome got = run(t.setup, WEIR_ENGINE_OPTIMISTIC, threads, until_ps, 3, hook_ps);
            if (weir_rank() > 0)
                want.records = want.records_digest = 0;
            expect_same(&got, &want, threads, "optimistic");
        }
}

/* A session cuts its run into pieces by the wall clock, so the pieces of two ranks differ where a machine is busy: the
 * hook is called at its horizon all the same, on every rank. */
static void ranks_stop_at_times_of_their_own(void **state)
{
    (void)state;
    static const int steps[] = {4, 5, 12};
    static const weir_engine engines[] = {WEIR_ENGINE_CONSERVATIVE, WEIR_ENGINE_OPTIMISTIC};
    for (uint64_t seed = 1; seed <= 4; seed++)
        for (int e = 0; e < 2; e++) {
            toy t;
            toy_make(&t, seed % 2 == 0);
            t.setup.seed = seed;
            t.setup.optimistic.stress = seed;
            const weir_time until_ps = 120 * TOY_GRID_PS,
                            hook_ps = seed < 4 ? 11 * TOY_GRID_PS : 10 * TOY_GRID_PS;
            outcome want = run(t.setup, WEIR_ENGINE_SEQUENTIAL, 0, until_ps, 1, hook_ps);
            const outcome got =
                run(t.setup, engines[e], 1, until_ps, steps[(weir_rank() + seed) % 3], hook_ps);
            if (weir_rank() > 0)
                want.records = want.records_digest = 0;
            expect_same(&got, &want, 1, "pieces of its own");
        }
}

static void an_optimistic_fault_ends_all_ranks(void **state)
{
    (void)state;
    toy t;
    toy_make(&t, 1);
    t.types[TOY_LETTER].handle = late_letter;
    const outcome want = run(t.setup, WEIR_ENGINE_SEQUENTIAL, 0, 400 * TOY_GRID_PS, 2, 0);
    const outcome got = run(t.setup, WEIR_ENGINE_OPTIMISTIC, 1, 400 * TOY_GRID_PS, 2, 0);
    expect_same(&got, &want, 1, "fault");
}

/* All ranks end, with the message of the earliest fault, whichever rank had it. */
static void a_fault_ends_all_ranks(void **state)
{
    (void)state;
    toy t;
    toy_make(&t, 1);
    t.types[TOY_LETTER].handle = late_letter;
    const outcome want = run(t.setup, WEIR_ENGINE_SEQUENTIAL, 0, 600 * TOY_GRID_PS, 2, 0);
    const outcome got = run(t.setup, WEIR_ENGINE_CONSERVATIVE, 1, 600 * TOY_GRID_PS, 2, 0);
    expect_same(&got, &want, 1, "fault");
}

static weir_status full_disk(void *user, const weir_record_head *records, uint32_t stride, size_t n)
{
    (void)user, (void)records, (void)stride, (void)n;
    return WEIR_E_IO;
}

/* A sink that fails on rank 0 ends the others too. */
static void a_failing_sink_ends_all_ranks(void **state)
{
    (void)state;
    toy t;
    toy_make(&t, 1);
    weir_diag *diag = weir_diag_new();
    t.setup.engine = WEIR_ENGINE_CONSERVATIVE;
    t.setup.threads = 1;
    t.setup.sink = weir_rank() == 0 ? full_disk : NULL;
    weir_sim *sim = new_sim(diag, &t.setup);
    assert_int_equal(weir_sim_run(diag, sim, 3000 * TOY_GRID_PS, NULL), WEIR_E_IO);
    weir_sim_free(sim);
    weir_diag_free(diag);
}

static void ranks_agree(void **state)
{
    (void)state;
    weir_diag *diag = weir_diag_new();
    const uint32_t last = weir_ranks() - 1;
    assert_int_equal(weir_ranks_agree(diag, WEIR_OK), WEIR_OK);
    const weir_status mine =
        weir_rank() == last ? weir_fail(diag, WEIR_E_NOMEM, "no room on the last") : WEIR_OK;
    assert_int_equal(weir_ranks_agree(diag, mine), WEIR_E_NOMEM);
    if (weir_rank() == 0)
        expect_message(diag, "no room on the last");
    weir_diag_free(diag);
}

static void runs_on_fewer_threads(void **state)
{
    (void)state;
    toy t;
    toy_make(&t, 1);
    weir_diag *diag = weir_diag_new();
    t.setup.engine = WEIR_ENGINE_CONSERVATIVE;
    t.setup.threads = 40;
    weir_sim *sim = new_sim(diag, &t.setup);
    expect_message(diag, "40 threads are asked for on each rank, and the model falls into 45 parts at most");
    weir_sim_free(sim);
    weir_diag_free(diag);
}

static int inside(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_digests_on_ranks),
                                       cmocka_unit_test(optimistic_digests_on_ranks),
                                       cmocka_unit_test(ranks_stop_at_times_of_their_own),
                                       cmocka_unit_test(an_optimistic_fault_ends_all_ranks),
                                       cmocka_unit_test(a_fault_ends_all_ranks),
                                       cmocka_unit_test(a_failing_sink_ends_all_ranks),
                                       cmocka_unit_test(ranks_agree),
                                       cmocka_unit_test(runs_on_fewer_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* ---- outside ---- */

static void two(void **state)
{
    (void)state;
    run_over_ranks(2, "WEIR_TEST_INSIDE=1", 600, "", "ranks.log");
}

static void three(void **state)
{
    (void)state;
    run_over_ranks(3, "WEIR_TEST_INSIDE=1", 600, "", "ranks.log");
}

int main(void)
{
    weir_diag *diag = weir_diag_new();
    const int child = getenv("WEIR_TEST_INSIDE") != NULL;
    const weir_status status = child ? weir_ranks_begin(diag) : WEIR_OK;
    const size_t n = weir_diag_count(diag);
    if (status != WEIR_OK)
        fprintf(stderr, "%s\n", n ? weir_diag_get(diag, 0)->text : "weir_ranks_begin failed");
    weir_diag_free(diag);
    if (child) {
        const int failed = status != WEIR_OK || inside();
        weir_ranks_end();
        return failed;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(two), cmocka_unit_test(three)};
    return test_result(cmocka_run_group_tests(tests, NULL, NULL));
}
