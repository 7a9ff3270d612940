/* What the writers of this folder share. */
#pragma once

#include <stdio.h>

#include "weir/topology.h"

/* A writer prints the graph; errors of the stream show when it is closed. */
typedef weir_status wi_writer(weir_diag *diag, const weir_graph *graph, FILE *out);
wi_writer wi_write_graphml, wi_write_brite, wi_write_edges, wi_write_csv, wi_write_dot;

/* What a format holds of a graph. */
enum {
    WI_HOLDS_NAMES = 1,
    WI_HOLDS_ROLES = 2,
    WI_HOLDS_CLASSES = 4,
    WI_HOLDS_SERVERS = 8, /* among the classes */
    WI_HOLDS_AS = 16,
    WI_HOLDS_XY = 32,
    WI_HOLDS_NO_XY = 64, /* that there are none */
    WI_HOLDS_DEGREES = 128,
    WI_HOLDS_RATES = 256,
    WI_HOLDS_DELAYS = 512,
    WI_HOLDS_WEIGHTS = 1024,
    WI_HOLDS_DIRECTIONS = 2048, /* one-way links, and what differs by direction of what it holds */
    WI_HOLDS_PARALLEL = 4096,
    WI_HOLDS_ISOLATED = 8192,
    WI_HOLDS_ALL = 16383,
    WI_HOLDS_PARALLEL_ONE_WAY = 16384, /* parallel links, where some link leads one way */
    WI_EDGES_HOLD = WI_HOLDS_NAMES | WI_HOLDS_WEIGHTS | WI_HOLDS_DIRECTIONS | WI_HOLDS_PARALLEL_ONE_WAY,
    WI_BRITE_HOLDS = WI_HOLDS_CLASSES | WI_HOLDS_AS | WI_HOLDS_XY | WI_HOLDS_RATES | WI_HOLDS_DELAYS |
                     WI_HOLDS_DIRECTIONS | WI_HOLDS_PARALLEL | WI_HOLDS_ISOLATED
};
/* Warn, once, of all that the graph has and the format does not hold, with counts. */
void wi_report_losses(weir_diag *diag, const weir_graph *graph, const char *format, unsigned holds);
/* Whether a link is more than one undirected edge can express. */
bool wi_link_differs(const weir_graph *graph, uint32_t edge);
/* Whether some link is. */
bool wi_directions_differ(const weir_graph *graph);

/* What is printed of links, and what for. */
typedef struct wi_printing {
    const weir_graph *graph;
    FILE *out;
    /* Print an edge that starts at `from`. */
    void (*edge)(const struct wi_printing *p, uint32_t from, uint32_t edge);
    /* Whether a link's other direction is printed too, if it is there. */
    bool (*both)(const struct wi_printing *p, uint32_t edge);
    bool directed; /* the graph is */
    bool ases;     /* the nodes are */
    char separator;
} wi_printing;

/* Print every link, in the order of their numbers, with its edge from the end that was named first, and of a
 * one-way link with the one that leads. WEIR_E_NOMEM. */
weir_status wi_print_links(weir_diag *diag, const wi_printing *p);
/* Whether to print both edges of a link, for wi_printing.both: of all where the graph is directed. */
bool wi_both_directed(const wi_printing *p, uint32_t edge);

enum { WI_NUMBER = 40 };
/* Print the shortest text of a finite number that reads back as the same one. Returns `out`, of WI_NUMBER
 * bytes. */
const char *wi_number_text(double value, char *out);
/* The same of an edge's weight, as its source gives it. */
const char *wi_weight_text(const weir_graph *graph, uint32_t edge, char *out);

/* A file that gets its name when it is whole. */
typedef struct wi_whole_file {
    const char *path;
    char *temporary; /* its name until then; null: it has its own, as base/file/out.h says of some */
    FILE *out;
} wi_whole_file;

/* Open a file of a name of its own beside `path`; with `compress`, what is printed is gzip'd. */
weir_status wi_whole_open(weir_diag *diag, const char *path, bool compress, wi_whole_file *file);
/* Close the file, and rename it where `keep`, else remove it. WEIR_E_IO when anything failed on the way. */
weir_status wi_whole_close(weir_diag *diag, wi_whole_file *file, bool keep);
