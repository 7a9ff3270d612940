/*
 * The solver on the CPU, in one precision: cpu_single.c and cpu_double.c define fluid_real and the name
 * FLUID_RUN, and include this; cpu_single_avx2.c and cpu_double_avx2.c do so again, compiled for AVX2.
 *
 * Prefixes and flows go one after the other, all steps of a block at once (cpu_carry.h); windows, where each
 * step builds on the one before, go several flows at once (cpu_sources.h).
 */
#include "fluid/cpu_ahead.h"
#include "fluid/cpu_carry.h"
#include "fluid/cpu_sources.h"

/* ---- prefixes ---- */

static void root_block(const fluid_tables *t, const fluid_state *s, const fluid_segment *segment, uint32_t n,
                       double *arrived)
{
    fluid_real room[WI_FLUID_BLOCK];
    for (uint32_t p = segment->first; p < segment->first + segment->n; p++) {
        const fluid_real *const v = stretch(fluid_prefix_volume(s, &t->prefixes[p]), 0, n, room);
        for (uint32_t i = 0; i < n; i++)
            arrived[i] += fluid_round_sum((double)v[i], t->rounding);
    }
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
            const fluid_real lag = fluid_far_lag(h.lag, &pull, t->order);
            arrived[i] += fluid_round_sum((double)fluid_hop_step(t, &h, &pull, i, lag0, lag), t->rounding);
            lag0 = lag;
        }
    }
}

static void hops_block(const fluid_tables *t, const fluid_state *s, const fluid_segment *segment,
                       const fluid_pulls *pulls, uint32_t n, double *arrived)
{
    const uint32_t shape = shape_of(pulls, n);
    carried c;
    const fluid_hop common = fluid_hop_of_segment(t, s, segment);
    const uint32_t first = t->ports[segment->port].first;
    for (uint32_t p = segment->first; p < segment->first + segment->n; p++) {
        const fluid_hop h = fluid_hop_at(&common, p - first, s, &t->prefixes[p]);
        const fluid_path path = {h.lag, h.keep, h.volume, h.own_keep};
        prefix_far(t, s, p + FAR);
        prefix_near(t, s, p + NEAR);
        c.lag[0] = fluid_hop_lag(&h);
        carry(&path, pulls, shape, n, &c);
        store(h.out_lag, h.out_now, h.out_rows, c.lag + 1, n);
        store(h.out_keep, h.out_now, h.out_rows, c.keep, n);
        for (uint32_t i = 0; i < n; i++)
            arrived[i] += fluid_round_sum((double)c.arrived[i], t->rounding);
    }
}

static void segment_block(const fluid_tables *t, const fluid_state *s, const fluid_segment *segment,
                          uint32_t n, double *arrived)
{
    if (segment->upstream == FLUID_NONE) {
        root_block(t, s, segment, n, arrived);
        return;
    }
    const fluid_pulls pulls = fluid_front_pulls(t, s, &t->ports[segment->upstream], segment->kind);
    if (t->order == 4 || t->signals || t->paper)
        plain_block(t, s, segment, &pulls, n, arrived);
    else
        hops_block(t, s, segment, &pulls, n, arrived);
}

static void port_block(const fluid_tables *t, const fluid_state *s, uint32_t p, uint32_t n)
{
    const fluid_port *const port = &t->ports[p];
    double arrived[FLUID_KINDS][WI_FLUID_BLOCK];
    memset(arrived, 0, sizeof arrived);
    port_ahead(t, s, p + 1);
    for (uint32_t i = port->first_segment; i < port->first_segment + port->n_segments; i++)
        segment_block(t, s, &t->segments[i], n, arrived[t->segments[i].kind]);
    double rows[FLUID_OWN_ALL][WI_FLUID_BLOCK];
    fluid_queue_block(t, s, p, n, arrived[0], rows[0], WI_FLUID_BLOCK);
    const uint32_t now = fluid_row_now(s->now, port->rows),
                   there = port->rows - now < n ? port->rows - now : n;
    for (uint32_t which = 0; which < FLUID_OWN_ALL; which++) {
        double *const ring = fluid_own_ring(t, s, port, which);
        if (!ring)
            continue;
        memcpy(ring + now, rows[which], there * sizeof *ring);
        memcpy(ring, rows[which] + there, (n - there) * sizeof *ring);
    }
}

/* ---- sets ---- */

static void set_block(const fluid_tables *t, const fluid_state *s, uint32_t set, uint32_t n)
{
    const fluid_column own = fluid_volume_column(t, s, t->n_flows + set);
    fluid_real sum[WI_FLUID_BLOCK] = {0}, room[WI_FLUID_BLOCK];
    for (uint32_t m = t->member_first[set]; m < t->member_first[set + 1]; m++) {
        const fluid_real *const v = stretch(fluid_volume_column(t, s, t->member[m]), 0, n, room);
        for (uint32_t i = 0; i < n; i++)
            sum[i] += v[i];
    }
    store((fluid_real *)s->volume + t->rings[t->n_flows + set].at, own.now, own.rows, sum, n);
}

/* All stages of a block, by all threads of a team; each ends with a barrier. */
static void run_block(const fluid_tables *t, const fluid_state *s, uint32_t n)
{
#pragma omp for schedule(dynamic, 64) nowait
    for (uint32_t f = 0; f < t->n_flows; f += SOURCES)
        sources_block(t, s, f, t->n_flows - f < SOURCES ? t->n_flows - f : SOURCES, n);
#pragma omp for schedule(dynamic, 64)
    for (uint32_t p = 0; p < t->n_ports; p++)
        front_block(t, s, p, n);
    for (uint32_t level = 0; level < t->n_levels; level++) {
#pragma omp for schedule(static)
        for (uint32_t set = t->level_first[level]; set < t->level_first[level + 1]; set++)
            set_block(t, s, set, n);
    }
#pragma omp for schedule(dynamic, 8)
    for (uint32_t p = 0; p < t->n_ports; p++)
        port_block(t, s, p, n);
}

void FLUID_RUN(const fluid_tables *t, fluid_state *s, uint32_t steps, int threads)
{
    (void)threads; /* without OpenMP */
#pragma omp parallel num_threads(threads)
    for (uint32_t done = 0; done < steps;) {
        const uint32_t n = steps - done < t->lookahead ? steps - done : t->lookahead;
        run_block(t, s, n);
        done += n;
#pragma omp single
        s->now += n;
    }
}
