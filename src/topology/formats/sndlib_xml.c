/*
 * SNDlib's XML format, version 1.0 (network.xsd of sndlib.put.poznan.pl): nodes and links, as a stream of SAX events.
 *
 *     <network><meta><unit>..</unit>..</meta>
 *       <networkStructure>
 *         <nodes coordinatesType=".."><node id=".."><coordinates><x>..</x><y>..</y></coordinates></node>..</nodes>
 *         <links><link id=".."><source>..</source><target>..</target>
 *           <preInstalledModule><capacity>..</capacity><cost>..</cost></preInstalledModule>
 *           <routingCost>..</routingCost><setupCost>..</setupCost>
 *           <additionalModules><addModule><capacity>..</capacity><cost>..</cost></addModule>..</additionalModules>
 *         </link>..</links>
 *       </networkStructure>
 *       <demands>..</demands>
 *     </network>
 *
 * Coordinates of the type `pixel` are plane, of `geographical` degrees. What links and modules mean: sndlib_net.c. Elements that
 * are not named here, demands among them, are left out.
 */
#include <math.h>
#include <string.h>

#include "topology/formats/sndlib_net.h"
#include "topology/read/xml_stream.h"
#include "topology/read/sndlib_lexer.h"

enum { DEPTH_MAX = 64, TEXT_MAX = 256 };

/* Elements that say something, by name; their places in the document are told by the stack. */
typedef enum element {
    OTHER,
    NETWORK,
    META,
    UNIT,
    STRUCTURE,
    NODES,
    NODE,
    COORDINATES,
    X,
    Y,
    LINKS,
    LINK,
    SOURCE,
    TARGET,
    PRE_INSTALLED,
    ROUTING_COST,
    MODULES,
    MODULE,
    CAPACITY
} element;

static const struct {
    const char *name;
    element is, within;
} known[] = {{"network", NETWORK, OTHER},
             {"meta", META, NETWORK},
             {"unit", UNIT, META},
             {"networkStructure", STRUCTURE, NETWORK},
             {"nodes", NODES, STRUCTURE},
             {"node", NODE, NODES},
             {"coordinates", COORDINATES, NODE},
             {"x", X, COORDINATES},
             {"y", Y, COORDINATES},
             {"links", LINKS, STRUCTURE},
             {"link", LINK, LINKS},
             {"source", SOURCE, LINK},
             {"target", TARGET, LINK},
             {"preInstalledModule", PRE_INSTALLED, LINK},
             {"routingCost", ROUTING_COST, LINK},
             {"additionalModules", MODULES, LINK},
             {"addModule", MODULE, MODULES},
             {"capacity", CAPACITY, PRE_INSTALLED},
             {"capacity", CAPACITY, MODULE}};
enum { N_KNOWN = sizeof known / sizeof *known };

typedef struct reader {
    wi_xml xml;
    wi_sndlib_net net;
    element stack[DEPTH_MAX];
    int depth;
    char text[TEXT_MAX];
    size_t length;
    bool nodes, links, pixels;
    uint32_t node; /* that is open */
    double x, y;
    wi_sndlib_link link; /* that is open */
    bool from, to;       /* it has these */
    int line;            /* where it begins */
} reader;

/* An error that the reader's own functions have reported: no more events. */
static void stop(reader *r, weir_status status)
{
    if (status == WEIR_OK || r->xml.status != WEIR_OK)
        return;
    r->xml.status = status;
    xmlStopParser(r->xml.parser);
}

static element element_of(const char *name, element within)
{
    for (size_t i = 0; i < N_KNOWN; i++)
        if (known[i].within == within && strcmp(known[i].name, name) == 0)
            return known[i].is;
    return OTHER;
}

static void start_node(reader *r, wi_slice id)
{
    char name[WI_NAME_MAX + 1], shown[WI_SHOWN];
    const int line = wi_xml_line(&r->xml);
    r->x = r->y = NAN;
    if (id.length == 0 || id.length > WI_NAME_MAX) {
        wi_xml_fail(&r->xml, WEIR_E_FORMAT, line, "a <node> without id, or with one of more than %d bytes",
                    WI_NAME_MAX);
        return;
    }
    if (wi_names_find(&r->net.builder->names, id.text, id.length) != WI_NO_NAME) {
        wi_xml_fail(&r->xml, WEIR_E_FORMAT, line, "a second node '%s'", wi_shown(id, shown));
        return;
    }
    wi_slice_copy(id, name, sizeof name);
    r->node = weir_graph_add_node(r->net.builder, name, WEIR_ROUTER);
    if (r->node == UINT32_MAX)
        wi_xml_fail(&r->xml, r->net.builder->failed == WEIR_E_ARG ? WEIR_E_FORMAT : r->net.builder->failed,
                    line, "%s", r->net.builder->why);
}

static void start_element(void *user, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri,
                          int n_spaces, const xmlChar **spaces, int n, int n_defaulted,
                          const xmlChar **attributes)
{
    reader *r = user;
    (void)prefix, (void)uri, (void)n_spaces, (void)spaces, (void)n_defaulted;
    if (r->xml.status != WEIR_OK)
        return;
    const char *const name = (const char *)local;
    if (r->depth == DEPTH_MAX) {
        wi_xml_fail(&r->xml, WEIR_E_FORMAT, wi_xml_line(&r->xml), "elements within each other, more than %d",
                    DEPTH_MAX);
        return;
    }
    /* Within an element that says nothing, nothing does. */
    const element within = r->depth ? r->stack[r->depth - 1] : OTHER,
                  is = r->depth && within == OTHER ? OTHER : element_of(name, within);
    if (r->depth == 0 && is != NETWORK)
        wi_xml_fail(&r->xml, WEIR_E_FORMAT, wi_xml_line(&r->xml),
                    "the root element is <%.40s>; want <network>", name);
    r->stack[r->depth++] = is;
    r->length = 0;
    if (is == NODES) {
        r->nodes = true;
        r->pixels = wi_slice_is(wi_xml_attribute(attributes, n, "coordinatesType"), "pixel");
    } else if (is == LINKS) {
        r->links = true;
    } else if (is == NODE) {
        start_node(r, wi_xml_attribute(attributes, n, "id"));
    } else if (is == LINK) {
        r->link = (wi_sndlib_link){0};
        r->from = r->to = false;
        r->line = wi_xml_line(&r->xml);
    }
}

