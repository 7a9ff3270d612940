/* See groups.h. */
#include "jobs/groups.h"

/* Every rank's group: `n` ranks, `stride` apart, that begin at `base`. */
static bool add_group(wi_job *job, uint32_t *of_rank, uint32_t *list, uint32_t base, uint32_t stride,
                      uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        list[i] = base + i * stride;
    const uint32_t group = wi_job_group(job, list, n);
    for (uint32_t i = 0; i < n; i++)
        of_rank[list[i]] = group;
    return group != WI_JOB_NONE;
}

bool wi_job_groups_make(wi_job *job, wi_job_groups *g, wi_owned *memory)
{
    const uint32_t block = g->tp * g->dp, ranks = block * g->pp;
    uint32_t *const list = wi_take(memory, ranks, sizeof *list);
    g->tensor = wi_take(memory, ranks, sizeof *list);
    g->data = wi_take(memory, ranks, sizeof *list);
    g->experts = wi_take(memory, ranks, sizeof *list);
    g->same_experts = wi_take(memory, ranks, sizeof *list);
    bool good = !memory->failed;
    for (uint32_t stage = 0; good && stage < g->pp; stage++) {
        const uint32_t base = stage * block;
        for (uint32_t d = 0; good && d < g->dp; d++)
            good = add_group(job, g->tensor, list, base + d * g->tp, 1, g->tp);
        for (uint32_t t = 0; good && t < g->tp; t++) {
            good = add_group(job, g->data, list, base + t, g->tp, g->dp);
            for (uint32_t e = 0; good && e < g->dp / g->ep; e++)
                good = add_group(job, g->experts, list, base + t + e * g->ep * g->tp, g->tp, g->ep);
            for (uint32_t e = 0; good && e < g->ep; e++)
                good =
                    add_group(job, g->same_experts, list, base + t + e * g->tp, g->ep * g->tp, g->dp / g->ep);
        }
    }
    return good;
}
