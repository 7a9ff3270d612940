/* An interconnect's results: jobs, terminals and latencies as CSV, time series, the figures of summary.json. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units/figures.h"
#include "output/csv.h"
#include "output/json.h"
#include "scenario/subjects/interconnect/interconnect.h"
#include "scenario/subject/tell.h"

enum { COLUMNS = 10, ROUTERS_SERIES_MAX = 4096 };

static weir_status add_tables(weir_diag *diag, wi_ic_results *r)
{
    static const wi_series_column columns[COLUMNS] = {{"packets_per_s", "1/s"},
                                                      {"throughput_Bps", "bytes/s"},
                                                      {"latency_mean_s", "s"},
                                                      {"waited_mean_s", "s"},
                                                      {"hops_mean", "1"},
                                                      {"non_minimal_share", "1"},
                                                      {"predicted_share", "1"},
                                                      {"latency_variance_s2", "s2"},
                                                      {"total_latency_mean_s", "s"},
                                                      {"total_latency_variance_s2", "s2"}};
    static const wi_series_column buffered[] = {{"buffered_bytes", "bytes"}};
    static const char *const all[] = {"all"};
    const uint32_t n = wi_ic_world(r->ic)->n_routers;
    weir_status status =
        wi_series_table_add(diag, r->series, "network", columns, COLUMNS, all, 1, &r->network);
    if (status != WEIR_OK || n > ROUTERS_SERIES_MAX)
        return status;
    char(*text)[16] = malloc(n * sizeof *text);
    const char **names = malloc(n * sizeof *names);
    if (!text || !names) {
        status = weir_fail(diag, WEIR_E_NOMEM, "no memory for the names of %u routers", n);
    } else {
        for (uint32_t i = 0; i < n; i++) {
            snprintf(text[i], sizeof text[i], "r%u", i);
            names[i] = text[i];
        }
        status = wi_series_table_add(diag, r->series, "routers", buffered, 1, names, n, &r->routers);
    }
    free(text);
    free(names);
    return status;
}

weir_status wi_ic_results_begin(weir_diag *diag, wi_ic_results *r, const wi_sinks *to)
{
    weir_setup setup;
    r->diag = diag;
    r->folder = to->folder;
    wi_ic_setup(r->ic, &setup);
    r->n_counters = setup.n_counters;
    r->warm = calloc(r->n_counters, sizeof *r->warm);
    r->now = calloc(r->n_counters, sizeof *r->now);
    r->last = calloc(r->n_counters, sizeof *r->last);
    r->row = calloc(wi_ic_world(r->ic)->n_routers + (size_t)COLUMNS, sizeof *r->row);
    const uint32_t n_routers = wi_ic_world(r->ic)->n_routers;
    r->router_entities = malloc(((size_t)n_routers + 1) * sizeof *r->router_entities);
    for (uint32_t i = 0; r->router_entities && i < n_routers; i++)
        r->router_entities[i] = wi_ic_world(r->ic)->n_terminals + i;
    if (!r->warm || !r->now || !r->last || !r->row || !r->router_entities)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for an interconnect's results");
    const weir_status status = wi_series_open(diag, to, "series.h5", &r->series);
    return status != WEIR_OK || !r->series ? status : add_tables(diag, r);
}

void wi_ic_results_end(wi_ic_results *r)
{
    wi_series_drop(r->series);
    free(r->stuck);
    free(r->warm);
    free(r->now);
    free(r->last);
    free(r->row);
    free(r->router_entities);
}

void wi_ic_results_wants(const wi_ic_results *r, weir_sim_want *out)
{
    out->counters = true;
    out->entity = r->router_entities;
    out->n_entities = r->routers ? wi_ic_world(r->ic)->n_routers : 0;
}

void wi_ic_results_warm(wi_ic_results *r)
{
    memcpy(r->warm, weir_sim_counters(r->sim), r->n_counters * sizeof *r->warm);
    r->warm_ps = weir_sim_now(r->sim);
}

/* a / b; NaN, an empty cell, where b is 0. */
static double share(int64_t a, int64_t b)
{
    return b ? (double)a / (double)b : (double)NAN;
}

