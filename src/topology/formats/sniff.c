/* What a file is, by its content: first lines, and shapes of lines. */
#include "topology/formats/formats.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "topology/read/edge_line.h"
#include "weir/units.h"

enum { LINES_TO_TRY = 50 };

/* What is on hand, without a last line that may go on. */
static wi_source on_hand(const wi_source *source)
{
    size_t size = (size_t)(source->end - source->at);
    while (!source->ended && size > 0 && source->at[size - 1] != '\n')
        size--;
    return wi_source_memory(NULL, source->name, source->at, size);
}

/* The next line that holds something; with `data`, that is no comment either. */
static bool next_line(wi_source *source, bool data, wi_slice *line)
{
    while (wi_next_line(source, line))
        if (line->length > 0 && !(data && (line->text[0] == '#' || line->text[0] == '%')))
            return true;
    return false;
}

/* ---- by the first line ---- */

typedef struct opening {
    const char *begin, *name;
} opening;

static const char *opened_by(wi_slice line, const opening *all, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (wi_slice_begins(line, all[i].begin))
            return all[i].name;
    return NULL;
}

/* Which XML a document is: by its first element, past declarations and comments. */
static const char *by_root(const wi_source *source)
{
    const wi_source text = on_hand(source);
    const char *at = source->ended ? source->at : text.at, *const end =
                                                               source->ended ? source->end : text.end;
    while (at < end && (at = memchr(at, '<', (size_t)(end - at))) != NULL && end - at > 1) {
        const bool comment = end - at >= 4 && memcmp(at, "<!--", 4) == 0;
        if (at[1] != '?' && at[1] != '!')
            break;
        const char *close = at + 1;
        while (close < end &&
               !(*close == '>' && (!comment || (close - at >= 6 && memcmp(close - 2, "--", 2) == 0))))
            close++;
        at = close;
    }
    static const char network[] = "<network";
    const size_t n = sizeof network - 1;
    const bool is =
        at && (size_t)(end - at) > n && memcmp(at, network, n) == 0 && !isalnum((unsigned char)at[n]);
    return is ? "sndlib-xml" : "graphml";
}

static const char *by_first_line(const wi_source *source)
{
    static const opening all[] = {{"Topology:", "brite"},
                                  {"BriteConfig", "brite-conf"},
                                  {"?SNDlib native format", "sndlib"},
                                  {"graph [", "gml"},
                                  {"graph[", "gml"},
                                  {"Creator ", "gml"},
                                  {"NODES ", "repetita"}};
    wi_source text = on_hand(source);
    wi_slice line;
    while (next_line(&text, false, &line)) {
        if (line.text[0] == '<')
            return by_root(source);
        const char *const found = opened_by(line, all, sizeof all / sizeof *all);
        if (found || line.text[0] != '#')
            return found;
    }
    return NULL;
}

/* First lines of what is not read. */
static const char *foreign_by_first_line(const wi_source *source)
{
    static const opening all[] = {{"DEMANDS ", "REPETITA's demands"},
                                  {"graph {", "Graphviz"},
                                  {"graph weir {", "Graphviz"},
                                  {"digraph ", "Graphviz"},
                                  {"strict graph ", "Graphviz"},
                                  {"*Vertices", "Pajek"},
                                  {"*vertices", "Pajek"},
                                  {"Nodes ", "htsim's connections"},
                                  {"PLACES ", "a seed file of BRITE"},
                                  {"LPGROUPS", "a configuration of CODES"},
                                  {"{", "JSON"}};
    wi_source text = on_hand(source);
    wi_slice line;
    return next_line(&text, true, &line) ? opened_by(line, all, sizeof all / sizeof *all) : NULL;
}

/* ---- what lines look like ---- */

/* `12 @City + bb (2) -> <13> <14> =name r0` */
static bool is_cch_line(wi_slice line)
{
    wi_slice f[3];
    uint32_t uid;
    if (wi_split(line, f, 3) < 3 || !wi_slice_u32(f[0], &uid) || f[1].text[0] != '@')
        return false;
    for (size_t i = 0; i + 1 < line.length; i++)
        if (line.text[i] == '-' && line.text[i + 1] == '>')
            return true;
    return false;
}

