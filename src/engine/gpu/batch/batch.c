/* Batches as the host sees them: making the runs, launches until all have reached their limits, records in order,
 * faults run by run. See weir/batch.h; the device side is gpu/batch.h. */
#include "weir/batch.h"

#include <stdlib.h>
#include <string.h>

#include "engine/core/engine.h"

#ifdef WEIR_HAVE_CUDA

#include "base/each.h"
#include "engine/gpu/batch/runs.h"
#include "engine/gpu/host/host.h"
#include "engine/gpu/batch/staged.h"

enum { ROUNDS_FIRST = 256, ROUNDS_MAX = 1 << 24 };

static const double launch_s = 0.1; /* between looks at `stop` */

/* ---- making ---- */

static weir_status check_setup(weir_diag *diag, const weir_setup *setup, const weir_setup *first, uint32_t i)
{
    const weir_model *m = setup->model, *other = first->model;
    if (!setup->gpu)
        return weir_fail(diag, WEIR_E_UNSUPPORTED, "model '%s' has no device code in this build", m->name);
    if (setup->hook || setup->observer)
        return weir_fail(diag, WEIR_E_ARG, "run %u of a batch: hooks and observers are for single runs", i);
    int same = setup->gpu == first->gpu && m->n_types == other->n_types && m->n_kinds == other->n_kinds &&
               m->n_pools == other->n_pools && m->record_bytes == other->record_bytes;
    if (!same)
        return weir_fail(diag, WEIR_E_ARG,
                         "run %u of a batch is of another model ('%s'), or of other sizes, than run 0 "
                         "('%s'): batch those that are alike",
                         i, m->name, other->name);
    return WEIR_OK;
}

static weir_status make_run(weir_diag *diag, weir_batch *batch, const weir_setup *setups, uint32_t i)
{
    weir_setup setup = setups[i];
    wi_batch_run *run = &batch->runs[i];
    setup.engine = WEIR_ENGINE_GPU;
    setup.lp_size = 0;
    weir_status status = wi_setup_check(diag, &setup) ?: check_setup(diag, &setup, &setups[0], i);
    status = status ?: wi_sim_make(diag, &setup, &wi_batch_member, NULL, NULL, &run->sim);
    WI_RETURN_IF_FAILED(status ?: wi_gpu_check_program(diag, run->sim, false));
    run->sim->engine = batch;
    run->sim->batch_number = i;
    wi_gpu_host *host = &batch->hosts[i];
    wi_gpu_fill_host(run->sim, host);
    if (batch->options.executor == WEIR_BATCH_RESIDENT) {
        host->pending = wi_gpu_list_pending(run->sim);
        host->n_pending = run->sim->main.pending.count;
        if (!host->pending)
            return weir_fail(diag, WEIR_E_NOMEM, "no memory for the pending events of run %u", i);
        wi_pending_free(&run->sim->main.pending);
    }
    run->lookahead_least_ps = WEIR_TIME_MAX;
    for (uint32_t e = 0; e < run->sim->n_entities; e++) {
        const weir_time l = setup.lookahead_ps[e];
        run->lookahead_most_ps = l > run->lookahead_most_ps ? l : run->lookahead_most_ps;
        run->lookahead_least_ps = l < run->lookahead_least_ps ? l : run->lookahead_least_ps;
    }
    return WEIR_OK;
}

static wi_gpu_batch_options device_options(const weir_batch_options *o,
                                           const struct weir_gpu_program *program)
{
    wi_gpu_batch_options d = {.device = o ? o->device : 0,
                              .mapping = program->grouped ? WI_GPU_MAP_SORT : WI_GPU_MAP_NONE,
                              .runs_a_group = o ? o->runs_a_block : 0,
                              .slots_percent = o ? o->slots_percent : 0,
                              .rec_room = o ? o->records : 0,
                              .host_threads = o ? o->threads : 0};
    if (o && o->mapping != WEIR_BATCH_MAPPING_CHOSEN) {
        d.mapping = (uint32_t)o->mapping - WEIR_BATCH_MAPPING_NONE;
        d.mapping_given = 1;
    }
    return d;
}

