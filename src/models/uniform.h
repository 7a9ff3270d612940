/*
 * A model of entities that are all alike: one kind, one lookahead, a world without tables. PHOLD, LCG and Jackson's
 * network are made this way.
 */
#pragma once

#include "weir/engine.h"

enum { WI_UNIFORM_WORLD_MOST = 64 };

/* What parameters come to. */
typedef struct wi_uniform_plan {
    const weir_model *model; /* `kind` stands for its only kind */
    weir_kind kind;
    uint32_t n_entities;
    uint32_t pending; /* events of an entity that are pending at a time, for estimates */
    weir_time lookahead_ps;
    uint64_t n_counters;
    const struct weir_gpu_program *gpu; /* null in builds without CUDA */
    size_t world_bytes;
    uint64_t world[WI_UNIFORM_WORLD_MOST / 8]; /* set by wi_uniform_world */
} wi_uniform_plan;
/* Make a plan of a model's parameters, which the caller has checked; `plan` comes zeroed. */
typedef void wi_uniform_planner(const void *params, wi_uniform_plan *plan);
void wi_uniform_world(wi_uniform_plan *plan, const void *world, size_t bytes);

/* Model, world and lookaheads of one set of parameters; immutable, so that many simulations may share it. */
typedef struct wi_uniform wi_uniform;

/* Make one of parameters that the caller has checked. WEIR_E_NOMEM. */
WEIR_NODISCARD weir_status wi_uniform_new(weir_diag *diag, wi_uniform_planner *planner, const void *params,
                                          wi_uniform **out);
/* Declare a model's planner, wi_NAME_plan, and wi_NAME_new of NAME_params, which are within the limits that stand with their
 * keys (scenario/subjects). WEIR_E_NOMEM. */
#define WI_UNIFORM_MODEL(name)                                                                             \
    wi_uniform_planner wi_##name##_plan;                                                                   \
    WEIR_NODISCARD static inline weir_status wi_##name##_new(weir_diag *diag, const name##_params *params, \
                                                             wi_uniform **out)                             \
    {                                                                                                      \
        return wi_uniform_new(diag, wi_##name##_plan, params, out);                                        \
    }
void wi_uniform_free(wi_uniform *made); /* accepts null */
/* Fill everything of a set-up that the model decides; the caller adds seed, run, engine, sink and hook. `made` must
 * outlive the simulation. */
void wi_uniform_setup(const wi_uniform *made, weir_setup *setup);

/* uniform.cu: device code; only in builds with CUDA. */
WEIR_EXTERN const struct weir_gpu_program *wi_lcg_gpu(void);
WEIR_EXTERN const struct weir_gpu_program *wi_phold_gpu(void);
WEIR_EXTERN const struct weir_gpu_program *wi_jackson_gpu(void);
#ifdef WEIR_HAVE_CUDA
#define WI_UNIFORM_GPU(name) wi_##name##_gpu()
#else
#define WI_UNIFORM_GPU(name) NULL
#endif
