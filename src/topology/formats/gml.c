/*
 * GML (M. Himsolt, GML: A portable Graph File Format, Universität Passau, 1997): keys with values, which are numbers, texts or
 * lists of keys in brackets, as the Internet Topology Zoo and networkx write it.
 *
 *     graph [ directed 0  node [ id 0 label "A" Longitude 1.5 Latitude 2 ]  edge [ source 0 target 1 LinkSpeedRaw 1e9 ] ]
 *
 * Nodes have whole numbers as ids, which are their names where they have no label; the other keys of nodes and edges are
 * those that GraphML's attributes of these names mean (graphml_keys.h), and what is none of them is left out and counted, as are
 * lists within them. Parallel edges are kept; where `directed` is 1 an edge is one direction, as in GraphML. Texts end in
 * their line; character references (&quot; &#233; ...) in them are decoded. A line that begins with # is a comment.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "topology/formats/graphml_keys.h"
#include "topology/read/link_list.h"

enum { DEEPEST = 64, KEY_MAX = 64, LISTED = 8 };

/* Attributes go by their own names. */
static const weir_topology_keys by_name = {0};

typedef enum token_kind { NOTHING, OPEN, CLOSE, TEXT, WORD, UNCLOSED } token_kind;
typedef enum place { TOP, GRAPH, NODE, EDGE, ASIDE } place; /* ASIDE: a list that means nothing */

typedef struct edge {
    uint32_t source, target; /* in ids */
    int line;
    wi_gml_edge says;
} edge;

typedef struct gml {
    weir_diag *diag;
    wi_source *source;
    weir_graph_builder *builder;
    place at[DEEPEST];
    int depth;
    char key[KEY_MAX];
    bool has_key, has_graph, directed;
    wi_gml_values values; /* of the node or edge under way */
    uint32_t id, from, to;
    int line;
    wi_names ids;      /* of nodes, as texts */
    uint32_t *node_of; /* [ids.count] node + 1; 0: none yet */
    size_t node_of_room;
    wi_gml_node *says; /* [nodes] */
    size_t says_room;
    edge *edges;
    size_t n_edges, edges_room;
    wi_names foreign; /* keys that mean nothing here */
    uint64_t left_out, hyperedges, odd;
} gml;

static weir_status fail(const gml *g, const char *what, wi_slice at)
{
    char shown[WI_SHOWN];
    return weir_fail_at(g->diag, WEIR_E_FORMAT, g->source->name, g->source->line, 0, "%s%s", what,
                        at.text ? wi_shown(at, shown) : "");
}

static weir_status no_memory(const gml *g)
{
    return weir_fail_at(g->diag, WEIR_E_NOMEM, g->source->name, g->source->line, 0,
                        "out of memory for the graph");
}

/* Room for one more item behind `n`; new items are zero. */
static bool grow(void *list, size_t *room, size_t n, size_t size)
{
    if (n < *room)
        return true;
    const size_t more = 2 * n + 256;
    void *grown = realloc(*(void **)list, more * size);
    if (!grown)
        return false;
    memset((char *)grown + *room * size, 0, (more - *room) * size);
    *(void **)list = grown;
    *room = more;
    return true;
}

/* ---- texts ---- */

static token_kind next_token(wi_slice *rest, wi_slice *token)
{
    while (rest->length > 0 && (unsigned char)rest->text[0] <= ' ') {
        rest->text++;
        rest->length--;
    }
    *token = (wi_slice){rest->text, 1};
    if (rest->length == 0)
        return NOTHING;
    token_kind kind = rest->text[0] == '[' ? OPEN : rest->text[0] == ']' ? CLOSE : WORD;
    size_t n = 1;
    if (rest->text[0] == '"') {
        const char *end = memchr(rest->text + 1, '"', rest->length - 1);
        kind = end ? TEXT : UNCLOSED;
        n = end ? (size_t)(end - rest->text) + 1 : rest->length;
        *token = (wi_slice){rest->text + 1, end ? n - 2 : n - 1};
    } else if (kind == WORD) {
        while (n < rest->length && (unsigned char)rest->text[n] > ' ' && !strchr("[]\"", rest->text[n]))
            n++;
        token->length = n;
    }
    rest->text += n;
    rest->length -= n;
    return kind;
}

