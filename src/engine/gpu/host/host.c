/* What a simulation's arrays are to a device, and its faults and records to a simulation: see host.h. */
#ifdef WEIR_HAVE_CUDA

#include "engine/gpu/host/host.h"

#include <stdlib.h>
#include <string.h>

#include "engine/core/event_key.h"
#include "engine/gpu/round/round.h"

typedef struct wi_gpu_event_list {
    unsigned char *at;
    uint32_t slot_bytes, payload_bytes;
} wi_gpu_event_list;

static void list_event(void *user, const weir_event *event)
{
    wi_gpu_event_list *list = user;
    memset(list->at, 0, list->slot_bytes);
    wi_gpu_write((wi_gpu_event *)(void *)list->at, event, 0, list->payload_bytes);
    list->at += list->slot_bytes;
}

unsigned char *wi_gpu_list_pending(const weir_sim *sim)
{
    wi_gpu_event_list list = {.slot_bytes = WI_GPU_SLOT_BYTES(sim->setup.gpu->payload_bytes),
                              .payload_bytes = sim->payload_bytes};
    unsigned char *const first = malloc((sim->main.pending.count + 1) * list.slot_bytes);
    list.at = first;
    if (first)
        wi_pending_visit(&sim->main.pending, list_event, &list);
    return first;
}

void wi_gpu_fill_types(const weir_sim *sim, wi_gpu_type *types)
{
    for (uint32_t t = 0; t < sim->setup.model->n_types; t++) {
        const wi_dispatch *d = &sim->dispatch[t];
        types[t] = (wi_gpu_type){.first_entity = d->first_entity,
                                 .n_of_kind = d->n_of_kind,
                                 .state_bytes = d->state_bytes,
                                 .kind = d->kind,
                                 .payload_bytes = d->payload_bytes,
                                 .max_events = d->max_events,
                                 .max_records = d->max_records,
                                 .ordered = (uint32_t)d->ordered};
    }
}

void wi_gpu_fill_host(const weir_sim *sim, wi_gpu_host *host)
{
    const weir_setup *setup = &sim->setup;
    const weir_model *m = setup->model;
    *host = (wi_gpu_host){.world = setup->world,
                          .world_bytes = setup->world_bytes,
                          .hook_world_bytes =
                              setup->hook_world_bytes ? setup->hook_world_bytes : setup->world_bytes,
                          .seed = setup->seed,
                          .run = setup->run,
                          .n_entities = sim->n_entities,
                          .heads = sim->heads,
                          .counters = sim->counters,
                          .n_counters = setup->n_counters};
    host->n_kinds = m->n_kinds;
    for (uint32_t k = 0; k < m->n_kinds; k++) {
        host->kind_first[k] = sim->kind_first[k];
        host->kind_bytes[k] = m->kinds[k].state_bytes;
        host->state[k] = sim->state[k];
        host->state_bytes[k] = (size_t)setup->kind_count[k] * m->kinds[k].state_bytes;
    }
    for (uint32_t p = 0; p < m->n_pools; p++) {
        host->pool[p] = sim->pool[p];
        host->pool_bytes[p] = (size_t)sim->pool_slots[p] * m->pools[p].slot_bytes;
    }
}

/* The device code was compiled with sizes of its own: they must hold the model's. */
weir_status wi_gpu_check_program(weir_diag *diag, const weir_sim *sim, bool alone)
{
    const weir_gpu_program *p = sim->setup.gpu;
    const weir_model *m = sim->setup.model;
    uint32_t events = 0, records = 0;
    if (!alone && !p->batch)
        return weir_fail(diag, WEIR_E_UNSUPPORTED, "model '%s' with captures is not for batches on a device",
                         m->name);
    if (m->n_types > WI_GPU_TYPES_MAX)
        return weir_fail(diag, WEIR_E_UNSUPPORTED,
                         "model '%s' has %u event types; the GPU engine takes at most %d", m->name,
                         m->n_types, WI_GPU_TYPES_MAX);
    for (uint32_t t = 0; t < m->n_types; t++) {
        events = m->types[t].max_events > events ? m->types[t].max_events : events;
        records = m->types[t].max_records > records ? m->types[t].max_records : records;
    }
    if (p->payload_bytes < sim->payload_bytes || events > p->max_events ||
        (records > p->max_records && !(alone && p->max_records)) ||
        (records > 0 && m->record_bytes > p->record_bytes))
        return weir_fail(diag, WEIR_E_MODEL,
                         "model '%s': its device code '%s' holds payloads of %u bytes, %u events, %u records "
                         "of %u bytes; the model has %u, %u, %u, %u",
                         m->name, p->model, p->payload_bytes, p->max_events, p->max_records, p->record_bytes,
                         sim->payload_bytes, events, records, m->record_bytes);
    return WEIR_OK;
}

weir_status wi_gpu_fault_message(weir_diag *diag, weir_sim *sim, const wi_gpu_fault *f)
{
    const wi_dispatch *d = &sim->dispatch[f->type];
    weir_ctx *ctx = &sim->main.ctx;
    sim->now_ps = f->time_ps;
    ctx->now_ps = f->time_ps;
    ctx->entity = f->entity;
    ctx->self = &sim->heads[f->entity]; /* its lookahead never changes */
    ctx->fault = f->fault;
    ctx->fault_detail = f->detail;
    ctx->fault_value = f->value;
    ctx->out_capacity = d->max_events;
    ctx->rec_capacity = d->max_records;
    sim->main.rec_before = 0;
    return wi_fault_message(diag, &sim->main, sim->setup.model->types[f->type].name);
}

weir_status wi_gpu_fault_keep(weir_sim *sim, const wi_gpu_fault *fault, char **message)
{
    char text[1024] = "";
    weir_diag *own = weir_diag_new();
    sim->failed = wi_gpu_fault_message(own, sim, fault);
    if (own && weir_diag_count(own) > 0)
        weir_message_format(weir_diag_get(own, weir_diag_count(own) - 1), text, sizeof text);
    *message = strdup(text);
    weir_diag_free(own);
    return sim->failed;
}

weir_status wi_gpu_keep_record(weir_diag *diag, const weir_sim *sim, wi_gpu_records *records,
                               const unsigned char *record)
{
    const size_t stride = sim->main.ctx.rec_stride;
    if (!wi_grow(&records->at, &records->room, records->n + 1, stride))
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for %zu records", records->n + 1);
    unsigned char *to = records->at + records->n++ * stride;
    memcpy(to, record, stride);
    ((weir_record_head *)(void *)to)->reserved = 0; /* the device's run */
    return WEIR_OK;
}

weir_status wi_gpu_flush_records(weir_diag *diag, weir_sim *sim, wi_gpu_records *records, weir_time before_ps)
{
    const size_t stride = sim->main.ctx.rec_stride;
    weir_status status = wi_records_flush(diag, sim, &sim->main, before_ps); /* of init: before all others */
    if (status != WEIR_OK || records->n == 0)
        return status;
    qsort(records->at, records->n, stride, wi_record_compare);
    size_t done = 0;
    while (done < records->n &&
           ((const weir_record_head *)(const void *)(records->at + done * stride))->time_ps < before_ps)
        done++;
    if (done > 0)
        status = wi_records_hand_out(diag, sim, records->at, done);
    memmove(records->at, records->at + done * stride, (records->n - done) * stride);
    records->n -= done;
    return status;
}

#else
typedef int wi_no_gpu_host; /* ISO C wants a declaration */
#endif
