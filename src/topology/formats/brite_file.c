/*
 * BRITE's topologies, as its C++ and Java engines write them:
 *
 *     Topology: ( N Nodes, E Edges )
 *     Model ...                                          free text, in which the C++ engine leaves NUL bytes
 *     Nodes: ( N )
 *     id x y indegree outdegree AS type                  a line a node; blanks or tabs
 *     Edges: ( E )
 *     id from to length delay bandwidth ASfrom ASto type [direction]
 *
 * Counts are compared, never trusted; degrees and lengths are not used. Delays are milliseconds and
 * bandwidths Mb/s; below 0 is "not given", and a bandwidth of 0 is said. Nodes are called by their ids. AS
 * numbers are the ids plus one, for BRITE counts them from 0 and marks "none" by -1. Parallel edges are kept;
 * two directed edges ("D") of opposite directions are one link.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "topology/read/link_list.h"
#include "topology/read/reader.h"

enum { FIELDS = 10, NODE_FIELDS = 7, EDGE_FIELDS = 6 };

typedef struct brite {
    weir_diag *diag;
    wi_source *source;
    const weir_topology_options *options;
    weir_graph_builder *builder;
    wi_link_list links;
    uint64_t edges;
    bool own; /* written by weir */
} brite;

static bool begins_with(wi_slice line, const char *text)
{
    const size_t n = strlen(text);
    return line.length >= n && memcmp(line.text, text, n) == 0;
}

/* "Nodes: (60)", "Edges: ( 125 )", "Edges: (125):": the first number in it; UINT32_MAX: none. */
static uint32_t stated_count(wi_slice line)
{
    size_t i = 0, n = 0;
    uint32_t count;
    while (i < line.length && (line.text[i] < '0' || line.text[i] > '9'))
        i++;
    while (i + n < line.length && line.text[i + n] >= '0' && line.text[i + n] <= '9')
        n++;
    return wi_slice_u32((wi_slice){line.text + i, n}, &count) ? count : UINT32_MAX;
}

/* RT_LEAF, AS_BORDER and so on. */
static weir_node_class class_of(wi_slice type)
{
    return type.length > 3 ? wi_class_of_word((wi_slice){type.text + 3, type.length - 3}) : WEIR_CLASS_NONE;
}

static weir_status take_node(brite *b, wi_slice line)
{
    wi_slice f[FIELDS];
    double x, y, as;
    uint32_t node;
    const int at = b->source->line;
    const size_t n = wi_split(line, false, f, FIELDS);
    if (n < NODE_FIELDS)
        return weir_fail_at(b->diag, WEIR_E_FORMAT, b->source->name, at, 0,
                            "a node of %zu fields; want 7: id x y indegree outdegree AS type", n);
    weir_status st = wi_number_field(b->diag, b->source, at, f[1], "x coordinate", -1e9, 1e9, &x);
    if (st == WEIR_OK)
        st = wi_number_field(b->diag, b->source, at, f[2], "y coordinate", -1e9, 1e9, &y);
    if (st == WEIR_OK)
        st = wi_number_field(b->diag, b->source, at, f[5], "AS id", -1, 4294967294.0, &as);
    if (st == WEIR_OK)
        st = wi_new_node(b->diag, b->source, at, f[0], b->builder, &node);
    if (st != WEIR_OK)
        return st;
    weir_graph_set_xy(b->builder, node, x, y);
    weir_graph_set_as(b->builder, node, (uint32_t)(as + 1));
    weir_graph_set_class(b->builder, node, class_of(f[6]));
    return WEIR_OK;
}

/* The two directions of one link have one id in files that weir wrote; BRITE numbers edges. */
static bool list_edge(brite *b, wi_listed link, bool directed, wi_slice id)
{
    if (!directed)
        return wi_link_list_add(&b->links, link, WI_LIST_OWN);
    return b->own ? wi_link_list_add_of(&b->links, link, id)
                  : wi_link_list_add(&b->links, link, WI_LIST_DIRECTED);
}

