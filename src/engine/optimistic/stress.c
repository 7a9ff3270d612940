/*
 * Random delays, for tests: of threads, of mail that has come, of what goes to and comes from other ranks, and of
 * the GVT's rounds. What one sender sends stays in its order; everything else that a busy machine may do to an
 * optimistic run happens here within milliseconds. Where one thread has all turns, a seed repeats exactly.
 */
#include "engine/optimistic/optimistic.h"

enum { HOLD_MOST = 256, LATE_IN = 4 };

static uint32_t draw(wi_pe *pe)
{
    pe->stress = pe->stress * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(pe->stress >> 32);
}

/* Nothing is late once all leave or come to a barrier. */
static int is_over(const wi_pe *pe)
{
    return atomic_load_explicit(&pe->engine->halt, memory_order_relaxed) != 0;
}

int wi_stress_holds(wi_pe *pe)
{
    if (pe->stress == 0)
        return 0;
    if (pe->holding > 0) {
        pe->holding--;
        return 1;
    }
    if (draw(pe) >> 28 == 0)
        pe->holding = draw(pe) % HOLD_MOST;
    return 0;
}

int wi_stress_skips(wi_pe *pe)
{
    return pe->stress != 0 && !is_over(pe) && draw(pe) >> 31;
}

wi_mail *wi_stress_mail(wi_pe *pe, wi_mail *came)
{
    const uint32_t salt = draw(pe), all = (uint32_t)is_over(pe);
    wi_mail **end = &pe->late, *now = NULL, **now_end = &now;
    while (*end)
        end = &(*end)->next;
    *end = came;
    for (wi_mail **at = &pe->late; *at;) {
        wi_mail *m = *at;
        /* All blocks of a sender have one fate, so that their order stays. */
        if (!all && ((m->from + 1) * UINT32_C(0x9e3779b1) ^ salt) % LATE_IN != 0) {
            at = &m->next;
            continue;
        }
        *at = m->next;
        m->next = NULL;
        *now_end = m;
        now_end = &m->next;
    }
    return now;
}
