/* The window of a NewReno session (RFC 5681, RFC 6582): fluid_window_step, which CPU lanes make for many at once. */
#ifndef WI_FLUID_LAW_NEWRENO_H
#define WI_FLUID_LAW_NEWRENO_H

#include "fluid/law/equations.h"

typedef fluid_real fluid_newreno; /* nothing */
enum { fluid_newreno_words = 0, fluid_newreno_answers = FLUID_LOSSES | FLUID_MARKS };

WEIR_FN void fluid_newreno_begin(const fluid_class *c, fluid_real window, fluid_newreno *own)
{
    (void)c, (void)window, (void)own;
}

WEIR_FN fluid_real fluid_newreno_step(const fluid_settings *c, fluid_window *w, fluid_newreno *own,
                                      const fluid_feedback *by)
{
    (void)own;
    return fluid_window_step(&c->tcp, c->order, c->starting, w, by);
}

#ifdef WI_FLUID_BUILD
#define fluid_newreno_bounds unbounded
static void fluid_newreno_build(const weir_fluid_class *from, double step_s, fluid_class *c)
{
    (void)step_s;
    if (from->ecn && from->decrease_more > 0.0) /* the paper's session takes a mark for a loss */
        c->law = FLUID_LAW_NEWRENO_ECN;
}
#endif

#endif
