/*
 * Parts that talk to each other without a barrier: blocks of events that any thread puts into a part's mailbox
 * and the part's thread takes out, all at once, when it likes.
 *
 * Order: what one sender puts in comes out in the order in which it was put in; between senders there is no
 * order. Everything that a sender wrote to a block before it was put in is visible to who takes it out. A put is
 * one compare-and-swap, a take one exchange; neither waits.
 *
 * Blocks are equal in size. They go back to where they came from through a mailbox too, so that a sender's
 * memory is reused and bounded.
 */
#ifndef WI_RANKS_MAILBOX_H
#define WI_RANKS_MAILBOX_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/model.h"

typedef struct wi_mail {
    struct wi_mail *next;
    uint32_t used; /* bytes of events that follow */
    uint32_t to;   /* part */
    uint32_t from; /* part */
    uint32_t colour;
    weir_time eot_ps; /* between ranks: nothing that follows arrives before that */
} wi_mail;

/* The events of a block. */
static inline unsigned char *wi_mail_at(wi_mail *m)
{
    return (unsigned char *)(m + 1);
}

typedef struct wi_mailbox {
    _Alignas(64) _Atomic(wi_mail *) newest;
} wi_mailbox;

/* Put a block into a mailbox; any thread. */
static inline void wi_mailbox_put(wi_mailbox *box, wi_mail *mail)
{
    wi_mail *newest = atomic_load_explicit(&box->newest, memory_order_relaxed);
    do
        mail->next = newest;
    while (!atomic_compare_exchange_weak_explicit(&box->newest, &newest, mail, memory_order_release,
                                                  memory_order_relaxed));
}

/* Whether nothing has come. */
static inline int wi_mailbox_is_empty(const wi_mailbox *box)
{
    return atomic_load_explicit(&box->newest, memory_order_relaxed) == NULL;
}

/* All that is there, the oldest first; null: nothing. */
static inline wi_mail *wi_mailbox_drain(wi_mailbox *box)
{
    wi_mail *newest = atomic_exchange_explicit(&box->newest, NULL, memory_order_acquire), *oldest = NULL;
    while (newest) {
        wi_mail *before = newest->next;
        newest->next = oldest;
        oldest = newest;
        newest = before;
    }
    return oldest;
}

#endif
