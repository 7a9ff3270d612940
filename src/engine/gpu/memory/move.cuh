/* Moving all pending events to a new pool: at the start, when LPs change size, when the pool is used up. */
#pragma once

#include "engine/gpu/round/round.h"

/* Events that lie outside of regions: a list, or places in it that an index picks (spilled events that their
 * LP has no slot for). */
struct wi_gpu_loose {
    const unsigned char *events; /* null: those of an index */
    const wi_gpu_spill *spill;   /* null: all of the list */
    uint64_t n;
};

static __device__ uint32_t wi_gpu_lp_of_event(const wi_gpu &g, const wi_gpu_event *e)
{
    return wi_gpu_lp_of(&g, &g.runs[e->run], e->target);
}

/* Call f(event) for each event of the old regions and of the loose ones. */
template <class F> static __device__ void wi_gpu_each_event(const wi_gpu &old, const wi_gpu_loose &loose, F f)
{
    const uint64_t thread = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const uint64_t n_threads = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t lp = thread / 8; lp < old.n_lps; lp += n_threads / 8) {
        const wi_gpu_lp l = old.lps[lp];
        const uint32_t count = wi_gpu_lp_count(l), room = wi_gpu_lp_room(l);
        for (uint32_t i = threadIdx.x % 8; i < count && i < room; i += 8)
            f(wi_gpu_slot(&old, wi_gpu_lp_base(l) + i, old.slot_bytes));
    }
    for (uint64_t i = thread; i < loose.n; i += n_threads) {
        const wi_gpu_event *e = loose.spill ? wi_gpu_spilled(&old, &loose.spill[i], old.slot_bytes)
                                            : (const wi_gpu_event *)(loose.events + i * old.slot_bytes);
        if (!loose.spill || loose.spill[i].claim >= wi_gpu_lp_room(old.lps[wi_gpu_lp_of_event(old, e)]))
            f(e);
    }
}

static __global__ void wi_gpu_move_count(const wi_gpu old, const wi_gpu_loose loose, const wi_gpu g)
{
    wi_gpu_each_event(old, loose,
                      [&](const wi_gpu_event *e) { wi_gpu_lp_claim(&g.lps[wi_gpu_lp_of_event(g, e)]); });
}

/* Regions, those of 32 LPs that follow each other side by side; and each LP's lookahead. */
static __global__ void wi_gpu_move_rooms(const wi_gpu g, unsigned long long *slots)
{
    const uint32_t lane = threadIdx.x % 32;
    const uint32_t rounded = (g.n_lps + 31) / 32 * 32;
    for (uint32_t lp = blockIdx.x * blockDim.x + threadIdx.x; lp < rounded; lp += gridDim.x * blockDim.x) {
        const uint32_t room = lp < g.n_lps ? wi_gpu_first_room(&g, wi_gpu_lp_count(g.lps[lp])) : 0;
        uint32_t sum = room;
        for (int step = 1; step < 32; step *= 2) {
            const uint32_t other = __shfl_up_sync(0xffffffffu, sum, step);
            sum += lane >= (uint32_t)step ? other : 0;
        }
        unsigned long long base = 0;
        if (lane == 31)
            base = atomicAdd(slots, (unsigned long long)sum);
        base = __shfl_sync(0xffffffffu, base, 31);
        if (lp < g.n_lps) {
            g.lps[lp] = wi_gpu_lp_make(0, (uint32_t)(base + sum - room), room);
            g.next_ps[lp] = WEIR_TIME_MAX;
        }
    }
}

/* Rooms for the rings of a run, after all regions. */
static __global__ void wi_gpu_move_ring_rooms(const wi_gpu_run run, unsigned long long *slots)
{
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < run.n_entities;
         i += gridDim.x * blockDim.x) {
        wi_gpu_ring *const r = &run.rings[i];
        if (r->now.room == 0)
            continue;
        const uint32_t wanted = wi_gpu_room_for(wi_gpu_ring_count(r));
        r->new_room = wanted > r->now.room ? wanted : r->now.room;
        r->new_base = (uint32_t)atomicAdd(slots, (unsigned long long)r->new_room);
    }
}

