/* Watching a network: which flows are under way, and whether they stand still. */
#include "packets/skip/moving.h"
#include "packets/skip/skipper.h"

#include <math.h>

#include "base/memory.h"
#include "weir/digest.h"

/* ---- seeing ---- */

/* The receiver's slot of a flow, where its receiver looks for it (net_rx_find); NET_NONE: there is none yet. */
static uint32_t receiver_of(const wi_skipper *s, uint32_t flow, const net_tx *tx)
{
    const net_world *w = wi_net_world(s->net);
    const uint32_t begin = NET_ARRAY(w, uint32_t, rx_dynamic)[tx->dst],
                   end = NET_ARRAY(w, uint32_t, rx_first)[tx->dst + 1];
    uint32_t at = net_rx_from(w, flow, tx->rx_hint, tx->dst);
    const uint32_t tries = at < begin ? 1 : end - begin;
    for (uint32_t i = 0; i < tries; i++) {
        const net_rx *rx = weir_sim_slot(s->sim, NET_POOL_RX, at);
        if (rx->flow == flow + 1 && (rx->first == tx->first || tx->state == NET_TX_UDP))
            return at;
        at = at + 1 == end ? begin : at + 1;
    }
    return NET_NONE;
}

enum standing { IDLE, UNDER_WAY, CHANGING };

/* Packets that come at random, or by a trace, come from outside; but one that waits for its turn is due. */
static enum standing standing_of_udp(const net_tx *tx, const net_class *c, weir_time now_ps)
{
    const bool sends =
        tx->left > 0 && tx->timer_at_ps < WEIR_TIME_MAX && !(c->stop_ps && now_ps >= c->stop_ps);
    if (!wi_net_is_steady_udp(c))
        return tx->next ? CHANGING : IDLE;
    return sends ? UNDER_WAY : IDLE;
}

/* Whether a client waits for a reply that has not begun. */
static bool is_asking(const wi_skipper *s, const wi_skip_part *p, weir_time now_ps)
{
    const uint32_t *first = s->net->pool_first[NET_POOL_SESSION];
    for (uint32_t k = 0; first && k < p->n_hosts; k++)
        for (uint32_t i = first[p->entities[k]]; i < first[p->entities[k] + 1]; i++) {
            const net_session *a = weir_sim_slot(s->sim, NET_POOL_SESSION, i);
            if (a->tries > 0 && a->ask_at_ps >= now_ps)
                return true;
        }
    return false;
}

/* A flow of TCP that neither begins, nor repairs a loss, nor has all its data out. */
static enum standing standing_of_tcp(const net_tx *tx, const net_class *c, weir_time now_ps)
{
    const bool endless = tx->flags & NET_TX_UNBOUNDED, out = tx->una != tx->nxt;
    if (tx->state == NET_TX_DONE)
        return IDLE;
    if (endless && c->stop_ps && now_ps >= c->stop_ps)
        return out ? CHANGING : IDLE;
    if (tx->state != NET_TX_OPEN || !(tx->flags & NET_TX_RTT_KNOWN) || tx->n_sacked || tx->n_lost ||
        tx->dupacks || tx->backoff || (!endless && tx->left == 0))
        return CHANGING;
    return UNDER_WAY;
}

static bool take_new(const wi_skipper *s, wi_skip_part *p, uint32_t flow, const net_tx *tx, bool *failed)
{
    const uint32_t rx = receiver_of(s, flow, tx);
    if (rx == NET_NONE)
        return false;
    if (!wi_grow(&p->flows, &p->room, p->n_flows + 1, sizeof *p->flows)) {
        *failed = true;
        return false;
    }
    p->flows[p->n_flows++] = (wi_skip_flow){.tx = flow, .rx = rx};
    return true;
}

/*
 * What a control of its own goes by, its window or its rate; NaN, which is not equal to itself, where that is about to change: rates that a
 * timer raises stand still at the line's alone.
 */
