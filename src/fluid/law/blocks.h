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
#ifndef WI_FLUID_LAW_BLOCKS_H
#define WI_FLUID_LAW_BLOCKS_H

#include "fluid/law/source.h"

WEIR_STATIC_ASSERT(sizeof(fluid_pull) == FLUID_PULL_BYTES(sizeof(fluid_real)), "arrays.h sizes pulls");

/* Volume of a set of flows in a step: the sum of its members', in their order. */
WEIR_FN fluid_real fluid_set_step(const fluid_tables *t, const fluid_state *s, uint32_t set, uint32_t i)
{
    fluid_real sum = (fluid_real)0;
    for (uint32_t m = t->member_first[set]; m < t->member_first[set + 1]; m++)
        sum += fluid_at(fluid_volume_column(t, s, t->member[m]), (int32_t)i);
    return sum;
}

/* ---- ports ---- */

WEIR_FN fluid_pulls fluid_front_pulls(const fluid_tables *t, const fluid_state *s, const fluid_port *port,
                                      uint32_t kind)
{
    return fluid_pulls_at(s->pulls, (uint64_t)port->front * t->n_kinds + kind, t->lookahead);
}

WEIR_FN void fluid_pull_keep(const fluid_pulls *to, uint32_t i, const fluid_pull *p)
{
    to->from[i] = p->from;
    to->to[i] = p->to;
    to->rest[i] = p->rest;
    to->part[i] = p->part;
    to->wait[i] = p->wait;
    to->keep_from[i] = p->keep_from;
    to->keep_to[i] = p->keep_to;
    to->signal_from[i] = p->signal_from;
    to->signal_to[i] = p->signal_to;
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
        const fluid_pulls out = fluid_front_pulls(t, s, port, kind);
        for (uint32_t i = 0; i < n; i++) {
            const fluid_pull p =
                fluid_pull_step(s->own_lag + port->own, fluid_own(t, s->own_keep, port, kind),
                                t->signals ? fluid_own(t, s->own_signal, port, kind) : (const double *)0,
                                port->rows, now, s->now, port->delay, i, &place);
            fluid_pull_keep(&out, i, &p);
        }
        end = place;
    }
    s->front[port->front] = end;
}

/* A prefix over a block: what it reads, and its own histories. */
typedef struct fluid_hop {
    fluid_column lag, keep, signal, volume; /* upstream's, and the source's */
    const double *own_keep, *own_signal;    /* upstream's port */
    fluid_real *out_lag, *out_keep, *out_signal;
    uint32_t out_rows, out_now;
} fluid_hop;

/* What all prefixes of a segment have in common: that of the first of both ports, less the volume. */
WEIR_FN fluid_hop fluid_hop_of_segment(const fluid_tables *t, const fluid_state *s,
                                       const fluid_segment *segment)
{
    const fluid_port *const port = &t->ports[segment->port];
    const fluid_port *const up = &t->ports[segment->upstream];
    fluid_hop h;
    h.lag = fluid_port_column(up, s->now, s->lag, 0);
    h.keep = h.signal = h.volume = h.lag;
    h.keep.at = (const fluid_real *)s->keep + FLUID_APART * up->at;
    h.signal.at = (const fluid_real *)(t->signals ? s->signal : s->keep) + FLUID_APART * up->at;
    h.own_keep = fluid_own(t, s->own_keep, up, segment->kind);
    h.own_signal = t->signals ? fluid_own(t, s->own_signal, up, segment->kind) : h.own_keep;
    h.out_lag = (fluid_real *)s->lag + FLUID_APART * port->at;
    h.out_keep = (fluid_real *)s->keep + FLUID_APART * port->at;
    h.out_signal = (fluid_real *)(t->signals ? s->signal : s->keep) + FLUID_APART * port->at;
    h.out_rows = port->rows;
    h.out_now = fluid_row_now(s->now, port->rows);
    return h;
}

/* One of the segment's, at a position of its port. */
WEIR_FN fluid_hop fluid_hop_at(const fluid_hop *segment, uint32_t position, const fluid_state *s,
                               const fluid_prefix *prefix)
{
    fluid_hop h = *segment;
    const uint64_t up = FLUID_APART * (uint64_t)prefix->parent * h.lag.rows;
    const uint64_t out = FLUID_APART * (uint64_t)position * h.out_rows;
    h.lag.at += up;
    h.keep.at += up;
    h.signal.at += up;
    h.out_lag += out;
    h.out_keep += out;
    h.out_signal += out;
    h.volume = fluid_prefix_volume(s, prefix);
    return h;
}

/* Lag at the start of the block's first step. */
WEIR_FN fluid_real fluid_hop_lag(const fluid_hop *h)
{
    return h->out_lag[FLUID_APART * fluid_slot(h->out_now, -1, h->out_rows)];
}

