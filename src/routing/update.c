/* Routes after some links changed: which destinations are affected, and only those again. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "routing/algorithm/algorithm.h"
#include "base/memory.h"
#include "routing/search/tree.h"
#include "routing/core.h"
#include "routing/choose.h"
#include "routing/shared.h"

/* A batch algorithm takes over from single trees where so many of its destinations are affected. */
#define LANES_PER_TREE 32u

/* One update. Arrays over core nodes. */
typedef struct update {
    weir_diag *diag;
    weir_routes *routes;
    const wi_route_update *what;
    const weir_graph *graph;
    const weir_cost *before, *after; /* costs */
    wi_tree_space *space;
    uint8_t *affected;          /* 0 or 1 */
    weir_cost *from, *to, *way; /* distances from an edge's source, its target, a neighbour */
    uint16_t *port;
    uint32_t entries;
    bool no_memory;
} update;

static uint32_t source_of(const weir_graph *graph, uint32_t e)
{
    return graph->target[graph->reverse[e]];
}

static bool in_core(const update *u, uint32_t node)
{
    return u->routes->core.place[node].up == WEIR_NO_PORT;
}

static uint32_t core_of(const update *u, uint32_t node)
{
    return u->routes->core.place[node].core;
}

/* Distances from a core node to all, under the costs that the core is loaded with: the search from a
 * destination on the graph with all edges turned round. */
static bool distances_from(const update *u, uint32_t core_node, weir_cost *dist)
{
    wi_route_net turned = u->routes->core.net;
    const wi_route_net *const net = &u->routes->core.net;
    turned.first = net->in_first;
    turned.target = net->in_source;
    turned.cost = net->in_cost;
    turned.in_first = net->first;
    turned.in_source = net->target;
    turned.in_cost = net->cost;
    return wi_tree_distances(&turned, core_node, u->space, dist);
}

/* An edge of cost c from a node at `own` to one at `way` from destination j: on a shortest path, or on a
 * better one. */
static bool on_path(weir_cost own, weir_cost c, weir_cost way, bool router)
{
    return c != WEIR_COST_DOWN && way != WEIR_NO_WAY && (router || way == 0) && c + way <= own;
}

/* Mark what one directed edge affects, from u->from and u->to. */
static void mark(update *u, uint32_t e)
{
    const weir_cost old = wi_in_force(u->graph, u->before, e), new = wi_in_force(u->graph, u->after, e);
    const bool router = u->graph->role[u->graph->target[e]] == WEIR_ROUTER;
    const weir_cost c =
        old < new ? old : new; /* rising: it matters where it was in use; falling: where it would be */
    for (uint32_t j = 0; j < u->routes->core.net.n; ++j)
        if (on_path(u->from[j], c, u->to[j], router))
            u->affected[j] = 1;
}

static uint16_t table_port(const update *u, uint32_t row, uint32_t column)
{
    const uint8_t *const at = wi_table_at(&u->routes->table, row, column);
    if (wi_table_wide(&u->routes->table, row))
        return (uint16_t)(at[0] | at[1] << 8);
    return at[0] == 0xff ? WEIR_NO_PORT : at[0];
}

/* An entry is another now. */
static void note(update *u, uint32_t row, uint32_t column)
{
    wi_route_entries *const c = u->what->changed;
    if (!c)
        return;
    if (!wi_grow(&c->entry, &c->room, c->n + 1, sizeof *c->entry)) {
        u->no_memory = true;
        return;
    }
    c->entry[c->n][0] = row;
    c->entry[c->n++][1] = column;
}

static void set_port(update *u, uint32_t row, uint32_t column, uint16_t port)
{
    uint8_t *const at = wi_table_at(&u->routes->table, row, column);
    if (table_port(u, row, column) == port)
        return;
    at[0] = (uint8_t)port;
    if (wi_table_wide(&u->routes->table, row))
        at[1] = (uint8_t)(port >> 8);
    note(u, row, column);
}

/* Destinations that an edge of cost c is on a shortest path to, or on a better one. */
static uint32_t count_on_path(const update *u, weir_cost c, bool router)
{
    uint32_t count = 0;
    for (uint32_t j = 0; j < u->routes->core.net.n; ++j)
        count += on_path(u->from[j], c, u->to[j], router);
    return count;
}

/*
 * A single link's edge that fails or rises: where its source has another shortest way, distances stay, and
 * only the source's port may move to that. u->port becomes the lowest such port.
 */
