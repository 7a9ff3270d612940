/*
 * What an ACK carries besides its number: the time that it echoes, and SACK blocks, in 16 bytes.
 *
 * RFC 7323's timestamp and RFC 2018's blocks, packed so that a pending packet stays one cache line. Blocks
 * count segments from the ACK's number: three of them (as many as a header with timestamps has room for) of
 * 14 bits a number, and the time in 44 bits of 16 ps, for windows of up to 16,384 segments; beyond that two
 * blocks of 24 bits a number, and the time in 32 bits of 65.5 ns. Either way a time comes round after 281 s. Of a class with
 * NET_CLASS_TAGS the last block gives way to what stands above the time that is echoed: a load (port/meter.h), or an entropy value;
 * then a count of what has arrived stands beside it. Of a class with NET_CLASS_ACE the time gives three bits to AccECN's counter:
 * the finest, or with two blocks the highest, so that it comes round after 35 s.
 */
#pragma once

#include "net/packet/world.h"

enum { NET_ACE_BITS = 3, NET_ACES = 1 << NET_ACE_BITS };
enum { NET_ACK_BLOCKS = 3, NET_ACK_NARROW_WORDS = 256, NET_WINDOW_SEGMENTS_MAX = (1 << 24) - 1 };

/* Segments [from, to) counted from the ACK's number. */
typedef struct net_ack_block {
    uint32_t from, to;
} net_ack_block;

typedef struct net_ack_format {
    uint32_t blocks, bits;   /* places for how many, and bits of each of a block's two numbers */
    uint32_t used;           /* blocks that there may be */
    uint32_t unit, low_bits; /* the time: 2^unit ps, and how many of its bits go to the first word */
    uint32_t ace_bits;       /* above it, at the second's end */
} net_ack_format;

/* The format of a class's ACKs. */
WEIR_FN net_ack_format net_ack_format_of(const net_class *c)
{
    net_ack_format f;
    const int narrow = c->map_words <= NET_ACK_NARROW_WORDS;
    f.blocks = narrow ? 3u : 2u;
    f.used = f.blocks - ((c->flags & NET_CLASS_TAGS) != 0);
    f.bits = narrow ? 14u : 24u;
    f.ace_bits = c->flags & NET_CLASS_ACE ? NET_ACE_BITS : 0u;
    f.unit = narrow ? 4u + f.ace_bits : 16u;
    f.low_bits = narrow ? 8u : 16u;
    return f;
}

/* The bits of the echoed time. */
WEIR_FN uint64_t net_ack_time_mask(const net_ack_format *f)
{
    return (UINT64_C(1) << (128u - f->blocks * 2u * f->bits - f->ace_bits)) - 1u;
}

/* Times come round after so long: of an ACK that takes longer it is not seen how long. */
WEIR_FN weir_time net_ack_round_ps(const net_class *c)
{
    const net_ack_format f = net_ack_format_of(c);
    return (weir_time)((net_ack_time_mask(&f) + 1u) << f.unit);
}

/* Pack a time, and the first blocks of `block` up to the first that is empty. */
WEIR_FN void net_ack_pack(net_packet *p, const net_class *c, weir_time echo_ps, const net_ack_block *block,
                          uint32_t n)
{
    const net_ack_format f = net_ack_format_of(c);
    const uint64_t time = ((uint64_t)echo_ps >> f.unit) & net_ack_time_mask(&f);
    uint64_t packed[NET_ACK_BLOCKS] = {0, 0, 0};
    for (uint32_t i = 0; i < n && i < f.used; i++)
        packed[i] = block[i].from | (uint64_t)(block[i].to - block[i].from) << f.bits;
    p->u.ack[0] = packed[0] | time << (64u - f.low_bits);
    if (f.blocks == 3) {
        p->u.ack[0] |= packed[1] << 28;
        p->u.ack[1] = packed[2] | time >> f.low_bits << 28;
    } else {
        p->u.ack[1] = packed[1] | time >> f.low_bits << 48;
    }
    if (c->flags & NET_CLASS_TAGS)
        p->u.ack[1] |= (uint64_t)echo_ps >> 48;
}

