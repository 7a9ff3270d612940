/*
 * What the keys of a job's ranks mean, for every network.
 *
 * Where ranks go: a network has seats, one a rank: a host has as many as it takes ranks, a terminal one. Ranks take
 * them as they lie (BLOCKS); of each `each` that follow each other, a host's or a router's, the first, then the second
 * (ROUND_ROBIN); or in an order that is drawn (RANDOM), in which those of a server stay together.
 */
#pragma once

#include "jobs/collective.h"
#include "weir/random.h"
#include "weir/jobs.h"

/* The seat that is taken as number i, of groups of `each`. */
static inline uint32_t wi_job_seat(weir_sc_place placement, uint32_t i, uint32_t groups, uint32_t each)
{
    return placement == WEIR_SC_PLACE_ROUND_ROBIN ? i % groups * each + i / groups : i;
}

/* A list of n in an order that is drawn, of which `together` that follow each other stay so; n is a multiple. */
static inline void wi_job_shuffle(weir_stream *random, uint32_t *list, uint32_t n, uint32_t together)
{
    for (uint32_t k = n / together; k > 1; k--) {
        uint32_t *const at = list + (size_t)weir_draw_below(random, k) * together, *const last =
                                                                                       list +
                                                                                       (size_t)(k - 1) *
                                                                                           together;
        for (uint32_t i = 0; i < together; i++) {
            const uint32_t kept = last[i];
            last[i] = at[i];
            at[i] = kept;
        }
    }
}

/* `eager: auto`, and how many bytes it stands for where nothing says more. */
#define WI_JOB_EAGER_AUTO 0x1p63
static inline bool wi_job_eager_is_auto(const weir_scenario_ranks *ranks)
{
    return ranks->eager_bytes == (uint64_t)WI_JOB_EAGER_AUTO;
}

static inline uint64_t wi_job_eager(const weir_scenario_ranks *ranks)
{
    return wi_job_eager_is_auto(ranks) ? 16384 : ranks->eager_bytes;
}

static inline uint8_t wi_job_algorithm(weir_sc_reduce how)
{
    return how == WEIR_SC_REDUCE_RING       ? JOB_RING
           : how == WEIR_SC_REDUCE_DOUBLING ? JOB_DOUBLING
           : how == WEIR_SC_REDUCE_HALVING  ? JOB_RABENSEIFNER
                                            : JOB_AUTO;
}

static inline job_action wi_job_action(const weir_sc_action *a)
{
    return (job_action){.op = (uint8_t)a->op,
                        .algorithm = wi_job_algorithm(a->algorithm),
                        .peer = a->root,
                        .bytes = a->op == JOB_OP_BARRIER ? 0 : a->bytes,
                        .time_ps = a->time_ps};
}
