/*
 * A packet capture of one interface, in the pcapng format (draft-ietf-opsawg-pcapng): a section, an interface with
 * nanoseconds, a block for each packet. Written by hand, as libpcap writes no pcapng and keeps no errors: 28 bytes a packet
 * around what is captured.
 *
 * Links carry IP packets without a link layer (LINKTYPE_RAW). What has no IP header, the frames of PFC, is of a second interface,
 * with Ethernet's. Failed writes show when the file is closed (base/file/out.h).
 */
#pragma once

#include "base/file/out.h"
#include "weir/time.h"

/* Link layers: the raw one is the first interface of a file, Ethernet the second. */
enum { WI_PCAPNG_LINK_ETHERNET = 1, WI_PCAPNG_LINK_RAW = 101 };

/* The head of the file. */
void wi_pcapng_begin(wi_out *file);
/* An interface's `name` and rate; snap_bytes: most that is kept of a packet. */
void wi_pcapng_face(wi_out *file, uint32_t link, const char *name, uint64_t rate_bps, uint32_t snap_bytes);

/* A packet of the interface with a link layer: `n` bytes that are captured, of `length` on the wire. */
void wi_pcapng_packet(wi_out *file, uint32_t link, weir_time at_ps, const unsigned char *bytes, uint32_t n,
                      uint32_t length);
