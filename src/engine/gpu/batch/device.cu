/* The device side of batches: memory, launches, copies; see gpu/batch.h. */
#include <algorithm>

#include "base/clock.h"
#include "base/each.h"
#include "engine/gpu/batch/memory.cuh"
#include "engine/gpu/memory/regions.cuh"
#include "engine/gpu/memory/sizes.cuh"

static uint64_t stage_of(const wi_gpu_host *h)
{
    return each_array(h, 0, [](void *, uint64_t, uint64_t) {});
}

/* ---- sizes ---- */

static uint32_t most_entities(const wi_gpu_host *hosts, uint32_t n_runs)
{
    uint32_t most = 1;
    for (uint32_t r = 0; r < n_runs; r++)
        most = std::max(most, hosts[r].n_entities);
    return most;
}

/* Entities that may have something to do at once, by what is pending at first: a network's hosts and ports mostly
 * wait, and threads for each of them would as well. */
static uint32_t most_busy(const wi_gpu_host *hosts, uint32_t n_runs)
{
    uint64_t most = 1;
    for (uint32_t r = 0; r < n_runs; r++)
        most = std::max(most, std::min<uint64_t>(hosts[r].n_entities, hosts[r].n_pending));
    return (uint32_t)most;
}

/* Threads' share of a device that is full: as many runs a block as keep it busy, if there are enough. */
static uint32_t runs_a_group_of(const weir_gpu_program *p, uint32_t busy, uint32_t n_runs, uint32_t blocks,
                                uint32_t wanted)
{
    const uint32_t full = std::max(1u, p->threads / busy); /* an entity a thread */
    if (p->laned && !wanted)                               /* a block's threads take the items */
        return 1;
    const uint32_t even = (n_runs + blocks - 1) / blocks; /* no multiprocessor goes without */
    const uint32_t chosen = wanted ? wanted : std::max(1u, std::min(full, even));
    return std::min(chosen, (uint32_t)WI_GPU_GROUP_RUNS);
}

/* lps: that may be handled at once. */
static uint32_t batch_out_room(const weir_gpu_program *p, uint32_t lps, uint64_t events_a_group)
{
    const uint64_t least = 2ull * (p->max_events + 1) * std::min(p->threads, lps);
    return (uint32_t)std::min<uint64_t>(least + events_a_group, 1u << 20);
}

static weir_status batch_blocks(weir_diag *diag, const weir_gpu_program *p, wi_device *device, int small,
                                uint32_t *blocks)
{
    int per_sm = 0, sms = 0;
    WI_RETURN_IF_CUDA_FAILED(device, "a look at its multiprocessors",
                             cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device->number));
    WI_RETURN_IF_CUDA_FAILED(device, "loading the model's kernels",
                             p->batch_blocks_per_sm((int)p->threads, small, &per_sm));
    *blocks = (uint32_t)std::max(1, per_sm * sms);
    return WEIR_OK;
}

weir_status wi_gpu_batch_fit(weir_diag *diag, const weir_gpu_program *p, const wi_gpu_host *host,
                             const wi_gpu_batch_options *options, uint64_t *run_bytes, uint64_t *free_bytes)
{
    wi_device device = {};
    uint32_t blocks = 0;
    weir_status status = wi_device_open(diag, &device, options->device, "the batch", "use --device cpu");
    if (status == WEIR_OK)
        status = batch_blocks(diag, p, &device, 0, &blocks);
    const uint64_t slot = slot_bytes_of(p), room = batch_out_room(p, p->threads, host->n_pending);
    /* regions grow to three times the first events, about; the pool has half as much again */
    *run_bytes =
        stage_of(host) + host->world_bytes + host->n_entities * 26ull +
        (12ull * host->n_entities + 3 * host->n_pending) * slot * 3 / 2 + host->n_pending * slot +
        room * (slot + sizeof(wi_gpu_spill)) / std::max(1u, p->threads / std::max(1u, host->n_entities)) +
        1024;
    const uint64_t records =
        (uint64_t)rec_room_of(p, p->max_records, blocks, &(const wi_gpu_options &)wi_gpu_options{}) *
        (sizeof(weir_record_head) + p->record_bytes);
    const uint64_t fixed = records + (64u << 20), there = wi_device_free_bytes(nullptr);
    *free_bytes = there > fixed ? there - fixed : 0;
    wi_device_close(&device);
    return status;
}

