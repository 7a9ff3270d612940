/*
 * Analyses of scenarios: parallelism against what theory says of PHOLD, its files, and its bad options; and
 * verify, which finds no difference between engines and the first one between scenarios that part.
 */
#include <math.h>

#include "output/results/remove_tree.h"
#include "output/scratch.h"
#include "scenario/load.h"
#include "weir/analyze.h"

#define PHOLD \
    "weir: 1\nname: p\nduration: 1ms\noutput: {warmup: 20us}\nmodel: {phold: {entities: 256, events: 8, "
#define KADEMLIA "weir: 1\nname: k\nduration: 20s\nmodel: {kademlia: {peers: 200, "

static weir_status analyse(const char *text, const weir_parallelism_options *options,
                           weir_parallelism *result, char *message, size_t size)
{
    weir_diag *diag = weir_diag_new();
    weir_scenario *s = good(text, NULL, 0);
    const weir_status status = weir_analyze_parallelism(diag, s, options, result);
    const size_t n = weir_diag_count(diag);
    snprintf(message, size, "%s", n ? weir_diag_get(diag, n - 1)->text : "");
    weir_scenario_free(s);
    weir_diag_free(diag);
    return status;
}

/*
 * With one LP, events go one by one. With a window as wide as all time, entities do not wait for each other
 * but by causes, so parallelism nears the number of entities; and it never exceeds LPs, nor falls when LPs
 * are added.
 */
static void parallelism_keeps_its_bounds(void **state)
{
    weir_parallelism_options options;
    weir_parallelism narrow, wide;
    char message[400];
    (void)state;
    weir_parallelism_options_init(&options);
    options.no_output = true;
    options.events = 50000;
    assert_int_equal(
        analyse(PHOLD "lookahead: 1us, mean: 1us}}\n", &options, &narrow, message, sizeof message), WEIR_OK);
    assert_int_equal(narrow.lookahead_ps, WEIR_PS_PER_US);
    assert_true(narrow.from_ps == 20 * WEIR_PS_PER_US && narrow.to_ps > narrow.from_ps);
    options.lookahead_ps = WEIR_PS_PER_S;
    assert_int_equal(analyse(PHOLD "lookahead: 1us, mean: 1us}}\n", &options, &wide, message, sizeof message),
                     WEIR_OK);
    assert_int_equal(narrow.n_rows, 9); /* 1, 2, 4, ... 256 */
    for (size_t i = 0; i < narrow.n_rows; i++) {
        const weir_parallelism_row *row = &narrow.rows[i];
        assert_int_equal(row->lps, 1u << i);
        assert_true(row->parallelism <= row->lps && row->utilisation <= 1.0);
        assert_true(row->parallelism <= wide.rows[i].parallelism);
        assert_true(i == 0 || row->parallelism > row[-1].parallelism);
        assert_true(fabs(row->parallelism * (double)row->rounds - 50000) < 1e-6);
    }
    assert_int_equal(narrow.rows[0].rounds, 50000);
    assert_int_equal(wide.rows[0].rounds, 50000);
    assert_true(wide.rows[4].utilisation > 0.9); /* 16 LPs of 16 entities: always something to do */
    weir_parallelism_free(&narrow);
    weir_parallelism_free(&wide);
}

static void files_are_written(void **state)
{
    static const uint32_t lps[] = {1, 10, 200};
    weir_parallelism_options options;
    weir_parallelism r;
    char message[400];
    (void)state;
    assert_non_null(scratch_make());
    weir_parallelism_options_init(&options);
    options.output_dir = scratch_path("out");
    options.lps = lps;
    options.n_lps = 3;
    assert_int_equal(analyse(KADEMLIA "think: 2s}}\n", &options, &r, message, sizeof message), WEIR_OK);
    assert_int_equal(r.n_rows, 3);
    assert_int_equal(r.lookahead_ps, 10 * WEIR_PS_PER_MS);
    assert_true(r.rows[2].parallelism > r.rows[1].parallelism);
    assert_int_equal(count_names(scratch_path("out")), 5); /* four files and the manifest */
    char *csv = read_text(scratch_path("out/parallelism.csv")),
         *svg = read_text(scratch_path("out/parallelism.svg"));
    assert_non_null(strstr(csv, "lps,rounds,parallelism,utilisation\n1,"));
    assert_non_null(strstr(svg, "</svg>"));
    assert_non_null(strstr(svg, "Utilisation"));
    free(csv);
    free(svg);
    weir_parallelism_free(&r);
    assert_int_equal(analyse(KADEMLIA "think: 2s}}\n", &options, &r, message, sizeof message),
                     WEIR_E_IO); /* it stands */
    weir_parallelism_free(&r);
    wi_remove_tree(scratch_folder);
}

