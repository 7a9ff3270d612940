/* Making, reading and freeing a simulation; what all engines on the host share. */
#include "weir/engine.h"

#include <stdlib.h>
#include <string.h>

#include "engine/internal.h"
#include "engine/pages.h"
#include "weir/digest.h"

enum {
    RECORDS_BUFFERED = 4096,
    /* What handlers that break the contract may still write to past the last slot, without harm. */
    OUT_SLACK = sizeof(weir_event) + WEIR_PAYLOAD_MAX,
    RECORDS_SLACK = sizeof(weir_record_head) + UINT16_MAX
};

static uint32_t most(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint32_t pool_slots(const weir_setup *setup, uint32_t p)
{
    const uint32_t *first = setup->pool_first[p];
    return first ? first[setup->kind_count[setup->model->pools[p].kind]] : 0;
}

/* Memory that goes with the simulation. */
static void *zeroed(weir_sim *sim, uint64_t n, uint64_t size)
{
    wi_block *block = &sim->blocks[sim->n_blocks];
    sim->state_bytes += n * size;
    block->bytes = n * size;
    block->at = wi_pages_new(block->bytes);
    sim->n_blocks += block->at != NULL;
    return block->at;
}

static weir_status allocate(weir_diag *diag, weir_sim *sim)
{
    const weir_setup *setup = &sim->setup;
    const weir_model *m = setup->model;
    uint32_t payload = 0;
    int ordered = 0, whole = 1;
    for (uint32_t k = 0; k < m->n_kinds; k++) {
        sim->kind_first[k + 1] = sim->kind_first[k] + setup->kind_count[k];
        sim->state[k] = zeroed(sim, setup->kind_count[k], m->kinds[k].state_bytes);
        whole &= sim->state[k] != NULL;
        sim->max_events = most(sim->max_events, m->kinds[k].max_events);
        sim->max_records = most(sim->max_records, m->kinds[k].max_records);
    }
    const uint32_t n = sim->kind_first[m->n_kinds];
    for (uint32_t p = 0; p < m->n_pools; p++) {
        sim->pool[p] = zeroed(sim, pool_slots(setup, p), m->pools[p].slot_bytes);
        whole &= sim->pool[p] != NULL;
    }
    for (uint32_t t = 0; t < m->n_types; t++) {
        payload = most(payload, m->types[t].payload_bytes);
        ordered |= (m->types[t].flags & WEIR_EVENT_ORDERED) != 0;
        sim->max_events = most(sim->max_events, m->types[t].max_events);
        sim->max_records = most(sim->max_records, m->types[t].max_records);
    }
    sim->heads = zeroed(sim, n, sizeof *sim->heads);
    sim->counters = zeroed(sim, setup->n_counters, sizeof *sim->counters);
    sim->dispatch = calloc(m->n_types, sizeof *sim->dispatch);
    weir_ctx *ctx = &sim->ctx;
    ctx->stride = (uint32_t)sizeof(weir_event) + payload;
    ctx->rec_stride = (uint32_t)sizeof(weir_record_head) + m->record_bytes;
    ctx->out = calloc(1, (size_t)sim->max_events * ctx->stride + OUT_SLACK);
    whole &= sim->heads && sim->counters && sim->dispatch && ctx->out &&
             wi_records_reserve(sim, RECORDS_BUFFERED + sim->max_records);
    if (whole)
        whole = wi_pending_init(&sim->pending, n, payload, ordered);
    if (!whole)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for the state of %u entities (%.1f MB)", n,
                         (double)sim->state_bytes / 1e6);
    return WEIR_OK;
}

