/*
 * Staged execution, the host's side; see gpu/batch/staged.h. Each thread drives some of the runs with several stages in turn: it
 * waits for a stage's batch, takes back states and new events, collects the next batch (from each run its first event,
 * if that is independent of those of the run that are on their way) and sends it. An event is independent if no event on
 * its way is at the same entity, and it comes before anything that they may schedule for others.
 */
#include "engine/gpu/batch/runs.h"

#ifdef WEIR_HAVE_CUDA

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "engine/gpu/batch/staged.h"

enum { STREAMS_MAX = 16, THREADS_MAX = 64, STREAMS = 3 };

typedef struct flight {
    weir_time time_ps;
    uint32_t target, active;
} flight;

/* A run, while it is driven. */
typedef struct driven {
    flight flights[STREAMS_MAX];
    weir_time last_ps; /* latest event taken */
} driven;

typedef struct stage {
    wi_gpu_stage *device;
    unsigned char *items;
    uint32_t n; /* items on their way, gaps included; 0: none */
} stage;

/* What one thread has. */
typedef struct driver {
    weir_batch *batch;
    const volatile int *stop;
    uint32_t first, end, n_stages, mapping, stopped;
    wi_gpu_item_layout layout;
    stage stages[STREAMS_MAX];
    driven *driven;        /* [end - first] */
    unsigned char *picked; /* [end - first] events, layout.stride apart */
    uint32_t *run, *place; /* [end - first] whose they are; where they go */
    uint64_t rounds;
    weir_diag *diag;
    weir_status status;
    pthread_t thread;
} driver;

/* ---- collecting ---- */

static int is_independent(const driver *d, const wi_batch_run *run, const driven *v, const weir_event *e)
{
    for (uint32_t s = 0; s < d->n_stages; s++) {
        const flight *f = &v->flights[s];
        if (f->active &&
            (f->target == e->target || e->time_ps >= wi_gpu_reach(f->time_ps, run->lookahead_least_ps)))
            return 0;
    }
    return 1;
}

/* The run's first event into `event`, if it may be handled now. */
static int pick(driver *d, uint32_t r, uint32_t stage_index, unsigned char *event)
{
    wi_batch_run *run = &d->batch->runs[r];
    driven *v = &d->driven[r - d->first];
    wi_pending *pending = &run->sim->main.pending;
    wi_event_room room;
    if (run->status != WEIR_OK || wi_pending_first(pending) >= d->batch->limit_ps[r])
        return 0;
    wi_pending_pop(pending, &room.event);
    if (!is_independent(d, run, v, &room.event)) {
        wi_pending_add(pending, &room.event, 0);
        return 0;
    }
    v->flights[stage_index] = (flight){room.event.time_ps, room.event.target, 1};
    v->last_ps = room.event.time_ps > v->last_ps ? room.event.time_ps : v->last_ps;
    memcpy(event, &room, sizeof(weir_event) + run->sim->payload_bytes);
    return 1;
}

static const weir_event *picked_at(const driver *d, uint32_t i)
{
    return (const weir_event *)(const void *)(d->picked + (size_t)i * d->layout.stride);
}

/* Where each of n picked events goes: as they come, by type, or by type from a warp's boundary on. Returns the places,
 * gaps included. */
static uint32_t map_events(driver *d, uint32_t n)
{
    uint32_t next[WI_GPU_TYPES_MAX] = {0}, sum = 0;
    for (uint32_t i = 0; i < n; i++)
        next[picked_at(d, i)->type]++;
    for (int t = 0; t < WI_GPU_TYPES_MAX; t++) {
        const uint32_t count = next[t];
        next[t] = sum;
        sum += d->mapping == WI_GPU_MAP_PAD ? (count + 31) / 32 * 32 : count;
    }
    for (uint32_t i = 0; i < n; i++)
        d->place[i] = d->mapping == WI_GPU_MAP_NONE ? i : next[picked_at(d, i)->type]++;
    return sum;
}

static void fill_item(driver *d, stage *s, uint32_t i)
{
    unsigned char *at = s->items + (size_t)d->place[i] * d->layout.bytes;
    wi_gpu_item *item = (wi_gpu_item *)(void *)at;
    const weir_event *event = picked_at(d, i);
    const weir_sim *sim = d->batch->runs[d->run[i]].sim;
    const wi_dispatch *type = &sim->dispatch[event->type];
    memset(item, 0, sizeof *item);
    item->run = d->run[i];
    item->head = sim->heads[event->target];
    memcpy(at + d->layout.event_at, event, sizeof *event + sim->payload_bytes);
    memcpy(at + d->layout.state_at,
           type->state + (size_t)(event->target - type->first_entity) * type->state_bytes, type->state_bytes);
}

