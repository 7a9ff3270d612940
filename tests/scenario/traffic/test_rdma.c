/*
 * RDMA's loss recoveries in networks. Go-back-N on a line that loses packets has the goodput of the closed form, over loss rates and
 * round trips. IRN on the same line sends each lost packet once, and no less gets through. Incasts over controls, with priority flow
 * control and without, have what the IRN paper (Mittal and others, SIGCOMM 2018) says of them: RoCE needs lossless switches, IRN does not. And
 * what is refused.
 * label: slow statistics
 */
#include "nightly.h"
#include "scenario/network/refused.h"
#include "scenario/net_run.h"
#include "scenario/run_summary.h"

/* ---- one flow, losses at random ---- */

/* A line of 100 Gb/s, packets of 1,040 bytes, between two links of as much; `delay_us` in the middle, 1 us beside. */
static wi_net_flow_total over_line(const char *recovery, double loss, int delay_us, weir_time lasts_ps,
                                   double *used)
{
    net_run *r = net_run_new(
        WEIR_1
        "topology: {generate: {model: dumbbell, left: 1, bottleneck_rate: 100Gbps, bottleneck_delay: %dus, "
        "access_rate: 100Gbps, access_delay: 1us}, links: [{link: left->right, loss: %g%%}]}\n"
        "traffic: [{name: f, from: l0, to: r0, tcp: {congestion: timely, t_low: 1s, t_high: 2s, mss: 1000B, "
        "window: 8MiB, recovery: %s}}]\n",
        delay_us, 100.0 * loss, recovery);
    net_run_until(r, lasts_ps);
    const wi_net_flow_total f = net_run_flow(r, 0);
    *used = (double)f.received_bytes * 1.040 * 8.0 / (100e9 * weir_seconds(lasts_ps));
    net_run_end(r);
    return f;
}

/*
 * Of each packet that is lost W are sent for nothing: it, and those behind it until its NACK is there, a round trip and a packet later.
 * So of all packets (1 - p) / (1 - p + p W) are delivered. The interval between NACKs is two packets longer than the round trip:
 * what is lost again costs hardly more.
 */
static void go_back_n_has_the_closed_form(void **state)
{
    (void)state;
    static const double losses[] = {0, 1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1};
    static const int delays_us[] = {2, 10, 40};
    const double packet_s = 1040 * 8 / 100e9;
    for (size_t d = 0; d < (nightly() ? 3 : 2); d++)
        for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
            const double p = losses[i], rtt_s = 2e-6 * (2 + delays_us[d]) + 3 * packet_s + 3 * 40 * 8 / 100e9;
            const double w = rtt_s / packet_s + 1.0, law = (1.0 - p) / (1.0 - p + p * w);
            char recovery[80];
            snprintf(recovery, sizeof recovery, "go-back-n, nack_interval: %.0fns",
                     1e9 * (rtt_s + 2.5 * packet_s));
            double used;
            const weir_time lasts_ps = (nightly() ? 100 : 15) * MS;
            const wi_net_flow_total f = over_line(recovery, p, delays_us[d], lasts_ps, &used);
            const double holes = p * (double)f.received_packets,
                         noise = holes > 0.0 ? 4.0 * law / sqrt(holes) : 0.0;
            const double bound = law * (0.02 + (1.0 - law) * (noise / law + 0.02));
            print_message(
                "  loss %6.2f %%, W %3.0f: %.4f of the line, closed form %.4f, %llu NACKs, %llu sent again\n",
                100.0 * p, w, used, law, (unsigned long long)f.nacks, (unsigned long long)f.retransmissions);
            if (!(fabs(used - law) <= bound))
                fail_msg("loss %g, W %g: %g of the line, want %g within %g", p, w, used, law, bound);
            assert_true(p > 0 ? f.nacks > 0 && f.retransmissions > 10 * f.nacks
                              : f.nacks + f.retransmissions == 0);
        }
}

/* IRN's bound counts from the last packet acknowledged in order, so that a hole stops new data a round trip later; a bound of two
 * products lets it go on, and nothing but the loss itself is lost. */
static void irn_sends_each_lost_packet_once(void **state)
{
    (void)state;
    static const double losses[] = {0, 1e-4, 1e-3, 3e-3};
    for (size_t i = 0; i < 4; i++)
        for (int bound = 1; bound <= 4; bound *= 2) {
            char recovery[80];
            snprintf(recovery, sizeof recovery, bound == 1 ? "irn" : "irn, bdp_cap: %dB", bound * 100000);
            double used;
            const double p = losses[i];
            const wi_net_flow_total f = over_line(recovery, p, 2, 15 * MS, &used);
            print_message(
                "  loss %5.2f %%, bound %d: %.4f of the line, %llu lost, %llu sent again, %llu timeouts\n",
                100.0 * p, bound, used, (unsigned long long)f.dropped, (unsigned long long)f.retransmissions,
                (unsigned long long)f.timeouts);
            assert_true(f.retransmissions <= f.dropped && f.retransmissions + 10 >= f.dropped);
            assert_int_equal(f.duplicates, 0);
            assert_true(used > (p == 0 ? 0.99 : bound > 1 ? 0.9 : 0.74));
        }
}

/* ---- incasts: 15 MB to one host, in equal parts from the others, as the paper has them of 150 MB ---- */

