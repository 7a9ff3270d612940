/* Interconnects as scenarios: other wirings than everything.yaml has, what results hold, mistakes with their place. */
#include <jansson.h>
#include <math.h>
#include <unistd.h>

#include "diag.h"
#include "jobs/dumpi_writer.h"
#include "skip.h"
#include "weir/run.h"

#define HEAD "weir: 1\nname: i\nduration: 20us\nmodel:\n  interconnect:\n    jobs: [{load: 30%}]\n"

#define JOB "weir: 1\nduration: 20us\nmodel:\n  interconnect:\n    jobs: ["

static json_t *run_text(weir_diag *diag, const char *text)
{
    weir_scenario *scenario = NULL;
    weir_run_options options;
    weir_run_result result;
    weir_run_options_init(&options);
    options.no_output = true;
    expect_ok(diag, weir_scenario_parse(diag, "s.yaml", text, strlen(text), NULL, NULL, 0, &scenario));
    expect_ok(diag, weir_run(diag, scenario, &options, &result));
    json_t *root = json_loads(result.summary_json, 0, NULL);
    assert_non_null(root);
    weir_run_result_free(&result);
    weir_scenario_free(scenario);
    return root;
}

static double figure(const json_t *root, const char *key)
{
    return json_number_value(json_object_get(json_object_get(root, "interconnect"), key));
}

static void wirings_have_their_sizes(void **state)
{
    static const struct {
        const char *text;
        double terminals, routers;
    } cases[] = {{HEAD, 72, 36},
                 {HEAD "    dragonfly: {p: 1, a: 2, h: 1}\n", 6, 6},
                 {HEAD "    tree: {k: 3, levels: 2}\n    routing: adaptive\n", 9, 6},
                 {HEAD "    torus: {size: 3x5, terminals: 2}\n", 30, 15}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        json_t *root = run_text(*state, cases[i].text);
        assert_true(figure(root, "terminals") == cases[i].terminals &&
                    figure(root, "routers") == cases[i].routers);
        assert_true(figure(root, "packets") > 10 && figure(root, "hops_mean") >= 1.0);
        assert_true(figure(root, "throughput_share") > 0.1 && figure(root, "throughput_share") < 0.6);
        json_decref(root);
    }
}

/* 20 ranks that compute for 6,000 s 100 times: 1.2e7 s in all, more than 2^63 ps. */
static void means_of_long_iterations(void **state)
{
    json_t *root =
        run_text(*state, "weir: 1\nduration: 600001s\nmodel:\n  interconnect:\n    jobs: [{ranks: 20, "
                         "iterations: 100, program: [{do: compute, time: 6000s}]}]\n");
    const json_t *job = json_array_get(json_object_get(json_object_get(root, "interconnect"), "jobs"), 0),
                 *program = json_object_get(job, "program"),
                 *compute = json_object_get(json_object_get(program, "actions"), "compute");
    assert_true(json_number_value(json_object_get(program, "iteration_mean_s")) == 6000.0);
    assert_true(json_number_value(json_object_get(compute, "mean_s")) == 6000.0);
    json_decref(root);
}

/* At 1 kb/s a packet of 4 KiB takes 33 s a link and waits for others: 79,000 latencies sum up to 3.7e7 s, four times 2^63 ps. The median
 * comes from bins; with a long tail the mean is between it and the 90th percentile. */
static void means_of_slow_packets(void **state)
{
    json_t *root = run_text(
        *state, "weir: 1\nduration: 40000s\nmodel:\n  interconnect:\n    dragonfly: {}\n    chunk: 4KiB\n"
                "    terminal: {rate: 10kbps}\n    local: {rate: 1kbps}\n    global: {rate: 1kbps}\n"
                "    jobs: [{load: 50%, message: 4KiB, arrivals: periodic}]\n");
    const json_t *latency = json_object_get(json_object_get(root, "interconnect"), "latency");
    const double mean = json_number_value(json_object_get(latency, "mean_s")),
                 p50 = json_number_value(json_object_get(latency, "p50_s")),
                 p90 = json_number_value(json_object_get(latency, "p90_s")),
                 sd = json_number_value(json_object_get(latency, "sd_s"));
    if (!(figure(root, "packets") * mean > 9.3e6 && mean > p50 && mean < p90 && sd > 0.5 * mean && sd < mean))
        fail_msg("mean %g s, p50 %g s, p90 %g s, sd %g s", mean, p50, p90, sd);
    json_decref(root);
}

