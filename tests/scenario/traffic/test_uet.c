/*
 * Ultra Ethernet's NSCC and RCCC on whole networks: incasts within 3 % of what the receiver's line needs; permutations within 3 % of
 * what the reference simulator fills of all lines, by each choice of paths; and what the reference simulator's authors publish (ultraethernet/uet-htsim,
 * validate_outputs/), by their files, where these are there: ends of messages, and what is sent again. And random loss, and windows that
 * are lost whole. Their limit counts the packet that is being sent, and they mark when it has gone, so that limits and marks are a
 * packet lower here. tools/judge-uet has all of it.
 *
 * label: slow
 */
#include "scenario/run_summary.h"
#include "skip.h"

#define HEAD_OF(limits)                                                                                   \
    "weir: 1\nduration: %s\ntopology:\n  generate: {model: fat-tree, k: %d, rate: 100Gbps, delay: 1us}\n" \
    "  overhead: 24B\n  queue: {type: trim, headers: 223062B, headers_turns: 0, " limits                  \
    "}\n%srouting: {ecmp: true}\n"
#define HEAD HEAD_OF("limit: 177418B, mark_min: 37134B, mark_max: 144410B")
#define THEIRS HEAD_OF("limit: 173292B, mark_min: 33008B, mark_max: 140284B")
#define UET "mss: 4086B, base_rtt: 14.02272us, rto_min: 100.656us, window: 32MiB, paths: 128"

static const char *const controls[] = {"nscc", "nscc, credits: true", "rccc"};

static void incasts(void **state)
{
    (void)state;
    static const int senders[] = {1, 4, 15}, kb[] = {100, 2000};
    for (size_t c = 0; c < 3; c++)
        for (size_t i = 0; i < 6; i++) {
            char text[1200];
            const int n = senders[i / 2], size = kb[i % 2];
            snprintf(text, sizeof text,
                     HEAD
                     "traffic: [{name: a, from: 'h[1-%d]', to: h0, tcp: {congestion: %s, size: %dkB, " UET
                     "}}]\n",
                     "20ms", 4, "", n, controls[c], size);
            json_t *s = summary_of(text, NULL, 0, NULL);
            const double packets = ceil(size * 1000.0 / 4086.0);
            const double line_s = n * (size * 1000.0 + 64.0 * packets) * 8e-11, way_s = 12e-6 + 6 * 0.34e-6;
            const double got = class_number(s, 0, NULL, "makespan_s");
            if (!(got >= line_s && got <= 1.03 * line_s + way_s))
                fail_msg("%s, %d senders of %d kB: %g s, the line needs %g", controls[c], n, size, got,
                         line_s);
            assert_true(class_number(s, 0, NULL, "timeouts") == 0.0);
            assert_true(class_number(s, 0, NULL, "packets_trimmed") == class_number(s, 0, NULL, "nacks"));
            json_decref(s);
        }
}

/*
 * Messages of a few packets, all sent at once: no control has a say, and what they need is a way over six links and what waits before the
 * last: of 15 senders two are on the receiver's own switch, another behind it and twelve come over six links at one time.
 */
static void incasts_of_a_few_packets(void **state)
{
    (void)state;
    static const int bytes[] = {1000, 4000, 8172, 20000};
    for (size_t c = 0; c < 3; c++)
        for (size_t i = 0; i < 4; i++) {
            char text[1200];
            snprintf(text, sizeof text,
                     HEAD "traffic: [{name: a, from: 'h[1-15]', to: h0, tcp: {congestion: %s, size: %dB, " UET
                          "}}]\n",
                     "20ms", 4, "", controls[c], bytes[i]);
            json_t *s = summary_of(text, NULL, 0, NULL);
            const double packets = ceil(bytes[i] / 4086.0), all_s = (bytes[i] + 64.0 * packets) * 8e-11,
                         first_s = (bytes[i] < 4086 ? bytes[i] + 64.0 : 4150.0) * 8e-11;
            const double way_s = 6e-6 + 5 * first_s, got = class_number(s, 0, NULL, "makespan_s");
            if (!(got >= way_s + 12 * all_s - 1e-9 && got <= way_s + 15 * all_s + 1e-9))
                fail_msg("%s, 15 senders of %d B: %g s, want %g to %g", controls[c], bytes[i], got,
                         way_s + 12 * all_s, way_s + 15 * all_s);
            assert_true(class_number(s, 0, NULL, "packets_trimmed") == 0.0);
            json_decref(s);
        }
}

