/* The time of a message alone in a network, by its path and the table of links. */
#ifndef TEST_MODELS_INTERCONNECT_PATHS_H
#define TEST_MODELS_INTERCONNECT_PATHS_H

#include "interconnect_run.h"

/* Channels on the minimal way, counted without the model's routes: by coordinates and the table of links. */
typedef struct path {
    uint32_t local, global;
} path;

static inline path dragonfly_path(const ic_world *w, uint32_t source, uint32_t target)
{
    const uint32_t from = source / w->p, to = target / w->p, group = from / w->a, to_group = to / w->a;
    path best = {UINT32_MAX, 1};
    if (group == to_group)
        return (path){from != to, 0};
    for (uint32_t r = group * w->a; r < (group + 1) * w->a; r++)
        for (uint32_t port = 0; port < w->ports; port++) {
            const ic_link *link = ic_link_of(w, r, port);
            if (link->peer == IC_NONE || link->class_ != IC_GLOBAL)
                continue;
            const uint32_t entry = link->peer - w->n_terminals;
            if (entry / w->a == to_group)
                best.local = (uint32_t)((r != from) + (entry != to));
        }
    assert_int_not_equal(best.local, UINT32_MAX);
    return best;
}

static inline path tree_path(const ic_world *w, uint32_t source, uint32_t target)
{
    uint32_t up = 0;
    for (source /= w->k, target /= w->k; source != target; source /= w->k, target /= w->k)
        up++;
    return (path){2 * up, 0};
}

static inline path torus_path(const ic_world *w, uint32_t source, uint32_t target)
{
    path sum = {0, 0};
    source /= w->p;
    target /= w->p;
    for (uint32_t d = 0; d < w->dimensions; d++) {
        const uint32_t n = w->size[d], off = (target % n + n - source % n) % n;
        sum.local += off < n - off ? off : n - off;
        source /= n;
        target /= n;
    }
    return sum;
}

static inline path path_of(const ic_world *w, uint32_t source, uint32_t target)
{
    return w->wiring == IC_DRAGONFLY ? dragonfly_path(w, source, target)
           : w->wiring == IC_TREE    ? tree_path(w, source, target)
                                     : torus_path(w, source, target);
}

/*
 * One packet of n chunks alone: its head takes chunk + delay on each channel and the router's time at each
 * router; the others follow at the pace of the slowest channel; then the receiver's time.
 */
static inline weir_time path_ps(const ic_world *w, const ic_params *p, path way, uint32_t chunks)
{
    const ic_class *t = &w->class_[IC_TERMINAL], *l = &w->class_[IC_LOCAL], *g = &w->class_[IC_GLOBAL];
    weir_time slowest = t->chunk_ps;
    if (way.local && l->chunk_ps > slowest)
        slowest = l->chunk_ps;
    if (way.global && g->chunk_ps > slowest)
        slowest = g->chunk_ps;
    return 2 * (t->chunk_ps + t->delay_ps) + way.local * (l->chunk_ps + l->delay_ps) +
           way.global * (g->chunk_ps + g->delay_ps) + (1 + way.local + way.global) * p->router_ps +
           p->nic_ps + (chunks - 1) * slowest;
}

#endif
