/*
 * Models that are not the packet network, as scenarios: what a file says reaches the model, what cannot be
 * together is refused with its place, the resolved scenario reproduces the run, and results are written
 * whole.
 */
#include <jansson.h>
#include <math.h>

#include "models/kademlia/kademlia.h"
#include "output/results/remove_tree.h"
#include "output/scratch.h"
#include "scenario/load.h"
#include "subject/list.h"
#include "weir/run.h"
#include "weir/session.h"

static weir_run_result run_text(const char *text, const char *folder)
{
    weir_scenario *scenario = NULL;
    weir_run_result result = {0};
    weir_run_options options;
    weir_diag *diag = weir_diag_new();
    weir_run_options_init(&options);
    options.no_output = !folder;
    options.output_dir = folder;
    weir_status status = weir_scenario_parse(diag, "s.yaml", text, strlen(text), NULL, NULL, 0, &scenario);
    if (status == WEIR_OK)
        status = weir_run(diag, scenario, &options, &result);
    if (status != WEIR_OK) {
        print_messages(diag);
        fail_msg("%s", weir_status_name(status));
    }
    weir_scenario_free(scenario);
    weir_diag_free(diag);
    return result;
}

static double number_at(const json_t *root, const char *path)
{
    char copy[200], *save = NULL;
    snprintf(copy, sizeof copy, "%s", path);
    for (char *word = strtok_r(copy, ".", &save); word; word = strtok_r(NULL, ".", &save))
        root = json_object_get(root, word);
    if (!json_is_number(root))
        fail_msg("no number at %s", path);
    return json_number_value(root);
}

/* The scenario and the model's own parameters give the same simulation. */
static void keys_reach_the_model(void **state)
{
    (void)state;
    weir_run_result got =
        run_text("weir: 1\nduration: 20s\nseed: 9\nrun: 3\nmodel:\n  kademlia:\n"
                 "    peers: 300\n    k: 5\n    alpha: 2\n    lookups: 2\n    think: 4s\n"
                 "    timeout: 200ms\n    retries: 2\n    bootstrap: 1s\n"
                 "    latency: {min: 5ms, mean: 50ms, shape: uniform, per: pair}\n"
                 "    churn: {online: 20s, offline: 10s, shape: 0.5, rejoin: fresh}\n"
                 "    values: {keys: 50, find: 30%, store: 20%, slots: 3, preload: false}\n",
                 NULL);
    const kad_params params = {.n_peers = 300,
                               .k = 5,
                               .alpha = 2,
                               .lookups = 2,
                               .retries = 2,
                               .seed = 9,
                               .run = 3,
                               .think_ps = 4 * WEIR_PS_PER_S,
                               .timeout_ps = 200 * WEIR_PS_PER_MS,
                               .latency_min_ps = 5 * WEIR_PS_PER_MS,
                               .latency_mean_ps = 50 * WEIR_PS_PER_MS,
                               .latency_shape = KAD_LATENCY_UNIFORM,
                               .latency_per_pair = true,
                               .bootstrap_ps = WEIR_PS_PER_S,
                               .online_ps = 20 * WEIR_PS_PER_S,
                               .offline_ps = 10 * WEIR_PS_PER_S,
                               .session_shape = 0.5,
                               .fresh = true,
                               .n_values = 50,
                               .value_slots = 3,
                               .store_share = 0.2,
                               .find_share = 0.3};
    weir_diag *diag = weir_diag_new();
    wi_kad *kad;
    weir_setup setup;
    weir_sim *sim;
    assert_int_equal(wi_kad_new(diag, &params, &kad), WEIR_OK);
    wi_kad_setup(kad, &setup);
    assert_int_equal(weir_sim_new(diag, &setup, &sim), WEIR_OK);
    assert_int_equal(weir_sim_run(diag, sim, 20 * WEIR_PS_PER_S, NULL), WEIR_OK);
    assert_int_equal(weir_sim_event_digest(sim), got.event_digest);
    assert_int_equal(weir_sim_state_digest(sim), got.state_digest);
    weir_sim_free(sim);
    wi_kad_free(kad);
    weir_diag_free(diag);
    weir_run_result_free(&got);
}

