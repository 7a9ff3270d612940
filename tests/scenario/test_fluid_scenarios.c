/*
 * What a scenario says of links, routes and sources reaches fluid as it reaches packets: each case against a
 * law, or against packets; and fluid belongs to a run's results and digests.
 */
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

/* A link's random loss: what it costs a UDP stream, and the window that TCP has under it, W^2 = 1.64 / (b p)
 * (docs/fluid.md), at a tenth to some per cent of loss on an idle path. */
static void a_link_loses_fluid(void **state)
{
    (void)state;
    static const char text[] = "weir: 1\nduration: 60s\ntopology: {generate: {model: line, routers: 3}, "
                               "link: {rate: 1Gbps, delay: 10ms, override: true}}\n"
                               "traffic: [{name: f, tcp: {sessions: 4}, from: r0, to: r2, fidelity: fluid}, "
                               "{name: u, udp: {rate: 1Mbps}, from: r0, to: r2, fidelity: fluid}]\n"
                               "fluid: {device: cpu, step: 1ms}\noutput: {warmup: 30s}\n";
    static const double loss[] = {0.001, 0.005, 0.01, 0.02, 0.05};
    for (size_t i = 0; i < sizeof loss / sizeof *loss; i++) {
        char set[60];
        const char *const sets[] = {set};
        snprintf(set, sizeof set, "topology.loss=%g", loss[i]);
        json_t *summary = summary_of(text, sets, 1, NULL);
        const double both = 1.0 - (1.0 - loss[i]) * (1.0 - loss[i]); /* of two links */
        const double window = sqrt(1.64 / (2.0 * both)), mss_bits = 8.0 * 1460.0;
        assert_true(fabs(class_number(summary, 1, NULL, "loss") - both) < 1e-3 * both);
        assert_true(fabs(class_number(summary, 0, NULL, "loss") - both) < 1e-3 * both);
        const double goodput = 4.0 * window * mss_bits / 0.04 * (1.0 - both);
        assert_true(fabs(class_number(summary, 0, NULL, "goodput_bps") - goodput) < 0.03 * goodput);
        json_decref(summary);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fluid_belongs_to_the_digest),
        cmocka_unit_test(a_mix_may_be_empty_on_one_side),
        cmocka_unit_test(a_link_loses_fluid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
