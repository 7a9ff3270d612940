/*
 * Receiving slots of flows that come and go: found, begun, taken over, forgotten; and request and reply.
 */
#include "net/wire.h"

#include "packets/stats/stats.h"

static wire *w;
/* Host 1's slice, all for flows that come by themselves. */
static void begin(void)
{
    w = wire_new(sized_tcp(1000), 64, UINT64_C(1000000000), MS);
    w->lose = wire_keep_acks;
    wire_run(w, 1);
    ((uint32_t *)net_at(wi_net_world(w->net), wi_net_world(w->net)->rx_dynamic))[1] = 0;
    w->n_kept = 0;
}

static uint32_t send(uint32_t flow, uint32_t first, uint32_t hint, uint32_t seq, uint32_t length,
                     uint8_t flags)
{
    net_packet p = wire_segment(w, seq, length, flags);
    const uint32_t before = w->n_kept;
    p.flow = flow;
    p.u.data.first = first;
    p.u.data.rx_hint = hint;
    wire_deliver(w, 1, &p, w->now + 1);
    return w->n_kept - before;
}

static int64_t class_counter(int what)
{
    return w->ctx.counters[wi_net_world(w->net)->c_class + (uint64_t)what];
}

/* Flows whose hints collide find each other's neighbours, round the end of the slice. */
static void probes(void **state)
{
    (void)state;
    begin();
    for (uint32_t f = 0; f < 5; f++)
        assert_int_equal(send(f, 0, 62, 0, 1000, 0), 1);
    assert_int_equal(w->rx[62].flow, 1);
    assert_int_equal(w->rx[63].flow, 2);
    assert_int_equal(w->rx[0].flow, 3);
    assert_int_equal(w->rx[2].flow, 5);
    assert_int_equal(send(4, 0, 62, 1000, 1000, NET_FIN), 1);
    assert_int_equal(w->last_ack.seq, 2000);
    assert_int_equal(w->rx[2].bytes, 2000);
    wire_free(w);
}

/* The next flow of a sender's slot takes its place, wherever in 32 bits it begins; but not before it is done.
 */
static void next_flow_takes_over(void **state)
{
    (void)state;
    const uint32_t jumps[] = {1u << 20, 0x70000000u, 0x7fffffffu, 0x80000000u, 0xc0000000u, 0xffffffffu};
    begin();
    uint32_t first = 0;
    for (int i = 0; i < 6; i++) {
        send(7, first, 10, first, 1000, NET_FIN);
        assert_true(w->rx[10].flags & NET_RX_DONE);
        assert_int_equal(w->rx[10].first, first);
        assert_int_equal(w->last_ack.seq, first + 1000);
        first += jumps[i];
    }
    /* Under way: a packet of another flow of the same slot is a late one. */
    send(7, first, 10, first, 1000, 0);
    assert_false(w->rx[10].flags & NET_RX_DONE);
    assert_int_equal(send(7, first - 5000, 10, first - 4000, 1000, 0), 0);
    assert_int_equal(class_counter(NET_COUNT_STRAY), 1);
    assert_int_equal(w->rx[10].first, first);
    wire_free(w);
}

/*
 * Where the slice is full, a completed flow is forgotten. Its sender may not know yet that it is complete:
 * what it sends again is acknowledged without a slot.
 */
static void forgotten_flows(void **state)
{
    (void)state;
    begin();
    for (uint32_t f = 0; f < 63; f++)
        send(f, 0, f, 0, 1000, 0); /* under way */
    send(63, 500, 63, 500, 3000, NET_FIN);
    assert_int_equal(w->last_ack.seq, 3500);
    send(0, 9000, 63, 9000, 1000, 0); /* a late packet finds its flow's slot further on: stray */
    assert_int_equal(class_counter(NET_COUNT_STRAY), 1);
    w->rx[5].flow = 0; /* the slot of flow 5 goes to another sender's, */
    send(5, 0, 5, 0, 1000, 0);
    w->rx[5].flow = 100 + 1; /* which this host does not see */
    assert_int_equal(send(5, 0, 5 | NET_HINT_KNOWN, 0, 1000, 0), 1);
    assert_int_equal(w->last_ack.seq, 1000);
    assert_int_equal(w->last_ack.flow, 5);
    assert_int_equal(w->rx[63].flow, 63 + 1); /* nothing was taken for it */
    /* A flow that nobody here has answered yet takes the completed one's slot. */
    assert_int_equal(send(5, 7000, 5, 7000, 1000, 0), 1);
    assert_int_equal(w->last_ack.seq, 8000);
    assert_int_equal(w->rx[63].flow, 5 + 1);
    /* And the completed one's last segment, sent again, is acknowledged. */
    assert_int_equal(send(63, 500, 63 | NET_HINT_KNOWN, 2500, 1000, NET_FIN), 1);
    assert_int_equal(w->last_ack.seq, 3500);
    assert_int_equal(w->last_ack.flags, NET_ACK | NET_FIN);
    /* Nothing is left to take: a new flow has to wait. */
    const int64_t strays = class_counter(NET_COUNT_STRAY);
    assert_int_equal(send(63, 90000, 63, 90000, 1000, 0), 0);
    assert_int_equal(class_counter(NET_COUNT_STRAY), strays + 1);
    wire_free(w);
}

/* The sender says that it has heard from the receiver from the first answer on, be it a SYN-ACK. */
static uint32_t n_unknown;
static bool count_unknown(wire *unused, net_packet *p)
{
    (void)unused;
    if (!(p->flags & NET_ACK) && !(p->u.data.rx_hint & NET_HINT_KNOWN))
        n_unknown++;
    return false;
}

static void says_when_known(void **state)
{
    (void)state;
    for (int handshake = 0; handshake <= 1; handshake++) {
        net_class c = sized_tcp(100000);
        c.flags |= handshake ? NET_CLASS_HANDSHAKE : 0;
        n_unknown = 0;
        w = wire_new(c, 1, 100000000, 10 * MS);
        w->lose = count_unknown;
        wire_run(w, 10 * SEC);
        assert_int_equal(w->n_completed, 1);
        assert_int_equal(n_unknown, handshake ? 1 : 10);
        wire_free(w);
    }
}

/* The request for the next reply ends the one before, whose last ACK was lost. */
static void next_request_ends_reply(void **state)
{
    (void)state;
    net_class c = sized_tcp(3000);
    w = wire_new(c, 1, 100000000, 10 * MS);
    w->lose = wire_keep_acks;
    wire_run(w, MS); /* the reply is under way, its packets lost with their ACKs */
    net_packet ask;
    net_packet_init(&ask, 0, 0, 1, 140, NET_ACK | NET_REQUEST);
    ask.u.ask.client = 1;
    w->tx[0].request = 0;
    const uint32_t first = w->tx[0].first;
    wire_deliver(w, 0, &ask, 20 * MS);
    assert_int_equal(w->n_completed, 1);
    assert_int_equal(w->tx[0].request, 1);
    assert_true(w->tx[0].first != first);
    assert_int_equal(w->tx[0].state, NET_TX_OPEN);
    /* A repetition of it changes nothing. */
    wire_deliver(w, 0, &ask, 25 * MS);
    assert_int_equal(w->n_completed, 1);
    assert_int_equal(w->tx[0].request, 1);
    wire_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(probes), cmocka_unit_test(next_flow_takes_over),
                                       cmocka_unit_test(forgotten_flows), cmocka_unit_test(says_when_known),
                                       cmocka_unit_test(next_request_ends_reply)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
