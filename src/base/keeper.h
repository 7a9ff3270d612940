/*
 * One description of what is kept, for saving and for reading back: a function that walks a struct calls wi_keep for
 * each piece, and the keeper writes it to a file (base/saved.h) or fills it from one. So the two cannot part.
 *
 * Errors are remembered: walk to the end and return wi_keeper_status. While reading, what an error leaves is zeros;
 * counts that decide on memory are checked by the caller before use.
 */
#ifndef WI_BASE_KEEPER_H
#define WI_BASE_KEEPER_H

#include "base/saved.h"

typedef struct wi_keeper {
    weir_diag *diag;
    wi_saver *to; /* one of the two is null */
    const wi_saved *from;
    wi_saved_part part; /* while reading: the section under way; name null before the first */
    weir_status status;
} wi_keeper;

static inline bool wi_keeper_reads(const wi_keeper *k)
{
    return k->from != NULL;
}

/* Begin a section, which ends the one before. Reading, one that is not there is WEIR_E_FORMAT. */
void wi_keep_section(wi_keeper *k, const char *name);
/* The next bytes of the section; `at` may be null where bytes is 0. */
void wi_keep(wi_keeper *k, void *at, size_t bytes);
/* A count, or the size of an array, that the scenario decides: reading, another one is WEIR_E_FORMAT, and zero is
 * returned; else `n`. */
size_t wi_keep_size(wi_keeper *k, size_t n);
/* The first error. */
void wi_keeper_fail(wi_keeper *k, weir_status status);
/* Ends the section under way, and tells what came of all. */
WEIR_NODISCARD weir_status wi_keeper_status(wi_keeper *k);

#endif
