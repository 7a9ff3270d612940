/* Device memory, launches and moves of the GPU engine; see gpu/round/device.h. What is read back: gpu/read.cu. */
#include "base/clock.h"
#include "engine/gpu/memory/regions.cuh"
#include "engine/gpu/memory/sizes.cuh"

static weir_status look(weir_diag *diag, wi_gpu_device *d)
{
    WI_RETURN_IF_FAILED(
        copy_out(diag, d, "reading the engine's status", &d->status, d->g.status, sizeof d->status));
    WI_RETURN_IF_FAILED(
        copy_out(diag, d, "reading the windows", d->looked, d->g.runs, d->n_runs * sizeof *d->looked));
    WI_RETURN_IF_FAILED(wait_for(diag, d, "a round"));
    for (uint32_t r = 0; r < d->n_runs; r++)
        d->low[r] = d->looked[r].low_ps[d->status.rounds % 3];
    return WEIR_OK;
}

/* LPs of a tile: all blocks get the same number of tiles. */
static uint32_t tile_of(const wi_gpu_device *d, const wi_gpu &g)
{
    const uint32_t most = 2048, a_block = (g.n_lps + g.n_blocks - 1) / g.n_blocks;
    const uint32_t passes = (a_block + most - 1) / most;
    const uint32_t tile = (a_block + passes - 1) / passes;
    uint32_t longest = 1;
    for (uint32_t r = 0; r < d->n_runs; r++)
        longest = d->runs[r].n_lps > longest ? d->runs[r].n_lps : longest;
    return tile < longest ? tile : longest;
}

/* Move everything to new LPs of 2^shift entities with new regions. */
static weir_status move(weir_diag *diag, wi_gpu_device *d, uint32_t shift, const wi_gpu_loose &loose)
{
    const wi_gpu old = d->g;
    wi_gpu g = d->g;
    g.lp_shift = shift;
    g.n_lps = 0;
    for (uint32_t r = 0; r < d->n_runs; r++) {
        wi_gpu_run &run = d->runs[r];
        run.lp_first = g.n_lps;
        run.n_lps = lps_of(run.n_entities, shift);
        g.n_lps += run.n_lps;
        for (int i = 0; i < 3; i++)
            run.low_ps[i] = run.end_ps[i] = WEIR_TIME_MAX;
    }
    g.tile = tile_of(d, g);
    const uint32_t blocks = WI_GPU_MOVE_BLOCKS, threads = WI_GPU_MOVE_THREADS;
    unsigned long long n_slots = 0;
    WI_RETURN_IF_FAILED(make_regions(diag, d, old, loose, &g, &n_slots));
    for (uint32_t r = 0; r < g.n_runs; r++)
        wi_gpu_move_lookaheads<<<blocks, threads, 0, d->stream>>>(g, r);
    WI_RETURN_IF_FAILED(make_pool(diag, d, &g, n_slots, d->options.slots_percent, 65536));
    if (d->program->hot)
        WI_RETURN_IF_FAILED(allocate(diag, d, "the order of events", &g.entries, 2 * (uint64_t)g.n_slots));
    WI_RETURN_IF_FAILED(allocate(diag, d, "outboxes", &g.spill,
                                 (uint64_t)g.n_blocks * g.out_room + (d->rings ? g.n_slots : 0)));
    wi_gpu_move_events<<<blocks, threads, 0, d->stream>>>(old, loose, g);
    for (uint32_t r = 0; r < g.n_runs && d->rings; r++)
        wi_gpu_move_rings<<<blocks, threads, 0, d->stream>>>(old, g, r);
    wi_gpu_move_window<<<dim3((blocks + 15) / 16, g.n_runs), threads, 0, d->stream>>>(
        g, (uint32_t)(d->status.rounds % 3));
    const uint32_t used = (uint32_t)n_slots;
    WI_RETURN_IF_FAILED(copy_in(diag, d, "counting slots", &g.status->slots_used, &used, sizeof used));
    WI_RETURN_IF_FAILED(wait_for(diag, d, "moving events"));
    WI_RETURN_IF_CUDA_FAILED(&d->device, "moving events", cudaGetLastError());
    wi_device_release(&d->device, old.runs);
    wi_device_release(&d->device, old.lps);
    wi_device_release(&d->device, old.next_ps);
    wi_device_release(&d->device, old.lookahead_ps);
    wi_device_release(&d->device, old.slots);
    wi_device_release(&d->device, old.entries);
    wi_device_release(&d->device, old.spill);
    d->g = g;
    if (d->graph)
        cudaGraphExecDestroy(d->graph);
    d->graph = nullptr;
    return look(diag, d);
}

