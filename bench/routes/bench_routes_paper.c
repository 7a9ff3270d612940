/* links: scenario output net engine routing topology base
 *
 * Figures 5, 6 and 7 of paper 002 (docs/papers.md): how long routes take, alone and in the paper's
 * experiments, on topologies of ten ASes (Barabasi-Albert above, Waxman below, as BRITE makes them).
 *
 *     bench_routes_paper [-o FOLDER] [-l SECONDS] [long]
 *
 * Figures 5 and 6: by number of nodes, 1,000 to 5,000; ten leaves, one an AS, send a UDP packet to each
 * other. Figure 7: 5,000 nodes, 10 to 1,000 pairs of leaves, a packet over TCP each. Every way of weir's is
 * there by itself (tables of all pairs by each algorithm; trees on demand; nix-vectors), then whole runs with
 * all their packets: weir's, by tables and by source routes, and ns-3's, by weir's tables, nix-vectors and
 * its global routing, where weir-ns3-ten-as was built. Processor time on one core, the least of up to three
 * runs; routes_paper.h says how answers are checked. The paper's one figure in its text is 1,566 s for global
 * routing on 1,000 nodes.
 *
 * A way goes no further up where the last point lets expect more than the limit, 15 s by default (two or
 * three minutes in all; ns-3 takes most of its time to build a topology, which its figures leave out). "long"
 * goes on to 100,000 nodes (a table of 10 GB). Figures go to routes_paper.csv and routes_paper.svg in FOLDER,
 * by default the program's.
 */
#include <getopt.h>
#include <math.h>

#include "base/file/out.h"
#include "output/plot.h"
#include "routes_paper.h"

enum { POINTS_MAX = 16, REPEATS = 3, REPEAT_S = 10 /* no more runs than fit that */ };

/* ---- ways, in the order of the table ---- */

static double bit_parallel(experiment *x)
{
    return table_seconds(x, WEIR_ROUTE_BIT_PARALLEL);
}

static double batched(experiment *x)
{
    return table_seconds(x, WEIR_ROUTE_BATCHED);
}

static double floyd(experiment *x)
{
    return table_seconds(x, WEIR_ROUTE_FLOYD);
}

static double all_trees(experiment *x)
{
    return table_seconds(x, WEIR_ROUTE_TREES);
}

static double weir_table(experiment *x)
{
    return run_seconds(x, "table");
}

static double weir_source(experiment *x)
{
    return run_seconds(x, "source");
}

static double ns3_weir(experiment *x)
{
    return ns3_seconds(x, "weir");
}

static double ns3_nix(experiment *x)
{
    return ns3_seconds(x, "nix");
}

/* The paper has it by number of nodes alone; with 5,000 of them it takes hours. */
static double ns3_global(experiment *x)
{
    return x->tcp ? -1 : ns3_seconds(x, "global");
}

enum { RUNS, ROUTES, PAIRS, PLOTS };

typedef struct way {
    const char *name, *title; /* in the CSV file and the plot; over a column */
    double (*seconds)(experiment *x);
    unsigned plots; /* where it is drawn: bits 1 << RUNS and so on */
    bool all_pairs; /* takes the same whatever pairs there are */
    int power;      /* of the number of nodes that its time grows with, at most */
} way;

static const way ways[] = {
    {"table, bit-parallel", "bits", bit_parallel, 1 << ROUTES | 1 << PAIRS, true, 2},
    {"table, batched", "batched", batched, 1 << ROUTES, true, 2},
    {"table, trees", "trees", all_trees, 1 << ROUTES, true, 2},
    {"table, Floyd-Warshall", "floyd", floyd, 1 << ROUTES, true, 3},
    {"trees on demand", "demand", demand_seconds, 1 << ROUTES | 1 << PAIRS, false, 1},
    {"nix-vectors", "nix", nix_seconds, 1 << ROUTES | 1 << PAIRS, false, 1},
    {"weir, tables", "run", weir_table, 1 << RUNS | 1 << PAIRS, false, 1},
    {"weir, source routes", "run nix", weir_source, 1 << RUNS | 1 << PAIRS, false, 1},
    {"ns-3, weir's table", "ns-3 weir", ns3_weir, 1 << RUNS | 1 << PAIRS, false, 2},
    {"ns-3, nix-vectors", "ns-3 nix", ns3_nix, 1 << RUNS | 1 << PAIRS, false, 2},
    {"ns-3, global routing", "ns-3 glob.", ns3_global, 1 << RUNS, false, 3},
};
enum { WAYS = sizeof ways / sizeof *ways };

