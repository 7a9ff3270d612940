/*
 * Where packets go: equal-cost paths of a fat-tree, TTL, delays along a path to the picosecond, losses of
 * links.
 */
#include "scenario/net_run.h"

/*
 * A 4-ary fat-tree has 16 hosts, 4 core routers, each with a link to each of 4 pods. With ECMP all 32
 * directions of core links carry traffic of a permutation with many sessions, about evenly; no packet loops,
 * and a flow keeps to one path, so nothing comes out of order.
 */
static void equal_cost_paths(void **state)
{
    (void)state;
    net_run *r = net_run_new(
        WEIR_1 "topology: {generate: {model: fat-tree, k: 4, rate: 1Gbps, access_rate: 1Gbps}}\n"
               "routing: {ecmp: true}\n"
               "traffic:\n"
               "  - {name: a, pairs: all, tcp: {size: 2kB, sessions: 30}, start: {uniform: [0s, 0.5s]}}\n");
    net_run_until(r, SEC);
    const weir_graph *g = r->network->graph;
    double least = 1e18, most = 0.0;
    int core_ports = 0;
    for (uint32_t i = 0; i < r->net->n_ports; i++) {
        const uint32_t v = r->net->port_node[i], e = r->net->port_edge[i];
        if (e == UINT32_MAX || (g->name[v][0] != 'c' && g->name[g->target[e]][0] != 'c'))
            continue;
        const double bytes = (double)wi_net_port(r->net, r->sim, r->net->n_hosts + i)->bytes;
        least = bytes < least ? bytes : least;
        most = bytes > most ? bytes : most;
        core_ports++;
    }
    print_message("  core links carry %.0f to %.0f kB\n", least * 1e-3, most * 1e-3);
    assert_int_equal(core_ports, 32);
    assert_true(least > 0.7 * most); /* 360 flows each, give or take 3 sqrt(360) */
    assert_int_equal(net_run_ttl_drops(r), 0);
    assert_int_equal(net_run_drops(r, -1), 0);
    for (uint32_t i = 0; i < r->net->n_flows; i++) {
        const net_rx *rx = wi_net_rx(r->net, r->sim, i);
        assert_int_equal(rx->n_ooo, 0);
        assert_int_equal(net_run_flow(r, i).retransmissions, 0);
    }
    assert_int_equal(r->n_tx_done, 30 * 240);
    net_run_end(r);
}

/* Without ECMP all flows to a host come down one tree: some core links stand idle. */
static void single_paths(void **state)
{
    (void)state;
    net_run *r = net_run_new(WEIR_1 "topology: {generate: {model: fat-tree, k: 4}}\n"
                                    "traffic: [{name: a, pairs: all, udp: {rate: 1Mbps}}]\n");
    net_run_until(r, SEC / 4);
    int idle = 0;
    for (uint32_t i = 0; i < r->net->n_ports; i++)
        idle += wi_net_port(r->net, r->sim, r->net->n_hosts + i)->packets == 0;
    assert_true(idle > 0);
    assert_int_equal(net_run_ttl_drops(r), 0);
    net_run_end(r);
}

/* The longest way on a line of 10 routers with a host each is 11 links: a TTL of 11 reaches, 10 does not. */
static void ttl(void **state)
{
    (void)state;
    for (int limit = 10; limit <= 11; limit++) {
        net_run *r = net_run_new(WEIR_1 "topology: {generate: {model: line, routers: 10}}\n"
                                        "routing: {ttl: %d}\n"
                                        "traffic: [{name: a, from: h0, to: [h8, h9], udp: {rate: 1Mbps}}]\n",
                                 limit);
        net_run_until(r, SEC);
        const wi_net_flow_total near = net_run_flow(r, 0), far = net_run_flow(r, 1);
        assert_true(near.received_packets > 100 && near.dropped == 0);
        assert_int_equal(far.received_packets > 100, limit == 11);
        assert_int_equal(far.dropped > 100, limit == 10);
        assert_int_equal(net_run_ttl_drops(r), far.dropped);
        net_run_end(r);
    }
}

