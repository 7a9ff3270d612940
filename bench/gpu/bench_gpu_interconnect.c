/*
 * Interconnects on the GPU engine: the dragonfly of 8,448 terminals (p 8, a 16, 66 groups), uniform random traffic.
 * links: models surrogate engine base
 *
 * bench_gpu_interconnect [all | quick | table | row] [SECONDS [ROW]]. First, digests of smaller networks must equal the sequential engine's.
 * Then each row runs for some SECONDS (default 4) after a warm-up, and a second run of the same span must have the same digest.
 * `all`: every row; `quick`: those of the published run's load; `table`: every row without the checks of small networks;
 * `row`: one of the published run's load, from 1, without them.
 *
 * The published run (CODES, Theta-like, 8,448 terminals, 1.65 s, 49.6 G events): 14.3 CODES events a chunk (72 terminals at full
 * load: 32 G events for 2.25 G chunks a simulated second; docs/performance.md) make 2.1 G chunks a simulated second, 0.8 % of what
 * terminals can send. The last column is what 1.65 s would take at the row's pace.
 */
#include <string.h>

#include "../bench.h"
#include "engine/gpu/round/device.h"
#include "models/interconnect/interconnect.h"
#include "../../tests/models/usual/interconnect.h"

typedef struct row {
    double load;
    uint32_t burst, message_bytes, lp_size;
    bool host_driven, global; /* global: long wires, 1 us between groups */
} row;

typedef struct running {
    wi_ic *ic;
    weir_sim *sim;
} running;

static running start(weir_diag *diag, const ic_params *params, const row *r, weir_engine engine)
{
    ic_params p = *params;
    ic_job job;
    running run;
    weir_setup setup;
    ic_job_init(&job);
    job.load = r->load;
    job.message_bytes = r->message_bytes;
    p.burst = r->burst;
    p.jobs = &job;
    p.n_jobs = 1;
    bench_must(diag, wi_ic_new(diag, &p, &run.ic));
    wi_ic_setup(run.ic, &setup);
    setup.engine = engine;
    setup.lp_size = r->lp_size;
    setup.gpu_options.host_driven = r->host_driven;
    bench_must(diag, weir_sim_new(diag, &setup, &run.sim));
    return run;
}

static void stop(running *run)
{
    weir_sim_free(run->sim);
    wi_ic_free(run->ic);
}

