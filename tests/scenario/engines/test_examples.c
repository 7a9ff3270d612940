/*
 * label: slow bits
 *
 * Every examples/FOLDER/NAME.yaml and examples/papers/NUMBER/NAME.yaml runs, with the digests pinned below,
 * and the check engine (which handles every event, rolls it back, compares, and handles it again) agrees with
 * the sequential engine on the start of it. A digest covers every event handled and all state at the end, so
 * that any change of behaviour shows.
 *
 * Where a change of results is meant: WEIR_UPDATE_DIGESTS=1 makes this test print the digests anew; put them
 * here, and say in CHANGELOG.md under "Changed results" what changed and why.
 */
#include <glob.h>
#include <inttypes.h>

#include "nightly.h"
#include "scenario/load.h"
#include "weir/run.h"

#define EXAMPLES WEIR_SOURCE_DIR "/examples/"

enum { SETS = 5, OWN_SETS = 4 };

typedef struct pinned {
    const char *example;
    const char *check; /* so much of it is given to the check engine, which takes about 0.1 ms an event; null:
                          none, where nothing is an event, or hosts have megabytes of state */
    const char *warmup; /* of that */
    uint64_t event_digest, state_digest;
    const char *sets[SETS]; /* overrides: a variant of the example, beside the row without */
} pinned;