static bool find_detours(update *u, uint32_t e)
{
    const wi_route_net *const net = &u->routes->core.net;
    const uint32_t s = core_of(u, source_of(u->graph, e));
    const uint32_t skipped = e - u->graph->first[source_of(u->graph, e)];
    for (uint32_t j = 0; j < net->n; ++j)
        u->port[j] = WEIR_NO_PORT;
    for (uint32_t k = net->first[s]; k < net->first[s + 1]; ++k) {
        if (net->port[k] == skipped)
            continue;
        if (!distances_from(u, net->target[k], u->way))
            return false;
        for (uint32_t j = 0; j < net->n; ++j)
            if (u->port[j] == WEIR_NO_PORT &&
                on_path(u->from[j], net->cost[k], u->way[j], net->role[net->target[k]] == WEIR_ROUTER))
                u->port[j] = net->port[k];
    }
    return true;
}

/* As mark, for the only link that changes; moves single ports where that is all that happens. */
static bool mark_single(update *u, uint32_t e)
{
    const wi_route_net *const net = &u->routes->core.net;
    const weir_cost old = wi_in_force(u->graph, u->before, e), new = wi_in_force(u->graph, u->after, e);
    const uint32_t s = core_of(u, source_of(u->graph, e)), n = net->n;
    const uint16_t own_port = (uint16_t)(e - u->graph->first[source_of(u->graph, e)]);
    const bool router = u->graph->role[u->graph->target[e]] == WEIR_ROUTER, falls = new < old;
    const weir_cost c = falls ? new : old;
    /* Detours take a search a neighbour; where that is no less than a tree a destination, do those. */
    if (!falls && net->first[s + 1] - net->first[s] > count_on_path(u, c, router)) {
        mark(u, e);
        return true;
    }
    if (!falls && !find_detours(u, e))
        return false;
    for (uint32_t j = 0; j < n; ++j) {
        if (!on_path(u->from[j], c, u->to[j], router))
            continue;
        const bool tie = falls ? c + u->to[j] == u->from[j] : u->port[j] != WEIR_NO_PORT;
        if (!tie) {
            u->affected[j] = 1;
            continue;
        }
        const uint16_t port = table_port(u, s, j);
        const uint16_t better =
            falls ? (own_port < port ? own_port : port) : (port == own_port ? u->port[j] : port);
        if (better == port)
            continue;
        ++u->entries;
        set_port(u, s, j, better);
    }
    return true;
}

/* Both directions of the changed links. False: a path sum was too long. */
static bool find_affected(update *u)
{
    const weir_graph *const g = u->graph;
    const weir_route_change *const changes = u->what->changes;
    uint32_t links = 0, last = UINT32_MAX;
    for (uint32_t k = 0; k < u->what->n_changes; ++k) {
        links += g->link[changes[k].edge] != last;
        last = g->link[changes[k].edge];
    }
    for (uint32_t k = 0; k < u->what->n_changes; ++k) {
        for (uint32_t side = 0; side < 2; ++side) {
            const uint32_t e = side ? g->reverse[changes[k].edge] : changes[k].edge;
            if (wi_in_force(g, u->before, e) == wi_in_force(g, u->after, e) || !in_core(u, source_of(g, e)) ||
                !in_core(u, g->target[e]))
                continue; /* a way up or down a tree that stays is the only one at any cost */
            if (!distances_from(u, core_of(u, source_of(g, e)), u->from) ||
                !distances_from(u, core_of(u, g->target[e]), u->to))
                return false;
            if (links > 1)
                mark(u, e);
            else if (!mark_single(u, e))
                return false;
        }
    }
    return true;
}

static bool again_by_tree(update *u, uint32_t column)
{
    const wi_route_net *const net = &u->routes->core.net;
    if (!wi_tree_distances(net, column, u->space, u->from))
        return false;
    wi_tree_ports(net, u->from, u->port);
    for (uint32_t i = 0; i < net->n; ++i)
        set_port(u, i, column, u->port[i]);
    return true;
}

/* n entries of a row from a column on, which were `before`. */
static void note_row(update *u, uint32_t row, uint32_t column, uint32_t n, const unsigned char *before)
{
    const size_t wide = wi_table_wide(&u->routes->table, row);
    const unsigned char *const now = wi_table_at(&u->routes->table, row, column);
    if (memcmp(before, now, n << wide) == 0)
        return;
    for (uint32_t k = 0; k < n; ++k)
        if (memcmp(before + (k << wide), now + (k << wide), 1u << wide) != 0)
            note(u, row, column + k);
}

