/*
 * Scenarios on the GPU engine: packet networks with every queue, transport and source, and the models, end
 * with the sequential engine's digests, hops and events in all variants. Exit 0: equal; 1: not; 77: no
 * device.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

extern "C" {
#include "scenario/random_scenario.h"
#include "scenario/random_steady.h"
#include "scenario/run_text.h"
#include "weir/session.h"
}

static int failures, comparisons;

/* An emulated device (tests/emulator) is hundreds of times slower, and so is one that is watched
 * (tools/compute-sanitizer): it gets shorter runs. */
#if defined WEIR_EMULATED || defined WEIR_GPU_SMALL
enum { SHARE = 50, RANDOM_SCENARIOS = 12, RANDOM_STEADY = 0, RANDOM_EVENTS_MOST = 3000 };
#else
enum { SHARE = 1, RANDOM_SCENARIOS = 60, RANDOM_STEADY = 20, RANDOM_EVENTS_MOST = 1 << 30 };
#endif

#define WATCHED                                                                                         \
    "topology:\n"                                                                                       \
    "  generate: {model: dumbbell, left: 4, right: 4, bottleneck_rate: 50Mbps, bottleneck_delay: 1ms, " \
    "access_delay: 200us}\n"                                                                            \
    "  queue: {type: red, limit: 60kB, min: 5kB, max: 20kB, ecn: true}\n"                               \
    "traffic:\n"                                                                                        \
    "  - {name: bulk, tcp: {sessions: 2, ecn: true}, from: 'l*', to: 'r*'}\n"                           \
    "  - {name: call, udp: {rate: 2Mbps, pattern: poisson, packet: 200B}, from: l0, to: r3}\n"          \
    "output: {pcap: [l1, left--right], flow_monitor: {classes: [bulk, call]}, packets: [bulk, call]}\n"
#define PAUSED                                                                                            \
    "topology:\n"                                                                                         \
    "  generate: {model: leaf-spine, leaves: 2, spines: 1, hosts: 4, rate: 10Gbps, access_rate: 10Gbps, " \
    "delay: "                                                                                             \
    "1us}\n"                                                                                              \
    "  shared_buffer: {size: 1MB, pfc: {lossless: [3], xoff: 20kB, xon_offset: 2kB}}\n"                   \
    "traffic:\n"                                                                                          \
    "  - {name: a, from: 'h[1-7]', to: h0, dscp: 24, tcp: {congestion: newreno, window: 1MB}}\n"          \
    "output: {pcap: [h1, leaf1--spine0]}\n"

struct outcome {
    uint64_t events, event_digest, state_digest, hops;
};

static outcome run_whole(const char *name, const char *text, const char *engine)
{
    char all[5000];
    weir_diag *diag = weir_diag_new();
    weir_run_result result;
    snprintf(all, sizeof all, "%sengine: %s\n", text, engine);
    const weir_status status = run_text(diag, all, nullptr, nullptr, 0, &result);
    if (status != WEIR_OK) {
        const size_t n = weir_diag_count(diag);
        printf("%s, engine %s: %s\n", name, engine,
               n ? weir_diag_get(diag, n - 1)->text : weir_status_name(status));
        exit(status == WEIR_E_UNSUPPORTED ? 77 : 1);
    }
    const outcome o = {result.events, result.event_digest, result.state_digest, result.packet_hops};
    weir_run_result_free(&result);
    weir_diag_free(diag);
    return o;
}

static outcome run(const char *name, double ms, const char *text, const char *engine)
{
    char all[4096];
    snprintf(all, sizeof all, "weir: 1\nduration: %gms\n%s", ms, text);
    return run_whole(name, all, engine);
}

static weir_scenario *parse(weir_diag *diag, const char *text, const char *engine)
{
    char all[5000];
    weir_scenario *scenario = nullptr;
    snprintf(all, sizeof all, "%sengine: %s\n", text, engine);
    if (weir_scenario_parse(diag, "s.yaml", all, strlen(all), nullptr, nullptr, 0, &scenario) != WEIR_OK) {
        printf("%s\n", weir_diag_get(diag, weir_diag_count(diag) - 1)->text);
        exit(1);
    }
    return scenario;
}

static void must(weir_diag *diag, weir_status status, const char *what)
{
    const size_t n = weir_diag_count(diag);
    if (status == WEIR_OK)
        return;
    printf("checkpoint, %s: %s\n", what, n ? weir_diag_get(diag, n - 1)->text : weir_status_name(status));
    exit(1);
}

