/* `--set path=value`: one value put into the tree of a file before it is checked, so that it is checked like
 * the rest. */
#include "schema/yaml.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"

typedef struct setter {
    weir_diag *diag;
    weir_arena *arena;
    weir_place place;
} setter;

static weir_status out_of_memory(const setter *s)
{
    return weir_fail(s->diag, WEIR_E_NOMEM, "%s: out of memory", s->place.file);
}

static const char *item_name(const wi_node *item)
{
    const wi_node *name = wi_node_child(item, "name");
    return name && name->type == WI_SCALAR ? name->text : NULL;
}

/* The item that a path's next part addresses; names may hold dots, so the longest that fits is taken. */
static wi_node *find_item(const wi_node *list, const char *path, size_t *length)
{
    wi_node *best = NULL;
    for (wi_node *item = list->first; item; item = item->next) {
        const char *name = item_name(item);
        const size_t n = name ? strlen(name) : 0;
        if (n && strncmp(path, name, n) == 0 && (path[n] == '.' || !path[n]) && (!best || n > *length)) {
            best = item;
            *length = n;
        }
    }
    if (best)
        return best;
    char *end;
    *length = strcspn(path, ".");
    if (path[0] < '0' || path[0] > '9')
        return NULL;
    unsigned long long index = strtoull(path, &end, 10);
    if (end != path + *length || index >= list->n)
        return NULL;
    wi_node *item = list->first;
    while (index--)
        item = item->next;
    return item;
}

static weir_status no_item(const setter *s, const wi_node *list, const char *path, size_t length)
{
    enum { SHOWN = 64 };
    const char *names[SHOWN];
    size_t n = 0;
    char *word = wi_text_copy(s->arena, path, length);
    if (!word)
        return out_of_memory(s);
    for (const wi_node *item = list->first; item && n < SHOWN; item = item->next) {
        const char *name = item_name(item);
        if (name)
            names[n++] = name;
    }
    return weir_fail_at(s->diag, WEIR_E_SCENARIO, s->place.file, 0, 0,
                        "%s has no item '%s'; it has %zu, addressed by name or from 0 on%s",
                        list->key ? list->key : "this list", word, list->n, WI_HINT(word, names, n));
}

/* The child of a mapping under the path's next part, made (an empty section) where there is none. */
static weir_status find_or_make(const setter *s, wi_node *mapping, const char *path, size_t length,
                                wi_node **out)
{
    *out = NULL;
    char *key = wi_text_copy(s->arena, path, length);
    if (!key)
        return out_of_memory(s);
    *out = wi_node_child(mapping, key);
    if (*out)
        return WEIR_OK;
    if (mapping->n >= WI_YAML_KEYS_MAX)
        return weir_fail_at(s->diag, WEIR_E_SCENARIO, s->place.file, 0, 0,
                            "more than 256 keys in one section");
    wi_node *made = weir_arena_alloc(s->arena, 1, sizeof *made);
    if (!made)
        return out_of_memory(s);
    made->type = WI_MAPPING;
    made->place = made->key_place = s->place;
    made->key = key;
    wi_node_append(mapping, made);
    *out = made;
    return WEIR_OK;
}

static void become_section(const setter *s, wi_node *node)
{
    node->type = WI_MAPPING;
    node->text = NULL;
    node->place = s->place;
}

/* A new last item, for the path's part `+`; where there is no list yet, it is made. */
static weir_status add_item(const setter *s, wi_node *list, wi_node **out)
{
    *out = NULL;
    if (list->type == WI_MAPPING && list->n > 0)
        return weir_fail_at(s->diag, WEIR_E_SCENARIO, s->place.file, 0, 0,
                            "%s is a section, and only lists take '+'",
                            list->key ? list->key : "the scenario");
    wi_node *made = weir_arena_alloc(s->arena, 1, sizeof *made);
    if (!made)
        return out_of_memory(s);
    list->type = WI_SEQUENCE;
    made->type = WI_MAPPING;
    made->place = s->place;
    wi_node_append(list, made);
    *out = made;
    return WEIR_OK;
}

static void replace(const setter *s, wi_node *node, const wi_node *value)
{
    wi_node changed = *value;
    changed.key = node->key;
    changed.key_place = s->place;
    changed.next = node->next;
    *node = changed;
}

static weir_status walk(const setter *s, wi_node *root, const char *path, wi_node **out)
{
    wi_node *node = root;
    const char *rest = path;
    *out = NULL;
    for (int depth = 0; depth < WI_YAML_DEPTH_MAX; depth++) {
        size_t length = strcspn(rest, ".");
        wi_node *child = NULL;
        if (node->type == WI_SCALAR && wi_node_is_null(node))
            become_section(s, node);
        if (node->type == WI_SCALAR)
            return weir_fail_at(s->diag, WEIR_E_SCENARIO, s->place.file, 0, 0,
                                "'%s' is a single value in the file; set it as a whole, as in %.*s={...}",
                                node->key ? node->key : node->text, (int)(rest - path - 1), path);
        if (node->type != WI_SCALAR && length == 1 && rest[0] == '+' && node != root) {
            WI_RETURN_IF_FAILED(add_item(s, node, &child));
        } else if (node->type == WI_MAPPING) {
            WI_RETURN_IF_FAILED(find_or_make(s, node, rest, length, &child));
        } else {
            child = find_item(node, rest, &length);
            if (!child)
                return no_item(s, node, rest, length);
        }
        if (!rest[length]) {
            *out = child;
            return WEIR_OK;
        }
        rest += length + 1;
        node = child;
    }
    return weir_fail_at(s->diag, WEIR_E_SCENARIO, s->place.file, 0, 0, "the path is deeper than %d levels",
                        WI_YAML_DEPTH_MAX);
}

static bool has_empty_part(const char *path, size_t length)
{
    return path[0] == '.' || path[length - 1] == '.' || memmem(path, length, "..", 2) != NULL;
}

weir_status wi_yaml_set(weir_diag *diag, weir_arena *arena, wi_node *root, const char *set)
{
    setter s = {.diag = diag, .arena = arena};
    s.place.file = wi_text_format(arena, "--set %s", set);
    if (!s.place.file)
        return weir_fail(diag, WEIR_E_NOMEM, "--set: out of memory");
    const char *equal = strchr(set, '=');
    if (!equal || equal == set)
        return weir_fail_at(diag, WEIR_E_SCENARIO, s.place.file, 0, 0,
                            "want PATH=VALUE, as in --set topology.link.rate=1Gbps");
    if (has_empty_part(set, (size_t)(equal - set)))
        return weir_fail_at(diag, WEIR_E_SCENARIO, s.place.file, 0, 0, "the path has an empty part");
    wi_node *value, *at;
    char *path = wi_text_copy(arena, set, (size_t)(equal - set));
    if (!path)
        return out_of_memory(&s);
    weir_status st = wi_yaml_parse(diag, arena, &(wi_yaml_text){s.place.file, equal + 1, strlen(equal + 1)},
                                   &s.place, &value)
                         ?: walk(&s, root, path, &at);
    if (st == WEIR_OK)
        replace(&s, at, value);
    return st;
}
