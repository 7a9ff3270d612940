/* Expressions: a recursive descent over the text, evaluated on the way. */
#include "study/expr.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units/decimal.h"
#include "base/nearest.h"
#include "output/number.h"
#include "weir/units.h"

typedef struct parser {
    const char *at, *end, *text;
    weir_diag *diag;
    weir_place place;
    wi_lookup lookup;
    void *user;
    const char *const *known;
    size_t n_known;
    int depth;
    weir_status status;
} parser;

enum { DEPTH_MAX = 100, NAME_MAX_BYTES = 200 };

static const wi_value none = {.number = (double)NAN};

static wi_value plain_number(double number)
{
    return (wi_value){.number = number};
}

#define COMPLAIN(p, ...)                                                                             \
    do {                                                                                             \
        if ((p)->status == WEIR_OK)                                                                  \
            (p)->status = weir_fail_at((p)->diag, WEIR_E_SCENARIO, (p)->place.file, (p)->place.line, \
                                       (p)->place.column, __VA_ARGS__);                              \
    } while (0)

static void blanks(parser *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' || *p->at == '\n'))
        p->at++;
}

/* Moves past a sign if it stands there. */
static bool sign(parser *p, const char *text)
{
    const size_t n = strlen(text);
    blanks(p);
    if ((size_t)(p->end - p->at) < n || strncmp(p->at, text, n) != 0)
        return false;
    p->at += n;
    return true;
}

/* ---- quantities ---- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* One of a unit, such as `ms` or `Mbps`. */
static bool unit_value(const char *name, size_t length, wi_value *out)
{
    char text[24];
    weir_time ps;
    uint64_t whole;
    if (length == 0 || length > sizeof text - 2)
        return false;
    snprintf(text, sizeof text, "1%.*s", (int)length, name);
    *out = plain_number(1.0);
    if (weir_parse_time(text, &ps, NULL, 0)) {
        out->number = (double)ps / 1e12;
        out->seconds = 1.0;
    } else if (weir_parse_rate(text, &whole, NULL, 0)) {
        out->number = (double)whole;
        out->seconds = -1.0;
        out->bits = 1.0;
    } else if (weir_parse_size(text, &whole, NULL, 0)) {
        out->number = 8.0 * (double)whole;
        out->bits = 1.0;
    } else {
        return false;
    }
    return true;
}

static size_t letters(const char *at, const char *end)
{
    const char *from = at;
    while (at < end && is_letter(*at))
        at++;
    return (size_t)(at - from);
}

/* Digits with a unit behind them, if any; false and nothing read where there is no number. A picosecond is no
 * exact double of seconds, so times are scaled last. */
static bool read_quantity(const char **at, const char *end, wi_value *out)
{
    const char *next = *at;
    double number;
    if (next >= end || !(is_digit(*next) || *next == '.') || !wi_read_double(&next, end, &number))
        return false;
    *out = plain_number(number);
    *at = next;
    if (next < end && *next == '%') {
        out->number = number / 100.0;
        *at = next + 1;
        return true;
    }
    while (next < end && *next == ' ')
        next++;
    wi_value unit;
    const size_t n = letters(next, end);
    if (!unit_value(next, n, &unit))
        return true;
    *out = unit;
    out->number =
        unit.seconds == 1.0 && unit.number < 1.0 ? number / round(1.0 / unit.number) : number * unit.number;
    *at = next + n;
    return true;
}

wi_value wi_value_of(const char *text)
{
    const char *at = text, *end = text + strlen(text);
    const bool negative = at < end && *at == '-';
    wi_value value, unit;
    at += negative;
    if (read_quantity(&at, end, &value)) {
        const char *slash = at;
        while (slash < end && *slash == ' ')
            slash++;
        if (slash + 1 < end && *slash == '/' && value.seconds == 0.0 && value.bits == 0.0 &&
            unit_value(slash + 1, (size_t)(end - slash - 1), &unit) && unit.bits == 0.0) {
            value.number /= unit.number;
            value.seconds = -1.0;
            at = end;
        }
        if (at == end) {
            value.number = negative ? -value.number : value.number;
            return value;
        }
    }
    const size_t n = strlen(text);
    const bool quoted = n >= 2 && (text[0] == '"' || text[0] == '\'') && text[n - 1] == text[0];
    return (wi_value){.text = text + quoted, .length = n - 2 * quoted, .number = (double)NAN};
}

