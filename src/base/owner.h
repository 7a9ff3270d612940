/* Whose is a place in an array that is cut into slices? */
#pragma once

#include <stdint.h>

/* The owner of place `at` among n owners (n > 0) in order, of which i has places first[i] to first[i + 1] - 1: the
 * last whose slice begins at or before it, so that empty slices own nothing. first[n] is not read. */
static inline uint32_t wi_owner_of(const uint32_t *first, uint32_t n, uint32_t at)
{
    uint32_t low = 0, high = n;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (first[middle] <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}
