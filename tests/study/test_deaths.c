/*
 * Runs that die, and runs that take too long: they cost themselves alone, are named with what they died of, and are tried
 * again when that is asked for. The system ends them (RLIMIT_CPU, SIGKILL), as it ends what takes too much memory.
 * label: slow
 */
#include "cli/command.h"
#include "wait.h"

/* Runs of some milliseconds of a core, and one of minutes. */
#define PHOLD                             \
    "weir: 1\nname: p\nduration: 200us\n" \
    "model: {phold: {entities: 1000, events: 1, remote: 50%, lookahead: 1us, mean: 1us}}\n"
#define LONG "study p.yaml --vary duration=200us,10s,300us --replications 2 --no-progress -j 2 "

static int set_up(void **state)
{
    if (enter_scratch(state) != 0)
        return -1;
    put_text("p.yaml", PHOLD);
    return 0;
}

/* A limit of the processor's time ends each process that has the long run; all others end well. */
static int with_limit(const char *arguments)
{
    char line[1000];
    snprintf(line, sizeof line, "ulimit -c 0; ulimit -t 1; '%s' %s >.out 2>.err </dev/null", WEIR, arguments);
    const int status = system(line);
    assert_true(WIFEXITED(status));
    slurp(".out", out_text, sizeof out_text);
    slurp(".err", err_text, sizeof err_text);
    return WEXITSTATUS(status);
}

static int count(const char *text, const char *what)
{
    int n = 0;
    for (; (text = strstr(text, what)); text++)
        n++;
    return n;
}

static void one_that_dies_costs_itself(void **state)
{
    (void)state;
    assert_int_equal(with_limit(LONG "-o dies"), 1);
    char *rows = read_text("dies/runs.csv");
    if (count(rows, ",ok,") != 4 || count(rows, ",failed,") != 2 ||
        count(rows, "its process died twice, of signal") != 2)
        fail_msg("%s\n%s", rows, err_text);
    assert_non_null(strstr(err_text, "point 1, replication 0 failed: its process died twice"));
    /* Once more: nothing is run, and it says the same. */
    assert_int_equal(weir(LONG "-o dies"), 1);
    assert_non_null(strstr(out_text, "(6 from before)"));
    char *again = read_text("dies/runs.csv");
    assert_string_equal(rows, again);
    free(rows);
    free(again);
    /* Tried again, with a limit of its own. */
    assert_int_equal(weir(LONG "-o dies --retry --run-timeout 300ms"), 1);
    rows = read_text("dies/runs.csv");
    if (count(rows, ",ok,") != 4 || count(rows, "took longer than the 0.3 s of --run-timeout") != 2)
        fail_msg("%s\n%s", rows, err_text);
    free(rows);
    assert_weir("study p.yaml --vary seed=1,2 --run-timeout 0s", 2, "--run-timeout 0s: want a time above 0");
}

/* The process of a process's first child; 0: it has none. */
static int child_of(pid_t pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
    char *text = read_text(path);
    const int child = text ? atoi(text) : 0;
    free(text);
    return child;
}

/* The runs of a process that is killed from outside are made again, and nobody can tell. Once a study: a second signal
 * might reach a run that is made again alone, which would have died twice. */
static void killed_from_outside(void **state)
{
    static const char arguments[] = "study p.yaml --vary seed=1..20 --replications 2 --no-progress -j 2 -o ";
    static const int signals[] = {SIGKILL, SIGSEGV};
    char line[500];
    (void)state;
    snprintf(line, sizeof line, "%s whole", arguments);
    assert_int_equal(weir(line), 0);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        bool killed = false;
        snprintf(line, sizeof line, "'%s' %s killed --force", WEIR, arguments);
        assert_int_equal(system("rm -rf killed"), 0);
        const pid_t pid = start_line(line);
        while (!killed && !has_ended(pid)) {
            const int child = child_of(pid);
            killed = child > 0 && access("killed/journal.jsonl", F_OK) == 0 && kill(child, signals[i]) == 0;
            wait_a_little();
        }
        assert_true(killed);
        wait_until(has_ended(pid));
        assert_int_equal(end_of(pid), 0);
        assert_int_equal(system("cmp whole/runs.csv killed/runs.csv"), 0);
        assert_int_equal(system("cmp whole/aggregate.csv killed/aggregate.csv"), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_that_dies_costs_itself),
                                       cmocka_unit_test(killed_from_outside)};
    return cmocka_run_group_tests(tests, set_up, leave_scratch);
}
