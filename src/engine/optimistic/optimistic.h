/*
 * What the files of the optimistic engine share.
 *
 * A processing element (PE) is a thread and the entities of its partition. It handles its least event without
 * asking the others, keeps what it needs to take it back, and rolls back the one entity that an event reached
 * too late. docs/engines.md has the whole.
 */
#ifndef WI_ENGINE_OPTIMISTIC_OPTIMISTIC_H
#define WI_ENGINE_OPTIMISTIC_OPTIMISTIC_H

#include "engine/parts/crew.h"
#include "engine/parts/part_run.h"
#include "engine/ranks/mailbox.h"
#include "engine/rollback/history.h"
#include "engine/rollback/own.h"

/* Where an entity's handled events are. Sixteen bytes, so that one lies in one cache line. */
typedef struct wi_track {
    /* Address of its last wi_done, in 48 bits as all of a program's are; to be followed only if last_ps is not before
     * the GVT. And the instance of what the entity sends: it changes with each rollback, so that a cancelling event
     * finds its own. */
    uint64_t last : 48, instance : 16;
    weir_time last_ps; /* time of the last; -1: none */
} wi_track;
WEIR_STATIC_ASSERT(sizeof(wi_track) == 16, "no track lies in two cache lines");

static inline wi_done *wi_track_last(const wi_track *track)
{
    return (wi_done *)(uintptr_t)track->last;
}

static inline void wi_track_set(wi_track *track, const wi_done *last, weir_time last_ps)
{
    track->last = (uintptr_t)last & ((UINT64_C(1) << 48) - 1);
    track->last_ps = last_ps;
}

/* What a run tells, added up over PEs and ranks. */
typedef struct wi_warp_counts {
    uint64_t handled, rolled_back; /* events; their difference is committed */
    uint64_t primary, secondary;   /* rollbacks of an entity, by an event and by a cancelling one */
    uint64_t cancelled;            /* events that were sent and taken back */
    uint64_t sent;                 /* events and cancelling ones to other PEs */
    uint64_t safe;                 /* handled without keeping anything */
    uint64_t throttled;            /* times that a PE had no room to go on */
    uint64_t faults_undone;        /* faults of handlers that never came to be */
    uint64_t peak_bytes;           /* of histories and mail */
} wi_warp_counts;
enum { WI_WARP_COUNTS = sizeof(wi_warp_counts) / sizeof(uint64_t) };

typedef struct wi_optimistic wi_optimistic;

/* What safe events send has an instance that no rollback ever cancels, whatever their entity's is. */
#define WI_INSTANCE_SURE (WI_INSTANCE_CANCELS - 1)

enum {
    WI_WARP_MEMORY = 1,  /* memory ran short */
    WI_WARP_STOP = 2,    /* the caller wants to stop */
    WI_WARP_RECORDS = 4, /* records should be handed out */
    WI_WARP_MODEL = 16,  /* a handler changes what it does not touch */
    WI_WARP_BROKEN = 8   /* an event that is to be cancelled is not there: a fault of weir */
};

enum { WI_WARP_FATAL = WI_WARP_MEMORY | WI_WARP_MODEL | WI_WARP_BROKEN };

