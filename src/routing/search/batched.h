/* Work space and kernels of the batched relaxation, shared by its builds for different widths and
 * instruction sets. */
#ifndef WI_ROUTING_SEARCH_BATCHED_H
#define WI_ROUTING_SEARCH_BATCHED_H

#include "routing/algorithm/algorithm.h"

#define WI_RELAX_LANES WI_ROW_PAD

struct wi_relax_space;
typedef wi_batch_end wi_relax_kernel(const wi_core *core, const wi_table *table, uint32_t dst, uint32_t n_dst,
                                     struct wi_relax_space *space);
wi_relax_kernel wi_relax16_base, wi_relax16_avx2, wi_relax32_base, wi_relax32_avx2;

typedef struct wi_relax_space {
    wi_relax_kernel *kernel;
    void *dist; /* [n][WI_RELAX_LANES] of the kernel's type: distance to each destination of the batch */
    uint64_t
        *dirty; /* [n / 64 + 1]: one bit a node whose distances have changed since it last offered them */
} wi_relax_space;

#endif