static weir_status make_device(weir_diag *diag, weir_batch *batch, const weir_setup *setups,
                               const weir_batch_options *options)
{
    const uint32_t n_types = setups[0].model->n_types;
    const wi_gpu_batch_options o = device_options(options, setups[0].gpu);
    wi_gpu_type *types = calloc((size_t)batch->n * n_types, sizeof *types);
    if (!types)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for a batch of %u runs", batch->n);
    for (uint32_t i = 0; i < batch->n; i++)
        wi_gpu_fill_types(batch->runs[i].sim, types + (size_t)i * n_types);
    const weir_status status =
        wi_gpu_batch_new(diag, setups[0].gpu, types, n_types, batch->hosts, batch->n, &o, &batch->device);
    for (uint32_t i = 0; i < batch->n; i++) {
        free(batch->hosts[i].pending);
        batch->hosts[i].pending = NULL;
    }
    free(types);
    return status;
}

typedef struct making {
    weir_batch *batch;
    const weir_setup *setups;
    const volatile int *stop;
    uint32_t failed; /* how many */
} making;

/* Threads share no messages: a run that fails here is made again by the calling thread, which leaves the message. */
static void make_apart(void *user, uint32_t i)
{
    making *m = user;
    weir_diag *own = weir_diag_new();
    weir_diag_set_stop(own, m->stop);
    if (make_run(own, m->batch, m->setups, i) != WEIR_OK)
        __atomic_fetch_add(&m->failed, 1, __ATOMIC_RELAXED);
    weir_diag_free(own);
}

static void forget_run(weir_batch *batch, uint32_t i)
{
    weir_sim_free(batch->runs[i].sim);
    free(batch->hosts[i].pending);
    memset(&batch->runs[i], 0, sizeof batch->runs[i]);
    memset(&batch->hosts[i], 0, sizeof batch->hosts[i]);
}

static weir_status make_runs(weir_diag *diag, weir_batch *batch, const weir_setup *setups)
{
    making m = {batch, setups, weir_diag_stop(diag), 0};
    weir_status status = WEIR_OK;
    wi_each(batch->options.threads, 0, batch->n, make_apart, &m);
    for (uint32_t i = 0; i < batch->n && status == WEIR_OK && m.failed > 0; i++) {
        forget_run(batch, i);
        status = make_run(diag, batch, setups, i);
    }
    return status;
}

weir_status weir_batch_new(weir_diag *diag, const weir_setup *setups, uint32_t n,
                           const weir_batch_options *options, weir_batch **out)
{
    *out = NULL;
    if (n < 1 || n > UINT16_MAX)
        return weir_fail(diag, WEIR_E_ARG, "a batch of %u runs; want 1 to %u", n, UINT16_MAX);
    if (options && options->runs_a_block > WI_GPU_GROUP_RUNS)
        return weir_fail(diag, WEIR_E_ARG, "%u runs a block; want at most %d", options->runs_a_block,
                         WI_GPU_GROUP_RUNS);
    weir_batch *batch = calloc(1, sizeof *batch);
    if (batch) {
        pthread_mutex_init(&batch->lock, NULL);
        batch->runs = calloc(n, sizeof *batch->runs);
        batch->hosts = calloc(n, sizeof *batch->hosts);
        batch->limit_ps = calloc(n, sizeof *batch->limit_ps);
        batch->n = n;
        batch->rounds = ROUNDS_FIRST;
        if (options)
            batch->options = *options;
    }
    weir_status status = WEIR_OK;
    if (!batch || !batch->runs || !batch->hosts || !batch->limit_ps)
        status = weir_fail(diag, WEIR_E_NOMEM, "no memory for a batch of %u runs", n);
    status = status ?: make_runs(diag, batch, setups) ?: make_device(diag, batch, setups, options);
    if (status != WEIR_OK) {
        weir_batch_free(batch);
        return status;
    }
    *out = batch;
    return WEIR_OK;
}

