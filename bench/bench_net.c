/*
 * Packet hops per second of the packet network on one core, beside ns-3 and htsim; bytes per port, flow and
 * pending event. links: scenario output packets net engine routing topology base
 *
 * bench_net [REPEATS [JSON]]. Each row: a warm-up, then the median of REPEATS (default 5) timed parts of one
 * run. Before anything is printed the packets are conserved and a second run to the end of the first part has
 * the same digests. Then ns-3 (bench/ns3, where it was built) runs the same dumbbell, in turn with ours. The
 * figures go to JSON (default: bench_net.json beside the program) with machine, version and flags. Seconds
 * are processor time.
 */
#include <jansson.h>
#include <string.h>
#include <unistd.h>

#include "net/transport/flow.h"
#include "packets/stats/stats.h"
#include "simulation.h"

enum { DUMBBELL_FLOWS = 32, NS3_SECONDS = 20, NS3_WARMUP = 5, NS3_TURNS = 3 };

/* ---- workloads ---- */

typedef struct workload {
    const char *name;
    const char *head; /* YAML up to the pairs */
    uint32_t pairs;   /* l0 -> r0, l1 -> r1, ...; 0: a permutation of the hosts */
    weir_time warm_ps, part_ps;
    double goal; /* hops/s; 0: in relation to ns-3 */
    const char *goal_is;
} workload;

/* Queues of 150 kB and windows of 256 KiB keep a fat-tree's core busy with few timeouts. */
#define FAT_TREE(k)                                    \
    "weir: 1\n"                                        \
    "duration: 1min\n"                                 \
    "topology:\n"                                      \
    "  generate: {model: fat-tree, k: " #k "}\n"       \
    "  queue: {limit: 150kB}\n"                        \
    "routing: {ecmp: true}\n"                          \
    "traffic:\n"                                       \
    "  - name: bulk\n"                                 \
    "    tcp: {congestion: newreno, window: 256KiB}\n" \
    "    start: {uniform: [0s, 50us]}\n"

static const workload workloads[] = {
    {"dumbbell",
     "weir: 1\n"
     "duration: 1h\n"
     "topology:\n"
     "  generate: {model: dumbbell, left: 32, bottleneck_rate: 100Mbps, bottleneck_delay: 10ms,\n"
     "             access_rate: 1Gbps, access_delay: 1ms}\n"
     "  queue: {limit: 250kB}\n"
     "traffic:\n"
     "  - name: bulk\n"
     "    tcp: {congestion: newreno}\n"
     "    start: {uniform: [0s, 1s]}\n",
     DUMBBELL_FLOWS, 10 * WEIR_PS_PER_S, 200 * WEIR_PS_PER_S, 0.0, "30 x ns-3"},
    {"fq_codel, 1024", /* flows, through four ports with FQ-CoDel of six */
     "weir: 1\n"
     "duration: 1h\n"
     "topology:\n"
     "  generate: {model: dumbbell, left: 32, bottleneck_rate: 1Gbps, bottleneck_delay: 10ms,\n"
     "             access_rate: 10Gbps, access_delay: 1ms}\n"
     "  queue: {type: fq_codel}\n"
     "traffic:\n"
     "  - name: bulk\n"
     "    tcp: {sessions: 32}\n"
     "    start: {uniform: [0s, 1s]}\n",
     DUMBBELL_FLOWS, 5 * WEIR_PS_PER_S, 5 * WEIR_PS_PER_S, 3e6, "3 M a core"},
    {"fat-tree, k = 8", FAT_TREE(8), 0, WEIR_PS_PER_MS, 25 * WEIR_PS_PER_MS, 2 * 2.3e6, "2 x htsim"},
    {"fat-tree, k = 16", FAT_TREE(16), 0, WEIR_PS_PER_MS, 3 * WEIR_PS_PER_MS, 2 * 0.55e6, "2 x htsim"},
};
enum { WORKLOADS = sizeof workloads / sizeof workloads[0] };

static weir_scenario *parse(weir_diag *diag, const workload *w)
{
    char text[4096];
    size_t n =
        (size_t)snprintf(text, sizeof text, "%s    pairs: %s", w->head, w->pairs ? "[" : "permutation");
    for (uint32_t i = 0; i < w->pairs; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "[l%u, r%u]%s", i, i, i + 1 < w->pairs ? ", " : "]");
    text[n++] = '\n';
    weir_scenario *scenario;
    bench_must(diag, weir_scenario_parse(diag, w->name, text, n, NULL, NULL, 0, &scenario));
    return scenario;
}

