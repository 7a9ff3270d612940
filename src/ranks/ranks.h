/*
 * The processes of a run: what MPI does for the engines, and nothing else. All functions are collective:
 * every rank calls them in the same order, from its main thread.
 */
#ifndef WI_RANKS_RANKS_H
#define WI_RANKS_RANKS_H

#include "ranks/transport.h"

/* A message to another rank, and room for the one that comes from it. */
typedef struct wi_ranks_letter {
    uint32_t rank;
    const void *out;
    void *in;
    size_t out_bytes, in_room; /* no more than INT_MAX */
} wi_ranks_letter;

struct wi_ranks {
    uint32_t rank, n_ranks;
    uint32_t on_this_machine; /* ranks */
    /* Deliver what the threads have posted to partitions of other ranks into their `arrived` batches, and
     * add up the reductions of all ranks. */
    void (*exchange)(wi_transport *t, wi_reduction *all);
    /* Copy what `root` has to all. */
    void (*broadcast)(void *data, size_t bytes, uint32_t root);
    /* Copy what all have to all, rank by rank; bytes[rank] of each. False when memory is short here. */
    int (*gather)(const void *data, size_t bytes, wi_batch *all, size_t *bytes_of);
    /* Rank 0 gets what `from` has; the rest take no part. */
    void (*to_first)(void *data, size_t bytes, uint32_t from);
    void (*sum)(int64_t *data, size_t n);
    /* Send n other ranks a message and take one of each: the ranks named have named this one. */
    void (*swap)(const wi_ranks_letter *letters, uint32_t n);
    int64_t (*least)(int64_t value);
    /* Not collective: one rank sends another a message of at most WI_MESSAGE_MAX bytes, and does not wait for it ... */
    void (*send)(const void *data, size_t bytes, uint32_t to);
    /* ... which takes it when it looks: its bytes, and from whom; 0 where nothing has come. */
    size_t (*take)(void *data, uint32_t *from);
    /*
     * Without waiting. `post` begins to send data, which must stay as it is until it is done; messages to one rank
     * arrive in their order. `share` begins to give everybody what all have, rank by rank. `done`: whether that has
     * ended; then the handle is gone. `waiting`: bytes of a message that has come, 0 for none; `receive` takes it.
     */
    void *(*post)(void *data, size_t bytes, uint32_t to);
    void *(*share)(const void *mine, void *all, size_t bytes);
    int (*done)(void *request);
    size_t (*waiting)(void);
    void (*receive)(void *to, size_t bytes);
};

/*
 * Ranks have been lost and the others have gone on: nothing is collective any more, wi_ranks_of_run is null, and MPI is
 * left without its farewell, for which it would wait for the dead. `lost`: how many, for weir_ranks_lost.
 */
void wi_ranks_break(uint32_t lost);

enum { WI_MESSAGE_MAX = 1 << 20 };

/*
 * For the time that `alone` is true this process runs simulations of its own: weir_ranks() is 1 and nothing is
 * collective. The table of wi_ranks_of_run, asked for before, goes on to work.
 */
void wi_ranks_set_alone(int alone);
/* What wi_ranks_set_alone has set. */
int wi_ranks_are_alone(void);

/* How many processes the launcher has started, by its environment; 1 where there is none. */
uint32_t wi_ranks_started(void);
/* Null: this process is alone. */
const wi_ranks *wi_ranks_of_run(void);

/* message.c: send a message, as wi_ranks.send. */
void wi_message_send(const void *data, size_t bytes, uint32_t to);
/* Receive a message, as wi_ranks.take. */
size_t wi_message_take(void *data, uint32_t *from);
/* Wait until all that was sent has been received. */
void wi_messages_end(void);

#endif
