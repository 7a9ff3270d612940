/*
 * Ranges of sequence numbers against a bitmap, with random operations and across the wrap of 32 bits; the
 * delay histogram's bins against their bounds.
 */
#include "wire.h"

#include "net/stats.h"
#include "splitmix.h"

enum { SPAN = 256 };

/* The ranges must be what the bitmap holds: sorted, disjoint, not touching, the same bytes. */
static void compare(const net_ranges *r, uint8_t n, const unsigned char *bit, uint32_t base)
{
    uint32_t at = 0, i = 0;
    while (at < SPAN) {
        if (!bit[at]) {
            at++;
            continue;
        }
        uint32_t end = at;
        while (end < SPAN && bit[end])
            end++;
        assert_true(i < n);
        assert_int_equal(r->from[i], base + at);
        assert_int_equal(r->to[i], base + end);
        i++;
        at = end;
    }
    assert_int_equal(i, n);
}

static int runs(const unsigned char *bit)
{
    int n = 0;
    for (uint32_t i = 0; i < SPAN; i++)
        n += bit[i] && (i == 0 || !bit[i - 1]);
    return n;
}

/* Add, trim and count at random. What would make one range too many is refused, and leaves all as it was. */
static void like_a_bitmap(void **state)
{
    uint64_t seed = 1;
    (void)state;
    const uint32_t bases[] = {0, 1000, UINT32_MAX - 100, UINT32_MAX - SPAN + 1, 0x7fffff80u};
    for (int round = 0; round < 4000; round++) {
        const uint32_t base = bases[round % 5];
        unsigned char bit[SPAN] = {0};
        net_ranges r;
        uint8_t n = 0;
        uint32_t low = 0; /* all below has been trimmed */
        for (int step = 0; step < 40 && low < SPAN - 1; step++) {
            const uint32_t a = low + rnd_below(&seed, SPAN - low), b = a + 1 + rnd_below(&seed, 24);
            if (b > SPAN)
                continue;
            if (rnd_below(&seed, 8) == 0) {
                net_ranges_trim(&r, &n, base + a);
                memset(bit, 0, a);
                low = a;
            } else {
                unsigned char more[SPAN];
                memcpy(more, bit, sizeof more);
                memset(more + a, 1, b - a);
                const int fits = runs(more) <= NET_RANGES;
                assert_int_equal(net_ranges_add(&r, &n, base + a, base + b), fits);
                if (fits)
                    memcpy(bit, more, sizeof bit);
            }
            compare(&r, n, bit, base);
            const uint32_t from = rnd_below(&seed, SPAN), to = from + rnd_below(&seed, SPAN - from + 1);
            uint32_t covered = 0;
            for (uint32_t i = from; i < to; i++)
                covered += bit[i];
            assert_int_equal(net_ranges_covered(&r, n, base + from, base + to), covered);
        }
    }
}

/* Every bin's bounds hold what falls into it; bins are in order without gaps; widths are at most 1/32. */
static void delay_bins(void **state)
{
    (void)state;
    double end_s = 0.0;
    for (uint32_t bin = 0; bin < NET_DELAY_BINS; bin++) {
        double from_s, to_s;
        wi_net_delay_bin_bounds(bin, &from_s, &to_s);
        assert_true(from_s == end_s);
        assert_true(to_s > from_s);
        if (bin >= 32)
            assert_true((to_s - from_s) * 32 <= from_s * (1 + 1e-12));
        end_s = to_s;
        if (to_s > 1e3) /* beyond, a double does not hold every picosecond */
            continue;
        const weir_time first = (weir_time)llround(from_s * 1e12), last = (weir_time)llround(to_s * 1e12) - 1;
        assert_int_equal(net_delay_bin(first), bin);
        assert_int_equal(net_delay_bin(last), bin);
    }
    assert_int_equal(net_delay_bin(0), 0);
    assert_int_equal(net_delay_bin(999), 0); /* below 1 ns */
    assert_int_equal(net_delay_bin(INT64_MAX), NET_DELAY_BINS - 1);
}

/* 100 delays of 1 .. 100 ns: quantiles by interpolation within bins of one nanosecond, wider ones from 64 on.
 */
static void quantiles(void **state)
{
    int64_t *histogram = calloc(NET_DELAY_BINS, sizeof *histogram);
    (void)state;
    assert_true(isnan(wi_net_delay_quantile(histogram, 0.5)));
    for (int ns = 1; ns <= 100; ns++)
        histogram[net_delay_bin(ns * 1000)]++;
    assert_true(fabs(wi_net_delay_quantile(histogram, 0.2) - 21e-9) < 1e-12);
    assert_true(fabs(wi_net_delay_quantile(histogram, 0.5) - 51e-9) < 1e-12);
    assert_true(fabs(wi_net_delay_quantile(histogram, 0.9) - 91e-9) < 1e-12);
    assert_true(fabs(wi_net_delay_quantile(histogram, 1.0) - 102e-9) < 1e-12);
    free(histogram);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(like_a_bitmap), cmocka_unit_test(delay_bins),
                                       cmocka_unit_test(quantiles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
