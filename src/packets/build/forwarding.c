/*
 * The forwarding table: for each router and each router that hosts hang on, the port (or the set of
 * equal-cost ports).
 *
 * Only routers that traffic goes to are columns, so that a large graph with few destinations stays small, and
 * hosts, which forward nothing, have no rows. Few columns come from one reverse tree each; many from the
 * all-pairs table. With ECMP an entry numbers one of the router's sets of ports: routers have few different
 * sets, so a byte is nearly always enough.
 */
#include <stdlib.h>
#include <string.h>

#include "packets/build/forwarding.h"
#include "base/memory.h"

enum { TREES_ARE_FEW = 64, PAIRS_ARE_SMALL = 1 << 14 };

static uint32_t degree(const weir_graph *g, uint32_t node)
{
    return g->first[node + 1] - g->first[node];
}

bool wi_net_forwarding_reaches(const wi_net_forwarding *f, uint32_t router, uint32_t column)
{
    return f->router_node[router] == f->column_node[column] ||
           wi_net_forwarding_get(f, router, column) != WEIR_NO_PORT;
}

/* A router's sets of equal-cost ports while they are collected. */
struct wi_net_port_sets {
    uint32_t *bounds; /* of all sets, router by router while columns come one after another: index pairs */
    uint16_t *ports;
    uint32_t n, n_ports;
    size_t room[4];          /* of bounds, next, number, ports */
    uint32_t *head;          /* [n_routers] newest set of each router, plus 1 */
    uint32_t *next, *number; /* [sets] older set of the same router, plus 1; number within the router */
};
typedef struct wi_net_port_sets port_sets;

static void sets_free(port_sets *s)
{
    if (!s)
        return;
    free(s->bounds);
    free(s->ports);
    free(s->next);
    free(s->number);
    free(s->head);
    free(s);
}

static bool sets_grow(port_sets *s, uint32_t more_ports)
{
    const size_t n = s->n;
    return wi_grow_zeroed(&s->bounds, &s->room[0], n + 2, sizeof *s->bounds) &&
           wi_grow(&s->next, &s->room[1], n + 1, sizeof *s->next) &&
           wi_grow(&s->number, &s->room[2], n + 1, sizeof *s->number) &&
           wi_grow(&s->ports, &s->room[3], (size_t)s->n_ports + more_ports, sizeof *s->ports);
}

/* The number of a set of ports within its router, adding it when new; UINT32_MAX when memory is short. */
static uint32_t sets_number(port_sets *s, uint32_t router, const uint16_t *ports, uint32_t n)
{
    for (uint32_t i = s->head[router]; i; i = s->next[i - 1]) {
        const uint32_t from = s->bounds[i - 1], to = s->bounds[i];
        if (to - from == n && memcmp(s->ports + from, ports, n * sizeof *ports) == 0)
            return s->number[i - 1];
    }
    if (!sets_grow(s, n))
        return UINT32_MAX;
    const uint32_t newest = s->head[router], i = s->n++;
    s->bounds[i] = s->n_ports;
    memcpy(s->ports + s->n_ports, ports, n * sizeof *ports);
    s->n_ports += n;
    s->bounds[i + 1] = s->n_ports;
    s->number[i] = newest ? s->number[newest - 1] + 1 : 0;
    s->next[i] = newest;
    s->head[router] = i + 1;
    return s->number[i];
}

/* Lay the sets out router by router. Bounds of router r: set_bounds[set_first[r] ..], one more than its sets.
 */
static int sets_finish(const port_sets *s, wi_net_forwarding *f)
{
    f->set_first = calloc(f->n_routers, sizeof *f->set_first);
    f->set_bounds = malloc(((size_t)s->n + f->n_routers) * sizeof *f->set_bounds);
    f->set_ports = malloc((size_t)(s->n_ports + 1) * sizeof *f->set_ports);
    WI_FREED uint32_t *order = malloc((size_t)(s->n + 1) * sizeof *order);
    if (!f->set_first || !f->set_bounds || !f->set_ports || !order)
        return 0;
    uint32_t at = 0, ports = 0;
    for (uint32_t r = 0; r < f->n_routers; r++) {
        const uint32_t n = s->head[r] ? s->number[s->head[r] - 1] + 1 : 0;
        for (uint32_t i = s->head[r]; i; i = s->next[i - 1])
            order[s->number[i - 1]] = i - 1;
        f->set_first[r] = at;
        f->set_bounds[at++] = ports;
        for (uint32_t k = 0; k < n; k++) {
            const uint32_t from = s->bounds[order[k]], size = s->bounds[order[k] + 1] - from;
            memcpy(f->set_ports + ports, s->ports + from, size * sizeof *s->ports);
            ports += size;
            f->set_bounds[at++] = ports;
        }
    }
    f->n_sets = at;
    f->n_set_ports = ports;
    return 1;
}

