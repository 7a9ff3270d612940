/*
 * A model of entities that are all alike: one kind, one lookahead, a world without tables. PHOLD, LCG and Jackson's
 * network are made this way.
 */
#pragma once

#include "weir/engine.h"

typedef struct wi_uniform_params {
    const weir_model *model; /* `kind` stands for its only kind */
    weir_kind kind;
    const void *world; /* [world_bytes], copied */
    size_t world_bytes;
    uint32_t n_entities;
    weir_time lookahead_ps;
    uint64_t n_counters;
    const struct weir_gpu_program *gpu; /* null in builds without CUDA */
} wi_uniform_params;

/* Model, world and lookaheads of one set of parameters; immutable, so that many simulations may share it. */
typedef struct wi_uniform wi_uniform;

/* Make one of parameters that the caller has checked. WEIR_E_NOMEM. */
WEIR_NODISCARD weir_status wi_uniform_new(weir_diag *diag, const wi_uniform_params *params, wi_uniform **out);
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
