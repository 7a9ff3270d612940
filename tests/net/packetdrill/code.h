/*
 * What scripts ask in %{ ... }%: assignments and assertions in Python's words, as far as they are expressions of numbers. An
 * assertion that names what weir does not keep is set aside by that name; other statements are named in `lacks`.
 */
#ifndef TESTS_NET_PACKETDRILL_CODE_H
#define TESTS_NET_PACKETDRILL_CODE_H

#include <math.h>

#include "net/packetdrill/script.h"

enum { PD_NAMES = 64 };

typedef struct pd_name {
    char name[32];
    double value;
} pd_name;

typedef struct pd_names {
    pd_name of[PD_NAMES];
    int n;
} pd_names;

typedef struct pd_formula {
    const char *at;
    const pd_names *names;
    char unknown[32]; /* a name without a value; empty: none */
    bool bad;         /* no formula of numbers */
} pd_formula;

static inline void pd_set(pd_names *names, const char *name, double value)
{
    int i = 0;
    while (i < names->n && strcmp(names->of[i].name, name) != 0)
        i++;
    if (i == PD_NAMES)
        return;
    names->n += i == names->n;
    snprintf(names->of[i].name, sizeof names->of[i].name, "%s", name);
    names->of[i].value = value;
}

static inline bool pd_accept(pd_formula *f, const char *token)
{
    const size_t n = strlen(token);
    while (isspace((unsigned char)*f->at))
        f->at++;
    if (strncmp(f->at, token, n) != 0)
        return false;
    if (isalpha((unsigned char)*token) && (isalnum((unsigned char)f->at[n]) || f->at[n] == '_'))
        return false;
    f->at += n;
    return true;
}

static inline double pd_any_of(pd_formula *f);

static inline double pd_name_or_call(pd_formula *f)
{
    char name[32];
    size_t n = 0;
    for (; (isalnum((unsigned char)*f->at) || *f->at == '_') && n + 1 < sizeof name; f->at++)
        name[n++] = *f->at;
    name[n] = 0;
    if (n == 0)
        f->bad = true;
    if (pd_accept(f, "(")) {
        double value = pd_any_of(f);
        while (pd_accept(f, ",")) {
            const double other = pd_any_of(f);
            value = strcmp(name, "min") == 0 ? fmin(value, other) : fmax(value, other);
        }
        if (!pd_accept(f, ")") || !strstr(" abs min max int float ", name))
            f->bad = true;
        return strcmp(name, "abs") == 0 ? fabs(value) : strcmp(name, "int") == 0 ? trunc(value) : value;
    }
    if (strcmp(name, "True") == 0 || strcmp(name, "False") == 0)
        return *name == 'T';
    for (int i = 0; i < f->names->n; i++)
        if (strcmp(f->names->of[i].name, name) == 0)
            return f->names->of[i].value;
    if (!*f->unknown)
        snprintf(f->unknown, sizeof f->unknown, "%s", name);
    return 0;
}

static inline double pd_factor(pd_formula *f)
{
    if (pd_accept(f, "(")) {
        const double value = pd_any_of(f);
        f->bad |= !pd_accept(f, ")");
        return value;
    }
    if (pd_accept(f, "-"))
        return -pd_factor(f);
    if (isdigit((unsigned char)*f->at) || *f->at == '.') {
        char *end;
        const bool hex = f->at[0] == '0' && (f->at[1] | 32) == 'x';
        const double value = hex ? (double)strtoull(f->at, &end, 16) : strtod(f->at, &end);
        f->at = end;
        return value;
    }
    return pd_name_or_call(f);
}

static inline double pd_product(pd_formula *f)
{
    double value = pd_factor(f);
    for (;;) {
        if (pd_accept(f, "//"))
            value = floor(value / pd_factor(f));
        else if (pd_accept(f, "*"))
            value *= pd_factor(f);
        else if (pd_accept(f, "/"))
            value /= pd_factor(f);
        else if (pd_accept(f, "%"))
            value = fmod(value, pd_factor(f));
        else
            return value;
    }
}

