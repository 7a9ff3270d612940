/*
 * What bench_routes_paper measures: a topology of ten ASes, pairs of nodes on it, and ways to route between
 * them, each with its answer checked. Times are seconds of the processor; negative: not run, or no answer.
 *
 * The judge is a plain breadth-first search of its own: a port is right if it is the lowest-numbered one to a
 * neighbour that is one hop nearer.
 */
#ifndef BENCH_ROUTES_PAPER_H
#define BENCH_ROUTES_PAPER_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ba_graph.h"
#include "../bench.h"
#include "weir/routes.h"
#include "weir/run.h"
#include "weir/topology.h"

enum { ASES = 10, PAIRS_MAX = 1000, JUDGED = 16, HOPS_MAX = 256 };

typedef struct experiment {
    char conf[40]; /* path of BRITE's configuration */
    weir_graph *graph;
    weir_cost *cost; /* [n_edges]: 1 each */
    uint32_t pair[PAIRS_MAX][2], n_pairs;
    bool tcp;        /* one TCP packet a pair, not one UDP packet */
    const char *ns3; /* program; null: there is none */
    double limit_s;  /* an ns-3 run is ended after that */
    weir_cost *dist; /* [n_nodes]: the judge's, to `judged` */
    uint32_t *queue;
    uint32_t judged;
} experiment;

/* ---- topology and pairs ---- */

/* BRITE's configuration of ten ASes of so many routers: Barabasi-Albert above, Waxman below. */
static inline void write_conf(FILE *f, uint32_t routers)
{
    fputs("BriteConfig\n\nBeginModel\n\tName = 5\n\tedgeConn = 1\n\tk = -1\n\tBWInter = 1\n"
          "\tBWInterMin = 1000.0\n\tBWInterMax = 1000.0\n\tBWIntra = 1\n\tBWIntraMin = 100.0\n"
          "\tBWIntraMax = 100.0\nEndModel\n\n",
          f);
    fprintf(f,
            "BeginModel\n\tName = 4\n\tN = %d\n\tHS = 1000\n\tLS = 100\n\tNodePlacement = 1\n\tm = 2\n"
            "\tBWDist = 1\n\tBWMin = -1.0\n\tBWMax = -1.0\nEndModel\n\n",
            ASES);
    fprintf(f,
            "BeginModel\n\tName = 1\n\tN = %" PRIu32 "\n\tHS = 1000\n\tLS = 100\n\tNodePlacement = 1\n"
            "\tGrowthType = 1\n\tm = 2\n\talpha = 0.15\n\tbeta = 0.2\n\tBWDist = 1\n\tBWMin = -1.0\n"
            "\tBWMax = -1.0\nEndModel\n\n",
            routers);
    fputs("BeginOutput\n\tBRITE = 1\n\tOTTER = 0\n\tDML = 0\n\tNS = 0\n\tJavasim = 0\nEndOutput\n", f);
}

static inline uint32_t degree_of(const weir_graph *g, uint32_t i)
{
    return g->first[i + 1] - g->first[i];
}

/* All ordered pairs of the ASes' first nodes of fewest links. */
static inline void pair_leaves(experiment *x)
{
    const weir_graph *const g = x->graph;
    uint32_t leaf[ASES], as[ASES], n = 0;
    for (uint32_t i = 0; i < g->n_nodes; ++i) {
        uint32_t k = 0;
        while (k < n && as[k] != g->as_number[i])
            ++k;
        if (k == ASES)
            bench_fail("more than ten ASes");
        if (k == n || degree_of(g, i) < degree_of(g, leaf[k]))
            leaf[k] = i;
        as[k] = g->as_number[i];
        n += k == n;
    }
    x->n_pairs = 0;
    for (uint32_t p = 0; p < n * n; ++p) {
        if (p / n == p % n)
            continue;
        x->pair[x->n_pairs][0] = leaf[p / n];
        x->pair[x->n_pairs++][1] = leaf[p % n];
    }
}

/* So many pairs of different nodes of at most two links, the fewest that a node gets. */
static inline void pair_at_random(experiment *x, uint32_t n_pairs)
{
    uint64_t seed = 7;
    for (uint32_t k = 0; k < n_pairs; ++k) {
        for (uint32_t end = 0; end < 2; ++end)
            do
                x->pair[k][end] = (uint32_t)(rnd(&seed) % x->graph->n_nodes);
            while (degree_of(x->graph, x->pair[k][end]) > 2 || (end && x->pair[k][0] == x->pair[k][1]));
    }
    x->n_pairs = n_pairs;
}

static inline const char *first_of(const weir_diag *diag)
{
    return diag && weir_diag_count(diag) ? weir_diag_get(diag, 0)->text : "failed";
}

