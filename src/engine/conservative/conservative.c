/*
 * The conservative engine: threads and ranks, each with the entities of one partition, in windows of time.
 *
 * Model: YAWNS (Nicol 1993), with half-open windows and bounds by partition. A round: handle what is due
 * before the window's end; wait at a barrier; collect what the others have posted. The next window ends at the
 * least, over partitions, of (next event + least lookahead of an entity with a neighbour elsewhere): nothing can
 * arrive before that. What is on its way is counted by whoever posted it, with its target's lookahead, so that
 * one barrier a round is enough.
 *
 * A window is clipped at stop points. Where nothing crosses it would have no end: each partition then asks
 * for windows of some hundred thousand events, so that stopping and handing out records stay prompt.
 */
#include "engine/conservative/conservative.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/pending/pages.h"
#include "weir/ranks.h"

enum { WINDOW_FEW = 1 << 15, WINDOW_MANY = 1 << 18, RECORDS_MANY = 4096 };

static weir_time later(weir_time at_ps, weir_time by_ps)
{
    return at_ps < WEIR_TIME_MAX - by_ps ? at_ps + by_ps : WEIR_TIME_MAX;
}

/* How soon something of a partition that is idle before at_ps can reach another. */
static weir_time bound_of(const wi_conservative *engine, uint32_t part, weir_time at_ps)
{
    return later(at_ps, engine->crew.partition.lookahead_ps[part]);
}

/* The loop's hook for each event that a handler schedules. */
static inline int send(wi_part *part, const weir_event *event)
{
    wi_worker *const w = (wi_worker *)part;
    wi_conservative *const engine = w->engine;
    if (event->target == event->source)
        return 0;
    const uint32_t to = engine->crew.partition.part[event->target];
    if (to == w->number)
        return 0;
    if (WEIR_UNLIKELY(!engine->crew.partition.crosses[event->source])) {
        weir_fault_keep(&part->ctx, WEIR_FAULT_GRAPH, event->type, event->target);
        return 1;
    }
    if (WEIR_UNLIKELY(!wi_transport_post(&engine->transport, w->thread, to, event)))
        w->flags |= WI_SAID_MEMORY;
    const weir_time bound_ps = bound_of(engine, to, event->time_ps);
    w->posted_ps = event->time_ps < w->posted_ps ? event->time_ps : w->posted_ps;
    w->posted_bound_ps = bound_ps < w->posted_bound_ps ? bound_ps : w->posted_bound_ps;
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
            w->flags |= WI_SAID_FAULT;
        else if (end != WI_PART_LIMIT)
            w->flags |= WI_SAID_MEMORY;
        break;
    }
    w->window_events = w->part.events - before;
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
            w->flags |= WI_SAID_MEMORY;
            return;
        }
        for (const unsigned char *at = batch->at, *end = at + batch->used; at < end; at += t->stride) {
            const weir_event *event = (const weir_event *)(const void *)at;
            wi_pending_add(&w->part.pending, event, dispatch[event->type].ordered);
        }
    }
}

/* Longer windows after short ones, and the other way round. */
static void adapt_span(wi_worker *w)
{
    if (w->window_events < WINDOW_FEW)
        w->span_ps = later(w->span_ps, w->span_ps);
    else if (w->window_events > WINDOW_MANY && w->span_ps > 1)
        w->span_ps /= 2;
}

static wi_said say(wi_worker *w)
{
    wi_conservative *const engine = w->engine;
    const weir_time next_ps = wi_pending_first(&w->part.pending);
    wi_said mine = {.next_ps = next_ps, .bound_ps = bound_of(engine, w->number, next_ps)};
    if (w->part.pending.keys.failed)
        w->flags |= WI_SAID_MEMORY;
    if (w->part.ctx.rec_count >= RECORDS_MANY)
        w->flags |= WI_SAID_RECORDS;
    if (w->thread == 0 && engine->stop && *engine->stop)
        w->flags |= WI_SAID_STOP;
    if (w->thread == 0 && engine->crew.sink_status != WEIR_OK)
        w->flags |= WI_SAID_SINK;
    mine.next_ps = w->posted_ps < mine.next_ps ? w->posted_ps : mine.next_ps;
    mine.bound_ps = w->posted_bound_ps < mine.bound_ps ? w->posted_bound_ps : mine.bound_ps;
    const weir_time enough_ps = later(next_ps, w->span_ps);
    mine.bound_ps = enough_ps < mine.bound_ps ? enough_ps : mine.bound_ps;
    mine.events = w->part.events;
    mine.flags = w->flags;
    w->flags = 0;
    w->posted_ps = w->posted_bound_ps = WEIR_TIME_MAX;
    return mine;
}

