/*
 * flows.csv: one row a flow. Flows that come and go are written when they complete, in the order of
 * completion; the flows that the scenario starts, and what is unfinished, at the end.
 */
#include <math.h>
#include <stdlib.h>

#include "net/host/host.h"
#include "output/number.h"
#include "scenario/fluid/fluid.h"
#include "scenario/results/results.h"

static const wi_csv_column columns[] = {
    {"flow", WI_CSV_U64},
    {"class", WI_CSV_TEXT},
    {"protocol", WI_CSV_TEXT},
    {"fidelity", WI_CSV_TEXT},
    {"from", WI_CSV_TEXT},
    {"to", WI_CSV_TEXT},
    {"start_s", WI_CSV_SECONDS},
    {"end_s", WI_CSV_SECONDS},
    {"size_bytes", WI_CSV_U64},
    {"received_bytes", WI_CSV_U64},
    {"goodput_bps", WI_CSV_DOUBLE},
    {"completion_s", WI_CSV_SECONDS},
    {"slowdown", WI_CSV_DOUBLE},
    {"packets_sent", WI_CSV_U64},
    {"packets_received", WI_CSV_U64},
    {"packets_dropped", WI_CSV_U64},
    {"packets_marked", WI_CSV_U64},
    {"retransmissions", WI_CSV_U64},
    {"timeouts", WI_CSV_U64},
    {"rtt_mean_s", WI_CSV_DOUBLE},
    {"rtt_min_s", WI_CSV_DOUBLE},
    {"rtt_max_s", WI_CSV_DOUBLE},
    {"delay_mean_s", WI_CSV_DOUBLE},
    {"delay_min_s", WI_CSV_DOUBLE},
    {"delay_max_s", WI_CSV_DOUBLE},
    {"jitter_s", WI_CSV_DOUBLE},
    {"sessions", WI_CSV_U64},
    {"loss", WI_CSV_DOUBLE},
    {"cwnd_mean_bytes", WI_CSV_DOUBLE},
};

/* One row, however the flow came to be. Times are since the run's start; negative or NaN: no value. */
typedef struct flow_row {
    uint32_t cls, src, dst; /* hosts */
    weir_time start_ps, end_ps;
    bool sized, complete, sender_only; /* sender_only: what its receiver and the ports saw is not known */
    bool unmarked; /* marks are counted by slot, and the flow's slot serves one flow after another */
    uint64_t size, received_bytes, sent, received, dropped, marked, retransmissions, timeouts;
    weir_time measured_ps; /* time that received_bytes took */
    double slowdown, rtt_mean_s, rtt_min_s, rtt_max_s, delay_mean_s, delay_min_s, delay_max_s, jitter_s;
    uint32_t fluid_sessions; /* 0: packets */
    uint32_t slot;           /* of its sender */
    double fluid_loss, cwnd_mean_bytes;
} flow_row;

weir_status wi_flows_open(wi_results_of_run *r)
{
    return wi_csv_open(r->diag, r->folder, "flows.csv", columns, sizeof columns / sizeof *columns,
                       &r->flows_csv);
}

/* Of times that were summed as whole nanoseconds, while the least and the most of them are floats. */
static double mean_between(uint64_t sum_ns, uint64_t n, double least_s, double most_s)
{
    return n ? fmin(fmax((double)sum_ns / (1e9 * (double)n), wi_of_float(least_s)), wi_of_float(most_s))
             : (double)NAN;
}

static void put_count(wi_csv *csv, bool known, uint64_t count)
{
    if (known)
        wi_csv_u64(csv, count);
    else
        wi_csv_empty(csv);
}

