/*
 * Round the network and back: what the director does with an interconnect at stop points (docs/surrogate.md).
 */
#pragma once

#include "models/interconnect/interconnect.h"
#include "surrogate/director.h"

/* A simulation whose interconnect, made with `surrogate`, can be bypassed. */
typedef struct wi_ic_bypass {
    wi_ic *ic;
    weir_sim *sim;
    int64_t *tracked;            /* counters of pairs when tracking began */
    struct ic_source_seen *seen; /* [n_seen][n_terminals]: at the last two begins of tracking, and at marks */
    uint32_t n_seen;
    weir_time since_ps;
    uint64_t rescued; /* packets in the network that were delivered round it */
} wi_ic_bypass;

/* Make one of a simulation; it may be freed on every path. WEIR_E_NOMEM. */
WEIR_NODISCARD weir_status wi_ic_bypass_init(weir_diag *diag, wi_ic_bypass *bypass, wi_ic *ic, weir_sim *sim);
void wi_ic_bypass_free(wi_ic_bypass *bypass); /* and empty it */
/* Save what was tracked, or read it back; and the world's own part, before a simulation of it is made: the predictor that it has
 * learnt, and when it goes round. */
void wi_ic_bypass_archive(wi_ic_bypass *bypass, wi_archiver *archiver);
void wi_ic_bypass_archive_world(wi_ic *ic, wi_archiver *archiver);
/* What the director calls; `user` is the bypass. */
wi_director_model wi_ic_bypass_model(wi_ic_bypass *bypass);
