/*
 * What a TCP sender knows of the bytes that it has sent: SACKed, lost, on their way.
 *
 * Source: RFC 6675, sections 2 to 4 (scoreboard, IsLost, pipe). tcp_sender.h says how `lost_to` and
 * `high_rtx` stand for losses of all kinds, with SACK and without. Times do not occur here, and nothing is
 * scheduled.
 */
#ifndef WI_NET_TCP_SCOREBOARD_H
#define WI_NET_TCP_SCOREBOARD_H

#include "net/endpoint.h"
#include "net/world.h"

enum { NET_DUPACKS = 3 };

/* Bytes of [from, to) that no SACK covers. */
WEIR_FN uint32_t net_tcp_unsacked(const net_tx *tx, uint32_t from, uint32_t to)
{
    if (!net_seq_before(from, to))
        return 0;
    return to - from - (tx->n_ranges ? net_ranges_covered(&tx->sacked, tx->n_ranges, from, to) : 0);
}

/* Bytes not yet taken for lost that have arrived and were discarded: in recovery with SACK, dupacks counts
 * them. */
WEIR_FN uint32_t net_tcp_discarded(const net_tx *tx, const net_class *c)
{
    if (tx->state == NET_TX_OPEN || tx->dupacks == 0)
        return 0;
    const uint32_t most = net_tcp_unsacked(tx, net_seq_max(tx->una, tx->lost_to), tx->nxt);
    const uint32_t told = (uint32_t)tx->dupacks * c->mss_bytes;
    return told < most ? told : most;
}

/* Bytes believed to be on their way. Without SACK, each duplicate ACK says that one segment has left; after a
 * timeout, when all that was on its way counts as lost, it says nothing. */
WEIR_FN uint32_t net_tcp_pipe(const net_tx *tx, const net_class *c)
{
    const uint32_t outstanding = tx->nxt - tx->una;
    const uint32_t lost = net_tcp_unsacked(tx, net_seq_max(tx->una, tx->high_rtx), tx->lost_to);
    uint32_t left = 0;
    if (!(c->flags & NET_CLASS_SACK))
        left = tx->state == NET_TX_LOSS ? 0 : (uint32_t)tx->dupacks * c->mss_bytes;
    else if (tx->n_ranges)
        left = net_ranges_covered(&tx->sacked, tx->n_ranges, tx->una, tx->nxt) + net_tcp_discarded(tx, c);
    return (uint64_t)left + lost < outstanding ? outstanding - left - lost : 0;
}

/* Take an ACK's SACK blocks into the scoreboard. Returns whether they told of anything new, which makes a
 * duplicate ACK (RFC 6675, section 2). */
WEIR_FN int net_tcp_take_sacks(net_tx *tx, const net_packet *ack)
{
    int news = 0;
    for (int i = 0; i < NET_SACK_BLOCKS; i++) {
        const uint32_t from = net_seq_max(ack->u.sack[2 * i], tx->una),
                       to = net_seq_min(ack->u.sack[2 * i + 1], tx->nxt);
        if (ack->u.sack[2 * i] == ack->u.sack[2 * i + 1] || !net_seq_before(from, to) ||
            net_ranges_covered(&tx->sacked, tx->n_ranges, from, to) == to - from)
            continue;
        news = 1;
        net_ranges_add(&tx->sacked, &tx->n_ranges, from, to);
    }
    return news;
}

/* IsLost of RFC 6675: below a range with three ranges, or more than two segments, SACKed at and above it. */
WEIR_FN uint32_t net_tcp_lost_boundary(const net_tx *tx, const net_class *c)
{
    uint32_t above = 0;
    for (uint32_t i = tx->n_ranges; i-- > 0;) {
        above += tx->sacked.to[i] - tx->sacked.from[i];
        if (tx->n_ranges - i >= NET_DUPACKS || above > (NET_DUPACKS - 1) * c->mss_bytes)
            return tx->sacked.from[i];
    }
    return tx->una;
}

#endif
