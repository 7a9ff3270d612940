/*
 * The optimistic engine: runs, and barriers at their ends. Making and freeing it: make.c.
 *
 * Model: Time Warp (Jefferson 1985) with one rollback domain an entity, aggressive cancellation, and Mattern's GVT (gvt.c).
 * Between two stop points no thread waits for another, except for memory.
 */
#include "engine/core/event_key.h"
#include "engine/optimistic/optimistic.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "weir/ranks.h"

/* ---- waiting ---- */

enum { LOOKS = 32, YIELDS = 2000, NAP_NS = 50000 };

/* Nothing to do: look again soon, then later. */
static void rest(wi_pe *pe)
{
    static const struct timespec nap = {.tv_nsec = NAP_NS};
    const uint32_t looks = pe->engine->parts.crowded ? 0 : LOOKS;
    pe->idle++;
    if (pe->engine->alone)
        return;
    if (pe->idle > looks + YIELDS)
        nanosleep(&nap, NULL);
    else if (pe->idle > looks)
        sched_yield();
}

/* A barrier of this rank's threads; thread 0 does `work` before any goes on. */
static void barrier(wi_pe *pe, void (*work)(void *engine))
{
    wi_optimistic *const engine = pe->engine;
    (void)wi_barrier_wait(&engine->barrier, pe->thread, engine->parts.spin_ns, work, engine);
}

/* ---- records ---- */

/* What is earlier than before_ps and than everything that may still be rolled back. */
static void hand_out(wi_optimistic *engine, weir_time before_ps)
{
    wi_parts *parts = &engine->parts;
    for (uint32_t i = 0; i < parts->n_threads; i++) {
        const weir_ctx *ctx = &parts->part[i]->ctx;
        const weir_time kept_ps = wi_history_first(&engine->pe[i].history);
        before_ps = kept_ps < before_ps ? kept_ps : before_ps;
        if (ctx->rec_count > 1)
            qsort(ctx->rec, ctx->rec_count, ctx->rec_stride, wi_record_compare);
    }
    if (parts->ranks)
        before_ps = parts->ranks->least(before_ps);
    parts->sink_status = wi_parts_records(engine->diag, parts, before_ps);
}

static void hand_out_some(void *user)
{
    wi_optimistic *engine = user;
    hand_out(engine, atomic_load_explicit(&engine->gvt_ps, memory_order_relaxed));
    const weir_status status = engine->parts.sink_status;
    /* Only rank 0 has a sink, and all must leave together. */
    const int failed =
        engine->parts.ranks ? engine->parts.ranks->least(status == WEIR_OK) == 0 : status != WEIR_OK;
    atomic_store_explicit(&engine->halt, failed ? WI_HALT_ENDED : 0, memory_order_release);
}

/* ---- a run ---- */

static void settle(void *user)
{
    wi_optimistic *engine = user;
    if (engine->parts.ranks)
        wi_remote_settle(engine);
}

static void nothing(void *user)
{
    (void)user;
}

static weir_time end_of_run(const wi_optimistic *engine)
{
    return atomic_load_explicit(&engine->limit_ps, memory_order_relaxed);
}

/* Nothing from the end on stays handled, and no mail stays on its way. Two halves, with a barrier between. */
static void leave(wi_pe *pe)
{
    if (pe->engine->ended & WI_WARP_STOP)
        wi_pe_rollback_all(pe, end_of_run(pe->engine));
    wi_pe_flush(pe);
}

static void leave_for_good(wi_pe *pe)
{
    while (wi_pe_drain(pe))
        ;
    if (!(pe->engine->ended & WI_WARP_FATAL) && !pe->faulted)
        wi_pe_fossil_collect(pe, end_of_run(pe->engine));
}

/* Returns whether the run has ended for this thread. */
static int obey(wi_pe *pe, uint32_t halt)
{
    if (halt == WI_HALT_RECORDS) {
        barrier(pe, hand_out_some);
        return 0;
    }
    leave(pe);
    barrier(pe, settle);
    leave_for_good(pe);
    barrier(pe, nothing);
    return 1;
}