static const char *const small_kademlia =
    "weir: 1\nname: small\nduration: 60s\nmodel: {kademlia: {peers: 500, churn: {online: 100s, offline: "
    "50s}, "
    "values: {keys: 100, find: 50%}}}\noutput: {warmup: 10s, interval: 5s}\n";
static const char *const small_phold =
    "weir: 1\nname: small\nduration: 50us\nmodel: {phold: {entities: 100}}\n";

static void resolved_scenarios_reproduce(void **state)
{
    (void)state;
    const char *const texts[] = {small_kademlia, small_phold};
    for (int i = 0; i < 2; i++) {
        weir_diag *diag = weir_diag_new();
        weir_scenario *scenario = NULL;
        char *text = NULL;
        size_t size = 0;
        assert_int_equal(
            weir_scenario_parse(diag, "s.yaml", texts[i], strlen(texts[i]), NULL, NULL, 0, &scenario),
            WEIR_OK);
        FILE *out = open_memstream(&text, &size);
        assert_int_equal(weir_scenario_write(diag, scenario, out), WEIR_OK);
        fclose(out);
        weir_run_result first = run_text(texts[i], NULL), again = run_text(text, NULL);
        assert_true(first.events > 1000);
        assert_int_equal(first.event_digest, again.event_digest);
        assert_int_equal(first.state_digest, again.state_digest);
        weir_run_result_free(&first);
        weir_run_result_free(&again);
        weir_scenario_free(scenario);
        weir_diag_free(diag);
        free(text);
    }
}

/* Sums over a CSV column; `rows` lines after the header. */
static double column_sum(const char *folder, const char *file, int column, int *rows)
{
    char path[4096], line[512];
    double sum = 0.0;
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *f = fopen(path, "r");
    if (!f)
        fail_msg("no %s", path);
    *rows = -1;
    for (; fgets(line, sizeof line, f); ++*rows) {
        char *at = line;
        for (int i = 0; i < column; i++)
            at = strchr(at, ',') + 1;
        sum += *rows >= 0 ? atof(at) : 0.0;
    }
    fclose(f);
    return sum;
}

static void results_agree_with_each_other(void **state)
{
    (void)state;
    assert_non_null(scratch_make());
    const char *folder = scratch_path("results");
    weir_run_result got = run_text(small_kademlia, folder);
    json_t *root = json_loads(got.summary_json, 0, NULL);
    int rows;
    const double finished = number_at(root, "kademlia.lookups.finished");
    assert_true(finished > 1000);
    assert_true(column_sum(folder, "latency.csv", 2, &rows) == finished);
    assert_true(column_sum(folder, "requests.csv", 1, &rows) == finished);
    assert_int_equal(rows, (int)number_at(root, "kademlia.requests.max") + 1);
    /* Lookups that found their value have no end to judge. */
    const double judged = column_sum(folder, "hops.csv", 1, &rows);
    assert_true(judged < finished && judged > 0.3 * finished);
    const double contacts = column_sum(folder, "buckets.csv", 2, &rows);
    assert_int_equal(rows, (int)number_at(root, "kademlia.tables.buckets"));
    assert_true(fabs(contacts - number_at(root, "kademlia.tables.contacts_mean")) < 1e-9);
    assert_true(number_at(root, "kademlia.latency.p50_s") < number_at(root, "kademlia.latency.p99_s"));
    const double success = number_at(root, "kademlia.lookups.success");
    assert_true(success <= 1.0 && success >= number_at(root, "kademlia.lookups.closest_of_all"));
    assert_null(json_object_get(root, "packet_hops"));
    json_decref(root);
    weir_run_result_free(&got);
    wi_remove_tree(scratch_folder);
}

