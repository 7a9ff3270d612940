/*
 * The observer sees every event once, in order, with what its handler scheduled; looking on changes nothing;
 * other engines refuse it.
 */
#include "harness.h"
#include "toy.h"

typedef struct seen {
    uint64_t events, scheduled;
    weir_time last_ps;
    int wrong;
} seen;

static void look(void *user, const weir_event *event, const weir_event *scheduled, uint32_t stride,
                 uint32_t n)
{
    seen *s = user;
    s->wrong |= event->time_ps < s->last_ps;
    s->last_ps = event->time_ps;
    s->events++;
    s->scheduled += n;
    for (uint32_t i = 0; i < n; i++) {
        const weir_event *e =
            (const weir_event *)(const void *)((const unsigned char *)scheduled + (size_t)i * stride);
        s->wrong |= e->source != event->target || e->time_ps <= event->time_ps ||
                    (i > 0 && e->seq != scheduled->seq + i);
    }
}

static void count(void *user, const weir_event *event)
{
    (void)event;
    ++*(uint64_t *)user;
}

static void sees_all_and_changes_nothing(void **state)
{
    weir_diag *diag = weir_diag_new();
    toy t;
    seen s = {0};
    uint64_t first = 0, left = 0;
    (void)state;
    toy_make(&t, 1);
    weir_setup setup = t.setup;
    weir_sim *plain = new_sim(diag, &setup);
    setup.observer = look;
    setup.observer_user = &s;
    weir_sim *watched = new_sim(diag, &setup);
    assert_int_equal(weir_sim_pending(NULL, watched, count, &first), WEIR_OK);
    expect_ok(diag, weir_sim_run(diag, plain, 400 * TOY_GRID_PS, NULL));
    expect_ok(diag, weir_sim_run(diag, watched, 400 * TOY_GRID_PS, NULL));
    assert_int_equal(weir_sim_pending(NULL, watched, count, &left), WEIR_OK);
    assert_int_equal(weir_sim_event_digest(plain), weir_sim_event_digest(watched));
    assert_int_equal(weir_sim_state_digest(plain), weir_sim_state_digest(watched));
    assert_false(s.wrong);
    assert_int_equal(s.events, weir_sim_events(watched));
    assert_int_equal(first + s.scheduled, s.events + left);
    weir_sim_free(plain);
    weir_sim_free(watched);

    setup.engine = WEIR_ENGINE_CHECK;
    assert_int_equal(weir_sim_new(diag, &setup, &plain), WEIR_E_ARG);
    expect_message(diag, "sequential engine only");
    weir_diag_free(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sees_all_and_changes_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
