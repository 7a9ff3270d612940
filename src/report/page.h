/* The page of a report, built from page/ and put into the library whole. */
#ifndef WI_REPORT_PAGE_H
#define WI_REPORT_PAGE_H

#include <stddef.h>

/* Stands in the page once, where the data go. */
#define WI_PAGE_MARK "@weir-data@"

/* The page; null where the build has none. */
const char *wi_page(size_t *size);

#endif
