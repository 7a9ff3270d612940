/* The packet network as a scenario's subject: put together, estimated, freed. */
#ifndef WI_SCENARIO_SUBJECTS_PACKETS_PACKETS_H
#define WI_SCENARIO_SUBJECTS_PACKETS_PACKETS_H

#include "scenario/network/network.h"

/* Build all of it. `*out` is set on every path and may be given to wi_network_free. */
WEIR_NODISCARD weir_status wi_network_build(weir_diag *diag, const weir_scenario *scenario, wi_network **out);
void wi_network_free(wi_network *network);

/* estimate.c: entities, packets and memory of a network that is built. */
WEIR_NODISCARD weir_status wi_network_estimate(weir_diag *diag, const wi_network *network,
                                               weir_estimate *out);
/* estimate.c: WEIR_E_NOMEM, at the first class, where the state of a network that is built does not fit this machine. */
WEIR_NODISCARD weir_status wi_network_fits(weir_diag *diag, const wi_network *network);

#endif
