/*
 * Programs of ranks: actions one after the other, in iterations. Messages are sent eagerly up to a size, larger ones after
 * a question and an answer (rendezvous).
 *
 * A send is done when its last chunk has left the terminal, a receive when the message is whole. Messages from one
 * source with one key (the tag, or the kind of a collective) are matched in order; what comes before its receive is
 * counted in chunks, so that a rank that runs ahead takes no memory: chunks of two such messages are not distinguished.
 *
 * Packets have another machine (net/transport/program.h), whose operations may go on beside each other. It does not serve here.
 * It keeps state of each operation, and when each ended in each iteration; a rank here has a place in its program and the requests
 * under way, whatever the program's length, endless ones included. It knows of each message's receive before the run, where
 * here a message may wait for one for ever, which is an error at the end. And its steps are events: with an event a step
 * (IC_ACTIONS_AT_ONCE 1) all-reduces of 8 B take 5 % more events and 2.8 % more instructions, and the mean latency of the messages
 * of examples/interconnect/programs.yaml moves by up to 2 %, since equal times fall in another order. Steps of collectives
 * (jobs/collective.h), what ranks do, and where they are, both have from one place.
 */
#pragma once

#include "jobs/collective.h"
#include "models/interconnect/jobs/job.h"
#include "models/interconnect/world/world.h"

typedef struct ic_program {
    uint32_t first, n; /* of the table of actions */
} ic_program;

enum { IC_OWN = 12, IC_OWN_SEND = 0, IC_OWN_RECV = 1 }; /* requests of collectives and blocking calls */
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
    uint32_t action; /* that it comes from */
    uint32_t pad;
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

enum { IC_WAIT_NOT, IC_WAIT_TIME, IC_WAIT_OWN, IC_WAIT_ALL, IC_WAIT_SLOT };

/* A rank's place in its program. */
typedef struct ic_rank {
    uint32_t action, step, iteration;
    uint32_t wait;      /* what for; from IC_WAIT_SLOT on a request's slot */
    uint32_t open, own; /* requests that are not done, and those of them that are a collective's */
    uint32_t order;
    uint32_t head, tail; /* the terminal's queue: slots from 1 */
    uint32_t sending;    /* slot from 1 of what is on the channel */
    uint32_t ended, pad;
    weir_time began_ps; /* the action */
    weir_time turn_ps;  /* the iteration */
    weir_time ended_ps;
} ic_rank;

enum { IC_POOL_RANKS = 1, IC_POOL_REQUESTS, IC_POOL_INBOX, IC_POOLS };
enum { IC_ACTIONS_AT_ONCE = 64 }; /* then the rest comes 1 ps later */

/* Counters of each job with a program, behind all others. */
enum {
    IC_PROG_ITERATIONS,
    IC_PROG_ITERATION_PS, /* sum over ranks and iterations */
    IC_PROG_MESSAGES,     /* received by programs */
    IC_PROG_MESSAGE_PS,   /* from the first chunk into the network to the last one out of it */
    IC_PROG_ENDED,        /* ranks */
    IC_PROG_OPS,          /* of each kind of action how many, and their time */
    IC_PROG_BINS = IC_PROG_OPS + 2 * JOB_OPS, /* histogram of messages' times */
    IC_PROG_COUNTERS = IC_PROG_BINS + IC_LATENCY_BINS
};