static void set_up(weir_sim *sim)
{
    const weir_setup *setup = &sim->setup;
    const weir_model *m = setup->model;
    weir_ctx *ctx = &sim->ctx;
    ctx->world = setup->world;
    ctx->n_entities = sim->kind_first[m->n_kinds];
    ctx->seed = setup->seed;
    ctx->run = setup->run;
    ctx->counters = sim->counters;
    ctx->n_counters = setup->n_counters;
    for (uint32_t p = 0; p < m->n_pools; p++)
        ctx->pool[p] = sim->pool[p];
    for (uint32_t t = 0; t < m->n_types; t++) {
        const weir_event_type *type = &m->types[t];
        sim->dispatch[t] = (wi_dispatch){.handle = type->handle,
                                         .state = sim->state[type->kind],
                                         .state_bytes = m->kinds[type->kind].state_bytes,
                                         .first_entity = sim->kind_first[type->kind],
                                         .n_of_kind = setup->kind_count[type->kind],
                                         .payload_bytes = type->payload_bytes,
                                         .max_events = type->max_events,
                                         .max_records = type->max_records,
                                         .kind = type->kind,
                                         .ordered = (type->flags & WEIR_EVENT_ORDERED) != 0};
    }
    for (uint32_t e = 0; e < ctx->n_entities; e++) {
        sim->heads[e].lookahead_ps = setup->lookahead_ps[e];
        sim->heads[e].chain = e;
    }
    sim->hook_at_ps = setup->hook ? setup->hook_first_ps : WEIR_TIME_MAX;
}

int wi_records_reserve(weir_sim *sim, uint32_t more)
{
    weir_ctx *ctx = &sim->ctx;
    const size_t wanted = (size_t)ctx->rec_count + more;
    if (wanted <= sim->rec_room)
        return 1;
    const size_t room = wanted + wanted / 2;
    unsigned char *rec = room < UINT32_MAX ? realloc(ctx->rec, room * ctx->rec_stride + RECORDS_SLACK) : NULL;
    if (!rec)
        return 0;
    const size_t used = (size_t)ctx->rec_count * ctx->rec_stride;
    memset(rec + used, 0, room * ctx->rec_stride + RECORDS_SLACK - used);
    ctx->rec = rec;
    sim->rec_room = (uint32_t)room;
    return 1;
}

/* Initialise one entity and take over the events that it schedules. */
static weir_status init_entity(weir_diag *diag, weir_sim *sim, uint32_t kind, uint32_t entity)
{
    const weir_kind *k = &sim->setup.model->kinds[kind];
    weir_ctx *ctx = &sim->ctx;
    if (!wi_records_reserve(sim, k->max_records))
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for records at the start");
    sim->rec_before = ctx->rec_count;
    ctx->rec_capacity = ctx->rec_count + k->max_records;
    ctx->now_ps = -1;
    ctx->entity = entity;
    ctx->self = &sim->heads[entity];
    ctx->out_count = 0;
    ctx->out_capacity = k->max_events;
    k->init(ctx, sim->state[kind] + (size_t)(entity - sim->kind_first[kind]) * k->state_bytes);
    if (!wi_pending_reserve(&sim->pending, ctx->out_count))
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for pending events at the start");
    for (uint32_t i = 0; i < ctx->out_count; i++) {
        const weir_event *event = (const weir_event *)(const void *)(ctx->out + (size_t)i * ctx->stride);
        if (event->target != entity)
            return weir_fail(
                diag, WEIR_E_MODEL,
                "model '%s', entity %u, in 'init': event '%s' is for entity %u; init schedules "
                "for itself only",
                sim->setup.model->name, entity,
                event->type < sim->setup.model->n_types ? sim->setup.model->types[event->type].name : "?",
                event->target);
    }
    if (!ctx->fault)
        wi_add_scheduled(sim);
    return ctx->fault ? wi_fault_message(diag, sim, "init") : WEIR_OK;
}

weir_status weir_sim_new(weir_diag *diag, const weir_setup *setup, weir_sim **out)
{
    *out = NULL;
    weir_status status = wi_setup_check(diag, setup);
    if (status != WEIR_OK)
        return status;
    weir_sim *sim = calloc(1, sizeof *sim);
    if (!sim)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for a simulation");
    sim->setup = *setup;
    status = allocate(diag, sim);
    if (status != WEIR_OK)
        goto done;
    set_up(sim);
    for (uint32_t k = 0; k < setup->model->n_kinds && status == WEIR_OK; k++)
        for (uint32_t e = sim->kind_first[k]; e < sim->kind_first[k + 1] && status == WEIR_OK; e++)
            if (setup->model->kinds[k].init)
                status = init_entity(diag, sim, k, e);
    if (status == WEIR_OK && setup->engine == WEIR_ENGINE_CHECK)
        status = wi_check_new(diag, sim);
done:
    if (status != WEIR_OK) {
        weir_sim_free(sim);
        return status;
    }
    *out = sim;
    return WEIR_OK;
}

