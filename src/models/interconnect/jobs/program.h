/*
 * Programs of ranks: actions in iterations, in lanes that go on beside each other, each one after the other. Messages are sent
 * eagerly up to a size, larger ones after a question and an answer (rendezvous). All lanes share the terminal's channel, in the order
 * in which they come to it, and the rank's processors, which each serve one computation at a time.
 *
 * A send is done when its last chunk has left the terminal, a receive when the message is whole. Messages from one
 * source with one key (the tag, or the kind of a collective) are matched in order; what comes before its receive is
 * counted in chunks, so that a rank that runs ahead takes no memory: chunks of two such messages are not distinguished.
 *
 * Packets have another machine (net/transport/program.h). It keeps state of each operation; a rank here has a place in each lane and
 * the requests under way, whatever the program's length, endless ones included. It knows of each message's receive before the run,
 * where here a message may wait for one for ever, which is an error at the end. And it knows no rendezvous. Steps of collectives
 * (jobs/collective.h), what ranks do, where they are, and results, both have from one place.
 */
#pragma once

#include "jobs/collective.h"
#include "models/interconnect/jobs/job.h"
#include "models/interconnect/world/world.h"

/* Of a terminal. */
typedef struct ic_program {
    uint32_t first_lane, n_lanes; /* of the table of lanes */
    uint32_t own;                 /* requests of each lane, for collectives and blocking calls */
    uint32_t n_ops;               /* whose ends are noted; 0: none are */
} ic_program;

typedef struct ic_lane_actions {
    uint32_t first, n; /* of the table of actions */
} ic_lane_actions;

enum {
    IC_OWN_ALONE = 12,
    IC_OWN_BESIDE = 2,
    IC_OWN_SEND = 0,
    IC_OWN_RECV = 1
}; /* beside others without exchanges */
#define IC_KEY_COLLECTIVE UINT32_C(0x80000000)

/* States of a request. */
enum {
    IC_REQUEST_FREE,
    IC_REQUEST_ASK,    /* send: the question waits for the channel */
    IC_REQUEST_ASKED,  /* send: no answer yet */
    IC_REQUEST_READY,  /* send: the message waits for the channel, or is on it */
    IC_REQUEST_LISTEN, /* receive: no question yet */
    IC_REQUEST_ANSWER, /* receive: the answer waits for the channel */
    IC_REQUEST_POSTED  /* receive: the message may come */
};

typedef struct ic_request {
    uint32_t peer; /* terminal */
    uint32_t key, chunks, state;
    uint32_t order;  /* number at its rank */
    uint32_t next;   /* in the terminal's queue, from 1 */
    uint32_t action; /* that it comes from, of the rank's */
    uint32_t iteration;
    weir_time made_ps; /* when the program came to it */
} ic_request;

/* What came from one source with one key and no receive has taken. */
typedef struct ic_inbox {
    uint32_t source; /* terminal, from 1; 0: a free entry */
    uint32_t key;
    uint32_t asks, pad;
    uint64_t chunks;
    weir_time born_ps; /* when the first of these chunks set out */
    weir_time came_ps; /* when the last of them came */
} ic_inbox;

enum { IC_WAIT_NOT, IC_WAIT_TIME, IC_WAIT_OWN, IC_WAIT_ALL, IC_WAIT_LANE, IC_WAIT_SLOT };

/* A rank's place in a lane of its program. */
typedef struct ic_lane {
    uint32_t action, step; /* action: those of it when it is over */
    uint32_t wait;         /* what for; from IC_WAIT_SLOT on a request's slot */
    uint32_t own;          /* its own requests that are not done */
    weir_time began_ps;    /* the action */
    weir_time until_ps;    /* of IC_WAIT_TIME */
    weir_time busy_ps;     /* until when the processor of this number is */
} ic_lane;

