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

#include "base/abandoned.h"
#include "base/memory.h"
#include "output/out.h"
#include "output/results/manifest.h"
#include "output/results/remove_tree.h"

int wi_orphans_hold(const char *folder)
{
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (fd >= 0 && flock(fd, LOCK_SH) != 0) { /* it waits: who watches may have it for a moment */
        if (errno == EINTR)
            continue;
        close(fd);
        return -1;
    }
    return fd;
}

static bool is_abandoned(const char *folder)
{
    const char *name = strrchr(folder, '/'), *pid = strrchr(name ? name : folder, '-');
    while (pid > folder && pid[-1] != '-') /* BASE.tmp-PID-XXXX */
        pid--;
    return wi_is_abandoned(folder, pid);
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
    WI_FREED char *parent = slash == path ? strdup("/")
                            : slash       ? strndup(path, (size_t)(slash - path))
                                          : strdup(".");
    DIR *dir = parent ? opendir(parent) : NULL;
    for (const struct dirent *entry; dir && (entry = readdir(dir)) != NULL;) {
        WI_FREED char *folder =
            is_temporary(entry->d_name, base) ? wi_path_join(parent, entry->d_name) : NULL;
        if (folder)
            see(user, folder);
    }
    if (dir)
        closedir(dir);
}

static void clean_one(void *user, const char *folder)
{
    if (!is_abandoned(folder))
        return;
    if (wi_manifest_is_there(folder))
        weir_warn_at(user, folder, 0, 0,
                     "whole results of a run before, which could not get their name; move or remove them");
    else if (wi_remove_tree(folder) == 0)
        weir_warn_at(user, folder, 0, 0, "left by a run that was killed, and not whole; removed");
    else
        weir_warn_at(user, folder, 0, 0,
                     "left by a run that was killed, and not whole; it cannot be removed");
}

void wi_orphans_clean(weir_diag *diag, const char *path)
{
    each(path, clean_one, diag);
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
    if (!wi_is_locked(folder)) { /* whatever its age: a run that was killed just now is none to watch */
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
