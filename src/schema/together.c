/*
 * What goes together: conditions on the keys of a section (schema.h), held against a file and against values in force, and written
 * in JSON Schema and in words.
 */
#include "schema/schema.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 160 };

static const wi_key *key_named(const wi_section *section, const char *name)
{
    wi_key_at k;
    for (size_t i = 0; section && wi_section_key(section, i, &k); i++)
        if (strcmp(k.key->name, name) == 0)
            return k.key;
    return NULL;
}

/* Follows a path from a section: its node, null where it is not given, and its key. */
static const wi_key *follow(const wi_section *section, const char *path, const char *end,
                            const wi_node **node)
{
    char name[WI_KEY_NAME_MAX];
    const wi_key *key = NULL;
    while (wi_next_name(&path, end, '.', name)) {
        key = key_named(key ? key->section : section, name);
        *node = wi_node_child(*node, name);
    }
    return key;
}

/* What made a condition hold: for messages. */
typedef struct cause {
    weir_place place;
    char text[TEXT_MAX]; /* "pattern: onoff" */
} cause;

static bool holds(const wi_section *section, const wi_node *node, const char *condition, size_t size,
                  cause *out);

static void name_cause(cause *out, const wi_node *mapping, const wi_node *found, const char *name,
                       const char *value)
{
    if (out->text[0])
        return;
    out->place = found && found->key ? found->key_place : mapping ? mapping->place : (weir_place){0};
    snprintf(out->text, TEXT_MAX, value ? "%s: %s" : "%s", name, value);
}

static bool some_item_holds(const wi_section *section, const wi_node *list, const wi_term *t, cause *out)
{
    for (const wi_node *item = list ? list->first : NULL; item; item = item->next) {
        cause of = {.text = ""};
        const wi_node *const name = wi_node_child(item, "name");
        if (!holds(section, item, t->items, t->items_size, &of))
            continue;
        if (!out->text[0]) {
            out->place = of.place;
            snprintf(out->text, TEXT_MAX, name && name->text ? "%.80s of '%.70s'" : "%.80s", of.text,
                     name ? name->text : NULL);
        }
        return true;
    }
    return false;
}

static bool term_holds(const wi_section *section, const wi_node *node, const wi_term *t, cause *out)
{
    const wi_node *found = node;
    const char *end = t->path + t->path_size, *last = end;
    char name[WI_KEY_NAME_MAX];
    if (t->items) {
        const wi_key *const list = follow(section, t->path, end - 2, &found); /* without its [] */
        return some_item_holds(list->section, found, t, out);
    }
    if (memchr(t->path, '|', t->path_size)) { /* one of several keys is given */
        for (const char *at = t->path; wi_next_name(&at, end, '|', name);) {
            const wi_term one = {.path = name, .path_size = strlen(name)};
            if (term_holds(section, node, &one, out))
                return !t->negated;
        }
        return t->negated;
    }
    const wi_key *const key = follow(section, t->path, end, &found);
    while (last > t->path && last[-1] != '.')
        last--;
    snprintf(name, sizeof name, "%.*s", (int)(end - last), last);
    const char *const value = found ? found->text : key ? key->fallback : NULL;
    const bool is = t->words ? wi_is_one_of(key, value, t) : found != NULL;
    if (is != t->negated)
        name_cause(out, node, found, name, t->words ? value : NULL);
    return is != t->negated;
}

static bool holds(const wi_section *section, const wi_node *node, const char *condition, size_t size,
                  cause *out)
{
    wi_term t;
    for (const char *at = condition, *end = condition + size; wi_next_term(&at, end, &t);)
        if (!term_holds(section, node, &t, out))
            return false;
    return true;
}

/* A condition in words: "pattern: onoff with durations: pareto". */
static void in_words(const char *condition, char *out, size_t size)
{
    wi_term t;
    size_t used = 0;
    out[0] = 0;
    for (const char *at = condition, *end = at + strlen(at); wi_next_term(&at, end, &t) && used < size;) {
        used += (size_t)snprintf(out + used, size - used, "%s%s", used ? " with " : "",
                                 t.negated && !t.words ? "no " : "");
        for (size_t i = 0; i < t.path_size && used < size; i++)
            used += (size_t)snprintf(out + used, size - used, t.path[i] == '|' ? " or " : "%c", t.path[i]);
        if (t.words && used < size)
            used += (size_t)snprintf(out + used, size - used, "%s", t.negated ? ": not " : ": ");
        for (size_t i = 0; i < t.words_size && used < size; i++)
            used += (size_t)snprintf(out + used, size - used, t.words[i] == '|' ? " or " : "%c", t.words[i]);
    }
}

/* A key that is given; the first term that does not hold says why it means nothing. */
static void check_with(wi_reader *r, const wi_section *section, const wi_node *node, const wi_key *key)
{
    wi_term t;
    cause ignored = {.text = ""};
    char words[TEXT_MAX];
    const char *at = key->with, *const end = at + strlen(at);
    while (wi_next_term(&at, end, &t)) {
        if (term_holds(section, node, &t, &ignored))
            continue;
        const bool beside = t.negated && !t.words;
        if (beside)
            snprintf(words, sizeof words, "%.*s", (int)t.path_size, t.path);
        else
            in_words(key->with, words, sizeof words);
        wi_complain(r, wi_node_child(node, key->name)->key_place,
                    beside ? "%s does not go together with %s" : "%s means nothing here; it is for %s",
                    key->name, words);
        return;
    }
}

