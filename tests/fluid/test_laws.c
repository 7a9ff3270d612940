/*
 * Closed forms that hold for any solver of the equations: the share lost by an overloaded drop-tail queue, a
 * burst's bytes and delay, the fixed point of Reno over RED, RED's average on an idle line; what marks, slow
 * start, sizes and merging change and what they do not; and bytes on random networks of everything at once.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <math.h>

#include "nightly.h"
#include "fluid/state/internal.h"
#include "fluid/cpu/team.h"
typedef double fluid_real;
#include "fluid/law/equations.h"
#include "fluid/nets.h"
#include "wait.h"

static weir_fluid *make(const net *n, bool double_precision, uint32_t order)
{
    const weir_fluid_plan plan = plan_of(n);
    weir_fluid_options o;
    weir_fluid_options_init(&o);
    o.double_precision = double_precision;
    o.order = order;
    weir_diag *diag = weir_diag_new();
    weir_fluid *f = NULL;
    if (weir_fluid_new(diag, &plan, &o, &f) != WEIR_OK)
        fail_msg("%s", weir_diag_get(diag, weir_diag_count(diag) - 1)->text);
    weir_diag_free(diag);
    return f;
}

/* To a time in seconds; steps are 0.5 ms. */
static void run_to(weir_fluid *f, double s)
{
    assert_int_equal(weir_fluid_advance(NULL, f, (uint32_t)(s * 2000.0 + 0.5) - (uint32_t)weir_fluid_step(f)),
                     WEIR_OK);
}

static weir_fluid_port_state port_at(weir_fluid *f, uint32_t edge)
{
    weir_fluid_port_state s;
    assert_int_equal(weir_fluid_read_port(NULL, f, weir_fluid_port(f, edge), &s), WEIR_OK);
    return s;
}

static weir_fluid_flow_state flow_at(weir_fluid *f, uint32_t flow)
{
    weir_fluid_flow_state s;
    assert_int_equal(weir_fluid_read_flow(NULL, f, flow, &s), WEIR_OK);
    return s;
}

static void near(double got, double wanted, double share, const char *what)
{
    if (!(fabs(got - wanted) <= share * fabs(wanted)))
        fail_msg("%s is %.9g, want %.9g within %g", what, got, wanted, share);
}

/* 15 Mb/s into 10 Mb/s: once full, a drop-tail queue loses 1 - C / L of what arrives, and not before. */
static void overload_loses_the_excess(void **state)
{
    (void)state;
    net *n = line(3, 10000000, 0.010);
    n->queue[n->n_queues++] = droptail(125000); /* full after 0.2 s of 5 Mb/s too much */
    n->cls[n->n_classes++] = udp(15000000);
    add_flow(n, 0, 2, 0, 1, 0, -1);
    weir_fluid *f = make(n, true, 2);
    const uint32_t edge = edge_of(n, 0, 1);
    run_to(f, 0.199);
    assert_true(port_at(f, edge).lost_bytes == 0.0);
    run_to(f, 1.0);
    const weir_fluid_port_state early = port_at(f, edge);
    run_to(f, 5.0);
    const weir_fluid_port_state late = port_at(f, edge);
    near((late.lost_bytes - early.lost_bytes) / (late.arrived_bytes - early.arrived_bytes), 1.0 - 10.0 / 15.0,
         1e-9, "share lost");
    near(late.queue_bytes, 125000, 1e-12, "queue");
    assert_true(port_at(f, edge_of(n, 1, 2)).lost_bytes == 0.0);
    weir_fluid_free(f);
    net_free(n);
}

/* 10 ms of 20 Mb/s into an idle 10 Mb/s line: 12.5 kB wait 10 ms at most, so the last byte leaves at 20 ms
 * and its ACK is back at 40 ms. */
