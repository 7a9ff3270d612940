/*
 * What the files of the optimistic engine share.
 *
 * A processing element (PE) is a thread and the entities of its partition. It handles its least event without asking the
 * others, logs what it needs to undo it, and rolls back the one entity that a straggler or an anti-message is for. Its LVT
 * is part.now_ps. docs/engines.md has the whole.
 */
#pragma once

#include "engine/parts/part_run.h"
#include "engine/parts/parts.h"
#include "ranks/mailbox.h"
#include "engine/rollback/history.h"
#include "engine/rollback/own.h"

/* Where an entity's handled events are. Sixteen bytes, so that one lies in one cache line. */
typedef struct wi_track {
    /* Address of its last wi_done, in 48 bits as all of a program's are; to be followed only if last_ps is not before
     * the GVT. And the instance of what the entity sends: it changes with each rollback, so that an anti-message finds
     * its own event. */
    uint64_t last : 48, instance : 16;
    weir_time last_ps; /* time of the last; -1: none */
} wi_track;
WEIR_STATIC_ASSERT(sizeof(wi_track) == 16, "no track lies in two cache lines");

/* The entity's last handled event. */
static inline wi_done *wi_track_last(const wi_track *track)
{
    return (wi_done *)(uintptr_t)track->last;
}

/* Make `last` the entity's last handled event. */
static inline void wi_track_set(wi_track *track, const wi_done *last, weir_time last_ps)
{
    track->last = (uintptr_t)last & ((UINT64_C(1) << 48) - 1);
    track->last_ps = last_ps;
}

/* Statistics of a run, added up over PEs and ranks. */
typedef struct wi_warp_counts {
    uint64_t handled, rolled_back; /* events; their difference is committed */
    uint64_t primary, secondary;   /* rollbacks of an entity, by a straggler and by an anti-message */
    uint64_t cancelled;            /* events that were sent and undone */
    uint64_t sent;                 /* events and anti-messages to other PEs */
    uint64_t safe;                 /* events handled without a log */
    uint64_t throttled;            /* times that a PE had no room to go on */
    uint64_t faults_undone;        /* faults of handlers that were rolled back */
    uint64_t peak_bytes;           /* of histories and mail */
} wi_warp_counts;
enum { WI_WARP_COUNTS = sizeof(wi_warp_counts) / sizeof(uint64_t) };

typedef struct wi_optimistic wi_optimistic;

/* What safe events send has an instance that no rollback ever cancels, whatever their entity's is. */
#define WI_INSTANCE_SAFE (WI_INSTANCE_ANTI - 1)

enum {
    WI_WARP_MEMORY = 1,  /* memory ran short */
    WI_WARP_STOP = 2,    /* the caller wants to stop */
    WI_WARP_RECORDS = 4, /* records should be handed out */
    WI_WARP_BROKEN = 8,  /* an anti-message without its event: a fault of weir */
    WI_WARP_MODEL = 16   /* a handler changes what it does not touch */
};

enum { WI_WARP_FATAL = WI_WARP_MEMORY | WI_WARP_MODEL | WI_WARP_BROKEN };

/* What a PE, or a rank, reports for a new GVT. */
typedef struct wi_gvt_report {
    int64_t transit; /* blocks of the colour before, sent less received; 0 in all: none is on its way */
    weir_time min_pending_ps; /* of what is pending */
    weir_time min_sent_ps;    /* of what was sent in the new colour */
    weir_time fault_ps;       /* of a fault that is certain; WEIR_TIME_MAX: none */
    weir_time last_safe_ps;   /* of the last safe event; -1: none */
    int64_t flags;            /* WI_WARP_... */
} wi_gvt_report;

