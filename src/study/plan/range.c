/* Ranges of values. */
#include "study/plan/range.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/source.h"
#include "output/number.h"
#include "weir/math.h"

enum { PART_MAX = 80, VALUES_MAX = 1000000 };

/* The dots of a range: behind a digit or a unit, so that `1...5` is none. */
static const char *dots(const char *text)
{
    const char *at = strstr(text, "..");
    return at && at > text && at[2] != '.' && at[-1] != '/' ? at : NULL;
}

static bool part(const char *from, const char *to, wi_value *out)
{
    static _Thread_local char text[PART_MAX];
    const wi_slice of = wi_trimmed(from, to);
    if (of.length == 0 || of.length >= sizeof text)
        return false;
    snprintf(text, sizeof text, "%.*s", (int)of.length, of.text);
    *out = wi_value_of(text);
    return out->text == NULL;
}

bool wi_range_is(const char *text)
{
    wi_value first;
    const char *at = dots(text);
    return at && part(text, at, &first);
}

typedef struct range {
    wi_value first, last, by;
    char way; /* 's'tep, 'l'og, 't'imes */
    bool whole;
} range;

static const char *word_at(const char *text, const char *word)
{
    const char *at = strstr(text, word);
    return at && at > text && at[-1] == ' ' ? at : NULL;
}

static bool is_whole(const wi_value *v)
{
    return v->seconds == 0.0 && v->bits == 0.0 && v->number == floor(v->number);
}

static bool take_apart(const char *text, range *r)
{
    static const struct {
        const char *word;
        char way;
    } ways[] = {{"step ", 's'}, {"log ", 'l'}, {"times ", 't'}};
    const char *at = dots(text), *end = text + strlen(text), *last_end = end, *by = NULL;
    *r = (range){.way = 0};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const char *word = word_at(at + 2, ways[i].word);
        if (!word)
            continue;
        r->way = ways[i].way;
        last_end = word;
        by = word + strlen(ways[i].word);
    }
    if (!by && end - text > 4 && strcmp(end - 4, " log") == 0) {
        r->way = 'l';
        last_end = end - 4;
    }
    return part(text, at, &r->first) && part(at + 2, last_end, &r->last) && (!by || part(by, end, &r->by));
}

static double four_digits(double value)
{
    char text[WI_NUMBER_MAX];
    snprintf(text, sizeof text, "%.4g", value);
    return strtod(text, NULL);
}

/* How many values, at least 1; 0: no range. */
static double count_of(const range *r)
{
    const double a = r->first.number, b = r->last.number, by = r->by.number;
    if (r->way == 'l')
        return by >= 2.0 && by == floor(by) && a > 0.0 && b > 0.0 ? by : 0.0;
    if (r->way == 't')
        return a > 0.0 && b > 0.0 && by > 1.0 ? floor(fabs(log(b / a)) / log(by) + 1e-9) + 1.0 : 0.0;
    return by > 0.0 ? floor(fabs(b - a) / by + 1e-9) + 1.0 : 0.0;
}

static double value_at(const range *r, double i, double n)
{
    const double a = r->first.number, b = r->last.number, by = r->by.number;
    const bool down = b < a;
    double value;
    if (i == 0.0 || (r->way == 'l' && i == n - 1.0))
        return i == 0.0 ? a : b;
    if (r->way == 'l')
        value = four_digits(a * pow(b / a, i / (n - 1.0)));
    else if (r->way == 't')
        value = wi_twelve_digits(down ? a / pow(by, i) : a * pow(by, i));
    else
        value = wi_twelve_digits(down ? a - i * by : a + i * by);
    return r->whole ? round(value) : value;
}

/* Somewhere in the i-th part. */
static double value_in(const range *r, double i, wi_strata *strata)
{
    const double a = r->first.number, b = r->last.number,
                 share = (i + weir_draw_unit(&strata->draws)) / strata->n;
    const double value = wi_twelve_digits(r->way == 'l' ? a * weir_pow(b / a, share) : a + share * (b - a));
    return r->whole ? round(value) : value;
}

static weir_status wrong(weir_diag *diag, weir_place p, const char *text, const char *why)
{
    return weir_fail_at(diag, WEIR_E_SCENARIO, WEIR_AT(p), "range '%s': %s", text, why);
}

weir_status wi_range_values(weir_diag *diag, weir_place place, const char *text, wi_strata *strata,
                            bool (*more)(void *user, const char *value), void *user)
{
    range r;
    char value[WI_VALUE_TEXT], last[WI_VALUE_TEXT] = "";
    if (!take_apart(text, &r))
        return wrong(diag, place, text, "want A..B step S, A..B log N (N values), or A..B times F");
    if (r.first.seconds != r.last.seconds || r.first.bits != r.last.bits)
        return wrong(diag, place, text, "its ends have units of different kinds");
    if (r.way == 's' && (r.by.seconds != r.first.seconds || r.by.bits != r.first.bits))
        return wrong(diag, place, text, "its step has a unit of another kind than its ends");
    if ((r.way == 'l' || r.way == 't') && (r.by.seconds != 0.0 || r.by.bits != 0.0))
        return wrong(diag, place, text, "want a number without unit behind log and times");
    r.whole = is_whole(&r.first) && is_whole(&r.last);
    const bool drawn = strata && r.by.number == 0.0 && (r.way ? r.way == 'l' : !r.whole);
    if (!r.way && !r.whole && !drawn)
        return wrong(
            diag, place, text,
            "say in which steps: A..B step S, log N or times F; or draw them: study.latin-hypercube");
    if (!r.way && !drawn)
        r.by.number = 1.0;
    r.whole = r.whole && (r.way != 's' || is_whole(&r.by)) && (r.way != 't' || is_whole(&r.by));
    const bool good = !drawn || (r.first.number != r.last.number &&
                                 (!r.way || (r.first.number > 0.0 && r.last.number > 0.0)));
    const double n = drawn && good ? strata->n : count_of(&r);
    if (!(n >= 1.0))
        return wrong(diag, place, text,
                     r.way == 'l'   ? "want ends above 0, and a number of values from 2 on behind log"
                     : r.way == 't' ? "want ends above 0, and a factor above 1 behind times"
                                    : "want a step above 0");
    if (n > VALUES_MAX)
        return wrong(diag, place, text, "more than a million values");
    for (double i = 0.0; i < n; i++) {
        wi_value v = r.first;
        v.number = drawn ? value_in(&r, i, strata) : value_at(&r, i, n);
        if (!wi_value_format(&v, value))
            return wrong(diag, place, text, "a value of it is in no range that a key can take");
        if (!drawn && strcmp(value, last) == 0) /* whole numbers of a log range may fall together */
            continue;
        memcpy(last, value, sizeof last);
        if (!more(user, value))
            return weir_fail(diag, WEIR_E_NOMEM, "no memory for the values of range '%s'", text);
    }
    return WEIR_OK;
}
