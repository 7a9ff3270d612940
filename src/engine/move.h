/*
 * A simulation changes its engine at a stop point and goes on where it stands: states, heads and counters stay in the host's
 * arrays, pending events go from one engine's sets to the other's. Results do not depend on it (weir/engine.h).
 */
#pragma once

#include "weir/engine.h"

/* The engine to go on with; `threads` as in weir_setup. */
typedef struct wi_move {
    weir_engine engine;
    uint32_t threads;
    int device; /* of the GPU engine */
} wi_move;

/*
 * Move `sim`, between two runs. One process, and no observer.
 *
 * Returns: WEIR_OK; what the engine's start returns, such as WEIR_E_UNSUPPORTED or WEIR_E_DEVICE: then it goes on with the
 *          sequential engine. Where memory runs short on the way (WEIR_E_NOMEM), it cannot, and the next run says so.
 */
WEIR_NODISCARD weir_status wi_sim_move(weir_diag *diag, weir_sim *sim, const wi_move *to);

/* Whether a device may have it, as far as the engine knows: there is device code, and no hook between its events. */
bool wi_sim_fits_device(const weir_sim *sim);
/* The most threads that have something to do. */
uint32_t wi_sim_most_threads(const weir_sim *sim);
