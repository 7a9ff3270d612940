/* Device memory, launches and moves of the GPU engine; see gpu_device.h. */
#include <chrono>

#include "engine/gpu_memory.cuh"

static weir_status look(weir_diag *diag, wi_gpu_device *d)
{
    CUDA_DO(d, "reading the engine's status",
            cudaMemcpyAsync(&d->status, d->g.status, sizeof d->status, cudaMemcpyDeviceToHost, d->stream));
    std::vector<wi_gpu_run> runs(d->runs.size());
    CUDA_DO(d, "reading the windows",
            cudaMemcpyAsync(runs.data(), d->g.runs, runs.size() * sizeof runs[0], cudaMemcpyDeviceToHost,
                            d->stream));
    CUDA_DO(d, "a round", cudaStreamSynchronize(d->stream));
    for (size_t r = 0; r < runs.size(); r++)
        d->low[r] = runs[r].low_ps[d->status.rounds % 3];
    return WEIR_OK;
}

/* Lookahead of all LPs of a run, or 0 where they differ. */
static weir_time common_lookahead(const weir_entity *heads, uint32_t n)
{
    for (uint32_t e = 1; e < n; e++)
        if (heads[e].lookahead_ps != heads[0].lookahead_ps)
            return 0;
    return n > 0 ? heads[0].lookahead_ps : 1;
}

/* LPs of a tile: all blocks get the same number of tiles. */
static uint32_t tile_of(uint32_t n_lps, uint32_t all_lps, uint32_t blocks)
{
    const uint32_t most = 2048, a_block = (all_lps + blocks - 1) / blocks;
    const uint32_t passes = (a_block + most - 1) / most;
    uint32_t tile = (a_block + passes - 1) / passes;
    tile = tile < n_lps ? tile : n_lps;
    return tile < 1 ? 1 : tile;
}

/* Move everything to new LPs of 2^shift entities with new regions. */
static weir_status move(weir_diag *diag, wi_gpu_device *d, uint32_t shift, const wi_gpu_loose &loose)
{
    const wi_gpu old = d->g;
    wi_gpu g = d->g;
    g.lp_shift = shift;
    g.n_lps = 0;
    uint32_t longest = 1;
    for (size_t r = 0; r < d->runs.size(); r++) {
        wi_gpu_run &run = d->runs[r];
        run.lp_first = g.n_lps;
        run.n_lps = lps_of(run.n_entities, shift);
        g.n_lps += run.n_lps;
        longest = run.n_lps > longest ? run.n_lps : longest;
        for (int i = 0; i < 3; i++)
            run.low_ps[i] = run.end_ps[i] = WEIR_TIME_MAX;
    }
    g.tile = tile_of(longest, g.n_lps, g.n_blocks);
    const uint32_t blocks = 1024, threads = 256;
    unsigned long long *slots = nullptr, n_slots = 0;
    WEIR_DO(upload(diag, d, "runs", &g.runs, d->runs.data(), d->runs.size() * sizeof d->runs[0]));
    WEIR_DO(take(diag, d, "LPs", &g.lps, g.n_lps));
    WEIR_DO(take(diag, d, "LPs' times", &g.next_ps, g.n_lps));
    WEIR_DO(take(diag, d, "LPs' lookaheads", &g.lookahead_ps, g.n_lps));
    WEIR_DO(upload(diag, d, "a counter", &slots, &n_slots, sizeof n_slots));
    CUDA_DO(d, "clearing LPs", cudaMemsetAsync(g.lps, 0, g.n_lps * sizeof *g.lps, d->stream));
    wi_gpu_move_count<<<blocks, threads, 0, d->stream>>>(old, loose, g);
    wi_gpu_move_rooms<<<blocks, threads, 0, d->stream>>>(g, slots);
    for (uint32_t r = 0; r < g.n_runs; r++)
        wi_gpu_move_lookaheads<<<blocks, threads, 0, d->stream>>>(g, r);
    CUDA_DO(d, "counting events",
            cudaMemcpyAsync(&n_slots, slots, sizeof n_slots, cudaMemcpyDeviceToHost, d->stream));
    CUDA_DO(d, "counting events", cudaStreamSynchronize(d->stream));
    give(d, slots);
    const uint64_t percent = d->options.slots_percent ? d->options.slots_percent : 150;
    const uint64_t wanted = n_slots * percent / 100 + (percent > 100 ? 65536 : 0);
    if (n_slots >= WI_GPU_SLOTS_MAX)
        return weir_fail(
            diag, WEIR_E_NOMEM,
            "CUDA device %d: %llu slots for pending events are wanted, and %d are the most; use fewer "
            "entities or --engine conservative",
            d->options.device, n_slots, (int)WI_GPU_SLOTS_MAX);
    g.n_slots = (uint32_t)(wanted < n_slots            ? n_slots
                           : wanted < WI_GPU_SLOTS_MAX ? wanted
                                                       : WI_GPU_SLOTS_MAX);
    WEIR_DO(take(diag, d, "pending events", &g.slots, (uint64_t)g.n_slots * g.slot_bytes));
    if (d->program->hot)
        WEIR_DO(take(diag, d, "the order of events", &g.turns, 2 * (uint64_t)g.n_slots));
    wi_gpu_move_events<<<blocks, threads, 0, d->stream>>>(old, loose, g);
    wi_gpu_move_window<<<dim3(64, g.n_runs), threads, 0, d->stream>>>(g, (uint32_t)(d->status.rounds % 3));
    const uint32_t used = (uint32_t)n_slots;
    CUDA_DO(d, "counting slots",
            cudaMemcpyAsync(&g.status->slots_used, &used, sizeof used, cudaMemcpyHostToDevice, d->stream));
    CUDA_DO(d, "moving events", cudaStreamSynchronize(d->stream));
    CUDA_DO(d, "moving events", cudaGetLastError());
    give(d, old.runs);
    give(d, old.lps);
    give(d, old.next_ps);
    give(d, old.lookahead_ps);
    give(d, old.slots);
    give(d, old.turns);
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
    return move(diag, d, d->g.lp_shift, wi_gpu_loose{d->g.out, d->g.spill, n});
}

