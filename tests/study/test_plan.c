/*
 * Plans of studies: what is wrong is said before anything runs, at its line and column; baselines are the points that
 * looking at every point finds.
 */
#include "study/small.h"

#include "study/tables/table.h"
#include "weir/scenario.h"

/* By looking at every point, as the table of differences once did. */
static uint32_t slow_baseline(const weir_study *s, uint32_t point, const char *const *asked)
{
    for (uint32_t k = 0; k < s->n_points; k++) {
        bool hit = true;
        for (uint32_t i = 0; i < s->n_params && hit; i++)
            hit = s->params[i].n == 0 ||
                  strcmp(s->points[k].value[i], asked[i] ? asked[i] : s->points[point].value[i]) == 0;
        if (hit)
            return k;
    }
    return UINT32_MAX;
}

/* Lists, one in step, what follows from them, and points that a constraint leaves without a baseline. */
static void baselines(void **state)
{
    (void)state;
    static const struct {
        const char *baseline, *asked[4];
    } cases[] = {{"study.baseline=[a=3]", {"3", "6", NULL, NULL}},
                 {"study.baseline=[d=6, b = 2]", {"3", "6", NULL, "2"}},
                 {"study.baseline=[a=30]", {"30", "60", NULL, NULL}}};
    write_file("s.yaml", NETWORK);
    for (int c = 0; c < 3; c++) {
        const char *const sets[] = {
            "study={vary: [{name: a, values: [1..30]}, {name: d, values: [2..60 step 2], with: a}, "
            "{name: f, is: a + b}, {name: b, values: [1..40]}], constraints: a * b <= 400}",
            cases[c].baseline, NULL};
        weir_study *study = NULL;
        weir_diag *diag = weir_diag_new();
        expect_ok(diag, open_with(diag, "s.yaml", sets, &study));
        uint32_t *of = wi_baselines(study), without = 0;
        assert_non_null(of);
        assert_int_equal(study->n_params, 4);
        for (uint32_t i = 0; i < study->n_points; i++) {
            assert_int_equal(of[i], slow_baseline(study, i, cases[c].asked));
            without += of[i] == UINT32_MAX;
        }
        print_message("  %u points, %u without a baseline\n", study->n_points, without);
        if (without > 0) {
            char text[60];
            snprintf(text, sizeof text, "%u of %u parameter sets are not compared", without, study->n_points);
            expect_message(diag, text);
        }
        assert_true(study->n_points > 500);
        if (c == 2)
            assert_true(without > 0);
        free(of);
        weir_study_free(study);
        weir_diag_free(diag);
    }
}

/* With `random-numbers: independent` the number of a set's first run is found from its paths and values: no comment or other key
 * changes it, and another value does. */
static void numbers_are_of_values(void **state)
{
    static const char *const sets[2][3] = {
        {"study={random-numbers: independent, vary: [{name: a, values: [1, 2]}]}", NULL},
        {"study={random-numbers: independent, vary: [{name: a, values: [2]}]}", "duration=200ms", NULL}};
    uint32_t run[3];
    weir_diag *diag = weir_diag_new();
    (void)state;
    for (uint32_t i = 0, n = 0; i < 2; i++) {
        weir_study *study = NULL;
        write_file("s.yaml", i ? "# another text\n" NETWORK : NETWORK);
        expect_ok(diag, open_with(diag, "s.yaml", sets[i], &study));
        for (uint32_t k = 0; k < study->n_points; k++)
            run[n++] = wi_run_number(study, (wi_job){k, 0});
        weir_study_free(study);
    }
    assert_int_not_equal(run[0], run[1]);
    assert_int_equal(run[1], run[2]);
    weir_diag_free(diag);
}

/* What goes in step with another tells no parameter sets apart. */
static void values_in_step_may_repeat(void **state)
{
    (void)state;
    const char *const sets[] = {
        "study={vary: [{name: a, values: [1, 2, 3]}, {name: b, values: [5, 5, 6], with: a}]}", NULL};
    weir_study *study = NULL;
    weir_diag *diag = weir_diag_new();
    write_file("s.yaml", NETWORK);
    expect_ok(diag, open_with(diag, "s.yaml", sets, &study));
    assert_int_equal(study->n_points, 3);
    weir_study_free(study);
    weir_diag_free(diag);
}

