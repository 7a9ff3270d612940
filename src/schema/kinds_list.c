/* Kinds of several values: names, links, pairs of nodes, and [low, high]. */
#include "schema/schema.h"

#include <string.h>

#include "base/file/source.h"
#include "schema/pattern.h"

/* A node's text; false where it is no text. `what` names it in messages. */
static bool read_name(wi_reader *r, const char *owner, const char *what, const wi_node *node, weir_name *out)
{
    if (node->type != WI_SCALAR || wi_node_is_null(node) || !node->text[0]) {
        wi_complain(r, node->place, "%s: want %s, not %s", owner, what,
                    node->type == WI_SCALAR ? "an empty text" : wi_node_what(node));
        return false;
    }
    *out = (weir_name){node->text, node->place};
    return true;
}

/* One value or a list of them: the first, and how many. Complains where there are none. */
static const wi_node *one_or_many(wi_reader *r, const wi_key *key, const char *what, const wi_node *node,
                                  size_t *n)
{
    *n = node->type == WI_SEQUENCE ? node->n : 1;
    if (node->type == WI_MAPPING)
        wi_complain(r, node->place, "%s must be %s or a list of them, not a section", key->name, what);
    else if (*n == 0)
        wi_complain(r, node->place, "%s is an empty list; want %s or a list of them", key->name, what);
    else
        return node->type == WI_SEQUENCE ? node->first : node;
    return NULL;
}

static const wi_node *following(const wi_node *list, const wi_node *item)
{
    return list->type == WI_SEQUENCE ? item->next : NULL;
}

/* ---- lists of texts: struct {const T *item; size_t n;} ---- */

struct wi_items {
    const char *what;  /* "a name" */
    size_t size, text; /* of an item; where its text stands in it */
    bool (*read)(wi_reader *r, const wi_key *key, const wi_node *node, void *item);
};

typedef struct item_list {
    const char *item;
    size_t n;
} item_list;

static void read_items(wi_reader *r, const wi_key *key, const wi_node *node, void *at)
{
    const wi_items *const items = key->kind->items;
    size_t n, used = 0;
    const wi_node *item = one_or_many(r, key, items->what, node, &n);
    char *list = item ? wi_reader_take(r, n, items->size) : NULL;
    for (; list && item; item = following(node, item))
        used += items->read(r, key, item, list + used * items->size);
    if (list)
        memcpy(at, &(item_list){list, used}, sizeof(item_list));
}

static item_list list_at(const void *at)
{
    item_list list;
    memcpy(&list, at, sizeof list);
    return list;
}

static bool items_given(const wi_key *key, const void *at)
{
    (void)key;
    return list_at(at).n > 0;
}

static void write_items(wi_writer *w, const wi_key *key, const void *at)
{
    const item_list list = list_at(at);
    fputc('[', w->out);
    for (size_t i = 0; i < list.n; i++) {
        const char *text;
        memcpy(&text, list.item + i * key->kind->items->size + key->kind->items->text, sizeof text);
        fputs(i ? ", " : "", w->out);
        wi_write_text(w, text);
    }
    fputc(']', w->out);
}

#define ITEMS .read = read_items, .write = write_items, .given = items_given
#define ONE_OR_LIST(one) "{'anyOf': [" one ", {'type': 'array', 'items': " one ", 'minItems': 1}]}"

static bool read_name_item(wi_reader *r, const wi_key *key, const wi_node *node, void *item)
{
    return read_name(r, key->name, "a name", node, item);
}

static const wi_items names = {"a name", sizeof(weir_name), offsetof(weir_name, text), read_name_item};
const wi_kind wi_kind_names = {
    .what = "name, or a list of them", ITEMS, .items = &names, .schema = ONE_OR_LIST(WI_JSON_ANY_TEXT)};

static char *trimmed(wi_reader *r, const char *from, const char *to)
{
    const wi_slice text = wi_trimmed(from, to);
    char *copy = wi_reader_take(r, text.length + 1, 1);
    if (copy)
        memcpy(copy, text.text, text.length);
    return copy;
}

