/* Removing a folder with all that is in it. */
#pragma once

#include <stdbool.h>

/* Remove `path` and everything below it; links are removed, never followed. Returns 0, or the errno of the
 * first failure. */
int wi_remove_tree(const char *path);