/* A batch; 32 bits where 16 do not hold it. */
static bool again_by_batch(update *u, const wi_algorithm *algorithm, uint32_t dst, uint32_t n_dst)
{
    const wi_core *const core = &u->routes->core;
    const uint32_t rows = u->what->changed ? core->net.n : 0; /* that are compared */
    const size_t stride = n_dst * sizeof(uint16_t);
    WI_FREED unsigned char *const before = malloc(rows * stride + 1);
    wi_batch_end end = WI_BATCH_OVERFLOW;
    u->no_memory = !before;
    for (uint32_t i = 0; before && i < rows; ++i)
        memcpy(before + i * stride, wi_table_at(&u->routes->table, i, dst),
               (size_t)n_dst << wi_table_wide(&u->routes->table, i));
    for (; algorithm && end == WI_BATCH_OVERFLOW && !u->no_memory; algorithm = algorithm->wider) {
        void *const space = algorithm->space_new(algorithm, core);
        u->no_memory = !space;
        if (space)
            end = algorithm->batch(core, &u->routes->table, dst, n_dst, space);
        algorithm->space_free(space);
    }
    for (uint32_t i = 0; before && i < rows; ++i)
        note_row(u, i, dst, n_dst, before + i * stride);
    return end == WI_BATCH_DONE;
}

static bool compute_again(update *u, uint32_t *destinations)
{
    const uint32_t n = u->routes->core.net.n;
    weir_routes_options options;
    const char *reason;
    weir_routes_options_init(&options);
    const wi_algorithm *algorithm = wi_choose(&u->routes->core, &u->routes->table, &options, &reason);
    if (!algorithm->batch)
        algorithm = wi_fitting(&u->routes->core, &wi_batched16);
    for (uint32_t dst = 0; dst < n; dst += algorithm->lanes) {
        const uint32_t n_dst = n - dst < algorithm->lanes ? n - dst : algorithm->lanes;
        uint32_t count = 0;
        for (uint32_t k = 0; k < n_dst; ++k)
            count += u->affected[dst + k];
        *destinations += count;
        if (count > algorithm->lanes / LANES_PER_TREE) {
            if (!again_by_batch(u, algorithm, dst, n_dst))
                return false;
            continue;
        }
        for (uint32_t k = 0; k < n_dst; ++k)
            if (u->affected[dst + k] && !again_by_tree(u, dst + k))
                return false;
    }
    return true;
}

static weir_status update_columns(update *u, uint32_t *destinations)
{
    wi_core *const core = &u->routes->core;
    const size_t n = (size_t)core->net.n + 1;
    weir_status status = wi_core_reload(u->diag, u->graph, u->before, core);
    if (status != WEIR_OK)
        return status;
    u->space = wi_tree_space_new(core->net.n);
    u->affected = calloc(n, 1);
    u->from = malloc(n * sizeof *u->from);
    u->to = malloc(n * sizeof *u->to);
    u->way = malloc(n * sizeof *u->way);
    u->port = malloc(n * sizeof *u->port);
    if (!u->space || !u->affected || !u->from || !u->to || !u->way || !u->port)
        status = weir_fail(u->diag, WEIR_E_NOMEM, "no memory to update routes of %zu nodes", n - 1);
    else if (!find_affected(u))
        status = wi_too_long(u->diag, NULL);
    status = status ?: wi_core_reload(u->diag, u->graph, u->after, core);
    if (status == WEIR_OK && !compute_again(u, destinations))
        status = wi_too_long(u->diag, NULL);
    if (u->no_memory)
        status = weir_fail(u->diag, WEIR_E_NOMEM, "no memory to update routes of %zu nodes", n - 1);
    weir_route_space_free(u->space);
    free(u->affected);
    free(u->from);
    free(u->to);
    free(u->way);
    free(u->port);
    wi_core_free_net(core);
    return status;
}

static weir_status compute_anew(update *u)
{
    weir_routes_options same = *u->what->options;
    weir_routes *anew = NULL;
    same.cost = u->after;
    WI_RETURN_IF_FAILED(weir_routes_compute(u->diag, u->graph, &same, &anew));
    const weir_routes old = *u->routes;
    *u->routes = *anew;
    *anew = old;
    weir_routes_free(anew);
    return WEIR_OK;
}

