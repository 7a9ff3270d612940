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
    assert_weir("analyze parallelism p.yaml --lookahead 5", 2, "--lookahead wants");
    assert_weir("analyze", 2, "wants a second word");
    assert_false(exists("other"));
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