static inline double pd_sum(pd_formula *f)
{
    double value = pd_product(f);
    for (;;) {
        if (pd_accept(f, "<<"))
            value = ldexp(value, (int)pd_product(f));
        else if (pd_accept(f, "+"))
            value += pd_product(f);
        else if (pd_accept(f, "-"))
            value -= pd_product(f);
        else
            return value;
    }
}

/* a < b <= c, as Python chains them. */
static inline double pd_comparison(pd_formula *f)
{
    double left = pd_sum(f);
    bool all = true, compared = false;
    for (;; compared = true) {
        static const char *const signs[] = {"==", "!=", "<=", ">=", "<", ">"};
        size_t i = 0;
        while (i < 6 && !pd_accept(f, signs[i]))
            i++;
        if (i == 6)
            return compared ? all : left;
        const double right = pd_sum(f);
        const bool holds[] = {left == right, left != right, left <= right, left >= right,
                              left<right, left> right};
        all &= holds[i];
        left = right;
    }
}

static inline double pd_denied(pd_formula *f)
{
    return pd_accept(f, "not") ? !pd_comparison(f) : pd_comparison(f);
}

static inline double pd_all_of(pd_formula *f)
{
    double value = pd_denied(f);
    while (pd_accept(f, "and")) {
        const double other = pd_denied(f);
        value = value != 0 && other != 0;
    }
    return value;
}

static inline double pd_any_of(pd_formula *f)
{
    double value = pd_all_of(f);
    while (pd_accept(f, "or")) {
        const double other = pd_all_of(f);
        value = value != 0 || other != 0;
    }
    return value;
}

enum pd_verdict { PD_HOLDS, PD_FAILS, PD_ASIDE, PD_NO_NUMBERS };

/* Do one statement. `about` gets the name that is not known, or the statement. */
static inline enum pd_verdict pd_statement(pd_names *names, const char *text, char about[64])
{
    pd_formula f = {.at = text, .names = names};
    const char *end = text + strcspn(text, "=");
    snprintf(about, 64, "%.60s", text);
    if (pd_accept(&f, "print") || *text == 0)
        return PD_HOLDS;
    if (pd_accept(&f, "assert")) {
        const double value = pd_any_of(&f);
        if (*f.unknown)
            snprintf(about, 64, "%s", f.unknown);
        else if (f.bad)
            return PD_NO_NUMBERS;
        return *f.unknown ? PD_ASIDE : value != 0 ? PD_HOLDS : PD_FAILS;
    }
    char name[32] = "";
    if (*end != '=' || end[1] == '=' || sscanf(text, "%31[A-Za-z0-9_]", name) != 1)
        return PD_NO_NUMBERS;
    f.at = end + 1;
    const double value = pd_any_of(&f);
    if (f.bad)
        return PD_NO_NUMBERS;
    if (!*f.unknown)
        pd_set(names, name, value);
    return PD_HOLDS;
}

/* The next statement of `*text`, without its comment: up to a line's end or a semicolon outside quotes and parentheses. */
static inline bool pd_next_statement(const char **text, char *out, size_t size)
{
    size_t n = 0;
    int depth = 0;
    char quote = 0;
    const char *p = *text;
    while (isspace((unsigned char)*p) || *p == ';')
        p++;
    if (!*p)
        return false;
    for (; *p && (quote || depth > 0 || (*p != '\n' && *p != ';')); p++) {
        if (p[0] == '\\' && p[1] == '\n') { /* goes on in the next line */
            p++;
            continue;
        }
        if (!quote && *p == '#') {
            while (p[1] && p[1] != '\n')
                p++;
            continue;
        }
        if (quote ? *p == quote : *p == '"' || *p == '\'')
            quote = quote ? 0 : *p;
        depth += quote ? 0 : *p == '(' ? 1 : *p == ')' ? -1 : 0;
        if (n + 1 < size)
            out[n++] = *p;
    }
    while (n > 0 && isspace((unsigned char)out[n - 1]))
        n--;
    out[n] = 0;
    *text = p;
    return true;
}

#endif
