/* Runs of a plan: their settings and scenario, the rows that came of them, and points found by keys. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "scenario/document/document.h"
#include "base/memory.h"
#include "study/plan/study.h"

weir_status wi_study_no_memory(weir_diag *diag)
{
    return weir_fail(diag, WEIR_E_NOMEM, "no memory for a study");
}

wi_row *wi_row_new(const weir_study *s)
{
    wi_row *row = calloc(1, sizeof *row);
    if (!row)
        return NULL;
    row->metric = malloc((s->n_metrics + 1) * sizeof *row->metric);
    row->pool = calloc(s->n_metrics + 1, sizeof *row->pool);
    row->n_pools = s->n_metrics;
    if (!row->metric || !row->pool) {
        wi_row_free(row);
        return NULL;
    }
    for (uint32_t i = 0; i < s->n_metrics; i++)
        row->metric[i] = (double)NAN;
    return row;
}

void wi_row_free(wi_row *row)
{
    if (!row)
        return;
    for (uint32_t i = 0; row->pool && i < row->n_pools; i++)
        free(row->pool[i]);
    free(row->pool);
    free(row->metric);
    free(row->error);
    weir_diag_free(row->messages);
    free(row);
}

bool wi_point_put(wi_point *point, uint32_t replication, wi_row *row)
{
    size_t rooms = point->rooms;
    if (!wi_grow_zeroed(&point->row, &rooms, (size_t)replication + 1, sizeof *point->row))
        return false;
    point->rooms = (uint32_t)rooms;
    const bool asked = replication < point->want, fresh = !point->row[replication];
    wi_row_free(point->row[replication]);
    point->row[replication] = row;
    point->done += asked && fresh;
    point->wall_s += asked ? row->wall_s : 0.0;
    return true;
}

const wi_row *wi_point_row(const wi_point *point, uint32_t replication)
{
    return replication < point->want && replication < point->rooms ? point->row[replication] : NULL;
}

void wi_point_ask(wi_point *point, uint32_t want)
{
    for (; point->want < want; point->want++)
        if (point->want < point->rooms && point->row[point->want]) {
            point->done++;
            point->wall_s += point->row[point->want]->wall_s;
        }
}

uint32_t wi_run_number(const weir_study *s, wi_job job)
{
    const uint32_t own = s->scenario->study.independent ? (uint32_t)(s->points[job.point].values >> 33) : 0;
    return s->scenario->run + own + job.replication;
}

/* Reads the file again, so that messages have its places, with the settings of the study, of the point, and
 * the run's number. */
weir_status wi_run_scenario(const weir_study *s, weir_diag *diag, wi_job job, weir_scenario **out)
{
    const wi_point *point = &s->points[job.point];
    const size_t n_own = s->n_sets + s->n_params + 1;
    WI_FREED const char **sets = calloc(n_own, sizeof *sets);
    WI_FREED char **own = calloc(s->n_params + 1, sizeof *own);
    bool good = sets && own;
    size_t n = 0;
    *out = NULL;
    for (uint32_t i = 0; good && i < s->n_params; i++)
        if (s->params[i].path)
            good = asprintf(&own[n++], "%s=%s", s->params[i].path, point->value[i]) >= 0;
    good = good && asprintf(&own[n++], "run=%u", wi_run_number(s, job)) >= 0;
    if (good) {
        memcpy(sets, s->sets, s->n_sets * sizeof *sets);
        memcpy(sets + s->n_sets, own, n * sizeof *sets);
    }
    const weir_status status =
        good ? wi_scenario_parse_edited(diag, &(wi_yaml_text){s->file, s->read_text, s->read_length},
                                        s->folder_of_files, &(wi_edits){sets, s->n_sets + n, "study"}, out)
             : wi_study_no_memory(diag);
    for (size_t i = 0; own && i < n; i++)
        free(own[i]);
    return status;
}

double *wi_point_values(const wi_point *p, uint32_t metric, uint32_t *n, uint32_t *failed)
{
    double *values = malloc((p->want + 1) * sizeof *values);
    *n = *failed = 0;
    for (uint32_t r = 0; values && r < p->want; r++) {
        const wi_row *row = wi_point_row(p, r);
        if (row && row->status != WEIR_OK)
            ++*failed;
        else if (row && !isnan(row->metric[metric]))
            values[(*n)++] = row->metric[metric];
    }
    return values;
}

WI_ORDER_BY(by_key, wi_keyed, WI_ORDER(x->key, y->key) ?: WI_ORDER(x->point, y->point))

void wi_keyed_sort(wi_keyed *list, uint32_t n)
{
    qsort(list, n, sizeof *list, by_key);
}

wi_keyed *wi_points_by_key(const weir_study *s)
{
    wi_keyed *list = malloc(((size_t)s->n_points + 1) * sizeof *list);
    if (!list) {
        (void)wi_study_no_memory(s->diag);
        return NULL;
    }
    for (uint32_t i = 0; i < s->n_points; i++)
        list[i] = (wi_keyed){s->points[i].key, i};
    wi_keyed_sort(list, s->n_points);
    return list;
}

uint32_t wi_keyed_find(const wi_keyed *list, uint32_t n, uint64_t key)
{
    const size_t at = WI_FIRST(i, n, list[i].key >= key);
    return at < n && list[at].key == key ? list[at].point : UINT32_MAX;
}
