/*
 * Several of what an engine takes one of: time hooks, takers of records, and digests of what lies outside of all
 * entities. A subject's parts (failures, fluid, results, captures, a director) add themselves, in the order in which
 * they are called, and need not know each other.
 */
#ifndef WI_SCENARIO_SUBJECTS_LISTS_H
#define WI_SCENARIO_SUBJECTS_LISTS_H

#include "weir/engine.h"

enum { WI_LIST_MOST = 8 };

typedef struct wi_hook {
    weir_time_hook call;
    void *user;
    weir_time next_ps; /* its next horizon; 0 first, in every simulation */
} wi_hook;

typedef struct wi_taker {
    weir_record_sink take;
    void *user;
} wi_taker;

typedef struct wi_outside {
    uint64_t (*digest)(void *user);
    void *user;
} wi_outside;

typedef struct wi_lists {
    wi_hook hook[WI_LIST_MOST];
    wi_taker taker[WI_LIST_MOST];
    wi_outside outside[WI_LIST_MOST];
    size_t n_hooks, n_takers, n_outside;
    bool changes_world; /* a hook does (weir_setup.hook_changes_world) */
} wi_lists;

void wi_add_hook(wi_lists *lists, weir_time_hook call, void *user, bool changes_world);
void wi_add_taker(wi_lists *lists, weir_record_sink take, void *user);
void wi_add_outside(wi_lists *lists, uint64_t (*digest)(void *user), void *user);

/* For weir_setup, whose user's first member the lists must be: those of hook, sink, outside that there is anybody
 * for. */
void wi_lists_put(const wi_lists *lists, weir_setup *setup);

#endif
