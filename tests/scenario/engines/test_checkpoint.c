/*
 * Checkpoints of scenarios: random ones, stopped at random times, saved, gone on with on another engine and number of
 * threads, some of them again and again, end with the digests of the run straight through, and with its files byte for
 * byte. What does not belong together is refused, and says what it is.
 *
 *     scenario_test_checkpoint [FIRST_SEED COUNT]     more of them: `make checkpoints`
 *
 * label: slow
 */
#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "diag.h"

#include "base/file/saved.h"
#include "output/results/remove_tree.h"
#include "output/scratch.h"
#include "scenario/random_scenario.h"
#include "scenario/random_steady.h"
#include "weir/session.h"

enum { TEXT = 4096, COUNT = 20, ENGINES = 4 };

static uint64_t first_seed = 1, count = COUNT;

static weir_scenario *parse(weir_diag *diag, const char *text, const char *engine)
{
    weir_scenario *s = NULL;
    char type[64], threads[64];
    uint32_t n = 1;
    snprintf(type, sizeof type, "engine.type=%s", engine);
    if (strncmp(engine, "conservative", 12) == 0 || strncmp(engine, "optimistic", 10) == 0)
        n = 2;
    snprintf(threads, sizeof threads, "engine.threads=%u", n);
    const char *const sets[] = {type, threads, "output.interval=700us", "output.ports=all"};
    const bool network = strstr(text, "topology:") != NULL;
    expect_ok(diag, weir_scenario_parse(diag, "s.yaml", text, strlen(text), WEIR_TEST_DATA, sets,
                                        network ? 4 : 3, &s));
    return s;
}

static const char *random_engine(uint64_t *random)
{
    static const char *const engines[ENGINES] = {"sequential", "conservative", "optimistic", "sequential"};
    return engines[rnd_below(random, ENGINES)];
}

static unsigned char *bytes_of(const char *folder, const char *name, size_t *n)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "rb");
    *n = 0;
    if (!f)
        return NULL;
    fseek(f, 0, SEEK_END);
    *n = (size_t)ftell(f);
    rewind(f);
    unsigned char *all = malloc(*n + 1);
    assert_int_equal(fread(all, 1, *n, f), *n);
    fclose(f);
    return all;
}

/* Of every file but those that tell of machine and engine. */
static void expect_same_files(const char *a, const char *b, uint64_t seed)
{
    int files = 0;
    DIR *dir = opendir(a);
    assert_non_null(dir);
    assert_int_equal(count_names(a), count_names(b));
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        if (e->d_name[0] == '.' || strcmp(e->d_name, "summary.json") == 0 ||
            strcmp(e->d_name, "scenario.yaml") == 0)
            continue;
        size_t n, m;
        unsigned char *x = bytes_of(a, e->d_name, &n), *y = bytes_of(b, e->d_name, &m);
        if (!y || n != m || memcmp(x, y, n) != 0)
            fail_msg("seed %llu: %s differs, %zu and %zu bytes", (unsigned long long)seed, e->d_name, n, m);
        free(x);
        free(y);
        files++;
    }
    closedir(dir);
    assert_true(files >= 1);
}

static weir_run_options into(const char *folder, const char *checkpoint)
{
    weir_run_options o;
    weir_run_options_init(&o);
    o.output_dir = folder;
    o.checkpoint = checkpoint;
    return o;
}

/* Go on with another engine, in the same session. */
static void move(weir_session *session, uint64_t *random)
{
    static const char *const engines[] = {"sequential", "conservative", "optimistic"};
    const char *const to = engines[rnd_below(random, 3)];
    const weir_status status = weir_session_move(session, to, 1 + rnd_below(random, 3));
    if (status != WEIR_OK) /* no windows for it: the sequential engine goes on */
        assert_int_equal(status, WEIR_E_ARG);
}