/* What rings hold, to the new pool: a warp a ring. */
static __global__ void wi_gpu_move_rings(const wi_gpu old, const wi_gpu g, uint32_t run_index)
{
    const wi_gpu_run run = g.runs[run_index];
    const uint32_t lane = threadIdx.x % 32, warps = gridDim.x * blockDim.x / 32;
    for (uint32_t i = (blockIdx.x * blockDim.x + threadIdx.x) / 32; i < run.n_entities; i += warps) {
        wi_gpu_ring r = run.rings[i];
        const uint32_t n = wi_gpu_ring_count(&r);
        long long reach_ps = WEIR_TIME_MAX;
        __syncwarp();
        for (uint32_t k = lane; k < n; k += 32) {
            const wi_gpu_event *const e = wi_gpu_slot(&old, wi_gpu_ring_slot(&r, k), old.slot_bytes);
            const long long lookahead_ps = g.lookahead_ps[wi_gpu_lp_of(&g, &run, e->target)];
            wi_gpu_copy(wi_gpu_slot(&g, r.new_base + k, g.slot_bytes), e, g.slot_bytes);
            reach_ps = lookahead_ps < reach_ps ? lookahead_ps : reach_ps;
        }
        for (int step = 16; step > 0; step /= 2) {
            const long long other = __shfl_xor_sync(0xffffffffu, reach_ps, step);
            reach_ps = other < reach_ps ? other : reach_ps;
        }
        if (lane != 0 || r.now.room == 0)
            continue;
        r.now.reach_ps = reach_ps;
        r.now.begin = r.old_begin = r.old_end = 0;
        r.now.end = n;
        r.now.base = r.new_base;
        r.now.room = r.new_room;
        run.rings[i] = r;
    }
}

static __global__ void wi_gpu_move_lookaheads(const wi_gpu g, uint32_t run_index)
{
    const wi_gpu_run run = g.runs[run_index];
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < run.n_lps; i += gridDim.x * blockDim.x) {
        weir_time least = WEIR_TIME_MAX;
        for (uint32_t e = i << g.lp_shift; e < run.n_entities && e >> g.lp_shift == i; e++)
            least = run.heads[e].lookahead_ps < least ? run.heads[e].lookahead_ps : least;
        g.lookahead_ps[run.lp_first + i] = least;
    }
}

static __global__ void wi_gpu_move_events(const wi_gpu old, const wi_gpu_loose loose, const wi_gpu g)
{
    wi_gpu_each_event(old, loose, [&](const wi_gpu_event *e) {
        const uint32_t lp = wi_gpu_lp_of_event(g, e);
        const wi_gpu_lp l = wi_gpu_lp_claim(&g.lps[lp]);
        const uint32_t slot = wi_gpu_lp_base(l) + wi_gpu_lp_count(l);
        wi_gpu_copy(wi_gpu_slot(&g, slot, g.slot_bytes), e, g.slot_bytes);
        wi_gpu_lower(&g.next_ps[lp], e->time_ps);
    });
}

/* The window bounds that the next round reads; the host has set them to "never". blockIdx.y is the run. */
static __global__ void wi_gpu_move_window(const wi_gpu g, uint32_t third)
{
    wi_gpu_run *run = &g.runs[blockIdx.y];
    weir_time low = WEIR_TIME_MAX, end = WEIR_TIME_MAX;
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < run->n_lps; i += gridDim.x * blockDim.x) {
        const uint32_t lp = run->lp_first + i;
        const weir_time next = g.next_ps[lp], to = wi_gpu_reach(next, g.lookahead_ps[lp]);
        low = next < low ? next : low;
        end = to < end ? to : end;
    }
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; run->rings && i < run->n_entities;
         i += gridDim.x * blockDim.x) {
        const weir_time next = run->ring_first_ps[i], to = wi_gpu_reach(next, run->rings[i].now.reach_ps);
        low = next < low ? next : low;
        end = to < end ? to : end;
    }
    wi_gpu_lower(&run->low_ps[third], low);
    wi_gpu_lower(&run->end_ps[third], end);
}
