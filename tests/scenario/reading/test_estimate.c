/*
 * What `weir check` says before a run holds after it: the bound of packet hops under loss, bursts and random
 * traffic; flows as they were asked for; and sizes that no machine holds are told, or refused, at once.
 */
#include <jansson.h>

#include "scenario/load.h"

#include "scenario/random_scenario.h"
#include "scenario/run_text.h"
#include "weir/run.h"

#define HEAD "weir: 1\nduration: 2s\n"
#define DUMBBELL "topology: {generate: {model: dumbbell, left: 8}, queue: {limit: 20kB}}\n"
#define TWINS "topology: {generate: {model: dumbbell}, links: [{link: \"*\", duplication: "

static weir_estimate estimate_of(const char *text)
{
    weir_estimate e;
    weir_diag *diag = weir_diag_new();
    weir_scenario *s = good(text, NULL, 0);
    expect_ok(diag, weir_estimate_scenario(diag, s, &e));
    weir_scenario_free(s);
    weir_diag_free(diag);
    return e;
}

static void the_bound_holds(void **state)
{
    static const struct {
        const char *text;
        uint64_t flows;
    } cases[] = {
        {HEAD "topology: {generate: {model: fat-tree, k: 4, rate: 10Gbps, access_rate: 1Gbps}, queue: "
              "{limit: 64kB}}\n"
              "traffic: [{name: incast, tcp: {size: 64kB, arrivals: {all: 15}}, from: 'h[1-15]', to: h0}]\n",
         15},
        {HEAD DUMBBELL "traffic: [{name: a, tcp: {sessions: 4}, from: 'l[0-9]', to: r0}]\n", 32},
        {HEAD DUMBBELL
         "traffic: [{name: a, tcp: {size: 20kB, arrivals: {poisson: 50/s}}, from: l0, to: r0}]\n",
         0},
        {HEAD DUMBBELL
         "traffic: [{name: a, udp: {rate: 4Mbps, pattern: onoff, on_time: 100ms, off_time: 300ms,\n"
         "  packet: {exponential: 300B}}, from: l0, to: r0}]\n",
         1},
        {HEAD DUMBBELL "traffic: [{name: a, tcp: {size: 2kB, request: {size: 100B}}, from: l0, to: r0}]\n",
         1},
        {HEAD "topology: {generate: {model: dumbbell}, loss: 20%, queue: {limit: 20kB}}\n"
              "traffic: [{name: a, tcp: {}, from: l0, to: r0}]\n",
         1},
        {HEAD DUMBBELL /* eighty times what the line carries */
         "traffic: [{name: a, tcp: {size: 1MB, arrivals: {poisson: 1000/s}, max_flows: 9}, from: l0, to: "
         "r0}]\n",
         0},
        {HEAD TWINS "50%}]}\ntraffic: [{name: a, udp: {rate: 1Mbps}, from: l0, to: r0}]\n", 1},
        {HEAD TWINS "100%}]}\ntraffic: [{name: a, tcp: {sack: false}, from: l0, to: r0}]\n", 1},
        {HEAD TWINS
         "1%}]}\ntraffic: [{name: a, tcp: {size: 9kB, arrivals: {poisson: 90/s}}, from: l0, to: r0}]\n",
         0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_run_result got;
        weir_diag *diag = weir_diag_new();
        const weir_estimate e = estimate_of(cases[i].text);
        expect_ok(diag, run_text(diag, cases[i].text, NULL, NULL, 0, &got));
        if ((double)got.packet_hops > e.packet_hops_most || e.packet_hops > e.packet_hops_most ||
            got.packet_hops < 20 || e.flows != cases[i].flows)
            fail_msg("case %zu: %llu hops of at most %g (about %g), %llu flows", i,
                     (unsigned long long)got.packet_hops, e.packet_hops_most, e.packet_hops,
                     (unsigned long long)e.flows);
        weir_run_result_free(&got);
        weir_diag_free(diag);
    }
}

/* Memory counts the fluid's, which is most of it: a study runs as many at once as fit. */
static void memory_counts_fluid(void **state)
{
    static const char text[] = HEAD "topology: {generate: {model: barabasi-albert, nodes: 200}}\n"
                                    "traffic: [{name: a, tcp: {}, pairs: {random: 300}, fidelity: fluid}]\n";
    weir_run_result got;
    weir_diag *diag = weir_diag_new();
    (void)state;
    const weir_estimate e = estimate_of(text);
    expect_ok(diag, run_text(diag, text, NULL, NULL, 0, &got));
    json_t *summary = json_loads(got.summary_json, 0, NULL);
    const json_int_t bytes = json_integer_value(json_object_get(json_object_get(summary, "fluid"), "bytes"));
    assert_true(bytes > 100000 && e.memory_bytes > (uint64_t)bytes && e.memory_bytes < 3 * (uint64_t)bytes);
    json_decref(summary);
    weir_run_result_free(&got);
    weir_diag_free(diag);
}

/* Of random networks; `make bounds` has a thousand. */
static uint64_t first_seed = 1, scenarios = 40;

/* Random networks with losses, failures and all kinds of traffic stay below the bound, and so does what is expected. */
static void the_bound_holds_for_random_networks(void **state)
{
    static char text[1 << 16];
    uint64_t networks = 0;
    (void)state;
    for (uint64_t seed = first_seed; networks < scenarios; seed++) {
        weir_run_result got;
        weir_diag *diag = weir_diag_new();
        random_scenario(seed, text, sizeof text);
        if (!strstr(text, "model:") || strstr(text, "generate:")) {
            const weir_estimate e = estimate_of(text);
            expect_ok(diag, run_text(diag, text, NULL, NULL, 0, &got));
            if (!((double)got.packet_hops <= e.packet_hops_most && e.packet_hops <= e.packet_hops_most))
                fail_msg("seed %llu: %llu hops, about %g, of at most %g:\n%s", (unsigned long long)seed,
                         (unsigned long long)got.packet_hops, e.packet_hops, e.packet_hops_most, text);
            weir_run_result_free(&got);
            networks++;
        }
        weir_diag_free(diag);
    }
}

/* Flows of unlike sizes, a few large ones among many small: what is expected counts each by its own. */
static void sizes_are_each_flows_own(void **state)
{
    static const char *const traffic[] = {
        "{name: j, tcp: {}, job: {small: 0B, program: [{do: alltoall, message: 1kB}, {do: bcast, message: "
        "2MB}]}}",
        "{name: p, tcp: {size: 1kB}, collective: {kind: partition-aggregate, hosts: 'h*', request: 1kB}}, "
        "{name: b, tcp: {size: 2MB}, pairs: [[h0, h7]]}",
        "{name: r, tcp: {size: 8MB}, collective: {kind: ring-all-reduce, hosts: 'h*'}}"};
    (void)state;
    for (size_t i = 0; i < sizeof traffic / sizeof *traffic; i++) {
        char text[1000];
        weir_run_result got;
        weir_diag *diag = weir_diag_new();
        snprintf(text, sizeof text,
                 HEAD
                 "topology: {generate: {model: leaf-spine, leaves: 4, spines: 2, hosts: 2}}\ntraffic: [%s]\n",
                 traffic[i]);
        const weir_estimate e = estimate_of(text);
        expect_ok(diag, run_text(diag, text, NULL, NULL, 0, &got));
        const double times = e.packet_hops / (double)got.packet_hops;
        if (!(times > 0.4 && times < 2.5)) /* ways of jobs are taken as six links */
            fail_msg("case %zu: about %g hops expected, %llu were", i, e.packet_hops,
                     (unsigned long long)got.packet_hops);
        weir_run_result_free(&got);
        weir_diag_free(diag);
    }
}

/* Where a queue overflows over and over, the bound is within a few times of what happens. */
static void the_bound_is_of_use(void **state)
{
    static const struct {
        const char *text;
        double times;
    } cases[] = {
        {HEAD "topology: {generate: {model: fat-tree, k: 4, rate: 10Gbps, access_rate: 1Gbps}, queue: "
              "{limit: 64kB}}\n"
              "traffic: [{name: incast, tcp: {size: 64kB, arrivals: {all: 15}}, from: 'h[1-15]', to: h0}]\n",
         6},
        {HEAD DUMBBELL "traffic: [{name: a, tcp: {sessions: 4}, from: 'l[0-9]', to: r0}]\n", 6},
        {HEAD DUMBBELL
         "traffic: [{name: a, tcp: {size: 20kB, arrivals: {poisson: 50/s}}, from: l0, to: r0}]\n",
         60},
        {HEAD DUMBBELL "traffic: [{name: a, tcp: {size: 1MB}, from: l0, to: r0}]\n", 6},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_run_result got;
        weir_diag *diag = weir_diag_new();
        const weir_estimate e = estimate_of(cases[i].text);
        expect_ok(diag, run_text(diag, cases[i].text, NULL, NULL, 0, &got));
        print_message("%llu hops of at most %.3g\n", (unsigned long long)got.packet_hops, e.packet_hops_most);
        if (!(e.packet_hops_most <= cases[i].times * (double)got.packet_hops))
            fail_msg("case %zu: %llu hops of at most %g", i, (unsigned long long)got.packet_hops,
                     e.packet_hops_most);
        weir_run_result_free(&got);
        weir_diag_free(diag);
    }
}

static void absurd_sizes(void **state)
{
    (void)state;
    const weir_estimate e = estimate_of("weir: 1\nduration: 1s\nmodel: {kademlia: {peers: 1073741824}}\n");
    assert_int_equal(e.entities, 1073741824);
    assert_true(e.memory_bytes > UINT64_C(1) << 38);
    static const struct {
        const char *text;
        weir_status status;
        const char *says;
    } refused[] = {{HEAD "topology: {generate: {model: star, hosts: 200000}}\n"
                         "traffic: [{name: a, udp: {rate: 1kbps}, pairs: all}]\n",
                    WEIR_E_SCENARIO, "want at most 100000000"},
                   {HEAD "topology: {generate: {model: star, hosts: 20000}}\n"
                         "traffic: [{name: a, udp: {rate: 1kbps}, from: 'h[0-9]*', to: 'h[0-9]*'}]\n",
                    WEIR_E_SCENARIO, "want at most 100000000"},
                   {HEAD "topology: {generate: {model: star, hosts: 200}}\n"
                         "traffic: [{name: a, tcp: {sessions: 1000000}, pairs: all}]\n",
                    WEIR_E_NOMEM, "so many flows take about"}};
    for (size_t i = 0; i < 3; i++) {
        weir_run_result got;
        weir_diag *diag = weir_diag_new();
        char text[600];
        assert_int_equal(run_text(diag, refused[i].text, NULL, NULL, 0, &got), refused[i].status);
        weir_message_format(weir_diag_get(diag, 0), text, sizeof text);
        if (strncmp(text, "s.yaml:4:", 9) != 0 || !strstr(text, refused[i].says))
            fail_msg("%s", text);
        weir_diag_free(diag);
    }
}

int main(int argc, char **argv)
{
    if (argc == 3) {
        first_seed = strtoull(argv[1], NULL, 10);
        scenarios = strtoull(argv[2], NULL, 10);
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory_counts_fluid),
                                       cmocka_unit_test(the_bound_holds),
                                       cmocka_unit_test(the_bound_holds_for_random_networks),
                                       cmocka_unit_test(sizes_are_each_flows_own),
                                       cmocka_unit_test(the_bound_is_of_use),
                                       cmocka_unit_test(absurd_sizes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
