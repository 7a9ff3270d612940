/*
 * The least of very many keys: those that are due soon in order, and buckets of time for the rest.
 *
 * Model: a ladder queue (Tang, Goh, Thng 2005) with a bottom of two parts. Keys before `near_end_ps` are in
 * `run`, which is sorted, or, when they came too late for that, in the 4-ary heap `near`; the least key is
 * the lesser of two. Keys of the current rungs' time are in buckets, unsorted; those after are in `top`,
 * unsorted. When run and heap are empty the next bucket is sorted and becomes the run; one that holds too
 * many is first spread over a finer rung. So a key is written two or three times in sequence and sorted among
 * a few hundred, and the cost of a hold does not grow with the number of keys. Few keys never leave the heap, and a heap in
 * which they sink further than a sort costs is split; the worst case (all keys at one time) is the heap alone.
 *
 * A bucket is a list of chunks of 16 keys (4 cache lines), all full but the newest. Bucket widths are powers
 * of two picoseconds.
 */
#pragma once

#include "pending/heap.h"

enum {
    WI_RUNGS_MAX = 8,
    WI_CHUNK = 16,          /* keys of a chunk */
    WI_BUCKET_WANTED = 128, /* keys that a bucket should have when its turn comes */
    WI_BUCKET_MOST = 256,   /* more than that are spread over a finer rung */
    WI_NEAR_MOST = 128      /* keys of the heap before it is split */
};

#define WI_NONE UINT32_MAX

typedef struct wi_bucket {
    uint32_t chunk, n; /* newest chunk, WI_NONE for none; keys */
} wi_bucket;

/* Buckets of [start, end). What lies between the end of a rung and the end of its parent's current bucket is
 * in that bucket; for rung 0, in `top`. */
typedef struct wi_rung {
    uint64_t start, end;
    uint32_t shift, n, current, room;
    wi_bucket *buckets;
} wi_rung;

typedef struct wi_ladder {
    wi_heap near;
    wi_heap_key *run; /* rising from run_at on; run[run_n] and the one after it are WI_KEY_MAX */
    size_t run_at, run_n, run_room;
    weir_time near_end_ps; /* WEIR_TIME_MAX while the heap holds all */
    uint32_t n_rungs;
    wi_rung rung[WI_RUNGS_MAX];
    wi_bucket top;
    wi_heap_key *keys; /* [capacity][WI_CHUNK] */
    uint32_t *next;    /* [capacity]: the chunk before it in its bucket, or in the list of free ones */
    uint32_t used, capacity, free_head; /* free chunks are taken first: `used` is the most at once */
    size_t split_at;                    /* keys of the heap that are worth a split */
    size_t near_room;                   /* keys that the heap may hold before wi_ladder_reserve looks again */
    size_t near_peak, run_peak, n_buckets_peak;
    int failed; /* memory ran short while keys were moved: some are lost */
} wi_ladder;

/* Empty, with room for a few keys. False when memory is short; wi_ladder_free is allowed even so. */
int wi_ladder_init(wi_ladder *l);
/* Free all memory. */
void wi_ladder_free(wi_ladder *l);
/* Make room for `more` further keys. May move keys. False when memory is short. */
int wi_ladder_reserve(wi_ladder *l, size_t more);
/* Where neither run nor heap holds a key: make a run of the next keys, if there are any. */
void wi_ladder_refill(wi_ladder *l);
/* Move the keys of the run that have the time and tie of its first to the heap. */
void wi_ladder_run_to_heap(wi_ladder *l);
/* Call `visit` for each key, in no order; without the heap's root if `skip_root`. */
void wi_ladder_visit(const wi_ladder *l, int skip_root, void (*visit)(void *user, wi_heap_key key),
                     void *user);
/* Bytes that hold keys at the peak. */
size_t wi_ladder_bytes(const wi_ladder *l);

/* key_sort.c: sort n keys, a few hundred whose times are spread about evenly; `spare` is room for as many. */
void wi_key_sort(wi_heap_key *keys, wi_heap_key *spare, size_t n);

/* The least key, WI_KEY_MAX if run and heap are empty. */
static inline wi_heap_key wi_ladder_least(const wi_ladder *l)
{
    const wi_heap_key run = l->run[l->run_at], near = l->near.a[0];
    return run < near ? run : near;
}

/* Whether `more` keys need no wi_ladder_reserve. */
static inline bool wi_ladder_has_room(const wi_ladder *l, size_t more)
{
    return l->near.n + more <= l->near_room && l->used + more <= l->capacity;
}

/* Add a key to a bucket; room must have been reserved. */
static inline void wi_bucket_add(wi_ladder *l, wi_bucket *b, wi_heap_key key)
{
    const uint32_t at = b->n++ % WI_CHUNK;
    if (at == 0) {
        uint32_t c = l->free_head;
        if (c != WI_NONE)
            l->free_head = l->next[c];
        else
            c = l->used++;
        l->next[c] = b->chunk;
        b->chunk = c;
    }
    l->keys[(size_t)b->chunk * WI_CHUNK + at] = key;
}

/* Add a key whose time is near_end_ps or later. */
static inline void wi_ladder_push_far(wi_ladder *l, wi_heap_key key)
{
    const uint64_t t = (uint64_t)wi_key_time(key);
    wi_bucket *b = &l->top;
    for (uint32_t r = l->n_rungs; r-- > 0;) {
        const wi_rung *rung = &l->rung[r];
        if (t < rung->end) {
            /* Keys that came after their bucket's turn, and left the heap when it was split, wait in the
             * bucket whose turn it is. */
            const int64_t i = (int64_t)(t - rung->start) >> rung->shift, current = rung->current;
            b = &rung->buckets[i < current ? current : i];
            break;
        }
    }
    wi_bucket_add(l, b, key);
}
