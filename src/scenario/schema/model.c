/* Keys of `model`: what is simulated instead of the packet network. */
#include "scenario/schema/schema.h"

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

typedef weir_scenario_phold phold_t;
static const wi_key phold_keys[] = {
    {.name = "entities",
     .kind = &wi_kind_count,
     .offset = offsetof(phold_t, entities),
     .fallback = "1024",
     .low = "1",
     .high = "2147483647",
     .also = "nodes lps",
     .doc = "entities"},
    {.name = "events",
     .kind = &wi_kind_count,
     .offset = offsetof(phold_t, events),
     .fallback = "1",
     .high = "65535",
     .also = "population",
     .doc = "events that each entity starts with; their number never changes"},
    {.name = "remote",
     .kind = &wi_kind_share,
     .offset = offsetof(phold_t, remote),
     .fallback = "50%",
     .doc = "share of events that go to another entity"},
    {.name = "lookahead",
     .kind = &wi_kind_time,
     .offset = offsetof(phold_t, lookahead_ps),
     .fallback = "1us",
     .above = "0s",
     .high = "10d",
     .doc = "least delay of an event"},
    {.name = "mean",
     .kind = &wi_kind_time,
     .offset = offsetof(phold_t, mean_ps),
     .fallback = "1us",
     .high = "10d",
     .doc = "mean of the exponential part of the delay"},
};

static void check_phold(wi_reader *r, const wi_node *node, void *at)
{
    const phold_t *p = at;
    if (p->entities == 1 && p->remote > 0.0)
        wi_complain(r, wi_place_of(node, "remote"),
                    "remote: a single entity has nobody to send to; want 0%%, or more entities");
}

static const wi_section phold_section = {
    .name = "phold",
    .doc = "PHOLD, the standard benchmark of parallel engines: events hop between entities. "
           "See [phold.md](phold.md).",
    .keys = phold_keys,
    .n_keys = N_OF(phold_keys),
    .place_offset = offsetof(phold_t, place),
    .check = check_phold,
};

