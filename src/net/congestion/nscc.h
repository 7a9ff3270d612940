/*
 * The controls of Ultra Ethernet, as its reference simulator has them (github.com/ultraethernet/uet-htsim, uec.cpp); the specification
 * itself was not read.
 *
 * NSCC, the sender's: a window W of bytes, by the delay d of each answer beyond the idle round trip and whether its packet was marked,
 * with the target D, and a = B T / (100 Gb/s 12 us), b = D / 12 us:
 *
 *     not marked, d < D    proportional: W grows by 4 a b mss (1 - d / D) acked / W; where d has been below 1 us for a window, by
 *                          a / 4 of what is acknowledged
 *     not marked, d >= D   fair: W grows by 5 a mss acked / W
 *     marked, d >= D       W falls by 0.8 of (mean d - D) / mean d, half at most, once a round trip, where the mean is above D
 *     marked, d < D        the path changes alone
 *     trimmed              W falls by the packet
 *
 * What grows is put off to each 8 packets or round trip, and 0.15 a mss comes with each of the latter. Once a round trip and D, if less
 * than 1 / 2^gate of the largest window has arrived and a packet was trimmed, or d was above 4 D, W becomes what has arrived ("quick
 * adapt"), and until what was in flight then is accounted for, marks and trims say nothing more. W is at least a packet and at most
 * 1.5 B T, with which flows begin; T falls to the least round trip that is seen.
 *
 * RCCC, the receiver's: it grants credits of four packets, at 99 % of its line, to all senders that want some in turn; 1.5 B T go
 * unasked until the first answer (transport/pull.h). Where both are on, packets need window and credit, and those that were trimmed on
 * their last link cost no window. Where links above hosts are oversubscribed, a receiver grants at a share r of its rate, from 1 to
 * 0.9 / oversubscription: each 1.1 to 1.9 T r falls by the share of packets that were trimmed before their last link, and by half of
 * what a mean of the marked share exceeds 0.3; else it rises by 0.01, which doubles each time as long as nothing is marked.
 *
 * ndp_sender.h and ndp_receiver.h send and answer; paths are named by entropy values (flow/entropy.h).
 */
#ifndef WI_NET_CONGESTION_NSCC_H
#define WI_NET_CONGESTION_NSCC_H

#include "net/congestion/ndp.h"
#include "net/flow/entropy.h"
#include "net/flow/line_window.h"

typedef struct WEIR_OVERLAY net_nscc_params {
    net_line_params line;
    weir_time target_ps; /* D; 0: three quarters of line.base_ps */
    uint64_t ack_bytes;  /* after which an answer goes unasked */
    uint32_t paths;      /* entropy values: a power of two */
    int balance;         /* enum net_balance */
    uint32_t first;      /* packets with which flows begin; 0: as many as may be out */
    uint32_t gate;       /* of quick adapt, as a power of two; NET_NSCC_NO_GATE: never */
    bool credits;        /* RCCC too */
    double
        oversubscribed; /* hosts' rate over that of the links above them, with `credits`; at most 1: none of it */
} net_nscc_params;
typedef net_nscc_params net_rccc_params;

enum { NET_NSCC_NO_GATE = 32, NET_NSCC_ADJUST_PACKETS = 8, NET_CREDIT_PACKETS = 4 };

/* Of both, so that the transport finds it in one place. */
typedef struct net_nscc {
    net_entropy entropy;
    double window;   /* W */
    double grows;    /* what it is to grow by, times W */
    double delay_ps; /* mean d */
    weir_time base_ps;
    weir_time checked_ps; /* when quick adapt looks again; 0: it never has */
    weir_time adjusted_ps, decreased_ps;
    weir_time asked_ps;  /* when credit was last asked for by a header alone; 0: never */
    uint64_t arrived;    /* since quick adapt looked */
    uint64_t unadjusted; /* arrived since what grows was put off */
    uint64_t idle;       /* arrived with a delay below 1 us, without a break */
    uint64_t ignores, ignored;
    uint32_t trimmed, fast;
} net_nscc;
typedef net_nscc net_rccc;

enum {
    net_nscc_traits = NET_CLASS_NDP | NET_CLASS_UET | NET_CLASS_OWN | NET_CLASS_LINE,
    net_rccc_traits = net_nscc_traits
};

/* A packet in the window's terms. */
WEIR_FN double net_nscc_packet(const net_class *c)
{
    return (double)(c->mss_bytes + NET_HEADER_TCP);
}

