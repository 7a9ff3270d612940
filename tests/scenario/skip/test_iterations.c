/*
 * Iterations of a job, repeated from memory: what is counted is what the full run counts, to the byte; iterations take as long within
 * the error; where every iteration is the same, each operation ends when it did, within a unit of skips. Ranks that drift
 * apart are simulated: their iterations become longer late and all at once. What comes from outside ends a skip. Engines and checkpoints:
 * test_differential_steady.
 */
#include <math.h>

#include "diag.h"
#include "output/scratch.h"
#include "scenario/csv_cell.h"
#include "scenario/run_text.h"
#include "weir/session.h"

enum { TEXT = 8192, ITERATIONS = 24 };

static const char *const leaves =
    "generate: {model: leaf-spine, leaves: 2, spines: 2, hosts: 4, access_rate: 10Gbps, access_delay: "
    "1us, rate: 40Gbps, delay: 1us}";
static const char *const
    marks = "queue: {type: threshold, mark: 100kB, limit: 2MB}",
    *const trims = "queue: {type: trim}",
    *const pauses = "queue: {type: threshold, mark: 100kB}\n  shared_buffer: {size: 8MB, pfc: {xoff: 100kB, "
                    "xon_offset: 30kB}}";
/* Chains of one source and of several, in one server and between, behind each other and side by side; whose parts go in pieces. */
static const char *const
    ring = "program: [{do: allreduce, message: 2MB}, {do: compute, time: 2ms}], ranks: 8, allreduce: ring",
    *const tree =
        "program: [{do: allreduce, message: 1MB}, {do: compute, time: 1ms}], ranks: 8, allreduce: tree",
    *const to_all = "program: [{do: alltoall, message: 200kB}, {do: compute, time: 1ms}], ranks: 8",
    *const rails =
        "program: [{do: allreduce, message: 8MB}, {do: compute, time: 5ms}], ranks: 8, ranks_per_host: 2, "
        "hosts: [h0, h4, h1, h5], local_rate: 100Gbps, local_delay: 1us",
    *const model =
        "model: {layers: 2, hidden: 512, heads: 8, vocabulary: 4000, sequence: 256, micro_batches: 4, "
        "pipeline: 2, tensor: 2, data: 2}, flops: 20e12, ranks_per_host: 2, local_rate: 100Gbps, "
        "local_delay: 1us";

static double number(const char *json, const char *key)
{
    const char *at = json ? strstr(json, key) : NULL;
    return at ? strtod(at + strlen(key), NULL) : (double)NAN;
}

typedef struct outcome {
    uint64_t events, event_digest, state_digest;
    double sent, received, messages, bytes, operations, mean_s, end_s;
    double iterations, skipped_bytes, skipped_packets;
    bool warned; /* that iterations were alike, not the same */
} outcome;

static bool is_warned(const weir_diag *diag)
{
    bool found = false;
    for (size_t k = 0; k < weir_diag_count(diag); k++)
        found = found || strstr(weir_diag_get(diag, k)->text, "alike, not the same");
    return found;
}

static outcome run_into(const char *text, const char *folder)
{
    weir_run_options options;
    weir_run_result r;
    weir_scenario *scenario = NULL;
    weir_diag *diag = weir_diag_new();
    weir_run_options_init(&options);
    options.no_output = !folder;
    options.output_dir = folder;
    options.force = true;
    expect_ok(diag,
              weir_scenario_parse(diag, "s.yaml", text, strlen(text), WEIR_TEST_DATA, NULL, 0, &scenario));
    expect_ok(diag, weir_run(diag, scenario, &options, &r));
    const char *job = strstr(r.summary_json, "\"job\""), *steady = strstr(r.summary_json, "\"steady\"");
    const outcome out = {r.events,
                         r.event_digest,
                         r.state_digest,
                         number(r.summary_json, "\"packets_sent\": "),
                         number(r.summary_json, "\"received_bytes\": "),
                         number(job, "\"messages\": "),
                         number(job, "\"bytes\": "),
                         number(job, "\"operations_ended\": "),
                         number(job, "\"iteration_mean_s\": "),
                         number(job, "\"end_s\": "),
                         number(steady, "\"iterations\": "),
                         number(steady, "\"bytes\": "),
                         number(steady, "\"packets\": "),
                         is_warned(diag)};
    weir_scenario_free(scenario);
    weir_run_result_free(&r);
    weir_diag_free(diag);
    return out;
}

static void write_text(char *text, const char *queue, const char *job, const char *tcp, const char *more,
                       bool skip)
{
    snprintf(text, TEXT,
             "weir: 1\nduration: until-done 9s\ntopology:\n  %s\n  %s\nrouting: {ecmp: true}\ntraffic:\n"
             "  - {name: a, job: {%s, iterations: %d}, tcp: {%s}}\n%ssteady: {skip: %s}\n",
             leaves, queue, job, ITERATIONS, tcp, more, skip ? "true" : "false");
}

static outcome run(const char *queue, const char *job, const char *tcp, const char *more, bool skip,
                   const char *folder)
{
    char text[TEXT];
    write_text(text, queue, job, tcp, more, skip);
    return run_into(text, folder);
}

