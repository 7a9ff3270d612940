/*
 * label: slow statistics
 *
 * What disturbs sessions that have settled over a drop-tail queue, as fluid and as packets: one more that starts, starts
 * spread over the whole run, and half a second of UDP. tools/fluid-grid has them over 96 cells; these are three in which
 * sessions that answered twelve losses a round trip had 0.51 to 0.9 of packets' goodput.
 */
#include "scenario/run_summary.h"

enum { TEXT = 1600 };

typedef struct disturbed {
    const char *what, *rate, *limit, *traffic; /* of the traffic %1$s is the fidelity */
} disturbed;

/* Goodput from 20 s on, all classes. */
static double goodput(const disturbed *c, const char *fidelity, const char *seed)
{
    char text[TEXT], traffic[TEXT / 2];
    const int length = snprintf(traffic, sizeof traffic, c->traffic, fidelity);
    assert_true(length > 0 && (size_t)length < sizeof traffic);
    snprintf(text, sizeof text,
             "weir: 1\nduration: 40s\n"
             "topology:\n"
             "  generate: {model: dumbbell, left: 2, right: 2, bottleneck_rate: %s, bottleneck_delay: 32ms, "
             "access_rate: 3Gbps, access_delay: 4ms}\n"
             "  queue: {limit: %s}\n"
             "output: {warmup: 20s}\nfluid: {device: cpu}\ntraffic:\n%s",
             c->rate, c->limit, traffic);
    json_t *const summary = summary_of(text, &seed, 1, NULL);
    double sum = 0.0;
    for (size_t i = 0; i < json_array_size(json_object_get(summary, "classes")); i++)
        sum += class_number(summary, i, NULL, "goodput_bps");
    json_decref(summary);
    return sum;
}

static void what_has_settled_stays(void **state)
{
    static const disturbed cells[] = {
        {"one more", "300Mbps", "3MB",
         "  - {name: old, tcp: {congestion: newreno, sessions: 10, window: 64MiB}, from: l0, to: r0, "
         "start: {uniform: [0s, 1s]}, fidelity: %1$s}\n"
         "  - {name: new, tcp: {congestion: newreno, window: 64MiB}, from: l0, to: r0, start: 20s, "
         "fidelity: %1$s}\n"},
        {"spread starts", "50Mbps", "150kB",
         "  - {name: f, tcp: {congestion: newreno, sessions: 20, window: 64MiB}, from: l0, to: r0, "
         "start: {uniform: [0s, 36s]}, fidelity: %1$s}\n"},
        {"a burst of UDP", "50Mbps", "500kB",
         "  - {name: f, tcp: {congestion: newreno, sessions: 10, window: 64MiB}, from: l0, to: r0, "
         "start: {uniform: [0s, 1s]}, fidelity: %1$s}\n"
         "  - {name: u, udp: {rate: 30Mbps, packet: 1000B}, from: l1, to: r1, start: 20s, stop: 20.5s, "
         "fidelity: %1$s}\n"}};
    (void)state;
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        const double fluid = goodput(&cells[i], "fluid", "seed=1"),
                     packets = 0.5 * (goodput(&cells[i], "packet", "seed=1") +
                                      goodput(&cells[i], "packet", "seed=2"));
        print_message("  %s: %.3f of packets' goodput\n", cells[i].what, fluid / packets);
        if (!(fabs(fluid / packets - 1.0) <= 0.05))
            fail_msg("%s: %g b/s as fluid, %g as packets", cells[i].what, fluid, packets);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_has_settled_stays)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
