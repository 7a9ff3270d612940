/*
 * PHOLD on the GPU engine: events per second against LPs, events an LP, lookahead, remote share, LP size and variant.
 * links: models engine base
 *
 * bench_gpu_phold [quick | row N]. First, digests of smaller runs must equal the sequential engine's. Then each row is timed over
 * some tenths of a second after a warm-up; the digest of a second run of the same length must be the same.
 */
#include <cstring>

#include "../bench.h"
#include "engine/gpu/round/device.h"
extern "C" {
#include "models/phold/phold.h"
#include "../../tests/models/usual/phold.h"
}

struct bench_row {
    uint32_t entities, events_each;
    double remote;
    int mean_in_lookaheads;
    uint32_t lp_size; /* 0: adapts */
    bool host_driven;
    double goal; /* events/s; 0: none */
};

struct bench_run {
    wi_uniform *phold;
    weir_sim *sim;
};

static bench_run start(weir_diag *diag, const bench_row &row, weir_engine engine)
{
    phold_params params;
    bench_run run;
    weir_setup setup;
    usual_phold(&params);
    params.n_entities = row.entities;
    params.events_per_entity = row.events_each;
    params.remote_share = row.remote;
    params.lookahead_ps = WEIR_PS_PER_US;
    params.mean_ps = row.mean_in_lookaheads * WEIR_PS_PER_US;
    bench_must(diag, wi_phold_new(diag, &params, &run.phold));
    wi_uniform_setup(run.phold, &setup);
    setup.seed = 1;
    setup.engine = engine;
    setup.lp_size = row.lp_size;
    setup.gpu_options.host_driven = row.host_driven;
    bench_must(diag, weir_sim_new(diag, &setup, &run.sim));
    return run;
}

static void stop(bench_run *run)
{
    weir_sim_free(run->sim);
    wi_uniform_free(run->phold);
}

/* The same answer as one core's, on networks that one core is done with in a second. */
static void check(weir_diag *diag)
{
    const bench_row rows[] = {
        {20000, 8, 0.9, 1, 0, false, 0}, {20000, 1, 0.9, 100, 1, false, 0}, {5000, 4, 0.5, 10, 4, true, 0}};
    for (const bench_row &row : rows) {
        const weir_time until = 8 * (1 + row.mean_in_lookaheads) * WEIR_PS_PER_US;
        bench_run a = start(diag, row, WEIR_ENGINE_SEQUENTIAL), b = start(diag, row, WEIR_ENGINE_GPU);
        bench_must(diag, weir_sim_run(diag, a.sim, until, nullptr));
        bench_must(diag, weir_sim_run(diag, b.sim, until, nullptr));
        bench_same(a.sim, b.sim, "sequential and GPU");
        stop(&a);
        stop(&b);
    }
}

