/* IPv4, TCP and UDP headers of simulated packets. RFC 791, 793 (9293), 768, 1071, 2018, 3168, 7323. */
#include "packets/capture/frame.h"

#include <string.h>

#include "net/flow/ack.h"

enum { TCP_FIN = 1, TCP_SYN = 2, TCP_PSH = 8, TCP_ACK = 16, TCP_ECE = 64, TCP_CWR = 128 };
enum {
    OPTION_END = 0,
    OPTION_NOP = 1,
    OPTION_MSS = 2,
    OPTION_SCALE = 3,
    OPTION_SACK_OK = 4,
    OPTION_SACK = 5,
    OPTION_TIME = 8
};

/* The checksum of a transport header at `at`, over RFC 793's pseudo header; the payload is all zero. */
static uint32_t transport_sum(const unsigned char *ip, const unsigned char *at, size_t header,
                              uint32_t payload, int protocol)
{
    return wi_frame_folded(wi_frame_sum16(ip + 12, 8) + (uint64_t)protocol + header + payload +
                           wi_frame_sum16(at, header));
}

static uint32_t receiver_of(const wi_wire_peer *peer, const net_packet *p)
{
    if (!(p->flags & NET_ACK))
        return p->dst;
    if (p->flags & NET_REQUEST)
        return p->u.ask.client;
    if (peer->dst == NET_NONE || (peer->before_dst != NET_NONE && (int32_t)(p->seq - peer->first) < 0))
        return peer->before_dst;
    return peer->dst;
}

static uint32_t port_of(const wi_net *net, const wi_frame *k, bool of_sender)
{
    return wi_wire_port(net, k->p->flow, of_sender);
}

/* ---- TCP ---- */

/* Milliseconds, as hosts commonly count (RFC 7323, 5.4); 0 would stand for none. */
static uint32_t stamp_of(weir_time at_ps)
{
    return (uint32_t)(at_ps / WEIR_PS_PER_MS) + 1u;
}

/* Least shift that lets the class's window into 16 bits. */
static uint32_t window_shift(const net_class *c)
{
    uint32_t shift = 0;
    while (shift < 14 && c->window_bytes >> shift > 65535)
        shift++;
    return shift;
}

static size_t put_syn_options(const net_class *c, unsigned char *at)
{
    size_t n = 0;
    at[n++] = OPTION_MSS;
    at[n++] = 4;
    wi_frame_put16(at + n, c->mss_bytes > 65535 ? 65535 : c->mss_bytes);
    n += 2;
    if (c->flags & NET_CLASS_SACK) {
        at[n++] = OPTION_SACK_OK;
        at[n++] = 2;
    } else {
        at[n++] = OPTION_NOP;
        at[n++] = OPTION_NOP;
    }
    return n;
}

static size_t put_stamps(uint32_t value, uint32_t echo, unsigned char *at)
{
    at[0] = OPTION_TIME;
    at[1] = 10;
    wi_frame_put32(at + 2, value);
    wi_frame_put32(at + 6, echo);
    return 10;
}

/* The right edge of a block. It counts whole segments, and the last may be a short one. */
static uint32_t edge_of(const wi_frame *k, const wi_wire_seen *seen, net_ack_block b)
{
    const uint32_t from = k->p->seq + b.from * k->c->mss_bytes, to = k->p->seq + b.to * k->c->mss_bytes;
    const bool ends = seen->has_end && (int32_t)(seen->end - from) > 0 && (int32_t)(to - seen->end) > 0;
    return ends ? seen->end : to;
}

static size_t put_blocks(const wi_frame *k, const wi_wire_seen *seen, unsigned char *at)
{
    size_t n = 4;
    for (uint32_t i = 0; i < NET_ACK_BLOCKS; i++) {
        const net_ack_block b = net_ack_block_at(k->p, k->c, i);
        if (b.to == b.from)
            break;
        wi_frame_put32(at + n, k->p->seq + b.from * k->c->mss_bytes);
        wi_frame_put32(at + n + 4, edge_of(k, seen, b));
        n += 8;
    }
    if (n == 4)
        return 0;
    at[0] = at[1] = OPTION_NOP;
    at[2] = OPTION_SACK;
    at[3] = (unsigned char)(n - 2);
    return n;
}