static double law_of(const wi_skipper *s, net_tx *tx, const net_class *c)
{
    weir_ctx of = {.world = s->net->world}, *const ctx = &of;
    if (!(c->flags & NET_CLASS_OWN) || c->flags & NET_CLASS_NDP)
        return 0.0;
    ctx->pool[NET_POOL_WINDOW] = weir_sim_slot(s->sim, NET_POOL_WINDOW, 0);
    switch (c->congestion) {
    case NET_CC_DCQCN: {
        const net_dcqcn *d = NET_CC_OF(dcqcn);
        const double line = (double)NET_CC_PARAMS(dcqcn, c)->line_bps;
        return d->current >= line && d->target >= line ? line : (double)NAN;
    }
    case NET_CC_TIMELY: {
        const double line = (double)NET_CC_PARAMS(timely, c)->line.line_bps, rate = NET_CC_OF(timely)->rate;
        return rate >= line ? line : (double)NAN;
    }
    case NET_CC_SWIFT:
        return NET_CC_OF(swift)->cwnd;
    case NET_CC_HPCC:
        return NET_CC_OF(hpcc)->window;
    case NET_CC_POWERTCP:
        return NET_CC_OF(powertcp)->window;
    case NET_CC_THETA_POWERTCP:
        return NET_CC_OF(theta_powertcp)->base.window;
    default:
        return (double)NAN;
    }
}

/* Look number i of a flow of the span. */
static bool take(const wi_skipper *s, uint32_t i, wi_skip_flow *f)
{
    net_tx *tx = weir_sim_slot(s->sim, NET_POOL_TX, f->tx);
    f->sent[i] = *tx;
    f->law[i] = law_of(s, tx, net_class_of_flow(wi_net_world(s->net), f->tx));
    f->received[i] = *(const net_rx *)weir_sim_slot(s->sim, NET_POOL_RX, f->rx);
    return f->received[i].n_ooo == 0 && f->received[i].flow == f->tx + 1 &&
           (i == 0 || (f->sent[i].first == f->sent[0].first && f->received[i].first == f->received[0].first));
}

/* A slot's flow, at look number i: the k-th of those that are under way. */
static bool see_slot(const wi_skipper *s, wi_skip_part *p, uint32_t i, uint32_t flow, size_t *k, bool *failed)
{
    const net_world *w = wi_net_world(s->net);
    const net_tx *tx = weir_sim_slot(s->sim, NET_POOL_TX, flow);
    const net_class *c = net_class_of_flow(w, flow);
    enum standing is = IDLE;
    if (tx->state == NET_TX_UDP)
        is = standing_of_udp(tx, c, p->at_ps[i]);
    else if (tx->state != NET_TX_FREE && tx->state != NET_TX_DONE)
        is = standing_of_tcp(tx, c, p->at_ps[i]);
    if (is == IDLE) {
        p->others[i] = weir_digest_word(p->others[i], (uint64_t)tx->first << 32 | tx->state);
        return true;
    }
    if (is == CHANGING || (i == 0 && !take_new(s, p, flow, tx, failed)))
        return false;
    if (*k == p->n_flows || p->flows[*k].tx != flow || !take(s, i, &p->flows[*k]))
        return false;
    ++*k;
    return true;
}

bool wi_skip_see(const wi_skipper *s, wi_skip_part *p, uint32_t i, bool *failed)
{
    const uint32_t *first = NET_ARRAY(wi_net_world(s->net), uint32_t, tx_first);
    size_t k = 0;
    p->at_ps[i] = weir_sim_now(s->sim);
    p->others[i] = 0;
    if (i == 0)
        p->n_flows = 0;
    if (is_asking(s, p, p->at_ps[i]))
        return false;
    for (uint32_t h = 0; h < p->n_hosts; h++)
        for (uint32_t flow = first[p->entities[h]]; flow < first[p->entities[h] + 1]; flow++)
            if (!see_slot(s, p, i, flow, &k, failed))
                return false;
    return k == p->n_flows && p->others[i] == p->others[0];
}

weir_time wi_skip_longest_rtt(const wi_skip_part *p)
{
    weir_time longest_ps = 0;
    for (size_t k = 0; k < p->n_flows; k++)
        if (p->flows[k].sent[0].state != NET_TX_UDP && p->flows[k].sent[0].srtt_ps > longest_ps)
            longest_ps = p->flows[k].sent[0].srtt_ps;
    return longest_ps;
}

/* ---- judging ---- */

/* What may grow while a network stands still: marks and trims of flows, and histograms of delays. */
static bool may_grow(const net_world *w, uint64_t counter)
{
    const uint64_t end_of_flows = (uint64_t)w->n_tx * NET_FLOW_COUNTERS;
    if (counter < end_of_flows)
        return counter % NET_FLOW_COUNTERS == NET_COUNT_MARKED;
    if (w->c_trimmed && counter >= w->c_trimmed && counter < w->c_trimmed + w->n_tx)
        return true;
    for (uint32_t c = 0; c < w->n_classes; c++) {
        const uint32_t first = net_class_at(w, c)->first_delay_bin;
        if (first != NET_NONE && counter >= first && counter < (uint64_t)first + NET_DELAY_BINS)
            return true;
    }
    return false;
}

