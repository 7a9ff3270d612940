/* links: study scenario output engine base
 *
 * What a study costs beside its runs. First: one run of a point alone, its simulating (weir_session_advance) by processor
 * time, against a study of many such runs on one thread: all that is more is parsing, set-up, summary, journal. Then
 * the same runs on 1 and 2 threads, by the wall's clock: meaningful on a machine that does nothing else. Digests of the
 * last run of the study are compared with those alone before anything is printed.
 *
 * Then short runs on large topologies, one after another by themselves, and as a study, whose runs have topology and routes in
 * common: the wall's clock, and the most memory that a process held (its share of pages held by several images counted
 * once). WEIR_DATA names the folder of data sets. Arguments: runs (default 1000), short runs (default 100).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "output/results/remove_tree.h"
#include "weir/run.h"
#include "weir/session.h"
#include "weir/study.h"

typedef struct subject {
    const char *name, *text;
} subject;

/* About 10 ms of a core each. */
static const subject subjects[] = {
    {"phold", "weir: 1\nduration: 200us\nmodel: {phold: {entities: 1000, events: 1, remote: 50%, lookahead: "
              "1us, mean: 1us}}\n"},
    {"dumbbell",
     "weir: 1\nduration: 25s\n"
     "topology: {generate: {model: dumbbell, left: 4, bottleneck_rate: 10Mbps, bottleneck_delay: 10ms}}\n"
     "traffic: [{name: bulk, tcp: {congestion: newreno, sessions: 2}, pairs: [[l0, r0], [l1, r1], [l2, r2], "
     "[l3, r3]], "
     "start: {uniform: [0s, 100ms]}}]\n"},
    {"kademlia", "weir: 1\nduration: 20s\nmodel: {kademlia: {peers: 256, think: 5s}}\n"}};

static double alone(const char *file, uint64_t *digest)
{
    enum { TIMES = 20 };
    weir_diag *diag = weir_diag_new();
    weir_scenario *scenario = NULL;
    double spent_s = 0.0;
    if (weir_scenario_load(diag, file, NULL, 0, &scenario) != WEIR_OK)
        exit(1);
    for (int i = 0; i < TIMES; i++) {
        weir_session *session = NULL;
        weir_run_result result;
        if (weir_session_open(diag, scenario, NULL, &session) != WEIR_OK)
            exit(1);
        const double from_s = bench_cpu_s();
        if (weir_session_advance(session, weir_session_end(session)) != WEIR_OK)
            exit(1);
        spent_s += bench_cpu_s() - from_s;
        if (weir_session_finish(session, &result) != WEIR_OK)
            exit(1);
        *digest = result.event_digest;
        weir_run_result_free(&result);
        weir_session_close(session);
    }
    weir_scenario_free(scenario);
    weir_diag_free(diag);
    return spent_s / TIMES;
}

/* Of this process and those that have ended: the runs of a study are another's. */
static double cpu_of_all_s(void)
{
    struct rusage ended;
    getrusage(RUSAGE_CHILDREN, &ended);
    return bench_cpu_s() + (double)(ended.ru_utime.tv_sec + ended.ru_stime.tv_sec) +
           1e-6 * (double)(ended.ru_utime.tv_usec + ended.ru_stime.tv_usec);
}

/* All runs are equal but for a value that nothing reads, so that each costs the same. */
static void study(const char *file, int runs, uint32_t jobs, double *cpu_s, double *wall_s)
{
    char set[100];
    const char *const sets[] = {set};
    weir_diag *diag = weir_diag_new();
    weir_study *s = NULL;
    weir_study_options options;
    weir_study_result result;
    snprintf(set, sizeof set, "study.vary=[{name: copy, values: 1..%d}]", runs);
    weir_study_options_init(&options);
    options.output_dir = "bench-study";
    options.jobs = jobs;
    options.yes = true;
    const double from_s = cpu_of_all_s();
    if (weir_study_open(diag, file, sets, 1, &options, &s) != WEIR_OK ||
        weir_study_run(s, &options, &result) != WEIR_OK || result.runs != (uint64_t)runs || result.failed) {
        fprintf(stderr, "bench_study: %s\n",
                weir_diag_count(diag) ? weir_diag_get(diag, 0)->text : "runs failed");
        exit(1);
    }
    *cpu_s = cpu_of_all_s() - from_s;
    *wall_s = result.wall_s;
    weir_study_result_free(&result);
    weir_study_free(s);
    weir_diag_free(diag);
}

static void check(uint64_t digest)
{
    char want[20], line[4000] = "";
    FILE *f = fopen("bench-study/runs.csv", "r");
    snprintf(want, sizeof want, "%016llx", (unsigned long long)digest);
    for (int i = 0; f && i < 2; i++)
        if (!fgets(line, sizeof line, f))
            break;
    if (!f || !strstr(line, want)) {
        fprintf(stderr, "bench_study: a run of the study has another digest than alone\n");
        exit(1);
    }
    fclose(f);
}

/* ---- large topologies ---- */

typedef struct large {
    const char *name, *topology, *rest;
    uint32_t jobs; /* 0: by themselves */
} large;

#define AS7018 \
    "topology: {file: %s/rocketfuel/7018.cch.gz, link: {rate: 1Gbps, delay: 2ms}}\nduration: 20ms\n"
#define CLOS "topology: {generate: {model: fat-tree, k: 16}}\nrouting: {ecmp: true}\nduration: 1ms\n%.0s"
#define UDP(pairs) "traffic: [{name: u, udp: {rate: 1Mbps}, pairs: " pairs "}]\n"

