#include "base/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { STEP_MAX = 1 << 30 };

static weir_status why_failed(weir_diag *diag, const char *path, gzFile f)
{
    int error;
    const char *text = gzerror(f, &error);
    if (error == Z_ERRNO)
        return weir_fail(diag, WEIR_E_IO, "%s: %s", path, strerror(errno));
    if (error == Z_BUF_ERROR)
        return weir_fail(diag, WEIR_E_FORMAT, "%s: the compressed file breaks off", path);
    return weir_fail(diag, WEIR_E_FORMAT, "%s: the compressed file is damaged: %s", path, text);
}

/* By growing pieces rather than by the file's stated size, so that pipes work too. */
static weir_status read_all(weir_diag *diag, const char *path, gzFile f, size_t limit, char **text,
                            size_t *size)
{
    size_t capacity = 0;
    for (;;) {
        if (*size + 1 >= capacity) {
            capacity = capacity ? 2 * capacity : 1 << 16;
            char *larger = realloc(*text, capacity);
            if (!larger)
                return weir_fail(diag, WEIR_E_NOMEM, "%s: out of memory: wanted %zu bytes", path, capacity);
            *text = larger;
        }
        const size_t room = capacity - *size - 1;
        const int got = gzread(f, *text + *size, room < STEP_MAX ? (unsigned)room : STEP_MAX);
        if (got < 0)
            return why_failed(diag, path, f);
        *size += (size_t)got;
        if (*size > limit)
            return weir_fail(diag, WEIR_E_FORMAT,
                             "%s: larger than %zu bytes, the most that is read of such a file", path, limit);
        if (got == 0)
            break;
    }
    int error;
    (void)gzerror(f, &error);
    if (error != Z_OK) /* Z_BUF_ERROR: compressed, and cut off */
        return why_failed(diag, path, f);
    (*text)[*size] = '\0';
    return WEIR_OK;
}

weir_status wi_file_read(weir_diag *diag, const char *path, size_t limit, char **text, size_t *size)
{
    *text = NULL;
    *size = 0;
    errno = 0;
    const int in = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : -1;
    gzFile f = in >= 0 ? gzdopen(in, "rb") : gzopen(path, "rb");
    if (!f)
        return weir_fail(diag, WEIR_E_IO, "%s: %s", path, errno ? strerror(errno) : "out of memory");
    const weir_status st = read_all(diag, path, f, limit, text, size);
    gzclose(f);
    if (st != WEIR_OK) {
        free(*text);
        *text = NULL;
        *size = 0;
    }
    return st;
}