static void burst_keeps_bytes_and_delay(void **state)
{
    (void)state;
    static const weir_fluid_rate schedule[] = {{0, 20000000}, {10 * WEIR_PS_PER_MS, 0}};
    for (int precision = 0; precision < 2; precision++) {
        net *n = line(2, 10000000, 0.010);
        n->queue[n->n_queues++] = droptail(125000);
        n->cls[n->n_classes] = udp(0);
        n->cls[n->n_classes].schedule = schedule;
        n->cls[n->n_classes++].n_schedule = 2;
        add_flow(n, 0, 1, 0, 1, 0, -1);
        weir_fluid *f = make(n, precision, 2);
        run_to(f, 0.010);
        near(port_at(f, edge_of(n, 0, 1)).queue_bytes, 12500, 1e-6, "queue");
        run_to(f, 0.020);
        assert_true(flow_at(f, 0).acked_bytes < 1e-6);
        run_to(f, 0.0395);
        near(flow_at(f, 0).acked_bytes, 25000 - 625, 1e-5, "bytes a step before the end");
        run_to(f, 0.040);
        near(flow_at(f, 0).acked_bytes, 25000, 1e-6, "bytes");
        near(flow_at(f, 0).rtt_s, 0.030, 1e-5, "round trip of the last byte");
        weir_fluid_free(f);
        net_free(n);
    }
}

/* Fixed point of n Reno sessions over one RED queue: W = sqrt(1 / (b beta p)), n W MSS (1 - p) / R = C,
 * R = 2 a + q / C, p = p_max (q - min) / (max - min); by bisection in q. */
static void fixed_point(const weir_fluid_queue *q, const weir_fluid_class *c, double sessions, double rate,
                        double delay, double *window, double *queue)
{
    double low = q->min_bytes, high = q->max_bytes;
    for (int i = 0; i < 200; i++) {
        *queue = 0.5 * (low + high);
        const double p = q->max_p * (*queue - q->min_bytes) / (q->max_bytes - q->min_bytes);
        *window = sqrt(1.0 / (c->segments_per_ack * c->decrease * p));
        const double through = sessions * *window * c->mss_bytes * (1.0 - p) / (2.0 * delay + *queue / rate);
        if (through > rate)
            low = *queue;
        else
            high = *queue;
    }
}

static void reno_over_red_settles(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) { /* with a weight of 1 the average is the queue itself */
        const bool calibrated = i % 2;
        net *n = line(2, 50000000, 0.010);
        n->queue[n->n_queues++] = red(20e3, 220e3, 0.1, i < 2 ? 5e-3 : 1.0, 1000000);
        n->cls[n->n_classes++] = tcp(1000000);
        if (calibrated) {
            n->cls[0].segments_per_ack = 2;
            n->cls[0].decrease = 2.0 / 3.0;
        }
        add_flow(n, 0, 1, 0, 30, 0, -1);
        weir_fluid *f = make(n, true, 2);
        run_to(f, 100.0);
        double window, queue;
        fixed_point(&n->queue[0], &n->cls[0], 30, 50e6 / 8, 0.010, &window, &queue);
        near(flow_at(f, 0).window, window, 1e-3, "window");
        near(port_at(f, edge_of(n, 0, 1)).queue_bytes, queue, 1e-3, "queue");
        near(port_at(f, edge_of(n, 0, 1)).average_bytes, queue, 1e-3, "average");
        weir_fluid_free(f);
        net_free(n);
    }
}

/* Packets alone move RED's average: it rises with their arrivals, and decays on the idle line by (1 - w) for
 * each mean packet that could have been sent. */
static void idle_average_decays(void **state)
{
    (void)state;
    net *n = line(2, 8000000, 0.010); /* 500 bytes a step */
    n->queue[n->n_queues++] = red(20e3, 220e3, 0.1, 0.01, 1000000);
    n->cls[n->n_classes++] = udp(1000000);
    add_flow(n, 0, 1, 0, 1, 50, -1);
    weir_fluid *f = make(n, true, 2);
    const uint32_t edge = edge_of(n, 0, 1);
    assert_int_equal(weir_fluid_add(NULL, f, weir_fluid_port(f, edge), 0, 400e3), WEIR_OK); /* in a step */
    assert_int_equal(weir_fluid_advance(NULL, f, 1), WEIR_OK);
    assert_int_equal(weir_fluid_add(NULL, f, weir_fluid_port(f, edge), 0, 0), WEIR_OK);
    near(port_at(f, edge).queue_bytes, 400e3 - 500, 1e-12, "queue with packets");
    run_to(f, 0.400); /* 800 steps send all of it */
    const weir_fluid_port_state empty = port_at(f, edge);
    assert_true(empty.queue_bytes < 1e-6 && empty.average_bytes > 50e3);
    run_to(f, 0.500); /* 100 packets' worth of idling */
    near(port_at(f, edge).average_bytes, empty.average_bytes * pow(0.99, 100), 1e-9, "average");
    near(port_at(f, edge).reduction_bytes - empty.reduction_bytes, 100e3, 1e-9, "projected reduction");
    weir_fluid_free(f);
    net_free(n);
}