/* Stopped at `share` of the run on one engine, saved, and gone on with on another. */
static outcome run_in_two(const char *text, const char *text_after, const char *first, const char *second,
                          double share)
{
    char path[] = "/tmp/weir-gpu-checkpoint-XXXXXX";
    weir_diag *diag = weir_diag_new();
    weir_session *session;
    weir_run_result result;
    const int fd = mkstemp(path);
    if (fd < 0)
        exit(1);
    close(fd);
    weir_scenario *before = parse(diag, text, first), *after = parse(diag, text_after, second);
    must(diag, weir_session_open(diag, before, nullptr, &session), "open");
    must(diag, weir_session_advance(session, (weir_time)(share * (double)weir_session_end(session))), "half");
    must(diag, weir_session_save(session, path), "save");
    weir_session_close(session);
    must(diag, weir_session_restore(diag, after, nullptr, path, &session), "restore");
    must(diag, weir_session_advance(session, weir_session_end(session)), "the rest");
    must(diag, weir_session_finish(session, &result), "finish");
    const outcome o = {result.events, result.event_digest, result.state_digest, result.packet_hops};
    weir_run_result_free(&result);
    weir_session_close(session);
    weir_scenario_free(before);
    weir_scenario_free(after);
    weir_diag_free(diag);
    unlink(path);
    return o;
}

static void compare_in_two(const char *text, const outcome &want, uint64_t seed)
{
    const bool begins = seed % 2;
    const double share = (double)(seed * 37 % 100) / 100;
    const outcome got = run_in_two(text, text, begins ? "{type: gpu}" : "{type: sequential}",
                                   begins ? "{type: sequential}" : "{type: gpu}", share);
    comparisons++;
    if (memcmp(&got, &want, sizeof got) == 0)
        return;
    failures++;
    printf("DIFFERENT  seed %llu, saved at %g of the run %s the device: events %llu/%llu, of\n%s",
           (unsigned long long)seed, share, begins ? "from" : "for", (unsigned long long)got.events,
           (unsigned long long)want.events, text);
}

/* From engine to engine in one session, as engine auto moves. */
static void compare_moved(const char *text, const outcome &want, uint64_t seed)
{
    static const char *const places[] = {"gpu", "sequential", "conservative", "gpu"};
    weir_diag *diag = weir_diag_new();
    weir_session *session;
    weir_run_result result;
    weir_scenario *scenario = parse(diag, text, "{type: sequential}");
    must(diag, weir_session_open(diag, scenario, nullptr, &session), "open");
    const weir_time end_ps = weir_session_end(session);
    for (uint64_t i = 0, n = 2 + seed % 4; i < n; i++) {
        must(diag, weir_session_advance(session, (weir_time)((double)end_ps * (double)i / (double)n)),
             "part");
        const weir_status status = weir_session_move(session, places[(seed + i) % 4], 2);
        if (status != WEIR_E_ARG && status != WEIR_E_UNSUPPORTED) /* the sequential engine goes on */
            must(diag, status, "move");
    }
    must(diag, weir_session_advance(session, end_ps), "the rest");
    must(diag, weir_session_finish(session, &result), "finish");
    const outcome got = {result.events, result.event_digest, result.state_digest, result.packet_hops};
    weir_run_result_free(&result);
    weir_session_close(session);
    weir_scenario_free(scenario);
    weir_diag_free(diag);
    comparisons++;
    if (memcmp(&got, &want, sizeof got) == 0)
        return;
    failures++;
    printf("DIFFERENT  seed %llu, moved: events %llu/%llu, of\n%s", (unsigned long long)seed,
           (unsigned long long)got.events, (unsigned long long)want.events, text);
}

/* What a run that is watched writes, into `folder`. */
static void run_watched(const char *text, const char *engine, const char *folder)
{
    weir_diag *diag = weir_diag_new();
    weir_scenario *scenario = parse(diag, text, engine);
    weir_run_options options;
    weir_run_result result;
    weir_run_options_init(&options);
    options.output_dir = folder;
    must(diag, weir_run(diag, scenario, &options, &result), "watched");
    weir_run_result_free(&result);
    weir_scenario_free(scenario);
    weir_diag_free(diag);
}

