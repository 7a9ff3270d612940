/**
 * The one network graph: an immutable CSR of directed edges, made by a builder.
 *
 * Everything that makes or reads a topology yields a weir_graph and nothing else. A link is two directed
 * edges here, each of which carries its own rate, delay and weight. Edge order within a node is the order in
 * which links were added, so a port number (index within the node's edges) is stable and the same on every
 * machine.
 *
 * A link may lead one way only. The edge of the other direction is there all the same, so that both ends know
 * of the link and every edge has a reverse; `missing` marks it, and it stands behind the node's other edges:
 * ports are first[i] .. end[i] - 1. No packet takes it, routes give it the cost WEIR_COST_NONE, and it
 * carries its link's rate, delay and weight.
 *
 * Units: rate in bits per second, delay in picoseconds; 0 rate and negative delay mean "not given" until
 * weir_graph_fill sets them. Coordinates: degrees (longitude x, latitude y) when `geographic`, plane
 * kilometres otherwise. Limits: 2^24 nodes, 2^27 directed edges.
 */
#ifndef WEIR_GRAPH_H
#define WEIR_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/status.h"
#include "weir/time.h"

typedef enum weir_role { WEIR_ROUTER = 0, WEIR_HOST = 1 } weir_role;

/** Where a node stands in its network, for attaching traffic. Sources that do not tell leave
 * WEIR_CLASS_NONE. */
typedef enum weir_node_class {
    WEIR_CLASS_NONE = 0,
    WEIR_CLASS_LEAF,   /**< gateways of LANs, hosts */
    WEIR_CLASS_BORDER, /**< routers with links to another network */
    WEIR_CLASS_STUB,
    WEIR_CLASS_BACKBONE,
    WEIR_CLASS_SERVER /**< hosts that a generator places as servers */
} weir_node_class;

/** Read-only to everybody but src/topology. All arrays belong to the graph. */
typedef struct weir_graph {
    uint32_t n_nodes;
    uint32_t n_edges;        /**< directed: twice the number of links */
    const uint32_t *first;   /**< [n_nodes + 1]: node i's edges are first[i] .. first[i + 1] - 1 */
    const uint32_t *end;     /**< [n_nodes]: behind node i's last edge that is not missing */
    const uint32_t *target;  /**< [n_edges]: node at the far end */
    const uint32_t *reverse; /**< [n_edges]: the same link's edge in the other direction */
    const uint32_t *link; /**< [n_edges]: number of the link, in the order of adding (self-loops have none) */
    const uint64_t *rate_bps;  /**< [n_edges]; 0: not given */
    const weir_time *delay_ps; /**< [n_edges]; negative: not given */
    const uint32_t *weight;    /**< [n_edges]: routing weight, 1 where the source gives none */
    const uint8_t *role;       /**< [n_nodes]: weir_role */
    const uint8_t *node_class; /**< [n_nodes]: weir_node_class */
    const uint32_t *as_number; /**< [n_nodes]: 0 where the source gives none */
    const double *x, *y;       /**< [n_nodes]: NaN where the source gives none */
    const char *const *name;   /**< [n_nodes]: unique, never null */
    /** [n_edges]: 1 for the direction that a one-way link lacks; null: no such link */
    const uint8_t *missing;
    uint32_t n_one_way;    /**< links that lead one way only */
    bool geographic;       /**< coordinates are degrees */
    bool weighted;         /**< the source gives weights */
    uint32_t n_self_loops; /**< left out, as no packet uses them */
    uint32_t n_parallel;   /**< links beyond the first between the same two nodes, and in the same direction
                                  where they have one; kept */
    uint32_t weight_scale; /**< weights are so many times what the source says, which has fractions; else 1 */
} weir_graph;

/** Whether an edge leads anywhere: it is not the direction that a one-way link lacks. */
WEIR_FN bool weir_edge_exists(const weir_graph *graph, uint32_t edge)
{
    return !graph->missing || !graph->missing[edge];
}

/** Whether a node has one link, and that leads both ways. */
WEIR_FN bool weir_node_is_single(const weir_graph *graph, uint32_t node)
{
    const uint32_t e = graph->first[node];
    return graph->first[node + 1] - e == 1 && weir_edge_exists(graph, e) &&
           weir_edge_exists(graph, graph->reverse[e]);
}

/** Free a graph; accepts null. */
WEIR_API void weir_graph_free(weir_graph *graph);
/** Node of that name, or UINT32_MAX. Exact, case-sensitive. O(1): weir_graph_build makes the index. */
WEIR_API uint32_t weir_graph_find(const weir_graph *graph, const char *name);

typedef struct weir_graph_builder weir_graph_builder;

