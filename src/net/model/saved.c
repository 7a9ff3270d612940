/*
 * Endpoints and events of a network as a checkpoint has them: every index and count that handlers use without looking.
 *
 * Slots that no flow has had are zeros, whose class need not be the slot's; nothing is asked of these.
 */
#include "net/model/model.h"

#include "net/host/host.h"

typedef struct view {
    const weir_saved_view *saved;
    const net_world *w;
} view;

static view view_of(const weir_saved_view *saved)
{
    return (view){saved, (const net_world *)saved->world};
}

static const net_tx *tx_at(const view *v, uint32_t flow)
{
    return (const net_tx *)(const void *)v->saved->pool[NET_POOL_TX] + flow;
}

static bool in_slice(const view *v, int pool, uint32_t host, uint32_t index)
{
    const uint32_t *first = v->saved->pool_first[pool];
    return first && index >= first[host] && index < first[host + 1];
}

/* Where the receiver of a flow begins to look (net_rx_find), or the inlet of a job's message. */
static bool hint_fits(const view *v, const net_class *c, uint32_t hint, uint32_t dst)
{
    if (c->flags & NET_CLASS_JOB)
        return net_hint_slot(v->w, hint) < NET_ARRAY(v->w, uint32_t, host_inlets)[dst];
    hint &= ~NET_HINT_KNOWN;
    return in_slice(v, NET_POOL_RX, dst, net_hint_slot(v->w, hint));
}

/* ---- slots ---- */

static bool window_fits(const view *v, const net_tx *tx, const net_class *c)
{
    const uint32_t bits = 64u * c->map_words;
    const bool rack = (c->flags & NET_CLASS_RACK) != 0;
    return tx->n_out <= bits && tx->n_sacked <= tx->n_out && tx->n_lost <= tx->n_out && tx->lost_to <= bits &&
           tx->sack_top <= bits && (rack || tx->again_to <= bits) && tx->n_runs <= NET_RUNS &&
           (NET_TX_ROWS(c->flags) == 0 || tx->base < bits) && tx->nxt - tx->una <= bits * c->mss_bytes &&
           tx->map == NET_ARRAY(v->w, uint32_t, tx_map)[tx - tx_at(v, 0)];
}

static const uint64_t *window_words(const view *v, uint32_t first)
{
    return (const uint64_t *)(const void *)v->saved->pool[NET_POOL_WINDOW] + first;
}

/* What a control's own state indexes: the ring of a delivery rate's marks. */
static bool control_fits(const view *v, const net_tx *tx, const net_class *c)
{
    const void *own =
        window_words(v, tx->map + NET_TX_ROWS(c->flags) * c->map_words + NET_TX_WORDS(c->flags));
    const net_rate *rate = c->congestion == NET_CC_BBR    ? &((const net_bbr *)own)->rate
                           : c->congestion == NET_CC_BBR3 ? &((const net_bbr3 *)own)->rate
                                                          : NULL;
    return !rate || (rate->head < NET_RATE_MARKS && rate->n <= NET_RATE_MARKS);
}

static bool tx_fits(const view *v, uint32_t flow)
{
    const net_tx *tx = tx_at(v, flow);
    if (tx->next > v->w->n_tx || tx->state > NET_TX_DONE)
        return false;
    if (tx->state == NET_TX_FREE)
        return tx->cls < v->w->n_classes;
    const net_class *c = net_class_of_flow(v->w, flow);
    return tx->cls == NET_ARRAY(v->w, uint16_t, tx_class)[flow] && tx->dst < v->w->n_hosts &&
           hint_fits(v, c, tx->rx_hint, tx->dst) &&
           (tx->state == NET_TX_UDP || (window_fits(v, tx, c) && control_fits(v, tx, c))) &&
           (c->udp_pattern != NET_UDP_TRACE || !(c->flags & NET_CLASS_UDP) || tx->size <= c->own_n);
}

static bool rx_fits(const view *v, uint32_t slot)
{
    const net_rx *rx = (const net_rx *)(const void *)v->saved->pool[NET_POOL_RX] + slot;
    if (rx->session > v->w->n_sessions || rx->flow > v->w->n_tx || rx->cls >= v->w->n_classes)
        return false;
    if (rx->flow == 0)
        return true;
    const net_class *c = net_class_of_flow(v->w, rx->flow - 1);
    const uint32_t bits = 64u * c->map_words;
    return rx->cls == NET_ARRAY(v->w, uint16_t, tx_class)[rx->flow - 1] &&
           rx->sender == NET_ARRAY(v->w, uint32_t, tx_host)[rx->flow - 1] &&
           ((c->flags & NET_CLASS_UDP) ||
            (rx->n_ooo <= bits && rx->map == NET_ARRAY(v->w, uint32_t, rx_map)[slot] &&
             (bits == 0 || rx->base < bits)));
}

