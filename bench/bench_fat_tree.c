/*
 * A fat-tree under DCTCP and web-search flows at half load: packet hops a second of each engine, the time that
 * 100 ms take, and what bounds a device. links: scenario output packets net engine routing topology base
 *
 * bench_fat_tree [K [MS [WARM_MS [THREADS]]]] [cpu | gpu]
 *
 * A fat-tree of K ports a switch (default 32: 8,192 hosts) at 10 Gb/s and 1 us a link; ten destinations a host in
 * the mean, drawn evenly; flows of DCTCP come as a Poisson process that offers half of each host's rate, their sizes drawn
 * from the web-search distribution ($WEIR_DATA/traffic/cdf-hpcc; without it nothing is run). Ports mark at 65
 * packets and hold 1 MB.
 *
 * First, with 4 ports a switch, digests of all engines must be equal and packets conserved. Then the large one:
 * WARM_MS (default 2) milliseconds, and MS (default 10) timed in five parts; engines that run end alike.
 * THREADS: of the conservative engine, in place of one a core; 1: none. `cpu` leaves the device out, `gpu` the host's engines.
 */
#include <ctype.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "engine/gpu/round/device.h"
#include "packets/stats/stats.h"
#include "simulation.h"

enum { PARTS = 5, DISTINCT = 3, CHECK_K = 4, CHECK_MS = 20, PAIRS_A_HOST = 10 };

typedef struct engine {
    const char *name;
    weir_engine type;
    uint32_t threads;
} engine;

typedef struct options {
    int k;
    double ms, warm_ms;
    bool host, device;
    uint32_t cores;
    char sizes[4096]; /* file of the distribution */
} options;

typedef struct row {
    double hops, wall_s, best_s, cpu_s, events, pending;
    wi_gpu_use use;
    uint32_t lp_size;
} row;

static int engines_of(const options *o, engine *out)
{
    int n = 0;
    if (o->host) {
        out[n++] = (engine){"sequential", WEIR_ENGINE_SEQUENTIAL, 1};
        if (o->cores > 1)
            out[n++] = (engine){"conservative", WEIR_ENGINE_CONSERVATIVE, o->cores};
    }
    if (o->device)
        out[n++] = (engine){"gpu", WEIR_ENGINE_GPU, 1};
    return n;
}

static simulation begin(weir_diag *diag, const options *o, int k, const engine *e)
{
    char text[8192];
    const int n =
        snprintf(text, sizeof text,
                 "weir: 1\n"
                 "duration: 10s\n"
                 "topology:\n"
                 "  generate: {model: fat-tree, k: %d, rate: 10Gbps, access_rate: 10Gbps, delay: 1us, "
                 "access_delay: 1us}\n"
                 "  queue: {type: threshold, mark: 97500B, limit: 1MB}\n"
                 "routing: {ecmp: true}\n"
                 "traffic:\n"
                 "  - name: search\n"
                 "    pairs: {random: %d}\n"
                 "    tcp: {congestion: dctcp, ecn: true, size: {cdf: '%s'}, arrivals: {load: 50%%},\n"
                 "          rto_min: 10ms, max_flows: 64}\n",
                 k, PAIRS_A_HOST * k * k * k / 4, o->sizes);
    weir_scenario *scenario;
    bench_must(diag, weir_scenario_parse(diag, "fat-tree", text, (size_t)n, NULL, NULL, 0, &scenario));
    return simulation_on(diag, scenario, e->type, e->threads);
}

/* ---- first: is it right? ---- */

static void check(weir_diag *diag, const options *o)
{
    options all = *o;
    engine engines[DISTINCT];
    simulation first;
    all.host = true;
    const int n = engines_of(&all, engines);
    for (int i = 0; i < n; i++) {
        simulation s = begin(diag, o, CHECK_K, &engines[i]);
        bench_must(diag, weir_sim_run(diag, s.sim, CHECK_MS * WEIR_PS_PER_MS, NULL));
        bench_must(diag, wi_net_check(diag, s.network->net, s.sim));
        if (i)
            bench_same(first.sim, s.sim, engines[i].name);
        if (i == 0)
            first = s;
        else
            simulation_end(&s);
    }
    printf("k = %d, %d ms: %llu events, digests of %d engines equal (event %016llx), packets conserved\n",
           CHECK_K, CHECK_MS, (unsigned long long)weir_sim_events(first.sim), n,
           (unsigned long long)weir_sim_event_digest(first.sim));
    simulation_end(&first);
}

/* ---- a row ---- */

static void gpu_use(const engine *e, const simulation *s, row *r, wi_gpu_use *use)
{
    memset(use, 0, sizeof *use);
#ifdef WEIR_HAVE_CUDA
    if (e->type == WEIR_ENGINE_GPU)
        wi_gpu_engine_use(s->sim, use, &r->lp_size);
#else
    (void)e, (void)s, (void)r;
#endif
}

