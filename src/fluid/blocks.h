/*
 * A block of steps, no more than the lookahead, for one flow, one set of flows, one port: what threads and
 * device threads do. Within a block nothing reads what another part of the same stage writes:
 *
 *     flows   read ports' pasts, write their volumes          \ any order
 *     fronts  read their port's past, write pulls             /
 *     sets    read volumes of members, write their own        level by level
 *     prefixes read upstream's past, volumes, pulls; write their rows, give what arrives
 *     queues  read what arrived, write their port's rows
 */
#ifndef WI_FLUID_BLOCKS_H
#define WI_FLUID_BLOCKS_H

#include "fluid/carry.h"

WEIR_STATIC_ASSERT(sizeof(fluid_pull) == FLUID_PULL_BYTES(sizeof(fluid_real)), "arrays.h sizes pulls");

WEIR_FN uint32_t fluid_row_now(int64_t now, uint32_t rows)
{
    return (uint32_t)now % rows; /* now is below 2^31, and a division of 32 bits is a quarter of one of 64 */
}

WEIR_FN fluid_column fluid_volume_column(const fluid_tables *t, const fluid_state *s, uint32_t series)
{
    const uint32_t rows = t->volume_rows[series];
    fluid_column c;
    c.at = (const fluid_real *)s->volume + t->volume_at[series];
    c.stride = 1;
    c.rows = rows;
    c.now = fluid_row_now(s->now, rows);
    return c;
}

/* A column of `array` (lag, keep or signal): the prefix at a position of a port. */
WEIR_FN fluid_column fluid_port_column(const fluid_port *port, int64_t now, const void *array,
                                       uint32_t position)
{
    fluid_column c;
    c.at = (const fluid_real *)array + port->at + position;
    c.stride = port->n_prefixes;
    c.rows = port->rows;
    c.now = fluid_row_now(now, port->rows);
    return c;
}

WEIR_FN const double *fluid_own(const fluid_tables *t, const double *rings, const fluid_port *port,
                                uint32_t kind)
{
    return rings ? rings + (uint64_t)kind * t->n_own + port->own : rings;
}

/* ---- flows ---- */

/* What of a flow's fluid comes to be known at its source in a step. */
typedef struct fluid_news {
    fluid_real rtt, sent, arrived, signalled; /* round trip at the step's end; bytes */
} fluid_news;

/* The source's view of its path: a pull from the last port over the wire and the way back. */
typedef struct fluid_exit {
    fluid_column lag, keep, signal, volume;
    const double *own_lag, *own_keep, *own_signal;
    double delay;
} fluid_exit;

WEIR_FN fluid_exit fluid_exit_open(const fluid_tables *t, const fluid_state *s, uint32_t flow, double delay)
{
    const fluid_flow *const f = &t->flows[flow];
    const fluid_port *const port = &t->ports[f->port];
    const uint32_t kind = t->classes[f->cls].kind;
    fluid_exit e;
    e.lag = fluid_port_column(port, s->now, s->lag, f->prefix);
    e.keep = fluid_port_column(port, s->now, s->keep, f->prefix);
    e.signal = fluid_port_column(port, s->now, t->signals ? s->signal : s->keep, f->prefix);
    e.volume = fluid_volume_column(t, s, flow);
    e.own_lag = s->own_lag + port->own;
    e.own_keep = fluid_own(t, s->own_keep, port, kind);
    e.own_signal = t->signals ? fluid_own(t, s->own_signal, port, kind) : e.own_keep;
    e.delay = delay;
    return e;
}

WEIR_FN fluid_news fluid_exit_step(const fluid_tables *t, const fluid_exit *e, int64_t now, uint32_t i,
                                   fluid_place *place, fluid_real rtt0)
{
    const fluid_pull p =
        fluid_pull_step(e->own_lag, e->own_keep, t->signals ? e->own_signal : (const double *)0, e->lag.rows,
                        e->lag.now, now, t->order, e->delay, i, place);
    fluid_news r;
    r.rtt = fluid_far_lag(e->lag, &p, t->order);
    const fluid_arrival a =
        fluid_arrive_in_step(t->paper, t->order, e->lag, e->keep, e->volume, e->own_keep, &p, i, rtt0, r.rtt);
    r.sent = a.sent;
    r.arrived = a.arrived;
    r.signalled =
        t->signals ? r.sent * fluid_far_signal(e->signal, e->keep, e->own_signal, &p) : r.sent - r.arrived;
    return r;
}

