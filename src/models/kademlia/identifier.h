/*
 * Kademlia's identifiers and the XOR metric.
 *
 * A peer's identifier has 160 bits. It follows from the peer's index and a salt, so it is computed where it
 * is needed and stored nowhere; contacts travel as indices. The first 64 bits are a bijection of the index:
 * no two peers share them. So for any key they alone order all peers by XOR distance, and nothing here needs the
 * other 96 bits. Keys are ordered by their first 64 bits for the same reason.
 *
 * The mixing function is SplitMix64's output function (Steele, Lea and Flood, OOPSLA 2014, section 4, with
 * Stafford's constants), which is a bijection that spreads every bit over all.
 */
#pragma once

#include <stdint.h>

#include "weir/fn.h"

#define KAD_NONE UINT32_MAX /* no contact, no value */
#define KAD_STEP UINT64_C(0x9e3779b97f4a7c15)

WEIR_FN uint64_t kad_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* The salt of a run: its seed and replication. */
WEIR_FN uint64_t kad_salt(uint64_t seed, uint32_t run)
{
    return kad_mix(seed + KAD_STEP) ^ kad_mix((uint64_t)run + UINT64_C(0x6a09e667f3bcc909));
}

/* First 64 bits of a peer's identifier. */
WEIR_FN uint64_t kad_id(uint64_t salt, uint32_t peer)
{
    return kad_mix(salt + peer * KAD_STEP);
}

/* First 64 bits of the key of value `v` of the catalogue: another salt, so that they fall between the peers.
 */
WEIR_FN uint64_t kad_value_key(uint64_t salt, uint32_t v)
{
    return kad_mix(kad_mix(salt ^ UINT64_C(0xa54ff53a5f1d36f1)) + v * KAD_STEP);
}

/* Leading zeros of a word that is not 0: how many bits two identifiers share. */
WEIR_FN uint32_t kad_shared_bits(uint64_t distance)
{
#if WEIR_ON_DEVICE
    return (uint32_t)__clzll((long long)distance);
#else
    return (uint32_t)__builtin_clzll(distance);
#endif
}
