/*
 * The conservative engine beside the sequential one: events per second on 1, 2, ... threads. links: scenario
 * output net models engine routing topology base
 *
 * bench_conservative [TURNS [THREADS [EVENTS]]]. Each workload runs in TURNS parts (default 5) of some EVENTS
 * events (default 2,000,000), the engines in turn part by part, so that all see the same machine. Speed-up is
 * the median, over the turns, of the sequential part's wall-clock time over that of the same part on threads;
 * its quartiles stand beside it. Rates are the best part's, and "of the best" is their ratio, which flatters:
 * on a machine with other work many short parts (100 of 200,000) find moments when all cores are free, and
 * with a million pending events they hide how seldom the pending set is sorted anew. Before anything is
 * printed all have the sequential engine's digests. "by CPU time" is an upper bound that other programs do not
 * lower: threads * sequential processor time / that of the threads. Sleep at meetings is left out of it.
 */
#include <unistd.h>

#include "bench.h"
#include "models/phold/phold.h"
#include "scenario/subjects/packets/packets.h"
#include "../tests/models/usual/phold.h"

enum { TURNS_MAX = 1000, ENGINES_MAX = 8 };

/* One engine's run of a workload. */
typedef struct runner {
    uint32_t threads; /* 0: sequential */
    weir_sim *sim;
    double best, best_cpu; /* seconds an event */
    double *ratio;         /* [turns] the sequential engine's time for a part over this one's */
} runner;

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The value below which a share of n sorted ones lies, between neighbours in proportion. */
static double quantile(const double *sorted, int n, double share)
{
    const double at = share * (n - 1);
    const int low = (int)at, high = low + 1 < n ? low + 1 : low;
    return sorted[low] + (at - low) * (sorted[high] - sorted[low]);
}

/* Warm up, then `turns` parts of part_ps, and a line for each runner. */
static void bench(weir_diag *diag, const char *name, const weir_setup *setup, weir_time warm_ps,
                  weir_time part_ps, int turns, uint32_t most_threads)
{
    runner runners[ENGINES_MAX];
    int n = 0;
    for (uint32_t threads = 0; threads <= most_threads && n < ENGINES_MAX;
         threads = threads ? 2 * threads : 2) {
        weir_setup own = *setup;
        own.engine = threads ? WEIR_ENGINE_CONSERVATIVE : WEIR_ENGINE_SEQUENTIAL;
        own.threads = threads;
        runners[n] = (runner){.threads = threads,
                              .best = 1e9,
                              .best_cpu = 1e9,
                              .ratio = malloc((size_t)turns * sizeof *runners[n].ratio)};
        if (!runners[n].ratio)
            bench_fail("no memory for %d turns", turns);
        bench_must(diag, weir_sim_new(diag, &own, &runners[n].sim));
        bench_must(diag, weir_sim_run(diag, runners[n++].sim, warm_ps, NULL));
    }
    for (int turn = 1; turn <= turns; turn++) {
        double sequential = 0.0;
        for (int i = 0; i < n; i++) {
            runner *r = &runners[i];
            const uint64_t before = weir_sim_events(r->sim);
            const double wall = bench_wall_s(), cpu = bench_cpu_s();
            bench_must(diag, weir_sim_run(diag, r->sim, warm_ps + turn * part_ps, NULL));
            const double events = (double)(weir_sim_events(r->sim) - before);
            const double one = (bench_wall_s() - wall) / events;
            const double one_cpu = (bench_cpu_s() - cpu) / events;
            r->best = one < r->best ? one : r->best;
            r->best_cpu = one_cpu < r->best_cpu ? one_cpu : r->best_cpu;
            sequential = i == 0 ? one : sequential;
            r->ratio[turn - 1] = sequential / one;
        }
    }
    for (int i = 1; i < n; i++)
        bench_same(runners[0].sim, runners[i].sim, name);
    for (int i = 0; i < n; i++) {
        const runner *r = &runners[i];
        qsort(r->ratio, (size_t)turns, sizeof *r->ratio, by_value);
        if (r->threads == 0)
            printf("%-28s %8s %10.2f\n", name, "1", 1e-6 / r->best);
        else
            printf("%-28s %8u %10.2f %9.2f %6.2f-%.2f %12.2f %12.2f %6s\n", name, r->threads, 1e-6 / r->best,
                   quantile(r->ratio, turns, 0.5), quantile(r->ratio, turns, 0.25),
                   quantile(r->ratio, turns, 0.75), runners[0].best / r->best,
                   r->threads * runners[0].best_cpu / r->best_cpu, r->threads == 2 ? "1.80" : "-");
        free(r->ratio);
        weir_sim_free(r->sim);
    }
    fflush(stdout);
}

