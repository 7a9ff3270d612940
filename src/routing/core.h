/* The pruned core of a graph, made and freed; algorithm.h says what it is. */
#ifndef WI_ROUTING_CORE_H
#define WI_ROUTING_CORE_H

#include "routing/algorithm/algorithm.h"

weir_status wi_core_build(weir_diag *diag, const weir_graph *graph, const weir_cost *cost, wi_core *core);
/* Take other costs on the same core: as it was pruned, in the same numbering. */
weir_status wi_core_reload(weir_diag *diag, const weir_graph *graph, const weir_cost *cost, wi_core *core);
void wi_core_free(wi_core *core);
/* Free what only the algorithms read. */
void wi_core_free_net(wi_core *core);

#endif
