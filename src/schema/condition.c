/* Conditions, term by term; see the header. */
#include "schema/schema.h"

#include <stdio.h>
#include <string.h>
#include "base/memory.h"

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
    snprintf(out, WI_KEY_NAME_MAX, "%.*s", (int)((stop ? stop : end) - *at), *at);
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
    char word[WI_KEY_NAME_MAX];
    for (const char *at = t->words; wi_next_name(&at, t->words + t->words_size, '|', word);)
        if (same_value(key, text, word))
            return true;
    return false;
}

/* ---- of values in force ---- */

/* A value in force, as a file would say it; malloc'ed, null when memory is short. */
static char *text_in_force(const wi_key *key, const char *owner)
{
    char *text = NULL;
    size_t size = 0;
    wi_writer w = {.out = open_memstream(&text, &size), .flow = true};
    if (!w.out)
        return NULL;
    key->kind->write(&w, key, owner + key->offset);
    fclose(w.out);
    return text;
}

static bool term_in_force(const wi_section *section, const void *at, const wi_term *t)
{
    char name[WI_KEY_NAME_MAX];
    bool is = false;
    for (const char *path = t->path; !is && wi_next_name(&path, t->path + t->path_size, '|', name);) {
        wi_key_at k;
        for (size_t i = 0; wi_section_key(section, i, &k); i++) {
            if (strcmp(k.key->name, name) != 0 || !wi_key_picked(&k, at))
                continue;
            WI_FREED char *const text = t->words ? text_in_force(k.key, (const char *)at + k.base) : NULL;
            is = t->words ? wi_is_one_of(k.key, text, t)
                          : wi_key_given(k.section, k.key, (const char *)at + k.base);
            break;
        }
    }
    return is != t->negated;
}

static bool with_holds(const wi_section *section, const wi_key *key, const void *at)
{
    wi_term t;
    for (const char *path = key->with, *end = path ? path + strlen(path) : path;
         path && wi_next_term(&path, end, &t);)
        if (!term_in_force(section, at, &t))
            return false;
    return true;
}

/* A section that says where it stands, and does not: it was not given. */
static bool is_absent(const wi_key *key, const void *owner)
{
    const char *const at = (const char *)owner + key->offset;
    const size_t in = key->section ? key->section->place_offset : 0;
    if (!key->kind->is_section || key->always || key->required || (!key->place_offset && !in))
        return false;
    return !((const weir_place *)(key->place_offset ? (const char *)owner + key->place_offset : at + in))
                ->file;
}

bool wi_key_given(const wi_section *section, const wi_key *key, const void *owner)
{
    const void *at = (const char *)owner + key->offset;
    if ((section->hides && section->hides(key, owner)) || is_absent(key, owner) ||
        !with_holds(section, key, owner))
        return false;
    if (key->kind->storage != WI_NOT_SCALAR)
        return key->required || key->fallback ||
               wi_scalar_load(key->kind->storage, at) != (long double)key->absent;
    return !key->kind->given || key->kind->given(key, at);
}

/* ---- keys that are given and change nothing: warned of, as someone meant something by them ---- */

bool wi_is_fallback(const wi_section *section, const wi_node *value)
{
    for (size_t i = 0; i < section->n_keys; i++)
        if (strcmp(section->keys[i].name, value->key) == 0)
            return same_value(&section->keys[i], value->text, section->keys[i].fallback);
    return false;
}

const wi_node *wi_given(const wi_section *section, const wi_node *mapping, const char *name)
{
    const wi_node *value =
        mapping ? wi_node_child(mapping, name) : NULL; /* a resolved scenario gives all keys */
    return value && !wi_is_fallback(section, value) ? value : NULL;
}

void wi_warn_idle(wi_reader *r, const wi_node *value, const char *why)
{
    if (value)
        weir_warn_at(r->diag, WEIR_AT(value->key_place), "%s has no effect: %s", value->key, why);
}