/* ---- one simulation ---- */

static simulation begin(weir_diag *diag, const workload *w)
{
    return simulation_of(diag, parse(diag, w));
}

static uint64_t hops_of(const simulation *s)
{
    return wi_net_hops(s->network->net, s->sim);
}

/* Run on, and say how many hops a second that was. */
static double timed(weir_diag *diag, const simulation *s, weir_time until_ps, double *took_s)
{
    const uint64_t before = hops_of(s);
    const double t0 = bench_cpu_s();
    bench_must(diag, weir_sim_run(diag, s->sim, until_ps, NULL));
    *took_s = bench_cpu_s() - t0;
    return (double)(hops_of(s) - before) / *took_s;
}

typedef struct digests {
    uint64_t events, state;
} digests;

static digests digests_of(const simulation *s)
{
    return (digests){weir_sim_event_digest(s->sim), weir_sim_state_digest(s->sim)};
}

static void check(weir_diag *diag, const workload *w, const simulation *s, digests first_part)
{
    bench_must(diag, wi_net_check(diag, s->network->net, s->sim));
    simulation again = begin(diag, w);
    bench_must(diag, weir_sim_run(diag, again.sim, w->warm_ps + w->part_ps, NULL));
    bench_must(diag, wi_net_check(diag, again.network->net, again.sim));
    const digests second = digests_of(&again);
    if (second.events != first_part.events || second.state != first_part.state)
        bench_fail("two runs of the %s differ", w->name);
    simulation_end(&again);
}

/* ---- rows ---- */

static void bench(weir_diag *diag, const workload *w, int repeats, json_t *rows)
{
    simulation s = begin(diag, w);
    double rate[BENCH_REPEATS_MAX], took[BENCH_REPEATS_MAX];
    digests first = {0, 0};
    bench_must(diag, weir_sim_run(diag, s.sim, w->warm_ps, NULL));
    const uint64_t hops0 = hops_of(&s), events0 = weir_sim_events(s.sim);
    for (int i = 0; i < repeats; i++) {
        rate[i] = timed(diag, &s, w->warm_ps + (i + 1) * w->part_ps, &took[i]);
        if (i == 0)
            first = digests_of(&s);
    }
    const double hops = (double)(hops_of(&s) - hops0) / repeats;
    const double events_a_hop = (double)(weir_sim_events(s.sim) - events0) / (hops * repeats);
    check(diag, w, &s, first);

    weir_sim_memory memory;
    weir_sim_memory_use(s.sim, &memory);
    const wi_net *net = s.network->net;
    const double event_bytes = (double)memory.pending_peak_bytes / (double)memory.pending_peak;
    const double rate_mid = bench_median(rate, repeats);
    printf("%-17s %6u %6u %9.4g %8.2f %7.2f %8.2f %6.2f..%-6.2f", w->name, net->n_hosts, net->n_flows,
           weir_seconds(w->part_ps), hops / 1e6, bench_median(took, repeats), rate_mid / 1e6, rate[0] / 1e6,
           rate[repeats - 1] / 1e6);
    if (w->goal > 0.0)
        printf(" %7.2f", w->goal / 1e6);
    else
        printf(" %7s", "-");
    printf(" %10.3f %9llu %8.1f\n", events_a_hop, (unsigned long long)memory.pending_peak, event_bytes);
    fflush(stdout);
    json_array_append_new(
        rows,
        json_pack("{s:s, s:i, s:i, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:s, s:f, s:I, s:f, s:I}", "workload",
                  w->name, "hosts", (int)net->n_hosts, "flows", (int)net->n_flows, "ports", (int)net->n_ports,
                  "simulated_s", weir_seconds(w->part_ps), "packet_hops", hops, "cpu_s",
                  bench_median(took, repeats), "hops_per_s", rate_mid, "hops_per_s_least", rate[0],
                  "goal_hops_per_s", w->goal, "goal_is", w->goal_is, "events_per_hop", events_a_hop,
                  "pending_peak", (json_int_t)memory.pending_peak, "bytes_per_pending_event", event_bytes,
                  "state_bytes", (json_int_t)memory.state_bytes));
    simulation_end(&s);
}

/* ---- memory ---- */

typedef struct memory_row {
    const char *what;
    double bytes, goal;
    const char *parts;
} memory_row;