/* ---- making ---- */

static void stage_run(void *user, uint32_t r)
{
    const wi_gpu_staging *const s = static_cast<const wi_gpu_staging *>(user);
    const wi_gpu_host *const h = &s->hosts[r];
    wi_gpu_run *const run = &s->b->d.runs[r];
    each_array(h, s->b->stage_at[r], [&](void *array, uint64_t bytes, uint64_t place) {
        memcpy(s->b->stage + place, array, bytes);
        unsigned char *const there = s->b->d_stage + place;
        if (array == h->heads)
            run->heads = (weir_entity *)there;
        if (array == h->counters)
            run->counters = (int64_t *)there;
        for (int k = 0; k < WEIR_KINDS_MAX; k++)
            if (array == h->state[k])
                run->state[k] = there;
        for (int p = 0; p < WEIR_POOLS_MAX; p++)
            if (array == h->pool[p])
                run->pool[p] = there;
    });
}

static weir_status stage_runs(weir_diag *diag, wi_gpu_batch *b, const wi_gpu_host *hosts, uint32_t n_runs)
{
    wi_gpu_device *const d = &b->d;
    wi_gpu_staging s = {b, hosts};
    b->stage_at = host_memory<uint64_t>(diag, "the runs' states", n_runs);
    if (!b->stage_at)
        return WEIR_E_NOMEM;
    for (uint32_t r = 0; r < n_runs; r++) {
        b->stage_at[r] = b->stage_bytes;
        b->stage_bytes += stage_of(&hosts[r]);
    }
    b->stage = host_memory<unsigned char>(diag, "the runs' states", b->stage_bytes);
    if (!b->stage)
        return WEIR_E_NOMEM;
    WI_RETURN_IF_FAILED(allocate(diag, d, "the runs' states", &b->d_stage, b->stage_bytes));
    wi_each(b->options.host_threads, 0, n_runs, stage_run, &s);
    WI_RETURN_IF_FAILED(copy_in(diag, d, "the runs' states", b->d_stage, b->stage, b->stage_bytes));
    return WEIR_OK;
}

static bool same_world(const wi_gpu_host *a, const wi_gpu_host *b)
{
    return a->world == b->world && a->world_bytes == b->world_bytes;
}

/* One piece of memory for all, as thousands of allocations take longer than what they hold takes to copy; a world
 * that the run before has, too, is there already. */
static weir_status upload_worlds(weir_diag *diag, wi_gpu_batch *b, const wi_gpu_host *hosts, uint32_t n_runs)
{
    enum { LINE = 256 }; /* as an allocation is aligned */
    wi_gpu_device *const d = &b->d;
    unsigned char *at = nullptr;
    uint64_t bytes = 0;
    for (uint32_t r = 0; r < n_runs; r++)
        if (r == 0 || !same_world(&hosts[r], &hosts[r - 1]))
            bytes += (hosts[r].world_bytes + LINE - 1) / LINE * LINE;
    WI_RETURN_IF_FAILED(allocate(diag, d, "the worlds", &at, bytes));
    for (uint32_t r = 0; r < n_runs; r++) {
        const wi_gpu_host *const h = &hosts[r];
        if (r > 0 && same_world(h, &hosts[r - 1])) {
            d->runs[r].world = d->runs[r - 1].world;
            continue;
        }
        d->runs[r].world = at;
        WI_RETURN_IF_FAILED(copy_in(diag, d, "the worlds", at, h->world, h->world_bytes));
        at += (h->world_bytes + LINE - 1) / LINE * LINE;
    }
    return WEIR_OK;
}

