/* The GPU engine as the host sees it: stop points, records in order, faults, the LP size. */
#include "device/device.h"
#include "engine/core/engine.h"

bool weir_gpu_describe(int device, char *text, size_t size)
{
    return wi_device_describe(device, text, size);
}

#ifndef WEIR_HAVE_CUDA

const wi_engine_ops *wi_engine_gpu(void)
{
    return NULL;
}

#else

#include <stdlib.h>
#include <string.h>

#include "engine/gpu/round/device.h"
#include "base/clock.h"
#include "engine/gpu/adapt.h"
#include "engine/gpu/host/host.h"

enum { ROUNDS_FIRST = 64, ROUNDS_MAX = 1 << 20 };

typedef struct gpu_engine {
    wi_gpu_device *device;
    wi_gpu_host host; /* the host's arrays */
    wi_gpu_adapt adapt;
    uint64_t rounds; /* of a launch */
    weir_time lookahead_most_ps;
    wi_watch watch;
    int at_host; /* everything is in the host's arrays and sim->main.pending; the next run takes it back */
    wi_gpu_records records; /* taken from the device, not yet handed out */
} gpu_engine;

/* region: starting */

static weir_status check_lp_size(weir_diag *diag, uint32_t lp_size)
{
    if (lp_size & (lp_size - 1) || lp_size > 1u << 20)
        return weir_fail(diag, WEIR_E_ARG, "LPs of %u entities on the GPU; want a power of two up to 1048576",
                         lp_size);
    return WEIR_OK;
}

/* Bring what the host's arrays and sim->main.pending hold to a device of its own. */
static weir_status to_device(weir_diag *diag, weir_sim *sim)
{
    const weir_setup *setup = &sim->setup;
    gpu_engine *e = sim->engine;
    wi_gpu_type *types = calloc(setup->model->n_types, sizeof *types);
    unsigned char *first = wi_gpu_list_pending(sim);
    if (!types || !first) {
        free(types);
        free(first);
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for %llu pending events on their way to the device",
                         (unsigned long long)sim->main.pending.count);
    }
    wi_gpu_fill_types(sim, types);
    wi_gpu_fill_host(sim, &e->host);
    e->host.pending = first;
    e->host.n_pending = sim->main.pending.count;
    const wi_gpu_options options = {.device = setup->gpu_options.device,
                                    .lp_shift = e->adapt.shift,
                                    .host_driven = setup->gpu_options.host_driven,
                                    .time_steps = setup->gpu_options.time_steps,
                                    .slots_percent = setup->gpu_options.slots_percent,
                                    .out_room = setup->gpu_options.outbox_events,
                                    .rec_room = setup->gpu_options.records};
    const weir_status status =
        wi_gpu_device_new(diag, setup->gpu, types, setup->model->n_types, &e->host, 1, &options, &e->device);
    e->host.pending = NULL;
    free(types);
    free(first);
    wi_pending_free(&sim->main.pending);
    return status;
}

static weir_status start(weir_diag *diag, weir_sim *sim)
{
    const weir_setup *setup = &sim->setup;
    WI_RETURN_IF_FAILED(wi_gpu_check_program(diag, sim, true) ?: check_lp_size(diag, setup->lp_size));
    gpu_engine *e = sim->engine = calloc(1, sizeof *e);
    if (!e)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for the GPU engine");
    for (uint32_t i = 0; i < sim->n_entities; i++)
        if (setup->lookahead_ps[i] > e->lookahead_most_ps)
            e->lookahead_most_ps = setup->lookahead_ps[i];
    wi_gpu_adapt_init(&e->adapt, sim->n_entities, setup->lp_size, setup->gpu_options.regroup_events);
    e->rounds = ROUNDS_FIRST;
    if (setup->gpu_options.watch_events)
        e->watch.sooner = WI_WATCH_PATIENCE - setup->gpu_options.watch_events;
    return to_device(diag, sim);
}

static weir_status update_world(weir_diag *diag, weir_sim *sim)
{
    gpu_engine *e = sim->engine;
    return e->at_host ? WEIR_OK : wi_gpu_device_update_world(diag, e->device, 0, &e->host);
}

static void stop_engine(weir_sim *sim)
{
    gpu_engine *e = sim->engine;
    if (!e)
        return;
    wi_gpu_device_free(e->device);
    wi_watch_free(&e->watch);
    free(e->records.at);
    free(e);
    sim->engine = NULL;
}

/* region: records */

static weir_status take_records(weir_diag *diag, weir_sim *sim)
{
    gpu_engine *e = sim->engine;
    unsigned char *from = NULL;
    uint32_t n = 0;
    weir_status status = wi_gpu_device_records(diag, e->device, &from, &n);
    const size_t from_stride = sizeof(weir_record_head) + sim->setup.gpu->record_bytes;
    for (uint32_t i = 0; i < n && status == WEIR_OK; i++)
        status = wi_gpu_keep_record(diag, sim, &e->records, from + i * from_stride);
    return status;
}

