/* A window of so many segments, whatever happens, sent at a rate of its own. */
#ifndef TESTS_SCENARIO_TOYS_CONGESTION_TOY_H
#define TESTS_SCENARIO_TOYS_CONGESTION_TOY_H

#include "net/flow/congestion_event.h"

typedef struct WEIR_OVERLAY net_still_params {
    uint32_t segments;
    uint64_t rate_bps;
} net_still_params;

/* No state of its own but a count that nobody reads. */
typedef struct net_still {
    uint64_t acks;
} net_still;

enum { net_still_traits = NET_CLASS_PACED };

WEIR_FN void net_still_init(net_still *s, net_tx *tx, const net_class *c)
{
    s->acks = 0;
    tx->cwnd = NET_CC_PARAMS(still, c)->segments * c->mss_bytes;
}

WEIR_FN void net_still_on_ack(net_still *s, net_tx *tx, const net_class *c, const net_cc_event *e)
{
    (void)tx, (void)c;
    s->acks += e->grows;
}

WEIR_FN uint32_t net_still_on_loss(net_still *s, net_tx *tx, const net_class *c, const net_cc_event *e)
{
    (void)s, (void)tx, (void)e;
    return NET_CC_PARAMS(still, c)->segments * c->mss_bytes;
}

WEIR_FN void net_still_on_undo(net_still *s, net_tx *tx, const net_class *c)
{
    (void)s, (void)tx, (void)c;
}

WEIR_FN void net_still_on_idle(net_still *s, net_tx *tx, const net_class *c, weir_time now_ps,
                               weir_time idle_ps)
{
    (void)s, (void)tx, (void)c, (void)now_ps, (void)idle_ps;
}

WEIR_FN uint64_t net_still_pace_bps(const net_still *s, const net_tx *tx, const net_class *c,
                                    weir_time now_ps)
{
    (void)now_ps;
    (void)s, (void)tx;
    return NET_CC_PARAMS(still, c)->rate_bps;
}

NET_CC_NO_TIMES(still)

#endif
