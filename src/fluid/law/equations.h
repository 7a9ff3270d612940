/*
 * The equations of a queue and of a source, one step of each, for host and device. docs/fluid.md derives
 * them; the paper is Liu, Liu, Du, Li, GPU-Assisted Hybrid Network Traffic Model, 2014, section 3.1.
 *
 * The file that includes this has defined fluid_real, float or double: what histories and windows are kept
 * in. Queues are always reckoned in double, they are few. Units: steps and bytes (tables.h).
 */
#ifndef WI_FLUID_LAW_EQUATIONS_H
#define WI_FLUID_LAW_EQUATIONS_H

#include "fluid/state/tables.h"
#include "net/queue/queues.h"

/* Share of arrivals that RED drops or marks at this average. Gaps between drops are uniform on 1 .. 1/p
 * (uniform), geometric (bernoulli), or uniform on 1/p .. 2/p - 1 (wait): their means are 1/(2p), 1/p, and
 * 3/(2p) - 1/2. */
WEIR_FN double fluid_red_share(const fluid_queue *q, double average_bytes)
{
    if (q->type != NET_QUEUE_RED)
        return 0.0;
    const double p = net_red_probability(&q->red, average_bytes);
    if (q->red.mode == NET_RED_UNIFORM)
        return 2.0 * p < 1.0 ? 2.0 * p : 1.0;
    if (q->red.mode == NET_RED_WAIT)
        return 2.0 * p / (3.0 - p);
    return p;
}

/* What a queue does with a step's arrivals. */
typedef struct fluid_passage {
    double queue;               /* at the end of the step */
    double accepted, unused;    /* bytes; unused: what the line could have sent besides */
    double crowded;             /* bytes lost to a full queue */
    double others;              /* of foreground packets that were expected, those that found a place */
    double keep[FLUID_KINDS];   /* share of arrivals that goes on */
    double signal[FLUID_KINDS]; /* share whose loss or mark the sender will see */
} fluid_passage;

/* Fluid that comes evenly, UDP, and leaves some of the line: what fills the queue is packets' bursts. in: bytes of a step. */
WEIR_FN int fluid_leaves_room(const fluid_port *port, double in)
{
    return port->even > 0.0 && in < 0.75 * port->rate;
}

/* What stays, after a step, of what a full queue has lost and met: a line forgets it while it sends NET_CROWD_BYTES. */
WEIR_FN double fluid_crowd_stays(const fluid_port *port)
{
    const double span = port->alike * NET_CROWD_BYTES;
    return port->rate < span ? 1.0 - port->rate / span : 0.0;
}

/* dq/dt = arrivals (1 - p) - C within 0 .. limit (eq. 2). What stands above the limit at the end of the step
 * is lost, in equal shares: p of arrivals, then 1 - C / (arrivals (1 - p)) while the queue is full.
 * The line loses all but a share `line` of what it sends, which takes its time on the line all the same.
 * `packets`: bytes of foreground packets that are expected in the step, past their early drop. They take the
 * line and the queue's places as fluid does, and lose what it loses; so do `acks`. Beside them UDP finds no place where a
 * packet of it would not, and they find theirs themselves. A queue may begin above its limit (fluid_stands). */
WEIR_FN fluid_passage fluid_pass(const fluid_port *port, double line, const fluid_queue *q, uint32_t paper,
                                 double queue, const double *arrived, double packets, double acks, double p)
{
    const int alone = q->type == NET_QUEUE_THRESHOLD || q->red.ecn == NET_RED_MARKS_ALONE,
              marks = alone || (q->red.ecn && p < 1.0);
    const double early[FLUID_KINDS] = {alone ? 0.0 : p, marks ? 0.0 : p};
    const double in = arrived[FLUID_PLAIN] * (1.0 - early[FLUID_PLAIN]) +
                      arrived[FLUID_MARKABLE] * (1.0 - early[FLUID_MARKABLE]);
    const double all = in + (packets + acks), end = queue + all - port->rate, over_limit = end - port->limit;
    const int even = packets > 0.0 && fluid_leaves_room(port, in);
    const double above = even ? over_limit + port->even : over_limit, most = even ? in : all;
    const double owed = queue > port->limit ? queue - port->limit : 0.0;
    const double pay = above - fluid_crowd_stays(port) * owed, wanted = pay > 0.0 ? pay : 0.0,
                 over = wanted < most ? wanted : most;
    fluid_passage r;
    r.unused = end < 0.0 ? -end : 0.0;
    r.queue = end < 0.0 ? 0.0 : over > 0.0 && over == over_limit ? port->limit : end - over;
    const double spared = over > 0.0 ? 1.0 - over / most : 1.0;
    r.accepted = packets + acks > 0.0 ? in * spared : in - over;
    r.crowded = in - r.accepted;
    r.others = even ? packets : packets * spared;
    const double total = arrived[FLUID_PLAIN] + arrived[FLUID_MARKABLE];
    for (int kind = 0; kind < FLUID_KINDS; kind++) {
        const double marked = kind == FLUID_MARKABLE && marks ? p : 0.0;
        if (!paper) {
            r.keep[kind] = (1.0 - early[kind]) * spared * line;
            r.signal[kind] = 1.0 - r.keep[kind] * (1.0 - marked);
        } else { /* eq. 8 for what goes on; eq. 4 (RED) and 5 (drop-tail) for losses */
            const double sent =
                all <= port->rate ? 1.0 - early[kind] : port->rate / (total + (packets + acks));
            const double seen = q->type == NET_QUEUE_RED && !alone ? p : 1.0 - sent * (1.0 - marked);
            r.keep[kind] = sent * line;
            r.signal[kind] = 1.0 - (1.0 - seen) * line;
        }
    }
    return r;
}

