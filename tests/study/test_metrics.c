/*
 * Metrics as tables have them: every model measures something of its own where nobody says what, no table has two columns of a
 * name, a metric of which no run has a value is said, and one that no run has is refused before the first.
 */
#include <jansson.h>

#include "scenario/csv_cell.h"
#include "study/small.h"

/* Column names of runs.csv, each between commas. */
static char *header_of(const char *dir)
{
    char path[200], *text, *header;
    snprintf(path, sizeof path, "%s/runs.csv", dir);
    text = read_text(path);
    assert_non_null(text);
    assert_true(asprintf(&header, ",%.*s,", (int)strcspn(text, "\n"), text) > 0);
    free(text);
    return header;
}

static void assert_columns_differ(const char *header)
{
    for (const char *at = header; at[1]; at = strchr(at + 1, ',')) {
        char name[200];
        snprintf(name, sizeof name, "%.*s,", (int)strcspn(at + 1, ",") + 1, at);
        if (strstr(at + 1, name))
            fail_msg("two columns '%s' in %s", name, header);
    }
}

/* `error,` is the last column, the digests come ahead of the metrics. */
static void models_have_figures(void **state)
{
    static const struct {
        const char *text, *figure;
    } models[] = {
        {"duration: 2us\nmodel: {phold: {entities: 16, events: 1, remote: 50%, lookahead: 10ns, mean: "
         "90ns}}\n",
         ",phold.events_per_simulated_s,"},
        {"duration: 50us\nmodel: {lcg: {modules: 1, events: 20, iterations: 10}}\n", ",lcg.steps,"},
        {"duration: 2s\nmodel: {kademlia: {peers: 50}}\n", ",kademlia.lookups.success,"},
        {"duration: 1s\nmodel: {wireless: {nodes: 3}}\n", ",wireless.delivery_ratio,"},
        {"duration: 10us\nmodel: {interconnect: {jobs: [{name: a, pattern: uniform, load: 10%}]}}\n",
         ",interconnect.latency.mean_s,"},
        {"duration: 1s\nmodel: {jackson: {}}\n", ",jackson.sojourn_s.mean,"},
    };
    weir_diag *diag = weir_diag_new();
    (void)state;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        char dir[40], text[400];
        snprintf(dir, sizeof dir, "model%zu", i);
        snprintf(text, sizeof text, "weir: 1\n%s", models[i].text);
        write_file("m.yaml", text);
        const weir_study_options o = into(dir, 1);
        expect_ok(diag, run_into(diag, "m.yaml", NULL, &o, NULL));
        char *header = header_of(dir);
        if (!strstr(header, models[i].figure))
            fail_msg("no %s in %s", models[i].figure, header);
        assert_columns_differ(header);
        free(header);
    }
    weir_diag_free(diag);
}

static void names_are_not_shared(void **state)
{
    static const char *const taken[] = {
        "seed",  "run",          "status",       "point",  "replication",
        "error", "event_digest", "state_digest", "events", "topology.queue.limit",
        "k"};
    weir_diag *diag = weir_diag_new();
    (void)state;
    write_file("s.yaml", NETWORK
               "study:\n  vary: [{path: topology.queue.limit, values: [9kB]}, {name: k, values: [1]}]\n");
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        char set[200], says[200];
        const char *const sets[] = {set, NULL};
        weir_study *study = NULL;
        snprintf(set, sizeof set, "study.metrics=['%s = classes.bulk.loss']", taken[i]);
        snprintf(says, sizeof says, "metric '%s': runs.csv has a column of this name", taken[i]);
        assert_int_equal(open_with(diag, "s.yaml", sets, &study), WEIR_E_SCENARIO);
        expect_message(diag, says);
        weir_study_free(study);
    }
    static const char *const parameter[] = {"study.vary.+={name: mean, values: [1, 2]}", NULL};
    weir_study *study = NULL;
    assert_int_equal(open_with(diag, "s.yaml", parameter, &study), WEIR_E_SCENARIO);
    expect_message(diag, "parameter 'mean': aggregate.csv has a column of this name");
    weir_study_free(study);
    /* the same figure: one column */
    static const char *const events[] = {"study.metrics=[events, classes.bulk.loss]", NULL};
    const weir_study_options o = into("events", 1);
    expect_ok(diag, run_into(diag, "s.yaml", events, &o, NULL));
    char *header = header_of("events");
    assert_columns_differ(header);
    free(header);
    weir_diag_free(diag);
}

static bool warned(const weir_diag *diag, const char *of)
{
    for (size_t i = 0; i < weir_diag_count(diag); i++) {
        const weir_message *m = weir_diag_get(diag, i);
        if (m->severity == WEIR_WARNING && strstr(m->text, of))
            return true;
    }
    return false;
}