static void phold_counts_its_events(void **state)
{
    (void)state;
    weir_run_result got = run_text("weir: 1\nduration: 200us\noutput: {warmup: 100us}\n"
                                   "model: {phold: {entities: 1000, events: 2, lookahead: 1us, mean: 3us}}\n",
                                   NULL);
    json_t *root = json_loads(got.summary_json, 0, NULL);
    /* 2,000 events with a mean delay of 4 us: 5e8 a second; 50,000 of them, so 2 % is four standard errors.
     */
    assert_true(fabs(number_at(root, "phold.events_per_simulated_s") / 5e8 - 1) < 0.02);
    assert_true(fabs(number_at(root, "phold.events_per_lookahead") / 500 - 1) < 0.02);
    json_decref(root);
    weir_run_result_free(&got);
}

/* 1,000 events of four generators a quarter each, within four standard errors; on the check engine and threads the same. */
/* The paper's divergence: all events of a run have one generator, and four runs have all four. */
static void lcg_runs_select_their_generator(void **state)
{
    (void)state;
    for (int run = 0; run < 8; run++) {
        char text[300];
        snprintf(text, sizeof text,
                 "weir: 1\nduration: 1ms\nrun: %d\n"
                 "model: {lcg: {modules: 3, events: 30, iterations: 5, ways: 4, select: run}}\n",
                 run);
        weir_run_result got = run_text(text, NULL);
        json_t *root = json_loads(got.summary_json, 0, NULL);
        const json_t *by = json_object_get(json_object_get(root, "lcg"), "events_by_generator");
        for (int t = 0; t < 4; t++)
            assert_true(json_number_value(json_array_get(by, (size_t)t)) == (t == run % 4 ? 30.0 : 0.0));
        json_decref(root);
        weir_run_result_free(&got);
    }
}

static void lcg_handles_what_it_is_asked_for(void **state)
{
    static const char *const engines[] = {"sequential", "conservative", "optimistic", "check"};
    uint64_t digest = 0;
    (void)state;
    for (int i = 0; i < 4; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "weir: 1\nduration: 1ms\nengine: {type: %s}\noutput: {warmup: 10us}\n"
                 "model: {lcg: {modules: 7, events: 1000, iterations: 5, ways: 4, state: 80B}}\n",
                 engines[i]);
        weir_run_result got = run_text(text, NULL);
        json_t *root = json_loads(got.summary_json, 0, NULL);
        assert_int_equal(got.events, 1000);
        double sum = 0;
        for (size_t t = 0; t < 4; t++) {
            const double n = json_number_value(
                json_array_get(json_object_get(json_object_get(root, "lcg"), "events_by_generator"), t));
            assert_true(fabs(n - 250) < 4 * sqrt(1000 * 0.25 * 0.75));
            sum += n;
        }
        assert_true(sum == 1000 && number_at(root, "lcg.steps") == 5000 &&
                    number_at(root, "lcg.modules") == 7);
        digest = i == 0 ? got.state_digest : digest;
        assert_true(got.state_digest == digest);
        json_decref(root);
        weir_run_result_free(&got);
    }
}

static void expect_text(const char *text, const char *part)
{
    weir_diag *diag = weir_diag_new();
    weir_scenario *scenario = NULL;
    assert_int_not_equal(weir_scenario_parse(diag, "s.yaml", text, strlen(text), NULL, NULL, 0, &scenario),
                         WEIR_OK);
    assert_null(scenario);
    bool found = false;
    for (size_t i = 0; i < weir_diag_count(diag); i++) {
        const weir_message *m = weir_diag_get(diag, i);
        found |= strstr(m->text, part) && m->line > 0;
    }
    if (!found) {
        print_messages(diag);
        fail_msg("no message with '%s' and a place", part);
    }
    weir_diag_free(diag);
}

/* "want one of A, B and C", of the registry's models. */
static const char *one_of_all(void)
{
#define NAME(name, doc, also) #name,
    static const char *const names[] = {WI_SUBJECTS(NAME)};
#undef NAME
    enum { N = sizeof names / sizeof names[0] };
    static char text[512];
    size_t used = (size_t)snprintf(text, sizeof text, "want one of ");
    for (size_t i = 0; i < N && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
                                 i == 0      ? ""
                                 : i + 1 < N ? ", "
                                             : " and ",
                                 names[i]);
    return text;
}

