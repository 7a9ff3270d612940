/*
 * The interconnect against what must hold: the time of a packet in an empty network by its closed form, room
 * and packets conserved at any time under full load, the same digests on every engine, and parameters that
 * cannot be.
 */
#include <math.h>

#include "interconnect_paths.h"
#include "models/usual/interconnect.h"

static void one_packet(weir_diag *diag, ic_params p, uint64_t *random)
{
    ic_job job;
    ic_job_init(&job);
    wi_ic *probe;
    expect_ok(diag, wi_ic_new(diag, &p, &probe));
    const uint32_t n = wi_ic_world(probe)->n_terminals;
    wi_ic_free(probe);
    ic_plan_entry plan = {.time_ps = 1 + rnd_below(random, 1000), .source = rnd_below(random, n)};
    plan.target = (plan.source + 1 + rnd_below(random, n - 1)) % n;
    plan.bytes = 1 + rnd_below(random, p.packet_bytes);
    job.pattern = IC_PLANNED;
    job.plan = &plan;
    job.n_plan = 1;
    p.jobs = &job;
    p.n_jobs = 1;
    fabric f = fabric_start(diag, &p, WEIR_ENGINE_SEQUENTIAL, 0);
    fabric_run(diag, f, WEIR_PS_PER_MS);
    const uint32_t chunks = (uint32_t)((plan.bytes + p.chunk_bytes - 1) / p.chunk_bytes);
    const path way = path_of(f.w, plan.source, plan.target);
    assert_int_equal(fabric_count(f, IC_COUNT_PACKETS), 1);
    assert_int_equal(fabric_count(f, IC_COUNT_CHUNKS), chunks);
    assert_int_equal(fabric_count(f, IC_COUNT_HOPS), 1 + way.local + way.global);
    const weir_time want = path_ps(f.w, &p, way, chunks), got = fabric_count(f, IC_COUNT_LATENCY);
    if (got != want)
        fail_msg("wiring %d, %u to %u, %u chunks, burst %u: %lld ps, want %lld", (int)p.wiring, plan.source,
                 plan.target, chunks, p.burst, (long long)got, (long long)want);
    expect_ok(diag, wi_ic_check(diag, f.ic, f.sim));
    fabric_end(f);
}

/* A random network of each wiring. */
static ic_params random_network(uint64_t *random, ic_wiring wiring)
{
    static const ic_routing dragonfly[] = {IC_MINIMAL, IC_VALIANT, IC_UGAL, IC_PAR};
    ic_params p;
    usual_interconnect(&p);
    p.wiring = wiring;
    p.burst = 1 + rnd_below(random, 2) * rnd_below(random, 16);
    p.batch = rnd_below(random, 2) * (1 + rnd_below(random, 8));
    p.seed = rnd(random);
    if (wiring == IC_DRAGONFLY) {
        p.p = 1 + rnd_below(random, 3);
        p.a = 1 + rnd_below(random, 4);
        p.h = 1 + rnd_below(random, 3);
        p.groups = 2 + rnd_below(random, p.a * p.h);
        p.routing = dragonfly[rnd_below(random, 4)];
    } else if (wiring == IC_TREE) {
        p.k = 2 + rnd_below(random, 3);
        p.levels = 1 + rnd_below(random, 3);
        p.routing = rnd_below(random, 2) ? IC_ADAPTIVE : IC_MINIMAL;
    } else {
        p.p = 1 + rnd_below(random, 2);
        p.dimensions = 1 + rnd_below(random, 3);
        for (uint32_t d = 0; d < p.dimensions; d++)
            p.size[d] = 2 + !d + rnd_below(random, 3 + !!d);
    }
    if (rnd_below(random, 2))
        fabric_unlike(&p);
    return p;
}

static void a_packet_alone_takes_its_closed_form(void **state)
{
    uint64_t random = 11;
    for (int i = 0; i < 150; i++) {
        ic_params p = random_network(&random, (ic_wiring)(i % 3));
        if (p.routing != IC_ADAPTIVE)
            p.routing = IC_MINIMAL;
        if (p.wiring == IC_DRAGONFLY) /* one link a pair of groups: one minimal way */
            p.groups = 0;
        one_packet(*state, p, &random);
    }
}

