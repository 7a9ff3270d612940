/*
 * Seeded random scenarios with fluid, small enough to run in a tenth of a second: all laws of windows, queues that fluid
 * passes, UDP that goes on and off, transfers as a density, packets beside fluid or none, equal-cost routes, random loss,
 * failures and repairs, in either precision and coupling.
 */
#ifndef TESTS_SCENARIO_RANDOM_FLUID_H
#define TESTS_SCENARIO_RANDOM_FLUID_H

#include "scenario/random_scenario.h"

/* Classes go with the queues of the network: `marks` of those with DCTCP or ECN. */
static inline void random_fluid_class(random_text *t, int i, int marks, int fails, int packets)
{
    static const char *const tcp[] = {"sessions: 3",
                                      "sessions: 4, congestion: newreno",
                                      "sessions: 2, mss: 1000B, window: 60kB, congestion: newreno",
                                      "sessions: 5, delayed_ack: 1, initial_window: 4",
                                      "sessions: 6, congestion: bbr",
                                      "sessions: 3, congestion: swift, delayed_ack: 1, delay_target: 30ms"};
    static const char *const marked[] = {"sessions: 3, congestion: dctcp",
                                         "sessions: 4, congestion: newreno, ecn: true",
                                         "sessions: 2, congestion: cubic"};
    static const char *const udp[] = {"rate: 3Mbps", "rate: 2Mbps, pattern: poisson",
                                      "rate: 3Mbps, pattern: onoff, on_time: 30ms, off_time: 40ms"};
    static const char *const pairs[] = {"permutation", "{random: 5}", "{random: 14}"};
    static const char *const starts[] = {"0s", "{uniform: [0s, 150ms]}", "60ms"};
    put_text_of(t, "  - {name: c%d, pairs: %s, start: %s, ", i, ONE_OF(t, pairs), ONE_OF(t, starts));
    if (random_coin(t, 4))
        put_text_of(t, "stop: 300ms, ");
    const uint32_t kind = rnd_below(&t->random, 8);
    if (kind < 2)
        put_text_of(t, "fidelity: fluid, udp: {%s}}\n", ONE_OF(t, udp));
    else if (kind == 2 && !fails)
        put_text_of(t, "fidelity: fluid, tcp: {size: {exponential: 60kB}, arrivals: {poisson: 300/s}}}\n");
    else
        put_text_of(t, "fidelity: %s, tcp: {%s}}\n",
                    packets && random_coin(t, 2) ? "{packet: 1, fluid: rest}" : "fluid",
                    marks ? ONE_OF(t, marked) : ONE_OF(t, tcp));
}

static inline void random_fluid_keys(random_text *t)
{
    static const char *const couplings[] = {"lockstep", "async", "async, lookahead: 2, batch: 5",
                                            "lockstep, lookahead: 2, batch: 2", "async, prefetch: false"};
    put_text_of(t, "fluid: {device: cpu, coupling: %s", ONE_OF(t, couplings));
    if (random_coin(t, 3))
        put_text_of(t, ", precision: double");
    if (random_coin(t, 3))
        put_text_of(t, ", step: %s", random_coin(t, 2) ? "500us" : "300us");
    if (random_coin(t, 4))
        put_text_of(t, ", aggregate: false");
    if (random_coin(t, 5))
        put_text_of(t, ", order: 1");
    put_text_of(t, "}\n");
}

/* The scenario of a seed, without its engine. */
static inline void random_fluid(uint64_t seed, char *text, size_t size)
{
    static const random_topology topologies[] = {
        {"{model: ring, routers: 9, rate: 20Mbps, delay: 8ms, access_delay: 4ms}",
         {"r0--r1", "r3--r4", "r8--r0"},
         NULL,
         0},
        {"{model: ring, routers: 5, rate: 30Mbps, delay: 12ms, access_delay: 9ms}",
         {"r0--r1", "r2--r3", "r4--r0"},
         NULL,
         0},
        {"{model: grid, width: 4, height: 3, rate: 25Mbps, delay: 6ms, access_delay: 3ms}",
         {"r0_0--r1_0", "r1_1--r2_1", "r2_2--r3_2"},
         NULL,
         0},
        {"{model: dumbbell, left: 5, bottleneck_rate: 20Mbps, bottleneck_delay: 12ms, access_delay: 4ms}",
         {NULL, NULL, NULL},
         NULL,
         0},
        {"{model: fat-tree, k: 4, rate: 20Mbps, delay: 5ms, access_delay: 2ms}",
         {"e0_0--a0_1", "a1_0--c0", "a3_1--c3"},
         NULL,
         0},
        {"{model: campus, campuses: 3, lan_hosts: 2}", {NULL, NULL, NULL}, NULL, 0}};
    static const char *const queues[] = {"{limit: 20kB}", "{limit: 60kB}",
                                         "{type: red, limit: 60kB, min: 5kB, max: 20kB, w: 0.02}",
                                         "{type: red, limit: 60kB, min: 5kB, max: 20kB, mode: bernoulli}"},
                             *const marking[] = {
                                 "{type: threshold, mark: 9kB, limit: 60kB}",
                                 "{type: red, limit: 50kB, min: 6kB, max: 25kB, w: 0.05, ecn: true}"};
    random_text t = {text, size, 0, seed * 1000003u + 29};
    const random_topology *const topology = &ONE_OF(&t, topologies);
    const int marks = random_coin(&t, 3), fails = topology->links[0] && random_coin(&t, 2);
    const int packets = !random_coin(&t, 3);
    put_text_of(&t, "weir: 1\nduration: 400ms\nseed: %u\n", (unsigned)(seed % 100000) + 1);
    put_text_of(&t, "topology:\n  generate: %s\n  queue: %s\n", topology->text,
                marks ? ONE_OF(&t, marking) : ONE_OF(&t, queues));
    if (random_coin(&t, 4))
        put_text_of(&t, "  loss: 1%%\n");
    if (random_coin(&t, 2))
        put_text_of(&t, "routing: {ecmp: true}\n");
    else if (!fails && random_coin(&t, 2))
        put_text_of(&t, "routing: {forwarding: source}\n");
    put_text_of(&t, "traffic:\n");
    for (int i = 0, n = 1 + (int)rnd_below(&t.random, 3); i < n; i++)
        random_fluid_class(&t, i, marks, fails, packets);
    if (packets)
        put_text_of(&t, "  - {name: beside, pairs: {random: 3}, tcp: {size: 90kB, sessions: 2}}\n");
    if (fails)
        put_text_of(
            &t,
            "events:\n  - {at: 100ms, fail: {link: \"%s\"}}\n  - {at: 210ms, repair: {link: \"%s\"}}\n"
            "  - {at: 150ms, fail: {link: \"%s\"}}\n",
            topology->links[0], topology->links[0], topology->links[1]);
    if (random_coin(&t, 3))
        put_text_of(&t, "output: {warmup: 110ms, interval: 70ms}\n");
    random_fluid_keys(&t);
}

#endif
