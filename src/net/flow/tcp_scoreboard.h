/*
 * What a TCP sender knows of the segments that it has sent: SACKed, lost, sent again.
 *
 * Source: RFC 6675, sections 2 to 4 (scoreboard, IsLost, SetPipe), in segments instead of bytes: all have one
 * size but a flow's last. Losses of all kinds are kept in one way: below `lost_to` what no SACK covers is
 * lost; below `again_to` it has been sent again. SACKs, duplicate ACKs and timeouts differ only in how they
 * move these. Counters follow every change, so that no ACK has to look through the window. Without SACK there
 * is no map, and nothing is ever SACKed. Times do not occur here, and nothing is scheduled.
 */
#pragma once

#include "net/flow/ack.h"
#include "net/flow/endpoint.h"
#include "net/flow/segments.h"

enum { NET_DUPACKS = 3 };

/* Rows of a sender; with RACK alone the second, and behind it the runs (tcp_runs.h). */
enum { NET_ROW_SACKED, NET_ROW_LOST, NET_ROW_RUNS };

/* A row of the sender's, of one bit a segment. */
WEIR_FN net_map net_tx_row(const weir_ctx *ctx, const net_tx *tx, const net_class *c, uint32_t row)
{
    net_map m;
    m.word =
        (uint64_t *)weir_slot(ctx, NET_POOL_WINDOW, tx->map + row * c->map_words, (uint32_t)sizeof(uint64_t));
    m.words = c->map_words;
    m.base = tx->base;
    return m;
}

/* Segments that `bytes` from una on come to; the flow's last may be short. */
WEIR_FN uint32_t net_tcp_segments(const net_class *c, uint32_t bytes)
{
    return bytes <= c->mss_bytes ? 1u : (bytes + c->mss_bytes - 1u) / c->mss_bytes;
}

/* Where segment k begins. */
WEIR_FN uint32_t net_tcp_seq_of(const net_tx *tx, const net_class *c, uint32_t k)
{
    return tx->una + k * c->mss_bytes;
}

/* Bytes of segment k. */
WEIR_FN uint32_t net_tcp_length_of(const net_tx *tx, const net_class *c, uint32_t k)
{
    const uint32_t rest = tx->nxt - net_tcp_seq_of(tx, c, k);
    return rest < c->mss_bytes ? rest : c->mss_bytes;
}

/* Segments of [from, to) that no SACK covers. */
WEIR_FN uint32_t net_tcp_unsacked(const weir_ctx *ctx, const net_tx *tx, const net_class *c, uint32_t from,
                                  uint32_t to)
{
    if (from >= to)
        return 0;
    if (tx->n_sacked == 0)
        return to - from;
    const net_map sacked = net_tx_row(ctx, tx, c, NET_ROW_SACKED);
    return to - from - net_map_count(&sacked, from, to);
}

/* The first segment of [from, to) that no SACK covers; `to` where there is none. */
WEIR_FN uint32_t net_tcp_next_unsacked(const weir_ctx *ctx, const net_tx *tx, const net_class *c,
                                       uint32_t from, uint32_t to)
{
    if (tx->n_sacked == 0)
        return from < to ? from : to;
    const net_map sacked = net_tx_row(ctx, tx, c, NET_ROW_SACKED);
    return net_map_next(&sacked, from, to, 0);
}

/* Segments lost and not sent again, less those sent again that were not lost (modulo 2^32). */
WEIR_FN uint32_t net_tcp_missing(const net_tx *tx, const net_class *c)
{
    return tx->n_lost - (c->flags & NET_CLASS_RACK ? 0u : tx->n_again); /* RACK's are no longer lost */
}

/* SetPipe of RFC 6675: bytes believed to be on their way. A short last segment counts as a whole one. */
WEIR_FN uint32_t net_tcp_pipe(const net_tx *tx, const net_class *c)
{
    return (tx->n_out - tx->n_sacked - net_tcp_missing(tx, c)) * c->mss_bytes;
}

/* All below segment k that is not SACKed is lost. */
WEIR_FN void net_tcp_lose_to(const weir_ctx *ctx, net_tx *tx, const net_class *c, uint32_t k)
{
    if (k <= tx->lost_to)
        return;
    tx->n_lost += net_tcp_unsacked(ctx, tx, c, tx->lost_to, k);
    tx->lost_to = k;
}