static const pinned table[] = {
    {"abilene/abilene.yaml", "20ms", "5ms", 0xe8c4a4f05b943e24, 0x4b2bd2c14dc731c4},
    {"aqm/aqm.yaml", "1s", "50ms", 0xd8771315097e3e34, 0x3f4705d3cbf71efc},
    {"aqm/beside.yaml", "1s", "50ms", 0x1710f6b575452f7b, 0x52d4e27635a880e2},
    {"aqm/rtt.yaml", "3s", "50ms", 0x892a16b9ada6a10e, 0x2cf143bdc452b825},
    {"aqm/bursts.yaml", "3s", "50ms", 0x03bc7cd2416dc042, 0xe6dc8f0c64189ed7},
    {"aqm/levels.yaml", NULL, NULL, 0x8296ed1748e2301a, 0xfd4009e0116c7115},
    {"aqm/line.yaml", "2s", "50ms", 0x29fcd30f745f65c3, 0x488296e7b0f44d4e},
    {"bbr-cubic/bbr-cubic.yaml", "1s", "50ms", 0x805a761473f1c046, 0xe1258194cfce1e48},
    {"bufferbloat/bufferbloat.yaml", "1s", "50ms", 0x36dd1f84fee43cec, 0x058b91cb740153df},
    {"bufferbloat/bufferbloat.yaml",
     "1s",
     "50ms",
     0xac6a00bb79770923,
     0x703bc9cfb076a903,
     {"topology.queue.type=pie"}},
    {"bufferbloat/bufferbloat.yaml",
     "1s",
     "50ms",
     0xb7f7c1b7c5bc4a26,
     0xf77dbfd81dbac3c4,
     {"topology.queue.type=codel"}},
    {"bufferbloat/bufferbloat.yaml",
     "1s",
     "50ms",
     0xf18b5b9dc92f6b1e,
     0x47d32458b99a0f03,
     {"topology.queue.type=fq_codel"}},
    {"buffers/buffers.yaml", "1s", "50ms", 0xa4ec62c2d9fe9843, 0xdd6574080605a306},
    {"cellular/cellular.yaml", "1s", "50ms", 0x03e5c5695f80a669, 0x1cccc4c598983dc1},
    {"cellular/cellular.yaml",
     "1s",
     "50ms",
     0x0f26dfd2968a1e12,
     0x31ed44271db73069,
     {"topology.queue.type=codel"}},
    {"dctcp/dctcp.yaml", "2ms", "500us", 0xb2baa60e5b48e833, 0x0b4b50881055ee91},
    {"dragonfly/dragonfly.yaml", "2us", "500ns", 0x41f0c43175f721cb, 0xa18af2c8b58c0e0e},
    {"dumbbell-red/dumbbell-red.yaml", "1s", "50ms", 0x3e142ac230035ea6, 0x35dcded9e4b73fd6},
    {"fabrics/fabrics.yaml", "3415us", "1us", 0xc217b2a7aa5cc81d, 0x33423fc221484c82},
    {"failing-rail/failing-rail.yaml", "3415us", "1us", 0xb289e2dabe5a7eda, 0x481fcc946621138e},
    {"first/first.yaml", "7s", "50ms", 0x1e933db84b576434, 0x98046bc914b73e08},
    {"nscc/nscc.yaml", "20us", "1us", 0xc676f05ef6473e5f, 0xa08828a3727ad737},
    {"pfc-storm/pfc-storm.yaml", "20us", "1us", 0x5283098842a7b9c1, 0x7c21db371f3e4ec0},
    {"hpcc/hpcc.yaml", NULL, NULL, 0xd24a886d2a0f0fe7, 0x2fceddf093300f84, {NULL}},
    {"incast/fat-tree.yaml", "3ms", "1ms", 0x5cf64d9f850c498e, 0xf6779f76177c1dc3},
    {"incast/incast.yaml", "3ms", "1ms", 0xb697e710f3ec95eb, 0x34e09b44f9f5fb75},
    {"interconnect/jobs.yaml", "2us", "1us", 0xef2b5b2b55cddc2e, 0xa6f898cdbf2eda3f},
    {"interconnect/programs.yaml", "8us", "1us", 0x4b6262372a8f6021, 0x04857bb3bc7ee4c9},
    {"jackson/jackson.yaml", "220ms", "120ms", 0xb02f117d3412aee9, 0x0ea0eb905fb135c2},
    {"kademlia/kademlia.yaml", "3s", "1s", 0xa30d9144e6bff809, 0x83e676c47d5a8a91},
    {"kademlia-grid/kademlia-grid.yaml", "3s", "1s", 0x77bf99c0addd1d65, 0xb5bc5703ddf20ef3},
    {"mgk/mgk.yaml", "60ms", "40ms", 0x2a1cea3ec0a5d668, 0xf523552bfd81b8fa},
    {"papers/000/twelve-nodes.yaml", NULL, NULL, 0x7d43af3d72e11b3f, 0xa92f5d5b65c4542e, {NULL}},
    {"papers/000/twelve-nodes.yaml",
     "1s",
     "50ms",
     0xe01af89f600cccdd,
     0xe64455f90f283383,
     {"duration=20s", "traffic.flow2.fidelity={packet: 10, fluid: rest}", "traffic.flow3.start=0s",
      "traffic.flow3.stop=15s"}},
    {"papers/001/mesh.yaml", "2s", "50ms", 0x6c2176b21c812970, 0x3695965999b6556d},
    {"papers/004/uniform.yaml", NULL, NULL, 0x54f5fb22f5c1d25e, 0xc03c21d66092d651},
    {"phold/phold.yaml", "2us", "1us", 0x74dcd77b9a6933f5, 0xb70a41e21e334b08},
    {"l4s/l4s.yaml", "1s", "50ms", 0x4b0f398b8473496a, 0xa7e520075b12a28e},
    {"reroute/reroute.yaml", NULL, NULL, 0xa5ecc6c838bb1344, 0x14961d769b248f79, {NULL}},
    {"two-jobs/two-jobs.yaml", "3415us", "1us", 0xd7f5d28eb3e23fce, 0xb02ada111fbf40aa},
    {"video/video.yaml", "20s", "2s", 0x701c6b25b680fe10, 0x2d2752c9d685fa9f},
    {"video/video.yaml",
     "20s",
     "2s",
     0xac70653411442c4c,
     0xe333d971c07c2b81,
     {"traffic.video.tcp.video.algorithm=throughput"}},
    {"wireless/wireless.yaml", "2s", "50ms", 0x8c0e74dafaf5005b, 0x9933c886e783e10f},
    {"red-grid/red-grid.yaml", "1s", "50ms", 0x2e25d77dd3fcb1f2, 0xd843c69441f2cd81},
};
enum { N_PINNED = sizeof table / sizeof table[0] };

static bool updating(void)
{
    const char *update = getenv("WEIR_UPDATE_DIGESTS");
    return update && strcmp(update, "1") == 0;
}

static weir_run_result run(const char *path, const char *const *sets, size_t n_sets)
{
    weir_scenario *scenario = NULL;
    weir_run_result result = {0};
    weir_run_options options;
    weir_diag *diag = weir_diag_new();
    weir_run_options_init(&options);
    options.no_output = true;
    weir_status status = weir_scenario_load(diag, path, sets, n_sets, &scenario);
    if (status == WEIR_OK)
        status = weir_run(diag, scenario, &options, &result);
    if (status != WEIR_OK || weir_diag_count(diag) > 0) {
        print_messages(diag);
        fail_msg("%s: %s; an example gives no messages", path, weir_status_name(status));
    }
    assert_false(result.partial);
    weir_scenario_free(scenario);
    weir_diag_free(diag);
    return result;
}

