/*
 * label: slow statistics
 *
 * Many flows at one bottleneck: fairness, where every byte goes, marks instead of drops.
 */
#include "scenario/net_run.h"

enum { FLOWS = 32 };

/* 32 equal NewReno flows at 100 Mb/s with 40 ms, starting within a second of each other. */
static net_run *equal_flows(const char *queue, const char *tcp)
{
    return net_run_new(
        WEIR_1
        "topology:\n"
        "  generate: {model: dumbbell, left: %d, bottleneck_rate: 100Mbps, bottleneck_delay: 18ms,\n"
        "             access_rate: 1Gbps, access_delay: 1ms}\n"
        "  queue: {%s}\n"
        "traffic:\n"
        "  - {name: a, pairs: [%s], start: {uniform: [0s, 1s]}, tcp: {congestion: newreno, mss: 1000B%s}}\n",
        FLOWS, queue, facing_pairs(FLOWS), tcp);
}

/* Jain's index of what the flows delivered between two times. */
static double jain(net_run *r, weir_time from, weir_time to)
{
    double before[FLOWS], sum = 0.0, squares = 0.0;
    net_run_until(r, from);
    for (uint32_t i = 0; i < FLOWS; i++)
        before[i] = (double)net_run_flow(r, i).received_bytes;
    net_run_until(r, to);
    for (uint32_t i = 0; i < FLOWS; i++) {
        const double x = (double)net_run_flow(r, i).received_bytes - before[i];
        sum += x;
        squares += x * x;
    }
    return sum * sum / (FLOWS * squares);
}

static void fairness(void **state)
{
    (void)state;
    static const char *const queues[] = {
        "limit: 500kB", "limit_packets: 500",
        "type: red, limit: 1MB, min: 50kB, max: 200kB, max_p: 0.1, mode: uniform",
        "type: red, limit: 1MB, min: 50kB, max: 200kB, max_p: 0.1, mode: bernoulli",
        "type: red, limit: 1MB, min: 50kB, max: 200kB, max_p: 0.1, mode: wait"};
    for (size_t i = 0; i < sizeof queues / sizeof *queues; i++) {
        net_run *r = equal_flows(queues[i], "");
        const double index = jain(r, 5 * SEC, 65 * SEC);
        const net_port *port = net_run_port(r, "left->right");
        const double share = (double)port->bytes * 8 / 100e6 / 65;
        print_message("  %s: fairness %.4f, utilisation %.4f\n", queues[i], index, share);
        assert_true(index > 0.95);
        assert_true(share > (i < 2 ? 0.99 : 0.94)); /* a tail of a bandwidth-delay product; RED's less */
        net_run_end(r);
    }
}

/*
 * Every byte that the bottleneck accepted went on: what receivers got as data in order, headers, SYNs,
 * segments that came twice, and what is in flight or held out of order. No queue but the
 * bottleneck's drops here.
 */
static void in_flight_to(void *user, const weir_event *event)
{
    uint64_t *bytes = user;
    const net_packet *p = WEIR_PAYLOAD(net_packet, event);
    if ((event->type == NET_EV_PORT_PACKET || event->type == NET_EV_HOST_PACKET) && !(p->flags & NET_ACK))
        *bytes += p->bytes;
}

