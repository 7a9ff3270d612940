/* An interconnect's results: jobs, terminals and latencies as CSV, time series, the figures of summary.json. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/csv.h"
#include "base/memory.h"
#include "scenario/subjects/interconnect/interconnect.h"

enum { ROUTERS_SERIES_MAX = 4096 };

static const wi_result_column network_columns[] = {
    WI_SAMPLE("packets_per_s", "1/s", "packets delivered"),
    WI_SAMPLE("throughput_Bps", "bytes/s", "bytes delivered, in whole chunks"),
    WI_SAMPLE("latency_mean_s", "s",
              "from the first chunk's start into the network to the delivery of the last"),
    WI_SAMPLE("waited_mean_s", "s", "in the terminal before that, from when the message was due"),
    WI_SAMPLE("hops_mean", "1", "routers of a packet's way"),
    WI_SAMPLE("non_minimal_share", "1", "share of packets by a way that is not minimal"),
    WI_SAMPLE("predicted_share", "1", "share of packets that went round the network"),
    WI_SAMPLE("latency_variance_s2", "s2", "of `latency_mean_s`"),
    WI_SAMPLE("total_latency_mean_s", "s", "wait (35 minutes at most) and latency, of packets delivered"),
    WI_SAMPLE("total_latency_variance_s2", "s2", "of the same"),
};
enum { COLUMNS = sizeof network_columns / sizeof *network_columns };
static const wi_result_column router_columns[] = {
    WI_SAMPLE("buffered_bytes", "bytes", "in the buffers of a router; up to 4,096 routers")};
const wi_result_table wi_ic_series = WI_RESULT(SERIES, "network", network_columns);
static const wi_result_table router_series = WI_RESULT(SERIES, "routers", router_columns);

static weir_status add_routers(wi_ic_results *r, const wi_subject_run *run)
{
    const uint32_t n = wi_ic_world(r->ic)->n_routers;
    if (!run->series || n > ROUTERS_SERIES_MAX)
        return WEIR_OK;
    char(*text)[16] = malloc(n * sizeof *text);
    WI_FREED const char **names = malloc(n * sizeof *names);
    weir_status status = text && names
                             ? WEIR_OK
                             : weir_fail(run->diag, WEIR_E_NOMEM, "no memory for the names of %u routers", n);
    for (uint32_t i = 0; status == WEIR_OK && i < n; i++) {
        snprintf(text[i], sizeof text[i], "r%u", i);
        names[i] = text[i];
    }
    if (status == WEIR_OK)
        status = wi_series_table_add(run->diag, run->series, &router_series, names, n, &r->routers);
    free(text);
    return status;
}

weir_status wi_ic_results_open(wi_ic_results *r, wi_subject_run *run)
{
    const uint32_t n_routers = wi_ic_world(r->ic)->n_routers;
    weir_setup setup;
    wi_ic_setup(r->ic, &setup);
    r->run = run;
    r->n_counters = setup.n_counters;
    r->warm = wi_take(&r->memory, r->n_counters, sizeof *r->warm);
    r->now = wi_take(&r->memory, r->n_counters, sizeof *r->now);
    r->last = wi_take(&r->memory, r->n_counters, sizeof *r->last);
    r->row = wi_take(&r->memory, n_routers, sizeof *r->row);
    r->router_entities = wi_take(&r->memory, n_routers, sizeof *r->router_entities);
    if (r->memory.failed)
        return weir_fail(run->diag, WEIR_E_NOMEM, "no memory for an interconnect's results");
    for (uint32_t i = 0; i < n_routers; i++)
        r->router_entities[i] = wi_ic_world(r->ic)->n_terminals + i;
    const weir_status status = add_routers(r, run);
    run->want.counters = true;
    run->want.entity = r->router_entities;
    run->want.n_entities = r->routers ? n_routers : 0;
    return status;
}

void wi_ic_results_end(wi_ic_results *r)
{
    free(r->stuck);
    wi_owned_free(&r->memory);
}

/* ---- looking ---- */

void wi_ic_results_warm(wi_ic_results *r, const wi_subject_run *run)
{
    memcpy(r->warm, weir_sim_counters(run->sim), r->n_counters * sizeof *r->warm);
}

void wi_ic_results_look(wi_ic_results *r, const wi_subject_run *run)
{
    const int64_t *c = weir_sim_counters(run->sim);
    for (uint64_t i = 0; i < r->n_counters; i++)
        r->now[i] = c[i] - r->warm[i];
}

