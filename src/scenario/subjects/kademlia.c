/* Kademlia as a scenario's subject. */
#include "subject/subject.h"

#include <stdlib.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "models/kademlia/stats.h"
#include "output/csv.h"
#include "subject/subject.h"

typedef struct kademlia_asked {
    kad_params params;      /* seed and run are the scenario's */
    weir_place churn_place; /* file null: peers stay */
} kademlia_asked;

static const wi_word shapes[] = {
    {"constant", KAD_LATENCY_CONSTANT, "always the mean"},
    {"uniform", KAD_LATENCY_UNIFORM, "evenly from the least to twice the mean less the least"},
    {"exponential", KAD_LATENCY_EXPONENTIAL, "the least plus an exponential part"},
};
static const wi_word draws[] = {
    {"message", false, "anew for each message"},
    {"pair", true, "once for each pair of peers, the same both ways"},
};
static const wi_word rejoins[] = {
    {"stale", false, "with the table and values that they left with"},
    {"fresh", true, "with nothing: they join through a random peer"},
};

static const wi_key latency_keys[] = {
    WI_KEY("min", time, kademlia_asked, params.latency_min_ps, .fallback = "10ms", .above = "0s",
           .high = "10d", .also = "lookahead", .doc = "least latency of a message; the engines' lookahead"),
    WI_KEY("mean", time, kademlia_asked, params.latency_mean_ps, .fallback = "60ms", .high = "10d",
           .doc = "mean latency, `min` included"),
    WI_KEY("shape", word, kademlia_asked, params.latency_shape, .fallback = "exponential", WI_WORDS(shapes),
           .also = "distribution", .doc = "how it is distributed"),
    WI_KEY("per", word, kademlia_asked, params.latency_per_pair, .fallback = "message", WI_WORDS(draws),
           .doc = "when it is drawn"),
};
static const wi_section latency_section = WI_SECTION("latency", latency_keys, kademlia_asked);

static const wi_key churn_keys[] = {
    WI_KEY("online", time, kademlia_asked, params.online_ps, .required = true, .above = "0s", .high = "10d",
           .doc = "mean time that a peer stays"),
    WI_KEY("offline", time, kademlia_asked, params.offline_ps, .required = true, .above = "0s", .high = "10d",
           .doc = "mean time that it is away"),
    WI_KEY("shape", number, kademlia_asked, params.session_shape, .fallback = "1", .low = "0.1", .high = "10",
           .doc = "of the Weibull distribution of both; 1 is exponential, less has many short sessions and a "
                  "few long ones"),
    WI_KEY("rejoin", word, kademlia_asked, params.fresh, .fallback = "stale", WI_WORDS(rejoins),
           .doc = "how peers come back"),
};
static const wi_section churn_section = WI_SECTION("churn", churn_keys, kademlia_asked);

static const wi_key value_keys[] = {
    WI_KEY("keys", count, kademlia_asked, params.n_values, .fallback = "0", .also = "number n",
           .doc = "values that there are to be stored and found"),
    WI_KEY("find", share, kademlia_asked, params.find_share, .fallback = "0%",
           .doc = "share of lookups that look for a value, each of the `keys` alike"),
    WI_KEY("store", share, kademlia_asked, params.store_share, .fallback = "0%",
           .doc = "share of lookups that store one at the k closest peers; the rest look for a random node"),
    WI_KEY("slots", count, kademlia_asked, params.value_slots, .fallback = "16", .low = "1", .high = "255",
           .doc = "values that a peer holds; the oldest gives way"),
    WI_KEY("preload", bool, kademlia_asked, params.preload, .fallback = "true",
           .doc = "values lie at the k peers closest to their keys when the run starts"),
};
static const wi_section value_section = WI_SECTION("values", value_keys, kademlia_asked);

