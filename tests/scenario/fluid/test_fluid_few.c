/*
 * Where fluid is not what packets are is warned of by `weir check` and before a run, once a class, with its line, and stands in the
 * summary; what docs/fluid.md has as right is not. The bounds are those of its table, on either side, and the table is
 * the program's own.
 */
#include <jansson.h>

#include "diag.h"
#include "output/scratch.h"
#include "network/fluid/warnings.h"
#include "scenario/run_text.h"
#include "weir/run.h"

/* Warnings of bounds among the messages, on what lines, and what the last one says. */
typedef struct few_said {
    size_t n;
    uint32_t line[4];
    char text[1024];
} few_said;

static few_said said_of(const weir_diag *diag)
{
    few_said out = {0};
    for (size_t i = 0; i < weir_diag_count(diag); i++) {
        const weir_message *m = weir_diag_get(diag, i);
        if (!strstr(m->text, "Where fluid does not hold"))
            continue;
        assert_true(out.n < 4 && m->severity == WEIR_WARNING && m->file);
        out.line[out.n++] = (uint32_t)m->line;
        snprintf(out.text, sizeof out.text, "%s", m->text);
    }
    return out;
}

/* What is said of a scenario that is checked, and not run. */
static few_said checked(const char *text)
{
    weir_diag *diag = weir_diag_new();
    weir_scenario *scenario = NULL;
    weir_estimate estimate;
    expect_ok(diag,
              weir_scenario_parse(diag, "few.yaml", text, strlen(text), WEIR_TEST_DATA, NULL, 0, &scenario));
    expect_ok(diag, weir_estimate_scenario(diag, scenario, &estimate));
    const few_said out = said_of(diag);
    weir_scenario_free(scenario);
    weir_diag_free(diag);
    return out;
}

/* A line of 100 Mb/s and a round trip of 40 ms, which holds 500 kB; queue: after "queue: ". */
static few_said of_line(const char *queue, const char *traffic)
{
    char text[1500];
    const int n =
        snprintf(text, sizeof text,
                 "weir: 1\nduration: 1s\n"
                 "topology: {generate: {model: line, hosts: 0, rate: 100Mbps, delay: 20ms}, queue: %s}\n"
                 "fluid: {device: cpu}\ntraffic:\n%s",
                 queue, traffic);
    assert_true(n > 0 && (size_t)n < sizeof text);
    return checked(text);
}

/* Packets beside fluid: fewer than ten sessions of both, or than five of packets below a hundred. */
static void mixes(void **state)
{
    static const int packets[] = {0, 1, 2, 4, 5, 8, 20}, fluid[] = {1, 2, 4, 5, 16, 99};
    static const char *const controls[] = {"cubic", "newreno"};
    (void)state;
    for (int cell = 0; cell < 7 * 6 * 2; cell++) {
        const int p = packets[cell % 7], f = fluid[cell / 7 % 6];
        char traffic[256];
        snprintf(traffic, sizeof traffic,
                 "  - {name: f, from: r0, to: r1, tcp: {congestion: %s, sessions: %d}, fidelity: {packet: "
                 "%d, fluid: "
                 "rest}}\n",
                 controls[cell / 42], p + f, p);
        const few_said s = of_line("{limit: 1MB}", traffic),
                       red = of_line("{type: red, limit: 1MB, min: 100kB, max: 300kB}", traffic);
        if (s.n != (p > 0 && ((p < 5 && p + f < 100) || p + f < 10)) || red.n != 0)
            fail_msg("%d of packets, %d of fluid: %zu warnings, %zu over RED", p, f, s.n, red.n);
        assert_true(s.n == 0 || (s.line[0] == 6 && strstr(s.text, "at r0->r1, a drop-tail queue")));
    }
}

