/* Kademlia as a scenario's subject. */
#include "scenario/subject/subject.h"

#include <stdlib.h>

#include "scenario/subjects/kademlia_results.h"

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

typedef struct kademlia_subject {
    wi_kad *kad;
    wi_kad_results results;
} kademlia_subject;

typedef struct kademlia_asked {
    kad_params params; /* seed and run are the scenario's */
    int per_pair, fresh;
    weir_place churn_place; /* file null: peers stay */
    weir_place place;
} kademlia_asked;

static const wi_word shapes[] = {
    {"constant", KAD_LATENCY_CONSTANT, "always the mean"},
    {"uniform", KAD_LATENCY_UNIFORM, "evenly from the least to twice the mean less the least"},
    {"exponential", KAD_LATENCY_EXPONENTIAL, "the least plus an exponential part"},
};
static const wi_words shape_words = {shapes, N_OF(shapes)};
static const wi_word draws[] = {
    {"message", false, "anew for each message"},
    {"pair", true, "once for each pair of peers, the same both ways"},
};
static const wi_words draw_words = {draws, N_OF(draws)};
static const wi_word rejoins[] = {
    {"stale", false, "with the table and values that they left with"},
    {"fresh", true, "with nothing: they join through a random peer"},
};
static const wi_words rejoin_words = {rejoins, N_OF(rejoins)};

static const wi_key latency_keys[] = {
    WI_KEY("min", time, kademlia_asked, params.latency_min_ps, .fallback = "10ms", .above = "0s",
           .high = "10d", .also = "lookahead", .doc = "least latency of a message; the engines' lookahead"),
    WI_KEY("mean", time, kademlia_asked, params.latency_mean_ps, .fallback = "60ms", .high = "10d",
           .doc = "mean latency, `min` included"),
    WI_KEY("shape", word, kademlia_asked, params.latency_shape, .fallback = "exponential",
           .words = &shape_words, .also = "distribution", .doc = "how it is distributed"),
    WI_KEY("per", word, kademlia_asked, per_pair, .fallback = "message", .words = &draw_words,
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
    WI_KEY("rejoin", word, kademlia_asked, fresh, .fallback = "stale", .words = &rejoin_words,
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
           .doc = "time after which a request is not waited for; at least `latency.min`"),
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
    if (p->timeout_ps < p->latency_min_ps)
        wi_complain(r, wi_place_of(node, "timeout"),
                    "timeout is less than latency.min: nothing could be answered in time");
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
    p.latency_per_pair = asked->per_pair;
    p.fresh = asked->fresh;
    if (!asked->churn_place.file)
        p.session_shape = 1.0;
    return p;
}

static weir_status estimate(weir_diag *diag, const weir_scenario *scenario, const void *made,
                            weir_estimate *out)
{
    (void)made;
    const kad_params p = params_of(scenario);
    uint64_t world_bytes;
    uint32_t state_bytes;
    const weir_status status = wi_kad_sizes(diag, &p, &world_bytes, &state_bytes);
    if (status != WEIR_OK)
        return status;
    /* A peer has a planned lookup or a timer and up to alpha messages, and where peers come and go one more. */
    const uint64_t event_bytes = sizeof(weir_event) + kad_response_bytes(p.k) + 16;
    const uint64_t events = p.lookups * (1 + p.alpha) + (p.online_ps > 0);
    out->entities = p.n_peers;
    out->memory_bytes = world_bytes + p.n_peers * (state_bytes + sizeof(weir_entity) + 2 * sizeof(weir_time) +
                                                   events * event_bytes);
    return WEIR_OK;
}

static weir_status build(weir_diag *diag, const weir_scenario *scenario, void *made)
{
    kademlia_subject *s = made;
    const kad_params params = params_of(scenario);
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

static weir_status sample(void *made, wi_subject_run *run, wi_moment moment)
{
    return wi_kad_results_sample(&((kademlia_subject *)made)->results, run, moment);
}

static weir_status check(void *made, const wi_subject_run *run)
{
    return wi_kad_check(run->diag, ((const kademlia_subject *)made)->kad, run->sim);
}

static weir_status result(void *made, wi_subject_run *run, wi_purpose purpose, json_t *into)
{
    const wi_kad_results *r = &((const kademlia_subject *)made)->results;
    if (purpose == WI_FOR_SUMMARY)
        wi_kad_results_summarise(r, run, into);
    return purpose == WI_FOR_FILES ? wi_kad_results_write(r, run) : WEIR_OK;
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
               .place_offset = offsetof(kademlia_asked, place), .check = check_keys),
    .sample = sample, WI_KEPT(kademlia_subject, results.kept), .series = &wi_kad_series,
    .results = wi_kad_tables, .usual = usual, WI_LINES(lines));
