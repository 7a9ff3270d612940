/*
 * What a link does to packets besides delaying them: losses in bursts, bit errors, jitter, duplicates. Links without any
 * of it have no code and no state of it.
 *
 * Bursts are those of Gilbert and Elliott (E. O. Elliott, Estimates of Error Rates for Codes on Burst-Noise Channels, Bell
 * System Technical Journal 42(5), 1963): the link is good or bad; before each packet it turns bad with chance `enter`, or
 * good again with `exit`, and then loses the packet with the state's chance. It begins in its stationary law, bad with
 * enter / (enter + exit). Bit errors are independent: a packet of n bytes arrives with (1 - p)^(8 n).
 *
 * Jitter is spent at the sending end, before the packet travels (as by a MAC's repetitions), so that it only ever adds to
 * the link's delay. Without reordering a packet comes no sooner than its own transmission after the one before it. A
 * duplicate comes right behind its packet, where packets may be reordered after a jitter of its own.
 */
#pragma once

#include "weir/dist.h"
#include "weir/model.h"

enum {
    NET_IMPAIR_BURSTS = 1,
    NET_IMPAIR_JITTER = 2,
    NET_IMPAIR_REORDER = 4, /* with jitter: packets may overtake each other */
    NET_IMPAIR_DELAYS = 8   /* a trace whose delay changes */
};

/* Longest jitter: 1000 s. */
#define NET_JITTER_MAX_PS (WEIR_PS_PER_S * 1000)

/* Parameters, shared by all links that are alike. */
typedef struct net_impairment {
    uint32_t flags, reserved;
    double enter, exit;     /* chance of turning bad, and good again, before a packet */
    double good, bad;       /* chance of losing a packet in either state */
    double log_bit_arrives; /* ln(1 - p), p the bit error ratio; 0: no errors */
    double duplication;     /* chance that a packet that arrives does so twice */
    weir_dist jitter;       /* picoseconds */
    uint64_t trace; /* of its line: offset of a net_trace in the world, in a plan its number and 1; 0: none */
} net_impairment;

enum { NET_BURST_UNBEGUN, NET_BURST_GOOD, NET_BURST_BAD };

/* State, in the words of the sending entity's pool. */
typedef struct net_impaired {
    uint64_t draws;    /* of a stream of its own: what a queue draws moves nothing here */
    weir_time last_ps; /* when the last packet's travel began */
    uint64_t served;   /* by opportunities of a trace (trace.h) */
    uint32_t burst;
    uint32_t reserved;
} net_impaired;
enum { NET_IMPAIRED_WORDS = sizeof(net_impaired) / 8 };
WEIR_STATIC_ASSERT(sizeof(net_impaired) % 8 == 0, "a pool of words holds it");

/* What becomes of one packet. */
typedef struct net_fate {
    bool lost, twice;
    weir_time begins_ps, again_ps; /* when it begins to travel, and its duplicate does */
} net_fate;

/* An entity's stream has two halves: its first 2^63 draws are the entity's, the rest the link's. */
WEIR_FN weir_stream net_impaired_stream(const weir_ctx *ctx, const net_impaired *s)
{
    weir_stream stream = weir_stream_open(ctx);
    stream.draws = (UINT64_C(1) << 63) + s->draws;
    return stream;
}

/* Whether the link loses a packet in its present state, to which it moves first. */
WEIR_FN bool net_burst_loses(const net_impairment *m, net_impaired *s, weir_stream *random)
{
    uint64_t a, b;
    weir_draw_pair(random, &a, &b);
    const double moves = weir_unit_of_bits(a), loses = weir_unit_of_bits(b);
    if (s->burst == NET_BURST_UNBEGUN)
        s->burst = moves * (m->enter + m->exit) < m->enter ? NET_BURST_BAD : NET_BURST_GOOD;
    else if (s->burst == NET_BURST_GOOD)
        s->burst = moves < m->enter ? NET_BURST_BAD : NET_BURST_GOOD;
    else
        s->burst = moves < m->exit ? NET_BURST_GOOD : NET_BURST_BAD;
    return loses < (s->burst == NET_BURST_BAD ? m->bad : m->good);
}

/* Draw a jitter, ps. */
WEIR_FN weir_time net_jitter_sample(const net_impairment *m, weir_stream *random)
{
    return weir_dist_sample_integer(&m->jitter, (const unsigned char *)0, random, 0, NET_JITTER_MAX_PS);
}

/* When a packet begins to travel that has left the port at leaves_ps, after a transmission of send_ps, and whose link has
 * a delay of more_ps beyond its least then. */
WEIR_FN weir_time net_jitter_begins(const net_impairment *m, net_impaired *s, weir_time leaves_ps,
                                    weir_time more_ps, weir_time send_ps, weir_stream *random)
{
    weir_time begins_ps = leaves_ps + more_ps;
    if (m->flags & NET_IMPAIR_JITTER)
        begins_ps += net_jitter_sample(m, random);
    if (m->flags & NET_IMPAIR_REORDER)
        return begins_ps;
    const weir_time behind_ps = s->last_ps + (send_ps > 0 ? send_ps : 1);
    begins_ps = begins_ps > behind_ps ? begins_ps : behind_ps;
    s->last_ps = begins_ps;
    return begins_ps;
}

/* A packet that a link is given: when it has left, after which transmission, and by how much the link's delay is then beyond its
 * least. */
typedef struct net_given {
    uint32_t bytes;
    weir_time leaves_ps, send_ps, more_ps;
} net_given;

/* The fate of a packet. `s` has been touched. */
WEIR_FN net_fate net_impair(const weir_ctx *ctx, const net_impairment *m, net_impaired *s, net_given p)
{
    weir_stream random = net_impaired_stream(ctx, s);
    const uint64_t before = random.draws;
    net_fate f;
    f.lost = (m->flags & NET_IMPAIR_BURSTS) && net_burst_loses(m, s, &random);
    f.twice = false;
    f.begins_ps = f.again_ps = p.leaves_ps;
    if (m->log_bit_arrives < 0.0 &&
        weir_draw_unit(&random) >= weir_exp(8.0 * (double)p.bytes * m->log_bit_arrives))
        f.lost = true;
    if (m->flags & (NET_IMPAIR_JITTER | NET_IMPAIR_DELAYS))
        f.begins_ps = net_jitter_begins(m, s, p.leaves_ps, p.more_ps, p.send_ps, &random);
    if (m->duplication > 0.0 && weir_draw_unit(&random) < m->duplication) {
        f.twice = true;
        f.again_ps = m->flags & NET_IMPAIR_REORDER ? p.leaves_ps + p.more_ps + net_jitter_sample(m, &random)
                                                   : f.begins_ps + 1;
    }
    s->draws += random.draws - before;
    return f;
}
