/*
 * Links and nodes that fail and come back in a run. Losses and ways are worked out by hand on a ring; the
 * world's routes after every change are compared with trees of the graph without what has failed; engines
 * agree to the digest; mistakes stop at their place. Conservation is checked at the end of every run.
 * label: slow
 */
#include "scenario/net_run.h"

#include "scenario/run_text.h"
#include "weir/topology.h"

/* Six routers, 1 ms a link at 10 Gbps; traffic enters over 10 us. */
#define RING                                                                                               \
    "weir: 1\nduration: 6s\nseed: 4\n"                                                                     \
    "topology: {generate: {model: ring, routers: 6, hosts: 0, rate: 10Gbps, delay: 1ms}, access: {delay: " \
    "10us}}\n"

/* A packet of 100 bytes every millisecond, half a millisecond off the events, so that no packet is near one.
 */
#define EACH_MS(from, to)                                                             \
    "traffic: [{name: a, udp: {rate: 800kbps, packet: 100B}, from: " from ", to: " to \
    ", start: 500us, stop: 5s}]\n"

typedef struct outcome {
    uint64_t event, state;
    uint64_t lost_on_links, without_route, sent, received;
} outcome;

static uint64_t number_after(const char *json, const char *key)
{
    const char *at = strstr(json, key);
    assert_non_null(at);
    return strtoull(strchr(at, ':') + 1, NULL, 10);
}

static outcome run(const char *text, const char *engine, uint32_t threads, uint64_t warnings)
{
    char all[4096];
    weir_diag *diag = weir_diag_new();
    weir_run_result result;
    snprintf(all, sizeof all, "%sengine: {type: %s, threads: %u}\n", text, engine, threads);
    expect_ok(diag, run_text(diag, all, WEIR_TEST_DATA, NULL, 0, &result));
    assert_int_equal(weir_diag_count(diag), warnings);
    const outcome out = {.event = result.event_digest,
                         .state = result.state_digest,
                         .lost_on_links = number_after(result.summary_json, "packets_lost_on_links"),
                         .without_route = number_after(result.summary_json, "packets_without_route"),
                         .sent = number_after(result.summary_json, "packets_sent"),
                         .received = number_after(result.summary_json, "packets_received")};
    weir_run_result_free(&result);
    weir_diag_free(diag);
    return out;
}

/*
 * r0 to r2 goes over r1. The link r1--r2 fails at 1 s, and routes follow at 1.1 s. A packet sent at t is on
 * that link until t + 2.01 ms and a little; r0 looks r1's next port up at t + 0.01 ms. So those of 997.99 ms
 * < t < 1099.99 ms are lost: 998.5 to 1099.5, which are 102. After the repair at 3 s nothing is lost: routes
 * change at 3.1 s, and both ways work.
 */
static void losses_by_hand(void **state)
{
    (void)state;
    const char *text = RING EACH_MS("r0", "r2") "routing: {convergence: 100ms}\n"
                                                "events:\n  - {at: 1s, fail: {link: \"r1--r2\"}}\n"
                                                "  - {at: 3s, repair: {link: \"r1--r2\"}}\n";
    const outcome o = run(text, "sequential", 1, 0);
    assert_int_equal(o.lost_on_links, 102);
    assert_int_equal(o.without_route, 0);
    assert_int_equal(o.sent, 5000);
    assert_int_equal(o.received, 5000 - 102);
}

/* A link that fails for less than its delay loses what was on it, though it is up again when that arrives. A
 * packet sent at t is on the link from t + 1.01 ms to t + 2.01 ms, which meets 1000 to 1000.4 ms for 997.99
 * ms < t < 999.39 ms: for 998.5 alone. */
static void short_failure(void **state)
{
    (void)state;
    const char *text = RING EACH_MS("r0", "r2") "routing: {convergence: 1s}\n"
                                                "events:\n  - {at: 1s, fail: {link: \"r1--r2\"}}\n"
                                                "  - {at: 1000.4ms, repair: {link: \"r1--r2\"}}\n";
    assert_int_equal(run(text, "sequential", 1, 0).lost_on_links, 1);
}

/*
 * The receiver's router fails from 2 s to 3 s, and routes follow at once. The packets of 1998.5 and 1999.5 ms
 * were on their way to it, for it takes them 2.01 ms, and are lost on its link; the thousand of that second
 * find no way from r0 on.
 */
