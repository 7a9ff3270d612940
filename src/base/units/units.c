/* Quantities: reading them, and their shortest exact spelling. One table of units serves all dimensions, so that a time
 * where a rate belongs is named as such. */
#include "weir/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/units/decimal.h"
#include "base/nearest.h"

enum { UNIT_MAX = 15, QUOTE_MAX = 40 };

typedef unsigned __int128 wide;

typedef enum dim { TIME, RATE, SIZE, SHARE, EVENT_RATE, BITS, DIMENSIONS } dim;

typedef struct unit_def {
    const char *name;
    dim dimension;
    uint64_t factor; /* in ps, bps, bytes, hundredths or bits */
} unit_def;

#define K UINT64_C(1000)
#define KI UINT64_C(1024)

/* A unit with the prefixes of ten, or those of two. */
#define DECIMAL(name, dimension, factor)                                                                 \
    {name, dimension, factor}, {"k" name, dimension, (factor)*K}, {"M" name, dimension, (factor)*K * K}, \
        {"G" name, dimension, (factor)*K * K * K},                                                       \
    {                                                                                                    \
        "T" name, dimension, (factor)*K *K *K *K                                                         \
    }
#define BINARY(name, dimension, factor)                                            \
    {"Ki" name, dimension, (factor)*KI}, {"Mi" name, dimension, (factor)*KI * KI}, \
        {"Gi" name, dimension, (factor)*KI * KI * KI},                             \
    {                                                                              \
        "Ti" name, dimension, (factor)*KI *KI *KI *KI                              \
    }

static const unit_def units[] = {
    {"ps", TIME, 1},
    {"ns", TIME, K},
    {"us", TIME, K *K},
    {"\xc2\xb5s", TIME, K *K}, /* micro sign */
    {"\xce\xbcs", TIME, K *K}, /* Greek mu */
    {"ms", TIME, K *K *K},
    {"s", TIME, K *K *K *K},
    {"min", TIME, 60 * K *K *K *K},
    {"h", TIME, 3600 * K *K *K *K},
    {"d", TIME, 86400 * K *K *K *K},

    DECIMAL("bps", RATE, 1),
    BINARY("bps", RATE, 1),
    DECIMAL("Bps", RATE, 8),
    BINARY("Bps", RATE, 8),
    DECIMAL("B", SIZE, 1),
    BINARY("B", SIZE, 1),
    {"%", SHARE, 1},

    /* Understood only to say that sizes are in bytes. */
    DECIMAL("b", BITS, 1),
    DECIMAL("bit", BITS, 1),
    {"bits", BITS, 1},
    BINARY("b", BITS, 1),
};
enum { UNITS = sizeof units / sizeof *units };
#undef K
#undef KI

/* How a dimension is called, in messages. */
static const struct dimension_words {
    const char *name, *article, *example, *units;
} words[DIMENSIONS] = {
    [TIME] = {"time", "a", "5ms", "ps, ns, us, ms, s, min, h, d"},
    [RATE] = {"rate", "a", "10Mbps", "bps, kbps, Mbps, Gbps, Tbps, Kibps .. Tibps, or with B for bytes"},
    [SIZE] = {"size", "a", "64KiB", "B, kB, MB, GB, TB, KiB, MiB, GiB, TiB"},
    [SHARE] = {"share", "a", "30% or 0.3", "%"},
    [EVENT_RATE] = {"rate of events", "a", "200/s", "/ps .. /s, /min, /h, /d"},
    [BITS] = {"number of bits", "a", "", ""},
};

/* The text of one quantity in parts, and where to complain. */
typedef struct quantity {
    const char *text; /* as given, for messages */
    wi_decimal number;
    char unit[UNIT_MAX + 1]; /* empty: none */
    char *why;
    size_t why_size;
} quantity;

