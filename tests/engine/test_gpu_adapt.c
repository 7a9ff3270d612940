/*
 * The choice of the LP size, on a machine whose rate by size is given: events done in some seconds against
 * the best fixed size on the same machine. Its load rises at first, measurements are noisy, changing the size
 * takes time, and rates are low after a change. So neither the load's rise nor what a change costs may
 * decide, and looking may not cost much. Rates are of an H200 (Kademlia) where they are so uneven, and else
 * one hump anywhere.
 */
#include "harness.h"

#include "engine/gpu/adapt.h"
#include "engine/gpu/round/lp.h"
#include "splitmix.h"

enum { SIZES = WI_GPU_ADAPT_SHIFT_MAX + 1 };

typedef struct machine {
    double rate[SIZES];  /* M events/s */
    double later[SIZES]; /* from change_s on, where that is not 0 */
    double change_s;
    double rise_s, from; /* the load rises from this part to 1 */
    double noise;        /* of a launch, up to */
    double call_s;       /* the user's calls end launches after so long; 0: they don't */
} machine;

typedef struct outcome {
    double events, late_events; /* late_events: in the second half */
    uint32_t shift;
    int changes, late_changes;
} outcome;

static const double REGROUP_S = 0.004;
static const double GROWTH = 0.1, GROWTH_S = 0.05; /* slower by so much after a change, fading */

static double rate_now(const machine *m, uint32_t shift, double now_s, double since_s)
{
    const double *rate = m->change_s > 0.0 && now_s > m->change_s ? m->later : m->rate;
    const double load = now_s < m->rise_s ? m->from + (1.0 - m->from) * now_s / m->rise_s : 1.0;
    const double growth = since_s < GROWTH_S ? GROWTH * (1.0 - since_s / GROWTH_S) : 0.0;
    return 1e6 * rate[shift] * load * (1.0 - growth);
}

/* Launches as the engine makes them, for so long. `lp_size` 0: adapts. */
static outcome play(const machine *m, uint32_t lp_size, double seconds, uint64_t *random)
{
    outcome o = {0};
    wi_gpu_adapt a;
    double now_s = 0.0, since_s = 0.0, launch_s = 0.0005;
    wi_gpu_adapt_init(&a, 1 << 20, lp_size, 0);
    while (now_s < seconds) {
        const double wanted_s = wi_gpu_adapt_launch_s(&a);
        launch_s = launch_s < wanted_s / 2.0   ? 2.0 * launch_s
                   : launch_s > 2.0 * wanted_s ? wanted_s
                                               : launch_s;
        const double wall_s = m->call_s > 0.0 && m->call_s < launch_s ? m->call_s : launch_s;
        const double noise = 1.0 + m->noise * (2.0 * (double)(rnd(random) >> 11) * 0x1p-53 - 1.0);
        const double events = rate_now(m, a.shift, now_s, since_s) * noise * wall_s;
        const int late = now_s > seconds / 2.0;
        o.events += events;
        o.late_events += late ? events : 0.0;
        now_s += wall_s;
        since_s += wall_s;
        if (!wi_gpu_adapt_measured(&a, (uint64_t)events, wall_s))
            continue;
        o.changes++;
        o.late_changes += late;
        wi_gpu_adapt_moved(&a, REGROUP_S);
        now_s += REGROUP_S;
        since_s = 0.0;
    }
    o.shift = a.shift;
    return o;
}

/* The least share, over several seeds, of the best fixed size's events. */
static double share(const machine *m, double seconds)
{
    uint64_t random = 1;
    double least = 2.0;
    for (int seed = 0; seed < 10; seed++) {
        double best = 0.0;
        for (uint32_t shift = 0; shift < SIZES; shift++) {
            const outcome fixed = play(m, 1u << shift, seconds, &random);
            assert_int_equal(fixed.changes, 0);
            best = fixed.events > best ? fixed.events : best;
        }
        const double part = play(m, 0, seconds, &random).events / best;
        least = part < least ? part : least;
    }
    return least;
}

static void expect_share(const machine *m, double seconds, double wanted)
{
    const double got = share(m, seconds);
    if (got < wanted)
        fail_msg(
            "rates %.1f %.1f %.1f ..., load from %.1f in %.2f s, calls of %.3f s: %.1f %% of the best fixed "
            "size's events in %.0f s, wanted %.1f",
            m->rate[0], m->rate[1], m->rate[2], m->from, m->rise_s, m->call_s, 100.0 * got, seconds,
            100.0 * wanted);
}

