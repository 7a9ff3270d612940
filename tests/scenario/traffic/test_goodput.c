/*
 * What a class received: bytes of a run with a warm-up are those of the run without, less those of a run that ends where
 * the warm-up does, to the byte, for flows of every way to come, on every engine. The network is
 * overloaded, so that many flows are under way at both ends.
 * label: threads
 */
#include "diag.h"

#include "scenario/csv_cell.h"
#include "scenario/folder_run.h"
#include "scenario/run_text.h"

#define NETWORK                                                                                    \
    "weir: 1\nduration: 6s\n"                                                                      \
    "topology:\n"                                                                                  \
    "  generate: {model: dumbbell, left: 4, bottleneck_rate: 10Mbps, bottleneck_delay: 5ms}\n"     \
    "  queue: {limit: 40kB}\n"                                                                     \
    "traffic:\n"                                                                                   \
    "  - {name: poisson, from: l0, to: r0, tcp: {size: {exponential: 200kB}, arrivals: {poisson: " \
    "20/s}}}\n"                                                                                    \
    "  - {name: periodic, from: [l0, l1], to: r1, tcp: {congestion: newreno, size: 90kB, "         \
    "arrivals: {periodic: 100ms}}}\n"                                                              \
    "  - {name: replies, from: l2, to: [r2, r3], tcp: {size: {pareto: {mean: 90kB, shape: 1.2}}, " \
    "request: {think: 10ms}}}\n"                                                                   \
    "  - {name: once, from: l3, to: r3, tcp: {sessions: 3, size: 2MB}}\n"                          \
    "  - {name: long, from: l3, to: r2, tcp: {congestion: bbr}}\n"

static const char *const classes[] = {"poisson", "periodic", "replies", "once", "long"};
enum { CLASSES = sizeof classes / sizeof *classes };

typedef struct received {
    uint64_t bytes[CLASSES];
} received;

static received run(const char *const *sets, size_t n_sets)
{
    received got;
    weir_diag *diag = weir_diag_new();
    weir_run_result result;
    expect_ok(diag, run_text(diag, NETWORK, WEIR_TEST_DATA, sets, n_sets, &result));
    for (size_t i = 0; i < CLASSES; i++) {
        char name[64];
        snprintf(name, sizeof name, "\"name\": \"%s\"", classes[i]);
        const char *at = strstr(result.summary_json, name);
        assert_non_null(at);
        at = strstr(at, "\"received_bytes\":");
        assert_non_null(at);
        got.bytes[i] = strtoull(strchr(at, ':') + 1, NULL, 10);
    }
    weir_run_result_free(&result);
    weir_diag_free(diag);
    return got;
}

static void warm_up_is_a_difference(void **state)
{
    (void)state;
    static const char *const engines[][2] = {{"engine.type=sequential", "engine.threads=auto"},
                                             {"engine.type=conservative", "engine.threads=2"},
                                             {"engine.type=optimistic", "engine.threads=2"}};
    static const char *const warm[][2] = {{"output.warmup=2s", "duration=2s"},
                                          {"output.warmup=4.5s", "duration=4.5s"}};
    const received all = run(NULL, 0);
    for (size_t w = 0; w < 2; w++) {
        const received before = run(&warm[w][1], 1);
        for (size_t e = 0; e < 3; e++) {
            const char *const sets[] = {warm[w][0], engines[e][0], engines[e][1]};
            const received after = run(sets, 3);
            for (size_t i = 0; i < CLASSES; i++) {
                print_message("  %s, %s, %s: %llu\n", warm[w][0], engines[e][0], classes[i],
                              (unsigned long long)after.bytes[i]);
                assert_true(before.bytes[i] > 0);
                assert_true(after.bytes[i] > 0);
                assert_int_equal(after.bytes[i], all.bytes[i] - before.bytes[i]);
            }
        }
    }
}

/* `stop` ends a flow without a size, so that it is measured until then; a transfer goes on, and over a line of 10 Mb/s
 * none is faster than its payload's part of that. */
static void a_stop_measures_what_it_ends(void **state)
{
    (void)state;
    static const char text[] =
        "weir: 1\nduration: 5s\n"
        "topology: {generate: {model: dumbbell, bottleneck_rate: 10Mbps, bottleneck_delay: 10ms}}\ntraffic:\n"
        "- {name: transfer, from: l0, to: r0, stop: 1s, tcp: {size: 10MB}}\n";
    weir_diag *diag = weir_diag_new();
    assert_non_null(scratch_make());
    static const char *const sets[][2] = {{"duration=5s", "output.warmup=0s"},
                                          {"duration=5s", "output.warmup=2s"},
                                          {"traffic.transfer.tcp={}", "traffic.transfer.stop=4s"}};
    for (size_t i = 0; i < 3; i++) {
        weir_run_result result = run_into(diag, text, "stopped", sets[i], 2);
        const double got = csv_cell(result.output_dir, "flows.csv", "class", "transfer", "goodput_bps");
        const double line = 10e6 * 1460 / 1500;
        if (!(got > 0.9 * line &&
              got <= line * (i == 2 ? 1.03 : 1.0))) /* what stands in the queue at the stop comes after it */
            fail_msg("%s: goodput %g", sets[i][1], got);
        weir_run_result_free(&result);
    }
    weir_diag_free(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(warm_up_is_a_difference),
                                       cmocka_unit_test(a_stop_measures_what_it_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
