/*
 * Windows over a grid of rates, sessions, limits and steps, on one link with one queue:
 *
 * - no window sticks at its limit, whatever a session loses in a step (an explicit step did from decrease
 *   times losses = 2 on, and then 65 % of a run's bytes were lost);
 * - halving the step never makes the answer worse, against a reference of an eighth of the smallest step;
 * - single precision is as good as double at steps so short that a window grows by less than its last bit;
 * - slow start is clocked by ACKs: 1 + 1/b times as much each round trip, and through a full line a queue
 * that grows by C/b, as each acknowledged segment sends itself anew and 1/b more.
 * label: slow statistics
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "fluid/nets.h"

typedef struct setting {
    double rate, delay_s, step_s, initial_window;
    uint32_t sessions;
    uint64_t window;
    weir_fluid_queue queue;
    bool paper, double_precision, slow_start;
    uint32_t order;
} setting;

typedef struct path {
    net *n;
    weir_fluid *f;
    double step_s;
} path;

static path start(const setting *s)
{
    path p = {line(2, (uint64_t)s->rate, s->delay_s), NULL, s->step_s};
    p.n->queue[p.n->n_queues++] = s->queue;
    weir_fluid_class *const c = &p.n->cls[p.n->n_classes++];
    *c = tcp(s->window);
    c->slow_start = s->slow_start;
    c->initial_window = s->initial_window > 0.0 ? s->initial_window : 1.0;
    if (!s->paper) {
        c->segments_per_ack = 2;
        c->decrease = 0.61;
        c->most_losses = 1.0;
    }
    add_flow(p.n, 0, 1, 0, s->sessions, 0, -1);
    const weir_fluid_plan plan = plan_of(p.n);
    weir_fluid_options o;
    weir_fluid_options_init(&o);
    o.double_precision = s->double_precision;
    o.order = s->order;
    o.step_ps = seconds(s->step_s);
    o.threads = 1;
    assert_int_equal(weir_fluid_new(NULL, &plan, &o, &p.f), WEIR_OK);
    return p;
}

static void near(double got, double wanted, double share, const char *what)
{
    if (!(fabs(got - wanted) <= share * fabs(wanted)))
        fail_msg("%s: %.12g, want %.12g within %g", what, got, wanted, share);
}

static void end(path p)
{
    weir_fluid_free(p.f);
    net_free(p.n);
}

static void run_to(path p, double time_s)
{
    const int64_t to = (int64_t)(time_s / p.step_s + 0.5);
    assert_int_equal(weir_fluid_advance(NULL, p.f, (uint32_t)(to - weir_fluid_step(p.f))), WEIR_OK);
}

static weir_fluid_flow_state flow(path p)
{
    weir_fluid_flow_state s;
    assert_int_equal(weir_fluid_read_flow(NULL, p.f, 0, &s), WEIR_OK);
    return s;
}

static weir_fluid_port_state port(path p)
{
    weir_fluid_port_state s;
    assert_int_equal(weir_fluid_read_port(NULL, p.f, 0, &s), WEIR_OK);
    return s;
}

/* Share of bytes lost in the second half of 12 s. In balance a session that has W segments in flight loses
 * about 1.6 / W^2 (2 / W^2), and none of these settings leaves less than W = 1.6 a session. */
static void no_window_sticks(void **state)
{
    (void)state;
    static const double rates[] = {10e6, 100e6, 1e9}, steps[] = {2e-3, 0.5e-3};
    static const uint32_t sessions[] = {1, 10, 100};
    static const uint64_t windows[] = {65536, 1 << 20, 4 << 20};
    for (int i = 0; i < 3 * 2 * 3 * 3 * 4; i++) {
        setting s = {.rate = rates[i % 3],
                     .step_s = steps[i / 3 % 2],
                     .sessions = sessions[i / 6 % 3],
                     .window = windows[i / 18 % 3],
                     .paper = i / 54 % 2,
                     .delay_s = 0.02,
                     .order = 1 + (uint32_t)(i / 108),
                     .slow_start = true};
        const double bdp = s.rate / 8 * 2 * s.delay_s;
        s.queue = droptail((uint64_t)bdp);
        const path p = start(&s);
        run_to(p, 6.0);
        const weir_fluid_port_state early = port(p);
        run_to(p, 12.0);
        const weir_fluid_port_state late = port(p);
        const double lost = (late.lost_bytes - early.lost_bytes) / (late.arrived_bytes - early.arrived_bytes);
        const double w = fmax(1.6, bdp / 1000 / s.sessions);
        if (!(lost <= fmin(0.6, 2.5 / (w * w) + 1e-4)))
            fail_msg(
                "%g bit/s, %u sessions, window %g, step %g, order %u, %s: loses %g of its bytes, window %g",
                s.rate, s.sessions, (double)s.window, s.step_s, s.order, s.paper ? "paper" : "calibrated",
                lost, flow(p).window);
        end(p);
    }
}

enum { SAMPLES = 250 };

/* Windows each 20 ms of 5 s. */
static void trace(setting s, double *window)
{
    const path p = start(&s);
    for (int k = 0; k < SAMPLES; k++) {
        run_to(p, 0.02 * (k + 1));
        window[k] = flow(p).window;
    }
    end(p);
}

static double distance(const double *a, const double *b)
{
    double sum = 0.0, all = 0.0;
    for (int k = 0; k < SAMPLES; k++) {
        sum += fabs(a[k] - b[k]);
        all += b[k];
    }
    return sum / all;
}

