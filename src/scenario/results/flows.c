/*
 * flows.csv: one row a flow. Flows that come and go are written when they complete, in the order of
 * completion; the flows that the scenario starts, and what is unfinished, at the end.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "net/host/host.h"
#include "output/number.h"
#include "network/fluid/fluid.h"
#include "scenario/results/results.h"

/* What was measured of a flow again and again. */
typedef struct spread {
    double mean_s, min_s, max_s;
} spread;

/* One row of flows.csv, however the flow came to be. */
typedef struct flow_row {
    uint64_t flow;
    const char *class, *protocol, *fidelity, *from, *to;
    weir_time start_s, end_s;
    uint64_t size_bytes, received_bytes;
    double goodput_bps;
    weir_time completion_s;
    double slowdown;
    uint64_t packets_sent, packets_received, packets_dropped, packets_marked, retransmissions, timeouts,
        nacks, trimmed;
    spread rtt, delay;
    double jitter_s;
    uint64_t sessions;
    double loss, cwnd_mean_bytes;
    /* What the columns come from. */
    uint32_t cls, src, dst; /* hosts */
    uint32_t slot;          /* of its sender */
    weir_time measured_ps;  /* time that received_bytes took */
} flow_row;

#define FLOWS(X)                                                                                             \
    X(U64, "flow", "", f->flow, "number of the row"),                                                        \
        X(TEXT, "class", "", f->class, "name of the traffic class"),                                         \
        X(TEXT, "protocol", "", f->protocol, "`tcp` or `udp`"),                                              \
        X(TEXT, "fidelity", "", f->fidelity,                                                                 \
          "`packet`, or `fluid`: all sessions of a class from one node to another that start together, in "  \
          "one row"),                                                                                        \
        X(TEXT, "from", "", f->from,                                                                         \
          "node: sender of the data. With `request`, replies: from the one asked"),                          \
        X(TEXT, "to", "", f->to, "node: receiver of the data. With `request`, the one who asks"),            \
        X(SECONDS, "start_s", "s", f->start_s,                                                               \
          "when the sender began: SYN or first segment, or is to begin after the end. "                      \
          "A start inside the warm-up is given as it was"),                                                  \
        X(SECONDS, "end_s", "s", f->end_s,                                                                   \
          "when the last byte arrived in order; empty for flows without a size, and unfinished ones"),       \
        X(U64, "size_bytes", "bytes", f->size_bytes,                                                         \
          "payload to transfer; empty for flows without a size, and those that have not begun"),             \
        X(U64, "received_bytes", "bytes", f->received_bytes,                                                 \
          "payload delivered in order (UDP: all payload that arrived); of an unfinished flow that came by "  \
          "itself, what is acknowledged"),                                                                   \
        X(DOUBLE, "goodput_bps", "bit/s", f->goodput_bps,                                                    \
          "`received_bytes` over the time that it took: from start, or the end of the warm-up, to "          \
          "completion, without a size the class's `stop`, or the end"),                                      \
        X(SECONDS, "completion_s", "s", f->completion_s, "`end_s` − `start_s`"),                             \
        X(DOUBLE, "slowdown", "1", f->slowdown,                                                              \
          "`completion_s` over the time on an empty network: the handshake's round trip, and the segments "  \
          "one behind the other over links that store and forward. Never below 1, unless packets take "      \
          "several ways (`spray`, `flowlets`) or a link follows a trace, of which the mean rate counts"),    \
        X(U64, "packets_sent", "packets", f->packets_sent,                                                   \
          "data packets and SYNs handed to the sender's interface, retransmissions included"),               \
        X(U64, "packets_received", "packets", f->packets_received,                                           \
          "of those, arrived at the receiver, duplicates included, those that links make too"),              \
        X(U64, "packets_dropped", "packets", f->packets_dropped,                                             \
          "of those, and of duplicates that links make, dropped on the way. Of a flow that came by itself: " \
          "sent, and not arrived when its last byte had"),                                                   \
        X(U64, "packets_marked", "packets", f->packets_marked,                                               \
          "of those, marked (ECN); empty for flows that come and go"),                                       \
        X(U64, "retransmissions", "packets", f->retransmissions, "data segments and SYNs sent again"),       \
        X(U64, "timeouts", "", f->timeouts, "expiries of the retransmission timer"),                         \
        X(U64, "nacks", "packets", f->nacks,                                                                 \
          "NACKs that came to the sender; empty where there are none (`recovery: go-back-n` and `irn`, and " \
          "`ndp`, have them)"),                                                                              \
        X(U64, "packets_trimmed", "packets", f->trimmed,                                                     \
          "data packets that queues cut to their headers (`trim`), whether these arrived or not; empty for " \
          "flows that come and go, and where none may be cut"),                                              \
        X(DOUBLE, "rtt_mean_s", "s", f->rtt.mean_s,                                                          \
          "of the sender's samples: one for each ACK of new data, by timestamps, so also of what was sent "  \
          "again"),                                                                                          \
        X(DOUBLE, "rtt_min_s", "s", f->rtt.min_s,                                                            \
          "extremes of the same, over the flow's whole life, warm-up included"),                             \
        X(DOUBLE, "rtt_max_s", "s", f->rtt.max_s, NULL),                                                     \
        X(DOUBLE, "delay_mean_s", "s", f->delay.mean_s,                                                      \
          "one way, of data packets, from the sender's interface to the receiver"),                          \
        X(DOUBLE, "delay_min_s", "s", f->delay.min_s, NULL),                                                 \
        X(DOUBLE, "delay_max_s", "s", f->delay.max_s, NULL),                                                 \
        X(DOUBLE, "jitter_s", "s", f->jitter_s,                                                              \
          "smoothed difference of successive delays at the end (RFC 3550, section 6.4.1)"),                  \
        X(U64, "sessions", "", f->sessions, "of the row: 1 for packets"),                                    \
        X(DOUBLE, "loss", "1", f->loss,                                                                      \
          "packets: dropped over sent. Fluid: bytes lost, or marked, over bytes of which the sender knows "  \
          "what became"),                                                                                    \
        X(DOUBLE, "cwnd_mean_bytes", "bytes", f->cwnd_mean_bytes,                                            \
          "fluid: window of a session, mean over a hundred samples a run; empty for packets")