/* Of a node that is misspelt there are no rows, which only the end of a run can tell; of a class it is refused before. */
static void without_a_value(void **state)
{
    static const char *const sets[] = {"study.replications=2",
                                       "study.metrics=[x = mean(flows.goodput_bps where from = l9), y = "
                                       "mean(flows.goodput_bps where class = bulk)]",
                                       NULL};
    weir_diag *diag = weir_diag_new();
    const weir_study_options o = into("nothing", 2);
    (void)state;
    write_file("s.yaml", NETWORK);
    assert_int_equal(run_into(diag, "s.yaml", sets, &o, NULL), WEIR_OK);
    assert_true(warned(diag, "metric 'x': no run has a value of it"));
    assert_false(warned(diag, "metric 'y'"));
    weir_diag_free(diag);
}

/* 60 samples of a queue tell the end of a warm-up in some runs alone; the others' cells are empty, and counted. Their mean
 * is there in each. */
static void some_without_a_warmup(void **state)
{
    static const char *const sets[] = {
        "study.replications=12",
        "study.metrics=['h = steady(series.queues.waiting)', 'm = mean(series.queues.waiting)']", NULL};
    weir_diag *diag = weir_diag_new();
    const weir_study_options o = into("short", 2);
    char text[80];
    unsigned n;
    (void)state;
    write_file("q.yaml", "weir: 1\nname: q\nduration: 300ms\noutput: {interval: 5ms}\n"
                         "model: {mgk: {queues: 1, servers: 1, load: 90%, service: 1ms}}\n");
    expect_ok(diag, run_into(diag, "q.yaml", sets, &o, NULL));
    char *table = read_text("short/aggregate.csv");
    assert_int_equal(sscanf(strstr(table, "0,h,"), "0,h,%u,", &n), 1);
    assert_in_range(n, 1, 11);
    snprintf(text, sizeof text, "metric 'h': %u of 12 runs were too short", 12 - n);
    assert_true(warned(diag, text));
    assert_false(warned(diag, "metric 'm'"));
    free(table);
    weir_diag_free(diag);
}

/* Each row of slowdown.csv is chosen by itself. An `and` without an = is part of a name. */
static void rows_are_chosen_by_several_columns(void **state)
{
    static const char text[] =
        "weir: 1\nduration: 1s\ntopology: {generate: {model: star, hosts: 3}}\ntraffic:\n"
        "- {name: this and that, from: h0, to: h1, tcp: {sessions: 3, size: 5kB}}\n"
        "- {name: b, from: h0, to: h1, tcp: {size: 5kB}}\n"
        "- {name: c, from: h0, to: h1, tcp: {sessions: 2, size: 50kB}}\n"
        "study:\n  metrics:\n"
        "  - x = sum(slowdown.flows where class = this and that and size_to_bytes = 10000)\n"
        "  - y = sum(slowdown.flows where size_over_bytes = 1000 and size_to_bytes = 10000)\n"
        "  - z = sum(slowdown.flows where size_to_bytes = and class = c and size_over_bytes = 0)\n"
        "  - none = mean(slowdown.slowdown_p99 where class = c and size_to_bytes = 10000)\n";
    static const struct {
        const char *metric;
        double value;
    } want[] = {{"x", 3}, {"y", 4}, {"z", 2}};
    weir_diag *diag = weir_diag_new();
    const weir_study_options o = into("chosen", 1);
    (void)state;
    write_file("chosen.yaml", text);
    expect_ok(diag, run_into(diag, "chosen.yaml", NULL, &o, NULL));
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        if (csv_cell("chosen", "runs.csv", "status", "ok", want[i].metric) != want[i].value)
            fail_msg("%s: want %g", want[i].metric, want[i].value);
    assert_true(warned(diag, "metric 'none': no run has a value of it"));
    static const char *const four[] = {
        "study.metrics=[p99(flows.size_bytes where a = 1 and b = 2 and c = 3 and d = 4)]", NULL};
    weir_study *study = NULL;
    assert_int_equal(open_with(diag, "chosen.yaml", four, &study), WEIR_E_SCENARIO);
    expect_message(diag, "up to three conditions");
    weir_study_free(study);
    weir_diag_free(diag);
}

