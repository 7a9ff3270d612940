/*
 * States of queues that no run leaves: each word that a law of the model ties to others is changed, and the subject says so; what a
 * run has left passes.
 */
#include "diag.h"
#include "models/jackson/jackson.h"
#include "models/mgk/mgk.h"
#include "subject/uniform.h"

extern const wi_subject wi_subject_jackson, wi_subject_mgk;

#define WORD(type, member) (offsetof(type, member) / sizeof(uint64_t))

/* Changes a word of 64 bits of an entity's state at a time, those of a list that SIZE_MAX ends. */
static void try_words(const wi_subject *subject, const void *params, uint64_t *state, const size_t *words)
{
    const wi_uniform_glue *glue = subject->glue;
    assert_true(glue->is_sound(params, state));
    for (const size_t *w = words; *w != SIZE_MAX; w++) {
        const uint64_t kept = state[*w];
        state[*w] += (UINT64_C(1) << 62) + 1;
        if (glue->is_sound(params, state))
            fail_msg("%s, word %zu: taken", subject->section.name, *w);
        state[*w] = kept;
    }
}

static void what_no_run_leaves_is_seen(void **state)
{
    weir_diag *diag = *state;
    const jackson_params jackson = {10, 0.5, 0.3, WEIR_PS_PER_US, WEIR_PS_PER_US};
    const mgk_params mgk = {
        .n_queues = 10, .servers = 2, .load = 0.5, .service_ps = WEIR_PS_PER_US, .variability = 1.0};
    const struct {
        const wi_subject *subject;
        const void *params;
        size_t words[8];
    } each[] = {
        {&wi_subject_jackson,
         &jackson,
         {WORD(jackson_station, customers), WORD(jackson_station, busy_ps),
          WORD(jackson_station, customer_ps), WORD(jackson_station, came), WORD(jackson_station, joined),
          WORD(jackson_station, left), SIZE_MAX}},
        {&wi_subject_mgk,
         &mgk,
         {WORD(mgk_queue, came), WORD(mgk_queue, served), WORD(mgk_queue, delayed), SIZE_MAX}},
    };
    for (size_t i = 0; i < sizeof each / sizeof each[0]; i++) {
        wi_uniform *made;
        weir_setup setup;
        weir_sim *sim;
        expect_ok(diag, wi_uniform_new(diag, ((const wi_uniform_glue *)each[i].subject->glue)->plan,
                                       each[i].params, &made));
        wi_uniform_setup(made, &setup);
        expect_ok(diag, weir_sim_new(diag, &setup, &sim));
        expect_ok(diag, weir_sim_run(diag, sim, 20 * WEIR_PS_PER_US, NULL));
        try_words(each[i].subject, each[i].params, weir_sim_state(sim, 0), each[i].words);
        weir_sim_free(sim);
        wi_uniform_free(made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_no_run_leaves_is_seen)};
    return cmocka_run_group_tests(tests, diag_set_up, diag_tear_down);
}
