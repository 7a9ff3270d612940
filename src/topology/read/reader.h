/* What the readers of this folder share: fields of lines, and how they report. */
#ifndef WI_TOPOLOGY_READ_READER_H
#define WI_TOPOLOGY_READ_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "topology/builder.h"
#include "topology/read/source.h"
#include "weir/topology.h"

/* A reader adds what it finds to the builder. It reports errors with name and line itself. */
typedef weir_status wi_reader(weir_diag *diag, wi_source *source, const weir_topology_options *options,
                              weir_graph_builder *builder);
wi_reader wi_read_graphml, wi_read_cch, wi_read_edges, wi_read_as_rel, wi_read_weights, wi_read_latencies,
    wi_read_orbis, wi_read_brite, wi_read_brite_conf, wi_read_inet, wi_read_sndlib, wi_read_sndlib_xml,
    wi_read_gml, wi_read_repetita, wi_read_codes;

/* All that the reader finds in the source, as a graph; the caller frees it. */
weir_status wi_read_with(weir_diag *diag, wi_reader *reader, wi_source *source,
                         const weir_topology_options *options, weir_graph **out);

enum { WI_SHOWN = 48, WI_NAME_MAX = 255 };
/* A slice for a message: unprintable bytes as '?', long text cut. Writes to and returns `out`, of WI_SHOWN
 * bytes. */
const char *wi_shown(wi_slice slice, char *out);
/* One line, blanks for runs of blanks and control characters, whole UTF-8 characters, in place. */
void wi_one_line(char *text);
/* A number that is all of the slice; false otherwise, and for what is not finite. */
bool wi_slice_number(wi_slice slice, double *out);
/* A whole number from 0 to 2^32 - 1 that is all of the slice, digits only. */
bool wi_slice_u32(wi_slice slice, uint32_t *out);
bool wi_slice_is(wi_slice slice, const char *text);
/* As much of it as fits, ended by a NUL, control characters as '?'. */
void wi_slice_copy(wi_slice slice, char *out, size_t size);
/* The words for node classes, "" for none, and back. */
const char *wi_class_word(weir_node_class node_class);
weir_node_class wi_class_of_word(wi_slice word);

/* Fields of a line, separated by blanks; with `parens`, parentheses are fields of their own. At most `room`
 * are put into `field`; returns how many there are. */
size_t wi_split(wi_slice line, bool parens, wi_slice *field, size_t room);
/* The file ends too early, at its last line: an error, unless reading failed, which is the reason then. */
weir_status wi_breaks_off(const wi_source *source, const char *fmt, ...) WEIR_PRINTF(2, 3);
/* An error (WEIR_E_FORMAT) at a piece of the source that is on hand: with its column. */
weir_status wi_fail_slice(weir_diag *diag, const wi_source *source, int line, wi_slice slice, const char *fmt,
                          ...) WEIR_PRINTF(5, 6);
/* A number within bounds, or an error that says what it is. */
weir_status wi_number_field(weir_diag *diag, const wi_source *source, int line, wi_slice slice,
                            const char *what, double low, double high, double *out);
/* The builder's node of that name, or an error. */
weir_status wi_known_node(weir_diag *diag, const wi_source *source, int line, wi_slice name,
                          const weir_graph_builder *builder, uint32_t *node);
/* A new router of that name, at most WI_NAME_MAX bytes. A name that is there already is an error. */
weir_status wi_new_node(weir_diag *diag, const wi_source *source, int line, wi_slice name,
                        weir_graph_builder *builder, uint32_t *node);

/* Turns a builder's remembered failure into an error at a place in the source. */
weir_status wi_builder_failed(weir_diag *diag, const wi_source *source, int line,
                              const weir_graph_builder *builder);

#endif