/* Thread 0, while the others wait: the next window, or the end. Every rank comes to the same decision. */
static void decide(void *user, const wi_said *all)
{
    wi_conservative *const engine = user;
    engine->crew.sim->events = all->events;
    if (engine->ended) { /* the last barrier of a run: all have collected */
        engine->ended |= all->flags & WI_SAID_MEMORY;
        return;
    }
    engine->done_ps = engine->window_ps;
    if (all->flags & (WI_SAID_FAULT | WI_SAID_MEMORY | WI_SAID_SINK)) {
        engine->ended = all->flags & (WI_SAID_FAULT | WI_SAID_MEMORY | WI_SAID_SINK);
        return;
    }
    if (all->flags & WI_SAID_RECORDS)
        engine->crew.sink_status = wi_crew_records(engine->diag, &engine->crew, engine->done_ps);
    if (all->next_ps >= engine->limit_ps) {
        engine->ended = WI_ENDED;
        engine->done_ps = engine->limit_ps;
    } else if (all->flags & WI_SAID_STOP) {
        engine->ended = WI_SAID_STOP;
    }
    engine->window_ps = all->bound_ps < engine->limit_ps ? all->bound_ps : engine->limit_ps;
}

/* What every thread does in a run. It leaves when all have collected everything. */
static void drive(wi_worker *w)
{
    wi_conservative *const engine = w->engine;
    for (;;) {
        const wi_said mine = say(w);
        wi_transport_barrier(&engine->transport, w->thread, &mine);
        const uint32_t ended = engine->ended;
        const weir_time end_ps = engine->window_ps;
        collect(w);
        if (ended)
            break;
        adapt_span(w);
        run_window(w, end_ps);
    }
    const wi_said mine = say(w);
    wi_transport_barrier(&engine->transport, w->thread, &mine);
}

/* All of it by the calling thread, partition after partition, while the others sleep: where a hook's horizons
 * are close to each other, what happens between two of them is less work than barriers. */
static void drive_alone(wi_conservative *engine)
{
    wi_transport *const t = &engine->transport;
    for (uint32_t over = 0;; over = engine->ended) {
        for (uint32_t i = 0; i < t->n_threads; i++)
            t->members[i].said = say(&engine->workers[i]);
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

static void *thread_main(void *arg)
{
    wi_worker *w = arg;
    for (uint32_t run = 1;; run++) {
        (void)wi_gate_wait(&w->engine->start, run, w->engine->transport.spin_ns);
        if (w->engine->quit)
            return NULL;
        wi_transport_settle(&w->engine->transport, w->thread);
        drive(w);
        wi_gate_step(&w->engine->rested);
    }
}

static void release(wi_conservative *engine)
{
    wi_gate_set(&engine->start, ++engine->runs);
}

static weir_status how_it_ended(weir_diag *diag, wi_conservative *engine, uint32_t ended)
{
    weir_sim *sim = engine->crew.sim;
    if (ended & WI_SAID_FAULT)
        return wi_crew_fault(diag, &engine->crew);
    if (ended & WI_SAID_MEMORY)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for more events or records in a partition, at %.9f s",
                         weir_seconds(sim->now_ps));
    if (!(ended & WI_SAID_SINK))
        engine->crew.sink_status = wi_crew_records(diag, &engine->crew, sim->now_ps);
    const weir_status status = weir_ranks_agree(diag, engine->crew.sink_status); /* only rank 0 has a sink */
    if (status != WEIR_OK)
        return status;
    return ended & WI_SAID_STOP ? WEIR_E_INTERRUPTED : WEIR_OK;
}

/* What a thread handles while several wake, wait at a barrier and fall asleep again. */
enum { ALONE_EVENTS = 2000 };

static weir_status run_until(weir_diag *diag, weir_sim *sim, weir_time limit_ps, const volatile int *stop)
{
    wi_conservative *engine = sim->engine;
    if (engine->transport.n_parts == 1)
        return wi_engine_sequential.run_until(diag, sim, limit_ps, stop);
    if (engine->crew.ranks) /* their pieces may differ; run.c goes on from there */
        limit_ps = engine->crew.ranks->least(limit_ps);
    engine->diag = diag;
    engine->limit_ps = limit_ps;
    engine->stop = stop;
    engine->window_ps = sim->now_ps;
    engine->ended = 0;
    sim->stale = 1;
    const uint64_t before = sim->events;
    if (sim->setup.hook && !engine->crew.ranks && engine->lately < ALONE_EVENTS) {
        /* The others have left the last barrier of the run before. */
        (void)wi_gate_wait(&engine->rested, engine->runs * (engine->crew.n_threads - 1),
                           engine->transport.spin_ns);
        drive_alone(engine);
    } else {
        wi_transport_settle(&engine->transport, 0);
        release(engine);
        drive(&engine->workers[0]);
    }
    engine->lately = sim->events - before;
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
        return weir_fail(
            diag, WEIR_E_ARG,
            "model '%s': %s is at the border of two partitions with a lookahead of %lld ps, and the "
            "conservative engine needs %d there: give it a longer delay to others, use fewer threads or "
            "ranks, or use engine 'optimistic' or 'sequential'",
            sim->setup.model->name, entity, (long long)p->lookahead_ps[i], (int)LOOKAHEAD_LEAST_PS);
    }
    if (sim->setup.optimistic_instead && least_ps < WEIR_TIME_MAX)
        snprintf(sim->why, sizeof sim->why, "the least lookahead at the borders of partitions is %.9g us",
                 (double)least_ps * 1e-6);
    return WEIR_OK;
}

