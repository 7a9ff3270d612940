/*
 * label: threads
 *
 * Studies from start to end: each run has the digests of that run alone, whoever runs what when; parameters are
 * crossed, paired, derived and constrained as written; a study that is stopped, cut off or extended ends in the same
 * tables, byte for byte.
 */
#include "study/small.h"

#include <math.h>

#include "weir/engine.h"
#include "weir/run.h"
#include "weir/scenario.h"

#define RUNS(dir) dir "/runs.csv"

/* Lines of a table; row `at` (0: the header) is copied. */
static int lines_of(const char *path, int at, char *line, size_t size)
{
    char *text = read_text(path);
    int n = 0;
    assert_non_null(text);
    for (char *from = text, *to; (to = strchr(from, '\n')); from = to + 1, n++)
        if (n == at)
            snprintf(line, size, "%.*s", (int)(to - from), from);
    free(text);
    return n;
}

static void assert_same_file(const char *a, const char *b)
{
    char *x = read_text(a), *y = read_text(b);
    assert_non_null(x);
    assert_non_null(y);
    size_t at = 0, line = 0;
    while (x[at] && x[at] == y[at])
        at++;
    for (size_t k = 0; k < at; k++)
        line = x[k] == '\n' ? k + 1 : line;
    if (x[at] != y[at])
        fail_msg("%s and %s differ:\n%.400s\n%.400s", a, b, x + line, y + line);
    free(x);
    free(y);
}

static void assert_same_tables(const char *a, const char *b)
{
    static const char *const tables[] = {"runs.csv", "aggregate.csv"};
    for (size_t i = 0; i < 2; i++) {
        char x[300], y[300];
        snprintf(x, sizeof x, "%s/%s", a, tables[i]);
        snprintf(y, sizeof y, "%s/%s", b, tables[i]);
        assert_same_file(x, y);
    }
}

static const char *const crossed[] = {
    "study.replications=3",
    "study.vary=[{path: topology.queue.limit, values: [10kB..30kB step 10kB]}, {path: "
    "traffic.bulk.tcp.sessions, name: flows, values: [1, 4]}]",
    "study.metrics=[classes.bulk.goodput_bps, drops=sum(ports.dropped_limit), "
    "p90(flows.goodput_bps where class = bulk)]",
    NULL};

/* The cell of a line of a table, by its column's number. */
static const char *cell(const char *line, int at, char *out)
{
    while (at-- > 0)
        line = strchr(line, ',') + 1;
    sprintf(out, "%.*s", (int)strcspn(line, ","), line);
    return out;
}

static void runs_are_those_alone(void **state)
{
    weir_diag *diag = weir_diag_new();
    const weir_study_options o = into("alone", 2);
    char line[1000], text[100], digest[40];
    (void)state;
    write_file("s.yaml", NETWORK);
    expect_ok(diag, run_into(diag, "s.yaml", crossed, &o, NULL));
    assert_int_equal(lines_of(RUNS("alone"), 1, line, sizeof line), 1 + 3 * 2 * 3);
    for (int row = 1; row < 19; row += 4) {
        char limit[200], sessions[200], run[200];
        lines_of(RUNS("alone"), row, line, sizeof line);
        snprintf(limit, sizeof limit, "topology.queue.limit=%s", cell(line, 2, text));
        snprintf(sessions, sizeof sessions, "traffic.bulk.tcp.sessions=%s", cell(line, 3, text));
        snprintf(run, sizeof run, "run=%s", cell(line, 5, text));
        const char *const sets[] = {limit, sessions, run};
        weir_scenario *scenario = NULL;
        weir_run_result result;
        weir_run_options options;
        weir_run_options_init(&options);
        options.no_output = true;
        expect_ok(diag, weir_scenario_load(diag, "s.yaml", sets, 3, &scenario));
        expect_ok(diag, weir_run(diag, scenario, &options, &result));
        snprintf(digest, sizeof digest, "0x%016llx", (unsigned long long)result.event_digest);
        assert_string_equal(cell(line, 8, text), digest);
        snprintf(digest, sizeof digest, "0x%016llx", (unsigned long long)result.state_digest);
        assert_string_equal(cell(line, 9, text), digest);
        weir_run_result_free(&result);
        weir_scenario_free(scenario);
    }
    weir_diag_free(diag);
}