/* The sections above describe members of the same struct, so they stand at offset 0 of it. */
static const wi_key keys[] = {
    WI_KEY("peers", count, kademlia_asked, params.n_peers, .fallback = "1024", .low = "2",
           .high = "1073741824", .also = "nodes entities", .doc = "peers"),
    WI_KEY("k", count, kademlia_asked, params.k, .fallback = "8", .low = "1", .high = "20", .also = "bucket",
           .doc = "contacts of a bucket, and of an answer; a lookup ends when the k closest have answered"),
    WI_KEY("alpha", count, kademlia_asked, params.alpha, .fallback = "3", .low = "1", .high = "8",
           .also = "parallel", .doc = "requests of a lookup that are under way at once"),
    WI_KEY("lookups", count, kademlia_asked, params.lookups, .fallback = "1", .low = "1", .high = "8",
           .doc = "lookups of a peer at once"),
    WI_KEY("think", time, kademlia_asked, params.think_ps, .fallback = "10s", .high = "10d",
           .also = "d_max dmax pause",
           .doc = "longest pause between a lookup and the next; pauses are uniform from 0 on"),
    WI_KEY("timeout", time, kademlia_asked, params.timeout_ps, .fallback = "1s", .high = "10d",
           .doc = "time after which a request is not waited for; at least twice `latency.min`"),
    WI_KEY("retries", count, kademlia_asked, params.retries, .fallback = "1", .high = "10",
           .doc = "how often a request is sent again before its peer counts as failed"),
    WI_KEY("bootstrap", time, kademlia_asked, params.bootstrap_ps, .fallback = "0s", .high = "10d",
           .also = "join",
           .doc = "time over which peers join, one after the other; 0s: all are there with full tables"),
    WI_PART("latency", latency_section, .always = true, .also = "delay",
            .doc = "one-way latency of messages"),
    WI_PART("churn", churn_section, .place_offset = offsetof(kademlia_asked, churn_place),
            .unset = "peers stay", .doc = "peers come and go"),
    WI_PART("values", value_section, .always = true, .doc = "what is stored and looked for"),
};

static void check_keys(wi_reader *r, const wi_node *node, void *at)
{
    const kad_params *p = &((const kademlia_asked *)at)->params;
    const wi_node *latency = wi_node_child(node, "latency"), *values = wi_node_child(node, "values");
    if (p->latency_mean_ps < p->latency_min_ps)
        wi_complain(r, latency ? wi_place_of(latency, "mean") : wi_place_of(node, "latency"),
                    "latency.mean is less than latency.min");
    if (p->timeout_ps < 2 * p->latency_min_ps)
        wi_complain(r, wi_place_of(node, "timeout"),
                    "timeout is less than twice latency.min: nothing could be answered in time");
    if (p->find_share + p->store_share > 1.0)
        wi_complain(r, wi_place_of(values, "store"), "values: find and store add up to more than 100%%");
    if (p->find_share + p->store_share > 0.0 && p->n_values == 0)
        wi_complain(r, wi_place_of(values, "find"),
                    "values: there is nothing to find or store; want keys: 1 or more");
}

static kad_params params_of(const weir_scenario *scenario)
{
    const kademlia_asked *asked = wi_model_params(scenario);
    kad_params p = asked->params;
    p.seed = scenario->seed;
    p.run = scenario->run;
    if (!asked->churn_place.file)
        p.session_shape = 1.0;
    return p;
}

static weir_status estimate(const wi_subject *self, weir_diag *diag, const weir_scenario *scenario,
                            const void *made, weir_estimate *out)
{
    (void)self;
    (void)diag, (void)made;
    const kad_params p = params_of(scenario);
    uint64_t world_bytes;
    uint32_t state_bytes;
    wi_kad_sizes(&p, &world_bytes, &state_bytes);
    /* A peer has a planned lookup or a timer and up to alpha messages, and where peers come and go one more. */
    const uint64_t event_bytes = sizeof(weir_event) + kad_response_bytes(p.k) + 16;
    const uint64_t events = p.lookups * (1 + p.alpha) + (p.online_ps > 0);
    out->entities = p.n_peers;
    out->memory_bytes = world_bytes + p.n_peers * (state_bytes + sizeof(weir_entity) + 2 * sizeof(weir_time) +
                                                   events * event_bytes);
    return WEIR_OK;
}

/* ---- results ---- */

