/* What SNDlib's two formats, native (sndlib.c) and XML (sndlib_xml.c), have in common: what a network of it
 * means as a graph. */
#pragma once

#include "topology/read/reader.h"

typedef struct wi_sndlib_net {
    wi_reading *r;
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

/* Set META's unit. */
void wi_sndlib_set_unit(wi_sndlib_net *net, wi_slice word);
/* Add a module of that capacity to a link. */
void wi_sndlib_add_module(wi_sndlib_link *link, double capacity);
/* The largest capacity that makes a rate. */
double wi_sndlib_most(const wi_sndlib_net *net);
/* Place a node: at degrees, unless some are none. */
void wi_sndlib_place(wi_sndlib_net *net, uint32_t node, double x, double y);
/* Add a link that is read whole. */
void wi_sndlib_add(wi_sndlib_net *net, const wi_sndlib_link *link);
/* Settle what depends on the whole file, and report. */
void wi_sndlib_finish(wi_sndlib_net *net);
