/*
 * The conservative engine: threads and ranks, each with the entities of one partition, in windows of time.
 *
 * Model: YAWNS (Nicol 1993), with half-open windows and bounds by partition. A round: handle what is due
 * before the window's end; wait at a barrier; collect what the others have posted. The next window ends at the
 * least, over partitions, of (next event + least lookahead of an entity with a neighbour elsewhere): nothing can
 * arrive before that. The sender of an event that is on its way counts it, with its target's lookahead, so that
 * one barrier a round is enough.
 *
 * A window is clipped at stop points. Where nothing crosses it would have no end: each partition then asks
 * for windows of some hundred thousand events, so that stopping and handing out records stay prompt.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/parts/part_run.h"
#include "engine/parts/parts.h"
#include "ranks/transport.h"
#include "weir/ranks.h"

enum {
    WI_REDUCED_FAULT = 1,   /* a handler broke the contract */
    WI_REDUCED_MEMORY = 2,  /* memory ran short */
    WI_REDUCED_STOP = 4,    /* the caller wants to stop */
    WI_REDUCED_RECORDS = 8, /* records should be handed out */
    WI_REDUCED_SINK = 16    /* the sink failed */
};

typedef struct wi_conservative wi_conservative;

/* A thread and its partition. */
typedef struct wi_worker {
    _Alignas(128) wi_part part; /* first: the loop hands it to the engine's functions */
    wi_conservative *engine;
    uint32_t thread, number;             /* number: of the partition */
    weir_time span_ps;                   /* longest window that it agrees to */
    weir_time posted_ps, posted_lbts_ps; /* least of what it has posted since the last barrier */
    uint64_t window_events;              /* handled in the last window */
    uint32_t flags;
} wi_worker;

struct wi_conservative {
    wi_parts parts; /* first: sim->engine is read as one */
    wi_transport transport;
    wi_worker *workers; /* [threads] */
    /* The run under way: written by thread 0 while the others wait. */
    weir_diag *diag;
    weir_time limit_ps, done_ps, window_ps; /* everything before done_ps is handled */
    const volatile int *stop;
    uint32_t ended; /* not 0: leave the loop, for these WI_REDUCED_... or ENDED */
};

enum { ENDED = 1u << 31 };

enum { WINDOW_FEW = 1 << 15, WINDOW_MANY = 1 << 18, RECORDS_MANY = 4096 };

/* The lower bound on time stamps of what a partition sends elsewhere, when its next event is at at_ps. */
static weir_time lbts_of(const wi_conservative *engine, uint32_t part, weir_time at_ps)
{
    return wi_time_later(at_ps, engine->parts.partition.lookahead_ps[part]);
}

/* The loop's hook for each event that a handler schedules. */
static inline int send(wi_part *part, const weir_event *event)
{
    wi_worker *const w = (wi_worker *)part;
    wi_conservative *const engine = w->engine;
    if (event->target == event->source)
        return 0;
    const uint32_t to = engine->parts.partition.part[event->target];
    if (to == w->number)
        return 0;
    if (WEIR_UNLIKELY(!engine->parts.partition.crosses[event->source])) {
        weir_fault_keep(&part->ctx, WEIR_FAULT_GRAPH, event->type, event->target);
        return 1;
    }
    if (WEIR_UNLIKELY(!wi_transport_post(&engine->transport, w->thread, to, event)))
        w->flags |= WI_REDUCED_MEMORY;
    const weir_time lbts_ps = lbts_of(engine, to, event->time_ps);
    w->posted_ps = event->time_ps < w->posted_ps ? event->time_ps : w->posted_ps;
    w->posted_lbts_ps = lbts_ps < w->posted_lbts_ps ? lbts_ps : w->posted_lbts_ps;
    return 1;
}

static void run_window(wi_worker *w, weir_time end_ps)
{
    static const wi_part_mode mode = {NULL, send};
    const uint64_t before = w->part.events;
    for (;;) {
        const wi_part_end end = wi_part_run(&w->part, &mode, end_ps, NULL);
        if (end == WI_PART_RECORDS && wi_records_reserve(&w->part, w->part.sim->max_records))
            continue;
        if (end == WI_PART_FAULT)
            w->flags |= WI_REDUCED_FAULT;
        else if (end != WI_PART_LIMIT)
            w->flags |= WI_REDUCED_MEMORY;
        break;
    }
    w->window_events = w->part.events - before;
}

