/*
 * What a reader reads: bytes in order, from memory or from a file, compressed or not, of which one window is on
 * hand. So a file takes as much memory as its graph, however long it is.
 */
#ifndef WI_TOPOLOGY_READ_SOURCE_H
#define WI_TOPOLOGY_READ_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/status.h"

/* A piece of text in a source, not ended by a NUL: good until more of the source is read. */
typedef struct wi_slice {
    const char *text;
    size_t length;
} wi_slice;

/* The longest line; and as much of a file is on hand. */
#define WI_LINE_MAX ((size_t)1 << 20)

typedef struct wi_source {
    const char *name; /* for messages */
    weir_diag *diag;
    bool is_file;       /* `name` is a path: files beside it may be read */
    weir_status status; /* the first failure of reading, which was reported; then the source ends */
    int line;           /* of the line last given, from 1 */
    bool is_text;       /* a NUL byte is an error */

    const char *begin, *at, *end; /* what is on hand; what of it comes next */
    bool ended;                   /* nothing comes behind `end` */
    char *window;                 /* of a file */
    size_t room;
    struct wi_unpack *file;
    uint64_t taken, max_bytes; /* bytes read, uncompressed */
} wi_source;

/* Bytes in memory, which stay the caller's. Nothing to close. */
wi_source wi_source_memory(weir_diag *diag, const char *name, const char *data, size_t size);
/* Opens a file and reads its first window. Closed by wi_source_close, also after a failure. */
weir_status wi_source_open(weir_diag *diag, const char *path, uint64_t max_bytes, wi_source *source);
void wi_source_close(wi_source *source);

/* From here on a NUL byte is an error: whatever was to be read is no text. Looks at what is on hand. */
weir_status wi_source_text(wi_source *source);
/* Everything on hand at once, so that slices stay good. For configurations, which are short. */
weir_status wi_source_hold(wi_source *source);
/* More bytes on hand, behind those that are; false at the end, and when reading failed. */
bool wi_source_more(wi_source *source);
/* The next line without its ending and without blanks around it; false at the end, and when reading failed.
 */
bool wi_next_line(wi_source *source, wi_slice *line);

#endif
