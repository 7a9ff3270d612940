/* Windows of files and of memory, and lines in them. */
#include "topology/read/source.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file/unpack.h"

enum { STEP = 1 << 16 };

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
        return weir_fail_at(diag, WEIR_E_IO, path, 0, 0, "this is a folder, not a file");
    const weir_status st = wi_unpack_open(diag, path, false, &source->file);
    if (st != WEIR_OK)
        return st;
    /* A byte beyond the longest line, its ending, and room for a step. */
    source->room = WI_LINE_MAX + 1 + STEP;
    source->window = malloc(source->room);
    if (!source->window)
        return weir_fail_at(diag, WEIR_E_NOMEM, path, 0, 0, "out of memory for %zu bytes", source->room);
    source->begin = source->at = source->end = source->window;
    while ((size_t)(source->end - source->begin) < WI_LINE_MAX && wi_source_more(source))
        ;
    return source->status;
}

void wi_source_close(wi_source *source)
{
    wi_unpack_close(source->file);
    free(source->window);
    source->file = NULL;
    source->window = NULL;
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

static weir_status check_text(wi_source *source, const char *from)
{
    const char *nul = from < source->end ? memchr(from, '\0', (size_t)(source->end - from)) : NULL;
    if (!nul)
        return WEIR_OK;
    int line = source->line + 1;
    for (const char *p = source->at; p < nul && line < INT_MAX; p++)
        line += *p == '\n';
    return weir_fail_at(source->diag, WEIR_E_FORMAT, source->name, line, 0,
                        "a NUL byte: this is no text file. Is it compressed, or of another format?");
}

bool wi_source_more(wi_source *source)
{
    if (source->ended || source->status != WEIR_OK || !make_room(source))
        return false;
    if (weir_diag_stopped(source->diag)) {
        source->status =
            weir_fail_at(source->diag, WEIR_E_INTERRUPTED, source->name, 0, 0, "stopped while reading");
        return false;
    }
    const size_t on_hand = (size_t)(source->end - source->window);
    unsigned n = 0;
    const weir_status st = wi_unpack_read(source->file, source->window + on_hand, STEP, &n);
    if (n == 0) {
        source->ended = true;
        source->status = st == WEIR_OK ? st
                                       : weir_fail_at(source->diag, st, source->name, 0, 0, "%s",
                                                      wi_unpack_why(source->file));
        return false;
    }
    source->end += n;
    source->taken += (uint64_t)n;
    if (source->taken > source->max_bytes)
        source->status = weir_fail_at(source->diag, WEIR_E_IO, source->name, 0, 0,
                                      "more than the limit of %llu bytes, uncompressed",
                                      (unsigned long long)source->max_bytes);
    else if (source->is_text)
        source->status = check_text(source, source->window + on_hand);
    return source->status == WEIR_OK;
}

weir_status wi_source_text(wi_source *source)
{
    source->is_text = true;
    if (source->status == WEIR_OK)
        source->status = check_text(source, source->at);
    return source->status;
}

weir_status wi_source_hold(wi_source *source)
{
    while (wi_source_more(source))
        ;
    if (source->status == WEIR_OK && !source->ended)
        source->status = weir_fail_at(source->diag, WEIR_E_FORMAT, source->name, 0, 0,
                                      "more than %zu bytes; a configuration is shorter", WI_LINE_MAX);
    return source->status;
}

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static weir_status too_long(const wi_source *source)
{
    return weir_fail_at(source->diag, WEIR_E_FORMAT, source->name, source->line + 1, 0,
                        "a line of more than %zu bytes; is this another format?", WI_LINE_MAX);
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
            source->status = too_long(source);
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
    while (begin < end && blank(*begin))
        begin++;
    while (end > begin && blank(end[-1]))
        end--;
    *line = (wi_slice){begin, (size_t)(end - begin)};
    return true;
}
