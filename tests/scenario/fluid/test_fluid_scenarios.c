/*
 * What a scenario says of links, routes and sources reaches fluid as it reaches packets: each case against a
 * law, or against packets; and fluid belongs to a run's results and digests.
 */
#include "output/scratch.h"
#include "scenario/csv_cell.h"
#include "scenario/run_summary.h"

#define DUMBBELL \
    "topology: {generate: {model: dumbbell, left: 2, bottleneck_rate: 20Mbps, bottleneck_delay: 10ms"
#define FLUID "fidelity: fluid}]\nfluid: {device: cpu}\n"

/* Runs that differ in their fluid alone have other digests of state, and the same on any engine. */
static void fluid_belongs_to_the_digest(void **state)
{
    (void)state;
    static const char text[] = "weir: 1\nduration: 500ms\n" DUMBBELL "}}\n"
                               "traffic: [{name: f, from: l0, to: r0, tcp: {sessions: 8}, " FLUID;
    static const char *const same[][2] = {{"fluid.coupling=lockstep", "engine.type=check"},
                                          {"engine.type=conservative", "engine.threads=2"},
                                          {"fluid.coupling=async", "fluid.prefetch=false"}};
    static const char *const other[] = {"traffic.f.tcp.sessions=9", "fluid.precision=double",
                                        "topology.loss=0.1%"};
    weir_run_result first, next;
    json_decref(summary_of(text, NULL, 0, &first));
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        json_decref(summary_of(text, same[i], 2, &next));
        assert_int_equal(first.state_digest, next.state_digest);
    }
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        json_decref(summary_of(text, &other[i], 1, &next));
        assert_int_not_equal(first.state_digest, next.state_digest);
    }
}

/* Paths of fluid's pairs, each found alone, are those of the table. */
static void source_routes_are_those_of_tables(void **state)
{
    static const char *const routings[] = {"hops", "delay", "inverse-rate"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        char text[600];
        static const char *const table[] = {"routing.forwarding=table"};
        static const char *const source[] = {"routing.forwarding=source"};
        weir_run_result by_table, by_paths;
        snprintf(text, sizeof text,
                 "weir: 1\nduration: 300ms\ntopology: {generate: {model: waxman, nodes: 60, m: 2}}\n"
                 "routing: {metric: %s}\nfluid: {device: cpu}\n"
                 "traffic: [{name: f, pairs: {random: 20}, tcp: {sessions: 3}, fidelity: {packet: 1, fluid: "
                 "rest}},\n"
                 "{name: u, pairs: {random: 9}, udp: {rate: 3Mbps}, fidelity: fluid},\n"
                 "{name: s, pairs: {random: 5}, tcp: {congestion: swift}, fidelity: fluid}]\n",
                 routings[i]);
        json_decref(summary_of(text, table, 1, &by_table));
        json_decref(summary_of(text, source, 1, &by_paths));
        assert_int_equal(by_table.event_digest, by_paths.event_digest);
        assert_int_equal(by_table.state_digest, by_paths.state_digest);
    }
}

/* 1.5 GB in the first 100 us, of which a queue takes a thousandth: too much for single precision, which says what holds it. */
static void double_precision_conserves_more(void **state)
{
    static const char text[] =
        "weir: 1\nduration: 20ms\ntopology:\n"
        "  generate: {model: dumbbell, left: 1, bottleneck_rate: 1Gbps, bottleneck_delay: 40us, access_rate: "
        "10Gbps, access_delay: 5us}\n  queue: {limit: 12500B}\n"
        "traffic: [{name: f, from: l0, to: r0, tcp: {congestion: newreno, sessions: 100000}, " FLUID;
    static const char *const sets[] = {"fluid.precision=double"};
    weir_run_result result;
    weir_diag *diag = weir_diag_new();
    (void)state;
    assert_int_equal(run_text(diag, text, NULL, NULL, 0, &result), WEIR_E_CHECK);
    assert_non_null(strstr(weir_diag_get(diag, weir_diag_count(diag) - 1)->text, "precision: double"));
    weir_run_result_free(&result);
    weir_diag_clear(diag);
    expect_ok(diag, run_text(diag, text, NULL, sets, 1, &result));
    weir_run_result_free(&result);
    weir_diag_free(diag);
}

