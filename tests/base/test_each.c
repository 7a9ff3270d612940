/* Items handled by several threads (base/each.h): each once, whatever the number of threads. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/each.h"

enum { ITEMS = 5000 };

static int seen[ITEMS];

static void see(void *user, uint32_t i)
{
    int *base = user;
    __atomic_fetch_add(&base[i], 1, __ATOMIC_RELAXED);
}

static void each_item_comes_once(void **state)
{
    static const uint32_t threads[] = {0, 1, 2, 3, 16, 300}, ends[] = {0, 1, 2, 7, 300, ITEMS};
    (void)state;
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++)
        for (size_t e = 0; e < sizeof ends / sizeof *ends; e++)
            for (uint32_t from = 0; from <= ends[e] && from <= 6; from += 3) {
                memset(seen, 0, sizeof seen);
                wi_each(threads[t], from, ends[e], see, seen);
                for (uint32_t i = 0; i < ITEMS; i++)
                    assert_int_equal(seen[i], i >= from && i < ends[e]);
            }
}

static void none_where_the_end_is_before(void **state)
{
    (void)state;
    memset(seen, 0, sizeof seen);
    wi_each(4, 9, 3, see, seen);
    for (uint32_t i = 0; i < ITEMS; i++)
        assert_int_equal(seen[i], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_item_comes_once),
                                       cmocka_unit_test(none_where_the_end_is_before)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
