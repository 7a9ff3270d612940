/*
 * Moving a network in time moves all of it. A network is stopped, its events are suspended, all its times are moved on by a span, and
 * it goes on that much later. From then on it must handle the events that it handles without, each so much later, and end in the
 * same state, moved: byte for byte, counters too. So a time that nobody moves, of any control, discipline, timer or packet, is
 * found by what it does, or by its own bytes.
 */
#include "scenario/net_run.h"

#include "packets/skip/times.h"

typedef struct seen {
    weir_event event;
    unsigned char payload[sizeof(net_packet)];
} seen;

typedef struct log {
    const wi_net *net;
    weir_time from_ps, moved_ps;
    seen *at;
    size_t n, room;
} log_of;

static void note(void *user, const weir_event *event, const weir_event *scheduled, uint32_t stride,
                 uint32_t n)
{
    log_of *l = user;
    (void)scheduled, (void)stride, (void)n;
    if (event->time_ps < l->from_ps)
        return;
    if (l->n == l->room) {
        l->room = l->room ? 2 * l->room : 1024;
        l->at = realloc(l->at, l->room * sizeof *l->at);
        assert_non_null(l->at);
    }
    seen *s = &l->at[l->n++];
    memset(s, 0, sizeof *s);
    const bool packet = event->type == NET_EV_PORT_PACKET || event->type == NET_EV_HOST_PACKET ||
                        event->type == NET_EV_SWITCH_PACKET || event->type == NET_EV_PFC_PACKET;
    memcpy(s, event, sizeof *event + (packet ? sizeof(net_packet) : sizeof(net_note)));
    wi_net_move_payload(l->net, &s->event, -l->moved_ps);
    s->event.time_ps -= l->moved_ps;
}

static int all(void *user, const weir_event *event)
{
    (void)user, (void)event;
    return 1;
}

typedef struct moving {
    const wi_net *net;
    weir_time by_ps;
} moving;

static void move(void *user, weir_event *event)
{
    const moving *m = user;
    wi_net_move_payload(m->net, event, m->by_ps);
}

static void move_all(const net_run *r, weir_time by_ps)
{
    const uint32_t n = r->net->n_hosts + r->net->n_ports;
    uint32_t *all_of = malloc(n * sizeof *all_of);
    assert_non_null(all_of);
    for (uint32_t e = 0; e < n; e++)
        all_of[e] = e;
    wi_net_move_state(r->net, r->sim, all_of, n, by_ps);
    free(all_of);
}

/* To `at`, later by `by` (0: at once), and for `more` from there; what is handled from `at` on is in `l`. */
static net_run *play(const char *text, weir_time at_ps, weir_time by_ps, weir_time more_ps, log_of *l)
{
    net_run *r = net_run_new("%s", text);
    weir_sim_free(r->sim);
    *l = (log_of){.net = r->net, .from_ps = at_ps, .moved_ps = by_ps};
    weir_setup setup = {.seed = r->scenario->seed,
                        .engine = WEIR_ENGINE_SEQUENTIAL,
                        .sink = net_run_record,
                        .user = r,
                        .observer = note,
                        .observer_user = l};
    wi_net_setup(r->net, &setup);
    expect_ok(r->diag, weir_sim_new(r->diag, &setup, &r->sim));
    net_run_until(r, at_ps);
    if (by_ps) {
        moving m = {r->net, by_ps};
        expect_ok(r->diag, weir_sim_suspend(r->diag, r->sim, 0, all, NULL));
        move_all(r, by_ps);
        net_run_until(r, at_ps + by_ps);
        expect_ok(r->diag, weir_sim_resume(r->diag, r->sim, 0, move, &m));
    }
    net_run_until(r, at_ps + by_ps + more_ps);
    return r;
}

static void compare_events(const char *what, const log_of *a, const log_of *b)
{
    assert_true(a->n > 100);
    for (size_t i = 0; i < a->n && i < b->n; i++)
        if (memcmp(&a->at[i], &b->at[i], sizeof a->at[i]) != 0)
            fail_msg("%s: event %zu of %zu is another: type %u at %lld ps from %u to %u, number %u; moved: "
                     "type %u at %lld from %u to %u, number %u",
                     what, i, a->n, a->at[i].event.type, (long long)a->at[i].event.time_ps,
                     a->at[i].event.source, a->at[i].event.target, a->at[i].event.seq, b->at[i].event.type,
                     (long long)b->at[i].event.time_ps, b->at[i].event.source, b->at[i].event.target,
                     b->at[i].event.seq);
    if (a->n != b->n)
        fail_msg("%s: %zu events, and %zu moved", what, a->n, b->n);
}

