/* What ports and hosts are called in results. */
#include "scenario/network/network.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
