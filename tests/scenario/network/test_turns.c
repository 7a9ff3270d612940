/*
 * Hosts whose flows take turns at the interface. A transfer beside others of its host takes what processor sharing of the line by
 * packets gives it; backlogged flows have equal shares in bytes, whatever their packets' sizes, controls and windows, of TCP
 * and UDP; nothing of TCP is dropped at a host, and UDP loses what exceeds its share, once it has waited for the limit. With
 * switches that pause, a paused priority does not hold another, flows of one priority are in turn, and a DCQCN incast drains.
 * label: slow statistics
 */
#include "scenario/net_run.h"
#include "scenario/network/refused.h"
#include "scenario/run_summary.h"

#define STAR "topology:\n  generate: {model: star, hosts: 8, access_rate: 10Gbps, access_delay: 2us}\n"

/* 20 kB beside n transfers without end: 14 packets, each behind one of each other flow, and as many behind the SYN and the first;
 * two packets may be in the interface when it comes. */
static void short_transfers_wait_for_turns_alone(void **state)
{
    (void)state;
    static const char *const controls[] = {"newreno", "cubic", "dctcp", "bbr", "prague"};
    const double packet_s = 1500 * 8 / 10e9;
    for (size_t c = 0; c < 5; c++)
        for (int n = 1; n <= 4; n++)
            for (int window = 1; window <= 16; window *= 16) {
                char text[2000];
                snprintf(
                    text, sizeof text,
                    "weir: 1\nduration: 60ms\n" STAR "  queue: {type: threshold}\ntraffic:\n"
                    "- {name: short, tcp: {congestion: %s, size: 20kB, arrivals: {periodic: 1ms}}, from: h0, "
                    "to: h2}\n"
                    "- {name: long, tcp: {congestion: %s, window: %dMB}, from: h0, to: 'h[3-%d]'}\n"
                    "output: {warmup: 20ms}\n",
                    controls[c], controls[c], window, 2 + n);
                json_t *s = summary_of(text, NULL, 0, NULL);
                const double fct_s = class_number(s, 0, "completion", "p99_s"),
                             want_s = 3 * 8e-6 + (14 + (16 * n)) * packet_s + 2 * (n + 2) * packet_s,
                             goodput = class_number(s, 1, NULL, "goodput_bps");
                if (!(fct_s < want_s && fct_s > 14 * (n + 1) * packet_s && goodput > 9e9))
                    fail_msg("%s, %d long flows: %g s, want %g; they have %g bit/s", controls[c], n, fct_s,
                             want_s, goodput);
                json_decref(s);
            }
}

/* Flows of one host to as many others, of what its line is too little for, none of which holds itself back by a pace. */
static void shares_are_equal_in_bytes(void **state)
{
    (void)state;
    static const struct flow {
        const char *what;
        double payload, whole;
    } flows[] = {
        {"tcp: {mss: 536B, window: 1MB}", 536, 576},
        {"tcp: {congestion: newreno, window: 300kB}", 1460, 1500},
        {"tcp: {mss: 8960B, window: 2MB}", 8960, 9000},
        {"udp: {rate: 4Gbps, packet: 300B}", 272, 300},
        {"udp: {rate: 9Gbps, packet: {uniform: [64B, 9000B]}, pattern: poisson}", 4504, 4532},
        {"tcp: {congestion: dctcp, window: 1MB}", 1460, 1500},
    };
    enum { FLOWS = sizeof flows / sizeof *flows };
    static const char *const pfc[] = {"", "  shared_buffer: {size: 4MB, pfc: {}}\n"};
    for (int lossless = 0; lossless < 2; lossless++)
        for (uint32_t left = 0; left <= FLOWS; left++) { /* the last time of all */
            char text[2000];
            int at = snprintf(text, sizeof text, "weir: 1\nduration: 60ms\n" STAR "%s%straffic:\n",
                              lossless ? "" : "  queue: {limit: 1MB}\n", pfc[lossless]);
            const int n = FLOWS - (left < FLOWS);
            for (uint32_t f = 0, host = 1; f < FLOWS; f++)
                if (f != left)
                    at += snprintf(text + at, sizeof text - (size_t)at,
                                   "- {name: f%u, from: h0, to: h%u, %s}\n", f, host++, flows[f].what);
            snprintf(text + at, sizeof text - (size_t)at, "output: {warmup: 20ms}\n");
            json_t *s = summary_of(text, NULL, 0, NULL);
            for (uint32_t f = 0, cls = 0; f < FLOWS; f++) {
                if (f == left)
                    continue;
                const double share = class_number(s, cls++, NULL, "goodput_bps") * flows[f].whole /
                                     flows[f].payload * n / 10e9;
                if (!(fabs(share - 1.0) < 0.03))
                    fail_msg("%s of %d, without %u: %g of its share", flows[f].what, n, left, share);
            }
            json_decref(s);
        }
}

