/*
 * Folders of runs under way: whatever a process that died has left of one, the run is made again there (a folder of results
 * without a manifest is somebody else's, which nothing replaces), and what was half made beside it goes.
 */
#include "study/small.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const sets[] = {"study.replications=3", "study.metrics=['x = mean(flows.goodput_bps)']",
                                   NULL};

/* The first folder in runs/ whose name ends with `end`. */
static void folder_of(const char *end, char *out, size_t size)
{
    DIR *dir = opendir("kept/runs");
    *out = '\0';
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));) {
        const size_t n = strlen(e->d_name);
        if (n > strlen(end) && strcmp(e->d_name + n - strlen(end), end) == 0)
            snprintf(out, size, "kept/runs/%s", e->d_name);
    }
    closedir(dir);
    assert_true(*out);
}

/* Lines of the journal about a replication go, as if its run had not ended. */
static void forget(const char *replication)
{
    char *text = read_text("kept/journal.jsonl");
    assert_non_null(text);
    FILE *f = fopen("kept/journal.jsonl", "w");
    assert_non_null(f);
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        if (!strstr(line, replication))
            fprintf(f, "%s\n", line);
    }
    assert_int_equal(fclose(f), 0);
    free(text);
}

static void left_behind(void **state)
{
    weir_diag *diag = weir_diag_new();
    weir_study_options o = into("kept", 1);
    weir_study_result result;
    char folder[300], file[400], half[400];
    (void)state;
    o.keep_runs = true;
    write_file("s.yaml", NETWORK);
    expect_ok(diag, run_into(diag, "s.yaml", sets, &o, NULL));
    char *whole = read_text("kept/runs.csv");
    folder_of("-1", folder, sizeof folder);
    snprintf(file, sizeof file, "%s/manifest.json", folder);
    assert_int_equal(unlink(file), 0);
    snprintf(file, sizeof file, "%s/flows.csv", folder);
    write_file(file, "flow,cl");
    forget("\"replication\":1,");
    snprintf(half, sizeof half, "%s.tmp-7-abcd", folder);
    assert_int_equal(mkdir(half, 0777), 0);
    expect_ok(diag, run_into(diag, "s.yaml", sets, &o, &result));
    assert_int_equal(result.failed, 0);
    assert_int_equal(result.reused, 2);
    weir_study_result_free(&result);
    char *again = read_text("kept/runs.csv");
    assert_string_equal(whole, again);
    snprintf(file, sizeof file, "%s/manifest.json", folder);
    assert_int_equal(access(file, F_OK), 0);
    assert_int_not_equal(access(half, F_OK), 0);
    free(whole);
    free(again);
    weir_diag_free(diag);
}

/* A study that is refused when its folder is open leaves none behind, but for one that was there. */
static void refused_without_a_folder(void **state)
{
    static const char *const misspelt[] = {"study.metrics=['x = mean(flows.goodput)']", NULL};
    weir_diag *diag = weir_diag_new();
    const weir_study_options none = into("refused", 1), mine = into("mine", 1);
    (void)state;
    write_file("s.yaml", NETWORK);
    assert_int_equal(mkdir("mine", 0777), 0);
    assert_int_equal(run_into(diag, "s.yaml", misspelt, &none, NULL), WEIR_E_SCENARIO);
    assert_int_equal(run_into(diag, "s.yaml", misspelt, &mine, NULL), WEIR_E_SCENARIO);
    assert_int_not_equal(access("refused", F_OK), 0);
    assert_int_equal(access("mine", F_OK), 0);
    weir_diag_free(diag);
}

/* Tables and plots are of the plan that was run last, not of one before. */
static void nothing_of_another_plan_stays(void **state)
{
    static const char *const one[] = {"study.vary=[{path: seed, values: [1, 2]}]", "study.baseline=[seed=1]",
                                      "study.metrics=[events, x = classes.bulk.loss]", NULL};
    static const char *const other[] = {"study.vary=[{path: seed, values: [1, 2]}]", "study.metrics=[events]",
                                        NULL};
    weir_diag *diag = weir_diag_new();
    weir_study_options o = into("plan", 1);
    (void)state;
    write_file("s.yaml", NETWORK);
    expect_ok(diag, run_into(diag, "s.yaml", one, &o, NULL));
    assert_int_equal(access("plan/differences.csv", F_OK), 0);
    assert_int_equal(access("plan/plot-x.svg", F_OK), 0);
    o.force = true;
    expect_ok(diag, run_into(diag, "s.yaml", other, &o, NULL));
    assert_int_not_equal(access("plan/differences.csv", F_OK), 0);
    assert_int_not_equal(access("plan/plot-x.svg", F_OK), 0);
    assert_int_equal(access("plan/plot-events.svg", F_OK), 0);
    weir_diag_free(diag);
}

/* A plan that would lose runs or metrics of the tables that stand there is refused, and nothing changes; one that only adds
 * goes on; with force the tables are of the new plan, and the runs of the old one count again later. */
