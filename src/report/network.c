/* The network that a run went over: places, links, and what each port carried. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/out.h"
#include "base/memory.h"
#include "base/order.h"
#include "output/csv_read.h"
#include "report/report.h"
#include "topology/write/layout.h"
#include "weir/run.h"

enum { NODES_MAX = 5000, EDGES_MAX = 40000, SIDE = 1000 };

static const char *const shown[] = {"utilisation", "queue_mean_bytes", "queue_max_bytes",
                                    "packets",     "rate_bps",         "down_s"};
static const char *const dropped[] = {"dropped_limit", "dropped_early", "dropped_loss", "dropped_ttl"};
enum { SHOWN = sizeof shown / sizeof *shown, DROPPED = sizeof dropped / sizeof *dropped, VALUES = SHOWN + 1 };

typedef struct port {
    char *name;
    double value[VALUES]; /* the last: dropped for all reasons */
} port;

typedef struct ports {
    port *item;
    size_t n;
} ports;

static void free_ports(ports *p)
{
    for (size_t i = 0; i < p->n; i++)
        free(p->item[i].name);
    free(p->item);
}

WI_ORDER_BY(by_name, port, strcmp(x->name, y->name))

static double number(const wi_csv_reader *r, size_t column)
{
    const char *field = wi_csv_field(r, column);
    return *field ? strtod(field, NULL) : (double)NAN;
}

/* The rows of ports.csv, sorted by name. */
static weir_status read_ports(weir_diag *diag, const char *folder, ports *p)
{
    WI_FREED char *path = wi_path_join(folder, "ports.csv");
    wi_csv_reader *r = NULL;
    char **f;
    size_t column[SHOWN], drops[DROPPED];
    const weir_status status =
        path ? wi_csv_reader_open(diag, path, &r) : weir_fail(diag, WEIR_E_NOMEM, "no memory for a table");
    if (status != WEIR_OK)
        return status;
    const size_t name = wi_csv_column(r, "port");
    for (size_t k = 0; k < SHOWN; k++)
        column[k] = wi_csv_column(r, shown[k]);
    for (size_t k = 0; k < DROPPED; k++)
        drops[k] = wi_csv_column(r, dropped[k]);
    while (name != SIZE_MAX && p->n <= EDGES_MAX && wi_csv_read(r, &f)) {
        if (!wi_grow_one(&p->item, p->n, sizeof *p->item))
            break;
        port *one = &p->item[p->n];
        if (!(one->name = strdup(f[name])))
            break;
        p->n++;
        for (size_t k = 0; k < SHOWN; k++)
            one->value[k] = number(r, column[k]);
        one->value[SHOWN] = 0.0;
        for (size_t k = 0; k < DROPPED; k++)
            one->value[SHOWN] += isfinite(number(r, drops[k])) ? number(r, drops[k]) : 0.0;
    }
    if (p->n)
        qsort(p->item, p->n, sizeof *p->item, by_name);
    return wi_csv_reader_close(diag, r);
}

/* ---- the graph ---- */

static weir_graph *graph_of_scenario(const char *folder)
{
    weir_diag *quiet = weir_diag_new();
    weir_scenario *scenario = NULL;
    weir_graph *graph = NULL;
    WI_FREED char *path = wi_path_join(folder, "scenario.yaml");
    if (path && weir_scenario_load(quiet, path, NULL, 0, &scenario) == WEIR_OK &&
        weir_scenario_graph(quiet, scenario, &graph) != WEIR_OK)
        graph = NULL;
    weir_scenario_free(scenario);
    weir_diag_free(quiet);
    return graph;
}

/* Node of that name, made where there is none; a linear search, since a graph of names alone is small. */
static uint32_t node_named(weir_graph_builder *b, char **names, uint32_t *n, const char *name)
{
    for (uint32_t i = 0; i < *n; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    if (*n == NODES_MAX || !(names[*n] = strdup(name)))
        return UINT32_MAX;
    weir_graph_add_node(b, name, WEIR_ROUTER);
    return (*n)++;
}

/* From the names of ports alone, "A->B" or "A->B#2": both directions of a link are one. */
static weir_graph *graph_of_names(const ports *p)
{
    weir_graph_builder *b = weir_graph_builder_new();
    WI_FREED char **names = calloc(NODES_MAX, sizeof *names);
    weir_graph *graph = NULL;
    uint32_t n = 0;
    bool good = b && names && p->n > 0;
    for (size_t i = 0; good && i < p->n; i++) {
        WI_FREED char *text = strdup(p->item[i].name);
        char *arrow = text ? strstr(text, "->") : NULL;
        if (arrow) {
            *arrow = '\0';
            char *hash = strrchr(arrow + 2, '#');
            if (hash && strspn(hash + 1, "0123456789") == strlen(hash + 1))
                *hash = '\0';
            const uint32_t from = node_named(b, names, &n, text), to = node_named(b, names, &n, arrow + 2);
            good = from != UINT32_MAX && to != UINT32_MAX;
            if (good && from < to)
                weir_graph_add_link(b, weir_link_init(from, to));
        }
    }
    if (!good || weir_graph_build(NULL, b, &graph) != WEIR_OK)
        graph = NULL;
    for (uint32_t i = 0; names && i < n; i++)
        free(names[i]);
    weir_graph_builder_free(b);
    return graph;
}

/* ---- places ---- */

/* Into a square of SIDE, y downwards, shapes kept; degrees as an equirectangular map has them. */
static void put_places(const weir_graph *g, wi_point *at, bool degrees, json_t *out)
{
    double low_x = INFINITY, high_x = -INFINITY, low_y = INFINITY, high_y = -INFINITY;
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        low_y = fmin(low_y, at[i].y);
        high_y = fmax(high_y, at[i].y);
    }
    const double squeeze = degrees ? fmax(0.2, cos((low_y + high_y) / 2 * 0.017453292519943295)) : 1.0;
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        at[i].x *= squeeze;
        low_x = fmin(low_x, at[i].x);
        high_x = fmax(high_x, at[i].x);
    }
    const double extent = fmax(fmax(high_x - low_x, high_y - low_y), 1e-9);
    json_t *x = json_array(), *y = json_array();
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        json_array_append_new(x, wi_report_number(round(10 * SIDE * (at[i].x - low_x) / extent) / 10));
        json_array_append_new(y, wi_report_number(round(10 * SIDE * (high_y - at[i].y) / extent) / 10));
    }
    json_object_set_new(out, "x", x);
    json_object_set_new(out, "y", y);
}

