/* series.h5: queues and throughput of ports, windows of flows, sampled at stop points. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/queue/queues.h"
#include "base/memory.h"
#include "output/number.h"
#include "network/fluid/fluid.h"
#include "scenario/results/results.h"
#include "net/switch/switch.h"

static const wi_result_column port_columns[] = {
    WI_SAMPLE("queue_bytes", "bytes", "accepted and not yet sent, at that instant"),
    WI_SAMPLE("throughput_bps", "bit/s", "sent since the last sample"),
    WI_SAMPLE("utilisation", "1",
              "the same, `overhead` included, over the link's rate, or what its trace allowed since"),
    WI_SAMPLE("dropped_packets", "packets", "dropped since the last sample, for all reasons"),
    WI_SAMPLE("fluid_lost_bytes", "bytes", "fluid that the queue did not take since the last sample"),
    WI_SAMPLE("drop_probability", "1",
              "RED: share of arrivals that it drops or marks by its average (packets: before its `mode` "
              "makes gaps of it); NaN for drop-tail"),
    WI_SAMPLE("average_bytes", "bytes", "RED: the average that it goes by; NaN for drop-tail"),
};
static const wi_result_column flow_columns[] = {
    WI_SAMPLE("cwnd_bytes", "bytes", "congestion window"),
    WI_SAMPLE("ssthresh_bytes", "bytes", "slow-start threshold; NaN before the first loss"),
    WI_SAMPLE("srtt_s", "s", "smoothed round-trip time of the sender; 0 before the first sample"),
    WI_SAMPLE("goodput_bps", "bit/s", "payload delivered in order since the last sample"),
    WI_SAMPLE("loss", "1",
              "fluid: bytes lost, or marked, since the last sample over those of which the sender learnt "
              "what became; NaN for packets"),
};
const wi_result_table wi_port_series_table = WI_RESULT(SERIES, "ports", port_columns),
                      wi_flow_series_table = WI_RESULT(SERIES, "flows", flow_columns);
enum {
    PORT_COLUMNS = sizeof port_columns / sizeof *port_columns,
    FLOW_COLUMNS = sizeof flow_columns / sizeof *flow_columns
};

static weir_status no_memory(const wi_results_of_run *r)
{
    return weir_fail(r->run->diag, WEIR_E_NOMEM, "no memory for time series");
}

uint32_t *wi_entities_of_edges(const wi_network *n)
{
    const weir_graph *g = n->graph;
    uint32_t *entity = malloc(((size_t)g->n_edges + 1) * sizeof *entity);
    for (uint32_t e = 0; entity && e < g->n_edges; e++)
        entity[e] = NET_NONE;
    for (uint32_t h = 0; entity && h < n->net->n_hosts; h++)
        if (g->role[n->net->host_node[h]] == WEIR_HOST)
            entity[g->first[n->net->host_node[h]]] = h;
    for (uint32_t p = 0; entity && p < n->net->n_ports; p++)
        if (n->net->port_edge[p] < g->n_edges) /* those toward implicit hosts have no edge */
            entity[n->net->port_edge[p]] = n->net->n_hosts + p;
    return entity;
}

/* The ports of output.ports, in its order, each once. */
static weir_status choose_listed(wi_results_of_run *r)
{
    const wi_network *n = r->network;
    const weir_link_names *ports = &n->scenario->output.port;
    WI_ENDED(wi_number_list_free) wi_number_list edges = {0};
    weir_status status = WEIR_OK;
    WI_FREED uint32_t *entity = wi_entities_of_edges(n);
    if (!entity)
        return no_memory(r);
    for (size_t i = 0; i < ports->n && status == WEIR_OK; i++)
        status = wi_network_edges(r->run->diag, n, &ports->item[i], &edges);
    for (uint32_t k = 0; k < edges.n && status == WEIR_OK; k++) {
        uint32_t *of_edge = &entity[edges.item[k]];
        if (*of_edge != NET_NONE)
            r->sampled_ports[r->n_sampled_ports++] = *of_edge;
        *of_edge = NET_NONE;
    }
    return status;
}

