/* ports.csv: one row a port, hosts' own interfaces included. */
#include <math.h>

#include "output/number.h"
#include "base/memory.h"
#include "network/fluid/fluid.h"
#include "scenario/results/results.h"

#define PORTS(X)                                                                                             \
    X(TEXT, "port", "", name ? name : "", "name"),                                                           \
        X(U64, "rate_bps", "bit/s", link->rate_bps, "of the link"),                                          \
        X(SECONDS, "delay_s", "s", link->delay_ps, NULL),                                                    \
        X(U64, "packets", "packets", p.packets,                                                              \
          "accepted into the queue; of queues that are no FIFO (`codel`, `drr`, ...), that began to be "     \
          "sent"),                                                                                           \
        X(U64, "bytes", "bytes", p.bytes, NULL),                                                             \
        X(U64, "dropped_limit", "packets", p.dropped[0], "dropped because the queue was full"),              \
        X(U64, "dropped_early", "packets", p.dropped[1],                                                     \
          "dropped by the queue's discipline before it was full"),                                           \
        X(U64, "dropped_loss", "packets", p.dropped[2],                                                      \
          "sent, and lost on the link (`loss`, `burst_loss`, `bit_errors`); they count in `packets` too"),   \
        X(U64, "dropped_ttl", "packets", p.dropped_ttl, "dropped because they had travelled too far"),       \
        X(U64, "marked", "packets", p.marked, "accepted with a congestion mark (ECN)"),                      \
        X(DOUBLE, "utilisation", "1", share_of_line(8.0 * sent, rate, span_ps),                              \
          "share of the time in which the link was sending; of a link that follows a trace, of what the "    \
          "trace allowed"),                                                                                  \
        X(DOUBLE, "queue_mean_bytes", "bytes", wi_twelve_digits(mean_bytes),                                 \
          "mean over time of what is accepted and not yet sent, the packet being sent included; empty "      \
          "where the integral, until the last packet is sent, is beyond 1.9e13 byte seconds"),               \
        X(DOUBLE, "queue_max_bytes", "bytes", most_bytes, "the largest such backlog"),                       \
        X(DOUBLE, "wait_mean_s", "s", wait_s,                                                                \
          "mean time between arrival and beginning of transmission, of accepted packets; empty where the "   \
          "sum is beyond 1.8e10 s"),                                                                         \
        X(U64, "fluid_bytes", "bytes", (uint64_t)(fluid.arrived_bytes - fluid.lost_bytes),                   \
          "fluid accepted into the queue. Queue and utilisation are those of packets and fluid together; "   \
          "ACKs of fluid are in both where they may fill a line, but not in the utilisation where packets "  \
          "pass"),                                                                                           \
        X(U64, "fluid_lost_bytes", "bytes", (uint64_t)fluid.lost_bytes,                                      \
          "fluid that the queue did not take"),                                                              \
        X(U64, "fluid_link_lost_bytes", "bytes", (uint64_t)fluid.link_lost_bytes,                            \
          "fluid that was accepted and lost on the link: at random (`loss`), or with the link when it "      \
          "failed (`events`)"),                                                                              \
        X(U64, "duplicated", "packets", wi_net_copies_at(net, r->run->sim, e),                               \
          "that the link delivered once more (`duplication`), from the start of the run, warm-up included; " \
          "they count in no other column"),                                                                  \
        X(U64, "pauses", "", pauses.xoff_got,                                                                \
          "XOFFs that the port obeyed, a priority each (`pfc`); this and the next two from the start of "    \
          "the run, warm-up included"),                                                                      \
        X(SECONDS, "paused_s", "s", pauses.paused_ps, "time in which some priority was paused at the port"), \
        X(U64, "headroom_max_bytes", "bytes", pauses.headroom_most,                                          \
          "most that packets which came by the port's link, the other way, had of the headroom of a "        \
          "priority"),                                                                                       \
        X(SECONDS, "down_s", "s", wi_net_down_ps(net, e, now),                                               \
          "time in which the link had failed (`events`), from the start of the run")
static const wi_result_column columns[] = {PORTS(WI_COLUMN)};

static net_port since_warmup(const wi_results_of_run *r, uint32_t entity)
{
    net_port p = *wi_net_port(r->network->net, r->run->sim, entity);
    p.backlog = wi_net_backlog(r->network->net, r->run->sim, entity);
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
    p.backlog = p.backlog > b->backlog ? p.backlog - b->backlog : 0; /* each was rounded */
    return p;
}