/* Tornado only in a torus, which random_network makes wide enough for it. */
static ic_job random_job(uint64_t *random, ic_wiring wiring)
{
    static const ic_pattern patterns[] = {IC_UNIFORM, IC_NEIGHBOUR, IC_PERMUTATION, IC_COMPLEMENT,
                                          IC_TORNADO};
    ic_job job;
    ic_job_init(&job);
    job.pattern = patterns[rnd_below(random, wiring == IC_TORUS ? 5 : 4)];
    job.placement = (weir_sc_place)rnd_below(random, 3);
    job.load = 0.3 + rnd_below(random, 8) / 10.0;
    job.message_bytes = 1 + rnd_below(random, 6000);
    job.periodic = rnd_below(random, 2);
    return job;
}

/* At any time, under any load: wi_ic_check has the laws. */
static void room_and_packets_are_conserved(void **state)
{
    weir_diag *diag = *state;
    uint64_t random = 5;
    for (int i = 0; i < 30; i++) {
        ic_params p = random_network(&random, (ic_wiring)(i % 3));
        const ic_job job = random_job(&random, p.wiring);
        p.jobs = &job;
        p.n_jobs = 1;
        fabric f = fabric_start(diag, &p, WEIR_ENGINE_SEQUENTIAL, 0);
        for (weir_time t = 0; t < 10 * WEIR_PS_PER_US;) {
            t += 1 + rnd_below(&random, 2000000);
            fabric_run(diag, f, t);
            expect_ok(diag, wi_ic_check(diag, f.ic, f.sim));
        }
        assert_true(fabric_count(f, IC_COUNT_PACKETS) > 0);
        fabric_end(f);
    }
}

/* Sources that stop: everything arrives, and the network is as it was. */
static void all_that_is_sent_arrives(void **state)
{
    weir_diag *diag = *state;
    uint64_t random = 21;
    for (int i = 0; i < 12; i++) {
        ic_params p = random_network(&random, (ic_wiring)(i % 3));
        ic_job job = random_job(&random, p.wiring);
        job.stop_ps = 4 * WEIR_PS_PER_US;
        p.jobs = &job;
        p.n_jobs = 1;
        fabric f = fabric_start(diag, &p, WEIR_ENGINE_SEQUENTIAL, 0);
        fabric_run(diag, f, 400 * WEIR_PS_PER_US);
        expect_ok(diag, wi_ic_check(diag, f.ic, f.sim));
        assert_true(fabric_count(f, IC_COUNT_PACKETS) > 0);
        assert_int_equal(fabric_count(f, IC_COUNT_PACKETS), fabric_count(f, IC_COUNT_INJECTED));
        weir_sim_memory memory;
        weir_sim_memory_use(f.sim, &memory);
        assert_int_equal(memory.pending_events, 0);
        fabric_end(f);
    }
}

typedef struct digests {
    uint64_t events, event, state;
} digests;

static digests digests_of(weir_diag *diag, const ic_params *p, weir_engine engine, uint32_t threads,
                          weir_time end_ps)
{
    fabric f = fabric_start(diag, p, engine, threads);
    fabric_run(diag, f, end_ps / 3);
    fabric_run(diag, f, end_ps);
    const digests d = {weir_sim_events(f.sim), weir_sim_event_digest(f.sim), weir_sim_state_digest(f.sim)};
    fabric_end(f);
    return d;
}

