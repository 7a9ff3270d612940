/*
 * What data-centre transports and captures cost on one core: packet hops a second of an incast of 1,023 hosts to one, on a
 * fat-tree of 1,024, by control and switches; and packets a second that a run writes into a capture.
 * links: scenario output packets net engine routing topology base
 *
 * bench_disciplines [REPEATS [MS]]. Each row: a warm-up, then the median of REPEATS (default 5) parts of MS simulated milliseconds
 * (default 2) of one run; packets are conserved, and a second run to the end of the first part has the same digests. FQ-CoDel
 * with 1,024 flows is a row of bench_net. Seconds are processor time.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "packets/stats/stats.h"
#include "simulation.h"
#include "weir/run.h"

/* ---- incasts ---- */

static const struct row {
    const char *name, *ports, *tcp;
} rows[] = {
    {"CUBIC, drop-tail", "queue: {limit: 1MB}", "congestion: cubic"},
    {"DCTCP, threshold", "queue: {type: threshold, mark: 97500B, limit: 1MB}", "congestion: dctcp"},
    {"DCTCP, shared buffer", "queue: {type: threshold, mark: 97500B}\n  shared_buffer: {size: 16MB}",
     "congestion: dctcp"},
    {"DCQCN, PFC", "queue: {type: threshold, mark: 97500B}\n  shared_buffer: {size: 16MB, pfc: {}}",
     "congestion: dcqcn"},
    {"HPCC, PFC", "shared_buffer: {size: 16MB, pfc: {}}", "congestion: hpcc"},
    {"HPCC, drop-tail", "queue: {limit: 1MB}", "congestion: hpcc"},
    {"NDP, trimmed", "queue: {type: trim}", "congestion: ndp"},
};

static simulation begin(weir_diag *diag, const struct row *r)
{
    char text[2000];
    weir_scenario *scenario = NULL;
    snprintf(
        text, sizeof text,
        "weir: 1\nduration: 1h\ntopology:\n  generate: {model: fat-tree, k: 16, rate: 10Gbps, delay: 1us, "
        "access_delay: 1us}\n  %s\nrouting: {ecmp: true}\ntraffic:\n- {name: incast, from: \"h*\", to: h0, "
        "start: {uniform: [0s, 1ms]}, tcp: {%s, rto_min: 10ms}}\n",
        r->ports, r->tcp);
    bench_must(diag, weir_scenario_parse(diag, r->name, text, strlen(text), NULL, NULL, 0, &scenario));
    return simulation_of(diag, scenario);
}

static void check(weir_diag *diag, const struct row *r, const simulation *s, weir_time at_ps)
{
    simulation again = begin(diag, r);
    bench_must(diag, weir_sim_run(diag, again.sim, at_ps, NULL));
    bench_must(diag, wi_net_check(diag, again.network->net, again.sim));
    bench_same(s->sim, again.sim, r->name);
    simulation_end(&again);
}

static void incast(weir_diag *diag, const struct row *r, int repeats, weir_time part_ps)
{
    enum { WARM = 5 };
    const weir_time warm_ps = WARM * WEIR_PS_PER_MS;
    simulation s = begin(diag, r);
    double rate[BENCH_REPEATS_MAX];
    bench_must(diag, weir_sim_run(diag, s.sim, warm_ps, NULL));
    const uint64_t first = wi_net_hops(s.network->net, s.sim), events = weir_sim_events(s.sim);
    for (int i = 0; i < repeats; i++) {
        const uint64_t before = wi_net_hops(s.network->net, s.sim);
        const double t0 = bench_cpu_s();
        bench_must(diag, weir_sim_run(diag, s.sim, warm_ps + (i + 1) * part_ps, NULL));
        rate[i] = (double)(wi_net_hops(s.network->net, s.sim) - before) / (bench_cpu_s() - t0);
        if (i == 0)
            check(diag, r, &s, warm_ps + part_ps);
    }
    bench_must(diag, wi_net_check(diag, s.network->net, s.sim));
    const double hops = (double)(wi_net_hops(s.network->net, s.sim) - first);
    const double median = bench_median(rate, repeats);
    printf("%-21s %8.2f %6.2f..%-6.2f %10.3f %10.1f\n", r->name, median / 1e6, rate[0] / 1e6,
           rate[repeats - 1] / 1e6, (double)(weir_sim_events(s.sim) - events) / hops,
           hops / weir_seconds(repeats * part_ps) / 1e6);
    fflush(stdout);
    simulation_end(&s);
}

/* ---- captures ---- */

/* Two hosts and a router; at h1 a capture has all packets of two hops each. Returns processor seconds. */
static double two_hosts(weir_diag *diag, const char *folder, const char *output, double *packets)
{
    char text[1000];
    weir_scenario *scenario = NULL;
    weir_run_options options;
    weir_run_result result;
    snprintf(text, sizeof text,
             "weir: 1\nduration: 4s\ntopology: {generate: {model: star, hosts: 2, access_rate: 10Gbps}}\n"
             "traffic: [{name: a, from: h1, to: h0, tcp: {window: 1MiB}}]\nengine: {type: sequential}\n"
             "%s",
             output);
    weir_run_options_init(&options);
    options.output_dir = folder;
    options.force = true;
    bench_must(diag, weir_scenario_parse(diag, "capture", text, strlen(text), NULL, NULL, 0, &scenario));
    const double t0 = bench_cpu_s();
    bench_must(diag, weir_run(diag, scenario, &options, &result));
    const double took_s = bench_cpu_s() - t0;
    *packets = 0.5 * (double)result.packet_hops;
    weir_run_result_free(&result);
    weir_scenario_free(scenario);
    return took_s;
}

static void captures(weir_diag *diag, int repeats)
{
    char folder[] = "/tmp/bench-disciplines-XXXXXX", command[100];
    double whole[BENCH_REPEATS_MAX], more[BENCH_REPEATS_MAX], packets = 0.0;
    if (!mkdtemp(folder))
        bench_fail("no folder %s", folder);
    for (int i = 0; i < repeats; i++) {
        const double without_s = two_hosts(diag, folder, "", &packets),
                     with_s = two_hosts(diag, folder, "output: {pcap: h1}\n", &packets);
        whole[i] = packets / with_s;
        more[i] = (with_s - without_s) / packets;
    }
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    if (system(command) != 0)
        fprintf(stderr, "bench_disciplines: %s is left\n", folder);
    const double median = bench_median(whole, repeats);
    printf("\nCapture of %.2f M TCP packets: %.2f M packets/s of the whole run (goal 1), %.2f..%.2f; %.0f ns "
           "a packet "
           "more than without\n",
           packets / 1e6, median / 1e6, whole[0] / 1e6, whole[repeats - 1] / 1e6,
           bench_median(more, repeats) * 1e9);
}

int main(int argc, char **argv)
{
    const int repeats = bench_count(argc, argv, 1, 5, BENCH_REPEATS_MAX);
    const weir_time part_ps = bench_count(argc, argv, 2, 2, 1000) * WEIR_PS_PER_MS;
    weir_diag *diag = weir_diag_new();
    printf("Incast of 1,023 hosts  M hops/s  least..most  events/hop  M hops/simulated s\n");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        incast(diag, &rows[i], repeats, part_ps);
    captures(diag, repeats);
    weir_diag_free(diag);
    return 0;
}
