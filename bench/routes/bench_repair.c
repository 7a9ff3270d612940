/* links: packets net routing topology base
 *
 * One link fails and comes back: how long until all routes are repaired, on one core.
 *
 * Timed is the run's own forwarding table, as a scenario with events has it: every router a row, every router
 * a destination, from the change of the link's cost to the last entry, with the log of changed entries that a
 * run applies; beside it that of all pairs alone (weir_routes_update). Links are drawn at random: those of
 * nodes with a single link, all others, and those between the nodes with most links. After each change, whole
 * columns (the link's ends and random ones) must be the trees that are computed anew, and after each repair
 * the whole table must be the first one, to the byte. Processor time.
 *
 * Arguments: a topology (default AS 7018 of the shared data, $WEIR_DATA or ../shared/data), links of each kind
 * (default 100), metric (hops, or delay: drawn from 1 to 10 ms, seeded; default hops).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../tests/splitmix.h"
#include "../bench.h"
#include "packets/build/forwarding.h"
#include "weir/routes.h"
#include "weir/topology.h"

enum { COLUMNS_CHECKED = 20, LINKS_MAX = 2000 };

typedef enum link_kind { LEAF, INNER, HUB, N_KINDS } link_kind;
static const char *const kind_name[] = {"the only link of a node", "any other link",
                                        "between nodes of most links"};

typedef struct network {
    const weir_graph *graph;
    wi_net_forwarding f;
    weir_cost *cost;      /* [n_edges] at first */
    uint32_t *node;       /* [n_nodes] 0, 1, 2, ... */
    weir_routes *routes;  /* of all pairs, beside the forwarding's own */
    unsigned char *first; /* the table before any failure */
    size_t bytes;
    weir_route_space *space;
    uint16_t *port;
} network;

static uint32_t degree(const weir_graph *g, uint32_t node)
{
    return g->first[node + 1] - g->first[node];
}

static uint32_t source_of(const weir_graph *g, uint32_t e)
{
    return g->target[g->reverse[e]];
}

static void *must_have(void *memory)
{
    if (!memory)
        bench_fail("no memory");
    return memory;
}

/* Costs as of delays from 1 to 10 ms, in steps of 100 ns. */
static void draw_delays(const weir_graph *graph, weir_cost *cost)
{
    uint64_t seed = 1;
    for (uint32_t e = 0; e < graph->n_edges; ++e)
        if (e < graph->reverse[e])
            cost[e] = cost[graph->reverse[e]] = 10000 + rnd(&seed) % 90001;
}

static void network_init(network *n, weir_diag *diag, const weir_graph *graph, bool delays)
{
    *n = (network){.graph = graph};
    n->node = must_have(malloc(graph->n_nodes * sizeof *n->node));
    for (uint32_t i = 0; i < graph->n_nodes; ++i)
        n->node[i] = i;
    n->f = (wi_net_forwarding){.graph = graph,
                               .metric = WEIR_METRIC_HOPS,
                               .will_change = true,
                               .router_node = n->node,
                               .column_node = n->node,
                               .n_routers = graph->n_nodes,
                               .n_columns = graph->n_nodes};
    const double start = bench_cpu_s();
    bench_must(diag, wi_net_forwarding_costs(diag, &n->f));
    if (delays)
        draw_delays(graph, n->f.cost);
    bench_must(diag, wi_net_forwarding_compute(diag, &n->f));
    printf("the whole table: %.3f s; %s\n", bench_cpu_s() - start, weir_routes_how(n->f.routes));
    n->bytes = (size_t)graph->n_nodes * graph->n_nodes * n->f.entry_bytes;
    n->first = must_have(malloc(n->bytes));
    memcpy(n->first, n->f.table, n->bytes);
    n->cost = must_have(malloc(graph->n_edges * sizeof *n->cost));
    memcpy(n->cost, n->f.cost, graph->n_edges * sizeof *n->cost);
    n->space = must_have(weir_route_space_new(graph));
    n->port = must_have(malloc(graph->n_nodes * sizeof *n->port));
    weir_routes_options options;
    weir_routes_options_init(&options);
    options.cost = n->f.cost;
    options.threads = 1;
    bench_must(diag, weir_routes_compute(diag, graph, &options, &n->routes));
}

static void network_free(network *n)
{
    wi_net_forwarding_free(&n->f);
    weir_routes_free(n->routes);
    weir_route_space_free(n->space);
    free(n->first);
    free(n->cost);
    free(n->node);
    free(n->port);
}

static uint32_t entry(const network *n, uint32_t from, uint32_t to)
{
    const size_t at = (size_t)from * n->graph->n_nodes + to;
    if (n->f.entry_bytes == 2)
        return ((const uint16_t *)(const void *)n->f.table)[at];
    return n->f.table[at] == UINT8_MAX ? WEIR_NO_PORT : n->f.table[at];
}

