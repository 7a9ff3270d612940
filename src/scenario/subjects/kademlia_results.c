/* Kademlia's results: histograms as CSV, a time series, and the figures of summary.json. */
#include "scenario/subjects/kademlia_results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units/figures.h"
#include "output/csv.h"
#include "output/json.h"
#include "scenario/subject/tell.h"

enum { COLUMNS = 7 };

weir_status wi_kad_results_begin(weir_diag *diag, wi_kad_results *r, const wi_sinks *to)
{
    static const wi_series_column columns[COLUMNS] = {
        {"lookups_per_s", "1/s"}, {"requests_per_s", "1/s"}, {"timeouts_per_s", "1/s"}, {"success", "1"},
        {"found", "1"},           {"latency_mean_s", "s"},   {"online_peers", "1"}};
    static const char *const rows[] = {"all"};
    r->diag = diag;
    r->folder = to->folder;
    const weir_status status = wi_series_open(diag, to, "series.h5", &r->series);
    if (status != WEIR_OK || !r->series)
        return status;
    return wi_series_table_add(diag, r->series, "network", columns, COLUMNS, rows, 1, &r->table);
}

void wi_kad_results_warm(wi_kad_results *r)
{
    memcpy(r->warm, weir_sim_counters(r->sim), sizeof r->warm);
    r->warm_ps = weir_sim_now(r->sim);
}

static void difference(const int64_t *now, const int64_t *before, int64_t *out)
{
    for (uint32_t i = 0; i < KAD_COUNTERS; i++)
        out[i] = now[i] - before[i];
}

/* a / b; NaN, an empty cell, where b is 0. */
static double share(int64_t a, int64_t b)
{
    return b ? (double)a / (double)b : (double)NAN;
}

static int64_t online_peers(const wi_kad_results *r)
{
    const int64_t *c = weir_sim_counters(r->sim);
    return c[KAD_COUNT_ONLINE_FIRST] + c[KAD_COUNT_WENT_ONLINE] - c[KAD_COUNT_WENT_OFFLINE];
}

weir_status wi_kad_results_sample(wi_kad_results *r)
{
    const weir_time now_ps = weir_sim_now(r->sim);
    const double span_s = weir_seconds(now_ps - r->last_ps);
    int64_t *since = r->now; /* free until the end */
    if (!r->table)
        return WEIR_OK;
    difference(weir_sim_counters(r->sim), r->last, since);
    const kad_totals t = wi_kad_totals(since);
    const double row[COLUMNS] = {(double)t.finished / span_s,
                                 (double)since[KAD_COUNT_REQUESTS] / span_s,
                                 (double)since[KAD_COUNT_TIMEOUTS] / span_s,
                                 share(t.succeeded, t.judged),
                                 share(t.found, t.sought),
                                 1e-6 * share(since[KAD_COUNT_TOOK_US], t.finished),
                                 (double)online_peers(r)};
    memcpy(r->last, weir_sim_counters(r->sim), sizeof r->last);
    r->last_ps = now_ps;
    return wi_series_append(r->diag, r->table, now_ps, row);
}

/* How many lookups have each number of something, and the share that has no more. */
static weir_status write_numbers(const wi_kad_results *r, const char *file, const char *name,
                                 const int64_t *bin, uint32_t bins)
{
    const wi_csv_column columns[] = {
        {name, WI_CSV_U64}, {"lookups", WI_CSV_U64}, {"cumulative_share", WI_CSV_DOUBLE}};
    wi_csv *csv;
    const weir_status status = wi_csv_open(r->diag, r->folder, file, columns, 3, &csv);
    if (status != WEIR_OK)
        return status;
    int64_t all = 0, below = 0;
    uint32_t last = 0;
    for (uint32_t i = 0; i < bins; i++) {
        all += bin[i];
        last = bin[i] ? i : last;
    }
    for (uint32_t i = 0; all && i <= last; i++) {
        below += bin[i];
        wi_csv_u64(csv, i);
        wi_csv_u64(csv, (uint64_t)bin[i]);
        wi_csv_double(csv, (double)below / (double)all);
    }
    return wi_csv_close(r->diag, csv);
}

