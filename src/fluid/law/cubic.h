/*
 * The window of a CUBIC session (RFC 9438), as a fluid: the cubic of a mean session's W_max and of the time since its
 * last loss, whose own equations stand in G. Vardoyan, C. Hollot, D. Towsley, Towards Stability Analysis of Data
 * Transport Mechanisms: a Fluid Model and an Application, INFOCOM 2018. With s that time and l the rate of losses,
 *
 *     W = max(C (s - K)^3 + W_max, W_est),  K = cbrt((1 - beta) W_max / C)
 *     dW_max/dt = l (W - W_max),  ds/dt = 1 - age l s,  dW_est/dt = alpha / R - l (W_est - beta W + more)
 *
 * Of its losses those count that come when its last reduction is a round trip ago, in the mean (fluid_recover).
 * `age`, `alpha` and `more` are fitted to packets (docs/fluid.md). W_est is what a Reno session would have (section
 * 4.3). Slow start is HyStart++'s (RFC 9406): where the round trip grows by an eighth (4 to 16 ms) within one, sessions
 * go on at a quarter of the pace for five round trips in the mean, and then as after a loss that cost nothing.
 */
#ifndef WI_FLUID_LAW_CUBIC_H
#define WI_FLUID_LAW_CUBIC_H

#include "fluid/law/equations.h"

/* A CUBIC source's parameters in the solver's precision. Times are steps. */
typedef struct fluid_cubic_law {
    fluid_real c, beta, gives, alpha, more, age, inv_ack, limit, clock;
    fluid_real growth_low, growth_high; /* of a round trip within one, that ends slow start */
} fluid_cubic_law;

/* Of sessions that have left slow start; the share in conservative slow start stands in fluid_window.recovering. */
typedef struct fluid_cubic {
    fluid_real w_max, age, w_est;
    fluid_real resting; /* share whose last reduction was less than about a round trip ago */
} fluid_cubic;

#define FLUID_CUBIC_BETA 0.7

/* In fluid_class.own: C in segments a cubed step; of the equations; steps, where slow start ends by losses alone more
 * than any. */
enum {
    FLUID_CUBIC_C,
    FLUID_CUBIC_ALPHA,
    FLUID_CUBIC_GIVES,
    FLUID_CUBIC_AGE,
    FLUID_CUBIC_LOW,
    FLUID_CUBIC_HIGH
};

enum { fluid_cubic_words = 4, fluid_cubic_answers = FLUID_LOSSES | FLUID_MARKS };

WEIR_FN fluid_cubic_law fluid_cubic_open(const fluid_class *c)
{
    const fluid_cubic_law r = {(fluid_real)c->own[FLUID_CUBIC_C],
                               (fluid_real)FLUID_CUBIC_BETA,
                               (fluid_real)c->own[FLUID_CUBIC_GIVES],
                               (fluid_real)c->own[FLUID_CUBIC_ALPHA],
                               (fluid_real)c->more,
                               (fluid_real)c->own[FLUID_CUBIC_AGE],
                               (fluid_real)c->inv_ack,
                               (fluid_real)c->window_limit,
                               (fluid_real)c->clock,
                               (fluid_real)c->own[FLUID_CUBIC_LOW],
                               (fluid_real)c->own[FLUID_CUBIC_HIGH]};
    return r;
}

/* The cube root of a normal float from 0 to 1e38, to 1 unit in the last place, without what vectors lack. A third of the
 * bits is a third of the logarithm, to 4 %; each of Halley's steps triples the digits, as a correction, which rounds
 * once. */
WEIR_FN float fluid_cubic_single_root(float x)
{
    float t = weir_float_of_bits(weir_bits_of_float(x) / 3 + UINT32_C(0x2a5119f2));
    for (int i = 0; i < 2; i++) {
        const float cube = t * t * t;
        t += t * ((x - cube) / (2.0f * cube + x));
    }
    return t;
}

WEIR_FN fluid_real fluid_cubic_root(fluid_real x)
{
    return sizeof x > sizeof(float) ? (fluid_real)weir_cbrt((double)x)
                                    : (fluid_real)fluid_cubic_single_root((float)x);
}

/* K of equation 2 of RFC 9438, after a loss at w_max. */
WEIR_FN fluid_real fluid_cubic_k(const fluid_cubic_law *c, fluid_real w_max)
{
    return fluid_cubic_root(((fluid_real)1 - c->beta) * w_max / c->c);
}

