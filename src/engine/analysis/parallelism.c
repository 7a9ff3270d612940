/* Rounds of a trace. Events are numbered in the order of handling, so that numbers stand for times. */
#include "engine/analysis/parallelism.h"

#include "base/memory.h"
#include "weir/random.h"

/* Events that depend on nothing any more; the earliest is the smallest number, at the root. */
typedef struct ready_heap {
    uint32_t *item, n;
} ready_heap;

static void heap_push(ready_heap *h, uint32_t event)
{
    uint32_t at = h->n++;
    for (; at > 0 && h->item[(at - 1) / 2] > event; at = (at - 1) / 2)
        h->item[at] = h->item[(at - 1) / 2];
    h->item[at] = event;
}

static uint32_t heap_pop(ready_heap *h)
{
    const uint32_t top = h->item[0], last = h->item[--h->n];
    uint32_t at = 0;
    for (uint32_t child = 1; child < h->n; child = 2 * at + 1) {
        child += child + 1 < h->n && h->item[child + 1] < h->item[child];
        if (h->item[child] >= last)
            break;
        h->item[at] = h->item[child];
        at = child;
    }
    h->item[at] = last;
    return top;
}

/* The dependency graph. Lists end with WI_NO_CAUSE. */
typedef struct graph {
    uint32_t *after; /* [n] the next event of the same LP */
    uint32_t *child,
        *next_sibling; /* [n] the first event that it scheduled; the next one of the same cause */
    uint8_t *waits;    /* [n] dependencies left */
    uint8_t *done;     /* [n] */
    uint32_t *chosen;  /* [n] of a round */
    ready_heap ready;
} graph;

static int graph_make(graph *g, wi_owned *memory, const wi_trace *t, const uint32_t *lp, uint32_t n_lps)
{
    const size_t n = (size_t)t->n + 1;
    g->after = wi_take(memory, n, sizeof *g->after);
    g->child = wi_take(memory, n, sizeof *g->child);
    g->next_sibling = wi_take(memory, n, sizeof *g->next_sibling);
    g->waits = wi_take(memory, n, 1);
    g->done = wi_take(memory, n, 1);
    g->chosen = wi_take(memory, n, sizeof *g->chosen);
    g->ready.item = wi_take(memory, n, sizeof *g->ready.item);
    uint32_t *last = wi_take(memory, n_lps, sizeof *last);
    if (memory->failed)
        return 0;
    for (uint32_t l = 0; l < n_lps; l++)
        last[l] = WI_NO_CAUSE;
    for (uint32_t i = 0; i < t->n; i++) {
        uint32_t *before = &last[lp[t->entity[i]]];
        const uint32_t cause = t->cause[i];
        g->after[i] = g->child[i] = g->next_sibling[i] = WI_NO_CAUSE;
        if (*before != WI_NO_CAUSE) {
            g->after[*before] = i;
            g->waits[i]++;
        }
        *before = i;
        if (cause != WI_NO_CAUSE) { /* a cause stands before its events */
            g->next_sibling[i] = g->child[cause];
            g->child[cause] = i;
            g->waits[i]++;
        }
        if (g->waits[i] == 0)
            heap_push(&g->ready, i);
    }
    return 1;
}

static void release(graph *g, uint32_t event)
{
    if (--g->waits[event] == 0)
        heap_push(&g->ready, event);
}

static uint64_t count_rounds(graph *g, const wi_trace *t, weir_time lookahead_ps)
{
    uint64_t rounds = 0;
    for (uint32_t first = 0; first < t->n; rounds++) {
        const weir_time left_ps = WEIR_TIME_MAX - t->time_ps[first];
        const weir_time end_ps = t->time_ps[first] + (lookahead_ps < left_ps ? lookahead_ps : left_ps);
        uint32_t n = 0;
        while (g->ready.n > 0 && t->time_ps[g->ready.item[0]] < end_ps)
            g->chosen[n++] = heap_pop(&g->ready);
        /* Only now, so that what becomes ready waits for the next round. */
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t event = g->chosen[i];
            g->done[event] = 1;
            if (g->after[event] != WI_NO_CAUSE)
                release(g, g->after[event]);
            for (uint32_t c = g->child[event]; c != WI_NO_CAUSE; c = g->next_sibling[c])
                release(g, c);
        }
        while (first < t->n && g->done[first])
            first++;
    }
    return rounds;
}

weir_status wi_parallelism_rounds(weir_diag *diag, const wi_trace *trace, const uint32_t *lp, uint32_t n_lps,
                                  weir_time lookahead_ps, uint64_t *rounds)
{
    graph g = {0};
    WI_ENDED(wi_owned_free) wi_owned memory = {0};
    *rounds = 0;
    const int whole = graph_make(&g, &memory, trace, lp, n_lps);
    if (whole)
        *rounds = count_rounds(&g, trace, lookahead_ps);
    return whole ? WEIR_OK
                 : weir_fail(diag, WEIR_E_NOMEM, "no memory for the dependencies of %u events", trace->n);
}

void wi_parallelism_assign(uint64_t seed, uint32_t n_entities, uint32_t n_lps, uint32_t *lp)
{
    weir_stream stream = weir_stream_make(seed, 0, 0);
    for (uint32_t e = 0; e < n_entities; e++)
        lp[e] = e % n_lps;
    for (uint32_t e = n_entities; e > 1; e--) { /* Fisher and Yates's shuffle */
        const uint32_t other = (uint32_t)weir_draw_below(&stream, e);
        const uint32_t swap = lp[e - 1];
        lp[e - 1] = lp[other];
        lp[other] = swap;
    }
}
