/* The units that quantities may have; shared by the parser and the formatter. */
#ifndef WI_BASE_UNITS_UNITS_TABLE_H
#define WI_BASE_UNITS_UNITS_TABLE_H

#include <stddef.h>
#include <stdint.h>

typedef enum wi_dimension {
    WI_TIME,
    WI_RATE,
    WI_SIZE,
    WI_SHARE,
    WI_EVENT_RATE,
    WI_BITS,
    WI_DIMENSIONS
} wi_dimension;

typedef struct wi_unit {
    const char *name;
    wi_dimension dimension;
    uint64_t factor; /* in ps, bps, bytes, hundredths or bits */
} wi_unit;

extern const wi_unit wi_units[];
extern const size_t wi_units_count;

#endif
