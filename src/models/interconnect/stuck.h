/*
 * Ranks of a program that can never go on.
 *
 * A rank waits for ever when one of the requests it waits for needs another rank to act (to receive, to answer, to send),
 * nothing is under way between the two, and the other waits for ever as well or has ended. The largest set of ranks of
 * which that holds is the deadlock: nobody in it can be the first to go on. Ranks that the end of the run cut off have
 * something under way, or wait for a rank that has.
 */
#pragma once

#include "models/interconnect/interconnect.h"

/* Why a rank can never go on. */
typedef struct wi_ic_stuck {
    uint32_t job, rank;
    uint32_t peer;      /* the rank that would have to act */
    uint32_t tag;       /* of a message between the two; IC_KEY_COLLECTIVE is set for a collective's */
    size_t action;      /* number among the job's actions: the one that it waits in */
    uint8_t op;         /* of that */
    bool sends;         /* it waits to send to the peer; else to receive */
    bool peer_ended;    /* the peer came to its end, and waits for nothing */
    weir_time since_ps; /* when the request was made */
} wi_ic_stuck;

/* All of them by job and rank, malloc'ed; the caller frees *out, which is null where n is 0. At a stop point whose state is
 * fetched. WEIR_E_NOMEM; what weir_sim_pending returns. */
WEIR_NODISCARD weir_status wi_ic_find_stuck(weir_diag *diag, const wi_ic *ic, const weir_sim *sim,
                                            wi_ic_stuck **out, size_t *n);