static void engines_agree(void **state)
{
    weir_diag *diag = *state;
    uint64_t random = 8, events = 0;
    for (int i = 0; i < 24; i++) {
        ic_params p = random_network(&random, (ic_wiring)(i % 3));
        const ic_job job = random_job(&random, p.wiring);
        p.jobs = &job;
        p.n_jobs = 1;
        const int check = i < 6;
        const weir_time end_ps = (check ? 1 : 6) * WEIR_PS_PER_US;
        const digests want = digests_of(diag, &p, WEIR_ENGINE_SEQUENTIAL, 0, end_ps);
        for (uint32_t threads = check ? 0 : 1; threads <= (check ? 0 : 3); threads++) {
            const weir_engine ahead[] = {WEIR_ENGINE_CONSERVATIVE, WEIR_ENGINE_OPTIMISTIC};
            for (int e = 0; e < (check ? 1 : 2); e++) {
                const digests got =
                    digests_of(diag, &p, check ? WEIR_ENGINE_CHECK : ahead[e], threads, end_ps);
                assert_int_equal(got.events, want.events);
                assert_int_equal(got.event, want.event);
                assert_int_equal(got.state, want.state);
            }
        }
        events += want.events;
    }
    assert_true(events > 100000);
}

/* Several jobs at once, each placed its way: ranks have terminals of their own, and talk among themselves. */
static void jobs_share_the_network(void **state)
{
    weir_diag *diag = *state;
    ic_params p;
    usual_interconnect(&p);
    ic_job job[3];
    for (int i = 0; i < 3; i++) {
        ic_job_init(&job[i]);
        job[i].n_ranks = 24;
        job[i].placement = (weir_sc_place)i;
        job[i].load = 0.1;
    }
    job[1].pattern = IC_PING_PONG;
    job[2].pattern = IC_STENCIL;
    job[2].grid[0] = 2;
    job[2].grid[1] = 3;
    job[2].grid[2] = 4;
    p.jobs = job;
    p.n_jobs = 3;
    fabric f = fabric_start(diag, &p, WEIR_ENGINE_SEQUENTIAL, 0);
    fabric_run(diag, f, 50 * WEIR_PS_PER_US);
    expect_ok(diag, wi_ic_check(diag, f.ic, f.sim));
    const uint32_t *of = IC_TABLE(f.w, uint32_t, f.w->terminal_job_at);
    uint32_t ranks[3] = {0};
    for (uint32_t t = 0; t < f.w->n_terminals; t++)
        ranks[of[t]]++;
    for (int i = 0; i < 3; i++) {
        const int64_t *c = weir_sim_counters(f.sim) + (size_t)i * IC_COUNTERS;
        assert_int_equal(ranks[i], 24);
        assert_true(c[IC_COUNT_PACKETS] > 100);
        assert_true(c[IC_COUNT_PACKETS] <= c[IC_COUNT_INJECTED] &&
                    c[IC_COUNT_PACKETS] + 100 > c[IC_COUNT_INJECTED]);
    }
    fabric_end(f);
}

/* Ping and pong: as many of one as of the other, at every pair, but for the one on its way; each as long as the
 * closed form says. */
static void ping_pong_takes_turns(void **state)
{
    weir_diag *diag = *state;
    ic_params p;
    usual_interconnect(&p);
    ic_job job;
    ic_job_init(&job);
    job.pattern = IC_PING_PONG;
    job.message_bytes = 6000; /* packets of 64 and 30 chunks */
    p.jobs = &job;
    p.n_jobs = 1;
    fabric f = fabric_start(diag, &p, WEIR_ENGINE_SEQUENTIAL, 0);
    fabric_run(diag, f, 500 * WEIR_PS_PER_US);
    const ic_class *c = &f.w->class_[IC_TERMINAL];
    /* Both terminals of a router: two channels and one router; 94 chunks without a gap. */
    const weir_time way_ps = 2 * (c->chunk_ps + c->delay_ps) + p.router_ps + p.nic_ps + 93 * c->chunk_ps;
    for (uint32_t t = 0; t < f.w->n_terminals; t += 2) {
        const ic_terminal *ping = weir_sim_state(f.sim, t), *pong = weir_sim_state(f.sim, t + 1);
        const uint64_t turns = (uint64_t)((500 * WEIR_PS_PER_US - 1) / way_ps);
        assert_int_equal(pong->messages, (turns + 1) / 2);
        assert_int_equal(ping->messages, turns / 2);
    }
    fabric_end(f);
}

static void expect_refused(weir_diag *diag, const ic_params *p, const char *text)
{
    wi_ic *ic;
    assert_int_equal(wi_ic_new(diag, p, &ic), WEIR_E_ARG);
    assert_null(ic);
    expect_message(diag, text);
}