static void mistakes_are_named(void **state)
{
    (void)state;
    static const char head[] = "weir: 1\nduration: 1s\n";
    const struct {
        const char *text, *message;
    } cases[] = {
        {"model: {phold: {}, kademlia: {}}\n", one_of_all()},
        {"model: {}\n", one_of_all()},
        {"model: {kademla: {}}\n", "did you mean 'kademlia'"},
        {"model: {phold: {}}\ntopology: {generate: {model: star, hosts: 2}}\n",
         "topology does not go together with model"},
        {"model: {phold: {}}\nrouting: {ecmp: true}\n", "routing does not go together with model"},
        {"model: {phold: {}}\noutput: {ports: all}\n", "ports: all does not go together with model"},
        {"model: {phold: {}}\noutput: {histograms: false}\n",
         "histograms: false does not go together with model"},
        {"model: {phold: {}}\noutput: {slowdown_sizes: [1kB]}\n",
         "slowdown_sizes does not go together with model"},
        {"name: x\n", "missing key 'topology'"},
        {"model: {phold: {entities: 1}}\n", "nobody to send to"},
        {"model: {phold: {entities: 0}}\n", "entities is 0; want at least 1"},
        {"model: {phold: {events: 65536}}\n", "events is 65536; want at most 65535"},
        {"model: {phold: {remote: 150%}}\n", "remote: \"150%\" is not between 0% and 100%"},
        {"model: {phold: {remote: nan}}\n", "remote: \"nan\" does not begin with a number"},
        {"model: {phold: {lookahead: 0s}}\n", "lookahead is 0s; want more than 0s"},
        {"model: {phold: {mean: -1ps}}\n", "mean: \"-1ps\" is negative"},
        {"model: {phold: {mean: 11d}}\n", "mean is 11d; want at most 10d"},
        {"model: {lcg: {state: 44B}}\n", "no multiple of 8 B"},
        {"model: {lcg: {state: 32B}}\n", "state is 32B; want at least 40B"},
        {"model: {lcg: {ways: 5}}\n", "ways is 5; want at most 4"},
        {"model: {lcg: {modules: 0}}\n", "modules is 0; want at least 1"},
        {"model: {kademlia: {peers: 1}}\n", "peers is 1; want at least 2"},
        {"model: {kademlia: {k: 21}}\n", "k is 21; want at most 20"},
        {"model: {kademlia: {alpha: 0}}\n", "alpha is 0; want at least 1"},
        {"model: {kademlia: {lookups: 9}}\n", "lookups is 9; want at most 8"},
        {"model: {kademlia: {retries: 11}}\n", "retries is 11; want at most 10"},
        {"model: {kademlia: {think: -1s}}\n", "think: \"-1s\" is negative"},
        {"model: {kademlia: {bootstrap: 11d}}\n", "bootstrap is 11d; want at most 10d"},
        {"model: {kademlia: {latency: {min: 0s}}}\n", "min is 0s; want more than 0s"},
        {"model: {kademlia: {churn: {online: 1s, offline: 0s}}}\n", "offline is 0s; want more than 0s"},
        {"model: {kademlia: {churn: {online: 1s, offline: 1s, shape: nan}}}\n",
         "shape: \"nan\" does not begin with a number"},
        {"model: {kademlia: {values: {slots: 0}}}\n", "slots is 0; want at least 1"},
        {"model: {interconnect: {burst: 0, jobs: [{}]}}\n", "burst is 0; want at least 1"},
        {"model: {interconnect: {chunk: 2MiB, jobs: [{}]}}\n", "chunk is 2MiB; want at most 1MiB"},
        {"model: {interconnect: {credits: 65536, jobs: [{}]}}\n", "credits is 65536; want at most 65535"},
        {"model: {interconnect: {nic_delay: 2s, jobs: [{}]}}\n", "nic_delay is 2s; want at most 1s"},
        {"model: {interconnect: {surrogate: {tolerance: 0}, jobs: [{}]}}\n",
         "tolerance is 0; want more than 0"},
        {"model: {interconnect: {surrogate: {batches: 66}, jobs: [{}]}}\n", "batches is 66; want at most 64"},
        {"model: {interconnect: {jobs: [{model: {layers: 2, hidden: 64, heads: 3, vocabulary: 9, sequence: "
         "8}, "
         "flops: 1e12}]}}\n",
         "hidden: 64 is no multiple of heads: 3"},
        {"model: {jackson: {stations: 1}}\n", "stations is 1; want at least 2"},
        {"model: {jackson: {load: 100%}}\n", "load is 100%; want less than 1"},
        {"model: {jackson: {leave: 0}}\n", "leave is 0; want more than 0"},
        {"model: {jackson: {service: 0s}}\n", "service is 0s; want more than 0s"},
        {"model: {jackson: {transit: 0s}}\n", "transit is 0s; want more than 0s"},
        {"model: {mgk: {queues: 0}}\n", "queues is 0; want at least 1"},
        {"model: {mgk: {servers: 0}}\n", "servers is 0; want at least 1"},
        {"model: {mgk: {load: 1}}\n", "load is 1; want less than 1"},
        {"model: {mgk: {variability: 0.01}}\n", "variability is 0.01; want at least 0.02"},
        {"model: {mgk: {variability: 10000}}\n", "variability is 10000; want at most 1000"},
        {"model: {mgk: {service: 0s}}\n", "service is 0s; want more than 0s"},
        {"model: {wireless: {nodes: 1}}\n", "nodes is 1; want at least 2"},
        {"model: {wireless: {rician_k: nan}}\n", "rician_k: \"nan\" does not begin with a number"},
        {"model: {wireless: {sinusoids: 65}}\n", "sinusoids is 65; want at most 64"},
        {"model: {wireless: {stack: 1ps}}\n", "stack is 1ps; want at least 1ns"},
        {"model: {wireless: {packets_per_s: 1e-7}}\n", "packets_per_s is 1e-07; want 0, or 1e-6 and more"},
        {"model: {kademlia: {latency: {mean: 1ms}}}\n", "latency.mean is less than latency.min"},
        {"model: {kademlia: {timeout: 1ms}}\n", "timeout is less than twice latency.min"},
        {"model: {kademlia: {churn: {online: 1s}}}\n", "missing key 'offline' in churn"},
        {"model: {kademlia: {values: {find: 60%, store: 60%, keys: 1}}}\n", "add up to more than 100%"},
        {"model: {kademlia: {values: {find: 60%}}}\n", "nothing to find"},
        {"model: {kademlia: {d_max: 10s}}\n", "did you mean 'think'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[512];
        snprintf(text, sizeof text, "%s%s", head, cases[i].text);
        expect_text(text, cases[i].message);
    }
}

/* What a mesh's world finds is told with the place of the keys. */
static void short_slots_have_a_place(void **state)
{
    (void)state;
    static const char text[] = "weir: 1\nduration: 1s\nmodel: {wireless: {access: slotted, slot: 1us}}\n";
    weir_scenario *scenario = NULL;
    weir_session *session = NULL;
    weir_run_options options;
    weir_diag *diag = weir_diag_new();
    weir_run_options_init(&options);
    options.no_output = true;
    expect_ok(diag, weir_scenario_parse(diag, "s.yaml", text, strlen(text), NULL, NULL, 0, &scenario));
    assert_int_equal(weir_session_open(diag, scenario, &options, &session), WEIR_E_ARG);
    expect_message(diag, "wireless: slots of 1us; want at least a data frame's 364us");
    assert_int_equal(weir_diag_get(diag, 0)->line, 3);
    weir_scenario_free(scenario);
    weir_diag_free(diag);
}

/* Nodes at random places stand elsewhere for another seed and another replication: the farthest two, whose packets take longest. */
static void random_places_are_of_the_seed(void **state)
{
    (void)state;
    static const char *const runs[] = {"seed: 1\n", "seed: 2\n", "run: 1\n"};
    double longest_s[3];
    for (size_t i = 0; i < 3; i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "weir: 1\nduration: 2s\n%smodel: {wireless: {nodes: 4, placement: random, size_m: 20, "
                 "tx_dbm: 90}}\n",
                 runs[i]);
        weir_run_result got = run_text(text, NULL);
        json_t *root = json_loads(got.summary_json, 0, NULL);
        longest_s[i] = number_at(root, "wireless.delay_max_s");
        json_decref(root);
        weir_run_result_free(&got);
        for (size_t k = 0; k < i; k++)
            assert_true(longest_s[i] < longest_s[k] || longest_s[i] > longest_s[k]);
    }
}