typedef struct kad_results {
    const wi_kad *kad;
    const wi_subject_run *run;
    struct {
        int64_t warm[KAD_COUNTERS], last[KAD_COUNTERS]; /* at the end of the warm-up; at the last sample */
    } kept;
    int64_t now[KAD_COUNTERS]; /* since the end of the warm-up */
} kad_results;

typedef struct kademlia_subject {
    wi_kad *kad;
    kad_results results;
} kademlia_subject;

static const wi_result_column series_columns[] = {
    WI_SAMPLE("lookups_per_s", "1/s", "lookups that finished"),
    WI_SAMPLE("requests_per_s", "1/s", "requests sent"),
    WI_SAMPLE("timeouts_per_s", "1/s", "requests that nobody answered in time"),
    WI_SAMPLE("success", "1", "share of lookups after which nobody was closer to the key"),
    WI_SAMPLE("found", "1", "share of lookups for a value that found it"),
    WI_SAMPLE("latency_mean_s", "s", "mean duration of lookups"),
    WI_SAMPLE("online_peers", "1", "peers online"),
};
static const wi_result_table series = WI_RESULT(SERIES, "network", series_columns);
enum { COLUMNS = sizeof series_columns / sizeof *series_columns };

/* ---- samples ---- */

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

static int64_t online_peers(const weir_sim *sim)
{
    const int64_t *c = weir_sim_counters(sim);
    return c[KAD_COUNT_ONLINE_FIRST] + c[KAD_COUNT_WENT_ONLINE] - c[KAD_COUNT_WENT_OFFLINE];
}

static weir_status append(kad_results *r, const wi_subject_run *run)
{
    const double span_s = wi_since_sample_s(run);
    int64_t *since = r->now; /* free until the end */
    if (!run->table)
        return WEIR_OK;
    difference(weir_sim_counters(run->sim), r->kept.last, since);
    const kad_totals t = wi_kad_totals(since);
    memcpy(r->kept.last, weir_sim_counters(run->sim), sizeof r->kept.last);
    return wi_subject_append(
        run,
        (const double[COLUMNS]){(double)t.finished / span_s, (double)since[KAD_COUNT_REQUESTS] / span_s,
                                (double)since[KAD_COUNT_TIMEOUTS] / span_s, share(t.succeeded, t.judged),
                                share(t.found, t.sought), 1e-6 * share(since[KAD_COUNT_TOOK_US], t.finished),
                                (double)online_peers(run->sim)});
}

static weir_status sample(void *made, wi_subject_run *run, wi_moment moment)
{
    kad_results *const r = &((kademlia_subject *)made)->results;
    r->run = run;
    if (moment == WI_AT_WARM)
        memcpy(r->kept.warm, weir_sim_counters(run->sim), sizeof r->kept.warm);
    if (moment == WI_AT_NOW)
        difference(weir_sim_counters(run->sim), r->kept.warm, r->now);
    return moment == WI_AT_SAMPLE ? append(r, run) : WEIR_OK;
}

/* ---- tables ---- */

/* Of lookups, by a number of theirs. */
#define NUMBERS(X, name, doc)                                                                       \
    X(U64, name, "", i, doc), X(U64, "lookups", "", (uint64_t)bin[i], "lookups that took so many"), \
        X(DOUBLE, "cumulative_share", "1", (double)below / (double)all,                             \
          "share of lookups that took no more")
#define HOPS(X) NUMBERS(X, "hops", "peers asked one after the other")
#define REQUESTS(X) NUMBERS(X, "requests", "requests of a lookup")
static const wi_result_column hops_columns[] = {HOPS(WI_COLUMN)}, requests_columns[] = {REQUESTS(WI_COLUMN)};

static weir_status put_numbers(wi_csv *csv, const int64_t *bin, uint32_t bins)
{
    int64_t all = 0, below = 0;
    uint32_t last = 0;
    for (uint32_t i = 0; i < bins; i++) {
        all += bin[i];
        last = bin[i] ? i : last;
    }
    for (uint32_t i = 0; all && i <= last; i++) {
        below += bin[i];
        wi_csv_row(csv, (const wi_cell[]){HOPS(WI_CELL)});
    }
    return WEIR_OK;
}

