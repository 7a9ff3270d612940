/*
 * Failures and repairs, worked out before the run: when which links change, and what that makes of the
 * forwarding table after the convergence delay. So a run cannot fail on the way, and a warning names beforehand what a failure
 * cuts off. The run only copies what is written down; every process does so at the same times.
 */
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/owner.h"
#include "net/switch/ecmp.h"
#include "packets/build/build.h"
#include "packets/build/building.h"

/* Outages of one time are a group. */
typedef struct changing {
    wi_building *b;
    wi_net_forwarding *f;
    weir_cost *cost;                  /* [n_edges] of the network without failures */
    const wi_net_outage_plan **group; /* [n_groups + 1] first of each; the plan's end last */
    uint64_t *first_entry;            /* [n_groups + 1] first entry that changes with the group's routes */
    weir_route_change *changes;       /* [n_outages] of a group */
    uint32_t n_groups;
    uint64_t cut;  /* pairs without a way, now */
    uint64_t cuts; /* how often there were more of them than before */
} changing;

static uint32_t source_of(const weir_graph *g, uint32_t edge)
{
    return wi_owner_of(g->first, g->n_nodes, edge);
}

/* The entity that sends over a directed edge. */
static uint32_t sender_of(const wi_building *b, uint32_t edge)
{
    const uint32_t node = source_of(b->plan->graph, edge), r = b->node_router[node];
    return r == NET_NONE ? b->node_host[node] : b->router_port[r] + (edge - b->plan->graph->first[node]);
}

/* Writes what changes at the ends of an outage's link; how many, at most two. */
static uint32_t link_changes(const wi_building *b, const wi_net_outage_plan *o, wi_net_link_change *out)
{
    if (o->edge != UINT32_MAX) {
        out[0] = (wi_net_link_change){sender_of(b, o->edge), o->down};
        return 1;
    }
    const uint32_t host = b->node_host[o->node];
    if (host == NET_NONE || b->node_router[o->node] == NET_NONE)
        return 0;
    out[0] = (wi_net_link_change){host, o->down};
    out[1] = (wi_net_link_change){b->host_down[host], o->down};
    return 2;
}

/* A host on one link is no part of the table: its link decides. */
static bool host_is_cut(const changing *c, uint32_t node)
{
    return c->b->node_router[node] == NET_NONE &&
           c->f->cost[c->b->plan->graph->first[node]] == WEIR_COST_DOWN;
}

/* Packets of UDP need no way back. */
static bool is_cut(const changing *c, uint32_t src, uint32_t dst, uint32_t cls)
{
    const bool udp = c->b->plan->classes[cls].params.flags & NET_CLASS_UDP;
    const uint32_t from = c->b->node_host[src], to = c->b->node_host[dst];
    return host_is_cut(c, src) || host_is_cut(c, dst) || !wi_build_reaches(c->b, c->f, from, to) ||
           (!udp && !wi_build_reaches(c->b, c->f, to, from));
}

enum { CUTS_TOLD = 10 };

/* Warn where a group of outages, once routes have followed, leaves more pairs without a way than before. */
static void count_cut(changing *c, const wi_net_outage_plan *o)
{
    const wi_net_plan *plan = c->b->plan;
    uint64_t cut = 0, pairs = (uint64_t)plan->n_flows + plan->n_pairs;
    for (uint32_t i = 0; i < plan->n_flows; i++)
        cut += is_cut(c, plan->flows[i].src, plan->flows[i].dst, plan->flows[i].cls);
    for (uint32_t i = 0; i < plan->n_pairs; i++)
        cut += is_cut(c, plan->pairs[i].src, plan->pairs[i].dst, plan->pairs[i].cls);
    for (uint32_t i = 0; i < plan->n_arrivals; i++) {
        const wi_net_arrivals_plan *a = &plan->arrivals[i];
        pairs += a->n_dst;
        for (uint32_t k = 0; k < a->n_dst; k++)
            cut += is_cut(c, a->src, a->dst[k], a->cls);
    }
    if (cut > c->cut && c->cuts++ < CUTS_TOLD)
        weir_warn_at(c->b->diag, WEIR_AT(o->place),
                     "from %.9g s on, failures cut off %llu of %llu pairs that exchange packets",
                     weir_seconds(o->at_ps), (unsigned long long)cut, (unsigned long long)pairs);
    c->cut = cut;
}

/* What each group of outages makes of the routes. */
static weir_status change_routes(changing *c)
{
    weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < c->n_groups && status == WEIR_OK; i++) {
        uint32_t n = 0;
        for (const wi_net_outage_plan *o = c->group[i]; o < c->group[i + 1]; o++)
            if (o->edge != UINT32_MAX)
                c->changes[n++] = (weir_route_change){o->edge, o->down ? WEIR_COST_DOWN : c->cost[o->edge]};
        c->first_entry[i] = c->f->n_changed;
        status = wi_net_forwarding_change(c->b->diag, c->f, c->changes, n);
        if (status == WEIR_OK)
            count_cut(c, c->group[i]);
    }
    if (c->cuts > CUTS_TOLD)
        weir_warn(c->b->diag, "failures cut off pairs %llu times more",
                  (unsigned long long)(c->cuts - CUTS_TOLD));
    c->first_entry[c->n_groups] = c->f->n_changed;
    return status;
}

WI_ORDER_BY(by_time, wi_net_step, WI_ORDER(x->at_ps, y->at_ps))

