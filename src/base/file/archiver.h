/*
 * One function for saving and for reading back, as in the archives of Boost.Serialization: it walks a struct and calls
 * wi_archive for each piece. The archiver writes the piece to a file (base/file/saved.h) or fills it from one.
 *
 * Without a file it walks alone: over ranks, where what is saved is first gathered, by those that do not write.
 *
 * Errors are remembered: walk to the end and return wi_archiver_status. After an error, reading gives zeros. Sizes of
 * arrays are those of the run, which follow from its scenario; a section that has more or less fails where it ends.
 */
#pragma once

#include "base/file/out.h"
#include "base/file/saved.h"

typedef struct wi_archiver {
    weir_diag *diag;
    wi_saver *to; /* one of the two is null, or both */
    const wi_saved *from;
    wi_saved_part part; /* while reading: the section under way; name null before the first */
    weir_status status;
} wi_archiver;

/* Whether the archiver fills what it is given, instead of saving it. */
static inline bool wi_archiver_reads(const wi_archiver *k)
{
    return k->from != NULL;
}

/* Begin a section, which ends the one before. Reading, one that is not there is WEIR_E_FORMAT. */
void wi_archive_section(wi_archiver *k, const char *name);
/* The next bytes of the section; `at` may be null where bytes is 0. */
void wi_archive(wi_archiver *k, void *at, size_t bytes);
/* All of a file that wi_out_write is used on, until the section's end; reading, in place of what it holds. */
void wi_archive_file(wi_archiver *k, wi_out *file);
/* The same where more follows it in the section. */
void wi_archive_sized_file(wi_archiver *k, wi_out *file);
/* How many there are of what follows, of `bytes` each at least: as many as the section has, or WEIR_E_FORMAT and 0. */
uint64_t wi_archive_count(wi_archiver *k, uint64_t n, size_t bytes);
/* An array of *n that wi_grow_one has made; reading, at least as many as it has. */
void wi_archive_array(wi_archiver *k, void *array, size_t *n, size_t bytes);
/* A flag, which no file makes anything else. */
void wi_archive_flag(wi_archiver *k, bool *flag);
/* Remember an error, unless there was one before. */
void wi_archiver_fail(wi_archiver *k, weir_status status);
/* End the last section; returns the first error. */
WEIR_NODISCARD weir_status wi_archiver_status(wi_archiver *k);
