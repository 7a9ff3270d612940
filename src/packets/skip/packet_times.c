/* Which pending events are the network's own, and the times that packets carry. */
#include "packets/skip/moving.h"

/* Of a class with NET_CLASS_TAGS there is something else above the time. */
void wi_net_move_sent(weir_time by, weir_time *sent_ps, const net_class *c)
{
    const uint64_t at = (uint64_t)*sent_ps, later = at + (uint64_t)by;
    *sent_ps =
        (weir_time)(c->flags & NET_CLASS_TAGS ? (later & NET_SENT_MASK) | (at & ~NET_SENT_MASK) : later);
}

/* Constant rates alone: what comes at random, or by a trace, comes from outside. */
bool wi_net_is_steady_udp(const net_class *c)
{
    return c->udp_pattern == NET_UDP_CBR && c->jitter == 0.0 && c->packet.kind == WEIR_DIST_CONSTANT;
}

void wi_net_move_packet(const net_world *w, weir_time by, net_packet *p)
{
    const net_class *c = net_class_of_flow(w, p->flow);
    if (!(p->flags & NET_ACK))
        wi_net_move_sent(by, &p->u.data.sent_ps, c);
    else if (!(c->flags & NET_CLASS_NDP && p->flags & (NET_NACK | NET_PULL)) &&
             !(c->flags & NET_CLASS_REQUEST && p->flags & NET_REQUEST))
        net_ack_later(p, c, by);
}

static bool is_packet(const weir_event *event)
{
    return event->type == NET_EV_PORT_PACKET || event->type == NET_EV_HOST_PACKET ||
           event->type == NET_EV_SWITCH_PACKET || event->type == NET_EV_PFC_PACKET;
}

void wi_net_move_payload(const wi_net *net, weir_event *event, weir_time span_ps)
{
    if (is_packet(event))
        wi_net_move_packet(wi_net_world(net), span_ps, (net_packet *)(void *)(event + 1));
}

bool wi_net_is_inner(const wi_net *net, const weir_event *event)
{
    const net_world *w = wi_net_world(net);
    switch (event->type) {
    case NET_EV_START:
    case NET_EV_ARRIVAL:
    case NET_EV_ASK:
    case NET_EV_GATE:
    case NET_EV_FEED:
    case NET_EV_PROGRAM:
        return false;
    case NET_EV_UDP_SEND:
        return wi_net_is_steady_udp(net_class_of_flow(w, WEIR_PAYLOAD(net_note, event)->index));
    default:
        return true;
    }
}
