/*
 * A file of named sections, each with a checksum: what a checkpoint is made of.
 *
 * Layout (little endian, 8-byte words):
 *
 *   head       "weir-saved\n" and zeros to 16 bytes, the format's number, the size of the sections
 *   sections   one after another, each padded to 8 bytes
 *   list       of each section: name (32 bytes, zeros behind it), place in the file, bytes, CRC-32
 *   tail       place of the list, number of sections, CRC-32 of the list, "weir-end"
 *
 * A file is written beside its name and renamed when it is whole and on the disk, so that under the name there is
 * always a whole file, the last one or the one before it, kill -9 and a full disk included. A reader looks at every
 * checksum before it gives anything out.
 *
 * Threads: one at a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/status.h"

enum { WI_SAVED_NAME = 32, WI_SAVED_SECTIONS = 64 };

/* ---- writing ---- */

typedef struct wi_saver wi_saver;

/* Remove what writers of PATH left that were killed, PATH.tmp-PID, and warn of each by name. Files that are being written are locked,
 * and stay. */
void wi_saver_clean(weir_diag *diag, const char *path);
/* Begin PATH.tmp-PID. WEIR_E_IO, WEIR_E_NOMEM; *out is null on failure. */
WEIR_NODISCARD weir_status wi_saver_open(weir_diag *diag, const char *path, wi_saver **out);
/* Begin a section, which ends the one before. At most WI_SAVED_SECTIONS, with names below WI_SAVED_NAME bytes that are
 * distinct: another is the caller's mistake, which wi_saver_commit returns as WEIR_E_ARG. */
void wi_saver_section(wi_saver *saver, const char *name);
/* Append to the section. Errors are remembered: wi_saver_commit returns them. */
void wi_saver_put(wi_saver *saver, const void *data, size_t bytes);
/* Give the file up: wi_saver_commit returns that status, without a message of its own. */
void wi_saver_fail(wi_saver *saver, weir_status status);
/* What a file's sections are, in 64 hexadecimal digits and a zero: SHA-256 of the names, sizes and checksums of all but `but`, which may
 * hold it. Call it when the others are written. */
void wi_saver_digest(const wi_saver *saver, const char *but, char text[65]);
/* End the file, sync it and give it its name; frees the saver on every path. WEIR_E_IO: what stood there stands. */
WEIR_NODISCARD weir_status wi_saver_commit(weir_diag *diag, wi_saver *saver);
/* Free and remove what was written. Accepts null. */
void wi_saver_drop(wi_saver *saver);

/* ---- reading ---- */

typedef struct wi_saved wi_saved;

/*
 * Open a file and check it whole.
 *
 * Returns: WEIR_OK; WEIR_E_IO; WEIR_E_NOMEM; WEIR_E_FORMAT, which says what is wrong: no such file of weir's, another
 * format, cut off, a section (by name) that is damaged. *out is null on failure.
 */
WEIR_NODISCARD weir_status wi_saved_open(weir_diag *diag, const char *path, wi_saved **out);
void wi_saved_close(wi_saved *saved); /* accepts null */
const char *wi_saved_path(const wi_saved *saved);
/* wi_saver_digest of what was read. */
void wi_saved_digest(const wi_saved *saved, const char *but, char text[65]);

/* What is left of a section. Reading past its end makes it `short`, and gives zeros. */
typedef struct wi_saved_part {
    const unsigned char *at;
    size_t left;
    const char *name;
    bool is_short;
} wi_saved_part;

/* Find a section; false: there is none of that name, and the part is empty. */
bool wi_saved_find(const wi_saved *saved, const char *name, wi_saved_part *out);
/* Copy the next bytes of a section, as wi_saved_view. */
void wi_saved_read(wi_saved_part *part, void *to, size_t bytes);
/* The next bytes where they lie, 8-byte aligned if all that was taken before is a multiple of 8; null past the end. */
const void *wi_saved_view(wi_saved_part *part, size_t bytes);
/* WEIR_E_FORMAT unless a part was read to its end and not past it. */
WEIR_NODISCARD weir_status wi_saved_done(weir_diag *diag, const wi_saved *saved, const wi_saved_part *part);