/* A mix of which one half is empty is the other half, and runs. */
static void a_mix_may_be_empty_on_one_side(void **state)
{
    (void)state;
    static const char text[] = "weir: 1\nduration: 200ms\n" DUMBBELL "}}\n"
                               "traffic: [{name: f, tcp: {sessions: 2}, from: l0, to: r0}]\n";
    static const char *const sets[] = {"traffic.f.fidelity={packet: 2, fluid: rest}",
                                       "traffic.f.fidelity={packet: 0, fluid: rest}"};
    static const char *const fidelity[] = {"packet", "fluid"};
    for (size_t i = 0; i < 2; i++) {
        json_t *summary = summary_of(text, &sets[i], 1, NULL);
        const json_t *c = json_array_get(json_object_get(summary, "classes"), 0);
        assert_string_equal(json_string_value(json_object_get(c, "fidelity")), fidelity[i]);
        assert_null(json_object_get(c, "fluid"));
        json_decref(summary);
    }
}

/* A link's random loss: what it costs a UDP stream, and the window that TCP has under it, 0.57 W^2 + 1.5 W = 1 / (b p)
 * (docs/fluid.md), at a tenth to some per cent of loss on an idle path. */
static void a_link_loses_fluid(void **state)
{
    (void)state;
    static const char text[] =
        "weir: 1\nduration: 60s\ntopology: {generate: {model: line, routers: 3}, "
        "link: {rate: 1Gbps, delay: 10ms, override: true}}\n"
        "traffic: [{name: f, tcp: {congestion: newreno, sessions: 4}, from: r0, to: r2, fidelity: fluid}, "
        "{name: u, udp: {rate: 1Mbps}, from: r0, to: r2, fidelity: fluid}]\n"
        "fluid: {device: cpu, step: 1ms}\noutput: {warmup: 30s}\n";
    static const double loss[] = {0.001, 0.005, 0.01, 0.02, 0.05};
    for (size_t i = 0; i < sizeof loss / sizeof *loss; i++) {
        char set[60];
        const char *const sets[] = {set};
        snprintf(set, sizeof set, "topology.loss=%g", loss[i]);
        json_t *summary = summary_of(text, sets, 1, NULL);
        const double both = 1.0 - (1.0 - loss[i]) * (1.0 - loss[i]); /* of two links */
        /* 0.57 W^2 + 2.2 W = (1/2 + 1/2 / W) / p, an ACK for two segments and one for what is left */
        double window = 1.0;
        for (int k = 0; k < 60; k++) {
            const double half = 0.5 * 2.2 / 0.57;
            window = sqrt(half * half + (0.5 + 0.5 / window) / (0.57 * both)) - half;
        }
        const double mss_bits = 8.0 * 1460.0;
        assert_true(fabs(class_number(summary, 1, NULL, "loss") - both) < 1e-3 * both);
        assert_true(fabs(class_number(summary, 0, NULL, "loss") - both) < 1e-3 * both);
        const double goodput = 4.0 * window * mss_bits / 0.04 * (1.0 - both);
        assert_true(fabs(class_number(summary, 0, NULL, "goodput_bps") - goodput) < 0.03 * goodput);
        json_decref(summary);
    }
}

/* Sessions spread over ways of equal cost as the hash spreads them in the mean: through a grid of 2 x 2 both
 * ways from corner to corner are full, and ECMP off fills one. Of UDP half goes either way, to the byte. */
static void fluid_takes_all_ways_of_equal_cost(void **state)
{
    (void)state;
    static const char text[] =
        "weir: 1\nduration: 20s\ntopology: {generate: {model: grid, width: 2, height: 2}, "
        "link: {rate: 10Mbps, delay: 10ms, override: true}}\n"
        "traffic: [{name: f, tcp: {sessions: 51}, pairs: [[r0_0, r1_1]], fidelity: fluid}]\n"
        "routing: {ecmp: true}\nfluid: {device: cpu}\noutput: {warmup: 5s}\n";
    static const char *const one[] = {"routing.ecmp=false"};
    static const char *const udp[] = {
        "traffic=[{name: u, udp: {rate: 15Mbps}, pairs: [[r0_0, r1_1]], fidelity: fluid}]"};
    static const char *const much[] = {
        "traffic=[{name: u, udp: {rate: 25Mbps}, pairs: [[r0_0, r1_1]], fidelity: fluid}]"};
    const double both = run_for(text, NULL, 0, "goodput_bps"), single = run_for(text, one, 1, "goodput_bps");
    assert_true(both > 1.9e7 && both < 2e7);
    assert_true(single > 0.9e7 && single < 1e7);
    assert_true(run_for(text, udp, 1, "loss") < 1e-9);
    assert_true(fabs(run_for(text, much, 1, "loss") - 0.2) < 1e-3);
}

