/*
 * The terminal: cuts messages into packets, puts them into the network one after the other, and takes those
 * for it out.
 *
 * A packet leaves when the router's input has room for all of it, in one event. What a backlog would hold is
 * not stored: the times of messages follow from the terminal's random stream, so the next one is drawn when
 * the one before it has left, with the time at which it was due.
 */
#pragma once

#include "models/interconnect/jobs/program.h"
#include "weir/bits.h"
#include "weir/math.h"

typedef struct ic_terminal {
    weir_time busy_ps; /* its channel is free from then on */
    weir_time wake_ps;
    weir_time due_ps;  /* of the next message; WEIR_TIME_MAX: none */
    weir_time made_ps; /* when the message under way was due */
    weir_time head_ps; /* when it came to the head of the queue, or to an empty one */
    uint32_t target, message;
    uint32_t action;   /* of the program that the message under way comes from */
    uint32_t left;     /* chunks of the message under way that have not left */
    uint32_t mark;     /* of its packets */
    uint32_t credits;  /* chunks that the router's input has room for */
    uint32_t cursor;   /* of what its source reads */
    uint32_t packets;  /* sent, into the network or round it */
    uint32_t got;      /* chunks of the message that comes in (ping) */
    uint64_t received; /* packets delivered */
    uint64_t chunks_sent, chunks_received;
    uint64_t sent_sum, received_sum; /* sums over packets of bits that name them: equal when each came once */
    uint64_t messages;               /* whole ones received (ping, program) */
} ic_terminal;

WEIR_FN const ic_job_world *ic_job_of(const ic_world *w, uint32_t terminal)
{
    const uint32_t job = IC_TABLE(w, uint32_t, w->terminal_job_at)[terminal];
    return job == IC_NONE ? (const ic_job_world *)0 : IC_TABLE(w, ic_job_world, w->jobs_at) + job;
}

WEIR_FN void ic_job_count(weir_ctx *ctx, const ic_world *w, uint32_t what, int64_t delta)
{
    const uint32_t job = IC_TABLE(w, uint32_t, w->terminal_job_at)[ctx->entity];
    weir_count(ctx, (uint64_t)(job == IC_NONE ? w->n_jobs : job) * IC_COUNTERS + what, delta);
}

WEIR_FN void ic_job_count_ps(weir_ctx *ctx, const ic_world *w, uint32_t what, weir_time span_ps)
{
    ic_job_count(ctx, w, what, span_ps & UINT32_MAX);
    if (span_ps >> 32)
        ic_job_count(ctx, w, IC_CARRY + what, span_ps >> 32);
}

/* What names a packet, for sums over all that were sent and all that came. */
WEIR_FN uint64_t ic_packet_name(const ic_burst *b)
{
    return ic_packet_bits(b->source, b->packet, 77 + b->target);
}

/* When the message behind one at `from_ps` is due. */
WEIR_FN weir_time ic_next_due(const ic_job_world *job, weir_time from_ps, uint64_t bits)
{
    const double gap_ps = job->periodic ? job->gap_ps : job->gap_ps * -weir_log(weir_unit_open_of_bits(bits));
    return weir_time_after(from_ps + 1, gap_ps);
}

/* A random target: a rank of the range that lies range_shift on, never its own. */
WEIR_FN uint32_t ic_random_target(const ic_world *w, const ic_job_world *job, uint32_t terminal,
                                  uint64_t bits)
{
    const uint32_t rank = IC_TABLE(w, uint32_t, w->terminal_rank_at)[terminal];
    const uint32_t ranges = job->n_ranks / job->range_size;
    const uint32_t range = (rank / job->range_size + job->range_shift) % ranges,
                   first = range * job->range_size;
    uint32_t other;
    if (job->range_shift) {
        other = first + ic_one_of(bits, job->range_size);
    } else {
        other = first + ic_one_of(bits, job->range_size - 1);
        other += other >= rank;
    }
    return IC_TABLE(w, uint32_t, w->rank_terminal_at)[job->first + other];
}

