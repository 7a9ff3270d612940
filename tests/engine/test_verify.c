/*
 * Localising a difference: two equal simulations have none; one with a single bit of a single event changed
 * is found at exactly that event; other seeds, other models and other states are told apart.
 */
#include "harness.h"
#include "toy.h"

#include "engine/analysis/verify.h"

enum { END_PS = 400 * TOY_GRID_PS };

/* A simulation whose `victim`th event, if it schedules a letter, changes one bit of that letter's payload. */
typedef struct side {
    toy t;
    uint64_t victim, seen;
    weir_event hit; /* the letter that was changed */
    int any;
} side;

static void spoil(void *user, const weir_event *event, const weir_event *scheduled, uint32_t stride,
                  uint32_t n)
{
    side *s = user;
    (void)event;
    if (s->seen++ < s->victim || s->any)
        return;
    for (uint32_t i = 0; i < n && !s->any; i++) {
        weir_event *e = (weir_event *)(void *)((unsigned char *)(uintptr_t)scheduled + (size_t)i * stride);
        if (e->type != TOY_LETTER)
            continue;
        ((toy_letter *)(void *)(e + 1))->words[2] ^= 1; /* what no observer may do */
        s->hit = *e;
        s->any = 1;
    }
}

static weir_status make(weir_diag *diag, void *user, weir_sim **out)
{
    side *s = user;
    s->seen = 0;
    s->any = 0;
    return weir_sim_new(diag, &s->t.setup, out);
}

static side *side_new(uint64_t victim)
{
    side *s = calloc(1, sizeof *s);
    toy_make(&s->t, 1);
    s->victim = victim;
    if (victim) {
        s->t.setup.observer = spoil;
        s->t.setup.observer_user = s;
    }
    return s;
}

static wi_verify_report verify(weir_diag *diag, side *a, side *b)
{
    wi_verify_report report;
    const wi_verify_side sides[2] = {{make, a}, {make, b}};
    expect_ok(diag, wi_verify(diag, sides, END_PS, (wi_verify_watch){0}, &report));
    return report;
}

static void equal_runs_do_not_differ(void **state)
{
    weir_diag *diag = *state;
    side *a = side_new(0), *b = side_new(0);
    b->t.setup.engine = WEIR_ENGINE_CHECK;
    const wi_verify_report r = verify(diag, a, b);
    assert_false(r.differ);
    assert_int_equal(r.event_digest[0], r.event_digest[1]);
    assert_int_equal(r.events[0], r.events[1]);
    free(a);
    free(b);
}

static void one_changed_bit_is_found(void **state)
{
    weir_diag *diag = *state;
    static const uint64_t victims[] = {1, 100, 1234, 3000};
    for (size_t i = 0; i < sizeof victims / sizeof victims[0]; i++) {
        side *a = side_new(0), *b = side_new(victims[i]);
        const wi_verify_report r = verify(diag, a, b);
        assert_true(r.differ && r.events_differ);
        assert_int_equal(r.at_ps, b->hit.time_ps);
        assert_int_equal(r.entity, b->hit.target);
        assert_true(r.event_digest[0] != r.event_digest[1]);
        assert_int_equal(r.n[0], r.n[1]);
        uint32_t others = 0;
        for (uint32_t e = 0; e < r.n[0]; e++) {
            const wi_verify_event *x = &r.event[0][e], *y = &r.event[1][e];
            if (memcmp(x, y, sizeof *x) == 0)
                continue;
            others++;
            assert_int_equal(x->head.source, b->hit.source);
            assert_int_equal(x->head.seq, b->hit.seq);
            assert_int_equal(x->head.type, TOY_LETTER);
            assert_int_equal(x->payload[3] ^ y->payload[3], 1); /* hops_left, words[0], words[1], words[2] */
        }
        assert_int_equal(others, 1);
        free(a);
        free(b);
    }
}

static void other_seeds_part_at_once(void **state)
{
    weir_diag *diag = *state;
    side *a = side_new(0), *b = side_new(0);
    b->t.setup.seed = 2;
    const wi_verify_report r = verify(diag, a, b);
    assert_true(r.differ && r.events_differ);
    assert_in_range(r.at_ps, 0, 3 * TOY_GRID_PS);
    assert_true(r.n[0] + r.n[1] > 0);
    free(a);
    free(b);
}

/* A handler that counts differently handles the same events. */
static void count_twice(weir_ctx *ctx, void *state, const weir_event *event)
{
    toy_parcel(ctx, state, event);
    if (event->seq % 16 == 0)
        ((toy_depot *)state)->parcels++;
}

static void other_states_are_found(void **state)
{
    weir_diag *diag = *state;
    side *a = side_new(0), *b = side_new(0);
    b->t.types[TOY_PARCEL].handle = count_twice;
    const wi_verify_report r = verify(diag, a, b);
    assert_true(r.differ);
    assert_false(r.events_differ);
    assert_in_range(r.entity, TOY_NODES, TOY_ENTITIES - 1);
    assert_true(r.n[0] > 0 && r.n[0] == r.n[1]);
    int cause = 0;
    for (uint32_t e = 0; e < r.n[0]; e++)
        cause |= r.event[0][e].head.type == TOY_PARCEL && r.event[0][e].head.seq % 16 == 0;
    assert_true(cause);
    assert_int_equal(r.event_digest[0], r.event_digest[1]);
    free(a);
    free(b);
}

static void other_models_are_refused(void **state)
{
    weir_diag *diag = *state;
    side *a = side_new(0), *b = side_new(0);
    wi_verify_report report;
    const wi_verify_side sides[2] = {{make, a}, {make, b}};
    b->t.setup.kind_count[1]--;
    assert_int_equal(wi_verify(diag, sides, END_PS, (wi_verify_watch){0}, &report), WEIR_E_ARG);
    expect_message(diag, "other entities");
    free(a);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_runs_do_not_differ), cmocka_unit_test(one_changed_bit_is_found),
        cmocka_unit_test(other_seeds_part_at_once), cmocka_unit_test(other_states_are_found),
        cmocka_unit_test(other_models_are_refused),
    };
    return cmocka_run_group_tests(tests, diag_set_up, diag_tear_down);
}
