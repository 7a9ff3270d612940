/*
 * Fluid classes in scenarios: how results depend on nothing but the scenario, what packets and fluid do to
 * each other in a queue, and what is refused. Conservation of packets and of fluid is checked within every
 * run. label: threads
 */
#include <math.h>
#include <time.h>
#include <unistd.h>

#include "net/host/host.h"
#include "network/fluid/fluid.h"
#include "scenario/subjects/packets/packets.h"
#include "scenario/load.h"
#include "schema/schema.h"
#include "scenario/results/results.h"
#include "scenario/run_text.h"
#include "over_ranks.h"
#include "weir/ranks.h"

#define LINKS                                                                                           \
    "topology: {generate: {model: dumbbell, left: 3, bottleneck_rate: 20Mbps, bottleneck_delay: 10ms, " \
    "access_delay: 10ms}"
#define RED \
    ", queue: {type: red, mode: bernoulli, limit: 200kB, min: 10kB, max: 60kB, max_p: 10%, w: 0.002}}\n"
#define MIXED                                                                               \
    "traffic: [{name: a, tcp: {sessions: 8, delayed_ack: 1}, pairs: [[l0, r0], [l1, r1]], " \
    "fidelity: {packet: 2, fluid: rest}}]\n"
#define STEP "fluid: {step: 1ms, device: cpu"

typedef struct outcome {
    uint64_t events, state;
} outcome;

static outcome run(const char *text, const char *const *sets, size_t n_sets)
{
    weir_diag *diag = weir_diag_new();
    weir_run_result result;
    expect_ok(diag, run_text(diag, text, NULL, sets, n_sets, &result));
    const outcome o = {result.event_digest, result.state_digest};
    weir_run_result_free(&result);
    weir_diag_free(diag);
    return o;
}

static void expect_same(outcome a, outcome b)
{
    assert_int_equal(a.events, b.events);
    assert_int_equal(a.state, b.state);
}

/* Equal batches, equal results: whoever runs the fluid, however it is handed over, whichever engine. */
static void results_depend_on_the_batch_only(void **state)
{
    (void)state;
    const char *text = "weir: 1\nduration: 2s\n" LINKS RED MIXED STEP ", batch: 3, lookahead: 4}\n";
    const char *const sets[][2] = {{"fluid.coupling=async", "fluid.prefetch=true"},
                                   {"fluid.coupling=async", "fluid.prefetch=false"},
                                   {"fluid.prefetch=false", "engine.type=check"},
                                   {"engine.type=conservative", "engine.threads=2"}};
    const outcome lockstep = run(text, NULL, 0);
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        expect_same(lockstep, run(text, sets[i], 2));
}

/* The paper's campus network comes from a script; here small, with a tenth of its flows as packets. */
static void the_campus_script_gives_a_scenario(void **state)
{
    (void)state;
    static char text[1 << 18];
    FILE *f = popen(WEIR_SOURCE_DIR "/examples/papers/000/campus 2 10 3", "r");
    assert_non_null(f);
    const size_t n = fread(text, 1, sizeof text - 1, f);
    assert_int_equal(pclose(f), 0);
    assert_true(n > 0 && n < sizeof text - 1);
    const char *const async[] = {"duration=1s", "fluid.device=cpu", "fluid.lookahead=20"};
    const char *const lockstep[] = {"duration=1s", "fluid.device=cpu", "fluid.lookahead=20",
                                    "fluid.coupling=lockstep"};
    expect_same(run(text, async, 3), run(text, lockstep, 4));
}

/* A network with its simulation, run by hand. */
typedef struct coupled {
    weir_scenario *scenario;
    wi_network *network;
    weir_sim *sim;
    weir_time *last_ps; /* [entities]: arrival of the last packet that each sent */
    uint64_t packets;
} coupled;

static weir_time on_time(void *user, weir_time at_ps)
{
    return wi_coupling_hook(((coupled *)user)->network->fluid->coupling, NULL, at_ps);
}

