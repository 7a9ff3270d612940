/* Memory: arrays that grow, memory that goes with an owner, and how a block of code is left. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "weir/status.h"

/* Items of an array; not of a pointer. */
#define WI_N_OF(array) (sizeof(array) / sizeof((array)[0]))

/* ---- arrays that grow as items are put behind those that are there ---- */

/* Makes room for `wanted` items of `size` bytes in the array that `array` points to, of which there is `*room`. False when
 * memory is short: the array is as it was. */
static inline bool wi_grow(void *array, size_t *room, size_t wanted, size_t size)
{
    void *items;
    if (wanted <= *room)
        return true;
    const size_t twice = *room ? 2 * *room : 64, more = twice > wanted ? twice : wanted;
    memcpy(&items, array, sizeof items);
    items = more <= SIZE_MAX / size ? realloc(items, more * size) : NULL;
    if (!items)
        return false;
    memcpy(array, &items, sizeof items);
    *room = more;
    return true;
}

/* Makes room for one item of `size` bytes behind the n that the array at `array` has, of at most 2^31, which counts of 32 bits
 * hold. How much room there is follows from n: 4, or the least power of two that is not below it. The array is this
 * function's alone, and null at first. False when memory is short: the array is as it was. */
static inline bool wi_grow_one(void *array, size_t n, size_t size)
{
    size_t room = n;
    if ((n > 0 && n < 4) || (n & (n - 1)) != 0)
        return true;
    return n <= INT32_MAX && wi_grow(array, &room, n ? 2 * n : 4, size);
}

/* The same as wi_grow; new items are zero. */
static inline bool wi_grow_zeroed(void *array, size_t *room, size_t wanted, size_t size)
{
    char *items;
    const size_t before = *room;
    if (!wi_grow(array, room, wanted, size))
        return false;
    memcpy(&items, array, sizeof items);
    memset(items + before * size, 0, (*room - before) * size);
    return true;
}

/* Memory at a line's beginning, not zeroed; free frees it. Large blocks are in large pages: those that are touched a line at a time
 * miss the TLB in small ones. Null: there is none. */
void *wi_new_block(uint64_t bytes);

/* ---- pieces that are freed together, and one flag that says whether any is missing ---- */

/* All zero: it owns nothing. */
typedef struct wi_owned {
    void *last;
    bool failed; /* memory ran short */
} wi_owned;

/* Takes zeroed memory for n items, of which there may be none. Null when memory is short: owned->failed from then on. */
void *wi_take(wi_owned *owned, size_t n, size_t size);
/* Frees all of it; it owns nothing then. */
void wi_owned_free(wi_owned *owned);

/* Frees n texts, and the list of them; null: there is none. */
static inline void wi_texts_free(char **text, size_t n)
{
    for (size_t i = 0; text && i < n; i++)
        free(text[i]);
    free(text);
}

/* ---- a block of code ---- */

static inline void wi_free_local(const void *pointer)
{
    void *memory;
    memcpy(&memory, pointer, sizeof memory);
    free(memory);
}

/* Before the declaration of pointers: what they point to then is freed where their block is left, on every path. */
#define WI_FREED __attribute__((cleanup(wi_free_local)))
/* Before the declaration of a struct that has a value from there on: `end` is called with its address there. */
#define WI_ENDED(end) __attribute__((cleanup(end)))
/* Return from the calling function with the status of a call that has failed. */
#define WI_RETURN_IF_FAILED(call)           \
    do {                                    \
        const weir_status status_ = (call); \
        if (status_ != WEIR_OK)             \
            return status_;                 \
    } while (0)
