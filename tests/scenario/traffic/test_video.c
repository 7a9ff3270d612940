/*
 * Adaptive video on connections that last, over whole networks: start-up, stalls and bitrates against closed forms, over
 * links of constant rate and grids of controls; identities that hold for every player; and the restart window.
 */
#include <string.h>

#include "scenario/net_run.h"

/* A player of a run, as of now. */
static net_player player_of(const net_run *r, uint32_t flow)
{
    const net_world *w = wi_net_world(r->net);
    const uint32_t rx = r->net->flow_rx[flow], cls = r->network->plan.flows[flow].cls;
    const uint32_t first = NET_ARRAY(w, uint32_t, rx_map)[rx] + net_class_at(w, cls)->map_words;
    net_player p = *(const net_player *)weir_sim_slot(r->sim, NET_POOL_WINDOW, first);
    net_player_play(&p, weir_sim_now(r->sim));
    return p;
}

#define LINK(rate) \
    "topology: {generate: {model: dumbbell, left: 1, bottleneck_rate: " rate ", bottleneck_delay: 5ms}}\n"

/* One bitrate above what the link carries: segment after segment takes bytes / goodput, each stall is that less its
 * playback, and the last one plays to the end. The rate that carries payload is 1460 / 1500 of the line's. */
static void test_rebuffer(void **state)
{
    (void)state;
    static const double ratios[] = {1.2, 2.0, 5.0};
    static const char *const controls[] = {"cubic", "newreno", "bbr", "bbr3", "dctcp"};
    enum { N = 20 };
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++)
        for (size_t k = 0; k < sizeof controls / sizeof *controls; k++) {
            const double goodput = 4e6 * 1460.0 / 1500.0, rate = ratios[i] * goodput,
                         takes_s = 4.0 * ratios[i];
            net_run *r = net_run_new(
                WEIR_1 LINK("4Mbps") "traffic: [{name: v, from: l0, to: r0, tcp: {congestion: %s, "
                                     "video: {ladder: [%.0fbps], length: %ds}}}]\n",
                controls[k], rate, 4 * N);
            net_run_until(r, (weir_time)((N * takes_s + 100.0) * 1e12));
            const net_player p = player_of(r, 0);
            assert_int_equal(p.phase, NET_PLAYER_OVER);
            assert_int_equal(p.segments, N);
            assert_int_equal(p.stalls, N - 1);
            const double stalled_s = weir_seconds(p.stalled_ps), want_s = (N - 1) * (takes_s - 4.0);
            const double slack_s = N * (0.02 + 0.03 * takes_s); /* round trips, slow start, recoveries */
            if (!(stalled_s >= want_s - 0.01 && stalled_s <= want_s + slack_s))
                fail_msg("%s, %g times the link: stalled %.4f s, want %.4f s", controls[k], ratios[i],
                         stalled_s, want_s);
            if (!(fabs(weir_seconds(p.startup_ps) - takes_s) < 0.1 + 0.05 * takes_s))
                fail_msg("%s: start-up %.4f s, want %.4f s", controls[k], weir_seconds(p.startup_ps),
                         takes_s);
            assert_int_equal(r->n_tx_done, N);
            assert_int_equal(r->tx_done_bytes, p.bytes);
            net_run_end(r);
        }
}

/* By the throughput, with all of it: in the end the highest bitrate below the link's goodput, but where the measured
 * throughput, which the request's round trip is part of, is less than 6 % above a bitrate. Never a stall. */
static void test_steady_bitrate(void **state)
{
    (void)state;
    static const double mbps[] = {0.7, 1.3, 2.0, 3.3, 4.7, 7.5, 12.0};
    static const double ladder[] = {0.3, 0.75, 1.5, 3.0, 6.0};
    for (size_t i = 0; i < sizeof mbps / sizeof *mbps; i++) {
        const double goodput = mbps[i] * 1460.0 / 1500.0;
        int want = 0;
        for (int k = 0; k < 5; k++)
            want = ladder[k] <= 0.94 * goodput ? k : want;
        net_run *r = net_run_new(WEIR_1 "topology: {generate: {model: dumbbell, left: 1, bottleneck_rate: "
                                        "%.1fMbps, bottleneck_delay: 5ms}}\n"
                                        "traffic: [{name: v, from: l0, to: r0, tcp: {connection: keep, "
                                        "video: {algorithm: throughput, safety: 1, "
                                        "samples: 5, ladder: [300kbps, 750kbps, 1.5Mbps, 3Mbps, 6Mbps]}}}]\n",
                                 mbps[i]);
        net_run_until(r, 400 * SEC);
        const net_player p = player_of(r, 0);
        if (p.rung != want)
            fail_msg("%.1f Mbit/s: bitrate %.2f, want %.2f Mbit/s", mbps[i], ladder[p.rung], ladder[want]);
        assert_int_equal(p.stalls, 0);
        assert_true(p.switches <= 4);
        net_run_end(r);
    }
}