void weir_batch_free(weir_batch *batch)
{
    if (!batch)
        return;
    wi_gpu_batch_free(batch->device);
    for (uint32_t i = 0; i < batch->n; i++) {
        if (batch->runs) {
            weir_sim_free(batch->runs[i].sim);
            free(batch->runs[i].message);
            free(batch->runs[i].records.at);
        }
        if (batch->hosts)
            free(batch->hosts[i].pending);
    }
    wi_batch_forget_pending(batch);
    pthread_mutex_destroy(&batch->lock);
    free(batch->runs);
    free(batch->hosts);
    free(batch->limit_ps);
    free(batch);
}

weir_status weir_batch_fit(weir_diag *diag, const weir_setup *setup, const weir_batch_options *options,
                           uint32_t *at_once)
{
    weir_batch one = {.n = 1};
    wi_batch_run run = {0};
    wi_gpu_host host = {0};
    uint64_t run_bytes = 1, free_bytes = 0;
    *at_once = 0;
    one.runs = &run;
    one.hosts = &host;
    weir_status status = make_run(diag, &one, setup, 0);
    if (status == WEIR_OK) {
        const wi_gpu_batch_options o = device_options(options, setup->gpu);
        status = wi_gpu_batch_fit(diag, setup->gpu, &host, &o, &run_bytes, &free_bytes);
    }
    if (status == WEIR_OK) {
        const uint64_t n = free_bytes / run_bytes;
        *at_once = n < UINT16_MAX ? (uint32_t)n : UINT16_MAX;
    }
    weir_sim_free(run.sim);
    free(host.pending);
    return status;
}

/* ---- records ---- */

static weir_status take_records(weir_diag *diag, weir_batch *batch)
{
    unsigned char *from = NULL;
    uint32_t n = 0;
    weir_status status = wi_gpu_batch_records(diag, batch->device, &from, &n);
    const size_t stride = sizeof(weir_record_head) + batch->runs[0].sim->setup.gpu->record_bytes;
    for (uint32_t i = 0; i < n && status == WEIR_OK; i++) {
        const weir_record_head *head = (const weir_record_head *)(const void *)(from + i * stride);
        wi_batch_run *run = &batch->runs[head->reserved];
        status = wi_gpu_keep_record(diag, run->sim, &run->records, from + i * stride);
    }
    return status;
}

/* ---- running ---- */

/* Note what the launch has done, run by run; *done: no run is before its limit. */
static weir_status note(weir_diag *diag, weir_batch *batch, const wi_gpu_run_report *reports,
                        const wi_gpu_fault_word *faults, int drain, int *done)
{
    *done = 1;
    batch->use.events = 0;
    weir_status status = drain ? take_records(diag, batch) : WEIR_OK;
    for (uint32_t i = 0; i < batch->n; i++) {
        wi_batch_run *run = &batch->runs[i];
        run->sim->events = reports[i].events;
        batch->use.events += reports[i].events;
        batch->use.rounds = reports[i].rounds > batch->use.rounds ? reports[i].rounds : batch->use.rounds;
        if (faults[i].faulty && run->status == WEIR_OK)
            run->status = wi_gpu_fault_keep(run->sim, &faults[i].fault, &run->message);
        if (run->status == WEIR_OK && reports[i].low_ps < batch->limit_ps[i])
            *done = 0;
    }
    return status;
}

/* Runs may stand within a window: let each finish it. */
static void stop_after_windows(weir_batch *batch, const wi_gpu_run_report *reports)
{
    for (uint32_t i = 0; i < batch->n; i++) {
        const weir_time low_ps = reports[i].low_ps;
        const weir_time end_ps = wi_gpu_reach(low_ps, batch->runs[i].lookahead_most_ps);
        if (low_ps < batch->limit_ps[i] && end_ps < batch->limit_ps[i])
            batch->limit_ps[i] = end_ps;
    }
}

static weir_status finish(weir_diag *diag, weir_batch *batch)
{
    weir_status status = batch->options.executor == WEIR_BATCH_STAGED ? WEIR_OK : take_records(diag, batch);
    for (uint32_t i = 0; i < batch->n && status == WEIR_OK; i++) {
        wi_batch_run *run = &batch->runs[i];
        if (run->status != WEIR_OK)
            continue;
        run->sim->now_ps = batch->limit_ps[i];
        status = wi_gpu_flush_records(diag, run->sim, &run->records, batch->limit_ps[i]);
    }
    return status;
}