static inline void experiment_new(experiment *x, uint32_t routers, const char *ns3, double limit_s)
{
    weir_diag *const diag = weir_diag_new();
    *x = (experiment){.conf = "/tmp/ten-as-XXXXXX.conf", .ns3 = ns3, .limit_s = limit_s};
    const int fd = mkstemps(x->conf, 5);
    FILE *const f = fd < 0 ? NULL : fdopen(fd, "w");
    if (!f)
        bench_fail("/tmp");
    write_conf(f, routers);
    if (fclose(f) != 0 || weir_topology_load(diag, x->conf, NULL, &x->graph) != WEIR_OK)
        bench_fail("topology: %s", first_of(diag));
    weir_diag_free(diag);
    x->cost = malloc(x->graph->n_edges * sizeof *x->cost);
    x->dist = malloc(x->graph->n_nodes * sizeof *x->dist);
    x->queue = malloc(x->graph->n_nodes * sizeof *x->queue);
    if (!x->cost || !x->dist || !x->queue)
        bench_fail("no memory");
    for (uint32_t e = 0; e < x->graph->n_edges; ++e)
        x->cost[e] = 1;
    x->judged = UINT32_MAX;
}

static inline void experiment_free(experiment *x)
{
    unlink(x->conf);
    weir_graph_free(x->graph);
    free(x->cost);
    free(x->dist);
    free(x->queue);
}

/* ---- the judge ---- */

static inline void judge(experiment *x, uint32_t dst)
{
    const weir_graph *const g = x->graph;
    uint32_t head = 0, tail = 0;
    if (x->judged == dst)
        return;
    x->judged = dst;
    memset(x->dist, 0xff, g->n_nodes * sizeof *x->dist);
    x->dist[dst] = 0;
    x->queue[tail++] = dst;
    while (head < tail) {
        const uint32_t v = x->queue[head++];
        for (uint32_t e = g->first[v]; e < g->first[v + 1]; ++e)
            if (x->dist[g->target[e]] == WEIR_NO_WAY) {
                x->dist[g->target[e]] = x->dist[v] + 1;
                x->queue[tail++] = g->target[e];
            }
    }
}

/* The one right port of a node toward the judged destination. */
static inline uint32_t right_port(const experiment *x, uint32_t node)
{
    const weir_graph *const g = x->graph;
    for (uint32_t e = g->first[node]; e < g->first[node + 1]; ++e)
        if (x->dist[node] != 0 && x->dist[g->target[e]] + 1 == x->dist[node])
            return e - g->first[node];
    return WEIR_NO_PORT;
}

/* ---- ways to route ---- */

/* All pairs, one core; then some whole columns are judged. */
static inline double table_seconds(experiment *x, weir_route_algorithm algorithm)
{
    weir_routes_options options;
    weir_routes *routes = NULL;
    weir_diag *const diag = weir_diag_new();
    weir_routes_options_init(&options);
    options.threads = 1;
    options.algorithm = algorithm;
    const double start = bench_cpu_s();
    if (weir_routes_compute(diag, x->graph, &options, &routes) != WEIR_OK)
        bench_fail("table: %s", first_of(diag));
    const double seconds = bench_cpu_s() - start;
    weir_diag_free(diag);
    for (uint32_t k = 0; k < JUDGED; ++k) {
        const uint32_t dst = (uint32_t)((uint64_t)k * x->graph->n_nodes / JUDGED);
        judge(x, dst);
        for (uint32_t i = 0; i < x->graph->n_nodes; ++i)
            if (weir_routes_port(routes, i, dst) != right_port(x, i))
                bench_fail("a port of the table is not the right one");
    }
    weir_routes_free(routes);
    return seconds;
}

/* A tree of each destination when it is first asked for. */
static inline double demand_seconds(experiment *x)
{
    weir_route_cache *cache = NULL;
    if (weir_route_cache_new(NULL, x->graph, x->cost, UINT64_C(1) << 30, &cache) != WEIR_OK)
        bench_fail("cache");
    double seconds = 0;
    for (uint32_t k = 0; k < x->n_pairs; ++k) {
        const uint16_t *port = NULL;
        const double start = bench_cpu_s();
        if (weir_route_cache_ports(NULL, cache, x->pair[k][1], &port) != WEIR_OK)
            bench_fail("tree");
        seconds += bench_cpu_s() - start;
        judge(x, x->pair[k][1]);
        for (uint32_t i = 0; i < x->graph->n_nodes; ++i)
            if (port[i] != right_port(x, i))
                bench_fail("a port of a tree is not the right one");
    }
    weir_route_cache_free(cache);
    return seconds;
}

