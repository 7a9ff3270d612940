/* The screen of weir watch. */
#include "cli/terminal/screen.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "base/units/figures.h"
#include "cli/terminal/progress.h"

enum { LINE = 600, BAR = 40, NAME_MIN = 12, STALE_S = 15 };

typedef struct page {
    FILE *out;
    int columns, left; /* rows; negative: any number */
} page;

static double number(const json_t *o, const char *key)
{
    const json_t *value = json_object_get(o, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static const char *word(const json_t *o, const char *key)
{
    const char *text = json_string_value(json_object_get(o, key));
    return text ? text : "?";
}

/* Bytes of the character at `c`, all of its columns one; 0 at the end. A terminal would obey what is below a blank,
 * DEL, and in UTF-8 U+0080 to U+009F. */
static int next_char(const unsigned char *c, bool *plain)
{
    const int want = c[0] >= 0xf0 ? 4 : c[0] >= 0xe0 ? 3 : c[0] >= 0xc0 ? 2 : 1;
    int n = c[0] ? 1 : 0;
    while (n && n < want && (c[n] & 0xc0) == 0x80)
        n++;
    *plain = n == want && c[0] >= 0x20 && c[0] != 0x7f && (want > 1 || c[0] < 0x80) &&
             !(c[0] == 0xc2 && c[1] < 0xa0);
    return n;
}

/* At most `columns` of a text, and blanks up to `pad` columns. */
static void put(FILE *out, const char *text, int columns, int pad)
{
    const unsigned char *c = (const unsigned char *)text;
    int used = 0;
    bool plain;
    for (int n; used < columns && (n = next_char(c, &plain)) > 0; c += n, used++) {
        if (plain)
            fwrite(c, 1, (size_t)n, out);
        else
            fputc('?', out);
    }
    for (; used < pad; used++)
        fputc(' ', out);
}

static void line(page *p, const char *format, ...) WEIR_PRINTF(2, 3);
static void line(page *p, const char *format, ...)
{
    char text[LINE];
    va_list list;
    if (p->left == 0)
        return;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    put(p->out, text, p->columns, 0);
    fputc('\n', p->out);
    p->left--;
}

/* A name, cut or filled to a width, and the rest of the line. */
static void named_line(page *p, const char *name, int width, const char *rest)
{
    if (p->left == 0)
        return;
    const int room = width < p->columns ? width : p->columns;
    put(p->out, name, room, room);
    put(p->out, rest, p->columns > width ? p->columns - width : 0, 0);
    fputc('\n', p->out);
    p->left--;
}

static weir_progress progress_of(const json_t *s)
{
    const weir_progress p = {.now_ps = (weir_time)(number(s, "time_s") * WEIR_PS_PER_S),
                             .end_ps = (weir_time)(number(s, "end_s") * WEIR_PS_PER_S),
                             .events = (uint64_t)number(s, "events"),
                             .wall_s = number(s, "wall_s"),
                             .phase = "simulate"};
    return p;
}

/* Nobody else's file is trusted to have the figures that a line needs; the largest time is 9223372.04 s. */
static bool is_sound(const json_t *s)
{
    const double end_s = number(s, "end_s"), now_s = number(s, "time_s"), events = number(s, "events");
    return end_s >= 0 && end_s <= 9223372.0 && now_s >= 0 && now_s <= end_s && events >= 0 && events < 1e18;
}

static void write_bar(page *p, const json_t *s)
{
    char bar[BAR + 1], text[80];
    const double share = number(s, "time_s") / number(s, "end_s");
    snprintf(text, sizeof text, "%3.0f %%   %.6g s of %.6g s", floor(100 * share), number(s, "time_s"),
             number(s, "end_s"));
    const int room = p->columns - (int)strlen(text) - 3, width = room < 0 ? 0 : room < BAR ? room : BAR;
    for (int i = 0; i < width; i++)
        bar[i] = i < (int)floor(share * width) ? '#' : '.';
    bar[width] = '\0';
    line(p, "[%s] %s", bar, text);
}

static void write_rate(page *p, const json_t *s)
{
    char now[WI_FIGURE], mean[WI_FIGURE], so_far[WI_FIGURE], left[WI_FIGURE];
    const double wall_s = number(s, "wall_s");
    line(p, "%s events/s now, %s on average", wi_figure_si(now, number(s, "events_per_s")),
         wi_figure_si(mean, number(s, "events") / wall_s));
    line(p, "%.3g times real time, engine %s", number(s, "speed"), word(s, "engine"));
    if (number(s, "time_s") > 0.0)
        line(p, "%s so far, about %s left", wi_figure_duration(so_far, wall_s),
             wi_figure_duration(left, wall_s * (number(s, "end_s") / number(s, "time_s") - 1.0)));
}

/* Ports get what classes leave of the screen, and half of it at least. */
static void write_classes(page *p, const json_t *classes)
{
    const int width = p->columns - 26 > NAME_MIN ? p->columns - 26 : NAME_MIN;
    const int most = p->left < 0 ? -1 : p->left / 2 - 2;
    char rest[LINE];
    size_t i;
    const json_t *c;
    if (json_array_size(classes) == 0 || most == 0)
        return;
    line(p, "%s", "");
    named_line(p, "class", width, "  in progress   completed");
    json_array_foreach(classes, i, c)
    {
        if (most > 0 && (int)i == most - 1 && json_array_size(classes) > i + 1) {
            line(p, "and %zu more", json_array_size(classes) - i);
            break;
        }
        snprintf(rest, sizeof rest, "  %11.0f  %10.0f", number(c, "flows"), number(c, "completed"));
        named_line(p, word(c, "name"), width, rest);
    }
}

static void write_ports(page *p, const json_t *ports)
{
    const int width = p->columns - 48 > NAME_MIN ? p->columns - 48 : NAME_MIN;
    char rest[LINE], rate[WI_FIGURE], queue[WI_FIGURE];
    size_t i;
    const json_t *o;
    if (json_array_size(ports) == 0)
        return;
    line(p, "%s", "");
    named_line(p, "hottest ports", width, "     throughput    load         queue     drops");
    json_array_foreach(ports, i, o)
    {
        snprintf(rest, sizeof rest, "  %13s %5.1f %% %13s %9.0f",
                 wi_figure_unit(rate, number(o, "throughput_bps"), "bit/s"), 100.0 * number(o, "utilisation"),
                 wi_figure_unit(queue, number(o, "queue_bytes"), "B"), number(o, "dropped_packets"));
        named_line(p, word(o, "port"), width, rest);
    }
}

void cli_screen_write(FILE *out, const json_t *s, int columns, int rows)
{
    page p = {.out = out, .columns = columns, .left = rows > 0 ? rows : -1};
    struct timespec date;
    clock_gettime(CLOCK_REALTIME, &date);
    const double age_s = (double)date.tv_sec - number(s, "date_s");
    if (!is_sound(s)) {
        line(&p, "its status cannot be read");
        return;
    }
    line(&p, "weir: %s%s", word(s, "name"), age_s > STALE_S ? "   (has said nothing new for a while)" : "");
    write_bar(&p, s);
    write_rate(&p, s);
    write_classes(&p, json_object_get(s, "classes"));
    write_ports(&p, json_object_get(s, "ports"));
    if (json_object_get(s, "not_told"))
        line(&p, "not told: %s", word(s, "not_told"));
}

void cli_screen_line(FILE *out, const json_t *s)
{
    char text[CLI_PROGRESS_TEXT];
    double flows = 0.0;
    size_t i;
    const json_t *c, *classes = json_object_get(s, "classes");
    if (!is_sound(s)) {
        fputs("its status cannot be read", out);
        return;
    }
    const weir_progress p = progress_of(s);
    fputs(cli_progress_text(&p, text), out);
    json_array_foreach(classes, i, c) flows += number(c, "flows");
    if (json_array_size(classes) > 0)
        fprintf(out, "  %.0f flows", flows);
    const json_t *hot = json_array_get(json_object_get(s, "ports"), 0);
    if (hot) {
        fputs("  hottest ", out);
        put(out, word(hot, "port"), 60, 0);
        fprintf(out, " %.1f %%", 100.0 * number(hot, "utilisation"));
    }
}
