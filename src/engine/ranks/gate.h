/*
 * A number that one thread changes and others wait for: they look at it for a while, then sleep, so that
 * waiting is quick where every thread has a core and harmless where it has not.
 */
#ifndef WI_ENGINE_RANKS_GATE_H
#define WI_ENGINE_RANKS_GATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

typedef struct wi_gate {
    _Alignas(64) _Atomic uint32_t value;
    _Atomic uint32_t sleepers;
    pthread_mutex_t lock;
    pthread_cond_t changed;
} wi_gate;

void wi_gate_init(wi_gate *gate, uint32_t value);
void wi_gate_free(wi_gate *gate);
/* Wait until the value is `wanted`, looking at it for `spin_ns` nanoseconds before sleeping; returns whether
 * it slept. Everything written before the value was set is then visible. */
int wi_gate_wait(wi_gate *gate, uint32_t wanted, uint32_t spin_ns);
void wi_gate_set(wi_gate *gate, uint32_t value);
/* Add 1 and wake the others; returns the value. */
uint32_t wi_gate_step(wi_gate *gate);

#endif
