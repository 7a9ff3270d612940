/*
 * Pruning: trees that hang from the graph go, level by level, until nothing has degree one. What is left is
 * the core.
 *
 * Paths from a pruned node lead up its one way, paths to it lead to where its tree hangs; so the table needs
 * rows and columns of core nodes only. Nothing is pruned onto a host: the path would lead through it, and
 * hosts do not forward.
 */
#include "routing/algorithm/algorithm.h"
#include "base/memory.h"
#include "routing/search/tree.h"
#include "routing/core.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"

/* Work arrays of one pruning, all [n_nodes]. */
typedef struct prune {
    uint32_t *degree; /* usable links to nodes not pruned */
    uint32_t *parent; /* of pruned nodes; own number: not pruned */
    uint32_t *order;  /* pruned nodes, kids before parents; the queue is behind the first n_pruned of them */
    uint32_t *size;   /* nodes in the subtree */
    uint32_t *next;   /* preorder number that the next kid gets */
    uint16_t *down;   /* port of the parent to a pruned node */
    uint32_t n_pruned;
} prune;

static bool prune_new(prune *p, wi_owned *memory, size_t n)
{
    *p = (prune){.degree = wi_take(memory, n, sizeof *p->degree),
                 .parent = wi_take(memory, n, sizeof *p->parent),
                 .order = wi_take(memory, n, sizeof *p->order),
                 .size = wi_take(memory, n, sizeof *p->size),
                 .next = wi_take(memory, n, sizeof *p->next),
                 .down = wi_take(memory, n, sizeof *p->down)};
    return !memory->failed;
}

/* Whether the edge's link leads either way. */
static bool joins(const wi_route_net *net, uint32_t e)
{
    return wi_edge_usable(net, e) || wi_edge_usable(net, net->reverse[e]);
}

/* The edge to the one neighbour that is not pruned. */
static uint32_t last_edge(const wi_route_net *net, const prune *p, uint32_t x)
{
    for (uint32_t e = net->first[x]; e < net->first[x + 1]; ++e)
        if (joins(net, e) && p->parent[net->target[e]] == net->target[e])
            return e;
    return UINT32_MAX;
}

/* Find the trees: parent, order, size, down; up and n_kids of the places. */
static void find_trees(const wi_route_net *net, prune *p, weir_route_node *place)
{
    uint32_t *const queue = p->next; /* not needed before place_trees */
    uint32_t head = 0, tail = 0;
    for (uint32_t i = 0; i < net->n; ++i) {
        p->parent[i] = i;
        p->size[i] = 1;
        place[i] = (weir_route_node){.up = WEIR_NO_PORT};
        for (uint32_t e = net->first[i]; e < net->first[i + 1]; ++e)
            p->degree[i] += joins(net, e);
        if (p->degree[i] == 1)
            queue[tail++] = i;
    }
    while (head < tail) {
        const uint32_t x = queue[head++];
        if (p->degree[x] != 1)
            continue; /* the other of the last two nodes went first */
        const uint32_t e = last_edge(net, p, x), parent = net->target[e];
        if (net->role[parent] == WEIR_HOST || !wi_edge_usable(net, e) ||
            !wi_edge_usable(net, net->reverse[e]))
            continue; /* who hangs by a one-way link has not both a way up and one down */
        p->parent[x] = parent;
        p->order[p->n_pruned++] = x;
        p->size[parent] += p->size[x];
        p->down[x] = (uint16_t)(net->reverse[e] - net->first[parent]);
        place[x].up = (uint16_t)(e - net->first[x]);
        ++place[parent].n_kids;
        if (--p->degree[parent] == 1)
            queue[tail++] = parent;
    }
}

/* Number the trees in preorder and list the kids; place[].core of core nodes is set. */
static void place_trees(prune *p, uint32_t n, wi_core *core)
{
    uint32_t slot = 0;
    for (uint32_t i = 0; i < n; ++i) {
        core->place[i].kid = slot;
        slot += core->place[i].n_kids;
        if (p->parent[i] == i) {
            core->place[i].leave = p->size[i];
            p->next[i] = 1;
        }
        p->degree[i] = 0; /* from here: kids listed */
    }
    for (uint32_t k = p->n_pruned; k-- > 0;) {
        const uint32_t x = p->order[k], parent = p->parent[x];
        weir_route_node *const at = &core->place[x];
        at->core = core->place[parent].core;
        at->enter = p->next[parent];
        at->leave = at->enter + p->size[x];
        p->next[parent] = at->leave;
        p->next[x] = at->enter + 1;
        const uint32_t kid = core->place[parent].kid + p->degree[parent]++;
        core->kid_enter[kid] = at->enter;
        core->kid_port[kid] = p->down[x];
    }
}

/* A node of the core, by its distance from the middle. */
typedef struct ranked {
    weir_cost dist;
    uint32_t node;
} ranked;

