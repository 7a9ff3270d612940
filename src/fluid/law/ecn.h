/*
 * The window of a Reno session whose segments queues mark (RFC 3168), as a fluid. Marks come by the dozen in a round
 * trip where a queue is above RED's max, and a session answers one of them (section 6.1.2). A mark costs half of the
 * window and a round trip without growth; nothing is to be sent again, which is what `more` is for.
 */
#ifndef WI_FLUID_LAW_ECN_H
#define WI_FLUID_LAW_ECN_H

#include "fluid/law/equations.h"

/* One step; arguments and result as of fluid_window_step. */
WEIR_FN fluid_real fluid_ecn_step(const fluid_tcp *tcp, uint32_t order, int starting, fluid_window *w,
                                  fluid_real *resting, const fluid_feedback *by)
{
    const fluid_real none = (fluid_real)0;
    const fluid_real begin = fluid_recover(resting, by);
    const fluid_real marked = by->marked < by->loss ? by->marked : by->loss;
    const fluid_real more = tcp->more * (by->loss - marked) + tcp->inv_ack * marked; /* of all, segments */
    fluid_tcp c = *tcp;
    c.decrease = by->loss > none ? (tcp->decrease + more / (by->loss * w->size)) * begin / by->loss : none;
    c.more = none;
    c.most = (fluid_real)1e30;
    return fluid_window_step(&c, order, starting, w, by);
}

#endif
