/*
 * A value that comes in one of several forms: a bare word, {form: argument}, or whatever its `other` key
 * takes.
 */
#include "schema/schema.h"

#include <string.h>

enum { FORMS_MAX = 16 };

static void wrong_form(wi_reader *r, const wi_key *key, const wi_node *node, const char *word)
{
    const char *known[FORMS_MAX];
    const wi_tagged *t = key->tagged;
    size_t n = 0;
    for (size_t i = 0; i < t->n && n < FORMS_MAX; i++)
        known[n++] = t->forms[i].key.name;
    const wi_node as_word = {
        .type = WI_SCALAR, .plain = true, .text = word ? word : node->text, .place = node->place};
    wi_unknown_word(r, key, word ? &as_word : node, t->wants, known, n);
}

static const wi_form *find_form(const wi_tagged *t, const char *name, bool with_argument)
{
    for (size_t i = 0; i < t->n; i++) {
        if ((t->forms[i].key.kind != NULL) == with_argument && strcmp(t->forms[i].key.name, name) == 0)
            return &t->forms[i];
    }
    return NULL;
}

/* The tag of the value that stands in the struct at `at`. A range is two values of 64 bits, side by side. */
static int tag_of(const wi_tagged *t, const void *at)
{
    int tag;
    const char *low = (const char *)at + (t->spread ? t->other->offset : 0);
    if (t->spread)
        return memcmp(low, low + sizeof(int64_t), sizeof(int64_t)) ? t->forms[0].tag : t->other_tag;
    memcpy(&tag, (const char *)at + t->tag_offset, sizeof tag);
    return tag;
}

static void set_tag(const wi_tagged *t, void *at, int tag)
{
    char *low = (char *)at + (t->spread ? t->other->offset : 0);
    if (!t->spread)
        memcpy((char *)at + t->tag_offset, &tag, sizeof tag);
    else if (tag == t->other_tag)
        memcpy(low + sizeof(int64_t), low, sizeof(int64_t));
}

static void read_other(wi_reader *r, const wi_key *key, const wi_node *node, void *at)
{
    const wi_tagged *t = key->tagged;
    if (!t->other || !(t->other_types & (1u << node->type)) || wi_node_is_null(node)) {
        wrong_form(r, key, node, NULL);
        return;
    }
    wi_key other = *t->other;
    other.name = key->name;
    wi_read_value(r, &other, node, at);
    set_tag(t, at, t->other_tag);
}

static void read_tagged(wi_reader *r, const wi_key *key, const wi_node *node, void *at)
{
    const wi_tagged *t = key->tagged;
    const bool sectioned = t->other && (t->other_types & (1u << WI_MAPPING));
    if (node->type == WI_SCALAR) {
        const wi_form *form = find_form(t, node->text, false);
        if (form)
            set_tag(t, at, form->tag);
        else
            read_other(r, key, node, at);
    } else if (node->type == WI_MAPPING && !sectioned) {
        const wi_form *form = node->n == 1 ? find_form(t, node->first->key, true) : NULL;
        if (form) {
            wi_read_value(r, &form->key, node->first, at);
            set_tag(t, at, form->tag);
        } else if (node->n == 1) {
            wrong_form(r, key, node, node->first->key);
        } else {
            wi_complain(r, node->place, "%s: want one form, not %zu: %s", key->name, node->n, t->wants);
        }
    } else {
        read_other(r, key, node, at);
    }
}

static bool tagged_given(const wi_key *key, const void *at)
{
    const wi_tagged *t = key->tagged;
    const int tag = tag_of(t, at);
    if (t->other && tag == t->other_tag)
        return true;
    for (size_t i = 0; i < t->n; i++) {
        if (t->forms[i].tag == tag)
            return true;
    }
    return false;
}

static void write_tagged(wi_writer *w, const wi_key *key, const void *at)
{
    const wi_tagged *t = key->tagged;
    const int tag = tag_of(t, at);
    const bool flow = w->flow;
    w->flow = true;
    const wi_form *form = NULL;
    for (size_t i = 0; i < t->n && !form; i++)
        form = t->forms[i].tag == tag ? &t->forms[i] : NULL;
    if (!form) {
        t->other->kind->write(w, t->other, (const char *)at + t->other->offset);
    } else if (!form->key.kind) {
        fputs(form->key.name, w->out);
    } else {
        fprintf(w->out, "{%s: ", form->key.name);
        form->key.kind->write(w, &form->key, (const char *)at + form->key.offset);
        fputc('}', w->out);
    }
    w->flow = flow;
}

static json_t *json_tagged(const wi_key *key, json_t *defs)
{
    const wi_tagged *t = key->tagged;
    json_t *words = json_array(), *any = json_array();
    for (size_t i = 0; i < t->n; i++) {
        const wi_key *argument = &t->forms[i].key;
        if (!argument->kind)
            json_array_append_new(words, json_string(argument->name));
        else
            json_array_append_new(any, json_pack("{s:s, s:{s:o}, s:[s], s:b}", "type", "object", "properties",
                                                 argument->name, wi_json_value(argument, defs), "required",
                                                 argument->name, "additionalProperties", 0));
    }
    if (json_array_size(words) > 0)
        json_array_append_new(any, json_pack("{s:O}", "enum", words));
    json_decref(words);
    if (t->other)
        json_array_append_new(any, wi_json_kind(t->other, defs));
    return json_pack("{s:o}", "anyOf", any);
}

const wi_kind wi_kind_tagged = {
    .what = "value", .read = read_tagged, .write = write_tagged, .given = tagged_given, .json = json_tagged};