/* a / b; NaN, an empty cell, where b is 0. */
static double share(int64_t a, int64_t b)
{
    return b ? (double)a / (double)b : (double)NAN;
}

static double mean_s(int64_t n, const int64_t *counter, const int64_t *carry)
{
    return wi_ic_mean_s(n, *counter, *carry);
}

/* Variance of n latencies, by the counters of their sum and of their squares, which follow it. Deviations are
 * from the mean in whole picoseconds and in whole numbers: where latencies are nearly alike a difference of
 * doubles would be nothing but their rounding. */
static double variance_s2(int64_t n, const int64_t *sum, const int64_t *carry)
{
    typedef unsigned __int128 wide; /* what wraps in between comes back */
    if (n <= 0)
        return (double)NAN;
    const wide all = (wide)wi_ic_sum_ps(*sum, *carry), mean = all / (wide)n, rest = all % (wide)n;
    const wide squares = ((wide)sum[1] << 64) + ((wide)sum[2] << 32) + (wide)sum[3],
               off = squares - (wide)n * mean * mean - 2 * mean * rest;
    return 1e-24 * ((double)off - (double)rest * (double)rest / (double)n) / (double)n;
}

/* What a counter has gained between two looks, over all jobs. */
static int64_t gained(const wi_ic_results *r, const int64_t *now, const int64_t *before, uint32_t what)
{
    int64_t sum = 0;
    for (uint32_t j = 0; j <= wi_ic_world(r->ic)->n_jobs; j++)
        sum += now[(size_t)j * IC_COUNTERS + what] - before[(size_t)j * IC_COUNTERS + what];
    return sum;
}

weir_status wi_ic_results_sample(wi_ic_results *r, const wi_subject_run *run)
{
    const ic_world *w = wi_ic_world(r->ic);
    const double span_s = wi_since_sample_s(run);
    const int64_t *c = weir_sim_counters(run->sim);
    if (!run->table)
        return WEIR_OK;
    int64_t g[IC_LATENCY], carry[IC_LATENCY];
    for (uint32_t i = 0; i < IC_LATENCY; i++) {
        g[i] = gained(r, c, r->last, i);
        carry[i] = gained(r, c, r->last, IC_CARRY + i);
    }
    const int64_t packets = g[IC_COUNT_PACKETS], ways = packets - g[IC_COUNT_AROUND],
                  total = g[IC_COUNT_TOTAL_PACKETS], sent = g[IC_COUNT_INJECTED] + g[IC_COUNT_PREDICTED];
    const double row[COLUMNS] = {(double)packets / span_s,
                                 (double)g[IC_COUNT_CHUNKS] * w->chunk_bytes / span_s,
                                 mean_s(packets, g + IC_COUNT_LATENCY, carry + IC_COUNT_LATENCY),
                                 mean_s(sent, g + IC_COUNT_WAITED, carry + IC_COUNT_WAITED),
                                 share(g[IC_COUNT_HOPS], ways),
                                 share(g[IC_COUNT_DETOURS], ways),
                                 share(g[IC_COUNT_PREDICTED], sent),
                                 variance_s2(packets, g + IC_COUNT_LATENCY, carry + IC_COUNT_LATENCY),
                                 mean_s(total, g + IC_COUNT_TOTAL, carry + IC_COUNT_TOTAL),
                                 variance_s2(total, g + IC_COUNT_TOTAL, carry + IC_COUNT_TOTAL)};
    memcpy(r->last, c, r->n_counters * sizeof *r->last);
    weir_status status = wi_subject_append(run, row);
    for (uint32_t i = 0; i < w->n_routers && r->routers; i++)
        r->row[i] = (double)((const ic_router *)weir_sim_state(run->sim, w->n_terminals + i))->waiting *
                    w->chunk_bytes;
    if (status == WEIR_OK && r->routers)
        status = wi_series_append(run->diag, r->routers, weir_sim_now(run->sim), r->row);
    return status;
}

static const char *name_of(const wi_ic_results *r, uint32_t job)
{
    return job < r->asked->n_jobs ? r->asked->jobs[job].job.name : "none";
}

/* ---- figures of a job, and of all ---- */

typedef struct job_row {
    const char *job;
    uint64_t terminals, routers, ranks, messages, packets, bytes;
    double throughput_Bps, mean_s, p50_s, p90_s, p99_s, sd_s, total_mean_s, total_sd_s, waited_mean_s,
        hops_mean, non_minimal_share, throughput_share;
} job_row;

