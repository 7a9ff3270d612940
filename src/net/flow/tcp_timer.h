/*
 * Round-trip times and the retransmission timer of a TCP sender.
 *
 * Sources: RFC 6298; RFC 7323, section 4 and appendix G: both ends have timestamps, so each ACK that moves
 * `una` is a sample, of a retransmission too, and the gains are shared among the samples of a round trip.
 * Departure: the initial timeout is 1 s after a lost SYN too, as the echoed time then gives the first sample.
 */
#pragma once

#include "net/flow/endpoint.h"
#include "net/packet/world.h"

#define NET_RTO_MAX_PS (60 * WEIR_PS_PER_S)
#define NET_RTT_LONG_PS (15 * WEIR_PS_PER_S) /* far above all others, far below what RACK tells apart */
#define NET_RTO_GRANULARITY_PS WEIR_PS_PER_MS
#define NET_TLP_SLACK_PS (2 * WEIR_PS_PER_MS)
enum { NET_BACKOFF_MAX = 10 };

/* A timer is one pending event per object, re-armed lazily: only an earlier deadline posts a second one, and
 * the event whose time is not the recorded one is stale. */
WEIR_FN void net_timer_arm(weir_ctx *ctx, uint16_t type, uint32_t index, weir_time at_ps,
                           weir_time *pending_ps)
{
    if (*pending_ps != 0 && *pending_ps <= at_ps)
        return;
    net_note *note = (net_note *)weir_schedule_at(ctx, ctx->entity, type, at_ps);
    note->index = index;
    note->arg = 0;
    *pending_ps = at_ps;
}

/* The timeout of RFC 6298 with a granularity; what NICs have is a constant, which this is not below. */
WEIR_FN weir_time net_tcp_rto_known(const net_tx *tx, weir_time granularity_ps)
{
    const weir_time spread = 4 * tx->rttvar_ps;
    return tx->srtt_ps + (spread > granularity_ps ? spread : granularity_ps);
}

/* The least timeout of a class that has none of its own, and a NIC's that many may have for short: on paths of data centres. */
#define NET_RTO_MIN_PS (200 * WEIR_PS_PER_MS)
#define NET_RTO_LOW_PS (100 * WEIR_PS_PER_US)
WEIR_FN weir_time net_rto_least(uint32_t flags)
{
    return flags & NET_CLASS_UET       ? 100 * WEIR_PS_PER_US
           : flags & NET_CLASS_NDP     ? WEIR_PS_PER_MS
           : flags & NET_CLASS_IRN     ? 320 * WEIR_PS_PER_US
           : flags & NET_CLASS_GO_BACK ? 4 * WEIR_PS_PER_MS
                                       : NET_RTO_MIN_PS;
}

/* The retransmission timeout, backed off. NICs (RDMA, Ultra Ethernet) have the least one from the start; with IRN a short one where
 * few segments are out (RTO_low). */
WEIR_FN weir_time net_tcp_rto(const net_tx *tx, const net_class *c)
{
    const bool nic = (c->flags & (NET_CLASS_RDMA | NET_CLASS_UET)) != 0,
               fine = (c->flags & (NET_CLASS_RDMA | NET_CLASS_NDP)) != 0;
    const bool few = c->flags & NET_CLASS_IRN && tx->n_out <= c->rto_low_segments;
    const weir_time least_ps = few ? c->rto_low_ps : c->rto_min_ps;
    weir_time rto = nic ? 0 : c->rto_initial_ps;
    if (tx->flags & NET_TX_RTT_KNOWN)
        rto = net_tcp_rto_known(tx, fine ? 0 : NET_RTO_GRANULARITY_PS);
    if (rto < least_ps)
        rto = least_ps;
    for (uint32_t i = 0; i < tx->backoff && rto < NET_RTO_MAX_PS; i++)
        rto *= 2;
    return rto < NET_RTO_MAX_PS ? rto : NET_RTO_MAX_PS;
}

/* The other timer of a sender: a loss probe, or RACK's doubt. It is off while it would be later than the
 * retransmission timer. */
WEIR_FN void net_tcp_arm_alarm(weir_ctx *ctx, net_tx *tx, uint32_t flow, weir_time at_ps)
{
    tx->alarm_at_ps = tx->rto_at_ps == 0 || at_ps < tx->rto_at_ps ? at_ps : 0;
    if (tx->alarm_at_ps)
        net_timer_arm(ctx, NET_EV_TX_TIMER, flow, at_ps, &tx->timer_at_ps);
}

/* Start the retransmission timer. */
WEIR_FN void net_tcp_arm(weir_ctx *ctx, net_tx *tx, const net_class *c, uint32_t flow)
{
    tx->rto_at_ps = weir_now(ctx) + net_tcp_rto(tx, c);
    net_timer_arm(ctx, NET_EV_TX_TIMER, flow, tx->rto_at_ps, &tx->timer_at_ps);
}

/*
 * RFC 6298, section 2, with gains of 1/4 and 1/8 divided by the samples that a round trip is expected to give
 * (RFC 7323, appendix G: an ACK for two segments of the flight). The last sample counts at least as it would alone, a quarter
 * of its error in RTTVAR, so that the timer outlasts it: a slow start that fills a queue doubles the round trip within one,
 * of which shared gains have an eighth by its end. A sample also ends the backing off.
 */
WEIR_FN void net_tcp_rtt_sample(net_tx *tx, weir_time sample_ps, uint32_t segments_in_flight)
{
    const weir_time samples = segments_in_flight > 2 ? (segments_in_flight + 1) / 2 : 1;
    if (tx->flags & NET_TX_RTT_KNOWN) {
        const weir_time error = tx->srtt_ps > sample_ps ? tx->srtt_ps - sample_ps : sample_ps - tx->srtt_ps;
        tx->rttvar_ps += (error - tx->rttvar_ps) / (4 * samples);
        tx->srtt_ps += (sample_ps - tx->srtt_ps) / (8 * samples);
        const weir_time least_ps = (sample_ps - tx->srtt_ps) / 4;
        if (tx->rttvar_ps < least_ps)
            tx->rttvar_ps = least_ps;
    } else {
        tx->srtt_ps = sample_ps;
        tx->rttvar_ps = sample_ps / 2;
        tx->flags |= NET_TX_RTT_KNOWN;
    }
    tx->backoff = 0;
    const uint32_t units = (uint32_t)((uint64_t)sample_ps >> 16);
    if ((tx->rtt_n == 0 && tx->min_rtt == 0) || units < tx->min_rtt)
        tx->min_rtt = units;
    const float rtt_s = (float)((double)sample_ps * 1e-12);
    if (tx->rtt_n == 0 || rtt_s < tx->rtt_min_s)
        tx->rtt_min_s = rtt_s;
    if (tx->rtt_n == 0 || rtt_s > tx->rtt_max_s)
        tx->rtt_max_s = rtt_s;
    if (WEIR_UNLIKELY(tx->rtt_n == UINT32_MAX)) /* the mean is that of so many */
        return;
    /* In whole nanoseconds, rounded up as often as fractions are long (net_whole_ns). */
    const uint32_t fraction = (tx->first + tx->rtt_n++) * 0x9e3779b9u;
    tx->rtt_sum_ns += ((uint64_t)sample_ps + ((uint64_t)fraction * 1000u >> 32)) / 1000u;
}
