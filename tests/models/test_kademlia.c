/*
 * Networks of Kademlia against brute force and theory, and the model contract. label: bits
 */
#include "kademlia_run.h"

/* Requests end once, lookups end once: what is not over is open. */
static void conserves(running r)
{
    int64_t open = 0, active = 0, started = 0, over = 0;
    for (uint32_t e = 0; e < r.w->n_peers; e++)
        for (uint32_t i = 0; i < r.w->lookups; i++) {
            const kad_lookup *l = kad_lookup_at(r.w, weir_sim_state(r.sim, e), i);
            open += l->n_flight;
            active += l->active;
        }
    for (uint32_t kind = 0; kind < KAD_LOOKUP_KINDS; kind++) {
        started += of_kind(r, kind, KAD_STARTED);
        over += of_kind(r, kind, KAD_FINISHED) + of_kind(r, kind, KAD_ABORTED);
    }
    assert_int_equal(started, over + active);
    assert_int_equal(count(r, KAD_COUNT_REQUESTS), count(r, KAD_COUNT_RESPONSES) +
                                                       count(r, KAD_COUNT_TIMEOUTS) +
                                                       count(r, KAD_COUNT_ABANDONED) + open);
}

static double mean_of_histogram(running r, uint32_t first, uint32_t bins)
{
    double n = 0, sum = 0;
    for (uint32_t i = 0; i < bins; i++) {
        n += (double)count(r, first + i);
        sum += (double)count(r, first + i) * i;
    }
    return sum / n;
}

static void lookups_end_at_the_closest(void **state)
{
    weir_diag *diag = *state;
    static const uint32_t sizes[] = {2, 3, 10, 100, 1000, 10000};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        kad_params p = defaults();
        p.n_peers = sizes[s];
        const running r = start(diag, &p, WEIR_ENGINE_SEQUENTIAL);
        expect_ok(diag, weir_sim_run(diag, r.sim, (s < 5 ? 100 : 15) * WEIR_PS_PER_S, NULL));
        conserves(r);
        const int64_t finished = of_kind(r, KAD_FIND_NODE, KAD_FINISHED);
        assert_true(finished > 20);
        assert_true(of_kind(r, KAD_FIND_NODE, KAD_EXACT) >= finished * 99 / 100);
        assert_int_equal(of_kind(r, KAD_FIND_NODE, KAD_EXACT), of_kind(r, KAD_FIND_NODE, KAD_SUCCEEDED));
        assert_int_equal(of_kind(r, KAD_JOIN, KAD_STARTED), 0);
        /* 2 x Exp(50 ms) on 20 ms is more than the timeout of a second in 6e-8 of all cases. */
        assert_int_equal(count(r, KAD_COUNT_TIMEOUTS), 0);
        end(r);
    }
}

/*
 * Each hop brings the key one bit closer for certain and about log2 k more by choosing among k contacts; so
 * hops grow by a constant for each doubling of the network. The means over N = 2^8 ... 2^13 lie on a line in
 * log2 N, up to 0.1 hops, with a slope between 0.15 and 0.5 (test_kademlia_large.c has the reasons, and
 * 2^20).
 */
static void hops_grow_with_the_logarithm(void **state)
{
    weir_diag *diag = *state;
    enum { FIRST = 8, LAST = 13, N = LAST - FIRST + 1 };
    double hops[N], sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int i = 0; i < N; i++) {
        kad_params p = defaults();
        p.n_peers = 1u << (FIRST + i);
        const running r = start(diag, &p, WEIR_ENGINE_SEQUENTIAL);
        expect_ok(diag, weir_sim_run(diag, r.sim, (i < 3 ? 60 : 8) * WEIR_PS_PER_S, NULL));
        hops[i] = mean_of_histogram(r, KAD_HOPS, KAD_HOPS_BINS);
        sx += i;
        sy += hops[i];
        sxx += (double)i * i;
        sxy += i * hops[i];
        end(r);
    }
    const double slope = (N * sxy - sx * sy) / (N * sxx - sx * sx), base = (sy - slope * sx) / N;
    assert_true(slope > 0.15 && slope < 0.5);
    for (int i = 0; i < N; i++)
        if (!(fabs(hops[i] - base - slope * i) <= 0.1))
            fail_msg("2^%d peers: %g hops, the line has %g", FIRST + i, hops[i], base + slope * i);
}

/* Half of the peers away at any time: lookups still end, but fewer find the closest, and nobody waits for the
 * absent for ever. */
