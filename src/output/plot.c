/* Curves as SVG. Coordinates are whole tenths of a pixel, so that no number depends on the locale. */
#include "output/plot.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "output/number.h"
#include "base/file/out.h"

enum {
    WIDTH = 4600, /* of one plot */
    HEIGHT = 3600,
    LEFT = 700,
    BESIDE = 150, /* right of the axes */
    TOP = 350,
    BELOW = 600, /* of the axes, without the legend */
    LEAST = 2200,
    FONT = 120,
    LEGEND_ROW = 180, /* below the label of the x axis, two names a row */
    TICKS_MAX = 16
};

/* weir's blue first, then Okabe and Ito's, which most eyes tell apart. */
static const char *const colours[] = {"#1f5fa8", "#d55e00", "#009e73", "#cc79a7",
                                      "#e69f00", "#56b4e9", "#8a7f00", "#555555"};
enum { COLOURS = sizeof colours / sizeof *colours };
/* For black and white. */
static const char *const dashes[COLOURS] = {
    "", "120 60", "30 50", "160 60 30 60", "60 60", "220 60", "160 50 30 50 30 50", "30 120"};

/* Where the axes of one plot lie. */
typedef struct frame {
    int width, right, bottom;
    bool grey;
} frame;

static frame frame_of(const wi_plot_look *look)
{
    const int width = wi_look_units(look, WIDTH, LEAST);
    return (frame){width, width - BESIDE, (int)((int64_t)width * HEIGHT / WIDTH) - BELOW, look->grey};
}

/* ---- sizes ---- */

int wi_look_units(const wi_plot_look *look, int otherwise, int least)
{
    static const double mm_a_point = 25.4 / 72.0;
    const double point = look->font_pt ? look->font_pt : 9.0;
    if (!look->width_mm)
        return otherwise;
    const int units = (int)lround(look->width_mm * FONT / (point * mm_a_point));
    return units > least ? units : least;
}

void wi_svg_size(FILE *out, const wi_plot_look *look, int width, int height)
{
    fputs("<svg xmlns=\"http://www.w3.org/2000/svg\" ", out);
    if (look->width_mm) { /* hundredths of a millimetre, as whole numbers: no locale has a say */
        const int64_t high = (int64_t)look->width_mm * 100 * height / width;
        fprintf(out, "width=\"%umm\" height=\"%" PRId64 ".%02" PRId64 "mm\"", look->width_mm, high / 100,
                high % 100);
    } else {
        fprintf(out, "width=\"%d\" height=\"%d\"", width / 10, height / 10);
    }
    fprintf(out, " viewBox=\"0 0 %d %d\">\n", width, height);
}

/* ---- text ---- */

/* Bytes of the character at `c` in UTF-8, 1 for a byte that begins none; *plain: XML may hold it. */
static int character(const unsigned char *c, bool *plain)
{
    const int want = c[0] >= 0xf0 ? 4 : c[0] >= 0xe0 ? 3 : c[0] >= 0xc0 ? 2 : 1;
    int n = 1;
    while (n < want && (c[n] & 0xc0) == 0x80)
        n++;
    const bool no_character = n == 3 && c[0] == 0xef && c[1] == 0xbf && c[2] >= 0xbe; /* U+FFFE, U+FFFF */
    const bool surrogate = n == 3 && c[0] == 0xed && c[1] >= 0xa0;
    *plain =
        n == want && c[0] >= 0x20 && c[0] < 0xf5 && (want > 1 || c[0] < 0x80) && !no_character && !surrogate;
    return n;
}

void wi_svg_text(FILE *out, int x, int y, const char *anchor, const char *more, const char *text)
{
    bool plain;
    fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\"%s>", x, y, anchor, more);
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        const int n = character(c, &plain);
        if (*c == '&' || *c == '<' || *c == '>')
            fprintf(out, "&#%d;", *c);
        else if (plain)
            fwrite(c, 1, (size_t)n, out);
        else
            fputc('?', out);
        c += n;
    }
    fputs("</text>\n", out);
}