static void expect_near(const char *what, double got, double want, double error)
{
    if (!(fabs(got - want) <= error * want))
        fail_msg("%s: %.9g, want %.9g within %.2g", what, got, want, error);
}

/* What a network that loses nothing counts is the same to the packet, and of what is skipped each iteration is one. */
static void judged(const char *queue, const char *job, const char *tcp, double least)
{
    const outcome full = run(queue, job, tcp, "", false, NULL), skip = run(queue, job, tcp, "", true, NULL);
    if (!(skip.iterations >= least))
        fail_msg("%s, %s: %g iterations, want %g", job, tcp, skip.iterations, least);
    assert_true(skip.messages == full.messages && skip.bytes == full.bytes &&
                skip.operations == full.operations);
    assert_true(skip.sent == full.sent && skip.received == full.received);
    assert_true(skip.warned && !full.warned);
    assert_true(skip.skipped_bytes * ITERATIONS == skip.iterations * full.bytes);
    expect_near(job, skip.mean_s, full.mean_s, 0.01);
    expect_near(job, skip.end_s, full.end_s, 0.01);
    expect_near(job, (double)skip.events, (double)full.events * (1.0 - skip.iterations / ITERATIONS), 0.1);
}

static void iterations_are_repeated(void **state)
{
    (void)state;
    judged(marks, ring, "congestion: dctcp", 8);
    judged(marks, ring, "congestion: dctcp, connection: keep", 16);
    judged(marks, tree, "congestion: newreno", 16);
    judged(marks, to_all, "congestion: cubic, connection: keep", 16);
    judged(marks, model, "congestion: dctcp", 16);
    judged(pauses, model, "congestion: dcqcn", 16);
    judged(trims, ring, "congestion: ndp", 16);
}

/* Around one switch iterations are the same but for the first few. No more than these are simulated, and what each operation did is in its
 * row: so programs stand where they would have. */
static void same_rows(const char *job, const char *tcp)
{
    char text[TEXT], folder[600], line[2][CSV_LINE];
    FILE *file[2];
    int rows = 0;
    for (int skip = 0; skip < 2; skip++) {
        snprintf(text, sizeof text,
                 "weir: 1\nduration: until-done 9s\ntopology: {generate: {model: star, hosts: 4, "
                 "access_rate: 10Gbps, "
                 "access_delay: 1us}, %s}\ntraffic: [{name: a, job: {%s, iterations: %d}, tcp: {congestion: "
                 "dctcp, %s}}]\n"
                 "steady: {skip: %s}\n",
                 marks, job, ITERATIONS, tcp, skip ? "true" : "false");
        snprintf(folder, sizeof folder, "%s/%d", scratch_folder, skip);
        const outcome o = run_into(text, folder);
        assert_false(o.warned);
        if (skip && !(o.iterations >= ITERATIONS - 6))
            fail_msg("%s, %s: %g iterations", job, tcp, o.iterations);
        snprintf(folder, sizeof folder, "%s/%d/actions.csv", scratch_folder, skip);
        file[skip] = fopen(folder, "r");
        assert_non_null(file[skip]);
    }
    for (; fgets(line[0], CSV_LINE, file[0]) && fgets(line[1], CSV_LINE, file[1]); rows++)
        for (int column = 8; column < 10 && rows > 0; column++) {
            const double full = csv_number(csv_at(line[0], column)),
                         skip = csv_number(csv_at(line[1], column));
            if (!(fabs(full - skip) <= 66e-9))
                fail_msg("%s, %s, row %d: %.12f, want %.12f", job, tcp, rows, skip, full);
        }
    assert_true(rows > ITERATIONS && feof(file[0]));
    assert_true(!fgets(line[1], CSV_LINE, file[1]));
    fclose(file[0]);
    fclose(file[1]);
}

/* A trace whose third rank does nothing, and is through with all iterations at once. */
static const char *idle_rank(void)
{
    static char job[700];
    FILE *f = fopen(scratch_path("idle.goal"), "w");
    assert_non_null(f);
    fputs(
        "num_ranks 3\nrank 0 {\nl1: calc 2000000\nl2: send 300000b to 1 tag 1\nl2 requires l1\n}\nrank 1 {\n"
        "l1: recv 300000b from 0 tag 1\nl2: calc 1000000\nl2 requires l1\n}\nrank 2 {\n}\n",
        f);
    fclose(f);
    snprintf(job, sizeof job, "trace: '%s', ranks: 3", scratch_path("idle.goal"));
    return job;
}