/* What a port sends arrives in the order in which it was taken, no closer than the line allows. */
static void watch(void *user, const weir_event *event, const weir_event *scheduled, uint32_t stride,
                  uint32_t n)
{
    coupled *c = user;
    (void)event;
    for (uint32_t i = 0; i < n; i++) {
        const weir_event *e =
            (const weir_event *)(const void *)((const unsigned char *)scheduled + i * stride);
        if (e->type != NET_EV_PORT_PACKET && e->type != NET_EV_HOST_PACKET)
            continue;
        const net_packet *p = WEIR_PAYLOAD(net_packet, e);
        const weir_time send_ps = net_link_time(wi_net_link(c->network->net, e->source), p->bytes);
        assert_true(e->time_ps >= c->last_ps[e->source] + send_ps);
        c->last_ps[e->source] = e->time_ps;
        c->packets++;
    }
}

static coupled open_coupled(const char *text, const char *const *sets, size_t n_sets)
{
    coupled c = {.scenario = good(text, sets, n_sets)};
    weir_diag *diag = weir_diag_new();
    if (wi_network_build(diag, c.scenario, &c.network) != WEIR_OK) {
        print_messages(diag);
        fail_msg("not built");
    }
    c.last_ps = calloc((size_t)c.network->net->n_hosts + c.network->net->n_ports, sizeof *c.last_ps);
    weir_diag_free(diag);
    return c;
}

static outcome run_coupled(coupled *c)
{
    weir_setup setup = {.hook = on_time, .user = c, .observer = watch, .observer_user = c};
    wi_net_setup(c->network->net, &setup);
    setup.seed = c->scenario->seed;
    assert_int_equal(weir_sim_new(NULL, &setup, &c->sim), WEIR_OK);
    assert_int_equal(wi_fluid_net_attach(NULL, c->network->fluid, c->sim), WEIR_OK);
    assert_int_equal(weir_sim_run(NULL, c->sim, c->scenario->duration_ps, NULL), WEIR_OK);
    assert_int_equal(wi_coupling_check(NULL, c->network->fluid->coupling), WEIR_OK);
    return (outcome){weir_sim_event_digest(c->sim), weir_sim_state_digest(c->sim)};
}

static void close_coupled(coupled *c)
{
    weir_sim_free(c->sim);
    wi_network_free(c->network);
    weir_scenario_free(c->scenario);
    free(c->last_ps);
}

static void no_packet_overtakes(void **state)
{
    (void)state;
    /* Fluid that comes and goes, so that its queue rises from 0 and falls to 0 with packets in it. */
    const char *text =
        "weir: 1\nduration: 3s\n" LINKS ", queue: {type: droptail, limit: 50kB}}\n"
        "traffic:\n"
        "  - {name: a, tcp: {sessions: 4}, from: l0, to: r0}\n"
        "  - {name: b, udp: {rate: 25Mbps}, from: l1, to: r1, fidelity: fluid, start: 1s, stop: 1500ms}\n"
        "  - {name: c, tcp: {sessions: 5}, from: l2, to: r2, fidelity: fluid, start: 2s}\n" STEP "}\n";
    const char *const sets[] = {"fluid.lookahead=5", "fluid.batch=3"};
    for (size_t n = 0; n <= 2; n += 2) {
        coupled c = open_coupled(text, sets, n);
        (void)run_coupled(&c);
        assert_true(c.packets > 5000);
        close_coupled(&c);
    }
}