static void churn_costs(void **state)
{
    weir_diag *diag = *state;
    double exact[3], requests[3];
    for (int i = 0; i < 3; i++) {
        kad_params p = defaults();
        p.n_peers = 1000;
        p.online_ps = i * 200 * WEIR_PS_PER_S;
        p.offline_ps = i * i * 100 * WEIR_PS_PER_S; /* 1/3, 1/2 of the time */
        p.session_shape = i == 2 ? 0.6 : 1.0;
        const running r = start(diag, &p, WEIR_ENGINE_SEQUENTIAL);
        expect_ok(diag, weir_sim_run(diag, r.sim, 150 * WEIR_PS_PER_S, NULL));
        conserves(r);
        const double finished = (double)of_kind(r, KAD_FIND_NODE, KAD_FINISHED);
        exact[i] = (double)of_kind(r, KAD_FIND_NODE, KAD_EXACT) / finished;
        requests[i] = mean_of_histogram(r, KAD_LOOKUP_REQUESTS, KAD_REQUEST_BINS);
        const double online = (double)(count(r, KAD_COUNT_ONLINE_FIRST) + count(r, KAD_COUNT_WENT_ONLINE) -
                                       count(r, KAD_COUNT_WENT_OFFLINE));
        if (i == 1)
            assert_true(fabs(online / 1000 - 2.0 / 3) < 0.06); /* four standard deviations of N = 1,000 */
        if (i > 0) {
            assert_true(count(r, KAD_COUNT_TIMEOUTS) > 0 && count(r, KAD_COUNT_EVICTED) > 0);
            assert_true(count(r, KAD_COUNT_REPLACED) > 0);
            assert_true(of_kind(r, KAD_FIND_NODE, KAD_SUCCEEDED) >= of_kind(r, KAD_FIND_NODE, KAD_EXACT));
        }
        end(r);
    }
    assert_true(exact[0] > 0.99 && exact[1] < 0.9 && exact[2] < exact[1]);
    assert_true(requests[1] > requests[0] && requests[2] > requests[1]);
}

/* Peers that come one by one find each other: after the joins, lookups end at the closest. */
static void a_network_bootstraps(void **state)
{
    weir_diag *diag = *state;
    kad_params p = defaults();
    p.n_peers = 1000;
    p.bootstrap_ps = 100 * WEIR_PS_PER_S;
    const running r = start(diag, &p, WEIR_ENGINE_SEQUENTIAL);
    expect_ok(diag, weir_sim_run(diag, r.sim, 150 * WEIR_PS_PER_S, NULL));
    conserves(r);
    assert_true(of_kind(r, KAD_JOIN, KAD_FINISHED) >= 999);
    assert_true(of_kind(r, KAD_REFRESH, KAD_FINISHED) > 999);
    const int64_t before = of_kind(r, KAD_FIND_NODE, KAD_EXACT),
                  all_before = of_kind(r, KAD_FIND_NODE, KAD_FINISHED);
    expect_ok(diag, weir_sim_run(diag, r.sim, 190 * WEIR_PS_PER_S, NULL));
    const int64_t exact = of_kind(r, KAD_FIND_NODE, KAD_EXACT) - before,
                  all = of_kind(r, KAD_FIND_NODE, KAD_FINISHED) - all_before;
    assert_true(all > 5000);
    assert_true(exact >= all * 99 / 100);
    end(r);
}

/* So do those of which a third is away while the others join: one network comes of it, not islands of peers that joined
 * through each other, in which 19 of 20 lookups ended at the wrong peer. Of who joined while few were there, all are known
 * in the end only where peers come back often. */
static void a_network_bootstraps_with_peers_away(void **state)
{
    weir_diag *diag = *state;
    for (int i = 0; i < 2; i++) {
        kad_params p = defaults();
        p.n_peers = 500;
        p.think_ps = WEIR_PS_PER_S;
        p.bootstrap_ps = 30 * WEIR_PS_PER_S;
        p.online_ps = (i ? 600 : 60) * WEIR_PS_PER_S;
        p.offline_ps = (i ? 300 : 60) * WEIR_PS_PER_S;
        const running r = start(diag, &p, WEIR_ENGINE_SEQUENTIAL);
        expect_ok(diag, weir_sim_run(diag, r.sim, 300 * WEIR_PS_PER_S, NULL));
        conserves(r);
        const int64_t good = of_kind(r, KAD_FIND_NODE, KAD_SUCCEEDED),
                      all = of_kind(r, KAD_FIND_NODE, KAD_FINISHED);
        expect_ok(diag, weir_sim_run(diag, r.sim, 400 * WEIR_PS_PER_S, NULL));
        const double share = (double)(of_kind(r, KAD_FIND_NODE, KAD_SUCCEEDED) - good) /
                             (double)(of_kind(r, KAD_FIND_NODE, KAD_FINISHED) - all);
        if (!(share > (i ? 0.7 : 0.95)))
            fail_msg("case %d: %g of lookups end at the closest peer", i, share);
        end(r);
    }
}