/* Captures, watched flows and traces of packets, byte for byte. */
static void compare_watched(const char *name, const char *text, const char *files)
{
    static const char *const engines[] = {"{type: sequential}", "{type: gpu}", "{type: gpu, lp-size: 8}"};
    char root[] = "/tmp/weir-gpu-watched-XXXXXX", folder[200], command[1000];
    if (!mkdtemp(root))
        exit(1);
    for (int i = 0; i < 3; i++) {
        snprintf(folder, sizeof folder, "%s/%d", root, i);
        run_watched(text, engines[i], folder);
        if (i == 0)
            continue;
        snprintf(command, sizeof command,
                 "cd %s && for f in %s; do test -s 0/$f && cmp 0/$f %d/$f || exit 1; done", root, files, i);
        comparisons++;
        if (system(command) == 0)
            continue;
        failures++;
        printf("DIFFERENT  %s, files of engine %s\n", name, engines[i]);
    }
    snprintf(command, sizeof command, "rm -r %s", root);
    if (system(command) != 0)
        exit(1);
    printf("%s: files alike\n", name);
}

/* The scenarios of test_differential.c; emulated, those with few events. */
static void compare_random(void (*write)(uint64_t seed, char *text, size_t size), uint64_t seed, int count)
{
    static const char *const engines[] = {"{type: gpu}", "{type: gpu, lp-size: 1}",
                                          "{type: gpu, lp-size: 8}"};
    int some = 0;
    for (; some < count; seed++) {
        char text[4096];
        write(seed, text, sizeof text);
        const outcome want = run_whole("random", text, "{type: sequential}");
        if (want.events > RANDOM_EVENTS_MOST)
            continue;
        some++;
        const outcome got = run_whole("random", text, engines[seed % 3]);
        comparisons++;
        compare_in_two(text, want, seed);
        compare_moved(text, want, seed);
        if (memcmp(&got, &want, sizeof got) == 0)
            continue;
        failures++;
        printf("DIFFERENT  seed %llu, engine %s: events %llu/%llu, of\n%s", (unsigned long long)seed,
               engines[seed % 3], (unsigned long long)got.events, (unsigned long long)want.events, text);
    }
    printf("%d random scenarios\n", some);
}

/* `beside`: fluid is simulated too, which two engines are enough for. Emulated, a kernel a step takes
 * longest. */
static void compare_with(const outcome &want, const char *name, double ms, const char *text, bool beside)
{
    static const char *const engines[] = {"{type: gpu}", "{type: gpu, host-driven: true}",
                                          "{type: gpu, lp-size: 1}", "{type: gpu, lp-size: 16}"};
    for (int i = 0; i < (beside ? 2 : 4); i++) {
        if (SHARE > 1 && i == 1)
            continue;
        const outcome got = run(name, ms, text, engines[i]);
        comparisons++;
        if (memcmp(&got, &want, sizeof got) == 0)
            continue;
        failures++;
        printf("DIFFERENT  %s, engine %s: events %llu/%llu, hops %llu/%llu, digests %016llx %016llx, want "
               "%016llx "
               "%016llx\n",
               name, engines[i], (unsigned long long)got.events, (unsigned long long)want.events,
               (unsigned long long)got.hops, (unsigned long long)want.hops,
               (unsigned long long)got.event_digest, (unsigned long long)got.state_digest,
               (unsigned long long)want.event_digest, (unsigned long long)want.state_digest);
    }
    printf("%s: %llu events\n", name, (unsigned long long)want.events);
}

static void compare(const char *name, double ms, const char *text)
{
    compare_with(run(name, ms, text, "{type: sequential}"), name, ms, text, false);
}

