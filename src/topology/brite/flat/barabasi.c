/*
 * Barabási and Albert's model (Science 286, 1999) as BRITE grows it: a complete graph of m + 1 nodes, then
 * each new node joins m distinct earlier ones with a probability in proportion to their degrees. That is
 * m (m + 1) / 2 + m (N - m - 1) links.
 *
 * The ends of all links so far, in a list, are each node as often as its degree: a random entry is a node
 * drawn in proportion, in one step.
 */
#include <stdlib.h>

#include "topology/brite/flat/flat.h"
#include "base/memory.h"

weir_status wi_draw_ba(weir_diag *diag, const wi_flat *flat, weir_stream stream, wi_sketch *sketch)
{
    const uint64_t m = flat->m, n = flat->n;
    const uint64_t links = m * (m + 1) / 2 + m * (n - m - 1);
    WI_FREED uint32_t *end = malloc((2 * links + 1) * sizeof *end), *mark = calloc(n, sizeof *mark);
    uint64_t ends = 0;
    for (uint32_t v = 0; end && mark && v < n && !sketch->no_memory; v++) {
        const uint64_t before = ends; /* the node's own links do not attract it */
        for (uint32_t k = 0; k < (v <= m ? v : m); k++) {
            uint32_t u = k;
            while (v > m && (u = end[weir_draw_below(&stream, before)], mark[u] == v))
                ;
            mark[u] = v; /* node 0 takes none, so 0 marks nobody */
            wi_sketch_join(sketch, v, u);
            end[ends++] = v;
            end[ends++] = u;
        }
    }
    const bool good = end && mark;
    return good ? wi_sketch_check(diag, sketch)
                : weir_fail(diag, WEIR_E_NOMEM, "out of memory for %llu links", (unsigned long long)links);
}