static void every_byte(void **state)
{
    (void)state;
    static const char *const tcps[] = {"", ", sack: false", ", handshake: false", ", delayed_ack: 1"};
    for (size_t i = 0; i < sizeof tcps / sizeof *tcps; i++) {
        net_run *r = equal_flows("limit: 100kB", tcps[i]);
        net_run_until(r, 10 * SEC);
        const net_port *port = net_run_port(r, "left->right");
        uint64_t at_receivers = 0, sent = 0, packets = 0, dropped = 0, flying = 0;
        for (uint32_t f = 0; f < FLOWS; f++) {
            const net_tx *tx = wi_net_tx(r->net, r->sim, f);
            const net_rx *rx = wi_net_rx(r->net, r->sim, f);
            at_receivers += rx->bytes + 40 * rx->packets + 1000 * (uint64_t)(rx->n_ooo + rx->duplicates);
            sent += tx->acked_bytes + (tx->nxt - tx->una) + 1000 * (uint64_t)tx->retransmissions +
                    40 * tx->packets;
            packets += tx->packets;
            dropped += net_run_flow(r, f).dropped;
        }
        assert_int_equal(weir_sim_pending(NULL, r->sim, in_flight_to, &flying), WEIR_OK);
        assert_true(dropped > 100);
        assert_int_equal(port->dropped[0], dropped);
        assert_int_equal(net_run_drops(r, -1), dropped);
        /* Of what was sent all but the drops has arrived or is on its way; drops are whole segments, as SYNs
         * come first. */
        assert_true(sent - 1040 * dropped == at_receivers + flying);
        /* And of what the bottleneck took, the same but for what is still before it. */
        assert_true(port->bytes <= at_receivers + flying && port->bytes + 2000000 > at_receivers + flying);
        assert_true((double)port->bytes * 8 <= 100e6 * 10.1);
        print_message("  %.1f MB accepted, %.1f MB at receivers, %.2f MB in flight, %.2f MB dropped\n",
                      (double)port->bytes * 1e-6, (double)at_receivers * 1e-6, (double)flying * 1e-6,
                      1040e-6 * (double)dropped);
        net_run_end(r);
    }
}

/* ECN at RED: marks and no drop but of what cannot be marked; windows halve by it; the queue is kept as by
 * drops. */
static void marks_for_drops(void **state)
{
    (void)state;
    net_run *r =
        equal_flows("type: red, limit: 2MB, min: 50kB, max: 400kB, max_p: 0.2, mode: uniform, ecn: true",
                    ", ecn: true, initial_window: 2");
    const double index = jain(r, 5 * SEC, 35 * SEC);
    const net_port *port = net_run_port(r, "left->right");
    uint64_t reductions = 0, recoveries = 0, retransmissions = 0, timeouts = 0, marked = 0;
    for (uint32_t f = 0; f < FLOWS; f++) {
        const wi_net_flow_total t = net_run_flow(r, f);
        reductions += t.reductions;
        recoveries += t.recoveries;
        retransmissions += t.retransmissions;
        timeouts += t.timeouts;
        marked += t.marked;
    }
    print_message("  fairness %.4f, %llu marks, %llu reductions, mean queue %.0f B\n", index,
                  (unsigned long long)port->marked, (unsigned long long)reductions,
                  net_backlog_byte_s(port) / 35);
    assert_true(port->marked > 1000);
    assert_int_equal(port->marked, marked);
    assert_int_equal(net_run_drops(r, -1), 0);
    assert_int_equal(retransmissions + recoveries + timeouts, 0);
    assert_true(reductions > 500 && reductions <= marked);
    assert_true(index > 0.95);
    assert_true(net_backlog_byte_s(port) / 35 > 20e3 && net_backlog_byte_s(port) / 35 < 200e3);
    net_run_end(r);
}

/*
 * A limit of 10 packets is one of 10 packets' bytes where all packets are as long. With 10 in the queue, what
 * is left of the first and nine more is above 9000 bytes, so the next does not fit; but for the half byte
 * that is forgiven, one arrival in two thousand.
 */
static void packets_or_bytes(void **state)
{
    (void)state;
    uint64_t drops[2], packets[2];
    for (int i = 0; i < 2; i++) {
        net_run *r = net_run_new(
            WEIR_1 "topology:\n"
                   "  generate: {model: dumbbell, left: 4, bottleneck_rate: 8Mbps}\n"
                   "  queue: {%s}\n"
                   "traffic:\n"
                   "  - {name: a, pairs: [%s], udp: {rate: 2.1Mbps, packet: 1000B, pattern: poisson}}\n",
            i ? "limit_packets: 10" : "limit: 10kB", facing_pairs(4));
        net_run_until(r, 60 * SEC);
        drops[i] = net_run_drops(r, 0);
        packets[i] = net_run_port(r, "left->right")->packets;
        net_run_end(r);
    }
    assert_true(drops[0] > 1000);
    assert_true(fabs((double)drops[0] / (double)drops[1] - 1) < 0.005);
    assert_true(fabs((double)packets[0] / (double)packets[1] - 1) < 1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fairness), cmocka_unit_test(every_byte),
                                       cmocka_unit_test(marks_for_drops), cmocka_unit_test(packets_or_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
