/*
 * The player of adaptive video (net/host/player.h) without a network: its choices and its clock against an obvious player, which
 * keeps all arrivals and replays the whole session for each question, over links of constant and stepped rate; hand-solved
 * cases of start-up, stalls and of BBA-0's algorithm. What both are given is the time of each arrival, so that all counts and
 * times must be equal to the picosecond.
 */
#include <math.h>
#include <string.h>

#include "diag.h"
#include "net/host/player.h"
#include "splitmix.h"

#define S WEIR_PS_PER_S
enum { SEGMENTS_MAX = 160, STEPS = 8 };

/* In [0, 1). */
static double rnd_unit(uint64_t *state)
{
    return (double)(rnd(state) >> 11) * 0x1p-53;
}

/* A link: rate k holds from k * step_s on, the last one for good. */
typedef struct link {
    double rate_bps[STEPS], step_s;
} link;

/* When `bytes` asked for at `from` have come. */
static weir_time arrival(const link *l, weir_time from_ps, uint64_t bytes)
{
    double at_s = weir_seconds(from_ps), bits = 8.0 * (double)bytes;
    int k = at_s / l->step_s < STEPS - 1 ? (int)(at_s / l->step_s) : STEPS - 1;
    for (; k < STEPS - 1 && bits > l->rate_bps[k] * ((k + 1) * l->step_s - at_s); k++) {
        bits -= l->rate_bps[k] * ((k + 1) * l->step_s - at_s);
        at_s = (k + 1) * l->step_s;
    }
    return from_ps + (weir_time)(1e12 * (at_s + bits / l->rate_bps[k] - weir_seconds(from_ps))) + 1;
}

/* The obvious player: what came when, at which rung. */
typedef struct session {
    const net_video *v;
    weir_time asked[SEGMENTS_MAX], came[SEGMENTS_MAX];
    uint32_t rung[SEGMENTS_MAX], n;
} session;

typedef struct replay {
    weir_time started_ps, played_ps, stalled_ps;
    uint32_t stalls;
    bool started;
} replay;

/* Segments that must lie in an empty buffer until so much is there, or no more fit, or no more come. */
static uint32_t wanted(const session *s, weir_time enough_ps, uint32_t from)
{
    uint32_t m = 1;
    while (m * s->v->segment_ps < enough_ps && (m + 1) * s->v->segment_ps <= s->v->buffer_ps)
        m++;
    return s->v->segments && from + m > s->v->segments ? s->v->segments - from : m;
}

/* Play the session from its start to now. */
static replay replay_to(const session *s, weir_time now)
{
    replay r = {0};
    const weir_time segment = s->v->segment_ps;
    uint32_t come = 0;
    while (come < s->n && s->came[come] <= now)
        come++;
    uint32_t next = wanted(s, s->v->startup_ps, 0) - 1;
    if (next >= come)
        return r;
    r.started = true;
    weir_time clock = r.started_ps = s->came[next];
    for (uint32_t i = 0; !s->v->segments || i < s->v->segments; i++) {
        if (i >= come || s->came[i] > clock) { /* dry */
            next = i + wanted(s, s->v->resume_ps, i) - 1;
            const weir_time until = next < come ? s->came[next] : now;
            r.stalls += until > clock;
            r.stalled_ps += until - clock;
            clock = until;
            if (next >= come)
                return r;
        }
        const weir_time left = now - clock;
        r.played_ps += left < segment ? left : segment;
        if (left < segment)
            return r;
        clock += segment;
    }
    return r;
}

static weir_time buffered(const session *s, weir_time now)
{
    return (weir_time)s->n * s->v->segment_ps - replay_to(s, now).played_ps;
}

