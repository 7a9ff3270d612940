/*
 * Traffic that comes and goes: requests and replies, arrivals of sized flows, starts and stops. What is
 * counted adds up, and nothing hangs, with loss and without.
 */
#include "scenario/net_run.h"

#define LINE \
    "topology:\n  generate: {model: dumbbell, left: 4, bottleneck_rate: 20Mbps, bottleneck_delay: 5ms}\n"

/* Without loss each request is sent once and answered; what is not, is under way. */
static void requests(void **state)
{
    (void)state;
    net_run *r = net_run_new(WEIR_1 LINE
                             "traffic:\n"
                             "  - {name: a, from: [l0, l1], to: [r0, r1], tcp: {size: {exponential: 20kB},\n"
                             "     request: {size: 200B, think: 20ms}}}\n");
    net_run_until(r, 30 * SEC);
    const uint64_t asked = net_run_class(r, 0, NET_COUNT_REQUESTS),
                   replied = net_run_class(r, 0, NET_COUNT_REPLIES);
    assert_true(replied > 1000);
    assert_true(asked - replied <= 4);
    assert_int_equal(r->n_rx_done, replied);
    assert_true(replied - r->n_tx_done <= 4);
    assert_int_equal(net_run_drops(r, -1), 0);
    /* Sizes are exponential: the mean of n has a standard error of 20 kB / sqrt(n). */
    const double mean = (double)r->tx_done_bytes / (double)r->n_tx_done;
    assert_true(fabs(mean - 20000) < 3 * 20000 / sqrt((double)r->n_tx_done));
    net_run_end(r);
}

/* With loss both ways replies still come, one for each number, and no client stands still for long. */
static void requests_under_loss(void **state)
{
    (void)state;
    for (int sack = 0; sack <= 1; sack++) {
        net_run *r = net_run_new(WEIR_1 LINE
                                 "  loss: 5%%\n"
                                 "traffic:\n"
                                 "  - {name: a, from: [l0, l1], to: [r0, r1], tcp: {size: 20kB, sack: %s,\n"
                                 "     request: {size: 200B}}}\n",
                                 sack ? "true" : "false");
        uint64_t before = 0;
        for (int i = 1; i <= 10; i++) {
            net_run_until(r, i * 10 * SEC);
            const uint64_t replied = net_run_class(r, 0, NET_COUNT_REPLIES);
            assert_true(replied > before + 20);
            before = replied;
        }
        assert_true(net_run_class(r, 0, NET_COUNT_REQUESTS) >= before);
        assert_int_equal(r->n_rx_done, before);
        assert_true(before - r->n_tx_done <= 4);
        net_run_end(r);
    }
}

/* Poisson arrivals with sizes from a CDF file: after the class has stopped, all complete. */
static void arrivals(void **state)
{
    (void)state;
    static const char *const extras[] = {"", "  loss: 5%\n", "  loss: 5%\n"};
    for (int i = 0; i < 3; i++) {
        net_run *r =
            net_run_new(WEIR_1 LINE "%s"
                                    "traffic:\n"
                                    "  - {name: a, from: [l0, l1, l2], to: [r0, r1, r2, r3], stop: 20s,\n"
                                    "     tcp: {size: {cdf: flows.txt}, arrivals: {poisson: 60/s}%s}}\n"
                                    "  - {name: b, from: l3, to: [r0, r3], stop: 20s,\n"
                                    "     tcp: {size: 700B, arrivals: {periodic: 10ms}, handshake: false}}\n",
                        extras[i], i == 2 ? ", sack: false, handshake: false" : "");
        net_run_until(r, 20 * SEC);
        const uint64_t a = net_run_class(r, 0, NET_COUNT_FLOWS), b = net_run_class(r, 1, NET_COUNT_FLOWS);
        const uint64_t rejected =
            net_run_class(r, 0, NET_COUNT_REJECTED) + net_run_class(r, 1, NET_COUNT_REJECTED);
        assert_true(fabs((double)a - 1200) < 3.5 * sqrt(1200.0));
        assert_int_equal(b, 2000);
        assert_true(r->n_tx_done <= a + b - rejected);
        net_run_until(r, 200 * SEC);
        assert_int_equal(net_run_class(r, 0, NET_COUNT_FLOWS), a); /* stopped */
        if (r->n_tx_done != a + b - rejected)
            fail_msg("case %d: %llu flows arrived, %llu rejected, %llu complete", i,
                     (unsigned long long)(a + b), (unsigned long long)rejected,
                     (unsigned long long)r->n_tx_done);
        assert_true(r->n_rx_done >= r->n_tx_done);
        if (i == 0) {
            assert_int_equal(r->n_rx_done, r->n_tx_done);
            assert_int_equal(rejected, 0);
        }
        net_run_end(r);
    }
}