static void bench_phold(weir_diag *diag, uint32_t entities, uint32_t events_each, double part_events,
                        int turns, uint32_t threads)
{
    phold_params params;
    wi_uniform *phold;
    weir_setup setup;
    char name[64];
    usual_phold(&params);
    params.n_entities = entities;
    params.events_per_entity = events_each;
    params.mean_ps = 10 * params.lookahead_ps;
    bench_must(diag, wi_phold_new(diag, &params, &phold));
    wi_uniform_setup(phold, &setup);
    setup.seed = 1;
    snprintf(name, sizeof name, "PHOLD %u x %u, L = M/10", entities, events_each);
    /* Each event takes 11 lookaheads. */
    const double pending = (double)entities * events_each;
    const weir_time part_ps = (weir_time)(part_events / pending * 11.0 * (double)params.lookahead_ps);
    bench(diag, name, &setup, 22 * params.lookahead_ps, part_ps, turns, threads);
    wi_uniform_free(phold);
}

/* Every host sends at half of its link's rate to another one. */
static void bench_fat_tree(weir_diag *diag, double part_events, int turns, uint32_t threads)
{
    static const char text[] = "weir: 1\n"
                               "duration: 1min\n"
                               "topology:\n"
                               "  generate: {model: fat-tree, k: 16}\n"
                               "routing: {ecmp: true}\n"
                               "traffic:\n"
                               "  - name: half\n"
                               "    udp: {rate: 5Gbps}\n"
                               "    start: {uniform: [0s, 50us]}\n"
                               "    pairs: permutation\n";
    weir_scenario *scenario;
    wi_network *network;
    weir_setup setup = {.seed = 1};
    bench_must(diag, weir_scenario_parse(diag, "fat-tree", text, sizeof text - 1, NULL, NULL, 0, &scenario));
    bench_must(diag, wi_network_build(diag, scenario, &network));
    wi_net_setup(network->net, &setup);
    /* Two million events in half a millisecond. */
    const weir_time part_ps = (weir_time)(part_events / 4e9 * (double)WEIR_PS_PER_S);
    bench(diag, "fat-tree k = 16, load 0.5", &setup, WEIR_PS_PER_MS / 5, part_ps, turns, threads);
    wi_network_free(network);
    weir_scenario_free(scenario);
}

int main(int argc, char **argv)
{
    const int turns = bench_count(argc, argv, 1, 5, TURNS_MAX);
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const uint32_t threads = argc > 2 ? (uint32_t)atoi(argv[2]) : cores > 0 ? (uint32_t)cores : 2;
    double part_events = argc > 3 ? atof(argv[3]) : 2e6, load = 0;
    part_events = !(part_events >= 1e4) ? 1e4 : part_events < 1e9 ? part_events : 1e9;
    (void)!getloadavg(&load, 1);
    weir_diag *diag = weir_diag_new();
    printf("Conservative engine, %ld cores, load %.1f before the start; %d parts in turn: rates of the best, "
           "median of the ratios\n",
           cores, load, turns);
    printf("%-28s %8s %10s %9s %11s %12s %12s %6s\n", "workload", "threads", "Mevents/s", "speed-up",
           "quartiles", "of the best", "by CPU time", "goal");
    bench_phold(diag, 1024, 16, part_events, turns, threads);
    bench_phold(diag, 65536, 1, part_events, turns, threads);
    bench_phold(diag, 65536, 16, part_events, turns, threads);
    bench_fat_tree(diag, part_events, turns, threads);
    weir_diag_free(diag);
    return 0;
}
