/*
 * weir run --checkpoint and weir resume as a shell has them: SIGTERM writes a checkpoint before the command ends, from
 * which the run goes on; after SIGKILL while checkpoints are written there is a whole one; a fork leaves the run's folder
 * and checkpoint alone.
 *
 * label: slow
 */
#include <signal.h>

#include "command.h"

static const char scenario[] =
    "weir: 1\nname: j\nduration: 1h\noutput: {interval: 30min}\nmodel: {jackson: {stations: 50}}\n";

static bool there(const char *path)
{
    return access(path, F_OK) == 0;
}

/* `weir run j.yaml --checkpoint EVERY`, sent `number` after `wait_s`: what it said is in err_text. */
static int run_and_kill(const char *every, int number, double wait_s)
{
    char line[400];
    snprintf(
        line, sizeof line,
        "'%s' run j.yaml -o r --no-progress --checkpoint %s >.out 2>.err </dev/null & sleep %g; kill -%d $! "
        "2>/dev/null; wait $!",
        WEIR, every, wait_s, number);
    const int status = system(line);
    slurp(".err", err_text, sizeof err_text);
    return WEXITSTATUS(status);
}

static double reached_s(void)
{
    const char *at = strstr(err_text, "stopped at ");
    assert_non_null(at);
    return strtod(at + 11, NULL);
}

static void digests(const char *folder, char *out, size_t size)
{
    char path[100], summary[1 << 14];
    snprintf(path, sizeof path, "%s/summary.json", folder);
    slurp(path, summary, sizeof summary);
    const char *a = strstr(summary, "\"event_digest\""), *b = strstr(summary, "\"state_digest\"");
    assert_true(a && b);
    snprintf(out, size, "%.38s %.38s", a, b);
}

/* The run goes on to a bit behind `from_s`, and is the run straight through. */
static void expect_goes_on(double from_s)
{
    char line[300], want[100], got[100];
    const double end_s = (double)(long long)from_s + 2;
    snprintf(line, sizeof line, "resume r --duration %gs -q", end_s);
    assert_int_equal(weir(line), 0);
    assert_true(there("r-fork") && there("r.checkpoint") && !there("r"));
    snprintf(line, sizeof line, "run j.yaml -o straight -q --set output.interval=30min --duration %gs",
             end_s);
    assert_int_equal(weir(line), 0);
    digests("r-fork", got, sizeof got);
    digests("straight", want, sizeof want);
    assert_string_equal(got, want);
    assert_int_equal(system("rm -rf r-fork straight r.checkpoint*"), 0);
}

static void sigterm_writes_one(void **state)
{
    (void)state;
    put_text("j.yaml", scenario);
    double wait_s = 0.3;
    for (; wait_s < 20; wait_s *= 2) { /* a machine under load may still be setting up */
        const int code = run_and_kill("1h", SIGTERM, wait_s);
        assert_int_equal(code, 1);
        if (!strstr(err_text, "during the set-up"))
            break;
    }
    assert_non_null(strstr(err_text, "to go on: weir resume r.checkpoint"));
    assert_true(there("r.checkpoint") && !there("r"));
    expect_goes_on(reached_s());
}

static void sigkill_leaves_a_whole_one(void **state)
{
    (void)state;
    put_text("j.yaml", scenario);
    int whole = 0;
    double last_s = 0;
    double wait_s = 0.15; /* longer and longer, for machines under load */
    for (int turn = 0; turn < 9; turn++, wait_s *= 1.4) {
        assert_int_equal(run_and_kill("1us", SIGKILL, wait_s), 128 + SIGKILL);
        if (!there("r.checkpoint"))
            continue;
        whole++;
        /* A fork that would end before the checkpoint says of which time that is. */
        assert_says("resume r --duration 1ns", 2, "", "duration");
        last_s = 1;
    }
    assert_true(whole >= 1 && last_s > 0);
    assert_int_equal(weir("resume r --duration 1ns -q"), 2);
    assert_int_equal(system("rm -rf r.checkpoint*"), 0);
}

static void a_fork_that_cannot_be(void **state)
{
    (void)state;
    put_text("j.yaml", scenario);
    assert_int_equal(weir("run j.yaml -o r --duration 2s --set output.interval=1s --checkpoint-at 1s -q"), 0);
    assert_says("resume r --seed 4", 2, "", "seed: '1' in the checkpoint");
    assert_says("resume r --set model.jackson.stations=60", 2, "", "model.jackson.stations: '50'");
    assert_true(there("r.checkpoint") && !there("r-fork"));
    assert_int_equal(weir("resume r --duration 3s -o other -q"), 0);
    assert_true(there("other") && there("r.checkpoint") && !there("r-fork"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sigterm_writes_one),
                                       cmocka_unit_test(sigkill_leaves_a_whole_one),
                                       cmocka_unit_test(a_fork_that_cannot_be)};
    return cmocka_run_group_tests(tests, enter_scratch, leave_scratch);
}
