/* splitmix64: a generator for test inputs that has nothing to do with weir's own. Also valid as C++. */
#ifndef TESTS_SPLITMIX_H
#define TESTS_SPLITMIX_H

#include <stdint.h>

static inline uint64_t rnd(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Uniform below n, but for a bias that no test sees. */
static inline uint32_t rnd_below(uint64_t *state, uint32_t n)
{
    return (uint32_t)(rnd(state) >> 33) % n;
}

#endif
