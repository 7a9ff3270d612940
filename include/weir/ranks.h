/**
 * Several processes that run one simulation together, started by mpirun.
 *
 * Every rank makes the same set-up and the same calls of engine.h in the same order; the conservative engine
 * shares the work among them. States, digests and counters can be read on every rank, after weir_sim_fetch on
 * all; records go to rank 0's sink. Only rank 0 should write files and print. One simulation at a time.
 *
 * A rank that is lost ends the others: those on its machine notice within a second and say so, the rest when
 * MPI or its launcher does. Only a study (weir/study.h) goes on without it, unless it is rank 0.
 *
 * All functions are for the main thread.
 */
#ifndef WEIR_RANKS_H
#define WEIR_RANKS_H

#include <stdint.h>

#include "weir/fn.h"
#include "weir/status.h"

/**
 * Join the others where mpirun has started more than one process; else nothing happens. Before any other use
 * of weir that is meant to be shared. WEIR_E_UNSUPPORTED in a build without MPI, and where MPI fails.
 */
WEIR_API WEIR_NODISCARD weir_status weir_ranks_begin(weir_diag *diag);
/** Leave; the process makes no further use of MPI. Collective, allowed without weir_ranks_begin. */
WEIR_API void weir_ranks_end(void);

/** This process's number, from 0, and how many there are; 0 and 1 where it is alone. */
WEIR_API uint32_t weir_rank(void);
/** Number of MPI ranks of this run; 1 without MPI. */
WEIR_API uint32_t weir_ranks(void);
/** Ranks that have ended before a study did, which went on without them; then ranks are together no more, and
 * weir_ranks() is 1. 0 without MPI. */
WEIR_API uint32_t weir_ranks_lost(void);

/**
 * The worst of what the ranks say (the greatest number), the same on all. Where that is an error, rank 0 gets
 * the message of the first rank that has one, if it has none itself. Collective.
 */
WEIR_API weir_status weir_ranks_agree(weir_diag *diag, weir_status status);

/**
 * Ranks that mean to run the same must have the same text: WEIR_E_SCENARIO on all where one differs from rank
 * 0's, with the rank and the first line that differs. `what` names the text in the message. Collective.
 */
WEIR_API WEIR_NODISCARD weir_status weir_ranks_same(weir_diag *diag, const char *what, const char *text);

#endif