/* Bytes that a flow would send in a step; moves the window. rtt: at both ends of the step. */
WEIR_FN fluid_real fluid_source_step(const fluid_tables *t, const fluid_state *s, uint32_t flow, double from,
                                     fluid_real rtt0, const fluid_news *news)
{
    const fluid_flow *const f = &t->flows[flow];
    const fluid_class *const c = &t->classes[f->cls];
    const double to = from + 1.0;
    if (to <= f->start || from >= f->stop)
        return (fluid_real)0;
    if (c->flags & FLUID_UDP)
        return (fluid_real)(f->sessions * fluid_udp_bytes(t, c, f->start, from > f->start ? from : f->start,
                                                          to < f->stop ? to : f->stop));
    const fluid_real burst = (fluid_real)(f->sessions * c->mss); /* a segment of every session */
    fluid_tcp tcp;
    tcp.mss = (fluid_real)c->mss;
    tcp.inv_ack = (fluid_real)c->inv_ack;
    tcp.decrease = (fluid_real)c->decrease;
    tcp.limit = (fluid_real)c->window_limit;
    if (news->signalled > (fluid_real)0 && (c->flags & FLUID_SLOW_START))
        s->flow_flags[flow] |= FLUID_SIGNALLED;
    tcp.slow_gain = (c->flags & FLUID_SLOW_START) && !(s->flow_flags[flow] & FLUID_SIGNALLED)
                        ? (fluid_real)c->slow_gain
                        : (fluid_real)0;
    return burst * fluid_window_step(&tcp, t->order, (fluid_real *)s->window + flow, rtt0, news->rtt,
                                     t->order == 4 ? (const fluid_real *)s->rtt_before + 2 * (uint64_t)flow
                                                   : (const fluid_real *)0,
                                     news->signalled / burst);
}

WEIR_FN void fluid_flow_block(const fluid_tables *t, const fluid_state *s, uint32_t flow, uint32_t n)
{
    const fluid_flow *const f = &t->flows[flow];
    const fluid_exit e = fluid_exit_open(t, s, flow, f->delay);
    fluid_real *const volume = (fluid_real *)s->volume + t->volume_at[flow];
    fluid_real *const rtt = (fluid_real *)s->rtt + flow;
    fluid_place place = s->exit[flow];
    double sent = s->sent[flow], acked = s->acked[flow], lost = s->lost[flow];
    for (uint32_t i = 0; i < n; i++) {
        const double from = (double)s->now + (double)i;
        const fluid_real rtt0 = *rtt;
        const fluid_news news = fluid_exit_step(t, &e, s->now, i, &place, rtt0);
        acked += (double)news.arrived;
        lost += (double)(news.sent - news.arrived);
        fluid_real bytes = fluid_source_step(t, s, flow, from, rtt0, &news);
        if (f->size > 0.0) { /* what was lost is sent again */
            const fluid_real left = (fluid_real)(f->size - (sent - lost));
            bytes = bytes < left ? bytes : left > (fluid_real)0 ? left : (fluid_real)0;
            if (s->ended[flow] < 0.0 && acked >= f->size * (1.0 - 1e-6))
                s->ended[flow] = from + 1.0;
        }
        sent += (double)bytes;
        volume[fluid_slot(e.volume.now, (int32_t)i, e.volume.rows)] = bytes;
        if (t->order == 4) {
            fluid_real *const before = (fluid_real *)s->rtt_before + 2 * (uint64_t)flow;
            before[1] = before[0];
            before[0] = rtt0;
        }
        *rtt = news.rtt;
    }
    s->exit[flow] = place;
    s->sent[flow] = sent;
    s->acked[flow] = acked;
    s->lost[flow] = lost;
}

/* Volume of a set of flows: the sum of its members', in their order. */
WEIR_FN void fluid_set_block(const fluid_tables *t, const fluid_state *s, uint32_t set, uint32_t n)
{
    const uint32_t series = t->n_flows + set;
    const fluid_column own = fluid_volume_column(t, s, series);
    fluid_real *const volume = (fluid_real *)s->volume + t->volume_at[series];
    for (uint32_t i = 0; i < n; i++)
        volume[fluid_slot(own.now, (int32_t)i, own.rows)] = (fluid_real)0;
    for (uint32_t m = t->member_first[set]; m < t->member_first[set + 1]; m++) {
        const fluid_column v = fluid_volume_column(t, s, t->member[m]);
        for (uint32_t i = 0; i < n; i++)
            volume[fluid_slot(own.now, (int32_t)i, own.rows)] += fluid_at(v, (int32_t)i);
    }
}

/* ---- ports ---- */

WEIR_FN fluid_pull *fluid_pulls(const fluid_tables *t, const fluid_state *s, const fluid_port *port,
                                uint32_t kind)
{
    return (fluid_pull *)s->pulls + ((uint64_t)port->front * t->n_kinds + kind) * t->lookahead;
}

WEIR_FN void fluid_front_block(const fluid_tables *t, const fluid_state *s, uint32_t port_index, uint32_t n)
{
    const fluid_port *const port = &t->ports[port_index];
    if (port->front == FLUID_NONE)
        return;
    const uint32_t now = fluid_row_now(s->now, port->rows);
    fluid_place end = s->front[port->front];
    for (uint32_t kind = 0; kind < t->n_kinds; kind++) {
        fluid_place place = s->front[port->front];
        fluid_pull *const out = fluid_pulls(t, s, port, kind);
        for (uint32_t i = 0; i < n; i++)
            out[i] = fluid_pull_step(s->own_lag + port->own, fluid_own(t, s->own_keep, port, kind),
                                     t->signals ? fluid_own(t, s->own_signal, port, kind) : (const double *)0,
                                     port->rows, now, s->now, t->order, port->delay, i, &place);
        end = place;
    }
    s->front[port->front] = end;
}

