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

#include "topology/formats/graphml_keys.h"
#include "topology/read/link_list.h"
#include "topology/read/xml_stream.h"

typedef struct key {
    wi_gml_element element;
    wi_gml_field field;
    char name[40]; /* for messages */
    bool seen;
} key;

typedef struct edge {
    uint32_t source, target; /* numbers in `ids` */
    int line;
    bool directed;
    wi_gml_edge says;
} edge;

typedef struct graphml {
    wi_xml xml;
    weir_graph_builder *builder;
    const weir_topology_keys *asked;
    unsigned found; /* of these: bits of wi_gml_asked_bit */

    wi_names key_ids, ids; /* of keys; of nodes, declared or only named by an edge */
    key *keys;             /* [key_ids.count] */
    uint32_t *node_of;     /* [ids.count]: node + 1, 0 while not declared */
    edge *edges;
    size_t key_capacity, node_of_capacity, n_edges, edge_capacity;

    int depth;              /* of elements, the root is 1 */
    int graph_depth;        /* of <graph>; 0 outside */
    bool directed;          /* edgedefault */
    wi_gml_element element; /* that is open */
    int element_depth;      /* its depth */
    uint32_t element_id;    /* number in `ids` of the node that is open */
    edge element_edge;
    wi_gml_values values;
    wi_gml_values initial[3]; /* by wi_gml_element: texts of <default> */

    bool key_open; /* a <key>, the last one of `keys` */
    bool in_text;  /* text is collected: of <data> at text_depth, or of <default> */
    int text_depth;
    uint32_t text_key; /* number of the key */
    char text[WI_GML_TEXT];
    size_t text_length;

    uint64_t hyperedge_elements, hyperedge_nodes, odd_edges, graphs;
    uint64_t foreign_texts; /* attributes that mean nothing here */
    char foreign[160];      /* their names */
    bool degrees;           /* a key for Latitude is declared: plane coordinates are not taken */
    bool geographic;        /* a node has degrees */
} graphml;

static void no_memory(graphml *g)
{
    wi_xml_fail(&g->xml, WEIR_E_NOMEM, wi_xml_line(&g->xml), "out of memory for the graph");
}

static bool grow(graphml *g, void *array, size_t *capacity, size_t needed, size_t size)
{
    void **items = array;
    if (needed <= *capacity)
        return true;
    const size_t wanted = *capacity ? 2 * *capacity : 64;
    void *grown = realloc(*items, wanted * size);
    if (!grown) {
        no_memory(g);
        return false;
    }
    memset((char *)grown + *capacity * size, 0, (wanted - *capacity) * size);
    *items = grown;
    *capacity = wanted;
    return true;
}

/* ---- elements ---- */

static wi_gml_element element_of(wi_slice name)
{
    return wi_slice_is(name, "node") ? WI_GML_NODE : wi_slice_is(name, "edge") ? WI_GML_EDGE : WI_GML_OTHER;
}

static void start_key(graphml *g, const xmlChar **attributes, int n)
{
    char shown[WI_SHOWN];
    const wi_slice id = wi_xml_attribute(attributes, n, "id");
    const wi_slice name = wi_xml_attribute(attributes, n, "attr.name");
    const wi_slice target = wi_xml_attribute(attributes, n, "for");
    if (!id.text) {
        wi_xml_fail(&g->xml, WEIR_E_FORMAT, wi_xml_line(&g->xml), "a <key> without id");
        return;
    }
    if (wi_names_find(&g->key_ids, id.text, id.length) != WI_NO_NAME) {
        wi_xml_fail(&g->xml, WEIR_E_FORMAT, wi_xml_line(&g->xml), "key '%s' is declared twice",
                    wi_shown(id, shown));
        return;
    }
    const uint32_t number = wi_names_add(&g->key_ids, id.text, id.length);
    if (number == WI_NO_NAME) {
        no_memory(g);
        return;
    }
    if (!grow(g, &g->keys, &g->key_capacity, g->key_ids.count, sizeof *g->keys))
        return;
    key k = {element_of(target), WI_GML_UNKNOWN, "", false};
    wi_slice_copy(name.text ? name : id, k.name, sizeof k.name);
    if (name.text && k.element != WI_GML_OTHER)
        k.field = wi_gml_field_of(g->asked, k.element, name);
    g->found |= wi_gml_asked_bit(g->asked, k.element, name);
    g->keys[number] = k;
    g->degrees |= k.field == WI_GML_LATITUDE;
}