static weir_status collect(driver *d, uint32_t stage_index)
{
    stage *s = &d->stages[stage_index];
    uint32_t n = 0;
    for (uint32_t r = d->first; r < d->end; r++)
        if (pick(d, r, stage_index, d->picked + (size_t)n * d->layout.stride))
            d->run[n++] = r;
    s->n = 0;
    if (n == 0)
        return WEIR_OK;
    s->n = map_events(d, n);
    for (uint32_t i = 0; s->n > n && i < s->n; i++)
        ((wi_gpu_item *)(void *)(s->items + (size_t)i * d->layout.bytes))->run = WI_GPU_NONE;
    for (uint32_t i = 0; i < n; i++)
        fill_item(d, s, i);
    d->rounds++;
    return wi_gpu_stage_send(d->diag, s->device, s->n);
}

/* ---- taking back ---- */

static void fail_run(wi_batch_run *run, uint32_t r, const wi_gpu_item *item, const weir_event *event)
{
    const wi_gpu_fault fault = {.time_ps = event->time_ps,
                                .value = item->value,
                                .source = event->source,
                                .seq = event->seq,
                                .entity = event->target,
                                .type = event->type,
                                .fault = item->fault,
                                .detail = item->detail,
                                .run = r};
    run->status = wi_gpu_fault_keep(run->sim, &fault, &run->message);
}

static weir_status take_scheduled(driver *d, wi_batch_run *run, wi_gpu_item *item, const unsigned char *at)
{
    weir_sim *sim = run->sim;
    if (!wi_pending_has_room(&sim->main.pending, item->out_count) &&
        !wi_pending_reserve(&sim->main.pending, item->out_count))
        return weir_fail(d->diag, WEIR_E_NOMEM, "no memory for pending events");
    for (uint32_t i = 0; i < item->out_count && !item->fault; i++) {
        const weir_event *e =
            (const weir_event *)(const void *)(at + d->layout.out_at + (size_t)i * d->layout.stride);
        const wi_dispatch *type = &sim->dispatch[e->type];
        if (e->type >= sim->setup.model->n_types || e->target - type->first_entity >= type->n_of_kind) {
            item->fault = WEIR_FAULT_KIND;
            item->detail = e->type;
            item->value = e->target;
        } else {
            wi_pending_add(&sim->main.pending, e, type->ordered);
        }
    }
    return WEIR_OK;
}

static weir_status take_records(driver *d, wi_batch_run *run, const wi_gpu_item *item,
                                const unsigned char *at)
{
    wi_part *part = &run->sim->main;
    const size_t stride = part->ctx.rec_stride;
    if (item->rec_count == 0)
        return WEIR_OK;
    if (!wi_records_reserve(part, item->rec_count))
        return weir_fail(d->diag, WEIR_E_NOMEM, "no memory for records");
    for (uint32_t i = 0; i < item->rec_count; i++)
        memcpy(part->ctx.rec + part->ctx.rec_count++ * stride,
               at + d->layout.rec_at + (size_t)i * d->layout.rec_stride, stride);
    return WEIR_OK;
}

static weir_status take_back(driver *d, uint32_t stage_index)
{
    stage *s = &d->stages[stage_index];
    weir_status status = wi_gpu_stage_wait(d->diag, s->device);
    for (uint32_t i = 0; i < s->n && status == WEIR_OK; i++) {
        unsigned char *at = s->items + (size_t)i * d->layout.bytes;
        wi_gpu_item *item = (wi_gpu_item *)(void *)at;
        if (item->run == WI_GPU_NONE)
            continue;
        wi_batch_run *run = &d->batch->runs[item->run];
        weir_sim *sim = run->sim;
        const weir_event *event = (const weir_event *)(const void *)(at + d->layout.event_at);
        const wi_dispatch *type = &sim->dispatch[event->type];
        d->driven[item->run - d->first].flights[stage_index].active = 0;
        if (run->status != WEIR_OK)
            continue;
        sim->heads[event->target] = item->head;
        memcpy(type->state + (size_t)(event->target - type->first_entity) * type->state_bytes,
               at + d->layout.state_at, type->state_bytes);
        sim->events++;
        status = take_scheduled(d, run, item, at) ?: take_records(d, run, item, at);
        if (item->fault)
            fail_run(run, item->run, item, event);
    }
    s->n = 0;
    return status;
}

/* ---- driving ---- */

/* Events of a run were taken out of order within its lookahead: it may stop after the last of them. */
static void stop_soon(driver *d)
{
    for (uint32_t r = d->first; r < d->end; r++) {
        const weir_time now_ps = d->batch->runs[r].sim->now_ps, last_ps = d->driven[r - d->first].last_ps;
        const weir_time end_ps = last_ps < now_ps ? now_ps : last_ps + 1;
        if (end_ps < d->batch->limit_ps[r])
            d->batch->limit_ps[r] = end_ps;
    }
    d->stopped = 1;
}

static void *drive(void *user)
{
    driver *d = user;
    uint32_t idle = 0;
    d->status = wi_gpu_stage_enter(d->diag, d->batch->device);
    for (uint32_t s = 0; d->status == WEIR_OK && idle < d->n_stages; s = (s + 1) % d->n_stages) {
        if (d->stages[s].n > 0)
            d->status = take_back(d, s);
        if (!d->stopped && d->stop && *d->stop)
            stop_soon(d);
        if (d->status == WEIR_OK)
            d->status = collect(d, s);
        idle = d->stages[s].n > 0 ? 0 : idle + 1;
    }
    return NULL;
}

