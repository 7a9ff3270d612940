/*
 * Kademlia on the GPU engine, as paper 003 measures it: events per second against peers and think time (Figure 5), where
 * the time goes (Table 1), fixed against adaptive LP size (Table 2). links: models engine base
 *
 * bench_gpu_kademlia [all | quick | tune | large | profile | table1 [CSV]], or figure5 CSV [RUNS [MINUTES]]. First, digests of small networks must equal the sequential engine's. Each cell is
 * timed after a warm-up in which lookups reach their steady state. `large` is 10 million peers.
 * The file CSV gets every measurement, for tools/plot_kademlia_bench.py.
 *
 * `table1` reads the clocks of all blocks, in both variants, and times the handlers of one core; what a host-driven run waits
 * for is what its kernels leave of the wall time, and what one core does besides handling is counted as inserting.
 *
 * `figure5` has all of the paper's seven sizes, 2^14 to 2^20 peers, at the three d_max, on one core, host-driven
 * and persistent, RUNS times (default 5) with other random numbers; then their means with 95 % confidence
 * intervals. A run of all 63 cells follows the one before until RUNS are done or MINUTES (default 9) have gone
 * by; cells that are left out have fewer runs, which the table says.
 */
#include <x86intrin.h>

#include <cmath>
#include <cstring>

#include "engine/gpu/round/device.h"
#include "../kademlia_csv.h"
extern "C" {
#include "models/kademlia/kademlia.h"
#include "../../tests/models/usual/kademlia.h"
}

static uint32_t run_number; /* other random numbers */
static bool time_steps;     /* of all blocks */

static wi_kad *network(weir_diag *diag, uint32_t peers, weir_time think_ps)
{
    kad_params params;
    wi_kad *kad = nullptr;
    usual_kademlia(&params);
    params.n_peers = peers;
    params.think_ps = think_ps;
    params.run = run_number;
    bench_must(diag, wi_kad_new(diag, &params, &kad));
    return kad;
}

static weir_sim *start(weir_diag *diag, const wi_kad *kad, weir_engine engine, uint32_t lp_size,
                       bool host_driven)
{
    weir_setup setup;
    weir_sim *sim = nullptr;
    wi_kad_setup(kad, &setup);
    setup.engine = engine;
    setup.lp_size = lp_size;
    setup.run = run_number;
    setup.gpu_options.host_driven = host_driven;
    setup.gpu_options.time_steps = time_steps;
    bench_must(diag, weir_sim_new(diag, &setup, &sim));
    return sim;
}

static void check(weir_diag *diag)
{
    for (uint32_t peers : {500u, 8192u}) {
        wi_kad *kad = network(diag, peers, WEIR_PS_PER_S);
        weir_sim *a = start(diag, kad, WEIR_ENGINE_SEQUENTIAL, 0, false);
        bench_must(diag, weir_sim_run(diag, a, 5 * WEIR_PS_PER_S, nullptr));
        for (int i = 0; i < 4; i++) {
            weir_sim *b = start(diag, kad, WEIR_ENGINE_GPU, i / 2 ? 8 : 0, i % 2);
            bench_must(diag, weir_sim_run(diag, b, 5 * WEIR_PS_PER_S, nullptr));
            bench_same(a, b, "sequential and GPU");
            weir_sim_free(b);
        }
        weir_sim_free(a);
        wi_kad_free(kad);
    }
}

/* Simulated time in which lookups reach their steady state, and after which they are measured. */
static weir_time warm_up(weir_time think_ps)
{
    return think_ps / 2 < 4 * (weir_time)WEIR_PS_PER_S ? 4 * (weir_time)WEIR_PS_PER_S : think_ps / 2;
}

static FILE *csv;