static void take_over(void *user, const weir_event *event)
{
    wi_conservative *engine = user;
    uint32_t thread;
    if (!wi_crew_has(&engine->crew, event->target, &thread))
        return;
    wi_worker *w = &engine->workers[thread];
    if (!wi_pending_has_room(&w->part.pending, 1) && !wi_pending_reserve(&w->part.pending, 1))
        w->flags |= WI_SAID_MEMORY;
    else
        wi_pending_add(&w->part.pending, event, engine->crew.sim->dispatch[event->type].ordered);
}

static weir_status make_workers(weir_diag *diag, weir_sim *sim, wi_conservative *engine)
{
    const size_t bytes = sim->setup.n_counters * sizeof(int64_t);
    int whole = 1;
    for (uint32_t i = 0; i < engine->crew.n_threads && whole; i++) {
        wi_worker *w = &engine->workers[i];
        w->counters = wi_pages_new(bytes);
        whole = w->counters && wi_part_init(&w->part, sim, w->counters);
        engine->crew.part[i] = &w->part;
        engine->crew.counters[i] = w->counters;
        w->engine = engine;
        w->thread = i;
        w->number = engine->transport.rank * engine->crew.n_threads + i;
        w->span_ps = WEIR_PS_PER_US;
        w->posted_ps = w->posted_bound_ps = WEIR_TIME_MAX;
    }
    if (whole)
        wi_pending_visit(&sim->main.pending, take_over, engine);
    for (uint32_t i = 0; i < engine->crew.n_threads; i++)
        whole &= !(engine->workers[i].flags & WI_SAID_MEMORY);
    weir_status status = wi_crew_taken_over(diag, &engine->crew, whole);
    for (uint32_t i = 1; i < engine->crew.n_threads && status == WEIR_OK; i++) {
        wi_worker *w = &engine->workers[i];
        status = wi_crew_thread(diag, &engine->crew, i, &w->pthread, thread_main, w);
        w->started = status == WEIR_OK;
    }
    return status;
}

static weir_status start(weir_diag *diag, weir_sim *sim)
{
    wi_conservative *engine = calloc(1, sizeof *engine);
    if (!engine)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for the conservative engine");
    sim->engine = engine;
    weir_status status = wi_crew_count(diag, sim, &engine->crew);
    if (status != WEIR_OK)
        return status;
    const uint32_t threads = engine->crew.n_threads;
    wi_gate_init(&engine->start, 0);
    wi_gate_init(&engine->rested, 0);
    engine->workers = aligned_alloc(_Alignof(wi_worker), threads * sizeof *engine->workers);
    if (engine->workers)
        memset(engine->workers, 0, threads * sizeof *engine->workers);
    if (!engine->workers ||
        !wi_transport_init(&engine->transport, threads, engine->crew.ranks, sim->main.ctx.stride))
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for %u threads", threads);
    engine->transport.decide = decide;
    engine->transport.user = engine;
    if (engine->transport.n_parts == 1)
        return WEIR_OK;
    status = wi_crew_share(diag, &engine->crew);
    if (status == WEIR_OK)
        status = check_lookahead(diag, sim, &engine->crew.partition);
    if (status == WEIR_OK)
        status = make_workers(diag, sim, engine);
    return weir_ranks_agree(diag, status);
}

static void stop_engine(weir_sim *sim)
{
    wi_conservative *engine = sim->engine;
    if (!engine)
        return;
    engine->quit = 1;
    if (engine->crew.n_threads)
        release(engine);
    for (uint32_t i = 0; engine->workers && i < engine->crew.n_threads; i++) {
        wi_worker *w = &engine->workers[i];
        if (w->started)
            pthread_join(w->pthread, NULL);
        wi_part_free(&w->part);
        wi_pages_free(w->counters, sim->setup.n_counters * sizeof(int64_t));
    }
    if (engine->crew.n_threads)
        wi_gate_free(&engine->start);
    wi_gate_free(&engine->rested);
    wi_transport_free(&engine->transport);
    wi_crew_free(&engine->crew);
    free(engine->workers);
    free(engine);
}

const wi_engine_ops wi_engine_conservative = {.name = "conservative",
                                              .collective = true,
                                              .instead = &wi_engine_optimistic,
                                              .start = start,
                                              .run_until = run_until,
                                              .fetch = wi_crew_fetch,
                                              .fetch_some = wi_crew_fetch_some,
                                              .visit_pending = wi_crew_visit,
                                              .memory_use = wi_crew_memory,
                                              .free = stop_engine,
                                              .part_of = wi_crew_part_of,
                                              .has = wi_crew_owns};
