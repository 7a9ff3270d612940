/*
 * What the GPU engine works on: plain data in device memory, or in host memory for unit tests. What it means
 * is explained in gpu/round/round.h.
 */
#pragma once

#include <string.h>

#include "engine/core/watch_count.h"

#if defined(__CUDACC__)
#define WI_GPU_FN static __forceinline__ __host__ __device__
/* What is rarely needed stays out of line: rounds with little to do are short of instruction cache. */
#define WI_GPU_RARE static __noinline__ __host__ __device__ __attribute__((unused))
#else
#define WI_GPU_FN static inline
#define WI_GPU_RARE static inline
#endif

#define WI_GPU_NONE UINT32_MAX
enum { WI_GPU_TYPES_MAX = 32 /* event types of a model */ };

/* An event in a region or an outbox; its payload follows. `tie` follows from source and seq, and is computed
 * only where two times are equal. */
typedef struct wi_gpu_event {
    weir_time time_ps;
    uint32_t source, seq, target;
    uint16_t type, run; /* run: index into wi_gpu.runs */
} wi_gpu_event;
WEIR_STATIC_ASSERT(sizeof(wi_gpu_event) == 24, "slots are sized by this");

/* Bytes of a slot for a model's largest payload: whole sectors. */
#define WI_GPU_SLOT_BYTES(payload) ((((uint32_t)sizeof(wi_gpu_event) + (payload)) + 31u) / 32u * 32u)

/* An LP's region in one word, so that one atomic addition both claims a slot and finds the region:
 * events (or claims, while some are spilled) in the lower half; where the region begins, in units of 8 slots,
 * and the power of its size, in the upper half. */
typedef uint64_t wi_gpu_lp;
enum { WI_GPU_ROOM_BITS = 5, WI_GPU_SLOTS_MAX = 1 << 30 };

typedef struct wi_gpu_type {
    uint32_t first_entity, n_of_kind, state_bytes;
    uint16_t kind, payload_bytes, max_events, max_records;
    uint32_t ordered; /* events of it leave their source in rising time: gpu/round/ring.h */
} wi_gpu_type;

/* Of a ring, what is needed to add to it: one sector. */
typedef struct wi_gpu_ring_head {
    weir_time last_ps;  /* the newest event's; WI_GPU_EMPTY: there is none */
    weir_time reach_ps; /* least lookahead of targets */
    uint32_t begin, end, base,
        room; /* events begin to end - 1, modulo room, in slots from base on; room: 2^n, or 0 */
} __attribute__((aligned(16))) wi_gpu_ring_head;

/* Events on their way from one entity, in rising time: see gpu/round/ring.h. Where it has grown, those of the ring before
 * come first. */
typedef struct wi_gpu_ring {
    wi_gpu_ring_head now;
    uint32_t old_begin, old_end, old_base, old_room;
    uint32_t new_base, new_room; /* while all events move */
    uint64_t unused;
} wi_gpu_ring;
WEIR_STATIC_ASSERT(sizeof(wi_gpu_ring) == 64, "whole sectors");
#define WI_GPU_EMPTY (-1)

/* One simulation among those that the kernels advance together. */
typedef struct wi_gpu_run {
    const unsigned char *world;
    uint64_t world_bytes;
    weir_entity *heads;
    unsigned char *state[WEIR_KINDS_MAX], *pool[WEIR_POOLS_MAX];
    int64_t *counters; /* counter_copies times n_counters: blocks share copies, whose sum counts */
    uint64_t n_counters, seed;
    uint32_t counter_copies;
    uint32_t run, n_entities;
    uint32_t n_kinds, kind_first[WEIR_KINDS_MAX], kind_bytes[WEIR_KINDS_MAX];
    uint32_t lp_first, n_lps;
    wi_gpu_ring *rings;       /* [n_entities]; null where no event type is ordered, and in batches */
    weir_time *ring_first_ps; /* [n_entities]: when a ring's first event is due; WEIR_TIME_MAX: never */
    weir_time lookahead_ps;   /* of every LP; 0: they differ, see wi_gpu.lookahead_ps */
    weir_time limit_ps;       /* nothing at or after it is handled */
    /* Least next time, and least next time + lookahead, by round modulo 3: one is read, one is reduced into,
     * one is being reset. */
    weir_time low_ps[3], end_ps[3];
    wi_watch_count *watch; /* [n_entities], while the watch over progress counts; else null */
    weir_time watch_since_ps;
} wi_gpu_run;