static bool read_link(wi_reader *r, const wi_key *key, const wi_node *node, void *item)
{
    weir_link_name *const out = item;
    weir_name name;
    if (!read_name(r, key->name, "a link such as \"A->B\"", node, &name))
        return false;
    if (strcmp(name.text, "*") == 0) { /* all links */
        *out = (weir_link_name){"*", "*", true, name.text, node->place};
        return true;
    }
    const char *arrow = strstr(name.text, "->");
    const bool both = !arrow;
    if (both)
        arrow = strstr(name.text, "--");
    if (!arrow) {
        wi_complain(r, node->place,
                    "%s: '%s' is no link; want \"A->B\" (one direction), \"A--B\" (both) or \"*\" (all)",
                    key->name, name.text);
        return false;
    }
    const char *from = trimmed(r, name.text, arrow);
    const char *to = trimmed(r, arrow + 2, arrow + 2 + strlen(arrow + 2));
    if (!from || !to)
        return false;
    if (!from[0] || !to[0] || (strcmp(from, to) == 0 && !wi_is_pattern(from))) {
        wi_complain(r, node->place, "%s: '%s' must name two different nodes", key->name, name.text);
        return false;
    }
    *out = (weir_link_name){from, to, both, name.text, node->place};
    return true;
}

static const wi_items links = {"a link such as \"A->B\"", sizeof(weir_link_name),
                               offsetof(weir_link_name, text), read_link};
const wi_kind wi_kind_links = {.what = "link, or a list of them",
                               .example = "\"A->B\"",
                               ITEMS,
                               .items = &links,
                               .schema =
                                   ONE_OR_LIST("{'type': 'string', 'pattern': '^(.+(->|--).+|\\\\*)$'}")};

/* A link, or a node by its name alone. */
static bool read_interface(wi_reader *r, const wi_key *key, const wi_node *node, void *item)
{
    weir_link_name *const face = item;
    weir_name name;
    if (!read_name(r, key->name, key->kind->items->what, node, &name))
        return false;
    *face = (weir_link_name){name.text, NULL, true, name.text, name.place};
    const bool is_link = strstr(name.text, "->") || strstr(name.text, "--") || strcmp(name.text, "*") == 0;
    return !is_link || read_link(r, key, node, face);
}

static const wi_items interfaces = {"a link such as \"A->B\", or a node", sizeof(weir_link_name),
                                    offsetof(weir_link_name, text), read_interface};
const wi_kind wi_kind_interfaces = {.what = "link or node, or a list of them",
                                    .example = "\"A->B\"",
                                    ITEMS,
                                    .items = &interfaces,
                                    .schema = ONE_OR_LIST(WI_JSON_ANY_TEXT)};

/* ---- lists whose length stands beside them ---- */

void wi_list_store(const wi_key *key, void *at, const void *items, size_t n)
{
    memcpy(at, &items, sizeof items);
    memcpy((char *)at - key->offset + key->count_offset, &n, sizeof n);
}

size_t wi_list_count(const wi_key *key, const void *at)
{
    size_t n;
    memcpy(&n, (const char *)at - key->offset + key->count_offset, sizeof n);
    return n;
}

bool wi_list_given(const wi_key *key, const void *at)
{
    return wi_list_count(key, at) > 0;
}

static bool read_pair(wi_reader *r, const wi_key *key, const wi_node *node, weir_name_pair *out)
{
    if (node->type != WI_SEQUENCE || node->n != 2) {
        wi_complain(r, node->place, "%s: want two names, [from, to]", key->name);
        return false;
    }
    if (!read_name(r, key->name, "a node's name", node->first, &out->from) ||
        !read_name(r, key->name, "a node's name", node->last, &out->to))
        return false;
    if (strcmp(out->from.text, out->to.text) != 0)
        return true;
    wi_complain(r, node->place, "%s: a pair from '%s' to itself", key->name, out->from.text);
    return false;
}

static void read_pair_list(wi_reader *r, const wi_key *key, const wi_node *node, void *at)
{
    if (node->n == 0) {
        wi_complain(r, node->place, "%s is an empty list; want pairs [from, to]", key->name);
        return;
    }
    weir_name_pair *pairs = wi_reader_take(r, node->n, sizeof *pairs);
    if (!pairs)
        return;
    size_t n = 0;
    for (const wi_node *item = node->first; item; item = item->next) {
        if (read_pair(r, key, item, &pairs[n]))
            n++;
    }
    wi_list_store(key, at, pairs, n);
}

