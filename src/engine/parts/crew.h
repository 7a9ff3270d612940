/*
 * The parts of a run on threads and ranks: who has which entities, and what reading them takes. An engine that
 * runs on both has a crew as the first member of what sim->engine points to.
 *
 * A part is a thread of a rank; its number is rank * threads + thread.
 */
#ifndef WI_ENGINE_PARTS_CREW_H
#define WI_ENGINE_PARTS_CREW_H

#include <pthread.h>

#include "engine/parts/partition.h"
#include "engine/ranks/ranks.h"

typedef struct wi_crew {
    weir_sim *sim;
    const wi_ranks *ranks; /* null: one process */
    wi_partition partition;
    wi_part **part;     /* [threads] this rank's */
    int64_t **counters; /* [threads] each thread counts for itself */
    uint32_t n_threads, n_parts, rank;
    weir_status sink_status;
    weir_sim_memory memory; /* of all ranks, at the last fetch */
} wi_crew;

/* How many threads and parts: as asked for, and no more than the model falls into. Collective. WEIR_E_ARG. */
WEIR_NODISCARD weir_status wi_crew_count(weir_diag *diag, weir_sim *sim, wi_crew *crew);
/* Arrays of the crew, and who has which entities, the same on all ranks. Collective. WEIR_E_NOMEM. */
WEIR_NODISCARD weir_status wi_crew_share(weir_diag *diag, wi_crew *crew);
/* What both have allocated; parts and counters are the engine's. */
void wi_crew_free(wi_crew *crew);
/* When parts have taken over the simulation's events, `whole` if there was memory for it: it keeps none itself.
 * WEIR_E_NOMEM. */
WEIR_NODISCARD weir_status wi_crew_taken_over(weir_diag *diag, const wi_crew *crew, int whole);
/* Start thread i of the crew. WEIR_E_NOMEM where there can be no more. */
WEIR_NODISCARD weir_status wi_crew_thread(weir_diag *diag, const wi_crew *crew, uint32_t i, pthread_t *thread,
                                          void *(*main)(void *), void *arg);
/* Whether an entity is this rank's; *thread is then whose. */
static inline int wi_crew_has(const wi_crew *crew, uint32_t entity, uint32_t *thread)
{
    const uint32_t part = crew->partition.part[entity];
    *thread = part % crew->n_threads;
    return part / crew->n_threads == crew->rank;
}

/* merge.c: hand out what was written before `before_ps` on all threads and ranks; the sink is called on rank 0.
 * Called by thread 0 of every rank while all others wait. Each part's records are in the order of time. */
weir_status wi_crew_records(weir_diag *diag, wi_crew *crew, weir_time before_ps);

/* fetch.c, some.c: the engine's operations that read. */
weir_status wi_crew_fetch(weir_diag *diag, weir_sim *sim);
weir_status wi_crew_fetch_some(weir_diag *diag, weir_sim *sim, const weir_sim_want *want);
/* Memory of a rank's own, piece by piece: their size into a size_t, copied to where an unsigned char * points
 * or from there, which moves on. */
typedef void (*wi_piece_fn)(void *user, void *at, size_t bytes);
void wi_piece_size(void *user, void *at, size_t bytes);
void wi_piece_pack(void *user, void *at, size_t bytes);
void wi_piece_unpack(void *user, void *at, size_t bytes);
/* Add up what threads and ranks have counted. */
void wi_crew_counters(wi_crew *crew);
weir_status wi_crew_visit(weir_diag *diag, const weir_sim *sim,
                          void (*visit)(void *user, const weir_event *event), void *user);
wi_part *wi_crew_part_of(const weir_sim *sim, uint32_t entity); /* which must be this rank's: */
bool wi_crew_owns(const weir_sim *sim, uint32_t entity);
void wi_crew_memory(const weir_sim *sim, weir_sim_memory *out);

/* fault.c: the message of the earliest fault, the same on all ranks. */
weir_status wi_crew_fault(weir_diag *diag, wi_crew *crew);

#endif
