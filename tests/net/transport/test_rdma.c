/*
 * RDMA's loss recoveries between two hosts, worked out by hand: go-back-N drops what comes behind a hole, says so once an interval, and
 * sends all of it again; IRN keeps it, names what came, sends each lost packet once, before new data, and no more than the
 * bound is in flight; both wait for constant timeouts, IRN for a short one while few packets are out.
 */
#include "net/wire.h"

/* A segment with its header takes a millisecond, a header 1/26; the wire 10 ms. So a round trip has 21 segments and a header. */
enum { BPS = 8320000 };
#define WIRE_DELAY (10 * MS)
#define SHORT_MS (1.0 / 26.0)

static net_class class_of(uint32_t recovery, uint64_t segments)
{
    net_class c = sized_tcp(segments * 1000);
    c.flags =
        (c.flags & ~(uint32_t)NET_CLASS_SACK) | recovery | (recovery == NET_CLASS_IRN ? NET_CLASS_SACK : 0);
    c.congestion = NET_CC_TIMELY; /* at the line's rate while no round trip is long */
    net_timely_params *const p = (net_timely_params *)(void *)c.cc;
    *p = (net_timely_params){.line = {BPS, 20 * MS},
                             .ai_bps = 1,
                             .least_bps = 1000000,
                             .segment = 1000,
                             .low_ps = SEC,
                             .high_ps = 2 * SEC,
                             .alpha = 0.5,
                             .beta = 0.5};
    c.initial_window_bytes = c.window_bytes;
    c.rto_min_ps = 80 * MS;
    c.rto_low_ps = 60 * MS;
    c.rto_low_segments = 3;
    c.nack_ps = 30 * MS;
    return c;
}

/* What a test sees and does: segments to be lost, so many times each; what is sent and answered. */
typedef struct watch {
    uint8_t lose[64];
    uint32_t n_sent, sent[512]; /* segments, in order */
    uint32_t n_nacks, expected[512], named[512];
    weir_time nack_ps[512];
} watch;

static bool see(wire *w, net_packet *p)
{
    watch *s = w->user;
    const uint32_t k = p->seq / 1000;
    if (p->flags & NET_ACK) {
        if (p->flags & NET_HOLE) {
            s->expected[s->n_nacks] = k;
            s->named[s->n_nacks] = k + net_ack_block_at(p, w->cls, 0).from;
            s->nack_ps[s->n_nacks++] = w->now;
        }
        return false;
    }
    assert_true(s->n_sent < 512);
    s->sent[s->n_sent++] = k;
    return k < 64 && s->lose[k] > 0 && s->lose[k]-- > 0;
}

static wire *begin(net_class c, watch *s)
{
    wire *w = wire_new(c, 1, BPS, WIRE_DELAY);
    w->user = s;
    w->lose = see;
    return w;
}

static void done_after(wire *w, double want_ms)
{
    assert_int_equal(w->n_completed, 1);
    if (!(fabs(w->finished_s - 1e-3 * want_ms) < 1e-6))
        fail_msg("done after %.6f ms, want %.6f", 1e3 * w->finished_s, want_ms);
}

/*
 * Of 40 segments number 5 is lost. Number 6 is there at 17 ms, its NACK sent at once and at the sender a header's time and
 * 10 ms later, while number 27 goes (from 27 to 28 ms): after it 5 to 39 go again. Each is sent again once, and the last one is
 * there at 28 + 35 + 10 ms.
 */
static void goes_back(void **state)
{
    (void)state;
    watch s = {.lose = {[5] = 1}};
    wire *w = begin(class_of(NET_CLASS_GO_BACK, 40), &s);
    wire_run(w, SEC);
    assert_int_equal(s.n_nacks, 1);
    assert_int_equal(s.expected[0], 5);
    assert_int_equal(s.nack_ps[0], 17 * MS + 1); /* flows begin at 1 ps */
    for (uint32_t i = 0; i < s.n_sent; i++)
        assert_int_equal(s.sent[i], i < 28 ? i : i - 23);
    assert_int_equal(w->tx[0].retransmissions, 23);
    assert_int_equal(w->tx[0].nacks, 1);
    assert_int_equal(w->tx[0].timeouts, 0);
    assert_int_equal(w->rx[0].bytes, 40000);
    done_after(w, 28 + 35 + 10 + SHORT_MS + 10);
    wire_free(w);
}

/* It is lost again: the next NACK of this hole is the interval later, with the packet that comes then. */
static void nacks_again_after_the_interval(void **state)
{
    (void)state;
    watch s = {.lose = {[5] = 2}};
    wire *w = begin(class_of(NET_CLASS_GO_BACK, 60), &s);
    wire_run(w, SEC);
    assert_int_equal(s.n_nacks, 2);
    assert_true(s.expected[1] == 5 && s.nack_ps[1] == 47 * MS + 1);
    assert_int_equal(w->tx[0].nacks, 2);
    assert_int_equal(w->tx[0].timeouts, 0);
    assert_int_equal(w->rx[0].bytes, 60000);
    wire_free(w);
}

