/*
 * Transfers near the ends of numbers: sequence numbers that pass 2^32, times of day 106 (the last that 64 bits of picoseconds hold) and counters
 * that pass 2^32 and 2^53. Each is the transfer that begins at zero, to the picosecond and the packet.
 */
#include "net/wire.h"

enum { SEGMENTS = 3000 };

typedef struct begun {
    uint32_t seq;     /* of the first byte, or one gap below it */
    weir_time at;     /* when the flow begins */
    uint64_t counted; /* what the receiver had counted before */
} begun;

typedef struct outcome {
    weir_time took;
    uint64_t data, acks, acked, bytes, packets;
    uint32_t again, timeouts, recoveries;
    uint32_t cwnd;
} outcome;

static uint32_t data_seen;

/* One of 97, and five on end, which the timer must mend. */
static bool lose(wire *w, net_packet *p)
{
    (void)w;
    if (p->flags & (NET_ACK | NET_SYN))
        return false;
    const uint32_t n = data_seen++;
    return n % 97 == 50 || (n >= 1030 && n < 1035);
}

static outcome transfer(const net_class *c, const begun *b)
{
    wire *w = wire_new(*c, 1, 100000000, 5 * MS);
    w->lose = lose;
    data_seen = 0;
    for (uint32_t i = 0; i < w->n_pending; i++)
        w->pending[i].head.time_ps += b->at;
    if (b->seq) { /* as after a flow that ended there */
        w->tx[0].flags |= NET_TX_STARTED;
        w->tx[0].first = b->seq - 1000000u;
        w->tx[0].nxt = b->seq - (1u << 20);
    }
    bool counted = false;
    while (w->n_completed == 0 && wire_next(w) < INT64_MAX) {
        wire_run(w, wire_next(w) + 1);
        if (!counted && w->rx[0].packets) { /* as if so much had come before */
            w->rx[0].packets += b->counted;
            w->rx[0].bytes += b->counted;
            w->rx[0].acks += b->counted;
            w->rx[0].delay_sum_ns += b->counted;
            counted = true;
        }
    }
    const net_tx *tx = &w->tx[0];
    const outcome o = {.took = w->now - b->at,
                       .data = w->n_data,
                       .acks = w->n_acks,
                       .acked = tx->acked_bytes,
                       .bytes = w->rx[0].bytes - b->counted,
                       .packets = w->rx[0].packets - b->counted,
                       .again = tx->retransmissions,
                       .timeouts = tx->timeouts,
                       .recoveries = tx->recoveries,
                       .cwnd = tx->cwnd};
    assert_int_equal(w->n_completed, 1);
    assert_int_equal(tx->first, b->seq);
    wire_free(w);
    return o;
}

static void as_from_zero(void **state)
{
    (void)state;
    static const begun begins[] = {
        {UINT32_MAX - 1000u * SEGMENTS / 2u, 0, 0}, /* in the middle, */
        {UINT32_MAX - 1000u * SEGMENTS + 1u, 0, 0}, /* with the last byte, */
        {UINT32_MAX - 3u, 0, 0},                    /* in the first segment */
        {INT32_MAX - 1000u * SEGMENTS / 2u, 0, 0},  /* the sign of a difference */
        {0, 24 * 3600 * SEC, 0},                    /* a day, */
        {0, INT64_MAX - 300 * SEC, 0},              /* the last minutes */
        {0, (INT64_C(1) << 48) - 50 * MS, 0},       /* 2^32 units of RACK's time */
        {0, 0, UINT32_MAX - 10u},                   /* 2^32 and */
        {0, 0, UINT64_C(1000000000000) * 9000},     /* 10^12 packets of 9 kB */
        {UINT32_MAX - 1000u * SEGMENTS / 3u, INT64_MAX - 300 * SEC, UINT64_C(1) << 53},
    };
    static const struct {
        const char *name;
        uint64_t flags;
        uint16_t control;
        uint32_t delayed_ack;
    } classes[] = {{"NewReno", 0, NET_CC_NEWRENO, 1},
                   {"SACK", NET_CLASS_SACK, NET_CC_NEWRENO, 2},
                   {"RACK", NET_CLASS_SACK | NET_CLASS_RACK, NET_CC_CUBIC, 1},
                   {"BBR", NET_CLASS_SACK | NET_CLASS_RACK | NET_CLASS_PACED, NET_CC_BBR, 2},
                   {"handshake", NET_CLASS_SACK | NET_CLASS_RACK | NET_CLASS_HANDSHAKE, NET_CC_CUBIC, 2}};
    const net_cubic_params cubic = {true, true, NET_CUBIC_HYSTART_PLUS};
    for (size_t k = 0; k < sizeof classes / sizeof *classes; k++) {
        net_class c = sized_tcp(1000u * SEGMENTS);
        c.flags = (c.flags & ~(uint32_t)NET_CLASS_SACK) | (uint32_t)classes[k].flags;
        c.congestion = classes[k].control;
        c.delayed_ack = (uint16_t)classes[k].delayed_ack;
        if (c.congestion == NET_CC_CUBIC)
            memcpy(c.cc, &cubic, sizeof cubic);
        const begun zero = {0};
        const outcome want = transfer(&c, &zero);
        assert_int_equal(want.bytes, 1000 * SEGMENTS);
        assert_true(want.again > 20 && want.recoveries > 3);
        for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
            if (begins[i].at && c.congestion == NET_CC_BBR)
                continue; /* its phases are drawn by a hash of the time */
            const outcome got = transfer(&c, &begins[i]);
            if (memcmp(&got, &want, sizeof got) != 0)
                fail_msg("%s, beginning %zu: %.12f s, %llu sent, %u again, %u timeouts; want %.12f s, %llu, "
                         "%u, %u",
                         classes[k].name, i, weir_seconds(got.took), (unsigned long long)got.data, got.again,
                         got.timeouts, weir_seconds(want.took), (unsigned long long)want.data, want.again,
                         want.timeouts);
        }
        print_message("  %s: %.3f s, %u again, %u timeouts\n", classes[k].name, weir_seconds(want.took),
                      want.again, want.timeouts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_from_zero)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