const char *wi_value_what(const wi_value *v)
{
    if (v->text)
        return "a text";
    if (v->seconds == 0.0 && v->bits == 0.0)
        return "a number";
    if (v->seconds == 1.0 && v->bits == 0.0)
        return "a time";
    if (v->seconds == -1.0 && v->bits == 0.0)
        return "an event rate";
    if (v->seconds == 0.0 && v->bits == 1.0)
        return "a size";
    if (v->seconds == -1.0 && v->bits == 1.0)
        return "a rate";
    return "a quantity of a unit that no key has";
}

bool wi_value_format(const wi_value *v, char out[WI_VALUE_TEXT])
{
    char number[WI_NUMBER_MAX];
    if (v->text || !isfinite(v->number))
        return false;
    if (v->seconds == 1.0 && v->bits == 0.0 && v->number >= 0.0 && v->number < 9e6)
        weir_format_time((weir_time)llround(v->number * 1e12), out);
    else if (v->seconds == 0.0 && v->bits == 1.0 && v->number >= 0.0 && v->number < 1e19)
        weir_format_size((uint64_t)llround(v->number / 8.0), out);
    else if (v->seconds == -1.0 && v->bits == 1.0 && v->number >= 0.0 && v->number < 9e18)
        weir_format_rate((uint64_t)llround(v->number), out);
    else if (v->bits == 0.0 && (v->seconds == 0.0 || v->seconds == -1.0)) {
        wi_format_double(v->number, number);
        snprintf(out, WI_VALUE_TEXT, "%s%s", number, v->seconds != 0.0 ? "/s" : "");
    } else {
        return false;
    }
    return true;
}

bool wi_value_equal(const wi_value *a, const wi_value *b)
{
    if (a->text || b->text)
        return a->text && b->text && a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
    return a->seconds == b->seconds && a->bits == b->bits && a->number == b->number;
}

/* ---- names and functions ---- */

static wi_value either(parser *p);

static bool is_pure(const wi_value *v)
{
    return !v->text && v->seconds == 0.0 && v->bits == 0.0;
}

static bool alike(parser *p, const char *what, const wi_value *a, const wi_value *b)
{
    if (p->status != WEIR_OK)
        return false;
    if (!!a->text == !!b->text && (a->text || (a->seconds == b->seconds && a->bits == b->bits)))
        return true;
    COMPLAIN(p, "%s: %s takes two of a kind, not %s and %s", p->text, what, wi_value_what(a),
             wi_value_what(b));
    return false;
}

typedef struct function {
    const char *name;
    int n;
    double (*of_pure)(double); /* null: wants treatment of its own */
} function;

static const function functions[] = {{"sqrt", 1, NULL},   {"abs", 1, NULL},  {"round", 1, round},
                                     {"floor", 1, floor}, {"ceil", 1, ceil}, {"log2", 1, log2},
                                     {"ln", 1, log},      {"exp", 1, exp},   {"min", 2, NULL},
                                     {"max", 2, NULL},    {"mod", 2, NULL}};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static wi_value two(parser *p, const char *name, const wi_value *a, const wi_value *b)
{
    wi_value v = *a;
    if (!alike(p, name, a, b) || a->text)
        return none;
    v.number = strcmp(name, "min") == 0   ? fmin(a->number, b->number)
               : strcmp(name, "max") == 0 ? fmax(a->number, b->number)
                                          : fmod(a->number, b->number);
    return v;
}

