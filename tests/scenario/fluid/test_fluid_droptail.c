/*
 * label: slow statistics
 *
 * Fluid against packets over drop-tail queues, where windows are of 2 to 9 segments: long-lived sessions of eight
 * round trips over one bottleneck, an ACK a segment or delayed ones, and one campus of paper 000 with three hosts a
 * LAN. Losses are within 30 % at the bottleneck (they were up to 2.2 times too many), within 10 % on the campus;
 * goodput is within 2 and 5 %.
 */
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "diag.h"
#include "output/scratch.h"
#include "weir/run.h"
#include "nightly.h"

typedef struct measures {
    double loss, goodput_bps;
} measures;

/* All classes of a run together. */
static measures run(weir_diag *diag, const char *text, const char *set)
{
    weir_scenario *scenario = NULL;
    weir_run_result result = {0};
    weir_run_options options;
    const char *const sets[] = {set};
    weir_run_options_init(&options);
    options.output_dir = scratch_path("droptail");
    options.force = true;
    expect_ok(diag, weir_scenario_parse(diag, "droptail.yaml", text, strlen(text), ".", sets, set ? 1 : 0,
                                        &scenario));
    expect_ok(diag, weir_run(diag, scenario, &options, &result));
    json_t *const summary = json_loads(result.summary_json, 0, NULL);
    const json_t *const classes = json_object_get(summary, "classes");
    double sent = 0.0, got = 0.0;
    assert_true(json_array_size(classes) > 0);
    for (size_t i = 0; i < json_array_size(classes); i++) {
        const json_t *const c = json_array_get(classes, i);
        const double goodput = json_number_value(json_object_get(c, "goodput_bps"));
        got += goodput;
        sent += goodput / (1.0 - json_number_value(json_object_get(c, "loss")));
    }
    json_decref(summary);
    weir_run_result_free(&result);
    weir_scenario_free(scenario);
    return (measures){1.0 - got / sent, got};
}

static void near(double got, double wanted, double share, const char *what, int which)
{
    print_message("  %s, %d: fluid %.4g, packets %.4g\n", what, which, got, wanted);
    if (!(wanted > 0.0 && fabs(got / wanted - 1.0) <= share))
        fail_msg("%s, %d: %g as fluid, %g as packets", what, which, got, wanted);
}

/* Eight hosts, 2 to 11 ms from a line of 10 Mb/s and 50 ms. */
static void write_map(const char *path)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">"
          "<key id=\"label\" for=\"node\" attr.name=\"label\" attr.type=\"string\"/>"
          "<key id=\"role\" for=\"node\" attr.name=\"role\" attr.type=\"string\"/>"
          "<key id=\"rate\" for=\"edge\" attr.name=\"rate\" attr.type=\"string\"/>"
          "<key id=\"delay\" for=\"edge\" attr.name=\"delay\" attr.type=\"string\"/>"
          "<graph edgedefault=\"undirected\">\n"
          "<node id=\"a\"/><node id=\"b\"/><node id=\"r\"><data key=\"role\">host</data></node>\n"
          "<edge source=\"a\" target=\"b\"><data key=\"rate\">10Mbps</data><data "
          "key=\"delay\">50ms</data></edge>\n"
          "<edge source=\"b\" target=\"r\"><data key=\"rate\">1Gbps</data><data "
          "key=\"delay\">3ms</data></edge>\n",
          f);
    for (int i = 0; i < 8; i++)
        fprintf(f,
                "<node id=\"h%d\"><data key=\"role\">host</data></node><edge source=\"h%d\" target=\"a\">"
                "<data key=\"rate\">1Gbps</data><data key=\"delay\">%.1fms</data></edge>\n",
                i, i, 2.0 + 1.3 * i);
    fputs("</graph></graphml>\n", f);
    assert_int_equal(fclose(f), 0);
}

static measures bottleneck(weir_diag *diag, const char *map, int segments_per_ack, int sessions,
                           const char *kind)
{
    char text[4096];
    int n = snprintf(text, sizeof text,
                     "weir: 1\nduration: 30s\ntopology: {file: %s, queue: {limit: 150kB}}\n"
                     "output: {warmup: 10s}\nfluid: {device: cpu}\ntraffic:\n",
                     map);
    for (int i = 0; i < 8; i++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "  - {name: c%d, from: h%d, to: r, fidelity: %s, start: {uniform: [0s, 1s]}, tcp: "
                      "{congestion: newreno, sessions: "
                      "%d, window: 64KiB, mss: 960B, delayed_ack: %d, recovery: sack}}\n",
                      i, i, kind, sessions / 8, segments_per_ack);
    assert_true(n > 0 && (size_t)n < sizeof text);
    return run(diag, text, NULL);
}

static void one_bottleneck(void **state)
{
    (void)state;
    static const int sessions[] = {32, 64, 128};
    assert_non_null(scratch_make());
    char map[1024];
    snprintf(map, sizeof map, "%s", scratch_path("droptail.graphml"));
    write_map(map);
    weir_diag *diag = weir_diag_new();
    for (int b = 1; b <= 2; b++)
        for (size_t i = 0; i < sizeof sessions / sizeof *sessions; i++) {
            if (!is_run(3 * (size_t)(b - 1) + i, 0, 4))
                continue;
            const measures packets = bottleneck(diag, map, b, sessions[i], "packet");
            const measures fluid = bottleneck(diag, map, b, sessions[i], "fluid");
            near(fluid.loss, packets.loss, 0.3, b > 1 ? "loss, delayed ACKs" : "loss", sessions[i]);
            near(fluid.goodput_bps, packets.goodput_bps, 0.02, "goodput", sessions[i]);
        }
    weir_diag_free(diag);
}

/* The scenario that the example's script writes. */
static char *campus(int percent)
{
    char command[1200];
    snprintf(command, sizeof command, "sh " WEIR_SOURCE_DIR "/examples/papers/000/campus 1 %d 3", percent);
    FILE *const from = popen(command, "r"); /* a command of ours, without anything from outside */
    assert_non_null(from);
    const size_t room = 1 << 20;
    char *const text = calloc(1, room);
    assert_non_null(text);
    assert_true(fread(text, 1, room - 1, from) > 0);
    assert_int_equal(pclose(from), 0);
    return text;
}

static void one_campus(void **state)
{
    (void)state;
    assert_non_null(scratch_make());
    weir_diag *diag = weir_diag_new();
    char *const as_packets = campus(100), *const as_fluid = campus(0);
    const measures packets = run(diag, as_packets, "fluid.tcp=calibrated");
    const measures fluid = run(diag, as_fluid, "fluid.tcp=calibrated");
    near(fluid.loss, packets.loss, 0.1, "campus loss, hosts a LAN", 3);
    near(fluid.goodput_bps, packets.goodput_bps, 0.05, "campus goodput, hosts a LAN", 3);
    free(as_packets);
    free(as_fluid);
    weir_diag_free(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_bottleneck), cmocka_unit_test(one_campus)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
