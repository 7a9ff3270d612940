/* IPv4, TCP and UDP headers of simulated packets. RFC 791, 793 (9293), 768, 1071, 2018, 3168, 7323. */
#include "net/capture/wire.h"

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
enum { IP_TCP = 6, IP_UDP = 17 };

uint32_t wi_wire_address(uint32_t host)
{
    return (UINT32_C(10) << 24) + host + 1u;
}

static void put16(unsigned char *at, uint32_t value)
{
    at[0] = (unsigned char)(value >> 8);
    at[1] = (unsigned char)value;
}

static void put32(unsigned char *at, uint32_t value)
{
    put16(at, value >> 16);
    put16(at + 2, value & 0xffffu);
}

/* Sum of 16-bit words for RFC 1071's checksum; an odd last byte counts as a word's first. */
static uint64_t sum16(const unsigned char *at, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i + 1 < n; i += 2)
        sum += (uint64_t)at[i] << 8 | at[i + 1];
    return n % 2 ? sum + ((uint64_t)at[n - 1] << 8) : sum;
}

static uint32_t folded(uint64_t sum)
{
    while (sum >> 16)
        sum = (sum & 0xffffu) + (sum >> 16);
    return (uint32_t)~sum & 0xffffu;
}

/* The checksum of a transport header at `at`, over RFC 793's pseudo header; the payload is all zero. */
static uint32_t transport_sum(const unsigned char *ip, const unsigned char *at, size_t header,
                              uint32_t payload, int protocol)
{
    return folded(sum16(ip + 12, 8) + (uint64_t)protocol + header + payload + sum16(at, header));
}

/* What a packet is, for all that follows. */
typedef struct wire_packet {
    const net_class *c;
    const net_packet *p;
    uint32_t sender, receiver; /* host entities of the flow */
    bool back;                 /* from the receiver to the sender */
    bool request;
    weir_time at_ps;
} wire_packet;

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

uint32_t wi_wire_port(const wi_net *net, uint32_t slot, bool of_sender)
{
    const net_world *w = wi_net_world(net);
    const uint32_t cls = NET_ARRAY(w, uint16_t, tx_class)[slot],
                   sender = NET_ARRAY(w, uint32_t, tx_host)[slot];
    const bool asked = of_sender == ((net_class_at(w, cls)->flags & NET_CLASS_REQUEST) != 0);
    return asked ? 5001u + cls % 27000u : 32768u + (slot - NET_ARRAY(w, uint32_t, tx_first)[sender]) % 28000u;
}

static uint32_t port_of(const wi_net *net, const wire_packet *k, bool of_sender)
{
    return wi_wire_port(net, k->p->flow, of_sender);
}

static size_t put_ip(const wi_net *net, const wire_packet *k, uint32_t length, int protocol,
                     unsigned char *out)
{
    const net_packet *p = k->p;
    const bool marks = (p->flags & NET_ACK) == 0;
    const uint32_t ecn = !marks || !(p->flags & (NET_ECT | NET_CE)) ? 0 : p->flags & NET_CE ? 3 : 2;
    (void)net;
    memset(out, 0, 20);
    out[0] = 0x45;
    out[1] = (unsigned char)ecn;
    put16(out + 2, length > 65535 ? 65535 : length);
    put16(out + 4,
          (p->seq * 2654435761u + p->flow) >> 16); /* of a fragment, which there is none of (RFC 6864) */
    put16(out + 6, 0x4000);                        /* don't fragment */
    out[8] = p->ttl;
    out[9] = (unsigned char)protocol;
    put32(out + 12, wi_wire_address(k->back ? k->receiver : k->sender));
    put32(out + 16, wi_wire_address(k->back ? k->sender : k->receiver));
    put16(out + 10, folded(sum16(out, 20)));
    return 20;
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
    put16(at + n, c->mss_bytes > 65535 ? 65535 : c->mss_bytes);
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
    put32(at + 2, value);
    put32(at + 6, echo);
    return 10;
}

static size_t put_blocks(const wire_packet *k, unsigned char *at)
{
    size_t n = 4;
    for (uint32_t i = 0; i < NET_ACK_BLOCKS; i++) {
        const net_ack_block b = net_ack_block_at(k->p, k->c, i);
        if (b.to == b.from)
            break;
        put32(at + n, k->p->seq + b.from * k->c->mss_bytes);
        put32(at + n + 4, k->p->seq + b.to * k->c->mss_bytes);
        n += 8;
    }
    if (n == 4)
        return 0;
    at[0] = at[1] = OPTION_NOP;
    at[2] = OPTION_SACK;
    at[3] = (unsigned char)(n - 2);
    return n;
}