/* The next of what the program has to send. */
WEIR_FN int ic_next_request(weir_ctx *ctx, const ic_world *w, ic_terminal *self, const ic_job_world *job)
{
    const ic_prog p = ic_prog_of(ctx, w, job, &self->due_ps);
    const ic_request *r = ic_prog_dequeue(&p);
    if (!r)
        return 0;
    self->made_ps = r->made_ps;
    self->target = r->peer;
    self->message = r->key;
    self->action = r->action;
    self->left = 1;
    self->mark = r->state == IC_REQUEST_ASK ? IC_ASK : IC_MAY;
    if (r->state == IC_REQUEST_READY) {
        self->left = r->chunks;
        self->mark = IC_DATA;
        ic_job_count(ctx, w, IC_COUNT_MESSAGES, 1);
    }
    return 1;
}

/* What the program had on the channel has left, if it has: the program goes on. */
WEIR_FN void ic_finish_send(weir_ctx *ctx, const ic_world *w, ic_terminal *self, const ic_job_world *job)
{
    if (job->source != IC_PROGRAM || self->left > 0 || self->busy_ps > ctx->now_ps)
        return;
    const ic_prog p = ic_prog_of(ctx, w, job, &self->due_ps);
    if (!p.rank->sending)
        return;
    ic_prog_sent(&p);
    ic_prog_run(&p);
}

/* Take up the next message, if one is due at `at_ps`. */
WEIR_FN int ic_next_message(weir_ctx *ctx, const ic_world *w, ic_terminal *self, weir_time at_ps)
{
    const ic_job_world *job = ic_job_of(w, ctx->entity);
    if (!job || self->due_ps > at_ps)
        return 0;
    self->head_ps = self->due_ps;
    if (job->source == IC_PROGRAM)
        return ic_next_request(ctx, w, self, job);
    self->made_ps = self->due_ps;
    self->mark = IC_DATA;
    self->message = 0;
    self->left = job->message_chunks;
    switch (job->source) {
    case IC_RANDOM:
    case IC_CYCLE: {
        uint64_t when, where;
        weir_stream stream = weir_stream_open(ctx);
        weir_draw_pair(&stream, &when, &where);
        weir_stream_close(ctx, &stream);
        if (job->source == IC_RANDOM) {
            self->target = ic_random_target(w, job, ctx->entity, where);
        } else {
            const uint32_t *first = IC_TABLE(w, uint32_t, w->list_first_at) + ctx->entity;
            self->target = IC_TABLE(w, uint32_t, w->list_at)[first[0] + self->cursor];
            self->cursor = self->cursor + 1 < first[1] - first[0] ? self->cursor + 1 : 0;
        }
        self->due_ps = ic_next_due(job, self->due_ps, when);
        if (self->due_ps >= job->stop_ps)
            self->due_ps = WEIR_TIME_MAX;
        break;
    }
    case IC_PING:
        self->target =
            IC_TABLE(w, uint32_t, w->list_at)[IC_TABLE(w, uint32_t, w->list_first_at)[ctx->entity]];
        self->due_ps = WEIR_TIME_MAX;
        break;
    case IC_SCHEDULE: {
        const uint32_t *first = IC_TABLE(w, uint32_t, w->planned_first_at) + ctx->entity;
        const ic_planned *planned = IC_TABLE(w, ic_planned, w->planned_at) + first[0] + self->cursor;
        self->target = planned->target;
        self->left = planned->chunks;
        self->cursor++;
        self->due_ps = first[0] + self->cursor < first[1] ? planned[1].time_ps : WEIR_TIME_MAX;
        break;
    }
    default:
        return 0;
    }
    ic_job_count(ctx, w, IC_COUNT_MESSAGES, 1);
    return 1;
}

WEIR_FN void ic_terminal_wake_at(weir_ctx *ctx, ic_terminal *self, weir_time at_ps)
{
    if (self->wake_ps > ctx->now_ps && self->wake_ps <= at_ps)
        return;
    self->wake_ps = at_ps;
    weir_schedule_at(ctx, ctx->entity, IC_NEXT, at_ps);
}

/* A packet carries how long it waited in 32 bits: in ns below 2 s, above in us, 35 minutes at most. */
WEIR_FN uint32_t ic_waited(weir_time ps)
{
    const uint64_t ns = (uint64_t)ps / 1000, us = ns / 1000, top = UINT64_C(1) << 31;
    return (uint32_t)(ns < top ? ns : us < top ? us + top : 2 * top - 1);
}

