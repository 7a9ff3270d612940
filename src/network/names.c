/* Nodes and links by the names, or patterns of names, that a scenario gives them. */
#include <stdlib.h>
#include <string.h>
#include <stdio.h>

#include "base/nearest.h"
#include "base/memory.h"
#include "schema/pattern.h"
#include "network/network.h"

uint32_t wi_network_node(weir_diag *diag, const wi_network *network, const char *name, weir_place place)
{
    const weir_graph *g = network->graph;
    const uint32_t node = weir_graph_find(g, name);
    if (node != UINT32_MAX)
        return node;
    weir_fail_at(diag, WEIR_E_SCENARIO, WEIR_AT(place), "no node '%s' in the topology%s", name,
                 WI_HINT(name, g->name, g->n_nodes));
    return UINT32_MAX;
}

/* A name that a node has is that node, whatever it looks like. */
static bool is_pattern(const weir_graph *g, const char *name)
{
    return weir_graph_find(g, name) == UINT32_MAX && wi_is_pattern(name);
}

static weir_status no_memory(weir_diag *diag)
{
    return weir_fail(diag, WEIR_E_NOMEM, "no memory for the nodes and links of a name");
}

static bool add(wi_number_list *list, uint32_t number)
{
    if (!wi_grow_one(&list->item, list->n, sizeof *list->item))
        return false;
    list->item[list->n++] = number;
    return true;
}

void wi_number_list_free(wi_number_list *list)
{
    free(list->item);
    *list = (wi_number_list){0};
}

/* Of the nodes that a pattern has put behind the first `before`, hosts stay and routers go, where there is a host. The warning
 * names one of those that go, unless the pattern is that for all. */
static void keep_hosts(weir_diag *diag, const weir_graph *g, const weir_name *name, uint32_t before,
                       wi_number_list *list)
{
    uint32_t kept = before, router = UINT32_MAX;
    for (uint32_t i = before; i < list->n; i++)
        if (g->role[list->item[i]] == WEIR_HOST)
            kept++;
        else if (router == UINT32_MAX)
            router = list->item[i];
    if (kept == before || router == UINT32_MAX)
        return;
    const uint32_t hosts = kept - before, routers = list->n - kept;
    kept = before;
    for (uint32_t i = before; i < list->n; i++)
        if (g->role[list->item[i]] == WEIR_HOST)
            list->item[kept++] = list->item[i];
    list->n = kept;
    if (strcmp(name->text, "*") != 0)
        weir_warn_at(diag, WEIR_AT(name->place),
                     "'%s' takes %u hosts; it matches %u %s too, '%s'%s, left out: a router that is to send "
                     "or receive is named",
                     name->text, hosts, routers, routers == 1 ? "router" : "routers", g->name[router],
                     routers == 1 ? "" : " and so on");
}

weir_status wi_network_ends(weir_diag *diag, const wi_network *network, const weir_name *name,
                            wi_number_list *list)
{
    const uint32_t before = list->n;
    const weir_status status = wi_network_nodes(diag, network, name, list);
    if (status == WEIR_OK && is_pattern(network->graph, name->text))
        keep_hosts(diag, network->graph, name, before, list);
    return status;
}

weir_status wi_network_once(weir_diag *diag, const wi_network *network, const weir_scenario_class *c,
                            weir_place at, const weir_names *names, wi_number_list *list)
{
    WI_FREED unsigned char *there = calloc((size_t)network->graph->n_nodes + 1, 1);
    weir_status status = there ? WEIR_OK : no_memory(diag);
    for (size_t i = 0; i < names->n && status == WEIR_OK; i++)
        status = wi_network_ends(diag, network, &names->item[i], list);
    for (uint32_t i = 0; i < list->n && status == WEIR_OK; i++)
        if (there[list->item[i]]++)
            status = weir_fail_at(diag, WEIR_E_SCENARIO, WEIR_AT(at),
                                  "class '%s': '%s' is named twice among the hosts", c->name.text,
                                  network->graph->name[list->item[i]]);
    return status;
}

weir_status wi_network_nodes(weir_diag *diag, const wi_network *network, const weir_name *name,
                             wi_number_list *list)
{
    const weir_graph *g = network->graph;
    const uint32_t before = list->n;
    if (!is_pattern(g, name->text)) {
        const uint32_t node = wi_network_node(diag, network, name->text, name->place);
        if (node == UINT32_MAX)
            return WEIR_E_SCENARIO;
        return add(list, node) ? WEIR_OK : no_memory(diag);
    }
    for (uint32_t v = 0; v < g->n_nodes; v++)
        if (wi_pattern_matches(name->text, g->name[v]) && !add(list, v))
            return no_memory(diag);
    if (list->n > before)
        return WEIR_OK;
    return weir_fail_at(diag, WEIR_E_SCENARIO, WEIR_AT(name->place),
                        "no node matches '%s'; the topology has %u nodes, such as '%s'", name->text,
                        g->n_nodes, g->n_nodes ? g->name[0] : "");
}

static bool edges_between(const weir_graph *g, uint32_t from, uint32_t to, wi_number_list *list)
{
    for (uint32_t e = g->first[from]; e < g->end[from]; e++)
        if (g->target[e] == to && !add(list, e))
            return false;
    return true;
}

enum { OFFERED = 24, LINK_TEXT = 160 };

/* Names of the links of node v, toward it or away from it, behind those that are there. */
static void offer_links(const weir_graph *g, uint32_t v, bool away, const char *arrow,
                        char (*text)[LINK_TEXT], const char **names, size_t *n)
{
    for (uint32_t e = g->first[v]; e < g->end[v] && *n < OFFERED; e++) {
        const char *const other = g->name[g->target[e]];
        if (snprintf(text[*n], LINK_TEXT, "%s%s%s", away ? g->name[v] : other, arrow,
                     away ? other : g->name[v]) < LINK_TEXT) {
            names[*n] = text[*n];
            ++*n;
        }
    }
}

