/*
 * How many events may be handled at once: the critical path of a trace, in rounds.
 *
 * Model: Andelfinger and Hartenstein 2014, section 3. An event depends on the event that scheduled it, and on
 * the event before it at the same LP. In each round, the events that depend on nothing any more and lie
 * inside the lookahead window are taken away; events over rounds is an upper bound for the speed-up of any
 * conservative engine whose events all take the same time. The window begins at the least time that is left.
 * Departure: it is half-open, [t, t + lookahead), where the paper closes it on both sides; an event at its
 * end could still be overtaken by one that is not yet scheduled.
 */
#pragma once

#include "engine/analysis/trace.h"

/*
 * Rounds that a trace takes.
 *
 * Shapes:  trace: linked; lp: [entities] the LP of each entity, below n_lps.
 * Returns: WEIR_OK; WEIR_E_NOMEM. *rounds is 0 for an empty trace.
 */
WEIR_NODISCARD weir_status wi_parallelism_rounds(weir_diag *diag, const wi_trace *trace, const uint32_t *lp,
                                                 uint32_t n_lps, weir_time lookahead_ps, uint64_t *rounds);

/* Assign entities to LPs at random, evenly: a random permutation, dealt out. */
void wi_parallelism_assign(uint64_t seed, uint32_t n_entities, uint32_t n_lps, uint32_t *lp);
