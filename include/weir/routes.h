/**
 * Routes: distances, canonical next ports, equal-cost sets, whole paths.
 *
 * Costs are integers from 1 to 2^24; path sums stay below 2^31. Tables are canonical: distances first, ports after.
 * port(i, j) is the lowest-numbered port of i to a neighbour v with cost(i, v) + dist(v, j) = dist(i, j); the equal-cost
 * set is all of them. So every algorithm and device gives the same table to the byte. Nodes of role WEIR_HOST with one
 * link forward nothing, so they are never inside a path.
 */
#ifndef WEIR_ROUTES_H
#define WEIR_ROUTES_H

#include "weir/graph.h"

#define WEIR_UNREACHABLE UINT32_MAX
#define WEIR_NO_PORT UINT16_MAX

typedef enum weir_metric {
    WEIR_METRIC_HOPS,         /**< every link costs 1 */
    WEIR_METRIC_DELAY,        /**< delay in units of 100 ns, rounded up */
    WEIR_METRIC_WEIGHT,       /**< the graph's weights */
    WEIR_METRIC_INVERSE_RATE  /**< 100 Gb/s over the rate, rounded up */
} weir_metric;

/**
 * Cost of each directed edge under a metric: cost[n_edges], allocated with malloc, the caller's to free.
 * A zero becomes 1 with a warning that counts them; a cost above 2^24 is WEIR_E_ARG and names the link.
 */
WEIR_API WEIR_NODISCARD weir_status weir_route_costs(weir_diag *diag, const weir_graph *graph, weir_metric metric,
                                                     uint32_t **cost);

/** Work space for weir_route_tree, reused from call to call; one per thread. */
typedef struct weir_route_space weir_route_space;
WEIR_API weir_route_space *weir_route_space_new(const weir_graph *graph);
WEIR_API void weir_route_space_free(weir_route_space *space);

/**
 * The reverse tree of one destination: from every node, how far to `dst` and through which port first.
 *
 * Shapes:  cost: [n_edges]; dist: [n_nodes] or null; port: [n_nodes] or null (WEIR_NO_PORT at dst and where there is no
 *          way).
 * Method:  breadth-first search where all costs are equal, Dijkstra otherwise; on reversed edges.
 * Returns: WEIR_OK; WEIR_E_ARG for a node out of range.
 */
WEIR_API WEIR_NODISCARD weir_status weir_route_tree(weir_diag *diag, const weir_graph *graph, const uint32_t *cost,
                                                    uint32_t dst, weir_route_space *space, uint32_t *dist,
                                                    uint16_t *port);

typedef struct weir_routes weir_routes;

typedef enum weir_route_algorithm {
    WEIR_ROUTE_AUTO,
    WEIR_ROUTE_TREES,       /**< one reverse tree per destination, all destinations */
    WEIR_ROUTE_BIT_PARALLEL /**< bit-parallel multi-source breadth-first search; costs all equal */
} weir_route_algorithm;

typedef struct weir_routes_options {
    weir_metric metric;             /**< default WEIR_METRIC_HOPS */
    weir_route_algorithm algorithm; /**< default WEIR_ROUTE_AUTO */
    int threads;                    /**< default 0: as many as the machine has */
    uint64_t memory_limit_bytes;    /**< default 0: three quarters of physical memory */
} weir_routes_options;
WEIR_API void weir_routes_options_init(weir_routes_options *options);

/**
 * All-pairs canonical next-port table: one byte an entry, two where a degree exceeds 254.
 *
 * Returns: WEIR_OK; WEIR_E_NOMEM when the table exceeds the limit: the message says how much it needs and offers
 *          weir_route_tree for few destinations.
 */
WEIR_API WEIR_NODISCARD weir_status weir_routes_compute(weir_diag *diag, const weir_graph *graph,
                                                        const weir_routes_options *options, weir_routes **out);
WEIR_API void weir_routes_free(weir_routes *routes);
/** Port of `from` toward `to`; WEIR_NO_PORT where from = to or there is no way. Nodes must be in range. */
WEIR_API uint16_t weir_routes_port(const weir_routes *routes, uint32_t from, uint32_t to);
/** What was picked and why, for a progress line; belongs to the table. */
WEIR_API const char *weir_routes_how(const weir_routes *routes);
WEIR_API uint64_t weir_routes_bytes(const weir_routes *routes);

/**
 * All ports of `from` on shortest paths, given distances to one destination (from weir_route_tree).
 * Writes at most `max` ports in rising order and returns how many there are.
 */
WEIR_API uint32_t weir_route_equal_ports(const weir_graph *graph, const uint32_t *cost, const uint32_t *dist,
                                         uint32_t from, uint16_t *ports, uint32_t max);

#endif
