/* A solver's state in checkpoints. */
#ifndef WI_FLUID_KEEP_H
#define WI_FLUID_KEEP_H

#include "base/archiver.h"
#include "weir/fluid.h"

/* Whether the state lies on the host, where it can be kept. */
bool wi_fluid_can_archive(const weir_fluid *fluid);
/* All that moves: save it, or read it back into a solver of the same plan. */
void wi_fluid_archive(weir_fluid *fluid, wi_archiver *archiver);

#endif
