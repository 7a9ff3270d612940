/* The builder of graphs: nodes and links in the order they come. */
#include "weir/graph.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "topology/builder.h"

weir_graph_builder *weir_graph_builder_new(void)
{
    return calloc(1, sizeof(weir_graph_builder));
}

void weir_graph_builder_free(weir_graph_builder *builder)
{
    if (!builder)
        return;
    wi_names_free(&builder->names);
    free(builder->node);
    free(builder->link);
    free(builder);
}

static void remember(weir_graph_builder *b, weir_status status, const char *why)
{
    if (b->failed != WEIR_OK)
        return;
    b->failed = status;
    snprintf(b->why, sizeof b->why, "%s", why);
}

/* Add `text`, or the first of text#2, text#3, ... that is free. The count of suffixes already used is kept
 * with the name, so that a million nodes of one name do not cost a million probes each. */
static uint32_t add_distinct(weir_graph_builder *b, const char *text, size_t length)
{
    const uint32_t first = wi_names_find(&b->names, text, length);
    if (first == WI_NO_NAME)
        return wi_names_add(&b->names, text, length);
    WI_FREED char *longer = malloc(length + 16);
    if (!longer)
        return WI_NO_NAME;
    memcpy(longer, text, length);
    uint32_t suffix = b->node[first].next_suffix;
    size_t n;
    do
        n = length + (size_t)snprintf(longer + length, 16, "#%u", suffix++);
    while (wi_names_find(&b->names, longer, n) != WI_NO_NAME);
    b->node[first].next_suffix = suffix;
    b->renamed = b->n_renamed++ ? b->renamed : b->names.count;
    return wi_names_add(&b->names, longer, n);
}

uint32_t weir_graph_add_node(weir_graph_builder *builder, const char *name, weir_role role)
{
    char number[16];
    const uint32_t count = builder->names.count;
    if (builder->failed != WEIR_OK)
        return UINT32_MAX;
    if (count == WI_NODES_MAX) {
        remember(builder, WEIR_E_ARG, "the graph has more than 16777216 nodes (2^24)");
        return UINT32_MAX;
    }
    if (!name || !*name) {
        snprintf(number, sizeof number, "%u", count);
        name = number;
    }
    if (!wi_grow(&builder->node, &builder->node_capacity, count + (size_t)1, sizeof *builder->node) ||
        add_distinct(builder, name, strlen(name)) == WI_NO_NAME) {
        remember(builder, WEIR_E_NOMEM, "out of memory while adding a node");
        return UINT32_MAX;
    }
    builder->node[count] = (wi_builder_node){.x = NAN, .y = NAN, .next_suffix = 2, .role = (uint8_t)role};
    return count;
}

void weir_graph_set_xy(weir_graph_builder *builder, uint32_t node, double x, double y)
{
    if (node >= builder->names.count)
        return;
    const bool given = isfinite(x) && isfinite(y);
    builder->node[node].x = given ? x : NAN;
    builder->node[node].y = given ? y : NAN;
}

void weir_graph_set_as(weir_graph_builder *builder, uint32_t node, uint32_t as_number)
{
    if (node < builder->names.count)
        builder->node[node].as_number = as_number;
}

void weir_graph_set_class(weir_graph_builder *builder, uint32_t node, weir_node_class node_class)
{
    if (node < builder->names.count)
        builder->node[node].node_class = (uint8_t)node_class;
}

void weir_graph_set_geographic(weir_graph_builder *builder, bool geographic)
{
    builder->geographic = geographic;
}

void weir_graph_add_link(weir_graph_builder *builder, weir_link link)
{
    char why[160];
    const uint32_t n = builder->names.count;
    if (builder->failed != WEIR_OK)
        return;
    if (link.a >= n || link.b >= n) {
        snprintf(why, sizeof why, "link %zu joins nodes %u and %u, but there are %u nodes", builder->n_links,
                 link.a, link.b, n);
        remember(builder, WEIR_E_ARG, why);
        return;
    }
    if (link.a == link.b) {
        builder->n_self_loops++;
        return;
    }
    if (builder->n_links == WI_LINKS_MAX) {
        remember(builder, WEIR_E_ARG, "the graph has more than 67108864 links (2^26)");
        return;
    }
    if (!wi_grow(&builder->link, &builder->link_capacity, builder->n_links + 1, sizeof *builder->link)) {
        remember(builder, WEIR_E_NOMEM, "out of memory while adding a link");
        return;
    }
    builder->n_one_way += link.one_way;
    builder->weighted |= link.weight != 0 || link.weight_back != 0;
    builder->link[builder->n_links++] = link;
}
