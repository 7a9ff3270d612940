/*
 * The scenario that files of ns-3's RDMA fork describe (alibaba-edu/High-Precision-Congestion-Control: scratch/third.cc has what each key of
 * config.txt does, rdma-hw.cc and switch-mmu.cc what follows from it).
 *
 * Flows begin with what their window allows, at the rate of their line; switches have PFC whose threshold moves, with an eighth of
 * what is free, and mark by RED on the instantaneous queue. A value that has no counterpart is refused by name; what weir does otherwise
 * whatever the value says is told in a comment.
 */
#include "network/import/ns3_write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "weir/topology.h"
#include "weir/units.h"

enum { DCQCN = 1, HPCC = 3, TIMELY = 7, DCTCP = 8, HPCC_PINT = 10 };
enum { RATES_MOST = 16, NAMES_WIDTH = 100 };
enum { WEIR_HEADERS = 40 };
#define WINDOW_MOST (UINT32_C(1) << 30)

typedef struct writer {
    weir_diag *diag;
    const wi_ns3_files *files;
    FILE *out;
    weir_graph *graph;
    weir_status status;
    int mode;
    bool wrapped; /* what is free of a switch's memory is below zero, and there a uint32_t */
    uint32_t payload;
    char *notes;
    size_t notes_size;
    FILE *note;
} writer;

static const wi_ns3_value *value(const writer *w, wi_ns3_key key)
{
    return &w->files->values->value[key];
}

/* A number, or what the fork has where the key is not given. */
static double number(const writer *w, wi_ns3_key key, double otherwise)
{
    return value(w, key)->line ? value(w, key)->number[0] : otherwise;
}

static void fail(writer *w, weir_status status, wi_ns3_key key, const char *why)
{
    const wi_ns3_value *v = value(w, key);
    if (w->status == WEIR_OK)
        w->status = weir_fail_at(w->diag, status, w->files->config.shown, v->line, v->column, "%s %s: %s",
                                 wi_ns3_key_name(key), v->line ? v->text : "is not given", why);
}

/* Bytes of a packet's headers in the fork: PPP 14, IPv4 20, UDP 8, sequence number 6, and the control's telemetry (int-header.h). */
static uint32_t headers(const writer *w)
{
    return 48 + (w->mode == HPCC ? 42 : w->mode == TIMELY ? 8 : w->mode == HPCC_PINT ? 2 : 0);
}

/* Only this value has a counterpart. */
static void only(writer *w, wi_ns3_key key, double want, const char *why)
{
    if (value(w, key)->line && value(w, key)->number[0] != want)
        fail(w, WEIR_E_UNSUPPORTED, key, why);
}

static double bounded(writer *w, wi_ns3_key key, double otherwise, double low, double high)
{
    char why[100];
    const double x = number(w, key, otherwise);
    if (x >= low && x <= high)
        return x;
    snprintf(why, sizeof why, "want a number from %g to %g", low, high);
    fail(w, WEIR_E_FORMAT, key, why);
    return otherwise;
}

/* A rate such as 50Mb/s, in bit/s. */
static uint64_t rate_bps(writer *w, wi_ns3_key key, const char *otherwise)
{
    char spelt[80], why[200];
    uint64_t bps = 0;
    const char *given = value(w, key)->line ? value(w, key)->text : otherwise;
    snprintf(spelt, sizeof spelt, "%.60s", given);
    char *slash = strstr(spelt, "b/s");
    if (slash)
        memcpy(slash, "bps", 3);
    if (!weir_parse_rate(spelt, &bps, why, sizeof why))
        fail(w, WEIR_E_FORMAT, key, "want a rate such as 50Mb/s");
    return bps;
}

/* The same, as weir writes it. */
static const char *rate(writer *w, wi_ns3_key key, const char *otherwise, char *text)
{
    return weir_format_rate(rate_bps(w, key, otherwise), text);
}

static void note(writer *w, wi_ns3_key key, const char *text)
{
    if (value(w, key)->line)
        fprintf(w->note, "#   %s %s: %s\n", wi_ns3_key_name(key), value(w, key)->text, text);
}

/* ---- what has one value, and what is told ---- */

