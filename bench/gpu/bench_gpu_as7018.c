/*
 * The packet network of AS 7018 (bench/gpu/as7018.h), 357 million packet hops a simulated second: how near each
 * engine comes to real time, and what limits it. links: packets net engine routing topology base
 *
 * bench_gpu_as7018 [udp | tcp | both] [cpu | core | gpu] [table | source] [FRACTION [MS]]
 *
 * FRACTION of the load (default 1) and MS simulated milliseconds that are timed (default 100), after a
 * warm-up that fills the pipes. First, of a small fraction, digests of all engines must be equal and packets
 * conserved. Then a row for each engine, timed in five parts; all rows of one fraction must end with the same
 * digests. The host's engines, which do some millions of events a second, take at most a tenth of the load
 * unless `cpu` leaves the device out; `core` leaves the sequential engine alone, `gpu` the device's rows.
 * `table` (what the network chooses by itself here) and `source` are ways to forward. Where there is no
 * device its rows are left out; without the file (under $WEIR_DATA, by default ../shared/data) nothing is
 * run.
 */
#include <ctype.h>
#include <sys/resource.h>

#include "as7018.h"
#include "engine/gpu/round/device.h"

enum { PARTS = 5, DISTINCT = 4 };
#define CHECK_FRACTION 0.002
#define HOST_FRACTION 0.1
/* What an event at a port must move, as docs/performance.md counts it, and what a device copies. */
#define EVENT_BYTES 320.0
#define COPY_BYTES_PER_S 4.3e12

typedef struct engine {
    const char *name;
    weir_engine type;
    uint32_t threads;
    bool host_driven;
} engine;

typedef struct options {
    bool udp, tcp, device, device_alone;
    double fraction, ms;
    wi_net_forward forward;
    uint32_t cores;
} options;

static weir_sim *start(weir_diag *diag, const as7018 *a, const engine *e)
{
    weir_setup setup = {.seed = 1, .engine = e->type, .threads = e->threads};
    weir_sim *sim = NULL;
    wi_net_setup(a->net, &setup);
    setup.gpu_options.host_driven = e->host_driven;
    bench_must(diag, weir_sim_new(diag, &setup, &sim));
    return sim;
}

/* Engines to run, the sequential one first. */
static int engines_of(const options *o, engine *out)
{
    int n = 0;
    out[n++] = (engine){"sequential", WEIR_ENGINE_SEQUENTIAL, 1, false};
    if (o->cores > 1)
        out[n++] = (engine){"conservative", WEIR_ENGINE_CONSERVATIVE, o->cores, false};
    if (o->device) {
        out[n++] = (engine){"gpu, persistent", WEIR_ENGINE_GPU, 1, false};
        out[n++] = (engine){"gpu, host-driven", WEIR_ENGINE_GPU, 1, true};
    }
    return n;
}

/* ---- first: is it right? ---- */

static void check(weir_diag *diag, const options *o, bool tcp)
{
    engine engines[DISTINCT];
    as7018 a = as7018_new(diag, tcp, CHECK_FRACTION, o->forward);
    const weir_time until_ps = as7018_warm_ps(&a) + 50 * WEIR_PS_PER_MS;
    const int n = engines_of(o, engines);
    weir_sim *first = NULL;
    for (int i = 0; i < n; i++) {
        weir_sim *sim = start(diag, &a, &engines[i]);
        bench_must(diag, weir_sim_run(diag, sim, until_ps, NULL));
        bench_must(diag, wi_net_check(diag, a.net, sim));
        if (i)
            bench_same(first, sim, engines[i].name);
        if (i == 0)
            first = sim;
        else
            weir_sim_free(sim);
    }
    printf("%s, %g of the load, %.0f ms: %llu events, digests of %d engines equal (event %016llx), packets "
           "conserved\n",
           tcp ? "TCP" : "UDP", CHECK_FRACTION, 1e3 * weir_seconds(until_ps),
           (unsigned long long)weir_sim_events(first), n, (unsigned long long)weir_sim_event_digest(first));
    weir_sim_free(first);
    as7018_free(&a);
}

/* ---- a row ---- */

