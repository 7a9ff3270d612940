/*
 * Programs of a job's ranks, run by their hosts: operations that wait for each other, and what these send. A rank holds its place
 * in each operation, and makes the next message from a closed form when its turn has come (jobs/collective.h,
 * jobs/strand_step.h).
 *
 * An operation starts a picosecond after the last of what it waits for. A computation takes its time on one of the rank's
 * processors, which serve one at a time in the order in which they are wanted. A send ends as it starts; a larger one with its
 * last ACK. A receive ends when its message is there. A member of a collective goes through chains of steps, a strand each: a
 * step sends, and the next begins when what it receives has come, or, where it receives nothing, once a larger message is
 * acknowledged; in strands the operation's end waits for that, not the next step. Pieces of a part follow each other on a
 * connection: each once the one before is acknowledged, the first step's pieces first. Everything takes a picosecond, so that a
 * chain of n steps is n ps late. When all operations have ended the next iteration begins.
 *
 * What ranks of one server send to each other takes its time at the local rate on the sender's link, and is there the local
 * delay later.
 *
 * A message takes a slot of its rank, and where connections last the one whose connection to that rank has been idle for the
 * shortest time. Who finds none free waits in the rank's queue.
 */
#ifndef WI_NET_TRANSPORT_PROGRAM_H
#define WI_NET_TRANSPORT_PROGRAM_H

#include "net/packet/program.h"
#include "net/transport/gate.h"

/* What an event of a program does; net_note.arg has it below a number. */
enum { NET_DO_BEGIN, NET_DO_START, NET_DO_END, NET_DO_STEP, NET_DO_GO, NET_DO_SENT, NET_DO_ACKED };
enum { NET_DO_BITS = 3 };
/* Of its events, that each send a message and go on, as many as fit one handling. */
enum { NET_CHAINS = NET_STARTS - 1 };
/* The arg of a NET_EV_FEED that names an inlet, not a gate. */
enum { NET_FEED_INLET = 1 };
/* What a message's last ACK does, in its slot's word above a number: nothing, end a send, go on with a chain, with a line of pieces. A
 * chain's step, or its operation's end, may wait for it. */
enum { NET_THEN_NOTHING, NET_THEN_END, NET_THEN_CHAIN, NET_THEN_LINE };
enum { NET_THEN_BITS = 3, NET_THEN_WAITS = 4 };

/* A rank's operation at hand. */
typedef struct net_doing {
    weir_ctx *ctx;
    const net_view *h;
    const net_world *w;
    const uint32_t *lists;
    const net_op *ops;
    const net_op *op;
    const net_rank *rank;
    const net_job *job;
    uint32_t number; /* of the operation */
} net_doing;

WEIR_FN net_doing net_doing_of(weir_ctx *ctx, const net_view *h, uint32_t number)
{
    net_doing d;
    d.ctx = ctx;
    d.h = h;
    d.w = h->w;
    d.lists = NET_ARRAY(d.w, uint32_t, job_lists);
    d.ops = NET_ARRAY(d.w, net_op, job_ops);
    d.number = number;
    d.op = d.ops + number;
    d.rank = NET_ARRAY(d.w, net_rank, job_ranks) + d.op->rank;
    d.job = NET_ARRAY(d.w, net_job, jobs) + d.rank->job;
    return d;
}

WEIR_FN const net_collective *net_doing_collective(const net_doing *d)
{
    return NET_ARRAY(d->w, net_collective, job_collectives) + d->op->peer;
}

/* The operation's own words, a chain and a line of pieces of it, touched. */
WEIR_FN uint64_t *net_op_words(const net_doing *d)
{
    uint64_t *at =
        (uint64_t *)weir_slot(d->ctx, NET_POOL_HOST_WORDS, d->op->word, (uint32_t)sizeof(uint64_t));
    weir_touch(d->ctx, at, NET_OP_WORDS * (uint32_t)sizeof *at);
    return at;
}

WEIR_FN net_chain *net_chain_at(const net_doing *d, uint32_t k)
{
    const uint32_t words = net_chain_words(d->op->flags, d->op->width);
    net_chain *c = (net_chain *)weir_slot(d->ctx, NET_POOL_HOST_WORDS, d->op->word + NET_OP_WORDS + k * words,
                                          (uint32_t)sizeof(uint64_t));
    weir_touch(d->ctx, c, (uint32_t)sizeof *c);
    return c;
}

