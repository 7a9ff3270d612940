/*
 * Controls of data centres on lines that are not their papers': of 1 Gb/s, and behind hosts that are ten times as fast. The line is
 * used, and a start that overflows its queue ends: marks, round trips and notifications reach the sender while what was lost is mended.
 *
 * label: slow statistics
 */
#include "scenario/net_run.h"
#include "scenario/run_summary.h"

static const char marks[] =
    "{type: red, min: 20kB, max: 200kB, max_p: 10%, w: 1, mode: bernoulli, gentle: false, "
    "ecn: only, limit: 500kB}",
                  trims[] = "{type: trim, mark_min: 37kB, mark_max: 144kB, limit: 177kB}",
                  tail[] = "{limit: 500kB}";

static const struct {
    const char *control, *queue, *access, *line;
    double line_bps;
    int flows;
    double busy,
        lost; /* the least share of the line that is carried; the most of packets that may be dropped */
} cases[] = {
    /* A timeout of 100 us, and an answer each 16 kB, suit 100 Gb/s. */
    {"nscc", trims, "1Gbps", "10Gbps", 1e9, 1, 0.99, 0.0},
    {"nscc", trims, "1Gbps", "1Gbps", 1e9, 1, 0.99, 0.0},
    {"nscc", trims, "1Gbps", "1Gbps", 1e9, 4, 0.99, 0.0},
    {"nscc", trims, "10Gbps", "1Gbps", 1e9, 4, 0.99, 0.0},
    {"nscc", trims, "10Gbps", "10Gbps", 10e9, 4, 0.99, 0.0},
    {"rccc", trims, "1Gbps", "10Gbps", 1e9, 1, 0.98, 0.0},
    {"rccc", trims, "1Gbps", "1Gbps", 1e9, 1, 0.98, 0.0},
    {"rccc", trims, "1Gbps", "1Gbps", 1e9, 4, 0.98, 0.0},
    /* Round trips of what is SACKed: without, 16 flows lost 99 % for ever. */
    {"timely, min_rate: 10Mbps", tail, "10Gbps", "1Gbps", 1e9, 16, 0.9, 0.01},
    /* Marks of what is sent again: without, one flow lost 90 % for ever. Under go-back-N nothing was carried. */
    {"dcqcn", marks, "10Gbps", "1Gbps", 1e9, 1, 0.85, 0.1},
    {"dcqcn, rate_timer: 300us", marks, "10Gbps", "1Gbps", 1e9, 4, 0.9, 0.05},
    {"dcqcn, rate_timer: 300us, recovery: irn", marks, "10Gbps", "1Gbps", 1e9, 4, 0.9, 0.05},
    {"dcqcn, rate_timer: 300us, recovery: go-back-n", marks, "10Gbps", "1Gbps", 1e9, 4, 0.9, 0.05},
};

/* "[l0, r0], [l1, r1], ..." */
static const char *pairs_of(int n, char *text, size_t size)
{
    text[0] = '\0';
    for (int k = 0; k < n; k++)
        snprintf(text + strlen(text), size - strlen(text), "%s[l%d, r%d]", k ? ", " : "", k, k);
    return text;
}

