/*
 * A peer's routing table: k-buckets in least-recently-seen order (Maymounkov and Mazieres 2002, section 2.2).
 *
 * A peer that sends us anything moves to the end of its bucket, or enters it where there is room. Where the
 * bucket is full the newcomer waits in a replacement cache of one for each bucket (their section 4.1: no
 * extra ping; the cached one takes the place of the next contact that does not answer). Without churn nobody
 * ever fails to answer, so there is no cache. Departure from section 4.1: a contact that does not answer
 * leaves the bucket even where the cache is empty.
 */
#pragma once

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
    if (at == w->k) /* not in the table: heard of from another peer */
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

/* Ask for the bucket of somebody who is about to be looked up, so that its memory is there in time. */
WEIR_FN void kad_prefetch(const kad_world *w, void *state, uint64_t distance)
{
#if !WEIR_ON_DEVICE
    __builtin_prefetch(kad_bucket(w, state, kad_bucket_of(w, distance | 1)));
#else
    (void)w, (void)state, (void)distance;
#endif
}

/* An answer that is being put together: contacts, at most k, `but` left out. */
typedef struct kad_answering {
    uint64_t key;
    uint32_t but, n;
    uint32_t *contact; /* [k], the caller's */
} kad_answering;

/* Add a group of buckets, low to below high, as it stands. False where they do not all fit. */
WEIR_FN int kad_add_all(const kad_world *w, void *state, kad_answering *a, uint32_t low, uint32_t high)
{
    uint32_t n = a->n;
    for (uint32_t b = low; b < high; b++) {
        const uint32_t *slot = kad_bucket(w, state, b);
        for (uint32_t i = 0; i < w->k && slot[i] != KAD_NONE; i++) {
            if (slot[i] == a->but)
                continue;
            if (n == w->k)
                return 0;
            a->contact[n++] = slot[i];
        }
    }
    a->n = n;
    return 1;
}

/* Insert a contact at `d` from the key into the closest so far, rising, of which `most` are kept. Returns how many there are. */
WEIR_FN uint32_t kad_keep_close(uint32_t *best, uint64_t *distance, uint32_t n, uint32_t most,
                                uint32_t contact, uint64_t d)
{
    if (n == most && (n == 0 || d >= distance[n - 1]))
        return n;
    uint32_t at = n < most ? n : n - 1;
    for (; at > 0 && distance[at - 1] > d; at--) {
        distance[at] = distance[at - 1];
        best[at] = best[at - 1];
    }
    distance[at] = d;
    best[at] = contact;
    return n < most ? n + 1 : n;
}

/* Add those of a group that are closest to the key, until there are k: by insertion. */
WEIR_FN void kad_add_closest(const kad_world *w, void *state, kad_answering *a, uint32_t low, uint32_t high)
{
    uint64_t distance[KAD_K_MAX];
    uint32_t *best = a->contact + a->n, n = 0;
    const uint32_t most = w->k - a->n;
    for (uint32_t b = low; b < high && most > 0; b++) {
        const uint32_t *slot = kad_bucket(w, state, b);
        for (uint32_t i = 0; i < w->k && slot[i] != KAD_NONE; i++) {
            if (slot[i] != a->but)
                n = kad_keep_close(best, distance, n, most, slot[i], a->key ^ kad_id(w->salt, slot[i]));
        }
    }
    a->n += n;
}

/* Add a group; true when the answer is complete. Distances are looked at only where not all fit. */
WEIR_FN int kad_add_group(const kad_world *w, void *state, kad_answering *a, uint32_t low, uint32_t high)
{
    if (!kad_add_all(w, state, a, low, high))
        kad_add_closest(w, state, a, low, high);
    return a->n == w->k;
}

/*
 * The k contacts of the table that are closest to a key, `but` left out; how many there are. In no order.
 *
 * With b the number of bits that the key shares with us: those of bucket b share more than b bits with the
 * key, those of deeper buckets exactly b, those of bucket b - 1 only b - 1, and so on: whole groups, each
 * farther than the one before. A full bucket b is the usual case.
 */
WEIR_FN uint32_t kad_closest(const kad_world *w, void *state, uint64_t self_id, uint64_t key, uint32_t but,
                             uint32_t *contact)
{
    const uint32_t b = key == self_id ? w->n_buckets - 1 : kad_bucket_of(w, key ^ self_id);
    kad_answering a;
    a.key = key;
    a.but = but;
    a.n = 0;
    a.contact = contact;
    if (!kad_add_group(w, state, &a, b, b + 1) && !kad_add_group(w, state, &a, b + 1, w->n_buckets))
        for (uint32_t i = b; i-- > 0;)
            if (kad_add_group(w, state, &a, i, i + 1))
                break;
    return a.n;
}