/* Marked flows lose nothing while RED marks, and settle where dropped ones do but for what drops save. */
static void marks_are_not_losses(void **state)
{
    (void)state;
    double window[2];
    for (int ecn = 0; ecn < 2; ecn++) {
        net *n = line(2, 50000000, 0.010);
        n->queue[n->n_queues++] = red(20e3, 220e3, 0.1, 5e-3, 1000000);
        n->queue[0].ecn = ecn;
        n->cls[n->n_classes++] = tcp(1000000);
        n->cls[0].ecn = ecn;
        add_flow(n, 0, 1, 0, 30, 0, -1);
        weir_fluid *f = make(n, true, 2);
        run_to(f, 60.0);
        window[ecn] = flow_at(f, 0).window;
        if (ecn)
            assert_true(port_at(f, edge_of(n, 0, 1)).lost_bytes == 0.0);
        else
            assert_true(port_at(f, edge_of(n, 0, 1)).lost_bytes > 0.0);
        weir_fluid_free(f);
        net_free(n);
    }
    near(window[1], window[0], 0.03, "window with marks");
}

/* Two transfers of 1 MB each: through a queue that loses nothing, without and with slow start, and through
 * one that loses, whose bytes are sent again. */
static void sized_flows_end(void **state)
{
    (void)state;
    double end[3];
    for (int run = 0; run < 3; run++) {
        net *n = line(2, 10000000, 0.010);
        n->queue[n->n_queues++] = droptail(run == 2 ? 20000 : 200000);
        n->cls[n->n_classes++] = tcp(65536);
        n->cls[0].slow_start = run == 1;
        add_flow(n, 0, 1, 0, 2, 0, -1);
        n->flow[0].size_bytes = 1000000;
        weir_fluid *f = make(n, true, 2);
        run_to(f, 10.0);
        const weir_fluid_flow_state s = flow_at(f, 0);
        near(s.acked_bytes, 2e6, 1e-5, "bytes of both sessions");
        near(s.sent_bytes, 2e6 + s.lost_bytes, 1e-9, "bytes sent, what was lost twice");
        assert_true((s.lost_bytes > 0.0) == (run == 2));
        assert_true(s.end_s > 2e6 / 1.25e6 && s.end_s < 10.0);
        end[run] = s.end_s;
        weir_fluid_free(f);
        net_free(n);
    }
    assert_true(end[1] < end[0]);
}

/* Flows of one path and class are one with the sum of their sessions, and each is told its share. */
static void equal_flows_merge(void **state)
{
    (void)state;
    uint64_t digest[2];
    for (int split = 0; split < 2; split++) {
        net *n = line(3, 10000000, 0.010);
        n->queue[n->n_queues++] = red(10e3, 60e3, 0.1, 1e-3, 200000);
        n->cls[n->n_classes++] = tcp(65536);
        add_flow(n, 0, 2, 0, split ? 2 : 5, 0, -1);
        if (split)
            add_flow(n, 0, 2, 0, 3, 0, -1);
        weir_fluid *f = make(n, false, 2);
        assert_int_equal(weir_fluid_measure(f).flows, 1);
        run_to(f, 5.0);
        digest[split] = weir_fluid_digest(f);
        if (split)
            near(flow_at(f, 1).sent_bytes, 1.5 * flow_at(f, 0).sent_bytes, 1e-12, "share of three sessions");
        weir_fluid_free(f);
        net_free(n);
    }
    assert_true(digest[0] == digest[1]);
}

/* Sources of all kinds over queues of all kinds: no byte is lost track of, neither the number of threads nor
 * where the run stops on its way, nor what the processor has, changes a bit. */