/* What all runs are warned of is said once, with its place; what only some are, too. */
static void warnings_are_said_once(void **state)
{
    static const char *const controls[] = {
        "study.vary.+={path: traffic.bulk.tcp.congestion, values: [cubic, dctcp, prague]}",
        "study.replications=4", NULL};
    (void)state;
    write_file("w.yaml", NETWORK);
    for (uint32_t jobs = 1; jobs <= 3; jobs += 2) {
        char folder[20];
        weir_diag *diag = weir_diag_new();
        snprintf(folder, sizeof folder, "warned%u", jobs);
        const weir_study_options o = into(folder, jobs);
        expect_ok(diag, run_into(diag, "w.yaml", controls, &o, NULL));
        assert_int_equal(weir_diag_count(diag), 2); /* twelve runs, four of which have no reason */
        for (size_t i = 0; i < 2; i++) {
            const weir_message *m = weir_diag_get(diag, i);
            assert_int_equal(m->severity, WEIR_WARNING);
            assert_int_equal(m->line, 6);
            assert_non_null(strstr(m->text, "no queue here marks"));
        }
        weir_diag_free(diag);
    }
}

/* A run's error names the line of the file that the user wrote, whatever stands before it. */
static void errors_have_the_files_places(void **state)
{
    weir_diag *diag = weir_diag_new();
    const weir_study_options o = into("places", 1), all = into("refused", 1);
    weir_study_result result = {0};
    char line[1000];
    (void)state;
    write_file("e.yaml", "study: {vary: [{path: traffic.a.to, values: [r7, r1]}]}\n"
                         "weir: 1\nduration: 10ms\ntopology: {generate: {model: dumbbell, left: 2}}\n"
                         "traffic:\n  - {name: a, from: l0,\n     to: r7, tcp: {}}\n");
    expect_ok(diag, run_into(diag, "e.yaml", NULL, &o, &result));
    assert_int_equal(result.failed, 1);
    lines_of(RUNS("places"), 1, line, sizeof line);
    assert_non_null(strstr(line, "error: no node 'r7'"));
    weir_study_result_free(&result);
    write_file("e.yaml", "study: {vary: [{path: traffic.a.tcp.sessions, name: flows, values: [1, 2]}]}\n"
                         "weir: 1\nduration: 10ms\ntopology: {generate: {model: dumbbell, left: 2}}\n"
                         "traffic:\n  - {name: a, from: l0,\n     to: r7, tcp: {}}\n");
    assert_int_equal(run_into(diag, "e.yaml", NULL, &all, NULL), WEIR_E_SCENARIO);
    const weir_message *const last = weir_diag_get(diag, weir_diag_count(diag) - 1);
    assert_non_null(strstr(last->text, "no node 'r7'"));
    assert_non_null(strstr(last->file, "e.yaml"));
    assert_true(last->line == 7 && last->column == 10);
    weir_diag_free(diag);
}

static void threads_and_order_change_nothing(void **state)
{
    weir_diag *diag = weir_diag_new();
    (void)state;
    write_file("s.yaml", NETWORK);
    for (uint32_t jobs = 1; jobs <= 5; jobs += 2) {
        char dir[32];
        snprintf(dir, sizeof dir, "jobs%u", jobs);
        const weir_study_options o = into(dir, jobs);
        expect_ok(diag, run_into(diag, "s.yaml", crossed, &o, NULL));
        assert_same_tables("jobs1", dir);
    }
    weir_diag_free(diag);
}

