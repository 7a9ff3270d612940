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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(parallelism, setup, leave_scratch),
        cmocka_unit_test_setup_teardown(verify, setup, leave_scratch),
        cmocka_unit_test_setup_teardown(verify_names_the_file, setup, leave_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
