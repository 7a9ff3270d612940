/* A program that wants routes alone: a square of four routers with a diagonal, and the ports toward one of them. */
#include <stdio.h>
#include <stdlib.h>

#include "weir/routes.h"

int main(void)
{
    static const uint32_t links[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2}};
    weir_diag *diag = weir_diag_new();
    weir_graph_builder *builder = weir_graph_builder_new();
    for (int i = 0; i < 4; i++)
        weir_graph_add_node(builder, NULL, WEIR_ROUTER);
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        weir_graph_add_link(builder, weir_link_init(links[i][0], links[i][1]));
    weir_graph *graph = NULL;
    weir_routes_options options;
    weir_routes_options_init(&options);
    weir_routes *routes = NULL;
    if (weir_graph_build(diag, builder, &graph) != WEIR_OK ||
        weir_routes_compute(diag, graph, &options, &routes) != WEIR_OK) {
        fprintf(stderr, "%s\n", weir_diag_count(diag) ? weir_diag_get(diag, 0)->text : "failed");
        return 1;
    }
    for (uint32_t from = 0; from < 3; from++)
        printf("%u to 3: port %u\n", from, weir_routes_port(routes, from, 3));
    /* Node 1 reaches 3 over 0 or 2; the lower port is the link to 0. */
    const int right = weir_routes_port(routes, 1, 3) == 0 && weir_routes_port(routes, 3, 3) == WEIR_NO_PORT;
    weir_routes_free(routes);
    weir_graph_free(graph);
    weir_graph_builder_free(builder);
    weir_diag_free(diag);
    return right ? 0 : 1;
}