weir_status weir_batch_run(weir_diag *diag, weir_batch *batch, const weir_time *until_ps,
                           const volatile int *stop)
{
    int done = 0, stopped = 0;
    if (stop && *stop)
        return WEIR_E_INTERRUPTED;
    wi_batch_forget_pending(batch);
    for (uint32_t i = 0; i < batch->n; i++) {
        weir_sim *sim = batch->runs[i].sim;
        batch->limit_ps[i] = until_ps[i] > sim->now_ps ? until_ps[i] : sim->now_ps;
        sim->stale = 1;
    }
    if (batch->options.executor == WEIR_BATCH_STAGED) {
        WI_RETURN_IF_FAILED(wi_batch_staged_run(diag, batch, stop, &stopped));
        done = 1;
    }
    while (!done) {
        const wi_gpu_run_report *reports;
        const wi_gpu_fault_word *faults;
        int drain = 0;
        double took_s = 0.0;
        WI_RETURN_IF_FAILED(wi_gpu_batch_run(diag, batch->device, batch->limit_ps, batch->rounds, &reports,
                                             &faults, &drain, &took_s)
                                ?: note(diag, batch, reports, faults, drain, &done));
        batch->use.launches++;
        batch->use.kernel_s += took_s;
        if (!done && took_s < launch_s / 2 && batch->rounds < ROUNDS_MAX)
            batch->rounds *= 2;
        else if (took_s > launch_s * 2 && batch->rounds > 1)
            batch->rounds /= 2;
        if (!done && !stopped && stop && *stop) {
            stop_after_windows(batch, reports);
            stopped = 1;
        }
    }
    const weir_status status = finish(diag, batch);
    return status == WEIR_OK && stopped ? WEIR_E_INTERRUPTED : status;
}

/* ---- reading ---- */

weir_sim *weir_batch_sim(const weir_batch *batch, uint32_t i)
{
    return i < batch->n ? batch->runs[i].sim : NULL;
}

weir_status weir_batch_status(const weir_batch *batch, uint32_t i, const char **message)
{
    const wi_batch_run *run = &batch->runs[i];
    if (message)
        *message = run->message ? run->message : "";
    return run->status;
}

void weir_batch_used(const weir_batch *batch, weir_batch_use *out)
{
    wi_gpu_batch_use use;
    wi_gpu_batch_used(batch->device, &use);
    *out = batch->use;
    out->device_bytes = use.bytes;
    out->blocks = use.blocks;
    out->threads = use.threads;
    out->runs_a_block = use.runs_a_group;
}

#else /* without CUDA there are no batches */

weir_status weir_batch_fit(weir_diag *diag, const weir_setup *setup, const weir_batch_options *options,
                           uint32_t *at_once)
{
    (void)setup, (void)options;
    *at_once = 0;
    return weir_fail(diag, WEIR_E_UNSUPPORTED,
                     "this build has no batches (they need CUDA when weir is built)");
}

weir_status weir_batch_new(weir_diag *diag, const weir_setup *setups, uint32_t n,
                           const weir_batch_options *options, weir_batch **out)
{
    uint32_t none;
    (void)n;
    *out = NULL;
    return weir_batch_fit(diag, setups, options, &none);
}

void weir_batch_free(weir_batch *batch)
{
    (void)batch;
}

weir_status weir_batch_run(weir_diag *diag, weir_batch *batch, const weir_time *until_ps,
                           const volatile int *stop)
{
    (void)batch, (void)until_ps, (void)stop;
    return weir_fail(diag, WEIR_E_UNSUPPORTED, "this build has no batches");
}

weir_sim *weir_batch_sim(const weir_batch *batch, uint32_t i)
{
    (void)batch, (void)i;
    return NULL;
}

weir_status weir_batch_status(const weir_batch *batch, uint32_t i, const char **message)
{
    (void)batch, (void)i;
    if (message)
        *message = "";
    return WEIR_E_UNSUPPORTED;
}

void weir_batch_used(const weir_batch *batch, weir_batch_use *out)
{
    (void)batch;
    memset(out, 0, sizeof *out);
}

#endif
