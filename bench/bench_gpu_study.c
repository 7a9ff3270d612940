/*
 * Many runs at once on one GPU (weir/batch.h): the experiments of Kunz, Schemmel, Gross and Wehrle (PADS 2012).
 * links: models engine base
 *
 * bench_gpu_study lcg        figures 6 to 9: events/s by simulations, modules, divergence and mapping
 * bench_gpu_study overhead   figures 10 to 12: the same work without computation; by mapping; by size of state
 * bench_gpu_study wireless   figure 13: 270 runs, on all cores of this machine, on 270 ideal ones, on the GPU
 * bench_gpu_study others     10,000 runs of PHOLD and Kademlia, 1,000 entities each, against one large run
 * Further arguments: `quick` makes everything smaller; `staged` makes lcg and overhead with the paper's design (events held
 * by the host, copied in batches over three streams), `staged8` with 8 threads of the host; wireless makes both. Before a time is printed, runs of the batch must have the digests
 * of the same runs alone.
 */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "models/kademlia/kademlia.h"
#include "models/lcg/lcg.h"
#include "models/phold/phold.h"
#include "models/wireless/params.h"
#include "models/wireless/stats.h"
#include "weir/batch.h"

static weir_diag *diag;
static int quick;
static weir_batch_options chosen; /* executor, threads */

/* ---- a batch ---- */

typedef struct timed {
    double wall_s, kernel_s; /* of running; kernels alone */
    uint64_t events;
    weir_batch_use use;
} timed;

/* The same run alone must agree with run i. */
static void check_run(weir_sim *sim, weir_setup setup, weir_time until_ps)
{
    weir_sim *alone;
    setup.engine = WEIR_ENGINE_SEQUENTIAL;
    bench_must(diag, weir_sim_new(diag, &setup, &alone));
    bench_must(diag, weir_sim_run(diag, alone, until_ps, NULL));
    bench_same(sim, alone, "a run of the batch and the same alone");
    weir_sim_free(alone);
}

static timed run_batch(const weir_setup *setups, uint32_t n, weir_time until_ps,
                       const weir_batch_options *options, uint32_t checks)
{
    weir_batch *batch;
    timed t = {0};
    weir_time *until = malloc(n * sizeof *until);
    if (!until)
        bench_fail("no memory");
    for (uint32_t i = 0; i < n; i++)
        until[i] = until_ps;
    bench_must(diag, weir_batch_new(diag, setups, n, options, &batch));
    const double t0 = bench_wall_s();
    bench_must(diag, weir_batch_run(diag, batch, until, NULL));
    t.wall_s = bench_wall_s() - t0;
    weir_batch_used(batch, &t.use);
    t.kernel_s = t.use.kernel_s;
    t.events = t.use.events;
    for (uint32_t c = 0; c < checks && c < n; c++) {
        const uint32_t i = (uint32_t)((uint64_t)c * n / checks);
        check_run(weir_batch_sim(batch, i), setups[i], until_ps);
    }
    weir_batch_free(batch);
    free(until);
    return t;
}

/* ---- LCG ---- */

static timed run_lcg(uint32_t n, const lcg_params *params, weir_batch_mapping mapping, uint32_t checks)
{
    wi_lcg *lcg;
    weir_batch_options options = chosen;
    options.mapping = mapping;
    bench_must(diag, wi_lcg_new(diag, params, &lcg));
    weir_setup *setups = malloc(n * sizeof *setups);
    if (!setups)
        bench_fail("no memory");
    for (uint32_t i = 0; i < n; i++) {
        wi_lcg_setup(lcg, &setups[i]);
        setups[i].seed = 1 + i;
    }
    const timed t = run_batch(setups, n, wi_lcg_end(lcg), &options, checks);
    free(setups);
    wi_lcg_free(lcg);
    return t;
}

static const uint32_t module_counts[] = {1, 2, 5, 10};
static const uint32_t simulations[] = {1, 2, 8, 32, 128, 512, 1024, 2048, 4096, 8192, 16384};
enum { SIMULATIONS = sizeof simulations / sizeof *simulations };

/* One core, one run: events a second. */
static double one_core(const lcg_params *params)
{
    wi_lcg *lcg;
    weir_setup setup;
    weir_sim *sim;
    bench_must(diag, wi_lcg_new(diag, params, &lcg));
    wi_lcg_setup(lcg, &setup);
    setup.seed = 1;
    bench_must(diag, weir_sim_new(diag, &setup, &sim));
    const double t0 = bench_cpu_s();
    bench_must(diag, weir_sim_run(diag, sim, wi_lcg_end(lcg), NULL));
    const double rate = (double)weir_sim_events(sim) / (bench_cpu_s() - t0);
    weir_sim_free(sim);
    wi_lcg_free(lcg);
    return rate;
}

