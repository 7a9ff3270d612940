/*
 * Breadth-first search from 1,024 destinations at once on the device, one bit each: what one of the 32
 * threads of a node does, for its 32 destinations. The method is bit_parallel.c's. Plain functions, so that a
 * test runs them on the host too.
 *
 * All blocks are [n][WI_BITS_WORDS] words, the ports' bit planes [first_plane[n]][WI_BITS_WORDS].
 */
#pragma once

#include "routing/algorithm/words.h"
#include "weir/routes.h"

#define WI_BITS_LANES 1024u
#define WI_BITS_WORDS 32u

typedef struct wi_bits {
    uint32_t *seen;              /* destinations that the node has a way to */
    uint32_t *front[2];          /* found at the last level and at this one; which is which alternates */
    uint32_t *plane;             /* bit b of the node's port toward each destination */
    const uint32_t *first_plane; /* [n + 1]: planes of node i, as many as its greatest port number has bits */
} wi_bits;

/* Destinations dst .. dst + n_dst - 1 have a way to themselves. */
WEIR_FN void wi_bits_start(const wi_bits *bits, uint32_t i, uint32_t word, uint32_t dst, uint32_t n_dst)
{
    const size_t at = (size_t)i * WI_BITS_WORDS + word;
    const uint32_t k = i - dst; /* wraps where i < dst */
    const uint32_t own = k < n_dst && k / 32 == word ? 1u << k % 32 : 0;
    bits->seen[at] = bits->front[0][at] = own;
    bits->front[1][at] = 0;
    for (uint32_t p = bits->first_plane[i]; p < bits->first_plane[i + 1]; ++p)
        bits->plane[(size_t)p * WI_BITS_WORDS + word] = 0;
}

/* Destinations of a word: all ones but in the last words of the last batch. */
WEIR_FN uint32_t wi_bits_wanted(uint32_t word, uint32_t n_dst)
{
    const uint32_t before = word * 32;
    if (before >= n_dst)
        return 0;
    return n_dst - before >= 32 ? 0xffffffffu : (1u << (n_dst - before)) - 1;
}

/*
 * One level (1, 2, ...) for a node and a word: look through the ports in rising order at what the neighbours
 * found at the level before. True where something was found.
 */
WEIR_FN bool wi_bits_visit(const wi_bits *bits, const uint32_t *first, const uint32_t *target,
                           const uint16_t *port, const uint8_t *role, uint32_t i, uint32_t word,
                           uint32_t wanted, uint32_t level)
{
    const uint32_t *const last = level % 2 ? bits->front[0] : bits->front[1];
    uint32_t *const next = level % 2 ? bits->front[1] : bits->front[0];
    const size_t at = (size_t)i * WI_BITS_WORDS + word;
    const uint32_t todo = wanted & ~bits->seen[at], end = first[i + 1];
    uint32_t rest = todo;
    /* Four at a time, so that their reads overlap. */
    for (uint32_t e = first[i]; e < end && rest; e += 4) {
        uint32_t offer[4];
        WI_UNROLL
        for (uint32_t k = 0; k < 4; ++k)
            offer[k] = e + k < end ? last[(size_t)target[e + k] * WI_BITS_WORDS + word] : 0;
        WI_UNROLL
        for (uint32_t k = 0; k < 4; ++k) {
            const uint32_t hit = rest & offer[k];
            if (!hit)
                continue;
            rest ^= hit;
            uint32_t *plane = bits->plane + (size_t)bits->first_plane[i] * WI_BITS_WORDS + word;
            for (uint32_t p = port[e + k]; p; p >>= 1, plane += WI_BITS_WORDS)
                if (p & 1)
                    *plane |= hit;
        }
    }
    const uint32_t found = todo ^ rest;
    if (found)
        bits->seen[at] |= found;
    next[at] = role[i] == WEIR_HOST ? 0 : found;
    return found != 0;
}

/* Four bits to four bytes of 0 or 1. */
WEIR_FN uint32_t wi_bits_spread(uint32_t four)
{
    return (four & 0xfu) * 0x00204081u & 0x01010101u;
}

/* Ports toward destinations 4 * group .. + 3 of a word, a byte each; all ones: none, or the node itself. */
WEIR_FN uint32_t wi_bits_ports(const wi_bits *bits, uint32_t i, uint32_t word, uint32_t reached,
                               uint32_t group)
{
    uint32_t ports = wi_bits_spread(~reached >> 4 * group) * 0xffu;
    const uint32_t *plane = bits->plane + (size_t)bits->first_plane[i] * WI_BITS_WORDS + word;
    for (uint32_t p = bits->first_plane[i], b = 0; p < bits->first_plane[i + 1];
         ++p, ++b, plane += WI_BITS_WORDS)
        ports |= wi_bits_spread(*plane >> 4 * group) << b;
    return ports;
}

/* One word's columns into the node's row of the table; n_columns of the row are there. */
WEIR_FN void wi_bits_write(const wi_bits *bits, uint8_t *table, uint64_t row, uint32_t i, uint32_t word,
                           uint32_t dst, uint32_t n_columns)
{
    const uint32_t column = dst + word * 32, k = i - dst;
    if (column >= n_columns)
        return;
    const uint32_t own = k < WI_BITS_LANES && k / 32 == word ? 1u << k % 32 : 0;
    const uint32_t reached = bits->seen[(size_t)i * WI_BITS_WORDS + word] & ~own;
    uint8_t *const to = table + (row >> 1) + ((uint64_t)column << (row & 1));
    if (!(row & 1)) {
        WI_UNROLL
        for (uint32_t q = 0; q < 2; ++q) {
            const wi_quad put = {wi_bits_ports(bits, i, word, reached, 4 * q),
                                 wi_bits_ports(bits, i, word, reached, 4 * q + 1),
                                 wi_bits_ports(bits, i, word, reached, 4 * q + 2),
                                 wi_bits_ports(bits, i, word, reached, 4 * q + 3)};
            *wi_quad_put(to + 16 * q) = put;
        }
        return;
    }
    for (uint32_t c = 0; c < 32; ++c) {
        uint32_t port = reached >> c & 1 ? 0 : WEIR_NO_PORT;
        const uint32_t *plane = bits->plane + (size_t)bits->first_plane[i] * WI_BITS_WORDS + word;
        for (uint32_t p = bits->first_plane[i], b = 0; p < bits->first_plane[i + 1];
             ++p, ++b, plane += WI_BITS_WORDS)
            port |= (*plane >> c & 1) << b;
        to[2 * c] = (uint8_t)port;
        to[2 * c + 1] = (uint8_t)(port >> 8);
    }
}
