/* What the files of the conservative engine share. */
#ifndef WI_ENGINE_CONSERVATIVE_CONSERVATIVE_H
#define WI_ENGINE_CONSERVATIVE_CONSERVATIVE_H

#include "engine/parts/part_run.h"
#include "engine/parts/partition.h"
#include "engine/ranks/ranks.h"
#include "engine/ranks/transport.h"

enum {
    WI_SAID_FAULT = 1,   /* a handler broke the contract */
    WI_SAID_MEMORY = 2,  /* memory ran short */
    WI_SAID_STOP = 4,    /* the caller wants to stop */
    WI_SAID_RECORDS = 8, /* records should be handed out */
    WI_SAID_SINK = 16    /* the sink failed */
};

typedef struct wi_conservative wi_conservative;

/* A thread and its partition. */
typedef struct wi_worker {
    _Alignas(128) wi_part part; /* first: the loop hands it to the engine's functions */
    wi_conservative *engine;
    uint32_t thread, number; /* number: of the partition */
    weir_time lookahead_ps;
    weir_time span_ps;                    /* longest window that it agrees to */
    weir_time posted_ps, posted_bound_ps; /* least of what it has posted since the last meeting */
    uint64_t window_events;               /* handled in the last window */
    uint32_t flags;
    int64_t *counters;
    pthread_t pthread;
    int started;
} wi_worker;

struct wi_conservative {
    weir_sim *sim;
    wi_transport transport;
    const wi_ranks *ranks; /* null: one process */
    wi_partition partition;
    wi_worker *workers; /* [threads] */
    uint32_t n_threads;
    uint32_t n_first; /* records of the entities' init that wait in sim->main */
    /* The run under way: written by thread 0 while the others wait. */
    weir_diag *diag;
    weir_time limit_ps, done_ps, window_ps; /* everything before done_ps is handled */
    const volatile int *stop;
    uint32_t ended; /* not 0: leave the loop; WI_SAID_... that say why, or WI_ENDED */
    weir_status sink_status;
    wi_gate start;  /* runs begun */
    wi_gate rested; /* threads that have come to the end of one, all runs together */
    uint32_t runs;
    uint64_t lately; /* events handled in the run before */
    int quit;
    weir_sim_memory memory; /* of all ranks, at the last fetch */
};

enum { WI_ENDED = 1u << 31 };

/* conservative/records.c: hand out what was written before `before_ps` on all threads and ranks; the sink is
 * called on rank 0. Called by thread 0 of every rank while all others wait. */
weir_status wi_conservative_records(weir_diag *diag, wi_conservative *engine, weir_time before_ps);

/* conservative/fetch.c, conservative/some.c: the engine's operations that read. */
weir_status wi_conservative_fetch(weir_diag *diag, weir_sim *sim);
weir_status wi_conservative_fetch_some(weir_diag *diag, weir_sim *sim, const weir_sim_want *want);
/* Memory of a rank's own, piece by piece: their size into a size_t, copied to where an unsigned char * points
 * or from there, which moves on. */
typedef void (*wi_piece_fn)(void *user, void *at, size_t bytes);
void wi_piece_size(void *user, void *at, size_t bytes);
void wi_piece_pack(void *user, void *at, size_t bytes);
void wi_piece_unpack(void *user, void *at, size_t bytes);
/* Add up what threads and ranks have counted. */
void wi_conservative_counters(wi_conservative *engine);
weir_status wi_conservative_visit(weir_diag *diag, const weir_sim *sim,
                                  void (*visit)(void *user, const weir_event *event), void *user);
void wi_conservative_memory(const weir_sim *sim, weir_sim_memory *out);

/* conservative/fault.c: the message of the earliest fault, the same on all ranks. */
weir_status wi_conservative_fault(weir_diag *diag, wi_conservative *engine);

#endif