/* Values that lie at the k closest peers are all found; values that nobody has stored are not, until somebody
 * has. */
static void values_are_found(void **state)
{
    weir_diag *diag = *state;
    kad_params p = defaults();
    p.n_peers = 1000;
    p.n_values = 500;
    p.find_share = 1;
    running r = start(diag, &p, WEIR_ENGINE_SEQUENTIAL);
    expect_ok(diag, weir_sim_run(diag, r.sim, 60 * WEIR_PS_PER_S, NULL));
    conserves(r);
    const int64_t finished = of_kind(r, KAD_FIND_VALUE, KAD_FINISHED);
    assert_true(finished > 5000);
    assert_true(of_kind(r, KAD_FIND_VALUE, KAD_FOUND) >= finished * 999 / 1000);
    end(r);

    p.preload = false;
    r = start(diag, &p, WEIR_ENGINE_SEQUENTIAL);
    expect_ok(diag, weir_sim_run(diag, r.sim, 20 * WEIR_PS_PER_S, NULL));
    assert_int_equal(of_kind(r, KAD_FIND_VALUE, KAD_FOUND), 0);
    end(r);

    p.find_share = 0.5;
    p.store_share = 0.5;
    r = start(diag, &p, WEIR_ENGINE_SEQUENTIAL);
    expect_ok(diag, weir_sim_run(diag, r.sim, 60 * WEIR_PS_PER_S, NULL));
    const int64_t found = of_kind(r, KAD_FIND_VALUE, KAD_FOUND),
                  looked = of_kind(r, KAD_FIND_VALUE, KAD_FINISHED);
    expect_ok(diag, weir_sim_run(diag, r.sim, 90 * WEIR_PS_PER_S, NULL));
    /* By then each of the 500 values has been stored some twelve times. */
    assert_true(of_kind(r, KAD_FIND_VALUE, KAD_FOUND) - found >=
                (of_kind(r, KAD_FIND_VALUE, KAD_FINISHED) - looked) * 99 / 100);
    assert_int_equal(count(r, KAD_COUNT_STORED), of_kind(r, KAD_STORE_VALUE, KAD_FINISHED) * p.k);
    end(r);
}

/*
 * A lookup with alpha = 1 and constant latency L asks one peer after another, each answer takes 2 L, and
 * there is nothing else in it: its duration is its number of requests times 2 L, exactly.
 */
static void latency_is_requests_in_a_row(void **state)
{
    weir_diag *diag = *state;
    kad_params p = defaults();
    p.n_peers = 2000;
    p.alpha = 1;
    p.latency_shape = KAD_LATENCY_CONSTANT;
    p.latency_mean_ps = 30 * WEIR_PS_PER_MS;
    const running r = start(diag, &p, WEIR_ENGINE_SEQUENTIAL);
    expect_ok(diag, weir_sim_run(diag, r.sim, 30 * WEIR_PS_PER_S, NULL));
    int64_t by_latency[KAD_REQUEST_BINS] = {0};
    for (uint32_t i = 0; i < KAD_REQUEST_BINS; i++)
        by_latency[i] = count(r, KAD_LATENCY + kad_latency_bin((weir_time)i * 60 * WEIR_PS_PER_MS));
    for (uint32_t i = 1; i < 40; i++) /* bins stay narrower than 60 ms up to 3.8 s */
        assert_int_equal(by_latency[i], count(r, KAD_LOOKUP_REQUESTS + i));
    end(r);
}

/*
 * With alpha = 1 and latencies drawn for each message, a lookup of n requests lasts 2 n times the least
 * latency plus a sum of 2 n exponential parts: mean 2 n (10 ms + 50 ms). So the mean duration of all is the
 * mean number of requests times 120 ms. (Bins are 1.6 % wide, taken at their middle; 10,000 lookups.)
 */
