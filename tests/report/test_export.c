/*
 * Exports: of a job and flows that came to an end every bar has two ends in order, ranks are rows, and names are those of the
 * run; Paje's states, in order of time, end before the next of their container begins; OMNeT++'s files have a value for each number of each port, and a vector for each row of each series.
 */
#include <jansson.h>

#include "scenario/folder_run.h"
#include "weir/report.h"

static const char text[] =
    "weir: 1\nduration: 200ms\ntopology: {generate: {model: star, hosts: 4}}\ntraffic:\n"
    "- {name: j, job: {trace: '" WEIR_SOURCE_DIR "/tests/scenario/data/job.goal'}, tcp: {}}\n"
    "- {name: 'f \"x', tcp: {size: 20kB}, from: h0, to: h1}\noutput: {ports: all, cwnd: [j], interval: "
    "1ms}\n";

static char *exported(weir_diag *diag, const char *run, const char *format)
{
    const char *path = scratch_path("exported");
    expect_ok(diag, weir_export(diag, run, format, path));
    char *whole = read_text(path);
    assert_non_null(whole);
    return whole;
}

static void chrome_has_bars(void **state)
{
    const char *const run = *state;
    weir_diag *diag = weir_diag_new();
    char *whole = exported(diag, run, "chrome");
    json_t *root = json_loads(whole, 0, NULL);
    assert_non_null(root);
    const json_t *events = json_object_get(root, "traceEvents");
    double begun[200] = {0};
    int begins = 0, ends = 0, ranks = 0;
    size_t i;
    json_t *e;
    json_array_foreach(events, i, e)
    {
        const char *phase = json_string_value(json_object_get(e, "ph"));
        const json_int_t id = json_integer_value(json_object_get(e, "id"));
        const double at = json_number_value(json_object_get(e, "ts"));
        if (*phase == 'b') {
            begins++;
            begun[id] = at;
            const json_int_t rank = json_integer_value(json_object_get(e, "tid"));
            ranks |= strcmp(json_string_value(json_object_get(e, "cat")), "flow") ? 1 << rank : 0;
        } else if (*phase == 'e') {
            ends++;
            assert_true(at >= begun[id]);
        }
    }
    assert_int_equal(begins, ends);
    assert_int_equal(begins, 15 + 5 + 1); /* operations, messages, and the other class's flow */
    assert_int_equal(ranks, 15);
    assert_non_null(strstr(whole, "class f \\\"x"));
    json_decref(root);
    free(whole);
    weir_diag_free(diag);
}

static void paje_has_states(void **state)
{
    const char *const run = *state;
    weir_diag *diag = weir_diag_new();
    char *whole = exported(diag, run, "paje"), *line, *rest = whole;
    bool open[100] = {false};
    int pushes = 0;
    double last = 0.0;
    while ((line = strsep(&rest, "\n"))) {
        double at;
        unsigned lane, value;
        const int push = sscanf(line, "4 %lf S c%u v%u", &at, &lane, &value) == 3;
        if (!push && sscanf(line, "5 %lf S c%u", &at, &lane) != 2)
            continue;
        assert_true(at >= last && lane < 100 && open[lane] != push);
        last = at;
        open[lane] = push;
        pushes += push;
    }
    for (int lane = 0; lane < 100; lane++)
        assert_false(open[lane]);
    assert_int_equal(pushes, 15 + 5 + 1);
    free(whole);
    weir_diag_free(diag);
}

static void omnet_has_all_numbers(void **state)
{
    const char *const run = *state;
    weir_diag *diag = weir_diag_new();
    char *sca = exported(diag, run, "sca"), *vec = exported(diag, run, "vec");
    int scalars = 0, vectors = 0, values = 0;
    for (const char *at = sca; (at = strstr(at, "\nscalar ")); at++)
        scalars++;
    for (const char *at = vec; (at = strstr(at, "\nvector ")); at++)
        vectors++;
    for (const char *at = vec; (at = strchr(at, '\t')); at++)
        values++;
    assert_true(strncmp(sca, "version 3\nrun ", 14) == 0 && strncmp(vec, "version 3\nrun ", 14) == 0);
    assert_true(scalars > 8 * 15 && vectors >= 4 * 3 && values / 2 >= 200 * 4 * 3);
    assert_non_null(strstr(sca, "\nscalar h0->hub packets "));
    assert_non_null(strstr(vec, " hub->h0 ports.queue_bytes TV\nattr unit bytes\n"));
    free(sca);
    free(vec);
    weir_diag_free(diag);
}

