/*
 * Watched flows (output.flow_monitor), over queues at arrival and at departure, losses, failures, duplicates, shared memory, slots
 * that are used again and replies: histograms.csv counts every packet that flows.csv has received and no other, and its means
 * are those of flows.csv within half a bin, for bins from a microsecond to ten seconds; flowmon.xml has every packet sent; files
 * and digests are those of every engine; and what cannot be watched is refused by name. bench/ns3/flowmon.py holds the file
 * against ns-3's.
 * label: threads
 */
#include <math.h>
#include <stdlib.h>

#include "scenario/csv_cell.h"
#include "scenario/folder_run.h"

#define HEAD                                                                                           \
    "weir: 1\nduration: 2s\ntopology: {generate: {model: dumbbell, left: 2, bottleneck_rate: 10Mbps, " \
    "bottleneck_delay: 10ms}"
#define BOTH                                                                                       \
    "traffic: [{name: call, udp: {rate: 300kbps, packet: 200B, jitter: 20%}, from: l0, to: r0},\n" \
    "  {name: get, tcp: {size: 1MB, handshake: true}, from: l1, to: r1, start: 500ms}]\n"

typedef struct net_case {
    const char *text;
    bool copies; /* links duplicate packets, which are not watched twice */
    bool comes;  /* a class has arrivals */
} net_case;

static const net_case cases[] = {
    {HEAD "}\n" BOTH, false},
    {HEAD ", queue: {type: codel, limit_packets: 100}}\n" BOTH, false},
    {HEAD ", queue: {type: fq_codel, limit_packets: 20}}\n" BOTH, false},
    {HEAD ", loss: 1%}\n" BOTH "events: [{at: 700ms, fail: {link: left--right}}, {at: 800ms, repair: {link: "
          "left--right}}]\n",
     false},
    {HEAD ", links: [{link: left->right, duplication: 5%}]}\n" BOTH, true},
    {HEAD
     ", queue: {type: red, limit: 60kB, min: 10kB, max: 30kB, ecn: true}}\n"
     "traffic: [{name: call, tcp: {size: 20kB, arrivals: {poisson: 40/s}, ecn: true}, from: l0, to: r0},\n"
     "  {name: get, tcp: {size: 8MB, ecn: true, congestion: prague}, from: l1, to: r1}]\n",
     false, true},
    {"weir: 1\nduration: 500ms\ntopology: {generate: {model: star, hosts: 9, access_rate: 1Gbps, "
     "access_delay: 5us}, "
     "shared_buffer: "
     "{size: 100kB}}\ntraffic: [{name: call, tcp: {size: 200kB}, from: [h1, h2, h3, h4], to: h0},\n"
     "  {name: get, tcp: {size: 200kB}, from: [h5, h6, h7, h8], to: h0}]\n",
     false},
    /* more flows of a host at one time than it begins at once */
    {HEAD "}\ntraffic: [{name: call, tcp: {size: 20kB, sessions: 11}, from: l0, to: [r0, r1]},\n"
          "  {name: get, tcp: {size: 3kB, arrivals: {all: 9}, handshake: false}, from: l1, to: r1, start: "
          "500ms}]\n",
     false},
};
enum { CASES = sizeof cases / sizeof *cases };

/* ---- the tables ---- */

typedef struct table {
    char **line;
    size_t n;
} table;

static table read_table(const char *folder, const char *name)
{
    char path[CSV_LINE], line[CSV_LINE];
    table t = {calloc(100000, sizeof(char *)), 0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        assert_true(t.n < 100000);
        t.line[t.n++] = strdup(line);
    }
    fclose(f);
    return t;
}

static void free_table(table *t)
{
    for (size_t i = 0; i < t->n; i++)
        free(t->line[i]);
    free(t->line);
}

static const char *cell(const table *t, size_t row, const char *column)
{
    for (int i = 0; csv_at(t->line[0], i); i++)
        if (csv_is(csv_at(t->line[0], i), column))
            return csv_at(t->line[row], i);
    fail_msg("no column %s", column);
    return NULL;
}