/* Segment k, not SACKed and not below again_to, is sent again, with nothing unSACKed between. */
WEIR_FN void net_tcp_again(net_tx *tx, uint32_t k)
{
    tx->n_again++;
    tx->again_to = k + 1u;
}

/* Nothing has been sent again. */
WEIR_FN void net_tcp_none_again(net_tx *tx)
{
    tx->n_again = tx->again_to = 0;
}

/*
 * The oldest `n` segments are acknowledged, and una will move beyond them. Returns how many of them no SACK
 * covered.
 */
WEIR_FN uint32_t net_tcp_forget(weir_ctx *ctx, net_tx *tx, const net_class *c, uint32_t n)
{
    const uint32_t lost = n < tx->lost_to ? n : tx->lost_to, again = n < tx->again_to ? n : tx->again_to;
    uint32_t sacked = 0;
    if (lost)
        tx->n_lost -= net_tcp_unsacked(ctx, tx, c, 0, lost);
    if (again)
        tx->n_again -= net_tcp_unsacked(ctx, tx, c, 0, again);
    if (tx->n_sacked) {
        const net_map map = net_tx_row(ctx, tx, c, NET_ROW_SACKED);
        sacked = net_map_put(ctx, &map, 0, n, 0);
        tx->n_sacked -= sacked;
        tx->base = net_map_place(&map, n);
    }
    tx->n_out -= n;
    tx->lost_to -= lost;
    tx->again_to -= again;
    tx->sack_top = tx->sack_top > n ? tx->sack_top - n : 0;
    return n - sacked;
}

/* SACK [from, to). Returns how many of these segments are new. */
WEIR_FN uint32_t net_tcp_sack(weir_ctx *ctx, net_tx *tx, const net_class *c, uint32_t from, uint32_t to)
{
    const net_map map = net_tx_row(ctx, tx, c, NET_ROW_SACKED);
    const uint32_t below_lost = to < tx->lost_to ? to : tx->lost_to;
    const uint32_t below_again = to < tx->again_to ? to : tx->again_to;
    tx->n_lost -= net_tcp_unsacked(ctx, tx, c, from, below_lost);
    tx->n_again -= net_tcp_unsacked(ctx, tx, c, from, below_again);
    const uint32_t news = net_map_put(ctx, &map, from, to, 1);
    tx->n_sacked += news;
    if (to > tx->sack_top)
        tx->sack_top = to;
    return news;
}

/*
 * IsLost of RFC 6675: three SACKed runs, or more than two segments' bytes SACKed, above. With segments of one
 * size either says that three SACKed segments lie above; below the third highest all is lost that is not
 * SACKed. No further down than lost_to need be looked. With IRN one SACKed segment above is enough.
 */
WEIR_FN uint32_t net_tcp_lost_boundary(const weir_ctx *ctx, const net_tx *tx, const net_class *c)
{
    const uint32_t above = c->flags & NET_CLASS_IRN ? 1u : (uint32_t)NET_DUPACKS;
    if (tx->n_sacked < above)
        return 0;
    const net_map map = net_tx_row(ctx, tx, c, NET_ROW_SACKED);
    uint32_t k = tx->sack_top;
    for (uint32_t i = 0; i < above; i++) {
        k = net_map_last(&map, tx->lost_to, k, 1);
        if (k == NET_NO_SEGMENT)
            return 0;
    }
    return k;
}

/* Every row is empty: a new flow begins. */
WEIR_FN void net_tcp_board_init(weir_ctx *ctx, net_tx *tx, const net_class *c)
{
    const uint32_t rows = NET_TX_ROWS(c->flags);
    for (uint32_t row = 0; tx->n_sacked + tx->n_lost + tx->n_again > 0 && row < rows; row++) {
        const net_map map = net_tx_row(ctx, tx, c, row);
        net_map_put(ctx, &map, 0, 64u * map.words, 0);
    }
    tx->base = tx->n_out = tx->n_sacked = tx->n_lost = tx->n_again = 0;
    tx->lost_to = tx->again_to = tx->sack_top = 0;
    tx->n_runs = tx->runs_again = 0;
}