typedef struct incast {
    double ideal, makespan_s, dropped, again, nacks, timeouts;
} incast;

static incast run_incast(const char *control, const char *recovery, int hosts, bool pfc)
{
    char text[1200];
    snprintf(text, sizeof text,
             "weir: 1\nduration: until-done 500ms\ntopology:\n"
             "  generate: {model: star, hosts: %d, access_rate: 40Gbps, access_delay: 2us}\n"
             "  queue: {type: red, min: 5kB, max: 200kB, max_p: 10%%, w: 1, mode: bernoulli, gentle: false, "
             "ecn: true}\n"
             "  shared_buffer: {size: 2MB, alpha: 1%s}\n"
             "traffic: [{name: f, from: \"h[1-%d]\", to: h0, tcp: {congestion: %s, recovery: %s, mss: 1000B, "
             "size: %dkB}}]\n",
             hosts + 1, pfc ? ", pfc: {}" : "", hosts, control, recovery, 15000 / hosts);
    json_t *s = summary_of(text, NULL, 0, NULL);
    const incast x = {15000 * 1040 * 8 / 40e9,
                      class_number(s, 0, NULL, "makespan_s"),
                      class_number(s, 0, NULL, "packets_dropped"),
                      class_number(s, 0, NULL, "retransmissions"),
                      class_number(s, 0, NULL, "nacks"),
                      class_number(s, 0, NULL, "timeouts")};
    json_decref(s);
    print_message("  %-8s %-9s %3d hosts %-5s %6.2f of the line's time, %6.0f dropped, %6.0f again, %5.0f "
                  "NACKs, %4.0f timeouts\n",
                  control, recovery, hosts, pfc ? "pfc" : "lossy", x.makespan_s / x.ideal, x.dropped, x.again,
                  x.nacks, x.timeouts);
    return x;
}

/*
 * With pauses nothing is lost, and IRN is no slower, as its bound keeps queues short. Without them go-back-N sends most of a window for each packet lost, and
 * what is lost last waits 4 ms; IRN sends what is lost once, but for a twentieth where queues wait
 * longer than its timeout, and takes a fifth longer than with pauses at most, and five of its timeouts.
 */
static void incasts_are_as_the_paper_has_them(void **state)
{
    (void)state;
    static const char *const controls[] = {"dcqcn", "hpcc", "powertcp", "swift", "dctcp", "timely"};
    for (size_t i = 0; i < (nightly() ? 6 : 3); i++)
        for (int hosts = 10; hosts <= (nightly() ? 50 : 30); hosts += 20) {
            const incast roce = run_incast(controls[i], "go-back-n", hosts, true),
                         irn_pfc = run_incast(controls[i], "irn", hosts, true),
                         lossy = run_incast(controls[i], "go-back-n", hosts, false),
                         irn = run_incast(controls[i], "irn", hosts, false);
            assert_true(roce.dropped + roce.nacks + roce.again == 0 && irn_pfc.dropped + irn_pfc.nacks == 0);
            assert_true(irn_pfc.makespan_s < 1.15 * roce.makespan_s);
            assert_true(irn.again >= irn.dropped && irn.again < 1.06 * irn.dropped + 1.0 &&
                        irn.makespan_s < 1.2 * roce.makespan_s + 5 * 320e-6);
            if (irn.dropped > 100)
                assert_true(lossy.makespan_s > irn.makespan_s && lossy.again > 1.4 * irn.again);
        }
}

/* ---- keys ---- */

static void refused_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *tcp, *message;
    } cases[] = {
        {"congestion: dcqcn, recovery: irn, handshake: true", "RDMA has none; want handshake: false"},
        {"congestion: dcqcn, recovery: go-back-n, delayed_ack: 2", "want delayed_ack: 1"},
        {"recovery: go-back-n", "RDMA's recoveries go with controls of data centres"},
        {"congestion: bbr, recovery: irn", "RDMA's recoveries go with controls of data centres"},
        {"congestion: ndp, recovery: irn", "want recovery: rack"},
        {"congestion: swift, recovery: irn, sack: false", "recovery"},
        {"congestion: dcqcn, recovery: irn, nack_interval: 1ms", "nack_interval"},
        {"congestion: dcqcn, recovery: go-back-n, bdp_cap: 1MB", "bdp_cap"},
        {"congestion: dcqcn, rto_low: 1ms", "rto_low"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[600];
        weir_run_result result;
        weir_diag *diag = weir_diag_new();
        snprintf(text, sizeof text,
                 "weir: 1\nduration: 1ms\ntopology: {generate: {model: star, hosts: 2}}\n"
                 "traffic: [{name: f, from: h0, to: h1, tcp: {%s}}]\n",
                 cases[i].tcp);
        assert_int_not_equal(run_text(diag, text, WEIR_TEST_DATA, NULL, 0, &result), WEIR_OK);
        const weir_message *m = weir_diag_get(diag, 0);
        if (!m || !strstr(m->text, cases[i].message) || m->line != 4)
            fail_msg("%s: '%s' in line %d", cases[i].tcp, m ? m->text : "", m ? m->line : 0);
        weir_run_result_free(&result);
        weir_diag_free(diag);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(go_back_n_has_the_closed_form), cmocka_unit_test(irn_sends_each_lost_packet_once),
        cmocka_unit_test(incasts_are_as_the_paper_has_them), cmocka_unit_test(refused_by_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