static void node_fails(void **state)
{
    (void)state;
    const char *text = RING EACH_MS("r0", "r2") "events:\n  - {at: 2s, fail: {node: r2}}\n"
                                                "  - {at: 3s, repair: {node: r2}}\n";
    const outcome o = run(text, "sequential", 1, 1);
    assert_int_equal(o.sent, 5000);
    assert_int_equal(o.lost_on_links, 2);
    assert_int_equal(o.without_route, 1000);
    assert_int_equal(o.received, 5000 - 1002);
}

/* Long-lived and short TCP flows under many changes, with ECMP and without: every engine gives the same. */
static void engines_agree(void **state)
{
    static const char *const routings[] = {"{convergence: 3ms}", "{ecmp: true, convergence: 5ms}"};
    static const char text[] =
        "weir: 1\nduration: 30ms\nseed: 9\n"
        "topology: {generate: {model: fat-tree, k: 4, rate: 50Mbps, delay: 20us}, queue: {limit: 30kB}}\n"
        "routing: %s\n"
        "traffic:\n  - {name: a, tcp: {}, pairs: {random: 6}}\n"
        "  - {name: b, tcp: {size: 20kB, arrivals: {poisson: 2000/s}}, pairs: {random: 20}}\n"
        "  - {name: c, udp: {rate: 2Mbps, pattern: poisson}, pairs: permutation}\n"
        "events:\n  - {at: 0s, fail: {link: \"%s--%s\"}}\n"
        "  - {at: 8ms, fail: {node: %s}}\n"
        "  - {at: 9ms, repair: {link: \"%s--%s\"}}\n"
        "  - {at: 20ms, repair: {node: %s}}\n";
    weir_graph *g = NULL;
    const weir_generator_arg k = {.name = "k", .value = "4"};
    (void)state;
    expect_ok(NULL, weir_topology_generate(NULL, "fat-tree", &k, 1, 9, &g));
    uint32_t v = 0;
    while (g->role[v] != WEIR_ROUTER)
        v++;
    uint32_t e = g->first[v];
    while (g->role[g->target[e]] != WEIR_ROUTER)
        e++;
    const char *const a = g->name[v], *const b = g->name[g->target[e]];
    for (int i = 0; i < 2; i++) {
        char all[4096];
        snprintf(all, sizeof all, text, routings[i], a, b, b, a, b, b);
        const outcome want = run(all, "sequential", 1, 0);
        assert_true(want.lost_on_links > 0);
        const outcome checked = run(all, "check", 1, 0), two = run(all, "conservative", 2, 0),
                      five = run(all, "conservative", 5, 0);
        assert_memory_equal(&checked, &want, sizeof want);
        assert_memory_equal(&two, &want, sizeof want);
        assert_memory_equal(&five, &want, sizeof want);
    }
    weir_graph_free(g);
}

/* ---- routes ---- */

/* The port of every router toward every host with traffic, against trees under costs without what has failed.
 */
static void expect_routes(const net_run *r, const weir_cost *cost, bool ecmp)
{
    enum { PORTS = 256 };
    const net_world *w = wi_net_world(r->net);
    const weir_graph *g = r->network->graph;
    weir_route_space *space = weir_route_space_new(g);
    weir_cost *dist = malloc(g->n_nodes * sizeof *dist);
    uint16_t *port = malloc(g->n_nodes * sizeof *port), equal[PORTS];
    for (uint32_t h = 0; h < r->net->n_hosts; h++) {
        const uint32_t dst_router = NET_ARRAY(w, net_dest, dests)[h].router;
        uint32_t dst_node = UINT32_MAX;
        for (uint32_t p = 0; p < r->net->n_ports; p++)
            if (NET_ARRAY(w, uint32_t, router_port)[dst_router] == r->net->n_hosts + p)
                dst_node = r->net->port_node[p];
        expect_ok(r->diag, weir_route_tree(r->diag, g, cost, dst_node, space, dist, port));
        for (uint32_t router = 0; router < w->n_routers; router++) {
            const uint32_t first = NET_ARRAY(w, uint32_t, router_port)[router];
            const uint32_t node = r->net->port_node[first - r->net->n_hosts];
            if (router == dst_router)
                continue;
            for (uint32_t flow = 0; flow < (ecmp ? 4u : 1u); flow++) {
                const net_packet packet = {.flow = flow, .dst = h};
                const uint32_t got = net_next_port(w, router, &packet, 0);
                const uint32_t n = weir_route_equal_ports(g, cost, dist, node, equal, PORTS);
                if (n == 0) {
                    assert_int_equal(got, NET_NONE);
                    continue;
                }
                bool found = false;
                for (uint32_t i = 0; i < n; i++)
                    found = found || (got - first == equal[i] && (ecmp || equal[i] == port[node]));
                if (!found)
                    fail_msg("router %u to host %u: port %u of %u equal ones, the first %u", router, h,
                             got - first, n, equal[0]);
            }
        }
    }
    weir_route_space_free(space);
    free(dist);
    free(port);
}