/* Expected rows of "point values ..." of a study that varies keys of PHOLD. */
static void assert_points(const char *const *sets, const char *const *want, int n)
{
    static int turn;
    char dir[32], path[64], line[1000];
    weir_diag *diag = weir_diag_new();
    snprintf(dir, sizeof dir, "points%d", turn++);
    snprintf(path, sizeof path, "%s/runs.csv", dir);
    const weir_study_options o = into(dir, 2);
    write_file("p.yaml", PHOLD);
    expect_ok(diag, run_into(diag, "p.yaml", sets, &o, NULL));
    assert_int_equal(lines_of(path, 1, line, sizeof line), 1 + n);
    for (int i = 0; i < n; i++) {
        lines_of(path, i + 1, line, sizeof line);
        if (strncmp(line, want[i], strlen(want[i])) != 0)
            fail_msg("row %d is %s, want %s", i, line, want[i]);
    }
    weir_diag_free(diag);
}

#define ENTITIES "{path: model.phold.entities, name: e, values: [16, 32]}"

static void plans(void **state)
{
    (void)state;
    static const char *const cross[] = {
        "study.vary=[" ENTITIES ", {path: model.phold.events, values: [1..3]}]", NULL};
    static const char *const cross_rows[] = {"0,0,16,1,", "1,0,16,2,", "2,0,16,3,",
                                             "3,0,32,1,", "4,0,32,2,", "5,0,32,3,"};
    assert_points(cross, cross_rows, 6);
    static const char *const step[] = {
        "study.vary=[" ENTITIES ", {path: model.phold.events, name: v, values: [1, 2], with: e}]", NULL};
    static const char *const step_rows[] = {"0,0,16,1,", "1,0,32,2,"};
    assert_points(step, step_rows, 2);
    static const char *const follows[] = {
        "study.vary=[" ENTITIES
        ", {name: f, values: [1, 2]}, {path: model.phold.events, name: v, is: e / 16 * f}, "
        "{path: model.phold.mean, name: m, is: v * 30ns}]",
        NULL};
    static const char *const follows_rows[] = {"0,0,16,1,1,30ns,", "1,0,16,2,2,60ns,", "2,0,32,1,2,60ns,",
                                               "3,0,32,2,4,120ns,"};
    assert_points(follows, follows_rows, 4);
    static const char *const limited[] = {"study.vary=[" ENTITIES
                                          ", {path: model.phold.events, name: v, values: [1..3]}]",
                                          "study.constraints=[e * v <= 48, v != 2]", NULL};
    static const char *const limited_rows[] = {"0,0,16,1,", "1,0,16,3,", "2,0,32,1,"};
    assert_points(limited, limited_rows, 3);
    static const char *const none[] = {"study.replications=2", NULL};
    static const char *const none_rows[] = {"0,0,1,0,ok,", "0,1,1,1,ok,"};
    assert_points(none, none_rows, 2);
}

/* A journal that ends anywhere, in the middle of a line too, is gone on from. */
static void cut_anywhere(void **state)
{
    weir_diag *diag = weir_diag_new();
    const weir_study_options whole = into("whole", 2), cut = into("cut", 2);
    (void)state;
    write_file("s.yaml", NETWORK);
    expect_ok(diag, run_into(diag, "s.yaml", crossed, &whole, NULL));
    expect_ok(diag, run_into(diag, "s.yaml", crossed, &cut, NULL));
    char *journal = read_text("whole/journal.jsonl");
    const size_t size = strlen(journal);
    for (size_t end = 0; end <= size; end += size / 7 + 1) {
        weir_study_result result;
        FILE *f = fopen("cut/journal.jsonl", "w");
        fwrite(journal, 1, end, f);
        fclose(f);
        remove("cut/aggregate.csv");
        write_file("cut/runs.csv.unfinished", "half a ta");
        expect_ok(diag, run_into(diag, "cut", NULL, &cut, &result)); /* by its folder */
        assert_int_equal(result.runs, 18);
        assert_int_equal(result.missing, 0);
        weir_study_result_free(&result);
        assert_same_tables("whole", "cut");
    }
    free(journal);
    weir_diag_free(diag);
}

__attribute__((unused)) static void stops_when_told(void *user, const weir_study_progress *p)
{
    (void)p;
    *(volatile int *)user = 1;
}