static void refuse(writer *w)
{
    only(w, WI_NS3_USE_DYNAMIC_PFC_THRESHOLD, 1, "thresholds that do not move are not there");
    only(w, WI_NS3_L2_ACK_INTERVAL, 1, "an answer to each packet is all there is");
    only(w, WI_NS3_L2_BACK_TO_ZERO, 0, "go-back-0 is not there; want 0, go-back-N");
    only(w, WI_NS3_MULTI_RATE, 0, "a rate for each hop is not there");
    only(w, WI_NS3_SAMPLE_FEEDBACK, 0, "telemetry once a round trip is not there");
    only(w, WI_NS3_RATE_BOUND, 1, "flows without a rate limiter are not there");
    only(w, WI_NS3_PINT_PROB, 1, "each packet carries telemetry");
    for (size_t i = 0; i < value(w, WI_NS3_LINK_DOWN)->n; i++)
        if (value(w, WI_NS3_LINK_DOWN)->number[i] != 0)
            fail(w, WEIR_E_UNSUPPORTED, WI_NS3_LINK_DOWN,
                 "links of switches that share memory do not fail; want 0 0 0");
    if (w->mode != DCQCN && w->mode != HPCC && w->mode != TIMELY && w->mode != DCTCP && w->mode != HPCC_PINT)
        fail(w, WEIR_E_UNSUPPORTED, WI_NS3_CC_MODE,
             "want 1 (DCQCN), 3 (HPCC), 7 (TIMELY), 8 (DCTCP) or 10 (HPCC-PINT)");
}

static void tell(writer *w)
{
    static const wi_ns3_key written[] = {WI_NS3_TRACE_OUTPUT_FILE, WI_NS3_FCT_OUTPUT_FILE,
                                         WI_NS3_PFC_OUTPUT_FILE, WI_NS3_QLEN_MON_FILE};
    const bool hpcc = w->mode == HPCC || w->mode == HPCC_PINT;
    for (size_t i = 0; i < sizeof written / sizeof *written; i++)
        note(w, written[i], "weir writes a folder of results: flows.csv, ports.csv, series.h5, captures");
    note(w, WI_NS3_QLEN_MON_START, "output.interval and output.ports have queues over time");
    note(w, WI_NS3_QLEN_MON_END, "likewise");
    if (number(w, WI_NS3_ACK_HIGH_PRIO, 0) != 0)
        note(w, WI_NS3_ACK_HIGH_PRIO, "ACKs have the priority of their flow's data");
    note(w, WI_NS3_FLOW_ON_PATH_FILE, "which flows m3 looks at; flows.csv has all");
    note(w, WI_NS3_FLOW_PATH_MAP_FILE, "likewise");
    note(w, WI_NS3_L2_CHUNK_SIZE, "an answer to each packet; chunks have no effect");
    if (hpcc) {
        note(w, WI_NS3_GLOBAL_T, "one T in the network, the longest round trip, as with 1");
        note(w, WI_NS3_FAST_REACT, "each ACK is answered, as with 1");
        note(w, WI_NS3_VAR_WIN, "the window is the control's, as with 1");
        note(w, WI_NS3_HAS_WIN, "likewise");
        note(w, WI_NS3_FIXED_WIN, "likewise");
        note(w, WI_NS3_INT_MULTI, "a load of 16 bits within 0.025 %, whatever the unit");
        if (w->mode == HPCC_PINT)
            note(w, WI_NS3_PINT_LOG_BASE, "likewise");
        note(w, WI_NS3_RATE_HAI, "HPCC has none");
    } else {
        note(w, WI_NS3_GLOBAL_T, "one window, that of the longest path, as with 1");
        if (number(w, WI_NS3_VAR_WIN, 0) != 0)
            note(w, WI_NS3_VAR_WIN, "the window stays, and the rate is what varies");
    }
    if (w->mode == TIMELY)
        note(w, WI_NS3_RATE_HAI,
             "five steps at once where round trips have not risen five times, as in the paper; there below "
             "t_low too");
    if (w->mode == DCTCP) {
        note(w, WI_NS3_DCTCP_RATE_AI, "a segment a round trip, as RFC 8257 has it");
        note(w, WI_NS3_EWMA_GAIN, "1/16, as RFC 8257 has it");
    }
}

