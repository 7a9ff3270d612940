/* Reading totals from a simulation of the packet network. */
#include "packets/stats/stats.h"

#include <math.h>
#include <stdlib.h>

#include "net/transport/flow.h"
#include "net/host/host.h"

uint32_t wi_net_switch_words(const wi_net *net, uint32_t entity)
{
    const net_world *w = wi_net_world(net);
    const uint32_t router = NET_ARRAY(w, uint32_t, port_router)[entity - net->n_hosts];
    const uint32_t first = NET_ARRAY(w, uint32_t, router_port)[router];
    return NET_ARRAY(w, uint32_t, rings)[2 * (size_t)first] + (entity - first) * NET_SWITCH_PORT_WORDS;
}

const net_port *wi_net_port(const wi_net *net, const weir_sim *sim, uint32_t entity)
{
    const net_world *w = wi_net_world(net);
    if (entity >= net->n_hosts && w->port_router)
        return weir_sim_slot(sim, NET_POOL_PORT_WORDS, wi_net_switch_words(net, entity));
    const void *state = weir_sim_state(sim, entity);
    return entity < net->n_hosts ? &((const net_host *)state)->nic : state;
}

const net_port *wi_net_own_port(const wi_net *net, const weir_sim *sim, uint32_t entity)
{
    const void *const state = weir_sim_own_state(sim, entity);
    return state && entity < net->n_hosts ? &((const net_host *)state)->nic : state;
}

const net_link *wi_net_link(const wi_net *net, uint32_t entity)
{
    return net_link_of(wi_net_world(net), entity);
}

const net_queue *wi_net_queue(const wi_net *net, uint32_t entity)
{
    return NET_ARRAY(wi_net_world(net), net_queue, queues) + wi_net_link(net, entity)->queue;
}

bool wi_net_waiting(const wi_net *net, const weir_sim *sim, uint32_t entity, net_waiting_view *out)
{
    const net_queue *q = wi_net_queue(net, entity);
    *out = (net_waiting_view){0};
    if (entity >= net->n_hosts && wi_net_world(net)->pfc_lines)
        return wi_net_pfc_waiting(net, sim, entity, out);
    if (!q->departs)
        return false;
    const int pool = entity < net->n_hosts ? NET_POOL_HOST_WORDS : NET_POOL_PORT_WORDS;
    const uint32_t first = NET_ARRAY(wi_net_world(net), uint32_t, rings)[2 * (size_t)entity];
    const net_store *store = weir_sim_slot(sim, pool, first);
    out->used = store->used;
    out->slots = weir_sim_slot(sim, pool, first + NET_STORE_WORDS + q->own_words);
    return true;
}

uint64_t wi_net_waiting_bytes(const wi_net *net, uint32_t entity, const net_port *port)
{
    if (entity >= net->n_hosts && wi_net_world(net)->pfc_lines)
        return port->ring_head; /* port/pfc.h */
    return wi_net_queue(net, entity)->departs ? port->waiting.bytes : 0;
}

uint64_t wi_net_lost(const wi_net *net, const weir_sim *sim, uint32_t entity, int why)
{
    const net_world *w = wi_net_world(net);
    if (!w->outages)
        return 0;
    return (uint64_t)weir_sim_counters(sim)[w->c_lost + (uint64_t)entity * NET_LOST_COUNTERS + (uint64_t)why];
}

weir_time wi_net_next_start(const wi_net *net, const weir_sim *sim, uint32_t host)
{
    const net_host *state = weir_sim_state(sim, host);
    const net_world *w = wi_net_world(net);
    const net_host_params *params = NET_ARRAY(w, net_host_params, hosts) + host;
    return NET_ARRAY(w, net_start, starts)[params->first_start + state->next_start].start_ps;
}