static void tables_of_another_plan_stay(void **state)
{
    static const char *const seeds[] = {"study.vary=[{path: seed, values: [1, 2]}]", "study.replications=2",
                                        "study.metrics=[x = classes.bulk.loss]", NULL};
    static const char *const fewer[] = {"study.vary=[{path: seed, values: [1, 2]}]",
                                        "study.metrics=[x = classes.bulk.loss]", NULL};
    static const char *const others[] = {"study.vary=[{path: topology.queue.limit, values: [9kB]}]",
                                         "study.metrics=[x = classes.bulk.loss]", NULL};
    static const char *const metric[] = {"study.vary=[{path: seed, values: [1, 2]}]", "study.replications=2",
                                         "study.metrics=[y = classes.bulk.goodput_bps]", NULL};
    static const char *const misspelt[] = {"study.vary=[{path: seed, values: [1, 2]}]",
                                           "study.metrics=[x = classes.bulk.lost]", NULL};
    static const char *const more[] = {"study.vary=[{path: seed, values: [1, 2, 3]}]", "study.replications=3",
                                       "study.metrics=[x = classes.bulk.loss, classes.bulk.goodput_bps]",
                                       NULL};
    static const struct {
        const char *const *sets;
        const char *says;
    } refused[] = {{fewer, "2 of its 4 finished runs are not of this one"},
                   {others, "4 of its 4 finished runs are not of this one"},
                   {metric, "its metric 'classes.bulk.loss' is none of this one"}};
    weir_diag *diag = weir_diag_new();
    weir_study_options o = into("tables", 1);
    weir_study_result result;
    (void)state;
    write_file("s.yaml", NETWORK);
    expect_ok(diag, run_into(diag, "s.yaml", seeds, &o, NULL));
    char *before = read_text("tables/aggregate.csv"), *plan = read_text("tables/study.yaml");
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        assert_int_equal(run_into(diag, "s.yaml", refused[i].sets, &o, NULL), WEIR_E_ARG);
        expect_message(diag, refused[i].says);
        weir_diag_clear(diag);
    }
    o.force = true;
    assert_int_equal(run_into(diag, "s.yaml", misspelt, &o, NULL), WEIR_E_SCENARIO);
    o.force = false;
    weir_diag_clear(diag);
    char *after = read_text("tables/aggregate.csv"), *same = read_text("tables/study.yaml");
    assert_string_equal(before, after);
    assert_string_equal(plan, same);
    free(after);
    expect_ok(diag, run_into(diag, "s.yaml", more, &o, NULL));
    o.force = true;
    expect_ok(diag, run_into(diag, "s.yaml", others, &o, NULL));
    expect_ok(diag, run_into(diag, "s.yaml", seeds, &o, &result));
    assert_int_equal(result.reused, 4);
    weir_study_result_free(&result);
    after = read_text("tables/aggregate.csv");
    assert_string_equal(before, after);
    free(after);
    free(same);
    free(plan);
    free(before);
    weir_diag_free(diag);
}

/* Four runs of a file of sizes that a value names, of which one is changed: two are made again, with its sizes. The same of
 * a file within a value that is a section. Beside a second parameter, of three values, six of twelve are. */
static void values_name_files(void **state)
{
    static const struct {
        const char *vary;
        uint32_t runs;
    } cases[] = {
        {"study.vary=[{path: traffic.a.tcp.size.cdf, name: f, values: [g1.cdf, g2.cdf]}]", 4},
        {"study.vary=[{path: traffic.a.tcp.size, name: f, values: [{cdf: g1.cdf}, {cdf: g2.cdf}]}]", 4},
        {"study.vary=[{path: seed, values: [1..3]}, "
         "{path: traffic.a.tcp.size.cdf, name: f, values: [g1.cdf, g2.cdf]}]",
         12}};
    weir_diag *diag = weir_diag_new();
    (void)state;
    write_file(
        "f.yaml",
        "weir: 1\nname: files\nduration: 100ms\ntopology: {generate: {model: dumbbell, left: 1}}\n"
        "traffic: [{name: a, tcp: {size: {cdf: g1.cdf}, arrivals: {poisson: 100/s}}, from: l0, to: r0}]\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const sizes[] = {cases[i].vary, "study.replications=2",
                                     "study.metrics=['s = max(flows.size_bytes)']", NULL};
        char into_files[20], table[40];
        weir_study_result result;
        snprintf(into_files, sizeof into_files, "files%zu", i);
        snprintf(table, sizeof table, "%s/aggregate.csv", into_files);
        const weir_study_options o = into(into_files, 1);
        write_file("g1.cdf", "1000 0\n2000 1\n");
        write_file("g2.cdf", "3000 0\n4000 1\n");
        expect_ok(diag, run_into(diag, "f.yaml", sizes, &o, NULL));
        expect_ok(diag, run_into(diag, "f.yaml", sizes, &o, &result));
        assert_int_equal(result.reused, cases[i].runs);
        weir_study_result_free(&result);
        write_file("g2.cdf", "70000 0\n80000 1\n");
        expect_ok(diag, run_into(diag, "f.yaml", sizes, &o, &result));
        assert_int_equal(result.runs, cases[i].runs);
        assert_int_equal(result.reused, cases[i].runs / 2);
        weir_study_result_free(&result);
        char *text = read_text(table);
        assert_non_null(strstr(text, ",s,2,0,7"));
        free(text);
    }
    weir_diag_free(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(left_behind), cmocka_unit_test(refused_without_a_folder),
        cmocka_unit_test(nothing_of_another_plan_stays), cmocka_unit_test(tables_of_another_plan_stay),
        cmocka_unit_test(values_name_files)};
    return cmocka_run_group_tests(tests, in_scratch, out_of_scratch);
}
