/* Words of SNDlib's native format; see sndlib_lexer.h. */
#include "topology/read/sndlib_lexer.h"

#include <string.h>

#include "base/file/source.h"
#include "base/nearest.h"

wi_sndlib_lexer wi_sndlib_text(const char *text, size_t length, int line)
{
    return (wi_sndlib_lexer){.at = text, .end = text + length, .line_start = text, .line = line};
}

void wi_sndlib_new_line(wi_sndlib_lexer *l)
{
    l->at++;
    l->line++;
    l->line_start = l->at;
}

static void skip_blanks(wi_sndlib_lexer *l)
{
    while (l->at < l->end) {
        if (*l->at == '\n')
            wi_sndlib_new_line(l);
        else if (wi_is_blank(*l->at))
            l->at++;
        else if (*l->at == '#')
            while (l->at < l->end && *l->at != '\n')
                l->at++;
        else
            break;
    }
}

/* A quoted word ends at its quote or, unclosed, at the end of the line. */
static void quoted_word(wi_sndlib_lexer *l, wi_sndlib_token *t)
{
    t->text = ++l->at;
    while (l->at < l->end && *l->at != '"' && *l->at != '\n')
        l->at++;
    t->length = (size_t)(l->at - t->text);
    t->unclosed = l->at == l->end || *l->at != '"';
    if (!t->unclosed)
        l->at++;
}

static bool ends_word(char c)
{
    return c == '\n' || wi_is_blank(c) || c == '(' || c == ')';
}

wi_sndlib_token wi_sndlib_next(wi_sndlib_lexer *l)
{
    skip_blanks(l);
    wi_sndlib_token t = {
        .line = l->line, .column = (int)(l->at - l->line_start) + 1, .text = l->at, .length = 1};
    if (l->at == l->end) {
        t.type = WI_SNDLIB_END;
    } else if (*l->at == '(' || *l->at == ')') {
        t.type = *l->at++ == '(' ? WI_SNDLIB_OPEN : WI_SNDLIB_CLOSE;
    } else if (*l->at == '"') {
        t.type = WI_SNDLIB_WORD;
        quoted_word(l, &t);
    } else {
        t.type = WI_SNDLIB_WORD;
        while (l->at < l->end && !ends_word(*l->at))
            l->at++;
        t.length = (size_t)(l->at - t.text);
    }
    return t;
}

bool wi_sndlib_is(const wi_sndlib_token *t, const char *word)
{
    return t->type == WI_SNDLIB_WORD && t->length == strlen(word) && memcmp(t->text, word, t->length) == 0;
}

bool wi_sndlib_is_title(const char *line, size_t length)
{
    static const char title[] = "?SNDlib native format";
    return length >= sizeof title - 1 && memcmp(line, title, sizeof title - 1) == 0;
}

/* SNDlib's documents have BITPERSEC; files have the plural too. */
static const struct {
    const char *name;
    double bps;
} units[] = {{"MBITPERSEC", 1e6}, {"BITSPERSEC", 1},    {"BITPERSEC", 1},
             {"KBITPERSEC", 1e3}, {"KBITSPERSEC", 1e3}, {"MBITSPERSEC", 1e6},
             {"GBITPERSEC", 1e9}, {"GBITSPERSEC", 1e9}, {"TBITPERSEC", 1e12}};
enum { N_UNITS = sizeof units / sizeof *units };

double wi_sndlib_unit(const char *word, size_t length)
{
    for (size_t i = 0; i < N_UNITS; i++)
        if (length == strlen(units[i].name) && memcmp(word, units[i].name, length) == 0)
            return units[i].bps;
    return 0.0;
}

const char *wi_sndlib_nearest_unit(const char *word)
{
    const char *known[N_UNITS];
    for (size_t i = 0; i < N_UNITS; i++)
        known[i] = units[i].name;
    const char *const near = wi_nearest(word, known, N_UNITS);
    return near ? near : "MBITPERSEC";
}
