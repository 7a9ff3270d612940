/*
 * What a surrogate delivers, against the same scenario in full detail: full and half load of patterns that saturate links, round the
 * network and after it; a program whose messages are of two sizes; that a director which watches does not flap, and knows when jobs
 * begin; and that what is sent
 * ahead counts where it is due. A small part of
 * `bench_interconnect grid` (docs/surrogate.md), with the bounds of that table.
 */
#include "scenario/run_summary.h"

enum { FROM_US = 500, UNTIL_US = 800, END_US = 1000 };

static double number(const json_t *summary, const char *key)
{
    return json_number_value(json_object_get(json_object_get(summary, "interconnect"), key));
}

typedef struct figures {
    double throughput, late_s; /* wait and latency */
} figures;

static figures figures_of(const char *text)
{
    json_t *summary = summary_of(text, NULL, 0, NULL);
    const json_t *latency = json_object_get(json_object_get(summary, "interconnect"), "latency");
    const figures f = {number(summary, "throughput_Bps"),
                       number(summary, "waited_mean_s") +
                           json_number_value(json_object_get(latency, "mean_s"))};
    json_decref(summary);
    return f;
}

/* Over a span, of which nothing before counts. */
static figures run_span(const char *job, int round, uint32_t from_us, uint32_t until_us)
{
    char text[1024];
    int n = snprintf(text, sizeof text,
                     "weir: 1\nduration: %uus\noutput: {warmup: %uus}\nmodel:\n  interconnect:\n    burst: "
                     "16\n    jobs: [{%s}]\n",
                     until_us, from_us, job);
    if (round)
        snprintf(text + n, sizeof text - (size_t)n,
                 "    surrogate: {periods: [{from: %dus, until: %dus, track: 200us}]}\n", FROM_US, UNTIL_US);
    return figures_of(text);
}

static void it_delivers_what_the_network_does(void **state)
{
    static const char *const jobs[] = {"pattern: group-shift", "pattern: permutation",
                                       "pattern: transpose, ranks: 64", "pattern: tornado, load: 50%",
                                       "pattern: uniform, load: 50%"};
    (void)state;
    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++)
        for (int after = 0; after < 2; after++) {
            const uint32_t from_us = after ? UNTIL_US : FROM_US, until_us = after ? END_US : UNTIL_US;
            const figures want = run_span(jobs[i], 0, from_us, until_us),
                          got = run_span(jobs[i], 1, from_us, until_us);
            if (fabs(got.throughput / want.throughput - 1.0) > 0.05 ||
                fabs(got.late_s / want.late_s - 1.0) > 0.10)
                fail_msg("%s, %s: %.3g B/s and %.3g s; want %.3g and %.3g", jobs[i],
                         after ? "after" : "during", got.throughput, got.late_s, want.throughput,
                         want.late_s);
        }
}

/* 16 KiB to four neighbours, then two sums of 8 B: latencies of one have nothing to do with those of the other. */
static void sizes_are_told_apart(void **state)
{
    static const char *const sets[] = {"model.interconnect.surrogate.mode=none"};
    double iteration_s[2];
    (void)state;
    for (size_t plain = 0; plain < 2; plain++) {
        json_t *summary =
            summary_of("weir: 1\nduration: 4ms\nmodel:\n  interconnect:\n    burst: 64\n    jobs:\n"
                       "      - ranks: 64\n        grid: 8x8\n        iterations: 30\n        program:\n"
                       "          - {do: exchange, message: 16KiB}\n          - {do: compute, time: 2us}\n"
                       "          - {do: allreduce, message: 8B}\n          - {do: allreduce, message: 8B}\n"
                       "    surrogate: {periods: [{from: 1ms, until: 4ms, track: 500us}]}\n",
                       sets, plain, NULL);
        const json_t *job =
            json_array_get(json_object_get(json_object_get(summary, "interconnect"), "jobs"), 0);
        iteration_s[plain] =
            json_number_value(json_object_get(json_object_get(job, "program"), "iteration_mean_s"));
        json_decref(summary);
    }
    assert_true(fabs(iteration_s[0] / iteration_s[1] - 1.0) < 0.03);
}

