/* What the files of the conservative engine share. */
#ifndef WI_ENGINE_CONSERVATIVE_CONSERVATIVE_H
#define WI_ENGINE_CONSERVATIVE_CONSERVATIVE_H

#include "engine/parts/crew.h"
#include "engine/parts/part_run.h"
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
    weir_time posted_ps, posted_bound_ps; /* least of what it has posted since the last barrier */
    uint64_t window_events;               /* handled in the last window */
    uint32_t flags;
    int64_t *counters;
    pthread_t pthread;
    int started;
} wi_worker;

struct wi_conservative {
    wi_crew crew; /* first: sim->engine is read as one */
    wi_transport transport;
    wi_worker *workers; /* [threads] */
    /* The run under way: written by thread 0 while the others wait. */
    weir_diag *diag;
    weir_time limit_ps, done_ps, window_ps; /* everything before done_ps is handled */
    const volatile int *stop;
    uint32_t ended; /* not 0: leave the loop; WI_SAID_... that say why, or WI_ENDED */
    wi_gate start;  /* runs begun */
    wi_gate rested; /* threads that have come to the end of one, all runs together */
    uint32_t runs;
    uint64_t lately; /* events handled in the run before */
    int quit;
};

enum { WI_ENDED = 1u << 31 };

#endif
