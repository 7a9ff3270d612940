/**
 * Moves on words that C and CUDA C++ spell differently: the high half of a product, and the bits of a double
 * and of a float.
 */
#ifndef WEIR_BITS_H
#define WEIR_BITS_H

#include <stdint.h>
#include <string.h>

#include "weir/fn.h"

/** The upper 64 bits of a * b. */
WEIR_FN uint64_t weir_mulhi64(uint64_t a, uint64_t b)
{
#if WEIR_ON_DEVICE
    return __umul64hi(a, b);
#else
    return (uint64_t)(((unsigned __int128)a * b) >> 64);
#endif
}

/** The IEEE 754 representation of x. */
WEIR_FN uint64_t weir_bits_of_double(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/** The double with this IEEE 754 representation. */
WEIR_FN double weir_double_of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/** The IEEE 754 representation of x. */
WEIR_FN uint32_t weir_bits_of_float(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/** The float with this IEEE 754 representation. */
WEIR_FN float weir_float_of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#endif
