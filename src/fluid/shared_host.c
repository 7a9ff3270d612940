/* Ports shared with packets that are simulated on the host. */
#include <stdlib.h>
#include <string.h>

#include "fluid/shared.h"
#include "net/meeting.h"
#include "net/stats.h"

/* Meetings between asking for memory and reading it. */
enum { ASK_AHEAD = 8 };

typedef struct shared_host {
    wi_shared base;
    net_meeting *kept;                  /* [n] */
    double *queued, *arrived;           /* [n] bytes: the batch under way, written between batches only */
    double *queue, *drop, *idle, *full; /* [n][most_steps] */
    uint32_t rows;                      /* entries of a row written in the batch under way */
} shared_host;

static weir_status attach(wi_shared *s, weir_diag *diag, const weir_sim *sim, weir_fluid *fluid)
{
    (void)diag;
    (void)fluid;
    shared_host *const h = (shared_host *)s;
    s->sim = sim;
    h->rows = 0;
    memset(h->kept, 0, s->n * sizeof *h->kept);
    for (uint32_t i = 0; i < s->n; i++) /* the first batch begins with what it finds there */
        *wi_net_background(s->net, i) = (net_background){0};
    return WEIR_OK;
}

/* Ask for what an exchange reads of meeting i: the solver has been at work, and the caches are its own. */
static void ask(const shared_host *h, uint32_t i)
{
    const wi_shared *const s = &h->base;
    const unsigned char *port = (const void *)wi_net_port(s->net, s->sim, s->meetings[i].entity);
    const net_background *end = wi_net_background(s->net, i) + h->rows;
    __builtin_prefetch(port);
    __builtin_prefetch(port + 64);
    __builtin_prefetch(port + sizeof(net_port) - 1);
    __builtin_prefetch(wi_net_link(s->net, s->meetings[i].entity));
    __builtin_prefetch(end - (h->rows > 0));
    __builtin_prefetch(end);
}

static weir_status gather(wi_shared *s, weir_diag *diag, weir_time at_ps, double batch_ps, double *difference)
{
    (void)diag;
    shared_host *const h = (shared_host *)s;
    *difference = 0.0;
    for (uint32_t i = 0; i < s->n && i < ASK_AHEAD; i++)
        ask(h, i);
    for (uint32_t i = 0; i < s->n; i++) {
        if (i + ASK_AHEAD < s->n)
            ask(h, i + ASK_AHEAD);
        const uint32_t entity = s->meetings[i].entity;
        const net_left left = net_meeting_gather(wi_net_world(s->net), wi_net_link(s->net, entity),
                                                 wi_net_port(s->net, s->sim, entity),
                                                 wi_net_background(s->net, i), &h->kept[i], at_ps, batch_ps);
        h->queued[i] = left.queued_bytes;
        h->arrived[i] = left.arrived_bytes;
        *difference = left.share > *difference ? left.share : *difference;
    }
    return WEIR_OK;
}

static weir_status begin(wi_shared *s, weir_diag *diag, uint32_t number, weir_time from_ps)
{
    (void)diag;
    wi_net_background_begin(s->net, number, from_ps);
    return WEIR_OK;
}

static weir_status exchange(wi_shared *s, weir_diag *diag, weir_fluid *fluid)
{
    const shared_host *const h = (shared_host *)s;
    return weir_fluid_exchange(diag, fluid, s->ports, s->n, h->queued, h->arrived);
}

static weir_status put(wi_shared *s, weir_diag *diag, weir_fluid *fluid, uint32_t n, int64_t at)
{
    shared_host *const h = (shared_host *)s;
    const weir_status st =
        weir_fluid_history(diag, fluid, s->ports, s->n, n, h->queue, h->drop, h->idle, h->full);
    for (uint32_t i = 0; i < s->n && st == WEIR_OK; i++) {
        const size_t from = (size_t)i * n;
        const net_views views = {h->queue + from, h->drop + from, h->idle + from, h->full + from};
        net_meeting_fill(wi_net_world(s->net), wi_net_link(s->net, s->meetings[i].entity), &h->kept[i],
                         h->arrived[i], &views, n, at, wi_net_background(s->net, i));
    }
    h->rows = (uint32_t)(at + n - 1);
    return st;
}

static weir_status look(wi_shared *s, weir_diag *diag)
{
    (void)s;
    (void)diag;
    return WEIR_OK;
}

static void free_host(wi_shared *s)
{
    shared_host *const h = (shared_host *)s;
    free(h->kept);
    free(h->queued);
    free(h->arrived);
    free(h->queue);
    free(h->drop);
    free(h->idle);
    free(h->full);
    free(s->ports);
    free(h);
}

weir_status wi_shared_on_host(weir_diag *diag, wi_net *net, const wi_meeting *meetings, uint32_t n,
                              uint32_t most_steps, wi_shared **out)
{
    static const wi_shared_ops ops = {attach, gather, begin, exchange, put, look, free_host};
    const size_t rows = ((size_t)n + 1) * most_steps;
    *out = NULL;
    shared_host *const h = calloc(1, sizeof *h);
    if (!h)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory to couple %u ports", n);
    h->base = (wi_shared){.ops = &ops, .net = net, .meetings = meetings, .n = n, .most_steps = most_steps};
    h->base.ports = calloc((size_t)n + 1, sizeof *h->base.ports);
    h->kept = calloc((size_t)n + 1, sizeof *h->kept);
    h->queued = calloc((size_t)n + 1, sizeof *h->queued);
    h->arrived = calloc((size_t)n + 1, sizeof *h->arrived);
    h->queue = calloc(rows, sizeof *h->queue);
    h->drop = calloc(rows, sizeof *h->drop);
    h->idle = calloc(rows, sizeof *h->idle);
    h->full = calloc(rows, sizeof *h->full);
    if (!h->base.ports || !h->kept || !h->queued || !h->arrived || !h->queue || !h->drop || !h->idle ||
        !h->full) {
        free_host(&h->base);
        return weir_fail(diag, WEIR_E_NOMEM, "no memory to couple %u ports", n);
    }
    for (uint32_t i = 0; i < n; i++)
        h->base.ports[i] = meetings[i].port;
    *out = &h->base;
    return WEIR_OK;
}

void wi_shared_free(wi_shared *s)
{
    if (s)
        s->ops->free(s);
}