/* ---- axes ---- */

typedef struct axis {
    double low, high;  /* logarithms where `log` */
    bool log, decimal; /* logarithmic ticks at 1, 2 and 5, or 1 and 3, instead of powers of two */
    int from, to;      /* where they lie */
    double step;       /* of linear ticks, which stand at its multiples */
    double unit;       /* what ticks are told in, of the values' unit: 1e-3 for milliseconds */
    char prefix[4];    /* its name: "m" */
    bool times;        /* logarithms of seconds: each tick has a unit of its own */
} axis;

static double scaled(const axis *a, double value)
{
    return a->log ? log10(value) : value;
}

static bool usable(const axis *a, double value)
{
    return isfinite(value) && (!a->log || value > 0.0);
}

static int place(const axis *a, double value)
{
    const double share = (scaled(a, value) - a->low) / (a->high - a->low);
    return a->from + (int)lround(share * (a->to - a->from));
}

/* The distance of linear ticks: 1, 2 or 5 times a power of ten. */
static double tick_step(double span)
{
    const double rough = span / 5.0, power = pow(10.0, floor(log10(rough))), digit = rough / power;
    return power * (digit < 1.5 ? 1.0 : digit < 3.5 ? 2.0 : digit < 7.5 ? 5.0 : 10.0);
}

static void widen(axis *a, const double *value, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!usable(a, value[i]))
            continue;
        a->low = fmin(a->low, scaled(a, value[i]));
        a->high = fmax(a->high, scaled(a, value[i]));
    }
}

/* The prefix with which the largest value has one to three digits before the point. Seconds have none above them. */
static void choose_prefix(axis *a, const char *unit)
{
    static const struct {
        double unit;
        char name[4];
    } prefixes[] = {{1e12, "T"}, {1e9, "G"},  {1e6, "M"},  {1e3, "k"},
                    {1.0, ""},   {1e-3, "m"}, {1e-6, "µ"}, {1e-9, "n"}};
    const size_t n = sizeof prefixes / sizeof *prefixes, one = 4;
    const double most = fmax(fabs(a->low), fabs(a->high));
    a->unit = 1.0;
    a->times = a->log && unit && strcmp(unit, "s") == 0;
    if (!unit || a->log || !(most > 0.0))
        return;
    const bool seconds = strcmp(unit, "s") == 0;
    if (!seconds && strcmp(unit, "B") != 0 && strcmp(unit, "B/s") != 0 && strcmp(unit, "bit/s") != 0)
        return;
    for (size_t i = seconds ? one : 0; i < (seconds ? n : one); i++)
        if (most >= prefixes[i].unit * (1.0 - 1e-9) || (seconds && i + 1 == n)) {
            a->unit = prefixes[i].unit;
            memcpy(a->prefix, prefixes[i].name, sizeof a->prefix);
            return;
        }
}

static axis make_axis(const wi_plot *p, const frame *f, bool is_x)
{
    const bool log_scale = is_x ? p->log_x : p->log_y;
    axis a = {.low = INFINITY, .high = -INFINITY, .log = log_scale, .decimal = p->decimal, .unit = 1.0};
    a.from = is_x ? LEFT : f->bottom;
    a.to = is_x ? f->right : TOP;
    for (size_t c = 0; c < p->n_curves; c++) {
        widen(&a, is_x ? p->curves[c].x : p->curves[c].y, p->curves[c].n);
        if (!is_x && p->curves[c].low)
            widen(&a, p->curves[c].low, p->curves[c].n);
        if (!is_x && p->curves[c].high)
            widen(&a, p->curves[c].high, p->curves[c].n);
    }
    if (is_x && p->names) {
        a.low = -0.5;
        a.high = (double)p->n_names - 0.5;
        return a;
    }
    if (!(a.low <= a.high))
        a.low = a.high = 0.0;
    if (!log_scale) /* from zero */
        a.low = fmin(a.low, is_x ? p->from_x : 0.0);
    if (!(a.high - a.low > (log_scale ? 1e-9 : 0.0)))
        a.high = a.low + 1.0;
    if (log_scale && !is_x) { /* no point on the edge */
        const double room = 0.05 * (a.high - a.low);
        a.low -= room;
        a.high += room;
    }
    choose_prefix(&a, is_x ? p->x_unit : p->y_unit);
    if (!log_scale) {
        a.step = tick_step(a.high - a.low);
        a.high = a.step * ceil(a.high / a.step - 1e-9);
        if (!is_x)
            a.low = a.step * floor(a.low / a.step + 1e-9);
    }
    return a;
}