/* Events of a batch are looked up by their source: ask for where those further on will be appended. */
WI_ASKS void collect_ahead(const wi_pending *p, const unsigned char *at, const unsigned char *end,
                           size_t stride)
{
    if (!p->streams)
        return;
    for (int last = 0; last < 2; last++) {
        const unsigned char *ahead = at + (last ? WI_AHEAD_NEAR : WI_AHEAD_ENTITY) * stride;
        if (ahead < end)
            wi_pending_ask_stream(p, ((const weir_event *)(const void *)ahead)->source, last);
    }
}

static void collect(wi_worker *w)
{
    const wi_transport *const t = &w->engine->transport;
    const wi_dispatch *const dispatch = w->part.sim->dispatch;
    for (uint32_t i = 0; i < wi_transport_batches(t); i++) {
        const wi_batch *batch = wi_transport_batch(t, w->thread, i);
        const size_t n = batch->used / t->stride;
        if (n == 0)
            continue;
        if (!wi_pending_has_room(&w->part.pending, n) && !wi_pending_reserve(&w->part.pending, n)) {
            w->flags |= WI_REDUCED_MEMORY;
            return;
        }
        for (const unsigned char *at = batch->at, *end = at + batch->used; at < end; at += t->stride) {
            const weir_event *event = (const weir_event *)(const void *)at;
            collect_ahead(&w->part.pending, at, end, t->stride);
            wi_pending_add(&w->part.pending, event, dispatch[event->type].ordered);
        }
    }
}

/* Longer windows after short ones, and the other way round. */
static void adapt_span(wi_worker *w)
{
    if (w->window_events < WINDOW_FEW)
        w->span_ps = wi_time_later(w->span_ps, w->span_ps);
    else if (w->window_events > WINDOW_MANY && w->span_ps > 1)
        w->span_ps /= 2;
}

/* What a partition brings to a barrier. */
static wi_reduction share_of(wi_worker *w)
{
    wi_conservative *const engine = w->engine;
    const weir_time next_ps = wi_pending_first(&w->part.pending);
    wi_reduction mine = {.next_ps = next_ps, .lbts_ps = lbts_of(engine, w->number, next_ps)};
    if (w->part.pending.keys.failed)
        w->flags |= WI_REDUCED_MEMORY;
    if (w->part.ctx.rec_count >= RECORDS_MANY)
        w->flags |= WI_REDUCED_RECORDS;
    if (w->thread == 0 && engine->stop && *engine->stop)
        w->flags |= WI_REDUCED_STOP;
    if (w->thread == 0 && engine->parts.sink_status != WEIR_OK)
        w->flags |= WI_REDUCED_SINK;
    mine.next_ps = w->posted_ps < mine.next_ps ? w->posted_ps : mine.next_ps;
    mine.lbts_ps = w->posted_lbts_ps < mine.lbts_ps ? w->posted_lbts_ps : mine.lbts_ps;
    const weir_time enough_ps = wi_time_later(next_ps, w->span_ps);
    mine.lbts_ps = enough_ps < mine.lbts_ps ? enough_ps : mine.lbts_ps;
    mine.events = w->part.events;
    mine.flags = w->flags;
    w->flags = 0;
    w->posted_ps = w->posted_lbts_ps = WEIR_TIME_MAX;
    return mine;
}

/* Thread 0, while the others wait: the next window, or the end. Every rank comes to the same decision. */
static void decide(void *user, const wi_reduction *all)
{
    wi_conservative *const engine = user;
    engine->parts.sim->events = all->events;
    if (engine->ended) { /* the last barrier of a run: all have collected */
        engine->ended |= all->flags & WI_REDUCED_MEMORY;
        return;
    }
    engine->done_ps = engine->window_ps;
    if (all->flags & (WI_REDUCED_FAULT | WI_REDUCED_MEMORY | WI_REDUCED_SINK)) {
        engine->ended = all->flags & (WI_REDUCED_FAULT | WI_REDUCED_MEMORY | WI_REDUCED_SINK);
        return;
    }
    if (all->flags & WI_REDUCED_RECORDS)
        engine->parts.sink_status = wi_parts_records(engine->diag, &engine->parts, engine->done_ps);
    if (all->next_ps >= engine->limit_ps) {
        engine->ended = ENDED;
        engine->done_ps = engine->limit_ps;
    } else if (all->flags & WI_REDUCED_STOP) {
        engine->ended = WI_REDUCED_STOP;
    }
    engine->window_ps = all->lbts_ps < engine->limit_ps ? all->lbts_ps : engine->limit_ps;
}