/* `64500|64501|-1`, and a source behind it */
static bool is_as_rel_line(wi_slice line)
{
    uint32_t a, b;
    const wi_edge_line l = wi_edge_split(line, '|', 0);
    return (l.n_fields == 3 || l.n_fields == 4) && wi_slice_u32(l.field[0], &a) &&
           wi_slice_u32(l.field[1], &b) &&
           (wi_slice_is(l.field[2], "-1") || wi_slice_is(l.field[2], "0") || wi_slice_is(l.field[2], "1"));
}

/* Most of the first lines are. */
static bool lines_are(const wi_source *source, bool (*is)(wi_slice line))
{
    wi_source text = on_hand(source);
    wi_slice line;
    int yes = 0, n = 0;
    while (n < LINES_TO_TRY && next_line(&text, true, &line)) {
        if (line.text[0] == '-')
            continue; /* an external address in a .cch */
        n++;
        yes += is(line);
    }
    return yes > n / 2;
}

/* `N S L`, or SimAI's `N G V S L A100`, numbers of switches, then `0 7 10Gbps 1000ns 0`. */
static bool is_ns3_rdma(const wi_source *source)
{
    wi_source text = on_hand(source);
    wi_slice line, f[6];
    char rate[32];
    uint32_t n;
    uint64_t bps;
    const size_t counts = next_line(&text, false, &line) ? wi_split(line, f, 6) : 0;
    if (counts != 3 && counts != 6)
        return false;
    for (size_t i = 0; i < counts && i < 5; i++)
        if (!wi_slice_u32(f[i], &n))
            return false;
    while (next_line(&text, false, &line)) {
        const size_t fields = wi_split(line, f, 5);
        if (fields == 5 && !wi_slice_u32(f[2], &n)) {
            wi_slice_copy(f[2], rate, sizeof rate);
            return weir_parse_rate(rate, &bps, NULL, 0);
        }
        for (size_t i = 0; i < fields && i < 5; i++)
            if (!wi_slice_u32(f[i], &n))
                return false;
    }
    return false;
}

/* `Nodes n`, and a line `Tiers n` or `Tier n`. */
static bool is_htsim(const wi_source *source)
{
    wi_source text = on_hand(source);
    wi_slice line, f[2];
    if (!next_line(&text, true, &line) || wi_split(line, f, 2) != 2 || !wi_slice_is(f[0], "Nodes"))
        return false;
    for (int i = 0; i < LINES_TO_TRY && next_line(&text, true, &line); i++)
        if (wi_split(line, f, 2) == 2 && (wi_slice_is(f[0], "Tiers") || wi_slice_is(f[0], "Tier")))
            return true;
    return false;
}

/* ---- lists of numbers ---- */

/* The first two columns of lines of three numbers: [n] and [n] more behind them. */
typedef struct columns {
    uint32_t *value;
    size_t n, room;
    bool pure;  /* all lines have three numbers, the first a whole one */
    bool whole; /* so are the second ones */
} columns;

/* How many of the first n values differ. Sorts them. */
static size_t distinct(uint32_t *value, size_t n)
{
    size_t count = n > 0;
    qsort(value, n, sizeof *value, wi_order_u32);
    for (size_t i = 1; i < n; i++)
        count += value[i] != value[i - 1];
    return count;
}

static bool read_line(columns *c, wi_slice line)
{
    wi_slice f[3];
    double number;
    if (wi_split(line, f, 3) != 3 || !wi_slice_u32(f[0], &c->value[c->n]) ||
        !wi_slice_number(f[1], &number) || !wi_slice_number(f[2], &number))
        return false;
    c->whole &= wi_slice_u32(f[1], &c->value[c->room + c->n]);
    c->n++;
    return true;
}

static columns first_columns(wi_source *text)
{
    columns c = {.pure = true, .whole = true};
    wi_slice line;
    /* A line has five bytes at least, but for the last. */
    c.room = (size_t)(text->end - text->at) / 5 + 2;
    c.value = malloc(2 * c.room * sizeof *c.value);
    c.pure = c.value != NULL;
    while (c.pure && next_line(text, false, &line)) {
        c.pure = c.n < c.room && read_line(&c, line);
        c.whole &= c.pure;
    }
    return c;
}

/* As many nodes as stated, where lines are links. Sorts. */
static bool counts_as_links(columns *c, uint32_t nodes)
{
    if (!c->whole)
        return false;
    memmove(c->value + c->n, c->value + c->room, c->n * sizeof *c->value);
    return distinct(c->value, 2 * c->n) == nodes;
}