/* Algorithm 1, as the paper writes it: with sets. */
static uint32_t choose_by_buffer(const session *s, weir_time now)
{
    const net_video *v = s->v;
    const uint32_t top = v->n_rungs - 1, prev = s->rung[s->n - 1];
    const double plus = (double)v->rung[prev == top ? top : prev + 1].rate_bps;
    const double minus = (double)v->rung[prev == 0 ? 0 : prev - 1].rate_bps;
    const weir_time b = buffered(s, now);
    if (b <= v->reservoir_ps)
        return 0;
    if (b >= v->reservoir_ps + v->cushion_ps)
        return top;
    const double least = (double)v->rung[0].rate_bps, most = (double)v->rung[top].rate_bps;
    const double f = least + (most - least) * (double)(b - v->reservoir_ps) / (double)v->cushion_ps;
    uint32_t below = 0, above = top;
    for (uint32_t k = 0; k <= top; k++) {
        below = (double)v->rung[k].rate_bps < f ? k : below;
        above = (double)v->rung[top - k].rate_bps > f ? top - k : above;
    }
    return f >= plus ? below : f <= minus ? above : prev;
}

static uint32_t choose_by_throughput(const session *s)
{
    const uint32_t n = s->n < s->v->samples ? s->n : s->v->samples;
    double inverse = 0.0;
    uint32_t best = 0;
    for (uint32_t i = s->n - n; i < s->n; i++)
        inverse += (double)(s->came[i] - s->asked[i]) / (8e12 * (double)s->v->rung[s->rung[i]].bytes);
    for (uint32_t k = 0; k < s->v->n_rungs; k++)
        if ((double)s->v->rung[k].rate_bps <= s->v->safety * n / inverse)
            best = k;
    return best;
}

static void expect_same(const session *s, const net_player *p, weir_time now, uint64_t seed)
{
    net_player at = *p;
    net_player_play(&at, now);
    const replay r = replay_to(s, now);
    if (at.stalls != r.stalls || at.stalled_ps != r.stalled_ps || at.buffer_ps != buffered(s, now) ||
        (r.started && at.startup_ps != r.started_ps))
        fail_msg(
            "seed %llu at %.12f s, %u segments: stalls %u, %u; stalled %lld, %lld ps; buffer %lld, %lld ps",
            (unsigned long long)seed, weir_seconds(now), s->n, at.stalls, r.stalls, (long long)at.stalled_ps,
            (long long)r.stalled_ps, (long long)at.buffer_ps, (long long)buffered(s, now));
}

/* Both, side by side, until so many segments have come. */
static void play_both(const net_video *v, const link *l, uint32_t segments, uint64_t seed)
{
    session s = {.v = v};
    net_player p = {0};
    weir_time now = 0;
    uint64_t random = seed;
    uint32_t switches = 0;
    net_player_begin(&p, 0);
    while (s.n < segments) {
        const uint32_t k = s.n == 0                           ? 0
                           : v->algorithm == NET_VIDEO_BUFFER ? choose_by_buffer(&s, now)
                                                              : choose_by_throughput(&s);
        switches += s.n > 0 && k != s.rung[s.n - 1];
        assert_ptr_equal(net_player_choose(&p, v, now), &v->rung[k]);
        const weir_time came = arrival(l, now, v->rung[k].bytes);
        expect_same(&s, &p, now + (weir_time)((double)(came - now) * rnd_unit(&random)), seed);
        s.asked[s.n] = now;
        s.came[s.n] = came;
        s.rung[s.n++] = k;
        net_player_take(&p, v, came, came - now);
        expect_same(&s, &p, came, seed);
        assert_true(p.buffer_ps <= v->buffer_ps);
        now = came + net_player_pause(&p, v);
    }
    assert_int_equal(p.segments, s.n);
    assert_int_equal(p.switches, switches);
    expect_same(&s, &p, now + 1000 * S, seed);
    if (v->segments) {
        net_player_play(&p, now + 1000 * S);
        assert_int_equal(p.phase, NET_PLAYER_OVER);
        assert_int_equal(p.seen_ps, now + 1000 * S);
    }
}

