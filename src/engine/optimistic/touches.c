/*
 * Whether handlers announce what they change: the first few handlings of each event type that may be taken back are
 * compared with a copy of what the entity has. A model that would not pass the check engine ends with the name of the
 * handler that is wrong, instead of with wrong results. Each thread looks at WI_TOUCH_LOOKS handlings of a type.
 */
#include "engine/optimistic/optimistic.h"

#include <stdio.h>
#include <stdlib.h>

enum { OWN_MOST = 1 << 16 }; /* bytes of an entity that is looked at */

int wi_touches_init(wi_pe *pe)
{
    const uint32_t n = pe->part.sim->setup.model->n_types;
    pe->looks = malloc(n + 1);
    pe->copies = malloc(2 * OWN_MOST);
    if (!pe->looks || !pe->copies)
        return 0;
    memset(pe->looks, WI_TOUCH_LOOKS, n);
    return 1;
}

void wi_touches_free(wi_pe *pe)
{
    free(pe->looks);
    free(pe->copies);
}

int wi_touches_before(wi_pe *pe, const weir_event *event)
{
    pe->own = wi_own_of(pe->part.sim, event->target, pe->part.sim->dispatch[event->type].kind);
    pe->looks[event->type]--;
    if (pe->own.bytes > OWN_MOST)
        return 0;
    wi_own_copy(pe->copies, &pe->own);
    return 1;
}

static void complain(wi_pe *pe, const weir_event *event, const char *what, const char *where, size_t offset)
{
    const weir_sim *const sim = pe->part.sim;
    char entity[WI_ENTITY_TEXT];
    wi_entity_text(sim, event->target, entity);
    snprintf(pe->wrong, sizeof pe->wrong,
             "model '%s', event '%s' at %s, %.12f s: %s (%s, byte %zu), so engine 'optimistic' cannot take "
             "it back; engine 'check' finds all such places",
             sim->setup.model->name, sim->setup.model->types[event->type].name, entity,
             weir_seconds(event->time_ps), what, where, offset);
    pe->flags |= WI_WARP_MODEL;
}

/* What the log would put back, put into a copy of what is there now, must give what was there before. */
void wi_touches_after(wi_pe *pe, const weir_event *event)
{
    const weir_undo *const undo = &pe->history.undo;
    unsigned char *const before = pe->copies, *const now = pe->copies + OWN_MOST;
    wi_own_copy(now, &pe->own);
    for (size_t at = undo->used; at > 0;) {
        const void *ptr;
        size_t size, offset;
        const size_t from = wi_undo_before(undo, at, &ptr, &size);
        if (size > 0 && !wi_own_has(&pe->own, ptr, size, &offset)) {
            complain(pe, event, "touches what is not its own", "size of the touch", size);
            return;
        }
        if (size > 0)
            memcpy(now + offset, undo->bytes + from, size);
        at = from;
    }
    size_t i = 0;
    while (i < pe->own.bytes && before[i] == now[i])
        i++;
    if (i < pe->own.bytes) {
        const wi_own_piece *const piece = wi_own_piece_at(&pe->own, &i);
        complain(pe, event, "changes bytes that it does not touch first", piece->what, i);
    }
}