/* Keys of controls that are not chosen. */
static void tell_others(writer *w)
{
    static const struct {
        wi_ns3_key key;
        int modes[5];
    } own[] = {{WI_NS3_ALPHA_RESUME_INTERVAL, {DCQCN}},
               {WI_NS3_RATE_DECREASE_INTERVAL, {DCQCN}},
               {WI_NS3_CLAMP_TARGET_RATE, {DCQCN}},
               {WI_NS3_RP_TIMER, {DCQCN}},
               {WI_NS3_FAST_RECOVERY_TIMES, {DCQCN}},
               {WI_NS3_EWMA_GAIN, {DCQCN, DCTCP}},
               {WI_NS3_RATE_AI, {DCQCN, HPCC, TIMELY, HPCC_PINT}},
               {WI_NS3_RATE_HAI, {DCQCN, HPCC, TIMELY, HPCC_PINT}},
               {WI_NS3_MIN_RATE, {DCQCN, HPCC, TIMELY, HPCC_PINT}},
               {WI_NS3_DCTCP_RATE_AI, {DCTCP}},
               {WI_NS3_U_TARGET, {HPCC, HPCC_PINT}},
               {WI_NS3_MI_THRESH, {HPCC, HPCC_PINT}},
               {WI_NS3_INT_MULTI, {HPCC, HPCC_PINT}},
               {WI_NS3_FAST_REACT, {HPCC, HPCC_PINT}},
               {WI_NS3_BASE_RTT, {HPCC, TIMELY, HPCC_PINT}},
               {WI_NS3_PINT_LOG_BASE, {HPCC_PINT}}};
    const char *before = "#   of other controls: ";
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        bool chosen = !value(w, own[i].key)->line;
        for (int k = 0; k < 5; k++)
            chosen = chosen || own[i].modes[k] == w->mode;
        if (chosen)
            continue;
        fprintf(w->note, "%s%s", before, wi_ns3_key_name(own[i].key));
        before = ", ";
    }
    if (before[0] == ',')
        fputc('\n', w->note);
}

/* ---- marks by the rates of ports ---- */

/* What a map has for a rate, NaN: nothing. */
static double of_map(const writer *w, wi_ns3_key key, uint64_t rate_bps)
{
    const wi_ns3_value *v = value(w, key);
    for (size_t i = 1; i + 1 < v->n; i += 2)
        if (v->number[i] == (double)rate_bps)
            return v->number[i + 1];
    return (double)NAN;
}

static bool is_switch_port(const weir_graph *g, uint32_t v, uint32_t e)
{
    return g->role[v] != WEIR_HOST && weir_edge_exists(g, e);
}

/* Whether no port of switches with this rate has a queue to mark, as it is no slower than all lines together that lead to it. */
static bool never_queues(const weir_graph *g, uint64_t rate_bps)
{
    for (uint32_t v = 0; v < g->n_nodes; v++)
        for (uint32_t e = g->first[v]; e < g->end[v]; e++) {
            double others_bps = 0.0;
            if (!is_switch_port(g, v, e) || g->rate_bps[e] != rate_bps)
                continue;
            for (uint32_t in = g->first[v]; in < g->end[v]; in++)
                if (in != e)
                    others_bps += (double)g->rate_bps[g->reverse[in]];
            if (others_bps > (double)rate_bps)
                return false;
        }
    return true;
}

static void put_queue(writer *w, uint64_t rate_bps)
{
    const char *const limit = w->wrapped ? ", limit: 1GB" : "";
    char text[WEIR_UNITS_TEXT], why[200];
    const double min = of_map(w, WI_NS3_KMIN_MAP, rate_bps), max = of_map(w, WI_NS3_KMAX_MAP, rate_bps),
                 most = of_map(w, WI_NS3_PMAX_MAP, rate_bps);
    if (isnan(min) && isnan(max) && isnan(most) && never_queues(w->graph, rate_bps)) {
        fprintf(w->out, "type: droptail%s", limit);
        fprintf(w->note,
                "#   ports of %s have no pair in KMIN_MAP: they do not mark, and are as fast as all that "
                "leads there\n",
                weir_format_rate(rate_bps, text));
        return;
    }
    if (!(min > 0 && max >= min && most > 0 && most <= 1)) {
        snprintf(why, sizeof why,
                 "ports of %s have no pair in KMIN_MAP, KMAX_MAP and PMAX_MAP, or none with 0 < min <= max "
                 "and a share above 0",
                 weir_format_rate(rate_bps, text));
        fail(w, WEIR_E_FORMAT, WI_NS3_KMAX_MAP, why);
    }
    if (min == max) {
        fprintf(w->out, "type: threshold, mark: %gkB%s", min, limit);
        return;
    }
    fprintf(w->out,
            "type: red, min: %gkB, max: %gkB, max_p: %g, w: 1, mode: bernoulli, gentle: false, ecn: only%s",
            min, max, most, limit);
}

