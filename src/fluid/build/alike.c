/*
 * Hosts that are alike: nodes with one link, to the same router, of the same rate, delay, loss and drop-tail
 * queue both ways, with as many sessions (to a tenth) to and from them, as fluid or as packets, of flows that are alike: of one class and
 * equal times, along the same links, to hosts that are alike. What is the same for all of them is reckoned once:
 * their links become one of so many times the rate and queue, and flows that differ by such a host only become
 * one. Where every one of the hosts has the same flows that is exact; where many sessions of a host go to several ends, as if drawn by
 * lot, these ends need not be alike, where a part of them is the same: each host gets the mean of them all.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "fluid/state/internal.h"

enum {
    LOT_SESSIONS = 8,
    LOT_ENDS = 3,   /* from which on a host's flows are taken as drawn by lot */
    ROUNDS_MAX = 16 /* in which groups of hosts are divided by the groups at the other ends of their flows */
};

/* Sessions of flows at the link of a host that is an end of theirs. */
typedef struct load {
    uint32_t edge, flow;
    uint64_t like; /* equal for flows that are alike, seen from this link */
    double sessions;
} load;

/* Of all such links: by edge, then by what is alike. */
typedef struct loads {
    load *item;
    uint32_t *first; /* [n_edges + 1] */
} loads;

/* What hosts are told by. */
typedef struct search {
    const weir_fluid_plan *plan;
    const wi_fluid_paths *paths;
    double *sessions; /* [n_edges] of fluid and packets */
    uint32_t *group;  /* [n_edges] of a host's links: that of the host, from 1 on; 0: of another link */
    bool *lot;        /* [n_edges] the flows are as if drawn by lot */
    loads by_end;     /* alike is what has the same node at the other end */
    loads by_kind;
} search;

/* What must agree, sessions to a tenth. */
typedef struct host {
    uint32_t router, queue_to, queue_from, node;
    uint64_t rate_to, rate_from;
    weir_time delay_to, delay_from;
    double loss_to, loss_from, sessions_to, sessions_from;
    uint64_t flows; /* which they are */
    uint32_t group;
} host;

static int compare_kinds(const host *x, const host *y)
{
    return WI_ORDER(x->router, y->router) ?: WI_ORDER(x->rate_to, y->rate_to) ?: WI_ORDER(x->rate_from, y->rate_from)
        ?: WI_ORDER(x->delay_to, y->delay_to) ?: WI_ORDER(x->delay_from, y->delay_from)
        ?: WI_ORDER(x->queue_to, y->queue_to) ?: WI_ORDER(x->queue_from, y->queue_from)
        ?: WI_ORDER(x->loss_to, y->loss_to) ?: WI_ORDER(x->loss_from, y->loss_from) ?: WI_ORDER(x->flows, y->flows);
}

WI_ORDER_BY(compare, host,
            compare_kinds(x, y) ?: WI_ORDER(x->sessions_to, y->sessions_to)
                ?: WI_ORDER(x->sessions_from, y->sessions_from) ?: WI_ORDER(x->node, y->node))

/* To a tenth, as many as chance gives servers that are drawn by lot. */
static bool as_many(double a, double b)
{
    const double few = a < b ? a : b, many = a < b ? b : a;
    return many <= 1.1 * few;
}

static double packets_of(const search *s, uint32_t edge)
{
    return s->plan->packets_of_edge ? s->plan->packets_of_edge[edge] : 0.0;
}

/* A tenth of the sessions have the same other ends. */
static bool share_ends(const loads *l, uint32_t a, uint32_t b)
{
    double both = 0.0, all = 0.0;
    uint32_t k = l->first[b];
    for (uint32_t i = l->first[a]; i < l->first[a + 1]; i++) {
        while (k < l->first[b + 1] && l->item[k].like < l->item[i].like)
            k++;
        if (k < l->first[b + 1] && l->item[k].like == l->item[i].like)
            both += fmin(l->item[i].sessions, l->item[k].sessions);
        all += l->item[i].sessions;
    }
    return both >= 0.1 * all;
}

