/* Reads a YAML tree into weir_scenario by the tables of schema.h. Nothing stops at the first error. */
#include "schema/schema.h"

#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"

enum { KNOWN_MAX = 128, WORD_MAX = 32, SECTIONS_MAX = 256, PATH_MAX_BYTES = 120 };

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

/* Adds the words of `also` to the known ones. `store` holds the texts, `keys` has the key of each. */
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

/* Where a key of this name stands below a section: up to three of those least deep, as "'tcp.size' or 'udp.size'". */
static bool key_below(const wi_section *section, const char *name, char *out, size_t room)
{
    struct {
        const wi_section *section;
        char path[PATH_MAX_BYTES];
        int depth;
    } *const seen = calloc(SECTIONS_MAX, sizeof *seen);
    size_t n = seen ? 1 : 0, found = 0, used = 0;
    int deep = 0;
    if (seen)
        seen[0].section = section;
    for (size_t at = 0; at < n && (found == 0 || seen[at].depth == deep); at++) {
        wi_key_at k;
        for (size_t i = 0; wi_section_key(seen[at].section, i, &k); i++) {
            if (at > 0 && found < 3 && used < room && strcmp(k.key->name, name) == 0) {
                deep = seen[at].depth;
                used += (size_t)snprintf(out + used, room - used, "%s'%s%s'", found ? " or " : "",
                                         seen[at].path, name);
                found++;
            }
            bool new = k.key->section &&n < SECTIONS_MAX;
            for (size_t j = 0; new &&j < n; j++)
                new = seen[j].section != k.key->section;
            if (!new)
                continue;
            seen[n].section = k.key->section;
            seen[n].depth = seen[at].depth + 1;
            snprintf(seen[n++].path, PATH_MAX_BYTES, "%.60s%.50s.", seen[at].path, k.key->name);
        }
    }
    free(seen);
    return found > 0;
}

