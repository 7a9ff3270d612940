/*
 * Global virtual time (GVT): no event or anti-message with an earlier time stamp is pending or on its way.
 *
 * Model: Mattern (1993), two cuts and colours. Thread 0 begins a round: from then on each PE sends in the new colour, and
 * notes the least time stamp of what it sends. When all PEs do, each reports its least pending time stamp, the least that
 * it sent in the new colour, and how many blocks of the old colour it has sent, less those received. Where these counts
 * sum to zero over all PEs, everything of the old colour has arrived, and the least of the reports is the GVT; else all
 * report again. No PE waits for a round. Ranks share their reports in one asynchronous gathering.
 *
 * Safety: what a PE receives after a round was sent by another PE, either before its report and in the new colour, whose
 * least time stamp that PE has reported, or after its report. In the second case it goes back to what was pending at
 * another PE or on its way there at the reports, or to what the PE itself has sent since. Each step from there takes the
 * least lookahead or more. So the PE whose events are the earliest is safe up to the others' earliest plus a lookahead, as
 * long as it sends nothing earlier: a PE that is behind keeps no log, and a PE that is ahead pays for being so. An
 * anti-message is sent by a PE that undoes an event, which is not before what made it do so: the same rule holds for it.
 */
#include "engine/optimistic/optimistic.h"

/* AHEAD_MOST: what a thread handles in some milliseconds. A thread that gets further while another has lost its core fills
 * the caches with history, and each event costs more. */
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

/* How far ahead a PE may be: further while little is rolled back, less far while much is. */
static void adapt(wi_pe *pe)
{
    const uint64_t handled = pe->counts.handled - pe->handled_at_gvt,
                   back = pe->counts.rolled_back - pe->rolled_back_at_gvt;
    pe->handled_at_gvt = pe->counts.handled;
    pe->rolled_back_at_gvt = pe->counts.rolled_back;
    if (back * 4 > handled && pe->ahead_most > AHEAD_LEAST)
        pe->ahead_most = pe->ahead_most / 2;
    else if (back * 16 < handled && pe->ahead_most < AHEAD_MOST + 4 * pe->engine->gvt_events)
        pe->ahead_most += pe->ahead_most / 2;
}

void wi_pe_fossil_collect(wi_pe *pe, weir_time gvt_ps)
{
    pe->gvt_ps = gvt_ps;
    pe->counts.peak_bytes = pe->history.bytes + pe->mail_bytes > pe->counts.peak_bytes
                                ? pe->history.bytes + pe->mail_bytes
                                : pe->counts.peak_bytes;
    wi_history_fossil_collect(&pe->history, gvt_ps, commit_records, pe);
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
    pe->report =
        (wi_gvt_report){.transit = (int64_t)(pe->sent[before] - pe->received[before]),
                        .min_pending_ps = pe->faulted ? WEIR_TIME_MAX : wi_pending_first(&pe->part.pending),
                        .min_sent_ps = pe->sent_ps,
                        .fault_ps = pe->faulted ? pe->part.during.time_ps : WEIR_TIME_MAX,
                        .last_safe_ps = pe->last_safe_ps,
                        .flags = pe->flags};
    pe->since_ps = WEIR_TIME_MAX;
    if (pe->part.ctx.rec_count >= RECORDS_MANY)
        pe->report.flags |= WI_WARP_RECORDS;
    if (pe->thread == 0 && engine->stop && *engine->stop)
        pe->report.flags |= WI_WARP_STOP;
    pe->reported = ask;
    atomic_store_explicit(&pe->answered, ask, memory_order_release);
}

/* A round has ended: what is safe now. To be called before the next report, from which on `since_ps` counts anew. */
static void end_round(wi_pe *pe, uint32_t published)
{
    const wi_optimistic *const engine = pe->engine;
    const weir_time answer_ps = wi_time_later(pe->since_ps, engine->lookahead_ps),
                    grant_ps = pe->granted_ps < answer_ps ? pe->granted_ps : answer_ps,
                    gvt_ps = atomic_load_explicit(&engine->gvt_ps, memory_order_relaxed);
    pe->published = published;
    pe->stopping = engine->stopping == 1;
    pe->safe_ps = pe->stopping ? -1 : grant_ps > pe->safe_ps ? grant_ps : pe->safe_ps;
    if (gvt_ps > pe->gvt_ps)
        wi_pe_fossil_collect(pe, gvt_ps);
}