typedef struct wi_pe {
    _Alignas(128) wi_part part; /* first: wi_parts has it, and the loop of part_run.h hands it on */
    wi_optimistic *engine;
    uint32_t thread, number; /* number: of the part */
    wi_history history;
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
    weir_time eit_ps;              /* earliest input time: the least EOT of the other PEs */
    /* GVT. */
    uint32_t round;         /* that it has begun: its last bit is the colour of what it sends */
    uint32_t reported;      /* for which it has reported */
    uint32_t published;     /* whose end it has seen */
    int stopping;           /* nothing is safe until the next round's end */
    weir_time gvt_ps;       /* the last that it has seen; what is earlier has been collected */
    weir_time safe_ps;      /* what it may yet receive is not before that */
    weir_time last_safe_ps; /* of the last safe event; -1: none in this run */
    uint32_t waited;        /* turns since the last safe event, up to WI_PATIENCE */
    weir_time span_ps;      /* of a stretch of safe events */
    weir_time ahead_ps; /* the latest that it has ever handled ahead: of later ones no track need be read */
    uint64_t handled_at_gvt, rolled_back_at_gvt;
    /* A fault: speculative ones wait until nothing can change them. */
    int stalled, faulted;
    weir_event stall; /* whose handling has a fault */
    uint32_t flags;
    uint32_t idle;         /* looks without anything to do */
    uint64_t stress;       /* state of the random delays; 0: none */
    uint32_t holding;      /* looks that a random delay still lasts */
    wi_mail *late;         /* mail that a random delay keeps, the oldest first */
    uint8_t *looks;        /* [types] handlings that are still to be compared (touches.c) */
    unsigned char *copies; /* of an entity, before and after */
    wi_own own;            /* what the entity had before */
    char wrong[400];       /* what the comparison has found; WI_WARP_MODEL is set then */
    wi_warp_counts counts;
    /* What other threads read. */
    _Alignas(128) wi_mailbox in;
    wi_mailbox returned; /* blocks that come back */
    _Alignas(128) _Atomic weir_time
        eot_ps; /* earliest output time: what it sends from now on is not before that */
    _Alignas(128) _Atomic uint32_t seen; /* `round` */
    _Atomic uint32_t answered;           /* `reported`: then `report` is whole */
    wi_gvt_report report;
    weir_time granted_ps; /* by thread 0: safe_ps, but for answers to what the PE has sent since its report */
} wi_pe;

enum { WI_GVT_IDLE, WI_GVT_COLOUR, WI_GVT_ASK, WI_GVT_RANKS };

struct wi_optimistic {
    wi_parts parts;  /* first: sim->engine is read as one */
    wi_pe *pe;       /* [threads] */
    wi_track *track; /* [entities] */
    uint32_t stride, mail_events;
    size_t most_bytes;      /* of a PE's history and mail */
    weir_time lookahead_ps; /* least of any entity */
    weir_time window_ps;    /* that a PE may be ahead of the GVT */
    uint64_t gvt_events;    /* that thread 0 handles between two rounds */
    int sends;              /* parts there are to send to */
    wi_barrier barrier;     /* of this rank's threads */
    /* The run under way. */
    weir_diag *diag;
    const volatile int *stop;
    int alone; /* the calling thread has all PEs' turns */
    uint32_t ended;
    int stopping; /* 1: nothing is safe until the next round's end; 2: limit_ps is where the run stops */
    /* GVT: thread 0 drives it. */
    int gvt_state;
    uint64_t next_gvt; /* events of thread 0 at which the next round is due */
    uint64_t rounds;
    wi_gvt_report report;   /* of this rank */
    wi_owned memory;        /* of what each rank has a part of */
    wi_gvt_report *reports; /* [ranks] */
    void *sharing;          /* of reports, under way */
    /* Mail of other ranks. */
    uint64_t mail_out, mail_in;   /* blocks to and from them */
    wi_mail **last_to;            /* [ranks] the last block for each, of those about to be sent */
    weir_time *eot_to, *eot_from; /* [ranks] last EOT that was sent, and that came */
    struct wi_sending *sending;
    wi_warp_counts counts; /* of all ranks, at the end of the last run */
    _Alignas(128) _Atomic uint32_t round, ask, published;
    _Alignas(128) _Atomic weir_time gvt_ps;
    _Atomic weir_time limit_ps;
    _Atomic weir_time fault_ps;      /* of the earliest fault that is certain; WEIR_TIME_MAX: none */
    _Atomic uint32_t halt;           /* not 0: all come to a barrier */
    _Atomic uint32_t hurry;          /* a PE waits for the GVT */
    _Atomic weir_time remote_eot_ps; /* the least EOT of the other ranks */
    wi_mailbox outbound;             /* blocks for other ranks */
};

/* Events from then on are not handled in this run. */
static inline weir_time wi_optimistic_limit(const wi_optimistic *engine)
{
    const weir_time limit_ps = atomic_load_explicit(&engine->limit_ps, memory_order_relaxed);
    const weir_time fault_ps = atomic_load_explicit(&engine->fault_ps, memory_order_relaxed);
    return fault_ps < limit_ps ? fault_ps + 1 : limit_ps;
}

/* make.c: make sim->engine, whose threads run `drive`. */
weir_status wi_optimistic_make(weir_diag *diag, weir_sim *sim,
                               void (*drive)(wi_parts *parts, uint32_t thread));
