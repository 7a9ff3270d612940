/* A lock is held as long as its process lives, also across containers, and where process numbers are used again. */
#include "base/file/abandoned.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"

static bool may_be_new(const struct stat *about, const char *pid)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec - about->st_ctim.tv_sec < 2 &&
           (kill((pid_t)strtol(pid, NULL, 10), 0) == 0 || errno != ESRCH);
}

bool wi_is_locked(const char *path)
{
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const bool locked = fd < 0 || flock(fd, LOCK_EX | LOCK_NB) != 0;
    if (fd >= 0)
        close(fd);
    return locked;
}

bool wi_is_abandoned(const char *path, const char *pid)
{
    struct stat about;
    return lstat(path, &about) == 0 && (S_ISREG(about.st_mode) || S_ISDIR(about.st_mode)) &&
           !may_be_new(&about, pid) && !wi_is_locked(path);
}

void wi_temporaries_each(const char *path, void (*see)(void *user, const char *one, const char *pid),
                         void *user)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const size_t n = strlen(base);
    const int folder = (int)(base - path);
    WI_FREED char *parent = folder ? strndup(path, (size_t)folder) : strdup(".");
    DIR *dir = parent ? opendir(parent) : NULL;
    for (const struct dirent *entry; dir && (entry = readdir(dir)) != NULL;) {
        const char *name = entry->d_name;
        WI_FREED char *one = NULL;
        if (strncmp(name, base, n) != 0 ||
            (strncmp(name + n, ".tmp-", 5) != 0 && strncmp(name + n, ".old-", 5) != 0))
            continue;
        if (asprintf(&one, "%.*s%s", folder, path, name) >= 0)
            see(user, one, one + folder + n + 5);
        else
            one = NULL;
    }
    if (dir)
        closedir(dir);
}