/* The load that an ACK of a class with NET_CLASS_INT carries, or the entropy value of one with NET_CLASS_UET. */
WEIR_FN uint32_t net_ack_tag(const net_packet *p)
{
    return (uint32_t)p->u.ack[1] & UINT16_MAX;
}

/* Segments that have arrived, modulo 4096, in an ACK of a class with NET_CLASS_UET. */
enum { NET_ACK_COUNTS = 4096 };
WEIR_FN void net_ack_put_count(net_packet *p, uint32_t count)
{
    p->u.ack[1] |= (uint64_t)(count % NET_ACK_COUNTS) << 16;
}

/* Likewise. */
WEIR_FN uint32_t net_ack_count(const net_packet *p)
{
    return (uint32_t)(p->u.ack[1] >> 16) % NET_ACK_COUNTS;
}

/* Of a class with NET_CLASS_ACE: packets that came marked, modulo NET_ACES. On the wire the counter begins at 5. */
WEIR_FN void net_ack_put_ace(net_packet *p, uint32_t marked)
{
    p->u.ack[1] |= (uint64_t)(marked % NET_ACES) << (64u - NET_ACE_BITS);
}

/* Likewise. */
WEIR_FN uint32_t net_ack_ace(const net_packet *p)
{
    return (uint32_t)(p->u.ack[1] >> (64u - NET_ACE_BITS));
}

/* How long ago what the ACK echoes was sent. */
WEIR_FN weir_time net_ack_elapsed(const net_packet *p, const net_class *c, weir_time now_ps)
{
    const net_ack_format f = net_ack_format_of(c);
    const uint64_t time = p->u.ack[0] >> (64u - f.low_bits) | p->u.ack[1] >> (f.blocks == 3 ? 28u : 48u)
                                                                                 << f.low_bits;
    return (weir_time)(((((uint64_t)now_ps >> f.unit) - time) & net_ack_time_mask(&f)) << f.unit);
}

/* When that was, as a time. */
WEIR_FN weir_time net_ack_echo(const net_packet *p, const net_class *c, weir_time now_ps)
{
    const net_ack_format f = net_ack_format_of(c);
    return (weir_time)((uint64_t)now_ps >> f.unit << f.unit) - net_ack_elapsed(p, c, now_ps);
}

/* What the ACK echoes becomes later by `by_ps`, a multiple of the unit; 0, where a receiver has nothing to echo yet, stays. */
WEIR_FN void net_ack_later(net_packet *p, const net_class *c, weir_time by_ps)
{
    const net_ack_format f = net_ack_format_of(c);
    const uint32_t high_at = f.blocks == 3 ? 28u : 48u;
    const uint64_t low = (UINT64_C(1) << f.low_bits) - 1u, high = net_ack_time_mask(&f) >> f.low_bits;
    uint64_t time = p->u.ack[0] >> (64u - f.low_bits) | (p->u.ack[1] >> high_at & high) << f.low_bits;
    if (time != 0)
        time = (time + ((uint64_t)by_ps >> f.unit)) & net_ack_time_mask(&f);
    p->u.ack[0] = (p->u.ack[0] & (UINT64_MAX >> f.low_bits)) | (time & low) << (64u - f.low_bits);
    p->u.ack[1] = (p->u.ack[1] & ~(high << high_at)) | time >> f.low_bits << high_at;
}

/* Block i of an ACK, of at most NET_ACK_BLOCKS; empty where there is none. */
WEIR_FN net_ack_block net_ack_block_at(const net_packet *p, const net_class *c, uint32_t i)
{
    const net_ack_format f = net_ack_format_of(c);
    const uint64_t mask = (UINT64_C(1) << f.bits) - 1u;
    net_ack_block b = {0, 0};
    if (i >= f.used)
        return b;
    const uint64_t packed = f.blocks == 3 ? (i == 2 ? p->u.ack[1] : p->u.ack[0] >> (i * 28u)) : p->u.ack[i];
    b.from = (uint32_t)(packed & mask);
    b.to = b.from + (uint32_t)((packed >> f.bits) & mask);
    return b;
}

/* Whether there are blocks at all. */
WEIR_FN bool net_ack_has_blocks(const net_packet *p, const net_class *c)
{
    const net_ack_format f = net_ack_format_of(c);
    return (p->u.ack[0] & ((UINT64_C(1) << 2u * f.bits) - 1u)) != 0;
}
