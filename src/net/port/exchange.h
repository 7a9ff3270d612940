/*
 * What packets and fluid exchange of a port that both use, for host and device: what packets left in it goes to the fluid, and
 * what the solver made of it comes back into the row that packets read (background.h).
 */
#pragma once

#include "net/port/background.h"

/* Over which the rate of packets at a port is averaged: some round trips. */
#define NET_PRESSURE_SPAN_PS 0.2e12
#define NET_LEVEL_PACKETS 8

/* Kept of a port from one exchange to the next. */
typedef struct net_exchange {
    uint64_t arrivals; /* packets, accepted or dropped, up to the last exchange */
    double pressure;   /* what packets bring past early drops, in the mean: a share of the line rate */
    double level;      /* bytes in the queue, packets' and fluid's, in the mean */
} net_exchange;

/* What packets did to a port since the last exchange. */
typedef struct net_left {
    double queued_bytes; /* stand in the queue besides what was expected; negative: fewer */
    double coming_bytes; /* expected in each step to come */
    double share;        /* of what is in the queue in the mean that was not expected, either way */
} net_left;

/* What the solver has of a port at the ends of n successive steps, the first of which is a step's own. */
typedef struct net_views {
    const double *queue_bytes, *drop, *reduction_bytes, *expected_bytes, *full;
    uint32_t n;
} net_views;

/* Time that the line takes for a byte. */
WEIR_FN double net_exchange_ps_per_byte(const net_link *link)
{
    return 8e12 / (double)link->rate_bps;
}

/* A chance, times 2^32. */
WEIR_FN uint32_t net_chance(double share)
{
    const double scaled = share * 4294967296.0;
    return scaled >= 4294967295.0 ? UINT32_MAX : (uint32_t)scaled;
}

/* Packets' bytes in the mean, and the share of the line rate that they bring in the mean of some round trips.
 */
WEIR_FN double net_exchange_press(net_exchange *m, const net_queue *q, const net_port *port, double packets,
                                  double batch_ps)
{
    const double bytes =
        port->packets > 0 ? (double)port->bytes / (double)port->packets : q->mean_packet_bytes;
    const double rate = packets * bytes / q->bytes_per_ps / batch_ps;
    m->pressure += (rate - m->pressure) * (batch_ps / (batch_ps + NET_PRESSURE_SPAN_PS));
    return bytes;
}

/* What was not expected, as a share of the queue's level, and of some packets where that is low: what comes
 * by chance within a batch. */
WEIR_FN double net_exchange_missed(net_exchange *m, double level_bytes, double queued_bytes,
                                   double packet_bytes, double batch_ps)
{
    m->level += (level_bytes - m->level) * (batch_ps / (batch_ps + NET_PRESSURE_SPAN_PS));
    const double missed = queued_bytes < 0.0 ? -queued_bytes : queued_bytes;
    return missed / (m->level + NET_LEVEL_PACKETS * packet_bytes);
}

/* A batch of steps: when it ends, and how long it is. */
typedef struct net_batch {
    weir_time at_ps;
    double ps;
} net_batch;

/* Gather what packets left at a port in a batch. row: the port's; it is read only where packets came. */
WEIR_FN net_left net_exchange_gather(const net_world *w, const net_link *link, const net_port *port,
                                     const net_background *row, net_exchange *m, net_batch batch)
{
    const net_queue *q = NET_ARRAY(w, net_queue, queues) + link->queue;
    const uint64_t arrivals = port->packets + port->dropped[0]; /* NET_DROP_LIMIT */
    const double packets = (double)(arrivals - m->arrivals);
    net_left left = {0.0, 0.0, 0.0};
    if (packets == 0.0 && m->pressure == 0.0)
        return left;
    const net_background now = net_background_at(w, row, batch.at_ps);
    left.queued_bytes = net_standing_ps(w, port, row, &now) * q->bytes_per_ps;
    const double bytes = net_exchange_press(m, q, port, packets, batch.ps);
    left.coming_bytes =
        w->background_fixup ? m->pressure * q->bytes_per_ps * (double)w->background_step_ps : 0.0;
    left.share = net_exchange_missed(m, now.queue_ps * q->bytes_per_ps + left.queued_bytes, left.queued_bytes,
                                     bytes, batch.ps);
    m->arrivals = arrivals;
    return left;
}

/* What a packet finds at the end of a step. full: the share that a full queue loses; negative where all fluid is UDP. */
WEIR_FN net_background net_exchange_end(double queue_bytes, double drop, double reduction_bytes,
                                        double expected_bytes, double full, double ps_per_byte)
{
    net_background end;
    end.queue_ps = queue_bytes * ps_per_byte;
    end.reduction_ps = reduction_bytes * ps_per_byte;
    end.expected_ps = expected_bytes * ps_per_byte;
    end.drop = net_chance(drop);
    end.full = full < 0.0 ? net_chance(-full) | NET_FULL_OF_UDP : net_chance(full) & ~NET_FULL_OF_UDP;
    return end;
}

/* Of what the fluid expects at a port that is several links (alike.c), that which one of them does. */
WEIR_FN double net_exchange_part(double coming_bytes, double all_bytes)
{
    return all_bytes > 0.0 ? coming_bytes / all_bytes : 1.0;
}

/* Write the ends of steps into a port's row, from entry `at` on. alike: links that the fluid's port is; part: of what it expects. */
WEIR_FN void net_exchange_fill(const net_link *link, double alike, double part, const net_views *v,
                               int64_t at, net_background *row)
{
    const double ps_per_byte = net_exchange_ps_per_byte(link) / alike;
    for (uint32_t k = 0; k < v->n; k++)
        row[at + k] = net_exchange_end(v->queue_bytes[k], v->drop[k], v->reduction_bytes[k],
                                       alike * part * v->expected_bytes[k], v->full[k], ps_per_byte);
}
