/*
 * Checkpoints over MPI ranks: a run goes on from ranks to other numbers of ranks, to threads and back, and on the
 * optimistic engine, its files those of one process that was never stopped, byte for byte; a fork too. SIGTERM sent to one
 * rank writes a checkpoint, SIGKILL sent to all while checkpoints are written leaves a whole one. Ranks that have other
 * files than rank 0 are refused. Skips aloud without MPI or mpirun. label: slow night
 */
#include "skip.h"
#include "splitmix.h"
#include "watched.h"

#define MPIRUN \
    "env ASAN_OPTIONS=detect_leaks=0 timeout 600 mpirun --allow-run-as-root --oversubscribe --bind-to none"

static const char network[] =
    "weir: 1\nduration: 0.4s\nseed: 4\n"
    "topology:\n  generate: {model: ring, routers: 8, rate: 20Mbps}\n"
    "  queue: {type: red, limit: 60kB, min: 5kB, max: 20kB, w: 0.02}\n"
    "routing: {ecmp: true, convergence: 20ms}\n"
    "traffic:\n"
    "  - {name: a, tcp: {}, pairs: {random: 10}}\n"
    "  - {name: q, tcp: {size: 30kB, request: {size: 100B, think: 50ms}}, pairs: {random: 8}}\n"
    "  - {name: b, tcp: {size: 20kB, arrivals: {poisson: 200/s}}, pairs: {random: 20}}\n"
    "  - {name: late, udp: {rate: 1Mbps}, from: r0, to: r3, start: 300ms}\n"
    "events:\n  - {at: 0.1s, fail: {link: r0--r1}}\n  - {at: 0.3s, repair: {link: r0--r1}}\n"
    "output: {interval: 20ms, warmup: 0.1s, cwnd: [a, q], ports: [r0--r1, r2--r3]}\n";
static const char kademlia[] =
    "weir: 1\nduration: 3s\nmodel:\n  kademlia: {peers: 300, think: 1s,\n"
    "    churn: {online: 3s, offline: 1s, rejoin: fresh}, values: {keys: 50, find: 30%, store: 20%}}\n"
    "output: {interval: 500ms, warmup: 1s}\n";
/* Packets from all ranks beside fluid of which each has a part, with links that fail under it; ACKs and marks. */
static const char fluid[] =
    "weir: 1\nduration: 0.5s\nseed: 5\n"
    "topology:\n  generate: {model: ring, routers: 8, rate: 20Mbps, delay: 9ms, access_delay: 4ms}\n"
    "  queue: {type: red, limit: 60kB, min: 5kB, max: 20kB, w: 0.02, ecn: true}\n"
    "traffic:\n"
    "  - {name: a, tcp: {sessions: 4}, pairs: {random: 12}, fidelity: {packet: 1, fluid: rest}}\n"
    "  - {name: m, tcp: {sessions: 3, ecn: true, congestion: newreno}, pairs: {random: 9}, fidelity: fluid}\n"
    "  - {name: u, udp: {rate: 3Mbps}, pairs: {random: 6}, fidelity: fluid, start: 0.1s}\n"
    "events:\n  - {at: 0.15s, fail: {link: r0--r1}}\n  - {at: 0.3s, repair: {link: r0--r1}}\n"
    "fluid: {device: cpu, coupling: async, lookahead: 4}\n"
    "output: {interval: 20ms, warmup: 0.1s, cwnd: [a, m], ports: [r0--r1, r2--r3]}\n";
static const char phold[] =
    "weir: 1\nduration: 100s\nmodel: {phold: {entities: 2000, events: 4, lookahead: 10us, mean: 10us}}\n";

static int setup(void **state)
{
    if (enter_scratch(state) != 0)
        return -1;
    put_text("net.yaml", network);
    put_text("kad.yaml", kademlia);
    put_text("fluid.yaml", fluid);
    put_text("ph.yaml", phold);
    return 0;
}

static void shell(const char *line)
{
    char said[4096], whole[1500];
    snprintf(whole, sizeof whole, "{ %s; } >.out 2>.err </dev/null", line);
    const int status = system(whole);
    slurp(".err", said, sizeof said);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail_msg("%s: wait status %#x; it said:\n%s", line, (unsigned)status, said);
}

