/*
 * Where fluid is not what packets are: one table of bounds, measured with `tools/fluid-grid bounds` and in docs/fluid.md, *Where
 * fluid does not hold*, which `scenario.fluid_few` compares with it. few.c finds those that hold before a run,
 * acks.c and busy.c those that are known at its end.
 */
#pragma once

#include "network/fluid/fluid.h"

/* Of those that hold for a class the first is said. */
enum {
    WI_BOUND_SMALL_PACKETS,
    WI_BOUND_THREE_PACKETS,
    WI_BOUND_FEW_OVER_WAYS,
    WI_BOUND_ON_OFF,
    WI_BOUND_DCTCP_MIX,
    WI_BOUND_UDP_MIX,
    WI_BOUND_IN_A_ROW,
    WI_BOUND_BESIDE_A_ROW,
    WI_BOUND_FEW_IN_A_MIX,
    WI_BOUND_SMALL_WINDOWS_IN_A_MIX,
    WI_BOUND_BOTH_WAYS,
    WI_BOUND_SHORT_QUEUE,
    WI_BOUND_SMALL_WINDOWS,
    WI_BOUND_UDP_BESIDE_TCP,
    WI_BOUND_ACKS,
    WI_BOUND_BUSY,
    WI_BOUNDS,
    WI_BOUND_OF_LAW = WI_BOUNDS, /* a law's own (bounds.c) */
    WI_NO_BOUND
};

typedef struct wi_fluid_bound {
    const char *name;     /* in summary.json */
    const char *where;    /* the condition, in words */
    const char *quantity; /* what is off, as a ratio: which of what */
    double low, high;     /* least and most that were measured */
    const char *remedy;
} wi_fluid_bound;

extern const wi_fluid_bound wi_fluid_bounds[WI_BOUNDS];

/* Say that a class meets a bound at an entity's port, once a class and bound, with what was found there, and keep it for the
 * summary. */
void wi_fluid_warn(weir_diag *diag, wi_fluid_net *f, uint32_t cls, uint32_t entity, uint32_t bound,
                   const char *found);
/* Keep for the summary what a class's law says of itself at an entity's port: a constant. */
void wi_fluid_keep_law_warning(wi_fluid_net *f, uint32_t cls, uint32_t entity, const char *what);
/* The port that sends over an edge of the graph. */
uint32_t wi_fluid_entity_of(const wi_network *n, uint32_t edge);
/* All that was said, for summary.json: a new reference. */
json_t *wi_fluid_summarise_warnings(const wi_fluid_net *f);