static const wi_word shapes[] = {
    {"constant", WEIR_SC_LATENCY_CONSTANT, "always the mean"},
    {"uniform", WEIR_SC_LATENCY_UNIFORM, "evenly from the least to twice the mean less the least"},
    {"exponential", WEIR_SC_LATENCY_EXPONENTIAL, "the least plus an exponential part"},
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

typedef weir_scenario_kademlia kademlia_t;

static const wi_key latency_keys[] = {
    {.name = "min",
     .kind = &wi_kind_time,
     .offset = offsetof(kademlia_t, latency.min_ps),
     .fallback = "10ms",
     .above = "0s",
     .high = "10d",
     .also = "lookahead",
     .doc = "least latency of a message; the engines' lookahead"},
    {.name = "mean",
     .kind = &wi_kind_time,
     .offset = offsetof(kademlia_t, latency.mean_ps),
     .fallback = "60ms",
     .high = "10d",
     .doc = "mean latency, `min` included"},
    {.name = "shape",
     .kind = &wi_kind_word,
     .offset = offsetof(kademlia_t, latency.shape),
     .words = &shape_words,
     .fallback = "exponential",
     .also = "distribution",
     .doc = "how it is distributed"},
    {.name = "per",
     .kind = &wi_kind_word,
     .offset = offsetof(kademlia_t, latency.per_pair),
     .words = &draw_words,
     .fallback = "message",
     .doc = "when it is drawn"},
};
static const wi_section latency_section = {
    .name = "latency", .keys = latency_keys, .n_keys = N_OF(latency_keys)};

static const wi_key churn_keys[] = {
    {.name = "online",
     .kind = &wi_kind_time,
     .offset = offsetof(kademlia_t, churn.online_ps),
     .required = true,
     .above = "0s",
     .high = "10d",
     .doc = "mean time that a peer stays"},
    {.name = "offline",
     .kind = &wi_kind_time,
     .offset = offsetof(kademlia_t, churn.offline_ps),
     .required = true,
     .above = "0s",
     .high = "10d",
     .doc = "mean time that it is away"},
    {.name = "shape",
     .kind = &wi_kind_number,
     .offset = offsetof(kademlia_t, churn.shape),
     .fallback = "1",
     .low = "0.1",
     .high = "10",
     .doc =
         "of the Weibull distribution of both; 1 is exponential, less has many short sessions and a few long "
         "ones"},
    {.name = "rejoin",
     .kind = &wi_kind_word,
     .offset = offsetof(kademlia_t, churn.fresh),
     .words = &rejoin_words,
     .fallback = "stale",
     .doc = "how peers come back"},
};
static const wi_section churn_section = {.name = "churn", .keys = churn_keys, .n_keys = N_OF(churn_keys)};

static const wi_key value_keys[] = {
    {.name = "keys",
     .kind = &wi_kind_count,
     .offset = offsetof(kademlia_t, values.keys),
     .fallback = "0",
     .also = "number n",
     .doc = "values that there are to be stored and found"},
    {.name = "find",
     .kind = &wi_kind_share,
     .offset = offsetof(kademlia_t, values.find),
     .fallback = "0%",
     .doc = "share of lookups that look for a value, each of the `keys` alike"},
    {.name = "store",
     .kind = &wi_kind_share,
     .offset = offsetof(kademlia_t, values.store),
     .fallback = "0%",
     .doc = "share of lookups that store one at the k closest peers; the rest look for a random node"},
    {.name = "slots",
     .kind = &wi_kind_count,
     .offset = offsetof(kademlia_t, values.slots),
     .fallback = "16",
     .low = "1",
     .high = "255",
     .doc = "values that a peer holds; the oldest gives way"},
    {.name = "preload",
     .kind = &wi_kind_bool,
     .offset = offsetof(kademlia_t, values.preload),
     .fallback = "true",
     .doc = "values lie at the k peers closest to their keys when the run starts"},
};
static const wi_section value_section = {.name = "values", .keys = value_keys, .n_keys = N_OF(value_keys)};

/* The sections above describe members of the same struct, so they stand at offset 0 of it. */
static const wi_key kademlia_keys[] = {
    {.name = "peers",
     .kind = &wi_kind_count,
     .offset = offsetof(kademlia_t, peers),
     .fallback = "1024",
     .low = "2",
     .high = "1073741824",
     .also = "nodes entities",
     .doc = "peers"},
    {.name = "k",
     .kind = &wi_kind_count,
     .offset = offsetof(kademlia_t, k),
     .fallback = "8",
     .low = "1",
     .high = "20",
     .also = "bucket",
     .doc = "contacts of a bucket, and of an answer; a lookup ends when the k closest have answered"},
    {.name = "alpha",
     .kind = &wi_kind_count,
     .offset = offsetof(kademlia_t, alpha),
     .fallback = "3",
     .low = "1",
     .high = "8",
     .also = "parallel",
     .doc = "requests of a lookup that are under way at once"},
    {.name = "lookups",
     .kind = &wi_kind_count,
     .offset = offsetof(kademlia_t, lookups),
     .fallback = "1",
     .low = "1",
     .high = "8",
     .doc = "lookups of a peer at once"},
    {.name = "think",
     .kind = &wi_kind_time,
     .offset = offsetof(kademlia_t, think_ps),
     .fallback = "10s",
     .high = "10d",
     .also = "d_max dmax pause",
     .doc = "longest pause between a lookup and the next; pauses are uniform from 0 on"},
    {.name = "timeout",
     .kind = &wi_kind_time,
     .offset = offsetof(kademlia_t, timeout_ps),
     .fallback = "1s",
     .high = "10d",
     .doc = "time after which a request is not waited for; at least `latency.min`"},
    {.name = "retries",
     .kind = &wi_kind_count,
     .offset = offsetof(kademlia_t, retries),
     .fallback = "1",
     .high = "10",
     .doc = "how often a request is sent again before its peer counts as failed"},
    {.name = "bootstrap",
     .kind = &wi_kind_time,
     .offset = offsetof(kademlia_t, bootstrap_ps),
     .fallback = "0s",
     .high = "10d",
     .also = "join",
     .doc = "time over which peers join, one after the other; 0s: all are there with full tables"},
    {.name = "latency",
     .kind = &wi_kind_section,
     .section = &latency_section,
     .always = true,
     .also = "delay",
     .doc = "one-way latency of messages"},
    {.name = "churn",
     .kind = &wi_kind_section,
     .section = &churn_section,
     .place_offset = offsetof(kademlia_t, churn.place),
     .unset = "peers stay",
     .doc = "peers come and go"},
    {.name = "values",
     .kind = &wi_kind_section,
     .section = &value_section,
     .always = true,
     .doc = "what is stored and looked for"},
};

static bool kademlia_hides(const wi_key *key, const void *at)
{
    return key->section == &churn_section && !((const kademlia_t *)at)->churn.place.file;
}

static void check_kademlia(wi_reader *r, const wi_node *node, void *at)
{
    const kademlia_t *k = at;
    const wi_node *latency = wi_node_child(node, "latency"), *values = wi_node_child(node, "values");
    if (k->latency.mean_ps < k->latency.min_ps)
        wi_complain(r, latency ? wi_place_of(latency, "mean") : wi_place_of(node, "latency"),
                    "latency.mean is less than latency.min");
    if (k->timeout_ps < k->latency.min_ps)
        wi_complain(r, wi_place_of(node, "timeout"),
                    "timeout is less than latency.min: nothing could be answered in time");
    if (k->values.find + k->values.store > 1.0)
        wi_complain(r, wi_place_of(values, "store"), "values: find and store add up to more than 100%%");
    if (k->values.find + k->values.store > 0.0 && k->values.keys == 0)
        wi_complain(r, wi_place_of(values, "find"),
                    "values: there is nothing to find or store; want keys: 1 or more");
}

static const wi_section kademlia_section = {
    .name = "kademlia",
    .doc = "A distributed hash table in which peers look up keys. See [kademlia.md](kademlia.md).",
    .keys = kademlia_keys,
    .n_keys = N_OF(kademlia_keys),
    .place_offset = offsetof(kademlia_t, place),
    .hides = kademlia_hides,
    .check = check_kademlia,
};

typedef weir_scenario_model model_t;
static const wi_key model_keys[] = {
    {.name = "phold",
     .kind = &wi_kind_section,
     .offset = offsetof(model_t, phold),
     .section = &phold_section,
     .unset = "another model",
     .doc = "benchmark of engines"},
    {.name = "kademlia",
     .kind = &wi_kind_section,
     .offset = offsetof(model_t, kademlia),
     .section = &kademlia_section,
     .also = "dht",
     .unset = "another model",
     .doc = "peer-to-peer lookups"},
};

static bool model_hides(const wi_key *key, const void *at)
{
    const model_t *m = at;
    return key->section == &phold_section ? !m->phold.place.file : !m->kademlia.place.file;
}

static void check_model(wi_reader *r, const wi_node *node, void *at)
{
    model_t *m = at;
    if (!node || node->n != 1) {
        wi_complain(r, node ? node->place : (weir_place){0},
                    "model: want one of phold and kademlia, such as model: {kademlia: {peers: 1000}}");
        return;
    }
    m->type = m->phold.place.file ? WEIR_SC_MODEL_PHOLD : WEIR_SC_MODEL_KADEMLIA;
}

const wi_section wi_section_model = {
    .name = "model",
    .doc =
        "A model that brings its own entities, instead of a packet network (`topology`, `routing`, `traffic` "
        "and `fluid` are\nthen left out).",
    .keys = model_keys,
    .n_keys = N_OF(model_keys),
    .hides = model_hides,
    .check = check_model,
    .place_offset = offsetof(model_t, place),
};