#define JOBS(X)                                                                                           \
    X(TEXT, "job", "", row.job, "name of the job"),                                                       \
        WI_JOB_FIGURES(X, "messages sent", "delivered, in whole chunks"),                                 \
        X(U64, "packets", "packets", row.packets, "packets delivered"),                                   \
        X(DOUBLE, "throughput_Bps", "bytes/s", row.throughput_Bps, "bytes delivered, in whole chunks"),   \
        X(DOUBLE, "latency_mean_s", "s", row.mean_s,                                                      \
          "from the first chunk's start into the network to the delivery of the last"),                   \
        X(DOUBLE, "latency_p50_s", "s", row.p50_s, "from bins 3 % wide, 1 ns below 64 ns"),               \
        X(DOUBLE, "latency_p99_s", "s", row.p99_s, NULL),                                                 \
        X(DOUBLE, "terminal_wait_mean_s", "s", row.waited_mean_s,                                         \
          "in the terminal before that, from when the message was due; `waited_mean_s` of summary.json"), \
        X(DOUBLE, "hops_mean", "1", row.hops_mean, "routers of a packet's way"),                          \
        X(DOUBLE, "non_minimal_share", "1", row.non_minimal_share,                                        \
          "share of packets by a way that is not minimal")
static const wi_result_column job_columns[] = {JOBS(WI_COLUMN)};

enum { OF_ALL = 1, OF_JOB = 2 };
#define SUMMARY(X)                                                                                          \
    X(U64, "terminals", "", row.terminals, "terminals", OF_ALL),                                            \
        X(U64, "routers", "", row.routers, "routers", OF_ALL),                                              \
        X(TEXT, "name", "", row.job, "of each of `jobs`: its name", OF_JOB),                                \
        X(U64, "ranks", "", row.ranks, "of each of `jobs`: its ranks", OF_JOB),                             \
        X(U64, "messages", "", row.messages, "messages sent"),                                              \
        X(U64, "packets", "packets", row.packets, "packets delivered"),                                     \
        X(DOUBLE, "throughput_Bps", "bytes/s", row.throughput_Bps, "bytes delivered, in whole chunks"),     \
        X(DOUBLE, "latency/mean_s", "s", row.mean_s,                                                        \
          "from the first chunk's start into the network to the delivery of the last"),                     \
        X(DOUBLE, "latency/p50_s", "s", row.p50_s, "from bins 3 % wide, 1 ns below 64 ns"),                 \
        X(DOUBLE, "latency/p90_s", "s", row.p90_s, NULL), X(DOUBLE, "latency/p99_s", "s", row.p99_s, NULL), \
        X(DOUBLE, "latency/sd_s", "s", row.sd_s, "standard deviation"),                                     \
        X(DOUBLE, "total_latency/mean_s", "s", row.total_mean_s,                                            \
          "wait (35 minutes at most) and latency, of packets delivered"),                                   \
        X(DOUBLE, "total_latency/sd_s", "s", row.total_sd_s, "standard deviation"),                         \
        X(DOUBLE, "waited_mean_s", "s", row.waited_mean_s,                                                  \
          "in the terminal before, from when the message was due"),                                         \
        X(DOUBLE, "hops_mean", "1", row.hops_mean, "routers of a packet's way"),                            \
        X(DOUBLE, "non_minimal_share", "1", row.non_minimal_share,                                          \
          "share of packets by a way that is not minimal"),                                                 \
        X(DOUBLE, "throughput_share", "1", row.throughput_share, "share of what terminals can take", OF_ALL)
static const wi_result_column summary_columns[] = {SUMMARY(WI_COLUMN)};
static const wi_result_table summary_table = WI_RESULT(SUMMARY, "interconnect", summary_columns);

