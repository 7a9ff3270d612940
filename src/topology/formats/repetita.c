/*
 * REPETITA's topologies (S. Gay, P. Schaus, S. Vissicchio, REPETITA: Repeatable Experiments for Performance
 * Evaluation of Traffic-Engineering Algorithms, arXiv:1710.08665, 2017):
 *
 *     NODES n                                  EDGES m
 *     label x y                                label src dest weight bw delay
 *     NAME LONGITUDE LATITUDE     (n times)    NAME FROM TO WEIGHT KBPS MICROSECONDS     (m times)
 *
 * Nodes are numbered from 0 in their order. An edge is one direction: the first of one direction is one link
 * with the first of the other. A bandwidth of 0 is as in other formats; a delay of 0 counts as not given.
 * Places are degrees, unless one lies beyond what degrees can be.
 */
#include <math.h>

#include "topology/read/reader.h"

/* NODES n or EDGES m, and the line of names behind it; the number. */
static uint32_t read_head(wi_reading *r, const char *word, double most, size_t columns)
{
    wi_slice f[6];
    char shown[WI_SHOWN];
    wi_next_fields(r, word, 2, f);
    if (!wi_slice_is(f[0], word))
        wi_fail_slice(r->source, f[0], "want %s and their number, not '%s'", word, wi_shown(f[0], shown));
    const double number = wi_number_field(r->source, f[1], "number", 0, most);
    wi_next_fields(r, "the line of names, label ...", columns, f);
    if (!wi_slice_is(f[0], "label"))
        wi_fail_slice(r->source, f[0], "want the line of names, 'label ...', not '%s'",
                      wi_shown(f[0], shown));
    return (uint32_t)number;
}

/* Whether the place is none in degrees. */
static bool read_node(wi_reading *r)
{
    wi_slice f[3];
    wi_next_fields(r, "a node, label x y", 3, f);
    const double x = wi_number_field(r->source, f[1], "longitude", -1e9, 1e9);
    const double y = wi_number_field(r->source, f[2], "latitude", -1e9, 1e9);
    weir_graph_set_xy(r->builder, wi_new_node(r, f[0]), x, y);
    return fabs(x) > 180 || fabs(y) > 90;
}

static void read_edge(wi_reading *r)
{
    wi_slice f[6];
    wi_next_fields(r, "an edge, label src dest weight bw delay", 6, f);
    const uint32_t n = r->builder->names.count, last = n > 0 ? n - 1 : 0,
                   from = wi_whole_field(r->source, f[1], "the source", 0, last),
                   to = wi_whole_field(r->source, f[2], "the target", 0, last);
    wi_listed link = wi_listed_init(from, to);
    const double weight = wi_number_field(r->source, f[3], "weight", 0, WI_WEIGHT_MAX);
    const double kbps = wi_number_field(r->source, f[4], "bandwidth", 0, 1e15);
    const double us = wi_number_field(r->source, f[5], "delay", 0, 1e12);
    link.rate_bps = kbps > 0.0 ? wi_rate_of(kbps * 1e3) : 0;
    link.zero_rate = kbps == 0.0;
    if (us > 0.0)
        link.delay_ps = us * 1e6 < 1.0 ? 1 : (weir_time)(us * 1e6 + 0.5);
    if (weight > 0.0)
        link.weight = weight;
    if (n == 0)
        wi_fail(r->source, "an edge of a network without nodes");
    wi_list(r, link, WI_LIST_DIRECTED);
}

void wi_read_repetita(wi_reading *r)
{
    bool beyond_degrees = false;
    wi_slice line;
    wi_source_text(r->source);
    const uint32_t nodes = read_head(r, "NODES", WI_NODES_MAX, 3);
    for (uint32_t i = 0; wi_good(r) && i < nodes; i++)
        beyond_degrees |= read_node(r);
    const uint32_t edges = read_head(r, "EDGES", WI_LINKS_MAX, 6);
    for (uint32_t i = 0; wi_good(r) && i < edges; i++)
        read_edge(r);
    while (wi_next_line(r->source, &line))
        if (line.length > 0)
            wi_fail(r->source, "a line behind the %u edges that the file states", edges);
    if (!wi_good(r))
        return;
    weir_graph_set_geographic(r->builder, r->builder->names.count > 0 && !beyond_degrees);
    weir_note(r->source->diag, "%s: names of edges are left out%s", r->source->name,
              beyond_degrees ? "; coordinates are no degrees, and taken as kilometres in a plane" : "");
}