static weir_status put_hops(const void *results, wi_csv *csv)
{
    return put_numbers(csv, ((const kad_results *)results)->now + KAD_HOPS, KAD_HOPS_BINS);
}

static weir_status put_requests(const void *results, wi_csv *csv)
{
    return put_numbers(csv, ((const kad_results *)results)->now + KAD_LOOKUP_REQUESTS, KAD_REQUEST_BINS);
}

static const wi_result_table hops_table = WI_ROWS("hops.csv", hops_columns, put_hops),
                             requests_table = WI_ROWS("requests.csv", requests_columns, put_requests);

#define LATENCY(X)                                                                                      \
    X(SECONDS, "from_s", "s", kad_latency_bin_low(i),                                                   \
      "durations from this one on; bins are 1.6 % wide, 1 ns below 128 ns"),                            \
        X(SECONDS, "to_s", "s", kad_latency_bin_low(i + 1), "and before this one"),                     \
        X(U64, "lookups", "", (uint64_t)bin[i], "lookups that took so long; bins of none have no row"), \
        X(DOUBLE, "cumulative_share", "1", (double)below / (double)all,                                 \
          "share of lookups that took no longer")
static const wi_result_column latency_columns[] = {LATENCY(WI_COLUMN)};

static weir_status put_latency(const void *results, wi_csv *csv)
{
    const int64_t *bin = ((const kad_results *)results)->now + KAD_LATENCY;
    int64_t all = 0, below = 0;
    for (uint32_t i = 0; i < KAD_LATENCY_BINS; i++)
        all += bin[i];
    for (uint32_t i = 0; i < KAD_LATENCY_BINS; i++) {
        below += bin[i];
        if (bin[i])
            wi_csv_row(csv, (const wi_cell[]){LATENCY(WI_CELL)});
    }
    return WEIR_OK;
}
static const wi_result_table latency_table = WI_ROWS("latency.csv", latency_columns, put_latency);

#define BUCKETS(X)                                                                                      \
    X(U64, "bucket", "", b, "number of the bucket, from 0"),                                            \
        X(DOUBLE, "peers_in_range", "", buckets[b].range, "peers that could stand in it, in the mean"), \
        X(DOUBLE, "contacts_mean", "", buckets[b].mean, "contacts in it, in the mean over peers"),      \
        X(DOUBLE, "full_share", "1", buckets[b].full, "share of peers whose bucket is full")
static const wi_result_column bucket_columns[] = {BUCKETS(WI_COLUMN)};

static weir_status put_buckets(const void *results, wi_csv *csv)
{
    const kad_results *r = results;
    const uint32_t n = wi_kad_world(r->kad)->n_buckets;
    WI_FREED kad_occupancy *buckets = malloc(n * sizeof *buckets);
    if (!buckets)
        return weir_fail(r->run->diag, WEIR_E_NOMEM, "no memory for the occupancy of buckets");
    wi_kad_occupancy(r->kad, r->run->sim, buckets);
    for (uint32_t b = 0; b < n; b++)
        wi_csv_row(csv, (const wi_cell[]){BUCKETS(WI_CELL)});
    return WEIR_OK;
}
static const wi_result_table buckets_table = WI_ROWS("buckets.csv", bucket_columns, put_buckets);

/* ---- summary.json ---- */

typedef struct numbers {
    double mean, p50, p90, p99, max;
} numbers;

#define OF_LOOKUP(X, name, n, what)                                                                    \
    X(DOUBLE, name "/mean", "", n.mean, what " of a lookup"), X(DOUBLE, name "/p50", "", n.p50, NULL), \
        X(DOUBLE, name "/p90", "", n.p90, NULL), X(DOUBLE, name "/p99", "", n.p99, NULL),              \
        X(DOUBLE, name "/max", "", n.max, NULL)
