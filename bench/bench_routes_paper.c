/* links: routing topology base
 *
 * The experiments of paper 002 (figures 5 to 7) without a simulator around them: how long do routes take on
 * topologies of ten ASes (Barabasi-Albert above, Waxman below, as BRITE makes them), for ten sources and
 * sinks, one a AS, and for more.
 *
 * Figures 5 and 6: a table of all pairs, nix-vectors for the 90 pairs, trees for the 10 sinks, by number of
 * nodes. Figure 7: 5,000 nodes, 10 to 1,000 pairs of random leaves. First every pair's nix-vector is compared
 * with the table's path. One core. The paper's own times, on other machines and with the simulation of the
 * packets: ns-3's global routing 1,566 s on 1,000 nodes; its CUDA module 3 to 3.5 times as fast as ns-3's
 * nix-vectors.
 *
 * Arguments, in any order: "large" for 100,000 nodes (a table of 10 GB, a minute); and the program
 * weir-ns3-ten-as, to run ns-3 beside it, packets included: this table, ns-3's nix-vectors, and (1,000 nodes
 * only; minutes) its global routing.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "weir/routes.h"
#include "weir/topology.h"

#define CONF_SIZE 2048

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t draw(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static void die(const char *what, const weir_diag *diag)
{
    fprintf(stderr, "bench_routes_paper: %s: %s\n", what,
            diag && weir_diag_count(diag) ? weir_diag_get(diag, 0)->text : "failed");
    exit(1);
}

/* BRITE's configuration of ten ASes of so many routers. */
static void write_conf(char *out, uint32_t routers)
{
    snprintf(
        out, CONF_SIZE,
        "BriteConfig\n\nBeginModel\n\tName = 5\n\tedgeConn = 1\n\tk = -1\n\tBWInter = 1\n\tBWInterMin = "
        "1000.0\n"
        "\tBWInterMax = 1000.0\n\tBWIntra = 1\n\tBWIntraMin = 100.0\n\tBWIntraMax = 100.0\nEndModel\n\n"
        "BeginModel\n\tName = 4\n\tN = 10\n\tHS = 1000\n\tLS = 100\n\tNodePlacement = 1\n\tm = 2\n\tBWDist = "
        "1\n"
        "\tBWMin = -1.0\n\tBWMax = -1.0\nEndModel\n\n"
        "BeginModel\n\tName = 1\n\tN = %" PRIu32
        "\n\tHS = 1000\n\tLS = 100\n\tNodePlacement = 1\n\tGrowthType = 1\n"
        "\tm = 2\n\talpha = 0.15\n\tbeta = 0.2\n\tBWDist = 1\n\tBWMin = -1.0\n\tBWMax = -1.0\nEndModel\n\n"
        "BeginOutput\n\tBRITE = 1\n\tOTTER = 0\n\tDML = 0\n\tNS = 0\n\tJavasim = 0\nEndOutput\n",
        routers);
}

static weir_graph *ten_as(uint32_t routers)
{
    char conf[CONF_SIZE];
    weir_graph *graph = NULL;
    weir_diag *const diag = weir_diag_new();
    write_conf(conf, routers);
    if (weir_topology_read(diag, "ten-as.conf", conf, strlen(conf), NULL, &graph) != WEIR_OK)
        die("topology", diag);
    weir_diag_free(diag);
    return graph;
}

static weir_routes *table(const weir_graph *graph, double *seconds)
{
    weir_routes_options options;
    weir_routes *routes = NULL;
    weir_diag *const diag = weir_diag_new();
    weir_routes_options_init(&options);
    options.threads = 1;
    const double start = now_s();
    if (weir_routes_compute(diag, graph, &options, &routes) != WEIR_OK)
        die("table", diag);
    *seconds = now_s() - start;
    weir_diag_free(diag);
    return routes;
}

/* The first node of fewest links of each AS. */
static void first_leaves(const weir_graph *g, uint32_t *leaf)
{
    uint32_t as[10], n = 0;
    for (uint32_t i = 0; i < g->n_nodes; ++i) {
        uint32_t k = 0;
        while (k < n && as[k] != g->as_number[i])
            ++k;
        if (k == 10)
            die("more than ten ASes", NULL);
        if (k == n || g->first[i + 1] - g->first[i] < g->first[leaf[k] + 1] - g->first[leaf[k]])
            leaf[k] = i;
        as[k] = g->as_number[i];
        n += k == n;
    }
}

/* Nix-vectors of all pairs, each compared with the table's path where there is a table. */
static double nix_seconds(const weir_graph *g, const uint32_t (*pair)[2], uint32_t n_pairs,
                          const weir_routes *routes)
{
    weir_route_space *const space = weir_route_space_new(g);
    uint32_t *const cost = malloc(g->n_edges * sizeof *cost);
    uint32_t edges[256];
    uint8_t bits[256];
    double seconds = 0;
    for (uint32_t e = 0; e < g->n_edges; ++e)
        cost[e] = 1;
    for (uint32_t k = 0; k < n_pairs; ++k) {
        weir_nix nix;
        const double start = now_s();
        if (weir_nix_find(NULL, g, cost, pair[k][0], pair[k][1], space, bits, sizeof bits, &nix) != WEIR_OK)
            die("nix-vector", NULL);
        seconds += now_s() - start;
        const uint32_t hops = weir_routes_path(routes, g, pair[k][0], pair[k][1], edges, 256);
        uint32_t at = 0;
        if (hops != nix.n_hops || hops > 256)
            die("a nix-vector is not the table's path", NULL);
        for (uint32_t h = 0, node = pair[k][0]; h < hops; ++h) {
            const uint32_t port = weir_nix_next(bits, g->first[node + 1] - g->first[node], &at);
            if (g->first[node] + port != edges[h])
                die("a nix-vector is not the table's path", NULL);
            node = g->target[edges[h]];
        }
    }
    free(cost);
    weir_route_space_free(space);
    return seconds;
}