static weir_status choose_ports(wi_results_of_run *r)
{
    const wi_network *n = r->network;
    const weir_scenario_output *o = &n->scenario->output;
    const uint32_t entities = n->net->n_hosts + n->net->n_ports;
    r->sampled_ports = wi_take(&r->memory, entities, sizeof *r->sampled_ports);
    if (r->memory.failed)
        return no_memory(r);
    if (o->ports == WEIR_SC_PORTS_ALL)
        for (uint32_t e = n->net->n_hosts; e < entities; e++)
            r->sampled_ports[r->n_sampled_ports++] = e;
    return o->ports == WEIR_SC_PORTS_LIST ? choose_listed(r) : WEIR_OK;
}

/* Does output.cwnd name this class, once or more often, and has it a window? */
static bool wants_windows(const weir_scenario *s, uint32_t cls)
{
    bool named = false;
    for (size_t k = 0; k < s->output.cwnd.n; k++)
        named |= strcmp(s->output.cwnd.item[k].text, s->traffic[cls].name.text) == 0;
    return named && !s->traffic[cls].is_udp;
}

static weir_status choose_flows(wi_results_of_run *r)
{
    const weir_scenario *s = r->network->scenario;
    const wi_net_plan *const plan = &r->network->plan;
    r->sampled_flows = wi_take(&r->memory, plan->n_flows, sizeof *r->sampled_flows);
    r->sampled_tx = wi_take(&r->memory, plan->n_flows, sizeof *r->sampled_tx);
    r->sampled_rx = wi_take(&r->memory, plan->n_flows, sizeof *r->sampled_rx);
    if (r->memory.failed)
        return no_memory(r);
    for (uint32_t i = 0; i < plan->n_flows; i++)
        if (wants_windows(s, plan->flows[i].cls))
            r->sampled_flows[r->n_sampled_flows++] = i;
    for (uint32_t i = 0; i < r->n_sampled_flows; i++) {
        r->sampled_tx[i] = r->network->net->flow_tx[r->sampled_flows[i]];
        r->sampled_rx[i] = r->network->net->flow_rx[r->sampled_flows[i]];
    }
    return WEIR_OK;
}

/* "3 bulk Seattle->Atlanta": number among the flows that the scenario starts, class, nodes, and what follows. */
static char *flow_name(const wi_network *n, uint32_t number, uint32_t cls, const uint32_t nodes[2],
                       const char *more)
{
    char *text = NULL;
    return asprintf(&text, "%u %s %s->%s%s", number, n->plan.classes[cls].name, n->graph->name[nodes[0]],
                    n->graph->name[nodes[1]], more) < 0
               ? NULL
               : text;
}

/* Row `i` of the table of flows: packets', then fluid's. */
static char *flow_row_name(const wi_results_of_run *r, size_t i)
{
    const wi_network *n = r->network;
    char more[50] = "";
    if (i < r->n_sampled_flows) {
        const uint32_t at = r->sampled_flows[i];
        const wi_net_flow_plan *f = &n->plan.flows[at];
        return flow_name(n, at, f->cls, (uint32_t[]){f->src, f->dst}, more);
    }
    const uint32_t at = r->sampled_fluid[i - r->n_sampled_flows];
    const wi_fluid_demand *f = &n->fluid_flows.item[at];
    snprintf(more, sizeof more, " fluid, %u sessions", f->sessions);
    return flow_name(n, n->plan.n_flows + at, f->cls, (uint32_t[]){f->src, f->dst}, more);
}

