/* links: topology base
 *
 * Time to generate topologies of a million nodes, and of files written and read again, one core.
 *
 * Answers come first: the number of links of each model, no doubles, and one component; what is read is what
 * was written. Times are the least of three. Argument: "quick" for graphs of 100,000 nodes, once.
 */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "weir/topology.h"

typedef struct subject {
    const char *model;
    const char *params[6][2]; /* null: no more; N is put before them */
    const char *size;         /* the parameter for the number of nodes; null: N */
    double links_per_node;    /* expected, to 5 %; 0: grows with the nodes */
    bool doubles;             /* may be there */
} subject;

static const subject subjects[] = {
    {"barabasi-albert", {{"m", "2"}}, NULL, 2},
    {"waxman", {{"m", "2"}, {"HS", "100000"}}, NULL, 2},
    {"waxman", {{"m", "2"}, {"HS", "100000"}, {"beta", "0.01"}}, NULL, 2},
    {"waxman", {{"m", "2"}, {"HS", "100000"}, {"LS", "1000"}, {"NodePlacement", "heavy-tailed"}}, NULL, 2},
    {"ba-2", {{"m", "2"}, {"HS", "100000"}, {"engine", "model"}}, NULL, 3.2},
    {"ba-2", {{"m", "2"}, {"HS", "100000"}, {"engine", "java"}}, NULL, 3.2},
    {"ba-2", {{"m", "2"}, {"HS", "100000"}, {"engine", "cpp"}}, NULL, 3.39, true},
    {"glp", {{"HS", "100000"}, {"engine", "model"}}, NULL, 1.818},
    {"glp", {{"HS", "100000"}, {"engine", "java"}}, NULL, 1.818},
    {"glp", {{"HS", "100000"}, {"engine", "cpp"}}, NULL, 1.818},
    {"waxman", {{"m", "2"}, {"HS", "100000"}, {"GrowthType", "all"}}, NULL, 0},
    {"top-down", {{"rt_N", "1000"}}, "as_N", 2},
    {"bottom-up", {{"rt_HS", "100000"}, {"NumAS", "1000"}}, "rt_N", 2},
    {"erdos-renyi", {{"links", "4N"}}, NULL, 4},
    {"random-regular", {{"degree", "4"}}, NULL, 2},
};

static void die(const char *what, const weir_diag *diag)
{
    const weir_message *m = weir_diag_count(diag) ? weir_diag_get(diag, 0) : NULL;
    fprintf(stderr, "bench_topology: %s: %s\n", what, m ? m->text : "failed");
    exit(1);
}

static weir_graph *generate(weir_diag *diag, const subject *s, uint32_t n, double *seconds)
{
    char size[16], links[16];
    weir_generator_arg args[8] = {{.name = s->size ? s->size : "N", .value = size}};
    weir_graph *g = NULL;
    size_t k = 1;
    const bool by_as = s->size && strcmp(s->size, "as_N") == 0;
    snprintf(size, sizeof size, "%" PRIu32, by_as ? n / 1000 : n);
    snprintf(links, sizeof links, "%" PRIu32, 4 * n);
    for (; k <= 6 && s->params[k - 1][0]; k++) {
        const char *value = s->params[k - 1][1];
        args[k] = (weir_generator_arg){.name = s->params[k - 1][0],
                                       .value = strcmp(value, "4N") == 0 ? links : value};
    }
    const double start = bench_cpu_s();
    if (weir_topology_generate(diag, s->model, args, k, 1, &g) != WEIR_OK)
        die(s->model, diag);
    *seconds = bench_cpu_s() - start;
    return g;
}

/* One component, by a search from node 0. */
static bool connected(const weir_graph *g)
{
    uint32_t *queue = malloc(g->n_nodes * sizeof *queue), begin = 0, end = 0;
    bool *seen = calloc(g->n_nodes, sizeof *seen);
    if (!queue || !seen)
        exit(1);
    queue[end++] = 0;
    seen[0] = true;
    while (begin < end) {
        const uint32_t v = queue[begin++];
        for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++)
            if (!seen[g->target[e]]) {
                seen[g->target[e]] = true;
                queue[end++] = g->target[e];
            }
    }
    free(queue);
    free(seen);
    return end == g->n_nodes;
}

static void check(weir_diag *diag, const subject *s, const weir_graph *g)
{
    const double links = g->n_edges / 2.0 / g->n_nodes;
    if (links < 0.95 * s->links_per_node || (s->links_per_node > 0 && links > 1.05 * s->links_per_node) ||
        (g->n_parallel > 0 && !s->doubles) || g->n_self_loops > 0 || !connected(g)) {
        fprintf(stderr, "%.3f links a node, %" PRIu32 " doubles\n", links, g->n_parallel);
        die(s->model, diag);
    }
}

static void bench_model(weir_diag *diag, const subject *s, uint32_t n, int repeats)
{
    double least = 1e9;
    uint32_t nodes = 0, links = 0;
    for (int r = 0; r < repeats; r++) {
        double seconds;
        weir_graph *g = generate(diag, s, n, &seconds);
        if (r == 0)
            check(diag, s, g);
        nodes = g->n_nodes;
        links = g->n_edges / 2;
        least = seconds < least ? seconds : least;
        weir_graph_free(g);
    }
    char what[120] = "";
    for (size_t k = 0; k < 6 && s->params[k][0]; k++)
        snprintf(what + strlen(what), sizeof what - strlen(what), " %s=%s", s->params[k][0], s->params[k][1]);
    printf("%-16s %8" PRIu32 " %8" PRIu32 " %8.2f %10.2f  %s\n", s->model, nodes, links, least,
           nodes / least / 1e6, what);
    fflush(stdout);
}

static void bench_file(weir_diag *diag, const weir_graph *g, const char *suffix)
{
    char path[64];
    weir_graph *back = NULL;
    snprintf(path, sizeof path, "/tmp/bench_topology-%ld%s", (long)getpid(), suffix);
    const double start = bench_cpu_s();
    if (weir_topology_write(diag, g, NULL, path) != WEIR_OK)
        die(path, diag);
    const double written = bench_cpu_s();
    if (weir_topology_load(diag, path, NULL, &back) != WEIR_OK)
        die(path, diag);
    const double read = bench_cpu_s();
    unlink(path);
    if (back->n_nodes != g->n_nodes || back->n_edges != g->n_edges)
        die("what is read is not what was written", diag);
    printf("%-16s %8" PRIu32 " %8" PRIu32 " %8.2f %8.2f\n", suffix, g->n_nodes, g->n_edges / 2,
           written - start, read - written);
    weir_graph_free(back);
}

int main(int argc, char **argv)
{
    const bool quick = argc > 1 && strcmp(argv[1], "quick") == 0;
    const uint32_t n = quick ? 100000 : 1000000;
    weir_diag *diag = weir_diag_new();
    double seconds;
    printf("model               nodes    links  seconds  Mnodes/s   parameters\n");
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
        bench_model(diag, &subjects[i], n, quick ? 1 : 3);
    printf("\nfile                nodes    links    write     read   (seconds)\n");
    weir_graph *g = generate(diag, &subjects[0], n, &seconds);
    static const char *const suffixes[] = {".brite", ".graphml", ".txt", ".brite.gz"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        bench_file(diag, g, suffixes[i]);
    weir_graph_free(g);
    weir_diag_free(diag);
    return 0;
}
