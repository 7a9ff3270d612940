/*
 * One bit for each segment of a flow's window: received, SACKed, lost.
 *
 * All segments of a flow have one size but its last, so a segment is named by how many segments lie between
 * it and the oldest outstanding byte. Bits lie in a ring of words whose place `base` is that byte's segment:
 * a window that moves on moves `base`, and copies nothing. Bits outside the window are 0. Loops go by words
 * of 64, and announce (weir_touch) only the words that change.
 */
#pragma once

#include "weir/model.h"

#define NET_NO_SEGMENT UINT32_MAX

typedef struct net_map {
    uint64_t *word;
    uint32_t words;
    uint32_t base; /* bit of segment 0, below 64 * words */
} net_map;

/* How many bits are set. */
WEIR_FN uint32_t net_bits_count(uint64_t x)
{
#if WEIR_ON_DEVICE
    return (uint32_t)__popcll((long long)x);
#elif defined(__POPCNT__)
    return (uint32_t)__builtin_popcountll(x);
#else
    x -= (x >> 1) & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + ((x >> 2) & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)((x * UINT64_C(0x0101010101010101)) >> 56);
#endif
}

/* Lowest and highest bit set; x is not 0. */
WEIR_FN uint32_t net_bits_first(uint64_t x)
{
#if WEIR_ON_DEVICE
    return (uint32_t)__ffsll((long long)x) - 1u;
#else
    return (uint32_t)__builtin_ctzll(x);
#endif
}

/* Number of the highest bit that is set. */
WEIR_FN uint32_t net_bits_last(uint64_t x)
{
#if WEIR_ON_DEVICE
    return 63u - (uint32_t)__clzll((long long)x);
#else
    return 63u - (uint32_t)__builtin_clzll(x);
#endif
}

/* Bit of segment k in the ring; k is at most the ring's size. */
WEIR_FN uint32_t net_map_place(const net_map *m, uint32_t k)
{
    const uint32_t at = m->base + k, bits = 64u * m->words;
    return at >= bits ? at - bits : at;
}

/* `n` bits from `shift` on, in one word. */
WEIR_FN uint64_t net_map_mask(uint32_t shift, uint32_t n)
{
    return (n == 64u ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1u) << shift;
}

/* The part of segments [from, to), from < to, that lies in the word of `from`: its number of segments. */
WEIR_FN uint32_t net_map_chunk(const net_map *m, uint32_t from, uint32_t to, uint32_t *word, uint64_t *mask)
{
    const uint32_t at = net_map_place(m, from), shift = at & 63u;
    const uint32_t n = to - from < 64u - shift ? to - from : 64u - shift;
    *word = at >> 6;
    *mask = net_map_mask(shift, n);
    return n;
}

/* Whether segment k is set. */
WEIR_FN bool net_map_test(const net_map *m, uint32_t k)
{
    const uint32_t at = net_map_place(m, k);
    return (int)((m->word[at >> 6] >> (at & 63u)) & 1u);
}

/* How many of [from, to) are set. */
WEIR_FN uint32_t net_map_count(const net_map *m, uint32_t from, uint32_t to)
{
    uint32_t count = 0, word = 0;
    uint64_t mask = 0;
    while (from < to) {
        from += net_map_chunk(m, from, to, &word, &mask);
        count += net_bits_count(m->word[word] & mask);
    }
    return count;
}

/* Set [from, to), or clear it; returns how many that changed. */
WEIR_FN uint32_t net_map_put(weir_ctx *ctx, const net_map *m, uint32_t from, uint32_t to, int set)
{
    uint32_t count = 0, word = 0;
    uint64_t mask = 0;
    while (from < to) {
        from += net_map_chunk(m, from, to, &word, &mask);
        const uint64_t change = (set ? ~m->word[word] : m->word[word]) & mask;
        if (change == 0)
            continue;
        weir_touch(ctx, &m->word[word], sizeof m->word[word]);
        m->word[word] ^= change;
        count += net_bits_count(change);
    }
    return count;
}

/* The first of [from, to) that is set (not set, where `set` is 0); `to` where there is none. */
WEIR_FN uint32_t net_map_next(const net_map *m, uint32_t from, uint32_t to, int set)
{
    uint32_t word = 0;
    uint64_t mask = 0;
    while (from < to) {
        const uint32_t n = net_map_chunk(m, from, to, &word, &mask);
        const uint64_t found = (set ? m->word[word] : ~m->word[word]) & mask;
        if (found)
            return from + net_bits_first(found) - net_bits_first(mask);
        from += n;
    }
    return to;
}

/* The last of [from, to) that is set (not set); NET_NO_SEGMENT where there is none. */
WEIR_FN uint32_t net_map_last(const net_map *m, uint32_t from, uint32_t to, int set)
{
    while (from < to) {
        const uint32_t at = net_map_place(m, to - 1u), up = (at & 63u) + 1u;
        const uint32_t n = to - from < up ? to - from : up;
        const uint64_t mask = net_map_mask(up - n, n);
        const uint64_t found = (set ? m->word[at >> 6] : ~m->word[at >> 6]) & mask;
        if (found)
            return to - 1u - ((at & 63u) - net_bits_last(found));
        to -= n;
    }
    return NET_NO_SEGMENT;
}
