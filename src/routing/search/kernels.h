/* Work space and kernels of the batched relaxation and of the bit-parallel breadth-first search, shared by
 * their builds for different widths and instruction sets. */
#pragma once

#include "routing/algorithm/algorithm.h"

/* ---- batched relaxation ---- */

#define WI_RELAX_LANES WI_ROW_PAD

struct wi_relax_space;
typedef wi_batch_end wi_relax_kernel(const wi_core *core, const wi_table *table, uint32_t dst, uint32_t n_dst,
                                     struct wi_relax_space *space);
wi_relax_kernel wi_relax16_base, wi_relax16_avx2, wi_relax32_base, wi_relax32_avx2;

typedef struct wi_relax_space {
    wi_relax_kernel *kernel;
    void *dist;      /* [n][WI_RELAX_LANES] of the kernel's type: distance to each destination of the batch */
    uint64_t *dirty; /* [n / 64 + 1]: a bit a node whose distances changed since it offered them */
} wi_relax_space;

/* ---- bit-parallel search ---- */

#define WI_BIT_LANES 512u
#define WI_BIT_WORDS (WI_BIT_LANES / 64u)

/* One bit a destination of the batch; all blocks are WI_BIT_WORDS words. */
typedef struct wi_bit_space {
    uint64_t *seen;        /* [n]: destinations that the node has a way to */
    uint64_t *front;       /* [n]: ... and found at the last level */
    uint64_t *next;        /* [n]: ... and finds at this level */
    uint64_t *plane;       /* [first_plane[n]]: bit b of the node's port toward each destination */
    uint32_t *first_plane; /* [n + 1]: planes of node i, as many as its greatest port number has bits */
    uint32_t *active;      /* nodes still without a way somewhere, or with a front to clear */
} wi_bit_space;

/* Search from n_dst destinations and write their columns; the hops of the longest path. */
uint32_t wi_bit_batch_base(const wi_core *core, const wi_table *table, uint32_t dst, uint32_t n_dst,
                           wi_bit_space *space);
/* The same, compiled for AVX2. */
uint32_t wi_bit_batch_avx2(const wi_core *core, const wi_table *table, uint32_t dst, uint32_t n_dst,
                           wi_bit_space *space);