static size_t put_options(const wi_frame *k, wi_wire_seen *seen, unsigned char *at)
{
    const bool syn = (k->p->flags & NET_SYN) != 0, pure_ack = k->back && !k->request && !syn;
    size_t n = syn ? put_syn_options(k->c, at) : 2;
    if (!syn)
        at[0] = at[1] = OPTION_NOP;
    const weir_time own_ps = k->p->u.data.sent_ps, sent_ps = k->back ? k->at_ps
                                                             : k->c->flags & NET_CLASS_TAGS
                                                                 ? k->at_ps - net_int_age(own_ps, k->at_ps)
                                                                 : own_ps;
    uint32_t echo = seen->stamp[!k->back];
    if (k->back && !k->request) {
        const weir_time echoed_ps = net_ack_echo(k->p, k->c, k->at_ps);
        echo = stamp_of(echoed_ps > 0 ? echoed_ps : 0);
        /* Between ACKs of one number TS.Recent stands (RFC 7323, section 4.3), whatever these tell of out-of-order packets. */
        if (k->c->flags & NET_CLASS_RATE && seen->has_ack && k->p->seq == seen->acked)
            echo = seen->recent;
        seen->recent = echo;
    }
    n += put_stamps(stamp_of(sent_ps), syn && !k->back ? 0 : echo, at + n);
    seen->stamp[k->back] = stamp_of(sent_ps);
    if (syn) {
        at[n++] = OPTION_NOP;
        at[n++] = OPTION_SCALE;
        at[n++] = 3;
        at[n++] = (unsigned char)window_shift(k->c);
    }
    if (pure_ack && (k->c->flags & NET_CLASS_SACK))
        n += put_blocks(k, seen, at + n);
    return n;
}

/* AccECN's counter in AE, CWR and ECE: what each end has seen marked, from 5 on; in the handshake what both ends offer
 * (RFC 9768, sections 3.1.1 and 3.2.1). */
static uint32_t accurate_flags(const wi_frame *k)
{
    const bool syn = (k->p->flags & NET_SYN) != 0;
    const uint32_t ace = syn ? (k->back ? 2u : 7u) : (k->back ? 5u + net_ack_ace(k->p) : 5u) % NET_ACES;
    return ace << 6;
}

static uint32_t tcp_flags(const wi_frame *k)
{
    const uint8_t f = k->p->flags;
    uint32_t flags = f & NET_SYN ? TCP_SYN | (k->back ? TCP_ACK : 0) : TCP_ACK;
    if (k->request)
        return TCP_ACK | TCP_PSH;
    if (k->c->flags & NET_CLASS_ACE)
        return flags | accurate_flags(k) | (!k->back && f & NET_FIN ? TCP_FIN | TCP_PSH : 0);
    if (k->back)
        return flags | (f & NET_CE ? TCP_ECE : 0) |
               (f & NET_SYN && k->c->flags & NET_CLASS_ECN ? TCP_ECE : 0);
    if (f & NET_SYN && k->c->flags & NET_CLASS_ECN)
        flags |= TCP_ECE | TCP_CWR;
    if (f & NET_FIN)
        flags |= TCP_FIN | TCP_PSH;
    return f & NET_SYN ? flags : flags | (f & NET_CWR ? TCP_CWR : 0);
}

/* Sequence and acknowledgement numbers. */
static void put_numbers(const wi_frame *k, wi_wire_seen *seen, uint32_t payload, unsigned char *at)
{
    const net_packet *p = k->p;
    uint32_t seq = p->seq, ack = 1 + seen->asked;
    if (k->request) {
        ack = seen->has_ack ? seen->acked : 0;
        seq = 1 + (p->seq - 1) * payload;
        seen->asked = seq + payload - 1;
    } else if (k->back) {
        seq = p->flags & NET_SYN ? seen->asked : 1 + seen->asked;
        ack = p->seq + (p->flags & NET_FIN ? 1 : 0);
        seen->acked = ack;
        seen->has_ack = true;
    } else if (p->flags & NET_SYN) {
        seq = p->seq - 1;
        ack = 0;
    } else if (p->flags & NET_FIN) {
        seen->end = seq + payload;
        seen->has_end = true;
    }
    wi_frame_put32(at, seq);
    wi_frame_put32(at + 4, ack);
}

