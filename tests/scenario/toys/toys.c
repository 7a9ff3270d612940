/*
 * What adding a queue discipline or a congestion control takes: a file and a line each (toys.h), and their keys (keys.c). The toys are in the
 * schema, in the resolved scenario, obeyed on every engine of the CPU, and refused under fluid by name and place.
 */
#include "scenario/load.h"
#include "scenario/run_summary.h"

#define LINE                                                                                                \
    "weir: 1\nduration: 2s\ntopology: {generate: {model: line, routers: 2, hosts: 1, rate: 10Mbps, delay: " \
    "1ms},\n"
#define QUEUE LINE "  queue: {type: toy, every: 4}}\n"
#define UDP "traffic: [{name: u, udp: {rate: 4Mbps}, from: h0, to: h1}]\n"

static void drops_by_its_own_law(void **state)
{
    (void)state;
    static const char *const engines[] = {"engine.type=sequential", "engine.type=check",
                                          "engine={type: conservative, threads: 2}"};
    uint64_t digest = 0;
    for (size_t i = 0; i < 3; i++) {
        weir_run_result r;
        json_t *summary = summary_of(QUEUE UDP, &engines[i], 1, &r);
        /* two ports of routers, each leaves 3 of 4 */
        const double loss = class_number(summary, 0, NULL, "loss");
        if (!(fabs(loss - (1.0 - 0.75 * 0.75)) < 0.01))
            fail_msg("a loss of %g", loss);
        if (i > 0)
            assert_true(r.state_digest == digest);
        digest = r.state_digest;
        json_decref(summary);
    }
}

#define STILL                                                                                                \
    LINE "  queue: {}}\ntraffic: [{name: t, tcp: {congestion: still, segments: 20, pace: 2Mbps}, from: h0, " \
         "to: h1}]\n"

/* 2 Mb/s of packets of 1,500 bytes carry 1,448 or 1,460 of payload; the queue never sees two of them at once. */
static void paces(void **state)
{
    (void)state;
    json_t *summary = summary_of(STILL, NULL, 0, NULL);
    const double goodput = class_number(summary, 0, NULL, "goodput_bps");
    if (!(goodput > 1.85e6 && goodput < 1.96e6))
        fail_msg("a goodput of %g", goodput);
    json_decref(summary);
}

static void refused_under_fluid(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } all[] = {
        {QUEUE "traffic: [{name: u, udp: {rate: 4Mbps}, from: h0, to: h1, fidelity: fluid}]\n",
         "s.yaml:4:10: error: there is no fluid law of queue 'toy'"},
        {LINE
         "  queue: {}}\ntraffic: [{name: t, tcp: {congestion: still}, from: h0, to: h1, fidelity: fluid}]\n",
         "s.yaml:5:39: error: class 't': there is no fluid law of congestion 'still'"}};
    for (size_t i = 0; i < 2; i++) {
        weir_diag *diag = weir_diag_new();
        weir_run_result result;
        char got[2100] = "";
        assert_int_equal(run_text(diag, all[i].text, NULL, NULL, 0, &result), WEIR_E_UNSUPPORTED);
        assert_int_equal(weir_diag_count(diag), 1);
        weir_message_format(weir_diag_get(diag, 0), got, sizeof got);
        if (strncmp(got, all[i].says, strlen(all[i].says)) != 0)
            fail_msg("'%s', wanted '%s'", got, all[i].says);
        weir_run_result_free(&result);
        weir_diag_free(diag);
    }
}

static void in_schema_and_pages(void **state)
{
    (void)state;
    char *schema = weir_scenario_json_schema(), *page = weir_scenario_markdown();
    assert_non_null(strstr(schema, "\"toy\""));
    assert_non_null(strstr(schema, "\"every\""));
    assert_non_null(strstr(page, "With `type: toy`:"));
    assert_non_null(strstr(page, "With `congestion: still`:"));
    free(schema);
    free(page);
    EXPECT(WEIR_E_SCENARIO, LINE "  queue: {type: toy, min: 4kB}}\n" UDP,
           "4:22: error: min means nothing to a toy queue; add 'type: red' or leave it out");
    EXPECT(WEIR_E_SCENARIO, LINE "  queue: {every: 4}}\n" UDP,
           "4:11: error: every means nothing to a droptail queue; add 'type: toy' or leave it out");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drops_by_its_own_law),
        cmocka_unit_test(paces),
        cmocka_unit_test(refused_under_fluid),
        cmocka_unit_test(in_schema_and_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