static void print_memory(weir_diag *diag, json_t *rows)
{
    simulation s = begin(diag, &workloads[WORKLOADS - 1]);
    weir_sim_memory memory;
    bench_must(diag, weir_sim_run(diag, s.sim, WEIR_PS_PER_MS, NULL));
    weir_sim_memory_use(s.sim, &memory);
    const double stream = (double)memory.stream_bytes / (double)weir_sim_entities(s.sim);
    const size_t flow_counters = NET_FLOW_COUNTERS * sizeof(int64_t);
    const size_t owner = 3 * sizeof(uint32_t) + sizeof(uint16_t);
    const net_class *c = net_class_at(wi_net_world(s.network->net), 0);
    const double window = (1.0 + NET_TX_ROWS(c->flags)) * 8.0 * c->map_words;
    const memory_row table[] = {
        {"port", (double)(sizeof(net_port) + sizeof(net_link) + sizeof(weir_entity)) + stream, 200.0,
         "state, link, engine's head and stream"},
        {"TCP flow", (double)(sizeof(net_tx) + sizeof(net_rx) + flow_counters + sizeof(net_start) + owner),
         512.0, "both ends with statistics, counters, start, owner; and its window:"},
        {"segment, bits", 8.0 * window * c->mss_bytes / c->window_bytes, 3.0, "of the window, both ends"},
        {"pending event", (double)memory.pending_peak_bytes / (double)memory.pending_peak, 64.0,
         "key, event, packet; fat-tree, k = 16"},
    };
    printf("\nBytes a...       now   goal\n");
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        printf("  %-13s %5.1f  %5.0f  %s\n", table[i].what, table[i].bytes, table[i].goal, table[i].parts);
        json_array_append_new(rows, json_pack("{s:s, s:f, s:f}", "bytes_a", table[i].what, "bytes",
                                              table[i].bytes, "goal", table[i].goal));
    }
    simulation_end(&s);
}

/* ---- ns-3 ---- */

