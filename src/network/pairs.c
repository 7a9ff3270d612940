/* Who talks to whom: hosts by a pattern, nodes by name, or a matrix of demands. */
#include "network/pairs.h"
#include "base/memory.h"
#include "base/order.h"

#include <stdlib.h>
#include <string.h>
#include <stdint.h>

#include "topology/measure/measure.h"
#include "network/files/demands.h"
#include "net/host/host.h"
#include "subject/subject.h"

typedef struct finding {
    weir_diag *diag;
    const wi_network *n;
    const weir_scenario_class *c;
    weir_stream *random;
    wi_pair_list *pairs;
    weir_status status;
} finding;

static void fail_memory(finding *f)
{
    if (f->status == WEIR_OK)
        f->status =
            weir_fail(f->diag, WEIR_E_NOMEM, "no memory for the pairs of class '%s'", f->c->name.text);
}

static void add_pair(finding *f, uint32_t src, uint32_t dst, uint64_t demand_bps)
{
    wi_pair_list *p = f->pairs;
    if (!wi_grow_one(&p->item, p->n, sizeof *p->item)) {
        fail_memory(f);
        return;
    }
    p->item[p->n++] = (wi_pair){src, dst, demand_bps};
}

weir_status wi_network_hosts(weir_diag *diag, const wi_network *n, wi_number_list *list)
{
    const weir_graph *g = n->graph;
    list->item = malloc(((size_t)g->n_nodes + 1) * sizeof *list->item);
    if (!list->item)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for %u hosts", g->n_nodes);
    for (int want = WEIR_HOST; want >= WEIR_ROUTER && list->n == 0; want--)
        for (uint32_t v = 0; v < g->n_nodes; v++)
            if (g->role[v] == want && g->first[v + 1] > g->first[v])
                list->item[list->n++] = v;
    return WEIR_OK;
}

/* A part of the graph: nodes [first, first + n) of a list sorted by parts. */
typedef struct part_of_list {
    uint64_t pairs; /* of the parts up to and with this one */
    uint32_t first, n;
} part_of_list;

/* Sort nodes by part, each part's in their order; count the parts' pairs. False when memory is short. */
static bool sort_by_part(const uint32_t *part, uint32_t n_parts, uint32_t *nodes, uint32_t n,
                         part_of_list *lists)
{
    WI_FREED uint32_t *sorted = malloc(((size_t)n + 1) * sizeof *sorted);
    if (!sorted)
        return false;
    for (uint32_t i = 0; i < n; i++)
        lists[part[nodes[i]]].n++;
    uint64_t pairs = 0;
    for (uint32_t p = 0, first = 0; p < n_parts; p++) {
        pairs += (uint64_t)lists[p].n * (lists[p].n ? lists[p].n - 1 : 0);
        lists[p].pairs = pairs;
        lists[p].first = first;
        first += lists[p].n;
        lists[p].n = 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        part_of_list *list = &lists[part[nodes[i]]];
        sorted[list->first + list->n++] = nodes[i];
    }
    memcpy(nodes, sorted, (size_t)n * sizeof *nodes);
    return true;
}

/* Pairs out of all that have a way, each as likely as any other. */
static void random_within_parts(finding *f, const uint32_t *nodes, const part_of_list *lists,
                                uint32_t n_parts)
{
    const uint64_t pairs = lists[n_parts - 1].pairs;
    if (pairs == 0)
        f->status = weir_fail_at(
            f->diag, WEIR_E_SCENARIO, WEIR_AT(f->c->where_place),
            "the topology falls into %u parts, and no two nodes have a way to each other", n_parts);
    for (uint32_t i = 0; i < f->c->n_random && f->status == WEIR_OK; i++) {
        uint64_t x = weir_draw_below(f->random, pairs);
        const size_t low = WI_FIRST(k, n_parts - 1, lists[k].pairs > x); /* x is of this part */
        x -= low ? lists[low - 1].pairs : 0;
        const uint32_t a = (uint32_t)(x / (lists[low].n - 1)), b = (uint32_t)(x % (lists[low].n - 1));
        add_pair(f, nodes[lists[low].first + a], nodes[lists[low].first + (b >= a ? b + 1 : b)], 0);
    }
}