/* A prefix over a block, column by column. */
typedef struct fluid_hop {
    fluid_column lag, keep, signal, volume; /* upstream's, and the source's */
    const double *own_keep, *own_signal;    /* upstream's port */
    const fluid_pull *pulls;
    fluid_real *out_lag, *out_keep, *out_signal; /* own rows: slot 0 */
    uint64_t out_stride;
    uint32_t out_rows, out_now;
    fluid_real lag0; /* at the start of the next step */
} fluid_hop;

WEIR_FN fluid_hop fluid_hop_open(const fluid_tables *t, const fluid_state *s, const fluid_segment *segment,
                                 uint32_t prefix)
{
    const fluid_port *const port = &t->ports[segment->port];
    const fluid_port *const up = &t->ports[segment->upstream];
    const uint32_t parent = t->parent[prefix];
    const uint64_t at = port->at + (prefix - port->first);
    fluid_hop h;
    h.lag = fluid_port_column(up, s->now, s->lag, parent);
    h.keep = fluid_port_column(up, s->now, s->keep, parent);
    h.signal = fluid_port_column(up, s->now, t->signals ? s->signal : s->keep, parent);
    h.volume = fluid_volume_column(t, s, t->series[prefix]);
    h.own_keep = fluid_own(t, s->own_keep, up, segment->kind);
    h.own_signal = t->signals ? fluid_own(t, s->own_signal, up, segment->kind) : h.own_keep;
    h.pulls = fluid_pulls(t, s, up, segment->kind);
    h.out_lag = (fluid_real *)s->lag + at;
    h.out_keep = (fluid_real *)s->keep + at;
    h.out_signal = (fluid_real *)(t->signals ? s->signal : s->keep) + at;
    h.out_stride = port->n_prefixes;
    h.out_rows = port->rows;
    h.out_now = fluid_row_now(s->now, port->rows);
    h.lag0 = h.out_lag[h.out_stride * fluid_slot(h.out_now, -1, h.out_rows)];
    return h;
}

/* Step i of a prefix: writes its row, returns the bytes that arrive. */
WEIR_FN fluid_real fluid_hop_step(const fluid_tables *t, fluid_hop *h, uint32_t i)
{
    const fluid_pull *const p = &h->pulls[i];
    const fluid_real lag = fluid_far_lag(h->lag, p, t->order);
    const fluid_arrival a =
        fluid_arrive_in_step(t->paper, t->order, h->lag, h->keep, h->volume, h->own_keep, p, i, h->lag0, lag);
    const uint64_t row = h->out_stride * fluid_slot(h->out_now, (int32_t)i, h->out_rows);
    h->out_lag[row] = lag;
    h->out_keep[row] = a.keep;
    if (t->signals)
        h->out_signal[row] = fluid_far_signal(h->signal, h->keep, h->own_signal, p);
    h->lag0 = lag;
    return a.arrived;
}

/* A queue over a block. arrived: [n_kinds][stride], summed over prefixes by fluid_round_sum. */
WEIR_FN void fluid_queue_block(const fluid_tables *t, const fluid_state *s, uint32_t port_index, uint32_t n,
                               const double *arrived, uint32_t stride)
{
    const fluid_port *const port = &t->ports[port_index];
    const fluid_queue *const q = &t->queues[port->queue];
    const uint32_t now = fluid_row_now(s->now, port->rows);
    double queue = s->queue[port_index], average = s->average[port_index];
    double reduction = s->reduction[port_index], accepted = s->accepted[port_index];
    double total = s->arrived[port_index], dropped = s->dropped[port_index], packets = s->packets[port_index];
    for (uint32_t i = 0; i < n; i++) {
        const double in[FLUID_KINDS] = {arrived[i], t->n_kinds > 1 ? arrived[stride + i] : 0.0};
        const uint64_t row = port->own + fluid_slot(now, (int32_t)i, port->rows);
        fluid_passage r;
        const double p = fluid_queue_step(port, q, t->paper, t->order, queue, in, packets, &average, &r);
        packets = 0.0;
        queue = r.queue;
        reduction += r.unused;
        accepted += r.accepted;
        total += in[FLUID_PLAIN] + in[FLUID_MARKABLE];
        dropped += (in[FLUID_PLAIN] + in[FLUID_MARKABLE]) - r.accepted;
        s->own_lag[row] = queue / port->rate;
        s->own_accepted[row] = accepted;
        s->own_drop[row] = p;
        s->own_reduction[row] = reduction;
        for (uint32_t kind = 0; kind < t->n_kinds; kind++) {
            s->own_keep[(uint64_t)kind * t->n_own + row] = r.keep[kind];
            if (t->signals)
                s->own_signal[(uint64_t)kind * t->n_own + row] = r.signal[kind];
        }
    }
    s->queue[port_index] = queue;
    s->average[port_index] = average;
    s->reduction[port_index] = reduction;
    s->accepted[port_index] = accepted;
    s->arrived[port_index] = total;
    s->dropped[port_index] = dropped;
    s->packets[port_index] = packets;
}

#endif
