/* Kernels of the CPU's blocked Floyd-Warshall, shared by its builds for different widths and instruction
 * sets. */
#pragma once

#include "routing/floyd/layout.h"
#include "routing/algorithm/words.h"

#define WI_FLOYD_TILE WI_ROW_PAD

/* A matrix of distances, rows and columns as wi_floyd_layout has them; 64-byte aligned. */
typedef struct wi_floyd {
    wi_floyd_layout layout;
    uint32_t *at; /* [n]: row and column of a core node */
    void *dist;   /* [side][side] of the kernel's lane */
    void *port;   /* [threads][side] of the kernel's lane */
} wi_floyd;

/* What a thread does: tile c from tiles a and b; a diagonal tile; one node's row of ports. */
typedef struct wi_floyd_kernel {
    void (*product)(const wi_floyd *floyd, uint32_t i, uint32_t p, uint32_t j);
    void (*diagonal)(const wi_floyd *floyd, uint32_t p);
    void (*enter)(const wi_floyd *floyd, const wi_route_net *net, uint32_t node);
    wi_batch_end (*ports)(const wi_floyd *floyd, const wi_core *core, const wi_table *table, uint32_t node,
                          int thread);
} wi_floyd_kernel;
extern const wi_floyd_kernel wi_floyd16_base, wi_floyd16_avx2, wi_floyd32_base, wi_floyd32_avx2;