WEIR_FN weir_time ic_waited_ps(uint32_t waited)
{
    return waited >> 31 ? (weir_time)(waited & INT32_MAX) * 1000000 : (weir_time)waited * 1000;
}

/* What the next packet of the message under way is; it counts as sent. */
WEIR_FN void ic_write_packet(weir_ctx *ctx, const ic_world *w, ic_terminal *self, ic_burst *b, uint32_t size,
                             weir_time born_ps)
{
    const weir_time waited_ps = born_ps - self->made_ps;
    ic_job_count_ps(ctx, w, IC_COUNT_WAITED, waited_ps);
    b->born_ps = born_ps;
    b->source = ctx->entity;
    b->target = self->target;
    b->packet = self->packets++;
    b->message = ic_job_of(w, ctx->entity)->source == IC_PROGRAM ? self->message : ic_waited(waited_ps);
    b->via = IC_NO_VIA;
    b->size = (uint8_t)size;
    b->chunks = (uint8_t)size;
    b->port = 0;
    b->mark = (uint8_t)(self->mark | IC_TAIL);
    b->hops = 0;
    b->class_ = 0;
    self->chunks_sent += size;
    self->sent_sum += ic_packet_name(b);
}

/* When the next packet of the message under way could go, if there was room. */
WEIR_FN weir_time ic_ready_ps(const ic_terminal *self)
{
    return self->busy_ps > self->head_ps ? self->busy_ps : self->head_ps;
}

WEIR_FN uint32_t ic_packet_size(const ic_world *w, const ic_terminal *self)
{
    return self->left < w->packet_chunks ? self->left : w->packet_chunks;
}

/* Class of the next packet. */
WEIR_FN uint32_t ic_next_class(const ic_world *w, const ic_terminal *self)
{
    const uint32_t size = ic_packet_size(w, self);
    return ic_packet_class(w, size, self->left > size, self->action);
}

/* Put the next packet of the message under way into the network. */
WEIR_FN void ic_inject(weir_ctx *ctx, const ic_world *w, ic_terminal *self, uint32_t size)
{
    const ic_class *c = &w->class_[IC_TERMINAL];
    const uint32_t router = IC_TABLE(w, uint32_t, w->terminal_at)[ctx->entity];
    ic_burst *b = (ic_burst *)weir_schedule(ctx, w->n_terminals + router, IC_ARRIVE, c->arrive_ps);
    ic_write_packet(ctx, w, self, b, size, ctx->now_ps);
    b->port = IC_TABLE(w, uint8_t, w->terminal_port_at)[ctx->entity];
    if (WEIR_UNLIKELY(w->row)) {
        b->class_ = (uint8_t)ic_next_class(w, self);
        const uint64_t pair = ic_pair_counters(w, ic_pair_class(w, ctx->entity, self->target, b->class_));
        weir_count(ctx, pair + IC_PAIR_SENT, 1);
        weir_count(ctx, pair + IC_PAIR_STALLED, ctx->now_ps - ic_ready_ps(self));
    }
    self->credits -= size;
    self->busy_ps = ctx->now_ps + (weir_time)size * c->chunk_ps;
    ic_job_count(ctx, w, IC_COUNT_INJECTED, 1);
}

/* How long a packet of some chunks takes round the network, by its row. */
WEIR_FN weir_time ic_predict(const ic_world *w, const int64_t *row, uint32_t source, uint32_t packet,
                             uint32_t size, uint64_t seed)
{
    const uint64_t bits = ic_packet_bits(source, packet, IC_SALT_LATENCY + (uint32_t)seed);
    return wi_predict((wi_predictor)w->predictor, row, bits) +
           (weir_time)size * w->class_[IC_TERMINAL].chunk_ps;
}

/* Until when a terminal may look ahead. */
WEIR_FN weir_time ic_bypass_until(const weir_ctx *ctx, const ic_world *w)
{
    const weir_time mark_ps = ctx->now_ps < w->warm_ps ? w->warm_ps : w->end_ps;
    return ctx->now_ps < mark_ps && mark_ps < w->until_ps ? mark_ps : w->until_ps;
}