/* Step i of a prefix: writes its row, returns the bytes that arrive. lag0, lag: at the step's ends. */
WEIR_FN fluid_real fluid_hop_step(const fluid_tables *t, const fluid_hop *h, const fluid_pull *p, uint32_t i,
                                  fluid_real lag0, fluid_real lag)
{
    const fluid_arrival a =
        fluid_arrive_in_step(t->paper, h->lag, h->keep, h->volume, h->own_keep, p, i, lag0, lag);
    const uint32_t row = FLUID_APART * fluid_slot(h->out_now, (int32_t)i, h->out_rows);
    h->out_lag[row] = lag;
    h->out_keep[row] = a.keep;
    if (t->signals)
        h->out_signal[row] = fluid_far_signal(h->signal, h->keep, h->own_signal, p);
    return a.arrived;
}

/* The share that RED drops, as it stands in the histories of a link that is down: what survives the line then
 * does not tell what survived the queue. */
WEIR_FN double fluid_drop_when_down(double p)
{
    return -1.0 - p;
}

WEIR_FN double fluid_drop_of(double kept)
{
    return kept < 0.0 ? -1.0 - kept : kept;
}

/* What a queue leaves of a step, in the order of a block's results; the last two for each kind. */
enum {
    FLUID_OWN_LAG,
    FLUID_OWN_ACCEPTED,
    FLUID_OWN_DROP,
    FLUID_OWN_REDUCTION,
    FLUID_OWN_EXPECTED,
    FLUID_OWN_FULL,
    FLUID_OWN_KEEP,
    FLUID_OWN_SIGNAL = FLUID_OWN_KEEP + 2,
    FLUID_OWN_ALL = FLUID_OWN_SIGNAL + 2
};
WEIR_STATIC_ASSERT(FLUID_KINDS == 2, "results of both kinds");

/* The history that result number `which` goes to; null where it is not kept (signals, a second kind). */
WEIR_FN double *fluid_own_ring(const fluid_tables *t, const fluid_state *s, const fluid_port *port,
                               uint32_t which)
{
    double *of_kind = s->own_keep;
    uint32_t kind = which - FLUID_OWN_KEEP;
    switch (which) {
    case FLUID_OWN_LAG:
        return s->own_lag + port->own;
    case FLUID_OWN_ACCEPTED:
        return s->own_accepted + port->own;
    case FLUID_OWN_DROP:
        return s->own_drop + port->own;
    case FLUID_OWN_REDUCTION:
        return s->own_reduction + port->own;
    case FLUID_OWN_EXPECTED:
        return s->own_expected + port->own;
    case FLUID_OWN_FULL:
        return s->own_full + port->own;
    default:
        break;
    }
    if (which >= FLUID_OWN_SIGNAL) {
        of_kind = t->signals ? s->own_signal : (double *)0;
        kind = which - FLUID_OWN_SIGNAL;
    }
    return of_kind && kind < t->n_kinds ? of_kind + (uint64_t)kind * t->n_own + port->own : (double *)0;
}

/* What a queue goes by. Apart from the tables, so that the CPU has a build of the common case. */
typedef struct fluid_queue_law {
    const fluid_port *port;
    const fluid_queue *queue;
    uint32_t paper, order, kinds, signals;
} fluid_queue_law;

/* How long what enters last in a step waits, in steps; before: in the step before it. Where packets that were expected have
 * not come, the queue is shorter than what stands in it already: but nothing overtakes what entered before it. */
WEIR_FN double fluid_queue_lag(const fluid_port *port, double queue, double before)
{
    const double lag = fluid_stands(port, queue) / port->rate;
    const double least = before - (1.0 + 0x1p-30); /* rounding is no overtaking */
    return lag < least ? before - 1.0 : lag;
}

/* What a full queue loses of the fluid while the line sends some NET_CROWD_BYTES, and what comes to it, less what is dropped
 * early. */
typedef struct fluid_crowd {
    double lost, came; /* bytes */
} fluid_crowd;

/* The share that packets lose besides; negative where all fluid is UDP. Not a step's own: that hangs on which of the packets,
 * that come one by one, came just before. Where fluid leaves them room, those are lost that find none. A loss is past once the line
 * has had room for all that came, or nothing comes any more: what is left of both numbers says nothing then. */
WEIR_FN double fluid_crowd_step(fluid_crowd *c, const fluid_port *port, const fluid_passage *r)
{
    const double past = fluid_crowd_stays(port);
    c->lost += r->crowded;
    c->came += r->accepted + r->crowded + (c->lost > 0.0 ? r->unused : 0.0);
    const double share = c->lost < c->came ? c->lost / c->came : c->lost > 0.0 ? 1.0 : 0.0;
    const double full = share > 1e-9 && c->came > 1e-3 ? share : 0.0; /* less is rounding */
    c->lost = full > 0.0 ? c->lost * past : 0.0;
    c->came *= past;
    if (port->even <= 0.0)
        return full;
    return fluid_leaves_room(port, r->accepted + r->crowded) ? -1.0 : -full;
}