static void late_jobs_are_told_of(void **state)
{
    weir_diag *diag = weir_diag_new();
    char got[500];
    (void)state;
    json_decref(run_text(diag, JOB "{name: late, start: 20us}]\n"));
    assert_int_equal(weir_diag_count(diag), 1);
    weir_message_format(weir_diag_get(diag, 0), got, sizeof got);
    assert_string_equal(got,
                        "s.yaml:5:12: warning: job 'late' starts when the run is over, so it sends nothing");
    weir_diag_free(diag);
}

static void mistakes_have_their_place(void **state)
{
    static const char *const cases[][2] = {
        {HEAD "    tree: {}\n    torus: {}\n", "want one of dragonfly, tree and torus"},
        {HEAD "    torus: {size: 4xx4}\n", "s.yaml:7:19: error: torus.size is '4xx4'"},
        {HEAD "    tree: {}\n    global: {delay: 1us}\n", "only a dragonfly has such channels"},
        {"weir: 1\nduration: 1us\nmodel: {interconnect: {}}\n", "missing key 'jobs'"},
        {JOB "{pattern: uniform, program: [{do: barrier}]}]\n",
         "s.yaml:5:13: error: pattern does not go together with program"},
        {JOB "{load: 10%, program: [{do: barrier}]}]\n", "load does not go together with program"},
        {JOB "{iterations: 4}]\n", "iterations means nothing here; it is for trace or model or program"},
        {JOB "{program: [{do: exchange}]}]\n", "exchange: with whom? the job has no `grid`"},
        {JOB "{program: [{do: alreduce}]}]\n", "did you mean 'allreduce'"},
        {JOB "{program: [{do: allreduce, algorithm: halving}, {do: alltoall, algorithm: halving}]}]\n",
         "s.yaml:5:86: error: algorithm: halving is for do: allreduce"},
        {JOB "{program: [{time: 1us}]}]\n", "missing key 'do'"},
        {HEAD "    router: {}\n", "unknown key 'router'"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        weir_diag *diag = weir_diag_new();
        weir_scenario *scenario = NULL;
        char text[512];
        int found = 0;
        assert_int_not_equal(
            weir_scenario_parse(diag, "s.yaml", cases[i][0], strlen(cases[i][0]), NULL, NULL, 0, &scenario),
            WEIR_OK);
        for (size_t m = 0; m < weir_diag_count(diag); m++) {
            weir_message_format(weir_diag_get(diag, m), text, sizeof text);
            found |= strstr(text, cases[i][1]) != NULL;
        }
        if (!found) {
            print_messages(diag);
            fail_msg("no message with '%s'", cases[i][1]);
        }
        weir_diag_free(diag);
    }
}

/* What reads well and cannot be built: the key, or the section or job that holds it. */
static void what_cannot_be_built_has_its_place(void **state)
{
    static const char *const cases[][2] = {
        {HEAD "    dragonfly: {p: 2, a: 4, h: 2, groups: 99}\n",
         "s.yaml:7:43: error: interconnect: groups is 99"},
        {HEAD "    dragonfly: {p: 200, a: 200}\n", "s.yaml:7:16: error: interconnect: ports of a router"},
        {HEAD "    torus: {terminals: 2, size: 1x1}\n",
         "s.yaml:7:33: error: interconnect: size of a dimension is 1"},
        {HEAD "    tree: {k: 127, levels: 12}\n", "error: interconnect: number of terminals"},
        {HEAD "    routing: adaptive\n", "s.yaml:7:14: error: interconnect: routing adaptive on a dragonfly"},
        {HEAD "    terminal: {buffer: 64B}\n", "s.yaml:7:15: error: interconnect: terminal buffer of 64"},
        {HEAD "    global: {buffer: 64B}\n", "s.yaml:7:13: error: interconnect: global buffer of 64"},
        {HEAD "    surrogate: {periods: [{from: 5us, until: 8us, track: 1us}, {from: 7us, until: 9us, track: "
              "1us}]}\n",
         "s.yaml:7:64: error: surrogate: period 2 begins"},
        {HEAD "    surrogate: {batches: 5}\n", "s.yaml:7:16: error: surrogate: 5 batches"},
        {HEAD "    credits: 400\n", "interconnect: credits in batches of 400"},
        {HEAD "    packet: 1MiB\n", "s.yaml:7:13: error: interconnect: packets of 1048576"},
        {JOB "{name: a}, {name: b, program: [{do: barrier}]}]\n",
         "s.yaml:5:23: error: interconnect: job 'b' has no rank: other jobs have all terminals"},
        {"weir: 1\nduration: 1us\nmodel: {interconnect: {jobs: [{ranks: 73}]}}\n",
         "s.yaml:3:31: error: interconnect: job 'job' has 73 ranks, but only 72"},
        {"weir: 1\nduration: 1us\nmodel: {interconnect: {jobs: [{ranks: 4}, {name: a, ranks: 2}, {ranks: "
         "2}]}}\n",
         "s.yaml:3:64: error: a second job of the name 'job'; the first is in line 3"},
        {JOB "{ranks: 4, program: [{do: bcast, root: 4}]}]\n",
         "s.yaml:5:12: error: interconnect: job 'job': action 1 names rank 4; it has ranks 0 to 3"},
        {"weir: 1\nduration: 1us\nengine: {type: optimistic, threads: 2, memory: 10B}\nmodel: {interconnect: "
         "{jobs: [{}]}}\n",
         "s.yaml:3:48: error: engine.memory: 10 bytes"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        weir_diag *diag = weir_diag_new();
        weir_scenario *scenario = NULL;
        weir_run_options options;
        weir_run_result result;
        char text[512] = "";
        weir_run_options_init(&options);
        options.no_output = true;
        expect_ok(diag, weir_scenario_parse(diag, "s.yaml", cases[i][0], strlen(cases[i][0]), NULL, NULL, 0,
                                            &scenario));
        assert_int_not_equal(weir_run(diag, scenario, &options, &result), WEIR_OK);
        weir_message_format(weir_diag_get(diag, weir_diag_count(diag) - 1), text, sizeof text);
        if (!strstr(text, cases[i][1]))
            fail_msg("'%s', want '%s'", text, cases[i][1]);
        weir_scenario_free(scenario);
        weir_diag_free(diag);
    }
}

/* A file of the test's own. */
static const char *file_of(const char *name, const char *text)
{
    static char path[200];
    snprintf(path, sizeof path, "/tmp/weir-%d-%s", (int)getpid(), name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    return path;
}

/* Runs one job on a switch of eight terminals of 16 Gb/s, 0.5 ns a byte; its summary, or an error that says `wrong`. */
static json_t *switch_run(weir_diag *diag, const char *job, const char *source, const char *wrong)
{
    char text[5000], why[500] = "";
    weir_scenario *scenario = NULL;
    weir_run_options options;
    weir_run_result result;
    weir_run_options_init(&options);
    options.no_output = true;
    snprintf(text, sizeof text,
             "weir: 1\nduration: 1ms\nmodel: {interconnect: {tree: {k: 8, levels: 1}, jobs: [{%s%s%s}]}}\n",
             job, source ? source : "", source ? "'" : "");
    if (!wrong)
        return run_text(diag, text);
    weir_diag *const own = weir_diag_new();
    if (weir_scenario_parse(own, "s.yaml", text, strlen(text), NULL, NULL, 0, &scenario) == WEIR_OK) {
        assert_int_not_equal(weir_run(own, scenario, &options, &result), WEIR_OK);
        weir_run_result_free(&result);
    }
    weir_message_format(weir_diag_get(own, weir_diag_count(own) - 1), why, sizeof why);
    if (!strstr(why, wrong))
        fail_msg("%s: '%s', want '%s'", job, why, wrong);
    weir_scenario_free(scenario);
    weir_diag_free(own);
    return NULL;
}

static double program_figure(const json_t *root, const char *key)
{
    const json_t *const jobs = json_object_get(json_object_get(root, "interconnect"), "jobs");
    return json_number_value(json_object_get(json_object_get(json_array_get(jobs, 0), "program"), key));
}

/* Of a message of so many chunks of 64 bytes, to the picosecond; see test_trace.c. */
static double message_s(int chunks)
{
    return 284e-9 + 32e-9 * (chunks - 1);
}

/* GOAL: rank 0 computes 1 us, sends 4,000 bytes, computes beside that, and waits for the answer of 100. */
/* Four ranks of an MPI program, as DUMPI has it: 1 us, then an all-reduce of 64 doubles in each of two halves. */
static const char *dumpi_file(void)
{
    static dumpi_writer w;
    char name[40];
    for (int r = 0; r < 4; r++) {
        dw_begin(&w);
        dw_call(&w, CALL_INIT, 0, "4", 0);
        dw_call(&w, CALL_COMM_SPLIT, 0, "2442", WORLD, r % 2, 0, 4);
        dw_call(&w, CALL_ALLREDUCE, 1000, "4212", 64, T_DOUBLE, 3, 4);
        dw_end(&w, 0x010000);
        snprintf(name, sizeof name, "t-%04d.bin", r);
        FILE *f = fopen(file_of(name, ""), "wb");
        assert_true(f && fwrite(w.bytes, w.n, 1, f) == 1 && fclose(f) == 0);
    }
    snprintf(name, sizeof name, "numprocs=4\nfileprefix=weir-%d-t\n", (int)getpid());
    return file_of("t.meta", name);
}

static void jobs_come_from_every_trace(void **state)
{
    static const char goal[] =
        "num_ranks 2\nrank 0 {\na: calc 1000\nb: send 4000b to 1 tag 7\nb requires a\nc: calc "
        "500\nc irequires b\nd: recv 100b from 1\nd requires c\n}\nrank 1 {\nr: recv 4000b from 0 "
        "tag 7\ns: send 100b to 0\ns requires r\n}\n";
    json_t *root = switch_run(*state, "trace: '", file_of("a.goal", goal), NULL);
    const double rank_0 = 1e-6 + message_s(63) + message_s(2), rank_1 = 1e-6 + message_s(63) + 2 * 32e-9;
    assert_true(program_figure(root, "ranks_ended") == 2);
    assert_true(fabs(program_figure(root, "iteration_mean_s") - (rank_0 + rank_1) / 2) < 1e-14);
    json_decref(root);
    /* Two ranks that share each layer's matrices, and a stage behind them: all in a row. */
    root = switch_run(*state,
                      "model: {layers: 2, hidden: 64, heads: 4, sequence: 32, vocabulary: 100, tensor: 4}, "
                      "flops: 1e12, placement: round_robin",
                      NULL, NULL);
    assert_true(program_figure(root, "ranks_ended") == 4);
    json_decref(root);
    /* A collective of some ranks is its steps: of two ranks one exchange of 512 B. */
    root = switch_run(*state, "trace: '", dumpi_file(), NULL);
    assert_true(program_figure(root, "ranks_ended") == 4);
    assert_true(fabs(program_figure(root, "iteration_mean_s") - (1e-6 + message_s(8))) < 1e-14);
    json_decref(root);
    /* What goes on beside each other: 10 ns on two processors at once, and 20 on one. */
    root = switch_run(*state, "trace: '",
                      file_of("b.goal", "num_ranks 2\nrank 0 {\ncalc 10\ncalc 10 cpu 1\n}\nrank 1 {\ncalc "
                                        "10\ncalc 10\n}\n"),
                      NULL);
    assert_true(program_figure(root, "ranks_ended") == 2);
    assert_true(fabs(program_figure(root, "iteration_mean_s") - 15e-9) < 1e-14);
    assert_true(fabs(program_figure(root, "compute_mean_s") - 20e-9) < 1e-14);
    assert_true(program_figure(root, "waited_max_s") == 0.0);
    assert_true(fabs(program_figure(root, "critical_s") - 10e-9) < 1e-14);
    json_decref(root);
    /* Operations in any order. */
    root = switch_run(*state, "trace: '",
                      file_of("c.goal",
                              "num_ranks 2\nrank 0 {\na: send 10b to 1\na requires b\nb: calc 100\n}\nrank 1 "
                              "{\nrecv 10b from 0\n}\n"),
                      NULL);
    assert_true(fabs(program_figure(root, "iteration_mean_s") -
                     (100e-9 + 32e-9 + 100e-9 + message_s(1)) / 2) < 1e-14);
    json_decref(root);
    /* A rank without operations ends its iterations as it begins, and waits for nothing. */
    root =
        switch_run(*state, "start: 5us, iterations: 3, trace: '",
                   file_of("d.goal", "num_ranks 3\nrank 0 {\ncalc 10\n}\nrank 1 {\n}\nrank 2 {\n}\n"), NULL);
    assert_true(program_figure(root, "ranks_ended") == 3);
    assert_true(program_figure(root, "waited_max_s") == 0.0);
    assert_true(fabs(program_figure(root, "end_s") - 5.03e-6) < 1e-14);
    json_decref(root);
    /* Ranks that end at `stop` have ended: 3 of 5 iterations. */
    root = switch_run(*state, "stop: 25us, iterations: 5, trace: '",
                      file_of("e.goal", "num_ranks 2\nrank 0 {\ncalc 10000\n}\nrank 1 {\ncalc 10000\n}\n"),
                      NULL);
    assert_true(program_figure(root, "ranks_ended") == 2);
    assert_true(fabs(program_figure(root, "end_s") - 30e-6) < 1e-14);
    assert_true(fabs(program_figure(root, "compute_mean_s") - 30e-6) < 1e-14);
    assert_true(program_figure(root, "waited_max_s") == 0.0);
    json_decref(root);
    /* Replicas add their gradients while they compute the next layer's. */
    root = switch_run(
        *state,
        "model: {layers: 2, hidden: 64, heads: 2, sequence: 32, vocabulary: 100, tensor: 2, data: 2}, "
        "flops: 1e12",
        NULL, NULL);
    assert_true(program_figure(root, "ranks_ended") == 4);
    json_decref(root);
    /* A ring of sends of 128 KiB, each before its rank receives: MPI's would wait for ever, these do not. */
    char ring[4200];
    snprintf(ring, sizeof ring,
             "%s/astra-sim/examples/system/custom_collectives/custom_ring_allreduce_8npus_1MB/%s",
             data_path("peers"), "custom_allreduce.0.et");
    if (access(ring, R_OK) == 0) {
        root = switch_run(*state, "trace: '", ring, NULL);
        assert_true(program_figure(root, "ranks_ended") == 8);
        json_decref(root);
        switch_run(*state, "eager: 16KiB, trace: '", ring, "rank 7 waits in 'wait' for rank 0 to receive");
    }
    switch_run(*state, "actions: true, program: [{do: barrier}]", NULL, "actions means nothing here");
    switch_run(*state, "ranks: 5, trace: '", file_of("a.goal", goal),
               "ranks is 5, and the trace has 2; leave `ranks` out");
}

/* Lists of flows, by commas or blanks, on terminals that are named. */
static void messages_come_from_lists_of_flows(void **state)
{
    json_t *root = switch_run(*state, "terminals: [5, 2, 7], messages: '",
                              file_of("m.txt", "# a plan\n1e-6 0 2 100\n\n2us,2,0,10kB\n0 1 2 64\n"), NULL);
    assert_true(figure(root, "packets") == 1 + 3 + 1);
    json_decref(root);
    root = switch_run(*state, "messages: '",
                      file_of("m.cm", "Nodes 8\nConnections 1\n3->4 start 0 size 100\n"), NULL);
    assert_true(figure(root, "packets") == 1);
    json_decref(root);
    /* Times count from `start`: the second of the two would be due 10 us after the end, of which is warned. */
    root =
        switch_run(*state, "start: 500us, messages: '", file_of("m.txt", "0 0 1 64\n510us 0 1 64\n"), NULL);
    assert_true(figure(root, "packets") == 1);
    json_decref(root);
    expect_message(*state, "1 of 2 messages of ");
    switch_run(*state, "stop: 10us, messages: '", file_of("m.txt", "0 0 1 64\n"),
               "stop does not go together with messages");
    static const char *const wrong[][2] = {
        {"0 1 2 3\nx 1 2 3\n", "txt:2:1: error: time: "},
        {"0 a 2 3\n", "txt:1:1: error: 'a' is no rank"},
        {"0 1 2 0\n", "a flow of 0; want 1 B"},
        {"0 1 2 2GB\n", "txt:1:1: error: want a time from 0 on and 1 byte to 1 GiB"},
        {"0 1 2\n", "3 fields; want TIME"},
        {"0 1 2 3 4 5\n", "6 fields; want TIME"},
        {"0 1 2 3 late\n", "no classes of a list of flows"},
        {"0 1 9 3\n", "has 10 ranks, but only 8 terminals are free"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        switch_run(*state, "messages: '", file_of("w.txt", wrong[i][0]), wrong[i][1]);
    switch_run(*state, "terminals: [1, x]", NULL, "terminal 'x'; want a whole number");
    switch_run(*state, "terminals: [1, 8]", NULL, "wants terminal 8, which there is not");
    switch_run(*state, "terminals: [1, 2], ranks: 3", NULL, "has 3 ranks, but only 2 terminals");
    switch_run(*state, "terminals: [1, 2], placement: round_robin", NULL, "terminals means nothing here");
}

/*
 * 64 B at 100 Gbps are 5.12 ns. Credits of 16 KiB come in eights, after 2 us of wire, 200 ns of routers, a chunk's arrival
 * and eight that leave: 256 chunks in 2,246.08 ns are 58.4 %. Those of a burst of 64 come when all have left: in 2,532.8 ns
 * 51.7 %. The other end's 64 KiB are no limit. What is carried is held against it, but for the way there.
 */
static void short_buffers_are_warned_of(void **state)
{
    static const struct {
        const char *buffer, *said; /* null: nothing */
        int burst;
        double share; /* that is carried */
    } cases[] = {{"16KiB", "at most 58.4 % of the global rate", 1, 0.584},
                 {"16KiB", "at most 51.7 % of the global rate", 64, 0.518},
                 {"28608B", NULL, 1, 1.0},
                 {"28608B", "at most 90.4 % of the global rate", 64, 0.904},
                 {"31680B", NULL, 64, 1.0},
                 {"28352B", "one of 28608 bytes", 1, 1.0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[400];
        weir_diag *diag = weir_diag_new();
        snprintf(
            text, sizeof text,
            "weir: 1\nduration: 300us\nmodel:\n  interconnect:\n    dragonfly: {p: 1, a: 1, h: 1}\n"
            "    terminal: {rate: 100Gbps, buffer: 64KiB}\n    global: {rate: 100Gbps, delay: 1us, buffer: "
            "%s}\n    burst: %d\n    jobs: [{pattern: neighbour, message: 64KiB, arrivals: periodic, load: "
            "100%%}]\n",
            cases[i].buffer, cases[i].burst);
        json_t *root = run_text(diag, text);
        assert_true(fabs(figure(root, "throughput_share") / cases[i].share - 1.0) < 0.03);
        json_decref(root);
        assert_int_equal(weir_diag_count(diag), cases[i].said ? 1 : 0);
        if (cases[i].said)
            expect_message(diag, cases[i].said);
        weir_diag_free(diag);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(means_of_long_iterations),   cmocka_unit_test(means_of_slow_packets),
        cmocka_unit_test(late_jobs_are_told_of),      cmocka_unit_test(wirings_have_their_sizes),
        cmocka_unit_test(mistakes_have_their_place),  cmocka_unit_test(what_cannot_be_built_has_its_place),
        cmocka_unit_test(jobs_come_from_every_trace), cmocka_unit_test(messages_come_from_lists_of_flows),
        cmocka_unit_test(short_buffers_are_warned_of)};
    return cmocka_run_group_tests(tests, diag_set_up, diag_tear_down);
}