WI_ORDER_BY(by_distance, ranked, WI_ORDER(x->dist, y->dist) ?: WI_ORDER(x->node, y->node))

static uint64_t rank_as_hub(const wi_route_net *graph, const prune *p, uint32_t i)
{
    if (p->parent[i] != i)
        return 0;
    return graph->role[i] == WEIR_HOST ? 1 : 2 + (uint64_t)p->degree[i];
}

/*
 * Number the core from its middle outwards: by distance to the node with most links. Shortest paths then
 * mostly run down in number and up again, which the sweeps of the batched relaxation follow; and the rows
 * read most lie together.
 */
static weir_status number_core(weir_diag *diag, const wi_route_net *graph, const prune *p, wi_core *core)
{
    const uint32_t n = graph->n;
    uint32_t hub = 0, n_core = 0;
    WI_FREED weir_cost *const dist = malloc(((size_t)n + 1) * sizeof *dist);
    WI_FREED ranked *const rank = malloc(((size_t)n + 1) * sizeof *rank);
    wi_tree_space *const space = wi_tree_space_new(n);
    weir_status status = WEIR_OK;
    if (!dist || !rank || !space) {
        status = weir_fail(diag, WEIR_E_NOMEM, "no memory to order %" PRIu32 " nodes for routing", n);
        goto done;
    }
    for (uint32_t i = 1; i < n; ++i)
        if (rank_as_hub(graph, p, i) > rank_as_hub(graph, p, hub))
            hub = i;
    if (n > 0 && !wi_tree_distances(graph, hub, space, dist))
        core->reach = WEIR_PATH_LIMIT;
    for (uint32_t i = 0; i < n; ++i) {
        if (p->parent[i] != i)
            continue;
        if (dist[i] != WEIR_NO_WAY && dist[i] > core->reach)
            core->reach = dist[i];
        rank[n_core++] = (ranked){dist[i], i};
    }
    qsort(rank, n_core, sizeof *rank, by_distance);
    for (uint32_t c = 0; c < n_core; ++c)
        core->place[rank[c].node].core = c;
done:
    weir_route_space_free(space);
    return status;
}

/* Edges of the core between nodes of it, by the node that they leave or, with `into`, enter. */
typedef struct core_edges {
    uint32_t *first, *other;
    weir_cost *cost, *back; /* of the edge, and of its link's other one */
    uint16_t *port;
    bool one_way; /* of some link only one direction is there */
} core_edges;

static bool core_edges_new(core_edges *c, size_t n_core, size_t n_edges)
{
    *c = (core_edges){.first = malloc((n_core + 1) * sizeof *c->first),
                      .other = malloc((n_edges + 1) * sizeof *c->other),
                      .cost = malloc((n_edges + 1) * sizeof *c->cost),
                      .back = malloc((n_edges + 1) * sizeof *c->back),
                      .port = malloc((n_edges + 1) * sizeof *c->port)};
    return c->first && c->other && c->cost && c->back && c->port;
}

static void list_edges(const wi_route_net *graph, const weir_route_node *place, const uint32_t *node,
                       uint32_t n_core, bool into, core_edges *c)
{
    uint32_t at = 0;
    c->first[0] = 0;
    for (uint32_t k = 0; k < n_core; ++k) {
        const uint32_t i = node[k];
        for (uint32_t e = graph->first[i]; e < graph->first[i + 1]; ++e) {
            const uint32_t v = graph->target[e], back = graph->reverse[e];
            if (place[v].up != WEIR_NO_PORT)
                continue;
            const bool out = wi_edge_usable(graph, e), in = wi_edge_usable(graph, back);
            c->one_way |= out != in;
            if (!(into ? in : out))
                continue;
            c->other[at] = place[v].core;
            c->cost[at] = graph->cost[into ? back : e];
            c->back[at] = graph->cost[into ? e : back];
            c->port[at] = (uint16_t)(e - graph->first[i]);
            at++;
        }
        c->first[k + 1] = at;
    }
}

/* Costs for algorithms of 32 bits; null when memory is short. */
static uint32_t *narrow(const weir_cost *cost, size_t n)
{
    uint32_t *const narrowed = malloc((n + 1) * sizeof *narrowed);
    for (size_t e = 0; narrowed && e < n; ++e)
        narrowed[e] = (uint32_t)cost[e];
    return narrowed;
}