static void random_pairs(finding *f, uint32_t *nodes, uint32_t n)
{
    uint32_t n_parts = 0, *part = wi_connected_parts(f->n->graph, &n_parts);
    WI_FREED part_of_list *lists = calloc((size_t)n_parts + 1, sizeof *lists);
    bool apart = false;
    for (uint32_t i = 1; part && i < n; i++)
        apart |= part[nodes[i]] != part[nodes[0]];
    if (!part || !lists || (apart && !sort_by_part(part, n_parts, nodes, n, lists)))
        fail_memory(f);
    else if (apart)
        random_within_parts(f, nodes, lists, n_parts);
    for (uint32_t i = 0; !apart && i < f->c->n_random && f->status == WEIR_OK; i++) {
        const uint32_t a = (uint32_t)weir_draw_below(f->random, n);
        const uint32_t b = (uint32_t)weir_draw_below(f->random, n - 1);
        add_pair(f, nodes[a], nodes[b >= a ? b + 1 : b], 0);
    }
    free(part);
}

static bool too_many(finding *f, uint64_t pairs)
{
    f->status = wi_pairs_check(f->diag, f->c, pairs);
    return f->status != WEIR_OK;
}

static void pairs_of_hosts(finding *f)
{
    WI_ENDED(wi_number_list_free) wi_number_list hosts = {0};
    f->status = wi_network_hosts(f->diag, f->n, &hosts);
    uint32_t *const nodes = hosts.item, n = hosts.n;
    if (f->status != WEIR_OK)
        return;
    if (n < 2) {
        f->status = weir_fail_at(f->diag, WEIR_E_SCENARIO, WEIR_AT(f->c->where_place),
                                 "the topology has %u nodes with a link; pairs need two", n);
    } else if (too_many(f, f->c->where == WEIR_SC_PAIRS_ALL ? (uint64_t)n * (n - 1) : f->c->n_random)) {
        /* reported already */
    } else if (f->c->where == WEIR_SC_PAIRS_RANDOM) {
        random_pairs(f, nodes, n);
    } else if (f->c->where == WEIR_SC_PAIRS_ALL) {
        for (uint32_t a = 0; a < n && f->status == WEIR_OK; a++)
            for (uint32_t b = 0; b < n; b++)
                if (a != b)
                    add_pair(f, nodes[a], nodes[b], 0);
    } else { /* a random cyclic permutation (Sattolo), so that no host sends to itself */
        WI_FREED uint32_t *to = malloc((size_t)n * sizeof *to);
        if (to) {
            memcpy(to, nodes, (size_t)n * sizeof *to);
            for (uint32_t i = n - 1; i > 0; i--) {
                const uint32_t k = (uint32_t)weir_draw_below(f->random, i);
                const uint32_t moved = to[i];
                to[i] = to[k];
                to[k] = moved;
            }
            for (uint32_t i = 0; i < n; i++)
                add_pair(f, nodes[i], to[i], 0);
        } else {
            fail_memory(f);
        }
    }
}

static void note_status(finding *f, weir_status status)
{
    if (f->status == WEIR_OK || status == WEIR_E_NOMEM)
        f->status = status;
}

