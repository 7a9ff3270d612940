/* Whether this process runs simulations of its own beside the other ranks; of the process, as MPI is. */
#include "engine/ranks/ranks.h"
#include "weir/ranks.h"

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