weir_status wi_gpu_device_regroup(weir_diag *diag, wi_gpu_device *d, uint32_t lp_shift)
{
    return move(diag, d, lp_shift, wi_gpu_loose{nullptr, nullptr, 0});
}

/* The pool is used up: move everything, with what was spilled in the last round, to a larger one. */
static weir_status move_crowded(weir_diag *diag, wi_gpu_device *d)
{
    const uint32_t n = d->status.n_spilled[(d->status.rounds + 2) % 3];
    return move(diag, d, d->g.lp_shift, wi_gpu_loose{nullptr, d->g.spill, n});
}

/* ---- making ---- */

/* Empty rings, without room, for a run's entities. */
static weir_status make_rings(weir_diag *diag, wi_gpu_device *d, wi_gpu_run *run)
{
    const wi_gpu_ring empty = {{WI_GPU_EMPTY, WEIR_TIME_MAX}};
    const uint32_t n = run->n_entities, blocks = WI_GPU_MOVE_BLOCKS, threads = WI_GPU_MOVE_THREADS;
    WI_RETURN_IF_FAILED(allocate(diag, d, "ordered streams", &run->rings, n));
    WI_RETURN_IF_FAILED(allocate(diag, d, "ordered streams", &run->ring_first_ps, n));
    wi_gpu_fill<<<blocks, threads, 0, d->stream>>>(run->rings, empty, n);
    wi_gpu_fill<<<blocks, threads, 0, d->stream>>>(run->ring_first_ps, WEIR_TIME_MAX, n);
    return wi_device_status(diag, &d->device, "ordered streams", cudaGetLastError());
}

static weir_status upload_run(weir_diag *diag, wi_gpu_device *d, const wi_gpu_host *h)
{
    wi_gpu_run run;
    memset(&run, 0, sizeof run);
    unsigned char *world = nullptr;
    WI_RETURN_IF_FAILED(upload(diag, d, "the world", &world, h->world, h->world_bytes));
    run.world = world;
    WI_RETURN_IF_FAILED(upload(diag, d, "entities", &run.heads, h->heads, h->n_entities * sizeof *h->heads));
    for (int k = 0; k < WEIR_KINDS_MAX; k++)
        if (h->state_bytes[k])
            WI_RETURN_IF_FAILED(
                upload(diag, d, "entities' states", &run.state[k], h->state[k], h->state_bytes[k]));
    for (int i = 0; i < WEIR_POOLS_MAX; i++)
        if (h->pool_bytes[i])
            WI_RETURN_IF_FAILED(upload(diag, d, "pools", &run.pool[i], h->pool[i], h->pool_bytes[i]));
    describe_run(&run, h, counter_copies_of(h));
    if (d->rings)
        WI_RETURN_IF_FAILED(make_rings(diag, d, &run));
    WI_RETURN_IF_FAILED(allocate(diag, d, "counters", &run.counters, run.counter_copies * h->n_counters));
    WI_RETURN_IF_FAILED(
        zero(diag, d, "counters", run.counters, run.counter_copies * h->n_counters * sizeof *h->counters));
    WI_RETURN_IF_FAILED(
        copy_in(diag, d, "counters", run.counters, h->counters, h->n_counters * sizeof *h->counters));
    d->runs[d->n_runs++] = run;
    return WEIR_OK;
}

/* The list of all runs' pending events on the device. */
static weir_status place_first(weir_diag *diag, wi_gpu_device *d, const wi_gpu_host *hosts, uint32_t n_runs)
{
    const uint64_t n = pending_of(hosts, n_runs);
    const uint32_t slot_bytes = d->g.slot_bytes;
    unsigned char *events = nullptr;
    WI_RETURN_IF_FAILED(allocate(diag, d, "the first events", &events, n * slot_bytes));
    uint64_t at = 0;
    for (uint32_t r = 0; r < n_runs; r++) {
        const wi_gpu_host *h = &hosts[r];
        for (uint64_t i = 0; i < h->n_pending; i++)
            reinterpret_cast<wi_gpu_event *>(h->pending + i * slot_bytes)->run = (uint16_t)r;
        /* In the stream of the kernels that read it: a copy of its own may still be on its way when it
         * returns. */
        WI_RETURN_IF_FAILED(copy_in(diag, d, "the first events", events + at * slot_bytes, h->pending,
                                    h->n_pending * slot_bytes));
        at += h->n_pending;
    }
    WI_RETURN_IF_FAILED(move(diag, d, d->options.lp_shift, wi_gpu_loose{events, nullptr, n}));
    wi_device_release(&d->device, events);
    return WEIR_OK;
}

