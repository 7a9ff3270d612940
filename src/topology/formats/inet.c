/*
 * Inet 3.0's topologies, which ns-3's reader takes too: a line "nodes links"; so many lines "id x y"; so many
 * lines "from to distance". Places are plane kilometres, from which delays follow; the distance, which is
 * theirs, is not used. A file with fewer lines than it states is broken; lines past its end are.
 */
#include "topology/read/reader.h"

static void read_node(wi_reading *r)
{
    wi_slice f[3];
    wi_next_fields(r, "a node, id x y", 3, f);
    const double x = wi_number_field(r->source, f[1], "x coordinate", -1e9, 1e9);
    const double y = wi_number_field(r->source, f[2], "y coordinate", -1e9, 1e9);
    weir_graph_set_xy(r->builder, wi_new_node(r, f[0]), x, y);
}

static void read_link(wi_reading *r)
{
    wi_slice f[3];
    wi_next_fields(r, "a link, from to distance", 3, f);
    const uint32_t from = wi_known_node(r, f[0]), to = wi_known_node(r, f[1]);
    (void)wi_number_field(r->source, f[2], "distance", 0, 1e12);
    wi_list(r, wi_listed_init(from, to),
            r->options->duplicates == WEIR_DUPLICATES_MERGE ? WI_LIST_MERGE : WI_LIST_OWN);
}

void wi_read_inet(wi_reading *r)
{
    wi_slice f[2], line;
    wi_source_text(r->source);
    wi_next_fields(r, "the numbers of nodes and links", 2, f);
    const double nodes = wi_number_field(r->source, f[0], "number of nodes", 0, WI_NODES_MAX);
    const double links = wi_number_field(r->source, f[1], "number of links", 0, WI_LINKS_MAX);
    for (uint32_t i = 0; wi_good(r) && i < (uint32_t)nodes; i++)
        read_node(r);
    for (uint32_t i = 0; wi_good(r) && i < (uint32_t)links; i++)
        read_link(r);
    while (wi_next_line(r->source, &line))
        if (line.length > 0)
            wi_fail(r->source, "more lines than the %.0f nodes and %.0f links that the first one states",
                    nodes, links);
}
