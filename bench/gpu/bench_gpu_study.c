/*
 * Many runs at once on one GPU (weir/batch.h): figure 13 of Kunz, Schemmel, Gross and Wehrle (PADS 2012), and other models.
 * Their figures 6 to 12 are bench_gpu_lcg.
 * links: models engine base
 *
 * bench_gpu_study wireless   figure 13: 270 runs, on all cores of this machine, on 270 ideal ones, on the GPU
 * bench_gpu_study others     10,000 runs of PHOLD and Kademlia, 1,000 entities each, against one large run
 * A further argument, `quick`, makes everything smaller. Before a time is printed, runs of the batch must have the digests
 * of the same runs alone.
 */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "batch.h"
#include "models/kademlia/kademlia.h"
#include "models/phold/phold.h"
#include "models/wireless/params.h"
#include "models/wireless/stats.h"

static weir_diag *diag;
static int quick;

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
    const timed t = run_batch(diag, s.setups, RUNS, s.until_ps, NULL, quick ? 9 : 3);
    if (t.events != s.events)
        bench_fail("the batch handled %llu events, the cores %llu", (unsigned long long)t.events,
                   (unsigned long long)s.events);
    printf("%-42s %10.4f s (kernels %.4f s), %.3g events/s, %llu rounds of %.2f us\n", "resident on the GPU",
           t.wall_s, t.kernel_s, (double)t.events / t.wall_s, (unsigned long long)t.use.rounds,
           1e6 * t.kernel_s / (double)t.use.rounds);
    const weir_batch_options general = {.mapping = WEIR_BATCH_MAPPING_SORT};
    const timed q = run_batch(diag, s.setups, RUNS, s.until_ps, &general, 1);
    printf("%-42s %10.4f s, %llu rounds\n", "the same by the kernel of large runs", q.wall_s,
           (unsigned long long)q.use.rounds);
    const uint32_t staged_threads[] = {1, n < 16 ? (uint32_t)n : 16};
    for (int v = 0; v < 2; v++) {
        const weir_batch_options o = {.executor = WEIR_BATCH_STAGED, .threads = staged_threads[v]};
        const timed p = run_batch(diag, s.setups, RUNS, s.until_ps, &o, 1);
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
    wi_uniform *phold;
    wi_phold_params_init(&p);
    p.n_entities = entities;
    p.events_per_entity = 8;
    p.remote_share = 0.9;
    bench_must(diag, wi_phold_new(diag, &p, &phold));
    weir_setup *setups = malloc(n * sizeof *setups);
    if (!setups)
        bench_fail("no memory");
    for (uint32_t i = 0; i < n; i++) {
        wi_uniform_setup(phold, &setups[i]);
        setups[i].seed = 1 + i;
    }
    const timed t = run_batch(diag, setups, n, (quick ? 4 : 40) * WEIR_PS_PER_US, NULL, 1);
    printf("PHOLD, %6u runs of %7u entities, 8 events each: %10.4g events/s, %.2f GB\n", n, entities,
           (double)t.events / t.wall_s, (double)t.use.device_bytes * 1e-9);
    fflush(stdout);
    free(setups);
    wi_uniform_free(phold);
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
    const timed t = run_batch(diag, setups, n, (quick ? 1 : 10) * WEIR_PS_PER_S, NULL, 1);
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
    for (int i = 2; i < argc; i++)
        quick |= strcmp(argv[i], "quick") == 0;
    diag = weir_diag_new();
    weir_gpu_describe(0, text, sizeof text);
    printf("%s\n", text);
    if (strcmp(what, "wireless") == 0 || strcmp(what, "all") == 0)
        bench_wireless();
    if (strcmp(what, "others") == 0 || strcmp(what, "all") == 0)
        bench_others();
    weir_diag_free(diag);
    return 0;
}
