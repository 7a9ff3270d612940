/* Pinned down: exit codes and output of `weir analyze parallelism` and `weir verify`, as built. */
#include "command.h"

static int setup(void **state)
{
    if (enter_scratch(state) != 0)
        return -1;
    put_text("p.yaml", "weir: 1\nduration: 30us\nmodel: {phold: {entities: 50, events: 2}}\n");
    return 0;
}

static void parallelism(void **state)
{
    (void)state;
    assert_says("analyze parallelism p.yaml --lps 1,5,50 --events 1e3", 0, "utilisation", "");
    assert_non_null(strstr(out_text, "100.0%"));
    assert_true(exists("results/p-parallelism/parallelism.csv"));
    assert_true(exists("results/p-parallelism/parallelism.svg"));
    assert_weir("analyze parallelism p.yaml", 1, "results/p-parallelism");
    assert_says("analyze parallelism p.yaml --force --lookahead 100ns", 0, "window 100ns", "");
    assert_weir("analyze parallelism p.yaml --lps 1,x", 2, "--lps wants");
    assert_weir("analyze parallelism p.yaml --lps 51 -o other", 2, "want 1 to 50");
    assert_weir("analyze parallelism p.yaml --events 1.5", 2, "--events");
    assert_weir("analyze parallelism p.yaml --lookahead 5", 2, "--lookahead: ");
    assert_weir("analyze", 2, "wants a second word");
    assert_false(exists("other"));
}

/* Two runs of one scenario, between which a file changed: the file is the reason, and no other is guessed at. */
static void verify_names_the_file(void **state)
{
    (void)state;
    put_text("sizes.txt", "100 0.5\n5000 1\n");
    put_text("f.yaml", "weir: 1\nduration: 1s\ntopology: {generate: {model: dumbbell}}\n"
                       "traffic: [{name: f, from: l0, to: r0, tcp: {size: {cdf: sizes.txt}, "
                       "arrivals: {poisson: 9/s}}}]\n");
    assert_says("run f.yaml -q -o a", 0, "", "");
    put_text("sizes.txt", "100 0.5\n6000 1\n");
    assert_says("run f.yaml -q -o b", 0, "", "");
    assert_says("verify a b", 1, "different content for traffic.f.tcp.size.cdf", "has changed");
    assert_non_null(strstr(out_text, "with those files as they are now"));
    assert_null(strstr(out_text, "other versions"));
}

static void verify(void **state)
{
    (void)state;
    assert_says("verify p.yaml --against check", 0, "the same events, and the same state", "");
    assert_weir("verify p.yaml", 2, "against what?");
    assert_weir("verify p.yaml p.yaml --against check", 2, "not both");
    assert_weir("verify p.yaml --against nothing", 2, "nothing");
    assert_weir("verify p.yaml --against check:3", 2, "--against wants");
    assert_says("run p.yaml -q -o a", 0, "", "");
    assert_says("run p.yaml -q -o b --engine check", 0, "", "");
    assert_says("run p.yaml -q -o c --seed 2", 0, "", "");
    assert_says("verify a b", 0, "both folders have the same digests", "");
    assert_says("verify a c", 1, "they part at 0.0000", "");
    assert_non_null(strstr(out_text, "hop "));
    /* A folder that tells of a run that its scenario does not give. */
    assert_int_equal(system("sed -i 's/\"event_digest\": \"0x/&f/' b/summary.json"), 0);
    assert_says("verify a b", 1, "the folders tell of other runs", "");
}

/* Delays of 12.96 ms, of four flows, whose numbers have the mean 1.5: a count has no unit, whatever it counts. */
static void study_tells_units(void **state)
{
    (void)state;
    put_text(
        "u.yaml",
        "weir: 1\nduration: 1s\ntopology: {generate: {model: dumbbell, left: 4, bottleneck_delay: 10ms}}\n"
        "traffic: [{name: u, pairs: [[l0, r0], [l1, r1], [l2, r2], [l3, r3]], udp: {rate: 1Mbps}, "
        "start: {uniform: [0s, 1us]}}]\n");
    assert_weir(
        "study u.yaml --no-progress --metric 'count(flows.delay_mean_s)' --metric 'min(flows.delay_min_s "
        "where class = u)' --metric 'mean(flows.flow)'",
        0, "");
    static const char *const rows[] = {"count(flows.delay_mean_s) 1 4 - -",
                                       "min(flows.delay_min_s where class = u) 1 12.96 ms - -",
                                       "mean(flows.flow) 1 1.5 - -"};
    char squeezed[2000];
    size_t n = 0;
    for (const char *at = out_text; *at && n + 1 < sizeof squeezed; at++)
        if (*at != ' ' || (n && squeezed[n - 1] != ' '))
            squeezed[n++] = *at;
    squeezed[n] = '\0';
    for (size_t i = 0; i < 3; i++)
        if (!strstr(squeezed, rows[i]))
            fail_msg("no '%s' in\n%s", rows[i], out_text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(parallelism, setup, leave_scratch),
        cmocka_unit_test_setup_teardown(verify, setup, leave_scratch),
        cmocka_unit_test_setup_teardown(study_tells_units, setup, leave_scratch),
        cmocka_unit_test_setup_teardown(verify_names_the_file, setup, leave_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
