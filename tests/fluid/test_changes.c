/*
 * Links that fail and come back under a fluid, and sessions that go on over other ways. What a constant stream
 * loses is known: what is in the queue and on the line when it fails, and what comes until it is back. In
 * random networks whose links fail, bytes add up after each step, and where a run stops on its way changes
 * no bit.
 */
#include <math.h>

#include "nightly.h"
#include "diag.h"
#include "fluid/nets.h"
#include "weir/fluid.h"

static weir_fluid *solver(const net *n, weir_time step_ps, bool precise, bool paper)
{
    weir_diag *diag = weir_diag_new();
    const weir_fluid_plan plan = plan_of(n);
    weir_fluid_options o;
    weir_fluid *f;
    weir_fluid_options_init(&o);
    o.step_ps = step_ps;
    o.double_precision = precise;
    o.law = paper ? WEIR_FLUID_PAPER : WEIR_FLUID_CONSERVING;
    expect_ok(diag, weir_fluid_new(diag, &plan, &o, &f));
    weir_diag_free(diag);
    return f;
}

static void go(weir_fluid *f, uint32_t steps)
{
    weir_diag *diag = weir_diag_new();
    expect_ok(diag, weir_fluid_advance(diag, f, steps));
    weir_diag_free(diag);
}

static weir_fluid_port_state port_of(const net *n, weir_fluid *f, uint32_t a, uint32_t b)
{
    weir_fluid_port_state s;
    assert_int_equal(weir_fluid_read_port(NULL, f, weir_fluid_port(f, edge_of(n, a, b)), &s), WEIR_OK);
    return s;
}

static void fail_link(net *n, double from_s, double to_s, uint32_t a, uint32_t b)
{
    n->outage[n->n_outages++] = (weir_fluid_outage){seconds(from_s), edge_of(n, a, b), true};
    n->outage[n->n_outages++] = (weir_fluid_outage){seconds(to_s), edge_of(n, a, b), false};
}

/* Share of all bytes that are missing. What stands in queues and on wires is reckoned to parts of a step as if its
 * bytes had come evenly, so that in between some are off, with failures or without. */
static double missing(weir_fluid *f)
{
    weir_fluid_totals t;
    assert_int_equal(weir_fluid_sum(NULL, f, &t), WEIR_OK);
    return (t.in_bytes - t.out_bytes - t.lost_bytes - t.queued_bytes - t.wire_bytes) / (t.in_bytes + 1e5);
}

/* 1 MB/s over 2.5 MB/s, 10 ms a link, fails from 1 to 1.5 s: 10 ms of it are on the line then, and 500 ms come;
 * those that left while it was back arrive. 12 MB/s for the same line: 2.5 MB/s times 10 ms on it, the queue
 * of 100 kB, and what the line takes meanwhile. */
static void a_stream_loses_what_theory_says(void **state)
{
    static const struct {
        uint64_t bps;
        double lost;
    } row[] = {{8000000, 1e6 * 0.510}, {96000000, 2.5e6 * 0.510 + 100e3}};
    (void)state;
    for (int i = 0; i < 4; i++) {
        net *n = line(3, 20000000, 0.01);
        n->queue[n->n_queues++] = droptail(100000);
        n->cls[n->n_classes++] = udp(row[i % 2].bps);
        const uint32_t at = i % 2 ? 0 : 1; /* a queue is at the first link */
        add_flow(n, 0, 2, 0, 1, 0, -1);
        fail_link(n, 1.0, 1.5, at, at + 1);
        weir_fluid *f = solver(n, WEIR_PS_PER_MS, i > 1, false);
        go(f, 3000);
        const double step = 1e-3 * 2.5e6, got = port_of(n, f, at, at + 1).failed_bytes;
        print_message("  %d: %.0f bytes lost with the link, want %.0f\n", i, got, row[i % 2].lost);
        assert_true(fabs(got - row[i % 2].lost) <= 1.5 * step);
        assert_true(fabs(missing(f)) < 1e-6);
        weir_fluid_flow_state flow;
        assert_int_equal(weir_fluid_read_flow(NULL, f, 0, &flow), WEIR_OK);
        assert_true(i % 2 == 1 || fabs(flow.lost_bytes - got) <= 1.0);
        weir_fluid_free(f);
        net_free(n);
    }
}

