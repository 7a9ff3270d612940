/* flowmon.xml, in the form of FlowMonitor::SerializeToXmlFile of ns-3 3.37 with histograms and without probes; times are whole
 * nanoseconds, whose digits are all written. And histograms.csv. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "packets/capture/wire.h"
#include "output/csv.h"
#include "output/number.h"
#include "base/file/out.h"
#include "scenario/results/results.h"

__attribute__((format(printf, 2, 3))) static void put(wi_out *out, const char *format, ...)
{
    char text[300];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    wi_out_text(out, text);
}

static void put_ns(wi_out *out, const char *name, uint64_t ns)
{
    put(out, " %s=\"+%llu.0ns\"", name, (unsigned long long)ns);
}

/* To the nearest. */
static uint64_t whole_ns(weir_time ps)
{
    return ((uint64_t)ps + 500u) / 1000u;
}

static void put_count(wi_out *out, const char *name, uint64_t n)
{
    put(out, " %s=\"%llu\"", name, (unsigned long long)n);
}

static void put_histogram(wi_out *out, const char *name, const wi_histogram *h, double width)
{
    char start[WI_NUMBER_MAX], wide[WI_NUMBER_MAX];
    put(out, "      <%s nBins=\"%llu\" >\n", name,
        (unsigned long long)(h->n ? h->bin[h->n - 1].index + 1 : 0));
    wi_format_double(width, wide);
    for (size_t i = 0; i < h->n; i++) {
        wi_format_double(wi_twelve_digits((double)h->bin[i].index * width), start);
        put(out, "        <bin index=\"%llu\" start=\"%s\" width=\"%s\" count=\"%llu\" />\n",
            (unsigned long long)h->bin[i].index, start, wide, (unsigned long long)h->bin[i].count);
    }
    put(out, "      </%s>\n", name);
}

static void put_flow(wi_out *out, const wi_watched *f, const weir_scenario_monitor *asked)
{
    uint32_t reasons = 0;
    put(out, "    <Flow flowId=\"%u\"", f->id);
    put_ns(out, "timeFirstTxPacket", whole_ns(f->first_sent_ps));
    put_ns(out, "timeFirstRxPacket", whole_ns(f->first_come_ps));
    put_ns(out, "timeLastTxPacket", whole_ns(f->last_sent_ps));
    put_ns(out, "timeLastRxPacket", whole_ns(f->last_come_ps));
    put_ns(out, "delaySum", f->delay.ns + (f->delay.ps >= 500));
    put_ns(out, "jitterSum", f->jitter.ns + (f->jitter.ps >= 500));
    put_ns(out, "lastDelay", whole_ns(f->last_delay_ps));
    put_count(out, "txBytes", f->sent_bytes);
    put_count(out, "rxBytes", f->come_bytes);
    put_count(out, "txPackets", f->sent);
    put_count(out, "rxPackets", f->come);
    put_count(out, "lostPackets", f->lost);
    put_count(out, "timesForwarded", f->forwarded);
    wi_out_text(out, ">\n");
    for (uint32_t i = 0; i < WI_DROP_REASONS; i++)
        reasons = f->dropped[i] ? i + 1 : reasons;
    for (uint32_t i = 0; i < reasons; i++)
        put(out, "      <packetsDropped reasonCode=\"%u\" number=\"%llu\" />\n", i,
            (unsigned long long)f->dropped[i]);
    for (uint32_t i = 0; i < reasons; i++)
        put(out, "      <bytesDropped reasonCode=\"%u\" bytes=\"%llu\" />\n", i,
            (unsigned long long)f->dropped_bytes[i]);
    put_histogram(out, "delayHistogram", &f->delays, weir_seconds(asked->delay_bin_ps));
    put_histogram(out, "jitterHistogram", &f->jitters, weir_seconds(asked->jitter_bin_ps));
    put_histogram(out, "packetSizeHistogram", &f->sizes, asked->size_bin_bytes);
    put_histogram(out, "flowInterruptionsHistogram", &f->interruptions,
                  weir_seconds(asked->interruption_bin_ps));
    wi_out_text(out, "    </Flow>\n");
}

static void put_address(wi_out *out, const char *name, uint32_t host)
{
    const uint32_t a = wi_wire_address(host);
    put(out, " %s=\"%u.%u.%u.%u\"", name, a >> 24, a >> 16 & 255, a >> 8 & 255, a & 255);
}

