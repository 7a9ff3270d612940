/*
 * What GML and GraphML have in common: the attributes that are known, by the element they are for and by
 * their names, and the graph that they make. Key ids of GraphML (d0, d1, ...) differ from file to file and
 * mean nothing.
 */
#pragma once

#include "topology/read/reader.h"

typedef enum wi_gml_element { WI_GML_OTHER, WI_GML_NODE, WI_GML_EDGE } wi_gml_element;

typedef enum wi_gml_field {
    WI_GML_LABEL,     /* node: its name */
    WI_GML_LATITUDE,  /* node: degrees */
    WI_GML_LONGITUDE, /* node: degrees */
    WI_GML_X,         /* node: kilometres in a plane, where the file has no degrees */
    WI_GML_Y,         /* node */
    WI_GML_HYPEREDGE, /* node: 1 for a stand-in of a link with many ends */
    WI_GML_ROLE,      /* node: host or router */
    WI_GML_AS,        /* node: number */
    WI_GML_CLASS,     /* node: leaf, border, stub, backbone or server */
    WI_GML_SPEED_RAW, /* edge: bits per second */
    WI_GML_SPEED,     /* edge: in SPEED_UNITS */
    WI_GML_UNITS,     /* edge: K, M, G or T */
    WI_GML_RATE,      /* edge: a rate with its unit */
    WI_GML_DELAY,     /* edge: a time with its unit */
    WI_GML_WEIGHT,    /* edge: routing weight */
    WI_GML_LINK,      /* edge: number of the link that it is a direction of */
    WI_GML_FIELDS,
    WI_GML_UNKNOWN = WI_GML_FIELDS
} wi_gml_field;

/* The field that an attribute of that name means at that element. An attribute that `keys` names stands in
 * for all that would mean the same by their own names. */
wi_gml_field wi_gml_field_of(const weir_topology_keys *keys, wi_gml_element element, wi_slice name);
/* The bits of those of the attributes that `keys` names that this one is. */
unsigned wi_gml_asked_bit(const weir_topology_keys *keys, wi_gml_element element, wi_slice name);
/* Refuse a file that lacks an attribute that `keys` names: it is another than was thought, not one without
 * rates. */
void wi_gml_check_asked(wi_source *source, const weir_topology_keys *keys, unsigned found);

/* The attributes of a node or edge: text by field, empty where there is none. Texts are cut at WI_GML_TEXT -
 * 1 bytes. */
enum { WI_GML_TEXT = 256 };
typedef struct wi_gml_values {
    char text[WI_GML_FIELDS][WI_GML_TEXT];
} wi_gml_values;

typedef struct wi_gml_place {
    double x, y; /* NaN: not given */
    bool degrees;
} wi_gml_place;

typedef struct wi_gml_edge {
    wi_listed link;  /* between numbers of ids */
    uint32_t number; /* of the link that it is a direction of; UINT32_MAX: not given */
    int line;
    bool one_way;
} wi_gml_edge;

/* A graph under way. */
typedef struct wi_gml_graph {
    wi_reading *r;
    wi_names ids;         /* of nodes, declared or only named by an edge */
    uint32_t *node_of;    /* [ids.count]: node + 1; 0 while not declared */
    wi_gml_place *places; /* [nodes] */
    wi_gml_edge *edges;
    size_t node_of_room, places_room, n_edges, edges_room;
    bool directed;   /* all edges are one direction each */
    bool degrees;    /* places in a plane are not taken */
    bool geographic; /* a node has degrees */
    uint64_t hyperedges, odd;

    uint32_t id, from, to; /* numbers of ids: of the node, or of the ends of the edge, under way */
    bool one_way;          /* the edge under way is one direction */
    int line;              /* where it begins */
    char subject[80];      /* for messages */
} wi_gml_graph;

/* Find the number of an id, a new one for a new id. */
uint32_t wi_gml_id(wi_gml_graph *g, wi_slice id);
/* Add the node under way, with these attributes: what is no number, negative or beyond all bounds is an
 * error. */
void wi_gml_add_node(wi_gml_graph *g, const wi_gml_values *values);
/* Add the edge under way, likewise. */
void wi_gml_add_edge(wi_gml_graph *g, const weir_topology_keys *keys, const wi_gml_values *values);
/* Place the nodes and list the links, once all is read. */
void wi_gml_finish(wi_gml_graph *g);
/* Free what the graph holds. */
void wi_gml_free(wi_gml_graph *g);
