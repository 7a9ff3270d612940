/*
 * Hosts that are alike, reckoned as one: where all have the same flows, results are those of each by itself;
 * where servers are drawn by lot (the campus network), totals are. What is not alike stays apart.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "fluid/campus.h"
#include "fluid/nets.h"

enum { HOSTS = 6 };

/* Hosts 2 .. on router 0, as many on router 1; each of the first sends to its partner. The line between is the
 * bottleneck in `core`, otherwise every host's own link is. */
static net *star(bool core)
{
    uint32_t link[1 + 2 * HOSTS][2] = {{0, 1}};
    for (uint32_t i = 0; i < 2 * HOSTS; i++) {
        link[1 + i][0] = i / HOSTS;
        link[1 + i][1] = 2 + i;
    }
    net *n = calloc(1, sizeof *n);
    assert_non_null(n);
    assert_int_equal(join(NULL, n, 2 + 2 * HOSTS, link, 1 + 2 * HOSTS, 10000000, seconds(0.005)), WEIR_OK);
    n->queue[n->n_queues++] = droptail(core ? 60000 : 20000);
    n->cls[n->n_classes++] = tcp(core ? 131072 : 65536);
    for (uint32_t i = 0; i < HOSTS; i++)
        add_flow(n, 2 + i, 2 + HOSTS + (core ? i : 0), 0, 3, 0, -1);
    return n;
}

static weir_fluid *make(const net *n, bool together, bool double_precision)
{
    weir_fluid_plan plan = plan_of(n);
    plan.join_alike = together;
    weir_fluid_options o;
    weir_fluid_options_init(&o);
    o.double_precision = double_precision;
    weir_fluid *f = NULL;
    assert_int_equal(weir_fluid_new(NULL, &plan, &o, &f), WEIR_OK);
    return f;
}

static void near(double got, double wanted, double share, const char *what)
{
    if (!(fabs(got - wanted) <= share * fabs(wanted)))
        fail_msg("%s: %.9g as one, %.9g one by one", what, got, wanted);
}

static void equal_hosts_are_one(void **state)
{
    (void)state;
    net *n = star(true);
    weir_fluid *const one = make(n, true, true), *const all = make(n, false, true);
    assert_int_equal(weir_fluid_measure(one).flows, 1);
    assert_int_equal(weir_fluid_measure(one).ports, 3);
    assert_int_equal(weir_fluid_measure(all).flows, HOSTS);
    for (int k = 0; k < 20; k++) {
        assert_int_equal(weir_fluid_advance(NULL, one, 500), WEIR_OK);
        assert_int_equal(weir_fluid_advance(NULL, all, 500), WEIR_OK);
        for (uint32_t i = 0; i < HOSTS; i++) {
            weir_fluid_flow_state a, b;
            assert_int_equal(weir_fluid_read_flow(NULL, one, i, &a), WEIR_OK);
            assert_int_equal(weir_fluid_read_flow(NULL, all, i, &b), WEIR_OK);
            near(a.window, b.window, 1e-9, "window");
            near(a.acked_bytes, b.acked_bytes, 1e-9, "bytes");
        }
    }
    for (uint32_t e = 0; e < n->graph->n_edges; e++) {
        const uint32_t p = weir_fluid_port(one, e), q = weir_fluid_port(all, e);
        assert_true((p == UINT32_MAX) == (q == UINT32_MAX));
        if (p == UINT32_MAX)
            continue;
        weir_fluid_port_state a, b;
        assert_int_equal(weir_fluid_read_port(NULL, one, p, &a), WEIR_OK);
        assert_int_equal(weir_fluid_read_port(NULL, all, q, &b), WEIR_OK);
        near(a.arrived_bytes, b.arrived_bytes, 1e-9, "a port's arrivals");
        near(a.lost_bytes + 1.0, b.lost_bytes + 1.0, 1e-6, "a port's losses");
        near(a.wire_bytes + 1.0, b.wire_bytes + 1.0, 1e-6, "bytes on a wire");
    }
    weir_fluid_totals t;
    assert_int_equal(weir_fluid_sum(NULL, one, &t), WEIR_OK);
    near(t.out_bytes + t.lost_bytes + t.queued_bytes + t.wire_bytes, t.in_bytes, 1e-5, "bytes");
    weir_fluid_free(one);
    weir_fluid_free(all);
    net_free(n);
}

/* Packets at the links of hosts that are reckoned as one: what they leave at each is taken in together. */
static void packets_come_to_hosts_that_are_one(void **state)
{
    (void)state;
    net *n = star(true);
    weir_fluid *const one = make(n, true, true), *const all = make(n, false, true);
    uint32_t port[2][HOSTS];
    double queued[HOSTS], coming[HOSTS];
    for (uint32_t i = 0; i < HOSTS; i++) {
        const uint32_t edge = edge_of(n, 1, 2 + HOSTS + i);
        port[0][i] = weir_fluid_port(one, edge);
        port[1][i] = weir_fluid_port(all, edge);
        queued[i] = 1500.0;
        coming[i] = 600.0; /* in 0.5 ms: 9.6 of 10 Mb/s */
    }
    for (int k = 0; k < 40; k++) {
        assert_int_equal(weir_fluid_exchange(NULL, one, port[0], HOSTS, queued, coming), WEIR_OK);
        assert_int_equal(weir_fluid_exchange(NULL, all, port[1], HOSTS, queued, coming), WEIR_OK);
        assert_int_equal(weir_fluid_advance(NULL, one, 100), WEIR_OK);
        assert_int_equal(weir_fluid_advance(NULL, all, 100), WEIR_OK);
        weir_fluid_port_state a, b;
        assert_int_equal(weir_fluid_read_port(NULL, one, port[0][0], &a), WEIR_OK);
        assert_int_equal(weir_fluid_read_port(NULL, all, port[1][0], &b), WEIR_OK);
        near(a.queue_bytes + 1.0, b.queue_bytes + 1.0, 1e-6, "bytes in a queue");
        near(a.reduction_bytes + 1.0, b.reduction_bytes + 1.0, 1e-9, "what the line could have sent");
        near(a.lost_bytes + 1.0, b.lost_bytes + 1.0, 1e-6, "a port's losses");
        assert_true(k < 20 || b.lost_bytes > 0.0);
    }
    weir_fluid_free(one);
    weir_fluid_free(all);
    net_free(n);
}

