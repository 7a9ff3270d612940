/*
 * Part of cuda/solver.h: ports. A thread has a port, as one step of a queue needs the one before; what it
 * reads and writes goes through shared memory, so that teams bring whole lines from and to the histories.
 */
#ifndef WI_FLUID_CUDA_QUEUES_H
#define WI_FLUID_CUDA_QUEUES_H

#include "fluid/cuda/teams.h"

enum { QUEUE_THREADS = 32, QUEUE_TEAMS = QUEUE_THREADS / FLUID_STEPS };

/* Of ports from..to those that are pulled from at once, or the others. */
static __global__ void update_front(const __grid_constant__ fluid_device d, uint32_t n, uint32_t from,
                                    uint32_t to, bool at_once)
{
    const fluid_state s = at_work(d);
    const uint32_t p = from + thread_number();
    if (p < to && (d.t.ports[p].at_once != 0) == at_once)
        fluid_front_block(&d.t, &s, p, n);
}

static __host__ __device__ uint32_t results_of(const fluid_tables &t)
{
    return t.signals ? (uint32_t)FLUID_OWN_ALL : (uint32_t)FLUID_OWN_KEEP + t.n_kinds;
}

/* Doubles in shared memory for each port: what arrives by kind, then results; an odd number, so that threads
 * meet no bank twice. */
static __host__ __device__ uint32_t record_of(const fluid_tables &t)
{
    return (t.n_kinds + results_of(t)) * FLUID_STEPS + 1;
}

/* Brings what arrived at the block's ports into their records, and clears it for the next block. */
static __device__ void fetch_load(const fluid_device &d, uint32_t first, uint32_t count, uint32_t n,
                                  double *records)
{
    const uint32_t lane = lane_number(), size = record_of(d.t), kinds = d.t.n_kinds, ahead = d.t.lookahead;
    if (lane >= n)
        return;
#pragma unroll 4
    for (uint32_t i = threadIdx.x / FLUID_STEPS; i < count * kinds; i += QUEUE_TEAMS) {
        double *const load = d.load + ((uint64_t)first * kinds + i) * ahead + lane;
        records[i / kinds * size + i % kinds * FLUID_STEPS + lane] = *load;
        *load = 0.0;
    }
}

static __device__ void store_results(const fluid_device &d, const fluid_state &s, uint32_t first,
                                     uint32_t count, uint32_t n, const double *records)
{
    const uint32_t lane = lane_number(), size = record_of(d.t), results = results_of(d.t);
    for (uint32_t i = threadIdx.x / FLUID_STEPS; i < count; i += QUEUE_TEAMS) {
        const fluid_port *const port = &d.t.ports[first + i];
        const uint32_t rows = port->rows;
        const uint32_t slot = fluid_slot(fluid_row_now(s.now, rows), (int32_t)lane, rows);
        for (uint32_t which = 0; which < results && lane < n; which++) {
            double *const ring = fluid_own_ring(&d.t, &s, port, which);
            if (ring)
                ring[slot] = records[i * size + (d.t.n_kinds + which) * FLUID_STEPS + lane];
        }
    }
}

static __global__ void __launch_bounds__(QUEUE_THREADS)
    update_queue(const __grid_constant__ fluid_device d, uint32_t n, uint32_t from, uint32_t to)
{
    extern __shared__ double records[];
    const fluid_state s = at_work(d);
    const uint32_t first = from + blockIdx.x * QUEUE_THREADS;
    const uint32_t count = to - first < QUEUE_THREADS ? to - first : QUEUE_THREADS;
    double *const record = records + threadIdx.x * record_of(d.t);
    fetch_load(d, first, count, n, records);
    __syncwarp();
    if (threadIdx.x < count)
        fluid_queue_block(&d.t, &s, first + threadIdx.x, n, record, record + d.t.n_kinds * FLUID_STEPS,
                          FLUID_STEPS);
    __syncwarp();
    store_results(d, s, first, count, n, records);
}

#endif