/* How many messages have come for a step of a chain from several sources, touched. */
WEIR_FN uint16_t *net_chain_come(const net_doing *d, net_chain *c, uint32_t step)
{
    uint16_t *come = (uint16_t *)(void *)(c + 1) + step;
    weir_touch(d->ctx, come, (uint32_t)sizeof *come);
    return come;
}

WEIR_FN net_piece_line *net_piece_line_at(const net_doing *d, uint32_t i)
{
    const uint32_t chains =
        net_collective_chains(net_doing_collective(d)) * net_chain_words(d->op->flags, d->op->width);
    net_piece_line *l = (net_piece_line *)weir_slot(
        d->ctx, NET_POOL_HOST_WORDS, d->op->word + NET_OP_WORDS + chains + 2 * i, (uint32_t)sizeof(uint64_t));
    weir_touch(d->ctx, l, (uint32_t)sizeof *l);
    return l;
}

WEIR_FN void net_do_later(const net_doing *d, uint32_t what, uint32_t index, weir_time at_ps)
{
    net_note_later(d->ctx, NET_EV_PROGRAM, what == NET_DO_BEGIN ? d->op->rank : d->number,
                   index << NET_DO_BITS | what, at_ps);
}

/* The rank's iteration. */
WEIR_FN uint32_t net_rank_iteration(weir_ctx *ctx, const net_rank *rank)
{
    return (uint32_t)(*(const uint64_t *)weir_slot(ctx, NET_POOL_HOST_WORDS, rank->word + NET_RANK_TURN,
                                                   (uint32_t)sizeof(uint64_t)) >>
                      32);
}

/* ---- the queue of those that wait for a slot ---- */

/* Where what waits has its successor. */
WEIR_FN uint64_t *net_queue_link(const net_doing *d, uint64_t entry)
{
    net_doing of = *d;
    const uint32_t what = (uint32_t)entry & ((1u << NET_DO_BITS) - 1u),
                   index = (uint32_t)entry >> NET_DO_BITS;
    of.number = d->rank->first_op + (uint32_t)(entry >> 32) - 1u;
    of.op = d->ops + of.number;
    return what == NET_DO_STEP ? &net_chain_at(&of, index)->link
           : what == NET_DO_GO ? &net_piece_line_at(&of, index)->link
                               : net_op_words(&of) + NET_OP_LINK;
}

NET_RARE void net_queue_for_slot(const net_doing *d, uint32_t what, uint32_t index)
{
    const uint64_t entry = (uint64_t)(d->number - d->rank->first_op + 1u) << 32 | index << NET_DO_BITS | what;
    uint64_t *head = net_gate_word(d->ctx, d->rank->word + NET_RANK_HEAD),
             *tail = net_gate_word(d->ctx, d->rank->word + NET_RANK_TAIL);
    *net_queue_link(d, entry) = 0;
    if (*head == 0)
        *head = entry;
    else
        *net_queue_link(d, *tail) = entry;
    *tail = entry;
}

/* One of a rank's slots is free, `generator` its own. */
NET_RARE void net_program_freed(weir_ctx *ctx, const net_view *h, const net_generator *g)
{
    const net_rank *rank = NET_ARRAY(h->w, net_rank, job_ranks) + g->rank;
    uint64_t *head = net_gate_word(ctx, rank->word + NET_RANK_HEAD);
    if (*head == 0)
        return;
    const uint64_t entry = *head;
    net_doing d = net_doing_of(ctx, h, rank->first_op + (uint32_t)(entry >> 32) - 1u);
    *head = *net_queue_link(&d, entry);
    net_note_later(ctx, NET_EV_PROGRAM, d.number, (uint32_t)entry, weir_now(ctx) + 1);
}

/* ---- messages ---- */

