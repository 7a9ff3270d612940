/*
 * weir study as a command, killed (SIGKILL) after random numbers of runs and begun again, on threads and on ranks in turn: its
 * tables are those of a study that nobody stopped, byte for byte. Ranks that die are done without. Shards that are collected give the same. A folder is
 * one command's at a time. Under sanitizers Open MPI leaks and memory has no limit: label: slow statistics night
 */
#include "cli/command.h"
#include "skip.h"
#include "splitmix.h"
#include "wait.h"
#include "nightly.h"

#define VARY                                                                            \
    "study net.yaml --vary 'topology.queue.limit=5kB..40kB step 5kB' --vary "           \
    "flows:traffic.bulk.tcp.sessions=1,3 --replications 4 --baseline flows=1 --metric " \
    "classes.bulk.goodput_bps "                                                         \
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
        snprintf(line, sizeof line, "diff whole/%s %s/%s >.diff 2>&1", tables[i], dir, tables[i]);
        if (system(line) == 0)
            continue;
        char *text = read_text(".diff");
        fail_msg("%s of %s is another: %.2000s", tables[i], dir, text ? text : "");
    }
}

/* Bytes of the journal: one line a run that is over. */
static off_t journal_bytes(const char *dir)
{
    char path[64];
    struct stat about;
    snprintf(path, sizeof path, "%s/journal.jsonl", dir);
    return stat(path, &about) == 0 ? about.st_size : 0;
}

/* The number of a rank's process, which it has written; -1: it has not. */
static int rank_pid(int rank)
{
    char path[32];
    snprintf(path, sizeof path, "pid.%d", rank);
    char *text = read_text(path);
    const int pid = text && text[0] ? atoi(text) : -1;
    free(text);
    return pid;
}

/* Starts the study, and kills all of it when its journal has grown so often. Returns whether it was still at work. */
static bool kill_after(const char *dir, bool ranks, uint64_t growths)
{
    char line[1200];
    assert_int_equal(system("rm -f pid.*"), 0);
    if (ranks)
        snprintf(line, sizeof line,
                 MPIRUN " -n 2 sh -c 'echo $$ >pid.$OMPI_COMM_WORLD_RANK; exec \"%s\" \"$@\"' weir %s -o %s",
                 WEIR, VARY, dir);
    else
        snprintf(line, sizeof line, "'%s' %s -o %s", WEIR, VARY, dir);
    const pid_t pid = start_line(line);
    for (uint64_t i = 0; i < growths; i++) {
        const off_t was = journal_bytes(dir);
        wait_until(journal_bytes(dir) != was || has_ended(pid));
    }
    const bool there = !has_ended(pid);
    for (int i = 0; ranks && i < 2; i++) /* mpirun gives them groups of their own */
        if (rank_pid(i) > 0)
            kill(rank_pid(i), SIGKILL);
    kill(-pid, SIGKILL);
    end_of(pid);
    return there;
}

/* Orphans of a killed mpirun are this process's children: all are waited for. */
static void wait_for_orphans(void)
{
    while (waitpid(-1, NULL, 0) > 0)
        continue;
}

/* Again and again until so many were killed: where the study ends before, it is begun anew. */
static void killed_and_begun_again(void **state)
{
    uint64_t random = 5;
    int killed = 0;
    (void)state;
    const int wanted = nightly() ? 16 : 5;
    for (int study = 0; study < 100 && killed < wanted; study++) {
        char dir[32], arguments[900];
        snprintf(dir, sizeof dir, "killed%d", study);
        for (int k = 0; k < 5; k++)
            killed += kill_after(dir, false, rnd_below(&random, 12));
        snprintf(arguments, sizeof arguments, VARY "-o %s", dir);
        if (weir(arguments) != 0)
            fail_msg("the study does not go on: %s%s", out_text, err_text);
        assert_same_tables(dir);
        assert_int_equal(count_names(dir) >= 5, 1);
    }
    print_message("  killed %d times\n", killed);
    assert_true(killed >= wanted);
}

