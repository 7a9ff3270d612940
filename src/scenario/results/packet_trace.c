/* packets.h5, by the means of series.h5: a table of one row. */
#include "scenario/results/monitor.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "output/series.h"

static const wi_result_column packet_columns[] = {
    WI_SAMPLE("flow", "1", "number of the row in `flows/name`, from 0"),
    WI_SAMPLE("port", "1",
              "number of the row in `ports/name`, from 0; of one received, the port that sent it"),
    WI_SAMPLE("seq", "1",
              "TCP: first byte, or the next byte that an ACK expects, counted from the flow's first; UDP: "
              "number of the packet; requests: their number"),
    WI_SAMPLE("bytes", "bytes", "of the IP packet"),
    WI_SAMPLE("wait_s", "s", "in the queue, until it is sent or dropped"),
    WI_SAMPLE("sent_s", "s", "when its first bit is sent; NaN where it is not"),
    WI_SAMPLE("marked", "1", "it leaves with a congestion mark, whoever made it"),
    WI_SAMPLE("fate", "1", "see below"),
};
static const wi_result_column flow_columns[] = {
    WI_SAMPLE("row", "1", "number of the row of `flows.csv`; NaN where it has none")};
static const wi_result_column port_columns[] = {WI_SAMPLE("entity", "1", "none: ports have names alone")};
enum { COLUMNS = sizeof packet_columns / sizeof *packet_columns };
const wi_result_table wi_packets_table = WI_RESULT(PACKETS, "packets", packet_columns),
                      wi_packet_flows_table = WI_RESULT(PACKETS, "flows", flow_columns),
                      wi_packet_ports_table = WI_RESULT(PACKETS, "ports", port_columns);

struct wi_packet_trace {
    weir_diag *diag;
    const wi_network *network;
    wi_series *series;
    wi_series_table *packets;
};

weir_status wi_packet_trace_begin(weir_diag *diag, const wi_network *network, const wi_sinks *sinks,
                                  wi_packet_trace **out)
{
    static const char *const row = "packet";
    const wi_sinks to = {.folder = sinks->folder, .saves = sinks->saves};
    wi_packet_trace *t = *out = calloc(1, sizeof *t);
    if (!t)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for a trace of packets");
    *t = (wi_packet_trace){.diag = diag, .network = network};
    weir_status status = wi_series_open(diag, &to, "packets.h5", &t->series)
                             ?: wi_series_table_add(diag, t->series, &wi_packets_table, &row, 1, &t->packets);
    if (status != WEIR_OK) {
        wi_packet_trace_free(t);
        *out = NULL;
    }
    return status;
}

weir_status wi_packet_trace_put(wi_packet_trace *t, const wi_traced *p)
{
    const double values[COLUMNS] = {(double)p->flow,
                                    (double)p->port,
                                    (double)p->seq,
                                    (double)p->bytes,
                                    (double)p->wait_ps / 1e12,
                                    p->on_line ? (double)p->sent_ps / 1e12 : (double)NAN, /* as time_s */
                                    (double)p->marked,
                                    (double)p->fate};
    return wi_series_append(t->diag, t->packets, p->came_ps, values);
}

static weir_status write_flows(wi_packet_trace *t, const wi_traced_flow *flows, uint32_t n)
{
    WI_FREED const char **names = calloc((size_t)n + 1, sizeof *names);
    WI_FREED double *rows = calloc((size_t)n + 1, sizeof *rows);
    wi_series_table *table = NULL;
    weir_status status =
        names && rows ? WEIR_OK : weir_fail(t->diag, WEIR_E_NOMEM, "no memory for the flows of a trace");
    for (uint32_t i = 0; i < n && status == WEIR_OK; i++) {
        names[i] = flows[i].name;
        rows[i] = flows[i].row == UINT64_MAX ? (double)NAN : (double)flows[i].row;
    }
    return status
            ?: wi_series_table_add(t->diag, t->series, &wi_packet_flows_table, names, n, &table)
            ?: wi_series_append(t->diag, table, 0, rows);
}

static weir_status write_ports(wi_packet_trace *t)
{
    const uint32_t n = t->network->net->n_hosts + t->network->net->n_ports;
    WI_FREED char **names = calloc((size_t)n + 1, sizeof *names);
    wi_series_table *table = NULL;
    weir_status status =
        names ? WEIR_OK : weir_fail(t->diag, WEIR_E_NOMEM, "no memory for the names of ports");
    for (uint32_t e = 0; e < n && status == WEIR_OK; e++) {
        names[e] = wi_port_name(t->network, e);
        if (!names[e])
            status = weir_fail(t->diag, WEIR_E_NOMEM, "no memory for the names of ports");
    }
    status = status
                 ?: wi_series_table_add(t->diag, t->series, &wi_packet_ports_table,
                                        (const char *const *)names, n, &table);
    for (uint32_t e = 0; names && e < n; e++)
        free(names[e]);
    return status;
}

weir_status wi_packet_trace_write(wi_packet_trace *t, const wi_traced_flow *flows, uint32_t n)
{
    WI_RETURN_IF_FAILED(write_flows(t, flows, n) ?: write_ports(t));
    wi_series *series = t->series;
    t->series = NULL;
    return wi_series_close(t->diag, series);
}

void wi_packet_trace_archive(wi_packet_trace *t, wi_archiver *k)
{
    wi_series_archive(t->series, k);
}

void wi_packet_trace_free(wi_packet_trace *t)
{
    if (!t)
        return;
    wi_series_drop(t->series);
    free(t);
}