/* A rank. */
typedef struct ic_rank {
    uint32_t iteration, over; /* over: lanes, in this iteration */
    uint32_t open;            /* requests that are not done */
    uint32_t order;
    uint32_t head, tail; /* the terminal's queue: slots from 1 */
    uint32_t sending;    /* slot from 1 of what is on the channel */
    uint32_t ended, pad;
    weir_time wake_ps; /* when a lane that waits for a time goes on, as an event will say */
    weir_time turn_ps; /* the iteration */
    weir_time ended_ps;
} ic_rank;

/* Of TIMES a rank has, iteration by iteration, when it began, then when each operation ended: a picosecond more; 0: not yet. */
enum { IC_POOL_RANKS = 1, IC_POOL_REQUESTS, IC_POOL_INBOX, IC_POOL_LANES, IC_POOL_TIMES, IC_POOLS };
enum { IC_ACTIONS_AT_ONCE = 64 }; /* then the rest comes 1 ps later */

/* Counters of each job with a program, behind all others. */
enum {
    IC_PROG_ITERATIONS,
    IC_PROG_ITERATION_PS, /* sum over ranks and iterations */
    IC_PROG_MESSAGES,     /* received by programs */
    IC_PROG_MESSAGE_PS,   /* from the first chunk into the network to the last one out of it */
    IC_PROG_ENDED,        /* ranks */
    IC_PROG_OPS,          /* of each kind of action how many, and their time */
    IC_PROG_BINS = IC_PROG_OPS + 2 * JOB_OPS,       /* histogram of messages' times */
    IC_PROG_CARRY = IC_PROG_BINS + IC_LATENCY_BINS, /* as IC_CARRY */
    IC_PROG_COUNTERS = IC_PROG_CARRY + IC_CARRIES
};

/* A rank under an event. */
typedef struct ic_prog {
    weir_ctx *ctx;
    const ic_world *w;
    const ic_job_world *job;
    const ic_program *program;
    ic_rank *rank;
    weir_time *due_ps; /* the terminal's: of its next message */
    uint32_t number, job_number;
} ic_prog;

WEIR_FN ic_prog ic_prog_of(weir_ctx *ctx, const ic_world *w, const ic_job_world *job, weir_time *due_ps)
{
    ic_prog p;
    p.ctx = ctx;
    p.w = w;
    p.job = job;
    p.due_ps = due_ps;
    p.job_number = IC_TABLE(w, uint32_t, w->terminal_job_at)[ctx->entity];
    p.number = IC_TABLE(w, uint32_t, w->terminal_rank_at)[ctx->entity];
    p.program = IC_TABLE(w, ic_program, w->programs_at) + ctx->entity;
    p.rank = (ic_rank *)weir_slot(ctx, IC_POOL_RANKS, IC_TABLE(w, uint32_t, w->rank_first_at)[ctx->entity],
                                  (uint32_t)sizeof(ic_rank));
    weir_touch(ctx, p.rank, sizeof *p.rank);
    return p;
}

WEIR_FN ic_request *ic_request_at(const ic_prog *p, uint32_t slot)
{
    return (ic_request *)weir_slot(p->ctx, IC_POOL_REQUESTS,
                                   IC_TABLE(p->w, uint32_t, p->w->request_first_at)[p->ctx->entity] + slot,
                                   (uint32_t)sizeof(ic_request));
}

WEIR_FN ic_lane *ic_lane_at(const ic_prog *p, uint32_t number)
{
    return (ic_lane *)weir_slot(p->ctx, IC_POOL_LANES,
                                IC_TABLE(p->w, uint32_t, p->w->lane_first_at)[p->ctx->entity] + number,
                                (uint32_t)sizeof(ic_lane));
}

/* Actions of a lane, and of a rank from its first lane's first on. */
WEIR_FN const ic_lane_actions *ic_lane_actions_of(const ic_prog *p, uint32_t number)
{
    return IC_TABLE(p->w, ic_lane_actions, p->w->lanes_at) + p->program->first_lane + number;
}

WEIR_FN const job_action *ic_actions(const ic_prog *p)
{
    return IC_TABLE(p->w, job_action, p->w->actions_at) + ic_lane_actions_of(p, 0)->first;
}

