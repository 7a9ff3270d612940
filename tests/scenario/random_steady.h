/*
 * Seeded random networks of long flows, of which most stand still for most of their time: for skipped steady states.
 */
#ifndef TESTS_SCENARIO_RANDOM_STEADY_H
#define TESTS_SCENARIO_RANDOM_STEADY_H

#include "scenario/random_scenario.h"

static const char *const steady_controls[] = {"newreno",
                                              "cubic",
                                              "cubic, pacing: true",
                                              "dctcp",
                                              "prague",
                                              "vegas",
                                              "ledbat",
                                              "swift",
                                              "dcqcn",
                                              "hpcc",
                                              "hpcc, recovery: go-back-n",
                                              "dcqcn, recovery: irn, rto_min: 20ms, rto_low: 9ms",
                                              "timely, t_low: 1ms, t_high: 9ms",
                                              "powertcp",
                                              "theta_powertcp",
                                              "ndp"};

static inline void random_steady_class(random_text *t, int i)
{
    static const char *const what[] = {"size: 9MB",
                                       "size: 4MB, sessions: 2",
                                       "window: 20kB, size: 9MB",
                                       "size: 6MB, delayed_ack: 1",
                                       "size: {exponential: 4MB}, mss: 900B",
                                       "size: 3MB, request: {think: 9ms}, connection: keep",
                                       "size: 3MB, request: {think: 0s}"};
    static const char *const pairs[] = {"permutation", "{random: 3}", "{random: 1}"};
    static const char *const starts[] = {"0s", "3ms", "{uniform: [0s, 9ms]}"};
    put_text_of(t, "  - {name: c%d, start: %s, ", i, ONE_OF(t, starts));
    if (random_coin(t, 5)) {
        put_text_of(t, "pairs: %s, udp: {rate: 90Mbps}}\n", ONE_OF(t, pairs));
        return;
    }
    if (random_coin(t, 5)) {
        put_text_of(t, "collective: {kind: ring-all-reduce, hosts: [h0, h1, h2, h3]}, tcp: {size: 8MB, "
                       "congestion: dctcp}}\n");
        return;
    }
    put_text_of(t, "pairs: %s, tcp: {%s, congestion: %s}}\n", ONE_OF(t, pairs), ONE_OF(t, what),
                ONE_OF(t, steady_controls));
}

static inline void random_steady(uint64_t seed, char *text, size_t size)
{
    static const char *const topologies[] = {
        "{model: leaf-spine, leaves: 2, spines: 2, hosts: 3, access_rate: 1Gbps, access_delay: 10us, rate: "
        "1Gbps, delay: 10us}",
        "{model: leaf-spine, leaves: 3, spines: 1, hosts: 2, access_rate: 500Mbps, access_delay: 90us, rate: "
        "800Mbps, delay: 50us}",
        "{model: leaf-spine, leaves: 1, spines: 1, hosts: 5, access_rate: 600Mbps, access_delay: 10us, rate: "
        "600Mbps, delay: 20us}"};
    static const char *const queues[] = {"{limit: 90kB}",
                                         "{type: droptail, limit_packets: 60}",
                                         "{type: threshold, mark: 20kB, limit: 200kB}",
                                         "{type: red, limit: 200kB, min: 9kB, max: 60kB, ecn: true}",
                                         "{type: codel, ecn: true}",
                                         "{type: fq_codel, ecn: true}",
                                         "{type: pie, ecn: true}",
                                         "{type: priority}",
                                         "{type: drr}",
                                         "{type: shaper, rate: 400Mbps, bucket: 9kB}",
                                         "{type: dualpi2}",
                                         "{type: trim}"};
    static const char *const memories[] = {"{size: 400kB}",
                                           "{size: 8MB, pfc: {xoff: 30kB, xon_offset: 3kB}}"};
    random_text t = {text, size, 0, seed * 1000003u + 23};
    put_text_of(&t, "weir: 1\nduration: 150ms\nseed: %u\ntopology:\n  generate: %s\n",
                (unsigned)(seed % 100000) + 1, ONE_OF(&t, topologies));
    const bool shared = random_coin(&t, 4), fails = !shared && random_coin(&t, 4);
    if (shared)
        put_text_of(&t, "  queue: {type: threshold, mark: 20kB}\n  shared_buffer: %s\n",
                    ONE_OF(&t, memories));
    else
        put_text_of(&t, "  queue: %s\n", ONE_OF(&t, queues));
    put_text_of(&t, "routing: {ecmp: %s}\ntraffic:\n", random_coin(&t, 2) ? "true" : "false");
    for (int i = 0, n = 1 + (int)rnd_below(&t.random, 2); i < n; i++)
        random_steady_class(&t, i);
    if (fails)
        put_text_of(&t, "events:\n  - {at: 31ms, fail: {link: \"leaf0--spine0\"}}\n  - {at: 55ms, repair: "
                        "{link: \"leaf0--spine0\"}}\n");
    if (random_coin(&t, 3))
        put_text_of(&t, "output: {warmup: 20ms}\n");
    put_text_of(&t, "steady: {skip: true, error: %u%%}\n", 1 + rnd_below(&t.random, 30));
}

#endif
