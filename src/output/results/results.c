/* Results folders: whole or not at all. */
#include "output/results/results.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "output/results/manifest.h"
#include "output/results/orphans.h"
#include "base/file/out.h"
#include "output/results/remove_tree.h"

struct wi_results {
    char *path;    /* final name, no trailing slash */
    char *folder;  /* temporary name */
    int held;      /* descriptor that marks `folder` as in use; -1: none */
    bool force;    /* an old result at `path` may go */
    bool taken;    /* something stands at `path` */
    bool settled;  /* committed, or kept for the user: nothing to remove */
    size_t n_made; /* folders above that did not exist: the first n_made levels below path[first_made] */
    size_t *made;  /* [n_made]: lengths of their names within `path` */
};

/* A name beside `path` that nobody uses: PATH.WORD-PID-XXXX. */
static char *beside(const char *path, const char *word, unsigned attempt)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const unsigned salt = (unsigned)(now.tv_nsec / 1000) * 2654435761u + attempt;
    char *name = NULL;
    if (asprintf(&name, "%s.%s-%ld-%04x", path, word, (long)getpid(), (salt >> 8) & 0xffffu) < 0)
        return NULL;
    return name;
}

static weir_status no_memory(weir_diag *diag)
{
    return weir_fail(diag, WEIR_E_NOMEM, "no memory for the name of the results folder");
}

/* A folder is replaced when weir made all that is in it. */
static weir_status check_replaceable(weir_diag *diag, const wi_results *r)
{
    char foreign[512];
    const int n = wi_manifest_foreign(r->path, foreign, sizeof foreign);
    if (n < 0)
        return weir_fail_at(diag, WEIR_E_IO, r->path, 0, 0, "cannot be looked at: %s", strerror(errno));
    if (n > 0 && !wi_manifest_is_there(r->path))
        return weir_fail_at(diag, WEIR_E_IO, r->path, 0, 0,
                            "has no manifest of weir's (" WI_MANIFEST_NAME
                            "), so --force replaces nothing in it; it holds %s; choose another folder",
                            foreign);
    if (n > 0)
        return weir_fail_at(
            diag, WEIR_E_IO, r->path, 0, 0,
            "holds what weir did not make: %s; --force replaces only the files that its " WI_MANIFEST_NAME
            " names; move the others away, or choose another folder",
            foreign);
    return WEIR_OK;
}

/* What stands at `path`, and may it go? Resolves a link to a folder, so that the link stays and its target is
 * replaced. */
static weir_status check_target(weir_diag *diag, wi_results *r)
{
    struct stat st;
    if (lstat(r->path, &st) != 0) {
        if (errno == ENOENT)
            return WEIR_OK;
        return weir_fail_at(diag, WEIR_E_IO, r->path, 0, 0, "cannot be looked at: %s", strerror(errno));
    }
    char *real = realpath(r->path, NULL);
    if (!real)
        return weir_fail_at(diag, WEIR_E_IO, r->path, 0, 0, "exists and leads nowhere: %s", strerror(errno));
    free(r->path);
    r->path = real;
    if (stat(r->path, &st) != 0 || !S_ISDIR(st.st_mode))
        return weir_fail_at(diag, WEIR_E_IO, r->path, 0, 0,
                            "exists and is no folder; choose another name for the results");
    r->taken = true;
    return WEIR_OK;
}

weir_status wi_results_check(weir_diag *diag, const wi_results *r)
{
    if (r->taken && !r->force)
        return weir_fail_at(
            diag, WEIR_E_IO, r->path, 0, 0,
            "exists already; choose another folder for the results, or replace it with --force");
    return r->taken ? check_replaceable(diag, r) : WEIR_OK;
}

