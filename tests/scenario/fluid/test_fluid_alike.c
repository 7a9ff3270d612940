/*
 * Hosts that are alike and have packets besides fluid are reckoned as one: packets, which are simulated at the link of each
 * host, and fluid get what they get where each host is reckoned by itself, whether hosts' links are full or the network's,
 * and whether some hosts have packets or all. It is the same on every engine. Hosts whose flows are others, in class, rate, times, number or
 * ends, are not alike: each flow gets what it gets with each host by itself, and no host more than its line.
 */
#include <jansson.h>
#include <math.h>

#include "diag.h"
#include "scenario/csv_cell.h"
#include "scenario/folder_run.h"
#include "scenario/run_text.h"

typedef struct outcome {
    double packets_bps, fluid_bps, loss; /* of packets */
    long long flows, shared_ports;
    uint64_t digest;
} outcome;

static double number(const json_t *o, const char *key)
{
    return json_number_value(json_object_get(o, key));
}

static outcome run(const char *text, const char *const *sets, size_t n_sets)
{
    weir_diag *diag = weir_diag_new();
    weir_run_result result;
    expect_ok(diag, run_text(diag, text, NULL, sets, n_sets, &result));
    json_t *const summary = json_loads(result.summary_json, 0, NULL);
    const json_t *const classes = json_object_get(summary, "classes"),
                        *fluid = json_object_get(summary, "fluid");
    outcome o = {.flows = (long long)number(fluid, "flows"),
                 .shared_ports = (long long)number(fluid, "shared_ports"),
                 .digest = result.state_digest};
    for (size_t i = 0; i < json_array_size(classes); i++) {
        const json_t *const c = json_array_get(classes, i);
        const bool packets = strcmp(json_string_value(json_object_get(c, "fidelity")), "packet") == 0;
        *(packets ? &o.packets_bps : &o.fluid_bps) += number(c, "goodput_bps");
        o.loss = packets ? number(c, "loss") : o.loss;
    }
    json_decref(summary);
    weir_run_result_free(&result);
    weir_diag_free(diag);
    return o;
}

static void expect_alike(const char *text, double share)
{
    static const char *const together[] = {"fluid.aggregate=true"}, *const apart[] = {
                                                                        "fluid.aggregate=false"};
    static const char *const others[][3] = {
        {"fluid.aggregate=true", "engine.type=conservative", "engine.threads=2"},
        {"fluid.aggregate=true", "fluid.prefetch=false", "engine.type=check"}};
    const outcome one = run(text, together, 1), each = run(text, apart, 1);
    print_message(
        "packets %.4g and %.4g Mb/s, lost %.3g and %.3g, fluid %.4g and %.4g Mb/s, %lld and %lld flows\n",
        1e-6 * one.packets_bps, 1e-6 * each.packets_bps, one.loss, each.loss, 1e-6 * one.fluid_bps,
        1e-6 * each.fluid_bps, one.flows, each.flows);
    assert_true(one.shared_ports > 0 && one.shared_ports <= each.shared_ports && one.flows * 3 < each.flows);
    assert_true(fabs(one.packets_bps / each.packets_bps - 1.0) < share);
    assert_true(fabs(one.fluid_bps / each.fluid_bps - 1.0) < share);
    assert_true(fabs(one.loss - each.loss) < share * each.loss + 0.002);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_true(run(text, others[i], 3).digest == one.digest);
}

/* Twelve pairs of hosts with links of 4 Mb/s, eight sessions each, over a line; of half of them, or of all, two are packets. */
static void dumbbell(char *text, size_t size, const char *line, bool half)
{
    char pairs[2][512] = {"", ""};
    for (int i = 0; i < 12; i++) {
        char *const to = pairs[half && i < 6 ? 0 : 1];
        snprintf(to + strlen(to), sizeof pairs[0] - strlen(to), "%s[l%d, r%d]", *to ? ", " : "", i, i);
    }
    const int used = snprintf(
        text, size,
        "weir: 1\nduration: 10s\noutput: {warmup: 3s}\ntopology: {generate: {model: dumbbell, left: 12, "
        "bottleneck_rate: %s, bottleneck_delay: 10ms, access_rate: 4Mbps, access_delay: 5ms}, queue: "
        "{limit: 40kB}}\nfluid: {device: cpu, coupling: async}\ntraffic:\n"
        "  - {name: b, tcp: {sessions: 6, congestion: newreno}, pairs: [%s], fidelity: fluid}\n"
        "  - {name: c, tcp: {sessions: 2, congestion: newreno}, pairs: [%s]}\n",
        line, pairs[1], pairs[1]);
    if (half)
        snprintf(text + used, size - (size_t)used,
                 "  - {name: a, tcp: {sessions: 8, congestion: newreno}, pairs: [%s], fidelity: fluid}\n",
                 pairs[0]);
}

