/*
 * One output file: buffered writes, and an error that is never lost.
 *
 * The first failed write is remembered (errno and all) and everything after it is ignored, so that callers
 * write without checking and look at the status of wi_out_close alone: it flushes, fsyncs and closes, and
 * names the file in its message.
 *
 * Threads: a file belongs to one thread at a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/status.h"

typedef struct wi_out wi_out;

/* Create `name` in `folder`, or empty it when it exists. WEIR_E_IO, WEIR_E_NOMEM; *out is null on failure.
 */
WEIR_NODISCARD weir_status wi_out_open(weir_diag *diag, const char *folder, const char *name, wi_out **out);

/* Behind the name of a file that is not whole yet. */
#define WI_UNFINISHED ".unfinished"
/* Whether what stands at `path` is written and never replaced: a device, a pipe, or a link, such as /dev/stdout. */
bool wi_is_written_through(const char *path);
/* The same of a file that takes its name when it is closed whole, in place of what stood there, and never before; what is written
 * through has its name from the start. */
WEIR_NODISCARD weir_status wi_out_open_whole(weir_diag *diag, const char *path, wi_out **out);
/* The same as PATH.tmp-PID, locked as long as the process lives: base/file/abandoned.h. */
WEIR_NODISCARD weir_status wi_out_open_held(weir_diag *diag, const char *path, wi_out **out);
/* For what checkpoints keep: a file without a name in a folder, or where temporary files go (null), so that a run that is killed
 * leaves no more than before. It goes by wi_out_drop. */
WEIR_NODISCARD weir_status wi_out_open_nameless(weir_diag *diag, const char *folder, wi_out **out);

/* Append bytes; a failure shows at wi_out_close. */
void wi_out_write(wi_out *file, const void *data, size_t size);
/* Append the bytes of a string. */
void wi_out_text(wi_out *file, const char *text);

/* Write at a place, unbuffered: what wi_out_write is used on is not written there yet, unless wi_out_size was asked for since. A
 * failure shows at wi_out_close. */
void wi_out_write_at(wi_out *file, uint64_t offset, const void *data, size_t size);
/* Read back what was written; what lies past the end, or never reached the disk, reads as zeros. */
void wi_out_read_at(wi_out *file, uint64_t offset, void *data, size_t size);
/* Cut or extend a file to this size; not for a file that wi_out_write is used on. */
void wi_out_truncate(wi_out *file, uint64_t size);

/* Bytes that wi_out_write has written; what is buffered goes to the file first. */
uint64_t wi_out_size(wi_out *file);
/* Empty a file that wi_out_write is used on. */
void wi_out_restart(wi_out *file);

/* True once a write has failed: a long loop may stop early. */
bool wi_out_failed(const wi_out *file);
/* The errno of the first write that failed; 0: none has. */
int wi_out_error(const wi_out *file);

/* Flush, fsync, close and free, on every path. WEIR_E_IO when any write failed, a full disk included.
 * Accepts null. */
WEIR_NODISCARD weir_status wi_out_close(weir_diag *diag, wi_out *file);
/* Close and free without looking, and remove what is not whole: for a path that has failed already. Accepts null. */
void wi_out_drop(wi_out *file);
/* The file's name, without its folder. */
const char *wi_out_name(const wi_out *file);

/* Write a file of `size` bytes. */
WEIR_NODISCARD weir_status wi_out_put(weir_diag *diag, const char *folder, const char *name, const void *data,
                                      size_t size);

/* The same by wi_out_open_whole. */
WEIR_NODISCARD weir_status wi_out_put_whole(weir_diag *diag, const char *path, const void *data, size_t size);

/* "folder/name" in fresh memory, the caller's to free; null when memory is short. */
char *wi_path_join(const char *folder, const char *name);
/* fsync a file or folder that is closed. Returns 0 or an errno; "cannot be synced" (pipes, devices) counts
 * as done. */
int wi_sync_path(const char *path);
