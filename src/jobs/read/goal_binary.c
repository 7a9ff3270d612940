/*
 * GOAL schedules as LogGOPSim's txt2bin writes them, little-endian and without gaps: the number 4,223 in 8 bytes, then from a base
 * behind it the number of ranks (4 bytes), 1 byte each of processors and interfaces, and of each rank where its schedule
 * begins and ends, counted from the base (8 bytes each). A schedule: numbers of operations and of those that wait for nothing (4
 * each), a list of the latter, operations of 39 bytes, and lists of operations that wait for others, by their numbers.
 */
#include <string.h>

#include "base/memory.h"
#include "jobs/read/readers.h"
#include "jobs/read/reading.h"

enum { MAGIC = 4223, BASE = 8, HEAD = 6, SEND = 1, RECV = 2, CALC = 3, OP_BYTES = 39 };

typedef struct binary {
    wi_reading r;
    const unsigned char *at; /* the base */
    uint64_t size;           /* from it on */
} binary;

static uint64_t number_at(const unsigned char *at, int bytes)
{
    uint64_t value = 0;
    for (int i = bytes; i-- > 0;)
        value = value << 8 | at[i];
    return value;
}

bool wi_job_is_goal_binary(const char *text, size_t size)
{
    return size >= BASE + HEAD && number_at((const unsigned char *)text, 8) == MAGIC;
}

#define WRONG(b, text, ...) WI_WRONG(&(b)->r, "%s: " text, (b)->r.job->file, __VA_ARGS__)

static weir_status broken(binary *b, uint32_t rank)
{
    return WRONG(b, "the schedule of rank %u does not fit the file", rank);
}

static weir_status add_op(binary *b, const unsigned char *o, uint32_t rank, uint32_t number)
{
    const uint32_t type = o[4];
    const uint64_t size = number_at(o + 9, 8);
    wi_job_op op = {.rank = rank,
                    .where = number,
                    .peer = (uint32_t)number_at(o + 5, 4),
                    .tag = (uint32_t)number_at(o + 17, 4)};
    op.processor = o[21];
    op.kind = type == SEND ? WI_JOB_SEND : type == RECV ? WI_JOB_RECV : WI_JOB_COMPUTE;
    if (type < SEND || type > CALC || size > INT64_MAX / 1000)
        return WRONG(b, "rank %u, operation %u is none", rank, number);
    if (type == RECV && (op.peer == UINT32_MAX || op.tag == UINT32_MAX))
        return WRONG(b, "rank %u, operation %u receives from any rank, or any tag, which is not read", rank,
                     number);
    if (type == CALC)
        op.time_ps = (weir_time)size * 1000;
    else
        op.bytes = size;
    (void)wi_reading_add(&b->r, op, NULL);
    return b->r.status;
}

/* Operations that wait for one: `n` numbers in a list. */
static weir_status add_edges(binary *b, const unsigned char *list, uint64_t n, uint32_t first,
                             uint32_t before, uint32_t n_ops, bool at_start)
{
    for (uint64_t i = 0; i < n; i++) {
        const uint32_t after = (uint32_t)number_at(list + 4 * i, 4);
        if (after >= n_ops)
            return WRONG(b, "rank %u, operation %u is waited for by operation %u of %u",
                         b->r.job->op[first + before].rank, before, after, n_ops);
        wi_reading_after(&b->r, first + after, first + before, at_start);
    }
    return b->r.status;
}

static weir_status read_rank(binary *b, uint32_t rank)
{
    const unsigned char *const entry = b->at + HEAD + 16 * (uint64_t)rank;
    const uint64_t from = number_at(entry, 8), to = number_at(entry + 8, 8);
    if (to > b->size || from > to || to - from < 8)
        return broken(b, rank);
    const uint64_t n = number_at(b->at + from, 4), roots = number_at(b->at + from + 4, 4), size = to - from;
    const uint64_t lists = 8 + 4 * roots + OP_BYTES * n;
    if (lists > size)
        return broken(b, rank);
    const unsigned char *const ops = b->at + from + 8 + 4 * roots, *const list = b->at + from + lists;
    const uint64_t room = (size - lists) / 4;
    const uint32_t first = b->r.job->n_ops;
    for (uint64_t i = 0; i < n; i++)
        WI_RETURN_IF_FAILED(add_op(b, ops + OP_BYTES * i, rank, (uint32_t)i));
    for (uint64_t i = 0; i < n; i++)
        for (int k = 0; k < 2; k++) {
            const unsigned char *const at = ops + OP_BYTES * i + 23 + 8 * k;
            const uint64_t waiting = number_at(at, 4), begin = number_at(at + 4, 4);
            if (waiting > 0 && (begin > room || waiting > room - begin))
                return broken(b, rank);
            WI_RETURN_IF_FAILED(add_edges(b, list + (waiting ? 4 * begin : 0), waiting, first, (uint32_t)i,
                                          (uint32_t)n, k == 1));
        }
    return WEIR_OK;
}

weir_status wi_job_read_goal_binary(weir_diag *diag, wi_job *job, const char *text, size_t size)
{
    binary b = {{diag, job, job->file, "operations"}, (const unsigned char *)text + BASE, size - BASE};
    const uint64_t ranks = number_at(b.at, 4);
    job->what = "operation";
    if (ranks == 0 || ranks > WI_JOB_RANKS_MAX || b.size < HEAD + 16 * ranks)
        return WRONG(&b, "%llu ranks do not fit the file; want 1 to %d", (unsigned long long)ranks,
                     WI_JOB_RANKS_MAX);
    job->n_ranks = (uint32_t)ranks;
    for (uint32_t r = 0; r < ranks; r++)
        WI_RETURN_IF_FAILED(read_rank(&b, r));
    return WEIR_OK;
}
