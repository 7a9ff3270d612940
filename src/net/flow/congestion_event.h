/* What a sender hands its congestion control, and what a control need not do. */
#pragma once

#include "net/flow/endpoint.h"
#include "net/packet/world.h"

enum net_cc_sign {
    NET_CC_ACKED,  /* nothing is wrong */
    NET_CC_LOST,   /* a recovery begins */
    NET_CC_PROBED, /* a probe has mended the loss of the last segment (RFC 8985, section 7.4) */
    NET_CC_MARKED, /* a mark is echoed; once a window */
    NET_CC_TIMEOUT
};

typedef struct net_cc_event {
    weir_time now_ps;
    weir_time clock_ps; /* now, without the time in which the host was paused for the flow's priority */
    weir_time rtt_ps;   /* this ACK's sample; 0: none */
    weir_time sent_ps;  /* NET_CLASS_RATE: when what caused this ACK was sent */
    uint32_t acked;     /* bytes acknowledged in sequence */
    uint32_t told;      /* of these: what SACKs, or duplicate ACKs, have told of before */
    /* bytes that this ACK is the first to acknowledge, SACKed ones included, in whole segments */
    uint32_t delivered;
    uint32_t flight; /* in flight, as equation 4 of RFC 5681 has it; 0 with NET_CC_ACKED */
    uint32_t marked; /* of what this ACK tells of, or of the acknowledged, what came marked; in bytes */
    uint32_t load;   /* NET_CLASS_INT: that which the ACK carries, as port/meter.h codes it */
    uint8_t sign;    /* enum net_cc_sign */
    uint8_t echo;    /* the ACK echoes a mark */
    uint8_t grows;   /* new data is acknowledged, outside fast recovery and without a mark */
    uint8_t links;   /* that the ACK has come over */
} net_cc_event;

/* An event of nothing acknowledged. */
WEIR_FN net_cc_event net_cc_event_of(weir_time now_ps, enum net_cc_sign sign, uint32_t flight)
{
    net_cc_event e;
    e.now_ps = e.clock_ps = now_ps;
    e.rtt_ps = e.sent_ps = 0;
    e.acked = e.told = e.delivered = 0;
    e.flight = flight;
    e.marked = e.load = 0;
    e.sign = (uint8_t)sign;
    e.echo = e.grows = e.links = 0;
    return e;
}

/* By how much an ACK opens the window at most: what it is the first to tell of. */
WEIR_FN uint32_t net_cc_opens(const net_cc_event *e)
{
    return e->acked - e->told;
}

/* The share of what was acknowledged that came marked; a counter may know of marks before the ACK of their bytes. */
WEIR_FN double net_cc_share(uint32_t marked, uint32_t acked)
{
    return marked < acked ? (double)marked / (double)acked : 1.0;
}

/* A time that a control keeps is moved on; 0 is none. */
WEIR_FN void net_cc_move(weir_time *at_ps, weir_time by_ps)
{
    *at_ps += *at_ps != 0 ? by_ps : 0;
}

/* For a control that ACKs do not move; whose window losses leave as it is; that does nothing at an undo, or as a connection resumes;
 * that has no rate of its own; or keeps no times. */
#define NET_CC_NO_ACK(name)                                                                                \
    WEIR_FN void net_##name##_on_ack(net_##name *s, net_tx *tx, const net_class *c, const net_cc_event *e) \
    {                                                                                                      \
        (void)s, (void)tx, (void)c, (void)e;                                                               \
    }
#define NET_CC_NO_LOSS(name)                                                             \
    WEIR_FN uint32_t net_##name##_on_loss(net_##name *s, net_tx *tx, const net_class *c, \
                                          const net_cc_event *e)                         \
    {                                                                                    \
        (void)s, (void)tx, (void)e;                                                      \
        return c->window_bytes;                                                          \
    }
#define NET_CC_NO_UNDO(name)                                                         \
    WEIR_FN void net_##name##_on_undo(net_##name *s, net_tx *tx, const net_class *c) \
    {                                                                                \
        (void)s, (void)tx, (void)c;                                                  \
    }
#define NET_CC_NO_IDLE(name)                                                                           \
    WEIR_FN void net_##name##_on_idle(net_##name *s, net_tx *tx, const net_class *c, weir_time now_ps, \
                                      weir_time idle_ps)                                               \
    {                                                                                                  \
        (void)s, (void)tx, (void)c, (void)now_ps, (void)idle_ps;                                       \
    }
#define NET_CC_NO_TIMES(name)                                                          \
    WEIR_FN void net_##name##_move(net_##name *s, const net_class *c, weir_time by_ps) \
    {                                                                                  \
        (void)s, (void)c, (void)by_ps;                                                 \
    }
#define NET_CC_NO_PACE(name)                                                                          \
    WEIR_FN uint64_t net_##name##_pace_bps(const net_##name *s, const net_tx *tx, const net_class *c, \
                                           weir_time now_ps)                                          \
    {                                                                                                 \
        (void)s, (void)tx, (void)c, (void)now_ps;                                                     \
        return 0;                                                                                     \
    }