/* `weir ARGUMENTS` on so many ranks; 1: without mpirun. */
static void weir_on(int ranks, const char *arguments)
{
    char line[1200];
    if (ranks > 1)
        snprintf(line, sizeof line, MPIRUN " -n %d '%s' %s", ranks, WEIR, arguments);
    else
        snprintf(line, sizeof line, "'%s' %s", WEIR, arguments);
    shell(line);
}

static void expect_same_results(const char *files, const char *a, const char *b)
{
    char line[700];
    snprintf(line, sizeof line,
             "for f in %s; do cmp %s/$f %s/$f || exit 3; done; for f in %s %s; do "
             "grep _digest $f/summary.json >.digests.$f || exit 4; done; cmp .digests.%s .digests.%s",
             files, a, b, a, b, a, b);
    shell(line);
}

static void go_on_elsewhere(const char *scenario, const char *files, const char *const *times, size_t n)
{
    static const struct {
        int ranks;
        const char *flags;
    } to[] = {{3, "--threads 1"},
              {1, ""},
              {2, "--threads 2"},
              {1, "--engine conservative --threads 3"},
              {2, "--engine optimistic"}};
    char line[300];
    snprintf(line, sizeof line, "run %s -q -o one --force", scenario);
    weir_on(1, line);
    for (size_t i = 0; i < n; i++) {
        snprintf(line, sizeof line, "run %s -q -o c --checkpoint-at %s --force", scenario, times[i]);
        weir_on(i % 2 == 1 ? 1 : 2, line);
        expect_same_results(files, "one", "c");
        for (size_t k = 0; k < sizeof to / sizeof *to; k++) {
            snprintf(line, sizeof line, "resume c.checkpoint -q -o again --force %s", to[k].flags);
            weir_on(to[k].ranks, line);
            expect_same_results(files, "one", "again");
        }
    }
    shell("rm -r one c c.checkpoint again");
}

static void networks_go_on(void **state)
{
    static const char *const times[] = {"50ms", "237ms"};
    (void)state;
    go_on_elsewhere("net.yaml", "series.h5 flows.csv ports.csv", times, 2);
}

static void models_go_on(void **state)
{
    static const char *const times[] = {"1.5s"};
    (void)state;
    go_on_elsewhere("kad.yaml", "series.h5 hops.csv requests.csv latency.csv buckets.csv", times, 1);
}

static void fluid_goes_on(void **state)
{
    static const char *const times[] = {"71ms", "237ms"};
    (void)state;
    go_on_elsewhere("fluid.yaml", "series.h5 flows.csv ports.csv", times, 2);
}

static void forks(void **state)
{
    (void)state;
    weir_on(2, "run net.yaml -q -o c --checkpoint-at 250ms");
    weir_on(3, "resume c -q -o fork --duration 450ms --set traffic.late.udp.rate=3Mbps");
    weir_on(1, "run net.yaml -q -o straight --duration 450ms --set traffic.late.udp.rate=3Mbps");
    expect_same_results("series.h5 flows.csv ports.csv", "straight", "fork");
    shell("rm -r c c.checkpoint fork straight");
}

/* ---- stopped and killed ---- */

/* The command on two ranks, each of which has written its process number to pid.RANK. */
static pid_t start_ranks(const char *arguments)
{
    char line[1200];
    assert_int_equal(system("rm -f pid.*"), 0);
    snprintf(line, sizeof line,
             MPIRUN " -n 2 sh -c 'echo $$ >pid.$OMPI_COMM_WORLD_RANK; exec \"%s\" \"$@\"' weir %s", WEIR,
             arguments);
    return start_line(line);
}

static void signal_rank(int rank, int number)
{
    char path[32], text[32];
    snprintf(path, sizeof path, "pid.%d", rank);
    slurp(path, text, sizeof text);
    assert_true(atoi(text) > 1);
    kill(atoi(text), number);
}