/* What every thread does in a run. It leaves when all have collected everything. */
static void drive(wi_parts *parts, uint32_t thread)
{
    wi_conservative *const engine = (wi_conservative *)parts;
    wi_worker *const w = &engine->workers[thread];
    wi_transport_settle(&engine->transport, thread);
    for (;;) {
        const wi_reduction mine = share_of(w);
        wi_transport_barrier(&engine->transport, w->thread, &mine);
        const uint32_t ended = engine->ended;
        const weir_time end_ps = engine->window_ps;
        collect(w);
        if (ended)
            break;
        adapt_span(w);
        run_window(w, end_ps);
    }
    const wi_reduction mine = share_of(w);
    wi_transport_barrier(&engine->transport, w->thread, &mine);
}

/* All of it by the calling thread, partition after partition, while the others sleep. */
static void drive_alone(wi_conservative *engine)
{
    wi_transport *const t = &engine->transport;
    for (uint32_t over = 0;; over = engine->ended) {
        for (uint32_t i = 0; i < t->n_threads; i++)
            t->members[i].share = share_of(&engine->workers[i]);
        wi_transport_barrier_alone(t);
        if (over)
            return;
        for (uint32_t i = 0; i < t->n_threads; i++)
            collect(&engine->workers[i]);
        for (uint32_t i = 0; i < t->n_threads && !engine->ended; i++) {
            adapt_span(&engine->workers[i]);
            run_window(&engine->workers[i], engine->window_ps);
        }
    }
}

static weir_status how_it_ended(weir_diag *diag, wi_conservative *engine, uint32_t ended)
{
    weir_sim *sim = engine->parts.sim;
    if (ended & WI_REDUCED_FAULT)
        return wi_parts_fault(diag, &engine->parts);
    if (ended & WI_REDUCED_MEMORY)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for more events or records in a partition, at %.9f s",
                         weir_seconds(sim->now_ps));
    if (!(ended & WI_REDUCED_SINK))
        engine->parts.sink_status = wi_parts_records(diag, &engine->parts, sim->now_ps);
    const weir_status status = weir_ranks_agree(diag, engine->parts.sink_status); /* only rank 0 has a sink */
    if (status != WEIR_OK)
        return status;
    return ended & WI_REDUCED_STOP ? WEIR_E_INTERRUPTED : WEIR_OK;
}

static weir_status run_until(weir_diag *diag, weir_sim *sim, weir_time limit_ps, const volatile int *stop)
{
    wi_conservative *engine = sim->engine;
    if (engine->transport.n_parts == 1)
        return wi_engine_sequential.run_until(diag, sim, limit_ps, stop);
    if (engine->parts.ranks) /* their pieces may differ; run.c goes on from there */
        limit_ps = engine->parts.ranks->least(limit_ps);
    engine->diag = diag;
    engine->limit_ps = limit_ps;
    engine->stop = stop;
    engine->window_ps = sim->now_ps;
    engine->ended = 0;
    sim->stale = 1;
    const uint64_t before = sim->events;
    if (wi_parts_run_alone(&engine->parts)) {
        wi_parts_await_rest(&engine->parts);
        drive_alone(engine);
    } else {
        wi_parts_run(&engine->parts);
    }
    engine->parts.lately = sim->events - before;
    sim->now_ps = engine->done_ps;
    return how_it_ended(diag, engine, engine->ended);
}

/* ---- making and freeing ---- */

/* A window of a nanosecond holds next to nothing: the run would only ever wait at barriers. */
enum { LOOKAHEAD_LEAST_PS = 1000 };

