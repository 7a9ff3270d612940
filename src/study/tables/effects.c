/*
 * effects.csv: of designs whose parameters take two values each, what each parameter does, alone and with others.
 *
 * An effect is the mean over the sets in which the product of its parameters' signs (the first value -, the second +) is +,
 * less that over the others. It is taken replication by replication: all sets share random numbers, so its interval is that
 * of differences. Where constraints leave a fraction, effects that no set tells apart are one row, which names them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/tables/table.h"
#include "base/memory.h"

enum { FACTORS_MAX = 10, ALL_ORDERS = 5, NAMES_MAX = 2000 };

typedef struct design {
    const weir_study *s;
    uint32_t param[FACTORS_MAX], n; /* one of each group that takes two values */
} design;

/* Which value of a parameter a point has: 0 or 1. */
static uint32_t level(const design *d, uint32_t point, uint32_t factor)
{
    const uint32_t p = d->param[factor];
    return strcmp(d->s->points[point].value[p], d->s->params[p].value[0]) != 0;
}

static int sign(const design *d, uint32_t point, uint32_t effect)
{
    uint32_t minus = 0;
    for (uint32_t f = 0; f < d->n; f++)
        minus += (effect >> f & 1) && !level(d, point, f);
    return minus % 2 ? -1 : 1;
}

static int64_t sum_of_signs(const design *d, uint32_t effect)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < d->s->n_points; i++)
        sum += sign(d, i, effect);
    return sum;
}

static bool design_of(const weir_study *s, design *d)
{
    *d = (design){.s = s};
    for (uint32_t i = 0; i < s->n_params; i++) {
        bool seen = false;
        for (uint32_t f = 0; f < d->n; f++)
            seen |= s->params[d->param[f]].group == s->params[i].group;
        if (s->params[i].is || s->params[i].n < 2 || seen)
            continue;
        if (s->params[i].n > 2 || d->n == FACTORS_MAX)
            return false;
        d->param[d->n++] = i;
    }
    /* A design is orthogonal where every product of signs sums to zero, or to all points. */
    for (uint32_t e = 1; e < 1u << d->n; e++)
        if (sum_of_signs(d, e) != 0 && llabs(sum_of_signs(d, e)) != s->n_points)
            return false;
    return d->n > 0;
}

static bool has_design(const weir_study *s)
{
    design d;
    return design_of(s, &d);
}

static uint32_t order(uint32_t effect)
{
    uint32_t n = 0;
    for (; effect; effect &= effect - 1)
        n++;
    return n;
}

/* 1, -1: one is the other's on all sets, with this sign; 0: they differ. */
static int alias(const design *d, uint32_t a, uint32_t b)
{
    const int64_t sum = sum_of_signs(d, a ^ b);
    return sum == 0 ? 0 : sum > 0 ? 1 : -1;
}

/* An effect is reported unless an alias of lower order, or an earlier one of its order, stands for it. */
static bool is_first(const design *d, uint32_t effect)
{
    if (sum_of_signs(d, effect) != 0 || (d->n > ALL_ORDERS && order(effect) > 2))
        return false;
    for (uint32_t e = 1; e < 1u << d->n; e++)
        if (e != effect && alias(d, e, effect) &&
            (order(e) < order(effect) || (order(e) == order(effect) && e < effect)))
            return false;
    return true;
}

static void add_name(const design *d, uint32_t effect, const char *before, char *out)
{
    snprintf(out + strlen(out), NAMES_MAX - strlen(out), "%s", before);
    for (uint32_t f = 0, n = 0; f < d->n; f++)
        if (effect >> f & 1)
            snprintf(out + strlen(out), NAMES_MAX - strlen(out), "%s%s", n++ ? " x " : "",
                     d->s->params[d->param[f]].name);
}

/* Replication by replication, where all sets have a value. */
static uint32_t values_of(const design *d, uint32_t effect, uint32_t metric, double *out)
{
    const weir_study *s = d->s;
    uint32_t n = 0;
    for (uint32_t r = 0; r < s->points[0].want; r++) {
        double sum = 0.0;
        for (uint32_t i = 0; i < s->n_points; i++) {
            const wi_row *row = wi_point_row(&s->points[i], r);
            sum += row && row->status == WEIR_OK ? sign(d, i, effect) * row->metric[metric] : (double)NAN;
        }
        if (!isnan(sum))
            out[n++] = 2.0 * sum / s->n_points;
    }
    return n;
}

typedef struct result {
    uint32_t effect;
    wi_summary sum;
    double p, holm;
} result;

#define EFFECTS(X)                                                                              \
    X(TEXT, "metric", "", d->s->metrics[metric].name, NULL), X(TEXT, "effect", "", name, NULL), \
        X(TEXT, "aliases", "", also, NULL), X(U64, "n", "", sum->n, NULL),                      \
        X(DOUBLE, "difference", "", sum->mean, NULL), X(DOUBLE, "sd", "", sum->sd, NULL),       \
        X(DOUBLE, "low", "", sum->low, NULL), X(DOUBLE, "high", "", sum->high, NULL),           \
        X(DOUBLE, "p", "", results[i].p, NULL), X(DOUBLE, "p_holm", "", results[i].holm, NULL)

static void put_results(const design *d, wi_csv *csv, uint32_t metric, const result *results, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        char name[NAMES_MAX] = "", also[NAMES_MAX] = "";
        add_name(d, results[i].effect, "", name);
        for (uint32_t e = 1; e < 1u << d->n && d->n <= ALL_ORDERS; e++)
            if (e != results[i].effect && alias(d, e, results[i].effect))
                add_name(d, e, alias(d, e, results[i].effect) > 0 ? " + " : " - ", also);
        const wi_summary *sum = &results[i].sum;
        WI_CSV_PUT(csv, EFFECTS(WI_CELL));
    }
}

static weir_status rows(const weir_study *s, weir_diag *diag, wi_csv *csv)
{
    design d;
    (void)design_of(s, &d);
    const uint32_t most = 1u << d.n;
    WI_FREED result *results = malloc(most * sizeof *results);
    WI_FREED double *p = malloc(2 * most * sizeof *p),
                    *values = malloc((s->points[0].want + 1) * sizeof *values);
    bool good = results && p && values;
    for (uint32_t m = 0; good && m < s->n_metrics; m++) {
        uint32_t n = 0;
        for (uint32_t e = 1; e < most; e++) {
            if (!is_first(&d, e))
                continue;
            results[n].effect = e;
            wi_summarise(values, values_of(&d, e, m, values), s->scenario->study.confidence, &results[n].sum);
            p[n] = wi_summary_p(&results[n].sum);
            n++;
        }
        good = wi_holm(p, n, p + most);
        for (uint32_t i = 0; i < n; i++) {
            results[i].p = p[i];
            results[i].holm = p[most + i];
        }
        if (good)
            put_results(&d, csv, m, results, n);
    }
    return good ? WEIR_OK : wi_study_no_memory(diag);
}

static void columns(const weir_study *s, wi_table *t)
{
    (void)s;
    WI_TABLE_ADD(t, EFFECTS(WI_COLUMN));
}

const wi_table_kind wi_table_effects = {"effects.csv", has_design, columns, rows};