/* Two steps a group: its links at its time, and its routes when they have followed. */
static weir_status make_steps(changing *c)
{
    wi_net *net = c->b->net;
    const wi_net_plan *plan = c->b->plan;
    net->steps = wi_build_keep(c->b, 2 * (uint64_t)c->n_groups, sizeof *net->steps);
    net->links = wi_build_keep(c->b, 2 * (uint64_t)plan->n_outages, sizeof *net->links);
    if (c->b->status != WEIR_OK)
        return c->b->status;
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->n_groups; i++) {
        wi_net_step *links = &net->steps[net->n_steps++], *routes = &net->steps[net->n_steps++];
        *links = (wi_net_step){.at_ps = c->group[i]->at_ps, .first_link = n};
        for (const wi_net_outage_plan *o = c->group[i]; o < c->group[i + 1]; o++)
            n += link_changes(c->b, o, &net->links[n]);
        links->n_links = n - links->first_link;
        *routes = (wi_net_step){.at_ps = c->group[i]->at_ps + plan->convergence_ps,
                                .first_entry = c->first_entry[i],
                                .n_entries = c->first_entry[i + 1] - c->first_entry[i]};
    }
    net->entries = c->f->changed; /* the network's from now on */
    c->f->changed = NULL;
    /* At one time there are links of one group and routes of one group at most, which do not touch each
     * other.
     */
    qsort(net->steps, net->n_steps, sizeof *net->steps, by_time);
    return WEIR_OK;
}

static weir_status make_groups(changing *c)
{
    const wi_net_plan *plan = c->b->plan;
    const uint32_t edges = plan->graph->n_edges;
    c->group = wi_build_temp(c->b, (uint64_t)plan->n_outages + 1, sizeof *c->group);
    c->first_entry = wi_build_temp(c->b, (uint64_t)plan->n_outages + 1, sizeof *c->first_entry);
    c->cost = wi_build_temp(c->b, edges, sizeof *c->cost);
    c->changes = wi_build_temp(c->b, plan->n_outages, sizeof *c->changes);
    if (c->b->status != WEIR_OK)
        return c->b->status;
    memcpy(c->cost, c->f->cost, edges * sizeof *c->cost);
    for (uint32_t i = 0; i < plan->n_outages; i++)
        if (i == 0 || plan->outages[i].at_ps != plan->outages[i - 1].at_ps)
            c->group[c->n_groups++] = &plan->outages[i];
    c->group[c->n_groups] = plan->outages + plan->n_outages;
    return WEIR_OK;
}

weir_status wi_build_outages(wi_building *b)
{
    wi_net *net = b->net;
    const uint64_t entities = (uint64_t)net->n_hosts + net->n_ports;
    b->head.outages = wi_build_array(b, NULL, entities, sizeof(weir_time));
    b->head.c_lost = net->n_counters;
    net->n_counters += entities * NET_LOST_COUNTERS;
    return b->status;
}

weir_status wi_build_changes(wi_building *b, wi_net_forwarding *f)
{
    changing c = {.b = b, .f = f};
    return make_groups(&c) ?: change_routes(&c) ?: make_steps(&c);
}

/* ---- while a simulation runs ---- */

static void set_entry(wi_net *net, uint64_t at, uint16_t value)
{
    const net_world *w = wi_net_world(net);
    unsigned char *table = net->world + w->table;
    if (w->entry_bytes == 1)
        table[at] = (unsigned char)value;
    else
        ((uint16_t *)(void *)table)[at] = value;
}

static weir_time *outages_of(const wi_net *net)
{
    return (weir_time *)(void *)(net->world + wi_net_world(net)->outages);
}

static void apply(wi_net *net, const wi_net_step *step)
{
    weir_time *outages = outages_of(net);
    for (uint32_t i = 0; i < step->n_links; i++) {
        const wi_net_link_change *change = &net->links[step->first_link + i];
        outages[change->entity] = change->down ? WEIR_TIME_MAX : step->at_ps;
    }
    for (uint64_t i = 0; i < step->n_entries; i++) {
        const wi_net_entry_change *change = &net->entries[step->first_entry + i];
        set_entry(net, change->at, change->after);
    }
}

/* Undo all steps: the network is as it was built. */
static void undo_steps(wi_net *net)
{
    weir_time *outages = outages_of(net);
    while (net->next_step > 0) {
        const wi_net_step *step = &net->steps[--net->next_step];
        for (uint32_t i = 0; i < step->n_links; i++)
            outages[net->links[step->first_link + i].entity] = 0;
        for (uint64_t i = step->n_entries; i-- > 0;) {
            const wi_net_entry_change *change = &net->entries[step->first_entry + i];
            set_entry(net, change->at, change->before);
        }
    }
}

uint32_t wi_net_next_port_then(const wi_net *net, uint32_t router, const net_packet *packet, uint32_t hop,
                               weir_time at_ps)
{
    const net_world *w = wi_net_world(net);
    const net_dest *dest = NET_ARRAY(w, net_dest, dests) + net_packet_dst(w, packet);
    const uint64_t at = (uint64_t)router * w->n_columns + dest->column;
    const wi_net_entry_change *first = NULL; /* of this entry, of those since */
    for (size_t s = net->next_step; s-- > 0 && net->steps[s].at_ps > at_ps;)
        for (uint64_t i = net->steps[s].n_entries; i-- > 0;)
            if (net->entries[net->steps[s].first_entry + i].at == at)
                first = &net->entries[net->steps[s].first_entry + i];
    return first && dest->router != router ? net_entry_port(w, router, packet, first->before)
                                           : net_next_port(w, router, packet, hop);
}

weir_time wi_net_change(wi_net *net, weir_time at_ps)
{
    if (at_ps == 0)
        undo_steps(net);
    while (net->next_step < net->n_steps && net->steps[net->next_step].at_ps <= at_ps)
        apply(net, &net->steps[net->next_step++]);
    return net->next_step < net->n_steps ? net->steps[net->next_step].at_ps : WEIR_TIME_MAX;
}
