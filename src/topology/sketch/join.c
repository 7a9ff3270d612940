/* Separate parts of a sketch joined up, as BRITE's models leave them at times; see sketch.h. */
#include <stdlib.h>

#include "topology/sketch/sketch.h"

/* Nodes sorted by component: those of root r are node[first[r]] .. node[first[r + 1] - 1]. */
typedef struct parts {
    uint32_t *root, *first, *node;
} parts;

static bool sort_parts(parts *p, uint32_t n)
{
    p->first = calloc((size_t)n + 2, sizeof *p->first);
    p->node = malloc(((size_t)n + 1) * sizeof *p->node);
    if (!p->first || !p->node)
        return false;
    for (uint32_t v = 0; v < n; v++)
        p->first[wi_set_root(p->root, v) + 2]++;
    for (uint32_t r = 0; r < n; r++)
        p->first[r + 2] += p->first[r + 1];
    for (uint32_t v = 0; v < n; v++)
        p->node[p->first[wi_set_root(p->root, v) + 1]++] = v;
    return true;
}

weir_status wi_join_up(weir_diag *diag, weir_stream *stream, wi_sketch *sketch)
{
    uint32_t count = 0;
    parts p = {.root = wi_sketch_components(sketch, &count)};
    const uint32_t n = sketch->n;
    bool good = p.root != NULL;
    if (good && count > 1 && (good = sort_parts(&p, n))) {
        /* Each part, from the second on, to a node of the parts before it: one set grows to hold all. */
        uint32_t done = p.first[1];
        for (uint32_t r = 1; r < n; r++) {
            const uint32_t size = p.first[r + 1] - p.first[r];
            if (size == 0)
                continue;
            const uint32_t inside = p.node[p.first[r] + (uint32_t)weir_draw_below(stream, size)];
            wi_sketch_join(sketch, inside, p.node[weir_draw_below(stream, done)]);
            done += size;
        }
        weir_note(diag, "%u links were added to join %u separate parts of the graph", count - 1, count);
    }
    free(p.root);
    free(p.first);
    free(p.node);
    return good ? wi_sketch_check(diag, sketch)
                : weir_fail(diag, WEIR_E_NOMEM, "out of memory for %u nodes", n);
}
