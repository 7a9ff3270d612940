/* Kinds of values that are sections, or lists of them. */
#include "schema/schema.h"

#include <string.h>

enum { LIST_MAX = 100000 };

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
    wi_list_store(key, at, items, node->n);
}

static void write_list(wi_writer *w, const wi_key *key, const void *at)
{
    const size_t n = wi_list_count(key, at);
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
    json_t *item = wi_json_section(key->section, defs);
    json_object_set_new(item, "type", json_string("object"));
    return json_pack("{s:s, s:i, s:o}", "type", "array", "maxItems", (int)LIST_MAX, "items", item);
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
                                 .is_section = true,
                                 .block = true,
                                 .read = read_subsection,
                                 .write = write_subsection,
                                 .json = json_subsection};
const wi_kind wi_kind_list = {.what = "list of sections",
                              .block = true,
                              .read = read_list,
                              .write = write_list,
                              .given = wi_list_given,
                              .json = json_list};