static const wi_result_column columns[] = {FLOWS(WI_COLUMN)};
const wi_result_table wi_flows_table = WI_RESULT(CSV, "flows.csv", columns);

/* A row of packets of which nothing is known yet. */
static const flow_row unknown = {.fidelity = "packet",
                                 .end_s = WI_NO_TIME,
                                 .completion_s = WI_NO_TIME,
                                 .size_bytes = WI_NO_COUNT,
                                 .packets_received = WI_NO_COUNT,
                                 .packets_dropped = WI_NO_COUNT,
                                 .packets_marked = WI_NO_COUNT,
                                 .nacks = WI_NO_COUNT,
                                 .trimmed = WI_NO_COUNT,
                                 .slowdown = (double)NAN,
                                 .rtt = {(double)NAN, (double)NAN, (double)NAN},
                                 .delay = {(double)NAN, (double)NAN, (double)NAN},
                                 .jitter_s = (double)NAN,
                                 .sessions = 1,
                                 .loss = (double)NAN,
                                 .cwnd_mean_bytes = (double)NAN};

weir_status wi_flows_open(wi_results_of_run *r)
{
    return wi_csv_table(r->run->diag, r->run->to.folder, &wi_flows_table, &r->flows_csv);
}

/* Of times that were summed as whole nanoseconds, while the least and the most of them are floats; `any`: of the flow's whole
 * life, while the sum leaves the warm-up out. */
static spread spread_of(uint64_t sum_ns, uint64_t n, double least_s, double most_s, bool any)
{
    const double least = wi_of_float(least_s), most = wi_of_float(most_s);
    return (spread){n ? fmin(fmax((double)sum_ns / (1e9 * (double)n), least), most) : (double)NAN,
                    any ? least : (double)NAN, any ? most : (double)NAN};
}