/* Alone, one way: sessions times the queue below half of what the path holds. */
static void short_queues(void **state)
{
    static const struct {
        int sessions, limit_kb;
        bool few;
    } row[] = {{1, 240, true},  {1, 260, false}, {2, 120, true},
               {2, 130, false}, {8, 28, true},   {8, 35, false}};
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char traffic[256], queue[32];
        snprintf(queue, sizeof queue, "{limit: %dkB}", row[i].limit_kb);
        snprintf(traffic, sizeof traffic,
                 "  - {name: f, from: r0, to: r1, tcp: {sessions: %d}, fidelity: fluid}\n", row[i].sessions);
        assert_int_equal(of_line(queue, traffic).n, row[i].few);
    }
}

/* A queue that has no place for a window of three packets and one more, or marks it. */
static void queues_of_three_packets(void **state)
{
    static const struct {
        const char *queue, *more;
        bool said;
    } row[] = {{"{limit: 4500B}", "", true},
               {"{limit: 4600B}", "", false},
               {"{limit_packets: 3}", "", true},
               {"{type: red, limit: 4500B, min: 1kB, max: 4kB}", "", true},
               {"{type: red, limit: 45kB, min: 1kB, max: 4kB}", "", false},
               {"{type: threshold, limit: 1MB, mark: 2999B}", ", ecn: true", true},
               {"{type: threshold, limit: 1MB, mark: 2999B}", "", false},
               {"{type: threshold, limit: 1MB, mark: 3kB}", ", ecn: true", false},
               {"{type: threshold, limit: 1MB, mark: 1B}", ", congestion: dctcp", true}};
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char traffic[256];
        snprintf(traffic, sizeof traffic,
                 "  - {name: f, from: r0, to: r1, tcp: {sessions: 8%s}, fidelity: fluid}\n", row[i].more);
        const few_said s = of_line(row[i].queue, traffic);
        if ((s.n == 1 && strstr(s.text, "three packets or fewer")) != row[i].said)
            fail_msg("%s%s: %s", row[i].queue, row[i].more, s.text);
    }
}