/* Logarithmic ticks are powers of ten, or of a thousand and more where those would be too many, of two or four where too few. */
static size_t make_ticks(const axis *a, double *tick)
{
    const double span = a->high - a->low;
    size_t n = 0;
    if (!a->log) {
        for (double k = ceil(a->low / a->step - 1e-9); k * a->step <= a->high + 1e-9 * span && n < TICKS_MAX;
             k++)
            tick[n++] = k * a->step + 0.0; /* no -0 */
        return n;
    }
    if (a->decimal && span <= 3.5) {
        static const double digits[] = {1, 2, 5, 1, 3};
        const size_t first = span > 1.5 ? 3 : 0, last = span > 1.5 ? 5 : 3;
        for (double p = floor(a->low); p <= a->high; p++)
            for (size_t i = first; i < last && n < TICKS_MAX; i++) {
                const double t = digits[i] * pow(10.0, p);
                if (log10(t) >= a->low - 1e-9 && log10(t) <= a->high + 1e-9)
                    tick[n++] = t;
            }
        return n;
    }
    const double tens = pow(10.0, ceil(span / 8.0)); /* no more than have room */
    const double base = span > 3.5 ? tens : span > 1.8 ? 4.0 : 2.0, width = log10(base);
    for (double p = ceil(a->low / width - 1e-9); p * width <= a->high + 1e-9 && n < TICKS_MAX; p++)
        tick[n++] = pow(base, p);
    return n;
}

/* Thousands and more by their prefix: what stands beside an axis has little room. */
static void put_label(char label[WI_NUMBER_MAX + 1], double tick)
{
    static const char prefixes[] = "\0kMGT";
    size_t k = 0;
    double value = tick = round(tick * 1e9) / 1e9;
    for (; fabs(value) >= (k == 0 ? 1e4 : 1e3) && k + 2 < sizeof prefixes; k++)
        value = round(value * 1e6) / 1e9;
    char plain[WI_NUMBER_MAX];
    wi_format_double(tick, plain);
    wi_format_double(value, label);
    const size_t n = strlen(label);
    label[n] = prefixes[k];
    label[n + 1] = '\0';
    if (strlen(plain) <= strlen(label)) /* 65536 */
        memcpy(label, plain, strlen(plain) + 1);
}

/* A time in its own unit. */
static void put_time(char label[WI_NUMBER_MAX + 1], double seconds)
{
    static const char names[][4] = {"s", "ms", "µs", "ns", "ps"};
    size_t k = 0;
    for (; seconds < 1.0 - 1e-9 && k + 1 < sizeof names / sizeof *names; k++)
        seconds *= 1e3;
    snprintf(label, WI_NUMBER_MAX, "%.6g %s", seconds, names[k]);
}

static void draw_ticks(FILE *out, const axis *a, const frame *f, bool is_x)
{
    double tick[TICKS_MAX];
    const size_t n = make_ticks(a, tick);
    for (size_t i = 0; i < n; i++) {
        char label[WI_NUMBER_MAX + 1];
        const int at = place(a, tick[i]);
        if (a->times)
            put_time(label, tick[i]);
        else
            put_label(label, tick[i] / a->unit);
        if (is_x) {
            fprintf(out, "<path class=\"grid\" d=\"M%d %dV%d\"/>\n", at, f->bottom, TOP);
            wi_svg_text(out, at, f->bottom + 160, "middle", "", label);
        } else {
            fprintf(out, "<path class=\"grid\" d=\"M%d %dH%d\"/>\n", LEFT, at, f->right);
            wi_svg_text(out, LEFT - 60, at + 40, "end", "", label);
        }
    }
}

