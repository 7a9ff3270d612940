/*
 * Packets, drops, marks, retransmissions and timeouts of classes whose slots serve one flow after another: arrivals, requests, jobs.
 * What a run counts from its start is what it counts until the warm-up's end and from then on, whatever is under way at that time;
 * where all flows end, the class has what its rows of flows.csv have, and means and quantiles of their times.
 */
#include "scenario/csv_cell.h"
#include "scenario/folder_run.h"
#include "scenario/run_summary.h"

#define NARROW                                                                                            \
    "topology:\n  generate: {model: dumbbell, left: 4, bottleneck_rate: 20Mbps, bottleneck_delay: 5ms}\n" \
    "  queue: {type: red, limit: 60kB, min: 8kB, max: 20kB, ecn: true, w: 0.05}\n  loss: 0.01\ntraffic:\n"

static const char *const served[] = {
    "- {name: x, tcp: {size: {exponential: 30kB}, arrivals: {poisson: 60/s}}, pairs: [[l0, r0], [l1, r1]]}\n",
    "- {name: x, tcp: {size: {exponential: 30kB}, arrivals: {poisson: 60/s}, ecn: true, max_flows: 3}, "
    "pairs: "
    "[[l0, r0]]}\n",
    "- {name: x, tcp: {size: {exponential: 40kB}, request: {size: 200B, think: 5ms}}, from: [l0, l1, l2], "
    "to: "
    "r0}\n",
    "- {name: x, tcp: {size: 50kB, request: {think: 1ms}, connection: keep}, from: [l0, l1], to: r0}\n",
    "- {name: x, tcp: {recovery: go-back-n, congestion: dctcp, size: 20kB, arrivals: {poisson: 50/s}}, "
    "pairs: "
    "[[l0, r0]]}\n",
    "- {name: x, tcp: {}, job: {hosts: [l0, r0, l1, r1], iterations: 400, program: [{do: allreduce, "
    "message: 80kB}]}}\n",
};
/* The last is not held against a job's, whose messages are counted as they end; those before it only some classes have. */
static const char *const counted[] = {
    "packets_sent", "packets_received", "packets_dropped", "packets_marked", "retransmissions", "timeouts",
    "arrivals",     "rejected",         "requests",        "replies",        "received_bytes"};
enum { SERVED = sizeof served / sizeof *served, COUNTED = sizeof counted / sizeof *counted };

static void totals(const char *traffic, const char *until, const char *warmup, double *out)
{
    char text[2000], duration[64], warm[64];
    snprintf(text, sizeof text, "weir: 1\nduration: 1s\n" NARROW "%s", traffic);
    snprintf(duration, sizeof duration, "duration=%s", until);
    snprintf(warm, sizeof warm, "output.warmup=%s", warmup);
    const char *const sets[] = {duration, warm};
    json_t *s = summary_of(text, sets, 2, NULL);
    for (size_t i = 0; i < COUNTED; i++)
        out[i] = json_object_get(json_array_get(json_object_get(s, "classes"), 0), counted[i])
                     ? class_number(s, 0, NULL, counted[i])
                     : 0.0;
    json_decref(s);
}

static void a_warm_up_parts_them(void **state)
{
    (void)state;
    for (size_t i = 0; i < SERVED; i++) {
        double whole[COUNTED], before[COUNTED], after[COUNTED];
        totals(served[i], "3s", "0s", whole);
        totals(served[i], "1s", "0s", before);
        totals(served[i], "3s", "1s", after);
        for (size_t k = 0; k < COUNTED; k++) {
            const bool job = strstr(served[i], "job:") != NULL;
            if (!(whole[k] == before[k] + after[k]) && !(job && k == COUNTED - 1))
                fail_msg("%s: %s: %g in 3 s, %g in the first, %g then", served[i], counted[k], whole[k],
                         before[k], after[k]);
        }
        if (!(whole[0] > 500 && whole[2] > 5 && whole[4] > 5))
            fail_msg("%s: too little: %g sent, %g dropped, %g again", served[i], whole[0], whole[2],
                     whole[4]);
        assert_true(i != 1 || (whole[3] > 5 && whole[6] > 100 && whole[7] > 5));
        assert_true(i != 2 || (whole[8] > 50 && whole[9] > 50));
    }
}

/* Rounds of a collective that begin within the warm-up are in rounds.csv alone. */
static void rounds_of_the_warm_up_are_left_out(void **state)
{
    (void)state;
    static const char text[] =
        "weir: 1\nduration: 1s\n" NARROW "- {name: x, tcp: {size: 20kB}, collective: {kind: ring-all-reduce, "
        "hosts: [l0, l1, r0, r1], rounds: 1000}}\n";
    double n[3];
    for (int i = 0; i < 3; i++) {
        const char *const sets[] = {i == 1 ? "output.warmup=10s" : "output.warmup=0s",
                                    i == 2 ? "duration=10s" : "duration=20s"};
        json_t *s = summary_of(text, sets, 2, NULL);
        n[i] = class_number(s, 0, "rounds", "completed");
        json_decref(s);
    }
    /* Hosts go on at once, so that some are under way as the warm-up ends. */
    if (!(n[0] > 10 && n[0] - n[2] - n[1] >= 0.0 && n[0] - n[2] - n[1] <= 0.2 * n[0]))
        fail_msg("%g rounds, %g of them in the first half, %g since", n[0], n[2], n[1]);
}

enum { ROWS = 500 };