static void random_networks(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= (SANITIZED ? 2 : 4); seed++) {
        net *n = random_net(6 + 4 * seed, 30 + 30 * seed, seed, seed % 2);
        const weir_fluid_plan plan = plan_of(n);
        for (int run = 0; run < 4; run++) {
            weir_fluid_options o;
            weir_fluid_options_init(&o);
            o.double_precision = run % 2;
            o.order = run < 2 ? 2 : 1;
            o.threads = 1;
            weir_fluid *f = NULL, *other = NULL;
            assert_int_equal(weir_fluid_new(NULL, &plan, &o, &f), WEIR_OK);
            run_to(f, 1.0);
            weir_fluid_totals t;
            assert_int_equal(weir_fluid_sum(NULL, f, &t), WEIR_OK);
            assert_true(t.in_bytes > 1e6 && t.lost_bytes > 0.0);
            near(t.out_bytes + t.lost_bytes + t.queued_bytes + t.wire_bytes, t.in_bytes,
                 run % 2 ? 1e-5 : 1e-3, "bytes");
            o.threads = 3;
            wi_team *team = NULL;
            assert_int_equal(wi_team_new(NULL, 3, &team), WEIR_OK);
            assert_int_equal(weir_fluid_new(NULL, &plan, &o, &other), WEIR_OK);
            for (int i = 0; i < 40; i++)
                if (i % 4 == 3) /* the build for any processor, whichever was chosen */
                    (run % 2 ? wi_fluid_run_double : wi_fluid_run_single)(&other->tables, &other->state, 13,
                                                                          team);
                else
                    assert_int_equal(weir_fluid_advance(NULL, other, i % 2 ? 13 : 87), WEIR_OK);
            assert_true(weir_fluid_digest(f) == weir_fluid_digest(other));
            weir_fluid_free(f);
            weir_fluid_free(other);
            wi_team_free(team);
        }
        net_free(n);
    }
}

/* One link of 0.2 ms in a path of 20 ms: taken as 1 ms, so that steps may be five times as long, with the same
 * round trip; the window and the queue behind it are as they were. */
static void short_links_fold(void **state)
{
    (void)state;
    static const uint32_t link[][2] = {{0, 1}, {1, 2}, {2, 3}};
    double window[2], queue[2], rtt[2];
    for (int fold = 0; fold < 2; fold++) {
        net *n = calloc(1, sizeof *n);
        assert_non_null(n);
        weir_graph_builder *b = weir_graph_builder_new();
        for (uint32_t i = 0; i < 4; i++)
            (void)weir_graph_add_node(b, NULL, WEIR_ROUTER);
        for (uint32_t i = 0; i < 3; i++) {
            weir_link l = weir_link_init(link[i][0], link[i][1]);
            l.rate_bps = i == 2 ? 20000000 : 100000000;
            l.delay_ps = i == 1 ? seconds(0.0002) : seconds(0.01);
            weir_graph_add_link(b, l);
        }
        assert_int_equal(weir_graph_build(NULL, b, &n->graph), WEIR_OK);
        weir_graph_builder_free(b);
        weir_routes_options routes;
        weir_routes_options_init(&routes);
        assert_int_equal(weir_routes_compute(NULL, n->graph, &routes, &n->routes), WEIR_OK);
        n->queue[n->n_queues++] = red(10e3, 80e3, 0.1, 2e-3, 200000);
        n->cls[n->n_classes++] = tcp(65536);
        add_flow(n, 0, 3, 0, 8, 0, -1);
        const weir_fluid_plan plan = plan_of(n);
        weir_fluid_options o;
        weir_fluid_options_init(&o);
        o.step_ps = seconds(fold ? 1e-4 : 2e-5);
        o.least_delay_ps = fold ? WEIR_PS_PER_MS : 0;
        weir_fluid *f = NULL;
        assert_int_equal(weir_fluid_new(NULL, &plan, &o, &f), WEIR_OK);
        assert_int_equal(weir_fluid_lookahead(f), fold ? 100 : 10); /* the longer links decide */
        assert_int_equal(weir_fluid_advance(NULL, f, fold ? 200000 : 1000000), WEIR_OK);
        window[fold] = flow_at(f, 0).window;
        rtt[fold] = flow_at(f, 0).rtt_s;
        queue[fold] = port_at(f, edge_of(n, 2, 3)).queue_bytes;
        weir_fluid_free(f);
        net_free(n);
    }
    near(window[1], window[0], 1e-3, "window over a folded link");
    near(rtt[1], rtt[0], 1e-3, "round trip over a folded link");
    near(queue[1], queue[0], 5e-3, "queue behind a folded link");
}

/* Do all threads but this one sleep? */
static bool others_sleep(void)
{
    char path[64], text[512];
    DIR *tasks = opendir("/proc/self/task");
    bool sleep = true;
    assert_non_null(tasks);
    for (const struct dirent *e; (e = readdir(tasks)) != NULL;) {
        if (e->d_name[0] == '.' || atoi(e->d_name) == (int)gettid())
            continue;
        snprintf(path, sizeof path, "/proc/self/task/%.20s/stat", e->d_name);
        FILE *f = fopen(path, "r");
        const size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
        text[n] = '\0';
        const char *behind_name = strrchr(text, ')');
        sleep &= !behind_name || behind_name[2] == 'S';
        if (f)
            fclose(f);
    }
    closedir(tasks);
    return sleep;
}