/* Also a line of the file. */
static kademlia_cell measure(weir_diag *diag, const wi_kad *kad, uint32_t peers, weir_time think_ps,
                             uint32_t lp_size, bool host_driven, double seconds)
{
    weir_sim *sim = start(diag, kad, WEIR_ENGINE_GPU, lp_size, host_driven);
    wi_gpu_use before, after;
    kademlia_cell c = {};
    c.peers = peers;
    c.think_ps = think_ps;
    c.variant = host_driven ? "host-driven" : "persistent";
    c.adaptive = lp_size == 0;
    weir_time at = warm_up(think_ps);
    bench_must(diag, weir_sim_run(diag, sim, at, nullptr));
    wi_gpu_engine_use(sim, &before, &c.lp_size);
    const uint64_t events = weir_sim_events(sim);
    const weir_time from = at;
    const double t0 = bench_wall_s();
    double wall = 0.0;
    while (wall < seconds) {
        bench_must(diag, weir_sim_run(diag, sim, at += WEIR_PS_PER_S / 2, nullptr));
        wall = bench_wall_s() - t0;
    }
    wi_gpu_engine_use(sim, &after, &c.lp_size);
    c.events_per_s = (double)(weir_sim_events(sim) - events) / wall;
    c.times_real_time = weir_seconds(at - from) / wall;
    c.bytes_per_peer = (double)after.bytes / peers;
    double all = 0.0;
    for (int i = 0; i < WI_GPU_STEPS; i++)
        all += (double)(after.step_ns[i] - before.step_ns[i]);
    const double waited = host_driven && time_steps && wall * 1e9 > all ? wall * 1e9 - all : 0.0;
    all += waited;
    static_assert((int)WI_GPU_STEPS == (int)KADEMLIA_STEPS, "steps of the file");
    for (int i = 0; i < WI_GPU_STEPS; i++)
        c.step[i] = all > 0.0 ? (double)(after.step_ns[i] - before.step_ns[i]) / all * 100.0 : 0.0;
    c.step[WI_GPU_WAIT] += all > 0.0 ? waited / all * 100.0 : 0.0;
    weir_sim_free(sim);
    kademlia_csv_row(csv, &c);
    return c;
}

/* One core of this machine. */
static double sequential_rate(weir_diag *diag, const wi_kad *kad, uint32_t peers, weir_time think_ps,
                              double seconds)
{
    weir_sim *sim = start(diag, kad, WEIR_ENGINE_SEQUENTIAL, 0, false);
    weir_time at = think_ps / 8; /* some lookups are under way */
    bench_must(diag, weir_sim_run(diag, sim, at, nullptr));
    const uint64_t events = weir_sim_events(sim);
    const double t0 = bench_wall_s();
    double wall = 0.0;
    while (wall < seconds) {
        bench_must(diag, weir_sim_run(diag, sim, at += 20 * WEIR_PS_PER_MS, nullptr));
        wall = bench_wall_s() - t0;
    }
    kademlia_cell c = {};
    c.peers = peers;
    c.think_ps = think_ps;
    c.variant = "sequential";
    c.events_per_s = (double)(weir_sim_events(sim) - events) / wall;
    c.times_real_time = weir_seconds(at - think_ps / 8) / wall;
    kademlia_csv_row(csv, &c);
    weir_sim_free(sim);
    return c.events_per_s;
}

static void row(weir_diag *diag, uint32_t peers, weir_time think_ps, bool with_cpu, bool with_fixed,
                double seconds)
{
    wi_kad *kad = network(diag, peers, think_ps);
    printf("%9u %5.0f s", peers, weir_seconds(think_ps));
    const double cpu = with_cpu ? sequential_rate(diag, kad, peers, think_ps, 2 * seconds) : 0.0;
    double best = 0.0;
    for (uint32_t size = 1; with_fixed && size <= 16; size *= 2) {
        const kademlia_cell c = measure(diag, kad, peers, think_ps, size, false, seconds);
        best = c.events_per_s > best ? c.events_per_s : best;
        printf(" %7.1f", c.events_per_s * 1e-6);
        fflush(stdout);
    }
    const kademlia_cell a = measure(diag, kad, peers, think_ps, 0, false, seconds);
    const kademlia_cell h = measure(diag, kad, peers, think_ps, 0, true, seconds);
    best = a.events_per_s > best ? a.events_per_s : best;
    printf(" | %7.1f (%2u) %5.1f %% | %7.1f | %6.2f %5.0fx | %8.2f %6.0f | %4.1f %4.1f %4.1f %4.1f %4.1f\n",
           a.events_per_s * 1e-6, a.lp_size, a.events_per_s / best * 100.0, h.events_per_s * 1e-6, cpu * 1e-6,
           cpu > 0.0 ? a.events_per_s / cpu : 0.0, a.times_real_time, a.bytes_per_peer, a.step[WI_GPU_SELECT],
           a.step[WI_GPU_HANDLING], a.step[WI_GPU_INSERT], a.step[WI_GPU_GROW], a.step[WI_GPU_WAIT]);
    fflush(stdout);
    wi_kad_free(kad);
}

/* ---- table 1 ---- */

/* One core's handlers, each timed by the processor's clock. */
static const weir_event_type *timed_types;
static uint64_t handler_ticks, handled;

static void timed_handler(weir_ctx *ctx, void *state, const weir_event *event)
{
    const uint64_t from = __rdtsc();
    timed_types[event->type].handle(ctx, state, event);
    handler_ticks += __rdtsc() - from;
    handled++;
}