/* A column of flows.csv. */
static size_t column_of(const char *folder, const char *column, double value[ROWS])
{
    char path[CSV_LINE], line[CSV_LINE];
    size_t n = 0;
    int at = 0;
    snprintf(path, sizeof path, "%s/flows.csv", folder);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f));
    while (!csv_is(csv_at(line, at), column))
        assert_non_null(csv_at(line, ++at));
    for (; fgets(line, sizeof line, f); n++) {
        assert_true(n < ROWS);
        value[n] = csv_number(csv_at(line, at));
    }
    fclose(f);
    return n;
}

static double sum_of(const char *folder, const char *column)
{
    double value[ROWS], sum = 0.0;
    for (size_t i = 0, n = column_of(folder, column, value); i < n; i++)
        sum += value[i];
    return sum;
}

static int rising(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of sorted rows: quantiles are of the flow whose rank is ceil(share n). */
static void spread_is_that_of_rows(const json_t *summary, const char *folder, const char *member,
                                   const char *column, const char *suffix)
{
    static const struct {
        const char *name;
        double share;
    } quantiles[] = {{"p50", 0.5}, {"p95", 0.95}, {"p99", 0.99}, {"p99.9", 0.999}};
    double value[ROWS], sum = 0.0;
    char key[40];
    const size_t n = column_of(folder, column, value);
    assert_true(n > 100);
    qsort(value, n, sizeof *value, rising);
    for (size_t i = 0; i < n; i++)
        sum += value[i];
    for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++) {
        const double want = value[(size_t)ceil(quantiles[i].share * (double)n) - 1];
        snprintf(key, sizeof key, "%s%s", quantiles[i].name, suffix);
        const double got = class_number(summary, 0, member, key);
        if (!(fabs(got / want - 1.0) < 0.004))
            fail_msg("%s.%s: %g, rows %g", member, key, got, want);
    }
    snprintf(key, sizeof key, "mean%s", suffix);
    assert_true(fabs(class_number(summary, 0, member, key) / (sum / (double)n) - 1.0) < 1e-6);
    snprintf(key, sizeof key, "max%s", suffix);
    assert_true(fabs(class_number(summary, 0, member, key) / value[n - 1] - 1.0) < 1e-6);
}

/* No more come from 3 s on, and all end. */
static void rows_have_the_same(void **state)
{
    (void)state;
    static const char *const columns[] = {"packets_sent", "retransmissions", "timeouts"};
    weir_diag *diag = weir_diag_new();
    char text[2000];
    snprintf(text, sizeof text,
             "weir: 1\nduration: 60s\n" NARROW
             "- {name: x, tcp: {size: {exponential: 30kB}, arrivals: {poisson: 60/s}}, pairs: [[l0, r0]], "
             "stop: 3s}\n");
    weir_run_result r = run_into(diag, text, "rows", NULL, 0);
    json_t *s = json_loads(r.summary_json, 0, NULL);
    assert_true(class_number(s, 0, NULL, "unfinished") == 0);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        const double sum = sum_of(r.output_dir, columns[i]);
        if (!(class_number(s, 0, NULL, columns[i]) == sum))
            fail_msg("%s: class %g, rows %g", columns[i], class_number(s, 0, NULL, columns[i]), sum);
    }
    assert_true(class_number(s, 0, NULL, "packets_dropped") ==
                class_number(s, 0, NULL, "packets_sent") - class_number(s, 0, NULL, "packets_received"));
    spread_is_that_of_rows(s, r.output_dir, "completion", "completion_s", "_s");
    spread_is_that_of_rows(s, r.output_dir, "slowdown", "slowdown", "");
    json_decref(s);
    weir_run_result_free(&r);
    weir_diag_free(diag);
}

/* Where a flow leads is known before it begins. */
static void rows_of_flows_to_come_are_whole(void **state)
{
    (void)state;
    weir_diag *diag = weir_diag_new();
    const char *const set = "traffic.+={name: u, udp: {rate: 1Mbps}, from: left, to: r3, start: 3s}";
    weir_run_result r =
        run_into(diag, "weir: 1\nduration: 1s\n" NARROW "- {name: x, tcp: {}, from: l0, to: r1, start: 2s}\n",
                 "later", &set, 1);
    assert_true(csv_cell(r.output_dir, "flows.csv", "to", "r1", "start_s") == 2.0);
    assert_true(csv_cell(r.output_dir, "flows.csv", "to", "r3", "start_s") == 3.0);
    weir_run_result_free(&r);
    weir_diag_free(diag);
}

/* Of nothing sent there is no share that was lost. */
static void loss_of_nothing_is_none(void **state)
{
    (void)state;
    json_t *summary =
        summary_of("weir: 1\nduration: 1s\n" NARROW "- {name: x, tcp: {}, from: l0, to: r0, start: 2s}\n"
                   "- {name: y, tcp: {}, from: l1, to: r1}\n",
                   NULL, 0, NULL);
    const json_t *const classes = json_object_get(summary, "classes");
    assert_true(json_is_null(json_object_get(json_array_get(classes, 0), "loss")));
    assert_true(json_is_real(json_object_get(json_array_get(classes, 1), "loss")));
    json_decref(summary);
}

int main(void)
{
    assert_non_null(scratch_make());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_warm_up_parts_them), cmocka_unit_test(rounds_of_the_warm_up_are_left_out),
        cmocka_unit_test(loss_of_nothing_is_none), cmocka_unit_test(rows_have_the_same),
        cmocka_unit_test(rows_of_flows_to_come_are_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
