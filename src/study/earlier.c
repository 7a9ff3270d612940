/*
 * Of a folder that holds an earlier plan of the same scenario: whether its tables would lose anything to those of this one.
 * A plan that only adds (values, replications, metrics) loses nothing and goes on.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/file/out.h"
#include "study/earlier.h"
#include "study/folder/folder.h"

/* What would be lost. */
typedef struct loss {
    uint32_t runs, all;
    const char *metric; /* the first that this plan has not; null: none */
} loss;

static bool has_metric(const weir_study *s, const char *of)
{
    for (uint32_t i = 0; i < s->n_metrics; i++)
        if (strcmp(s->metrics[i].of, of) == 0)
            return true;
    return false;
}

/* Whether this plan has that replication of a point. */
static bool has_run(const weir_study *s, const wi_keyed *keys, uint64_t key, uint32_t replication)
{
    const uint32_t point = wi_keyed_find(keys, s->n_points, key);
    return point != UINT32_MAX &&
           (replication < s->points[point].want || s->scenario->study.until_precision > 0.0);
}

static bool find_loss(const weir_study *s, const weir_study *old, loss *out)
{
    WI_FREED wi_keyed *keys = wi_points_by_key(s);
    if (!keys)
        return false;
    for (uint32_t i = 0; i < old->n_points; i++)
        for (uint32_t r = 0; r < old->points[i].rooms; r++)
            if (old->points[i].row[r] && old->points[i].row[r]->status == WEIR_OK) {
                out->all++;
                out->runs += !has_run(s, keys, old->points[i].key, r);
            }
    for (uint32_t i = 0; i < old->n_metrics && !out->metric; i++)
        if (!has_metric(s, old->metrics[i].of))
            out->metric = old->metrics[i].of;
    return true;
}

static weir_status refuse(weir_study *s, const char *folder, const loss *l)
{
    static const char remedy[] = "--force replaces them (finished runs are kept, and count again for a plan "
                                 "that has them), -o DIR puts the new ones elsewhere";
    if (l->runs > 0)
        return weir_fail(
            s->diag, WEIR_E_ARG,
            "%s holds the tables of another plan: %u of its %u finished runs are not of this one; %s", folder,
            l->runs, l->all, remedy);
    return weir_fail(s->diag, WEIR_E_ARG,
                     "%s holds the tables of another plan: its metric '%s' is none of this one; %s", folder,
                     l->metric, remedy);
}

weir_status wi_earlier_check(weir_study *s, const weir_study_options *options)
{
    WI_FREED char *folder = wi_folder_name(s, options);
    WI_FREED char *file = folder ? wi_path_join(folder, "study.yaml") : NULL;
    if (!file)
        return wi_study_no_memory(s->diag);
    if (options->force || access(file, F_OK) != 0)
        return WEIR_OK;
    weir_study *old = NULL;
    loss l = {0};
    weir_diag *const aside = weir_diag_new();
    weir_status status = WEIR_OK;
    /* What cannot be read any more, or is of another scenario, the folder has words of its own for. */
    if (aside &&
        weir_study_open(aside, folder, NULL, 0, &(weir_study_options){.yes = true}, &old) == WEIR_OK &&
        old->base_key == s->base_key && wi_journal_load(old, folder, WI_FAILED_NONE) == WEIR_OK) {
        if (!find_loss(s, old, &l))
            status = WEIR_E_NOMEM;
        else if (l.runs > 0 || (l.all > 0 && l.metric))
            status = refuse(s, folder, &l);
    }
    weir_study_free(old);
    weir_diag_free(aside);
    return status;
}