/* Note a time of an iteration: of its beginning, 0, or of the end of an operation, from 1. */
WEIR_FN void ic_prog_note(const ic_prog *p, uint32_t iteration, uint32_t what)
{
    if (p->program->n_ops == 0)
        return;
    weir_time *at = (weir_time *)weir_slot(p->ctx, IC_POOL_TIMES,
                                           IC_TABLE(p->w, uint32_t, p->w->times_first_at)[p->ctx->entity] +
                                               iteration * (p->program->n_ops + 1u) + what,
                                           (uint32_t)sizeof *at);
    weir_touch(p->ctx, at, sizeof *at);
    *at = p->ctx->now_ps + 1;
}

WEIR_FN uint32_t ic_requests(const ic_prog *p)
{
    const uint32_t *first = IC_TABLE(p->w, uint32_t, p->w->request_first_at) + p->ctx->entity;
    return first[1] - first[0];
}

/* The entry of a source and key, made where there is none yet. */
WEIR_FN ic_inbox *ic_inbox_of(const ic_prog *p, uint32_t source, uint32_t key)
{
    const uint32_t *first = IC_TABLE(p->w, uint32_t, p->w->inbox_first_at) + p->ctx->entity;
    const uint32_t room = first[1] - first[0]; /* a power of two, never full */
    uint32_t at = (uint32_t)(ic_packet_bits(source, key, 3) >> 32);
    ic_inbox *entry = (ic_inbox *)0;
    for (uint32_t i = 0; i < room; i++, at++) {
        entry = (ic_inbox *)weir_slot(p->ctx, IC_POOL_INBOX, first[0] + (at & (room - 1)),
                                      (uint32_t)sizeof(ic_inbox));
        if (entry->source == 0 || (entry->source == source + 1 && entry->key == key))
            break;
    }
    weir_touch(p->ctx, entry, sizeof *entry);
    if (entry->source == 0) {
        entry->source = source + 1;
        entry->key = key;
    }
    return entry;
}

WEIR_FN void ic_prog_count(const ic_prog *p, uint32_t what, int64_t delta)
{
    weir_count(p->ctx, p->w->program_counters + (uint64_t)p->job_number * IC_PROG_COUNTERS + what, delta);
}

WEIR_FN void ic_prog_count_ps(const ic_prog *p, uint32_t what, weir_time span_ps)
{
    ic_prog_count(p, what, span_ps & UINT32_MAX);
    if (span_ps >> 32)
        ic_prog_count(p, IC_PROG_CARRY + what, span_ps >> 32);
}

/* Put a request behind the others that wait for the channel. */
WEIR_FN void ic_queue_request(const ic_prog *p, uint32_t slot, ic_request *r, uint32_t state)
{
    r->state = state;
    r->next = 0;
    if (p->rank->tail) {
        ic_request *last = ic_request_at(p, p->rank->tail - 1);
        weir_touch(p->ctx, last, sizeof *last);
        last->next = slot + 1;
    } else {
        p->rank->head = slot + 1;
        *p->due_ps = p->ctx->now_ps;
    }
    p->rank->tail = slot + 1;
}

WEIR_FN void ic_request_done(const ic_prog *p, uint32_t slot, ic_request *r)
{
    const uint32_t own = p->program->own, ends = ic_actions(p)[r->action].ends;
    r->state = IC_REQUEST_FREE;
    p->rank->open--;
    if (slot < own * p->program->n_lanes) {
        ic_lane *lane = ic_lane_at(p, slot / own);
        weir_touch(p->ctx, lane, sizeof *lane);
        lane->own--;
    } else if (ends) {
        ic_prog_note(p, r->iteration, ends);
    }
}

/* A receive takes its message, if all of it is there. */
WEIR_FN void ic_match(const ic_prog *p, uint32_t slot, ic_request *r, ic_inbox *in)
{
    if (r->state != IC_REQUEST_POSTED || in->chunks < r->chunks)
        return;
    const weir_time took_ps = in->came_ps - in->born_ps;
    in->chunks -= r->chunks;
    in->born_ps = in->came_ps; /* what is left, where there is any, came with it */
    ic_prog_count(p, IC_PROG_MESSAGES, 1);
    ic_prog_count_ps(p, IC_PROG_MESSAGE_PS, took_ps);
    ic_prog_count(p, IC_PROG_BINS + ic_latency_bin(took_ps), 1);
    ic_request_done(p, slot, r);
}

