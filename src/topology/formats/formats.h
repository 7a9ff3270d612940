/* What formats offer beside their readers: what a file is, by its content; link files of CODES, which come in
 * pairs. */
#pragma once

#include "topology/read/reader.h"

/*
 * Some formats say so in their first line, some show it by the shape of their lines. What may be two formats
 * is reported as such, and what is known to be something else, too: a graph must never come out of a file
 * that holds another one, or none.
 */
typedef struct wi_sniffed {
    const char *format;    /* name of the format that the content shows; null: it shows none */
    const char *or_format; /* not null: it may also be this one, or `format` damaged */
    const char *why;       /* with or_format: what speaks against either */
    const char *foreign;   /* what it looks like instead, which weir does not read; null: nothing */
} wi_sniffed;

/* Look at what of the source is on hand, and consume nothing of it. */
wi_sniffed wi_sniff(const wi_source *source);

/* Read links between groups from the reading's source, and those within one from `intra`; both to their
 * ends. */
void wi_codes_read(wi_reading *r, wi_source *intra);
/* Name the file of links within a group: the last "inter" of the other's name as "intra". False: there is
 * none, or it does not fit. */
bool wi_codes_partner(const char *inter, char *out, size_t size);