static void drive(wi_parts *parts, uint32_t thread)
{
    wi_optimistic *const engine = (wi_optimistic *)parts;
    wi_pe *const pe = &engine->pe[thread];
    for (;;) {
        const int busy = wi_pe_turn(pe);
        const uint32_t halt = atomic_load_explicit(&engine->halt, memory_order_acquire);
        if (WEIR_UNLIKELY(halt != 0)) {
            if (obey(pe, halt))
                return;
        } else if (busy) {
            pe->idle = 0;
        } else {
            rest(pe);
        }
    }
}

/* All PEs in turn by the calling thread, while the others sleep. */
static void drive_alone(wi_optimistic *engine)
{
    const uint32_t n = engine->parts.n_threads;
    uint32_t halt = 0;
    engine->alone = 1;
    while (halt != WI_HALT_ENDED) {
        for (uint32_t i = 0; i < n; i++)
            engine->pe[i].idle = wi_pe_turn(&engine->pe[i]) ? 0 : 1;
        halt = atomic_load_explicit(&engine->halt, memory_order_relaxed);
        if (halt == WI_HALT_RECORDS)
            hand_out_some(engine);
    }
    for (uint32_t i = 0; i < n; i++)
        leave(&engine->pe[i]);
    for (uint32_t i = 0; i < n; i++)
        leave_for_good(&engine->pe[i]);
    engine->alone = 0;
}

/* What all PEs of all ranks have counted. */
static void count_events(wi_optimistic *engine)
{
    int64_t sum[WI_WARP_COUNTS] = {0}, one[WI_WARP_COUNTS];
    for (uint32_t i = 0; i < engine->parts.n_threads; i++) {
        memcpy(one, &engine->pe[i].counts, sizeof one);
        for (int k = 0; k < WI_WARP_COUNTS; k++)
            sum[k] += one[k];
    }
    if (engine->parts.ranks)
        engine->parts.ranks->sum(sum, WI_WARP_COUNTS);
    memcpy(&engine->counts, sum, sizeof sum);
    engine->parts.sim->events = engine->counts.handled - engine->counts.rolled_back;
}

/* A handler that cannot be rolled back: the message of the PE that found one. */
static weir_status model_error(weir_diag *diag, const wi_optimistic *engine)
{
    weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < engine->parts.n_threads && status == WEIR_OK; i++)
        if (engine->pe[i].flags & WI_WARP_MODEL)
            status = weir_fail(diag, WEIR_E_MODEL, "%s", engine->pe[i].wrong);
    return weir_ranks_agree(diag, status);
}

static weir_status how_it_ended(weir_diag *diag, wi_optimistic *engine)
{
    weir_sim *sim = engine->parts.sim;
    if (engine->ended & WI_WARP_MODEL)
        return model_error(diag, engine);
    if (engine->ended & WI_WARP_BROKEN)
        return weir_fail(diag, WEIR_E_MODEL,
                         "model '%s', optimistic engine: an event is to be cancelled that never came, near "
                         "%.12f s; either the model fails under engine 'check', or this is a fault of weir",
                         sim->setup.model->name, weir_seconds(atomic_load(&engine->gvt_ps)));
    if (engine->ended & WI_WARP_MEMORY)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for more events or records in a partition, at %.9f s",
                         weir_seconds(sim->now_ps));
    if (atomic_load(&engine->fault_ps) != WEIR_TIME_MAX)
        return wi_parts_fault(diag, &engine->parts);
    if (engine->parts.sink_status == WEIR_OK)
        hand_out(engine, sim->now_ps);
    WI_RETURN_IF_FAILED(weir_ranks_agree(diag, engine->parts.sink_status));
    return engine->ended & WI_WARP_STOP ? WEIR_E_INTERRUPTED : WEIR_OK;
}

