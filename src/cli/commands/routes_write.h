/* Files of next ports: NumPy arrays and CSV. docs/routing.md describes both. */
#ifndef WI_CLI_COMMANDS_ROUTES_WRITE_H
#define WI_CLI_COMMANDS_ROUTES_WRITE_H

#include <stdbool.h>

#include "weir/routes.h"

/* Before any work: WEIR_E_ARG for a name that ends in neither .npy nor .csv, or a file that is there without
 * `force`. */
weir_status cli_routes_check_path(weir_diag *diag, const char *path, bool force);
/*
 * Write the ports of all pairs. The file appears when it is whole. Beside a .npy, NAME.nodes.csv lists the
 * nodes. Returns: WEIR_OK; WEIR_E_IO; WEIR_E_NOMEM.
 */
weir_status cli_routes_write(weir_diag *diag, const weir_graph *graph, const weir_cost *cost,
                             const weir_routes *routes, const char *path, bool force);

#endif
