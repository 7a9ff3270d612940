/* The earliest fault in the order of events, which is the one that the sequential engine would meet. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/conservative/conservative.h"

typedef struct where {
    weir_time time_ps;
    uint32_t tie, source, seq, any;
} where;

static bool is_before(const where *a, const where *b)
{
    if (a->any != b->any)
        return a->any > b->any;
    if (a->time_ps != b->time_ps)
        return a->time_ps < b->time_ps;
    if (a->tie != b->tie)
        return a->tie < b->tie;
    if (a->source != b->source)
        return a->source < b->source;
    return weir_seq_before(a->seq, b->seq);
}

static where place_of(const wi_worker *w)
{
    const weir_event *e = &w->part.during;
    return (where){e->time_ps, e->tie, e->source, e->seq, w->part.ctx.fault != WEIR_FAULT_NONE};
}

/* Every rank tells where its fault is; returns the rank of the earliest. */
static uint32_t rank_of_earliest(const wi_ranks *ranks, where mine)
{
    uint32_t earliest = 0;
    where least = {0};
    for (uint32_t r = 0; r < ranks->n_ranks; r++) {
        where its = mine;
        ranks->broadcast(&its, sizeof its, r);
        if (r == 0 || is_before(&its, &least)) {
            least = its;
            earliest = r;
        }
    }
    return earliest;
}

weir_status wi_conservative_fault(weir_diag *diag, wi_conservative *engine)
{
    const wi_worker *first = &engine->workers[0];
    for (uint32_t i = 1; i < engine->n_threads; i++) {
        const where a = place_of(&engine->workers[i]), b = place_of(first);
        if (is_before(&a, &b))
            first = &engine->workers[i];
    }
    const char *during = engine->sim->setup.model->types[first->part.during.type].name;
    if (!engine->ranks)
        return wi_fault_message(diag, &first->part, during);
    const uint32_t root = rank_of_earliest(engine->ranks, place_of(first));
    char text[1024] = "";
    if (engine->ranks->rank == root) {
        weir_diag *own = weir_diag_new();
        (void)!wi_fault_message(own, &first->part, during);
        if (own && weir_diag_count(own) > 0)
            snprintf(text, sizeof text, "%s", weir_diag_get(own, 0)->text);
        weir_diag_free(own);
    }
    engine->ranks->broadcast(text, sizeof text, root);
    return weir_fail(diag, WEIR_E_MODEL, "%s", text);
}