/*
 * The last of 5 is lost, which no NACK can tell: go-back-N waits 80 ms after the ACK of the fourth, which is there at 24 ms and a header.
 * The fifth is then the only one out.
 */
static void last_one_waits_for_the_timer(void **state)
{
    (void)state;
    watch s = {.lose = {[4] = 1}};
    wire *w = begin(class_of(NET_CLASS_GO_BACK, 5), &s);
    wire_run(w, SEC);
    assert_true(w->tx[0].timeouts == 1 && w->tx[0].retransmissions == 1 && s.n_nacks == 0);
    done_after(w, 24 + SHORT_MS + 80 + 21 + SHORT_MS);
    wire_free(w);
    /* IRN waits the shorter time, as at most three are out. */
    watch t = {.lose = {[4] = 1}};
    w = begin(class_of(NET_CLASS_IRN, 5), &t);
    wire_run(w, SEC);
    assert_true(w->tx[0].timeouts == 1 && w->tx[0].retransmissions == 1 && t.n_nacks == 0);
    done_after(w, 24 + SHORT_MS + 60 + 21 + SHORT_MS);
    wire_free(w);
}

/*
 * IRN, of 40 segments 5 and 8 are lost, no bound. The NACK that 6 causes sends 5 again after 27, and when 9 has come, 8 is lost too.
 * New data goes on behind; nothing else goes again, and each packet behind the holes is named by a NACK of its own: 6, 7, 9 to 27 say 5
 * is expected, 28 to 30 say 8 is, until 8 is there. The flow takes two more segments' times than without loss.
 */
static void repeats_what_is_lost(void **state)
{
    (void)state;
    watch s = {.lose = {[5] = 1, [8] = 1}};
    net_class c = class_of(NET_CLASS_IRN, 40);
    c.bdp_bytes = c.window_bytes;
    wire *w = begin(c, &s);
    wire_run(w, SEC);
    uint32_t again = 0;
    for (uint32_t i = 1; i < s.n_sent; i++)
        again += s.sent[i] < s.sent[i - 1] + 1u && s.sent[i] != s.sent[i - 1];
    assert_int_equal(w->tx[0].retransmissions, 2);
    assert_int_equal(s.n_sent, 42);
    assert_true(s.sent[28] == 5 && s.sent[31] == 8 && again == 2);
    assert_true(s.expected[0] == 5 && s.named[0] == 6 && s.named[1] == 7 && s.named[2] == 9);
    for (uint32_t i = 0; i < s.n_nacks; i++)
        assert_true(s.expected[i] == (s.named[i] < 28 ? 5u : 8u));
    assert_true(s.n_nacks == 2 + 19 + 2 && w->tx[0].nacks == s.n_nacks && w->tx[0].timeouts == 0);
    done_after(w, 42 + 10 + SHORT_MS + 10);
    wire_free(w);
}

/* A bound of 10 segments: no more are ever out, lost ones included, counted from the last that is acknowledged in order. */
static void bound_holds(void **state)
{
    (void)state;
    for (int lossy = 0; lossy < 2; lossy++) {
        watch s = {.lose = {[5] = (uint8_t)lossy}};
        net_class c = class_of(NET_CLASS_IRN, 60);
        c.bdp_bytes = 10000;
        wire *w = begin(c, &s);
        uint32_t most = 0;
        for (weir_time t = MS; t < SEC; t += MS) {
            wire_run(w, t);
            most = w->tx[0].nxt - w->tx[0].una > most ? w->tx[0].nxt - w->tx[0].una : most;
        }
        assert_int_equal(most, 10000);
        assert_true(w->n_completed == 1 && w->tx[0].retransmissions == (uint32_t)lossy &&
                    w->rx[0].bytes == 60000);
        wire_free(w);
    }
    /* Filled in: what the line sends in the idle round trip, 21 segments and 1/26 ms: 22. */
    watch s = {0};
    wire *w = begin(class_of(NET_CLASS_IRN, 100), &s);
    assert_int_equal(w->cls->window_bytes, 22000);
    wire_run(w, SEC);
    done_after(w, 100 + 20 + SHORT_MS); /* the line is never idle */
    wire_free(w);
}

/* A retransmission that is lost: IRN waits for the timer, with more than three out the long one, and sends all that the bitmap lacks. */
static void lost_again_waits(void **state)
{
    (void)state;
    watch s = {.lose = {[5] = 2}};
    net_class c = class_of(NET_CLASS_IRN, 30);
    c.bdp_bytes = c.window_bytes;
    wire *w = begin(c, &s);
    wire_run(w, SEC);
    /* The recovery begins at 27 ms and a header, and its timer; then nothing moves until that. */
    assert_true(w->tx[0].timeouts == 1 && w->tx[0].retransmissions == 2);
    done_after(w, 27 + SHORT_MS + 80 + 21 + SHORT_MS);
    wire_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(goes_back),
                                       cmocka_unit_test(nacks_again_after_the_interval),
                                       cmocka_unit_test(last_one_waits_for_the_timer),
                                       cmocka_unit_test(repeats_what_is_lost),
                                       cmocka_unit_test(bound_holds),
                                       cmocka_unit_test(lost_again_waits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