static weir_status make_parents(weir_diag *diag, wi_results *r)
{
    size_t levels = 0;
    for (const char *p = r->path; *p; p++)
        levels += *p == '/';
    r->made = calloc(levels + 1, sizeof *r->made);
    if (!r->made)
        return no_memory(diag);
    for (char *slash = strchr(r->path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        const int rc = mkdir(r->path, 0777);
        const int error = errno;
        if (rc == 0)
            r->made[r->n_made++] = (size_t)(slash - r->path);
        /* A folder that exists may answer EROFS or EACCES rather than EEXIST. */
        const bool there = rc == 0 || error == EEXIST || access(r->path, F_OK) == 0;
        weir_status st = WEIR_OK;
        if (!there)
            st = weir_fail_at(diag, WEIR_E_IO, r->path, 0, 0, "the folder cannot be made: %s",
                              strerror(error));
        *slash = '/';
        if (st != WEIR_OK)
            return st;
    }
    return WEIR_OK;
}

static void remove_parents(wi_results *r)
{
    while (r->n_made > 0) {
        char *end = r->path + r->made[--r->n_made];
        *end = '\0';
        rmdir(r->path); /* refuses when somebody else uses it by now, which is right */
        *end = '/';
    }
}

static weir_status make_folder(weir_diag *diag, wi_results *r)
{
    for (unsigned attempt = 0; attempt < 100; attempt++) {
        char *name = beside(r->path, "tmp", attempt);
        if (!name)
            return no_memory(diag);
        if (mkdir(name, 0777) == 0) {
            r->folder = name;
            r->held = wi_orphans_hold(name);
            return WEIR_OK;
        }
        const int error = errno;
        if (error != EEXIST) {
            const weir_status st =
                weir_fail_at(diag, WEIR_E_IO, name, 0, 0, "the folder for the results cannot be made: %s",
                             strerror(error));
            free(name);
            return st;
        }
        free(name);
    }
    return weir_fail_at(diag, WEIR_E_IO, r->path, 0, 0,
                        "no free temporary name beside it; remove old *.tmp-* folders");
}

weir_status wi_results_open(weir_diag *diag, const char *path, bool force, wi_results **out)
{
    *out = NULL;
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    if (length == 0)
        return weir_fail(diag, WEIR_E_IO, "the name of the results folder is empty");
    wi_results *r = calloc(1, sizeof *r);
    if (!r)
        return no_memory(diag);
    r->held = -1;
    r->force = force;
    r->path = strndup(path, length);
    weir_status st = r->path ? check_target(diag, r) : no_memory(diag);
    if (st == WEIR_OK)
        wi_orphans_clean(diag, r->path);
    st = st ?: make_parents(diag, r) ?: make_folder(diag, r);
    if (st != WEIR_OK) {
        wi_results_free(r);
        return st;
    }
    *out = r;
    return WEIR_OK;
}

const char *wi_results_folder(const wi_results *results)
{
    return results->folder;
}

const char *wi_results_path(const wi_results *results)
{
    return results->path;
}

/* Rename that never replaces. A file system without the flag still refuses to replace a folder that holds
 * something. */
static int rename_new(const char *from, const char *to)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno == ENOSYS || errno == EINVAL || errno == ENOTSUP)
        return rename(from, to) == 0 ? 0 : errno;
    return errno;
}

/* For file systems that cannot exchange two names: old aside, new in place, old deleted by the caller under
 * *old. */
static int swap_in_steps(wi_results *r, char **old)
{
    *old = beside(r->path, "old", 0);
    if (!*old)
        return ENOMEM;
    if (rename(r->path, *old) != 0)
        return errno;
    if (rename(r->folder, r->path) == 0)
        return 0;
    const int error = errno;
    if (rename(*old, r->path) != 0)
        return errno;
    return error;
}

/* The old result, under its new name; what somebody put there in the last moment stays, and is named. */
static void remove_old(weir_diag *diag, const char *old)
{
    const int error = wi_manifest_remove(old);
    if (error)
        weir_warn_at(diag, old, 0, 0, "what is left of the old results cannot be removed: %s",
                     strerror(error));
}

static int replace(weir_diag *diag, wi_results *r)
{
    if (renameat2(AT_FDCWD, r->folder, AT_FDCWD, r->path, RENAME_EXCHANGE) == 0) {
        remove_old(diag, r->folder);
        return 0;
    }
    if (errno == ENOENT)
        return rename_new(r->folder, r->path);
    if (errno != ENOSYS && errno != EINVAL && errno != ENOTSUP)
        return errno;
    WI_FREED char *old = NULL;
    const int error = swap_in_steps(r, &old);
    if (!error)
        remove_old(diag, old);
    return error;
}

static void sync_parent(const wi_results *r)
{
    const char *slash = strrchr(r->path, '/');
    WI_FREED char *parent = slash == r->path ? strdup("/")
                            : slash          ? strndup(r->path, (size_t)(slash - r->path))
                                             : strdup(".");
    if (parent)
        wi_sync_path(
            parent); /* the data is safe by now; a parent that cannot be opened for reading is no failure */
}

weir_status wi_results_commit(weir_diag *diag, wi_results *r)
{
    WI_RETURN_IF_FAILED(wi_manifest_put(diag, r->folder));
    const int sync_error = wi_sync_path(r->folder);
    if (sync_error)
        return weir_fail_at(diag, WEIR_E_IO, r->folder, 0, 0, "cannot be written: %s", strerror(sync_error));
    r->settled = true;
    /* A run may take days: what stands there now is not what stood there at its start. */
    if (r->force && access(r->path, F_OK) == 0 && check_replaceable(diag, r) != WEIR_OK)
        return weir_fail_at(diag, WEIR_E_IO, r->folder, 0, 0,
                            "the results are whole, and stay under this name");
    const int error = r->force ? replace(diag, r) : rename_new(r->folder, r->path);
    if (error)
        return weir_fail_at(diag, WEIR_E_IO, r->path, 0, 0,
                            "the results cannot get this name: %s; they are whole in %s", strerror(error),
                            r->folder);
    sync_parent(r);
    return WEIR_OK;
}

void wi_results_free(wi_results *r)
{
    if (!r)
        return;
    if (!r->settled) {
        if (r->folder)
            wi_remove_tree(r->folder);
        if (r->path)
            remove_parents(r);
    }
    if (r->held >= 0)
        close(r->held);
    free(r->folder);
    free(r->made);
    free(r->path);
    free(r);
}
