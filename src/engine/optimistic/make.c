/* Making and freeing the optimistic engine: its memory, its PEs, their threads. */
#include "engine/optimistic/optimistic.h"

#include <stdlib.h>

#include "engine/ranks/cores.h"
#include "engine/pending/pages.h"
#include "weir/ranks.h"

/* Of each PE; and of the whole machine's memory. */
enum { DEFAULT_BYTES = 64 << 20, MAIL_BYTES = 4096, MAIL_LEAST = 8, GVT_EVENTS = 2048, AHEAD_FIRST = 4096 };

static weir_status check_memory(weir_diag *diag, const weir_sim *sim, wi_optimistic *engine)
{
    const uint64_t asked = sim->setup.optimistic.memory_bytes;
    const weir_place at = sim->setup.optimistic.memory_place;
    const uint32_t n = engine->crew.n_threads, to = engine->crew.n_parts - 1;
    const size_t mail = to * (sizeof(wi_mail) + (size_t)engine->stride); /* one event each */
    const size_t least = mail + wi_history_least(engine->stride, sim->max_events);
    if (asked && asked / n < least)
        return weir_fail_at(
            diag, WEIR_E_ARG, at.file, at.line, at.column,
            "engine.memory: %llu bytes for %u thread%s; model '%s' needs %zu for each, for one event "
            "that may be taken back and one for every other partition",
            (unsigned long long)asked, n, n == 1 ? "" : "s", sim->setup.model->name, least);
    engine->most_bytes = asked ? asked / n : DEFAULT_BYTES;
    const size_t fair = engine->most_bytes / 4 / (to ? to : 1);
    size_t events = (fair < MAIL_BYTES ? fair : MAIL_BYTES) / engine->stride;
    if (events < MAIL_LEAST)
        events = engine->most_bytes / 4 < (size_t)MAIL_LEAST * engine->stride * to ? 1 : MAIL_LEAST;
    engine->mail_events = (uint32_t)events;
    return WEIR_OK;
}

static void take_over(void *user, const weir_event *event)
{
    wi_optimistic *engine = user;
    uint32_t thread;
    if (wi_crew_has(&engine->crew, event->target, &thread))
        wi_pe_add(&engine->pe[thread], event);
}

static int make_pe(wi_optimistic *engine, uint32_t i)
{
    weir_sim *const sim = engine->crew.sim;
    const weir_optimistic_options *asked = &sim->setup.optimistic;
    wi_pe *pe = &engine->pe[i];
    pe->engine = engine;
    pe->thread = i;
    pe->number = engine->crew.rank * engine->crew.n_threads + i;
    pe->gvt_ps = -1;
    pe->sent_ps = WEIR_TIME_MAX;
    pe->ahead_most = AHEAD_FIRST;
    pe->span_ps = 1;
    pe->stress = asked->stress ? asked->stress * UINT64_C(0x9e3779b97f4a7c15) + pe->number + 1 : 0;
    pe->counters = wi_pages_new(sim->setup.n_counters * sizeof(int64_t));
    pe->out = calloc(engine->crew.n_parts, sizeof(wi_mail *));
    engine->crew.part[i] = &pe->part;
    engine->crew.counters[i] = pe->counters;
    wi_history_init(&pe->history, engine->stride, sim->main.ctx.rec_stride, sim->max_events,
                    engine->most_bytes);
    return pe->counters && pe->out && wi_part_init(&pe->part, sim, pe->counters) && wi_touches_init(pe);
}

static weir_status make_pes(weir_diag *diag, weir_sim *sim, wi_optimistic *engine,
                            void *(*thread_main)(void *pe))
{
    int whole = 1;
    for (uint32_t i = 0; i < engine->crew.n_threads && whole; i++)
        whole = make_pe(engine, i);
    for (uint32_t e = 0; whole && e < sim->n_entities; e++) {
        engine->track[e].last_ps = -1;
        const weir_time lookahead_ps = sim->setup.lookahead_ps[e];
        engine->lookahead_ps = lookahead_ps < engine->lookahead_ps ? lookahead_ps : engine->lookahead_ps;
    }
    if (whole)
        wi_pending_visit(&sim->main.pending, take_over, engine);
    for (uint32_t i = 0; i < engine->crew.n_threads; i++)
        whole &= !engine->pe[i].flags;
    weir_status status = wi_crew_taken_over(diag, &engine->crew, whole);
    for (uint32_t i = 1; i < engine->crew.n_threads && status == WEIR_OK; i++) {
        wi_pe *pe = &engine->pe[i];
        status = wi_crew_thread(diag, &engine->crew, i, &pe->pthread, thread_main, pe);
        pe->started = status == WEIR_OK;
    }
    return status;
}

