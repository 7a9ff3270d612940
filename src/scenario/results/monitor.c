/* Gathering what is known of watched flows while the run goes on. */
#include "scenario/results/monitor.h"
#include "base/memory.h"
#include "base/order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/port/capture.h"
#include "scenario/results/under_way.h"

/* A slot of a sender, and whom it serves. */
typedef struct slot_now {
    uint32_t sending;   /* flow that it sends; NET_NONE: none yet */
    uint32_t receiving; /* flow whose data came last to the other end */
    uint32_t first;     /* of the flow begun last, */
    weir_time began_ps; /* and when */
} slot_now;

/* A row of flows.csv. */
typedef struct named {
    uint64_t row;
    weir_time start_ps;
    uint32_t slot;
} named;

struct wi_monitor {
    weir_diag *diag;
    const wi_network *network;
    const char *folder;
    const weir_scenario_monitor *asked;
    bool *watched, *traced; /* [classes] of flow_monitor, and of packets */
    wi_packet_trace *trace; /* null: none */
    uint32_t n_traced;      /* flows in it */
    slot_now *slots;        /* [n_tx] */
    wi_watched *flow;
    uint32_t n, n_ids;
    named *names;
    size_t n_names;
    wi_under_way way;
    bool short_of_memory;
};

static weir_status no_memory(wi_monitor *m)
{
    m->short_of_memory = true;
    return weir_fail(m->diag, WEIR_E_NOMEM, "no memory for watched flows");
}

static bool named_in(const weir_names *names, const char *name)
{
    for (size_t k = 0; k < names->n; k++)
        if (strcmp(names->item[k].text, name) == 0)
            return true;
    return false;
}

bool wi_monitor_asks(const weir_scenario *s, bool *classes)
{
    for (size_t i = 0; i < s->n_traffic; i++)
        classes[i] = named_in(&s->output.flow_monitor.classes, s->traffic[i].name.text) ||
                     named_in(&s->output.packets, s->traffic[i].name.text);
    return s->output.flow_monitor.classes.n > 0 || s->output.packets.n > 0;
}

weir_status wi_monitor_begin(weir_diag *diag, const wi_network *network, const wi_sinks *to, wi_monitor **out)
{
    const weir_scenario *s = network->scenario;
    *out = NULL;
    if ((s->output.flow_monitor.classes.n == 0 && s->output.packets.n == 0) || !to->folder)
        return WEIR_OK;
    wi_monitor *m = *out = calloc(1, sizeof *m);
    if (!m)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for watched flows");
    *m = (wi_monitor){
        .diag = diag, .network = network, .folder = to->folder, .asked = &s->output.flow_monitor};
    m->watched = calloc(s->n_traffic + 1, sizeof *m->watched);
    m->traced = calloc(s->n_traffic + 1, sizeof *m->traced);
    m->slots = malloc(((size_t)network->net->n_tx + 1) * sizeof *m->slots);
    if (!m->watched || !m->traced || !m->slots)
        return no_memory(m);
    for (uint32_t i = 0; i < network->net->n_tx; i++)
        m->slots[i] = (slot_now){.sending = NET_NONE, .receiving = NET_NONE};
    for (size_t i = 0; i < s->n_traffic; i++) {
        m->watched[i] = named_in(&m->asked->classes, s->traffic[i].name.text);
        m->traced[i] = named_in(&s->output.packets, s->traffic[i].name.text);
    }
    return s->output.packets.n ? wi_packet_trace_begin(diag, network, to, &m->trace) : WEIR_OK;
}

/* ---- which flow ---- */

static const net_world *world(const wi_monitor *m)
{
    return wi_net_world(m->network->net);
}

static uint32_t class_of(const wi_monitor *m, uint32_t slot)
{
    return NET_ARRAY(world(m), uint16_t, tx_class)[slot];
}

/* A new one; NET_NONE when memory is short. Its direction's first packet gives it an id. */
static uint32_t new_flow(wi_monitor *m, const wi_watched *flow)
{
    if (!wi_grow_one(&m->flow, m->n, sizeof *m->flow)) {
        (void)no_memory(m);
        return NET_NONE;
    }
    m->flow[m->n] = *flow;
    return m->n++;
}

/* The flow that data of a slot belong to, which begin at `first`. A connection that answers requests is one flow, whatever it
 * answers. */