void wi_pe_gvt(wi_pe *pe)
{
    wi_optimistic *const engine = pe->engine;
    const uint32_t round = atomic_load_explicit(&engine->round, memory_order_acquire);
    if (round != pe->round)
        change_colour(pe, round);
    const uint32_t published = atomic_load_explicit(&engine->published, memory_order_acquire);
    if (published != pe->published)
        end_round(pe, published);
    const uint32_t ask = atomic_load_explicit(&engine->ask, memory_order_acquire);
    if (ask != pe->reported)
        report(pe, ask);
}

/* ---- thread 0 ---- */

static int all_seen(const wi_optimistic *engine, uint32_t round)
{
    for (uint32_t i = 0; i < engine->parts.n_threads; i++)
        if (atomic_load_explicit(&engine->pe[i].seen, memory_order_acquire) != round)
            return 0;
    return 1;
}

static int all_answered(const wi_optimistic *engine, uint32_t ask)
{
    for (uint32_t i = 0; i < engine->parts.n_threads; i++)
        if (atomic_load_explicit(&engine->pe[i].answered, memory_order_acquire) != ask)
            return 0;
    return 1;
}

static const wi_gvt_report no_report = {.min_pending_ps = WEIR_TIME_MAX,
                                        .min_sent_ps = WEIR_TIME_MAX,
                                        .fault_ps = WEIR_TIME_MAX,
                                        .last_safe_ps = -1};

static weir_time least(weir_time a_ps, weir_time b_ps)
{
    return a_ps < b_ps ? a_ps : b_ps;
}

static void join(wi_gvt_report *all, const wi_gvt_report *one)
{
    all->transit += one->transit;
    all->min_pending_ps = least(one->min_pending_ps, all->min_pending_ps);
    all->min_sent_ps = least(one->min_sent_ps, all->min_sent_ps);
    all->fault_ps = least(one->fault_ps, all->fault_ps);
    all->last_safe_ps = one->last_safe_ps > all->last_safe_ps ? one->last_safe_ps : all->last_safe_ps;
    all->flags |= one->flags;
}

