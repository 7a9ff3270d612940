/*
 * Slots of both ends of every flow, starts, gates and generators.
 *
 * Slots are numbered host by host. A flow that the scenario starts has its two slots for itself from the
 * beginning; flows that arrive by themselves take sending slots of their generator, and receiving slots from
 * the rest of the receiver's slice. Gates, which hold starts until so many flows have arrived, are numbered host by host too,
 * as the engine's pool wants it.
 */
#include <stdlib.h>
#include <string.h>

#include "net/build/building.h"
#include "net/congestion/congestion.h"
#include "net/flow/endpoint.h"

/* Receiving slots for arrivals: twice the mean number that can be on its way to a host at once, and some. */
enum { RX_SPARE = 16 };

static void prefix_sum(uint32_t *first, uint32_t n)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i <= n; i++) {
        const uint32_t count = first[i];
        first[i] = sum;
        sum += i < n ? count : 0;
    }
}

static double *dynamic_shares(const wi_building *b)
{
    double *share = calloc((size_t)b->net->n_hosts + 1, sizeof *share);
    for (uint32_t i = 0; share && i < b->plan->n_arrivals; i++) {
        const wi_net_arrivals_plan *a = &b->plan->arrivals[i];
        for (uint32_t k = 0; k < a->n_dst; k++)
            share[b->node_host[a->dst[k]]] += (double)a->slots / a->n_dst;
    }
    return share;
}

/* Slots are numbered in 31 bits: hints of packets hold one bit more. */
static weir_status check_slots(const wi_building *b, const double *share)
{
    double tx = b->plan->n_flows, rx = b->plan->n_flows;
    for (uint32_t i = 0; i < b->plan->n_arrivals; i++)
        tx += b->plan->arrivals[i].slots;
    for (uint32_t h = 0; h < b->net->n_hosts; h++)
        rx += 2.0 * share[h] + RX_SPARE;
    if (tx <= INT32_MAX && rx <= INT32_MAX)
        return WEIR_OK;
    return weir_fail(
        b->diag, WEIR_E_SCENARIO,
        "flows may be on their way at once at %.0f senders and %.0f receivers, more than %d: lower "
        "max_flows, or have fewer pairs",
        tx, rx, INT32_MAX);
}

/* Number the slots of flows; `next` arrays begin as copies of the slices' first slots. */
static weir_status number_slots(wi_building *b, const double *share)
{
    const wi_net_plan *plan = b->plan;
    wi_net *net = b->net;
    uint32_t *tx = net->pool_first[NET_POOL_TX], *rx = net->pool_first[NET_POOL_RX];
    for (uint32_t i = 0; i < plan->n_flows; i++) {
        const wi_net_flow_plan *f = &plan->flows[i];
        tx[wi_flow_sender(b, f)]++;
        rx[wi_flow_receiver(b, f)]++;
        if (wi_is_request(b, f->cls))
            b->session_first[b->node_host[f->src]]++;
    }
    for (uint32_t h = 0; h < net->n_hosts; h++)
        b->rx_dynamic[h] = rx[h];
    for (uint32_t i = 0; i < plan->n_arrivals; i++) {
        tx[b->node_host[plan->arrivals[i].src]] += plan->arrivals[i].slots;
        b->generator_first[b->node_host[plan->arrivals[i].src]]++;
    }
    for (uint32_t h = 0; h < net->n_hosts; h++)
        if (share[h] > 0.0)
            rx[h] += (uint32_t)(2.0 * share[h]) + RX_SPARE;
    prefix_sum(tx, net->n_hosts);
    prefix_sum(rx, net->n_hosts);
    prefix_sum(b->session_first, net->n_hosts);
    prefix_sum(b->generator_first, net->n_hosts);
    for (uint32_t h = 0; h < net->n_hosts; h++)
        b->rx_dynamic[h] += rx[h];
    net->n_tx = tx[net->n_hosts];
    net->n_rx = rx[net->n_hosts];
    return WEIR_OK;
}