/* Complete at that time. */
static void end_at(flow_row *f, weir_time end_ps, double ideal_s)
{
    f->end_s = end_ps;
    f->completion_s = end_ps - f->start_s;
    f->slowdown = weir_seconds(f->completion_s) / ideal_s;
}

static void put_row(wi_results_of_run *r, flow_row *f)
{
    char from[300], to[300];
    if (!r->flows_csv)
        return;
    wi_host_name(r->network, f->src, from, sizeof from);
    wi_host_name(r->network, f->dst, to, sizeof to);
    const bool fluid = f->packets_sent == WI_NO_COUNT;
    if (r->monitor && !fluid)
        wi_monitor_name(r->monitor, f->slot, f->start_s, r->rows);
    f->flow = r->rows++;
    f->class = r->network->plan.classes[f->cls].name;
    f->protocol = r->network->plan.classes[f->cls].params.flags & NET_CLASS_UDP ? "udp" : "tcp";
    f->from = from;
    f->to = to;
    f->goodput_bps = wi_per_second(8.0 * (double)f->received_bytes, f->measured_ps);
    if (!fluid && f->packets_sent > 0 && f->packets_dropped != WI_NO_COUNT)
        f->loss = (double)f->packets_dropped / (double)f->packets_sent;
    wi_csv_row(r->flows_csv, (const wi_cell[]){FLOWS(WI_CELL)});
}

/* A flow: its sender's slot and first sequence number, hosts, and when its last byte arrived. */
typedef struct flow_name {
    uint32_t slot, first, src, dst;
    weir_time end_ps;
} flow_name;

/* A flow's segments on a path of store-and-forward links: all are full but the last, which may be shorter. */
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

/* When the last segment of a train is there that follows a packet's path from its host by the routes of a time; WI_NO_TIME: a
 * failure has cut it off. */
static weir_time arrives_ps(const wi_net *net, uint32_t host, const net_packet *packet, train t,
                            weir_time at_ps)
{
    enum { HOPS_MAX = 256 };
    const net_link *link = wi_net_link(net, host);
    for (uint32_t hop = 0; hop < HOPS_MAX; hop++) {
        pass(&t, link);
        if (link->peer_is_host)
            return t.last_ps;
        const uint32_t port = wi_net_next_port_then(net, link->peer, packet, hop, at_ps);
        if (port == NET_NONE)
            break;
        link = wi_net_link(net, port);
    }
    return WI_NO_TIME;
}

/*
 * The time that a flow of `size` bytes takes on an empty network: the handshake's round trip (of the first reply alone, where
 * a connection lasts), and its segments one behind the other over links that store and forward. Slowdown is the
 * completion time over this.
 */
static double ideal_s(const wi_net *net, const net_class *c, const flow_name *f, uint64_t size)
{
    const net_world *w = wi_net_world(net);
    const train small = {.last_bytes = NET_HEADER_TCP};
    net_packet there, back; /* with ECMP each has a path of its own */
    net_packet_init(&there, f->slot, f->dst, 0, NET_HEADER_TCP, 0);
    there.u.data.first = f->first;
    net_packet_init(&back, f->slot, net_dst_of_ack(w, f->src, f->first), 0, NET_HEADER_TCP, NET_ACK);
    const uint64_t full = size > 0 ? (size - 1) / c->mss_bytes : 0;
    const train data = {.full = full,
                        .full_bytes = c->mss_bytes + NET_HEADER_TCP,
                        .last_bytes = (uint32_t)(size - full * c->mss_bytes) + NET_HEADER_TCP};
    const bool opens = c->flags & NET_CLASS_HANDSHAKE && !(c->flags & NET_CLASS_LASTS && f->first != 0);
    const weir_time data_ps = arrives_ps(net, f->src, &there, data, f->end_ps),
                    syn_ps = opens ? arrives_ps(net, f->src, &there, small, f->end_ps) : 0,
                    answer_ps = opens ? arrives_ps(net, f->dst, &back, small, f->end_ps) : 0;
    if (data_ps == WI_NO_TIME || answer_ps == WI_NO_TIME)
        return (double)NAN;
    return weir_seconds(data_ps + syn_ps + answer_ps);
}

