/* The choice of the LP size: tried sizes, early ends, drift, fixed sizes. */
#include "harness.h"

#include "engine/gpu_adapt.h"

/* Feed measurements of a machine whose rate by size is given, until `stretches` have been measured; returns
 * how many were needed until the trial ended. */
static int feed(wi_gpu_adapt *a, const double *rate, int stretches)
{
    int ended = -1;
    for (int i = 0; i < stretches; i++) {
        const double r = rate[a->shift];
        wi_gpu_adapt_measured(a, (uint64_t)(r * 0.05), 0.05);
        if (ended < 0 && !a->trying)
            ended = i + 1;
    }
    return ended;
}

static void best_size_is_kept(void **state)
{
    (void)state;
    const double hump[11] = {3e7, 5e7, 8e7, 7e7, 5e7, 4e7, 3e7, 2e7, 1e7, 1e7, 1e7};
    const double falling[11] = {9e7, 8e7, 5e7, 3e7, 2e7, 1e7, 1e7, 1e7, 1e7, 1e7, 1e7};
    const double rising[11] = {1e7, 2e7, 3e7, 4e7, 5e7, 6e7, 7e7, 8e7, 9e7, 10e7, 11e7};
    wi_gpu_adapt a;
    wi_gpu_adapt_init(&a, 1 << 20, 0);
    assert_int_equal(a.shift, 0);
    assert_int_equal(feed(&a, hump, 50), 6); /* sizes 16 and 32 fall behind: no more are tried */
    assert_int_equal(a.shift, 2);
    wi_gpu_adapt_init(&a, 1 << 20, 0);
    assert_int_equal(feed(&a, falling, 50), 4);
    assert_int_equal(a.shift, 0);
    wi_gpu_adapt_init(&a, 1 << 20, 0);
    assert_int_equal(feed(&a, rising, 50), 11);
    assert_int_equal(a.shift, 10);
}

static void small_networks_keep_enough_lps(void **state)
{
    (void)state;
    const double rising[11] = {1e7, 2e7, 3e7, 4e7, 5e7, 6e7, 7e7, 8e7, 9e7, 10e7, 11e7};
    wi_gpu_adapt a;
    wi_gpu_adapt_init(&a, 300, 0);
    feed(&a, rising, 50);
    assert_int_equal(a.shift, 2); /* 75 LPs of 4 */
    wi_gpu_adapt_init(&a, 1, 0);
    feed(&a, rising, 50);
    assert_int_equal(a.shift, 0);
}

static void a_fixed_size_stays(void **state)
{
    (void)state;
    const double rising[11] = {1e7, 2e7, 3e7, 4e7, 5e7, 6e7, 7e7, 8e7, 9e7, 10e7, 11e7};
    for (uint32_t shift = 0; shift < 8; shift++) {
        wi_gpu_adapt a;
        wi_gpu_adapt_init(&a, 1 << 20, 1u << shift);
        feed(&a, rising, 100);
        assert_int_equal(a.shift, shift);
    }
}

static void short_launches_add_up_to_a_stretch(void **state)
{
    (void)state;
    wi_gpu_adapt a;
    wi_gpu_adapt_init(&a, 1 << 20, 0);
    for (int i = 0; i < 9; i++)
        assert_false(wi_gpu_adapt_measured(&a, 100000, 0.002));
    assert_true(wi_gpu_adapt_measured(&a, 100000, 0.002));
    assert_int_equal(a.shift, 1);
}

static void drift_starts_another_trial(void **state)
{
    (void)state;
    double rate[11] = {3e7, 5e7, 8e7, 7e7, 5e7, 4e7, 3e7, 2e7, 1e7, 1e7, 1e7};
    wi_gpu_adapt a;
    wi_gpu_adapt_init(&a, 1 << 20, 0);
    feed(&a, rate, 50);
    assert_int_equal(a.shift, 2);
    feed(&a, rate, 200); /* steady: no new trial */
    assert_int_equal(a.shift, 2);
    assert_false(a.trying);
    /* The traffic changes: small LPs are best now, and four entities an LP are slower than they were. */
    rate[0] = 7e7;
    rate[1] = 5e7;
    rate[2] = 4e7;
    rate[3] = 3e7;
    feed(&a, rate, 50);
    assert_int_equal(a.shift, 0);
    assert_false(a.trying);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(best_size_is_kept),          cmocka_unit_test(small_networks_keep_enough_lps),
        cmocka_unit_test(a_fixed_size_stays),         cmocka_unit_test(short_launches_add_up_to_a_stretch),
        cmocka_unit_test(drift_starts_another_trial),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
