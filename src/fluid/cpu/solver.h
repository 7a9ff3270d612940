/*
 * The solver on the CPU, in one precision: cpu/single.c and cpu/double.c define fluid_real and the name
 * FLUID_RUN, and include this; cpu/single_avx2.c and cpu/double_avx2.c do so again, compiled for AVX2.
 *
 * Prefixes and flows go one after the other, all steps of a block at once (cpu/carry.h); windows, where each
 * step builds on the one before, go several flows at once (cpu/sources.h).
 */
#include "fluid/cpu/lanes.h"
#include "fluid/cpu/ahead.h"
#include "fluid/cpu/pulls.h"
#include "fluid/cpu/carry.h"
#include "fluid/cpu/resting.h"
#include "fluid/cpu/sources.h"

/* ---- fronts ---- */

static void front_block(const fluid_tables *t, const fluid_state *s, uint32_t port_index, uint32_t n)
{
    const fluid_port *const port = &t->ports[port_index];
    if (t->signals || port->front == FLUID_NONE) {
        fluid_front_block(t, s, port_index, n);
        return;
    }
    const own_maps own = {s->own_lag + port->own, s->own_keep + port->own, port->rows,
                          fluid_row_now(s->now, port->rows)};
    const fluid_pulls to = fluid_front_pulls(t, s, port, 0);
    block_pulls p;
    if (s->rest && front_rests(s, port_index, n))
        return;
    if (s->rest)
        wi_fluid_rest_count_front(t, s, port_index);
    pull_block(&own, s->now, port->delay, port->at_once ? n : 0, n, &s->front[port->front], &p);
    memcpy(to.from, p.from, n * sizeof *to.from);
    memcpy(to.to, p.to, n * sizeof *to.to);
    memcpy(to.rest, p.rest, n * sizeof *to.rest);
    memcpy(to.part, p.part, n * sizeof *to.part);
    memcpy(to.wait, p.wait, n * sizeof *to.wait);
    memcpy(to.keep_from, p.keep_from, n * sizeof *to.keep_from);
    memcpy(to.keep_to, p.keep_to, n * sizeof *to.keep_to);
    if (s->rest)
        front_note(t, s, port_index, &p, n);
}

/* ---- prefixes ---- */

/* Of steps that are not wanted too: nobody reads those. */
INLINE void add_arrivals(const fluid_tables *t, const fluid_real *bytes, double *arrived)
{
    const double rounding = t->rounding;
    ALL_STEPS(i)
    arrived[i] += fluid_round_sum((double)bytes[i], rounding);
}

/* Whether all bring what they brought in the step before; so do those below. */
static bool root_block(const fluid_tables *t, const fluid_state *s, const fluid_segment *segment,
                       double *arrived)
{
    fluid_real room[BLOCK + 1];
    bool rests = s->rest != NULL;
    for (uint32_t p = segment->first; p < segment->first + segment->n; p++) {
        add_arrivals(t, window(fluid_prefix_volume(s, &t->prefixes[p]), 0, BLOCK, true, room), arrived);
        rests = rests && s->rest->series[t->prefixes[p].series].since < s->now;
    }
    return rests;
}

/* Step by step: any order, any law. */
static void plain_block(const fluid_tables *t, const fluid_state *s, const fluid_segment *segment,
                        const fluid_pulls *pulls, uint32_t n, double *arrived)
{
    const fluid_hop common = fluid_hop_of_segment(t, s, segment);
    const uint32_t first = t->ports[segment->port].first;
    for (uint32_t p = segment->first; p < segment->first + segment->n; p++) {
        const fluid_hop h = fluid_hop_at(&common, p - first, s, &t->prefixes[p]);
        fluid_real lag0 = fluid_hop_lag(&h);
        for (uint32_t i = 0; i < n; i++) {
            const fluid_pull pull = fluid_pull_of(pulls, i);
            const fluid_real lag = fluid_far_lag(h.lag, &pull);
            arrived[i] += fluid_round_sum((double)fluid_hop_step(t, &h, &pull, i, lag0, lag), t->rounding);
            lag0 = lag;
        }
    }
}