static void describe_runs(wi_gpu_device *d, const wi_gpu_host *hosts, uint32_t n_runs)
{
    for (uint32_t r = 0; r < n_runs; r++) {
        describe_run(&d->runs[r], &hosts[r], 1);
        d->runs[r].n_lps = hosts[r].n_entities;
        d->runs[r].lp_first = d->g.n_lps;
        d->g.n_lps += hosts[r].n_entities;
    }
}

/* The runs of each group, and each LP's run. */
static weir_status upload_groups(weir_diag *diag, wi_gpu_batch *b, uint32_t *first, uint16_t *of)
{
    wi_gpu_device *const d = &b->d;
    const uint32_t n_runs = d->n_runs, n_groups = b->groups.n_groups;
    uint32_t *d_first = nullptr;
    uint16_t *d_of = nullptr;
    if (!first || !of)
        return WEIR_E_NOMEM;
    for (uint32_t g = 0; g <= n_groups; g++)
        first[g] = std::min(g * b->runs_a_group, n_runs);
    for (uint32_t r = 0; r < n_runs; r++)
        for (uint32_t i = 0; i < d->runs[r].n_lps; i++)
            of[d->runs[r].lp_first + i] = (uint16_t)r;
    WI_RETURN_IF_FAILED(upload(diag, d, "groups", &d_first, first, (n_groups + 1) * sizeof *first));
    WI_RETURN_IF_FAILED(upload(diag, d, "groups", &d_of, of, d->g.n_lps * sizeof *of));
    b->groups.first_run = d_first;
    b->groups.run_of_lp = d_of;
    WI_RETURN_IF_FAILED(wait_for(diag, d, "groups")); /* the lists go */
    return WEIR_OK;
}

static weir_status fill_groups(weir_diag *diag, wi_gpu_batch *b, uint32_t n_runs)
{
    wi_gpu_device *const d = &b->d;
    uint32_t *spilled = nullptr;
    b->groups.n_groups = (n_runs + b->runs_a_group - 1) / b->runs_a_group;
    uint32_t *const first = host_memory<uint32_t>(diag, "groups", b->groups.n_groups + 1);
    uint16_t *const of = host_memory<uint16_t>(diag, "groups", d->g.n_lps);
    const weir_status status = upload_groups(diag, b, first, of);
    free(first);
    free(of);
    WI_RETURN_IF_FAILED(status);
    WI_RETURN_IF_FAILED(allocate(diag, d, "groups", &spilled, b->groups.n_groups));
    WI_RETURN_IF_FAILED(allocate(diag, d, "reports", &b->groups.reports, n_runs));
    WI_RETURN_IF_FAILED(allocate(diag, d, "faults", &d->g.faults, n_runs));
    b->groups.spilled = spilled;
    WI_RETURN_IF_FAILED(zero(diag, d, "groups", spilled, b->groups.n_groups * sizeof *spilled));
    WI_RETURN_IF_FAILED(zero(diag, d, "reports", b->groups.reports, n_runs * sizeof *b->groups.reports));
    WI_RETURN_IF_FAILED(zero(diag, d, "faults", d->g.faults, n_runs * sizeof *d->g.faults));
    return WEIR_OK;
}

/* The first events of all runs, one after the other, on the device: what the host copies is `all`. */
static weir_status upload_events(weir_diag *diag, wi_gpu_device *d, const wi_gpu_host *hosts, uint32_t n_runs,
                                 unsigned char *all, unsigned char *events)
{
    const uint32_t slot_bytes = d->g.slot_bytes;
    unsigned char *at = all;
    for (uint32_t r = 0; r < n_runs; r++)
        for (uint64_t i = 0; i < hosts[r].n_pending; i++, at += slot_bytes) {
            memcpy(at, hosts[r].pending + i * slot_bytes, slot_bytes);
            reinterpret_cast<wi_gpu_event *>(at)->run = (uint16_t)r;
        }
    WI_RETURN_IF_FAILED(copy_in(diag, d, "the first events", events, all, (size_t)(at - all)));
    WI_RETURN_IF_FAILED(wait_for(diag, d, "the first events"));
    return WEIR_OK;
}

