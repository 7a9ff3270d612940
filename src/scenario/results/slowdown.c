/* Slowdown by size, gathered flow by flow; and slowdown.csv. */

#include <math.h>
#include <stdlib.h>

#include "scenario/results/results.h"
#include "base/memory.h"

static const uint64_t size_to[WI_SLOWDOWN_SIZES] = {1000,     10000,     100000,    1000000,
                                                    10000000, 100000000, UINT64_MAX};

typedef struct slowdown_row {
    const char *class;
    uint64_t size_over_bytes, size_to_bytes, flows;
    double mean, p50, p99, p999, max;
} slowdown_row;

static const wi_result_column columns[] = {
    WI_COLUMN(TEXT, slowdown_row, class, "", "name of the traffic class"),
    WI_COLUMN(U64, slowdown_row, size_over_bytes, "bytes",
              "flows larger than this, and up to the next: 1 kB, 10 kB, 100 kB, 1 MB, 10 MB, 100 MB"),
    WI_COLUMN(U64, slowdown_row, size_to_bytes, "bytes", "empty in rows without bound"),
    WI_COLUMN(U64, slowdown_row, flows, "", "completed"),
    WI_COLUMN_AS("slowdown_mean", DOUBLE, slowdown_row, mean, "1", "of these flows, exact"),
    WI_COLUMN_AS("slowdown_p50", DOUBLE, slowdown_row, p50, "1", "the flow of that rank"),
    WI_COLUMN_AS("slowdown_p99", DOUBLE, slowdown_row, p99, "1", NULL),
    WI_COLUMN_AS("slowdown_p99.9", DOUBLE, slowdown_row, p999, "1", NULL),
    WI_COLUMN_AS("slowdown_max", DOUBLE, slowdown_row, max, "1", "of these flows, exact"),
};

/* Sub-bins divide an octave evenly. */
static size_t bin_of(double slowdown)
{
    int exponent;
    const double fraction =
        frexp(slowdown, &exponent); /* slowdown = fraction 2^exponent, fraction in [0.5, 1) */
    if (exponent < 0)
        return 0;
    const size_t bin =
        (size_t)exponent * WI_SLOWDOWN_SUB + (size_t)((fraction - 0.5) * 2.0 * WI_SLOWDOWN_SUB);
    return bin < WI_SLOWDOWN_BINS ? bin : WI_SLOWDOWN_BINS - 1;
}

static double middle_of(size_t bin)
{
    const double fraction = 0.5 + ((double)(bin % WI_SLOWDOWN_SUB) + 0.5) / (2.0 * WI_SLOWDOWN_SUB);
    return ldexp(fraction, (int)(bin / WI_SLOWDOWN_SUB));
}

void wi_slowdown_add(wi_slowdowns *s, uint64_t bytes, double slowdown)
{
    size_t bucket = 0;
    if (!(slowdown > 0.0) || !isfinite(slowdown))
        return;
    while (bytes > size_to[bucket])
        bucket++;
    wi_slowdown_bucket *b = &s->of_size[bucket];
    b->n++;
    b->sum += slowdown;
    b->most = slowdown > b->most ? slowdown : b->most;
    b->bins[bin_of(slowdown)]++;
}

void wi_slowdown_merge(const wi_slowdowns *s, wi_slowdown_bucket *all)
{
    *all = (wi_slowdown_bucket){0};
    for (size_t k = 0; k < WI_SLOWDOWN_SIZES; k++) {
        const wi_slowdown_bucket *b = &s->of_size[k];
        all->n += b->n;
        all->sum += b->sum;
        all->most = b->most > all->most ? b->most : all->most;
        for (size_t i = 0; i < WI_SLOWDOWN_BINS; i++)
            all->bins[i] += b->bins[i];
    }
}

double wi_slowdown_quantile(const wi_slowdown_bucket *b, double share)
{
    const double rank = ceil(share * (double)b->n);
    uint64_t below = 0;
    for (size_t i = 0; i < WI_SLOWDOWN_BINS; i++) {
        below += b->bins[i];
        if (below > 0 && (double)below >= rank)
            return fmin(middle_of(i), b->most);
    }
    return (double)NAN;
}

double wi_slowdown_mean(const wi_slowdown_bucket *b)
{
    return b->n ? b->sum / (double)b->n : (double)NAN;
}

static void put(wi_csv *csv, const char *name, uint64_t over, uint64_t to, const wi_slowdown_bucket *b)
{
    if (b->n)
        wi_csv_row(csv,
                   &(slowdown_row){name, over, to, b->n, wi_slowdown_mean(b), wi_slowdown_quantile(b, 0.5),
                                   wi_slowdown_quantile(b, 0.99), wi_slowdown_quantile(b, 0.999), b->most});
}

static bool any_sized(const void *results)
{
    return ((const wi_results_of_run *)results)->received != NULL;
}

static weir_status put_rows(const void *results, wi_csv *csv)
{
    const wi_results_of_run *r = results;
    WI_FREED wi_slowdown_bucket *all = malloc(sizeof *all);
    if (!all)
        return weir_fail(r->run->diag, WEIR_E_NOMEM, "no memory for the slowdown of flows");
    for (size_t i = 0; i < r->network->scenario->n_traffic; i++) {
        const wi_slowdowns *s = r->classes[i].slowdowns;
        const char *name = r->network->classes[i].name;
        for (size_t k = 0; s && k < WI_SLOWDOWN_SIZES; k++)
            put(csv, name, k ? size_to[k - 1] : 0, size_to[k], &s->of_size[k]);
        if (s) {
            wi_slowdown_merge(s, all);
            put(csv, name, 0, UINT64_MAX, all);
        }
    }
    return WEIR_OK;
}
const wi_result_table wi_slowdown_table = WI_ROWS("slowdown.csv", columns, put_rows, any_sized);
