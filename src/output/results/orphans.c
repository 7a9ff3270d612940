/* Orphans: a lock on the folder tells the living from the dead, across containers and reused process numbers.
 */
#include "output/results/orphans.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file/abandoned.h"
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

/* BASE.tmp-PID-XXXX or BASE.old-PID-XXXX, as results.c makes them. */
static bool is_ours(const char *pid)
{
    const size_t digits = strspn(pid, "0123456789");
    return digits > 0 && pid[digits] == '-' && strspn(pid + digits + 1, "0123456789abcdef") == 4 &&
           !pid[digits + 5];
}

static void clean_one(void *user, const char *folder, const char *pid)
{
    if (!is_ours(pid) || !wi_is_abandoned(folder, pid))
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
    wi_temporaries_each(path, clean_one, diag);
}

typedef struct search {
    char *newest;
    struct timespec made;
    bool dead;
} search;

static void look_at(void *user, const char *folder, const char *pid)
{
    search *s = user;
    struct stat about;
    if (!is_ours(pid))
        return;
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
    wi_temporaries_each(path, look_at, &s);
    *dead = s.dead;
    return s.newest;
}
