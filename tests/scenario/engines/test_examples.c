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

#include "scenario/load.h"
#include "weir/run.h"

#define EXAMPLES WEIR_SOURCE_DIR "/examples/"

enum { SETS = 5, OWN_SETS = 3 };

typedef struct pinned {
    const char *example;
    const char *check; /* so much of it is given to the check engine, which takes about 0.1 ms an event; null:
                          none, where nothing is an event */
    const char *warmup; /* of that */
    uint64_t event_digest, state_digest;
    const char *sets[SETS]; /* overrides: a variant of the example, beside the row without */
} pinned;

static const pinned table[] = {
    {"abilene/abilene.yaml", "20ms", "5ms", 0x3bf9fb0f902cc313, 0x592310de01dca217},
    {"bbr-cubic/bbr-cubic.yaml", "1s", "50ms", 0x1b4088ea7cb2c436, 0xcd71ca9b8c3c04d3},
    {"bufferbloat/bufferbloat.yaml", "1s", "50ms", 0x2cc0e6ea0e6529ce, 0x0edda7e67575ea8b},
    {"bufferbloat/bufferbloat.yaml",
     "1s",
     "50ms",
     0x78aa577f4d513bbc,
     0xc09de4c8b52dc55d,
     {"topology.queue.type=pie"}},
    {"bufferbloat/bufferbloat.yaml",
     "1s",
     "50ms",
     0x4bdd45d966ad16da,
     0x3338082ce99b4b92,
     {"topology.queue.type=codel"}},
    {"bufferbloat/bufferbloat.yaml",
     "1s",
     "50ms",
     0x795d16ec67c6dbd7,
     0x73ae9f1fe50e0399,
     {"topology.queue.type=fq_codel"}},
    {"buffers/buffers.yaml", "1s", "50ms", 0x3eb712ffb5474e62, 0xa8994cadaa7677a1},
    {"cellular/cellular.yaml", "1s", "50ms", 0x8a0f9d2317be12e5, 0x4c37dfd832a7ce91},
    {"cellular/cellular.yaml",
     "1s",
     "50ms",
     0x76701e1a94935020,
     0x7df84794f8307ad1,
     {"topology.queue.type=codel"}},
    {"dumbbell-red/dumbbell-red.yaml", "1s", "50ms", 0x0b213f9d60f6ddf6, 0xa6111c7ee34c621e},
    {"first/first.yaml", "7s", "50ms", 0xabcbb91c4b65ae26, 0x68bc090e1c844c81},
    {"pfc-storm/pfc-storm.yaml", "20us", "1us", 0x56cfb0e52cd28209, 0x891e621b8431ed4f},
    {"incast/fat-tree.yaml", "3ms", "1ms", 0x59941e50b9fce30b, 0xd0b44aacda3710b3},
    {"incast/incast.yaml", "3ms", "1ms", 0x146741d58aceef51, 0xacfff0ecaf3729ac},
    {"interconnect/jobs.yaml", "2us", "1us", 0xb0baf36107eba9b8, 0x822ce2cf531e3288},
    {"interconnect/programs.yaml", "8us", "1us", 0x2885f648b84906fb, 0x79fe75f3bc3f77f2},
    {"jackson/jackson.yaml", "20ms", "5ms", 0x2f8c79523c277c85, 0x926a08d62eb2c8c6},
    {"kademlia/kademlia.yaml", "3s", "1s", 0xc60c926d97d1230f, 0x3c82c00ab919103d},
    {"kademlia-grid/kademlia-grid.yaml", "3s", "1s", 0x824f3db6a5cebc09, 0x18cb19aef95d0bd3},
    {"mgk/mgk.yaml", "20ms", "5ms", 0xc8a50884e2a25dc6, 0x3edfb2e249d7f4ce},
    {"papers/000/twelve-nodes.yaml", NULL, NULL, 0x7d43af3d72e11b3f, 0xa92f5d5b65c4542e, {NULL}},
    {"papers/000/twelve-nodes.yaml",
     "1s",
     "50ms",
     0x9b62705fec3d6e5c,
     0x368ced1b2b2b2a0f,
     {"duration=20s", "traffic.flow2.fidelity={packet: 10, fluid: rest}", "traffic.flow3.start=0s",
      "traffic.flow3.stop=15s"}},
    {"papers/001/mesh.yaml", "2s", "50ms", 0x075e55e0a6846193, 0x56e8090b589b598d},
    {"papers/004/uniform.yaml", NULL, NULL, 0x6aa61a0dc60c88de, 0x08bcd2af61cbbbe3},
    {"phold/phold.yaml", "2us", "1us", 0x4ccec89b68dfbf8e, 0xe5922e6941479154},
    {"l4s/l4s.yaml", "1s", "50ms", 0xbe6d1b2b42c38cdd, 0x4bdec42c8cda9d4a},
    {"reroute/reroute.yaml", NULL, NULL, 0xc98dc0257740a905, 0xb0b2a86bb656687a, {NULL}},
    {"video/video.yaml", "20s", "2s", 0xebc42c95e8a3d889, 0x6748d98f362a0e83},
    {"video/video.yaml",
     "20s",
     "2s",
     0xc28f0e77385557b6,
     0x11f94b15ab99459a,
     {"traffic.video.tcp.video.algorithm=throughput"}},
    {"wireless/wireless.yaml", "2s", "50ms", 0x8d9d477506f9d316, 0xb8ac803663aec93f},
    {"red-grid/red-grid.yaml", "1s", "50ms", 0x7fc7958f74e5a4ab, 0x18cac387344c9ce2},
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
        wrong += judge(&table[i]);
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
        char path[4096], duration[64], warmup[64];
        const char *sets[SETS + OWN_SETS];
        const size_t n = count_sets(&table[i]);
        if (!table[i].check)
            continue;
        snprintf(path, sizeof path, EXAMPLES "%s", table[i].example);
        snprintf(duration, sizeof duration, "duration=%s", table[i].check);
        snprintf(warmup, sizeof warmup, "output.warmup=%s", table[i].warmup);
        memcpy(sets, table[i].sets, n * sizeof *sets);
        sets[n] = duration;
        sets[n + 1] = warmup;
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
