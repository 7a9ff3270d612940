/*
 * weir run under mpirun: ranks that were given different things say so and end, a rank that is killed ends
 * the others, and results, time series among them, are those of one process, byte for byte. Skips aloud
 * without MPI or mpirun. label: slow
 */
#include "skip.h"
#include "watched.h"

#define MPIRUN_ALONE "mpirun --allow-run-as-root --oversubscribe --bind-to none"
#define MPIRUN "ASAN_OPTIONS=detect_leaks=0 timeout 600 " MPIRUN_ALONE
#define PHOLD \
    "weir: 1\nduration: 1ms\nmodel: {phold: {entities: %d, events: 4, lookahead: 10us, mean: 10us}}\n"

static const char network[] =
    "weir: 1\nduration: 0.5s\nseed: 4\n"
    "topology:\n  generate: {model: ring, routers: 8, rate: 20Mbps}\n"
    "  queue: {type: red, limit: 60kB, min: 5kB, max: 20kB, w: 0.02}\n"
    "routing: {ecmp: true, convergence: 20ms}\n"
    "traffic:\n"
    "  - {name: a, tcp: {}, pairs: {random: 10}}\n"
    "  - {name: q, tcp: {size: 30kB, request: {size: 100B, think: 50ms}}, pairs: {random: 8}}\n"
    "  - {name: b, tcp: {size: 20kB, arrivals: {poisson: 200/s}}, pairs: {random: 20}}\n"
    "events:\n  - {at: 0.1s, fail: {link: r0--r1}}\n  - {at: 0.3s, repair: {link: r0--r1}}\n"
    "output: {interval: 20ms, warmup: 0.1s, cwnd: [a, q], ports: [r0--r1, r2--r3], pcap: [r2--r3],\n"
    "  flow_monitor: {classes: [a, b]}, packets: [q, b]}\n";
static const char kademlia[] =
    "weir: 1\nduration: 3s\nmodel:\n  kademlia: {peers: 300, think: 1s,\n"
    "    churn: {online: 3s, offline: 1s, rejoin: fresh}, values: {keys: 50, find: 30%, store: 20%}}\n"
    "output: {interval: 500ms, warmup: 1s}\n";

static const char interconnect[] =
    "weir: 1\nduration: 200us\nmodel:\n  interconnect:\n    dragonfly: {p: 1, a: 3, h: 1, groups: 4}\n"
    "    jobs: [{name: a, pattern: uniform, load: 30%}]\n"
    "output: {interval: 10us, warmup: 50us}\n";

static int setup(void **state)
{
    if (enter_scratch(state) != 0)
        return -1;
    char text[300];
    snprintf(text, sizeof text, PHOLD "seed: 4\n", 2000);
    put_text("ph.yaml", text);
    snprintf(text, sizeof text, PHOLD "seed: 5\n", 2000);
    put_text("seed.yaml", text);
    snprintf(text, sizeof text, PHOLD "seed: 4\n", 1999);
    put_text("size.yaml", text);
    put_text("net.yaml", network);
    put_text("kad.yaml", kademlia);
    put_text("ic.yaml", interconnect);
    return 0;
}