/* Links of switches of one rate, by name. */
static void put_links(writer *w, uint64_t rate_bps)
{
    const weir_graph *g = w->graph;
    const char *before = "";
    int width = 0;
    for (uint32_t v = 0; v < g->n_nodes; v++) {
        uint32_t of = 0, all = 0;
        for (uint32_t e = g->first[v]; e < g->end[v]; e++) {
            all += is_switch_port(g, v, e);
            of += is_switch_port(g, v, e) && g->rate_bps[e] == rate_bps;
        }
        if (of > 0 && of == all) {
            width += fprintf(w->out, "%s\"%s->*\"", before, g->name[v]);
            before = ", ";
        }
        for (uint32_t e = g->first[v]; e < g->end[v] && of < all; e++)
            if (is_switch_port(g, v, e) && g->rate_bps[e] == rate_bps) {
                width += fprintf(w->out, "%s\"%s->%s\"", before, g->name[v], g->name[g->target[e]]);
                before = ", ";
            }
        if (width > NAMES_WIDTH) {
            before = ",\n        ";
            width = 0;
        }
    }
}

/* Rates of switches' ports, the one of most ports first. */
static size_t rates_of(writer *w, uint64_t *rates)
{
    const weir_graph *g = w->graph;
    uint32_t ports[RATES_MOST] = {0};
    size_t n = 0;
    for (uint32_t v = 0; v < g->n_nodes; v++)
        for (uint32_t e = g->first[v]; e < g->end[v]; e++) {
            size_t i = 0;
            if (!is_switch_port(g, v, e))
                continue;
            while (i < n && rates[i] != g->rate_bps[e])
                i++;
            if (i == RATES_MOST) {
                fail(w, WEIR_E_UNSUPPORTED, WI_NS3_KMAX_MAP, "the topology's ports have too many rates");
                return n;
            }
            n += i == n;
            rates[i] = g->rate_bps[e];
            ports[i]++;
        }
    for (size_t i = 1; i < n; i++)
        if (ports[i] > ports[0]) {
            const uint64_t swap = rates[0];
            const uint32_t count = ports[0];
            rates[0] = rates[i];
            rates[i] = swap;
            ports[0] = ports[i];
            ports[i] = count;
        }
    return n;
}

static void put_queues(writer *w)
{
    uint64_t rates[RATES_MOST];
    if (number(w, WI_NS3_ENABLE_QCN, 1) == 0) {
        note(w, WI_NS3_ENABLE_QCN, "queues do not mark");
        if (w->wrapped)
            fprintf(w->out, "  queue: {type: droptail, limit: 1GB}\n");
        return;
    }
    const size_t n = rates_of(w, rates);
    if (n == 0)
        return;
    fprintf(w->out, "  queue: {");
    put_queue(w, rates[0]);
    fprintf(w->out, "}\n%s", n > 1 ? "  queues:\n" : "");
    for (size_t i = 1; i < n && w->status == WEIR_OK; i++) {
        fprintf(w->out, "    - {link: [");
        put_links(w, rates[i]);
        fprintf(w->out, "],\n       ");
        put_queue(w, rates[i]);
        fprintf(w->out, "} # ports of %g Gb/s\n", (double)rates[i] * 1e-9);
    }
}

/* ---- memory ---- */

/* Headroom of a switch's ports as the fork sets it, three times what is on the line, and 4 KiB of each. */
static uint64_t set_aside(const weir_graph *g, uint32_t v)
{
    uint64_t bytes = 0;
    for (uint32_t e = g->first[v]; e < g->end[v]; e++)
        if (is_switch_port(g, v, e))
            bytes += (uint64_t)(3e-12 / 8.0 * (double)g->rate_bps[e] * (double)g->delay_ps[e]) + 4096;
    return bytes;
}