static weir_status open_device(weir_diag *diag, wi_gpu_device *d)
{
    int cooperative = 0, sms = 0;
    WI_RETURN_IF_FAILED(
        wi_device_open(diag, &d->device, d->options.device, "the GPU engine", "take --device cpu"));
    d->device.remedy = "use --engine conservative, fewer entities, or a larger device";
    WI_RETURN_IF_CUDA_FAILED(
        &d->device, "opening it",
        cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, d->options.device));
    if (!cooperative)
        return weir_fail(diag, WEIR_E_UNSUPPORTED, "CUDA device %d has no cooperative launches",
                         d->options.device);
    WI_RETURN_IF_CUDA_FAILED(&d->device, "opening it",
                             cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, d->options.device));
    d->few_blocks = (uint32_t)sms;
    d->round_events = UINT64_MAX;
    return WEIR_OK;
}

/* What the host knows of each run. */
static weir_status make_lists(weir_diag *diag, wi_gpu_device *d, uint32_t n_runs)
{
    d->runs = host_memory<wi_gpu_run>(diag, "the runs", n_runs);
    d->looked = host_memory<wi_gpu_run>(diag, "the runs", n_runs);
    d->low = host_memory<weir_time>(diag, "the runs", n_runs);
    return d->runs && d->looked && d->low ? WEIR_OK : WEIR_E_NOMEM;
}

static weir_status make(weir_diag *diag, wi_gpu_device *d, const wi_gpu_type *types, uint32_t n_types,
                        const wi_gpu_host *hosts, uint32_t n_runs)
{
    wi_gpu &g = d->g;
    uint32_t blocks = 0;
    uint64_t all_bytes = 0;
    d->rings = has_order(types, n_types);
    WI_RETURN_IF_FAILED(open_device(diag, d));
    WI_RETURN_IF_FAILED(make_lists(diag, d, n_runs));
    WI_RETURN_IF_FAILED(grid_of(diag, d->program, &d->device, &blocks));
    const uint64_t free_bytes = wi_device_free_bytes(&all_bytes);
    g.most_records = most_records_of(d->program, types, n_types);
    const uint64_t need = need_of(d->program, hosts, n_runs, blocks, &d->options, d->rings, g.most_records);
    if (need > free_bytes)
        return weir_fail(diag, WEIR_E_NOMEM,
                         "CUDA device %d: this run needs about %.2f GB and %.2f GB of %.1f are free; %s",
                         d->options.device, gigabytes(need), gigabytes(free_bytes), gigabytes(all_bytes),
                         d->device.remedy);
    WI_RETURN_IF_CUDA_FAILED(&d->device, "making a stream",
                             cudaStreamCreateWithFlags(&d->stream, cudaStreamNonBlocking));
    g.n_runs = n_runs;
    g.n_types = n_types;
    g.slot_bytes = slot_bytes_of(d->program);
    g.n_blocks = blocks;
    g.n_threads = d->program->threads;
    g.time_steps = d->options.time_steps != 0;
    g.out_room = out_room_of(d->program, pending_of(hosts, n_runs), blocks, &d->options);
    g.rec_stride = (uint32_t)sizeof(weir_record_head) + d->program->record_bytes;
    g.rec_room = rec_room_of(d->program, g.most_records, blocks, &d->options);
    wi_gpu_type *d_types = nullptr;
    WI_RETURN_IF_FAILED(upload(diag, d, "event types", &d_types, types, n_types * sizeof *types));
    g.types = d_types;
    WI_RETURN_IF_FAILED(upload(diag, d, "the engine's status", &g.status, &d->status, sizeof d->status));
    const uint64_t outs = (uint64_t)blocks * g.out_room;
    WI_RETURN_IF_FAILED(allocate(diag, d, "outboxes", &g.out, outs * g.slot_bytes));
    WI_RETURN_IF_FAILED(allocate(diag, d, "outboxes", &g.out_count, blocks));
    WI_RETURN_IF_FAILED(allocate(diag, d, "records", &g.records, (uint64_t)g.rec_room * g.rec_stride));
    if (g.most_records > d->program->max_records)
        WI_RETURN_IF_FAILED(allocate(diag, d, "records", &g.rec_rooms,
                                     (uint64_t)blocks * g.n_threads * (g.most_records + 1) * g.rec_stride));
    for (uint32_t r = 0; r < n_runs; r++)
        WI_RETURN_IF_FAILED(upload_run(diag, d, &hosts[r]));
    return place_first(diag, d, hosts, n_runs);
}

