/* libyaml's events, made into a tree. Every limit is checked before memory is taken. */
#include "schema/yaml.h"

#include <string.h>

#include <yaml.h>

#include "base/memory.h"

enum { TWINS_MAX = 100 }; /* duplicate keys reported */

typedef struct anchor {
    const char *name;
    const wi_node *node; /* null while the node is being read: an alias inside would never end */
    struct anchor *next;
} anchor;

typedef struct loader {
    weir_diag *diag;
    weir_arena *arena;
    const wi_yaml_text *of;
    const weir_place *fixed;
    yaml_parser_t parser;
    anchor *anchors;
    size_t n_nodes;
    size_t n_twins; /* duplicate keys */
} loader;

wi_node *wi_node_child(const wi_node *node, const char *key)
{
    if (node && node->type == WI_MAPPING) {
        for (wi_node *child = node->first; child; child = child->next) {
            if (strcmp(child->key, key) == 0)
                return child;
        }
    }
    return NULL;
}

bool wi_node_is_null(const wi_node *node)
{
    return node->type == WI_SCALAR && node->plain &&
           (!node->text[0] || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0);
}

const char *wi_node_what(const wi_node *node)
{
    return node->type == WI_MAPPING ? "a section" : node->type == WI_SEQUENCE ? "a list" : "a single value";
}

void wi_node_append(wi_node *parent, wi_node *child)
{
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
    parent->n++;
}

static weir_place place_of(const loader *l, yaml_mark_t mark)
{
    if (l->fixed)
        return *l->fixed;
    return (weir_place){l->of->name, (int)mark.line + 1, (int)mark.column + 1};
}

static weir_status fail(const loader *l, weir_place p, const char *text)
{
    return weir_fail_at(l->diag, WEIR_E_FORMAT, WEIR_AT(p), "%s", text);
}

static weir_status out_of_memory(const loader *l)
{
    return weir_fail(l->diag, WEIR_E_NOMEM, "%s: out of memory after %zu values", l->of->name, l->n_nodes);
}

/* A reader error has an offset only; the line and column are counted here. */
static weir_place place_of_offset(const loader *l, size_t offset)
{
    weir_place p = {l->of->name, 1, 1};
    if (l->fixed)
        return *l->fixed;
    for (size_t i = 0; i < offset && i < l->of->length; i++) {
        const unsigned char c = (unsigned char)l->of->text[i];
        if (c == '\n') {
            p.line++;
            p.column = 1;
        } else if ((c & 0xc0) != 0x80) {
            p.column++;
        }
    }
    return p;
}

static weir_status parser_failed(const loader *l)
{
    const yaml_parser_t *p = &l->parser;
    const char *problem = p->problem ? p->problem : "cannot be read";
    if (p->error == YAML_MEMORY_ERROR)
        return out_of_memory(l);
    if (p->error == YAML_READER_ERROR) {
        const weir_place at = place_of_offset(l, p->problem_offset);
        return weir_fail_at(l->diag, WEIR_E_FORMAT, WEIR_AT(at),
                            "this is not text as YAML wants it (UTF-8): %s", problem);
    }
    const weir_place at = place_of(l, p->problem_mark);
    if (p->context && p->context_mark.line != p->problem_mark.line)
        return weir_fail_at(l->diag, WEIR_E_FORMAT, WEIR_AT(at), "bad YAML: %s, %s that began in line %zu",
                            problem, p->context, p->context_mark.line + 1);
    return weir_fail_at(l->diag, WEIR_E_FORMAT, WEIR_AT(at), "bad YAML: %s%s%s", problem,
                        p->context ? " " : "", p->context ? p->context : "");
}

static weir_status next_event(loader *l, yaml_event_t *event)
{
    return yaml_parser_parse(&l->parser, event) ? WEIR_OK : parser_failed(l);
}

static weir_status new_node(loader *l, wi_node_type type, weir_place place, wi_node **out)
{
    *out = NULL;
    if (++l->n_nodes > WI_YAML_NODES_MAX)
        return weir_fail_at(l->diag, WEIR_E_FORMAT, WEIR_AT(place),
                            "more than %d values, those repeated by aliases included", WI_YAML_NODES_MAX);
    wi_node *node = weir_arena_alloc(l->arena, 1, sizeof *node);
    if (!node)
        return out_of_memory(l);
    node->type = type;
    node->place = place;
    *out = node;
    return WEIR_OK;
}