/* ---- a sweep ---- */

typedef struct sweep {
    const char *figure; /* in the CSV file */
    bool by_pairs;      /* else by nodes */
    size_t n;
    double at[POINTS_MAX], seconds[WAYS][POINTS_MAX]; /* NaN: not run */
    double wall_s[WAYS];                              /* that the last point took in all */
    uint32_t nodes[POINTS_MAX], links[POINTS_MAX], pairs[POINTS_MAX];
} sweep;

/* How long a way is to keep us at the next point, by the last one; infinite where that was not run. */
static double expected(const sweep *s, size_t w, double next)
{
    if (s->n == 0)
        return 0;
    const double ratio = next / s->at[s->n - 1];
    return isnan(s->seconds[w][s->n - 1]) ? INFINITY
                                          : s->wall_s[w] * pow(ratio, s->by_pairs ? 1 : ways[w].power);
}

/* The least of up to three runs, where they are short; *wall_s: of one, with its set-up and checks. */
static double least(experiment *x, const way *w, double *wall_s)
{
    double best = INFINITY, spent = 0;
    for (int k = 0; k < REPEATS && (k == 0 || spent + *wall_s < REPEAT_S); ++k) {
        const double begun = bench_wall_s(), seconds = w->seconds(x);
        *wall_s = bench_wall_s() - begun;
        spent += *wall_s;
        if (seconds < 0)
            return NAN;
        best = seconds < best ? seconds : best;
    }
    return best;
}

static void head(const sweep *s)
{
    printf("%s\n%8s %8s %6s", s->figure, "nodes", "links", "pairs");
    for (size_t w = 0; w < WAYS; ++w)
        printf(" %10s", ways[w].title);
    printf("\n");
}

static void point(sweep *s, experiment *x, double at)
{
    printf("%8" PRIu32 " %8" PRIu32 " %6" PRIu32, x->graph->n_nodes, x->graph->n_edges / 2, x->n_pairs);
    for (size_t w = 0; w < WAYS; ++w) {
        double seconds = NAN;
        if (s->by_pairs && s->n > 0 && ways[w].all_pairs)
            seconds = s->seconds[w][s->n - 1];
        else if (expected(s, w, at) <= x->limit_s)
            seconds = least(x, &ways[w], &s->wall_s[w]);
        s->seconds[w][s->n] = seconds;
        if (isnan(seconds))
            printf(" %10s", "-");
        else
            printf(" %10.4f", seconds);
        fflush(stdout);
    }
    printf("\n");
    s->at[s->n] = at;
    s->nodes[s->n] = x->graph->n_nodes;
    s->links[s->n] = x->graph->n_edges / 2;
    s->pairs[s->n++] = x->n_pairs;
}

static void by_nodes(sweep *s, const char *ns3, double limit_s, bool longer)
{
    static const uint32_t routers[] = {100, 200, 300, 400, 500, 1000, 2000, 5000, 10000};
    static experiment x;
    head(s);
    for (size_t k = 0; k < (longer ? 9 : 5); ++k) {
        experiment_new(&x, routers[k], ns3, limit_s);
        pair_leaves(&x);
        point(s, &x, x.graph->n_nodes);
        experiment_free(&x);
    }
}

static void by_pairs(sweep *s, const char *ns3, double limit_s)
{
    static const uint32_t counts[] = {10, 50, 100, 200, 500, 1000};
    static experiment x;
    printf("\n");
    head(s);
    experiment_new(&x, 500, ns3, limit_s);
    x.tcp = true;
    for (size_t k = 0; k < sizeof counts / sizeof *counts; ++k) {
        pair_at_random(&x, counts[k]);
        point(s, &x, counts[k]);
    }
    experiment_free(&x);
}

/* ---- figures ---- */

