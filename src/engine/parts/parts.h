/*
 * The parts of a run on threads and ranks: who has which entities, the threads, and reading what they have. The
 * conservative and the optimistic engine have a wi_parts as the first member of what sim->engine points to.
 *
 * A part is a thread of a rank; its number is rank * threads + thread.
 */
#pragma once

#include <pthread.h>

#include "engine/parts/partition.h"
#include "ranks/ranks.h"

typedef struct wi_parts wi_parts;

/* A thread of this rank; number 0 is the caller's own. */
typedef struct wi_thread {
    wi_parts *parts;
    uint32_t number;
    pthread_t handle;
    bool started;
} wi_thread;

struct wi_parts {
    weir_sim *sim;
    const wi_ranks *ranks; /* null: one process */
    wi_owned arrays;
    wi_partition partition;
    wi_part **part;     /* [threads] this rank's */
    int64_t **counters; /* [threads] each thread counts for itself */
    uint32_t n_threads, n_parts, rank;
    weir_status sink_status;
    weir_sim_memory memory;                          /* of all ranks, at the last fetch */
    wi_thread *threads;                              /* [threads] */
    void (*drive)(wi_parts *parts, uint32_t thread); /* a thread's share of a run */
    wi_gate start;                                   /* runs begun */
    wi_gate rested; /* ends of runs that threads have come to, all together */
    uint32_t runs, spin_ns;
    bool crowded, quit; /* crowded: more threads than cores */
    uint64_t lately;    /* events handled in the run before */
};

/* Find how many threads and parts to use: as asked for, and no more than the model falls into. Collective. WEIR_E_ARG. */
WEIR_NODISCARD weir_status wi_parts_count(weir_diag *diag, weir_sim *sim, wi_parts *parts);
/* Allocate arrays and distribute the entities, the same on all ranks. Collective. WEIR_E_NOMEM. */
WEIR_NODISCARD weir_status wi_parts_share(weir_diag *diag, wi_parts *parts);
/* Join the threads; free parts, counters and arrays. */
void wi_parts_free(wi_parts *parts);
/* Initialise the part of a thread, with counters of its own. False when memory is short. */
bool wi_parts_init_part(wi_parts *parts, uint32_t thread, wi_part *part);
/* Give the simulation's first events to the parts, which must be `whole`; it keeps none itself. WEIR_E_NOMEM. */
WEIR_NODISCARD weir_status wi_parts_distribute(weir_diag *diag, wi_parts *parts, bool whole);
/* Start all threads but the caller's own; each calls `drive` in every run. WEIR_E_NOMEM. */
WEIR_NODISCARD weir_status wi_parts_start(weir_diag *diag, wi_parts *parts,
                                          void (*drive)(wi_parts *parts, uint32_t thread));
/* A run: wake the threads, and be the first of them. */
void wi_parts_run(wi_parts *parts);
/* Wait until all threads have left the last barrier of the run before. */
void wi_parts_await_rest(wi_parts *parts);
/* Whether the calling thread had better handle all parts in turn while the others sleep: where a hook's horizons are close,
 * what is between two of them is less work than waking threads and waiting at barriers. */
bool wi_parts_run_alone(const wi_parts *parts);

/* The rank that has an entity. */
static inline uint32_t wi_parts_rank_of(const wi_parts *parts, uint32_t entity)
{
    return parts->partition.part[entity] / parts->n_threads;
}

/* Whether an entity is this rank's; *thread is then whose. */
static inline int wi_parts_has(const wi_parts *parts, uint32_t entity, uint32_t *thread)
{
    *thread = parts->partition.part[entity] % parts->n_threads;
    return wi_parts_rank_of(parts, entity) == parts->rank;
}

/* merge.c: hand out what was written before `before_ps` on all threads and ranks; the sink is called on rank 0.
 * Called by thread 0 of every rank while all others wait. Each part's records are in the order of time. */
weir_status wi_parts_records(weir_diag *diag, wi_parts *parts, weir_time before_ps);

/* fetch.c, operations of an engine (wi_engine_ops): bring all states to all ranks. */
weir_status wi_parts_fetch(weir_diag *diag, weir_sim *sim);
/* Bring what `want` names to rank 0's arrays. */
weir_status wi_parts_fetch_some(weir_diag *diag, weir_sim *sim, const weir_sim_want *want);
/* Call visit for every pending event of all ranks, on all ranks. */
weir_status wi_parts_visit(weir_diag *diag, const weir_sim *sim,
                           void (*visit)(void *user, const weir_event *event), void *user);
/* The part that has an entity, which must be this rank's. */
wi_part *wi_parts_part_of(const weir_sim *sim, uint32_t entity);
/* Whether this rank has an entity. */
bool wi_parts_owns(const weir_sim *sim, uint32_t entity);
/* Add what the parts of all ranks take, as of the last fetch. */
void wi_parts_memory(const weir_sim *sim, weir_sim_memory *out);

/* fault.c: leave the message of the earliest fault, the same on all ranks. */
weir_status wi_parts_fault(weir_diag *diag, wi_parts *parts);