/* A search a pair, that ends at the source. */
static inline double nix_seconds(experiment *x)
{
    const weir_graph *const g = x->graph;
    weir_route_space *const space = weir_route_space_new(g);
    uint8_t bits[HOPS_MAX];
    double seconds = 0;
    for (uint32_t k = 0; k < x->n_pairs; ++k) {
        weir_nix nix;
        const uint32_t from = x->pair[k][0], to = x->pair[k][1];
        const double start = bench_cpu_s();
        if (weir_nix_find(NULL, g, x->cost, from, to, space, bits, sizeof bits, &nix) != WEIR_OK)
            bench_fail("nix-vector");
        seconds += bench_cpu_s() - start;
        judge(x, to);
        if (nix.n_hops != x->dist[from] || nix.n_bits > 8 * sizeof bits)
            bench_fail("a nix-vector is not as long as the shortest path");
        for (uint32_t h = 0, node = from, at = 0; h < nix.n_hops; ++h) {
            const uint32_t port = weir_nix_next(bits, degree_of(g, node), &at);
            if (port != right_port(x, node))
                bench_fail("a nix-vector does not lead along the right ports");
            node = g->target[g->first[node] + port];
        }
    }
    weir_route_space_free(space);
    return seconds;
}

/* ---- the paper's experiment, packets included ---- */

/* In weir: reading the topology, routes, every packet. */
static inline double run_seconds(experiment *x, const char *forwarding)
{
    char *text = NULL;
    size_t size = 0;
    FILE *const f = open_memstream(&text, &size);
    fprintf(f,
            "weir: 1\nduration: 60s\nseed: 1\ntopology: {file: %s}\nrouting: {metric: hops, forwarding: %s}\n"
            "traffic: [{name: a, %s, pairs: [",
            x->conf, forwarding,
            x->tcp ? "tcp: {size: 100B}" : "udp: {rate: 800bps, packet: 100B}, stop: 500ms");
    for (uint32_t k = 0; k < x->n_pairs; ++k)
        fprintf(f, "%s[%s, %s]", k ? ", " : "", x->graph->name[x->pair[k][0]], x->graph->name[x->pair[k][1]]);
    fputs("]}]\n", f);
    fclose(f);
    weir_diag *const diag = weir_diag_new();
    weir_scenario *scenario = NULL;
    weir_run_result result;
    weir_run_options options;
    weir_run_options_init(&options);
    options.no_output = true;
    const double start = bench_cpu_s();
    if (weir_scenario_parse(diag, "ten-as.yaml", text, size, "/", NULL, 0, &scenario) != WEIR_OK ||
        weir_run(diag, scenario, &options, &result) != WEIR_OK)
        bench_fail("run: %s", first_of(diag));
    const double seconds = bench_cpu_s() - start;
    const char *const arrived =
        strstr(result.summary_json, x->tcp ? "\"completed\":" : "\"packets_received\":");
    if (!arrived || strtoul(strchr(arrived, ':') + 1, NULL, 10) != x->n_pairs)
        bench_fail("packets are missing");
    weir_run_result_free(&result);
    weir_scenario_free(scenario);
    weir_diag_free(diag);
    free(text);
    return seconds;
}

/* In ns-3, as its program says: routes and every packet, without building the topology. */
static inline double ns3_seconds(experiment *x, const char *method)
{
    char pairs[] = "/tmp/ten-as-XXXXXX.pairs", line[4400];
    double routes = -1, simulation = 0;
    if (!x->ns3)
        return -1;
    if (x->tcp) {
        const int fd = mkstemps(pairs, 6);
        FILE *const f = fd < 0 ? NULL : fdopen(fd, "w");
        for (uint32_t k = 0; f && k < x->n_pairs; ++k)
            fprintf(f, "%" PRIu32 " %" PRIu32 "\n", x->pair[k][0], x->pair[k][1]);
        if (!f || fclose(f) != 0)
            bench_fail("/tmp");
    }
    snprintf(line, sizeof line, "timeout %.0f '%s' %s %s %s %s", x->limit_s, x->ns3, x->conf, method,
             x->tcp ? "--pairs" : "", x->tcp ? pairs : "");
    FILE *const f = popen(line, "r");
    while (f && fgets(line, sizeof line, f)) {
        const char *const at = strstr(line, "routes ");
        if (at && sscanf(at, "routes %lf s, simulation %lf s", &routes, &simulation) != 2)
            routes = -1;
    }
    const int status = f ? pclose(f) : -1;
    if (x->tcp)
        unlink(pairs);
    return status != 0 || routes < 0 ? -1
                                     : routes + simulation; /* status: timed out, or packets are missing */
}

#endif
