/*
 * What a reader reads: bytes in order, from memory or from a file, compressed or not, of which one window is
 * on hand. So a file takes as much memory as its graph, however long it is.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/status.h"

/* A piece of text in a source, not ended by a NUL: good until more of the source is read. */
typedef struct wi_slice {
    const char *text;
    size_t length;
} wi_slice;

/* What stands between fields of a line. */
bool wi_is_blank(char c);
/* The text from `begin` to `end` without the blanks around it. */
wi_slice wi_trimmed(const char *begin, const char *end);

/* The longest line; and as much of a file is on hand. */
#define WI_LINE_MAX ((size_t)1 << 20)

typedef struct wi_source {
    const char *name; /* for messages */
    weir_diag *diag;
    bool is_file;       /* `name` is a path: files beside it may be read */
    weir_status status; /* the first failure, which was reported: the source ends, and no other is */
    int tolerates;      /* so many errors of its text do not end it: their readers look at `errors` */
    int errors;         /* reported so far */
    int line;           /* that errors are reported at: of the line last given, from 1 */
    bool is_text;       /* a NUL byte is an error */

    const char *begin, *at, *end; /* what is on hand; what of it comes next */
    bool ended;                   /* nothing comes behind `end` */
    char *window;                 /* of a file */
    size_t room;
    struct wi_unpack *file;
    uint64_t taken, max_bytes; /* bytes read, uncompressed */
} wi_source;

/* Read bytes in memory, which stay the caller's. Nothing to close. */
wi_source wi_source_memory(weir_diag *diag, const char *name, const char *data, size_t size);
/* Open a file and read its first window. Closed by wi_source_close, also after a failure. */
weir_status wi_source_open(weir_diag *diag, const char *path, uint64_t max_bytes, wi_source *source);
/* A file for a reader that takes a source and ends it; at most 1 GiB, uncompressed. The status says whether it can be read. */
wi_source wi_source_file(weir_diag *diag, const char *path);
/* Close a source; of one in memory, nothing happens. Returns what went wrong with it. */
weir_status wi_source_close(wi_source *source);

/* Make a NUL byte an error from here on: whatever was to be read is no text. Looks at what is on hand. */
void wi_source_text(wi_source *source);
/* Bring everything on hand at once, so that slices stay good. For configurations, which are short. */
void wi_source_hold(wi_source *source);
/* Bring more bytes on hand, behind those that are; false at the end, and when reading failed. */
bool wi_source_more(wi_source *source);
/* Read the next line without its ending and without blanks around it; false at the end, and when reading
 * failed. */
bool wi_next_line(wi_source *source, wi_slice *line);

/* Report an error (WEIR_E_FORMAT) at a line, 0 for the whole, and a column, 0 for none; not where the source
 * has failed already. The others: at the source's line; at a piece of that line. */
void wi_fail_at(wi_source *source, int line, int column, const char *fmt, ...) WEIR_PRINTF(4, 5);
#define wi_fail(source, ...) wi_fail_at(source, (source)->line, 0, __VA_ARGS__)
#define wi_fail_slice(source, slice, ...) \
    wi_fail_at(source, (source)->line, wi_column(source, slice), __VA_ARGS__)
/* The column, from 1, of a piece that is on hand; 0: it is none of the source's. */
int wi_column(const wi_source *source, wi_slice slice);
/* Report WEIR_E_NOMEM, and what there is no memory for. */
void wi_no_memory(wi_source *source, const char *what);
