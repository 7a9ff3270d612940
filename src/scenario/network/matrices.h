/*
 * Traffic matrices that follow each other: the files of a pattern, in the order of their names, each for a time.
 */
#ifndef WI_SCENARIO_NETWORK_MATRICES_H
#define WI_SCENARIO_NETWORK_MATRICES_H

#include "scenario/network/network.h"

/* The flows of a class whose demands follow each other, and what becomes of their rates. */
WEIR_NODISCARD weir_status wi_network_matrices(weir_diag *diag, wi_network *network, uint32_t cls);

#endif
