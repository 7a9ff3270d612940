/*
 * Interconnects under load against theory: where minimal routing saturates, that each adaptive routing wins where it
 * should, and that nothing locks up in 3 ms of full load, by night 10. label: slow
 */
#include "interconnect_run.h"
#include "nightly.h"
#include "models/usual/interconnect.h"

/* Share of the terminals' rate that arrives, measured after a warm-up. */
static double accepted(weir_diag *diag, const ic_params *p, weir_time warm_ps, weir_time end_ps,
                       double *latency_us)
{
    fabric f = fabric_start(diag, p, WEIR_ENGINE_SEQUENTIAL, 0);
    fabric_run(diag, f, warm_ps);
    const int64_t chunks = fabric_count(f, IC_COUNT_CHUNKS), packets = fabric_count(f, IC_COUNT_PACKETS),
                  latency = fabric_count(f, IC_COUNT_LATENCY);
    fabric_run(diag, f, end_ps);
    expect_ok(diag, wi_ic_check(diag, f.ic, f.sim));
    if (latency_us)
        *latency_us = 1e-6 * (double)(fabric_count(f, IC_COUNT_LATENCY) - latency) /
                      (double)(fabric_count(f, IC_COUNT_PACKETS) - packets);
    const double share = fabric_share(f, fabric_count(f, IC_COUNT_CHUNKS) - chunks, end_ps - warm_ps);
    fabric_end(f);
    return share;
}

static ic_params loaded(const ic_job *job)
{
    ic_params p;
    usual_interconnect(&p);
    p.jobs = job;
    p.n_jobs = 1;
    return p;
}

static void expect_share(const char *what, double got, double want, double tolerance)
{
    if (!(got >= want * (1 - tolerance) && got <= want * (1 + tolerance)))
        fail_msg("%s: %.4f of the terminals' rate, want %.4f", what, got, want);
}

/*
 * Group shift: the a p terminals of a group send all they have to one other group, over the links between the two,
 * a h / (g - 1) of them: links / (a p) of the rate, whatever is offered.
 */
static void minimal_saturates_under_group_shift_where_it_must(void **state)
{
    const uint32_t shapes[][4] = {{2, 4, 2, 9}, {2, 4, 2, 5}, {3, 3, 2, 7}, {1, 4, 4, 17}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        ic_job job;
        ic_job_init(&job);
        job.pattern = IC_GROUP_SHIFT;
        ic_params p = loaded(&job);
        p.p = shapes[i][0], p.a = shapes[i][1], p.h = shapes[i][2], p.groups = shapes[i][3];
        const double links = (double)(p.a * p.h / (p.groups - 1));
        const double want = links / (p.a * p.p) < 1.0 ? links / (p.a * p.p) : 1.0;
        expect_share("group shift", accepted(*state, &p, 100 * WEIR_PS_PER_US, 300 * WEIR_PS_PER_US, NULL),
                     want, 0.05);
    }
}

/*
 * Uniform traffic with four terminals a router (p = 4, a = 4, h = 2, g = 9; 143 other terminals): of a group's 16
 * terminals' packets 128 / 143 leave it over 8 links, and as many come; 3 in 4 of these take one of the 12 local
 * channels at either end, as do the 12 / 143 for other routers of the group. So at rate x the local channels carry
 * (2 * 16 * 128/143 * 3/4 + 16 * 12/143) x / 12 = 1.902 x each, the global ones 1.790 x: x = 0.526.
 */
static void minimal_saturates_under_uniform_traffic_where_it_must(void **state)
{
    ic_job job;
    ic_job_init(&job);
    ic_params p = loaded(&job);
    p.p = 4;
    const double want = 12.0 / (2 * 16 * 128.0 / 143 * 0.75 + 16 * 12.0 / 143);
    job.load = 1.05 * want;
    expect_share("uniform", accepted(*state, &p, 100 * WEIR_PS_PER_US, 400 * WEIR_PS_PER_US, NULL), want,
                 0.05);
}

/*
 * A ring of 9 under tornado traffic: everybody sends 4 on, so each channel of one direction carries 4 terminals'
 * packets, 1/4 of the rate, which goes through when all offer all they can: the oldest packet first. In turn half of it would,
 * since at each router a newcomer gets as much as all that is on its way.
 */