static simulation measure(weir_diag *diag, const options *o, const engine *e, row *r)
{
    simulation s = begin(diag, o, o->k, e);
    const weir_time warm_ps = (weir_time)(o->warm_ms * (double)WEIR_PS_PER_MS);
    const weir_time part_ps = (weir_time)(o->ms / PARTS * (double)WEIR_PS_PER_MS);
    wi_gpu_use before;
    memset(r, 0, sizeof *r);
    bench_must(diag, weir_sim_run(diag, s.sim, warm_ps, NULL));
    bench_must(diag, weir_sim_fetch(diag, s.sim));
    const uint64_t hops = wi_net_hops(s.network->net, s.sim), events = weir_sim_events(s.sim);
    gpu_use(e, &s, r, &before);
    r->best_s = 1e30;
    const double cpu0 = bench_cpu_s();
    for (int i = 1; i <= PARTS; i++) {
        const double t0 = bench_wall_s();
        bench_must(diag, weir_sim_run(diag, s.sim, warm_ps + i * part_ps, NULL));
        const double took_s = bench_wall_s() - t0;
        r->wall_s += took_s;
        r->best_s = PARTS * took_s < r->best_s ? PARTS * took_s : r->best_s;
    }
    r->cpu_s = bench_cpu_s() - cpu0;
    gpu_use(e, &s, r, &r->use);
    r->use.rounds -= before.rounds;
    for (int i = 0; i < WI_GPU_STEPS; i++)
        r->use.step_ns[i] -= before.step_ns[i];
    bench_must(diag, weir_sim_fetch(diag, s.sim));
    bench_must(diag, wi_net_check(diag, s.network->net, s.sim));
    r->hops = (double)(wi_net_hops(s.network->net, s.sim) - hops);
    r->events = (double)(weir_sim_events(s.sim) - events);
    weir_sim_memory memory;
    weir_sim_memory_use(s.sim, &memory);
    r->pending = (double)memory.pending_events;
    return s;
}

static void print_row(const options *o, const engine *e, const row *r)
{
    printf("%-13s %7u %9.1f %9.1f %8.2f %8.2f %8.2f %9.2f %9.2f %8.2f", e->name, e->threads, o->ms,
           1e-6 * r->hops, r->wall_s, r->cpu_s, 1e-6 * r->hops / r->wall_s, 1e-6 * r->hops / r->best_s,
           1e-6 * r->events / r->wall_s, 1e-6 * r->pending);
    printf(" %11.1f", 100.0 / o->ms * r->wall_s);
    if (e->type == WEIR_ENGINE_GPU) {
        const double rounds = (double)r->use.rounds;
        printf("  %8.0f %7.0f %7.2f  ", rounds, r->events / rounds, 1e6 * r->wall_s / rounds);
        for (int i = 0; i < WI_GPU_STEPS; i++)
            printf(" %6.2f", 1e-3 * (double)r->use.step_ns[i] / rounds);
        printf("  %2u %6.2f", r->lp_size, 1e-9 * (double)r->use.bytes);
    }
    printf("\n");
    fflush(stdout);
}

/* Widths as in print_row. */
static void print_head(const options *o)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("\nk = %d, %d hosts, from %g ms on; %.2f GB of memory at most so far\n", o->k,
           o->k * o->k * o->k / 4, o->warm_ms, 1e-6 * (double)usage.ru_maxrss);
    printf("%-13s %7s %9s %9s %8s %8s %18s %9s %8s %11s  %s\n", "", "", "simul.", "", "wall", "cores'",
           "M hops/s", "M events", "M events", "s for",
           "device: rounds, events a round, microseconds a round: all, select, handle, insert,");
    printf("%-13s %7s %9s %9s %8s %8s %8s %9s %9s %8s %11s  %s\n", "engine", "threads", "ms", "M hops", "s",
           "s", "all", "best", "a second", "pending", "100 ms", "grow, wait; LP size, GB");
}

static void rows(weir_diag *diag, const options *o)
{
    engine engines[DISTINCT];
    const int n = engines_of(o, engines);
    simulation first;
    for (int i = 0; i < n; i++) {
        row r;
        simulation s = measure(diag, o, &engines[i], &r);
        if (i)
            bench_same(first.sim, s.sim, engines[i].name);
        else
            print_head(o);
        print_row(o, &engines[i], &r);
        if (i == 0)
            first = s;
        else
            simulation_end(&s);
    }
    simulation_end(&first);
}

static options read_options(int argc, char **argv)
{
    options o = {.k = 32, .ms = 10.0, .warm_ms = 2.0, .host = true, .device = true};
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int numbers = 0;
    o.cores = cores > 1 ? (uint32_t)cores : 1;
    for (int i = 1; i < argc; i++) {
        const double value = atof(argv[i]);
        if (isdigit((unsigned char)*argv[i]) && numbers < 4) {
            if (numbers == 0)
                o.k = (int)value;
            else if (numbers == 3)
                o.cores = (uint32_t)value;
            else
                *(numbers == 1 ? &o.ms : &o.warm_ms) = value;
            numbers++;
        } else if (strcmp(argv[i], "cpu") == 0)
            o.device = false;
        else if (strcmp(argv[i], "gpu") == 0)
            o.host = false;
        else
            bench_fail("'%s': want K, MS, WARM_MS, cpu, gpu", argv[i]);
    }
    if (o.k < 4 || o.k > 64 || o.k % 2 || !(o.ms > 0.0 && o.ms <= 1e5) ||
        !(o.warm_ms > 0.0 && o.warm_ms <= 1e5))
        bench_fail("want an even K from 4 to 64, and above 0 to 100,000 ms");
    return o;
}

int main(int argc, char **argv)
{
    options o = read_options(argc, argv);
    char device[256];
    const char *data = getenv("WEIR_DATA");
    snprintf(o.sizes, sizeof o.sizes, "%s/traffic/cdf-hpcc/WebSearch_distribution.txt",
             data ? data : WEIR_SOURCE_DIR "/../shared/data");
    if (access(o.sizes, R_OK) != 0) {
        printf("%s is not there: nothing to run\n", o.sizes);
        return 0;
    }
    if (!weir_gpu_describe(0, device, sizeof device))
        o.device = false;
    if (!o.host && !o.device)
        bench_fail("no device: %s", device);
    printf("Fat-tree, DCTCP, web-search flows at half load, weir %s, %s\ndevice: %s\n", WEIR_VERSION,
           WEIR_BUILD, device);
    weir_diag *diag = weir_diag_new();
    check(diag, &o);
    rows(diag, &o);
    weir_diag_free(diag);
    return 0;
}
