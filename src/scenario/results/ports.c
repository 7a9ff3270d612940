/* ports.csv: one row a port, hosts' own interfaces included. */
#include <math.h>
#include <stdlib.h>

#include "output/number.h"
#include "base/memory.h"
#include "scenario/fluid/fluid.h"
#include "scenario/results/results.h"

typedef struct port_row {
    const char *port;
    uint64_t rate_bps;
    weir_time delay_s;
    uint64_t packets, bytes, dropped[NET_DROP_REASONS], dropped_ttl, marked;
    double utilisation, queue_mean_bytes, queue_max_bytes, wait_mean_s;
    uint64_t fluid_bytes, fluid_lost_bytes, fluid_link_lost_bytes, duplicated, pauses;
    weir_time paused_s;
    uint64_t headroom_max_bytes;
    weir_time down_s;
} port_row;

static const wi_result_column columns[] = {
    WI_COLUMN(TEXT, port_row, port, "", "name"),
    WI_COLUMN(U64, port_row, rate_bps, "bit/s", "of the link"),
    WI_COLUMN(SECONDS, port_row, delay_s, "s", NULL),
    WI_COLUMN(U64, port_row, packets, "packets", "accepted into the queue"),
    WI_COLUMN(U64, port_row, bytes, "bytes", NULL),
    WI_COLUMN_AS("dropped_limit", U64, port_row, dropped[0], "packets", "dropped because the queue was full"),
    WI_COLUMN_AS("dropped_early", U64, port_row, dropped[1], "packets",
                 "dropped by the queue's discipline before it was full"),
    WI_COLUMN_AS(
        "dropped_loss", U64, port_row, dropped[2], "packets",
        "sent, and lost on the link (`loss`, `burst_loss`, `bit_errors`); they count in `packets` too"),
    WI_COLUMN(U64, port_row, dropped_ttl, "packets", "dropped because they had travelled too far"),
    WI_COLUMN(U64, port_row, marked, "packets", "accepted with a congestion mark (ECN)"),
    WI_COLUMN(DOUBLE, port_row, utilisation, "1",
              "share of the time in which the link was sending; of a link that follows a trace, of "
              "what the trace allowed"),
    WI_COLUMN(DOUBLE, port_row, queue_mean_bytes, "bytes",
              "mean over time of what is accepted and not yet sent, the packet being sent included"),
    WI_COLUMN(DOUBLE, port_row, queue_max_bytes, "bytes", "the largest such backlog"),
    WI_COLUMN(DOUBLE, port_row, wait_mean_s, "s",
              "mean time between arrival and beginning of transmission, of accepted packets"),
    WI_COLUMN(U64, port_row, fluid_bytes, "bytes",
              "fluid accepted into the queue. Queue and utilisation are those of packets and fluid together"),
    WI_COLUMN(U64, port_row, fluid_lost_bytes, "bytes", "fluid that the queue did not take"),
    WI_COLUMN(U64, port_row, fluid_link_lost_bytes, "bytes",
              "fluid that was accepted and lost on the link: at random (`loss`), or with the link when it "
              "failed (`events`)"),
    WI_COLUMN(U64, port_row, duplicated, "packets",
              "that the link delivered once more (`duplication`), from the start of the run, warm-up "
              "included; they count in no other column"),
    WI_COLUMN(U64, port_row, pauses, "",
              "XOFFs that the port obeyed, a priority each (`pfc`); this and the next two from the start of "
              "the run, warm-up included"),
    WI_COLUMN(SECONDS, port_row, paused_s, "s", "time in which some priority was paused at the port"),
    WI_COLUMN(
        U64, port_row, headroom_max_bytes, "bytes",
        "most that packets which came by the port's link, the other way, had of the headroom of a priority"),
    WI_COLUMN(SECONDS, port_row, down_s, "s",
              "time in which the link had failed (`events`), from the start of the run"),
};

