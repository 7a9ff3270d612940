/* What SNDlib's two formats, native (sndlib.c) and XML (sndlib_xml.c), have in common: what a network of it means as a graph. */
#ifndef WI_TOPOLOGY_FORMATS_SNDLIB_NET_H
#define WI_TOPOLOGY_FORMATS_SNDLIB_NET_H

#include "topology/read/link_list.h"
#include "topology/read/reader.h"

typedef struct wi_sndlib_net {
    weir_diag *diag;
    wi_source *source;
    const weir_topology_options *options;
    weir_graph_builder *builder;
    wi_link_list links;
    double unit_bps; /* that a capacity of 1 stands for */
    bool unit_given, has_xy, beyond_degrees, rated;
    uint64_t by_module; /* links whose rate is a module's */
} wi_sndlib_net;

/* A link as the file has it. Rates are in the file's unit. */
typedef struct wi_sndlib_link {
    uint32_t from, to;
    double capacity, weight; /* pre-installed; routing cost: 0 none is given */
    double least, most;      /* capacities of its modules; 0: it has none */
} wi_sndlib_link;

/* A capacity of one more module. */
void wi_sndlib_take_module(wi_sndlib_link *link, double capacity);
/* The largest capacity that makes a rate. */
double wi_sndlib_most(const wi_sndlib_net *net);
/* Where a node stands: degrees, unless some are none. */
void wi_sndlib_place(wi_sndlib_net *net, uint32_t node, double x, double y);
/* WEIR_E_NOMEM alone. */
weir_status wi_sndlib_add(wi_sndlib_net *net, const wi_sndlib_link *link, int line);
/* The graph's links and what is to be said, once all is read; frees the list. `status`: of reading. */
weir_status wi_sndlib_finish(wi_sndlib_net *net, weir_status status);

#endif