static weir_status add_tables(wi_results_of_run *r)
{
    const size_t n_ports = r->n_sampled_ports, n_flows = r->n_sampled_flows + r->n_sampled_fluid;
    char **ports = calloc(n_ports + 1, sizeof *ports), **flows = calloc(n_flows + 1, sizeof *flows);
    bool whole = ports && flows;
    for (size_t i = 0; whole && i < n_ports; i++)
        whole = (ports[i] = wi_port_name(r->network, r->sampled_ports[i])) != NULL;
    for (size_t i = 0; whole && i < n_flows; i++)
        whole = (flows[i] = flow_row_name(r, i)) != NULL;
    weir_status status = whole ? WEIR_OK : no_memory(r);
    if (status == WEIR_OK && n_ports)
        status = wi_series_table_add(r->run->diag, r->run->series, &wi_port_series_table,
                                     (const char *const *)ports, n_ports, &r->port_table);
    if (status == WEIR_OK && n_flows)
        status = wi_series_table_add(r->run->diag, r->run->series, &wi_flow_series_table,
                                     (const char *const *)flows, n_flows, &r->flow_table);
    wi_texts_free(ports, n_ports);
    wi_texts_free(flows, n_flows);
    return status;
}

/* Where ports' states stand in the words of their switch: these words; none elsewhere. */
static bool choose_words(wi_results_of_run *r)
{
    const wi_net *net = r->network->net;
    if (!wi_net_world(net)->port_router)
        return true;
    r->sampled_words =
        wi_take(&r->memory, (size_t)r->n_sampled_ports * NET_SWITCH_PORT_WORDS, sizeof *r->sampled_words);
    for (uint32_t i = 0; r->sampled_words && i < r->n_sampled_ports; i++) {
        const uint32_t entity = r->sampled_ports[i];
        for (uint32_t k = 0; entity >= net->n_hosts && k < NET_SWITCH_PORT_WORDS; k++)
            r->sampled_words[r->n_sampled_words++] = wi_net_switch_words(net, entity) + k;
    }
    return r->sampled_words != NULL;
}

/* Fluid flows of the classes whose windows are wanted. */
static weir_status choose_fluid(wi_results_of_run *r)
{
    const weir_scenario *s = r->network->scenario;
    const wi_fluid_list *fluid = &r->network->fluid_flows;
    r->sampled_fluid = wi_take(&r->memory, fluid->n, sizeof *r->sampled_fluid);
    r->last_fluid = wi_take(&r->memory, fluid->n, sizeof *r->last_fluid);
    r->last_lost = wi_take(&r->memory, fluid->n, sizeof *r->last_lost);
    r->last_gone = wi_take(&r->memory, fluid->n, sizeof *r->last_gone);
    if (r->memory.failed)
        return no_memory(r);
    for (uint32_t i = 0; i < fluid->n; i++)
        if (wants_windows(s, fluid->item[i].cls))
            r->sampled_fluid[r->n_sampled_fluid++] = i;
    return WEIR_OK;
}

/* What a sample reads of the simulation. */
static void want(const wi_results_of_run *r)
{
    weir_sim_want *const out = &r->run->want;
    if (r->port_table) {
        out->entity = r->sampled_ports;
        out->n_entities = r->n_sampled_ports;
        out->slot[NET_POOL_PORT_WORDS] = r->sampled_words;
        out->n_slots[NET_POOL_PORT_WORDS] = r->n_sampled_words;
    }
    if (r->flow_table) {
        out->slot[NET_POOL_TX] = r->sampled_tx;
        out->slot[NET_POOL_RX] = r->sampled_rx;
        out->n_slots[NET_POOL_TX] = out->n_slots[NET_POOL_RX] = r->n_sampled_flows;
    }
}

weir_status wi_series_begin(wi_results_of_run *r)
{
    WI_RETURN_IF_FAILED(choose_ports(r) ?: choose_flows(r) ?: choose_fluid(r));
    const size_t flows = (size_t)r->n_sampled_flows + r->n_sampled_fluid;
    if (!choose_words(r))
        return no_memory(r);
    const size_t most = r->n_sampled_ports > flows ? r->n_sampled_ports : flows;
    r->last_bytes = wi_take(&r->memory, r->n_sampled_ports, sizeof *r->last_bytes);
    r->last_line = wi_take(&r->memory, r->n_sampled_ports, sizeof *r->last_line);
    r->last_drops = wi_take(&r->memory, r->n_sampled_ports, sizeof *r->last_drops);
    r->last_fluid_lost = wi_take(&r->memory, r->n_sampled_ports, sizeof *r->last_fluid_lost);
    r->last_acked = wi_take(&r->memory, r->n_sampled_flows, sizeof *r->last_acked);
    r->row = wi_take(&r->memory, most * PORT_COLUMNS, sizeof *r->row);
    if (r->memory.failed)
        return no_memory(r);
    weir_status status = add_tables(r);
    want(r);
    return status;
}