WEIR_FN fluid_real fluid_cubic_window(const fluid_cubic_law *c, const fluid_cubic *s)
{
    const fluid_real one = (fluid_real)1, past = s->age - fluid_cubic_k(c, s->w_max);
    const fluid_real cubic = c->c * past * past * past + s->w_max, w = cubic > s->w_est ? cubic : s->w_est;
    return w < one ? one : w > c->limit ? c->limit : w;
}

/* Of a window, what a loss leaves as W_max: fast convergence (section 4.7) takes (1 - beta) / 2 where it is below the
 * old one, as a share of sessions is that rises from none to all over a tenth of it. */
WEIR_FN fluid_real fluid_cubic_left(const fluid_cubic_law *c, fluid_real w_max, fluid_real w)
{
    const fluid_real none = (fluid_real)0, half = (fluid_real)0.5, one = (fluid_real)1;
    const fluid_real share = half + (fluid_real)5 * (w_max - w) / w_max;
    return one - c->gives * (share < none ? none : share > one ? one : share);
}

/* The three equations over a step: losses a step of a session, its window, and 1 / round trip. */
WEIR_FN void fluid_cubic_move(const fluid_cubic_law *c, uint32_t order, fluid_cubic *s, fluid_real *rest,
                              fluid_real w, fluid_real losses, fluid_real inv_rtt)
{
    const fluid_real limit = c->limit;
    fluid_window top = {s->w_max, *rest, (fluid_real)0, (fluid_real)0, (fluid_real)0};
    fluid_move_window(&top,
                      fluid_increment(order, s->w_max, losses * w * fluid_cubic_left(c, s->w_max, w), losses),
                      (fluid_real)1, limit);
    s->w_max = top.size;
    *rest = top.rest;
    s->age += fluid_increment(order, s->age, (fluid_real)1, c->age * losses);
    const fluid_real kept = c->beta * w - c->more, least = (fluid_real)0;
    s->w_est +=
        fluid_increment(order, s->w_est, c->alpha * inv_rtt + losses * (kept > least ? kept : least), losses);
    s->w_est = s->w_est < limit ? s->w_est : limit;
}

/* Sessions that leave slow start in a step: shares, and the window of each. */
typedef struct fluid_leaving {
    fluid_real lost, calm; /* by a loss; at the end of conservative slow start */
    fluid_real w;
} fluid_leaving;

/* They join `settled` others, as a mean of all. */
WEIR_FN void fluid_cubic_join(const fluid_cubic_law *c, fluid_cubic *s, fluid_real settled,
                              const fluid_leaving *l)
{
    const fluid_real joined = l->lost + l->calm, all = settled + joined;
    if (!(joined > (fluid_real)0))
        return;
    const fluid_real part = (fluid_real)1 / all;
    s->w_max = (settled * s->w_max + joined * l->w) * part;
    s->age = (settled * s->age + l->calm * fluid_cubic_k(c, l->w)) * part;
    s->w_est = (settled * s->w_est + (l->lost * c->beta + l->calm) * l->w) * part;
}

/* Sessions in slow start, of mean window `w`, over a step; returns segments sent by one of them. */
WEIR_FN fluid_real fluid_cubic_slow(const fluid_cubic_law *c, fluid_window *w, fluid_real *size,
                                    const fluid_feedback *by, fluid_leaving *leaving)
{
    const fluid_real none = (fluid_real)0, few = (fluid_real)0x1p-6, quarter = (fluid_real)0.25;
    const fluid_real rtt = (fluid_real)1 / by->inv0, eighth = (fluid_real)0.125 * rtt;
    const fluid_real low = c->growth_low, high = c->growth_high;
    const fluid_real bound = eighth < low ? low : eighth > high ? high : eighth;
    const fluid_real grown = ((fluid_real)1 / by->inv1 - rtt) * rtt;
    if (grown >= bound) { /* they notice in the round after it */
        const fluid_real notice = w->slow * ((fluid_real)1 - fluid_decay(by->inv0));
        w->recovering += notice;
        w->slow -= notice;
    }
    const fluid_real all = w->slow + w->recovering, share = (w->slow + quarter * w->recovering) / all;
    const fluid_real wish = by->acked * c->inv_ack * share, room = c->limit - *size;
    const fluid_real opened = wish < room ? wish : room > none ? room : none;
    const fluid_real stay = fluid_decay(by->loss), calm = fluid_decay((fluid_real)0.2 * by->inv0);
    fluid_real slow = w->slow * stay, css = w->recovering * stay;
    leaving->w = *size;
    leaving->calm = css * ((fluid_real)1 - calm);
    css *= calm;
    slow = slow < few ? none : slow;
    css = css < few && slow == none ? none : css;
    leaving->lost = all - slow - css - leaving->calm;
    w->slow = slow;
    w->recovering = css;
    *size += opened;
    return by->first + by->acked + opened;
}