/* By the buffer: the mean bitrate, once the buffer is in its cushion, is what the link carries, or the largest bitrate where
 * that is less; and there is no stall. */
static void test_buffer_based(void **state)
{
    (void)state;
    static const double mbps[] = {0.7, 1.3, 2.0, 3.3, 4.7, 12.0};
    for (size_t i = 0; i < sizeof mbps / sizeof *mbps; i++) {
        const double goodput = 1e6 * mbps[i] * 1460.0 / 1500.0;
        net_run *r = net_run_new(
            WEIR_1
            "topology: {generate: {model: dumbbell, left: 1, bottleneck_rate: %.1fMbps, bottleneck_delay: "
            "5ms}}\n"
            "traffic: [{name: v, from: l0, to: r0, tcp: {video: {ladder: [300kbps, 750kbps, 1.5Mbps, 3Mbps, "
            "6Mbps], buffer: 60s}}}]\n",
            mbps[i]);
        net_run_until(r, 400 * SEC);
        const net_player half = player_of(r, 0);
        net_run_until(r, 2000 * SEC);
        const net_player p = player_of(r, 0);
        const double mean = (double)(p.rate_sum_bps - half.rate_sum_bps) / (p.segments - half.segments);
        const double want = goodput < 6e6 ? goodput : 6e6;
        if (!(mean > 0.93 * want && mean <= 1.01 * want))
            fail_msg("%.1f Mbit/s: mean bitrate %.3f, want %.3f Mbit/s", mbps[i], 1e-6 * mean, 1e-6 * want);
        assert_int_equal(p.stalls, 0);
        net_run_end(r);
    }
}

/* By the buffer with the parts that follow from it: on a link of twice the largest bitrate every buffer of two segments and more
 * comes to that bitrate and stays there. */
static void test_every_buffer_reaches_the_top(void **state)
{
    (void)state;
    static const int buffers[] = {8, 10, 12, 16, 30, 60, 240};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
        net_run *r = net_run_new(
            WEIR_1
            "topology: {generate: {model: dumbbell, left: 1, bottleneck_rate: 14Mbps, bottleneck_delay: "
            "5ms}}\n"
            "traffic: [{name: v, from: l0, to: r0, tcp: {connection: keep, video: {ladder: [300kbps, "
            "750kbps, 1.5Mbps, 3Mbps, 6Mbps], segment: 4s, buffer: %ds}}}]\n",
            buffers[i]);
        net_run_until(r, 600 * SEC);
        const net_player half = player_of(r, 0);
        net_run_until(r, 1000 * SEC);
        const net_player p = player_of(r, 0);
        if (p.rung != 4 ||
            p.rate_sum_bps - half.rate_sum_bps != (p.segments - half.segments) * UINT64_C(6000000))
            fail_msg("buffer %d s: rung %u, %u switches", buffers[i], p.rung, p.switches);
        assert_int_equal(p.stalls, 0);
        net_run_end(r);
    }
}

/* Players that share a link, of both kinds, under every control: what holds for each at any time. Played, stalled and started
 * up make the time since the start; the buffer keeps its bounds; bytes are those of the segments. */
