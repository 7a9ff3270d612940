/*
 * weir run --checkpoint and weir resume as a shell has them: SIGTERM writes a checkpoint before the command ends, from
 * which the run goes on; after SIGKILL while checkpoints are written there is a whole one; a fork leaves the run's folder
 * and checkpoint alone.
 *
 * label: slow
 */
#include "splitmix.h"
#include "watched.h"

static const char scenario[] =
    "weir: 1\nname: j\nduration: 100d\noutput: {interval: 1200h}\nmodel: {jackson: {stations: 50}}\n";

static bool there(const char *path)
{
    return access(path, F_OK) == 0;
}

/* `weir run j.yaml --checkpoint EVERY`: it has no end of its own. */
static pid_t start_run(const char *every)
{
    char line[200];
    snprintf(line, sizeof line, "run j.yaml -o r --no-progress --checkpoint %s", every);
    return start_weir(line);
}

/* Its exit code after the signal; what it said is in err_text. */
static int end_by(pid_t pid, int number)
{
    kill(pid, number);
    const int code = end_of(pid);
    slurp(".err", err_text, sizeof err_text);
    return code;
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
    snprintf(line, sizeof line, "run j.yaml -o straight -q --set output.interval=1200h --duration %gs",
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
    const pid_t run = start_run("1h");
    wait_for_run(run, "r");
    assert_int_equal(end_by(run, SIGTERM), 1);
    assert_non_null(strstr(err_text, "to go on: weir resume r.checkpoint"));
    assert_true(there("r.checkpoint") && !there("r"));
    expect_goes_on(reached_s());
}

/* Which checkpoint stands there: a file renamed over another is another. */
static ino_t checkpoint_number(void)
{
    struct stat about;
    return stat("r.checkpoint", &about) == 0 ? about.st_ino : 0;
}

/* Killed when so many checkpoints were seen to appear, at any moment of writing the next. */
static void sigkill_leaves_a_whole_one(void **state)
{
    uint64_t random = 11;
    (void)state;
    put_text("j.yaml", scenario);
    for (int turn = 0; turn < 9; turn++) {
        const uint64_t want = 1 + rnd_below(&random, 20);
        const pid_t run = start_run("1us");
        for (uint64_t seen = 0; seen < want; seen++) {
            const ino_t last = checkpoint_number();
            wait_until((checkpoint_number() != last && checkpoint_number() != 0) || has_ended(run));
        }
        assert_int_equal(end_by(run, SIGKILL), 128 + SIGKILL);
        assert_true(there("r.checkpoint"));
        /* A fork that would end before the checkpoint says of which time that is. */
        assert_says("resume r --duration 1ns", 2, "", "duration");
    }
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

/* From any engine's options to any other's; what a writer left that was killed goes. */
static void options_that_clash_are_dropped(void **state)
{
    static const char *const from[] = {"--engine sequential", "--engine conservative --threads 2",
                                       "--engine optimistic --threads 2 --set engine.memory=100MB"},
                             *const to[] = {"--engine sequential", "--threads 2", "--engine optimistic",
                                            "--engine conservative --threads 3", "--engine check"};
    char line[300];
    (void)state;
    put_text(
        "p.yaml",
        "weir: 1\nduration: 1s\nmodel: {phold: {entities: 20, events: 2, lookahead: 10ms, mean: 10ms}}\n");
    for (size_t i = 0; i < sizeof from / sizeof from[0]; i++) {
        snprintf(line, sizeof line, "run p.yaml -o q -q --checkpoint-at 500ms --force %s", from[i]);
        assert_int_equal(weir(line), 0);
        for (size_t j = 0; j < sizeof to / sizeof to[0]; j++) {
            snprintf(line, sizeof line, "resume q.checkpoint -o q2 -q --force %s", to[j]);
            if (weir(line) != 0)
                fail_msg("%s, then %s: %s", from[i], to[j], err_text);
        }
    }
    put_text("q.checkpoint.tmp-4194305", "half"); /* no process has that number */
    put_text("q.checkpoint.tmp-x", "somebody's");
    assert_int_equal(weir("run p.yaml -o q --force"), 0);
    assert_non_null(strstr(err_text, "q.checkpoint.tmp-4194305: warning: left by a run that was killed"));
    assert_true(!there("q.checkpoint.tmp-4194305") && there("q.checkpoint.tmp-x"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sigterm_writes_one), cmocka_unit_test(sigkill_leaves_a_whole_one),
        cmocka_unit_test(a_fork_that_cannot_be), cmocka_unit_test(options_that_clash_are_dropped)};
    return cmocka_run_group_tests(tests, enter_scratch, leave_scratch);
}