/* The mean rate of 20 MB between the same pairs in the reference simulator (htsim_uec -paths 128), as a share of the line. */
static const double theirs[] = {0.909, 0.932, 0.971, 0.928, 0.925, 0.898, 0.964, 0.904};

static void permutations(void **state)
{
    (void)state;
    static const char *const balances[] = {"oblivious", "bitmap", "reps, ack_bytes: 1B", "mixed"};
    for (size_t i = 0; i < 8; i++) {
        char text[1200];
        snprintf(
            text, sizeof text,
            HEAD
            "traffic: [{name: a, pairs: [[h0, h9], [h1, h4], [h2, h12], [h3, h7], [h4, h15], [h5, h0], [h6, "
            "h10], [h7, h2], [h8, h3], [h9, h13], [h10, h1], [h11, h6], [h12, h8], [h13, h5], [h14, h11], "
            "[h15, h14]], tcp: {congestion: %s, balance: %s, " UET "}}]\noutput: {warmup: 0.5ms}\n",
            "3ms", 4, "", i / 4 ? "rccc" : "nscc", balances[i % 4]);
        const double share = run_for(text, NULL, 0, "goodput_bps") * 4150.0 / 4086.0 / (16 * 100e9);
        if (!(fabs(share / theirs[i] - 1.0) < 0.03))
            fail_msg("%s, %s: %g of the lines, the reference %g", i / 4 ? "rccc" : "nscc", balances[i % 4],
                     share, theirs[i]);
    }
}

/* The last acknowledgement of an experiment's messages, microseconds: validate_uec_sender.out and validate_uec_both.out. */
static void published(void **state)
{
    (void)state;
    static const struct {
        const char *file, *control, *more;
        double want_us;
    } all[] = {
        {"one.cm", "nscc, paths: 64", "", 176.2},
        {"bidir.cm", "nscc, paths: 64", "", 176.804},
        {"incast.cm", "nscc, paths: 64", "", 2478.53},
        {"perm_16n_16c_2MB.cm", "nscc, paths: 128", "", 194.017},
        {"perm_16n_16c_2MB.cm", "nscc, paths: 128",
         "  links: [{link: c0->a0_0, rate: 25Gbps}]\n  queues: [{link: c0->a0_0, type: trim, limit: 40228B, "
         "headers: "
         "55765B, headers_turns: 0, mark_min: 5157B, mark_max: 31976B}]\n",
         238.215},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char text[8192], file[200];
        snprintf(file, sizeof file, "peers/uet-htsim/htsim/sim/datacenter/connection_matrices/%s",
                 all[i].file);
        snprintf(
            text, sizeof text,
            THEIRS
            "traffic: [{name: a, flows: %s, tcp: {congestion: %s, mss: 4086B, base_rtt: 14.02272us, rto_min: "
            "100.656us, window: 32MiB}}]\n",
            "5ms", 4, all[i].more, data_path(file), all[i].control);
        json_t *s = summary_of(text, NULL, 0, NULL);
        /* Their times end with the last ACK: six links of 1 us and 64 bytes further. */
        const double got_us = 1e6 * class_number(s, 0, NULL, "makespan_s") + 6.0 + 6 * 0.00512;
        if (!(fabs(got_us / all[i].want_us - 1.0) < 0.05))
            fail_msg("%s %s: %g us, want %g", all[i].file, all[i].more, got_us, all[i].want_us);
        json_decref(s);
    }
}

/*
 * 32 hosts whose four racks have a quarter of their hosts' rate above them, and one spine of two at a quarter of that: the last
 * acknowledgement by their program, from source (-topo leaf_spine_tiny.topo, -failed 1), microseconds, means of five seeds.
 */