weir_status wi_gpu_device_new(weir_diag *diag, const weir_gpu_program *program, const wi_gpu_type *types,
                              uint32_t n_types, const wi_gpu_host *hosts, uint32_t n_runs,
                              const wi_gpu_options *options, wi_gpu_device **out)
{
    *out = nullptr;
    if (n_runs < 1 || n_runs > UINT16_MAX)
        return weir_fail(diag, WEIR_E_ARG, "%u runs at once on the GPU; want 1 to 65535", n_runs);
    wi_gpu_device *const d = host_memory<wi_gpu_device>(diag, "the GPU engine", 1);
    if (!d)
        return WEIR_E_NOMEM;
    d->program = program;
    d->options = *options;
    const weir_status status = make(diag, d, types, n_types, hosts, n_runs);
    if (status != WEIR_OK) {
        wi_gpu_device_free(d);
        return status;
    }
    *out = d;
    return WEIR_OK;
}

void wi_gpu_device_free(wi_gpu_device *d)
{
    if (!d)
        return;
    if (d->graph)
        cudaGraphExecDestroy(d->graph);
    if (d->stream)
        cudaStreamDestroy(d->stream);
    wi_device_close(&d->device);
    free(d->runs);
    free(d->looked);
    free(d->low);
    free(d->records);
    free(d);
}

/* ---- running ---- */

