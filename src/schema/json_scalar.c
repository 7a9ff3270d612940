/* Scalars in the JSON Schema: what a text or a bare number must look like. Bounds hold for bare numbers; of a
 * text with a unit only "more than 0" can be said. */
#include "schema/schema.h"

#include <math.h>

json_t *wi_json_any_text(void)
{
    /* a name such as 12, or true, needs no quotes */
    return json_pack("{s:[s, s, s], s:i}", "type", "string", "number", "boolean", "minLength", 1);
}

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
    const bool whole = floorl(value) == value && fabsl(value) < 9e18L;
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
        set_bound(schema, key, "exclusiveMaximum", key->below);
        set_bound(schema, key, "maximum",
                  key->high || key->kind->storage != WI_U32 ? key->high : "4294967295");
    }
    const bool low = key->low && key->kind->parse(key->low, &least, NULL, 0) && least > 0;
    const bool above = key->above && key->kind->parse(key->above, &least, NULL, 0) && least >= 0;
    if (low || above) /* a digit that is not 0, before any exponent */
        json_object_set_new(schema, "pattern", json_string("^[^eE]*[1-9]"));
    return key->word ? json_pack("{s:[o, {s:s}]}", "anyOf", schema, "const", key->word) : schema;
}