/* The rung of a session's player, and its ring of samples. */
static bool player_fits(const view *v, const net_class *c, uint32_t rx)
{
    if (!(c->flags & NET_CLASS_VIDEO))
        return true;
    const net_player *p = (const net_player *)(const void *)window_words(
        v, NET_ARRAY(v->w, uint32_t, rx_map)[rx] + c->map_words);
    const net_video *video = net_video_of(v->w, c);
    return p->rung < video->n_rungs && p->phase <= NET_PLAYER_OVER && p->n <= video->samples &&
           p->at < (video->samples ? video->samples : 1);
}

static bool session_fits(const view *v, uint32_t index)
{
    const net_session *s = (const net_session *)(const void *)v->saved->pool[NET_POOL_SESSION] + index;
    return s->server < v->w->n_hosts && s->server_tx < v->w->n_tx && s->rx < v->w->n_rx &&
           s->cls < v->w->n_classes && player_fits(v, net_class_at(v->w, s->cls), s->rx);
}

/* Its free slots are its own, each once. */
static bool generator_fits(const view *v, uint32_t index)
{
    const net_generator *g = NET_ARRAY(v->w, net_generator, generators) + index;
    const net_generator_state *s =
        (const net_generator_state *)(const void *)v->saved->pool[NET_POOL_GENERATOR] + index;
    uint32_t n = 0;
    for (uint32_t at = s->free_head; at != 0; at = tx_at(v, at - 1)->next)
        if (at - 1 < g->first_tx || at - 1 - g->first_tx >= g->n_tx || n++ == g->n_tx)
            return false;
    return s->next_dst < (g->n_dst ? g->n_dst : 1);
}

/* Flows that wait for their turns (turn.h): a ring of its own, each once. */
static bool ring_fits(const view *v, uint32_t host, uint32_t last)
{
    const uint32_t *first = NET_ARRAY(v->w, uint32_t, tx_first) + host;
    uint32_t n = 0, at = last;
    do {
        if (at == 0)
            return last == 0;
        if (!in_slice(v, NET_POOL_TX, host, at - 1) || tx_at(v, at - 1)->state == NET_TX_FREE ||
            n++ == first[1] - first[0])
            return false;
        at = tx_at(v, at - 1)->next;
    } while (at != last);
    return true;
}

/* Flows that wait for their pulls (pull.h). */
static bool pulls_fit(const view *v, uint32_t host)
{
    if (!v->w->pulls)
        return true;
    const uint64_t *words = (const uint64_t *)(const void *)v->saved->pool[NET_POOL_HOST_WORDS];
    const net_pulls *p = (const net_pulls *)(const void *)(words + NET_ARRAY(v->w, uint32_t, pulls)[host]);
    const uint32_t *ring = (const uint32_t *)(const void *)(p + 1),
                   *first = NET_ARRAY(v->w, uint32_t, rx_first) + host, size = first[1] - first[0];
    if (p->count > size || p->head >= (size ? size : 1))
        return false;
    for (uint32_t i = 0; i < p->count; i++)
        if (!in_slice(v, NET_POOL_RX, host, ring[(p->head + i) % size]))
            return false;
    return true;
}

const char *wi_net_wrong_state(const weir_saved_view *saved)
{
    const view v = view_of(saved);
    const net_host *hosts = (const net_host *)(const void *)saved->state[NET_KIND_HOST];
    for (uint32_t i = 0; i < v.w->n_hosts; i++)
        if (hosts[i].next_start > NET_ARRAY(v.w, net_host_params, hosts)[i].n_starts || !pulls_fit(&v, i) ||
            !ring_fits(&v, i, hosts[i].ring))
            return "a host";
    for (uint32_t i = 0; i < v.w->n_tx; i++)
        if (!tx_fits(&v, i))
            return "a flow's sender";
    for (uint32_t i = 0; i < v.w->n_rx; i++)
        if (!rx_fits(&v, i))
            return "a flow's receiver";
    for (uint32_t i = 0; i < v.w->n_sessions; i++)
        if (!session_fits(&v, i))
            return "a client";
    for (uint32_t i = 0; i < v.w->n_generators; i++)
        if (!generator_fits(&v, i))
            return "a source of flows";
    if (v.w->jobs && !wi_net_programs_fit(saved))
        return "a rank of a job";
    return wi_net_wrong_queues(saved);
}

/* ---- events ---- */

