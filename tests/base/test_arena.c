/* Arenas and images: alignment, zeros, growth, and refusals that leave things as they were. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "weir/arena.h"
#include "base/image.h"

static bool all_zero(const void *p, size_t n)
{
    const unsigned char *byte = p;
    for (size_t i = 0; i < n; i++)
        if (byte[i])
            return false;
    return true;
}

static void arena_blocks(void **state)
{
    (void)state;
    weir_arena *arena = weir_arena_new(1000);
    assert_non_null(arena);
    unsigned char *block[200];
    size_t used = 0;
    for (size_t i = 0; i < 200; i++) {
        block[i] = weir_arena_alloc(arena, i, 17); /* some larger than a chunk */
        assert_non_null(block[i]);
        assert_int_equal((uintptr_t)block[i] % WEIR_ARENA_ALIGN, 0);
        assert_true(all_zero(block[i], 17 * i));
        memset(block[i], (int)i, 17 * i);
        assert_true(weir_arena_used(arena) >= used + 17 * i);
        used = weir_arena_used(arena);
    }
    for (size_t i = 0; i < 200; i++) /* none was overwritten by a later one */
        for (size_t j = 0; j < 17 * i; j++)
            assert_int_equal(block[i][j], (unsigned char)i);
    assert_string_equal(weir_arena_strdup(arena, "Seattle"), "Seattle");
    weir_arena_free(arena);
    weir_arena_free(NULL);
}

static void arena_refuses(void **state)
{
    (void)state;
    weir_arena *arena = weir_arena_new(0);
    assert_null(weir_arena_alloc(arena, SIZE_MAX, 2));
    assert_null(weir_arena_alloc(arena, SIZE_MAX / 2 + 2, 1));
    assert_int_equal(weir_arena_used(arena), 0);
    void *a = weir_arena_alloc(arena, 0, 8), *b = weir_arena_alloc(arena, 8, 0);
    assert_true(a && b && a != b);
    weir_arena_free(arena);
}

static void image_offsets_survive_growth(void **state)
{
    (void)state;
    wi_image image = {0};
    assert_null(wi_image_at(&image, 0));
    uint64_t offset[300];
    for (uint64_t i = 0; i < 300; i++) {
        const uint64_t align = UINT64_C(1) << (i % 7);
        assert_true(wi_image_reserve(&image, 3 * i + 1, align, &offset[i]));
        assert_int_equal(offset[i] % align, 0);
        assert_true(all_zero(wi_image_at(&image, offset[i]), 3 * i + 1));
        memset(wi_image_at(&image, offset[i]), (int)i, 3 * i + 1);
    }
    assert_int_equal((uintptr_t)image.bytes % WI_IMAGE_ALIGN, 0);
    uint64_t at, size;
    assert_true(wi_image_append(&image, "weir", 5, 1, &at));
    assert_true(wi_image_append(&image, NULL, 0, 64, &size));
    const uint64_t end = image.size;
    unsigned char *bytes = wi_image_finish(&image, &size);
    assert_true(size >= end && size % WI_IMAGE_ALIGN == 0 && all_zero(bytes + end, size - end));
    assert_string_equal((char *)bytes + at, "weir");
    for (uint64_t i = 0; i < 300; i++)
        for (uint64_t j = 0; j < 3 * i + 1; j++)
            assert_int_equal(bytes[offset[i] + j], (unsigned char)i);
    free(bytes);
    assert_null(image.bytes);
    assert_null(wi_image_finish(&image, &size));
    assert_int_equal(size, 0);
}

static void image_refuses(void **state)
{
    (void)state;
    wi_image image = {0};
    uint64_t at = 77;
    assert_true(wi_image_reserve(&image, 10, 8, &at));
    at = 77;
    assert_false(wi_image_reserve(&image, 10, 0, &at));
    assert_false(wi_image_reserve(&image, 10, 24, &at));
    assert_false(wi_image_reserve(&image, 10, 128, &at));
    assert_false(wi_image_reserve(&image, UINT64_MAX - 4, 1, &at));
    assert_false(wi_image_reserve(&image, UINT64_MAX / 2, 1, &at));
    assert_int_equal(at, 77);
    assert_int_equal(image.size, 10);
    wi_image_free(&image);
    wi_image_free(&image);
    wi_image_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_blocks),
        cmocka_unit_test(arena_refuses),
        cmocka_unit_test(image_offsets_survive_growth),
        cmocka_unit_test(image_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
