/* The LCG benchmark as a scenario's subject: its results are its events, by generator, and what its numbers come to. */
#include "scenario/subject/event_rate.h"

#include <stdlib.h>

#include "models/lcg/lcg.h"
#include "output/json.h"

typedef struct lcg_asked {
    lcg_params params;
    uint32_t by_run; /* `select: run` */
    weir_place place;
} lcg_asked;

static const wi_word selections[] = {
    {"event", 0, "each event draws the next one's"},
    {"run", 1, "all events of a run have one: of run *r* it is *r* modulo `ways`"},
};
static const wi_words selection_words = {selections, sizeof selections / sizeof *selections};

static const wi_key keys[] = {
    WI_KEY("modules", count, lcg_asked, params.n_modules, .fallback = "1", .low = "1", .high = "65536",
           .also = "entities lps", .doc = "modules; none sends to another"),
    WI_KEY("events", count, lcg_asked, params.events, .fallback = "300", .high = "4294967295",
           .doc = "events of the simulation, dealt evenly to its modules, one a microsecond each"),
    WI_KEY("iterations", count, lcg_asked, params.iterations, .fallback = "20000", .high = "4294967295",
           .also = "steps", .doc = "steps of a generator in an event; 0: what the engine costs alone"),
    WI_KEY("ways", count, lcg_asked, params.ways, .fallback = "1", .low = "1", .high = "4",
           .also = "generators divergence", .doc = "generators, each a type of event with code of its own"),
    WI_KEY("select", word, lcg_asked, by_run, .fallback = "event", .words = &selection_words,
           .doc = "what has a generator, of several"),
    WI_KEY("state", size32, lcg_asked, params.state_bytes, .fallback = "72B", .low = "40B", .high = "1MiB",
           .doc = "state of a module, a multiple of 8 B"),
};

static void check_keys(wi_reader *r, const wi_node *node, void *at)
{
    const lcg_params *p = &((const lcg_asked *)at)->params;
    if (p->state_bytes % 8 != 0)
        wi_complain(r, wi_place_of(node, "state"), "state: %u B is no multiple of 8 B", p->state_bytes);
}

typedef struct lcg_subject {
    wi_event_rate rate; /* first */
    lcg_params asked;
    wi_uniform *lcg;
} lcg_subject;

static weir_status estimate(weir_diag *diag, const weir_scenario *scenario, weir_estimate *out)
{
    enum { EVENT_BYTES = 64 };
    const lcg_params *p = &((const lcg_asked *)wi_model_params(scenario))->params;
    (void)diag;
    out->entities = p->n_modules;
    out->memory_bytes =
        (uint64_t)p->n_modules * (p->state_bytes + sizeof(weir_entity) + 2 * sizeof(weir_time) + EVENT_BYTES);
    return WEIR_OK;
}

static weir_status build(weir_diag *diag, const weir_scenario *scenario, void **made)
{
    lcg_subject *s = calloc(1, sizeof *s);
    const lcg_asked *asked = wi_model_params(scenario);
    *made = s;
    if (!s)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for lcg");
    s->rate.diag = diag;
    s->asked = asked->params;
    s->asked.only = asked->by_run ? 1 + scenario->run % s->asked.ways : 0;
    weir_estimate size = {0};
    weir_status status = estimate(diag, scenario, &size);
    if (status == WEIR_OK)
        status = wi_memory_check(diag, "modules", size.memory_bytes, asked->place);
    if (status == WEIR_OK)
        status = wi_lcg_new(diag, &s->asked, &s->lcg);
    if (status == WEIR_OK && scenario->duration_ps < wi_lcg_end(&s->asked))
        weir_warn_at(diag, asked->place.file, asked->place.line, asked->place.column,
                     "lcg: its %u events take %g s, and the run ends before", asked->params.events,
                     weir_seconds(wi_lcg_end(&s->asked)));
    return status;
}

static void release(void *made)
{
    lcg_subject *s = made;
    if (!s)
        return;
    wi_series_drop(s->rate.series);
    wi_uniform_free(s->lcg);
    free(s);
}

static void set_up(void *made, weir_setup *setup)
{
    wi_uniform_setup(((lcg_subject *)made)->lcg, setup);
}

static const lcg_module *module_at(const lcg_subject *s, uint32_t m)
{
    return (const lcg_module *)weir_sim_state(s->rate.sim, m);
}

/* What was handled and what is left are what was asked for; one event of each module that is not done is pending, and
 * taken off already. */
static weir_status check(weir_diag *diag, void *made)
{
    const lcg_subject *s = made;
    uint64_t left = 0;
    for (uint32_t m = 0; m < s->asked.n_modules; m++)
        left += module_at(s, m)->left;
    const uint64_t begun = s->asked.events - left, handled = weir_sim_events(s->rate.sim);
    if (left <= s->asked.events && handled <= begun && begun - handled <= s->asked.n_modules)
        return WEIR_OK;
    return weir_fail(diag, WEIR_E_MODEL,
                     "lcg: %llu events were handled and %llu are left of %u; this is a fault of weir",
                     (unsigned long long)handled, (unsigned long long)left, s->asked.events);
}

static void summarise(const void *made, json_t *summary)
{
    const lcg_subject *s = made;
    uint64_t by_type[LCG_TYPES] = {0}, all = 0;
    for (uint32_t m = 0; m < s->asked.n_modules; m++)
        for (int t = 0; t < LCG_D; t++)
            by_type[t] += module_at(s, m)->handled[t];
    for (int t = 0; t < LCG_D; t++)
        all += by_type[t];
    by_type[LCG_D] = weir_sim_events(s->rate.sim) - all;
    json_t *o = json_object(), *handled = json_array();
    json_object_set_new(o, "modules", wi_json_count(s->asked.n_modules));
    for (uint32_t t = 0; t < s->asked.ways; t++)
        json_array_append_new(handled, wi_json_count(by_type[t]));
    json_object_set_new(o, "events_by_generator", handled);
    json_object_set_new(o, "events_per_simulated_s", wi_json_real(events_per_s(&s->rate)));
    json_object_set_new(o, "steps", wi_json_real((double)weir_sim_events(s->rate.sim) * s->asked.iterations));
    json_object_set_new(summary, "lcg", o);
}

static const char *const usual[] = {"lcg.steps", NULL};

const wi_subject wi_subject_lcg =
    WI_SUBJECT(.section =
                   WI_SECTION("lcg", keys, lcg_asked,
                              .doc = "The synthetic benchmark of studies on devices: events that step a "
                                     "linear congruential generator, and nothing else. See [lcg.md](lcg.md).",
                              .place_offset = offsetof(lcg_asked, place), .check = check_keys),
               .estimate_unbuilt = estimate, .keep = keep, .samples_are_series = wi_samples_are_series,
               .usual = usual);