typedef struct result {
    double wall_s, best_s, simulated_s; /* all parts; the fastest one's seconds times their number */
    uint64_t events, drops, timeouts;
    double hops, data_hops, access_hops; /* over links between routers, of these data; over hosts' links */
    double *load; /* [n_links] packets a millisecond of ports between routers, rising; the caller frees it */
    int n_links;
    wi_gpu_use use; /* what the timed span added; bytes: at its end */
    uint32_t lp_size;
    weir_sim_memory memory;
} result;

/* Hops of the span between two snapshots, and the ports' loads. ACKs without SACK blocks are a header each,
 * and data packets are full, so bytes tell how many packets were data. */
static void count_hops(const as7018 *a, const wi_net_snapshot *from, const wi_net_snapshot *to, result *r)
{
    const uint32_t hosts = a->net->n_hosts, n = hosts + a->net->n_ports;
    r->load = malloc(n * sizeof *r->load);
    if (!r->load)
        bench_fail("no memory for %u ports", n);
    for (uint32_t e = 0; e < n; e++) {
        const double sent = (double)(to->ports[e].packets - from->ports[e].packets);
        const double bytes = (double)(to->ports[e].bytes - from->ports[e].bytes);
        for (int why = 0; why < NET_DROP_REASONS; why++)
            r->drops += to->ports[e].dropped[why];
        if (e < hosts || a->net->port_edge[e - hosts] == UINT32_MAX) {
            r->access_hops += sent;
            continue;
        }
        r->load[r->n_links++] = sent / (1e3 * r->simulated_s);
        r->hops += sent;
        r->data_hops += (bytes - NET_HEADER_TCP * sent) / (AS7018_PACKET_BYTES - NET_HEADER_TCP);
    }
    qsort(r->load, (size_t)r->n_links, sizeof r->load[0], bench_rising);
    for (uint32_t i = 0; i < a->net->n_flows; i++)
        r->timeouts += to->flows[i].timeouts;
}

static void gpu_use(const engine *e, const weir_sim *sim, wi_gpu_use *use, uint32_t *lp_size)
{
    memset(use, 0, sizeof *use);
    if (e->type == WEIR_ENGINE_GPU)
        wi_gpu_engine_use(sim, use, lp_size);
}

/* Warm up and time; the simulation stays, for its digests. */
static weir_sim *measure(weir_diag *diag, const as7018 *a, const engine *e, double ms, result *r)
{
    weir_sim *sim = start(diag, a, e);
    const weir_time warm_ps = as7018_warm_ps(a), part_ps = (weir_time)(ms / PARTS * (double)WEIR_PS_PER_MS);
    wi_net_snapshot from, to;
    wi_gpu_use before;
    memset(r, 0, sizeof *r);
    bench_must(diag, weir_sim_run(diag, sim, warm_ps, NULL));
    bench_must(diag, wi_net_snapshot_take(diag, a->net, sim, &from));
    r->events = weir_sim_events(sim);
    gpu_use(e, sim, &before, &r->lp_size);
    r->best_s = 1e30;
    for (int i = 1; i <= PARTS; i++) {
        const double t0 = bench_wall_s();
        bench_must(diag, weir_sim_run(diag, sim, warm_ps + i * part_ps, NULL));
        const double took_s = bench_wall_s() - t0;
        r->wall_s += took_s;
        r->best_s = PARTS * took_s < r->best_s ? PARTS * took_s : r->best_s;
    }
    gpu_use(e, sim, &r->use, &r->lp_size);
    r->use.rounds -= before.rounds;
    for (int i = 0; i < WI_GPU_STEPS; i++)
        r->use.step_ns[i] -= before.step_ns[i];
    r->events = weir_sim_events(sim) - r->events;
    r->simulated_s = weir_seconds(PARTS * part_ps);
    bench_must(diag, weir_sim_fetch(diag, sim));
    bench_must(diag, wi_net_snapshot_take(diag, a->net, sim, &to));
    count_hops(a, &from, &to, r);
    weir_sim_memory_use(sim, &r->memory);
    bench_must(diag, wi_net_check(diag, a->net, sim));
    wi_net_snapshot_free(&from);
    wi_net_snapshot_free(&to);
    return sim;
}