typedef struct wi_pe {
    _Alignas(128) wi_part part; /* first: what sends and reads parts is handed it */
    wi_optimistic *engine;
    uint32_t thread, number; /* number: of the part */
    wi_history history;
    int64_t *counters;
    uint64_t ahead_most; /* entries that the history may have */
    /* Messages. */
    wi_mail **out;                 /* [parts] being filled */
    wi_mail *spare;                /* blocks of its own that are free */
    size_t mail_bytes;             /* of those that are not */
    int unsent;                    /* some out[] is not empty */
    weir_time sent_ps;             /* least time of what was posted since the last change of colour */
    weir_time since_ps;            /* and since the last report */
    weir_time unsent_ps;           /* and of what no other PE has been handed yet */
    uint64_t sent[2], received[2]; /* blocks, by colour */
    weir_time heard_ps;            /* the least that other PEs have promised */
    /* GVT. */
    uint32_t round, reported;
    uint32_t published; /* rounds whose end it has seen */
    int stopping;       /* nothing is handled for good until the next one */
    weir_time gvt_ps;   /* the last that it has seen, and committed */
    weir_time safe_ps;  /* what it may yet receive is not before that */
    weir_time sure_ps;  /* the last that it has handled for good; -1: nothing in this run */
    uint32_t waited;    /* turns since the last safe event, up to WI_PATIENCE */
    weir_time span_ps;  /* of a stretch of safe events */
    weir_time ahead_ps; /* the latest that it has ever handled ahead: of later ones no track need be read */
    uint64_t net_at_gvt, back_at_gvt;
    /* A fault: speculative ones wait until nothing can change them. */
    int stalled, faulted;
    weir_event stall; /* whose handling has a fault */
    uint32_t flags;
    uint32_t idle;         /* looks without anything to do */
    uint64_t stress;       /* state of the random delays; 0: none */
    uint32_t holding;      /* looks that a random delay still lasts */
    wi_mail *late;         /* mail that a random delay keeps, the oldest first */
    uint8_t *looks;        /* [types] handlings that are still to be compared (touches.c) */
    unsigned char *copies; /* of an entity, before and after; */
    wi_own own;            /* what it had before */
    char wrong[400];       /* what that has found; WI_WARP_MODEL is set then */
    wi_warp_counts counts;
    pthread_t pthread;
    int started;
    /* What others read. */
    _Alignas(128) wi_mailbox in;
    wi_mailbox returned;                         /* blocks that come back */
    _Alignas(128) _Atomic weir_time promised_ps; /* what it sends from now on is not before that */
    _Alignas(128) _Atomic uint32_t seen, answered;
    int64_t transit;             /* blocks of the colour before, sent less received */
    weir_time least_ps;          /* of what is pending */
    weir_time told_ps;           /* of what it has sent in the new colour */
    weir_time fault_ps, last_ps; /* last_ps: sure_ps */
    uint32_t said;               /* flags */
    /* thread 0's: what it may receive is not before that, but for answers to what it has sent since */
    weir_time granted_ps;
} wi_pe;

/* What ranks tell each other in a round. */
typedef struct wi_tell {
    int64_t transit;
    weir_time least_ps, told_ps, fault_ps, last_ps; /* as a PE's */
    int64_t flags;
} wi_tell;

enum { WI_GVT_IDLE, WI_GVT_COLOUR, WI_GVT_ASK, WI_GVT_RANKS };

struct wi_optimistic {
    wi_crew crew;    /* first: sim->engine is read as one */
    wi_pe *pe;       /* [threads] */
    wi_track *track; /* [entities] */
    uint32_t stride, mail_events;
    size_t most_bytes;      /* of a PE's history and mail */
    weir_time lookahead_ps; /* least of any entity */
    weir_time window_ps;    /* that a PE may be ahead of the GVT */
    uint64_t gvt_events;    /* that thread 0 handles between two rounds */
    int crowded;            /* more threads than cores */
    int sends;              /* parts there are to send to */
    /* The run under way. */
    weir_diag *diag;
    const volatile int *stop;
    /* GVT: thread 0 drives it. */
    int gvt_state;
    uint64_t next_gvt; /* events of thread 0 at which the next round is due */
    uint64_t rounds, tries;
    wi_tell tell;
    wi_tell *tells; /* [ranks] */
    void *pending_reduce;
    uint64_t mail_out, mail_in;           /* blocks to and from other ranks */
    wi_mail **last_to;                    /* [ranks] the last block for each, of those about to be sent */
    weir_time *promised_to, *promised_by; /* [ranks] */
    struct wi_sending *sending;
    wi_batch room;     /* that a message of another rank is read to */
    int alone;         /* the calling thread has all PEs' turns */
    weir_time done_ps; /* where the run ended */
    uint32_t ended;
    wi_gate start, rested, arrived, released;
    uint32_t runs, barriers;
    uint64_t lately;
    int quit;
    wi_warp_counts counts; /* of all, at the last fetch */
    int stopping; /* 1: no PE handles anything for good until the next round's end; 2: limit_ps is where it stops */
    _Alignas(128) _Atomic uint32_t round, ask, published;
    _Alignas(128) _Atomic weir_time gvt_ps;
    _Atomic weir_time limit_ps;
    _Atomic weir_time fault_ps;  /* of the earliest fault that is certain; WEIR_TIME_MAX: none */
    _Atomic uint32_t halt;       /* not 0: all come to a barrier */
    _Atomic uint32_t hurry;      /* a PE waits for the GVT */
    _Atomic weir_time abroad_ps; /* the least that other ranks have promised */
    wi_mailbox outbound;         /* blocks for other ranks */
};