static void routes_follow(const char *topology, const char *traffic, bool ecmp, uint64_t seed)
{
    enum { EVENTS = 8 };
    weir_graph *g = NULL;
    char text[6000], failing[EVENTS][80];
    const weir_generator_arg args[] = {{.name = "N", .value = "80"}, {.name = "m", .value = "2"}};
    expect_ok(NULL, weir_topology_generate(NULL, topology, args, 2, seed, &g));
    int at = snprintf(text, sizeof text,
                      WEIR_1 "seed: %d\ntopology: {generate: {model: %s, N: 80, m: 2}}\n"
                             "routing: {metric: delay, ecmp: %s, convergence: 0.5s}\n%s\nevents:\n",
                      (int)seed, topology, ecmp ? "true" : "false", traffic);
    for (int i = 0; i < EVENTS; i++) { /* links first, then nodes, all come back in the order they went */
        const uint32_t v = (uint32_t)(seed * 31 + (uint64_t)i * 7) % g->n_nodes;
        if (i % 3 == 2)
            snprintf(failing[i], sizeof failing[i], "{node: %s}", g->name[v]);
        else
            snprintf(failing[i], sizeof failing[i], "{link: \"%s--%s\"}", g->name[v],
                     g->name[g->target[g->first[v]]]);
        at += snprintf(text + at, sizeof text - (size_t)at, "  - {at: %ds, fail: %s}\n", 1 + i, failing[i]);
    }
    for (int i = 0; i < EVENTS; i++)
        at +=
            snprintf(text + at, sizeof text - (size_t)at, "  - {at: %ds, repair: %s}\n", 20 + i, failing[i]);
    net_run *r = net_run_new("%s", text);
    const size_t bytes = (size_t)wi_net_world(r->net)->bytes;
    unsigned char *fresh = malloc(bytes);
    weir_cost *whole = NULL, *cost;
    assert_non_null(fresh);
    memcpy(fresh, r->net->world, bytes);
    expect_ok(r->diag, weir_route_costs(r->diag, r->network->graph, WEIR_METRIC_DELAY, &whole));
    cost = malloc(r->network->graph->n_edges * sizeof *cost);
    memcpy(cost, whole, r->network->graph->n_edges * sizeof *cost);
    expect_routes(r, cost, ecmp);
    uint32_t next = 0;
    weir_time due_ps = wi_net_change(r->network->net, 0);
    while (due_ps != WEIR_TIME_MAX) {
        const weir_time now_ps = due_ps;
        due_ps = wi_net_change(r->network->net, now_ps);
        for (; next < r->network->plan.n_outages && r->network->plan.outages[next].at_ps + SEC / 2 <= now_ps;
             next++) {
            const wi_net_outage_plan *o = &r->network->plan.outages[next];
            if (o->edge != UINT32_MAX)
                cost[o->edge] = o->down ? WEIR_COST_DOWN : whole[o->edge];
        }
        expect_routes(r, cost, ecmp);
    }
    assert_memory_equal(cost, whole, r->network->graph->n_edges * sizeof *cost);
    assert_int_equal(wi_net_change(r->network->net, 0),
                     1 * SEC); /* for another simulation: as it was built */
    assert_memory_equal(r->net->world, fresh, bytes);
    net_run_end(r);
    weir_graph_free(g);
    free(fresh);
    free(whole);
    free(cost);
}

/* Few destinations come from trees, many from the table of all pairs, equal-cost sets from distances. */
static void routes_are_those_of_the_rest(void **state)
{
    static const char few[] =
        "traffic: [{name: a, udp: {rate: 1Mbps}, pairs: [[r1, r2], [r3, r40], [r60, r61]]}]",
                      many[] = "traffic: [{name: a, udp: {rate: 1kbps}, pairs: all}]";
    (void)state;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        routes_follow("barabasi-albert", few, false, seed);
        if (seed == 1)
            routes_follow("waxman", many, false, seed);
        routes_follow("barabasi-albert", few, true, seed);
    }
}

/* ---- mistakes ---- */

