/* Ports shared with packets that are simulated on the host. */
#include <stdlib.h>
#include <string.h>

#include "ranks/ranks.h"
#include "fluid/shared/shared.h"
#include "packets/stats/stats.h"

/* Meetings between asking for memory and reading it. */
enum { ASK_AHEAD = 8 };

/* What is read of a port, as weir_fluid_history has it. */
enum { QUEUE, DROP, IDLE, EXPECTED, FULL, VIEWS };

/* With the fluid on the host too. */
typedef struct shared_host {
    wi_shared base;
    double *view[VIEWS]; /* [n][most_steps] */
} shared_host;

void wi_shared_clear(wi_shared *s, const weir_sim *sim)
{
    s->sim = sim;
    s->rows = 0;
    memset(s->kept, 0, s->n * sizeof *s->kept);
    if (s->left) /* else a device has it */
        memset(s->left, 0, WI_LEFT * (size_t)s->n * sizeof *s->left);
    for (uint32_t i = 0; i < s->n; i++) /* the first batch begins with what it finds there */
        *wi_net_background(s->net, i) = (net_background){0};
}

static weir_status attach(wi_shared *s, weir_diag *diag, weir_fluid *fluid)
{
    (void)s, (void)diag, (void)fluid;
    return WEIR_OK;
}

/* Ask for what an exchange reads of meeting i: the solver has been at work, and the caches are its own. */
static void ask(const wi_shared *s, uint32_t i)
{
    const unsigned char *port = (const void *)wi_net_own_port(s->net, s->sim, s->meetings[i].entity);
    if (!port)
        return;
    const net_background *end = wi_net_background(s->net, i) + s->rows;
    __builtin_prefetch(port);
    __builtin_prefetch(port + 64);
    __builtin_prefetch(port + sizeof(net_port) - 1);
    __builtin_prefetch(wi_net_link(s->net, s->meetings[i].entity));
    __builtin_prefetch(end - (s->rows > 0));
    __builtin_prefetch(end);
}

/* A port's packets are with one rank, and the others have a nought: sums of bits are that rank's number, whatever the order.
 * Every rank solves the whole fluid, and goes on with the same. Numbers are not negative, so that their bits rise with them. */
static void tell_ranks(const wi_shared *s, double *difference)
{
    const wi_ranks *const ranks = wi_ranks_of_run();
    int64_t most;
    if (!ranks)
        return;
    ranks->sum((int64_t *)(void *)s->left, WI_LEFT * (size_t)s->n);
    memcpy(&most, difference, sizeof most);
    most = -ranks->least(-most);
    memcpy(difference, &most, sizeof most);
}

weir_status wi_shared_host_gather(wi_shared *s, weir_diag *diag, weir_time at_ps, double batch_ps,
                                  double *difference)
{
    (void)diag;
    *difference = 0.0;
    for (uint32_t i = 0; i < s->n && i < ASK_AHEAD; i++)
        ask(s, i);
    for (uint32_t i = 0; i < s->n; i++) {
        if (i + ASK_AHEAD < s->n)
            ask(s, i + ASK_AHEAD);
        const uint32_t entity = s->meetings[i].entity;
        const net_port *const port = wi_net_own_port(s->net, s->sim, entity);
        net_left left = {0};
        if (port)
            left =
                net_exchange_gather(wi_net_world(s->net), wi_net_link(s->net, entity), port,
                                    wi_net_background(s->net, i), &s->kept[i], (net_batch){at_ps, batch_ps});
        s->left[WI_LEFT_QUEUED * (size_t)s->n + i] = left.queued_bytes;
        s->left[WI_LEFT_COMING * (size_t)s->n + i] = left.coming_bytes;
        *difference = left.share > *difference ? left.share : *difference;
    }
    tell_ranks(s, difference);
    return WEIR_OK;
}

/* What meetings keep is with the rank that has the port; from now on all have all of it. */
weir_status wi_shared_host_fetch(wi_shared *s, weir_diag *diag)
{
    const wi_ranks *const ranks = wi_ranks_of_run();
    (void)diag;
    if (!ranks)
        return WEIR_OK;
    WEIR_STATIC_ASSERT(sizeof *s->kept % sizeof(int64_t) == 0, "words are summed");
    for (uint32_t i = 0; i < s->n; i++)
        if (!wi_net_own_port(s->net, s->sim, s->meetings[i].entity))
            s->kept[i] = (net_exchange){0};
    ranks->sum((int64_t *)(void *)s->kept, s->n * (sizeof *s->kept / sizeof(int64_t)));
    return WEIR_OK;
}

