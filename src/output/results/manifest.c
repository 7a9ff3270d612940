/* Manifests: the names of a results folder's own files. */
#include "output/results/manifest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/order.h"
#include "output/json.h"
#include "base/file/out.h"

static const char format[] = "weir results 1";

static bool is_dot(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

typedef struct names {
    char **item;
    size_t n;
} names;

static bool add_name(names *list, const char *name)
{
    if (!wi_grow_one(&list->item, list->n, sizeof *list->item) || !(list->item[list->n] = strdup(name)))
        return false;
    list->n++;
    return true;
}

/* All names in a folder, sorted. Returns 0 or an errno. */
static int list_folder(const char *folder, names *list)
{
    DIR *dir = opendir(folder);
    *list = (names){0};
    if (!dir)
        return errno;
    bool good = true;
    for (const struct dirent *entry; good && (entry = readdir(dir)) != NULL;)
        good = is_dot(entry->d_name) || add_name(list, entry->d_name);
    closedir(dir);
    if (!good) {
        wi_texts_free(list->item, list->n);
        *list = (names){0};
        return ENOMEM;
    }
    if (list->n > 0)
        qsort(list->item, list->n, sizeof *list->item, wi_order_text);
    return 0;
}

weir_status wi_manifest_put(weir_diag *diag, const char *folder)
{
    names list;
    const int error = list_folder(folder, &list);
    if (error)
        return weir_fail_at(diag, WEIR_E_IO, folder, 0, 0, "cannot be listed: %s", strerror(error));
    json_t *files = json_array();
    for (size_t i = 0; i < list.n; i++)
        if (strcmp(list.item[i], WI_MANIFEST_NAME) != 0)
            json_array_append_new(files, json_string(list.item[i]));
    wi_texts_free(list.item, list.n);
    json_auto_t *root = json_pack("{s:s, s:o}", "format", format, "files", files);
    return wi_json_put(diag, folder, WI_MANIFEST_NAME, root);
}

/* The manifest's files, a new reference; null where there is none of weir's. */
static json_t *read_files(const char *folder)
{
    WI_FREED char *path = wi_path_join(folder, WI_MANIFEST_NAME);
    json_auto_t *root = path ? json_load_file(path, 0, NULL) : NULL;
    const char *text = json_string_value(json_object_get(root, "format"));
    json_t *files = json_object_get(root, "files");
    if (!text || strcmp(text, format) != 0 || !json_is_array(files))
        files = NULL;
    json_incref(files);
    return files;
}

bool wi_manifest_is_there(const char *folder)
{
    json_t *files = read_files(folder);
    json_decref(files);
    return files != NULL;
}

static bool is_named(const json_t *files, const char *name)
{
    size_t i;
    json_t *file;
    if (files && strcmp(name, WI_MANIFEST_NAME) == 0)
        return true;
    json_array_foreach(files, i, file)
    {
        const char *text = json_string_value(file);
        if (text && strcmp(text, name) == 0)
            return true;
    }
    return false;
}

/* A file that weir wrote is a plain file: a folder or a link of that name has been put there since. */
static bool is_plain(const char *folder, const char *name)
{
    struct stat st;
    WI_FREED char *path = wi_path_join(folder, name);
    return path && lstat(path, &st) == 0 && S_ISREG(st.st_mode);
}

int wi_manifest_foreign(const char *folder, char *text, size_t size)
{
    enum { SHOWN = 5 };
    names list;
    int n = 0;
    const int error = list_folder(folder, &list);
    if (size > 0)
        text[0] = '\0';
    if (error) {
        errno = error;
        return -1;
    }
    json_t *files = read_files(folder);
    for (size_t i = 0; i < list.n; i++) {
        if (is_named(files, list.item[i]) && is_plain(folder, list.item[i]))
            continue;
        const size_t used = strlen(text);
        if (n++ < SHOWN)
            snprintf(text + used, size - used, "%s%s", used ? ", " : "", list.item[i]);
    }
    if (n > SHOWN) {
        const size_t used = strlen(text);
        snprintf(text + used, size - used, " and %d more", n - SHOWN);
    }
    json_decref(files);
    wi_texts_free(list.item, list.n);
    return n;
}

int wi_manifest_remove(const char *folder)
{
    json_t *files = read_files(folder), *file;
    size_t i;
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int first = fd < 0 ? errno : 0;
    json_array_foreach(files, i, file)
    {
        const char *name = json_string_value(file);
        if (fd < 0 || !name || strchr(name, '/') || !is_plain(folder, name))
            continue;
        if (unlinkat(fd, name, 0) != 0 && errno != ENOENT && !first)
            first = errno;
    }
    if (files && fd >= 0 && unlinkat(fd, WI_MANIFEST_NAME, 0) != 0 && !first)
        first = errno;
    json_decref(files);
    if (fd >= 0)
        close(fd);
    if (rmdir(folder) != 0 && !first)
        first = errno == EEXIST ? ENOTEMPTY : errno;
    return first;
}
