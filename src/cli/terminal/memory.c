/* How much memory the command may take. */
#include "cli/terminal/stop.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* Of a container, where it has less than the machine; 0: no such limit. */
static double container_bytes(void)
{
    char text[64] = "";
    FILE *f = fopen("/sys/fs/cgroup/memory.max", "r");
    if (f && !fgets(text, sizeof text, f))
        text[0] = '\0';
    if (f)
        fclose(f);
    return strtod(text, NULL); /* 0 of "max" */
}

void cli_limit_memory(void)
{
    struct rlimit limit;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return; /* sanitizers reserve more than any machine has */
#endif
    const double machine = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE),
                 here = container_bytes();
    const double share = 0.9 * (here > 0.0 && here < machine ? here : machine);
    if (getrlimit(RLIMIT_DATA, &limit) != 0 ||
        (limit.rlim_cur != RLIM_INFINITY && (double)limit.rlim_cur < share))
        return;
    limit.rlim_cur = (rlim_t)share;
    (void)setrlimit(RLIMIT_DATA, &limit);
}