/* What a step adds to the counts of a queue, in bytes; same: it has left all else as it was. */
typedef struct fluid_gain {
    int same;
    double came, lost, accepted, unused, others, mean;
} fluid_gain;

WEIR_FN fluid_gain fluid_gain_of(const fluid_passage *r, double came, double mean, int same)
{
    const fluid_gain gain = {same, came, came - r->accepted, r->accepted, r->unused, r->others, mean};
    return gain;
}

/* A queue over a block. arrived: [kinds][stride], summed over prefixes by fluid_round_sum. Results go to
 * rows[which * stride + step], from where the caller brings them to the histories. Returns the last step's gain. */
WEIR_FN fluid_gain fluid_queue_steps(const fluid_queue_law *law, const fluid_state *s, uint32_t port_index,
                                     uint32_t n, const double *arrived, double *rows, uint32_t stride)
{
    const fluid_port *const port = law->port;
    double queue = s->queue[port_index], average = s->average[port_index];
    double reduction = s->reduction[port_index], accepted = s->accepted[port_index];
    double expected = s->expected[port_index], sum = s->queue_sum[port_index],
           most = s->queue_most[port_index];
    double total = s->arrived[port_index], dropped = s->dropped[port_index];
    const double packets = s->packets[port_index], acks = s->acks[port_index];
    double lag = s->own_lag[port->own + fluid_slot(fluid_row_now(s->now, port->rows), -1, port->rows)];
    fluid_crowd crowd = {s->crowd_lost[port_index], s->crowd_came[port_index]};
    const int down = s->down[port_index] != 0;
    const double line = down ? 0.0 : port->spared;
    double p = 0.0, full = 0.0;
    fluid_passage r = {0};
    fluid_gain gain = {
        0}; /* of the last step: where that has left all as it was, the same arrivals do what they did */
    for (uint32_t i = 0; i < n; i++) {
        const double in[FLUID_KINDS] = {arrived[i], law->kinds > 1 ? arrived[stride + i] : 0.0};
        const double average0 = average, lag0 = lag;
        const fluid_crowd crowd0 = crowd;
        if (!gain.same || in[FLUID_PLAIN] != arrived[i - 1]) {
            p = fluid_queue_step(port, line, law->queue, law->paper, law->order, queue, in, packets, acks,
                                 &average, &r);
            full = fluid_crowd_step(&crowd, port, &r);
            lag = fluid_queue_lag(port, r.queue, lag);
        }
        const int same = law->kinds == 1 && r.queue == queue && average == average0 && lag == lag0 &&
                         crowd.lost == crowd0.lost && crowd.came == crowd0.came;
        const double stands = fluid_stands(port, r.queue);
        const int measured = s->now + (int64_t)i >= port->measured_from;
        gain = fluid_gain_of(&r, in[FLUID_PLAIN] + in[FLUID_MARKABLE],
                             0.5 * (fluid_stands(port, queue) + stands), same);
        sum += measured ? gain.mean : 0.0;
        most = measured && stands > most ? stands : most;
        queue = r.queue;
        reduction += gain.unused;
        expected += gain.others;
        accepted += gain.accepted;
        total += gain.came;
        dropped += gain.lost;
        rows[FLUID_OWN_LAG * stride + i] = lag;
        rows[FLUID_OWN_ACCEPTED * stride + i] = accepted;
        rows[FLUID_OWN_DROP * stride + i] = down ? fluid_drop_when_down(p) : p;
        rows[FLUID_OWN_REDUCTION * stride + i] = reduction;
        rows[FLUID_OWN_EXPECTED * stride + i] = expected;
        rows[FLUID_OWN_FULL * stride + i] = full;
        for (uint32_t kind = 0; kind < law->kinds; kind++) {
            rows[(FLUID_OWN_KEEP + kind) * stride + i] = r.keep[kind];
            if (law->signals)
                rows[(FLUID_OWN_SIGNAL + kind) * stride + i] = r.signal[kind];
        }
    }
    s->queue[port_index] = queue;
    s->average[port_index] = average;
    s->reduction[port_index] = reduction;
    s->expected[port_index] = expected;
    s->crowd_lost[port_index] = crowd.lost;
    s->crowd_came[port_index] = crowd.came;
    s->queue_sum[port_index] = sum;
    s->queue_most[port_index] = most;
    s->accepted[port_index] = accepted;
    s->arrived[port_index] = total;
    s->dropped[port_index] = dropped;
    return gain;
}

WEIR_FN fluid_gain fluid_queue_block(const fluid_tables *t, const fluid_state *s, uint32_t port_index,
                                     uint32_t n, const double *arrived, double *rows, uint32_t stride)
{
    const fluid_port *const port = &t->ports[port_index];
    const fluid_queue_law law = {port, &t->queues[port->queue], t->paper, t->order, t->n_kinds, t->signals};
    return fluid_queue_steps(&law, s, port_index, n, arrived, rows, stride);
}

#endif
