/*
 * Seeded random scenarios, small enough to run in milliseconds, that together use what the engines must agree
 * on: every kind of traffic and queue, switches with shared memory and pauses, links that lead one way, equal-cost and source routes, losses, jitter, duplicates, failures and repairs, warm-up;
 * Kademlia with churn and values; PHOLD. Also valid as C++.
 */
#ifndef TESTS_SCENARIO_RANDOM_SCENARIO_H
#define TESTS_SCENARIO_RANDOM_SCENARIO_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "splitmix.h"

typedef struct random_text {
    char *at;
    size_t size, used;
    uint64_t random;
} random_text;

static inline void put_text_of(random_text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(t->at + t->used, t->size - t->used, format, args);
    va_end(args);
    t->used += n > 0 && (size_t)n < t->size - t->used ? (size_t)n : t->size - t->used - 1;
}

#define ONE_OF(t, list) ((list)[rnd_below(&(t)->random, (uint32_t)(sizeof(list) / sizeof *(list)))])

/* A topology, and a link of it by its nodes that routes can do without. */
typedef struct random_topology {
    const char *text;
    const char *links[3];
    const char *inner; /* links between routers, of which duplicates are asked: a device has none for hosts */
    int one_way;       /* so that nobody can be paused */
} random_topology;

static inline int random_coin(random_text *t, uint32_t one_in)
{
    return rnd_below(&t->random, one_in) == 0;
}