static uint32_t data_flow(wi_monitor *m, uint32_t slot, uint32_t first, uint32_t dst)
{
    slot_now *s = &m->slots[slot];
    const uint32_t flags = net_class_at(world(m), class_of(m, slot))->flags;
    const bool one = (flags & (NET_CLASS_UDP | NET_CLASS_REQUEST)) != 0;
    if (s->sending != NET_NONE && (one || m->flow[s->sending].first == first))
        return s->sending;
    s->sending = new_flow(m, &(wi_watched){.slot = slot,
                                           .src = NET_ARRAY(world(m), uint32_t, tx_host)[slot],
                                           .dst = dst,
                                           .partner = NET_NONE,
                                           .first = first,
                                           .began_ps = one || s->first != first ? 0 : s->began_ps});
    return s->sending;
}

/* The flow of what goes from the receiver of data, host `from`, to their sender. */
static uint32_t ack_flow(wi_monitor *m, uint32_t slot, uint32_t from)
{
    slot_now *s = &m->slots[slot];
    if (s->receiving == NET_NONE) /* a request, before the first reply */
        s->receiving = data_flow(m, slot, 0, from);
    if (s->receiving == NET_NONE || m->flow[s->receiving].partner != NET_NONE)
        return s->receiving == NET_NONE ? NET_NONE : m->flow[s->receiving].partner;
    const wi_watched data = m->flow[s->receiving];
    const uint32_t acks = new_flow(m, &(wi_watched){.slot = slot,
                                                    .src = data.dst,
                                                    .dst = data.src,
                                                    .partner = NET_NONE,
                                                    .first = data.first,
                                                    .acks = true,
                                                    .began_ps = data.began_ps});
    if (acks != NET_NONE)
        m->flow[s->receiving].partner = acks;
    return acks;
}

/* ---- what happens to a packet ---- */

static void add_time(wi_time_sum *sum, weir_time ps)
{
    const uint64_t more_ps = sum->ps + (uint64_t)ps % 1000u;
    sum->ns += (uint64_t)ps / 1000u + more_ps / 1000u;
    sum->ps = (uint32_t)(more_ps % 1000u);
}

static void count(wi_monitor *m, wi_histogram *h, weir_time value, weir_time width)
{
    if (!wi_histogram_add(h, (uint64_t)(value / width)) && !m->short_of_memory)
        (void)no_memory(m);
}

static void sent(wi_monitor *m, const net_packet_record *s, weir_time at_ps)
{
    const net_packet *p = &s->packet;
    const uint32_t i =
        p->flags & NET_ACK ? ack_flow(m, p->flow, s->port) : data_flow(m, p->flow, p->u.data.first, p->dst);
    const uint32_t cls = class_of(m, p->flow);
    const bool counted = m->watched[cls] && at_ps >= m->network->scenario->output.warmup_ps;
    if (i == NET_NONE || !(counted || m->traced[cls]))
        return;
    wi_watched *f = &m->flow[i];
    if (counted) {
        f->id = f->id ? f->id : ++m->n_ids;
        f->first_sent_ps = f->sent ? f->first_sent_ps : at_ps;
        f->last_sent_ps = at_ps;
        f->sent++;
        f->sent_bytes += p->bytes;
    }
    if (!wi_under_way_add(&m->way, p, at_ps, i, counted))
        (void)no_memory(m);
}

static void lost(wi_monitor *m, const net_packet_record *s)
{
    static const enum wi_drop_reason reasons[] = {
        [NET_DROP_LIMIT] = WI_DROP_QUEUE,         [NET_DROP_EARLY] = WI_DROP_QUEUE_DISC,
        [NET_DROP_LOSS] = WI_DROP_REASONS,        [NET_DROP_TTL] = WI_DROP_TTL,
        [NET_DROP_LINK_DOWN] = WI_DROP_LINK_DOWN, [NET_DROP_NO_ROUTE] = WI_DROP_NO_ROUTE};
    const wi_on_way *p = wi_under_way_find(&m->way, &s->packet);
    if (!p)
        return; /* sent within the warm-up, or a link's duplicate of one that has come */
    wi_watched *f = &m->flow[p->flow];
    const enum wi_drop_reason why = reasons[s->verdict];
    f->lost += p->counted;
    if (p->counted && why < WI_DROP_REASONS) {
        f->dropped[why]++;
        f->dropped_bytes[why] += s->packet.bytes;
    }
    wi_under_way_remove(&m->way, p);
}