/* Events from then on are not handled in this run. */
static inline weir_time wi_optimistic_limit(const wi_optimistic *engine)
{
    const weir_time limit_ps = atomic_load_explicit(&engine->limit_ps, memory_order_relaxed);
    const weir_time fault_ps = atomic_load_explicit(&engine->fault_ps, memory_order_relaxed);
    return fault_ps < limit_ps ? fault_ps + 1 : limit_ps;
}

static inline weir_time wi_time_later(weir_time at_ps, weir_time by_ps)
{
    return at_ps < WEIR_TIME_MAX - by_ps ? at_ps + by_ps : WEIR_TIME_MAX;
}

/* make.c: sim->engine, whose threads but the calling one run thread_main; and freeing it. */
weir_status wi_optimistic_make(weir_diag *diag, weir_sim *sim, void *(*thread_main)(void *pe));
void wi_optimistic_free(weir_sim *sim);

/* The part that has an entity. */
static inline uint32_t wi_pe_of(const wi_pe *pe, uint32_t entity)
{
    return pe->engine->sends ? pe->engine->crew.partition.part[entity] : pe->number;
}

/* pe.c: one turn: mail, GVT, and some events. Returns whether there was anything to do. */
int wi_pe_turn(wi_pe *pe);
/* Events between looks at mail and GVT, and at what the others promise. */
enum { WI_EVENTS_A_TURN = 256, WI_EVENTS_A_LOOK = 16 };
/* A stretch of safe events, about; and turns that wait for something safe before going ahead: a promise is a stretch away
 * mostly, and an event ahead costs as much as two that are safe. */
enum { WI_EVENTS_A_STRETCH = 128, WI_PATIENCE = 32 };
/* promise.c: begin a run at a time; see what the others promise; promise something oneself. */
void wi_pe_promise_nothing(wi_pe *pe, weir_time now_ps);
void wi_pe_hear(wi_pe *pe);
void wi_pe_promise(wi_pe *pe);
/* rollback.c: take back what the entity has handled from `event` on, in its order; returns how many. */
uint32_t wi_pe_rollback(wi_pe *pe, uint32_t entity, const weir_event *event);
/* The same for all entities, from a time on. */
void wi_pe_rollback_all(wi_pe *pe, weir_time from_ps);
/* Put an event where its target is; and into the mail for another PE, under an instance. */
void wi_pe_send(wi_pe *pe, const weir_event *event);
void wi_pe_post(wi_pe *pe, uint32_t to, const weir_event *event, uint16_t instance);
/* Into the PE's own pending set. */
void wi_pe_add(wi_pe *pe, const weir_event *event);

/* mail.c */
void wi_pe_flush(wi_pe *pe);
/* Take in what has come; returns whether there was anything. */
int wi_pe_drain(wi_pe *pe);
void wi_pe_mail_free(wi_pe *pe);

/* Commit what is earlier than gvt_ps. */
void wi_pe_commit(wi_pe *pe, weir_time gvt_ps);
enum { WI_HALT_RECORDS = 1, WI_HALT_ENDED = 2 };
/* gvt.c: a PE's part in it, then that of thread 0. */
void wi_pe_gvt(wi_pe *pe);
void wi_gvt_drive(wi_optimistic *engine);

/* touches.c: around a handling that may be taken back, while pe->looks has its type; `before` returns whether `after` is
 * due. */
enum { WI_TOUCH_LOOKS = 16 };
int wi_touches_init(wi_pe *pe);
void wi_touches_free(wi_pe *pe);
int wi_touches_before(wi_pe *pe, const weir_event *event);
void wi_touches_after(wi_pe *pe, const weir_event *event);

/* stress.c: for tests. Whether a random delay keeps the PE from handling events, or from what it would do now. */
int wi_stress_holds(wi_pe *pe);
int wi_stress_skips(wi_pe *pe);
/* Mail has come: what is not late, of that and of what was. */
wi_mail *wi_stress_mail(wi_pe *pe, wi_mail *came);

/* remote.c: between ranks, by thread 0. Returns whether there was anything. */
int wi_remote_progress(wi_optimistic *engine);
/* Ranks have promised nothing since a time. */
void wi_remote_begin(wi_optimistic *engine, weir_time now_ps);
/* Deliver everything that has been sent; collective. */
void wi_remote_settle(wi_optimistic *engine);
void wi_remote_free(wi_optimistic *engine);
/* Begin telling; and whether all have told: then engine->tells has it. */
void wi_remote_tell(wi_optimistic *engine);
int wi_remote_told(wi_optimistic *engine);

#endif