/* The largest window. */
WEIR_FN double net_nscc_most(const net_nscc *s, const net_class *c)
{
    return 1.5 * (double)NET_CC_PARAMS(nscc, c)->line.line_bps * (double)s->base_ps / 8e12;
}

/* a: the network's product of rate and round trip, to the reference's. */
WEIR_FN double net_nscc_scale(const net_nscc_params *p)
{
    return net_line_most(&p->line) / 150000.0;
}

WEIR_FN double net_nscc_target_ps(const net_nscc_params *p)
{
    return p->target_ps ? (double)p->target_ps : 0.75 * (double)p->line.base_ps;
}

/* W within its bounds, and the sender's own window, for those who look at it. */
WEIR_FN void net_nscc_bound(net_nscc *s, net_tx *tx, const net_class *c)
{
    const double least = net_nscc_packet(c), most = net_nscc_most(s, c);
    s->window = s->window > most ? most : s->window;
    s->window = s->window < least ? least : s->window;
    net_line_set(tx, c, s->window - least); /* one more may go where there is room for all of it */
}

WEIR_FN void net_nscc_init(net_nscc *s, net_tx *tx, const net_class *c)
{
    const net_nscc none = {{0}};
    *s = none;
    s->base_ps = NET_CC_PARAMS(nscc, c)->line.base_ps;
    const uint32_t first = NET_CC_PARAMS(nscc, c)->first;
    s->window = first ? first * net_nscc_packet(c) : net_nscc_most(s, c);
    net_ndp *const sender = net_ndp_of(tx);
    sender->pulled = sender->ahead = 0;
    sender->credit = (uint32_t)(net_nscc_most(s, c) / net_nscc_packet(c)) + 1u;
    sender->arrived = 0;
    sender->unasked = 1;
    tx->ssthresh = c->window_bytes;
    net_nscc_bound(s, tx, c);
}

/* The round trip of an answer: its delay beyond the least that was seen. */
WEIR_FN double net_nscc_delay(net_nscc *s, weir_time rtt_ps)
{
    if (rtt_ps > 0 && rtt_ps < s->base_ps)
        s->base_ps = rtt_ps;
    return rtt_ps > 0 ? (double)(rtt_ps - s->base_ps) : s->delay_ps;
}

/* The mean delay after another; one that is long without a mark counts as a quarter of the round trip. */
WEIR_FN void net_nscc_mean(net_nscc *s, const net_nscc_params *p, double delay_ps, bool marked)
{
    const double share = 0.0125, base = (double)s->base_ps;
    const double taken = !marked && delay_ps > net_nscc_target_ps(p) ? 0.25 * base : delay_ps;
    s->delay_ps = share * taken + (1.0 - share) * s->delay_ps;
}

/* Quick adapt. Returns whether W is to be left alone. */
WEIR_FN bool net_nscc_adapt(net_nscc *s, const net_nscc_params *p, const net_class *c, const net_cc_event *e,
                            double delay_ps, bool marked)
{
    bool leave = s->ignored < s->ignores && marked;
    if (p->gate == NET_NSCC_NO_GATE)
        return false;
    if (!leave && e->now_ps > s->checked_ps) {
        const bool bad = s->trimmed || delay_ps > 4.0 * net_nscc_target_ps(p);
        const double gate = net_nscc_most(s, c) / (double)(UINT64_C(1) << p->gate);
        if (s->checked_ps != 0 && bad && (double)s->arrived < gate) {
            const double packet = net_nscc_packet(c);
            s->window = (double)s->arrived > packet ? (double)s->arrived : packet;
            s->ignores = e->flight;
            s->ignored = 0;
            s->trimmed = 0;
            leave = true;
        }
        s->arrived = 0;
        s->checked_ps = e->now_ps + s->base_ps + (weir_time)net_nscc_target_ps(p);
    }
    if (leave) {
        s->grows = 0.0;
        s->unadjusted = 0;
    }
    return leave;
}

/* An unmarked answer within the target. */
WEIR_FN void net_nscc_grow(net_nscc *s, const net_nscc_params *p, const net_class *c, double acked,
                           double delay_ps)
{
    const double scale = net_nscc_scale(p), target_ps = net_nscc_target_ps(p);
    if (delay_ps < 1e6) {
        s->idle += (uint64_t)acked;
        if ((double)s->idle > s->window || s->fast) {
            s->window += acked * 0.25 * scale;
            s->fast = 1;
            return;
        }
    } else {
        s->idle = 0;
    }
    s->fast = 0;
    s->grows +=
        4.0 * (double)c->mss_bytes * scale * (target_ps / 12e6) * acked * (1.0 - delay_ps / target_ps);
}