/* Figures of transfers that none has yet when the check looks are taken; --dry-run refuses what a run would. */
static void checked_before_the_first_run(void **state)
{
    static const struct {
        const char *set, *says; /* says null: good */
    } cases[] = {
        {"study.metrics=[classes.bulk.completion.p99_s]", NULL},
        {"study.metrics=[classes.bulk.slowdown.p99]", NULL},
        {"study.metrics=[classes.bulk.slowdown.p99.9]", NULL},
        {"study.metrics=[p99(flows.completion_s)]", NULL},
        {"study.metrics=[p99(slowdown.slowdown_p99 where class = bulk and size_to_bytes = 100000)]", NULL},
        {"study.metrics=[p99(slowdown.flows where class = bulk and size = 100000)]", "no column 'size'"},
        {"study.metrics=[classes.bulk.completed.p99_s]", "no 'p99_s'"},
        {"study.metrics=[classes.bulk.completed.p99_s]", "--list-metrics lists"},
        {"study.metrics=[max(ports.utilization)]", "did you mean 'utilisation'?"}};
    weir_diag *diag = weir_diag_new();
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const sets[] = {cases[i].set, "study.vary=[{path: seed, values: [1, 2]}]",
                                    "traffic.bulk.tcp.size=20kB"};
        char *text = NULL;
        size_t size = 0;
        weir_study *study = NULL;
        FILE *out = open_memstream(&text, &size);
        write_file("n.yaml", NETWORK);
        expect_ok(diag, weir_study_open(diag, "n.yaml", sets, 3, NULL, &study));
        const weir_status status = weir_study_list(study, NULL, out);
        fclose(out);
        if (cases[i].says) {
            assert_int_equal(status, WEIR_E_SCENARIO);
            expect_message(diag, cases[i].says);
        } else {
            expect_ok(diag, status);
            assert_non_null(strstr(text, "# 2 parameter sets, 2 runs"));
        }
        free(text);
        weir_study_free(study);
        weir_diag_clear(diag);
    }
    weir_diag_free(diag);
}

/* Which classes there are is known, unless a parameter makes others. */
static void classes_behind_where(void **state)
{
    static const char *const misspelt[] = {"study.metrics=[x = mean(flows.goodput_bps where class = bulky)]",
                                           NULL};
    static const char *const made[] = {"study.metrics=[x = mean(flows.goodput_bps where class = bulky)]",
                                       "study.vary=[{path: traffic.0.name, values: [bulk, bulky]}]", NULL};
    weir_diag *diag = weir_diag_new();
    weir_study *study = NULL;
    (void)state;
    write_file("w.yaml", NETWORK);
    assert_int_equal(open_with(diag, "w.yaml", misspelt, &study), WEIR_E_SCENARIO);
    expect_message(diag, "no class 'bulky' (did you mean 'bulk'?)");
    weir_diag_clear(diag);
    expect_ok(diag, open_with(diag, "w.yaml", made, &study));
    weir_study_free(study);
    weir_diag_free(diag);
}

/* Each class's figures, and columns of tables and series by a statistic, with units; no texts, and nothing that these runs have
 * not. Whatever is listed is taken as a metric, and every number of a run's results is listed. */
static void listed(void **state)
{
    static const char *const has[] = {"\n  classes.bulk.completion.p99_s ",
                                      "\n  classes.bulk.slowdown.p99.9 ",
                                      "\n  classes.noise.goodput_bps  ",
                                      "\n  mean(flows.completion_s)  ",
                                      "\n  mean(series.ports.queue_bytes) ",
                                      "\n  mean(slowdown.slowdown_p99.9) ",
                                      "\n  packet_hops "};
    static const char *const has_not[] = {"classes.bulk.protocol", " classes.bulk.video", "(rounds.",
                                          "series.flows", "  pfc.",
                                          /* what it was asked for */
                                          "\n  seed ", "\n  run ", "\n  duration_s ", "\n  warmup_s "};
    static const char *const sets[] = {"traffic.bulk.tcp.size=20kB", "output.ports=all", NULL};
    weir_diag *diag = weir_diag_new();
    weir_study *study = NULL;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    (void)state;
    write_file("n.yaml", NETWORK);
    expect_ok(diag, open_with(diag, "n.yaml", sets, &study));
    expect_ok(diag, weir_study_list_metrics(study, out));
    fclose(out);
    for (size_t i = 0; i < sizeof has / sizeof *has; i++)
        if (!strstr(text, has[i]))
            fail_msg("no '%s' in %s", has[i], text);
    for (size_t i = 0; i < sizeof has_not / sizeof *has_not; i++)
        if (strstr(text, has_not[i]))
            fail_msg("'%s' in %s", has_not[i], text);
    weir_study_free(study);
    free(text);
    weir_diag_free(diag);
}