static void said_before_anything_runs(void **state)
{
    static const struct {
        const char *set, *message;
    } cases[] = {
        {"study.vary=[{path: topology.queue.limt, values: [1kB]}]", "did you mean 'limit'"},
        {"study.vary=[{path: topology.queue.limit, values: [1kB, 5ms]}]", "is a time; want a size"},
        {"study.vary=[{path: topology.queue.limit, values: [5, 6]}]", "limit"},
        {"study.vary=[{path: topology.queue.limit, values: [1kB, 1kB]}]", "takes the value 1kB twice"},
        {"study.vary=[{path: topology.queue.limit, values: [1kB, 2kB, 1000B]}]",
         "takes the value 1000B twice, once as 1kB"},
        {"study.vary=[{path: traffic.noise.start, values: [1ms, 2ms, 1000us]}]",
         "takes the value 1000us twice, once as 1ms"},
        {"study.vary=[{name: share, values: [50%, 20%, 0.5]}]", "takes the value 0.5 twice, once as 50%"},
        {"study.vary=[{path: seed, values: [1, 1]}, {path: topology.queue.limit, values: [1kB, 1kB], with: "
         "seed}]",
         "takes the value 1 twice"},
        {"study.vary=[{path: topology.queue.limit, values: []}]", "is empty"},
        {"study.vary=[{path: topology.queue.limit}]", "want either values"},
        {"study.vary=[{values: [1]}]", "want a path"},
        {"study.vary=[{path: run, values: [1]}]", "counts replications"},
        /* half of four sets, (0, 0) and (1, 1): neither has another that differs in a alone */
        {"study={vary: [{name: a, values: [0, 1]}, {name: b, values: [0, 1]}], constraints: [a == b], "
         "baseline: a=0}",
         "nothing is compared; leave baseline out"},
        {"study.vary=[{path: seed, values: [1, 2]}, {path: seed, values: [1]}]", "a second parameter 'seed'"},
        {"study.vary=[{path: seed, values: [1, 2]}, {path: seed, name: again, values: [3]}]",
         "seed is varied twice, as seed and again"},
        {"study.vary=[{path: traffic.0.tcp.sessions, values: [1, 2]}, {path: traffic.bulk.tcp.sessions, "
         "values: [3]}]",
         "traffic.bulk.tcp.sessions is varied twice, as traffic.0.tcp.sessions and "
         "traffic.bulk.tcp.sessions"},
        {"study.vary=[{path: topology.queue.limit, values: [1kB, 2kB]}, {path: topology.queue, values: "
         "[{type: "
         "droptail, limit: 9kB}]}]",
         "topology.queue replaces what topology.queue.limit has set"},
        {"study.vary=[{path: traffic.0.tcp.sessions, values: [1, 2]}, {path: traffic.bulk.tcp, values: "
         "[{mss: 1kB}]}]",
         "traffic.bulk.tcp replaces what traffic.0.tcp.sessions has set"},
        {"study.vary=[{path: traffic.a.start, values: [1s]}, {path: traffic.b.start, values: [3s]}]",
         "traffic has no item"},
        {"study.vary=[{path: seed, values: [1, 2], with: sed}]", "no parameter 'sed'"},
        {"study.vary=[{path: seed, values: [1, 2]}, {path: topology.queue.limit, values: [1kB], with: seed}]",
         "has 1 values and goes in step with seed, which has 2"},
        {"study={vary: [{name: a, is: b}, {name: b, is: a}], replications: 2}", "in a circle"},
        {"study={vary: [{name: a, is: nothing}]}", "nothing"},
        {"study={vary: [{name: a, values: [1, 2]}], constraints: [a > 1, a < 2]}",
         "no parameter set is left"},
        {"study={vary: [{name: a, values: [1, 2]}], constraints: a + 1s > 2}", "a number and a time"},
        {"study={vary: [{name: a, values: [1, 2]}], constraints: a * 1s}", "want a comparison"},
        {"study={vary: [{name: a, values: [1..2000]}, {name: b, values: [1..2000]}]}", "--yes"},
        {"study.metrics=['p101(flows.goodput_bps)']", "no statistic 'p101'"},
        {"study.metrics=['mean(flows)']", "want STATISTIC(TABLE.COLUMN)"},
        {"study.metrics=[events, events]", "a second metric 'events'"},
        {"study.baseline=[x=1]", "no parameter 'x' is varied"},
        {"study={vary: [{path: seed, values: [1, 2]}], baseline: seed=3}", "does not take this value"},
        {"study={replication: 3}", "did you mean 'replications'"},
    };
    (void)state;
    write_file("s.yaml", NETWORK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const sets[] = {cases[i].set, NULL};
        weir_study *study = NULL;
        weir_diag *diag = weir_diag_new();
        bool found = false;
        if (open_with(diag, "s.yaml", sets, &study) == WEIR_OK)
            fail_msg("%s is taken", cases[i].set);
        for (size_t k = 0; k < weir_diag_count(diag); k++)
            found = found || strstr(weir_diag_get(diag, k)->text, cases[i].message);
        if (!found) {
            print_messages(diag);
            fail_msg("%s: no message holds '%s'", cases[i].set, cases[i].message);
        }
        assert_null(study);
        weir_diag_free(diag);
    }
    /* a replication behind the last number would be run 0 */
    for (uint32_t replications = 1; replications <= 2; replications++) {
        char set[60];
        const char *const sets[] = {"run=4294967295", set, NULL};
        weir_study *study = NULL;
        weir_diag *diag = weir_diag_new();
        snprintf(set, sizeof set, "study.replications=%u", replications);
        const weir_status status = open_with(diag, "s.yaml", sets, &study);
        assert_int_equal(status, replications == 1 ? WEIR_OK : WEIR_E_SCENARIO);
        if (replications == 2)
            assert_non_null(strstr(weir_diag_get(diag, 0)->text, "last run would have number 4294967296"));
        weir_study_free(study);
        weir_diag_free(diag);
    }
}