/* Max-min of a line of 1 among flows without bounds and `capped` of at most `cap` each: what a capped flow has. */
static double capped_share(int free_flows, int capped, double cap)
{
    const double equal = 1.0 / (free_flows + capped);
    return cap < equal ? cap : equal;
}

/* Flows with a cap beside others without and a stream of UDP at one host, below, at and above the equal share: max-min, as a cap takes
 * nothing from a share that is less. */
static void caps_are_max_min(void **state)
{
    (void)state;
    static const char *const controls[] = {"cubic", "dctcp", "newreno",
                                           "swift"}; /* others: no pace of their own */
    static const struct {
        int others, capped;
        double cap; /* of the line */
    } cells[] = {{3, 6, 0.1}, {3, 6, 0.05}, {1, 15, 0.06}, {2, 4, 0.3}, {0, 9, 0.1}, {5, 2, 0.12}};
    for (size_t c = 0; c < 4; c++)
        for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
            char text[2000];
            const int others = cells[i].others, capped = cells[i].capped;
            int at =
                snprintf(text, sizeof text,
                         "weir: 1\nduration: 60ms\n" STAR "  queue: {type: threshold}\ntraffic:\n"
                         "- {name: capped, from: h0, to: h1, tcp: {congestion: %s, sessions: %d, max_rate: "
                         "%gGbps}}\n- {name: u, from: h0, to: h2, udp: {rate: 10Gbps}}\n",
                         controls[c], capped, 10.0 * cells[i].cap);
            if (others)
                at += snprintf(text + at, sizeof text - (size_t)at,
                               "- {name: others, from: h0, to: h3, tcp: {congestion: %s, sessions: %d}}\n",
                               controls[(c + 1) % 3], others);
            snprintf(text + at, sizeof text - (size_t)at, "output: {warmup: 20ms}\n");
            json_t *s = summary_of(text, NULL, 0, NULL);
            const double want = capped_share(others + 1, capped, cells[i].cap),
                         rest = (1.0 - capped * want) / (others + 1), whole = 1500.0 / 1460.0 / 10e9,
                         has = class_number(s, 0, NULL, "goodput_bps") * whole / capped,
                         left = others ? class_number(s, 2, NULL, "goodput_bps") * whole / others : rest;
            if (!(fabs(has / want - 1.0) < 0.03 && fabs(left / rest - 1.0) < 0.03))
                fail_msg("%s, %d of at most %g: %g each, want %g; %d others %g, want %g", controls[c], capped,
                         cells[i].cap, has, want, others, left, rest);
            json_decref(s);
        }
}

/* Half of the line is its share; what comes beyond that is lost once it has waited for the limit, and no TCP is. */
static void udp_loses_what_exceeds_its_share(void **state)
{
    (void)state;
    static const struct {
        double rate_gbps, limit_kb;
    } cells[] = {{8, 10}, {8, 100}, {6, 1000}, {20, 100}, {100, 100}, {4, 10}};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        net_run *r =
            net_run_new(WEIR_1 STAR "  host_queue: {limit: %gkB}\n  queue: {limit: 1MB}\ntraffic:\n"
                                    "- {name: u, from: h0, to: h1, udp: {rate: %gGbps, packet: 1500B}}\n"
                                    "- {name: t, from: h0, to: h2, tcp: {window: 1MB}}\n",
                        cells[i].limit_kb, cells[i].rate_gbps);
        net_run_until(r, 30 * MS);
        const wi_net_flow_total before = net_run_flow(r, 0);
        net_run_until(r, 60 * MS);
        const wi_net_flow_total udp = net_run_flow(r, 0), tcp = net_run_flow(r, 1);
        const double sent = (double)(udp.packets - before.packets),
                     loss = (double)(udp.dropped - before.dropped) / sent,
                     want = cells[i].rate_gbps > 5 ? 1.0 - 5.0 / cells[i].rate_gbps : 0.0;
        const double limit_s = cells[i].limit_kb * 8e3 / 10e9;
        assert_true(fabs(loss - want) < 0.01);
        assert_true(fabs(sent * 1500 * 8 / 0.03 / (cells[i].rate_gbps * 1e9) - 1.0) < 0.01);
        assert_true((double)udp.delay_max_s < limit_s + 10e-6 &&
                    (want == 0.0 || (double)udp.delay_max_s > limit_s));
        assert_int_equal(tcp.dropped, 0);
        assert_int_equal(tcp.retransmissions, 0);
        assert_int_equal(net_run_port(r, "h0->hub")->dropped[0], udp.dropped);
        net_run_end(r);
    }
}

