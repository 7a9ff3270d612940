/**
 * Routes: distances, canonical next ports, equal-cost sets, whole paths.
 *
 * Costs are integers from 1 to 2^56; path sums stay below WEIR_PATH_LIMIT, and a longer one is an error.
 * Nothing is rounded: the shortest path by the costs is the one that is found. Costs to 2^24, whose paths
 * stay below 2^31, take the faster algorithms of 32 and 16 bits. Tables are canonical: distances first, ports
 * after. port(i, j) is the lowest-numbered port of i to a neighbour v with cost(i, v) + dist(v, j) = dist(i,
 * j); the equal-cost set is all of them. So every algorithm and device gives the same table to the byte.
 *
 * Hosts: a node of role WEIR_HOST sends and receives and never forwards, however many links it has. A host
 * with one link could not be inside a path anyway; one with several keeps them all for its own traffic, and
 * no path leads through it.
 *
 * Links out of service: an edge whose cost is WEIR_COST_DOWN in either direction is not used in either
 * direction.
 *
 * Directions: an edge whose cost is WEIR_COST_NONE is not there, while its reverse is: a link leads one way.
 * The edges that a graph marks as missing cost that.
 *
 * Options: null for the defaults.
 *
 * Threads: a weir_routes is read-only after weir_routes_compute and may be asked by any number of threads.
 */
#ifndef WEIR_ROUTES_H
#define WEIR_ROUTES_H

#include <stddef.h>

#include "weir/graph.h"

/** Cost of an edge, or of a path: a distance. */
typedef uint64_t weir_cost;

#define WEIR_UNREACHABLE UINT32_MAX /**< in place of a number of edges: there is no way */
#define WEIR_NO_WAY UINT64_MAX      /**< the same in place of a distance */
#define WEIR_NO_PORT UINT16_MAX
#define WEIR_COST_MAX (UINT64_C(1) << 56)
#define WEIR_COST_DOWN UINT64_MAX
#define WEIR_COST_NONE (UINT64_MAX - 1)
/** Distances are below this. */
#define WEIR_PATH_LIMIT (UINT64_C(1) << 62)

typedef enum weir_metric {
    WEIR_METRIC_HOPS,        /**< every link costs 1 */
    WEIR_METRIC_DELAY,       /**< delay in units of weir_route_delay_unit */
    WEIR_METRIC_WEIGHT,      /**< the graph's weights */
    WEIR_METRIC_INVERSE_RATE /**< weir_route_reference_bps over the rate, rounded up */
} weir_metric;

/**
 * Cost of each directed edge under a metric: cost[n_edges], allocated with malloc, the caller's to free; of
 * missing edges WEIR_COST_NONE.
 *
 * Returns: WEIR_OK; a zero becomes 1 with a warning that counts the links; WEIR_E_ARG for a cost above 2^56
 * or for a rate or delay that is not given: the message names the link. *cost is null on failure.
 */
WEIR_API WEIR_NODISCARD weir_status weir_route_costs(weir_diag *diag, const weir_graph *graph,
                                                     weir_metric metric, weir_cost **cost);

/** What costs are under WEIR_METRIC_DELAY: cost / per * ps is the delay in picoseconds, without a
 * remainder. */
typedef struct weir_delay_unit {
    uint64_t ps;  /**< greatest common divisor of all delays; 1 where there is none above 0 */
    uint64_t per; /**< above what links of delay 0, which cost 1, can add up to on a path */
} weir_delay_unit;
/** The unit of a graph's delays. Unknown delays count as none. */
WEIR_API weir_delay_unit weir_route_delay_unit(const weir_graph *graph);

/** What costs are under WEIR_METRIC_INVERSE_RATE: so many b/s over the rate. The least multiple of 100 Gb/s that all
 * rates divide, such as 400 Gb/s where one is 400 Gb/s; 100 Tb/s where that would be above 10 Pb/s. */
WEIR_API uint64_t weir_route_reference_bps(const weir_graph *graph);

/** Work space for single trees of a graph, kept from call to call; one per thread. */
typedef struct weir_route_space weir_route_space;
/** A work space for this graph; null when memory is short. */
WEIR_API weir_route_space *weir_route_space_new(const weir_graph *graph);
/** Free a work space; accepts null. */
WEIR_API void weir_route_space_free(weir_route_space *space);