/* The same in a file, at the line and column of what is wrong; the section begins in line 8. */
static void said_where_it_stands(void **state)
{
    static const struct {
        const char *study, *where, *message;
        bool runs; /* said when it is to run */
    } cases[] = {
        {"study:\n  vary:\n    - {path: topology.queue.limt, values: [1kB]}\n",
         "s.yaml:10:44: error: ", "did you mean 'limit'"},
        {"study:\n  vary:\n    - {path: topology.queue.limit, values: [1kB, 5ms]}\n",
         "s.yaml:10:50: error: ", "topology.queue.limit=5ms: limit: \"5ms\" is a time; want a size"},
        {"study: {vary: [{path: traffic.bulk.tcp.sessions, values: [1..3, 0]}]}\n",
         "s.yaml:8:65: error: ", "sessions is 0; want at least 1"},
        {"study: {vary: [{name: a, values: [1, 2]}], constraints: [a > 1, a < 2]}\n",
         "s.yaml:8:58: error: ", "contradict each other"},
        {"study: {vary: [{name: a, values: [1..2000]}, {name: b, values: [1..2000]}]}\n",
         "s.yaml:8:8: error: ", "--yes"},
        {"study: {vary: [{name: a, values: [1..2 step 0]}]}\n",
         "s.yaml:8:35: error: ", "range '1..2 step 0'"},
        {"study: {vary: [{name: a, is: b + 1}]}\n", "s.yaml:8:30: error: ", "b"},
        {"study: {vary: [{path: seed, values: [1, 2]}], baseline: [seed=3]}\n",
         "s.yaml:8:58: error: ", "does not take this value"},
        {"study: {replications: 0}\n", "s.yaml:8:23: error: ", "replications is 0"},
        {"study:\n  metrics: [events, classes.bulk.nothing]\n", "s.yaml:9:21: error: ", "no 'nothing'", true},
        {"study: {metrics: [events, mean(flows.nothing)]}\n", "s.yaml:8:27: error: ", "no column 'nothing'",
         true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2000], first[2000] = "";
        snprintf(text, sizeof text, "%s%s", NETWORK, cases[i].study);
        write_file("s.yaml", text);
        weir_study *study = NULL;
        weir_study_result result = {0};
        weir_diag *diag = weir_diag_new();
        const weir_study_options options = into("where", 1);
        weir_status status = open_with(diag, "s.yaml", NULL, &study);
        if (cases[i].runs)
            status = status == WEIR_OK ? weir_study_run(study, &options, &result) : WEIR_OK;
        assert_int_not_equal(status, WEIR_OK);
        for (size_t k = 0; k < weir_diag_count(diag) && !first[0]; k++)
            if (weir_diag_get(diag, k)->severity == WEIR_ERROR)
                weir_message_format(weir_diag_get(diag, k), first, sizeof first);
        if (strncmp(first, cases[i].where, strlen(cases[i].where)) != 0 || !strstr(first, cases[i].message))
            fail_msg("%swant %s... %s, got\n%s", cases[i].study, cases[i].where, cases[i].message, first);
        weir_study_result_free(&result);
        weir_study_free(study);
        weir_diag_free(diag);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(baselines), cmocka_unit_test(numbers_are_of_values),
                                       cmocka_unit_test(values_in_step_may_repeat),
                                       cmocka_unit_test(said_before_anything_runs),
                                       cmocka_unit_test(said_where_it_stands)};
    return cmocka_run_group_tests(tests, in_scratch, out_of_scratch);
}