static size_t put_utf8(uint32_t c, char *out)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    const size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = n - 1; i > 0; i--, c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)(lead[n] | c);
    return n;
}

/* The character that a reference between & and ; stands for; 0: none that is known. */
static uint32_t referred(const char *name, size_t length)
{
    static const struct {
        const char *name;
        uint32_t c;
    } known[] = {{"quot", '"'}, {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"apos", '\''}, {"nbsp", ' '}};
    char digits[10];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].name) == length && memcmp(known[i].name, name, length) == 0)
            return known[i].c;
    const bool hex = length > 2 && name[0] == '#' && (name[1] == 'x' || name[1] == 'X');
    const size_t from = hex ? 2 : 1;
    if (length <= from || name[0] != '#' || length - from >= sizeof digits)
        return 0;
    memcpy(digits, name + from, length - from);
    digits[length - from] = '\0';
    if (strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789") != length - from)
        return 0;
    const unsigned long c = strtoul(digits, NULL, hex ? 16 : 10);
    return c < 0x110000 && !(c >= 0xd800 && c < 0xe000) ? (uint32_t)c : 0;
}

/* A text without its references, cut where it is too long. */
static void decode(wi_slice text, char *out)
{
    size_t n = 0;
    for (size_t i = 0; i < text.length && n + 5 < WI_GML_TEXT; i++) {
        const char *end = text.text[i] == '&' ? memchr(text.text + i, ';', text.length - i) : NULL;
        const size_t length = end ? (size_t)(end - text.text) - i - 1 : 0;
        const uint32_t c = end ? referred(text.text + i + 1, length) : 0;
        if (c) {
            n += put_utf8(c, out + n);
            i += length + 1;
        } else {
            out[n++] = text.text[i];
        }
    }
    out[n] = '\0';
}

/* ---- what the file says ---- */

static weir_status number_of_id(gml *g, wi_slice id, uint32_t *number)
{
    const size_t sign = id.length > 0 && id.text[0] == '-';
    bool good = id.length > sign && id.length < 20;
    for (size_t i = sign; i < id.length; i++)
        good = good && id.text[i] >= '0' && id.text[i] <= '9';
    if (!good)
        return fail(g, "want a node's id, a whole number, not ", id);
    *number = wi_names_intern(&g->ids, id.text, id.length);
    if (*number == WI_NO_NAME || !grow(&g->node_of, &g->node_of_room, g->ids.count, sizeof *g->node_of))
        return no_memory(g);
    return WEIR_OK;
}

static void leave_out(gml *g)
{
    g->left_out++;
    if (g->foreign.count < LISTED)
        (void)wi_names_intern(&g->foreign, g->key, strlen(g->key));
}

static weir_status take_value(gml *g, wi_slice value)
{
    const place where = g->at[g->depth];
    if (where == GRAPH && strcmp(g->key, "directed") == 0)
        g->directed = !wi_slice_is(value, "0");
    if (where != NODE && where != EDGE)
        return WEIR_OK; /* of the graph, or of nothing */
    if (where == NODE && strcmp(g->key, "id") == 0)
        return number_of_id(g, value, &g->id);
    if (where == EDGE && strcmp(g->key, "source") == 0)
        return number_of_id(g, value, &g->from);
    if (where == EDGE && strcmp(g->key, "target") == 0)
        return number_of_id(g, value, &g->to);
    const wi_slice key = {g->key, strlen(g->key)};
    const wi_gml_field field = wi_gml_field_of(&by_name, where == NODE ? WI_GML_NODE : WI_GML_EDGE, key);
    if (field == WI_GML_UNKNOWN)
        leave_out(g);
    else
        decode(value, g->values.text[field]);
    return WEIR_OK;
}

