/*
 * The scenario's failures and repairs as outages of edges: names looked up, what is repaired has failed, and
 * a link is down while it has failed itself or one of its ends has.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"
#include "network/network.h"

typedef struct outages {
    weir_diag *diag;
    wi_network *n;
    const weir_scenario_event *event;
    unsigned char *link_failed; /* [n_edges] by itself */
    unsigned char *node_failed; /* [n_nodes] */
    unsigned char *was_down;    /* [n_edges] as planned so far */
    uint32_t *source;           /* [n_edges] */
    weir_status status;
} outages;

static void add(outages *o, uint32_t edge, uint32_t node, bool down)
{
    wi_network *n = o->n;
    if (n->plan.n_outages > UINT32_MAX / 4 ||
        !wi_grow_one(&n->plan.outages, n->plan.n_outages, sizeof *n->plan.outages)) {
        o->status = weir_fail(o->diag, WEIR_E_NOMEM, "no memory for more than %u failures of links",
                              n->plan.n_outages);
        return;
    }
    n->plan.outages[n->plan.n_outages++] = (wi_net_outage_plan){
        .at_ps = o->event->at_ps, .edge = edge, .node = node, .down = down, .place = o->event->place};
}

/* Plan what has become of an edge. */
static void settle(outages *o, uint32_t edge)
{
    const uint32_t from = o->source[edge], to = o->n->graph->target[edge];
    const bool down = o->link_failed[edge] || o->node_failed[from] || o->node_failed[to];
    if (down == (o->was_down[edge] != 0) || o->status != WEIR_OK || !weir_edge_exists(o->n->graph, edge))
        return;
    o->was_down[edge] = down;
    add(o, edge, from, down);
}

static bool has_changed(outages *o, unsigned char *failed, bool fail, const char *what, weir_place place)
{
    if ((*failed != 0) != fail) {
        *failed = fail;
        return true;
    }
    o->status = weir_fail_at(o->diag, WEIR_E_SCENARIO, WEIR_AT(place),
                             fail ? "%s has failed already at %.9g s"
                                  : "%s is to be repaired at %.9g s and has not failed",
                             what, weir_seconds(o->event->at_ps));
    return false;
}

/* The links of a name: parallel ones are one thing that fails, those of a pattern each for itself, and one
 * that has failed already stays so. */
static void change_link(outages *o, const weir_link_name *link, bool fail)
{
    wi_number_list edges = {0};
    const weir_status found = wi_network_edges(o->diag, o->n, link, &edges);
    uint32_t changed = 0;
    for (uint32_t i = 0; i < edges.n; i++)
        changed += (o->link_failed[edges.item[i]] != 0) != fail;
    if (found != WEIR_OK)
        o->status = found;
    else if (changed > 0 || has_changed(o, &o->link_failed[edges.item[0]], fail, link->text, link->place)) {
        for (uint32_t i = 0; i < edges.n; i++) {
            o->link_failed[edges.item[i]] = fail;
            settle(o, edges.item[i]);
        }
    }
    wi_number_list_free(&edges);
}

static void change_one_node(outages *o, uint32_t node, bool fail)
{
    const weir_graph *g = o->n->graph;
    o->node_failed[node] = fail;
    add(o, UINT32_MAX, node, fail);
    for (uint32_t e = g->first[node]; e < g->first[node + 1]; e++) {
        settle(o, e);
        settle(o, g->reverse[e]);
    }
}

static void change_node(outages *o, const weir_name *name, bool fail)
{
    wi_number_list nodes = {0};
    const weir_status found = wi_network_nodes(o->diag, o->n, name, &nodes);
    uint32_t changed = 0;
    for (uint32_t i = 0; i < nodes.n; i++) {
        if ((o->node_failed[nodes.item[i]] != 0) == fail)
            continue;
        changed++;
        change_one_node(o, nodes.item[i], fail);
    }
    if (found != WEIR_OK)
        o->status = found;
    else if (changed == 0)
        has_changed(o, &o->node_failed[nodes.item[0]], fail, name->text, name->place);
    wi_number_list_free(&nodes);
}

static void change(outages *o, const weir_scenario_outage *what, bool fail)
{
    for (size_t i = 0; i < what->link.n; i++)
        change_link(o, &what->link.item[i], fail);
    for (size_t i = 0; i < what->node.n; i++)
        change_node(o, &what->node.item[i], fail);
}

WI_ORDER_BY(by_time, weir_scenario_event *const, WI_ORDER((*x)->at_ps, (*y)->at_ps) ?: WI_ORDER(*x, *y))

static void plan_all(outages *o, const weir_scenario_event **sorted)
{
    const weir_scenario *s = o->n->scenario;
    for (size_t i = 0; i < s->n_events; i++)
        sorted[i] = &s->events[i];
    qsort(sorted, s->n_events, sizeof *sorted, by_time);
    for (size_t i = 0; i < s->n_events; i++) {
        o->event = sorted[i];
        if (o->event->at_ps >= s->duration_ps) /* reading the keys has warned of it */
            break;
        change(o, &o->event->fail, true);
        change(o, &o->event->repair, false);
    }
}

weir_status wi_network_events(weir_diag *diag, wi_network *n)
{
    const weir_graph *g = n->graph;
    if (n->scenario->n_events == 0)
        return WEIR_OK;
    WI_ENDED(wi_owned_free) wi_owned memory = {0};
    outages o = {.diag = diag,
                 .n = n,
                 .link_failed = wi_take(&memory, g->n_edges, 1),
                 .node_failed = wi_take(&memory, g->n_nodes, 1),
                 .was_down = wi_take(&memory, g->n_edges, 1),
                 .source = wi_take(&memory, g->n_edges, sizeof(uint32_t))};
    const weir_scenario_event **sorted = wi_take(&memory, n->scenario->n_events, sizeof *sorted);
    if (memory.failed) {
        o.status = weir_fail(diag, WEIR_E_NOMEM, "no memory for failures of %u links", g->n_edges / 2);
    } else {
        for (uint32_t v = 0; v < g->n_nodes; v++)
            for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++)
                o.source[e] = v;
        plan_all(&o, sorted);
    }
    return o.status;
}
