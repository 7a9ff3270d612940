/*
 * An XML document as a stream of SAX events, a window of its source at a time.
 *
 * Nothing but the text given is read: no network, no DTD. A document that declares entities is refused at the
 * first declaration, before anything can expand.
 */
#ifndef WI_TOPOLOGY_READ_XML_STREAM_H
#define WI_TOPOLOGY_READ_XML_STREAM_H

#include <libxml/parser.h>

#include "topology/read/reader.h"

/* The struct that a reader's events get begins with this one, in which diag and source are set. */
typedef struct wi_xml {
    weir_diag *diag;
    wi_source *source;
    xmlParserCtxtPtr parser;
    int line;           /* the last one, once all is parsed */
    weir_status status; /* the first failure, which was reported; no event comes after it */
} wi_xml;

/* Parses to the end, or to the first failure. `user` begins with a wi_xml; of the events, elements and texts
 * are the reader's, the rest is set here. */
weir_status wi_xml_parse(void *user, xmlSAXHandler events);

/* The line that is being parsed. */
int wi_xml_line(const wi_xml *xml);
/* An error, if it is the first: then no more events come. */
void wi_xml_fail(wi_xml *xml, weir_status status, int line, const char *fmt, ...) WEIR_PRINTF(4, 5);
/* An attribute of an element, by its local name. Null text: it is not there. */
wi_slice wi_xml_attribute(const xmlChar **attributes, int n, const char *name);

#endif