/* Sources that go on and off lose at a small queue what packets lose, for bursts of a queue's length and much
 * longer ones; and each has its own times. */
static void on_and_off_times_reach_fluid(void **state)
{
    (void)state;
    static const char text[] =
        "weir: 1\nduration: 30s\ntopology: {generate: {model: line}, queue: {limit: 50kB}, "
        "link: {rate: 20Mbps, delay: 10ms, override: true}}\n"
        "traffic: [{name: u, udp: {rate: 1.7Mbps, pattern: onoff}, fidelity: fluid, pairs: "
        "[[r0, r1], [r0, r1], [r0, r1], [r0, r1], [r0, r1], [r0, r1], [r0, r1], [r0, r1], "
        "[r0, r1], [r0, r1]]}]\nfluid: {device: cpu}\n";
    static const char *const times[] = {"50ms", "200ms", "1s"};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        double loss[2] = {0.0, 0.0};
        for (int k = 0; k < 4; k++) {
            char on[60], off[60], run[20];
            const char *const sets[] = {on, off, run,
                                        k % 2 ? "traffic.u.fidelity=packet" : "traffic.u.fidelity=fluid"};
            snprintf(on, sizeof on, "traffic.u.udp.on_time=%s", times[i]);
            snprintf(off, sizeof off, "traffic.u.udp.off_time=%s", times[i]);
            snprintf(run, sizeof run, "run=%d", k / 2);
            loss[k % 2] += run_for(text, sets, 4, "loss");
        }
        assert_true(fabs(loss[0] - loss[1]) < 0.1 * loss[1] + 0.008); /* of two runs each; draws differ */
    }
}

/* A mix may end anywhere within a batch: what goes in is found again, to a part of a step. */
static void a_mix_may_end_at_any_time(void **state)
{
    (void)state;
    static const char text[] =
        "weir: 1\nduration: 80ms\ntopology:\n"
        "  generate: {model: line, routers: 4, hosts: 2, rate: 20Mbps, delay: 10ms, access_delay: 5ms}\n"
        "  queue: {type: red, limit: 1MB, min: 20kB, max: 200kB, max_p: 0.1, w: 0.001, gentle: true}\n"
        "traffic:\n"
        "  - {name: bulk, tcp: {sessions: 8}, pairs: {random: 3}, start: 0s, fidelity: {packet: 3, fluid: "
        "rest}}\n"
        "  - {name: noise, udp: {rate: 2Mbps, pattern: poisson, packet: 700B}, pairs: {random: 4}}\n"
        "  - {name: back, tcp: {sessions: 5}, pairs: {random: 3}, start: 20ms, fidelity: fluid}\n"
        "fluid: {coupling: async, batch: 2, lookahead: 7, precision: double, device: cpu}\n";
    static const char *const ends[] = {"duration=75ms", "duration=80ms", "duration=209ms", "duration=2s"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        weir_diag *diag = weir_diag_new();
        weir_run_result result;
        expect_ok(diag, run_text(diag, text, NULL, &ends[i], 1, &result));
        weir_run_result_free(&result);
        weir_diag_free(diag);
    }
}

/* Half of forty sessions as packets, half as fluid, in one queue: together they are sent at the line's rate and
 * no faster, and have about the same each, however long batches are: over RED 1.02 to 1.09 (six seeds); over drop-tail
 * packets have 1.23 to 1.32 times what fluid has, as docs/fluid-measured.md says, and no more. */