static net_video video_of(uint32_t algorithm, uint32_t n_rungs, const double *mbps, double segment_s,
                          double buffer_s)
{
    net_video v = {.segment_ps = (weir_time)(segment_s * 1e12),
                   .buffer_ps = (weir_time)(buffer_s * 1e12),
                   .algorithm = algorithm,
                   .n_rungs = n_rungs,
                   .samples = 20,
                   .safety = 0.85};
    v.startup_ps = v.resume_ps = v.segment_ps;
    v.reservoir_ps = v.buffer_ps / 8 * 3;
    v.cushion_ps = v.buffer_ps / 40 * 21;
    for (uint32_t k = 0; k < n_rungs; k++)
        v.rung[k] = (net_rung){(uint64_t)(1e6 * mbps[k]), (uint64_t)ceil(1e6 * mbps[k] * segment_s / 8.0)};
    return v;
}

/* Random ladders, buffers, thresholds and links. */
static void test_random_sessions(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        uint64_t random = seed * 77;
        double mbps[NET_RUNGS_MAX], top = 0.0;
        const uint32_t rungs = 1 + rnd_below(&random, 7);
        for (uint32_t k = 0; k < rungs; k++)
            mbps[k] = top += 0.05 + 2.0 * rnd_unit(&random);
        const double segment_s = 0.5 + 6.0 * rnd_unit(&random);
        net_video v = video_of(rnd_below(&random, 2), rungs, mbps, segment_s,
                               segment_s * (1.0 + 12.0 * rnd_unit(&random)));
        v.startup_ps = 1 + (weir_time)((double)v.buffer_ps * rnd_unit(&random));
        v.resume_ps = 1 + (weir_time)((double)v.buffer_ps * rnd_unit(&random));
        v.samples = 1 + rnd_below(&random, NET_PLAYER_SAMPLES);
        v.safety = 0.3 + 0.7 * rnd_unit(&random);
        v.segments = rnd_below(&random, 2) ? 1 + rnd_below(&random, 60) : 0;
        link l = {.step_s = 3.0 + 40.0 * rnd_unit(&random)};
        const bool constant = rnd_below(&random, 3) == 0;
        for (int k = 0; k < STEPS; k++)
            l.rate_bps[k] = constant && k ? l.rate_bps[0] : 1e6 * top * (0.02 + 1.6 * rnd_unit(&random));
        play_both(&v, &l, v.segments ? v.segments : 60, seed);
    }
}

/* Segments of 4 s at 2 Mbit/s over 1 Mbit/s: each takes 8 s. The first picture comes at 8 s; each later segment comes 8 s
 * after the one before and 4 s after it was played: of n segments n - 1 stalls of 4 s. The last plays to the end: no stall. */
static void test_stalls(void **state)
{
    (void)state;
    const double mbps[] = {2.0};
    for (uint32_t n = 1; n <= 12; n++) {
        net_video v = video_of(NET_VIDEO_THROUGHPUT, 1, mbps, 4.0, 30.0);
        net_player p = {0};
        v.segments = n;
        net_player_begin(&p, 0);
        for (uint32_t i = 1; i <= n; i++)
            net_player_take(&p, &v, i * 8 * S, 8 * S);
        net_player_play(&p, n * 8 * S + 4 * S - 1);
        assert_int_equal(p.phase, NET_PLAYER_PLAYING);
        net_player_play(&p, n * 8 * S + 4 * S);
        assert_int_equal(p.phase, NET_PLAYER_OVER);
        net_player_play(&p, 1000 * S);
        assert_int_equal(p.startup_ps, 8 * S);
        assert_int_equal(p.stalls, n - 1);
        assert_int_equal(p.stalled_ps, (weir_time)(n - 1) * 4 * S);
        assert_int_equal(p.rate_sum_bps, n * UINT64_C(2000000));
    }
}

