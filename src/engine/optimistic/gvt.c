/*
 * Global virtual time: the least time that anything pending or on its way still has.
 *
 * Model: Mattern (1993), two cuts and colours. Thread 0 starts a round; each PE then sends in the new colour and
 * notes the least time of what it sends. When all do, each reports: its least pending time, the least sent in
 * the new colour, and the blocks of the old colour that it has sent less those received. Where these sum to zero
 * over all PEs, everything of the old colour has arrived, and the least of the reports is the GVT; else all
 * report again. Nobody waits: between looks everybody goes on. Ranks add up their reports in one asynchronous
 * gathering.
 *
 * Safety: what is received after a round was sent by events not before the GVT of the round before it (whatever
 * those before had sent was of an older colour), so it is not due before that GVT and the least lookahead.
 * Events earlier than that are handled for good.
 */
#include "engine/optimistic/optimistic.h"

/* AHEAD_MOST: what a thread handles in some milliseconds. One that gets further while another has lost its core would
 * fill the caches with history, and pay for it by the event. */
enum { RECORDS_MANY = 1024, AHEAD_LEAST = 64, AHEAD_MOST = 1 << 15 };

/* ---- every PE ---- */

static void commit_records(void *user, const wi_done *done)
{
    wi_pe *pe = user;
    weir_ctx *ctx = &pe->part.ctx;
    if (!wi_records_reserve(&pe->part, done->n_records)) {
        pe->flags |= WI_WARP_MEMORY;
        return;
    }
    memcpy(ctx->rec + (size_t)ctx->rec_count * ctx->rec_stride, wi_done_records(&pe->history, done),
           (size_t)done->n_records * ctx->rec_stride);
    ctx->rec_count += done->n_records;
}

/* Far ahead while little comes back, less far while much does. */
static void adapt(wi_pe *pe)
{
    const uint64_t handled = pe->counts.handled - pe->net_at_gvt,
                   back = pe->counts.rolled_back - pe->back_at_gvt;
    pe->net_at_gvt = pe->counts.handled;
    pe->back_at_gvt = pe->counts.rolled_back;
    if (back * 4 > handled && pe->ahead_most > AHEAD_LEAST)
        pe->ahead_most = pe->ahead_most / 2;
    else if (back * 16 < handled && pe->ahead_most < AHEAD_MOST + 4 * pe->engine->gvt_events)
        pe->ahead_most += pe->ahead_most / 2;
}

void wi_pe_commit(wi_pe *pe, weir_time gvt_ps)
{
    pe->gvt_ps = gvt_ps;
    pe->counts.peak_bytes = pe->history.bytes + pe->mail_bytes > pe->counts.peak_bytes
                                ? pe->history.bytes + pe->mail_bytes
                                : pe->counts.peak_bytes;
    wi_history_commit(&pe->history, gvt_ps, commit_records, pe);
    adapt(pe);
}

static void change_colour(wi_pe *pe, uint32_t round)
{
    wi_pe_flush(pe);
    pe->round = round;
    pe->sent_ps = WEIR_TIME_MAX;
    atomic_store_explicit(&pe->seen, round, memory_order_release);
}

static void report(wi_pe *pe, uint32_t ask)
{
    wi_optimistic *const engine = pe->engine;
    const uint32_t before = (pe->round - 1) & 1;
    (void)wi_pe_drain(pe);
    const weir_time next_ps = pe->faulted ? WEIR_TIME_MAX : wi_pending_first(&pe->part.pending);
    pe->transit = (int64_t)(pe->sent[before] - pe->received[before]);
    pe->least_ps = next_ps < pe->sent_ps ? next_ps : pe->sent_ps;
    pe->fault_ps = pe->faulted ? pe->part.during.time_ps : WEIR_TIME_MAX;
    pe->said = pe->flags;
    if (pe->part.ctx.rec_count >= RECORDS_MANY)
        pe->said |= WI_WARP_RECORDS;
    if (pe->thread == 0 && engine->stop && *engine->stop)
        pe->said |= WI_WARP_STOP;
    pe->reported = ask;
    atomic_store_explicit(&pe->answered, ask, memory_order_release);
}

void wi_pe_gvt(wi_pe *pe)
{
    wi_optimistic *const engine = pe->engine;
    const uint32_t round = atomic_load_explicit(&engine->round, memory_order_acquire);
    if (round != pe->round)
        change_colour(pe, round);
    const uint32_t ask = atomic_load_explicit(&engine->ask, memory_order_acquire);
    if (ask != pe->reported)
        report(pe, ask);
    const weir_time gvt_ps = atomic_load_explicit(&engine->gvt_ps, memory_order_acquire);
    if (gvt_ps > pe->gvt_ps)
        wi_pe_commit(pe, gvt_ps);
}

/* ---- thread 0 ---- */

static int all_seen(const wi_optimistic *engine, uint32_t round)
{
    for (uint32_t i = 0; i < engine->crew.n_threads; i++)
        if (atomic_load_explicit(&engine->pe[i].seen, memory_order_acquire) != round)
            return 0;
    return 1;
}

static int all_answered(const wi_optimistic *engine, uint32_t ask)
{
    for (uint32_t i = 0; i < engine->crew.n_threads; i++)
        if (atomic_load_explicit(&engine->pe[i].answered, memory_order_acquire) != ask)
            return 0;
    return 1;
}

