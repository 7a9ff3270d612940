/* A window of so many segments, whatever happens, sent at a rate of its own. */
#ifndef TESTS_SCENARIO_TOYS_CONGESTION_TOY_H
#define TESTS_SCENARIO_TOYS_CONGESTION_TOY_H

#include "net/congestion/event.h"

typedef struct net_toy_control {
    uint32_t segments;
    uint64_t rate_bps;
} net_toy_control;

/* No state of its own but a count that nobody reads. */
typedef struct net_still {
    uint64_t acks;
} net_still;

enum { net_still_traits = NET_CLASS_PACED };

WEIR_FN void net_still_init(net_still *s, net_tx *tx, const net_class *c)
{
    s->acks = 0;
    tx->cwnd = ((const net_toy_control *)(const void *)c->cc)->segments * c->mss_bytes;
}

WEIR_FN void net_still_on_ack(net_still *s, net_tx *tx, const net_class *c, const net_cc_event *e)
{
    (void)tx, (void)c;
    s->acks += e->grows;
}

WEIR_FN uint32_t net_still_on_loss(net_still *s, net_tx *tx, const net_class *c, const net_cc_event *e)
{
    (void)s, (void)tx, (void)e;
    return ((const net_toy_control *)(const void *)c->cc)->segments * c->mss_bytes;
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

WEIR_FN uint64_t net_still_pace_bps(const net_still *s, const net_tx *tx, const net_class *c)
{
    (void)s, (void)tx;
    return ((const net_toy_control *)(const void *)c->cc)->rate_bps;
}

#ifdef WI_CONGESTION_WORDS
static const wi_key net_still_keys[] = {
    {.name = "segments",
     .kind = &wi_kind_count,
     .offset = offsetof(net_toy_control, segments),
     .fallback = "10",
     .low = "2",
     .doc = "of the window"},
    {.name = "pace",
     .kind = &wi_kind_rate,
     .offset = offsetof(net_toy_control, rate_bps),
     .fallback = "1Mbps",
     .doc = "at which packets leave, headers included"},
};
static const wi_congestion_kind net_still_words = {
    .section = {.name = "still", .keys = net_still_keys, .n_keys = 2, .size = sizeof(net_toy_control)}};
#endif

#endif
