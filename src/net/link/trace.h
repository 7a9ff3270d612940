/*
 * Lines that follow a trace: rates and delays over time, or a list of delivery opportunities.
 *
 * Rates are constant from each point to the next, and the line sends what they make of it: a packet has left when their
 * integral since its beginning is its size, rounded up to a picosecond once. Opportunities are those of Mahimahi (R. Netravali
 * and others, Mahimahi: Accurate Record-and-Replay for HTTP, USENIX ATC 2015; src/frontend/link_queue.cc): each lets
 * NET_OPPORTUNITY bytes of what had come before it go at once, what a packet leaves of it serves the next, and a packet may take
 * several; what nobody waits for is lost.
 *
 * A trace that repeats begins again at the time of its last entry; one that holds keeps its last rate and delay for ever.
 * Everything follows from the time, so that a search finds the place and no engine keeps one.
 */
#pragma once

#include "weir/fn.h"
#include "weir/time.h"

#include <stdint.h>

enum { NET_OPPORTUNITY = 1504 }; /* bytes, Mahimahi's */

enum net_trace_kind { NET_TRACE_RATES, NET_TRACE_OPPORTUNITIES };

typedef struct net_trace_point {
    weir_time at_ps;
    uint64_t rate_bps; /* from then on */
    weir_time more_ps; /* delay, beyond the least of the trace */
    double bytes;      /* that the line can have sent before, in this pass */
} net_trace_point;

typedef struct net_trace {
    uint32_t kind, n;
    weir_time period_ps; /* 0: holds */
    uint64_t points;   /* offset in the world: net_trace_point[n], or weir_time[n] of opportunities, rising */
    double pass_bytes; /* in a period */
    uint64_t pass_work; /* of rates: the same in bits times picoseconds a second, at most UINT64_MAX */
} net_trace;

/* A time as a pass of the trace, and what is left. */
typedef struct net_trace_time {
    uint64_t pass;
    weir_time rest_ps;
} net_trace_time;

/* Split a time into passes of the trace and the rest. */
WEIR_FN net_trace_time net_trace_split(const net_trace *t, weir_time at_ps)
{
    net_trace_time x;
    x.pass = t->period_ps ? (uint64_t)at_ps / (uint64_t)t->period_ps : 0;
    x.rest_ps = at_ps - (weir_time)x.pass * t->period_ps;
    return x;
}

/* ---- rates ---- */

/* The last point at or before a time within a pass; the first is at 0. */
WEIR_FN uint32_t net_trace_point_at(const net_trace *t, const net_trace_point *points, weir_time rest_ps)
{
    uint32_t low = 0, high = t->n;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (points[middle].at_ps <= rest_ps)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Bytes that the line can send until a time. */
WEIR_FN double net_trace_bytes(const net_trace *t, const net_trace_point *points, weir_time at_ps)
{
    const net_trace_time x = net_trace_split(t, at_ps);
    const net_trace_point *p = points + net_trace_point_at(t, points, x.rest_ps);
    return (double)x.pass * t->pass_bytes + p->bytes +
           (double)(x.rest_ps - p->at_ps) * ((double)p->rate_bps / 8e12);
}

/* When a packet has left whose transmission begins at begins_ps. Some rate of what follows is above 0. */
WEIR_FN weir_time net_trace_sent(const net_trace *t, const net_trace_point *points, weir_time begins_ps,
                                 uint32_t bytes)
{
    const net_trace_time x = net_trace_split(t, begins_ps);
    uint64_t work =
        8u * (uint64_t)bytes * (uint64_t)WEIR_PS_PER_S; /* bits times picoseconds a second: below 2^59 */
    uint32_t i = net_trace_point_at(t, points, x.rest_ps);
    weir_time base_ps = begins_ps - x.rest_ps, at_ps = x.rest_ps;
    for (;;) {
        const bool last = i + 1 == t->n;
        const uint64_t rate = points[i].rate_bps, need_ps = rate ? (work + rate - 1) / rate : 0;
        if (rate &&
            ((last && !t->period_ps) || (!last && need_ps <= (uint64_t)(points[i + 1].at_ps - at_ps))))
            return base_ps + at_ps + (weir_time)need_ps;
        if (last) { /* of a trace that repeats: its last point only gives the time */
            const uint64_t passes = (work - 1) / t->pass_work; /* that it takes all of */
            work -= passes * t->pass_work;
            base_ps += t->period_ps * (weir_time)(passes + 1);
            at_ps = 0;
            i = 0;
            continue;
        }
        work -= rate * (uint64_t)(points[i + 1].at_ps - at_ps);
        at_ps = points[++i].at_ps;
    }
}

/* ---- opportunities ---- */

/* How many have been by a time, that time included. */
WEIR_FN uint64_t net_trace_past(const net_trace *t, const weir_time *opportunities, weir_time at_ps)
{
    const net_trace_time x = net_trace_split(t, at_ps);
    uint32_t low = 0, high = t->n;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (opportunities[middle] <= x.rest_ps)
            low = middle + 1;
        else
            high = middle;
    }
    return x.pass * t->n + low;
}

/* When opportunity `number` is, counted from 0. */
WEIR_FN weir_time net_trace_when(const net_trace *t, const weir_time *opportunities, uint64_t number)
{
    return (weir_time)(number / t->n) * t->period_ps + opportunities[number % t->n];
}

/*
 * When a packet leaves that has been there since ready_ps. *served: bytes of opportunities, counted from the first, up to
 * which packets before have taken them; it moves on.
 */
WEIR_FN weir_time net_trace_served(const net_trace *t, const weir_time *opportunities, uint64_t *served,
                                   weir_time ready_ps, uint32_t bytes)
{
    const uint64_t gone = net_trace_past(t, opportunities, ready_ps) * NET_OPPORTUNITY;
    *served = (*served > gone ? *served : gone) + bytes;
    return net_trace_when(t, opportunities, (*served - 1) / NET_OPPORTUNITY);
}
