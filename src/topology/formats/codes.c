/*
 * Networks of groups as link files of CODES: inter-group-connections and intra-group-connections of its
 * models dragonfly-custom, dragonfly-dally and dragonfly-plus (github.com/codes-org/codes,
 * src/networks/model-net/dragonfly-*, and the scripts that write such files). Records of 32-bit integers,
 * lowest byte first, one direction of a link each:
 *
 *     between groups     FROM TO            routers of the whole network
 *     within a group     FROM TO [TYPE]     routers of one group, from 0; the same in each group
 *
 * A group has as many routers as the second file names, the network as many groups as hold the routers of the
 * first; router r of group g is number g n + r. TYPE, 0 or 1, is there in files of custom and dally, not in
 * those of plus: of the two readings the one holds in which each link has its way back, as CODES needs.
 * Entries that repeat are parallel links. Rates, delays and terminals are not in these files.
 */
#include "topology/formats/formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"

typedef struct codes_pair {
    uint32_t from, to;
} codes_pair;

typedef struct codes_pairs {
    codes_pair *at;
    size_t n, room;
    uint32_t top; /* one above the largest router */
} codes_pairs;

static uint32_t word_at(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* One record more. */
static void take(codes_pairs *p, wi_source *source, const char *record)
{
    const codes_pair link = {word_at(record), word_at(record + 4)};
    const uint32_t most = link.from > link.to ? link.from : link.to;
    if (most >= WI_NODES_MAX)
        wi_fail(source,
                "link %zu joins routers %u and %u; want numbers below %d: is this a link file of CODES?",
                p->n, link.from, link.to, WI_NODES_MAX);
    else if (link.from == link.to)
        wi_fail(source, "link %zu joins router %u to itself", p->n, link.from);
    else if (!wi_grow(&p->at, &p->room, p->n + 1, sizeof *p->at))
        wi_no_memory(source, "links");
    else
        p->at[p->n++] = link;
    p->top = most >= p->top ? most + 1 : p->top;
}

/* ---- between groups ---- */

static void read_all(codes_pairs *p, wi_source *source)
{
    enum { RECORD = 8 };
    while (source->status == WEIR_OK) {
        while (source->end - source->at < RECORD && wi_source_more(source))
            ;
        if (source->at == source->end)
            return;
        if (source->end - source->at < RECORD)
            wi_fail(source, "link %zu breaks off after %td of its 8 bytes", p->n, source->end - source->at);
        else
            take(p, source, source->at);
        source->at += RECORD;
    }
}

/* ---- within a group ---- */

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

/* Of `size` bytes as records of `record`: are these whole, of known types, and has each its way back? *ok:
 * memory lasted. */
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
        qsort(key, n, sizeof *key, wi_order_u64);
        both = are_balanced(key, n);
    }
    free(key);
    return key && both;
}

static void read_group(codes_pairs *p, wi_source *source)
{
    bool ok = true;
    wi_source_hold(source);
    const size_t size = (size_t)(source->end - source->at);
    if (source->status != WEIR_OK)
        return;
    const size_t record = go_both_ways(source->at, size, 12, &ok)  ? 12
                          : go_both_ways(source->at, size, 8, &ok) ? 8
                                                                   : 0;
    if (!ok)
        wi_no_memory(source, "links");
    else if (record == 0)
        wi_fail(source,
                "%zu bytes are no links within a group: want records of two 32-bit numbers, or three of "
                "which the last is 0 or 1, each link in both directions",
                size);
    for (; source->status == WEIR_OK && source->at < source->end; source->at += record)
        take(p, source, source->at);
}

/* ---- the network ---- */

static void add_links(wi_reading *r, const codes_pairs *inter, const codes_pairs *intra)
{
    const uint32_t n = intra->top, groups = inter->top / n + (inter->top % n != 0);
    char name[32];
    for (uint32_t v = 0; v < n * groups && wi_good(r); v++) {
        snprintf(name, sizeof name, "g%u_r%u", v / n, v % n);
        wi_added(r, weir_graph_add_node(r->builder, name, WEIR_ROUTER));
    }
    for (uint32_t g = 0; g < groups; g++)
        for (size_t i = 0; i < intra->n && wi_good(r); i++)
            wi_list(r, wi_listed_init(g * n + intra->at[i].from, g * n + intra->at[i].to), WI_LIST_DIRECTED);
    for (size_t i = 0; i < inter->n && wi_good(r); i++)
        wi_list(r, wi_listed_init(inter->at[i].from, inter->at[i].to), WI_LIST_DIRECTED);
}

/* Check the two files against each other. */
static void check(const codes_pairs *inter, const codes_pairs *intra, wi_source *source)
{
    const uint32_t n = intra->top;
    if (inter->n == 0)
        wi_fail(source, "no links between groups");
    for (size_t i = 0; i < inter->n && source->status == WEIR_OK; i++)
        if (inter->at[i].from / n == inter->at[i].to / n)
            wi_fail(source,
                    "link %zu joins routers %u and %u, both of group %u: a group has %u, by the file of "
                    "links within one",
                    i, inter->at[i].from, inter->at[i].to, inter->at[i].from / n, n);
    const uint64_t groups = n ? (uint64_t)inter->top / n + 1 : 0;
    if (groups * n > WI_NODES_MAX || groups * intra->n + inter->n > WI_LINKS_MAX)
        wi_fail(source, "some %llu groups of %u routers and %zu links each: more than there may be",
                (unsigned long long)groups, n, intra->n);
}

void wi_codes_read(wi_reading *r, wi_source *intra)
{
    codes_pairs between = {0}, within = {0};
    read_group(&within, intra);
    if (intra->status != WEIR_OK)
        r->source->status = intra->status;
    read_all(&between, r->source);
    if (wi_good(r))
        check(&between, &within, r->source);
    if (wi_good(r))
        add_links(r, &between, &within);
    free(between.at);
    free(within.at);
}

bool wi_codes_partner(const char *path, char *out, size_t size)
{
    const char *slash = strrchr(path, '/'), *at = NULL;
    for (const char *next = slash ? slash : path; (next = strstr(next, "inter")) != NULL; next++)
        at = next;
    return at &&
           (size_t)snprintf(out, size, "%.*sintra%s", (int)(at - path), path, at + strlen("inter")) < size;
}

void wi_read_codes(wi_reading *r)
{
    char path[4096];
    wi_source intra;
    if (!r->source->is_file || !wi_codes_partner(r->source->name, path, sizeof path)) {
        wi_fail(r->source, "want a file with 'inter' in its name, and beside it the links within a group, "
                           "with 'intra' in its place");
        return;
    }
    r->source->status = wi_source_open(r->source->diag, path, r->options->max_bytes, &intra);
    if (wi_good(r))
        wi_codes_read(r, &intra);
    wi_source_close(&intra);
}
