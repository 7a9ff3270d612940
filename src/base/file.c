#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* By growing pieces rather than by the file's stated size, so that pipes work too. */
static weir_status read_all(weir_diag *diag, const char *path, FILE *f, size_t limit, char **text,
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
        const size_t got = fread(*text + *size, 1, capacity - *size - 1, f);
        *size += got;
        if (*size > limit)
            return weir_fail(diag, WEIR_E_FORMAT,
                             "%s: larger than %zu bytes, the most that is read of such a file", path, limit);
        if (got == 0)
            break;
    }
    if (ferror(f))
        return weir_fail(diag, WEIR_E_IO, "%s: %s", path, strerror(errno));
    (*text)[*size] = '\0';
    return WEIR_OK;
}

weir_status wi_file_read(weir_diag *diag, const char *path, size_t limit, char **text, size_t *size)
{
    *text = NULL;
    *size = 0;
    FILE *f = fopen(path, "rb");
    if (!f)
        return weir_fail(diag, WEIR_E_IO, "%s: %s", path, strerror(errno));
    const weir_status st = read_all(diag, path, f, limit, text, size);
    fclose(f);
    if (st != WEIR_OK) {
        free(*text);
        *text = NULL;
        *size = 0;
    }
    return st;
}