static weir_status write_latency(const wi_kad_results *r)
{
    static const wi_csv_column columns[] = {{"from_s", WI_CSV_SECONDS},
                                            {"to_s", WI_CSV_SECONDS},
                                            {"lookups", WI_CSV_U64},
                                            {"cumulative_share", WI_CSV_DOUBLE}};
    const int64_t *bin = r->now + KAD_LATENCY;
    wi_csv *csv;
    const weir_status status = wi_csv_open(r->diag, r->folder, "latency.csv", columns, 4, &csv);
    if (status != WEIR_OK)
        return status;
    int64_t all = 0, below = 0;
    for (uint32_t i = 0; i < KAD_LATENCY_BINS; i++)
        all += bin[i];
    for (uint32_t i = 0; i < KAD_LATENCY_BINS; i++) {
        below += bin[i];
        if (!bin[i])
            continue;
        wi_csv_seconds(csv, kad_latency_bin_low(i));
        wi_csv_seconds(csv, kad_latency_bin_low(i + 1));
        wi_csv_u64(csv, (uint64_t)bin[i]);
        wi_csv_double(csv, (double)below / (double)all);
    }
    return wi_csv_close(r->diag, csv);
}

static weir_status write_buckets(const wi_kad_results *r)
{
    static const wi_csv_column columns[] = {{"bucket", WI_CSV_U64},
                                            {"peers_in_range", WI_CSV_DOUBLE},
                                            {"contacts_mean", WI_CSV_DOUBLE},
                                            {"full_share", WI_CSV_DOUBLE}};
    const uint32_t n = wi_kad_world(r->kad)->n_buckets;
    kad_occupancy *buckets = malloc(n * sizeof *buckets);
    if (!buckets)
        return weir_fail(r->diag, WEIR_E_NOMEM, "no memory for the occupancy of buckets");
    wi_kad_occupancy(r->kad, r->sim, buckets);
    wi_csv *csv;
    weir_status status = wi_csv_open(r->diag, r->folder, "buckets.csv", columns, 4, &csv);
    for (uint32_t b = 0; status == WEIR_OK && b < n; b++) {
        wi_csv_u64(csv, b);
        wi_csv_double(csv, buckets[b].range);
        wi_csv_double(csv, buckets[b].mean);
        wi_csv_double(csv, buckets[b].full);
    }
    if (status == WEIR_OK)
        status = wi_csv_close(r->diag, csv);
    free(buckets);
    return status;
}

void wi_kad_results_look(wi_kad_results *r)
{
    difference(weir_sim_counters(r->sim), r->warm, r->now);
}

weir_status wi_kad_results_finish(wi_kad_results *r)
{
    if (!r->folder)
        return WEIR_OK;
    weir_status status = write_numbers(r, "hops.csv", "hops", r->now + KAD_HOPS, KAD_HOPS_BINS);
    if (status == WEIR_OK)
        status = write_numbers(r, "requests.csv", "requests", r->now + KAD_LOOKUP_REQUESTS, KAD_REQUEST_BINS);
    if (status == WEIR_OK)
        status = write_latency(r);
    if (status == WEIR_OK)
        status = write_buckets(r);
    if (status == WEIR_OK) {
        status = wi_series_close(r->diag, r->series);
        r->series = NULL;
    }
    return status;
}

static void put_count(json_t *o, const char *key, int64_t value)
{
    json_object_set_new(o, key, wi_json_count((uint64_t)value));
}

static json_t *numbers(const int64_t *bin, uint32_t bins)
{
    json_t *o = json_object();
    json_object_set_new(o, "mean", wi_json_real(wi_kad_mean(bin, bins)));
    json_object_set_new(o, "p50", wi_json_real(wi_kad_quantile(bin, bins, 0.5)));
    json_object_set_new(o, "p90", wi_json_real(wi_kad_quantile(bin, bins, 0.9)));
    json_object_set_new(o, "p99", wi_json_real(wi_kad_quantile(bin, bins, 0.99)));
    json_object_set_new(o, "max", wi_json_real(wi_kad_quantile(bin, bins, 1.0)));
    return o;
}

static json_t *latency(const int64_t *c, int64_t finished)
{
    json_t *o = json_object();
    json_object_set_new(o, "mean_s", wi_json_real(1e-6 * share(c[KAD_COUNT_TOOK_US], finished)));
    json_object_set_new(o, "p50_s", wi_json_real(wi_kad_latency_quantile_s(c, 0.5)));
    json_object_set_new(o, "p90_s", wi_json_real(wi_kad_latency_quantile_s(c, 0.9)));
    json_object_set_new(o, "p99_s", wi_json_real(wi_kad_latency_quantile_s(c, 0.99)));
    return o;
}

