/* What commands say: --json of each is one JSON value and nothing else; a study prints its table, with the number of replications
 * and intervals, and warns where replications are one run again and again; transfers that did not end stand beside the times of
 * those that did. */
#include <jansson.h>

#include <math.h>

#include "command.h"

static const char net[] =
    "weir: 1\nname: net\nduration: 500ms\ntopology: {generate: {model: dumbbell, left: 2}}\n"
    "traffic:\n  - {name: bulk, from: l0, to: r0, tcp: {size: 20kB}, start: {uniform: [0s, 50ms]}}\n"
    "  - {name: long, from: l1, to: r1, tcp: {size: 20MB}}\n";

/* The value that the command prints; the exit code is 0. */
static json_t *said(const char *arguments)
{
    const int code = weir(arguments);
    json_error_t error;
    json_t *value = json_loads(out_text, 0, &error);
    if (code != 0 || !value)
        fail_msg("weir %s: exit %d, %s: %.200s / %.200s", arguments, code, error.text, out_text, err_text);
    return value;
}

static void every_command_has_json(void **state)
{
    static const char *const commands[] = {"version --json",
                                           "info --json",
                                           "check net.yaml --json",
                                           "run net.yaml --json -o a",
                                           "run net.yaml --json -o b",
                                           "verify a b --json",
                                           "verify net.yaml --against check --json",
                                           "plot a --json",
                                           "report a -o a.html --json",
                                           "study net.yaml --list-metrics --json",
                                           "study net.yaml --vary seed=1,2 --dry-run --json",
                                           "study net.yaml --vary seed=1,2 --json",
                                           "study collect results/net-study -o whole --json",
                                           "topology models --json",
                                           "topology models star --json",
                                           "topology names star --json",
                                           "topology names star --links --json",
                                           "topology generate star --json",
                                           "topology generate star -o star.brite --json",
                                           "topology convert ring.txt --from edges -o ring.graphml --json",
                                           "import pairs.cm --json",
                                           "import pairs.cm -o pairs.yaml --json",
                                           "export a --json",
                                           "export a --format paje --json",
                                           "routes ring.txt --from edges --json",
                                           "topology info ring.txt --from edges --json",
                                           "watch a --json",
                                           "analyze parallelism phold.yaml --json --events 1000"};
    (void)state;
    put_text("net.yaml", net);
    put_text("ring.txt", "a b\nb c\nc a\n");
    put_text("pairs.cm", "Nodes 16\nConnections 1\n0->5 start 0 size 2000\n");
    put_text("phold.yaml",
             "weir: 1\nduration: 2us\nmodel: {phold: {entities: 16, events: 1, remote: 50%, lookahead: "
             "10ns, mean: 90ns}}\n");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strncmp(commands[i], "report", 6) == 0 &&
            (weir("info") != 0 || !strstr(out_text, "in   weir report")))
            continue; /* a build without reports */
        json_decref(said(commands[i]));
    }
}