static void dawdle(void)
{
    static unsigned calls;
    if (++calls % 7 == 0)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* The same coupling anew, with a fluid that dawdles. */
static void couple_slowly(coupled *c)
{
    wi_fluid_net *f = c->network->fluid;
    weir_fluid *fluid = NULL;
    const wi_coupling_options o = {.async = true,
                                   .lookahead = f->lookahead,
                                   .batch = c->scenario->fluid.batch,
                                   .prefetch = c->scenario->fluid.prefetch,
                                   .fixup = c->scenario->fluid.fixup,
                                   .end_ps = c->scenario->duration_ps,
                                   .next_sample = wi_fluid_net_next_sample,
                                   .sample = wi_fluid_net_sample,
                                   .delay = dawdle,
                                   .user = f};
    wi_coupling_free(f->coupling);
    assert_int_equal(weir_fluid_new(NULL, &f->plan, &f->options, &fluid), WEIR_OK);
    assert_int_equal(wi_coupling_new(NULL, c->network->net, fluid, f->options.step_ps, f->meetings,
                                     f->n_meetings, &o, &f->coupling),
                     WEIR_OK);
}

/* A slow fluid is waited for; and the same network runs twice. */
static void results_do_not_depend_on_timing(void **state)
{
    (void)state;
    coupled c = open_coupled("weir: 1\nduration: 2s\n" LINKS RED MIXED STEP ", coupling: async, batch: 4}\n",
                             NULL, 0);
    const outcome quick = run_coupled(&c);
    weir_sim_free(c.sim);
    memset(c.last_ps, 0, ((size_t)c.network->net->n_hosts + c.network->net->n_ports) * sizeof *c.last_ps);
    couple_slowly(&c);
    expect_same(quick, run_coupled(&c));
    close_coupled(&c);
}

/* A port's counters after a run of `text`. */
static net_port port_after(const char *text, const char *from, const char *to)
{
    coupled c = open_coupled(text, NULL, 0);
    (void)run_coupled(&c);
    const wi_net *net = c.network->net;
    net_port port = {0};
    for (uint32_t e = net->n_hosts; e < net->n_hosts + net->n_ports; e++) {
        char name[64], *got = wi_port_name(c.network, e);
        snprintf(name, sizeof name, "%s->%s", from, to);
        if (strcmp(got, name) == 0)
            port = *wi_net_port(net, c.sim, e);
        free(got);
    }
    close_coupled(&c);
    return port;
}

/* A thin probe through a drop-tail queue that fluid overloads by a fifth fares as the fluid does: it waits
 * for a full queue, 20 ms of 20 Mb/s, and one sixth is lost. Below the line rate it neither waits nor is
 * lost. */
static void a_probe_sees_the_fluid(void **state)
{
    (void)state;
#define PROBE(rate)                                                                                 \
    "weir: 1\nduration: 12s\n" LINKS ", queue: {type: droptail, limit: 50kB}}\n"                    \
    "traffic:\n"                                                                                    \
    "  - {name: a, udp: {rate: " rate "}, from: l1, to: r1, fidelity: fluid}\n"                     \
    "  - {name: b, udp: {rate: 200kbps, packet: 100B, pattern: poisson}, from: l0, to: r0, start: " \
    "2s}\n" STEP "}\n"
    const net_port over = port_after(PROBE("24Mbps"), "left", "right");
    const double arrived = (double)(over.packets + over.dropped[0]);
    assert_true(arrived > 2000.0);
    assert_true(fabs((double)over.dropped[0] / arrived - 1.0 / 6.0) < 0.03);
    assert_true(fabs((double)over.wait_ns * 1e-9 / (double)over.packets - 0.020) < 0.0005);
    const net_port under = port_after(PROBE("12Mbps"), "left", "right");
    assert_int_equal(under.dropped[0], 0);
    assert_true((double)under.wait_ns * 1e-9 / (double)under.packets < 0.0003);
}

/* Packets alone at a port whose fluid is silent wait as they would without fluid. */
static void packets_over_silent_fluid_wait_as_alone(void **state)
{
    (void)state;
#define ALONE(more)                                                               \
    "weir: 1\nduration: 10s\n" LINKS ", queue: {type: droptail, limit: 500kB}}\n" \
    "traffic:\n"                                                                  \
    "  - {name: b, udp: {rate: 16Mbps, packet: 1000B, pattern: poisson}, from: l0, to: r0}\n" more
    const net_port beside =
        port_after(ALONE("  - {name: a, udp: {rate: 1kbps}, from: l1, to: r1, fidelity: fluid}\n") STEP "}\n",
                   "left", "right");
    /* M/D/1 at 0.8: half of 0.8 / 0.2 transmission times of 0.4 ms. */
    const double wait_s = (double)beside.wait_ns * 1e-9 / (double)beside.packets;
    assert_true(fabs(wait_s / 0.0008 - 1.0) < 0.1);
}

static void refused(const char *text, weir_status status, const char *says)
{
    weir_scenario *s = NULL;
    wi_network *n = NULL;
    weir_diag *diag = weir_diag_new();
    weir_status got = weir_scenario_parse(diag, "s.yaml", text, strlen(text), WEIR_TEST_DATA, NULL, 0, &s);
    if (got == WEIR_OK)
        got = wi_network_build(diag, s, &n);
    if (got != status || weir_diag_count(diag) == 0 || !strstr(weir_diag_get(diag, 0)->text, says)) {
        print_messages(diag);
        fail_msg("%s; wanted %s: %s", weir_status_name(got), weir_status_name(status), says);
    }
    wi_network_free(n);
    weir_scenario_free(s);
    weir_diag_free(diag);
}

static void bad_input_is_refused(void **state)
{
    (void)state;
#define HEAD "weir: 1\nduration: 1s\n" LINKS RED MIXED
    refused(HEAD "fluid: {step: 11ms, device: cpu}\n", WEIR_E_SCENARIO,
            "longer than the smallest propagation delay");
    refused(HEAD "fluid: {step: 2ms, device: cpu}\n", WEIR_OK, "more than a tenth");
    refused(HEAD STEP ", lookahead: 11}\n", WEIR_E_SCENARIO, "lookahead: 11 steps");
    refused(HEAD STEP ", lookahead: 10, batch: 101}\n", WEIR_E_SCENARIO, "want a batch within the run");
#ifdef WEIR_HAVE_CUDA
    refused(HEAD "engine: {type: gpu}\nfluid: {device: cpu}\n", WEIR_E_UNSUPPORTED,
            "fluid on the same device");
    refused(HEAD "engine: {type: gpu, device: 1}\n", WEIR_E_UNSUPPORTED, "fluid on the same device");
#endif
#define TO(place)                                                                           \
    "weir: 1\nduration: 1s\n" LINKS RED "traffic: [{name: a, tcp: {}, from: l0, to: " place \
    ", fidelity: fluid}]\n"
    refused(TO("nowhere"), WEIR_E_SCENARIO, "nowhere");
#define SESSIONS(n, share) \
    BASIC_HEAD "traffic: [{name: a, tcp: {sessions: " n "}, from: x, to: y, fidelity: " share "}]\n"
#define BASIC_HEAD "weir: 1\nduration: 1s\n" TOPOLOGY
    EXPECT(WEIR_E_SCENARIO, SESSIONS("0", "fluid"), "4:37: error: sessions");
    EXPECT(WEIR_E_SCENARIO, SESSIONS("4", "{packet: 1, fluid: 4}"),
           "4:67: error: fidelity divides 5 sessions, but class 'a' has 4");
    EXPECT(WEIR_E_SCENARIO, BASIC "fluid: {step: 0s}\n", "5:15: error: step");
    EXPECT(WEIR_E_SCENARIO, BASIC "fluid: {batch: 0}\n", "5:16: error: batch");
    EXPECT(
        WEIR_E_SCENARIO,
        "weir: 1\nduration: 1s\ntopology: {generate: {model: line, nodes: 3}, queue: {limit: 0B}}\n" TRAFFIC,
        "3:62: error: limit");
    EXPECT(
        WEIR_E_SCENARIO,
        "weir: 1\nduration: 1s\ntopology: {generate: {model: line, nodes: 3}, link: {delay: 0s}}\n" TRAFFIC,
        "3:61: error: delay");
}

/* Packets from all ranks in queues of fluid: RED and drop-tail, lockstep and async, links that fail, packets apart. */
static const char *const over_ranks[] = {
    "weir: 1\nduration: 1s\n" LINKS RED MIXED STEP "}\n",
    "weir: 1\nduration: 1s\n" LINKS RED MIXED STEP ", coupling: async, batch: 3, lookahead: 4}\n",
    "weir: 1\nduration: 0.6s\ntopology: {generate: {model: ring, routers: 6, rate: 20Mbps, delay: 10ms}}\n"
    "traffic: [{name: a, udp: {rate: 4Mbps}, pairs: {random: 9}, fidelity: fluid}, {name: b, pairs: {random: "
    "9}, tcp: {}},"
    " {name: c, pairs: {random: 9}, tcp: {sessions: 3}, fidelity: {packet: 1, fluid: rest}}]\n"
    "events: [{at: 0.2s, fail: {link: r0--r1}}, {at: 0.4s, repair: {link: r0--r1}}]\n" STEP
    ", coupling: async}\n",
    "weir: 1\nduration: 0.6s\ntopology: {generate: {model: dumbbell, left: 2, right: 6, bottleneck_rate: "
    "20Mbps, access_rate: 4Mbps, access_delay: 5ms}, queue: {limit: 20kB}}\n"
    "traffic: [{name: a, tcp: {sessions: 3}, from: l0, to: right, fidelity: {packet: 1, fluid: rest}}]\n" STEP
    ", coupling: async}\n"};
enum { OVER_RANKS = sizeof over_ranks / sizeof *over_ranks };

/* The program starts itself on two and on four ranks, which must come to what it finds alone. */
static void ranks_give_the_same(void **state)
{
    (void)state;
    char wanted[400] = "WEIR_TEST_INSIDE=";
    for (size_t i = 0, at = strlen(wanted); i < OVER_RANKS; i++) {
        const outcome o = run(over_ranks[i], NULL, 0);
        at += (size_t)snprintf(wanted + at, sizeof wanted - at, "%llx,%llx,", (unsigned long long)o.events,
                               (unsigned long long)o.state);
    }
    for (int n = 2; n <= 4; n += 2)
        run_over_ranks(n, wanted, 600, "", "scenario-fluid-ranks.log");
}

static void a_rank_finds_the_same(void **state)
{
    (void)state;
    static const char *const engines[] = {"engine.type=conservative", "engine.type=optimistic"};
    char *at = getenv("WEIR_TEST_INSIDE");
    for (size_t i = 0; i < OVER_RANKS; i++) {
        const uint64_t events = strtoull(at, &at, 16), state_digest = strtoull(at + 1, &at, 16);
        at++;
        for (size_t e = 0; e < 2; e++) {
            const outcome o = run(over_ranks[i], &engines[e], 1);
            if (o.events != events || o.state != state_digest)
                fail_msg("%s of\n%s", engines[e], over_ranks[i]);
        }
    }
}

static int on_a_rank(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_rank_finds_the_same)};
    if (weir_ranks_begin(NULL) != WEIR_OK)
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    weir_ranks_end();
    return failed;
}