/* The oldest request in a state for a peer and key; IC_NONE: none. */
WEIR_FN uint32_t ic_oldest(const ic_prog *p, uint32_t state, uint32_t peer, uint32_t key)
{
    uint32_t best = IC_NONE, order = 0;
    const uint32_t n = ic_requests(p);
    for (uint32_t slot = 0; slot < n; slot++) {
        const ic_request *r = ic_request_at(p, slot);
        if (r->state == state && r->peer == peer && r->key == key &&
            (best == IC_NONE || weir_seq_before(r->order, order))) {
            best = slot;
            order = r->order;
        }
    }
    return best;
}

/* Slot of a request of a lane's own, and of another. */
WEIR_FN uint32_t ic_own_slot(const ic_prog *p, uint32_t lane, uint32_t i)
{
    return lane * p->program->own + i;
}

WEIR_FN uint32_t ic_free_slot(const ic_prog *p, uint32_t i)
{
    return p->program->n_lanes * p->program->own + i;
}

WEIR_FN ic_request *ic_request_begin(const ic_prog *p, uint32_t lane, uint32_t slot, uint32_t peer,
                                     uint32_t key, uint64_t bytes)
{
    ic_lane *at = ic_lane_at(p, lane); /* touched */
    ic_request *r = ic_request_at(p, slot);
    weir_touch(p->ctx, r, sizeof *r);
    r->peer = IC_TABLE(p->w, uint32_t, p->w->rank_terminal_at)[p->job->first + peer];
    r->key = key;
    r->chunks = ic_chunks_of(p->w, bytes);
    r->order = p->rank->order++;
    r->made_ps = p->ctx->now_ps;
    r->iteration = p->rank->iteration;
    r->action = ic_lane_actions_of(p, lane)->first - ic_lane_actions_of(p, 0)->first + at->action;
    p->rank->open++;
    if (slot < ic_free_slot(p, 0))
        at->own++;
    return r;
}

WEIR_FN void ic_post_send(const ic_prog *p, uint32_t lane, uint32_t slot, uint32_t to, uint32_t key,
                          uint64_t bytes)
{
    ic_request *r = ic_request_begin(p, lane, slot, to, key, bytes);
    ic_queue_request(p, slot, r, bytes > p->job->eager_bytes ? IC_REQUEST_ASK : IC_REQUEST_READY);
}

WEIR_FN void ic_post_receive(const ic_prog *p, uint32_t lane, uint32_t slot, uint32_t from, uint32_t key,
                             uint64_t bytes)
{
    ic_request *r = ic_request_begin(p, lane, slot, from, key, bytes);
    ic_inbox *in = ic_inbox_of(p, r->peer, key);
    if (bytes <= p->job->eager_bytes) {
        r->state = IC_REQUEST_POSTED;
        ic_match(p, slot, r, in);
    } else if (in->asks > 0) {
        in->asks--;
        ic_queue_request(p, slot, r, IC_REQUEST_ANSWER);
    } else {
        r->state = IC_REQUEST_LISTEN;
    }
}

WEIR_FN int ic_prog_waits(const ic_prog *p, uint32_t number, const ic_lane *lane)
{
    const ic_lane_actions *mine = ic_lane_actions_of(p, number);
    if (lane->action == mine->n)
        return 1; /* for the next iteration */
    switch (lane->wait) {
    case IC_WAIT_NOT:
        return 0;
    case IC_WAIT_TIME:
        return 1; /* IC_RESUME ends it */
    case IC_WAIT_OWN:
        return lane->own > 0;
    case IC_WAIT_ALL:
        return p->rank->open > 0;
    case IC_WAIT_LANE: {
        const job_action *a = IC_TABLE(p->w, job_action, p->w->actions_at) + mine->first + lane->action;
        return ic_lane_at(p, a->lane - 1u)->action <= a->slot;
    }
    default:
        return ic_request_at(p, lane->wait - IC_WAIT_SLOT)->state != IC_REQUEST_FREE;
    }
}

