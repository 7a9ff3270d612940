/* The runs that workers have; see held.h. */
#include "study/runs/held.h"

#include <stdlib.h>

bool wi_runs_new(wi_runs *r, uint32_t most)
{
    *r = (wi_runs){.places = 2 * most}; /* so that those that are over are moved out seldom */
    r->run = malloc(r->places * sizeof *r->run);
    return r->run != NULL;
}

void wi_runs_add(wi_runs *r, const wi_job *jobs, uint32_t n)
{
    if (r->n + n > r->places) {
        uint32_t kept = 0;
        for (uint32_t i = r->first; i < r->n; i++)
            if (!r->run[i].over)
                r->run[kept++] = r->run[i];
        r->first = 0;
        r->n = kept;
    }
    for (uint32_t i = 0; i < n && r->n < r->places; i++, r->live++, r->unsent++)
        r->run[r->n++] = (wi_held){.job = jobs[i]};
}

/* The next run from `at` on that is not over; null: there is none. */
static wi_held *next(wi_runs *r, uint32_t *at)
{
    while (*at < r->n && r->run[*at].over)
        ++*at;
    return *at < r->n ? &r->run[(*at)++] : NULL;
}

wi_held *wi_runs_find(wi_runs *r, wi_job job)
{
    uint32_t at = r->first;
    wi_held *h = next(r, &at);
    while (h && (h->job.point != job.point || h->job.replication != job.replication))
        h = next(r, &at);
    return h;
}

wi_held *wi_runs_any(wi_runs *r, bool unsent)
{
    uint32_t at = r->first;
    wi_held *h = next(r, &at);
    while (h && unsent && h->sent)
        h = next(r, &at);
    return h;
}

void wi_runs_remove(wi_runs *r, wi_held *run)
{
    run->over = true;
    r->live--;
    r->unsent -= !run->sent;
    while (r->first < r->n && r->run[r->first].over)
        r->first++;
}

uint32_t wi_runs_choose(wi_runs *r, uint32_t most, wi_held **out)
{
    uint32_t group = 0, n = 0;
    wi_held *h;
    for (uint32_t at = r->first; (h = next(r, &at));)
        if (h->group > 0 && (group == 0 || h->group < group))
            group = h->group;
    for (uint32_t at = r->first; n < most && (h = next(r, &at));)
        if (!h->sent && h->group == group)
            out[n++] = h;
    return n;
}

uint32_t wi_runs_accused(wi_runs *r, wi_blame blame, wi_held **first)
{
    uint32_t n = 0;
    wi_held *h;
    for (uint32_t at = r->first; (h = next(r, &at));)
        if (h->blame == blame && n++ == 0)
            *first = h;
    return n;
}

void wi_runs_make_groups(wi_runs *r, wi_blame blame, uint32_t n, uint32_t pieces)
{
    uint32_t k = 0;
    wi_held *h;
    for (uint32_t at = r->first; (h = next(r, &at));) {
        if (h->blame != blame)
            continue;
        h->group = r->groups + 1 + (uint32_t)((uint64_t)k++ * pieces / n);
        h->alone = n <= pieces;
    }
    r->groups += pieces;
}

void wi_runs_unsend(wi_runs *r)
{
    wi_held *h;
    for (uint32_t at = r->first; (h = next(r, &at));) {
        h->sent = h->late = false;
        h->blame = WI_NOT_THIS;
    }
    r->unsent = r->live;
}
