/* Figures as people read them. */
#include "base/units/figures.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

char *wi_figure_si(char *out, double value)
{
    static const char *const prefix[] = {"", " k", " M", " G", " T", " P"};
    size_t i = 0;
    while (fabs(value) >= 999.5 && i + 1 < sizeof prefix / sizeof *prefix) {
        value /= 1000;
        i++;
    }
    const int decimals = i == 0 || fabs(value) >= 99.95 ? 0 : fabs(value) >= 9.995 ? 1 : 2;
    snprintf(out, WI_FIGURE, "%.*f%s", decimals, value, prefix[i]);
    return out;
}

const char *wi_unit_shown(const char *unit)
{
    return strcmp(unit, "1/s") == 0 ? unit + 1 : unit;
}

char *wi_figure_unit(char *out, double value, const char *unit)
{
    char number[WI_FIGURE];
    if (isnan(value)) {
        snprintf(out, WI_FIGURE, "-");
        return out;
    }
    wi_figure_si(number, value);
    const bool spaced = !unit[0] || strchr(number, ' '); /* "12.3 k" takes its unit without another blank */
    snprintf(out, WI_FIGURE, "%.12s%s%.8s", number, spaced ? "" : " ", unit);
    return out;
}

char *wi_figure_time(char *out, double seconds, int digits)
{
    const double size = fabs(seconds);
    const int whole = size >= 1.0, milli = size >= 1e-3;
    if (isnan(seconds))
        snprintf(out, WI_FIGURE, "-");
    else
        snprintf(out, WI_FIGURE, "%.*g %s", whole && digits < 4 ? 4 : digits,
                 seconds * (whole   ? 1.0
                            : milli ? 1e3
                                    : 1e6),
                 whole   ? "s"
                 : milli ? "ms"
                         : "us");
    return out;
}

char *wi_figure_duration(char *out, double seconds)
{
    return wi_figure_time(out, seconds, 3);
}

char *wi_figure_decimals(char *out, double value, int decimals)
{
    if (isnan(value))
        snprintf(out, WI_FIGURE, "-");
    else
        snprintf(out, WI_FIGURE, "%.*f", decimals, value);
    return out;
}

char *wi_figure_percent(char *out, double share)
{
    if (isnan(share))
        snprintf(out, WI_FIGURE, "-");
    else
        snprintf(out, WI_FIGURE, "%.3g %%", 100 * share);
    return out;
}

/* Blocks of Unicode's EastAsianWidth.txt (W, F), whole ones. */
static size_t columns_of(unsigned long c)
{
    static const unsigned long wide[][2] = {{0x1100, 0x115F}, {0x2E80, 0xA4CF},   {0xAC00, 0xD7A3},
                                            {0xF900, 0xFAFF}, {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},
                                            {0xFFE0, 0xFFE6}, {0x1F300, 0x1FAFF}, {0x20000, 0x3FFFD}};
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (c >= wide[i][0] && c <= wide[i][1])
            return 2;
    return c >= 0x300 && c <= 0x36F ? 0 : 1;
}

size_t wi_text_columns(const char *text)
{
    size_t n = 0;
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        unsigned long c = *at < 0x80 ? *at : *at < 0xE0 ? *at & 0x1Fu : *at < 0xF0 ? *at & 0xFu : *at & 7u;
        for (at++; (*at & 0xC0) == 0x80; at++)
            c = c << 6 | (*at & 0x3Fu);
        n += columns_of(c);
    }
    return n;
}