static void on_ranks_and_back(void **state)
{
    char line[1200];
    uint64_t random = 9;
    (void)state;
    if (system("command -v mpirun >/dev/null 2>&1") != 0 || weir("info") != 0 || strstr(out_text, "no MPI"))
        skip_aloud("no MPI here");
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    for (int k = 0; k < (nightly() ? 3 : 1); k++) { /* whoever is killed, another executor goes on */
        kill_after("mixed", true, 1 + rnd_below(&random, 5));
        wait_for_orphans();
        kill_after("mixed", false, rnd_below(&random, 5));
    }
    snprintf(line, sizeof line, "timeout 600 " MPIRUN " -n 3 '%s' %s >.out 2>.err </dev/null", WEIR,
             VARY "-o mixed");
    if (system(line) != 0) {
        slurp(".err", err_text, sizeof err_text);
        fail_msg("ranks do not go on: %s", err_text);
    }
    assert_same_tables("mixed");
}

/* Kill some of three ranks when the study has its first row; its mpirun is told to leave the rest alone. Returns whether they
 * were still at work; what the study said is in err_text. */
static bool lose_ranks(const char *dir, const int *ranks, int n, int *code)
{
    char line[1200];
    assert_int_equal(system("rm -f pid.* code"), 0);
    snprintf(
        line, sizeof line,
        "timeout 600 " MPIRUN " --enable-recovery -n 3 sh -c 'echo $$ >pid.$OMPI_COMM_WORLD_RANK; "
        "[ $OMPI_COMM_WORLD_RANK = 0 ] || exec \"%s\" \"$@\"; \"%s\" \"$@\"; echo $? >code' weir %s -j 1 "
        "-o %s",
        WEIR, WEIR, VARY, dir);
    const pid_t pid = start_line(line);
    wait_until(journal_bytes(dir) > 0 || has_ended(pid));
    for (int i = 0; i < n; i++)
        if (rank_pid(ranks[i]) > 0)
            kill(rank_pid(ranks[i]), SIGKILL);
    (void)end_of(pid); /* mpirun's own, which is 0 where it was told to leave the rest alone */
    char *text = read_text("code");
    *code = text && text[0] ? atoi(text) : -1;
    free(text);
    slurp(".err", err_text, sizeof err_text);
    for (int i = 0; i < n; i++) {
        snprintf(line, sizeof line, "weir: rank %d (process ", ranks[i]);
        if (!strstr(err_text, line))
            return false;
    }
    return true;
}

/* Whether both of two ranks had one run: given to the second between their deaths, it fails, as docs/studies.md has it. */
static bool one_run_was_lost_twice(const char *dir)
{
    char path[64];
    snprintf(path, sizeof path, "%s/runs.csv", dir);
    char *text = read_text(path);
    const bool is = text && strstr(text, "two ranks that had it died");
    free(text);
    return is;
}

/* It goes on without them: all runs are there, the tables are the same, and it says so. Where the study was over before
 * they could be killed, again. */
static void ranks_die_and_the_rest_goes_on(void **state)
{
    static const int which[] = {1, 2};
    (void)state;
    if (system("command -v mpirun >/dev/null 2>&1") != 0 || weir("info") != 0 || strstr(out_text, "no MPI"))
        skip_aloud("no MPI here");
    for (int n = 1; n <= 2; n++) {
        char dir[32];
        int code = 0, turn = 0;
        do {
            snprintf(dir, sizeof dir, "lost%d-%d", n, turn++);
        } while ((!lose_ranks(dir, which, n, &code) || (n == 2 && one_run_was_lost_twice(dir))) &&
                 turn < 100);
        assert_same_tables(dir);
        assert_int_equal(code, 1);
        const char *died = n == 1 ? "1 rank died before" : "2 ranks died before";
        if (!strstr(err_text, died))
            fail_msg("not '%s', after %d turns:\n%s", died, turn, err_text);
    }
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
    assert_says("study net.yaml --vary flows:traffic.bulk.tcp.sessions=1,2 --replications 3 --dry-run", 0,
                "6 runs", "");
}

static int times_of(const char *in, const char *what)
{
    int n = 0;
    for (const char *at = in; (at = strstr(at, what)); at++)
        n++;
    return n;
}

