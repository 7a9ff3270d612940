/*
 * Part of cuda_solver.h: FLUID_STEPS lanes, a `team`, take the steps of a block together: of one prefix, one
 * flow, one set after the other. Histories are contiguous in time, so each access is a line or two.
 *
 * The two teams of a warp do the same at the same time, and masks of shuffles are constants: with masks of
 * their own, known at run time only, the compiler lets teams go one after the other from shuffle to shuffle.
 * What a lane has looked up for its team goes through shared memory.
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

/* What a lane of each team says, as bits: of one or the other. All lanes of the warp call it together. */
static __device__ uint32_t either_team(bool x)
{
    const uint32_t both = __ballot_sync(ALL_LANES, x);
    return (both | both >> FLUID_STEPS) & ((1u << FLUID_STEPS) - 1);
}

/* Laws and orders that fluid_arrive_near knows; others go step by step. */
static __device__ bool has_usual_steps(const fluid_tables &t)
{
    return t.order != 4 && !t.signals && !t.paper;
}

/* Histories begin at whole lines, so that 32 bits tell where. */
static __device__ uint32_t line_of(uint64_t at)
{
    return (uint32_t)(at / FLUID_LINE);
}

static __device__ fluid_real *at_line(void *array, uint32_t line)
{
    return (fluid_real *)array + (uint64_t)line * FLUID_LINE;
}

/* Where volumes of a source stand. */
typedef struct ring_at {
    uint32_t line, rows, now;
} ring_at;

static __device__ ring_at find_ring(const fluid_state &s, uint64_t at, uint32_t rows)
{
    ring_at r;
    r.line = line_of(at);
    r.rows = rows;
    r.now = fluid_row_now(s.now, rows);
    return r;
}

/* Volumes of a step and of the two behind it. */
static __device__ void three_volumes(const fluid_state &s, const ring_at &ring, int32_t step, fluid_real *v)
{
    const fluid_real *const at = at_line(s.volume, ring.line);
    const uint32_t slot0 = fluid_slot(ring.now, step, ring.rows);
    const uint32_t slot1 = slot0 + 1 == ring.rows ? 0 : slot0 + 1;
    const uint32_t slot2 = slot1 + 1 == ring.rows ? 0 : slot1 + 1;
    v[0] = at[slot0];
    v[1] = at[slot1];
    v[2] = at[slot2];
}

#endif
