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
    const char *with = ONE_OF(t, pairs), *kind = ONE_OF(t, what), *control = ONE_OF(t, steady_controls);
    if (strstr(kind, "keep") && strcmp(control, "ndp") == 0) /* which has no window to keep */
        control = steady_controls[0];
    put_text_of(t, "pairs: %s, tcp: {%s, congestion: %s}}\n", with, kind, control);
}

/* A job that has its part to itself: its iterations may be repeated. */
static inline void random_iterations(random_text *t)
{
    static const char *const does[] = {"{do: allreduce, message: 90kB}", "{do: bcast, message: 90kB}",
                                       "{do: alltoall, message: 20kB}", "{do: allgather, message: 90kB}",
                                       "{do: barrier}"};
    static const char *const ways[] = {"ring", "tree", "ring, chunk: 20kB", "auto"};
    static const char *const controls[] = {"dctcp", "newreno", "cubic, connection: keep",
                                           "dcqcn", "ndp",     "dctcp, connection: keep"};
    static const char *const places[] = {"ranks: 4", "ranks: 5", "ranks: 6, ranks_per_host: 2",
                                         "ranks: 4, ranks_per_host: 2, local_delay: 1us"};
    const char *control = ONE_OF(t, controls);
    put_text_of(
        t,
        "  - {name: c0, start: %ums, job: {program: [%s, {do: compute, time: 3ms}, %s], %s, iterations: %u, "
        "allreduce: %s}, tcp: {congestion: %s}}\n",
        rnd_below(&t->random, 3), ONE_OF(t, does), ONE_OF(t, does), ONE_OF(t, places),
        9 + rnd_below(&t->random, 30), ONE_OF(t, ways), control);
}

/* Classes that never meet, two leaves each: they stand still, or not, by themselves. */
static inline void random_apart(random_text *t)
{
    static const char *const queues[] = {"{limit: 90kB}", "{type: threshold, mark: 20kB, limit: 200kB}",
                                         "{type: codel, ecn: true}", "{type: pie, ecn: true}"};
    const bool shared = random_coin(t, 4);
    static const char *const sizes[] = {"9MB", "4MB, sessions: 2", "9MB, window: 20kB"};
    put_text_of(t, "  generate: {model: leaf-spine, leaves: 6, spines: 2, hosts: 2, access_rate: 1Gbps, "
                   "access_delay: 10us, rate: 1Gbps, delay: 10us}\n");
    put_text_of(t, "  queue: %s\n", shared ? queues[1] : ONE_OF(t, queues));
    if (shared)
        put_text_of(t, "  shared_buffer: {size: 400kB}\n");
    put_text_of(t, "routing: {ecmp: %s}\ntraffic:\n", random_coin(t, 2) ? "true" : "false");
    for (unsigned i = 0; i < 3; i++) {
        const unsigned h = 4 * i;
        put_text_of(t, "  - {name: c%u, start: %ums, ", i, rnd_below(&t->random, 9));
        switch (rnd_below(&t->random, 6)) {
        case 0:
            put_text_of(t,
                        "from: [h%u, h%u], to: [h%u, h%u], tcp: {size: 30kB, arrivals: {load: 20%%}, "
                        "congestion: %s}}\n",
                        h, h + 1, h + 2, h + 3, ONE_OF(t, steady_controls));
            break;
        case 1:
            put_text_of(t, "pairs: [[h%u, h%u]], udp: {rate: 90Mbps}}\n", h, h + 3);
            break;
        case 2:
            put_text_of(t,
                        "collective: {kind: ring-all-reduce, hosts: [h%u, h%u, h%u]}, tcp: {size: 8MB, "
                        "congestion: dctcp}}\n",
                        h, h + 1, h + 2);
            break;
        case 3:
            put_text_of(t,
                        "job: {program: [{do: allreduce, message: 8MB}, {do: compute, time: 1ms}], ranks: 4, "
                        "iterations: 9, hosts: [h%u, h%u, h%u, h%u], hosts_per_server: 2, local_delay: 1us, "
                        "allreduce: ring}, tcp: {congestion: dctcp, window: 64kB}}\n",
                        h, h + 2, h + 1, h + 3);
            break;
        case 4:
            put_text_of(t, "pairs: [[h%u, h%u], [h%u, h%u]], tcp: {size: 3MB, request: {think: 9ms}}}\n", h,
                        h + 2, h + 3, h + 1);
            break;
        default:
            put_text_of(t, "pairs: [[h%u, h%u], [h%u, h%u]], tcp: {size: %s, congestion: %s}}\n", h, h + 2,
                        h + 1, h + 3, ONE_OF(t, sizes), ONE_OF(t, steady_controls));
        }
    }
    const unsigned leaf = rnd_below(&t->random, 6);
    if (!shared && random_coin(t, 9)) /* which leads by other leaves, so that all is one */
        put_text_of(t, "events:\n  - {at: 31ms, fail: {link: \"leaf%u--spine0\"}}\n", leaf);
    else if (!shared && random_coin(t, 3))
        put_text_of(t, "events:\n  - {at: 31ms, fail: {link: \"h%u--leaf%u\"}}\n", 2 * leaf, leaf);
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
    put_text_of(&t, "weir: 1\nduration: %dms\nseed: %u\ntopology:\n", seed % 3 ? 150 : 90,
                (unsigned)(seed % 100000) + 1);
    if (seed % 3 == 0) {
        random_apart(&t);
        put_text_of(&t, "steady: {skip: true}\noutput: {interval: 20ms, histograms: %s}\n",
                    random_coin(&t, 2) ? "true" : "false");
        return;
    }
    put_text_of(&t, "  generate: %s\n", ONE_OF(&t, topologies));
    const bool shared = random_coin(&t, 4), fails = !shared && random_coin(&t, 4);
    if (shared)
        put_text_of(&t, "  queue: {type: threshold, mark: 20kB}\n  shared_buffer: %s\n",
                    ONE_OF(&t, memories));
    else
        put_text_of(&t, "  queue: %s\n", ONE_OF(&t, queues));
    put_text_of(&t, "routing: {ecmp: %s}\ntraffic:\n", random_coin(&t, 2) ? "true" : "false");
    const bool iterates = random_coin(&t, 4);
    if (iterates)
        random_iterations(&t);
    for (int i = iterates, n = 1 + (int)rnd_below(&t.random, 2); i < n && (!iterates || random_coin(&t, 6));
         i++)
        random_steady_class(&t, i);
    if (fails)
        put_text_of(&t, "events:\n  - {at: 31ms, fail: {link: \"leaf0--spine0\"}}\n  - {at: 55ms, repair: "
                        "{link: \"leaf0--spine0\"}}\n");
    if (random_coin(&t, 3))
        put_text_of(&t, "output: {warmup: 20ms}\n");
    put_text_of(&t, "steady: {skip: true, error: %u%%}\n", 1 + rnd_below(&t.random, 30));
}

#endif
