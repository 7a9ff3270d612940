/* JSON Schema of scenario files, from the same tables, for editors that complete and check YAML. */
#include "scenario/schema/schema.h"

#include <stdlib.h>
#include <string.h>

json_t *wi_json_value(const wi_key *key, json_t *defs)
{
    json_t *schema = key->kind->json(key, defs);
    if (key->doc)
        json_object_set_new(schema, "description", json_string(key->doc));
    if (key->fallback && (strcmp(key->fallback, "true") == 0 || strcmp(key->fallback, "false") == 0))
        json_object_set_new(schema, "default", json_boolean(strcmp(key->fallback, "true") == 0));
    else if (key->fallback)
        json_object_set_new(schema, "default", json_string(key->fallback));
    return schema;
}

/* The rules of a section, with ' for ". */
static json_t *rules_of(const wi_section *section)
{
    char *text = strdup(section->rules);
    for (char *c = text; c && *c; c++)
        *c = *c == '\'' ? '"' : *c;
    json_t *rules = text ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;
    free(text);
    return rules;
}

json_t *wi_json_body(const wi_section *section, json_t *defs)
{
    json_t *properties = json_object(), *required = json_array(), *otherwise = json_array();
    const char *unless = NULL; /* a section has at most one key that stands for others */
    const wi_key *key;
    size_t base;
    for (size_t i = 0; (key = wi_section_key(section, i, &base)); i++) {
        json_object_set_new(properties, key->name, wi_json_value(key, defs));
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
    if (section->rules)
        json_object_set_new(body, "allOf", rules_of(section));
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
