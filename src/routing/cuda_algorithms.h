/* The all-pairs algorithms of a CUDA device, and whether one can be used. */
#ifndef WI_ROUTING_CUDA_ALGORITHMS_H
#define WI_ROUTING_CUDA_ALGORITHMS_H

#include "routing/algorithm/algorithm.h"

/* The same among those of the CUDA device, which must be there. */
const wi_algorithm *wi_choose_cuda(const wi_core *core, weir_route_algorithm asked, const char **reason);
/* True where a CUDA device can be used; *why says why not. */
bool wi_cuda_ready(const char **why);
/* Make a CUDA device the calling thread's current one; false where there is none of that number. */
bool wi_cuda_select(int number, const char **why);
/* True where it has room for the table and the algorithm's work now. */
bool wi_cuda_fits(const wi_algorithm *algorithm, const wi_core *core, const wi_table *table);

#endif