/* Variance of n latencies, by their sum and the sum of their squares. */
static double variance_s2(int64_t n, int64_t sum_ps, int64_t squares)
{
    const double mean_s = 1e-12 * share(sum_ps, n), unit_s = 1e-12 * IC_SQUARE_UNIT_PS;
    /* Units were rounded down: by half of one in the mean, evenly. */
    const double squares_s2 = unit_s * (unit_s * share(squares, n) + mean_s - unit_s / 3.0);
    return squares_s2 > mean_s * mean_s ? squares_s2 - mean_s * mean_s : n ? 0.0 : (double)NAN;
}

/* What a counter has gained between two looks, over all jobs. */
static int64_t gained(const wi_ic_results *r, const int64_t *now, const int64_t *before, uint32_t what)
{
    int64_t sum = 0;
    for (uint32_t j = 0; j <= wi_ic_world(r->ic)->n_jobs; j++)
        sum += now[(size_t)j * IC_COUNTERS + what] - before[(size_t)j * IC_COUNTERS + what];
    return sum;
}

weir_status wi_ic_results_sample(wi_ic_results *r)
{
    const ic_world *w = wi_ic_world(r->ic);
    const weir_time now_ps = weir_sim_now(r->sim);
    const double span_s = weir_seconds(now_ps - r->last_ps);
    const int64_t *c = weir_sim_counters(r->sim);
    if (!r->network)
        return WEIR_OK;
    const int64_t packets = gained(r, c, r->last, IC_COUNT_PACKETS);
    const int64_t injected = gained(r, c, r->last, IC_COUNT_INJECTED),
                  predicted = gained(r, c, r->last, IC_COUNT_PREDICTED);
    const int64_t total = gained(r, c, r->last, IC_COUNT_TOTAL_PACKETS);
    const double row[COLUMNS] = {(double)packets / span_s,
                                 (double)gained(r, c, r->last, IC_COUNT_CHUNKS) * w->chunk_bytes / span_s,
                                 1e-12 * share(gained(r, c, r->last, IC_COUNT_LATENCY), packets),
                                 1e-12 * share(gained(r, c, r->last, IC_COUNT_WAITED), injected + predicted),
                                 share(gained(r, c, r->last, IC_COUNT_HOPS), packets),
                                 share(gained(r, c, r->last, IC_COUNT_DETOURS), packets),
                                 share(predicted, injected + predicted),
                                 variance_s2(packets, gained(r, c, r->last, IC_COUNT_LATENCY),
                                             gained(r, c, r->last, IC_COUNT_SQUARES)),
                                 1e-12 * share(gained(r, c, r->last, IC_COUNT_TOTAL), total),
                                 variance_s2(total, gained(r, c, r->last, IC_COUNT_TOTAL),
                                             gained(r, c, r->last, IC_COUNT_TOTAL_SQUARES))};
    memcpy(r->last, c, r->n_counters * sizeof *r->last);
    r->last_ps = now_ps;
    weir_status status = wi_series_append(r->diag, r->network, now_ps, row);
    for (uint32_t i = 0; i < w->n_routers && r->routers; i++)
        r->row[i] =
            (double)((const ic_router *)weir_sim_state(r->sim, w->n_terminals + i))->waiting * w->chunk_bytes;
    if (status == WEIR_OK && r->routers)
        status = wi_series_append(r->diag, r->routers, now_ps, r->row);
    return status;
}

void wi_ic_results_look(wi_ic_results *r)
{
    const int64_t *c = weir_sim_counters(r->sim);
    for (uint64_t i = 0; i < r->n_counters; i++)
        r->now[i] = c[i] - r->warm[i];
}

static const char *name_of(const wi_ic_results *r, uint32_t job)
{
    return job < r->asked->n_jobs ? r->asked->jobs[job].name : "none";
}

static double span_of(const wi_ic_results *r)
{
    return weir_seconds(weir_sim_now(r->sim) - r->warm_ps);
}

