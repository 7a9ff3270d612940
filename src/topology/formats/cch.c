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

#include "base/memory.h"

/* A neighbour as listed; the router that has the uid may come later. */
typedef struct neighbour {
    uint32_t from; /* node */
    uint32_t to;   /* number of the uid's text in `uids` */
} neighbour;

typedef struct cch {
    wi_reading *r;
    wi_names uids;
    uint32_t *node_of; /* [uids.count]: node + 1; 0 while only named as a neighbour */
    size_t node_of_capacity;
    neighbour *neighbours;
    size_t n_neighbours, neighbour_capacity;
    uint64_t external_lines, external_ends, absent;
} cch;

/* One line. */
typedef struct router {
    uint32_t uid; /* number in `uids` */
    bool backbone;
    wi_slice name;
} router;

/* The number of a uid in `uids`. */
static uint32_t number_of_uid(cch *c, wi_slice uid)
{
    char shown[WI_SHOWN];
    uint32_t value;
    if (!wi_slice_u32(uid, &value)) {
        wi_fail(c->r->source,
                "'%s' is no router number; want a line such as '12 @City + bb (2) -> <13> <14> =name r0'",
                wi_shown(uid, shown));
        return WI_NO_NAME;
    }
    const uint32_t number = wi_names_intern(&c->uids, uid.text, uid.length);
    if (number == WI_NO_NAME ||
        !wi_grow_zeroed(&c->node_of, &c->node_of_capacity, number + (size_t)1, sizeof *c->node_of))
        wi_no_memory(c->r->source, "the map");
    return number;
}

static void add_neighbour(cch *c, wi_slice uid)
{
    if (!wi_grow(&c->neighbours, &c->neighbour_capacity, c->n_neighbours + 1, sizeof *c->neighbours)) {
        wi_no_memory(c->r->source, "the map");
        return;
    }
    /* From the router that this line will add. */
    c->neighbours[c->n_neighbours++] = (neighbour){c->r->builder->names.count, number_of_uid(c, uid)};
}

/* The next word: up to a blank, or up to the bracket that closes it. Empty at the end of the line. */
static wi_slice word(const char **at, const char *end)
{
    while (*at < end && wi_is_blank(**at))
        ++*at;
    const char *begin = *at;
    const char close = begin == end ? 0 : *begin == '<' ? '>' : *begin == '{' ? '}' : *begin == '(' ? ')' : 0;
    while (*at < end && (close ? **at != close : !wi_is_blank(**at)))
        ++*at;
    if (close && *at < end)
        ++*at;
    return (wi_slice){begin, (size_t)(*at - begin)};
}

static void parse_neighbours(cch *c, const char *at, const char *end, router *r)
{
    char shown[WI_SHOWN];
    for (wi_slice w = word(&at, end); w.length > 0 && wi_good(c->r); w = word(&at, end)) {
        const char last = w.text[w.length - 1];
        if ((w.text[0] == '<' && last != '>') || (w.text[0] == '{' && last != '}'))
            wi_fail(c->r->source, "the line breaks off in '%s'", wi_shown(w, shown));
        else if (w.text[0] == '<')
            add_neighbour(c, (wi_slice){w.text + 1, w.length - 2});
        else if (w.text[0] == '{')
            c->external_ends++;
        else if (w.text[0] == '=')
            r->name = (wi_slice){w.text + 1, w.length - 1 - (last == '!')};
    }
}

static void add_router(cch *c, const router *r)
{
    char text[WI_NAME_MAX + 1];
    wi_slice name = r->name;
    if (name.length == 0 || name.length > WI_NAME_MAX)
        name = wi_slice_of(wi_names_text(&c->uids, r->uid));
    memcpy(text, name.text, name.length);
    text[name.length] = '\0';
    const uint32_t node = wi_added(c->r, weir_graph_add_node(c->r->builder, text, WEIR_ROUTER));
    if (r->backbone)
        weir_graph_set_class(c->r->builder, node, WEIR_CLASS_BACKBONE);
    c->node_of[r->uid] = node + 1;
}

static void parse_router(cch *c, wi_slice text)
{
    wi_source *const source = c->r->source;
    const char *at = text.text, *end = text.text + text.length;
    router r = {.uid = number_of_uid(c, word(&at, end))};
    if (!wi_good(c->r))
        return;
    if (c->node_of[r.uid])
        wi_fail(source, "router %s is listed twice", wi_names_text(&c->uids, r.uid));
    wi_slice w = word(&at, end);
    while (w.length > 0 && !wi_slice_is(w, "->")) {
        r.backbone |= wi_slice_is(w, "bb");
        w = word(&at, end);
    }
    if (w.length == 0)
        wi_fail(source, "router %s has no '->' before its neighbours", wi_names_text(&c->uids, r.uid));
    parse_neighbours(c, at, end, &r);
    if (wi_good(c->r))
        add_router(c, &r);
}

static void parse(cch *c)
{
    wi_slice line;
    while (wi_next_line(c->r->source, &line)) {
        if (line.length == 0 || line.text[0] == '#')
            continue;
        if (line.text[0] == '-')
            c->external_lines++;
        else
            parse_router(c, line);
    }
    if (c->r->builder->names.count == 0)
        wi_fail(c->r->source, "no routers in the map");
}

/* Symmetric lists would make every link a merged one; that is the format and deserves no note. */
static void add_links(cch *c)
{
    for (size_t i = 0; i < c->n_neighbours && wi_good(c->r); i++) {
        const uint32_t to = c->node_of[c->neighbours[i].to];
        if (to == 0)
            c->absent++;
        else
            wi_list(c->r, wi_listed_init(c->neighbours[i].from, to - 1), WI_LIST_MERGE);
    }
    c->r->links.again = 0;
}

static void report(const cch *c)
{
    const wi_source *const source = c->r->source;
    if (c->external_lines + c->external_ends > 0)
        weir_note(source->diag, "%s: %llu external addresses and %llu links to them are left out",
                  source->name, (unsigned long long)c->external_lines, (unsigned long long)c->external_ends);
    if (c->absent > 0)
        weir_warn(source->diag, "%s: %llu neighbours are left out, as the file does not hold their routers",
                  source->name, (unsigned long long)c->absent);
}

void wi_read_cch(wi_reading *r)
{
    cch c = {.r = r};
    wi_source_text(r->source);
    parse(&c);
    add_links(&c);
    if (wi_good(r))
        report(&c);
    wi_names_free(&c.uids);
    free(c.node_of);
    free(c.neighbours);
}
