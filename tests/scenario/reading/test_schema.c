/* The tables themselves: every default and bound can be read, every key is described, and the JSON Schema is
 * JSON. */
#include <jansson.h>

#include "scenario/load.h"
#include "scenario/document/document.h"

static void check_bound(const wi_key *key, const char *bound)
{
    long double value;
    char why[200];
    const wi_kind *kind = key->of ? key->of : key->kind == &wi_kind_shares ? &wi_kind_share : key->kind;
    if (bound && !kind->parse(bound, &value, why, sizeof why))
        fail_msg("bound '%s' of key '%s': %s", bound, key->name, why);
}

/* A range is checked with the kind of its ends, so bounds of a range are checked like a scalar's. */
static void check_key(const wi_key *key)
{
    check_bound(key, key->low);
    check_bound(key, key->high);
    check_bound(key, key->above);
    check_bound(key, key->below);
    if (key->words)
        assert_in_range(key->words->n, 1, 32); /* as many as read_word compares */
    if (key->tagged) {
        assert_non_null(key->tagged->wants);
        for (size_t i = 0; i < key->tagged->n; i++)
            check_key(&key->tagged->forms[i].key);
    }
}

/* The JSON Schema calls definitions by the sections' names. */
static void check_name(const wi_section *section)
{
    enum { MOST = 256 };
    static const wi_section *seen[MOST];
    static size_t n;
    for (size_t i = 0; i < n; i++) {
        if (seen[i] == section)
            return;
        if (strcmp(seen[i]->name, section->name) == 0)
            fail_msg("two sections are called '%s': call a model's sections \"MODEL %s\"", section->name,
                     section->name);
    }
    assert_in_range(n, 0, MOST - 1);
    seen[n++] = section;
}

static void check_rules(const wi_section *section)
{
    json_error_t error;
    if (!section->rules)
        return;
    char *text = strdup(section->rules);
    for (char *c = text; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    json_t *rules = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!json_is_array(rules))
        fail_msg("rules of %s, column %d: %s", section->name, error.column, error.text);
    json_decref(rules);
    free(text);
}

static void check_section(const wi_section *section, size_t depth)
{
    assert_in_range(depth, 0, 8);
    assert_non_null(section->name);
    check_name(section);
    check_rules(section);
    for (size_t i = 0; i < section->n_keys; i++) {
        const wi_key *key = &section->keys[i];
        if (!key->doc || !key->doc[0])
            fail_msg("key '%s' of %s has no description", key->name, section->name);
        if (key->required && key->fallback)
            fail_msg("key '%s' of %s is required and has a default", key->name, section->name);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(section->keys[k].name, key->name);
        check_key(key);
        if (key->section)
            check_section(key->section, depth + 1);
    }
    for (size_t v = 0; section->variants && v < section->variants->n; v++) {
        assert_true(section->variants->item[v]->size <= section->variants->room);
        check_section(section->variants->item[v], depth + 1);
    }
}

static void tables_hold_together(void **state)
{
    (void)state;
    check_section(&wi_schema, 0);
}

static void json_schema_is_json(void **state)
{
    json_error_t error;
    char *text = weir_scenario_json_schema();
    (void)state;
    assert_non_null(text);
    json_t *schema = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!schema)
        fail_msg("line %d: %s", error.line, error.text);
    json_t *defs = json_object_get(schema, "$defs"), *link = json_object_get(defs, "section-link");
    assert_non_null(json_object_get(json_object_get(link, "properties"), "rate"));
    assert_true(json_is_false(json_object_get(schema, "additionalProperties")));
    assert_int_equal(json_array_size(json_object_get(schema, "required")), 2); /* weir, duration */
    const json_t *network = json_array_get(json_object_get(schema, "anyOf"), 0);
    assert_int_equal(json_array_size(json_object_get(network, "required")),
                     2); /* topology, traffic; or model */
    /* what 64 bits hold bounds a count that has no other bound; bounds are whole numbers up to the last */
    const json_t *const seed = json_object_get(json_object_get(schema, "properties"), "seed"),
                        *const engine =
                            json_object_get(json_object_get(defs, "section-engine"), "properties"),
                        *const stress = json_object_get(engine, "stress");
    assert_int_equal(json_integer_value(json_object_get(seed, "maximum")), INT64_MAX);
    assert_true(json_real_value(json_object_get(stress, "exclusiveMaximum")) == 0x1p64);
    /* every reference leads somewhere */
    for (const char *at = text; (at = strstr(at, "\"#/$defs/")); at++) {
        char name[80] = "";
        sscanf(at, "\"#/$defs/%79[^\"]", name);
        if (!json_object_get(defs, name))
            fail_msg("no definition '%s'", name);
    }
    json_decref(schema);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_hold_together),
        cmocka_unit_test(json_schema_is_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
