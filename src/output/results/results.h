/*
 * The results folder of one run: written under a temporary name beside its target, renamed when whole.
 *
 * Until wi_results_commit succeeds nothing stands under the final name, whatever happens, kill -9 included.
 * Files go into wi_results_folder(), each synced when it is closed (base/file/out.h, output/series.h).
 *
 * Threads: one thread at a time.
 */
#pragma once

#include <stdbool.h>

#include "weir/status.h"

typedef struct wi_results wi_results;

/*
 * Make the temporary folder `PATH.tmp-PID-XXXX`, and the missing folders above it.
 *
 * Force:   with `force`, a folder that stands at `path` is replaced at commit, provided that it is empty or
 * holds only files that its manifest names (output/results/manifest.h), now and at commit: what weir did not write is
 * not weir's to delete. A symbolic link to a folder is followed. Temporary folders that a killed run left
 * beside `path` are named in warnings. Returns: WEIR_OK; WEIR_E_IO when the target is no folder or cannot be
 * written; WEIR_E_NOMEM. Nothing is left behind on failure and *out is null.
 */
WEIR_NODISCARD weir_status wi_results_open(weir_diag *diag, const char *path, bool force, wi_results **out);

/* Whether what stands at the path may go: WEIR_E_IO, with a message, where it may not. Apart from wi_results_open, so that it is
 * said after what is wrong with the scenario. */
WEIR_NODISCARD weir_status wi_results_check(weir_diag *diag, const wi_results *results);

/* Where files are to be written; valid until commit or free. */
const char *wi_results_folder(const wi_results *results);
/* The final name. */
const char *wi_results_path(const wi_results *results);

/*
 * Give the folder its final name.
 *
 * An old result is exchanged in one step where the file system can, otherwise moved aside first and back if
 * need be: at every instant a whole result, old or new, stands under some name. Returns: WEIR_OK; WEIR_E_IO,
 * then a results folder that is whole but cannot get its name (someone took it meanwhile) is kept under the
 * temporary name, which the message gives.
 */
WEIR_NODISCARD weir_status wi_results_commit(weir_diag *diag, wi_results *results);

/* Free; without a commit before it, remove all that was made, folders above included when they are empty. */
void wi_results_free(wi_results *results);