static double trees_seconds(const weir_graph *g, const uint32_t *dst, uint32_t n)
{
    weir_route_space *const space = weir_route_space_new(g);
    uint32_t *const cost = malloc(g->n_edges * sizeof *cost);
    uint16_t *const port = malloc(g->n_nodes * sizeof *port);
    for (uint32_t e = 0; e < g->n_edges; ++e)
        cost[e] = 1;
    const double start = now_s();
    for (uint32_t k = 0; k < n; ++k)
        if (weir_route_tree(NULL, g, cost, dst[k], space, NULL, port) != WEIR_OK)
            die("tree", NULL);
    const double end = now_s();
    free(cost);
    free(port);
    weir_route_space_free(space);
    return end - start;
}

/* Routes and simulation as ns-3's program says; negative: not run. */
static double ns3_seconds(const char *program, uint32_t routers, const char *method)
{
    char conf[CONF_SIZE], path[] = "/tmp/ten-as-XXXXXX.conf", line[4400];
    double routes = -1, simulation = 0;
    const int fd = program ? mkstemps(path, 5) : -1;
    if (fd < 0)
        return -1;
    write_conf(conf, routers);
    if (write(fd, conf, strlen(conf)) == (ssize_t)strlen(conf)) {
        snprintf(line, sizeof line, "'%s' %s %s", program, path, method);
        FILE *const f = popen(line, "r");
        while (f && fgets(line, sizeof line, f)) {
            const char *const at = strstr(line, "routes ");
            if (at && sscanf(at, "routes %lf s, simulation %lf s", &routes, &simulation) != 2)
                routes = -1;
        }
        if (!f || pclose(f) != 0)
            routes = -1;
    }
    close(fd);
    unlink(path);
    return routes < 0 ? -1 : routes + simulation;
}

static void cell(double seconds)
{
    if (seconds < 0)
        printf(" %10s", "-");
    else
        printf(" %10.4f", seconds);
}

static void by_nodes(const char *ns3, bool large)
{
    static const uint32_t routers[] = {100, 200, 300, 400, 500, 1000, 2000, 5000, 10000};
    printf("Figures 5 and 6: seconds by number of nodes, ten sources and sinks\n%8s %8s %10s %10s %10s",
           "nodes", "links", "table", "90 nix", "10 trees");
    printf(ns3 ? " %10s %10s %10s\n" : "\n", "ns-3 weir", "ns-3 nix", "ns-3 glob.");
    for (size_t k = 0; k < sizeof routers / sizeof *routers - !large; ++k) {
        weir_graph *const g = ten_as(routers[k]);
        uint32_t leaf[10], pair[90][2], n = 0;
        double seconds = 0;
        first_leaves(g, leaf);
        for (uint32_t p = 0; p < 100; ++p) {
            if (p / 10 == p % 10)
                continue;
            pair[n][0] = leaf[p / 10];
            pair[n++][1] = leaf[p % 10];
        }
        weir_routes *const routes = table(g, &seconds);
        printf("%8" PRIu32 " %8" PRIu32, g->n_nodes, g->n_edges / 2);
        cell(seconds);
        cell(nix_seconds(g, pair, 90, routes));
        cell(trees_seconds(g, leaf, 10));
        if (ns3 && routers[k] <= 500) {
            cell(ns3_seconds(ns3, routers[k], "weir"));
            cell(ns3_seconds(ns3, routers[k], "nix"));
            cell(routers[k] == 100 ? ns3_seconds(ns3, routers[k], "global") : -1);
        }
        printf("\n");
        fflush(stdout);
        weir_routes_free(routes);
        weir_graph_free(g);
    }
}

static void by_pairs(void)
{
    static const uint32_t counts[] = {10, 50, 100, 200, 500, 1000};
    static uint32_t pair[1000][2];
    weir_graph *const g = ten_as(500);
    uint64_t seed = 7;
    double seconds = 0;
    for (uint32_t k = 0; k < 1000; ++k)
        for (uint32_t end = 0; end < 2; ++end)
            do
                pair[k][end] = (uint32_t)(draw(&seed) % g->n_nodes);
            while (g->first[pair[k][end] + 1] - g->first[pair[k][end]] > 2);
    weir_routes *const routes = table(g, &seconds);
    printf("\nFigure 7: seconds by number of pairs, %" PRIu32 " nodes\n%8s %10s %10s\n", g->n_nodes, "pairs",
           "table", "nix");
    for (size_t k = 0; k < sizeof counts / sizeof *counts; ++k) {
        printf("%8" PRIu32, counts[k]);
        cell(seconds);
        cell(nix_seconds(g, (const uint32_t(*)[2])pair, counts[k], routes));
        printf("\n");
    }
    weir_routes_free(routes);
    weir_graph_free(g);
}

int main(int argc, char **argv)
{
    printf("Routes on topologies of ten ASes, one core; weir %s\n\n", WEIR_VERSION);
    const char *ns3 = NULL;
    bool large = false;
    for (int k = 1; k < argc; ++k) {
        if (strcmp(argv[k], "large") == 0)
            large = true;
        else
            ns3 = argv[k];
    }
    by_nodes(ns3, large);
    by_pairs();
    return 0;
}
