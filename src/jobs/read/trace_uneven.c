/* Collectives of uneven parts in SimGrid's time-independent traces, whose numbers have their meaning by how many ranks there are. */
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "jobs/read/trace_lines.h"
#include "jobs/uneven.h"

/* A line, and which of its numbers is next. */
typedef struct numbers {
    trace_lines *t;
    const trace_line *l;
    const double *at;
    uint32_t left;
} numbers;

#define NOT_ALL "Of a communicator that is not all ranks' these traces do not say whose it is"
#define WRONG(n, ...) WRONG_AT((n)->t, (n)->l, __VA_ARGS__)

static const double *take(numbers *n, uint32_t count)
{
    const double *const at = n->at;
    n->at += count;
    n->left -= count;
    return at;
}

/* The number that comes next, where there is one. */
static double next(numbers *n, double otherwise)
{
    return n->left ? *take(n, 1) : otherwise;
}

/* Bytes of some elements. */
static weir_status bytes_of(const numbers *n, const double *count, uint32_t many, double type, uint32_t *out)
{
    const uint32_t unit = type < 0.0 ? (uint32_t)n->l->action.bytes : wi_trace_type_bytes(type);
    if (!unit)
        return WRONG(n, "'%g' is no type; want a whole number from 0 to 29", type);
    for (uint32_t i = 0; i < many; i++) {
        const double bytes = ceil(count[i]) * unit;
        if (!(bytes <= 1 << 30))
            return WRONG(n, "a message of %.0f bytes; want at most 1 GiB", bytes);
        out[i] = (uint32_t)bytes;
    }
    return WEIR_OK;
}

/* A reduction of parts for each rank is one of all of them, in equal shares. */
static weir_status reduce_scatter(numbers *n, const uint32_t *bytes, double flops)
{
    job_action a = {.op = JOB_OP_REDUCE_SCATTER, .algorithm = JOB_AUTO};
    const wi_job_place place = {n->l->file, n->l->line};
    char text[32];
    for (uint32_t i = 0; i < n->t->ranks; i++)
        a.bytes += bytes[i];
    if (a.bytes > UINT64_C(1) << 30)
        return WRONG(n, "%llu bytes; want at most 1 GiB", (unsigned long long)a.bytes);
    snprintf(text, sizeof text, "%g", flops);
    const weir_time time_ps = wi_trace_time(n->t, n->l, text, flops / n->t->speed);
    (void)wi_reading_act(&n->t->reading, &a, place);
    if (time_ps)
        (void)wi_reading_act(&n->t->reading, &(job_action){.op = JOB_OP_COMPUTE, .time_ps = time_ps}, place);
    return n->t->reading.status;
}

/* What of the numbers are counts for each rank, and which stand before and behind them; then root and types. */
static weir_status read_numbers(numbers *n, wi_uneven *u, uint32_t *to, uint32_t *from)
{
    const uint32_t p = u->p, op = u->op, all = op == JOB_OP_ALLTOALLV ? 2 * p + 2 : p + 1;
    double types[2];
    if (n->left < all)
        return WRONG(n, "%u numbers; want %u for ranks 0 to %u. " NOT_ALL, n->left, all, p - 1);
    const bool first = op == JOB_OP_SCATTERV || op == JOB_OP_REDUCE_SCATTER;
    const double *const own = first ? n->at + p : n->at, *const counts = take(n, p + 1) + !first;
    const double *const others = op == JOB_OP_ALLTOALLV ? take(n, p + 1) + 1 : NULL;
    const bool rooted = op == JOB_OP_GATHERV || op == JOB_OP_SCATTERV;
    const double root = rooted ? next(n, 0.0) : 0.0;
    if (!(root < p) || root != floor(root))
        return WRONG(n, "root %g of %u ranks", root, p);
    if (op == JOB_OP_ALLGATHERV && p > 2 && n->left == p) /* where parts lie */
        (void)take(n, p);
    types[0] = next(n, -1.0);
    types[1] = next(n, types[0]);
    if (n->left && !(op == JOB_OP_ALLGATHERV && n->left == p))
        return WRONG(n, "%u numbers too many for ranks 0 to %u. " NOT_ALL, n->left, p - 1);
    u->root = (uint32_t)root;
    if (op == JOB_OP_REDUCE_SCATTER)
        return bytes_of(n, counts, p, types[0], from) ?: reduce_scatter(n, from, *own);
    /* A rank that is not the root has one part. */
    const bool one = rooted && u->rank != u->root,
               gives = op == JOB_OP_ALLTOALLV || (rooted && one == (op == JOB_OP_GATHERV));
    u->to = gives ? to : NULL;
    u->from = gives && op != JOB_OP_ALLTOALLV ? NULL : from;
    WI_RETURN_IF_FAILED(bytes_of(n, one ? own : counts, one ? 1 : p, types[!gives], gives ? to : from));
    return op == JOB_OP_ALLTOALLV ? bytes_of(n, others, p, types[1], from) : WEIR_OK;
}

void wi_trace_uneven(trace_lines *t, const trace_line *l)
{
    wi_reading *const r = &t->reading;
    numbers n = {t, l, t->number + l->number, l->numbers};
    WI_FREED uint32_t *list = malloc(2 * (size_t)t->ranks * sizeof *list);
    if (!wi_reading_has(r, list))
        return;
    wi_uneven u = {.op = l->action.op,
                   .rank = l->rank,
                   .p = t->ranks,
                   .to = list,
                   .from = list + t->ranks,
                   .key = JOB_KEY_INNER,
                   .slot = t->slots,
                   .alone = l->alone};
    if (u.op == JOB_OP_SCAN)
        list[t->ranks] = (uint32_t)l->action.bytes;
    else
        (void)read_numbers(&n, &u, list, list + t->ranks);
    if (r->status == WEIR_OK && u.op != JOB_OP_REDUCE_SCATTER)
        (void)wi_reading_has(r, wi_uneven_put(&u, &r->job->programs, (wi_job_place){l->file, l->line}));
}
