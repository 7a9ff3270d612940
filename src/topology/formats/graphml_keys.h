/*
 * What the GraphML reader takes from a file: the attributes it knows, by the element they are for and by
 * their names. Key ids (d0, d1, ...) differ from file to file and mean nothing.
 */
#ifndef WI_TOPOLOGY_FORMATS_GRAPHML_KEYS_H
#define WI_TOPOLOGY_FORMATS_GRAPHML_KEYS_H

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

/* The field that an attribute of that name means at that element. An attribute that `keys` names stands in for all that would
 * mean the same by their own names. */
wi_gml_field wi_gml_field_of(const weir_topology_keys *keys, wi_gml_element element, wi_slice name);

/* Of the attributes that `keys` names, the bits of those that this one is; and an error that names one that is not among
 * what was found: then the file is another than was thought, not one without rates. */
unsigned wi_gml_asked_bit(const weir_topology_keys *keys, wi_gml_element element, wi_slice name);
weir_status wi_gml_check_asked(weir_diag *diag, const wi_source *source, const weir_topology_keys *keys,
                               unsigned found);

/* What a node or edge says: text by field, empty where nothing. Texts are cut at WI_GML_TEXT - 1 bytes. */
enum { WI_GML_TEXT = 256 };
typedef struct wi_gml_values {
    char text[WI_GML_FIELDS][WI_GML_TEXT];
} wi_gml_values;

typedef struct wi_gml_node {
    double x, y; /* NaN: not given */
    bool geographic, hyperedge;
    weir_role role;
    weir_node_class node_class;
    uint32_t as_number;
} wi_gml_node;

typedef struct wi_gml_edge {
    uint64_t rate_bps;  /* 0: not given */
    weir_time delay_ps; /* negative: not given */
    double weight;      /* NaN: not given */
    uint32_t link;      /* number of its link + 1; 0: not given */
    bool zero_rate;     /* a speed or rate of 0 is stated */
    bool odd;           /* a LinkSpeed of free text; counted, not fatal */
} wi_gml_edge;

/*
 * Interpret the texts. False for coordinates, speeds and weights that are no numbers, or negative, or beyond
 * all bounds, and for rates and delays that are none with a unit: then `why` says what, with the text.
 */
bool wi_gml_node_of(const wi_gml_values *values, wi_gml_node *node, char *why, size_t why_size);
bool wi_gml_edge_of(const weir_topology_keys *keys, const wi_gml_values *values, wi_gml_edge *edge, char *why,
                    size_t why_size);

#endif
