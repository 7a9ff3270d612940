/* libxml2's push parser behind wi_xml. */
#include "topology/read/xml_stream.h"

#include <libxml/parserInternals.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FEED = 1 << 16 }; /* bytes handed to the parser at once */

int wi_xml_line(const wi_xml *xml)
{
    return xml->parser->input ? xml->parser->input->line : 0;
}

void wi_xml_fail(wi_xml *xml, weir_status status, int line, const char *fmt, ...)
{
    char text[512];
    va_list args;
    if (xml->status != WEIR_OK)
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    xml->status = weir_fail_at(xml->diag, status, xml->source->name, line, 0, "%s", text);
    xmlStopParser(xml->parser);
}

/* Attributes come as quintuples: local name, prefix, namespace, value, end of value. */
wi_slice wi_xml_attribute(const xmlChar **attributes, int n, const char *name)
{
    for (int i = 0; i < n; i++, attributes += 5)
        if (strcmp((const char *)attributes[0], name) == 0)
            return (wi_slice){(const char *)attributes[3], (size_t)(attributes[4] - attributes[3])};
    return (wi_slice){NULL, 0};
}

static void entity_declared(void *user, const xmlChar *name, int type, const xmlChar *public_id,
                            const xmlChar *system_id, xmlChar *content)
{
    wi_xml *xml = user;
    char shown[WI_SHOWN];
    (void)type, (void)public_id, (void)system_id, (void)content;
    wi_xml_fail(xml, WEIR_E_FORMAT, wi_xml_line(xml),
                "the document declares an entity, '%s'; entities are not read",
                wi_shown((wi_slice){(const char *)name, strlen((const char *)name)}, shown));
}

static void entity_referred(void *user, const xmlChar *name)
{
    wi_xml *xml = user;
    char shown[WI_SHOWN];
    wi_xml_fail(xml, WEIR_E_FORMAT, wi_xml_line(xml), "an entity that is not known, '&%s;'",
                wi_shown((wi_slice){(const char *)name, strlen((const char *)name)}, shown));
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
    wi_xml_fail(xml, error->code == XML_ERR_NO_MEMORY ? WEIR_E_NOMEM : WEIR_E_FORMAT, error->line, "%s",
                text);
}

static void be_silent(void *user, xmlErrorPtr error)
{
    (void)user, (void)error;
}

/* What libxml2 would print, such as of bytes that an encoding does not have; the error itself comes by xml_error. */
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
        xmlParseChunk(xml->parser, source->at, (int)step, 0);
        source->at += step;
    } while (xml->status == WEIR_OK && (source->at < source->end || wi_source_more(source)));
    if (xml->status == WEIR_OK)
        xml->status = source->status;
    if (xml->status == WEIR_OK)
        xmlParseChunk(xml->parser, NULL, 0, 1);
}

weir_status wi_xml_parse(void *user, xmlSAXHandler events)
{
    wi_xml *xml = user;
    if (xml->source->at == xml->source->end)
        return weir_fail_at(xml->diag, WEIR_E_FORMAT, xml->source->name, 0, 0, "the file is empty");
    events.initialized = XML_SAX2_MAGIC;
    events.entityDecl = entity_declared;
    events.reference = entity_referred;
    events.serror = xml_error;
    xmlInitParser();
    xml->parser = xmlCreatePushParserCtxt(&events, user, NULL, 0, NULL);
    if (!xml->parser)
        return weir_fail_at(xml->diag, WEIR_E_NOMEM, xml->source->name, 0, 0,
                            "out of memory for the XML parser");
    /* Errors of converting encodings go to no parser but to this thread's own handler, which prints when
     * there is none. */
    const xmlStructuredErrorFunc before = xmlStructuredError;
    void *const before_user = xmlStructuredErrorContext;
    /* Without NOENT an attribute's &amp; comes as "&#38;". Entities of the document's own are refused as they are declared. */
    xmlCtxtUseOptions(xml->parser, XML_PARSE_NONET | XML_PARSE_NOENT);
    xml->parser->sax->serror = xml_error;
    const xmlGenericErrorFunc printing = xmlGenericError;
    void *const printing_user = xmlGenericErrorContext;
    xmlSetStructuredErrorFunc(NULL, be_silent);
    xmlSetGenericErrorFunc(NULL, print_nothing);
    feed(xml);
    xmlSetStructuredErrorFunc(before_user, before);
    xmlSetGenericErrorFunc(printing_user, printing);
    if (xml->status == WEIR_OK && !xml->parser->wellFormed)
        wi_xml_fail(xml, WEIR_E_FORMAT, wi_xml_line(xml), "not well-formed XML");
    if (xml->parser->myDoc) /* libxml2 makes one for the entities it saw */
        xmlFreeDoc(xml->parser->myDoc);
    xml->line = wi_xml_line(xml);
    xmlFreeParserCtxt(xml->parser);
    xml->parser = NULL;
    return xml->status;
}
