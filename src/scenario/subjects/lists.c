/* Time hooks, takers of records and outside digests, several of each. */
#include "scenario/subjects/lists.h"

#include "weir/digest.h"

void wi_add_hook(wi_lists *lists, weir_time_hook call, void *user, bool changes_world)
{
    if (lists->n_hooks < WI_LIST_MOST)
        lists->hook[lists->n_hooks++] = (wi_hook){call, user, 0};
    lists->changes_world |= changes_world;
}

void wi_add_taker(wi_lists *lists, weir_record_sink take, void *user)
{
    if (lists->n_takers < WI_LIST_MOST)
        lists->taker[lists->n_takers++] = (wi_taker){take, user};
}

void wi_add_outside(wi_lists *lists, uint64_t (*digest)(void *user), void *user)
{
    if (lists->n_outside < WI_LIST_MOST)
        lists->outside[lists->n_outside++] = (wi_outside){digest, user};
}

/* Each whose horizon has come; the least of all is the next. */
static weir_time call_hooks(void *user, weir_time at_ps)
{
    wi_lists *const lists = user;
    weir_time next_ps = WEIR_TIME_MAX;
    for (size_t i = 0; i < lists->n_hooks; i++) {
        wi_hook *const h = &lists->hook[i];
        if (at_ps == 0) /* another simulation of the same */
            h->next_ps = 0;
        if (h->next_ps <= at_ps)
            h->next_ps = h->call(h->user, at_ps);
        next_ps = h->next_ps < next_ps ? h->next_ps : next_ps;
    }
    return next_ps;
}

static weir_status call_takers(void *user, const weir_record_head *records, uint32_t stride, size_t n)
{
    const wi_lists *const lists = user;
    weir_status status = WEIR_OK;
    for (size_t i = 0; i < lists->n_takers && status == WEIR_OK; i++)
        status = lists->taker[i].take(lists->taker[i].user, records, stride, n);
    return status;
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

void wi_lists_put(const wi_lists *lists, weir_setup *setup)
{
    if (lists->n_hooks > 0)
        setup->hook = call_hooks;
    if (lists->n_takers > 0)
        setup->sink = call_takers;
    if (lists->n_outside > 0)
        setup->outside = fold_outside;
    setup->hook_changes_world = lists->changes_world;
}
