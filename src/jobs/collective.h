/*
 * Collective operations as steps of one send and one receive a rank, as MPI libraries have them (Thakur, Rabenseifner,
 * Gropp, "Optimization of collective communication operations in MPICH", 2005).
 *
 * With T(b) the time of a message of b bytes between two ranks that nobody disturbs, and p ranks, a power of two but for rings:
 *   barrier (dissemination), broadcast and reduction (binomial trees): log2 p steps, log2 p T(b)
 *   all-reduce: ring 2 (p - 1) T(b/p); recursive doubling log2 p T(b); Rabenseifner 2 (T(b/2) + T(b/4) + ... + T(b/p))
 *   all-to-all (pairwise) and all-gather (ring): (p - 1) T(b) with b bytes a rank; reduce-scatter (ring): (p - 1) T(b/p)
 *   gather and scatter: the root takes or sends p - 1 messages, one after the other
 * and by doubling, for small ones, any p (Bruck and others, "Efficient algorithms for all-to-all communications in multiport
 * message-passing systems", 1997; the reduce-scatter is its all-gather the other way):
 *   all-gather T(b) + T(2b) + ... + T(pb/2); reduce-scatter the same with b/p; all-to-all log2 p T(pb/2)
 *   gather and scatter, binomial trees: T(b) + T(2b) + ... + T(pb/2)
 * An all-reduce of other p folds the ranks beyond the power of two into others first, and sends them the outcome last.
 */
#pragma once

#include <stdint.h>

#include "weir/fn.h"
#include "weir/time.h"

#define JOB_NOBODY UINT32_MAX
/* Of a receive, as a reader has it: from any rank, with any tag. Closing the job (jobs/any.h) puts those that come in their places. */
#define JOB_ANY UINT32_MAX
/* Keys from here on are no tags of the world's, and no receive of any tag takes them: of messages in other communicators, and of
 * collectives that are done by messages. */
#define JOB_KEY_INNER (UINT32_C(1) << 30)

typedef enum job_op {
    JOB_OP_COMPUTE,
    JOB_OP_SEND,
    JOB_OP_ISEND,
    JOB_OP_RECV,
    JOB_OP_IRECV,
    JOB_OP_WAIT,
    JOB_OP_WAITALL,
    JOB_OP_BARRIER, /* collectives from here on */
    JOB_OP_BCAST,
    JOB_OP_REDUCE,
    JOB_OP_ALLREDUCE,
    JOB_OP_ALLGATHER,
    JOB_OP_REDUCE_SCATTER,
    JOB_OP_ALLTOALL,
    JOB_OP_GATHER,
    JOB_OP_SCATTER,
    JOB_OP_EXCHANGE, /* with all neighbours in the job's grid, at once */
    JOB_OPS
} job_op;

/*
 * AUTO is by size, as MPICH has it (Thakur and others, section 4): doubling for all-reduces up to 2 KiB, all-gathers up to 80 KiB in
 * all, all-to-alls up to 256 B from each to each, reduce-scatters below 512 KiB, gathers and scatters of any size; above that
 * RABENSEIFNER for all-reduces, RING for the others. RABENSEIFNER is DOUBLING for what is no all-reduce.
 */
typedef enum job_algorithm {
    JOB_RING,
    JOB_DOUBLING,
    JOB_RABENSEIFNER,
    JOB_AUTO,
    JOB_ALGORITHMS
} job_algorithm;

/* An action of a rank's program; ranks of the job. */
typedef struct job_action {
    uint8_t op, algorithm;
    uint16_t lane; /* WAIT: until this lane, from 1, is beyond its action `slot`; 0: for a request */
    uint32_t peer; /* or the root */
    uint32_t key;  /* tag */
    uint32_t
        slot; /* ISEND, IRECV, WAIT: of the request, from 0. COMPUTE: processor. A collective: the job's group */
    uint32_t ends; /* number, from 1 within its rank, of the job's operation that ends with it; 0: none */
    uint32_t pad;
    uint64_t bytes;
    weir_time time_ps;
} job_action;

