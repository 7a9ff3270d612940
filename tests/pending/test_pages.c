/* Memory on pages of either size: zero, aligned, and kept when it grows across the border between them. */
#include "engine/harness.h"

#include "pending/pages.h"

enum { MIB = 1 << 20 };

static unsigned char mark(size_t i)
{
    return (unsigned char)(i * 7 + (i >> 12) + 1);
}

static void zero_and_aligned(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 63, 64, 4096, 4 * MIB - 1, 4 * MIB, 4 * MIB + 1, 9 * MIB};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        unsigned char *at = wi_pages_new(sizes[k]);
        assert_non_null(at);
        assert_int_equal((uintptr_t)at % 64, 0);
        for (size_t i = 0; i < sizes[k]; i++)
            if (at[i] != 0)
                fail_msg("byte %zu of %zu is not zero", i, sizes[k]);
        memset(at, 0xff, sizes[k]);
        wi_pages_free(at, sizes[k]);
    }
    wi_pages_free(NULL, 0);
    wi_pages_free(NULL, 8 * MIB);
    assert_null(wi_pages_new(SIZE_MAX));
    assert_null(wi_pages_new(SIZE_MAX / 4));
}

static void growth_keeps_and_zeroes(void **state)
{
    (void)state;
    static const size_t sizes[] = {100, 5000, 3 * MIB, 5 * MIB + 77, 6 * MIB, 6 * MIB + 1, 20 * MIB};
    size_t size = 0;
    unsigned char *at = NULL;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        at = wi_pages_grow(at, size, sizes[k]);
        assert_non_null(at);
        for (size_t i = 0; i < sizes[k]; i++)
            if (at[i] != (i < size ? mark(i) : 0))
                fail_msg("byte %zu after growth from %zu to %zu", i, size, sizes[k]);
        for (size_t i = size; i < sizes[k]; i++)
            at[i] = mark(i);
        size = sizes[k];
    }
    assert_null(wi_pages_grow(at, size, SIZE_MAX / 4));
    for (size_t i = 0; i < size; i++)
        assert_true(at[i] == mark(i));
    wi_pages_free(at, size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(zero_and_aligned),
                                       cmocka_unit_test(growth_keeps_and_zeroes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
