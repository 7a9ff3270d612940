#include "schema/file_pattern.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

bool wi_is_file_pattern(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strpbrk(slash ? slash : path, "*?") != NULL;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool add_file(wi_files *out, const char *folder, size_t length, const char *name)
{
    char **more = realloc(out->path, (out->n + 1) * sizeof *more), *path;
    if (!more)
        return false;
    out->path = more;
    path = malloc(length + strlen(name) + 1);
    if (!path)
        return false;
    memcpy(path, folder, length);
    memcpy(path + length, name, strlen(name) + 1);
    out->path[out->n++] = path;
    return true;
}

weir_status wi_files_find(weir_diag *diag, const char *pattern, wi_files *out)
{
    const char *slash = strrchr(pattern, '/'), *last = slash ? slash + 1 : pattern;
    const size_t length = (size_t)(last - pattern);
    char *folder = length > 1 ? strndup(pattern, length - 1) : strdup(length ? "/" : ".");
    *out = (wi_files){0};
    if (!folder)
        return weir_fail(diag, WEIR_E_NOMEM, "%s: out of memory", pattern);
    DIR *dir = opendir(folder);
    weir_status status = dir ? WEIR_OK : weir_fail(diag, WEIR_E_IO, "%s: %s", folder, strerror(errno));
    for (struct dirent *e; dir && status == WEIR_OK && (e = readdir(dir));)
        if (fnmatch(last, e->d_name, FNM_PERIOD) == 0 && !add_file(out, pattern, length, e->d_name))
            status = weir_fail(diag, WEIR_E_NOMEM, "%s: out of memory after %zu files", pattern, out->n);
    if (dir)
        closedir(dir);
    free(folder);
    if (out->n > 0)
        qsort(out->path, out->n, sizeof *out->path, by_name);
    return status;
}

void wi_files_free(wi_files *files)
{
    for (size_t i = 0; i < files->n; i++)
        free(files->path[i]);
    free(files->path);
    *files = (wi_files){0};
}
