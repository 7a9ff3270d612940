/*
 * The window of a DCTCP session (RFC 8257), as a fluid: M. Alizadeh, A. Javanmard, B. Prabhakar, Analysis of DCTCP:
 * Stability, Convergence, and Fairness, SIGMETRICS 2011, equations 1 and 2. With M the share of marks of a round trip ago,
 *
 *     dW/dt = (1 - M) / R - W (alpha / 2) / R where there are marks,  dalpha/dt = (g / R) (M - alpha)
 *
 * 1 - M is not in the paper: an ACK that echoes a mark does not open the window (RFC 3168, section 6.1.2). Where marks
 * are less than one a window, reductions are as many as marks. Losses cost what they cost a Reno session.
 */
#ifndef WI_FLUID_LAW_DCTCP_H
#define WI_FLUID_LAW_DCTCP_H

#include "fluid/law/equations.h"

#define FLUID_DCTCP_G 0.0625

typedef fluid_real fluid_dctcp; /* alpha */
enum { fluid_dctcp_words = 1, fluid_dctcp_answers = FLUID_LOSSES | FLUID_MARKS };

WEIR_FN void fluid_dctcp_begin(const fluid_class *c, fluid_real window, fluid_dctcp *alpha)
{
    (void)c, (void)window;
    *alpha = (fluid_real)1; /* RFC 8257, section 4.2 */
}

WEIR_FN fluid_real fluid_dctcp_step(const fluid_settings *settings, fluid_window *w, fluid_dctcp *alpha,
                                    const fluid_feedback *by)
{
    const fluid_tcp *const tcp = &settings->tcp;
    const fluid_real none = (fluid_real)0, one = (fluid_real)1, half = (fluid_real)0.5, once = by->inv0;
    const fluid_real lost = by->loss - by->marked, share = by->acked > none ? by->marked / by->acked : none;
    const fluid_real marks = by->marked < once ? by->marked : once, losses = lost < once ? lost : once;
    const fluid_real all = by->loss < once ? by->loss : once;
    const fluid_real gain = (fluid_real)FLUID_DCTCP_G * by->inv0, m = share < one ? share : one;
    fluid_tcp c = *tcp;
    c.most = one;
    c.at_once = none;
    c.more = none;
    const fluid_real above = one - (one + one) / w->size, least = above > none ? above : none;
    const fluid_real gives = half * *alpha < least ? half * *alpha : least; /* a mark leaves two segments */
    c.decrease = all > none ? (gives * marks + (tcp->decrease + tcp->more / w->size) * losses) / all : none;
    c.inv_ack *= one - m;
    c.more_acks *= one - m;
    if (by->acked > none)
        *alpha += fluid_increment(settings->order, *alpha, gain * m, gain);
    return fluid_window_step(&c, settings->order, settings->starting, w, by);
}

#ifdef WI_FLUID_BUILD
#define fluid_dctcp_bounds unbounded
static void fluid_dctcp_build(const weir_fluid_class *from, double step_s, fluid_class *c)
{
    (void)from, (void)step_s;
    c->inv_ack = 1.0; /* grows by bytes, not by ACKs */
    c->more_acks = 0.0;
}
#endif

#endif
