/*
 * The window of a Reno session whose segments queues mark (RFC 3168), as a fluid. Marks come by the dozen in a round
 * trip where a queue is above RED's max, and a session answers one of them (section 6.1.2). A mark costs half of the
 * window and a round trip without growth; nothing is to be sent again, which is what `more` is for.
 */
#ifndef WI_FLUID_LAW_NEWRENO_ECN_H
#define WI_FLUID_LAW_NEWRENO_ECN_H

#include "fluid/law/equations.h"

typedef fluid_real fluid_newreno_ecn; /* of fluid_recover */
enum { fluid_newreno_ecn_words = 1, fluid_newreno_ecn_answers = FLUID_LOSSES | FLUID_MARKS };

WEIR_FN void fluid_newreno_ecn_begin(const fluid_class *c, fluid_real window, fluid_newreno_ecn *own)
{
    (void)c, (void)window;
    *own = (fluid_real)0;
}

WEIR_FN fluid_real fluid_newreno_ecn_step(const fluid_settings *settings, fluid_window *w,
                                          fluid_newreno_ecn *own, const fluid_feedback *by)
{
    const fluid_tcp *const tcp = &settings->tcp;
    const fluid_real none = (fluid_real)0;
    const fluid_real begin = fluid_recover(own, by);
    const fluid_real marked = by->marked < by->loss ? by->marked : by->loss;
    const fluid_real more = tcp->more * (by->loss - marked) + tcp->inv_ack * marked; /* of all, segments */
    fluid_tcp c = *tcp;
    c.decrease = by->loss > none ? (tcp->decrease + more / (by->loss * w->size)) * begin / by->loss : none;
    c.more = none;
    c.most = (fluid_real)1e30;
    c.at_once = none;
    return fluid_window_step(&c, settings->order, settings->starting, w, by);
}

#ifdef WI_FLUID_BUILD
#define fluid_newreno_ecn_bounds unbounded
static void fluid_newreno_ecn_build(const weir_fluid_class *from, double step_s, fluid_class *c)
{
    (void)from, (void)step_s, (void)c;
}
#endif

#endif