static void unknown_key(wi_reader *r, const wi_section *section, const wi_node *child)
{
    const char *known[KNOWN_MAX], *means[KNOWN_MAX];
    char store[KNOWN_MAX][WORD_MAX];
    size_t n = 0;
    wi_key_at k;
    for (size_t i = 0; wi_section_key(section, i, &k) && n < KNOWN_MAX; i++) {
        known[n] = means[n] = k.key->name;
        n = add_aliases(k.key, known, means, store, n + 1);
    }
    const char *near = wi_nearest(child->key, known, n);
    char elsewhere[400] = "";
    const bool exact = near && strcmp(near, child->key) == 0;
    if (!exact &&
        (key_below(section, child->key, elsewhere, sizeof elsewhere) ||
         (!near && strlen(child->key) > 2 && key_below(r->top, child->key, elsewhere, sizeof elsewhere)))) {
        wi_complain(r, child->key_place, "unknown key '%s' in %s (did you mean %s?)", child->key,
                    section->name, elsewhere);
        return;
    }
    for (size_t i = 0; near && i < n; i++) {
        if (near == known[i] || strcmp(near, known[i]) == 0) {
            wi_complain(r, child->key_place, "unknown key '%s' in %s (did you mean '%s'?)", child->key,
                        section->name, means[i]);
            return;
        }
    }
    char list[400] = "";
    size_t used = 0;
    for (size_t i = 0; wi_section_key(section, i, &k) && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", k.key->name);
    wi_complain(r, child->key_place, "unknown key '%s' in %s; known are %s", child->key, section->name, list);
}

/* of: the section that `section` is a variant of; null: none. */
static void missing_key(wi_reader *r, const wi_section *section, const wi_section *of, const wi_key *key,
                        const wi_node *node)
{
    const weir_place place = node ? node->place : (weir_place){.file = r->file};
    char needs[80] = "", such[80] = "";
    if (of)
        snprintf(needs, sizeof needs, "; '%s: %s' needs it", of->variants->key, section->name);
    if (key->kind->example)
        snprintf(such, sizeof such, " (%s %s such as %s)", wi_article(key->kind->what), key->kind->what,
                 key->kind->example);
    wi_complain(r, place, "missing key '%s' in %s%s%s", key->name, of ? of->name : section->name, such,
                needs);
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

/* One key, of a section whose struct stands at `owner`; kept: what stands there already is its default. */
static void read_key(wi_reader *r, const wi_key_at *k, const wi_node *node, char *owner, bool kept)
{
    const wi_key *const key = k->key;
    const wi_node *child = wi_node_child(node, key->name);
    if (child)
        wi_read_value(r, key, child, owner);
    else if (key->required && !kept && !(key->unless && wi_node_child(node, key->unless)))
        missing_key(r, k->section, k->of, key, node);
    else if (!kept)
        read_default(r, key, owner);
}

/* The keys of the variant that is picked, of a section whose struct stands at `at`. before: what was picked in what
 * it inherits; negative: it inherits nothing. */
static void read_variant(wi_reader *r, const wi_section *section, const wi_node *node, char *at, int before)
{
    const wi_variants *const v = section->variants;
    const int now = wi_variant_of(v, at);
    if (now != before)
        memset(at + v->offset, 0, v->room);
    for (size_t i = 0; i < v->item[now]->n_keys; i++) {
        const wi_key_at k = {.key = &v->item[now]->keys[i], .section = v->item[now], .of = section};
        read_key(r, &k, node, at + v->offset, now == before);
    }
}

/* A key that belongs to another variant than the one picked. */
static void of_other_variant(wi_reader *r, const wi_node *child, const wi_key_at *k, const void *at)
{
    const wi_variants *const v = k->of->variants;
    const wi_section *const picked = v->item[wi_variant_of(v, (const char *)at + k->of_base)];
    char what[80];
    snprintf(what, sizeof what, v->what, picked->name);
    wi_complain(r, child->key_place, "%s means nothing to %s; add '%s: %s' or leave it out", child->key, what,
                v->key, k->section->name);
}

static void check_known(wi_reader *r, const wi_section *section, const wi_node *child, const void *at,
                        bool good)
{
    wi_key_at k, other = {0};
    for (size_t i = 0; wi_section_key(section, i, &k); i++) {
        if (strcmp(k.key->name, child->key) != 0)
            continue;
        if (wi_key_picked(&k, at))
            return;
        other = k;
    }
    if (!other.key)
        unknown_key(r, section, child);
    else if (good) /* else what picks may be wrong */
        of_other_variant(r, child, &other, at);
}

void wi_read_section(wi_reader *r, const wi_section *section, const wi_node *node, void *at,
                     const void *parent)
{
    const size_t errors = r->errors;
    const wi_section *const mixin = section->mixin;
    char *const mixed = (char *)at + section->mixin_offset;
    wi_key_at k;
    if (!r->top)
        r->top = section;
    if (!is_mapping(r, section, node))
        return;
    if (section->init)
        section->init(at, parent);
    if (node && section->place_offset)
        memcpy((char *)at + section->place_offset, &node->place, sizeof node->place);
    if (node && mixin && mixin->place_offset)
        memcpy(mixed + mixin->place_offset, &node->place, sizeof node->place);
    const int before =
        section->inherits && mixin && mixin->variants ? wi_variant_of(mixin->variants, mixed) : -1;
    for (size_t i = 0; wi_section_key(section, i, &k); i++) {
        if (!k.of)
            read_key(r, &k, node, (char *)at + k.base, section->inherits && k.mixin);
    }
    if (section->variants)
        read_variant(r, section, node, at, -1);
    if (mixin && mixin->variants)
        read_variant(r, mixin, node, mixed, before);
    const bool good = r->errors == errors;
    for (const wi_node *child = node ? node->first : NULL; child; child = child->next)
        check_known(r, section, child, at, good);
    if (r->errors == errors && section->one)
        check_one(r, section, node);
    if (r->errors == errors)
        wi_check_together(r, section, node);
    if (r->errors == errors && !r->no_memory) {
        if (mixin && mixin->check)
            mixin->check(r, node, mixed);
        if (section->check)
            section->check(r, node, at);
    }
}
