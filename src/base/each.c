/* See each.h. */
#include "base/each.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct pass {
    void (*item)(void *user, uint32_t i);
    void *user;
    uint64_t next, end;
} pass;

static void *take_items(void *user)
{
    pass *p = user;
    for (;;) {
        const uint64_t i = __atomic_fetch_add(&p->next, 1, __ATOMIC_RELAXED);
        if (i >= p->end)
            return NULL;
        p->item(p->user, (uint32_t)i);
    }
}

void wi_each(uint32_t threads, uint32_t from, uint32_t end, void (*item)(void *user, uint32_t i), void *user)
{
    if (from >= end)
        return;
    pass p = {item, user, from, end};
    const uint32_t n = threads < end - from ? threads : end - from;
    pthread_t *thread = n > 1 ? malloc((n - 1) * sizeof *thread) : NULL;
    uint32_t started = 0;
    while (thread && started + 1 < n && pthread_create(&thread[started], NULL, take_items, &p) == 0)
        started++;
    take_items(&p);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    free(thread);
}