static size_t put_tcp(const wi_net *net, const wi_frame *k, wi_wire_seen *seen, unsigned char *out,
                      uint32_t *payload)
{
    unsigned char *tcp = out + 20;
    const uint32_t shift = k->p->flags & NET_SYN ? 0 : window_shift(k->c);
    const uint32_t window = k->c->window_bytes >> shift;
    *payload = k->p->bytes > NET_HEADER_TCP ? k->p->bytes - NET_HEADER_TCP : 0;
    memset(tcp, 0, 60);
    const size_t header = 20 + put_options(k, seen, tcp + 20);
    wi_frame_ip(k, (uint32_t)(20 + header) + *payload, WI_FRAME_TCP, out);
    wi_frame_put16(tcp, port_of(net, k, !k->back));
    wi_frame_put16(tcp + 2, port_of(net, k, k->back));
    put_numbers(k, seen, *payload, tcp + 4);
    const uint32_t flags = tcp_flags(k);
    tcp[12] = (unsigned char)(header / 4 << 4 | flags >> 8);
    tcp[13] = (unsigned char)flags;
    wi_frame_put16(tcp + 14, window > 65535 ? 65535 : window);
    wi_frame_put16(tcp + 16, transport_sum(out, tcp, header, *payload, WI_FRAME_TCP));
    return 20 + header;
}

static size_t put_udp(const wi_net *net, const wi_frame *k, unsigned char *out, uint32_t *payload)
{
    unsigned char *udp = out + 20;
    *payload = k->p->bytes > NET_HEADER_UDP ? k->p->bytes - NET_HEADER_UDP : 0;
    wi_frame_ip(k, NET_HEADER_UDP + *payload, WI_FRAME_UDP, out);
    wi_frame_put16(udp, port_of(net, k, true));
    wi_frame_put16(udp + 2, port_of(net, k, false));
    wi_frame_put16(udp + 4, 8 + *payload);
    wi_frame_put16(udp + 6, 0);
    const uint32_t sum = transport_sum(out, udp, 8, *payload, WI_FRAME_UDP);
    wi_frame_put16(udp + 6, sum ? sum : 0xffffu); /* 0 would stand for none (RFC 768) */
    return NET_HEADER_UDP;
}

static wi_frame frame_of(const wi_net *net, const wi_wire_peer *peers, const net_packet_record *s)
{
    const net_world *w = wi_net_world(net);
    const net_packet *p = &s->packet;
    const wi_wire_peer *peer = &peers[p->flow];
    const bool back = (p->flags & NET_ACK) != 0;
    return (wi_frame){.c = net_class_of_flow(w, p->flow),
                      .p = p,
                      .sender = NET_ARRAY(w, uint32_t, tx_host)[p->flow],
                      .receiver = receiver_of(peer, p),
                      .first = !back                                 ? p->u.data.first
                               : (int32_t)(p->seq - peer->first) < 0 ? peer->before_first
                                                                     : peer->first,
                      .back = back,
                      .request = back && (p->flags & NET_REQUEST), /* in data it is ECT(1) */
                      .at_ps = s->at_ps};
}

size_t wi_wire_headers(const wi_net *net, const wi_wire_peer *peers, const net_packet_record *s,
                       wi_wire_seen *seen, unsigned char *out, uint32_t *payload)
{
    const wi_frame k = frame_of(net, peers, s);
    if (k.p->flags & NET_UDP)
        return put_udp(net, &k, out, payload);
    if (!(k.c->flags & NET_CLASS_RDMA))
        return put_tcp(net, &k, seen, out, payload);
    *payload = 0;
    return wi_frame_roce(net, &k, out);
}

size_t wi_wire_notification(const wi_net *net, const wi_wire_peer *peers, const net_packet_record *s,
                            wi_wire_seen *seen, unsigned char *out)
{
    const wi_frame k = frame_of(net, peers, s);
    const bool echo = k.back && !k.request && (k.p->flags & NET_CE) && !(k.p->flags & NET_UDP);
    if (!echo || !(k.c->flags & NET_CLASS_RDMA) || k.c->congestion != NET_CC_DCQCN)
        return 0;
    if (seen->notified && k.at_ps - seen->notified_ps < NET_CC_PARAMS(dcqcn, k.c)->cnp_ps)
        return 0;
    seen->notified = true;
    seen->notified_ps = k.at_ps;
    return wi_frame_cnp(net, &k, out);
}

void wi_wire_pause(const net_pause_record *s, unsigned char *out)
{
    static const unsigned char to[] = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x01};
    memset(out, 0, WI_WIRE_PAUSE);
    memcpy(out, to, sizeof to);
    out[6] = 2; /* an address that is administered locally: the port's number */
    wi_frame_put32(out + 8, s->port);
    wi_frame_put16(out + 12, 0x8808); /* MAC control */
    wi_frame_put16(out + 14, 0x0101); /* its opcode */
    wi_frame_put16(out + 16, s->told);
    for (uint32_t i = 0; i < 8; i++)
        wi_frame_put16(out + 18 + 2 * i, s->paused >> i & 1u ? 0xffff : 0);
}