/* Hand out, in order, what was written before `before_ps`. */
static weir_status flush_records(weir_diag *diag, weir_sim *sim, weir_time before_ps)
{
    gpu_engine *e = sim->engine;
    const weir_status status = take_records(diag, sim);
    return status == WEIR_OK ? wi_gpu_flush_records(diag, sim, &e->records, before_ps) : status;
}

/* region: running */

/* Rounds of the next launch, after one that took so long. */
static uint64_t next_rounds(uint64_t rounds, double wall_s, double wanted_s)
{
    if (wall_s < wanted_s / 2.0)
        return rounds < ROUNDS_MAX ? rounds * 2 : rounds;
    if (wall_s <= wanted_s * 2.0)
        return rounds;
    const uint64_t fewer = (uint64_t)((double)rounds * wanted_s / wall_s);
    return fewer > 0 ? fewer : 1;
}

/* What was measured decides on the LP size. */
static weir_status adapt(weir_diag *diag, gpu_engine *e, const wi_gpu_report *report)
{
    if (report->moves > 0)
        wi_gpu_adapt_moved(&e->adapt, 0.0); /* the time is in the report's */
    if (!wi_gpu_adapt_measured(&e->adapt, report->events, report->wall_s))
        return WEIR_OK;
    const double from_s = wi_clock_s();
    const weir_status status = wi_gpu_device_regroup(diag, e->device, e->adapt.shift);
    wi_gpu_adapt_moved(&e->adapt, wi_clock_s() - from_s);
    return status;
}

/* The watch over progress, between launches. */
static weir_status watch(weir_diag *diag, weir_sim *sim)
{
    gpu_engine *e = sim->engine;
    wi_watch *w = &e->watch;
    const weir_time now_ps = wi_gpu_device_low(e->device, 0);
    if (w->count && now_ps - w->since_ps >= WI_WATCH_SPAN_PS) {
        wi_watch_move_on(w, sim->events, now_ps);
        return wi_gpu_device_watch(diag, e->device, 0, NULL, now_ps);
    }
    if (w->count || !wi_watch_is_due(w, sim->events) || !wi_watch_look(w, sim, sim->events, now_ps))
        return WEIR_OK;
    return wi_gpu_device_watch(diag, e->device, 0, w->count, now_ps);
}

/* One launch, and what it asks for. */
static weir_status launch(weir_diag *diag, weir_sim *sim, weir_time limit_ps, int *done)
{
    gpu_engine *e = sim->engine;
    wi_gpu_report report;
    sim->stale = 1;
    WI_RETURN_IF_FAILED(wi_gpu_device_run(diag, e->device, &limit_ps, e->rounds, &report));
    sim->events += report.events;
    *done = report.done;
    if (report.fault)
        return wi_gpu_fault_message(diag, sim, report.fault);
    weir_status status = watch(diag, sim);
    if (status == WEIR_OK && report.drain)
        status = flush_records(diag, sim, wi_gpu_device_low(e->device, 0));
    const double wanted_s = wi_gpu_adapt_launch_s(&e->adapt);
    if (!report.done || report.wall_s > wanted_s)
        e->rounds = next_rounds(e->rounds, report.wall_s, wanted_s);
    return status == WEIR_OK ? adapt(diag, e, &report) : status;
}

/* What suspends and posts events works on the host's arrays and pending set: back to a device of its own then. */
static weir_status leave_host(weir_diag *diag, weir_sim *sim)
{
    gpu_engine *e = sim->engine;
    wi_gpu_device_free(e->device);
    e->device = NULL;
    e->at_host = 0;
    wi_watch_free(&e->watch);
    return to_device(diag, sim);
}

static weir_status run_until(weir_diag *diag, weir_sim *sim, weir_time limit_ps, const volatile int *stop)
{
    gpu_engine *e = sim->engine;
    int done = 0, stopped = 0;
    if (stop && *stop)
        return WEIR_E_INTERRUPTED;
    WI_RETURN_IF_FAILED(e->at_host ? leave_host(diag, sim) : WEIR_OK);
    while (!done) {
        WI_RETURN_IF_FAILED(launch(diag, sim, limit_ps, &done));
        if (!done && !stopped && stop && *stop) {
            /* LPs may stand at different times within one window: finish it. */
            const weir_time low_ps = wi_gpu_device_low(e->device, 0);
            const weir_time end_ps = wi_gpu_reach(low_ps, e->lookahead_most_ps);
            limit_ps = end_ps < limit_ps ? end_ps : limit_ps;
            stopped = 1;
        }
    }
    sim->now_ps = limit_ps;
    const weir_status status = flush_records(diag, sim, limit_ps);
    return status == WEIR_OK && stopped ? WEIR_E_INTERRUPTED : status;
}

/* region: reading */

static weir_status fetch(weir_diag *diag, weir_sim *sim)
{
    gpu_engine *e = sim->engine;
    return e->at_host ? WEIR_OK : wi_gpu_device_fetch(diag, e->device, 0, &e->host);
}