static void a_ring_takes_what_it_must(void **state)
{
    ic_job job;
    ic_job_init(&job);
    job.pattern = IC_TORNADO;
    ic_params p = loaded(&job);
    p.wiring = IC_TORUS;
    p.p = 1;
    p.dimensions = 1;
    p.size[0] = 9;
    expect_share("tornado", accepted(*state, &p, 150 * WEIR_PS_PER_US, 900 * WEIR_PS_PER_US, NULL), 0.25,
                 0.05);
    p.arbitration = IC_TRANSIT;
    expect_share("tornado", accepted(*state, &p, 150 * WEIR_PS_PER_US, 900 * WEIR_PS_PER_US, NULL), 0.25,
                 0.05);
    p.arbitration = IC_ROUND_ROBIN_CHUNKS;
    assert_true(accepted(*state, &p, 150 * WEIR_PS_PER_US, 900 * WEIR_PS_PER_US, NULL) < 0.7 * 0.25);
}

/*
 * A torus of 5 x 7 under tornado traffic: coordinates shift by 2 and 3, so channels upwards carry 2 and 3 terminals' packets. The
 * longer ring has a third of the rate for each, of which packets that wait for each other where they turn cost an eighth; ranks in a grid of their own over one switch only shift.
 */
static void a_torus_takes_a_tornado(void **state)
{
    ic_job job;
    ic_job_init(&job);
    job.pattern = IC_TORNADO;
    ic_params p = loaded(&job);
    p.wiring = IC_TORUS;
    p.p = 1;
    p.dimensions = 2;
    p.size[0] = 5, p.size[1] = 7;
    expect_share("tornado", accepted(*state, &p, 150 * WEIR_PS_PER_US, 600 * WEIR_PS_PER_US, NULL), 0.93 / 3,
                 0.075);
    p.wiring = IC_TREE;
    p.k = 12, p.levels = 1;
    job.grid[0] = 4, job.grid[1] = 3;
    fabric f = fabric_start(*state, &p, WEIR_ENGINE_SEQUENTIAL, 0);
    for (uint32_t r = 0; r < 12; r++)
        assert_int_equal(IC_TABLE(f.w, uint32_t, f.w->list_at)[r], (r % 4 + 1) % 4 + (r / 4 + 1) % 3 * 4);
    fabric_end(f);
}

/*
 * Six groups of 4 routers have 8 global links for five others, so three of the five have two. Terminals send to all 47 others alike, in
 * order: at rate x a group sends 64/47 x to each other one, so the pairs with one link let x = 47/64 = 0.734 through by minimal routing,
 * a little more as routers hold packets of other ways meanwhile. UGAL goes round them.
 */
static void links_that_are_left_are_used(void **state)
{
    ic_job job;
    ic_job_init(&job);
    ic_params p = loaded(&job);
    p.groups = 6;
    const double minimal = accepted(*state, &p, 100 * WEIR_PS_PER_US, 300 * WEIR_PS_PER_US, NULL);
    expect_share("six groups", minimal, 47.0 / 64, 0.06);
    p.routing = IC_UGAL;
    assert_true(accepted(*state, &p, 100 * WEIR_PS_PER_US, 300 * WEIR_PS_PER_US, NULL) > 1.1 * minimal);
}

/*
 * A torus of 8 x 8 under uniform traffic, its links half as fast as its terminals': along a ring the mean distance is
 * 2, times 64 / 63, which two directions share, so at rate x a link carries 2 * 64/63 x of a terminal's rate: x = 0.492
 * fills it, and goes through when more is offered.
 */
static void a_torus_takes_what_it_must(void **state)
{
    const double most = 0.5 * 63.0 / 64.0;
    ic_job job;
    ic_job_init(&job);
    ic_params p = loaded(&job);
    p.wiring = IC_TORUS;
    p.p = 1;
    p.local.rate_bps /= 2;
    p.dimensions = 2;
    p.size[0] = p.size[1] = 8;
    expect_share("torus", accepted(*state, &p, 300 * WEIR_PS_PER_US, 700 * WEIR_PS_PER_US, NULL), most, 0.05);
}

/* A k-ary n-tree has room for any traffic: adaptive routing brings almost all of a permutation. */
static void an_adaptive_tree_takes_all(void **state)
{
    ic_job job;
    ic_job_init(&job);
    job.pattern = IC_PERMUTATION;
    job.load = 0.8;
    ic_params p = loaded(&job);
    p.wiring = IC_TREE;
    p.routing = IC_ADAPTIVE;
    assert_true(accepted(*state, &p, 50 * WEIR_PS_PER_US, 200 * WEIR_PS_PER_US, NULL) > 0.75);
    p.routing = IC_MINIMAL;
    job.pattern = IC_UNIFORM;
    assert_true(accepted(*state, &p, 50 * WEIR_PS_PER_US, 200 * WEIR_PS_PER_US, NULL) > 0.77);
}

