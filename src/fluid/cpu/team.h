/*
 * Threads that do the loops of a block together. They wait by looking for a moment, then asleep: OpenMP's
 * threads spin between the parts of a run, by a setting that only the environment can change, and take the
 * cores from whoever else has work.
 */
#ifndef WI_FLUID_CPU_TEAM_H
#define WI_FLUID_CPU_TEAM_H

#include <stdatomic.h>
#include <stdint.h>

#include "weir/status.h"

typedef struct wi_team wi_team;

/* A team of `threads`, the caller of wi_team_run among them: one less is started. *out is null on failure, and
 * for one thread, which is a team too: all calls take null for it. */
WEIR_NODISCARD weir_status wi_team_new(weir_diag *diag, int threads, wi_team **out);
void wi_team_free(wi_team *team);

/* All threads call work(arg, team); returns when all have. By one thread at a time. */
void wi_team_run(wi_team *team, void (*work)(void *arg, wi_team *team), void *arg);

/* Within work: wait until all threads are here. */
void wi_team_barrier(wi_team *team);

/* Within work: the next part of a loop that all threads share, its first index; at least n: no more. There may
 * be LOOPS between two meetings, numbered from 0; the next meeting makes them new. */
enum { WI_TEAM_LOOPS = 2 };
_Atomic uint32_t *wi_team_loop(wi_team *team, int loop);

static inline uint32_t wi_team_take(_Atomic uint32_t *loop, uint32_t *alone, uint32_t part)
{
    if (loop)
        return atomic_fetch_add_explicit(loop, part, memory_order_relaxed);
    const uint32_t first = *alone;
    *alone += part;
    return first;
}

/* for (first, end) over parts of 0 .. n - 1 that fall to this thread. */
#define WI_TEAM_PARTS(team, number, n, part, first)                                        \
    for (uint32_t alone_##number = 0,                                                      \
                  first = wi_team_take(wi_team_loop(team, number), &alone_##number, part); \
         first < (n); first = wi_team_take(wi_team_loop(team, number), &alone_##number, part))

#endif
