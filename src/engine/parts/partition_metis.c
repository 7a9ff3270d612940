/* METIS, where weir was built with it. */
#include "engine/parts/partition.h"

#ifdef WEIR_HAVE_METIS
#include <metis.h>
#include <stdlib.h>

static idx_t *copy_of(const uint32_t *from, size_t n)
{
    idx_t *to = malloc((n + 1) * sizeof *to);
    for (size_t i = 0; to && i < n; i++)
        to[i] = (idx_t)from[i];
    return to;
}

int wi_partition_metis(uint32_t n, const uint64_t *first, const uint32_t *target, const uint32_t *edge_weight,
                       const uint32_t *weight, uint32_t n_parts, uint16_t *part)
{
    const uint64_t edges = first[n];
    if (n < n_parts || edges > INT32_MAX || n > INT32_MAX)
        return 0;
    idx_t *xadj = malloc(((size_t)n + 1) * sizeof *xadj), *found = malloc(((size_t)n + 1) * sizeof *found);
    idx_t *adjncy = copy_of(target, edges), *adjwgt = copy_of(edge_weight, edges), *vwgt = copy_of(weight, n);
    idx_t options[METIS_NOPTIONS], n_vertices = (idx_t)n, constraints = 1, parts = (idx_t)n_parts, cut = 0;
    int done = 0;
    if (xadj && found && adjncy && adjwgt && vwgt) {
        for (uint32_t v = 0; v <= n; v++)
            xadj[v] = (idx_t)first[v];
        METIS_SetDefaultOptions(options);
        options[METIS_OPTION_SEED] = 1;
        /* Recursive bisection balances better than k-way while parts are few. */
        done = (n_parts <= 8 ? METIS_PartGraphRecursive : METIS_PartGraphKway)(
                   &n_vertices, &constraints, xadj, adjncy, vwgt, NULL, adjwgt, &parts, NULL, NULL, options,
                   &cut, found) == METIS_OK;
    }
    for (uint32_t v = 0; v < n && done; v++)
        part[v] = (uint16_t)found[v];
    free(xadj);
    free(found);
    free(adjncy);
    free(adjwgt);
    free(vwgt);
    return done;
}
#else
int wi_partition_metis(uint32_t n, const uint64_t *first, const uint32_t *target, const uint32_t *edge_weight,
                       const uint32_t *weight, uint32_t n_parts, uint16_t *part)
{
    (void)n, (void)first, (void)target, (void)edge_weight, (void)weight, (void)n_parts, (void)part;
    return 0;
}
#endif
