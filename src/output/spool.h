/*
 * What was written so far, kept for checkpoints: bytes that are appended to a file without a name and copied from it.
 */
#pragma once

#include "base/archiver.h"

typedef struct wi_spool wi_spool;

/* In a folder, or where temporary files go (null). WEIR_E_IO, WEIR_E_NOMEM; *out is null on failure. */
WEIR_NODISCARD weir_status wi_spool_open(weir_diag *diag, const char *folder, wi_spool **out);
/* A failure shows at wi_spool_save. */
void wi_spool_put(wi_spool *spool, const void *data, size_t bytes);
/* All bytes as a section. WEIR_E_IO. */
WEIR_NODISCARD weir_status wi_spool_save(weir_diag *diag, wi_spool *spool, wi_saver *to, const char *section);
/* Frees a spool; accepts null. */
void wi_spool_free(wi_spool *spool);