#define SUMMARY(X)                                                                                           \
    X(U64, "peers", "", w->n_peers, "peers"),                                                                \
        X(U64, "online_peers", "", (uint64_t)online_peers(run->sim), "peers online now"),                    \
        X(U64, "lookups/started", "", (uint64_t)t.started, "lookups that began"),                            \
        X(U64, "lookups/finished", "", (uint64_t)t.finished, "that ended"),                                  \
        X(U64, "lookups/aborted", "", (uint64_t)t.aborted, "whose peer went offline"),                       \
        X(DOUBLE, "lookups/per_s", "1/s", (double)t.finished / wi_since_warm_s(run), "that ended a second"), \
        X(DOUBLE, "lookups/success", "1", share(t.succeeded, t.judged),                                      \
          "share after which nobody online was closer to the key"),                                          \
        X(DOUBLE, "lookups/closest_of_all", "1", share(t.exact, t.judged),                                   \
          "share after which nobody was closer, online or not"),                                             \
        X(DOUBLE, "lookups/values_found", "1", share(t.found, t.sought),                                     \
          "share of lookups for a value that found it"),                                                     \
        X(U64, "lookups/joins", "", (uint64_t)c[kad_kind_counter(KAD_JOIN, KAD_FINISHED)],                   \
          "lookups by which peers joined"),                                                                  \
        X(U64, "lookups/refreshes", "", (uint64_t)c[kad_kind_counter(KAD_REFRESH, KAD_FINISHED)],            \
          "lookups that refreshed a bucket"),                                                                \
        OF_LOOKUP(X, "hops", hops, "peers asked one after the other"),                                       \
        OF_LOOKUP(X, "requests", asked, "requests"),                                                         \
        X(DOUBLE, "latency/mean_s", "s", 1e-6 * share(c[KAD_COUNT_TOOK_US], t.finished),                     \
          "duration of a lookup: the mean to a microsecond, quantiles within 1 %"),                          \
        X(DOUBLE, "latency/p50_s", "s", wi_kad_latency_quantile_s(c, 0.5), NULL),                            \
        X(DOUBLE, "latency/p90_s", "s", wi_kad_latency_quantile_s(c, 0.9), NULL),                            \
        X(DOUBLE, "latency/p99_s", "s", wi_kad_latency_quantile_s(c, 0.99), NULL),                           \
        X(U64, "messages/requests", "", (uint64_t)c[KAD_COUNT_REQUESTS], "requests sent"),                   \
        X(U64, "messages/responses", "", (uint64_t)c[KAD_COUNT_RESPONSES], "answers that came in time"),     \
        X(U64, "messages/timeouts", "", (uint64_t)c[KAD_COUNT_TIMEOUTS], "requests that were given up"),     \
        X(U64, "messages/abandoned", "", (uint64_t)c[KAD_COUNT_ABANDONED],                                   \
          "requests of lookups that ended before"),                                                          \
        X(U64, "messages/late", "", (uint64_t)c[KAD_COUNT_LATE], "answers that came too late"),              \
        X(U64, "messages/met_offline_peers", "", (uint64_t)c[KAD_COUNT_UNANSWERED],                          \
          "requests to peers that were offline, or had not joined yet"),                                     \
        X(U64, "messages/stores", "", (uint64_t)c[KAD_COUNT_STORED], "values sent to be stored"),            \
        X(DOUBLE, "messages/per_lookup", "", share(messages, t.finished),                                    \
          "messages over lookups that ended; those of joins and refreshes are in here too: the price of "    \
          "the network"),                                                                                    \
        X(U64, "tables/buckets", "", w->n_buckets, "buckets of a table"),                                    \
        X(DOUBLE, "tables/contacts_mean", "", mean_contacts(w, run->sim), "contacts of a table"),            \
        X(U64, "tables/evicted", "", (uint64_t)c[KAD_COUNT_EVICTED], "contacts that failed and went"),       \
        X(U64, "tables/replaced", "", (uint64_t)c[KAD_COUNT_REPLACED],                                       \
          "contacts that another took the place of")
static const wi_result_column columns[] = {SUMMARY(WI_COLUMN)};
static const wi_result_table summary = WI_RESULT(SUMMARY, "kademlia", columns);
static const wi_result_table *const results[] = {
    &summary, &hops_table, &requests_table, &latency_table, &buckets_table, &series, NULL};

