/*
 * Networks of groups as link files of CODES: inter-group-connections and intra-group-connections of its models dragonfly-custom,
 * dragonfly-dally and dragonfly-plus (github.com/codes-org/codes, src/networks/model-net/dragonfly-*, and the scripts that write
 * such files). Records of 32-bit integers, lowest byte first, one direction of a link each:
 *
 *     between groups     FROM TO            routers of the whole network
 *     within a group     FROM TO [TYPE]     routers of one group, from 0; the same in each group
 *
 * A group has as many routers as the second file names, the network as many groups as hold the routers of the first; router r of
 * group g is number g n + r. TYPE, 0 or 1, is there in files of custom and dally, not in those of plus: of the two readings the
 * one holds in which each link has its way back, as CODES needs. Entries that repeat are parallel links. Rates, delays and
 * terminals are not in these files.
 */
#include "topology/formats/codes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/formats/codes_partner.h"
#include "topology/read/link_list.h"

typedef struct codes_pair {
    uint32_t from, to;
} codes_pair;

typedef struct codes_pairs {
    codes_pair *at;
    size_t n, room;
    uint32_t top; /* one above the largest router */
} codes_pairs;

static weir_status no_memory(const wi_source *source)
{
    return weir_fail_at(source->diag, WEIR_E_NOMEM, source->name, 0, 0, "out of memory for links");
}