/* Columns that `touched` marks, or all of them. */
static weir_status by_trees(weir_diag *diag, wi_net_forwarding *f, const unsigned char *touched)
{
    const weir_graph *g = f->graph;
    weir_route_space *space = weir_route_space_new(g);
    WI_FREED uint16_t *port = malloc((size_t)g->n_nodes * sizeof *port);
    weir_status status = space && port ? WEIR_OK : weir_fail(diag, WEIR_E_NOMEM, "no memory for routes");
    for (uint32_t c = 0; c < f->n_columns && status == WEIR_OK; c++) {
        if (touched && !touched[c])
            continue;
        status = weir_route_tree(diag, g, f->cost, f->column_node[c], space, NULL, port);
        for (uint32_t r = 0; r < f->n_routers && status == WEIR_OK; r++)
            wi_net_forwarding_put(f, r, c, port[f->router_node[r]]);
    }
    weir_route_space_free(space);
    return status;
}

static uint32_t most_ports(const wi_net_forwarding *f)
{
    uint32_t most = 0;
    for (uint32_t r = 0; r < f->n_routers; r++)
        most = degree(f->graph, f->router_node[r]) > most ? degree(f->graph, f->router_node[r]) : most;
    return most;
}

/* Distances to one destination, and room for as many ports as any router has. */
typedef struct equal_space {
    const weir_cost *dist;
    uint16_t *ports;
    uint32_t most;
} equal_space;

/* The set of equal-cost ports of one router toward the destination of `dist`, as an entry of the table. */
static weir_status put_set(weir_diag *diag, wi_net_forwarding *f, uint32_t r, uint32_t c,
                           const equal_space *s)
{
    const uint32_t node = f->router_node[r];
    if (node == f->column_node[c] || s->dist[node] == WEIR_NO_WAY) {
        wi_net_forwarding_put(f, r, c, WEIR_NO_PORT);
        return WEIR_OK;
    }
    const uint32_t n = weir_route_equal_ports(f->graph, f->cost, s->dist, node, s->ports, s->most);
    const uint32_t number = sets_number(f->sets, r, s->ports, n);
    if (number >= WEIR_NO_PORT)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory, or too many sets of equal-cost ports, at node '%s'",
                         f->graph->name[node]);
    wi_net_forwarding_put(f, r, c, number);
    return WEIR_OK;
}

static weir_status by_equal_cost(weir_diag *diag, wi_net_forwarding *f)
{
    const weir_graph *g = f->graph;
    const uint32_t most = most_ports(f);
    weir_route_space *space = weir_route_space_new(g);
    WI_FREED weir_cost *dist = malloc((size_t)g->n_nodes * sizeof *dist);
    WI_FREED uint16_t *ports = malloc(((size_t)most + 1) * sizeof *ports);
    weir_status status = WEIR_OK;
    if (!space || !dist || !ports)
        status = weir_fail(diag, WEIR_E_NOMEM, "no memory for equal-cost routes");
    for (uint32_t c = 0; c < f->n_columns && status == WEIR_OK; c++) {
        status = weir_diag_stopped(diag)
                     ? weir_fail(diag, WEIR_E_INTERRUPTED, "stopped while computing routes")
                     : weir_route_tree(diag, g, f->cost, f->column_node[c], space, dist, NULL);
        for (uint32_t r = 0; r < f->n_routers && status == WEIR_OK; r++)
            status = put_set(diag, f, r, c, &(equal_space){dist, ports, most});
    }
    weir_route_space_free(space);
    return status;
}

static weir_status by_all_pairs(weir_diag *diag, wi_net_forwarding *f)
{
    const weir_status status = wi_net_all_pairs(diag, f);
    if (status == WEIR_OK)
        wi_net_copy_all_pairs(f);
    if (!f->will_change)
        wi_net_free_all_pairs(f);
    return status;
}

