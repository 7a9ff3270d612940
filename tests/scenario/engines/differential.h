/*
 * Scenarios of seeds on every engine of the host: the sequential engine's events and digests from the check
 * engine, from one to seven threads of the conservative and the optimistic one, and, where MPI is, from two and three ranks (some tests: four); the
 * optimistic one also with random delays of threads, messages and stop points. Ranks are started once for all scenarios.
 * A test defines `differ`, its scenarios, before it calls differential_main:
 *
 *     scenario_test_... [FIRST_SEED COUNT]
 */
#ifndef TESTS_SCENARIO_ENGINES_DIFFERENTIAL_H
#define TESTS_SCENARIO_ENGINES_DIFFERENTIAL_H

#include "nightly.h"
#include "diag.h"
#include "scenario/run_text.h"
#include "over_ranks.h"

#include "weir/ranks.h"

enum { TEXT = 4096 };
enum { COUNT = SANITIZED ? 6 : 15, COUNT_BY_NIGHT = 100 }; /* by night all of them over ranks too */
static const double CHECK_BYTES = 2e9;                     /* events times bytes of state: about a second */

typedef struct differential {
    const char *name;
    void (*write)(uint64_t seed, char *text, size_t size); /* the scenario of a seed, without its engine */
    uint64_t check_one_of;                                 /* at least, that the check engine has time for */
    uint64_t stress_every;                                 /* over ranks, where delays take seconds */
    uint64_t count_ranks; /* of COUNT, over ranks: ranks that share cores wait for each other */
    int ranks;            /* at most; 0: three */
} differential;

static const differential differ;

static uint64_t first_seed = 1, count = COUNT;

typedef struct outcome {
    uint64_t event, state, events;
} outcome;

/* What the last run had in states, by its summary. */
static double state_bytes;

static double bytes_of(const weir_run_result *result)
{
    const char *const at = result->summary_json ? strstr(result->summary_json, "\"state_bytes\": ") : NULL;
    assert_non_null(at);
    return strtod(at + strlen("\"state_bytes\": "), NULL);
}

static outcome run(const char *text, const char *engine, uint32_t threads)
{
    char all[TEXT + 100];
    weir_diag *diag = weir_diag_new();
    weir_run_result result;
    snprintf(all, sizeof all, "%sengine: {type: %s, threads: %u}\n", text, engine, threads);
    const weir_status status = run_text(diag, all, WEIR_TEST_DATA, NULL, 0, &result);
    if (status != WEIR_OK) {
        print_messages(diag);
        fail_msg("%s of\n%s", weir_status_name(status), all);
    }
    const outcome out = {result.event_digest, result.state_digest, result.events};
    state_bytes = bytes_of(&result);
    weir_run_result_free(&result);
    weir_diag_free(diag);
    return out;
}

static void expect_same(const outcome *got, const outcome *want, const char *engine, uint32_t n,
                        uint64_t seed)
{
    char text[TEXT];
    if (memcmp(got, want, sizeof *got) == 0)
        return;
    differ.write(seed, text, sizeof text);
    fail_msg(
        "seed %llu, %s, %u: %llu events, want %llu; digests %016llx %016llx, want %016llx %016llx, of\n%s",
        (unsigned long long)seed, engine, n, (unsigned long long)got->events,
        (unsigned long long)want->events, (unsigned long long)got->event, (unsigned long long)got->state,
        (unsigned long long)want->event, (unsigned long long)want->state, text);
}

/* The optimistic engine with another bound, another GVT and another window for each seed, tiny ones and none. */
static void expect_optimistic(const char *text, const outcome *want, uint64_t seed)
{
    static const char *const tunings[] = {"optimistic",
                                          "optimistic, memory: 100kB",
                                          "optimistic, gvt-events: 1, memory: 1MB",
                                          "optimistic, window: 10us",
                                          "optimistic, memory: 8GB, gvt-events: 100000",
                                          "optimistic, window: 1ps, gvt-events: 16",
                                          "optimistic, memory: 30kB, window: 1ms"};
    const char *const tuning = tunings[seed % (sizeof tunings / sizeof tunings[0])];
    const uint32_t n = 2 + (uint32_t)(seed % 6);
    const outcome got = run(text, tuning, n);
    expect_same(&got, want, tuning, n, seed);
}

/* Threads and messages are late at random: of an odd number all in one thread, so that a failure repeats. */
static void expect_stressed(const char *text, const outcome *want, uint64_t seed, uint64_t number, uint32_t n)
{
    char tuning[64];
    snprintf(tuning, sizeof tuning, "optimistic, stress: %llu", (unsigned long long)number);
    const outcome got = run(text, tuning, n);
    expect_same(&got, want, tuning, n, seed);
}