static void ugal_wins_where_it_should(void **state)
{
    double latency[3], shifted[4];
    for (ic_routing routing = IC_MINIMAL; routing <= IC_PAR; routing++) {
        ic_job job;
        ic_job_init(&job);
        ic_params p = loaded(&job);
        p.routing = routing;
        job.pattern = IC_GROUP_SHIFT;
        job.load = 0.4;
        shifted[routing] = accepted(*state, &p, 100 * WEIR_PS_PER_US, 200 * WEIR_PS_PER_US, NULL);
        job.pattern = IC_UNIFORM;
        job.load = 0.45;
        if (routing <= IC_UGAL)
            accepted(*state, &p, 50 * WEIR_PS_PER_US, 150 * WEIR_PS_PER_US, &latency[routing]);
    }
    assert_true(shifted[IC_UGAL] > 2.5 * shifted[IC_MINIMAL]);
    assert_true(shifted[IC_PAR] > 2.5 * shifted[IC_MINIMAL]);
    assert_true(shifted[IC_VALIANT] > 2.5 * shifted[IC_MINIMAL]);
    assert_true(latency[IC_UGAL] < 0.8 * latency[IC_VALIANT]);
    assert_true(latency[IC_MINIMAL] <= latency[IC_UGAL]);
}

/* All that terminals can send: packets keep coming in every tenth of the time. Bursts keep it short. */
static void nothing_locks_up(void **state)
{
    static const struct {
        ic_wiring wiring;
        ic_routing routing;
        ic_pattern pattern;
    } cases[] = {{IC_DRAGONFLY, IC_MINIMAL, IC_UNIFORM},  {IC_DRAGONFLY, IC_VALIANT, IC_GROUP_SHIFT},
                 {IC_DRAGONFLY, IC_UGAL, IC_GROUP_SHIFT}, {IC_DRAGONFLY, IC_PAR, IC_GROUP_SHIFT},
                 {IC_DRAGONFLY, IC_PAR, IC_UNIFORM},      {IC_TREE, IC_MINIMAL, IC_PERMUTATION},
                 {IC_TREE, IC_ADAPTIVE, IC_UNIFORM},      {IC_TORUS, IC_MINIMAL, IC_TORNADO},
                 {IC_TORUS, IC_MINIMAL, IC_UNIFORM}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ic_job job;
        ic_job_init(&job);
        job.pattern = cases[i].pattern;
        job.message_bytes = 4096;
        ic_params p = loaded(&job);
        p.wiring = cases[i].wiring;
        p.routing = cases[i].routing;
        p.p = p.wiring == IC_TORUS ? 1 : 2;
        p.size[2] = 2;
        p.burst = 16;
        p.terminal.buffer_bytes = p.local.buffer_bytes = p.global.buffer_bytes =
            4096 + 1024; /* hardly a packet */
        fabric f = fabric_start(*state, &p, WEIR_ENGINE_SEQUENTIAL, 0);
        int64_t before = 0, first = 0;
        for (int tenth = 1; tenth <= 10; tenth++) {
            fabric_run(*state, f, tenth * (nightly() ? 1000 : SANITIZED ? 100 : 300) * WEIR_PS_PER_US);
            const int64_t now = fabric_count(f, IC_COUNT_CHUNKS);
            if (tenth == 1)
                first = now;
            if (!(now - before > first / 2))
                fail_msg("case %zu: %lld chunks in tenth %d after %lld in the first", i,
                         (long long)(now - before), tenth, (long long)first);
            before = now;
        }
        expect_ok(*state, wi_ic_check(*state, f.ic, f.sim));
        fabric_end(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(minimal_saturates_under_group_shift_where_it_must),
        cmocka_unit_test(minimal_saturates_under_uniform_traffic_where_it_must),
        cmocka_unit_test(a_ring_takes_what_it_must),
        cmocka_unit_test(a_torus_takes_what_it_must),
        cmocka_unit_test(a_torus_takes_a_tornado),
        cmocka_unit_test(links_that_are_left_are_used),
        cmocka_unit_test(an_adaptive_tree_takes_all),
        cmocka_unit_test(ugal_wins_where_it_should),
        cmocka_unit_test(nothing_locks_up)};
    return cmocka_run_group_tests(tests, diag_set_up, diag_tear_down);
}