static wi_value call(parser *p, const function *f)
{
    wi_value a = either(p), b = none;
    if (f->n == 2 && p->status == WEIR_OK && !sign(p, ","))
        COMPLAIN(p, "%s: %s wants two values: %s(a, b)", p->text, f->name, f->name);
    if (f->n == 2 && p->status == WEIR_OK)
        b = either(p);
    if (p->status == WEIR_OK && !sign(p, ")"))
        COMPLAIN(p, "%s: %s( has no closing bracket behind its value%s", p->text, f->name,
                 f->n == 2 ? "s" : "");
    if (p->status != WEIR_OK)
        return none;
    if (f->n == 2)
        return two(p, f->name, &a, &b);
    if (a.text || (f->of_pure && !is_pure(&a))) {
        COMPLAIN(p, "%s: %s takes a number, not %s", p->text, f->name, wi_value_what(&a));
        return none;
    }
    if (f->of_pure)
        return plain_number(f->of_pure(a.number));
    if (strcmp(f->name, "abs") == 0) {
        a.number = fabs(a.number);
        return a;
    }
    return (wi_value){.number = sqrt(a.number), .seconds = a.seconds / 2, .bits = a.bits / 2};
}

/* A function where a bracket follows: `min(` is none of the minutes. */
static const function *function_at(parser *p, size_t length)
{
    const char *from = p->at;
    for (size_t i = 0; i < FUNCTIONS; i++) {
        if (strlen(functions[i].name) != length || strncmp(from, functions[i].name, length) != 0)
            continue;
        p->at = from + length;
        if (sign(p, "("))
            return &functions[i];
        p->at = from;
    }
    return NULL;
}

/* The longest name that there is: `lp-size` before `lp` minus `size`. */
static wi_value named(parser *p)
{
    const char *from = p->at, *to = p->at;
    wi_value v;
    while (to < p->end && (is_letter(*to) || is_digit(*to) || *to == '.' ||
                           (*to == '-' && to + 1 < p->end && is_letter(to[1]))))
        to++;
    const function *f = function_at(p, (size_t)(to - from));
    if (f)
        return call(p, f);
    for (size_t n = (size_t)(to - from); n > 0; n--) {
        if (from + n < to && from[n] != '-' && from[n] != '.')
            continue;
        if (p->lookup(p->user, from, n, &v) || unit_value(from, n, &v)) {
            p->at = from + n;
            return v;
        }
    }
    char word[NAME_MAX_BYTES];
    snprintf(word, sizeof word, "%.*s", (int)(to - from), from);
    const char *near = wi_nearest(word, p->known, p->n_known);
    if (near)
        COMPLAIN(p, "%s: no parameter '%s' (did you mean '%s'?)", p->text, word, near);
    else
        COMPLAIN(p, "%s: no parameter and no function is called '%s'", p->text, word);
    return none;
}

static wi_value signed_value(parser *p);

static wi_value atom(parser *p)
{
    wi_value v = none;
    blanks(p);
    if (p->status != WEIR_OK)
        return none;
    if (read_quantity(&p->at, p->end, &v))
        return v;
    if (p->at < p->end && is_letter(*p->at))
        return named(p);
    if (p->at < p->end && (*p->at == '"' || *p->at == '\'')) {
        const char *close = memchr(p->at + 1, *p->at, (size_t)(p->end - p->at - 1));
        if (close) {
            v = (wi_value){.text = p->at + 1, .length = (size_t)(close - p->at - 1), .number = (double)NAN};
            p->at = close + 1;
            return v;
        }
    }
    if (!sign(p, "(")) {
        COMPLAIN(p,
                 p->at < p->end ? "%s: want a value where '%s' stands" : "%s: ends where a value is wanted%s",
                 p->text, p->at);
        return none;
    }
    v = either(p);
    if (p->status == WEIR_OK && !sign(p, ")"))
        COMPLAIN(p, "%s: a bracket is not closed", p->text);
    return v;
}

/* ---- operators, from those that bind most ---- */

/* All that nests comes through here. */
static wi_value unary(parser *p)
{
    if (p->depth > DEPTH_MAX) {
        COMPLAIN(p, "an expression is nested deeper than %d levels", DEPTH_MAX);
        return none;
    }
    p->depth++;
    const wi_value v = signed_value(p);
    p->depth--;
    return v;
}

