/* Parsing of quantities. One table of units serves all dimensions, so that a time where a rate belongs is
 * named as such. */
#include "weir/units.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/units/decimal.h"
#include "base/nearest.h"
#include "base/units/units_table.h"

enum { UNIT_MAX = 15, QUOTE_MAX = 40 };

typedef unsigned __int128 wide;

/* How a dimension is called, in messages. */
static const struct dimension_words {
    const char *name, *article, *example, *units;
} words[WI_DIMENSIONS] = {
    [WI_TIME] = {"time", "a", "5ms", "ps, ns, us, ms, s, min, h, d"},
    [WI_RATE] = {"rate", "a", "10Mbps", "bps, kbps, Mbps, Gbps, Tbps, Kibps .. Tibps, or with B for bytes"},
    [WI_SIZE] = {"size", "a", "64KiB", "B, kB, MB, GB, TB, KiB, MiB, GiB, TiB"},
    [WI_SHARE] = {"share", "a", "30% or 0.3", "%"},
    [WI_EVENT_RATE] = {"rate of events", "a", "200/s", "/ps .. /s, /min, /h, /d"},
    [WI_BITS] = {"number of bits", "a", "", ""},
};

/* The text of one quantity in parts, and where to complain. */
typedef struct quantity {
    const char *text; /* as given, for messages */
    wi_decimal number;
    char unit[UNIT_MAX + 1]; /* empty: none */
    char *why;
    size_t why_size;
} quantity;

