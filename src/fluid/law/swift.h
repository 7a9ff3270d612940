/*
 * The window of a Swift session (G. Kumar and others, SIGCOMM 2020, algorithms 1 and 2, with the figures of
 * net/congestion/swift.h), as a fluid. With a round trip R, which ACKs find spread evenly over R -+ r / 2, r = 2 R min(W, 1/W):
 * what all sessions together let it grow by in a round trip, either way; u: the share of ACKs that find more than T, the target,
 *
 *     dW/dt = (1 - u) min(1, W) / R - W min(0.8 E / R, 0.5) / R - W l / 2,  u = (R - T) / r + 1/2 within 0 and 1,
 *
 * E = r u^2 / 2 (R - T where u = 1): the mean of what R is above T. l: reductions by losses or marks (fluid_recover). At
 * the fixed point a queue is 0.31 of a segment a session longer than T says; packets' are 0.23 to 0.3 where W is above 2.
 */
#ifndef WI_FLUID_LAW_SWIFT_H
#define WI_FLUID_LAW_SWIFT_H

#include "fluid/law/equations.h"
#include "net/congestion/swift.h"

typedef fluid_real fluid_swift; /* of fluid_recover */
enum { fluid_swift_words = 1, fluid_swift_answers = FLUID_LOSSES | FLUID_MARKS | FLUID_DELAY };

/* In fluid_class.own: the target of the class's longest path, and the range, in picoseconds; and steps of one. */
enum { FLUID_SWIFT_TARGET, FLUID_SWIFT_RANGE, FLUID_SWIFT_STEPS };

WEIR_FN void fluid_swift_begin(const fluid_class *c, fluid_real window, fluid_swift *own)
{
    (void)c, (void)window;
    *own = (fluid_real)0;
}

/* Steps. */
WEIR_FN fluid_real fluid_swift_target(const fluid_class *c, fluid_real window)
{
    const net_swift_params keys = {(weir_time)c->own[FLUID_SWIFT_TARGET],
                                   (weir_time)c->own[FLUID_SWIFT_RANGE], 0, 0};
    return (fluid_real)(net_swift_target_ps(&keys, 0, (double)window) * c->own[FLUID_SWIFT_STEPS]);
}

WEIR_FN fluid_real fluid_swift_step(const fluid_settings *settings, fluid_window *w, fluid_swift *own,
                                    const fluid_feedback *by)
{
    const fluid_real none = (fluid_real)0, half = (fluid_real)0.5, one = (fluid_real)1, before = w->size;
    const fluid_real rtt = one / by->inv0, above = rtt - fluid_swift_target(settings->cls, before);
    const fluid_real small = before < one ? before : one, part = before < one ? before : one / before;
    const fluid_real spread = (fluid_real)2 * part * rtt;
    const fluid_real found = above / spread + half, u = found < none ? none : found > one ? one : found;
    const fluid_real excess = u < one ? half * spread * u * u : above;
    const fluid_real wanted = (fluid_real)NET_SWIFT_BETA * excess * by->inv0,
                     most = (fluid_real)NET_SWIFT_MDF;
    const fluid_real reductions = fluid_recover(own, by);
    w->slow = w->recovering = none; /* it has no slow start */
    fluid_move_window(w,
                      fluid_increment(settings->order, before, (one - u) * small * by->inv0,
                                      (wanted < most ? wanted : most) * by->inv0 + most * reductions),
                      (fluid_real)NET_SWIFT_LEAST, settings->tcp.limit);
    return fluid_sent(settings->order, before, w->size, settings->tcp.clock, by);
}

#ifdef WI_FLUID_BUILD
static const net_swift_params fluid_swift_usual = {50 * WEIR_PS_PER_US, 100 * WEIR_PS_PER_US, 0,
                                                   0}; /* as a scenario has it, but for what links add */

static const net_swift_params *fluid_swift_keys(const weir_fluid_class *from)
{
    return from->keys ? (const net_swift_params *)from->keys : &fluid_swift_usual;
}

static const char *fluid_swift_bounds(const weir_fluid_class *from, const weir_fluid_narrow *at)
{
    const net_swift_params *const keys = fluid_swift_keys(from);
    if (!at)
        return from->segments_per_ack > 1.0 ? "Swift as fluid knows no ACK that waits for its timer, which "
                                              "Swift takes for a queue; want delayed_ack: 1"
                                            : NULL;
    const double sessions = at->fluid + at->packets, share_bps = at->rate_bps / sessions;
    const double target_s = weir_seconds(keys->target_ps + keys->longest_ps);
    if (target_s < at->round_s + 8.0 * from->mss_bytes / at->rate_bps)
        return "Swift's delay_target is below the round trip of its idle path: packets send next to nothing, "
               "fluid more";
    if (at->packets > 0.0)
        return "Swift's sessions of packets get less than those of fluid, down to nothing";
    if (share_bps * target_s < 8.0 * from->mss_bytes)
        return "of Swift's windows below one segment fluid has queues of 0.7 to 2.3 times those of packets, "
               "and goodput of up to 1.2 times";
    if (target_s >= at->round_s + at->queue_s)
        return "the queue is full before Swift's delay_target is reached: fluid loses up to 15 times what "
               "packets lose";
    return NULL;
}

static void fluid_swift_build(const weir_fluid_class *from, double step_s, fluid_class *c)
{
    const net_swift_params *const keys = fluid_swift_keys(from);
    c->kept = 0.0; /* a timeout leaves one segment */
    c->own[FLUID_SWIFT_TARGET] = (double)(keys->target_ps + keys->longest_ps);
    c->own[FLUID_SWIFT_RANGE] = (double)keys->range_ps;
    c->own[FLUID_SWIFT_STEPS] = 1e-12 / step_s;
}
#endif

#endif