static void complete(wi_results_of_run *r, uint32_t cls, weir_time taken_ps, uint64_t bytes, double slowdown)
{
    wi_class_result *c = &r->classes[cls];
    c->completed++;
    if (!c->completions)
        c->completions = wi_take(&r->memory, 1, sizeof *c->completions);
    if (!c->slowdowns)
        c->slowdowns = wi_take(&r->memory, 1, sizeof *c->slowdowns);
    if (c->completions)
        wi_spread_add(&c->completions->all, c->completions->bins, WI_COMPLETION_BINS,
                      (double)taken_ps / WEIR_PS_PER_NS);
    if (c->slowdowns)
        wi_slowdown_add(c->slowdowns, wi_slowdown_size(&r->network->scenario->output, bytes), slowdown);
}

static void add_ended(wi_class_result *c, const net_tx_done *d, bool nacks)
{
    wi_net_flow_add(&c->of_ended,
                    &(wi_net_flow_total){.retransmissions = d->retransmissions,
                                         .timeouts = d->timeouts,
                                         .nacks = nacks ? d->nacks : 0,
                                         .rtt_n = d->rtt_n,
                                         .rtt_sum_ns = d->rtt_sum_ns},
                    1);
}

static void add_message(wi_class_result *c, const net_tx_done *d, const wi_received *rx)
{
    if (c->last_ps == 0 || d->start_ps < c->first_ps)
        c->first_ps = d->start_ps;
    c->last_ps = rx->at_ps > c->last_ps ? rx->at_ps : c->last_ps;
}

void wi_flows_done(wi_results_of_run *r, const net_tx_done *d)
{
    const wi_received *rx = &r->received[d->flow];
    const uint32_t planned = r->flow_of_slot[d->flow];
    const net_class *c = &r->network->plan.classes[d->cls].params;
    if (rx->done.first != d->first || rx->at_ps < d->start_ps)
        return; /* cannot be: the last ACK answers the last byte */
    r->classes[d->cls].ended++;
    const double alone_s =
        ideal_s(r->network->net, c, &(flow_name){d->flow, d->first, d->src, d->dst, rx->at_ps}, d->bytes);
    if (d->start_ps >= r->network->scenario->output.warmup_ps)
        complete(r, d->cls, rx->at_ps - d->start_ps, d->bytes,
                 weir_seconds(rx->at_ps - d->start_ps) / alone_s);
    if (planned != NET_NONE && !(c->flags & NET_CLASS_REQUEST)) {
        r->completed_ps[planned] = rx->at_ps;
        r->alone_s[planned] = alone_s;
        return; /* its row is written at the end */
    }
    r->classes[d->cls].done_bytes += d->bytes;
    add_ended(&r->classes[d->cls], d, wi_net_has_nacks(c));
    if (c->flags & NET_CLASS_JOB)
        add_message(&r->classes[d->cls], d, rx);
    if (d->start_ps < r->network->scenario->output.warmup_ps)
        return;
    flow_row f = unknown;
    f.cls = d->cls;
    f.slot = d->flow;
    f.src = d->src;
    f.dst = d->dst;
    f.start_s = d->start_ps;
    f.measured_ps = rx->at_ps - d->start_ps;
    f.size_bytes = f.received_bytes = d->bytes;
    f.packets_sent = d->packets;
    f.packets_received = rx->done.packets;
    f.packets_dropped = d->packets > rx->done.packets ? d->packets - rx->done.packets : 0;
    f.retransmissions = d->retransmissions;
    f.timeouts = d->timeouts;
    if (c->flags & NET_CLASS_JOB && wi_net_has_nacks(c))
        f.nacks = d->nacks;
    end_at(&f, rx->at_ps, alone_s);
    f.rtt = spread_of(d->rtt_sum_ns, d->rtt_n, (double)d->rtt_min_s, (double)d->rtt_max_s, d->rtt_n > 0);
    f.delay = spread_of(rx->done.delay_sum_ns, rx->done.packets, (double)rx->done.delay_min_s,
                        (double)rx->done.delay_max_s, true);
    f.jitter_s = (double)rx->done.jitter_ps / 1e12;
    put_row(r, &f);
}