static void a_study_prints_its_table(void **state)
{
    (void)state;
    put_text("net.yaml", net);
    assert_int_equal(
        weir("study net.yaml --vary topology.queue.limit=10kB,20kB --replications 3 "
             "--metric 'half = classes.bulk.completion.p50_s' --metric 'loss = classes.long.loss'"),
        0);
    assert_non_null(strstr(out_text, "  topology.queue.limit  n  "));
    const char *first =
        strstr(out_text, "  10kB                  3  "); /* units are of what metrics are short for */
    assert_non_null(first);
    assert_true(strstr(first, " ms ± ") < strchr(first, '\n'));
    char *unit;
    double half_s = strtod(strstr(first, " ± ") + strlen(" ± "), &unit);
    half_s *= strncmp(unit, " us", 3) == 0 ? 1e-6 : 1e-3;
    assert_non_null(strstr(out_text, "  20kB                  3  "));
    assert_null(strstr(err_text, "identical"));
    json_t *o = said("study net.yaml --vary topology.queue.limit=10kB,20kB --replications 3 --json "
                     "--metric 'half = classes.bulk.completion.p50_s' --metric 'loss = classes.long.loss'");
    const json_t *rows = json_object_get(o, "aggregate"), *row = json_array_get(rows, 2);
    assert_int_equal(json_integer_value(json_object_get(o, "reused")), 6);
    assert_int_equal(json_array_size(rows), 4);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(row, "parameters"), "topology.queue.limit")),
        "20kB");
    assert_int_equal(json_integer_value(json_object_get(row, "n")), 3);
    assert_string_equal(json_string_value(json_object_get(row, "unit")), "s");
    assert_true(json_real_value(json_object_get(row, "low")) <=
                json_real_value(json_object_get(row, "mean")));
    const double low = json_real_value(json_object_get(json_array_get(rows, 0), "low")),
                 high = json_real_value(json_object_get(json_array_get(rows, 0), "high"));
    if (!(fabs(half_s - (high - low) / 2.0) <= 0.005 * half_s))
        fail_msg("half of %g to %g is told as %g", low, high, half_s);
    json_decref(o);
    /* One run a set has no intervals. */
    assert_int_equal(weir("study net.yaml --vary seed=1..40 -o many"), 0);
    const char *heads = strstr(out_text, "\n  seed  classes.bulk.");
    assert_non_null(heads);
    assert_true(strstr(heads, "classes.long.") < strchr(heads + 1, '\n'));
    assert_non_null(strstr(out_text, "\n  24  "));
    assert_null(strstr(out_text, "\n  25  "));
    assert_non_null(strstr(out_text, "... and 16 rows more in aggregate.csv"));
}

/* Maps that a named parameter decides would fill the screen. What nothing decides is shown, however wide. */
static void wide_columns_that_others_decide_are_left_out(void **state)
{
    (void)state;
    static const char *const named[] = {"  - {name: what, values: [short, long]}\n", ""};
    for (int i = 0; i < 2; i++) {
        char text[2000];
        snprintf(text, sizeof text,
                 "%sstudy:\n  vary:\n%s  - {path: topology.queue, %svalues: [{type: droptail, limit: 10kB}, "
                 "{type: droptail, limit: 200kB}]}\n  metrics: [classes.long.loss]\n",
                 net, named[i], i == 0 ? "with: what, " : "");
        put_text("maps.yaml", text);
        assert_int_equal(weir("study maps.yaml --force"), 0);
        assert_true((strstr(out_text, "{type: droptail") == NULL) == (i == 0));
        assert_true((strstr(out_text, "... and 1 wide columns more in aggregate.csv") != NULL) == (i == 0));
    }
}

static void identical_replications_are_said(void **state)
{
    (void)state;
    put_text("net.yaml", net);
    assert_int_equal(weir("study net.yaml --vary topology.queue.limit=10kB,20kB --replications 2 --set "
                          "traffic.bulk.start=0s"),
                     0);
    assert_non_null(strstr(err_text, "replications are identical in 2 of 2 parameter sets"));
}

static void transfers_that_did_not_end_are_told(void **state)
{
    (void)state;
    put_text("net.yaml", net);
    assert_int_equal(weir("run net.yaml"), 0);
    assert_non_null(
        strstr(out_text, "transfers         complete  unfinished  rejected    FCT p50    FCT p99"));
    assert_non_null(strstr(out_text, "  bulk                     1           0         -  "));
    assert_non_null(
        strstr(out_text, "  long                     0           1         -          -          -"));
    put_text("round.yaml",
             "weir: 1\nduration: 1s\ntopology: {generate: {model: star}}\ntraffic: [{name: all, tcp: "
             "{size: 1kB}, collective: {kind: all-to-all, hosts: [h0, h1, h2], rounds: 3}}]\n");
    assert_int_equal(weir("run round.yaml"), 0);
    assert_non_null(strstr(out_text, "rounds            complete       mean    longest"));
    assert_non_null(strstr(out_text, "  all                      3  "));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, enter_scratch, leave_scratch)
int main(void)
{
    const struct CMUnitTest tests[] = {CASE(every_command_has_json), CASE(a_study_prints_its_table),
                                       CASE(wide_columns_that_others_decide_are_left_out),
                                       CASE(identical_replications_are_said),
                                       CASE(transfers_that_did_not_end_are_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