/* A graph of several rounds: a launch of it costs the host as much as one kernel. */
static weir_status make_graph(weir_diag *diag, wi_gpu_device *d)
{
    cudaGraph_t graph = nullptr;
    const wi_gpu_launch launch = {1, d->stream};
    WI_RETURN_IF_CUDA_FAILED(&d->device, "capturing rounds",
                             cudaStreamBeginCapture(d->stream, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < ROUNDS_IN_GRAPH; i++)
        WI_RETURN_IF_CUDA_FAILED(&d->device, "capturing rounds", d->program->round(&d->g, &launch));
    WI_RETURN_IF_CUDA_FAILED(&d->device, "capturing rounds", cudaStreamEndCapture(d->stream, &graph));
    WI_RETURN_IF_CUDA_FAILED(&d->device, "making a graph of rounds",
                             cudaGraphInstantiate(&d->graph, graph, 0));
    WI_RETURN_IF_CUDA_FAILED(&d->device, "making a graph of rounds", cudaGraphDestroy(graph));
    return WEIR_OK;
}

/* Events a multiprocessor and round: with fewer, one block on each is enough; with fewer, reading past the first-level
 * cache costs less than emptying it does. */
enum { FEW_EVENTS = 2, WARM_EVENTS = 128 };

static weir_status launch(weir_diag *diag, wi_gpu_device *d, uint64_t max_rounds)
{
    const wi_gpu_launch one = {max_rounds, d->stream};
    if (!d->options.host_driven) {
        wi_gpu g = d->g;
        g.warm = !d->program->hot && d->round_events < WARM_EVENTS * (uint64_t)d->few_blocks;
        if (d->round_events < FEW_EVENTS * (uint64_t)d->few_blocks) {
            g.n_blocks = d->few_blocks;
            g.tile = tile_of(d, g);
        }
        WI_RETURN_IF_CUDA_FAILED(&d->device, "launching the kernel", d->program->persistent(&g, &one));
        return WEIR_OK;
    }
    if (!d->graph && max_rounds >= ROUNDS_IN_GRAPH)
        WI_RETURN_IF_FAILED(make_graph(diag, d));
    const wi_gpu_launch first = {0, d->stream}, next = {1, d->stream};
    WI_RETURN_IF_CUDA_FAILED(&d->device, "launching a round", d->program->round(&d->g, &first));
    uint64_t i = 0;
    for (; i + ROUNDS_IN_GRAPH <= max_rounds; i += ROUNDS_IN_GRAPH)
        WI_RETURN_IF_CUDA_FAILED(&d->device, "launching rounds", cudaGraphLaunch(d->graph, d->stream));
    for (; i < max_rounds; i++)
        WI_RETURN_IF_CUDA_FAILED(&d->device, "launching a round", d->program->round(&d->g, &next));
    return WEIR_OK;
}

weir_status wi_gpu_device_run(weir_diag *diag, wi_gpu_device *d, const weir_time *limit_ps,
                              uint64_t max_rounds, wi_gpu_report *report)
{
    const double start_s = wi_clock_s();
    const uint64_t events = d->status.events, rounds = d->status.rounds;
    *report = wi_gpu_report{};
    if (d->device.lost)
        return weir_fail(diag, WEIR_E_DEVICE, "CUDA device %d was lost before", d->options.device);
    for (uint32_t r = 0; r < d->n_runs; r++) {
        if (d->runs[r].limit_ps == limit_ps[r])
            continue;
        d->runs[r].limit_ps = limit_ps[r];
        WI_RETURN_IF_FAILED(copy_in(diag, d, "setting a limit", &d->g.runs[r].limit_ps, &d->runs[r].limit_ps,
                                    sizeof(weir_time)));
    }
    const uint32_t zero[2] = {0, 0};
    WI_RETURN_IF_FAILED(copy_in(diag, d, "clearing flags", d->g.status->flags, zero, sizeof zero));
    WI_RETURN_IF_FAILED(copy_in(diag, d, "clearing flags", &d->g.status->halted, zero, sizeof zero[0]));
    WI_RETURN_IF_FAILED(copy_in(diag, d, "clearing flags",
                                &d->g.status->n_spilled[(d->status.rounds + 2) % 3], zero, sizeof zero[0]));
    WI_RETURN_IF_FAILED(launch(diag, d, max_rounds));
    WI_RETURN_IF_FAILED(look(diag, d));
    const uint32_t flags = d->status.flags[0] | d->status.flags[1];
    if ((flags & WI_GPU_CROWDED) && !(flags & WI_GPU_FAULTY)) {
        WI_RETURN_IF_FAILED(move_crowded(diag, d));
        report->moves++;
    }
    report->events = d->status.events - events;
    report->rounds = d->status.rounds - rounds;
    d->round_events = report->rounds > 0 ? report->events / report->rounds : d->round_events;
    report->drain = (flags & WI_GPU_DRAIN) != 0;
    if (d->status.fault_word.faulty) {
        d->fault = d->status.fault_word.fault;
        report->fault = &d->fault;
    }
    report->done = 1;
    for (uint32_t r = 0; r < d->n_runs; r++)
        report->done &= d->low[r] >= limit_ps[r];
    report->wall_s = wi_clock_s() - start_s;
    return WEIR_OK;
}

weir_status wi_gpu_device_watch(weir_diag *diag, wi_gpu_device *d, uint32_t run, const wi_watch_count *counts,
                                weir_time since_ps)
{
    wi_gpu_run *const r = &d->runs[run];
    uint64_t all_bytes = 0;
    const uint64_t bytes = r->n_entities * sizeof *counts;
    wi_device_release(&d->device, r->watch);
    r->watch = nullptr;
    r->watch_since_ps = since_ps;
    if (counts && 2 * bytes < wi_device_free_bytes(&all_bytes))
        WI_RETURN_IF_FAILED(upload(diag, d, "the watch over progress", &r->watch, counts, bytes));
    WI_RETURN_IF_FAILED(copy_in(diag, d, "watching progress", &d->g.runs[run].watch, &r->watch,
                                sizeof r->watch + sizeof r->watch_since_ps));
    return WEIR_OK;
}

weir_time wi_gpu_device_low(const wi_gpu_device *d, uint32_t run)
{
    return d->low[run];
}

/* ---- between two calls ---- */

weir_status wi_gpu_device_update_world(weir_diag *diag, wi_gpu_device *d, uint32_t run,
                                       const wi_gpu_host *host)
{
    WI_RETURN_IF_FAILED(copy_in(diag, d, "the world", const_cast<unsigned char *>(d->runs[run].world),
                                host->world, host->hook_world_bytes));
    WI_RETURN_IF_FAILED(wait_for(diag, d, "the world"));
    return WEIR_OK;
}

void wi_gpu_device_memory(const wi_gpu_device *d, uint32_t run, wi_gpu_memory *out)
{
    const wi_gpu_run *r = &d->runs[run];
    *out = wi_gpu_memory{};
    out->device = d->options.device;
    out->world = const_cast<unsigned char *>(r->world);
    out->n_kinds = r->n_kinds;
    for (uint32_t k = 0; k < r->n_kinds; k++) {
        out->state[k] = r->state[k];
        out->kind_first[k] = r->kind_first[k];
        out->kind_bytes[k] = r->kind_bytes[k];
    }
}

void wi_gpu_device_use(const wi_gpu_device *d, wi_gpu_use *out)
{
    out->bytes = d->device.bytes;
    out->slots = d->g.n_slots;
    out->slots_used = d->status.slots_used;
    out->rounds = d->status.rounds;
    for (int i = 0; i < WI_GPU_STEPS; i++)
        out->step_ns[i] = d->status.step_ns[i] / (d->options.time_steps ? d->g.n_blocks : 1);
    out->blocks = d->g.n_blocks;
    out->threads = d->g.n_threads;
}