/* Data both ways: below two and a half times of it, and each class is told once. */
static void both_ways(void **state)
{
    static const struct {
        int out, back, limit_kb;
        size_t few;
    } row[] = {{2, 2, 250, 2},   {2, 2, 1000, 0}, {10, 10, 250, 0},
               {10, 10, 110, 2}, {2, 10, 250, 1}, {4, 4, 500, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char traffic[400], queue[32];
        snprintf(queue, sizeof queue, "{limit: %dkB}", row[i].limit_kb);
        snprintf(traffic, sizeof traffic,
                 "  - {name: out, from: r0, to: r1, tcp: {sessions: %d}, fidelity: fluid}\n"
                 "  - {name: back, from: r1, to: r0, tcp: {sessions: %d}, fidelity: fluid}\n",
                 row[i].out, row[i].back);
        const few_said s = of_line(queue, traffic);
        assert_int_equal(s.n, row[i].few);
        assert_true(s.n == 0 || (s.line[0] == 6 && (s.n == 1 || s.line[1] == 7)));
    }
}

/* No session fills the queue: a window that the path holds, losses, transfers that come, packets elsewhere, UDP. */
static void what_is_not_few(void **state)
{
    static const char *const traffic[] = {
        "  - {name: f, from: r0, to: r1, tcp: {window: 100kB}, fidelity: {packet: 0, fluid: rest}}\n",
        "  - {name: f, from: r0, to: r1, tcp: {window: 100kB, sessions: 2}, fidelity: {packet: 1, fluid: "
        "rest}}\n",
        "  - {name: f, from: r0, to: r1, tcp: {size: 100kB, arrivals: {poisson: 10/s}}, fidelity: fluid}\n"
        "  - {name: g, from: r0, to: r1, tcp: {}, fidelity: fluid}\n",
        "  - {name: f, from: r0, to: r1, tcp: {size: 100kB, arrivals: {poisson: 10/s}}}\n"
        "  - {name: g, from: r0, to: r1, tcp: {}, fidelity: fluid}\n",
        "  - {name: f, from: r1, to: r0, tcp: {}}\n"
        "  - {name: g, from: r0, to: r1, tcp: {sessions: 5}, fidelity: fluid}\n",
        "  - {name: f, from: r0, to: r1, udp: {rate: 10Mbps}}\n"
        "  - {name: g, from: r0, to: r1, tcp: {sessions: 5}, fidelity: fluid}\n",
        "  - {name: f, from: r0, to: r1, udp: {rate: 10Mbps}, fidelity: fluid}\n"};
    (void)state;
    for (size_t i = 0; i < sizeof traffic / sizeof *traffic; i++)
        if (of_line("{limit: 300kB}", traffic[i]).n != 0)
            fail_msg("%s is warned of", traffic[i]);
    const few_said lossy =
        checked("weir: 1\nduration: 1s\n"
                "topology: {generate: {model: line, hosts: 0, rate: 100Mbps, delay: 20ms}, queue: "
                "{limit: 50kB}, loss: 1%}\nfluid: {device: cpu}\n"
                "traffic:\n  - {name: f, from: r0, to: r1, tcp: {}, fidelity: fluid}\n");
    assert_int_equal(lossy.n, 0);
}

/* Full queues in a row, packets' or fluid's; UDP as fluid over a short queue that both share; DCTCP as packets beside fluid. */
static void in_a_row(void **state)
{
    static const struct {
        const char *topology, *traffic, *says; /* null: nothing */
        size_t more;                           /* warnings of other classes */
    } row[] = {
        {"generate: {model: parking-lot}",
         "  - {name: long, tcp: {sessions: 40}, from: long_src, to: long_dst, fidelity: fluid}\n"
         "  - {name: cross, tcp: {sessions: 20}, pairs: [[src1, dst1], [src2, dst2], [src3, dst3]]}\n",
         "several full drop-tail queues"},
        {"generate: {model: parking-lot}",
         "  - {name: long, tcp: {sessions: 40}, from: long_src, to: long_dst, fidelity: fluid}\n"
         "  - {name: cross, tcp: {sessions: 20}, pairs: [[src2, dst2]], fidelity: fluid}\n",
         NULL},
        {"generate: {model: parking-lot}",
         "  - {name: long, tcp: {sessions: 40}, from: long_src, to: long_dst, fidelity: fluid}\n"
         "  - {name: cross, tcp: {sessions: 20, window: 3kB}, pairs: [[src2, dst2], [src3, dst3]]}\n",
         NULL},
        {"generate: {model: parking-lot}",
         "  - {name: long, tcp: {sessions: 30}, from: long_src, to: long_dst, fidelity: fluid}\n"
         "  - {name: cross, tcp: {sessions: 20}, pairs: [[src1, dst1], [src2, dst2], [src3, dst3]], "
         "fidelity: fluid}\n",
         "cross others too", 1},
        {"generate: {model: parking-lot}",
         "  - {name: cross, tcp: {sessions: 20}, pairs: [[src1, dst1], [src2, dst2], [src3, dst3]], "
         "fidelity: fluid}\n",
         NULL},
        {"generate: {model: parking-lot}, queue: {type: red, limit: 1MB, min: 100kB, max: 300kB}",
         "  - {name: long, tcp: {sessions: 40}, from: long_src, to: long_dst, fidelity: fluid}\n"
         "  - {name: cross, tcp: {sessions: 20}, pairs: [[src1, dst1], [src2, dst2], [src3, dst3]]}\n",
         NULL},
        {"generate: {model: line, hosts: 0, rate: 10Mbps, delay: 5ms}, queue: {limit: 50kB}",
         "  - {name: f, tcp: {sessions: 20}, from: r0, to: r1, fidelity: {packet: 10, fluid: rest}}\n",
         "fewer than three segments"},
        {"generate: {model: line, hosts: 0, rate: 10Mbps, delay: 10ms}, queue: {limit: 50kB}",
         "  - {name: f, tcp: {sessions: 120}, from: r0, to: r1, fidelity: fluid}\n",
         "fewer than 1.5 segments"},
        {"generate: {model: line, hosts: 0, rate: 10Mbps, delay: 5ms}, queue: {type: red, limit: 200kB, min: "
         "20kB, max: "
         "50kB}",
         "  - {name: f, tcp: {sessions: 20}, from: r0, to: r1, fidelity: {packet: 10, fluid: rest}}\n",
         "fewer than three segments"},
        {"generate: {model: line, hosts: 0, rate: 10Mbps, delay: 10ms}, queue: {type: red, limit: 200kB, "
         "min: 20kB, max: "
         "50kB}",
         "  - {name: f, tcp: {sessions: 120}, from: r0, to: r1, fidelity: fluid}\n",
         "fewer than 1.5 segments"},
        {"generate: {model: line, hosts: 0, rate: 10Mbps, delay: 10ms}, queue: {type: red, limit: 200kB, "
         "min: 20kB, max: "
         "50kB}",
         "  - {name: f, tcp: {sessions: 30}, from: r0, to: r1, fidelity: fluid}\n", NULL},
        {"generate: {model: leaf-spine, leaves: 2, spines: 2, hosts: 4, rate: 20Mbps, access_rate: 200Mbps, "
         "delay: 5ms}, queue: {type: red, limit: 300kB, min: 30kB, max: 100kB}",
         "  - {name: f, tcp: {sessions: 7}, from: h0, to: h4, fidelity: fluid}\n",
         "several ways of equal cost"},
        {"generate: {model: leaf-spine, leaves: 2, spines: 2, hosts: 4, rate: 20Mbps, access_rate: 200Mbps, "
         "delay: 5ms}, queue: {type: red, limit: 300kB, min: 30kB, max: 100kB}",
         "  - {name: f, tcp: {sessions: 8}, from: h0, to: h4, fidelity: fluid}\n", NULL},
        {"generate: {model: leaf-spine, leaves: 2, spines: 2, hosts: 4, rate: 20Mbps, access_rate: 200Mbps, "
         "delay: 5ms}, queue: {type: red, limit: 300kB, min: 30kB, max: 100kB}",
         "  - {name: f, udp: {rate: 21Mbps}, from: h0, to: h4, fidelity: fluid}\n",
         "several ways of equal cost"},
        {"generate: {model: leaf-spine, leaves: 2, spines: 2, hosts: 4, rate: 20Mbps, access_rate: 200Mbps, "
         "delay: 5ms}, queue: {type: red, limit: 300kB, min: 30kB, max: 100kB}",
         "  - {name: f, udp: {rate: 20Mbps}, from: h0, to: h4, fidelity: fluid}\n", NULL},
        {"generate: {model: line, hosts: 0, rate: 10Mbps, delay: 10ms}, queue: {limit: 50kB}",
         "  - {name: f, tcp: {sessions: 30}, from: r0, to: r1, fidelity: fluid}\n", NULL},
        {"generate: {model: line, hosts: 0, rate: 10Mbps, delay: 5ms}, queue: {limit: 18kB}",
         "  - {name: f, tcp: {sessions: 5}, from: r0, to: r1}\n"
         "  - {name: u, udp: {rate: 2Mbps}, from: r0, to: r1, fidelity: fluid}\n",
         "UDP beside packets"},
        {"generate: {model: line, hosts: 0, rate: 20Mbps, delay: 10ms}, queue: {limit: 200kB}",
         "  - {name: f, tcp: {sessions: 20}, from: r0, to: r1, fidelity: fluid}\n"
         "  - {name: u, udp: {rate: 2Mbps, packet: 900B}, from: r0, to: r1, fidelity: fluid}\n",
         "less than two thirds of others'"},
        {"generate: {model: line, hosts: 0, rate: 20Mbps, delay: 10ms}, queue: {limit: 200kB}",
         "  - {name: f, tcp: {sessions: 20}, from: r0, to: r1}\n"
         "  - {name: s, tcp: {sessions: 20, mss: 900B}, from: r0, to: r1, fidelity: fluid}\n",
         "less than two thirds of others'"},
        {"generate: {model: line, hosts: 0, rate: 20Mbps, delay: 10ms}, queue: {limit_packets: 130}",
         "  - {name: f, tcp: {sessions: 20}, from: r0, to: r1, fidelity: fluid}\n"
         "  - {name: u, udp: {rate: 2Mbps, packet: 900B}, from: r0, to: r1, fidelity: fluid}\n",
         "UDP beside TCP in a full"},
        {"generate: {model: line, hosts: 0, rate: 20Mbps, delay: 10ms}, queue: {type: red, limit: 200kB, "
         "min: "
         "20kB, max: 60kB}",
         "  - {name: f, tcp: {sessions: 20}, from: r0, to: r1, fidelity: fluid}\n"
         "  - {name: u, udp: {rate: 2Mbps, pattern: onoff}, from: r0, to: r1, fidelity: fluid}\n",
         NULL},
        {"generate: {model: line, hosts: 0, rate: 20Mbps, delay: 10ms}, queue: {limit: 200kB}",
         "  - {name: f, tcp: {sessions: 20}, from: r0, to: r1, fidelity: fluid}\n"
         "  - {name: u, udp: {rate: 2Mbps, pattern: onoff}, from: r0, to: r1}\n",
         "UDP that goes on and off"},
        {"generate: {model: line, hosts: 0, rate: 20Mbps, delay: 10ms}, queue: {limit: 200kB}",
         "  - {name: f, tcp: {sessions: 20}, from: r0, to: r1}\n"
         "  - {name: u, udp: {rate: 2Mbps, pattern: onoff}, from: r0, to: r1, fidelity: fluid}\n",
         "UDP that goes on and off"},
        {"generate: {model: line, hosts: 0, rate: 20Mbps, delay: 10ms}, queue: {limit: 200kB}",
         "  - {name: f, tcp: {sessions: 20}, from: r0, to: r1, fidelity: fluid}\n"
         "  - {name: u, udp: {rate: 2Mbps, pattern: onoff}, from: r1, to: r0, fidelity: fluid}\n",
         NULL},
        {"generate: {model: line, hosts: 0, rate: 20Mbps, delay: 10ms}, queue: {limit: 200kB}",
         "  - {name: f, tcp: {sessions: 20}, from: r0, to: r1, fidelity: fluid}\n"
         "  - {name: u, udp: {rate: 2Mbps}, from: r0, to: r1, fidelity: fluid}\n"
         "  - {name: v, udp: {rate: 2Mbps, packet: 100B}, from: r1, to: r0, fidelity: fluid}\n",
         "UDP beside TCP in a full"},
        {"generate: {model: line, hosts: 0, rate: 1Gbps, delay: 2ms}, queue: {type: threshold, limit: 2MB, "
         "mark: 97500B}",
         "  - {name: f, tcp: {congestion: dctcp, sessions: 20, window: 8MiB}, from: r0, to: r1, fidelity: "
         "{packet: 10, fluid: rest}}\n",
         "DCTCP"},
        {"generate: {model: line, hosts: 0, rate: 1Gbps, delay: 2ms}, queue: {type: threshold, limit: 2MB, "
         "mark: 97500B}",
         "  - {name: f, tcp: {congestion: dctcp, sessions: 20, window: 8MiB}, from: r0, to: r1, fidelity: "
         "fluid}\n",
         NULL}};
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char text[1500];
        snprintf(text, sizeof text,
                 "weir: 1\nduration: 1s\nrouting: {ecmp: true}\ntopology: {%s}\nfluid: {device: "
                 "cpu}\ntraffic:\n%s",
                 row[i].topology, row[i].traffic);
        const few_said s = checked(text);
        print_message("  %zu: %zu %s\n", i, s.n, s.text);
        assert_int_equal(s.n, (row[i].says != NULL) + row[i].more);
        assert_true(s.n == 0 || strstr(s.text, row[i].says));
    }
}