static numbers numbers_of(const int64_t *bin, uint32_t bins)
{
    return (numbers){wi_kad_mean(bin, bins), wi_kad_quantile(bin, bins, 0.5), wi_kad_quantile(bin, bins, 0.9),
                     wi_kad_quantile(bin, bins, 0.99), wi_kad_quantile(bin, bins, 1.0)};
}

static double mean_contacts(const kad_world *w, const weir_sim *sim)
{
    double contacts = 0.0;
    for (uint32_t e = 0; e < w->n_peers; e++)
        contacts += ((const kad_peer *)weir_sim_state(sim, e))->contacts;
    return contacts / w->n_peers;
}

static void summarise(const kad_results *r, const wi_subject_run *run, json_t *into)
{
    const int64_t *c = r->now;
    const kad_world *w = wi_kad_world(r->kad);
    const kad_totals t = wi_kad_totals(c);
    const int64_t messages =
        c[KAD_COUNT_REQUESTS] + c[KAD_COUNT_RESPONSES] + c[KAD_COUNT_LATE] + c[KAD_COUNT_STORED];
    const numbers hops = numbers_of(c + KAD_HOPS, KAD_HOPS_BINS),
                  asked = numbers_of(c + KAD_LOOKUP_REQUESTS, KAD_REQUEST_BINS);
    wi_result_put(into, &summary, (const wi_cell[]){SUMMARY(WI_CELL)}, 0);
}

/* ---- the subject ---- */

static weir_status build(const wi_subject *self, weir_diag *diag, const weir_scenario *scenario, void *made)
{
    (void)self;
    kademlia_subject *s = made;
    const kad_params params = params_of(scenario);
    if (params.bootstrap_ps > scenario->output.warmup_ps)
        weir_warn_at(
            diag, WEIR_AT(scenario->model.place),
            "kademlia: peers join until %g s, and those that have not count as online and as missed by "
            "lookups; want output.warmup: %gs or more",
            weir_seconds(params.bootstrap_ps), weir_seconds(params.bootstrap_ps));
    const weir_status status = wi_kad_new(diag, &params, &s->kad);
    s->results.kad = s->kad;
    return status;
}

static void release(void *made)
{
    wi_kad_free(((kademlia_subject *)made)->kad);
}

static void set_up(void *made, weir_setup *setup)
{
    wi_kad_setup(((kademlia_subject *)made)->kad, setup);
}

static weir_status check(void *made, const wi_subject_run *run)
{
    return wi_kad_check(run->diag, ((const kademlia_subject *)made)->kad, run->sim);
}

static weir_status result(void *made, wi_subject_run *run, wi_purpose purpose, json_t *into)
{
    const kad_results *r = &((const kademlia_subject *)made)->results;
    if (purpose == WI_FOR_SUMMARY)
        summarise(r, run, into);
    return purpose == WI_FOR_FILES && run->to.folder ? wi_csv_write(run->diag, run->to.folder, results, r)
                                                     : WEIR_OK;
}

static const wi_line lines[] = {
    {"  lookups       {lookups.finished} of {peers} peers, {lookups.success:%} successful"},
    {"  means         {hops.mean:.2} hops, {requests.mean:.1} requests, {messages.per_lookup:.1} messages a "
     "lookup"},
    {"  latency       {latency.p50_s} p50, {latency.p90_s} p90, {latency.p99_s} p99"},
};
static const char *const usual[] = {"kademlia.lookups.success", "kademlia.latency.p50_s",
                                    "kademlia.messages.per_lookup", NULL};

const wi_subject wi_subject_kademlia = WI_SUBJECT(
    "peers", kademlia_subject, WI_READS_COUNTERS,
    WI_SECTION("kademlia", keys, kademlia_asked,
               .doc = "A distributed hash table in which peers look up keys. See [kademlia.md](kademlia.md).",
               .check = check_keys),
    .sample = sample, WI_KEPT(kademlia_subject, results.kept), .series = &series, .results = results,
    .usual = usual, WI_LINES(lines));
