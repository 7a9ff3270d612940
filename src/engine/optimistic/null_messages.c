/*
 * Null messages: the earliest output time (EOT) of each PE, between two rounds of the GVT.
 *
 * Model: Chandy and Misra (1979), Bryant (1977), without waiting. A PE's EOT is a lower bound on the time stamps of all
 * that it will still send: the least of what is pending with it and of its earliest input time (EIT), plus a lookahead.
 * Its EIT is the least EOT of the others. Whatever it will handle, and whatever may make it roll back, is pending or is yet
 * to come. An EOT is published after the mail before it, and read before the mail is: what is missing in the mail then is
 * not before the EOT.
 *
 * An EOT is one word, written every few events, and read only by a PE that is about to handle ahead; a round of the GVT
 * takes all PEs some turns. Between ranks it goes with the mail (remote.c). Where nothing is pending EOTs creep, a
 * lookahead at a time; rounds of the GVT leap.
 */
#include "engine/optimistic/optimistic.h"

void wi_pe_begin_eot(wi_pe *pe, weir_time now_ps)
{
    const weir_time first_ps = wi_time_later(now_ps, pe->engine->lookahead_ps);
    pe->eit_ps = now_ps;
    pe->unsent_ps = WEIR_TIME_MAX;
    atomic_store_explicit(&pe->eot_ps, first_ps, memory_order_relaxed);
}

void wi_pe_update_eit(wi_pe *pe)
{
    const wi_optimistic *const engine = pe->engine;
    weir_time eit_ps = atomic_load_explicit(&engine->remote_eot_ps, memory_order_acquire);
    if (pe->stopping)
        return;
    for (uint32_t i = 0; i < engine->parts.n_threads; i++) {
        const weir_time eot_ps = atomic_load_explicit(&engine->pe[i].eot_ps, memory_order_acquire);
        if (i != pe->thread && eot_ps < eit_ps)
            eit_ps = eot_ps;
    }
    if (eit_ps <= pe->eit_ps)
        return;
    (void)wi_pe_drain(pe);
    if (pe->late) /* a random delay keeps some of the mail */
        return;
    pe->eit_ps = eit_ps;
    pe->safe_ps = eit_ps > pe->safe_ps ? eit_ps : pe->safe_ps;
}

void wi_pe_publish_eot(wi_pe *pe)
{
    const weir_time next_ps = wi_pending_first(&pe->part.pending),
                    least_ps = next_ps < pe->eit_ps ? next_ps : pe->eit_ps,
                    sends_ps = wi_time_later(least_ps, pe->engine->lookahead_ps),
                    eot_ps = sends_ps < pe->unsent_ps ? sends_ps : pe->unsent_ps;
    if (eot_ps > atomic_load_explicit(&pe->eot_ps, memory_order_relaxed))
        atomic_store_explicit(&pe->eot_ps, eot_ps, memory_order_release);
}