/* Write why a text is refused, after the text itself; returns false. */
static bool refuse(const quantity *q, const char *fmt, ...) WEIR_PRINTF(2, 3);
static bool refuse(const quantity *q, const char *fmt, ...)
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
        return refuse(q, " is empty; want %s", want);
    const char *rest = wi_decimal_read(p, end, &q->number);
    if (!rest)
        return refuse(q, " does not begin with a number; want %s", want);
    if (rest < end && *rest == ',')
        return refuse(q, " has a comma; the decimal point is '.'");
    while (rest < end && is_blank(*rest))
        rest++;
    const size_t n = (size_t)(end - rest);
    if (n > UNIT_MAX)
        return refuse(q, " is followed by more than a unit; want %s", want);
    memcpy(q->unit, rest, n);
    q->unit[n] = '\0';
    return true;
}

static bool split_for(quantity *q, dim dimension)
{
    char want[64];
    snprintf(want, sizeof want, "%s %s such as %s", words[dimension].article, words[dimension].name,
             words[dimension].example);
    return split(q, want);
}

static const unit_def *find_unit(const char *name)
{
    for (size_t i = 0; i < UNITS; i++)
        if (strcmp(units[i].name, name) == 0)
            return &units[i];
    return NULL;
}

/* Spellings that no count of edits finds. */
static const char *habit(const char *unit, dim dimension)
{
    static const struct {
        dim dimension;
        const char *habit, *right;
    } habits[] = {
        {TIME, "m", "min or ms"}, {TIME, "sec", "s"},       {TIME, "secs", "s"},
        {TIME, "second", "s"},    {TIME, "seconds", "s"},   {TIME, "usec", "us"},
        {TIME, "msec", "ms"},     {TIME, "nsec", "ns"},     {TIME, "minute", "min"},
        {TIME, "minutes", "min"}, {TIME, "hr", "h"},        {TIME, "hour", "h"},
        {TIME, "hours", "h"},     {TIME, "day", "d"},       {TIME, "days", "d"},
        {RATE, "b/s", "bps"},     {RATE, "bit/s", "bps"},   {RATE, "kb/s", "kbps"},
        {RATE, "kbit/s", "kbps"}, {RATE, "Mb/s", "Mbps"},   {RATE, "Mbit/s", "Mbps"},
        {RATE, "Gb/s", "Gbps"},   {RATE, "Gbit/s", "Gbps"}, {RATE, "Tbit/s", "Tbps"},
        {RATE, "B/s", "Bps"},     {RATE, "kB/s", "kBps"},   {RATE, "MB/s", "MBps"},
        {RATE, "GB/s", "GBps"},   {RATE, "Mbit", "Mbps"},   {RATE, "Gbit", "Gbps"},
        {RATE, "Mb", "Mbps"},     {RATE, "Gb", "Gbps"},     {RATE, "M", "Mbps"},
        {RATE, "G", "Gbps"},      {SIZE, "byte", "B"},      {SIZE, "bytes", "B"},
        {SIZE, "k", "kB or KiB"}, {SIZE, "K", "kB or KiB"}, {SIZE, "M", "MB or MiB"},
        {SIZE, "G", "GB or GiB"}, {SHARE, "percent", "%"},
    };
    for (size_t i = 0; i < sizeof habits / sizeof *habits; i++)
        if (habits[i].dimension == dimension && strcmp(habits[i].habit, unit) == 0)
            return habits[i].right;
    return NULL;
}

static const char *suggestion(const char *unit, dim dimension)
{
    const char *right = habit(unit, dimension);
    if (right)
        return right;
    const char *names[64];
    size_t n = 0;
    for (size_t i = 0; i < UNITS && n < sizeof names / sizeof *names; i++)
        if (units[i].dimension == dimension)
            names[n++] = units[i].name;
    return wi_nearest(unit, names, n);
}