static bool hops_block(const fluid_tables *t, const fluid_state *s, const fluid_segment *segment,
                       const fluid_pulls *pulls, uint32_t n, double *arrived)
{
    const fluid_hop common = fluid_hop_of_segment(t, s, segment);
    const uint32_t first = t->ports[segment->port].first;
    const int32_t at = s->rest ? rest_of_all(s->rest, s->now) : INT32_MAX;
    double same = 0.0; /* bytes of those that rest */
    bool fetched = false;
    block_pulls p;
    carried c;
    for (uint32_t k = segment->first; k < segment->first + segment->n; k++) {
        if (s->rest && hop_rests(t, s, segment, k)) {
            hop_rows(t, s, segment->port, k, n);
            same += fluid_round_sum(s->rest->arrived[k], t->rounding);
            continue;
        }
        if (!fetched)
            fetch_pulls(pulls, n, &p);
        fetched = true;
        const fluid_hop h = fluid_hop_at(&common, k - first, s, &t->prefixes[k]);
        const fluid_path path = {h.lag, h.keep, h.volume, h.own_keep, n == BLOCK};
        prefix_far(t, s, k + FAR);
        prefix_near(t, s, k + NEAR);
        carry(&path, &p, n, fluid_hop_lag(&h), &c);
        if (s->rest)
            hop_note(t, s, segment, k, &h, &c, n);
        store(h.out_lag, h.out_now, h.out_rows, c.lag, n);
        store(h.out_keep, h.out_now, h.out_rows, c.keep, n);
        add_arrivals(t, c.arrived, arrived);
    }
    ALL_STEPS(i)
    arrived[i] += same;
    if (at != INT32_MAX && !fetched) {
        s->rest->segment_at[segment - t->segments] = at;
        s->rest->segment[segment - t->segments] = same;
    }
    return s->rest && !fetched;
}

/* Where everything rests. */
static bool segment_rests(const fluid_tables *t, const fluid_state *s, const fluid_segment *segment,
                          double *arrived)
{
    const uint32_t number = (uint32_t)(segment - t->segments);
    if (!s->rest || s->rest->segment_at[number] != rest_of_all(s->rest, s->now))
        return false;
    const double same = s->rest->segment[number];
    ALL_STEPS(i)
    arrived[i] += same;
    return true;
}

static bool segment_block(const fluid_tables *t, const fluid_state *s, const fluid_segment *segment,
                          uint32_t n, double *arrived)
{
    if (segment_rests(t, s, segment, arrived))
        return true;
    if (segment->upstream == FLUID_NONE)
        return root_block(t, s, segment, arrived);
    const fluid_pulls pulls = fluid_front_pulls(t, s, &t->ports[segment->upstream], segment->kind);
    if (!t->signals && !t->paper)
        return hops_block(t, s, segment, &pulls, n, arrived);
    plain_block(t, s, segment, &pulls, n, arrived);
    return false;
}

/* Drop-tail under the usual law, in a build of its own: what RED needs would be in the way of each step. */
static __attribute__((flatten)) fluid_gain plain_queue(const fluid_port *port, const fluid_state *s,
                                                       uint32_t p, uint32_t n, const double *arrived,
                                                       double *rows)
{
    fluid_queue queue;
    queue.type = NET_QUEUE_DROPTAIL;
    queue.red.ecn = false;
    const fluid_queue_law law = {port, &queue, 0, 2, 1, 0};
    return fluid_queue_steps(&law, s, p, n, arrived, rows, BLOCK);
}

static fluid_gain queue_block(const fluid_tables *t, const fluid_state *s, uint32_t p, uint32_t n,
                              const double *arrived, double *rows)
{
    const fluid_port *const port = &t->ports[p];
    const uint32_t type = t->queues[port->queue].type;
    if (t->paper || t->signals || t->order != 2 || type != NET_QUEUE_DROPTAIL)
        return fluid_queue_block(t, s, p, n, arrived, rows, BLOCK);
    return plain_queue(port, s, p, n, arrived, rows);
}