static weir_status driver_new(weir_diag *diag, driver *d, const weir_batch *batch)
{
    const uint32_t n = d->end - d->first;
    uint32_t state_bytes = 8;
    for (uint32_t r = d->first; r < d->end; r++) {
        const weir_model *m = batch->runs[r].sim->setup.model;
        for (uint32_t k = 0; k < m->n_kinds; k++)
            if (m->kinds[k].state_bytes > state_bytes)
                state_bytes = m->kinds[k].state_bytes;
    }
    wi_gpu_item_layout_of(batch->runs[0].sim->setup.gpu, state_bytes, &d->layout);
    d->driven = calloc(n, sizeof *d->driven);
    d->picked = calloc(n, d->layout.stride);
    d->run = calloc(n, sizeof *d->run);
    d->place = calloc(n, sizeof *d->place);
    d->diag = weir_diag_new();
    if (!d->driven || !d->picked || !d->run || !d->place || !d->diag)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory to drive %u runs", n);
    for (uint32_t r = 0; r < n; r++)
        d->driven[r].last_ps = -1;
    const uint32_t places = d->mapping == WI_GPU_MAP_PAD ? n + 31 * WI_GPU_TYPES_MAX : n;
    weir_status status = WEIR_OK;
    for (uint32_t s = 0; s < d->n_stages && status == WEIR_OK; s++)
        status = wi_gpu_stage_new(diag, batch->device, &d->layout, places, &d->stages[s].device,
                                  &d->stages[s].items);
    return status;
}

static void driver_free(driver *d)
{
    for (uint32_t s = 0; s < STREAMS_MAX; s++)
        wi_gpu_stage_free(d->stages[s].device);
    free(d->driven);
    free(d->picked);
    free(d->run);
    free(d->place);
    weir_diag_free(d->diag);
}

static uint32_t mapping_of(const weir_batch *batch)
{
    const struct weir_gpu_program *p = batch->runs[0].sim->setup.gpu;
    if (batch->options.mapping == WEIR_BATCH_MAPPING_CHOSEN)
        return p->grouped ? WI_GPU_MAP_SORT : WI_GPU_MAP_NONE;
    return (uint32_t)batch->options.mapping - WEIR_BATCH_MAPPING_NONE;
}

static weir_status drive_all(weir_diag *diag, driver *drivers, uint32_t n)
{
    weir_status status = WEIR_OK;
    uint32_t started = 1;
    for (; started < n; started++)
        if (pthread_create(&drivers[started].thread, NULL, drive, &drivers[started]) != 0)
            break;
    drive(&drivers[0]);
    for (uint32_t t = 1; t < started; t++)
        pthread_join(drivers[t].thread, NULL);
    for (uint32_t t = started; t < n; t++) /* no more threads to be had */
        drive(&drivers[t]);
    for (uint32_t t = 0; t < n; t++) {
        const size_t n_messages = weir_diag_count(drivers[t].diag);
        if (drivers[t].status != WEIR_OK && status == WEIR_OK)
            status = weir_fail(diag, drivers[t].status, "%s",
                               n_messages ? weir_diag_get(drivers[t].diag, n_messages - 1)->text
                                          : "a batch of events failed");
    }
    return status;
}

weir_status wi_batch_staged_run(weir_diag *diag, weir_batch *batch, const volatile int *stop, int *stopped)
{
    const uint32_t streams = batch->options.streams ? batch->options.streams : STREAMS;
    uint32_t n = batch->options.threads ? batch->options.threads : 1;
    n = n < batch->n ? n : batch->n;
    n = n < THREADS_MAX ? n : THREADS_MAX;
    driver *drivers = calloc(n, sizeof *drivers);
    weir_status status = WEIR_OK;
    const double start_s = wi_clock_s();
    if (!drivers)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for %u threads", n);
    for (uint32_t t = 0; t < n; t++) {
        driver *d = &drivers[t];
        d->batch = batch;
        d->stop = stop;
        d->first = (uint32_t)((uint64_t)batch->n * t / n);
        d->end = (uint32_t)((uint64_t)batch->n * (t + 1) / n);
        d->n_stages = streams < STREAMS_MAX ? streams : STREAMS_MAX;
        d->mapping = mapping_of(batch);
    }
    for (uint32_t t = 0; t < n && status == WEIR_OK; t++)
        status = driver_new(diag, &drivers[t], batch);
    status = status ?: drive_all(diag, drivers, n);
    batch->use.events = 0;
    for (uint32_t r = 0; r < batch->n; r++)
        batch->use.events += batch->runs[r].sim->events;
    for (uint32_t t = 0; t < n; t++) {
        batch->use.rounds = drivers[t].rounds > batch->use.rounds ? drivers[t].rounds : batch->use.rounds;
        batch->use.launches += (uint32_t)drivers[t].rounds;
        *stopped |= (int)drivers[t].stopped;
        driver_free(&drivers[t]);
    }
    batch->use.kernel_s += wi_clock_s() - start_s;
    free(drivers);
    return status;
}

#endif
