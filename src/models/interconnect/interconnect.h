/*
 * Interconnects of parallel computers: one router under three wirings (dragonfly, k-ary n-tree, torus), and
 * what runs on them.
 *
 * Model: docs/interconnects.md. Chunks are stored and forwarded; input buffers with virtual channels and
 * credits, so that no chunk is ever dropped; round-robin arbitration at each output.
 */
#pragma once

#include <math.h>

#include "models/interconnect/router.h"
#include "models/interconnect/terminal.h"
#include "models/interconnect/world/params.h"
#include "weir/engine.h"

/* A sum of picoseconds: a counter and its carry. */
static inline __int128 wi_ic_sum_ps(int64_t rest, int64_t carry)
{
    return ((__int128)carry << 32) + rest;
}

/* The mean of n spans of such a sum, seconds; NaN of none. */
static inline double wi_ic_mean_s(int64_t n, int64_t rest, int64_t carry)
{
    return n ? 1e-12 * (double)wi_ic_sum_ps(rest, carry) / (double)n : (double)NAN;
}

/* Model, world and lookaheads of one set of parameters; immutable, so that many simulations may share it. */
typedef struct wi_ic wi_ic;

/* WEIR_E_ARG names the parameter that cannot be; WEIR_E_NOMEM. */
WEIR_NODISCARD weir_status wi_ic_new(weir_diag *diag, const ic_params *params, wi_ic **out);
void wi_ic_free(wi_ic *ic); /* accepts null */
/* What all entities know. */
const ic_world *wi_ic_world(const wi_ic *ic);
/* The same to be changed at a stop point (bypass.c). */
ic_world *wi_ic_world_at_stop(wi_ic *ic);
/* Everything of a set-up that the model decides, seed and run included; the caller adds engine, sink and
 * hook. `ic` must outlive the simulation. */
void wi_ic_setup(const wi_ic *ic, weir_setup *setup);
/* interconnect.cu: device code; only in builds with CUDA. */
WEIR_EXTERN const struct weir_gpu_program *wi_interconnect_gpu(void);
/* The same with a surrogate. */
WEIR_EXTERN const struct weir_gpu_program *wi_interconnect_round_gpu(void);

/* Everything that a run must keep: no credit lost or made, buffers within bounds, each packet sent delivered or
 * under way once. Reads all states and pending events. WEIR_E_MODEL with the numbers where it does not hold. */
WEIR_NODISCARD weir_status wi_ic_check(weir_diag *diag, const wi_ic *ic, const weir_sim *sim);

/* A router of a simulation whose state is fetched. `ctx` is what it stands on. */
ic_here wi_ic_router_in(const wi_ic *ic, const weir_sim *sim, weir_ctx *ctx, uint32_t router);
/* Every run of chunks in the buffers of all routers. At a stop point whose state is fetched. */
void wi_ic_visit_runs(const wi_ic *ic, const weir_sim *sim, void (*see)(void *user, ic_run *run), void *user);
/* Every packet whose tail is in the network or on its way round it, in no order; those that the surrogate has delivered are none.
 * At a stop point whose state is fetched. What weir_sim_pending returns. */
WEIR_NODISCARD weir_status wi_ic_visit_packets(weir_diag *diag, const wi_ic *ic, const weir_sim *sim,
                                               void (*see)(void *user, const ic_burst *packet), void *user);
