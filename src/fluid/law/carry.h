/*
 * How fluid is carried through a port and along a wire, for host and device.
 *
 * Fluid that enters a port at t leaves it at phi(t) = t + lag(t). What reaches the far end of a delay a at s
 * entered at w(s) = phi^-1(s - a): one map for all that the port carries. A `fluid_place` is a value of w, a
 * `fluid_pull` all that a step needs of the interval between two of them.
 *
 * Rings: row k holds what step k left, lags are those at its end; phi is linear between. Places lie in
 * (step, step + 1], so that the row that ends them is one of the past.
 */
#ifndef WI_FLUID_LAW_CARRY_H
#define WI_FLUID_LAW_CARRY_H

#include "fluid/law/equations.h"

/* Slot in a ring of a step `rel` steps from the one in slot `now`; |rel| <= rows. */
WEIR_FN uint32_t fluid_slot(uint32_t now, int32_t rel, uint32_t rows)
{
    const int32_t at = (int32_t)now + rel;
    return (uint32_t)(at < 0 ? at + (int32_t)rows : at >= (int32_t)rows ? at - (int32_t)rows : at);
}

typedef struct fluid_pull {
    int32_t from, to;                  /* steps of both ends, counted from the block's first */
    fluid_real rest;                   /* of step `from` that was left to pull: [0, 1) */
    fluid_real part;                   /* of step `to` that has been pulled: (0, 1] */
    fluid_real wait;                   /* time since then */
    fluid_real keep_from, keep_to;     /* the port's survival in the end steps */
    fluid_real signal_from, signal_to; /* and its share of losses and marks */
} fluid_pull;

/* The pulls of a block's steps, an array a quantity. */
typedef struct fluid_pulls {
    int32_t *from, *to;
    fluid_real *rest, *part, *wait, *keep_from, *keep_to, *signal_from, *signal_to;
} fluid_pulls;

/* Pull number `which` in memory for pulls of `room` steps each. */
WEIR_FN fluid_pulls fluid_pulls_at(void *memory, uint64_t which, uint32_t room)
{
    unsigned char *const at = (unsigned char *)memory + which * room * FLUID_PULL_BYTES(sizeof(fluid_real));
    fluid_pulls p;
    p.from = (int32_t *)at;
    p.to = p.from + room;
    p.rest = (fluid_real *)(at + 8 * (uint64_t)room);
    p.part = p.rest + room;
    p.wait = p.part + room;
    p.keep_from = p.wait + room;
    p.keep_to = p.keep_from + room;
    p.signal_from = p.keep_to + room;
    p.signal_to = p.signal_from + room;
    return p;
}

WEIR_FN fluid_pull fluid_pull_of(const fluid_pulls *p, uint32_t i)
{
    fluid_pull r;
    r.from = p->from[i];
    r.to = p->to[i];
    r.rest = p->rest[i];
    r.part = p->part[i];
    r.wait = p->wait[i];
    r.keep_from = p->keep_from[i];
    r.keep_to = p->keep_to[i];
    r.signal_from = p->signal_from[i];
    r.signal_to = p->signal_to[i];
    return r;
}

/* Whether phi at the end of step j, whose lag is `after`, falls short of step `target` less `rest`. Whole
 * steps are subtracted as integers, so that the bits do not depend on where blocks begin. */
WEIR_FN int fluid_short_of(double after, double rest, int32_t target, int32_t j)
{
    return after + rest < (double)(target - j - 1);
}

/* Part of step j at which phi is step `target` less `rest`; before, after: lags at the step's ends. The
 * quotient has the solver's precision, as all that follows from it: what one step pulls to is what the next
 * pulls from. */
WEIR_FN double fluid_part_of(double before, double after, double rest, int32_t target, int32_t j)
{
    const double length = 1.0 + (after - before);
    const double gone = (double)(target - j) - (before + rest);
    const fluid_real least = (fluid_real)0x1p-40, most = (fluid_real)1;
    const fluid_real quotient = (fluid_real)gone / (length > 0.0 ? (fluid_real)length : most);
    const fluid_real f = length > 0.0 ? quotient : most;
    return f < least ? (double)least : f < most ? (double)f : (double)most;
}