static void full_links_of_hosts(void **state)
{
    (void)state;
    char text[4096];
    for (int half = 0; half < 2; half++) {
        dumbbell(text, sizeof text, "100Mbps", half);
        expect_alike(text, 0.1);
    }
}

static void a_full_line(void **state)
{
    (void)state;
    char text[4096];
    for (int half = 0; half < 2; half++) {
        dumbbell(text, sizeof text, "24Mbps", half);
        expect_alike(text, 0.1);
    }
}

#define STAR "weir: 1\nduration: 4s\ntopology:\n  generate: {model: star, hosts: 8, access_rate: 10Mbps}\n"
#define SLOW "  links: [{link: 'hub->h[2,6-7]', rate: 1Mbps}]\n"

/* Two hosts of equal lines and as many sessions. What the first has of its line, the second must not have. */
static void hosts_of_other_flows_are_not_alike(void **state)
{
    (void)state;
    static const char *const texts[] = {
        STAR "traffic:\n- {name: a, from: h0, to: h3, udp: {rate: 18Mbps}}\n"
             "- {name: b, from: h1, to: h4, udp: {rate: 1Mbps}}\n",
        STAR "traffic:\n- {name: a, from: h0, to: h3, tcp: {}}\n"
             "- {name: b, from: h1, to: h4, udp: {rate: 1Mbps}}\n",
        STAR "traffic:\n- {name: a, from: h0, to: h3, tcp: {sessions: 5}}\n"
             "- {name: b, from: h1, to: h4, tcp: {sessions: 5}, start: 2s, stop: 3s}\n",
        STAR "traffic:\n- {name: a, from: h0, to: h3, tcp: {sessions: 5}}\n"
             "- {name: b, from: h1, to: h4, tcp: {sessions: 5, congestion: newreno}}\n",
        STAR
        "traffic:\n- {name: a, pairs: [[h0, h3], [h1, h4]], udp: {rate: 9Mbps}, start: {uniform: [0s, 3s]}}\n"
        "- {name: b, pairs: [[h0, h5], [h1, h5]], udp: {rate: 9Mbps}, start: {uniform: [0s, 3s]}}\n",
        STAR SLOW "traffic:\n- {name: a, pairs: [[h0, h3], [h1, h6]], tcp: {}}\n",
        STAR SLOW
        "traffic:\n- {name: a, pairs: [[h0, h3], [h0, h4], [h0, h5], [h1, h2], [h1, h6], [h1, h7]], tcp: "
        "{sessions: 3}}\n",
        STAR "traffic:\n- {name: a, from: h0, to: h3, udp: {rate: 15Mbps}, fidelity: packet}\n"
             "- {name: b, from: h1, to: h4, udp: {rate: 9Mbps}, fidelity: packet}\n"
             "- {name: c, from: [h0, h1], to: h5, udp: {rate: 2Mbps}}\n",
    };
    weir_diag *diag = weir_diag_new();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char full[1000];
        const bool mixed = strstr(texts[i], "packet") != NULL;
        snprintf(full, sizeof full, "%s", texts[i]);
        weir_run_result r[2];
        for (int apart = 0; apart < 2; apart++) {
            const char *sets[] = {apart ? "fluid.aggregate=false" : "fluid.aggregate=true",
                                  mixed ? "traffic.c.fidelity=fluid" : "traffic.0.fidelity=fluid",
                                  strstr(full, "name: b") && !mixed ? "traffic.b.fidelity=fluid" : "seed=1"};
            r[apart] = run_into(diag, full, apart ? "apart" : "one", sets, 3);
        }
        for (int flow = 0; flow < 6; flow++) {
            char row[4];
            snprintf(row, sizeof row, "%d", flow);
            const double one = csv_cell(r[0].output_dir, "flows.csv", "flow", row, "goodput_bps");
            const double each = csv_cell(r[1].output_dir, "flows.csv", "flow", row, "goodput_bps");
            if (isnan(each) && flow > 0)
                break;
            if (!(fabs(one / each - 1.0) < 1e-3) || !(one < 11e6)) /* a queue of 100 ms besides */
                fail_msg("%s: flow %d has %g, with each host by itself %g", texts[i], flow, one, each);
        }
        weir_run_result_free(&r[0]);
        weir_run_result_free(&r[1]);
    }
    weir_diag_free(diag);
}

int main(void)
{
    assert_non_null(scratch_make());
    const struct CMUnitTest tests[] = {cmocka_unit_test(full_links_of_hosts), cmocka_unit_test(a_full_line),
                                       cmocka_unit_test(hosts_of_other_flows_are_not_alike)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
