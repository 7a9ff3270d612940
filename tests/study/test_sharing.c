/*
 * label: threads
 *
 * What runs of a study have in common: topologies and routes are made once where runs agree on them and made anew where they
 * do not, and no run, failing links included, comes out in other digests than alone. Over ways to make routes (of all
 * pairs, by destination, of equal cost, source routes), tables that begin a page and small ones, and what runs vary.
 */
#include "study/small.h"

#include "weir/run.h"
#include "weir/scenario.h"

#define RUNS(dir) dir "/runs.csv"

enum { VARIED_MAX = 4 };

/* What runs vary, and how many topologies, tables and routes of all pairs that makes. */
typedef struct sharing {
    const char *name, *topology, *routing, *traffic, *events;
    const char *study, *path[VARIED_MAX];
    int runs, made;
} sharing;

#define LARGE "generate: {model: random-regular, nodes: 300, degree: 4}"
#define SMALL "generate: {model: random-regular, nodes: 30, degree: 4}"
#define CLOS "generate: {model: fat-tree, k: 8}"
#define ALL "pairs: permutation"
#define QUEUES "vary: [{path: topology.queue.limit, values: [20kB, 40kB, 80kB]}]"
#define FAILS "events: [{at: 4ms, fail: {link: r0--*}}, {at: 12ms, repair: {link: r0--*}}]\n"

static const sharing cases[] = {
    {"all pairs", LARGE, "{}", ALL, "", QUEUES, {"topology.queue.limit"}, 3, 3},
    {"all pairs of few", SMALL, "{}", ALL, "", QUEUES, {"topology.queue.limit"}, 3, 2},
    {"one destination", LARGE, "{}", "from: r0, to: r9", "", QUEUES, {"topology.queue.limit"}, 3, 2},
    {"equal cost", CLOS, "{ecmp: true}", ALL, "", QUEUES, {"topology.queue.limit"}, 3, 2},
    {"sprayed", CLOS, "{ecmp: true, spray: true}", ALL, "", QUEUES, {"topology.queue.limit"}, 3, 2},
    {"source routes", LARGE, "{forwarding: source}", ALL, "", QUEUES, {"topology.queue.limit"}, 3, 1},
    {"links' rates",
     LARGE,
     "{}",
     ALL,
     "",
     "vary: [{path: topology.generate.rate, values: [500Mbps, 1Gbps]}]",
     {"topology.generate.rate"},
     2,
     6},
    {"rates over the same links",
     LARGE ", link: {override: rate}",
     "{}",
     ALL,
     "",
     "vary: [{path: topology.link.rate, values: [50Mbps, 1Gbps]}]",
     {"topology.link.rate"},
     2,
     3},
    /* costs are in their greatest common divisor: the same */
    {"delays that are costs",
     LARGE ", link: {override: delay}",
     "{metric: delay}",
     ALL,
     "",
     "vary: [{path: topology.link.delay, values: [1ms, 2ms]}]",
     {"topology.link.delay"},
     2,
     3},
    {"metrics",
     "generate: {model: waxman, N: 300}", /* of many delays */
     "{}",
     ALL,
     "",
     "vary: [{path: routing.metric, values: [hops, delay]}]",
     {"routing.metric"},
     2,
     5},
    {"seeds", LARGE, "{}", ALL, "", "vary: [{path: seed, values: [1, 2]}]", {"seed"}, 2, 6},
    {"pairs", LARGE, "{}", "pairs: {random: 150}", "", "replications: 3", {"run"}, 3, 5},
    /* of which a triangle has two kinds each: no two runs have the same */
    {"attributes of a file",
     "file: '" WEIR_TEST_DATA
     "/attributes.graphml', keys: {rate: r1, delay: d1, weight: w1, rate_unit: 1Mbps, delay_unit: 1ms}",
     "{metric: weight}",
     "pairs: [[a, c], [c, b]]",
     "",
     "vary: [{path: topology.keys.rate, values: [r1, r2]}, {path: topology.keys.delay, values: [d1, d2]}, "
     "{path: topology.keys.weight, values: [w1, w2]}, {path: topology.keys.rate_unit, values: [1Mbps, "
     "2Mbps]}]",
     {"topology.keys.rate", "topology.keys.delay", "topology.keys.weight", "topology.keys.rate_unit"},
     16,
     32},
    {"failures",
     LARGE,
     "{}",
     ALL,
     FAILS,
     "vary: [{path: events.0.at, values: [2ms, 4ms, 8ms]}, {path: routing.convergence, values: [0s, 3ms]}]",
     {"events.0.at", "routing.convergence"},
     6,
     3},
    {"failures and none",
     LARGE,
     "{}",
     "from: r0, to: r9",
     FAILS,
     "vary: [{path: events.0.at, values: [2ms, 4ms, 8ms]}]",
     {"events.0.at"},
     3,
     2},
    {"failures among equals",
     CLOS,
     "{ecmp: true}",
     ALL,
     "events: [{at: 4ms, fail: {link: e0_0--a0_0}}]\n",
     "vary: [{path: events.0.at, values: [2ms, 4ms, 8ms]}]",
     {"events.0.at"},
     3,
     1},
};
enum { CASES = sizeof cases / sizeof *cases };

