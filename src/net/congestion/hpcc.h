/*
 * HPCC: Y. Li and others, "HPCC: High Precision Congestion Control", SIGCOMM 2019, with the telemetry of PINT (R. Ben Basat and
 * others, SIGCOMM 2020; port/meter.h): an ACK carries U, the load of the most loaded line on the way, queue included. T is the
 * base round trip, B the rate of the host's line, eta the load that is aimed at, W_c the reference window, and with each ACK
 *
 *     W <- W_c eta / U + W_AI      where U >= eta, or after max_stage round trips of the other
 *     W <- W_c + W_AI              otherwise
 *
 * W is at most B T, with which flows begin, and at least T times a least rate; packets leave at W / T. W_c becomes W once a round trip, with the ACK of the first
 * packet that went after it last did, so that no ACK is answered twice. Steps and bounds were compared with the authors' own
 * simulator (github.com/alibaba-edu/High-Precision-Congestion-Control: rdma-hw.cc, HPCC and HPCC-PINT).
 *
 * W_AI makes flows fair, and costs load: where n flows share a line, W_i = W_i eta / U + W_AI for each, and what is in flight,
 * the sum of W_i, is U B T; so that all have the same window, and
 *
 *     U = eta + n W_AI / (B T)
 *
 * of which a queue is what is above 1: there is none while n W_AI <= (1 - eta) B T.
 *
 * Departures: U is a mean that the ports keep, where HPCC's senders keep one (PINT's departure). The first ACK moves W_c already.
 * Losses are mended as TCP does, at the rate that the flow has, without go-back-N; after a timeout W_c is a packet
 * (flow/line_window.h). Windows are of whole packets, headers included, and hold back what would begin beyond them.
 */
#ifndef WI_NET_CONGESTION_HPCC_H
#define WI_NET_CONGESTION_HPCC_H

#include "net/flow/line_window.h"
#include "net/port/meter.h"

typedef struct WEIR_OVERLAY net_hpcc_params {
    net_line_params line;       /* B, T */
    uint64_t ai_bps, least_bps; /* 0: filled in as the network is built */
    double target;              /* eta */
    uint32_t max_stage;
} net_hpcc_params;

enum { NET_HPCC_AI_SHARE = 2500 };   /* of the line, W_AI / T unless given: 10 Mb/s for 25 Gb/s */
enum { NET_HPCC_LEAST_SHARE = 250 }; /* and the least rate: 100 Mb/s, as in the authors' simulator */

typedef struct net_hpcc {
    double window, reference; /* W, W_c: bytes */
    weir_time moved_ps;       /* when W_c last did */
    uint32_t stage, reserved; /* round trips of additive increase */
} net_hpcc;

enum { net_hpcc_traits = NET_CLASS_PACED | NET_CLASS_OWN | NET_CLASS_LINE | NET_CLASS_INT | NET_CLASS_RATE };

WEIR_FN void net_hpcc_set(net_hpcc *s, net_tx *tx, const net_class *c, double window)
{
    s->window = window;
    net_line_set(tx, c, window);
}

WEIR_FN void net_hpcc_init(net_hpcc *s, net_tx *tx, const net_class *c)
{
    s->reference = net_line_most(&NET_CC_PARAMS(hpcc, c)->line);
    s->moved_ps = 0;
    s->stage = s->reserved = 0;
    tx->ssthresh = c->window_bytes;
    net_hpcc_set(s, tx, c, s->reference);
}

WEIR_FN void net_hpcc_on_ack(net_hpcc *s, net_tx *tx, const net_class *c, const net_cc_event *e)
{
    const net_hpcc_params *a = NET_CC_PARAMS(hpcc, c);
    const double load = net_load_of(e->load);
    const bool scales = load >= a->target || s->stage >= a->max_stage;
    double window = (scales ? s->reference * a->target / load : s->reference) +
                    (double)a->ai_bps * (double)a->line.base_ps / 8e12;
    if (WEIR_UNLIKELY(window * 8e12 < (double)a->least_bps * (double)a->line.base_ps))
        window = (double)a->least_bps * (double)a->line.base_ps / 8e12;
    window = net_line_bound(&a->line, tx, window);
    if (net_line_turns(&s->moved_ps, e)) {
        s->reference = window;
        s->stage = scales ? 0 : s->stage + 1;
    }
    net_hpcc_set(s, tx, c, window);
}

WEIR_FN uint32_t net_hpcc_on_loss(net_hpcc *s, net_tx *tx, const net_class *c, const net_cc_event *e)
{
    (void)tx;
    const uint32_t threshold = net_line_on_loss(&s->reference, &s->moved_ps, c, e);
    s->window = e->sign == NET_CC_TIMEOUT ? s->reference : s->window;
    return threshold;
}

WEIR_FN void net_hpcc_on_undo(net_hpcc *s, net_tx *tx, const net_class *c)
{
    s->window = s->reference = net_line_of(tx, c);
}

/* The window stays: the first ACK carries how loaded lines are by then. */
NET_CC_NO_IDLE(hpcc)

/* Its times, moved on. */
WEIR_FN void net_hpcc_move(net_hpcc *s, const net_class *c, weir_time by_ps)
{
    (void)c;
    net_cc_move(&s->moved_ps, by_ps);
}

WEIR_FN uint64_t net_hpcc_pace_bps(const net_hpcc *s, const net_tx *tx, const net_class *c,
                                   weir_time clock_ps)
{
    (void)clock_ps;
    (void)tx;
    return net_line_pace_bps(&NET_CC_PARAMS(hpcc, c)->line, s->window);
}

#endif