static void put_row(wi_results_of_run *r, const flow_row *f)
{
    wi_csv *csv = r->flows_csv;
    char from[300], to[300];
    if (!csv)
        return;
    wi_host_name(r->network, f->src, from, sizeof from);
    wi_host_name(r->network, f->dst, to, sizeof to);
    if (r->monitor && !f->fluid_sessions)
        wi_monitor_name(r->monitor, f->slot, f->start_ps, r->rows);
    wi_csv_u64(csv, r->rows++);
    wi_csv_text(csv, r->network->classes[f->cls].name);
    wi_csv_text(csv, r->network->classes[f->cls].params.flags & NET_CLASS_UDP ? "udp" : "tcp");
    wi_csv_text(csv, f->fluid_sessions ? "fluid" : "packet");
    wi_csv_text(csv, from);
    wi_csv_text(csv, to);
    wi_csv_seconds(csv, f->start_ps);
    if (f->complete)
        wi_csv_seconds(csv, f->end_ps);
    else
        wi_csv_empty(csv);
    if (f->sized)
        wi_csv_u64(csv, f->size);
    else
        wi_csv_empty(csv);
    wi_csv_u64(csv, f->received_bytes);
    wi_csv_double(csv, wi_per_second(8.0 * (double)f->received_bytes, f->measured_ps));
    if (f->complete)
        wi_csv_seconds(csv, f->end_ps - f->start_ps);
    else
        wi_csv_empty(csv);
    wi_csv_double(csv, f->slowdown);
    put_count(csv, !f->fluid_sessions, f->sent);
    put_count(csv, !f->sender_only, f->received);
    put_count(csv, !f->sender_only, f->dropped);
    put_count(csv, !f->sender_only && !f->unmarked, f->marked);
    put_count(csv, !f->fluid_sessions, f->retransmissions);
    put_count(csv, !f->fluid_sessions, f->timeouts);
    wi_csv_double(csv, f->rtt_mean_s);
    wi_csv_double(csv, wi_of_float(f->rtt_min_s));
    wi_csv_double(csv, wi_of_float(f->rtt_max_s));
    wi_csv_double(csv, f->delay_mean_s);
    wi_csv_double(csv, wi_of_float(f->delay_min_s));
    wi_csv_double(csv, wi_of_float(f->delay_max_s));
    wi_csv_double(csv, f->jitter_s);
    wi_csv_u64(csv, f->fluid_sessions ? f->fluid_sessions : 1);
    wi_csv_double(csv, f->fluid_sessions                ? f->fluid_loss
                       : f->sent > 0 && !f->sender_only ? (double)f->dropped / (double)f->sent
                                                        : (double)NAN);
    wi_csv_double(csv, f->fluid_sessions ? f->cwnd_mean_bytes : (double)NAN);
}

/* A flow: its sender's slot and first sequence number, and hosts. */
typedef struct flow_name {
    uint32_t slot, first, src, dst;
} flow_name;

/* The full segments that go before a flow's last one, and that one, over a path of links that store and forward. */
typedef struct train {
    uint64_t full; /* segments before the last */
    uint32_t full_bytes, last_bytes;
    weir_time way_ps,
        slowest_ps;    /* to where it is: of the first full segment; of one at the slowest link so far */
    weir_time last_ps; /* and when the last one is there */
} train;

static void pass(train *t, const net_link *link)
{
    const weir_time full_ps = net_link_time(link, t->full_bytes);
    t->way_ps += full_ps;
    t->slowest_ps = full_ps > t->slowest_ps ? full_ps : t->slowest_ps;
    if (t->full) { /* it waits for those before it, of which one leaves in each time of the slowest link */
        const weir_time free_ps = t->way_ps + (weir_time)(t->full - 1) * t->slowest_ps;
        t->last_ps = t->last_ps > free_ps ? t->last_ps : free_ps;
    }
    t->last_ps += net_link_time(link, t->last_bytes) + link->delay_ps;
    t->way_ps += link->delay_ps;
}

/*
 * The time that a flow of `size` bytes takes on an empty network: the handshake's round trip (of the first reply alone, where
 * a connection lasts), and its segments one behind the other over links that store and forward. Slowdown is the
 * completion time over this.
 */
static double ideal_s(const wi_net *net, const net_class *c, const flow_name *f, uint64_t size)
{
    enum { HOPS_MAX = 256 };
    const net_world *w = wi_net_world(net);
    net_packet probe;
    net_packet_init(&probe, f->slot, f->dst, 0, NET_HEADER_TCP, 0, w->ttl);
    probe.u.data.first = f->first; /* with ECMP it has a path of its own */
    const uint64_t full = size > 0 ? (size - 1) / c->mss_bytes : 0;
    train t = {.full = full,
               .full_bytes = c->mss_bytes + NET_HEADER_TCP,
               .last_bytes = (uint32_t)(size - full * c->mss_bytes) + NET_HEADER_TCP};
    const net_link *link = wi_net_link(net, f->src);
    const bool opens = c->flags & NET_CLASS_HANDSHAKE && !(c->flags & NET_CLASS_LASTS && f->first != 0);
    weir_time small_ps = 0;
    for (uint32_t hop = 0; hop < HOPS_MAX; hop++) {
        pass(&t, link);
        small_ps += link->delay_ps + net_link_time(link, NET_HEADER_TCP);
        if (link->peer_is_host)
            return weir_seconds(t.last_ps + (opens ? 2 * small_ps : 0));
        const uint32_t port = net_next_port(w, link->peer, &probe, hop);
        if (port == NET_NONE) /* a failure has cut it off since */
            break;
        link = wi_net_link(net, port);
    }
    return (double)NAN;
}

