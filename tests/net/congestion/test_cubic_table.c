/*
 * CUBIC's steady rate against the tables of RFC 9438, section 5.1: the mean window where one packet of each 1/p is lost,
 * at round trips of 0.1 and 0.01 s, C = 0.4; as large as Reno's where Reno is ahead. The wire is without a queue, an ACK a
 * segment; retransmissions are never lost. The rest of the tables takes minutes: `make nightly`.
 *
 * The law (equation 6) has no round trip in which a loss is found and mended: with a mean window of 12 segments that is two of eight round
 * trips. Fast convergence is off, which the law does not have, and takes a tenth of the window here. The plateau makes windows
 * settle slowly: what they are off by falls as the root of the cycles.
 */
#include "net/wire.h"
#include "nightly.h"

enum { WARM = 24 }; /* cycles */

typedef struct row {
    double rtt_s, loss, table;
} row;

static uint64_t n_new, every;
static uint32_t beyond;

/* One in `every` new segments. */
static bool lose_one_in(wire *w, net_packet *p)
{
    if (p->flags & NET_ACK || (beyond && net_seq_before(p->seq, beyond)))
        return false;
    (void)w;
    beyond = p->seq + 1u;
    return ++n_new % every == 0;
}

/* Mean window in segments over so many cycles after the first. */
static double mean_window(const row *r, uint32_t cycles)
{
    net_class c = plain_tcp();
    const net_cubic_params cubic = {true, false, NET_CUBIC_HYSTART_OFF};
    c.flags |= NET_CLASS_RACK;
    c.congestion = NET_CC_CUBIC;
    memcpy(c.cc, &cubic, sizeof cubic);
    c.initial_window_bytes = (uint32_t)r->table * 1000u;
    c.window_bytes = 3000 * 1000;
    wire *w = wire_new(c, 1, UINT64_C(1000000000000), (weir_time)(r->rtt_s * 0.5e12));
    w->lose = lose_one_in;
    n_new = 0;
    beyond = 0;
    every = (uint64_t)(1.0 / r->loss + 0.5);
    wire_run(w, 1);
    w->tx[0].ssthresh = c.initial_window_bytes; /* from a large one many cycles would pass */
    while (n_new < WARM * every)
        wire_run(w, wire_next(w) + 1);
    const weir_time begun = w->now;
    while (n_new < (WARM + cycles) * every)
        wire_run(w, wire_next(w) + 1);
    const double window = (double)cycles * (double)every / weir_seconds(w->now - begun) * r->rtt_s;
    assert_int_equal(w->tx[0].timeouts, 0);
    wire_free(w);
    return window;
}

static void table(void **state)
{
    (void)state;
    static const row rows[] = {{0.1, 1e-2, 12},   {0.1, 1e-3, 38},   {0.1, 1e-4, 187},
                               {0.01, 1e-2, 12},  {0.01, 1e-3, 38},  {0.01, 1e-4, 120},
                               {0.1, 1e-5, 1054}, {0.01, 1e-5, 379}, {0.01, 1e-6, 1200}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (i > (SANITIZED ? 2 : 5) && !nightly())
            continue;
        const row *r = &rows[i];
        const double got = mean_window(r, r->loss < 1e-4 ? 5 : 12);
        print_message("  %g s, p = %g: window %.1f, table %g (%.3f)\n", r->rtt_s, r->loss, got, r->table,
                      got / r->table);
        if (!(fabs(got / r->table - 1.0) <= (r->loss > 2e-3 ? 0.15 : 0.12)))
            fail_msg("%g s, p = %g: window %.1f, table %g", r->rtt_s, r->loss, got, r->table);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(table)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
