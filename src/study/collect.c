/* Joining studies that were run apart: shards of a batch system, or the same plan on several machines. */
#include <string.h>

#include "study/earlier.h"
#include "study/folder/folder.h"
#include "study/plan/study.h"
#include "study/runs/work.h"
#include "study/tables/table.h"

static weir_status is_part(weir_study *s, const char *first, const char *folder)
{
    char keys[600];
    const weir_status status = wi_folder_differences(s, folder, keys, sizeof keys);
    if (status != WEIR_OK || !keys[0])
        return status;
    return weir_fail(s->diag, WEIR_E_ARG, "%s is of another scenario than %s; these keys differ: %s", folder,
                     first, keys);
}

/* Adds all rows to the journal of the new folder, so that it is a study like any other. */
static weir_status keep(weir_study *s)
{
    weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < s->n_points; i++)
        for (uint32_t r = 0; r < s->points[i].rooms && status == WEIR_OK; r++)
            if (s->points[i].row[r])
                status = wi_folder_add(s->folder, s, s->diag, (wi_job){i, r}, s->points[i].row[r]);
    return status;
}

static void count(const weir_study *s, weir_study_result *result)
{
    result->points = s->n_points;
    for (uint32_t i = 0; i < s->n_points; i++)
        for (uint32_t r = 0; r < s->points[i].want; r++) {
            const wi_row *row = wi_point_row(&s->points[i], r);
            result->runs += row != NULL;
            result->failed += row && row->status != WEIR_OK;
            result->missing += row == NULL;
        }
    result->reused = result->runs;
}

weir_status weir_study_collect(weir_diag *diag, const char *const *folders, size_t n,
                               const weir_study_options *options, weir_study_result *result)
{
    weir_study *s = NULL;
    wi_work *work = NULL;
    *result = (weir_study_result){0};
    if (n == 0)
        return weir_fail(diag, WEIR_E_ARG, "no folder of a study to collect from");
    weir_study_options o;
    weir_study_options_init(&o);
    o = options ? *options : o;
    o.yes = true;
    weir_status status = weir_study_open(diag, folders[0], NULL, 0, &o, &s);
    for (size_t i = 1; i < n && status == WEIR_OK; i++)
        status = is_part(s, folders[0], folders[i]);
    if (status == WEIR_OK && !s->own_folder)
        status = weir_fail(diag, WEIR_E_ARG, "%s is no folder of a study", folders[0]);
    if (status == WEIR_OK && !o.output_dir)
        status = weir_fail(diag, WEIR_E_ARG, "say where the whole goes: -o DIR");
    status = status ?: wi_earlier_check(s, &o)
                ?: wi_folder_open(s, &o, &s->folder)
                ?: wi_folder_put_plan(s->folder, s);
    for (size_t i = 0; i < n && status == WEIR_OK; i++)
        status = wi_journal_load(s, folders[i], WI_FAILED_ALL);
    status = status ?: keep(s) ?: wi_work_new(s, &o, &work); /* with until-precision it asks for more */
    wi_work_free(work);
    if (status == WEIR_OK) {
        count(s, result);
        status = wi_tables_put(s, diag, o.output_dir);
    }
    if (status == WEIR_OK && !(result->output_dir = strdup(o.output_dir)))
        status = wi_study_no_memory(diag);
    if (s)
        wi_folder_close(s->folder);
    weir_study_free(s);
    return status;
}