/* A run says it too; what the examples of paper 000 have is not warned of: RED, and all fluid over drop-tail. */
static void runs_and_examples(void **state)
{
    static char text[1 << 20];
    weir_diag *diag = weir_diag_new();
    weir_scenario *scenario = NULL;
    weir_estimate estimate;
    weir_run_result result;
    (void)state;
    expect_ok(
        diag,
        run_text(diag,
                 "weir: 1\nduration: 1s\ntopology: {generate: {model: line, hosts: 0}}\nfluid: {device: "
                 "cpu}\ntraffic:\n  - {name: f, from: r0, to: r1, tcp: {sessions: 2}, fidelity: {packet: "
                 "1, fluid: rest}}\n",
                 NULL, NULL, 0, &result));
    assert_int_equal(said_of(diag).n, 1);
    json_t *summary = json_loads(result.summary_json, 0, NULL);
    const json_t *said = json_object_get(json_object_get(summary, "fluid"), "warnings");
    assert_int_equal(json_array_size(said), 1);
    assert_string_equal(json_string_value(json_object_get(json_array_get(said, 0), "class")), "f");
    assert_string_equal(json_string_value(json_object_get(json_array_get(said, 0), "port")), "r0->r1");
    assert_string_equal(json_string_value(json_object_get(json_array_get(said, 0), "bound")), "few-in-a-mix");
    json_decref(summary);
    weir_run_result_free(&result);
    weir_diag_clear(diag);
    static const char *const mixed[] = {"traffic.flow2.fidelity={packet: 2, fluid: rest}"};
    expect_ok(diag, weir_scenario_load(diag, WEIR_SOURCE_DIR "/examples/papers/000/twelve-nodes.yaml", mixed,
                                       1, &scenario));
    expect_ok(diag, weir_estimate_scenario(diag, scenario, &estimate));
    weir_scenario_free(scenario);
    assert_int_equal(said_of(diag).n, 0);
    FILE *campus = popen("sh " WEIR_SOURCE_DIR "/examples/papers/000/campus 1 0 10", "r");
    assert_non_null(campus);
    text[fread(text, 1, sizeof text - 1, campus)] = '\0';
    assert_int_equal(pclose(campus), 0);
    assert_int_equal(checked(text).n, 0);
    weir_diag_free(diag);
}