/* They come into regions as in gpu/device.cu's moves, from nothing. */
static weir_status place_events(weir_diag *diag, wi_gpu_batch *b, const wi_gpu_host *hosts, uint32_t n_runs)
{
    wi_gpu_device *const d = &b->d;
    wi_gpu &g = d->g;
    const uint32_t blocks = WI_GPU_MOVE_BLOCKS, threads = WI_GPU_MOVE_THREADS;
    unsigned long long n_slots = 0;
    unsigned char *events = nullptr;
    const uint64_t n = pending_of(hosts, n_runs);
    WI_RETURN_IF_FAILED(allocate(diag, d, "the first events", &events, n * g.slot_bytes));
    unsigned char *const all = host_memory<unsigned char>(diag, "the first events", n * g.slot_bytes);
    const weir_status status = all ? upload_events(diag, d, hosts, n_runs, all, events) : WEIR_E_NOMEM;
    free(all);
    WI_RETURN_IF_FAILED(status);
    wi_gpu none = g;
    none.n_lps = 0;
    const wi_gpu_loose loose = {events, nullptr, n};
    WI_RETURN_IF_FAILED(make_regions(diag, d, none, loose, &g, &n_slots));
    for (uint32_t r = 0; r < n_runs; r++)
        if (d->runs[r].lookahead_ps == 0)
            wi_gpu_move_lookaheads<<<16, threads, 0, d->stream>>>(g, r);
    WI_RETURN_IF_FAILED(make_pool(diag, d, &g, n_slots, b->options.slots_percent, 4096));
    wi_gpu_move_events<<<blocks, threads, 0, d->stream>>>(none, loose, g);
    d->status.slots_used = (uint32_t)n_slots;
    WI_RETURN_IF_FAILED(upload(diag, d, "the engine's status", &g.status, &d->status, sizeof d->status));
    WI_RETURN_IF_FAILED(wait_for(diag, d, "placing events"));
    WI_RETURN_IF_CUDA_FAILED(&d->device, "placing events", cudaGetLastError());
    wi_device_release(&d->device, events);
    return WEIR_OK;
}

static weir_status make_boxes(weir_diag *diag, wi_gpu_batch *b, const wi_gpu_host *hosts, uint32_t n_runs,
                              uint32_t at_once)
{
    wi_gpu_device *const d = &b->d;
    wi_gpu &g = d->g;
    const wi_gpu_options records = {0, 0, 0, 0, 0, b->options.rec_room};
    const uint32_t groups = (n_runs + b->runs_a_group - 1) / b->runs_a_group;
    g.n_blocks = groups;
    g.n_threads = d->program->threads;
    g.slot_bytes = slot_bytes_of(d->program);
    g.out_room = batch_out_room(d->program, b->groups.small ? most_entities(hosts, n_runs) : g.n_threads,
                                pending_of(hosts, n_runs) / groups);
    g.rec_stride = (uint32_t)sizeof(weir_record_head) + d->program->record_bytes;
    const uint32_t running = std::min(groups, at_once);
    g.most_records = d->program->max_records;
    g.rec_room = rec_room_of(d->program, g.most_records, running, &records);
    b->groups.at_once = running * g.n_threads;
    const uint64_t outs = (uint64_t)groups * g.out_room;
    if (outs > UINT32_MAX) /* places are 32 bits */
        return weir_fail(diag, WEIR_E_NOMEM, "outboxes of %u groups: batch fewer runs", groups);
    WI_RETURN_IF_FAILED(allocate(diag, d, "outboxes", &g.out, outs * g.slot_bytes));
    WI_RETURN_IF_FAILED(allocate(diag, d, "outboxes", &g.spill, outs));
    WI_RETURN_IF_FAILED(allocate(diag, d, "records", &g.records, (uint64_t)g.rec_room * g.rec_stride));
    return WEIR_OK;
}

