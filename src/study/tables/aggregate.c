/* aggregate.csv: a row a parameter set and metric, of all its replications. */
#include <math.h>
#include <stdlib.h>

#include "output/number.h"
#include "base/memory.h"
#include "study/plan/pool.h"
#include "study/tables/table.h"

/* A quantile over replications: type 7 of R, and the interval between order statistics. */
static wi_pool_quantile of_runs(const double *sorted, uint32_t n, double q, double confidence)
{
    uint32_t low = 0, high = 0;
    if (n > 0)
        wi_order_interval(n, q, confidence, &low, &high);
    return (wi_pool_quantile){wi_quantile(sorted, n, q), low ? sorted[low - 1] : (double)NAN,
                              high ? sorted[high - 1] : (double)NAN};
}

/* The samples of the replications that succeeded. Null: no memory. */
static wi_pool *pool_of(const wi_point *p, uint32_t metric)
{
    WI_FREED const char **texts = calloc((size_t)p->want + 1, sizeof *texts);
    for (uint32_t r = 0; texts && r < p->want; r++) {
        const wi_row *row = wi_point_row(p, r);
        if (row && row->status == WEIR_OK)
            texts[r] = row->pool[metric];
    }
    wi_pool *const pool = texts ? wi_pool_make(texts, p->want) : NULL;
    return pool;
}

static const double *quantiles_of(const weir_study *s, size_t *n)
{
    static const double median = 0.5;
    *n = s->scenario->study.n_quantiles;
    if (*n > 0)
        return s->scenario->study.quantiles;
    *n = 1;
    return &median;
}

/* A metric of a point: the values of its runs, sorted. */
typedef struct values {
    const wi_point *point;
    uint32_t metric, n, failed;
    double *sorted; /* [n] */
} values;

/* Writes the quantiles of all samples of a metric that is pooled, or of the values of the runs. */
static weir_status put_quantiles(const weir_study *s, weir_diag *diag, wi_csv *csv, const values *of)
{
    const double confidence = s->scenario->study.confidence;
    const bool pooled = s->metrics[of->metric].pooled;
    size_t n_quantiles;
    const double *quantile = quantiles_of(s, &n_quantiles);
    wi_pool *const pool = pooled ? pool_of(of->point, of->metric) : NULL;
    if (pooled && !pool)
        return wi_study_no_memory(diag);
    for (size_t i = 0; i < n_quantiles; i++) {
        const wi_pool_quantile q = pooled ? wi_pool_find(pool, quantile[i], confidence)
                                          : of_runs(of->sorted, of->n, quantile[i], confidence);
        WI_CSV_PUT(csv, {.DOUBLE = q.value}, {.DOUBLE = q.low}, {.DOUBLE = q.high});
    }
    wi_pool_free(pool);
    return WEIR_OK;
}

#define MEANS(X)                                                                       \
    X(TEXT, "metric", "", s->metrics[metric].name, NULL), X(U64, "n", "", of.n, NULL), \
        X(U64, "failed", "", of.failed, NULL), X(DOUBLE, "mean", "", sum.mean, NULL),  \
        X(DOUBLE, "sd", "", sum.sd, NULL), X(DOUBLE, "low", "", sum.low, NULL),        \
        X(DOUBLE, "high", "", sum.high, NULL)

static weir_status put_row(const weir_study *s, weir_diag *diag, wi_csv *csv, uint32_t point, uint32_t metric)
{
    values of = {.point = &s->points[point], .metric = metric};
    wi_summary sum;
    of.sorted = wi_point_values(of.point, metric, &of.n, &of.failed);
    if (!of.sorted)
        return wi_study_no_memory(diag);
    wi_summarise(of.sorted, of.n, s->scenario->study.confidence, &sum); /* in the order of the runs */
    wi_sort(of.sorted, of.n);
    WI_CSV_PUT(csv, {.U64 = point});
    wi_table_put_params(s, csv, of.point);
    WI_CSV_PUT(csv, MEANS(WI_CELL));
    const weir_status status = put_quantiles(s, diag, csv, &of);
    WI_CSV_PUT(csv, {.TEXT = wi_metric_unit(&s->metrics[metric])});
    free(of.sorted);
    return status;
}

static void add_quantiles(const weir_study *s, wi_table *t)
{
    static const char *const ends[] = {"", "_low", "_high"};
    size_t n;
    const double *quantile = quantiles_of(s, &n);
    for (size_t q = 0; q < n; q++)
        for (size_t e = 0; e < 3; e++) {
            char number[WI_NUMBER_MAX], name[WI_TABLE_NAME];
            wi_format_double(wi_twelve_digits(100.0 * quantile[q]), number);
            snprintf(name, sizeof name, "p%s%s", number, ends[e]);
            wi_table_add_named(t, name);
        }
}

static void columns(const weir_study *s, wi_table *t)
{
    WI_TABLE_ADD(t, {"point", WI_CSV_U64});
    wi_table_add_params(t, s);
    WI_TABLE_ADD(t, MEANS(WI_COLUMN));
    add_quantiles(s, t);
    WI_TABLE_ADD(t, {"unit", WI_CSV_TEXT});
}

static weir_status rows(const weir_study *s, weir_diag *diag, wi_csv *csv)
{
    weir_status status = WEIR_OK;
    for (uint32_t i = 0; status == WEIR_OK && i < s->n_points; i++)
        for (uint32_t m = 0; status == WEIR_OK && m < s->n_metrics; m++)
            status = put_row(s, diag, csv, i, m);
    return status;
}

const wi_table_kind wi_table_aggregate = {"aggregate.csv", NULL, columns, rows};