static void begin(wi_optimistic *engine, weir_diag *diag, weir_time limit_ps, const volatile int *stop)
{
    const weir_time now_ps = engine->parts.sim->now_ps;
    engine->diag = diag;
    engine->stop = stop;
    engine->ended = 0;
    engine->gvt_state = WI_GVT_IDLE;
    engine->next_gvt = engine->pe[0].part.events + engine->gvt_events;
    wi_remote_begin(engine, now_ps);
    atomic_store(&engine->limit_ps, limit_ps);
    atomic_store(&engine->gvt_ps, now_ps);
    engine->stopping = 0;
    atomic_store(&engine->halt, 0);
    for (uint32_t i = 0; i < engine->parts.n_threads; i++) {
        wi_pe *pe = &engine->pe[i];
        pe->gvt_ps = now_ps;
        pe->safe_ps = wi_time_later(now_ps, engine->lookahead_ps);
        pe->last_safe_ps = -1;
        pe->stopping = 0;
        wi_pe_begin_eot(pe, now_ps);
        pe->published = atomic_load(&engine->published);
        pe->since_ps = WEIR_TIME_MAX;
    }
}

/* Random delays of an odd seed: one thread has all turns, and a fault repeats exactly. */
static int goes_alone(const weir_sim *sim)
{
    return sim->setup.optimistic.stress & 1;
}

static weir_status run_until(weir_diag *diag, weir_sim *sim, weir_time limit_ps, const volatile int *stop)
{
    wi_optimistic *engine = sim->engine;
    if (engine->parts.n_parts == 1)
        return wi_engine_sequential.run_until(diag, sim, limit_ps, stop);
    if (!engine->parts.ranks && stop && *stop)
        return WEIR_E_INTERRUPTED;
    if (engine->parts.ranks) /* their pieces may differ; run.c goes on from there */
        limit_ps = engine->parts.ranks->least(limit_ps);
    const uint64_t before = sim->events;
    sim->stale = 1;
    wi_parts_await_rest(&engine->parts);
    begin(engine, diag, limit_ps, stop);
    if (wi_parts_run_alone(&engine->parts) || (goes_alone(sim) && !engine->parts.ranks))
        drive_alone(engine);
    else
        wi_parts_run(&engine->parts);
    if (atomic_load(&engine->fault_ps) == WEIR_TIME_MAX && !(engine->ended & ~(uint32_t)WI_WARP_STOP) &&
        engine->parts.sink_status == WEIR_OK)
        sim->now_ps = end_of_run(engine);
    count_events(engine);
    engine->parts.lately = sim->events - before;
    return how_it_ended(diag, engine);
}

/* ---- the engine ---- */

static weir_status start(weir_diag *diag, weir_sim *sim)
{
    return wi_optimistic_make(diag, sim, drive);
}

static bool statistics(const weir_sim *sim, weir_optimistic_statistics *out)
{
    const wi_optimistic *engine = sim->engine;
    if (engine->parts.n_parts == 1)
        return false;
    const wi_warp_counts *c = &engine->counts;
    *out = (weir_optimistic_statistics){.handled = c->handled,
                                        .rolled_back = c->rolled_back,
                                        .rollbacks_primary = c->primary,
                                        .rollbacks_secondary = c->secondary,
                                        .cancelled = c->cancelled,
                                        .sent_remote = c->sent,
                                        .safe = c->safe,
                                        .gvt_rounds = engine->rounds,
                                        .throttled = c->throttled,
                                        .faults_undone = c->faults_undone,
                                        .memory_peak_bytes = c->peak_bytes,
                                        .memory_bytes = engine->most_bytes * engine->parts.n_parts};
    return true;
}

const wi_engine_ops wi_engine_optimistic = {.name = "optimistic",
                                            .collective = true,
                                            .start = start,
                                            .run_until = run_until,
                                            .fetch = wi_parts_fetch,
                                            .fetch_some = wi_parts_fetch_some,
                                            .visit_pending = wi_parts_visit,
                                            .memory_use = wi_parts_memory,
                                            .optimistic = statistics,
                                            .part_of = wi_parts_part_of,
                                            .has = wi_parts_owns,
                                            .free = wi_optimistic_free};
