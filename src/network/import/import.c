/* Which files there are, and the scenario that names them. */
#include "network/import/import.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "network/files/flow_file.h"
#include "network/import/ns3_write.h"
#include "weir/scenario.h"

static const char *const kind_names[WI_IMPORT_KINDS] = {"a configuration of ns-3's RDMA fork",
                                                        "a topology of ns-3's RDMA fork",
                                                        "a list of flows of ns-3's RDMA fork",
                                                        "a list of traced nodes of ns-3's RDMA fork",
                                                        "a topology of htsim",
                                                        "connections of htsim"};

enum { CONFIG_BYTES_MOST = 1 << 20 };

typedef struct import {
    weir_diag *diag;
    bool absolute;
    wi_import_path file[WI_IMPORT_KINDS];
    char *kept[2 * WI_IMPORT_KINDS]; /* paths made here */
    size_t n_kept;
    wi_ns3_config *config;
    weir_status status;
} import;

static const char *keep(import *m, char *path)
{
    if (!path)
        m->status = weir_fail(m->diag, WEIR_E_NOMEM, "no memory for a path");
    else
        m->kept[m->n_kept++] = path;
    return path;
}

static void take(import *m, wi_import_kind kind, const char *path)
{
    m->file[kind] = (wi_import_path){path, path};
    if (m->absolute) {
        char *whole = realpath(path, NULL);
        if (whole)
            m->file[kind].shown = keep(m, whole);
    }
    if (strpbrk(m->file[kind].shown ? m->file[kind].shown : "", "\"\\\n"))
        m->status = weir_fail(m->diag, WEIR_E_ARG, "%s: a path with quotes cannot stand in a scenario", path);
}

static void look_at(import *m, const char *path)
{
    wi_source source;
    m->status = wi_source_open(m->diag, path, UINT64_C(1) << 30, &source);
    if (m->status != WEIR_OK) {
        (void)wi_source_close(&source);
        return;
    }
    const wi_import_kind kind = wi_import_kind_of(&source);
    m->status = wi_source_close(&source);
    if (m->status == WEIR_OK && kind == WI_IMPORT_KINDS)
        m->status = weir_fail_at(m->diag, WEIR_E_FORMAT, path, 1, 1,
                                 "neither a file of htsim (.topo, .cm, .tm) nor of ns-3's RDMA fork "
                                 "(config.txt, topology.txt, flow.txt, trace.txt)");
    else if (m->status == WEIR_OK && m->file[kind].opened)
        m->status = weir_fail(m->diag, WEIR_E_ARG, "%s and %s are both %s", m->file[kind].shown, path,
                              kind_names[kind]);
    else if (m->status == WEIR_OK)
        take(m, kind, path);
}

static void read_config(import *m)
{
    wi_source source;
    m->config = calloc(1, sizeof *m->config);
    if (!m->config) {
        m->status = weir_fail(m->diag, WEIR_E_NOMEM, "no memory for a configuration");
        return;
    }
    if (!m->file[WI_IMPORT_CONFIG].opened)
        return;
    m->status = wi_source_open(m->diag, m->file[WI_IMPORT_CONFIG].opened, CONFIG_BYTES_MOST, &source);
    if (m->status == WEIR_OK)
        m->status = wi_ns3_config_read(&source, m->config);
    const weir_status closed = wi_source_close(&source);
    m->status = m->status == WEIR_OK ? closed : m->status;
}

/* A file that the configuration names: beside it, else from its folder, else from the one above, which the fork runs in. */
static void find(import *m, wi_import_kind kind, wi_ns3_key key)
{
    const wi_ns3_value *v = &m->config->value[key];
    const char *config = m->file[WI_IMPORT_CONFIG].opened, *slash = config ? strrchr(config, '/') : NULL;
    const char *base = strrchr(v->text, '/');
    const int folder = slash ? (int)(slash - config) + 1 : 0;
    if (m->status != WEIR_OK || m->file[kind].opened || !v->line)
        return;
    for (int i = 0; i < 3; i++) {
        char *path = NULL;
        if (asprintf(&path, "%.*s%s%s", v->text[0] == '/' && i > 0 ? 0 : folder, config, i == 2 ? "../" : "",
                     i == 0 && base ? base + 1 : v->text) < 0)
            path = NULL;
        if (path && access(path, R_OK) != 0) {
            free(path);
            continue;
        }
        if (keep(m, path))
            take(m, kind, path);
        return;
    }
    m->status = weir_fail_at(m->diag, WEIR_E_IO, config, v->line, v->column, "%s: no file %s is here",
                             wi_ns3_key_name(key), v->text);
}

static bool has(const import *m, wi_import_kind kind)
{
    return m->file[kind].opened != NULL;
}

static void write_ns3(import *m, FILE *out)
{
    read_config(m);
    if (m->status == WEIR_OK) {
        find(m, WI_IMPORT_TOPOLOGY, WI_NS3_TOPOLOGY_FILE);
        find(m, WI_IMPORT_FLOWS, WI_NS3_FLOW_FILE);
        find(m, WI_IMPORT_TRACE, WI_NS3_TRACE_FILE);
    }
    for (int kind = WI_IMPORT_CONFIG; kind <= WI_IMPORT_FLOWS && m->status == WEIR_OK; kind++)
        if (!has(m, (wi_import_kind)kind))
            m->status = weir_fail(m->diag, WEIR_E_ARG, "give %s too", kind_names[kind]);
    if (m->status != WEIR_OK)
        return;
    const wi_ns3_files files = {m->file[WI_IMPORT_CONFIG], m->file[WI_IMPORT_TOPOLOGY],
                                m->file[WI_IMPORT_FLOWS], m->file[WI_IMPORT_TRACE], m->config};
    m->status = wi_ns3_write(m->diag, &files, out);
}

