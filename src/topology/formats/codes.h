/* Link files of CODES: for the reader, for tests that have them in memory, and for who asks which files belong together. */
#ifndef WI_TOPOLOGY_FORMATS_CODES_H
#define WI_TOPOLOGY_FORMATS_CODES_H

#include "topology/read/reader.h"

/* Read links between groups from the reading's source, and those within one from `intra`; both to their ends. */
void wi_codes_read(wi_reading *r, wi_source *intra);
/* Name the file of links within a group: the last "inter" of the other's name as "intra". False: there is none, or it does not
 * fit. */
bool wi_codes_partner(const char *inter, char *out, size_t size);

#endif