/* What to say behind a name of links that finds none: the nearest that there is, or the links of its nodes. */
static const char *hint_links(char out[WI_HINT_BYTES], const weir_graph *g, const weir_link_name *link)
{
    char text[OFFERED][LINK_TEXT];
    const char *names[OFFERED], *const arrow = link->both ? "--" : "->";
    char asked[2 * LINK_TEXT];
    size_t n = 0;
    const uint32_t from = weir_graph_find(g, link->from), to = weir_graph_find(g, link->to);
    if (from != UINT32_MAX)
        offer_links(g, from, true, arrow, text, names, &n);
    if (to != UINT32_MAX)
        offer_links(g, to, false, arrow, text, names, &n);
    for (uint32_t v = 0; n == 0 && v < g->n_nodes; v++) /* of neither: any */
        offer_links(g, v, true, arrow, text, names, &n);
    snprintf(asked, sizeof asked, "%s%s%s", link->from, arrow, link->to);
    return wi_hint(out, asked, names, n);
}

static weir_status exact_edges(weir_diag *diag, const wi_network *network, const weir_link_name *link,
                               wi_number_list *list)
{
    const weir_graph *g = network->graph;
    const uint32_t from = wi_network_node(diag, network, link->from, link->place), before = list->n;
    const uint32_t to = wi_network_node(diag, network, link->to, link->place);
    if (from == UINT32_MAX || to == UINT32_MAX)
        return WEIR_E_SCENARIO;
    if (!edges_between(g, from, to, list) || (link->both && !edges_between(g, to, from, list)))
        return no_memory(diag);
    if (list->n > before)
        return WEIR_OK;
    return weir_fail_at(diag, WEIR_E_SCENARIO, WEIR_AT(link->place), "no link between '%s' and '%s'%s",
                        link->from, link->to, hint_links((char[WI_HINT_BYTES]){0}, g, link));
}

/* Bit 1: `from` means the node, bit 2: `to` does. */
static unsigned char *ends_of(const weir_graph *g, const weir_link_name *link)
{
    const char *const name[2] = {link->from, link->to};
    unsigned char *ends = calloc((size_t)g->n_nodes + 1, 1);
    for (int end = 0; ends && end < 2; end++) {
        const bool pattern = is_pattern(g, name[end]);
        for (uint32_t v = 0; v < g->n_nodes; v++)
            if (pattern ? wi_pattern_matches(name[end], g->name[v]) : strcmp(name[end], g->name[v]) == 0)
                ends[v] |= (unsigned char)(1 << end);
    }
    return ends;
}

weir_status wi_network_edges(weir_diag *diag, const wi_network *network, const weir_link_name *link,
                             wi_number_list *list)
{
    const weir_graph *g = network->graph;
    const uint32_t before = list->n;
    if (!is_pattern(g, link->from) && !is_pattern(g, link->to))
        return exact_edges(diag, network, link, list);
    WI_FREED unsigned char *ends = ends_of(g, link);
    bool good = ends != NULL;
    for (uint32_t v = 0; good && v < g->n_nodes; v++)
        for (uint32_t e = g->first[v]; good && e < g->end[v]; e++) {
            const unsigned char a = ends[v], b = ends[g->target[e]];
            if (((a & 1) && (b & 2)) || (link->both && (a & 2) && (b & 1)))
                good = add(list, e);
        }
    if (!good)
        return no_memory(diag);
    if (list->n > before)
        return WEIR_OK;
    return weir_fail_at(diag, WEIR_E_SCENARIO, WEIR_AT(link->place),
                        "no link matches '%s', of the topology's %u%s", link->text, g->n_edges / 2,
                        hint_links((char[WI_HINT_BYTES]){0}, g, link));
}

/* ---- ports ---- */

void wi_host_name(const wi_network *network, uint32_t host, char *out, size_t size)
{
    if (host >= network->net->n_hosts) {
        snprintf(out, size, "%s", "");
        return;
    }
    const weir_graph *g = network->graph;
    const uint32_t v = network->net->host_node[host];
    snprintf(out, size, "%s", g->name[v]);
}

static char *joined(const char *from, const char *to, const char *suffix, uint32_t number)
{
    char tail[16] = "";
    if (number > 1)
        snprintf(tail, sizeof tail, "#%u", number);
    const size_t size = strlen(from) + strlen(to) + strlen(suffix) + sizeof tail + 3;
    char *name = malloc(size);
    if (name)
        snprintf(name, size, "%s->%s%s%s", from, to, suffix, tail);
    return name;
}

char *wi_port_name(const wi_network *network, uint32_t entity)
{
    const weir_graph *g = network->graph;
    const wi_net *net = network->net;
    if (entity < net->n_hosts) {
        const uint32_t v = net->host_node[entity];
        if (g->role[v] == WEIR_HOST && weir_node_is_single(g, v))
            return joined(g->name[v], g->name[g->target[g->first[v]]], "", 1);
        const size_t size = 2 * strlen(g->name[v]) + 10;
        char *name = malloc(size);
        if (name)
            snprintf(name, size, "%s.host->%s", g->name[v], g->name[v]);
        return name;
    }
    const uint32_t v = net->port_node[entity - net->n_hosts], e = net->port_edge[entity - net->n_hosts];
    if (e == UINT32_MAX)
        return joined(g->name[v], g->name[v], ".host", 1);
    uint32_t number = 1;
    for (uint32_t i = g->first[v]; i < e; i++)
        number += g->target[i] == g->target[e];
    return joined(g->name[v], g->name[g->target[e]], "", number);
}