static void lcg_table(const char *title, uint32_t ways, weir_batch_mapping mapping)
{
    printf("\n%s: thousand events/s\nsimulations", title);
    for (int m = 0; m < 4; m++)
        printf(" %6u modules", module_counts[m]);
    printf("   steps/s of the last\n");
    for (int s = 0; s < SIMULATIONS; s++) {
        lcg_params p;
        double rate = 0.0;
        if (quick && simulations[s] > 512)
            break;
        wi_lcg_params_init(&p);
        p.ways = ways;
        p.iterations = quick ? 200 : 20000;
        printf("%11u", simulations[s]);
        for (int m = 0; m < 4; m++) {
            p.n_modules = module_counts[m];
            const timed t = run_lcg(simulations[s], &p, mapping, m == 0 ? 2 : 0);
            rate = (double)t.events / t.wall_s;
            printf(" %14.1f", rate * 1e-3);
        }
        printf(" %21.4g\n", rate * p.iterations);
        fflush(stdout);
    }
}

static void bench_lcg(void)
{
    lcg_params p;
    wi_lcg_params_init(&p);
    printf("Table I: %u events a simulation, state of %u bytes, %u steps an event. One core: %.1f events/s\n",
           p.events, p.state_bytes, p.iterations, one_core(&p));
    lcg_table("Figure 6: not divergent", 1, WEIR_BATCH_MAPPING_NONE);
    lcg_table("Figure 7: 4-way divergent, as they come", 4, WEIR_BATCH_MAPPING_NONE);
    lcg_table("Figure 8: 4-way divergent, sorted", 4, WEIR_BATCH_MAPPING_SORT);
    lcg_table("Figure 9: 4-way divergent, sorted and padded", 4, WEIR_BATCH_MAPPING_PAD);
}

/* ---- overhead ---- */

static timed run_fixed(uint32_t n, uint32_t modules, uint32_t state_bytes, uint32_t ways,
                       weir_batch_mapping mapping)
{
    lcg_params p;
    const uint32_t all = quick ? 1u << 16 : 1u << 22;
    wi_lcg_params_init(&p);
    p.n_modules = modules;
    p.iterations = 0;
    p.ways = ways;
    p.state_bytes = state_bytes;
    p.events = all / n;
    return run_lcg(n, &p, mapping, n >= 64 ? 1 : 0);
}

static void bench_overhead(void)
{
    printf("Figure 10: seconds for %s events without computation\nsimulations", quick ? "2^16" : "2^22");
    for (int m = 0; m < 4; m++)
        printf(" %6u modules", module_counts[m]);
    printf("\n");
    for (int s = 0; s < SIMULATIONS && (!quick || simulations[s] <= 512); s++) {
        printf("%11u", simulations[s]);
        for (int m = 0; m < 4; m++)
            printf(" %14.4f",
                   run_fixed(simulations[s], module_counts[m], 72, 1, WEIR_BATCH_MAPPING_NONE).wall_s);
        printf("\n");
        fflush(stdout);
    }
    printf("\nFigure 11: the same, 1 module, 4 event types, by mapping\nsimulations           none           "
           "sort            pad\n");
    for (int s = 0; s < SIMULATIONS && (!quick || simulations[s] <= 512); s++) {
        printf("%11u", simulations[s]);
        for (int mapping = WEIR_BATCH_MAPPING_NONE; mapping <= WEIR_BATCH_MAPPING_PAD; mapping++)
            printf(" %14.4f", run_fixed(simulations[s], 1, 72, 4, (weir_batch_mapping)mapping).wall_s);
        printf("\n");
        fflush(stdout);
    }
    printf("\nFigure 12: the same, 512 simulations, by bytes of state\n      bytes");
    for (int m = 0; m < 4; m++)
        printf(" %6u modules", module_counts[m]);
    printf("\n");
    for (uint32_t bytes = 72; bytes <= 26000; bytes = bytes < 2000 ? 2000 : bytes + 4000) {
        printf("%11u", bytes);
        for (int m = 0; m < 4; m++)
            printf(" %14.4f", run_fixed(512, module_counts[m], bytes, 1, WEIR_BATCH_MAPPING_NONE).wall_s);
        printf("\n");
        fflush(stdout);
    }
}

