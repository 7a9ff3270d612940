/**
 * A 64-bit chain that tells whether two runs handled the same events.
 *
 * Model:   up to eight words at a time are hashed without looking at the chain, by products that do
 *          not wait for each other (NH: the 128-bit sum of (w[i] + k[i]) * (w[i+1] + k[i+1]), with the
 *          count added), and the result enters the chain by a bijection. So a difference, once in a
 *          chain, stays in it as long as what follows is the same, and the chain costs one short
 *          dependent step per event.
 * Quality: made to catch bugs, not forgers. A changed bit, word, count or order changes the chain but
 *          for about one case in 2^64.
 * Repeats: same bits on every machine, host and device.
 */
#ifndef WEIR_DIGEST_H
#define WEIR_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include "weir/bits.h"
#include "weir/fn.h"

/** Where every chain begins. */
#define WEIR_DIGEST_START UINT64_C(0x8c72e3d15b06f94b)

/** sum += a * b over 128 bits, kept as (hi, lo). */
WEIR_FN void weir_digest_product(uint64_t a, uint64_t b, uint64_t *hi, uint64_t *lo)
{
    const uint64_t p = a * b;
    *lo += p;
    *hi += weir_mulhi64(a, b) + (*lo < p ? 1u : 0u);
}

/** Hash of n <= 8 words. A pair that is not there adds nothing; the partner of an odd last word is 0. */
WEIR_FN uint64_t weir_digest_block(const uint64_t *w, uint32_t n)
{
    uint64_t hi = 0, lo = n;
    if (n > 0)
        weir_digest_product(w[0] + UINT64_C(0xd1b54a32d192ed03),
                            (n > 1 ? w[1] : 0) + UINT64_C(0x9f2c8e6b47a1d35d), &hi, &lo);
    if (n > 2)
        weir_digest_product(w[2] + UINT64_C(0xb7e1f0a9263c58cf),
                            (n > 3 ? w[3] : 0) + UINT64_C(0xe3794d1c85fa06b1), &hi, &lo);
    if (n > 4)
        weir_digest_product(w[4] + UINT64_C(0x8ad65c9b3e70f127),
                            (n > 5 ? w[5] : 0) + UINT64_C(0xc4183f72e9ad5b6f), &hi, &lo);
    if (n > 6)
        weir_digest_product(w[6] + UINT64_C(0xf60b2d97518ec43b),
                            (n > 7 ? w[7] : 0) + UINT64_C(0x95c7a86e1fd2b049), &hi, &lo);
    lo ^= UINT64_C(0xa5f1d2936bc84e07);
    hi ^= UINT64_C(0xdb3e7c50914f862d);
    return (lo * hi) ^ weir_mulhi64(lo, hi);
}

/** Enter one hash into a chain: a bijection of `chain ^ hash`. */
WEIR_FN uint64_t weir_digest_mix(uint64_t chain, uint64_t hash)
{
    uint64_t x = chain ^ hash;
    x ^= x >> 32; /* or the upper bits would reach too few others */
    x *= UINT64_C(0xe9846af9b1a615d5);
    x ^= x >> 29;
    x *= UINT64_C(0x9e6f1d8b4c53a267);
    return x ^ (x >> 32);
}

/** Fold n words into a chain. n is part of what is folded, so {a}, {b} differs from {a, b}; n = 0 folds
 * too. */
WEIR_FN uint64_t weir_digest_fold(uint64_t chain, const uint64_t *words, uint32_t n)
{
    for (; n > 8; words += 8, n -= 8)
        chain = weir_digest_mix(chain, weir_digest_block(words, 8));
    return weir_digest_mix(chain, weir_digest_block(words, n));
}

/** Hash of any number of words. */
WEIR_FN uint64_t weir_digest_words(const uint64_t *words, uint32_t n)
{
    return n <= 8 ? weir_digest_block(words, n) : weir_digest_fold(WEIR_DIGEST_START, words, n);
}

/** The same as weir_digest_fold(chain, &word, 1). */
WEIR_FN uint64_t weir_digest_word(uint64_t chain, uint64_t word)
{
    return weir_digest_mix(chain, weir_digest_block(&word, 1));
}

/**
 * Fold arbitrary memory: as little-endian words of 8 bytes, the last one padded with zeros, then the length.
 * Host only. `bytes` may be null when size is 0. Callers see to it that structs hold no undefined padding.
 */
WEIR_API uint64_t weir_digest_bytes(uint64_t chain, const void *bytes, size_t size);

#endif