static void stopped_and_gone_on(void **state)
{
    weir_diag *diag = weir_diag_new();
    weir_study_options whole = into("stop-whole", 2), part = into("stop-part", 2);
    volatile int stop = 1;
    weir_study_result result;
    (void)state;
    write_file("s.yaml", NETWORK);
    expect_ok(diag, run_into(diag, "s.yaml", crossed, &whole, NULL));
    part.stop = &stop;
    assert_int_equal(run_into(diag, "s.yaml", crossed, &part, &result), WEIR_E_INTERRUPTED);
    assert_int_equal(result.missing, 18);
    weir_study_result_free(&result);
    stop = 0;
#ifndef __SANITIZE_THREAD__ /* the word is for signal handlers: whoever sets it in a thread races by intent */
    part.progress = stops_when_told;
#endif
    part.user = (void *)(uintptr_t)&stop;
    (void)!run_into(diag, "s.yaml", crossed, &part, &result); /* told at 0.2 s, or never on a quick machine */
    weir_study_result_free(&result);
    stop = 0;
    part.progress = NULL;
    expect_ok(diag, run_into(diag, "s.yaml", crossed, &part, &result));
    assert_int_equal(result.runs, 18);
    weir_study_result_free(&result);
    assert_same_tables("stop-whole", "stop-part");
    weir_diag_free(diag);
}

/* More replications and more values keep what is finished. */
static void extended(void **state)
{
    static const char *const less[] = {"study.replications=2",
                                       "study.vary=[{path: model.phold.events, values: [1, 2]}]", NULL};
    static const char *const more[] = {"study.replications=4",
                                       "study.vary=[{path: model.phold.events, values: [1..3]}]", NULL};
    weir_diag *diag = weir_diag_new();
    const weir_study_options grown = into("grown", 2), anew = into("anew", 2);
    weir_study_result result;
    (void)state;
    write_file("p.yaml", PHOLD);
    expect_ok(diag, run_into(diag, "p.yaml", less, &grown, NULL));
    expect_ok(diag, run_into(diag, "p.yaml", more, &grown, &result));
    assert_int_equal(result.runs, 12);
    assert_int_equal(result.reused, 4);
    weir_study_result_free(&result);
    expect_ok(diag, run_into(diag, "p.yaml", more, &anew, NULL));
    assert_same_tables("grown", "anew");
    weir_diag_free(diag);
}

/* The half-width of a run's own interval is of a confidence: at another one the run is made again. At the first the rows of
 * before count. Of 20 batches t(19) is 2.093024 at 95 % and 1.729133 at 90 %: 1.210447 times as wide. */
static void half_widths_have_a_confidence(void **state)
{
    static const char *const at[2][4] = {{"study.metrics=['h = halfwidth(series.queues.wait_s)']",
                                          "study.replications=2", "study.confidence=95%", NULL},
                                         {"study.metrics=['h = halfwidth(series.queues.wait_s)']",
                                          "study.replications=2", "study.confidence=90%", NULL}};
    static const uint32_t reused[] = {0, 0, 2};
    weir_diag *diag = weir_diag_new();
    const weir_study_options o = into("half", 1);
    double mean[3];
    (void)state;
    write_file("q.yaml", "weir: 1\nname: q\nduration: 1s\noutput: {interval: 5ms}\n"
                         "model: {mgk: {queues: 1, servers: 1, load: 50%, service: 1ms}}\n");
    for (int i = 0; i < 3; i++) {
        weir_study_result result;
        char line[500], text[100];
        expect_ok(diag, run_into(diag, "q.yaml", at[i % 2], &o, &result));
        assert_int_equal(result.reused, reused[i]);
        weir_study_result_free(&result);
        lines_of("half/aggregate.csv", 1, line, sizeof line);
        mean[i] = atof(cell(line, 4, text));
    }
    assert_true(mean[0] > 0.0 && mean[0] == mean[2]);
    if (!(fabs(mean[0] / mean[1] - 1.210447) < 1e-6))
        fail_msg("%g at 95 %%, %g at 90 %%", mean[0], mean[1]);
    weir_diag_free(diag);
}