double wi_net_line_bytes(const wi_net *net, const weir_sim *sim, uint32_t entity, weir_time at_ps)
{
    const net_world *w = wi_net_world(net);
    const net_port *port = wi_net_port(net, sim, entity);
    const net_link *link = wi_net_link(net, entity);
    const net_trace *t = link->impaired ? net_trace_at(w, entity) : NULL;
    if (port->busy_until_ps <= at_ps)
        return 0.0;
    if (t) {
        const int pool = entity < net->n_hosts ? NET_POOL_HOST_WORDS : NET_POOL_PORT_WORDS;
        const uint32_t at = NET_ARRAY(w, uint32_t, rings)[2 * (size_t)entity + 1];
        return net_trace_backlog(w, t, weir_sim_slot(sim, pool, at), at_ps, port->busy_until_ps);
    }
    const weir_time backlog_ps = port->busy_until_ps - at_ps;
    return (double)((long double)backlog_ps * (long double)link->rate_bps / 8e12L);
}

double wi_net_packets_share(const wi_net *net, uint32_t entity, const net_port *port)
{
    const double added = (double)port->packets * (double)wi_net_link(net, entity)->overhead;
    return added > 0.0 ? (double)port->bytes / ((double)port->bytes + added) : 1.0;
}

double wi_net_line_rate_bps(const wi_net *net, uint32_t entity, weir_time from_ps, weir_time to_ps)
{
    const net_world *w = wi_net_world(net);
    const net_link *link = wi_net_link(net, entity);
    const net_trace *t = link->impaired ? net_trace_at(w, entity) : NULL;
    const double bits = t ? 8.0 * net_trace_between(w, t, from_ps, to_ps) : 0.0;
    return bits > 0.0 ? bits / weir_seconds(to_ps - from_ps) : (double)link->rate_bps;
}

weir_time wi_net_down_ps(const wi_net *net, uint32_t entity, weir_time to_ps)
{
    weir_time down_ps = 0, since_ps = WEIR_TIME_MAX;
    for (uint32_t s = 0; s < net->n_steps && net->steps[s].at_ps <= to_ps; s++) {
        const wi_net_step *step = &net->steps[s];
        for (uint32_t i = 0; i < step->n_links; i++) {
            const wi_net_link_change *change = &net->links[step->first_link + i];
            if (change->entity != entity)
                continue;
            if (!change->down && since_ps < step->at_ps)
                down_ps += step->at_ps - since_ps;
            since_ps = change->down ? step->at_ps : WEIR_TIME_MAX;
        }
    }
    return down_ps + (since_ps < to_ps ? to_ps - since_ps : 0);
}

uint64_t wi_net_copies(const wi_net *net, const weir_sim *sim, uint32_t slot, bool acks)
{
    const uint64_t from = wi_net_world(net)->c_copies;
    return from ? (uint64_t)weir_sim_counters(sim)[from + 2 * (uint64_t)slot + acks] : 0;
}

uint64_t wi_net_copies_at(const wi_net *net, const weir_sim *sim, uint32_t entity)
{
    const uint64_t from = wi_net_world(net)->c_copies;
    return from ? (uint64_t)weir_sim_counters(sim)[from + 2 * (uint64_t)net->n_tx + entity] : 0;
}

const net_tx *wi_net_tx(const wi_net *net, const weir_sim *sim, uint32_t i)
{
    return weir_sim_slot(sim, NET_POOL_TX, net->flow_tx[i]);
}

static weir_time time_in(const weir_sim *sim, uint32_t at)
{
    const uint64_t word = *(const uint64_t *)weir_sim_slot(sim, NET_POOL_HOST_WORDS, at);
    return word & NET_GATE_OPEN ? (weir_time)(word & ~NET_GATE_OPEN) : WEIR_TIME_MAX;
}

weir_time wi_net_rank_began(const wi_net *net, const weir_sim *sim, uint32_t rank, uint32_t iteration)
{
    const net_rank *const r = NET_ARRAY(wi_net_world(net), net_rank, job_ranks) + net->job_rank[rank];
    return time_in(sim, r->end_word + iteration);
}