/* Give each flow and generator its slots, in the order of the plan. */
static weir_status hand_out_slots(wi_building *b)
{
    const wi_net_plan *plan = b->plan;
    wi_net *net = b->net;
    const size_t n = (size_t)net->n_hosts + 1;
    uint32_t *next = malloc(4 * n * sizeof *next);
    if (!next)
        return weir_fail(b->diag, WEIR_E_NOMEM, "no memory to number slots");
    uint32_t *tx = next, *rx = next + n, *session = next + 2 * n, *generator = next + 3 * n;
    memcpy(tx, net->pool_first[NET_POOL_TX], n * sizeof *tx);
    memcpy(rx, net->pool_first[NET_POOL_RX], n * sizeof *rx);
    memcpy(session, b->session_first, n * sizeof *session);
    memcpy(generator, b->generator_first, n * sizeof *generator);
    for (uint32_t i = 0; i < plan->n_flows; i++) {
        const wi_net_flow_plan *f = &plan->flows[i];
        net->flow_tx[i] = tx[wi_flow_sender(b, f)]++;
        net->flow_rx[i] = rx[wi_flow_receiver(b, f)]++;
        b->flow_session[i] = wi_is_request(b, f->cls) ? session[b->node_host[f->src]]++ : NET_NONE;
    }
    for (uint32_t i = 0; i < plan->n_arrivals; i++) {
        const uint32_t host = b->node_host[plan->arrivals[i].src];
        b->arrivals_tx[i] = tx[host];
        tx[host] += plan->arrivals[i].slots;
        b->arrivals_index[i] = generator[host]++;
    }
    free(next);
    return WEIR_OK;
}

weir_status wi_build_slots(wi_building *b)
{
    const wi_net_plan *plan = b->plan;
    wi_net *net = b->net;
    const size_t n = (size_t)net->n_hosts + 1;
    net->n_flows = plan->n_flows;
    net->pool_first[NET_POOL_TX] = calloc(n, sizeof(uint32_t));
    net->pool_first[NET_POOL_RX] = calloc(n, sizeof(uint32_t));
    net->flow_tx = malloc(((size_t)plan->n_flows + 1) * sizeof(uint32_t));
    net->flow_rx = malloc(((size_t)plan->n_flows + 1) * sizeof(uint32_t));
    b->flow_session = malloc(((size_t)plan->n_flows + 1) * sizeof(uint32_t));
    b->session_first = calloc(n, sizeof(uint32_t));
    b->generator_first = calloc(n, sizeof(uint32_t));
    b->rx_dynamic = calloc(n, sizeof(uint32_t));
    b->arrivals_tx = malloc(((size_t)plan->n_arrivals + 1) * sizeof(uint32_t));
    b->arrivals_index = malloc(((size_t)plan->n_arrivals + 1) * sizeof(uint32_t));
    double *share = dynamic_shares(b);
    weir_status status = WEIR_OK;
    if (!net->pool_first[NET_POOL_TX] || !net->pool_first[NET_POOL_RX] || !net->flow_tx || !net->flow_rx ||
        !b->flow_session || !b->session_first || !b->generator_first || !b->rx_dynamic || !b->arrivals_tx ||
        !b->arrivals_index || !share)
        status = weir_fail(b->diag, WEIR_E_NOMEM, "no memory for the slots of %u flows", plan->n_flows);
    if (status == WEIR_OK)
        status = check_slots(b, share);
    if (status == WEIR_OK)
        status = number_slots(b, share);
    if (status == WEIR_OK)
        status = hand_out_slots(b);
    free(share);
    if (status != WEIR_OK)
        return status;
    /* The engine keeps its own copies of the bounds of sessions and generators. */
    net->pool_first[NET_POOL_SESSION] = malloc(n * sizeof(uint32_t));
    net->pool_first[NET_POOL_GENERATOR] = malloc(n * sizeof(uint32_t));
    if (!net->pool_first[NET_POOL_SESSION] || !net->pool_first[NET_POOL_GENERATOR])
        return weir_fail(b->diag, WEIR_E_NOMEM, "no memory for the slots of %u flows", plan->n_flows);
    memcpy(net->pool_first[NET_POOL_SESSION], b->session_first, n * sizeof(uint32_t));
    memcpy(net->pool_first[NET_POOL_GENERATOR], b->generator_first, n * sizeof(uint32_t));
    b->head.n_tx = net->n_tx;
    b->head.n_rx = net->n_rx;
    b->head.n_sessions = b->session_first[net->n_hosts];
    b->head.n_generators = b->generator_first[net->n_hosts];
    b->head.tx_first = wi_build_array(b, net->pool_first[NET_POOL_TX], n, sizeof(uint32_t), &status);
    b->head.rx_first = wi_build_array(b, net->pool_first[NET_POOL_RX], n, sizeof(uint32_t), &status);
    b->head.rx_dynamic = wi_build_array(b, b->rx_dynamic, net->n_hosts, sizeof(uint32_t), &status);
    return status;
}