static int shell(const char *line)
{
    const int status = system(line);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* Rank 0 runs ph.yaml, rank 1 what `other` says. */
static void expect_refusal(const char *other, const char *message)
{
    char line[1024];
    snprintf(line, sizeof line,
             MPIRUN " -n 1 '%s' run ph.yaml -o r --force : -n 1 '%s' run %s -o r --force >.out 2>.err", WEIR,
             WEIR, other);
    const int code = shell(line);
    slurp(".err", err_text, sizeof err_text);
    if (code != 2 || !strstr(err_text, message) || exists("r"))
        fail_msg("%s: exit %d; it said:\n%s", other, code, err_text);
}

static void ranks_must_run_the_same(void **state)
{
    (void)state;
    expect_refusal("seed.yaml", "'seed: 5' (rank 0: 'seed: 4')");
    expect_refusal("size.yaml", "'entities: 1999' (rank 0: 'entities: 2000')");
    expect_refusal("ph.yaml --set duration=2ms", "rank 1: another scenario than rank 0's: 'duration: 2ms'");
    expect_refusal("none.yaml", "rank 1: none.yaml: No such file");
    expect_refusal("ph.yaml --set no=1", "rank 1: ");
}

/* The same scenario that reads another file: a list of links that rank 1 finds in its own folder. */
static void ranks_must_read_the_same(void **state)
{
    (void)state;
    char line[1024];
    static const char text[] = "weir: 1\nduration: 1ms\ntopology: {file: links.txt, format: edges}\n"
                               "traffic: [{name: a, from: a, to: c, udp: {rate: 1Mbps}}]\n";
    assert_int_equal(shell("mkdir one two && ln -s one here"), 0);
    put_text("one/links.txt", "a b\nb c\nc d\n");
    put_text("two/links.txt", "a b\nb c\nb d\n");
    put_text("one/s.yaml", text);
    put_text("two/s.yaml", text);
    snprintf(
        line, sizeof line,
        MPIRUN
        " -n 1 sh -c 'cd one && \"%s\" run s.yaml -o r --force' : -n 1 sh -c 'cd two && \"%s\" run s.yaml'"
        " >.out 2>.err",
        WEIR, WEIR);
    assert_int_equal(shell(line), 2);
    slurp(".err", err_text, sizeof err_text);
    assert_non_null(strstr(err_text, "rank 1: another"));
    assert_false(exists("one/r"));
}

/* Three ranks of a run that would take for ever, of which the second is killed; the exit code. */
static int kill_the_second(const char *flag)
{
    char line[1024];
    snprintf(line, sizeof line,
             "env " MPIRUN " %s -n 3 sh -c 'echo $$ >pid.$OMPI_COMM_WORLD_RANK; exec \"%s\" run ph.yaml -o r "
             "--force --set duration=100s'",
             flag, WEIR);
    const pid_t ranks = start_line(line);
    wait_for_run(ranks, "r");
    slurp("pid.1", out_text, sizeof out_text);
    kill(atoi(out_text), SIGKILL);
    const int code = end_of(ranks);
    slurp(".err", err_text, sizeof err_text);
    assert_false(exists("r"));
    return code;
}

/* mpirun ends the others; where it is told to leave them alone, they see it themselves, say so, and end. */
static void a_killed_rank_ends_all(void **state)
{
    (void)state;
    assert_int_not_equal(kill_the_second(""), 0);
    kill_the_second("--enable-recovery");
    if (!strstr(err_text, "weir: error: rank 1 (process "))
        fail_msg("no word of rank 1 in:\n%s", err_text);
}

/* All files but those that hold the engine and times of the wall's clock; there are `n_files` of them. */
static void expect_same_files(const char *scenario, int n_files)
{
    char line[1024];
    snprintf(line, sizeof line, "'%s' run %s -q -o one && test $(ls one | wc -l) = %d", WEIR, scenario,
             n_files + 2);
    assert_int_equal(shell(line), 0);
    for (int n = 2; n <= 3; n++) {
        snprintf(line, sizeof line,
                 MPIRUN " -n %d '%s' run %s -q --threads %d --force -o many && "
                        "diff -rq -x scenario.yaml -x summary.json one many",
                 n, WEIR, scenario, 4 - n);
        assert_int_equal(shell(line), 0);
    }
}

/* What a sample gathers is all that it reads, and records of packets come from all ranks. */
static void results_are_those_of_one_process(void **state)
{
    (void)state;
    expect_same_files("net.yaml", 11);
    assert_int_equal(shell("rm -r one many"), 0);
    expect_same_files("kad.yaml", 6);
    assert_int_equal(shell("rm -r one many"), 0);
    expect_same_files("ic.yaml", 5);
}

/* mpirun tells all ranks to stop: rank 0 alone says what becomes of the run, and writes what there is. */
static void stopping_says_one_thing(void **state)
{
    (void)state;
    char line[1024];
    snprintf(line, sizeof line,
             MPIRUN_ALONE " -n 3 '%s' run ph.yaml -o r --force --set duration=100s --no-progress", WEIR);
    const pid_t ranks = start_line(line);
    wait_for_run(ranks, "r");
    kill(ranks, SIGTERM);
    assert_int_not_equal(end_of(ranks), 0);
    slurp(".err", err_text, sizeof err_text);
    const char *const stopping = strstr(err_text, "weir: stopping at the next");
    if (!stopping || strstr(stopping + 1, "weir: stopping") || strstr(err_text, "set-up") ||
        strstr(err_text, "weir: error"))
        fail_msg("it said:\n%s", err_text);
}

int main(void)
{
#ifndef WEIR_HAVE_MPI
    puts("SKIPPED: this build has no MPI (libopenmpi-dev)");
    return SKIP_CODE;
#else
    if (system("command -v mpirun > /dev/null") != 0) {
        puts("SKIPPED: there is no mpirun here (openmpi-bin)");
        return SKIP_CODE;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(ranks_must_run_the_same, setup, leave_scratch),
        cmocka_unit_test_setup_teardown(ranks_must_read_the_same, setup, leave_scratch),
        cmocka_unit_test_setup_teardown(a_killed_rank_ends_all, setup, leave_scratch),
        cmocka_unit_test_setup_teardown(results_are_those_of_one_process, setup, leave_scratch),
        cmocka_unit_test_setup_teardown(stopping_says_one_thing, setup, leave_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
#endif
}