/* The nodes of a list of names. What a pattern finds that the list has already is not taken twice. */
static void find_nodes(finding *f, const weir_names *names, wi_number_list *list)
{
    WI_FREED unsigned char *there = calloc((size_t)f->n->graph->n_nodes + 1, 1);
    if (!there)
        fail_memory(f);
    for (size_t i = 0; there && i < names->n; i++) {
        const uint32_t before = list->n;
        note_status(f, wi_network_ends(f->diag, f->n, &names->item[i], list));
        const bool pattern =
            list->n > before + 1 || weir_graph_find(f->n->graph, names->item[i].text) == UINT32_MAX;
        uint32_t kept = before;
        for (uint32_t k = before; k < list->n; k++) {
            const uint32_t node = list->item[k];
            if (!pattern && there[node])
                weir_warn_at(
                    f->diag, WEIR_AT(names->item[i].place),
                    "class '%s': '%s' is named twice, and has twice the flows; sessions would say so",
                    f->c->name.text, names->item[i].text);
            if (!pattern || !there[node])
                list->item[kept++] = node;
            there[node] = 1;
        }
        list->n = kept;
    }
}

static void pairs_of_names(finding *f)
{
    wi_number_list from = {0}, to = {0};
    find_nodes(f, &f->c->from, &from);
    find_nodes(f, &f->c->to, &to);
    for (uint32_t i = 0; i < from.n && f->status == WEIR_OK && !too_many(f, (uint64_t)from.n * to.n); i++)
        for (uint32_t k = 0; k < to.n; k++)
            if (from.item[i] != to.item[k])
                add_pair(f, from.item[i], to.item[k], 0);
    wi_number_list_free(&from);
    wi_number_list_free(&to);
}

static void pairs_of_list(finding *f)
{
    for (size_t i = 0; i < f->c->n_pairs; i++) {
        const weir_name_pair *p = &f->c->pairs[i];
        const weir_names from_name = {&p->from, 1}, to_name = {&p->to, 1};
        wi_number_list from = {0}, to = {0};
        find_nodes(f, &from_name, &from);
        find_nodes(f, &to_name, &to);
        if (from.n == 1 && to.n == 1 && from.item[0] == to.item[0])
            f->status = weir_fail_at(f->diag, WEIR_E_SCENARIO, WEIR_AT(p->to.place), "'%s' sends to itself",
                                     p->to.text);
        for (uint32_t a = 0; a < from.n && f->status == WEIR_OK; a++)
            for (uint32_t b = 0; b < to.n; b++)
                if (from.item[a] != to.item[b])
                    add_pair(f, from.item[a], to.item[b], 0);
        wi_number_list_free(&from);
        wi_number_list_free(&to);
    }
}

WI_ORDER_BY(larger_demand_first, wi_pair,
            WI_ORDER(y->demand_bps, x->demand_bps) ?: WI_ORDER(x->src, y->src) ?: WI_ORDER(x->dst, y->dst))

/* The node that a matrix means: by its name, or by its number. */
static uint32_t node_of_demand(finding *f, const wi_demands *d, uint32_t name, int line)
{
    const weir_place place = {d->file, line, 0};
    const char *text = wi_names_text(&d->node, name);
    if (!d->by_number)
        return wi_network_node(f->diag, f->n, text, place);
    const unsigned long v = strtoul(text, NULL, 10);
    if (v < f->n->graph->n_nodes)
        return (uint32_t)v;
    (void)weir_fail_at(f->diag, WEIR_E_SCENARIO, place.file, place.line, 0,
                       "no node %lu: the topology has %u, which are counted from 0", v, f->n->graph->n_nodes);
    return UINT32_MAX;
}

/* A demand in whole bits a second. What small ones lack goes to the next, so that their total is right: of
 * larger ones it is less than 0.02 %. */
static uint64_t whole_bps(double bps, double *owed)
{
    const uint64_t whole = (uint64_t)(bps + *owed);
    if (bps < 5000.0)
        *owed += bps - (double)whole;
    return whole;
}

/* Only the largest. */
static void cut_pairs(finding *f)
{
    const uint32_t most = f->c->demands.max_pairs;
    if (f->status != WEIR_OK || !most || f->pairs->n <= most)
        return;
    qsort(f->pairs->item, f->pairs->n, sizeof *f->pairs->item, larger_demand_first);
    f->pairs->n = most;
}

