/*
 * REPETITA's topologies (S. Gay, P. Schaus, S. Vissicchio, REPETITA: Repeatable Experiments for Performance Evaluation of
 * Traffic-Engineering Algorithms, arXiv:1710.08665, 2017):
 *
 *     NODES n                                  EDGES m
 *     label x y                                label src dest weight bw delay
 *     NAME LONGITUDE LATITUDE     (n times)    NAME FROM TO WEIGHT KBPS MICROSECONDS     (m times)
 *
 * Nodes are numbered from 0 in their order. An edge is one direction: the first of one direction is one link with the first
 * of the other. A bandwidth of 0 is as in other formats; a delay of 0 counts as not given. Places are degrees, unless one lies
 * beyond what degrees can be.
 */
#include <math.h>

#include "topology/read/link_list.h"
#include "topology/read/reader.h"

enum { FIELDS = 7 };

typedef struct repetita {
    weir_diag *diag;
    wi_source *source;
    weir_graph_builder *builder;
    wi_link_list links;
    bool beyond_degrees;
} repetita;

/* The next line that is not empty, of exactly `wanted` fields. */
static weir_status next(repetita *t, const char *what, size_t wanted, wi_slice *field)
{
    wi_slice line;
    do
        if (!wi_next_line(t->source, &line))
            return wi_breaks_off(t->source, "the file breaks off: %s is missing", what);
    while (line.length == 0);
    const size_t n = wi_split(line, false, field, FIELDS);
    return n == wanted ? WEIR_OK
                       : weir_fail_at(t->diag, WEIR_E_FORMAT, t->source->name, t->source->line, 0,
                                      "%zu fields; want %zu: %s", n, wanted, what);
}

/* NODES n or EDGES m, and the line of names behind it. */
static weir_status head(repetita *t, const char *word, double most, size_t columns, uint32_t *count)
{
    wi_slice f[FIELDS];
    char shown[WI_SHOWN];
    double number = 0.0;
    weir_status st = next(t, word, 2, f);
    if (st == WEIR_OK && !wi_slice_is(f[0], word))
        st = wi_fail_slice(t->diag, t->source, t->source->line, f[0], "want %s and their number, not '%s'",
                           word, wi_shown(f[0], shown));
    if (st == WEIR_OK)
        st = wi_number_field(t->diag, t->source, t->source->line, f[1], "number", 0, most, &number);
    if (st == WEIR_OK)
        st = next(t, "the line of names, label ...", columns, f);
    if (st == WEIR_OK && !wi_slice_is(f[0], "label"))
        st = wi_fail_slice(t->diag, t->source, t->source->line, f[0],
                           "want the line of names, 'label ...', not '%s'", wi_shown(f[0], shown));
    *count = st == WEIR_OK ? (uint32_t)number : 0;
    return st;
}

static weir_status take_node(repetita *t)
{
    wi_slice f[FIELDS];
    double x, y;
    uint32_t node;
    weir_status st = next(t, "a node, label x y", 3, f);
    const int line = t->source->line;
    if (st == WEIR_OK)
        st = wi_number_field(t->diag, t->source, line, f[1], "longitude", -1e9, 1e9, &x);
    if (st == WEIR_OK)
        st = wi_number_field(t->diag, t->source, line, f[2], "latitude", -1e9, 1e9, &y);
    if (st == WEIR_OK)
        st = wi_new_node(t->diag, t->source, line, f[0], t->builder, &node);
    if (st != WEIR_OK)
        return st;
    t->beyond_degrees |= fabs(x) > 180 || fabs(y) > 90;
    weir_graph_set_xy(t->builder, node, x, y);
    return WEIR_OK;
}

static weir_status node_number(repetita *t, wi_slice field, const char *what, uint32_t *node)
{
    double number = 0.0;
    const double last = (double)t->builder->names.count - 1.0;
    weir_status st = wi_number_field(t->diag, t->source, t->source->line, field, what, 0, last, &number);
    if (st == WEIR_OK && !wi_slice_u32(field, node))
        st = wi_fail_slice(t->diag, t->source, t->source->line, field, "%s: want a whole number", what);
    return st;
}

static weir_status take_edge(repetita *t)
{
    wi_slice f[FIELDS];
    uint32_t from = 0, to = 0;
    double weight = 0.0, kbps = 0.0, us = 0.0;
    weir_status st = next(t, "an edge, label src dest weight bw delay", 6, f);
    const int line = t->source->line;
    if (st == WEIR_OK)
        st = node_number(t, f[1], "source", &from);
    if (st == WEIR_OK)
        st = node_number(t, f[2], "target", &to);
    if (st == WEIR_OK)
        st = wi_number_field(t->diag, t->source, line, f[3], "weight", 0, WI_WEIGHT_MAX, &weight);
    if (st == WEIR_OK)
        st = wi_number_field(t->diag, t->source, line, f[4], "bandwidth", 0, 1e15, &kbps);
    if (st == WEIR_OK)
        st = wi_number_field(t->diag, t->source, line, f[5], "delay", 0, 1e12, &us);
    if (st != WEIR_OK)
        return st;
    wi_listed link = wi_listed_init(from, to);
    link.rate_bps = kbps > 0.0 ? (uint64_t)(kbps * 1e3 < 1.0 ? 1.0 : kbps * 1e3 + 0.5) : 0;
    link.zero_rate = kbps == 0.0;
    if (us > 0.0)
        link.delay_ps = us * 1e6 < 1.0 ? 1 : (weir_time)(us * 1e6 + 0.5);
    if (weight > 0.0)
        link.weight = weight;
    return wi_link_list_add(&t->links, link, WI_LIST_DIRECTED)
               ? WEIR_OK
               : weir_fail_at(t->diag, WEIR_E_NOMEM, t->source->name, line, 0, "out of memory for links");
}

static weir_status parse(repetita *t)
{
    uint32_t nodes = 0, edges = 0;
    wi_slice line;
    weir_status st = head(t, "NODES", WI_NODES_MAX, 3, &nodes);
    for (uint32_t i = 0; st == WEIR_OK && i < nodes; i++)
        st = take_node(t);
    if (st == WEIR_OK)
        st = head(t, "EDGES", WI_LINKS_MAX, 6, &edges);
    for (uint32_t i = 0; st == WEIR_OK && i < edges; i++)
        st = take_edge(t);
    while (st == WEIR_OK && wi_next_line(t->source, &line))
        if (line.length > 0)
            st = weir_fail_at(t->diag, WEIR_E_FORMAT, t->source->name, t->source->line, 0,
                              "a line behind the %u edges that the file states", edges);
    return st == WEIR_OK ? t->source->status : st;
}

weir_status wi_read_repetita(weir_diag *diag, wi_source *source, const weir_topology_options *options,
                             weir_graph_builder *builder)
{
    repetita t = {.diag = diag, .source = source, .builder = builder};
    weir_status st = wi_source_text(source);
    if (st == WEIR_OK)
        st = parse(&t);
    if (st == WEIR_OK) {
        weir_graph_set_geographic(builder, builder->names.count > 0 && !t.beyond_degrees);
        weir_note(diag, "%s: names of edges are left out%s", source->name,
                  t.beyond_degrees ? "; coordinates are no degrees, and taken as kilometres in a plane" : "");
        st = wi_link_list_finish(diag, &t.links, source, options, builder);
    }
    wi_link_list_free(&t.links);
    return st;
}
