/*
 * SNDlib's XML format, version 1.0 (network.xsd of sndlib.put.poznan.pl): nodes and links, as a stream of SAX
 * events.
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
 * Coordinates of the type `pixel` are plane, of `geographical` degrees. What links and modules mean:
 * sndlib_net.c. Elements that are not named here, demands among them, are left out.
 */
#include <math.h>
#include <string.h>

#include "topology/formats/sndlib_net.h"
#include "topology/read/xml_stream.h"

enum { DEPTH_MAX = 64 };

/* Elements that mean something, by name; the stack holds where in the document they stand. */
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
    wi_xml xml; /* first: the events are its */
    wi_sndlib_net net;
    element stack[DEPTH_MAX];
    bool nodes, links, pixels;
    uint32_t node; /* that is open */
    double x, y;
    wi_sndlib_link link; /* that is open */
    bool from, to;       /* it has these */
    int line;            /* where it begins */
} reader;

static element element_of(wi_slice name, element within)
{
    for (size_t i = 0; i < N_KNOWN; i++)
        if (known[i].within == within && name.length == strlen(known[i].name) &&
            memcmp(known[i].name, name.text, name.length) == 0)
            return known[i].is;
    return OTHER;
}

static void begin_node(reader *r, wi_slice id)
{
    r->x = r->y = NAN;
    if (id.length == 0)
        wi_fail(r->xml.source, "a <node> without id");
    r->node = wi_new_node(r->net.r, id);
}

static void begin_element(wi_xml *xml, wi_slice name)
{
    reader *r = (reader *)xml;
    const int depth = xml->depth - 1;
    if (depth == DEPTH_MAX) {
        wi_fail(xml->source, "elements within each other, more than %d", DEPTH_MAX);
        return;
    }
    /* Within an element that means nothing, nothing does. */
    const element within = depth ? r->stack[depth - 1] : OTHER,
                  is = depth && within == OTHER ? OTHER : element_of(name, within);
    if (depth == 0 && is != NETWORK)
        wi_fail(xml->source, "the root element is <%.40s>; want <network>", name.text);
    r->stack[depth] = is;
    if (is != OTHER)
        wi_xml_collect(xml);
    if (is == NODES) {
        r->nodes = true;
        r->pixels = wi_slice_is(wi_xml_attribute(xml, "coordinatesType"), "pixel");
    } else if (is == LINKS) {
        r->links = true;
    } else if (is == NODE) {
        begin_node(r, wi_xml_attribute(xml, "id"));
    } else if (is == LINK) {
        r->link = (wi_sndlib_link){0};
        r->from = r->to = false;
        r->line = xml->source->line;
    }
}

/* The element's text; a line break is a blank too. */
static wi_slice text_of(reader *r)
{
    if (r->xml.cut)
        wi_fail(r->xml.source, "a text of more than %d bytes", WI_XML_TEXT - 1);
    wi_one_line(r->xml.text);
    return wi_slice_of(r->xml.text);
}

static double number(reader *r, const char *what, double low, double high)
{
    return wi_number_field(r->xml.source, text_of(r), what, low, high);
}

static uint32_t node_named(reader *r, bool *given)
{
    *given = true;
    return wi_known_node(r->net.r, text_of(r));
}

static void end_link(reader *r)
{
    if (!r->from || !r->to)
        wi_fail_at(r->xml.source, r->line, 0, "a <link> without %s", r->from ? "<target>" : "<source>");
    wi_sndlib_add(&r->net, &r->link);
}

static void end_node(reader *r)
{
    if (isnan(r->x) != isnan(r->y))
        wi_fail(r->xml.source, "<coordinates> of one number; want <x> and <y>");
    else if (!isnan(r->x))
        wi_sndlib_place(&r->net, r->node, r->x, r->y);
}

static void end_element(wi_xml *xml)
{
    reader *r = (reader *)xml;
    const int depth = xml->depth - 1;
    double capacity;
    switch (r->stack[depth]) {
    case UNIT:
        wi_sndlib_set_unit(&r->net, text_of(r));
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
        if (r->stack[depth - 1] == PRE_INSTALLED)
            r->link.capacity = capacity;
        else
            wi_sndlib_add_module(&r->link, capacity);
        break;
    case LINK:
        end_link(r);
        break;
    default:
        break;
    }
}

void wi_read_sndlib_xml(wi_reading *reading)
{
    reader r = {.xml = {.source = reading->source, .begin = begin_element, .end = end_element},
                .net = {.r = reading, .unit_bps = 1e6}};
    wi_xml_parse(&r.xml);
    if (!(r.nodes && r.links))
        wi_fail(reading->source, "the document has no <nodes> or no <links>");
    r.net.beyond_degrees |= r.pixels;
    wi_sndlib_finish(&r.net);
}