/* Send the next packet of the message under way round the network, after the time for which its like had to
 * wait for room there; it arrives after the latency that the predictor gives. 0: not before ic_bypass_until.
 * *at_ps is when it goes. */
WEIR_FN int ic_bypass(weir_ctx *ctx, const ic_world *w, ic_terminal *self, weir_time *at_ps)
{
    const uint32_t size = ic_packet_size(w, self), class_ = ic_next_class(w, self);
    const int64_t *row = ic_predictor_row(w, ctx->entity, self->target, class_);
    const weir_time least_ps = ctx->self->lookahead_ps;
    *at_ps = ic_ready_ps(self) + wi_predict_stall(row);
    *at_ps = *at_ps < ctx->now_ps ? ctx->now_ps : *at_ps;
    if (*at_ps >= ic_bypass_until(ctx, w))
        return 0;
    weir_time latency_ps = ic_predict(w, row, ctx->entity, self->packets, size, ctx->seed);
    latency_ps = latency_ps < least_ps ? least_ps : latency_ps;
    ic_burst *b = (ic_burst *)weir_schedule(ctx, self->target, IC_DELIVER, *at_ps - ctx->now_ps + latency_ps);
    ic_write_packet(ctx, w, self, b, size, *at_ps);
    b->class_ = (uint8_t)class_;
    ic_job_count(ctx, w, IC_COUNT_PREDICTED, 1);
    self->left -= size;
    self->busy_ps = *at_ps + (weir_time)size * w->class_[IC_TERMINAL].chunk_ps;
    return 1;
}

/* Send what is due round the network, and what will be due soon; of a program no more than the message under way,
 * since what comes next may hang on its end. At most IC_AHEAD and one events. */
WEIR_FN void ic_terminal_bypass(weir_ctx *ctx, const ic_world *w, ic_terminal *self, int program)
{
    weir_time at_ps = self->busy_ps > ctx->now_ps ? self->busy_ps : ctx->now_ps;
    if (program && at_ps > ctx->now_ps) {
        ic_terminal_wake_at(ctx, self, at_ps);
        return;
    }
    for (uint32_t i = 0; i < IC_AHEAD; i++) {
        if (self->left == 0 && program && i > 0)
            break;
        if (self->left == 0 && self->due_ps > at_ps)
            at_ps = self->due_ps; /* may be never */
        if (at_ps >= ic_bypass_until(ctx, w) || (self->left == 0 && !ic_next_message(ctx, w, self, at_ps)) ||
            !ic_bypass(ctx, w, self, &at_ps))
            break;
        at_ps = self->busy_ps;
    }
    if (self->left == 0 && !program && self->due_ps > at_ps)
        at_ps = self->due_ps;
    if (at_ps != WEIR_TIME_MAX)
        ic_terminal_wake_at(ctx, self, at_ps > ctx->now_ps ? at_ps : ctx->now_ps + 1);
}

/* Send what is due, if the channel is free and the router has room. At most two events, and one of a program. */
WEIR_FN void ic_terminal_serve(weir_ctx *ctx, const ic_world *w, ic_terminal *self)
{
    const ic_job_world *job = ic_job_of(w, ctx->entity);
    if (!job)
        return;
    ic_finish_send(ctx, w, self, job);
    if (WEIR_UNLIKELY(w->surrogate)) {
        ic_terminal_bypass(ctx, w, self, job->source == IC_PROGRAM);
        return;
    }
    if (self->busy_ps > ctx->now_ps) {
        ic_terminal_wake_at(ctx, self, self->busy_ps);
        return;
    }
    if (self->left == 0 && !ic_next_message(ctx, w, self, ctx->now_ps)) {
        if (self->due_ps != WEIR_TIME_MAX)
            ic_terminal_wake_at(ctx, self, self->due_ps);
        return;
    }
    const uint32_t size = ic_packet_size(w, self);
    if (self->credits < size) /* credits will come */
        return;
    ic_inject(ctx, w, self, size);
    self->left -= size;
    if (self->left > 0 || self->due_ps != WEIR_TIME_MAX || job->source == IC_PROGRAM)
        ic_terminal_wake_at(ctx, self,
                            self->left > 0 || job->source == IC_PROGRAM || self->due_ps < self->busy_ps
                                ? self->busy_ps
                                : self->due_ps);
}

