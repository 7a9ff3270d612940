/* Windows of files and of memory, and lines in them. */
#include "base/file/source.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file/unpack.h"

enum { STEP = 1 << 16 };

bool wi_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

wi_slice wi_trimmed(const char *begin, const char *end)
{
    while (begin < end && wi_is_blank(*begin))
        begin++;
    while (end > begin && wi_is_blank(end[-1]))
        end--;
    return (wi_slice){begin, (size_t)(end - begin)};
}

/* ---- failures ---- */

static void fail(wi_source *source, weir_status status, int line, int column, const char *text)
{
    if (source->status != WEIR_OK)
        return;
    (void)weir_fail_at(source->diag, status, source->name, line, column, "%s", text);
    if (++source->errors > source->tolerates || status != WEIR_E_FORMAT)
        source->status = status;
    if (source->tolerates && source->errors > source->tolerates)
        weir_note(source->diag, "%s: no more is read after %d errors", source->name, source->errors);
}

void wi_fail_at(wi_source *source, int line, int column, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    fail(source, WEIR_E_FORMAT, line, column, text);
}

void wi_no_memory(wi_source *source, const char *what)
{
    char text[100];
    snprintf(text, sizeof text, "out of memory for %s", what);
    fail(source, WEIR_E_NOMEM, source->line, 0, text);
}

int wi_column(const wi_source *source, wi_slice slice)
{
    int column = 1;
    if (source->status != WEIR_OK || slice.text < source->begin || slice.text > source->end)
        return 0;
    for (const char *p = slice.text; p > source->begin && p[-1] != '\n' && column < INT_MAX; p--)
        column++;
    return column;
}

/* ---- windows ---- */

wi_source wi_source_memory(weir_diag *diag, const char *name, const char *data, size_t size)
{
    return (wi_source){.name = name,
                       .diag = diag,
                       .begin = data,
                       .at = data,
                       .end = data + size,
                       .ended = true,
                       .taken = size};
}

weir_status wi_source_open(weir_diag *diag, const char *path, uint64_t max_bytes, wi_source *source)
{
    struct stat about;
    *source = (wi_source){.name = path, .diag = diag, .is_file = true, .max_bytes = max_bytes};
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        return source->status = weir_fail_at(diag, WEIR_E_IO, path, 0, 0, "this is a folder, not a file");
    source->status = wi_unpack_open(diag, path, false, &source->file);
    if (source->status != WEIR_OK)
        return source->status;
    /* A byte beyond the longest line, its ending, and room for a step. */
    source->room = WI_LINE_MAX + 1 + STEP;
    source->window = malloc(source->room);
    if (!source->window)
        return source->status =
                   weir_fail_at(diag, WEIR_E_NOMEM, path, 0, 0, "out of memory for %zu bytes", source->room);
    source->begin = source->at = source->end = source->window;
    while ((size_t)(source->end - source->begin) < WI_LINE_MAX && wi_source_more(source))
        ;
    return source->status;
}

wi_source wi_source_file(weir_diag *diag, const char *path)
{
    wi_source source;
    (void)wi_source_open(diag, path, UINT64_C(1) << 30, &source);
    return source;
}

weir_status wi_source_close(wi_source *source)
{
    wi_unpack_close(source->file);
    free(source->window);
    source->file = NULL;
    source->window = NULL;
    return source->status ?: source->errors ? WEIR_E_FORMAT : WEIR_OK;
}

/* Room for a step behind what is on hand: what was read goes; grown where everything is held. */
static bool make_room(wi_source *source)
{
    const size_t left = (size_t)(source->end - source->at);
    if (source->room - (size_t)(source->end - source->begin) >= STEP)
        return true;
    memmove(source->window, source->at, left);
    source->begin = source->at = source->window;
    source->end = source->window + left;
    return source->room - left >= STEP;
}

static void check_text(wi_source *source, const char *from)
{
    const char *nul = from < source->end ? memchr(from, '\0', (size_t)(source->end - from)) : NULL;
    int line = source->line + 1;
    for (const char *p = source->at; nul && p < nul && line < INT_MAX; p++)
        line += *p == '\n';
    if (nul)
        wi_fail_at(source, line, 0,
                   "a NUL byte: this is no text file. Is it compressed, or of another format?");
}

bool wi_source_more(wi_source *source)
{
    if (source->ended || source->status != WEIR_OK || !make_room(source))
        return false;
    if (weir_diag_stopped(source->diag)) {
        fail(source, WEIR_E_INTERRUPTED, 0, 0, "stopped while reading");
        return false;
    }
    const size_t on_hand = (size_t)(source->end - source->window);
    unsigned n = 0;
    const weir_status st = wi_unpack_read(source->file, source->window + on_hand, STEP, &n);
    if (n == 0) {
        source->ended = true;
        if (st != WEIR_OK)
            fail(source, st, 0, 0, wi_unpack_why(source->file));
        return false;
    }
    source->end += n;
    source->taken += (uint64_t)n;
    if (source->taken > source->max_bytes)
        source->status = weir_fail_at(source->diag, WEIR_E_IO, source->name, 0, 0,
                                      "more than the limit of %llu bytes, uncompressed",
                                      (unsigned long long)source->max_bytes);
    else if (source->is_text)
        check_text(source, source->window + on_hand);
    return source->status == WEIR_OK;
}

void wi_source_text(wi_source *source)
{
    source->is_text = true;
    check_text(source, source->at);
}

void wi_source_hold(wi_source *source)
{
    while (wi_source_more(source))
        ;
    if (!source->ended)
        wi_fail_at(source, 0, 0, "more than %zu bytes; a configuration is shorter", WI_LINE_MAX);
}

/* The end of the line that begins at `at`, its newline or the end of the source; null: reading failed. */
static const char *line_end(wi_source *source)
{
    size_t searched = 0;
    for (;;) {
        const size_t on_hand = (size_t)(source->end - source->at);
        const char *end = on_hand > searched ? memchr(source->at + searched, '\n', on_hand - searched) : NULL;
        searched = end ? (size_t)(end - source->at) : on_hand;
        if (searched > WI_LINE_MAX)
            wi_fail_at(source, source->line + 1, 0, "a line of more than %zu bytes; is this another format?",
                       WI_LINE_MAX);
        else if (end)
            return end;
        else if (!wi_source_more(source) && source->status == WEIR_OK)
            return source->end;
        if (source->status != WEIR_OK)
            return NULL;
    }
}

bool wi_next_line(wi_source *source, wi_slice *line)
{
    if (source->line == 0 && source->end - source->at >= 3 && memcmp(source->at, "\xef\xbb\xbf", 3) == 0)
        source->at += 3; /* a byte order mark */
    const char *end = source->status == WEIR_OK ? line_end(source) : NULL;
    if (!end || (end == source->end && source->at == end))
        return false;
    const char *begin = source->at;
    source->at = end < source->end ? end + 1 : end;
    if (source->line < INT_MAX)
        source->line++;
    *line = wi_trimmed(begin, end);
    return true;
}
