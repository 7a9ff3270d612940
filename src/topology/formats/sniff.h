/*
 * What a file is, by its content.
 *
 * Some formats say so in their first line, some show it by the shape of their lines. What may be two formats
 * is told as such, and what is known to be something else, too: a graph must never come out of a file that
 * holds another one, or none.
 */
#ifndef WI_TOPOLOGY_FORMATS_SNIFF_H
#define WI_TOPOLOGY_FORMATS_SNIFF_H

#include "topology/read/source.h"

typedef struct wi_sniffed {
    const char *format;    /* name of the format that the content shows; null: it shows none */
    const char *or_format; /* not null: it may also be this one, or `format` damaged */
    const char *why;       /* with or_format: what speaks against either */
    const char *foreign;   /* what it looks like instead, which weir does not read; null: nothing */
} wi_sniffed;

/* Looks at what of the source is on hand, and takes nothing of it. */
wi_sniffed wi_sniff(const wi_source *source);

#endif
