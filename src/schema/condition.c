/* Conditions, term by term; see the header. */
#include "schema/condition.h"

#include <stdio.h>
#include <string.h>

bool wi_next_term(const char **at, const char *end, wi_term *out)
{
    while (*at < end && **at == ' ')
        (*at)++;
    if (*at == end)
        return false;
    *out = (wi_term){.negated = **at == '!'};
    *at += out->negated;
    out->path = *at;
    while (*at < end && !strchr(" =!{", **at))
        (*at)++;
    out->path_size = (size_t)(*at - out->path);
    if (*at < end && **at == '{') {
        const char *const close = memchr(*at, '}', (size_t)(end - *at));
        out->items = *at + 1;
        out->items_size = (size_t)(close - out->items);
        *at = close + 1;
    } else if (*at < end && **at != ' ') {
        out->negated = **at == '!';
        *at += 1 + out->negated;
        out->words = *at;
        while (*at < end && **at != ' ')
            (*at)++;
        out->words_size = (size_t)(*at - out->words);
    }
    return true;
}

bool wi_next_name(const char **at, const char *end, char mark, char *out)
{
    if (*at >= end)
        return false;
    const char *const stop = memchr(*at, mark, (size_t)(end - *at));
    snprintf(out, WI_NAME_MAX, "%.*s", (int)((stop ? stop : end) - *at), *at);
    *at = stop ? stop + 1 : end;
    return true;
}

/* 200ms and 0.2s are the same. */
static bool same_value(const wi_key *key, const char *a, const char *b)
{
    long double x, y;
    if (!a || !b)
        return false;
    if (strcmp(a, b) == 0)
        return true;
    return key && key->kind->parse && key->kind->parse(a, &x, NULL, 0) && key->kind->parse(b, &y, NULL, 0) &&
           x == y;
}

bool wi_is_one_of(const wi_key *key, const char *text, const wi_term *t)
{
    char word[WI_NAME_MAX];
    for (const char *at = t->words; wi_next_name(&at, t->words + t->words_size, '|', word);)
        if (same_value(key, text, word))
            return true;
    return false;
}