/* The flows of a host as drawn by lot are of the lot that another's are of. */
static bool share_lots(const search *s, const host *a, const host *b)
{
    const weir_graph *const g = s->plan->graph;
    const uint32_t from_a = g->first[a->node], to_a = g->reverse[from_a];
    const uint32_t from_b = g->first[b->node], to_b = g->reverse[from_b];
    return (!s->lot[from_a] || share_ends(&s->by_end, from_a, from_b)) &&
           (!s->lot[to_a] || share_ends(&s->by_end, to_a, to_b));
}

/* Two links have the same flows, to a tenth; what one has less of may be packets of its host. */
static bool have_the_same(const search *s, uint32_t a, uint32_t b)
{
    const loads *const l = &s->by_kind;
    const uint32_t n = l->first[a + 1] - l->first[a];
    const double packets_a = packets_of(s, a), packets_b = packets_of(s, b);
    bool same = n == l->first[b + 1] - l->first[b];
    for (uint32_t i = 0; i < n && same; i++) {
        const load *x = &l->item[l->first[a] + i], *y = &l->item[l->first[b] + i];
        same = x->like == y->like && x->sessions <= 1.1 * (y->sessions + packets_b) &&
               y->sessions <= 1.1 * (x->sessions + packets_a);
    }
    return same;
}

static bool are_alike(const search *s, const host *a, const host *b)
{
    const weir_graph *const g = s->plan->graph;
    const uint32_t from_a = g->first[a->node], from_b = g->first[b->node];
    return compare_kinds(a, b) == 0 && as_many(a->sessions_to, b->sessions_to) &&
           as_many(a->sessions_from, b->sessions_from) && have_the_same(s, from_a, from_b) &&
           have_the_same(s, g->reverse[from_a], g->reverse[from_b]);
}

/* A host at its only link; false where the node is none, or its queues are not drop-tail. */
static bool find_host(const weir_fluid_plan *plan, uint32_t node, const double *sessions, host *h)
{
    const weir_graph *const g = plan->graph;
    if (g->first[node + 1] - g->first[node] != 1)
        return false;
    const uint32_t from = g->first[node], to = g->reverse[from];
    *h = (host){.router = g->target[from],
                .node = node,
                .rate_to = g->rate_bps[to],
                .rate_from = g->rate_bps[from],
                .delay_to = g->delay_ps[to],
                .delay_from = g->delay_ps[from],
                .queue_to = plan->queue_of_edge ? plan->queue_of_edge[to] : 0,
                .queue_from = plan->queue_of_edge ? plan->queue_of_edge[from] : 0,
                .loss_to = plan->loss_of_edge ? plan->loss_of_edge[to] : 0.0,
                .loss_from = plan->loss_of_edge ? plan->loss_of_edge[from] : 0.0,
                .sessions_to = sessions[to],
                .sessions_from = sessions[from]};
    /* packets that come and go, or of UDP, are counted without end: their host is like no other */
    return sessions[to] + sessions[from] > 0.0 && isfinite(sessions[to] + sessions[from]) &&
           (sessions[to] <= 0.0 || plan->queues[h->queue_to].type == WEIR_FLUID_DROPTAIL) &&
           (sessions[from] <= 0.0 || plan->queues[h->queue_from].type == WEIR_FLUID_DROPTAIL);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0xd6e8feb86659fd93);
    return hash ^ (hash >> 32);
}

/* Of one class, equal times and size. */
static uint64_t kind_of(const weir_fluid_flow *f)
{
    uint64_t mean;
    memcpy(&mean, &f->mean_bytes, sizeof mean);
    uint64_t hash = mix(mix(mix(f->cls, (uint64_t)f->start_ps), (uint64_t)f->stop_ps), f->size_bytes);
    hash = mix(mix(hash, (uint64_t)f->beside_ps), f->transfers_per_s > 0.0 ? mean : 0);
    return f->apart ? mix(hash, f->goes_on) : hash;
}

