/* Routes without a simulation: a square of four routers with a diagonal, a table, and what a failed link
 * changes. Build: cc routes.c $(pkg-config --cflags --libs weir) */
#include <stdio.h>

#include "weir/routes.h"

int main(void)
{
    static const uint32_t links[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2}};
    weir_cost cost[10];
    uint32_t edges[8];
    weir_diag *diag = weir_diag_new();
    weir_graph_builder *builder = weir_graph_builder_new();
    for (int i = 0; i < 4; i++)
        weir_graph_add_node(builder, NULL, WEIR_ROUTER);
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        weir_graph_add_link(builder, weir_link_init(links[i][0], links[i][1]));
    for (int e = 0; e < 10; e++)
        cost[e] = 1;
    weir_graph *graph = NULL;
    weir_routes *routes = NULL;
    weir_routes_options options;
    weir_routes_options_init(&options);
    options.cost = cost; /* or options.metric, and costs follow from the links */
    if (weir_graph_build(diag, builder, &graph) != WEIR_OK ||
        weir_routes_compute(diag, graph, &options, &routes) != WEIR_OK) {
        fprintf(stderr, "%s\n", weir_diag_count(diag) ? weir_diag_get(diag, 0)->text : "failed");
        return 1;
    }
    printf("%s\n", weir_routes_how(routes));
    const uint16_t before = weir_routes_port(routes, 1, 3); /* over 0 or 2: the lower port, the link to 0 */
    const weir_route_change failure = {graph->first[0] + 1, WEIR_COST_DOWN}; /* 0's second port leads to 3 */
    if (weir_routes_update(diag, routes, graph, cost, &failure, 1, &options, NULL) != WEIR_OK)
        return 1;
    const uint32_t hops = weir_routes_path(routes, graph, 1, 3, edges, 8);
    printf("1 to 3 by port %u, and by port %u after 0 - 3 failed: %u hops\n", before,
           weir_routes_port(routes, 1, 3), hops);
    const int right =
        before == 0 && weir_routes_port(routes, 1, 3) == 1 && hops == 2 && graph->target[edges[1]] == 3;
    weir_routes_free(routes);
    weir_graph_free(graph);
    weir_graph_builder_free(builder);
    weir_diag_free(diag);
    return right ? 0 : 1;
}
