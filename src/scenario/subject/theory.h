/* Figures that theory knows: each as the mean of the run, half of its 95 % interval, by samples, and what theory says. */
#ifndef WI_SCENARIO_SUBJECT_THEORY_H
#define WI_SCENARIO_SUBJECT_THEORY_H

#include "output/column.h"

enum { WI_THEORY_MOST = 6 };

/* What a run gathers; plain data. */
typedef struct wi_batches {
    double sum[WI_THEORY_MOST], squares[WI_THEORY_MOST], n;
} wi_batches;

/* A part of a row of summary.json. */
typedef struct wi_beside_theory {
    double mean[WI_THEORY_MOST], ci95[WI_THEORY_MOST], theory[WI_THEORY_MOST];
} wi_beside_theory;

/* Columns of figure `k`, whose wi_beside_theory is the member `beside` of the row. */
#define WI_BESIDE_THEORY(row, k, name, units, doc)                                                     \
    WI_COLUMN_AS(name "/mean", DOUBLE, row, beside.mean[k], units, doc),                               \
        WI_COLUMN_AS(name "/ci95", DOUBLE, row, beside.ci95[k], units,                                 \
                     "half of its 95 % interval, by samples, which should be far longer than a stay"), \
        WI_COLUMN_AS(name "/theory", DOUBLE, row, beside.theory[k], units, "what it is in theory")

/* Count the figures [n] of the time since the sample before. */
static inline void wi_batches_add(wi_batches *b, const double *figure, int n)
{
    for (int k = 0; k < n; k++) {
        b->sum[k] += figure[k];
        b->squares[k] += figure[k] * figure[k];
    }
    b->n++;
}

/* Return half of the 95 % interval of figure `k`. */
double wi_batches_ci95(const wi_batches *b, int k);

#endif