static json_t *lookups(const int64_t *c, const kad_totals *t, double span_s)
{
    json_t *o = json_object();
    put_count(o, "started", t->started);
    put_count(o, "finished", t->finished);
    put_count(o, "aborted", t->aborted);
    json_object_set_new(o, "per_s", wi_json_real((double)t->finished / span_s));
    json_object_set_new(o, "success", wi_json_real(share(t->succeeded, t->judged)));
    json_object_set_new(o, "closest_of_all", wi_json_real(share(t->exact, t->judged)));
    json_object_set_new(o, "values_found", wi_json_real(share(t->found, t->sought)));
    put_count(o, "joins", c[kad_kind_counter(KAD_JOIN, KAD_FINISHED)]);
    put_count(o, "refreshes", c[kad_kind_counter(KAD_REFRESH, KAD_FINISHED)]);
    return o;
}

static json_t *messages(const int64_t *c, const kad_totals *t)
{
    json_t *o = json_object();
    put_count(o, "requests", c[KAD_COUNT_REQUESTS]);
    put_count(o, "responses", c[KAD_COUNT_RESPONSES]);
    put_count(o, "timeouts", c[KAD_COUNT_TIMEOUTS]);
    put_count(o, "abandoned", c[KAD_COUNT_ABANDONED]);
    put_count(o, "late", c[KAD_COUNT_LATE]);
    put_count(o, "met_offline_peers", c[KAD_COUNT_UNANSWERED]);
    put_count(o, "stores", c[KAD_COUNT_STORED]);
    /* What was sent for joins and refreshes is in here too: it is the price of the network. */
    json_object_set_new(o, "per_lookup",
                        wi_json_real(share(c[KAD_COUNT_REQUESTS] + c[KAD_COUNT_RESPONSES] +
                                               c[KAD_COUNT_LATE] + c[KAD_COUNT_STORED],
                                           t->finished)));
    return o;
}

static json_t *tables(const wi_kad_results *r)
{
    const kad_world *w = wi_kad_world(r->kad);
    double contacts = 0.0;
    for (uint32_t e = 0; e < w->n_peers; e++)
        contacts += ((const kad_peer *)weir_sim_state(r->sim, e))->contacts;
    json_t *o = json_object();
    put_count(o, "buckets", w->n_buckets);
    json_object_set_new(o, "contacts_mean", wi_json_real(contacts / w->n_peers));
    put_count(o, "evicted", r->now[KAD_COUNT_EVICTED]);
    put_count(o, "replaced", r->now[KAD_COUNT_REPLACED]);
    return o;
}

void wi_kad_results_summarise(const wi_kad_results *r, json_t *summary)
{
    const int64_t *c = r->now;
    const kad_totals t = wi_kad_totals(c);
    const double span_s = weir_seconds(weir_sim_now(r->sim) - r->warm_ps);
    json_t *o = json_object();
    put_count(o, "peers", wi_kad_world(r->kad)->n_peers);
    put_count(o, "online_peers", online_peers(r));
    json_object_set_new(o, "lookups", lookups(c, &t, span_s));
    json_object_set_new(o, "hops", numbers(c + KAD_HOPS, KAD_HOPS_BINS));
    json_object_set_new(o, "requests", numbers(c + KAD_LOOKUP_REQUESTS, KAD_REQUEST_BINS));
    json_object_set_new(o, "latency", latency(c, t.finished));
    json_object_set_new(o, "messages", messages(c, &t));
    json_object_set_new(o, "tables", tables(r));
    json_object_set_new(summary, "kademlia", o);
}

/* What the lookups came to. */
void wi_kad_results_tell(FILE *out, const json_t *summary)
{
    const json_t *k = json_object_get(summary, "kademlia"), *found = json_object_get(k, "lookups");
    const json_t *took = json_object_get(k, "latency");
    char a[WI_FIGURE], b[WI_FIGURE], c[WI_FIGURE];
    fprintf(out, "  %-13s %s of %s peers, %s successful\n", "lookups",
            wi_figure_unit(a, wi_number_of(found, "finished"), ""),
            wi_figure_unit(b, wi_number_of(k, "peers"), ""),
            wi_figure_percent(c, wi_number_of(found, "success")));
    fprintf(out, "  %-13s %s hops, %s requests, %s messages a lookup\n", "means",
            wi_figure_decimals(a, wi_number_of(json_object_get(k, "hops"), "mean"), 2),
            wi_figure_decimals(b, wi_number_of(json_object_get(k, "requests"), "mean"), 1),
            wi_figure_decimals(c, wi_number_of(json_object_get(k, "messages"), "per_lookup"), 1));
    fprintf(out, "  %-13s %s p50, %s p90, %s p99\n", "latency",
            wi_figure_duration(a, wi_number_of(took, "p50_s")),
            wi_figure_duration(b, wi_number_of(took, "p90_s")),
            wi_figure_duration(c, wi_number_of(took, "p99_s")));
}