weir_time wi_net_op_ended(const wi_net *net, const weir_sim *sim, uint32_t op, uint32_t iteration)
{
    const net_world *const w = wi_net_world(net);
    const uint32_t number = net->job_op[op];
    const net_rank *const r =
        NET_ARRAY(w, net_rank, job_ranks) + (NET_ARRAY(w, net_op, job_ops) + number)->rank;
    return time_in(sim, r->end_word + NET_ARRAY(w, net_job, jobs)[r->job].iterations + iteration * r->n_ops +
                            (number - r->first_op));
}

const net_rx *wi_net_rx(const wi_net *net, const weir_sim *sim, uint32_t i)
{
    return weir_sim_slot(sim, NET_POOL_RX, net->flow_rx[i]);
}

void wi_net_flow_add(wi_net_flow_total *to, const wi_net_flow_total *others, int sign)
{
    uint64_t *sum = (uint64_t *)(void *)to;
    const uint64_t *more = (const uint64_t *)(const void *)others;
    for (size_t i = 0; i < offsetof(wi_net_flow_total, rtt_min_s) / sizeof *sum; i++)
        sum[i] += sign > 0 ? more[i] : 0 - more[i];
}

uint64_t wi_net_trimmed(const wi_net *net, const weir_sim *sim, uint32_t slot)
{
    const uint64_t first = wi_net_world(net)->c_trimmed;
    return first ? (uint64_t)weir_sim_counters(sim)[first + slot] : 0;
}

void wi_net_flow_read(const wi_net *net, const weir_sim *sim, uint32_t i, wi_net_flow_total *out)
{
    const net_tx *tx = wi_net_tx(net, sim, i);
    const net_rx *rx = wi_net_rx(net, sim, i);
    const int64_t *counters = weir_sim_counters(sim) + (uint64_t)net->flow_tx[i] * NET_FLOW_COUNTERS;
    *out = (wi_net_flow_total){.packets = tx->packets,
                               .retransmissions = tx->retransmissions,
                               .timeouts = tx->timeouts,
                               .recoveries = tx->recoveries,
                               .reductions = tx->reductions,
                               .nacks =
                                   wi_net_has_nacks(net_class_at(wi_net_world(net), tx->cls)) ? tx->nacks : 0,
                               .trimmed = wi_net_trimmed(net, sim, net->flow_tx[i]),
                               .acked_bytes = tx->acked_bytes,
                               .received_packets = rx->packets,
                               .received_bytes = rx->bytes,
                               .dropped = (uint64_t)counters[NET_COUNT_DROPPED],
                               .marked = (uint64_t)counters[NET_COUNT_MARKED],
                               .duplicates = rx->duplicates,
                               .rtt_sum_ns = tx->rtt_sum_ns,
                               .rtt_n = tx->rtt_n,
                               .delay_sum_ns = rx->delay_sum_ns,
                               .rtt_min_s = (double)tx->rtt_min_s,
                               .rtt_max_s = (double)tx->rtt_max_s,
                               .delay_min_s = (double)rx->delay_min_s,
                               .delay_max_s = (double)rx->delay_max_s,
                               .jitter_s = (double)rx->jitter_ps / 1e12};
}

static void add_sender(const wi_net *net, const weir_sim *sim, uint32_t slot, wi_net_flow_total *sum)
{
    const net_tx *tx = weir_sim_slot(sim, NET_POOL_TX, slot);
    const int64_t *counters = weir_sim_counters(sim) + (uint64_t)slot * NET_FLOW_COUNTERS;
    sum->packets += tx->packets;
    sum->dropped += (uint64_t)counters[NET_COUNT_DROPPED];
    sum->marked += (uint64_t)counters[NET_COUNT_MARKED];
    sum->trimmed += wi_net_trimmed(net, sim, slot);
    if (tx->state == NET_TX_FREE || tx->state == NET_TX_DONE)
        return;
    sum->retransmissions += tx->retransmissions;
    sum->timeouts += tx->timeouts;
    sum->nacks += wi_net_has_nacks(net_class_of_flow(wi_net_world(net), slot)) ? tx->nacks : 0;
    sum->rtt_n += tx->rtt_n;
    sum->rtt_sum_ns += tx->rtt_sum_ns;
}

