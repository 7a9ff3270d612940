/* Pinned down: the owner of each place, by looking through all slices; empty slices own nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/owner.h"
#include "splitmix.h"

static void owners(void **state)
{
    enum { MOST = 40 };
    uint64_t random = 7;
    (void)state;
    for (int k = 0; k < 500; k++) {
        uint32_t first[MOST + 1] = {0}, n = 1 + rnd_below(&random, MOST);
        for (uint32_t i = 0; i < n; i++)
            first[i + 1] = first[i] + (uint32_t)rnd_below(&random, 4); /* a quarter are empty */
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t at = first[i]; at < first[i + 1]; at++)
                assert_int_equal(wi_owner_of(first, n, at), i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(owners)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
