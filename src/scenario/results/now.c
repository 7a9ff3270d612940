/* The figures of a network in status.json: the ports that are used most, and flows in progress. */
#include <stdlib.h>

#include "output/json.h"
#include "base/memory.h"
#include "output/number.h"
#include "scenario/results/results.h"

enum { HOTTEST = 40 };

typedef struct wi_now {
    double *bytes, *line; /* [ports] at the last status: wi_port_sent */
    uint64_t *dropped;
    weir_time at_ps;
    weir_sim_want want;
} wi_now;

typedef struct hot_port {
    double share, bps, queue_bytes;
    uint64_t dropped;
    uint32_t entity;
} hot_port;

static uint32_t n_ports(const wi_results_of_run *r)
{
    return r->network->net->n_hosts + r->network->net->n_ports;
}

weir_status wi_results_watch(wi_results_of_run *r)
{
    const size_t n = (size_t)n_ports(r) + 1;
    const uint32_t n_tx = r->network->net->n_tx, most = n > n_tx ? (uint32_t)n : n_tx;
    wi_now *now = r->now = wi_take(&r->memory, 1, sizeof *r->now);
    uint32_t *number = wi_take(&r->memory, most, sizeof *number);
    double *bytes = wi_take(&r->memory, n, sizeof *bytes), *line = wi_take(&r->memory, n, sizeof *line);
    uint64_t *dropped = wi_take(&r->memory, n, sizeof *dropped);
    if (r->memory.failed)
        return weir_fail(r->run->diag, WEIR_E_NOMEM, "no memory for the status of %zu ports", n);
    for (uint32_t i = 0; i < most; i++)
        number[i] = i;
    *now = (wi_now){.bytes = bytes, .line = line, .dropped = dropped};
    now->want.entity = now->want.slot[NET_POOL_TX] = number; /* all of them */
    now->want.n_entities = n_ports(r);
    now->want.n_slots[NET_POOL_TX] = n_tx;
    r->run->watch = &now->want;
    r->run->watched = true;
    r->run->watched_at_samples = r->network->fluid != NULL;
    return WEIR_OK;
}

static uint64_t drops_of(const net_port *p)
{
    return p->dropped[0] + p->dropped[1] + p->dropped[2] + p->dropped_ttl;
}

static bool hotter(const hot_port *a, const hot_port *b)
{
    return a->share > b->share || (a->share == b->share && a->queue_bytes > b->queue_bytes);
}

/* Keep the hottest, in order. */
static void insert(hot_port *list, size_t *n, const hot_port *p)
{
    size_t i = *n < HOTTEST ? (*n)++ : HOTTEST;
    for (; i > 0 && hotter(p, &list[i - 1]); i--)
        if (i < HOTTEST)
            list[i] = list[i - 1];
    if (i < HOTTEST)
        list[i] = *p;
}

static size_t find_hottest(wi_results_of_run *r, weir_time now, hot_port *list)
{
    const weir_time span_ps = now - r->now->at_ps;
    size_t n = 0;
    for (uint32_t e = 0; e < n_ports(r); e++) {
        const net_port *p = wi_net_port(r->network->net, r->run->sim, e);
        const wi_port_sent sent = wi_port_sent_by(r, e, now);
        const uint64_t drops = drops_of(p);
        hot_port h = {.entity = e, .queue_bytes = sent.queue_bytes};
        h.queue_bytes += (double)wi_net_waiting_bytes(r->network->net, e, p);
        h.bps = wi_bps_since(r->now->bytes[e], sent.bytes, span_ps);
        h.share = wi_bps_since(r->now->line[e], sent.line_bytes, span_ps) /
                  wi_net_line_rate_bps(r->network->net, e, r->now->at_ps, now);
        h.dropped = drops - r->now->dropped[e];
        r->now->bytes[e] = sent.bytes;
        r->now->line[e] = sent.line_bytes;
        r->now->dropped[e] = drops;
        if (h.bps > 0.0 || h.queue_bytes > 0.0)
            insert(list, &n, &h);
    }
    r->now->at_ps = now;
    return n;
}

static json_t *list_ports(const wi_results_of_run *r, const hot_port *list, size_t n)
{
    json_t *ports = json_array();
    for (size_t i = 0; i < n; i++) {
        WI_FREED char *name = wi_port_name(r->network, list[i].entity);
        json_array_append_new(ports, json_pack("{s:s, s:o, s:o, s:o, s:o}", "port", name ? name : "?",
                                               "throughput_bps", wi_json_real(list[i].bps), "utilisation",
                                               wi_json_real(list[i].share), "queue_bytes",
                                               wi_json_real(list[i].queue_bytes), "dropped_packets",
                                               wi_json_count(list[i].dropped)));
    }
    return ports;
}

static bool sends(const net_tx *tx)
{
    return tx->state != NET_TX_FREE && tx->state != NET_TX_DONE;
}

static json_t *list_classes(const wi_results_of_run *r)
{
    const wi_net *net = r->network->net;
    const weir_scenario *s = r->network->scenario;
    const uint16_t *cls = NET_ARRAY(wi_net_world(net), uint16_t, tx_class);
    WI_FREED uint64_t *n = calloc(s->n_traffic + 1, sizeof *n);
    json_t *classes = json_array();
    for (uint32_t i = 0; n && i < net->n_tx; i++)
        n[cls[i]] += sends(weir_sim_slot(r->run->sim, NET_POOL_TX, i));
    for (size_t i = 0; n && i < s->n_traffic; i++)
        json_array_append_new(classes, json_pack("{s:s, s:o, s:o}", "name", s->traffic[i].name.text, "flows",
                                                 wi_json_count(n[i]), "completed",
                                                 wi_json_count(r->classes[i].completed)));
    return classes;
}

void wi_results_now(wi_results_of_run *r, json_t *status)
{
    hot_port list[HOTTEST];
    const size_t n = find_hottest(r, weir_sim_now(r->run->sim), list);
    json_object_set_new(status, "ports", list_ports(r, list, n)); /* the first: since the start */
    json_object_set_new(status, "classes", list_classes(r));
}
