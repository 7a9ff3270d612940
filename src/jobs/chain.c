/* See chain.h. */
#include "jobs/chain.h"

uint32_t wi_job_chain_add(wi_job_chain *c, wi_job_op op)
{
    op.rank = c->rank;
    op.where = c->where;
    const uint32_t at = wi_job_add(c->job, &op);
    c->failed |= at == WI_JOB_NONE || (c->last != WI_JOB_NONE && !wi_job_after(c->job, at, c->last, false));
    return at;
}

void wi_job_chain_compute(wi_job_chain *c, weir_time time_ps, uint32_t name)
{
    if (time_ps > 0)
        c->last = wi_job_chain_add(c, (wi_job_op){.kind = WI_JOB_COMPUTE, .time_ps = time_ps, .name = name});
}

void wi_job_chain_collective(wi_job_chain *c, uint8_t op, const uint32_t *groups, uint64_t bytes,
                             uint32_t name, bool beside)
{
    const uint32_t group = groups[c->rank], n = wi_job_group_size(c->job, group);
    const bool part = op == JOB_OP_ALLGATHER || op == JOB_OP_ALLTOALL;
    if (n < 2 || bytes == 0)
        return;
    const uint32_t at = wi_job_chain_add(c, (wi_job_op){.kind = WI_JOB_COLLECTIVE,
                                                        .collective = op,
                                                        .group = group,
                                                        .bytes = part ? (bytes + n - 1) / n : bytes,
                                                        .name = name});
    if (beside && at != WI_JOB_NONE && c->beside != WI_JOB_NONE)
        c->failed |= !wi_job_after(c->job, at, c->beside, false);
    *(beside ? &c->beside : &c->last) = at;
}