/* ---- wireless ---- */

enum { SETS = 9, REPLICATIONS = 30, RUNS = SETS * REPLICATIONS };
static const int longest_first[SETS] = {2, 5, 8, 1, 4, 7, 0, 3, 6}; /* by packet rate */

typedef struct study {
    wi_wireless *made[SETS];
    weir_setup setups[RUNS];
    weir_time until_ps;
    double run_s[RUNS]; /* on one core */
    uint64_t events;
    uint32_t next; /* run that the next free core takes */
} study;

static void make_study(study *s)
{
    static const double values[] = {1.0, 5.0, 10.0};
    for (int v = 0; v < SETS; v++) {
        const int set = longest_first[v];
        wireless_params p;
        wi_wireless_params_init(&p);
        p.packets_per_s = values[set % 3];
        p.speed_m_s = values[set / 3];
        bench_must(diag, wi_wireless_new(diag, &p, &s->made[v]));
        for (int r = 0; r < REPLICATIONS; r++) {
            weir_setup *setup = &s->setups[v * REPLICATIONS + r];
            wi_wireless_setup(s->made[v], setup);
            setup->seed = 1;
            setup->run = (uint32_t)r;
        }
    }
    s->until_ps = (quick ? 1 : 60) * WEIR_PS_PER_S;
}

static void *core(void *user)
{
    study *s = user;
    weir_diag *own = weir_diag_new();
    for (;;) {
        const uint32_t i = __atomic_fetch_add(&s->next, 1, __ATOMIC_RELAXED);
        weir_sim *sim;
        if (i >= RUNS)
            break;
        struct timespec a, b;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
        bench_must(own, weir_sim_new(own, &s->setups[i], &sim));
        bench_must(own, weir_sim_run(own, sim, s->until_ps, NULL));
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
        s->run_s[i] = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
        __atomic_fetch_add(&s->events, weir_sim_events(sim), __ATOMIC_RELAXED);
        weir_sim_free(sim);
    }
    weir_diag_free(own);
    return NULL;
}