WEIR_FN void ic_prog_sleep(ic_lane *lane, weir_time until_ps)
{
    lane->until_ps = until_ps;
    lane->wait = IC_WAIT_TIME;
}

/* Compute on a processor, behind what it does. */
WEIR_FN void ic_prog_compute(const ic_prog *p, ic_lane *lane, const job_action *a)
{
    ic_lane *processor = ic_lane_at(p, a->slot);
    const weir_time now_ps = p->ctx->now_ps;
    weir_touch(p->ctx, processor, sizeof *processor);
    processor->busy_ps = (processor->busy_ps > now_ps ? processor->busy_ps : now_ps) + a->time_ps;
    ic_prog_sleep(lane, processor->busy_ps);
}

/* The next step of a lane's action; 0: it is over. */
WEIR_FN int ic_prog_step(const ic_prog *p, uint32_t number, ic_lane *lane, const job_action *a)
{
    const uint32_t step = lane->step++, collective = IC_KEY_COLLECTIVE | a->op,
                   send = ic_own_slot(p, number, IC_OWN_SEND), recv = ic_own_slot(p, number, IC_OWN_RECV);
    job_collective c;
    job_step s;
    switch (a->op) {
    case JOB_OP_COMPUTE:
        if (step || a->time_ps < 1)
            return 0;
        ic_prog_compute(p, lane, a);
        return 1;
    case JOB_OP_ISEND:
        ic_post_send(p, number, ic_free_slot(p, a->slot), a->peer, a->key, a->bytes);
        return 0;
    case JOB_OP_IRECV:
        ic_post_receive(p, number, ic_free_slot(p, a->slot), a->peer, a->key, a->bytes);
        return 0;
    case JOB_OP_SEND:
    case JOB_OP_RECV:
        if (step)
            return 0;
        if (a->op == JOB_OP_SEND)
            ic_post_send(p, number, send, a->peer, a->key, a->bytes);
        else
            ic_post_receive(p, number, recv, a->peer, a->key, a->bytes);
        lane->wait = IC_WAIT_OWN;
        return 1;
    case JOB_OP_WAIT:
    case JOB_OP_WAITALL:
        if (step)
            return 0;
        lane->wait = a->op == JOB_OP_WAITALL ? (uint32_t)IC_WAIT_ALL
                     : a->lane               ? (uint32_t)IC_WAIT_LANE
                                             : IC_WAIT_SLOT + ic_free_slot(p, a->slot);
        return 1;
    case JOB_OP_EXCHANGE:
        if (step)
            return 0;
        for (uint32_t i = 0; i < 6; i++) { /* what goes up at one end comes from below at the other */
            const uint32_t from = job_grid_neighbour(p->job->grid, p->number, i ^ 1);
            if (from != p->number)
                ic_post_receive(p, number, ic_own_slot(p, number, 6 + i), from, collective, a->bytes);
        }
        for (uint32_t i = 0; i < 6; i++) {
            const uint32_t to = job_grid_neighbour(p->job->grid, p->number, i);
            if (to != p->number)
                ic_post_send(p, number, ic_own_slot(p, number, i), to, collective, a->bytes);
        }
        lane->wait = IC_WAIT_OWN;
        return 1;
    default:
        c.op = a->op;
        c.algorithm = a->algorithm;
        c.rank = p->number;
        c.p = p->job->n_ranks;
        c.root = a->peer;
        c.bytes = a->bytes;
        if (!job_collective_step(&c, step, &s))
            return 0;
        if (s.from != JOB_NOBODY)
            ic_post_receive(p, number, recv, s.from, collective, s.from_bytes);
        if (s.to != JOB_NOBODY)
            ic_post_send(p, number, send, s.to, collective, s.to_bytes);
        lane->wait = IC_WAIT_OWN;
        return 1;
    }
}

