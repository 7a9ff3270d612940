/*
 * What simulations side by side have in common and none of them changes: each thing is made once, when it is first acquired,
 * and kept while it is used, and beyond that while there is room.
 *
 * A thing is found by its key, a digest of all that decides what it is. Threads: any, at any time; a thing is read by all
 * who have taken it and written by none. Repeats: who makes it and what is dropped when decides on time and memory only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/sha256.h"
#include "weir/status.h"

typedef struct wi_common wi_common;
typedef struct wi_common_thing wi_common_thing;

/* Begins empty: {{0}}. */
typedef struct wi_common_key {
    char text[WI_SHA256_TEXT];
} wi_common_key;
/* Make `size` bytes part of what a key stands for; what was folded in before and in which pieces counts too. */
void wi_common_key_fold(wi_common_key *key, const void *data, size_t size);

/* How things of one sort come and go. */
typedef struct wi_common_kind {
    /* Make one, of `user`, and its size in bytes. */
    weir_status (*make)(weir_diag *diag, void *user, void **made, uint64_t *bytes);
    void (*free)(void *made); /* given null, too */
} wi_common_kind;

/* Room for so many bytes of things, in use or not; null when memory is short. */
wi_common *wi_common_new(uint64_t most_bytes);
/* All that was taken has been given back. Accepts null. */
void wi_common_free(wi_common *shared);

/*
 * Take the thing of a key, which must name its kind too; made where there is none, and where another thread is making it,
 * waited for. To be given back. Where it would be more than there is room for, it is the taker's alone.
 * Errors: those of `make`, which another taker of the same key then tries for itself; WEIR_E_NOMEM. *out is null then.
 */
WEIR_NODISCARD weir_status wi_common_acquire(wi_common *shared, weir_diag *diag, const wi_common_kind *kind,
                                             const wi_common_key *key, void *user, wi_common_thing **out);
/* What `make` has made. */
const void *wi_common_made(const wi_common_thing *thing);
/* Accepts null. */
void wi_common_release(wi_common_thing *thing);
/* Whether others may find it, and its bytes are counted; else it is its taker's alone. */
bool wi_common_is_kept(const wi_common_thing *thing);
/* Memory is short: what nobody uses goes. Accepts null. */
void wi_common_drop_unused(wi_common *common);

typedef struct wi_common_use {
    uint64_t made, found; /* things; and how often one was there already */
    uint64_t bytes, most; /* of those that are kept, and the most that ever were */
} wi_common_use;
/* Null: zeros. */
wi_common_use wi_common_used(wi_common *shared);