static void lines_are_used(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char pairs[600];
        net_run *r = net_run_new(
            "weir: 1\nduration: 10s\nseed: 3\ntopology:\n  generate: {model: dumbbell, left: %d, "
            "access_rate: %s, "
            "access_delay: 5us, bottleneck_rate: %s, bottleneck_delay: 20us}\n  queue: %s\n"
            "traffic: [{name: f, pairs: [%s], start: {uniform: [0s, 5ms]}, tcp: {congestion: %s}}]\n",
            cases[i].flows, cases[i].access, cases[i].line, cases[i].queue,
            pairs_of(cases[i].flows, pairs, sizeof pairs), cases[i].control);
        net_run_until(r, 1000 * MS);
        const net_port before = *net_run_port(r, "left->right");
        const uint64_t dropped = net_run_drops(r, -1);
        net_run_until(r, 1500 * MS);
        const net_port *p = net_run_port(r, "left->right");
        const double packets = (double)(p->packets - before.packets),
                     drops = (double)(net_run_drops(r, -1) - dropped),
                     busy = (double)(p->bytes - before.bytes) * 8 / (0.5 * cases[i].line_bps),
                     lost = drops / (packets + drops);
        print_message("  %-45s %6s %6s %2d: %.3f of the line, %.3f lost\n", cases[i].control, cases[i].access,
                      cases[i].line, cases[i].flows, busy, lost);
        if (!(busy > cases[i].busy && lost <= cases[i].lost))
            fail_msg("want %g of the line at least, %g lost at most", cases[i].busy, cases[i].lost);
        net_run_end(r);
    }
}

/* Transfers alone on a line, by NICs, over paths of 22 us to 20 ms there and back: nothing times out that is on its way, and the
 * first packets go at the line's rate. Windows of 1.5 B T and more end that of 10 MB in the time that the line takes. */
static void what_is_on_its_way_does_not_time_out(void **state)
{
    (void)state;
    static const char *const controls[] = {"ndp",
                                           "nscc",
                                           "rccc",
                                           "dcqcn, recovery: irn",
                                           "hpcc, recovery: irn",
                                           "timely, t_high: 1s, recovery: irn",
                                           "dcqcn, recovery: go-back-n",
                                           "powertcp, recovery: go-back-n"};
    static const struct {
        const char *rate, *delay;
    } lines[] = {{"1Gbps", "5us"}, {"10Gbps", "50us"}, {"1Gbps", "5ms"}};
    static const char *const sizes[] = {"1B", "15kB", "1MB"};
    for (size_t i = 0; i < sizeof controls / sizeof *controls; i++)
        for (size_t k = 0; k < 3; k++)
            for (size_t m = 0; m < 3; m++) {
                char text[800];
                snprintf(text, sizeof text,
                         "weir: 1\nduration: until-done 20s\ntopology:\n  generate: {model: star, hosts: 2, "
                         "access_rate: %s, access_delay: %s}\n  queue: %s\n"
                         "traffic: [{name: f, from: h0, to: h1, tcp: {congestion: %s, size: %s}}]\n",
                         lines[k].rate, lines[k].delay, i < 3 ? trims : tail, controls[i], sizes[m]);
                json_t *s = summary_of(text, NULL, 0, NULL);
                const double again = class_number(s, 0, NULL, "retransmissions"),
                             timeouts = class_number(s, 0, NULL, "timeouts"),
                             slowdown = class_number(s, 0, "slowdown", "mean");
                if (!(again == 0.0 && timeouts == 0.0 && (slowdown < 1.1 || i == 0)))
                    fail_msg("%s, %s over %s, %s: %g again, %g timeouts, slowdown %g", controls[i],
                             lines[k].rate, lines[k].delay, sizes[m], again, timeouts, slowdown);
                json_decref(s);
            }
}