/* Where more is set aside than a switch has, what is free wraps round to some 4 GiB there: it pauses and drops nothing. */
static void find_wrapped(writer *w)
{
    const weir_graph *const g = w->graph;
    const double has = bounded(w, WI_NS3_BUFFER_SIZE, 12, 1e-3, 9e5) * 1048576.0;
    uint32_t switches = 0, wrapped = 0;
    for (uint32_t v = 0; v < g->n_nodes; v++)
        if (g->role[v] != WEIR_HOST) {
            switches++;
            wrapped += (double)set_aside(g, v) > has;
        }
    w->wrapped = wrapped > 0;
    if (wrapped > 0 && wrapped < switches)
        fail(w, WEIR_E_UNSUPPORTED, WI_NS3_BUFFER_SIZE,
             "the headroom of some switches' ports is more than that, and of others' less: one size is for "
             "all");
}

static void put_memory(writer *w)
{
    if (w->wrapped) {
        fprintf(w->out, "routing: {ecmp: true}\n");
        note(w, WI_NS3_BUFFER_SIZE,
             "ports' headroom is more than that, what is free wraps round there, and nothing is paused or "
             "dropped: as here");
        return;
    }
    fprintf(w->out, "  shared_buffer: {size: %gMiB, alpha: 0.125, pfc: {}}\nrouting: {ecmp: true}\n",
            number(w, WI_NS3_BUFFER_SIZE, 12));
    fprintf(w->note, "#   alpha is 0.125 at all ports; there it doubles with each doubling of a port's rate "
                     "above hosts'\n");
}

/* ---- windows ---- */

/* The largest product of rate and idle round trip of two hosts over the fewest links, as the fork has it: the packet's time on each link
 * there, and nothing for the ACK's. */
static double largest_product(writer *w)
{
    const weir_graph *g = w->graph;
    double most = 0.0;
    WI_FREED uint32_t *const queue = malloc(((size_t)g->n_nodes + 1) * sizeof *queue),
                             *const hops = malloc(((size_t)g->n_nodes + 1) * sizeof *hops);
    WI_FREED double *const delay = malloc(((size_t)g->n_nodes + 1) * sizeof *delay),
                           *const slowest = malloc(((size_t)g->n_nodes + 1) * sizeof *slowest);
    if (!queue || !hops || !delay || !slowest)
        w->status = weir_fail(w->diag, WEIR_E_NOMEM, "no memory for paths");
    for (uint32_t s = 0; s < g->n_nodes && w->status == WEIR_OK; s++) {
        if (g->role[s] != WEIR_HOST)
            continue;
        for (uint32_t v = 0; v < g->n_nodes; v++)
            hops[v] = UINT32_MAX;
        uint32_t n = 0;
        queue[n++] = s;
        hops[s] = 0;
        delay[s] = 0.0;
        slowest[s] = INFINITY;
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t v = queue[i];
            if (v != s && g->role[v] == WEIR_HOST) {
                most = fmax(most, delay[v] * slowest[v] / 8.0);
                continue;
            }
            for (uint32_t e = g->first[v]; e < g->end[v]; e++) {
                const uint32_t to = g->target[e];
                if (!weir_edge_exists(g, e) || hops[to] != UINT32_MAX)
                    continue;
                hops[to] = hops[v] + 1;
                delay[to] =
                    delay[v] + 2.0 * weir_seconds(g->delay_ps[e]) + 8.0 * w->payload / (double)g->rate_bps[e];
                slowest[to] = fmin(slowest[v], (double)g->rate_bps[e]);
                queue[n++] = to;
            }
        }
    }
    return most;
}

static void put_window(writer *w)
{
    double window = WINDOW_MOST;
    if (w->mode == HPCC || w->mode == HPCC_PINT)
        return;
    if (number(w, WI_NS3_HAS_WIN, 1) != 0)
        window = value(w, WI_NS3_FIXED_WIN)->line ? bounded(w, WI_NS3_FIXED_WIN, 0, w->payload, WINDOW_MOST)
                                                  : fmax(largest_product(w), w->payload);
    const double segments = ceil(window / w->payload);
    fprintf(w->out, ", window: %.0fB, initial_window: %.0f", window, fmin(segments, 10000.0));
}