static void draw_names(FILE *out, const wi_plot *p, const frame *f, const axis *x)
{
    for (size_t i = 0; i < p->n_names; i++)
        wi_svg_text(out, place(x, (double)i), f->bottom + 160, "middle", "", p->names[i]);
}

/* Intervals, with short ends. One end that is not finite leaves the bar out: nothing is known of it. */
static void draw_bars(FILE *out, const wi_curve *c, const char *colour, const axis *x, const axis *y)
{
    enum { END = 30 };
    if (!c->low || !c->high)
        return;
    fprintf(out, "<path class=\"bar\" stroke=\"%s\" d=\"", colour);
    for (size_t i = 0; i < c->n; i++) {
        if (!usable(x, c->x[i]) || !usable(y, c->low[i]) || !usable(y, c->high[i]))
            continue;
        const int at = place(x, c->x[i]), low = place(y, c->low[i]), high = place(y, c->high[i]);
        fprintf(out, "M%d %dh%dM%d %dV%dM%d %dh%d", at - END, low, 2 * END, at, low, high, at - END, high,
                2 * END);
    }
    fputs("\"/>\n", out);
}

/* The beginning of a curve's path: its colour, or its dashes. */
static void begin_curve(FILE *out, size_t number, bool grey)
{
    fprintf(out, "<path class=\"curve\" stroke=\"%s\"", grey ? "#000" : colours[number % COLOURS]);
    if (grey && dashes[number % COLOURS][0])
        fprintf(out, " stroke-dasharray=\"%s\"", dashes[number % COLOURS]);
    fputs(" d=\"", out);
}

static void draw_curve(FILE *out, const wi_plot *p, size_t number, const axis *x, const axis *y)
{
    const wi_curve *c = &p->curves[number];
    const bool dots = !p->lines || c->n == 1; /* one point makes no line */
    const char *colour = p->look.grey ? "#000" : colours[number % COLOURS];
    char command = 'M';
    begin_curve(out, number, p->look.grey);
    for (size_t i = 0; i < c->n; i++) {
        if (!usable(x, c->x[i]) || !usable(y, c->y[i]))
            continue;
        const int at = place(x, c->x[i]), height = place(y, c->y[i]);
        if (p->steps && command == 'L')
            fprintf(out, "H%dV%d", at, height);
        else
            fprintf(out, "%c%d %d", command, at, height);
        command = 'L';
    }
    fputs("\"/>\n", out);
    for (size_t i = 0; dots && i < c->n; i++)
        if (usable(x, c->x[i]) && usable(y, c->y[i]))
            fprintf(out, "<circle r=\"26\" cx=\"%d\" cy=\"%d\" fill=\"%s\"/>\n", place(x, c->x[i]),
                    place(y, c->y[i]), colour);
}

static size_t named_curves(const wi_plot *p)
{
    size_t n = 0;
    for (size_t c = 0; c < p->n_curves; c++)
        n += p->curves[c].name != NULL;
    return n;
}

/* Two, unless one would run into the other. */
static size_t names_a_row(const wi_plot *p, const frame *f)
{
    enum { LETTER = FONT / 2 };
    for (size_t c = 0; c < p->n_curves; c++)
        if (p->curves[c].name && (int)strlen(p->curves[c].name) * LETTER > (f->width - LEFT) / 2 - 260)
            return 1;
    return 2;
}

static size_t legend_rows(const wi_plot *p, const frame *f)
{
    const size_t a_row = names_a_row(p, f);
    return (named_curves(p) + a_row - 1) / a_row;
}

