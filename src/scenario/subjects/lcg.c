/* The LCG benchmark as a scenario's subject: its results are its events, by generator, and what its numbers come to. */
#include "models/lcg/lcg.h"
#include "subject/uniform.h"

typedef struct lcg_asked {
    lcg_params params;
    uint32_t by_run; /* `select: run` */
} lcg_asked;

static const wi_word selections[] = {
    {"event", 0, "each event draws the next one's"},
    {"run", 1, "all events of a run have one: of run *r* it is *r* modulo `ways`"},
};

static const wi_key keys[] = {
    WI_KEY("modules", count, lcg_asked, params.n_modules, .fallback = "1", .low = "1", .high = "65536",
           .also = "entities lps", .doc = "modules; none sends to another"),
    WI_KEY("events", count, lcg_asked, params.events, .fallback = "300", .high = "4294967295",
           .doc = "events of the simulation, dealt evenly to its modules, one a microsecond each"),
    WI_KEY("iterations", count, lcg_asked, params.iterations, .fallback = "20000", .high = "4294967295",
           .also = "steps", .doc = "steps of a generator in an event; 0: what the engine costs alone"),
    WI_KEY("ways", count, lcg_asked, params.ways, .fallback = "1", .low = "1", .high = "4",
           .also = "generators divergence", .doc = "generators, each a type of event with code of its own"),
    WI_KEY("select", word, lcg_asked, by_run, .fallback = "event", WI_WORDS(selections),
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
} lcg_subject;

static weir_status build(const wi_subject *self, weir_diag *diag, const weir_scenario *scenario, void *made)
{
    lcg_subject *s = made;
    const lcg_asked *asked = wi_model_params(scenario);
    s->asked = asked->params;
    s->asked.only = asked->by_run ? 1 + scenario->run % s->asked.ways : 0;
    const weir_status status = wi_lcg_new(diag, &s->asked, &s->rate.subject.model);
    (void)self;
    if (status == WEIR_OK && scenario->duration_ps < wi_lcg_end(&s->asked))
        weir_warn_at(diag, WEIR_AT(scenario->model.place),
                     "lcg: its %u events take %g s, and the run ends before", asked->params.events,
                     weir_seconds(wi_lcg_end(&s->asked)));
    return status;
}

static const lcg_module *module_at(const wi_subject_run *run, uint32_t m)
{
    return (const lcg_module *)weir_sim_state(run->sim, m);
}

/* What was handled and what is left are what was asked for; one event of each module that is not done is pending, and
 * taken off already. */
static weir_status check(void *made, const wi_subject_run *run)
{
    const lcg_subject *s = made;
    uint64_t left = 0;
    for (uint32_t m = 0; m < s->asked.n_modules; m++)
        left += module_at(run, m)->left;
    const uint64_t begun = s->asked.events - left, handled = weir_sim_events(run->sim);
    if (left <= s->asked.events && handled <= begun && begun - handled <= s->asked.n_modules)
        return WEIR_OK;
    return weir_fail(run->diag, WEIR_E_MODEL,
                     "lcg: %llu events were handled and %llu are left of %u; this is a fault of weir",
                     (unsigned long long)handled, (unsigned long long)left, s->asked.events);
}

#define SUMMARY(X)                                                                      \
    X(U64, "modules", "", s->asked.n_modules, "modules"),                               \
        X(DOUBLE, "events_per_simulated_s", "1/s", wi_events_per_s(&s->rate, run),      \
          "events a simulated second, since the warm-up"),                              \
        X(DOUBLE, "steps", "", (double)weir_sim_events(run->sim) * s->asked.iterations, \
          "steps of all generators")
static const wi_result_column columns[] = {SUMMARY(WI_COLUMN)};
static const wi_result_table summary = WI_RESULT(SUMMARY, "lcg", columns);

static json_t *events_by_generator(const lcg_subject *s, const wi_subject_run *run)
{
    uint64_t by_type[LCG_TYPES] = {0}, all = 0;
    json_t *list = json_array();
    for (uint32_t m = 0; m < s->asked.n_modules; m++)
        for (int t = 0; t < LCG_D; t++)
            by_type[t] += module_at(run, m)->handled[t];
    for (int t = 0; t < LCG_D; t++)
        all += by_type[t];
    by_type[LCG_D] = weir_sim_events(run->sim) - all;
    for (uint32_t t = 0; t < s->asked.ways; t++)
        json_array_append_new(list, wi_json_count(by_type[t]));
    return list;
}

static weir_status result(void *made, wi_subject_run *run, wi_purpose purpose, json_t *into)
{
    const lcg_subject *s = made;
    if (purpose != WI_FOR_SUMMARY)
        return WEIR_OK;
    wi_result_put(into, &summary, (const wi_cell[]){SUMMARY(WI_CELL)}, 0);
    json_object_set_new(into, "events_by_generator", events_by_generator(s, run));
    return WEIR_OK;
}

static const char *const usual[] = {"lcg.steps", NULL};
static const wi_result_table *const results[] = {&summary, &wi_event_rate_series, NULL};

static const wi_uniform_glue glue = {wi_lcg_plan};

const wi_subject wi_subject_lcg = WI_UNIFORM_SUBJECT(
    "modules", lcg_subject, &glue, build, check,
    WI_SECTION("lcg", keys, lcg_asked,
               .doc = "The synthetic benchmark of studies on devices: events that step a linear congruential "
                      "generator, and nothing else. See [lcg.md](lcg.md).",
               .check = check_keys),
    WI_SAMPLES_EVENTS, .result = result, .results = results, .usual = usual);
