/*
 * How the partitions of a run exchange events: they post to each other, wait at a barrier, and collect.
 *
 * A partition is a thread of a rank; its number is rank * threads + thread. What is posted between two barriers can be
 * collected after the second one, by the partition that it is for, in any order. A barrier also reduces one
 * wi_reduction of each partition: the least of times, the sum of counts, the union of flags.
 *
 * Threads of a rank share memory: two sets of batches take turns, so that one barrier a round is enough. Thread 0 of a
 * rank alone talks to other ranks (ranks.h), while its other threads wait.
 */
#ifndef WI_RANKS_TRANSPORT_H
#define WI_RANKS_TRANSPORT_H

#include <stddef.h>

#include "ranks/gate.h"
#include "weir/model.h"
#include "weir/status.h"

typedef struct wi_ranks wi_ranks;

/* Events that follow each other, `stride` bytes from one to the next. */
typedef struct wi_batch {
    unsigned char *at;
    size_t used, room; /* bytes */
} wi_batch;

/* Room for `bytes` more; null when memory is short. */
unsigned char *wi_batch_more(wi_batch *batch, size_t bytes);

/* What a partition brings to a barrier, and what all of them give. */
typedef struct wi_reduction {
    weir_time next_ps; /* of the earliest pending event; the least of all */
    weir_time
        lbts_ps;     /* lower bound on time stamps of what this partition sends elsewhere; the least of all */
    uint64_t events; /* handled so far; the sum */
    uint32_t flags;  /* the conservative engine's own; the union */
} wi_reduction;

/* Add one partition's share to a reduction. */
void wi_reduction_join(wi_reduction *all, const wi_reduction *one);

/* A thread of this rank. */
typedef struct wi_member {
    _Alignas(128) wi_reduction share;
    wi_batch *out[2];      /* [partitions] of each set */
    wi_batch arrived;      /* from other ranks */
    uint32_t set;          /* that it posts to now */
    uint32_t *cores;       /* [threads] room to look at all members' */
    _Atomic uint32_t core; /* that it was on when it came to the barrier */
} wi_member;

typedef struct wi_transport {
    uint32_t n_threads, n_parts, rank;
    uint32_t spin_ns;      /* that a member waits before it sleeps */
    int apart;             /* there is a core for each member */
    uint32_t stride;       /* of events */
    wi_member *members;    /* [threads] */
    const wi_ranks *ranks; /* null: one process */
    wi_barrier barrier;
    /* Thread 0 calls it when all are at the barrier, before any goes on; `all` is what came of it. */
    void (*decide)(void *user, const wi_reduction *all);
    void *user;
} wi_transport;

/* False when memory is short; wi_transport_free is allowed even so. */
int wi_transport_init(wi_transport *t, uint32_t n_threads, const wi_ranks *ranks, uint32_t stride);
/* Free all batches. */
void wi_transport_free(wi_transport *t);

/* Post a copy of an event to a partition; false when memory is short. */
static inline int wi_transport_post(wi_transport *t, uint32_t thread, uint32_t to, const weir_event *event)
{
    wi_member *m = &t->members[thread];
    wi_batch *batch = &m->out[m->set][to];
    unsigned char *at =
        batch->used + t->stride <= batch->room ? batch->at + batch->used : wi_batch_more(batch, t->stride);
    if (!at)
        return 0;
    __builtin_memcpy(at, event, t->stride);
    batch->used += t->stride;
    return 1;
}

/* A thread that has slept calls it: if an earlier thread of this rank runs on the same core, it moves to another. Threads
 * that sleep in turn would else share one core; see cores.h. */
void wi_transport_settle(wi_transport *t, uint32_t thread);

/* Wait for all threads of all ranks, and reduce what each brings. A failure between ranks ends the process. */
void wi_transport_barrier(wi_transport *t, uint32_t thread, const wi_reduction *mine);

/* The same for all threads at once, whose shares stand in members[..].share: one thread runs the partitions in turn, and
 * the others sleep. One process only. */
void wi_transport_barrier_alone(wi_transport *t);

/* How many batches a thread has to collect. */
static inline uint32_t wi_transport_batches(const wi_transport *t)
{
    return t->n_threads + 1;
}
/* Batch i of those that a thread has to collect, valid until its next barrier. */
const wi_batch *wi_transport_batch(const wi_transport *t, uint32_t thread, uint32_t i);

#endif
