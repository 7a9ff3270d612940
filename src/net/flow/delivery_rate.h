/*
 * How fast a flow's packets are delivered: draft-cheng-iccrg-delivery-rate-estimation-02, sections 2 and 3.
 *
 * What a packet would carry there (delivered, delivered_time, first_sent_time, app_limited, all as they were when it
 * was sent) changes only with ACKs. So it stands in marks, one for all packets sent until the next, and the time that an
 * ACK echoes finds it. While a round trip has fewer than NET_RATE_MARKS ACKs that is exact; beyond that a mark stands
 * for what was sent in 1/24 of a round trip, and a sample is of an interval that is longer by up to that. Senders keep a
 * time with each packet; here ACKs of a class with NET_CLASS_RATE tell that of the packet that caused them, in order or
 * not (receiver.h).
 */
#pragma once

#include "net/flow/congestion_event.h"

enum { NET_RATE_MARKS = 32 };

typedef struct net_rate_mark {
    weir_time at_ps;        /* packets sent from here on */
    weir_time delivered_ps; /* when `delivered` was reached */
    weir_time first_ps;     /* when what was delivered last then had been sent */
    uint64_t delivered;     /* bytes; twice, plus 1 where the flow had nothing to send */
} net_rate_mark;

typedef struct net_rate {
    net_rate_mark mark[NET_RATE_MARKS]; /* a ring, in order of time */
    uint64_t delivered;                 /* bytes */
    uint64_t limited_to;                /* delivered up to here: the flow had nothing to send; 0: it had */
    weir_time first_ps;                 /* when what was delivered last had been sent */
    uint32_t head, n;                   /* of the ring: where the next mark goes, and how many there are */
} net_rate;

/* One ACK's. */
typedef struct net_rate_sample {
    double bytes_per_s;       /* 0: none */
    uint64_t prior_delivered; /* when the packet was sent */
    int limited;              /* the flow had nothing to send then */
    int known;                /* prior_delivered is of this ACK */
} net_rate_sample;

/* Begin without marks. */
WEIR_FN void net_rate_init(net_rate *r)
{
    r->delivered = r->limited_to = 0;
    r->first_ps = 0;
    r->head = r->n = 0;
}

/* Put a mark behind the others. */
WEIR_FN void net_rate_put(net_rate *r, weir_time at_ps, weir_time delivered_ps)
{
    net_rate_mark *m = &r->mark[r->head];
    m->at_ps = at_ps;
    m->delivered_ps = delivered_ps;
    m->first_ps = r->first_ps;
    m->delivered = 2 * r->delivered + (r->limited_to > 0);
    r->head = (r->head + 1u) % NET_RATE_MARKS;
    if (r->n < NET_RATE_MARKS)
        r->n++;
}

/* The mark that stands `i` behind the oldest. */
WEIR_FN const net_rate_mark *net_rate_at(const net_rate *r, uint32_t i)
{
    return &r->mark[(r->head + NET_RATE_MARKS - r->n + i) % NET_RATE_MARKS];
}

/* The mark of a packet that was sent at `sent_ps`: the last one at or before it, otherwise the oldest. */
WEIR_FN const net_rate_mark *net_rate_find(const net_rate *r, weir_time sent_ps)
{
    uint32_t low = 0, high = r->n; /* marks counted from the oldest; the answer is in [low, high) */
    while (high - low > 1) {
        const uint32_t middle = (low + high) / 2;
        if (net_rate_at(r, middle)->at_ps <= sent_ps)
            low = middle;
        else
            high = middle;
    }
    return net_rate_at(r, low);
}