/* Replications are added until the interval is as narrow as asked for, to the same number by any road. */
static void until_precision(void **state)
{
    static const char *const sets[] = {"study.replications=3", "study.until-precision=4%",
                                       "study.vary=[{path: model.phold.events, values: [1, 2]}]", NULL};
    weir_diag *diag = weir_diag_new();
    const weir_study_options one = into("precise1", 1), three = into("precise3", 3);
    char line[500], text[100];
    (void)state;
    write_file("p.yaml", PHOLD);
    expect_ok(diag, run_into(diag, "p.yaml", sets, &one, NULL));
    expect_ok(diag, run_into(diag, "p.yaml", sets, &three, NULL));
    assert_same_tables("precise1", "precise3");
    char *journal = read_text("precise1/journal.jsonl");
    write_file("precise3/journal.jsonl", "");
    FILE *f = fopen("precise3/journal.jsonl", "w");
    fwrite(journal, 1, strlen(journal) * 2 / 3, f);
    fclose(f);
    free(journal);
    expect_ok(diag, run_into(diag, "p.yaml", sets, &three, NULL));
    assert_same_tables("precise1", "precise3");
    for (int row = 1; row <= 2; row++) {
        lines_of("precise1/aggregate.csv", row, line, sizeof line);
        const double n = atof(cell(line, 3, text)), mean = atof(cell(line, 5, text)),
                     low = atof(cell(line, 7, text));
        assert_true(n >= 3 && (mean - low) / mean <= 0.04);
    }
    weir_diag_free(diag);
}

/* What an earlier plan of the folder, or a shard of it, has run beyond what precision asks for is in no table. */
static void precision_has_no_history(void **state)
{
    static const char *const plan[] = {"study.vary=[{path: model.phold.events, name: e, values: [1, 2]}]",
                                       "study.baseline=[e=1]", "study.replications=3",
                                       "study.until-precision=4%", NULL};
    static const char *const earlier[] = {"study.vary=[{path: model.phold.events, name: e, values: [1, 2]}]",
                                          "study.replications=100", NULL};
    static const char *const tables[] = {"runs.csv", "aggregate.csv", "differences.csv", "effects.csv"};
    static const char *const folders[] = {"long", "shard", "both"}, *const parts[] = {"long", "shard"};
    weir_diag *diag = weir_diag_new();
    const weir_study_options fresh = into("fresh", 1), whole = into("long", 1), both = into("both", 1);
    weir_study_options part = into("shard", 1);
    weir_study_result result;
    (void)state;
    write_file("p.yaml", PHOLD);
    expect_ok(diag, run_into(diag, "p.yaml", plan, &fresh, NULL));
    expect_ok(diag, run_into(diag, "p.yaml", earlier, &whole, NULL));
    part.shard = 1;
    part.shards = 2;
    expect_ok(diag, run_into(diag, "p.yaml", earlier, &part, NULL));
    part.shards = 0;
    expect_ok(diag, run_into(diag, "p.yaml", plan, &part, NULL));
    expect_ok(diag, run_into(diag, "p.yaml", plan, &whole, NULL));
    assert_int_equal(weir_study_collect(NULL, parts, 2, NULL, &result), WEIR_E_ARG); /* where to? */
    expect_ok(diag, weir_study_collect(diag, parts, 2, &both, &result));
    assert_int_equal(result.missing, 0);
    assert_true(result.runs < 200);
    weir_study_result_free(&result);
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 4; k++) {
            char a[60], b[60];
            snprintf(a, sizeof a, "fresh/%s", tables[k]);
            snprintf(b, sizeof b, "%s/%s", folders[i], tables[k]);
            assert_same_file(a, b);
        }
    weir_diag_free(diag);
}