static size_t count_sets(const pinned *row)
{
    size_t n = 0;
    while (n < SETS && row->sets[n])
        n++;
    return n;
}

/* One line of the table; the results differ: its place, and what is to be put there. */
static int judge(const pinned *row)
{
    char path[4096];
    snprintf(path, sizeof path, EXAMPLES "%s", row->example);
    weir_run_result got = run(path, row->sets, count_sets(row));
    const int wrong = row->event_digest != got.event_digest || row->state_digest != got.state_digest;
    if (updating())
        print_message("    %s%s%s: 0x%016" PRIx64 ", 0x%016" PRIx64 "\n", row->example,
                      row->sets[0] ? " with " : "", row->sets[0] ? row->sets[0] : "", got.event_digest,
                      got.state_digest);
    else if (wrong)
        print_message("%s%s%s: got 0x%016" PRIx64 ", 0x%016" PRIx64 "; want 0x%016" PRIx64 ", 0x%016" PRIx64
                      "\n",
                      row->example, row->sets[0] ? " with " : "", row->sets[0] ? row->sets[0] : "",
                      got.event_digest, got.state_digest, row->event_digest, row->state_digest);
    weir_run_result_free(&got);
    return wrong && !updating();
}

static void examples_give_the_pinned_digests(void **state)
{
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < N_PINNED; i++)
        wrong += is_run(i, 0, SANITIZED ? 3 : 1) && judge(&table[i]);
    if (wrong)
        fail_msg("%d of %d examples give other results than pinned. If that is meant, WEIR_UPDATE_DIGESTS=1 "
                 "prints the "
                 "digests; CHANGELOG.md wants a line under 'Changed results'",
                 wrong, (int)N_PINNED);
}

static void every_example_is_pinned(void **state)
{
    (void)state;
    glob_t found;
    assert_int_equal(glob(EXAMPLES "*/*.yaml", 0, NULL, &found), 0);
    assert_int_equal(glob(EXAMPLES "papers/*/*.yaml", GLOB_APPEND, NULL, &found), 0);
    for (size_t k = 0; k < found.gl_pathc; k++) {
        size_t rows = 0;
        for (size_t i = 0; i < N_PINNED; i++)
            rows += strcmp(found.gl_pathv[k] + strlen(EXAMPLES), table[i].example) == 0;
        if (rows == 0)
            fail_msg("%s has no line in the table", found.gl_pathv[k]);
    }
    globfree(&found);
}

static void check_engine_agrees(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_PINNED; i++) {
        char path[4096], duration[64], warmup[64], interval[64];
        const char *sets[SETS + OWN_SETS];
        const size_t n = count_sets(&table[i]);
        if (!table[i].check || !is_run(i, SANITIZED ? 1 : 0, SANITIZED ? 3 : 1))
            continue;
        snprintf(path, sizeof path, EXAMPLES "%s", table[i].example);
        snprintf(duration, sizeof duration, "duration=%s", table[i].check);
        snprintf(interval, sizeof interval, "output.interval=%s", table[i].check);
        snprintf(warmup, sizeof warmup, "output.warmup=%s", table[i].warmup);
        memcpy(sets, table[i].sets, n * sizeof *sets);
        sets[n] = duration;
        sets[n + 1] = warmup;
        sets[n + 3] = interval;
        sets[n + 2] = "engine.type=sequential";
        weir_run_result once = run(path, sets, n + OWN_SETS);
        sets[n + 2] = "engine.type=check";
        weir_run_result checked = run(path, sets, n + OWN_SETS);
        assert_true(once.events > 1000);
        if (once.event_digest != checked.event_digest || once.state_digest != checked.state_digest ||
            once.events != checked.events)
            fail_msg("%s: sequential 0x%016" PRIx64 ", 0x%016" PRIx64 " with %" PRIu64
                     " events, check 0x%016" PRIx64 ", 0x%016" PRIx64 " with %" PRIu64,
                     path, once.event_digest, once.state_digest, once.events, checked.event_digest,
                     checked.state_digest, checked.events);
        weir_run_result_free(&once);
        weir_run_result_free(&checked);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_give_the_pinned_digests),
        cmocka_unit_test(every_example_is_pinned),
        cmocka_unit_test(check_engine_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
