/* What the launcher of ranks says of them; see ranks.h. */
#include <stdlib.h>

#include "engine/ranks/ranks.h"

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
