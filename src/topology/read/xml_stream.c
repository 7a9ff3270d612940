/* libxml2's push parser behind wi_xml. */
#include "topology/read/xml_stream.h"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <stdio.h>
#include <string.h>

#include "topology/read/reader.h"

enum { FEED = 1 << 16 }; /* bytes handed to the parser at once */

struct wi_xml_parser {
    xmlParserCtxtPtr context;
    const xmlChar **attributes; /* of the element that begins */
    int n_attributes;
};

static void note_line(wi_xml *xml)
{
    const xmlParserInputPtr input = xml->parser->context->input;
    if (xml->source->status == WEIR_OK)
        xml->source->line = input ? input->line : 0;
}

/* After what may have failed: no more events. */
static void stop_if_failed(wi_xml *xml)
{
    if (xml->source->status != WEIR_OK)
        xmlStopParser(xml->parser->context);
}

/* Attributes come as quintuples: local name, prefix, namespace, value, end of value. */
wi_slice wi_xml_attribute(const wi_xml *xml, const char *name)
{
    const xmlChar **at = xml->parser->attributes;
    for (int i = 0; i < xml->parser->n_attributes; i++, at += 5)
        if (strcmp((const char *)at[0], name) == 0)
            return (wi_slice){(const char *)at[3], (size_t)(at[4] - at[3])};
    return (wi_slice){NULL, 0};
}

void wi_xml_collect(wi_xml *xml)
{
    xml->text_depth = xml->depth;
    xml->length = 0;
    xml->cut = false;
}

/* ---- events ---- */

static void start_element(void *user, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri,
                          int n_spaces, const xmlChar **spaces, int n, int n_defaulted,
                          const xmlChar **attributes)
{
    wi_xml *xml = user;
    (void)prefix, (void)uri, (void)n_spaces, (void)spaces, (void)n_defaulted;
    if (xml->source->status != WEIR_OK)
        return;
    note_line(xml);
    xml->depth++;
    xml->parser->attributes = attributes;
    xml->parser->n_attributes = n;
    xml->begin(xml, wi_slice_of((const char *)local));
    stop_if_failed(xml);
}

static void add_text(void *user, const xmlChar *text, int length)
{
    wi_xml *xml = user;
    if (xml->depth == 0 || xml->depth != xml->text_depth)
        return;
    const size_t room = WI_XML_TEXT - 1 - xml->length, n = (size_t)length < room ? (size_t)length : room;
    memcpy(xml->text + xml->length, text, n);
    xml->length += n;
    xml->cut |= n < (size_t)length;
}

static void end_element(void *user, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri)
{
    wi_xml *xml = user;
    (void)local, (void)prefix, (void)uri;
    if (xml->source->status != WEIR_OK)
        return;
    note_line(xml);
    xml->text[xml->length] = '\0';
    xml->end(xml);
    if (xml->depth == xml->text_depth)
        xml->text_depth = 0;
    xml->depth--;
    stop_if_failed(xml);
}

static void refuse_entity(wi_xml *xml, const char *fmt, const xmlChar *name)
{
    char shown[WI_SHOWN], text[160];
    snprintf(text, sizeof text, fmt, wi_shown(wi_slice_of((const char *)name), shown));
    note_line(xml);
    wi_fail(xml->source, "%s", text);
    stop_if_failed(xml);
}

static void entity_declared(void *user, const xmlChar *name, int type, const xmlChar *public_id,
                            const xmlChar *system_id, xmlChar *content)
{
    (void)type, (void)public_id, (void)system_id, (void)content;
    refuse_entity(user, "the document declares an entity, '%s'; entities are not read", name);
}

static void entity_referred(void *user, const xmlChar *name)
{
    refuse_entity(user, "an entity that is not known, '&%s;'", name);
}

/* Fatal ones only: an undeclared namespace prefix, say, is reported here too and does no harm. */
static void xml_error(void *user, xmlErrorPtr error)
{
    wi_xml *xml = user;
    char text[200];
    if (error->level != XML_ERR_FATAL)
        return;
    snprintf(text, sizeof text, "%s", error->message ? error->message : "not well-formed XML");
    wi_one_line(text);
    if (error->code == XML_ERR_NO_MEMORY)
        wi_no_memory(xml->source, "the XML parser");
    else
        wi_fail_at(xml->source, error->line, 0, "%s", text);
    stop_if_failed(xml);
}

static void be_silent(void *user, xmlErrorPtr error)
{
    (void)user, (void)error;
}

/* What libxml2 would print, such as of bytes that an encoding does not have; the error itself comes by
 * xml_error. */
static void print_nothing(void *user, const char *format, ...)
{
    (void)user, (void)format;
}

/* Hands the document over a window at a time. */
static void feed(wi_xml *xml)
{
    wi_source *source = xml->source;
    do {
        const size_t left = (size_t)(source->end - source->at), step = left < FEED ? left : FEED;
        xmlParseChunk(xml->parser->context, source->at, (int)step, 0);
        source->at += step;
    } while (source->status == WEIR_OK && (source->at < source->end || wi_source_more(source)));
    if (source->status == WEIR_OK)
        xmlParseChunk(xml->parser->context, NULL, 0, 1);
}

/* Errors of converting encodings go to no parser but to this thread's own handlers, which print. */
static void feed_silently(wi_xml *xml)
{
    const xmlStructuredErrorFunc before = xmlStructuredError;
    void *const before_user = xmlStructuredErrorContext;
    const xmlGenericErrorFunc printing = xmlGenericError;
    void *const printing_user = xmlGenericErrorContext;
    xmlSetStructuredErrorFunc(NULL, be_silent);
    xmlSetGenericErrorFunc(NULL, print_nothing);
    feed(xml);
    xmlSetStructuredErrorFunc(before_user, before);
    xmlSetGenericErrorFunc(printing_user, printing);
}

void wi_xml_parse(wi_xml *xml)
{
    xmlSAXHandler events = {.initialized = XML_SAX2_MAGIC,
                            .startElementNs = start_element,
                            .endElementNs = end_element,
                            .characters = add_text,
                            .cdataBlock = add_text,
                            .entityDecl = entity_declared,
                            .reference = entity_referred,
                            .serror = xml_error};
    struct wi_xml_parser parser = {0};
    if (xml->source->at == xml->source->end) {
        wi_fail(xml->source, "the file is empty");
        return;
    }
    xmlInitParser();
    xml->parser = &parser;
    parser.context = xmlCreatePushParserCtxt(&events, xml, NULL, 0, NULL);
    if (!parser.context) {
        wi_no_memory(xml->source, "the XML parser");
        return;
    }
    /* Without NOENT an attribute's &amp; comes as "&#38;". Entities of the document's own are refused as they
     * are declared. */
    xmlCtxtUseOptions(parser.context, XML_PARSE_NONET | XML_PARSE_NOENT);
    parser.context->sax->serror = xml_error;
    feed_silently(xml);
    note_line(xml);
    if (!parser.context->wellFormed)
        wi_fail(xml->source, "not well-formed XML");
    if (parser.context->myDoc) /* libxml2 makes one for the entities it saw */
        xmlFreeDoc(parser.context->myDoc);
    xmlFreeParserCtxt(parser.context);
    xml->parser = NULL;
}