/* Sixteen senders of priority 0 fill a switch, which pauses h0 for that; its flow of priority 5 has a free way. */
static void a_pause_holds_its_priority_alone(void **state)
{
    (void)state;
    json_t *s =
        summary_of("weir: 1\nduration: 40ms\ntopology:\n  generate: {model: star, hosts: 20, access_rate: "
                   "10Gbps, access_delay: 2us}\n"
                   "  shared_buffer: {size: 2MB, alpha: 1, pfc: {}}\ntraffic:\n"
                   "- {name: high, dscp: 46, tcp: {congestion: newreno, window: 4MB}, from: h0, to: h18}\n"
                   "- {name: low, tcp: {congestion: newreno, window: 4MB}, from: 'h[0-15]', to: h19}\n"
                   "output: {warmup: 20ms}\n",
                   NULL, 0, NULL);
    const double high = class_number(s, 0, NULL, "goodput_bps"),
                 low = class_number(s, 1, NULL, "goodput_bps");
    if (!(high > 8.9e9 && low > 9.5e9 && class_number(s, 1, NULL, "loss") == 0.0))
        fail_msg("%g and %g bit/s", high, low);
    json_decref(s);
}

/* 64 hosts begin at the rate of their lines, to one; the memory that they fill is empty again but for what RED keeps, and
 * stays so. */
static void a_dcqcn_incast_drains(void **state)
{
    (void)state;
    static const int senders[] = {8, 32, 64};
    for (size_t i = 0; i < 3; i++) {
        char text[2000];
        snprintf(text, sizeof text,
                 "weir: 1\nduration: 60ms\ntopology:\n"
                 "  generate: {model: star, hosts: 65, access_rate: 25Gbps, access_delay: 1us}\n"
                 "  queue: {type: red, min: 5kB, max: 200kB, max_p: 1%%, w: 1, mode: bernoulli, gentle: "
                 "false, ecn: true}\n"
                 "  shared_buffer: {size: 12MB, pfc: {}}\ntraffic:\n"
                 "- {name: f, from: 'h[1-%d]', to: h0, start: {uniform: [0ms, 1ms]}, tcp: {congestion: "
                 "dcqcn, window: 1MB, "
                 "handshake: false}}\noutput: {warmup: 40ms}\n",
                 senders[i]);
        json_t *s = summary_of(text, NULL, 0, NULL);
        const double rtt_s = class_number(s, 0, NULL, "rtt_mean_s"),
                     goodput = class_number(s, 0, NULL, "goodput_bps");
        if (!(rtt_s < 6e-6 + 400e3 * 8 / 25e9 && goodput > 0.8 * 25e9 &&
              class_number(s, 0, NULL, "loss") == 0.0))
            fail_msg("%d senders: a round trip of %g s, %g bit/s", senders[i], rtt_s, goodput);
        json_decref(s);
    }
}

static void limits_in_packets_are_refused(void **state)
{
    (void)state;
    star_is_refused("host_queue: {limit_packets: 10}", "", "type: droptail");
    star_is_refused("queue: {type: round-robin}", "", "round-robin");
    star_is_refused("queues: [{link: '*', type: round-robin}]", "", "round-robin");
}

/* Turns, pauses, UDP in lag and changing rates, rolled back and on threads. */
static void engines_agree(void **state)
{
    (void)state;
    static const char *const engines[] = {"engine={type: check}", "engine={type: conservative, threads: 2}",
                                          "engine={type: optimistic, threads: 2}"};
    static const char *const switches[] = {"  queue: {limit: 60kB}\n",
                                           "  shared_buffer: {size: 300kB, pfc: {xoff: 6kB}}\n"};
    for (int i = 0; i < 2; i++) {
        char text[2000];
        weir_run_result want, got;
        snprintf(text, sizeof text,
                 "weir: 1\nduration: 2ms\n" STAR "%s  host_queue: {limit: 20kB}\ntraffic:\n"
                 "- {name: a, from: [h0, h1], to: [h2, h3], tcp: {window: 200kB}}\n"
                 "- {name: b, from: h0, to: h2, dscp: 46, tcp: {congestion: bbr, mss: 400B, window: 100kB}}\n"
                 "- {name: s, from: [h0, h4], to: 'h[5-7]', tcp: {congestion: dctcp, size: 9kB, arrivals: "
                 "{poisson: "
                 "50000/s}}}\n"
                 "- {name: u, from: h0, to: [h4, h2], udp: {rate: 3Gbps, packet: {uniform: [64B, 1500B]}, "
                 "pattern: "
                 "poisson}}\n"
                 "- {name: o, from: h1, to: h4, udp: {rate: 6Gbps, packet: 900B, pattern: onoff, on_time: "
                 "100us, off_time: 50us}}\n",
                 switches[i]);
        json_decref(summary_of(text, NULL, 0, &want));
        for (size_t e = 0; e < 3; e++) {
            json_decref(summary_of(text, &engines[e], 1, &got));
            assert_int_equal(got.event_digest, want.event_digest);
            assert_int_equal(got.state_digest, want.state_digest);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_transfers_wait_for_turns_alone),
        cmocka_unit_test(shares_are_equal_in_bytes),
        cmocka_unit_test(caps_are_max_min),
        cmocka_unit_test(udp_loses_what_exceeds_its_share),
        cmocka_unit_test(a_pause_holds_its_priority_alone),
        cmocka_unit_test(a_dcqcn_incast_drains),
        cmocka_unit_test(limits_in_packets_are_refused),
        cmocka_unit_test(engines_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