static net_port since_warmup(const wi_results_of_run *r, uint32_t entity)
{
    net_port p = *wi_net_port(r->network->net, r->run->sim, entity);
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
    p.backlog -= b->backlog;
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

/* Bytes that the line sent since the end of the warm-up: what was accepted, less what the queue has grown by. */
static double sent_bytes(const wi_results_of_run *r, uint32_t entity, const net_port *since)
{
    const wi_net *net = r->network->net;
    const double before =
        r->warm.ports ? standing_bytes(net, entity, &r->warm.ports[entity], r->warm.at_ps) : 0.0;
    const double accepted =
        (double)since->bytes + (double)since->packets * (double)wi_net_link(net, entity)->overhead;
    return accepted + before - standing_bytes(net, entity, since, weir_sim_now(r->run->sim));
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

/* Of the line's rate, what full packets have of it. */
static long double full_packets_rate(const wi_net *net, uint32_t entity)
{
    const net_link *link = wi_net_link(net, entity);
    return link->overhead ? 8e12L * (long double)wi_net_queue(net, entity)->bytes_per_ps
                          : (long double)link->rate_bps;
}

/* All but the name. */
static port_row row_of(const wi_results_of_run *r, uint32_t e, weir_time span_ps)
{
    const wi_net *net = r->network->net;
    const weir_time now = weir_sim_now(r->run->sim);
    const net_port p = since_warmup(r, e);
    const net_link *link = wi_net_link(net, e);
    const double rate = wi_net_line_rate_bps(net, e, now - span_ps, now), span_s = weir_seconds(span_ps);
    const wi_net_pauses pauses = wi_net_pauses_of(net, r->run->sim, e);
    wi_fluid_port_total fluid = {0};
    double sent = sent_bytes(r, e, &p);
    port_row row = {.rate_bps = link->rate_bps,
                    .delay_s = link->delay_ps,
                    .packets = p.packets,
                    .bytes = p.bytes,
                    .dropped_ttl = p.dropped_ttl,
                    .marked = p.marked,
                    .queue_mean_bytes = span_s > 0.0 ? net_backlog_byte_s(&p) / span_s : 0.0,
                    .queue_max_bytes =
                        (double)((long double)p.backlog_max_ps * full_packets_rate(net, e) / 8e12L),
                    .wait_mean_s = p.packets ? (double)p.wait_ns / (1e9 * (double)p.packets) : 0.0,
                    .duplicated = wi_net_copies_at(net, r->run->sim, e),
                    .pauses = pauses.xoff_got,
                    .paused_s = pauses.paused_ps,
                    .headroom_max_bytes = pauses.headroom_most,
                    .down_s = wi_net_down_ps(net, e, now)};
    for (int i = 0; i < NET_DROP_REASONS; i++)
        row.dropped[i] = p.dropped[i];
    if (fluid_total(r, e, &fluid)) { /* the queue of both */
        sent = (double)p.bytes + fluid.sent_bytes;
        row.queue_mean_bytes = fluid.queue_mean_bytes;
        row.queue_max_bytes = fmax(row.queue_max_bytes, fluid.queue_max_bytes);
        row.fluid_bytes = (uint64_t)(fluid.arrived_bytes - fluid.lost_bytes);
        row.fluid_lost_bytes = (uint64_t)fluid.lost_bytes;
        row.fluid_link_lost_bytes = (uint64_t)fluid.link_lost_bytes;
    }
    row.queue_mean_bytes = wi_twelve_digits(row.queue_mean_bytes);
    row.utilisation = share_of_line(8.0 * sent, rate, span_ps);
    return row;
}

static weir_status put(const void *results, wi_csv *csv)
{
    const wi_results_of_run *r = results;
    const wi_net *net = r->network->net;
    const weir_time span_ps = weir_sim_now(r->run->sim) - (r->warm.ports ? r->warm.at_ps : 0);
    for (uint32_t e = 0; e < net->n_hosts + net->n_ports; e++) {
        WI_FREED char *name = wi_port_name(r->network, e);
        port_row row = row_of(r, e, span_ps);
        row.port = name ? name : "";
        wi_csv_row(csv, &row);
    }
    return WEIR_OK;
}
const wi_result_table wi_ports_table = WI_ROWS("ports.csv", columns, put);