/* Move a place (step *rel, counted from the block's first, and *part of it) forward to w, where phi(w) is
 * `end` steps less `delay`. lag: the port's ring. */
WEIR_FN void fluid_seek(const double *lag, uint32_t rows, uint32_t now, int32_t end, double delay,
                        int32_t *rel, double *part)
{
    const int32_t target = end - (int32_t)delay;
    const double rest = delay - (double)(int32_t)delay;
    int32_t j = *rel;
    double after = lag[fluid_slot(now, j, rows)];
    while (fluid_short_of(after, rest, target, j)) {
        j++;
        after = lag[fluid_slot(now, j, rows)];
    }
    const double before = lag[fluid_slot(now, j - 1, rows)];
    *rel = j;
    *part = fluid_part_of(before, after, rest, target, j);
}

/* The pull of step `i` of a block between two places. keep, signal: the port's rings for the kind; signal may
 * be null. now: slot of the block's first step. */
WEIR_FN fluid_pull fluid_pull_between(const double *keep, const double *signal, uint32_t rows, uint32_t now,
                                      uint32_t i, int32_t from, double part0, int32_t to, double part)
{
    const uint32_t slot_to = fluid_slot(now, to, rows), slot_from = fluid_slot(now, from, rows);
    fluid_pull r;
    r.from = from;
    r.to = to;
    r.rest = (fluid_real)(1.0 - part0);
    r.part = (fluid_real)part;
    r.wait = (fluid_real)((double)((int32_t)i + 1 - to) - part);
    r.keep_from = (fluid_real)keep[slot_from];
    r.keep_to = (fluid_real)keep[slot_to];
    r.signal_from = signal ? (fluid_real)signal[slot_from] : (fluid_real)0;
    r.signal_to = signal ? (fluid_real)signal[slot_to] : (fluid_real)0;
    return r;
}

/* The pull of step `i` of a block over a delay; moves the place to its end. first: the block's first step. */
WEIR_FN fluid_pull fluid_pull_step(const double *lag, const double *keep, const double *signal, uint32_t rows,
                                   uint32_t now, int64_t first, double delay, uint32_t i, fluid_place *place)
{
    const int32_t from = (int32_t)(place->step - first);
    const double part0 = place->part;
    int32_t to = from;
    double part = part0;
    fluid_seek(lag, rows, now, (int32_t)i + 1, delay, &to, &part);
    place->step = (int32_t)(first + to);
    place->part = part;
    return fluid_pull_between(keep, signal, rows, now, i, from, part0, to, part);
}

/* A prefix's history, or a series' volumes. */
typedef struct fluid_column {
    const fluid_real *at; /* of slot 0 */
    uint32_t rows, now;
} fluid_column;

WEIR_FN fluid_real fluid_at(fluid_column c, int32_t rel)
{
    return c.at[fluid_slot(c.now, rel, c.rows)];
}

/* Prefixes' histories (lag, survival, signal): a device has lag and survival of a step side by side, so that
 * one access brings both. Values of one of them are so far apart. */
#define FLUID_APART (WEIR_ON_DEVICE ? 2 : 1)

/* Of a prefix's history. */
WEIR_FN fluid_real fluid_past(fluid_column c, int32_t rel)
{
    return c.at[FLUID_APART * fluid_slot(c.now, rel, c.rows)];
}

/* ---- lag ---- */

/* Lag at the far end: lag on entering, and the time since. */
WEIR_FN fluid_real fluid_carry_lag(fluid_real before, fluid_real after, fluid_real part, fluid_real wait)
{
    return before + part * (after - before) + wait;
}

WEIR_FN fluid_real fluid_far_lag(fluid_column lag, const fluid_pull *p)
{
    return fluid_carry_lag(fluid_past(lag, p->to - 1), fluid_past(lag, p->to), p->part, p->wait);
}

/* ---- volume ---- */