/* Section 3.3: an ACK of `delivered` more bytes. min_rtt_ps: no interval is shorter. */
WEIR_FN net_rate_sample net_rate_on_ack(net_rate *r, const net_tx *tx, const net_cc_event *e,
                                        weir_time min_rtt_ps)
{
    net_rate_sample s;
    const weir_time sent_ps = e->sent_ps;
    s.bytes_per_s = 0.0;
    s.prior_delivered = 0;
    s.limited = s.known = 0;
    if (r->n == 0) { /* before the first ACK of data: the first packet set these as it was sent */
        if (e->rtt_ps <= 0) {
            r->delivered += e->delivered;
            return s;
        }
        r->first_ps = sent_ps;
        net_rate_put(r, sent_ps, sent_ps);
    }
    const net_rate_mark m = *net_rate_find(r, sent_ps);
    r->delivered += e->delivered;
    if (r->limited_to && r->delivered > r->limited_to)
        r->limited_to = 0;
    s.prior_delivered = m.delivered / 2;
    s.limited = (int)(m.delivered & 1u);
    s.known = 1;
    const weir_time send_ps = sent_ps - m.first_ps, ack_ps = e->now_ps - m.delivered_ps;
    const weir_time span_ps = send_ps > ack_ps ? send_ps : ack_ps;
    if (span_ps >= min_rtt_ps && span_ps > 0)
        s.bytes_per_s = 1e12 * (double)(r->delivered - s.prior_delivered) / (double)span_ps;
    if (sent_ps > r->first_ps)
        r->first_ps = sent_ps;
    const net_rate_mark *last = &r->mark[(r->head + NET_RATE_MARKS - 1u) % NET_RATE_MARKS];
    if (e->now_ps - last->at_ps >= tx->srtt_ps / 24)
        net_rate_put(r, e->now_ps, e->now_ps);
    return s;
}

/* Something goes again after nothing was in flight: intervals begin anew (section 3.2). */
WEIR_FN void net_rate_resume(net_rate *r, weir_time now_ps)
{
    if (r->n == 0)
        return;
    r->first_ps = now_ps;
    net_rate_put(r, now_ps, now_ps);
}

/* The flow has nothing more to send: samples of what is in flight are no measure of the path (section 3.4). */
WEIR_FN void net_rate_limit(net_rate *r, uint32_t in_flight)
{
    r->limited_to = r->delivered + in_flight ? r->delivered + in_flight : 1;
}

/* The largest of the last `window` rounds, from three samples (K. Nichols' algorithm, as Linux's lib/win_minmax.c). */
typedef struct net_max {
    double value[3];
    uint32_t at[3];
} net_max;

/* Let one sample stand for all three. */
WEIR_FN void net_max_reset(net_max *m, double value, uint32_t at)
{
    for (int i = 0; i < 3; i++) {
        m->value[i] = value;
        m->at[i] = at;
    }
}

/* Set one of the three samples. */
WEIR_FN void net_max_set(net_max *m, int i, double value, uint32_t at)
{
    m->value[i] = value;
    m->at[i] = at;
}

/* Add a sample of round `at`. */
WEIR_FN void net_max_update(net_max *m, double value, uint32_t at, uint32_t window)
{
    if (value >= m->value[0] || at - m->at[2] > window) {
        net_max_reset(m, value, at);
        return;
    }
    if (value >= m->value[1]) {
        net_max_set(m, 1, value, at);
        net_max_set(m, 2, value, at);
    } else if (value >= m->value[2]) {
        net_max_set(m, 2, value, at);
    }
    const uint32_t age = at - m->at[0];
    if (age > window) { /* the best has expired; so may have the second */
        for (int again = 0; again < 2 && at - m->at[0] > window; again++) {
            net_max_set(m, 0, m->value[1], m->at[1]);
            net_max_set(m, 1, m->value[2], m->at[2]);
            net_max_set(m, 2, value, at);
        }
    } else if (m->at[1] == m->at[0] && age > window / 4) {
        net_max_set(m, 1, value, at);
        net_max_set(m, 2, value, at);
    } else if (m->at[2] == m->at[1] && age > window / 2) {
        net_max_set(m, 2, value, at);
    }
}

/* All its times, moved on. */
WEIR_FN void net_rate_move(net_rate *r, weir_time by_ps)
{
    for (int i = 0; i < NET_RATE_MARKS; i++) {
        r->mark[i].at_ps += by_ps;
        r->mark[i].delivered_ps += by_ps;
        r->mark[i].first_ps += by_ps;
    }
    r->first_ps += by_ps;
}