static void write_case(const sharing *c)
{
    char text[2000];
    snprintf(text, sizeof text,
             "weir: 1\nname: shared\nduration: 20ms\ntopology: {%s}\nrouting: %s\n%s"
             "traffic:\n  - {name: t, tcp: {size: 20kB}, %s}\n"
             "study: {%s}\n",
             c->topology, c->routing, c->events, c->traffic, c->study);
    write_file("s.yaml", text);
}

static void alone(weir_diag *diag, const char *const *sets, size_t n, weir_run_result *result)
{
    weir_scenario *scenario = NULL;
    weir_run_options options;
    weir_run_options_init(&options);
    options.no_output = true;
    expect_ok(diag, weir_scenario_load(diag, "s.yaml", sets, n, &scenario));
    expect_ok(diag, weir_run(diag, scenario, &options, result));
    weir_scenario_free(scenario);
}

/* The cell of a line below a column's name. */
static const char *cell(const char *header, const char *line, const char *column, char *out, size_t size)
{
    for (;;) {
        const size_t n = strcspn(header, ","), width = strcspn(line, ",");
        if (strlen(column) == n && strncmp(header, column, n) == 0) {
            snprintf(out, size, "%.*s", (int)width, line);
            return out;
        }
        assert_true(header[n] == ',' && line[width] == ',');
        header += n + 1;
        line += width + 1;
    }
}

static void check_row(weir_diag *diag, const sharing *c, const char *header, const char *line)
{
    char set[VARIED_MAX][100], want[40], text[40];
    const char *sets[VARIED_MAX];
    size_t n = 0;
    weir_run_result result;
    for (; n < VARIED_MAX && c->path[n]; n++) {
        snprintf(set[n], sizeof set[n], "%s=%s", c->path[n],
                 cell(header, line, c->path[n], text, sizeof text));
        sets[n] = set[n];
    }
    alone(diag, sets, n, &result);
    snprintf(want, sizeof want, "0x%016llx", (unsigned long long)result.event_digest);
    assert_string_equal(cell(header, line, "event_digest", text, sizeof text), want);
    snprintf(want, sizeof want, "0x%016llx", (unsigned long long)result.state_digest);
    assert_string_equal(cell(header, line, "state_digest", text, sizeof text), want);
    weir_run_result_free(&result);
}

static void check_case(const sharing *c, uint32_t jobs)
{
    weir_diag *diag = weir_diag_new();
    weir_study_result result = {0};
    char folder[40], rows[60];
    snprintf(folder, sizeof folder, "out-%d-%u", (int)(c - cases), jobs);
    snprintf(rows, sizeof rows, RUNS("%s"), folder);
    const weir_study_options o = into(folder, jobs);
    write_case(c);
    expect_ok(diag, run_into(diag, "s.yaml", NULL, &o, &result));
    if (result.shared_made != (uint64_t)c->made || result.failed || result.runs != (uint64_t)c->runs)
        fail_msg("%s, %u at once: %llu things made of %d, %llu runs of %d, %llu failed", c->name, jobs,
                 (unsigned long long)result.shared_made, c->made, (unsigned long long)result.runs, c->runs,
                 (unsigned long long)result.failed);
    assert_true(result.shared_found > 0 || c->made >= 2 * c->runs);
    char *text = read_text(rows), *rest = text;
    assert_non_null(text);
    const char *header = strsep(&rest, "\n");
    for (int i = 0; i < c->runs; i++)
        check_row(diag, c, header, strsep(&rest, "\n"));
    free(text);
    weir_study_result_free(&result);
    weir_diag_free(diag);
}

static void runs_are_those_alone(void **state)
{
    (void)state;
    for (int i = 0; i < CASES; i++)
        check_case(&cases[i], 1);
}

static void side_by_side_too(void **state)
{
    (void)state;
    for (int i = 0; i < CASES; i++)
        check_case(&cases[i], 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_are_those_alone),
        cmocka_unit_test(side_by_side_too),
    };
    return cmocka_run_group_tests(tests, in_scratch, out_of_scratch);
}