static void start_text(graphml *g, uint32_t key_number)
{
    g->in_text = true;
    g->text_depth = g->depth;
    g->text_key = key_number;
    g->text_length = 0;
}

/* An attribute that is not kept: its name, once. */
static void count_foreign(graphml *g, key *k)
{
    g->foreign_texts++;
    const size_t length = strlen(g->foreign);
    if (k->seen || length + strlen(k->name) + 8 > sizeof g->foreign) {
        if (!k->seen && length > 0 && g->foreign[length - 1] != '.')
            strcat(g->foreign, ", ...");
        k->seen = true;
        return;
    }
    k->seen = true;
    snprintf(g->foreign + length, sizeof g->foreign - length, "%s%s", length ? ", " : "", k->name);
}

/* Only what a node or edge says itself, under a key that means something. */
static void start_data(graphml *g, const xmlChar **attributes, int n)
{
    const wi_slice id = wi_xml_attribute(attributes, n, "key");
    if (!id.text || g->element == WI_GML_OTHER || g->depth != g->element_depth + 1)
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
    g->element_depth = g->depth;
    g->values = g->initial[element];
}

static uint32_t id_number(graphml *g, wi_slice id)
{
    const uint32_t number = wi_names_intern(&g->ids, id.text, id.length);
    if (number == WI_NO_NAME) {
        no_memory(g);
        return WI_NO_NAME;
    }
    return grow(g, &g->node_of, &g->node_of_capacity, g->ids.count, sizeof *g->node_of) ? number : WI_NO_NAME;
}

static void start_node(graphml *g, const xmlChar **attributes, int n)
{
    char shown[WI_SHOWN];
    const wi_slice id = wi_xml_attribute(attributes, n, "id");
    if (!id.text) {
        wi_xml_fail(&g->xml, WEIR_E_FORMAT, wi_xml_line(&g->xml), "a <node> without id");
        return;
    }
    g->element_id = id_number(g, id);
    if (g->element_id == WI_NO_NAME)
        return;
    if (g->node_of[g->element_id] != 0)
        wi_xml_fail(&g->xml, WEIR_E_FORMAT, wi_xml_line(&g->xml), "node id '%s' is used twice",
                    wi_shown(id, shown));
    else
        start_values(g, WI_GML_NODE);
}

static void start_edge(graphml *g, const xmlChar **attributes, int n)
{
    const wi_slice source = wi_xml_attribute(attributes, n, "source");
    const wi_slice target = wi_xml_attribute(attributes, n, "target");
    const wi_slice directed = wi_xml_attribute(attributes, n, "directed");
    if (!source.text || !target.text) {
        wi_xml_fail(&g->xml, WEIR_E_FORMAT, wi_xml_line(&g->xml), "an <edge> without %s",
                    source.text ? "target" : "source");
        return;
    }
    g->element_edge = (edge){.line = wi_xml_line(&g->xml), .directed = g->directed};
    g->element_edge.source = id_number(g, source);
    g->element_edge.target = id_number(g, target);
    if (directed.text)
        g->element_edge.directed = wi_slice_is(directed, "true");
    start_values(g, WI_GML_EDGE);
}

static void start_graph(graphml *g, const xmlChar **attributes, int n)
{
    if (g->graph_depth != 0) {
        wi_xml_fail(&g->xml, WEIR_E_FORMAT, wi_xml_line(&g->xml),
                    "a graph within a graph; only flat graphs can be read");
        return;
    }
    g->graphs++;
    g->graph_depth = g->depth;
    g->directed = wi_slice_is(wi_xml_attribute(attributes, n, "edgedefault"), "directed");
}

