/*
 * Topologies of ns-3's RDMA fork (alibaba-edu/High-Precision-Congestion-Control, topology.txt; its forks write
 * the same):
 *
 *     NODES SWITCHES LINKS
 *     ID ...                          (the switches)
 *     A B RATE DELAY ERROR_RATE       (links, both ways)
 *
 * SimAI's (aliyun/SimAI, gen_Topo_Template.py) begin with NODES GPUS_A_SERVER NVSWITCHES SWITCHES LINKS GPU_TYPE, and list both kinds
 * of switches.
 *
 * What stands below the links is passed over. Nodes are numbered from 0, and hosts where they are no switches. Each line of a link is a link of its own. An
 * error rate above 0 is refused: links of a file lose nothing here, `topology.links` says which do.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "topology/read/reader.h"

typedef struct counts {
    uint32_t nodes, switches, links;
} counts;

static counts read_counts(wi_reading *r)
{
    wi_slice f[6], line = {"", 0};
    counts n = {0, 0, 0};
    while (line.length == 0 && wi_next_line(r->source, &line))
        ;
    const size_t fields = wi_split(line, f, 6);
    if (fields == 0)
        wi_fail(r->source, "the file breaks off: the numbers of nodes, switches and links is missing");
    else if (fields != 3 && fields != 6)
        wi_fail(r->source, "%zu fields; want the numbers of nodes, switches and links, or the six of SimAI",
                fields);
    if (!wi_good(r))
        return n;
    n.nodes = wi_whole_field(r->source, f[0], "the number of nodes", 0, WI_NODES_MAX);
    n.switches = wi_whole_field(r->source, f[fields == 6 ? 3 : 1], "the number of switches", 0, n.nodes);
    if (fields == 6)
        n.switches += wi_whole_field(r->source, f[2], "the number of NVSwitches", 0, n.nodes - n.switches);
    n.links = wi_whole_field(r->source, f[fields == 6 ? 4 : 2], "the number of links", 0, WI_LINKS_MAX);
    if (n.nodes == 0)
        wi_fail_slice(r->source, f[0], "a network without nodes");
    return n;
}

/* The switches' numbers, over as many lines as they take; the caller frees them. */
static uint32_t *read_switches(wi_reading *r, counts n)
{
    uint32_t *id = NULL, read = 0;
    wi_slice line, word;
    while (wi_good(r) && read < n.switches) {
        if (!wi_next_line(r->source, &line)) {
            wi_fail(r->source, "the file breaks off after %u of %u switches", read, n.switches);
            break;
        }
        while (wi_good(r) && wi_next_word(&line, &word)) {
            if (read == n.switches)
                wi_fail_slice(r->source, word, "more than the %u switches that the first line states", read);
            else if (!wi_grow_one(&id, read, sizeof *id))
                wi_no_memory(r->source, "switches");
            else
                id[read++] = wi_whole_field(r->source, word, "the number of a switch", 0, n.nodes - 1);
        }
    }
    return id;
}

static void read_link(wi_reading *r, uint32_t nodes)
{
    wi_slice f[5];
    wi_next_fields(r, "a link, from to rate delay error-rate", 5, f);
    if (!wi_good(r))
        return;
    const uint32_t from = wi_whole_field(r->source, f[0], "the number of a node", 0, nodes - 1),
                   to = wi_whole_field(r->source, f[1], "the number of a node", 0, nodes - 1);
    wi_listed link = wi_listed_init(from, to);
    link.rate_bps = wi_rate_field(r->source, f[2], "rate: ", "");
    link.delay_ps = wi_time_field(r->source, f[3], "delay: ", "");
    if (link.rate_bps == 0)
        wi_fail_slice(r->source, f[2], "a rate of 0");
    if (wi_number_field(r->source, f[4], "error rate", 0, 1) > 0)
        wi_fail_slice(r->source, f[4],
                      "an error rate above 0 is not taken from a file; say it by topology.links");
    wi_list(r, link, WI_LIST_OWN);
}

/* Nodes are made once all links are there: a count alone takes no memory. */
static void add_nodes(wi_reading *r, counts n, const uint32_t *switches)
{
    char name[16];
    WI_FREED uint8_t *is_switch = calloc((size_t)n.nodes + 1, 1);
    if (!is_switch)
        wi_no_memory(r->source, "nodes");
    for (uint32_t i = 0; wi_good(r) && i < n.switches; i++) {
        if (is_switch[switches[i]])
            wi_fail_at(r->source, 0, 0, "switch %u is listed twice", switches[i]);
        is_switch[switches[i]] = 1;
    }
    for (uint32_t i = 0; wi_good(r) && i < n.nodes; i++) {
        snprintf(name, sizeof name, "%u", i);
        wi_added(r, weir_graph_add_node(r->builder, name, is_switch[i] ? WEIR_ROUTER : WEIR_HOST));
    }
}

/* Published files explain themselves below their links, and one has more links there than it states: ns-3 reads
 * neither. */
static void pass_over(wi_reading *r, counts n)
{
    wi_slice line, f[5];
    uint32_t a, b;
    int remarks = 0, links = 0, first = 0;
    while (wi_next_line(r->source, &line)) {
        const bool link = wi_split(line, f, 5) == 5 && wi_slice_u32(f[0], &a) && wi_slice_u32(f[1], &b);
        first = link && !links ? r->source->line : first;
        links += link;
        remarks += line.length > 0 && !link;
    }
    if (wi_good(r) && links > 0)
        weir_warn_at(r->source->diag, r->source->name, first, 0,
                     "%d links below the %u that the first line states are passed over", links, n.links);
    if (wi_good(r) && remarks > 0)
        weir_note(r->source->diag, "%s: %d lines below the links are passed over", r->source->name, remarks);
}

void wi_read_ns3_rdma(wi_reading *r)
{
    wi_source_text(r->source);
    const counts n = read_counts(r);
    WI_FREED uint32_t *switches = read_switches(r, n);
    for (uint32_t i = 0; wi_good(r) && i < n.links; i++)
        read_link(r, n.nodes);
    pass_over(r, n);
    if (wi_good(r) && n.nodes > 2 * (uint64_t)n.links + n.switches)
        wi_fail_at(r->source, 1, 0, "%u nodes, of which %u links join %llu at most", n.nodes, n.links,
                   2ULL * n.links);
    if (wi_good(r))
        add_nodes(r, n, switches);
}
