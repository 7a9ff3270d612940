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

#include "packets/build/building.h"
#include "base/order.h"
#include "net/congestion/congestion.h"

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

static bool is_job(const wi_building *b, const wi_net_arrivals_plan *a)
{
    return (b->plan->classes[a->cls].params.flags & NET_CLASS_JOB) != 0;
}

static double *dynamic_shares(wi_building *b)
{
    double *share = wi_build_temp(b, b->net->n_hosts, sizeof *share);
    for (uint32_t i = 0; share && i < b->plan->n_arrivals; i++) {
        const wi_net_arrivals_plan *a = &b->plan->arrivals[i];
        for (uint32_t k = 0; k < a->n_dst && !is_job(b, a); k++)
            share[b->node_host[a->dst[k]]] += (double)a->slots / a->n_dst;
    }
    return share;
}

/* Slots are numbered in 31 bits: hints of packets hold one bit more. */
static weir_status check_slots(const wi_building *b, const double *share)
{
    double tx = b->plan->n_flows, rx = b->plan->n_flows;
    for (uint32_t i = 0; i < b->plan->n_arrivals; i++) {
        tx += b->plan->arrivals[i].slots;
        rx += b->plan->arrivals[i].rx_slots;
    }
    for (uint32_t h = 0; h < b->net->n_hosts; h++)
        rx += 2.0 * share[h] + RX_SPARE;
    if (tx <= INT32_MAX && rx <= INT32_MAX)
        return WEIR_OK;
    return weir_fail(b->diag, WEIR_E_SCENARIO,
                     "flows may be on their way at once at %.0f senders and %.0f receivers, more than %d: "
                     "lower max_flows, or have fewer pairs",
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
        rx[b->node_host[plan->arrivals[i].src]] += plan->arrivals[i].rx_slots;
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
    uint32_t *next = wi_build_temp(b, 4 * n, sizeof *next);
    if (!next)
        return b->status;
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
    return WEIR_OK;
}

weir_status wi_build_slots(wi_building *b)
{
    const wi_net_plan *plan = b->plan;
    wi_net *net = b->net;
    const size_t n = (size_t)net->n_hosts + 1;
    net->n_flows = plan->n_flows;
    for (int p = NET_POOL_TX; p <= NET_POOL_SESSION; p++)
        net->pool_first[p] = wi_build_keep(b, n, sizeof(uint32_t));
    net->flow_tx = wi_build_keep(b, plan->n_flows, sizeof(uint32_t));
    net->flow_rx = wi_build_keep(b, plan->n_flows, sizeof(uint32_t));
    b->flow_session = wi_build_temp(b, plan->n_flows, sizeof(uint32_t));
    b->session_first = net->pool_first[NET_POOL_SESSION];
    b->generator_first = net->pool_first[NET_POOL_GENERATOR];
    b->rx_dynamic = wi_build_temp(b, n, sizeof(uint32_t));
    b->arrivals_tx = wi_build_temp(b, plan->n_arrivals, sizeof(uint32_t));
    b->arrivals_index = wi_build_temp(b, plan->n_arrivals, sizeof(uint32_t));
    const double *share = dynamic_shares(b);
    if (b->status != WEIR_OK)
        return b->status;
    WI_RETURN_IF_FAILED(check_slots(b, share) ?: number_slots(b, share) ?: hand_out_slots(b));
    b->head.n_tx = net->n_tx;
    b->head.n_rx = net->n_rx;
    b->head.n_sessions = b->session_first[net->n_hosts];
    b->head.n_generators = b->generator_first[net->n_hosts];
    b->head.tx_first = wi_build_array(b, net->pool_first[NET_POOL_TX], n, sizeof(uint32_t));
    b->head.rx_first = wi_build_array(b, net->pool_first[NET_POOL_RX], n, sizeof(uint32_t));
    b->head.rx_dynamic = wi_build_array(b, b->rx_dynamic, net->n_hosts, sizeof(uint32_t));
    return b->status;
}

/* Which host, class and generator each sending slot belongs to. */
static void write_slot_owners(wi_building *b)
{
    const wi_net_plan *plan = b->plan;
    wi_net *net = b->net;
    const uint32_t *first = net->pool_first[NET_POOL_TX];
    uint32_t *host = wi_build_place(b, net->n_tx, sizeof *host, &b->head.tx_host);
    for (uint32_t h = 0; host && h < net->n_hosts; h++)
        for (uint32_t i = first[h]; i < first[h + 1]; i++)
            host[i] = h;
    uint16_t *cls = wi_build_place(b, net->n_tx, sizeof *cls, &b->head.tx_class);
    for (uint32_t i = 0; cls && i < plan->n_flows; i++)
        cls[net->flow_tx[i]] = plan->flows[i].cls;
    for (uint32_t i = 0; cls && i < plan->n_arrivals; i++)
        for (uint32_t k = 0; k < plan->arrivals[i].slots; k++)
            cls[b->arrivals_tx[i] + k] = plan->arrivals[i].cls;
    if (plan->n_arrivals == 0)
        return;
    uint32_t *generator = wi_build_place(b, net->n_tx, sizeof *generator, &b->head.tx_generator);
    for (uint32_t i = 0; generator && i < plan->n_arrivals; i++)
        for (uint32_t k = 0; k < plan->arrivals[i].slots; k++)
            generator[b->arrivals_tx[i] + k] = b->arrivals_index[i];
}

typedef struct sortable_start {
    net_start start;
    uint32_t host, order;
} sortable_start;

WI_ORDER_BY(by_host_and_time, sortable_start,
            WI_ORDER(x->host, y->host) ?: WI_ORDER(x->start.start_ps, y->start.start_ps)
                ?: WI_ORDER(x->order, y->order))

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
static void write_starts(wi_building *b)
{
    const wi_net_plan *plan = b->plan;
    const uint64_t most = (uint64_t)plan->n_flows + plan->n_rates;
    uint32_t n = 0;
    sortable_start *s = wi_build_temp(b, most, sizeof *s);
    for (uint32_t i = 0; s && i < plan->n_flows; i++)
        if (!plan->flows[i].after)
            n += starts_of(b, i, s + n);
    net_start *starts = wi_build_place(b, n, sizeof *starts, &b->head.starts);
    if (!s || !starts)
        return;
    qsort(s, n, sizeof *s, by_host_and_time);
    net_host_params *hosts = wi_image_at(&b->image, b->head.hosts);
    for (uint32_t i = 0; i < n; i++) {
        starts[i] = s[i].start;
        if (hosts[s[i].host].n_starts++ == 0)
            hosts[s[i].host].first_start = i;
    }
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
    net_generator *generators = wi_build_place(b, plan->n_arrivals, sizeof *generators, &b->head.generators);
    uint32_t *dsts = wi_build_temp(b, n_dsts, sizeof *dsts), at = 0;
    if (b->status != WEIR_OK)
        return b->status;
    for (uint32_t i = 0; i < plan->n_arrivals; i++) {
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
    b->head.dsts = wi_build_array(b, dsts, n_dsts, sizeof *dsts);
    return b->status;
}

/* ---- gates ---- */

/* Bounds of each host's gates, and the number of each. */
weir_status wi_build_gate_slots(wi_building *b)
{
    const wi_net_plan *plan = b->plan;
    const size_t hosts = (size_t)b->net->n_hosts;
    if (plan->n_gates == 0)
        return WEIR_OK;
    uint32_t *first = b->gate_first = wi_build_temp(b, hosts + 1, sizeof *first);
    uint32_t *next = wi_build_temp(b, hosts + 1, sizeof *next);
    b->gate_index = wi_build_temp(b, plan->n_gates, sizeof *b->gate_index);
    if (b->status != WEIR_OK)
        return b->status;
    for (uint32_t i = 0; i < plan->n_gates; i++)
        first[b->node_host[plan->gates[i].node]]++;
    prefix_sum(first, b->net->n_hosts);
    memcpy(next, first, hosts * sizeof *next);
    for (uint32_t i = 0; i < plan->n_gates; i++)
        b->gate_index[i] = next[b->node_host[plan->gates[i].node]]++;
    return WEIR_OK;
}

/* Word of a gate of the plan; their words are a host's last. */
static uint32_t gate_word(const wi_building *b, uint32_t gate)
{
    const uint32_t host = b->node_host[b->plan->gates[gate].node];
    return b->net->pool_first[NET_POOL_HOST_WORDS][host + 1] -
           (b->gate_first[host + 1] - b->gate_index[gate]);
}

static void fill_gate(const wi_building *b, uint32_t gate, net_gate *g)
{
    const wi_net_gate_plan *plan = &b->plan->gates[gate];
    *g = (net_gate){.needs = plan->needs,
                    .first_feed = plan->first_feed,
                    .n_feeds = plan->n_feeds,
                    .word = gate_word(b, gate),
                    .to = plan->to ? b->gate_index[plan->to - 1] : NET_NONE,
                    .host = b->node_host[plan->node],
                    .pause_ps = plan->pause_ps > 0 ? plan->pause_ps : 1,
                    .reach_ps = plan->reach_ps > 0 ? plan->reach_ps : 1};
}

/* Starts gate by gate, in the order of the plan. */
static void fill_gates(const wi_building *b, net_gate *gates, net_start *starts, uint32_t *rx_gate,
                       uint32_t *tx_gate)
{
    const wi_net_plan *plan = b->plan;
    for (uint32_t i = 0; i < plan->n_gates; i++)
        fill_gate(b, i, &gates[b->gate_index[i]]);
    for (uint32_t i = 0; i < plan->n_flows; i++) {
        const wi_net_flow_plan *f = &plan->flows[i];
        if (f->after)
            gates[b->gate_index[f->after - 1]].n_starts++;
        if (f->feeds)
            rx_gate[b->net->flow_rx[i]] = b->gate_index[f->feeds - 1];
        if (f->sent_feeds)
            tx_gate[b->net->flow_tx[i]] = b->gate_index[f->sent_feeds - 1];
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
    if (plan->n_gates == 0)
        return WEIR_OK;
    net_gate *gates = wi_build_temp(b, plan->n_gates, sizeof *gates);
    net_start *starts = wi_build_temp(b, plan->n_flows, sizeof *starts);
    uint32_t *rx_gate = wi_build_temp(b, (uint64_t)b->net->n_rx + 1, sizeof *rx_gate);
    uint32_t *tx_gate = wi_build_temp(b, (uint64_t)b->net->n_tx + 1, sizeof *tx_gate);
    uint32_t *feeds = wi_build_temp(b, (uint64_t)plan->n_gate_feeds + 1, sizeof *feeds);
    if (b->status != WEIR_OK)
        return b->status;
    memset(rx_gate, 0xff, (size_t)b->net->n_rx * sizeof *rx_gate);
    memset(tx_gate, 0xff, (size_t)b->net->n_tx * sizeof *tx_gate);
    fill_gates(b, gates, starts, rx_gate, tx_gate);
    for (uint32_t i = 0; i < plan->n_gate_feeds; i++)
        feeds[i] = b->gate_index[plan->gate_feeds[i]];
    b->head.rx_gate = wi_build_array(b, rx_gate, b->net->n_rx, sizeof *rx_gate);
    b->head.tx_gate = wi_build_array(b, tx_gate, b->net->n_tx, sizeof *tx_gate);
    b->head.gates = wi_build_array(b, gates, plan->n_gates, sizeof *gates);
    b->head.gate_first =
        wi_build_array(b, b->gate_first, (uint64_t)b->net->n_hosts + 1, sizeof *b->gate_first);
    b->head.gate_starts = wi_build_array(b, starts, plan->n_flows, sizeof *starts);
    b->head.gate_feeds = wi_build_array(b, feeds, (uint64_t)plan->n_gate_feeds + 1, sizeof *feeds);
    return b->status;
}

weir_status wi_build_flows(wi_building *b)
{
    write_slot_owners(b);
    weir_status status = wi_build_windows(b) ?: wi_build_classes(b);
    if (status == WEIR_OK)
        write_starts(b);
    return status ?: write_generators(b);
}