static void complete(wi_results_of_run *r, uint32_t cls, weir_time taken_ps, uint64_t bytes, double slowdown)
{
    wi_class_result *c = &r->classes[cls];
    c->completed++;
    if (!c->fct)
        c->fct = calloc(NET_DELAY_BINS, sizeof *c->fct);
    if (!c->slowdowns)
        c->slowdowns = calloc(1, sizeof *c->slowdowns);
    if (c->fct)
        c->fct[net_delay_bin(taken_ps)]++;
    if (c->slowdowns)
        wi_slowdown_add(c->slowdowns, bytes, slowdown);
}

/* A flow of given size is complete at its sender; its receiver's record came before. */
static void take_tx_done(wi_results_of_run *r, const net_tx_done *d)
{
    const wi_received *rx = &r->received[d->flow];
    const uint32_t planned = r->flow_of_slot[d->flow];
    const net_class *c = &r->network->classes[d->cls].params;
    if (rx->done.first != d->first || rx->at_ps < d->start_ps)
        return; /* cannot be: the last ACK answers the last byte */
    const double taken_s = weir_seconds(rx->at_ps - d->start_ps);
    const double slowdown =
        taken_s / ideal_s(r->network->net, c, &(flow_name){d->flow, d->first, d->src, d->dst}, d->bytes);
    if (d->start_ps >= r->network->scenario->output.warmup_ps)
        complete(r, d->cls, rx->at_ps - d->start_ps, d->bytes, slowdown);
    if (planned != NET_NONE && !(c->flags & NET_CLASS_REQUEST)) {
        r->completed_ps[planned] = rx->at_ps;
        return; /* its row is written at the end */
    }
    r->classes[d->cls].done_bytes += d->bytes;
    if (d->start_ps < r->network->scenario->output.warmup_ps)
        return;
    put_row(r, &(flow_row){
                   .cls = d->cls,
                   .slot = d->flow,
                   .src = d->src,
                   .dst = d->dst,
                   .start_ps = d->start_ps,
                   .end_ps = rx->at_ps,
                   .sized = true,
                   .complete = true,
                   .unmarked = true,
                   .size = d->bytes,
                   .received_bytes = d->bytes,
                   .sent = d->packets,
                   .received = rx->done.packets,
                   .dropped = d->packets > rx->done.packets ? d->packets - rx->done.packets : 0,
                   .retransmissions = d->retransmissions,
                   .timeouts = d->timeouts,
                   .measured_ps = rx->at_ps - d->start_ps,
                   .slowdown = slowdown,
                   .rtt_mean_s =
                       mean_between(d->rtt_sum_ns, d->rtt_n, (double)d->rtt_min_s, (double)d->rtt_max_s),
                   .rtt_min_s = d->rtt_n ? (double)d->rtt_min_s : (double)NAN,
                   .rtt_max_s = d->rtt_n ? (double)d->rtt_max_s : (double)NAN,
                   .delay_mean_s = mean_between(rx->done.delay_sum_ns, rx->done.packets,
                                                (double)rx->done.delay_min_s, (double)rx->done.delay_max_s),
                   .delay_min_s = (double)rx->done.delay_min_s,
                   .delay_max_s = (double)rx->done.delay_max_s,
                   .jitter_s = (double)rx->done.jitter_ps / 1e12});
}

weir_status wi_results_take_records(void *user, const weir_record_head *records, uint32_t stride, size_t n)
{
    wi_results_of_run *r = user;
    const unsigned char *at = (const unsigned char *)records;
    for (size_t i = 0; i < n; i++, at += stride) {
        const weir_record_head *head = (const weir_record_head *)(const void *)at;
        if (head->type == NET_REC_RX_DONE) {
            const net_rx_done *d = (const net_rx_done *)(const void *)(head + 1);
            r->received[d->flow] = (wi_received){*d, head->time_ps};
        } else if (head->type == NET_REC_TX_DONE) {
            take_tx_done(r, (const net_tx_done *)(const void *)(head + 1));
        } else if (head->type == NET_REC_SEGMENT) {
            wi_players_take(r, (const net_segment_done *)(const void *)(head + 1), head->time_ps);
        }
    }
    return WEIR_OK;
}

