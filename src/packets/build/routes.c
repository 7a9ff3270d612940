/* Columns of the forwarding table, and the routes of all pairs by it or by source routes. */
#include "packets/build/building.h"
#include "net/flow/flowlet.h"

/* One column for each router that a destination hangs on; hosts without traffic are no destinations. */
static weir_status number_columns(wi_building *b, wi_net_forwarding *f)
{
    const wi_net_plan *plan = b->plan;
    net_dest *dests = wi_image_at(&b->image, b->head.dests);
    unsigned char *used = wi_build_temp(b, b->net->n_hosts, 1);
    uint32_t *column = wi_build_temp(b, b->head.n_routers, sizeof *column);
    uint32_t *nodes = wi_build_temp(b, b->head.n_routers, sizeof *nodes);
    if (b->status != WEIR_OK)
        return b->status;
    f->column_node = nodes;
    for (uint32_t i = 0; i < plan->n_flows; i++)
        used[b->node_host[plan->flows[i].src]] = used[b->node_host[plan->flows[i].dst]] = 1;
    for (uint32_t i = 0; i < plan->n_pairs; i++)
        used[b->node_host[plan->pairs[i].src]] = used[b->node_host[plan->pairs[i].dst]] = 1;
    for (uint32_t i = 0; i < plan->n_arrivals; i++) {
        used[b->node_host[plan->arrivals[i].src]] = 1;
        for (uint32_t k = 0; k < plan->arrivals[i].n_dst; k++)
            used[b->node_host[plan->arrivals[i].dst[k]]] = 1;
    }
    for (uint32_t r = 0; r < b->head.n_routers; r++)
        column[r] = NET_NONE;
    for (uint32_t h = 0; h < b->net->n_hosts; h++) {
        const uint32_t r = dests[h].router;
        if (!used[h] || r == NET_NONE)
            continue;
        if (column[r] == NET_NONE) {
            column[r] = f->n_columns;
            nodes[f->n_columns++] = b->router_node[r];
        }
        dests[h].column = column[r];
    }
    return WEIR_OK;
}

/* A table, asked whether it joins two hosts. */
typedef struct table_of {
    const wi_building *b;
    const wi_net_forwarding *f;
} table_of;

static bool table_joins(const void *user, uint32_t from, uint32_t to)
{
    const table_of *t = user;
    return wi_build_reaches(t->b, t->f, from, to);
}

static weir_status build_sets(wi_building *b, wi_net_forwarding *f)
{
    const weir_status status = wi_net_forwarding_finish(b->diag, f);
    if (status != WEIR_OK || !f->ecmp)
        return status;
    b->net->n_set_bounds = f->n_sets;
    b->head.set_first = wi_build_array(b, f->set_first, f->n_routers, sizeof *f->set_first);
    b->head.set_bounds = wi_build_array(b, f->set_bounds, f->n_sets, sizeof *f->set_bounds);
    b->head.set_ports = wi_build_array(b, f->set_ports, f->n_set_ports, sizeof *f->set_ports);
    return b->status;
}

/* The table as it is at first; and what becomes of it. */
static weir_status build_table(wi_building *b, wi_net_forwarding *f)
{
    const table_of table = {b, f};
    weir_status status = wi_net_forwarding_make(b->diag, f) ?: wi_build_check_pairs(b, table_joins, &table);
    b->net->table_bytes = (uint64_t)f->n_routers * f->n_columns * f->entry_bytes;
    if (status == WEIR_OK)
        status = f->will_change ? wi_build_outages(b) : build_sets(b, f);
    status = status ?: wi_build_table(b, f);
    if (status == WEIR_OK && f->will_change)
        status = wi_build_changes(b, f);
    if (status == WEIR_OK && f->will_change)
        status = build_sets(b, f);
    b->head.ecmp = !f->ecmp                               ? 0
                   : b->plan->spray                       ? NET_SPRAY
                   : b->plan->flowlets_ps                 ? NET_FLOWLETS
                   : wi_build_any(b->plan, NET_CLASS_UET) ? NET_ENTROPY
                                                          : 1;
    b->head.path_salt = b->plan->path_salt;
    b->head.flowlet = (uint32_t)(b->plan->flowlets_ps >> NET_FLOWLET_UNIT_BITS);
    if (status == WEIR_OK && b->head.ecmp == NET_FLOWLETS && b->net->n_rx > NET_HINT_SLOTS)
        status = weir_fail(b->diag, WEIR_E_SCENARIO,
                           "flowlets go with at most %d receiving ends of flows; there are %u",
                           NET_HINT_SLOTS, b->net->n_rx);
    return status;
}

weir_status wi_build_routes(wi_building *b)
{
    wi_net_forwarding f = {.graph = b->plan->graph,
                           .metric = b->plan->metric,
                           .shared = b->plan->in_common,
                           .graph_key = b->plan->graph_key,
                           .ecmp = b->plan->ecmp,
                           .will_change = b->plan->n_outages > 0,
                           .router_node = b->router_node,
                           .n_routers = b->head.n_routers};
    weir_status status = number_columns(b, &f);
    if (status == WEIR_OK)
        status = wi_build_prefers_paths(b, &f) ? wi_build_paths(b, &f) : build_table(b, &f);
    b->head.n_columns = f.n_columns;
    b->head.entry_bytes = f.entry_bytes;
    wi_net_forwarding_free(&f);
    return status;
}