static void store_own(double *ring, uint32_t now, uint32_t rows, const double *from, uint32_t n)
{
    const uint32_t there = rows - now;
    double *const to = ring + now;
    if (WEIR_LIKELY(n == BLOCK && there >= BLOCK)) {
        ALL_STEPS(i)
        to[i] = from[i];
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        ring[i < there ? now + i : i - there] = from[i];
}

static void port_block(const fluid_tables *t, const fluid_state *s, uint32_t p, uint32_t n)
{
    const fluid_port *const port = &t->ports[p];
    double arrived[FLUID_KINDS][BLOCK] IN_LINES, rows[FLUID_OWN_ALL][BLOCK] IN_LINES;
    for (uint32_t kind = 0; kind < t->n_kinds; kind++)
        ALL_STEPS(i)
    arrived[kind][i] = 0.0;
    if (!s->rest || !s->rest->queue[p].gain.same) /* neighbours do so together */
        port_ahead(t, s, p + 1);
    bool rests = s->rest != NULL;
    for (uint32_t i = port->first_segment; i < port->first_segment + port->n_segments; i++)
        rests &= segment_block(t, s, &t->segments[i], n, arrived[t->segments[i].kind]);
    if (rests && port_rests(s, p, arrived[0][0], n)) {
        if (port->at_once)
            front_block(t, s, p, n);
        return;
    }
    if (s->rest)
        wi_fluid_rest_count_port(t, s, p, s->now);
    const fluid_gain gain = queue_block(t, s, p, n, arrived[0], rows[0]);
    if (s->rest)
        port_note(t, s, p, &gain, rests, arrived[0][0], rows, n);
    const uint32_t now = fluid_row_now(s->now, port->rows);
    for (uint32_t which = 0; which < FLUID_OWN_ALL; which++) {
        double *const ring = fluid_own_ring(t, s, port, which);
        if (ring)
            store_own(ring, now, port->rows, rows[which], n);
    }
    if (port->at_once)
        front_block(t, s, p, n);
}

enum { FLOWS_A_PART = 64 * SOURCES, PORTS_A_PART = 32, FRONTS_A_PART = 64, SETS_A_PART = 16 };

static uint32_t part_end(uint32_t first, uint32_t part, uint32_t n)
{
    return n - first < part ? n : first + part;
}

/* Ports from..to, which pull from none of each other in the block at work. */
static void run_ports(const fluid_tables *t, const fluid_state *s, uint32_t from, uint32_t to, uint32_t n,
                      wi_team *team)
{
    WI_TEAM_PARTS(team, 0, to - from, PORTS_A_PART, first)
    for (uint32_t p = from + first; p < from + part_end(first, PORTS_A_PART, to - from); p++)
        port_block(t, s, p, n);
    wi_team_barrier(team);
}

/* ---- sets ---- */

static void set_block(const fluid_tables *t, const fluid_state *s, uint32_t set, uint32_t n)
{
    const fluid_column own = fluid_volume_column(t, s, t->n_flows + set);
    fluid_real *const ring = (fluid_real *)s->volume + t->rings[t->n_flows + set].at;
    reals sum = {0};
    fluid_real room[BLOCK + 1];
    if (s->rest && set_rests(t, s->rest, set, (int32_t)s->now)) {
        if (s->now - s->rest->series[t->n_flows + set].since < (int64_t)own.rows)
            store_same(ring, own.now, own.rows, n);
        return;
    }
    for (uint32_t m = t->member_first[set]; m < t->member_first[set + 1]; m++) {
        member_ahead(t, s, m);
        const fluid_real *const v = window(fluid_volume_column(t, s, t->member[m]), 0, BLOCK, true, room);
        ALL_STEPS(i)
        sum[i] += v[i];
    }
    if (s->rest)
        series_note(s->rest, t->n_flows + set, sum, fluid_at(own, -1), own.rows, s->now, n);
    store(ring, own.now, own.rows, sum, n);
}

/* Sums of sets, level by level. */
static void run_levels(const fluid_tables *t, const fluid_state *s, uint32_t from, uint32_t to, uint32_t n,
                       wi_team *team)
{
    if (s->rest && rest_of_all(s->rest, s->now) != INT32_MAX)
        return; /* a block in which some flow has changed is none of those */
    for (uint32_t level = from; level < to; level++) {
        const uint32_t begin = t->level_first[level], sets = t->level_first[level + 1] - begin;
        WI_TEAM_PARTS(team, 0, sets, SETS_A_PART, first)
        for (uint32_t set = first; set < part_end(first, SETS_A_PART, sets); set++)
            set_block(t, s, begin + set, n);
        wi_team_barrier(team);
    }
}

/* What this rank and others need of each other, by the thread that may call MPI, and what follows from it. */
static void run_ghosts(const fluid_tables *t, const fluid_state *s, uint32_t n, bool calls, wi_team *team)
{
    if (calls) {
        wi_ghosts_swap(s->ghosts, t, s, n);
        for (uint32_t p = t->n_ports - t->n_ghost_ports; p < t->n_ports; p++)
            front_block(t, s, p, n);
    }
    wi_team_barrier(team);
    run_levels(t, s, t->n_early, t->n_levels, n, team);
}

/* All stages of a block, by all threads of a team; they meet behind each. calls: this is the one that runs the team. */
static void run_block(const fluid_tables *t, const fluid_state *s, uint32_t n, bool calls, wi_team *team)
{
    const uint32_t n_flows = t->n_flows - t->n_ghost_flows, n_ports = t->n_ports - t->n_ghost_ports;
    WI_TEAM_PARTS(team, 0, n_flows, FLOWS_A_PART, first)
    {
        const uint32_t end = part_end(first, FLOWS_A_PART, n_flows);
        for (uint32_t f = first; f < end; f += SOURCES)
            sources_block(t, s, f, end - f < SOURCES ? end - f : SOURCES, n);
    }
    WI_TEAM_PARTS(team, 1, n_ports, FRONTS_A_PART, first)
    for (uint32_t p = first; p < part_end(first, FRONTS_A_PART, n_ports); p++)
        if (!t->ports[p].at_once)
            front_block(t, s, p, n);
    wi_team_barrier(team);
    run_levels(t, s, 0, s->ghosts ? t->n_early : t->n_levels, n, team);
    if (s->ghosts)
        run_ghosts(t, s, n, calls, team);
    for (uint32_t wave = 0; wave < t->n_waves; wave++)
        run_ports(t, s, t->wave_first[wave], t->wave_first[wave + 1], n, team);
    if (t->n_waves == 0)
        run_ports(t, s, 0, n_ports, n, team);
}

typedef struct job {
    const fluid_tables *tables;
    const fluid_state *state;
    uint32_t steps;
    pthread_t caller;
} job;

/* Each thread counts the steps for itself. */
static void run_blocks(void *arg, wi_team *team)
{
    const job *const j = arg;
    const bool calls = pthread_equal(pthread_self(), j->caller);
    fluid_state s = *j->state;
    for (uint32_t done = 0; done < j->steps;) {
        const uint32_t left = j->steps - done, most = j->tables->lookahead, n = left < most ? left : most;
        run_block(j->tables, &s, n, calls, team);
        done += n;
        s.now += n;
    }
}

void FLUID_RUN(const fluid_tables *t, fluid_state *s, uint32_t steps, wi_team *team)
{
    job j = {t, s, steps, pthread_self()};
    const bool rests = s->rest && rest_of_all(s->rest, s->now) != INT32_MAX; /* that is little for many */
    wi_team_run(rests ? NULL : team, run_blocks, &j);
    s->now += steps;
}