WEIR_FN void net_nscc_fall(net_nscc *s, const net_nscc_params *p, weir_time now_ps)
{
    const double target_ps = net_nscc_target_ps(p);
    s->fast = 0;
    s->idle = 0;
    if (s->delay_ps <= target_ps || now_ps - s->decreased_ps <= s->base_ps)
        return;
    const double left = 1.0 - 0.8 * (s->delay_ps - target_ps) / s->delay_ps;
    s->window *= left > 0.5 ? left : 0.5;
    s->decreased_ps = now_ps;
}

/* What has been put off. */
WEIR_FN void net_nscc_adjust(net_nscc *s, net_tx *tx, const net_nscc_params *p, const net_class *c,
                             weir_time now_ps)
{
    net_nscc_bound(s, tx, c);
    if ((double)s->unadjusted <= NET_NSCC_ADJUST_PACKETS * net_nscc_packet(c) &&
        now_ps - s->adjusted_ps <= p->line.base_ps)
        return;
    s->window += s->grows / s->window;
    if (now_ps - s->adjusted_ps >= p->line.base_ps) {
        s->window += 0.15 * (double)c->mss_bytes * net_nscc_scale(p);
        s->adjusted_ps = now_ps;
    }
    s->grows = 0.0;
    s->unadjusted = 0;
    net_nscc_bound(s, tx, c);
}

/* An answer of what has arrived: e.delivered, headers included, which may be 0. */
WEIR_FN void net_nscc_on_ack(net_nscc *s, net_tx *tx, const net_class *c, const net_cc_event *e)
{
    const net_nscc_params *p = NET_CC_PARAMS(nscc, c);
    const bool marked = e->echo;
    s->arrived += e->delivered;
    s->unadjusted += e->delivered;
    s->ignored += e->delivered;
    const double delay_ps = net_nscc_delay(s, e->rtt_ps), target_ps = net_nscc_target_ps(p);
    if (e->rtt_ps > 0)
        net_nscc_mean(s, p, delay_ps, marked);
    if (net_nscc_adapt(s, p, c, e, delay_ps, marked)) {
        net_nscc_bound(s, tx, c);
        return;
    }
    if (!marked && delay_ps >= target_ps)
        s->grows += 5.0 * (double)c->mss_bytes * net_nscc_scale(p) * (double)e->delivered;
    else if (!marked)
        net_nscc_grow(s, p, c, (double)e->delivered, delay_ps);
    else if (delay_ps >= target_ps)
        net_nscc_fall(s, p, e->now_ps);
    net_nscc_adjust(s, tx, p, c, e->now_ps);
}

/* A packet of e.acked bytes was trimmed (NET_CC_LOST; e.told: on its last link), or has not arrived (NET_CC_TIMEOUT). */
WEIR_FN uint32_t net_nscc_on_loss(net_nscc *s, net_tx *tx, const net_class *c, const net_cc_event *e)
{
    const net_nscc_params *p = NET_CC_PARAMS(nscc, c);
    bool falls = true;
    if (e->sign == NET_CC_LOST) {
        net_nscc_delay(s, e->rtt_ps);
        s->ignored += e->acked;
        net_nscc_mean(s, p, (double)p->line.base_ps, true);
        s->trimmed = 1;
        falls = !net_nscc_adapt(s, p, c, e, 0.0, true) && !(p->credits && e->told);
    }
    if (falls)
        s->window -= (double)e->acked;
    net_nscc_bound(s, tx, c);
    return c->window_bytes;
}

WEIR_FN void net_nscc_move(net_nscc *s, const net_class *c, weir_time by_ps)
{
    (void)c;
    s->entropy.thaws_ps += by_ps;
    s->checked_ps += s->checked_ps ? by_ps : 0;
    s->adjusted_ps += by_ps;
    s->decreased_ps += by_ps;
    s->asked_ps += s->asked_ps ? by_ps : 0;
}

NET_CC_NO_UNDO(nscc)
NET_CC_NO_IDLE(nscc)
NET_CC_NO_PACE(nscc)

/* ---- credits alone ---- */

WEIR_FN void net_rccc_init(net_rccc *s, net_tx *tx, const net_class *c)
{
    net_nscc_init(s, tx, c);
}

NET_CC_NO_ACK(rccc)
NET_CC_NO_LOSS(rccc)

WEIR_FN void net_rccc_move(net_rccc *s, const net_class *c, weir_time by_ps)
{
    net_nscc_move(s, c, by_ps);
}

NET_CC_NO_UNDO(rccc)
NET_CC_NO_IDLE(rccc)
NET_CC_NO_PACE(rccc)

#endif
