/*
 * The parts of Kademlia: the index of all identifiers, routing tables, bins of latencies, sessions,
 * parameters.
 */
#include "kademlia_run.h"
#include "models/kademlia/stats.h"

/* The closest peer to a key, by looking at all. */
static uint32_t closest_by_brute_force(const kad_world *w, uint64_t key)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < w->n_peers; i++)
        if ((kad_id(w->salt, i) ^ key) < (kad_id(w->salt, best) ^ key))
            best = i;
    return best;
}

static void index_knows_the_closest(void **state)
{
    weir_diag *diag = *state;
    static const uint32_t sizes[] = {2, 3, 7, 16, 100, 1000, 4097};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        kad_params p = defaults();
        p.n_peers = sizes[s];
        p.seed = s;
        wi_kad *kad;
        expect_ok(diag, wi_kad_new(diag, &p, &kad));
        const kad_world *w = wi_kad_world(kad);
        uint32_t seen = 0;
        for (uint32_t i = 1; i < w->n_peers; i++)
            seen += kad_id(w->salt, kad_order(w)[i - 1]) < kad_id(w->salt, kad_order(w)[i]);
        assert_int_equal(seen, w->n_peers - 1); /* rising, so a permutation too: identifiers differ */
        for (uint64_t i = 0; i < 2000; i++) {
            const uint64_t key = kad_mix(i + 77);
            const uint32_t best = closest_by_brute_force(w, key);
            const uint64_t reached = kad_id(w->salt, best) ^ key;
            assert_true(kad_judge(w, key, reached, NULL, 0).exact);
            const kad_candidate failed = {.contact = best, .state = KAD_FAILED};
            const kad_candidate asked = {.contact = best, .state = KAD_ANSWERED};
            uint32_t second = KAD_NONE; /* who is next */
            for (uint32_t j = 0; j < w->n_peers; j++)
                if (j != best &&
                    (second == KAD_NONE || (kad_id(w->salt, j) ^ key) < (kad_id(w->salt, second) ^ key)))
                    second = j;
            const uint64_t near = kad_id(w->salt, second) ^ key;
            assert_false(kad_judge(w, key, near, NULL, 0).succeeded);
            assert_false(kad_judge(w, key, near, &asked, 1).succeeded);
            assert_true(kad_judge(w, key, near, &failed, 1).succeeded);
            assert_false(kad_judge(w, key, near, &failed, 1).exact);
            if (w->n_peers > 2)
                assert_false(kad_judge(w, key, UINT64_MAX, &failed, 1).succeeded);
        }
        wi_kad_free(kad);
    }
}

/* Contacts stand in the bucket of their distance, none twice; buckets whose range holds k peers or more are
 * full, and the others hold all there are (the deepest at most k). */
static void tables_are_full_at_the_start(void **state)
{
    weir_diag *diag = *state;
    kad_params p = defaults();
    p.n_peers = 3000;
    const running r = start(diag, &p, WEIR_ENGINE_SEQUENTIAL);
    uint64_t apart = 0, contacts = 0;
    for (uint32_t e = 0; e < p.n_peers; e += 7) {
        void *peer = weir_sim_state(r.sim, e);
        const uint64_t id = kad_id(r.w->salt, e);
        uint32_t range[64] = {0}, total = 0;
        for (uint32_t i = 0; i < p.n_peers; i++)
            if (i != e)
                range[kad_bucket_of(r.w, id ^ kad_id(r.w->salt, i))]++;
        for (uint32_t b = 0; b < r.w->n_buckets; b++) {
            const uint32_t *slot = kad_bucket(r.w, peer, b);
            uint32_t n = 0;
            for (; n < r.w->k && slot[n] != KAD_NONE; n++) {
                assert_int_equal(kad_bucket_of(r.w, id ^ kad_id(r.w->salt, slot[n])), b);
                for (uint32_t j = 0; j < n; j++)
                    assert_int_not_equal(slot[j], slot[n]);
                if (b == 0) {
                    apart += slot[n];
                    contacts++;
                }
            }
            assert_int_equal(n, range[b] < r.w->k ? range[b] : r.w->k);
            total += n;
        }
        assert_int_equal(((const kad_peer *)peer)->contacts, total);
    }
    /* Chosen evenly: the mean index of far contacts is N/2; of 3,432 draws its error is below 0.5 % of N. */
    assert_true(fabs((double)apart / (double)contacts / p.n_peers - 0.5) < 0.02);
    end(r);
}