static void print_row(const as7018 *a, const engine *e, const result *r)
{
    printf("%-16s %7.4f %7.1f  %8.2f %8.2f %8.2f %9.3f %9.3f", e->name, (double)a->n_flows / AS7018_FLOWS,
           1e3 * r->simulated_s, 1e-6 * r->hops / r->wall_s, 1e-6 * r->hops / r->best_s,
           1e-6 * (double)r->events / r->wall_s, r->wall_s / r->simulated_s, r->best_s / r->simulated_s);
    if (e->type == WEIR_ENGINE_GPU) {
        const double rounds = (double)r->use.rounds;
        printf("  %8.0f %9.0f %8.2f  ", rounds, (double)r->events / rounds, 1e6 * r->wall_s / rounds);
        for (int i = 0; i < WI_GPU_STEPS; i++)
            printf(" %6.2f", 1e-3 * (double)r->use.step_ns[i] / rounds);
        printf("  %3u %6.2f %6.2f %%", r->lp_size, 1e-9 * (double)r->use.bytes,
               100.0 * (double)r->events * EVENT_BYTES / r->wall_s / COPY_BYTES_PER_S);
    }
    printf("\n");
    fflush(stdout);
}

/* Widths as in print_row. */
static void print_head(void)
{
    printf("%-16s %7s %7s  %17s %8s %19s  %18s %44s  %3s %6s %8s\n", "", "load of", "simul.", "M link hops/s",
           "M events", "wall / simulated", "device: rounds,", "microseconds a round", "LP", "", "of copy");
    printf("%-16s %7s %7s  %8s %8s %8s %9s %9s  %8s %9s %8s   %6s %6s %6s %6s %6s  %3s %6s %8s\n", "engine",
           "357 M/s", "ms", "all", "best", "a second", "all", "best", "rounds", "events", "round", "select",
           "handle", "insert", "grow", "wait", "", "GB", "rate");
}

/* The most memory of this process so far. */
static double memory_most_mb(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return 1e-3 * (double)usage.ru_maxrss;
}

/* What was simulated, as the first row found it. */
static void print_load(const as7018 *a, const result *r)
{
    const double simulated = r->simulated_s;
    double sum = 0.0;
    int idle = 0;
    for (int i = 0; i < r->n_links; i++) {
        sum += r->load[i];
        idle += r->load[i] == 0.0;
    }
    const double mean = sum / r->n_links, most = r->load[r->n_links - 1];
    printf("  a simulated second: %.1f M hops over links between routers, %.1f M of data (planned: %.1f); "
           "%.1f M over hosts' links; %.1f M events, %.2f a link hop; %llu drops, %llu timeouts so far\n",
           1e-6 * r->hops / simulated, 1e-6 * r->data_hops / simulated, 1e-6 * a->hops_per_s,
           1e-6 * r->access_hops / simulated, 1e-6 * (double)r->events / simulated,
           (double)r->events / r->hops, (unsigned long long)r->drops, (unsigned long long)r->timeouts);
    printf(
        "  packets a millisecond and port between routers: mean %.2f, median %.2f, 99 %% %.1f, hottest "
        "%.1f (%.0f times the mean); %d of %d ports sent none\n"
        "  a port handles one packet after another: the hottest keeps pace with real time at %.0f ns each\n",
        mean, r->load[r->n_links / 2], r->load[(int)(0.99 * (r->n_links - 1))], most, most / mean, idle,
        r->n_links, 1e6 / most);
    printf("  pending events %.2f M, at most %.2f M in %.1f MB; state %.1f MB; %.0f MB of memory at most so "
           "far\n",
           1e-6 * (double)r->memory.pending_events, 1e-6 * (double)r->memory.pending_peak,
           1e-6 * (double)r->memory.pending_peak_bytes, 1e-6 * (double)r->memory.state_bytes,
           memory_most_mb());
}