static void bench(weir_diag *diag, const bench_row &row)
{
    const weir_time hop = (1 + row.mean_in_lookaheads) * (weir_time)WEIR_PS_PER_US;
    const double pending = (double)row.entities * row.events_each;
    bench_run run = start(diag, row, WEIR_ENGINE_GPU);
    /* Warm up: regions have grown, and the LP size has been chosen. */
    weir_time at = 6 * hop;
    bench_must(diag, weir_sim_run(diag, run.sim, at, nullptr));
    for (int i = 0; row.lp_size == 0 && i < 20; i++)
        bench_must(diag, weir_sim_run(diag, run.sim, at += hop * (weir_time)(1 + 4e6 / pending), nullptr));
    wi_gpu_use before, after;
    uint32_t lp_size;
    wi_gpu_engine_use(run.sim, &before, &lp_size);
    const uint64_t events = weir_sim_events(run.sim);
    const double t0 = bench_wall_s();
    double wall = 0.0;
    while (wall < 0.4) {
        bench_must(diag, weir_sim_run(diag, run.sim, at += hop * (weir_time)(1 + 2e7 / pending), nullptr));
        wall = bench_wall_s() - t0;
    }
    wi_gpu_engine_use(run.sim, &after, &lp_size);
    const double done = (double)(weir_sim_events(run.sim) - events),
                 rounds = (double)(after.rounds - before.rounds);
    bench_run again = start(diag, row, WEIR_ENGINE_GPU);
    bench_must(diag, weir_sim_run(diag, again.sim, at, nullptr));
    bench_same(again.sim, run.sim, "a row");
    char goal[32] = "";
    if (row.goal > 0)
        snprintf(goal, sizeof goal, "  goal %.1f: %s", row.goal * 1e-9,
                 done / wall >= row.goal ? "reached" : "MISSED");
    double step_us[WI_GPU_STEPS];
    for (int i = 0; i < WI_GPU_STEPS; i++)
        step_us[i] = (double)(after.step_ns[i] - before.step_ns[i]) / rounds * 1e-3;
    printf("%9u %7u %6.2f %6d  %-10s %4u%s %8.3f %9.0f %8.2f   %6.1f %6.1f %6.1f %6.1f %6.1f %7.2f%s\n",
           row.entities, row.events_each, row.remote, row.mean_in_lookaheads,
           row.host_driven ? "host" : "persistent", lp_size, row.lp_size ? " " : "*", done / wall * 1e-9,
           done / rounds, wall / rounds * 1e6, step_us[WI_GPU_SELECT], step_us[WI_GPU_HANDLING],
           step_us[WI_GPU_INSERT], step_us[WI_GPU_GROW], step_us[WI_GPU_WAIT], (double)after.bytes * 1e-9,
           goal);
    fflush(stdout);
    stop(&run);
    stop(&again);
}

int main(int argc, char **argv)
{
    const bool quick = argc > 1 && strcmp(argv[1], "quick") == 0;
    weir_diag *diag = weir_diag_new();
    const bench_row rows[] = {
        /* the goals are for LP sizes as a run has them by default */
        {1 << 20, 8, 0.9, 1, 1, false, 0},   {1 << 20, 8, 0.9, 1, 1, true, 0},
        {1 << 20, 1, 0.9, 100, 1, false, 0}, {1 << 20, 1, 0.9, 100, 1, true, 0},
        {1 << 20, 8, 0.9, 1, 0, false, 4e9}, {1 << 20, 1, 0.9, 100, 0, false, 5e8},
    };
    const bench_row more[] = {
        {1 << 20, 8, 0.0, 1, 1, false, 0},    {1 << 20, 8, 0.5, 1, 1, false, 0},
        {1 << 20, 8, 1.0, 1, 1, false, 0},    {1 << 20, 1, 0.9, 10, 1, false, 0},
        {1 << 20, 1, 0.9, 100, 4, false, 0},  {1 << 20, 1, 0.9, 100, 16, false, 0},
        {1 << 20, 1, 0.9, 1000, 0, false, 0}, {1 << 17, 8, 0.9, 1, 0, false, 0},
        {1 << 14, 8, 0.9, 1, 0, false, 0},    {1 << 17, 1, 0.9, 100, 0, false, 0},
        {1 << 14, 1, 0.9, 100, 0, false, 0},  {10 << 20, 1, 0.9, 10, 0, false, 0},
        {10 << 20, 8, 0.9, 1, 0, false, 0},   {1 << 20, 64, 0.9, 1, 1, false, 0},
    };
    if (argc > 2 && strcmp(argv[1], "row") == 0) { /* for a profiler */
        bench(diag, rows[atoi(argv[2]) % (int)(sizeof rows / sizeof *rows)]);
        return 0;
    }
    check(diag);
    printf("PHOLD on the GPU engine; lookahead 1 us, delay = lookahead + Exp(mean); LP size * adapted\n");
    printf("                                                                       microseconds a round\n");
    printf(" entities  events remote mean/L variant      LP    G ev/s ev/round    round   select handle "
           "insert   grow   wait    "
           "  GB\n");
    for (const bench_row &row : rows)
        bench(diag, row);
    for (size_t i = 0; !quick && i < sizeof more / sizeof *more; i++)
        bench(diag, more[i]);
    weir_diag_free(diag);
    return 0;
}