/* And by the other links of its way, those of hosts by their groups. */
static uint64_t like_of(const search *s, uint32_t flow, uint32_t edge)
{
    uint64_t hash = kind_of(&s->plan->flows[flow]);
    for (uint64_t h = s->paths->first[flow]; h < s->paths->first[flow + 1] && !s->lot[edge]; h++) {
        const uint32_t e = s->paths->edge[h], group = s->group[e];
        hash = e == edge ? hash : mix(hash, group ? group : (UINT64_C(1) << 32) + e);
    }
    return hash;
}

WI_ORDER_BY(by_like, load,
            WI_ORDER(x->edge, y->edge) ?: WI_ORDER(x->like, y->like) ?: WI_ORDER(x->flow, y->flow))

/* What the links of hosts carry, by the nodes at the other ends or by kinds. */
static void find_loads(const search *s, bool by_end, loads *out)
{
    const uint64_t *const first = s->paths->first;
    uint32_t n = 0, kept = 0, edge = 0;
    for (uint32_t i = 0; i < s->plan->n_flows; i++) {
        const weir_fluid_flow *f = &s->plan->flows[i];
        const uint32_t ends[2] = {s->paths->edge[first[i]], s->paths->edge[first[i + 1] - 1]};
        const double sessions = f->transfers_per_s > 0.0 ? f->transfers_per_s : f->sessions;
        for (uint32_t at = 0; at < (ends[0] == ends[1] ? 1 : 2); at++)
            if (s->group[ends[at]])
                out->item[n++] =
                    (load){ends[at], i, by_end ? (at ? f->src : f->dst) : like_of(s, i, ends[at]), sessions};
    }
    qsort(out->item, n, sizeof *out->item, by_like);
    for (uint32_t i = 0; i < n; i++) {
        const load *x = &out->item[i];
        load *const before = kept ? &out->item[kept - 1] : NULL;
        if (before && before->edge == x->edge && before->like == x->like)
            before->sessions += x->sessions;
        else
            out->item[kept++] = *x;
    }
    for (uint32_t i = 0; i < kept; i++)
        while (edge <= out->item[i].edge)
            out->first[edge++] = i;
    while (edge <= s->plan->graph->n_edges)
        out->first[edge++] = kept;
}

/* Hosts in order, their groups as `group` of their links; returns how many groups there are. */
static uint32_t find_groups(search *s, host *hosts, uint32_t n)
{
    const weir_graph *const g = s->plan->graph;
    uint32_t groups = 0;
    find_loads(s, false, &s->by_kind);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t from = g->first[hosts[i].node], edge[2] = {from, g->reverse[from]};
        hosts[i].flows = 0;
        for (uint32_t at = 0; at < 2; at++)
            for (uint32_t k = s->by_kind.first[edge[at]]; k < s->by_kind.first[edge[at] + 1]; k++)
                hosts[i].flows = mix(hosts[i].flows, 2 * s->by_kind.item[k].like + at);
    }
    qsort(hosts, n, sizeof *hosts, compare);
    for (uint32_t i = 0, first = 0; i < n; i++) {
        if (i == 0 || !are_alike(s, &hosts[first], &hosts[i]) ||
            !(share_lots(s, &hosts[first], &hosts[i]) || share_lots(s, &hosts[i - 1], &hosts[i]))) {
            first = i;
            groups++;
        }
        const uint32_t from = g->first[hosts[i].node];
        hosts[i].group = s->group[from] = s->group[g->reverse[from]] = groups;
    }
    return groups;
}