/* The same answer as one core's. */
static void check(weir_diag *diag)
{
    static const row rows[] = {
        {0.01, 1, 1024, 0, false, false}, {0.5, 16, 4096, 1, false, false}, {1.0, 1, 1024, 4, true, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const weir_time until_ps = (rows[i].load < 0.1 ? 400 : 40) * WEIR_PS_PER_US;
        ic_params p;
        usual_interconnect(&p);
        running a = start(diag, &p, &rows[i], WEIR_ENGINE_SEQUENTIAL),
                b = start(diag, &p, &rows[i], WEIR_ENGINE_GPU);
        bench_must(diag, weir_sim_run(diag, a.sim, until_ps, NULL));
        bench_must(diag, weir_sim_run(diag, b.sim, until_ps, NULL));
        bench_same(a.sim, b.sim, "sequential and GPU");
        stop(&a);
        stop(&b);
    }
}

/* Chunks sent on by routers so far. */
static uint64_t chunk_hops(weir_diag *diag, const running *run)
{
    const ic_world *w = wi_ic_world(run->ic);
    uint64_t hops = 0;
    bench_must(diag, weir_sim_fetch(diag, run->sim));
    for (uint32_t r = 0; r < w->n_routers; r++)
        hops += ((const ic_router *)weir_sim_state(run->sim, w->n_terminals + r))->hops;
    return hops;
}

static void bench(weir_diag *diag, const ic_params *params, const row *r, double seconds)
{
    ic_params p = *params;
    if (r->global)
        p.global.delay_ps = WEIR_PS_PER_US;
    running run = start(diag, &p, r, WEIR_ENGINE_GPU);
    /* Warm up: packets are on their way, regions have grown, and the LP size has been chosen. */
    const weir_time part_ps = (r->load < 0.1 ? 40 : r->load < 0.5 ? 10 : 4) * WEIR_PS_PER_US;
    weir_time at_ps = 0;
    const double warm_s = bench_wall_s();
    for (int i = 0; i < 4 || bench_wall_s() - warm_s < 0.5 * seconds; i++)
        bench_must(diag, weir_sim_run(diag, run.sim, at_ps += part_ps, NULL));
    wi_gpu_use before, after;
    uint32_t lp_size;
    wi_gpu_engine_use(run.sim, &before, &lp_size);
    const uint64_t events = weir_sim_events(run.sim), hops = chunk_hops(diag, &run);
    const weir_time from_ps = at_ps;
    const double t0 = bench_wall_s();
    double wall_s = 0.0;
    while (wall_s < seconds) {
        bench_must(diag, weir_sim_run(diag, run.sim, at_ps += part_ps, NULL));
        wall_s = bench_wall_s() - t0;
    }
    wi_gpu_engine_use(run.sim, &after, &lp_size);
    const double done = (double)(weir_sim_events(run.sim) - events),
                 hopped = (double)(chunk_hops(diag, &run) - hops),
                 rounds = (double)(after.rounds - before.rounds);
    running again = start(diag, &p, r, WEIR_ENGINE_GPU);
    bench_must(diag, weir_sim_run(diag, again.sim, at_ps, NULL));
    bench_same(again.sim, run.sim, "a row");
    bench_must(diag, wi_ic_check(diag, run.ic, run.sim));
    double us[WI_GPU_STEPS];
    for (int i = 0; i < WI_GPU_STEPS; i++)
        us[i] = (double)(after.step_ns[i] - before.step_ns[i]) / rounds * 1e-3;
    printf(
        "%6.3f %5u %5u %s %-10s %3u%s %9.2f %9.2f %9.1f %8.2f  %6.2f %6.2f %6.2f %6.2f %6.2f %7.2f %9.1f\n",
        r->load, r->burst, r->message_bytes, r->global ? "long " : "short",
        r->host_driven ? "host" : "persistent", lp_size, r->lp_size ? " " : "*", 1e-6 * done / wall_s,
        1e-6 * hopped / wall_s, done / rounds, 1e6 * wall_s / rounds, us[WI_GPU_SELECT], us[WI_GPU_HANDLING],
        us[WI_GPU_INSERT], us[WI_GPU_GROW], us[WI_GPU_WAIT], 1e-9 * (double)after.bytes,
        1.65 * wall_s / weir_seconds(at_ps - from_ps));
    fflush(stdout);
    stop(&run);
    stop(&again);
}

/* One core of this machine, for comparison. */
static void bench_core(weir_diag *diag, const ic_params *params, const row *r, double seconds)
{
    running run = start(diag, params, r, WEIR_ENGINE_SEQUENTIAL);
    const weir_time part_ps = WEIR_PS_PER_US;
    weir_time at_ps = 10 * part_ps;
    bench_must(diag, weir_sim_run(diag, run.sim, at_ps, NULL));
    const uint64_t events = weir_sim_events(run.sim), hops = chunk_hops(diag, &run);
    const weir_time from_ps = at_ps;
    const double t0 = bench_wall_s();
    double wall_s = 0.0;
    while (wall_s < seconds) {
        bench_must(diag, weir_sim_run(diag, run.sim, at_ps += part_ps, NULL));
        wall_s = bench_wall_s() - t0;
    }
    printf("%6.3f %5u %5u short %-15s %9.2f %9.2f %74.1f\n", r->load, r->burst, r->message_bytes, "one core",
           1e-6 * (double)(weir_sim_events(run.sim) - events) / wall_s,
           1e-6 * (double)(chunk_hops(diag, &run) - hops) / wall_s,
           1.65 * wall_s / weir_seconds(at_ps - from_ps));
    fflush(stdout);
    stop(&run);
}

int main(int argc, char **argv)
{
    static const row rows[] = {
        /* the published run's load first */
        {0.008, 1, 1024, 0, false, false},  {0.008, 1, 1024, 1, false, false},
        {0.008, 1, 1024, 4, false, false},  {0.008, 64, 1024, 0, false, false},
        {0.008, 64, 4096, 0, false, false}, {0.008, 1, 1024, 0, true, false},
        {0.008, 1, 1024, 0, false, true},
    };
    static const row more[] = {
        {0.1, 1, 1024, 0, false, false},  {0.1, 64, 1024, 0, false, false}, {0.4, 1, 1024, 0, false, false},
        {0.4, 64, 4096, 0, false, false}, {0.4, 1, 1024, 1, false, false},
    };
    const char *what = argc > 1 ? argv[1] : "all";
    const double seconds = bench_count(argc, argv, 2, 4, 300);
    weir_diag *diag = weir_diag_new();
    ic_params p;
    usual_interconnect(&p);
    p.p = 8, p.a = 16, p.h = 8, p.groups = 66;
    if (strcmp(what, "row") == 0) {
        bench(diag, &p, &rows[bench_count(argc, argv, 3, 1, sizeof rows / sizeof rows[0]) - 1], seconds);
        weir_diag_free(diag);
        return 0;
    }
    if (strcmp(what, "table") != 0)
        check(diag);
    printf("8,448 terminals, 1,056 routers, uniform; LP size * adapted; %g s a row\n", seconds);
    printf("                                          million a second     events        microseconds a "
           "round\n");
    printf("  load burst bytes wires variant     LP     events chunkhops    /round    round  select handle "
           "insert   grow   wait      GB  s/1.65 s\n");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        bench(diag, &p, &rows[i], seconds);
    for (size_t i = 0; strcmp(what, "quick") != 0 && i < sizeof more / sizeof more[0]; i++)
        bench(diag, &p, &more[i], seconds);
    bench_core(diag, &p, &rows[0], seconds);
    bench_core(diag, &p, &rows[3], seconds);
    weir_diag_free(diag);
    return 0;
}