static void what_cannot_be_is_refused(void **state)
{
    weir_diag *diag = *state;
    ic_params p, good;
    ic_job job;
    usual_interconnect(&good);
    ic_job_init(&job);
    good.jobs = &job;
    good.n_jobs = 1;
    p = good, p.groups = 10;
    expect_refused(diag, &p, "at most 9 groups (a h + 1)");
    p = good, p.groups = 1;
    expect_refused(diag, &p, "groups is 1");
    p = good, p.p = 300;
    expect_refused(diag, &p, "at most 255");
    p = good, p.routing = IC_ADAPTIVE;
    expect_refused(diag, &p, "routing adaptive on a dragonfly");
    p = good, p.local.buffer_bytes = 64;
    expect_refused(diag, &p, "local buffer of 64 bytes");
    p = good, p.batch = 250;
    expect_refused(diag, &p, "batches of 250");
    p = good, p.global.rate_bps = 0;
    expect_refused(diag, &p, "global rate of 0");
    p = good, p.packet_bytes = 1 << 20;
    expect_refused(diag, &p, "1 to 255 chunks");
    p = good, p.wiring = IC_TREE, p.routing = IC_UGAL;
    expect_refused(diag, &p, "minimal or adaptive");
    p = good, p.wiring = IC_TREE, p.levels = 12, p.k = 127;
    expect_refused(diag, &p, "number of terminals");
    p = good, p.wiring = IC_TORUS, p.size[1] = 1;
    expect_refused(diag, &p, "size of a dimension is 1");
    job.n_ranks = 73;
    expect_refused(diag, &good, "only 72 terminals are free");
    job.n_ranks = 1;
    expect_refused(diag, &good, "want at least 2");
    job.n_ranks = 71, job.pattern = IC_TRANSPOSE;
    expect_refused(diag, &good, "a square number");
    job.n_ranks = 3, job.pattern = IC_PING_PONG;
    expect_refused(diag, &good, "an even number");
    job.n_ranks = 2, job.pattern = IC_TORNADO;
    expect_refused(diag, &good, "send to itself");
    job.n_ranks = 6, job.pattern = IC_STENCIL, job.grid[0] = 5;
    expect_refused(diag, &good, "grid of 5 cells and 6 ranks");
    job.n_ranks = 60, job.pattern = IC_GROUP_SHIFT;
    expect_refused(diag, &good, "ranges of 8");
    const uint32_t twice[] = {3, 3};
    job.n_ranks = job.n_terminals = 2, job.pattern = IC_UNIFORM, job.terminals = twice;
    expect_refused(diag, &good, "terminal 3, which it has already");
    job.n_terminals = 0, job.load = 0.0;
    expect_refused(diag, &good, "a load of 0");
    const ic_plan_entry plan = {.source = 0, .target = 7, .bytes = 1, .line = 12};
    job.load = 1.0, job.pattern = IC_PLANNED, job.plan = &plan, job.n_plan = 1;
    expect_refused(diag, &good, "line 12: rank 7; it has ranks 0 to 1");
}

/* Is what three counters hold this? */
static void expect_squares(fabric f, uint32_t what, __int128 want)
{
    const __int128 got = ((__int128)fabric_count(f, what) << 64) +
                         ((__int128)fabric_count(f, what + 1) << 32) + fabric_count(f, what + 2);
    assert_true(got == want);
}

/* Packets of 4 KiB that are due at once to a neighbour at the same router leave one behind the other, after 2.048 us each, or 32.768 s
 * at 1 kb/s: latencies are alike, totals are 0, 1, 2, 3 and 4 times that longer. There 800 packets wait 319,600 times that, 1.05e19 ps:
 * no 64 bits with a sign hold them. (In totals a packet has waited 35 minutes at most.) */
