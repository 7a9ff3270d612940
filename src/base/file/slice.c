/* Slices of what is read, words of a line, and numbers. */
#include "base/file/slice.h"

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

bool wi_slice_digits(wi_slice slice)
{
    size_t n = 0;
    while (n < slice.length && slice.text[n] >= '0' && slice.text[n] <= '9')
        n++;
    return n > 0 && n == slice.length;
}

bool wi_slice_u32(wi_slice slice, uint32_t *out)
{
    uint64_t value = 0;
    if (!wi_slice_digits(slice) || slice.length > 10)
        return false;
    for (size_t i = 0; i < slice.length; i++)
        value = 10 * value + (uint64_t)(slice.text[i] - '0');
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

static bool next_field(wi_slice *line, wi_slice *word, const char *between)
{
    const char *at = line->text, *const end = line->text + line->length;
    while (at < end && (wi_is_blank(*at) || strchr(between, *at)))
        at++;
    const char *const begin = at;
    while (at < end && !wi_is_blank(*at) && !strchr(between, *at))
        at++;
    *word = (wi_slice){begin, (size_t)(at - begin)};
    *line = (wi_slice){at, (size_t)(end - at)};
    return at > begin;
}

static size_t split(wi_slice line, wi_slice *field, size_t room, const char *between)
{
    wi_slice word;
    size_t n = 0;
    for (; next_field(&line, &word, between); n++)
        if (n < room)
            field[n] = word;
    return n;
}

bool wi_next_word(wi_slice *line, wi_slice *word)
{
    return next_field(line, word, "");
}

size_t wi_split(wi_slice line, wi_slice *field, size_t room)
{
    return split(line, field, room, "");
}

size_t wi_next_record(wi_source *source, wi_slice *field, size_t room)
{
    wi_slice line;
    size_t n = 0;
    while (n == 0 && wi_next_line(source, &line)) {
        const char *comment = memchr(line.text, '#', line.length);
        line.length = comment ? (size_t)(comment - line.text) : line.length;
        n = split(line, field, room, ",");
    }
    return n;
}

/* A field as a text of FIELD_MAX bytes, with the unit behind a bare number; one that is too long is no number. */
enum { FIELD_MAX = 64, WHY = 300 };

static const char *with_unit(wi_slice field, const char *unit, char *out)
{
    const size_t n = field.length;
    if (n + strlen(unit) + 1 > FIELD_MAX)
        return wi_shown(field, out);
    wi_slice_copy(field, out, FIELD_MAX);
    if (n > 0 && (out[n - 1] == '.' || (out[n - 1] >= '0' && out[n - 1] <= '9')))
        strcpy(out + n, unit);
    return out;
}

#define FIELD_OF(name, type)                                                                      \
    type wi_##name##_field(wi_source *source, wi_slice field, const char *what, const char *unit) \
    {                                                                                             \
        char text[FIELD_MAX], why[WHY];                                                           \
        type value = 0;                                                                           \
        if (!weir_parse_##name(with_unit(field, unit, text), &value, why, sizeof why))            \
            wi_fail_slice(source, field, "%s%s", what, why);                                      \
        return value;                                                                             \
    }
FIELD_OF(time, weir_time)
FIELD_OF(size, uint64_t)
FIELD_OF(rate, uint64_t)

double wi_number_field(wi_source *source, wi_slice field, const char *what, double low, double high)
{
    char shown[WI_SHOWN];
    double value;
    if (wi_slice_number(field, &value) && value >= low && value <= high)
        return value;
    wi_fail_slice(source, field, "the %s is '%s'; want a number from %.9g to %.9g", what,
                  wi_shown(field, shown), low, high);
    return low;
}

uint32_t wi_whole_field(wi_source *source, wi_slice field, const char *what, uint32_t least, uint32_t most)
{
    char shown[WI_SHOWN];
    uint32_t value;
    if (wi_slice_u32(field, &value) && value >= least && value <= most)
        return value;
    wi_fail_slice(source, field, "%s is '%s'; want a whole number from %u to %u", what,
                  wi_shown(field, shown), least, most);
    return least;
}