/* Two failures a millisecond apart are one at the far end; the second begins before the first is through. */
static void failures_that_overlap_are_counted_once(void **state)
{
    (void)state;
    net *n = line(3, 20000000, 0.01);
    n->queue[n->n_queues++] = droptail(100000);
    n->cls[n->n_classes++] = udp(8000000);
    add_flow(n, 0, 2, 0, 1, 0, -1);
    fail_link(n, 1.000, 1.002, 1, 2);
    fail_link(n, 1.004, 1.006, 1, 2);
    weir_fluid *f = solver(n, WEIR_PS_PER_MS / 4, true, false);
    go(f, 12000);
    /* From 10 ms before the first failure to the end of the second. */
    assert_true(fabs(port_of(n, f, 1, 2).failed_bytes - 1e6 * 0.016) <= 1e6 * 0.5e-3);
    assert_true(fabs(missing(f)) < 1e-12);
    weir_fluid_free(f);
    net_free(n);
}

static void bytes_add_up_at_every_step(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= (SANITIZED ? 4 : 12); seed++) {
        net *n = random_net(12, 40, seed, seed % 3 == 0);
        fail_links(n, seed + 99, 2.0);
        assert_true(n->n_outages > 8);
        const bool precise = seed % 2 == 0;
        weir_fluid *f = solver(n, WEIR_PS_PER_MS / 2, precise, false);
        weir_fluid *whole = solver(n, WEIR_PS_PER_MS / 2, precise, false);
        double worst = 0.0;
        for (uint32_t i = 1; weir_fluid_step(f) < 6000; i = i % 7 + 1) {
            go(f, i);
            worst = fmax(worst, fabs(missing(f)));
        }
        go(whole, (uint32_t)weir_fluid_step(f));
        assert_true(worst > 0.0);
        print_message("  seed %d, %u outages: off by %.2g\n", (int)seed, n->n_outages, worst);
        assert_true(worst < 1e-3);
        assert_int_equal(weir_fluid_digest(f), weir_fluid_digest(whole));
        weir_fluid_free(f);
        weir_fluid_free(whole);
        net_free(n);
    }
}

/* A window goes on as it is where nothing failed, with half of what it was where its way did. */
static void windows_go_on(void **state)
{
    (void)state;
    for (int lost = 0; lost < 2; lost++) {
        net *n = line(3, 20000000, 0.01);
        n->queue[n->n_queues++] = droptail(100000);
        n->cls[n->n_classes++] = tcp(40000);
        n->cls[0].ack_clock = 0.5;
        add_flow(n, 0, 2, 0, 1, 0, 4.0);
        add_flow(n, 0, 2, 0, 1, lost ? 4.2 : 4.0, -1);
        n->flow[0].apart = n->flow[1].apart = true;
        n->flow[1].goes_on = 1;
        n->flow[1].failed_ps = lost ? seconds(4.0) : 0;
        weir_fluid *f = solver(n, WEIR_PS_PER_MS, true, false);
        weir_fluid_flow_state before, after;
        go(f, 4000);
        assert_int_equal(weir_fluid_read_flow(NULL, f, 0, &before), WEIR_OK);
        go(f, lost ? 201 : 1);
        assert_int_equal(weir_fluid_read_flow(NULL, f, 1, &after), WEIR_OK);
        assert_true(before.window > 30.0);
        assert_true(fabs(after.window - before.window * (lost ? 0.5 : 1.0)) < 0.1);
        go(f, 39); /* a round trip is 40 ms; what is let go takes as long to come */
        assert_int_equal(weir_fluid_read_flow(NULL, f, 1, &after), WEIR_OK);
        assert_true(fabs(after.sent_bytes / 1000.0 / after.window - 1.0) < 0.05);
        weir_fluid_free(f);
        net_free(n);
    }
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        net *n = line(3, 20000000, 0.01);
        n->queue[n->n_queues++] = droptail(100000);
        n->cls[n->n_classes++] = tcp(40000);
        add_flow(n, 0, 2, 0, 1, 1, 4.0);
        add_flow(n, 0, 2, 0, 1, 4.0, -1);
        fail_link(n, 1.0, 1.5, 1, 2);
        n->flow[0].apart = n->flow[1].apart = i != 0;
        n->flow[1].goes_on = i == 1 ? 2 : 1;
        n->flow[1].start_ps = seconds(i == 2 ? 0.5 : 4.0);
        n->outage[1].at_ps = seconds(i == 3 ? 0.5 : 1.5);
        n->outage[0].edge = i == 4 ? 99 : n->outage[0].edge;
        weir_fluid *f;
        const weir_fluid_plan plan = plan_of(n);
        assert_int_equal(weir_fluid_new(NULL, &plan, NULL, &f), WEIR_E_ARG);
        assert_null(f);
        net_free(n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_loses_what_theory_says),
        cmocka_unit_test(failures_that_overlap_are_counted_once),
        cmocka_unit_test(bytes_add_up_at_every_step),
        cmocka_unit_test(windows_go_on),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