/* Groups of hosts that are alike, also by the groups that their flows lead to. */
static weir_status find_all_groups(weir_diag *diag, search *s, host *hosts, uint32_t n)
{
    const weir_graph *const g = s->plan->graph;
    const uint64_t n_edges = g->n_edges, n_loads = 2 * (uint64_t)s->plan->n_flows;
    WI_ENDED(wi_owned_free) wi_owned memory = {0};
    bool *const lot = s->lot = wi_take(&memory, n_edges, sizeof *lot);
    uint32_t *const ends = s->by_end.first = wi_take(&memory, n_edges + 1, sizeof *ends);
    s->by_end.item = wi_take(&memory, n_loads, sizeof *s->by_end.item);
    s->by_kind.item = wi_take(&memory, n_loads, sizeof *s->by_kind.item);
    s->by_kind.first = wi_take(&memory, n_edges + 1, sizeof *s->by_kind.first);
    if (memory.failed)
        return wi_fluid_no_memory(diag, 2 * n_loads * sizeof(load), "flows");
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t from = g->first[hosts[i].node];
        s->group[from] = s->group[g->reverse[from]] = 1;
    }
    find_loads(s, true, &s->by_end);
    for (uint32_t e = 0; e < n_edges; e++)
        lot[e] = ends[e + 1] - ends[e] >= LOT_ENDS && s->sessions[e] >= LOT_SESSIONS;
    for (uint32_t round = 0, before = 0, now = 1; round < ROUNDS_MAX && now != before; round++) {
        before = now;
        now = find_groups(s, hosts, n);
    }
    return WEIR_OK;
}

/* Edges of hosts that are alike get those of the first of them, and those their number. */
static void join(const weir_graph *g, const host *hosts, uint32_t n, uint32_t *edge_for, uint32_t *n_alike)
{
    for (uint32_t i = 0, first = 0; i < n; i++) {
        const uint32_t from = g->first[hosts[i].node], to = g->reverse[from];
        first = hosts[i].group == hosts[first].group ? first : i;
        const uint32_t one_from = g->first[hosts[first].node], one_to = g->reverse[one_from];
        edge_for[from] = one_from;
        edge_for[to] = one_to;
        n_alike[one_from] = n_alike[one_to] = i - first + 1;
    }
}

weir_status wi_fluid_join_alike(weir_diag *diag, const weir_fluid_plan *plan, wi_fluid_paths *paths,
                                wi_fluid_links *links)
{
    const weir_graph *const g = plan->graph;
    uint32_t *const edge_for = links->edge_for = wi_take(&links->memory, g->n_edges, sizeof *edge_for);
    uint32_t *const n_alike = links->n_alike = wi_take(&links->memory, g->n_edges, sizeof *n_alike);
    if (links->memory.failed)
        return wi_fluid_no_memory(diag, (uint64_t)g->n_edges * sizeof *edge_for, "links");
    for (uint32_t e = 0; e < g->n_edges; e++) {
        edge_for[e] = e;
        n_alike[e] = 1;
    }
    if (!plan->join_alike)
        return WEIR_OK;
    WI_FREED double *const sessions = wi_fluid_array(diag, g->n_edges, sizeof *sessions, "links");
    WI_FREED uint32_t *const group = wi_fluid_array(diag, g->n_edges, sizeof *group, "links");
    WI_FREED host *const hosts = wi_fluid_array(diag, g->n_nodes, sizeof *hosts, "hosts");
    if (!sessions || !group || !hosts)
        return WEIR_E_NOMEM;
    search s = {.plan = plan, .paths = paths, .sessions = sessions, .group = group};
    uint32_t n = 0;
    for (uint32_t e = 0; e < g->n_edges; e++)
        sessions[e] = packets_of(&s, e);
    for (uint32_t f = 0; f < plan->n_flows; f++)
        for (uint64_t h = paths->first[f]; h < paths->first[f + 1]; h++)
            sessions[paths->edge[h]] += plan->flows[f].sessions;
    for (uint32_t node = 0; node < g->n_nodes; node++)
        n += find_host(plan, node, sessions, &hosts[n]);
    WI_RETURN_IF_FAILED(find_all_groups(diag, &s, hosts, n));
    join(g, hosts, n, edge_for, n_alike);
    for (uint64_t h = 0; h < paths->first[plan->n_flows]; h++)
        paths->edge[h] = edge_for[paths->edge[h]];
    return WEIR_OK;
}