/* Where max-replications are too few, it is said. */
static void precision_is_missed_aloud(void **state)
{
    static const char *const sets[] = {"study.replications=3",
                                       "study.until-precision=0.1%",
                                       "study.max-replications=8",
                                       "study.metrics=[events, classes.bulk.timeouts]",
                                       "study.vary=[{path: traffic.noise.udp.rate, values: [1Mbps, 2Mbps]}]",
                                       NULL};
    weir_diag *diag = weir_diag_new();
    const weir_study_options o = into("wide", 2);
    (void)state;
    write_file("s.yaml", NETWORK);
    expect_ok(diag, run_into(diag, "s.yaml", sets, &o, NULL));
    expect_message(diag, "until-precision: 2 of 2 parameter sets have wider intervals than asked for after "
                         "max-replications, 8; the first of them of 'events'");
    weir_diag_free(diag);
}

/* A run that fails is named, the rest goes on, and it is tried again. */
static void failures_are_named(void **state)
{
    static const char *const sets[] = {"study.vary=[{path: traffic.bulk.to, values: [r0, nobody, r1]}]",
                                       NULL};
    weir_diag *diag = weir_diag_new();
    const weir_study_options o = into("failing", 2);
    weir_study_result result;
    char line[1000];
    (void)state;
    write_file("s.yaml", NETWORK);
    expect_ok(diag, run_into(diag, "s.yaml", sets, &o, &result));
    assert_int_equal(result.failed, 1);
    assert_int_equal(result.runs, 3);
    assert_int_equal(result.missing, 0);
    expect_message(diag, "point 1, replication 0 failed: ");
    expect_message(diag, "no node 'nobody'");
    weir_study_result_free(&result);
    lines_of(RUNS("failing"), 2, line, sizeof line);
    assert_non_null(strstr(line, ",failed,"));
    assert_non_null(strstr(line, "nobody"));
    expect_ok(diag, run_into(diag, "s.yaml", sets, &o, &result));
    assert_int_equal(result.reused, 2);
    weir_study_result_free(&result);
    weir_diag_free(diag);
}

/* Without a device: asked for it is an error that says so, `auto` takes the cores and leaves a note. */
static void devices(void **state)
{
    static const struct {
        const char *device, *executor;
        weir_status status;
        const char *says;
    } cases[] = {
        {"cpu", "study.executor=resident", WEIR_OK, ""},
        {"auto", NULL, WEIR_OK, "device: auto takes the cores: "},
        {NULL, "study.executor=auto", WEIR_OK, "device: auto takes the cores: "},
        {"cuda", NULL, WEIR_E_UNSUPPORTED, "a study on CUDA device 0: "},
        {"cuda:7", "study.executor=staged", WEIR_E_UNSUPPORTED, "a study on CUDA device 7: "},
        {NULL, "study.executor=staged", WEIR_E_UNSUPPORTED, "use --device cpu"},
        {"gpu", NULL, WEIR_E_ARG, "--device wants auto, cpu or cuda[:N], not 'gpu'"},
        {"cuda:", NULL, WEIR_E_ARG, "not 'cuda:'"},
        {"cuda:-1", NULL, WEIR_E_ARG, "not 'cuda:-1'"},
        {"cuda:1x", NULL, WEIR_E_ARG, "not 'cuda:1x'"},
    };
    char text[300];
    (void)state;
    if (weir_gpu_describe(0, text, sizeof text))
        return; /* gpu_study.cu has the rest */
    write_file("p.yaml", PHOLD);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_diag *diag = weir_diag_new();
        const char *sets[] = {"study.replications=2", cases[i].executor, NULL};
        char dir[32], all[2000] = "";
        snprintf(dir, sizeof dir, "device%zu", i);
        weir_study_options o = into(dir, 1);
        o.device = cases[i].device;
        const weir_status status = run_into(diag, "p.yaml", sets, &o, NULL);
        for (size_t k = 0; k < weir_diag_count(diag); k++)
            strncat(all, weir_diag_get(diag, k)->text, sizeof all - strlen(all) - 1);
        if (status != cases[i].status || !strstr(all, cases[i].says))
            fail_msg("case %zu: %s '%s'", i, weir_status_name(status), all);
        assert_int_equal(access(dir, F_OK) == 0, status == WEIR_OK);
        weir_diag_free(diag);
    }
}

