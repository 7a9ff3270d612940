/*
 * Send times kept once for a run of segments (tcp_runs.h), against a list that keeps each segment's own: at every
 * packet of flows with random losses, of every two segments in flight the one that was sent first must be the
 * same by both; of ten thousand pairs of all flows one may change places, where there were more runs than there is
 * room for, and of a thousand of one flow.
 */
#include "net/wire.h"

enum { SEGMENTS = 1 << 16 };

typedef struct exact {
    weir_stream random;
    double loss;
    weir_time sent[SEGMENTS]; /* the last time */
    uint64_t pairs, wrong;
    uint32_t most_runs;
} exact;

static exact e;

/* The run of segment k. */
static uint32_t run_of(const wire *w, const net_tx *tx, const net_runs *runs, uint32_t k)
{
    for (uint32_t i = 0; i < tx->n_runs; i++)
        if (k < net_run_top(tx, w->cls, runs, i))
            return i;
    fail_msg("segment %u of %u is in no run", k, tx->n_out);
    return 0;
}

static void compare(wire *w, net_tx *tx)
{
    const net_runs runs = net_runs_of(&w->ctx, tx, w->cls);
    const uint32_t base = (tx->una - tx->first) / w->cls->mss_bytes;
    uint32_t above = UINT32_MAX;
    for (uint32_t i = 0; i < tx->n_runs; i++) /* runs go up, and only the last one ends at nxt */
        assert_true(i == 0 || net_seq_before(runs.run[i - 1].from, runs.run[i].from));
    for (uint32_t k = 0; (k = net_tcp_next_flying(&w->ctx, tx, w->cls, k, tx->n_out)) < tx->n_out; k++) {
        if (above != UINT32_MAX) { /* of neighbours in flight; order is transitive */
            const net_sent_run a = runs.run[run_of(w, tx, &runs, above)],
                               b = runs.run[run_of(w, tx, &runs, k)];
            const int want = e.sent[base + above] > e.sent[base + k];
            const int got = net_rack_after(a.sent, above, b.sent, k);
            e.pairs++;
            e.wrong += want != got;
        }
        above = k;
    }
}

static bool play(wire *w, net_packet *p)
{
    net_tx *tx = &w->tx[0];
    if (p->flags & NET_ACK)
        return weir_draw_unit(&e.random) < e.loss / 2;
    const uint32_t k = (p->seq - tx->first) / w->cls->mss_bytes;
    assert_true(k < SEGMENTS);
    e.sent[k] = w->now;
    if (tx->n_runs > e.most_runs)
        e.most_runs = tx->n_runs;
    return weir_draw_unit(&e.random) < e.loss;
}

static uint64_t pairs, wrong; /* of all flows */

static void run(double loss, uint32_t window, uint64_t bytes, uint64_t seed)
{
    memset(&e, 0, sizeof e);
    e.random = weir_stream_make(seed, 0, 0);
    e.loss = loss;
    net_class c = sized_tcp(bytes);
    c.flags |= NET_CLASS_RACK;
    c.window_bytes = window * 1000;
    wire *w = wire_new(c, 1, 100000000, 10 * MS);
    w->lose = play;
    while (w->n_pending && w->now < 100 * SEC) {
        weir_time first = w->pending[0].head.time_ps;
        for (uint32_t i = 1; i < w->n_pending; i++)
            first = w->pending[i].head.time_ps < first ? w->pending[i].head.time_ps : first;
        wire_run(w, first + 1);
        compare(w, &w->tx[0]);
    }
    assert_int_equal(w->n_completed, 1);
    assert_true(e.pairs > 0);
    pairs += e.pairs;
    wrong += e.wrong;
    if (e.wrong > e.pairs / 1000)
        fail_msg("loss %g, window %u: of %llu pairs %llu in the wrong order", loss, window,
                 (unsigned long long)e.pairs, (unsigned long long)e.wrong);
    assert_in_range(e.most_runs, 1, NET_RUNS);
    if (loss <
        0.05) /* no segment was sent again in vain, but by timers where a small window has lost too much */
        assert_true(w->rx[0].duplicates <= w->tx[0].timeouts);
    wire_free(w);
}

static void order_is_that_of_each_segments_own_time(void **state)
{
    (void)state;
    const double loss[] = {0.001, 0.003, 0.01, 0.03, 0.1, 0.2};
    const uint32_t window[] = {10, 50, 250, 1000};
    for (uint32_t i = 0; i < 6; i++)
        for (uint32_t j = 0; j < 4; j++)
            run(loss[i], window[j], loss[i] > 0.05 ? 1000000 : 10000000, 10 * i + j);
    print_message("  %llu of %llu pairs in the wrong order\n", (unsigned long long)wrong,
                  (unsigned long long)pairs);
    assert_true(wrong <= pairs / 10000);
}

/* What has been out for 80 s and more counts as sent 80 s ago, wherever the clock of 32 bits stands; retransmissions may stand up
 * to 2^20 units in the future. */
static void old_times_stay_in_the_past(void **state)
{
    static const uint32_t now[] = {0, 1, NET_RACK_OLD, UINT32_MAX / 2, UINT32_MAX};
    (void)state;
    for (size_t i = 0; i < sizeof now / sizeof *now; i++) {
        const uint32_t n = now[i], oldest = n - NET_RACK_OLD;
        static const uint32_t old[] = {1, 1000, UINT32_MAX / 2, UINT32_MAX - NET_RACK_OLD - (1u << 20) - 1};
        for (size_t k = 0; k < sizeof old / sizeof *old; k++)
            assert_int_equal(net_rack_aged(oldest - old[k], n), oldest);
        static const uint32_t recent[] = {0, 1, 1u << 20, NET_RACK_OLD};
        for (size_t k = 0; k < sizeof recent / sizeof *recent; k++)
            assert_int_equal(net_rack_aged(n - recent[k], n), n - recent[k]);
        assert_int_equal(net_rack_aged(n + (1u << 20), n), n + (1u << 20));
        assert_true(net_rack_after(n, 0, net_rack_aged(oldest - 1, n), 0));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_is_that_of_each_segments_own_time),
        cmocka_unit_test(old_times_stay_in_the_past),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
