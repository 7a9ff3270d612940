/*
 * Fluid that overfills a queue and stops leaves the line to packets: those that begin when the queue is empty all arrive, however long
 * after, over slow and fast lines, short and long queues, whatever the control, with most of the line idle or little. Packets that
 * are there from the start lose nothing either once the queue is empty.
 * label: slow statistics
 */
#include "scenario/run_summary.h"

static const char *const fluids[] = {"tcp: {sessions: 40, congestion: newreno}", "tcp: {sessions: 10}",
                                     "tcp: {sessions: 10, congestion: swift}", "tcp: {sessions: 2}",
                                     "udp: {rate: "};

/* Packets dropped of the class `u`, and sent. */
static double dropped(const char *fluid, double rate, const char *queue, double share, const char *start,
                      double *sent)
{
    char class[200], text[1200];
    if (strncmp(fluid, "udp", 3) == 0)
        snprintf(class, sizeof class, "%s%.0fbps}", fluid, 1.5 * rate);
    else
        snprintf(class, sizeof class, "%s", fluid);
    snprintf(
        text, sizeof text,
        "weir: 1\nduration: 14s\ntopology:\n  generate: {model: dumbbell, left: 2, bottleneck_rate: %.0fbps, "
        "bottleneck_delay: 5ms, access_rate: 1Gbps}\n  queue: %s\ntraffic:\n"
        "- {name: u, from: l0, to: r0, start: %s, udp: {rate: %.0fbps, packet: 500B}}\n"
        "- {name: gone, from: l1, to: r1, stop: 3s, fidelity: fluid, %s}\n",
        rate, queue, start, share * rate, class);
    json_t *summary = summary_of(text, NULL, 0, NULL);
    const double lost = class_number(summary, 0, NULL, "packets_dropped");
    *sent = class_number(summary, 0, NULL, "packets_sent");
    assert_true(class_number(summary, 1, NULL, "goodput_bps") > 0.05 * rate);
    json_decref(summary);
    return lost;
}

static void the_line_is_packets_alone(void **state)
{
    (void)state;
    static const double rates[] = {1e6, 50e6};
    static const char *const queues[] = {"{limit: 30kB}", "{limit: 150kB}",
                                         "{type: red, min: 10kB, max: 30kB, w: 0.05, limit: 100kB}"};
    static const double shares[] = {0.1, 0.9};
    for (size_t f = 0; f < sizeof fluids / sizeof *fluids; f++)
        for (size_t r = 0; r < 2; r++)
            for (size_t q = 0; q < 3; q++)
                for (size_t s = 0; s < 2; s++) {
                    double sent;
                    const double lost = dropped(fluids[f], rates[r], queues[q], shares[s], "6s", &sent);
                    if (lost > 0.0)
                        fail_msg("%s, %g b/s, %s, %g of the line: %g of %g packets are lost", fluids[f],
                                 rates[r], queues[q], shares[s], lost, sent);
                }
}

/* A share of the packets of the first 3 s is lost, as of fluid; none of the 11 s after that. */
static void packets_of_before_lose_no_more(void **state)
{
    (void)state;
    for (size_t f = 0; f < sizeof fluids / sizeof *fluids; f++) {
        double sent;
        const double lost = dropped(fluids[f], 50e6, "{limit: 100kB}", 0.2, "0s", &sent);
        if (!(lost < 3.3 / 14.0 * 0.4 * sent))
            fail_msg("%s: %g of %g packets are lost", fluids[f], lost, sent);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_line_is_packets_alone),
        cmocka_unit_test(packets_of_before_lose_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
