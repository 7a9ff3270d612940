/*
 * GraphML, as the Internet Topology Zoo and networkx write it, read as a stream of SAX events.
 *
 * Edges of an undirected graph are links, parallel ones included. In a directed graph two opposite edges are
 * one link (see weir_duplicates). Elements <hyperedge> are left out and counted; ports are ignored; a graph
 * within a node is an error. Nodes with the attribute hyperedge = 1 are routers like others: they join the
 * ends of a link with many ends.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "topology/formats/gml_graph.h"
#include "topology/read/xml_stream.h"

typedef struct key {
    wi_gml_element element;
    wi_gml_field field;
    char name[40]; /* for messages */
    bool seen;
} key;

typedef struct graphml {
    wi_xml xml; /* first: the events are its */
    wi_gml_graph graph;
    const weir_topology_keys *asked;
    unsigned found; /* of these: bits of wi_gml_asked_bit */
    wi_names key_ids;
    key *keys; /* [key_ids.count] */
    size_t key_capacity;

    int graph_depth;        /* of <graph>; 0 outside */
    bool directed;          /* edgedefault */
    wi_gml_element element; /* that is open */
    int element_depth;      /* its depth */
    wi_gml_values values;
    wi_gml_values initial[3]; /* by wi_gml_element: texts of <default> */
    bool key_open;            /* a <key>, the last one of `keys` */
    uint32_t text_key;        /* number of the key whose text is collected */

    uint64_t hyperedge_elements, graphs;
    uint64_t foreign_texts; /* attributes that mean nothing here */
    char foreign[160];      /* their names */
} graphml;

/* ---- elements ---- */

static wi_gml_element element_of(wi_slice name)
{
    return wi_slice_is(name, "node") ? WI_GML_NODE : wi_slice_is(name, "edge") ? WI_GML_EDGE : WI_GML_OTHER;
}

static void start_key(graphml *g)
{
    char shown[WI_SHOWN];
    wi_source *const source = g->xml.source;
    const wi_slice id = wi_xml_attribute(&g->xml, "id"), name = wi_xml_attribute(&g->xml, "attr.name");
    if (!id.text)
        wi_fail(source, "a <key> without id");
    else if (wi_names_find(&g->key_ids, id.text, id.length) != WI_NO_NAME)
        wi_fail(source, "key '%s' is declared twice", wi_shown(id, shown));
    if (source->status != WEIR_OK)
        return;
    const uint32_t number = wi_names_add(&g->key_ids, id.text, id.length);
    if (number == WI_NO_NAME || !wi_grow(&g->keys, &g->key_capacity, g->key_ids.count, sizeof *g->keys)) {
        wi_no_memory(source, "the graph");
        return;
    }
    key k = {element_of(wi_xml_attribute(&g->xml, "for")), WI_GML_UNKNOWN, "", false};
    wi_slice_copy(name.text ? name : id, k.name, sizeof k.name);
    if (name.text && k.element != WI_GML_OTHER)
        k.field = wi_gml_field_of(g->asked, k.element, name);
    g->found |= wi_gml_asked_bit(g->asked, k.element, name);
    g->keys[number] = k;
    g->graph.degrees |= k.field == WI_GML_LATITUDE;
}

static void start_text(graphml *g, uint32_t key_number)
{
    g->text_key = key_number;
    wi_xml_collect(&g->xml);
}

/* An attribute that is not kept: its name, once. */
static void count_foreign(graphml *g, key *k)
{
    g->foreign_texts++;
    const size_t length = strlen(g->foreign);
    const bool fits = length + strlen(k->name) + 8 <= sizeof g->foreign;
    if (!k->seen && fits)
        snprintf(g->foreign + length, sizeof g->foreign - length, "%s%s", length ? ", " : "", k->name);
    else if (!k->seen && length > 0 && g->foreign[length - 1] != '.')
        strcat(g->foreign, ", ...");
    k->seen = true;
}

/* Only data of a node or edge itself, under a key that means something. */
static void start_data(graphml *g)
{
    const wi_slice id = wi_xml_attribute(&g->xml, "key");
    if (!id.text || g->element == WI_GML_OTHER || g->xml.depth != g->element_depth + 1)
        return;
    const uint32_t number = wi_names_find(&g->key_ids, id.text, id.length);
    if (number == WI_NO_NAME || g->keys[number].element != g->element)
        return;
    if (g->keys[number].field != WI_GML_UNKNOWN)
        start_text(g, number);
    else
        count_foreign(g, &g->keys[number]);
}

static void start_values(graphml *g, wi_gml_element element)
{
    g->element = element;
    g->element_depth = g->xml.depth;
    g->values = g->initial[element];
    g->graph.line = g->xml.source->line;
}