static void slow_spine(void **state)
{
    (void)state;
    static const char *const seeds[] = {"seed=1", "seed=2", "seed=3"};
    static const double want_us[2][3] = {{732.58, 746.58, 724.90}, {1152.45, 1181.23, 1137.37}};
    char topology[4200], flows[4200];
    snprintf(topology, sizeof topology, "%s",
             data_path("peers/uet-htsim/htsim/sim/datacenter/topologies/leaf_spine_tiny.topo"));
    snprintf(flows, sizeof flows, "%s",
             data_path("peers/uet-htsim/htsim/sim/datacenter/connection_matrices/perm_32n_32c_2MB.cm"));
    for (int i = 0; i < 6; i++) {
        char text[10000];
        snprintf(
            text, sizeof text,
            "weir: 1\nduration: 3ms\ntopology:\n  file: \"%s\"\n  overhead: 24B\n"
            "  queue: {type: trim, limit: 115528B, headers: 150437B, headers_turns: 0, mark_min: 20630B, "
            "mark_max: 94898B}\n  queues: [%s%s]\n  links: [%s]\nrouting: {ecmp: true}\n"
            "traffic: [{name: a, flows: \"%s\", tcp: {congestion: %s, mss: 4086B, base_rtt: 9348480ps, "
            "rto_min: 72.768us, window: 32MiB, paths: 64}}]\n",
            topology,
            i % 3 == 2
                ? "{link: 'tor*->h*', type: trim, limit: 115528B, headers: 150437B, headers_turns: 0}, "
                : "",
            i < 3 ? ""
                  : "{link: ['agg0->tor*', 'tor*->agg0'], type: trim, limit: 25787B, headers: 37609B, "
                    "headers_turns: 0, mark_min: 2063B, mark_max: 20630B}",
            i < 3 ? "" : "{link: ['agg0->tor*', 'tor*->agg0'], rate: 25Gbps}", flows,
            i % 3 == 2 ? "rccc, oversubscription: 4" : controls[i % 3]);
        double got_us = 4.0 + 4 * 0.00512;
        for (int k = 0; k < 3; k++)
            got_us += 1e6 / 3 * run_for(text, (const char *const[]){seeds[k]}, 1, "makespan_s");
        if (!(fabs(got_us / want_us[i / 3][i % 3] - 1.0) < 0.05))
            fail_msg("%s, spine %s: %g us, the reference %g", controls[i % 3], i < 3 ? "whole" : "slow",
                     got_us, want_us[i / 3][i % 3]);
    }
}

/*
 * What is sent again in incasts of 127 and 1,023 of their files, where their queues of headers overflow in the latter: validate_uec_rcv
 * (their program, from source) and validate_uec_both.out. RCCC alone there has no limit on requests, as only NSCC sets it; the
 * last row is of their program with the limit.
 */
static void sent_again(void **state)
{
    (void)state;
    static const struct {
        const char *file, *control, *queue;
        int k;
        double want;
    } all[] = {
        {"incast_128.cm", "rccc", "  queues: [{link: 'e*->h*', mark_min: 0B, mark_max: 0B}]\n", 8, 6218},
        {"incast_128.cm", "nscc, credits: true", "", 8, 6226},
        {"incast_128.cm", "nscc", "", 8, 72623},
        {"incast_1024_100K.cm", "nscc, first_window: 50", "", 16, 448242},
        {"incast_1024_100K.cm", "nscc, credits: true, first_window: 50", "", 16, 26625},
        {"incast_1024_100K.cm", "rccc", "  queues: [{link: 'e*->h*', mark_min: 0B, mark_max: 0B}]\n", 16,
         26606},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char text[8192], file[200];
        snprintf(file, sizeof file, "peers/uet-htsim/htsim/sim/datacenter/connection_matrices/%s",
                 all[i].file);
        snprintf(text, sizeof text,
                 THEIRS "traffic: [{name: a, flows: %s, tcp: {congestion: %s, mss: 4086B, base_rtt: "
                        "14.02272us, rto_min: 100.656us, window: 32MiB, paths: 64}}]\n",
                 "30ms", all[i].k, all[i].queue, data_path(file), all[i].control);
        json_t *s = summary_of(text, NULL, 0, NULL);
        const double again = class_number(s, 0, NULL, "retransmissions"),
                     trims = class_number(s, 0, NULL, "packets_trimmed"),
                     lost = class_number(s, 0, NULL, "packets_dropped"),
                     nacks = class_number(s, 0, NULL, "nacks");
        json_decref(s);
        if (!(fabs(again / all[i].want - 1.0) < 0.05))
            fail_msg("%s, %s: %g sent again, the reference %g", all[i].file, all[i].control, again,
                     all[i].want);
        /* A header arrives or is lost; with credits those that ask for some are lost too. */
        const bool asks = strncmp(all[i].control, "nscc, f", 7) != 0 && strcmp(all[i].control, "nscc") != 0;
        if (!(asks ? trims >= nacks && trims <= nacks + lost : trims == nacks + lost))
            fail_msg("%s, %s: %g trimmed, %g NACKs, %g lost", all[i].file, all[i].control, trims, nacks,
                     lost);
    }
}

