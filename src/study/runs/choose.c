/* Which executor runs a study. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/ranks/ranks.h"
#include "study/runs/work.h"
#include "weir/engine.h"

/* --device over study.executor; the device's number. */
static weir_status asked_for(weir_study *s, const char *device, uint32_t *executor)
{
    const bool staged = *executor == WEIR_SC_EXECUTOR_STAGED;
    char *end = NULL;
    if (!device)
        return WEIR_OK;
    if (strcmp(device, "cpu") == 0) {
        *executor = WEIR_SC_EXECUTOR_CORES;
        return WEIR_OK;
    }
    if (strcmp(device, "auto") == 0) {
        *executor = WEIR_SC_EXECUTOR_AUTO;
        return WEIR_OK;
    }
    if (strncmp(device, "cuda", 4) == 0 && (device[4] == '\0' || device[4] == ':')) {
        const bool numbered = device[4] == ':';
        const unsigned long number = numbered ? strtoul(device + 5, &end, 10) : s->scenario->study.device;
        if (!numbered || (device[5] >= '0' && device[5] <= '9' && !*end && number <= INT32_MAX)) {
            *executor = staged ? WEIR_SC_EXECUTOR_STAGED : WEIR_SC_EXECUTOR_RESIDENT;
            s->batch.device = (int)number;
            return WEIR_OK;
        }
    }
    return weir_fail(s->diag, WEIR_E_ARG, "--device wants auto, cpu or cuda[:N], not '%s'", device);
}

weir_status wi_executor_choose(weir_study *s, const weir_study_options *o, const wi_executor **out)
{
    uint32_t executor = s->scenario->study.executor;
    char text[300];
    s->batch = (weir_batch_options){.device = (int)s->scenario->study.device};
    *out = s->ranks ? &wi_executor_ranks : &wi_executor_cores;
    const weir_status status = asked_for(s, o->device, &executor);
    if (status != WEIR_OK || executor == WEIR_SC_EXECUTOR_CORES)
        return status;
    if (s->ranks)
        snprintf(text, sizeof text, "%u ranks share the runs, and a device is one process's",
                 s->ranks->n_ranks);
    if (!s->ranks && weir_gpu_describe(s->batch.device, text, sizeof text)) {
        s->batch.executor = executor == WEIR_SC_EXECUTOR_STAGED ? WEIR_BATCH_STAGED : WEIR_BATCH_RESIDENT;
        s->batch.threads = wi_jobs_at_once(s, o);
        s->batch.threads = s->batch.threads > 64 ? 64 : s->batch.threads;
        *out = &wi_executor_device;
        return WEIR_OK;
    }
    if (executor == WEIR_SC_EXECUTOR_AUTO) {
        if (!s->ranks || s->ranks->rank == 0)
            weir_note(s->diag, "device: auto takes the cores: %s", text);
        return WEIR_OK;
    }
    return weir_fail(s->diag, WEIR_E_UNSUPPORTED, "a study on CUDA device %d: %s; use --device cpu",
                     s->batch.device, text);
}