WEIR_FN uint64_t *net_slot_words(weir_ctx *ctx, const net_world *w, const net_generator *g, uint32_t flow)
{
    const net_rank *rank = NET_ARRAY(w, net_rank, job_ranks) + g->rank;
    const uint32_t each = NET_ARRAY(w, net_job, jobs)[rank->job].lasts ? (uint32_t)NET_SLOT_WORDS : 1u;
    uint64_t *at = (uint64_t *)weir_slot(
        ctx, NET_POOL_HOST_WORDS, rank->slot_word + (flow - g->first_tx) * each, (uint32_t)sizeof(uint64_t));
    weir_touch(ctx, at, each * (uint32_t)sizeof *at);
    return at;
}

/* A free slot, the one whose connection is `key`, or the one that has been free for the longest time; NET_NONE. */
WEIR_FN uint32_t net_slot_take(const net_doing *d, uint64_t key)
{
    const net_generator *g = NET_ARRAY(d->w, net_generator, generators) + d->rank->generator;
    net_generator_state *s =
        (net_generator_state *)weir_slot(d->ctx, NET_POOL_GENERATOR, d->rank->generator, sizeof *s);
    uint32_t at = s->free_head, before = 0;
    if (at == 0)
        return NET_NONE;
    weir_touch(d->ctx, s, sizeof *s);
    bool known = false;
    while (d->job->lasts) {
        const uint32_t next = ((const net_tx *)weir_slot(d->ctx, NET_POOL_TX, at - 1u, sizeof(net_tx)))->next;
        known = net_slot_words(d->ctx, d->w, g, at - 1u)[1] == key;
        if (known || next == 0)
            break;
        before = at;
        at = next;
    }
    net_tx *tx = net_tx_slot(d->ctx, at - 1u);
    if (before)
        net_tx_slot(d->ctx, before - 1u)->next = tx->next;
    else
        s->free_head = tx->next;
    tx->next = 0;
    tx->request = known; /* the connection goes on */
    if (d->job->lasts)
        net_slot_words(d->ctx, d->w, g, at - 1u)[1] = key;
    return at - 1u;
}

/* A message to an operation's rank at another host. False: there is no slot. */
WEIR_FN bool net_message(const net_doing *d, uint32_t to, uint32_t inlet, uint64_t bytes, uint32_t channel,
                         uint64_t then)
{
    const net_rank *other = NET_ARRAY(d->w, net_rank, job_ranks) + d->ops[to].rank;
    const uint32_t flow = net_slot_take(d, (uint64_t)(d->ops[to].rank + 1u) << 32 | channel);
    if (flow == NET_NONE)
        return false;
    *net_slot_words(d->ctx, d->w, NET_ARRAY(d->w, net_generator, generators) + d->rank->generator, flow) =
        (uint64_t)d->number << 32 | then;
    net_count_class(d->ctx, d->w, NET_ARRAY(d->w, uint16_t, tx_class)[flow], NET_COUNT_FLOWS, 1);
    net_begin_flow(d->ctx, d->h, flow, other->host, inlet, bytes ? bytes : 1u);
    return true;
}

/* A message inside a server. Returns when the local link has sent it. */
NET_RARE weir_time net_local_message(const net_doing *d, uint32_t to, uint32_t inlet, uint64_t bytes)
{
    const net_rank *other = NET_ARRAY(d->w, net_rank, job_ranks) + d->ops[to].rank;
    uint64_t *busy_ps = net_gate_word(d->ctx, d->rank->word + NET_RANK_PORT);
    const weir_time now = weir_now(d->ctx), from_ps = (weir_time)*busy_ps > now ? (weir_time)*busy_ps : now;
    const double ps = d->job->local_bps ? 8e12 * (double)bytes / (double)d->job->local_bps : 0.0;
    const weir_time takes_ps = (weir_time)(ps < 9e17 ? ps + 0.5 : 9e17);
    const weir_time end_ps = from_ps + (takes_ps > 1 ? takes_ps : 1);
    *busy_ps = (uint64_t)end_ps;
    net_note *note =
        (net_note *)weir_schedule(d->ctx, other->host, NET_EV_FEED, end_ps - now + d->job->local_delay_ps);
    note->index = inlet;
    note->arg = NET_FEED_INLET;
    return end_ps;
}

WEIR_FN bool net_is_local(const net_doing *d, uint32_t to)
{
    return NET_ARRAY(d->w, net_rank, job_ranks)[d->ops[to].rank].server == d->rank->server;
}