static void totals_begin_when_a_packet_is_due(void **state)
{
    enum { MANY = 800 };
    static const uint64_t rates_bps[] = {UINT64_C(16000000000), 1000, 1000};
    weir_diag *diag = *state;
    ic_plan_entry plan[MANY];
    for (int i = 0; i < MANY; i++)
        plan[i] = (ic_plan_entry){.time_ps = WEIR_PS_PER_US, .source = 0, .target = 1, .bytes = 4096};
    ic_job job;
    ic_job_init(&job);
    job.pattern = IC_PLANNED;
    job.plan = plan;
    ic_params p;
    usual_interconnect(&p);
    p.jobs = &job;
    p.n_jobs = 1;
    for (size_t k = 0; k < 3; k++) {
        const int n = k < 2 ? 5 : MANY;
        job.n_plan = (size_t)n;
        p.terminal.rate_bps = rates_bps[k];
        fabric f = fabric_start(diag, &p, WEIR_ENGINE_SEQUENTIAL, 0);
        fabric_run(diag, f, (k < 2 ? 300 : 30000) * WEIR_PS_PER_S);
        const weir_time each_ps = 64 * f.w->class_[IC_TERMINAL].chunk_ps,
                        most_ps = INT32_MAX * WEIR_PS_PER_US;
        const __int128 latency_ps = fabric_ps(f, IC_COUNT_LATENCY), one = latency_ps / n;
        assert_int_equal(fabric_count(f, IC_COUNT_TOTAL_PACKETS), n);
        assert_true(fabric_ps(f, IC_COUNT_WAITED) == (__int128)(n * (n - 1) / 2) * each_ps);
        __int128 squares = 0, totals = 0;
        for (weir_time i = 0; i < n; i++) {
            const __int128 total = one + (i * each_ps < most_ps ? i * each_ps : most_ps);
            squares += total * total;
            totals += total;
        }
        assert_true(latency_ps == n * one && fabric_ps(f, IC_COUNT_TOTAL) == totals);
        expect_squares(f, IC_COUNT_SQUARES, one * one * n);
        expect_squares(f, IC_COUNT_TOTAL_SQUARES, squares);
        fabric_end(f);
    }
}

/*
 * Every dragonfly of up to five routers a group, three global links a router: links between pairs of groups differ by one at most, a
 * link leads back to where it comes from, and none is left unwired but one of a group where their number is odd. Routes find each.
 */
static void all_global_links_are_wired(void **state)
{
    uint32_t networks = 0;
    for (uint32_t a = 1; a <= 5; a++)
        for (uint32_t h = 1; h <= 3; h++)
            for (uint32_t g = 2; g <= a * h + 1; g++, networks++) {
                ic_params p;
                wi_ic *ic;
                uint32_t links[16][16] = {0}, least = 1000, most = 0, idle = 0;
                usual_interconnect(&p);
                p.p = 1, p.a = a, p.h = h, p.groups = g;
                expect_ok(*state, wi_ic_new(*state, &p, &ic));
                const ic_world *w = wi_ic_world(ic);
                for (uint32_t r = 0; r < w->n_routers; r++)
                    for (uint32_t port = 1 + a - 1; port < w->ports; port++) {
                        const ic_link *out = ic_link_of(w, r, port);
                        if (out->peer == IC_NONE) {
                            idle++;
                            continue;
                        }
                        const uint32_t peer = out->peer - w->n_terminals;
                        assert_int_equal(ic_link_of(w, peer, out->port)->peer, w->n_terminals + r);
                        assert_int_equal(ic_link_of(w, peer, out->port)->port, port);
                        links[r / a][peer / a]++;
                    }
                assert_int_equal(idle, a * h * g % 2);
                for (uint32_t i = 0; i < g; i++)
                    for (uint32_t j = 0; j < g; j++) {
                        bool seen[16][4] = {0};
                        uint32_t ways = 0;
                        assert_int_equal(links[i][j], links[j][i]);
                        for (uint32_t n = 0; n < 500 && i != j; n++) { /* packets choose among all */
                            const ic_burst b = {.source = i, .packet = n};
                            const ic_channel *c = ic_channel_to(w, &b, i, j);
                            const ic_link *out = ic_link_of(w, i * a + c->router, c->port);
                            assert_int_equal((out->peer - w->n_terminals) / a, j);
                            ways += !seen[c->router][c->port - a];
                            seen[c->router][c->port - a] = true;
                        }
                        assert_int_equal(ways, links[i][j]);
                        most = i != j && links[i][j] > most ? links[i][j] : most;
                        least = i != j && links[i][j] < least ? links[i][j] : least;
                    }
                assert_int_equal(links[0][0], 0);
                if (!(most <= least + 1))
                    fail_msg("a %u, h %u, %u groups: %u to %u links between two of them", a, h, g, least,
                             most);
                wi_ic_free(ic);
            }
    assert_int_equal(networks, 90);
}

