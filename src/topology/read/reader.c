/* Slices and messages of the readers. */
#include "topology/read/reader.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "weir/units.h"

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
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

/* Length of `text` without a UTF-8 character that was cut off at its end. */
static size_t without_cut_character(const char *text, size_t length)
{
    size_t lead = length;
    while (lead > 0 && length - lead < 3 && ((unsigned char)text[lead - 1] & 0xc0) == 0x80)
        lead--;
    if (lead == 0)
        return length;
    const unsigned char c = (unsigned char)text[lead - 1];
    const size_t want = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
    return length - (lead - 1) < want ? lead - 1 : length;
}

void wi_one_line(char *text)
{
    const size_t length = without_cut_character(text, strlen(text));
    size_t n = 0;
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)text[i];
        const bool blank = c <= 0x20 || c == 0x7f;
        if (!blank)
            text[n++] = text[i];
        else if (n > 0 && text[n - 1] != ' ')
            text[n++] = ' ';
    }
    while (n > 0 && text[n - 1] == ' ')
        n--;
    text[n] = '\0';
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

void wi_slice_copy(wi_slice slice, char *out, size_t size)
{
    const size_t n = slice.length < size - 1 ? slice.length : size - 1;
    for (size_t i = 0; i < n; i++)
        out[i] = (unsigned char)slice.text[i] < 0x20 || slice.text[i] == 0x7f ? '?' : slice.text[i];
    out[without_cut_character(out, n)] = '\0';
}

static const char *const class_words[] = {
    [WEIR_CLASS_NONE] = "",     [WEIR_CLASS_LEAF] = "leaf",         [WEIR_CLASS_BORDER] = "border",
    [WEIR_CLASS_STUB] = "stub", [WEIR_CLASS_BACKBONE] = "backbone", [WEIR_CLASS_SERVER] = "server",
};

const char *wi_class_word(weir_node_class node_class)
{
    return class_words[node_class];
}

weir_node_class wi_class_of_word(wi_slice word)
{
    for (size_t i = 1; i < sizeof class_words / sizeof *class_words; i++)
        if (wi_slice_is(word, class_words[i]))
            return (weir_node_class)i;
    return WEIR_CLASS_NONE;
}

size_t wi_split(wi_slice line, bool parens, wi_slice *field, size_t room)
{
    const char *at = line.text, *end = line.text + line.length;
    size_t n = 0;
    for (;;) {
        while (at < end && blank(*at))
            at++;
        if (at == end)
            return n;
        const char *begin = at++;
        if (!parens || (*begin != '(' && *begin != ')'))
            while (at < end && !blank(*at) && !(parens && (*at == '(' || *at == ')')))
                at++;
        if (n < room)
            field[n] = (wi_slice){begin, (size_t)(at - begin)};
        n++;
    }
}

weir_status wi_fail_slice(weir_diag *diag, const wi_source *source, int line, wi_slice slice, const char *fmt,
                          ...)
{
    char text[400];
    int column = 1;
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    for (const char *p = slice.text; p > source->begin && p[-1] != '\n' && column < INT_MAX; p--)
        column++;
    return weir_fail_at(diag, WEIR_E_FORMAT, source->name, line, column, "%s", text);
}

weir_status wi_breaks_off(const wi_source *source, const char *fmt, ...)
{
    char text[400];
    va_list args;
    if (source->status != WEIR_OK)
        return source->status;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return weir_fail_at(source->diag, WEIR_E_FORMAT, source->name, source->line, 0, "%s", text);
}

weir_status wi_number_field(weir_diag *diag, const wi_source *source, int line, wi_slice slice,
                            const char *what, double low, double high, double *out)
{
    char shown[WI_SHOWN];
    if (wi_slice_number(slice, out) && *out >= low && *out <= high)
        return WEIR_OK;
    return wi_fail_slice(diag, source, line, slice, "the %s is '%s'; want a number from %g to %g", what,
                         wi_shown(slice, shown), low, high);
}

weir_status wi_known_node(weir_diag *diag, const wi_source *source, int line, wi_slice name,
                          const weir_graph_builder *builder, uint32_t *node)
{
    char shown[WI_SHOWN];
    *node = wi_names_find(&builder->names, name.text, name.length);
    return *node != WI_NO_NAME
               ? WEIR_OK
               : wi_fail_slice(diag, source, line, name, "no node '%s' stands above", wi_shown(name, shown));
}

weir_status wi_new_node(weir_diag *diag, const wi_source *source, int line, wi_slice name,
                        weir_graph_builder *builder, uint32_t *node)
{
    char text[WI_NAME_MAX + 1], shown[WI_SHOWN];
    if (name.length > WI_NAME_MAX)
        return wi_fail_slice(diag, source, line, name, "a node name of %zu bytes, '%s'; want at most %d",
                             name.length, wi_shown(name, shown), WI_NAME_MAX);
    if (wi_names_find(&builder->names, name.text, name.length) != WI_NO_NAME)
        return wi_fail_slice(diag, source, line, name, "node '%s' is there already", wi_shown(name, shown));
    memcpy(text, name.text, name.length);
    text[name.length] = '\0';
    *node = weir_graph_add_node(builder, text, WEIR_ROUTER);
    return *node != UINT32_MAX ? WEIR_OK : wi_builder_failed(diag, source, line, builder);
}

weir_status wi_builder_failed(weir_diag *diag, const wi_source *source, int line,
                              const weir_graph_builder *builder)
{
    return weir_fail_at(diag, builder->failed == WEIR_E_ARG ? WEIR_E_FORMAT : builder->failed, source->name,
                        line, 0, "%s", builder->why);
}

weir_status wi_read_with(weir_diag *diag, wi_reader *reader, wi_source *source,
                         const weir_topology_options *options, weir_graph **out)
{
    weir_graph_builder *builder = weir_graph_builder_new();
    if (!builder)
        return weir_fail(diag, WEIR_E_NOMEM, "out of memory for a graph");
    weir_status st = reader(diag, source, options, builder);
    if (st == WEIR_OK)
        st = weir_graph_build(diag, builder, out);
    weir_graph_builder_free(builder);
    return st;
}
