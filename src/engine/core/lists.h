/*
 * Several of what an engine takes one of: time hooks, takers of records, observers, and digests of what lies outside of
 * all entities. A simulation's parts (failures, fluid, results, captures, a director) add themselves, in the order in
 * which they are called, and need not know each other. A part more than WI_LIST_MOST is a fault of weir's.
 */
#pragma once

#include "weir/engine.h"

enum { WI_LIST_MOST = 8 };

typedef struct wi_hook {
    weir_time_hook call;
    void *user;
    weir_time next_ps; /* its next horizon */
} wi_hook;

typedef struct wi_sink {
    weir_record_sink take;
    void *user;
} wi_sink;

typedef struct wi_observer {
    weir_observer see;
    void *user;
} wi_observer;

typedef struct wi_outside {
    uint64_t (*digest)(void *user);
    void *user;
} wi_outside;

typedef struct wi_lists {
    wi_hook hook[WI_LIST_MOST];
    wi_sink sink[WI_LIST_MOST];
    wi_outside outside[WI_LIST_MOST];
    wi_observer observer[WI_LIST_MOST];
    size_t n_hooks, n_sinks, n_outside, n_observers;
    bool changes_world; /* a hook does (weir_setup.hook_changes_world) */
} wi_lists;

/* Called at first_ps, and then at the horizon that it returned; not at the others' horizons. */
void wi_add_hook(wi_lists *lists, weir_time_hook call, void *user, weir_time first_ps, bool changes_world);
/* Called with records, in order. */
void wi_add_sink(wi_lists *lists, weir_record_sink take, void *user);
/* Folded into the state digest. */
void wi_add_outside(wi_lists *lists, uint64_t (*digest)(void *user), void *user);
/* Observers want the sequential engine, as weir_setup has it. */
void wi_add_observer(wi_lists *lists, weir_observer see, void *user);

/* For weir_setup, whose user's first member the lists must be: those of hook, sink, outside and observer that there is
 * anybody for. */
void wi_lists_put(wi_lists *lists, weir_setup *setup);
/* The observers alone, of lists that need not be the user's first member. */
void wi_lists_put_observers(wi_lists *lists, weir_setup *setup);