/* RED's average after a step in which the queue was `queue` and m packets' worth of bytes arrived or could
 * have been sent while the line was idle: each moves it by the weight. */
WEIR_FN double fluid_red_average(const fluid_queue *q, double average, double queue, double bytes)
{
    if (q->type != NET_QUEUE_RED)
        return queue;
    return queue + (average - queue) * weir_exp(q->log_keep * (bytes * q->per_packet));
}

/* Share of a step in which a queue that goes from one length to another is above its threshold. */
WEIR_FN double fluid_threshold_share(const fluid_queue *q, double from, double to)
{
    const double low = from < to ? from : to, high = from < to ? to : from, k = q->red.min;
    return high <= k ? 0.0 : low >= k ? 1.0 : (high - k) / (high - low);
}

/* One step of a queue: from `queue` and *average at its start to those at its end. `packets`: bytes of
 * foreground packets that are expected; they move the average, and so do `acks`. From order 2 on, p is the mean of both ends
 * and the average follows the queue at mid-step. Returns p: what is dropped early, or marked. */
WEIR_FN double fluid_queue_step(const fluid_port *port, double line, const fluid_queue *q, uint32_t paper,
                                uint32_t order, double queue, const double *arrived, double packets,
                                double acks, double *average, fluid_passage *out)
{
    const double bytes = arrived[FLUID_PLAIN] + arrived[FLUID_MARKABLE] + (packets + acks);
    double p = fluid_red_share(q, *average);
    *out = fluid_pass(port, line, q, paper, queue, arrived, packets, acks, p);
    if (q->type == NET_QUEUE_THRESHOLD) { /* marks change no queue; nobody is dropped early */
        p = fluid_threshold_share(q, queue, out->queue);
        *out = fluid_pass(port, line, q, paper, queue, arrived, packets, acks, p);
    }
    if (order > 1 && q->type == NET_QUEUE_RED) {
        const double ahead = fluid_red_average(q, *average, 0.5 * (queue + out->queue), bytes + out->unused);
        p = 0.5 * (p + fluid_red_share(q, ahead));
        *out = fluid_pass(port, line, q, paper, queue, arrived, packets, acks, p);
    }
    const double seen = order > 1 ? 0.5 * (queue + out->queue) : queue;
    *average = fluid_red_average(q, *average, seen, bytes + out->unused);
    return p;
}

/* Sums of volumes that do not depend on order: each addend is rounded to a multiple of a unit so small that
 * it is noise and so large that no sum of all ports has more than 52 bits. `magic` is 1.5 * 2^52 units. */
WEIR_FN double fluid_round_sum(double x, double magic)
{
    return (x + magic) - magic;
}

/* ---- sources ---- */

/* A TCP source's quantities in the solver's precision. */
typedef struct fluid_tcp {
    fluid_real inv_ack, decrease, limit;
    fluid_real more;             /* segments that a loss costs besides */
    fluid_real most, at_once;    /* losses that count: a round trip in the long run, and besides at once */
    fluid_real clock, more_acks; /* of fluid_class */
} fluid_tcp;

/* What a law is told of a class and of the run. */
typedef struct fluid_settings {
    const fluid_class *cls;
    fluid_tcp tcp;
    uint32_t order;
    int starting; /* some session of the flow may be in slow start, or has just left it */
} fluid_settings;

/* A window. It moves by less than its last bit in a step where steps are short, hence `rest`: what has been
 * rounded off so far, added to the next increment. */
