/* Slowdown by size, gathered flow by flow; and slowdown.csv. */

#include <math.h>
#include <stdlib.h>

#include "scenario/results/results.h"
#include "base/memory.h"

/* The end of a size, UINT64_MAX of the last; those behind it end at 0. */
static uint64_t size_to(const weir_scenario_output *o, size_t size)
{
    static const uint64_t usual[] = {1000, 10000, 100000, 1000000, 10000000, 100000000};
    const size_t n = o->slowdown_sizes.n ? o->slowdown_sizes.n : sizeof usual / sizeof *usual;
    return size < n ? (o->slowdown_sizes.n ? o->slowdown_to : usual)[size] : size == n ? UINT64_MAX : 0;
}

/* What a row is of, beside its flows. */
typedef struct slowdown_row {
    const char *class;
    uint64_t size_over_bytes, size_to_bytes, unfinished, rejected;
} slowdown_row;

#define SLOWDOWNS(X)                                                                                       \
    X(TEXT, "class", "", row->class, "name of the traffic class"),                                         \
        X(U64, "size_over_bytes", "bytes", row->size_over_bytes,                                           \
          "flows larger than this, and up to the next (`output.slowdown_sizes`)"),                         \
        X(U64, "size_to_bytes", "bytes", row->size_to_bytes, "empty in rows without bound"),               \
        X(U64, "flows", "", b->all.n, "completed: those that the slowdowns are of"),                       \
        X(U64, "unfinished", "", row->unfinished,                                                          \
          "begun, and not complete at the end: a tail beside many of them is of survivors"),               \
        X(U64, "rejected", "", row->rejected,                                                              \
          "flows of all sizes turned away because `max_flows` were under way; empty in rows of one size"), \
        X(DOUBLE, "slowdown_mean", "1", wi_spread_mean(&b->all), "of these flows, exact"),                 \
        X(DOUBLE, "slowdown_p50", "1", wi_slowdown_quantile(b, 0.5), "the flow of that rank"),             \
        X(DOUBLE, "slowdown_p95", "1", wi_slowdown_quantile(b, 0.95), NULL),                               \
        X(DOUBLE, "slowdown_p99", "1", wi_slowdown_quantile(b, 0.99), NULL),                               \
        X(DOUBLE, "slowdown_p99.9", "1", wi_slowdown_quantile(b, 0.999), NULL),                            \
        X(DOUBLE, "slowdown_max", "1", wi_spread_most(&b->all), "of these flows, exact")
static const wi_result_column columns[] = {SLOWDOWNS(WI_COLUMN)};

size_t wi_slowdown_size(const weir_scenario_output *output, uint64_t bytes)
{
    size_t size = 0;
    while (bytes > size_to(output, size))
        size++;
    return size;
}

void wi_slowdown_add(wi_slowdowns *s, size_t size, double slowdown)
{
    wi_slowdown_bucket *b = &s->of_size[size];
    wi_spread_add(&b->all, b->bins, WI_SLOWDOWN_BINS, slowdown);
}

void wi_slowdown_merge(const wi_slowdowns *s, wi_slowdown_bucket *all)
{
    *all = (wi_slowdown_bucket){0};
    for (size_t k = 0; k < WI_SLOWDOWN_SIZES; k++) {
        const wi_slowdown_bucket *b = &s->of_size[k];
        if (b->all.n)
            all->all.least = all->all.n ? fmin(b->all.least, all->all.least) : b->all.least;
        all->all.n += b->all.n;
        all->all.sum += b->all.sum;
        all->all.most = fmax(b->all.most, all->all.most);
        for (size_t i = 0; i < WI_SLOWDOWN_BINS; i++)
            all->bins[i] += b->bins[i];
    }
}

double wi_slowdown_quantile(const wi_slowdown_bucket *b, double share)
{
    return wi_spread_quantile(&b->all, b->bins, WI_SLOWDOWN_BINS, share);
}

/* Where there is a flow. */
static void put(wi_csv *csv, const slowdown_row *row, const wi_slowdown_bucket *b)
{
    if (b->all.n || row->unfinished)
        wi_csv_row(csv, (const wi_cell[]){SLOWDOWNS(WI_CELL)});
}

/* Rows of a class: its sizes, and all together. */
static void put_class(const wi_results_of_run *r, uint32_t cls, wi_csv *csv, wi_slowdown_bucket *all)
{
    static const wi_slowdowns none = {0};
    const wi_class_result *c = &r->classes[cls];
    const wi_slowdowns *s = c->slowdowns ? c->slowdowns : &none;
    slowdown_row row = {.class = r->network->plan.classes[cls].name, .rejected = WI_NO_COUNT};
    uint64_t unfinished = 0;
    const weir_scenario_output *const o = &r->network->scenario->output;
    for (size_t k = 0; k < WI_SLOWDOWN_SIZES && size_to(o, k); k++) {
        row.size_over_bytes = k ? size_to(o, k - 1) : 0;
        row.size_to_bytes = size_to(o, k);
        row.unfinished = c->unfinished[k];
        unfinished += row.unfinished;
        put(csv, &row, &s->of_size[k]);
    }
    wi_slowdown_merge(s, all);
    row.size_over_bytes = 0;
    row.size_to_bytes = UINT64_MAX;
    row.unfinished = unfinished;
    row.rejected = wi_results_counter(r, cls, NET_COUNT_REJECTED);
    put(csv, &row, all);
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
    for (uint32_t i = 0; i < r->network->scenario->n_traffic; i++)
        put_class(r, i, csv, all);
    return WEIR_OK;
}
const wi_result_table wi_slowdown_table = WI_ROWS("slowdown.csv", columns, put_rows, any_sized);