/* Between two advances the solver's threads come to sleep: whoever waits for packets leaves them the cores. */
static void waiting_threads_sleep(void **state)
{
    (void)state;
    net *n = random_net(10, 60, 1, 0);
    const weir_fluid_plan plan = plan_of(n);
    weir_fluid_options o;
    weir_fluid_options_init(&o);
    o.threads = 4;
    weir_fluid *f = NULL;
    assert_int_equal(weir_fluid_new(NULL, &plan, &o, &f), WEIR_OK);
    assert_int_equal(weir_fluid_advance(NULL, f, 200), WEIR_OK);
    int looks = 0; /* one after another that found none at work: one that spins is seen */
    wait_until((looks = others_sleep() ? looks + 1 : 0) >= 20);
    weir_fluid_free(f);
    net_free(n);
}

/* History tells what was read step by step. */
static void history_is_what_was(void **state)
{
    (void)state;
    net *n = line(2, 10000000, 0.010);
    n->queue[n->n_queues++] = droptail(125000);
    n->cls[n->n_classes++] = udp(15000000);
    add_flow(n, 0, 1, 0, 1, 0, -1);
    weir_fluid *f = make(n, true, 2);
    const uint32_t port = weir_fluid_port(f, edge_of(n, 0, 1));
    double queue[15], seen[15];
    for (int i = 0; i < 15; i++) {
        assert_int_equal(weir_fluid_advance(NULL, f, 1), WEIR_OK);
        seen[i] = port_at(f, edge_of(n, 0, 1)).queue_bytes;
    }
    assert_int_equal(weir_fluid_history(NULL, f, &port, 1, 15, queue, NULL, NULL, NULL, NULL), WEIR_OK);
    for (int i = 0; i < 15; i++)
        near(queue[i], seen[i], 1e-12, "queue in history");
    assert_int_equal(weir_fluid_history(NULL, f, &port, 1, 16, queue, NULL, NULL, NULL, NULL), WEIR_E_ARG);
    weir_fluid_free(f);
    net_free(n);
}

/* What packets leave in a queue is in its history at once, up to the limit, and steps that are launched after
 * it tell it as where they began. */
static void history_tells_what_packets_left(void **state)
{
    (void)state;
    net *n = line(2, 10000000, 0.010);
    n->queue[n->n_queues++] = droptail(125000);
    n->cls[n->n_classes++] = udp(5000000);
    add_flow(n, 0, 1, 0, 1, 0, -1);
    weir_fluid *f = make(n, true, 2);
    const uint32_t port = weir_fluid_port(f, edge_of(n, 0, 1));
    const double line_bytes = 10e6 / 8 / 2000, in_bytes = line_bytes / 2, arrived = 0.0;
    assert_int_equal(weir_fluid_advance(NULL, f, 100), WEIR_OK);
    for (int i = 0; i < 2; i++) {
        const double queued = i ? 125000.0 : 40000.0, stands = i ? 125000.0 : 40000.0;
        double queue[6], now;
        assert_int_equal(weir_fluid_exchange(NULL, f, &port, 1, &queued, &arrived), WEIR_OK);
        assert_int_equal(weir_fluid_history(NULL, f, &port, 1, 1, &now, NULL, NULL, NULL, NULL), WEIR_OK);
        near(now, stands, 1e-12, "queue after an exchange");
        assert_int_equal(weir_fluid_launch(NULL, f, 5), WEIR_OK);
        assert_int_equal(weir_fluid_history(NULL, f, &port, 1, 6, queue, NULL, NULL, NULL, NULL), WEIR_OK);
        for (int k = 0; k < 6; k++)
            near(queue[k], stands - k * (line_bytes - in_bytes), 1e-9, "queue as it drains");
        assert_int_equal(weir_fluid_advance(NULL, f, 1000), WEIR_OK);
        assert_int_equal(weir_fluid_history(NULL, f, &port, 1, 1, &now, NULL, NULL, NULL, NULL), WEIR_OK);
        assert_true(now == 0.0);
    }
    assert_int_equal(weir_fluid_history(NULL, f, NULL, 0, 1, NULL, NULL, NULL, NULL, NULL), WEIR_OK);
    weir_fluid_free(f);
    net_free(n);
}

