/* A ring of routers with short links and a host behind a long one at each; sessions cross two links of the ring, so that ports
 * whose links are short follow each other all round. */
#ifndef TESTS_FLUID_SHORT_LINKS_H
#define TESTS_FLUID_SHORT_LINKS_H

#include "fluid/nets.h"

enum { SHORT_RING = 5 };

static inline net *short_links(weir_fluid_queue queue, weir_fluid_class cls)
{
    net *n = (net *)calloc(1, sizeof *n);
    weir_graph_builder *b = weir_graph_builder_new();
    if (!n || !b)
        abort();
    for (uint32_t i = 0; i < 2 * SHORT_RING; i++)
        (void)weir_graph_add_node(b, NULL, WEIR_ROUTER);
    for (uint32_t i = 0; i < 2 * SHORT_RING; i++) {
        const bool ring = i < SHORT_RING;
        weir_link l = ring ? weir_link_init(i, (i + 1) % SHORT_RING) : weir_link_init(i, i - SHORT_RING);
        l.rate_bps = ring ? 20000000 : 100000000;
        l.delay_ps = ring ? seconds(0.0002 + 0.00001 * i) : seconds(0.01);
        weir_graph_add_link(b, l);
    }
    weir_routes_options routes;
    weir_routes_options_init(&routes);
    if (weir_graph_build(NULL, b, &n->graph) != WEIR_OK ||
        weir_routes_compute(NULL, n->graph, &routes, &n->routes) != WEIR_OK)
        abort();
    weir_graph_builder_free(b);
    n->queue[n->n_queues++] = queue;
    n->cls[n->n_classes++] = cls;
    for (uint32_t i = 0; i < SHORT_RING; i++)
        add_flow(n, SHORT_RING + i, SHORT_RING + (i + 2) % SHORT_RING, 0, 4 + i, 0.1 * i, -1);
    return n;
}

#endif
