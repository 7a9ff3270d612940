/*
 * A transfer whose slow start overflows the queue: as the queue fills the round trip grows up to fourfold within one, and
 * the timer must outlast it. Nothing but what was lost is sent again, and no timer expires, over rates, round trips, queues of
 * half to three round trips, windows that end in the queue and beyond it. CUBIC by RFC 6675 is left out, as what it sends again may be lost
 * too, and waits for the timer then.
 */
#include "scenario/run_summary.h"

typedef struct path {
    double rate_bps, rtt_s, queue; /* queue: in round trips of the line */
} path;

static void transfer(const path *p, const char *tcp, bool ends_in_queue)
{
    char text[1024];
    const double holds = p->rate_bps * p->rtt_s / 8.0, queue = fmax(holds * p->queue, 15000.0),
                 all = holds + queue;
    const int n = snprintf(text, sizeof text,
                           "weir: 1\nduration: 200s\n"
                           "topology: {generate: {model: line, hosts: 0, rate: %.0fbps, delay: %gs}, queue: "
                           "{limit: %.0fB}}\n"
                           "traffic: [{name: f, from: r0, to: r1, tcp: {%s, size: %.0fB, window: %.0fB}}]\n",
                           p->rate_bps, p->rtt_s / 2.0, queue, tcp, fmax(4.0 * all, 1e6),
                           ends_in_queue ? 1.05 * all : 64e6);
    assert_true(n > 0 && (size_t)n < sizeof text);
    json_t *summary = summary_of(text, NULL, 0, NULL);
    const double lost = class_number(summary, 0, NULL, "packets_dropped"),
                 again = class_number(summary, 0, NULL, "retransmissions"),
                 timeouts = class_number(summary, 0, NULL, "timeouts");
    json_decref(summary);
    if (!(timeouts == 0.0 && again <= lost + 1.0))
        fail_msg("%g Mb/s, %g ms, %g, %s: %g lost, %g sent again, %g timeouts", 1e-6 * p->rate_bps,
                 1e3 * p->rtt_s, p->queue, tcp, lost, again, timeouts);
}

static void only_what_was_lost_goes_again(void **state)
{
    static const double rates[] = {5e6, 30e6, 200e6}, rtts[] = {0.02, 0.06, 0.15},
                        queues[] = {0.5, 1.0, 1.5, 2.0, 3.0};
    static const char *const tcp[] = {"congestion: newreno", "congestion: newreno, recovery: sack",
                                      "congestion: cubic"};
    (void)state;
    for (int i = 0; i < 3 * 3 * 5 * 3 * 2; i++) {
        const path p = {rates[i % 3], rtts[i / 3 % 3], queues[i / 9 % 5]};
        transfer(&p, tcp[i / 45 % 3], i / 135 != 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(only_what_was_lost_goes_again)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