/* ---- operations ---- */

/* Until when a computation that is wanted now takes. */
WEIR_FN weir_time net_compute(const net_doing *d)
{
    weir_time from_ps = weir_now(d->ctx);
    if (d->op->amount == 0)
        return from_ps + 1;
    uint64_t *busy_ps = net_gate_word(d->ctx, d->rank->word + NET_RANK_WORDS + d->op->processor);
    from_ps = (weir_time)*busy_ps > from_ps ? (weir_time)*busy_ps : from_ps;
    *busy_ps = (uint64_t)from_ps + d->op->amount;
    return (weir_time)*busy_ps;
}

/* Whether a chain's next message is there; if so it is taken. */
WEIR_FN bool net_chain_takes(const net_doing *d, net_chain *c)
{
    if (d->op->flags & NET_OP_WINDOW) {
        if (c->ahead == 0)
            return false;
        c->ahead--;
        return true;
    }
    uint16_t *come = net_chain_come(d, c, (uint32_t)c->step);
    if (*come == 0)
        return false;
    --*come;
    return true;
}

/* A receive, or a chain's step, has its message or waits for it. */
WEIR_FN void net_chain_receive(const net_doing *d, net_chain *c, uint32_t k)
{
    const bool here = net_chain_takes(d, c);
    c->state = here ? NET_CHAIN_DUE : NET_CHAIN_RECV;
    if (!here)
        return;
    c->step = d->op->kind == NET_OP_RECV ? 0 : c->step + 1u;
    net_do_later(d, d->op->kind == NET_OP_RECV ? NET_DO_END : NET_DO_STEP, d->op->kind == NET_OP_RECV ? 0 : k,
                 weir_now(d->ctx) + 1);
}

/* All that an operation waits for is there. */
WEIR_FN void net_op_ready(const net_doing *d)
{
    const weir_time now = weir_now(d->ctx);
    if (d->op->kind == NET_OP_RECV && d->op->n_starts == 0)
        net_chain_receive(d, net_chain_at(d, 0), 0);
    else if (d->op->kind == NET_OP_COMPUTE && d->op->n_starts == 0)
        net_do_later(d, NET_DO_END, 0, net_compute(d));
    else
        net_do_later(d, NET_DO_START, 0, now + 1);
}

/* Operations number i of a list and those behind it have one more of what they wait for, as many as one event feeds. Returns the
 * number behind these. */
WEIR_FN uint32_t net_feed_ops(const net_doing *d, uint32_t list, uint32_t i, uint32_t n)
{
    for (uint32_t k = 0; k < NET_STARTS && i < n; k++, i++) {
        const net_doing next =
            net_doing_of(d->ctx, d->h, d->rank->first_op + d->lists[d->op->first_after + list + i]);
        uint64_t *words = net_op_words(&next);
        if ((uint32_t)++words[NET_OP_CAME] != next.op->needs)
            continue;
        words[NET_OP_CAME] = 0;
        net_op_ready(&next);
    }
    return i;
}

/* An operation ends. */
WEIR_FN void net_op_end(const net_doing *d, uint32_t i)
{
    if (i == 0) {
        uint64_t *turn = net_gate_word(d->ctx, d->rank->word + NET_RANK_TURN);
        const uint32_t iteration = (uint32_t)(*turn >> 32);
        *net_gate_word(d->ctx, d->rank->end_word + d->job->iterations + iteration * d->rank->n_ops +
                                   (d->number - d->rank->first_op)) =
            NET_GATE_OPEN | (uint64_t)weir_now(d->ctx);
        if ((uint32_t)++ * turn == d->rank->n_ops) {
            *turn = (uint64_t)(iteration + 1u) << 32;
            if (iteration + 1u < d->job->iterations)
                net_do_later(d, NET_DO_BEGIN, 0, weir_now(d->ctx) + 1);
        }
    }
    i = net_feed_ops(d, d->op->n_starts, i, d->op->n_ends);
    if (i < d->op->n_ends)
        net_do_later(d, NET_DO_END, i, weir_now(d->ctx) + 1);
}

