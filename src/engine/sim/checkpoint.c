/* Saving a simulation, and making one from what was saved; see checkpoint.h. */
#include "engine/sim/checkpoint.h"

#include <stdlib.h>
#include <string.h>

#include "engine/core/engine.h"
#include "engine/core/event_key.h"
#include "weir/digest.h"
#include "weir/ranks.h"

/* Numbers of the section "engine". */
typedef struct engine_words {
    weir_time now_ps, hook_at_ps;
    uint64_t events, record_chain, n_records;
    uint64_t n_pending, n_suspensions;
} engine_words;

static uint64_t fold_text(uint64_t digest, const char *text)
{
    for (; *text; text++)
        digest = weir_digest_word(digest, (unsigned char)*text);
    return weir_digest_word(digest, 0);
}

uint64_t wi_sim_layout(const weir_setup *setup)
{
    const weir_model *m = setup->model;
    uint64_t digest = fold_text(sizeof(weir_entity) << 32 | sizeof(weir_event), m->name);
    for (uint32_t k = 0; k < m->n_kinds; k++) {
        digest = fold_text(digest, m->kinds[k].name);
        digest = weir_digest_word(digest, (uint64_t)setup->kind_count[k] << 32 | m->kinds[k].state_bytes);
    }
    for (uint32_t p = 0; p < m->n_pools; p++) {
        const uint32_t *first = setup->pool_first[p];
        digest = fold_text(digest, m->pools[p].name);
        digest = weir_digest_word(digest, (uint64_t)m->pools[p].kind << 32 | m->pools[p].slot_bytes);
        for (uint32_t i = 0; first && i <= setup->kind_count[m->pools[p].kind]; i++)
            digest = weir_digest_word(digest, first[i]);
    }
    for (uint32_t t = 0; t < m->n_types; t++) {
        digest = fold_text(digest, m->types[t].name);
        digest = weir_digest_word(digest, (uint64_t)m->types[t].payload_bytes << 32 | m->types[t].kind);
    }
    digest = weir_digest_word(digest, (uint64_t)m->n_records << 32 | m->record_bytes);
    digest = weir_digest_word(digest, setup->n_counters);
    digest = weir_digest_word(digest, setup->seed);
    return weir_digest_word(digest, setup->run);
}

/* ---- events ---- */

/* Put events in order, and clear what differs between engines: instance and link, since nothing before a stop point is
 * rolled back, and the bytes behind the payload of each type. */
static void settle(const weir_sim *sim, wi_events *l)
{
    if (l->n > 0)
        qsort(l->at, l->n, l->stride, wi_event_compare);
    for (size_t i = 0; i < l->n; i++) {
        weir_event *e = wi_events_at(l, i);
        const uint32_t used = sim->dispatch[e->type].payload_bytes;
        e->instance = 0;
        e->link = 0;
        memset((unsigned char *)(e + 1) + used, 0, sim->payload_bytes - used);
    }
}

static weir_status sorted_events(weir_diag *diag, const weir_sim *sim, wi_events *pending)
{
    *pending = (wi_events){.stride = sizeof(weir_event) + sim->payload_bytes};
    WI_RETURN_IF_FAILED(weir_sim_pending(diag, sim, wi_events_add, pending));
    if (pending->failed)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory to save %llu pending events",
                         (unsigned long long)pending->n);
    settle(sim, pending);
    return WEIR_OK;
}

/* ---- saving, and reading back ---- */

/* Of pools whose slices are used in part, each slice's used slots behind their number. */
static void archive_pool(weir_sim *sim, uint32_t p, wi_archiver *a)
{
    const weir_pool *const pool = &sim->setup.model->pools[p];
    const uint32_t *const bounds = sim->setup.pool_first[p];
    unsigned char *first;
    if (!pool->used)
        wi_archive(a, sim->pool[p], (size_t)sim->pool_slots[p] * pool->slot_bytes);
    for (uint32_t i = 0; pool->used && i < sim->setup.kind_count[pool->kind]; i++) {
        const uint64_t n = bounds ? bounds[i + 1] - bounds[i] : 0;
        uint64_t used = wi_archiver_reads(a) ? 0 : wi_slots_used(sim, p, i, &first);
        wi_archive(a, &used, sizeof used);
        if (n > 0)
            wi_archive(a, sim->pool[p] + (size_t)bounds[i] * pool->slot_bytes,
                       (used < n ? used : n) * pool->slot_bytes);
    }
}