/**
 * The reverse tree of one destination: from every node, how far to `dst` and through which port first.
 *
 * Shapes:  cost: [n_edges]; dist: [n_nodes] or null (WEIR_NO_WAY where there is none);
 *          port: [n_nodes] or null (WEIR_NO_PORT at dst and where there is no way).
 * Method:  breadth-first search where all costs are equal, Dijkstra otherwise; on reversed edges.
 *          O(n_edges) for hops, O(n_edges log n_nodes) otherwise. Nothing is allocated.
 * Returns: WEIR_OK; WEIR_E_ARG for a node or cost out of range, a path sum of WEIR_PATH_LIMIT or more, or
 *          work space of a smaller graph; WEIR_E_UNSUPPORTED for a node of more than 65,535 links when ports
 *          are asked for. Contents of the arrays are unspecified on failure.
 */
WEIR_API WEIR_NODISCARD weir_status weir_route_tree(weir_diag *diag, const weir_graph *graph,
                                                    const weir_cost *cost, uint32_t dst,
                                                    weir_route_space *space, weir_cost *dist, uint16_t *port);

/** Trees on demand: weir_route_cache_new. */
typedef struct weir_route_cache weir_route_cache;

/**
 * Trees on demand: the port arrays of the destinations that were asked for last, as many as fit `max_bytes`
 * (at least one). For few destinations on large graphs, where a table would not fit. For one thread at a
 * time.
 *
 * Owner:   graph and cost [n_edges] stay the caller's and must outlive the cache.
 * Returns: WEIR_OK; WEIR_E_NOMEM; WEIR_E_UNSUPPORTED for a node of more than 65,535 links. *out is null then.
 */
WEIR_API WEIR_NODISCARD weir_status weir_route_cache_new(weir_diag *diag, const weir_graph *graph,
                                                         const weir_cost *cost, uint64_t max_bytes,
                                                         weir_route_cache **out);
/** Free a cache and its trees; accepts null. */
WEIR_API void weir_route_cache_free(weir_route_cache *cache);
/** *port becomes the tree's [n_nodes] ports, as weir_route_tree gives them; good until the next call. */
WEIR_API WEIR_NODISCARD weir_status weir_route_cache_ports(weir_diag *diag, weir_route_cache *cache,
                                                           uint32_t dst, const uint16_t **port);
/** Forget all trees: costs have changed. */
WEIR_API void weir_route_cache_forget(weir_route_cache *cache);
/** Trees that were computed so far. */
WEIR_API uint64_t weir_route_cache_computed(const weir_route_cache *cache);
/** How many trees the cache can hold at once. */
WEIR_API uint32_t weir_route_cache_room(const weir_route_cache *cache);

/**
 * Nix-vectors: a path as the port numbers on its way, for a flow to carry, so that no node needs a table.
 * Each takes the bits that its node's ports need, ceil(log2 of their number), none at a node of one port;
 * lowest bits first.
 */
typedef struct weir_nix {
    uint32_t n_hops;
    uint32_t n_bits; /**< of the vector; more than fit: it was not written whole */
} weir_nix;

/**
 * The nix-vector from one node to another: the path that tables and trees give.
 *
 * Shapes:  cost: [n_edges]; bits: [capacity_bytes], or null to be told n_bits.
 * Method:  searches from both ends that meet, then along the path. The first call adds 64 bytes a node to the work space.
 * Returns: WEIR_OK, with n_hops WEIR_UNREACHABLE where there is no way; WEIR_E_NOMEM; else as weir_route_tree, of costs that the
 *          search meets.
 */
WEIR_API WEIR_NODISCARD weir_status weir_nix_find(weir_diag *diag, const weir_graph *graph,
                                                  const weir_cost *cost, uint32_t from, uint32_t to,
                                                  weir_route_space *space, uint8_t *bits,
                                                  size_t capacity_bytes, weir_nix *nix);
