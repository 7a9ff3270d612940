/*
 * The ladder against the heap of keys, which test_heap.c holds against sorting: the same keys leave in the
 * same order while the population swells far beyond what the heap keeps near, over rungs and splits, and
 * shrinks to nothing, for increments from all equal to ten orders of magnitude apart.
 */
#include "engine/harness.h"

#include "pending/ladder.h"

typedef struct spread_shape {
    const char *name;
    uint64_t scale[4]; /* each increment is uniform up to one of these, 0 included */
    uint64_t at_least;
    size_t most;
} spread_shape;

typedef struct both {
    wi_ladder ladder;
    wi_heap heap;
    uint64_t seed;
    uint32_t handle, rungs_seen;
} both;

static void push(both *b, weir_time now_ps, const spread_shape *shape)
{
    const uint64_t scale = shape->scale[rnd_below(&b->seed, 4)];
    const uint64_t more = shape->at_least + (scale ? rnd(&b->seed) % scale : 0);
    const uint64_t room = (uint64_t)(WEIR_TIME_MAX - 1 - now_ps);
    const wi_heap_key key =
        wi_key_make(now_ps + (weir_time)(more < room ? more : room), (uint32_t)rnd(&b->seed), b->handle++);
    assert_true(wi_heap_reserve(&b->heap, b->heap.n + 1));
    wi_heap_push(&b->heap, key);
    if (!wi_ladder_has_room(&b->ladder, 1))
        assert_true(wi_ladder_reserve(&b->ladder, 1));
    assert_true(wi_ladder_has_room(&b->ladder, 1));
    if (wi_key_time(key) < b->ladder.near_end_ps)
        wi_heap_push(&b->ladder.near, key);
    else
        wi_ladder_push_far(&b->ladder, key);
    b->rungs_seen |= 1u << b->ladder.n_rungs;
}

static weir_time pop(both *b)
{
    const wi_heap_key want = b->heap.a[0];
    wi_heap_pop(&b->heap);
    if (wi_ladder_least(&b->ladder) == WI_KEY_MAX)
        wi_ladder_refill(&b->ladder);
    assert_true(wi_ladder_least(&b->ladder) == want);
    if (b->ladder.run[b->ladder.run_at] == want)
        b->ladder.run_at++;
    else
        wi_heap_pop(&b->ladder.near);
    b->rungs_seen |= 1u << b->ladder.n_rungs;
    return wi_key_time(want);
}

typedef struct sum {
    size_t n;
    uint64_t handles;
} sum;

static void add(void *user, wi_heap_key key)
{
    sum *s = user;
    s->n++;
    s->handles += wi_key_handle(key);
}

static void expect_visit(const both *b)
{
    sum got = {0}, want = {0};
    wi_ladder_visit(&b->ladder, 0, add, &got);
    for (size_t i = 0; i < b->heap.n; i++)
        add(&want, b->heap.a[i]);
    assert_int_equal(got.n, want.n);
    assert_int_equal(got.handles, want.handles);
}

static uint32_t n_free(const wi_ladder *l)
{
    uint32_t n = 0;
    for (uint32_t c = l->free_head; c != WI_NONE; c = l->next[c])
        n++;
    return n;
}

static uint32_t play(const spread_shape *shape)
{
    both b = {.seed = 17};
    weir_time now_ps = 0;
    assert_true(wi_ladder_init(&b.ladder));
    wi_ladder_refill(&b.ladder);
    assert_true(wi_ladder_least(&b.ladder) == WI_KEY_MAX);
    for (int wave = 0; wave < 3; wave++) {
        const size_t most = shape->most >> wave;
        while (b.heap.n < most) { /* swell, two in for one out */
            push(&b, now_ps, shape);
            push(&b, now_ps, shape);
            now_ps = pop(&b);
        }
        expect_visit(&b);
        for (size_t i = 0; i < 2 * most; i++) { /* hold */
            now_ps = pop(&b);
            push(&b, now_ps, shape);
        }
        expect_visit(&b);
        for (size_t i = 0; b.heap.n > 0; i++) { /* shrink, with some coming in */
            now_ps = pop(&b);
            if (i % 3 == 0 && b.heap.n > 10)
                push(&b, now_ps, shape);
        }
        wi_ladder_refill(&b.ladder);
        assert_true(wi_ladder_least(&b.ladder) == WI_KEY_MAX);
        assert_int_equal(n_free(&b.ladder), b.ladder.used); /* every chunk has come back */
    }
    assert_false(b.ladder.failed);
    wi_heap_free(&b.heap);
    wi_ladder_free(&b.ladder);
    return b.rungs_seen;
}

