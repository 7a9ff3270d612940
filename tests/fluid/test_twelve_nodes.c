/*
 * label: slow
 *
 * The paper's twelve nodes for 100 s, against figures of an independent double-precision solver of the same
 * equations (b = 1, decrease 1/2): mean windows within 2 %, mean queues within 8 % (they oscillate). The
 * queue 4-7 is empty while flow 3 is not there, and again when it has gone. And over these 100 s bytes are
 * conserved: within 1e-3 in single, 1e-5 in double precision.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "fluid/nets.h"

enum { STEPS_PER_S = 2000 };

typedef struct means {
    double window[4], queue[3]; /* queues 2-3, 7-8, 4-7 */
} means;

/* Time means over [from, to) seconds, sampled every 10 ms. */
static means mean_over(weir_fluid *f, const net *n, double from, double to)
{
    const uint32_t port[3] = {weir_fluid_port(f, edge_of(n, 2, 3)), weir_fluid_port(f, edge_of(n, 7, 8)),
                              weir_fluid_port(f, edge_of(n, 4, 7))};
    means m = {{0}, {0}};
    int samples = 0;
    assert_int_equal(weir_fluid_advance(NULL, f, (uint32_t)(from * STEPS_PER_S - (double)weir_fluid_step(f))),
                     WEIR_OK);
    for (; (double)weir_fluid_step(f) < to * STEPS_PER_S; samples++) {
        assert_int_equal(weir_fluid_advance(NULL, f, STEPS_PER_S / 100), WEIR_OK);
        for (uint32_t i = 0; i < 4; i++) {
            weir_fluid_flow_state s;
            assert_int_equal(weir_fluid_read_flow(NULL, f, i, &s), WEIR_OK);
            m.window[i] += s.window;
        }
        for (uint32_t i = 0; i < 3; i++) {
            weir_fluid_port_state s;
            assert_int_equal(weir_fluid_read_port(NULL, f, port[i], &s), WEIR_OK);
            m.queue[i] += s.queue_bytes;
        }
    }
    for (int i = 0; i < 4; i++)
        m.window[i] /= samples;
    for (int i = 0; i < 3; i++)
        m.queue[i] /= samples;
    return m;
}

static void near(double got, double wanted, double share, const char *what)
{
    if (!(fabs(got - wanted) <= share * wanted))
        fail_msg("%s is %g, want %g within %g %%", what, got, wanted, 100 * share);
}

static void judge(bool double_precision, double tolerance)
{
    net *n = twelve_nodes();
    const weir_fluid_plan plan = plan_of(n);
    weir_fluid_options o;
    weir_fluid_options_init(&o);
    o.double_precision = double_precision;
    weir_fluid *f = NULL;
    assert_int_equal(weir_fluid_new(NULL, &plan, &o, &f), WEIR_OK);
    assert_int_equal(weir_fluid_lookahead(f), 20);

    const means early = mean_over(f, n, 10, 30);
    near(early.window[0], 49.0, 0.02, "W of flow 0, 10-30 s");
    near(early.window[1], 49.2, 0.02, "W of flow 1, 10-30 s");
    near(early.window[2], 34.0, 0.02, "W of flow 2, 10-30 s");
    near(early.queue[0], 52.5e3, 0.08, "queue 2-3, 10-30 s");
    near(early.queue[1], 52.3e3, 0.08, "queue 7-8, 10-30 s");
    assert_true(early.queue[2] < 1.0);

    const means late = mean_over(f, n, 45, 60);
    near(late.window[0], 64.2, 0.02, "W of flow 0, 45-60 s");
    near(late.window[1], 64.3, 0.02, "W of flow 1, 45-60 s");
    near(late.window[2], 16.7, 0.02, "W of flow 2, 45-60 s");
    near(late.window[3], 17.9, 0.02, "W of flow 3, 45-60 s");
    near(late.queue[0], 45e3, 0.08, "queue 2-3, 45-60 s");
    near(late.queue[1], 45e3, 0.08, "queue 7-8, 45-60 s");
    near(late.queue[2], 109e3, 0.08, "queue 4-7, 45-60 s");

    const means after = mean_over(f, n, 70, 100);
    assert_true(after.queue[2] < 1.0);

    weir_fluid_totals t;
    assert_int_equal(weir_fluid_sum(NULL, f, &t), WEIR_OK);
    assert_true(t.in_bytes > 2e9);
    near(t.out_bytes + t.lost_bytes + t.queued_bytes + t.wire_bytes, t.in_bytes, tolerance,
         "sum of all bytes");
    weir_fluid_free(f);
    net_free(n);
}

static void single_precision(void **state)
{
    (void)state;
    judge(false, 1e-3);
}

static void double_precision(void **state)
{
    (void)state;
    judge(true, 1e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_precision),
        cmocka_unit_test(double_precision),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
