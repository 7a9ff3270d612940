/*
 * GML (M. Himsolt, GML: A portable Graph File Format, Universität Passau, 1997): keys with values, which are
 * numbers, texts or lists of keys in brackets, as the Internet Topology Zoo and networkx write it.
 *
 *     graph [ directed 0  node [ id 0 label "A" Longitude 1.5 Latitude 2 ]  edge [ source 0 target 1 LinkSpeedRaw 1e9 ] ]
 *
 * Nodes have whole numbers as ids, which are their names where they have no label; the other keys of nodes
 * and edges are those that GraphML's attributes of these names mean (gml_graph.h), and what is none of them
 * is left out and counted, as are lists within them. Parallel edges are kept; where `directed` is 1 an edge
 * is one direction, as in GraphML. Texts end in their line; character references (&quot; &#233; ...) in them
 * are decoded. A line that begins with # is a comment.
 */
#include <stdlib.h>
#include <string.h>

#include "topology/formats/gml_graph.h"

enum { DEEPEST = 64, KEY_MAX = 64, LISTED = 8 };

/* Attributes go by their own names. */
static const weir_topology_keys by_name = {0};

typedef enum token_kind { NOTHING, OPEN, CLOSE, TEXT, WORD, UNCLOSED } token_kind;
typedef enum place { TOP, GRAPH, NODE, EDGE, ASIDE } place; /* ASIDE: a list that means nothing */

typedef struct gml {
    wi_source *source;
    wi_gml_graph graph;
    place at[DEEPEST];
    int depth;
    char key[KEY_MAX];
    bool has_key, has_graph;
    wi_gml_values values; /* of the node or edge under way */
    wi_names foreign;     /* keys that mean nothing here */
    uint64_t left_out;
} gml;

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

/* ---- keys and values ---- */

static uint32_t number_of_id(gml *g, wi_slice id)
{
    const size_t sign = id.length > 0 && id.text[0] == '-';
    char shown[WI_SHOWN];
    bool good = id.length > sign && id.length < 20;
    for (size_t i = sign; i < id.length; i++)
        good = good && id.text[i] >= '0' && id.text[i] <= '9';
    if (!good)
        wi_fail(g->source, "want a node's id, a whole number, not %s", wi_shown(id, shown));
    return wi_gml_id(&g->graph, id);
}

static void leave_out(gml *g)
{
    g->left_out++;
    if (g->foreign.count < LISTED)
        (void)wi_names_intern(&g->foreign, g->key, strlen(g->key));
}

static void read_value(gml *g, wi_slice value)
{
    const place where = g->at[g->depth];
    if (where == GRAPH && strcmp(g->key, "directed") == 0)
        g->graph.directed = !wi_slice_is(value, "0");
    if (where != NODE && where != EDGE)
        return; /* of the graph, or of nothing */
    uint32_t *const id = where == NODE && strcmp(g->key, "id") == 0       ? &g->graph.id
                         : where == EDGE && strcmp(g->key, "source") == 0 ? &g->graph.from
                         : where == EDGE && strcmp(g->key, "target") == 0 ? &g->graph.to
                                                                          : NULL;
    const wi_gml_field field =
        wi_gml_field_of(&by_name, where == NODE ? WI_GML_NODE : WI_GML_EDGE, wi_slice_of(g->key));
    if (id)
        *id = number_of_id(g, value);
    else if (field == WI_GML_UNKNOWN)
        leave_out(g);
    else
        decode(value, g->values.text[field]);
}

static void open_list(gml *g)
{
    const place where = g->at[g->depth];
    place inner = ASIDE;
    if (g->depth + 1 >= DEEPEST) {
        wi_fail(g->source, "lists within lists, more than 63 deep");
        return;
    }
    if (where == TOP && strcmp(g->key, "graph") == 0)
        inner = GRAPH;
    else if (where == GRAPH && strcmp(g->key, "node") == 0)
        inner = NODE;
    else if (where == GRAPH && strcmp(g->key, "edge") == 0)
        inner = EDGE;
    else if (where == NODE || where == EDGE)
        leave_out(g);
    if (inner == GRAPH && g->has_graph)
        wi_fail(g->source, "a second graph");
    g->has_graph |= inner == GRAPH;
    if (inner == NODE || inner == EDGE) {
        memset(&g->values, 0, sizeof g->values);
        g->graph.id = g->graph.from = g->graph.to = WI_NO_NAME;
        g->graph.line = g->source->line;
    }
    g->at[++g->depth] = inner;
}

static void close_list(gml *g)
{
    if (g->depth == 0) {
        wi_fail(g->source, "a ']' that closes nothing");
        return;
    }
    const place was = g->at[g->depth--];
    if (was == NODE && g->graph.id == WI_NO_NAME)
        wi_fail(g->source, "a node without id");
    else if (was == NODE)
        wi_gml_add_node(&g->graph, &g->values);
    else if (was == EDGE && (g->graph.from == WI_NO_NAME || g->graph.to == WI_NO_NAME))
        wi_fail(g->source, "an edge without source or target");
    else if (was == EDGE)
        wi_gml_add_edge(&g->graph, &by_name, &g->values);
}

static void take(gml *g, token_kind kind, wi_slice token)
{
    char shown[WI_SHOWN];
    if (kind == UNCLOSED) {
        wi_fail(g->source, "a text that does not end in its line: %s", wi_shown(token, shown));
    } else if (kind == CLOSE && g->has_key) {
        wi_fail(g->source, "a key without value before ']': %s", g->key);
    } else if (kind == CLOSE) {
        close_list(g);
    } else if (g->has_key) {
        g->has_key = false;
        if (kind == OPEN)
            open_list(g);
        else
            read_value(g, token);
    } else if (kind != WORD || !((token.text[0] | 32) >= 'a' && (token.text[0] | 32) <= 'z')) {
        wi_fail(g->source, "want a key, a word that begins with a letter, not %s", wi_shown(token, shown));
    } else {
        wi_slice_copy(token, g->key, sizeof g->key);
        g->has_key = true;
    }
}

static void parse(gml *g)
{
    token_kind kind;
    for (wi_slice line, token; wi_next_line(g->source, &line);) {
        if (line.length > 0 && line.text[0] == '#')
            continue;
        while (g->source->status == WEIR_OK && (kind = next_token(&line, &token)) != NOTHING)
            take(g, kind, token);
    }
    if (g->depth > 0 || g->has_key || !g->has_graph)
        wi_fail(g->source,
                g->has_graph ? "the file breaks off: a list is not closed" : "no 'graph [' in the file");
}

static void report(const gml *g)
{
    char names[LISTED * (KEY_MAX + 2) + 8] = "";
    for (uint32_t i = 0; i < g->foreign.count; i++) {
        strcat(names, i ? ", " : "");
        strcat(names, wi_names_text(&g->foreign, i));
    }
    if (g->left_out > 0)
        weir_note(g->source->diag, "%s: %llu values are left out: %s%s", g->source->name,
                  (unsigned long long)g->left_out, names, g->foreign.count == LISTED ? ", ..." : "");
}

void wi_read_gml(wi_reading *r)
{
    gml *g = calloc(1, sizeof *g);
    if (!g) {
        wi_no_memory(r->source, "a graph");
        return;
    }
    g->source = r->source;
    g->graph.r = r;
    wi_source_text(r->source);
    parse(g);
    wi_gml_finish(&g->graph);
    if (wi_good(r))
        report(g);
    wi_gml_free(&g->graph);
    wi_names_free(&g->foreign);
    free(g);
}