/* Subtract what was before the end of the warm-up. Extremes leave it out already. */
static void since_warmup(const wi_results_of_run *r, uint32_t i, wi_net_flow_total *t)
{
    if (!r->warm.flows)
        return;
    const wi_net_flow_total *b = &r->warm.flows[i];
    t->packets -= b->packets;
    t->retransmissions -= b->retransmissions;
    t->timeouts -= b->timeouts;
    t->received_packets -= b->received_packets;
    t->received_bytes -= b->received_bytes;
    t->dropped -= b->dropped;
    t->marked -= b->marked;
    t->rtt_sum_ns -= b->rtt_sum_ns;
    t->rtt_n -= b->rtt_n;
    t->delay_sum_ns -= b->delay_sum_ns;
}

static void put_planned(wi_results_of_run *r, uint32_t i)
{
    const wi_net *net = r->network->net;
    const wi_net_flow_plan *plan = &r->network->flows.item[i];
    const net_class *c = &r->network->classes[plan->cls].params;
    const net_tx *tx = wi_net_tx(net, r->sim, i);
    const weir_time now = weir_sim_now(r->sim), from = r->warm.flows ? r->warm.at_ps : 0;
    const uint32_t src = NET_ARRAY(wi_net_world(net), uint32_t, tx_host)[net->flow_tx[i]];
    const bool is_complete = r->completed_ps[i] > 0;
    const weir_time end = is_complete ? r->completed_ps[i] : now;
    const weir_time start_ps = plan->after ? tx->start_ps : plan->start_ps;
    const weir_time begin = start_ps > from ? start_ps : from;
    if (plan->after && tx->state == NET_TX_FREE)
        return; /* what it waits for has not come */
    const uint32_t dst = tx->state == NET_TX_FREE ? NET_NONE : tx->dst;
    wi_net_flow_total t;
    wi_net_flow_read(net, r->sim, i, &t);
    since_warmup(r, i, &t);
    const weir_time stopped = c->stop_ps && c->stop_ps < end ? c->stop_ps : end;
    put_row(
        r, &(flow_row){
               .cls = plan->cls,
               .slot = net->flow_tx[i],
               .src = src,
               .dst = dst,
               .start_ps = start_ps,
               .end_ps = end,
               .sized = (c->flags & NET_CLASS_SIZED) && tx->state != NET_TX_FREE,
               .complete = is_complete,
               .size = tx->size,
               .received_bytes = t.received_bytes,
               .sent = t.packets,
               .received = t.received_packets,
               .dropped = t.dropped,
               .marked = t.marked,
               .retransmissions = t.retransmissions,
               .timeouts = t.timeouts,
               .measured_ps = stopped - begin,
               .slowdown =
                   is_complete
                       ? weir_seconds(end - start_ps) /
                             ideal_s(net, c, &(flow_name){net->flow_tx[i], tx->first, src, tx->dst}, tx->size)
                       : (double)NAN,
               .rtt_mean_s = mean_between(t.rtt_sum_ns, t.rtt_n, t.rtt_min_s, t.rtt_max_s),
               .rtt_min_s = tx->rtt_n ? t.rtt_min_s : (double)NAN,
               .rtt_max_s = tx->rtt_n ? t.rtt_max_s : (double)NAN,
               .delay_mean_s = mean_between(t.delay_sum_ns, t.received_packets, t.delay_min_s, t.delay_max_s),
               .delay_min_s = t.delay_max_s > 0.0 ? t.delay_min_s : (double)NAN,
               .delay_max_s = t.delay_max_s > 0.0 ? t.delay_max_s : (double)NAN,
               .jitter_s = t.received_packets > 1 ? t.jitter_s : (double)NAN});
}

static bool comes_and_goes(const wi_results_of_run *r, uint32_t slot)
{
    return (net_class_of_flow(wi_net_world(r->network->net), slot)->flags &
            (NET_CLASS_DYNAMIC | NET_CLASS_REQUEST)) != 0;
}

static bool under_way(const net_tx *tx)
{
    return tx->state != NET_TX_FREE && tx->state != NET_TX_DONE;
}