/* Window of four sessions that fill a drop-tail queue and lose nothing, after 2 s, at a step. */
static double smooth_window(uint32_t order, double step_s)
{
    net *n = line(2, 10000000, 0.020);
    n->queue[n->n_queues++] = droptail(10000000);
    n->cls[n->n_classes++] = tcp(100000000);
    n->cls[0].initial_window = 15.0; /* more than the pipe holds: the queue is never empty */
    add_flow(n, 0, 1, 0, 4, 0, -1);
    const weir_fluid_plan plan = plan_of(n);
    weir_fluid_options o;
    weir_fluid_options_init(&o);
    o.double_precision = true;
    o.order = order;
    o.step_ps = seconds(step_s);
    weir_fluid *f = NULL;
    assert_int_equal(weir_fluid_new(NULL, &plan, &o, &f), WEIR_OK);
    assert_int_equal(weir_fluid_advance(NULL, f, (uint32_t)(2.0 / step_s + 0.5)), WEIR_OK);
    const double window = flow_at(f, 0).window;
    weir_fluid_free(f);
    net_free(n);
    return window;
}

/* Halving the step divides the error by 2 to the order; the reference has an eighth of the smallest step. */
static void order_of_convergence(void **state)
{
    (void)state;
    static const double step[3] = {2e-3, 1e-3, 5e-4};
    const double exact = smooth_window(2, 6.25e-5);
    double error[3][3];
    for (uint32_t order = 1; order <= 2; order++)
        for (int i = 0; i < 3; i++)
            error[order][i] = fabs(smooth_window(order, step[i]) - exact);
    for (uint32_t order = 1; order <= 2; order++)
        for (int i = 0; i < 2; i++) {
            const double ratio = error[order][i] / error[order][i + 1];
            if (!(fabs(log2(ratio) - order) <= 0.25))
                fail_msg("order %u: errors %g and %g, a ratio of %g", order, error[order][i],
                         error[order][i + 1], ratio);
        }
    print_message("errors at 2, 1, 0.5 ms: order 1 %.2g %.2g %.2g, 2 %.2g %.2g %.2g\n", error[1][0],
                  error[1][1], error[1][2], error[2][0], error[2][1], error[2][2]);
}

/* The equations as printed, on a line that loses a tenth: below its rate RED (p = 0.1) sends 0.9 on, of which 0.9
 * arrive, and the sender sees what is left; a full drop-tail queue sends half of twice its rate. */
static void printed_law_on_a_lossy_line(void **state)
{
    (void)state;
    const fluid_port port = {.rate = 1000.0f, .limit = 5000.0f, .spared = 0.9f, .alike = 1.0f};
    const double below[FLUID_KINDS] = {500.0}, above[FLUID_KINDS] = {2000.0};
    fluid_queue q = {.type = NET_QUEUE_RED};
    fluid_passage r = fluid_pass(&port, port.spared, &q, 1, 0.0, below, 0.0, 0.0, 0.1);
    assert_true(fabs(r.keep[FLUID_PLAIN] - 0.81) < 1e-6);
    assert_true(fabs(r.signal[FLUID_PLAIN] - 0.19) < 1e-6);
    q.type = NET_QUEUE_DROPTAIL;
    r = fluid_pass(&port, port.spared, &q, 1, 5000.0, above, 0.0, 0.0, 0.0);
    assert_true(fabs(r.keep[FLUID_PLAIN] - 0.45) < 1e-6);
    assert_true(fabs(r.signal[FLUID_PLAIN] - 0.55) < 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overload_loses_the_excess), cmocka_unit_test(burst_keeps_bytes_and_delay),
        cmocka_unit_test(reno_over_red_settles),     cmocka_unit_test(idle_average_decays),
        cmocka_unit_test(marks_are_not_losses),      cmocka_unit_test(sized_flows_end),
        cmocka_unit_test(equal_flows_merge),         cmocka_unit_test(random_networks),
        cmocka_unit_test(short_links_fold),          cmocka_unit_test(waiting_threads_sleep),
        cmocka_unit_test(history_is_what_was),       cmocka_unit_test(history_tells_what_packets_left),
        cmocka_unit_test(order_of_convergence),      cmocka_unit_test(printed_law_on_a_lossy_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