/* Of a block of counters, [IC_COUNTERS]. */
static job_row figures_of(const wi_ic_results *r, const wi_subject_run *run, const int64_t *c)
{
    const ic_world *w = wi_ic_world(r->ic);
    const int64_t packets = c[IC_COUNT_PACKETS], total = c[IC_COUNT_TOTAL_PACKETS],
                  sent = c[IC_COUNT_INJECTED] + c[IC_COUNT_PREDICTED], *carry = c + IC_CARRY;
    const double bytes_per_s = (double)c[IC_COUNT_CHUNKS] * w->chunk_bytes / wi_since_warm_s(run);
    const double most = 8e12 * (double)w->chunk_bytes / (double)w->class_[IC_TERMINAL].chunk_ps / 8.0;
    return (job_row){.terminals = w->n_terminals,
                     .routers = w->n_routers,
                     .messages = (uint64_t)c[IC_COUNT_MESSAGES],
                     .packets = (uint64_t)packets,
                     .bytes = (uint64_t)c[IC_COUNT_CHUNKS] * w->chunk_bytes,
                     .throughput_Bps = bytes_per_s,
                     .mean_s = mean_s(packets, c + IC_COUNT_LATENCY, carry + IC_COUNT_LATENCY),
                     .p50_s = wi_ic_quantile_s(c + IC_LATENCY, 0.5),
                     .p90_s = wi_ic_quantile_s(c + IC_LATENCY, 0.9),
                     .p99_s = wi_ic_quantile_s(c + IC_LATENCY, 0.99),
                     .sd_s = sqrt(variance_s2(packets, c + IC_COUNT_LATENCY, carry + IC_COUNT_LATENCY)),
                     .total_mean_s = mean_s(total, c + IC_COUNT_TOTAL, carry + IC_COUNT_TOTAL),
                     .total_sd_s = sqrt(variance_s2(total, c + IC_COUNT_TOTAL, carry + IC_COUNT_TOTAL)),
                     .waited_mean_s = mean_s(sent, c + IC_COUNT_WAITED, carry + IC_COUNT_WAITED),
                     .hops_mean = share(c[IC_COUNT_HOPS], packets - c[IC_COUNT_AROUND]),
                     .non_minimal_share = share(c[IC_COUNT_DETOURS], packets - c[IC_COUNT_AROUND]),
                     .throughput_share = bytes_per_s / (most * w->n_terminals)};
}

static job_row job_figures(const wi_ic_results *r, const wi_subject_run *run, uint32_t j)
{
    const ic_world *w = wi_ic_world(r->ic);
    job_row row = figures_of(r, run, r->now + (size_t)j * IC_COUNTERS);
    row.job = name_of(r, j);
    row.ranks = IC_TABLE(w, ic_job_world, w->jobs_at)[j].n_ranks;
    return row;
}

static weir_status put_jobs(const void *results, wi_csv *csv)
{
    const wi_ic_results *r = results;
    for (uint32_t j = 0; j < wi_ic_world(r->ic)->n_jobs; j++) {
        const job_row row = job_figures(r, r->run, j);
        wi_job_figures got = wi_ic_job_figures(r, r->run->sim, j), *const figures = &got;
        got.messages = row.messages;
        got.bytes = row.bytes;
        wi_csv_row(csv, (const wi_cell[]){JOBS(WI_CELL)});
    }
    return WEIR_OK;
}
static const wi_result_table jobs_table = WI_ROWS("jobs.csv", job_columns, put_jobs);

/* ---- the other tables ---- */

#define TERMINALS(X)                                                                                   \
    X(U64, "terminal", "", t, "number of the terminal"),                                               \
        X(U64, "router", "", IC_TABLE(w, uint32_t, w->terminal_at)[t], "the router that it hangs on"), \
        X(TEXT, "job", "", name_of(r, IC_TABLE(w, uint32_t, w->terminal_job_at)[t]),                   \
          "the job whose rank it holds; `none`"),                                                      \
        X(U64, "packets_sent", "packets", s->packets, "from the start of the run, as the next"),       \
        X(U64, "packets_received", "packets", s->received, NULL),                                      \
        X(U64, "bytes_sent", "bytes", s->chunks_sent * w->chunk_bytes, "in whole chunks"),             \
        X(U64, "bytes_received", "bytes", s->chunks_received * w->chunk_bytes, NULL)
static const wi_result_column terminal_columns[] = {TERMINALS(WI_COLUMN)};

static weir_status put_terminals(const void *results, wi_csv *csv)
{
    const wi_ic_results *r = results;
    const ic_world *w = wi_ic_world(r->ic);
    for (uint32_t t = 0; t < w->n_terminals; t++) {
        const ic_terminal *s = weir_sim_state(r->run->sim, t);
        wi_csv_row(csv, (const wi_cell[]){TERMINALS(WI_CELL)});
    }
    return WEIR_OK;
}
static const wi_result_table terminals_table = WI_ROWS("terminals.csv", terminal_columns, put_terminals);

