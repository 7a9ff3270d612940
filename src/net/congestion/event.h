/* What a congestion control is told. */
#ifndef WI_NET_CONGESTION_EVENT_H
#define WI_NET_CONGESTION_EVENT_H

#include "net/flow/endpoint.h"
#include "net/packet/world.h"

enum net_cc_sign {
    NET_CC_ACKED,  /* nothing is wrong */
    NET_CC_LOST,   /* a recovery begins */
    NET_CC_PROBED, /* a probe has mended the loss of the last segment (RFC 8985, section 7.4) */
    NET_CC_MARKED, /* a mark is echoed, told once a window */
    NET_CC_TIMEOUT
};

typedef struct net_cc_event {
    weir_time now_ps;
    weir_time rtt_ps; /* this ACK's sample; 0: none */
    uint32_t acked;   /* bytes acknowledged in sequence */
    /* bytes of which this ACK is the first to tell, SACKed ones included, in whole segments */
    uint32_t delivered;
    uint32_t flight; /* in flight, as equation 4 of RFC 5681 has it; 0 with NET_CC_ACKED */
    uint32_t load;   /* NET_CLASS_INT: that which the ACK tells, as port/meter.h codes it */
    uint8_t sign;    /* enum net_cc_sign */
    uint8_t echo;    /* the ACK echoes a mark */
    uint8_t grows;   /* new data is acknowledged, outside fast recovery and without a mark */
    uint8_t pad;
} net_cc_event;

WEIR_FN net_cc_event net_cc_event_of(weir_time now_ps, enum net_cc_sign sign, uint32_t flight)
{
    net_cc_event e;
    e.now_ps = now_ps;
    e.rtt_ps = 0;
    e.acked = e.delivered = 0;
    e.flight = flight;
    e.load = 0;
    e.sign = (uint8_t)sign;
    e.echo = e.grows = e.pad = 0;
    return e;
}

#endif