static double on_cores(study *s, long n)
{
    pthread_t threads[256];
    n = n > 256 ? 256 : n;
    s->next = 0;
    s->events = 0;
    const double t0 = bench_wall_s();
    for (long i = 0; i < n; i++)
        if (pthread_create(&threads[i], NULL, core, s) != 0)
            bench_fail("no thread");
    for (long i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    return bench_wall_s() - t0;
}

static void bench_wireless(void)
{
    static study s;
    const long n = sysconf(_SC_NPROCESSORS_ONLN), four = n < 4 ? n : 4;
    make_study(&s);
    printf("Figure 13: 270 runs of five nodes, {1, 5, 10} packets/s, {1, 5, 10} m/s, 30 replications, %lld "
           "simulated s\n",
           (long long)(s.until_ps / WEIR_PS_PER_S));
    const double all_s = on_cores(&s, n), four_s = n > four ? on_cores(&s, four) : all_s;
    double sum = 0.0, most = 0.0;
    for (int i = 0; i < RUNS; i++) {
        sum += s.run_s[i];
        most = s.run_s[i] > most ? s.run_s[i] : most;
    }
    printf("%-42s %10.3f s\n", "all cores, their SIMD in use", all_s);
    printf("  (%ld cores; %llu events)\n", n, (unsigned long long)s.events);
    printf("  %ld cores %35.3f s; ideal, from the runs' sum: %.3f s\n", four, four_s, sum / (double)four);
    printf("%-42s %10.4f s (the longest run)\n", "270 ideal cores", most);
    const timed t = run_batch(s.setups, RUNS, s.until_ps, NULL, quick ? 9 : 3);
    if (t.events != s.events)
        bench_fail("the batch handled %llu events, the cores %llu", (unsigned long long)t.events,
                   (unsigned long long)s.events);
    printf("%-42s %10.4f s (kernels %.4f s), %.3g events/s, %llu rounds of %.2f us\n", "resident on the GPU",
           t.wall_s, t.kernel_s, (double)t.events / t.wall_s, (unsigned long long)t.use.rounds,
           1e6 * t.kernel_s / (double)t.use.rounds);
    const weir_batch_options general = {.mapping = WEIR_BATCH_MAPPING_SORT};
    const timed q = run_batch(s.setups, RUNS, s.until_ps, &general, 1);
    printf("%-42s %10.4f s, %llu rounds\n", "the same by the kernel of large runs", q.wall_s,
           (unsigned long long)q.use.rounds);
    const uint32_t staged_threads[] = {1, n < 16 ? (uint32_t)n : 16};
    for (int v = 0; v < 2; v++) {
        const weir_batch_options o = {.executor = WEIR_BATCH_STAGED, .threads = staged_threads[v]};
        const timed p = run_batch(s.setups, RUNS, s.until_ps, &o, 1);
        printf("staged, %2u thread%s of the host              %10.4f s, %.3g events/s, %llu batches\n",
               staged_threads[v], staged_threads[v] > 1 ? "s" : " ", p.wall_s, (double)p.events / p.wall_s,
               (unsigned long long)p.use.launches);
    }
    printf("four ideal cores / GPU, resident: %.1f (goal 100, paper 25); 270 ideal cores / GPU: %.2f (goal > "
           "1, paper "
           "0.37)\n",
           sum / 4.0 / t.wall_s, most / t.wall_s);
    for (int v = 0; v < SETS; v++)
        wi_wireless_free(s.made[v]);
}

/* ---- other models ---- */

static void bench_phold(uint32_t n, uint32_t entities)
{
    phold_params p;
    wi_phold *phold;
    wi_phold_params_init(&p);
    p.n_entities = entities;
    p.events_per_entity = 8;
    p.remote_share = 0.9;
    bench_must(diag, wi_phold_new(diag, &p, &phold));
    weir_setup *setups = malloc(n * sizeof *setups);
    if (!setups)
        bench_fail("no memory");
    for (uint32_t i = 0; i < n; i++) {
        wi_phold_setup(phold, &setups[i]);
        setups[i].seed = 1 + i;
    }
    const timed t = run_batch(setups, n, (quick ? 4 : 40) * WEIR_PS_PER_US, NULL, 1);
    printf("PHOLD, %6u runs of %7u entities, 8 events each: %10.4g events/s, %.2f GB\n", n, entities,
           (double)t.events / t.wall_s, (double)t.use.device_bytes * 1e-9);
    fflush(stdout);
    free(setups);
    wi_phold_free(phold);
}

static void bench_kademlia(uint32_t n, uint32_t peers)
{
    kad_params p;
    wi_kad *kad;
    wi_kad_params_init(&p);
    p.n_peers = peers;
    bench_must(diag, wi_kad_new(diag, &p, &kad));
    weir_setup *setups = malloc(n * sizeof *setups);
    if (!setups)
        bench_fail("no memory");
    for (uint32_t i = 0; i < n; i++) {
        wi_kad_setup(kad, &setups[i]);
        setups[i].seed = 1 + i;
    }
    const timed t = run_batch(setups, n, (quick ? 1 : 10) * WEIR_PS_PER_S, NULL, 1);
    printf("Kademlia, %6u runs of %7u peers: %10.4g events/s, %.2f GB\n", n, peers,
           (double)t.events / t.wall_s, (double)t.use.device_bytes * 1e-9);
    fflush(stdout);
    free(setups);
    wi_kad_free(kad);
}

static void bench_others(void)
{
    bench_phold(quick ? 20 : 1000, 1000);
    bench_phold(quick ? 50 : 10000, 1000);
    bench_kademlia(quick ? 10 : 1000, 1000);
    if (!quick)
        bench_kademlia(4000, 1000);
    printf("one large run on the same device: bench_gpu_phold, bench_gpu_kademlia\n");
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "all";
    char text[256];
    for (int i = 2; i < argc; i++) {
        quick |= strcmp(argv[i], "quick") == 0;
        if (strncmp(argv[i], "staged", 6) == 0) {
            chosen.executor = WEIR_BATCH_STAGED;
            chosen.threads = argv[i][6] ? (uint32_t)atoi(argv[i] + 6) : 1;
        }
    }
    diag = weir_diag_new();
    weir_gpu_describe(0, text, sizeof text);
    printf("%s\n", text);
    if (strcmp(what, "lcg") == 0 || strcmp(what, "all") == 0)
        bench_lcg();
    if (strcmp(what, "overhead") == 0 || strcmp(what, "all") == 0)
        bench_overhead();
    if (strcmp(what, "wireless") == 0 || strcmp(what, "all") == 0)
        bench_wireless();
    if (strcmp(what, "others") == 0 || strcmp(what, "all") == 0)
        bench_others();
    weir_diag_free(diag);
    return 0;
}
