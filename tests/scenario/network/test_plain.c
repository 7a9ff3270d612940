/*
 * Plain ports (net_link.plain) have a short way of their own: the same events and state as by the way for any port, over a grid of
 * networks; and whatever one thing a port has besides, it is not plain.
 */
#include "scenario/net_run.h"

static const char base_topology[] = "  generate: {model: fat-tree, k: 4, rate: 50Mbps, delay: 20us}\n";
static const char base_traffic[] = "  - {name: a, pairs: permutation, tcp: {size: 60kB, sessions: 3}}\n";

static net_run *run_of(const char *topology, const char *routing, const char *traffic, const char *more)
{
    return net_run_new("weir: 1\nduration: 1s\nseed: 7\ntopology:\n%srouting: %s\ntraffic:\n%s%s", topology,
                       routing, traffic, more);
}

/* How many links are plain; none afterwards, if `clear`. */
static uint32_t plain_links(wi_net *net, bool clear)
{
    net_world *w = (net_world *)(void *)net->world;
    uint32_t n = 0;
    for (uint32_t e = 0; e < net->n_hosts + net->n_ports; e++) {
        net_link *link = e < net->n_hosts ? &((net_host_params *)(void *)(net->world + w->hosts))[e].nic
                                          : &((net_link *)(void *)(net->world + w->links))[e - net->n_hosts];
        n += link->plain;
        link->plain = link->plain && !clear;
    }
    return n;
}

typedef struct digests {
    uint64_t events, state, handled;
} digests;

/* To 150 ms by the ways that ports have, or by that for any. */
static digests digests_of(const char *topology, const char *routing, const char *traffic, bool any)
{
    net_run *r = run_of(topology, routing, traffic, "");
    weir_sim *sim = r->sim;
    assert_int_equal(plain_links(r->network->net, any), r->net->n_hosts + r->net->n_ports);
    if (any) {
        weir_setup setup = {.seed = r->scenario->seed, .engine = WEIR_ENGINE_SEQUENTIAL};
        wi_net_setup(r->net, &setup);
        expect_ok(r->diag, weir_sim_new(r->diag, &setup, &sim));
        weir_sim_free(r->sim);
        r->sim = sim;
    }
    net_run_until(r, 150 * MS);
    const digests d = {weir_sim_event_digest(sim), weir_sim_state_digest(sim), weir_sim_events(sim)};
    net_run_end(r);
    return d;
}

static void plain_ports_do_what_any_do(void **state)
{
    (void)state;
    static const char *const topologies[] = {
        base_topology, "  generate: {model: ring, routers: 9, rate: 20Mbps}\n  queue: {limit: 12kB}\n",
        "  generate: {model: fat-tree, k: 4, rate: 20Mbps}\n  queue: {type: threshold, mark: 4500B, limit: "
        "15kB}\n",
        "  generate: {model: ring, routers: 7, rate: 30Mbps, delay: 40us, one_way: true}\n",
        "  generate: {model: dumbbell, left: 5, bottleneck_rate: 9Mbps, bottleneck_delay: 2ms}\n  queue: "
        "{limit: 20kB}\n"};
    static const char *const routings[] = {"{metric: hops}", "{ecmp: true}", "{ecmp: true, spray: true}",
                                           "{ecmp: true, flowlets: 50us}", "{forwarding: source}"};
    static const char *const classes[] = {
        "tcp: {congestion: newreno, recovery: sack}",
        "tcp: {congestion: newreno, size: 40kB, sessions: 3}",
        "tcp: {size: {exponential: 20kB}, sack: false, delayed_ack: 1, congestion: newreno, arrivals: "
        "{poisson: 900/s}}",
        "tcp: {congestion: cubic, size: 5kB, request: {think: 1ms}}",
        "tcp: {congestion: bbr, ecn: true, mss: 1000B, window: 30kB}",
        "tcp: {congestion: dctcp, ecn: true, size: 60kB, sessions: 3}",
        "udp: {rate: 3Mbps, jitter: 50%}",
        "udp: {rate: 3Mbps, pattern: onoff, on_time: 3ms, off_time: 4ms, durations: pareto}",
        "udp: {rate: 2Mbps, pattern: poisson, packet: {exponential: 300B}}"};
    uint64_t handled = 0;
    for (size_t i = 0; i < sizeof topologies / sizeof *topologies; i++)
        for (size_t k = 0; k < sizeof routings / sizeof *routings; k++)
            for (size_t c = 0; c < sizeof classes / sizeof *classes; c++) {
                char traffic[512];
                if (strstr(routings[k], "source") && strstr(classes[c], "arrivals"))
                    continue; /* from one source to several: no source routes */
                snprintf(traffic, sizeof traffic,
                         "  - {name: a, pairs: permutation, %s}\n  - {name: b, pairs: permutation, %s}\n",
                         classes[c], classes[(c + 3) % (sizeof classes / sizeof *classes)]);
                const digests plain = digests_of(topologies[i], routings[k], traffic, false),
                              any = digests_of(topologies[i], routings[k], traffic, true);
                assert_int_equal(plain.events, any.events);
                assert_int_equal(plain.state, any.state);
                handled += plain.handled;
            }
    assert_true(handled > 100000);
}