/* One of the things that the end of a collective in strands waits for. */
WEIR_FN void net_close_one(const net_doing *d)
{
    uint64_t *words = net_op_words(d);
    words[NET_OP_CAME] -= UINT64_C(1) << 32;
    if (words[NET_OP_CAME] >> 32 == 0)
        net_do_later(d, NET_DO_END, 0, weir_now(d->ctx) + 1);
}

/* ---- collectives ---- */

/* What has been sent in a chain's step, which waited for it, is acknowledged. */
WEIR_FN void net_chain_acked(const net_doing *d, uint32_t k)
{
    if (net_doing_collective(d)->in_strands) {
        net_close_one(d);
        return;
    }
    net_chain *c = net_chain_at(d, k);
    c->step++;
    c->state = NET_CHAIN_DUE;
    net_do_later(d, NET_DO_STEP, k, weir_now(d->ctx) + 1);
}

/* Where what a member sends in a step comes in. */
WEIR_FN uint32_t net_inlet_of(const net_doing *d, const net_collective *c, uint32_t to_op, uint32_t to,
                              uint32_t k, uint32_t step, uint32_t iteration)
{
    const net_op *other = d->ops + to_op;
    const uint32_t first = other->inlet + k * other->width;
    if (other->flags & NET_OP_WINDOW)
        return first + (iteration * net_ring_steps(c) + step) % NET_CHAIN_WINDOW;
    return first + net_taking_step(c, d->lists, k, d->op->member, to, step);
}

/* Whether the end of the operation, or the next step, waits until a step's message is acknowledged. */
WEIR_FN bool net_step_waits(const net_doing *d, const job_step *s, bool local)
{
    return s->from == JOB_NOBODY && (local || s->to_bytes > d->job->eager_bytes);
}

/* The piece whose turn it is goes, if its chain has come to it. */
WEIR_FN void net_piece_line_try(const net_doing *d, net_piece_line *l, uint32_t i)
{
    const net_collective *c = net_doing_collective(d);
    if (l->busy || !l->begun)
        return;
    const net_chain *chain = net_chain_at(d, i / net_piece_lines(c) * c->pieces + (uint32_t)l->piece);
    const uint32_t laps =
        ((uint32_t)chain->laps - (uint32_t)l->laps) & 3u; /* 0: it has not begun, 2: again */
    if (laps == 0 ||
        (laps == 1 && (chain->step < l->step || (chain->step == l->step && chain->state <= NET_CHAIN_DUE))))
        return;
    l->busy = 1;
    net_do_later(d, NET_DO_GO, i, weir_now(d->ctx) + 1);
}

NET_RARE void net_piece_line_go(const net_doing *d, uint32_t i)
{
    const net_collective *c = net_doing_collective(d);
    const uint32_t part = i / net_piece_lines(c);
    net_piece_line *l = net_piece_line_at(d, i);
    const uint32_t k = part * c->pieces + (uint32_t)l->piece;
    job_step s;
    if (!net_collective_step(c, d->lists, k, d->op->member, (uint32_t)l->step, &s) || s.to == JOB_NOBODY)
        return;
    const uint32_t to = d->lists[c->first_op + s.to];
    const uint32_t waits = net_step_waits(d, &s, false) ? (uint32_t)NET_THEN_WAITS : 0u;
    if (!net_message(d, to, net_inlet_of(d, c, to, s.to, k, (uint32_t)l->step, (uint32_t)l->laps), s.to_bytes,
                     part, (uint64_t)i << NET_THEN_BITS | waits | NET_THEN_LINE))
        net_queue_for_slot(d, NET_DO_GO, i);
}

/* A piece is acknowledged: the next. `index`: twice the line's number, and 1 where the end waits for it. */
NET_RARE void net_piece_line_acked(const net_doing *d, uint32_t index)
{
    const net_collective *c = net_doing_collective(d);
    const uint32_t i = index >> 1;
    net_piece_line *l = net_piece_line_at(d, i);
    l->busy = 0;
    l->piece = l->piece + 1u < c->pieces ? l->piece + 1u : 0u;
    if (l->piece == 0)
        l->step = net_piece_line_next(c, i % net_piece_lines(c), (uint32_t)l->step);
    if (l->step == NET_NO_STEP) { /* the next iteration's */
        l->laps++;
        l->step = net_piece_line_next(c, i % net_piece_lines(c), NET_NO_STEP);
    }
    net_piece_line_try(d, l, i);
    if (index & 1u)
        net_close_one(d);
}

