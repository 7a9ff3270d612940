/* JSON Schema of scenario files, from the same tables, for editors that complete and check YAML. */
#include "schema/schema.h"

#include <stdlib.h>
#include <string.h>
#include <math.h>

/* JSON from a text with ' for ". */
static json_t *json_of(const char *quoted)
{
    char *text = strdup(quoted);
    for (char *c = text; c && *c; c++)
        *c = *c == '\'' ? '"' : *c;
    json_t *json = text ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;
    free(text);
    return json;
}

json_t *wi_json_kind(const wi_key *key, json_t *defs)
{
    return key->kind->json ? key->kind->json(key, defs) : json_of(key->kind->schema);
}

json_t *wi_json_value(const wi_key *key, json_t *defs)
{
    json_t *schema = wi_json_kind(key, defs);
    if (key->doc)
        json_object_set_new(schema, "description", json_string(key->doc));
    if (key->fallback && (strcmp(key->fallback, "true") == 0 || strcmp(key->fallback, "false") == 0))
        json_object_set_new(schema, "default", json_boolean(strcmp(key->fallback, "true") == 0));
    else if (key->fallback)
        json_object_set_new(schema, "default", json_string(key->fallback));
    return schema;
}

/* Keys of one name in several variants: any of them. */
static void add_property(json_t *properties, const wi_key *key, json_t *defs)
{
    json_t *const before = json_object_get(properties, key->name), *const value = wi_json_value(key, defs);
    if (before && !json_equal(before, value))
        json_object_set_new(properties, key->name, json_pack("{s:[O, o]}", "anyOf", before, value));
    else
        json_object_set_new(properties, key->name, value);
}

/* Is this variant the one named? */
static json_t *is_variant(const wi_variants *v, size_t i)
{
    return json_pack("{s:s, s:[s], s:{s:{s:s}}}", "type", "object", "required", v->key, "properties", v->key,
                     "const", v->item[i]->name);
}

static bool has_key(const wi_section *section, const char *name)
{
    for (size_t i = 0; i < section->n_keys; i++)
        if (strcmp(section->keys[i].name, name) == 0)
            return true;
    return false;
}

/* With this variant the keys of others are none; `needs`: and its own that are required are there. */
static json_t *only_variant(const wi_variants *v, size_t picked, bool needs)
{
    json_t *refused = json_object(), *required = json_array();
    for (size_t i = 0; i < v->n; i++)
        for (size_t k = 0; k < v->item[i]->n_keys; k++)
            if (i != picked && !has_key(v->item[picked], v->item[i]->keys[k].name))
                json_object_set_new(refused, v->item[i]->keys[k].name, json_false());
    for (size_t k = 0; needs && k < v->item[picked]->n_keys; k++)
        if (v->item[picked]->keys[k].required)
            json_array_append_new(required, json_string(v->item[picked]->keys[k].name));
    return json_pack("{s:o, s:o}", "properties", refused, "required", required);
}

/* Adds to `rules` what the variants of a section allow, where `otherwise` is picked without a word; inherits: with
 * what it needs. */
static void add_variant_rules(json_t *rules, const wi_variants *v, size_t otherwise, bool inherits)
{
    for (size_t i = 0; i < v->n; i++)
        json_array_append_new(rules, json_pack("{s:o, s:o}", "if", is_variant(v, i), "then",
                                               only_variant(v, i, !(inherits && i == otherwise))));
    json_array_append_new(rules, json_pack("{s:{s:{s:[s]}}, s:o}", "if", "not", "required", v->key, "then",
                                           only_variant(v, otherwise, !inherits)));
}

/* A list whose items inherit the variant of another key of the section, the first of the items' mixin. */
static void add_inherited_rules(json_t *rules, const wi_section *section, const wi_key *list)
{
    const wi_variants *const v = list->section->mixin->variants;
    const char *from = NULL;
    for (size_t i = section->n_keys; i-- > 0;)
        from = section->keys[i].section == list->section->mixin ? section->keys[i].name : from;
    json_t *others = json_array();
    for (size_t i = 1; from && i <= v->n;
         i++) { /* the variant that needs no word comes last: none of the others */
        json_t *items = json_array();
        add_variant_rules(items, v, i % v->n, true);
        json_t *const is =
            i < v->n ? json_pack("{s:[s], s:{s:o}}", "required", from, "properties", from, is_variant(v, i))
                     : json_pack("{s:{s:O}}", "not", "anyOf", others);
        if (i < v->n)
            json_array_append(others, is);
        json_array_append_new(rules, json_pack("{s:o, s:{s:{s:{s:{s:o}}}}}", "if", is, "then", "properties",
                                               list->name, "items", "allOf", items));
    }
    json_decref(others);
}

/* The variant that is picked without a word: what its key falls back to. */
static size_t fallback_variant(const wi_section *section)
{
    const wi_variants *const v = section->variants;
    for (size_t k = 0; k < section->n_keys; k++)
        for (size_t i = 0;
             i < v->n && section->keys[k].fallback && strcmp(section->keys[k].name, v->key) == 0; i++)
            if (strcmp(v->item[i]->name, section->keys[k].fallback) == 0)
                return i;
    return 0;
}