/* Which host, class and generator each sending slot belongs to. */
static weir_status write_slot_owners(wi_building *b)
{
    const wi_net_plan *plan = b->plan;
    wi_net *net = b->net;
    uint32_t *host = calloc((size_t)net->n_tx + 1, sizeof *host);
    uint16_t *cls = calloc((size_t)net->n_tx + 1, sizeof *cls);
    uint32_t *generator = plan->n_arrivals ? calloc((size_t)net->n_tx + 1, sizeof *generator) : NULL;
    weir_status status = WEIR_OK;
    if (!host || !cls || (plan->n_arrivals && !generator)) {
        status = weir_fail(b->diag, WEIR_E_NOMEM, "no memory for %u slots", net->n_tx);
    } else {
        for (uint32_t h = 0; h < net->n_hosts; h++)
            for (uint32_t i = net->pool_first[NET_POOL_TX][h]; i < net->pool_first[NET_POOL_TX][h + 1]; i++)
                host[i] = h;
        for (uint32_t i = 0; i < plan->n_flows; i++)
            cls[net->flow_tx[i]] = plan->flows[i].cls;
        for (uint32_t i = 0; i < plan->n_arrivals; i++)
            for (uint32_t k = 0; k < plan->arrivals[i].slots; k++) {
                cls[b->arrivals_tx[i] + k] = plan->arrivals[i].cls;
                generator[b->arrivals_tx[i] + k] = b->arrivals_index[i];
            }
        b->head.tx_host = wi_build_array(b, host, net->n_tx, sizeof *host, &status);
        b->head.tx_class = wi_build_array(b, cls, net->n_tx, sizeof *cls, &status);
        if (generator)
            b->head.tx_generator = wi_build_array(b, generator, net->n_tx, sizeof *generator, &status);
    }
    free(host);
    free(cls);
    free(generator);
    return status;
}

typedef struct sortable_start {
    net_start start;
    uint32_t host, order;
} sortable_start;

