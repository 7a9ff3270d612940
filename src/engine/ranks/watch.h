/*
 * A rank that waits in MPI for one that has been killed waits for ever, unless the launcher or the network
 * tells. So each rank looks now and then whether the processes of the others on its machine are still there.
 */
#ifndef WI_ENGINE_RANKS_WATCH_H
#define WI_ENGINE_RANKS_WATCH_H

#include <stdint.h>

/* A process of this machine, and its rank. */
typedef struct wi_peer {
    int32_t pid;
    uint32_t rank;
} wi_peer;

/* Look after peers[n], this process (its rank: `rank`) among them, on a thread of its own. When one is gone
 * the process ends, with a message from the lowest rank that is left. Nothing happens where no thread can be
 * had. Until wi_ranks_watch_end. One at a time. */
void wi_ranks_watch(const wi_peer *peers, uint32_t n, uint32_t rank);
void wi_ranks_watch_end(void);

/*
 * While ranks forgive, as those of a study do, whose runs are each a rank's own, one that is gone ends no other, unless it
 * is rank 0. The lowest rank that is left on its machine says so, and gets the number of each by wi_ranks_watch_lost,
 * which is UINT32_MAX where there is none (more).
 */
void wi_ranks_watch_forgive(int forgives);
uint32_t wi_ranks_watch_lost(void);

#endif