/* Bytes of fluid, its ACKs included, that a port has accepted; and its queue is then that of both. */
static double share_fluid(const wi_results_of_run *r, uint32_t entity, double *queue_bytes)
{
    const wi_fluid_net *f = r->network->fluid;
    if (!f || f->port_of[entity] == UINT32_MAX || !f->now)
        return 0;
    const weir_fluid_port_state *s = &f->now->ports[f->port_of[entity]];
    *queue_bytes = wi_fluid_net_queue(f, f->port_of[entity]);
    return wi_fluid_net_sent_bytes(f, f->port_of[entity], f->now) + s->queue_bytes;
}

/* What a queue's discipline does: fluid that was lost since the sample before, RED's chance of a drop or mark and
 * the average that it goes by; NaN where there is no RED. */
static void sample_discipline(const wi_results_of_run *r, uint32_t i, const net_port *port, double *out)
{
    const uint32_t entity = r->sampled_ports[i];
    const wi_fluid_net *f = r->network->fluid;
    const net_queue *q = NET_ARRAY(wi_net_world(r->network->net), net_queue, queues) +
                         wi_net_link(r->network->net, entity)->queue;
    const bool red = q->params.type == NET_QUEUE_RED;
    out[0] = 0.0;
    out[1] = out[2] = (double)NAN;
    if (f && f->port_of[entity] != UINT32_MAX) {
        const weir_fluid_port_state none = {0}, *s = f->now ? &f->now->ports[f->port_of[entity]] : &none;
        out[0] = s->lost_bytes - r->last_fluid_lost[i];
        r->last_fluid_lost[i] = s->lost_bytes;
        if (red) {
            out[1] = s->drop;
            out[2] = s->average_bytes;
        }
    } else if (red) {
        const net_red_params *const p = NET_QUEUE_PARAMS(red, q);
        out[1] = net_red_probability(p, port->queue.average);
        out[2] = port->queue.average * (p->in_packets ? q->mean_packet_bytes : 1.0);
    }
}

/* What has left: accepted and not standing in the queue. */
static double left_of(double accepted, double standing_bytes)
{
    return fmax(accepted - standing_bytes, 0.0);
}

wi_port_sent wi_port_sent_by(const wi_results_of_run *r, uint32_t entity, weir_time now)
{
    const wi_net *net = r->network->net;
    const net_port *p = wi_net_port(net, r->run->sim, entity);
    const double line = wi_net_line_bytes(net, r->run->sim, entity, now);
    wi_port_sent sent = {.queue_bytes = line * wi_net_packets_share(net, entity, p)};
    const double added = (double)p->packets * (double)wi_net_link(net, entity)->overhead,
                 accepted = (double)p->bytes + share_fluid(r, entity, &sent.queue_bytes);
    sent.bytes = left_of(accepted, sent.queue_bytes);
    sent.line_bytes =
        added > 0.0 ? left_of(accepted + added, line) : sent.bytes; /* beside fluid lines add nothing */
    return sent;
}

double wi_bps_since(double before, double bytes, weir_time span_ps)
{
    return bytes > before && span_ps > 0 ? wi_twelve_digits(wi_per_second(8.0 * (bytes - before), span_ps))
                                         : 0.0;
}

