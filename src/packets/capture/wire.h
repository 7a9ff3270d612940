/*
 * A simulated packet as it would stand on a wire: IPv4 with TCP or UDP, or RoCEv2, for captures.
 *
 * Classes with NET_CLASS_RDMA are RoCEv2 (roce.c): 40 bytes of headers too; a checksum of 4, padding of up to 3, and 4 in answers come on
 * top. Their frames are whole, as dissectors want them: payload is zeros.
 *
 * weir counts 40 bytes of headers for TCP and 28 for UDP. TCP's options (RFC 7323's timestamps, RFC 2018's blocks, MSS and
 * window scale on SYNs) come on top here, so a frame is longer than what the simulation sent by its options.
 *
 * Addresses: host number n (from 0, the order of hosts in addresses.csv) is 10.0.0.0 + n + 1. Ports: the end that is asked
 * (the receiver, or the server of requests) has 5001 and the class's number; the other 32768 and the slot of the flow at its
 * host, modulo 28,000.
 *
 * Sequence numbers: data have the simulation's own, and a SYN or a flow's first segment the number before them. The
 * receiver's direction carries requests only, counted from 1. What a packet does not carry itself (what a data segment
 * acknowledges, and echoes) is what the capture saw last of the other direction, as on a wire.
 */
#ifndef WI_NET_CAPTURE_WIRE_H
#define WI_NET_CAPTURE_WIRE_H

#include <stddef.h>

#include "packets/build/build.h"
#include "net/port/capture.h"

/* IP and TCP with options; of RoCEv2 the whole packet. */
enum { WI_WIRE_MAX = 20 + 60 + 65535 };

/* Who the flows of slots belong to, from the records of a run (NET_REC_FLOW). */
typedef struct wi_wire_peer {
    uint32_t first, dst;               /* of the slot's flow, */
    uint32_t before_first, before_dst; /* and of the one before; NET_NONE: none */
} wi_wire_peer;

/* What one capture has seen of a slot's flow, in both directions. */
typedef struct wi_wire_seen {
    uint32_t acked;    /* by the receiver: next byte of data expected; valid with has_ack */
    uint32_t asked;    /* bytes that the receiver has sent: requests */
    uint32_t stamp[2]; /* latest timestamp, of data and of ACKs */
    uint32_t recent;   /* echoed by the latest ACK */
    uint32_t end; /* of the last flow whose last segment has passed: the byte behind it; valid with has_end */
    bool has_ack, has_end;
    bool notified; /* by a CNP, when */
    weir_time notified_ps;
} wi_wire_seen;

/* The headers of a packet in out[WI_WIRE_MAX]; *payload gets the bytes that follow them and are not there. Returns their number.
 * `peers` is [n_tx]; `seen` is the capture's own of the packet's slot, and is brought up to date. */
size_t wi_wire_headers(const wi_net *net, const wi_wire_peer *peers, const net_packet_record *s,
                       wi_wire_seen *seen, unsigned char *out, uint32_t *payload);

/* The congestion notification (CNP) that goes before an ACK of a DCQCN flow over RDMA, as a frame of its own; 0: none does. The model
 * carries it in the ACK; here one goes in an interval, as they do on a wire. */
size_t wi_wire_notification(const wi_net *net, const wi_wire_peer *peers, const net_packet_record *s,
                            wi_wire_seen *seen, unsigned char *out);

/* A pause frame by priority (IEEE 802.1Qbb; 802.3, annex 31D), without its FCS. A pause lasts until the next frame here, so that it
 * is told as the longest, and an end as 0. */
enum { WI_WIRE_PAUSE = 60 };
void wi_wire_pause(const net_pause_record *s, unsigned char *out);

/* The port of the sender of a slot's data, or of their receiver. */
uint32_t wi_wire_port(const wi_net *net, uint32_t slot, bool of_sender);
/* A host's address, in the machine's byte order. */
uint32_t wi_wire_address(uint32_t host);

#endif