weir_status wi_net_forwarding_costs(weir_diag *diag, wi_net_forwarding *f)
{
    f->entry_bytes = most_ports(f) < UINT8_MAX && !f->ecmp ? 1 : 2;
    return weir_route_costs(diag, f->graph, f->metric, &f->cost);
}

bool wi_net_forwarding_by_pairs(const wi_net_forwarding *f)
{
    /* A leaf's failure touches every tree, and one entry of each: where links will fail, the table of all pairs
     * is worth its time sooner, as long as it is small. */
    const bool many =
        f->n_columns > f->graph->n_nodes / 8 || (f->will_change && f->graph->n_nodes <= PAIRS_ARE_SMALL);
    return !f->ecmp && f->n_columns > TREES_ARE_FEW && many;
}

weir_status wi_net_forwarding_compute(weir_diag *diag, wi_net_forwarding *f)
{
    const size_t bytes = (size_t)f->n_routers * f->n_columns * f->entry_bytes;
    f->table = malloc(bytes ? bytes : 1);
    if (!f->table)
        return weir_fail(diag, WEIR_E_NOMEM,
                         "no memory for a forwarding table of %u routers and %u destinations (%.1f MB)",
                         f->n_routers, f->n_columns, (double)bytes / 1e6);
    if (f->ecmp) {
        f->sets = calloc(1, sizeof *f->sets);
        if (!f->sets || !(f->sets->head = calloc((size_t)f->n_routers + 1, sizeof *f->sets->head)))
            return weir_fail(diag, WEIR_E_NOMEM, "no memory for equal-cost routes");
        return by_equal_cost(diag, f);
    }
    return wi_net_forwarding_by_pairs(f) ? by_all_pairs(diag, f) : by_trees(diag, f, NULL);
}

/* Columns that changes of cost touch. An edge that fails touches those that its router reaches through it;
 * one that comes back may touch all. */
static void mark_touched(const wi_net_forwarding *f, const weir_route_change *changes, uint32_t n,
                         unsigned char *touched)
{
    const weir_graph *g = f->graph;
    for (uint32_t i = 0; i < n; i++) {
        if (changes[i].cost != WEIR_COST_DOWN) {
            memset(touched, 1, f->n_columns);
            return;
        }
        for (uint32_t r = 0; r < f->n_routers; r++) {
            const uint32_t node = f->router_node[r], e = changes[i].edge;
            for (uint32_t c = 0; e >= g->first[node] && e < g->first[node + 1] && c < f->n_columns; c++)
                touched[c] |= wi_net_forwarding_get(f, r, c) == e - g->first[node];
        }
    }
}

static weir_status change_trees(weir_diag *diag, wi_net_forwarding *f, const weir_route_change *changes,
                                uint32_t n)
{
    WI_FREED unsigned char *touched = calloc((size_t)f->n_columns + 1, 1);
    if (!touched)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for routes");
    mark_touched(f, changes, n, touched);
    for (uint32_t i = 0; i < n; i++)
        f->cost[changes[i].edge] = changes[i].cost;
    return by_trees(diag, f, touched);
}

weir_status wi_net_forwarding_change(weir_diag *diag, wi_net_forwarding *f, const weir_route_change *changes,
                                     uint32_t n)
{
    weir_status status;
    f->logging = true;
    if (f->ecmp) {
        for (uint32_t i = 0; i < n; i++)
            f->cost[changes[i].edge] = changes[i].cost;
        status = by_equal_cost(diag, f);
    } else if (f->routes) {
        status = wi_net_change_all_pairs(diag, f, changes, n);
    } else {
        status = change_trees(diag, f, changes, n);
    }
    f->logging = false;
    if (status == WEIR_OK && f->no_memory)
        status = weir_fail(diag, WEIR_E_NOMEM, "no memory for %llu changed routes",
                           (unsigned long long)f->n_changed);
    return status;
}

weir_status wi_net_forwarding_finish(weir_diag *diag, wi_net_forwarding *f)
{
    if (f->ecmp && !f->borrowed && !sets_finish(f->sets, f))
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for equal-cost routes");
    return WEIR_OK;
}

void wi_net_forwarding_free(wi_net_forwarding *f)
{
    free(f->cost);
    free(f->changed);
    wi_net_free_all_pairs(f);
    sets_free(f->sets);
    if (!f->borrowed) {
        free(f->table);
        free(f->set_first);
        free(f->set_bounds);
        free(f->set_ports);
    }
    wi_common_release(f->thing);
}
