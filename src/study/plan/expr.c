/* Expressions: a recursive descent over the text, evaluated on the way. */
#include "study/plan/expr.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"

typedef struct parser {
    const char *at, *end, *text;
    weir_diag *diag;
    weir_place place;
    const wi_names *names;
    int depth;
    weir_status status;
} parser;

enum { DEPTH_MAX = 100, NAME_MAX_BYTES = 200 };

static const wi_value none = {.number = (double)NAN};

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
        return wi_value_number(f->of_pure(a.number));
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
    while (to < p->end && (wi_is_letter(*to) || wi_is_digit(*to) || *to == '.' ||
                           (*to == '-' && to + 1 < p->end && wi_is_letter(to[1]))))
        to++;
    const function *f = function_at(p, (size_t)(to - from));
    if (f)
        return call(p, f);
    for (size_t n = (size_t)(to - from); n > 0; n--) {
        if (from + n < to && from[n] != '-' && from[n] != '.')
            continue;
        if (p->names->lookup(p->names->user, from, n, &v) || wi_value_of_unit(from, n, &v)) {
            p->at = from + n;
            return v;
        }
    }
    char word[NAME_MAX_BYTES];
    snprintf(word, sizeof word, "%.*s", (int)(to - from), from);
    COMPLAIN(p, "%s: no parameter and no function is called '%s'%s", p->text, word,
             WI_HINT(word, p->names->known, p->names->n_known));
    return none;
}

static wi_value signed_value(parser *p);

static wi_value atom(parser *p)
{
    wi_value v = none;
    blanks(p);
    if (p->status != WEIR_OK)
        return none;
    if (wi_value_read(&p->at, p->end, &v))
        return v;
    if (p->at < p->end && wi_is_letter(*p->at))
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
        v = wi_value_number((v.number != 0.0) == (nots % 2 == 0));
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
            return wi_value_number(equal == (signs[i][0] == '='));
        if (v.text)
            COMPLAIN(p, "%s: texts can be compared by == and != alone", p->text);
        if (equal)
            return wi_value_number(signs[i][1] ? 1.0 : 0.0);
        return wi_value_number(signs[i][0] == '<' ? v.number < w.number : v.number > w.number);
    }
    return v;
}

static wi_value both(parser *p)
{
    wi_value v = compared(p);
    while (p->status == WEIR_OK && sign(p, "&&")) {
        const wi_value w = compared(p);
        v = wi_value_number(v.number != 0.0 && w.number != 0.0);
    }
    return v;
}

static wi_value either(parser *p)
{
    wi_value v = both(p);
    while (p->status == WEIR_OK && sign(p, "||")) {
        const wi_value w = both(p);
        v = wi_value_number(v.number != 0.0 || w.number != 0.0);
    }
    return v;
}

weir_status wi_expr_value(weir_diag *diag, weir_place place, const char *text, const wi_names *names,
                          wi_value *out)
{
    parser p = {
        .at = text, .end = text + strlen(text), .text = text, .diag = diag, .place = place, .names = names};
    *out = either(&p);
    blanks(&p);
    if (p.status == WEIR_OK && p.at < p.end)
        COMPLAIN(&p, "%s: nothing is known to do with '%s'", text, p.at);
    if (p.status == WEIR_OK && !out->text && isnan(out->number))
        COMPLAIN(&p, "%s: this is no number (a root of a negative one, or 0/0)", text);
    return p.status;
}