typedef struct fluid_window {
    fluid_real size, rest;
    fluid_real slow;       /* share of sessions that have seen no loss yet: in slow start */
    fluid_real recovering; /* share whose first loss was less than about a round trip ago */
    fluid_real answered;   /* losses answered of late, of `at_once`; `most` a round trip are forgotten */
} fluid_window;

/* What a window goes by in a step. */
typedef struct fluid_feedback {
    fluid_real inv0, inv1;  /* 1 / round trip at its ends */
    fluid_real loss, acked; /* segments of a session that were lost or marked, and that arrived */
    /* segments that nothing lets go: of the initial window, or of one that goes on elsewhere */
    fluid_real first;
    fluid_real marked; /* of `loss` those that arrived, and were marked */
    fluid_real flight; /* segments of a session in flight, of which there is no news */
} fluid_feedback;

/* What moves the window of a law. */
enum { FLUID_LOSSES = 1, FLUID_MARKS = 2, FLUID_DELAY = 4 };

/* 1 / (1 + x + x^2/2), for exp(-x) with x >= 0: falls from 1 to 0 and is right to second order. */
WEIR_FN fluid_real fluid_decay(fluid_real x)
{
    const fluid_real one = (fluid_real)1;
    return one / (one + x * (one + (fluid_real)0.5 * x));
}

/*
 * Increment of w in a step of dw/dt = growth - fall w. The exact one is (growth/fall - w)(1 - exp(-fall));
 * with the fraction of fluid_decay for exp (order 1: with 1/(1 + fall)) it never leads past the equilibrium
 * growth/fall, however large `fall` is. An explicit step does from fall = 1 on, and from 2 on is further from
 * it each time.
 */
WEIR_FN fluid_real fluid_increment(uint32_t order, fluid_real w, fluid_real growth, fluid_real fall)
{
    const fluid_real one = (fluid_real)1;
    const fluid_real ahead = order == 1 ? one : one + (fluid_real)0.5 * fall;
    return (growth - w * fall) * ahead / (one + fall * ahead);
}

/* Moves a window by an increment, within `least` and its limit, and keeps what is rounded off (Kahan). */
WEIR_FN void fluid_move_window(fluid_window *w, fluid_real increment, fluid_real least, fluid_real limit)
{
    const fluid_real none = (fluid_real)0;
    const fluid_real wanted = increment + w->rest, size = w->size + wanted;
    const fluid_real rest = wanted - (size - w->size);
    const int low = size<least, high = size> limit;
    w->size = low ? least : high ? limit : size;
    w->rest = low | high ? none : rest;
}

/* Segments that a session sends in a step which moves its window from `before`: W / R, and for a share `clock` what ACKs
 * let go, which keeps in flight what the window says: what is acknowledged or known to be lost, and what the window
 * grows by, none while it falls by more. */
WEIR_FN fluid_real fluid_sent(uint32_t order, fluid_real before, fluid_real after, fluid_real clock,
                              const fluid_feedback *by)
{
    const fluid_real half = (fluid_real)0.5, none = (fluid_real)0;
    const fluid_real sent = order == 1 ? before * by->inv0 : half * (before * by->inv0 + after * by->inv1);
    const fluid_real let_go = by->acked + (by->loss - by->marked) + (after - before) + by->first;
    return sent + clock * ((let_go > none ? let_go : none) - sent);
}

/*
 * Recovery: a session reduces its window at a loss or mark, and what it loses in the round trip after that costs it
 * nothing more, as all of it was sent before (RFC 6582, section 3.2; RFC 3168, section 6.1.2). Queues lose in clumps
 * shorter than a round trip, of which a bound on the rate of losses would count a part of a reduction, or many.
 * *resting: the share of sessions whose last reduction was less than about a round trip ago. Returns the share that
 * begins one in a step, those of the others that lose a segment; of losses spread evenly, l a round trip, l / (1 + l).
 */
WEIR_FN fluid_real fluid_recover(fluid_real *resting, const fluid_feedback *by)
{
    const fluid_real one = (fluid_real)1, begin = (one - *resting) * (one - fluid_decay(by->loss));
    *resting = *resting * fluid_decay(by->inv0) + begin;
    return begin;
}

/*
 * Sessions in slow start, in a step. Each acknowledged segment sends itself anew and 1/b more, so that what
 * is in flight is the window whatever the queue does on the way (W / R of a round trip that is long past
 * would send more than is acknowledged while the queue grows). The first loss of a session halves its window
 * (`fall` in exp(-fall), ln 2 of them); losses of the round trip after it belong to the same recovery, in
 * which a window neither grows nor falls. Returns segments sent by a session in slow start.
 */