void weir_sim_free(weir_sim *sim)
{
    if (!sim)
        return;
    wi_check_free(sim->check);
    wi_pending_free(&sim->pending);
    for (uint32_t i = 0; i < sim->n_blocks; i++)
        wi_pages_free(sim->blocks[i].at, sim->blocks[i].bytes);
    free(sim->dispatch);
    free(sim->ctx.out);
    free(sim->ctx.rec);
    free(sim);
}

weir_time weir_sim_now(const weir_sim *sim)
{
    return sim->now_ps;
}

uint64_t weir_sim_events(const weir_sim *sim)
{
    return sim->events;
}

uint32_t weir_sim_entities(const weir_sim *sim)
{
    return sim->ctx.n_entities;
}

void *weir_sim_state(const weir_sim *sim, uint32_t entity)
{
    const weir_model *m = sim->setup.model;
    for (uint32_t k = 0; k < m->n_kinds; k++)
        if (entity < sim->kind_first[k + 1])
            return sim->state[k] + (size_t)(entity - sim->kind_first[k]) * m->kinds[k].state_bytes;
    return NULL;
}

void *weir_sim_slot(const weir_sim *sim, int pool, uint32_t slot)
{
    return sim->pool[pool] + (size_t)slot * sim->setup.model->pools[pool].slot_bytes;
}

const int64_t *weir_sim_counters(const weir_sim *sim)
{
    return sim->counters;
}

const weir_entity *weir_sim_heads(const weir_sim *sim)
{
    return sim->heads;
}

void weir_sim_pending(const weir_sim *sim, void (*visit)(void *user, const weir_event *event), void *user)
{
    wi_pending_visit(&sim->pending, visit, user);
}

uint64_t weir_sim_event_digest(const weir_sim *sim)
{
    uint64_t digest = sim->setup.seed;
    for (uint32_t e = 0; e < sim->ctx.n_entities; e++)
        digest = weir_digest_word(digest, sim->heads[e].chain);
    return digest;
}

uint64_t weir_sim_state_digest(const weir_sim *sim)
{
    const weir_model *m = sim->setup.model;
    uint64_t digest = sim->record_chain;
    for (uint32_t k = 0; k < m->n_kinds; k++)
        digest = weir_digest_bytes(digest, sim->state[k],
                                   (size_t)sim->setup.kind_count[k] * m->kinds[k].state_bytes);
    for (uint32_t p = 0; p < m->n_pools; p++) {
        const size_t bytes = (size_t)pool_slots(&sim->setup, p) * m->pools[p].slot_bytes;
        digest = weir_digest_bytes(digest, sim->pool[p], bytes);
    }
    digest = weir_digest_bytes(digest, sim->counters, sim->setup.n_counters * sizeof *sim->counters);
    for (uint32_t e = 0; e < sim->ctx.n_entities; e++) {
        digest = weir_digest_word(digest, sim->heads[e].draws);
        digest = weir_digest_word(digest, ((uint64_t)sim->heads[e].seq << 32) | sim->heads[e].records);
    }
    return digest;
}

void weir_sim_memory_use(const weir_sim *sim, weir_sim_memory *out)
{
    *out = (weir_sim_memory){
        .state_bytes = sim->state_bytes,
        .pending_events = sim->pending.count,
        .pending_peak = sim->pending.peak,
        .pending_peak_bytes = wi_pending_event_bytes(&sim->pending),
        .stream_bytes = sim->pending.streams ? (uint64_t)sim->ctx.n_entities * sizeof(wi_stream) : 0};
}
