/*
 * weir study as a command, killed (SIGKILL) at random moments and begun again, on threads and on ranks in turn: its
 * tables are those of a study that nobody stopped, byte for byte. Shards that are collected give the same. A folder is
 * one command's at a time. Under sanitizers Open MPI leaks and memory has no limit: label: slow statistics
 */
#include "cli/command.h"
#include "skip.h"
#include "splitmix.h"

#include <signal.h>
#include <time.h>

#define VARY                                                                                             \
    "study net.yaml --vary 'topology.queue.limit=5kB..40kB step 5kB' --vary "                            \
    "n:traffic.bulk.tcp.sessions=1,3 --replications 4 --baseline n=1 --metric classes.bulk.goodput_bps " \
    "--metric 'w=max(ports.wait_mean_s)' --until-precision 0.2 --max-replications 12 --no-progress "
#define MPIRUN "mpirun --allow-run-as-root --oversubscribe --bind-to none"

static const char network[] =
    "weir: 1\nduration: 2s\n"
    "topology: {generate: {model: dumbbell, left: 2, bottleneck_rate: 5Mbps, bottleneck_delay: 5ms}}\n"
    "traffic:\n  - {name: bulk, from: l0, to: r0, tcp: {}, start: {uniform: [0s, 500ms]}}\n"
    "  - {name: noise, from: l1, to: r1, udp: {rate: 1Mbps, pattern: poisson}}\n";

static int set_up(void **state)
{
    if (enter_scratch(state) != 0)
        return -1;
    put_text("net.yaml", network);
    return weir(VARY "-o whole");
}

static void assert_same_tables(const char *dir)
{
    static const char *const tables[] = {"runs.csv", "aggregate.csv", "differences.csv"};
    for (size_t i = 0; i < 3; i++) {
        char line[200];
        snprintf(line, sizeof line, "cmp whole/%s %s/%s >.cmp 2>&1", tables[i], dir, tables[i]);
        if (system(line) != 0)
            fail_msg("%s of %s is another", tables[i], dir);
    }
}

/* Starts a command in a process group of its own, and kills all of it after a while. Returns whether it was still
 * there. */
static bool kill_after(const char *arguments, bool ranks, double seconds)
{
    char line[1200];
    snprintf(line, sizeof line, "exec %s '%s' %s >.out 2>.err </dev/null", ranks ? MPIRUN " -n 2" : "", WEIR,
             arguments);
    const pid_t pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        execl("/bin/sh", "sh", "-c", line, (char *)NULL);
        _exit(127);
    }
    setpgid(pid, pid);
    const struct timespec t = {.tv_sec = (time_t)seconds, .tv_nsec = (long)(1e9 * (seconds - (long)seconds))};
    nanosleep(&t, NULL);
    int status;
    const bool there = waitpid(pid, &status, WNOHANG) == 0;
    kill(-pid, SIGKILL);
    if (there)
        waitpid(pid, &status, 0);
    return there;
}

static void killed_and_begun_again(void **state)
{
    uint64_t seed = 5;
    int killed = 0;
    (void)state;
    for (int study = 0; study < 4; study++) {
        char arguments[900];
        snprintf(arguments, sizeof arguments, VARY "-o killed%d", study);
        for (int k = 0; k < 6; k++)
            killed += kill_after(arguments, false, 0.01 + 0.15 * rnd_below(&seed, 1000) / 1000.0);
        char dir[32];
        snprintf(dir, sizeof dir, "killed%d", study);
        if (weir(arguments) != 0)
            fail_msg("the study does not go on: %s%s", out_text, err_text);
        assert_same_tables(dir);
        assert_int_equal(count_names(dir) >= 5, 1);
    }
    assert_true(killed > 0);
}

static void on_ranks_and_back(void **state)
{
    char line[1200];
    uint64_t seed = 9;
    (void)state;
    if (system("command -v mpirun >/dev/null 2>&1") != 0 || weir("info") != 0 || strstr(out_text, "no MPI"))
        skip_aloud("no MPI here");
    for (int k = 0; k < 3; k++) { /* whoever is killed, another executor goes on */
        kill_after(VARY "-o mixed", true, 0.3 + 0.5 * rnd_below(&seed, 1000) / 1000.0);
        struct timespec ranks_notice = {.tv_sec = 1};
        nanosleep(&ranks_notice, NULL);
        kill_after(VARY "-o mixed", false, 0.05);
    }
    snprintf(line, sizeof line, "timeout 100 " MPIRUN " -n 3 '%s' %s >.out 2>.err </dev/null", WEIR,
             VARY "-o mixed");
    if (system(line) != 0) {
        slurp(".err", err_text, sizeof err_text);
        fail_msg("ranks do not go on: %s", err_text);
    }
    assert_same_tables("mixed");
}

static void shards_are_collected(void **state)
{
    (void)state;
    for (int i = 1; i <= 3; i++) {
        char arguments[900];
        snprintf(arguments, sizeof arguments, VARY "--shard %d/3 -o part%d", i, i);
        assert_int_equal(weir(arguments), 0);
    }
    assert_int_equal(weir("study collect part1 part2 part3 -o joined"), 0);
    assert_same_tables("joined");
    assert_int_equal(weir(VARY "-o joined"), 0); /* a study like any other */
    assert_same_tables("joined");
    assert_says("study collect part1 part3 -o some", 1, "not run", "");
    assert_weir("study collect part1", 2, "-o DIR");
    assert_weir("study collect . -o x", 1, "no study");
    assert_weir("study net.yaml --duration 1s -o part1", 2, "keys differ: duration");
    assert_weir("study net.yaml --shard 4/3", 2, "--shard wants I/N");
    assert_weir("study net.yaml --jobs 0", 2, "--jobs");
    assert_weir("study net.yaml --vary 5", 2, "--vary wants PATH=VALUES");
    assert_says("study net.yaml --vary n:traffic.bulk.tcp.sessions=1,2 --replications 3 --dry-run", 0,
                "6 runs", "");
}

/* What asks for more memory than there is fails by name, and the rest goes on. */
static void memory_runs_out(void **state)
{
    char line[1500];
    (void)state;
    put_text(
        "phold.yaml",
        "weir: 1\nduration: 1us\nmodel: {phold: {entities: 100, events: 4, lookahead: 1us, mean: 1us}}\n");
    snprintf(
        line, sizeof line,
        "ulimit -v 600000; '%s' study phold.yaml --vary model.phold.entities=100,5000000,200 -o memory -j 1 "
        ">.out 2>.err </dev/null",
        WEIR);
    const int status = system(line);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 1);
    slurp("memory/runs.csv", out_text, sizeof out_text);
    assert_non_null(strstr(out_text, "\n0,0,100,1,0,ok,"));
    assert_non_null(strstr(out_text, "\n1,0,5000000,1,0,failed,"));
    assert_non_null(strstr(out_text, "memory"));
    assert_non_null(strstr(out_text, "\n2,0,200,1,0,ok,"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(killed_and_begun_again), cmocka_unit_test(on_ranks_and_back),
        cmocka_unit_test(shards_are_collected), cmocka_unit_test(memory_runs_out)};
    return test_result(cmocka_run_group_tests(tests, set_up, leave_scratch));
}