/* A run with fluid, saved in one place and gone on with in another: host, device beside the host's packets, or both there. */
static void compare_fluid_in_two(const char *name, double ms, const char *host, const char *device,
                                 const outcome &want)
{
    static const struct {
        bool first_there, second_there;
        const char *first, *second;
        double share;
    } moves[] = {{true, false, "{type: sequential}", "{type: sequential}", 0.4},
                 {true, true, "{type: gpu}", "{type: gpu}", 0.55},
                 {true, false, "{type: gpu}", "{type: conservative, threads: 2}", 0.7},
                 {false, true, "{type: sequential}", "{type: sequential}", 0.3},
                 {false, true, "{type: sequential}", "{type: gpu}", 0.6}};
    static int turn;
    for (const auto &move : moves) {
        char first[4096], second[4096];
        if (SHARE > 1 && &move != &moves[turn % 5]) /* emulated, one by turns */
            continue;
        snprintf(first, sizeof first, "weir: 1\nduration: %gms\n%s", ms, move.first_there ? device : host);
        snprintf(second, sizeof second, "weir: 1\nduration: %gms\n%s", ms, move.second_there ? device : host);
        const outcome got = run_in_two(first, second, move.first, move.second, move.share);
        comparisons++;
        if (memcmp(&got, &want, sizeof got) == 0)
            continue;
        failures++;
        printf("DIFFERENT  %s, fluid saved on %s %s, gone on with on %s %s\n", name,
               move.first_there ? "the device, engine" : "the host, engine", move.first,
               move.second_there ? "the device, engine" : "the host, engine", move.second);
    }
    turn++;
}

/* Packets beside fluid: on the device with both there, and on the host, on one thread and on two, with the
 * fluid on the host and on the device. */
static void compare_fluid(const char *name, double ms, const char *text, const char *coupling)
{
    char host[2048], device[2048];
    snprintf(host, sizeof host, "%sfluid: {device: cpu, %s}\n", text, coupling);
    snprintf(device, sizeof device, "%sfluid: {device: cuda, %s}\n", text, coupling);
    static const char *const engines[] = {"{type: sequential}", "{type: conservative, threads: 2}"};
    const outcome want = run(name, ms, host, engines[0]);
    for (const char *engine : engines) {
        const outcome other = run(name, ms, device, engine);
        comparisons++;
        if (memcmp(&other, &want, sizeof other) != 0) {
            failures++;
            printf("DIFFERENT  %s, %s: fluid on the device, engine %s\n", name, coupling, engine);
        }
    }
    compare_with(want, name, ms, device, true);
    compare_fluid_in_two(name, ms, host, device, want);
}

