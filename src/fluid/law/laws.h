/*
 * The laws of windows: X(NUMBER, name), by the name of the congestion control whose windows they are. A law is a file
 * law/NAME.h, an #include and a line here. The file defines
 *   fluid_NAME          the type of a session's state besides its window: numbers, all fluid_real
 *   fluid_NAME_words    an enum constant: how many of them
 *   fluid_NAME_answers  likewise: what moves its window, of FLUID_LOSSES, FLUID_MARKS and FLUID_DELAY
 *   fluid_NAME_begin    the state of a session that begins, or begins again after its way has failed, with a window: of
 *                       zeros, or of what it was on that way
 *   fluid_NAME_step     a step: moves window and state, returns the segments that a session sends
 *   fluid_NAME_bounds   under WI_FLUID_BUILD, on the host: as weir_fluid_law_bounds
 *   fluid_NAME_build    under WI_FLUID_BUILD, on the host: what of fluid_class is the law's own, from the plan's class
 */
#ifndef WI_FLUID_LAW_LAWS_H
#define WI_FLUID_LAW_LAWS_H

// clang-format off
#define FLUID_LAWS(X)             \
    X(NEWRENO, newreno)           \
    X(NEWRENO_ECN, newreno_ecn)   \
    X(CUBIC, cubic)               \
    X(DCTCP, dctcp)               \
    X(SWIFT, swift)               \
    X(BBR, bbr)
// clang-format on

enum fluid_law {
#define X(number, name) FLUID_LAW_##number,
    FLUID_LAWS(X)
#undef X
        FLUID_N_LAWS
};

#include "fluid/law/bbr.h"
#include "fluid/law/cubic.h"
#include "fluid/law/dctcp.h"
#include "fluid/law/newreno.h"
#include "fluid/law/newreno_ecn.h"
#include "fluid/law/swift.h"

#define X(number, name) \
    WEIR_STATIC_ASSERT((int)fluid_##name##_words <= (int)FLUID_LAW_WORDS, "state of " #name);
FLUID_LAWS(X)
#undef X

/* The state of any law. */
typedef union fluid_words {
    fluid_real word[FLUID_LAW_WORDS];
#define X(number, name) fluid_##name name;
    FLUID_LAWS(X)
#undef X
} fluid_words;

/* The state of a flow's law, Loops with a bound known to the compiler keep it in
 * registers of a device. */
WEIR_FN void fluid_law_load(const fluid_tables *t, const fluid_state *s, uint32_t flow, fluid_words *own)
{
    const fluid_real *const words = (const fluid_real *)s->words;
    const uint32_t n = t->classes[t->flows[flow].cls].words;
    for (uint32_t k = 0; k < FLUID_LAW_WORDS; k++)
        own->word[k] = k < n ? words[(uint64_t)k * t->n_flows + flow] : (fluid_real)0;
}

WEIR_FN void fluid_law_store(const fluid_tables *t, const fluid_state *s, uint32_t flow,
                             const fluid_words *own)
{
    fluid_real *const words = (fluid_real *)s->words;
    const uint32_t n = t->classes[t->flows[flow].cls].words;
    for (uint32_t k = 0; k < FLUID_LAW_WORDS; k++)
        if (k < n)
            words[(uint64_t)k * t->n_flows + flow] = own->word[k];
}

/* Sessions begin, or begin again with what another flow's were (FLUID_NONE: no other's), with the window that they have. */
WEIR_FN void fluid_law_begin(const fluid_tables *t, const fluid_state *s, uint32_t flow, uint32_t from)
{
    const fluid_class *const c = &t->classes[t->flows[flow].cls];
    const fluid_real window = ((const fluid_real *)s->window)[flow];
    fluid_words own = {{0}};
    if (from != FLUID_NONE)
        fluid_law_load(t, s, from, &own);
    switch (c->law) {
#define X(number, name)                             \
    case FLUID_LAW_##number:                        \
        fluid_##name##_begin(c, window, &own.name); \
        break;
        FLUID_LAWS(X)
#undef X
    }
    fluid_law_store(t, s, flow, &own);
}

/* Of marked segments, which arrive, a law that marks do not move is told nothing: *by without them, in *room. */
WEIR_FN const fluid_feedback *fluid_told(const fluid_feedback *by, uint32_t answers, fluid_feedback *room)
{
    if (answers & FLUID_MARKS)
        return by;
    *room = *by;
    room->loss -= room->marked;
    room->marked = (fluid_real)0;
    return room;
}

WEIR_FN fluid_real fluid_law_step(const fluid_settings *c, fluid_window *w, fluid_words *own,
                                  const fluid_feedback *by)
{
    fluid_feedback room;
    switch (c->cls->law) {
#define X(number, name)      \
    case FLUID_LAW_##number: \
        return fluid_##name##_step(c, w, &own->name, fluid_told(by, fluid_##name##_answers, &room));
        FLUID_LAWS(X)
#undef X
    }
    return (fluid_real)0;
}

#endif