static weir_status take_edge(brite *b, wi_slice line)
{
    wi_slice f[FIELDS];
    uint32_t from, to;
    double delay_ms, mbps;
    const int at = b->source->line;
    const size_t n = wi_split(line, false, f, FIELDS);
    if (n < EDGE_FIELDS)
        return weir_fail_at(
            b->diag, WEIR_E_FORMAT, b->source->name, at, 0,
            "an edge of %zu fields; want 9 or 10: id from to length delay bandwidth ASfrom ASto type "
            "direction",
            n);
    weir_status st = wi_known_node(b->diag, b->source, at, f[1], b->builder, &from);
    if (st == WEIR_OK)
        st = wi_known_node(b->diag, b->source, at, f[2], b->builder, &to);
    if (st == WEIR_OK)
        st = wi_number_field(b->diag, b->source, at, f[4], "delay in ms", -1, 3600e3, &delay_ms);
    if (st == WEIR_OK)
        st = wi_number_field(b->diag, b->source, at, f[5], "bandwidth in Mb/s", -1, 1e12, &mbps);
    if (st != WEIR_OK)
        return st;
    wi_listed link = wi_listed_init(from, to);
    if (delay_ms >= 0)
        link.delay_ps = (weir_time)llround(delay_ms * (double)WEIR_PS_PER_MS);
    if (mbps > 0)
        link.rate_bps = mbps * 1e6 < 1 ? 1 : (uint64_t)llround(mbps * 1e6);
    link.zero_rate = link.zero_back = mbps == 0;
    const bool directed = n >= 10 && wi_slice_is(f[9], "D");
    b->edges++;
    if (!list_edge(b, link, directed, f[0]))
        return weir_fail_at(b->diag, WEIR_E_NOMEM, b->source->name, at, 0, "out of memory for links");
    return WEIR_OK;
}

static weir_status take_model(brite *b, wi_slice line)
{
    b->own |= begins_with(line, "Model ( 0 ): written by weir");
    return WEIR_OK;
}

/* Skips to the line that begins with `title`; takes the lines before it by `take`, if that is not null. */
static weir_status until(brite *b, const char *title, weir_status (*take)(brite *b, wi_slice line),
                         uint32_t *stated)
{
    wi_slice line;
    weir_status st = WEIR_OK;
    while (st == WEIR_OK && wi_next_line(b->source, &line)) {
        if (title && begins_with(line, title)) {
            *stated = stated_count(line);
            return WEIR_OK;
        }
        if (take && line.length > 0)
            st = take(b, line);
    }
    if (st == WEIR_OK)
        st = title ? wi_breaks_off(b->source, "the file breaks off: no line '%s'", title) : b->source->status;
    return st;
}

static void compare(const brite *b, int line, const char *what, uint32_t stated, uint64_t found)
{
    if (stated != found)
        weir_warn_at(b->diag, b->source->name, line, 0, "%u %s are stated; there are %llu", stated, what,
                     (unsigned long long)found);
}

static weir_status parse(brite *b)
{
    wi_slice line = {"", 0};
    uint32_t nodes = 0, edges = 0;
    while (line.length == 0 && wi_next_line(b->source, &line))
        ;
    if (!begins_with(line, "Topology:"))
        return wi_breaks_off(b->source, "no BRITE topology: the first line does not begin with 'Topology:'");
    weir_status st = until(b, "Nodes:", take_model, &nodes);
    if (st == WEIR_OK) /* NUL bytes are the C++ engine's in the header; after it they are damage */
        st = wi_source_text(b->source);
    const int nodes_line = b->source->line;
    if (st == WEIR_OK)
        st = until(b, "Edges:", take_node, &edges);
    const int edges_line = b->source->line;
    if (st == WEIR_OK)
        st = until(b, NULL, take_edge, &edges);
    if (st == WEIR_OK) {
        compare(b, nodes_line, "nodes", nodes, b->builder->names.count);
        compare(b, edges_line, "edges", edges, b->edges);
    }
    return st;
}

weir_status wi_read_brite(weir_diag *diag, wi_source *source, const weir_topology_options *options,
                          weir_graph_builder *builder)
{
    brite b = {.diag = diag, .source = source, .options = options, .builder = builder};
    weir_status st = parse(&b);
    if (st == WEIR_OK)
        st = wi_link_list_finish(diag, &b.links, source, options, builder);
    wi_link_list_free(&b.links);
    return st;
}