static weir_status make_batch(weir_diag *diag, wi_gpu_batch *b, const wi_gpu_type *types, uint32_t n_types,
                              const wi_gpu_host *hosts, uint32_t n_runs)
{
    wi_gpu_device *const d = &b->d;
    uint32_t at_once = 0;
    WI_RETURN_IF_FAILED(wi_device_open(diag, &d->device, b->options.device, "the batch", "batch fewer runs"));
    const uint32_t most = most_entities(hosts, n_runs);
    WI_RETURN_IF_FAILED(batch_blocks(diag, d->program, &d->device, 0, &at_once));
    b->runs_a_group =
        runs_a_group_of(d->program, most_busy(hosts, n_runs), n_runs, at_once, b->options.runs_a_group);
    b->groups.small = b->runs_a_group == 1 && most <= WI_GPU_SMALL_LPS && !b->options.mapping_given;
    if (b->groups.small)
        WI_RETURN_IF_FAILED(batch_blocks(diag, d->program, &d->device, 1, &at_once));
    WI_RETURN_IF_CUDA_FAILED(&d->device, "making a stream",
                             cudaStreamCreateWithFlags(&d->stream, cudaStreamNonBlocking));
    d->runs = host_memory<wi_gpu_run>(diag, "the runs", n_runs);
    b->reports = host_memory<wi_gpu_run_report>(diag, "the runs", n_runs);
    b->faults = host_memory<wi_gpu_fault_word>(diag, "the runs", n_runs);
    if (!d->runs || !b->reports || !b->faults)
        return WEIR_E_NOMEM;
    d->n_runs = n_runs;
    d->g.n_runs = n_runs;
    d->g.n_types = n_types;
    WI_RETURN_IF_FAILED(make_boxes(diag, b, hosts, n_runs, at_once));
    WI_RETURN_IF_FAILED(stage_runs(diag, b, hosts, n_runs));
    WI_RETURN_IF_FAILED(upload_worlds(diag, b, hosts, n_runs));
    describe_runs(d, hosts, n_runs);
    wi_gpu_type *d_types = nullptr;
    WI_RETURN_IF_FAILED(
        upload(diag, d, "event types", &d_types, types, (size_t)n_runs * n_types * sizeof *types));
    b->groups.types = d_types;
    d->g.types = d_types;
    WI_RETURN_IF_FAILED(fill_groups(diag, b, n_runs));
    return place_events(diag, b, hosts, n_runs);
}

weir_status wi_gpu_batch_new(weir_diag *diag, const weir_gpu_program *program, const wi_gpu_type *types,
                             uint32_t n_types, const wi_gpu_host *hosts, uint32_t n_runs,
                             const wi_gpu_batch_options *options, wi_gpu_batch **out)
{
    *out = nullptr;
    wi_gpu_batch *const b = host_memory<wi_gpu_batch>(diag, "the batch", 1);
    if (!b)
        return WEIR_E_NOMEM;
    b->d.program = program;
    b->options = *options;
    b->groups.mapping = options->mapping;
    const weir_status status = make_batch(diag, b, types, n_types, hosts, n_runs);
    if (status != WEIR_OK) {
        wi_gpu_batch_free(b);
        return status;
    }
    *out = b;
    return WEIR_OK;
}

void wi_gpu_batch_free(wi_gpu_batch *b)
{
    if (!b)
        return;
    if (b->d.stream)
        cudaStreamDestroy(b->d.stream);
    wi_device_close(&b->d.device);
    free(b->d.runs);
    free(b->d.records);
    free(b->stage);
    free(b->stage_at);
    free(b->reports);
    free(b->faults);
    free(b);
}

/* ---- running ---- */