/* ---- traffic ---- */

static void put_base_rtt(writer *w)
{
    if (value(w, WI_NS3_BASE_RTT)->line)
        fprintf(w->out, ", base_rtt: %gns", bounded(w, WI_NS3_BASE_RTT, 0, 1, 1e9));
}

static void put_control(writer *w)
{
    char a[WEIR_UNITS_TEXT], b[WEIR_UNITS_TEXT], c[WEIR_UNITS_TEXT];
    switch (w->mode) {
    case DCQCN:
        fprintf(w->out,
                "congestion: dcqcn, ai_rate: %s, hai_rate: %s, min_rate: %s, cnp_interval: %gus, "
                "alpha_timer: %gus, rate_timer: %gus, gain: %g, byte_counter: none, fast_recovery: %.0f, "
                "clamp_target: %s",
                rate(w, WI_NS3_RATE_AI, "5Mb/s", a), rate(w, WI_NS3_RATE_HAI, "50Mb/s", b),
                rate(w, WI_NS3_MIN_RATE, "100Mb/s", c),
                bounded(w, WI_NS3_RATE_DECREASE_INTERVAL, 4, 1e-3, 1e6),
                bounded(w, WI_NS3_ALPHA_RESUME_INTERVAL, 55, 1, 1e6),
                bounded(w, WI_NS3_RP_TIMER, 1500, 1, 1e6), bounded(w, WI_NS3_EWMA_GAIN, 1.0 / 16.0, 1e-9, 1),
                1.0 + floor(bounded(w, WI_NS3_FAST_RECOVERY_TIMES, 5, 0, 999)),
                number(w, WI_NS3_CLAMP_TARGET_RATE, 0) != 0 ? "true" : "false");
        break;
    case TIMELY:
        fprintf(w->out, "congestion: timely, segment: %uB, ai_rate: %s, min_rate: %s", w->payload,
                rate(w, WI_NS3_RATE_AI, "5Mb/s", a), rate(w, WI_NS3_MIN_RATE, "100Mb/s", b));
        put_base_rtt(w);
        break;
    case DCTCP:
        fprintf(w->out, "congestion: dctcp");
        break;
    default:
        fprintf(w->out, "congestion: hpcc, ai_rate: %s, min_rate: %s, target_load: %g%%, max_stage: %.0f",
                rate(w, WI_NS3_RATE_AI, "5Mb/s", a), rate(w, WI_NS3_MIN_RATE, "100Mb/s", b),
                100.0 * bounded(w, WI_NS3_U_TARGET, 0.95, 1e-3, 1), bounded(w, WI_NS3_MI_THRESH, 5, 0, 1000));
        put_base_rtt(w);
    }
}

/* The priority group of a list's flows: that of the first; 3 where it has none. */
static uint32_t priority_of(writer *w)
{
    wi_slice line, field[3];
    uint32_t group = 3;
    wi_source source = wi_source_file(w->diag, w->files->flows.opened);
    while (wi_next_line(&source, &line))
        if (wi_split(line, field, 3) >= 3) {
            group = wi_whole_field(&source, field[2], "priority group", 0, 7);
            break;
        }
    const weir_status status = wi_source_close(&source);
    w->status = w->status == WEIR_OK ? status : w->status;
    return group;
}

static void put_traffic(writer *w)
{
    char text[WEIR_UNITS_TEXT];
    const uint32_t group = priority_of(w);
    fprintf(w->out,
            "traffic:\n  - name: flows\n    flows: \"%s\"\n    dscp: %u                # priority group %u\n "
            "   tcp: {",
            w->files->flows.shown, 8 * group, group);
    put_control(w);
    fprintf(w->out, ",\n          recovery: go-back-n, mss: %uB", w->payload);
    put_window(w);
    /* Of packets with all their headers there; max_rate knows no bytes that lines add. */
    if (value(w, WI_NS3_MAX_RATE)->line)
        fprintf(w->out, ", max_rate: %s",
                weir_format_rate((uint64_t)((double)rate_bps(w, WI_NS3_MAX_RATE, "") *
                                            (w->payload + WEIR_HEADERS) / (w->payload + headers(w))),
                                 text));
    fprintf(w->out, "}\n");
}