/* All that is listed, as one study's metrics: each has a column, and of the ports a value. */
static void listed_is_taken(void **state)
{
    static const char *const list_sets[] = {"traffic.bulk.tcp.size=20kB", "output.ports=all", NULL};
    weir_diag *diag = weir_diag_new();
    weir_study *study = NULL;
    char *json = NULL, *metrics = NULL;
    size_t size = 0;
    (void)state;
    write_file("n.yaml", NETWORK);
    expect_ok(diag, open_with(diag, "n.yaml", list_sets, &study));
    expect_ok(diag, weir_study_metrics(study, &json));
    weir_study_free(study);
    json_t *list = json_loads(json, 0, NULL);
    assert_true(json_array_size(list) > 80);
    FILE *out = open_memstream(&metrics, &size);
    fputs("study.metrics=[", out);
    for (size_t i = 0; i < json_array_size(list); i++)
        fprintf(out, "%s'm%zu = %s'", i ? ", " : "", i,
                json_string_value(json_object_get(json_array_get(list, i), "metric")));
    fputs("]", out);
    fclose(out);
    const char *const sets[] = {list_sets[0], list_sets[1], metrics, NULL};
    const weir_study_options o = into("all", 1);
    expect_ok(diag, run_into(diag, "n.yaml", sets, &o, NULL));
    for (size_t i = 0; i < json_array_size(list); i++) {
        char column[32];
        const char *of = json_string_value(json_object_get(json_array_get(list, i), "metric"));
        snprintf(column, sizeof column, "m%zu", i);
        if (strstr(of, "series.ports.queue") && !(csv_cell("all", "runs.csv", "status", "ok", column) > 0.0))
            fail_msg("%s is %g", of, csv_cell("all", "runs.csv", "status", "ok", column));
    }
    json_decref(list);
    free(metrics);
    free(json);
    weir_diag_free(diag);
}

/* The unit that a name says, also where it does not stand at its end. */
static void names_say_units(void **state)
{
    (void)state;
    static const struct {
        const char *model, *metric, *unit;
    } cases[] = {{"phold: {}", "phold.events_per_simulated_s", "1/s"},
                 {"kademlia: {peers: 20}", "kademlia.lookups.per_s", "1/s"},
                 {"jackson: {}", "jackson.sojourn_s.mean", "s"},
                 {"mgk: {}", "mgk.wait_s.ci95", "s"},
                 {"mgk: {}", "steady(series.queues.wait_s)", "s"},
                 {"mgk: {}", "cut(series.queues.wait_s)", ""}}; /* a share */
    weir_diag *diag = weir_diag_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[300], metrics[100], command[200];
        snprintf(text, sizeof text, "weir: 1\nname: m\nduration: 10us\nmodel: {%s}\n", cases[i].model);
        snprintf(metrics, sizeof metrics, "study.metrics=[%s]", cases[i].metric);
        const char *const sets[] = {metrics, NULL};
        const weir_study_options o = into("units", 1);
        write_file("m.yaml", text);
        assert_int_equal(system("rm -rf units"), 0);
        expect_ok(diag, run_into(diag, "m.yaml", sets, &o, NULL));
        snprintf(command, sizeof command, "grep -q '%s,.*,%s$' units/aggregate.csv", cases[i].metric,
                 cases[i].unit);
        if (system(command) != 0)
            fail_msg("%s is not in %s", cases[i].metric, cases[i].unit);
    }
    weir_diag_free(diag);
}

/* A sample at the end of the warm-up is of the warm-up, to the picosecond, whatever doubles make of its time. */
static void samples_begin_behind_the_warmup(void **state)
{
    (void)state;
    static const char *const sets[] = {
        "duration=300ms", "output={interval: 10ms, ports: all}",
        "study={vary: [{path: output.warmup, values: 10ms..290ms step 10ms, name: w}], metrics: "
        "['c = count(series.ports.queue_bytes where row = left->right)']}",
        NULL};
    weir_diag *diag = weir_diag_new();
    const weir_study_options o = into("warm", 1);
    write_file("n.yaml", NETWORK);
    expect_ok(diag, run_into(diag, "n.yaml", sets, &o, NULL));
    for (int k = 1; k < 30; k++) {
        char warmup[16];
        snprintf(warmup, sizeof warmup, k % 10 ? "%d0ms" : "0.%ds", k % 10 ? k : k / 10);
        const double got = csv_cell("warm", "runs.csv", "w", warmup, "c");
        if (got != 30 - k)
            fail_msg("warm-up %s: %g samples, want %d", warmup, got, 30 - k);
    }
    weir_diag_free(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(models_have_figures),
                                       cmocka_unit_test(names_are_not_shared),
                                       cmocka_unit_test(without_a_value),
                                       cmocka_unit_test(some_without_a_warmup),
                                       cmocka_unit_test(rows_are_chosen_by_several_columns),
                                       cmocka_unit_test(checked_before_the_first_run),
                                       cmocka_unit_test(classes_behind_where),
                                       cmocka_unit_test(listed),
                                       cmocka_unit_test(listed_is_taken),
                                       cmocka_unit_test(names_say_units),
                                       cmocka_unit_test(samples_begin_behind_the_warmup)};
    return cmocka_run_group_tests(tests, in_scratch, out_of_scratch);
}