/* Of a flow's bins of one quantity: how many values, and their mean by the bins' middles. */
static double sum_bins(const table *h, double flow, const char *quantity, double *mean)
{
    double n = 0.0, sum = 0.0;
    for (size_t i = 1; i < h->n; i++) {
        if (csv_number(cell(h, i, "flow")) != flow || !csv_is(cell(h, i, "quantity"), quantity) ||
            !csv_is(cell(h, i, "direction"), "data"))
            continue;
        const double count = csv_number(cell(h, i, "count"));
        n += count;
        sum += count * 0.5 * (csv_number(cell(h, i, "from_s")) + csv_number(cell(h, i, "to_s")));
    }
    *mean = sum / n;
    return n;
}

static void compare(const char *folder, const net_case *c, double width_s)
{
    table flows = read_table(folder, "flows.csv"), bins = read_table(folder, "histograms.csv");
    assert_true(flows.n > 2 && bins.n > 2);
    for (size_t i = 1; i < flows.n; i++) {
        double mean, rtt;
        const double n = sum_bins(&bins, (double)(i - 1), "delay", &mean),
                     received = csv_number(cell(&flows, i, "packets_received")),
                     delay = csv_number(cell(&flows, i, "delay_mean_s")),
                     rtt_mean = csv_number(cell(&flows, i, "rtt_mean_s"));
        if (isnan(received) || c->copies) /* of an unfinished flow that came by itself */
            continue;
        /* A flow that came by itself is complete at its last byte, and a duplicate may come behind that. */
        const double most = c->comes ? csv_number(cell(&flows, i, "packets_sent")) : received;
        if (!(n >= received && n <= most))
            fail_msg("flow %zu: %g packets, and %g received", i - 1, n, received);
        if (n > 0.0 && n == received && !(fabs(mean - delay) <= 0.5 * width_s + 1e-9))
            fail_msg("flow %zu: mean delay %g, in flows.csv %g", i - 1, mean, delay);
        if (n == received && sum_bins(&bins, (double)(i - 1), "rtt", &rtt) > 0.0 &&
            !(fabs(rtt - rtt_mean) <= 0.5 * width_s + 1e-9))
            fail_msg("flow %zu: mean round trip %g, in flows.csv %g", i - 1, rtt, rtt_mean);
    }
    free_table(&flows);
    free_table(&bins);
}

static void histograms_are_of_all_packets(void **state)
{
    (void)state;
    static const struct {
        const char *set;
        double s;
    } widths[] = {{"1us", 1e-6}, {"1ms", 1e-3}, {"7ms", 7e-3}, {"10s", 10.0}};
    weir_diag *diag = weir_diag_new();
    for (size_t i = 0; i < CASES; i++)
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
            char set[200];
            snprintf(set, sizeof set,
                     "output.flow_monitor={classes: [call, get], delay_bin: %s, rtt_bin: %s}", widths[w].set,
                     widths[w].set);
            weir_run_result r = run_into(diag, cases[i].text, "one", (const char *const[]){set}, 1);
            compare(r.output_dir, &cases[i], widths[w].s);
            weir_run_result_free(&r);
        }
    weir_diag_free(diag);
}

/* ---- flowmon.xml ---- */

static double xml_sum(const char *folder, const char *attribute)
{
    char path[600], wanted[60], line[CSV_LINE];
    double sum = 0.0;
    snprintf(path, sizeof path, "%s/flowmon.xml", folder);
    snprintf(wanted, sizeof wanted, " %s=\"", attribute);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        const char *at = strstr(line, wanted);
        sum += at ? strtod(at + strlen(wanted), NULL) : 0.0;
    }
    fclose(f);
    return sum;
}

/* UDP has one direction, so its sums are those of flows.csv; and what is lost is what did not come and is not on its way. */
static void the_xml_has_every_packet(void **state)
{
    (void)state;
    const char *const sets[] = {"output.flow_monitor={classes: call}", "traffic.call.stop=1.5s"};
    weir_diag *diag = weir_diag_new();
    for (size_t i = 0; i < 4; i++) {
        weir_run_result r = run_into(diag, cases[i].text, "one", sets, 2);
        const double sent = csv_cell(r.output_dir, "flows.csv", "class", "call", "packets_sent"),
                     received = csv_cell(r.output_dir, "flows.csv", "class", "call", "packets_received");
        assert_true(sent > 200.0);
        assert_true(xml_sum(r.output_dir, "txPackets") == sent);
        assert_true(xml_sum(r.output_dir, "rxPackets") == received);
        assert_true(xml_sum(r.output_dir, "lostPackets") == sent - received);
        assert_true(xml_sum(r.output_dir, "timesForwarded") == 2.0 * received);
        assert_true(xml_sum(r.output_dir, "rxBytes") == 200.0 * received);
        weir_run_result_free(&r);
    }
    weir_diag_free(diag);
}