static void join(wi_tell *all, const wi_tell *one)
{
    all->transit += one->transit;
    all->least_ps = one->least_ps < all->least_ps ? one->least_ps : all->least_ps;
    all->fault_ps = one->fault_ps < all->fault_ps ? one->fault_ps : all->fault_ps;
    all->flags |= one->flags;
}

static void join_threads(wi_optimistic *engine)
{
    engine->tell = (wi_tell){.least_ps = WEIR_TIME_MAX, .fault_ps = WEIR_TIME_MAX};
    for (uint32_t i = 0; i < engine->crew.n_threads; i++) {
        const wi_pe *pe = &engine->pe[i];
        const wi_tell one = {pe->transit, pe->least_ps, pe->fault_ps, pe->said};
        join(&engine->tell, &one);
    }
}

static void ask_all(wi_optimistic *engine)
{
    atomic_store_explicit(&engine->ask, atomic_load_explicit(&engine->ask, memory_order_relaxed) + 1,
                          memory_order_release);
    engine->gvt_state = WI_GVT_ASK;
}

static void halt(wi_optimistic *engine, uint32_t why)
{
    atomic_store_explicit(&engine->halt, why, memory_order_release);
}

/* A new GVT stands. */
static void publish(wi_optimistic *engine, const wi_tell *all)
{
    const weir_time before_ps = atomic_load_explicit(&engine->gvt_ps, memory_order_relaxed);
    const weir_time gvt_ps = all->least_ps > before_ps ? all->least_ps : before_ps;
    const weir_time safe_ps = wi_time_later(before_ps, engine->lookahead_ps);
    const weir_time limit_ps = atomic_load_explicit(&engine->limit_ps, memory_order_relaxed);
    engine->rounds++;
    atomic_store_explicit(&engine->hurry, 0, memory_order_relaxed);
    if (all->fault_ps < atomic_load_explicit(&engine->fault_ps, memory_order_relaxed))
        atomic_store_explicit(&engine->fault_ps, all->fault_ps, memory_order_relaxed);
    /* What is before safe_ps may have been handled for good: a consistent point is not before that. */
    const weir_time early_ps = safe_ps > gvt_ps ? safe_ps : gvt_ps;
    if ((all->flags & WI_WARP_STOP) && early_ps < limit_ps) {
        atomic_store_explicit(&engine->limit_ps, early_ps, memory_order_relaxed);
        engine->ended |= WI_WARP_STOP;
    }
    atomic_store_explicit(&engine->safe_ps, safe_ps, memory_order_relaxed);
    atomic_store_explicit(&engine->gvt_ps, gvt_ps, memory_order_release);
    const weir_optimistic_options *o = &engine->crew.sim->setup.optimistic;
    if (o->at_gvt && gvt_ps > before_ps)
        o->at_gvt(o->at_gvt_user, gvt_ps);
    if (gvt_ps >= wi_optimistic_limit(engine))
        halt(engine, WI_HALT_ENDED);
    else if (all->flags & WI_WARP_RECORDS)
        halt(engine, WI_HALT_RECORDS);
}

static void conclude(wi_optimistic *engine, const wi_tell *all)
{
    engine->tries++;
    if (all->flags & WI_WARP_FATAL) {
        engine->ended |= (uint32_t)all->flags & WI_WARP_FATAL;
        halt(engine, WI_HALT_ENDED);
    } else if (all->transit != 0) {
        ask_all(engine);
        return;
    } else {
        publish(engine, all);
    }
    engine->next_gvt = engine->pe[0].part.events + engine->gvt_events;
    engine->gvt_state = WI_GVT_IDLE;
}

static int is_due(const wi_optimistic *engine)
{
    const wi_pe *first = &engine->pe[0];
    return first->part.events >= engine->next_gvt || first->idle > 0 ||
           atomic_load_explicit(&engine->hurry, memory_order_relaxed);
}

void wi_gvt_drive(wi_optimistic *engine)
{
    const uint32_t round = atomic_load_explicit(&engine->round, memory_order_relaxed);
    if (engine->crew.ranks)
        (void)wi_remote_progress(engine);
    if (WEIR_UNLIKELY(wi_stress_skips(&engine->pe[0])))
        return;
    switch (engine->gvt_state) {
    case WI_GVT_IDLE:
        if (!is_due(engine) || atomic_load_explicit(&engine->halt, memory_order_relaxed))
            return;
        atomic_store_explicit(&engine->round, round + 1, memory_order_release);
        engine->gvt_state = WI_GVT_COLOUR;
        return;
    case WI_GVT_COLOUR:
        if (all_seen(engine, round))
            ask_all(engine);
        return;
    case WI_GVT_ASK:
        if (!all_answered(engine, atomic_load_explicit(&engine->ask, memory_order_relaxed)))
            return;
        join_threads(engine);
        if (!engine->crew.ranks) {
            conclude(engine, &engine->tell);
            return;
        }
        wi_remote_tell(engine);
        engine->gvt_state = WI_GVT_RANKS;
        return;
    default:
        if (!wi_remote_told(engine))
            return;
        wi_tell all = {.least_ps = WEIR_TIME_MAX, .fault_ps = WEIR_TIME_MAX};
        for (uint32_t r = 0; r < engine->crew.ranks->n_ranks; r++)
            join(&all, &engine->tells[r]);
        conclude(engine, &all);
    }
}
