/*
 * The manifest of a results folder: which of its files weir made, and may therefore replace.
 *
 * manifest.json holds {"format": "weir results 1", "files": ["flows.csv", ...]}, the names sorted; its own
 * name goes without saying. A file of that name with another content is somebody else's.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "weir/status.h"

#define WI_MANIFEST_NAME "manifest.json"

/* Write the manifest of all that lies in `folder`, which weir alone has written to. WEIR_E_IO, WEIR_E_NOMEM.
 */
WEIR_NODISCARD weir_status wi_manifest_put(weir_diag *diag, const char *folder);

/* Is there a manifest of weir's in `folder`? */
bool wi_manifest_is_there(const char *folder);

/*
 * What lies in `folder` and is not named by its manifest: other files, and every folder and link. The first
 * few names go into `text`, with a count of the rest. Returns how many; all are foreign where there is no
 * manifest. -1: the folder cannot be read (errno).
 */
int wi_manifest_foreign(const char *folder, char *text, size_t size);

/*
 * Remove the files that the manifest names, the manifest last, and the folder if it is empty then. Nothing
 * else is touched. Returns 0 or an errno, ENOTEMPTY where something foreign keeps the folder.
 */
int wi_manifest_remove(const char *folder);