static void start_node(graphml *g)
{
    const wi_slice id = wi_xml_attribute(&g->xml, "id");
    if (!id.text) {
        wi_fail(g->xml.source, "a <node> without id");
        return;
    }
    g->graph.id = wi_gml_id(&g->graph, id);
    start_values(g, WI_GML_NODE);
}

static void start_edge(graphml *g)
{
    const wi_slice source = wi_xml_attribute(&g->xml, "source"), target = wi_xml_attribute(&g->xml, "target");
    const wi_slice directed = wi_xml_attribute(&g->xml, "directed");
    if (!source.text || !target.text) {
        wi_fail(g->xml.source, "an <edge> without %s", source.text ? "target" : "source");
        return;
    }
    g->graph.from = wi_gml_id(&g->graph, source);
    g->graph.to = wi_gml_id(&g->graph, target);
    g->graph.one_way = directed.text ? wi_slice_is(directed, "true") : g->directed;
    start_values(g, WI_GML_EDGE);
}

static void start_graph(graphml *g)
{
    if (g->graph_depth != 0) {
        wi_fail(g->xml.source, "a graph within a graph; only flat graphs can be read");
        return;
    }
    g->graphs++;
    g->graph_depth = g->xml.depth;
    g->directed = wi_slice_is(wi_xml_attribute(&g->xml, "edgedefault"), "directed");
}

static void begin_element(wi_xml *xml, wi_slice name)
{
    graphml *g = (graphml *)xml;
    char shown[WI_SHOWN];
    const int depth = xml->depth;
    if (depth == 1 && !wi_slice_is(name, "graphml")) {
        wi_fail(xml->source, "the root element is <%s>; want <graphml>", wi_shown(name, shown));
        return;
    }
    if (depth == 2)
        g->key_open = wi_slice_is(name, "key");
    if (depth == 2 && g->key_open)
        start_key(g);
    else if (depth == 3 && g->key_open && wi_slice_is(name, "default"))
        start_text(g, g->key_ids.count - 1);
    else if (wi_slice_is(name, "graph"))
        start_graph(g);
    else if (g->graph_depth == 0)
        return;
    else if (wi_slice_is(name, "data"))
        start_data(g);
    else if (depth != g->graph_depth + 1)
        return;
    else if (wi_slice_is(name, "node"))
        start_node(g);
    else if (wi_slice_is(name, "edge"))
        start_edge(g);
    else if (wi_slice_is(name, "hyperedge"))
        g->hyperedge_elements++;
}

static void end_text(graphml *g)
{
    const key *k = &g->keys[g->text_key];
    wi_gml_values *values = g->element != WI_GML_OTHER ? &g->values : &g->initial[k->element];
    wi_one_line(g->xml.text);
    if (k->field != WI_GML_UNKNOWN)
        strcpy(values->text[k->field], g->xml.text);
}

static void end_element(wi_xml *xml)
{
    graphml *g = (graphml *)xml;
    if (xml->depth == xml->text_depth)
        end_text(g);
    if (g->element != WI_GML_OTHER && xml->depth == g->element_depth) {
        if (g->element == WI_GML_NODE)
            wi_gml_add_node(&g->graph, &g->values);
        else
            wi_gml_add_edge(&g->graph, g->asked, &g->values);
        g->element = WI_GML_OTHER;
    }
    if (xml->depth == g->graph_depth)
        g->graph_depth = 0;
}

/* ---- the whole ---- */

static void report(const graphml *g)
{
    weir_diag *const diag = g->xml.source->diag;
    const char *name = g->xml.source->name;
    if (g->graphs > 1)
        weir_warn(diag, "%s: %llu graphs are read as one", name, (unsigned long long)g->graphs);
    if (g->hyperedge_elements > 0)
        weir_warn(diag, "%s: %llu <hyperedge> elements are left out", name,
                  (unsigned long long)g->hyperedge_elements);
    if (g->foreign_texts > 0)
        weir_note(diag, "%s: %llu attributes are left out: %s", name, (unsigned long long)g->foreign_texts,
                  g->foreign);
}

void wi_read_graphml(wi_reading *r)
{
    graphml g = {.xml = {.source = r->source, .begin = begin_element, .end = end_element},
                 .graph = {.r = r},
                 .asked = &r->options->keys};
    wi_xml_parse(&g.xml);
    if (g.graphs == 0)
        wi_fail(r->source, "no <graph> in the document");
    wi_gml_check_asked(r->source, g.asked, g.found);
    wi_gml_finish(&g.graph);
    if (wi_good(r))
        report(&g);
    wi_gml_free(&g.graph);
    free(g.keys);
    wi_names_free(&g.key_ids);
}
