/*
 * label: slow statistics
 *
 * Kademlia from 2^10 to 2^20 peers: hops grow with log2 N, and lookups end at the true closest peer.
 *
 * Theory: somebody in the bucket of a key's first differing bit shares that bit and on average one more, and
 * the best of m such about log2 m more than that. With the k = 8 contacts of one answer that makes 5 bits a
 * hop, with the 24 of alpha = 3 answers 6.6: between 0.15 and 0.2 hops for each doubling, and more where the
 * answers of a round have contacts in common or come one after the other. What a doubling adds is the same
 * everywhere, so the means lie on a line in log2 N.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "models/kademlia/stats.h"
#include "models/usual/kademlia.h"

enum { FIRST = 10, LAST = 20, STEP = 2, SIZES = (LAST - FIRST) / STEP + 1 };

/* Mean hops of some 20,000 lookups; the answers are judged on the way. */
static double hops_of(weir_diag *diag, uint32_t log2_peers)
{
    kad_params p;
    wi_kad *kad;
    weir_setup setup;
    weir_sim *sim;
    usual_kademlia(&p);
    p.n_peers = 1u << log2_peers;
    p.think_ps =
        (weir_time)(p.n_peers >> 10) * WEIR_PS_PER_S; /* 2^10 peers: up to 1 s; 2^20: up to 1,024 s */
    assert_int_equal(wi_kad_new(diag, &p, &kad), WEIR_OK);
    wi_kad_setup(kad, &setup);
    assert_int_equal(weir_sim_new(diag, &setup, &sim), WEIR_OK);
    assert_int_equal(weir_sim_run(diag, sim, 12 * WEIR_PS_PER_S, NULL), WEIR_OK);
    assert_int_equal(wi_kad_check(diag, kad, sim), WEIR_OK);
    const int64_t *c = weir_sim_counters(sim);
    const kad_totals t = wi_kad_totals(c);
    assert_true(t.judged > 5000);
    assert_true(t.exact >= t.judged / 1000 * 990);
    assert_int_equal(c[KAD_COUNT_TIMEOUTS], 0);
    /* 2 KB a peer, pending events included, is the goal at any size. */
    weir_sim_memory memory;
    weir_sim_memory_use(sim, &memory);
    assert_true((memory.state_bytes + memory.pending_peak_bytes + wi_kad_world_bytes(kad)) / p.n_peers <
                2048);
    const double mean = wi_kad_mean(c + KAD_HOPS, KAD_HOPS_BINS);
    weir_sim_free(sim);
    wi_kad_free(kad);
    return mean;
}

static void hops_grow_with_the_logarithm(void **state)
{
    weir_diag *diag = weir_diag_new();
    double hops[SIZES], sx = 0, sy = 0, sxx = 0, sxy = 0;
    (void)state;
    for (int i = 0; i < SIZES; i++) {
        hops[i] = hops_of(diag, (uint32_t)(FIRST + STEP * i));
        sx += i;
        sy += hops[i];
        sxx += (double)i * i;
        sxy += i * hops[i];
    }
    const double slope = (SIZES * sxy - sx * sy) / (SIZES * sxx - sx * sx), base = (sy - slope * sx) / SIZES;
    print_message("%.3f hops at 2^%d peers, %.3f more for each doubling\n", base, (int)FIRST, slope / STEP);
    assert_true(slope / STEP > 0.15 && slope / STEP < 0.5);
    for (int i = 0; i < SIZES; i++)
        if (!(fabs(hops[i] - base - slope * i) <= 0.1))
            fail_msg("2^%d peers: %g hops, the line has %g", FIRST + STEP * i, hops[i], base + slope * i);
    weir_diag_free(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(hops_grow_with_the_logarithm)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