WEIR_FN fluid_real fluid_slow_step(const fluid_tcp *c, fluid_window *w, const fluid_feedback *by,
                                   fluid_real *growth, fluid_real *fall)
{
    const fluid_real none = (fluid_real)0, few = (fluid_real)0x1p-6;
    const fluid_real wish = by->acked * c->inv_ack, room = c->limit - w->size;
    const fluid_real opened = wish < room ? wish : room;
    const fluid_real kept = w->slow * fluid_decay(by->loss), slow = kept < few ? none : kept;
    const fluid_real left = w->slow - slow, calm = by->inv0 - by->loss, least = (fluid_real)0.25 * by->inv0;
    const fluid_real rests = w->recovering * fluid_decay(calm > least ? calm : least) + left;
    *growth = w->slow * opened;
    *fall = (fluid_real)0x1.62e43p-1 * left;
    w->slow = slow;
    w->recovering = ((rests < few) & (slow == none)) ? none : rests;
    return by->first + by->acked + opened;
}

/*
 * One step of a window: dW/dt = (1/b + more_acks/W) / R - (decrease W + more) loss (eq. 1 has neither `more`), where
 * no more than `at_once` losses and `most` a round trip count, and slow start before it. starting: some session may be in slow
 * start or has just left it; without, the same bits if none is or has. Returns segments sent by a session in the
 * step, of eq. 6 (fluid_sent).
 */
WEIR_FN fluid_real fluid_window_step(const fluid_tcp *c, uint32_t order, int starting, fluid_window *w,
                                     const fluid_feedback *by)
{
    const fluid_real half = (fluid_real)0.5, one = (fluid_real)1, before = w->size;
    /* All that a session loses in the round trip of its first loss is one recovery. */
    const fluid_real settled = starting ? one - w->slow - w->recovering : one;
    const fluid_real again = c->most * by->inv0,
                     bound = by->inv0 + (again - by->inv0 + (c->at_once - w->answered)) * settled,
                     losses = by->loss < bound ? by->loss : bound, answered = w->answered + (losses - again),
                     least = answered > (fluid_real)0 ? answered : (fluid_real)0;
    w->answered = least < c->at_once ? least : c->at_once; /* sessions that start answer more */
    fluid_real growth =
        (c->inv_ack + c->more_acks / before) * (order == 1 ? by->inv0 : half * (by->inv0 + by->inv1));
    fluid_real fall = (c->decrease + c->more / before) * losses, slow = (fluid_real)0,
               slow_sent = (fluid_real)0;
    if (starting) {
        const fluid_real past = one - w->slow - w->recovering;
        fluid_real slow_growth, slow_fall;
        slow = w->slow;
        slow_sent = fluid_slow_step(c, w, by, &slow_growth, &slow_fall);
        growth = growth * past + slow_growth;
        fall = fall * past + slow_fall;
    }
    fluid_move_window(w, fluid_increment(order, before, growth, fall), one, c->limit);
    const fluid_real past_slow = fluid_sent(order, before, w->size, c->clock * settled, by);
    return starting ? past_slow * (one - slow) + slow_sent * slow : past_slow;
}

/* How long within 0 .. t an on/off source is on. */
WEIR_FN double fluid_time_on(const fluid_class *c, double t)
{
    const double whole = (double)(int64_t)(t / c->period);
    const double rest = t - whole * c->period;
    return whole * c->on + (rest < c->on ? rest : c->on);
}

/* Bytes that a UDP session sends between two times, start <= from <= to: the integral of its rate. */
WEIR_FN double fluid_udp_bytes(const fluid_tables *t, const fluid_class *c, double start, double from,
                               double to)
{
    if (c->n_rates == 0 && c->period <= 0.0)
        return c->rate * (to - from); /* the same bits in each whole step */
    if (c->n_rates == 0)
        return c->rate * (fluid_time_on(c, to - start) - fluid_time_on(c, from - start));
    /* The last entry at or before `from`, by bisection: schedules may be long. */
    const double *const at = t->rate_from + c->first_rate;
    const double *const rate = t->rate_value + c->first_rate;
    uint32_t low = 0, high = c->n_rates;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (at[middle] <= from)
            low = middle;
        else
            high = middle;
    }
    double bytes = 0.0;
    for (uint32_t i = low; i < c->n_rates && at[i] < to; i++) {
        const double begin = at[i] > from ? at[i] : from;
        const double end = i + 1 < c->n_rates && at[i + 1] < to ? at[i + 1] : to;
        bytes += end > begin ? rate[i] * (end - begin) : 0.0;
    }
    return bytes;
}

#endif