static int by_host_and_time(const void *a, const void *b)
{
    const sortable_start *x = a, *y = b;
    if (x->host != y->host)
        return x->host < y->host ? -1 : 1;
    if (x->start.start_ps != y->start.start_ps)
        return x->start.start_ps < y->start.start_ps ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

/* The start of a planned flow, at the host that begins it. */
static net_start start_of(const wi_building *b, uint32_t flow)
{
    const wi_net_flow_plan *f = &b->plan->flows[flow];
    const wi_net *net = b->net;
    const bool request = wi_is_request(b, f->cls);
    net_start s = {.start_ps = f->start_ps, .cls = f->cls, .dst = b->node_host[f->dst]};
    s.tx = request ? b->flow_session[flow] : net->flow_tx[flow];
    s.rx_hint = request ? net->flow_tx[flow] : net->flow_rx[flow];
    if (request)
        s.u.rx = net->flow_rx[flow];
    else if (b->plan->classes[f->cls].params.flags & NET_CLASS_UDP)
        s.u.rate_bps = f->rate_bps;
    else
        s.u.size = f->size_bytes;
    return s;
}

/* A flow's start, and those that change its rate. Returns their number. */
static uint32_t starts_of(const wi_building *b, uint32_t flow, sortable_start *s)
{
    const wi_net_flow_plan *f = &b->plan->flows[flow];
    s[0] = (sortable_start){start_of(b, flow), b->node_host[f->src], flow};
    for (uint32_t k = 0; k < f->n_rates; k++) {
        const wi_net_rate_plan *to = &b->plan->rates[f->first_rate + k];
        s[1 + k] = s[0];
        s[1 + k].start.start_ps = to->at_ps;
        s[1 + k].start.u.rate_bps = to->rate_bps;
    }
    return 1 + f->n_rates;
}

/* Those with a time of their own. */
static weir_status write_starts(wi_building *b)
{
    const wi_net_plan *plan = b->plan;
    const size_t most = (size_t)plan->n_flows + plan->n_rates + 1;
    uint32_t n = 0;
    sortable_start *s = calloc(most, sizeof *s);
    net_start *starts = calloc(most, sizeof *starts);
    weir_status status =
        s && starts ? WEIR_OK : weir_fail(b->diag, WEIR_E_NOMEM, "no memory for starts of flows");
    for (uint32_t i = 0; i < plan->n_flows && status == WEIR_OK; i++) {
        if (!plan->flows[i].after)
            n += starts_of(b, i, s + n);
    }
    if (status == WEIR_OK) {
        qsort(s, n, sizeof *s, by_host_and_time);
        net_host_params *hosts = wi_image_at(&b->image, b->head.hosts);
        for (uint32_t i = 0; i < n; i++) {
            starts[i] = s[i].start;
            if (hosts[s[i].host].n_starts++ == 0)
                hosts[s[i].host].first_start = i;
        }
    }
    b->head.starts = wi_build_array(b, starts, n, sizeof *starts, &status);
    free(s);
    free(starts);
    return status;
}

static weir_status write_generators(wi_building *b)
{
    const wi_net_plan *plan = b->plan;
    uint64_t n_dsts = 0;
    for (uint32_t i = 0; i < plan->n_arrivals; i++)
        n_dsts += plan->arrivals[i].n_dst;
    if (n_dsts >= UINT32_MAX)
        return weir_fail(b->diag, WEIR_E_SCENARIO,
                         "too many pairs of sources and destinations of arrivals: %llu",
                         (unsigned long long)n_dsts);
    net_generator *generators = calloc((size_t)plan->n_arrivals + 1, sizeof *generators);
    uint32_t *dsts = calloc(n_dsts + 1, sizeof *dsts);
    weir_status status =
        generators && dsts ? WEIR_OK : weir_fail(b->diag, WEIR_E_NOMEM, "no memory for arrivals");
    uint32_t at = 0;
    for (uint32_t i = 0; i < plan->n_arrivals && status == WEIR_OK; i++) {
        const wi_net_arrivals_plan *a = &plan->arrivals[i];
        net_generator *g = &generators[b->arrivals_index[i]];
        g->gap_ps = a->gap_ps;
        g->start_ps = a->start_ps;
        g->first_dst = at;
        g->n_dst = a->n_dst;
        g->first_tx = b->arrivals_tx[i];
        g->n_tx = a->slots;
        g->cls = a->cls;
        g->periodic = a->periodic;
        for (uint32_t k = 0; k < a->n_dst; k++)
            dsts[at++] = b->node_host[a->dst[k]];
    }
    b->head.generators = wi_build_array(b, generators, plan->n_arrivals, sizeof *generators, &status);
    b->head.dsts = wi_build_array(b, dsts, n_dsts, sizeof *dsts, &status);
    free(generators);
    free(dsts);
    return status;
}

/* ---- gates ---- */

/* Bounds of each host's gates, and the number of each. */
weir_status wi_build_gate_slots(wi_building *b)
{
    const wi_net_plan *plan = b->plan;
    const size_t hosts = (size_t)b->net->n_hosts;
    if (plan->n_gates == 0)
        return WEIR_OK;
    uint32_t *first = b->gate_first = calloc(hosts + 1, sizeof *first);
    uint32_t *next = calloc(hosts + 1, sizeof *next);
    b->gate_index = malloc(plan->n_gates * sizeof *b->gate_index);
    if (!first || !next || !b->gate_index) {
        free(next);
        return weir_fail(b->diag, WEIR_E_NOMEM, "no memory for %u gates of flows", plan->n_gates);
    }
    for (uint32_t i = 0; i < plan->n_gates; i++)
        first[b->node_host[plan->gates[i].node] + 1]++;
    for (size_t h = 0; h < hosts; h++)
        first[h + 1] += first[h];
    memcpy(next, first, hosts * sizeof *next);
    for (uint32_t i = 0; i < plan->n_gates; i++)
        b->gate_index[i] = next[b->node_host[plan->gates[i].node]]++;
    free(next);
    return WEIR_OK;
}

/* Starts gate by gate, in the order of the plan. */
static void fill_gates(const wi_building *b, net_gate *gates, net_start *starts, uint32_t *rx_gate)
{
    const wi_net_plan *plan = b->plan;
    const uint32_t *word_first = b->net->pool_first[NET_POOL_HOST_WORDS];
    for (uint32_t i = 0; i < plan->n_gates; i++) {
        net_gate *g = &gates[b->gate_index[i]];
        g->needs = plan->gates[i].needs;
        const uint32_t host = b->node_host[plan->gates[i].node];
        g->word = word_first[host + 1] - (b->gate_first[host + 1] - b->gate_index[i]);
        g->pause_ps = plan->gates[i].pause_ps > 0 ? plan->gates[i].pause_ps : 1;
    }
    for (uint32_t i = 0; i < plan->n_flows; i++) {
        if (plan->flows[i].after)
            gates[b->gate_index[plan->flows[i].after - 1]].n_starts++;
        if (plan->flows[i].feeds)
            rx_gate[b->net->flow_rx[i]] = b->gate_index[plan->flows[i].feeds - 1];
    }
    for (uint32_t k = 0, at = 0; k < plan->n_gates; k++) {
        gates[k].first_start = at;
        at += gates[k].n_starts;
        gates[k].n_starts = 0;
    }
    for (uint32_t i = 0; i < plan->n_flows; i++)
        if (plan->flows[i].after) {
            net_gate *g = &gates[b->gate_index[plan->flows[i].after - 1]];
            starts[g->first_start + g->n_starts++] = start_of(b, i);
        }
}

weir_status wi_build_gates(wi_building *b)
{
    const wi_net_plan *plan = b->plan;
    const uint32_t n_rx = b->net->n_rx;
    weir_status status = WEIR_OK;
    if (plan->n_gates == 0)
        return WEIR_OK;
    net_gate *gates = calloc(plan->n_gates, sizeof *gates);
    net_start *starts = calloc((size_t)plan->n_flows + 1, sizeof *starts);
    uint32_t *rx_gate = malloc(((size_t)n_rx + 1) * sizeof *rx_gate);
    if (gates && starts && rx_gate) {
        memset(rx_gate, 0xff, (size_t)n_rx * sizeof *rx_gate);
        fill_gates(b, gates, starts, rx_gate);
        b->head.gates = wi_build_array(b, gates, plan->n_gates, sizeof *gates, &status);
        b->head.gate_starts = wi_build_array(b, starts, plan->n_flows, sizeof *starts, &status);
        b->head.rx_gate = wi_build_array(b, rx_gate, n_rx, sizeof *rx_gate, &status);
    } else {
        status = weir_fail(b->diag, WEIR_E_NOMEM, "no memory for %u gates of flows", plan->n_gates);
    }
    free(gates);
    free(starts);
    free(rx_gate);
    return status;
}

weir_status wi_build_flows(wi_building *b)
{
    weir_status status = write_slot_owners(b);
    if (status == WEIR_OK)
        status = wi_build_windows(b);
    if (status == WEIR_OK)
        status = wi_build_classes(b);
    if (status == WEIR_OK)
        status = write_starts(b);
    if (status == WEIR_OK)
        status = write_generators(b);
    return status;
}
