/* Which two files of CODES belong together. */
#ifndef WI_TOPOLOGY_FORMATS_CODES_PARTNER_H
#define WI_TOPOLOGY_FORMATS_CODES_PARTNER_H

#include <stdbool.h>
#include <stddef.h>

/* The name of the file of links within a group: the last "inter" of the other's name as "intra". False: there is none, or it does
 * not fit. */
bool wi_codes_partner(const char *inter, char *out, size_t size);

#endif
