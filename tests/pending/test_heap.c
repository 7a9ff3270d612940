/* The heap of keys: every order of pushes, pops and replaced roots gives what sorting gives. */
#include "engine/harness.h"

#include "pending/heap.h"
#include "pending/ladder.h"

static int rising(const void *a, const void *b)
{
    const wi_heap_key x = *(const wi_heap_key *)a, y = *(const wi_heap_key *)b;
    return (x > y) - (x < y);
}

static void expect_heap(const wi_heap *h)
{
    for (size_t i = 1; i < h->n; i++)
        assert_true(h->a[(i - 1) / 4] <= h->a[i]);
    for (size_t i = h->n; i < h->n + 4; i++)
        assert_true(h->a[i] == WI_KEY_MAX);
}

static wi_heap_key random_key(uint64_t *seed, uint32_t spread)
{
    return wi_key_make(rnd_below(seed, spread), rnd_below(seed, spread), (uint32_t)rnd(seed));
}

/* A key is its parts, and time is its most significant part. */
static void keys_hold_their_parts(void **state)
{
    (void)state;
    const wi_heap_key k = wi_key_make(INT64_MAX - 1, UINT32_MAX, 7);
    assert_int_equal(wi_key_time(k), INT64_MAX - 1);
    assert_int_equal(wi_key_tie(k), UINT32_MAX);
    assert_int_equal(wi_key_handle(k), 7);
    assert_true(wi_key_make(1, 0, 0) > wi_key_make(0, UINT32_MAX, UINT32_MAX));
    assert_true(wi_key_make(1, 1, 0) > wi_key_make(1, 0, UINT32_MAX));
    assert_true(wi_key_same(wi_key_make(5, 6, 7), wi_key_make(5, 6, 8)));
    assert_false(wi_key_same(wi_key_make(5, 6, 7), wi_key_make(5, 7, 7)));
    assert_true(k < WI_KEY_MAX);
}

/* Push n, pop n: sorted. n runs over growth and every shape of the last group of children. */
static void sorts(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (size_t n = 0; n < 3000; n = n < 40 ? n + 1 : n * 2) {
        wi_heap h = {0};
        wi_heap_key *keys = calloc(n + 1, sizeof *keys);
        for (size_t i = 0; i < n; i++) {
            keys[i] = random_key(&seed, i % 2 ? 3 : 1000000);
            assert_true(wi_heap_reserve(&h, h.n + 1));
            wi_heap_push(&h, keys[i]);
        }
        assert_int_equal(((uintptr_t)&h.a[1]) % 64, n ? 0 : ((uintptr_t)&h.a[1]) % 64);
        if (n)
            expect_heap(&h);
        qsort(keys, n, sizeof *keys, rising);
        for (size_t i = 0; i < n; i++) {
            assert_true(h.a[0] == keys[i]);
            wi_heap_pop(&h);
            if (n < 100)
                expect_heap(&h);
        }
        assert_int_equal(h.n, 0);
        free(keys);
        wi_heap_free(&h);
    }
}

/* Random pushes, pops and replaced roots against a sorted array. */
static void agrees_with_a_sorted_array(void **state)
{
    (void)state;
    enum { MOST = 200, STEPS = 60000 };
    static wi_heap_key sorted[MOST];
    uint64_t seed = 2;
    size_t n = 0;
    wi_heap h = {0};
    assert_true(wi_heap_reserve(&h, MOST));
    for (int step = 0; step < STEPS; step++) {
        const uint32_t what = rnd_below(&seed, 3);
        const wi_heap_key key = random_key(&seed, step % 2000 < 1000 ? 4 : 100000);
        if (n > 0 && what == 0)
            wi_heap_pop(&h);
        else if (n > 0 && what == 1)
            wi_heap_sink(&h, key);
        else if (n < MOST)
            wi_heap_push(&h, key);
        else
            continue;
        const int removes = n > 0 && what < 2, adds = !(n > 0 && what == 0);
        if (removes)
            memmove(sorted, sorted + 1, --n * sizeof *sorted);
        if (adds) {
            size_t at = n++;
            for (; at > 0 && sorted[at - 1] > key; at--)
                sorted[at] = sorted[at - 1];
            sorted[at] = key;
        }
        assert_int_equal(h.n, n);
        if (n > 0)
            assert_true(h.a[0] == sorted[0]);
    }
    wi_heap_free(&h);
}

/* Even times, crowds, one instant, rising and falling: each way through the sort of buckets. */
static void key_sort_sorts(void **state)
{
    (void)state;
    enum { MOST = 3000 };
    static wi_heap_key keys[MOST], want[MOST], spare[MOST];
    uint64_t seed = 3;
    for (size_t n = 0; n <= MOST; n = n < 70 ? n + 1 : n * 3 / 2)
        for (int shape = 0; shape < 7; shape++) {
            for (size_t i = 0; i < n; i++) {
                const uint64_t even = rnd(&seed) >> 20;
                const uint64_t times[7] = {
                    even, 77, even % 5, i, n - i, i % 50 ? even % 100 : even, i ? even >> 40 : INT64_MAX - 1};
                want[i] = keys[i] = wi_key_make((weir_time)times[shape], (uint32_t)rnd(&seed), (uint32_t)i);
            }
            wi_key_sort(keys, spare, n);
            qsort(want, n, sizeof *want, rising);
            assert_memory_equal(keys, want, n * sizeof *want);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(keys_hold_their_parts), cmocka_unit_test(sorts),
                                       cmocka_unit_test(agrees_with_a_sorted_array),
                                       cmocka_unit_test(key_sort_sorts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