static uint32_t word_at(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* One record more; its words, at most three. */
static weir_status take(codes_pairs *p, const wi_source *source, const char *record)
{
    const codes_pair link = {word_at(record), word_at(record + 4)};
    const uint32_t most = link.from > link.to ? link.from : link.to;
    if (most >= WI_NODES_MAX)
        return weir_fail_at(
            source->diag, WEIR_E_FORMAT, source->name, 0, 0,
            "link %zu joins routers %u and %u; want numbers below %d: is this a link file of CODES?", p->n,
            link.from, link.to, WI_NODES_MAX);
    if (link.from == link.to)
        return weir_fail_at(source->diag, WEIR_E_FORMAT, source->name, 0, 0,
                            "link %zu joins router %u to itself", p->n, link.from);
    if (p->n == p->room) {
        const size_t room = p->room ? 2 * p->room : 1024;
        codes_pair *grown = realloc(p->at, room * sizeof *grown);
        if (!grown)
            return no_memory(source);
        p->at = grown;
        p->room = room;
    }
    p->at[p->n++] = link;
    p->top = most >= p->top ? most + 1 : p->top;
    return WEIR_OK;
}

/* ---- between groups ---- */

static weir_status take_all(codes_pairs *p, wi_source *source)
{
    enum { RECORD = 8 };
    for (;;) {
        while (source->end - source->at < RECORD && wi_source_more(source))
            ;
        if (source->status != WEIR_OK || source->at == source->end)
            return source->status;
        if (source->end - source->at < RECORD)
            return wi_breaks_off(source, "link %zu breaks off after %td of its 8 bytes", p->n,
                                 source->end - source->at);
        const weir_status st = take(p, source, source->at);
        if (st != WEIR_OK)
            return st;
        source->at += RECORD;
    }
}

/* ---- within a group ---- */

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Sorted keys, pair and then direction: as many one way as the other, of each pair. */
static bool are_balanced(const uint64_t *key, size_t n)
{
    for (size_t i = 0, back, end; i < n; i = end) {
        for (back = i; back < n && key[back] == (key[i] & ~UINT64_C(1)); back++)
            ;
        for (end = back; end < n && key[end] == (key[i] | 1); end++)
            ;
        if (end - back != back - i)
            return false;
    }
    return true;
}

/* Of `size` bytes as records of `record`: are these whole, of known types, and has each its way back? *ok: memory lasted. */
static bool go_both_ways(const char *data, size_t size, size_t record, bool *ok)
{
    const size_t n = size / record;
    bool both = size % record == 0 && n > 0;
    if (!both)
        return false;
    uint64_t *key = malloc(n * sizeof *key);
    *ok = key != NULL;
    for (size_t i = 0; key && i < n && both; i++) {
        const char *at = data + i * record;
        const uint64_t a = word_at(at), b = word_at(at + 4);
        key[i] = a < b ? a << 25 | b << 1 : b << 25 | a << 1 | 1;
        both = a < WI_NODES_MAX && b < WI_NODES_MAX && (record == 8 || word_at(at + 8) <= 1);
    }
    if (key && both) {
        qsort(key, n, sizeof *key, ascending);
        both = are_balanced(key, n);
    }
    free(key);
    return key && both;
}

static weir_status take_group(codes_pairs *p, wi_source *source)
{
    bool ok = true;
    weir_status st = wi_source_hold(source);
    const size_t size = (size_t)(source->end - source->at);
    if (st != WEIR_OK)
        return st;
    const size_t record = go_both_ways(source->at, size, 12, &ok)  ? 12
                          : go_both_ways(source->at, size, 8, &ok) ? 8
                                                                   : 0;
    if (!ok)
        return no_memory(source);
    if (record == 0)
        return weir_fail_at(
            source->diag, WEIR_E_FORMAT, source->name, 0, 0,
            "%zu bytes are no links within a group: want records of two 32-bit numbers, or three "
            "of which the last is 0 or 1, each link in both directions",
            size);
    for (; st == WEIR_OK && source->at < source->end; source->at += record)
        st = take(p, source, source->at);
    return st;
}

/* ---- the network ---- */

static weir_status add_links(weir_diag *diag, const codes_pairs *inter, const codes_pairs *intra,
                             wi_source *source, const weir_topology_options *options,
                             weir_graph_builder *builder)
{
    const uint32_t n = intra->top, groups = inter->top / n + (inter->top % n != 0);
    wi_link_list links = {0};
    bool ok = true;
    char name[32];
    for (uint32_t r = 0; r < n * groups; r++) {
        snprintf(name, sizeof name, "g%u_r%u", r / n, r % n);
        if (weir_graph_add_node(builder, name, WEIR_ROUTER) == UINT32_MAX)
            return wi_builder_failed(diag, source, 0, builder);
    }
    for (uint32_t g = 0; g < groups; g++)
        for (size_t i = 0; i < intra->n && ok; i++)
            ok = wi_link_list_add(&links, wi_listed_init(g * n + intra->at[i].from, g * n + intra->at[i].to),
                                  WI_LIST_DIRECTED);
    for (size_t i = 0; i < inter->n && ok; i++)
        ok = wi_link_list_add(&links, wi_listed_init(inter->at[i].from, inter->at[i].to), WI_LIST_DIRECTED);
    const weir_status st =
        ok ? wi_link_list_finish(diag, &links, source, options, builder) : no_memory(source);
    wi_link_list_free(&links);
    return st;
}

/* What the two files say of each other. */
static weir_status check(const codes_pairs *inter, const codes_pairs *intra, const wi_source *source)
{
    const uint32_t n = intra->top;
    if (inter->n == 0)
        return weir_fail_at(source->diag, WEIR_E_FORMAT, source->name, 0, 0, "no links between groups");
    for (size_t i = 0; i < inter->n; i++)
        if (inter->at[i].from / n == inter->at[i].to / n)
            return weir_fail_at(
                source->diag, WEIR_E_FORMAT, source->name, 0, 0,
                "link %zu joins routers %u and %u, both of group %u: a group has %u, by the file of "
                "links within one",
                i, inter->at[i].from, inter->at[i].to, inter->at[i].from / n, n);
    const uint64_t groups = (uint64_t)inter->top / n + 1;
    return groups * n <= WI_NODES_MAX && groups * intra->n + inter->n <= WI_LINKS_MAX
               ? WEIR_OK
               : weir_fail_at(source->diag, WEIR_E_FORMAT, source->name, 0, 0,
                              "some %llu groups of %u routers and %zu links each: more than there may be",
                              (unsigned long long)groups, n, intra->n);
}

weir_status wi_codes_read(weir_diag *diag, wi_source *inter, wi_source *intra,
                          const weir_topology_options *options, weir_graph_builder *builder)
{
    codes_pairs between = {0}, within = {0};
    weir_status st = take_group(&within, intra);
    if (st == WEIR_OK)
        st = take_all(&between, inter);
    if (st == WEIR_OK)
        st = check(&between, &within, inter);
    if (st == WEIR_OK)
        st = add_links(diag, &between, &within, inter, options, builder);
    free(between.at);
    free(within.at);
    return st;
}

bool wi_codes_partner(const char *path, char *out, size_t size)
{
    const char *slash = strrchr(path, '/'), *at = NULL;
    for (const char *next = slash ? slash : path; (next = strstr(next, "inter")) != NULL; next++)
        at = next;
    return at &&
           (size_t)snprintf(out, size, "%.*sintra%s", (int)(at - path), path, at + strlen("inter")) < size;
}

weir_status wi_read_codes(weir_diag *diag, wi_source *source, const weir_topology_options *options,
                          weir_graph_builder *builder)
{
    char path[4096];
    wi_source intra;
    if (!source->is_file || !wi_codes_partner(source->name, path, sizeof path))
        return weir_fail_at(
            diag, WEIR_E_FORMAT, source->name, 0, 0,
            "want a file with 'inter' in its name, and beside it the links within a group, with 'intra' "
            "in its place");
    weir_status st = wi_source_open(diag, path, options->max_bytes, &intra);
    if (st == WEIR_OK)
        st = wi_codes_read(diag, source, &intra, options, builder);
    wi_source_close(&intra);
    return st;
}
