/*
 * What packets leave in a queue that they share with fluid, told to the solver at exchanges, however many steps lie
 * between two of them: no byte of the line is lost for it, and none is sent twice.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "fluid/nets.h"

static double out_bytes(weir_fluid *f)
{
    weir_fluid_totals totals;
    assert_int_equal(weir_fluid_sum(NULL, f, &totals), WEIR_OK);
    return totals.out_bytes;
}

/* UDP of 1.1 times the line, and packets that are expected to bring 0.3 of it: for 0.1 s fewer come of those that would find a
 * place, by a share `swing`, and for 0.1 s more. Returns the share of the line that both have from 1 to 3 s, an
 * exchange every `steps`. */
static double share_of_line(double swing, uint32_t steps)
{
    net *n = line(2, 100000000, 0.020);
    n->queue[n->n_queues++] = droptail(1000000);
    n->cls[n->n_classes++] = udp(110000000);
    add_flow(n, 0, 1, 0, 1, 0, -1);
    const weir_fluid_plan plan = plan_of(n);
    weir_fluid_options o;
    weir_fluid_options_init(&o);
    o.double_precision = true;
    o.step_ps = seconds(0.5e-3);
    weir_fluid *f = NULL;
    assert_int_equal(weir_fluid_new(NULL, &plan, &o, &f), WEIR_OK);
    const uint32_t port = weir_fluid_port(f, edge_of(n, 0, 1));
    const double line_bytes = 100e6 / 8.0 * 0.5e-3, coming = 0.3 * line_bytes;
    double found = 0.0, packets = 0.0, before = 0.0;
    for (uint32_t done = 0; done < 6000;) {
        const double part = done / 200 % 2 ? 1.0 + swing : 1.0 - swing;
        double now;
        assert_int_equal(weir_fluid_advance(NULL, f, steps), WEIR_OK);
        assert_int_equal(weir_fluid_history(NULL, f, &port, 1, 1, NULL, NULL, NULL, &now, NULL), WEIR_OK);
        const double came = part * (now - found), queued = came - (now - found);
        assert_int_equal(weir_fluid_exchange(NULL, f, &port, 1, &queued, &coming), WEIR_OK);
        packets += came;
        found = now;
        done += steps;
        if (done == 2000)
            before = out_bytes(f) + packets;
    }
    const double share = (out_bytes(f) + packets - before) / (4000.0 * line_bytes);
    weir_fluid_free(f);
    net_free(n);
    return share;
}

/* The line is as full with many steps between exchanges: the queue is then shorter at once than what stands in it. What
 * stands there still goes first, but the room is the fluid's. */
static void packets_that_do_not_come_leave_the_line(void **state)
{
    (void)state;
    static const uint32_t steps[] = {1, 4, 8, 20, 40, 100};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        const double all = share_of_line(0.0, steps[i]), half = share_of_line(0.5, steps[i]),
                     none = share_of_line(1.0, steps[i]);
        print_message("  %3u steps: %.4f, %.4f, %.4f of the line\n", steps[i], all, half, none);
        assert_true(fabs(all - 1.0) < 1e-3);
        assert_true(fabs(half - 1.0) < 0.01);
        assert_true(fabs(none - 1.0) < 0.01);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(packets_that_do_not_come_leave_the_line)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