static bool wrong_unit(const quantity *q, dim dimension)
{
    const struct dimension_words *w = &words[dimension];
    if (q->unit[0] == '\0')
        return refuse(q, " has no unit; want %s %s such as %s", w->article, w->name, w->example);
    const unit_def *unit = find_unit(q->unit);
    if (unit && unit->dimension == BITS && dimension == SIZE)
        return refuse(q, " counts bits; sizes are in bytes, with an upper-case B (%s)", w->units);
    if (unit && unit->dimension != BITS)
        return refuse(q, " is %s %s; want %s %s such as %s", words[unit->dimension].article,
                      words[unit->dimension].name, w->article, w->name, w->example);
    if (q->unit[0] == '/' && find_unit(q->unit + 1) && find_unit(q->unit + 1)->dimension == TIME)
        return refuse(q, " is a rate of events; want %s %s such as %s", w->article, w->name, w->example);
    const char *near = suggestion(q->unit, dimension);
    if (near)
        return refuse(q, ": unknown unit '%s' (did you mean %s?)", q->unit, near);
    return refuse(q, ": unknown unit '%s'; want %s %s in %s", q->unit, w->article, w->name, w->units);
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
static bool parse_integer(quantity *q, dim dimension, uint64_t max, const char *largest, uint64_t *out)
{
    if (!split_for(q, dimension))
        return false;
    const struct dimension_words *w = &words[dimension];
    const unit_def *unit = find_unit(q->unit);
    if (!unit || unit->dimension != dimension)
        return wrong_unit(q, dimension);
    if (q->number.negative && q->number.digits != 0)
        return refuse(q, " is negative; want %s %s of 0 or more", w->article, w->name);
    uint64_t value;
    if (!scale_exactly(&q->number, unit->factor, max, &value))
        return refuse(q, " is too large; the largest %s is about %s", w->name, largest);
    if (value == 0 && q->number.digits != 0)
        return refuse(q, " is less than half of 1 %s, the smallest step",
                      dimension == TIME   ? "ps"
                      : dimension == RATE ? "bps"
                                          : "B");
    *out = value;
    return true;
}

bool weir_parse_time(const char *text, weir_time *out, char *why, size_t why_size)
{
    quantity q = {.text = text, .why = why, .why_size = why_size};
    uint64_t value = 0; /* gcc at -O3 cannot see that it is set */
    if (!parse_integer(&q, TIME, WEIR_TIME_MAX, "106d", &value))
        return false;
    *out = (weir_time)value;
    return true;
}

bool weir_parse_rate(const char *text, uint64_t *out_bps, char *why, size_t why_size)
{
    quantity q = {.text = text, .why = why, .why_size = why_size};
    return parse_integer(&q, RATE, UINT64_MAX, "18_000_000Tbps", out_bps);
}

bool weir_parse_size(const char *text, uint64_t *out_bytes, char *why, size_t why_size)
{
    quantity q = {.text = text, .why = why, .why_size = why_size};
    return parse_integer(&q, SIZE, UINT64_MAX, "18_000_000TB", out_bytes);
}

bool weir_parse_share(const char *text, double *out, char *why, size_t why_size)
{
    quantity q = {.text = text, .why = why, .why_size = why_size};
    if (!split_for(&q, SHARE))
        return false;
    const bool percent = strcmp(q.unit, "%") == 0;
    if (!percent && q.unit[0] != '\0')
        return wrong_unit(&q, SHARE);
    if (percent)
        q.number.exponent -= 2;
    const double value = wi_decimal_to_double(&q.number);
    if (!(value >= 0 && value <= 1))
        return percent ? refuse(&q, " is not between 0%% and 100%%")
                       : refuse(&q, " is not between 0 and 1; want a share such as 30%% or 0.3");
    *out = value == 0 ? 0 : value; /* no negative zero */
    return true;
}

bool weir_parse_event_rate(const char *text, double *out_per_s, char *why, size_t why_size)
{
    quantity q = {.text = text, .why = why, .why_size = why_size};
    if (!split_for(&q, EVENT_RATE))
        return false;
    const char *name = q.unit[0] == '/' ? q.unit + 1 : NULL;
    while (name && is_blank(*name))
        name++;
    const unit_def *unit = name ? find_unit(name) : NULL;
    if (name && (!unit || unit->dimension != TIME))
        return refuse(&q, ": unknown unit '%s'; want a rate of events in %s", q.unit,
                      words[EVENT_RATE].units);
    if (!unit)
        return wrong_unit(&q, EVENT_RATE);
    if (q.number.negative && q.number.digits != 0)
        return refuse(&q, " is negative; want a rate of events of 0 or more");
    /* The powers of ten up to a second go into the exponent, exactly; minutes and longer divide. */
    uint64_t factor = unit->factor;
    q.number.exponent += 12;
    for (; factor % 10 == 0; factor /= 10)
        q.number.exponent--;
    q.number.negative = false;
    const double value = wi_decimal_to_double(&q.number) / (double)factor;
    if (!isfinite(value))
        return refuse(&q, " is too large");
    *out_per_s = value;
    return true;
}

static bool without_unit(quantity *q, const char *want)
{
    if (!split(q, want))
        return false;
    if (q->unit[0] != '\0')
        return refuse(q, " has a unit, or something else, after the number; want %s", want);
    return true;
}

bool weir_parse_count(const char *text, uint64_t *out, char *why, size_t why_size)
{
    quantity q = {.text = text, .why = why, .why_size = why_size};
    if (!without_unit(&q, "a whole number such as 20"))
        return false;
    if (q.number.negative && q.number.digits != 0)
        return refuse(&q, " is negative; want a whole number of 0 or more");
    if (q.number.exponent < 0)
        return refuse(&q, " is not a whole number");
    if (!scale_exactly(&q.number, 1, UINT64_MAX, out))
        return refuse(&q, " is too large; the largest number is 18446744073709551615");
    return true;
}

bool weir_parse_number(const char *text, double *out, char *why, size_t why_size)
{
    quantity q = {.text = text, .why = why, .why_size = why_size};
    if (!without_unit(&q, "a number such as 0.5"))
        return false;
    const double value = wi_decimal_to_double(&q.number);
    if (!isfinite(value))
        return refuse(&q, " is too large");
    *out = value;
    return true;
}

/* ---- spelling ---- */

enum { DIGITS_MAX = 19 }; /* the parser keeps at least these */

/* value / factor as a decimal, when it ends within the digits that the parser keeps. */
static bool write_ratio(uint64_t value, uint64_t factor, const char *unit, char *out)
{
    int at = snprintf(out, WEIR_UNITS_TEXT, "%" PRIu64, value / factor);
    uint64_t rest = value % factor;
    int digits = value >= factor ? at : 0;
    if (rest)
        out[at++] = '.';
    while (rest) {
        if (digits == DIGITS_MAX || at > 25)
            return false;
        rest *= 10; /* factors are below 10^17 */
        out[at++] = (char)('0' + rest / factor);
        rest %= factor;
        digits++;
    }
    snprintf(out + at, (size_t)(WEIR_UNITS_TEXT - at), "%s", unit);
    return true;
}

/* Shorter wins; then one without a fraction; then the larger unit. */
static bool better(const char *text, const char *than)
{
    const size_t a = strlen(text), b = strlen(than);
    if (b == 0 || a != b)
        return b == 0 || a < b;
    const bool fraction = strchr(text, '.') != NULL;
    return !fraction || strchr(than, '.') != NULL;
}

static char *shortest(uint64_t value, dim dimension, const char *base_unit, bool bytes, char *out)
{
    char best[WEIR_UNITS_TEXT] = "", text[WEIR_UNITS_TEXT];
    if (value == 0)
        snprintf(best, sizeof best, "0%s", base_unit);
    for (size_t i = 0; i < UNITS && value != 0; i++) {
        const unit_def *unit = &units[i];
        const bool other = unit->dimension != dimension || (unsigned char)unit->name[0] >= 0x80 ||
                           (!bytes && (strchr(unit->name, 'B') || strchr(unit->name, 'i')));
        if (!other && write_ratio(value, unit->factor, unit->name, text) && better(text, best))
            memcpy(best, text, sizeof best);
    }
    return memcpy(out, best, sizeof best);
}

char *weir_format_time(weir_time t_ps, char *out)
{
    char text[WEIR_UNITS_TEXT];
    const bool negative = t_ps < 0;
    const uint64_t size = negative ? 0 - (uint64_t)t_ps : (uint64_t)t_ps;
    shortest(size, TIME, "s", true, text);
    snprintf(out, WEIR_UNITS_TEXT, "%s%.*s", negative ? "-" : "", WEIR_UNITS_TEXT - 2, text);
    return out;
}

char *weir_format_rate(uint64_t rate_bps, char *out)
{
    return shortest(rate_bps, RATE, "bps", false, out);
}

char *weir_format_size(uint64_t bytes, char *out)
{
    return shortest(bytes, SIZE, "B", true, out);
}