/* One step of a rank; ranks of the job, JOB_NOBODY: nobody. */
typedef struct job_step {
    uint32_t to, from;
    uint64_t to_bytes, from_bytes;
} job_step;

WEIR_FN job_step job_step_make(uint32_t to, uint32_t from, uint64_t bytes)
{
    job_step s;
    s.to = to;
    s.from = from;
    s.to_bytes = s.from_bytes = bytes;
    return s;
}

/* The greatest power of two that is at most n, n > 0; and its exponent. */
WEIR_FN uint32_t job_power_below(uint32_t n, uint32_t *exponent)
{
    uint32_t e = 0;
    while (n >> (e + 1))
        e++;
    *exponent = e;
    return (uint32_t)1 << e;
}

WEIR_FN uint32_t job_turned(uint32_t rank, uint32_t by, uint32_t p)
{
    return rank + by < p ? rank + by : rank + by - p;
}

/* A collective of p ranks as one of them sees it. */
typedef struct job_collective {
    uint32_t op, algorithm;
    uint32_t rank, p, root;
    uint64_t bytes;
} job_collective;

/* Step number `step` of a rank, one function a kind; 0: there is none, it is over. */
WEIR_FN int job_step_barrier(const job_collective *c, uint32_t step, job_step *out)
{
    if (step >= 32 || (uint64_t)1 << step >= c->p)
        return 0;
    const uint32_t far = (uint32_t)1 << step;
    *out = job_step_make(job_turned(c->rank, far, c->p), job_turned(c->rank, c->p - far, c->p), 1);
    return 1;
}

/* Bytes that go to or from the subtree of such a rank, `size` ranks at most: a scatter's and a gather's are those of its ranks. */
WEIR_FN uint64_t job_subtree_bytes(const job_collective *c, uint32_t from, uint32_t size)
{
    const int parts = c->op == JOB_OP_GATHER || c->op == JOB_OP_SCATTER;
    return parts ? c->bytes * (size < c->p - from ? size : c->p - from) : c->bytes;
}

/* From the parent, then to the children, the largest subtree first. */
WEIR_FN int job_step_bcast(const job_collective *c, uint32_t step, job_step *out)
{
    const uint32_t p = c->p, mine = job_turned(c->rank, p - c->root, p); /* 0 at the root */
    uint32_t mask = 1, child = 0;
    while (mask < p && !(mine & mask))
        mask <<= 1;
    if (mine != 0) {
        if (step == 0) {
            *out = job_step_make(JOB_NOBODY, job_turned(mine - mask, c->root, p),
                                 job_subtree_bytes(c, mine, mask));
            return 1;
        }
        step--;
    }
    for (mask >>= 1; mask; mask >>= 1)
        if (mine + mask < p && child++ == step) {
            *out = job_step_make(job_turned(mine + mask, c->root, p), JOB_NOBODY,
                                 job_subtree_bytes(c, mine + mask, mask));
            return 1;
        }
    return 0;
}

/* The same tree the other way: from the children, the smallest first, then to the parent. */
WEIR_FN int job_step_reduce(const job_collective *c, uint32_t step, job_step *out)
{
    const uint32_t p = c->p, mine = job_turned(c->rank, p - c->root, p);
    uint32_t mask = 1, child = 0;
    for (; mask < p && !(mine & mask); mask <<= 1)
        if (mine + mask < p && child++ == step) {
            *out = job_step_make(JOB_NOBODY, job_turned(mine + mask, c->root, p),
                                 job_subtree_bytes(c, mine + mask, mask));
            return 1;
        }
    if (mine == 0 || step != child)
        return 0;
    *out = job_step_make(job_turned(mine - mask, c->root, p), JOB_NOBODY, job_subtree_bytes(c, mine, mask));
    return 1;
}

