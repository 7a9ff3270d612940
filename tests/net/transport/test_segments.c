/*
 * Maps of a bit a segment against arrays of bytes, with random operations and round the end of the ring; what
 * an ACK carries, packed and unpacked; the delay histogram's bins against their bounds.
 */
#include "net/wire.h"

#include "packets/stats/stats.h"
#include "splitmix.h"

enum { WORDS = 5, SPAN = 64 * WORDS };

static void compare(const net_map *m, const unsigned char *bit, uint64_t *seed)
{
    for (uint32_t k = 0; k < SPAN; k++)
        assert_int_equal(net_map_test(m, k), bit[k]);
    for (int i = 0; i < 8; i++) {
        const uint32_t from = rnd_below(seed, SPAN), to = from + rnd_below(seed, SPAN - from + 1);
        uint32_t count = 0, first[2] = {to, to}, last[2] = {NET_NO_SEGMENT, NET_NO_SEGMENT};
        for (uint32_t k = from; k < to; k++) {
            count += bit[k];
            if (first[bit[k]] == to)
                first[bit[k]] = k;
            last[bit[k]] = k;
        }
        assert_int_equal(net_map_count(m, from, to), count);
        for (int set = 0; set <= 1; set++) {
            assert_int_equal(net_map_next(m, from, to, set), first[set]);
            assert_int_equal(net_map_last(m, from, to, set), last[set]);
        }
    }
}

/* Set, clear, count, find, and move on, at random. */
static void like_an_array(void **state)
{
    uint64_t seed = 1;
    (void)state;
    weir_ctx ctx;
    memset(&ctx, 0, sizeof ctx);
    for (int round = 0; round < 300; round++) {
        uint64_t word[WORDS] = {0};
        unsigned char bit[SPAN] = {0};
        net_map m = {word, WORDS, rnd_below(&seed, SPAN)};
        for (int step = 0; step < 40; step++) {
            const uint32_t a = rnd_below(&seed, SPAN), b = a + rnd_below(&seed, SPAN - a + 1);
            const int set = rnd_below(&seed, 3) > 0;
            if (rnd_below(&seed, 6) == 0) { /* the oldest `a` segments are acknowledged */
                net_map_put(&ctx, &m, 0, a, 0);
                m.base = net_map_place(&m, a);
                memmove(bit, bit + a, SPAN - a);
                memset(bit + SPAN - a, 0, a);
            } else {
                uint32_t changed = 0;
                for (uint32_t k = a; k < b; k++)
                    changed += bit[k] != set;
                assert_int_equal(net_map_put(&ctx, &m, a, b, set), changed);
                memset(bit + a, set, b - a);
            }
            compare(&m, bit, &seed);
        }
    }
}

/* Blocks and time come out as they went in, for narrow and wide windows, at the ends of their ranges. */
static void acks_pack(void **state)
{
    (void)state;
    static const struct {
        uint32_t words, blocks, most;
        weir_time unit;
    } formats[] = {{256, 3, 16383, 16}, {257, 2, NET_WINDOW_SEGMENTS_MAX, 65536}};
    for (int f = 0; f < 2; f++) {
        net_class c = plain_tcp();
        c.map_words = formats[f].words;
        const uint32_t most = formats[f].most;
        const net_ack_block in[3] = {{most - 1, most}, {1, most}, {most / 2, most / 2 + 1}};
        for (uint32_t n = 0; n <= 3; n++) {
            const weir_time sent = 123456789 * US + 4711, now = sent + 270 * SEC;
            net_packet p;
            net_packet_init(&p, 0, 0, 0, 40, NET_ACK);
            net_ack_pack(&p, &c, sent, in, n);
            assert_true(llabs(net_ack_elapsed(&p, &c, now) - 270 * SEC) <= formats[f].unit);
            assert_int_equal(net_ack_has_blocks(&p, &c), n > 0);
            for (uint32_t i = 0; i < 3; i++) {
                const net_ack_block out = net_ack_block_at(&p, &c, i);
                const bool there = i < n && i < formats[f].blocks;
                assert_int_equal(out.from, there ? in[i].from : 0);
                assert_int_equal(out.to, there ? in[i].to : 0);
            }
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
    assert_true(isnan(wi_net_delay_quantile(histogram, 0.5, 0.0, (double)INFINITY)));
    for (int ns = 1; ns <= 100; ns++)
        histogram[net_delay_bin(ns * 1000)]++;
    assert_true(fabs(wi_net_delay_quantile(histogram, 0.2, 0.0, (double)INFINITY) - 21e-9) < 1e-12);
    assert_true(fabs(wi_net_delay_quantile(histogram, 0.5, 0.0, (double)INFINITY) - 51e-9) < 1e-12);
    assert_true(fabs(wi_net_delay_quantile(histogram, 0.9, 0.0, (double)INFINITY) - 91e-9) < 1e-12);
    assert_true(fabs(wi_net_delay_quantile(histogram, 1.0, 0.0, (double)INFINITY) - 102e-9) < 1e-12);
    /* no quantile is outside of what is known of all delays */
    assert_true(wi_net_delay_quantile(histogram, 1.0, 1e-9, 100e-9) == 100e-9);
    assert_true(wi_net_delay_quantile(histogram, 0.001, 1.5e-9, 100e-9) == 1.5e-9);
    /* the last bin, of 32 an octave up to 2^44 ns, holds what is larger: 63 x 2^38 ns and more, or the largest, where it is known */
    histogram[net_delay_bin(INT64_MAX)] = 1000;
    assert_true(fabs(wi_net_delay_quantile(histogram, 0.5, 0.0, (double)INFINITY) - 63 * 274.877906944) <
                1e-6);
    assert_true(wi_net_delay_quantile(histogram, 0.5, 0.0, 36000.0) == 36000.0);
    free(histogram);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(like_an_array), cmocka_unit_test(acks_pack),
                                       cmocka_unit_test(delay_bins), cmocka_unit_test(quantiles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
