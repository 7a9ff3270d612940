/*
 * Rocketfuel router maps, .cch: Spring, Mahajan, Wetherall, SIGCOMM 2002; grammar as its files show it.
 *
 * A router is a line `uid @location [+] [bb] (neighbours) [&external] -> <uid> ... {-euid} ... =name[!] rN`.
 * Taken are uid, bb (node class backbone), the <uid> neighbours and the name, without the ! that marks a
 * failed alias resolution; a router without a name gets its uid as name. Neighbour lists are symmetric; each
 * link is taken once. Lines of external addresses, `-euid =address rN`, and {-euid} neighbours are left out
 * and counted, and so are neighbours that the file does not hold. Stated counts are ignored: filtered maps
 * keep those of the whole map. There are no rates and delays.
 */
#include "topology/read/reader.h"

#include <stdlib.h>
#include <string.h>

#include "topology/read/link_list.h"

/* A neighbour as listed; the router that has the uid may come later. */
typedef struct neighbour {
    uint32_t from; /* node */
    uint32_t to;   /* number of the uid's text in `uids` */
} neighbour;

typedef struct cch {
    weir_diag *diag;
    wi_source *source;
    weir_graph_builder *builder;
    wi_names uids;
    uint32_t *node_of; /* [uids.count]: node + 1; 0 while only named as a neighbour */
    size_t node_of_capacity;
    neighbour *neighbours;
    size_t n_neighbours, neighbour_capacity;
    uint64_t external_lines, external_ends, absent;
} cch;

/* What one line says. */
typedef struct router {
    uint32_t uid; /* number in `uids` */
    bool backbone;
    wi_slice name;
} router;

static weir_status no_memory(const cch *c, int line)
{
    return weir_fail_at(c->diag, WEIR_E_NOMEM, c->source->name, line, 0, "out of memory for the map");
}

static weir_status intern_uid(cch *c, int line, wi_slice uid, uint32_t *number)
{
    char shown[WI_SHOWN];
    uint32_t value;
    if (!wi_slice_u32(uid, &value))
        return weir_fail_at(
            c->diag, WEIR_E_FORMAT, c->source->name, line, 0,
            "'%s' is no router number; want a line such as '12 @City + bb (2) -> <13> <14> =name r0'",
            wi_shown(uid, shown));
    *number = wi_names_intern(&c->uids, uid.text, uid.length);
    if (*number == WI_NO_NAME)
        return no_memory(c, line);
    if (*number >= c->node_of_capacity) {
        const size_t capacity = c->node_of_capacity ? 2 * c->node_of_capacity : 256;
        uint32_t *grown = realloc(c->node_of, capacity * sizeof *grown);
        if (!grown)
            return no_memory(c, line);
        memset(grown + c->node_of_capacity, 0, (capacity - c->node_of_capacity) * sizeof *grown);
        c->node_of = grown;
        c->node_of_capacity = capacity;
    }
    return WEIR_OK;
}

static weir_status add_neighbour(cch *c, int line, wi_slice uid)
{
    if (c->n_neighbours == c->neighbour_capacity) {
        const size_t capacity = c->neighbour_capacity ? 2 * c->neighbour_capacity : 1024;
        neighbour *grown = realloc(c->neighbours, capacity * sizeof *grown);
        if (!grown)
            return no_memory(c, line);
        c->neighbours = grown;
        c->neighbour_capacity = capacity;
    }
    neighbour *n = &c->neighbours[c->n_neighbours];
    const weir_status st = intern_uid(c, line, uid, &n->to);
    if (st != WEIR_OK)
        return st;
    n->from = c->builder->names.count; /* the router that this line will add */
    c->n_neighbours++;
    return WEIR_OK;
}

static bool blank(char c)
{
    return c == ' ' || c == '\t';
}

/* The next word: up to a blank, or up to the bracket that closes it. Empty at the end of the line. */
static wi_slice word(const char **at, const char *end)
{
    while (*at < end && blank(**at))
        ++*at;
    const char *begin = *at;
    const char close = begin == end ? 0 : *begin == '<' ? '>' : *begin == '{' ? '}' : *begin == '(' ? ')' : 0;
    while (*at < end && (close ? **at != close : !blank(**at)))
        ++*at;
    if (close && *at < end)
        ++*at;
    return (wi_slice){begin, (size_t)(*at - begin)};
}

static weir_status cut_off(const cch *c, int line, wi_slice at)
{
    char shown[WI_SHOWN];
    return weir_fail_at(c->diag, WEIR_E_FORMAT, c->source->name, line, 0, "the line breaks off in '%s'",
                        wi_shown(at, shown));
}

