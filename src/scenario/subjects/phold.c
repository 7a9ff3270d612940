/* PHOLD as a scenario's subject: its results are its events and their rate. */
#include "scenario/subject/event_rate.h"

#include <stdlib.h>

#include "models/phold/phold.h"
#include "output/json.h"

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
    wi_uniform *phold;
} phold_subject;

static weir_status estimate(weir_diag *diag, const weir_scenario *scenario, weir_estimate *out)
{
    enum { EVENT_BYTES = 64 };
    const phold_params *p = &((const phold_asked *)wi_model_params(scenario))->params;
    (void)diag;
    out->entities = p->n_entities;
    out->memory_bytes = p->n_entities * (sizeof(phold_entity) + sizeof(weir_entity) + 2 * sizeof(weir_time) +
                                         (uint64_t)p->events_per_entity * EVENT_BYTES);
    return WEIR_OK;
}

static weir_status build(weir_diag *diag, const weir_scenario *scenario, void **made)
{
    phold_subject *s = calloc(1, sizeof *s);
    const phold_asked *asked = wi_model_params(scenario);
    *made = s;
    if (!s)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for phold");
    s->rate.diag = diag;
    s->asked = &asked->params;
    weir_estimate size = {0};
    weir_status status = estimate(diag, scenario, &size);
    if (status == WEIR_OK)
        status = wi_memory_check(diag, "entities", size.memory_bytes, asked->place);
    return status == WEIR_OK ? wi_phold_new(diag, &asked->params, &s->phold) : status;
}

static void release(void *made)
{
    phold_subject *s = made;
    if (!s)
        return;
    wi_series_drop(s->rate.series);
    wi_uniform_free(s->phold);
    free(s);
}

static void set_up(void *made, weir_setup *setup)
{
    wi_uniform_setup(((phold_subject *)made)->phold, setup);
}

static void count_one(void *user, const weir_event *event)
{
    (void)event;
    ++*(uint64_t *)user;
}

/* The population never changes: one event is scheduled for each that is handled. */
static weir_status check(weir_diag *diag, void *made)
{
    const phold_subject *s = made;
    const uint64_t want = (uint64_t)s->asked->n_entities * s->asked->events_per_entity;
    uint64_t pending = 0, handled = 0;
    const weir_status status = weir_sim_pending(diag, s->rate.sim, count_one, &pending);
    if (status != WEIR_OK)
        return status;
    for (uint32_t e = 0; e < s->asked->n_entities; e++)
        handled += ((const phold_entity *)weir_sim_state(s->rate.sim, e))->handled;
    if (pending != want || handled != weir_sim_events(s->rate.sim))
        return weir_fail(
            diag, WEIR_E_MODEL,
            "phold: %llu events are pending and %llu were handled; want %llu and %llu; this is a "
            "fault of weir",
            (unsigned long long)pending, (unsigned long long)handled, (unsigned long long)want,
            (unsigned long long)weir_sim_events(s->rate.sim));
    return WEIR_OK;
}

static void summarise(const void *made, json_t *summary)
{
    const phold_subject *s = made;
    const double rate = events_per_s(&s->rate);
    json_t *o = json_object();
    json_object_set_new(o, "entities", wi_json_count(s->asked->n_entities));
    json_object_set_new(o, "pending_events",
                        wi_json_count((uint64_t)s->asked->n_entities * s->asked->events_per_entity));
    json_object_set_new(o, "events_per_simulated_s", wi_json_real(rate));
    json_object_set_new(o, "events_per_lookahead", wi_json_real(rate * weir_seconds(s->asked->lookahead_ps)));
    json_object_set_new(summary, "phold", o);
}

static const char *const usual[] = {"phold.events_per_simulated_s", NULL};

const wi_subject wi_subject_phold =
    WI_SUBJECT(.section = WI_SECTION("phold", keys, phold_asked,
                                     .doc = "PHOLD, the standard benchmark of parallel engines: events hop "
                                            "between entities. See [phold.md](phold.md).",
                                     .place_offset = offsetof(phold_asked, place), .check = check_keys),
               .estimate_unbuilt = estimate, .keep = keep, .samples_are_series = wi_samples_are_series,
               .usual = usual);