/* A rank under an event. */
typedef struct ic_prog {
    weir_ctx *ctx;
    const ic_world *w;
    const ic_job_world *job;
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
    r->state = IC_REQUEST_FREE;
    p->rank->open--;
    if (slot < IC_OWN)
        p->rank->own--;
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
    ic_prog_count(p, IC_PROG_MESSAGE_PS, took_ps);
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

WEIR_FN ic_request *ic_request_begin(const ic_prog *p, uint32_t slot, uint32_t peer, uint32_t key,
                                     uint64_t bytes)
{
    ic_request *r = ic_request_at(p, slot);
    weir_touch(p->ctx, r, sizeof *r);
    r->peer = IC_TABLE(p->w, uint32_t, p->w->rank_terminal_at)[p->job->first + peer];
    r->key = key;
    r->chunks = ic_chunks_of(p->w, bytes);
    r->order = p->rank->order++;
    r->made_ps = p->ctx->now_ps;
    r->action = p->rank->action;
    p->rank->open++;
    if (slot < IC_OWN)
        p->rank->own++;
    return r;
}

WEIR_FN void ic_post_send(const ic_prog *p, uint32_t slot, uint32_t to, uint32_t key, uint64_t bytes)
{
    ic_request *r = ic_request_begin(p, slot, to, key, bytes);
    ic_queue_request(p, slot, r, bytes > p->job->eager_bytes ? IC_REQUEST_ASK : IC_REQUEST_READY);
}

WEIR_FN void ic_post_receive(const ic_prog *p, uint32_t slot, uint32_t from, uint32_t key, uint64_t bytes)
{
    ic_request *r = ic_request_begin(p, slot, from, key, bytes);
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

WEIR_FN int ic_prog_waits(const ic_prog *p)
{
    switch (p->rank->wait) {
    case IC_WAIT_NOT:
        return 0;
    case IC_WAIT_TIME:
        return 1; /* IC_RESUME ends it */
    case IC_WAIT_OWN:
        return p->rank->own > 0;
    case IC_WAIT_ALL:
        return p->rank->open > 0;
    default:
        return ic_request_at(p, p->rank->wait - IC_WAIT_SLOT)->state != IC_REQUEST_FREE;
    }
}

WEIR_FN void ic_prog_sleep(const ic_prog *p, weir_time for_ps)
{
    weir_schedule(p->ctx, p->ctx->entity, IC_RESUME, for_ps);
    p->rank->wait = IC_WAIT_TIME;
}

/* The next step of an action; 0: it is over. */
WEIR_FN int ic_prog_step(const ic_prog *p, const job_action *a)
{
    ic_rank *rank = p->rank;
    const uint32_t step = rank->step++, collective = IC_KEY_COLLECTIVE | a->op;
    job_collective c;
    job_step s;
    switch (a->op) {
    case JOB_OP_COMPUTE:
        if (step || a->time_ps < 1)
            return 0;
        ic_prog_sleep(p, a->time_ps);
        return 1;
    case JOB_OP_ISEND:
        ic_post_send(p, IC_OWN + a->slot, a->peer, a->key, a->bytes);
        return 0;
    case JOB_OP_IRECV:
        ic_post_receive(p, IC_OWN + a->slot, a->peer, a->key, a->bytes);
        return 0;
    case JOB_OP_SEND:
    case JOB_OP_RECV:
        if (step)
            return 0;
        if (a->op == JOB_OP_SEND)
            ic_post_send(p, IC_OWN_SEND, a->peer, a->key, a->bytes);
        else
            ic_post_receive(p, IC_OWN_RECV, a->peer, a->key, a->bytes);
        rank->wait = IC_WAIT_OWN;
        return 1;
    case JOB_OP_WAIT:
    case JOB_OP_WAITALL:
        if (step)
            return 0;
        rank->wait = a->op == JOB_OP_WAITALL ? (uint32_t)IC_WAIT_ALL : IC_WAIT_SLOT + IC_OWN + a->slot;
        return 1;
    case JOB_OP_EXCHANGE:
        if (step)
            return 0;
        for (uint32_t i = 0; i < 6; i++) { /* what goes up at one end comes from below at the other */
            const uint32_t from = job_grid_neighbour(p->job->grid, p->number, i ^ 1);
            if (from != p->number)
                ic_post_receive(p, 6 + i, from, collective, a->bytes);
        }
        for (uint32_t i = 0; i < 6; i++) {
            const uint32_t to = job_grid_neighbour(p->job->grid, p->number, i);
            if (to != p->number)
                ic_post_send(p, i, to, collective, a->bytes);
        }
        rank->wait = IC_WAIT_OWN;
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
            ic_post_receive(p, IC_OWN_RECV, s.from, collective, s.from_bytes);
        if (s.to != JOB_NOBODY)
            ic_post_send(p, IC_OWN_SEND, s.to, collective, s.to_bytes);
        rank->wait = IC_WAIT_OWN;
        return 1;
    }
}

/* An action is over: the next one, the next iteration, or the end. */
WEIR_FN void ic_prog_next(const ic_prog *p, const ic_program *program, const job_action *a)
{
    ic_rank *rank = p->rank;
    const weir_time now_ps = p->ctx->now_ps;
    ic_prog_count(p, IC_PROG_OPS + 2u * a->op, 1);
    ic_prog_count(p, IC_PROG_OPS + 2u * a->op + 1, now_ps - rank->began_ps);
    rank->step = 0;
    rank->action++;
    if (rank->action < program->n)
        return;
    ic_prog_count(p, IC_PROG_ITERATIONS, 1);
    ic_prog_count(p, IC_PROG_ITERATION_PS, now_ps - rank->turn_ps);
    rank->turn_ps = now_ps;
    rank->action = 0;
    rank->iteration++;
    if (rank->iteration != p->job->iterations && now_ps < p->job->stop_ps)
        return;
    rank->ended = 1;
    rank->ended_ps = now_ps;
    ic_prog_count(p, IC_PROG_ENDED, 1);
}

/* Go on until the program waits for something. */
WEIR_FN void ic_prog_run(const ic_prog *p)
{
    ic_rank *rank = p->rank;
    const ic_program *program = IC_TABLE(p->w, ic_program, p->w->programs_at) + p->ctx->entity;
    const job_action *actions = IC_TABLE(p->w, job_action, p->w->actions_at) + program->first;
    for (uint32_t i = 0; !rank->ended && !ic_prog_waits(p); i++) {
        const job_action *a = actions + rank->action;
        rank->wait = IC_WAIT_NOT;
        if (i == IC_ACTIONS_AT_ONCE) {
            ic_prog_sleep(p, 1);
            return;
        }
        if (rank->step == 0)
            rank->began_ps = p->ctx->now_ps;
        if (!ic_prog_step(p, a))
            ic_prog_next(p, program, a);
    }
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