/* Go on from one engine to the next: moved, or saved, abandoned and restored. */
static void in_pieces(weir_diag *diag, const char *text, uint64_t *random, const char *folder, bool moved,
                      weir_run_result *result)
{
    char path[300];
    snprintf(path, sizeof path, "%s/run.checkpoint", scratch_folder);
    weir_scenario *scenario = parse(diag, text, random_engine(random));
    const weir_run_options options = into(folder, moved ? NULL : path);
    weir_session *session;
    expect_ok(diag, weir_session_open(diag, scenario, &options, &session));
    const weir_time end_ps = weir_session_end(session);
    for (uint32_t pieces = 1 + rnd_below(random, moved ? 6 : 3); pieces > 0; pieces--) {
        const weir_time left_ps = end_ps - weir_session_now(session);
        const weir_time to_ps =
            weir_session_now(session) + (weir_time)((double)left_ps * rnd_below(random, 1001) / 1000.0);
        expect_ok(diag, weir_session_advance(session, to_ps));
        if (moved) {
            move(session, random);
        } else {
            expect_ok(diag, weir_session_save(session, path));
            weir_session_close(session);
            weir_scenario_free(scenario);
            scenario = parse(diag, text, random_engine(random));
            expect_ok(diag, weir_session_restore(diag, scenario, &options, path, &session));
        }
        assert_int_equal(weir_session_now(session), to_ps);
    }
    expect_ok(diag, weir_session_advance(session, end_ps));
    expect_ok(diag, weir_session_finish(session, result));
    weir_session_close(session);
    weir_scenario_free(scenario);
    unlink(path);
}

/* A run in parts on several engines is the run straight through. */
static void expect_same_run(const char *text, uint64_t seed, bool moved)
{
    char whole[128], parts[128];
    uint64_t random = seed * 77;
    weir_diag *diag = weir_diag_new();
    weir_run_result want, got;
    snprintf(whole, sizeof whole, "%s/whole", scratch_folder);
    snprintf(parts, sizeof parts, "%s/parts", scratch_folder);
    weir_scenario *scenario = parse(diag, text, "sequential");
    const weir_run_options options = into(whole, NULL);
    expect_ok(diag, weir_run(diag, scenario, &options, &want));
    weir_scenario_free(scenario);
    in_pieces(diag, text, &random, parts, moved, &got);
    if (got.event_digest != want.event_digest || got.state_digest != want.state_digest ||
        got.events != want.events || got.packet_hops != want.packet_hops)
        fail_msg("seed %llu: %llu events, want %llu; digests differ, of\n%s", (unsigned long long)seed,
                 (unsigned long long)got.events, (unsigned long long)want.events, text);
    expect_same_files(whole, parts, seed);
    weir_run_result_free(&want);
    weir_run_result_free(&got);
    wi_remove_tree(whole);
    wi_remove_tree(parts);
    weir_diag_free(diag);
}

static void random_runs_go_on(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed; seed < first_seed + count; seed++) {
        char text[TEXT];
        random_scenario(seed, text, sizeof text);
        expect_same_run(text, seed, false);
        expect_same_run(text, seed, true);
        random_steady(seed, text, sizeof text);
        expect_same_run(text, seed, false);
    }
}

/* ---- the models that random scenarios leave out, and time series ---- */

/* Packets beside fluid over one bottleneck, windows among the series. */
#define FLUID                                                                                          \
    "weir: 1\nduration: 300ms\ntopology: {generate: {model: dumbbell, left: 3}, link: {rate: 20Mbps, " \
    "delay: 4ms}, "                                                                                    \
    "queue: {type: red, limit: 60kB, min: 10kB, max: 30kB}}\noutput: {warmup: 60ms, cwnd: [a, b]}\n"   \
    "traffic:\n  - {name: a, tcp: {sessions: 5}, pairs: [[l0, r0], [l1, r1]], fidelity: fluid}\n"      \
    "  - {name: b, tcp: {}, from: l2, to: r2}\n"

/* A network that is put aside now and then. */
#define SURROGATE(keys)                                                                                   \
    "weir: 1\nduration: 80us\noutput: {interval: 3us}\n"                                                  \
    "model: {interconnect: {torus: {size: 3x3}, jobs: [{pattern: uniform, load: 50%}], surrogate: {" keys \
    "}}}\n"