/* Eight flows whose common line loses 1 % keep it full and share it: what is lost is known a timeout later, though more goes all the
 * time, so that what is out has no end. */
static void random_loss(void **state)
{
    (void)state;
    for (size_t c = 0; c < 3; c++) {
        char text[1200];
        snprintf(text, sizeof text,
                 HEAD
                 "traffic: [{name: a, from: 'h[4-11]', to: h0, tcp: {congestion: %s, mss: 4086B, window: "
                 "32MiB}}]\noutput: {warmup: 4ms}\n",
                 "8ms", 4, "  links: [{link: 'e0_0->h0', loss: 1%}]\n", controls[c]);
        const double share = run_for(text, NULL, 0, "goodput_bps") * 4150.0 / 4086.0 / 100e9;
        if (!(share > 0.94))
            fail_msg("%s: %g of the line", controls[c], share);
    }
}

/*
 * A first window that is lost whole goes again a timeout after it went, each packet by its own: so the transfer takes that time more
 * than on a sound path, and what a run of sending times (tcp_runs.h) spans. Six links of 1 us, a packet of 4,150 bytes on each.
 */
static void lost_window(void **state)
{
    (void)state;
    static const char *const all[] = {"nscc", "nscc, credits: true", "rccc", "ndp"};
    static const int packets[] = {1, 2, 8, 25};
    const double packet_s = 4150 * 8e-11;
    for (size_t i = 0; i < 16; i++) {
        char text[1200];
        const int n = packets[i % 4];
        snprintf(text, sizeof text,
                 HEAD
                 "events: [{at: 0s, fail: {link: e0_0--h0}}, {at: 50us, repair: {link: e0_0--h0}}]\n"
                 "traffic: [{name: a, from: h9, to: h0, tcp: {congestion: %s, mss: 4086B, rto_min: 100us, "
                 "size: %dB, window: 32MiB}}]\n",
                 "20ms", 4, "", all[i / 4], n * 4086);
        json_t *s = summary_of(text, NULL, 0, NULL);
        /* NDP waits for four times its first window of 30 packets, too. */
        const double rto_s = 100e-6 + (i / 4 == 3 ? 4 * 30 * packet_s : 0.0);
        const double least = rto_s + 6e-6 + (n + 5) * packet_s, got = class_number(s, 0, NULL, "makespan_s");
        if (!(got >= least - 1e-9 && got <= least + n * packet_s))
            fail_msg("%s, %d packets: %g us, want %g and %g more at most", all[i / 4], n, 1e6 * got,
                     1e6 * least, 1e6 * n * packet_s);
        assert_true(class_number(s, 0, NULL, "retransmissions") == n);
        assert_true(class_number(s, 0, NULL, "timeouts") == 1.0);
        json_decref(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(incasts),      cmocka_unit_test(incasts_of_a_few_packets),
        cmocka_unit_test(permutations), cmocka_unit_test(published),
        cmocka_unit_test(slow_spine),   cmocka_unit_test(sent_again),
        cmocka_unit_test(random_loss),  cmocka_unit_test(lost_window)};
    return test_result(cmocka_run_group_tests(tests, NULL, NULL));
}
