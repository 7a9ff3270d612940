/* A solver's state: in checkpoints, and of many ports and flows at once. */
#ifndef WI_FLUID_KEEP_H
#define WI_FLUID_KEEP_H

#include "base/file/archiver.h"
#include "weir/fluid.h"

/* All that moves, wherever it is solved: save it, or read it back into a solver of the same plan. */
void wi_fluid_archive(weir_fluid *fluid, wi_archiver *archiver);

/* weir_fluid_read_port and weir_fluid_read_flow of n of them from `first` on, all of which there are. */
WEIR_NODISCARD weir_status wi_fluid_read_ports(weir_diag *diag, weir_fluid *fluid, uint32_t first, uint32_t n,
                                               weir_fluid_port_state *out);
WEIR_NODISCARD weir_status wi_fluid_read_flows(weir_diag *diag, weir_fluid *fluid, uint32_t first, uint32_t n,
                                               weir_fluid_flow_state *out);

#endif