/* Warnings, and what the first run that failed says, whoever had the runs. */
static void ranks_say_what_threads_say(void **state)
{
    static const char said[] =
        "study said.yaml --no-progress --replications 6 --vary traffic.a.to=r0,nobody -o ";
    char line[1200];
    (void)state;
    if (system("command -v mpirun >/dev/null 2>&1") != 0 || weir("info") != 0 || strstr(out_text, "no MPI"))
        skip_aloud("no MPI here");
    put_text("said.yaml", "weir: 1\nduration: 100ms\ntopology: {generate: {model: dumbbell, left: 2}}\n"
                          "traffic:\n  - {name: a, from: l0, to: r0, tcp: {congestion: dctcp}}\n");
    snprintf(line, sizeof line, "'%s' %s said1 >/dev/null 2>said1.err", WEIR, said);
    assert_int_not_equal(system(line), 0);
    snprintf(line, sizeof line, "timeout 600 " MPIRUN " -n 3 '%s' %s said3 >/dev/null 2>said3.err </dev/null",
             WEIR, said);
    assert_int_not_equal(system(line), 0);
    for (int k = 1; k <= 3; k += 2) {
        snprintf(line, sizeof line, "said%d.err", k);
        char *text = read_text(line);
        assert_non_null(text);
        if (times_of(text, "said.yaml:5:") != 1 || times_of(text, "no queue here marks") != 1 ||
            times_of(text, "point 1, replication 0 failed: ") != 1 || times_of(text, "no node 'nobody'") != 1)
            fail_msg("%s: %s", line, text);
        free(text);
    }
}

/* What one command says under mpirun, it says once. */
static void ranks_say_it_once(void **state)
{
    static const struct {
        const char *arguments, *says;
    } cases[] = {{"study net.yaml --vary topology.queue.limt=1kB", "unknown key 'limt'"},
                 {"study net.yaml --metric nothing.at.all -o once", "nothing.at.all': no "},
                 {"study net.yaml --shard 5/3", "--shard wants I/N"},
                 {"study net.yaml --vary seed=1,2 --dry-run", "# 2 parameter sets, 2 runs"}};
    char line[1200];
    (void)state;
    if (system("command -v mpirun >/dev/null 2>&1") != 0 || weir("info") != 0 || strstr(out_text, "no MPI"))
        skip_aloud("no MPI here");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(line, sizeof line, "timeout 600 " MPIRUN " -n 2 '%s' %s >.once 2>&1 </dev/null", WEIR,
                 cases[i].arguments);
        (void)!system(line);
        char *text = read_text(".once");
        assert_non_null(text);
        if (times_of(text, cases[i].says) != 1)
            fail_msg("%s: %s", cases[i].arguments, text);
        free(text);
    }
}

/* What asks for more memory than there is fails by name, and the rest goes on. */
static void memory_runs_out(void **state)
{
    char line[1500];
    (void)state;
    put_text(
        "phold.yaml",
        "weir: 1\nduration: 1us\nmodel: {phold: {entities: 100, events: 4, lookahead: 1us, mean: 1us}}\n");
    snprintf(line, sizeof line,
             "ulimit -v 600000; OMP_NUM_THREADS=1 MALLOC_ARENA_MAX=2 '%s' study phold.yaml --vary "
             "model.phold.entities=100,5000000,200 -o memory -j 1 "
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

/* Two at once would be more than may be had: one is, all of them end well, and a warning says so. */
static void memory_is_waited_for(void **state)
{
    (void)state;
    const int status =
        system("ulimit -v 1500000; OMP_NUM_THREADS=1 MALLOC_ARENA_MAX=2 '" WEIR
               "' study phold.yaml --vary model.phold.entities=2500000,2400000 --replications 4 -j 4 -o "
               "admitted >.out 2>.err </dev/null");
    slurp(".err", err_text, sizeof err_text);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || !strstr(err_text, "were at once, not the 4"))
        fail_msg("wait status %#x; it said:\n%s", (unsigned)status, err_text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(killed_and_begun_again),
                                       cmocka_unit_test(on_ranks_and_back),
                                       cmocka_unit_test(ranks_die_and_the_rest_goes_on),
                                       cmocka_unit_test(shards_are_collected),
                                       cmocka_unit_test(ranks_say_what_threads_say),
                                       cmocka_unit_test(ranks_say_it_once),
                                       cmocka_unit_test(memory_runs_out),
                                       cmocka_unit_test(memory_is_waited_for)};
    return test_result(cmocka_run_group_tests(tests, set_up, leave_scratch));
}
