/* PHOLD as a scenario's subject: its results are its events and their rate. */
#include "models/phold/phold.h"
#include "subject/uniform.h"

typedef struct phold_asked {
    phold_params params;
    weir_place place;
} phold_asked;

static const wi_key keys[] = {
    WI_KEY("entities", count, phold_asked, params.n_entities, .fallback = "1024", .low = "1",
           .high = "2147483647", .also = "nodes lps", .doc = "entities"),
    WI_KEY("events", count, phold_asked, params.events_per_entity, .fallback = "1", .high = "65535",
           .also = "population", .doc = "events that each entity starts with; their number never changes"),
    WI_KEY("remote", share, phold_asked, params.remote_share, .fallback = "50%",
           .doc = "share of events that go to another entity"),
    WI_KEY("lookahead", time, phold_asked, params.lookahead_ps, .fallback = "1us", .above = "0s",
           .high = "10d", .doc = "least delay of an event"),
    WI_KEY("mean", time, phold_asked, params.mean_ps, .fallback = "1us", .high = "10d",
           .doc = "mean of the exponential part of the delay"),
};

static void check_keys(wi_reader *r, const wi_node *node, void *at)
{
    const phold_params *p = &((const phold_asked *)at)->params;
    if (p->n_entities == 1 && p->remote_share > 0.0)
        wi_complain(r, wi_place_of(node, "remote"),
                    "remote: a single entity has nobody to send to; want 0%%, or more entities");
}

typedef struct phold_subject {
    wi_event_rate rate; /* first */
    const phold_params *asked;
} phold_subject;

static weir_status estimate(weir_diag *diag, const weir_scenario *scenario, const void *made,
                            weir_estimate *out)
{
    const phold_params *p = &((const phold_asked *)wi_model_params(scenario))->params;
    (void)diag, (void)made;
    return wi_estimate_entities(out, p->n_entities, sizeof(phold_entity), p->events_per_entity);
}

static weir_status build(weir_diag *diag, const weir_scenario *scenario, void *made)
{
    phold_subject *s = made;
    s->asked = &((const phold_asked *)wi_model_params(scenario))->params;
    return wi_phold_new(diag, s->asked, &s->rate.subject.model);
}

static void count_one(void *user, const weir_event *event)
{
    (void)event;
    ++*(uint64_t *)user;
}

/* The population never changes: one event is scheduled for each that is handled. */
static weir_status check(void *made, const wi_subject_run *run)
{
    const phold_subject *s = made;
    const uint64_t want = (uint64_t)s->asked->n_entities * s->asked->events_per_entity;
    uint64_t pending = 0, handled = 0;
    const weir_status status = weir_sim_pending(run->diag, run->sim, count_one, &pending);
    if (status != WEIR_OK)
        return status;
    for (uint32_t e = 0; e < s->asked->n_entities; e++)
        handled += ((const phold_entity *)weir_sim_state(run->sim, e))->handled;
    if (pending != want || handled != weir_sim_events(run->sim))
        return weir_fail(
            run->diag, WEIR_E_MODEL,
            "phold: %llu events are pending and %llu were handled; want %llu and %llu; this is a "
            "fault of weir",
            (unsigned long long)pending, (unsigned long long)handled, (unsigned long long)want,
            (unsigned long long)weir_sim_events(run->sim));
    return WEIR_OK;
}

#define SUMMARY(X)                                                                                        \
    X(U64, "entities", "", s->asked->n_entities, "entities"),                                             \
        X(U64, "pending_events", "", (uint64_t)s->asked->n_entities * s->asked->events_per_entity,        \
          "events that are pending at any time"),                                                         \
        X(DOUBLE, "events_per_simulated_s", "1/s", rate, "events a simulated second, since the warm-up"), \
        X(DOUBLE, "events_per_lookahead", "", rate *weir_seconds(s->asked->lookahead_ps),                 \
          "events in the time of one `lookahead`")
static const wi_result_column columns[] = {SUMMARY(WI_COLUMN)};
static const wi_result_table summary = WI_RESULT(SUMMARY, "phold", columns);

static weir_status result(void *made, wi_subject_run *run, wi_purpose purpose, json_t *into)
{
    const phold_subject *s = made;
    if (purpose != WI_FOR_SUMMARY)
        return WEIR_OK;
    const double rate = wi_events_per_s(&s->rate, run);
    wi_result_put(into, &summary, (const wi_cell[]){SUMMARY(WI_CELL)}, 0);
    return WEIR_OK;
}

static const char *const usual[] = {"phold.events_per_simulated_s", NULL};
static const wi_result_table *const results[] = {&summary, &wi_event_rate_series, NULL};

const wi_subject wi_subject_phold = WI_UNIFORM_SUBJECT(
    "entities", phold_subject,
    WI_SECTION("phold", keys, phold_asked,
               .doc = "PHOLD, the standard benchmark of parallel engines: events hop between "
                      "entities. See [phold.md](phold.md).",
               .place_offset = offsetof(phold_asked, place), .check = check_keys),
    WI_SAMPLES_EVENTS, .result = result, .results = results, .usual = usual);
