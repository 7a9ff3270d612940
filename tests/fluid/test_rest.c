/*
 * label: slow
 *
 * What stands still is not reckoned again (fluid/cpu/rest.h). Steps that are done one at a time never rest, as one step does not
 * tell that the next is the same. So random networks of constant streams, alone and beside everything else, are run
 * both ways: every count, queue and digest is the same to the bit, through starts, stops, failures, and packets that come.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

/* Ports are in double whatever the solver's precision. */
typedef double fluid_real;
#include "fluid/cpu/rest.h"
#include "fluid/nets.h"
#include "nightly.h"

enum { NETS = 24, STEPS = 6000, PIECE = 250 };

typedef struct kind {
    bool double_precision, mixed, failures, packets, waves;
    int threads;
} kind;

static kind kind_of(uint32_t number)
{
    return (kind){number % 2 == 1,     number % 3 == 2, number % 4 == 3,
                  number / 2 % 3 == 1, number % 5 == 4, number % 4 == 1 ? 3 : 1};
}

/* Of streams, half of them from the start on; mixed: some flows are as they were drawn. */
static net *streams(uint32_t number, const kind *k)
{
    uint64_t seed = number + 1;
    net *const n = random_net(14, 120, number + 100, false);
    for (uint32_t i = 0; i < 4; i++)
        n->queue[i].type = i < 2 || number % 6 == 0 ? n->queue[i].type : WEIR_FLUID_DROPTAIL;
    for (uint32_t i = 0; i < n->n_flows; i++) {
        weir_fluid_flow *const f = &n->flow[i];
        if (k->mixed && i % 4 == 0)
            continue;
        f->cls = 3;
        f->size_bytes = 0;
        f->start_ps = i % 2 ? 0 : seconds(draw_between(&seed, 0.0, 2.0));
        f->stop_ps = i % 3 ? WEIR_TIME_MAX : f->start_ps + seconds(draw_between(&seed, 0.1, 2.0));
    }
    n->cls[3].rate_bps = (uint64_t)draw_between(&seed, 3e5, 3e6);
    if (k->failures)
        fail_links(n, seed, 3.0);
    return n;
}

static weir_fluid *solver_of(const net *n, const kind *k)
{
    const weir_fluid_plan plan = plan_of(n);
    weir_fluid_options o;
    weir_fluid *f = NULL;
    weir_fluid_options_init(&o);
    o.double_precision = k->double_precision;
    o.step_ps = seconds(0.5e-3);
    o.threads = k->threads;
    o.least_delay_ps = k->waves ? seconds(8e-3) : 0;
    assert_int_equal(weir_fluid_new(NULL, &plan, &o, &f), WEIR_OK);
    return f;
}

static void advance(weir_fluid *f, uint32_t steps, uint32_t at_once)
{
    for (uint32_t done = 0; done < steps;) {
        const uint32_t n = steps - done < at_once ? steps - done : at_once;
        assert_int_equal(weir_fluid_advance(NULL, f, n), WEIR_OK);
        done += n;
    }
}

static void exchange(weir_fluid *f, uint64_t *seed, uint32_t ports)
{
    const uint32_t port = (uint32_t)(rnd(seed) % ports);
    const double coming = rnd(seed) % 2 ? draw_between(seed, 0.0, 300.0) : 0.0,
                 queued = draw_between(seed, -2e3, 9e3);
    assert_int_equal(weir_fluid_add(NULL, f, port, queued, coming), WEIR_OK);
}

static void are_equal(weir_fluid *a, weir_fluid *b, uint32_t ports)
{
    weir_fluid_totals x, y;
    assert_int_equal(weir_fluid_sum(NULL, a, &x), WEIR_OK);
    assert_int_equal(weir_fluid_sum(NULL, b, &y), WEIR_OK);
    assert_memory_equal(&x, &y, sizeof x);
    for (uint32_t p = 0; p < ports; p++) {
        weir_fluid_port_state v, w;
        assert_int_equal(weir_fluid_read_port(NULL, a, p, &v), WEIR_OK);
        assert_int_equal(weir_fluid_read_port(NULL, b, p, &w), WEIR_OK);
        assert_memory_equal(&v, &w, sizeof v);
    }
    assert_true(weir_fluid_digest(a) == weir_fluid_digest(b));
}

/* Share of prefixes that rest. */
static double resting(const weir_fluid *f)
{
    uint32_t n = 0;
    assert_non_null(f->state.rest);
    for (uint32_t p = 0; p < f->tables.n_prefixes; p++)
        n += f->state.rest->hop[p].port != REST_NEVER;
    return (double)n / f->tables.n_prefixes;
}

static void rest_changes_no_bit(void **state)
{
    (void)state;
    double most = 0.0;
    for (uint32_t number = 0; number < NETS; number++) {
        if (!is_run(number, 2, 7))
            continue;
        const kind k = kind_of(number);
        net *const n = streams(number, &k);
        weir_fluid *const by_one = solver_of(n, &k), *const at_once = solver_of(n, &k);
        const uint32_t ports = (uint32_t)weir_fluid_measure(at_once).ports;
        uint64_t of_one = number, of_other = number;
        for (uint32_t done = 0; done < STEPS; done += PIECE) {
            advance(by_one, PIECE, 1);
            advance(at_once, PIECE, number % 2 ? PIECE : 37);
            are_equal(by_one, at_once, ports);
            if (k.packets && done / PIECE % 3 == 0) {
                exchange(by_one, &of_one, ports);
                exchange(at_once, &of_other, ports);
            }
        }
        const double share = resting(at_once);
        print_message("  net %2u: %.2f of the prefixes rest\n", number, share);
        assert_true(resting(by_one) == 0.0);
        most = share > most ? share : most;
        weir_fluid_free(by_one);
        weir_fluid_free(at_once);
        net_free(n);
    }
    assert_true(most > 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rest_changes_no_bit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
