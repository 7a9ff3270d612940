/* See gate.h. A sleeper announces itself before it looks again, and the changer looks for sleepers after it
 * has changed the value: with sequentially consistent accesses one of the two sees the other. */
#include "ranks/gate.h"

#include <time.h>

void wi_gate_init(wi_gate *gate, uint32_t value)
{
    atomic_init(&gate->value, value);
    atomic_init(&gate->sleepers, 0);
    pthread_mutex_init(&gate->lock, NULL);
    pthread_cond_init(&gate->changed, NULL);
}

void wi_gate_free(wi_gate *gate)
{
    pthread_cond_destroy(&gate->changed);
    pthread_mutex_destroy(&gate->lock);
}

static inline void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* A look and its pause take from 20 to 100 ns, depending on the processor; so does the clock. */
enum { LOOKS_A_CLOCK = 16 };

static int look(wi_gate *gate, uint32_t wanted)
{
    for (int i = 0; i < LOOKS_A_CLOCK; i++) {
        if (atomic_load_explicit(&gate->value, memory_order_acquire) == wanted)
            return 1;
        pause_briefly();
    }
    return 0;
}

int wi_gate_wait(wi_gate *gate, uint32_t wanted, uint32_t spin_ns)
{
    if (look(gate, wanted))
        return 0;
    for (const int64_t end_ns = now_ns() + spin_ns; now_ns() < end_ns;)
        if (look(gate, wanted))
            return 0;
    pthread_mutex_lock(&gate->lock);
    atomic_fetch_add(&gate->sleepers, 1);
    while (atomic_load(&gate->value) != wanted)
        pthread_cond_wait(&gate->changed, &gate->lock);
    atomic_fetch_sub(&gate->sleepers, 1);
    pthread_mutex_unlock(&gate->lock);
    return 1;
}

static void wake(wi_gate *gate)
{
    if (atomic_load(&gate->sleepers) == 0)
        return;
    pthread_mutex_lock(&gate->lock);
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->lock);
}

void wi_gate_set(wi_gate *gate, uint32_t value)
{
    atomic_store(&gate->value, value);
    wake(gate);
}

uint32_t wi_gate_step(wi_gate *gate)
{
    const uint32_t value = atomic_fetch_add(&gate->value, 1) + 1;
    wake(gate);
    return value;
}

void wi_barrier_init(wi_barrier *b, uint32_t n_threads)
{
    wi_gate_init(&b->arrived, 0);
    wi_gate_init(&b->released, 0);
    b->n_threads = n_threads;
    b->passed = 0;
}

void wi_barrier_free(wi_barrier *b)
{
    wi_gate_free(&b->arrived);
    wi_gate_free(&b->released);
}

int wi_barrier_wait(wi_barrier *b, uint32_t thread, uint32_t spin_ns, void (*work)(void *user), void *user)
{
    if (thread == 0) {
        const uint32_t number = ++b->passed;
        const int slept = wi_gate_wait(&b->arrived, number * (b->n_threads - 1), spin_ns);
        work(user);
        wi_gate_set(&b->released, number);
        return slept;
    }
    /* Read before arriving: thread 0 cannot be further than this barrier. */
    const uint32_t number = atomic_load_explicit(&b->released.value, memory_order_relaxed) + 1;
    wi_gate_step(&b->arrived);
    return wi_gate_wait(&b->released, number, spin_ns);
}