/* Credits of one chunk each where nothing is to spare; all of full load goes through. */
static void a_buffer_may_hold_one_packet(void **state)
{
    for (ic_wiring wiring = 0; wiring < IC_WIRINGS; wiring++) {
        ic_job job;
        ic_params p;
        ic_job_init(&job);
        usual_interconnect(&p);
        p.wiring = wiring;
        p.k = 3, p.levels = 2;
        p.dimensions = 2, p.size[0] = p.size[1] = 3;
        p.terminal.buffer_bytes = p.local.buffer_bytes = p.global.buffer_bytes = p.packet_bytes;
        p.jobs = &job;
        p.n_jobs = 1;
        job.message_bytes = 2 * p.packet_bytes;
        fabric f = fabric_start(*state, &p, WEIR_ENGINE_SEQUENTIAL, 0);
        assert_int_equal(f.w->class_[IC_TERMINAL].batch, 1);
        fabric_run(*state, f, 100 * WEIR_PS_PER_US);
        const int64_t before = fabric_count(f, IC_COUNT_PACKETS);
        fabric_run(*state, f, 200 * WEIR_PS_PER_US);
        expect_ok(*state, wi_ic_check(*state, f.ic, f.sim));
        assert_true(fabric_count(f, IC_COUNT_PACKETS) > before + f.w->n_terminals);
        fabric_end(f);
    }
}

/* The diagonal of a transpose, and the middle of an odd number of ranks: nothing leaves them or comes to them. */
static void who_would_send_to_itself_is_silent(void **state)
{
    static const struct {
        ic_pattern pattern;
        uint32_t ranks, itself[4], n_itself;
    } cases[] = {{IC_TRANSPOSE, 16, {0, 5, 10, 15}, 4}, {IC_COMPLEMENT, 9, {4}, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ic_job job;
        ic_params p;
        ic_job_init(&job);
        usual_interconnect(&p);
        job.pattern = cases[i].pattern;
        job.n_ranks = cases[i].ranks;
        p.jobs = &job;
        p.n_jobs = 1;
        fabric f = fabric_start(*state, &p, WEIR_ENGINE_SEQUENTIAL, 0);
        fabric_run(*state, f, 100 * WEIR_PS_PER_US);
        for (uint32_t t = 0, next = 0; t < cases[i].ranks; t++) {
            const ic_terminal *terminal = weir_sim_state(f.sim, t);
            const bool itself = next < cases[i].n_itself && cases[i].itself[next] == t;
            next += itself;
            assert_true((terminal->packets == 0) == itself);
            assert_true((terminal->received == 0) == itself);
        }
        fabric_end(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_global_links_are_wired),
                                       cmocka_unit_test(a_buffer_may_hold_one_packet),
                                       cmocka_unit_test(a_packet_alone_takes_its_closed_form),
                                       cmocka_unit_test(room_and_packets_are_conserved),
                                       cmocka_unit_test(all_that_is_sent_arrives),
                                       cmocka_unit_test(engines_agree),
                                       cmocka_unit_test(jobs_share_the_network),
                                       cmocka_unit_test(ping_pong_takes_turns),
                                       cmocka_unit_test(totals_begin_when_a_packet_is_due),
                                       cmocka_unit_test(who_would_send_to_itself_is_silent),
                                       cmocka_unit_test(what_cannot_be_is_refused)};
    return cmocka_run_group_tests(tests, diag_set_up, diag_tear_down);
}
