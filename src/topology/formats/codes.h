/* Link files of CODES, both of a network at once: for the reader, and for tests that have them in memory. */
#ifndef WI_TOPOLOGY_FORMATS_CODES_H
#define WI_TOPOLOGY_FORMATS_CODES_H

#include "topology/read/reader.h"

/* inter: links between groups; intra: those within one. Both are read to their ends. */
weir_status wi_codes_read(weir_diag *diag, wi_source *inter, wi_source *intra,
                          const weir_topology_options *options, weir_graph_builder *builder);

#endif