static weir_status check_changes(weir_diag *diag, const wi_route_update *what)
{
    for (uint32_t k = 0; k < what->n_changes; ++k) {
        const uint32_t e = what->changes[k].edge;
        const weir_cost c = what->changes[k].cost;
        if (e >= what->graph->n_edges)
            return weir_fail(diag, WEIR_E_ARG,
                             "change %" PRIu32 " is of edge %" PRIu32 "; the graph has %" PRIu32, k, e,
                             what->graph->n_edges);
        const bool missing = what->cost[e] == WEIR_COST_NONE;
        if (missing != (c == WEIR_COST_NONE))
            return weir_fail(
                diag, WEIR_E_ARG,
                "change %" PRIu32 " is of edge %" PRIu32
                ", which %s: links keep their directions; a link fails by the edge that is there",
                k, e, missing ? "is not there" : "is to be there no more");
        if (c < WEIR_COST_NONE && (c == 0 || c > WEIR_COST_MAX))
            return weir_fail(diag, WEIR_E_ARG,
                             "edge %" PRIu32 " is to cost %" PRIu64 "; want 1 to %" PRIu64
                             " or WEIR_COST_DOWN",
                             e, c, WEIR_COST_MAX);
    }
    return WEIR_OK;
}

/* Some edge between core nodes costs something else now. */
static bool core_changes(const update *u)
{
    const weir_graph *const g = u->graph;
    for (uint32_t k = 0; k < u->what->n_changes; ++k) {
        const uint32_t e = u->what->changes[k].edge, back = g->reverse[e];
        if (in_core(u, g->target[e]) && in_core(u, g->target[back]) &&
            (wi_in_force(g, u->before, e) != wi_in_force(g, u->after, e) ||
             wi_in_force(g, u->before, back) != wi_in_force(g, u->after, back)))
            return true;
    }
    return false;
}

static weir_status apply(update *u, weir_route_updated *done)
{
    wi_cuts cuts = {.node = malloc(((size_t)u->what->n_changes + 1) * sizeof *cuts.node)};
    WI_FREED uint32_t *const stack = malloc(((size_t)u->graph->n_nodes + 1) * sizeof *stack);
    weir_status status = WEIR_OK;
    if (!cuts.node || !stack) {
        status = weir_fail(u->diag, WEIR_E_NOMEM, "no memory to update routes of %" PRIu32 " nodes",
                           u->graph->n_nodes);
    } else if (!wi_cuts_find(u->routes, u->what, u->after, &cuts)) {
        status = compute_anew(u);
        done->whole = true;
        done->destinations = u->routes->view.n_core;
    } else {
        if (core_changes(u))
            status = update_columns(u, &done->destinations);
        if (status == WEIR_OK)
            done->moved = wi_cuts_apply(u->routes, u->graph, u->after, &cuts, stack);
        done->entries = u->entries;
    }
    free(cuts.node);
    return status;
}

weir_status wi_routes_update(weir_diag *diag, weir_routes *routes, const wi_route_update *what,
                             weir_route_updated *updated)
{
    const uint32_t n_edges = what->graph->n_edges;
    weir_route_updated done = {0};
    WI_RETURN_IF_FAILED(check_changes(diag, what));
    weir_cost *const after = malloc(((size_t)n_edges + 1) * sizeof *after);
    if (!after)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for the costs of %" PRIu32 " edges", n_edges);
    memcpy(after, what->cost, n_edges * sizeof *after);
    for (uint32_t k = 0; k < what->n_changes; ++k)
        after[what->changes[k].edge] = what->changes[k].cost;
    update u = {.diag = diag,
                .routes = routes,
                .what = what,
                .graph = what->graph,
                .before = what->cost,
                .after = after};
    weir_status status = apply(&u, &done);
    if (status == WEIR_OK)
        memcpy(what->cost, after, n_edges * sizeof *after);
    if (status == WEIR_OK && updated)
        *updated = done;
    free(after);
    return status;
}

weir_status weir_routes_update(weir_diag *diag, weir_routes *routes, const weir_graph *graph, weir_cost *cost,
                               const weir_route_change *changes, uint32_t n_changes,
                               const weir_routes_options *options, weir_route_updated *updated)
{
    weir_routes_options usual;
    weir_routes_options_init(&usual);
    const wi_route_update what = {graph, cost, changes, n_changes, options ? options : &usual, NULL};
    return wi_routes_update(diag, routes, &what, updated);
}