static weir_status allocate(weir_diag *diag, weir_sim *sim, wi_optimistic *engine)
{
    const uint32_t n = engine->crew.n_threads, n_ranks = engine->crew.n_parts / n;
    engine->stride = sim->main.ctx.stride;
    engine->sends = engine->crew.n_parts > 1;
    engine->lookahead_ps = WEIR_TIME_MAX;
    engine->window_ps = sim->setup.optimistic.window_ps ? sim->setup.optimistic.window_ps : WEIR_TIME_MAX;
    engine->gvt_events = sim->setup.optimistic.gvt_events ? sim->setup.optimistic.gvt_events : GVT_EVENTS;
    engine->crowded = n * (engine->crew.ranks ? engine->crew.ranks->on_this_machine : 1) > wi_cores_allowed();
    atomic_init(&engine->fault_ps, WEIR_TIME_MAX);
    engine->track = wi_pages_new(sim->n_entities * sizeof *engine->track);
    engine->tells = calloc(n_ranks, sizeof *engine->tells);
    engine->last_to = calloc(n_ranks, sizeof(wi_mail *));
    engine->promised_to = calloc(n_ranks, sizeof(weir_time));
    engine->promised_by = calloc(n_ranks, sizeof(weir_time));
    engine->pe = aligned_alloc(_Alignof(wi_pe), n * sizeof *engine->pe);
    if (engine->pe)
        memset(engine->pe, 0, n * sizeof *engine->pe);
    return engine->track && engine->tells && engine->last_to && engine->promised_to && engine->promised_by &&
                   engine->pe
               ? WEIR_OK
               : weir_fail(diag, WEIR_E_NOMEM, "no memory for %u threads", n);
}

weir_status wi_optimistic_make(weir_diag *diag, weir_sim *sim, void *(*thread_main)(void *pe))
{
    wi_optimistic *engine = aligned_alloc(_Alignof(wi_optimistic), sizeof *engine);
    if (!engine)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for the optimistic engine");
    memset(engine, 0, sizeof *engine);
    sim->engine = engine;
    wi_gate_init(&engine->start, 0);
    wi_gate_init(&engine->rested, 0);
    wi_gate_init(&engine->arrived, 0);
    wi_gate_init(&engine->released, 0);
    weir_status status = wi_crew_count(diag, sim, &engine->crew);
    if (status != WEIR_OK || engine->crew.n_parts == 1)
        return status;
    status = allocate(diag, sim, engine);
    if (status == WEIR_OK)
        status = check_memory(diag, sim, engine);
    status = weir_ranks_agree(diag, status);
    if (status == WEIR_OK)
        status = wi_crew_share(diag, &engine->crew);
    if (status == WEIR_OK)
        status = make_pes(diag, sim, engine, thread_main);
    return weir_ranks_agree(diag, status);
}

void wi_optimistic_free(weir_sim *sim)
{
    wi_optimistic *engine = sim->engine;
    if (!engine)
        return;
    engine->quit = 1;
    wi_gate_set(&engine->start, ++engine->runs);
    for (uint32_t i = 0; engine->pe && i < engine->crew.n_threads; i++)
        if (engine->pe[i].started)
            pthread_join(engine->pe[i].pthread, NULL);
    for (uint32_t i = 0; engine->pe && i < engine->crew.n_threads; i++) {
        wi_pe *pe = &engine->pe[i];
        if (pe->engine)
            wi_pe_mail_free(pe);
        wi_touches_free(pe);
        wi_history_free(&pe->history);
        wi_part_free(&pe->part);
        wi_pages_free(pe->counters, sim->setup.n_counters * sizeof(int64_t));
    }
    wi_remote_free(engine);
    wi_gate_free(&engine->start);
    wi_gate_free(&engine->rested);
    wi_gate_free(&engine->arrived);
    wi_gate_free(&engine->released);
    wi_crew_free(&engine->crew);
    wi_pages_free(engine->track, sim->n_entities * sizeof *engine->track);
    free(engine->tells);
    free(engine->last_to);
    free(engine->promised_to);
    free(engine->promised_by);
    free(engine->pe);
    free(engine);
}