/* Peers that have nobody to ask yet try again when a message could have come, not a picosecond later. */
static void no_pause_is_no_standstill(void **state)
{
    (void)state;
    weir_run_result got =
        run_text("weir: 1\nduration: 5s\nmodel: {kademlia: {peers: 8, think: 0s, bootstrap: 1s}}\n", NULL);
    assert_in_range(got.events, 1000, 200000); /* lookups of 8 peers, one after another, of 50 ms and more */
    weir_run_result_free(&got);
}

static json_t *mgk_of(const char *text)
{
    weir_run_result result = run_text(text, NULL);
    json_t *summary = json_loads(result.summary_json, 0, NULL),
           *mgk = json_incref(json_object_get(summary, "mgk"));
    json_decref(summary);
    weir_run_result_free(&result);
    return mgk;
}

/* Near full load a sample says little that the one before did not: nearly all of 20 seeds' intervals hold theory's wait. */
static void intervals_hold_theory(void **state)
{
    int held = 0;
    (void)state;
    for (int seed = 1; seed <= 20; seed++) {
        char text[200];
        snprintf(text, sizeof text,
                 "weir: 1\nduration: 12s\nseed: %d\noutput: {warmup: 4s}\n"
                 "model: {mgk: {queues: 4, load: 95%%}}\n",
                 seed);
        json_t *mgk = mgk_of(text);
        held += fabs(number_at(mgk, "wait_s.mean") - number_at(mgk, "wait_s.theory")) <=
                number_at(mgk, "wait_s.ci95");
        json_decref(mgk);
    }
    if (held < 16)
        fail_msg("%d of 20 intervals hold theory's wait", held);
}