/** Bits that a node of so many ports takes. */
WEIR_FN uint32_t weir_nix_width(uint32_t n_ports)
{
    uint32_t width = 0;
    while (width < 16 && n_ports > UINT32_C(1) << width)
        ++width;
    return width;
}
/** The port at a node of n_ports ports, and *at, the vector's first unread bit, behind it. */
WEIR_FN uint32_t weir_nix_next(const uint8_t *bits, uint32_t n_ports, uint32_t *at)
{
    uint32_t port = 0;
    const uint32_t width = weir_nix_width(n_ports);
    for (uint32_t b = 0; b < width; ++b, ++*at)
        port |= (uint32_t)(bits[*at / 8] >> *at % 8 & 1) << b;
    return port;
}

typedef struct weir_routes weir_routes;

typedef enum weir_route_algorithm {
    WEIR_ROUTE_AUTO,
    WEIR_ROUTE_TREES,        /**< one reverse tree per destination, all destinations */
    WEIR_ROUTE_BIT_PARALLEL, /**< bit-parallel multi-source breadth-first search; costs all equal */
    WEIR_ROUTE_BATCHED,      /**< multi-source relaxation, sources contiguous in memory; any costs */
    WEIR_ROUTE_FLOYD,        /**< blocked Floyd-Warshall; n^3 steps whatever the number of links */
    WEIR_ROUTE_FLOYD_PAPER /**< the CUDA kernel of paper 002, one launch per node: a baseline; on CUDA only */
} weir_route_algorithm;

/** Where a table is computed. The bytes are the same. */
typedef enum weir_route_device {
    WEIR_ROUTE_ON_CPU,
    WEIR_ROUTE_ON_CUDA, /**< WEIR_E_UNSUPPORTED where there is no device, or no CUDA in the build */
    WEIR_ROUTE_ON_ANY   /**< a CUDA device where there is one and the table is large enough to gain by it */
} weir_route_device;

typedef struct weir_routes_options {
    weir_metric metric; /**< default WEIR_METRIC_HOPS */
    /** [n_edges], 1 to 2^56, WEIR_COST_DOWN or WEIR_COST_NONE; default null: from the metric */
    const weir_cost *cost;
    weir_route_algorithm algorithm; /**< default WEIR_ROUTE_AUTO */
    weir_route_device device;       /**< default WEIR_ROUTE_ON_CPU */
    int cuda_device; /**< of WEIR_ROUTE_ON_CUDA, which makes it the thread's current one; default 0 */
    int threads;     /**< default 0: as many as OpenMP would take; 1 in a build without OpenMP */
    uint64_t memory_limit_bytes; /**< default 0: three quarters of physical memory */
    /** Called now and then from the calling thread with destinations done; default null. */
    void (*progress)(void *user, uint64_t done, uint64_t total);
    void *user;
    const volatile int *stop; /**< set to non-zero to give up with WEIR_E_INTERRUPTED; default null */
} weir_routes_options;
/** Every option at its default; call it before setting any. */
WEIR_API void weir_routes_options_init(weir_routes_options *options);

/**
 * All-pairs canonical next-port table: one byte an entry, two in rows of nodes of more than 255 links.
 *
 * Trees are pruned first: a node of degree one needs no row, and its column is its neighbour's; what then has
 * degree one goes too. A lookup answers through that form (weir_route_view), so a map with leaves takes much
 * less than n^2 bytes.
 *
 * Returns: WEIR_OK; WEIR_E_NOMEM when table and work space exceed the limit, or what a device has free: they
 *          have not been allocated then, and the message says how much it needs and offers another way;
 *          WEIR_E_ARG for a cost out of range, a path sum of WEIR_PATH_LIMIT or more between nodes that are
 *          not pruned, an algorithm that cannot take these costs, or a device asked for that cannot;
 *          WEIR_E_UNSUPPORTED for a node of more than 65,535 links, or for a device that is not there;
 *          WEIR_E_DEVICE where it fails; WEIR_E_INTERRUPTED. *out is null on failure.
 * Order:   the same bytes for any algorithm, device and number of threads.
 */
WEIR_API WEIR_NODISCARD weir_status weir_routes_compute(weir_diag *diag, const weir_graph *graph,
                                                        const weir_routes_options *options,
                                                        weir_routes **out);