double wi_network_node_rate(const weir_graph *g, uint32_t node)
{
    double rate_bps = 0.0;
    for (uint32_t e = g->first[node]; e < g->end[node]; e++)
        if (weir_edge_exists(g, e))
            rate_bps += (double)g->rate_bps[e];
    return rate_bps;
}

static double gravity_weight(const finding *f, uint32_t v)
{
    const weir_graph *g = f->n->graph;
    if (f->c->gravity.weight != WEIR_SC_GRAVITY_DEGREE)
        return wi_network_node_rate(g, v);
    double weight = 0.0;
    for (uint32_t e = g->first[v]; e < g->end[v]; e++)
        weight += weir_edge_exists(g, e) ? 1.0 : 0.0;
    return weight;
}

/* T_ij = total w_i w_j / (W^2 - sum of w_k^2), with W the sum of weights. */
static void pairs_of_gravity(finding *f)
{
    WI_ENDED(wi_number_list_free) wi_number_list hosts = {0};
    f->status = wi_network_hosts(f->diag, f->n, &hosts);
    const uint32_t *const nodes = hosts.item, n = hosts.n;
    double *weight = calloc((size_t)n + 1, sizeof *weight), sum = 0.0, squares = 0.0,
           owed = 0.5; /* to the nearest */
    if (!weight)
        fail_memory(f);
    for (uint32_t i = 0; f->status == WEIR_OK && i < n; i++) {
        weight[i] = gravity_weight(f, nodes[i]);
        sum += weight[i];
        squares += weight[i] * weight[i];
    }
    if (f->status == WEIR_OK && !too_many(f, (uint64_t)n * (n ? n - 1 : 0)))
        for (uint32_t a = 0; a < n; a++)
            for (uint32_t b = 0; b < n && f->status == WEIR_OK; b++)
                if (a != b)
                    add_pair(f, nodes[a], nodes[b],
                             whole_bps((double)f->c->gravity.total_bps * weight[a] * weight[b] /
                                           (sum * sum - squares),
                                       &owed));
    free(weight);
    cut_pairs(f);
}

static void pairs_of_demands(finding *f, const char *path)
{
    const weir_scenario_class *c = f->c;
    wi_demands *d = NULL;
    double owed = 0.0;
    f->status = wi_demands_load(f->diag, path, &d);
    for (size_t i = 0; f->status == WEIR_OK && i < d->n; i++) {
        const uint32_t a = node_of_demand(f, d, d->demand[i].source, d->demand[i].line);
        const uint32_t b = node_of_demand(f, d, d->demand[i].target, d->demand[i].line);
        if (a == UINT32_MAX || b == UINT32_MAX)
            f->status = WEIR_E_SCENARIO;
        else
            add_pair(f, a, b, whole_bps(c->demands.scale * (double)d->demand[i].rate_bps, &owed));
    }
    wi_demands_free(d);
}

weir_status wi_network_demands(weir_diag *diag, const wi_network *network, const weir_scenario_class *c,
                               const char *path, wi_pair_list *out)
{
    finding f = {.diag = diag, .n = network, .c = c, .pairs = out};
    pairs_of_demands(&f, path);
    return f.status;
}

/* Whether pairs whose rates are their demands have any. */
static bool sends(const weir_scenario_class *c, const wi_pair_list *pairs)
{
    bool any = !c->is_udp || (c->where != WEIR_SC_DEMANDS && c->where != WEIR_SC_GRAVITY);
    for (size_t i = 0; i < pairs->n && !any; i++)
        any = pairs->item[i].demand_bps > 0;
    return any;
}