#define LATENCY(X)                                                                                        \
    X(SECONDS, "from_s", "s", ic_latency_bin_low(i),                                                      \
      "latencies from this one on; bins are 3 % wide, 1 ns below 64 ns"),                                 \
        X(SECONDS, "to_s", "s", ic_latency_bin_low(i + 1), "and before this one"),                        \
        X(U64, "packets", "packets", (uint64_t)n, "packets of such a latency; bins of none have no row"), \
        X(DOUBLE, "cumulative_share", "1", (double)below / (double)all, "share of packets with no more")
static const wi_result_column latency_columns[] = {LATENCY(WI_COLUMN)};

static weir_status put_latency(const void *results, wi_csv *csv)
{
    const wi_ic_results *r = results;
    const int64_t *zero = r->last; /* free at the end */
    memset(r->last, 0, r->n_counters * sizeof *r->last);
    const int64_t all = gained(r, r->now, zero, IC_COUNT_PACKETS);
    int64_t below = 0;
    for (uint32_t i = 0; i < IC_LATENCY_BINS; i++) {
        const int64_t n = gained(r, r->now, zero, IC_LATENCY + i);
        below += n;
        if (n)
            wi_csv_row(csv, (const wi_cell[]){LATENCY(WI_CELL)});
    }
    return WEIR_OK;
}
static const wi_result_table latency_table = WI_ROWS("latency.csv", latency_columns, put_latency);

#define PAIRS(X)                                                                                 \
    X(U64, "source", "", s, "terminal"), X(U64, "target", "", t, "terminal"),                    \
        X(U64, "packets", "packets", (uint64_t)packets, "delivered; pairs of none have no row"), \
        X(DOUBLE, "latency_mean_s", "s", mean,                                                   \
          "of these packets; empty where they could sum up to 2^63 ps, 106 days")
static const wi_result_column pair_columns[] = {PAIRS(WI_COLUMN)};

/* Of a pair of terminals, over the classes of size; no packet took longer than `most_s`. */
static void put_pair(const wi_ic_results *r, wi_csv *csv, uint32_t s, uint32_t t, double most_s)
{
    const ic_world *w = wi_ic_world(r->ic);
    const int64_t *c = r->now + ic_pair_counters(w, ((uint64_t)s * w->n_terminals + t) * w->classes);
    int64_t packets = 0, latency_ps = 0;
    for (uint32_t k = 0; k < w->classes; k++, c += w->pair) {
        packets += c[IC_PAIR_PACKETS];
        latency_ps += c[IC_PAIR_LATENCY];
    }
    const bool fits = (double)packets * most_s < weir_seconds(WEIR_TIME_MAX);
    const double mean = fits ? 1e-12 * share(latency_ps, packets) : (double)NAN;
    if (packets)
        wi_csv_row(csv, (const wi_cell[]){PAIRS(WI_CELL)});
}

static weir_status put_pairs(const void *results, wi_csv *csv)
{
    const wi_ic_results *r = results;
    const uint32_t n = wi_ic_world(r->ic)->n_terminals, jobs = wi_ic_world(r->ic)->n_jobs;
    uint32_t bins = 0; /* up to the last in use */
    for (uint32_t j = 0; j <= jobs; j++)
        for (uint32_t i = bins; i < IC_LATENCY_BINS; i++)
            bins = r->now[(size_t)j * IC_COUNTERS + IC_LATENCY + i] ? i + 1 : bins;
    for (uint32_t s = 0; s < n; s++)
        for (uint32_t t = 0; t < n; t++)
            put_pair(r, csv, s, t, weir_seconds(ic_latency_bin_low(bins)));
    return WEIR_OK;
}

static bool has_pairs(const void *results)
{
    return ((const wi_ic_results *)results)->asked->params.per_pair;
}
static const wi_result_table pairs_table = WI_ROWS("pairs.csv", pair_columns, put_pairs, has_pairs);

#define SWITCHES(X)                                                                                 \
    X(SECONDS, "time_s", "s", d->at_ps, "when it switched"),                                        \
        X(TEXT, "to", "", d->round ? "surrogate" : "network", "`surrogate` or `network`"),          \
        X(TEXT, "reason", "", d->reason, "why"),                                                    \
        X(DOUBLE, "latency_old_s", "s", d->latency_old_s,                                           \
          "mean of the older half of the batches, of the newer next to it"),                        \
        X(DOUBLE, "latency_new_s", "s", d->latency_new_s, NULL),                                    \
        X(DOUBLE, "buffered_old_bytes", "bytes", bytes * d->occupancy_old, "likewise, in buffers"), \
        X(DOUBLE, "buffered_new_bytes", "bytes", bytes * d->occupancy_new, NULL),                   \
        X(DOUBLE, "packets_per_s", "1/s", d->packets_per_s, "packets sent"),                        \
        X(DOUBLE, "delivered_per_s", "1/s", d->delivered_per_s, "packets delivered"),               \
        X(DOUBLE, "backlog_growth", "1", d->backlog_growth,                                         \
          "growth of the terminals' backlogs, over what was sent"),                                 \
        X(DOUBLE, "shift", "1", d->shift, "by how much the figures differ from those tracked")