static void write_pair_list(wi_writer *w, const wi_key *key, const void *at)
{
    const weir_name_pair *pairs;
    memcpy(&pairs, at, sizeof pairs);
    fputc('[', w->out);
    for (size_t i = 0; i < wi_list_count(key, at); i++) {
        fputs(i ? ", [" : "[", w->out);
        wi_write_text(w, pairs[i].from.text);
        fputs(", ", w->out);
        wi_write_text(w, pairs[i].to.text);
        fputc(']', w->out);
    }
    fputc(']', w->out);
}

const wi_kind wi_kind_pair_list = {.what = "list of [from, to]",
                                   .read = read_pair_list,
                                   .write = write_pair_list,
                                   .schema = "{'type': 'array', 'minItems': 1, 'items': {'type': 'array', "
                                             "'minItems': 2, 'maxItems': 2, 'items': " WI_JSON_ANY_TEXT "}}"};

static size_t storage_size(wi_storage storage)
{
    return storage == WI_U32 ? 4 : 8;
}

/* The ends are stored side by side. */
static void read_range(wi_reader *r, const wi_key *key, const wi_node *node, void *at)
{
    wi_key end = *key;
    end.kind = key->of;
    if (node->type != WI_SEQUENCE || node->n != 2) {
        wi_complain(r, node->place, "%s: want [low, high], two values of the kind %s", key->name,
                    key->of->example);
        return;
    }
    const size_t errors = r->errors, size = storage_size(key->of->storage);
    end.kind->read(r, &end, node->first, at);
    end.kind->read(r, &end, node->last, (char *)at + size);
    if (r->errors == errors &&
        wi_scalar_load(key->of->storage, at) > wi_scalar_load(key->of->storage, (char *)at + size))
        wi_complain(r, node->place, "%s: the first, %s, is more than the second, %s", key->name,
                    node->first->text, node->last->text);
}

static void write_range(wi_writer *w, const wi_key *key, const void *at)
{
    wi_key end = *key;
    end.kind = key->of;
    fputc('[', w->out);
    end.kind->write(w, &end, at);
    fputs(", ", w->out);
    end.kind->write(w, &end, (const char *)at + storage_size(key->of->storage));
    fputc(']', w->out);
}

static json_t *json_range(const wi_key *key, json_t *defs)
{
    wi_key end = *key;
    end.kind = key->of;
    return json_pack("{s:s, s:o, s:i, s:i}", "type", "array", "items", key->of->json(&end, defs), "minItems",
                     2, "maxItems", 2);
}

const wi_kind wi_kind_range = {
    .what = "[low, high]", .read = read_range, .write = write_range, .json = json_range};

static void read_priorities(wi_reader *r, const wi_key *key, const wi_node *node, void *at)
{
    uint32_t priorities = 0;
    size_t n;
    const size_t errors = r->errors;
    wi_key one = *key;
    one.kind = &wi_kind_count;
    one.low = "0";
    one.high = "7";
    for (const wi_node *item = one_or_many(r, key, "a priority", node, &n); item;
         item = following(node, item)) {
        uint32_t bit = 0;
        wi_kind_count.read(r, &one, item, &bit);
        if (r->errors == errors)
            priorities |= UINT32_C(1) << bit;
    }
    memcpy(at, &priorities, sizeof priorities);
}

static bool priorities_given(const wi_key *key, const void *at)
{
    uint32_t priorities;
    (void)key;
    memcpy(&priorities, at, sizeof priorities);
    return priorities != 0;
}

static void write_priorities(wi_writer *w, const wi_key *key, const void *at)
{
    uint32_t priorities;
    const char *between = "";
    (void)key;
    memcpy(&priorities, at, sizeof priorities);
    fputc('[', w->out);
    for (int i = 0; i < 8; i++)
        if (priorities >> i & 1u) {
            fprintf(w->out, "%s%d", between, i);
            between = ", ";
        }
    fputc(']', w->out);
}

static json_t *json_priorities(const wi_key *key, json_t *defs)
{
    wi_key one = *key;
    one.kind = &wi_kind_count;
    one.low = "0";
    one.high = "7";
    json_t *bits = wi_kind_count.json(&one, defs);
    return json_pack("{s:[O, {s:s, s:o, s:i}]}", "anyOf", bits, "type", "array", "items", bits, "minItems",
                     1);
}

const wi_kind wi_kind_priorities = {.what = "priority from 0 to 7, or a list of them",
                                    .read = read_priorities,
                                    .write = write_priorities,
                                    .given = priorities_given,
                                    .json = json_priorities};