static bool packet_fits(const view *v, const net_packet *p)
{
    if (p->flow >= v->w->n_tx || p->bytes < NET_PACKET_LEAST)
        return false;
    const net_class *c = net_class_of_flow(v->w, p->flow);
    const uint32_t sender = NET_ARRAY(v->w, uint32_t, tx_host)[p->flow];
    if (p->flags & NET_ACK) {
        const bool asks = (p->flags & NET_REQUEST) && (c->flags & NET_CLASS_REQUEST);
        return (v->w->ecmp || p->dst == sender) &&
               (!asks ||
                (p->u.ask.client < v->w->n_hosts && in_slice(v, NET_POOL_RX, p->u.ask.client, p->u.ask.rx)));
    }
    return p->dst < v->w->n_hosts && hint_fits(v, c, p->u.data.rx_hint, p->dst) &&
           ((p->flags & NET_UDP) != 0) == ((c->flags & NET_CLASS_UDP) != 0);
}

/* At a host: for a flow that it sends, or that comes to it. */
static bool has_come(const net_packet *p, uint32_t host)
{
    return p->flags & NET_ACK || p->dst == host;
}

/* Ports of the switch whose first one is this entity; 0: it is none. */
static uint32_t ports_of_switch(const view *v, uint32_t entity)
{
    const uint32_t router = NET_ARRAY(v->w, uint32_t, port_router)[entity - v->w->n_hosts];
    return NET_ARRAY(v->w, uint32_t, router_port)[router] == entity
               ? NET_ARRAY(v->w, uint32_t, router_ports)[router]
               : 0;
}

/* One of a host's gates, and no start or feed beyond its last. */
static bool gate_fits(const view *v, uint32_t host, const net_note *note)
{
    if (!v->w->gates)
        return false;
    const uint32_t *first = NET_ARRAY(v->w, uint32_t, gate_first) + host;
    const net_gate *g = NET_ARRAY(v->w, net_gate, gates) + note->index;
    return note->index >= first[0] && note->index < first[1] && note->arg <= g->n_starts + g->n_feeds;
}

/* Whether departures of a host's interface are events. */
static bool departs(const view *v, uint32_t host)
{
    const net_link *nic = &NET_ARRAY(v->w, net_host_params, hosts)[host].nic;
    return nic->turns || NET_ARRAY(v->w, net_queue, queues)[nic->queue].departs;
}

static bool note_fits(const view *v, const weir_event *event, const net_note *note)
{
    const uint32_t at = event->target;
    switch (event->type) {
    case NET_EV_ARRIVAL:
        return in_slice(v, NET_POOL_GENERATOR, at, note->index);
    case NET_EV_SEND:
    case NET_EV_TX_TIMER:
    case NET_EV_UDP_SEND:
        return in_slice(v, NET_POOL_TX, at, note->index) && tx_at(v, note->index)->state != NET_TX_FREE;
    case NET_EV_RX_TIMER:
        return in_slice(v, NET_POOL_RX, at, note->index);
    case NET_EV_ASK:
        return in_slice(v, NET_POOL_SESSION, at, note->index);
    case NET_EV_FEED:
        if (note->arg == NET_FEED_INLET)
            return v->w->jobs && note->index < NET_ARRAY(v->w, uint32_t, host_inlets)[at];
        return gate_fits(v, at, note);
    case NET_EV_GATE:
        return gate_fits(v, at, note);
    case NET_EV_PROGRAM:
        return v->w->jobs && wi_net_program_fits(v->w, at, note);
    case NET_EV_HOST_DEPART:
        return departs(v, at);
    case NET_EV_PULL:
        return v->w->pulls != 0;
    case NET_EV_HOST_PAUSE:
        return v->w->pfc_lines != 0;
    case NET_EV_PFC_DEPART:
        return v->w->pfc_lines != 0 && note->index < ports_of_switch(v, at);
    case NET_EV_PFC_PAUSE:
        return v->w->pfc_lines != 0 && note->index >= at && note->index - at < ports_of_switch(v, at);
    default:
        return true;
    }
}

bool wi_net_event_fits(const weir_saved_view *saved, const weir_event *event)
{
    const view v = view_of(saved);
    switch (event->type) {
    case NET_EV_PORT_PACKET:
    case NET_EV_SWITCH_PACKET:
        return packet_fits(&v, WEIR_PAYLOAD(net_packet, event));
    case NET_EV_HOST_PACKET:
        return packet_fits(&v, WEIR_PAYLOAD(net_packet, event)) &&
               has_come(WEIR_PAYLOAD(net_packet, event), event->target);
    case NET_EV_PFC_PACKET:
        return v.w->pfc_lines != 0 && ports_of_switch(&v, event->target) > 0 &&
               packet_fits(&v, WEIR_PAYLOAD(net_packet, event));
    default:
        break;
    }
    const net_note *note = WEIR_PAYLOAD(net_note, event);
    return note_fits(&v, event, note);
}