static void bad_options_are_named(void **state)
{
    static const uint32_t none[] = {0}, many[] = {1, 201};
    weir_parallelism_options options;
    weir_parallelism r;
    char message[400];
    (void)state;
    weir_parallelism_options_init(&options);
    options.no_output = true;
    options.lps = none;
    options.n_lps = 1;
    assert_int_equal(analyse(KADEMLIA "}}\n", &options, &r, message, sizeof message), WEIR_E_ARG);
    assert_non_null(strstr(message, "0 LPs"));
    options.lps = many;
    options.n_lps = 2;
    assert_int_equal(analyse(KADEMLIA "}}\n", &options, &r, message, sizeof message), WEIR_E_ARG);
    assert_non_null(strstr(message, "want 1 to 200"));
    options.lps = NULL;
    options.events = 0;
    assert_int_equal(analyse(KADEMLIA "}}\n", &options, &r, message, sizeof message), WEIR_E_ARG);
    assert_non_null(strstr(message, "trace of 0 events"));
    options.events = 10;
    options.lookahead_ps = -1;
    assert_int_equal(analyse(KADEMLIA "}}\n", &options, &r, message, sizeof message), WEIR_E_ARG);
    assert_non_null(strstr(message, "lookahead"));
}

static weir_verify_result verify(const char *a, const char *b)
{
    weir_verify_result result;
    weir_diag *diag = weir_diag_new();
    weir_scenario *x = good(a, NULL, 0), *y = good(b, NULL, 0);
    const weir_status status = weir_verify(diag, x, y, NULL, &result);
    if (status != WEIR_OK) {
        print_messages(diag);
        fail_msg("%s", weir_status_name(status));
    }
    weir_scenario_free(x);
    weir_scenario_free(y);
    weir_diag_free(diag);
    return result;
}

static void engines_agree(void **state)
{
    static const char *const texts[] = {
        PHOLD "lookahead: 1us, mean: 1us}}\n%s", KADEMLIA "churn: {online: 10s, offline: 5s}}}\n%s",
        "weir: 1\nduration: 50ms\ntopology: {generate: {model: dumbbell, left: 3}}\n"
        "traffic: [{name: a, tcp: {}, pairs: {random: 3}}]\n%s"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        static const char *const others[] = {"engine: {type: check}\n",
                                             "engine: {type: conservative, threads: 3}\n"};
        static const char *const names[] = {"engine check", "engine conservative"};
        for (int k = 0; k < 2; k++) {
            char once[500], other[500];
            snprintf(once, sizeof once, texts[i], "");
            snprintf(other, sizeof other, texts[i], others[k]);
            weir_verify_result r = verify(once, other);
            assert_true(r.same);
            assert_non_null(strstr(r.text, "the same events, and the same state"));
            assert_non_null(strstr(r.text, names[k]));
            weir_verify_result_free(&r);
        }
    }
}

/* Two networks that part only when a request times out, since they retry it another number of times: the
 * first event that differs is what one sends then and the other does not, a whole second after something was
 * asked. */
static void differences_are_located(void **state)
{
    (void)state;
    weir_verify_result r = verify(KADEMLIA "retries: 1, churn: {online: 10s, offline: 5s}}}\n",
                                  KADEMLIA "retries: 0, churn: {online: 10s, offline: 5s}}}\n");
    assert_false(r.same);
    assert_non_null(strstr(r.text, "they part at 1."));
    assert_non_null(strstr(r.text, "    request "));
    assert_non_null(strstr(r.text, "handles nothing there at that time"));
    weir_verify_result_free(&r);
    r = verify(KADEMLIA "}}\n", KADEMLIA "}}\nseed: 2\n");
    assert_false(r.same);
    assert_non_null(strstr(r.text, "handles other events"));
    assert_non_null(strstr(r.text, "start"));
    weir_verify_result_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parallelism_keeps_its_bounds), cmocka_unit_test(files_are_written),
        cmocka_unit_test(bad_options_are_named),        cmocka_unit_test(engines_agree),
        cmocka_unit_test(differences_are_located),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
