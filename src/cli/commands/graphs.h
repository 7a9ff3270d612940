/* What the commands of graphs share: topology, and routes. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cli/terminal/cli.h"
#include "weir/graph.h"
#include "weir/routes.h"

/* ---- topology.c ---- */

/* The topology of the first operand, in the format of --from. */
WEIR_NODISCARD weir_status cli_load_topology(weir_diag *diag, const cli_args *args, weir_graph **out);
/* Measure a graph and print that, as text or (args->json) JSON. */
weir_status cli_print_topology(weir_diag *diag, const weir_graph *graph, const char *format,
                               const cli_args *args);

/* List the links of a graph by the names that scenarios take, A--B or, one way, A->B, as text or (args->json) JSON. */
weir_status cli_print_links(weir_diag *diag, const weir_graph *graph, const cli_args *args);

/* ---- the pairs of nodes that `weir routes` is asked for (routes_pairs.c) ---- */

typedef struct cli_node_pair {
    uint32_t from, to;
} cli_node_pair;

/*
 * Read --pairs and --pair, in this order: *pairs [*n], the caller's to free. WEIR_E_ARG for a text that
 * cannot be read, or a name that the graph does not hold: nothing is allocated then.
 */
WEIR_NODISCARD weir_status cli_read_pairs(weir_diag *diag, const weir_graph *graph, const cli_args *args,
                                          cli_node_pair **pairs, size_t *n);

/* ---- files of next ports, NumPy arrays and CSV (routes_write.c; docs/routing.md describes both) ---- */

/* Before any work: WEIR_E_ARG for a name that ends in neither .npy nor .csv, or a file that is there without
 * `force`. */
weir_status cli_routes_check_path(weir_diag *diag, const char *path, bool force);
/*
 * Write the ports of all pairs, with links' costs over `scale`. The file appears when it is whole. Beside a .npy, NAME.nodes.csv lists the
 * nodes. Returns: WEIR_OK; WEIR_E_IO; WEIR_E_NOMEM.
 */
weir_status cli_routes_write(weir_diag *diag, const weir_graph *graph, const weir_cost *cost, uint32_t scale,
                             const weir_routes *routes, const char *path, bool force);