static void check_column(network *n, uint32_t to)
{
    bench_must(NULL, weir_route_tree(NULL, n->graph, n->f.cost, to, n->space, NULL, n->port));
    for (uint32_t from = 0; from < n->graph->n_nodes; ++from)
        if (entry(n, from, to) != n->port[from] || weir_routes_port(n->routes, from, to) != n->port[from])
            bench_fail("from %" PRIu32 " to %" PRIu32 ": ports %" PRIu32 " and %u, anew %u", from, to,
                       entry(n, from, to), weir_routes_port(n->routes, from, to), n->port[from]);
}

/* Milliseconds of the run's table and of that of all pairs. */
typedef struct took {
    double run_ms, pairs_ms;
} took;

static took change(network *n, uint32_t edge, bool down, uint64_t *seed)
{
    const weir_route_change c = {edge, down ? WEIR_COST_DOWN : n->cost[edge]};
    weir_routes_options options;
    weir_routes_options_init(&options);
    options.threads = 1;
    /* The second works on a copy of the costs, which it changes too. */
    weir_cost *const cost = must_have(malloc(n->graph->n_edges * sizeof *cost));
    memcpy(cost, n->f.cost, n->graph->n_edges * sizeof *cost);
    n->f.n_changed = 0;
    const double start = bench_cpu_s();
    bench_must(NULL, wi_net_forwarding_change(NULL, &n->f, &c, 1));
    const double then = bench_cpu_s();
    bench_must(NULL, weir_routes_update(NULL, n->routes, n->graph, cost, &c, 1, &options, NULL));
    const double end = bench_cpu_s();
    free(cost);
    check_column(n, source_of(n->graph, edge));
    check_column(n, n->graph->target[edge]);
    for (int k = 0; k < COLUMNS_CHECKED; ++k)
        check_column(n, (uint32_t)(rnd(seed) % n->graph->n_nodes));
    if (!down && memcmp(n->f.table, n->first, n->bytes) != 0)
        bench_fail("a repaired link does not give the first table");
    return (took){1e3 * (then - start), 1e3 * (end - then)};
}

static bool is_of(const weir_graph *g, uint32_t e, link_kind kind, uint32_t hub)
{
    const uint32_t a = degree(g, source_of(g, e)), b = degree(g, g->target[e]), less = a < b ? a : b;
    return source_of(g, e) != g->target[e] && (kind == LEAF    ? less == 1
                                               : kind == INNER ? less > 1
                                                               : less >= hub);
}

/* How many links both ends of which have so many links at least. */
static uint32_t hub_links(const weir_graph *g, uint32_t hub)
{
    uint32_t n = 0;
    for (uint32_t e = 0; e < g->n_edges; ++e)
        n += e < g->reverse[e] && is_of(g, e, HUB, hub);
    return n;
}

/* Sorts. */
static void print(const char *what, const char *which, double *ms, int n)
{
    const double median = bench_median(ms, n);
    printf("%-28s %-8s %5d %9.3f %9.3f %9.3f\n", what, which, n, median, ms[(99 * n - 1) / 100], ms[n - 1]);
}

static void kind_rows(network *n, link_kind kind, int count)
{
    static double ms[2][2][LINKS_MAX]; /* run or pairs; failure or repair */
    uint64_t seed = 7018 + kind;
    uint32_t hub = 2;
    while (kind == HUB && hub_links(n->graph, hub + 1) >= (uint32_t)count)
        ++hub;
    for (int k = 0; k < count; ++k) {
        uint32_t e;
        do
            e = (uint32_t)(rnd(&seed) % n->graph->n_edges);
        while (!is_of(n->graph, e, kind, hub));
        for (int up = 0; up < 2; ++up) {
            const took t = change(n, e, !up, &seed);
            ms[0][up][k] = t.run_ms;
            ms[1][up][k] = t.pairs_ms;
        }
    }
    print(kind_name[kind], "fails", ms[0][0], count);
    print("", "returns", ms[0][1], count);
    print("  of all pairs alone", "fails", ms[1][0], count);
    print("", "returns", ms[1][1], count);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const char *const data = getenv("WEIR_DATA") ? getenv("WEIR_DATA") : "../shared/data";
    const int count = bench_count(argc, argv, 2, 100, LINKS_MAX);
    const bool delays = argc > 3 && strcmp(argv[3], "delay") == 0;
    char path[4096];
    weir_diag *const diag = weir_diag_new();
    weir_graph *graph = NULL;
    network n;
    snprintf(path, sizeof path, "%s/rocketfuel/7018.cch.gz", data);
    bench_must(diag, weir_topology_load(diag, argc > 1 ? argv[1] : path, NULL, &graph));
    printf("%s: %" PRIu32 " nodes, %" PRIu32 " links, %s; milliseconds of one core\n",
           argc > 1 ? argv[1] : "AS 7018", graph->n_nodes, graph->n_edges / 2,
           delays ? "delays of 1 to 10 ms" : "hops");
    network_init(&n, diag, graph, delays);
    printf("\n%-28s %-8s %5s %9s %9s %9s\n", "link", "", "links", "median", "p99", "worst");
    for (link_kind kind = LEAF; kind < N_KINDS; ++kind)
        kind_rows(&n, kind, count);
    network_free(&n);
    weir_graph_free(graph);
    weir_diag_free(diag);
    return 0;
}
