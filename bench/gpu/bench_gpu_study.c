/*
 * Many runs at once on one GPU (weir/batch.h): figure 13 of Kunz, Schemmel, Gross and Wehrle (PADS 2012), and other models.
 * Their figures 6 to 12 are bench_gpu_lcg.
 * links: models engine base
 *
 * bench_gpu_study wireless   figure 13: 270 runs, on all cores of this machine, on 270 ideal ones, on the GPU
 * bench_gpu_study others     10,000 runs of PHOLD and Kademlia, 1,000 entities each, against one large run
 * Further arguments: `quick` makes everything smaller; N, all but what takes long N times, with 99 % intervals (the paper: 30);
 * `268`, events of 272 bytes: payload, state and what an engine adds, the multiple of eight above the paper's 268.
 * `cores`: figure 13 without a device.
 * Before a time is printed, runs of the batch must have the digests of the same runs alone.
 */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "batch.h"
#include "models/kademlia/kademlia.h"
#include "models/phold/phold.h"
#include "models/wireless/params.h"
#include "models/wireless/stats.h"
#include "../../tests/models/usual/kademlia.h"
#include "../../tests/models/usual/phold.h"
#include "../../tests/models/usual/wireless.h"

static weir_diag *diag;
static int quick, paper_events, cores_only, repetitions = 1;

/* ---- wireless ---- */

enum { SETS = 9, REPLICATIONS = 30, RUNS = SETS * REPLICATIONS };
static const int longest_first[SETS] = {2, 5, 8, 1, 4, 7, 0, 3, 6}; /* by packet rate */

enum { EVENT_BYTES = 272, KINDS = 3 };

typedef struct study {
    wi_wireless *made[SETS];
    weir_kind kinds[KINDS];
    weir_model model; /* of states so wide that events are as large as the paper's */
    weir_setup setups[RUNS];
    weir_time until_ps;
    double run_s[RUNS]; /* on one core */
    uint64_t events;
    uint32_t next; /* run that the next free core takes */
} study;

/* States of every module so wide that one with an event and its payload has EVENT_BYTES. */
static void widen(study *s)
{
    s->model = *s->setups[0].model;
    for (int k = 0; k < KINDS && k < s->model.n_kinds; k++) {
        uint32_t payload = 0;
        for (int t = 0; t < s->model.n_types; t++)
            if (s->model.types[t].kind == k && s->model.types[t].payload_bytes > payload)
                payload = s->model.types[t].payload_bytes;
        s->kinds[k] = s->model.kinds[k];
        const uint32_t wide = EVENT_BYTES - (uint32_t)sizeof(weir_event) - payload;
        if (s->kinds[k].state_bytes > wide)
            bench_fail("the state of '%s' has %u bytes, more than %u", s->kinds[k].name,
                       s->kinds[k].state_bytes, wide);
        s->kinds[k].state_bytes = wide / 8 * 8;
    }
    s->model.kinds = s->kinds;
    for (int i = 0; i < RUNS; i++)
        s->setups[i].model = &s->model;
}