static void the_same_are_the_same(void **state)
{
    static const char *const jobs[] = {
        "program: [{do: compute, time: 2ms}, {do: bcast, message: 1MB}], ranks: 4",
        "program: [{do: allreduce, message: 1MB}, {do: compute, time: 2ms}], ranks: 4, allreduce: ring",
        "program: [{do: allreduce, message: 1MB}, {do: compute, time: 2ms}], ranks: 4, allreduce: ring, "
        "chunk: 60kB",
        "program: [{do: allgather, message: 1MB}, {do: compute, time: 2ms}], ranks: 4, chunk: 60kB, "
        "channels: 2",
        "program: [{do: compute, time: 300us}, {do: allreduce, message: 2MB}], ranks: 4, ranks_per_host: 4, "
        "local_rate: 100Gbps, local_delay: 1us",
        "program: [{do: compute, time: 1ms}, {do: bcast, message: 2MB}], ranks: 4, ranks_per_host: 2, "
        "local_rate: 100Gbps, local_delay: 1us"};
    (void)state;
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        same_rows(jobs[i], "connection: new");
        same_rows(jobs[i], "connection: keep");
    }
    same_rows(idle_rank(), "connection: new");
}

/* Where ranks drift apart, as these do by a microsecond an iteration or by ever more, periods are alike until they are not. */
static void ranks_that_drift_are_simulated(void **state)
{
    static const char *const kept = "congestion: dctcp, connection: keep";
    (void)state;
    const outcome rails_full = run(marks, rails, kept, "", false, NULL),
                  rails_skip = run(marks, rails, kept, "", true, NULL);
    expect_near("rails", rails_skip.mean_s, rails_full.mean_s, 0.01);
    const outcome full = run(trims, to_all, "congestion: ndp", "", false, NULL),
                  skip = run(trims, to_all, "congestion: ndp", "", true, NULL);
    expect_near("all to all", skip.mean_s, full.mean_s, 0.01);
}

/* Other flows of the part: a few are waited for, and seen as they are; where there are always some, nothing is repeated. */
static void others_come_in_between(void **state)
{
    static const char *const one = "  - {name: b, pairs: [[h1, h6]], start: 60ms, tcp: {size: 3MB}}\n"
                                   "seed: 7\n", /* of which no two flows of the ring take one path */
        *const many =
            "  - {name: b, from: [h1, h2], to: [h6, h7], stop: 120ms, tcp: {size: 90kB, arrivals: {load: "
            "20%}}}\n";
    (void)state;
    const outcome full = run(marks, ring, "congestion: dctcp", one, false, NULL),
                  skip = run(marks, ring, "congestion: dctcp", one, true, NULL);
    if (!(skip.iterations >= 4 && skip.iterations < 20))
        fail_msg("%g iterations", skip.iterations);
    assert_true(skip.messages == full.messages && skip.sent == full.sent);
    assert_true(run(marks, ring, "congestion: dctcp", many, true, NULL).iterations <= 2);
}

/* A job that follows another, and one beside it: the first two are repeated, each for itself; not where both run at once. */
static void jobs_one_by_one(void **state)
{
    char text[TEXT];
    (void)state;
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text,
                 "weir: 1\nduration: until-done 9s\ntopology:\n  %s\n  %s\ntraffic:\n"
                 "  - {name: a, job: {%s, iterations: %d}, tcp: {congestion: dctcp}}\n"
                 "  - {name: b, start: %s, job: {%s, iterations: %d}, tcp: {congestion: dctcp}}\n"
                 "steady: {skip: true}\n",
                 leaves, marks, ring, ITERATIONS, i ? "0s" : "200ms", ring, ITERATIONS);
        const outcome o = run_into(text, NULL);
        assert_true(i ? o.iterations == 0 : o.iterations >= 30);
    }
}

/* What a reader sees within a skip are whole iterations, as many as there would have been. */
static void samples_see_iterations(void **state)
{
    char text[TEXT];
    weir_run_options options;
    weir_scenario *scenario = NULL;
    weir_session *s = NULL;
    weir_diag *diag = weir_diag_new();
    (void)state;
    const outcome full = run(marks, ring, "congestion: dctcp", "", false, NULL);
    write_text(text, marks, ring, "congestion: dctcp", "output: {interval: 2ms}\n", true);
    weir_run_options_init(&options);
    options.no_output = true;
    expect_ok(diag,
              weir_scenario_parse(diag, "s.yaml", text, strlen(text), WEIR_TEST_DATA, NULL, 0, &scenario));
    expect_ok(diag, weir_session_open(diag, scenario, &options, &s));
    for (int ms = 25; ms < 105; ms += 10) {
        double rate = 0.0;
        expect_ok(diag, weir_session_advance(s, ms * WEIR_PS_PER_MS));
        expect_ok(diag, weir_session_metric(s, "classes.a.goodput_bps", &rate));
        const double iterations = rate / 8.0 * ms * 1e-3 / (full.bytes / ITERATIONS),
                     want = ms * 1e-3 / full.mean_s;
        if (!(fabs(iterations - want) <= 1.05))
            fail_msg("%.3f iterations by %d ms, want %.3f within one", iterations, ms, want);
    }
    weir_session_close(s);
    weir_scenario_free(scenario);
    weir_diag_free(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(iterations_are_repeated),
                                       cmocka_unit_test(the_same_are_the_same),
                                       cmocka_unit_test(ranks_that_drift_are_simulated),
                                       cmocka_unit_test(others_come_in_between),
                                       cmocka_unit_test(jobs_one_by_one),
                                       cmocka_unit_test(samples_see_iterations)};
    return cmocka_run_group_tests(tests, scratch_set_up, scratch_tear_down);
}
