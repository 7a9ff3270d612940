/* Reads a YAML tree into weir_scenario by the tables of schema.h. Nothing stops at the first error. */
#include "scenario/schema/schema.h"

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "base/nearest.h"

enum { KNOWN_MAX = 128, WORD_MAX = 32, LIST_MAX = 100000 };

void wi_complain(wi_reader *r, weir_place place, const char *fmt, ...)
{
    char text[1000];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    r->errors++;
    weir_fail_at(r->diag, WEIR_E_SCENARIO, place.file ? place.file : r->file, place.line, place.column, "%s",
                 text);
}

void *wi_reader_take(wi_reader *r, size_t n, size_t item_size)
{
    void *at = weir_arena_alloc(r->arena, n, item_size);
    if (!at)
        r->no_memory = true;
    return at;
}

const char *wi_article(const char *noun)
{
    return strchr("aeio", noun[0]) ? "an" : "a"; /* "a unit" */
}

weir_place wi_place_of(const wi_node *mapping, const char *key)
{
    const wi_node *child = wi_node_child(mapping, key);
    if (child)
        return child->place;
    return mapping ? mapping->place : (weir_place){0};
}

bool wi_want_scalar(wi_reader *r, const wi_key *key, const wi_node *node)
{
    char such[80] = "";
    if (key->kind->example)
        snprintf(such, sizeof such, " such as %s", key->kind->example);
    if (node->type != WI_SCALAR)
        wi_complain(r, node->place, "%s must be %s %s%s, not %s", key->name, wi_article(key->kind->what),
                    key->kind->what, such, wi_node_what(node));
    else if (wi_node_is_null(node))
        wi_complain(r, node->place, "%s has no value; want %s %s%s", key->name, wi_article(key->kind->what),
                    key->kind->what, such);
    else
        return true;
    return false;
}

void wi_unknown_word(wi_reader *r, const wi_key *key, const wi_node *node, const char *wants,
                     const char *const *known, size_t n)
{
    const char *near = node->type == WI_SCALAR ? wi_nearest(node->text, known, n) : NULL;
    if (near)
        wi_complain(r, node->place, "%s: unknown word '%s' (did you mean '%s'?); want %s", key->name,
                    node->text, near, wants);
    else if (node->type == WI_SCALAR && node->text[0])
        wi_complain(r, node->place, "%s: '%s' will not do; want %s", key->name, node->text, wants);
    else
        wi_complain(r, node->place, "%s cannot be %s; want %s", key->name,
                    node->type == WI_SCALAR ? "empty" : wi_node_what(node), wants);
}

const wi_key *wi_section_key(const wi_section *section, size_t i, size_t *base)
{
    *base = 0;
    if (i < section->n_keys)
        return &section->keys[i];
    i -= section->n_keys;
    if (section->mixin && i < section->mixin->n_keys) {
        *base = section->mixin_offset;
        return &section->mixin->keys[i];
    }
    return NULL;
}

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
    if (key->kind == &wi_kind_section)
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

static void read_list(wi_reader *r, const wi_key *key, const wi_node *node, void *at)
{
    const wi_section *section = key->section;
    if (node->type != WI_SEQUENCE) {
        wi_complain(r, node->place, "%s must be a list of sections (- %s: ...), not %s", key->name,
                    section->keys[0].name, wi_node_what(node));
        return;
    }
    if (node->n > LIST_MAX) {
        wi_complain(r, node->place, "%s has %zu items; want at most %d", key->name, node->n, LIST_MAX);
        return;
    }
    char *items = wi_reader_take(r, node->n, section->size);
    if (!items)
        return;
    char *owner = (char *)at - key->offset;
    size_t i = 0;
    for (const wi_node *child = node->first; child; child = child->next, i++) {
        if (wi_node_is_null(child))
            wi_complain(r, child->place, "item %zu of %s is empty", i, key->name);
        else
            wi_read_section(r, section, child, items + i * section->size, owner);
    }
    memcpy(at, &items, sizeof items);
    memcpy(owner + key->count_offset, &node->n, sizeof node->n);
}

static size_t list_count(const wi_key *key, const void *at)
{
    size_t n;
    memcpy(&n, (const char *)at - key->offset + key->count_offset, sizeof n);
    return n;
}

static bool list_given(const wi_key *key, const void *at)
{
    return list_count(key, at) > 0;
}

static void write_list(wi_writer *w, const wi_key *key, const void *at)
{
    const size_t n = list_count(key, at);
    const char *items;
    memcpy(&items, at, sizeof items);
    for (size_t i = 0; i < n; i++) {
        fprintf(w->out, "\n%*s-", 2 * w->depth, "");
        w->after_dash = true;
        w->depth++;
        wi_write_section(w, key->section, items + i * key->section->size);
        w->depth--;
    }
}

static void write_subsection(wi_writer *w, const wi_key *key, const void *at)
{
    wi_write_section(w, key->section, at);
}

static json_t *json_list(const wi_key *key, json_t *defs)
{
    return json_pack("{s:s, s:o}", "type", "array", "items", wi_json_section(key->section, defs));
}

static json_t *json_subsection(const wi_key *key, json_t *defs)
{
    return wi_json_section(key->section, defs);
}

static void read_subsection(wi_reader *r, const wi_key *key, const wi_node *node, void *at)
{
    wi_read_section(r, key->section, node, at, NULL);
}

const wi_kind wi_kind_section = {.what = "section",
                                 .block = true,
                                 .read = read_subsection,
                                 .write = write_subsection,
                                 .json = json_subsection};
const wi_kind wi_kind_list = {.what = "list of sections",
                              .block = true,
                              .read = read_list,
                              .write = write_list,
                              .given = list_given,
                              .json = json_list};
