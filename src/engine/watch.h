/*
 * The watch over progress: stops a run whose entities schedule events picoseconds ahead, for ever.
 *
 * Handlers may not schedule at the present instant, so that time always moves on; but an entity that
 * schedules for itself one picosecond ahead handles 10^12 events a simulated second, and the run never ends.
 * The watch stops it when one entity had 2^14 instants (and 4 for each slot of its pools), within 2^25 ps, at
 * each of which it scheduled an event at most 8 ps ahead, and the run's end is 2^37 ps (137 ms) away or more:
 * at least 10^10 events of this one entity.
 *
 * It is a safety stop and no part of the semantics: runs that it does not stop are untouched by it, and one
 * that it stops could not have ended. It costs a comparison every 4,096 events, and counters a while when
 * 2^22 events have passed within 2^25 ps; a busy network, where that is the rule, is counted ever more
 * seldom. The GPU engine has no watch.
 */
#ifndef WI_ENGINE_WATCH_H
#define WI_ENGINE_WATCH_H

#include <stdint.h>

#include "weir/model.h"

typedef struct wi_watch_count {
    uint32_t last;     /* instant counted last, ps from the beginning, plus one */
    uint32_t instants; /* with an event scheduled a few ps ahead */
} wi_watch_count;

/* All zero at first. */
typedef struct wi_watch {
    uint64_t events, patience; /* of the part at the last look; how many pass until the next */
    weir_time since_ps;        /* time of the last look, or of the beginning of the count */
    wi_watch_count *count;     /* [entities]; null: not counting */
} wi_watch;

struct wi_part;

/* The next look is due when the part has handled so many events. */
enum { WI_WATCH_PATIENCE = 1 << 22 };
static inline bool wi_watch_is_due(const wi_watch *watch, uint64_t events)
{
    return events - watch->events >= watch->patience + WI_WATCH_PATIENCE;
}

/* Has time moved on since the last look? Begins to count where it has not. */
void wi_watch_look(struct wi_part *part);
/* After a handling, while counting. Sets WEIR_FAULT_STUCK. */
void wi_watch_handled(struct wi_part *part);
void wi_watch_free(wi_watch *watch);

#endif