/* More arrivals than a host may have under way are counted as rejected, and the rest complete. */
static void rejected_arrivals(void **state)
{
    (void)state;
    net_run *r =
        net_run_new(WEIR_1 LINE "traffic:\n"
                                "  - {name: a, from: l0, to: r0, stop: 5s,\n"
                                "     tcp: {size: 100kB, arrivals: {poisson: 100/s}, max_flows: 8}}\n");
    net_run_until(r, 5 * SEC);
    const uint64_t flows = net_run_class(r, 0, NET_COUNT_FLOWS),
                   rejected = net_run_class(r, 0, NET_COUNT_REJECTED);
    assert_true(rejected > 50); /* 80 Mb/s are offered to 20 */
    net_run_until(r, 60 * SEC);
    assert_int_equal(r->n_tx_done, flows - rejected);
    net_run_end(r);
}

/* A host has as many flows under way as max_flows says: a single one, of ten that come while it is; and 16 of each of 64 hosts,
 * whose pairs take turns, where none ends. */
static void as_many_as_max_flows(void **state)
{
    (void)state;
    static const struct {
        const char *pairs, *size, *arrivals;
        int max_flows;
        uint64_t flows, rejected;
    } all[] = {{"from: h1, to: h0", "1MB", "{periodic: 10ms}", 1, 10, 9},
               {"from: 'h[1-64]', to: h0", "1MB", "{periodic: 100us}", 16, 1000, 0}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        net_run *r = net_run_new("weir: 1\nduration: 1s\ntopology: {generate: {model: star, hosts: 65, "
                                 "access_rate: 10Mbps}}\ntraffic:\n"
                                 "  - {name: a, %s, tcp: {size: %s, arrivals: %s, max_flows: %d}}\n",
                                 all[i].pairs, all[i].size, all[i].arrivals, all[i].max_flows);
        net_run_until(r, 99950 * (SEC / 1000000));
        assert_int_equal(net_run_class(r, 0, NET_COUNT_FLOWS), all[i].flows);
        assert_int_equal(net_run_class(r, 0, NET_COUNT_REJECTED), all[i].rejected);
        net_run_end(r);
    }
}

/* Many senders to one receiver, far more than its slots: flows forget and begin, and all complete all the
 * same. */
static void more_senders_than_slots(void **state)
{
    (void)state;
    net_run *r = net_run_new(WEIR_1 "topology: {generate: {model: star, hosts: 41, access_rate: 50Mbps}, \n"
                                    "  links: [{link: hub->h0, loss: 4%%}, {link: h0->hub, loss: 4%%}]}\n"
                                    "traffic:\n"
                                    "  - {name: a, pairs: all, stop: 10s,\n"
                                    "     tcp: {size: 3kB, arrivals: {poisson: 20000/s}, max_flows: 40}}\n");
    net_run_until(r, 10 * SEC);
    net_run_until(r, 300 * SEC);
    const uint64_t flows = net_run_class(r, 0, NET_COUNT_FLOWS),
                   rejected = net_run_class(r, 0, NET_COUNT_REJECTED);
    if (r->n_tx_done != flows - rejected)
        fail_msg("%llu flows arrived, %llu rejected, %llu complete", (unsigned long long)flows,
                 (unsigned long long)rejected, (unsigned long long)r->n_tx_done);
    assert_true(net_run_class(r, 0, NET_COUNT_STRAY) > 0);
    net_run_end(r);
}

/* All at once, one flow a pair of many sizes: complete, with the bytes that were asked for. */
static void planned_sizes(void **state)
{
    (void)state;
    net_run *r = net_run_new(WEIR_1 LINE "  loss: 2%%\n"
                                         "traffic:\n"
                                         "  - {name: a, pairs: all, tcp: {size: 1B, arrivals: {all: 60}}}\n"
                                         "  - {name: b, pairs: all, tcp: {size: {uniform: [1B, 100kB]}}}\n");
    net_run_until(r, 100 * SEC);
    assert_int_equal(r->n_tx_done, 60 + 56);
    for (uint32_t i = 0; i < r->net->n_flows; i++) {
        const wi_net_flow_total f = net_run_flow(r, i);
        assert_int_equal(f.acked_bytes, f.received_bytes);
        assert_int_equal(f.acked_bytes, wi_net_tx(r->net, r->sim, i)->size);
        assert_true(i >= 60 || f.acked_bytes == 1);
    }
    net_run_end(r);
}