static void folders_are_guarded(void **state)
{
    static const struct {
        const char *dir, *set, *message;
    } cases[] = {
        {"guard-new", "study.metrics=[classes.blk.goodput_bps]", "did you mean 'bulk'"},
        {"guard-new2", "study.metrics=['mean(flows.goodput_bp)']", "did you mean 'goodput_bps'"},
        {"guard-new3", "study.metrics=['mean(flow.goodput_bps)']", "runs write no table 'flow'"},
        {"guard-new4", "study.metrics=['mean(series.ports.queue)']", "no table of series 'ports'"},
        {"guard-other", "seed=1", "is no folder of a study"},
        {"guard-study", "traffic.bulk.tcp.sessions=7", "these keys differ: traffic.bulk.tcp.sessions"},
    };
    weir_diag *diag = weir_diag_new();
    const weir_study_options first = into("guard-study", 1);
    (void)state;
    write_file("s.yaml", NETWORK);
    expect_ok(diag, run_into(diag, "s.yaml", NULL, &first, NULL));
    weir_diag_free(diag);
    assert_int_equal(mkdir("guard-other", 0777), 0);
    write_file("guard-other/mine.txt", "keep");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const sets[] = {cases[i].set, NULL};
        const weir_study_options o = into(cases[i].dir, 1);
        diag = weir_diag_new();
        bool found = false;
        if (run_into(diag, "s.yaml", sets, &o, NULL) == WEIR_OK)
            fail_msg("%s is taken", cases[i].set);
        for (size_t k = 0; k < weir_diag_count(diag); k++)
            found = found || strstr(weir_diag_get(diag, k)->text, cases[i].message);
        if (!found) {
            print_messages(diag);
            fail_msg("%s: no message holds '%s'", cases[i].set, cases[i].message);
        }
        weir_diag_free(diag);
    }
    assert_true(exists("guard-other/mine.txt"));
    /* --force begins anew, and keeps what is not weir's */
    static const char *const changed[] = {"traffic.bulk.tcp.sessions=7", NULL};
    weir_study_options force = first;
    weir_study_result result;
    force.force = true;
    write_file("guard-study/notes.txt", "mine");
    diag = weir_diag_new();
    expect_ok(diag, run_into(diag, "s.yaml", changed, &force, &result));
    assert_int_equal(result.reused, 0);
    weir_study_result_free(&result);
    assert_true(exists("guard-study/notes.txt"));
    weir_diag_free(diag);
}

/* Parts that are run apart hold each run once. */
static void shards_are_parts(void **state)
{
    weir_diag *diag = weir_diag_new();
    uint64_t runs = 0;
    (void)state;
    write_file("s.yaml", NETWORK);
    for (uint32_t i = 1; i <= 4; i++) {
        char dir[32];
        weir_study_result result;
        snprintf(dir, sizeof dir, "shard%u", i);
        weir_study_options o = into(dir, 2);
        o.shard = i;
        o.shards = 4;
        expect_ok(diag, run_into(diag, "s.yaml", crossed, &o, &result));
        assert_in_range(result.runs, 4, 5);
        runs += result.runs;
        weir_study_result_free(&result);
    }
    assert_int_equal(runs, 18);
    weir_diag_free(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(runs_are_those_alone),
                                       cmocka_unit_test(warnings_are_said_once),
                                       cmocka_unit_test(errors_have_the_files_places),
                                       cmocka_unit_test(threads_and_order_change_nothing),
                                       cmocka_unit_test(plans),
                                       cmocka_unit_test(cut_anywhere),
                                       cmocka_unit_test(stopped_and_gone_on),
                                       cmocka_unit_test(extended),
                                       cmocka_unit_test(half_widths_have_a_confidence),
                                       cmocka_unit_test(until_precision),
                                       cmocka_unit_test(precision_has_no_history),
                                       cmocka_unit_test(precision_is_missed_aloud),
                                       cmocka_unit_test(failures_are_named),
                                       cmocka_unit_test(shards_are_parts),
                                       cmocka_unit_test(devices),
                                       cmocka_unit_test(folders_are_guarded)};
    return cmocka_run_group_tests(tests, in_scratch, out_of_scratch);
}