weir_status wi_network_pairs(weir_diag *diag, const wi_network *network, const weir_scenario_class *c,
                             weir_stream *random, wi_pair_list *out)
{
    finding f = {.diag = diag, .n = network, .c = c, .random = random, .pairs = out};
    switch (c->where) {
    case WEIR_SC_FROM_TO:
        pairs_of_names(&f);
        break;
    case WEIR_SC_PAIRS_LIST:
        pairs_of_list(&f);
        break;
    case WEIR_SC_DEMANDS:
        pairs_of_demands(&f, c->demands.file.text);
        cut_pairs(&f);
        break;
    case WEIR_SC_GRAVITY:
        pairs_of_gravity(&f);
        break;
    default:
        pairs_of_hosts(&f);
    }
    if (f.status == WEIR_OK && out->n == 0)
        f.status = weir_fail_at(diag, WEIR_E_SCENARIO, WEIR_AT(c->where_place),
                                "class '%s' has no pair of different nodes", c->name.text);
    else if (f.status == WEIR_OK && !sends(c, out))
        f.status = weir_fail_at(diag, WEIR_E_SCENARIO, WEIR_AT(c->where_place),
                                "class '%s': none of its %zu pairs has a demand of 1 bps or more",
                                c->name.text, out->n);
    return f.status;
}

/* Of both ends of a packet flow, with a bit a segment at each; what the rest of a run keeps for it comes besides. */
static double least_flow_bytes(const weir_scenario_class *c)
{
    double bytes = sizeof(wi_net_flow_plan) + sizeof(net_tx) + sizeof(net_rx);
    if (!c->is_udp && c->tcp.size.kind == WEIR_SC_DIST_NONE)
        bytes += 2.0 * (double)c->tcp.window_bytes / c->tcp.mss_bytes / 8.0;
    return bytes;
}

/* Of a class whose pairs are `pairs`: flows that are there from the start, and the list of pairs. */
static double least_bytes(const weir_scenario_class *c, uint64_t pairs)
{
    const bool some = c->where == WEIR_SC_DEMANDS || c->where == WEIR_SC_GRAVITY;
    const uint64_t most = some && c->demands.max_pairs ? c->demands.max_pairs : pairs;
    double flows = 0.0;
    if (c->is_udp)
        flows = c->fidelity == WEIR_SC_FLUID || some ? 0.0 : 1.0; /* demands may be zero */
    else if (c->tcp.arrivals.kind == WEIR_SC_ARRIVALS_SESSIONS)
        flows = c->packet_sessions;
    return (double)pairs * sizeof(wi_pair) +
           (double)(most < pairs ? most : pairs) * flows * least_flow_bytes(c);
}

weir_status wi_pairs_check(weir_diag *diag, const weir_scenario_class *c, uint64_t pairs)
{
    const weir_place at = c->where_place;
    if (pairs > WI_PAIRS_MAX)
        return weir_fail_at(diag, WEIR_E_SCENARIO, WEIR_AT(at),
                            "class '%s' has %llu pairs of nodes; want at most %d", c->name.text,
                            (unsigned long long)pairs, WI_PAIRS_MAX);
    const double bytes = least_bytes(c, pairs);
    return wi_memory_check(diag, "flows", bytes < 1e18 ? (uint64_t)bytes : UINT64_MAX, at);
}

weir_status wi_network_add_flow(weir_diag *diag, wi_network *n, const wi_net_flow_plan *flow)
{
    wi_net_plan *const plan = &n->plan;
    const weir_scenario_class *c = &n->scenario->traffic[flow->cls];
    if (plan->n_flows >= WI_FLOWS_MAX)
        return weir_fail_at(diag, WEIR_E_SCENARIO, WEIR_AT(c->place), "class '%s': more than %d flows",
                            c->name.text, WI_FLOWS_MAX);
    if (!wi_grow_one(&plan->flows, plan->n_flows, sizeof *plan->flows))
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for the flows of class '%s'", c->name.text);
    plan->flows[plan->n_flows++] = *flow;
    return WEIR_OK;
}
