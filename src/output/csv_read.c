#include "output/csv_read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { ROW_BYTES_MAX = 1 << 24 };

struct wi_csv_reader {
    FILE *file;
    char *path;
    char *bytes; /* [capacity] the row's fields, each ended by a zero */
    char **field;
    size_t *start; /* of each field in `bytes`, which may move */
    size_t used, capacity, n, room, fields_room;
    int line, row_line;
    weir_status status;
    const char *wrong;
};

weir_status wi_csv_reader_open(weir_diag *diag, const char *path, wi_csv_reader **out)
{
    wi_csv_reader *r = calloc(1, sizeof *r);
    *out = NULL;
    if (r)
        r->path = strdup(path);
    if (!r || !r->path) {
        free(r);
        return weir_fail(diag, WEIR_E_NOMEM, "no memory to read a table");
    }
    r->file = fopen(path, "r");
    if (!r->file) {
        const weir_status status = weir_fail_at(diag, WEIR_E_IO, path, 0, 0, "%s", strerror(errno));
        free(r->path);
        free(r);
        return status;
    }
    r->line = 1;
    *out = r;
    return WEIR_OK;
}

static void stop(wi_csv_reader *r, weir_status status, const char *wrong)
{
    r->status = status;
    r->wrong = wrong;
}

static bool put(wi_csv_reader *r, char c)
{
    if (r->used == r->capacity) {
        const size_t capacity = r->capacity ? 2 * r->capacity : 4096;
        char *bytes = capacity <= ROW_BYTES_MAX ? realloc(r->bytes, capacity) : NULL;
        if (!bytes) {
            stop(r, capacity > ROW_BYTES_MAX ? WEIR_E_FORMAT : WEIR_E_NOMEM,
                 capacity > ROW_BYTES_MAX ? "a row of more than 16 MiB" : "no memory for a row");
            return false;
        }
        r->bytes = bytes;
        r->capacity = capacity;
    }
    r->bytes[r->used++] = c;
    return true;
}

static bool begin_field(wi_csv_reader *r)
{
    if (!wi_grow(&r->start, &r->room, r->n + 1, sizeof *r->start) ||
        !wi_grow(&r->field, &r->fields_room, r->n + 1, sizeof *r->field)) {
        stop(r, WEIR_E_NOMEM, "no memory for a row");
        return false;
    }
    r->start[r->n++] = r->used;
    return true;
}

/* A quoted text, behind its first quote; the character after its last one. */
static int read_quoted(wi_csv_reader *r)
{
    for (;;) {
        int c = getc_unlocked(r->file);
        if (c == EOF) {
            stop(r, WEIR_E_FORMAT, "a quote that does not end");
            return EOF;
        }
        if (c == '"') {
            c = getc_unlocked(r->file);
            if (c != '"')
                return c;
        }
        if (c == '\n')
            r->line++;
        if (!put(r, (char)c))
            return EOF;
    }
}

/* One field; what ended it: a comma, a line's end, EOF. */
static int read_field(wi_csv_reader *r)
{
    int c = getc_unlocked(r->file);
    if (c == '"')
        c = read_quoted(r);
    while (c != ',' && c != '\n' && c != EOF) {
        if (c != '\r' && !put(r, (char)c))
            return EOF;
        c = getc_unlocked(r->file);
    }
    return put(r, '\0') ? c : EOF;
}

bool wi_csv_read(wi_csv_reader *r, char ***fields, size_t *n)
{
    r->n = r->used = 0;
    r->row_line = r->line;
    const int first = r->status == WEIR_OK ? getc_unlocked(r->file) : EOF;
    if (first == EOF)
        return false;
    ungetc(first, r->file);
    int ended = ',';
    while (ended == ',' && r->status == WEIR_OK && begin_field(r))
        ended = read_field(r);
    r->line++;
    if (r->status != WEIR_OK)
        return false;
    for (size_t i = 0; i < r->n; i++)
        r->field[i] = r->bytes + r->start[i];
    *fields = r->field;
    *n = r->n;
    return true;
}

weir_status wi_csv_reader_close(weir_diag *diag, wi_csv_reader *r)
{
    if (!r)
        return WEIR_OK;
    weir_status status = r->status;
    if (status != WEIR_OK)
        weir_fail_at(diag, status, r->path, r->row_line, 0, "%s", r->wrong);
    else if (ferror(r->file))
        status = weir_fail_at(diag, WEIR_E_IO, r->path, 0, 0, "cannot be read to its end");
    fclose(r->file);
    free(r->path);
    free(r->bytes);
    free(r->field);
    free(r->start);
    free(r);
    return status;
}
