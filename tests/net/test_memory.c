/*
 * Bytes that a port and a TCP flow take, summed from the structures themselves: the stated goals are 200, and
 * 512 with 3 bits a segment of the window. What a pending event takes depends on the run; bench_net measures
 * it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "pending/pending.h"
#include "packets/build/building.h"
#include "net/transport/flow.h"

static void a_port_takes_200_bytes(void **state)
{
    (void)state;
    /* State, fixed side, and what the engine keeps: head and ordered stream. Rings are apart. */
    const size_t bytes = sizeof(net_port) + sizeof(net_link) + sizeof(weir_entity) + sizeof(wi_stream);
    assert_in_range(bytes, 1, 200);
}

static void a_flow_takes_512_bytes(void **state)
{
    (void)state;
    const size_t ends = sizeof(net_tx) + sizeof(net_rx); /* with statistics */
    const size_t counters = NET_FLOW_COUNTERS * sizeof(int64_t);
    const size_t owner =
        3 * sizeof(uint32_t) + sizeof(uint16_t); /* world: tx_host, tx_class, tx_map, rx_map */
    assert_in_range(ends + counters + sizeof(net_start) + owner, 1, 512);
}

/* Windows are whole words of 64 segments; a flow that is smaller than its window has room for itself. With RACK
 * a sender has two bits a segment, its receiver one, and 64 bytes for the times of all. */
static void a_segment_takes_three_bits(void **state)
{
    (void)state;
    wi_net_class_plan c;
    memset(&c, 0, sizeof c);
    c.params.flags = NET_CLASS_SACK;
    c.params.mss_bytes = 1460;
    c.params.window_bytes = 1u << 20; /* 719 segments */
    assert_int_equal(wi_window_words(&c), 12);
    assert_int_equal(NET_TX_ROWS(NET_CLASS_SACK), 1);
    assert_int_equal(NET_TX_ROWS(0), 0);
    assert_int_equal(NET_TX_ROWS(NET_CLASS_SACK | NET_CLASS_RACK), 2);
    assert_int_equal(NET_TX_WORDS(NET_CLASS_SACK | NET_CLASS_RACK) * sizeof(uint64_t), 64);
    assert_int_equal(NET_TX_WORDS(NET_CLASS_SACK), 0);
    c.params.flags |= NET_CLASS_SIZED;
    c.params.size = weir_dist_constant(64 * 1460 - 1);
    assert_int_equal(wi_window_words(&c), 1);
    c.params.size = weir_dist_uniform(1, 64 * 1460 + 1);
    assert_int_equal(wi_window_words(&c), 2);
    c.params.size = weir_dist_exponential(1000);
    assert_int_equal(wi_window_words(&c), 12);
}

static void a_packet_on_its_way_is_a_cache_line(void **state)
{
    (void)state;
    assert_int_equal(sizeof(weir_event) + sizeof(net_packet), 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_port_takes_200_bytes),
        cmocka_unit_test(a_flow_takes_512_bytes),
        cmocka_unit_test(a_segment_takes_three_bits),
        cmocka_unit_test(a_packet_on_its_way_is_a_cache_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