/* The file c.checkpoint goes on to a bit behind its time, on the ranks given, and is the run straight through. */
static void expect_goes_on(double from_s, int ranks)
{
    char line[300];
    const double end_s = from_s + 30e-6;
    snprintf(line, sizeof line, "resume c.checkpoint -q -o fork --force --duration %.13gs", end_s);
    weir_on(ranks, line);
    snprintf(line, sizeof line, "run ph.yaml -q -o straight --force --duration %.13gs", end_s);
    weir_on(1, line);
    expect_same_results("", "fork", "straight");
}

static void sigterm_to_one_writes_one(void **state)
{
    (void)state;
    const pid_t ranks = start_ranks("run ph.yaml -o c --no-progress --checkpoint 1h");
    wait_for_run(ranks, "c");
    signal_rank(1, SIGTERM);
    assert_int_not_equal(end_of(ranks), 0);
    slurp(".err", err_text, sizeof err_text);
    assert_false(access("c", F_OK) == 0);
    assert_non_null(strstr(err_text, "to go on: weir resume c.checkpoint"));
    const char *at = strstr(err_text, "stopped at ");
    assert_non_null(at);
    expect_goes_on(strtod(at + 11, NULL), 3);
    shell("rm -r c.checkpoint fork straight");
}

static ino_t checkpoint_number(void)
{
    struct stat about;
    return stat("c.checkpoint", &about) == 0 ? about.st_ino : 0;
}

static void sigkill_leaves_a_whole_one(void **state)
{
    uint64_t random = 17;
    (void)state;
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    for (int turn = 0; turn < 4; turn++) {
        const uint64_t want = 1 + rnd_below(&random, 12);
        const pid_t ranks = start_ranks("run ph.yaml -o c --no-progress --checkpoint 1us");
        for (uint64_t seen = 0; seen < want; seen++) {
            const ino_t last = checkpoint_number();
            wait_until((checkpoint_number() != last && checkpoint_number() != 0) || has_ended(ranks));
        }
        assert_false(has_ended(ranks));
        signal_rank(turn % 2, SIGKILL);
        signal_rank(1 - turn % 2, SIGKILL);
        kill(-ranks, SIGKILL);
        end_of(ranks);
        while (waitpid(-1, NULL, 0) > 0) /* orphans of mpirun are this process's children */
            continue;
        /* A fork that would end before the checkpoint says of which time that is, having read it whole. */
        assert_says("resume c.checkpoint --duration 1ns", 2, "", "duration");
        shell("rm -rf c.checkpoint* c");
    }
}

static void others_are_refused(void **state)
{
    char line[1200];
    (void)state;
    weir_on(1, "run kad.yaml -q -o c --checkpoint-at 1s");
    shell("mkdir other && mv c.checkpoint other/");
    weir_on(1, "run kad.yaml -q -o c --force --checkpoint-at 2s");
    snprintf(line, sizeof line,
             MPIRUN " -n 1 '%s' resume c.checkpoint -o r : -n 1 --wdir other '%s' resume c.checkpoint -o r "
                    ">.out 2>.err </dev/null",
             WEIR, WEIR);
    assert_int_not_equal(system(line), 0);
    slurp(".err", err_text, sizeof err_text);
    if (!strstr(err_text, "rank 1: another checkpoint than rank 0's"))
        fail_msg("no word of another checkpoint in:\n%s", err_text);
    assert_false(access("r", F_OK) == 0);
    snprintf(line, sizeof line, MPIRUN " -n 2 '%s' resume none.checkpoint >.out 2>.err </dev/null", WEIR);
    assert_int_not_equal(system(line), 0);
    slurp(".err", err_text, sizeof err_text);
    assert_non_null(strstr(err_text, "none.checkpoint"));
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
        cmocka_unit_test(networks_go_on),
        cmocka_unit_test(models_go_on),
        cmocka_unit_test(fluid_goes_on),
        cmocka_unit_test(forks),
        cmocka_unit_test(sigterm_to_one_writes_one),
        cmocka_unit_test(sigkill_leaves_a_whole_one),
        cmocka_unit_test(others_are_refused),
    };
    return cmocka_run_group_tests(tests, setup, leave_scratch);
#endif
}