static void expect_refusal(weir_status status, const char *events, const char *says)
{
    char text[2000], got[2100] = "";
    weir_scenario *s = NULL;
    wi_network *network = NULL;
    weir_diag *diag = weir_diag_new();
    snprintf(text, sizeof text, RING EACH_MS("r0", "r2") "%s", events);
    weir_status st = weir_scenario_parse(diag, "s", text, strlen(text), WEIR_TEST_DATA, NULL, 0, &s);
    if (st == WEIR_OK)
        st = wi_network_build(diag, s, &network);
    if (weir_diag_count(diag) > 0)
        weir_message_format(weir_diag_get(diag, 0), got, sizeof got);
    if (st != status || !strstr(got, says))
        fail_msg("%s: want %s '%s', got %s '%s'", events, weir_status_name(status), says,
                 weir_status_name(st), got);
    wi_network_free(network);
    weir_scenario_free(s);
    weir_diag_free(diag);
}

static void mistakes(void **state)
{
    static const struct {
        weir_status status;
        const char *events, *says;
    } all[] = {
        {WEIR_E_SCENARIO, "events: [{at: 1s, fail: {node: r9}}]",
         "6:32: error: no node 'r9' in the topology"},
        {WEIR_E_SCENARIO, "events: [{at: 1s, fail: {link: r0--r9}}]", "no node 'r9'"},
        {WEIR_E_SCENARIO, "events: [{at: 1s, fail: {link: r0--r3}}]", "no link between 'r0' and 'r3'"},
        {WEIR_E_SCENARIO, "events: [{at: 1s, fail: {link: \"r0->r1\"}}]", "write \"r0--r1\""},
        {WEIR_E_SCENARIO, "events: [{at: 1s, repair: {link: r0--r1}}]",
         "to be repaired at 1 s and has not failed"},
        {WEIR_E_SCENARIO, "events: [{at: 2s, fail: {node: r1}}, {at: 1s, repair: {node: r1}}]",
         "has not failed"},
        {WEIR_E_SCENARIO, "events: [{at: 1s, fail: {node: r1}}, {at: 1s, fail: {node: r1}}]",
         "has failed already"},
        {WEIR_E_SCENARIO, "events: [{at: 1s}]", "this event changes nothing"},
        {WEIR_E_SCENARIO, "events: [{at: 1s, fail: {}}]", "want link or node"},
        {WEIR_E_SCENARIO, "events: [{fail: {node: r1}}]", "missing key 'at'"},
        {WEIR_E_UNSUPPORTED, "events: [{at: 1s, fail: {node: r1}}]\nrouting: {forwarding: source}",
         "a flow keeps its path"},
        {WEIR_OK, "events: [{at: 1s, fail: {node: r2}}]", "cut off 1 of 1 pairs"},
        {WEIR_OK, "events: [{at: 1s, fail: {link: [r0--r1, r3--r4]}}]",
         "from 1 s on, failures cut off 1 of 1"},
        {WEIR_OK, "events: [{at: 1s, fail: {link: r0--r1}}]", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        expect_refusal(all[i].status, all[i].events, all[i].says);
}

/* 24 failures of h2's router, one a millisecond: ten warnings, and one that counts the other 14. */
static void many_failures_are_counted(void **state)
{
    char text[4000] = RING EACH_MS("r0", "r2") "events: [";
    weir_scenario *s = NULL;
    wi_network *network = NULL;
    weir_diag *diag = weir_diag_new();
    (void)state;
    for (int i = 0; i < 24; i++) {
        const size_t at = strlen(text);
        snprintf(text + at, sizeof text - at,
                 "%s{at: %dms, fail: {node: r2}}, {at: %dus, repair: {node: r2}}", i ? ", " : "", 100 + i,
                 100500 + 1000 * i);
    }
    strcat(text, "]\n");
    expect_ok(diag, weir_scenario_parse(diag, "s", text, strlen(text), WEIR_TEST_DATA, NULL, 0, &s));
    expect_ok(diag, wi_network_build(diag, s, &network));
    assert_int_equal(weir_diag_count(diag), 11);
    assert_non_null(strstr(weir_diag_get(diag, 10)->text, "14 times more"));
    wi_network_free(network);
    weir_scenario_free(s);
    weir_diag_free(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_by_hand),
        cmocka_unit_test(short_failure),
        cmocka_unit_test(node_fails),
        cmocka_unit_test(engines_agree),
        cmocka_unit_test(routes_are_those_of_the_rest),
        cmocka_unit_test(many_failures_are_counted),
        cmocka_unit_test(mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
