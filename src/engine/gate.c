/* See gate.h. A sleeper announces itself before it looks again, and the changer looks for sleepers after it
 * has changed the value: with sequentially consistent accesses one of the two sees the other. */
#include "engine/gate.h"

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

int wi_gate_wait(wi_gate *gate, uint32_t wanted, uint32_t looks)
{
    for (uint32_t i = 0; i <= looks; i++) {
        if (atomic_load_explicit(&gate->value, memory_order_acquire) == wanted)
            return 0;
        pause_briefly();
    }
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