/* small: no packets that are larger than a link's usual ones, as headroom is for two of the largest */
static inline void random_class(random_text *t, int i, int source_routes, int small)
{
    static const char *const tcp[] = {
        "size: 40kB, sessions: 3",
        "mss: 1000B, window: 30kB",
        "size: {exponential: 20kB}, sack: false, delayed_ack: 1",
        "ecn: true, initial_window: 4",
        "ecn: accurate, size: {exponential: 60kB}",
        "size: {pareto: {mean: 30kB, shape: 1.3}}, handshake: false, rto_min: 20ms",
        "size: {exponential: 10kB}, request: {size: 100B, think: 5ms}",
        "size: 3kB, request: {size: 900B, think: 0s}",
        "size: {exponential: 10kB}, request: {think: 9ms}, connection: restart, rto_min: 2ms",
        "size: 9kB, request: {think: 2ms}, connection: keep, sack: false",
        "size: {exponential: 30kB}, request: {think: 4ms}, connection: validate, initial_window: 2",
        "video: {ladder: [1Mbps, 4Mbps, 9Mbps], segment: 5ms, buffer: 20ms}, rto_min: 3ms",
        "video: {ladder: [500kbps, 2Mbps, 3Mbps, 8Mbps], segment: 3ms, buffer: 12ms, startup: 5ms, "
        "algorithm: throughput, "
        "samples: 3, length: 50ms}"};
    static const char *const arrivals[] = {
        "size: {uniform: [1kB, 30kB]}, arrivals: {poisson: 900/s}, max_flows: 3",
        "size: 5kB, arrivals: {periodic: 1ms}",
        "size: {exponential: 8kB}, arrivals: {poisson: 2000/s}, ecn: true",
        "size: {exponential: 15kB}, arrivals: {poisson: 700/s}, ecn: accurate, delayed_ack: 1"};
    static const char *const udp[] = {
        "rate: 3Mbps, jitter: 50%", "rate: 2Mbps, pattern: poisson, packet: {exponential: 300B}",
        "rate: 3Mbps, pattern: onoff, on_time: 3ms, off_time: 4ms, durations: pareto",
        "rate: 1Mbps, packet: {uniform: [28B, 1500B]}"};
    static const char *const pairs[] = {"permutation", "{random: 5}", "{random: 12}"};
    static const char *const starts[] = {"0s", "{uniform: [0s, 40ms]}", "7ms"};
    put_text_of(t, "  - {name: c%d, pairs: %s, start: %s, ", i, ONE_OF(t, pairs), ONE_OF(t, starts));
    if (random_coin(t, 4))
        put_text_of(t, "stop: 60ms, ");
    if (random_coin(t, 3))
        put_text_of(t, "dscp: 46, ");
    const uint32_t kind = rnd_below(&t->random, source_routes ? 4 : 6);
    static const char *const controls[] = {"newreno",
                                           "cubic",
                                           "dctcp",
                                           "prague",
                                           "vegas",
                                           "ledbat, target: 5ms",
                                           "swift, delay_target: 2ms",
                                           "bbr",
                                           "bbr3",
                                           "cubic, pacing: true",
                                           "hpcc",
                                           "hpcc, target_load: 80%, ai_rate: 100kbps, max_stage: 1",
                                           "timely, t_low: 3ms, t_high: 30ms, ai_rate: 1Mbps",
                                           "powertcp",
                                           "theta_powertcp, expected_flows: 3, gain: 70%",
                                           "hpcc, recovery: go-back-n, nack_interval: 30ms",
                                           "timely, recovery: irn, rto_min: 30ms, rto_low: 9ms",
                                           "powertcp, recovery: irn, bdp_cap: 20kB, rto_min: 20ms",
                                           "swift, recovery: go-back-n, rto_min: 20ms",
                                           "dctcp, recovery: irn, rto_low_segments: 5, rto_low: 5ms",
                                           "ndp",
                                           "nscc, base_rtt: 20ms",
                                           "nscc, paths: 4, balance: reps, credits: true, qa_gate: 1",
                                           "rccc, paths: 8, balance: oblivious, ack_bytes: 1B",
                                           "rccc, balance: bitmap, oversubscription: 4"};
    if (kind < 3) {
        const char *keys = ONE_OF(t, tcp), *control = ONE_OF(t, controls);
        const int own = strncmp(control, "hpcc", 4) == 0 || strncmp(control, "ndp", 3) == 0 ||
                        strncmp(control, "timely", 6) == 0 || strstr(control, "powertcp") ||
                        strstr(control, "cc, ");
        const int sack =
            own || strncmp(control, "bbr", 3) == 0; /* needs it; and these have no ECN, and own windows */
        const int rdma =
            strstr(control, "recovery") && (strstr(keys, "sack: false") || strstr(keys, "rto_min") ||
                                            strstr(keys, "handshake") || strstr(keys, "accurate"));
        const int refused =
            rdma ||
            (sack && (strstr(keys, "sack: false") || strstr(keys, "restart") || strstr(keys, "validate"))) ||
            (own && strstr(keys, "ecn: "));
        put_text_of(t, "tcp: {%s, congestion: %s}}\n", refused ? "size: 40kB, sessions: 3" : keys, control);
    }
    if (kind == 3) {
        const char *keys = ONE_OF(t, udp);
        put_text_of(t, "udp: {%s}}\n", small && strstr(keys, "packet: {exponential") ? udp[0] : keys);
    }
    if (kind > 3)
        put_text_of(t, "tcp: {%s}}\n", ONE_OF(t, arrivals));
}

static inline void random_impairments(random_text *t, const char *inner)
{
    static const char *const of_all[] = {"jitter: {mean: 300us}",
                                         "jitter: {mean: 1ms, distribution: exponential, reorder: true}",
                                         "burst_loss: {mean: 2%, length: 3}, bit_errors: 1e-6",
                                         "burst_loss: {enter: 1%, exit: 20%, good: 0.1%, bad: 80%}"},
                             *const of_inner[] = {
                                 "duplication: 3%",
                                 "duplication: 40%, jitter: {mean: 2ms, distribution: pareto, reorder: true}",
                                 "duplication: 2%, bit_errors: 1e-5, jitter: {mean: 100us}"};
    put_text_of(t, "  links:\n    - {link: \"*\", %s}\n", ONE_OF(t, of_all));
    if (random_coin(t, 2))
        put_text_of(t, "    - {link: \"%s\", %s}\n", inner, ONE_OF(t, of_inner));
}