/* The core's own edges, in the numbering of its places: those that are usable under the graph's costs. */
static weir_status copy_core(weir_diag *diag, const wi_route_net *graph, uint32_t n_core, wi_core *core)
{
    const weir_route_node *const place = core->place;
    WI_FREED uint32_t *const node = malloc(((size_t)n_core + 1) * sizeof *node);
    size_t n_edges = 0;
    for (uint32_t i = 0; node && i < graph->n; ++i) {
        if (place[i].up != WEIR_NO_PORT)
            continue;
        node[place[i].core] = i;
        n_edges += graph->first[i + 1] - graph->first[i]; /* at most */
    }
    core_edges from, into = {0};
    uint8_t *const role = malloc((size_t)n_core + 1);
    bool good = core_edges_new(&from, n_core, n_edges) && node && role;
    if (good)
        list_edges(graph, place, node, n_core, false, &from);
    if (good && from.one_way && (good = core_edges_new(&into, n_core, n_edges)))
        list_edges(graph, place, node, n_core, true, &into);
    for (uint32_t c = 0; good && c < n_core; ++c)
        role[c] = graph->role[node[c]];
    /* Where all links lead both ways, the edges into a node lie as those from it. */
    wi_route_net *const net = &core->net;
    *net = (wi_route_net){.n = n_core,
                          .n_edges = good ? from.first[n_core] : 0,
                          .first = from.first,
                          .target = from.other,
                          .cost = from.cost,
                          .in_first = from.one_way ? into.first : from.first,
                          .in_source = from.one_way ? into.other : from.other,
                          .in_cost = from.one_way ? into.cost : from.back,
                          .role = role,
                          .port = from.port};
    if (good)
        net->costs = wi_net_costs(net);
    if (good && net->costs.high <= WI_COST32_MAX) {
        net->cost32 = narrow(net->cost, net->n_edges);
        net->in_cost32 = narrow(net->in_cost, net->n_edges);
        good = net->cost32 && net->in_cost32;
    }
    if (from.one_way)
        free(from.back);
    free(into.back);
    free(into.port);
    return good ? WEIR_OK : weir_fail(diag, WEIR_E_NOMEM, "no memory for %zu edges to route over", n_edges);
}

weir_status wi_core_reload(weir_diag *diag, const weir_graph *graph, const weir_cost *cost, wi_core *core)
{
    const wi_route_net net = wi_net_of(graph, cost);
    wi_core_free_net(core);
    return copy_core(diag, &net, core->net.n, core);
}

static weir_status check_graph(weir_diag *diag, const weir_graph *graph, const weir_cost *cost)
{
    for (uint32_t e = 0; e < graph->n_edges; ++e) {
        if (cost[e] < WEIR_COST_NONE && (cost[e] == 0 || cost[e] > WEIR_COST_MAX))
            return weir_fail(diag, WEIR_E_ARG,
                             "edge %" PRIu32 " costs %" PRIu64 "; want 1 to %" PRIu64 " or WEIR_COST_DOWN", e,
                             cost[e], WEIR_COST_MAX);
        if (!weir_edge_exists(graph, e) && cost[e] < WEIR_COST_NONE)
            return weir_fail(diag, WEIR_E_ARG,
                             "edge %" PRIu32 " is the direction that its link lacks; it costs WEIR_COST_NONE",
                             e);
    }
    return wi_check_ports(diag, graph);
}

weir_status wi_core_build(weir_diag *diag, const weir_graph *graph, const weir_cost *cost, wi_core *core)
{
    const uint32_t n = graph->n_nodes;
    wi_route_net net = wi_net_of(graph, cost);
    prune p = {0};
    WI_ENDED(wi_owned_free) wi_owned memory = {0};
    memset(core, 0, sizeof *core);
    WI_RETURN_IF_FAILED(check_graph(diag, graph, cost));
    core->place = malloc(((size_t)n + 1) * sizeof *core->place);
    const bool whole = core->place && prune_new(&p, &memory, (size_t)n + 1);
    if (whole) {
        net.costs = wi_net_bounds(&net);
        find_trees(&net, &p, core->place);
        core->kid_enter = malloc(((size_t)p.n_pruned + 1) * sizeof *core->kid_enter);
        core->kid_port = malloc(((size_t)p.n_pruned + 1) * sizeof *core->kid_port);
    }
    const weir_status status =
        core->kid_enter && core->kid_port
            ? number_core(diag, &net, &p, core) ?: copy_core(diag, &net, n - p.n_pruned, core)
            : weir_fail(diag, WEIR_E_NOMEM, "no memory to prune %" PRIu32 " nodes for routing", n);
    if (status == WEIR_OK)
        place_trees(&p, n, core);
    else
        wi_core_free(core);
    return status;
}

void wi_core_free_net(wi_core *core)
{
    if (core->net.in_first != core->net.first) {
        free((void *)core->net.in_first);
        free((void *)core->net.in_source);
    }
    free((void *)core->net.first);
    free((void *)core->net.target);
    free((void *)core->net.cost);
    free((void *)core->net.in_cost);
    free((void *)core->net.cost32);
    free((void *)core->net.in_cost32);
    free((void *)core->net.port);
    free((void *)core->net.role);
    core->net = (wi_route_net){.n = core->net.n};
}

void wi_core_free(wi_core *core)
{
    wi_core_free_net(core);
    free(core->place);
    free(core->kid_enter);
    free(core->kid_port);
    memset(core, 0, sizeof *core);
}