void wi_flows_look(wi_results_of_run *r)
{
    const wi_net *net = r->network->net;
    const uint16_t *cls = NET_ARRAY(wi_net_world(net), uint16_t, tx_class);
    for (size_t i = 0; i < r->network->scenario->n_traffic; i++)
        r->classes[i].now_bytes = r->classes[i].done_bytes;
    for (uint32_t slot = 0; slot < net->n_tx; slot++) {
        const net_tx *tx = comes_and_goes(r, slot) ? weir_sim_slot(r->sim, NET_POOL_TX, slot) : NULL;
        if (tx && under_way(tx))
            r->classes[cls[slot]].now_bytes += tx->acked_bytes;
    }
}

/* Flows that came by themselves and are not done. */
static void put_unfinished(wi_results_of_run *r, uint32_t slot)
{
    const net_world *w = wi_net_world(r->network->net);
    const net_tx *tx = weir_sim_slot(r->sim, NET_POOL_TX, slot);
    const uint16_t cls = NET_ARRAY(w, uint16_t, tx_class)[slot];
    if (!under_way(tx) || tx->start_ps < r->network->scenario->output.warmup_ps)
        return;
    put_row(r, &(flow_row){.cls = cls,
                           .slot = slot,
                           .src = NET_ARRAY(w, uint32_t, tx_host)[slot],
                           .dst = tx->dst,
                           .start_ps = tx->start_ps,
                           .sized = true,
                           .sender_only = true,
                           .size = tx->size,
                           .received_bytes = tx->acked_bytes,
                           .sent = tx->packets,
                           .retransmissions = tx->retransmissions,
                           .timeouts = tx->timeouts,
                           .measured_ps = weir_sim_now(r->sim) - tx->start_ps,
                           .slowdown = (double)NAN,
                           .rtt_mean_s = mean_between(tx->rtt_sum_ns, tx->rtt_n, (double)tx->rtt_min_s,
                                                      (double)tx->rtt_max_s),
                           .rtt_min_s = tx->rtt_n ? (double)tx->rtt_min_s : (double)NAN,
                           .rtt_max_s = tx->rtt_n ? (double)tx->rtt_max_s : (double)NAN,
                           .delay_mean_s = (double)NAN,
                           .delay_min_s = (double)NAN,
                           .delay_max_s = (double)NAN,
                           .jitter_s = (double)NAN});
}

/* Sessions that travelled as fluid: one row for those of one pair and start. */
static void put_fluid(wi_results_of_run *r, uint32_t i)
{
    const wi_fluid_demand *d = &r->network->fluid_flows.item[i];
    const weir_scenario_class *c = &r->network->scenario->traffic[d->cls];
    const weir_time from = r->warm.flows ? r->warm.at_ps : 0, now = weir_sim_now(r->sim);
    const weir_time begin = d->start_ps > from ? d->start_ps : from;
    const weir_time end = c->stop_ps && c->stop_ps < now ? c->stop_ps : now;
    wi_fluid_total t;
    wi_fluid_net_total(r->network->fluid, i, &t);
    put_row(r, &(flow_row){.cls = d->cls,
                           .src = wi_net_host_of(r->network->net, d->src),
                           .dst = wi_net_host_of(r->network->net, d->dst),
                           .start_ps = d->start_ps,
                           .sender_only = true,
                           .received_bytes = (uint64_t)t.received_bytes,
                           .measured_ps = end > begin ? end - begin : 0,
                           .slowdown = (double)NAN,
                           .rtt_mean_s = t.rtt_mean_s,
                           .rtt_min_s = t.rtt_min_s,
                           .rtt_max_s = t.rtt_max_s,
                           .delay_mean_s = (double)NAN,
                           .delay_min_s = (double)NAN,
                           .delay_max_s = (double)NAN,
                           .jitter_s = (double)NAN,
                           .fluid_sessions = d->sessions,
                           .fluid_loss = t.loss,
                           .cwnd_mean_bytes = t.window_mean_bytes});
}

weir_status wi_flows_finish(wi_results_of_run *r)
{
    const wi_net *net = r->network->net;
    if (!r->flows_csv)
        return WEIR_OK;
    for (uint32_t i = 0; i < net->n_flows; i++)
        if (!(r->network->classes[r->network->flows.item[i].cls].params.flags & NET_CLASS_REQUEST))
            put_planned(r, i);
    for (uint32_t slot = 0; slot < net->n_tx; slot++)
        if (comes_and_goes(r, slot))
            put_unfinished(r, slot);
    for (uint32_t i = 0; i < r->network->fluid_flows.n; i++)
        put_fluid(r, i);
    wi_csv *csv = r->flows_csv;
    r->flows_csv = NULL;
    return wi_csv_close(r->diag, csv);
}
