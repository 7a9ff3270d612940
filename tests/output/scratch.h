/* A scratch folder for a test, and small looks at the file system. */
#ifndef TESTS_OUTPUT_SCRATCH_H
#define TESTS_OUTPUT_SCRATCH_H

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/results/remove_tree.h"

static char scratch_folder[64];

static inline const char *scratch_make(void)
{
    strcpy(scratch_folder, "/tmp/weir-test-XXXXXX");
    return mkdtemp(scratch_folder);
}

/* Of a group of tests that share it. */
static inline int scratch_set_up(void **state)
{
    (void)state;
    return scratch_make() ? 0 : -1;
}

static inline int scratch_tear_down(void **state)
{
    (void)state;
    return wi_remove_tree(scratch_folder);
}

/* A path below the scratch folder; eight may be in use at once. */
static inline const char *scratch_path(const char *name)
{
    static char paths[8][256];
    static unsigned turn;
    char *path = paths[turn++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", scratch_folder, name);
    return path;
}

static inline bool exists(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

/* Number of names in a folder, -1 when there is none. */
static inline int count_names(const char *path)
{
    DIR *dir = opendir(path);
    if (!dir)
        return -1;
    int n = -2;
    while (readdir(dir))
        n++;
    closedir(dir);
    return n;
}

/* The whole text of a file, malloc'ed; null when it cannot be read. */
static inline char *read_text(const char *path)
{
    FILE *f = fopen(path, "r");
    if (!f)
        return NULL;
    char *text = calloc(1, 1 << 20);
    const size_t n = fread(text, 1, (1 << 20) - 1, f);
    text[n] = '\0';
    fclose(f);
    return text;
}

#endif
