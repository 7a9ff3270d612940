/* Formats by name, and the way from a file or memory over a reader to a graph. */
#include "weir/topology.h"

#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "topology/read/reader.h"
#include "topology/formats/formats.h"

static const weir_topology_format formats[] = {
    {"graphml", ".graphml .xml", "GraphML as the Internet Topology Zoo and networkx write it"},
    {"brite", ".brite", "BRITE's own topologies"},
    {"brite-conf", ".conf", "a BRITE configuration: the graph is generated from it, with the seed"},
    {"cch", ".cch .cch_maps.txt", "Rocketfuel router map; routers and their links only"},
    {"weights", "weights.intra", "Rocketfuel inferred weights: from, to, weight"},
    {"latencies", "latencies.intra", "Rocketfuel latencies: from, to, milliseconds"},
    {"as-rel", ".as-rel.txt .as-rel2.txt", "CAIDA AS relationships, serial-1 or serial-2"},
    {"sndlib", ".native.txt .sndlib", "SNDlib's native format: nodes and links"},
    {"sndlib-xml", ".xml", "SNDlib's XML format: nodes and links"},
    {"gml", ".gml", "GML as the Internet Topology Zoo and networkx write it"},
    {"repetita", ".graph", "REPETITA's topologies: nodes with places, directed edges"},
    {"ns3-rdma", "", "topologies of ns-3's RDMA fork: switches, links with rates and delays"},
    {"htsim", ".topo", "htsim's fat-trees and leaf-spines by tiers"},
    {"codes", "", "link files of CODES: the one between groups; the one within a group stands beside it"},
    {"inet", ".inet", "Inet 3.0: counts, nodes with places, links"},
    {"orbis", ".orbis", "Orbis 0.7: two node numbers a line"},
    {"edges", ".txt .edges .edgelist .el .csv .tsv", "edge list: two node names a line"},
};
static wi_format_reader *const readers[] = {
    wi_read_graphml, wi_read_brite,  wi_read_brite_conf, wi_read_cch,   wi_read_weights,  wi_read_latencies,
    wi_read_as_rel,  wi_read_sndlib, wi_read_sndlib_xml, wi_read_gml,   wi_read_repetita, wi_read_ns3_rdma,
    wi_read_htsim,   wi_read_codes,  wi_read_inet,       wi_read_orbis, wi_read_edges,
};
enum { N_FORMATS = sizeof formats / sizeof *formats };
_Static_assert(sizeof readers / sizeof *readers == N_FORMATS, "one reader a format");

const weir_topology_format *weir_topology_formats(size_t *count)
{
    *count = N_FORMATS;
    return formats;
}

void weir_topology_options_init(weir_topology_options *options)
{
    *options =
        (weir_topology_options){.max_bytes = UINT64_C(1) << 34, .seed = 1, .keys = {.rate_unit_bps = 1}};
}

/* ---- which format ---- */

static bool ends_with(const char *text, size_t length, const char *suffix, size_t n)
{
    return n <= length && strncasecmp(text + length - n, suffix, n) == 0;
}

static bool has_suffix(const char *name, const char *suffixes)
{
    size_t length = strlen(name);
    if (ends_with(name, length, ".gz", 3))
        length -= 3;
    else if (ends_with(name, length, ".bz2", 4))
        length -= 4;
    while (*suffixes) {
        const size_t n = strcspn(suffixes, " ");
        if (ends_with(name, length, suffixes, n))
            return true;
        suffixes += n + (suffixes[n] == ' ');
    }
    return false;
}

static void list_formats(char *out, size_t size)
{
    size_t at = 0;
    for (size_t i = 0; i < N_FORMATS && at < size; i++)
        at += (size_t)snprintf(out + at, size - at, "%s%s", i ? ", " : "", formats[i].name);
}

#define SAY_WHICH "say which by --from NAME, in a scenario by topology.format"

static size_t number_of(const char *name)
{
    size_t i = 0;
    while (strcmp(formats[i].name, name) != 0)
        i++;
    return i;
}