/* What two readings of the clock take by themselves: the least of many. */
static uint64_t clock_ticks(void)
{
    uint64_t least = ~(uint64_t)0;
    for (int i = 0; i < 100000; i++) {
        const uint64_t from = __rdtsc(), ticks = __rdtsc() - from;
        least = ticks < least ? ticks : least;
    }
    return least;
}

/* The share of handling in one core's time. Two runs in turn: the first without clocks, for how long handling and the rest
 * take; the second for the handlers alone, less what reading the clock takes. */
static kademlia_cell sequential_steps(weir_diag *diag, const wi_kad *kad, uint32_t peers, weir_time think_ps,
                                      weir_time span_ps)
{
    weir_setup setup;
    weir_event_type types[16];
    kademlia_cell c = {};
    double wall[2];
    uint64_t ticks = 0, events = 0;
    double ticks_per_s = 0.0;
    for (int timed = 0; timed < 2; timed++) {
        weir_sim *sim = nullptr;
        wi_kad_setup(kad, &setup);
        weir_model model = *setup.model;
        timed_types = setup.model->types;
        for (int i = 0; timed && i < model.n_types; i++) {
            types[i] = timed_types[i];
            types[i].handle = timed_handler;
        }
        model.types = timed ? types : timed_types;
        setup.model = &model;
        setup.run = run_number;
        bench_must(diag, weir_sim_new(diag, &setup, &sim));
        bench_must(diag, weir_sim_run(diag, sim, think_ps / 8, nullptr));
        const uint64_t from = weir_sim_events(sim), ticks_from = __rdtsc();
        handler_ticks = handled = 0;
        const double t0 = bench_wall_s();
        bench_must(diag, weir_sim_run(diag, sim, think_ps / 8 + span_ps, nullptr));
        wall[timed] = bench_wall_s() - t0;
        events = weir_sim_events(sim) - from;
        ticks_per_s = (double)(__rdtsc() - ticks_from) / wall[timed];
        weir_sim_free(sim);
    }
    ticks = handler_ticks - handled * clock_ticks();
    c.peers = peers;
    c.think_ps = think_ps;
    c.variant = "sequential";
    c.events_per_s = (double)events / wall[0];
    c.times_real_time = weir_seconds(span_ps) / wall[0];
    c.step[WI_GPU_HANDLING] = (double)ticks / ticks_per_s / wall[0] * 100.0;
    c.step[WI_GPU_INSERT] = 100.0 - c.step[WI_GPU_HANDLING];
    kademlia_csv_row(csv, &c);
    return c;
}

static void print_steps(const kademlia_cell *c)
{
    printf("%9u  %-12s %8.2f  %6.1f %6.1f %6.1f %6.1f %6.1f\n", c->peers, c->variant, c->events_per_s * 1e-6,
           c->step[WI_GPU_SELECT], c->step[WI_GPU_HANDLING], c->step[WI_GPU_INSERT], c->step[WI_GPU_GROW],
           c->step[WI_GPU_WAIT]);
    fflush(stdout);
}

static void table1(weir_diag *diag)
{
    const weir_time think_ps = 10 * WEIR_PS_PER_S;
    printf("Kademlia, d_max 10 s: percent of time by step, all blocks; of one core, inserting is all but "
           "handling\n"
           "    peers  variant      M ev/s   select handle insert   grow   wait\n");
    time_steps = true;
    for (uint32_t peers : {1u << 14, 1u << 17, 1u << 20}) {
        wi_kad *kad = network(diag, peers, think_ps);
        const kademlia_cell one =
            sequential_steps(diag, kad, peers, think_ps, (weir_time)(WEIR_PS_PER_S * 4.0 * 16384 / peers));
        print_steps(&one);
        for (bool host_driven : {true, false}) {
            const kademlia_cell c = measure(diag, kad, peers, think_ps, 0, host_driven, 1.0);
            print_steps(&c);
        }
        wi_kad_free(kad);
    }
}

/* ---- figure 5, several runs ---- */

enum { SIZES = 7, THINKS = 3, VARIANTS = 3, RUNS_MOST = 30 };
static const char *const variant_names[VARIANTS] = {"one core", "host-driven", "persistent"};

/* The 97.5 % quantile of Student's t with n - 1 degrees of freedom. */
static double student(int n)
{
    static const double t[] = {0,     0,     12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262,
                               2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                               2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045};
    return t[n < 2 ? 0 : n > RUNS_MOST ? RUNS_MOST : n];
}

