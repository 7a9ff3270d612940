/*
 * Short links do not make blocks short: ports behind them are solved one after the other within a block. What comes of it is
 * what a step as short as these links want gives; and the same bits however steps are divided among calls and
 * ports among threads.
 * label: slow statistics
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "fluid/short_links.h"

static weir_fluid *solve(const net *n, double step_s, double least_s, int threads)
{
    const weir_fluid_plan plan = plan_of(n);
    weir_fluid_options o;
    weir_fluid_options_init(&o);
    o.step_ps = seconds(step_s);
    o.least_delay_ps = seconds(least_s);
    o.threads = threads;
    weir_fluid *f = NULL;
    assert_int_equal(weir_fluid_new(NULL, &plan, &o, &f), WEIR_OK);
    return f;
}

static weir_fluid_class ecn_tcp(void)
{
    weir_fluid_class c = tcp(65536);
    c.ecn = true;
    return c;
}

static void near(double got, double wanted, double share, const char *what)
{
    if (!(fabs(got - wanted) <= share * fabs(wanted)))
        fail_msg("%s: %.9g in long blocks, %.9g in short ones", what, got, wanted);
}

static void long_blocks_give_what_short_ones_do(void **state)
{
    (void)state;
    net *n = short_links(red(10e3, 60e3, 0.1, 2e-3, 200000), tcp(65536));
    weir_fluid *const longer = solve(n, 2e-4, 32e-4, 1), *const shorter = solve(n, 2e-5, 0.0, 1);
    assert_int_equal(weir_fluid_lookahead(longer), 16);
    assert_int_equal(weir_fluid_lookahead(shorter), 10);
    assert_int_equal(weir_fluid_advance(NULL, longer, 100000), WEIR_OK);
    assert_int_equal(weir_fluid_advance(NULL, shorter, 1000000), WEIR_OK);
    for (uint32_t i = 0; i < SHORT_RING; i++) {
        weir_fluid_flow_state a, b;
        assert_int_equal(weir_fluid_read_flow(NULL, longer, i, &a), WEIR_OK);
        assert_int_equal(weir_fluid_read_flow(NULL, shorter, i, &b), WEIR_OK);
        near(a.acked_bytes, b.acked_bytes, 0.002,
             "bytes"); /* windows swing, each solver's in a phase of its own */
    }
    weir_fluid_totals t;
    assert_int_equal(weir_fluid_sum(NULL, longer, &t), WEIR_OK);
    near(t.out_bytes + t.lost_bytes + t.queued_bytes + t.wire_bytes, t.in_bytes, 1e-5, "bytes of all");
    weir_fluid_free(longer);
    weir_fluid_free(shorter);
    net_free(n);
}

static void bits_do_not_depend_on_blocks_and_threads(void **state)
{
    (void)state;
    for (int marks = 0; marks < 2; marks++) {
        weir_fluid_queue queue = marks ? red(10e3, 60e3, 0.1, 2e-3, 200000) : droptail(60000);
        queue.ecn = marks;
        net *n = short_links(queue, marks ? ecn_tcp() : tcp(65536));
        weir_fluid *const whole = solve(n, 2e-4, 32e-4, 1), *const pieces = solve(n, 2e-4, 32e-4, 3);
        assert_int_equal(weir_fluid_advance(NULL, whole, 9000), WEIR_OK);
        for (uint32_t done = 0, piece = 1; done < 9000; done += piece, piece = piece % 23 + 1) {
            piece = 9000 - done < piece ? 9000 - done : piece;
            assert_int_equal(weir_fluid_advance(NULL, pieces, piece), WEIR_OK);
        }
        assert_true(weir_fluid_digest(whole) == weir_fluid_digest(pieces));
        weir_fluid_free(whole);
        weir_fluid_free(pieces);
        net_free(n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(long_blocks_give_what_short_ones_do),
                                       cmocka_unit_test(bits_do_not_depend_on_blocks_and_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
