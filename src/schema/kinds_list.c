/* Kinds of several values: names, links, pairs of nodes, and [low, high]. */
#include "schema/schema.h"

#include <string.h>

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

static void read_names(wi_reader *r, const wi_key *key, const wi_node *node, void *at)
{
    weir_names names = {0};
    size_t n;
    const wi_node *item = one_or_many(r, key, "a name", node, &n);
    weir_name *names_at = item ? wi_reader_take(r, n, sizeof *names_at) : NULL;
    if (!names_at)
        return;
    names.item = names_at;
    for (; item; item = following(node, item)) {
        if (read_name(r, key->name, "a name", item, &names_at[names.n]))
            names.n++;
    }
    memcpy(at, &names, sizeof names);
}

static bool names_given(const wi_key *key, const void *at)
{
    weir_names names;
    (void)key;
    memcpy(&names, at, sizeof names);
    return names.n > 0;
}

static void write_names(wi_writer *w, const wi_key *key, const void *at)
{
    weir_names names;
    (void)key;
    memcpy(&names, at, sizeof names);
    fputc('[', w->out);
    for (size_t i = 0; i < names.n; i++) {
        fputs(i ? ", " : "", w->out);
        wi_write_text(w, names.item[i].text);
    }
    fputc(']', w->out);
}

static json_t *one_or_list(json_t *one)
{
    return json_pack("{s:[O, {s:s, s:o, s:i}]}", "anyOf", one, "type", "array", "items", one, "minItems", 1);
}

static json_t *json_names(const wi_key *key, json_t *defs)
{
    (void)key;
    (void)defs;
    return one_or_list(wi_json_any_text());
}

const wi_kind wi_kind_names = {.what = "name, or a list of them",
                               .read = read_names,
                               .write = write_names,
                               .given = names_given,
                               .json = json_names};

static char *trimmed(wi_reader *r, const char *text, size_t length)
{
    while (length && *text == ' ') {
        text++;
        length--;
    }
    while (length && text[length - 1] == ' ')
        length--;
    char *copy = wi_reader_take(r, length + 1, 1);
    if (copy)
        memcpy(copy, text, length);
    return copy;
}

static bool read_link(wi_reader *r, const wi_key *key, const wi_node *node, weir_link_name *out)
{
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
    const char *from = trimmed(r, name.text, (size_t)(arrow - name.text));
    const char *to = trimmed(r, arrow + 2, strlen(arrow + 2));
    if (!from || !to)
        return false;
    if (!from[0] || !to[0] || (strcmp(from, to) == 0 && !wi_is_pattern(from))) {
        wi_complain(r, node->place, "%s: '%s' must name two different nodes", key->name, name.text);
        return false;
    }
    *out = (weir_link_name){from, to, both, name.text, node->place};
    return true;
}

static void read_links(wi_reader *r, const wi_key *key, const wi_node *node, void *at)
{
    weir_link_names links = {0};
    size_t n;
    const wi_node *item = one_or_many(r, key, "a link such as \"A->B\"", node, &n);
    weir_link_name *links_at = item ? wi_reader_take(r, n, sizeof *links_at) : NULL;
    if (!links_at)
        return;
    links.item = links_at;
    for (; item; item = following(node, item)) {
        if (read_link(r, key, item, &links_at[links.n]))
            links.n++;
    }
    memcpy(at, &links, sizeof links);
}

static bool links_given(const wi_key *key, const void *at)
{
    weir_link_names links;
    (void)key;
    memcpy(&links, at, sizeof links);
    return links.n > 0;
}

static void write_links(wi_writer *w, const wi_key *key, const void *at)
{
    weir_link_names links;
    (void)key;
    memcpy(&links, at, sizeof links);
    fputc('[', w->out);
    for (size_t i = 0; i < links.n; i++) {
        fputs(i ? ", " : "", w->out);
        wi_write_text(w, links.item[i].text);
    }
    fputc(']', w->out);
}

static json_t *json_links(const wi_key *key, json_t *defs)
{
    (void)key;
    (void)defs;
    return one_or_list(json_pack("{s:s, s:s}", "type", "string", "pattern", "^(.+(->|--).+|\\*)$"));
}

const wi_kind wi_kind_links = {.what = "link, or a list of them",
                               .example = "\"A->B\"",
                               .read = read_links,
                               .write = write_links,
                               .given = links_given,
                               .json = json_links};

/* Links, and nodes by their names alone. */
static void read_interfaces(wi_reader *r, const wi_key *key, const wi_node *node, void *at)
{
    weir_link_names faces = {0};
    size_t n;
    const wi_node *item = one_or_many(r, key, "a link such as \"A->B\", or a node", node, &n);
    weir_link_name *faces_at = item ? wi_reader_take(r, n, sizeof *faces_at) : NULL;
    if (!faces_at)
        return;
    faces.item = faces_at;
    for (; item; item = following(node, item)) {
        weir_name name;
        if (!read_name(r, key->name, "a link such as \"A->B\", or a node", item, &name))
            continue;
        weir_link_name *face = &faces_at[faces.n];
        *face = (weir_link_name){name.text, NULL, true, name.text, name.place};
        const bool is_link =
            strstr(name.text, "->") || strstr(name.text, "--") || strcmp(name.text, "*") == 0;
        if (!is_link || read_link(r, key, item, face))
            faces.n++;
    }
    memcpy(at, &faces, sizeof faces);
}

static json_t *json_interfaces(const wi_key *key, json_t *defs)
{
    (void)key;
    (void)defs;
    return one_or_list(wi_json_any_text());
}

const wi_kind wi_kind_interfaces = {.what = "link or node, or a list of them",
                                    .example = "\"A->B\"",
                                    .read = read_interfaces,
                                    .write = write_links,
                                    .given = links_given,
                                    .json = json_interfaces};

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
    memcpy(at, &pairs, sizeof pairs);
    memcpy((char *)at - key->offset + key->count_offset, &n, sizeof n);
}

static void write_pair_list(wi_writer *w, const wi_key *key, const void *at)
{
    const weir_name_pair *pairs;
    size_t n;
    memcpy(&pairs, at, sizeof pairs);
    memcpy(&n, (const char *)at - key->offset + key->count_offset, sizeof n);
    fputc('[', w->out);
    for (size_t i = 0; i < n; i++) {
        fputs(i ? ", [" : "[", w->out);
        wi_write_text(w, pairs[i].from.text);
        fputs(", ", w->out);
        wi_write_text(w, pairs[i].to.text);
        fputc(']', w->out);
    }
    fputc(']', w->out);
}

static json_t *json_pair_list(const wi_key *key, json_t *defs)
{
    (void)key;
    (void)defs;
    return json_pack("{s:s, s:i, s:{s:s, s:i, s:i, s:o}}", "type", "array", "minItems", 1, "items", "type",
                     "array", "minItems", 2, "maxItems", 2, "items", wi_json_any_text());
}

const wi_kind wi_kind_pair_list = {
    .what = "list of [from, to]", .read = read_pair_list, .write = write_pair_list, .json = json_pair_list};

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
    return one_or_list(wi_kind_count.json(&one, defs));
}

const wi_kind wi_kind_priorities = {.what = "priority from 0 to 7, or a list of them",
                                    .read = read_priorities,
                                    .write = write_priorities,
                                    .given = priorities_given,
                                    .json = json_priorities};