/** One link. Fields left zero by weir_link_init mean "not given". */
typedef struct weir_link {
    uint32_t a, b;
    uint64_t rate_bps;       /**< a to b; 0: not given */
    uint64_t rate_back_bps;  /**< b to a; 0: as rate_bps */
    weir_time delay_ps;      /**< a to b; negative: not given */
    uint32_t weight;         /**< a to b; 0: not given, 1 is used */
    uint32_t weight_back;    /**< b to a; 0: as weight */
    weir_time delay_back_ps; /**< b to a; negative: as delay_ps */
    bool one_way;            /**< a to b only */
} weir_link;

/** A link of two nodes, everything else "not given". */
WEIR_FN weir_link weir_link_init(uint32_t a, uint32_t b)
{
    weir_link link = {a, b, 0, 0, -1, 0, 0, -1, false};
    return link;
}

/** An empty builder, the caller's; null when memory is short. */
WEIR_API weir_graph_builder *weir_graph_builder_new(void);
/** Free a builder that has not become a graph; accepts null. */
WEIR_API void weir_graph_builder_free(weir_graph_builder *builder);
/**
 * Add a node and return its number (0, 1, 2, ...). A null or empty name becomes the number; a name in use
 * gets a suffix
 * "#2", "#3", ... Failures (memory, more than 2^24 nodes) return UINT32_MAX, are remembered, and returned by
 * weir_graph_build; the other calls leave such a number alone.
 */
WEIR_API uint32_t weir_graph_add_node(weir_graph_builder *builder, const char *name, weir_role role);
/** Coordinates that are not finite count as not given. */
WEIR_API void weir_graph_set_xy(weir_graph_builder *builder, uint32_t node, double x, double y);
/** Set the number of the autonomous system of a node that exists. */
WEIR_API void weir_graph_set_as(weir_graph_builder *builder, uint32_t node, uint32_t as_number);
/** Set the class of a node that exists, as BRITE has it. */
WEIR_API void weir_graph_set_class(weir_graph_builder *builder, uint32_t node, weir_node_class node_class);
/**
 * Say whether coordinates are degrees of longitude and latitude (true) or of a plane (false, the default).
 */
WEIR_API void weir_graph_set_geographic(weir_graph_builder *builder, bool geographic);
/** Add a link between existing nodes. A self-loop is counted and left out; parallel links are kept and
 * counted. */
WEIR_API void weir_graph_add_link(weir_graph_builder *builder, weir_link link);
/**
 * Make the graph, in O(nodes + links). The builder remains the caller's to free, and can be added to and
 * built again. Returns: WEIR_OK; WEIR_E_NOMEM; WEIR_E_ARG for a link to no node or a graph beyond the limits.
 * *out is null then.
 */
WEIR_API WEIR_NODISCARD weir_status weir_graph_build(weir_diag *diag, weir_graph_builder *builder,
                                                     weir_graph **out);

/** What weir_graph_fill sets where the source says nothing. */
typedef struct weir_link_defaults {
    uint64_t rate_bps;  /**< default 10 Gb/s */
    weir_time delay_ps; /**< default 1 ms; used where coordinates do not tell */
    double km_per_s;    /**< signal speed for delays from coordinates; default 200,000 (fibre) */
    bool delay_from_xy; /**< default true */
    bool override_rate; /**< set every link's rate, given or not; default false */
    bool override_delay;
} weir_link_defaults;
/** The defaults of docs/topologies.md. */
WEIR_API void weir_link_defaults_init(weir_link_defaults *defaults);

typedef struct weir_fill_report {
    uint32_t rates_filled;   /**< links that got the default rate */
    uint32_t delays_from_xy; /**< links whose delay came from coordinates */
    uint32_t delays_filled;  /**< links that got the default delay */
} weir_fill_report;

/**
 * Fill in missing rates and delays, in place, and say how many.
 *
 * Delay from coordinates is great-circle distance (haversine, Earth radius 6,371.0088 km) or plane distance
 * over km_per_s, rounded to whole nanoseconds (coordinates do not carry more), and at least
 * 1 microsecond; the same bits on every machine. A link with an end that has no coordinates gets the default
 * delay.
 *
 * Returns: WEIR_OK; WEIR_E_ARG for a default rate of 0, a negative default delay, a speed that is not
 * positive, or two linked nodes more than an hour apart; WEIR_E_NOMEM. The graph is as it was then. `report`
 * may be null, and `defaults`: those of weir_link_defaults_init.
 */
WEIR_API WEIR_NODISCARD weir_status weir_graph_fill(weir_diag *diag, weir_graph *graph,
                                                    const weir_link_defaults *defaults,
                                                    weir_fill_report *report);

/** Change one directed edge, in place; 0 rate or a negative delay leaves that as it is. The edge must
 * exist. */
WEIR_API void weir_graph_set_edge(weir_graph *graph, uint32_t edge, uint64_t rate_bps, weir_time delay_ps);

#endif
