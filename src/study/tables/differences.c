/* differences.csv: each parameter set less its baseline, run by run; and how often chance does as much. */
#include <math.h>
#include <stdlib.h>

#include "study/tables/table.h"
#include "base/memory.h"

typedef struct difference {
    wi_summary of, ground; /* ground: the baseline's own */
} difference;

static bool take(const weir_study *s, uint32_t point, uint32_t base, uint32_t metric, difference *out)
{
    const wi_point *p = &s->points[point];
    double *pairs = malloc(((size_t)p->want + 1) * 2 * sizeof *pairs),
           *ground = pairs ? pairs + p->want + 1 : NULL;
    if (!pairs)
        return false;
    const uint32_t n = wi_paired(p, &s->points[base], metric, pairs, ground);
    wi_summarise(pairs, n, s->scenario->study.confidence, &out->of);
    wi_summarise(ground, n, s->scenario->study.confidence, &out->ground);
    free(pairs);
    return true;
}

static bool is_compared(const uint32_t *bases, uint32_t point)
{
    return bases[point] != UINT32_MAX && bases[point] != point;
}

/* p of each metric and set, corrected for the sets of its metric: [n_metrics][n_points], NaN: none. */
static bool correct(const weir_study *s, const uint32_t *bases, double *holm)
{
    WI_FREED double *p = malloc(((size_t)s->n_points + 1) * sizeof *p);
    bool good = p != NULL;
    for (uint32_t m = 0; good && m < s->n_metrics; m++) {
        for (uint32_t i = 0; good && i < s->n_points; i++) {
            difference d;
            const bool compared = is_compared(bases, i);
            good = !compared || take(s, i, bases[i], m, &d);
            p[i] = compared && good ? wi_summary_p(&d.of) : (double)NAN;
        }
        good = good && wi_holm(p, s->n_points, holm + (size_t)m * s->n_points);
    }
    return good;
}

#define DIFFERENCES(X)                                                                        \
    X(TEXT, "metric", "", s->metrics[metric].name, NULL), X(U64, "baseline", "", base, NULL), \
        X(U64, "n", "", d.of.n, NULL), X(DOUBLE, "baseline_mean", "", mean, NULL),            \
        X(DOUBLE, "difference", "", d.of.mean, NULL), X(DOUBLE, "sd", "", d.of.sd, NULL),     \
        X(DOUBLE, "low", "", d.of.low, NULL), X(DOUBLE, "high", "", d.of.high, NULL),         \
        X(DOUBLE, "relative", "", mean != 0.0 ? d.of.mean / fabs(mean) : (double)NAN, NULL),  \
        X(DOUBLE, "p", "", wi_summary_p(&d.of), NULL), X(DOUBLE, "p_holm", "", p_holm, NULL)

static bool put_row(const weir_study *s, wi_csv *csv, uint32_t point, uint32_t base, uint32_t metric,
                    double p_holm)
{
    difference d;
    if (!take(s, point, base, metric, &d))
        return false;
    const double mean = d.ground.mean;
    WI_CSV_PUT(csv, {.U64 = point});
    wi_table_put_params(s, csv, &s->points[point]);
    WI_CSV_PUT(csv, DIFFERENCES(WI_CELL));
    return true;
}

static void columns(const weir_study *s, wi_table *t)
{
    WI_TABLE_ADD(t, {"point", WI_CSV_U64});
    wi_table_add_params(t, s);
    WI_TABLE_ADD(t, DIFFERENCES(WI_COLUMN));
}

static weir_status rows(const weir_study *s, weir_diag *diag, wi_csv *csv)
{
    WI_FREED uint32_t *const bases = wi_baselines(s);
    WI_FREED double *const holm = malloc(((size_t)s->n_points * s->n_metrics + 1) * sizeof *holm);
    bool good = bases && holm && correct(s, bases, holm);
    for (uint32_t i = 0; good && i < s->n_points; i++)
        for (uint32_t m = 0; good && is_compared(bases, i) && m < s->n_metrics; m++)
            good = put_row(s, csv, i, bases[i], m, holm[(size_t)m * s->n_points + i]);
    return good ? WEIR_OK : wi_study_no_memory(diag);
}

static bool has_baseline(const weir_study *s)
{
    return s->scenario->study.baseline.n > 0;
}

const wi_table_kind wi_table_differences = {"differences.csv", has_baseline, columns, rows};