static void compare_bytes(const char *what, const char *of, uint32_t i, const void *a, const void *b,
                          size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (((const unsigned char *)a)[k] != ((const unsigned char *)b)[k])
            fail_msg("%s: byte %zu of %s %u is not moved alike", what, k, of, i);
}

/* The first's states are moved now. What has happened stays where it was, so it is equal in both unless it has come since. */
static void compare_states(const char *what, net_run *a, net_run *b, weir_time by_ps, weir_time at_ps)
{
    const net_world *w = wi_net_world(a->net);
    move_all(a, by_ps);
    for (uint32_t e = 0; e < a->net->n_hosts + a->net->n_ports; e++)
        compare_bytes(what, "entity", e, weir_sim_state(a->sim, e), weir_sim_state(b->sim, e),
                      e < a->net->n_hosts ? sizeof(net_host) : sizeof(net_port));
    for (int p = 0; p < NET_POOLS; p++) {
        const uint32_t *first = a->net->pool_first[p];
        const uint32_t n = first ? first[p == NET_POOL_PORT_WORDS ? a->net->n_ports : a->net->n_hosts] : 0;
        for (uint32_t i = 0; i < n; i++)
            compare_bytes(what, a->net->model.pools[p].name, i, weir_sim_slot(a->sim, p, i),
                          weir_sim_slot(b->sim, p, i), a->net->model.pools[p].slot_bytes);
    }
    for (uint64_t i = 0; i < a->net->n_counters; i++)
        if (!w->c_pfc || i < w->c_pfc) /* pauses count the time that passes */
            assert_int_equal(weir_sim_counters(a->sim)[i], weir_sim_counters(b->sim)[i]);
    (void)at_ps;
}

static void moves(const char *what, const char *text)
{
    static const weir_time spans[] = {WI_NET_SPAN_UNIT_PS, 7 * WI_NET_SPAN_UNIT_PS,
                                      123456789 * WI_NET_SPAN_UNIT_PS};
    static const weir_time at[] = {11 * MS, 230 * MS};
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < sizeof spans / sizeof *spans; k++) {
            log_of still, moved;
            net_run *a = play(text, at[i], 0, 60 * MS, &still),
                    *b = play(text, at[i], spans[k], 60 * MS, &moved);
            compare_events(what, &still, &moved);
            compare_states(what, a, b, spans[k], at[i]);
            free(still.at);
            free(moved.at);
            net_run_end(b);
            weir_sim_free(a->sim); /* its states were moved under its events */
            wi_network_free(a->network);
            weir_scenario_free(a->scenario);
            weir_diag_free(a->diag);
            free(a);
        }
}

#define DUMBBELL \
    "topology:\n  generate: {model: dumbbell, left: 4, bottleneck_rate: 20Mbps, bottleneck_delay: 2ms}\n"
#define BULK                                                                                            \
    "traffic:\n  - {name: bulk, start: 1ms, pairs: [[l0, r0], [l1, r1], [l2, r2]], tcp: {sessions: 2, " \
    "%s}}\n"

static void every_control(void **state)
{
    static const char *const controls[] = {
        "congestion: newreno",
        "congestion: newreno, sack: false, delayed_ack: 2",
        "congestion: cubic",
        "congestion: cubic, pacing: true",
        "congestion: dctcp",
        "congestion: prague",
        "congestion: vegas",
        "congestion: ledbat, target: 5ms",
        "congestion: swift, delay_target: 2ms",
        "congestion: dcqcn",
        "congestion: hpcc",
        "congestion: hpcc, recovery: go-back-n",
        "congestion: swift, recovery: irn, rto_min: 30ms",
        "congestion: timely, t_low: 3ms, t_high: 30ms, ai_rate: 1Mbps",
        "congestion: powertcp",
        "congestion: theta_powertcp, expected_flows: 3",
        "congestion: ndp",
        "congestion: nscc, balance: reps",
        "congestion: rccc, oversubscription: 2",
    };
    (void)state;
    for (size_t i = 0; i < sizeof controls / sizeof *controls; i++) {
        char text[4096];
        snprintf(text, sizeof text,
                 WEIR_1 DUMBBELL "  queue: {type: threshold, mark: 20kB, limit: 60kB}\n" BULK, controls[i]);
        moves(controls[i], text);
    }
}

