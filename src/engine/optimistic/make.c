/* Making and freeing the optimistic engine: its memory and its PEs. */
#include "engine/optimistic/optimistic.h"

#include <stdlib.h>

#include "pending/pages.h"
#include "weir/ranks.h"

/* Of each PE; and of the whole machine's memory. */
enum { DEFAULT_BYTES = 64 << 20, MAIL_BYTES = 4096, MAIL_LEAST = 8, GVT_EVENTS = 2048, AHEAD_FIRST = 4096 };

static weir_status check_memory(weir_diag *diag, const weir_sim *sim, wi_optimistic *engine)
{
    const uint64_t asked = sim->setup.optimistic.memory_bytes;
    const uint32_t n = engine->parts.n_threads, to = engine->parts.n_parts - 1;
    const size_t mail = to * (sizeof(wi_mail) + (size_t)engine->stride); /* one event each */
    const size_t least = mail + wi_history_least(engine->stride, sim->max_events);
    if (asked && asked / n < least)
        return weir_fail_at(diag, WEIR_E_ARG, WEIR_AT(sim->setup.optimistic.memory_place),
                            "engine.memory: %llu bytes for %u thread%s; model '%s' needs %zu for each, for "
                            "one event that may be taken back and one for every other partition",
                            (unsigned long long)asked, n, n == 1 ? "" : "s", sim->setup.model->name, least);
    engine->most_bytes = asked ? asked / n : DEFAULT_BYTES;
    const size_t fair = engine->most_bytes / 4 / (to ? to : 1);
    size_t events = (fair < MAIL_BYTES ? fair : MAIL_BYTES) / engine->stride;
    if (events < MAIL_LEAST)
        events = engine->most_bytes / 4 < (size_t)MAIL_LEAST * engine->stride * to ? 1 : MAIL_LEAST;
    engine->mail_events = (uint32_t)events;
    return WEIR_OK;
}

static bool make_pe(wi_optimistic *engine, uint32_t i)
{
    weir_sim *const sim = engine->parts.sim;
    const weir_optimistic_options *asked = &sim->setup.optimistic;
    wi_pe *pe = &engine->pe[i];
    pe->engine = engine;
    pe->thread = i;
    pe->number = engine->parts.rank * engine->parts.n_threads + i;
    pe->gvt_ps = -1;
    pe->sent_ps = WEIR_TIME_MAX;
    pe->ahead_most = AHEAD_FIRST;
    pe->span_ps = 1;
    pe->stress = asked->stress ? asked->stress * UINT64_C(0x9e3779b97f4a7c15) + pe->number + 1 : 0;
    pe->out = calloc(engine->parts.n_parts, sizeof(wi_mail *));
    wi_history_init(&pe->history, engine->stride, sim->main.ctx.rec_stride, sim->max_events,
                    engine->most_bytes);
    return pe->out && wi_parts_init_part(&engine->parts, i, &pe->part) && wi_touches_init(pe);
}

static weir_status make_pes(weir_diag *diag, weir_sim *sim, wi_optimistic *engine,
                            void (*drive)(wi_parts *parts, uint32_t thread))
{
    bool whole = true;
    for (uint32_t i = 0; i < engine->parts.n_threads && whole; i++)
        whole = make_pe(engine, i);
    for (uint32_t e = 0; whole && e < sim->n_entities; e++) {
        engine->track[e].last_ps = -1;
        const weir_time lookahead_ps = sim->setup.lookahead_ps[e];
        engine->lookahead_ps = lookahead_ps < engine->lookahead_ps ? lookahead_ps : engine->lookahead_ps;
    }
    return wi_parts_distribute(diag, &engine->parts, whole) ?: wi_parts_start(diag, &engine->parts, drive);
}

static weir_status allocate(weir_diag *diag, weir_sim *sim, wi_optimistic *engine)
{
    const uint32_t n = engine->parts.n_threads, n_ranks = engine->parts.n_parts / n;
    engine->stride = sim->main.ctx.stride;
    engine->sends = engine->parts.n_parts > 1;
    engine->lookahead_ps = WEIR_TIME_MAX;
    engine->window_ps = sim->setup.optimistic.window_ps ? sim->setup.optimistic.window_ps : WEIR_TIME_MAX;
    engine->gvt_events = sim->setup.optimistic.gvt_events ? sim->setup.optimistic.gvt_events : GVT_EVENTS;
    wi_barrier_init(&engine->barrier, n);
    atomic_init(&engine->fault_ps, WEIR_TIME_MAX);
    engine->track = wi_pages_new(sim->n_entities * sizeof *engine->track);
    engine->reports = wi_take(&engine->memory, n_ranks, sizeof *engine->reports);
    engine->last_to = wi_take(&engine->memory, n_ranks, sizeof(wi_mail *));
    engine->eot_to = wi_take(&engine->memory, n_ranks, sizeof(weir_time));
    engine->eot_from = wi_take(&engine->memory, n_ranks, sizeof(weir_time));
    engine->pe = aligned_alloc(_Alignof(wi_pe), n * sizeof *engine->pe);
    if (engine->pe)
        memset(engine->pe, 0, n * sizeof *engine->pe);
    return engine->track && !engine->memory.failed && engine->pe
               ? WEIR_OK
               : weir_fail(diag, WEIR_E_NOMEM, "no memory for %u threads", n);
}

weir_status wi_optimistic_make(weir_diag *diag, weir_sim *sim,
                               void (*drive)(wi_parts *parts, uint32_t thread))
{
    wi_optimistic *engine = aligned_alloc(_Alignof(wi_optimistic), sizeof *engine);
    if (!engine)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for the optimistic engine");
    memset(engine, 0, sizeof *engine);
    sim->engine = engine;
    weir_status status = wi_parts_count(diag, sim, &engine->parts);
    if (status != WEIR_OK || engine->parts.n_parts == 1)
        return status;
    status = allocate(diag, sim, engine) ?: check_memory(diag, sim, engine);
    status = weir_ranks_agree(diag, status)
            ?: wi_parts_share(diag, &engine->parts)
            ?: make_pes(diag, sim, engine, drive);
    return weir_ranks_agree(diag, status);
}

void wi_optimistic_free(weir_sim *sim)
{
    wi_optimistic *engine = sim->engine;
    if (!engine)
        return;
    wi_parts_free(&engine->parts); /* first: it ends the threads */
    for (uint32_t i = 0; engine->pe && i < engine->parts.n_threads; i++) {
        wi_pe *pe = &engine->pe[i];
        if (pe->engine)
            wi_pe_mail_free(pe);
        wi_touches_free(pe);
        wi_history_free(&pe->history);
    }
    wi_remote_free(engine);
    if (engine->pe)
        wi_barrier_free(&engine->barrier);
    wi_pages_free(engine->track, sim->n_entities * sizeof *engine->track);
    wi_owned_free(&engine->memory);
    free(engine->pe);
    free(engine);
}
