/*
 * Entropy values: a sender names the path of each packet by a small number, which switches hash with its flow among ports of equal
 * cost. Answers bring it back, and tell what became of the packet:
 *
 *   oblivious  each value once a round, in an order that is drawn anew for each
 *   bitmap     the same, but a value that was marked is passed over once, one that was trimmed 4 times, 15 times at most;
 *              of those passed over for one packet the first alone is forgiven a time
 *   reps       values that came back without a mark go again, the oldest first, of at most eight; else one is drawn. After a timeout
 *              only these go, in turn, for 10 ms; then 16 are drawn
 *   mixed      values that came back without a mark go again, else as the bitmap says
 *
 * as Ultra Ethernet's reference simulator has them (github.com/ultraethernet/uet-htsim, uec_mp.cpp). Departures: `mixed` keeps the
 * last NET_RECYCLED values, not all.
 */
#ifndef WI_NET_FLOW_ENTROPY_H
#define WI_NET_FLOW_ENTROPY_H

#include "net/packet/world.h"

enum { NET_PATHS_MAX = 256, NET_RECYCLED = 32, NET_REPS_BUFFER = 8, NET_REPS_EXPLORES = 16 };
enum { NET_PENALTY_MARKED = 1, NET_PENALTY_TRIMMED = 4, NET_PENALTY_MOST = 15 };
#define NET_REPS_FREEZE_PS (10 * WEIR_PS_PER_MS)

enum net_balance { NET_BALANCE_OBLIVIOUS, NET_BALANCE_BITMAP, NET_BALANCE_REPS, NET_BALANCE_MIXED };
enum net_path_news { NET_PATH_GOOD, NET_PATH_MARKED, NET_PATH_TRIMMED, NET_PATH_TIMEOUT };

typedef struct net_entropy {
    uint16_t next, order; /* of the round: how many values have gone; XORed to each */
    uint8_t head, fresh;  /* of `recycled`: where the next goes, and how many before it have not gone again */
    uint8_t kept;         /* that it holds, fresh or not */
    uint8_t frozen, turn; /* after a timeout; which of those kept goes next */
    uint8_t explores;     /* draws that are still due */
    uint16_t recycled[NET_RECYCLED];
    uint16_t reserved;
    weir_time thaws_ps;
    uint64_t penalty[NET_PATHS_MAX / 16]; /* four bits a value */
} net_entropy;

/* A value's penalty. */
WEIR_FN uint32_t net_entropy_penalty(const net_entropy *e, uint32_t value)
{
    return (uint32_t)(e->penalty[value / 16u] >> (value % 16u * 4u)) & 15u;
}

/* Set it. */
WEIR_FN void net_entropy_punish(net_entropy *e, uint32_t value, uint32_t penalty)
{
    const uint32_t shift = value % 16u * 4u;
    e->penalty[value / 16u] = (e->penalty[value / 16u] & ~(UINT64_C(15) << shift)) | (uint64_t)penalty
                                                                                         << shift;
}

/* The next of the round, of a power of two of paths. */
WEIR_FN uint32_t net_entropy_round(net_entropy *e, uint32_t paths, weir_stream *random)
{
    if (e->next == 0)
        e->order = (uint16_t)weir_draw_below(random, paths);
    const uint32_t value = e->next ^ e->order;
    e->next = (uint16_t)(e->next + 1u == paths ? 0 : e->next + 1u);
    return value;
}

/* The next of the round that is not spared. */
WEIR_FN uint32_t net_entropy_unspared(net_entropy *e, uint32_t paths, weir_stream *random)
{
    uint32_t value = net_entropy_round(e, paths, random);
    for (uint32_t i = 0; i <= paths && net_entropy_penalty(e, value); i++) {
        if (i == 0)
            net_entropy_punish(e, value, net_entropy_penalty(e, value) - 1u);
        value = net_entropy_round(e, paths, random);
    }
    return value;
}

/* Keep a value that has come back, of at most `room`. */
WEIR_FN void net_entropy_keep(net_entropy *e, uint32_t value, uint32_t room)
{
    e->recycled[e->head] = (uint16_t)value;
    e->head = (uint8_t)((e->head + 1u) % room);
    e->fresh = (uint8_t)(e->fresh < room ? e->fresh + 1u : room);
    e->kept = (uint8_t)(e->kept < room ? e->kept + 1u : room);
}

/* The oldest that has not gone again; there is one. */
WEIR_FN uint32_t net_entropy_recycle(net_entropy *e, uint32_t room)
{
    const uint32_t at = e->head + (e->head >= e->fresh ? 0u : room) - e->fresh;
    e->fresh--;
    return e->recycled[at];
}

WEIR_FN uint32_t net_entropy_reps(net_entropy *e, uint32_t paths, weir_stream *random)
{
    if (e->explores > 0) {
        e->explores--;
    } else if (e->frozen && e->kept > 0) {
        const uint32_t value = e->recycled[e->turn];
        e->turn = (uint8_t)(e->turn + 1u >= e->kept ? 0 : e->turn + 1u);
        return value;
    } else if (!e->frozen && e->fresh > 0) {
        return net_entropy_recycle(e, NET_REPS_BUFFER);
    }
    return (uint32_t)weir_draw_below(random, paths);
}

/* The value of the next packet. */
NET_RARE uint32_t net_entropy_next(weir_ctx *ctx, net_entropy *e, int balance, uint32_t paths)
{
    if (balance == NET_BALANCE_MIXED && e->fresh > 0)
        return net_entropy_recycle(e, NET_RECYCLED);
    weir_stream random = weir_stream_open(ctx);
    const uint32_t value = balance == NET_BALANCE_OBLIVIOUS ? net_entropy_round(e, paths, &random)
                           : balance == NET_BALANCE_REPS    ? net_entropy_reps(e, paths, &random)
                                                            : net_entropy_unspared(e, paths, &random);
    weir_stream_close(ctx, &random);
    return value;
}

/* REPS forgets what it knew before a timeout. */
WEIR_FN void net_entropy_thaw(net_entropy *e)
{
    e->frozen = e->turn = e->head = e->fresh = e->kept = 0;
    e->explores = NET_REPS_EXPLORES;
}

/* What has become of a packet with a value; of a timeout the value is not known. */
NET_RARE void net_entropy_learn(net_entropy *e, int balance, uint32_t value, enum net_path_news news,
                                weir_time now_ps)
{
    if (balance == NET_BALANCE_REPS) {
        if (news == NET_PATH_TIMEOUT && !e->frozen && e->explores == 0) {
            e->frozen = 1;
            e->thaws_ps = now_ps + NET_REPS_FREEZE_PS;
        }
        if (e->frozen && now_ps > e->thaws_ps)
            net_entropy_thaw(e);
    }
    if (news == NET_PATH_TIMEOUT)
        return;
    if (news == NET_PATH_GOOD && balance >= NET_BALANCE_REPS)
        net_entropy_keep(e, value, balance == NET_BALANCE_REPS ? NET_REPS_BUFFER : NET_RECYCLED);
    if (news != NET_PATH_GOOD && (balance == NET_BALANCE_BITMAP || balance == NET_BALANCE_MIXED)) {
        const uint32_t penalty = net_entropy_penalty(e, value) +
                                 (news == NET_PATH_MARKED ? NET_PENALTY_MARKED : NET_PENALTY_TRIMMED);
        net_entropy_punish(e, value, penalty < NET_PENALTY_MOST ? penalty : NET_PENALTY_MOST);
    }
}

#endif