static weir_status write_jobs(const wi_ic_results *r)
{
    static const wi_csv_column columns[] = {{"job", WI_CSV_TEXT},
                                            {"ranks", WI_CSV_U64},
                                            {"messages", WI_CSV_U64},
                                            {"packets", WI_CSV_U64},
                                            {"throughput_Bps", WI_CSV_DOUBLE},
                                            {"latency_mean_s", WI_CSV_DOUBLE},
                                            {"latency_p50_s", WI_CSV_DOUBLE},
                                            {"latency_p99_s", WI_CSV_DOUBLE},
                                            {"waited_mean_s", WI_CSV_DOUBLE},
                                            {"hops_mean", WI_CSV_DOUBLE},
                                            {"non_minimal_share", WI_CSV_DOUBLE}};
    const ic_world *w = wi_ic_world(r->ic);
    const ic_job_world *jobs = IC_TABLE(w, ic_job_world, w->jobs_at);
    wi_csv *csv;
    const weir_status status =
        wi_csv_open(r->diag, r->folder, "jobs.csv", columns, sizeof columns / sizeof columns[0], &csv);
    for (uint32_t j = 0; status == WEIR_OK && j < w->n_jobs; j++) {
        const int64_t *c = r->now + (size_t)j * IC_COUNTERS;
        wi_csv_text(csv, name_of(r, j));
        wi_csv_u64(csv, jobs[j].n_ranks);
        wi_csv_u64(csv, (uint64_t)c[IC_COUNT_MESSAGES]);
        wi_csv_u64(csv, (uint64_t)c[IC_COUNT_PACKETS]);
        wi_csv_double(csv, (double)c[IC_COUNT_CHUNKS] * w->chunk_bytes / span_of(r));
        wi_csv_double(csv, 1e-12 * share(c[IC_COUNT_LATENCY], c[IC_COUNT_PACKETS]));
        wi_csv_double(csv, wi_ic_quantile_s(c + IC_LATENCY, 0.5));
        wi_csv_double(csv, wi_ic_quantile_s(c + IC_LATENCY, 0.99));
        wi_csv_double(csv, 1e-12 * share(c[IC_COUNT_WAITED], c[IC_COUNT_INJECTED] + c[IC_COUNT_PREDICTED]));
        wi_csv_double(csv, share(c[IC_COUNT_HOPS], c[IC_COUNT_PACKETS]));
        wi_csv_double(csv, share(c[IC_COUNT_DETOURS], c[IC_COUNT_PACKETS]));
    }
    return status == WEIR_OK ? wi_csv_close(r->diag, csv) : status;
}

static weir_status write_terminals(const wi_ic_results *r)
{
    static const wi_csv_column columns[] = {
        {"terminal", WI_CSV_U64},      {"router", WI_CSV_U64},           {"job", WI_CSV_TEXT},
        {"packets_sent", WI_CSV_U64},  {"packets_received", WI_CSV_U64}, {"bytes_sent", WI_CSV_U64},
        {"bytes_received", WI_CSV_U64}};
    const ic_world *w = wi_ic_world(r->ic);
    wi_csv *csv;
    const weir_status status =
        wi_csv_open(r->diag, r->folder, "terminals.csv", columns, sizeof columns / sizeof columns[0], &csv);
    for (uint32_t t = 0; status == WEIR_OK && t < w->n_terminals; t++) {
        const ic_terminal *s = weir_sim_state(r->sim, t);
        wi_csv_u64(csv, t);
        wi_csv_u64(csv, IC_TABLE(w, uint32_t, w->terminal_at)[t]);
        wi_csv_text(csv, name_of(r, IC_TABLE(w, uint32_t, w->terminal_job_at)[t]));
        wi_csv_u64(csv, s->packets);
        wi_csv_u64(csv, s->received);
        wi_csv_u64(csv, s->chunks_sent * w->chunk_bytes);
        wi_csv_u64(csv, s->chunks_received * w->chunk_bytes);
    }
    return status == WEIR_OK ? wi_csv_close(r->diag, csv) : status;
}

static weir_status write_latency(const wi_ic_results *r)
{
    static const wi_csv_column columns[] = {{"from_s", WI_CSV_SECONDS},
                                            {"to_s", WI_CSV_SECONDS},
                                            {"packets", WI_CSV_U64},
                                            {"cumulative_share", WI_CSV_DOUBLE}};
    const int64_t *zero = r->last; /* free at the end */
    memset(r->last, 0, r->n_counters * sizeof *r->last);
    const int64_t all = gained(r, r->now, zero, IC_COUNT_PACKETS);
    int64_t below = 0;
    wi_csv *csv;
    const weir_status status = wi_csv_open(r->diag, r->folder, "latency.csv", columns, 4, &csv);
    for (uint32_t i = 0; status == WEIR_OK && i < IC_LATENCY_BINS; i++) {
        const int64_t n = gained(r, r->now, zero, IC_LATENCY + i);
        below += n;
        if (!n)
            continue;
        wi_csv_seconds(csv, ic_latency_bin_low(i));
        wi_csv_seconds(csv, ic_latency_bin_low(i + 1));
        wi_csv_u64(csv, (uint64_t)n);
        wi_csv_double(csv, (double)below / (double)all);
    }
    return status == WEIR_OK ? wi_csv_close(r->diag, csv) : status;
}

