/* Collectives whose parts differ; see uneven.h. */
#include "jobs/uneven.h"

typedef struct putting {
    const wi_uneven *u;
    wi_job_programs *to;
    wi_job_place place;
    uint32_t open; /* requests */
    bool failed;
} putting;

static void put(putting *p, job_action action)
{
    p->failed = p->failed || !wi_job_put(p->to, &action, p->place);
}

static void begin(putting *p, uint8_t op, uint32_t peer, uint32_t bytes)
{
    const uint32_t *const member = p->u->member;
    if (bytes)
        put(p, (job_action){.op = op,
                            .peer = member ? member[peer] : peer,
                            .key = p->u->key,
                            .slot = p->u->slot + p->open++,
                            .bytes = bytes});
}

static void wait_for_all(putting *p)
{
    for (uint32_t i = 0; i < p->open && !p->u->alone; i++)
        put(p, (job_action){.op = JOB_OP_WAIT, .slot = p->u->slot + i});
    if (p->open && p->u->alone)
        put(p, (job_action){.op = JOB_OP_WAITALL});
    p->open = 0;
}

static void with_each(putting *p, uint8_t op, const uint32_t *bytes)
{
    const wi_uneven *const u = p->u;
    for (uint32_t far = 1; bytes && far < u->p; far++) {
        const uint32_t peer = job_turned(u->rank, op == JOB_OP_ISEND ? far : u->p - far, u->p);
        begin(p, op, peer, bytes[peer]);
    }
}

static void ring(putting *p)
{
    const wi_uneven *const u = p->u;
    const uint32_t next = job_turned(u->rank, 1, u->p), last = job_turned(u->rank, u->p - 1, u->p);
    for (uint32_t step = 0; step + 1 < u->p; step++) {
        const uint32_t mine = job_turned(u->rank, u->p - step, u->p),
                       its = job_turned(last, u->p - step, u->p);
        begin(p, JOB_OP_IRECV, last, u->from[its]);
        begin(p, JOB_OP_ISEND, next, u->from[mine]);
        wait_for_all(p);
    }
}

static void doubling(putting *p)
{
    const wi_uneven *const u = p->u;
    for (uint32_t far = 1; far < u->p; far *= 2)
        if ((u->rank ^ far) < u->p) {
            begin(p, JOB_OP_IRECV, u->rank ^ far, u->from[0]);
            begin(p, JOB_OP_ISEND, u->rank ^ far, u->from[0]);
            wait_for_all(p);
        }
}

bool wi_uneven_put(const wi_uneven *u, wi_job_programs *to, wi_job_place place)
{
    putting p = {.u = u, .to = to, .place = place};
    const bool gathers = u->op == JOB_OP_GATHERV;
    if (u->op == JOB_OP_ALLGATHERV) {
        ring(&p);
    } else if (u->op == JOB_OP_SCAN) {
        doubling(&p);
    } else if (u->op == JOB_OP_ALLTOALLV || u->rank == u->root) {
        with_each(&p, JOB_OP_IRECV, u->from);
        with_each(&p, JOB_OP_ISEND, u->to);
        wait_for_all(&p);
    } else {
        begin(&p, gathers ? JOB_OP_ISEND : JOB_OP_IRECV, u->root, gathers ? u->to[0] : u->from[0]);
        wait_for_all(&p);
    }
    return !p.failed;
}