/* A packet that counts has come. */
static void count_come(wi_monitor *m, const net_packet_record *s, const wi_on_way *p)
{
    wi_watched *f = &m->flow[p->flow];
    const weir_time delay_ps = s->at_ps - p->sent_ps;
    add_time(&f->delay, delay_ps);
    count(m, &f->delays, delay_ps, m->asked->delay_bin_ps);
    if (f->come > 0) {
        const weir_time jitter_ps =
            delay_ps > f->last_delay_ps ? delay_ps - f->last_delay_ps : f->last_delay_ps - delay_ps;
        add_time(&f->jitter, jitter_ps);
        count(m, &f->jitters, jitter_ps, m->asked->jitter_bin_ps);
        if (s->at_ps - f->last_come_ps > m->asked->interruption_ps)
            count(m, &f->interruptions, s->at_ps - f->last_come_ps, m->asked->interruption_bin_ps);
    } else {
        f->first_come_ps = s->at_ps;
    }
    count(m, &f->sizes, s->packet.bytes, (weir_time)m->asked->size_bin_bytes);
    f->last_come_ps = s->at_ps;
    f->last_delay_ps = delay_ps;
    f->come++;
    f->come_bytes += s->packet.bytes;
    f->forwarded += p->hops;
}

static void come(wi_monitor *m, const net_packet_record *s)
{
    if (!(s->packet.flags & NET_ACK))
        m->slots[s->packet.flow].receiving =
            data_flow(m, s->packet.flow, s->packet.u.data.first, s->packet.dst);
    const wi_on_way *p = wi_under_way_find(&m->way, &s->packet);
    if (!p)
        return;
    if (p->counted)
        count_come(m, s, p);
    wi_under_way_remove(&m->way, p);
}

/* What becomes of the packet here, for the trace; before it is forgotten. */
static void trace(wi_monitor *m, const net_packet_record *s)
{
    static const wi_fate fates[] = {[NET_ACCEPT] = WI_FATE_SENT,
                                    [NET_MARK] = WI_FATE_MARKED,
                                    [NET_DROP_LIMIT] = WI_FATE_FULL,
                                    [NET_DROP_EARLY] = WI_FATE_EARLY,
                                    [NET_DROP_LOSS] = WI_FATE_LOST,
                                    [NET_DROP_TTL] = WI_FATE_TTL,
                                    [NET_DROP_LINK_DOWN] = WI_FATE_LINK_DOWN,
                                    [NET_DROP_NO_ROUTE] = WI_FATE_NO_ROUTE};
    const net_packet *k = &s->packet;
    wi_on_way *p = wi_under_way_find(&m->way, k);
    if (!p || !m->traced[class_of(m, k->flow)])
        return;
    wi_watched *f = &m->flow[p->flow];
    f->trace = f->trace ? f->trace : ++m->n_traced;
    const bool data = !(k->flags & NET_ACK), marked = data && ((k->flags & NET_CE) || net_is_trimmed(k));
    const bool on_line = !s->received && (s->verdict <= NET_MARK || s->verdict == NET_DROP_LOSS);
    const bool here = on_line && marked && !p->marked; /* disciplines at departure mark before they send */
    const wi_traced at = {.flow = f->trace - 1,
                          .port = s->port,
                          .seq = data && !(k->flags & NET_UDP)    ? k->seq - k->u.data.first
                                 : data || k->flags & NET_REQUEST ? k->seq
                                                                  : k->seq - f->first,
                          .bytes = k->bytes,
                          .marked = marked,
                          .on_line = on_line,
                          .came_ps = s->at_ps - (s->received ? 0 : s->wait_ps),
                          .wait_ps = s->wait_ps,
                          .sent_ps = s->at_ps,
                          .fate = s->received                        ? WI_FATE_RECEIVED
                                  : here && s->verdict == NET_ACCEPT ? WI_FATE_MARKED
                                                                     : fates[s->verdict]};
    p->marked = p->marked || (on_line && marked);
    m->short_of_memory |= wi_packet_trace_put(m->trace, &at) != WEIR_OK;
}