static void start_element(void *user, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri,
                          int n_namespaces, const xmlChar **namespaces, int n_attributes, int n_defaulted,
                          const xmlChar **attributes)
{
    graphml *g = user;
    const wi_slice name = {(const char *)local, strlen((const char *)local)};
    char shown[WI_SHOWN];
    (void)prefix, (void)uri, (void)n_namespaces, (void)namespaces, (void)n_defaulted;
    g->depth++;
    if (g->xml.status != WEIR_OK)
        return;
    if (g->depth == 1 && !wi_slice_is(name, "graphml")) {
        wi_xml_fail(&g->xml, WEIR_E_FORMAT, wi_xml_line(&g->xml), "the root element is <%s>; want <graphml>",
                    wi_shown(name, shown));
        return;
    }
    if (g->depth == 2)
        g->key_open = wi_slice_is(name, "key");
    if (g->depth == 2 && g->key_open)
        start_key(g, attributes, n_attributes);
    else if (g->depth == 3 && g->key_open && wi_slice_is(name, "default"))
        start_text(g, g->key_ids.count - 1);
    else if (wi_slice_is(name, "graph"))
        start_graph(g, attributes, n_attributes);
    else if (g->graph_depth == 0)
        return;
    else if (wi_slice_is(name, "data"))
        start_data(g, attributes, n_attributes);
    else if (g->depth != g->graph_depth + 1)
        return;
    else if (wi_slice_is(name, "node"))
        start_node(g, attributes, n_attributes);
    else if (wi_slice_is(name, "edge"))
        start_edge(g, attributes, n_attributes);
    else if (wi_slice_is(name, "hyperedge"))
        g->hyperedge_elements++;
}

static void text_comes(void *user, const xmlChar *text, int length)
{
    graphml *g = user;
    if (!g->in_text || g->depth != g->text_depth || g->xml.status != WEIR_OK)
        return;
    const size_t room = WI_GML_TEXT - 1 - g->text_length;
    const size_t n = (size_t)length < room ? (size_t)length : room;
    memcpy(g->text + g->text_length, text, n);
    g->text_length += n;
}

static void end_text(graphml *g)
{
    const key *k = &g->keys[g->text_key];
    g->in_text = false;
    g->text[g->text_length] = '\0';
    wi_one_line(g->text);
    if (k->field == WI_GML_UNKNOWN)
        return;
    wi_gml_values *values = g->element != WI_GML_OTHER ? &g->values : &g->initial[k->element];
    strcpy(values->text[k->field], g->text);
}

static void end_node(graphml *g)
{
    char why[160];
    char name[WI_GML_TEXT];
    wi_gml_node says;
    const char *id = wi_names_text(&g->ids, g->element_id);
    if (!wi_gml_node_of(&g->values, &says, why, sizeof why)) {
        wi_xml_fail(&g->xml, WEIR_E_FORMAT, wi_xml_line(&g->xml), "node '%.64s': %s", id, why);
        return;
    }
    snprintf(name, sizeof name, "%s", *g->values.text[WI_GML_LABEL] ? g->values.text[WI_GML_LABEL] : id);
    wi_one_line(name);
    const uint32_t node = weir_graph_add_node(g->builder, name, says.role);
    if (node == UINT32_MAX) {
        wi_xml_fail(&g->xml, g->builder->failed == WEIR_E_ARG ? WEIR_E_FORMAT : g->builder->failed,
                    wi_xml_line(&g->xml), "%s", g->builder->why);
        return;
    }
    if (says.geographic == g->degrees)
        weir_graph_set_xy(g->builder, node, says.x, says.y);
    weir_graph_set_as(g->builder, node, says.as_number);
    weir_graph_set_class(g->builder, node, says.node_class);
    g->geographic |= says.geographic;
    g->hyperedge_nodes += says.hyperedge;
    g->node_of[g->element_id] = node + 1;
}

static void end_edge(graphml *g)
{
    char why[160];
    if (!wi_gml_edge_of(g->asked, &g->values, &g->element_edge.says, why, sizeof why)) {
        wi_xml_fail(&g->xml, WEIR_E_FORMAT, g->element_edge.line, "edge: %s", why);
        return;
    }
    g->odd_edges += g->element_edge.says.odd;
    if (grow(g, &g->edges, &g->edge_capacity, g->n_edges + 1, sizeof *g->edges))
        g->edges[g->n_edges++] = g->element_edge;
}

static void end_element(void *user, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri)
{
    graphml *g = user;
    (void)local, (void)prefix, (void)uri;
    if (g->xml.status == WEIR_OK && g->in_text && g->depth == g->text_depth)
        end_text(g);
    if (g->xml.status == WEIR_OK && g->element != WI_GML_OTHER && g->depth == g->element_depth) {
        if (g->element == WI_GML_NODE)
            end_node(g);
        else
            end_edge(g);
        g->element = WI_GML_OTHER;
    }
    if (g->depth == g->graph_depth)
        g->graph_depth = 0;
    g->depth--;
}