static void models_go_on(void **state)
{
    static const char *const texts[] = {
        "weir: 1\nduration: 40ms\noutput: {warmup: 10ms}\nmodel: {jackson: {stations: 30, load: 60%}}\n",
        "weir: 1\nduration: 30ms\noutput: {warmup: 5ms}\nmodel: {wireless: {}}\n",
        "weir: 1\nduration: 30us\noutput: {warmup: 5us, interval: 3us}\n"
        "model: {interconnect: {torus: {size: 2x3}, jobs: [{pattern: uniform, load: 50%}]}}\n",
        "weir: 1\nduration: 20s\noutput: {warmup: 5s}\nmodel: {kademlia: {peers: 60, think: 1s}}\n",
        SURROGATE("when: always, periods: [{from: 20us, until: 40us, track: 10us}, "
                  "{from: 60us, until: 65us, track: 20us}]"),
        SURROGATE("mode: hybrid-lite, predictor: quantile, when: always, "
                  "periods: [{from: 20us, until: 60us, track: 10us}]"),
        SURROGATE("batch: 2us, batches: 4, tolerance: 50%, change: 90%, longest: 10us"),
        FLUID "fluid: {device: cpu, coupling: async}\n",
        FLUID "fluid: {device: cpu, precision: double}\nevents: [{at: 130ms, fail: {link: left--right}}, "
              "{at: 160ms, repair: {link: left--right}}]\n"};
    (void)state;
    const size_t n = sizeof texts / sizeof *texts, turns = count < COUNT ? 1 : count / COUNT;
    for (size_t turn = 0; turn < turns * n; turn++) {
        expect_same_run(texts[turn % n], first_seed * 31 + turn, false);
        expect_same_run(texts[turn % n], first_seed * 31 + turn, true);
    }
}

/* Files that grow as packets pass: captures with marks, duplicates, pauses and RoCE, watched flows, and each packet. */
static void captures_go_on(void **state)
{
    static const char *const texts[] = {
        "weir: 1\nduration: 200ms\ntopology: {generate: {model: dumbbell, left: 2, bottleneck_rate: 20Mbps, "
        "bottleneck_delay: 4ms}, queue: {type: red, ecn: true, limit: 60kB, min: 5kB, max: 20kB}, "
        "links: [{link: left->right, duplication: 5%, loss: 2%, jitter: {mean: 1ms, reorder: true}}]}\n"
        "output: {warmup: 20ms, pcap: [left--right, l0], flow_monitor: {classes: [a, c]}, packets: [a, b]}\n"
        "traffic:\n  - {name: a, tcp: {sessions: 3, ecn: true}, pairs: [[l0, r0], [l1, r1]]}\n"
        "  - {name: b, udp: {rate: 1Mbps}, from: l1, to: r0}\n"
        "  - {name: c, tcp: {size: 20kB, arrivals: {poisson: 100/s}}, from: l0, to: r1}\n"
        "  - {name: d, tcp: {size: 9kB, request: {think: 5ms}}, from: l0, to: r1}\n",
        "weir: 1\nduration: 3ms\ntopology: {generate: {model: star, hosts: 4, access_rate: 10Gbps, "
        "access_delay: 1us}, "
        "queue: {type: "
        "threshold, mark: 30kB}, shared_buffer: {size: 300kB, pfc: {}}}\noutput: {pcap: [h0, h3]}\n"
        "traffic:\n  - {name: a, tcp: {congestion: dcqcn, recovery: go-back-n, size: 1MB}, from: [h0, h1, "
        "h2], to: h3}\n"};
    (void)state;
    for (size_t i = 0; i < 6; i++) {
        expect_same_run(texts[i % 2], first_seed * 17 + i, false);
        expect_same_run(texts[i % 2], first_seed * 17 + i, true);
    }
}

/* ---- options: by the clock, at a time, when stopped ---- */

static const char jackson[] =
    "weir: 1\nname: j\nduration: 30ms\noutput: {warmup: 5ms}\nmodel: {jackson: {stations: 50}}\n";