static bool same_drops(const net_port *a, const net_port *b)
{
    return memcmp(a->dropped, b->dropped, sizeof a->dropped) == 0 && a->dropped_ttl == b->dropped_ttl;
}

bool wi_skip_counts_stand(const wi_skipper *s, const wi_skip_part *p)
{
    const int64_t *now = weir_sim_counters(s->sim);
    for (uint32_t r = 0; r < p->n_counters; r++)
        for (uint64_t i = p->counters[r].first; i < p->counters[r].end; i++)
            if (now[i] != s->counters[i] && !may_grow(wi_net_world(s->net), i))
                return false;
    for (uint32_t k = 0; k < p->n_entities; k++)
        if (!same_drops(&s->ports[p->entities[k]], wi_net_port(s->net, s->sim, p->entities[k])))
            return false;
    return true;
}

/* Both ends have counted, at other moments of each packet's way: of two counts the mean is nearer than either. */
static double packets_of(const wi_skip_flow *f, uint32_t from, uint32_t to)
{
    return 0.5 * (double)(f->sent[to].packets - f->sent[from].packets + f->received[to].packets -
                          f->received[from].packets);
}

/* Packets that queues hold more of at the span's end, or less: what comes in is not what goes out. */
static double held_of(const wi_skip_flow *f)
{
    return fabs((double)(f->sent[2].packets - f->sent[0].packets) -
                (double)(f->received[2].packets - f->received[0].packets));
}

static double acks_of(const wi_skip_flow *f)
{
    return 0.5 * (double)(f->sent[2].acks - f->sent[0].acks + f->received[2].acks - f->received[0].acks);
}

static double mean_rtt_ns(const wi_skip_flow *f, uint32_t from, uint32_t to)
{
    const net_tx *a = &f->sent[from], *b = &f->sent[to];
    return (double)(b->rtt_sum_ns - a->rtt_sum_ns) / (double)(b->rtt_n - a->rtt_n);
}

/* Packets that a window has out. */
static double flight_of(const wi_skip_flow *f, const net_class *c)
{
    uint32_t most = 0;
    for (int i = 0; i < WI_SKIP_LOOKS; i++)
        most = f->sent[i].nxt - f->sent[i].una > most ? f->sent[i].nxt - f->sent[i].una : most;
    return f->sent[0].state == NET_TX_UDP ? 0.0 : (double)most / (double)c->mss_bytes;
}

static bool has_losses(const wi_skip_flow *f)
{
    const net_tx *a = &f->sent[0], *b = &f->sent[2];
    return a->retransmissions != b->retransmissions || a->timeouts != b->timeouts ||
           a->recoveries != b->recoveries || f->received[0].duplicates != f->received[2].duplicates;
}

/* Whether nothing moves by which a sender's rate may: its window does not, nor its control's own; a receiver's pulls and a constant rate
 * never do. */
static bool is_still(const wi_skip_flow *f, const net_class *c)
{
    const net_tx *x = f->sent;
    if (x[0].state == NET_TX_UDP || c->flags & NET_CLASS_NDP)
        return true;
    return f->law[0] == f->law[1] && f->law[1] == f->law[2] && x[0].cwnd == x[1].cwnd &&
           x[1].cwnd == x[2].cwnd && x[0].ssthresh == x[1].ssthresh && x[1].ssthresh == x[2].ssthresh;
}

/* The difference between halves, as a share; NaN where there is nothing. */
static double change(double first, double second)
{
    return fabs(second - first) / (0.5 * (first + second));
}

/* Packets by which two counts of the same may differ: each is off by one at most. */
static const double alike = 2.0;
/* A constant rate is known beforehand, and so is how long its flow takes to send enough to tell. */
weir_time wi_skip_least_half(const wi_skipper *s, const wi_skip_part *p)
{
    double most_ps = 0.0;
    for (size_t k = 0; k < p->n_flows; k++) {
        const net_tx *tx = &p->flows[k].sent[0];
        const double bits = 8.0 * net_class_of_flow(wi_net_world(s->net), p->flows[k].tx)->packet.a;
        if (tx->state == NET_TX_UDP)
            most_ps = fmax(most_ps, bits / (double)tx->left * (double)WEIR_PS_PER_S);
    }
    return (weir_time)((alike / s->params.error + alike) * most_ps);
}

/* Of the error, what a drift may come to while it is skipped: its flow is behind afterwards too, until the others have ended. Round trips
 * may move by a few times what rates may: they wander with queues whose mean stands still. */
static const double of_drift = 0.5, of_rtt = 4.0;

