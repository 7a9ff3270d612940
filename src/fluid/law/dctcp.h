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

/* One step; arguments and result as of fluid_window_step. */
WEIR_FN fluid_real fluid_dctcp_step(const fluid_tcp *tcp, uint32_t order, int starting, fluid_window *w,
                                    fluid_real *alpha, const fluid_feedback *by)
{
    const fluid_real none = (fluid_real)0, one = (fluid_real)1, half = (fluid_real)0.5, once = by->inv0;
    const fluid_real lost = by->loss - by->marked, share = by->acked > none ? by->marked / by->acked : none;
    const fluid_real marks = by->marked < once ? by->marked : once, losses = lost < once ? lost : once;
    const fluid_real all = by->loss < once ? by->loss : once;
    const fluid_real gain = (fluid_real)FLUID_DCTCP_G * by->inv0, m = share < one ? share : one;
    fluid_tcp c = *tcp;
    c.most = one;
    c.more = none;
    const fluid_real above = one - (one + one) / w->size, least = above > none ? above : none;
    const fluid_real gives = half * *alpha < least ? half * *alpha : least; /* a mark leaves two segments */
    c.decrease = all > none ? (gives * marks + (tcp->decrease + tcp->more / w->size) * losses) / all : none;
    c.inv_ack *= one - m;
    c.more_acks *= one - m;
    if (by->acked > none)
        *alpha += fluid_increment(order, *alpha, gain * m, gain);
    return fluid_window_step(&c, order, starting, w, by);
}

#endif
