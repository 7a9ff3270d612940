/* Lines of edge lists: what separates their columns, and columns in quotes. */
#include "topology/read/edge_line.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Behind a column in quotes that begins at `at`; null where it is not closed before a separator. */
static const char *behind_quotes(const char *at, const char *end, char separator)
{
    for (const char *p = at + 1; p < end; p++) {
        if (*p != '"')
            continue;
        if (p + 1 < end && p[1] == '"') {
            p++;
            continue;
        }
        return p + 1 == end || is_blank(p[1]) || p[1] == separator || separator == 0 ? p + 1 : NULL;
    }
    return NULL;
}

char wi_edge_separator(wi_slice line)
{
    bool comma = false, blank_alone = false, bar = false;
    const char *const end = line.text + line.length;
    for (const char *p = line.text; p < end; p++) {
        const bool begins = p == line.text || is_blank(p[-1]) || p[-1] == ',' || p[-1] == '|';
        const char *const behind = *p == '"' && begins ? behind_quotes(p, end, 0) : NULL;
        if (behind) {
            p = behind - 1;
            continue;
        }
        bar |= *p == '|';
        comma |= *p == ',';
        blank_alone |= is_blank(*p) && !is_blank(p[-1]) && p[-1] != ',';
    }
    return bar ? '|' : comma && !blank_alone ? ',' : ' ';
}

static void put_field(wi_edge_line *r, const char *begin, const char *end)
{
    while (begin < end && is_blank(*begin))
        begin++;
    while (end > begin && is_blank(end[-1]))
        end--;
    const bool quoted = end - begin >= 2 && *begin == '"' && end[-1] == '"';
    if (r->n_fields < WI_EDGE_FIELDS) {
        r->field[r->n_fields] = (wi_slice){begin + quoted, (size_t)(end - begin) - 2 * quoted};
        r->quoted[r->n_fields] = quoted;
    }
    r->n_fields++;
}

wi_edge_line wi_edge_split(wi_slice line, char separator, int number)
{
    wi_edge_line r = {.line = number};
    const char *at = line.text, *end = line.text + line.length;
    while (at <= end) {
        while (at < end && is_blank(*at))
            at++;
        const char *const behind = at < end && *at == '"' ? behind_quotes(at, end, separator) : NULL;
        const char *stop = behind ? behind : at;
        while (stop < end && (separator == ' ' ? !is_blank(*stop) : *stop != separator))
            stop++;
        put_field(&r, at, stop);
        at = stop + 1;
        while (separator == ' ' && at < end && is_blank(*at))
            at++;
    }
    return r;
}

size_t wi_edge_unquoted(wi_slice name, char *text)
{
    size_t n = 0;
    for (size_t i = 0; i < name.length; i++) {
        text[n++] = name.text[i];
        i += name.text[i] == '"' && i + 1 < name.length && name.text[i + 1] == '"';
    }
    return n;
}
