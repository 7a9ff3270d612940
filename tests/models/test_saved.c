/*
 * States that no run leaves: of models whose entities are all alike, each word that a law of the model ties to others is
 * changed, and the model says so; what a run has left passes. (Whole files are rewritten in
 * tests/scenario/session/test_crafted.c.)
 */
#include "diag.h"
#include "models/jackson/jackson.h"
#include "models/lcg/lcg.h"

static wi_uniform *make_lcg(weir_diag *diag)
{
    lcg_params p;
    wi_uniform *made;
    wi_lcg_params_init(&p);
    p.n_modules = 3;
    p.ways = 4;
    p.iterations = 2;
    expect_ok(diag, wi_lcg_new(diag, &p, &made));
    return made;
}

static wi_uniform *make_jackson(weir_diag *diag)
{
    const jackson_params p = {10, 0.5, 0.3, WEIR_PS_PER_US, WEIR_PS_PER_US};
    wi_uniform *made;
    expect_ok(diag, wi_jackson_new(diag, &p, &made));
    return made;
}

/* Words of an entity's state whose growth is seen: numbers of 64 bits from its beginning. */
typedef struct subject {
    const char *what;
    wi_uniform *(*make)(weir_diag *diag);
    uint64_t add;
    size_t words[8]; /* ended by SIZE_MAX */
} subject;

#define WORD(type, member) (offsetof(type, member) / sizeof(uint64_t))

static const subject subjects[] = {
    {"a module",
     make_lcg,
     300,
     {WORD(lcg_module, left), WORD(lcg_module, handled[0]), WORD(lcg_module, handled[2]), SIZE_MAX}},
    {"a station",
     make_jackson,
     UINT64_C(1) << 62,
     {WORD(jackson_station, customers), WORD(jackson_station, busy_ps), WORD(jackson_station, customer_ps),
      WORD(jackson_station, came), WORD(jackson_station, joined), WORD(jackson_station, left), SIZE_MAX}},
};

static void what_no_run_leaves_is_named(void **state)
{
    weir_diag *diag = *state;
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        const subject *s = &subjects[i];
        wi_uniform *made = s->make(diag);
        weir_setup setup;
        weir_sim *sim;
        wi_uniform_setup(made, &setup);
        expect_ok(diag, weir_sim_new(diag, &setup, &sim));
        expect_ok(diag, weir_sim_run(diag, sim, 20 * WEIR_PS_PER_US, NULL));
        unsigned char *kinds[] = {weir_sim_state(sim, 0)};
        const weir_saved_view view = {.world = setup.world, .kind_count = setup.kind_count, .state = kinds};
        assert_null(setup.model->wrong_state(&view));
        for (const size_t *w = s->words; *w != SIZE_MAX; w++) {
            uint64_t *word = (uint64_t *)(void *)kinds[0] + *w, kept = *word;
            *word += s->add | 1;
            const char *what = setup.model->wrong_state(&view);
            if (!what || strcmp(what, s->what) != 0)
                fail_msg("%s, word %zu: '%s'", s->what, *w, what ? what : "taken");
            *word = kept;
        }
        weir_sim_free(sim);
        wi_uniform_free(made);
    }
}

/* A service ends where somebody is served; a customer on the way has left another station. */
static void events_fit_their_stations(void **state)
{
    weir_diag *diag = *state;
    wi_uniform *made = make_jackson(diag);
    weir_setup setup;
    jackson_station stations[10] = {{0}};
    unsigned char *kinds[] = {(unsigned char *)stations};
    wi_uniform_setup(made, &setup);
    const weir_saved_view view = {.world = setup.world, .kind_count = setup.kind_count, .state = kinds};
    weir_event e = {.source = 4, .target = 4, .type = JACKSON_SERVED};
    assert_false(setup.model->event_fits(&view, &e));
    stations[4].customers = 1;
    assert_true(setup.model->event_fits(&view, &e));
    e.type = JACKSON_JOINS;
    assert_false(setup.model->event_fits(&view, &e));
    e.source = 3;
    assert_true(setup.model->event_fits(&view, &e));
    wi_uniform_free(made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_no_run_leaves_is_named),
                                       cmocka_unit_test(events_fit_their_stations)};
    return cmocka_run_group_tests(tests, diag_set_up, diag_tear_down);
}
