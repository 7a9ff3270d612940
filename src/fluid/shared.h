/*
 * The ports that packets and fluid share, wherever packets are simulated: on the host (shared_host.c), or on
 * the device that has the fluid too, so that what they tell each other stays there (cuda_shared.cu). The
 * arithmetic is net/meeting.h for both.
 *
 * Threads: `exchange` and `put` are called by whoever advances the fluid, the others by the thread that runs
 * the simulation; gather and begin only while the fluid rests.
 */
#ifndef WI_FLUID_SHARED_H
#define WI_FLUID_SHARED_H

#include "fluid/coupling.h"

typedef struct wi_shared wi_shared;

typedef struct wi_shared_ops {
    /* A simulation begins, at time 0; with a solver at step 0. */
    weir_status (*attach)(wi_shared *s, weir_diag *diag, const weir_sim *sim, weir_fluid *fluid);
    /* What packets left in a batch of batch_ps that ends at at_ps; *difference: the largest share of a limit
     * among what is queued. */
    weir_status (*gather)(wi_shared *s, weir_diag *diag, weir_time at_ps, double batch_ps,
                          double *difference);
    /* Batch `number` begins, and with it the rows that packets read. */
    weir_status (*begin)(wi_shared *s, weir_diag *diag, uint32_t number, weir_time from_ps);
    /* Tell the fluid what was gathered. */
    weir_status (*exchange)(wi_shared *s, weir_diag *diag, weir_fluid *fluid);
    /* Ends of the last n steps into rows, from entry `at` on; without ports, wait until they are done. */
    weir_status (*put)(wi_shared *s, weir_diag *diag, weir_fluid *fluid, uint32_t n, int64_t at);
    /* At a stop point: the rows, for the host to read. */
    weir_status (*look)(wi_shared *s, weir_diag *diag);
    void (*free)(wi_shared *s);
} wi_shared_ops;

struct wi_shared {
    const wi_shared_ops *ops;
    wi_net *net;
    const wi_meeting *meetings; /* [n] borrowed */
    uint32_t n, most_steps;     /* of a call of put */
    uint32_t *ports;            /* [n] of the fluid */
    const weir_sim *sim;
};

/* With room for most_steps steps at once. WEIR_E_NOMEM. *out is null on failure. */
WEIR_NODISCARD weir_status wi_shared_on_host(weir_diag *diag, wi_net *net, const wi_meeting *meetings,
                                             uint32_t n, uint32_t most_steps, wi_shared **out);
/* WEIR_E_UNSUPPORTED in a build without CUDA. */
WEIR_EXTERN WEIR_NODISCARD weir_status wi_shared_on_device(weir_diag *diag, wi_net *net,
                                                           const wi_meeting *meetings, uint32_t n,
                                                           uint32_t most_steps, wi_shared **out);
void wi_shared_free(wi_shared *s); /* null is allowed */

#endif
