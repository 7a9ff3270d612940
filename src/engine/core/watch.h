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
 * seldom.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "engine/core/watch_count.h"
#include "weir/engine.h"

/* All zero at first. */
typedef struct wi_watch {
    uint64_t events, patience; /* events handled at the last look; how many more pass until the next */
    weir_time since_ps;        /* time of the last look, or of the beginning of the count */
    uint64_t sooner;           /* the next look comes so many events sooner, for tests */
    wi_watch_count *count;     /* [entities]; null: not counting */
} wi_watch;

/* The next look is due when so many events have been handled. */
static inline bool wi_watch_is_due(const wi_watch *watch, uint64_t events)
{
    return events - watch->events + watch->sooner >= watch->patience + WI_WATCH_PATIENCE;
}

/* Has time moved on since the last look? Begins to count where it has not, and returns whether. */
bool wi_watch_look(wi_watch *watch, const weir_sim *sim, uint64_t events, weir_time now_ps);
/* Time moves on while counting: no more of that, and the next look later. */
void wi_watch_move_on(wi_watch *watch, uint64_t events, weir_time now_ps);
/* Free the counts. */
void wi_watch_free(wi_watch *watch);

/* After a handling of the part, while counting. Sets WEIR_FAULT_STUCK. */
struct wi_part;
void wi_watch_part_handled(struct wi_part *part);
