/* Routes of all pairs, which networks have in common where graph and costs are the same, and the table that follows them. */
#include <stdlib.h>
#include <string.h>

#include "packets/build/forwarding.h"
#include "base/memory.h"
#include "routing/shared.h"

static weir_status compute(weir_diag *diag, const wi_net_forwarding *f, weir_routes **out)
{
    weir_routes_options options;
    weir_routes_options_init(&options);
    options.stop = weir_diag_stop(diag);
    options.cost = f->cost;
    return weir_routes_compute(diag, f->graph, &options, out);
}

static weir_status make_pairs(weir_diag *diag, void *user, void **made, uint64_t *bytes)
{
    weir_routes *routes;
    const weir_status status = compute(diag, user, &routes);
    *made = routes;
    *bytes = routes ? weir_routes_bytes(routes) : 0;
    return status;
}

static void free_made(void *made)
{
    weir_routes_free(made);
}

wi_common_key wi_net_costs_key(const wi_net_forwarding *f, const char *what)
{
    wi_common_key key = f->graph_key;
    wi_common_key_fold(&key, what, strlen(what));
    wi_common_key_fold(&key, f->cost, f->graph->n_edges * sizeof *f->cost);
    return key;
}

static weir_status share(weir_diag *diag, wi_net_forwarding *f)
{
    static const wi_common_kind kind = {make_pairs, free_made};
    const wi_common_key key = wi_net_costs_key(f, "routes of all pairs");
    WI_RETURN_IF_FAILED(wi_common_acquire(f->shared, diag, &kind, &key, f, &f->pairs));
    f->routes = (weir_routes *)(uintptr_t)wi_common_made(f->pairs);
    if (!f->will_change)
        return WEIR_OK;
    f->routes = wi_routes_clone(f->routes);
    wi_common_release(f->pairs);
    f->pairs = NULL;
    return f->routes ? WEIR_OK : weir_fail(diag, WEIR_E_NOMEM, "no memory for a copy of routes");
}

weir_status wi_net_all_pairs(weir_diag *diag, wi_net_forwarding *f)
{
    return f->shared ? share(diag, f) : compute(diag, f, &f->routes);
}

void wi_net_free_all_pairs(wi_net_forwarding *f)
{
    if (f->pairs)
        wi_common_release(f->pairs);
    else
        weir_routes_free(f->routes);
    f->pairs = NULL;
    f->routes = NULL;
}

void wi_net_copy_all_pairs(wi_net_forwarding *f)
{
    for (uint32_t r = 0; r < f->n_routers; r++)
        for (uint32_t c = 0; c < f->n_columns; c++)
            wi_net_forwarding_put(f, r, c, weir_routes_port(f->routes, f->router_node[r], f->column_node[c]));
}

/*
 * Routers, or destinations, by the core node that their trees hang from: entries from one tree to another depend on the
 * two core nodes alone, but for the port of the core node itself, which comes first. Those that the change moves to another
 * core node are left out.
 */
typedef struct by_core {
    uint32_t *first; /* [n_core + 1] */
    uint32_t *at;    /* numbers of routers or columns */
} by_core;

/* Nodes' places before and after a change. */
typedef struct moving {
    wi_owned memory; /* of the arrays below */
    wi_net_forwarding *f;
    weir_route_view view; /* after */
    uint32_t *was;        /* [n_nodes] core number before */
    wi_route_entries changed;
    by_core routers, columns;
} moving;

static bool moved(const moving *m, uint32_t node)
{
    return m->view.node[node].core != m->was[node];
}

static bool group(moving *m, const uint32_t *node, uint32_t n, by_core *out)
{
    const uint32_t n_core = m->view.n_core;
    out->first = wi_take(&m->memory, (size_t)n_core + 2, sizeof *out->first);
    out->at = wi_take(&m->memory, n, sizeof *out->at);
    if (m->memory.failed)
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (!moved(m, node[i]) && m->view.node[node[i]].core < n_core)
            out->first[m->view.node[node[i]].core + 2]++;
    for (uint32_t c = 0; c < n_core; c++)
        out->first[c + 2] += out->first[c + 1];
    for (int kids = 0; kids < 2; kids++)
        for (uint32_t i = 0; i < n; i++) {
            const weir_route_node *const at = &m->view.node[node[i]];
            if (!moved(m, node[i]) && at->core < n_core && (at->up != WEIR_NO_PORT) == kids)
                out->at[out->first[at->core + 1]++] = i;
        }
    return true;
}

static void put_port(const moving *m, uint32_t router, uint32_t column)
{
    wi_net_forwarding *const f = m->f;
    wi_net_forwarding_put(f, router, column,
                          weir_routes_port(f->routes, f->router_node[router], f->column_node[column]));
}

/* Entries from the trees of one core node to those of another. */
static void put_trees(const moving *m, uint32_t from, uint32_t to)
{
    for (uint32_t r = m->routers.first[from]; r < m->routers.first[from + 1]; r++)
        for (uint32_t c = m->columns.first[to]; c < m->columns.first[to + 1]; c++)
            put_port(m, m->routers.at[r], m->columns.at[c]);
}

/* Rows and columns of nodes that were cut off, or joined again: row by row, as a column's entries are far apart. */
static void put_moved(moving *m)
{
    const wi_net_forwarding *const f = m->f;
    uint32_t *const column = m->columns.at, n = 0; /* needed no more */
    for (uint32_t c = 0; c < f->n_columns; c++)
        if (moved(m, f->column_node[c]))
            column[n++] = c;
    for (uint32_t r = 0; r < f->n_routers; r++) {
        const bool all = moved(m, f->router_node[r]);
        for (uint32_t k = 0; k < (all ? f->n_columns : n); k++)
            put_port(m, r, all ? k : column[k]);
    }
}

static weir_status update(weir_diag *diag, moving *m, const weir_route_change *changes, uint32_t n)
{
    wi_net_forwarding *const f = m->f;
    weir_routes_options options;
    weir_route_updated updated;
    weir_routes_options_init(&options);
    options.cost = f->cost;
    const wi_route_update what = {f->graph, f->cost, changes, n, &options, &m->changed};
    WI_RETURN_IF_FAILED(wi_routes_update(diag, f->routes, &what, &updated));
    m->view = weir_routes_view(f->routes);
    if (updated.whole) {
        wi_net_copy_all_pairs(f);
        return WEIR_OK;
    }
    if (!group(m, f->router_node, f->n_routers, &m->routers) ||
        !group(m, f->column_node, f->n_columns, &m->columns))
        return weir_fail(diag, WEIR_E_NOMEM, "no memory to change routes");
    for (size_t i = 0; i < m->changed.n; i++)
        put_trees(m, m->changed.entry[i][0], m->changed.entry[i][1]);
    put_moved(m);
    return WEIR_OK;
}

weir_status wi_net_change_all_pairs(weir_diag *diag, wi_net_forwarding *f, const weir_route_change *changes,
                                    uint32_t n)
{
    moving m = {.f = f, .view = weir_routes_view(f->routes)};
    m.was = wi_take(&m.memory, m.view.n_nodes, sizeof *m.was);
    weir_status status =
        m.memory.failed ? weir_fail(diag, WEIR_E_NOMEM, "no memory to change routes") : WEIR_OK;
    for (uint32_t i = 0; status == WEIR_OK && i < m.view.n_nodes; i++)
        m.was[i] = m.view.node[i].core;
    status = status ?: update(diag, &m, changes, n);
    free(m.changed.entry);
    wi_owned_free(&m.memory);
    return status;
}
