/* Orphans: a lock on the folder tells the living from the dead, across containers and reused process numbers.
 */
#include "output/results/orphans.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "output/results/manifest.h"
#include "output/out.h"

int wi_orphans_hold(const char *folder)
{
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static bool is_held(const char *folder)
{
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return true;
    const bool held =
        flock(fd, LOCK_EX | LOCK_NB) != 0; /* without locks at all: held, so that nothing is said */
    close(fd);
    return held;
}

/* BASE.tmp-PID-XXXX or BASE.old-PID-XXXX, as results.c makes them. */
static bool is_temporary(const char *name, const char *base)
{
    const size_t n = strlen(base);
    if (strncmp(name, base, n) != 0 ||
        (strncmp(name + n, ".tmp-", 5) != 0 && strncmp(name + n, ".old-", 5) != 0))
        return false;
    const char *at = name + n + 5;
    const size_t digits = strspn(at, "0123456789");
    return digits > 0 && at[digits] == '-' && strspn(at + digits + 1, "0123456789abcdef") == 4 &&
           !at[digits + 5];
}

/* Calls `see` for each temporary folder of `path`. */
static void each(const char *path, void (*see)(void *user, const char *folder), void *user)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    char *parent = slash == path ? strdup("/") : slash ? strndup(path, (size_t)(slash - path)) : strdup(".");
    DIR *dir = parent ? opendir(parent) : NULL;
    for (const struct dirent *entry; dir && (entry = readdir(dir)) != NULL;) {
        char *folder = is_temporary(entry->d_name, base) ? wi_path_join(parent, entry->d_name) : NULL;
        if (folder)
            see(user, folder);
        free(folder);
    }
    if (dir)
        closedir(dir);
    free(parent);
}

static void name_one(void *user, const char *folder)
{
    if (!is_held(folder))
        weir_warn_at(
            user, folder, 0, 0,
            wi_manifest_is_there(folder)
                ? "whole results of a run before, which could not get their name; move or remove them"
                : "left by a run that was killed, and not whole; remove it");
}

void wi_orphans_name(weir_diag *diag, const char *path)
{
    each(path, name_one, diag);
}

typedef struct search {
    char *newest;
    struct timespec made;
    bool dead;
} search;

static void look_at(void *user, const char *folder)
{
    search *s = user;
    struct stat about;
    if (!is_held(folder)) {
        s->dead = true;
        return;
    }
    if (stat(folder, &about) != 0)
        return;
    const struct timespec *a = &about.st_ctim, *b = &s->made;
    if (s->newest && (a->tv_sec < b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec)))
        return;
    free(s->newest);
    s->newest = strdup(folder);
    s->made = *a;
}

char *wi_orphans_find(const char *path, bool *dead)
{
    search s = {0};
    each(path, look_at, &s);
    *dead = s.dead;
    return s.newest;
}