static inline void random_events(random_text *t, const random_topology *topology)
{
    put_text_of(t, "events:\n");
    for (int i = 0; i < 3; i++) {
        const uint32_t from_ms = rnd_below(&t->random, 80), for_ms = 1 + rnd_below(&t->random, 36);
        put_text_of(t, "  - {at: %ums, fail: {link: \"%s\"}}\n", from_ms, topology->links[i]);
        if (!random_coin(t, 4))
            put_text_of(t, "  - {at: %ums, repair: {link: \"%s\"}}\n", from_ms + for_ms, topology->links[i]);
    }
}

/* Queues over a memory that a router's ports share, with pauses or without. */
static inline void random_switches(random_text *t, int pauses)
{
    static const char *const queues[] = {"{limit: 20kB}",
                                         "{type: red, limit: 50kB, min: 4kB, max: 15kB, w: 0.05, ecn: true}",
                                         "{type: threshold, mark: 9kB, limit: 40kB}"};
    static const char *const lossless[] = {"{}", "{type: red, min: 5kB, max: 20kB, w: 0.02}",
                                           "{type: threshold, mark: 9kB}"};
    static const char *const memories[] = {"{size: 66kB}", "{size: 70kB, alpha: 0.3}",
                                           "{size: 90kB, alpha: 8}"};
    static const char *const with_pfc[] = {"{size: 600kB, pfc: {xoff: 6kB, xon_offset: 2kB}}",
                                           "{size: 600kB, alpha: 0.02, pfc: {}}",
                                           "{size: 600kB, alpha: 4, pfc: {lossless: [5], xoff: 4kB}}"};
    if (pauses)
        put_text_of(t, "  queue: %s\n  shared_buffer: %s\n", ONE_OF(t, lossless), ONE_OF(t, with_pfc));
    else
        put_text_of(t, "  queue: %s\n  shared_buffer: %s\n", ONE_OF(t, queues), ONE_OF(t, memories));
}

/* Four ranks, of a trace, a program or a model. */
static inline void random_trained(random_text *t)
{
    put_text_of(t, "  - {name: job, job: {");
    if (random_coin(t, 3))
        put_text_of(t, "trace: '%s/job.goal', iterations: 3", WEIR_TEST_DATA);
    else if (random_coin(t, 3))
        put_text_of(t,
                    "program: [{do: compute, time: 20us}, {do: %s, message: 9kB}, {do: allgather, message: "
                    "3kB}], ranks: "
                    "4, iterations: 2",
                    random_coin(t, 2) ? "alltoall" : "scatter");
    else
        put_text_of(t,
                    "model: {layers: 2, hidden: 64, heads: 2, sequence: 32, vocabulary: 100, micro_batches: "
                    "%u, %s, sharded: %s, "
                    "sequence_parallel: %s, recompute: %s}, flops: 12e9",
                    1 + rnd_below(&t->random, 3),
                    random_coin(t, 2) ? "tensor: 2, pipeline: 2"
                                      : "data: 2, experts: 4, top_k: 2, expert_parallel: 2, pipeline: 2",
                    random_coin(t, 2) ? "true" : "false", random_coin(t, 2) ? "true" : "false",
                    random_coin(t, 2) ? "true" : "false");
    static const char *const how[] = {"auto", "ring", "tree", "hierarchical", "nccl"};
    static const char *const chunks[] = {"0B", "700B", "3kB"};
    static const char *const connections[] = {"", "connection: keep", "connection: validate",
                                              "connection: keep, congestion: bbr",
                                              "connection: restart, sack: false"};
    put_text_of(t, ", ranks_per_host: %u, local_rate: 1Gbps, placement: %s, eager: %s",
                1u << rnd_below(&t->random, 3), random_coin(t, 2) ? "blocks" : "round_robin",
                random_coin(t, 2) ? "0B" : "16KiB");
    put_text_of(t, ", allreduce: %s, small: %s, channels: %u, chunk: %s}, tcp: {%s}}\n", ONE_OF(t, how),
                random_coin(t, 2) ? "0B" : "1kB", 1 + rnd_below(&t->random, 3), ONE_OF(t, chunks),
                ONE_OF(t, connections));
}