/* Accepted and not yet sent when the warm-up ended, which nothing that came later needs to exceed. */
static double stood_bytes(const wi_results_of_run *r, uint32_t entity)
{
    const wi_net *net = r->network->net;
    const net_port *p = r->warm.ports ? &r->warm.ports[entity] : NULL;
    return p ? wi_net_packets_share(net, entity, p) * r->warm.line_bytes[entity] +
                   (double)wi_net_waiting_bytes(net, entity, p)
             : 0.0;
}

/* Bytes that the line sent since the end of the warm-up: what was accepted, less what the queue has grown by. */
static double sent_bytes(const wi_results_of_run *r, uint32_t entity, const net_port *since)
{
    const wi_net *net = r->network->net;
    const double before = r->warm.ports ? r->warm.line_bytes[entity] : 0.0;
    const double accepted =
        (double)since->bytes + (double)since->packets * (double)wi_net_link(net, entity)->overhead;
    return accepted + before - wi_net_line_bytes(net, r->run->sim, entity, weir_sim_now(r->run->sim));
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

/* Of what a line could send, at most all, as what stands in queues is rounded; rounded once. */
static double share_of_line(double bits, double rate_bps, weir_time span_ps)
{
    const long double most = (long double)rate_bps * (long double)span_ps;
    return span_ps > 0 ? (double)fminl((long double)bits * 1e12L / most, 1.0L) : 0.0;
}

/* Of the line's rate, what full packets have of it. */
static long double full_packets_rate(const wi_net *net, uint32_t entity)
{
    const net_link *link = wi_net_link(net, entity);
    return link->overhead ? 8e12L * (long double)wi_net_queue(net, entity)->bytes_per_ps
                          : (long double)link->rate_bps;
}

static void put_port(const wi_results_of_run *r, wi_csv *csv, uint32_t e, weir_time span_ps)
{
    const wi_net *net = r->network->net;
    const weir_time now = weir_sim_now(r->run->sim);
    const net_port p = since_warmup(r, e);
    const net_link *link = wi_net_link(net, e);
    const double rate = wi_net_line_rate_bps(net, e, now - span_ps, now), span_s = weir_seconds(span_ps);
    const wi_net_pauses pauses = wi_net_pauses_of(net, r->run->sim, e);
    wi_fluid_port_total fluid = {0};
    WI_FREED char *name = wi_port_name(r->network, e);
    const net_port *all = wi_net_port(net, r->run->sim, e);
    const double wait_s = all->wait_ns == NET_TOO_MUCH ? (double)NAN
                          : p.packets                  ? (double)p.wait_ns / (1e9 * (double)p.packets)
                                                       : 0.0;
    double sent = sent_bytes(r, e, &p), mean_bytes = span_s > 0.0 ? net_backlog_byte_s(&p) / span_s : 0.0,
           most_bytes = fmax((double)((long double)p.backlog_max_ps * full_packets_rate(net, e) / 8e12L),
                             stood_bytes(r, e));
    if (fluid_total(r, e, &fluid)) { /* the queue of both */
        sent = fmax((double)p.bytes + fluid.sent_bytes, 0.0);
        mean_bytes = fluid.queue_mean_bytes;
        most_bytes = fmax(most_bytes, fluid.queue_max_bytes);
    } else if (all->backlog == NET_TOO_MUCH)
        mean_bytes = (double)NAN;
    wi_csv_row(csv, (const wi_cell[]){PORTS(WI_CELL)});
}

/* Cells that are empty for it. */
static void warn_of_too_much(const wi_results_of_run *r)
{
    const wi_net *net = r->network->net;
    uint32_t n = 0, first = 0;
    for (uint32_t e = 0; e < net->n_hosts + net->n_ports; e++) {
        const net_port *p = wi_net_port(net, r->run->sim, e);
        if ((p->wait_ns == NET_TOO_MUCH || p->backlog == NET_TOO_MUCH) && n++ == 0)
            first = e;
    }
    WI_FREED char *name = n ? wi_port_name(r->network, first) : NULL;
    if (n)
        weir_warn(
            r->run->diag,
            "%u %s waited more in all than is counted, and wait_mean_s or queue_mean_bytes of ports.csv is "
            "empty there, first of %s; want a smaller limit of its queue, or a shorter run",
            n, n == 1 ? "port's packets" : "ports' packets", name ? name : "");
}

static weir_status put(const void *results, wi_csv *csv)
{
    const wi_results_of_run *r = results;
    const wi_net *net = r->network->net;
    const weir_time span_ps = weir_sim_now(r->run->sim) - (r->warm.ports ? r->warm.at_ps : 0);
    for (uint32_t e = 0; e < net->n_hosts + net->n_ports; e++)
        put_port(r, csv, e, span_ps);
    warn_of_too_much(r);
    return WEIR_OK;
}
const wi_result_table wi_ports_table = WI_ROWS("ports.csv", columns, put);
