/*
 * Several hooks, takers, observers and digests at once: each is called as if it were alone, in the order in which it
 * was added, and the run is that of none; on every engine of the host that takes them.
 */
#include "harness.h"
#include "toy.h"

#include "engine/core/lists.h"
#include "weir/digest.h"

enum { UNTIL = 400, CALLS_MOST = 500 };

/* One part of a simulation, and all that it was told. */
typedef struct part {
    weir_time every_ps;
    uint64_t records, record_digest, events, event_digest, calls;
    weir_time at_ps[CALLS_MOST];
    uint64_t *order; /* of calls among parts: each call's turn folded */
    uint64_t name;
} part;

typedef struct all {
    wi_lists lists; /* first */
    part part[3];
    uint64_t order;
} all;

static weir_time hook(void *user, weir_time at_ps)
{
    part *p = user;
    assert_true(p->calls < CALLS_MOST);
    assert_true(at_ps % p->every_ps == 0); /* at its own horizons alone */
    p->at_ps[p->calls++] = at_ps;
    *p->order = weir_digest_word(*p->order, p->name);
    return at_ps + p->every_ps;
}

static weir_status take(void *user, const weir_record_head *records, uint32_t stride, size_t n)
{
    part *p = user;
    const unsigned char *at = (const unsigned char *)records;
    for (size_t i = 0; i < n; i++, at += stride) {
        const weir_record_head *head = (const weir_record_head *)(const void *)at;
        p->record_digest =
            weir_digest_bytes(p->record_digest, head, sizeof *head + ((size_t)head->bytes & ~(size_t)7));
    }
    p->records += n;
    return WEIR_OK;
}

static void see(void *user, const weir_event *event, const weir_event *scheduled, uint32_t stride, uint32_t n)
{
    part *p = user;
    (void)scheduled, (void)stride;
    p->events += 1 + n;
    p->event_digest = weir_digest_word(p->event_digest, (uint64_t)event->time_ps ^ event->tie);
}

static uint64_t outside(void *user)
{
    return ((const part *)user)->name;
}

/* A run with parts of the given number, `first` on; returns its state digest, what is outside left in. */
static uint64_t run(all *a, weir_engine engine, uint32_t first, uint32_t n, bool observed)
{
    weir_diag *diag = weir_diag_new();
    toy t;
    *a = (all){.order = 1};
    toy_make(&t, 1);
    weir_setup setup = t.setup;
    setup.engine = engine;
    setup.threads = 2;
    setup.user = a;
    for (uint32_t i = first; i < first + n; i++) {
        a->part[i] =
            (part){.every_ps = (weir_time)(3 + 2 * i) * TOY_GRID_PS, .name = i + 1, .order = &a->order};
        wi_add_hook(&a->lists, hook, &a->part[i], a->part[i].every_ps * i, i == 1);
        wi_add_sink(&a->lists, take, &a->part[i]);
        wi_add_outside(&a->lists, outside, &a->part[i]);
        if (observed)
            wi_add_observer(&a->lists, see, &a->part[i]);
    }
    wi_lists_put(&a->lists, &setup);
    weir_sim *sim = new_sim(diag, &setup);
    expect_ok(diag, weir_sim_run(diag, sim, UNTIL * TOY_GRID_PS, NULL));
    const uint64_t digest = weir_sim_state_digest(sim);
    weir_sim_free(sim);
    weir_diag_free(diag);
    return digest;
}

static void each_is_as_if_alone(void **state)
{
    static const weir_engine engines[] = {WEIR_ENGINE_SEQUENTIAL, WEIR_ENGINE_CHECK, WEIR_ENGINE_CONSERVATIVE,
                                          WEIR_ENGINE_OPTIMISTIC};
    static all together, alone;
    uint64_t digest = 0;
    (void)state;
    for (size_t k = 0; k < sizeof engines / sizeof *engines; k++) {
        const bool observed = engines[k] == WEIR_ENGINE_SEQUENTIAL;
        const uint64_t now = run(&together, engines[k], 0, 3, observed);
        assert_true(k == 0 || now == digest);
        digest = now;
        for (uint32_t i = 0; i < 3; i++) {
            (void)run(&alone, engines[k], i, 1, observed);
            const part *p = &together.part[i], *q = &alone.part[i];
            assert_int_equal(p->calls, q->calls);
            assert_true(p->calls > 10);
            assert_memory_equal(p->at_ps, q->at_ps, p->calls * sizeof *p->at_ps);
            assert_true(p->records > 0 && p->records == q->records && p->record_digest == q->record_digest);
            assert_true(p->events == q->events && p->event_digest == q->event_digest);
            assert_true(!observed || p->events > 0);
        }
    }
}

/* At a common horizon they are called in the order in which they were added; digests are folded in it. */
static void order_is_that_of_adding(void **state)
{
    static all a;
    uint64_t order = 1;
    (void)state;
    const uint64_t three = run(&a, WEIR_ENGINE_SEQUENTIAL, 0, 3, false);
    for (weir_time t = 0; t < UNTIL; t++)
        for (uint32_t i = 0; i < 3; i++)
            if (t % (3 + 2 * i) == 0 && t >= (3 + 2 * i) * i)
                order = weir_digest_word(order, i + 1);
    assert_int_equal(a.order, order);
    assert_true(three != run(&a, WEIR_ENGINE_SEQUENTIAL, 0, 2, false));
    assert_true(three != run(&a, WEIR_ENGINE_SEQUENTIAL, 1, 2, false));
}

static void none_leaves_the_set_up_as_it_was(void **state)
{
    weir_setup setup = {0};
    wi_lists lists = {0};
    (void)state;
    wi_lists_put(&lists, &setup);
    assert_true(!setup.hook && !setup.sink && !setup.outside && !setup.observer);
    assert_false(setup.hook_changes_world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_is_as_if_alone),
                                       cmocka_unit_test(order_is_that_of_adding),
                                       cmocka_unit_test(none_leaves_the_set_up_as_it_was)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