/* ---- making ---- */

static weir_status upload_run(weir_diag *diag, wi_gpu_device *d, const wi_gpu_host *h)
{
    wi_gpu_run run;
    memset(&run, 0, sizeof run);
    unsigned char *world = nullptr;
    WEIR_DO(upload(diag, d, "the world", &world, h->world, h->world_bytes));
    run.world = world;
    WEIR_DO(upload(diag, d, "entities", &run.heads, h->heads, h->n_entities * sizeof *h->heads));
    for (int k = 0; k < WEIR_KINDS_MAX; k++)
        if (h->state_bytes[k])
            WEIR_DO(upload(diag, d, "entities' states", &run.state[k], h->state[k], h->state_bytes[k]));
    for (int i = 0; i < WEIR_POOLS_MAX; i++)
        if (h->pool_bytes[i])
            WEIR_DO(upload(diag, d, "pools", &run.pool[i], h->pool[i], h->pool_bytes[i]));
    run.n_counters = h->n_counters;
    run.counter_copies = counter_copies_of(h);
    WEIR_DO(take(diag, d, "counters", &run.counters, run.counter_copies * h->n_counters));
    CUDA_DO(d, "counters",
            cudaMemsetAsync(run.counters, 0, run.counter_copies * h->n_counters * sizeof *h->counters,
                            d->stream));
    CUDA_DO(d, "counters",
            cudaMemcpyAsync(run.counters, h->counters, h->n_counters * sizeof *h->counters,
                            cudaMemcpyHostToDevice, d->stream));
    run.seed = h->seed;
    run.run = h->run;
    run.world_bytes = h->world_bytes;
    run.n_kinds = h->n_kinds;
    for (uint32_t k = 0; k < h->n_kinds; k++) {
        run.kind_first[k] = h->kind_first[k];
        run.kind_bytes[k] = h->kind_bytes[k];
    }
    run.n_entities = h->n_entities;
    run.lookahead_ps = common_lookahead(h->heads, h->n_entities);
    d->runs.push_back(run);
    return WEIR_OK;
}

/* The list of all runs' pending events on the device. */
static weir_status place_first(weir_diag *diag, wi_gpu_device *d, const wi_gpu_host *hosts, uint32_t n_runs)
{
    const uint64_t n = pending_of(hosts, n_runs);
    const uint32_t slot_bytes = d->g.slot_bytes;
    unsigned char *events = nullptr;
    WEIR_DO(take(diag, d, "the first events", &events, n * slot_bytes));
    uint64_t at = 0;
    for (uint32_t r = 0; r < n_runs; r++) {
        const wi_gpu_host *h = &hosts[r];
        for (uint64_t i = 0; i < h->n_pending; i++)
            reinterpret_cast<wi_gpu_event *>(h->pending + i * slot_bytes)->run = (uint16_t)r;
        /* In the stream of the kernels that read it: a copy of its own may still be on its way when it
         * returns. */
        CUDA_DO(d, "the first events",
                cudaMemcpyAsync(events + at * slot_bytes, h->pending, h->n_pending * slot_bytes,
                                cudaMemcpyHostToDevice, d->stream));
        at += h->n_pending;
    }
    WEIR_DO(move(diag, d, d->options.lp_shift, wi_gpu_loose{events, nullptr, n}));
    give(d, events);
    return WEIR_OK;
}