/* Packets that go round the network have no way: hops and non-minimal ways are of the others. */
static void ways_are_those_of_the_network(void **state)
{
    static const char *const sets[] = {"model.interconnect.surrogate.mode=none"};
    static const char *const modes[] = {"hybrid", "hybrid-lite"};
    (void)state;
    for (size_t m = 0; m < 2; m++) {
        double hops[2], detours[2];
        char text[600];
        snprintf(text, sizeof text,
                 "weir: 1\nduration: 1ms\nmodel:\n  interconnect:\n    routing: ugal\n"
                 "    jobs: [{pattern: group-shift, load: 20%%}]\n"
                 "    surrogate: {mode: %s, periods: [{from: 500us, until: 800us, track: 200us}]}\n",
                 modes[m]);
        for (size_t plain = 0; plain < 2; plain++) {
            json_t *summary = summary_of(text, sets, plain, NULL);
            hops[plain] = number(summary, "hops_mean");
            detours[plain] = number(summary, "non_minimal_share");
            json_decref(summary);
        }
        if (!(fabs(hops[0] / hops[1] - 1.0) < 0.01) || !(fabs(detours[0] - detours[1]) < 0.02))
            fail_msg("%s: %.3f routers, %.3f not minimal; want %.3f and %.3f", modes[m], hops[0], detours[0],
                     hops[1], detours[1]);
    }
}

/* Steady traffic that saturates the network: it goes, and stays, and comes back when the load ends. */
static void it_does_not_flap(void **state)
{
    (void)state;
    json_t *summary =
        summary_of("weir: 1\nduration: 2ms\nmodel:\n  interconnect:\n    burst: 16\n"
                   "    jobs: [{pattern: permutation, stop: 1ms}]\n    surrogate: {batch: 40us}\n",
                   NULL, 0, NULL);
    const json_t *surrogate = json_object_get(json_object_get(summary, "interconnect"), "surrogate"),
                 *switches = json_object_get(surrogate, "switches");
    assert_true(json_array_size(switches) >= 1 && json_array_size(switches) <= 4);
    assert_true(json_number_value(json_object_get(surrogate, "time_s")) > 0.4e-3);
    json_decref(summary);
}

/* A second job begins between two batches, and more than it can have is sent: the network is there by then, and stays there in
 * a period that has this in it. */
static void a_job_that_begins_is_simulated(void **state)
{
    (void)state;
    static const char jobs[] = "weir: 1\nduration: 2ms\nmodel:\n  interconnect:\n    burst: 16\n    jobs:\n"
                               "      - {name: a, pattern: uniform, load: 30%, ranks: 36}\n"
                               "      - {name: b, pattern: uniform, load: 60%, ranks: 36, start: 1250us}\n";
    static const char *const ways[] = {
        "", "    surrogate: {}\n",
        "    surrogate: {periods: [{from: 600us, until: 1600us, track: 300us}]}\n"};
    double late_s[3];
    for (size_t i = 0; i < 3; i++) {
        char text[1024];
        snprintf(text, sizeof text, "%s%s", jobs, ways[i]);
        late_s[i] = figures_of(text).late_s;
    }
    assert_true(fabs(late_s[1] / late_s[0] - 1.0) < 0.1);
    assert_true(late_s[2] == late_s[0]);
}

/* 1 KiB every 4 us from each of 72 terminals: 30 messages in 120 us, the same ones whether the network is gone round or not. */
static void a_warm_up_in_a_period_counts_all(void **state)
{
    static const char *const sets[] = {"model.interconnect.surrogate.mode=none"};
    double messages[2];
    (void)state;
    for (size_t plain = 0; plain < 2; plain++) {
        json_t *summary = summary_of(
            "weir: 1\nduration: 200us\noutput: {warmup: 80us}\nmodel:\n  interconnect:\n    jobs: "
            "[{pattern: permutation, message: 1KiB, load: 12.8%, arrivals: periodic}]\n    surrogate: "
            "{periods: [{track: 20us, from: 50us, until: 130us}], when: always}\n",
            sets, plain, NULL);
        const json_t *job =
            json_array_get(json_object_get(json_object_get(summary, "interconnect"), "jobs"), 0);
        messages[plain] = json_number_value(json_object_get(job, "messages"));
        json_decref(summary);
    }
    assert_true(messages[0] == 72 * 30 && messages[1] == 72 * 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_delivers_what_the_network_does),
                                       cmocka_unit_test(sizes_are_told_apart),
                                       cmocka_unit_test(ways_are_those_of_the_network),
                                       cmocka_unit_test(it_does_not_flap),
                                       cmocka_unit_test(a_job_that_begins_is_simulated),
                                       cmocka_unit_test(a_warm_up_in_a_period_counts_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