/* Whole kinds and pools, of those that anything is wanted of. */
static weir_status fetch_some(weir_diag *diag, weir_sim *sim, const weir_sim_want *want)
{
    gpu_engine *e = sim->engine;
    wi_gpu_host some = e->host;
    unsigned char read[WEIR_KINDS_MAX] = {0};
    for (uint32_t i = 0; i < want->n_entities; i++)
        for (uint32_t k = 0; k < some.n_kinds; k++)
            read[k] |= want->entity[i] >= sim->kind_first[k] && want->entity[i] < sim->kind_first[k + 1];
    for (uint32_t k = 0; k < some.n_kinds; k++)
        some.state_bytes[k] = read[k] ? some.state_bytes[k] : 0;
    for (uint32_t p = 0; p < sim->setup.model->n_pools; p++)
        some.pool_bytes[p] = want->n_slots[p] ? some.pool_bytes[p] : 0;
    some.n_entities = 0;
    some.n_counters = want->counters ? some.n_counters : 0;
    return wi_gpu_device_fetch(diag, e->device, 0, &some);
}

static weir_status visit_pending(weir_diag *diag, const weir_sim *sim,
                                 void (*visit)(void *user, const weir_event *event), void *user)
{
    const gpu_engine *e = sim->engine;
    const uint32_t slot_bytes = WI_GPU_SLOT_BYTES(sim->setup.gpu->payload_bytes);
    unsigned char *events = NULL;
    uint64_t n = 0;
    if (e->at_host) {
        wi_pending_visit(&sim->main.pending, visit, user);
        return WEIR_OK;
    }
    WI_RETURN_IF_FAILED(wi_gpu_device_pending(diag, e->device, &events, &n));
    for (uint64_t i = 0; i < n; i++) {
        wi_event_room room;
        wi_gpu_read((const wi_gpu_event *)(const void *)(events + i * slot_bytes), sim->setup.seed,
                    &room.event, sim->payload_bytes, 0);
        visit(user, &room.event);
    }
    free(events);
    return WEIR_OK;
}

/* Events on their way back to the host's pending set. */
typedef struct returning {
    weir_sim *sim;
    int failed;
} returning;

static void add_pending(void *user, const weir_event *event)
{
    returning *r = user;
    r->failed |= !wi_pending_insert(&r->sim->main.pending, event, r->sim->dispatch[event->type].ordered);
}

/* At a stop point: everything to the host, where events can be suspended and posted. Switches of fidelity are few, so that
 * a copy of all there and back is cheaper than a second way to do it. Null: memory is short, or the device failed. */
static wi_part *part_of(const weir_sim *read_sim, uint32_t entity)
{
    weir_sim *sim = (weir_sim *)read_sim; /* its contents do not change, only where they are */
    gpu_engine *e = sim->engine;
    returning back = {.sim = sim};
    (void)entity; /* all are of the main part */
    if (e->at_host)
        return &sim->main;
    if (weir_sim_fetch(NULL, sim) != WEIR_OK ||
        !wi_pending_init(&sim->main.pending, sim->setup.seed, sim->n_entities, sim->payload_bytes,
                         sim->ordered))
        return NULL;
    if (visit_pending(NULL, sim, add_pending, &back) != WEIR_OK || back.failed) {
        wi_pending_free(&sim->main.pending);
        return NULL;
    }
    e->at_host = 1;
    return &sim->main;
}

static void memory_use(const weir_sim *sim, weir_sim_memory *out)
{
    const gpu_engine *e = sim->engine;
    wi_gpu_use use;
    wi_gpu_device_use(e->device, &use);
    out->device_bytes = use.bytes;
    out->pending_peak_bytes = use.slots_used * WI_GPU_SLOT_BYTES(sim->setup.gpu->payload_bytes);
}

static const wi_engine_ops gpu = {.name = "gpu",
                                  .start = start,
                                  .run_until = run_until,
                                  .fetch = fetch,
                                  .fetch_some = fetch_some,
                                  .update_world = update_world,
                                  .visit_pending = visit_pending,
                                  .memory_use = memory_use,
                                  .part_of = part_of,
                                  .free = stop_engine};

const wi_engine_ops *wi_engine_gpu(void)
{
    return &gpu;
}

weir_status wi_gpu_engine_memory(weir_diag *diag, const weir_sim *sim, wi_gpu_memory *out)
{
    if (sim->ops != &gpu)
        return weir_fail(diag, WEIR_E_UNSUPPORTED, "packets are not on a device; want engine: gpu");
    const gpu_engine *e = sim->engine;
    if (e->at_host) /* the simulation stays as it is, in another place */
        WI_RETURN_IF_FAILED(leave_host(diag, (weir_sim *)(uintptr_t)sim));
    wi_gpu_device_memory(e->device, 0, out);
    return WEIR_OK;
}

void wi_gpu_engine_use(const weir_sim *sim, wi_gpu_use *out, uint32_t *lp_size)
{
    const gpu_engine *e = sim->engine;
    wi_gpu_device_use(e->device, out);
    *lp_size = 1u << e->adapt.shift;
}

#endif