/* Loads: steady, rising fast and slowly, and rising while the user calls for a little at a time. */
static void expect_shares(const double *rate, double of_2_s, double of_10_s)
{
    const machine loads[4] = {{.from = 1.0},
                              {.rise_s = 0.25, .from = 0.4},
                              {.rise_s = 1.5, .from = 0.4},
                              {.rise_s = 0.1, .from = 0.3, .call_s = 0.003}};
    for (int i = 0; i < 4; i++) {
        machine m = loads[i];
        m.noise = 0.03;
        memcpy(m.rate, rate, sizeof m.rate);
        expect_share(&m, 2.0, of_2_s);
        expect_share(&m, 10.0, of_10_s);
    }
}

/* Table 2 of paper 003 on an H200 with sizes 1 to 16; what follows is made up. */
static const double table2[9][SIZES] = {
    {13.6, 12.8, 12.4, 11.4, 10.3, 9, 8, 7, 6, 5, 4},
    {63.0, 55.4, 53.5, 48.1, 41.4, 35, 30, 25, 20, 18, 15},
    {344, 293, 251, 212, 167, 140, 120, 100, 90, 80, 70},
    {3.58, 3.55, 3.39, 3.40, 3.24, 3.1, 3.0, 2.9, 2.8, 2.7, 2.6},
    {19.3, 19.0, 16.9, 17.9, 17.3, 16, 15, 14, 13, 12, 11},
    {89.6, 86.9, 76.1, 76.9, 72.9, 70, 65, 60, 55, 50, 45},
    {0.497, 0.493, 0.491, 0.485, 0.475, 0.46, 0.45, 0.44, 0.43, 0.42, 0.41},
    {2.93, 2.90, 2.89, 2.87, 2.81, 2.75, 2.7, 2.6, 2.5, 2.4, 2.3},
    {15.6, 15.6, 15.4, 15.4, 15.0, 15.0, 14.9, 14.8, 14.7, 14.6, 14.5}};

static const double flat[SIZES] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
static const double hump[SIZES] = {30, 50, 80, 70, 50, 40, 30, 20, 10, 10, 10};
static const double falling[SIZES] = {90, 80, 50, 30, 20, 10, 10, 10, 10, 10, 10};
static const double rising[SIZES] = {10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110};

static void small_lps_are_kept_at_little_cost(void **state)
{
    (void)state;
    for (int i = 0; i < 9; i++)
        expect_shares(table2[i], 0.95, 0.97);
    expect_shares(flat, 0.95, 0.97);
    expect_shares(falling, 0.95, 0.97);
}

/* The way to larger LPs leads over smaller ones, and takes some hundred milliseconds. */
static void larger_lps_are_found(void **state)
{
    (void)state;
    const double gentle[SIZES] = {10.3, 11.4, 12.4, 12.8, 13.6, 13.0, 12, 11, 10, 9, 8};
    const double terraced[SIZES] = {3.2, 3.4, 3.4, 3.5, 3.6, 3.5, 3.4, 3.3, 3, 3, 2.8};
    const double wide[SIZES] = {5, 5.2, 5.6, 6.1, 6.4, 6.8, 7, 7.1, 7, 6.7, 6};
    expect_shares(hump, 0.88, 0.95);
    expect_shares(gentle, 0.90, 0.95);
    expect_shares(terraced, 0.90, 0.95);
    expect_shares(wide, 0.85, 0.95);
    expect_shares(rising, 0.80, 0.95);
}

static void the_best_size_is_the_one_that_stays(void **state)
{
    (void)state;
    uint64_t random = 3;
    const double *const rates[3] = {hump, falling, rising};
    const uint32_t best[3] = {2, 0, 10};
    for (int i = 0; i < 3; i++) {
        machine m = {.noise = 0.03};
        memcpy(m.rate, rates[i], sizeof m.rate);
        assert_int_equal(play(&m, 0, 9.9, &random).shift, best[i]);
    }
}

/* The traffic changes, and with it which size is the best: at once, or unnoticed. */
static void drift_is_followed(void **state)
{
    (void)state;
    uint64_t random = 4;
    const double after[SIZES] = {70, 50, 40, 30, 20, 10, 10, 10, 10, 10, 10};
    const double alike[SIZES] = {50, 70, 80, 100, 90, 80, 70, 60, 50, 40, 30};
    machine m = {.noise = 0.03, .change_s = 4.0};
    memcpy(m.rate, hump, sizeof m.rate);
    memcpy(m.later, after, sizeof m.later);
    expect_share(&m, 10.0, 0.95);
    assert_int_equal(play(&m, 0, 12.0, &random).shift, 0);
    memcpy(m.later, alike, sizeof m.later);
    assert_int_equal(play(&m, 0, 30.0, &random).shift, 3);
}

