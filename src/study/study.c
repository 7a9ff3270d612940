/* Running a study that is open, and writing what came of it. */
#include "study/plan/study.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/common/common.h"
#include "ranks/ranks.h"
#include "study/tables/table.h"
#include "study/earlier.h"
#include "study/folder/folder.h"
#include "study/runs/quota.h"
#include "study/runs/work.h"
#include "weir/ranks.h"

void weir_study_options_init(weir_study_options *options)
{
    *options = (weir_study_options){0};
}

void weir_study_result_free(weir_study_result *result)
{
    free(result->output_dir);
    *result = (weir_study_result){0};
}

static weir_status check_options(weir_study *s, const weir_study_options *o)
{
    if (o->shards > 0 && (o->shard < 1 || o->shard > o->shards))
        return weir_fail(s->diag, WEIR_E_ARG, "shard %u of %u: want a number from 1 to %u", o->shard,
                         o->shards, o->shards);
    return WEIR_OK;
}

/* Checks the names of metrics, unless the journal has rows, which have them. */
static weir_status check_metrics(weir_study *s, const weir_study_options *o)
{
    for (uint32_t i = 0; i < s->n_points; i++)
        if (s->points[i].done > 0)
            return WEIR_OK;
    char *folder = NULL;
    if (asprintf(&folder, "%s/" WI_RUNNING, wi_folder_path(s->folder)) < 0)
        return wi_study_no_memory(s->diag);
    const weir_status status = wi_metrics_check(s, folder, o);
    free(folder);
    return status;
}

/* Opens the folder, and on rank 0 the work. */
static weir_status prepare(weir_study *s, const weir_study_options *o, wi_work **work)
{
    if (s->ranks && s->ranks->rank > 0)
        return wi_folder_join(s, o, &s->folder);
    return wi_earlier_check(s, o)
            ?: wi_folder_open(s, o, &s->folder)
            ?: check_metrics(s, o)
            ?: wi_folder_put_plan(s->folder, s)
            ?: wi_work_new(s, o, work);
}

enum { SHARED_PART = 4 }; /* share of memory for what runs share: one part in so many */

static void share(weir_study *s, wi_common_use *ended)
{
    s->in_common = ended;
    const double bytes = wi_quota_memory(s->ranks ? s->ranks->on_this_machine : 1);
    s->shared = wi_common_new((uint64_t)(bytes / SHARED_PART)); /* null: runs have nothing in common */
}

static void share_no_more(weir_study *s, weir_study_result *result)
{
    const wi_common_use use = wi_common_used(s->shared), *const ended = s->in_common;
    result->shared_made = use.made + ended->made;
    result->shared_found = use.found + ended->found;
    result->shared_most = use.most > ended->most ? use.most : ended->most;
    wi_common_free(s->shared);
    s->shared = NULL;
    s->in_common = NULL;
}

weir_status weir_study_run(weir_study *s, const weir_study_options *options, weir_study_result *result)
{
    weir_study_options usual;
    wi_work *work = NULL;
    wi_common_use ended = {0};
    *result = (weir_study_result){0};
    weir_study_options_init(&usual);
    const weir_study_options *o = options ? options : &usual;
    weir_status status = check_options(s, o);
    wi_executor *executor = NULL;
    s->ranks = wi_ranks_of_run();
    status = status ?: wi_executor_choose(s, o, &executor) ?: weir_ranks_same(s->diag, "study", s->text);
    wi_ranks_set_alone(s->ranks != NULL); /* runs are each rank's own from here on */
    share(s, &ended);
    status = status ?: prepare(s, o, &work);
    wi_ranks_set_alone(0);
    status = weir_ranks_agree(s->diag, status);
    wi_ranks_set_alone(s->ranks != NULL);
    if (status == WEIR_OK)
        executor(s, o, work);
    if (status == WEIR_OK && work)
        status = wi_work_end(work, result);
    share_no_more(s, result);
    if (work && (status == WEIR_OK || status == WEIR_E_INTERRUPTED)) {
        const weir_status written = wi_tables_put(s, s->diag, wi_folder_path(s->folder));
        status = written == WEIR_OK ? status : written;
    }
    wi_ranks_set_alone(0);
    if (s->folder && wi_folder_path(s->folder) && !(result->output_dir = strdup(wi_folder_path(s->folder))))
        status = wi_study_no_memory(s->diag);
    wi_work_free(work);
    wi_folder_close(s->folder);
    s->folder = NULL;
    return weir_ranks_agree(s->diag, status);
}
