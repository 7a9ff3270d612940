#include "base/file/file.h"

#include <stdlib.h>

#include "base/file/unpack.h"

enum { STEP_MAX = 1 << 30 };

/* By growing pieces rather than by the file's stated size, so that pipes work too. */
static weir_status read_all(weir_diag *diag, const char *path, wi_unpack *f, size_t limit, char **text,
                            size_t *size)
{
    size_t capacity = 0;
    for (unsigned got = 1; got > 0;) {
        if (*size + 1 >= capacity) {
            capacity = capacity ? 2 * capacity : 1 << 16;
            char *larger = realloc(*text, capacity);
            if (!larger)
                return weir_fail(diag, WEIR_E_NOMEM, "%s: out of memory: wanted %zu bytes", path, capacity);
            *text = larger;
        }
        const size_t room = capacity - *size - 1;
        const weir_status st =
            wi_unpack_read(f, *text + *size, room < STEP_MAX ? (unsigned)room : STEP_MAX, &got);
        if (st != WEIR_OK)
            return weir_fail(diag, st, "%s: %s", path, wi_unpack_why(f));
        *size += got;
        if (*size > limit)
            return weir_fail(diag, WEIR_E_FORMAT,
                             "%s: larger than %zu bytes, the most that is read of such a file", path, limit);
    }
    (*text)[*size] = '\0';
    return WEIR_OK;
}

weir_status wi_file_read(weir_diag *diag, const char *path, size_t limit, char **text, size_t *size)
{
    wi_unpack *f;
    *text = NULL;
    *size = 0;
    weir_status st = wi_unpack_open(diag, path, true, &f) ?: read_all(diag, path, f, limit, text, size);
    wi_unpack_close(f);
    if (st != WEIR_OK) {
        free(*text);
        *text = NULL;
        *size = 0;
    }
    return st;
}
