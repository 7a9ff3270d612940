/*
 * What PEs promise each other between two rounds of the GVT.
 *
 * Model: Chandy and Misra (1979), Bryant (1977), without waiting for it: each PE says before which time nothing that it sends from
 * now on arrives. That is the least of what is pending with it and of what the others have promised, and a lookahead, since
 * whatever it will handle, and whatever may make it take something back, is pending or is yet to come. A promise is given
 * after the mail before it, and taken before the mail is: so what is missing in the mail then is not before the promise.
 *
 * A promise is one word, written every few events and read only where somebody is about to go ahead; a round takes all PEs
 * some turns. Between ranks it goes with the mail (remote.c). But promises creep, a lookahead at a time, where nothing is pending: rounds leap.
 */
#include "engine/optimistic/optimistic.h"

void wi_pe_promise_nothing(wi_pe *pe, weir_time now_ps)
{
    const weir_time first_ps = wi_time_later(now_ps, pe->engine->lookahead_ps);
    pe->heard_ps = now_ps;
    pe->unsent_ps = WEIR_TIME_MAX;
    atomic_store_explicit(&pe->promised_ps, first_ps, memory_order_relaxed);
}

void wi_pe_hear(wi_pe *pe)
{
    const wi_optimistic *const engine = pe->engine;
    weir_time heard_ps = atomic_load_explicit(&engine->abroad_ps, memory_order_acquire);
    if (pe->stopping)
        return;
    for (uint32_t i = 0; i < engine->crew.n_threads; i++) {
        const weir_time one_ps = atomic_load_explicit(&engine->pe[i].promised_ps, memory_order_acquire);
        if (i != pe->thread && one_ps < heard_ps)
            heard_ps = one_ps;
    }
    if (heard_ps <= pe->heard_ps)
        return;
    (void)wi_pe_drain(pe);
    if (pe->late) /* a random delay keeps some of the mail */
        return;
    pe->heard_ps = heard_ps;
    pe->safe_ps = heard_ps > pe->safe_ps ? heard_ps : pe->safe_ps;
}

void wi_pe_promise(wi_pe *pe)
{
    const weir_time next_ps = wi_pending_first(&pe->part.pending),
                    least_ps = next_ps < pe->heard_ps ? next_ps : pe->heard_ps,
                    arrives_ps = wi_time_later(least_ps, pe->engine->lookahead_ps),
                    promise_ps = arrives_ps < pe->unsent_ps ? arrives_ps : pe->unsent_ps;
    if (promise_ps > atomic_load_explicit(&pe->promised_ps, memory_order_relaxed))
        atomic_store_explicit(&pe->promised_ps, promise_ps, memory_order_release);
}
