/* Reads a YAML tree into weir_scenario by the tables of schema.h. Nothing stops at the first error. */
#include "scenario/schema/schema.h"

#include <stdint.h>
#include <string.h>

#include "base/nearest.h"

enum { KNOWN_MAX = 128, WORD_MAX = 32 };

static void read_default(wi_reader *r, const wi_key *key, void *section_at)
{
    const wi_node node = {.type = WI_SCALAR, .plain = true, .text = key->fallback};
    if (key->fallback)
        wi_read_value(r, key, &node, section_at);
    else if (key->always)
        wi_read_section(r, key->section, NULL, (char *)section_at + key->offset, section_at);
    else if (key->kind->storage != WI_NOT_SCALAR)
        wi_scalar_store(key->kind->storage, (char *)section_at + key->offset, key->absent);
}

void wi_read_value(wi_reader *r, const wi_key *key, const wi_node *node, void *section_at)
{
    if (key->place_offset)
        memcpy((char *)section_at + key->place_offset, &node->place, sizeof node->place);
    if (key->kind->is_section)
        wi_read_section(r, key->section, node, (char *)section_at + key->offset, section_at);
    else
        key->kind->read(r, key, node, (char *)section_at + key->offset);
}

/* Adds the words of `also` to the known ones. `store` holds the texts, `keys` tells whose they are. */
static size_t add_aliases(const wi_key *key, const char **known, const char **means, char store[][WORD_MAX],
                          size_t n)
{
    for (const char *at = key->also; at && *at && n < KNOWN_MAX;) {
        const size_t length = strcspn(at, " ");
        snprintf(store[n], WORD_MAX, "%.*s", (int)length, at);
        known[n] = store[n];
        means[n++] = key->name;
        at += length + strspn(at + length, " ");
    }
    return n;
}

static void unknown_key(wi_reader *r, const wi_section *section, const wi_node *child)
{
    const char *known[KNOWN_MAX], *means[KNOWN_MAX];
    char store[KNOWN_MAX][WORD_MAX];
    size_t n = 0, base;
    const wi_key *key;
    for (size_t i = 0; (key = wi_section_key(section, i, &base)) && n < KNOWN_MAX; i++) {
        known[n] = means[n] = key->name;
        n = add_aliases(key, known, means, store, n + 1);
    }
    const char *near = wi_nearest(child->key, known, n);
    for (size_t i = 0; near && i < n; i++) {
        if (near == known[i] || strcmp(near, known[i]) == 0) {
            wi_complain(r, child->key_place, "unknown key '%s' in %s (did you mean '%s'?)", child->key,
                        section->name, means[i]);
            return;
        }
    }
    char list[400] = "";
    size_t used = 0;
    for (size_t i = 0; (key = wi_section_key(section, i, &base)) && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", key->name);
    wi_complain(r, child->key_place, "unknown key '%s' in %s; known are %s", child->key, section->name, list);
}

static void missing_key(wi_reader *r, const wi_section *section, const wi_key *key, const wi_node *node)
{
    const weir_place place = node ? node->place : (weir_place){.file = r->file};
    if (key->kind->example)
        wi_complain(r, place, "missing key '%s' in %s (%s %s such as %s)", key->name, section->name,
                    wi_article(key->kind->what), key->kind->what, key->kind->example);
    else
        wi_complain(r, place, "missing key '%s' in %s", key->name, section->name);
}

/* A section of which one key is given, no more and no less. */
static void check_one(wi_reader *r, const wi_section *section, const wi_node *node)
{
    char list[400] = "";
    size_t used = 0;
    if (node && node->n == 1)
        return;
    for (size_t i = 0; i < section->n_keys && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s",
                                 i == 0                     ? ""
                                 : i + 1 == section->n_keys ? " and "
                                                            : ", ",
                                 section->keys[i].name);
    wi_complain(r, node ? node->place : (weir_place){.file = r->file},
                "%s: want one of %s, such as %s: {%s: {}}", section->name, list, section->name,
                section->keys[0].name);
}

static bool is_mapping(wi_reader *r, const wi_section *section, const wi_node *node)
{
    if (!node || node->type == WI_MAPPING || wi_node_is_null(node))
        return true;
    wi_complain(r, node->place, "%s must be a section of keys (%s: ...), not %s", section->name,
                section->keys[0].name, wi_node_what(node));
    return false;
}

void wi_read_section(wi_reader *r, const wi_section *section, const wi_node *node, void *at,
                     const void *parent)
{
    const size_t errors = r->errors;
    size_t base;
    const wi_key *key;
    if (!is_mapping(r, section, node))
        return;
    if (section->init)
        section->init(at, parent);
    if (node && section->place_offset)
        memcpy((char *)at + section->place_offset, &node->place, sizeof node->place);
    if (node && section->mixin && section->mixin->place_offset)
        memcpy((char *)at + section->mixin_offset + section->mixin->place_offset, &node->place,
               sizeof node->place);
    for (size_t i = 0; (key = wi_section_key(section, i, &base)); i++) {
        const wi_node *child = wi_node_child(node, key->name);
        const bool inherited = section->inherits && i >= section->n_keys;
        if (child)
            wi_read_value(r, key, child, (char *)at + base);
        else if (key->required && !(key->unless && wi_node_child(node, key->unless)))
            missing_key(r, section, key, node);
        else if (!inherited)
            read_default(r, key, (char *)at + base);
    }
    for (const wi_node *child = node ? node->first : NULL; child; child = child->next) {
        bool known = false;
        for (size_t i = 0; !known && (key = wi_section_key(section, i, &base)); i++)
            known = strcmp(key->name, child->key) == 0;
        if (!known)
            unknown_key(r, section, child);
    }
    if (r->errors == errors && section->one)
        check_one(r, section, node);
    if (r->errors == errors && !r->no_memory) {
        if (section->mixin && section->mixin->check)
            section->mixin->check(r, node, (char *)at + section->mixin_offset);
        if (section->check)
            section->check(r, node, at);
    }
}