/* Hosts that the connections state. */
static uint32_t nodes_of(import *m)
{
    wi_slice line, word, value;
    uint32_t nodes = 0;
    wi_source source = wi_source_file(m->diag, m->file[WI_IMPORT_HTSIM_FLOWS].opened);
    while (nodes == 0 && wi_next_line(&source, &line))
        if (wi_next_word(&line, &word) && wi_slice_is(word, "Nodes") && wi_next_word(&line, &value))
            nodes = wi_whole_field(&source, value, "Nodes", 1, 1u << 28);
    m->status = wi_source_close(&source);
    return nodes;
}

/* Payload of a segment: 4,096 bytes, or what messages that share a connection are whole numbers of. Of a list with mistakes the run
 * says which. */
static uint32_t segment_of(const import *m)
{
    enum { USUAL = 4096, LEAST = 512 };
    wi_flow_file *list = NULL;
    weir_diag *const quiet = weir_diag_new();
    const weir_status status =
        wi_flow_file_read(wi_source_file(quiet, m->file[WI_IMPORT_HTSIM_FLOWS].opened), &list);
    uint32_t bytes = USUAL;
    while (status == WEIR_OK && bytes >= LEAST && list->part_bytes % bytes != 0)
        bytes--;
    wi_flow_file_free(list);
    weir_diag_free(quiet);
    return bytes >= LEAST ? bytes : USUAL; /* else, too, the run says what it wants */
}

/* htsim's files say nothing of the transport, and its programs make a fat-tree where there is no topology. */
static void write_htsim(import *m, FILE *out)
{
    const wi_import_path flows = m->file[WI_IMPORT_HTSIM_FLOWS], topology = m->file[WI_IMPORT_HTSIM_TOPOLOGY];
    if (!flows.opened) {
        m->status = weir_fail(m->diag, WEIR_E_ARG, "give connections of htsim (.cm, .tm) too");
        return;
    }
    fprintf(out,
            "# Of htsim: %s. Its files name no transport; this is NDP over switches that trim, as htsim_ndp "
            "has it.\n"
            "weir: 1\nduration: until-done 1s\ntopology:\n",
            flows.shown);
    if (topology.opened) {
        fprintf(out, "  file: \"%s\"\n", topology.shown);
    } else {
        const uint32_t nodes = nodes_of(m);
        uint32_t k = 2;
        while (k * k * k / 4 < nodes && k < 1000)
            k += 2;
        if (m->status == WEIR_OK && k * k * k / 4 != nodes)
            m->status =
                weir_fail(m->diag, WEIR_E_ARG,
                          "%s: %u nodes are no fat-tree of equal switches; give its topology (.topo) too",
                          flows.shown, nodes);
        fprintf(out,
                "  generate: {model: fat-tree, k: %u, rate: 100Gbps, delay: 1us, access_rate: 100Gbps, "
                "access_delay: 1us}\n",
                k);
    }
    const uint32_t segment = segment_of(m);
    fprintf(out,
            "  queue: {type: trim}\n"
            "  host_queue: {type: trim, limit_packets: 1000, headers: 100kB}\n"
            "routing: {ecmp: true, spray: true}\ntraffic:\n  - name: connections\n    flows: \"%s\"\n"
            "    tcp: {congestion: ndp, mss: %uB}\n",
            flows.shown, segment);
}

weir_status weir_scenario_import(weir_diag *diag, const char *const *path, size_t n, bool absolute,
                                 char **text)
{
import m = {.diag = diag, .absolute = absolute };
    size_t size = 0;
    *text = NULL;
    for (size_t i = 0; i < n && m.status == WEIR_OK; i++)
        look_at(&m, path[i]);
    const bool htsim = has(&m, WI_IMPORT_HTSIM_FLOWS) || has(&m, WI_IMPORT_HTSIM_TOPOLOGY);
    bool ns3 = false;
    for (int kind = WI_IMPORT_CONFIG; kind <= WI_IMPORT_TRACE; kind++)
        ns3 = ns3 || has(&m, (wi_import_kind)kind);
    if (m.status == WEIR_OK && htsim && ns3)
        m.status = weir_fail(diag, WEIR_E_ARG, "files of htsim and of ns-3 make no scenario together");
    FILE *out = m.status == WEIR_OK ? open_memstream(text, &size) : NULL;
    if (m.status == WEIR_OK && !out)
        m.status = weir_fail(diag, WEIR_E_NOMEM, "no memory for a scenario");
    if (m.status == WEIR_OK && htsim)
        write_htsim(&m, out);
    else if (m.status == WEIR_OK)
        write_ns3(&m, out);
    if (out)
        fclose(out);
    for (size_t i = 0; i < m.n_kept; i++)
        free(m.kept[i]);
    free(m.config);
    if (m.status != WEIR_OK) {
        free(*text);
        *text = NULL;
    }
    return m.status;
}
