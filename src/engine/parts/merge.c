/* Records of all threads and ranks, merged in order and handed out on rank 0. */
#include <stdlib.h>
#include <string.h>

#include "engine/core/event_key.h"
#include "base/memory.h"
#include "engine/parts/parts.h"

/* Records in order, one after another. */
typedef struct list {
    const unsigned char *at;
    size_t n;
} list;

static const weir_record_head *first_of(const list *l)
{
    return (const weir_record_head *)(const void *)l->at;
}

/* Merge to `out`, which has room for all; the lists are used up. */
static void merge(list *lists, uint32_t n_lists, size_t stride, unsigned char *out)
{
    for (;; out += stride) {
        list *least = NULL;
        for (uint32_t i = 0; i < n_lists; i++)
            if (lists[i].n > 0 && (!least || wi_record_before(first_of(&lists[i]), first_of(least))))
                least = &lists[i];
        if (!least)
            return;
        memcpy(out, least->at, stride);
        least->at += stride;
        least->n--;
    }
}

static size_t total_of(const list *lists, uint32_t n_lists)
{
    size_t total = 0;
    for (uint32_t i = 0; i < n_lists; i++)
        total += lists[i].n;
    return total;
}

/* This rank's records before before_ps, in order; malloc'ed. Null when memory is short. */
static unsigned char *of_this_rank(wi_parts *parts, weir_time before_ps, size_t *n)
{
    const size_t stride = parts->sim->main.ctx.rec_stride;
    const uint32_t n_lists = parts->n_threads + 1; /* and what init wrote */
    WI_FREED list *lists = malloc(n_lists * sizeof *lists);
    for (uint32_t i = 0; lists && i < n_lists; i++) {
        wi_part *part = i < parts->n_threads ? parts->part[i] : &parts->sim->main;
        lists[i] = (list){part->ctx.rec, wi_records_sort(part, before_ps)};
    }
    *n = lists ? total_of(lists, n_lists) : 0;
    unsigned char *merged = lists ? malloc(*n * stride + 1) : NULL;
    for (uint32_t i = 0; merged && i < n_lists; i++) {
        wi_part *part = i < parts->n_threads ? parts->part[i] : &parts->sim->main;
        if (i == 0)
            merge(lists, n_lists, stride, merged);
        /* What a list had is what its part has before before_ps. */
        wi_records_drop(part, wi_records_sort(part, before_ps));
    }
    return merged;
}

/* Merge what the ranks have: bytes_of[rank] each, rank by rank in `all`. Null when memory is short. */
static unsigned char *of_all_ranks(const wi_batch *all, const size_t *bytes_of, uint32_t n_ranks,
                                   size_t stride, size_t *n)
{
    WI_FREED list *lists = malloc(n_ranks * sizeof *lists);
    const unsigned char *at = all->at;
    for (uint32_t r = 0; lists && r < n_ranks; at += bytes_of[r++])
        lists[r] = (list){at, bytes_of[r] / stride};
    *n = lists ? total_of(lists, n_ranks) : 0;
    unsigned char *merged = lists ? malloc(*n * stride + 1) : NULL;
    if (merged)
        merge(lists, n_ranks, stride, merged);
    return merged;
}

weir_status wi_parts_records(weir_diag *diag, wi_parts *parts, weir_time before_ps)
{
    const size_t stride = parts->sim->main.ctx.rec_stride;
    size_t n = 0;
    unsigned char *merged = of_this_rank(parts, before_ps, &n);
    int whole = merged != NULL;
    if (parts->ranks) {
        const uint32_t n_ranks = parts->ranks->n_ranks;
        wi_batch all = {0};
        WI_FREED size_t *bytes_of = malloc(n_ranks * sizeof *bytes_of);
        whole &= bytes_of && parts->ranks->gather(merged, whole ? n * stride : 0, &all, bytes_of);
        free(merged);
        merged = NULL;
        n = 0;
        if (whole && parts->ranks->rank == 0)
            merged = of_all_ranks(&all, bytes_of, n_ranks, stride, &n);
        whole &= parts->ranks->rank > 0 || merged != NULL;
        free(all.at);
    }
    /* A sink that has failed gets no more, but the ranks still come to this barrier. */
    weir_status status =
        parts->sink_status != WEIR_OK ? parts->sink_status
        : whole
            ? wi_records_hand_out(diag, parts->sim, merged, n)
            : weir_fail(diag, WEIR_E_NOMEM, "no memory to merge the records of %u threads", parts->n_threads);
    free(merged);
    return status;
}