/* The pool is used up: a larger one, with everything where it was. */
static weir_status enlarge(weir_diag *diag, wi_gpu_batch *b)
{
    wi_gpu_device *const d = &b->d;
    unsigned char *slots = nullptr;
    const uint64_t wanted =
        std::min<uint64_t>((uint64_t)d->status.slots_used * 3 / 2 + 4096, WI_GPU_SLOTS_MAX);
    if (wanted <= d->g.n_slots || d->status.slots_used >= WI_GPU_SLOTS_MAX)
        return weir_fail(diag, WEIR_E_NOMEM,
                         "CUDA device %d: more than %u slots for pending events are wanted: batch fewer runs",
                         b->options.device, d->g.n_slots);
    WI_RETURN_IF_FAILED(allocate(diag, d, "pending events", &slots, wanted / 8 * 8 * d->g.slot_bytes));
    WI_RETURN_IF_CUDA_FAILED(&d->device, "moving events",
                             cudaMemcpyAsync(slots, d->g.slots, (uint64_t)d->g.n_slots * d->g.slot_bytes,
                                             cudaMemcpyDeviceToDevice, d->stream));
    WI_RETURN_IF_FAILED(wait_for(diag, d, "moving events"));
    wi_device_release(&d->device, d->g.slots);
    d->g.slots = slots;
    d->g.n_slots = (uint32_t)(wanted / 8 * 8);
    return WEIR_OK;
}

static weir_status set_limits(weir_diag *diag, wi_gpu_device *d, const weir_time *limit_ps)
{
    bool changed = false;
    for (uint32_t r = 0; r < d->n_runs; r++) {
        changed |= d->runs[r].limit_ps != limit_ps[r];
        d->runs[r].limit_ps = limit_ps[r];
    }
    /* windows are the blocks' own here, so the host's copy of a run is the device's but for the limit */
    if (changed)
        WI_RETURN_IF_FAILED(
            copy_in(diag, d, "setting limits", d->g.runs, d->runs, d->n_runs * sizeof *d->runs));
    const uint32_t zero[2] = {0, 0};
    WI_RETURN_IF_FAILED(copy_in(diag, d, "clearing flags", d->g.status->flags, zero, sizeof zero));
    return WEIR_OK;
}

static weir_status look(weir_diag *diag, wi_gpu_batch *b)
{
    wi_gpu_device *const d = &b->d;
    const uint32_t n = d->n_runs;
    WI_RETURN_IF_FAILED(copy_out(diag, d, "reading the status", &d->status, d->g.status, sizeof d->status));
    WI_RETURN_IF_FAILED(
        copy_out(diag, d, "reading reports", b->reports, b->groups.reports, n * sizeof *b->reports));
    WI_RETURN_IF_FAILED(wait_for(diag, d, "rounds of a batch"));
    if (d->status.flags[0] & WI_GPU_FAULTY)
        WI_RETURN_IF_FAILED(
            read_back(diag, d, "reading faults", b->faults, d->g.faults, n * sizeof *b->faults));
    return WEIR_OK;
}

weir_status wi_gpu_batch_run(weir_diag *diag, wi_gpu_batch *b, const weir_time *limit_ps, uint64_t max_rounds,
                             const wi_gpu_run_report **reports, const wi_gpu_fault_word **faults, int *drain,
                             double *kernel_s)
{
    wi_gpu_device *const d = &b->d;
    const wi_gpu_launch launch = {max_rounds, d->stream};
    *reports = b->reports;
    *faults = b->faults;
    if (d->device.lost)
        return weir_fail(diag, WEIR_E_DEVICE, "CUDA device %d was lost before", b->options.device);
    WI_RETURN_IF_FAILED(set_limits(diag, d, limit_ps));
    const double start_s = wi_clock_s();
    WI_RETURN_IF_CUDA_FAILED(&d->device, "launching a batch", d->program->batch(&d->g, &b->groups, &launch));
    WI_RETURN_IF_FAILED(look(diag, b));
    *kernel_s = wi_clock_s() - start_s;
    *drain = (d->status.flags[0] & WI_GPU_DRAIN) != 0;
    if (d->status.flags[0] & WI_GPU_CROWDED)
        WI_RETURN_IF_FAILED(enlarge(diag, b));
    return WEIR_OK;
}