static void join_threads(wi_optimistic *engine)
{
    engine->report = no_report;
    for (uint32_t i = 0; i < engine->parts.n_threads; i++)
        join(&engine->report, &engine->pe[i].report);
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

/* The least of what all but one have, from what all have: the two least. */
typedef struct two_least {
    weir_time first_ps, second_ps;
} two_least;

static void add_to(two_least *t, weir_time at_ps)
{
    t->second_ps = least(t->second_ps, at_ps > t->first_ps ? at_ps : t->first_ps);
    t->first_ps = least(t->first_ps, at_ps);
}

static weir_time but_for(const two_least *t, weir_time at_ps)
{
    return at_ps == t->first_ps ? t->second_ps : t->first_ps;
}

/* Up to what time each PE of this rank is safe; see the head of this file. Another rank counts as one PE. */
static void grant(wi_optimistic *engine)
{
    const wi_parts *const parts = &engine->parts;
    const weir_time lookahead_ps = engine->lookahead_ps;
    two_least pending = {WEIR_TIME_MAX, WEIR_TIME_MAX}, sent = pending;
    for (uint32_t r = 0; parts->ranks && r < parts->ranks->n_ranks; r++)
        if (r != parts->rank) {
            add_to(&pending, engine->reports[r].min_pending_ps);
            add_to(&sent, engine->reports[r].min_sent_ps);
        }
    for (uint32_t i = 0; i < parts->n_threads; i++) {
        add_to(&pending, engine->pe[i].report.min_pending_ps);
        add_to(&sent, engine->pe[i].report.min_sent_ps);
    }
    for (uint32_t i = 0; i < parts->n_threads; i++) {
        wi_pe *pe = &engine->pe[i];
        const wi_gvt_report *r = &pe->report;
        const weir_time next_ps = wi_time_later(but_for(&pending, r->min_pending_ps), lookahead_ps),
                        answer_ps = wi_time_later(r->min_sent_ps, lookahead_ps);
        pe->granted_ps = least(least(next_ps, answer_ps), but_for(&sent, r->min_sent_ps));
    }
}

/* Stopping takes two rounds. After the first nothing more is safe, so that the second knows the last safe event: a
 * consistent point is not before it. */
static void stop_soon(wi_optimistic *engine, const wi_gvt_report *all, weir_time gvt_ps)
{
    const weir_time early_ps = all->last_safe_ps < gvt_ps ? gvt_ps : all->last_safe_ps + 1;
    if (engine->stopping == 1 && early_ps < atomic_load_explicit(&engine->limit_ps, memory_order_relaxed)) {
        atomic_store_explicit(&engine->limit_ps, early_ps, memory_order_relaxed);
        engine->ended |= WI_WARP_STOP;
    }
    engine->stopping += engine->stopping < 2;
}

/* A new GVT stands. */
static void publish(wi_optimistic *engine, const wi_gvt_report *all)
{
    const weir_time before_ps = atomic_load_explicit(&engine->gvt_ps, memory_order_relaxed);
    const weir_time least_ps = least(all->min_pending_ps, all->min_sent_ps);
    const weir_time gvt_ps = least_ps > before_ps ? least_ps : before_ps;
    engine->rounds++;
    atomic_store_explicit(&engine->hurry, 0, memory_order_relaxed);
    if (all->fault_ps < atomic_load_explicit(&engine->fault_ps, memory_order_relaxed))
        atomic_store_explicit(&engine->fault_ps, all->fault_ps, memory_order_relaxed);
    if (all->flags & WI_WARP_STOP)
        stop_soon(engine, all, gvt_ps);
    grant(engine);
    atomic_store_explicit(&engine->gvt_ps, gvt_ps, memory_order_relaxed);
    atomic_store_explicit(&engine->published,
                          atomic_load_explicit(&engine->published, memory_order_relaxed) + 1,
                          memory_order_release);
    const weir_optimistic_options *o = &engine->parts.sim->setup.optimistic;
    if (o->at_gvt && gvt_ps > before_ps)
        o->at_gvt(o->at_gvt_user, gvt_ps);
    if (gvt_ps >= wi_optimistic_limit(engine))
        halt(engine, WI_HALT_ENDED);
    else if (all->flags & WI_WARP_RECORDS)
        halt(engine, WI_HALT_RECORDS);
}

static int is_due(const wi_optimistic *engine)
{
    const wi_pe *first = &engine->pe[0];
    return first->part.events >= engine->next_gvt || first->idle > 0 ||
           atomic_load_explicit(&engine->hurry, memory_order_relaxed);
}

static void begin_if_due(wi_optimistic *engine)
{
    if (!is_due(engine) || atomic_load_explicit(&engine->halt, memory_order_relaxed))
        return;
    const uint32_t round = atomic_load_explicit(&engine->round, memory_order_relaxed);
    atomic_store_explicit(&engine->round, round + 1, memory_order_release);
    engine->gvt_state = WI_GVT_COLOUR;
}

static void conclude(wi_optimistic *engine, const wi_gvt_report *all)
{
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
    begin_if_due(engine);
}

void wi_gvt_drive(wi_optimistic *engine)
{
    const uint32_t round = atomic_load_explicit(&engine->round, memory_order_relaxed);
    if (engine->parts.ranks)
        wi_remote_progress(engine);
    if (WEIR_UNLIKELY(wi_stress_skips(&engine->pe[0])))
        return;
    switch (engine->gvt_state) {
    case WI_GVT_IDLE:
        begin_if_due(engine);
        return;
    case WI_GVT_COLOUR:
        if (all_seen(engine, round))
            ask_all(engine);
        return;
    case WI_GVT_ASK:
        if (!all_answered(engine, atomic_load_explicit(&engine->ask, memory_order_relaxed)))
            return;
        join_threads(engine);
        if (!engine->parts.ranks) {
            conclude(engine, &engine->report);
            return;
        }
        wi_remote_share_report(engine);
        engine->gvt_state = WI_GVT_RANKS;
        return;
    default:
        if (!wi_remote_has_reports(engine))
            return;
        wi_gvt_report all = no_report;
        for (uint32_t r = 0; r < engine->parts.ranks->n_ranks; r++)
            join(&all, &engine->reports[r]);
        conclude(engine, &all);
    }
}
