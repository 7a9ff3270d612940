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
 * Safety: what a PE receives after a round was sent by another PE before its report, in the new colour (whose least time that
 * PE has told), or after it. Then it goes back to what was pending at another PE or on its way to it at the reports, or to what
 * the PE itself has sent since, and each step from there takes the least lookahead or more. So the PE whose events are the
 * earliest is safe up to those of the others and a lookahead, as long as it sends nothing earlier: whoever is behind keeps
 * nothing, and whoever is ahead pays for being so. What cancels is sent by whoever takes back an event that is not before what
 * made it do so, and follows the same rule.
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
    pe->transit = (int64_t)(pe->sent[before] - pe->received[before]);
    pe->least_ps = pe->faulted ? WEIR_TIME_MAX : wi_pending_first(&pe->part.pending);
    pe->told_ps = pe->sent_ps;
    pe->since_ps = WEIR_TIME_MAX;
    pe->last_ps = pe->sure_ps;
    pe->fault_ps = pe->faulted ? pe->part.during.time_ps : WEIR_TIME_MAX;
    pe->said = pe->flags;
    if (pe->part.ctx.rec_count >= RECORDS_MANY)
        pe->said |= WI_WARP_RECORDS;
    if (pe->thread == 0 && engine->stop && *engine->stop)
        pe->said |= WI_WARP_STOP;
    pe->reported = ask;
    atomic_store_explicit(&pe->answered, ask, memory_order_release);
}

/* The end of a round: what is safe now. Before the next report, from which on `since_ps` counts anew. */
static void take_grant(wi_pe *pe, uint32_t published)
{
    const wi_optimistic *const engine = pe->engine;
    const weir_time answer_ps = wi_time_later(pe->since_ps, engine->lookahead_ps),
                    grant_ps = pe->granted_ps < answer_ps ? pe->granted_ps : answer_ps,
                    gvt_ps = atomic_load_explicit(&engine->gvt_ps, memory_order_relaxed);
    pe->published = published;
    pe->stopping = engine->stopping == 1;
    pe->safe_ps = pe->stopping ? -1 : grant_ps > pe->safe_ps ? grant_ps : pe->safe_ps;
    if (gvt_ps > pe->gvt_ps)
        wi_pe_commit(pe, gvt_ps);
}

void wi_pe_gvt(wi_pe *pe)
{
    wi_optimistic *const engine = pe->engine;
    const uint32_t round = atomic_load_explicit(&engine->round, memory_order_acquire);
    if (round != pe->round)
        change_colour(pe, round);
    const uint32_t published = atomic_load_explicit(&engine->published, memory_order_acquire);
    if (published != pe->published)
        take_grant(pe, published);
    const uint32_t ask = atomic_load_explicit(&engine->ask, memory_order_acquire);
    if (ask != pe->reported)
        report(pe, ask);
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

static const wi_tell nobody = {
    .least_ps = WEIR_TIME_MAX, .told_ps = WEIR_TIME_MAX, .fault_ps = WEIR_TIME_MAX, .last_ps = -1};

static weir_time least(weir_time a_ps, weir_time b_ps)
{
    return a_ps < b_ps ? a_ps : b_ps;
}

static void join(wi_tell *all, const wi_tell *one)
{
    all->transit += one->transit;
    all->least_ps = least(one->least_ps, all->least_ps);
    all->told_ps = least(one->told_ps, all->told_ps);
    all->fault_ps = least(one->fault_ps, all->fault_ps);
    all->last_ps = one->last_ps > all->last_ps ? one->last_ps : all->last_ps;
    all->flags |= one->flags;
}

static void join_threads(wi_optimistic *engine)
{
    engine->tell = nobody;
    for (uint32_t i = 0; i < engine->crew.n_threads; i++) {
        const wi_pe *pe = &engine->pe[i];
        const wi_tell one = {pe->transit, pe->least_ps, pe->told_ps, pe->fault_ps, pe->last_ps, pe->said};
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

/* What each PE of this rank may take as safe; see the head of this file. Another rank counts as one PE. */
static void grant(wi_optimistic *engine)
{
    const wi_crew *const crew = &engine->crew;
    const weir_time lookahead_ps = engine->lookahead_ps;
    two_least next = {WEIR_TIME_MAX, WEIR_TIME_MAX}, told = next;
    for (uint32_t r = 0; crew->ranks && r < crew->ranks->n_ranks; r++)
        if (r != crew->rank) {
            add_to(&next, engine->tells[r].least_ps);
            add_to(&told, engine->tells[r].told_ps);
        }
    for (uint32_t i = 0; i < crew->n_threads; i++) {
        add_to(&next, engine->pe[i].least_ps);
        add_to(&told, engine->pe[i].told_ps);
    }
    for (uint32_t i = 0; i < crew->n_threads; i++) {
        wi_pe *pe = &engine->pe[i];
        const weir_time next_ps = wi_time_later(but_for(&next, pe->least_ps), lookahead_ps),
                        answer_ps = wi_time_later(pe->told_ps, lookahead_ps);
        pe->granted_ps = least(least(next_ps, answer_ps), but_for(&told, pe->told_ps));
    }
}

/* Two rounds: the first takes back what is safe, so that the second knows what has been handled for good. A consistent
 * point is not before that. */
static void stop_soon(wi_optimistic *engine, const wi_tell *all, weir_time gvt_ps)
{
    const weir_time early_ps = all->last_ps < gvt_ps ? gvt_ps : all->last_ps + 1;
    if (engine->stopping == 1 && early_ps < atomic_load_explicit(&engine->limit_ps, memory_order_relaxed)) {
        atomic_store_explicit(&engine->limit_ps, early_ps, memory_order_relaxed);
        engine->ended |= WI_WARP_STOP;
    }
    engine->stopping += engine->stopping < 2;
}

/* A new GVT stands. */
static void publish(wi_optimistic *engine, const wi_tell *all)
{
    const weir_time before_ps = atomic_load_explicit(&engine->gvt_ps, memory_order_relaxed);
    const weir_time least_ps = least(all->least_ps, all->told_ps);
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
    const weir_optimistic_options *o = &engine->crew.sim->setup.optimistic;
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
    begin_if_due(engine);
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
        wi_tell all = nobody;
        for (uint32_t r = 0; r < engine->crew.ranks->n_ranks; r++)
            join(&all, &engine->tells[r]);
        conclude(engine, &all);
    }
}
