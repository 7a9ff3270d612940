/* What the topology commands share. */
#ifndef WI_CLI_COMMANDS_TOPOLOGY_H
#define WI_CLI_COMMANDS_TOPOLOGY_H

#include "cli/terminal/cli.h"
#include "weir/graph.h"

/* Measure a graph and print that, as text or (args->json) JSON. */
weir_status cli_print_topology(weir_diag *diag, const weir_graph *graph, const char *format,
                               const cli_args *args);

#endif