/* The warm-up is left out: packets sent before its end are not watched. */
static void the_warmup_is_left_out(void **state)
{
    (void)state;
    const char *const sets[] = {"output={warmup: 1s, flow_monitor: {classes: call}}",
                                "traffic.call.udp.jitter=0", "traffic.call.udp.rate=160kbps"};
    weir_diag *diag = weir_diag_new();
    weir_run_result r = run_into(diag, cases[0].text, "one", sets, 3);
    assert_true(xml_sum(r.output_dir, "txPackets") == 100.0); /* one each 10 ms */
    weir_run_result_free(&r);
    weir_diag_free(diag);
}

/* ---- engines ---- */

static void engines_write_the_same(void **state)
{
    (void)state;
    static const char *const files[] = {"flowmon.xml", "histograms.csv"};
    for (size_t i = 0; i < CASES; i++)
        engines_write_alike(cases[i].text, NULL, "output.flow_monitor={classes: [call, get]}", files, 2);
}

/* A connection that answers requests is one flow each way, and captures beside it are what they were. */
static void replies_and_captures(void **state)
{
    (void)state;
    static const char text[] = HEAD "}\ntraffic: [{name: web, tcp: {request: {size: 300B, think: 50ms}, "
                                    "size: 60kB}, from: r1, to: l1}]\n";
    const char *const sets[] = {"output.pcap=[r1, \"left->right\"]",
                                "output.flow_monitor={classes: web, rtt_bin: 100us}"};
    weir_diag *diag = weir_diag_new();
    weir_run_result without = run_into(diag, text, "plain", sets, 1),
                    with = run_into(diag, text, "one", sets, 2);
    assert_true(same_file(without.output_dir, with.output_dir, "r1.pcapng"));
    assert_true(same_file(without.output_dir, with.output_dir, "left-to-right.pcapng"));
    assert_true(xml_sum(with.output_dir, "flowId") == 2.0 * (1.0 + 2.0)); /* statistics and classifier */
    weir_run_result_free(&without);
    weir_run_result_free(&with);
    weir_diag_free(diag);
}

/* ---- refusals ---- */

static void what_cannot_be_watched(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"{classes: calls}", "4:34: error: flow_monitor: no class 'calls' in traffic (did you mean 'call'?)"},
        {"{classes: fluid}", "4:34: error: flow_monitor: class 'fluid' is fluid, which has no packets"},
        {"{classes: call, delay_bin: 0s}", "4:51: error: delay_bin"},
        {"{classes: call, delay_bin: 5}", "4:51: error: delay_bin"},
        {"{classes: call, size_bin: 0B}", "4:50: error: size_bin"},
        {"{}", "4:"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[1000];
        snprintf(
            text, sizeof text,
            "weir: 1\nduration: 1s\ntopology: {generate: {model: dumbbell}}\noutput: {flow_monitor: %s}\n"
            "traffic: [{name: call, tcp: {}, from: l0, to: r0}, {name: fluid, tcp: {}, from: l0, to: r0, "
            "fidelity: fluid}]\n",
            bad[i][0]);
        expect_with(text, strlen(text), NULL, 0, WEIR_E_SCENARIO, &bad[i][1], 1);
    }
}

int main(void)
{
    ONLY_THREADS("engines_*");
    assert_non_null(scratch_make());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(histograms_are_of_all_packets), cmocka_unit_test(the_xml_has_every_packet),
        cmocka_unit_test(the_warmup_is_left_out),        cmocka_unit_test(engines_write_the_same),
        cmocka_unit_test(replies_and_captures),          cmocka_unit_test(what_cannot_be_watched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