static void text_comes(void *user, const xmlChar *text, int length)
{
    reader *r = user;
    if (r->depth == 0 || r->stack[r->depth - 1] == OTHER)
        return;
    for (int i = 0; i < length; i++)
        if (r->length < TEXT_MAX)
            r->text[r->length++] = (char)text[i];
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The element's text without the blanks around it. */
static wi_slice trimmed(const reader *r)
{
    wi_slice s = {r->text, r->length};
    while (s.length && is_blank(s.text[s.length - 1]))
        s.length--;
    while (s.length && is_blank(*s.text))
        s.text++, s.length--;
    return s;
}

static double number(reader *r, const char *what, double low, double high)
{
    const wi_slice text = trimmed(r);
    char shown[WI_SHOWN];
    double value = 0.0;
    if (r->length == TEXT_MAX || !wi_slice_number(text, &value) || value < low || value > high)
        wi_xml_fail(&r->xml, WEIR_E_FORMAT, wi_xml_line(&r->xml), "%s is '%s'; want a number from %g to %g",
                    what, wi_shown(text, shown), low, high);
    return value;
}

static uint32_t node_named(reader *r, bool *given)
{
    const wi_slice name = trimmed(r);
    char shown[WI_SHOWN];
    const uint32_t node = wi_names_find(&r->net.builder->names, name.text, name.length);
    *given = true;
    if (r->length == TEXT_MAX || node == WI_NO_NAME)
        wi_xml_fail(&r->xml, WEIR_E_FORMAT, wi_xml_line(&r->xml),
                    "a link names '%s', which is no node before it", wi_shown(name, shown));
    return node;
}

static void take_unit(reader *r)
{
    const wi_slice word = trimmed(r);
    char shown[WI_SHOWN];
    const double bps = wi_sndlib_unit(word.text, word.length);
    if (!(bps > 0.0)) {
        wi_xml_fail(&r->xml, WEIR_E_FORMAT, wi_xml_line(&r->xml),
                    "unknown unit '%s'; known are " WI_SNDLIB_UNITS, wi_shown(word, shown));
        return;
    }
    r->net.unit_bps = bps;
    r->net.unit_given = true;
}

static void end_link(reader *r)
{
    if (!r->from || !r->to)
        wi_xml_fail(&r->xml, WEIR_E_FORMAT, r->line, "a <link> without %s",
                    r->from ? "<target>" : "<source>");
    else
        stop(r, wi_sndlib_add(&r->net, &r->link, r->line));
}

static void end_node(reader *r)
{
    if (isnan(r->x) != isnan(r->y))
        wi_xml_fail(&r->xml, WEIR_E_FORMAT, wi_xml_line(&r->xml),
                    "<coordinates> of one number; want <x> and <y>");
    else if (!isnan(r->x))
        wi_sndlib_place(&r->net, r->node, r->x, r->y);
}

static void end_known(reader *r, element is, element within)
{
    double capacity;
    switch (is) {
    case UNIT:
        take_unit(r);
        break;
    case X:
        r->x = number(r, "x", -1e9, 1e9);
        break;
    case Y:
        r->y = number(r, "y", -1e9, 1e9);
        break;
    case NODE:
        end_node(r);
        break;
    case SOURCE:
        r->link.from = node_named(r, &r->from);
        break;
    case TARGET:
        r->link.to = node_named(r, &r->to);
        break;
    case ROUTING_COST:
        r->link.weight = number(r, "routingCost", 0.0, WI_WEIGHT_MAX);
        break;
    case CAPACITY:
        capacity = number(r, "capacity", 0.0, wi_sndlib_most(&r->net));
        if (within == PRE_INSTALLED)
            r->link.capacity = capacity;
        else
            wi_sndlib_take_module(&r->link, capacity);
        break;
    case LINK:
        end_link(r);
        break;
    default:
        break;
    }
}

static void end_element(void *user, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri)
{
    reader *r = user;
    (void)local, (void)prefix, (void)uri;
    if (r->xml.status != WEIR_OK || r->depth == 0)
        return;
    const element is = r->stack[--r->depth];
    end_known(r, is, r->depth ? r->stack[r->depth - 1] : OTHER);
    r->length = 0;
}

weir_status wi_read_sndlib_xml(weir_diag *diag, wi_source *source, const weir_topology_options *options,
                               weir_graph_builder *builder)
{
    reader r = {
        .xml = {.diag = diag, .source = source},
        .net = {.diag = diag, .source = source, .options = options, .builder = builder, .unit_bps = 1e6}};
    weir_status st = wi_xml_parse(&r, (xmlSAXHandler){.startElementNs = start_element,
                                                      .endElementNs = end_element,
                                                      .characters = text_comes,
                                                      .cdataBlock = text_comes});
    if (st == WEIR_OK && !(r.nodes && r.links))
        st = weir_fail_at(diag, WEIR_E_FORMAT, source->name, r.xml.line, 0,
                          "the document has no <nodes> or no <links>");
    r.net.beyond_degrees |= r.pixels;
    return wi_sndlib_finish(&r.net, st);
}