/* Flows alone, of paths of 1 us, of fast lines, of windows whose ACKs echo times to 65.5 ns: each fills its line. */
static void paths_shorter_than_the_papers_are_filled(void **state)
{
    (void)state;
    static const struct {
        const char *control, *rate, *near, *far;
        double line_bps;
    } alone[] = {
        /* An answer of more than a window's quarter: 72 % of the line; beside a pair that is farther away too. */
        {"nscc", "100Gbps", "50ns", "50ns", 1e11},
        {"nscc", "100Gbps", "250ns", "10us", 1e11},
        {"rccc", "100Gbps", "250ns", "10us", 1e11},
        /* Each ACK's dRTT/dt was that unit: 36 and 47 %. */
        {"theta_powertcp, window: 1GiB", "800Gbps", "1us", "1us", 8e11},
        {"theta_powertcp, window: 64MiB", "400Gbps", "10us", "10us", 4e11},
        {"powertcp, window: 1GiB", "800Gbps", "1us", "1us", 8e11},
    };
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++) {
        char text[900];
        snprintf(text, sizeof text,
                 "weir: 1\nduration: 400us\noutput: {warmup: 200us}\ntopology:\n"
                 "  generate: {model: star, hosts: 4, access_rate: %s, access_delay: %s}\n"
                 "  links: [{link: \"hub--h[2-3]\", delay: %s}]\n  queue: %s\ntraffic:\n"
                 "  - {name: f, pairs: [[h0, h1], [h2, h3]], tcp: {congestion: %s}}\n",
                 alone[i].rate, alone[i].near, alone[i].far, i < 3 ? trims : tail, alone[i].control);
        json_t *s = summary_of(text, NULL, 0, NULL);
        const double goodput = class_number(s, 0, NULL, "goodput_bps"),
                     line = 2.0 * alone[i].line_bps * 1460.0 / 1500.0;
        json_decref(s);
        if (!(goodput > 0.98 * line))
            fail_msg("%s at %s, %s: %.3f of the line", alone[i].control, alone[i].rate, alone[i].near,
                     goodput / line);
    }
}

/* Flows of a host that take turns send seldom: an answer to several packets of each came when all had timed out. Nothing is lost. */
static void turns_do_not_time_out(void **state)
{
    (void)state;
    static const char *const many[] = {"nscc, sessions: 100", "nscc, sessions: 1000",
                                       "nscc, credits: true, sessions: 1000", "rccc, sessions: 1000"};
    for (size_t i = 0; i < sizeof many / sizeof *many; i++) {
        char text[600];
        snprintf(
            text, sizeof text,
            "weir: 1\nduration: 3ms\ntopology:\n  generate: {model: star, hosts: 2, access_rate: 100Gbps, "
            "access_delay: 2us}\n  queue: %s\n"
            "traffic: [{name: f, from: h0, to: h1, tcp: {congestion: %s}}]\n",
            trims, many[i]);
        json_t *s = summary_of(text, NULL, 0, NULL);
        const double again = class_number(s, 0, NULL, "retransmissions"),
                     goodput = class_number(s, 0, NULL, "goodput_bps");
        json_decref(s);
        if (!(again <= 1.0 && goodput > 0.98e11 * 1460.0 / 1500.0))
            fail_msg("%s: %g again, %g Gb/s", many[i], again, goodput / 1e9);
    }
}

/* NDP's queues that take longer than its 1 ms: what waits there is not lost, and went again, up to half of what was sent. */
static void what_waits_does_not_time_out(void **state)
{
    (void)state;
    static const char *const limits[] = {"200kB", "1MB"};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "weir: 1\nduration: 200ms\noutput: {warmup: 100ms}\ntopology:\n"
                 "  generate: {model: star, hosts: 5, access_rate: 1Gbps, access_delay: 10us}\n"
                 "  queue: {type: trim, limit: %s}\n"
                 "traffic: [{name: f, from: \"h[1-4]\", to: h0, tcp: {congestion: ndp}}]\n",
                 limits[i]);
        json_t *s = summary_of(text, NULL, 0, NULL);
        const double again = class_number(s, 0, NULL, "retransmissions"),
                     goodput = class_number(s, 0, NULL, "goodput_bps");
        json_decref(s);
        if (!(again == 0.0 && goodput > 0.98e9 * 1460.0 / 1500.0))
            fail_msg("%s: %g again, %g Gb/s", limits[i], again, goodput / 1e9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_used), cmocka_unit_test(what_is_on_its_way_does_not_time_out),
        cmocka_unit_test(paths_shorter_than_the_papers_are_filled), cmocka_unit_test(turns_do_not_time_out),
        cmocka_unit_test(what_waits_does_not_time_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
