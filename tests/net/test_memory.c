/*
 * Bytes that a port and a TCP flow take, summed from the structures themselves: the stated goals are 200 and
 * 512. What a pending event takes depends on the run; bench_net measures it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/pending.h"
#include "net/flow.h"

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
    const size_t ends = sizeof(net_tx) + sizeof(net_rx); /* with statistics and both scoreboards */
    const size_t counters = NET_FLOW_COUNTERS * sizeof(int64_t);
    const size_t owner = sizeof(uint32_t) + sizeof(uint16_t); /* world: tx_host, tx_class */
    assert_in_range(ends + counters + sizeof(net_start) + owner, 1, 512);
    assert_true(NET_RANGES >= 8);
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
        cmocka_unit_test(a_packet_on_its_way_is_a_cache_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
