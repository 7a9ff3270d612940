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
    char **name; /* [n_names] */
    size_t n_names;
    int line, row_line;
    weir_status status;
    const char *wrong;
};

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

static bool read_row(wi_csv_reader *r)
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
    for (size_t i = 0; r->status == WEIR_OK && i < r->n; i++)
        r->field[i] = r->bytes + r->start[i];
    return r->status == WEIR_OK;
}

weir_status wi_csv_reader_open(weir_diag *diag, const char *path, wi_csv_reader **out)
{
    wi_csv_reader *r = *out = calloc(1, sizeof *r);
    if (r)
        *r = (wi_csv_reader){.path = strdup(path), .file = fopen(path, "r"), .line = 1};
    if (!r || !r->path || !r->file) {
        const weir_status status = r && r->path
                                       ? weir_fail_at(diag, WEIR_E_IO, path, 0, 0, "%s", strerror(errno))
                                       : weir_fail(diag, WEIR_E_NOMEM, "no memory to read a table");
        if (r) {
            free(r->path);
            if (r->file)
                fclose(r->file);
        }
        free(r);
        *out = NULL;
        return status;
    }
    const bool any = read_row(r);
    r->name = any ? calloc(r->n, sizeof *r->name) : NULL;
    for (; r->name && r->n_names < r->n && (r->name[r->n_names] = strdup(r->field[r->n_names])); r->n_names++)
        ;
    if (any && r->n_names < r->n)
        stop(r, WEIR_E_NOMEM, "no memory for a row");
    return WEIR_OK;
}

char *const *wi_csv_names(const wi_csv_reader *r, size_t *n)
{
    *n = r ? r->n_names : 0;
    return r ? r->name : NULL;
}

size_t wi_csv_column(const wi_csv_reader *r, const char *name)
{
    for (size_t i = r ? r->n_names : 0; i-- > 0;)
        if (strcmp(r->name[i], name) == 0)
            return i;
    return SIZE_MAX;
}

bool wi_csv_read(wi_csv_reader *r, char ***fields)
{
    while (r && read_row(r))
        if (r->n == r->n_names) {
            *fields = r->field;
            return true;
        }
    return false;
}

const char *wi_csv_field(const wi_csv_reader *r, size_t column)
{
    return column == SIZE_MAX ? "" : r->field[column];
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
    wi_texts_free(r->name, r->n_names);
    free(r->path);
    free(r->bytes);
    free(r->field);
    free(r->start);
    free(r);
    return status;
}