static void a_steady_run_is_left_alone(void **state)
{
    (void)state;
    uint64_t random = 5;
    machine m = {.noise = 0.03};
    memcpy(m.rate, table2[0], sizeof m.rate);
    const double seconds = 600.0;
    const outcome fixed = play(&m, 1, seconds, &random), adaptive = play(&m, 0, seconds, &random);
    assert_int_equal(fixed.changes, 0);
    assert_true(adaptive.late_changes <= 30); /* a check a minute */
    assert_true(adaptive.late_events > 0.998 * fixed.late_events);
}

static void a_wildly_varying_rate_costs_little(void **state)
{
    (void)state;
    machine m = {.noise = 0.5};
    memcpy(m.rate, flat, sizeof m.rate);
    expect_share(&m, 10.0, 0.95);
}

static void small_networks_keep_enough_lps(void **state)
{
    (void)state;
    wi_gpu_adapt a;
    wi_gpu_adapt_init(&a, 300, 0, 0);
    for (int i = 0; i < 1000; i++)
        if (wi_gpu_adapt_measured(&a, 1000 * (a.shift + 1), 0.01))
            wi_gpu_adapt_moved(&a, 0.001);
    assert_int_equal(a.shift, 2); /* 75 LPs of 4 */
    wi_gpu_adapt_init(&a, 1, 0, 0);
    for (int i = 0; i < 1000; i++)
        assert_false(wi_gpu_adapt_measured(&a, 1000, 0.01));
    assert_int_equal(a.shift, 0);
}

/* Nothing to do, or no time: neither decides anything. */
static void idle_launches_do_no_harm(void **state)
{
    (void)state;
    wi_gpu_adapt a;
    wi_gpu_adapt_init(&a, 1 << 20, 0, 0);
    for (int i = 0; i < 1000; i++)
        if (wi_gpu_adapt_measured(&a, 0, 0.01))
            wi_gpu_adapt_moved(&a, 0.0);
    for (int i = 0; i < 1000; i++)
        if (wi_gpu_adapt_measured(&a, 1000, 0.0))
            wi_gpu_adapt_moved(&a, 0.0);
    for (int i = 0; i < 20000; i++)
        if (wi_gpu_adapt_measured(&a, (uint64_t)(1e4 * hump[a.shift]), 0.01))
            wi_gpu_adapt_moved(&a, 0.004);
    assert_int_equal(a.shift, 2);
}

static void sizes_in_turn_for_tests(void **state)
{
    (void)state;
    wi_gpu_adapt a;
    wi_gpu_adapt_init(&a, 20, 0, 100); /* however few LPs: 1, 2, 4, 8, 16 entities */
    for (uint32_t i = 1; i <= 20; i++) {
        assert_false(wi_gpu_adapt_measured(&a, 60, 1.0));
        assert_true(wi_gpu_adapt_measured(&a, 60, 1.0));
        wi_gpu_adapt_moved(&a, 0.1);
        assert_int_equal(a.shift, i % 5);
    }
}

/* The sum over several entities varies: an LP has room for that from the start, and no less than for one
 * more. */
static void lps_begin_with_room(void **state)
{
    (void)state;
    wi_gpu g = {0};
    for (g.lp_shift = 0; g.lp_shift <= WI_GPU_ADAPT_SHIFT_MAX; g.lp_shift++) {
        const uint32_t entities = 1u << g.lp_shift;
        for (uint32_t count = 0; count < 5000; count = count * 2 + 1) {
            const uint32_t room = wi_gpu_first_room(&g, count);
            assert_true(room >= 8 && room > count && (room & (room - 1)) == 0);
            assert_true(room >= 8 * entities || room >= 128);
        }
    }
    assert_int_equal(wi_gpu_least_room(0), 8); /* one entity: as little as there is */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_lps_are_kept_at_little_cost),
        cmocka_unit_test(larger_lps_are_found),
        cmocka_unit_test(the_best_size_is_the_one_that_stays),
        cmocka_unit_test(drift_is_followed),
        cmocka_unit_test(a_steady_run_is_left_alone),
        cmocka_unit_test(a_wildly_varying_rate_costs_little),
        cmocka_unit_test(small_networks_keep_enough_lps),
        cmocka_unit_test(idle_launches_do_no_harm),
        cmocka_unit_test(sizes_in_turn_for_tests),
        cmocka_unit_test(lps_begin_with_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