/* The k closest of a table, against sorting all of its contacts. */
static void closest_of_a_table(void **state)
{
    weir_diag *diag = *state;
    kad_params p = defaults();
    p.n_peers = 500;
    p.k = 5;
    const running r = start(diag, &p, WEIR_ENGINE_SEQUENTIAL);
    for (uint32_t e = 0; e < 100; e++) {
        void *peer = weir_sim_state(r.sim, e);
        const uint64_t id = kad_id(r.w->salt, e);
        if (e % 2) /* and of thin tables: every second contact of some buckets taken out */
            for (uint32_t b = e % 3; b < r.w->n_buckets; b += 2) {
                uint32_t *slot = kad_bucket(r.w, peer, b);
                for (uint32_t i = e % 5; i < r.w->k; i++)
                    slot[i] = KAD_NONE;
            }
        for (uint64_t t = 0; t < 50; t++) {
            const uint64_t key = t % 5 ? kad_mix(t * 1000 + e) : id ^ (t ? kad_mix(t) >> (t % 60) : 0);
            uint32_t got[KAD_K_MAX], all[64 * KAD_K_MAX], n_all = 0;
            const uint32_t but = kad_bucket(r.w, peer, 0)[0];
            const uint32_t n = kad_closest(r.w, peer, id, key, but, got);
            for (uint32_t b = 0; b < r.w->n_buckets; b++)
                for (uint32_t i = 0; i < r.w->k && kad_bucket(r.w, peer, b)[i] != KAD_NONE; i++)
                    if (kad_bucket(r.w, peer, b)[i] != but)
                        all[n_all++] = kad_bucket(r.w, peer, b)[i];
            assert_int_equal(n, n_all < r.w->k ? n_all : r.w->k);
            /* Each one returned has fewer than k of the table closer than itself. */
            for (uint32_t i = 0; i < n; i++) {
                uint32_t closer = 0, there = 0;
                for (uint32_t j = 0; j < n_all; j++) {
                    closer += (kad_id(r.w->salt, all[j]) ^ key) < (kad_id(r.w->salt, got[i]) ^ key);
                    there += all[j] == got[i];
                }
                assert_int_equal(there, 1);
                assert_true(closer < r.w->k);
            }
        }
    }
    end(r);
}

static void latency_bins_meet(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < KAD_LATENCY_BINS; i++) {
        assert_int_equal(kad_latency_bin(kad_latency_bin_low(i)), i);
        if (i > 0)
            assert_int_equal(kad_latency_bin(kad_latency_bin_low(i) - 1), i - 1);
    }
    assert_int_equal(kad_latency_bin(WEIR_TIME_MAX), KAD_LATENCY_BINS - 1);
    /* Microseconds and hours are as fine as milliseconds: the middle of a bin is within 0.8 %. */
    static const weir_time took_ps[] = {20 * WEIR_PS_PER_US, 30 * WEIR_PS_PER_MS, 7200 * WEIR_PS_PER_S};
    for (size_t i = 0; i < sizeof took_ps / sizeof *took_ps; i++) {
        int64_t *counters = calloc(KAD_COUNTERS, sizeof *counters);
        assert_non_null(counters);
        counters[KAD_LATENCY + kad_latency_bin(took_ps[i])] = 3;
        const double got_s = wi_kad_latency_quantile_s(counters, 0.5);
        if (!(fabs(got_s / weir_seconds(took_ps[i]) - 1.0) < 0.008))
            fail_msg("%g s, want %g s", got_s, weir_seconds(took_ps[i]));
        free(counters);
    }
}

/* Means of the sessions that are drawn; Weibull's by the gamma function. Shape 0.5 has a standard deviation
 * of sqrt(5) means: 2 % is four standard errors of 200,000 draws. */
static void sessions_have_their_means(void **state)
{
    weir_diag *diag = *state;
    static const double shapes[] = {0.5, 1.0, 2.5};
    for (int i = 0; i < 3; i++) {
        kad_params p = defaults();
        p.online_ps = 1000 * WEIR_PS_PER_S;
        p.offline_ps = 500 * WEIR_PS_PER_S;
        p.session_shape = shapes[i];
        wi_kad *kad;
        expect_ok(diag, wi_kad_new(diag, &p, &kad));
        const kad_world *w = wi_kad_world(kad);
        double sum_s = 0;
        enum { DRAWS = 200000 };
        for (uint64_t d = 0; d < DRAWS; d++)
            sum_s += weir_seconds(kad_session(w, w->on_scale_ps, kad_mix(d)));
        assert_true(fabs(sum_s / DRAWS / 1000 - 1) < 0.02);
        assert_true(fabs(w->on_scale_ps * tgamma(1 + 1 / shapes[i]) / 1e15 - 1) < 1e-11);
        wi_kad_free(kad);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(index_knows_the_closest),   cmocka_unit_test(tables_are_full_at_the_start),
        cmocka_unit_test(closest_of_a_table),        cmocka_unit_test(latency_bins_meet),
        cmocka_unit_test(sessions_have_their_means),
    };
    return cmocka_run_group_tests(tests, diag_set_up, diag_tear_down);
}