static void stopped_runs_leave_one(void **state)
{
    (void)state;
    weir_diag *diag = weir_diag_new();
    char folder[128], file[160];
    volatile int stop = 0;
    weir_run_result want, got;
    snprintf(folder, sizeof folder, "%s/j/", scratch_folder);
    snprintf(file, sizeof file, "%s/j.checkpoint", scratch_folder);
    weir_scenario *s = parse(diag, jackson, "sequential");
    weir_run_options o = into(folder, NULL);
    o.no_output = true;
    expect_ok(diag, weir_run(diag, s, &o, &want));
    o.no_output = false;
    o.checkpoint_at_ps = 12 * WEIR_PS_PER_MS;
    weir_session *session;
    expect_ok(diag, weir_session_open(diag, s, &o, &session));
    expect_ok(diag, weir_session_advance(session, 20 * WEIR_PS_PER_MS));
    assert_true(exists(file));
    weir_session_close(session);
    o.checkpoint_at_ps = 0;
    o.checkpoint_every_s = 1e-9; /* at every stop point; and the one that it goes on from is replaced */
    o.stop = &stop;
    stop = 1;
    assert_int_equal(weir_resume(diag, s, &o, file, &got), WEIR_E_INTERRUPTED);
    assert_non_null(got.checkpoint);
    assert_string_equal(got.checkpoint, file);
    assert_true(got.reached_ps >= 12 * WEIR_PS_PER_MS && got.reached_ps < 30 * WEIR_PS_PER_MS);
    assert_null(got.summary_json);
    assert_false(exists(folder));
    weir_run_result_free(&got);
    stop = 0;
    expect_ok(diag, weir_resume(diag, s, &o, file, &got));
    assert_int_equal(got.event_digest, want.event_digest);
    assert_int_equal(got.state_digest, want.state_digest);
    assert_true(exists(folder));
    assert_false(exists(file)); /* the run is whole */
    weir_run_result_free(&got);
    weir_run_result_free(&want);
    weir_scenario_free(s);
    weir_diag_free(diag);
}

/* ---- what does not belong together ---- */

static void expect_refused(const char *file, const char *text, const char *part, weir_status status)
{
    weir_diag *diag = weir_diag_new();
    weir_scenario *s = parse(diag, text, "sequential");
    weir_session *session;
    assert_int_equal(weir_session_restore(diag, s, NULL, file, &session), status);
    assert_null(session);
    expect_message(diag, part);
    weir_scenario_free(s);
    weir_diag_free(diag);
}

static void others_are_refused(void **state)
{
    (void)state;
    weir_diag *diag = weir_diag_new();
    char file[160];
    weir_scenario *s = parse(diag, jackson, "sequential"), *again = NULL;
    weir_session *session;
    snprintf(file, sizeof file, "%s/one", scratch_folder);
    expect_ok(diag, weir_session_open(diag, s, NULL, &session));
    expect_ok(diag, weir_session_advance(session, 9 * WEIR_PS_PER_MS));
    expect_ok(diag, weir_session_save(session, file));
    weir_run_result result;
    expect_ok(diag, weir_session_finish(session, &result));
    weir_run_result_free(&result);
    assert_int_equal(weir_session_save(session, file), WEIR_E_ARG);
    weir_session_close(session);
    char other[sizeof jackson + 8];
    strcpy(other, jackson);
    memcpy(strstr(other, "30ms"), "08ms", 4); /* it is of 9 ms; test_fork.c has what may be otherwise */
    expect_refused(file, other, "duration: '30ms' in the checkpoint", WEIR_E_ARG);
    expect_refused("/nowhere/at/all", jackson, "No such file", WEIR_E_IO);
    expect_refused("/dev/null", jackson, "no checkpoint of weir", WEIR_E_FORMAT);
    /* Its own scenario, with another engine, fits; with another seed it does not. */
    const char *const sets[] = {"engine.type=conservative", "engine.threads=2", "seed=5"};
    expect_ok(diag, weir_checkpoint_scenario(diag, file, sets, 2, &again));
    expect_ok(diag, weir_session_restore(diag, again, NULL, file, &session));
    weir_session_close(session);
    weir_scenario_free(again);
    expect_ok(diag, weir_checkpoint_scenario(diag, file, sets, 3, &again));
    assert_int_equal(weir_session_restore(diag, again, NULL, file, &session), WEIR_E_ARG);
    expect_message(diag, "seed: '1' in the checkpoint");
    weir_scenario_free(again);
    /* Output cannot begin in the middle. */
    weir_run_options o = into(scratch_path("late"), file);
    assert_int_equal(weir_session_restore(diag, s, &o, file, &session), WEIR_E_ARG);
    expect_message(diag, "a run without output");
    assert_false(exists(scratch_path("late")));
    /* Nor can a session be saved that has not kept what it wrote. */
    o = into(scratch_path("plain"), NULL);
    expect_ok(diag, weir_session_open(diag, s, &o, &session));
    assert_int_equal(weir_session_save(session, file), WEIR_E_ARG);
    expect_message(diag, "options ask for checkpoints");
    weir_session_close(session);
    /* Another version is refused by name, before anything else is looked at. */
    static const char version[32] = "9.8.7";
    wi_saver *saver;
    expect_ok(diag, wi_saver_open(diag, file, &saver));
    wi_saver_section(saver, "about");
    wi_saver_put(saver, version, sizeof version);
    expect_ok(diag, wi_saver_commit(diag, saver));
    expect_refused(file, jackson, "a checkpoint of weir 9.8.7; this is weir " WEIR_VERSION, WEIR_E_FORMAT);
    weir_scenario_free(s);
    weir_diag_free(diag);
}

