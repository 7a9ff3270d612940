/*
 * A session of BBR, version 1 (net/congestion/bbr.h), as a fluid: S. Scherrer, M. Legner, A. Perrig, S. Schmid, Model-Based
 * Insights on the Performance, Fairness, and Stability of BBR, IMC 2022, section 3. Of a mean of sessions, whose probes
 * fall at any time, the gain cycle shows in what is measured alone: with D what is delivered and B = max D,
 *
 *     sends min(0.99 g B, what cwnd has room for),  cwnd = c B M + 3,  M = min R of ten seconds
 *     startup     g = c = 2 / ln 2, until B has not grown by a quarter in three rounds
 *     drain       g = ln 2 / 2, until the flight is B M
 *     probe_bw    g = 1, c = 2; the eighth that probes is delivered D (1 + min(1/4, room / (B M)))
 *     probe_rtt   cwnd = 4 for 200 ms and a round, where M has not been seen for ten seconds
 *
 * That model has no recovery. In packets one lasts two round trips, in the first of which a session sends no more than is
 * delivered (packet conservation): of l losses a round trip, l / (1 + 2 l) of sessions do.
 */
#ifndef WI_FLUID_LAW_BBR_H
#define WI_FLUID_LAW_BBR_H

#include "fluid/law/equations.h"
#include "net/congestion/bbr.h"

typedef struct fluid_bbr {
    fluid_real bw, bw_before; /* the largest of these rounds, and of as many before; segments a step */
    fluid_real rounds;        /* of `bw` */
    fluid_real rtprop, age;   /* steps; since it was seen; below 0: so long does probe_rtt last yet */
    fluid_real full; /* startup: B when it last grew by a quarter; later: share of sessions in recovery */
    fluid_real flat; /* startup: rounds since then; 3: drain; 4: probe_bw */
    fluid_real delivered; /* D: segments a step, in the mean of a round trip */
} fluid_bbr;

enum { fluid_bbr_words = 8, fluid_bbr_answers = FLUID_LOSSES };

/* In fluid_class.own, steps: of probe_rtt, and between two of them. */
enum { FLUID_BBR_PROBE, FLUID_BBR_EXPIRES };

enum { FLUID_BBR_ROUNDS = 7, FLUID_BBR_DRAIN = 3, FLUID_BBR_CRUISE = 4 };

#define FLUID_BBR_DRAINS -0x1p30f /* `age` until the flight is down to four segments */

WEIR_FN void fluid_bbr_begin(const fluid_class *c, fluid_real window, fluid_bbr *own)
{
    (void)c, (void)window, (void)own; /* a new one knows nothing; a timeout forgets nothing */
}

WEIR_FN fluid_real fluid_bbr_most(const fluid_bbr *s)
{
    return s->bw > s->bw_before ? s->bw : s->bw_before;
}

/* BBRUpdateBtlBw: `sample` is delivered in a step, which is so much of a round. B is the largest of 7 to 14 rounds, which
 * stand for ten. */
WEIR_FN void fluid_bbr_measure(fluid_bbr *s, fluid_real sample, fluid_real round)
{
    s->bw = sample > s->bw ? sample : s->bw;
    s->rounds += round;
    if (s->flat < (fluid_real)FLUID_BBR_DRAIN) { /* BBRCheckFullPipe, once a round */
        if (s->rounds < (fluid_real)1)
            return;
        const int grows = s->bw >= (fluid_real)1.25 * s->full;
        s->full = grows ? s->bw : s->full;
        s->flat = grows ? (fluid_real)0 : s->flat + (fluid_real)1;
        s->rounds = (fluid_real)0;
        if (s->flat == (fluid_real)FLUID_BBR_DRAIN)
            s->full = (fluid_real)0;
    } else if (s->rounds >= (fluid_real)FLUID_BBR_ROUNDS) {
        s->bw_before = s->bw;
        s->bw = sample;
        s->rounds = (fluid_real)0;
    }
}

/* RTprop and probe_rtt over a step; flight in segments. */
WEIR_FN void fluid_bbr_watch(const fluid_class *c, fluid_bbr *s, fluid_real rtt, fluid_real flight)
{
    const fluid_real none = (fluid_real)0, one = (fluid_real)1;
    if (s->rtprop == none || rtt <= s->rtprop) {
        s->rtprop = rtt;
        s->age = s->age > none ? none : s->age;
    }
    if (s->age < none) {
        const int down = flight <= (fluid_real)1.01 * (fluid_real)NET_BBR_LEAST;
        if (s->age == (fluid_real)FLUID_BBR_DRAINS)
            s->age = down ? -(fluid_real)c->own[FLUID_BBR_PROBE] - rtt : s->age;
        else
            s->age = s->age + one < none ? s->age + one : none;
        return;
    }
    s->age += one;
    if (s->age < (fluid_real)c->own[FLUID_BBR_EXPIRES])
        return;
    s->rtprop = rtt;
    s->age = (fluid_real)FLUID_BBR_DRAINS;
}

