/*
 * Many small packet networks on one device (weir/batch.h): the dumbbells of bench/gpu/dumbbells.yaml, by how many runs a
 * block of threads advances. links: scenario net engine routing topology base
 *
 * bench_gpu_dumbbells [RUNS [MS [FILE]]]      1,000 runs of 4,000 simulated ms
 *
 * A row: runs a block, blocks, seconds of putting the runs on the device and of its kernels, rounds of the run that needed most,
 * time a round, events/s of the kernels, and that over one core of the host. Four runs of each row must have the digests of the
 * same alone. One run a block has a kernel of its own (gpu/batch/small.cuh).
 */
#include <string.h>

#include "batch.h"
#include "scenario/session/session.h"
#include "weir/scenario.h"

typedef struct member {
    weir_scenario *scenario;
    weir_session *session;
} member;

static member make(weir_diag *diag, const char *file, uint32_t number, weir_setup *setup)
{
    char run[40];
    const char *const sets[] = {run};
    weir_run_options options;
    member m = {0};
    snprintf(run, sizeof run, "run=%u", number);
    weir_run_options_init(&options);
    options.no_output = true;
    bench_must(diag, weir_scenario_load(diag, file, sets, 1, &m.scenario));
    bench_must(diag, wi_session_build(diag, m.scenario, &options, false, &m.session));
    bench_must(diag, wi_session_prepare(m.session, setup));
    return m;
}

/* Events a second of one run after another on one core. */
static double core_rate(weir_diag *diag, const weir_setup *setups, uint32_t n, weir_time until_ps)
{
    double spent_s = 0.0, events = 0.0;
    for (uint32_t i = 0; i < n; i++) {
        weir_sim *sim;
        weir_setup setup = setups[i];
        setup.engine = WEIR_ENGINE_SEQUENTIAL;
        bench_must(diag, weir_sim_new(diag, &setup, &sim));
        const double from_s = bench_cpu_s();
        bench_must(diag, weir_sim_run(diag, sim, until_ps, NULL));
        spent_s += bench_cpu_s() - from_s;
        events += (double)weir_sim_events(sim);
        weir_sim_free(sim);
    }
    return events / spent_s;
}

static void row(weir_diag *diag, const weir_setup *setups, uint32_t n, weir_time until_ps,
                uint32_t runs_a_block, weir_batch_mapping mapping, double core)
{
    const weir_batch_options o = {.runs_a_block = runs_a_block, .mapping = mapping};
    const timed t = run_batch(diag, setups, n, until_ps, &o, 4);
    char asked[20] = "chosen";
    if (runs_a_block)
        snprintf(asked, sizeof asked, "%u", runs_a_block);
    printf("%-8s %-7s %6u %8.4f %8.4f %8llu %8.2f %10.4g %9.1f\n", asked,
           mapping == WEIR_BATCH_MAPPING_NONE ? "none" : "sort", t.use.blocks, t.make_s, t.kernel_s,
           (unsigned long long)t.use.rounds, 1e6 * t.kernel_s / (double)t.use.rounds,
           (double)t.events / t.kernel_s, (double)t.events / t.kernel_s / core);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    enum { RUNS_MOST = 16384, ALONE = 20 };
    static const uint32_t a_block[] = {0, 1, 2, 4, 8, 16, 32, 64};
    weir_diag *diag = weir_diag_new();
    const char *file = argc > 3 ? argv[3] : WEIR_SOURCE_DIR "/bench/gpu/dumbbells.yaml";
    char text[256];
    const uint32_t n = (uint32_t)bench_count(argc, argv, 1, 1000, RUNS_MOST);
    const weir_time until_ps = bench_count(argc, argv, 2, 4000, 4000) * WEIR_PS_PER_MS;
    member *members = calloc(n, sizeof *members);
    weir_setup *setups = calloc(n, sizeof *setups);
    if (!members || !setups)
        bench_fail("no memory for %u runs", n);
    for (uint32_t i = 0; i < n; i++)
        members[i] = make(diag, file, i, &setups[i]);
    const double core = core_rate(diag, setups, n < ALONE ? n : ALONE, until_ps);
    weir_gpu_describe(0, text, sizeof text);
    printf("%s\n%u dumbbells of 20 flows, %g s; one core of the host: %.3g events/s\n", text, n,
           weir_seconds(until_ps), core);
    printf("a block  sorted  blocks   making  kernels   rounds us/round   events/s  x a core\n");
    for (size_t i = 0; i < sizeof a_block / sizeof a_block[0] && a_block[i] <= n; i++)
        row(diag, setups, n, until_ps, a_block[i], WEIR_BATCH_MAPPING_CHOSEN, core);
    row(diag, setups, n, until_ps, n < 32 ? n : 32, WEIR_BATCH_MAPPING_NONE, core);
    for (uint32_t i = 0; i < n; i++) {
        weir_session_close(members[i].session);
        weir_scenario_free(members[i].scenario);
    }
    free(members);
    free(setups);
    weir_diag_free(diag);
    return 0;
}