static weir_status open_device(weir_diag *diag, const wi_gpu_options *options)
{
    int n = 0, cooperative = 0;
    const cudaError_t error = cudaGetDeviceCount(&n);
    if (error != cudaSuccess || n == 0)
        return weir_fail(diag, WEIR_E_UNSUPPORTED, "no GPU that CUDA can use: %s; use --engine conservative",
                         error == cudaSuccess ? "none found" : cudaGetErrorString(error));
    if (options->device < 0 || options->device >= n)
        return weir_fail(diag, WEIR_E_UNSUPPORTED, "CUDA device %d does not exist: this machine has 0 to %d",
                         options->device, n - 1);
    CUDA_DO((wi_gpu_device *)nullptr, "opening it", cudaSetDevice(options->device));
    CUDA_DO((wi_gpu_device *)nullptr, "opening it",
            cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, options->device));
    if (!cooperative)
        return weir_fail(diag, WEIR_E_UNSUPPORTED, "CUDA device %d has no cooperative launches",
                         options->device);
    return WEIR_OK;
}

bool wi_gpu_device_describe(int device, char *text, size_t size)
{
    cudaDeviceProp p;
    int n = 0;
    const cudaError_t error = cudaGetDeviceCount(&n);
    if (error != cudaSuccess || device < 0 || device >= n ||
        cudaGetDeviceProperties(&p, device) != cudaSuccess) {
        snprintf(text, size, "none: %s", error != cudaSuccess ? cudaGetErrorString(error) : "no such device");
        return false;
    }
    snprintf(text, size, "%s, %d multiprocessors, %.1f GB of memory, compute capability %d.%d", p.name,
             p.multiProcessorCount, gigabytes(p.totalGlobalMem), p.major, p.minor);
    return true;
}

static weir_status make(weir_diag *diag, wi_gpu_device *d, const wi_gpu_type *types, uint32_t n_types,
                        const wi_gpu_host *hosts, uint32_t n_runs)
{
    wi_gpu &g = d->g;
    uint32_t blocks = 0;
    size_t free_bytes = 0, all_bytes = 0;
    WEIR_DO(grid_of(diag, d->program, d->options.device, &blocks));
    const uint64_t need = need_of(d->program, hosts, n_runs, blocks, &d->options);
    CUDA_DO(d, "a look at its memory", cudaMemGetInfo(&free_bytes, &all_bytes));
    if (need > free_bytes)
        return weir_fail(
            diag, WEIR_E_NOMEM,
            "CUDA device %d: this run needs about %.2f GB and %.2f GB of %.1f are free; use a larger "
            "device, fewer entities, or --engine conservative",
            d->options.device, gigabytes(need), gigabytes(free_bytes), gigabytes(all_bytes));
    CUDA_DO(d, "making a stream", cudaStreamCreateWithFlags(&d->stream, cudaStreamNonBlocking));
    g.n_runs = n_runs;
    g.n_types = n_types;
    g.slot_bytes = slot_bytes_of(d->program);
    g.n_blocks = blocks;
    g.n_threads = d->program->threads;
    g.out_room = out_room_of(d->program, pending_of(hosts, n_runs), blocks, &d->options);
    g.rec_stride = (uint32_t)sizeof(weir_record_head) + d->program->record_bytes;
    g.rec_room = rec_room_of(d->program, blocks, &d->options);
    wi_gpu_type *d_types = nullptr;
    WEIR_DO(upload(diag, d, "event types", &d_types, types, n_types * sizeof *types));
    g.types = d_types;
    WEIR_DO(upload(diag, d, "the engine's status", &g.status, &d->status, sizeof d->status));
    const uint64_t outs = (uint64_t)blocks * g.out_room;
    WEIR_DO(take(diag, d, "outboxes", &g.out, outs * g.slot_bytes));
    WEIR_DO(take(diag, d, "outboxes", &g.out_count, blocks));
    WEIR_DO(take(diag, d, "outboxes", &g.spill, outs));
    WEIR_DO(take(diag, d, "records", &g.records, (uint64_t)g.rec_room * g.rec_stride));
    for (uint32_t r = 0; r < n_runs; r++)
        WEIR_DO(upload_run(diag, d, &hosts[r]));
    d->sizes.assign(hosts, hosts + n_runs);
    d->low.resize(n_runs);
    return place_first(diag, d, hosts, n_runs);
}