static void latency_follows_its_distribution(void **state)
{
    weir_diag *diag = *state;
    for (uint32_t shape = KAD_LATENCY_UNIFORM; shape <= KAD_LATENCY_EXPONENTIAL; shape++) {
        kad_params p = defaults();
        p.n_peers = 2000;
        p.alpha = 1;
        p.latency_shape = shape;
        p.latency_per_pair = shape == KAD_LATENCY_UNIFORM;
        const running r = start(diag, &p, WEIR_ENGINE_SEQUENTIAL);
        expect_ok(diag, weir_sim_run(diag, r.sim, 30 * WEIR_PS_PER_S, NULL));
        double n = 0, sum_s = 0;
        for (uint32_t i = 0; i + 1 < KAD_LATENCY_BINS; i++) {
            const double c = (double)count(r, KAD_LATENCY + i);
            n += c;
            sum_s +=
                c * 0.5 * (weir_seconds(kad_latency_bin_low(i)) + weir_seconds(kad_latency_bin_low(i + 1)));
        }
        const double want_s = 0.12 * mean_of_histogram(r, KAD_LOOKUP_REQUESTS, KAD_REQUEST_BINS);
        if (!(fabs(sum_s / n / want_s - 1) <= 0.02))
            fail_msg("mean duration %g s, want %g s", sum_s / n, want_s);
        end(r);
    }
}

/* Everything at once: churn that forgets, values, several lookups a peer, timeouts that hit late answers. */
static kad_params everything(void)
{
    kad_params p = defaults();
    p.n_peers = 60;
    p.k = 3;
    p.lookups = 2;
    p.think_ps = WEIR_PS_PER_S;
    p.timeout_ps = 150 * WEIR_PS_PER_MS;
    p.online_ps = 5 * WEIR_PS_PER_S;
    p.offline_ps = 2 * WEIR_PS_PER_S;
    p.session_shape = 0.7;
    p.n_values = 20;
    p.value_slots = 4;
    p.store_share = 0.3;
    p.find_share = 0.4;
    return p;
}

static void keeps_the_contract(void **state)
{
    weir_diag *diag = *state;
    for (int i = 0; i < 4; i++) {
        kad_params p = everything();
        p.fresh = i % 2;
        p.bootstrap_ps = i >= 2 ? 3 * WEIR_PS_PER_S : 0;
        p.latency_per_pair = i == 3;
        p.k += (uint32_t)i;
        const running plain = start(diag, &p, WEIR_ENGINE_SEQUENTIAL);
        const running checked = start(diag, &p, WEIR_ENGINE_CHECK);
        expect_ok(diag, weir_sim_run(diag, plain.sim, 12 * WEIR_PS_PER_S, NULL));
        for (int part = 1; part <= 3; part++)
            expect_ok(diag, weir_sim_run(diag, checked.sim, part * 4 * WEIR_PS_PER_S, NULL));
        assert_int_equal(weir_sim_event_digest(plain.sim), weir_sim_event_digest(checked.sim));
        assert_int_equal(weir_sim_state_digest(plain.sim), weir_sim_state_digest(checked.sim));
        conserves(plain);
        assert_true(count(plain, KAD_COUNT_LATE) > 0 && count(plain, KAD_COUNT_KEPT) > 0);
        end(plain);
        end(checked);
    }
}

/* The same on every machine. A change here changes every published number: say so in the changelog. */
static void digests_are_pinned(void **state)
{
    weir_diag *diag = *state;
    const struct {
        kad_params params;
        uint64_t events, event_digest, state_digest;
    } runs[] = {{defaults(), 82040, 0xf281863ca1ab2eaf, 0x406f5a8d67db582d},
                {everything(), 34972, 0x753b986e52e005dd, 0x4ddda062c7eb3da6}};
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        const running r = start(diag, &runs[i].params, WEIR_ENGINE_SEQUENTIAL);
        expect_ok(diag, weir_sim_run(diag, r.sim, 20 * WEIR_PS_PER_S, NULL));
        if (weir_sim_event_digest(r.sim) != runs[i].event_digest ||
            weir_sim_state_digest(r.sim) != runs[i].state_digest || weir_sim_events(r.sim) != runs[i].events)
            fail_msg("run %zu: %llu events, 0x%016llx, 0x%016llx", i,
                     (unsigned long long)weir_sim_events(r.sim),
                     (unsigned long long)weir_sim_event_digest(r.sim),
                     (unsigned long long)weir_sim_state_digest(r.sim));
        end(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lookups_end_at_the_closest),
        cmocka_unit_test(hops_grow_with_the_logarithm),
        cmocka_unit_test(churn_costs),
        cmocka_unit_test(a_network_bootstraps),
        cmocka_unit_test(a_network_bootstraps_with_peers_away),
        cmocka_unit_test(values_are_found),
        cmocka_unit_test(latency_is_requests_in_a_row),
        cmocka_unit_test(latency_follows_its_distribution),
        cmocka_unit_test(keeps_the_contract),
        cmocka_unit_test(digests_are_pinned),
    };
    return cmocka_run_group_tests(tests, diag_set_up, diag_tear_down);
}
