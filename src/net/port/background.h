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
#ifndef WI_NET_PORT_BACKGROUND_H
#define WI_NET_PORT_BACKGROUND_H

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

/* Whether a packet is lost to a full queue: as often as fluid is, and the more often the more packets came in
 * this batch than were expected, as what a burst brings above the limit the burst itself loses first.
 * standing_ps: those; ahead_ps: until the packet before will have left. Packets alone take no more than the line
 * makes: those that come in a burst may wait for an eighth more than the queue holds. */
WEIR_FN bool net_background_crowds_out(const net_queue *q, const net_background *now, double standing_ps,
                                       weir_time ahead_ps, uint32_t bytes, weir_stream *random)
{
    const double limit_bytes = (double)(int64_t)net_limit_bytes(q);
    if ((double)ahead_ps * q->bytes_per_ps > 1.125 * limit_bytes + (double)bytes)
        return true;
    const double over_bytes = (now->queue_ps + standing_ps) * q->bytes_per_ps + (double)bytes - limit_bytes;
    if (!now->full && over_bytes <= 0.0)
        return false;
    const double unexpected_bytes = standing_ps * q->bytes_per_ps;
    const double chance = (double)now->full * 0x1p-32 + unexpected_bytes * (1.0 / NET_CROWD_BYTES);
    return chance > 0.0 && weir_draw_unit(random) < chance;
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

#endif
