/* PHOLD as a scenario's subject: its results are its events and their rate. */
#include "models/phold/phold.h"
#include "subject/uniform.h"

static const wi_key keys[] = {
    WI_KEY("entities", count, phold_params, n_entities, .fallback = "1024", .low = "1", .high = "2147483647",
           .also = "nodes lps", .doc = "entities"),
    WI_KEY("events", count, phold_params, events_per_entity, .fallback = "1", .high = "65535",
           .also = "population", .doc = "events that each entity starts with; their number never changes"),
    WI_KEY("remote", share, phold_params, remote_share, .fallback = "50%",
           .doc = "share of events that go to another entity"),
    WI_KEY("lookahead", time, phold_params, lookahead_ps, .fallback = "1us", .above = "0s", .high = "10d",
           .doc = "least delay of an event"),
    WI_KEY("mean", time, phold_params, mean_ps, .fallback = "1us", .high = "10d",
           .doc = "mean of the exponential part of the delay"),
};

static void check_keys(wi_reader *r, const wi_node *node, void *at)
{
    const phold_params *p = at;
    if (p->n_entities == 1 && p->remote_share > 0.0)
        wi_complain(r, wi_place_of(node, "remote"),
                    "remote: a single entity has nobody to send to; want 0%%, or more entities");
}

static void count_one(void *user, const weir_event *event)
{
    (void)event;
    ++*(uint64_t *)user;
}

/* The population never changes: one event is scheduled for each that is handled. */
static weir_status check(void *made, const wi_subject_run *run)
{
    const wi_event_rate *s = made;
    const phold_params *p = s->subject.params;
    const uint64_t want = (uint64_t)p->n_entities * p->events_per_entity;
    uint64_t pending = 0, handled = 0;
    WI_RETURN_IF_FAILED(weir_sim_pending(run->diag, run->sim, count_one, &pending));
    for (uint32_t e = 0; e < p->n_entities; e++)
        handled += ((const phold_entity *)weir_sim_state(run->sim, e))->handled;
    if (pending != want || handled != weir_sim_events(run->sim))
        return weir_fail(run->diag, WEIR_E_MODEL,
                         "phold: %llu events are pending and %llu were handled; want %llu and %llu; this is "
                         "a fault of weir",
                         (unsigned long long)pending, (unsigned long long)handled, (unsigned long long)want,
                         (unsigned long long)weir_sim_events(run->sim));
    return WEIR_OK;
}

#define SUMMARY(X)                                                                                        \
    X(U64, "entities", "", p->n_entities, "entities"),                                                    \
        X(U64, "pending_events", "", (uint64_t)p->n_entities * p->events_per_entity,                      \
          "events that are pending at any time"),                                                         \
        X(DOUBLE, "events_per_simulated_s", "1/s", rate, "events a simulated second, since the warm-up"), \
        X(DOUBLE, "events_per_lookahead", "", rate *weir_seconds(p->lookahead_ps),                        \
          "events in the time of one `lookahead`")
static const wi_result_column columns[] = {SUMMARY(WI_COLUMN)};
static const wi_result_table summary = WI_RESULT(SUMMARY, "phold", columns);

static weir_status result(void *made, wi_subject_run *run, wi_purpose purpose, json_t *into)
{
    const wi_event_rate *s = made;
    const phold_params *p = s->subject.params;
    if (purpose != WI_FOR_SUMMARY)
        return WEIR_OK;
    const double rate = wi_events_per_s(s, run);
    wi_result_put(into, &summary, (const wi_cell[]){SUMMARY(WI_CELL)}, 0);
    return WEIR_OK;
}

static const char *const usual[] = {"phold.events_per_simulated_s", NULL};
static const wi_result_table *const results[] = {&summary, &wi_event_rate_series, NULL};

static const wi_uniform_glue glue = {wi_phold_plan};

const wi_subject wi_subject_phold =
    WI_UNIFORM_SUBJECT("entities", wi_event_rate, &glue, wi_uniform_build, check,
                       WI_SECTION("phold", keys, phold_params,
                                  .doc = "PHOLD, the standard benchmark of parallel engines: events hop "
                                         "between entities. See [phold.md](phold.md).",
                                  .check = check_keys),
                       WI_SAMPLES_EVENTS, .result = result, .results = results, .usual = usual);