/* The receiver's window; of NDP the first one, as only what has arrived is asked for again. */
static uint32_t window_of(const net_class *c)
{
    const bool asks = !(c->flags & NET_CLASS_UDP) && c->congestion == NET_CC_NDP;
    return asks && c->initial_window_bytes < c->window_bytes ? c->initial_window_bytes : c->window_bytes;
}

/* A flow that sent a window in each round trip, lost nothing and met no queue had less than the network would carry. */
static bool is_held(const net_class *c, const flow_row *f)
{
    return !(c->flags & (NET_CLASS_UDP | NET_CLASS_SIZED | NET_CLASS_REQUEST)) && f->retransmissions == 0 &&
           f->timeouts == 0 && f->rtt.mean_s <= 1.1 * f->rtt.min_s &&
           (double)f->received_bytes >=
               0.8 * (double)window_of(c) * weir_seconds(f->measured_ps) / f->rtt.mean_s;
}

static void warn_held(const wi_results_of_run *r)
{
    for (size_t i = 0; i < r->network->scenario->n_traffic; i++) {
        const wi_net_class_plan *c = &r->network->plan.classes[i];
        const wi_class_result *of = &r->classes[i];
        const uint32_t window = window_of(&c->params);
        const bool first = window < c->params.window_bytes;
        if (of->held)
            weir_warn_at(r->run->diag, WEIR_AT(c->place),
                         "class '%s': %" PRIu64 " %s all that the %s window allows, %" PRIu32
                         " B in a round trip of %.3g ms, and met no queue: more than %.3g Mbit/s wants a "
                         "larger tcp: {%s: ...}",
                         c->name, of->held, of->held == 1 ? "flow sent" : "flows sent",
                         first ? "first" : "receive", window, 1e3 * of->held_rtt_s,
                         8e-6 * window / of->held_rtt_s, first ? "initial_window" : "window");
    }
}

/* What a control wants that sends more than the path takes and is not slowed by losses; null: others are. */
static const char *wasted_on(const net_class *c)
{
    switch (c->congestion) {
    case NET_CC_DCQCN:
    case NET_CC_TIMELY:
        return "no flow is slower than min_rate; want a smaller one";
    case NET_CC_POWERTCP:
    case NET_CC_THETA_POWERTCP:
        return "flows keep more in a queue than it holds; want more expected_flows, or a longer queue";
    case NET_CC_RCCC:
        return "receivers grant what their lines carry, and the network between carries less; want "
               "oversubscription";
    case NET_CC_NDP:
        return "receivers ask for what their lines carry, and the network between carries less";
    default:
        return NULL;
    }
}

/* Controls that losses do not slow send for nothing, for ever, where a path is not as they expect. */
static void warn_wasted(const wi_results_of_run *r)
{
    for (size_t i = 0; i < r->network->scenario->n_traffic; i++) {
        const wi_net_class_plan *c = &r->network->plan.classes[i];
        const wi_class_result *of = &r->classes[i];
        const char *why = c->params.flags & NET_CLASS_UDP ? NULL : wasted_on(&c->params);
        const double share = of->sent > 0 ? (double)of->again / (double)of->sent : 0.0;
        if (why && of->sent > 1000 && share > 0.3)
            weir_warn_at(r->run->diag, WEIR_AT(c->place),
                         "class '%s': %.0f %% of its packets were sent again: %s", c->name, 100.0 * share,
                         why);
    }
}