/** Free a table of routes; accepts null. */
WEIR_API void weir_routes_free(weir_routes *routes);
/** Port of `from` toward `to`; WEIR_NO_PORT where from = to or there is no way. Nodes must be in range. */
WEIR_API uint16_t weir_routes_port(const weir_routes *routes, uint32_t from, uint32_t to);
/** What was picked and why, for a progress line; belongs to the table. */
WEIR_API const char *weir_routes_how(const weir_routes *routes);
/** Where the time of a computation went. */
typedef struct weir_routes_times {
    double prepare_s;  /**< costs, pruning, memory; sending the graph to a device */
    double distance_s; /**< distances, and ports where an algorithm finds both at once */
    double port_s;     /**< ports from distances, where that is a step of its own */
    double copy_s;     /**< fetching the table from a device */
} weir_routes_times;
/** How long computing the table took, in seconds of wall time, by its steps. */
WEIR_API weir_routes_times weir_routes_times_of(const weir_routes *routes);
/** Bytes that the table and its index take. */
WEIR_API uint64_t weir_routes_bytes(const weir_routes *routes);

/** A new cost of one directed edge, which is not WEIR_COST_NONE before or after; WEIR_COST_DOWN: the link
 * fails, in both directions. */
typedef struct weir_route_change {
    uint32_t edge;
    weir_cost cost;
} weir_route_change;

/** How much an update took. */
typedef struct weir_route_updated {
    uint32_t destinations; /**< columns of the table that were computed again, of n_core */
    uint32_t entries;      /**< single entries that were changed beside them */
    uint32_t moved;        /**< nodes of hanging trees that were cut off or joined again */
    bool whole;            /**< the whole table was computed anew */
} weir_route_updated;

/**
 * Change costs of links (failures, repairs, new weights) and compute again only what that affects.
 *
 * Method:  a destination is affected by a cost that rises if the edge was on a shortest path to it, and by
 *          one that falls if the edge now is on one, ties included; distances from the changed edges' ends,
 *          under the old costs, tell. (What no risen edge was on keeps its length; the last fallen edge of a
 *          path would be on a shortest one by itself.) For a single link whose change leaves distances alone,
 *          one entry of the table changes, not a column. A hanging tree's link that fails cuts a piece off,
 *          and its repair joins it again, in as many steps as the piece has nodes. The whole table is
 *          computed anew where a link that was down when it was computed leads to a hanging tree now, or
 *          where more than 32 pieces would be cut off at once. A failure or repair of a node is that of its
 *          links.
 * Shapes:  cost: [n_edges], those that `routes` was computed or last updated with; the changes are written to
 *          it.
 * Returns: WEIR_OK, and every port is what weir_routes_compute would give for the new costs (rows may be in
 *          another order, and trees may hang as they did); WEIR_E_ARG for an edge or cost out of range:
 *          nothing has changed then; WEIR_E_NOMEM, or WEIR_E_ARG for a path sum of WEIR_PATH_LIMIT or more:
 *          `cost` is as before, `routes` is for freeing only. `updated` may be null. Views taken before are
 *          no longer valid.
 */
WEIR_API WEIR_NODISCARD weir_status weir_routes_update(weir_diag *diag, weir_routes *routes,
                                                       const weir_graph *graph, weir_cost *cost,
                                                       const weir_route_change *changes, uint32_t n_changes,
                                                       const weir_routes_options *options,
                                                       weir_route_updated *updated);

/** Where a node stands in the pruned form of a table. */
typedef struct weir_route_node {
    /** row and column of the core node that the node's tree hangs from; its own in the core */
    uint32_t core;
    uint32_t enter; /**< preorder number within that tree; 0: the core node */
    uint32_t leave; /**< the node's subtree is enter <= number < leave */
    uint32_t kid;   /**< first of its kids in kid_enter and kid_port */
    uint16_t n_kids;
    uint16_t up; /**< port toward the core node; WEIR_NO_PORT in the core */
} weir_route_node;

/** A table as plain data, for models that run on any engine or device. The arrays belong to the
 * weir_routes. */