void wi_net_classes_read(const wi_net *net, const weir_sim *sim, wi_net_flow_total *sums)
{
    const uint16_t *of_slot = NET_ARRAY(wi_net_world(net), uint16_t, tx_class);
    for (uint32_t i = 0; i < net->n_tx; i++)
        add_sender(net, sim, i, &sums[of_slot[i]]);
    for (uint32_t i = 0; i < net->n_rx; i++) {
        const net_rx *rx = weir_sim_slot(sim, NET_POOL_RX, i);
        sums[rx->cls].received_packets += rx->packets;
    }
    for (uint32_t i = 0; i < net->n_classes; i++) {
        sums[i].packets += (uint64_t)wi_net_class_counter(net, sim, i, NET_COUNT_OLD_SENT);
        sums[i].received_packets += (uint64_t)(wi_net_class_counter(net, sim, i, NET_COUNT_OLD_DELIVERED) +
                                               wi_net_class_counter(net, sim, i, NET_COUNT_STRAY));
    }
}

int64_t wi_net_class_counter(const wi_net *net, const weir_sim *sim, uint32_t cls, int what)
{
    const uint64_t at = wi_net_world(net)->c_class + (uint64_t)cls * NET_CLASS_COUNTERS + (uint64_t)what;
    return weir_sim_counters(sim)[at];
}

const int64_t *wi_net_delay_histogram(const wi_net *net, const weir_sim *sim, uint32_t cls)
{
    const uint32_t first = net_class_at(wi_net_world(net), cls)->first_delay_bin;
    return first == NET_NONE ? NULL : weir_sim_counters(sim) + first;
}

void wi_net_delay_bin_bounds(uint32_t bin, double *from_s, double *to_s)
{
    const uint32_t per_octave = 1u << NET_DELAY_SUB_BITS;
    if (bin < per_octave) {
        *from_s = bin * 1e-9;
        *to_s = (bin + 1) * 1e-9;
        return;
    }
    const double width = ldexp(1e-9, (int)(bin / per_octave) - 1);
    *from_s = (double)(per_octave + bin % per_octave) * width;
    *to_s = (double)(per_octave + bin % per_octave + 1) * width; /* the next bin's lower bound to the bit */
}

double wi_net_delay_quantile(const int64_t *histogram, double share, double least_s, double most_s)
{
    double total = 0.0, below = 0.0;
    for (uint32_t i = 0; i < NET_DELAY_BINS; i++)
        total += (double)histogram[i];
    if (total == 0.0)
        return (double)NAN;
    const double wanted = share * total;
    for (uint32_t i = 0; i < NET_DELAY_BINS; i++) {
        const double n = (double)histogram[i];
        if (n > 0.0 && below + n >= wanted) {
            double from_s, to_s;
            wi_net_delay_bin_bounds(i, &from_s, &to_s);
            if (i + 1 == NET_DELAY_BINS) /* what is larger, too */
                return isfinite(most_s) ? most_s : from_s;
            return fmax(fmin(from_s + (to_s - from_s) * (wanted - below) / n, most_s), least_s);
        }
        below += n;
    }
    return (double)NAN;
}

/* The integral of what an accepted packet or the many behind it will yet stand for at a port that decides at arrival, byte seconds;
 * at another, of the packet being sent. The line drains them evenly, but for one that follows a trace. */
