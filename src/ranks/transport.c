/* See transport.h. */
#include "ranks/transport.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ranks/cores.h"
#include "ranks/ranks.h"
#include "base/memory.h"

static void note_core(wi_member *m)
{
    atomic_store_explicit(&m->core, wi_core_here(), memory_order_relaxed);
}

void wi_transport_settle(wi_transport *t, uint32_t thread)
{
    wi_member *m = &t->members[thread];
    const uint32_t here = wi_core_here();
    uint32_t sharing = 0;
    if (!t->apart || here == WI_CORE_UNKNOWN)
        return;
    for (uint32_t i = 0; i < t->n_threads; i++) {
        m->cores[i] = atomic_load_explicit(&t->members[i].core, memory_order_relaxed);
        sharing += i < thread && m->cores[i] == here; /* of two, the later one moves */
    }
    if (sharing)
        (void)wi_core_leave(m->cores, t->n_threads);
    note_core(m);
}

unsigned char *wi_batch_more(wi_batch *batch, size_t bytes)
{
    return wi_grow(&batch->at, &batch->room, batch->used + bytes, 1) ? batch->at + batch->used : NULL;
}

void wi_reduction_join(wi_reduction *all, const wi_reduction *one)
{
    all->next_ps = one->next_ps < all->next_ps ? one->next_ps : all->next_ps;
    all->lbts_ps = one->lbts_ps < all->lbts_ps ? one->lbts_ps : all->lbts_ps;
    all->events += one->events;
    all->flags |= one->flags;
}

int wi_transport_init(wi_transport *t, uint32_t n_threads, const wi_ranks *ranks, uint32_t stride)
{
    memset(t, 0, sizeof *t);
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const uint32_t here = n_threads * (ranks ? ranks->on_this_machine : 1);
    t->n_threads = n_threads;
    t->n_parts = n_threads * (ranks ? ranks->n_ranks : 1);
    t->rank = ranks ? ranks->rank : 0;
    t->ranks = ranks;
    t->stride = stride;
    t->apart = n_threads <= wi_cores_allowed() && cores > 0 && here <= (unsigned long)cores;
    t->spin_ns = t->apart ? WI_SPIN_NS : WI_SPIN_CROWDED_NS;
    wi_barrier_init(&t->barrier, n_threads);
    t->members = aligned_alloc(_Alignof(wi_member), n_threads * sizeof *t->members);
    if (!t->members)
        return 0;
    memset(t->members, 0, n_threads * sizeof *t->members);
    for (uint32_t i = 0; i < n_threads; i++) {
        atomic_init(&t->members[i].core, WI_CORE_UNKNOWN);
        t->members[i].cores = calloc(n_threads, sizeof *t->members[i].cores);
        if (!t->members[i].cores)
            return 0;
        for (int set = 0; set < 2; set++) {
            /* Lines of one thread's own, so that posting disturbs nobody. */
            const size_t size = (t->n_parts * sizeof(wi_batch) + 127) / 128 * 128;
            t->members[i].out[set] = aligned_alloc(128, size);
            if (!t->members[i].out[set])
                return 0;
            memset(t->members[i].out[set], 0, size);
        }
    }
    return 1;
}

void wi_transport_free(wi_transport *t)
{
    for (uint32_t i = 0; t->members && i < t->n_threads; i++) {
        for (int set = 0; set < 2; set++) {
            for (uint32_t to = 0; t->members[i].out[set] && to < t->n_parts; to++)
                free(t->members[i].out[set][to].at);
            free(t->members[i].out[set]);
        }
        free(t->members[i].arrived.at);
        free(t->members[i].cores);
    }
    free(t->members);
    if (t->n_threads)
        wi_barrier_free(&t->barrier);
    memset(t, 0, sizeof *t);
}

/* Thread 0, when all threads of this rank have arrived. */
static void conclude(void *transport)
{
    wi_transport *t = transport;
    wi_reduction all = t->members[0].share;
    for (uint32_t i = 1; i < t->n_threads; i++)
        wi_reduction_join(&all, &t->members[i].share);
    if (t->ranks)
        t->ranks->exchange(t, &all);
    t->decide(t->user, &all);
}

/* All threads collected the other set before this barrier: it is free to be filled again. */
static void turn_over(const wi_transport *t, wi_member *m)
{
    m->set ^= 1;
    for (uint32_t to = 0; to < t->n_parts; to++)
        m->out[m->set][to].used = 0;
}

void wi_transport_barrier(wi_transport *t, uint32_t thread, const wi_reduction *mine)
{
    wi_member *m = &t->members[thread];
    m->share = *mine;
    note_core(m);
    if (wi_barrier_wait(&t->barrier, thread, t->spin_ns, conclude, t))
        wi_transport_settle(t, thread);
    turn_over(t, m);
}

void wi_transport_barrier_alone(wi_transport *t)
{
    conclude(t);
    for (uint32_t i = 0; i < t->n_threads; i++)
        turn_over(t, &t->members[i]);
}

const wi_batch *wi_transport_batch(const wi_transport *t, uint32_t thread, uint32_t i)
{
    if (i == t->n_threads)
        return &t->members[thread].arrived;
    /* What was posted before the barrier is in the set that is not filled now. */
    const wi_member *from = &t->members[i];
    return &from->out[t->members[thread].set ^ 1][t->rank * t->n_threads + thread];
}