typedef struct wi_gpu_fault {
    weir_time time_ps, value;
    uint32_t tie, source, seq, entity, type, fault, detail, run;
} wi_gpu_fault;

/* The first fault of a run, or of all runs. */
typedef struct wi_gpu_fault_word {
    uint32_t lock, faulty; /* faulty: `fault` is the first in the order of events */
    wi_gpu_fault fault;
} wi_gpu_fault_word;

enum {
    WI_GPU_DRAIN = 1,   /* records must be taken out before the run can go on */
    WI_GPU_CROWDED = 2, /* the pool of slots is used up; spilled events wait in the outbox */
    WI_GPU_FAULTY = 4,  /* a handler broke the contract */
    WI_GPU_LONG = 8     /* an LP has stopped at WI_GPU_LP_EVENTS */
};
/* Events of a round after which a thread lets go of its LP, and the launch ends with that round: one LP that
 * goes on for ever inside its window does not keep the run from stopping. A power of two. */
enum { WI_GPU_LP_EVENTS = 1 << 16 };

/* Where time goes: finding LPs with something to do, handling, inserting, growing, waiting at barriers. */
enum { WI_GPU_SELECT, WI_GPU_HANDLING, WI_GPU_INSERT, WI_GPU_GROW, WI_GPU_WAIT, WI_GPU_STEPS };

/* What kernels report. */
typedef struct wi_gpu_status {
    uint64_t events; /* handled */
    uint64_t rounds; /* since the start; the index of the next one modulo 3 picks the window */
    /* of the persistent kernel's first block; with time_steps, of all blocks */
    uint64_t step_ns[WI_GPU_STEPS];
    uint32_t flags[2];     /* set in this round, or the one before: by round modulo 2 */
    uint32_t n_spilled[3]; /* by round modulo 3 */
    uint32_t halted;       /* host-driven rounds do nothing */
    uint32_t slots_used;
    uint32_t n_records;
    uint32_t barrier; /* of the persistent kernel's blocks */
    wi_gpu_fault_word fault_word;
} wi_gpu_status;

/* A thread's share of a run's next window: least next time, and least next time + lookahead. */
typedef struct wi_gpu_bounds {
    weir_time low_ps, end_ps;
} wi_gpu_bounds;

/* An event that has no slot of its target's LP yet. */
typedef struct wi_gpu_spill {
    uint32_t from; /* place in the outboxes, or slot of a ring and WI_GPU_OF_RING */
    uint32_t claim;
} wi_gpu_spill;
#define WI_GPU_OF_RING (UINT32_C(1) << 31)

/* When one of an LP's due events comes, and in which slot of its region it lies; gap: an empty slot, one of a
 * list of its own. See gpu/round/hot.h. */
typedef struct wi_gpu_entry {
    weir_time time_ps;
    uint32_t slot, gap;
} wi_gpu_entry;

/* All that kernels work on: pointers to device memory (to host memory in unit tests). */
typedef struct wi_gpu {
    wi_gpu_run *runs;
    const wi_gpu_type *types;
    uint32_t n_runs, n_types;
    uint32_t n_lps, lp_shift; /* n_lps: of all runs */
    weir_time *next_ps;       /* [n_lps]: least pending time, WEIR_TIME_MAX if there is none */
    wi_gpu_lp *lps;           /* [n_lps] */
    weir_time *lookahead_ps;  /* [n_lps] */
    unsigned char *slots;     /* [n_slots][slot_bytes] */
    uint32_t n_slots, slot_bytes;
    /* [2][n_slots], room to sort an LP's events in; null where the model has no hot LPs */
    wi_gpu_entry *entries;
    uint32_t tile;       /* LPs that a block looks at together */
    unsigned char *out;  /* outboxes: [n_blocks][out_room][slot_bytes] */
    uint32_t *out_count; /* [n_blocks] */
    uint32_t out_room, n_blocks, n_threads;
    uint32_t warm;       /* barriers leave the first-level cache as it is: never with hot LPs */
    uint32_t time_steps; /* all blocks read the clock */
    wi_gpu_spill *spill; /* [n_blocks * out_room, and with rings n_slots more] */
    unsigned char *records;
    uint32_t rec_room, rec_stride;
    uint32_t most_records; /* of one handling */
    unsigned char *
        rec_rooms; /* [threads][most_records + 1], where a program's threads have less room of their own; or null */
    wi_gpu_status *status;
    /* [n_runs], where runs fail one by one; else null, and the status keeps the first */
    wi_gpu_fault_word *faults;
} wi_gpu;