/* Two numbers, then lines of three: an Inet topology, or an edge list with a header and weights. */
static wi_sniffed inet_or_edges(const wi_source *source)
{
    wi_source text = on_hand(source);
    const wi_sniffed none = {NULL, NULL, NULL, NULL};
    uint32_t nodes, links;
    wi_slice line, f[3];
    if (!next_line(&text, false, &line) || wi_split(line, f, 3) != 2 || !wi_slice_u32(f[0], &nodes) ||
        !wi_slice_u32(f[1], &links))
        return none;
    columns c = first_columns(&text);
    const size_t at_nodes = c.n < nodes ? c.n : nodes;
    const bool ids = c.pure && distinct(c.value, at_nodes) == at_nodes, all = source->ended;
    wi_sniffed found = none;
    if (c.pure && c.n == 0 && all && nodes > 1 && links > 0)
        found = (wi_sniffed){"inet", "edges",
                             "its only line may be a link, or state the numbers of nodes and links", NULL};
    else if (c.pure && c.n > 0 && ids && (all ? c.n == (size_t)nodes + links : c.n < (size_t)nodes + links))
        found.format = "inet";
    else if (c.pure && c.n > 0 && all && (c.n != links || (ids && !counts_as_links(&c, nodes))))
        found = (wi_sniffed){"inet", "edges", "the counts in its first line fit neither", NULL};
    free(c.value);
    return found;
}

/* Lines 0, 1, 2, ... whose second column are no such numbers, then lines that are pairs of these: nodes with
 * places and links of an Inet topology whose first line is missing. */
static bool is_headless_inet(const wi_source *source)
{
    wi_source text = on_hand(source);
    wi_slice line, f[3];
    uint32_t id, to, base = 0, nodes = 0, links = 0;
    double x, least = INFINITY, most = -INFINITY;
    bool fractions = false;
    while (next_line(&text, false, &line)) {
        if (wi_split(line, f, 3) != 3 || !wi_slice_u32(f[0], &id) || !wi_slice_number(f[1], &x))
            return false;
        if (nodes == 0)
            base = id;
        if (links == 0 && id == base + nodes) {
            nodes++;
            least = fmin(least, x);
            most = fmax(most, x);
            fractions |= x != floor(x);
            continue;
        }
        if (!wi_slice_u32(f[1], &to) || id < base || to < base || id >= base + nodes || to >= base + nodes)
            return false;
        links++;
    }
    return nodes > 2 && links > 0 && (fractions || least < base || most >= (double)base + nodes);
}

/* Sizes and their shares, both rising, up to 1 or 100 or with fractions: a distribution. In a list of links
 * that rises so, lines share nodes. */
static bool is_distribution(const wi_source *source)
{
    wi_source text = on_hand(source);
    wi_slice line, f[3];
    double x = 0, share = 0, last_x = 0, last_share = 0;
    size_t n = 0, chained = 0;
    bool fractions = false;
    while (next_line(&text, true, &line)) {
        if (wi_split(line, f, 3) != 2 || !wi_slice_number(f[0], &x) || !wi_slice_number(f[1], &share) ||
            x < 0 || share < 0)
            return false;
        if (n > 0 && (x < last_x || share < last_share))
            return false;
        chained += n > 0 && x == last_share;
        fractions |= share != floor(share);
        last_x = x;
        last_share = share;
        n++;
    }
    return n > 2 && source->ended && (share == 1 || share == 100 || fractions) && 2 * chained < n;
}

wi_sniffed wi_sniff(const wi_source *source)
{
    wi_sniffed found = {.format = by_first_line(source)};
    if (!found.format && lines_are(source, is_cch_line))
        found.format = "cch";
    if (!found.format && lines_are(source, is_as_rel_line))
        found.format = "as-rel";
    if (!found.format && is_ns3_rdma(source))
        found.format = "ns3-rdma";
    if (!found.format && is_htsim(source))
        found.format = "htsim";
    if (!found.format)
        found = inet_or_edges(source);
    if (found.format)
        return found;
    found.foreign = foreign_by_first_line(source);
    if (!found.foreign && is_headless_inet(source))
        return (wi_sniffed){"inet", "edges", "its first lines count up like nodes, the others join these",
                            NULL};
    if (!found.foreign && is_distribution(source))
        found.foreign = "a distribution of sizes (CDF)";
    return found;
}
