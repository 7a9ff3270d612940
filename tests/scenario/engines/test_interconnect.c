/* Interconnects as scenarios: other wirings than everything.yaml has, what results hold, mistakes with their place. */
#include <jansson.h>

#include "diag.h"
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
        {JOB "{iterations: 4}]\n", "iterations means nothing here; it is for program or trace"},
        {JOB "{program: [{do: exchange}]}]\n", "exchange: with whom? the job has no `grid`"},
        {JOB "{program: [{do: alreduce}]}]\n", "did you mean 'allreduce'"},
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
        {"weir: 1\nduration: 1us\nmodel: {interconnect: {jobs: [{ranks: 73}]}}\n",
         "s.yaml:3:31: error: interconnect: job 'job' has 73 ranks, but only 72"},
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(wirings_have_their_sizes),
                                       cmocka_unit_test(mistakes_have_their_place),
                                       cmocka_unit_test(what_cannot_be_built_has_its_place)};
    return cmocka_run_group_tests(tests, diag_set_up, diag_tear_down);
}
