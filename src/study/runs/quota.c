/* Admission of runs by memory; see quota.h. */
#include "study/runs/quota.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/common/common.h"

enum { LOOK_NS = 50 * 1000 * 1000 }; /* how soon a stop is seen */
static const double usable = 0.9;    /* an estimate is one */

struct wi_quota {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    double limit, used, largest;
    uint32_t in, most, alone; /* alone: who waits to be the only one in */
    bool known, waited;
    wi_common *shared;
};

wi_quota *wi_quota_new(double bytes, wi_common *shared)
{
    wi_quota *g = calloc(1, sizeof *g);
    if (g)
        *g = (wi_quota){.lock = PTHREAD_MUTEX_INITIALIZER,
                        .changed = PTHREAD_COND_INITIALIZER,
                        .limit = bytes,
                        .shared = shared};
    return g;
}

void wi_quota_free(wi_quota *g)
{
    free(g);
}

/* Bytes that a run counts for before its own are known. */
static double assumed(const wi_quota *g)
{
    return g->known ? g->largest : g->limit;
}

/* Whether so many bytes fit beside shared data. Shared data that no run uses is freed where it is in the way. */
static bool fits_beside(const wi_quota *g, double bytes)
{
    if (g->used + bytes + (double)wi_common_used(g->shared).bytes <= g->limit)
        return true;
    wi_common_drop_unused(g->shared);
    return g->used + bytes + (double)wi_common_used(g->shared).bytes <= g->limit;
}

static bool has_room(const wi_quota *g, double bytes)
{
    return g->in == 0 || (g->used + bytes <= g->limit && fits_beside(g, bytes));
}

static void admit(wi_quota *g, double bytes)
{
    g->used += bytes;
    g->in++;
    g->most = g->in > g->most ? g->in : g->most;
}

double wi_quota_enter(wi_quota *g, bool alone, const volatile int *stop)
{
    if (!g)
        return 0.0;
    pthread_mutex_lock(&g->lock);
    g->alone += alone;
    g->waited |= alone;
    while ((alone ? g->in > 0 : g->alone > 0 || !has_room(g, assumed(g))) && !(stop && *stop)) {
        g->waited |= g->known;
        wi_clock_wait(&g->changed, &g->lock, LOOK_NS);
    }
    g->alone -= alone;
    if (alone)
        wi_common_drop_unused(g->shared);
    const double counted = alone ? g->limit : assumed(g);
    admit(g, counted);
    pthread_mutex_unlock(&g->lock);
    return counted;
}

static void release(wi_quota *g, double counted)
{
    g->in--;
    g->used = g->in > 0 ? g->used - counted : 0.0;
    pthread_cond_broadcast(&g->changed);
}

double wi_quota_change(wi_quota *g, double counted, double bytes, const volatile int *stop)
{
    if (!g)
        return 0.0;
    pthread_mutex_lock(&g->lock);
    g->known = true;
    g->largest = bytes > g->largest ? bytes : g->largest;
    release(g, counted); /* a run that waits for more holds nothing that others wait for */
    while (!has_room(g, bytes) && !(stop && *stop)) {
        g->waited = true;
        wi_clock_wait(&g->changed, &g->lock, LOOK_NS);
    }
    admit(g, bytes);
    pthread_mutex_unlock(&g->lock);
    return bytes;
}

void wi_quota_leave(wi_quota *g, double counted)
{
    if (!g)
        return;
    pthread_mutex_lock(&g->lock);
    release(g, counted);
    pthread_mutex_unlock(&g->lock);
}

wi_quota_seen wi_quota_look(wi_quota *g)
{
    if (!g)
        return (wi_quota_seen){0};
    pthread_mutex_lock(&g->lock);
    const wi_quota_seen seen = {g->waited, g->most, g->largest};
    pthread_mutex_unlock(&g->lock);
    return seen;
}

/* ---- what there is ---- */

/* Reads the number of the first line that matches `format`; infinite: there is none. */
static double number_in(const char *path, const char *format)
{
    char line[256];
    double found = (double)INFINITY;
    FILE *f = fopen(path, "r");
    while (f && isinf(found) && fgets(line, sizeof line, f))
        if (sscanf(line, format, &found) != 1)
            found = (double)INFINITY;
    if (f)
        fclose(f);
    return found;
}

double wi_quota_memory(uint32_t processes)
{
    const double page = (double)sysconf(_SC_PAGESIZE);
    double bytes = 1024.0 * number_in("/proc/meminfo", "MemAvailable: %lf kB");
    if (isinf(bytes))
        bytes = (double)sysconf(_SC_PHYS_PAGES) * page;
    const double group =
        number_in("/sys/fs/cgroup/memory.max", "%lf") - number_in("/sys/fs/cgroup/memory.current", "%lf");
    bytes = group < bytes ? group : bytes; /* no group: infinite, or no number */
    bytes /= processes > 0 ? processes : 1;
    struct rlimit own;
    const double size = page * number_in("/proc/self/statm", "%lf");
    if (getrlimit(RLIMIT_AS, &own) == 0 && own.rlim_cur != RLIM_INFINITY &&
        (double)own.rlim_cur - size < bytes)
        bytes = (double)own.rlim_cur - size;
    return usable * (bytes > 0.0 ? bytes : 0.0);
}