static weir_status write_pairs(const wi_ic_results *r)
{
    static const wi_csv_column columns[] = {{"source", WI_CSV_U64},
                                            {"target", WI_CSV_U64},
                                            {"packets", WI_CSV_U64},
                                            {"latency_mean_s", WI_CSV_DOUBLE}};
    const ic_world *w = wi_ic_world(r->ic);
    wi_csv *csv;
    if (!r->asked->per_pair)
        return WEIR_OK;
    const weir_status status = wi_csv_open(r->diag, r->folder, "pairs.csv", columns, 4, &csv);
    for (uint32_t s = 0; status == WEIR_OK && s < w->n_terminals; s++)
        for (uint32_t t = 0; t < w->n_terminals; t++) {
            const int64_t *c = r->now + ic_pair_counters(w, ((uint64_t)s * w->n_terminals + t) * w->classes);
            int64_t packets = 0, latency_ps = 0;
            for (uint32_t k = 0; k < w->classes; k++, c += w->pair) {
                packets += c[IC_PAIR_PACKETS];
                latency_ps += c[IC_PAIR_LATENCY];
            }
            if (!packets)
                continue;
            wi_csv_u64(csv, s);
            wi_csv_u64(csv, t);
            wi_csv_u64(csv, (uint64_t)packets);
            wi_csv_double(csv, 1e-12 * share(latency_ps, packets));
        }
    return status == WEIR_OK ? wi_csv_close(r->diag, csv) : status;
}

static weir_status write_switches(const wi_ic_results *r)
{
    static const wi_csv_column columns[] = {{"time_s", WI_CSV_SECONDS},
                                            {"to", WI_CSV_TEXT},
                                            {"reason", WI_CSV_TEXT},
                                            {"latency_old_s", WI_CSV_DOUBLE},
                                            {"latency_new_s", WI_CSV_DOUBLE},
                                            {"buffered_old_bytes", WI_CSV_DOUBLE},
                                            {"buffered_new_bytes", WI_CSV_DOUBLE},
                                            {"packets_per_s", WI_CSV_DOUBLE},
                                            {"delivered_per_s", WI_CSV_DOUBLE},
                                            {"backlog_growth", WI_CSV_DOUBLE},
                                            {"shift", WI_CSV_DOUBLE}};
    size_t n = 0;
    wi_csv *csv;
    if (!r->director)
        return WEIR_OK;
    const wi_decision *log = wi_director_log(r->director, &n);
    const double bytes = wi_ic_world(r->ic)->chunk_bytes;
    const weir_status status =
        wi_csv_open(r->diag, r->folder, "switches.csv", columns, sizeof columns / sizeof columns[0], &csv);
    for (size_t i = 0; status == WEIR_OK && i < n; i++) {
        wi_csv_seconds(csv, log[i].at_ps);
        wi_csv_text(csv, log[i].round ? "surrogate" : "network");
        wi_csv_text(csv, log[i].reason);
        wi_csv_double(csv, log[i].latency_old_s);
        wi_csv_double(csv, log[i].latency_new_s);
        wi_csv_double(csv, log[i].occupancy_old * bytes);
        wi_csv_double(csv, log[i].occupancy_new * bytes);
        wi_csv_double(csv, log[i].packets_per_s);
        wi_csv_double(csv, log[i].delivered_per_s);
        wi_csv_double(csv, log[i].backlog_growth);
        wi_csv_double(csv, log[i].shift);
    }
    return status == WEIR_OK ? wi_csv_close(r->diag, csv) : status;
}