WEIR_FN void ic_terminal_next(weir_ctx *ctx, void *state, const weir_event *event)
{
    ic_terminal *self = (ic_terminal *)state;
    (void)event; /* carries nothing but its time */
    if (self->wake_ps != ctx->now_ps)
        return;
    weir_touch(ctx, self, sizeof *self);
    ic_terminal_serve(ctx, ic_world_of(ctx), self);
}

WEIR_FN void ic_terminal_refill(weir_ctx *ctx, void *state, const weir_event *event)
{
    const ic_world *w = ic_world_of(ctx);
    ic_terminal *self = (ic_terminal *)state;
    const uint32_t before = self->credits;
    weir_touch(ctx, self, sizeof *self);
    self->credits += WEIR_PAYLOAD(ic_credit, event)->chunks;
    if (WEIR_UNLIKELY(self->credits > w->class_[IC_TERMINAL].buffer)) {
        weir_fault(ctx, IC_FAULT_CREDITS);
        return;
    }
    if (before < w->packet_chunks && self->busy_ps <= ctx->now_ps) /* it may have waited for this */
        ic_terminal_serve(ctx, w, self);
}

/* The program's time of computing is over, or it begins. */
WEIR_FN void ic_terminal_resume(weir_ctx *ctx, void *state, const weir_event *event)
{
    const ic_world *w = ic_world_of(ctx);
    ic_terminal *self = (ic_terminal *)state;
    const ic_job_world *job = ic_job_of(w, ctx->entity);
    (void)event; /* carries nothing but its time */
    weir_touch(ctx, self, sizeof *self);
    const ic_prog p = ic_prog_of(ctx, w, job, &self->due_ps);
    ic_prog_resume(&p);
    ic_terminal_serve(ctx, w, self);
}

/* Exact, in three counters of 32 bits and more each: those of two billion packets fit, whatever they took. */
WEIR_FN void ic_count_square(weir_ctx *ctx, const ic_world *w, uint32_t what, weir_time latency_ps)
{
    const uint64_t x = (uint64_t)latency_ps, low = x * x;
    ic_job_count(ctx, w, what, (int64_t)weir_mulhi64(x, x));
    ic_job_count(ctx, w, what + 1, (int64_t)(low >> 32));
    ic_job_count(ctx, w, what + 2, (int64_t)(low & UINT32_MAX));
}

/* A packet that is for this terminal is whole: count it. */
WEIR_FN void ic_receive(weir_ctx *ctx, const ic_world *w, ic_terminal *self, const ic_burst *b)
{
    const weir_time latency_ps = ctx->now_ps - b->born_ps;
    self->received++;
    self->chunks_received += b->size;
    self->received_sum += ic_packet_name(b);
    ic_job_count(ctx, w, IC_COUNT_PACKETS, 1);
    ic_job_count(ctx, w, IC_COUNT_CHUNKS, b->size);
    ic_job_count_ps(ctx, w, IC_COUNT_LATENCY, latency_ps);
    ic_count_square(ctx, w, IC_COUNT_SQUARES, latency_ps);
    if (ic_job_of(w, b->source)->source != IC_PROGRAM) {
        const weir_time total_ps = latency_ps + ic_waited_ps(b->message);
        ic_job_count_ps(ctx, w, IC_COUNT_TOTAL, total_ps);
        ic_count_square(ctx, w, IC_COUNT_TOTAL_SQUARES, total_ps);
        ic_job_count(ctx, w, IC_COUNT_TOTAL_PACKETS, 1);
    }
    ic_job_count(ctx, w, IC_LATENCY + ic_latency_bin(latency_ps), 1);
    if (b->hops == 0)
        ic_job_count(ctx, w, IC_COUNT_AROUND, 1);
    else
        ic_job_count(ctx, w, IC_COUNT_HOPS, b->hops);
    if (b->hops > 0 && b->via != IC_NO_VIA)
        ic_job_count(ctx, w, IC_COUNT_DETOURS, 1);
    if (w->pair) {
        const uint64_t pair = ic_pair_counters(w, ic_pair_class(w, b->source, b->target, b->class_));
        weir_count(ctx, pair + IC_PAIR_PACKETS, 1);
        weir_count(ctx, pair + IC_PAIR_LATENCY, latency_ps);
        if (w->pair >= IC_PAIR_SEEN)
            weir_count(ctx, pair + IC_PAIR_CHUNKS, b->size);
        if (w->pair == IC_PAIR_FULL)
            weir_count(ctx, pair + IC_PAIR_SEEN + wi_seen_bin(latency_ps), 1);
    }
}