/* Round a ring, each time `bytes` to the next rank. */
WEIR_FN int job_step_ring(const job_collective *c, uint64_t bytes, uint32_t steps, uint32_t step,
                          job_step *out)
{
    if (step >= steps)
        return 0;
    *out = job_step_make(job_turned(c->rank, 1, c->p), job_turned(c->rank, c->p - 1, c->p), bytes);
    return 1;
}

/* Recursive doubling and Rabenseifner's halving and doubling, with folding. */
WEIR_FN int job_step_exchange(const job_collective *c, uint32_t step, job_step *out)
{
    uint32_t rounds;
    const uint32_t rank = c->rank, power = job_power_below(c->p, &rounds), extra = c->p - power;
    const int halving = c->algorithm == JOB_RABENSEIFNER;
    const uint32_t steps = halving ? 2 * rounds : rounds;
    uint32_t mine = rank - extra; /* number among those that take part; the first 2 extra fold in pairs */
    if (rank < 2 * extra) {
        const int folds = rank % 2 == 0, first = step == 0;
        const uint32_t pair = folds ? rank + 1 : rank - 1;
        if (folds && step > 1)
            return 0;
        if (folds || first || step == steps + 1) { /* the even one sends, and gets the outcome back */
            *out = folds == first ? job_step_make(pair, JOB_NOBODY, c->bytes)
                                  : job_step_make(JOB_NOBODY, pair, c->bytes);
            return 1;
        }
        mine = rank / 2;
        step--;
    }
    if (step >= steps)
        return 0;
    const uint32_t round = step < rounds ? step : 2 * rounds - 1 - step; /* halving, then back */
    const uint32_t other = mine ^ ((uint32_t)1 << round);
    const uint32_t its = other < extra ? 2 * other + 1 : other + extra;
    const uint64_t parts = (uint64_t)2 << round;
    *out = job_step_make(its, its, halving ? (c->bytes + parts - 1) / parts : c->bytes);
    return 1;
}

WEIR_FN int job_step_alltoall(const job_collective *c, uint32_t step, job_step *out)
{
    if (step + 1 >= c->p)
        return 0;
    const uint32_t far = step + 1;
    if ((c->p & (c->p - 1)) == 0)
        *out = job_step_make(c->rank ^ far, c->rank ^ far, c->bytes);
    else
        *out = job_step_make(job_turned(c->rank, far, c->p), job_turned(c->rank, c->p - far, c->p), c->bytes);
    return 1;
}

/* Bruck's all-gather of blocks, twice as many in each step; backwards it is a reduce-scatter. */
WEIR_FN int job_step_doubled(const job_collective *c, uint64_t block, uint32_t step, job_step *out)
{
    const int back = c->op == JOB_OP_REDUCE_SCATTER;
    uint32_t rounds = 0;
    while ((uint64_t)1 << rounds < c->p)
        rounds++;
    if (step >= rounds)
        return 0;
    const uint32_t far = (uint32_t)1 << (back ? rounds - 1 - step : step), left = c->p - far;
    const uint32_t up = job_turned(c->rank, far, c->p), down = job_turned(c->rank, left, c->p);
    *out = job_step_make(back ? up : down, back ? down : up, block * (far < left ? far : left));
    return 1;
}

/* Bruck's all-to-all: what is to go a distance with this bit goes so far. */
WEIR_FN int job_step_by_bits(const job_collective *c, uint32_t step, job_step *out)
{
    if (step >= 32 || (uint64_t)1 << step >= c->p)
        return 0;
    const uint32_t far = (uint32_t)1 << step, rest = c->p % (2 * far);
    const uint32_t blocks = c->p / (2 * far) * far + (rest > far ? rest - far : 0);
    *out = job_step_make(job_turned(c->rank, far, c->p), job_turned(c->rank, c->p - far, c->p),
                         blocks * c->bytes);
    return 1;
}