static inline void random_network(random_text *t)
{
    static const random_topology topologies[] = {
        {"{model: fat-tree, k: 4, rate: 50Mbps, delay: 20us}",
         {"e0_0--a0_1", "a1_0--c0", "a3_1--c3"},
         "e*--a*"},
        {"{model: ring, routers: 9, rate: 20Mbps}", {"r0--r1", "r3--r4", "r8--r0"}, "r*--r*"},
        {"{model: ring, routers: 14, rate: 30Mbps, delay: 100us}",
         {"r12--r13", "r5--r6", "r2--r3"},
         "r*->r*"},
        {"{model: dumbbell, left: 5, bottleneck_rate: 20Mbps, bottleneck_delay: 2ms}",
         {NULL, NULL, NULL},
         "left--right"},
        {"{model: grid, width: 4, height: 3, rate: 25Mbps, delay: 50us}", {NULL, NULL, NULL}, "r*--r*"},
        {"{model: ring, routers: 7, rate: 30Mbps, delay: 40us, one_way: true}",
         {NULL, NULL, NULL},
         "r*->r*",
         1}};
    static const char *const queues[] = {
        "{limit: 20kB}",
        "{type: droptail, limit_packets: 9}",
        "{type: red, limit: 60kB, min: 5kB, max: 20kB, w: 0.02}",
        "{type: red, limit: 50kB, min: 4kB, max: 15kB, w: 0.05, ecn: true}",
        "{type: red, limit: 60kB, min: 5kB, max: 20kB, w: 0.01, mode: bernoulli}",
        "{type: red, limit: 60kB, min: 5kB, max: 20kB, mode: wait, average: packets}",
        "{type: codel, target: 1ms, interval: 10ms}",
        "{type: codel, target: 500us, interval: 8ms, limit: 20kB, ecn: true}",
        "{type: fq_codel, target: 1ms, interval: 10ms, limit_packets: 30}",
        "{type: fq_codel, target: 500us, interval: 8ms, flows: 3, quantum: 300B, ecn: true, limit: 30kB}",
        "{type: pie, limit: 60kB, target: 2ms, update: 3ms, burst: 5ms}",
        "{type: pie, limit_packets: 30, target: 1ms, update: 500us, burst: 0s, ecn: true, derandomize: "
        "false}",
        "{type: threshold, mark: 9kB, limit: 40kB}",
        "{type: policer, rate: 9Mbps, bucket: 6kB}",
        "{type: shaper, rate: 13Mbps, bucket: 3kB, limit: 30kB}",
        "{type: priority, limit: 20kB, mark: 8kB}",
        "{type: drr, limit_packets: 20, quantum: 700B, weight_5: 3}",
        "{type: dualpi2, target: 2ms, update: 1ms, rtt_max: 20ms, ramp_min: 100us, ramp_max: 300us}",
        "{type: trim}",
        "{type: trim, limit: 20kB, headers: 400B}",
        "{type: trim, limit: 20kB, headers_turns: 0, mark_min: 3kB, mark_max: 12kB}"};
    static const char *const host_queues[] = {"{limit: 9kB}", "{type: round-robin, limit: 90kB}",
                                              "{limit_packets: 9, type: droptail}"},
                             *const hosts_paused[] = {"{limit: 9kB}", "{type: priority}",
                                                      "{type: droptail, limit: 60kB}"};
    static const char *const metrics[] = {"hops", "delay", "inverse-rate"};
    const random_topology *topology = &ONE_OF(t, topologies);
    const int ecmp = random_coin(t, 2), fails = topology->links[0] && random_coin(t, 2);
    const int source = !ecmp && !fails && random_coin(t, 4);
    const int shared = !fails && random_coin(t, 4),
              pauses = shared && !topology->one_way && random_coin(t, 2);
    put_text_of(t, "topology:\n  generate: %s\n", topology->text);
    if (shared)
        random_switches(t, pauses);
    else
        put_text_of(t, "  queue: %s\n", ONE_OF(t, queues));
    if (random_coin(t, 4))
        put_text_of(t, "  host_queue: %s\n",
                    pauses              ? ONE_OF(t, hosts_paused)
                    : random_coin(t, 2) ? ONE_OF(t, queues)
                                        : ONE_OF(t, host_queues));

    if (random_coin(t, 3))
        put_text_of(t, "  loss: 1%%\n");
    if (random_coin(t, 4))
        put_text_of(t, "  overhead: %s\n", random_coin(t, 2) ? "ethernet" : "24B");
    if (!shared && random_coin(t, 3))
        random_impairments(t, topology->inner);
    put_text_of(t, "routing: {metric: %s, ecmp: %s%s%s%s}\n", ONE_OF(t, metrics), ecmp ? "true" : "false",
                ecmp && random_coin(t, 3) ? ", spray: true" : "", source ? ", forwarding: source" : "",
                fails && random_coin(t, 2) ? ", convergence: 4ms" : "");
    put_text_of(t, "traffic:\n");
    for (int i = 0, n = 1 + (int)rnd_below(&t->random, 3); i < n; i++)
        random_class(t, i, source, pauses);
    if (!topology->one_way && !source && random_coin(t, 4))
        random_trained(t);
    if (fails)
        random_events(t, topology);
    if (random_coin(t, 3))
        put_text_of(t, "output: {warmup: 30ms%s}\n",
                    random_coin(t, 2) ? ", slowdown_sizes: [3kB, 20kB]" : "");
    static const char *const never_steady[] = {"loss: ",          "  links:",         "spray: true",
                                               "congestion: bbr", "congestion: nscc", "congestion: rccc"};
    bool steady = random_coin(t, 2);
    for (size_t i = 0; i < sizeof never_steady / sizeof *never_steady; i++)
        steady = steady && !strstr(t->at, never_steady[i]);
    if (steady)
        put_text_of(t, "steady: {skip: true, error: 20%%}\n");
}

