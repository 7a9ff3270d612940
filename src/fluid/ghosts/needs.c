/* What of the whole tables a rank sends and receives. */
#include <stdlib.h>

#include "base/order.h"
#include "fluid/ghosts/ghosts.h"

static void add(wi_ghost_needs *n, uint32_t kind, uint32_t item, uint32_t from, uint32_t to)
{
    if (from == to || (from != n->rank && to != n->rank) || n->short_of_memory)
        return;
    const uint64_t need =
        from == n->rank ? wi_ghost_need(to, true, kind, item) : wi_ghost_need(from, false, kind, item);
    if (n->n > 0 && n->need[n->n - 1] == need)
        return;
    n->short_of_memory = !wi_grow(&n->need, &n->room, n->n + 1, sizeof *n->need);
    if (n->short_of_memory)
        return;
    n->need[n->n++] = need;
}

static void add_series(wi_ghost_needs *n, const wi_ghost_owners *o, uint32_t series, uint32_t to)
{
    add(n, o->late[series] ? WI_GHOST_LATE : WI_GHOST_EARLY, series, o->series[series], to);
}

static void add_prefix(wi_ghost_needs *n, const fluid_tables *t, const wi_ghost_owners *o, uint32_t p)
{
    const uint32_t to = o->port[wi_ghosts_port_of(t, p)], parent = wi_ghosts_parent(t, p);
    add_series(n, o, o->series_of[p], to);
    if (parent == FLUID_NONE)
        return;
    const uint32_t up = wi_ghosts_port_of(t, parent);
    add(n, WI_GHOST_PREFIXES, parent, o->port[up], to);
    add(n, WI_GHOST_PORTS, up, o->port[up], to);
}

/* ACKs: a source looks at the queues that they pass, and a port hears what is acknowledged. */
static void add_acks(wi_ghost_needs *n, const fluid_tables *t, const wi_ghost_owners *o)
{
    for (uint32_t f = 0; f < t->n_flows; f++)
        for (uint32_t i = t->back_first[f]; i < t->back_first[f + 1]; i++)
            add(n, WI_GHOST_PORTS, t->back_port[i], o->port[t->back_port[i]], o->series[f]);
    for (uint32_t p = 0; p < t->n_ports; p++)
        for (uint32_t i = t->ack_first[p]; i < t->ack_first[p + 1]; i++)
            add(n, WI_GHOST_FLOWS, t->ack_flow[i], o->series[t->ack_flow[i]], o->port[p]);
}

weir_status wi_ghosts_need(weir_diag *diag, const fluid_tables *t, const wi_ghost_owners *o,
                           wi_ghost_needs *n)
{
    for (uint32_t p = 0; p < t->n_prefixes; p++)
        add_prefix(n, t, o, p);
    for (uint32_t set = 0; set < t->n_series - t->n_flows; set++)
        for (uint32_t m = t->member_first[set]; m < t->member_first[set + 1]; m++)
            add_series(n, o, t->member[m], o->series[t->n_flows + set]);
    add_acks(n, t, o);
    if (n->short_of_memory)
        return wi_fluid_no_memory(diag, n->room * sizeof *n->need, "ghosts");
    if (n->n > 0)
        qsort(n->need, n->n, sizeof *n->need, wi_order_u64);
    size_t once = 0;
    for (size_t i = 0; i < n->n; i++)
        if (i == 0 || n->need[i] != n->need[i - 1])
            n->need[once++] = n->need[i];
    n->n = once;
    return WEIR_OK;
}
