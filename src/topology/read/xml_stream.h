/*
 * An XML document as a stream of elements, a window of its source at a time.
 *
 * Nothing but the text given is read: no network, no DTD. A document that declares entities is refused at the
 * first declaration, before anything can expand.
 */
#pragma once

#include "base/file/source.h"

enum { WI_XML_TEXT = 256 }; /* bytes of a text that are kept, and a NUL */

struct wi_xml_parser;

/* A document that is read. Errors are reported at the source's line, which is that of the present element;
 * after one no more elements come. */
typedef struct wi_xml {
    wi_source *source;
    /* An element begins, or ends; the root's depth is 1. */
    void (*begin)(struct wi_xml *xml, wi_slice name);
    void (*end)(struct wi_xml *xml);
    int depth; /* of the present element */
    char text
        [WI_XML_TEXT]; /* of the element that asked for it, ended by a NUL, once it ends; cut where it is longer */
    size_t length;
    int text_depth; /* of that element; 0: none */
    bool cut;
    struct wi_xml_parser *parser;
} wi_xml;

/* Parse to the end, or to the first failure. */
void wi_xml_parse(wi_xml *xml);
/* An attribute of the element that begins, by its local name; null text: it is not there. */
wi_slice wi_xml_attribute(const wi_xml *xml, const char *name);
/* Collect the text of the element that begins. */
void wi_xml_collect(wi_xml *xml);
