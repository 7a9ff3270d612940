/*
 * RoCEv2: InfiniBand's transport over UDP (InfiniBand Architecture Specification, volume 1, release 1.2.1, chapter 9, and annex A17).
 * A flow is one message of a reliable connection: SEND First, Middle, Last or Only, each of which asks for an answer.
 */
#include "packets/capture/frame.h"

#include <string.h>

enum { PORT = 4791, IP = 20, UDP = 8, BTH = 12, AETH = 4, ICRC = 4, CNP_RESERVED = 16 };
/* Operations of a reliable connection, and the notification's. */
enum { SEND_FIRST = 0, SEND_MIDDLE = 1, SEND_LAST = 2, SEND_ONLY = 4, ACKNOWLEDGE = 17, NOTIFICATION = 0x81 };
enum { NO_CREDITS = 0x1f, NAK_SEQUENCE = 0x60 };
enum { BECN = 0x40, ACK_REQUEST = 0x80 };

/* Queue pairs 0 and 1 are the management's; a flow's slot has the same number at both ends. */
static uint32_t queue_pair(const wi_frame *k)
{
    return 2u + k->p->flow % 0xfffffdu;
}

/* The number of a packet; a slot's next flow begins above the last. */
static uint32_t packet_number(const wi_frame *k, uint32_t seq)
{
    const uint32_t mss = k->c->mss_bytes;
    return (k->first / mss + (seq - k->first) / mss) & 0xffffffu;
}

static size_t put_transport(const wi_net *net, const wi_frame *k, uint32_t length, int operation,
                            uint32_t pad, uint32_t number, unsigned char *out)
{
    unsigned char *const udp = out + IP, *const bth = udp + UDP;
    wi_frame_ip(k, length, WI_FRAME_UDP, out);
    memset(udp, 0, UDP + BTH);
    wi_frame_put16(udp, 0xc000u | (wi_wire_port(net, k->p->flow, true) &
                                   0x3fffu)); /* what paths are picked by (A17.9.2) */
    wi_frame_put16(udp + 2, PORT);
    wi_frame_put16(udp + 4, length - IP);
    bth[0] = (unsigned char)operation;
    bth[1] = (unsigned char)(pad << 4);
    wi_frame_put16(bth + 2, 0xffff); /* the default partition */
    wi_frame_put24(bth + 5, queue_pair(k));
    wi_frame_put24(bth + 9, number);
    return IP + UDP + BTH;
}

/* Ethernet's CRC of more bytes, four bits at a time; from all ones on, and inverted at the end. */
static uint32_t crc_of(uint32_t crc, const unsigned char *at, size_t n)
{
    static const uint32_t table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                       0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                       0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    for (size_t i = 0; i < n; i++) {
        crc ^= at[i];
        crc = crc >> 4 ^ table[crc & 15u];
        crc = crc >> 4 ^ table[crc & 15u];
    }
    return crc;
}

/* The invariant checksum behind `n` bytes from the IP header on: Ethernet's polynomial, where fields that change on the way count as
 * ones (A17.3.3). */
static void put_checksum(unsigned char *out, size_t n)
{
    enum { HEADERS = IP + UDP + BTH };
    unsigned char head[8 + HEADERS];
    memset(head, 0xff, 8);
    memcpy(head + 8, out, HEADERS);
    head[8 + 1] = head[8 + 8] = 0xff;   /* type of service, time to live */
    memset(head + 8 + 10, 0xff, 2);     /* IP's checksum */
    memset(head + 8 + IP + 6, 0xff, 2); /* UDP's */
    head[8 + IP + UDP + 4] = 0xff;      /* FECN and BECN */
    const uint32_t crc = ~crc_of(crc_of(UINT32_MAX, head, sizeof head), out + HEADERS, n - HEADERS);
    for (int i = 0; i < ICRC; i++)
        out[n + (size_t)i] = (unsigned char)(crc >> 8 * i);
}

/* Data, or a request: payload of zeros, padded to words. */
static size_t put_send(const wi_net *net, const wi_frame *k, unsigned char *out)
{
    const uint32_t bytes = k->p->bytes > NET_HEADER_TCP ? k->p->bytes - NET_HEADER_TCP : 0,
                   pad = (0u - bytes) & 3u;
    const bool begins = k->request || k->p->seq == k->first, ends = k->request || (k->p->flags & NET_FIN);
    const int operation = begins ? (ends ? SEND_ONLY : SEND_FIRST) : ends ? SEND_LAST : SEND_MIDDLE;
    const uint32_t number = k->request ? k->p->seq & 0xffffffu : packet_number(k, k->p->seq);
    const size_t n = put_transport(net, k, IP + UDP + BTH + bytes + pad + ICRC, operation, pad, number, out);
    out[IP + UDP + 8] = ACK_REQUEST;
    memset(out + n, 0, bytes + pad);
    put_checksum(out, n + bytes + pad);
    return n + bytes + pad + ICRC;
}

/* An ACK is of the last packet that has come in order, a NAK names the one that is expected; with IRN the packet that came instead
 * stands where messages are counted. */
static size_t put_answer(const wi_net *net, const wi_frame *k, unsigned char *out)
{
    const net_packet *p = k->p;
    const bool hole = (p->flags & NET_HOLE) != 0;
    const uint32_t came = hole && k->c->flags & NET_CLASS_IRN
                              ? packet_number(k, p->seq + net_ack_block_at(p, k->c, 0).from * k->c->mss_bytes)
                              : 0u;
    size_t n = put_transport(net, k, IP + UDP + BTH + AETH + ICRC, ACKNOWLEDGE, 0,
                             hole ? packet_number(k, p->seq) : packet_number(k, p->seq - 1u), out);
    if (p->flags & NET_CE)
        out[IP + UDP + 4] = BECN;
    out[n] = hole ? NAK_SEQUENCE : NO_CREDITS;
    wi_frame_put24(out + n + 1, came);
    n += AETH;
    put_checksum(out, n);
    return n + ICRC;
}

size_t wi_frame_roce(const wi_net *net, const wi_frame *k, unsigned char *out)
{
    return k->back && !k->request ? put_answer(net, k, out) : put_send(net, k, out);
}

size_t wi_frame_cnp(const wi_net *net, const wi_frame *k, unsigned char *out)
{
    size_t n = put_transport(net, k, IP + UDP + BTH + CNP_RESERVED + ICRC, NOTIFICATION, 0, 0, out);
    out[IP + UDP + 4] = BECN;
    memset(out + n, 0, CNP_RESERVED);
    n += CNP_RESERVED;
    put_checksum(out, n);
    return n + ICRC;
}