weir_status wi_monitor_packet(wi_monitor *m, const net_packet_record *s, uint32_t entity)
{
    const uint32_t hosts = m->network->net->n_hosts;
    const uint32_t cls = class_of(m, s->packet.flow);
    if ((!m->watched[cls] && !m->traced[cls]) ||
        (s->received && entity >= hosts)) /* at a router: for a capture */
        return WEIR_OK;
    if (!s->received && s->port < hosts && s->verdict <= NET_DROP_LOSS)
        sent(m, s, s->at_ps - s->wait_ps);
    if (m->trace)
        trace(m, s);
    wi_on_way *p = NULL;
    if (s->received)
        come(m, s);
    else if (s->verdict >= NET_DROP_LIMIT)
        lost(m, s);
    else if (s->port >= hosts && (p = wi_under_way_find(&m->way, &s->packet)) != NULL)
        p->hops++;
    return m->short_of_memory ? WEIR_E_NOMEM : WEIR_OK;
}

void wi_monitor_flow(wi_monitor *m, const net_flow_record *f, weir_time now_ps)
{
    m->slots[f->flow].first = f->first;
    m->slots[f->flow].began_ps = now_ps;
}

weir_status wi_monitor_rtt(wi_monitor *m, const net_rtt_record *s, weir_time now_ps)
{
    const uint32_t i = m->slots[s->flow].sending;
    if (i != NET_NONE && now_ps >= m->network->scenario->output.warmup_ps && m->watched[class_of(m, s->flow)])
        count(m, &m->flow[i].round_trips, s->rtt_ps, m->asked->rtt_bin_ps);
    return m->short_of_memory ? WEIR_E_NOMEM : WEIR_OK;
}

/* ---- the end ---- */

void wi_monitor_name(wi_monitor *m, uint32_t slot, weir_time start_ps, uint64_t row)
{
    const uint32_t cls = class_of(m, slot), flags = net_class_at(world(m), cls)->flags;
    if ((!m->watched[cls] && !m->traced[cls]) || flags & NET_CLASS_REQUEST)
        return; /* each reply is a row, and the connection one flow */
    if (!wi_grow_one(&m->names, m->n_names, sizeof *m->names)) {
        (void)no_memory(m);
        return;
    }
    m->names[m->n_names++] =
        (named){.row = row, .start_ps = flags & NET_CLASS_UDP ? 0 : start_ps, .slot = slot};
}

WI_ORDER_BY(by_slot, named, WI_ORDER(x->slot, y->slot) ?: WI_ORDER(x->start_ps, y->start_ps))

/* The row of a flow, UINT64_MAX where it has none: the last that began in its slot by then, as flows that start together at a host do
 * so a few at a time, 1 ps apart. */
static uint64_t row_of(const wi_monitor *m, const wi_watched *f)
{
    const named key = {.slot = f->slot, .start_ps = f->began_ps};
    const size_t behind = WI_FIRST(i, m->n_names, by_slot(&m->names[i], &key) > 0);
    return behind > 0 && m->names[behind - 1].slot == f->slot ? m->names[behind - 1].row : UINT64_MAX;
}

/* "CLASS FROM->TO data"; null when memory is short. */
static char *name_of(const wi_monitor *m, const wi_watched *f)
{
    char from[300], to[300];
    const char *cls = m->network->plan.classes[class_of(m, f->slot)].name;
    wi_host_name(m->network, f->src, from, sizeof from);
    wi_host_name(m->network, f->dst, to, sizeof to);
    const size_t size = strlen(cls) + strlen(from) + strlen(to) + 12;
    char *name = malloc(size);
    if (name)
        snprintf(name, size, "%s %s->%s %s", cls, from, to, f->acks ? "acks" : "data");
    return name;
}

static weir_status write_trace(wi_monitor *m, const uint64_t *row)
{
    WI_FREED wi_traced_flow *flows = calloc((size_t)m->n_traced + 1, sizeof *flows);
    weir_status status = flows ? WEIR_OK : no_memory(m);
    for (uint32_t i = 0; i < m->n && status == WEIR_OK; i++) {
        const uint32_t at = m->flow[i].trace;
        if (at == 0)
            continue;
        flows[at - 1] = (wi_traced_flow){name_of(m, &m->flow[i]), row[i]};
        status = flows[at - 1].name ? WEIR_OK : no_memory(m);
    }
    status = status ?: wi_packet_trace_write(m->trace, flows, m->n_traced);
    for (uint32_t i = 0; flows && i < m->n_traced; i++)
        free(flows[i].name);
    return status;
}