static void put_classified(wi_out *out, const wi_network *n, const wi_watched *f)
{
    const net_world *w = wi_net_world(n->net);
    const uint32_t cls = NET_ARRAY(w, uint16_t, tx_class)[f->slot];
    const uint32_t flags = net_class_at(w, cls)->flags;
    const uint32_t sender = wi_wire_port(n->net, f->slot, true),
                   receiver = wi_wire_port(n->net, f->slot, false);
    put(out, "    <Flow flowId=\"%u\"", f->id);
    put_address(out, "sourceAddress", f->src);
    put_address(out, "destinationAddress", f->dst);
    put(out, " protocol=\"%d\" sourcePort=\"%u\" destinationPort=\"%u\">\n", flags & NET_CLASS_UDP ? 17 : 6,
        f->acks ? receiver : sender, f->acks ? sender : receiver);
    put(out, "      <Dscp value=\"0x%x\" packets=\"%llu\" />\n    </Flow>\n", net_class_at(w, cls)->dscp,
        (unsigned long long)f->sent);
}

weir_status wi_monitor_write_xml(weir_diag *diag, const char *folder, const wi_monitor_view *v)
{
    const weir_scenario_monitor *asked = &v->network->scenario->output.flow_monitor;
    wi_out *out = NULL;
    WI_RETURN_IF_FAILED(wi_out_open(diag, folder, "flowmon.xml", &out));
    wi_out_text(out, "<?xml version=\"1.0\" ?>\n<FlowMonitor>\n  <FlowStats>\n");
    for (uint32_t i = 0; i < v->n_ids; i++)
        put_flow(out, &v->flow[v->by_id[i]], asked);
    wi_out_text(out, "  </FlowStats>\n  <Ipv4FlowClassifier>\n");
    for (uint32_t i = 0; i < v->n_ids; i++)
        put_classified(out, v->network, &v->flow[v->by_id[i]]);
    wi_out_text(out,
                "  </Ipv4FlowClassifier>\n  <Ipv6FlowClassifier>\n  </Ipv6FlowClassifier>\n</FlowMonitor>\n");
    return wi_out_close(diag, out);
}

/* ---- histograms.csv ---- */

typedef struct bin_row {
    uint64_t flow_id, flow;
    const char *class, *from, *to, *direction;
} bin_row;

#define BINS(X)                                                                                            \
    X(U64, "flow_id", "", row->flow_id, "of `flowmon.xml`"),                                               \
        X(U64, "flow", "", row->flow,                                                                      \
          "row of `flows.csv`; empty where that has none: replies are rows of their own there, and flows " \
          "that come within the warm-up have none"),                                                       \
        X(TEXT, "class", "", row->class, "name of the traffic class"),                                     \
        X(TEXT, "from", "", row->from, "node: sender of these packets"),                                   \
        X(TEXT, "to", "", row->to, "node: their receiver"),                                                \
        X(TEXT, "direction", "", row->direction, "`data`, or `acks`, with requests"),                      \
        X(TEXT, "quantity", "", quantity,                                                                  \
          "`delay`, `jitter`, or `rtt`, TCP's own samples, one for each ACK of new data, as in "           \
          "`flows.csv`"),                                                                                  \
        X(SECONDS, "from_s", "s", from_ps, "values from this one on"),                                     \
        X(SECONDS, "to_s", "s", from_ps + width_ps, "and before this one"),                                \
        X(U64, "count", "", h->bin[i].count, "how many; bins of none have no row")
static const wi_result_column columns[] = {BINS(WI_COLUMN)};
const wi_result_table wi_histograms_table = WI_RESULT(CSV, "histograms.csv", columns);

static void put_bins(wi_csv *csv, const bin_row *row, const char *quantity, const wi_histogram *h,
                     weir_time width_ps)
{
    for (size_t i = 0; i < h->n; i++) {
        const weir_time from_ps = (weir_time)h->bin[i].index * width_ps;
        wi_csv_row(csv, (const wi_cell[]){BINS(WI_CELL)});
    }
}

weir_status wi_monitor_write_csv(weir_diag *diag, const char *folder, const wi_monitor_view *v)
{
    const weir_scenario_monitor *asked = &v->network->scenario->output.flow_monitor;
    const uint16_t *cls = NET_ARRAY(wi_net_world(v->network->net), uint16_t, tx_class);
    wi_csv *csv = NULL;
    const weir_status status = wi_csv_table(diag, folder, &wi_histograms_table, &csv);
    for (uint32_t i = 0; i < v->n_ids && status == WEIR_OK; i++) {
        const wi_watched *f = &v->flow[v->by_id[i]];
        char from[300], to[300];
        wi_host_name(v->network, f->src, from, sizeof from);
        wi_host_name(v->network, f->dst, to, sizeof to);
        const bin_row row = {.flow_id = f->id,
                             .flow = v->row[v->by_id[i]], /* UINT64_MAX: none */
                             .class = v->network->plan.classes[cls[f->slot]].name,
                             .from = from,
                             .to = to,
                             .direction = f->acks ? "acks" : "data"};
        put_bins(csv, &row, "delay", &f->delays, asked->delay_bin_ps);
        put_bins(csv, &row, "jitter", &f->jitters, asked->jitter_bin_ps);
        put_bins(csv, &row, "rtt", &f->round_trips, asked->rtt_bin_ps);
    }
    return status ?: wi_csv_close(diag, csv);
}