static void shorter_steps_are_no_worse(void **state)
{
    (void)state;
    static const double rates[] = {10e6, 100e6, 1e9}, steps[] = {4e-3, 2e-3, 1e-3};
    static const uint32_t sessions[] = {1, 10, 100};
    for (int i = 0; i < 3 * 3 * 2 * 2; i++) {
        setting s = {.rate = rates[i % 3],
                     .sessions = sessions[i / 3 % 3],
                     .window = 4 << 20,
                     .paper = i / 9 % 2,
                     .delay_s = 0.02,
                     .order = 1 + (uint32_t)(i / 18),
                     .slow_start = i % 2,
                     .double_precision = true,
                     .step_s = 0.0625e-3};
        const double bdp = s.rate / 8 * 2 * s.delay_s;
        s.queue = red(bdp / 5, bdp, 0.1, fmin(0.1, 1000.0 / bdp), (uint64_t)(4 * bdp));
        double exact[SAMPLES], window[SAMPLES], before = INFINITY;
        trace(s, exact);
        s.double_precision = false;
        for (int k = 0; k < 3; k++) {
            s.step_s = steps[k];
            trace(s, window);
            const double error = distance(window, exact);
            if (!(error <= fmax(1.02 * before, 1e-4)))
                fail_msg("%g bit/s, %u sessions, order %u, %s: an error of %g at %g s, %g at twice the step",
                         s.rate, s.sessions, s.order, s.paper ? "paper" : "calibrated", error, s.step_s,
                         before);
            before = error;
        }
    }
}

/* 600 segments over 0.4 s grow by one each round trip: by less than half a float's last bit in a step of 10
 * us. */
static void short_steps_add_up(void **state)
{
    (void)state;
    static const double steps[] = {1e-3, 100e-6, 10e-6, 4e-6};
    for (int i = 0; i < 8; i++) {
        const setting s = {.rate = 10e9,
                           .step_s = steps[i / 2],
                           .sessions = 1,
                           .window = 4 << 20,
                           .paper = true,
                           .double_precision = i % 2,
                           .delay_s = 0.2,
                           .order = 2,
                           .queue = droptail(1000000),
                           .initial_window = 600.0};
        const path p = start(&s);
        run_to(p, 2.0);
        const double w = flow(p).window, wanted = 600.0 + 2.0 / 0.4;
        if (!(fabs(w - wanted) < 1e-3))
            fail_msg("a window of %.7g in %s precision with a step of %g s, want %.7g", w,
                     s.double_precision ? "double" : "single", s.step_s, wanted);
        end(p);
    }
}

/* Over a line that is never full 1 + 1/b times as much in each round trip: what is sent in one is
 * acknowledged in the next. */
static void slow_start_doubles(void **state)
{
    (void)state;
    for (int paper = 0; paper < 2; paper++) {
        const setting s = {.rate = 10e9,
                           .step_s = 1e-3,
                           .sessions = 3,
                           .window = 4 << 20,
                           .paper = paper,
                           .delay_s = 0.02,
                           .order = 2,
                           .queue = droptail(1000000),
                           .slow_start = true};
        const double gain = paper ? 2.0 : 1.5, base = 2 * s.delay_s;
        const path p = start(&s);
        double sent = 0.0, window = 1.0;
        for (int k = 1; k < 10; k++, window *= gain) { /* a handshake, then rounds */
            run_to(p, (k + 1) * base);
            sent += 3 * 1000.0 * window;
            if (!(fabs(flow(p).sent_bytes / sent - 1.0) < 1e-5 && fabs(flow(p).window / window - 1.0) < 1e-5))
                fail_msg("round %d: window %g, sent %g; want %g, %g", k, flow(p).window, flow(p).sent_bytes,
                         window, sent);
        }
        end(p);
    }
}

/* Through a full line acknowledgements come at the line's rate: the queue grows by C/b, and what is in flight
 * is the window, until the queue is full. One round trip of that is lost, C/b of it. */
static void overshoot_is_acknowledged_twice(void **state)
{
    (void)state;
    for (int paper = 0; paper < 2; paper++) {
        const double rate = 100e6, limit = 1e6, gain = paper ? 1.0 : 0.5;
        const setting s = {.rate = rate,
                           .step_s = 1e-3,
                           .sessions = 10,
                           .window = 4 << 20,
                           .paper = paper,
                           .delay_s = 0.02,
                           .order = 2,
                           .queue = droptail((uint64_t)limit),
                           .slow_start = true};
        const path p = start(&s);
        double t = 0.0;
        while (port(p).queue_bytes < 0.6 * limit)
            run_to(p, t += 1e-3);
        const double queue = port(p).queue_bytes, flight = flow(p).sent_bytes - flow(p).acked_bytes;
        near(flight, 10 * 1000.0 * flow(p).window, 1e-3, "bytes in flight");
        run_to(p, t += 10e-3);
        near(port(p).queue_bytes - queue, gain * rate / 8 * 10e-3, 1e-3, "growth of the queue");
        run_to(p, t + 1.0);
        const double round = 2 * s.delay_s + 8 * limit / rate;
        near(port(p).lost_bytes, gain * rate / 8 * round, 0.15, "bytes lost");
        end(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_window_sticks),
        cmocka_unit_test(shorter_steps_are_no_worse),
        cmocka_unit_test(short_steps_add_up),
        cmocka_unit_test(slow_start_doubles),
        cmocka_unit_test(overshoot_is_acknowledged_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