/* Samples in which nobody came have no wait: the others tell its interval, and where there are none it has none. */
static void seldom_is_not_never(void **state)
{
    (void)state;
    json_t *mgk = mgk_of("weir: 1\nduration: 2s\nmodel: {mgk: {queues: 1, load: 2%}}\n");
    assert_true(number_at(mgk, "delayed.ci95") > 0.0);
    json_decref(mgk);
    mgk = mgk_of("weir: 1\nduration: 1us\nmodel: {mgk: {queues: 1, load: 2%}}\n");
    assert_true(json_is_null(json_object_get(json_object_get(mgk, "wait_s"), "ci95")));
    json_decref(mgk);
    /* Samples in which some waited on and nobody came are no infinite waits, which made the interval 0. */
    mgk = mgk_of("weir: 1\nduration: 10ms\nmodel: {mgk: {}}\n");
    assert_true(number_at(mgk, "wait_s.ci95") > 0.0);
    json_decref(mgk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_reach_the_model),
        cmocka_unit_test(resolved_scenarios_reproduce),
        cmocka_unit_test(results_agree_with_each_other),
        cmocka_unit_test(phold_counts_its_events),
        cmocka_unit_test(lcg_runs_select_their_generator),
        cmocka_unit_test(lcg_handles_what_it_is_asked_for),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(no_pause_is_no_standstill),
        cmocka_unit_test(short_slots_have_a_place),
        cmocka_unit_test(random_places_are_of_the_seed),
        cmocka_unit_test(intervals_hold_theory),
        cmocka_unit_test(seldom_is_not_never),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