/* A time at the source: in `step`, `rest` (0 .. 1) before its end. */
typedef struct fluid_when {
    int32_t step;
    fluid_real rest;
} fluid_when;

/* When fluid was sent that has this lag at the end of step i. */
WEIR_FN fluid_when fluid_sent_at(int32_t i, fluid_real lag)
{
    fluid_when w;
    const int32_t whole = (int32_t)lag;
    w.step = i - whole;
    w.rest = lag - (fluid_real)whole;
    return w;
}

/* Volume of an interval that ends one step after the one in which it begins: the usual case. */
WEIR_FN fluid_real fluid_volume_of_two(fluid_real v0, fluid_real rest0, fluid_real v1, fluid_real rest1)
{
    return v0 * rest0 + v1 * ((fluid_real)1 - rest1);
}

/* Volume sent between two times; negative where they are the other way round, as rounded lags may cross. */
WEIR_FN fluid_real fluid_volume(fluid_column v, fluid_when from, fluid_when to)
{
    if (to.step == from.step)
        return fluid_at(v, to.step) * (from.rest - to.rest);
    const int crossed = to.step < from.step;
    const fluid_when a = crossed ? to : from, b = crossed ? from : to;
    fluid_real sum = fluid_volume_of_two(fluid_at(v, a.step), a.rest, fluid_at(v, b.step), b.rest);
    for (int32_t j = a.step + 1; j < b.step; j++)
        sum += fluid_at(v, j);
    return crossed ? -sum : sum;
}

/* ---- survival ---- */

/* How long a pull of more than one of the port's steps lasts: more than 0, as `part` is. */
WEIR_FN fluid_real fluid_pull_length(const fluid_pull *p)
{
    return (fluid_real)(p->to - p->from - 1) + (p->rest + p->part);
}

/* Mean over time of survival behind the port. own: the port's. */
WEIR_FN fluid_real fluid_mean_keep(fluid_column keep, const double *own, const fluid_pull *p)
{
    const fluid_real last = p->keep_to * fluid_past(keep, p->to);
    if (p->from == p->to)
        return last;
    fluid_real sum = p->part * last + p->rest * (p->keep_from * fluid_past(keep, p->from));
    for (int32_t j = p->from + 1; j < p->to; j++)
        sum += (fluid_real)own[fluid_slot(keep.now, j, keep.rows)] * fluid_past(keep, j);
    return sum / fluid_pull_length(p);
}

/* What arrives in a step. */
typedef struct fluid_arrival {
    fluid_real sent, arrived; /* bytes at the source, and of these here */
    fluid_real keep;          /* their ratio */
} fluid_arrival;

/* Of a step whose arrivals all had the same survival. */
WEIR_FN fluid_arrival fluid_arrive_evenly(fluid_real sent, fluid_real keep)
{
    fluid_arrival r;
    r.sent = sent;
    r.arrived = sent * keep;
    r.keep = keep;
    return r;
}

/* Of a step whose arrivals passed the port in several of its steps; the mean over time where nothing arrives.
 */
WEIR_FN fluid_arrival fluid_arrive_unevenly(fluid_column keep, const double *own, const fluid_pull *p,
                                            fluid_real sent, fluid_real arrived)
{
    fluid_arrival r;
    r.sent = sent;
    r.arrived = arrived;
    r.keep =
        sent > (fluid_real)0 && arrived >= (fluid_real)0 ? arrived / sent : fluid_mean_keep(keep, own, p);
    return r;
}

/*
 * What arrives between two times at the source. Survival changes where a step of the port ends, so the volume
 * is cut there: what leaves the port's step is what the next one downstream gets, to the last byte, whatever
 * sets of flows part here.
 */