static bool say(const quantity *q, const char *fmt, ...) WEIR_PRINTF(2, 3);
static bool say(const quantity *q, const char *fmt, ...)
{
    if (!q->why || q->why_size == 0)
        return false;
    int at = snprintf(q->why, q->why_size, strlen(q->text) > QUOTE_MAX ? "\"%.*s...\"" : "\"%.*s\"",
                      QUOTE_MAX, q->text);
    if (at < 0 || (size_t)at >= q->why_size)
        return false;
    va_list args;
    va_start(args, fmt);
    vsnprintf(q->why + at, q->why_size - (size_t)at, fmt, args);
    va_end(args);
    return false;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Split text into number and unit; `want` is a phrase such as "a time such as 5ms". */
static bool split(quantity *q, const char *want)
{
    const char *p = q->text, *end = q->text + strlen(q->text);
    while (p < end && is_blank(*p))
        p++;
    while (end > p && is_blank(end[-1]))
        end--;
    if (p == end)
        return say(q, " is empty; want %s", want);
    const char *rest = wi_decimal_read(p, end, &q->number);
    if (!rest)
        return say(q, " does not begin with a number; want %s", want);
    if (rest < end && *rest == ',')
        return say(q, " has a comma; the decimal point is '.'");
    while (rest < end && is_blank(*rest))
        rest++;
    const size_t n = (size_t)(end - rest);
    if (n > UNIT_MAX)
        return say(q, " is followed by more than a unit; want %s", want);
    memcpy(q->unit, rest, n);
    q->unit[n] = '\0';
    return true;
}

static bool split_for(quantity *q, wi_dimension dimension)
{
    char want[64];
    snprintf(want, sizeof want, "%s %s such as %s", words[dimension].article, words[dimension].name,
             words[dimension].example);
    return split(q, want);
}

static const wi_unit *find_unit(const char *name)
{
    for (size_t i = 0; i < wi_units_count; i++)
        if (strcmp(wi_units[i].name, name) == 0)
            return &wi_units[i];
    return NULL;
}

/* Spellings that no count of edits finds. */
static const char *habit(const char *unit, wi_dimension dimension)
{
    static const struct {
        wi_dimension dimension;
        const char *habit, *right;
    } habits[] = {
        {WI_TIME, "m", "min or ms"}, {WI_TIME, "sec", "s"},       {WI_TIME, "secs", "s"},
        {WI_TIME, "second", "s"},    {WI_TIME, "seconds", "s"},   {WI_TIME, "usec", "us"},
        {WI_TIME, "msec", "ms"},     {WI_TIME, "nsec", "ns"},     {WI_TIME, "minute", "min"},
        {WI_TIME, "minutes", "min"}, {WI_TIME, "hr", "h"},        {WI_TIME, "hour", "h"},
        {WI_TIME, "hours", "h"},     {WI_TIME, "day", "d"},       {WI_TIME, "days", "d"},
        {WI_RATE, "b/s", "bps"},     {WI_RATE, "bit/s", "bps"},   {WI_RATE, "kb/s", "kbps"},
        {WI_RATE, "kbit/s", "kbps"}, {WI_RATE, "Mb/s", "Mbps"},   {WI_RATE, "Mbit/s", "Mbps"},
        {WI_RATE, "Gb/s", "Gbps"},   {WI_RATE, "Gbit/s", "Gbps"}, {WI_RATE, "Tbit/s", "Tbps"},
        {WI_RATE, "B/s", "Bps"},     {WI_RATE, "kB/s", "kBps"},   {WI_RATE, "MB/s", "MBps"},
        {WI_RATE, "GB/s", "GBps"},   {WI_RATE, "Mbit", "Mbps"},   {WI_RATE, "Gbit", "Gbps"},
        {WI_RATE, "Mb", "Mbps"},     {WI_RATE, "Gb", "Gbps"},     {WI_RATE, "M", "Mbps"},
        {WI_RATE, "G", "Gbps"},      {WI_SIZE, "byte", "B"},      {WI_SIZE, "bytes", "B"},
        {WI_SIZE, "k", "kB or KiB"}, {WI_SIZE, "K", "kB or KiB"}, {WI_SIZE, "M", "MB or MiB"},
        {WI_SIZE, "G", "GB or GiB"}, {WI_SHARE, "percent", "%"},
    };
    for (size_t i = 0; i < sizeof habits / sizeof *habits; i++)
        if (habits[i].dimension == dimension && strcmp(habits[i].habit, unit) == 0)
            return habits[i].right;
    return NULL;
}

static const char *suggestion(const char *unit, wi_dimension dimension)
{
    const char *right = habit(unit, dimension);
    if (right)
        return right;
    const char *names[64];
    size_t n = 0;
    for (size_t i = 0; i < wi_units_count && n < sizeof names / sizeof *names; i++)
        if (wi_units[i].dimension == dimension)
            names[n++] = wi_units[i].name;
    return wi_nearest(unit, names, n);
}

static bool wrong_unit(const quantity *q, wi_dimension dimension)
{
    const struct dimension_words *w = &words[dimension];
    if (q->unit[0] == '\0')
        return say(q, " has no unit; want %s %s such as %s", w->article, w->name, w->example);
    const wi_unit *unit = find_unit(q->unit);
    if (unit && unit->dimension == WI_BITS && dimension == WI_SIZE)
        return say(q, " counts bits; sizes are in bytes, with an upper-case B (%s)", w->units);
    if (unit && unit->dimension != WI_BITS)
        return say(q, " is %s %s; want %s %s such as %s", words[unit->dimension].article,
                   words[unit->dimension].name, w->article, w->name, w->example);
    if (q->unit[0] == '/' && find_unit(q->unit + 1) && find_unit(q->unit + 1)->dimension == WI_TIME)
        return say(q, " is a rate of events; want %s %s such as %s", w->article, w->name, w->example);
    const char *near = suggestion(q->unit, dimension);
    if (near)
        return say(q, ": unknown unit '%s' (did you mean %s?)", q->unit, near);
    return say(q, ": unknown unit '%s'; want %s %s in %s", q->unit, w->article, w->name, w->units);
}

/* digits * 10^exponent * factor, rounded half up; false when it exceeds max. */
static bool scale_exactly(const wi_decimal *d, uint64_t factor, uint64_t max, uint64_t *out)
{
    wide value = (wide)d->digits * factor; /* below 2^64 * 2^57 */
    int exponent = d->exponent;
    if (d->cut && exponent >= 0) /* more digits than any 64-bit number has */
        return false;
    for (; exponent > 0 && value != 0; exponent--) {
        if (value > max)
            return false;
        value *= 10;
    }
    if (exponent < 0) {
        wide divisor = 1;
        for (; exponent < 0 && divisor <= value; exponent++) /* past 2 * value the quotient rounds to 0 */
            divisor *= 10;
        if (exponent < 0)
            value = 0;
        else
            value = value / divisor + (value % divisor >= divisor - divisor / 2);
    }
    if (value > max)
        return false;
    *out = (uint64_t)value;
    return true;
}

/* What times, rates and sizes have in common: a number that is not negative, a unit, and an integer result.
 */
static bool parse_integer(quantity *q, wi_dimension dimension, uint64_t max, const char *largest,
                          uint64_t *out)
{
    if (!split_for(q, dimension))
        return false;
    const struct dimension_words *w = &words[dimension];
    const wi_unit *unit = find_unit(q->unit);
    if (!unit || unit->dimension != dimension)
        return wrong_unit(q, dimension);
    if (q->number.negative && q->number.digits != 0)
        return say(q, " is negative; want %s %s of 0 or more", w->article, w->name);
    uint64_t value;
    if (!scale_exactly(&q->number, unit->factor, max, &value))
        return say(q, " is too large; the largest %s is about %s", w->name, largest);
    if (value == 0 && q->number.digits != 0)
        return say(q, " is less than half of 1 %s, the smallest step",
                   dimension == WI_TIME   ? "ps"
                   : dimension == WI_RATE ? "bps"
                                          : "B");
    *out = value;
    return true;
}

bool weir_parse_time(const char *text, weir_time *out, char *why, size_t why_size)
{
    quantity q = {.text = text, .why = why, .why_size = why_size};
    uint64_t value = 0; /* gcc at -O3 cannot see that it is set */
    if (!parse_integer(&q, WI_TIME, WEIR_TIME_MAX, "106d", &value))
        return false;
    *out = (weir_time)value;
    return true;
}

bool weir_parse_rate(const char *text, uint64_t *out_bps, char *why, size_t why_size)
{
    quantity q = {.text = text, .why = why, .why_size = why_size};
    return parse_integer(&q, WI_RATE, UINT64_MAX, "18_000_000Tbps", out_bps);
}

bool weir_parse_size(const char *text, uint64_t *out_bytes, char *why, size_t why_size)
{
    quantity q = {.text = text, .why = why, .why_size = why_size};
    return parse_integer(&q, WI_SIZE, UINT64_MAX, "18_000_000TB", out_bytes);
}

bool weir_parse_share(const char *text, double *out, char *why, size_t why_size)
{
    quantity q = {.text = text, .why = why, .why_size = why_size};
    if (!split_for(&q, WI_SHARE))
        return false;
    const bool percent = strcmp(q.unit, "%") == 0;
    if (!percent && q.unit[0] != '\0')
        return wrong_unit(&q, WI_SHARE);
    if (percent)
        q.number.exponent -= 2;
    const double value = wi_decimal_to_double(&q.number);
    if (!(value >= 0 && value <= 1))
        return percent ? say(&q, " is not between 0%% and 100%%")
                       : say(&q, " is not between 0 and 1; want a share such as 30%% or 0.3");
    *out = value == 0 ? 0 : value; /* no negative zero */
    return true;
}

bool weir_parse_event_rate(const char *text, double *out_per_s, char *why, size_t why_size)
{
    quantity q = {.text = text, .why = why, .why_size = why_size};
    if (!split_for(&q, WI_EVENT_RATE))
        return false;
    const char *name = q.unit[0] == '/' ? q.unit + 1 : NULL;
    while (name && is_blank(*name))
        name++;
    const wi_unit *unit = name ? find_unit(name) : NULL;
    if (name && (!unit || unit->dimension != WI_TIME))
        return say(&q, ": unknown unit '%s'; want a rate of events in %s", q.unit,
                   words[WI_EVENT_RATE].units);
    if (!unit)
        return wrong_unit(&q, WI_EVENT_RATE);
    if (q.number.negative && q.number.digits != 0)
        return say(&q, " is negative; want a rate of events of 0 or more");
    /* The powers of ten up to a second go into the exponent, exactly; minutes and longer divide. */
    uint64_t factor = unit->factor;
    q.number.exponent += 12;
    for (; factor % 10 == 0; factor /= 10)
        q.number.exponent--;
    q.number.negative = false;
    const double value = wi_decimal_to_double(&q.number) / (double)factor;
    if (!isfinite(value))
        return say(&q, " is too large");
    *out_per_s = value;
    return true;
}

static bool without_unit(quantity *q, const char *want)
{
    if (!split(q, want))
        return false;
    if (q->unit[0] != '\0')
        return say(q, " has a unit, or something else, after the number; want %s", want);
    return true;
}

bool weir_parse_count(const char *text, uint64_t *out, char *why, size_t why_size)
{
    quantity q = {.text = text, .why = why, .why_size = why_size};
    if (!without_unit(&q, "a whole number such as 20"))
        return false;
    if (q.number.negative && q.number.digits != 0)
        return say(&q, " is negative; want a whole number of 0 or more");
    if (q.number.exponent < 0)
        return say(&q, " is not a whole number");
    if (!scale_exactly(&q.number, 1, UINT64_MAX, out))
        return say(&q, " is too large; the largest number is 18446744073709551615");
    return true;
}

bool weir_parse_number(const char *text, double *out, char *why, size_t why_size)
{
    quantity q = {.text = text, .why = why, .why_size = why_size};
    if (!without_unit(&q, "a number such as 0.5"))
        return false;
    const double value = wi_decimal_to_double(&q.number);
    if (!isfinite(value))
        return say(&q, " is too large");
    *out = value;
    return true;
}