/* A flow without end is a bar to the end of the run, and one that did not get there says so. */
static void what_is_under_way_has_bars(void **state)
{
    static const char long_flows[] =
        "weir: 1\nduration: 200ms\ntopology: {generate: {model: star, hosts: 4}}\ntraffic:\n"
        "- {name: f, tcp: {}, from: h0, to: h1}\n- {name: big, tcp: {size: 1GB}, from: h2, to: h3}\n";
    weir_diag *diag = weir_diag_new();
    (void)state;
    weir_run_result result = run_into(diag, long_flows, "long", NULL, 0);
    char *whole = exported(diag, result.output_dir, "chrome");
    assert_non_null(strstr(whole, "\"name\":\"h0 to h1\""));
    assert_non_null(strstr(whole, "\"name\":\"h2 to h3, 1000000000 B, not complete\""));
    const char *const end = strstr(whole, "{\"ph\":\"e\",\"name\":\"h0 to h1\"");
    assert_non_null(end);
    assert_float_equal(strtod(strstr(end, "\"ts\":") + 5, NULL), 200000.0, 1e-6);
    free(whole);
    weir_run_result_free(&result);
    weir_diag_free(diag);
}

/* FlowMonitor's file is that of the run; a run that did not watch its flows says how to. */
static void flows_that_were_watched_are_flow_monitors(void **state)
{
    static const char watched[] =
        "weir: 1\nduration: 200ms\ntopology: {generate: {model: star, hosts: 2}}\ntraffic:\n"
        "- {name: f, tcp: {size: 20kB}, from: h0, to: h1}\noutput: {flow_monitor: {classes: [f]}}\n";
    weir_diag *diag = weir_diag_new();
    assert_int_equal(weir_export(diag, *state, "flowmon", scratch_path("no")), WEIR_E_ARG);
    expect_message(diag, "output: {flow_monitor: {classes: [NAME]}}");
    assert_false(exists(scratch_path("no")));
    weir_diag_clear(diag);
    weir_run_result result = run_into(diag, watched, "watched", NULL, 0);
    char *whole = exported(diag, result.output_dir, "flowmon");
    assert_non_null(strstr(whole, "<FlowMonitor>"));
    assert_non_null(strstr(whole, "rxBytes=\"20600\"")); /* a SYN and 14 segments, 40 B of headers each */
    free(whole);
    weir_run_result_free(&result);
    weir_diag_free(diag);
}

static void what_is_wrong_is_named(void **state)
{
    const char *const run = *state;
    weir_diag *diag = weir_diag_new();
    assert_int_equal(weir_export(diag, run, NULL, scratch_path("no")), WEIR_E_ARG);
    assert_int_equal(weir_export(diag, run, "xls", scratch_path("no")), WEIR_E_ARG);
    expect_message(diag, "no format 'xls'; want chrome, paje, sca, vec or flowmon");
    assert_int_equal(weir_export(diag, scratch_folder, "sca", scratch_path("no")), WEIR_E_ARG);
    expect_message(diag, "is no run");
    assert_false(exists(scratch_path("no")));
    weir_run_result model = run_into(diag, "weir: 1\nduration: 1ms\nmodel: {phold: {}}\n", "model", NULL, 0);
    assert_int_equal(weir_export(diag, model.output_dir, "sca", scratch_path("no")), WEIR_E_ARG);
    expect_message(diag, "has no port and no flow");
    assert_false(exists(scratch_path("no")));
    weir_run_result_free(&model);
    weir_diag_free(diag);
}

static int set_up(void **state)
{
    weir_diag *diag = weir_diag_new();
    if (!scratch_make())
        return -1;
    static char folder[300];
    weir_run_result result = run_into(diag, text, "run", NULL, 0);
    snprintf(folder, sizeof folder, "%s", result.output_dir);
    *state = folder;
    weir_run_result_free(&result);
    weir_diag_free(diag);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_under_way_has_bars),
                                       cmocka_unit_test(flows_that_were_watched_are_flow_monitors),
                                       cmocka_unit_test(chrome_has_bars),
                                       cmocka_unit_test(paje_has_states),
                                       cmocka_unit_test(omnet_has_all_numbers),
                                       cmocka_unit_test(what_is_wrong_is_named)};
    return cmocka_run_group_tests(tests, set_up, NULL);
}
