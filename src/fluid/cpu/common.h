/* What each precision of the CPU's solver includes before all else: fluid_real is defined. */
/* Without this gcc makes a branch of a choice between two quotients, as one of them might trap, and no
 * vectors of the loop. Bits are the same; clang does so anyway. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-trapping-math")
#endif

#include <pthread.h>
#include <string.h>

#include "fluid/ghosts/ghosts.h"
#include "fluid/law/acks.h"
#include "fluid/law/changes.h"
#include "fluid/state/internal.h"
#include "fluid/cpu/rest.h"
#include "fluid/cpu/team.h"