/* Gather and scatter: the root has one message with each other rank, in their order from it on. */
WEIR_FN int job_step_rooted(const job_collective *c, uint32_t step, job_step *out)
{
    const int is_root = c->rank == c->root, gathers = c->op == JOB_OP_GATHER;
    const uint32_t other = is_root ? job_turned(c->root, step + 1 < c->p ? step + 1 : 0, c->p) : c->root;
    if (step >= (is_root ? c->p - 1 : 1))
        return 0;
    *out = is_root == gathers ? job_step_make(JOB_NOBODY, other, c->bytes)
                              : job_step_make(other, JOB_NOBODY, c->bytes);
    return 1;
}

/* Whether a collective that is no all-reduce goes by doubling. */
WEIR_FN int job_doubles(const job_collective *c, uint64_t whole)
{
    const uint64_t most = c->op == JOB_OP_ALLGATHER        ? (80u << 10)
                          : c->op == JOB_OP_REDUCE_SCATTER ? (512u << 10) - 1
                                                           : (uint64_t)256 * c->p;
    if (c->algorithm == JOB_RING || whole > (uint64_t)1 << 30) /* which one message can have */
        return 0;
    return c->algorithm != JOB_AUTO || c->op == JOB_OP_GATHER || c->op == JOB_OP_SCATTER || whole <= most;
}

WEIR_FN int job_step_allreduce(const job_collective *all, uint64_t share, uint32_t step, job_step *out)
{
    job_collective c = *all;
    if (c.algorithm == JOB_AUTO)
        c.algorithm = c.bytes <= (2u << 10) ? JOB_DOUBLING : JOB_RABENSEIFNER;
    return c.algorithm == JOB_RING ? job_step_ring(&c, share, 2 * (c.p - 1), step, out)
                                   : job_step_exchange(&c, step, out);
}

WEIR_FN int job_collective_step(const job_collective *c, uint32_t step, job_step *out)
{
    const uint32_t p = c->p;
    if (p < 2)
        return 0;
    const uint64_t share = (c->bytes + p - 1) / p;
    const int doubles = job_doubles(c, c->op == JOB_OP_REDUCE_SCATTER ? c->bytes : c->bytes * p);
    switch (c->op) {
    case JOB_OP_BARRIER:
        return job_step_barrier(c, step, out);
    case JOB_OP_BCAST:
        return job_step_bcast(c, step, out);
    case JOB_OP_REDUCE:
        return job_step_reduce(c, step, out);
    case JOB_OP_ALLREDUCE:
        return job_step_allreduce(c, share, step, out);
    case JOB_OP_ALLGATHER:
        return doubles ? job_step_doubled(c, c->bytes, step, out)
                       : job_step_ring(c, c->bytes, p - 1, step, out);
    case JOB_OP_REDUCE_SCATTER:
        return doubles ? job_step_doubled(c, share, step, out) : job_step_ring(c, share, p - 1, step, out);
    case JOB_OP_ALLTOALL:
        return doubles ? job_step_by_bits(c, step, out) : job_step_alltoall(c, step, out);
    case JOB_OP_GATHER:
        return doubles ? job_step_reduce(c, step, out) : job_step_rooted(c, step, out);
    case JOB_OP_SCATTER:
        return doubles ? job_step_bcast(c, step, out) : job_step_rooted(c, step, out);
    default:
        return 0;
    }
}

/* Neighbour `which` of a rank in a grid of up to three dimensions that is closed to a torus: up and down in each;
 * itself where there is none. */
WEIR_FN uint32_t job_grid_neighbour(const uint32_t grid[3], uint32_t rank, uint32_t which)
{
    uint32_t weight = 1, rest = rank;
    for (uint32_t d = 0; d < 3 && grid[d]; d++) {
        const uint32_t size = grid[d], mine = rest % size;
        if (which / 2 == d) {
            const uint32_t other = which % 2 ? (mine + size - 1) % size : (mine + 1) % size;
            return rank + other * weight - mine * weight;
        }
        rest /= size;
        weight *= size;
    }
    return rank;
}