WEIR_FN fluid_arrival fluid_arrive(fluid_column lag, fluid_column keep, fluid_column volume,
                                   const double *own, const fluid_pull *p, fluid_when from, fluid_when to)
{
    const fluid_real keep1 = p->keep_to * fluid_past(keep, p->to);
    if (p->from == p->to)
        return fluid_arrive_evenly(fluid_volume(volume, from, to), keep1);
    const fluid_real keep0 = p->keep_from * fluid_past(keep, p->from);
    if (p->to == p->from + 1) {
        if (keep0 == keep1)
            return fluid_arrive_evenly(fluid_volume(volume, from, to), keep1);
        const fluid_when cut = fluid_sent_at(p->from, fluid_past(lag, p->from));
        const fluid_real sent0 = fluid_volume(volume, from, cut);
        const fluid_real sent1 = fluid_volume(volume, cut, to);
        return fluid_arrive_unevenly(keep, own, p, sent0 + sent1, sent0 * keep0 + sent1 * keep1);
    }
    fluid_real all = (fluid_real)0, arrived = (fluid_real)0;
    fluid_when begin = from;
    for (int32_t j = p->from; j <= p->to; j++) {
        const fluid_when end = j == p->to ? to : fluid_sent_at(j, fluid_past(lag, j));
        const fluid_real sent = fluid_volume(volume, begin, end);
        all += sent;
        arrived += sent * ((fluid_real)own[fluid_slot(keep.now, j, keep.rows)] * fluid_past(keep, j));
        begin = end;
    }
    return fluid_arrive_unevenly(keep, own, p, all, arrived);
}

/*
 * The usual step: it pulls from one step of the port, or from two that follow each other, and
 * what arrives was sent in one step at the source and in the next. The bits of fluid_arrive, without a
 * branch: both places of the cut are reckoned, and one is taken. before: lag upstream at the end of step
 * `from`; keep0, keep1: survival behind the port at both ends; v0, v1: volumes of the steps at the source.
 * Returns whether the step is otherwise; then `out` is not to be used, and fluid_arrive knows.
 */
WEIR_FN int fluid_arrive_usually(int32_t from, int32_t to, fluid_real before, fluid_real keep0,
                                 fluid_real keep1, fluid_when when0, fluid_when when1, fluid_real v0,
                                 fluid_real v1, fluid_arrival *out)
{
    const fluid_real none = (fluid_real)0, one = (fluid_real)1;
    const fluid_when cut = fluid_sent_at(from, before);
    const int32_t later = cut.step - when0.step;
    const fluid_real begun = v0 * when0.rest, ended = v1 * (one - when1.rest);
    const fluid_real early0 = v0 * (when0.rest - cut.rest), early1 = v0 * cut.rest + ended;
    const fluid_real late0 = begun + v1 * (one - cut.rest), late1 = v1 * (cut.rest - when1.rest);
    const fluid_real sent0 = later == 0 ? early0 : late0, sent1 = later == 0 ? early1 : late1;
    const fluid_real some = sent0 + sent1, came = sent0 * keep0 + sent1 * keep1, all = begun + ended;
    const fluid_real all_came = all * keep1, divisor = some > none ? some : one, share = came / divisor;
    const int even = (keep0 == keep1) | (from == to);
    const int good = (some > none) & (came >= none) & ((later == 0) | (later == 1));
    out->sent = even ? all : some;
    out->arrived = even ? all_came : came;
    out->keep = even ? keep1 : share;
    return !(even | good) | (when1.step != when0.step + 1) | (to > from + 1);
}

/* Volume sent from a time in a step to another `span` (0, 1, 2) steps further on, as fluid_volume has it.
 * first, last: volumes of the steps that hold the ends; middle: of the step between. */
WEIR_FN fluid_real fluid_volume_span(int32_t span, fluid_real first, fluid_real rest0, fluid_real middle,
                                     fluid_real last, fluid_real rest1)
{
    const fluid_real none = (fluid_real)0;
    const fluid_real begun = span == 0 ? none : first * rest0, whole = span == 0 ? rest0 : (fluid_real)1;
    return begun + last * (whole - rest1) + (span == 2 ? middle : none);
}

/*
 * Any step that pulls from one step of the port, or from two that follow each other, and that
 * was sent in at most three steps: nearly all. The bits of fluid_arrive, without a branch: volumes are picked
 * by where the times lie. v: volumes of the step of when0 and of the two behind it; the rest as in
 * fluid_arrive_usually. Returns whether the step is otherwise; then `out` is not to be used.
 */