static void every_queue(void **state)
{
    static const char *const queues[] = {
        "{limit: 20kB}",
        "{type: droptail, limit_packets: 9}",
        "{type: red, limit: 50kB, min: 4kB, max: 15kB, w: 0.05, ecn: true}",
        "{type: red, limit: 60kB, min: 5kB, max: 20kB, mode: wait, average: packets}",
        "{type: codel, target: 500us, interval: 8ms, limit: 20kB, ecn: true}",
        "{type: fq_codel, target: 1ms, interval: 10ms, limit_packets: 30}",
        "{type: pie, limit: 60kB, target: 2ms, update: 3ms, burst: 5ms}",
        "{type: pie, limit_packets: 30, target: 1ms, update: 500us, ecn: true, derandomize: false}",
        "{type: policer, rate: 9Mbps, bucket: 6kB}",
        "{type: shaper, rate: 13Mbps, bucket: 3kB, limit: 30kB}",
        "{type: priority, limit: 20kB, mark: 8kB}",
        "{type: drr, limit_packets: 20, quantum: 700B, weight_5: 3}",
        "{type: dualpi2, target: 2ms, update: 1ms, rtt_max: 20ms, ramp_min: 100us, ramp_max: 300us}",
        "{type: trim}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof queues / sizeof *queues; i++) {
        char text[4096];
        snprintf(text, sizeof text,
                 WEIR_1 DUMBBELL "  queue: %s\n" BULK
                                 "  - {name: cbr, pairs: [[l3, r3]], udp: {rate: 3Mbps}}\n",
                 queues[i], "congestion: cubic, ecn: true");
        moves(queues[i], text);
        snprintf(text, sizeof text, WEIR_1 DUMBBELL "  queue: {limit: 30kB}\n  host_queue: %s\n" BULK,
                 queues[i], "congestion: newreno");
        moves(queues[i], text);
    }
}

static void everything_else(void **state)
{
    static const char *const texts[][2] = {
        {"shared memory", WEIR_1 DUMBBELL
         "  queue: {type: threshold, mark: 9kB, limit: 40kB}\n"
         "  shared_buffer: {size: 66kB}\n"
         "traffic:\n  - {name: bulk, start: 1ms, pairs: [[l0, r0], [l1, r1]], tcp: {congestion: hpcc}}\n"},
        {"pauses", WEIR_1 DUMBBELL "  queue: {type: threshold, mark: 9kB}\n  shared_buffer: {size: 600kB, "
                                   "pfc: {xoff: 6kB, xon_offset: 2kB}}\n"
                                   "traffic:\n  - {name: bulk, start: 1ms, pairs: [[l0, r0], [l1, r1], [l2, "
                                   "r0]], tcp: {congestion: dcqcn}}\n"},
        {"impaired",
         WEIR_1 DUMBBELL "  loss: 0.1%\n  links:\n    - {link: \"*\", jitter: {mean: 300us}}\n"
                         "traffic:\n  - {name: bulk, start: 1ms, pairs: [[l0, r0], [l1, r1]], tcp: {}}\n"},
        {"spread", WEIR_1
         "topology:\n  generate: {model: fat-tree, k: 4, rate: 50Mbps, delay: 20us}\n"
         "routing: {ecmp: true, flowlets: 1ms}\n"
         "traffic:\n  - {name: bulk, start: 1ms, pairs: permutation, tcp: {mss: 1000B, window: 30kB}}\n"},
        {"lasting", WEIR_1 DUMBBELL "traffic:\n  - {name: ask, start: 1ms, pairs: [[l0, r0], [l1, r1]], tcp: "
                                    "{size: 900MB, request: {size: 100B, think: 0s}, "
                                    "connection: validate}}\n"},
        {"wide windows", WEIR_1 DUMBBELL "traffic:\n  - {name: bulk, start: 1ms, pairs: [[l0, r0], [l1, "
                                         "r1]], tcp: {mss: 100B, window: 4MB}}\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        moves(texts[i][0], texts[i][1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_control), cmocka_unit_test(every_queue),
                                       cmocka_unit_test(everything_else)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
