/* Making and freeing a simulation: the host's arrays, and the first events. */
#include "weir/engine.h"

#include <stdlib.h>

#include "engine/sim/checkpoint.h"
#include "pending/pages.h"
#include "engine/parts/part_run.h"
#include "weir/ranks.h"

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
static void *zeroed(weir_sim *sim, uint64_t n, uint64_t size, bool sparse)
{
    wi_block *block = &sim->blocks[sim->n_blocks];
    sim->state_bytes += n * size;
    block->bytes = n * size;
    block->at = sparse ? wi_pages_new_sparse(block->bytes) : wi_pages_new(block->bytes);
    sim->n_blocks += block->at != NULL;
    return block->at;
}

static weir_status allocate(weir_diag *diag, weir_sim *sim)
{
    const weir_setup *setup = &sim->setup;
    const weir_model *m = setup->model;
    int whole = 1;
    for (uint32_t k = 0; k < m->n_kinds; k++) {
        sim->kind_first[k + 1] = sim->kind_first[k] + setup->kind_count[k];
        sim->state[k] = zeroed(sim, setup->kind_count[k], m->kinds[k].state_bytes, false);
        whole &= sim->state[k] != NULL;
        sim->max_events = most(sim->max_events, m->kinds[k].max_events);
        sim->max_records = most(sim->max_records, m->kinds[k].max_records);
    }
    const uint32_t n = sim->n_entities = sim->kind_first[m->n_kinds];
    for (uint32_t p = 0; p < m->n_pools; p++) {
        sim->pool_slots[p] = pool_slots(setup, p);
        sim->pool[p] = zeroed(sim, sim->pool_slots[p], m->pools[p].slot_bytes, m->pools[p].used);
        whole &= sim->pool[p] != NULL;
    }
    for (uint32_t t = 0; t < m->n_types; t++) {
        sim->payload_bytes = most(sim->payload_bytes, m->types[t].payload_bytes);
        sim->ordered |= (m->types[t].flags & WEIR_EVENT_ORDERED) != 0;
        sim->max_events = most(sim->max_events, m->types[t].max_events);
        sim->max_records = most(sim->max_records, m->types[t].max_records);
    }
    sim->heads = zeroed(sim, n, sizeof *sim->heads, false);
    sim->counters = zeroed(sim, setup->n_counters, sizeof *sim->counters, false);
    sim->dispatch = calloc(m->n_types, sizeof *sim->dispatch);
    whole &= sim->heads && sim->counters && sim->dispatch;
    if (whole)
        whole = wi_part_init(&sim->main, sim, sim->counters);
    if (!whole)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for the state of %u entities (%.1f MB)", n,
                         (double)sim->state_bytes / 1e6);
    return WEIR_OK;
}

static void set_up(weir_sim *sim)
{
    const weir_setup *setup = &sim->setup;
    const weir_model *m = setup->model;
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
    for (uint32_t e = 0; e < sim->n_entities; e++) {
        sim->heads[e].lookahead_ps = setup->lookahead_ps[e];
        sim->heads[e].digest = e;
    }
    sim->hook_at_ps = setup->hook ? setup->hook_first_ps : WEIR_TIME_MAX;
}

/* Initialise one entity and take over the events that it schedules. */
static weir_status init_entity(weir_diag *diag, weir_sim *sim, uint32_t kind, uint32_t entity)
{
    const weir_kind *k = &sim->setup.model->kinds[kind];
    static const wi_part_mode mode = {NULL, NULL};
    wi_part *part = &sim->main;
    weir_ctx *ctx = &part->ctx;
    if (!wi_records_reserve(part, k->max_records))
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for records at the start");
    part->rec_before = ctx->rec_count;
    ctx->rec_capacity = ctx->rec_count + k->max_records;
    ctx->now_ps = -1;
    ctx->entity = entity;
    ctx->self = &sim->heads[entity];
    ctx->out_count = 0;
    ctx->out_capacity = k->max_events;
    k->init(ctx, sim->state[kind] + (size_t)(entity - sim->kind_first[kind]) * k->state_bytes);
    if (!wi_pending_reserve(&part->pending, ctx->out_count))
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for pending events at the start");
    for (uint32_t i = 0; i < ctx->out_count; i++) {
        const weir_event *event = (const weir_event *)(const void *)(ctx->out + (size_t)i * ctx->stride);
        if (event->target != entity)
            return weir_fail(
                diag, WEIR_E_MODEL,
                "model '%s', entity %u, in 'init': event '%s' is for entity %u; init schedules for itself "
                "only",
                sim->setup.model->name, entity,
                event->type < sim->setup.model->n_types ? sim->setup.model->types[event->type].name : "?",
                event->target);
    }
    if (!ctx->fault)
        wi_part_add_scheduled(part, &mode);
    return ctx->fault ? wi_fault_message(diag, part, "init") : WEIR_OK;
}

/* Entities between two looks at the word that stops. */
enum { BETWEEN_LOOKS = 1024 };

static weir_status init_all(weir_diag *diag, weir_sim *sim)
{
    const weir_model *m = sim->setup.model;
    weir_status status = WEIR_OK;
    for (uint32_t k = 0; k < m->n_kinds && status == WEIR_OK; k++)
        for (uint32_t e = sim->kind_first[k]; e < sim->kind_first[k + 1] && status == WEIR_OK; e++) {
            if (m->kinds[k].init)
                status = init_entity(diag, sim, k, e);
            if (status == WEIR_OK && e % BETWEEN_LOOKS == 0 && weir_diag_stopped(diag))
                status = weir_fail(diag, WEIR_E_INTERRUPTED, "stopped while setting up entity %u of %u", e,
                                   sim->n_entities);
        }
    return status;
}

weir_status wi_sim_start(weir_diag *diag, weir_sim *sim)
{
    weir_status status = sim->ops->start ? sim->ops->start(diag, sim) : WEIR_OK;
    if (status == WEIR_E_UNSUPPORTED && sim->setup.optimistic_instead && sim->ops->instead) {
        sim->ops->free(sim);
        sim->engine = NULL;
        sim->ops = sim->ops->instead;
        status = sim->ops->start(diag, sim);
    }
    return status;
}

const char *weir_sim_engine(const weir_sim *sim, const char **why)
{
    if (why)
        *why = sim->why;
    return sim->ops->name;
}

weir_status wi_sim_make(weir_diag *diag, const weir_setup *setup, const wi_engine_ops *ops,
                        const wi_saved *saved, const wi_sim_edit *edit, weir_sim **out)
{
    *out = NULL;
    weir_sim *sim = calloc(1, sizeof *sim);
    if (!sim)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for a simulation");
    sim->setup = *setup;
    sim->ops = ops;
    weir_status status = allocate(diag, sim);
    if (status == WEIR_OK) {
        set_up(sim);
        status = saved ? wi_sim_read_saved(diag, sim, saved, edit) : init_all(diag, sim);
    }
    if (ops->collective)
        status = weir_ranks_agree(diag, status);
    status = status ?: wi_sim_start(diag, sim);
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
    if (sim->ops->free)
        sim->ops->free(sim);
    wi_part_free(&sim->main);
    for (uint32_t i = 0; i < sim->n_blocks; i++)
        wi_pages_free(sim->blocks[i].at, sim->blocks[i].bytes);
    for (uint32_t i = 0; i < sim->n_frozen; i++)
        free(sim->frozen[i].events.at);
    free(sim->frozen);
    free(sim->dispatch);
    free(sim);
}
