/*
 * A peer's routing table: k-buckets in least-recently-seen order (Maymounkov and Mazieres 2002, section 2.2).
 *
 * A peer that sends us anything moves to the end of its bucket, or enters it where there is room. Where the
 * bucket is full the newcomer waits in a replacement cache of one for each bucket (their section 4.1: no
 * extra ping; the cached one takes the place of the next contact that does not answer). Without churn nobody
 * ever fails to answer, so there is no cache. Departure from section 4.1: a contact that does not answer
 * leaves the bucket even where the cache is empty.
 */
#ifndef WI_MODELS_KADEMLIA_BUCKETS_H
#define WI_MODELS_KADEMLIA_BUCKETS_H

#include "models/kademlia/world.h"

/* The bucket of somebody at this distance, which is not 0. */
WEIR_FN uint32_t kad_bucket_of(const kad_world *w, uint64_t distance)
{
    const uint32_t shared = kad_shared_bits(distance);
    return shared < w->n_buckets ? shared : w->n_buckets - 1;
}

/* Move the contacts after `at` up by one and put `contact` last of `n`. */
WEIR_FN void kad_put_last(uint32_t *slot, uint32_t at, uint32_t n, uint32_t contact)
{
    for (uint32_t i = at; i + 1 < n; i++)
        slot[i] = slot[i + 1];
    slot[n - 1] = contact;
}

/* `contact` has sent us something. */
WEIR_FN void kad_seen(weir_ctx *ctx, const kad_world *w, void *state, uint64_t self_id, uint32_t contact)
{
    kad_peer *self = (kad_peer *)state;
    const uint32_t b = kad_bucket_of(w, self_id ^ kad_id(w->salt, contact));
    uint32_t *slot = kad_bucket(w, state, b);
    uint32_t n = 0, at = w->k;
    for (; n < w->k && slot[n] != KAD_NONE; n++)
        at = slot[n] == contact ? n : at;
    if (at < n) { /* known */
        if (at + 1 == n)
            return;
        weir_touch(ctx, slot, w->k * sizeof *slot);
        kad_put_last(slot, at, n, contact);
    } else if (n < w->k) {
        weir_touch(ctx, slot, w->k * sizeof *slot);
        weir_touch(ctx, self, sizeof *self);
        slot[n] = contact;
        self->contacts++;
    } else if (w->churn) {
        uint32_t *cached = kad_cache(w, state, b);
        weir_touch(ctx, cached, sizeof *cached);
        *cached = contact;
    }
}

/* `contact` did not answer. */
WEIR_FN void kad_drop(weir_ctx *ctx, const kad_world *w, void *state, uint64_t self_id, uint32_t contact)
{
    kad_peer *self = (kad_peer *)state;
    const uint32_t b = kad_bucket_of(w, self_id ^ kad_id(w->salt, contact));
    uint32_t *slot = kad_bucket(w, state, b);
    uint32_t n = 0, at = w->k, newcomer = KAD_NONE;
    for (; n < w->k && slot[n] != KAD_NONE; n++)
        at = slot[n] == contact ? n : at;
    if (w->churn) {
        uint32_t *cached = kad_cache(w, state, b);
        if (*cached == contact || at < w->k) {
            weir_touch(ctx, cached, sizeof *cached);
            newcomer = *cached == contact ? KAD_NONE : *cached;
            *cached = KAD_NONE;
        }
    }
    if (at == w->k) /* not in the table: somebody else told us of it */
        return;
    weir_touch(ctx, slot, w->k * sizeof *slot);
    kad_put_last(slot, at, n, newcomer);
    weir_count(ctx, KAD_COUNT_EVICTED, 1);
    if (newcomer != KAD_NONE) {
        weir_count(ctx, KAD_COUNT_REPLACED, 1);
        return;
    }
    weir_touch(ctx, self, sizeof *self);
    self->contacts--;
}

/* Contacts by rising distance from a key, at most `most` of them. */
typedef struct kad_nearest {
    uint64_t key, distance[KAD_K_MAX];
    uint32_t *contact; /* [most], the caller's */
    uint32_t n, most;
} kad_nearest;

/* Insert the contacts of one bucket, `but` left out. */
WEIR_FN void kad_nearest_add(const kad_world *w, kad_nearest *best, const uint32_t *slot, uint32_t but)
{
    for (uint32_t i = 0; i < w->k && slot[i] != KAD_NONE; i++) {
        const uint64_t distance = best->key ^ kad_id(w->salt, slot[i]);
        uint32_t at = best->n;
        if (slot[i] == but || (at == best->most && distance >= best->distance[at - 1]))
            continue;
        best->n += best->n < best->most;
        if (at == best->most)
            at--;
        for (; at > 0 && best->distance[at - 1] > distance; at--) {
            best->distance[at] = best->distance[at - 1];
            best->contact[at] = best->contact[at - 1];
        }
        best->distance[at] = distance;
        best->contact[at] = slot[i];
    }
}

/*
 * The k contacts of the table that are closest to a key, `but` left out; how many there are. In no order.
 *
 * With b the number of bits that the key shares with us: those of bucket b share more than b bits with the
 * key, those of deeper buckets exactly b, those of bucket b - 1 only b - 1, and so on. So a full bucket b is
 * the answer as it stands, which is the usual case; otherwise whole buckets follow in this order.
 */
WEIR_FN uint32_t kad_closest(const kad_world *w, void *state, uint64_t self_id, uint64_t key, uint32_t but,
                             uint32_t *contact)
{
    const uint32_t b = key == self_id ? w->n_buckets - 1 : kad_bucket_of(w, key ^ self_id);
    const uint32_t *slot = kad_bucket(w, state, b);
    int whole = slot[w->k - 1] != KAD_NONE;
    for (uint32_t i = 0; i < w->k; i++)
        whole &= slot[i] != but;
    if (whole) {
        for (uint32_t i = 0; i < w->k; i++)
            contact[i] = slot[i];
        return w->k;
    }
    kad_nearest best;
    best.key = key;
    best.contact = contact;
    best.n = 0;
    best.most = w->k;
    kad_nearest_add(w, &best, slot, but);
    if (best.n < w->k)
        for (uint32_t i = b + 1; i < w->n_buckets; i++)
            kad_nearest_add(w, &best, kad_bucket(w, state, i), but);
    for (uint32_t i = b; i-- > 0 && best.n < w->k;)
        kad_nearest_add(w, &best, kad_bucket(w, state, i), but);
    return best.n;
}

#endif
