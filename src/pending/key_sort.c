/*
 * Keys go to bins of equal time, about one to a bin, and insertion puts right what bins leave: some 40
 * instructions a key, where merging costs 170. Times that crowd into few bins are merged instead.
 */
#include "pending/ladder.h"

#include <string.h>

enum {
    BINS_MOST = 1024,
    CROWD = 24, /* keys of one bin that are too many for insertion */
    BLOCK = 8   /* keys that insertion sorts before merging */
};

static void insertion_sort(wi_heap_key *keys, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const wi_heap_key key = keys[i];
        size_t k = i;
        for (; k > 0 && key < keys[k - 1]; k--)
            keys[k] = keys[k - 1];
        keys[k] = key;
    }
}

/* Merge the sorted [0, middle) and [middle, n) of `from` into `to`, without branches on keys. */
static void merge(wi_heap_key *to, const wi_heap_key *from, size_t middle, size_t n)
{
    size_t a = 0, b = middle;
    while (a < middle && b < n) {
        const int second = from[b] < from[a];
        *to++ = from[second ? b : a];
        b += (size_t)second;
        a += (size_t)!second;
    }
    memcpy(to, from + a, (middle - a) * sizeof *to);
    memcpy(to + (middle - a), from + b, (n - b) * sizeof *to);
}

static void merge_sort(wi_heap_key *keys, wi_heap_key *spare, size_t n)
{
    for (size_t from = 0; from < n; from += BLOCK)
        insertion_sort(keys + from, n - from < BLOCK ? n - from : BLOCK);
    wi_heap_key *in = keys, *out = spare;
    for (size_t width = BLOCK; width < n; width *= 2) {
        for (size_t from = 0; from < n; from += 2 * width) {
            const size_t all = n - from < 2 * width ? n - from : 2 * width;
            merge(out + from, in + from, all < width ? all : width, all);
        }
        wi_heap_key *const swap = in;
        in = out;
        out = swap;
    }
    if (in != keys)
        memcpy(keys, in, n * sizeof *keys);
}

/* How far to shift times, less the least of them, so that they number the bins; about as many as keys. `last`: the last bin. */
static uint32_t bins_shift(const wi_heap_key *keys, size_t n, uint64_t *least, uint32_t *last)
{
    uint64_t low = UINT64_MAX, high = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t t = (uint64_t)wi_key_time(keys[i]);
        low = t < low ? t : low;
        high = t > high ? t : high;
    }
    const uint64_t bins = n < BINS_MOST ? n : BINS_MOST;
    uint32_t shift = 0;
    while ((high - low) >> shift >= bins)
        shift++;
    *least = low;
    *last = (uint32_t)((high - low) >> shift);
    return shift;
}

void wi_key_sort(wi_heap_key *keys, wi_heap_key *spare, size_t n)
{
    if (n <= CROWD) {
        insertion_sort(keys, n);
        return;
    }
    uint32_t at[BINS_MOST + 1], crowd = 0, last;
    uint64_t least;
    const uint32_t shift = bins_shift(keys, n, &least, &last);
    memset(at, 0, (last + 2) * sizeof *at);
    for (size_t i = 0; i < n; i++) {
        const uint32_t here = ++at[(((uint64_t)wi_key_time(keys[i]) - least) >> shift) + 1];
        crowd = here > crowd ? here : crowd;
    }
    if (crowd > CROWD) {
        merge_sort(keys, spare, n);
        return;
    }
    for (uint32_t b = 0; b < last; b++)
        at[b + 1] += at[b];
    for (size_t i = 0; i < n; i++)
        spare[at[((uint64_t)wi_key_time(keys[i]) - least) >> shift]++] = keys[i];
    memcpy(keys, spare, n * sizeof *keys);
    insertion_sort(keys, n);
}
