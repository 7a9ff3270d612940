/* What the writers of this folder share. */
#ifndef WI_TOPOLOGY_WRITER_H
#define WI_TOPOLOGY_WRITER_H

#include <stdio.h>

#include "weir/topology.h"

/* A writer prints the graph; errors of the stream show when it is closed. */
typedef weir_status wi_writer(weir_diag *diag, const weir_graph *graph, FILE *out);
wi_writer wi_write_graphml, wi_write_brite, wi_write_edges, wi_write_dot;

/* Calls `each` for every link, in the order of their numbers, with its edge from the end that was named
 * first. False when memory is short. */
bool wi_each_link(const weir_graph *graph,
                  void (*each)(const weir_graph *graph, uint32_t from, uint32_t edge, void *arg), void *arg);

/* The shortest text of a finite number that reads back as the same one. Returns `out`, of WI_NUMBER bytes. */
enum { WI_NUMBER = 40 };
const char *wi_number_text(double value, char *out);

/* A file that gets its name when it is whole. */
typedef struct wi_whole_file {
    const char *path;
    char *temporary;
    FILE *out;
} wi_whole_file;

/* Opens a file of a name of its own beside `path`; with `compress`, what is printed is gzip'd. */
weir_status wi_whole_open(weir_diag *diag, const char *path, bool compress, wi_whole_file *file);
/* Closes and renames where `keep`, else removes. WEIR_E_IO when anything failed on the way. */
weir_status wi_whole_close(weir_diag *diag, wi_whole_file *file, bool keep);

#endif