static double to_come_byte_s(const wi_net *net, const weir_sim *sim, uint32_t entity, weir_time at_ps)
{
    enum { SLICES = 64 };
    const net_port *port = wi_net_port(net, sim, entity);
    const net_link *link = wi_net_link(net, entity);
    const weir_time left_ps = port->busy_until_ps - at_ps;
    if (left_ps <= 0)
        return 0.0;
    const double share = wi_net_packets_share(net, entity, port);
    double sum = wi_net_line_bytes(net, sim, entity, at_ps) / 2.0;
    if (!(link->impaired && net_trace_at(wi_net_world(net), entity)))
        return share * sum * weir_seconds(left_ps);
    for (int i = 1; i < SLICES; i++)
        sum += wi_net_line_bytes(net, sim, entity, at_ps + left_ps / SLICES * i);
    return share * sum * weir_seconds(left_ps) / SLICES;
}

/* The integral of what has been waiting at a port that decides at departure, byte seconds: what leaves is counted then. */
static double waiting_byte_s(const wi_net *net, const weir_sim *sim, uint32_t entity, weir_time at_ps)
{
    if (entity >= net->n_hosts && wi_net_world(net)->pfc_lines)
        return wi_net_pfc_waiting_byte_s(net, sim, entity, at_ps);
    net_waiting_view waiting;
    double sum = 0.0;
    if (wi_net_waiting(net, sim, entity, &waiting))
        for (uint32_t i = 0; i < waiting.used; i++)
            sum += waiting.slots[i].packet.bytes * weir_seconds(at_ps - waiting.slots[i].at_ps);
    return sum;
}

uint64_t wi_net_backlog(const wi_net *net, const weir_sim *sim, uint32_t entity)
{
    const net_port *port = wi_net_port(net, sim, entity);
    const weir_time now = weir_sim_now(sim);
    const double byte_s = net_backlog_byte_s(port) + waiting_byte_s(net, sim, entity, now) -
                          to_come_byte_s(net, sim, entity, now);
    return byte_s > 0.0 ? (uint64_t)(byte_s / NET_BACKLOG_UNIT + 0.5) : 0;
}

weir_status wi_net_snapshot_take(weir_diag *diag, const wi_net *net, const weir_sim *sim,
                                 wi_net_snapshot *out)
{
    const uint32_t n = net->n_hosts + net->n_ports;
    *out = (wi_net_snapshot){.at_ps = weir_sim_now(sim)};
    out->ports = malloc(((size_t)n + 1) * sizeof *out->ports);
    out->line_bytes = malloc(((size_t)n + 1) * sizeof *out->line_bytes);
    out->flows = malloc(((size_t)net->n_flows + 1) * sizeof *out->flows);
    if (!out->ports || !out->line_bytes || !out->flows) {
        wi_net_snapshot_free(out);
        return weir_fail(diag, WEIR_E_NOMEM, "no memory to remember the totals at %.6f s",
                         weir_seconds(out->at_ps));
    }
    for (uint32_t e = 0; e < n; e++) {
        out->ports[e] = *wi_net_port(net, sim, e);
        out->ports[e].backlog = wi_net_backlog(net, sim, e);
        out->line_bytes[e] = wi_net_line_bytes(net, sim, e, out->at_ps);
    }
    for (uint32_t i = 0; i < net->n_flows; i++)
        wi_net_flow_read(net, sim, i, &out->flows[i]);
    return WEIR_OK;
}

void wi_net_snapshot_free(wi_net_snapshot *snapshot)
{
    free(snapshot->ports);
    free(snapshot->line_bytes);
    free(snapshot->flows);
    *snapshot = (wi_net_snapshot){0};
}

uint64_t wi_net_hops(const wi_net *net, const weir_sim *sim)
{
    uint64_t hops = 0;
    for (uint32_t e = 0; e < net->n_hosts + net->n_ports; e++)
        hops += wi_net_port(net, sim, e)->packets;
    return hops;
}