static void write_large(const large *l)
{
    const char *data = getenv("WEIR_DATA");
    FILE *f = fopen("large.yaml", "w");
    fputs("weir: 1\n", f);
    fprintf(f, l->topology, data ? data : "../shared/data");
    fputs(l->rest, f);
    fclose(f);
}

static uint64_t run_by_itself(int number)
{
    char set[60];
    const char *const sets[] = {set};
    weir_diag *diag = weir_diag_new();
    weir_scenario *scenario = NULL;
    weir_run_options options;
    weir_run_result result;
    snprintf(set, sizeof set, "topology.queue.limit=%dkB", 100 + number);
    weir_run_options_init(&options);
    options.no_output = true;
    bench_must(diag, weir_scenario_load(diag, "large.yaml", sets, 1, &scenario));
    bench_must(diag, weir_run(diag, scenario, &options, &result));
    const uint64_t digest = result.event_digest;
    weir_run_result_free(&result);
    weir_scenario_free(scenario);
    weir_diag_free(diag);
    return digest;
}

static void run_study(int runs, uint32_t jobs)
{
    char set[200];
    const char *const sets[] = {set};
    weir_diag *diag = weir_diag_new();
    weir_study *s = NULL;
    weir_study_options options;
    weir_study_result result;
    snprintf(set, sizeof set, "study.vary=[{path: topology.queue.limit, values: [100kB..%dkB step 1kB]}]",
             99 + runs);
    weir_study_options_init(&options);
    options.output_dir = "bench-study";
    options.jobs = jobs;
    bench_must(diag, weir_study_open(diag, "large.yaml", sets, 1, &options, &s));
    bench_must(diag, weir_study_run(s, &options, &result));
    if (result.runs != (uint64_t)runs || result.failed)
        bench_fail("runs failed");
    weir_study_result_free(&result);
    weir_study_free(s);
    check(run_by_itself(0));
}

/* Its pages, of those that others hold as well a part each. */
static double held_bytes(pid_t process)
{
    char path[60], line[200];
    double kib = 0.0;
    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)process);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f) && sscanf(line, "Pss: %lf kB", &kib) != 1)
        ;
    if (f)
        fclose(f);
    return 1024.0 * kib;
}

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

/* In a process of its own, watched. */
static void bench_large(const large *l, int runs)
{
    int status = 0;
    double most = 0.0;
    struct rusage used;
    write_large(l);
    fflush(stdout);
    const double from_s = bench_wall_s();
    const pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < runs && l->jobs == 0; i++)
            (void)run_by_itself(i);
        if (l->jobs > 0)
            run_study(runs, l->jobs);
        _exit(0);
    }
    while (wait4(child, &status, WNOHANG, &used) == 0) {
        const double now = held_bytes(child);
        most = now > most ? now : most;
        usleep(5000);
    }
    if (status != 0)
        exit(1);
    char how[40] = "by themselves";
    if (l->jobs > 0)
        snprintf(how, sizeof how, "a study, %u at once", l->jobs);
    printf("%-28s %-20s %8.2f s %8.2f s %9.1f MB\n", l->name, how, bench_wall_s() - from_s,
           seconds(used.ru_utime) + seconds(used.ru_stime), 1e-6 * most);
    wi_remove_tree("bench-study");
}

static void bench_larges(int runs)
{
    static const struct {
        const char *name, *topology, *rest;
    } nets[] = {{"AS 7018, 2,000 flows", AS7018, UDP("{random: 2000}")},
                {"fat-tree k = 16, all hosts", CLOS, UDP("permutation")}};
    printf("\n%d runs of 20 ms and 1 ms, the queues' limit varied: wall's clock, processor time, memory\n\n",
           runs);
    for (int i = 0; i < 2; i++)
        for (uint32_t jobs = 0; jobs <= 4; jobs = jobs ? 2 * jobs : 1) {
            const large l = {nets[i].name, nets[i].topology, nets[i].rest, jobs};
            bench_large(&l, runs);
        }
}

int main(int argc, char **argv)
{
    const int runs = argc > 1 ? atoi(argv[1]) : 1000, short_runs = argc > 2 ? atoi(argv[2]) : 100;
    char folder[] = "/tmp/weir-bench-XXXXXX";
    if (!mkdtemp(folder) || chdir(folder) != 0)
        return 1;
    printf("%d runs of about 10 ms; processor time a run, and the wall's clock on 1 and 2 threads\n\n", runs);
    printf("%-10s %12s %12s %8s %10s %10s %12s %9s\n", "model", "simulating", "in a study", "lost",
           "1 thread", "2 threads", "of ideal", "cpu 2/1");
    for (size_t i = 0; runs > 0 && i < sizeof subjects / sizeof *subjects; i++) {
        uint64_t digest = 0;
        double cpu_s, wall_s, cpu2_s, wall2_s;
        FILE *f = fopen("bench.yaml", "w");
        fputs(subjects[i].text, f);
        fclose(f);
        const double alone_s = alone("bench.yaml", &digest);
        study("bench.yaml", runs, 1, &cpu_s, &wall_s);
        check(digest);
        wi_remove_tree("bench-study");
        study("bench.yaml", runs, 2, &cpu2_s, &wall2_s);
        wi_remove_tree("bench-study");
        printf("%-10s %9.3f ms %9.3f ms %6.1f %% %8.2f s %8.2f s %10.1f %% %9.3f\n", subjects[i].name,
               1e3 * alone_s, 1e3 * cpu_s / runs, 100.0 * (1.0 - alone_s / (cpu_s / runs)), wall_s, wall2_s,
               50.0 * wall_s / wall2_s, cpu2_s / cpu_s);
    }
    bench_larges(short_runs);
    if (chdir("/") == 0)
        wi_remove_tree(folder);
    return 0;
}