/* The same until a stop: what is there is played, and its end is no stall. */
static void test_end(void **state)
{
    (void)state;
    const double mbps[] = {2.0};
    net_video v = video_of(NET_VIDEO_BUFFER, 1, mbps, 4.0, 30.0);
    net_player p = {0};
    v.startup_ps = 9 * S;
    net_player_begin(&p, 2 * S);
    net_player_take(&p, &v, 10 * S, 8 * S);
    assert_int_equal(p.phase, NET_PLAYER_STARTING);
    net_player_end(&p, &v, 11 * S);
    assert_int_equal(p.phase, NET_PLAYER_PLAYING);
    assert_int_equal(p.startup_ps, 9 * S);
    net_player_play(&p, 20 * S);
    assert_int_equal(p.phase, NET_PLAYER_OVER);
    assert_int_equal(p.stalls, 0);
    net_player none = {0};
    net_player_begin(&none, 0);
    net_player_end(&none, &v, 3 * S);
    assert_int_equal(none.phase, NET_PLAYER_OVER);
}

/* BBA-0 with the paper's buffer of 240 s: reservoir 90 s, cushion to 216 s. Ladder 1, 2, 3, 5 Mbit/s: f = 1 + 4 (B - 90) / 126
 * Mbit/s reaches 2 at 121.5 s, 3 at 153 s. From 2, f must reach 3 to go up, and fall to 1 to go down. */
static void test_bba(void **state)
{
    (void)state;
    static const struct {
        double buffer_s;
        uint16_t before, after;
    } cases[] = {{0, 3, 0},     {90, 3, 0},    {121.4, 0, 0}, {121.6, 0, 1}, {152.9, 1, 1}, {153.1, 1, 2},
                 {153.1, 0, 2}, {121.6, 1, 1}, {90.1, 1, 1},  {121.4, 2, 1}, {121.6, 2, 2}, {215.9, 2, 2},
                 {216, 0, 3},   {152.9, 3, 2}, {153.1, 3, 3}, {100, 3, 1}};
    const double mbps[] = {1.0, 2.0, 3.0, 5.0};
    const net_video v = video_of(NET_VIDEO_BUFFER, 4, mbps, 4.0, 240.0);
    assert_int_equal(v.reservoir_ps, 90 * S);
    assert_int_equal(v.cushion_ps, 126 * S);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        net_player p = {
            .segments = 1, .rung = cases[i].before, .buffer_ps = (weir_time)(cases[i].buffer_s * 1e12)};
        const net_rung *r = net_player_choose(&p, &v, 0);
        if (r != &v.rung[cases[i].after])
            fail_msg("%g s at rung %d: %d, want %d", cases[i].buffer_s, cases[i].before, (int)(r - v.rung),
                     cases[i].after);
    }
}

/* Throughputs of 2 and 6 Mbit/s: their harmonic mean is 3 Mbit/s, of which 0.85 is 2.55. */
static void test_harmonic(void **state)
{
    (void)state;
    const double mbps[] = {1.0, 2.5, 2.6};
    net_video v = video_of(NET_VIDEO_THROUGHPUT, 3, mbps, 4.0, 30.0);
    net_player p = {0};
    net_player_begin(&p, 0);
    assert_ptr_equal(net_player_choose(&p, &v, 0), &v.rung[0]);
    net_player_take(&p, &v, 2 * S, 2 * S);                          /* 4 Mbit in 2 s */
    assert_ptr_equal(net_player_choose(&p, &v, 2 * S), &v.rung[0]); /* 0.85 of 2 */
    p.rung = 0;
    net_player_take(&p, &v, 2 * S + 666666666667, 666666666667);
    assert_true(fabs(net_player_throughput_bps(&p) - 3e6) < 1.0);
    assert_ptr_equal(net_player_choose(&p, &v, 3 * S), &v.rung[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_sessions), cmocka_unit_test(test_stalls),
                                       cmocka_unit_test(test_end), cmocka_unit_test(test_bba),
                                       cmocka_unit_test(test_harmonic)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