/* A copy of an anchored node. Its depth was checked when it was read; where it is copied to, again. */
static weir_status copy_node(loader *l, const wi_node *from, int depth, weir_place alias_place, wi_node **out)
{
    wi_node *node;
    if (depth > WI_YAML_DEPTH_MAX) {
        *out = NULL;
        return fail(l, alias_place, "nested too deep by this alias");
    }
    weir_status st = new_node(l, from->type, alias_place, &node);
    if (st != WEIR_OK) {
        *out = NULL;
        return st;
    }
    node->place = from->place;
    node->plain = from->plain;
    node->text = from->text;
    node->key = from->key;
    node->key_place = from->key_place;
    for (const wi_node *child = from->first; child && st == WEIR_OK; child = child->next) {
        wi_node *copy;
        st = copy_node(l, child, depth + 1, alias_place, &copy);
        if (st == WEIR_OK)
            wi_node_append(node, copy);
    }
    *out = st == WEIR_OK ? node : NULL;
    return st;
}

static weir_status read_alias(loader *l, const yaml_event_t *event, int depth, wi_node **out)
{
    const char *name = (const char *)event->data.alias.anchor;
    const weir_place place = place_of(l, event->start_mark);
    *out = NULL;
    for (const anchor *a = l->anchors; a; a = a->next) {
        if (strcmp(a->name, name) == 0) {
            if (!a->node)
                return weir_fail_at(l->diag, WEIR_E_FORMAT, WEIR_AT(place),
                                    "alias '*%s' stands inside its own anchor", name);
            const weir_status st = copy_node(l, a->node, depth, place, out);
            if (st == WEIR_OK)
                (*out)->key = NULL;
            return st;
        }
    }
    return weir_fail_at(l->diag, WEIR_E_FORMAT, WEIR_AT(place), "alias '*%s' has no anchor '&%s' before it",
                        name, name);
}

/* Remember an anchor before its node is read; the newest of a name is found first. */
static weir_status open_anchor(loader *l, const unsigned char *name, anchor **out)
{
    *out = NULL;
    if (!name)
        return WEIR_OK;
    anchor *a = weir_arena_alloc(l->arena, 1, sizeof *a);
    if (!a)
        return out_of_memory(l);
    a->name = wi_text_copy(l->arena, (const char *)name, strlen((const char *)name));
    if (!a->name)
        return out_of_memory(l);
    a->next = l->anchors;
    l->anchors = a;
    *out = a;
    return WEIR_OK;
}

static weir_status scalar_text(loader *l, const yaml_event_t *event, const char **out)
{
    const char *value = (const char *)event->data.scalar.value;
    const size_t length = event->data.scalar.length;
    *out = NULL;
    if (memchr(value, '\0', length))
        return fail(l, place_of(l, event->start_mark), "a text must not hold a zero character");
    *out = wi_text_copy(l->arena, value, length);
    return *out ? WEIR_OK : out_of_memory(l);
}

static weir_status read_node(loader *l, const yaml_event_t *event, int depth, wi_node **out);

static weir_status read_key(loader *l, const wi_node *mapping, const yaml_event_t *event, const char **key,
                            bool *is_twin)
{
    const weir_place place = place_of(l, event->start_mark);
    *key = NULL;
    *is_twin = false;
    if (event->type != YAML_SCALAR_EVENT)
        return fail(l, place, "a key must be a word, not a list, a section or an alias");
    WI_RETURN_IF_FAILED(scalar_text(l, event, key));
    if (strcmp(*key, "<<") == 0)
        return fail(l, place, "merge keys ('<<') are not supported; write the keys out");
    if (mapping->n >= WI_YAML_KEYS_MAX)
        return fail(l, place, "more than 256 keys in one section");
    const wi_node *twin = wi_node_child(mapping, *key);
    *is_twin = twin != NULL;
    if (twin && l->n_twins++ < TWINS_MAX)
        weir_fail_at(l->diag, WEIR_E_FORMAT, WEIR_AT(place), "key '%s' is given twice; it is also in line %d",
                     *key, twin->key_place.line);
    return WEIR_OK;
}

/* A duplicate key is reported and its value read and dropped, so that the rest of the file is still checked.
 */
static weir_status read_entry(loader *l, wi_node *mapping, const yaml_event_t *key_event, int depth)
{
    const char *key;
    const weir_place key_place = place_of(l, key_event->start_mark);
    bool twin;
    WI_RETURN_IF_FAILED(read_key(l, mapping, key_event, &key, &twin));
    yaml_event_t event;
    wi_node *value = NULL;
    WI_RETURN_IF_FAILED(next_event(l, &event));
    weir_status st = read_node(l, &event, depth, &value);
    yaml_event_delete(&event);
    if (st == WEIR_OK && !twin) {
        value->key = key;
        value->key_place = key_place;
        wi_node_append(mapping, value);
    }
    return st;
}