/* ---- the whole ---- */

static weir_status missing_node(const graphml *g, const edge *e)
{
    const uint32_t id = g->node_of[e->source] == 0 ? e->source : e->target;
    return weir_fail_at(g->xml.diag, WEIR_E_FORMAT, g->xml.source->name, e->line, 0,
                        "an edge names node '%.64s', which the document does not hold",
                        wi_names_text(&g->ids, id));
}

static bool list_edge(wi_link_list *links, wi_listed link, const edge *e,
                      const weir_topology_options *options)
{
    char id[16];
    if (!e->directed || options->duplicates == WEIR_DUPLICATES_KEEP)
        return wi_link_list_add(links, link, WI_LIST_OWN);
    if (e->says.link == 0)
        return wi_link_list_add(links, link, WI_LIST_DIRECTED);
    return wi_link_list_add_of(links, link,
                               (wi_slice){id, (size_t)snprintf(id, sizeof id, "%u", e->says.link)});
}

static weir_status add_edges(graphml *g, const weir_topology_options *options)
{
    wi_link_list links = {0};
    weir_status st = WEIR_OK;
    for (size_t i = 0; i < g->n_edges && st == WEIR_OK; i++) {
        const edge *e = &g->edges[i];
        if (g->node_of[e->source] == 0 || g->node_of[e->target] == 0) {
            st = missing_node(g, e);
            break;
        }
        wi_listed link = wi_listed_init(g->node_of[e->source] - 1, g->node_of[e->target] - 1);
        link.rate_bps = e->says.rate_bps;
        link.delay_ps = e->says.delay_ps;
        link.weight = e->says.weight;
        link.zero_rate = e->says.zero_rate;
        if (!list_edge(&links, link, e, options))
            st =
                weir_fail_at(g->xml.diag, WEIR_E_NOMEM, g->xml.source->name, 0, 0, "out of memory for links");
    }
    if (st == WEIR_OK)
        st = wi_link_list_finish(g->xml.diag, &links, g->xml.source, options, g->builder);
    wi_link_list_free(&links);
    return st;
}

static void report(const graphml *g)
{
    const char *name = g->xml.source->name;
    if (g->graphs > 1)
        weir_warn(g->xml.diag, "%s: %llu graphs are read as one", name, (unsigned long long)g->graphs);
    if (g->hyperedge_elements > 0)
        weir_warn(g->xml.diag, "%s: %llu <hyperedge> elements are left out", name,
                  (unsigned long long)g->hyperedge_elements);
    if (g->hyperedge_nodes > 0)
        weir_note(g->xml.diag, "%s: %llu nodes stand for links with many ends and are taken as routers", name,
                  (unsigned long long)g->hyperedge_nodes);
    if (g->odd_edges > 0)
        weir_warn(g->xml.diag,
                  "%s: %llu edges have a LinkSpeed that is no number with a unit; it counts as not given",
                  name, (unsigned long long)g->odd_edges);
    if (g->foreign_texts > 0)
        weir_note(g->xml.diag, "%s: %llu attributes are left out: %s", name,
                  (unsigned long long)g->foreign_texts, g->foreign);
}

static void free_all(graphml *g)
{
    free(g->keys);
    free(g->node_of);
    free(g->edges);
    wi_names_free(&g->key_ids);
    wi_names_free(&g->ids);
}

weir_status wi_read_graphml(weir_diag *diag, wi_source *source, const weir_topology_options *options,
                            weir_graph_builder *builder)
{
    graphml g = {.xml = {.diag = diag, .source = source}, .builder = builder, .asked = &options->keys};
    weir_status st = wi_xml_parse(&g, (xmlSAXHandler){.startElementNs = start_element,
                                                      .endElementNs = end_element,
                                                      .characters = text_comes,
                                                      .cdataBlock = text_comes});
    if (st == WEIR_OK && g.graphs == 0)
        st = weir_fail_at(diag, WEIR_E_FORMAT, source->name, g.xml.line, 0, "no <graph> in the document");
    if (st == WEIR_OK)
        st = wi_gml_check_asked(diag, source, &options->keys, g.found);
    if (st == WEIR_OK)
        st = add_edges(&g, options);
    if (st == WEIR_OK) {
        weir_graph_set_geographic(builder, g.geographic);
        report(&g);
    }
    free_all(&g);
    return st;
}