WEIR_FN void ic_terminal_deliver(weir_ctx *ctx, void *state, const weir_event *event)
{
    const ic_world *w = ic_world_of(ctx);
    const ic_burst *b = WEIR_PAYLOAD(ic_burst, event);
    ic_terminal *self = (ic_terminal *)state;
    const ic_job_world *job = ic_job_of(w, ctx->entity);
    if (wi_is_zombie(b->mark)) {
        ic_job_count(ctx, w, IC_COUNT_ZOMBIES, 1);
        return;
    }
    weir_touch(ctx, self, sizeof *self);
    ic_receive(ctx, w, self, b);
    if (job && job->source == IC_PROGRAM) {
        const ic_prog p = ic_prog_of(ctx, w, job, &self->due_ps);
        ic_prog_receive(&p, b);
        ic_prog_run(&p);
        ic_terminal_serve(ctx, w, self);
        return;
    }
    if (job && job->source == IC_PING) {
        self->got += b->size;
        if (self->got < job->message_chunks)
            return;
        self->got = 0;
        self->messages++;
        if (ctx->now_ps >= job->stop_ps)
            return;
        self->due_ps = ctx->now_ps;
        ic_terminal_serve(ctx, w, self);
    }
}

/* Room at the router, and the first message. */
WEIR_FN void ic_terminal_init(weir_ctx *ctx, void *state)
{
    const ic_world *w = ic_world_of(ctx);
    ic_terminal *self = (ic_terminal *)state;
    const ic_job_world *job = ic_job_of(w, ctx->entity);
    const uint32_t rank = IC_TABLE(w, uint32_t, w->terminal_rank_at)[ctx->entity];
    self->wake_ps = -1;
    self->credits = w->class_[IC_TERMINAL].buffer;
    self->due_ps = WEIR_TIME_MAX;
    if (!job)
        return;
    switch (job->source) {
    case IC_RANDOM:
    case IC_CYCLE: {
        const uint32_t *first = IC_TABLE(w, uint32_t, w->list_first_at) + ctx->entity;
        if (job->source == IC_CYCLE && first[0] == first[1])
            break; /* nobody to send to */
        uint64_t bits, more;
        weir_stream stream = weir_stream_open(ctx);
        weir_draw_pair(&stream, &bits, &more);
        weir_stream_close(ctx, &stream);
        /* Periodic ones begin anywhere in their period. */
        self->due_ps = job->periodic ? weir_time_after(job->start_ps, job->gap_ps * weir_unit_of_bits(bits))
                                     : ic_next_due(job, job->start_ps - 1, bits);
        if (self->due_ps >= job->stop_ps)
            self->due_ps = WEIR_TIME_MAX;
        break;
    }
    case IC_PING:
        if (rank % 2 == 0)
            self->due_ps = job->start_ps;
        break;
    case IC_SCHEDULE: {
        const uint32_t *first = IC_TABLE(w, uint32_t, w->planned_first_at) + ctx->entity;
        if (first[0] < first[1])
            self->due_ps = IC_TABLE(w, ic_planned, w->planned_at)[first[0]].time_ps;
        break;
    }
    case IC_PROGRAM: {
        const ic_prog p = ic_prog_of(ctx, w, job, &self->due_ps);
        ic_prog_begin(&p, job->start_ps);
        break;
    }
    default:
        break;
    }
    if (self->due_ps != WEIR_TIME_MAX)
        ic_terminal_wake_at(ctx, self, self->due_ps);
}