void wi_check_together(wi_reader *r, const wi_section *section, const wi_node *node)
{
    wi_key_at k;
    for (size_t i = 0; wi_section_key(section, i, &k); i++)
        if (k.key->with && wi_node_child(node, k.key->name))
            check_with(r, section, node, k.key);
    for (size_t i = 0; i < section->n_clashes; i++) {
        const wi_clash *const row = &section->clashes[i];
        cause first = {.text = ""}, second = {.text = ""};
        if (!holds(section, node, row->these, strlen(row->these), &first) ||
            !holds(section, node, row->those, strlen(row->those), &second))
            continue;
        if (row->version)
            wi_refuse(r, second.place, "%s does not go together with %s: %s", second.text, first.text,
                      row->why);
        else if (row->those[0] == '!')
            wi_complain(r, first.place, "%s needs '%s', %s", first.text, second.text, row->why);
        else
            wi_complain(r, second.place, "%s does not go together with %s, %s", second.text, first.text,
                        row->why);
    }
}

/* Is the value of a key, as it is where nobody gives it, one of the term's words? */
static bool falls_back(const wi_key *key, const wi_term *t)
{
    return key && key->fallback && wi_is_one_of(key, key->fallback, t);
}

static json_t *json_word(const wi_key *key, const char *word)
{
    char *end;
    const double number = strtod(word, &end);
    if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0)
        return json_boolean(word[0] == 't');
    return key && key->kind->bare != WI_NOT_BARE && !*end ? json_integer((json_int_t)number)
                                                          : json_string(word);
}

/* `inner` holds of what a path from a section leads to; must: it is there, else it may be left out on the way. */
static json_t *json_at(const char *path, const char *end, json_t *inner, bool must)
{
    char name[WI_KEY_NAME_MAX];
    if (!wi_next_name(&path, end, '.', name))
        return inner;
    json_t *const below = json_at(path, end, inner, must);
    if (!must)
        return json_pack("{s:{s:o}}", "properties", name, below);
    return json_pack("{s:s, s:[s], s:{s:o}}", "type", "object", "required", name, "properties", name, below);
}

static json_t *json_condition(const wi_section *section, const char *condition, size_t size);

static json_t *json_term(const wi_section *section, const wi_term *t)
{
    const char *const end = t->path + t->path_size;
    const wi_node *none = NULL;
    char name[WI_KEY_NAME_MAX];
    json_t *is, *words = json_array();
    if (t->items) {
        const wi_key *const list = follow(section, t->path, end - 2, &none);
        is = json_at(t->path, end - 2,
                     json_pack("{s:s, s:o}", "type", "array", "contains",
                               json_condition(list->section, t->items, t->items_size)),
                     true);
    } else if (t->words) {
        const wi_key *const key = follow(section, t->path, end, &none);
        for (const char *at = t->words; wi_next_name(&at, t->words + t->words_size, '|', name);)
            json_array_append_new(words, json_word(key, name));
        is = json_at(t->path, end, json_pack("{s:O}", "enum", words), !falls_back(key, t));
    } else {
        json_t *const any = json_array();
        for (const char *at = t->path; wi_next_name(&at, end, '|', name);)
            json_array_append_new(any, json_at(name, name + strlen(name), json_true(), true));
        is = json_pack("{s:o}", "anyOf", any);
    }
    json_decref(words);
    return t->negated ? json_pack("{s:o}", "not", is) : is;
}

static json_t *json_condition(const wi_section *section, const char *condition, size_t size)
{
    wi_term t;
    json_t *all = json_array();
    for (const char *at = condition, *end = at + size; wi_next_term(&at, end, &t);)
        json_array_append_new(all, json_term(section, &t));
    return json_pack("{s:o}", "allOf", all);
}

void wi_json_together(json_t *rules, const wi_section *section)
{
    wi_key_at k;
    for (size_t i = 0; wi_section_key(section, i, &k); i++)
        if (k.key->with)
            json_array_append_new(
                rules, json_pack("{s:{s:s, s:[s]}, s:o}", "if", "type", "object", "required", k.key->name,
                                 "then", json_condition(section, k.key->with, strlen(k.key->with))));
    for (size_t i = 0; i < section->n_clashes; i++) {
        const wi_clash *const row = &section->clashes[i];
        json_array_append_new(rules, json_pack("{s:{s:[o, o]}}", "not", "allOf",
                                               json_condition(section, row->these, strlen(row->these)),
                                               json_condition(section, row->those, strlen(row->those))));
    }
}

/* A condition as a cell of a table. */
static void write_condition(FILE *out, const char *condition)
{
    static const struct {
        const char *mark, *text;
    } signs[] = {{"|", " or "}, {"!=", ": not "}, {"=", ": "}, {" ", " and "}};
    fputs("| ", out);
    while (*condition) {
        size_t i = 0, n = sizeof signs / sizeof signs[0];
        while (i < n && strncmp(condition, signs[i].mark, strlen(signs[i].mark)) != 0)
            i++;
        if (i < n)
            fputs(signs[i].text, out);
        else
            fputc(*condition, out);
        condition += i < n ? strlen(signs[i].mark) : 1;
    }
    fputc(' ', out);
}

void wi_markdown_together(FILE *out, const wi_section *section)
{
    for (size_t i = 0; i < section->n_clashes; i++) {
        const wi_clash *const row = &section->clashes[i];
        write_condition(out, row->these);
        write_condition(out, row->those[0] == '!' ? row->those + 1 : row->those);
        fprintf(out, "| %s%s |\n", row->those[0] == '!' ? "it is needed, " : "", row->why);
    }
}
