/*
 * Part of cuda/solver.h: FLUID_STEPS lanes, a `team`, take the steps of a block together: of one prefix, one
 * flow, one set after the other. Histories are contiguous in time, so each access is a line or two.
 *
 * The two teams of a warp do the same at the same time, and masks of shuffles are constants: with masks of
 * their own, known at run time only, the compiler lets teams go one after the other from shuffle to shuffle.
 * What a lane has looked up for its team goes through shared memory.
 */
#ifndef WI_FLUID_CUDA_TEAMS_H
#define WI_FLUID_CUDA_TEAMS_H

#include "fluid/law/blocks.h"
#include "fluid/cuda/device.h"

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

enum { WARP = 2 * FLUID_STEPS };
static const uint32_t ALL_LANES = 0xffffffffu;

/* First of this thread's warp. */
static __device__ uint32_t warp_first()
{
    return thread_number() / WARP * WARP;
}

/* From the lane before, of the same team. All lanes of the warp call it together. */
template <typename T> static __device__ T from_before(T x)
{
    return __shfl_up_sync(ALL_LANES, x, 1, FLUID_STEPS);
}

/* Likewise from a lane of the same team. */
template <typename T> static __device__ T from_lane(T x, uint32_t lane)
{
    return __shfl_sync(ALL_LANES, x, (int)lane, FLUID_STEPS);
}

/* What a lane of each team says, as bits: of one or the other. All lanes of the warp call it together. */
static __device__ uint32_t either_team(bool x)
{
    const uint32_t both = __ballot_sync(ALL_LANES, x);
    return (both | both >> FLUID_STEPS) & ((1u << FLUID_STEPS) - 1);
}

/* Laws and orders that fluid_arrive_near knows; others go step by step. */
static __device__ bool has_usual_steps(const fluid_tables &t)
{
    return !t.signals && !t.paper;
}

/* Slots in a ring from that of the block's first step: of a step of the block, of one before it (less than a
 * ring away both), and of the step behind. A minimum picks the one that is none below zero and none too
 * large. */
static __device__ uint32_t slot_ahead(uint32_t now, uint32_t step, uint32_t rows)
{
    const uint32_t at = now + step;
    return min(at, at - rows);
}

static __device__ uint32_t slot_past(uint32_t now, int32_t rel, uint32_t rows)
{
    const uint32_t at = now + (uint32_t)rel;
    return min(at, at + rows);
}

/* Of any step within a ring of now. */
static __device__ uint32_t slot_near(uint32_t now, int32_t rel, uint32_t rows)
{
    const uint32_t at = slot_past(now, rel, rows);
    return min(at, at - rows);
}

static __device__ uint32_t slot_after(uint32_t slot, uint32_t rows)
{
    return slot + 1 == rows ? 0 : slot + 1;
}

/* A pointer that came through shared memory, of which the compiler is told that it leads to the device's. */
template <typename T> static __device__ T *in_memory(T *p)
{
    __builtin_assume(__isGlobal(p));
    return p;
}

/* A prefix's past at the end of a step, as a device keeps it (FLUID_APART). */
typedef struct __align__(2 * sizeof(fluid_real)) fluid_cell
{
    fluid_real lag, keep;
}
fluid_cell;

/* Volumes of a source. */
typedef struct ring_at {
    fluid_real *at; /* of slot 0 */
    uint32_t rows, now;
} ring_at;

static __device__ ring_at find_ring(const fluid_state &s, uint64_t at, uint32_t rows)
{
    ring_at r;
    r.at = (fluid_real *)s.volume + at;
    r.rows = rows;
    r.now = fluid_row_now(s.now, rows);
    return r;
}

/* Volumes of a step and of the two behind it. */
static __device__ void three_volumes(const ring_at &ring, int32_t step, fluid_real *v)
{
    const uint32_t slot0 = slot_near(ring.now, step, ring.rows);
    const uint32_t slot1 = slot_after(slot0, ring.rows), slot2 = slot_after(slot1, ring.rows);
    const fluid_real *const at = in_memory(ring.at);
    v[0] = at[slot0];
    v[1] = at[slot1];
    v[2] = at[slot2];
}

#endif