static const wi_result_column switch_columns[] = {SWITCHES(WI_COLUMN)};

static weir_status put_switches(const void *results, wi_csv *csv)
{
    const wi_ic_results *r = results;
    size_t n = 0;
    const wi_decision *log = wi_director_log(r->director, &n);
    const double bytes = wi_ic_world(r->ic)->chunk_bytes;
    for (const wi_decision *d = log; d < log + n; d++)
        wi_csv_row(csv, (const wi_cell[]){SWITCHES(WI_CELL)});
    return WEIR_OK;
}

static bool has_switches(const void *results)
{
    return ((const wi_ic_results *)results)->director != NULL;
}
static const wi_result_table switches_table =
                                 WI_ROWS("switches.csv", switch_columns, put_switches, has_switches),
                             switches_summary =
                                 WI_RESULT(SUMMARY, "interconnect.surrogate.switches", switch_columns);

/* ---- summary.json ---- */

#define SURROGATE(X)                                                                                   \
    X(DOUBLE, "time_s", "s", weir_seconds(wi_director_round_ps(r->director, weir_sim_now(run->sim))),  \
      "simulated time round the network"),                                                             \
        X(U64, "packets_predicted", "packets", (uint64_t)c[IC_COUNT_PREDICTED], "that went round it"), \
        X(U64, "zombies_discarded", "packets", (uint64_t)c[IC_COUNT_ZOMBIES],                          \
          "that came back to be in the way, and were received by nobody")
static const wi_result_column surrogate_columns[] = {SURROGATE(WI_COLUMN)};
static const wi_result_table surrogate_table =
    WI_RESULT(SUMMARY, "interconnect.surrogate", surrogate_columns);
const wi_result_table *const wi_ic_tables[] = {&summary_table,     &surrogate_table,
                                               &switches_summary,  &wi_ic_program_summary,
                                               &jobs_table,        &terminals_table,
                                               &latency_table,     &pairs_table,
                                               &switches_table,    &wi_ic_actions_table,
                                               &wi_ic_ranks_table, &wi_ic_series,
                                               &router_series,     NULL};

static json_t *surrogate_figures(const wi_ic_results *r, const wi_subject_run *run, const int64_t *c)
{
    size_t n = 0;
    const wi_decision *log = wi_director_log(r->director, &n);
    json_t *list = json_array();
    json_t *o = wi_result_object(&surrogate_table, (const wi_cell[]){SURROGATE(WI_CELL)}, 0);
    const double bytes = wi_ic_world(r->ic)->chunk_bytes;
    for (const wi_decision *d = log; d < log + n; d++)
        json_array_append_new(list,
                              wi_result_object(&switches_summary, (const wi_cell[]){SWITCHES(WI_CELL)}, 0));
    json_object_set_new(o, "switches", list);
    return o;
}

void wi_ic_results_summarise(const wi_ic_results *r, const wi_subject_run *run, json_t *into)
{
    const ic_world *w = wi_ic_world(r->ic);
    WI_FREED int64_t *all = calloc(IC_COUNTERS, sizeof *all);
    json_t *jobs = json_array();
    for (uint32_t j = 0; all && j <= w->n_jobs; j++)
        for (uint32_t i = 0; i < IC_COUNTERS; i++)
            all[i] += r->now[(size_t)j * IC_COUNTERS + i];
    if (all) {
        const job_row row = figures_of(r, run, all);
        wi_result_put(into, &summary_table, (const wi_cell[]){SUMMARY(WI_CELL)}, OF_ALL);
    }
    for (uint32_t j = 0; j < w->n_jobs; j++) {
        const job_row row = job_figures(r, run, j);
        json_t *job = wi_result_object(&summary_table, (const wi_cell[]){SUMMARY(WI_CELL)}, OF_JOB);
        wi_ic_programs_summarise(r, run, j, job);
        json_array_append_new(jobs, job);
    }
    json_object_set_new(into, "jobs", jobs);
    if (r->director && all)
        json_object_set_new(into, "surrogate", surrogate_figures(r, run, all));
}
