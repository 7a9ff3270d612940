/* Removing a folder, relative to open descriptors so that a link swapped in meanwhile cannot lead elsewhere.
 */
#include "output/results/remove_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { DEPTH_MAX = 32 }; /* results folders have two levels; the bound keeps the recursion honest */

static bool is_dot(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static int remove_at(int parent, const char *name, int depth)
{
    if (unlinkat(parent, name, 0) == 0)
        return 0;
    if (errno != EISDIR && errno != EPERM)
        return errno;
    const int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return errno;
    DIR *dir = depth < DEPTH_MAX ? fdopendir(fd) : NULL;
    if (!dir) {
        const int error = depth < DEPTH_MAX ? errno : ELOOP;
        close(fd);
        return error;
    }
    int first = 0;
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        const int error = is_dot(entry->d_name) ? 0 : remove_at(fd, entry->d_name, depth + 1);
        first = first ? first : error;
    }
    closedir(dir);
    if (unlinkat(parent, name, AT_REMOVEDIR) != 0 && !first)
        first = errno;
    return first;
}

int wi_remove_tree(const char *path)
{
    return remove_at(AT_FDCWD, path, 0);
}
