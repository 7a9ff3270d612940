/*
 * Inet 3.0's topologies, which ns-3's reader takes too: a line "nodes links"; so many lines "id x y"; so many
 * lines "from to distance". Places are plane kilometres, from which delays follow; the distance, which is
 * theirs, is not used. A file with fewer lines than it states is broken; lines past its end are.
 */
#include <math.h>

#include "topology/read/link_list.h"
#include "topology/read/reader.h"

typedef struct inet {
    weir_diag *diag;
    wi_source *source;
    weir_graph_builder *builder;
    wi_link_list links;
} inet;

/* The next line that is not empty, of exactly `wanted` fields. */
static weir_status next(inet *t, const char *what, size_t wanted, wi_slice *field)
{
    wi_slice line;
    do
        if (!wi_next_line(t->source, &line))
            return wi_breaks_off(t->source, "the file breaks off: %s is missing", what);
    while (line.length == 0);
    const size_t n = wi_split(line, false, field, wanted);
    return n == wanted ? WEIR_OK
                       : weir_fail_at(t->diag, WEIR_E_FORMAT, t->source->name, t->source->line, 0,
                                      "%zu fields; want %zu: %s", n, wanted, what);
}

static weir_status take_node(inet *t)
{
    wi_slice f[3];
    double x, y;
    uint32_t node;
    weir_status st = next(t, "a node, id x y", 3, f);
    if (st == WEIR_OK)
        st = wi_number_field(t->diag, t->source, t->source->line, f[1], "x coordinate", -1e9, 1e9, &x);
    if (st == WEIR_OK)
        st = wi_number_field(t->diag, t->source, t->source->line, f[2], "y coordinate", -1e9, 1e9, &y);
    if (st == WEIR_OK)
        st = wi_new_node(t->diag, t->source, t->source->line, f[0], t->builder, &node);
    if (st == WEIR_OK)
        weir_graph_set_xy(t->builder, node, x, y);
    return st;
}

static weir_status take_link(inet *t, const weir_topology_options *options)
{
    wi_slice f[3];
    double distance;
    uint32_t from, to;
    weir_status st = next(t, "a link, from to distance", 3, f);
    if (st == WEIR_OK)
        st = wi_known_node(t->diag, t->source, t->source->line, f[0], t->builder, &from);
    if (st == WEIR_OK)
        st = wi_known_node(t->diag, t->source, t->source->line, f[1], t->builder, &to);
    if (st == WEIR_OK)
        st = wi_number_field(t->diag, t->source, t->source->line, f[2], "distance", 0, 1e12, &distance);
    if (st == WEIR_OK &&
        !wi_link_list_add(&t->links, wi_listed_init(from, to),
                          options->duplicates == WEIR_DUPLICATES_MERGE ? WI_LIST_MERGE : WI_LIST_OWN))
        st = weir_fail_at(t->diag, WEIR_E_NOMEM, t->source->name, t->source->line, 0,
                          "out of memory for links");
    return st;
}

static weir_status parse(inet *t, const weir_topology_options *options)
{
    wi_slice f[2], line;
    double nodes, links;
    weir_status st = next(t, "the numbers of nodes and links", 2, f);
    if (st == WEIR_OK)
        st = wi_number_field(t->diag, t->source, t->source->line, f[0], "number of nodes", 0, WI_NODES_MAX,
                             &nodes);
    if (st == WEIR_OK)
        st = wi_number_field(t->diag, t->source, t->source->line, f[1], "number of links", 0, WI_LINKS_MAX,
                             &links);
    for (uint32_t i = 0; st == WEIR_OK && i < (uint32_t)nodes; i++)
        st = take_node(t);
    for (uint32_t i = 0; st == WEIR_OK && i < (uint32_t)links; i++)
        st = take_link(t, options);
    while (st == WEIR_OK && wi_next_line(t->source, &line))
        if (line.length > 0)
            st = weir_fail_at(t->diag, WEIR_E_FORMAT, t->source->name, t->source->line, 0,
                              "more lines than the %.0f nodes and %.0f links that the first one states",
                              nodes, links);
    return st;
}

weir_status wi_read_inet(weir_diag *diag, wi_source *source, const weir_topology_options *options,
                         weir_graph_builder *builder)
{
    inet t = {.diag = diag, .source = source, .builder = builder};
    weir_status st = wi_source_text(source);
    if (st == WEIR_OK)
        st = parse(&t, options);
    if (st == WEIR_OK)
        st = wi_link_list_finish(diag, &t.links, source, options, builder);
    wi_link_list_free(&t.links);
    return st;
}