static void put_planned(wi_results_of_run *r, uint32_t i)
{
    const wi_net *net = r->network->net;
    const wi_net_flow_plan *plan = &r->network->plan.flows[i];
    const net_class *c = &r->network->plan.classes[plan->cls].params;
    const net_tx *tx = wi_net_tx(net, r->run->sim, i);
    const weir_time now = weir_sim_now(r->run->sim), from = r->warm.flows ? r->warm.at_ps : 0;
    const uint32_t src = NET_ARRAY(wi_net_world(net), uint32_t, tx_host)[net->flow_tx[i]];
    const bool is_complete = r->completed_ps[i] > 0;
    const weir_time end = is_complete ? r->completed_ps[i] : now;
    const weir_time start_ps = plan->after ? tx->start_ps : plan->start_ps;
    const weir_time begin = start_ps > from ? start_ps : from;
    if (plan->after && tx->state == NET_TX_FREE)
        return; /* what it waits for has not come */
    wi_net_flow_total t;
    wi_net_flow_read(net, r->run->sim, i, &t);
    if (r->warm.flows) /* extremes leave the warm-up out already */
        wi_net_flow_add(&t, &r->warm.flows[i], -1);
    const bool sized = c->flags & NET_CLASS_SIZED; /* `stop` does not end what is under way */
    const weir_time stopped = c->stop_ps && c->stop_ps < end && !sized ? c->stop_ps : end;
    flow_row f = unknown;
    f.cls = plan->cls;
    f.slot = net->flow_tx[i];
    f.src = src;
    f.dst = tx->state == NET_TX_FREE ? wi_net_host_of(net, plan->dst) : tx->dst; /* before it begins */
    f.start_s = start_ps;
    f.measured_ps = stopped - begin;
    if (sized && tx->state != NET_TX_FREE)
        f.size_bytes = tx->size;
    f.received_bytes = t.received_bytes;
    f.packets_sent = t.packets;
    f.packets_received = t.received_packets;
    f.packets_dropped = t.dropped;
    f.packets_marked = t.marked;
    f.retransmissions = t.retransmissions;
    f.timeouts = t.timeouts;
    if (wi_net_has_nacks(net_class_at(wi_net_world(net), plan->cls)))
        f.nacks = t.nacks;
    if (net_class_at(wi_net_world(net), plan->cls)->flags & NET_CLASS_NDP)
        f.trimmed = t.trimmed;
    if (is_complete)
        end_at(&f, end, r->alone_s[i]);
    f.rtt = spread_of(t.rtt_sum_ns, t.rtt_n, t.rtt_min_s, t.rtt_max_s, tx->rtt_n > 0);
    f.delay =
        spread_of(t.delay_sum_ns, t.received_packets, t.delay_min_s, t.delay_max_s, t.delay_max_s > 0.0);
    f.jitter_s = t.received_packets > 1 ? t.jitter_s : (double)NAN;
    r->classes[plan->cls].sent += t.packets;
    r->classes[plan->cls].again += t.retransmissions;
    if (is_held(c, &f)) {
        r->classes[plan->cls].held++;
        r->classes[plan->cls].held_rtt_s = f.rtt.mean_s;
    }
    put_row(r, &f);
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

/* Of a flow that has begun and is not complete. */
static void count_unfinished(wi_results_of_run *r, uint32_t cls, const net_tx *tx)
{
    if (r->network->plan.classes[cls].params.flags & NET_CLASS_SIZED &&
        tx->start_ps <= weir_sim_now(r->run->sim) && tx->start_ps >= r->network->scenario->output.warmup_ps)
        r->classes[cls].unfinished[wi_slowdown_size(&r->network->scenario->output, tx->size)]++;
}

/* Flows that the scenario starts. */
static void look_planned(wi_results_of_run *r)
{
    const wi_net *net = r->network->net;
    for (uint32_t i = 0; i < net->n_flows; i++) {
        const uint32_t cls = r->network->plan.flows[i].cls;
        const net_tx *tx = wi_net_tx(net, r->run->sim, i);
        if (!(r->network->plan.classes[cls].params.flags & NET_CLASS_REQUEST) && r->completed_ps[i] == 0 &&
            tx->state != NET_TX_FREE)
            count_unfinished(r, cls, tx);
    }
}

void wi_flows_look(wi_results_of_run *r)
{
    const wi_net *net = r->network->net;
    const uint16_t *cls = NET_ARRAY(wi_net_world(net), uint16_t, tx_class);
    for (size_t i = 0; i < r->network->scenario->n_traffic; i++) {
        r->classes[i].now_bytes = r->classes[i].done_bytes;
        memset(r->classes[i].unfinished, 0, sizeof r->classes[i].unfinished);
    }
    look_planned(r);
    for (uint32_t slot = 0; slot < net->n_tx; slot++) {
        const net_tx *tx = comes_and_goes(r, slot) ? weir_sim_slot(r->run->sim, NET_POOL_TX, slot) : NULL;
        if (tx && under_way(tx)) {
            r->classes[cls[slot]].now_bytes += tx->acked_bytes;
            count_unfinished(r, cls[slot], tx);
        }
    }
}

/* Flows that came by themselves and are not done. */
static void put_unfinished(wi_results_of_run *r, uint32_t slot)
{
    const net_world *w = wi_net_world(r->network->net);
    const net_tx *tx = weir_sim_slot(r->run->sim, NET_POOL_TX, slot);
    const uint16_t cls = NET_ARRAY(w, uint16_t, tx_class)[slot];
    if (!under_way(tx) || tx->start_ps < r->network->scenario->output.warmup_ps)
        return;
    flow_row f = unknown;
    f.cls = cls;
    f.slot = slot;
    f.src = NET_ARRAY(w, uint32_t, tx_host)[slot];
    f.dst = tx->dst;
    f.start_s = tx->start_ps;
    f.measured_ps = weir_sim_now(r->run->sim) - tx->start_ps;
    f.size_bytes = tx->size;
    f.received_bytes = tx->acked_bytes;
    f.packets_sent = tx->packets;
    f.retransmissions = tx->retransmissions;
    f.timeouts = tx->timeouts;
    f.rtt = spread_of(tx->rtt_sum_ns, tx->rtt_n, (double)tx->rtt_min_s, (double)tx->rtt_max_s, tx->rtt_n > 0);
    put_row(r, &f);
}

/* Sessions that travelled as fluid: one row for those of one pair and start. */
static void put_fluid(wi_results_of_run *r, uint32_t i)
{
    const wi_fluid_demand *d = &r->network->fluid_flows.item[i];
    const weir_scenario_class *c = &r->network->scenario->traffic[d->cls];
    const weir_time from = r->warm.flows ? r->warm.at_ps : 0, now = weir_sim_now(r->run->sim);
    const weir_time begin = d->start_ps > from ? d->start_ps : from;
    const weir_time end = c->stop_ps && c->stop_ps < now ? c->stop_ps : now;
    wi_fluid_total t;
    wi_fluid_net_total(r->network->fluid, i, &t);
    flow_row f = unknown;
    f.fidelity = "fluid";
    f.cls = d->cls;
    f.src = wi_net_host_of(r->network->net, d->src);
    f.dst = wi_net_host_of(r->network->net, d->dst);
    f.start_s = d->start_ps;
    f.measured_ps = end > begin ? end - begin : 0;
    f.received_bytes = (uint64_t)t.received_bytes;
    f.packets_sent = f.retransmissions = f.timeouts = WI_NO_COUNT;
    f.rtt = (spread){t.rtt_mean_s, wi_of_float(t.rtt_min_s), wi_of_float(t.rtt_max_s)};
    f.sessions = d->sessions;
    f.loss = t.loss;
    f.cwnd_mean_bytes = t.window_mean_bytes;
    put_row(r, &f);
}

weir_status wi_flows_finish(wi_results_of_run *r)
{
    const wi_net *net = r->network->net;
    if (!r->flows_csv)
        return WEIR_OK;
    for (uint32_t i = 0; i < net->n_flows; i++)
        if (!(r->network->plan.classes[r->network->plan.flows[i].cls].params.flags & NET_CLASS_REQUEST))
            put_planned(r, i);
    warn_held(r);
    warn_wasted(r);
    for (uint32_t slot = 0; slot < net->n_tx; slot++)
        if (comes_and_goes(r, slot))
            put_unfinished(r, slot);
    for (uint32_t i = 0; i < r->network->fluid_flows.n; i++)
        put_fluid(r, i);
    wi_csv *csv = r->flows_csv;
    r->flows_csv = NULL;
    return wi_csv_close(r->run->diag, csv);
}