/* The check engine hashes all state with every event: it has the scenarios where that is soon done. */
static void threads_and_check(void **state)
{
    uint64_t checks = 0;
    (void)state;
    for (uint64_t seed = first_seed; seed < first_seed + count; seed++) {
        char text[TEXT];
        differ.write(seed, text, sizeof text);
        const outcome want = run(text, "sequential", 1);
        const uint32_t some = 1 + (uint32_t)(seed % 7);
        if ((double)want.events * state_bytes < CHECK_BYTES) {
            const outcome checked = run(text, "check", 1);
            expect_same(&checked, &want, "check", 1, seed);
            checks++;
        }
        for (uint32_t threads = 2; threads <= 7; threads += 5) {
            const uint32_t n = threads == 7 ? some : threads;
            const outcome got = run(text, "conservative", n);
            expect_same(&got, &want, "threads", n, seed);
        }
        expect_optimistic(text, &want, seed);
        expect_stressed(text, &want, seed, seed + 1, 2 + (uint32_t)(seed / 2 % 4));
    }
    print_message("  %llu of %llu scenarios checked\n", (unsigned long long)checks,
                  (unsigned long long)count);
    assert_true(count < COUNT || checks >= count / differ.check_one_of);
}

/* ---- ranks: the wanted outcomes come from the process that starts them ---- */

static void as_a_rank(void **state)
{
    (void)state;
    FILE *f = fopen(getenv("WEIR_TEST_WANTED"), "rb");
    assert_non_null(f);
    assert_int_equal(fread(&first_seed, sizeof first_seed, 1, f), 1);
    outcome want;
    for (uint64_t seed = first_seed; fread(&want, sizeof want, 1, f) == 1; seed++) {
        char text[TEXT];
        differ.write(seed, text, sizeof text);
        const outcome got = run(text, "conservative", 1 + (uint32_t)(seed % 2));
        expect_same(&got, &want, "ranks", weir_ranks(), seed);
        const outcome ahead = run(text, "optimistic", 1 + (uint32_t)(seed % 2));
        expect_same(&ahead, &want, "optimistic, ranks", weir_ranks(), seed);
        if (seed % differ.stress_every == 0)
            expect_stressed(text, &want, seed, seed + 1, 1 + (uint32_t)(seed % 2));
        if ((seed - first_seed) % 100 == 99 && weir_rank() == 0)
            print_message("  %llu scenarios on %u ranks\n", (unsigned long long)(seed - first_seed + 1),
                          weir_ranks());
    }
    fclose(f);
}

static void on_ranks(int n)
{
    char wanted[64], log[64], variable[96];
    snprintf(wanted, sizeof wanted, "%s-%d.wanted", differ.name, n);
    snprintf(log, sizeof log, "%s-%d.log", differ.name, n);
    FILE *f = fopen(wanted, "wb");
    assert_non_null(f);
    const uint64_t by_day = SANITIZED && differ.count_ranks > 2 ? 2 : differ.count_ranks;
    const uint64_t few = count == COUNT ? by_day : count;
    fwrite(&first_seed, sizeof first_seed, 1, f);
    for (uint64_t seed = first_seed; seed < first_seed + few; seed++) {
        char text[TEXT];
        differ.write(seed, text, sizeof text);
        const outcome want = run(text, "sequential", 1);
        fwrite(&want, sizeof want, 1, f);
    }
    fclose(f);
    snprintf(variable, sizeof variable, "WEIR_TEST_WANTED=%s", wanted);
    /* What each rank's memory held before must not matter: they compare what they have built. */
    run_over_ranks(n, variable, 600 + 6 * (unsigned)few,
                   "env sh -c 'MALLOC_PERTURB_=$((OMPI_COMM_WORLD_RANK * 77 + 1)) exec \"$0\"'", log);
}

static void two_ranks(void **state)
{
    (void)state;
    on_ranks(2);
}

static void three_ranks(void **state)
{
    (void)state;
    on_ranks(3);
}

static void four_ranks(void **state)
{
    (void)state;
    if (differ.ranks >= 4)
        on_ranks(4);
}

static int differential_main(int argc, char **argv)
{
    if (getenv("WEIR_TEST_WANTED")) {
        weir_diag *diag = weir_diag_new();
        const struct CMUnitTest tests[] = {cmocka_unit_test(as_a_rank)};
        const int failed =
            weir_ranks_begin(diag) != WEIR_OK || cmocka_run_group_tests(tests, NULL, NULL) != 0;
        weir_diag_free(diag);
        weir_ranks_end();
        return failed;
    }
    if (argc == 3) {
        first_seed = strtoull(argv[1], NULL, 10);
        count = strtoull(argv[2], NULL, 10);
    } else if (nightly()) {
        count = COUNT_BY_NIGHT;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_and_check), cmocka_unit_test(two_ranks),
                                       cmocka_unit_test(three_ranks), cmocka_unit_test(four_ranks)};
    return test_result(cmocka_run_group_tests(tests, NULL, NULL));
}

#endif