/* All lanes are over: the next iteration, or the end. */
WEIR_FN void ic_prog_turn(const ic_prog *p)
{
    ic_rank *rank = p->rank;
    const weir_time now_ps = p->ctx->now_ps;
    ic_prog_count(p, IC_PROG_ITERATIONS, 1);
    ic_prog_count_ps(p, IC_PROG_ITERATION_PS, now_ps - rank->turn_ps);
    rank->turn_ps = now_ps;
    rank->over = 0;
    rank->iteration++;
    for (uint32_t i = 0; i < p->program->n_lanes; i++) {
        ic_lane *lane = ic_lane_at(p, i);
        weir_touch(p->ctx, lane, sizeof *lane);
        lane->action = 0;
    }
    if (rank->iteration != p->job->iterations && now_ps < p->job->stop_ps) {
        ic_prog_note(p, p->rank->iteration, 0);
        return;
    }
    rank->ended = 1;
    rank->ended_ps = now_ps;
    ic_prog_count(p, IC_PROG_ENDED, 1);
}

/* An action is over: the lane's next one, or the lane is. */
WEIR_FN void ic_prog_next(const ic_prog *p, uint32_t number, ic_lane *lane, const job_action *a)
{
    ic_prog_count(p, IC_PROG_OPS + 2u * a->op, 1);
    ic_prog_count_ps(p, IC_PROG_OPS + 2u * a->op + 1, p->ctx->now_ps - lane->began_ps);
    if (a->ends && a->op != JOB_OP_ISEND && a->op != JOB_OP_IRECV) /* those end with their requests */
        ic_prog_note(p, p->rank->iteration, a->ends);
    lane->step = 0;
    lane->action++;
    if (lane->action == ic_lane_actions_of(p, number)->n && ++p->rank->over == p->program->n_lanes)
        ic_prog_turn(p);
}

/* A lane goes on until it waits for something. Returns whether it did. `*at_once` counts actions of all lanes. */
WEIR_FN int ic_lane_run(const ic_prog *p, uint32_t number, uint32_t *at_once)
{
    ic_lane *lane = ic_lane_at(p, number);
    int goes_on = 0;
    for (; !p->rank->ended && !ic_prog_waits(p, number, lane); ++*at_once) {
        const job_action *a = IC_TABLE(p->w, job_action, p->w->actions_at) +
                              ic_lane_actions_of(p, number)->first + lane->action;
        weir_touch(p->ctx, lane, sizeof *lane);
        goes_on = 1;
        lane->wait = IC_WAIT_NOT;
        if (*at_once >= IC_ACTIONS_AT_ONCE) {
            ic_prog_sleep(lane, p->ctx->now_ps + 1);
            break;
        }
        if (lane->step == 0)
            lane->began_ps = p->ctx->now_ps;
        if (!ic_prog_step(p, number, lane, a))
            ic_prog_next(p, number, lane, a);
    }
    return goes_on;
}

/* Go on until all lanes wait for something, and see to it that the first that waits for a time is told. */
WEIR_FN void ic_prog_run(const ic_prog *p)
{
    const uint32_t n = p->program->n_lanes;
    weir_time first_ps = WEIR_TIME_MAX;
    uint32_t at_once = 0;
    for (int again = 1; again && !p->rank->ended;) {
        again = 0;
        for (uint32_t i = 0; i < n; i++)
            again |= ic_lane_run(p, i, &at_once);
        again &= n > 1;
    }
    for (uint32_t i = 0; i < n; i++) {
        const ic_lane *lane = ic_lane_at(p, i);
        if (lane->wait == IC_WAIT_TIME && lane->until_ps < first_ps)
            first_ps = lane->until_ps;
    }
    if (p->rank->ended || first_ps == WEIR_TIME_MAX ||
        (p->rank->wake_ps >= p->ctx->now_ps && p->rank->wake_ps <= first_ps))
        return;
    p->rank->wake_ps = first_ps;
    weir_schedule_at(p->ctx, p->ctx->entity, IC_RESUME, first_ps);
}

