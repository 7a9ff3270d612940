/* What the writers of headers share: a packet with what stands around it, and its IP header. */
#ifndef WI_NET_CAPTURE_FRAME_H
#define WI_NET_CAPTURE_FRAME_H

#include "packets/capture/wire.h"
#include "net/congestion/congestion.h"

enum { WI_FRAME_TCP = 6, WI_FRAME_UDP = 17 };

/* What a packet is. */
typedef struct wi_frame {
    const net_class *c;
    const net_packet *p;
    uint32_t sender, receiver; /* host entities of the flow */
    uint32_t first;            /* sequence number of the flow's first byte */
    bool back;                 /* from the receiver to the sender */
    bool request;
    weir_time at_ps;
} wi_frame;

static inline void wi_frame_put16(unsigned char *at, uint32_t value)
{
    at[0] = (unsigned char)(value >> 8);
    at[1] = (unsigned char)value;
}

static inline void wi_frame_put24(unsigned char *at, uint32_t value)
{
    at[0] = (unsigned char)(value >> 16);
    wi_frame_put16(at + 1, value & 0xffffu);
}

static inline void wi_frame_put32(unsigned char *at, uint32_t value)
{
    wi_frame_put16(at, value >> 16);
    wi_frame_put16(at + 2, value & 0xffffu);
}

/* Sum of 16-bit words for RFC 1071's checksum, an odd last byte counting as a word's first; and the checksum of a sum. */
uint64_t wi_frame_sum16(const unsigned char *at, size_t n);
uint32_t wi_frame_folded(uint64_t sum);

/* The IP header of a packet of `length` bytes, with its checksum. Returns its bytes. */
size_t wi_frame_ip(const wi_frame *k, uint32_t length, int protocol, unsigned char *out);

/* A packet of a class with NET_CLASS_RDMA as RoCEv2 has it, all of it. */
size_t wi_frame_roce(const wi_net *net, const wi_frame *k, unsigned char *out);
/* The congestion notification that goes with an ACK. */
size_t wi_frame_cnp(const wi_net *net, const wi_frame *k, unsigned char *out);

#endif
