/* What the readers of formats share: nodes by name, fields of lines, links. */
#ifndef WI_TOPOLOGY_READ_READER_H
#define WI_TOPOLOGY_READ_READER_H

#include "topology/builder.h"
#include "topology/read/link_list.h"
#include "topology/read/source.h"
#include "weir/topology.h"

/*
 * What is read, and what becomes of it.
 *
 * The first failure is reported where it is found, and stays in the source: then no more lines come, and the
 * functions below return what does no harm (a number within its bounds, a node that there is not). So a
 * reader need not ask after each step.
 */
typedef struct wi_reading {
    wi_source *source;
    const weir_topology_options *options;
    weir_graph_builder *builder;
    wi_link_list links; /* for the builder, once all is read */
} wi_reading;

/* A reader adds the nodes that it finds to the builder, and the links to the list. */
typedef void wi_format_reader(wi_reading *r);
wi_format_reader wi_read_graphml, wi_read_cch, wi_read_edges, wi_read_as_rel, wi_read_weights,
    wi_read_latencies, wi_read_orbis, wi_read_brite, wi_read_brite_conf, wi_read_inet, wi_read_sndlib,
    wi_read_sndlib_xml, wi_read_gml, wi_read_repetita, wi_read_codes, wi_read_ns3_rdma, wi_read_htsim;

/* Make a graph of all that the reader finds in the source; the caller frees it. */
weir_status wi_read_with(wi_format_reader *reader, wi_source *source, const weir_topology_options *options,
                         weir_graph **out);
/* Whether all went well so far. */
static inline bool wi_good(const wi_reading *r)
{
    return r->source->status == WEIR_OK;
}

/* ---- slices ---- */

enum { WI_SHOWN = 48, WI_NAME_MAX = 255 };
/* Write a slice for a message to `out`, of WI_SHOWN bytes, and return it: unprintable bytes as '?', long text
 * cut. */
const char *wi_shown(wi_slice slice, char *out);
/* Make one line of a text, in place: blanks for runs of blanks and control characters, whole UTF-8
 * characters. */
void wi_one_line(char *text);
/* Parse a finite number that is all of the slice; false otherwise. */
bool wi_slice_number(wi_slice slice, double *out);
/* Parse a whole number from 0 to 2^32 - 1 that is all of the slice, digits only; false otherwise. */
bool wi_slice_u32(wi_slice slice, uint32_t *out);
/* Compare a slice with a word, in any case of letters. */
bool wi_slice_is(wi_slice slice, const char *text);
/* Compare the begin of a slice with a text. */
bool wi_slice_begins(wi_slice slice, const char *text);
/* Copy as much of a slice as fits, ended by a NUL, control characters as '?'. */
void wi_slice_copy(wi_slice slice, char *out, size_t size);
/* A text as a slice. */
wi_slice wi_slice_of(const char *text);
/* The word of a node class, "" for none. */
const char *wi_class_word(weir_node_class node_class);
/* The node class of a word. */
weir_node_class wi_class_of_word(wi_slice word);

/* ---- lines ---- */

/* Take the next word between blanks off a line; false where there is none. */
bool wi_next_word(wi_slice *line, wi_slice *word);
/* Split a line at blanks, and put at most `room` of its fields into `field`; returns how many there are. */
size_t wi_split(wi_slice line, wi_slice *field, size_t room);
/* The next line that holds something, split into exactly `wanted` fields; what else is there, or that nothing
 * is, is an error that says `what` was wanted. */
void wi_next_fields(wi_reading *r, const char *what, size_t wanted, wi_slice *field);
/* The number within bounds that a field is, or an error that says `what` it is. */
double wi_number_field(wi_source *source, wi_slice field, const char *what, double low, double high);

/* ---- nodes and links ---- */

/* The node of that name, or an error. */
uint32_t wi_known_node(wi_reading *r, wi_slice name);
/* A new router of that name, at most WI_NAME_MAX bytes. A name that is there already is an error. */
uint32_t wi_new_node(wi_reading *r, wi_slice name);
/* The builder's number of a node just added, whose failure becomes the reading's. */
uint32_t wi_added(wi_reading *r, uint32_t node);
/* Put a link on the list. */
void wi_list(wi_reading *r, wi_listed link, wi_listing listing);
/* The rate of a link, from a number of bits a second above 0. */
uint64_t wi_rate_of(double bps);

#endif