/* How often a flow lets the span be repeated; `still`: all windows are. Less than 1: it does not stand still, or has sent too little to tell. */
static double most_times(const wi_skipper *s, const wi_skip_part *p, const wi_skip_flow *f, bool still)
{
    const double error = s->params.error, second = packets_of(f, 1, 2), all = packets_of(f, 0, 1) + second,
                 share = (double)(p->at_ps[2] - p->at_ps[1]) / (double)(p->at_ps[2] - p->at_ps[0]),
                 off = fabs(second - share * all),
                 bursts = flight_of(f, net_class_of_flow(wi_net_world(s->net), f->tx));
    const bool tcp = f->sent[0].state != NET_TX_UDP;
    double times = HUGE_VAL;
    if (has_losses(f) || !(second > 0.0) || !(all > second) || held_of(f) > fmax(alike, error * all))
        return 0.0;
    if (!still)
        times = of_drift * error * 0.5 * all / fmax(2.0 * off, 0.5 * alike);
    else if (off > 0.5 * alike + bursts || 2.0 * alike + (off > 0.5 * alike ? bursts : 0.0) > error * all)
        return 0.0;
    if (!tcp)
        return times;
    const double rtt = change(mean_rtt_ns(f, 0, 1), mean_rtt_ns(f, 1, 2));
    const double by_rtt = still ? (rtt <= error ? HUGE_VAL : 0.0) : of_drift * of_rtt * error / rtt;
    return by_rtt < times ? by_rtt : times;
}

/* So that a few windows are left to be sent as they are. */
static double times_to_end(const wi_skipper *s, const wi_skip_flow *f)
{
    const net_tx *tx = &f->sent[2];
    if (tx->state == NET_TX_UDP || tx->flags & NET_TX_UNBOUNDED)
        return HUGE_VAL;
    const uint64_t mss = net_class_of_flow(wi_net_world(s->net), f->tx)->mss_bytes,
                   margin = 4 * (uint64_t)(tx->nxt - tx->una) + 32 * mss;
    return tx->left <= margin ? 0.0 : (double)(tx->left - margin) / (f->packets * (double)mss);
}

/* ---- counting ---- */

typedef struct counted {
    double packets;
    size_t flow;
} counted;

static int by_packets(const void *x, const void *y)
{
    const counted *a = x, *b = y;
    if (a->packets != b->packets)
        return a->packets < b->packets ? -1 : 1;
    return a->flow < b->flow ? -1 : a->flow > b->flow;
}

/*
 * Flows that share a line in turns have one rate, and counts over a span that differ by a packet. Repeated a hundred times that
 * would part them by a hundred packets, so flows whose counts are that near to each other all have their mean.
 */
static bool count_packets(wi_skip_part *p)
{
    WI_FREED counted *list = malloc((p->n_flows + 1) * sizeof *list);
    for (size_t k = 0; list && k < p->n_flows; k++)
        list[k] = (counted){packets_of(&p->flows[k], 0, 2), k};
    if (list)
        qsort(list, p->n_flows, sizeof *list, by_packets);
    for (size_t from = 0, to; list && from < p->n_flows; from = to) {
        double sum = 0.0;
        for (to = from; to < p->n_flows && list[to].packets <= list[from].packets + alike; to++)
            sum += list[to].packets;
        for (size_t k = from; k < to; k++) {
            wi_skip_flow *f = &p->flows[list[k].flow];
            f->packets = sum / (double)(to - from);
            f->acks = list[k].packets > 0.0 ? acks_of(f) / list[k].packets * f->packets : 0.0;
        }
    }
    return list != NULL;
}

double wi_skip_most_times(const wi_skipper *s, wi_skip_part *p, bool *failed)
{
    const net_world *w = wi_net_world(s->net);
    double most = HUGE_VAL;
    bool still = true;
    const weir_time span_ps = p->at_ps[2] - p->at_ps[0];
    *failed = !count_packets(p);
    for (size_t k = 0; k < p->n_flows; k++)
        still &= is_still(&p->flows[k], net_class_of_flow(w, p->flows[k].tx));
    for (size_t k = 0; k < p->n_flows && most >= 1.0; k++)
        most = fmin(most, most_times(s, p, &p->flows[k], still));
    p->still = still;
    if (!still) /* what was skipped before has not drifted, and would have */
        most -= (double)p->drifting_ps / (double)span_ps;
    for (size_t k = 0; k < p->n_flows && most >= 1.0; k++)
        most = fmin(most, times_to_end(s, &p->flows[k]));
    return most;
}
