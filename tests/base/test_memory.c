/* Pinned down: lists that grow one by one keep their items, whatever is taken off between; owned memory is zeroed, and is all
 * gone at the end (which sanitizers see); what lacks memory says so and changes nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "splitmix.h"

static void grows_one_by_one(void **state)
{
    enum { MOST = 3000 };
    uint32_t *list = NULL, n = 0, model[MOST], highest = 0;
    uint64_t random = 3;
    (void)state;
    for (int k = 0; k < 20000; k++) {
        if (n > 0 && rnd_below(&random, 5) < 2) {
            n -= 1 + (uint32_t)rnd_below(&random, n < 4 ? n : 4);
        } else if (n < MOST) {
            assert_true(wi_grow_one(&list, n, sizeof *list));
            model[n] = list[n] = (uint32_t)k;
            n++;
        }
        highest = n > highest ? n : highest;
        if (n > 0)
            assert_memory_equal(list, model, n * sizeof *list);
    }
    assert_true(highest > 8);
    uint32_t *const before = list;
    assert_false(wi_grow_one(&list, SIZE_MAX / 2 + 1, sizeof *list));
    assert_ptr_equal(list, before);
    free(list);
}

static void owns(void **state)
{
    wi_owned memory = {0};
    (void)state;
    for (size_t n = 0; n < 100; n++) {
        unsigned char *piece = wi_take(&memory, n, 3);
        assert_non_null(piece);
        assert_int_equal((uintptr_t)piece % _Alignof(max_align_t), 0);
        for (size_t i = 0; i < 3 * n; i++)
            assert_int_equal(piece[i], 0);
        memset(piece, 0xff, 3 * n);
    }
    assert_false(memory.failed);
    assert_null(wi_take(&memory, SIZE_MAX / 2, 8));
    assert_true(memory.failed);
    wi_owned_free(&memory);
    assert_false(memory.failed);
    wi_owned_free(&memory);
}

static int frees_on_each_path(int path)
{
    WI_FREED char *const text = malloc(10), *none = NULL;
    assert_non_null(text);
    assert_null(none);
    if (path == 1)
        return 1;
    for (int i = 0; i < 3; i++) {
        WI_FREED int *number = malloc(sizeof *number);
        *number = i;
        if (*number == path)
            continue;
        strcpy(text, "not yet");
    }
    return text[0];
}

static void frees_locals(void **state)
{
    (void)state;
    assert_int_equal(frees_on_each_path(1), 1);
    assert_int_equal(frees_on_each_path(0), 'n'); /* read before it is freed */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(grows_one_by_one), cmocka_unit_test(owns),
                                       cmocka_unit_test(frees_locals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