static weir_status open_list(gml *g)
{
    const place where = g->at[g->depth];
    place inner = ASIDE;
    if (g->depth + 1 >= DEEPEST)
        return fail(g, "lists within lists, more than 63 deep", (wi_slice){NULL, 0});
    if (where == TOP && strcmp(g->key, "graph") == 0)
        inner = GRAPH;
    else if (where == GRAPH && strcmp(g->key, "node") == 0)
        inner = NODE;
    else if (where == GRAPH && strcmp(g->key, "edge") == 0)
        inner = EDGE;
    else if (where == NODE || where == EDGE)
        leave_out(g);
    if (inner == GRAPH && g->has_graph)
        return fail(g, "a second graph", (wi_slice){NULL, 0});
    g->has_graph |= inner == GRAPH;
    if (inner == NODE || inner == EDGE) {
        memset(&g->values, 0, sizeof g->values);
        g->id = g->from = g->to = WI_NO_NAME;
        g->line = g->source->line;
    }
    g->at[++g->depth] = inner;
    return WEIR_OK;
}

static weir_status end_node(gml *g)
{
    char why[160], name[WI_GML_TEXT];
    wi_gml_node says;
    if (g->id == WI_NO_NAME)
        return fail(g, "a node without id", (wi_slice){NULL, 0});
    const char *id = wi_names_text(&g->ids, g->id);
    if (g->node_of[g->id])
        return fail(g, "a second node of the id ", (wi_slice){id, strlen(id)});
    if (!wi_gml_node_of(&g->values, &says, why, sizeof why))
        return fail(g, why, (wi_slice){NULL, 0});
    memcpy(name, g->values.text[WI_GML_LABEL], sizeof name);
    wi_one_line(name);
    const uint32_t node = weir_graph_add_node(g->builder, *name ? name : id, says.role);
    if (node == UINT32_MAX)
        return wi_builder_failed(g->diag, g->source, g->line, g->builder);
    weir_graph_set_as(g->builder, node, says.as_number);
    weir_graph_set_class(g->builder, node, says.node_class);
    if (!grow(&g->says, &g->says_room, node, sizeof *g->says))
        return no_memory(g);
    g->says[node] = says;
    g->hyperedges += says.hyperedge;
    g->node_of[g->id] = node + 1;
    return WEIR_OK;
}

static weir_status end_edge(gml *g)
{
    char why[160];
    edge e = {.source = g->from, .target = g->to, .line = g->line};
    if (e.source == WI_NO_NAME || e.target == WI_NO_NAME)
        return fail(g, "an edge without source or target", (wi_slice){NULL, 0});
    if (!wi_gml_edge_of(&by_name, &g->values, &e.says, why, sizeof why))
        return fail(g, why, (wi_slice){NULL, 0});
    g->odd += e.says.odd;
    if (!grow(&g->edges, &g->edges_room, g->n_edges, sizeof *g->edges))
        return no_memory(g);
    g->edges[g->n_edges++] = e;
    return WEIR_OK;
}

static weir_status close_list(gml *g)
{
    if (g->depth == 0)
        return fail(g, "a ']' that closes nothing", (wi_slice){NULL, 0});
    const place was = g->at[g->depth--];
    return was == NODE ? end_node(g) : was == EDGE ? end_edge(g) : WEIR_OK;
}

static weir_status take(gml *g, token_kind kind, wi_slice token)
{
    if (kind == UNCLOSED)
        return fail(g, "a text that does not end in its line: ", token);
    if (kind == CLOSE)
        return g->has_key ? fail(g, "a key without value before ']': ", (wi_slice){g->key, strlen(g->key)})
                          : close_list(g);
    if (!g->has_key) {
        if (kind != WORD || !((token.text[0] | 32) >= 'a' && (token.text[0] | 32) <= 'z'))
            return fail(g, "want a key, a word that begins with a letter, not ", token);
        wi_slice_copy(token, g->key, sizeof g->key);
        g->has_key = true;
        return WEIR_OK;
    }
    g->has_key = false;
    return kind == OPEN ? open_list(g) : take_value(g, token);
}