/* All links, or only some, have something besides. */
static void one_thing_more_is_not_plain(void **state)
{
    (void)state;
    static const struct {
        const char *topology, *traffic, *more;
        bool some;
    } besides[] = {
        {.topology = "  queue: {limit_packets: 9}\n", .some = true},
        {.topology = "  queue: {type: threshold, mark_packets: 9}\n", .some = true},
        {.topology = "  queue: {type: red, min: 3kB, max: 9kB}\n", .some = true},
        {.topology = "  queue: {type: fq_codel}\n", .some = true},
        {.topology = "  host_queue: {type: codel}\n", .some = true},
        {.topology = "  loss: 1%\n", .some = true},
        {.topology = "  shared_buffer: {size: 200kB}\n"},
        {.topology = "  shared_buffer: {size: 900kB, pfc: {}}\n"},
        {.topology = "  links:\n    - {link: \"*\", jitter: {mean: 300us}}\n"},
        {.topology = "  links:\n    - {link: \"e0_0--a0_1\", bit_errors: 1e-6}\n", .some = true},
        {.more = "events:\n  - {at: 80ms, fail: {link: \"e0_0--a0_1\"}}\n"},
        {.traffic = "tcp: {congestion: hpcc}"},
    };
    for (size_t i = 0; i < sizeof besides / sizeof *besides; i++) {
        char topology[512], traffic[512];
        snprintf(topology, sizeof topology, "%s%s", base_topology,
                 besides[i].topology ? besides[i].topology : "");
        snprintf(traffic, sizeof traffic, "%s  - {name: b, pairs: permutation, %s}\n", base_traffic,
                 besides[i].traffic ? besides[i].traffic : "udp: {rate: 1Mbps}");
        net_run *r = run_of(topology, "{metric: hops}", traffic, besides[i].more ? besides[i].more : "");
        const uint32_t n = plain_links(r->network->net, false);
        if (besides[i].some ? n == 0 || n == r->net->n_hosts + r->net->n_ports : n > 0)
            fail_msg("case %zu: %u links are plain", i, n);
        net_run_end(r);
    }
}

/* What comes to a network once it is built. */
static void captures_end_plainness(void **state)
{
    (void)state;
    net_run *r = run_of(base_topology, "{metric: hops}", base_traffic, "");
    uint8_t what[256] = {0};
    assert_int_equal(plain_links(r->network->net, false), r->net->n_hosts + r->net->n_ports);
    assert_true(r->net->n_hosts + r->net->n_ports <= sizeof what);
    weir_sim_free(r->sim);
    expect_ok(r->diag, wi_net_capture(r->diag, r->network->net, what, NULL));
    assert_int_equal(plain_links(r->network->net, false), 0);
    weir_setup setup = {.seed = 1, .engine = WEIR_ENGINE_SEQUENTIAL};
    wi_net_setup(r->net, &setup);
    expect_ok(r->diag, weir_sim_new(r->diag, &setup, &r->sim));
    net_run_end(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_ports_do_what_any_do),
        cmocka_unit_test(one_thing_more_is_not_plain),
        cmocka_unit_test(captures_end_plainness),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