static weir_status check_lookahead(weir_diag *diag, weir_sim *sim, const wi_partition *p)
{
    char entity[WI_ENTITY_TEXT];
    weir_time least_ps = WEIR_TIME_MAX;
    for (uint32_t i = 0; i < p->n_parts; i++) {
        least_ps = p->lookahead_ps[i] < least_ps ? p->lookahead_ps[i] : least_ps;
        if (p->lookahead_ps[i] >= LOOKAHEAD_LEAST_PS)
            continue;
        wi_entity_text(sim, p->least[i], entity);
        if (sim->setup.optimistic_instead) {
            snprintf(sim->why, sizeof sim->why,
                     "windows need a lookahead of %d ps at the borders of partitions, and %s has %lld ps",
                     (int)LOOKAHEAD_LEAST_PS, entity, (long long)p->lookahead_ps[i]);
            return WEIR_E_UNSUPPORTED;
        }
        return weir_fail(diag, WEIR_E_ARG,
                         "model '%s': %s is at the border of two partitions with a lookahead of %lld ps, and "
                         "the conservative engine needs %d there: give it a longer delay to others, use "
                         "fewer threads or ranks, or use engine 'optimistic' or 'sequential'",
                         sim->setup.model->name, entity, (long long)p->lookahead_ps[i],
                         (int)LOOKAHEAD_LEAST_PS);
    }
    if (sim->setup.optimistic_instead && least_ps < WEIR_TIME_MAX)
        snprintf(sim->why, sizeof sim->why, "the least lookahead at the borders of partitions is %.9g us",
                 (double)least_ps * 1e-6);
    return WEIR_OK;
}

static weir_status make_workers(weir_diag *diag, wi_conservative *engine)
{
    bool whole = true;
    for (uint32_t i = 0; i < engine->parts.n_threads && whole; i++) {
        wi_worker *w = &engine->workers[i];
        whole = wi_parts_init_part(&engine->parts, i, &w->part);
        w->engine = engine;
        w->thread = i;
        w->number = engine->transport.rank * engine->parts.n_threads + i;
        w->span_ps = WEIR_PS_PER_US;
        w->posted_ps = w->posted_lbts_ps = WEIR_TIME_MAX;
    }
    return wi_parts_distribute(diag, &engine->parts, whole) ?: wi_parts_start(diag, &engine->parts, drive);
}

static weir_status start(weir_diag *diag, weir_sim *sim)
{
    wi_conservative *engine = calloc(1, sizeof *engine);
    if (!engine)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for the conservative engine");
    sim->engine = engine;
    WI_RETURN_IF_FAILED(wi_parts_count(diag, sim, &engine->parts));
    const uint32_t threads = engine->parts.n_threads;
    engine->workers = aligned_alloc(_Alignof(wi_worker), threads * sizeof *engine->workers);
    if (engine->workers)
        memset(engine->workers, 0, threads * sizeof *engine->workers);
    if (!engine->workers ||
        !wi_transport_init(&engine->transport, threads, engine->parts.ranks, sim->main.ctx.stride))
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for %u threads", threads);
    engine->transport.decide = decide;
    engine->transport.user = engine;
    if (engine->transport.n_parts == 1)
        return WEIR_OK;
    weir_status status = wi_parts_share(diag, &engine->parts)
            ?: check_lookahead(diag, sim, &engine->parts.partition)
            ?: make_workers(diag, engine);
    return weir_ranks_agree(diag, status);
}

static void stop_engine(weir_sim *sim)
{
    wi_conservative *engine = sim->engine;
    if (!engine)
        return;
    wi_parts_free(&engine->parts);
    wi_transport_free(&engine->transport);
    free(engine->workers);
    free(engine);
}

const wi_engine_ops wi_engine_conservative = {.name = "conservative",
                                              .collective = true,
                                              .instead = &wi_engine_optimistic,
                                              .start = start,
                                              .run_until = run_until,
                                              .fetch = wi_parts_fetch,
                                              .fetch_some = wi_parts_fetch_some,
                                              .visit_pending = wi_parts_visit,
                                              .memory_use = wi_parts_memory,
                                              .free = stop_engine,
                                              .part_of = wi_parts_part_of,
                                              .has = wi_parts_owns};