/* A file beside this program. */
static void beside(char *path, size_t size, const char *name)
{
    ssize_t n = readlink("/proc/self/exe", path, size - 1);
    path[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(path, '/');
    const size_t at = slash ? (size_t)(slash - path) + 1 : 0;
    snprintf(path + at, size - at, "%s", name);
}

/* One run of ns-3; null where it fails, a message is then written. */
static json_t *run_ns3(const char *program)
{
    char command[4400], line[1024] = "";
    snprintf(command, sizeof command, "'%s' %d %d %d", program, DUMBBELL_FLOWS, NS3_SECONDS, NS3_WARMUP);
    FILE *pipe = popen(command, "r");
    if (!pipe)
        return NULL;
    char *got = fgets(line, sizeof line, pipe);
    json_t *out = pclose(pipe) == 0 && got ? json_loads(line, 0, NULL) : NULL;
    if (!out)
        fprintf(stderr, "bench_net: %s failed\n", command);
    return out;
}

typedef struct traffic {
    double goodput_bps, drops_per_s, hops_per_s;
} traffic;

/* What our dumbbell carries in the span that ns-3 counts. */
static traffic carried(weir_diag *diag)
{
    simulation s = begin(diag, &workloads[0]);
    traffic at[2] = {{0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < 2; i++) {
        bench_must(diag, weir_sim_run(diag, s.sim, (i ? NS3_SECONDS : NS3_WARMUP) * WEIR_PS_PER_S, NULL));
        at[i].hops_per_s = (double)hops_of(&s);
        for (uint32_t f = 0; f < s.network->net->n_flows; f++) {
            wi_net_flow_total total;
            wi_net_flow_read(s.network->net, s.sim, f, &total);
            at[i].goodput_bps += 8.0 * (double)total.received_bytes;
            at[i].drops_per_s += (double)total.dropped;
        }
    }
    simulation_end(&s);
    const double span_s = NS3_SECONDS - NS3_WARMUP;
    return (traffic){(at[1].goodput_bps - at[0].goodput_bps) / span_s,
                     (at[1].drops_per_s - at[0].drops_per_s) / span_s,
                     (at[1].hops_per_s - at[0].hops_per_s) / span_s};
}

static double number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static void compare_with_ns3(weir_diag *diag, json_t *out)
{
    char program[4200];
    beside(program, sizeof program, "ns3/ns3_dumbbell");
    if (access(program, X_OK) != 0) {
        printf("\nns-3 was not found when this was built (libns3-dev and g++): no comparison.\n");
        return;
    }
    double theirs[NS3_TURNS], ours[NS3_TURNS], ratio[NS3_TURNS];
    traffic ns3 = {0, 0, 0};
    double ns3_events = 0.0;
    char version[64] = "";
    for (int i = 0; i < NS3_TURNS; i++) {
        json_t *result = run_ns3(program);
        if (!result)
            return;
        theirs[i] = number(result, "hops") / number(result, "cpu_s");
        ns3 = (traffic){number(result, "goodput_bps"), number(result, "drops_per_s"),
                        number(result, "hops_per_s")};
        ns3_events = number(result, "events") / number(result, "hops");
        snprintf(version, sizeof version, "%s", json_string_value(json_object_get(result, "version")));
        json_decref(result);

        double took_s;
        simulation s = begin(diag, &workloads[0]);
        bench_must(diag, weir_sim_run(diag, s.sim, workloads[0].warm_ps, NULL));
        ours[i] = timed(diag, &s, workloads[0].warm_ps + workloads[0].part_ps, &took_s);
        ratio[i] = ours[i] / theirs[i];
        simulation_end(&s);
    }
    const traffic weir = carried(diag);
    const double mid = bench_median(ratio, NS3_TURNS);
    printf("\nDumbbell of %d NewReno flows, in turn %d times   ns-3 %-8s weir\n", DUMBBELL_FLOWS, NS3_TURNS,
           version);
    printf("  M packet hops/s, median                    %9.3f %9.2f   ratio %.1f (goal 30), %.1f .. %.1f\n",
           bench_median(theirs, NS3_TURNS) / 1e6, bench_median(ours, NS3_TURNS) / 1e6, mid, ratio[0],
           ratio[NS3_TURNS - 1]);
    printf("  goodput, Mb/s, %2d s to %2d s                %9.2f %9.2f\n", NS3_WARMUP, NS3_SECONDS,
           ns3.goodput_bps / 1e6, weir.goodput_bps / 1e6);
    printf("  packets dropped a second                   %9.1f %9.1f\n", ns3.drops_per_s, weir.drops_per_s);
    printf("  packet hops a simulated second             %9.0f %9.0f\n", ns3.hops_per_s, weir.hops_per_s);
    printf("  events a hop                               %9.2f\n", ns3_events);
    json_object_set_new(out, "ns3",
                        json_pack("{s:s, s:f, s:f, s:f, s:[f,f], s:[f,f]}", "version", version, "hops_per_s",
                                  bench_median(theirs, NS3_TURNS), "weir_hops_per_s",
                                  bench_median(ours, NS3_TURNS), "ratio", mid, "goodput_bps", ns3.goodput_bps,
                                  weir.goodput_bps, "drops_per_s", ns3.drops_per_s, weir.drops_per_s));
}

/* ---- all of it ---- */

static void machine_name(char *name, size_t size)
{
    char line[256];
    snprintf(name, size, "unknown");
    FILE *f = fopen("/proc/cpuinfo", "r");
    while (f && fgets(line, sizeof line, f)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(name, size, "%s", colon + 2);
            break;
        }
    }
    if (f)
        fclose(f);
}

int main(int argc, char **argv)
{
    const int repeats = bench_count(argc, argv, 1, 5, BENCH_REPEATS_MAX);
    char file[4200], machine[200];
    if (argc > 2)
        snprintf(file, sizeof file, "%s", argv[2]);
    else
        beside(file, sizeof file, "bench_net.json");
    machine_name(machine, sizeof machine);
    weir_diag *diag = weir_diag_new();
    json_t *out = json_pack("{s:s, s:s, s:i, s:s, s:s, s:i}", "bench", "net", "machine", machine, "cores",
                            (int)sysconf(_SC_NPROCESSORS_ONLN), "version", WEIR_VERSION, "build", WEIR_BUILD,
                            "repeats", repeats);
    json_t *rows = json_array(), *memory = json_array();

    printf("Packet network, sequential engine, one core of %s; weir %s, %s\n", machine, WEIR_VERSION,
           WEIR_BUILD);
    printf("%-17s %6s %6s %9s %8s %7s %8s %14s %7s %10s %9s %8s\n", "workload", "hosts", "flows", "sim. s",
           "M hops", "CPU s", "Mhops/s", "least..most", "goal", "events/hop", "pending", "B/event");
    for (int i = 0; i < WORKLOADS; i++)
        bench(diag, &workloads[i], repeats, rows);
    print_memory(diag, memory);
    json_object_set_new(out, "rows", rows);
    json_object_set_new(out, "memory", memory);
    compare_with_ns3(diag, out);
    if (json_dump_file(out, file, JSON_INDENT(2)) != 0)
        fprintf(stderr, "bench_net: %s cannot be written\n", file);
    json_decref(out);
    weir_diag_free(diag);
    return 0;
}