/* Nodes from one number to another, as a pattern. */
static void put_nodes(writer *w, const char *before, uint32_t from, uint32_t to)
{
    if (from == to)
        fprintf(w->out, "%s\"%u\"", before, from);
    else
        fprintf(w->out, "%s\"[%u-%u]\"", before, from, to);
}

/* Nodes whose packets are traced: captures of their interfaces. Those that the topology lacks are passed over there too, and so is what
 * stands below the last. */
static void put_trace(writer *w)
{
    wi_slice line, word;
    const char *before = "output: # ENABLE_TRACE 1: a file a node and a line, of whole packets; leave it out "
                         "where times are enough\n"
                         "  pcap: [";
    if (!w->files->trace.opened || number(w, WI_NS3_ENABLE_TRACE, 1) == 0)
        return;
    wi_source source = wi_source_file(w->diag, w->files->trace.opened);
    double stated = -1.0, n = 0.0;
    uint32_t from = UINT32_MAX, to = UINT32_MAX;
    while (n != stated && wi_next_line(&source, &line))
        while (n != stated && source.status == WEIR_OK && wi_next_word(&line, &word)) {
            if (stated < 0.0) {
                stated = wi_number_field(&source, word, "number of nodes", 0, 1e9);
                continue;
            }
            const uint32_t node = wi_whole_field(&source, word, "number of a node", 0, UINT32_MAX);
            n++;
            if (node >= w->graph->n_nodes)
                continue;
            if (from != UINT32_MAX && node != to + 1u) {
                put_nodes(w, before, from, to);
                before = ", ";
                from = node;
            }
            from = from == UINT32_MAX ? node : from;
            to = node;
        }
    if (source.status == WEIR_OK && n < stated)
        wi_fail(&source, "the file breaks off after %.0f of %.0f nodes", n, stated);
    const weir_status status = wi_source_close(&source);
    if (w->status == WEIR_OK)
        w->status = status;
    if (from != UINT32_MAX) {
        put_nodes(w, before, from, to);
        fprintf(w->out, "]\n");
    }
}

static void put_all(writer *w)
{
    const wi_ns3_files *f = w->files;
    const double loss = bounded(w, WI_NS3_ERROR_RATE_PER_LINK, 0, 0, 0.999999);
    refuse(w);
    fprintf(w->out, "# Of ns-3's RDMA fork: %s.\nweir: 1\nduration: %.9gs\ntopology:\n  file: \"%s\"\n",
            f->config.shown, bounded(w, WI_NS3_SIMULATOR_STOP_TIME, 3.01, 1e-9, 1e6), f->topology.shown);
    fprintf(w->out, "  overhead: %uB              # %u bytes of header in all\n", headers(w) - WEIR_HEADERS,
            headers(w));
    if (loss > 0) /* topology.loss is of links between routers alone */
        fprintf(w->out, "  links: [{link: '*', loss: %.9g%%}]\n", 100.0 * loss);
    find_wrapped(w);
    put_queues(w);
    put_memory(w);
    put_traffic(w);
    put_trace(w);
    tell(w);
    tell_others(w);
}

weir_status wi_ns3_write(weir_diag *diag, const wi_ns3_files *files, FILE *out)
{
    writer w = {.diag = diag, .files = files, .out = out};
    w.status = weir_topology_load(diag, files->topology.opened, NULL, &w.graph);
    if (w.status != WEIR_OK)
        return w.status;
    w.mode = (int)bounded(&w, WI_NS3_CC_MODE, DCQCN, 0, 1000);
    w.payload = (uint32_t)bounded(&w, WI_NS3_PACKET_PAYLOAD_SIZE, 1000, 1, 65000);
    w.note = open_memstream(&w.notes, &w.notes_size);
    if (!w.note)
        w.status = weir_fail(diag, WEIR_E_NOMEM, "no memory for a scenario");
    if (w.status == WEIR_OK)
        put_all(&w);
    if (w.note)
        fclose(w.note);
    if (w.status == WEIR_OK && w.notes_size > 0)
        fprintf(out, "# Otherwise than in the fork:\n%s", w.notes);
    free(w.notes);
    weir_graph_free(w.graph);
    return w.status;
}