static weir_status parse(gml *g)
{
    weir_status st = WEIR_OK;
    for (wi_slice line, token; st == WEIR_OK && wi_next_line(g->source, &line);) {
        if (line.length > 0 && line.text[0] == '#')
            continue;
        for (token_kind kind; st == WEIR_OK && (kind = next_token(&line, &token)) != NOTHING;)
            st = take(g, kind, token);
    }
    if (st == WEIR_OK && (g->depth > 0 || g->has_key || !g->has_graph))
        st = wi_breaks_off(g->source, g->has_graph ? "the file breaks off: a list is not closed"
                                                   : "no 'graph [' in the file");
    return st == WEIR_OK ? g->source->status : st;
}

/* ---- the whole ---- */

/* Degrees, where any node has them; else places in a plane. */
static void place_nodes(gml *g)
{
    bool degrees = false;
    for (uint32_t v = 0; v < g->builder->names.count; v++)
        degrees |= g->says[v].geographic;
    for (uint32_t v = 0; v < g->builder->names.count; v++)
        if (g->says[v].geographic == degrees)
            weir_graph_set_xy(g->builder, v, g->says[v].x, g->says[v].y);
    weir_graph_set_geographic(g->builder, degrees);
}

static weir_status add_edges(gml *g, const weir_topology_options *options)
{
    wi_link_list links = {0};
    weir_status st = WEIR_OK;
    for (size_t i = 0; i < g->n_edges && st == WEIR_OK; i++) {
        const edge *e = &g->edges[i];
        const uint32_t missing = !g->node_of[e->source] ? e->source : e->target;
        if (!g->node_of[missing]) {
            st = weir_fail_at(g->diag, WEIR_E_FORMAT, g->source->name, e->line, 0,
                              "an edge names node %s, which the file does not hold",
                              wi_names_text(&g->ids, missing));
            break;
        }
        wi_listed link = wi_listed_init(g->node_of[e->source] - 1, g->node_of[e->target] - 1);
        link.rate_bps = e->says.rate_bps;
        link.delay_ps = e->says.delay_ps;
        link.weight = e->says.weight;
        link.zero_rate = e->says.zero_rate;
        const bool one = g->directed && options->duplicates != WEIR_DUPLICATES_KEEP;
        if (!wi_link_list_add(&links, link, one ? WI_LIST_DIRECTED : WI_LIST_OWN))
            st = no_memory(g);
    }
    if (st == WEIR_OK)
        st = wi_link_list_finish(g->diag, &links, g->source, options, g->builder);
    wi_link_list_free(&links);
    return st;
}

static void report(const gml *g)
{
    char names[LISTED * (KEY_MAX + 2) + 8] = "";
    for (uint32_t i = 0; i < g->foreign.count; i++) {
        strcat(names, i ? ", " : "");
        strcat(names, wi_names_text(&g->foreign, i));
    }
    if (g->hyperedges > 0)
        weir_note(g->diag, "%s: %llu nodes stand for links with many ends and are taken as routers",
                  g->source->name, (unsigned long long)g->hyperedges);
    if (g->odd > 0)
        weir_warn(g->diag,
                  "%s: %llu edges have a LinkSpeed that is no number with a unit; it counts as not given",
                  g->source->name, (unsigned long long)g->odd);
    if (g->left_out > 0)
        weir_note(g->diag, "%s: %llu values are left out: %s%s", g->source->name,
                  (unsigned long long)g->left_out, names, g->foreign.count == LISTED ? ", ..." : "");
}

weir_status wi_read_gml(weir_diag *diag, wi_source *source, const weir_topology_options *options,
                        weir_graph_builder *builder)
{
    gml *g = calloc(1, sizeof *g);
    if (!g)
        return weir_fail(diag, WEIR_E_NOMEM, "%s: out of memory", source->name);
    g->diag = diag;
    g->source = source;
    g->builder = builder;
    weir_status st = wi_source_text(source);
    if (st == WEIR_OK)
        st = parse(g);
    if (st == WEIR_OK) {
        place_nodes(g);
        st = add_edges(g, options);
    }
    if (st == WEIR_OK)
        report(g);
    wi_names_free(&g->ids);
    wi_names_free(&g->foreign);
    free(g->node_of);
    free(g->says);
    free(g->edges);
    free(g);
    return st;
}