static void sample_ports(wi_results_of_run *r, weir_time now, weir_time span_ps)
{
    for (uint32_t i = 0; i < r->n_sampled_ports; i++) {
        const net_port *p = wi_net_port(r->network->net, r->run->sim, r->sampled_ports[i]);
        const wi_port_sent sent = wi_port_sent_by(r, r->sampled_ports[i], now);
        const uint64_t drops = p->dropped[0] + p->dropped[1] + p->dropped[2] + p->dropped_ttl;
        double *row = r->row + (size_t)i * PORT_COLUMNS;
        row[0] = sent.queue_bytes + (double)wi_net_waiting_bytes(r->network->net, r->sampled_ports[i], p);
        row[1] = wi_bps_since(r->last_bytes[i], sent.bytes, span_ps);
        row[2] = wi_bps_since(r->last_line[i], sent.line_bytes, span_ps) /
                 wi_net_line_rate_bps(r->network->net, r->sampled_ports[i], now - span_ps, now);
        row[3] = (double)(drops - r->last_drops[i]);
        sample_discipline(r, i, p, row + 4);
        r->last_bytes[i] = fmax(r->last_bytes[i], sent.bytes); /* what seems to shrink counts once */
        r->last_line[i] = fmax(r->last_line[i], sent.line_bytes);
        r->last_drops[i] = drops;
    }
}

static void sample_flows(wi_results_of_run *r, weir_time span_ps)
{
    for (uint32_t i = 0; i < r->n_sampled_flows; i++) {
        const net_tx *tx = wi_net_tx(r->network->net, r->run->sim, r->sampled_flows[i]);
        const net_rx *rx = wi_net_rx(r->network->net, r->run->sim, r->sampled_flows[i]);
        double *row = r->row + (size_t)i * FLOW_COLUMNS;
        row[0] = (double)tx->cwnd;
        row[1] = tx->ssthresh == UINT32_MAX ? (double)NAN : (double)tx->ssthresh;
        row[2] = weir_seconds(tx->srtt_ps);
        /* A slot that serves another reply begins its count again. */
        const uint64_t since = rx->bytes >= r->last_acked[i] ? rx->bytes - r->last_acked[i] : rx->bytes;
        row[3] = span_ps > 0 ? wi_per_second(8.0 * (double)since, span_ps) : 0.0;
        row[4] = (double)NAN; /* packets have flows.csv */
        r->last_acked[i] = rx->bytes;
    }
}

/* After the rows of packet flows: window of a session, round trip, goodput of all sessions. */
static void sample_fluid(wi_results_of_run *r, weir_time span_ps)
{
    const wi_fluid_net *f = r->network->fluid;
    for (uint32_t i = 0; i < r->n_sampled_fluid; i++) {
        const uint32_t flow = r->sampled_fluid[i], cls = r->network->fluid_flows.item[flow].cls;
        const weir_fluid_flow_state none = {0}, *s = f->now ? &f->now->flows[flow] : &none;
        const double acked = s->acked_bytes * f->payload[cls];
        double *row = r->row + ((size_t)r->n_sampled_flows + i) * FLOW_COLUMNS;
        row[0] = s->window * wi_fluid_net_segment(f, flow);
        row[1] = (double)NAN;
        row[2] = s->rtt_s;
        row[3] = span_ps > 0 ? wi_per_second(8.0 * (acked - r->last_fluid[i]), span_ps) : 0.0;
        const double lost = s->lost_bytes - r->last_lost[i], gone = s->acked_bytes - r->last_gone[i] + lost;
        row[4] = gone > 0.0 ? lost / gone : 0.0;
        r->last_fluid[i] = acked;
        r->last_lost[i] = s->lost_bytes;
        r->last_gone[i] = s->acked_bytes;
    }
}

weir_status wi_results_sample(wi_results_of_run *r)
{
    const weir_time now = weir_sim_now(r->run->sim);
    const weir_time span_ps = now - r->run->last_ps;
    weir_status status = WEIR_OK;
    if (r->network->fluid)
        wi_fluid_net_take(r->network->fluid, now);
    if (r->port_table) {
        sample_ports(r, now, span_ps);
        status = wi_series_append(r->run->diag, r->port_table, now, r->row);
    }
    if (r->flow_table && status == WEIR_OK) {
        sample_flows(r, span_ps);
        sample_fluid(r, span_ps);
        status = wi_series_append(r->run->diag, r->flow_table, now, r->row);
    }
    return status;
}