static void print_cell(uint32_t peers, weir_time think_ps, int variant, const double *rate, int n)
{
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < n; i++)
        sum += rate[i];
    const double mean = n > 0 ? sum / n : 0.0;
    for (int i = 0; i < n; i++)
        squares += (rate[i] - mean) * (rate[i] - mean);
    const double half = n > 1 ? student(n) * sqrt(squares / (n - 1) / n) : 0.0;
    printf("%9u %5.0f s  %-12s %10.3f +- %-8.3f %3d\n", peers, weir_seconds(think_ps), variant_names[variant],
           mean * 1e-6, half * 1e-6, n);
}

static void figure5(weir_diag *diag, int runs, double budget_s)
{
    static double rate[THINKS][SIZES][VARIANTS][RUNS_MOST];
    static int n[THINKS][SIZES][VARIANTS];
    const weir_time think[THINKS] = {10 * WEIR_PS_PER_S, 60 * WEIR_PS_PER_S, 600 * WEIR_PS_PER_S};
    const double began_s = bench_wall_s(), seconds = 0.25;
    int late = 0;
    for (run_number = 0; run_number < (uint32_t)runs && !late; run_number++)
        for (int size = SIZES - 1; size >= 0 && !late; size--)
            for (int t = 0; t < THINKS && !late; t++) {
                const uint32_t peers = 1u << (14 + size);
                wi_kad *kad = network(diag, peers, think[t]);
                const double one[VARIANTS] = {
                    sequential_rate(diag, kad, peers, think[t], seconds),
                    measure(diag, kad, peers, think[t], 0, true, seconds).events_per_s,
                    measure(diag, kad, peers, think[t], 0, false, seconds).events_per_s};
                for (int v = 0; v < VARIANTS; v++)
                    rate[t][size][v][n[t][size][v]++] = one[v];
                wi_kad_free(kad);
                late = bench_wall_s() - began_s > budget_s;
            }
    printf("    peers   d_max  variant        M events/s, mean and 95 %% interval   runs\n");
    for (int t = 0; t < THINKS; t++)
        for (int size = 0; size < SIZES; size++)
            for (int v = 0; v < VARIANTS; v++)
                print_cell(1u << (14 + size), think[t], v, rate[t][size][v], n[t][size][v]);
    printf("%.0f s; %s\n", bench_wall_s() - began_s, late ? "ended by the time allowed" : "all runs done");
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    weir_diag *diag = weir_diag_new();
    if (strcmp(what, "profile") == 0) { /* host-driven alone: a kernel a step, for a profiler */
        wi_kad *kad = network(diag, 1u << 20, 10 * WEIR_PS_PER_S);
        measure(diag, kad, 1u << 20, 10 * WEIR_PS_PER_S, 1, true, 0.1);
        wi_kad_free(kad);
        return 0;
    }
    check(diag);
    csv = kademlia_csv_open(argc > 2 ? argv[2] : NULL);
    if (strcmp(what, "figure5") == 0) {
        const int runs = bench_count(argc, argv, 3, 5, RUNS_MOST);
        figure5(diag, runs, 60.0 * bench_count(argc, argv, 4, 9, 24 * 60));
        kademlia_csv_close(csv);
        weir_diag_free(diag);
        return 0;
    }
    if (strcmp(what, "table1") == 0) {
        table1(diag);
        kademlia_csv_close(csv);
        weir_diag_free(diag);
        return 0;
    }
    printf("Kademlia on the GPU engine, million events a second; k 8, alpha 3, latency 10 ms + Exp(50 ms)\n");
    printf("                 fixed LP size, persistent               | adaptive (its size), | host-  | one "
           "core,   | real "
           "time,      | %% of time: select, handle,\n");
    printf("    peers   d_max       1       2       4       8      16 |   share of the best  | driven |      "
           "ratio  | bytes "
           "a peer   | insert, grow, wait\n");
    const weir_time s = WEIR_PS_PER_S;
    if (strcmp(what, "quick") == 0) {
        row(diag, 1u << 20, 10 * s, true, true, 0.5);
    } else if (strcmp(what, "tune") == 0) {
        row(diag, 1u << 20, 10 * s, false, false, 0.3);
    } else if (strcmp(what, "large") == 0) {
        row(diag, 10000000, 60 * s, false, false, 1.0);
    } else {
        for (weir_time think : {10 * s, 60 * s, 600 * s})
            for (uint32_t peers : {1u << 14, 1u << 17, 1u << 20})
                row(diag, peers, think, true, true, 1.0);
    }
    kademlia_csv_close(csv);
    weir_diag_free(diag);
    return 0;
}
