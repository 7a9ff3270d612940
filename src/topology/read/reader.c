/* Slices and messages of the readers. */
#include "topology/read/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "weir/units.h"

/* Copies n bytes, control characters as '?'. */
static void put_printable(const char *text, size_t n, char *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (unsigned char)text[i] < 0x20 || text[i] == 0x7f ? '?' : text[i];
}

const char *wi_shown(wi_slice slice, char *out)
{
    const size_t room = WI_SHOWN - 4, n = slice.length < room ? slice.length : room;
    put_printable(slice.text, n, out);
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

bool wi_slice_begins(wi_slice slice, const char *text)
{
    const size_t n = strlen(text);
    return slice.length >= n && memcmp(slice.text, text, n) == 0;
}

wi_slice wi_slice_of(const char *text)
{
    return (wi_slice){text, strlen(text)};
}

void wi_slice_copy(wi_slice slice, char *out, size_t size)
{
    const size_t n = slice.length < size - 1 ? slice.length : size - 1;
    put_printable(slice.text, n, out);
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

bool wi_next_word(wi_slice *line, wi_slice *word)
{
    const char *at = line->text, *const end = line->text + line->length;
    while (at < end && wi_is_blank(*at))
        at++;
    const char *const begin = at;
    while (at < end && !wi_is_blank(*at))
        at++;
    *word = (wi_slice){begin, (size_t)(at - begin)};
    *line = (wi_slice){at, (size_t)(end - at)};
    return at > begin;
}

size_t wi_split(wi_slice line, wi_slice *field, size_t room)
{
    wi_slice word;
    size_t n = 0;
    for (; wi_next_word(&line, &word); n++)
        if (n < room)
            field[n] = word;
    return n;
}

void wi_next_fields(wi_reading *r, const char *what, size_t wanted, wi_slice *field)
{
    wi_slice line = {"", 0};
    for (size_t i = 0; i < wanted; i++)
        field[i] = line;
    while (line.length == 0)
        if (!wi_next_line(r->source, &line)) {
            wi_fail(r->source, "the file breaks off: %s is missing", what);
            return;
        }
    const size_t n = wi_split(line, field, wanted);
    if (n != wanted)
        wi_fail(r->source, "%zu fields; want %zu: %s", n, wanted, what);
}

double wi_number_field(wi_source *source, wi_slice field, const char *what, double low, double high)
{
    char shown[WI_SHOWN];
    double value;
    if (wi_slice_number(field, &value) && value >= low && value <= high)
        return value;
    wi_fail_slice(source, field, "the %s is '%s'; want a number from %g to %g", what, wi_shown(field, shown),
                  low, high);
    return low;
}

uint32_t wi_known_node(wi_reading *r, wi_slice name)
{
    char shown[WI_SHOWN];
    const uint32_t node = wi_names_find(&r->builder->names, name.text, name.length);
    if (node == WI_NO_NAME)
        wi_fail_slice(r->source, name, "no node '%s' stands above", wi_shown(name, shown));
    return node;
}

uint32_t wi_added(wi_reading *r, uint32_t node)
{
    const weir_graph_builder *const b = r->builder;
    if (node == UINT32_MAX && b->failed == WEIR_E_NOMEM)
        wi_no_memory(r->source, "the graph's nodes");
    else if (node == UINT32_MAX)
        wi_fail(r->source, "%s", b->why);
    return node;
}

uint32_t wi_new_node(wi_reading *r, wi_slice name)
{
    char text[WI_NAME_MAX + 1], shown[WI_SHOWN];
    if (name.length > WI_NAME_MAX)
        wi_fail_slice(r->source, name, "a node name of %zu bytes, '%s'; want at most %d", name.length,
                      wi_shown(name, shown), WI_NAME_MAX);
    else if (wi_names_find(&r->builder->names, name.text, name.length) != WI_NO_NAME)
        wi_fail_slice(r->source, name, "node '%s' is there already", wi_shown(name, shown));
    if (!wi_good(r))
        return UINT32_MAX;
    memcpy(text, name.text, name.length);
    text[name.length] = '\0';
    return wi_added(r, weir_graph_add_node(r->builder, text, WEIR_ROUTER));
}

void wi_list(wi_reading *r, wi_listed link, wi_listing listing)
{
    if (wi_good(r) && !wi_link_list_add(&r->links, link, listing))
        wi_no_memory(r->source, "links");
}

uint64_t wi_rate_of(double bps)
{
    return bps < 1 ? 1 : (uint64_t)llround(bps);
}

weir_status wi_read_with(wi_format_reader *reader, wi_source *source, const weir_topology_options *options,
                         weir_graph **out)
{
    wi_reading r = {.source = source, .options = options, .builder = weir_graph_builder_new()};
    if (!r.builder)
        wi_no_memory(source, "a graph");
    if (wi_good(&r))
        reader(&r);
    if (wi_good(&r))
        wi_link_list_finish(&r.links, source, options->weight_scale, r.builder);
    if (wi_good(&r))
        source->status = weir_graph_build(source->diag, r.builder, out);
    wi_link_list_free(&r.links);
    weir_graph_builder_free(r.builder);
    return source->status;
}