/* A step's message goes, or lines up. Returns false where it must wait, and is tried again. */
WEIR_FN bool net_step_sends(const net_doing *d, const net_collective *c, net_chain *chain, uint32_t k,
                            const job_step *s)
{
    const uint32_t step = (uint32_t)chain->step, to = d->lists[c->first_op + s->to];
    const uint32_t iteration = net_rank_iteration(d->ctx, d->rank);
    const bool local = net_is_local(d, to), waits = net_step_waits(d, s, local);
    if (local) {
        const weir_time sent_ps =
            net_local_message(d, to, net_inlet_of(d, c, to, s->to, k, step, iteration), s->to_bytes);
        if (waits)
            net_do_later(d, NET_DO_SENT, k, sent_ps);
    } else if (net_piece_lines(c)) {
        const uint32_t i = k / c->pieces * net_piece_lines(c) + net_piece_line_of(c, step);
        chain->state = NET_CHAIN_RECV; /* it has come to the step */
        net_piece_line_try(d, net_piece_line_at(d, i), i);
    } else {
        const bool window = (d->op->flags & NET_OP_WINDOW) != 0;
        if (window && chain->out == NET_CHAIN_OUT) {
            chain->state = NET_CHAIN_ROOM;
            return false;
        }
        if (!net_message(d, to, net_inlet_of(d, c, to, s->to, k, step, iteration), s->to_bytes,
                         c->in_strands ? k / c->pieces : 0u,
                         (uint64_t)k << NET_THEN_BITS | (waits ? (uint32_t)NET_THEN_WAITS : 0u) |
                             (uint32_t)NET_THEN_CHAIN)) {
            chain->state = NET_CHAIN_SLOT;
            net_queue_for_slot(d, NET_DO_STEP, k);
            return false;
        }
        chain->out += window;
    }
    if (waits && c->in_strands)
        net_op_words(d)[NET_OP_CAME] += UINT64_C(1) << 32;
    return true;
}

/* A chain's next step. */
WEIR_FN void net_chain_step(const net_doing *d, uint32_t k)
{
    const net_collective *c = net_doing_collective(d);
    net_chain *chain = net_chain_at(d, k);
    job_step s;
    if (!net_collective_step(c, d->lists, k, d->op->member, (uint32_t)chain->step, &s)) {
        chain->state = NET_CHAIN_OVER;
        if (c->in_strands)
            net_close_one(d);
        else
            net_op_end(d, 0);
        return;
    }
    if (s.to != JOB_NOBODY && !net_step_sends(d, c, chain, k, &s))
        return;
    if (s.from != JOB_NOBODY) {
        net_chain_receive(d, chain, k);
        return;
    }
    if (!c->in_strands && net_step_waits(d, &s, net_is_local(d, d->lists[c->first_op + s.to]))) {
        chain->state = NET_CHAIN_ACK;
        return;
    }
    chain->step++;
    chain->state = NET_CHAIN_DUE;
    net_do_later(d, NET_DO_STEP, k, weir_now(d->ctx) + 1);
}

/* The chain of a strand begins; with a part's first one its lines of pieces do. */
WEIR_FN void net_chain_begin(const net_doing *d, uint32_t k)
{
    const net_collective *c = net_doing_collective(d);
    net_chain *chain = net_chain_at(d, k);
    chain->step = 0;
    chain->laps++;
    chain->state = NET_CHAIN_DUE;
    const uint32_t lines = net_piece_lines(c);
    for (uint32_t i = 0; i < lines && k % c->pieces == 0; i++) {
        net_piece_line *l = net_piece_line_at(d, k / c->pieces * lines + i);
        if (l->begun)
            continue;
        l->step = net_piece_line_next(c, i, NET_NO_STEP);
        l->begun = l->step != NET_NO_STEP;
    }
    net_chain_step(d, k);
}

/* ---- events ---- */

