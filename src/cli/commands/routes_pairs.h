/* The pairs of nodes that `weir routes` is asked for. */
#ifndef WI_CLI_COMMANDS_ROUTES_PAIRS_H
#define WI_CLI_COMMANDS_ROUTES_PAIRS_H

#include <stdint.h>

#include "cli/terminal/cli.h"
#include "weir/graph.h"

typedef struct cli_node_pair {
    uint32_t from, to;
} cli_node_pair;

/*
 * Read --pairs and --pair, in this order: *pairs [*n], the caller's to free. WEIR_E_ARG for a text that
 * cannot be read, or a name that the graph does not hold: nothing is allocated then.
 */
WEIR_NODISCARD weir_status cli_read_pairs(weir_diag *diag, const weir_graph *graph, const cli_args *args,
                                          cli_node_pair **pairs, size_t *n);

#endif