/* Rows of the program's table are those of docs/fluid.md, in their order. */
static void the_page_has_the_table(void **state)
{
    static char page[1 << 18];
    FILE *f = fopen(WEIR_SOURCE_DIR "/docs/fluid.md", "r");
    const char *at = page;
    (void)state;
    assert_non_null(f);
    page[fread(page, 1, sizeof page - 1, f)] = '\0';
    assert_true(feof(f));
    fclose(f);
    for (int i = 0; i < WI_BOUNDS; i++) {
        const wi_fluid_bound *b = &wi_fluid_bounds[i];
        char row[600];
        snprintf(row, sizeof row, "\n| `%s` | %s | %s | %g to %g | %s |\n", b->name, b->where, b->quantity,
                 b->low, b->high, b->remedy);
        at = strstr(at, row);
        if (!at)
            fail_msg("docs/fluid.md lacks, or has elsewhere: %s", row);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(mixes),
                                       cmocka_unit_test(short_queues),
                                       cmocka_unit_test(queues_of_three_packets),
                                       cmocka_unit_test(both_ways),
                                       cmocka_unit_test(what_is_not_few),
                                       cmocka_unit_test(in_a_row),
                                       cmocka_unit_test(runs_and_examples),
                                       cmocka_unit_test(the_page_has_the_table)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
