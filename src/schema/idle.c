/* Keys that are given and, beside the others, change nothing: warned of, as someone meant something by them. */
#include <string.h>

#include "schema/schema.h"

/* 200ms and 0.2s are the same. */
static bool same_value(const wi_key *key, const char *text)
{
    long double a, b;
    if (strcmp(text, key->fallback) == 0)
        return true;
    return key->kind->parse && key->kind->parse(text, &a, NULL, 0) &&
           key->kind->parse(key->fallback, &b, NULL, 0) && a == b;
}

bool wi_is_fallback(const wi_section *section, const wi_node *value)
{
    for (size_t i = 0; i < section->n_keys; i++)
        if (strcmp(section->keys[i].name, value->key) == 0)
            return section->keys[i].fallback && value->text && same_value(&section->keys[i], value->text);
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
        weir_warn_at(r->diag, value->key_place.file, value->key_place.line, value->key_place.column,
                     "%s has no effect: %s", value->key, why);
}