weir_status wi_monitor_write(wi_monitor *m)
{
    uint64_t *row = malloc(((size_t)m->n + 1) * sizeof *row);
    uint32_t *by_id = malloc(((size_t)m->n_ids + 1) * sizeof *by_id);
    weir_status status = row && by_id && !m->short_of_memory ? WEIR_OK : no_memory(m);
    if (status == WEIR_OK && m->n_names > 0)
        qsort(m->names, m->n_names, sizeof *m->names, by_slot);
    for (uint32_t i = 0; i < m->n && status == WEIR_OK; i++) {
        row[i] = row_of(m, &m->flow[i]);
        if (m->flow[i].id)
            by_id[m->flow[i].id - 1] = i;
    }
    if (status == WEIR_OK && m->trace)
        status = write_trace(m, row);
    const wi_monitor_view view = {
        .network = m->network, .flow = m->flow, .row = row, .by_id = by_id, .n = m->n, .n_ids = m->n_ids};
    const bool any = m->asked->classes.n > 0;
    if (status == WEIR_OK && any)
        status = wi_monitor_write_xml(m->diag, m->folder, &view);
    if (status == WEIR_OK && any)
        status = wi_monitor_write_csv(m->diag, m->folder, &view);
    free(row);
    free(by_id);
    return status;
}

/* ---- checkpoints ---- */

static void archive_flow(wi_archiver *k, wi_watched *f)
{
    wi_histogram *const of[] = {&f->delays, &f->jitters, &f->sizes, &f->interruptions, &f->round_trips};
    wi_histogram had[sizeof of / sizeof *of];
    bool acks = f->acks;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        had[i] = *of[i];
        *of[i] = (wi_histogram){0}; /* a file has no addresses */
    }
    f->acks = false;
    wi_archive(k, f, sizeof *f);
    wi_archive_flag(k, &acks);
    f->acks = acks;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        *of[i] = had[i];
        wi_histogram_archive(of[i], k);
    }
}

static bool is_flow(const wi_monitor *m, uint32_t flow)
{
    return flow < m->n || flow == NET_NONE;
}

/* What handling indexes by. */
static void check_read(const wi_monitor *m, wi_archiver *k)
{
    bool sound = m->n_ids <= m->n && m->n_traced <= m->n;
    for (uint32_t i = 0; i < m->network->net->n_tx; i++)
        sound = sound && is_flow(m, m->slots[i].sending) && is_flow(m, m->slots[i].receiving);
    for (uint32_t i = 0; i < m->n; i++) {
        const wi_watched *f = &m->flow[i];
        sound = sound && is_flow(m, f->partner) && f->slot < m->network->net->n_tx && f->id <= m->n_ids &&
                f->trace <= m->n_traced && f->src < m->network->net->n_hosts &&
                f->dst < m->network->net->n_hosts;
    }
    if (!sound)
        wi_archiver_fail(
            k, weir_fail(k->diag, WEIR_E_FORMAT, "damaged: flows that cannot be, in section 'watched'"));
}

void wi_monitor_archive(wi_monitor *m, wi_archiver *k)
{
    wi_archive_section(k, "watched");
    wi_archive(k, m->slots, m->network->net->n_tx * sizeof *m->slots);
    wi_archive(k, &m->n_ids, sizeof m->n_ids);
    wi_archive(k, &m->n_traced, sizeof m->n_traced);
    wi_archive_array(k, &m->names, &m->n_names, sizeof *m->names);
    const uint64_t n = wi_archive_count(k, m->n, sizeof *m->flow);
    for (uint64_t i = 0; i < n && k->status == WEIR_OK; i++) {
        if (wi_archiver_reads(k) && new_flow(m, &(wi_watched){0}) == NET_NONE)
            wi_archiver_fail(k, WEIR_E_NOMEM);
        else
            archive_flow(k, &m->flow[i]);
    }
    if (wi_archiver_reads(k))
        check_read(m, k);
    wi_under_way_archive(&m->way, m->n, k);
    if (m->trace)
        wi_packet_trace_archive(m->trace, k);
}

void wi_monitor_free(wi_monitor *m)
{
    if (!m)
        return;
    for (uint32_t i = 0; i < m->n; i++) {
        wi_histogram_free(&m->flow[i].delays);
        wi_histogram_free(&m->flow[i].jitters);
        wi_histogram_free(&m->flow[i].sizes);
        wi_histogram_free(&m->flow[i].interruptions);
        wi_histogram_free(&m->flow[i].round_trips);
    }
    wi_under_way_free(&m->way);
    free(m->flow);
    free(m->names);
    wi_packet_trace_free(m->trace);
    free(m->slots);
    free(m->watched);
    free(m->traced);
    free(m);
}