/* A step of sessions that have left slow start, but for the window that it ends with (CPU lanes). */
WEIR_FN void fluid_cubic_settle(const fluid_cubic_law *c, uint32_t order, fluid_window *w, fluid_cubic *s,
                                const fluid_feedback *by)
{
    const fluid_real losses = fluid_recover(&s->resting, by);
    fluid_cubic_move(c, order, s, &w->rest, w->size, losses,
                     order == 1 ? by->inv0 : (fluid_real)0.5 * (by->inv0 + by->inv1));
}

/* One step of a session whose state is *s; arguments and result as of fluid_window_step. */
WEIR_FN fluid_real fluid_cubic_advance(const fluid_cubic_law *c, uint32_t order, int starting,
                                       fluid_window *w, fluid_cubic *s, const fluid_feedback *by)
{
    const fluid_real none = (fluid_real)0, half = (fluid_real)0.5, one = (fluid_real)1, before = w->size;
    const fluid_real slow = starting ? w->slow + w->recovering : none, settled = one - slow;
    const fluid_real losses = settled > none ? fluid_recover(&s->resting, by) : none;
    fluid_real slow_sent = none, own = before, slow_size = before;
    if (settled > none) {
        own = slow > none ? fluid_cubic_window(c, s) : before; /* the same, left by the step before */
        slow_size = slow > none ? (before - settled * own) / slow : none;
        fluid_cubic_move(c, order, s, &w->rest, own, losses,
                         order == 1 ? by->inv0 : half * (by->inv0 + by->inv1));
    }
    if (slow > none) {
        fluid_leaving leaving;
        slow_sent = fluid_cubic_slow(c, w, &slow_size, by, &leaving);
        fluid_cubic_join(c, s, settled, &leaving);
    }
    const fluid_real still = starting ? w->slow + w->recovering : none;
    const fluid_real after = still < one ? fluid_cubic_window(c, s) : none;
    w->size = still * slow_size + (one - still) * after;
    const fluid_real past_slow = fluid_sent(order, before, w->size, c->clock * settled, by);
    return past_slow * settled + slow_sent * slow;
}

/* With its window as the start of a cubic (K = 0). */
WEIR_FN void fluid_cubic_begin(const fluid_class *c, fluid_real window, fluid_cubic *own)
{
    const fluid_cubic_law law = fluid_cubic_open(c);
    const fluid_cubic flat = {window, fluid_cubic_k(&law, window), window, (fluid_real)0};
    *own = flat;
}

WEIR_FN fluid_real fluid_cubic_step(const fluid_settings *settings, fluid_window *w, fluid_cubic *own,
                                    const fluid_feedback *by)
{
    const fluid_cubic_law law = fluid_cubic_open(settings->cls);
    return fluid_cubic_advance(&law, settings->order, settings->starting, w, own, by);
}

#ifdef WI_FLUID_BUILD
#define fluid_cubic_bounds unbounded
#include "net/congestion/cubic.h"

/* Without keys: as the RFC recommends. 0.6, 0.61 and 1.5: docs/fluid.md. */
static void fluid_cubic_build(const weir_fluid_class *from, double step_s, fluid_class *c)
{
    static const net_cubic_params usual = {true, true, NET_CUBIC_HYSTART_PLUS};
    const net_cubic_params *const keys = from->keys ? (const net_cubic_params *)from->keys : &usual;
    c->more = 1.5;
    c->kept = FLUID_CUBIC_BETA;
    c->own[FLUID_CUBIC_C] = NET_CUBIC_C * step_s * step_s * step_s;
    c->own[FLUID_CUBIC_AGE] = 0.6;
    c->own[FLUID_CUBIC_ALPHA] = keys->friendly ? 0.61 : 0.0;
    c->own[FLUID_CUBIC_GIVES] = keys->fast_convergence ? 0.15 : 0.0;
    c->own[FLUID_CUBIC_LOW] = keys->hystart ? 4e-3 / step_s : 1e9;
    c->own[FLUID_CUBIC_HIGH] = keys->hystart ? 16e-3 / step_s : 1e9;
}
#endif

#endif