static bool put_layout(const weir_graph *g, json_t *out)
{
    static const char *const words[] = {[WI_LAYOUT_MAP] = "plane",
                                        [WI_LAYOUT_TIERS] = "tiers",
                                        [WI_LAYOUT_GROUPS] = "groups",
                                        [WI_LAYOUT_FORCES] = "forces"};
    WI_FREED wi_point *at = calloc(g->n_nodes ? g->n_nodes : 1, sizeof *at);
    const wi_layout how = at ? wi_layout_places(g, at) : WI_LAYOUT_NONE;
    const bool degrees = how == WI_LAYOUT_MAP && g->geographic;
    if (how == WI_LAYOUT_NONE)
        return false;
    put_places(g, at, degrees, out);
    json_object_set_new(out, "layout", json_string(degrees ? "geographic" : words[how]));
    return true;
}

/* ---- ports on links ---- */

/* The port of an edge: "A->B", the second of parallel ones "A->B#2". */
static const port *port_of(const weir_graph *g, uint32_t from, uint32_t edge, const ports *p)
{
    char text[2048];
    uint32_t number = 1;
    for (uint32_t e = g->first[from]; e < edge; e++)
        number += g->target[e] == g->target[edge];
    const int n = snprintf(text, sizeof text, number > 1 ? "%s->%s#%u" : "%s->%s", g->name[from],
                           g->name[g->target[edge]], number);
    const port key = {.name = text};
    return n < (int)sizeof text && p->n ? bsearch(&key, p->item, p->n, sizeof *p->item, by_name) : NULL;
}

static void put_nodes(const weir_graph *g, json_t *out)
{
    json_t *names = json_array(), *hosts = json_array();
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        json_array_append_new(names, wi_report_text("%s", g->name[i]));
        json_array_append_new(hosts, json_integer(g->role[i] == WEIR_HOST));
    }
    json_object_set_new(out, "names", names);
    json_object_set_new(out, "hosts", hosts);
}

/* Directed edges that exist and have a port: from, to, name, and a value of each kind. */
static size_t put_edges(const weir_graph *g, const ports *p, json_t *out)
{
    json_t *from = json_array(), *to = json_array(), *names = json_array(), *values = json_object();
    json_t *value[VALUES];
    size_t found = 0;
    for (size_t k = 0; k < VALUES; k++)
        json_object_set_new(values, k < SHOWN ? shown[k] : "dropped", value[k] = json_array());
    for (uint32_t i = 0; i < g->n_nodes; i++)
        for (uint32_t e = g->first[i]; e < g->first[i + 1]; e++) {
            const port *has = port_of(g, i, e, p);
            if (!weir_edge_exists(g, e))
                continue;
            found += has != NULL;
            json_array_append_new(from, json_integer(i));
            json_array_append_new(to, json_integer(g->target[e]));
            json_array_append_new(names, wi_report_text("%s", has ? has->name : ""));
            for (size_t k = 0; k < VALUES; k++)
                json_array_append_new(value[k], wi_report_number(has ? has->value[k] : NAN));
        }
    json_object_set_new(out, "from", from);
    json_object_set_new(out, "to", to);
    json_object_set_new(out, "ports", names);
    json_object_set_new(out, "values", values);
    return found;
}

static json_t *draw(const weir_graph *g, const ports *p, size_t *found)
{
    json_t *out = json_object();
    put_nodes(g, out);
    *found = put_edges(g, p, out);
    if (put_layout(g, out))
        return out;
    json_decref(out);
    return NULL;
}

json_t *wi_report_network(const char *folder, char *why, size_t why_size)
{
    ports p = {0};
    json_t *out = NULL;
    size_t found = 0;
    why[0] = '\0';
    weir_graph *graph = read_ports(NULL, folder, &p) == WEIR_OK ? graph_of_scenario(folder) : NULL;
    if (graph && graph->n_nodes <= NODES_MAX && graph->n_edges <= EDGES_MAX)
        out = draw(graph, &p, &found);
    else if (graph)
        snprintf(
            why, why_size,
            "A network of %u nodes and %u links is not drawn: the map takes up to %d nodes and %d links.",
            graph->n_nodes, graph->n_edges / 2, NODES_MAX, EDGES_MAX / 2);
    if (p.n && !why[0] && !found) { /* the topology's file is gone, or is another one now */
        json_decref(out);
        weir_graph_free(graph);
        graph = graph_of_names(&p);
        out = graph ? draw(graph, &p, &found) : NULL;
        if (out)
            json_object_set_new(
                out, "how",
                json_string(
                    "The topology cannot be read any more; nodes and links are those that ports.csv names."));
        else
            snprintf(why, why_size, "The network is not drawn: its topology cannot be read any more.");
    }
    weir_graph_free(graph);
    free_ports(&p);
    return out;
}