static weir_status read_children(loader *l, wi_node *node, int depth)
{
    const yaml_event_type_t end = node->type == WI_MAPPING ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT;
    weir_status st = WEIR_OK;
    while (st == WEIR_OK) {
        yaml_event_t event;
        st = next_event(l, &event);
        if (st != WEIR_OK)
            break;
        const bool last = event.type == end;
        if (!last && node->type == WI_MAPPING) {
            st = read_entry(l, node, &event, depth + 1);
        } else if (!last) {
            wi_node *item;
            st = read_node(l, &event, depth + 1, &item);
            if (st == WEIR_OK)
                wi_node_append(node, item);
        }
        yaml_event_delete(&event);
        if (last)
            break;
    }
    return st;
}

static weir_status read_node(loader *l, const yaml_event_t *event, int depth, wi_node **out)
{
    const weir_place place = place_of(l, event->start_mark);
    const yaml_char_t *name = NULL, *tag = NULL;
    wi_node_type type = WI_SCALAR;
    *out = NULL;
    if (depth > WI_YAML_DEPTH_MAX)
        return weir_fail_at(l->diag, WEIR_E_FORMAT, WEIR_AT(place), "nested deeper than %d levels",
                            WI_YAML_DEPTH_MAX);
    if (event->type == YAML_ALIAS_EVENT)
        return read_alias(l, event, depth, out);
    if (event->type == YAML_SCALAR_EVENT) {
        name = event->data.scalar.anchor;
        tag = event->data.scalar.tag;
    } else if (event->type == YAML_SEQUENCE_START_EVENT) {
        type = WI_SEQUENCE;
        name = event->data.sequence_start.anchor;
        tag = event->data.sequence_start.tag;
    } else {
        type = WI_MAPPING;
        name = event->data.mapping_start.anchor;
        tag = event->data.mapping_start.tag;
    }
    if (tag)
        return weir_fail_at(l->diag, WEIR_E_FORMAT, WEIR_AT(place), "tags are not supported; leave out '%s'",
                            (const char *)tag);
    wi_node *node;
    anchor *opened;
    weir_status st = new_node(l, type, place, &node) ?: open_anchor(l, name, &opened);
    if (st == WEIR_OK && type == WI_SCALAR) {
        node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
        st = scalar_text(l, event, &node->text);
    } else if (st == WEIR_OK) {
        st = read_children(l, node, depth);
    }
    if (st != WEIR_OK)
        return st;
    if (opened)
        opened->node = node;
    *out = node;
    return WEIR_OK;
}

static weir_status read_document(loader *l, wi_node **out)
{
    yaml_event_t event;
    weir_status st = next_event(l, &event); /* the stream's start */
    if (st != WEIR_OK)
        return st;
    yaml_event_delete(&event);
    WI_RETURN_IF_FAILED(next_event(l, &event));
    const bool empty = event.type == YAML_STREAM_END_EVENT;
    yaml_event_delete(&event);
    if (empty)
        return l->fixed ? new_node(l, WI_SCALAR, *l->fixed, out)
                        : fail(l, (weir_place){l->of->name, 1, 1}, "there is nothing in this file");
    WI_RETURN_IF_FAILED(next_event(l, &event));
    st = read_node(l, &event, 0, out);
    yaml_event_delete(&event);
    return st;
}

static weir_status read_end(loader *l)
{
    yaml_event_t event;
    for (int i = 0; i < 2; i++) { /* the document's end, then the stream's */
        WI_RETURN_IF_FAILED(next_event(l, &event));
        const bool second = event.type == YAML_DOCUMENT_START_EVENT;
        const weir_place place = place_of(l, event.start_mark);
        yaml_event_delete(&event);
        if (second)
            return fail(l, place, "a second document begins here; a scenario is one document");
    }
    return WEIR_OK;
}

weir_status wi_yaml_parse(weir_diag *diag, weir_arena *arena, const wi_yaml_text *of, const weir_place *fixed,
                          wi_node **out)
{
    loader l = {.diag = diag, .arena = arena, .of = of, .fixed = fixed};
    *out = NULL;
    if (of->length > WI_YAML_BYTES_MAX)
        return weir_fail_at(diag, WEIR_E_FORMAT, of->name, 0, 0,
                            "%zu bytes are too many for a scenario; the limit is %d", of->length,
                            WI_YAML_BYTES_MAX);
    if (!yaml_parser_initialize(&l.parser))
        return out_of_memory(&l);
    yaml_parser_set_input_string(&l.parser, (const unsigned char *)of->text, of->length);
    wi_node *root = NULL;
    weir_status st = read_document(&l, &root) ?: read_end(&l);
    yaml_parser_delete(&l.parser);
    if (st == WEIR_OK && fixed && !root->text && root->type == WI_SCALAR) {
        root->plain = true;
        root->text = "";
    }
    if (st != WEIR_OK)
        return st;
    *out = root;
    return l.n_twins ? WEIR_E_FORMAT : WEIR_OK;
}