/* A send starts. Returns false where it must wait for a slot. */
WEIR_FN bool net_send_starts(const net_doing *d)
{
    const net_op *to = d->ops + d->op->peer;
    const uint32_t inlet = to->inlet + net_rank_iteration(d->ctx, d->rank) % NET_CHAIN_WINDOW;
    if (net_is_local(d, d->op->peer)) {
        net_do_later(d, NET_DO_SENT, 0, net_local_message(d, d->op->peer, inlet, d->op->amount));
        return true;
    }
    const uint32_t then = d->op->amount > d->job->eager_bytes ? NET_THEN_END : NET_THEN_NOTHING;
    if (net_message(d, d->op->peer, inlet, d->op->amount, 0, then))
        return true;
    net_queue_for_slot(d, NET_DO_START, 0);
    return false;
}

/* An operation starts: its chains from number i on, and those that wait for its start. */
WEIR_FN void net_op_start(const net_doing *d, uint32_t i)
{
    const bool collective = d->op->kind == NET_OP_COLLECTIVE, sends = d->op->kind == NET_OP_SEND;
    const uint32_t chains = collective ? net_collective_chains(net_doing_collective(d)) : 0;
    if (i == 0 && sends && !net_send_starts(d))
        return;
    if (i == 0 && d->op->kind == NET_OP_COMPUTE)
        net_do_later(d, NET_DO_END, 0, net_compute(d));
    if (i == 0 && d->op->kind == NET_OP_RECV)
        net_chain_receive(d, net_chain_at(d, 0), 0);
    if (i == 0 && collective)
        net_op_words(d)[NET_OP_CAME] = (uint64_t)chains << 32;
    const uint32_t first = i;
    for (; i < chains && i - first < NET_CHAINS; i++)
        net_chain_begin(d, i);
    if (first >= chains)
        i = chains + net_feed_ops(d, 0, i - chains, d->op->n_starts);
    if (i < chains + d->op->n_starts)
        net_do_later(d, NET_DO_START, i, weir_now(d->ctx) + 1);
    else if (sends && d->op->amount <= d->job->eager_bytes && !net_is_local(d, d->op->peer))
        net_op_end(d, 0);
}

/* A rank's iteration begins: those of its operations that wait for nothing else, from number i on. */
WEIR_FN void net_rank_begin(weir_ctx *ctx, const net_view *h, uint32_t number, uint32_t i)
{
    const net_rank *rank = NET_ARRAY(h->w, net_rank, job_ranks) + number;
    const net_job *job = NET_ARRAY(h->w, net_job, jobs) + rank->job;
    const weir_time now = weir_now(ctx);
    if (i == 0) {
        uint64_t *turn = net_gate_word(ctx, rank->word + NET_RANK_TURN);
        const uint32_t iteration = (uint32_t)(*turn >> 32);
        *net_gate_word(ctx, rank->end_word + iteration) = NET_GATE_OPEN | (uint64_t)now;
        if (rank->n_ops == 0) {
            *turn += UINT64_C(1) << 32;
            if (iteration + 1u < job->iterations)
                net_note_later(ctx, NET_EV_PROGRAM, number, NET_DO_BEGIN, now + 1);
            return;
        }
    }
    for (uint32_t n = 0; n < NET_STARTS && i < rank->n_ops; i++) {
        const net_doing d = net_doing_of(ctx, h, rank->first_op + i);
        if (d.op->needs != 0)
            continue;
        net_op_ready(&d);
        n++;
    }
    if (i < rank->n_ops)
        net_note_later(ctx, NET_EV_PROGRAM, number, i << NET_DO_BITS | NET_DO_BEGIN, now + 1);
}

/* What is due of a program. */
WEIR_FN void net_host_program(weir_ctx *ctx, void *state, const weir_event *event)
{
    const net_view h = net_host_view(ctx, state);
    const net_note note = net_note_of(event);
    const uint32_t what = note.arg & ((1u << NET_DO_BITS) - 1u), index = note.arg >> NET_DO_BITS;
    if (what == NET_DO_BEGIN) {
        net_rank_begin(ctx, &h, note.index, index);
        return;
    }
    const net_doing d = net_doing_of(ctx, &h, note.index);
    switch (what) {
    case NET_DO_START:
        net_op_start(&d, index);
        break;
    case NET_DO_END:
        net_op_end(&d, index);
        break;
    case NET_DO_STEP:
        net_chain_step(&d, index);
        break;
    case NET_DO_GO:
        net_piece_line_go(&d, index);
        break;
    case NET_DO_SENT:
        if (d.op->kind == NET_OP_SEND)
            net_op_end(&d, 0);
        else
            net_chain_acked(&d, index);
        break;
    default:
        net_piece_line_acked(&d, index);
        break;
    }
}