weir_status wi_gpu_device_new(weir_diag *diag, const weir_gpu_program *program, const wi_gpu_type *types,
                              uint32_t n_types, const wi_gpu_host *hosts, uint32_t n_runs,
                              const wi_gpu_options *options, wi_gpu_device **out)
{
    *out = nullptr;
    if (n_runs < 1 || n_runs > UINT16_MAX)
        return weir_fail(diag, WEIR_E_ARG, "%u runs at once on the GPU; want 1 to 65535", n_runs);
    WEIR_DO(open_device(diag, options));
    wi_gpu_device *d = new (std::nothrow) wi_gpu_device();
    if (!d)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for the GPU engine");
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
    for (const buffer &b : d->buffers)
        cudaFree(b.at);
    if (d->stream)
        cudaStreamDestroy(d->stream);
    delete d;
}

/* ---- running ---- */

/* A graph of several rounds: a launch of it costs the host as much as one kernel. */
static weir_status make_graph(weir_diag *diag, wi_gpu_device *d)
{
    cudaGraph_t graph = nullptr;
    const wi_gpu_launch launch = {1, d->stream};
    CUDA_DO(d, "capturing rounds", cudaStreamBeginCapture(d->stream, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < ROUNDS_IN_GRAPH; i++)
        CUDA_DO(d, "capturing rounds", (cudaError_t)d->program->round(&d->g, &launch));
    CUDA_DO(d, "capturing rounds", cudaStreamEndCapture(d->stream, &graph));
    CUDA_DO(d, "making a graph of rounds", cudaGraphInstantiate(&d->graph, graph, 0));
    CUDA_DO(d, "making a graph of rounds", cudaGraphDestroy(graph));
    return WEIR_OK;
}

static weir_status launch(weir_diag *diag, wi_gpu_device *d, uint64_t max_rounds)
{
    const wi_gpu_launch one = {max_rounds, d->stream};
    if (!d->options.host_driven) {
        CUDA_DO(d, "launching the kernel", (cudaError_t)d->program->persistent(&d->g, &one));
        return WEIR_OK;
    }
    if (!d->graph && max_rounds >= ROUNDS_IN_GRAPH)
        WEIR_DO(make_graph(diag, d));
    uint64_t i = 0;
    for (; i + ROUNDS_IN_GRAPH <= max_rounds; i += ROUNDS_IN_GRAPH)
        CUDA_DO(d, "launching rounds", cudaGraphLaunch(d->graph, d->stream));
    for (; i < max_rounds; i++)
        CUDA_DO(d, "launching a round", (cudaError_t)d->program->round(&d->g, &one));
    return WEIR_OK;
}

weir_status wi_gpu_device_run(weir_diag *diag, wi_gpu_device *d, const weir_time *limit_ps,
                              uint64_t max_rounds, wi_gpu_report *report)
{
    const auto start = std::chrono::steady_clock::now();
    const uint64_t events = d->status.events, rounds = d->status.rounds;
    *report = wi_gpu_report{};
    if (d->lost)
        return weir_fail(diag, WEIR_E_DEVICE, "CUDA device %d was lost before", d->options.device);
    for (size_t r = 0; r < d->runs.size(); r++) {
        if (d->runs[r].limit_ps == limit_ps[r])
            continue;
        d->runs[r].limit_ps = limit_ps[r];
        CUDA_DO(d, "setting a limit",
                cudaMemcpyAsync(&d->g.runs[r].limit_ps, &d->runs[r].limit_ps, sizeof(weir_time),
                                cudaMemcpyHostToDevice, d->stream));
    }
    const uint32_t zero[2] = {0, 0};
    CUDA_DO(d, "clearing flags",
            cudaMemcpyAsync(d->g.status->flags, zero, sizeof zero, cudaMemcpyHostToDevice, d->stream));
    CUDA_DO(d, "clearing flags",
            cudaMemcpyAsync(&d->g.status->halted, zero, sizeof zero[0], cudaMemcpyHostToDevice, d->stream));
    WEIR_DO(launch(diag, d, max_rounds));
    WEIR_DO(look(diag, d));
    const uint32_t flags = d->status.flags[0] | d->status.flags[1];
    if ((flags & WI_GPU_CROWDED) && !(flags & WI_GPU_FAULTY)) {
        WEIR_DO(move_crowded(diag, d));
        report->moves++;
    }
    report->events = d->status.events - events;
    report->rounds = d->status.rounds - rounds;
    report->drain = (flags & WI_GPU_DRAIN) != 0;
    if (d->status.faulty) {
        d->fault = d->status.fault;
        report->fault = &d->fault;
    }
    report->done = 1;
    for (size_t r = 0; r < d->runs.size(); r++)
        report->done &= d->low[r] >= limit_ps[r];
    report->wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return WEIR_OK;
}

weir_time wi_gpu_device_low(const wi_gpu_device *d, uint32_t run)
{
    return d->low[run];
}

/* ---- reading ---- */

weir_status wi_gpu_device_records(weir_diag *diag, wi_gpu_device *d, unsigned char **records, uint32_t *n)
{
    *n = d->status.n_records;
    d->records.resize((size_t)*n * d->g.rec_stride + 1);
    *records = d->records.data();
    if (*n == 0)
        return WEIR_OK;
    const uint32_t zero = 0;
    CUDA_DO(d, "reading records",
            cudaMemcpyAsync(*records, d->g.records, (size_t)*n * d->g.rec_stride, cudaMemcpyDeviceToHost,
                            d->stream));
    CUDA_DO(d, "reading records",
            cudaMemcpyAsync(&d->g.status->n_records, &zero, sizeof zero, cudaMemcpyHostToDevice, d->stream));
    CUDA_DO(d, "reading records", cudaStreamSynchronize(d->stream));
    d->status.n_records = 0;
    return WEIR_OK;
}

weir_status wi_gpu_device_fetch(weir_diag *diag, const wi_gpu_device *device, uint32_t run,
                                const wi_gpu_host *host)
{
    wi_gpu_device *d = const_cast<wi_gpu_device *>(device); /* "lost" may have to be noted */
    const wi_gpu_run *r = &d->runs[run];
    for (int k = 0; k < WEIR_KINDS_MAX; k++)
        if (host->state_bytes[k])
            CUDA_DO(d, "reading states",
                    cudaMemcpy(host->state[k], r->state[k], host->state_bytes[k], cudaMemcpyDeviceToHost));
    for (int i = 0; i < WEIR_POOLS_MAX; i++)
        if (host->pool_bytes[i])
            CUDA_DO(d, "reading pools",
                    cudaMemcpy(host->pool[i], r->pool[i], host->pool_bytes[i], cudaMemcpyDeviceToHost));
    CUDA_DO(
        d, "reading entities",
        cudaMemcpy(host->heads, r->heads, host->n_entities * sizeof *host->heads, cudaMemcpyDeviceToHost));
    std::vector<int64_t> copies(r->counter_copies * host->n_counters);
    if (!copies.empty())
        CUDA_DO(
            d, "reading counters",
            cudaMemcpy(copies.data(), r->counters, copies.size() * sizeof copies[0], cudaMemcpyDeviceToHost));
    for (uint64_t i = 0; i < host->n_counters; i++) {
        host->counters[i] = 0;
        for (uint32_t c = 0; c < r->counter_copies; c++)
            host->counters[i] += copies[c * host->n_counters + i];
    }
    return WEIR_OK;
}

weir_status wi_gpu_device_pending(weir_diag *diag, const wi_gpu_device *device, unsigned char **events,
                                  uint64_t *n)
{
    wi_gpu_device *d = const_cast<wi_gpu_device *>(device);
    const uint32_t slot_bytes = d->g.slot_bytes;
    std::vector<wi_gpu_lp> lps(d->g.n_lps);
    std::vector<unsigned char> slots((size_t)d->status.slots_used * slot_bytes);
    CUDA_DO(d, "reading LPs",
            cudaMemcpy(lps.data(), d->g.lps, lps.size() * sizeof lps[0], cudaMemcpyDeviceToHost));
    CUDA_DO(d, "reading events", cudaMemcpy(slots.data(), d->g.slots, slots.size(), cudaMemcpyDeviceToHost));
    *n = 0;
    for (const wi_gpu_lp l : lps)
        *n += wi_gpu_lp_count(l);
    *events = static_cast<unsigned char *>(malloc((*n + 1) * slot_bytes));
    if (!*events)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory to read %llu pending events", (unsigned long long)*n);
    uint64_t at = 0;
    for (const wi_gpu_lp l : lps) {
        memcpy(*events + at * slot_bytes, &slots[(size_t)wi_gpu_lp_base(l) * slot_bytes],
               (size_t)wi_gpu_lp_count(l) * slot_bytes);
        at += wi_gpu_lp_count(l);
    }
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
    out->bytes = d->bytes;
    out->slots = d->g.n_slots;
    out->slots_used = d->status.slots_used;
    out->rounds = d->status.rounds;
    for (int i = 0; i < WI_GPU_STEPS; i++)
        out->step_ns[i] = d->status.step_ns[i];
    out->blocks = d->g.n_blocks;
    out->threads = d->g.n_threads;
}
