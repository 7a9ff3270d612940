/*
 * What an all-pairs algorithm is, the pruned core of a graph that it reads, and the table that it fills.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "weir/routes.h"

/* Columns that the batched algorithms write at once; rows of the table are padded to a multiple of it. */
#define WI_ROW_PAD 64u
/* Core numbers that a table has to spare at least: for pieces that failed links cut off (cut.c). */
#define WI_SPARES_MIN 32u
/* Costs that algorithms of 32 bits take; and their distances are below this: one more cost fits a signed
 * lane. */
#define WI_COST32_MAX (UINT32_C(1) << 24)
#define WI_PATH32_LIMIT UINT32_C(0x7effffff)

/* Costs of the usable edges of a net; low > high where there are none. */
typedef struct wi_cost_range {
    weir_cost low, high;
    bool down; /* some edge is not usable */
} wi_cost_range;

/* What one tree search reads: a graph, or the core of one. */
typedef struct wi_route_net {
    uint32_t n, n_edges;
    const uint32_t *first, *target;
    const weir_cost *cost;
    const uint32_t *reverse; /* the same link's edge in the other direction; unused where in_first is given */
    /* Edges into each node, by the node, where they come from, and their costs; all edges are usable then.
     * Null: to be had through reverse. Where all links lead both ways in_first is first, and in_source is
     * target. */
    const uint32_t *in_first, *in_source;
    const weir_cost *in_cost;
    const uint8_t *role;  /* [n]: weir_role */
    const uint16_t *port; /* [n_edges]: port number; null: the edge's index within the node's edges */
    const uint32_t *cost32, *in_cost32; /* of a core: the same costs; null where one is above WI_COST32_MAX */
    wi_cost_range costs;
} wi_route_net;

/* Whether something may be sent over the edge; false where its link is out of service. */
static inline bool wi_edge_usable(const wi_route_net *net, uint32_t e)
{
    return net->in_first || (net->cost[e] < WEIR_COST_NONE && net->cost[net->reverse[e]] != WEIR_COST_DOWN);
}

/* Edges into a node: entry k of wi_in_first .. wi_in_end - 1 comes from `source`; false: it is not usable. */
static inline bool wi_edge_into(const wi_route_net *net, uint32_t k, uint32_t *source, weir_cost *cost)
{
    *source = net->in_first ? net->in_source[k] : net->target[k];
    *cost = net->in_first ? net->in_cost[k] : net->cost[net->reverse[k]];
    return net->in_first || (*cost < WEIR_COST_NONE && net->cost[k] != WEIR_COST_DOWN);
}
static inline const uint32_t *wi_in_first(const wi_route_net *net)
{
    return net->in_first ? net->in_first : net->first;
}

/* A graph as a net, without its range of costs. (In the order of the members: the header is also valid as
 * C++.) */
static inline wi_route_net wi_net_of(const weir_graph *graph, const weir_cost *cost)
{
    const wi_route_net net = {graph->n_nodes, graph->n_edges, graph->first, graph->target, cost,
                              graph->reverse, NULL,           NULL,         NULL,          graph->role,
                              NULL,           NULL,           NULL,         {0, 0, false}};
    return net;
}

/* A node's first edge on a shortest path to the destination of `dist`; UINT32_MAX where there is none. Only
 * the destination has distance 0; what is as far as the node, or farther, is on no path of its. */
static inline uint32_t wi_lowest_edge(const wi_route_net *net, const weir_cost *dist, uint32_t node)
{
    for (uint32_t e = net->first[node]; e < net->first[node + 1]; ++e) {
        const uint32_t v = net->target[e];
        if (dist[v] < dist[node] && net->cost[e] + dist[v] == dist[node] && wi_edge_usable(net, e) &&
            (net->role[v] != WEIR_HOST || dist[v] == 0))
            return e;
    }
    return UINT32_MAX;
}

/*
 * The graph without its trees, nodes renumbered from the middle outwards: core node 0 has the most links and
 * the others follow by distance to it. Edges keep the order of their ports and only usable ones are there.
 */
typedef struct wi_core {
    wi_route_net net; /* its arrays are the core's */
    weir_cost reach;  /* greatest distance to core node 0; costs may differ by direction, so a hint only */
    weir_route_node *place; /* [n_nodes] */
    uint32_t *kid_enter;    /* [n_nodes - net.n] */
    uint16_t *kid_port;
} wi_core;
/* Rows of the table: where they start and how wide they are. */
typedef struct wi_table {
    uint64_t *row; /* as in weir_route_view */
    uint8_t *bytes;
    uint64_t n_bytes;
    uint32_t n_spare; /* rows and columns behind the core's, at most 64; their entries say "none" */
} wi_table;

