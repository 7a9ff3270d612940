/*
 * The index of all identifiers, which the world holds: who is closest to a key, and which peers may stand in
 * a bucket. Peers use it to fill their tables at the start and to judge the answers of lookups; the protocol
 * itself never looks here.
 *
 * Identifiers are spread evenly, so cells of equal width hold a few peers each, and what is closest is found
 * by looking through one cell, seldom through the cells beside it.
 */
#pragma once

#include "models/kademlia/buckets.h"

typedef struct kad_range {
    uint32_t low, high; /* of order[] */
} kad_range;

/* The peers that share the first `bits` bits with `id`, 0 to index_bits. */
WEIR_FN kad_range kad_prefix_range(const kad_world *w, uint64_t id, uint32_t bits)
{
    const uint32_t wider = w->index_bits - bits;
    const uint64_t first = bits > 0 ? (id >> (64 - bits)) << wider : 0;
    const uint32_t *start = kad_start(w);
    kad_range r;
    r.low = start[first];
    r.high = start[first + ((uint64_t)1 << wider)];
    return r;
}

/* The longest prefix of `id`, up to index_bits, that any peer has. */
WEIR_FN uint32_t kad_prefix_in_use(const kad_world *w, uint64_t id)
{
    uint32_t bits = w->index_bits;
    for (; bits > 0; bits--) {
        const kad_range r = kad_prefix_range(w, id, bits);
        if (r.high > r.low)
            break;
    }
    return bits;
}

/* How a lookup that ended at distance `reached` is to be judged. */
typedef struct kad_verdict {
    int exact;     /* nobody is closer */
    int succeeded; /* everybody who is closer had been asked and did not answer */
} kad_verdict;

/* Is `peer` among the candidates that failed? */
WEIR_FN bool kad_has_failed(const kad_candidate *list, uint32_t n, uint32_t peer)
{
    for (uint32_t i = 0; i < n; i++)
        if (list[i].contact == peer)
            return list[i].state == KAD_FAILED;
    return false;
}

WEIR_FN kad_verdict kad_judge(const kad_world *w, uint64_t key, uint64_t reached, const kad_candidate *list,
                              uint32_t n)
{
    const uint32_t *order = kad_order(w);
    kad_verdict v = {1, 1};
    /* Who is closer shares at least as many bits with the key as the end that was reached; from the narrowest
     * range on, each wider one is looked at only while all who were found there had failed. */
    const uint32_t shared = reached ? kad_shared_bits(reached) : 64;
    for (uint32_t bits = kad_prefix_in_use(w, key);; bits--) {
        const kad_range r = kad_prefix_range(w, key, bits);
        for (uint32_t i = r.low; i < r.high; i++) {
            if ((kad_id(w->salt, order[i]) ^ key) >= reached)
                continue;
            v.exact = 0;
            if (!kad_has_failed(list, n, order[i])) {
                v.succeeded = 0;
                return v;
            }
        }
        if (bits <= shared || bits == 0)
            return v;
    }
}

/* Choose k of the range at random, all alike and none twice (Floyd's sampling: Bentley and Floyd, CACM 30(9),
 * 1987), or take all where there are no more. `random` counts on by what is used. */
WEIR_FN uint32_t kad_sample(const kad_world *w, kad_range r, uint64_t *random, uint32_t *slot)
{
    const uint32_t m = r.high - r.low, *order = kad_order(w) + r.low;
    uint32_t place[KAD_K_MAX];
    if (m <= w->k) {
        for (uint32_t i = 0; i < m; i++)
            slot[i] = order[i];
        return m;
    }
    for (uint32_t i = 0; i < w->k; i++) {
        const uint32_t last = m - w->k + i;
        const uint64_t bits = kad_mix(*random += KAD_STEP) >> 32;
        uint32_t at = (uint32_t)((bits * ((uint64_t)last + 1)) >> 32);
        for (uint32_t j = 0; j < i; j++)
            if (place[j] == at) {
                at = last;
                break;
            }
        place[i] = at;
    }
    for (uint32_t i = 0; i < w->k; i++)
        slot[i] = order[place[i]];
    return w->k;
}

/* Fill an empty table: each bucket with k peers of its range, or all there are. */
WEIR_FN void kad_fill_table(const kad_world *w, void *state, uint64_t self_id, uint64_t random)
{
    kad_peer *self = (kad_peer *)state;
    uint32_t wide = w->index_bits < w->n_buckets - 1 ? w->index_bits : w->n_buckets - 1;
    for (uint32_t b = 0; b < wide; b++) {
        const kad_range r = kad_prefix_range(w, self_id ^ ((uint64_t)1 << (63 - b)), b + 1);
        self->contacts += kad_sample(w, r, &random, kad_bucket(w, state, b));
    }
    /* The rest share our own cell, which is small enough to look through. */
    const kad_range own = kad_prefix_range(w, self_id, wide);
    for (uint32_t i = own.low; i < own.high; i++) {
        const uint32_t peer = kad_order(w)[i];
        const uint64_t distance = self_id ^ kad_id(w->salt, peer);
        if (distance == 0)
            continue;
        uint32_t *slot = kad_bucket(w, state, kad_bucket_of(w, distance)), n = 0;
        while (n < w->k && slot[n] != KAD_NONE)
            n++;
        if (n < w->k) {
            slot[n] = peer;
            self->contacts++;
        }
    }
}
