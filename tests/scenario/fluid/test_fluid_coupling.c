/*
 * label: slow statistics
 *
 * Batches of many steps against lockstep: half of the sessions as packets, half as fluid, over a drop-tail queue. How they share
 * the line, and that it is full, must not hang on how many steps the fluid runs ahead.
 */
#include <math.h>

#include "nightly.h"
#include "scenario/net_run.h"
#include "scenario/run_summary.h"

typedef struct mix {
    const char *rate, *queue;
    int delay_ms, each;
} mix;

/* log: of what packets get over what fluid gets; both: goodput of all. Means of three seeds. */
typedef struct shared {
    double log, both_bps;
} shared;

static shared run_mix(const mix *m, const char *fluid)
{
    shared sum = {0.0, 0.0};
    for (int seed = 1; seed <= 3; seed++) {
        char text[1024];
        const int n = snprintf(
            text, sizeof text,
            "weir: 1\nduration: 40s\nseed: %d\n"
            "topology: {generate: {model: dumbbell, left: 1, bottleneck_rate: %s, bottleneck_delay: %dms, "
            "access_rate: 1Gbps, access_delay: 1ms}, queue: {limit: %s}}\n"
            "output: {warmup: 10s}\nfluid: {device: cpu, %s}\n"
            "traffic: [{name: f, from: l0, to: r0, fidelity: {packet: %d, fluid: rest}, start: {uniform: "
            "[0s, "
            "2s]},\n           tcp: {congestion: newreno, sessions: %d}}]\n",
            seed, m->rate, m->delay_ms, m->queue, fluid, m->each, 2 * m->each);
        assert_true(n > 0 && (size_t)n < sizeof text);
        json_t *summary = summary_of(text, NULL, 0, NULL);
        const double packets = class_number(summary, 0, "packet", "goodput_bps");
        const double rest = class_number(summary, 0, "fluid", "goodput_bps");
        json_decref(summary);
        sum.log += log(packets / rest) / 3.0;
        sum.both_bps += (packets + rest) / 3.0;
    }
    return sum;
}

/* Over what lockstep gives packets have 0.93 to 1.06 times as much. Lines are as full within 0.1 %, but over queues that few
 * sessions empty (0.991; packets alone leave more of it). docs/fluid.md says why. */
static void batches_share_as_lockstep_does(void **state)
{
    (void)state;
    static const mix mixes[] = {{"40Mbps", "60kB", 20, 5},  {"40Mbps", "200kB", 20, 5},
                                {"40Mbps", "60kB", 20, 20}, {"40Mbps", "200kB", 20, 20},
                                {"10Mbps", "50kB", 35, 5},  {"10Mbps", "50kB", 35, 20},
                                {"10Mbps", "100kB", 35, 5}, {"10Mbps", "100kB", 35, 20}};
    static const char *const batches[] = {"coupling: lockstep, lookahead: 4", "coupling: async, batch: 4",
                                          "coupling: async, batch: 20", "coupling: async"};
    for (size_t i = 0; i < sizeof mixes / sizeof *mixes; i++) {
        if (!is_run(i, 0, 5)) /* few and many sessions, short and long queues, both rates */
            continue;
        const shared lockstep = run_mix(&mixes[i], "coupling: lockstep");
        for (size_t b = 0; b < sizeof batches / sizeof *batches; b++) {
            const shared s = run_mix(&mixes[i], batches[b]);
            const double share = exp(s.log - lockstep.log), line = s.both_bps / lockstep.both_bps;
            print_message("  %s, %s, %d each, %s: packets' share %.2f of %.2f, line %.3f\n", mixes[i].rate,
                          mixes[i].queue, mixes[i].each, batches[b], exp(s.log), exp(lockstep.log), line);
            if (!(share > 0.88 && share < 1.13 && line > 0.985 && line < 1.01))
                fail_msg("a batch of many steps shares otherwise: %g, line %g", share, line);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(batches_share_as_lockstep_does)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
