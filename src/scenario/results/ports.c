/* ports.csv: one row a port, hosts' own interfaces included. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/number.h"
#include "scenario/fluid/fluid.h"
#include "scenario/results/results.h"

static const wi_csv_column columns[] = {
    {"port", WI_CSV_TEXT},
    {"rate_bps", WI_CSV_U64},
    {"delay_s", WI_CSV_SECONDS},
    {"packets", WI_CSV_U64},
    {"bytes", WI_CSV_U64},
    {"dropped_limit", WI_CSV_U64},
    {"dropped_early", WI_CSV_U64},
    {"dropped_loss", WI_CSV_U64},
    {"dropped_ttl", WI_CSV_U64},
    {"marked", WI_CSV_U64},
    {"utilisation", WI_CSV_DOUBLE},
    {"queue_mean_bytes", WI_CSV_DOUBLE},
    {"queue_max_bytes", WI_CSV_DOUBLE},
    {"wait_mean_s", WI_CSV_DOUBLE},
    {"fluid_bytes", WI_CSV_U64},
    {"fluid_lost_bytes", WI_CSV_U64},
    {"fluid_link_lost_bytes", WI_CSV_U64},
    {"duplicated", WI_CSV_U64},
    {"pauses", WI_CSV_U64},
    {"paused_s", WI_CSV_SECONDS},
    {"headroom_max_bytes", WI_CSV_U64},
};

static net_port since_warmup(const wi_results_of_run *r, uint32_t entity)
{
    net_port p = *wi_net_port(r->network->net, r->sim, entity);
    if (!r->warm.ports)
        return p;
    const net_port *b = &r->warm.ports[entity];
    p.packets -= b->packets;
    p.bytes -= b->bytes;
    for (int i = 0; i < NET_DROP_REASONS; i++)
        p.dropped[i] -= b->dropped[i];
    p.dropped_ttl -= b->dropped_ttl;
    p.marked -= b->marked;
    p.wait_ns -= b->wait_ns;
    p.backlog_byte_s -= b->backlog_byte_s;
    return p;
}

/* Bytes accepted and not yet sent at a time. */
static double standing_bytes(const wi_net *net, uint32_t entity, const net_port *port, weir_time at_ps)
{
    const net_link *link = wi_net_link(net, entity);
    if (link->impaired)
        return wi_net_standing_bytes(net, entity, port, at_ps);
    return port->busy_until_ps > at_ps
               ? weir_seconds(port->busy_until_ps - at_ps) * (double)link->rate_bps / 8.0
               : 0.0;
}

/* Bytes that left since the end of the warm-up: what was accepted, less what the queue has grown by. */
static double sent_bytes(const wi_results_of_run *r, uint32_t entity, const net_port *since)
{
    const wi_net *net = r->network->net;
    const double before =
        r->warm.ports ? standing_bytes(net, entity, &r->warm.ports[entity], r->warm.at_ps) : 0.0;
    return (double)since->bytes + before - standing_bytes(net, entity, since, weir_sim_now(r->sim));
}

/* Whether fluid shares a port, and what it did there. */
static bool fluid_total(const wi_results_of_run *r, uint32_t entity, wi_fluid_port_total *out)
{
    const wi_fluid_net *f = r->network->fluid;
    if (!f || f->port_of[entity] == UINT32_MAX)
        return false;
    wi_fluid_net_port_total(f, f->port_of[entity], out);
    return true;
}

/* Of what a line could send, rounded once. */
static double share_of_line(double bits, double rate_bps, weir_time span_ps)
{
    return span_ps > 0 ? (double)((long double)bits * 1e12L / ((long double)rate_bps * (long double)span_ps))
                       : 0.0;
}

weir_status wi_ports_write(wi_results_of_run *r)
{
    const wi_net *net = r->network->net;
    wi_csv *csv = NULL;
    const weir_status status =
        wi_csv_open(r->diag, r->folder, "ports.csv", columns, sizeof columns / sizeof *columns, &csv);
    if (status != WEIR_OK)
        return status;
    const weir_time span_ps = weir_sim_now(r->sim) - (r->warm.ports ? r->warm.at_ps : 0);
    const double span_s = weir_seconds(span_ps);
    for (uint32_t e = 0; e < net->n_hosts + net->n_ports; e++) {
        const net_port p = since_warmup(r, e);
        const net_link *link = wi_net_link(net, e);
        const double rate = (double)link->rate_bps;
        char *name = wi_port_name(r->network, e);
        wi_csv_text(csv, name ? name : "");
        free(name);
        wi_csv_u64(csv, link->rate_bps);
        wi_csv_seconds(csv, link->delay_ps);
        wi_csv_u64(csv, p.packets);
        wi_csv_u64(csv, p.bytes);
        for (int i = 0; i < NET_DROP_REASONS; i++)
            wi_csv_u64(csv, p.dropped[i]);
        wi_csv_u64(csv, p.dropped_ttl);
        wi_csv_u64(csv, p.marked);
        double sent = sent_bytes(r, e, &p);
        double mean = span_s > 0.0 ? p.backlog_byte_s / span_s : 0.0;
        double most = (double)((long double)p.backlog_max_ps * (long double)rate / 8e12L);
        wi_fluid_port_total fluid = {0};
        if (fluid_total(r, e, &fluid)) { /* the queue of both */
            sent = (double)p.bytes + fluid.sent_bytes;
            mean = fluid.queue_mean_bytes;
            most = fluid.queue_max_bytes > most ? fluid.queue_max_bytes : most;
        }
        wi_csv_double(csv, share_of_line(8.0 * sent, rate, span_ps));
        wi_csv_double(csv, wi_twelve_digits(mean));
        wi_csv_double(csv, most);
        wi_csv_double(csv, p.packets ? (double)p.wait_ns / (1e9 * (double)p.packets) : 0.0);
        wi_csv_u64(csv, (uint64_t)(fluid.arrived_bytes - fluid.lost_bytes));
        wi_csv_u64(csv, (uint64_t)fluid.lost_bytes);
        wi_csv_u64(csv, (uint64_t)fluid.link_lost_bytes);
        wi_csv_u64(csv, wi_net_copies_at(net, r->sim, e));
        const wi_net_pauses pauses = wi_net_pauses_of(net, r->sim, e);
        wi_csv_u64(csv, pauses.xoff_got);
        wi_csv_seconds(csv, pauses.paused_ps);
        wi_csv_u64(csv, pauses.headroom_most);
    }
    return wi_csv_close(r->diag, csv);
}