/* One packet at a time over three links: transmission at each rate, and propagation. 1000 bytes at 1 Gb/s, 10
 * Mb/s and 1 Gb/s: 8 us + 800 us + 8 us, and 1 + 20 + 1 ms. */
static void delays(void **state)
{
    (void)state;
    net_run *r = net_run_new(
        WEIR_1 "topology: {generate: {model: dumbbell, bottleneck_rate: 10Mbps, access_rate: 1Gbps,\n"
               "           bottleneck_delay: 20ms, access_delay: 1ms}}\n"
               "traffic: [{name: a, from: l0, to: r0, udp: {rate: 1Mbps}}]\n");
    net_run_until(r, SEC);
    const net_rx *rx = wi_net_rx(r->net, r->sim, 0);
    assert_true(rx->last_delay_ps == 22 * MS + 816 * US);
    assert_int_equal(rx->jitter_ps, 0);
    assert_int_equal(net_run_port(r, "left->right")->wait_ns, 0);
    net_run_end(r);
}

/* Random losses are as many as the link's share says, and those of the other direction as its own says. */
static void losses(void **state)
{
    (void)state;
    net_run *r = net_run_new(WEIR_1 "topology:\n"
                                    "  generate: {model: dumbbell, bottleneck_rate: 1Gbps}\n"
                                    "  loss: 1%%\n"
                                    "  links: [{link: right->left, loss: 20%%}]\n"
                                    "traffic:\n"
                                    "  - {name: a, from: l0, to: r0, udp: {rate: 40Mbps}}\n"
                                    "  - {name: b, from: r0, to: l0, udp: {rate: 40Mbps}}\n");
    net_run_until(r, 20 * SEC);
    const double shares[] = {0.01, 0.2};
    for (uint32_t i = 0; i < 2; i++) {
        const wi_net_flow_total f = net_run_flow(r, i);
        const double n = (double)f.packets, p = shares[i];
        assert_true(fabs((double)f.dropped - n * p) < 3.5 * sqrt(n * p * (1 - p)));
    }
    assert_int_equal(net_run_drops(r, NET_DROP_LOSS - NET_DROP_LIMIT), net_run_drops(r, -1));
    net_run_end(r);
}

/* A queue of gigabytes before a line of a bit a second: it fills to what the line sends in a million seconds.
 */
static void a_very_slow_line(void **state)
{
    (void)state;
    static const char *const limits[] = {"limit: 100GB", "limit_packets: 1000000"};
    for (int i = 0; i < 2; i++) {
        net_run *r =
            net_run_new(WEIR_1 "topology:\n"
                               "  generate: {model: dumbbell, bottleneck_rate: 1bps, access_rate: 1Gbps}\n"
                               "  queue: {%s}\n"
                               "traffic: [{name: a, from: l0, to: r0, udp: {rate: 10Mbps}}]\n",
                        limits[i]);
        net_run_until(r, 2 * SEC);
        assert_int_equal(net_run_port(r, "left->right")->packets, 125);
        assert_true(net_run_drops(r, 0) > 2000);
        net_run_end(r);
    }
}

/* Two hosts joined directly, and traffic from router to router over implicit hosts. */
static void odd_ends(void **state)
{
    (void)state;
    net_run *r = net_run_new(WEIR_1 "topology: {generate: {model: line, routers: 3, hosts: 1}}\n"
                                    "traffic:\n"
                                    "  - {name: a, from: r0, to: [r1, r2, h0, h2], tcp: {size: 10kB}}\n"
                                    "  - {name: b, from: [h1, h2], to: r0, tcp: {size: 10kB}}\n");
    net_run_until(r, 10 * SEC);
    assert_int_equal(r->n_tx_done, 6);
    assert_int_equal(r->net->n_implicit, 3);
    net_run_end(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_cost_paths), cmocka_unit_test(single_paths),     cmocka_unit_test(ttl),
        cmocka_unit_test(delays),           cmocka_unit_test(a_very_slow_line), cmocka_unit_test(losses),
        cmocka_unit_test(odd_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
