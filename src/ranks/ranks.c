/* What is the same with and without MPI, and the build without it. */
#include "weir/ranks.h"

#include <stdlib.h>

#include "ranks/ranks.h"

/* MPI is the process's own, and so is whether this process runs simulations beside the other ranks. */
static int is_alone;
static uint32_t n_lost;

void wi_ranks_set_alone(int alone)
{
    is_alone = alone;
}

int wi_ranks_are_alone(void)
{
    return is_alone;
}

void wi_ranks_break(uint32_t lost)
{
    n_lost = lost;
}

uint32_t weir_ranks_lost(void)
{
    return n_lost;
}

uint32_t wi_ranks_started(void)
{
    /* Open MPI's name, and the one of launchers that speak PMI. */
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *text = getenv(names[i]);
        const long n = text ? strtol(text, NULL, 10) : 0;
        if (n > 1)
            return (uint32_t)n;
    }
    return 1;
}

#ifndef WEIR_HAVE_MPI
weir_status weir_ranks_begin(weir_diag *diag)
{
    if (wi_ranks_started() > 1)
        return weir_fail(diag, WEIR_E_UNSUPPORTED,
                         "started as %u processes, and this build has no MPI: build weir where MPI is "
                         "installed (libopenmpi-dev), or start it once, with threads",
                         wi_ranks_started());
    return WEIR_OK;
}

void weir_ranks_end(void)
{
}

const wi_ranks *wi_ranks_of_run(void)
{
    return NULL;
}
#endif
