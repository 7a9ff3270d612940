/* Events into a PE's pending set; see optimistic.h. */
#include "engine/optimistic/optimistic.h"

void wi_pe_add(wi_pe *pe, const weir_event *event)
{
    wi_pending *const pending = &pe->part.pending;
    const int cancels = event->instance >= WI_INSTANCE_CANCELS;
    if (WEIR_UNLIKELY(!wi_pending_has_room(pending, 1)) && !wi_pending_reserve(pending, 1)) {
        pe->flags |= WI_WARP_MEMORY;
        return;
    }
    pe->part.cancels += (uint32_t)cancels;
    wi_pending_add(pending, event, pe->part.sim->dispatch[event->type].ordered && !cancels);
}
