/*
 * TCP where segments are out for minutes: lines of 1 and 10 kb/s with seconds a packet, and links that are down for longer
 * than RACK's times reach (281 s, compared within half of that). Runs go on: events stay in proportion to packets,
 * what the line can carry arrives, and after a repair a flow is as fast as after a short one.
 */
#include "scenario/net_run.h"
#include "scenario/run_text.h"

/* Events of a run until `until_s`, second by second, so that one in which time stands ends the test. */
static uint64_t events_until(net_run *r, int until_s, uint64_t most)
{
    for (int s = 1; s <= until_s; s++) {
        net_run_until(r, s * SEC);
        if (weir_sim_events(r->sim) > most)
            fail_msg("%llu events at %d s", (unsigned long long)weir_sim_events(r->sim), s);
    }
    return weir_sim_events(r->sim);
}

/* Four flows fill 10 to 120 s of queue. In 3,000 s a line of 1 kb/s carries 250 packets of 1500 B, one of 10 kb/s 416 of
 * 9000 B; each packet is some events at each of its hops, and many are sent in vain. */
static void seconds_a_packet(void **state)
{
    (void)state;
    static const char *const controls[] = {"cubic", "newreno", "bbr", "bbr3", "vegas", "ledbat"};
    static const struct {
        const char *rate, *limit, *mss;
    } lines[] = {{"1kbps", "15kB", "1460B"}, {"10kbps", "90kB", "8960B"}, {"1kbps", "8kB", "960B"}};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        for (size_t k = 0; k < sizeof controls / sizeof *controls; k++) {
            net_run *r = net_run_new(
                WEIR_1 "topology:\n"
                       "  generate: {model: dumbbell, left: 4, bottleneck_rate: %s, bottleneck_delay: 1s}\n"
                       "  queue: {limit: %s}\n"
                       "traffic: [{name: a, pairs: [%s], tcp: {congestion: %s, mss: %s}}]\n",
                lines[i].rate, lines[i].limit, facing_pairs(4), controls[k], lines[i].mss);
            const uint64_t events = events_until(r, 3000, 200000);
            const net_port *line = net_run_port(r, "left->right");
            print_message("  %s, %s: %llu events, %llu packets\n", lines[i].rate, controls[k],
                          (unsigned long long)events, (unsigned long long)line->packets);
            assert_true(line->packets > 100);
            net_run_end(r);
        }
}

/* A link that is down for `down_s`, and the share of the line that arrives in the 160 s that follow its repair. */
static double after_repair(const char *control, int down_s)
{
    char text[1024];
    weir_diag *diag = weir_diag_new();
    weir_run_result result;
    snprintf(text, sizeof text,
             "weir: 1\nduration: %ds\n"
             "topology:\n"
             "  generate: {model: dumbbell, left: 1, bottleneck_rate: 1Mbps, bottleneck_delay: 20ms}\n"
             "  queue: {limit: 50kB}\n"
             "traffic: [{name: a, from: l0, to: r0, tcp: {congestion: %s}}]\n"
             "events:\n"
             "  - {at: 20s, fail: {link: left--right}}\n"
             "  - {at: %ds, repair: {link: left--right}}\n"
             "output: {warmup: %ds}\n",
             down_s + 180, control, 20 + down_s, 20 + down_s);
    expect_ok(diag, run_text(diag, text, WEIR_TEST_DATA, NULL, 0, &result));
    const char *at = strstr(result.summary_json, "\"goodput_bps\":");
    assert_non_null(at);
    assert_true(result.events < 200000);
    const double share = strtod(strchr(at, ':') + 1, NULL) / 1e6;
    weir_run_result_free(&result);
    weir_diag_free(diag);
    return share;
}

/* Timeouts come every minute at last, so that up to 60 of the 160 s are over before the first segment goes through. */
static void minutes_without_a_link(void **state)
{
    (void)state;
    static const char *const controls[] = {"cubic", "newreno", "bbr", "bbr3"};
    static const int down[] = {60, 120, 141, 150, 200, 270, 290, 400, 600};
    for (size_t k = 0; k < sizeof controls / sizeof *controls; k++)
        for (size_t i = 0; i < sizeof down / sizeof *down; i++) {
            const double got = after_repair(controls[k], down[i]);
            print_message("  %s, down for %d s: %.2f of the line\n", controls[k], down[i], got);
            assert_true(got > 0.5);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(seconds_a_packet),
                                       cmocka_unit_test(minutes_without_a_link)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
