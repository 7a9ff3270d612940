/*
 * Traffic matrices in SNDlib's native format, and in REPETITA's (demands_repetita.c).
 *
 * Of the sections, NODES gives the names, DEMANDS the entries, and META the unit of all values; others are
 * passed over. A demand's rate is routing_unit · value · unit, rounded to whole bits per second. Format, as
 * published files have it:
 *
 *   ?SNDlib native format; type: network; version: 1.0
 *   META ( key = text ... )                                    optional; unit = MBITPERSEC and so on
 *   NODES ( id ( x y ) ... )
 *   DEMANDS ( id ( source target ) routing_unit value max_path_length|UNLIMITED ... )
 *
 * `#` begins a comment, sections close with `)`. An id may stand in double quotes, which lets it hold blanks:
 * that is our own addition, so that a matrix can name the nodes of a topology whose names have some.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topology/names.h"
#include "weir/status.h"

typedef struct wi_demand {
    uint32_t source, target; /* into `node`; different */
    uint64_t rate_bps;       /* > 0; demands of nothing are left out and counted */
    int line;                /* in the file */
} wi_demand;

typedef struct wi_demands {
    char *file;
    wi_names node;     /* distinct; wi_names_text(&node, i) for i < node.count */
    wi_demand *demand; /* [n], in the order of the file; a pair may occur more than once */
    size_t n;
    size_t n_zero; /* demands of zero, left out */
    uint64_t total_bps;
    bool unit_given; /* otherwise values were taken as Mb/s, and a warning says so */
    bool by_number;  /* names are the numbers that nodes have in the topology, from 0 */
} wi_demands;

/*
 * Read a file, at most 256 MiB.
 *
 * Owner:   *out is the caller's (wi_demands_free), null on failure.
 * Returns: WEIR_OK; WEIR_E_IO; WEIR_E_NOMEM; WEIR_E_FORMAT with file, line and column for what is wrong: no
 * such format, a section without end, an unknown or repeated node, a pair of a node with itself, no number or
 * a negative one, an unknown unit, no demands at all. Up to 20 errors of a file are reported.
 */
WEIR_NODISCARD weir_status wi_demands_load(weir_diag *diag, const char *path, wi_demands **out);
/* The same from memory; `name` stands for the file in messages. */
WEIR_NODISCARD weir_status wi_demands_parse(weir_diag *diag, const char *name, const char *text,
                                            size_t length, wi_demands **out);
void wi_demands_free(wi_demands *demands);

/* The greatest demand: a sum of a few is held in 64 bits; totals are checked. */
#define WI_DEMAND_MAX 1e18
/* demands_repetita.c: keep a demand, or count it where it is of nothing; false: no memory. */
bool wi_demands_add(wi_demands *demands, const wi_demand *demand);
/* Is this such a text; and read it into an empty `out`: as wi_demands_parse. */
bool wi_demands_are_repetita(const char *text, size_t length);
weir_status wi_demands_read_repetita(weir_diag *diag, const char *name, const char *text, size_t length,
                                     wi_demands *out);