/* batch: auto keeps what the fluid does not know of under a fifth of what stands in the queue, once it has
 * found its length, and takes longer batches where packets are few. */
static void automatic_batches_bound_the_difference(void **state)
{
    (void)state;
#define AUTO(probe)                                                                             \
    "weir: 1\nduration: 20s\n" LINKS ", queue: {type: droptail, limit: 500kB}}\n"               \
    "traffic:\n"                                                                                \
    "  - {name: a, udp: {rate: 15200kbps}, from: l1, to: r1, fidelity: fluid}\n"                \
    "  - {name: b, udp: {rate: " probe ", packet: 250B, pattern: poisson}, from: l0, to: r0}\n" \
    "fluid: {step: 1ms, device: cpu, coupling: async, lookahead: 2}\n"
    coupled few = open_coupled(AUTO("100kbps"), NULL, 0), many = open_coupled(AUTO("5Mbps"), NULL, 0);
    (void)run_coupled(&few);
    (void)run_coupled(&many);
    const wi_coupling_report a = wi_coupling_measure(few.network->fluid->coupling),
                             b = wi_coupling_measure(many.network->fluid->coupling);
    assert_int_equal(a.batch, 20);
    print_message("  batch %u, %llu of %llu exchanges beyond, at most %.4f\n", b.batch,
                  (unsigned long long)b.exceeded, (unsigned long long)b.exchanges, b.largest_difference);
    assert_true(b.exceeded < b.exchanges / 10);
    close_coupled(&few);
    close_coupled(&many);
}

int main(void)
{
    if (getenv("WEIR_TEST_INSIDE"))
        return on_a_rank();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_depend_on_the_batch_only),
        cmocka_unit_test(the_campus_script_gives_a_scenario),
        cmocka_unit_test(no_packet_overtakes),
        cmocka_unit_test(results_do_not_depend_on_timing),
        cmocka_unit_test(a_probe_sees_the_fluid),
        cmocka_unit_test(packets_over_silent_fluid_wait_as_alone),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(ranks_give_the_same),
        cmocka_unit_test(automatic_batches_bound_the_difference),
    };
    return test_result(cmocka_run_group_tests(tests, NULL, NULL));
}