static void unknown_format(wi_source *source, const char *wanted)
{
    char known[200];
    const char *names[N_FORMATS];
    list_formats(known, sizeof known);
    for (size_t i = 0; i < N_FORMATS; i++)
        names[i] = formats[i].name;
    const char *near = wi_nearest(wanted, names, N_FORMATS);
    wi_fail_at(source, 0, 0, "no topology format '%s'%s%s%s; known are: %s", wanted,
               near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", known);
}

/* The number of the format that a source has: by its content; by its name where that shows nothing; not at
 * all where the two contradict each other. */
static size_t detect(wi_source *source)
{
    char known[200];
    const size_t edges = number_of("edges");
    const wi_sniffed found = wi_sniff(source);
    size_t named = 0;
    while (named < N_FORMATS && !has_suffix(source->name, formats[named].suffixes))
        named++;
    /* .xml names two. */
    if (found.format && !found.or_format &&
        has_suffix(source->name, formats[number_of(found.format)].suffixes))
        named = number_of(found.format);
    /* A name that ends in .txt shows little. */
    const bool specific = named < N_FORMATS && named != edges;
    if (found.or_format && !specific)
        wi_fail_at(source, 0, 0, "this may be %s or %s: %s; " SAY_WHICH, found.format, found.or_format,
                   found.why);
    else if (found.format && !found.or_format && specific && named != number_of(found.format))
        wi_fail_at(source, 0, 0, "by its name this is %s, by its content %s; " SAY_WHICH, formats[named].name,
                   found.format);
    else if (found.foreign && !specific)
        wi_fail_at(source, 0, 0, "this looks like %s, which is read as no topology; if it is one, " SAY_WHICH,
                   found.foreign);
    else if (found.format && !specific)
        named = number_of(found.format);
    if (named == N_FORMATS) {
        list_formats(known, sizeof known);
        wi_fail_at(source, 0, 0,
                   "neither the file's name nor its content tells its format; " SAY_WHICH ": %s", known);
    }
    return named;
}

static size_t pick(wi_source *source, const char *wanted)
{
    if (!wanted)
        return detect(source);
    for (size_t i = 0; i < N_FORMATS; i++)
        if (strcmp(formats[i].name, wanted) == 0)
            return i;
    unknown_format(source, wanted);
    return N_FORMATS;
}

weir_status weir_topology_detect(weir_diag *diag, const char *path, const char **format)
{
    wi_source source;
    *format = NULL;
    if (wi_source_open(diag, path, UINT64_MAX, &source) == WEIR_OK) {
        const size_t number = detect(&source);
        *format = source.status == WEIR_OK ? formats[number].name : NULL;
    }
    wi_source_close(&source);
    return source.status;
}

/* ---- reading ---- */

static weir_status read_source(wi_source *source, const weir_topology_options *o, weir_graph **out)
{
    const size_t format = pick(source, o->format);
    const weir_topology_keys *k = &o->keys;
    if ((k->rate || k->delay || k->weight || k->name) && format != number_of("graphml"))
        wi_fail_at(source, 0, 0, "keys name attributes of GraphML, and this is %s",
                   format < N_FORMATS ? formats[format].name : "not known");
    return source->status == WEIR_OK ? wi_read_with(readers[format], source, o, out) : source->status;
}

weir_status weir_topology_read(weir_diag *diag, const char *name, const char *data, size_t size,
                               const weir_topology_options *options, weir_graph **out)
{
    weir_topology_options defaults;
    wi_source source = wi_source_memory(diag, name, data, size);
    *out = NULL;
    weir_topology_options_init(&defaults);
    const weir_topology_options *o = options ? options : &defaults;
    if (size > o->max_bytes)
        return weir_fail_at(diag, WEIR_E_IO, name, 0, 0, "%zu bytes are more than the limit of %llu", size,
                            (unsigned long long)o->max_bytes);
    return read_source(&source, o, out);
}

weir_status weir_topology_load(weir_diag *diag, const char *path, const weir_topology_options *options,
                               weir_graph **out)
{
    weir_topology_options defaults;
    wi_source source;
    *out = NULL;
    weir_topology_options_init(&defaults);
    const weir_topology_options *o = options ? options : &defaults;
    if (wi_source_open(diag, path, o->max_bytes, &source) == WEIR_OK)
        read_source(&source, o, out);
    wi_source_close(&source);
    return source.status;
}