static void packets_and_fluid_share_a_line(void **state)
{
    (void)state;
    static const char text[] = "weir: 1\nduration: 20s\ntopology: {generate: {model: dumbbell, left: 1, "
                               "bottleneck_rate: 40Mbps, bottleneck_delay: 20ms, access_rate: 1Gbps, "
                               "access_delay: 5ms}, queue: {limit: 200kB}}\n"
                               "traffic: [{name: f, tcp: {congestion: newreno, sessions: 40}, from: l0, to: "
                               "r0, start: {uniform: [0s, "
                               "2s]}, fidelity: {packet: 20, fluid: rest}}]\n"
                               "fluid: {device: cpu}\noutput: {warmup: 5s}\n";
    static const char *const queues[] = {
        "topology.queue={type: droptail, limit: 200kB}",
        "topology.queue={type: red, mode: bernoulli, limit: 400kB, min: 30kB, max: 120kB}"};
    static const char *const batches[][2] = {{"fluid.coupling=lockstep", "seed=1"},
                                             {"fluid.coupling=async", "seed=1"},
                                             {"fluid.coupling=async", "fluid.batch=20"}};
    for (size_t q = 0; q < 2; q++)
        for (size_t b = 0; b < sizeof batches / sizeof *batches; b++) {
            const char *const sets[] = {queues[q], batches[b][0], batches[b][1]};
            json_t *summary = summary_of(text, sets, 3, NULL);
            const double packets = class_number(summary, 0, "packet", "goodput_bps");
            const double fluid = class_number(summary, 0, "fluid", "goodput_bps");
            assert_true(fabs(class_number(summary, 0, NULL, "goodput_bps") - packets - fluid) < 1.0);
            const double share = (packets + fluid) * 1500.0 / 1460.0 / 40e6;
            print_message("  %s, %s, %s: %.4f of the line, packets %.3f of fluid\n", queues[q], batches[b][0],
                          batches[b][1], share, packets / fluid);
            assert_true(share > 0.93 && share < 1.005);
            assert_true(packets / fluid > 0.85 && packets / fluid < (q == 0 ? 1.4 : 1.2));
            json_decref(summary);
        }
}

/* A wish to stop is seen between the fluid's steps on every engine, also where no packet is under way. */
static void a_stop_is_seen_between_steps(void **state)
{
    (void)state;
    static const char text[] = "weir: 1\nduration: 1000s\n" DUMBBELL "}}\n"
                               "traffic: [{name: f, from: l0, to: r0, udp: {rate: 1Mbps}, " FLUID;
    static const char *const engines[][2] = {{"engine.type=sequential", "fluid.coupling=lockstep"},
                                             {"engine.type=conservative", "engine.threads=2"},
                                             {"engine.type=conservative", "fluid.coupling=async"}};
    static const volatile int stop = 1;
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        weir_diag *diag = weir_diag_new();
        weir_scenario *scenario = NULL;
        weir_run_options options;
        weir_run_result result;
        weir_run_options_init(&options);
        options.no_output = true;
        options.stop = &stop;
        expect_ok(diag,
                  weir_scenario_parse(diag, "s.yaml", text, strlen(text), NULL, engines[i], 2, &scenario));
        assert_int_equal(weir_run(diag, scenario, &options, &result), WEIR_E_INTERRUPTED);
        assert_true(result.reached_ps < 100 * WEIR_PS_PER_S);
        weir_run_result_free(&result);
        weir_scenario_free(scenario);
        weir_diag_free(diag);
    }
}

/* Means of ports and flows are the same however often series are written. */
static void means_do_not_depend_on_the_interval(void **state)
{
    (void)state;
    static const char text[] = "weir: 1\nduration: 4s\n" DUMBBELL "}}\n"
                               "traffic: [{name: f, from: l0, to: r0, tcp: {sessions: 8}, "
                               "fidelity: {packet: 2, fluid: rest}}]\nfluid: {device: cpu, step: 500us}\n"
                               "output: {warmup: 1s}\n";
    static const char *const intervals[] = {"output.interval=10ms", "output.interval=70ms",
                                            "output.interval=3s"};
    double queue[3], most[3], rtt[3];
    assert_non_null(scratch_make());
    for (int i = 0; i < 3; i++) {
        weir_diag *diag = weir_diag_new();
        weir_scenario *scenario = NULL;
        weir_run_options options;
        weir_run_result result;
        weir_run_options_init(&options);
        options.output_dir = scratch_path("means");
        options.force = true;
        expect_ok(diag,
                  weir_scenario_parse(diag, "s.yaml", text, strlen(text), NULL, &intervals[i], 1, &scenario));
        expect_ok(diag, weir_run(diag, scenario, &options, &result));
        queue[i] = csv_cell(result.output_dir, "ports.csv", "port", "left->right", "queue_mean_bytes");
        most[i] = csv_cell(result.output_dir, "ports.csv", "port", "left->right", "queue_max_bytes");
        rtt[i] = csv_cell(result.output_dir, "flows.csv", "fidelity", "fluid", "rtt_mean_s");
        assert_true(queue[i] > 0.0 && queue[i] == queue[0] && most[i] == most[0] && rtt[i] == rtt[0]);
        weir_run_result_free(&result);
        weir_scenario_free(scenario);
        weir_diag_free(diag);
    }
}

