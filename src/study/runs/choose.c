/* Which executor runs a study: cores, ranks or a device. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ranks/ranks.h"
#include "study/folder/apart.h"
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

typedef struct description {
    int device;
    bool there;
    char text[200];
} description;

static void describe(void *user)
{
    description *d = user;
    d->there = weir_gpu_describe(d->device, d->text, sizeof d->text);
}

/* Returns whether there is such a device. A process of its own asks: once CUDA is open in this process, no
 * child of it can open CUDA. Where only this process can, the caller has opened CUDA before. */
static bool find_device(weir_study *s, const weir_study_options *options)
{
    description d = {.device = s->batch.device, .text = "none: it ended the process that asked for it"};
    weir_study_options asking = *options;
    asking.run_timeout_s = 0.0;
    const bool answered = wi_apart(s, describe, &d, &d, sizeof d, &asking);
    if (answered && !d.there) {
        describe(&d);
        s->device_here = d.there;
    }
    memcpy(s->device_name, d.text, sizeof d.text);
    return d.there;
}

static void note_device_here(weir_study *s, const weir_study_options *options)
{
    if (s->device_here)
        weir_note(s->diag,
                  "device: CUDA is open in this process, so runs share it: one that ends it ends the study%s",
                  options->run_timeout_s > 0.0 ? ", and none has a time limit" : "");
}

weir_status wi_executor_choose(weir_study *s, const weir_study_options *o, wi_executor **out)
{
    uint32_t executor = s->scenario->study.executor;
    char text[300];
    s->batch = (weir_batch_options){.device = (int)s->scenario->study.device};
    *out = s->ranks ? wi_run_on_ranks : wi_run_on_cores;
    const weir_status status = asked_for(s, o->device, &executor);
    if (status != WEIR_OK || executor == WEIR_SC_EXECUTOR_CORES)
        return status;
    if (s->ranks) {
        snprintf(text, sizeof text, "%u ranks share the runs, and a device is one process's",
                 s->ranks->n_ranks);
    } else if (find_device(s, o)) {
        note_device_here(s, o);
        s->batch.executor = executor == WEIR_SC_EXECUTOR_STAGED ? WEIR_BATCH_STAGED : WEIR_BATCH_RESIDENT;
        s->batch.threads = wi_jobs_at_once(s, o);
        s->batch.threads = s->batch.threads > 64 ? 64 : s->batch.threads;
        *out = wi_run_on_device;
        return WEIR_OK;
    } else {
        snprintf(text, sizeof text, "%s", s->device_name);
    }
    if (executor == WEIR_SC_EXECUTOR_AUTO) {
        if (!s->ranks || s->ranks->rank == 0)
            weir_note(s->diag, "device: auto takes the cores: %s", text);
        return WEIR_OK;
    }
    return weir_fail(s->diag, WEIR_E_UNSUPPORTED, "a study on CUDA device %d: %s; use --device cpu",
                     s->batch.device, text);
}
