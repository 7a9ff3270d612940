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

#include "topology/read/reader.h"

enum { FIELDS = 10, NODE_FIELDS = 7, EDGE_FIELDS = 6 };

typedef struct brite {
    wi_reading *r;
    uint64_t edges;
    bool own; /* written by weir */
} brite;

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

static void read_node(brite *b, wi_slice line)
{
    wi_slice f[FIELDS];
    const size_t n = wi_split(line, f, FIELDS);
    if (n < NODE_FIELDS) {
        wi_fail(b->r->source, "a node of %zu fields; want 7: id x y indegree outdegree AS type", n);
        return;
    }
    const double x = wi_number_field(b->r->source, f[1], "x coordinate", -1e9, 1e9);
    const double y = wi_number_field(b->r->source, f[2], "y coordinate", -1e9, 1e9);
    const double as = wi_number_field(b->r->source, f[5], "AS id", -1, 4294967294.0);
    const uint32_t node = wi_new_node(b->r, f[0]);
    weir_graph_set_xy(b->r->builder, node, x, y);
    weir_graph_set_as(b->r->builder, node, (uint32_t)(as + 1));
    weir_graph_set_class(b->r->builder, node, class_of(f[6]));
}

static void read_edge(brite *b, wi_slice line)
{
    wi_slice f[FIELDS];
    const size_t n = wi_split(line, f, FIELDS);
    if (n < EDGE_FIELDS) {
        wi_fail(b->r->source,
                "an edge of %zu fields; want 9 or 10: id from to length delay bandwidth ASfrom ASto type "
                "direction",
                n);
        return;
    }
    const uint32_t from = wi_known_node(b->r, f[1]), to = wi_known_node(b->r, f[2]);
    const double delay_ms = wi_number_field(b->r->source, f[4], "delay in ms", -1, 3600e3);
    const double mbps = wi_number_field(b->r->source, f[5], "bandwidth in Mb/s", -1, 1e12);
    wi_listed link = wi_listed_init(from, to);
    if (delay_ms >= 0)
        link.delay_ps = (weir_time)llround(delay_ms * (double)WEIR_PS_PER_MS);
    if (mbps > 0)
        link.rate_bps = wi_rate_of(mbps * 1e6);
    link.zero_rate = link.zero_back = mbps == 0;
    b->edges++;
    /* The two directions of one link have one id in files that weir wrote; BRITE numbers edges. */
    const bool directed = n >= 10 && wi_slice_is(f[9], "D");
    if (!directed || !b->own)
        wi_list(b->r, link, directed ? WI_LIST_DIRECTED : WI_LIST_OWN);
    else if (!wi_link_list_add_of(&b->r->links, link, f[0]))
        wi_no_memory(b->r->source, "links");
}

static void read_model(brite *b, wi_slice line)
{
    b->own |= wi_slice_begins(line, "Model ( 0 ): written by weir");
}

/* Takes lines up to the one that begins with `title`, or all; the number in that one. */
static uint32_t until(brite *b, const char *title, void (*take)(brite *b, wi_slice line))
{
    wi_slice line;
    while (wi_next_line(b->r->source, &line)) {
        if (title && wi_slice_begins(line, title))
            return stated_count(line);
        if (line.length > 0)
            take(b, line);
    }
    if (title)
        wi_fail(b->r->source, "the file breaks off: no line '%s'", title);
    return 0;
}

static void compare(const wi_source *source, int line, const char *what, uint32_t stated, uint64_t found)
{
    if (stated != found && source->status == WEIR_OK)
        weir_warn_at(source->diag, source->name, line, 0, "%u %s are stated; there are %llu", stated, what,
                     (unsigned long long)found);
}

void wi_read_brite(wi_reading *r)
{
    brite b = {.r = r};
    wi_slice line = {"", 0};
    while (line.length == 0 && wi_next_line(r->source, &line))
        ;
    if (!wi_slice_begins(line, "Topology:"))
        wi_fail(r->source, "no BRITE topology: the first line does not begin with 'Topology:'");
    const uint32_t nodes = until(&b, "Nodes:", read_model);
    const int nodes_line = r->source->line;
    wi_source_text(r->source); /* NUL bytes are the C++ engine's in the header; after it they are damage */
    const uint32_t edges = until(&b, "Edges:", read_node);
    const int edges_line = r->source->line;
    until(&b, NULL, read_edge);
    compare(r->source, nodes_line, "nodes", nodes, r->builder->names.count);
    compare(r->source, edges_line, "edges", edges, b.edges);
}