static void agrees_with_the_heap(void **state)
{
    (void)state;
    static const spread_shape shapes[] = {
        {"few", {1000, 1000, 1000, 1000}, 1, 500},
        {"uniform", {1000000, 1000000, 1000000, 1000000}, 1, 40000},
        {"from 0 on", {1000000, 0, 0, 1}, 0, 20000},
        {"nearly constant", {1000, 1000, 1000, 1000}, 1000000, 40000},
        {"constant: one instant holds all", {0, 0, 0, 0}, 1000, 6000},
        {"a dozen instants", {12, 12, 12, 12}, 0, 20000},
        {"two kinds", {1000, 1000, 1000, 100000000}, 1, 40000},
        {"ten orders of magnitude", {10, 10000, 10000000, UINT64_C(100000000000)}, 1, 40000},
        {"up to the end of time", {1000, UINT64_C(1) << 62, UINT64_C(1) << 62, UINT64_C(1) << 63}, 1, 10000},
    };
    uint32_t seen = 0;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const uint32_t here = play(&shapes[i]);
        if (shapes[i].most > 2 * WI_NEAR_MOST && shapes[i].scale[0] > 0)
            assert_true(here > 1);
        seen |= here;
    }
    assert_true(seen >= 1u << 3); /* rungs on rungs have been used */
}

/* Keys that all fall into one picosecond stay in the heap: it is not split again and again. */
static void one_instant_is_not_split(void **state)
{
    (void)state;
    const spread_shape now = {"now", {0}, 0, 0};
    both b = {.seed = 1};
    assert_true(wi_ladder_init(&b.ladder));
    for (int i = 0; i < 50000; i++)
        push(&b, 5, &now);
    assert_true(b.ladder.near.n == 50000 && b.ladder.n_rungs <= 8);
    while (b.heap.n > 0)
        pop(&b);
    wi_heap_free(&b.heap);
    wi_ladder_free(&b.ladder);
}

/*
 * Nor are they spread for ever, however late and however many. A sum of times that has passed 2^53 is rounded: times of
 * 1 modulo 4 are rounded down each time, so that 20,000 of 800,000,000,001 ps had a mean of 0.45 ps before the least one, and
 * a rung without a bucket, to which they were given again and again.
 */
static void one_late_instant_is_loaded(void **state)
{
    (void)state;
    static const weir_time late[] = {800000000000,    800000000001,        811234567893,
                                     999999999999937, 7000000000000000001, WEIR_TIME_MAX - 2};
    static const int many[] = {1025, 4099, 20000, 50001};
    for (size_t t = 0; t < sizeof late / sizeof *late; t++)
        for (size_t k = 0; k < sizeof many / sizeof *many; k++)
            for (uint64_t apart = 0; apart < 3; apart++) {
                const spread_shape then = {"then", {apart, 0, apart, 0}, 0, 0};
                both b = {.seed = 1};
                assert_true(wi_ladder_init(&b.ladder));
                b.ladder.near_end_ps = 0; /* all are far */
                for (int i = 0; i < many[k]; i++)
                    push(&b, late[t], &then);
                while (b.heap.n > 0)
                    pop(&b);
                wi_heap_free(&b.heap);
                wi_ladder_free(&b.ladder);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_the_heap),
                                       cmocka_unit_test(one_instant_is_not_split),
                                       cmocka_unit_test(one_late_instant_is_loaded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