static size_t put_options(const wire_packet *k, wi_wire_seen *seen, unsigned char *at)
{
    const bool syn = (k->p->flags & NET_SYN) != 0, pure_ack = k->back && !k->request && !syn;
    size_t n = syn ? put_syn_options(k->c, at) : 2;
    if (!syn)
        at[0] = at[1] = OPTION_NOP;
    const weir_time own_ps = k->p->u.data.sent_ps, sent_ps = k->back ? k->at_ps
                                                             : k->c->flags & NET_CLASS_INT
                                                                 ? k->at_ps - net_int_age(own_ps, k->at_ps)
                                                                 : own_ps;
    uint32_t echo = seen->stamp[!k->back];
    if (k->back && !k->request) {
        const weir_time echoed_ps = net_ack_echo(k->p, k->c, k->at_ps);
        echo = stamp_of(echoed_ps > 0 ? echoed_ps : 0);
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
        n += put_blocks(k, at + n);
    return n;
}

static uint32_t tcp_flags(const wire_packet *k)
{
    const uint8_t f = k->p->flags;
    uint32_t flags = f & NET_SYN ? TCP_SYN | (k->back ? TCP_ACK : 0) : TCP_ACK;
    if (k->request)
        return TCP_ACK | TCP_PSH;
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
static void put_numbers(const wire_packet *k, wi_wire_seen *seen, uint32_t payload, unsigned char *at)
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
    }
    put32(at, seq);
    put32(at + 4, ack);
}

static size_t put_tcp(const wi_net *net, const wire_packet *k, wi_wire_seen *seen, unsigned char *out,
                      uint32_t *payload)
{
    unsigned char *tcp = out + 20;
    const uint32_t shift = k->p->flags & NET_SYN ? 0 : window_shift(k->c);
    const uint32_t window = k->c->window_bytes >> shift;
    *payload = k->p->bytes > NET_HEADER_TCP ? k->p->bytes - NET_HEADER_TCP : 0;
    memset(tcp, 0, 60);
    const size_t header = 20 + put_options(k, seen, tcp + 20);
    put_ip(net, k, (uint32_t)(20 + header) + *payload, IP_TCP, out);
    put16(tcp, port_of(net, k, !k->back));
    put16(tcp + 2, port_of(net, k, k->back));
    put_numbers(k, seen, *payload, tcp + 4);
    tcp[12] = (unsigned char)(header / 4 << 4);
    tcp[13] = (unsigned char)tcp_flags(k);
    put16(tcp + 14, window > 65535 ? 65535 : window);
    put16(tcp + 16, transport_sum(out, tcp, header, *payload, IP_TCP));
    return 20 + header;
}

static size_t put_udp(const wi_net *net, const wire_packet *k, unsigned char *out, uint32_t *payload)
{
    unsigned char *udp = out + 20;
    *payload = k->p->bytes > NET_HEADER_UDP ? k->p->bytes - NET_HEADER_UDP : 0;
    put_ip(net, k, NET_HEADER_UDP + *payload, IP_UDP, out);
    put16(udp, port_of(net, k, true));
    put16(udp + 2, port_of(net, k, false));
    put16(udp + 4, 8 + *payload);
    put16(udp + 6, 0);
    const uint32_t sum = transport_sum(out, udp, 8, *payload, IP_UDP);
    put16(udp + 6, sum ? sum : 0xffffu); /* 0 would stand for none (RFC 768) */
    return NET_HEADER_UDP;
}

size_t wi_wire_headers(const wi_net *net, const wi_wire_peer *peers, const net_packet_record *s,
                       wi_wire_seen *seen, unsigned char *out, uint32_t *payload)
{
    const net_world *w = wi_net_world(net);
    const net_packet *p = &s->packet;
    wire_packet k = {.c = net_class_of_flow(w, p->flow),
                     .p = p,
                     .sender = NET_ARRAY(w, uint32_t, tx_host)[p->flow],
                     .receiver = receiver_of(&peers[p->flow], p),
                     .back = (p->flags & NET_ACK) != 0,
                     .request = (p->flags & NET_ACK) && (p->flags & NET_REQUEST), /* in data it is ECT(1) */
                     .at_ps = s->at_ps};
    return p->flags & NET_UDP ? put_udp(net, &k, out, payload) : put_tcp(net, &k, seen, out, payload);
}

void wi_wire_pause(const net_pause_record *s, unsigned char *out)
{
    static const unsigned char to[] = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x01};
    memset(out, 0, WI_WIRE_PAUSE);
    memcpy(out, to, sizeof to);
    out[6] = 2; /* an address that is administered locally: the port's number */
    put32(out + 8, s->port);
    put16(out + 12, 0x8808); /* MAC control */
    put16(out + 14, 0x0101); /* its opcode */
    put16(out + 16, s->told);
    for (uint32_t i = 0; i < 8; i++)
        put16(out + 18 + 2 * i, s->paused >> i & 1u ? 0xffff : 0);
}