/* Nothing is sent before its start nor, by UDP and long TCP flows, from the stop on; what is under way
 * arrives. */
static void starts_and_stops(void **state)
{
    (void)state;
    net_run *r =
        net_run_new(WEIR_1 LINE "traffic:\n"
                                "  - {name: a, from: l0, to: r0, start: 2s, stop: 4s, udp: {rate: 1Mbps}}\n"
                                "  - {name: b, from: l1, to: r1, start: 2s, stop: 4s, tcp: {}}\n"
                                "  - {name: c, from: l2, to: r2, start: 2s, stop: 4s, tcp: {size: 20kB,\n"
                                "     request: {size: 1B}}}\n"
                                "  - {name: d, from: l3, to: r3, start: {uniform: [2s, 3s]}, stop: 4s,\n"
                                "     udp: {rate: 1Mbps, pattern: onoff}}\n"
                                "  - {name: e, from: r3, to: l3, udp: {rate: 1Mbps}}\n"
                                "  - {name: f, from: r2, to: l2, tcp: {}}\n");
    net_run_until(r, 2 * SEC);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(net_run_flow(r, i).packets, 0);
    assert_true(net_run_flow(r, 4).packets > 0 && net_run_flow(r, 5).packets > 0);
    net_run_until(r, 4 * SEC);
    uint64_t sent[4];
    for (uint32_t i = 0; i < 4; i++)
        sent[i] = net_run_flow(r, i).packets;
    assert_true(sent[0] >= 249 && sent[0] <= 250); /* 8 ms each */
    assert_true(sent[1] > 0 && sent[2] > 0);
    const uint64_t requests = net_run_class(r, 2, NET_COUNT_REQUESTS);
    net_run_until(r, 8 * SEC);
    assert_int_equal(net_run_flow(r, 0).packets, sent[0]);
    assert_int_equal(net_run_flow(r, 3).packets, sent[3]);
    const net_tx *tcp = wi_net_tx(r->net, r->sim, 1);
    assert_int_equal(tcp->una, tcp->nxt);
    assert_true(net_run_flow(r, 1).packets - sent[1] <= net_run_flow(r, 1).retransmissions);
    assert_int_equal(net_run_class(r, 2, NET_COUNT_REQUESTS), requests);
    assert_int_equal(net_run_class(r, 2, NET_COUNT_REPLIES), requests);
    net_run_end(r);
}

/* A start at the very end is none; a run of one picosecond is a run. */
static void at_the_edges(void **state)
{
    (void)state;
    net_run *r = net_run_new(WEIR_1 LINE "traffic: [{name: a, from: l0, to: r0, start: 1s, tcp: {}}]\n");
    net_run_until(r, 1);
    assert_int_equal(net_run_flow(r, 0).packets, 0);
    net_run_until(r, SEC);
    assert_int_equal(net_run_flow(r, 0).packets, 0);
    net_run_until(r, SEC + 1);
    assert_int_equal(net_run_flow(r, 0).packets, 1);
    net_run_end(r);
}

/* Many flows of one host at one time all begin, some picoseconds apart. */
static void a_thousand_starts(void **state)
{
    (void)state;
    net_run *r = net_run_new(WEIR_1 LINE
                             "traffic: [{name: a, from: l0, to: r0, tcp: {sessions: 1000, size: 500B}}]\n");
    net_run_until(r, 30 * SEC);
    assert_int_equal(r->n_tx_done, 1000);
    for (uint32_t i = 0; i < 1000; i++)
        assert_true(wi_net_tx(r->net, r->sim, i)->start_ps < 1000);
    net_run_end(r);
}

/* Packets of 64 and 1,500 bytes, as often: Poisson gaps follow the mean, 782 B. 500 packets a second over 60
 * s. */
#define MATRIX "topology: {file: three.graphml}\ntraffic:\n  - {name: a, demands: matrix.txt, share: demand, "