/* Join the threads and free sim->engine. */
void wi_optimistic_free(weir_sim *sim);

/* The part that has an entity. */
static inline uint32_t wi_pe_of(const wi_pe *pe, uint32_t entity)
{
    return pe->engine->sends ? pe->engine->parts.partition.part[entity] : pe->number;
}

/* pe.c: one turn: mail, GVT, and some events. Returns whether there was anything to do. */
int wi_pe_turn(wi_pe *pe);
/* Events between looks at mail and GVT, and between looks at the others' EOTs. */
enum { WI_EVENTS_A_TURN = 256, WI_EVENTS_A_LOOK = 16 };
/* A stretch of safe events, about; and turns that wait for something safe before handling ahead: a new EOT is a stretch away
 * mostly, and an event ahead costs as much as two that are safe. */
enum { WI_EVENTS_A_STRETCH = 128, WI_PATIENCE = 32 };

/* null_messages.c: begin a run: EOT and EIT are those of now_ps. */
void wi_pe_begin_eot(wi_pe *pe, weir_time now_ps);
/* Read the EOTs of the other PEs: the least is the EIT. */
void wi_pe_update_eit(wi_pe *pe);
/* Publish the PE's own EOT. */
void wi_pe_publish_eot(wi_pe *pe);

/* rollback.c: undo what an entity has handled from `event` on, in its order; returns how many events. */
uint32_t wi_pe_rollback(wi_pe *pe, uint32_t entity, const weir_event *event);
/* Roll back all entities to a time. */
void wi_pe_rollback_all(wi_pe *pe, weir_time from_ps);

/* mail.c: add an event to the PE's own pending set. */
void wi_pe_add(wi_pe *pe, const weir_event *event);
/* Post an event to another PE, under an instance. */
void wi_pe_post(wi_pe *pe, uint32_t to, const weir_event *event, uint16_t instance);
/* Add or post an event, as its target is the PE's own or not. */
void wi_pe_send(wi_pe *pe, const weir_event *event);
/* Send the blocks that are not full. */
void wi_pe_flush(wi_pe *pe);
/* Add the events that have come; returns whether there were any. */
int wi_pe_drain(wi_pe *pe);
/* Free all blocks. */
void wi_pe_mail_free(wi_pe *pe);

enum { WI_HALT_RECORDS = 1, WI_HALT_ENDED = 2 };
/* gvt.c: fossil collection: commit what is earlier than gvt_ps, and free its history. */
void wi_pe_fossil_collect(wi_pe *pe, weir_time gvt_ps);
/* A PE's part in a round: change colour, report, see the end. */
void wi_pe_gvt(wi_pe *pe);
/* Thread 0's part: begin rounds, ask for reports, publish a new GVT. */
void wi_gvt_drive(wi_optimistic *engine);

/* touches.c: around a handling ahead, while pe->looks has its type. */
enum { WI_TOUCH_LOOKS = 16 };
/* Allocate room for copies. False when memory is short. */
int wi_touches_init(wi_pe *pe);
/* Free that room. */
void wi_touches_free(wi_pe *pe);
/* Copy what the entity has. Returns whether wi_touches_after is due. */
int wi_touches_before(wi_pe *pe, const weir_event *event);
/* Compare what the log would restore with the copy; sets WI_WARP_MODEL where they differ. */
void wi_touches_after(wi_pe *pe, const weir_event *event);

/* stress.c, for tests: whether a random delay keeps the PE from handling events. */
int wi_stress_holds(wi_pe *pe);
/* Whether a random delay keeps the PE from what it would do now. */
int wi_stress_skips(wi_pe *pe);
/* Mail has come: returns what is not late, of that and of what was. */
wi_mail *wi_stress_mail(wi_pe *pe, wi_mail *came);

/* remote.c, all by thread 0: send and receive mail of other ranks. */
void wi_remote_progress(wi_optimistic *engine);
/* A run begins: EOTs between ranks are those of a time. */
void wi_remote_begin(wi_optimistic *engine, weir_time now_ps);
/* Deliver everything that has been sent; collective. */
void wi_remote_settle(wi_optimistic *engine);
/* Free blocks that were not sent. */
void wi_remote_free(wi_optimistic *engine);
/* Begin to share this rank's report. */
void wi_remote_share_report(wi_optimistic *engine);
/* Whether the reports of all ranks are in engine->reports. */
int wi_remote_has_reports(wi_optimistic *engine);
