/* Lines, slices and messages of the readers. */
#include "topology/reader.h"

#include <limits.h>
#include <string.h>

#include "weir/units.h"

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

wi_lines wi_lines_of(const wi_source *source)
{
    wi_lines lines = {source->data, source->data + source->size, 0};
    if (source->size >= 3 && memcmp(source->data, "\xef\xbb\xbf", 3) == 0)
        lines.at += 3;
    return lines;
}

bool wi_next_line(wi_lines *lines, wi_slice *line)
{
    if (lines->at == lines->end)
        return false;
    const char *begin = lines->at;
    const char *end = memchr(begin, '\n', (size_t)(lines->end - begin));
    lines->at = end ? end + 1 : lines->end;
    end = end ? end : lines->end;
    if (lines->line < INT_MAX)
        lines->line++;
    while (begin < end && blank(*begin))
        begin++;
    while (end > begin && blank(end[-1]))
        end--;
    *line = (wi_slice){begin, (size_t)(end - begin)};
    return true;
}

weir_status wi_check_text(weir_diag *diag, const wi_source *source)
{
    const char *nul = source->size ? memchr(source->data, '\0', source->size) : NULL;
    if (!nul)
        return WEIR_OK;
    int line = 1;
    for (const char *p = source->data; p < nul && line < INT_MAX; p++)
        line += *p == '\n';
    return weir_fail_at(diag, WEIR_E_FORMAT, source->name, line, 0,
                        "a NUL byte: this is no text file. Is it compressed, or of another format?");
}

const char *wi_shown(wi_slice slice, char *out)
{
    const size_t room = WI_SHOWN - 4;
    const size_t n = slice.length < room ? slice.length : room;
    for (size_t i = 0; i < n; i++)
        out[i] = (unsigned char)slice.text[i] < 0x20 || slice.text[i] == 0x7f ? '?' : slice.text[i];
    strcpy(out + n, slice.length > room ? "..." : "");
    return out;
}

bool wi_slice_number(wi_slice slice, double *out)
{
    char text[64];
    if (slice.length == 0 || slice.length >= sizeof text || memchr(slice.text, '\0', slice.length))
        return false;
    memcpy(text, slice.text, slice.length);
    text[slice.length] = '\0';
    return weir_parse_number(text, out, NULL, 0);
}

bool wi_slice_u32(wi_slice slice, uint32_t *out)
{
    uint64_t value = 0;
    if (slice.length == 0 || slice.length > 10)
        return false;
    for (size_t i = 0; i < slice.length; i++) {
        if (slice.text[i] < '0' || slice.text[i] > '9')
            return false;
        value = 10 * value + (uint64_t)(slice.text[i] - '0');
    }
    *out = (uint32_t)value;
    return value <= UINT32_MAX;
}

bool wi_slice_is(wi_slice slice, const char *text)
{
    return slice.length == strlen(text) && strncasecmp(slice.text, text, slice.length) == 0;
}

weir_status wi_builder_failed(weir_diag *diag, const wi_source *source, int line,
                              const weir_graph_builder *builder)
{
    return weir_fail_at(diag, builder->failed == WEIR_E_ARG ? WEIR_E_FORMAT : builder->failed, source->name,
                        line, 0, "%s", builder->why);
}
