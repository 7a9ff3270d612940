/* All pairs by one reverse tree per destination; the plain way, and the measure for the others. */
#include "routing/algorithm/algorithm.h"
#include "routing/search/tree.h"

#include <stdlib.h>

#define LANES WI_ROW_PAD

/* Ports of a batch of trees wait here, tree by tree, until they go to the table row by row. */
typedef struct trees_space {
    wi_tree_space *tree;
    weir_cost *dist;
    uint16_t *port; /* [LANES][n] */
} trees_space;

static uint64_t space_bytes(const wi_algorithm *algorithm, const wi_core *core)
{
    (void)algorithm;
    const size_t n = (size_t)core->net.n + 1;
    return sizeof(trees_space) + wi_tree_space_bytes(core->net.n) +
           n * (sizeof(weir_cost) + LANES * sizeof(uint16_t));
}

static void space_free(void *space)
{
    trees_space *const s = space;
    if (!s)
        return;
    weir_route_space_free(s->tree);
    free(s->dist);
    free(s->port);
    free(s);
}

static void *space_new(const wi_algorithm *algorithm, const wi_core *core)
{
    (void)algorithm;
    const size_t n = (size_t)core->net.n + 1;
    trees_space *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->tree = wi_tree_space_new(core->net.n);
    s->dist = malloc(n * sizeof *s->dist);
    s->port = malloc(n * LANES * sizeof *s->port);
    if (s->tree && s->dist && s->port)
        return s;
    space_free(s);
    return NULL;
}

static void store(const wi_core *core, const wi_table *table, uint32_t dst, uint32_t n_dst,
                  const uint16_t *port)
{
    const size_t n = core->net.n;
    for (uint32_t i = 0; i < n; ++i) {
        uint8_t *const out = wi_table_at(table, i, dst);
        const uint32_t width = 1u + wi_table_wide(table, i);
        for (uint32_t k = 0; k < LANES; ++k) {
            const uint16_t p = k < n_dst ? port[k * n + i] : WEIR_NO_PORT;
            out[k * width] = (uint8_t)p;
            if (width == 2)
                out[k * width + 1] = (uint8_t)(p >> 8);
        }
    }
}

static wi_batch_end batch(const wi_core *core, const wi_table *table, uint32_t dst, uint32_t n_dst,
                          void *space)
{
    trees_space *const s = space;
    for (uint32_t k = 0; k < n_dst; ++k) {
        if (!wi_tree_distances(&core->net, dst + k, s->tree, s->dist))
            return WI_BATCH_OVERFLOW;
        wi_tree_ports(&core->net, s->dist, s->port + (size_t)k * core->net.n);
    }
    store(core, table, dst, n_dst, s->port);
    return WI_BATCH_DONE;
}

const wi_algorithm wi_trees = {.name = "trees",
                               .lane = 8,
                               .lanes = LANES,
                               .space_bytes = space_bytes,
                               .space_new = space_new,
                               .space_free = space_free,
                               .batch = batch};