weir_status wi_ic_results_finish(wi_ic_results *r)
{
    if (!r->folder)
        return WEIR_OK;
    weir_status status = write_jobs(r);
    if (status == WEIR_OK)
        status = write_terminals(r);
    if (status == WEIR_OK)
        status = write_latency(r);
    if (status == WEIR_OK)
        status = write_pairs(r);
    if (status == WEIR_OK)
        status = write_switches(r);
    if (status == WEIR_OK)
        status = wi_ic_programs_write(r);
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

static void put_real(json_t *o, const char *key, double value)
{
    json_object_set_new(o, key, wi_json_real(value));
}

/* Figures of a block of counters, [IC_COUNTERS]. */
static void put_figures(const wi_ic_results *r, json_t *o, const int64_t *c)
{
    const ic_world *w = wi_ic_world(r->ic);
    put_count(o, "messages", c[IC_COUNT_MESSAGES]);
    put_count(o, "packets", c[IC_COUNT_PACKETS]);
    put_real(o, "throughput_Bps", (double)c[IC_COUNT_CHUNKS] * w->chunk_bytes / span_of(r));
    json_t *latency = json_object();
    put_real(latency, "mean_s", 1e-12 * share(c[IC_COUNT_LATENCY], c[IC_COUNT_PACKETS]));
    put_real(latency, "p50_s", wi_ic_quantile_s(c + IC_LATENCY, 0.5));
    put_real(latency, "p90_s", wi_ic_quantile_s(c + IC_LATENCY, 0.9));
    put_real(latency, "p99_s", wi_ic_quantile_s(c + IC_LATENCY, 0.99));
    put_real(latency, "sd_s",
             sqrt(variance_s2(c[IC_COUNT_PACKETS], c[IC_COUNT_LATENCY], c[IC_COUNT_SQUARES])));
    json_object_set_new(o, "latency", latency);
    json_t *total = json_object();
    put_real(total, "mean_s", 1e-12 * share(c[IC_COUNT_TOTAL], c[IC_COUNT_TOTAL_PACKETS]));
    put_real(total, "sd_s",
             sqrt(variance_s2(c[IC_COUNT_TOTAL_PACKETS], c[IC_COUNT_TOTAL], c[IC_COUNT_TOTAL_SQUARES])));
    json_object_set_new(o, "total_latency", total);
    put_real(o, "waited_mean_s",
             1e-12 * share(c[IC_COUNT_WAITED], c[IC_COUNT_INJECTED] + c[IC_COUNT_PREDICTED]));
    put_real(o, "hops_mean", share(c[IC_COUNT_HOPS], c[IC_COUNT_PACKETS]));
    put_real(o, "non_minimal_share", share(c[IC_COUNT_DETOURS], c[IC_COUNT_PACKETS]));
}

static json_t *surrogate_figures(const wi_ic_results *r, const int64_t *c)
{
    size_t n = 0;
    const wi_decision *log = wi_director_log(r->director, &n);
    json_t *o = json_object(), *list = json_array();
    put_real(o, "time_s", weir_seconds(wi_director_round_ps(r->director, weir_sim_now(r->sim))));
    put_count(o, "packets_predicted", c[IC_COUNT_PREDICTED]);
    put_count(o, "zombies_discarded", c[IC_COUNT_ZOMBIES]);
    for (size_t i = 0; i < n; i++) {
        json_t *d = json_object();
        put_real(d, "time_s", weir_seconds(log[i].at_ps));
        json_object_set_new(d, "to", json_string(log[i].round ? "surrogate" : "network"));
        json_object_set_new(d, "reason", json_string(log[i].reason));
        put_real(d, "latency_old_s", log[i].latency_old_s);
        put_real(d, "latency_new_s", log[i].latency_new_s);
        put_real(d, "buffered_old_bytes", log[i].occupancy_old * wi_ic_world(r->ic)->chunk_bytes);
        put_real(d, "buffered_new_bytes", log[i].occupancy_new * wi_ic_world(r->ic)->chunk_bytes);
        put_real(d, "packets_per_s", log[i].packets_per_s);
        put_real(d, "delivered_per_s", log[i].delivered_per_s);
        put_real(d, "backlog_growth", log[i].backlog_growth);
        put_real(d, "shift", log[i].shift);
        json_array_append_new(list, d);
    }
    json_object_set_new(o, "switches", list);
    return o;
}

void wi_ic_results_summarise(const wi_ic_results *r, json_t *summary)
{
    const ic_world *w = wi_ic_world(r->ic);
    int64_t *all = calloc(IC_COUNTERS, sizeof *all);
    json_t *o = json_object(), *jobs = json_array();
    for (uint32_t j = 0; all && j <= w->n_jobs; j++)
        for (uint32_t i = 0; i < IC_COUNTERS; i++)
            all[i] += r->now[(size_t)j * IC_COUNTERS + i];
    put_count(o, "terminals", w->n_terminals);
    put_count(o, "routers", w->n_routers);
    if (all) {
        put_figures(r, o, all);
        const double most = 8e12 * (double)w->chunk_bytes / (double)w->class_[IC_TERMINAL].chunk_ps / 8.0;
        put_real(o, "throughput_share",
                 (double)all[IC_COUNT_CHUNKS] * w->chunk_bytes / span_of(r) / (most * w->n_terminals));
    }
    for (uint32_t j = 0; j < w->n_jobs; j++) {
        json_t *job = json_object();
        json_object_set_new(job, "name", json_string(name_of(r, j)));
        put_count(job, "ranks", IC_TABLE(w, ic_job_world, w->jobs_at)[j].n_ranks);
        put_figures(r, job, r->now + (size_t)j * IC_COUNTERS);
        wi_ic_programs_summarise(r, j, job);
        json_array_append_new(jobs, job);
    }
    json_object_set_new(o, "jobs", jobs);
    if (r->director && all)
        json_object_set_new(o, "surrogate", surrogate_figures(r, all));
    json_object_set_new(summary, "interconnect", o);
    free(all);
}

void wi_ic_results_tell(FILE *out, const json_t *summary)
{
    const json_t *k = json_object_get(summary, "interconnect"), *latency = json_object_get(k, "latency");
    const json_t *surrogate = json_object_get(k, "surrogate");
    char a[WI_FIGURE], b[WI_FIGURE], c[WI_FIGURE], d[WI_FIGURE], e[WI_FIGURE];
    fprintf(out, "  %-13s %s terminals, %s routers, %s packets\n", "network",
            wi_figure_unit(a, wi_number_of(k, "terminals"), ""),
            wi_figure_unit(b, wi_number_of(k, "routers"), ""),
            wi_figure_unit(c, wi_number_of(k, "packets"), ""));
    fprintf(out, "  %-13s %s, %s of what terminals can take\n", "throughput",
            wi_figure_unit(a, wi_number_of(k, "throughput_Bps"), "B/s"),
            wi_figure_percent(b, wi_number_of(k, "throughput_share")));
    fprintf(out, "  %-13s %s mean, %s p50, %s p99\n", "latency",
            wi_figure_duration(a, wi_number_of(latency, "mean_s")),
            wi_figure_duration(b, wi_number_of(latency, "p50_s")),
            wi_figure_duration(c, wi_number_of(latency, "p99_s")));
    fprintf(out, "  %-13s %s routers a packet, %s not minimal\n", "paths",
            wi_figure_decimals(a, wi_number_of(k, "hops_mean"), 2),
            wi_figure_percent(b, wi_number_of(k, "non_minimal_share")));
    size_t i;
    json_t *job;
    json_array_foreach(json_object_get(k, "jobs"), i, job)
    {
        const json_t *program = json_object_get(job, "program"),
                     *message = json_object_get(program, "message_latency");
        if (!program)
            continue;
        const double stuck = wi_number_of(program, "ranks_deadlocked");
        fprintf(out, "  %-13s %s of %s ranks ended, %s%s%s an iteration, %s a message\n",
                json_string_value(json_object_get(job, "name")),
                wi_figure_unit(a, wi_number_of(program, "ranks_ended"), ""),
                wi_figure_unit(b, wi_number_of(job, "ranks"), ""),
                stuck > 0 ? wi_figure_unit(e, stuck, "") : "", stuck > 0 ? " in a deadlock, " : "",
                wi_figure_duration(c, wi_number_of(program, "iteration_mean_s")),
                wi_figure_duration(d, wi_number_of(message, "mean_s")));
    }
    if (surrogate)
        fprintf(out, "  %-13s %s round the network, %s packets, %s switches\n", "surrogate",
                wi_figure_duration(a, wi_number_of(surrogate, "time_s")),
                wi_figure_unit(b, wi_number_of(surrogate, "packets_predicted"), ""),
                wi_figure_unit(c, (double)json_array_size(json_object_get(surrogate, "switches")), ""));
}
