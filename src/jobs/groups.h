/*
 * Groups of ranks that train a model: tensor-parallel ranks are neighbours; then come data-parallel ones, of which `ep`
 * neighbours are a group of experts; pipeline stages lie outermost.
 */
#pragma once

#include "base/memory.h"
#include "jobs/job.h"

typedef struct wi_job_groups {
    uint32_t tp, dp, ep, pp; /* dp: of one stage, a multiple of ep */
    /* Of each rank the group of its tensor-parallel ranks, of those that hold the same parameters, of the experts that it shares a
     * layer's with, and of those that hold the same experts. */
    uint32_t *tensor, *data, *experts, *same_experts;
} wi_job_groups;

/* Makes the groups of tp dp pp ranks; arrays are `memory`'s. False when memory is short. */
bool wi_job_groups_make(wi_job *job, wi_job_groups *groups, wi_owned *memory);