/* Where ACKs wait behind drop-tail queues, a run says what that leaves out, once a class. */
static void congested_ack_paths_are_warned_of(void **state)
{
    (void)state;
    static const char text[] =
        "weir: 1\nduration: 10s\n" DUMBBELL "}, queue: {limit: 250kB}}\n"
        "traffic:\n  - {name: a, from: l0, to: r0, tcp: {sessions: 8}, fidelity: fluid}\n"
        "  - {name: b, from: r1, to: l1, tcp: {sessions: 8}, fidelity: fluid}\n"
        "fluid: {device: cpu, step: 500us}\n";
    static const char *const one_way[] = {"traffic.b.from=l1", "traffic.b.to=r1"};
    for (size_t n = 0; n < 3; n += 2) {
        weir_diag *diag = weir_diag_new();
        weir_run_result result;
        size_t warnings = 0;
        expect_ok(diag, run_text(diag, text, NULL, one_way, n, &result));
        for (size_t i = 0; i < weir_diag_count(diag); i++) {
            const weir_message *m = weir_diag_get(diag, i);
            if (strstr(m->text, "ACKs wait for a tenth")) {
                assert_int_equal(m->line, warnings == 0 ? 5 : 6);
                warnings++;
            }
        }
        assert_int_equal(warnings, n == 0 ? 2 : 0);
        weir_run_result_free(&result);
        weir_diag_free(diag);
    }
}

/* What the solver refuses or warns of knows no scenario; it has the line of the queue, or of the fluid class, all the same. */
static void refusals_have_lines(void **state)
{
    (void)state;
    static const char text[] = "weir: 1\nduration: 1s\n" DUMBBELL "},\n  queue: {limit: 50kB}}\n"
                               "traffic: [{name: f, from: l0, to: r0, tcp: {sessions: 8}, " FLUID;
    static const struct {
        const char *set, *says;
        int line;
    } cases[] = {{"topology.queue.limit=2GB", "holds 800 s of its rate", 4},
                 {"topology.host_queue.limit=200GB", "host_queue.limit: ", 0},
                 {"topology.queue.limit=2GB", ", queue.limit: 250000000B", 4},
                 {"fluid.step=1s", "longer than the smallest propagation delay", 5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_diag *diag = weir_diag_new();
        weir_run_result result;
        assert_int_equal(run_text(diag, text, NULL, &cases[i].set, 1, &result), WEIR_E_SCENARIO);
        const weir_message *m = weir_diag_get(diag, weir_diag_count(diag) - 1);
        print_message("  %d: %s\n", m->line, m->text);
        assert_non_null(strstr(m->text, cases[i].says));
        assert_non_null(m->file);
        if (i > 0) /* --set moves what it sets */
            assert_int_equal(m->line, cases[i].line);
        weir_run_result_free(&result);
        weir_diag_free(diag);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fluid_belongs_to_the_digest),
        cmocka_unit_test(source_routes_are_those_of_tables),
        cmocka_unit_test(double_precision_conserves_more),
        cmocka_unit_test(a_mix_may_be_empty_on_one_side),
        cmocka_unit_test(a_link_loses_fluid),
        cmocka_unit_test(fluid_takes_all_ways_of_equal_cost),
        cmocka_unit_test(on_and_off_times_reach_fluid),
        cmocka_unit_test(a_mix_may_end_at_any_time),
        cmocka_unit_test(packets_and_fluid_share_a_line),
        cmocka_unit_test(a_stop_is_seen_between_steps),
        cmocka_unit_test(refusals_have_lines),
        cmocka_unit_test(means_do_not_depend_on_the_interval),
        cmocka_unit_test(congested_ack_paths_are_warned_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
