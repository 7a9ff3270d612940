/* Temporary results folders whose run is gone: killed, or the machine went down. */
#pragma once

#include <stdbool.h>

#include "weir/status.h"

/*
 * Mark a temporary folder as in use, for as long as the descriptor is open and the process lives. Returns the
 * descriptor, -1 where the file system has no locks.
 */
int wi_orphans_hold(const char *folder);

/*
 * Remove the folders `PATH.tmp-PID-XXXX` and `PATH.old-PID-XXXX` that nobody holds, and warn of each by name. Those that hold
 * whole results, which could not get their name, are named and stay.
 */
void wi_orphans_clean(weir_diag *diag, const char *path);

/* The newest folder `PATH.tmp-PID-XXXX` that a run holds, malloc'ed; null: there is none, and *dead tells whether
 * there is one that nobody holds. */
char *wi_orphans_find(const char *path, bool *dead);
