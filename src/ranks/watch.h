/*
 * A rank that waits in MPI for one that has been killed waits for ever, unless the launcher or the network notices. So each
 * rank looks now and then whether the processes of the other ranks on its machine are still there.
 */
#ifndef WI_RANKS_WATCH_H
#define WI_RANKS_WATCH_H

#include <stdint.h>

/* A process of this machine, and its rank. */
typedef struct wi_peer {
    int32_t pid;
    uint32_t rank;
} wi_peer;

/* Watch the processes peers[n], this one (its rank: `rank`) among them, on a thread of its own, until wi_ranks_watch_end.
 * When one of them has ended this process ends, too, and the lowest rank that is left prints a message. Nothing is watched
 * where no thread can be had. One watch at a time. */
void wi_ranks_watch(const wi_peer *peers, uint32_t n, uint32_t rank);
/* End the watch. */
void wi_ranks_watch_end(void);

/*
 * Whether the others go on when a rank above 0 has ended, as in a study, where each rank has runs of its own. The lowest rank
 * that is left on the machine then prints a message, and gets the number of the rank from wi_ranks_watch_lost.
 */
void wi_ranks_watch_forgive(int forgives);
/* The number of a rank that has ended; UINT32_MAX: no more. */
uint32_t wi_ranks_watch_lost(void);

#endif