static void make_study(study *s)
{
    static const double values[] = {1.0, 5.0, 10.0};
    for (int v = 0; v < SETS; v++) {
        const int set = longest_first[v];
        wireless_params p;
        usual_wireless(&p);
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
    if (paper_events)
        widen(s);
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

/* Times of a way to do the study, and of one core a run. */
typedef struct times {
    double wall_s[BENCH_REPEATS_MAX], sum_s[BENCH_REPEATS_MAX], most_s[BENCH_REPEATS_MAX];
} times;

static void put(const char *what, const double *x, int n)
{
    printf("%-42s %10.4f s", what, bench_mean(x, n));
    if (n > 1)
        printf(" +- %.4f", bench_half_width(x, n));
    printf("\n");
    fflush(stdout);
}

static void on_all_cores(study *s, long cores, times *of)
{
    for (int r = 0; r < repetitions; r++) {
        of->wall_s[r] = on_cores(s, cores);
        of->sum_s[r] = of->most_s[r] = 0.0;
        for (int i = 0; i < RUNS; i++) {
            of->sum_s[r] += s->run_s[i];
            of->most_s[r] = s->run_s[i] > of->most_s[r] ? s->run_s[i] : of->most_s[r];
        }
    }
}

/* n times; the last of them. */
static timed on_device(const study *s, const weir_batch_options *options, int n, double *wall_s)
{
    timed t = {0};
    for (int r = 0; r < n; r++) {
        t = run_batch(diag, s->setups, RUNS, s->until_ps, options, r > 0 ? 0 : quick ? 9 : 3);
        wall_s[r] = t.wall_s;
        if (t.events != s->events)
            bench_fail("the batch handled %llu events, the cores %llu", (unsigned long long)t.events,
                       (unsigned long long)s->events);
    }
    return t;
}

/* a over b, each of `repetitions` measurements, and the 99 % interval by the relative errors of both. */
static void put_ratio(const char *what, const double *a, double scale, const double *b)
{
    const double over = scale * bench_mean(a, repetitions) / bench_mean(b, repetitions);
    const double of_a = bench_half_width(a, repetitions) / bench_mean(a, repetitions),
                 of_b = bench_half_width(b, repetitions) / bench_mean(b, repetitions);
    printf("%-42s %10.2f", what, over);
    if (repetitions > 1)
        printf(" +- %.2f", over * sqrt(of_a * of_a + of_b * of_b));
    printf("\n");
}

static void bench_wireless(void)
{
    static study s;
    static times cores;
    double four_s, resident_s[BENCH_REPEATS_MAX], general_s[BENCH_REPEATS_MAX], staged_s[BENCH_REPEATS_MAX];
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    const int few = repetitions < 3 ? repetitions : 3; /* of what takes ten seconds */
    make_study(&s);
    printf("Figure 13: 270 runs of five nodes, {1, 5, 10} packets/s, {1, 5, 10} m/s, 30 replications, %lld "
           "simulated s, %s, %d times\n",
           (long long)(s.until_ps / WEIR_PS_PER_S),
           paper_events ? "events of 272 bytes" : "the model's own events", repetitions);
    on_all_cores(&s, n, &cores);
    put("all cores, their SIMD in use", cores.wall_s, repetitions);
    printf("  (%ld cores; %llu events)\n", n, (unsigned long long)s.events);
    put("the sum of all runs, a core each", cores.sum_s, repetitions);
    put("270 ideal cores (the longest run)", cores.most_s, repetitions);
    four_s = on_cores(&s, n < 4 ? n : 4);
    put("four cores, once", &four_s, 1);
    if (cores_only)
        return;
    const timed t = on_device(&s, NULL, repetitions, resident_s);
    put("resident on the GPU", resident_s, repetitions);
    printf("  (kernels %.4f s, %.3g events/s, %llu rounds of %.2f us)\n", t.kernel_s,
           (double)t.events / t.wall_s, (unsigned long long)t.use.rounds,
           1e6 * t.kernel_s / (double)t.use.rounds);
    const weir_batch_options general = {.mapping = WEIR_BATCH_MAPPING_SORT};
    (void)on_device(&s, &general, repetitions, general_s);
    put("the same by the kernel of large runs", general_s, repetitions);
    const uint32_t staged_threads[] = {1, n < 16 ? (uint32_t)n : 16};
    for (int v = 0; v < 2; v++) {
        const weir_batch_options o = {.executor = WEIR_BATCH_STAGED, .threads = staged_threads[v]};
        char what[64];
        snprintf(what, sizeof what, "staged, %u thread%s of the host, %d times", staged_threads[v],
                 staged_threads[v] > 1 ? "s" : "", few);
        const timed p = on_device(&s, &o, few, staged_s);
        put(what, staged_s, few);
        printf("  (%.3g events/s, %llu batches)\n", (double)p.events / p.wall_s,
               (unsigned long long)p.use.launches);
    }
    put_ratio("four ideal cores / GPU (goal 100, paper 25)", cores.sum_s, 0.25, resident_s);
    put_ratio("270 ideal cores / GPU (goal 1, paper 0.37)", cores.most_s, 1.0, resident_s);
    for (int v = 0; v < SETS; v++)
        wi_wireless_free(s.made[v]);
}

/* ---- other models ---- */

static void bench_phold(uint32_t n, uint32_t entities)
{
    phold_params p;
    wi_uniform *phold;
    usual_phold(&p);
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
    usual_kademlia(&p);
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
    for (int i = 2; i < argc; i++) {
        quick |= strcmp(argv[i], "quick") == 0;
        cores_only |= strcmp(argv[i], "cores") == 0;
        paper_events |= strcmp(argv[i], "268") == 0;
        if (atoi(argv[i]) > 0 && strcmp(argv[i], "268") != 0)
            repetitions = bench_count(argc, argv, i, 1, BENCH_REPEATS_MAX);
    }
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