weir_status wi_shared_host_begin(wi_shared *s, weir_diag *diag, uint32_t number, weir_time from_ps)
{
    (void)diag;
    wi_net_background_begin(s->net, number, from_ps);
    return WEIR_OK;
}

weir_status wi_shared_host_look(wi_shared *s, weir_diag *diag)
{
    (void)s;
    (void)diag;
    return WEIR_OK;
}

static weir_status exchange(wi_shared *s, weir_diag *diag, weir_fluid *fluid)
{
    return weir_fluid_exchange(diag, fluid, s->ports, s->n, s->left + WI_LEFT_QUEUED * (size_t)s->n,
                               s->left + WI_LEFT_COMING * (size_t)s->n);
}

/* What is expected in a step at the port of meeting i, the first of that port's. */
static double coming_at_port(const wi_shared *s, uint32_t i)
{
    double sum = 0.0;
    for (uint32_t k = i; k < s->n && s->ports[k] == s->ports[i]; k++)
        sum += s->left[WI_LEFT_COMING * (size_t)s->n + k];
    return sum;
}

static weir_status put(wi_shared *s, weir_diag *diag, weir_fluid *fluid, uint32_t n, int64_t at)
{
    const shared_host *const h = (shared_host *)s;
    const weir_status st = weir_fluid_history(diag, fluid, s->ports, s->n, n, h->view[QUEUE], h->view[DROP],
                                              h->view[IDLE], h->view[EXPECTED], h->view[FULL]);
    double coming = 0.0; /* at the port */
    for (uint32_t i = 0; i < s->n && st == WEIR_OK; i++) {
        const size_t from = (size_t)i * n;
        if (i == 0 || s->ports[i] != s->ports[i - 1])
            coming = coming_at_port(s, i);
        const net_views views = {h->view[QUEUE] + from,    h->view[DROP] + from, h->view[IDLE] + from,
                                 h->view[EXPECTED] + from, h->view[FULL] + from, n};
        net_exchange_fill(wi_net_link(s->net, s->meetings[i].entity), s->meetings[i].alike,
                          net_exchange_part(s->left[WI_LEFT_COMING * (size_t)s->n + i], coming), &views, at,
                          wi_net_background(s->net, i));
    }
    s->rows = (uint32_t)(at + n - 1);
    return st;
}

static void free_host(wi_shared *s)
{
    wi_shared_drop(s);
    free(s);
}

weir_status wi_shared_on_host(weir_diag *diag, wi_net *net, const wi_meeting *meetings, uint32_t n,
                              uint32_t most_steps, wi_shared **out)
{
    static const wi_shared_ops ops = {attach, wi_shared_host_gather, wi_shared_host_begin, exchange, put,
                                      NULL,   wi_shared_host_look,   wi_shared_host_fetch, free_host};
    *out = NULL;
    shared_host *const h = calloc(1, sizeof *h);
    if (!h)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory to couple %u ports", n);
    wi_shared *const s = &h->base;
    *s = (wi_shared){.ops = &ops, .net = net, .meetings = meetings, .n = n};
    s->left = wi_take(&s->memory, WI_LEFT * (size_t)n, sizeof *s->left);
    for (int i = 0; i < VIEWS; i++)
        h->view[i] = wi_take(&s->memory, (size_t)n * most_steps, sizeof *h->view[i]);
    const weir_status st = wi_shared_make(diag, s);
    if (st == WEIR_OK)
        *out = s;
    else
        free_host(s);
    return st;
}

weir_status wi_shared_make(weir_diag *diag, wi_shared *s)
{
    s->ports = wi_take(&s->memory, s->n, sizeof *s->ports);
    s->kept = wi_take(&s->memory, s->n, sizeof *s->kept);
    if (s->memory.failed)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory to couple %u ports", s->n);
    for (uint32_t i = 0; i < s->n; i++)
        s->ports[i] = s->meetings[i].port;
    return WEIR_OK;
}

void wi_shared_drop(wi_shared *s)
{
    wi_owned_free(&s->memory);
}

void wi_shared_free(wi_shared *s)
{
    if (s)
        s->ops->free(s);
}