static void draw_legend(FILE *out, const wi_plot *p, const frame *f)
{
    const size_t a_row = names_a_row(p, f);
    size_t at = 0;
    for (size_t c = 0; c < p->n_curves; c++) {
        if (!p->curves[c].name)
            continue;
        const int x = LEFT - 300 + (int)(at % a_row) * (f->width - LEFT) / 2;
        const int y = f->bottom + BELOW + 20 + (int)(at / a_row) * LEGEND_ROW;
        begin_curve(out, c, p->look.grey);
        fprintf(out, "M%d %dh200\"/>\n", x, y - 40);
        wi_svg_text(out, x + 260, y, "start", "", p->curves[c].name);
        at++;
    }
}

/* "queue (kB)" */
static void draw_label(FILE *out, const axis *a, const char *label, const char *unit, int x, int y,
                       const char *more)
{
    char text[256];
    if (unit && unit[0] && !a->times)
        snprintf(text, sizeof text, "%.200s%s(%s%.40s)", label, label[0] ? " " : "", a->prefix, unit);
    else
        snprintf(text, sizeof text, "%.250s", label);
    wi_svg_text(out, x, y, "middle", more, text);
}

static void draw(FILE *out, const wi_plot *p, const frame *f, int shift)
{
    const axis x = make_axis(p, f, true), y = make_axis(p, f, false);
    const int middle = (LEFT + f->right) / 2;
    char turned[64];
    fprintf(out, "<g transform=\"translate(%d 0)\">\n", shift);
    if (p->names)
        draw_names(out, p, f, &x);
    else
        draw_ticks(out, &x, f, true);
    draw_ticks(out, &y, f, false);
    fprintf(out, "<path class=\"axis\" d=\"M%d %dV%dH%d\"/>\n", LEFT, TOP, f->bottom, f->right);
    for (size_t c = 0; c < p->n_curves; c++) {
        draw_bars(out, &p->curves[c], p->look.grey ? "#000" : colours[c % COLOURS], &x, &y);
        draw_curve(out, p, c, &x, &y);
    }
    snprintf(turned, sizeof turned, " transform=\"rotate(-90 160 %d)\"", (TOP + f->bottom) / 2);
    wi_svg_text(out, middle, TOP - 120, "middle", "", p->title);
    draw_label(out, &x, p->x_label, p->x_unit, middle, f->bottom + 400, "");
    draw_label(out, &y, p->y_label, p->y_unit, 160, (TOP + f->bottom) / 2, turned);
    draw_legend(out, p, f);
    fputs("</g>\n", out);
}

char *wi_plot_text(const wi_plot *plots, size_t n_plots, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    if (!out)
        return NULL;
    const frame f = frame_of(&plots[0].look);
    const int width = (int)n_plots * f.width;
    int rows = 0;
    for (size_t i = 0; i < n_plots; i++) {
        const int own = (int)legend_rows(&plots[i], &f);
        rows = own > rows ? own : rows;
    }
    const int height = f.bottom + BELOW + rows * LEGEND_ROW;
    wi_svg_size(out, &plots[0].look, width, height);
    fprintf(out,
            "<style>text{font:120px "
            "sans-serif}.grid{stroke:#ddd;stroke-width:6}.axis{stroke:#000;stroke-width:10;fill:none}.curve{"
            "stroke-width:20;fill:none}.bar{stroke-width:12;fill:none}</style>\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
            width, height);
    for (size_t i = 0; i < n_plots; i++)
        draw(out, &plots[i], &f, (int)i * f.width);
    fputs("</svg>\n", out);
    const bool good = !ferror(out);
    if (fclose(out) == 0 && good)
        return text;
    free(text);
    return NULL;
}

char *wi_plot_file(char *name)
{
    for (char *c = name; *c; c++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", *c))
            *c = '_';
    return name;
}

weir_status wi_plot_put(weir_diag *diag, const char *folder, const char *name, const wi_plot *plots,
                        size_t n_plots)
{
    size_t size = 0;
    WI_FREED char *text = wi_plot_text(plots, n_plots, &size), *path = wi_path_join(folder, name);
    return text && path ? wi_out_put_whole(diag, path, text, size)
                        : weir_fail(diag, WEIR_E_NOMEM, "no memory for %s", name);
}