static inline void random_kademlia(random_text *t)
{
    static const char *const shapes[] = {"exponential", "uniform", "constant"};
    put_text_of(
        t, "model:\n  kademlia:\n    {peers: %u, k: %u, alpha: %u, lookups: %u, think: 60ms, timeout: 70ms, ",
        40 + rnd_below(&t->random, 200), 2 + rnd_below(&t->random, 8), 1 + rnd_below(&t->random, 4),
        1 + rnd_below(&t->random, 2));
    put_text_of(t, "retries: %u, latency: {min: 2ms, mean: 15ms, shape: %s, per: %s}",
                rnd_below(&t->random, 3), ONE_OF(t, shapes), random_coin(t, 2) ? "pair" : "message");
    if (random_coin(t, 3))
        put_text_of(t, ", bootstrap: 40ms");
    if (!random_coin(t, 4))
        put_text_of(t, ", churn: {online: 90ms, offline: 40ms, shape: %s, rejoin: %s}",
                    random_coin(t, 2) ? "0.6" : "1", random_coin(t, 2) ? "fresh" : "stale");
    if (random_coin(t, 2))
        put_text_of(t, ", values: {keys: 30, find: 30%%, store: 20%%, slots: 2}");
    put_text_of(t, "}\n");
}

/* The scenario of a seed, without its engine. */
static inline void random_scenario(uint64_t seed, char *text, size_t size)
{
    random_text t = {text, size, 0, seed * 1000003u + 17};
    const uint32_t kind = rnd_below(&t.random, 10);
    put_text_of(&t, "weir: 1\nduration: 120ms\nseed: %u\nrun: %u\n", (unsigned)(seed % 100000) + 1,
                rnd_below(&t.random, 3));
    if (kind < 6)
        random_network(&t);
    else if (kind < 9)
        random_kademlia(&t);
    else
        put_text_of(&t,
                    "model: {phold: {entities: %u, events: %u, remote: %u%%, lookahead: 20us, mean: %uus}}\n",
                    20 + rnd_below(&t.random, 200), 1 + rnd_below(&t.random, 4), rnd_below(&t.random, 101),
                    200 + rnd_below(&t.random, 3000));
}

#endif
