/*
 * Part of cuda_solver.h: FLUID_STEPS lanes, a `team`, take the steps of a block together: of one prefix, one
 * flow, one set after the other. Histories are contiguous in time, so each access is a line or two.
 */
#ifndef WI_FLUID_CUDA_TEAMS_H
#define WI_FLUID_CUDA_TEAMS_H

#include "fluid/blocks.h"
#include "fluid/device.h"

enum { THREADS = 128, TEAMS = THREADS / FLUID_STEPS };

static __device__ fluid_state at_work(const fluid_device &d)
{
    fluid_state s = d.s;
    s.now = *d.now;
    return s;
}

static __device__ uint32_t thread_number()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

static __device__ uint32_t lane_number()
{
    return threadIdx.x % FLUID_STEPS;
}

/* The lanes of this thread's team, which keeps step whatever the other team of the warp does. */
static __device__ uint32_t team_mask()
{
    return 0xffffu << (threadIdx.x % 32u / FLUID_STEPS * FLUID_STEPS);
}

template <typename T> static __device__ T from_lane(T x, uint32_t lane)
{
    return __shfl_sync(team_mask(), x, (int)lane, FLUID_STEPS);
}

template <typename T> static __device__ T from_before(T x)
{
    return __shfl_up_sync(team_mask(), x, 1, FLUID_STEPS);
}

/* Laws and orders that fluid_arrive_usually knows; others go step by step. */
static __device__ bool has_usual_steps(const fluid_tables &t)
{
    return t.order != 4 && !t.signals && !t.paper;
}

/* Volumes of a source, as one lane looked them up for all of its team. */
typedef struct ring_at {
    unsigned long long at;
    uint32_t rows, now;
} ring_at;

static __device__ ring_at find_ring(const fluid_state &s, uint64_t at, uint32_t rows)
{
    ring_at r;
    r.at = at;
    r.rows = rows;
    r.now = fluid_row_now(s.now, rows);
    return r;
}

static __device__ ring_at ring_from_lane(const ring_at &mine, uint32_t lane)
{
    ring_at r;
    r.at = from_lane(mine.at, lane);
    r.rows = from_lane(mine.rows, lane);
    r.now = from_lane(mine.now, lane);
    return r;
}

static __device__ fluid_real volume_at(const fluid_state &s, const ring_at &ring, int32_t step)
{
    return ((const fluid_real *)s.volume)[ring.at + fluid_slot(ring.now, step, ring.rows)];
}

/* A step of this lane that is not a usual one (fluid_arrive_near). */
static __device__ __forceinline__ int arrive_near(const fluid_state &s, const ring_at &ring, int32_t from,
                                                  int32_t to, fluid_real before, fluid_real keep0,
                                                  fluid_real keep1, fluid_when when0, fluid_when when1,
                                                  fluid_arrival *out)
{
    const fluid_real v[] = {volume_at(s, ring, when0.step), volume_at(s, ring, when0.step + 1),
                            volume_at(s, ring, when0.step + 2)};
    return fluid_arrive_near(from, to, before, keep0, keep1, when0, when1, v, out);
}

#endif