/* ---- kill -9 ---- */

/* A run into `folder` that writes checkpoints to `file` all the time, killed and begun again until it ends.
   With a delay of 0, and after 20 attempts, it is let alone, so that it ends on a machine which is too slow for the delays. */
static uint64_t kill_until_done(const weir_scenario *s, const char *folder, const char *file,
                                uint64_t *random, uint64_t delay_us)
{
    weir_run_options o = into(folder, file);
    o.checkpoint_every_s = 1e-9;
    uint64_t kills = 0;
    for (uint64_t attempt = delay_us > 0 ? 0 : 20; !exists(folder); attempt++) {
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            weir_run_result got;
            const weir_status status =
                exists(file) ? weir_resume(NULL, s, &o, file, &got) : weir_run(NULL, s, &o, &got);
            _exit(status == WEIR_OK ? 0 : 1);
        }
        int ended = 0;
        if (attempt < 20) {
            usleep((useconds_t)(1 + rnd_below(random, delay_us)));
            kill(child, SIGKILL);
        }
        assert_int_equal(waitpid(child, &ended, 0), child);
        assert_false(WIFEXITED(ended) && WEXITSTATUS(ended) != 0);
        kills += WIFSIGNALED(ended);
    }
    return kills;
}

/* Delays follow the time that the run takes here, and runs are repeated until enough of them were killed: a fast
   machine, or one that wakes us late, ends a run before it is killed. */
static void killed_runs_go_on(void **state)
{
    (void)state;
    weir_diag *diag = weir_diag_new();
    char folder[128], file[160], whole[128];
    weir_run_result want;
    snprintf(folder, sizeof folder, "%s/k", scratch_folder);
    snprintf(whole, sizeof whole, "%s/w", scratch_folder);
    snprintf(file, sizeof file, "%s/k.checkpoint", scratch_folder);
    weir_scenario *s = parse(diag, jackson, "sequential");
    weir_run_options o = into(whole, NULL);
    expect_ok(diag, weir_run(diag, s, &o, &want));
    uint64_t kills = 0, random = 3;
    int runs = 0;
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    kill_until_done(s, folder, file, &random, 0); /* killed never */
    clock_gettime(CLOCK_MONOTONIC, &to);
    expect_same_files(whole, folder, 0);
    assert_int_equal(wi_remove_tree(folder), 0);
    const int64_t took_us = (to.tv_sec - from.tv_sec) * 1000000 + (to.tv_nsec - from.tv_nsec) / 1000;
    const uint64_t delay_us = (uint64_t)took_us / 2 + 1;
    for (; kills < 8 && runs < 200; runs++) {
        kills += kill_until_done(s, folder, file, &random, delay_us);
        expect_same_files(whole, folder, 0);
        assert_int_equal(wi_remove_tree(folder), 0);
        unlink(file);
    }
    print_message("  killed %llu times in %d runs\n", (unsigned long long)kills, runs);
    assert_true(kills >= 8);
    weir_run_result_free(&want);
    weir_scenario_free(s);
    weir_diag_free(diag);
}

int main(int argc, char **argv)
{
    if (argc == 3) {
        first_seed = strtoull(argv[1], NULL, 10);
        count = strtoull(argv[2], NULL, 10);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_runs_go_on),  cmocka_unit_test(models_go_on),
        cmocka_unit_test(captures_go_on),     cmocka_unit_test(stopped_runs_leave_one),
        cmocka_unit_test(others_are_refused), cmocka_unit_test(killed_runs_go_on)};
    return cmocka_run_group_tests(tests, scratch_set_up, scratch_tear_down);
}
