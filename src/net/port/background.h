/*
 * A port whose queue is shared with fluid: what a packet finds there, and what becomes of it.
 *
 * Model:   J. Liu, Y. Liu, Z. Du, T. Li, GPU-Assisted Hybrid Network Traffic Model, SIGSIM PADS 2014, section
 *          3.3 and 4.3. The queue that a packet finds is the fluid's, q, and the packets accepted since the
 *          last exchange, p. At an exchange q takes in what is left of p, and p starts again at 0.
 * Between steps the arrival rate is taken as constant: q + (the line's idle time counted as negative) is then
 * a straight line, whose positive part is q and whose negative part adds to the projected reduction
 * (equations 12 to 14). So neither q nor p falls faster than the line sends.
 */
#pragma once

#include "net/port/port_state.h"

/* A port's row; null where no fluid passes. */
WEIR_FN const net_background *net_background_row(const net_world *w, uint32_t entity)
{
    if (w->background == 0)
        return (const net_background *)0;
    const uint32_t row = NET_ARRAY(w, uint32_t, background)[entity];
    return row == NET_NONE
               ? (const net_background *)0
               : NET_ARRAY(w, net_background, background_rows) + (size_t)row * w->background_stride;
}

/* The two entries of a row that a packet at a time will read; null where they are not there yet. */
WEIR_FN const net_background *net_background_due(const net_world *w, const net_background *row,
                                                 weir_time at_ps)
{
    const uint64_t k = (uint64_t)(at_ps - w->background_from_ps) / (uint64_t)w->background_step_ps;
    return k + 2 > w->background_stride ? (const net_background *)0 : row + k;
}

/* The fluid's side at a time within the row: queue and reduction interpolated, chances of the step. */
WEIR_FN net_background net_background_at(const net_world *w, const net_background *row, weir_time now_ps)
{
    const uint64_t since = (uint64_t)(now_ps - w->background_from_ps), step = (uint64_t)w->background_step_ps;
    uint64_t k = since / step;
    if (k + 2 > w->background_stride)
        k = w->background_stride - 2u; /* the row's very end, looked at by a stop point */
    const net_background *a = row + k;
    const double part = (double)(since - k * step) / (double)step;
    const double end_ps = a[1].queue_ps - (a[1].reduction_ps - a[0].reduction_ps);
    const double level_ps = a[0].queue_ps + part * (end_ps - a[0].queue_ps);
    net_background f = a[1];
    f.queue_ps = level_ps > 0.0 ? level_ps : 0.0;
    f.reduction_ps = a[0].reduction_ps - (level_ps < 0.0 ? level_ps : 0.0);
    f.expected_ps = a[0].expected_ps + part * (a[1].expected_ps - a[0].expected_ps);
    return f;
}

/* Time to send the packets accepted since the exchange, less those that the fluid had expected by now and
 * what else the line had left for them (eq. 14). Fewer than expected: negative, but the queue is never below
 * empty. row: the port's. */
WEIR_FN double net_standing_ps(const net_world *w, const net_port *port, const net_background *row,
                               const net_background *now)
{
    const int some = port->batch == w->background_batch;
    double left_ps = (some ? port->over.standing_ps : row->expected_ps) - now->expected_ps;
    if (!w->background_fixup)
        return some ? left_ps : 0.0;
    if (some && left_ps > 0.0) {
        left_ps -= now->reduction_ps - port->over.reduction_ps;
        left_ps = left_ps > 0.0 ? left_ps : 0.0;
    }
    return left_ps > -now->queue_ps ? left_ps : -now->queue_ps;
}

/* How long a packet of send_ps waits, where packets in front of it have left. standing_ps: of packets, besides the fluid. In a
 * full queue it takes the place of fluid. TCP as fluid is a mean of bursts, between which there is room: a packet that
 * comes first of several leaves some behind it. UDP leaves that of a packet. */
WEIR_FN weir_time net_background_wait_ps(const net_queue *q, const net_background *now, double standing_ps,
                                         weir_time send_ps)
{
    const double wait_ps = now->queue_ps + standing_ps, limit_bytes = (double)(int64_t)net_limit_bytes(q);
    const double burst_bytes = limit_bytes < 2.0 * NET_BURST_BYTES ? 0.5 * limit_bytes : NET_BURST_BYTES;
    const double room_ps = now->full == NET_ALL_LOST       ? 0.0
                           : (now->full & NET_FULL_OF_UDP) ? (double)send_ps
                                                           : burst_bytes / q->bytes_per_ps;
    const double most_ps = limit_bytes / q->bytes_per_ps - room_ps - (double)send_ps;
    return (weir_time)(wait_ps < most_ps ? wait_ps : most_ps > 0.0 ? most_ps : 0.0);
}

/* Whether a packet is lost to a full queue: as often as fluid is, which gives up its places to those that are not. Where that
 * is always, whenever there is no place. Nor do packets alone ever stand above the limit. ahead_ps: until the packet
 * before will have left. */
WEIR_FN bool net_background_crowds_out(const net_queue *q, const net_background *now, double standing_ps,
                                       weir_time ahead_ps, uint32_t bytes, weir_stream *random)
{
    const double room_bytes = (double)(int64_t)net_limit_bytes(q) + 0.5 - (double)bytes;
    if ((ahead_ps > 0 ? (double)ahead_ps : 0.0) * q->bytes_per_ps > room_bytes)
        return true;
    if (now->full == NET_ALL_LOST)
        return (now->queue_ps + standing_ps) * q->bytes_per_ps > room_bytes;
    return now->full && weir_draw_unit(random) < (double)now->full * 0x1p-32;
}

/* The fluid's chance of an early drop is the queue's own discipline applied to all that arrives. never_drops: it
 * marks, at a threshold. */
WEIR_FN enum net_verdict net_background_early(const net_queue *q, const net_background *now, bool never_drops,
                                              int ecn_capable, weir_stream *random)
{
    if (now->drop == 0 || (uint32_t)(weir_draw(random) >> 32) >= now->drop)
        return NET_ACCEPT;
    if (never_drops)
        return ecn_capable ? NET_MARK : NET_ACCEPT;
    return q->ecn && ecn_capable && now->drop != UINT32_MAX ? NET_MARK : NET_DROP_EARLY;
}
