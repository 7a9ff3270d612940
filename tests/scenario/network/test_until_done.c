/*
 * label: emulated
 *
 * `duration: until-done BOUND`: the run ends within a 64th of its time after the last flow of a size is complete, at the same
 * instant on every engine; flows that arrive by themselves count once their class has stopped; what has no end is background; a
 * bound that comes first is said; and a scenario in which nothing ends is refused. That instant is one of a fixed row, so that
 * the results are those of a run of just that duration.
 */
#include <jansson.h>

#include <stdlib.h>

#include "diag.h"
#include "scenario/run_text.h"
#include "weir/engine.h"
#include "weir/run.h"

#define STAR \
    "weir: 1\ntopology: {generate: {model: star, hosts: 9, access_rate: 1Gbps, access_delay: 20us}}\n"
#define INCAST                                                                      \
    STAR "traffic:\n  - {name: incast, from: 'h[1-8]', to: h0, tcp: {size: 1MB}}\n" \
         "  - {name: background, from: h1, to: h2, udp: {rate: 1Mbps}}\n"
#define ARRIVALS                                                                                 \
    STAR "traffic: [{name: a, pairs: all, stop: 100ms, tcp: {arrivals: {poisson: 400/s}, size: " \
         "200kB, max_flows: 8}}]\n"

static weir_run_result ended(const char *text, const char *duration, const char *engine)
{
    char all[900];
    weir_diag *diag = weir_diag_new();
    weir_run_result result;
    snprintf(all, sizeof all, "%sduration: %s\nengine: {type: %s%s}\n", text, duration, engine,
             strstr("conservative optimistic", engine) ? ", threads: 2" : "");
    expect_ok(diag, run_text(diag, all, NULL, NULL, 0, &result));
    weir_diag_free(diag);
    return result;
}

static double figure(const weir_run_result *r, const char *key)
{
    json_t *o = json_loads(r->summary_json, 0, NULL),
           *first = json_array_get(json_object_get(o, "classes"), 0);
    json_t *value = json_object_get(first, key);
    const double number = json_is_number(value) ? json_number_value(value) : -1.0;
    json_decref(o);
    return number;
}

static void ends_soon_after_the_last(void **state)
{
    static const char *const texts[] = {INCAST, ARRIVALS}, *const engines[] = {"check", "conservative",
                                                                               "optimistic"};
    char device[256];
    const size_t n = sizeof engines / sizeof *engines - !weir_gpu_describe(0, device, sizeof device);
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        weir_run_result first = ended(texts[i], "until-done 50s", "sequential");
        const double reached_s = weir_seconds(first.reached_ps);
        assert_false(first.partial);
        assert_int_equal(figure(&first, "unfinished"), 0);
        assert_true(figure(&first, "completed") >= 8);
        if (i == 0) { /* starts at 0 */
            const double took_s = figure(&first, "makespan_s");
            if (!(reached_s >= took_s && reached_s <= took_s * (1.0 + 1.0 / 64) + 1e-6))
                fail_msg("done at %g s, ended at %g s", took_s, reached_s);
        } else if (!(reached_s > 0.1 && reached_s < 1.0)) {
            fail_msg("ended at %g s", reached_s);
        }
        for (size_t k = 0; k < n; k++) {
            weir_run_result r = ended(texts[i], "until-done 50s", engines[k]);
            assert_int_equal(r.reached_ps, first.reached_ps);
            assert_int_equal(r.event_digest, first.event_digest);
            assert_int_equal(r.state_digest, first.state_digest);
            weir_run_result_free(&r);
        }
        char duration[40];
        snprintf(duration, sizeof duration, "%lldps", (long long)first.reached_ps);
        weir_run_result same = ended(texts[i], duration, "sequential");
        assert_int_equal(same.event_digest, first.event_digest);
        assert_int_equal(same.state_digest, first.state_digest);
        weir_run_result_free(&same);
        weir_run_result_free(&first);
    }
}

/* A job ends when its ranks do, which may compute after the last message. */
static void a_job_ends_with_its_ranks(void **state)
{
    static const char text[] =
        "weir: 1\nduration: until-done 10s\ntopology: {generate: {model: star, hosts: 2}}\n"
        "traffic: [{name: j, tcp: {}, job: {trace: until_done.goal}}]\n";
    char folder[] = "/tmp/weir-until-XXXXXX", path[60];
    weir_diag *diag = weir_diag_new();
    weir_run_result result;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/until_done.goal", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("num_ranks 2\nrank 0 {\nl1: send 1000b to 1 tag 1\n}\nrank 1 {\nl1: recv 1000b from 0 tag 1\n"
          "l2: calc 50000000\nl2 requires l1\n}\n",
          f);
    assert_int_equal(fclose(f), 0);
    expect_ok(diag, run_text(diag, text, folder, NULL, 0, &result));
    json_t *o = json_loads(result.summary_json, 0, NULL);
    const json_t *job = json_object_get(json_array_get(json_object_get(o, "classes"), 0), "job");
    const double end_s = json_number_value(json_object_get(job, "end_s")),
                 reached_s = weir_seconds(result.reached_ps);
    if (!(end_s > 0.05 && reached_s >= end_s && reached_s <= end_s * (1.0 + 1.0 / 64) + 1e-6))
        fail_msg("over at %g s, ended at %g s", end_s, reached_s);
    json_decref(o);
    weir_run_result_free(&result);
    assert_int_equal(remove(path), 0);
    assert_int_equal(remove(folder), 0);
    weir_diag_free(diag);
}

static void a_bound_that_comes_first_is_said(void **state)
{
    weir_diag *diag = weir_diag_new();
    weir_run_result result;
    (void)state;
    expect_ok(diag, run_text(diag, INCAST "duration: until-done 10ms\n", NULL, NULL, 0, &result));
    assert_int_equal(result.reached_ps, 10 * WEIR_PS_PER_MS);
    assert_false(result.partial);
    assert_true(figure(&result, "unfinished") > 0);
    expect_message(diag, "the bound of until-done, 0.01 s, came before all was done");
    weir_run_result_free(&result);
    weir_diag_free(diag);
}

static void what_never_ends_is_refused(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {INCAST "duration: until-done\n", "until-done wants a bound"},
        {INCAST "duration: until-done 0s\n", "want more than 0s"},
        {INCAST "duration: until-then 1s\n", "does not begin with a number"},
        {STAR "duration: until-done 1s\ntraffic: [{name: a, from: h0, to: h1, tcp: {}}]\n",
         "no class of packets has an end"},
        {STAR "duration: until-done 1s\ntraffic: [{name: a, from: h0, to: h1, tcp: {size: 1kB, arrivals: "
              "{poisson: 9/s}}}]\n",
         "with `stop` where they arrive"},
        {"weir: 1\nduration: until-done 1s\nmodel: {jackson: {}}\n", "until-done is for the packet network"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_diag *diag = weir_diag_new();
        weir_run_result result;
        assert_int_equal(run_text(diag, cases[i].text, NULL, NULL, 0, &result), WEIR_E_SCENARIO);
        expect_message(diag, cases[i].says);
        weir_run_result_free(&result);
        weir_diag_free(diag);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_soon_after_the_last), cmocka_unit_test(a_job_ends_with_its_ranks),
        cmocka_unit_test(a_bound_that_comes_first_is_said), cmocka_unit_test(what_never_ends_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