static weir_status parse_neighbours(cch *c, int line, const char *at, const char *end, router *r)
{
    for (wi_slice w = word(&at, end); w.length > 0; w = word(&at, end)) {
        const char last = w.text[w.length - 1];
        weir_status st = WEIR_OK;
        if (w.text[0] == '<')
            st = last == '>' ? add_neighbour(c, line, (wi_slice){w.text + 1, w.length - 2})
                             : cut_off(c, line, w);
        else if (w.text[0] == '{' && last != '}')
            st = cut_off(c, line, w);
        else if (w.text[0] == '{')
            c->external_ends++;
        else if (w.text[0] == '=')
            r->name = (wi_slice){w.text + 1, w.length - 1 - (last == '!')};
        if (st != WEIR_OK)
            return st;
    }
    return WEIR_OK;
}

static weir_status add_router(cch *c, int line, const router *r)
{
    char text[WI_NAME_MAX + 1];
    wi_slice name = r->name;
    if (name.length == 0 || name.length > WI_NAME_MAX) {
        const char *uid = wi_names_text(&c->uids, r->uid);
        name = (wi_slice){uid, strlen(uid)};
    }
    memcpy(text, name.text, name.length);
    text[name.length] = '\0';
    const uint32_t node = weir_graph_add_node(c->builder, text, WEIR_ROUTER);
    if (node == UINT32_MAX)
        return wi_builder_failed(c->diag, c->source, line, c->builder);
    if (r->backbone)
        weir_graph_set_class(c->builder, node, WEIR_CLASS_BACKBONE);
    c->node_of[r->uid] = node + 1;
    return WEIR_OK;
}

static weir_status parse_router(cch *c, int line, wi_slice text)
{
    const char *at = text.text, *end = text.text + text.length;
    router r = {0};
    weir_status st = intern_uid(c, line, word(&at, end), &r.uid);
    if (st != WEIR_OK)
        return st;
    if (c->node_of[r.uid])
        return weir_fail_at(c->diag, WEIR_E_FORMAT, c->source->name, line, 0, "router %s is listed twice",
                            wi_names_text(&c->uids, r.uid));
    wi_slice w = word(&at, end);
    while (w.length > 0 && !wi_slice_is(w, "->")) {
        r.backbone |= wi_slice_is(w, "bb");
        w = word(&at, end);
    }
    if (w.length == 0)
        return weir_fail_at(c->diag, WEIR_E_FORMAT, c->source->name, line, 0,
                            "router %s has no '->' before its neighbours", wi_names_text(&c->uids, r.uid));
    st = parse_neighbours(c, line, at, end, &r);
    return st == WEIR_OK ? add_router(c, line, &r) : st;
}

static weir_status parse(cch *c)
{
    wi_slice line;
    while (wi_next_line(c->source, &line)) {
        if (line.length == 0 || line.text[0] == '#')
            continue;
        if (line.text[0] == '-') {
            c->external_lines++;
            continue;
        }
        const weir_status st = parse_router(c, c->source->line, line);
        if (st != WEIR_OK)
            return st;
    }
    if (c->builder->names.count == 0)
        return wi_breaks_off(c->source, "no routers in the map");
    return c->source->status;
}

/* Symmetric lists would make every link a merged one; that is the format and deserves no note. */
static weir_status add_links(cch *c, const weir_topology_options *options)
{
    wi_link_list links = {0};
    bool ok = true;
    for (size_t i = 0; i < c->n_neighbours && ok; i++) {
        const neighbour *n = &c->neighbours[i];
        const uint32_t to = c->node_of[n->to];
        if (to == 0)
            c->absent++;
        else
            ok = wi_link_list_add(&links, wi_listed_init(n->from, to - 1), WI_LIST_MERGE);
    }
    links.again = 0;
    const weir_status st =
        ok ? wi_link_list_finish(c->diag, &links, c->source, options, c->builder) : no_memory(c, 0);
    wi_link_list_free(&links);
    return st;
}

weir_status wi_read_cch(weir_diag *diag, wi_source *source, const weir_topology_options *options,
                        weir_graph_builder *builder)
{
    cch c = {.diag = diag, .source = source, .builder = builder};
    weir_status st = wi_source_text(source);
    if (st == WEIR_OK)
        st = parse(&c);
    if (st == WEIR_OK)
        st = add_links(&c, options);
    if (st == WEIR_OK && c.external_lines + c.external_ends > 0)
        weir_note(diag, "%s: %llu external addresses and %llu links to them are left out", source->name,
                  (unsigned long long)c.external_lines, (unsigned long long)c.external_ends);
    if (st == WEIR_OK && c.absent > 0)
        weir_warn(diag, "%s: %llu neighbours are left out, as the file does not hold their routers",
                  source->name, (unsigned long long)c.absent);
    wi_names_free(&c.uids);
    free(c.node_of);
    free(c.neighbours);
    return st;
}
