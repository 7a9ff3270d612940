/* Time hooks, takers of records, observers and outside digests, several of each. */
#include "engine/core/lists.h"

#include <assert.h>

#include "weir/digest.h"

void wi_add_hook(wi_lists *lists, weir_time_hook call, void *user, weir_time first_ps, bool changes_world)
{
    assert(lists->n_hooks < WI_LIST_MOST);
    lists->hook[lists->n_hooks++] = (wi_hook){call, user, first_ps};
    lists->changes_world |= changes_world;
}

void wi_add_sink(wi_lists *lists, weir_record_sink take, void *user)
{
    assert(lists->n_sinks < WI_LIST_MOST);
    lists->sink[lists->n_sinks++] = (wi_sink){take, user};
}

void wi_add_outside(wi_lists *lists, uint64_t (*digest)(void *user), void *user)
{
    assert(lists->n_outside < WI_LIST_MOST);
    lists->outside[lists->n_outside++] = (wi_outside){digest, user};
}

void wi_add_observer(wi_lists *lists, weir_observer see, void *user)
{
    assert(lists->n_observers < WI_LIST_MOST);
    lists->observer[lists->n_observers++] = (wi_observer){see, user};
}

static weir_time next_of(const wi_lists *lists)
{
    weir_time next_ps = WEIR_TIME_MAX;
    for (size_t i = 0; i < lists->n_hooks; i++)
        next_ps = lists->hook[i].next_ps < next_ps ? lists->hook[i].next_ps : next_ps;
    return next_ps;
}

/* Each whose horizon has come; the least of all is the next. */
static weir_time call_hooks(void *user, weir_time at_ps)
{
    wi_lists *const lists = user;
    for (size_t i = 0; i < lists->n_hooks; i++) {
        wi_hook *const h = &lists->hook[i];
        if (h->next_ps <= at_ps)
            h->next_ps = h->call(h->user, at_ps);
    }
    return next_of(lists);
}

static weir_status call_sinks(void *user, const weir_record_head *records, uint32_t stride, size_t n)
{
    const wi_lists *const lists = user;
    weir_status status = WEIR_OK;
    for (size_t i = 0; i < lists->n_sinks && status == WEIR_OK; i++)
        status = lists->sink[i].take(lists->sink[i].user, records, stride, n);
    return status;
}

static void call_observers(void *user, const weir_event *event, const weir_event *scheduled, uint32_t stride,
                           uint32_t n)
{
    const wi_lists *const lists = user;
    for (size_t i = 0; i < lists->n_observers; i++)
        lists->observer[i].see(lists->observer[i].user, event, scheduled, stride, n);
}

/* One alone is itself. */
static uint64_t fold_outside(void *user)
{
    const wi_lists *const lists = user;
    uint64_t digest = lists->outside[0].digest(lists->outside[0].user);
    for (size_t i = 1; i < lists->n_outside; i++) {
        const uint64_t next = lists->outside[i].digest(lists->outside[i].user);
        digest = weir_digest_bytes(digest, &next, sizeof next);
    }
    return digest;
}

void wi_lists_put_observers(wi_lists *lists, weir_setup *setup)
{
    if (lists->n_observers == 0)
        return;
    setup->observer = call_observers;
    setup->observer_user = lists;
}

void wi_lists_put(wi_lists *lists, weir_setup *setup)
{
    if (lists->n_hooks > 0) {
        setup->hook = call_hooks;
        setup->hook_first_ps = next_of(lists);
    }
    if (lists->n_sinks > 0)
        setup->sink = call_sinks;
    if (lists->n_outside > 0)
        setup->outside = fold_outside;
    wi_lists_put_observers(lists, setup);
    setup->hook_changes_world = lists->changes_world;
}