static inline uint8_t *wi_table_at(const wi_table *table, uint32_t row, uint32_t column)
{
    return table->bytes + (table->row[row] >> 1) + ((uint64_t)column << (table->row[row] & 1));
}
static inline bool wi_table_wide(const wi_table *table, uint32_t row)
{
    return table->row[row] & 1;
}

struct weir_routes {
    weir_route_view view;
    wi_core core; /* its places and kids back the view; its net is freed once the table is made */
    wi_table table;
    uint64_t pieces; /* spare core numbers in use, a bit each */
    weir_routes_times times;
    char how[200];
};

/* Cost of an edge under its link's state; WEIR_COST_DOWN, too, where there is no such direction. */
static inline weir_cost wi_in_force(const weir_graph *graph, const weir_cost *cost, uint32_t e)
{
    return cost[e] == WEIR_COST_NONE || cost[graph->reverse[e]] == WEIR_COST_DOWN ? WEIR_COST_DOWN : cost[e];
}

/* How a batch of destinations ended. */
typedef enum wi_batch_end {
    WI_BATCH_DONE,
    WI_BATCH_OVERFLOW /* a distance does not fit the algorithm's arithmetic */
} wi_batch_end;

struct wi_algorithm;
struct wi_route_device;
/* Bytes that an algorithm works in, besides the table. */
typedef uint64_t wi_work_bytes(const struct wi_algorithm *algorithm, const wi_core *core);
/* Compute on a device: distances and ports into its table, and their times. */
typedef weir_status wi_work_on_device(struct wi_route_device *device);

/* One computation: what to fill, and where to report. */
typedef struct wi_fill {
    weir_diag *diag;
    const struct wi_algorithm *algorithm;
    const wi_core *core;
    const wi_table *table;
    const weir_routes_options *options;
    int threads;
    weir_routes_times *times;
} wi_fill;

/* Report `done` destinations; true where the caller wants to stop. For the calling thread only. */
bool wi_fill_stopped(const wi_fill *fill, uint32_t done);

/*
 * An all-pairs algorithm. Either it fills whole columns of the table, `lanes` destinations at a time, each
 * thread with its own work space (batch), or the whole table at once (whole). A new one is a new file with
 * such a table. Functions get the algorithm, which may be one of several widths.
 */
typedef struct wi_algorithm {
    const char *name;
    const struct wi_algorithm *wider; /* to be taken when a distance does not fit this one's; null: none */
    uint32_t lane;                    /* bytes of a distance: 2 or 4; 8: it takes any costs */
    /* Whether the core may not be given to it, besides for the width of its costs: why not, or null. Null: it
     * may. */
    const char *(*refuses)(const wi_core *core);
    /* Work space on the host, of a thread or of the whole; null: none. */
    wi_work_bytes *space_bytes;

    uint32_t lanes; /* a multiple of WI_ROW_PAD */
    void *(*space_new)(const struct wi_algorithm *algorithm,
                       const wi_core *core); /* null when memory is short */
    void (*space_free)(void *space);
    wi_batch_end (*batch)(const wi_core *core, const wi_table *table, uint32_t dst, uint32_t n_dst,
                          void *space);

    /* Null for batches. Sets *end as a batch does; anything but WEIR_OK is an error that was reported. */
    weir_status (*whole)(const wi_fill *fill, wi_batch_end *end);

    /* Of a device; null: it runs on the CPU. */
    wi_work_bytes *device_bytes;
    wi_work_on_device *on_device;
} wi_algorithm;

/* Why the core may not be given to an algorithm; null: it may. */
static inline const char *wi_refuses(const wi_algorithm *algorithm, const wi_core *core)
{
    if (algorithm->lane < 8 && !core->net.cost32)
        return "some costs are above 2^24, past what distances of 32 bits add up";
    return algorithm->refuses ? algorithm->refuses(core) : NULL;
}

/* The algorithms; choose.c picks one. */
extern const wi_algorithm wi_trees, wi_bit_parallel, wi_batched16, wi_batched32, wi_floyd16, wi_floyd32;

/* Fill by batches, on as many threads as the fill has. */
weir_status wi_fill_batches(const wi_fill *fill, wi_batch_end *end);

static inline bool wi_equal_costs(const wi_core *core)
{
    return core->net.costs.low >= core->net.costs.high;
}
/* Whether distances hold a path of so many edges of the core's greatest cost. */
static inline bool wi_hops_fit(const wi_core *core, uint32_t hops)
{
    return core->net.costs.high == 0 || hops <= (WEIR_PATH_LIMIT - 1) / core->net.costs.high;
}