static void archive_arrays(weir_sim *sim, wi_archiver *a)
{
    const weir_model *m = sim->setup.model;
    wi_archive_section(a, "states");
    for (uint32_t k = 0; k < m->n_kinds; k++)
        wi_archive(a, sim->state[k], (size_t)sim->setup.kind_count[k] * m->kinds[k].state_bytes);
    wi_archive_section(a, "pools");
    for (uint32_t p = 0; p < m->n_pools; p++)
        archive_pool(sim, p, a);
    wi_archive_section(a, "counters");
    wi_archive(a, sim->counters, sim->setup.n_counters * sizeof *sim->counters);
    wi_archive_section(a, "heads");
    wi_archive(a, sim->heads, sim->n_entities * sizeof *sim->heads);
}

/* What stands before a suspension's events. */
typedef struct suspension_words {
    uint64_t number, n;
    weir_time since_ps;
} suspension_words;

static void save_suspended(weir_sim *sim, wi_archiver *a)
{
    wi_archive_section(a, "suspended");
    for (uint32_t i = 0; i < sim->n_frozen; i++) {
        wi_suspension *of = &sim->frozen[i];
        suspension_words words = {of->number, of->events.n, of->since_ps};
        settle(sim, &of->events);
        wi_archive(a, &words, sizeof words);
        wi_archive(a, of->events.at, of->events.n * of->events.stride);
    }
}

static void save_all(weir_sim *sim, wi_saver *to, const wi_events *pending)
{
    engine_words words = {.now_ps = sim->now_ps,
                          .hook_at_ps = sim->hook_at_ps,
                          .events = weir_sim_events(sim),
                          .record_chain = sim->record_chain,
                          .n_records = sim->n_records,
                          .n_pending = pending->n,
                          .n_suspensions = sim->n_frozen};
    wi_archiver a = {.to = to};
    wi_archive_section(&a, "engine");
    wi_archive(&a, &words, sizeof words);
    archive_arrays(sim, &a);
    wi_archive_section(&a, "pending");
    wi_archive(&a, pending->at, pending->n * pending->stride);
    save_suspended(sim, &a);
}

weir_status wi_sim_save(weir_diag *diag, weir_sim *sim, wi_saver *to)
{
    wi_events pending = {0};
    weir_status status = weir_sim_fetch(diag, sim);
    if (status == WEIR_OK) /* of init, where nothing has run yet */
        status = wi_records_flush(diag, sim, &sim->main, sim->now_ps);
    status = weir_ranks_agree(diag, status) ?: weir_ranks_agree(diag, sorted_events(diag, sim, &pending));
    if (status == WEIR_OK && to)
        save_all(sim, to, &pending);
    free(pending.at);
    return status;
}

/* Numbers of the engine that no run leaves. */
static weir_status check_state(weir_diag *diag, const weir_sim *sim, const wi_saved *from,
                               const engine_words *w)
{
    const char *wrong = NULL;
    for (uint32_t e = 0; e < sim->n_entities && !wrong; e++)
        if (sim->heads[e].lookahead_ps != sim->setup.lookahead_ps[e])
            wrong = "an entity's head";
    if (w->now_ps < -1 || w->now_ps == WEIR_TIME_MAX || (sim->setup.hook && w->hook_at_ps < w->now_ps))
        wrong = "the time";
    return wrong ? weir_fail_at(diag, WEIR_E_FORMAT, wi_saved_path(from), 0, 0,
                                "damaged: %s is as no run leaves it", wrong)
                 : WEIR_OK;
}

/* An event that no engine could have left there would be a fault of memory, not of the model. */
static bool is_sound(const weir_sim *sim, const weir_event *e, weir_time from_ps)
{
    const wi_dispatch *d = e->type < sim->setup.model->n_types ? &sim->dispatch[e->type] : NULL;
    return d && e->source < sim->n_entities && e->target - d->first_entity < d->n_of_kind &&
           e->time_ps >= from_ps && e->time_ps < WEIR_TIME_MAX &&
           e->tie == weir_tie(sim->setup.seed, e->source, e->seq);
}

