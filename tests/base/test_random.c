/* Random streams: Random123's published known answers, the layout of the counter, and ranges. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "weir/random.h"

/* From kat_vectors of Random123, philox4x32 with 10 rounds: counter, key, block. */
static void known_answers(void **state)
{
    (void)state;
    static const struct {
        uint32_t counter[4], key[2], block[4];
    } kat[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof kat / sizeof *kat; i++) {
        weir_stream s = weir_stream_make((uint64_t)kat[i].key[1] << 32 | kat[i].key[0], kat[i].counter[0],
                                         kat[i].counter[1]);
        s.draws = (uint64_t)kat[i].counter[3] << 32 | kat[i].counter[2];
        const weir_stream start = s;
        uint32_t block[4];
        uint64_t a, b;
        weir_draw128(&s, block);
        assert_memory_equal(block, kat[i].block, sizeof block);
        assert_true(s.draws == start.draws + 1);
        s = start;
        weir_draw_pair(&s, &a, &b);
        assert_true(a == ((uint64_t)block[1] << 32 | block[0]) && b == ((uint64_t)block[3] << 32 | block[2]));
        s = start; /* a rollback brings the same numbers */
        assert_true(weir_draw(&s) == a);
    }
}

static void streams_differ_in_every_part(void **state)
{
    (void)state;
    weir_stream a = weir_stream_make(1, 2, 3),
                other[] = {weir_stream_make(2, 2, 3), weir_stream_make(1, 3, 3), weir_stream_make(1, 2, 4),
                           weir_stream_make(1 + (UINT64_C(1) << 32), 2, 3)};
    const uint64_t first = weir_draw(&a);
    assert_true(weir_draw(&a) != first);
    for (size_t i = 0; i < 4; i++)
        assert_true(weir_draw(&other[i]) != first);
}

static void doubles_stay_in_their_intervals(void **state)
{
    (void)state;
    assert_true(weir_unit_of_bits(0) == 0.0);
    assert_true(weir_unit_of_bits(UINT64_MAX) == 1.0 - 0x1p-53);
    assert_true(weir_unit_open_of_bits(0) == 0x1p-53);
    assert_true(weir_unit_open_of_bits(UINT64_MAX) == 1.0);
}

/* Mean, and 16 bins by chi-square with 15 degrees of freedom: above 37.7 once in a thousand seeds; this seed
 * is fixed. */
static void units_are_uniform(void **state)
{
    (void)state;
    weir_stream s = weir_stream_make(11, 0, 0);
    enum { N = 160000 };
    int bin[16] = {0};
    double sum = 0;
    for (int i = 0; i < N; i++) {
        const double u = weir_draw_unit(&s);
        sum += u;
        bin[(int)(16 * u)]++;
    }
    double chi2 = 0;
    for (int i = 0; i < 16; i++)
        chi2 += (bin[i] - N / 16.0) * (bin[i] - N / 16.0) / (N / 16.0);
    assert_true(fabs(sum / N - 0.5) < 3.5 * sqrt(1.0 / 12 / N));
    if (!(chi2 <= 37.7))
        fail_msg("chi-square is %g", chi2);
}

static void integers_fill_their_range(void **state)
{
    (void)state;
    weir_stream s = weir_stream_make(12, 0, 0);
    enum { N = 70000 };
    int count[7] = {0};
    for (int i = 0; i < N; i++) {
        const uint64_t k = weir_draw_below(&s, 7);
        assert_true(k < 7);
        count[k]++;
    }
    for (int k = 0; k < 7; k++)
        assert_true(fabs(count[k] - N / 7.0) < 4 * sqrt(N / 7.0));
    assert_true(s.draws == N); /* one block each, whatever comes */
    assert_true(weir_draw_below(&s, 0) == 0);
    assert_true(weir_draw_below(&s, 1) == 0);
    uint64_t top = 0;
    for (int i = 0; i < 100; i++)
        top |= weir_draw_below(&s, UINT64_MAX);
    assert_true(top >> 60 == 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers),
        cmocka_unit_test(streams_differ_in_every_part),
        cmocka_unit_test(doubles_stay_in_their_intervals),
        cmocka_unit_test(units_are_uniform),
        cmocka_unit_test(integers_fill_their_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
