/*
 * Part of cuda_solver.h: ports. A thread has a port, as one step of a queue needs the one before; what it
 * reads and writes goes through shared memory, so that a few lanes together bring whole pieces of memory from
 * and to the histories. A block goes in parts of QUEUE_STEPS steps: shared memory for all of its steps would
 * leave room for few warps.
 */
#ifndef WI_FLUID_CUDA_QUEUES_H
#define WI_FLUID_CUDA_QUEUES_H

#include "fluid/cuda_teams.h"

enum { QUEUE_THREADS = 32, QUEUE_STEPS = 8, QUEUE_TEAMS = QUEUE_THREADS / QUEUE_STEPS };

static __global__ void update_front(const __grid_constant__ fluid_device d, uint32_t n)
{
    const fluid_state s = at_work(d);
    if (thread_number() < d.t.n_ports)
        fluid_front_block(&d.t, &s, thread_number(), n);
}

static __host__ __device__ uint32_t results_of(const fluid_tables &t)
{
    return t.signals ? (uint32_t)FLUID_OWN_ALL : (uint32_t)FLUID_OWN_KEEP + t.n_kinds;
}

/* Doubles in shared memory for each port, of a part: what arrives by kind, then results; an odd number, so
 * that threads meet no bank twice. */
static __host__ __device__ uint32_t record_of(const fluid_tables &t)
{
    return (t.n_kinds + results_of(t)) * QUEUE_STEPS + 1;
}

/* Ports first .. first + count - 1, steps begin .. end - 1 of the block, and their records. */
typedef struct queue_part {
    uint32_t first, count, begin, end;
    double *records;
} queue_part;

/* Brings what arrived at the ports into their records, and clears it for the next block. */
static __device__ void fetch_load(const fluid_device &d, const queue_part &q)
{
    const uint32_t lane = threadIdx.x % QUEUE_STEPS, size = record_of(d.t), kinds = d.t.n_kinds;
    if (q.begin + lane >= q.end)
        return;
#pragma unroll 4
    for (uint32_t i = threadIdx.x / QUEUE_STEPS; i < q.count * kinds; i += QUEUE_TEAMS) {
        double *const load = d.load + ((uint64_t)q.first * kinds + i) * d.t.lookahead + q.begin + lane;
        q.records[i / kinds * size + i % kinds * QUEUE_STEPS + lane] = *load;
        *load = 0.0;
    }
}

static __device__ void store_results(const fluid_device &d, const fluid_state &s, const queue_part &q)
{
    const uint32_t lane = threadIdx.x % QUEUE_STEPS, step = q.begin + lane, size = record_of(d.t);
    if (step >= q.end)
        return;
    for (uint32_t i = threadIdx.x / QUEUE_STEPS; i < q.count; i += QUEUE_TEAMS) {
        const fluid_port *const port = &d.t.ports[q.first + i];
        const uint32_t slot = slot_ahead(fluid_row_now(s.now, port->rows), step, port->rows);
        for (uint32_t which = 0; which < results_of(d.t); which++) {
            double *const ring = fluid_own_ring(&d.t, &s, port, which);
            if (ring)
                ring[slot] = q.records[i * size + (d.t.n_kinds + which) * QUEUE_STEPS + lane];
        }
    }
}

static __global__ void __launch_bounds__(QUEUE_THREADS)
    update_queue(const __grid_constant__ fluid_device d, uint32_t n)
{
    extern __shared__ double records[];
    const fluid_state s = at_work(d);
    const uint32_t first = blockIdx.x * QUEUE_THREADS;
    const uint32_t count = d.t.n_ports - first < QUEUE_THREADS ? d.t.n_ports - first : QUEUE_THREADS;
    double *const record = records + threadIdx.x * record_of(d.t);
    for (uint32_t begin = 0; begin < n; begin += QUEUE_STEPS) {
        const uint32_t end = n - begin < QUEUE_STEPS ? n : begin + QUEUE_STEPS;
        const queue_part q = {first, count, begin, end, records};
        fetch_load(d, q);
        __syncwarp();
        if (threadIdx.x < count)
            fluid_queue_block(&d.t, &s, first + threadIdx.x, end - begin, record,
                              record + d.t.n_kinds * QUEUE_STEPS, QUEUE_STEPS);
        __syncwarp();
        store_results(d, s, q);
        __syncwarp();
    }
}

#endif