/* Of demands of 2.5 and 0.1 Gb/s the first has 25 times the second's transfers, whatever their law: their gaps are so many times as
 * long, or so many of 1,000 are its. */
static void transfers_follow_demands(void **state)
{
    (void)state;
    static const char *const laws[] = {"poisson: 100/s", "periodic: 10ms", "all: 1000"};
    for (size_t i = 0; i < 3; i++) {
        net_run *r = net_run_new(WEIR_1 MATRIX "tcp: {size: 10kB, arrivals: {%s}}}\n", laws[i]);
        const wi_net_plan *plan = &r->network->plan;
        double most = 0.0, of[64] = {0};
        for (uint32_t k = 0; k < plan->n_arrivals; k++)
            of[plan->arrivals[k].src * 8 + plan->arrivals[k].dst[0]] = 1e12 / plan->arrivals[k].gap_ps;
        for (uint32_t k = 0; k < plan->n_flows; k++)
            of[plan->flows[k].src * 8 + plan->flows[k].dst] += 1.0;
        double sum = 0.0, second = 0.0;
        for (int k = 0; k < 64; k++) {
            sum += of[k];
            second = of[k] > most ? most : of[k] > second ? of[k] : second;
            most = of[k] > most ? of[k] : most;
        }
        assert_true(fabs(sum - (i == 2 ? 1000.0 : 100.0)) < 1e-6);
        assert_true(i == 2 ? fabs(most - 25.0 * second) <= 25.0 : fabs(most - 25.0 * second) < 1e-6 * most);
        net_run_end(r);
    }
}

/* Arrivals of each source begin at a time of the range, which another replication draws anew. */
static void arrivals_begin_in_a_range(void **state)
{
    (void)state;
    static const char *const laws[] = {"poisson: 100/s", "periodic: 10ms", "load: 10%"};
    enum { RUNS = 100 };
    for (size_t i = 0; i < 3; i++) {
        double sum_s = 0.0;
        for (int run = 0; run < RUNS; run++) {
            net_run *r = net_run_new(
                WEIR_1 "run: %d\n" LINE "traffic: [{name: a, from: l0, to: r0, start: {uniform: [2s, 8s]}, "
                       "tcp: {size: 10kB, arrivals: {%s}}}]\n",
                run, laws[i]);
            assert_int_equal(r->network->plan.n_arrivals, 1);
            const double start_s = weir_seconds(r->network->plan.arrivals[0].start_ps);
            assert_true(start_s >= 2.0 && start_s <= 8.0);
            sum_s += start_s;
            net_run_end(r);
        }
        /* Uniform: mean 5 s, standard deviation 6 / sqrt(12) s. */
        assert_true(fabs(sum_s / RUNS - 5.0) < 4.0 * 6.0 / sqrt(12.0 * RUNS));
    }
}

static void udp_sizes_from_a_file(void **state)
{
    (void)state;
    net_run *r =
        net_run_new(WEIR_1 LINE "traffic: [{name: a, from: l0, to: r0, stop: 60s, udp: {rate: 3.128Mbps,\n"
                                "  pattern: poisson, packet: {cdf: packets.txt}}}]\n");
    net_run_until(r, 61 * SEC);
    const wi_net_flow_total f = net_run_flow(r, 0);
    const double mean = (double)f.received_bytes / (double)f.received_packets + NET_HEADER_UDP;
    assert_true(fabs((double)f.packets - 30000) < 4 * sqrt(30000.0));
    assert_true(fabs(mean - 782) < 4 * 718 / sqrt(30000.0));
    assert_int_equal(f.received_packets, f.packets);
    net_run_end(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(requests),
                                       cmocka_unit_test(requests_under_loss),
                                       cmocka_unit_test(arrivals),
                                       cmocka_unit_test(rejected_arrivals),
                                       cmocka_unit_test(as_many_as_max_flows),
                                       cmocka_unit_test(more_senders_than_slots),
                                       cmocka_unit_test(planned_sizes),
                                       cmocka_unit_test(starts_and_stops),
                                       cmocka_unit_test(at_the_edges),
                                       cmocka_unit_test(a_thousand_starts),
                                       cmocka_unit_test(udp_sizes_from_a_file),
                                       cmocka_unit_test(transfers_follow_demands),
                                       cmocka_unit_test(arrivals_begin_in_a_range)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