static wi_value signed_value(parser *p)
{
    int minus = 0, nots = 0;
    for (;; blanks(p)) {
        blanks(p);
        if (sign(p, "-"))
            minus++;
        else if (p->at + 1 < p->end && *p->at == '!' && p->at[1] != '=' && sign(p, "!"))
            nots++;
        else
            break;
    }
    wi_value v = atom(p);
    if (sign(p, "^")) {
        const wi_value e = unary(p);
        if (p->status == WEIR_OK && (v.text || !is_pure(&e)))
            COMPLAIN(p, "%s: ^ takes a number behind it, not %s", p->text, wi_value_what(&e));
        v = (wi_value){
            .number = pow(v.number, e.number), .seconds = v.seconds * e.number, .bits = v.bits * e.number};
    }
    if ((minus || nots) && v.text)
        COMPLAIN(p, "%s: %s takes a number, not a text", p->text, minus ? "-" : "!");
    if (nots)
        v = plain_number((v.number != 0.0) == (nots % 2 == 0));
    if (minus % 2)
        v.number = -v.number;
    return v;
}

static wi_value product(parser *p)
{
    wi_value v = unary(p);
    while (p->status == WEIR_OK) {
        const double way = sign(p, "*") ? 1.0 : sign(p, "/") ? -1.0 : 0.0;
        if (way == 0.0)
            break;
        const wi_value w = unary(p);
        if (p->status == WEIR_OK && (v.text || w.text))
            COMPLAIN(p, "%s: a text cannot be multiplied or divided", p->text);
        v.number = way > 0 ? v.number * w.number : v.number / w.number;
        v.seconds += way * w.seconds;
        v.bits += way * w.bits;
    }
    return v;
}

static wi_value sum(parser *p)
{
    wi_value v = product(p);
    while (p->status == WEIR_OK) {
        const int way = sign(p, "+") ? 1 : sign(p, "-") ? -1 : 0;
        if (way == 0)
            break;
        const wi_value w = product(p);
        if (alike(p, way > 0 ? "+" : "-", &v, &w) && v.text)
            COMPLAIN(p, "%s: texts cannot be added", p->text);
        v.number += way * w.number;
    }
    return v;
}

static wi_value compared(parser *p)
{
    static const char *const signs[] = {"<=", ">=", "==", "!=", "<", ">", "="};
    const wi_value v = sum(p);
    for (size_t i = 0; p->status == WEIR_OK && i < sizeof signs / sizeof *signs; i++) {
        if (!sign(p, signs[i]))
            continue;
        const wi_value w = sum(p);
        if (!alike(p, signs[i], &v, &w))
            return none;
        const bool equal = wi_value_equal(&v, &w);
        if (signs[i][0] == '=' || signs[i][0] == '!')
            return plain_number(equal == (signs[i][0] == '='));
        if (v.text)
            COMPLAIN(p, "%s: texts can be compared by == and != alone", p->text);
        if (signs[i][1] && equal)
            return plain_number(1.0);
        return plain_number(signs[i][0] == '<' ? v.number < w.number : v.number > w.number);
    }
    return v;
}

static wi_value both(parser *p)
{
    wi_value v = compared(p);
    while (p->status == WEIR_OK && sign(p, "&&")) {
        const wi_value w = compared(p);
        v = plain_number(v.number != 0.0 && w.number != 0.0);
    }
    return v;
}

static wi_value either(parser *p)
{
    wi_value v = both(p);
    while (p->status == WEIR_OK && sign(p, "||")) {
        const wi_value w = both(p);
        v = plain_number(v.number != 0.0 || w.number != 0.0);
    }
    return v;
}

weir_status wi_expr_value(weir_diag *diag, weir_place place, const char *text, wi_lookup lookup, void *user,
                          const char *const *known, size_t n_known, wi_value *out)
{
    parser p = {.at = text,
                .end = text + strlen(text),
                .text = text,
                .diag = diag,
                .place = place,
                .lookup = lookup,
                .user = user,
                .known = known,
                .n_known = n_known};
    *out = either(&p);
    blanks(&p);
    if (p.status == WEIR_OK && p.at < p.end)
        COMPLAIN(&p, "%s: nothing is known to do with '%s'", text, p.at);
    if (p.status == WEIR_OK && !out->text && isnan(out->number))
        COMPLAIN(&p, "%s: this is no number (a root of a negative one, or 0/0)", text);
    return p.status;
}