static void test_identities(void **state)
{
    (void)state;
    static const char *const controls[] = {
        "newreno",       "cubic", "dctcp", "prague", "vegas", "ledbat", "swift, delay_target: 100ms",
        "bbr",           "bbr3",  "ndp",   "dcqcn",  "hpcc",  "timely", "powertcp",
        "theta_powertcp"};
    static const char *const sack[] = {"", ", sack: false"};
    for (size_t k = 0; k < 2 * sizeof controls / sizeof *controls; k++) {
        const char *control = controls[k / 2];
        const bool needs_sack = strncmp(control, "bbr", 3) == 0 || strcmp(control, "dcqcn") == 0 ||
                                strcmp(control, "ndp") == 0 || strcmp(control, "hpcc") == 0 ||
                                strcmp(control, "timely") == 0 || strstr(control, "powertcp");
        if (k % 2 && needs_sack)
            continue;
        net_run *r = net_run_new(
            WEIR_1
            "topology: {generate: {model: dumbbell, left: 4, bottleneck_rate: 9Mbps, bottleneck_delay: 8ms}, "
            "queue: "
            "{type: threshold, mark: 30kB, limit: 100kB}}\n"
            "traffic: [{name: b, pairs: [[l0, r0], [l1, r1]], stop: 60s, tcp: {congestion: %s%s, handshake: "
            "%s, video: "
            "{ladder: [400kbps, 1Mbps, 3Mbps, 8Mbps], segment: 2s, buffer: 12s, startup: 5s, resume: 3s}}},\n"
            "  {name: t, pairs: [[l2, r2], [l3, r3]], tcp: {congestion: %s%s, video: {ladder: [400kbps, "
            "1Mbps, 3Mbps, "
            "8Mbps], algorithm: throughput, segment: 2s, length: 59s, buffer: 9s}}}]\n",
            control, sack[k % 2], k % 3 && strcmp(control, "ndp") != 0 ? "true" : "false", control,
            sack[k % 2]);
        for (int s = 1; s <= 100; s++) {
            net_run_until(r, s * SEC);
            for (uint32_t i = 0; i < 4; i++) {
                const net_player p = player_of(r, i);
                const weir_time played = (weir_time)p.segments * 2 * SEC - p.buffer_ps;
                assert_true(p.buffer_ps >= 0 && p.buffer_ps <= (i < 2 ? 12 : 9) * SEC);
                if (p.phase == NET_PLAYER_PLAYING || p.phase == NET_PLAYER_STALLED)
                    assert_int_equal(p.startup_ps + played + p.stalled_ps, s * SEC - p.start_ps);
            }
        }
        net_run_until(r, 400 * SEC); /* what is under way then may be slow */
        for (uint32_t i = 0; i < 4; i++) {
            const net_player p = player_of(r, i);
            if (p.phase != NET_PLAYER_OVER || (i >= 2 && p.segments != 30))
                fail_msg("%s%s: player %u in phase %d after %u segments", control, sack[k % 2], i, p.phase,
                         p.segments);
        }
        net_run_end(r);
    }
}

/* Replies of 600 kB on a connection, 2 s apart, over 100 ms of round trip: how long each takes from its first segment. */
static double last_reply_s(const char *connection, const char *pause)
{
    net_run *r = net_run_new(
        WEIR_1 "topology: {generate: {model: dumbbell, left: 1, bottleneck_rate: 100Mbps, "
               "bottleneck_delay: 50ms}}\n"
               "traffic: [{name: v, from: l0, to: r0, tcp: {congestion: newreno, connection: %s, video: "
               "{ladder: [2400kbps], segment: 2s, buffer: %s, length: 30s}}}]\n",
        connection, pause);
    double took = 0.0;
    uint64_t done = 0;
    weir_time asked = 0;
    for (weir_time t = MS; done < 15; t += MS) {
        net_run_until(r, t);
        const net_session *s = weir_sim_slot(r->sim, NET_POOL_SESSION, 0);
        if (s->replies > done) {
            took = weir_seconds(t - asked);
            done = s->replies;
        }
        asked = s->asked_at_ps;
    }
    net_run_end(r);
    return took;
}

/*
 * RFC 5681, section 4.1. A reply is 411 segments of 1460 B. With a window that has grown over the replies before (congestion
 * control is never told of a loss, the receive window is 718 segments), `keep` sends it in the 100 ms of one round trip and
 * 48 ms of transmission; after a pause beyond the RTO, a window of 10 segments grows by half a round trip with delayed ACKs:
 * 10, 15, 22, 34, 50, 76, 114 make 321, the rest is the 8th round. Without a pause `restart` is `keep`.
 */
static void test_restart(void **state)
{
    (void)state;
    const double keep = last_reply_s("keep", "4s"), restart = last_reply_s("restart", "4s");
    const double fresh = last_reply_s("new", "4s"), busy = last_reply_s("restart", "60s");
    if (!(keep > 0.140 && keep < 0.175))
        fail_msg("keep: %.3f s", keep);
    if (!(restart > 0.78 && restart < 0.88))
        fail_msg("restart: %.3f s", restart);
    if (!(fresh > restart + 0.05 && fresh < restart + 0.15)) /* a round trip of the handshake */
        fail_msg("new: %.3f s, restart %.3f s", fresh, restart);
    const double validate = last_reply_s("validate", "4s"); /* a flight in all, less than five minutes ago */
    if (!(fabs(validate - keep) < 0.02))
        fail_msg("validate: %.3f s, keep %.3f s", validate, keep);
    if (!(fabs(busy - keep) < 0.005))
        fail_msg("without a pause: %.3f s, keep %.3f s", busy, keep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rebuffer),     cmocka_unit_test(test_steady_bitrate),
        cmocka_unit_test(test_buffer_based), cmocka_unit_test(test_every_buffer_reaches_the_top),
        cmocka_unit_test(test_identities),   cmocka_unit_test(test_restart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
