/* See cores.h. */
#include <stdbool.h>
#include "ranks/cores.h"

#ifdef __linux__
#include <sched.h>

uint32_t wi_cores_allowed(void)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) /* more cores than a cpu_set_t has room for */
        return UINT16_MAX;
    return (uint32_t)CPU_COUNT(&allowed);
}

uint32_t wi_core_here(void)
{
    const int core = sched_getcpu();
    return core < 0 ? WI_CORE_UNKNOWN : (uint32_t)core;
}

static bool is_taken(uint32_t core, const uint32_t *taken, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (taken[i] == core)
            return true;
    return false;
}

int wi_core_leave(const uint32_t *taken, uint32_t n)
{
    cpu_set_t allowed, one;
    const uint32_t here = wi_core_here();
    if (here == WI_CORE_UNKNOWN || sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return 0;
    /* From here on upwards, so that processes that do the same do not all meet on core 0. */
    for (uint32_t i = 1; i < CPU_SETSIZE; i++) {
        const uint32_t core = (here + i) % CPU_SETSIZE;
        if (!CPU_ISSET(core, &allowed) || is_taken(core, taken, n))
            continue;
        CPU_ZERO(&one);
        CPU_SET(core, &one);
        const int moved = sched_setaffinity(0, sizeof one, &one) == 0; /* returns on the other core */
        (void)sched_setaffinity(0, sizeof allowed, &allowed);
        return moved;
    }
    return 0;
}
#else
uint32_t wi_cores_allowed(void)
{
    return UINT16_MAX;
}

uint32_t wi_core_here(void)
{
    return WI_CORE_UNKNOWN;
}

int wi_core_leave(const uint32_t *taken, uint32_t n)
{
    (void)taken, (void)n;
    return 0;
}
#endif
