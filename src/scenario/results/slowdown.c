/* Slowdown by size, gathered flow by flow; and slowdown.csv. */
#include "scenario/results/slowdown.h"

#include <math.h>
#include <stdlib.h>

#include "scenario/results/results.h"

static const uint64_t size_to[WI_SLOWDOWN_SIZES] = {1000,     10000,     100000,    1000000,
                                                    10000000, 100000000, UINT64_MAX};

static const wi_csv_column columns[] = {
    {"class", WI_CSV_TEXT},          {"size_over_bytes", WI_CSV_U64},   {"size_to_bytes", WI_CSV_U64},
    {"flows", WI_CSV_U64},           {"slowdown_mean", WI_CSV_DOUBLE},  {"slowdown_p50", WI_CSV_DOUBLE},
    {"slowdown_p99", WI_CSV_DOUBLE}, {"slowdown_p99.9", WI_CSV_DOUBLE}, {"slowdown_max", WI_CSV_DOUBLE},
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
    if (b->n == 0)
        return;
    wi_csv_text(csv, name);
    wi_csv_u64(csv, over);
    if (to == UINT64_MAX)
        wi_csv_empty(csv);
    else
        wi_csv_u64(csv, to);
    wi_csv_u64(csv, b->n);
    wi_csv_double(csv, wi_slowdown_mean(b));
    wi_csv_double(csv, wi_slowdown_quantile(b, 0.5));
    wi_csv_double(csv, wi_slowdown_quantile(b, 0.99));
    wi_csv_double(csv, wi_slowdown_quantile(b, 0.999));
    wi_csv_double(csv, b->most);
}

weir_status wi_slowdown_write(const wi_results_of_run *r)
{
    const size_t n = r->network->scenario->n_traffic;
    bool any = false;
    wi_csv *csv = NULL;
    for (size_t i = 0; i < n; i++)
        any = any || (r->network->classes[i].params.flags & NET_CLASS_SIZED);
    if (!any)
        return WEIR_OK;
    wi_slowdown_bucket *all = malloc(sizeof *all);
    if (!all)
        return weir_fail(r->diag, WEIR_E_NOMEM, "no memory for the slowdown of flows");
    weir_status status =
        wi_csv_open(r->diag, r->folder, "slowdown.csv", columns, sizeof columns / sizeof *columns, &csv);
    for (size_t i = 0; status == WEIR_OK && i < n; i++) {
        const wi_slowdowns *s = r->classes[i].slowdowns;
        const char *name = r->network->classes[i].name;
        for (size_t k = 0; s && k < WI_SLOWDOWN_SIZES; k++)
            put(csv, name, k ? size_to[k - 1] : 0, size_to[k], &s->of_size[k]);
        if (s) {
            wi_slowdown_merge(s, all);
            put(csv, name, 0, UINT64_MAX, all);
        }
    }
    free(all);
    return status == WEIR_OK ? wi_csv_close(r->diag, csv) : status;
}