/* All send to one host: it is not like the others of its router, which get nothing. One sender more or less
 * busy stays apart too. */
static void others_stay_apart(void **state)
{
    (void)state;
    net *n = star(false);
    weir_fluid *f = make(n, true, false);
    assert_int_equal(weir_fluid_measure(f).flows, 1);
    weir_fluid_free(f);
    n->flow[2].sessions = 4;
    f = make(n, true, false);
    assert_int_equal(weir_fluid_measure(f).flows, 2);
    weir_fluid_free(f);
    n->flow[3].start_ps = seconds(1);
    f = make(n, true, false);
    assert_int_equal(weir_fluid_measure(f).flows, 3);
    weir_fluid_free(f);
    n->queue[0] = red(10e3, 50e3, 0.1, 0.002, 60000);
    f = make(n, true, false);
    assert_int_equal(weir_fluid_measure(f).flows, HOSTS);
    weir_fluid_free(f);
    net_free(n);
}

/* Receivers that differ in nothing but how many sessions they hear: 3 + 1 from two senders, which are not alike as they send to
 * these, and 2. A tenth is no difference: 20 and 22. */
static void receivers_with_more_sessions_stay_apart(void **state)
{
    (void)state;
    net *n = star(true);
    const uint32_t first = 2, second = 3, one = 2 + HOSTS, other = 3 + HOSTS;
    n->n_flows = 0;
    add_flow(n, first, one, 0, 3, 0, -1);
    add_flow(n, second, one, 0, 1, 0, -1);
    add_flow(n, second, other, 0, 2, 0, -1);
    weir_fluid *const f = make(n, true, false), *const all = make(n, false, false);
    assert_int_equal(weir_fluid_measure(f).flows, 3);
    assert_int_equal(weir_fluid_measure(f).ports, weir_fluid_measure(all).ports);
    assert_int_equal(weir_fluid_measure(all).flows, 3);
    weir_fluid_free(f);
    weir_fluid_free(all);
    n->flow[1].sessions = 17;
    n->flow[2].sessions = 22;
    n->flow[1].src = n->flow[2].src = first;
    weir_fluid *const joined = make(n, true, false);
    assert_int_equal(weir_fluid_measure(joined).flows, 1);
    weir_fluid_free(joined);
    net_free(n);
}

/* As many sessions, but of another class, of other times, or to ends that are not alike: ports are those of each by itself. */
static void other_flows_stay_apart(void **state)
{
    (void)state;
    for (int what = 0; what < 5; what++) {
        net *n = star(true);
        n->cls[n->n_classes++] = tcp(3000);
        n->n_flows = 2;
        weir_fluid_flow *const second = &n->flow[1];
        second->cls = what == 1;
        second->start_ps = what == 2 ? seconds(1) : second->start_ps;
        second->stop_ps = what == 3 ? seconds(2) : second->stop_ps;
        if (what == 4) /* a router that sends to the second receiver makes it another, and so its sender */
            add_flow(n, 0, second->dst, 0, 3, 0, -1);
        weir_fluid *const one = make(n, true, false), *const all = make(n, false, false);
        if (what == 0)
            assert_int_equal(weir_fluid_measure(one).ports, 3);
        else
            assert_int_equal(weir_fluid_measure(one).ports, weir_fluid_measure(all).ports);
        weir_fluid_free(one);
        weir_fluid_free(all);
        net_free(n);
    }
}

static void campus_totals(void **state)
{
    (void)state;
    weir_fluid_totals total[2];
    weir_fluid_size size[2];
    campus_net *const c = campus_new(1, 10);
    for (int together = 0; together < 2; together++) {
        weir_fluid_plan plan = campus_plan(c);
        plan.join_alike = together;
        weir_fluid_options o;
        weir_fluid_options_init(&o);
        weir_fluid *f = NULL;
        assert_int_equal(weir_fluid_new(NULL, &plan, &o, &f), WEIR_OK);
        assert_int_equal(weir_fluid_advance(NULL, f, 4000), WEIR_OK);
        assert_int_equal(weir_fluid_sum(NULL, f, &total[together]), WEIR_OK);
        size[together] = weir_fluid_measure(f);
        weir_fluid_free(f);
    }
    campus_free(c);
    assert_true(size[1].prefixes * 3 < size[0].prefixes && size[1].flows * 5 < size[0].flows);
    near(total[1].out_bytes, total[0].out_bytes, 0.01, "bytes out of a campus");
    near(total[1].lost_bytes, total[0].lost_bytes, 0.03, "bytes lost in a campus");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_hosts_are_one),    cmocka_unit_test(packets_come_to_hosts_that_are_one),
        cmocka_unit_test(others_stay_apart),      cmocka_unit_test(receivers_with_more_sessions_stay_apart),
        cmocka_unit_test(other_flows_stay_apart), cmocka_unit_test(campus_totals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