/* What must hold besides: the section's own rules, and those of variants. */
static void put_rules(json_t *body, const wi_section *section)
{
    json_t *rules = section->rules ? json_of(section->rules) : json_array();
    wi_json_together(rules, section);
    if (section->variants)
        add_variant_rules(rules, section->variants, fallback_variant(section), false);
    for (size_t i = 0; i < section->n_keys; i++) {
        const wi_section *const item = section->keys[i].section;
        if (item && item->inherits && item->mixin && item->mixin->variants)
            add_inherited_rules(rules, section, &section->keys[i]);
    }
    if (json_array_size(rules) > 0)
        json_object_set(body, "allOf", rules);
    json_decref(rules);
}

json_t *wi_json_body(const wi_section *section, json_t *defs)
{
    json_t *properties = json_object(), *required = json_array(), *otherwise = json_array();
    const char *unless = NULL; /* a section has at most one key that stands for others */
    wi_key_at k;
    for (size_t i = 0; wi_section_key(section, i, &k); i++) {
        const wi_key *const key = k.key;
        add_property(properties, key, defs);
        if (k.of) /* reading the file checks which of the variants' keys are needed */
            continue;
        if (key->required)
            json_array_append_new(key->unless ? otherwise : required, json_string(key->name));
        unless = key->unless ? key->unless : unless;
    }
    json_t *body = json_pack("{s:[s, s], s:o, s:b}", "type", "object", "null", "properties", properties,
                             "additionalProperties", 0);
    if (json_array_size(required) > 0) { /* what has no keys has not those either */
        json_object_set_new(body, "type", json_string("object"));
        json_object_set_new(body, "required", required);
    } else {
        json_decref(required);
    }
    put_rules(body, section);
    if (unless)
        json_object_set_new(body, "anyOf",
                            json_pack("[{s:O}, {s:[s]}]", "required", otherwise, "required", unless));
    json_decref(otherwise);
    if (section->one)
        json_object_update_new(
            body, json_pack("{s:s, s:i, s:i}", "type", "object", "minProperties", 1, "maxProperties", 1));
    if (section->doc)
        json_object_set_new(body, "description", json_string(section->doc));
    return body;
}

/* A section is one definition, however often it is used. */
json_t *wi_json_section(const wi_section *section, json_t *defs)
{
    char ref[80];
    snprintf(ref, sizeof ref, "section-%s", section->name);
    for (char *c = ref; *c; c++)
        *c = *c == ' ' ? '-' : *c;
    if (!json_object_get(defs, ref)) {
        json_object_set_new(defs, ref,
                            json_null()); /* its place, so that definitions come in the order of the file */
        json_object_set_new(defs, ref, wi_json_body(section, defs));
    }
    char path[100];
    snprintf(path, sizeof path, "#/$defs/%s", ref);
    return json_pack("{s:s}", "$ref", path);
}

/* ---- scalars ---- */

/* Each kind is one definition. */
static void define(const wi_key *key, json_t *defs, const char *name)
{
    const wi_kind *kind = key->kind;
    json_t *text =
        json_pack("{s:s, s:s, s:[s]}", "type", "string", "pattern", kind->pattern, "examples", kind->example);
    if (!kind->bare) {
        json_object_set_new(defs, name, text);
        return;
    }
    json_t *number = json_pack("{s:s}", "type", kind->bare == WI_BARE_WHOLE ? "integer" : "number");
    if (kind->bare != WI_BARE_REAL)
        json_object_set_new(number, "minimum", json_integer(0));
    if (kind->bare == WI_BARE_SHARE)
        json_object_set_new(number, "maximum", json_integer(1));
    json_object_set_new(defs, name, json_pack("{s:[o, o]}", "anyOf", number, text));
}

/* A bound of bare numbers. */
static void set_bound(json_t *schema, const wi_key *key, const char *word, const char *text)
{
    long double value;
    if (!text || !key->kind->parse(text, &value, NULL, 0))
        return;
    const bool whole = floorl(value) == value && fabsl(value) <= (long double)INT64_MAX;
    json_object_set_new(schema, word, whole ? json_integer((json_int_t)value) : json_real((double)value));
}

json_t *wi_json_scalar(const wi_key *key, json_t *defs)
{
    char name[WI_SCALAR_TEXT], ref[WI_SCALAR_TEXT + 10];
    long double least = 0;
    snprintf(name, sizeof name, "%s", key->kind->what);
    for (char *c = name; *c; c++)
        *c = *c == ' ' ? '-' : *c;
    if (!json_object_get(defs, name))
        define(key, defs, name);
    snprintf(ref, sizeof ref, "#/$defs/%s", name);
    json_t *schema = json_pack("{s:s}", "$ref", ref);
    if (key->kind->bare) {
        set_bound(schema, key, "minimum", key->low);
        set_bound(schema, key, "exclusiveMinimum", key->above);
        const bool open = !key->high && !key->below; /* then what holds it bounds it */
        set_bound(schema, key, "exclusiveMaximum", key->below);
        if (open && key->kind->bare == WI_BARE_WHOLE && key->kind->storage == WI_U64)
            json_object_set_new(schema, "exclusiveMaximum", json_real(0x1p64));
        set_bound(schema, key, "maximum",
                  key->high || key->kind->storage != WI_U32 ? key->high : "4294967295");
    }
    const bool low = key->low && key->kind->parse(key->low, &least, NULL, 0) && least > 0;
    const bool above = key->above && key->kind->parse(key->above, &least, NULL, 0) && least >= 0;
    if (low || above) /* a digit that is not 0, before any exponent */
        json_object_set_new(schema, "pattern", json_string("^[^eE]*[1-9]"));
    return key->word ? json_pack("{s:[o, {s:s}]}", "anyOf", schema, "const", key->word) : schema;
}