static void all(void)
{
    compare("dumbbell, drop-tail, TCP", 2000 / SHARE,
            "topology:\n"
            "  generate: {model: dumbbell, left: 8, right: 8}\n"
            "  link: {rate: 20Mbps, delay: 5ms}\n"
            "  queue: {type: droptail, limit: 60kB}\n"
            "traffic:\n"
            "  - {name: bulk, tcp: {sessions: 2}, pairs: {random: 8}, start: 0s}\n");
    compare("steady states, skipped", 10000,
            "topology:\n"
            "  generate: {model: dumbbell, left: 3, right: 3, access_rate: 100Mbps, bottleneck_rate: 10Mbps, "
            "access_delay: 1ms, bottleneck_delay: 10ms}\n"
            "traffic:\n"
            "  - {name: bulk, tcp: {window: 6kB, size: 700kB}, from: l0, to: r0}\n"
            "  - {name: even, udp: {rate: 400kbps, packet: 500B}, from: l1, to: r1, start: 1s}\n"
            "steady: {skip: true, error: 20%}\n");
    compare("grid, RED with ECN, TCP and UDP", 1000 / SHARE,
            "topology:\n"
            "  generate: {model: grid, width: 5, height: 4}\n"
            "  link: {rate: 10Mbps, delay: 3ms}\n"
            "  queue: {type: red, limit: 100kB, min: 10kB, max: 40kB, max_p: 0.1, w: 0.01, ecn: true}\n"
            "routing: {ecmp: true}\n"
            "traffic:\n"
            "  - {name: bulk, tcp: {ecn: true}, pairs: {random: 12}, start: 0s}\n"
            "  - {name: noise, udp: {rate: 2Mbps, pattern: poisson, packet: 700B}, pairs: {random: 12}}\n");
    compare(
        "every congestion control", 1000 / SHARE,
        "topology:\n"
        "  generate: {model: dumbbell, left: 10, right: 10, bottleneck_rate: 50Mbps, bottleneck_delay: 1ms}\n"
        "  queue: {type: red, limit: 100kB, min: 5kB, max: 40kB, max_p: 0.1, w: 0.01, ecn: true}\n"
        "traffic:\n"
        "  - {name: a, tcp: {congestion: newreno, pacing: true}, from: l0, to: r0}\n"
        "  - {name: b, tcp: {congestion: cubic}, from: l1, to: r1}\n"
        "  - {name: c, tcp: {congestion: dctcp}, from: l2, to: r2}\n"
        "  - {name: d, tcp: {congestion: prague}, from: l3, to: r3}\n"
        "  - {name: e, tcp: {congestion: vegas}, from: l4, to: r4}\n"
        "  - {name: f, tcp: {congestion: ledbat, target: 5ms}, from: l5, to: r5}\n"
        "  - {name: g, tcp: {congestion: swift, delay_target: 5ms, flow_scaling: 5ms}, from: l6, to: r6}\n"
        "  - {name: h, tcp: {congestion: bbr}, from: l7, to: r7}\n"
        "  - {name: i, tcp: {congestion: bbr3}, from: l8, to: r8}\n"
        "  - {name: j, tcp: {congestion: dcqcn, ai_rate: 1Mbps}, from: l9, to: r9}\n");
    compare("fat-tree, arrivals", 50 / SHARE,
            "topology:\n"
            "  generate: {model: fat-tree, k: 4}\n"
            "  link: {rate: 1Gbps, delay: 20us}\n"
            "  queue: {type: droptail, limit: 100kB}\n"
            "routing: {ecmp: true}\n"
            "traffic:\n"
            "  - {name: mice, tcp: {size: 30kB, arrivals: {poisson: 2000/s}}, pairs: {random: 16}}\n");
    compare(
        "switches that pause their neighbours", 5.0 / SHARE,
        "topology:\n"
        "  generate: {model: leaf-spine, leaves: 3, spines: 2, hosts: 4, access_rate: 10Gbps, rate: 10Gbps, "
        "access_delay: 1us, delay: 1us}\n"
        "  queue: {type: threshold, mark: 20kB}\n"
        "  shared_buffer: {size: 300kB, alpha: 0.5, pfc: {lossless: [0, 3], xoff: 10kB, xon_offset: 2kB}}\n"
        "routing: {ecmp: true}\n"
        "traffic:\n"
        "  - {name: incast, from: 'h[1-9]', to: h0, tcp: {size: 256kB}}\n"
        "  - {name: marked, from: 'h[1-9]', to: h10, dscp: 24, tcp: {congestion: dctcp, ecn: true}}\n"
        "  - {name: lossy, from: [h4, h5, h6, h7], to: h1, dscp: 8, udp: {rate: 3Gbps, packet: 200B}}\n");
    compare("NDP, trimmed and sprayed", 5.0 / SHARE,
            "topology:\n"
            "  generate: {model: fat-tree, k: 4, rate: 10Gbps, delay: 500ns}\n"
            "  queue: {type: trim}\n"
            "routing: {ecmp: true, spray: true}\n"
            "traffic:\n"
            "  - {name: incast, from: 'h[1-9]', to: h0, tcp: {congestion: ndp, size: 100kB}}\n"
            "  - {name: bulk, pairs: permutation, tcp: {congestion: ndp, mss: 8960B}}\n");
    compare(
        "Ultra Ethernet's, by entropy values", 5.0 / SHARE,
        "topology:\n"
        "  generate: {model: fat-tree, k: 4, rate: 10Gbps, delay: 500ns}\n"
        "  queue: {type: trim, limit: 30kB, mark_min: 6kB, mark_max: 24kB}\n"
        "routing: {ecmp: true}\n"
        "traffic:\n"
        "  - {name: incast, from: 'h[1-9]', to: h0, tcp: {congestion: nscc, balance: reps, size: 100kB}}\n"
        "  - {name: granted, from: 'h[4-9]', to: h1, tcp: {congestion: rccc, oversubscription: 2, size: "
        "200kB}}\n"
        "  - {name: bulk, pairs: permutation, tcp: {congestion: nscc, credits: true, balance: bitmap}}\n");
    compare("RDMA's recoveries", 5.0 / SHARE,
            "topology:\n"
            "  generate: {model: fat-tree, k: 4, rate: 10Gbps, delay: 500ns}\n"
            "  queue: {limit: 60kB}\n"
            "routing: {ecmp: true}\n"
            "traffic:\n"
            "  - {name: back, from: 'h[1-9]', to: h0, tcp: {congestion: hpcc, recovery: go-back-n, size: "
            "100kB}}\n"
            "  - {name: irn, pairs: permutation, tcp: {congestion: timely, recovery: irn, size: 500kB}}\n");
    compare("flowlets", 5.0 / SHARE,
            "topology:\n"
            "  generate: {model: fat-tree, k: 4, rate: 10Gbps, delay: 500ns}\n"
            "routing: {ecmp: true, flowlets: 5us}\n"
            "traffic:\n"
            "  - {name: bulk, pairs: permutation, tcp: {size: 256kB}}\n"
            "  - {name: bursts, from: 'h[1-9]', to: h0, udp: {rate: 500Mbps, pattern: onoff}}\n");
    static const char *const metered[] = {"shared_buffer: {size: 900kB, pfc: {}}",
                                          "shared_buffer: {size: 100kB}", "queue: {limit: 60kB}",
                                          "queue: {type: priority, limit: 60kB}"};
    for (const char *ports : metered) {
        char text[900];
        snprintf(text, sizeof text,
                 "topology:\n"
                 "  generate: {model: fat-tree, k: 4, rate: 10Gbps, delay: 500ns}\n"
                 "  %s\n"
                 "routing: {ecmp: true, spray: true}\n"
                 "traffic:\n"
                 "  - {name: incast, from: 'h[1-9]', to: h0, tcp: {congestion: hpcc, size: 100kB}}\n"
                 "  - {name: bulk, pairs: permutation, tcp: {congestion: hpcc}}\n",
                 ports);
        compare("HPCC, by what ports measure", 5.0 / SHARE, text);
    }
    static const char *const turns[] = {"queue: {limit: 60kB}",
                                        "shared_buffer: {size: 300kB, pfc: {xoff: 6kB}}"};
    for (const char *ports : turns) {
        char text[1200];
        snprintf(
            text, sizeof text,
            "topology:\n"
            "  generate: {model: star, hosts: 8, access_rate: 10Gbps, access_delay: 2us}\n"
            "  %s\n"
            "  host_queue: {limit: 20kB}\n"
            "traffic:\n"
            "  - {name: a, from: [h0, h1], to: [h2, h3], tcp: {window: 200kB}}\n"
            "  - {name: b, from: h0, to: h2, dscp: 46, tcp: {congestion: bbr, mss: 400B, window: 100kB}}\n"
            "  - {name: r, from: 'h[4-7]', to: h2, tcp: {congestion: dcqcn, max_rate: 8Gbps, rto_initial: "
            "1ms}}\n"
            "  - {name: s, from: [h0, h4], to: 'h[5-7]', tcp: {congestion: swift, size: 9kB, arrivals: "
            "{poisson: 50000/s}}}\n"
            "  - {name: u, from: h0, to: [h4, h2], udp: {rate: 6Gbps, packet: {uniform: [64B, 1500B]}, "
            "pattern: poisson}}\n",
            ports);
        compare("hosts whose flows take turns", 3.0 / SHARE, text);
    }
    compare("a ring whose links fail and come back", 400 / SHARE,
            "topology:\n"
            "  generate: {model: ring, routers: 6, hosts: 1, rate: 100Mbps, delay: 200us}\n"
            "routing: {convergence: 500us}\n"
            "traffic:\n"
            "  - {name: bulk, tcp: {sessions: 2}, pairs: {random: 6}, start: 0s}\n"
            "  - {name: noise, udp: {rate: 2Mbps, pattern: poisson}, pairs: {random: 6}}\n"
            "events:\n"
            "  - {at: 2ms, fail: {link: r0--r1}}\n"
            "  - {at: 4ms, repair: {link: r0--r1}, fail: {node: r3}}\n"
            "  - {at: 6ms, repair: {node: r3}}\n");
    static const char *const couplings[] = {
        "coupling: lockstep, lookahead: 5", "coupling: async, batch: 3, lookahead: 4",
        "coupling: async, batch: auto", "coupling: async, batch: 2, fixup: false",
        "coupling: async, batch: 2, lookahead: 7, precision: double"};
    for (const char *coupling : couplings) {
        compare_fluid(
            "a line with RED, TCP and UDP beside fluid", SHARE > 1 ? 75 : 1500,
            "topology:\n"
            "  generate: {model: line, routers: 4, hosts: 2, rate: 20Mbps, delay: 10ms, access_delay: 5ms}\n"
            "  queue: {type: red, limit: 1MB, min: 20kB, max: 200kB, max_p: 0.1, w: 0.001, gentle: true}\n"
            "traffic:\n"
            "  - {name: bulk, tcp: {sessions: 8}, pairs: {random: 3}, start: 0s, fidelity: {packet: 3, "
            "fluid: rest}}\n"
            "  - {name: noise, udp: {rate: 2Mbps, pattern: poisson, packet: 700B}, pairs: {random: 4}}\n"
            "  - {name: back, tcp: {sessions: 5}, pairs: {random: 3}, start: 20ms, fidelity: fluid}\n",
            coupling);
        compare_fluid(
            "a ring whose links fail beside fluid", SHARE > 1 ? 75 : 1500,
            "topology:\n"
            "  generate: {model: ring, routers: 5, hosts: 0, rate: 20Mbps, delay: 5ms}\n"
            "  queue: {type: droptail, limit: 40kB}\n"
            "traffic:\n"
            "  - {name: bulk, tcp: {sessions: 6}, from: r0, to: r2, fidelity: {packet: 2, fluid: rest}}\n"
            "  - {name: noise, udp: {rate: 3Mbps}, from: r1, to: r3, fidelity: fluid}\n"
            "routing: {convergence: 10ms}\n"
            "events: [{at: 20ms, fail: {link: r1--r2}}, {at: 50ms, repair: {link: r1--r2}}]\n",
            coupling);
        compare_fluid("a dumbbell with full drop-tail queues beside fluid", SHARE > 1 ? 75 : 1500,
                      "topology:\n"
                      "  generate: {model: dumbbell, left: 6, right: 6}\n"
                      "  link: {rate: 10Mbps, delay: 8ms}\n"
                      "  queue: {type: droptail, limit: 40kB}\n"
                      "traffic:\n"
                      "  - {name: bulk, tcp: {sessions: 4}, pairs: {random: 6}, start: 0s, fidelity: "
                      "{packet: 1, fluid: rest}}\n"
                      "  - {name: flood, udp: {rate: 3Mbps}, pairs: {random: 3}, fidelity: fluid}\n",
                      coupling);
    }
    compare_watched("captures, watched flows and packets",
                    SHARE > 1 ? "weir: 1\nduration: 30ms\n" WATCHED : "weir: 1\nduration: 2s\n" WATCHED,
                    "l1.pcapng left--right.pcapng captures.csv flowmon.xml histograms.csv packets.h5 "
                    "flows.csv ports.csv");
    compare_watched("pauses, captured",
                    SHARE > 1 ? "weir: 1\nduration: 300us\n" PAUSED : "weir: 1\nduration: 20ms\n" PAUSED,
                    "h1.pcapng leaf1--spine0.pcapng captures.csv flows.csv ports.csv");
    /* Ports with hundreds of packets on their way to them: a warp handles them together, up to one that is
     * dropped. */
    compare(
        "busy lines, some of them too slow", 100,
        "topology:\n"
        "  generate: {model: dumbbell, left: 6, right: 6, bottleneck_rate: 3Gbps, bottleneck_delay: 1ms,\n"
        "             access_rate: 1Gbps, access_delay: 1ms}\n"
        "  queue: {type: droptail, limit: 20kB}\n"
        "traffic:\n"
        "  - {name: small, udp: {rate: 450Mbps, pattern: poisson, packet: 400B}, pairs: {random: 6}, start: "
        "92ms}\n"
        "  - {name: large, udp: {rate: 400Mbps, pattern: poisson, packet: 1400B}, pairs: {random: 6}, start: "
        "92ms}\n"
        "  - {name: bulk, tcp: {sessions: 3}, pairs: {random: 4}, start: 97ms}\n");
    compare("phold", SHARE > 1 ? 0.003 : 0.02,
            "model: {phold: {entities: 3000, events: 4, remote: 0.7, lookahead: 1us, mean: 2us}}\n");
    compare("kademlia", 4000 / SHARE, "model: {kademlia: {peers: 3000, think: 1s}}\n");
    compare_random(random_scenario, 1, RANDOM_SCENARIOS);
    compare_random(random_steady, 1, RANDOM_STEADY);
}

/* With arguments FIRST_SEED COUNT: random scenarios alone. */
int main(int argc, char **argv)
{
    setvbuf(stdout, nullptr, _IOLBF, 0);
    if (argc == 3)
        compare_random(random_scenario, strtoull(argv[1], nullptr, 10), atoi(argv[2]));
    else
        all();
    printf("%s: %d comparisons, %d differences\n", failures ? "FAIL" : "PASS", comparisons, failures);
    return failures ? 1 : 0;
}
