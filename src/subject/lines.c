/* See lines.h. */
#include "subject/lines.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/units/figures.h"

/* A path of names joined by dots, [from, to). */
static const json_t *follow(const json_t *at, const char *from, const char *to)
{
    while (at && from < to) {
        const size_t n = strcspn(from, ".|:}");
        at = json_object_getn(at, from, n);
        from += n + 1;
    }
    return at;
}

/* The first of several paths that there is; null: none. *last is where the path ends. */
static const json_t *first_of(const json_t *figures, const char *from, const char *to, const char **last)
{
    for (const char *end; from < to; from = end + 1) {
        end = from + strcspn(from, "|:}");
        const json_t *found = follow(figures, from, end);
        *last = end;
        if (found)
            return found;
    }
    return NULL;
}

/* Does the text [from, to) end with that? */
static bool ends_with(const char *from, const char *to, const char *suffix)
{
    const size_t n = strlen(suffix);
    return (size_t)(to - from) >= n && strncmp(to - n, suffix, n) == 0;
}

static void format(char out[WI_FIGURE], const json_t *value, const char *name, const char *name_end,
                   const char *how)
{
    const double number = json_is_array(value)    ? (double)json_array_size(value)
                          : json_is_number(value) ? json_number_value(value)
                                                  : (double)NAN;
    char *end;
    const long digits = strtol(how + (*how == '.'), &end, 10);
    if (*how == '%')
        wi_figure_percent(out, number);
    else if (*how == '.')
        wi_figure_decimals(out, number, (int)digits);
    else if (*end == 'g')
        snprintf(out, WI_FIGURE, "%.*g", (int)digits, number);
    else if (ends_with(name, name_end, "_s"))
        wi_figure_duration(out, number);
    else
        wi_figure_unit(out, number,
                       ends_with(name, name_end, "_bps")   ? "bit/s"
                       : ends_with(name, name_end, "_Bps") ? "B/s"
                                                           : "");
}

/* One {...}, from behind its brace; returns what follows it. */
static const char *print_figure(FILE *out, const char *at, const json_t *figures)
{
    const char *const end = strchr(at, '}'), *const colon = memchr(at, ':', (size_t)(end - at)), *last = at;
    const char *how = colon ? colon + 1 : end;
    const json_t *value = first_of(figures, at, colon ? colon : end, &last);
    char *after = NULL;
    const long width = *how == '-' || (*how >= '0' && *how <= '9') ? strtol(how, &after, 10) : 0;
    if (after && *after != 'g')
        how = after;
    const char *const more = strchr(how, ':');
    char text[400], figure[WI_FIGURE] = "";
    if (*at == '=')
        snprintf(figure, sizeof figure, "%.*s", (int)((colon ? colon : end) - at - 1), at + 1);
    else if (!json_is_string(value))
        format(figure, value, at, last, how);
    snprintf(text, sizeof text, "%s%.*s", json_is_string(value) ? json_string_value(value) : figure,
             more && more < end ? (int)(end - more - 1) : 0, more ? more + 1 : "");
    const int bytes_more =
        (int)(strlen(text) - wi_text_columns(text)); /* than the columns that printf counts */
    fprintf(out, "%*s", !after || *after == 'g' ? 0 : (int)width + (width < 0 ? -bytes_more : bytes_more),
            text);
    return end + 1;
}

static void print(FILE *out, const char *text, const json_t *figures)
{
    while (*text) {
        const size_t plain = strcspn(text, "{");
        fwrite(text, 1, plain, out);
        text += plain;
        if (*text)
            text = print_figure(out, text + 1, figures);
    }
    fputc('\n', out);
}

static bool is_met(const char *needs, const json_t *figures)
{
    const size_t n = strcspn(needs, ">");
    const json_t *const found = follow(figures, needs, needs + n);
    return found && (!needs[n] || json_number_value(found) > 0.0);
}

/* Whether the line was printed. */
static bool print_line(FILE *out, const wi_line *line, const json_t *figures, bool first)
{
    const bool met = !line->needs || is_met(line->needs, figures);
    const char *const text = met ? line->text : line->other;
    if (text && first && line->head)
        fprintf(out, "%s\n", line->head);
    if (text)
        print(out, text, figures);
    return text != NULL;
}

void wi_lines_print(FILE *out, const wi_line *lines, size_t n, const json_t *figures)
{
    for (size_t i = 0; i < n; i++) {
        const json_t *const list = lines[i].list ? json_object_get(figures, lines[i].list) : NULL;
        bool first = true;
        if (!lines[i].list)
            print_line(out, &lines[i], figures, true);
        for (size_t k = 0; k < json_array_size(list); k++)
            first &= !print_line(out, &lines[i], json_array_get(list, k), first);
    }
}
