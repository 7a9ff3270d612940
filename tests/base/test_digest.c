/* The digest: what changes it, how well bits spread, and pinned values that every build must give.
 * label: bits */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "weir/digest.h"
#include "weir/random.h"

static void pinned_values(void **state)
{
    (void)state;
    const uint64_t w[11] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    assert_true(weir_digest_word(1, 2) == UINT64_C(0x4165c8d5e577ad19));
    assert_true(weir_digest_fold(WEIR_DIGEST_START, w, 0) == UINT64_C(0xc48d31971fc95ee5));
    assert_true(weir_digest_fold(WEIR_DIGEST_START, w, 3) == UINT64_C(0x242f402a7fccc7aa));
    assert_true(weir_digest_fold(WEIR_DIGEST_START, w, 8) == UINT64_C(0x96888654d9eb299a));
    assert_true(weir_digest_fold(WEIR_DIGEST_START, w, 11) == UINT64_C(0x09434a37a41c3ab1));
    assert_true(weir_digest_bytes(0, "abcdefghi", 9) == UINT64_C(0xe0ed4b14eabb15be));
    assert_true(weir_digest_word(5, 9) == weir_digest_fold(5, (const uint64_t[]){9}, 1));
}

/* Counts, boundaries of blocks, and order of words all matter. */
static void structure_matters(void **state)
{
    (void)state;
    const uint64_t zeros[20] = {0};
    uint64_t seen[21];
    for (uint32_t n = 0; n <= 20; n++) {
        seen[n] = weir_digest_fold(WEIR_DIGEST_START, zeros, n);
        for (uint32_t m = 0; m < n; m++)
            assert_true(seen[m] != seen[n]);
    }
    weir_stream s = weir_stream_make(3, 0, 0);
    for (int round = 0; round < 2000; round++) {
        uint64_t w[16];
        for (int i = 0; i < 16; i++)
            w[i] = weir_draw_below(&s, 4); /* small numbers: what events are made of */
        const uint64_t whole = weir_digest_fold(1, w, 16);
        const int i = (int)weir_draw_below(&s, 16), j = (int)weir_draw_below(&s, 16);
        const uint64_t t = w[i];
        w[i] = w[j];
        w[j] = t;
        assert_true((weir_digest_fold(1, w, 16) == whole) == (w[i] == w[j]));
    }
    const uint64_t a[2] = {1, 2}, b[2] = {3, 4};
    const uint64_t ab = weir_digest_fold(weir_digest_fold(0, a, 2), b, 2);
    assert_true(ab != weir_digest_fold(weir_digest_fold(0, b, 2), a, 2));
}

/* A flipped bit of a word, or of the chain, flips each output bit with probability 1/2. Of 4,000 trials the
 * share of any output bit has deviation 0.008; the bound, 0.05, is far beyond chance and far below a
 * structural flaw. */
static void avalanche(void **state)
{
    (void)state;
    enum { TRIALS = 4000 };
    weir_stream s = weir_stream_make(4, 0, 0);
    for (int bit = 0; bit < 64 * 9; bit += 5) {
        int flips[64] = {0};
        for (int t = 0; t < TRIALS; t++) {
            uint64_t w[9];
            for (int i = 0; i < 9; i++)
                w[i] = t % 2 ? weir_draw(&s) : weir_draw_below(&s, 1000);
            uint64_t chain = weir_draw(&s);
            const uint64_t before = weir_digest_fold(chain, w, 8);
            if (bit < 64 * 8)
                w[bit / 64] ^= UINT64_C(1) << (bit % 64);
            else
                chain ^= UINT64_C(1) << (bit % 64);
            const uint64_t change = before ^ weir_digest_fold(chain, w, 8);
            for (int i = 0; i < 64; i++)
                flips[i] += (int)(change >> i & 1);
        }
        for (int i = 0; i < 64; i++)
            if (!(fabs(flips[i] / (double)TRIALS - 0.5) <= 0.05))
                fail_msg("input bit %d flips output bit %d in %d of %d", bit, i, flips[i], TRIALS);
    }
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Events that differ in small numbers only: 2^18 of them, no two digests alike (chance would be 2^-29). */
static void no_collisions_among_small_numbers(void **state)
{
    (void)state;
    enum { N = 1 << 18 };
    uint64_t *seen = malloc(N * sizeof *seen);
    assert_non_null(seen);
    for (uint64_t i = 0; i < N; i++) {
        const uint64_t w[6] = {i & 7, i >> 3 & 7, i >> 6 & 7, i >> 9 & 7, i >> 12 & 7, i >> 15 & 7};
        seen[i] = weir_digest_fold(WEIR_DIGEST_START, w, 6);
    }
    qsort(seen, N, sizeof *seen, by_value);
    for (int i = 1; i < N; i++)
        assert_true(seen[i - 1] != seen[i]);
    free(seen);
}

static void bytes_of_any_length_and_alignment(void **state)
{
    (void)state;
    unsigned char text[200], moved[201];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (unsigned char)(i * 37);
    memcpy(moved + 1, text, sizeof text);
    for (size_t n = 0; n < sizeof text; n++) {
        const uint64_t d = weir_digest_bytes(9, text, n);
        assert_true(d == weir_digest_bytes(9, moved + 1, n));
        assert_true(d != weir_digest_bytes(9, text, n + 1));
        if (n > 0) {
            text[n - 1] ^= 0x80;
            assert_true(d != weir_digest_bytes(9, text, n));
            text[n - 1] ^= 0x80;
        }
    }
    assert_true(weir_digest_bytes(9, NULL, 0) == weir_digest_bytes(9, text, 0));
    const unsigned char zeros[8] = {0}; /* padding is not content */
    assert_true(weir_digest_bytes(9, zeros, 3) != weir_digest_bytes(9, zeros, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pinned_values),
        cmocka_unit_test(structure_matters),
        cmocka_unit_test(avalanche),
        cmocka_unit_test(no_collisions_among_small_numbers),
        cmocka_unit_test(bytes_of_any_length_and_alignment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
