/* Running the network of a scenario text step by step, and reading its ports and flows at any stop point. */
#ifndef TESTS_SCENARIO_NET_RUN_H
#define TESTS_SCENARIO_NET_RUN_H

#include <math.h>

#include "diag.h"
#include "net/host/host.h"
#include "packets/stats/stats.h"
#include "scenario/subjects/packets/packets.h"
#include "scenario/results/results.h"

#define MS WEIR_PS_PER_MS
#define US WEIR_PS_PER_US
#define SEC WEIR_PS_PER_S

/* A scenario's text: topology, traffic and what else it needs, as printf has it. */
#define WEIR_1 "weir: 1\nduration: 1d\n"

typedef struct net_run {
    weir_diag *diag;
    weir_scenario *scenario;
    wi_network *network;
    const wi_net *net;
    weir_sim *sim;
    uint64_t n_tx_done, n_rx_done, tx_done_bytes;
    double fct_sum_s;
} net_run;

static inline weir_status net_run_record(void *user, const weir_record_head *records, uint32_t stride,
                                         size_t n)
{
    net_run *r = user;
    for (size_t i = 0; i < n; i++) {
        const weir_record_head *head =
            (const weir_record_head *)(const void *)((const unsigned char *)records + i * stride);
        if (head->type == NET_REC_TX_DONE) {
            const net_tx_done *done = (const net_tx_done *)(const void *)(head + 1);
            r->n_tx_done++;
            r->tx_done_bytes += done->bytes;
            r->fct_sum_s += weir_seconds(head->time_ps - done->start_ps);
        } else if (head->type == NET_REC_RX_DONE) {
            r->n_rx_done++;
        }
    }
    return WEIR_OK;
}

__attribute__((format(printf, 1, 2))) static inline net_run *net_run_new(const char *format, ...)
{
    char text[8192];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    net_run *r = calloc(1, sizeof *r);
    assert_non_null(r);
    r->diag = weir_diag_new();
    expect_ok(r->diag, weir_scenario_parse(r->diag, "s.yaml", text, strlen(text), WEIR_TEST_DATA, NULL, 0,
                                           &r->scenario));
    expect_ok(r->diag, wi_network_build(r->diag, r->scenario, &r->network));
    r->net = r->network->net;
    weir_setup setup = {.seed = r->scenario->seed,
                        .run = r->scenario->run,
                        .engine = r->scenario->engine.type == WEIR_SC_ENGINE_CHECK ? WEIR_ENGINE_CHECK
                                                                                   : WEIR_ENGINE_SEQUENTIAL,
                        .sink = net_run_record,
                        .user = r};
    wi_net_setup(r->net, &setup);
    expect_ok(r->diag, weir_sim_new(r->diag, &setup, &r->sim));
    return r;
}

static inline void net_run_until(net_run *r, weir_time until_ps)
{
    expect_ok(r->diag, weir_sim_run(r->diag, r->sim, until_ps, NULL));
}

/* Conservation holds at every end. */
static inline void net_run_end(net_run *r)
{
    expect_ok(r->diag, wi_net_check(r->diag, r->net, r->sim));
    weir_sim_free(r->sim);
    wi_network_free(r->network);
    weir_scenario_free(r->scenario);
    weir_diag_free(r->diag);
    free(r);
}

static inline uint32_t net_run_entity(const net_run *r, const char *port)
{
    for (uint32_t e = 0; e < r->net->n_hosts + r->net->n_ports; e++) {
        char *name = wi_port_name(r->network, e);
        const int same = name && strcmp(name, port) == 0;
        free(name);
        if (same)
            return e;
    }
    fail_msg("no port %s", port);
    return 0;
}

/* "[l0, r0], [l1, r1], ..": each host of a dumbbell's left side to its own on the right. */
static inline const char *facing_pairs(int n)
{
    static char text[4096];
    int at = 0;
    for (int i = 0; i < n; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "%s[l%d, r%d]", i ? ", " : "", i, i);
    return text;
}

/* A port by its name, as ports.csv has it. */
static inline const net_port *net_run_port(const net_run *r, const char *port)
{
    return wi_net_port(r->net, r->sim, net_run_entity(r, port));
}

static inline wi_net_flow_total net_run_flow(const net_run *r, uint32_t i)
{
    wi_net_flow_total f;
    wi_net_flow_read(r->net, r->sim, i, &f);
    return f;
}

static inline uint64_t net_run_class(const net_run *r, uint32_t cls, int what)
{
    return (uint64_t)wi_net_class_counter(r->net, r->sim, cls, what);
}

/* Packets that all ports together have dropped, for one reason or (-1) any. */
static inline uint64_t net_run_drops(const net_run *r, int reason)
{
    uint64_t n = 0;
    for (uint32_t e = 0; e < r->net->n_hosts + r->net->n_ports; e++) {
        const net_port *p = wi_net_port(r->net, r->sim, e);
        for (int i = 0; i < NET_DROP_REASONS; i++)
            n += reason < 0 || reason == i ? p->dropped[i] : 0;
    }
    return n;
}

static inline uint64_t net_run_ttl_drops(const net_run *r)
{
    uint64_t n = 0;
    for (uint32_t e = 0; e < r->net->n_hosts + r->net->n_ports; e++)
        n += wi_net_port(r->net, r->sim, e)->dropped_ttl;
    return n;
}

/* Mean of n values, and the half width of its 99 % confidence interval (Student's t; n from 10 to 40). */
static inline double mean_of(const double *x, int n, double *half)
{
    static const double t99[] = {3.250, 3.169, 3.106, 3.055, 3.012, 2.977, 2.947, 2.921, 2.898, 2.878, 2.861,
                                 2.845, 2.831, 2.819, 2.807, 2.797, 2.787, 2.779, 2.771, 2.763, 2.756};
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    for (int i = 0; i < n; i++)
        squares += (x[i] - sum / n) * (x[i] - sum / n);
    *half = (n >= 10 && n <= 30 ? t99[n - 10] : 2.76) * sqrt(squares / (n - 1) / n);
    return sum / n;
}

#endif