static void print_network(const as7018 *a)
{
    printf(
        "\n%s, %u flows of %.1f packets/s, %.2f links a packet; %u routers, %u links of 1 to %.1f Gb/s, %u "
        "hosts by links of %.1f Gb/s, longest way %.1f ms, warm-up %.0f ms\n",
        a->tcp ? "TCP" : "UDP", a->n_flows, a->flow_pps, a->hops_a_packet, a->graph->n_nodes,
        a->graph->n_edges / 2, 1e-9 * (double)a->rate_most_bps, a->net->n_hosts, 1e-9 * (double)a->access_bps,
        1e3 * weir_seconds(a->path_most_ps), 1e3 * weir_seconds(as7018_warm_ps(a)));
    printf("  built in %.2f s, routes of packets %.1f MB; %.0f MB of memory at most so far\n", a->build_s,
           1e-6 * (double)a->net->table_bytes, memory_most_mb());
}

/* A row for each of these engines, at one fraction of the load. */
static void rows(weir_diag *diag, const options *o, bool tcp, double fraction, const engine *engines, int n)
{
    as7018 a = as7018_new(diag, tcp, fraction, o->forward);
    weir_sim *first = NULL;
    print_network(&a);
    for (int i = 0; i < n; i++) {
        result r;
        weir_sim *sim = measure(diag, &a, &engines[i], o->ms, &r);
        if (i == 0) {
            print_load(&a, &r);
            print_head();
            first = sim;
        } else {
            bench_same(first, sim, engines[i].name);
            weir_sim_free(sim);
        }
        print_row(&a, &engines[i], &r);
        free(r.load);
    }
    weir_sim_free(first);
    as7018_free(&a);
}

static void workload(weir_diag *diag, const options *o, bool tcp)
{
    engine engines[DISTINCT];
    const int n = engines_of(o, engines), on_host = o->device ? n - 2 : n;
    check(diag, o, tcp);
    if (!o->device || (o->fraction <= HOST_FRACTION && !o->device_alone)) {
        rows(diag, o, tcp, o->fraction, engines, n);
        return;
    }
    if (!o->device_alone)
        rows(diag, o, tcp, HOST_FRACTION, engines, n);
    rows(diag, o, tcp, o->fraction, engines + on_host, n - on_host);
}

static options read_options(int argc, char **argv)
{
    options o = {.udp = true, .tcp = true, .device = true, .fraction = 1.0, .ms = 100.0};
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int numbers = 0;
    o.cores = cores > 1 ? (uint32_t)cores : 1;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (isdigit((unsigned char)*word) && numbers < 2)
            *(numbers++ ? &o.ms : &o.fraction) = atof(word);
        else if (strcmp(word, "udp") == 0 || strcmp(word, "tcp") == 0 || strcmp(word, "both") == 0)
            o.udp = *word != 't', o.tcp = *word != 'u';
        else if (strcmp(word, "cpu") == 0)
            o.device = false;
        else if (strcmp(word, "core") == 0) {
            o.cores = 1;
            o.device = false;
        } else if (strcmp(word, "gpu") == 0)
            o.device_alone = true;
        else if (strcmp(word, "table") == 0)
            o.forward = WI_NET_FORWARD_TABLE;
        else if (strcmp(word, "source") == 0)
            o.forward = WI_NET_FORWARD_SOURCE;
        else
            bench_fail("'%s': want udp, tcp, both, cpu, core, gpu, table, source, FRACTION, MS", word);
    }
    if (!(o.fraction > 0.0 && o.fraction <= 100.0 && o.ms > 0.0 && o.ms <= 1e6))
        bench_fail("want a fraction from above 0 to 100, and above 0 to 1,000,000 ms");
    return o;
}

int main(int argc, char **argv)
{
    options o = read_options(argc, argv);
    char file[4096], device[256];
    as7018_file(file, sizeof file);
    if (access(file, R_OK) != 0) {
        printf("%s is not there: nothing to run\n", file);
        return 0;
    }
    if (!weir_gpu_describe(0, device, sizeof device) && o.device && !o.device_alone) {
        o.device = false;
        o.fraction = o.fraction < HOST_FRACTION ? o.fraction : HOST_FRACTION;
    }
    printf("AS 7018 as packets of 500 bytes, weir %s, %s\ndevice: %s\n", WEIR_VERSION, WEIR_BUILD, device);
    weir_diag *diag = weir_diag_new();
    if (o.udp)
        workload(diag, &o, false);
    if (o.tcp)
        workload(diag, &o, true);
    weir_diag_free(diag);
    return 0;
}
