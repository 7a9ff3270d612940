/*
 * What packets and fluid tell each other of a port that both use, for host and device: what packets left in
 * it goes to the fluid at an exchange, and what the solver made of it comes back into the row that packets
 * read (background.h).
 */
#ifndef WI_NET_MEETING_H
#define WI_NET_MEETING_H

#include "net/background.h"

/* Over which the rate of packets at a port is averaged: some round trips. */
#define NET_PRESSURE_SPAN_PS 0.2e12

/* Kept of a port from one exchange to the next. */
typedef struct net_meeting {
    uint64_t arrivals; /* packets, accepted or dropped, up to the last exchange */
    double pressure;   /* what packets bring, accepted or not, in the mean: a share of the line rate */
} net_meeting;

/* What packets did to a port since the last exchange. */
typedef struct net_left {
    double queued_bytes;  /* stand in the queue */
    double arrived_bytes; /* move its average, or compete for its places */
    double share;         /* that the queued ones take of the limit */
} net_left;

/* What the solver has of a port at the ends of successive steps, the first of which is a step's own. */
typedef struct net_views {
    const double *queue_bytes, *drop, *reduction_bytes, *full;
} net_views;

WEIR_FN double net_meeting_ps_per_byte(const net_link *link)
{
    return 8e12 / (double)link->rate_bps;
}

WEIR_FN uint32_t net_chance(double share)
{
    const double scaled = share * 4294967296.0;
    return scaled >= 4294967295.0 ? UINT32_MAX : (uint32_t)scaled;
}

/* The rate at which packets come by, accepted or not, in the mean of some round trips. */
WEIR_FN void net_meeting_press(net_meeting *m, const net_queue *q, const net_port *port, double packets,
                               double bytes_per_ps, double batch_ps)
{
    const double bytes =
        port->packets > 0 ? (double)port->bytes / (double)port->packets : q->mean_packet_bytes;
    const double rate = packets * bytes / bytes_per_ps / batch_ps;
    m->pressure += (rate - m->pressure) * (batch_ps / (batch_ps + NET_PRESSURE_SPAN_PS));
}

/* At the end of a batch of batch_ps, at_ps. row: the port's; it is read only where packets came. */
WEIR_FN net_left net_meeting_gather(const net_world *w, const net_link *link, const net_port *port,
                                    const net_background *row, net_meeting *m, weir_time at_ps,
                                    double batch_ps)
{
    const net_queue *q = NET_ARRAY(w, net_queue, queues) + link->queue;
    const double bytes_per_ps = (double)link->rate_bps / 8e12;
    const uint64_t arrivals = port->packets + port->dropped[NET_DROP_LIMIT - NET_DROP_LIMIT] +
                              port->dropped[NET_DROP_EARLY - NET_DROP_LIMIT];
    const double packets = (double)(arrivals - m->arrivals);
    const uint64_t limit = net_limit_bytes(q);
    net_left left = {0.0, 0.0, 0.0};
    if (port->batch == w->background_batch) {
        const net_background now = net_background_at(w, row, at_ps);
        left.queued_bytes = net_standing_ps(w, port, &now) * q->bytes_per_ps;
    }
    net_meeting_press(m, q, port, packets, bytes_per_ps, batch_ps);
    /* RED's average moves once a packet, of whatever size: so many mean packets. At a drop-tail queue they
     * only compete for places: as many as in the mean, or each burst would cost fluid more than it takes. */
    left.arrived_bytes =
        q->type == NET_QUEUE_RED ? packets * q->mean_packet_bytes : m->pressure * bytes_per_ps * batch_ps;
    left.share = limit < UINT64_MAX ? left.queued_bytes / (double)limit : 0.0;
    m->arrivals = arrivals;
    return left;
}

/* What part of fluid and packets a queue loses that is full in a step from `before` to `end`. full: what the
 * solver lost of the fluid, beside packets that it took to bring `counted`; pressure: what they bring in the
 * mean. Both are shares of the line rate. */
WEIR_FN uint32_t net_lost_when_full(const net_background *before, const net_background *end, double full,
                                    double counted, double pressure, double step_ps)
{
    const double unused_ps = end->reduction_ps - before->reduction_ps;
    const double accepted = 1.0 + (end->queue_ps - before->queue_ps - unused_ps) / step_ps;
    const double fluid = full > 0.0 && full < 1.0 ? accepted / (1.0 - full) - counted : accepted;
    const double all = fluid + pressure;
    return all > 1.0 ? net_chance(1.0 - 1.0 / all) : 0;
}

/* What a packet finds at the end of a step, but for what a full queue loses. */
WEIR_FN net_background net_meeting_end(double queue_bytes, double drop, double reduction_bytes,
                                       double ps_per_byte)
{
    net_background end;
    end.queue_ps = queue_bytes * ps_per_byte;
    end.reduction_ps = reduction_bytes * ps_per_byte;
    end.drop = net_chance(drop);
    end.full = 0;
    return end;
}

/* The part that a full queue loses in the step that ends at `entry`, at least 1, of a batch. arrived_bytes:
 * what the solver was told of packets at the batch's start, which it counts in the first step. */
WEIR_FN uint32_t net_meeting_full(const net_background *before, const net_background *end, int64_t entry,
                                  double full, double arrived_bytes, double pressure, double ps_per_byte,
                                  double step_ps)
{
    const double brought = entry == 1 ? arrived_bytes * ps_per_byte / step_ps : 0.0;
    return net_lost_when_full(before, end, full, brought < 1.0 ? brought : 1.0, pressure, step_ps);
}

/* Ends of n steps into a port's row, from entry `at` on. */
WEIR_FN void net_meeting_fill(const net_world *w, const net_link *link, const net_meeting *m,
                              double arrived_bytes, const net_views *v, uint32_t n, int64_t at,
                              net_background *row)
{
    const double ps_per_byte = net_meeting_ps_per_byte(link), step_ps = (double)w->background_step_ps;
    for (uint32_t k = 0; k < n; k++) {
        net_background *const end = row + at + k;
        net_background now =
            net_meeting_end(v->queue_bytes[k], v->drop[k], v->reduction_bytes[k], ps_per_byte);
        if (at + k > 0)
            now.full = net_meeting_full(end - 1, &now, at + k, v->full[k], arrived_bytes, m->pressure,
                                        ps_per_byte, step_ps);
        *end = now;
    }
}

#endif