/* A rank waits for its job to begin. */
WEIR_FN void net_program_init(weir_ctx *ctx, const net_world *w, uint32_t number)
{
    const net_rank *rank = NET_ARRAY(w, net_rank, job_ranks) + number;
    net_note_later(ctx, NET_EV_PROGRAM, number, NET_DO_BEGIN,
                   NET_ARRAY(w, net_job, jobs)[rank->job].start_ps);
}

/* ---- what comes ---- */

/* The chain that an inlet of this host belongs to, `*k`, and the number there, `*at`. */
WEIR_FN net_doing net_inlet_find(weir_ctx *ctx, const net_view *h, uint32_t inlet, uint32_t *k, uint32_t *at)
{
    const net_rank *ranks = NET_ARRAY(h->w, net_rank, job_ranks);
    const uint32_t *first = NET_ARRAY(h->w, uint32_t, host_ranks) + ctx->entity;
    const uint32_t *inlets = NET_ARRAY(h->w, uint32_t, op_inlets);
    uint32_t low = ranks[first[0]].first_op, high = ranks[first[1]].first_op;
    while (high - low > 1u) {
        const uint32_t middle = low + (high - low) / 2u;
        if (inlets[middle] <= inlet)
            low = middle;
        else
            high = middle;
    }
    const net_doing d = net_doing_of(ctx, h, low);
    *k = (inlet - d.op->inlet) / d.op->width;
    *at = (inlet - d.op->inlet) % d.op->width;
    return d;
}

/* A message is whole. */
NET_RARE void net_program_arrived(weir_ctx *ctx, const net_view *h, uint32_t inlet)
{
    uint32_t k, at;
    const net_doing d = net_inlet_find(ctx, h, inlet, &k, &at);
    net_chain *c = net_chain_at(&d, k);
    if (d.op->flags & NET_OP_WINDOW) {
        uint64_t *come = (uint64_t *)(void *)(c + 1);
        weir_touch(ctx, come, (uint32_t)sizeof *come);
        *come |= UINT64_C(1) << ((at - (uint32_t)c->next) % NET_CHAIN_WINDOW);
        for (; *come & 1u; *come >>= 1, c->next++)
            c->ahead++;
    } else {
        ++*net_chain_come(&d, c, at);
    }
    if (c->state == NET_CHAIN_RECV)
        net_chain_receive(&d, c, k);
}

/* A message's last ACK has come; its slot is not free yet. */
NET_RARE void net_program_acked(weir_ctx *ctx, const net_view *h, const net_generator *g, uint32_t flow)
{
    const uint64_t word = *net_slot_words(ctx, h->w, g, flow);
    const net_doing d = net_doing_of(ctx, h, (uint32_t)(word >> 32));
    const uint32_t then = (uint32_t)word & (NET_THEN_WAITS - 1u), waits = (uint32_t)word & NET_THEN_WAITS,
                   index = (uint32_t)word >> NET_THEN_BITS;
    if (then == NET_THEN_END) {
        net_do_later(&d, NET_DO_END, 0, weir_now(ctx) + 1);
    } else if (then == NET_THEN_LINE) {
        net_do_later(&d, NET_DO_ACKED, index << 1 | (waits != 0), weir_now(ctx) + 1);
    } else if (then == NET_THEN_CHAIN) {
        net_chain *c = net_chain_at(&d, index);
        if (d.op->flags & NET_OP_WINDOW)
            c->out--;
        if (c->state == NET_CHAIN_ROOM) {
            c->state = NET_CHAIN_DUE;
            net_do_later(&d, NET_DO_STEP, index, weir_now(ctx) + 1);
        }
        if (waits)
            net_chain_acked(&d, index);
    }
}

#endif
