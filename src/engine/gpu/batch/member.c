/* A run of a batch as a simulation that can be read, and that goes on with its batch alone. */
#ifdef WEIR_HAVE_CUDA

#include <stdlib.h>

#include "engine/gpu/batch/runs.h"
#include "engine/gpu/batch/staged.h"
#include "engine/gpu/round/round.h"

static weir_status run_alone(weir_diag *diag, weir_sim *sim, weir_time limit_ps, const volatile int *stop)
{
    (void)limit_ps, (void)stop, (void)sim;
    return weir_fail(diag, WEIR_E_ARG, "a run of a batch goes on with its batch: call weir_batch_run");
}

/* All runs' states come at once. */
static weir_status fetch(weir_diag *diag, weir_sim *sim)
{
    weir_batch *batch = sim->engine;
    const weir_status status = batch->options.executor == WEIR_BATCH_STAGED
                                   ? wi_gpu_stage_fetch(diag, batch->device, batch->hosts)
                                   : wi_gpu_batch_fetch(diag, batch->device, batch->hosts);
    for (uint32_t i = 0; i < batch->n && status == WEIR_OK; i++)
        batch->runs[i].sim->stale = 0;
    return status;
}

void wi_batch_forget_pending(weir_batch *batch)
{
    free(batch->pending.slots);
    free(batch->pending.first);
    free(batch->pending.lp_first);
    batch->pending = (wi_gpu_batch_pending){0};
}

/* The events of all runs come at once, and stay until these go on. */
static weir_status read_pending(weir_diag *diag, weir_batch *batch)
{
    weir_status status = WEIR_OK;
    pthread_mutex_lock(&batch->lock);
    if (!batch->pending.slots) {
        status = wi_gpu_batch_read_pending(diag, batch->device, &batch->pending);
        if (status != WEIR_OK)
            wi_batch_forget_pending(batch);
    }
    pthread_mutex_unlock(&batch->lock);
    return status;
}

static weir_status visit_pending(weir_diag *diag, const weir_sim *sim,
                                 void (*visit)(void *user, const weir_event *event), void *user)
{
    weir_batch *batch = sim->engine;
    const uint32_t slot_bytes = WI_GPU_SLOT_BYTES(sim->setup.gpu->payload_bytes), r = sim->batch_number;
    if (batch->options.executor == WEIR_BATCH_STAGED) {
        wi_pending_visit(&sim->main.pending, visit, user);
        return WEIR_OK;
    }
    const weir_status status = read_pending(diag, batch);
    const wi_gpu_batch_pending *p = &batch->pending;
    if (status != WEIR_OK)
        return status;
    for (uint32_t i = p->first[p->lp_first[r]]; i < p->first[p->lp_first[r + 1]]; i++) {
        wi_event_room room;
        wi_gpu_read((const wi_gpu_event *)(const void *)(p->slots + (size_t)i * slot_bytes), sim->setup.seed,
                    &room.event, sim->payload_bytes, 0);
        visit(user, &room.event);
    }
    return WEIR_OK;
}

static void memory_use(const weir_sim *sim, weir_sim_memory *out)
{
    (void)sim, (void)out; /* weir_batch_used has the batch's */
}

const wi_engine_ops wi_batch_member = {.name = "batch",
                                       .run_until = run_alone,
                                       .fetch = fetch,
                                       .visit_pending = visit_pending,
                                       .memory_use = memory_use};

#else
typedef int wi_no_batch_member; /* ISO C wants a declaration */
#endif
