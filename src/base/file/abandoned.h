/* What a process that was killed has left: a file or folder with its number in the name, which it had locked while it lived. */
#pragma once

#include <stdbool.h>

/* Does a process hold the lock of `path`? What cannot be locked at all, a link for one, counts as locked. */
bool wi_is_locked(const char *path);

/*
 * May `path` be removed? Nobody holds its lock, and nobody is about to: `pid` is the text behind ".tmp-", and what changed within two
 * seconds and names a living process counts as held. So does all where there are no locks, and a link.
 */
bool wi_is_abandoned(const char *path, const char *pid);

/* Call `see` for each PATH.tmp-... and PATH.old-... that there is; `pid` is the text behind the dash, in `one`. */
void wi_temporaries_each(const char *path, void (*see)(void *user, const char *one, const char *pid),
                         void *user);