static void write_csv(const char *folder, const sweep *sweeps, size_t n)
{
    char *text = NULL;
    size_t size = 0;
    weir_diag *const diag = weir_diag_new();
    FILE *const f = open_memstream(&text, &size);
    fputs("figure,nodes,links,pairs,way,seconds\n", f);
    for (size_t k = 0; k < n; ++k)
        for (size_t w = 0; w < WAYS; ++w)
            for (size_t i = 0; i < sweeps[k].n; ++i)
                if (!isnan(sweeps[k].seconds[w][i]))
                    fprintf(f, "%s,%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",\"%s\",%.6f\n", sweeps[k].figure,
                            sweeps[k].nodes[i], sweeps[k].links[i], sweeps[k].pairs[i], ways[w].name,
                            sweeps[k].seconds[w][i]);
    fclose(f);
    if (wi_out_put(diag, folder, "routes_paper.csv", text, size) != WEIR_OK)
        bench_fail("%s: %s", folder, first_of(diag));
    weir_diag_free(diag);
    free(text);
}

/* The curves of one plot: of those ways that ran. */
static size_t curves_of(const sweep *s, int plot, wi_curve *out)
{
    size_t n = 0;
    for (size_t w = 0; w < WAYS; ++w) {
        bool ran = false;
        for (size_t i = 0; i < s->n; ++i)
            ran |= !isnan(s->seconds[w][i]);
        if (ran && ways[w].plots >> plot & 1)
            out[n++] = (wi_curve){ways[w].name, s->at, s->seconds[w], s->n};
    }
    return n;
}

static void write_plot(const char *folder, const sweep *nodes, const sweep *pairs)
{
    static const double paper_nodes = 1000, paper_s = 1566;
    wi_curve curves[PLOTS][WAYS + 1];
    size_t n[PLOTS];
    for (int k = 0; k < PLOTS; ++k)
        n[k] = curves_of(k == PAIRS ? pairs : nodes, k, curves[k]);
    curves[RUNS][n[RUNS]++] = (wi_curve){"paper: global routing", &paper_nodes, &paper_s, 1};
    const wi_plot plots[PLOTS] = {
        {"Figures 5 and 6: runs with 90 packets", "nodes", "seconds", true, true, curves[RUNS], n[RUNS]},
        {"The same: routes alone", "nodes", "seconds", true, true, curves[ROUTES], n[ROUTES]},
        {"Figure 7: 5000 nodes, runs and routes", "TCP pairs", "seconds", true, true, curves[PAIRS],
         n[PAIRS]}};
    weir_diag *const diag = weir_diag_new();
    if (wi_plot_put(diag, folder, "routes_paper.svg", plots, PLOTS) != WEIR_OK)
        bench_fail("%s: %s", folder, first_of(diag));
    weir_diag_free(diag);
}

/* The program's own folder, and ns-3's program in the same build; null where that is not. */
static const char *places(char *folder, char *program, size_t size)
{
    const ssize_t n = readlink("/proc/self/exe", folder, size - 1);
    folder[n > 0 ? n : 0] = '\0';
    char *const slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    if ((size_t)snprintf(program, size, "%s/../integrations/ns3/weir-ns3-ten-as", folder) >= size)
        return NULL;
    return access(program, X_OK) == 0 ? program : NULL;
}

int main(int argc, char **argv)
{
    static sweep nodes = {.figure = "Figures 5 and 6"}, pairs = {.figure = "Figure 7", .by_pairs = true};
    char own[2048], program[2048];
    const char *const ns3 = places(own, program, sizeof program), *folder = own;
    double limit_s = 15;
    bool good = true;
    for (int option; (option = getopt(argc, argv, "o:l:")) != -1;) {
        if (option == 'o')
            folder = optarg;
        else if (option == 'l')
            limit_s = atof(optarg);
        else
            good = false;
    }
    const bool longer = optind < argc && strcmp(argv[optind], "long") == 0;
    if (!good || !(limit_s >= 1) || optind + longer < argc) {
        fprintf(stderr, "usage: bench_routes_paper [-o FOLDER] [-l SECONDS] [long]\n");
        return 2;
    }
    printf("Routes on topologies of ten ASes, seconds of a processor; weir %s%s\n\n", WEIR_VERSION,
           ns3 ? "" : "; ns-3 is left out: weir-ns3-ten-as was not built");
    by_nodes(&nodes, ns3, limit_s, longer);
    by_pairs(&pairs, ns3, limit_s);
    const sweep both[] = {nodes, pairs};
    write_csv(folder, both, 2);
    write_plot(folder, &nodes, &pairs);
    printf("\nIn %s: routes_paper.csv, routes_paper.svg\n", folder);
    return 0;
}
