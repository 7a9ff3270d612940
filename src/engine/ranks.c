/* A build without MPI, or a process that no mpirun has started: alone. */
#include "engine/ranks.h"

#ifndef WEIR_HAVE_MPI
const wi_ranks *wi_ranks_of_run(void)
{
    return NULL;
}
#endif
