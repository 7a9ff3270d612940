/*
 * Which partition each entity belongs to: METIS on the model's graph where there is one and weir was built
 * with it, else blocks of neighbouring groups or entities.
 */
#pragma once

#include "base/memory.h"
#include "engine/core/engine.h"

typedef struct wi_partition {
    uint32_t n_parts, n_entities;
    uint16_t *part;          /* [entities] */
    unsigned char *crosses;  /* [entities] whether it may schedule for another partition's entities */
    weir_time *lookahead_ps; /* [parts] least of those that cross; WEIR_TIME_MAX where none does */
    uint32_t *least;         /* [parts] an entity that has it */
} wi_partition;

/* How many partitions can be filled: groups, or entities where the model has no graph. */
uint32_t wi_partition_most(const weir_sim *sim);
/* Arrays for n_parts partitions, which `memory` owns; all entities in the first. WEIR_E_NOMEM. */
WEIR_NODISCARD weir_status wi_partition_new(weir_diag *diag, const weir_sim *sim, uint32_t n_parts,
                                            wi_owned *memory, wi_partition *out);
/*
 * Distribute the entities. Groups that are joined by short lookaheads are kept together as far as that leaves
 * work for all, since the shortest lookahead that crosses is the length of a window. WEIR_E_NOMEM.
 */
WEIR_NODISCARD weir_status wi_partition_make(weir_diag *diag, const weir_sim *sim, wi_partition *p);
/* Fill in `crosses`, `lookahead_ps` and `least` for the parts that are set. */
void wi_partition_bounds(const weir_sim *sim, wi_partition *p);