/* The share of sessions that conserve packets: those in the first of two round trips that a recovery takes. */
WEIR_FN fluid_real fluid_bbr_conserves(fluid_bbr *s, const fluid_feedback *by)
{
    fluid_feedback twice = *by;
    twice.inv0 *= (fluid_real)0.5;
    (void)fluid_recover(&s->full, &twice);
    return (fluid_real)0.5 * s->full;
}

WEIR_FN fluid_real fluid_bbr_step(const fluid_settings *settings, fluid_window *w, fluid_bbr *s,
                                  const fluid_feedback *by)
{
    const fluid_real none = (fluid_real)0, one = (fluid_real)1, limit = settings->tcp.limit;
    const fluid_real quarter = (fluid_real)0.25, half = (fluid_real)0.5, high = (fluid_real)NET_BBR_HIGH_GAIN;
    const fluid_real least = (fluid_real)NET_BBR_LEAST, three = (fluid_real)3;
    const fluid_real before = w->size, rtt = one / by->inv0;
    if (s->rtprop == none) /* the first step */
        s->bw = before * by->inv0;
    fluid_bbr_watch(settings->cls, s, rtt, by->flight);
    const int probes = s->age < none, startup = s->flat < (fluid_real)FLUID_BBR_DRAIN;
    const fluid_real bdp = fluid_bbr_most(s) * s->rtprop, room = (before - by->flight) / bdp;
    const fluid_real more = startup | probes || room < none ? none : room < quarter ? room : quarter;
    s->delivered += fluid_increment(settings->order, s->delivered, by->acked * by->inv0, by->inv0);
    if (by->acked > none && !probes)
        fluid_bbr_measure(s, s->delivered * (one + more), by->inv0);
    const fluid_real bw = fluid_bbr_most(s), pipe = bw * s->rtprop;
    if (s->flat == (fluid_real)FLUID_BBR_DRAIN && by->flight <= pipe + three)
        s->flat = (fluid_real)FLUID_BBR_CRUISE;
    const int drains = s->flat == (fluid_real)FLUID_BBR_DRAIN;
    const fluid_real gain = startup ? high : drains ? one / high : one;
    const fluid_real wanted = (startup | drains ? high : (fluid_real)2) * pipe + three;
    const fluid_real size = probes || wanted < least ? least : wanted;
    w->size = size < limit ? size : limit;
    w->rest = w->slow = w->recovering = none;
    const fluid_real free = gain * bw * (fluid_real)NET_BBR_MARGIN;
    const fluid_real conserves = startup ? none : fluid_bbr_conserves(s, by);
    const fluid_real pace = free - conserves * (by->acked < free ? free - by->acked : none);
    const fluid_real left =
        half * (by->acked + by->loss) + (half * w->size + (w->size - by->flight)) * by->inv0;
    return left < none ? none : left < pace ? left : pace;
}

#ifdef WI_FLUID_BUILD
static const char *fluid_bbr_bounds(const weir_fluid_class *from, const weir_fluid_narrow *at)
{
    if (!at)
        return NULL;
    const double waits_s = at->queue_s < at->round_s ? at->queue_s : at->round_s;
    const double window_bits = at->rate_bps / (at->fluid + at->packets) * (at->round_s + waits_s);
    if (at->packets > 0.0)
        return "BBR's sessions of packets get 0.5 to 0.8 of what those of fluid get";
    if (at->fluid < 4.0)
        return "a BBR session that probes alone is delivered no more than before, where fluid's keep a queue "
               "of more than a round trip";
    if (window_bits < 5.0 * 8.0 * from->mss_bytes)
        return "of BBR's windows near their least, four segments, fluid loses 0.5 to 0.8 of what packets "
               "lose";
    return NULL;
}

static void fluid_bbr_build(const weir_fluid_class *from, double step_s, fluid_class *c)
{
    const double most = 0x1p24; /* counted one by one, in single precision */
    const double expires = weir_seconds(NET_BBR_MIN_RTT_PS) / step_s;
    (void)from;
    c->kept = 1.0;
    c->own[FLUID_BBR_PROBE] = weir_seconds(NET_BBR_PROBE_RTT_PS) / step_s;
    c->own[FLUID_BBR_EXPIRES] = expires < most ? expires : most;
}
#endif

#endif