/* A rank begins, at a time. */
WEIR_FN void ic_prog_begin(const ic_prog *p, weir_time at_ps)
{
    for (uint32_t i = 0; i < p->program->n_lanes; i++)
        ic_prog_sleep(ic_lane_at(p, i), at_ps);
    p->rank->wake_ps = at_ps;
    weir_schedule_at(p->ctx, p->ctx->entity, IC_RESUME, at_ps);
}

/* What lanes wait for a time until now go on. */
WEIR_FN void ic_prog_resume(const ic_prog *p)
{
    if (p->rank->iteration == 0 && p->rank->over == 0 && ic_lane_at(p, 0)->action == 0 &&
        ic_lane_at(p, 0)->step == 0) {
        p->rank->turn_ps = p->ctx->now_ps;
        ic_prog_note(p, p->rank->iteration, 0);
    }
    if (p->rank->wake_ps <= p->ctx->now_ps)
        p->rank->wake_ps = -1;
    for (uint32_t i = 0; i < p->program->n_lanes; i++) {
        ic_lane *lane = ic_lane_at(p, i);
        if (lane->wait != IC_WAIT_TIME || lane->until_ps > p->ctx->now_ps)
            continue;
        weir_touch(p->ctx, lane, sizeof *lane);
        lane->wait = IC_WAIT_NOT;
    }
    ic_prog_run(p);
}

/* What was on the channel has left. */
WEIR_FN void ic_prog_sent(const ic_prog *p)
{
    const uint32_t slot = p->rank->sending - 1;
    ic_request *r = ic_request_at(p, slot);
    weir_touch(p->ctx, r, sizeof *r);
    p->rank->sending = 0;
    if (r->state == IC_REQUEST_ASK)
        r->state = IC_REQUEST_ASKED;
    else if (r->state == IC_REQUEST_READY)
        ic_request_done(p, slot, r);
    else { /* the answer */
        r->state = IC_REQUEST_POSTED;
        ic_match(p, slot, r, ic_inbox_of(p, r->peer, r->key));
    }
}

/* The next request for the channel; null: none. */
WEIR_FN const ic_request *ic_prog_dequeue(const ic_prog *p)
{
    const uint32_t slot = p->rank->head;
    if (!slot)
        return (const ic_request *)0;
    const ic_request *r = ic_request_at(p, slot - 1);
    p->rank->sending = slot;
    p->rank->head = r->next;
    if (!r->next)
        p->rank->tail = 0;
    *p->due_ps = r->next ? p->ctx->now_ps : WEIR_TIME_MAX;
    return r;
}

/* A packet for the program. */
WEIR_FN void ic_prog_receive(const ic_prog *p, const ic_burst *b)
{
    uint32_t slot;
    ic_request *r;
    if ((b->mark & IC_KIND) == IC_MAY) {
        slot = ic_oldest(p, IC_REQUEST_ASKED, b->source, b->message);
        if (slot == IC_NONE)
            return; /* only where ranks disagree on sizes */
        r = ic_request_at(p, slot);
        weir_touch(p->ctx, r, sizeof *r);
        ic_queue_request(p, slot, r, IC_REQUEST_READY);
        return;
    }
    ic_inbox *in = ic_inbox_of(p, b->source, b->message);
    if ((b->mark & IC_KIND) == IC_ASK) {
        slot = ic_oldest(p, IC_REQUEST_LISTEN, b->source, b->message);
        if (slot == IC_NONE) {
            in->asks++;
            return;
        }
        r = ic_request_at(p, slot);
        weir_touch(p->ctx, r, sizeof *r);
        ic_queue_request(p, slot, r, IC_REQUEST_ANSWER);
        return;
    }
    if (in->chunks == 0 || b->born_ps < in->born_ps)
        in->born_ps = b->born_ps;
    in->chunks += b->size;
    in->came_ps = p->ctx->now_ps;
    while ((slot = ic_oldest(p, IC_REQUEST_POSTED, b->source, b->message)) != IC_NONE) {
        r = ic_request_at(p, slot);
        if (in->chunks < r->chunks)
            return;
        weir_touch(p->ctx, r, sizeof *r);
        ic_match(p, slot, r, in);
    }
}