typedef struct weir_route_view {
    uint32_t n_nodes, n_core;
    uint32_t n_rows; /**< n_core, and spare ones: a piece that failed links cut off is numbered from n_core */
    const weir_route_node *node; /**< [n_nodes] */
    const uint64_t *row;         /**< [n_rows]: 2 * byte offset in table, + 1 where entries have two bytes */
    /** [n_bytes]: row a, column b: port of core node a toward core node b; all ones: none */
    const uint8_t *table;
    const uint32_t *kid_enter; /**< [n_nodes - n_core]: preorder number of each kid, rising within a parent */
    const uint16_t *kid_port;  /**< [n_nodes - n_core]: the parent's port to that kid */
    uint64_t n_bytes;
} weir_route_view;
/**
 * What a model needs to look ports up in the table, as plain pointers: the table's, as long as it lives.
 */
WEIR_API weir_route_view weir_routes_view(const weir_routes *routes);

/** weir_routes_port on a view. */
WEIR_FN uint16_t weir_route_view_port(const weir_route_view *view, uint32_t from, uint32_t to)
{
    const weir_route_node *const a = &view->node[from], *const b = &view->node[to];
    if (WEIR_LIKELY(a->core != b->core)) {
        const uint64_t row = view->row[a->core];
        const uint8_t *const entry = view->table + (row >> 1) + ((uint64_t)b->core << (row & 1));
        uint32_t port = entry[0];
        if (row & 1)
            port |= (uint32_t)entry[1] << 8;
        if (port == ((row & 1) ? 0xffffu : 0xffu))
            return WEIR_NO_PORT;
        return a->up == WEIR_NO_PORT ? (uint16_t)port : a->up;
    }
    if (from == to)
        return WEIR_NO_PORT;
    if (b->enter < a->enter || b->enter >= a->leave)
        return a->up;
    /* `to` is below `from`: the last kid that does not come after it leads there. */
    uint32_t low = a->kid, high = a->kid + a->n_kids;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (view->kid_enter[middle] <= b->enter)
            low = middle;
        else
            high = middle;
    }
    return view->kid_port[low];
}

/**
 * All ports of `from` on shortest paths, given distances to one destination (from weir_route_tree).
 * Writes at most `max` ports in rising order and returns how many there are; 0 at the destination and where
 * there is no way.
 */
WEIR_API uint32_t weir_route_equal_ports(const weir_graph *graph, const weir_cost *cost,
                                         const weir_cost *dist, uint32_t from, uint16_t *ports, uint32_t max);

/**
 * Which of `n` equal-cost ports a flow takes at a node: a number below n (n > 0).
 *
 * The flow's hash is mixed with the node's number, so that consecutive routers do not all make the same
 * choice (polarisation): h = flow_hash + 0x9e3779b9 * (node + 1), mixed by two rounds of xor-shift and odd
 * multiplication, all in 32 bits; the answer is h mod n. The same bits everywhere.
 */
WEIR_FN uint32_t weir_ecmp_pick(uint32_t flow_hash, uint32_t node, uint32_t n)
{
    uint32_t h = flow_hash + 0x9e3779b9u * (node + 1u);
    h = (h ^ (h >> 16)) * 0x7feb352du;
    h = (h ^ (h >> 15)) * 0x846ca68bu;
    h ^= h >> 16;
    return h % n;
}

/**
 * Whole paths, as the directed edges from `from` to `to`.
 *
 * Each writes at most `max` edges and returns how many the path has: 0 where from = to, WEIR_UNREACHABLE
 * where there is no way. The first follows a table; the second a port array of weir_route_tree (toward that
 * tree's destination); the third takes at each node one of the equal-cost ports by weir_ecmp_pick (dist of
 * weir_route_tree, whose destination has 0).
 */
WEIR_API uint32_t weir_routes_path(const weir_routes *routes, const weir_graph *graph, uint32_t from,
                                   uint32_t to, uint32_t *edges, uint32_t max);
/** By a tree's ports, towards its destination; as described above. */
WEIR_API uint32_t weir_route_path(const weir_graph *graph, const uint16_t *port, uint32_t from, uint32_t to,
                                  uint32_t *edges, uint32_t max);
/** Over ways of equal cost, of which the hash of the flow picks one at each node; as described above. */
WEIR_API uint32_t weir_route_path_ecmp(const weir_graph *graph, const weir_cost *cost, const weir_cost *dist,
                                       uint32_t from, uint32_t flow_hash, uint32_t *edges, uint32_t max);

#endif
