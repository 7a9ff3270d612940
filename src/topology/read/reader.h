/* What the readers of formats share: nodes by name, links. */
#pragma once

#include "base/file/slice.h"
#include "topology/builder.h"
#include "topology/read/link_list.h"
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

/* The word of a node class, "" for none. */
const char *wi_class_word(weir_node_class node_class);
/* The node class of a word. */
weir_node_class wi_class_of_word(wi_slice word);

/* The longest name of a node. */
enum { WI_NAME_MAX = 255 };

/* The next line that holds something, split into exactly `wanted` fields; what else is there, or that nothing
 * is, is an error that says `what` was wanted. */
void wi_next_fields(wi_reading *r, const char *what, size_t wanted, wi_slice *field);

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
