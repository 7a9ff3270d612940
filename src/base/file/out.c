/* Output files: a plain buffer over write(2), because stdio forgets the errno of a write that failed in the
 * middle. */
#include "base/file/out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

enum { BUFFER_BYTES = 64 * 1024 };

struct wi_out {
    int fd;
    int error; /* errno of the first failure, 0: none */
    size_t used;
    char *path, *whole; /* whole: the path that it takes when it is closed; null: that one */
    char buffer[BUFFER_BYTES];
};

char *wi_path_join(const char *folder, const char *name)
{
    char *path = NULL;
    return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

/* Some files (devices, pipes) and some file systems have nothing to sync. */
static int sync_fd(int fd)
{
    if (fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS)
        return 0;
    return errno;
}

int wi_sync_path(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno;
    const int error = sync_fd(fd);
    close(fd);
    return error;
}

static void free_out(wi_out *file)
{
    free(file->path);
    free(file->whole);
    free(file);
}

/* `path` and `whole` are the file's from here on; null: memory was short. */
static weir_status open_path(weir_diag *diag, char *path, char *whole, wi_out **out)
{
    wi_out *file = malloc(sizeof *file);
    *out = NULL;
    if (!file || !path) {
        free(path);
        free(whole);
        free(file);
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for a file");
    }
    file->error = 0;
    file->used = 0;
    file->path = path;
    file->whole = whole;
    if (whole) /* of a process that was killed */
        (void)unlink(path);
    file->fd = open(path, O_RDWR | O_CREAT | (whole ? O_EXCL : O_TRUNC) | O_CLOEXEC, 0666);
    if (file->fd < 0) {
        const weir_status st = weir_fail_at(diag, WEIR_E_IO, whole ? whole : path, 0, 0,
                                            "cannot be created: %s", strerror(errno));
        free_out(file);
        return st;
    }
    *out = file;
    return WEIR_OK;
}

weir_status wi_out_open(weir_diag *diag, const char *folder, const char *name, wi_out **out)
{
    return open_path(diag, wi_path_join(folder, name), NULL, out);
}

bool wi_is_written_through(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
}

weir_status wi_out_open_whole(weir_diag *diag, const char *path, wi_out **out)
{
    if (wi_is_written_through(path))
        return open_path(diag, strdup(path), NULL, out);
    char *whole = strdup(path), *beside = NULL;
    if (!whole || asprintf(&beside, "%s" WI_UNFINISHED, path) < 0)
        beside = NULL;
    return open_path(diag, beside, whole, out);
}

weir_status wi_out_open_held(weir_diag *diag, const char *path, wi_out **out)
{
    char *whole = strdup(path), *beside = NULL;
    if (!whole || asprintf(&beside, "%s.tmp-%ld", path, (long)getpid()) < 0)
        beside = NULL;
    WI_RETURN_IF_FAILED(open_path(diag, beside, whole, out));
    (void)flock((*out)->fd, LOCK_SH | LOCK_NB);
    return WEIR_OK;
}

weir_status wi_out_open_nameless(weir_diag *diag, const char *folder, wi_out **out)
{
    char *path = wi_path_join(folder ? folder : P_tmpdir, ".spool-XXXXXX");
    wi_out *file = path ? calloc(1, sizeof *file) : NULL;
    *out = NULL;
    if (!file) {
        free(path);
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for a file");
    }
    file->path = path;
    file->fd = mkostemp(path, O_CLOEXEC);
    if (file->fd < 0) {
        free_out(file);
        return weir_fail(diag, WEIR_E_IO, "%s: no file for what checkpoints keep: %s",
                         folder ? folder : "temporary folder", strerror(errno));
    }
    unlink(path);
    *out = file;
    return WEIR_OK;
}

const char *wi_out_name(const wi_out *file)
{
    const char *path = file->whole ? file->whole : file->path, *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* At an offset, or where the file stands. */
static void put(wi_out *file, const char *data, size_t size, const uint64_t *at)
{
    for (size_t done = 0; done < size && !file->error;) {
        const ssize_t n = at ? pwrite(file->fd, data + done, size - done, (off_t)(*at + done))
                             : write(file->fd, data + done, size - done);
        done += n > 0 ? (size_t)n : 0;
        if (n == 0 || (n < 0 && errno != EINTR))
            file->error = n ? errno : ENOSPC;
    }
}

static void flush(wi_out *file)
{
    put(file, file->buffer, file->used, NULL);
    file->used = 0;
}

void wi_out_write(wi_out *file, const void *data, size_t size)
{
    if (file->error)
        return;
    if (size > BUFFER_BYTES - file->used)
        flush(file);
    if (size > BUFFER_BYTES) {
        put(file, data, size, NULL);
        return;
    }
    memcpy(file->buffer + file->used, data, size);
    file->used += size;
}

void wi_out_text(wi_out *file, const char *text)
{
    wi_out_write(file, text, strlen(text));
}

void wi_out_write_at(wi_out *file, uint64_t offset, const void *data, size_t size)
{
    put(file, data, size, &offset);
}

void wi_out_read_at(wi_out *file, uint64_t offset, void *data, size_t size)
{
    char *to = data;
    while (size > 0) {
        const ssize_t n = pread(file->fd, to, size, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        to += n;
        offset += (uint64_t)n;
        size -= (size_t)n;
    }
    memset(to, 0, size);
}

void wi_out_truncate(wi_out *file, uint64_t size)
{
    if (!file->error && ftruncate(file->fd, (off_t)size) != 0)
        file->error = errno;
}

uint64_t wi_out_size(wi_out *file)
{
    flush(file);
    const off_t size = lseek(file->fd, 0, SEEK_CUR);
    return size > 0 ? (uint64_t)size : 0;
}

void wi_out_restart(wi_out *file)
{
    file->used = 0;
    if (!file->error && (ftruncate(file->fd, 0) != 0 || lseek(file->fd, 0, SEEK_SET) != 0))
        file->error = errno;
}

bool wi_out_failed(const wi_out *file)
{
    return file->error != 0;
}

int wi_out_error(const wi_out *file)
{
    return file->error;
}

void wi_out_drop(wi_out *file)
{
    if (!file)
        return;
    close(file->fd);
    if (file->whole)
        (void)unlink(file->path);
    free_out(file);
}

weir_status wi_out_close(weir_diag *diag, wi_out *file)
{
    if (!file)
        return WEIR_OK;
    const char *const path = file->whole ? file->whole : file->path;
    weir_status st = WEIR_OK;
    flush(file);
    if (!file->error)
        file->error = sync_fd(file->fd);
    /* close can report what the file system found out late (quota, network); the descriptor is gone either
     * way. */
    if (close(file->fd) != 0 && !file->error && errno != EINTR)
        file->error = errno;
    if (file->whole && !file->error && rename(file->path, file->whole) != 0)
        file->error = errno;
    if (file->error)
        st = weir_fail_at(diag, WEIR_E_IO, path, 0, 0, "cannot be written: %s", strerror(file->error));
    if (file->error && file->whole)
        (void)unlink(file->path);
    free_out(file);
    return st;
}

static weir_status put_all(weir_diag *diag, weir_status opened, wi_out *file, const void *data, size_t size)
{
    if (opened != WEIR_OK)
        return opened;
    wi_out_write(file, data, size);
    return wi_out_close(diag, file);
}

weir_status wi_out_put(weir_diag *diag, const char *folder, const char *name, const void *data, size_t size)
{
    wi_out *file;
    const weir_status opened = wi_out_open(diag, folder, name, &file);
    return put_all(diag, opened, file, data, size);
}

weir_status wi_out_put_whole(weir_diag *diag, const char *path, const void *data, size_t size)
{
    wi_out *file;
    const weir_status opened = wi_out_open_whole(diag, path, &file);
    return put_all(diag, opened, file, data, size);
}