WEIR_FN int fluid_arrive_near(int32_t from, int32_t to, fluid_real before, fluid_real keep0, fluid_real keep1,
                              fluid_when when0, fluid_when when1, const fluid_real *v, fluid_arrival *out)
{
    const fluid_real none = (fluid_real)0;
    const fluid_when cut = fluid_sent_at(from, before);
    const int32_t at = cut.step - when0.step, end = when1.step - when0.step;
    const fluid_real at_cut = at == 0 ? v[0] : at == 1 ? v[1] : v[2];
    const fluid_real at_end = end == 0 ? v[0] : end == 1 ? v[1] : v[2];
    const fluid_real all = fluid_volume_span(end, v[0], when0.rest, v[1], at_end, when1.rest);
    const fluid_real sent0 = fluid_volume_span(at, v[0], when0.rest, v[1], at_cut, cut.rest);
    const fluid_real sent1 = fluid_volume_span(end - at, at_cut, cut.rest, v[1], at_end, when1.rest);
    const fluid_real some = sent0 + sent1, came = sent0 * keep0 + sent1 * keep1;
    const int even = (keep0 == keep1) | (from == to);
    const int good = (some > none) & (came >= none) & (at >= 0) & (at <= end);
    /* Even steps divide too, by a device's short way: a numerator of zero would take its long one. */
    const fluid_real share =
        ((good & !even) ? came : (fluid_real)1) / ((good & !even) ? some : (fluid_real)1);
    out->sent = even ? all : some;
    out->arrived = even ? all * keep1 : came;
    out->keep = even ? keep1 : share;
    return !(even | good) | (end < 0) | (end > 2) | (to > from + 1);
}

/* Share of losses and marks, mean over time: what was lost or marked before, and what this port does to the
 * survivors. */
WEIR_FN fluid_real fluid_far_signal(fluid_column signal, fluid_column keep, const double *own,
                                    const fluid_pull *p)
{
    const fluid_real last = fluid_past(signal, p->to) + p->signal_to * fluid_past(keep, p->to);
    if (p->from == p->to)
        return last;
    fluid_real sum =
        p->part * last + p->rest * (fluid_past(signal, p->from) + p->signal_from * fluid_past(keep, p->from));
    for (int32_t j = p->from + 1; j < p->to; j++)
        sum +=
            fluid_past(signal, j) + (fluid_real)own[fluid_slot(keep.now, j, keep.rows)] * fluid_past(keep, j);
    return sum / fluid_pull_length(p);
}

/* The paper's law carries rates by value (eq. 7): a step's volume at mid-step, whatever time was stretched.
 */
WEIR_FN fluid_arrival fluid_arrive_by_value(fluid_column keep, fluid_column volume, const double *own,
                                            const fluid_pull *p, uint32_t i, fluid_real lag0, fluid_real lag1)
{
    const fluid_when to = fluid_sent_at((int32_t)i, (fluid_real)0.5 * (lag0 + lag1));
    return fluid_arrive_evenly(
        fluid_volume_of_two(fluid_at(volume, to.step - 1), to.rest, fluid_at(volume, to.step), to.rest),
        fluid_mean_keep(keep, own, p));
}

/* Arrivals in step i under either law. lag0, lag1: lags at the far end at the step's start and end. */
WEIR_FN fluid_arrival fluid_arrive_in_step(uint32_t paper, fluid_column lag, fluid_column keep,
                                           fluid_column volume, const double *own, const fluid_pull *p,
                                           uint32_t i, fluid_real lag0, fluid_real lag1)
{
    if (paper)
        return fluid_arrive_by_value(keep, volume, own, p, i, lag0, lag1);
    return fluid_arrive(lag, keep, volume, own, p, fluid_sent_at((int32_t)i - 1, lag0),
                        fluid_sent_at((int32_t)i, lag1));
}

#endif