/* Read n events at most from the archiver's section, and hand each sound one to `add`, which may fail. */
static weir_status read_events(weir_sim *sim, wi_archiver *a, uint64_t n, weir_time from_ps,
                               void (*add)(void *user, weir_event *event), void *user)
{
    const size_t stride = sizeof(weir_event) + sim->payload_bytes;
    wi_event_room room = {0};
    for (uint64_t i = 0; i < n && a->part.left >= stride && a->status == WEIR_OK; i++) {
        wi_archive(a, &room, stride);
        if (!is_sound(sim, &room.event, from_ps))
            return weir_fail_at(a->diag, WEIR_E_FORMAT, wi_saved_path(a->from), 0, 0,
                                "section '%s': event %llu is none of this simulation's", a->part.name,
                                (unsigned long long)i);
        add(user, &room.event);
    }
    return a->status; /* the section may go on */
}

typedef struct editing {
    weir_sim *sim;
    const wi_sim_edit *edit;
} editing;

static void add_pending(void *user, weir_event *event)
{
    const editing *e = user;
    if (e->edit)
        e->edit->event(e->edit->user, e->sim, event);
    wi_pending_add(&e->sim->main.pending, event, e->sim->dispatch[event->type].ordered);
}

static weir_status read_pending(weir_sim *sim, wi_archiver *a, uint64_t n, const wi_sim_edit *edit)
{
    editing e = {sim, edit};
    wi_archive_section(a, "pending");
    const size_t there = a->part.left / (sizeof(weir_event) + sim->payload_bytes);
    if (n > there && a->status == WEIR_OK)
        return weir_fail_at(a->diag, WEIR_E_FORMAT, wi_saved_path(a->from), 0, 0,
                            "section 'pending' holds %zu events of %llu", there, (unsigned long long)n);
    if (!wi_pending_reserve(&sim->main.pending, n < there ? n : there))
        return weir_fail(a->diag, WEIR_E_NOMEM, "no memory for %zu pending events", there);
    return read_events(sim, a, n, sim->now_ps, add_pending, &e);
}

static void add_suspended(void *user, weir_event *event)
{
    wi_events_add(user, event);
}

static weir_status read_suspended(weir_sim *sim, wi_archiver *a, const engine_words *w)
{
    weir_status status = WEIR_OK;
    wi_archive_section(a, "suspended");
    for (uint64_t i = 0; i < w->n_suspensions && status == WEIR_OK && a->status == WEIR_OK; i++) {
        suspension_words words = {0};
        wi_archive(a, &words, sizeof words);
        if (a->status != WEIR_OK)
            break;
        if (words.since_ps < 0 || words.since_ps > sim->now_ps || words.number > UINT32_MAX)
            return weir_fail_at(a->diag, WEIR_E_FORMAT, wi_saved_path(a->from), 0, 0,
                                "damaged: a suspension is as no run leaves it");
        wi_suspension *of = wi_suspension_add(sim, (uint32_t)words.number, words.since_ps);
        status = of ? read_events(sim, a, words.n, 0, add_suspended, &of->events) : WEIR_E_NOMEM;
        if (!of || of->events.failed)
            return weir_fail(a->diag, WEIR_E_NOMEM, "no memory for suspended events");
    }
    return status == WEIR_OK ? wi_archiver_status(a) : status;
}

weir_status wi_sim_read_saved(weir_diag *diag, weir_sim *sim, const wi_saved *from, const wi_sim_edit *edit)
{
    wi_archiver a = {.diag = diag, .from = from};
    engine_words w;
    wi_archive_section(&a, "engine");
    wi_archive(&a, &w, sizeof w);
    sim->now_ps = sim->main.now_ps = w.now_ps;
    sim->hook_at_ps = sim->setup.hook ? w.hook_at_ps : WEIR_TIME_MAX;
    sim->events_before = w.events;
    sim->record_chain = w.record_chain;
    sim->n_records = w.n_records;
    archive_arrays(sim, &a);
    return wi_archiver_status(&a)
            ?: check_state(diag, sim, from, &w)
            ?: read_pending(sim, &a, w.n_pending, edit)
            ?: read_suspended(sim, &a, &w);
}
