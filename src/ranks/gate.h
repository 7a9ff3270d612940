/*
 * A number that one thread changes and others wait for: they look at it for a while, then sleep, so that
 * waiting is quick where every thread has a core and harmless where it has not.
 */
#ifndef WI_RANKS_GATE_H
#define WI_RANKS_GATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

/* How long to look before sleeping: about what falling asleep and being woken cost, so that waiting never costs more than
 * twice what it must; next to nothing where threads share cores. */
enum { WI_SPIN_NS = 50000, WI_SPIN_CROWDED_NS = 500 };

typedef struct wi_gate {
    _Alignas(64) _Atomic uint32_t value;
    _Atomic uint32_t sleepers;
    pthread_mutex_t lock;
    pthread_cond_t changed;
} wi_gate;

/* A gate with a value. */
void wi_gate_init(wi_gate *gate, uint32_t value);
/* Free what a gate holds; nobody may wait. */
void wi_gate_free(wi_gate *gate);
/* Wait until the value is `wanted`, looking at it for `spin_ns` nanoseconds before sleeping; returns whether
 * it slept. Everything written before the value was set is then visible. */
int wi_gate_wait(wi_gate *gate, uint32_t wanted, uint32_t spin_ns);
/* Set the value and wake the others. */
void wi_gate_set(wi_gate *gate, uint32_t value);
/* Add 1 and wake the others; returns the value. */
uint32_t wi_gate_step(wi_gate *gate);

/* Where n threads wait for each other. */
typedef struct wi_barrier {
    wi_gate arrived, released;
    uint32_t n_threads, passed;
} wi_barrier;

/* A barrier of n threads, numbered from 0. */
void wi_barrier_init(wi_barrier *barrier, uint32_t n_threads);
/* Free what a barrier holds. */
void wi_barrier_free(wi_barrier *barrier);
/* Every thread calls it. When all have, thread 0 calls work(user), and then all go on. Spins and sleeps as wi_gate_wait;
 * returns whether the calling thread slept. */
int wi_barrier_wait(wi_barrier *barrier, uint32_t thread, uint32_t spin_ns, void (*work)(void *user),
                    void *user);

#endif
