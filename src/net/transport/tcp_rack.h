/*
 * RACK: losses told by time, for classes with NET_CLASS_RACK.
 *
 * Source: RFC 8985, section 6. A segment is lost when one that was sent later has been delivered and its own
 * round trip, and a reordering window, are over; retransmissions that are lost show in the same way. Rows of
 * a bit a segment: SACKed, lost and not sent again, sent again; and a row of 32 bits a segment: when it was
 * sent last, in units of 65.5 ns. Departures: whether an ACK is for an original or for what was sent again is
 * told by the least round trip (section 6.2, step 2), and by the echoed time only where una moves; the
 * reordering window is not multiplied after D-SACKs.
 */
#ifndef WI_NET_TRANSPORT_TCP_RACK_H
#define WI_NET_TRANSPORT_TCP_RACK_H

#include "net/transport/tcp_scoreboard.h"

enum { NET_RACK_UNIT_BITS = 16 };

WEIR_FN uint32_t net_rack_units(weir_time ps)
{
    return (uint32_t)((uint64_t)ps >> NET_RACK_UNIT_BITS);
}

/* Sent later, or at the same time and later in sequence (RACK_sent_after). */
WEIR_FN bool net_rack_after(uint32_t sent_a, uint32_t end_a, uint32_t sent_b, uint32_t end_b)
{
    return net_seq_before(sent_b, sent_a) || (sent_a == sent_b && net_seq_before(end_b, end_a));
}

WEIR_FN uint32_t *net_rack_stamp(const weir_ctx *ctx, const net_tx *tx, const net_class *c, uint32_t k)
{
    const net_map rows = net_tx_row(ctx, tx, c, NET_ROW_TIMES);
    return (uint32_t *)(void *)rows.word + net_map_place(&rows, k);
}

/* Segment k is sent now. */
WEIR_FN void net_rack_sent(weir_ctx *ctx, const net_tx *tx, const net_class *c, uint32_t k)
{
    uint32_t *stamp = net_rack_stamp(ctx, tx, c, k);
    weir_touch(ctx, stamp, sizeof *stamp);
    *stamp = net_rack_units(weir_now(ctx));
}

/* Segment k is sent again: lost no longer. */
WEIR_FN void net_rack_again(weir_ctx *ctx, net_tx *tx, const net_class *c, uint32_t k)
{
    const net_map lost = net_tx_row(ctx, tx, c, NET_ROW_LOST), again = net_tx_row(ctx, tx, c, NET_ROW_AGAIN);
    tx->n_lost -= net_map_put(ctx, &lost, k, k + 1u, 0);
    tx->n_again += net_map_put(ctx, &again, k, k + 1u, 1);
    if (k >= tx->again_to)
        tx->again_to = k + 1u;
    if (k == tx->lost_to)
        tx->lost_to = k + 1u;
    net_rack_sent(ctx, tx, c, k);
}

WEIR_FN void net_rack_lose(weir_ctx *ctx, net_tx *tx, const net_class *c, uint32_t k)
{
    const net_map lost = net_tx_row(ctx, tx, c, NET_ROW_LOST);
    if (tx->n_lost == 0 || k < tx->lost_to)
        tx->lost_to = k;
    tx->n_lost += net_map_put(ctx, &lost, k, k + 1u, 1);
}

/*
 * Segments [from, to) are delivered, as far as no SACK said so before: RACK_update and the detection of
 * reordering. `echo` is the time, in units, of what caused the ACK, where una moves; `now` elsewhere. Returns
 * how many are news.
 */
WEIR_FN uint32_t net_rack_deliver(weir_ctx *ctx, net_tx *tx, const net_class *c, uint32_t from, uint32_t to,
                                  uint32_t echo)
{
    const net_map again_row = net_tx_row(ctx, tx, c, NET_ROW_AGAIN);
    const uint32_t now = net_rack_units(weir_now(ctx));
    uint32_t news = 0;
    for (uint32_t k = from; (k = net_tcp_next_unsacked(ctx, tx, c, k, to)) < to; k++) {
        const uint32_t sent = *net_rack_stamp(ctx, tx, c, k), rtt = now - sent;
        const uint32_t end = net_tcp_seq_of(tx, c, k) + c->mss_bytes;
        const int again = tx->n_again && net_map_test(&again_row, k);
        news++;
        if (!again && k + 1u < tx->sack_top)
            tx->flags |= NET_TX_REORDERED;
        if (again && (net_seq_before(echo, sent) || rtt + 1u < tx->min_rtt))
            continue;
        tx->rack_rtt = rtt;
        if (!(tx->flags & NET_TX_RACK) || net_rack_after(sent, end, tx->rack_sent, tx->rack_end)) {
            tx->rack_sent = sent;
            tx->rack_end = end;
            tx->flags |= NET_TX_RACK;
        }
    }
    if (tx->n_lost) {
        const net_map lost = net_tx_row(ctx, tx, c, NET_ROW_LOST);
        tx->n_lost -= net_map_put(ctx, &lost, from, to, 0);
    }
    return news;
}

/* The oldest `n` segments are acknowledged. Returns how many of them are news. */
WEIR_FN uint32_t net_rack_forget(weir_ctx *ctx, net_tx *tx, const net_class *c, uint32_t n, uint32_t echo)
{
    const uint32_t news = net_rack_deliver(ctx, tx, c, 0, n, echo);
    const net_map sacked = net_tx_row(ctx, tx, c, NET_ROW_SACKED);
    if (tx->n_sacked)
        tx->n_sacked -= net_map_put(ctx, &sacked, 0, n, 0);
    if (tx->n_again) {
        const net_map again = net_tx_row(ctx, tx, c, NET_ROW_AGAIN);
        tx->n_again -= net_map_put(ctx, &again, 0, n, 0);
    }
    tx->base = net_map_place(&sacked, n);
    tx->n_out -= n;
    tx->lost_to = tx->lost_to > n ? tx->lost_to - n : 0;
    tx->again_to = tx->again_to > n ? tx->again_to - n : 0;
    tx->sack_top = tx->sack_top > n ? tx->sack_top - n : 0;
    return news;
}

/* SACK [from, to), of what is outstanding. Returns how many segments are news. */
WEIR_FN uint32_t net_rack_sack(weir_ctx *ctx, net_tx *tx, const net_class *c, uint32_t from, uint32_t to)
{
    const uint32_t news = net_rack_deliver(ctx, tx, c, from, to, net_rack_units(weir_now(ctx)));
    if (news) {
        const net_map sacked = net_tx_row(ctx, tx, c, NET_ROW_SACKED);
        tx->n_sacked += net_map_put(ctx, &sacked, from, to, 1);
        if (to > tx->sack_top)
            tx->sack_top = to;
    }
    return news;
}

/* Take an ACK's blocks, which count from una. Returns how many segments they tell of for the first time: any
 * makes a duplicate ACK (RFC 6675, section 2). */
WEIR_FN uint32_t net_tcp_take_sacks(weir_ctx *ctx, net_tx *tx, const net_class *c, const net_packet *ack)
{
    uint32_t news = 0;
    if (!net_ack_has_blocks(ack, c))
        return 0;
    for (uint32_t i = 0; i < NET_ACK_BLOCKS; i++) {
        const net_ack_block b = net_ack_block_at(ack, c, i);
        const uint32_t to = b.to < tx->n_out ? b.to : tx->n_out;
        if (b.from < to)
            news += c->flags & NET_CLASS_RACK ? net_rack_sack(ctx, tx, c, b.from, to)
                                              : net_tcp_sack(ctx, tx, c, b.from, to);
    }
    return news;
}

/* The first of [from, to) that is neither SACKed nor lost and has (or has not) been sent again; `to` where
 * there is none. */
WEIR_FN uint32_t net_rack_next(const weir_ctx *ctx, const net_tx *tx, const net_class *c, uint32_t from,
                               uint32_t to, int again)
{
    const net_map sacked = net_tx_row(ctx, tx, c, NET_ROW_SACKED);
    const uint32_t w = c->map_words;
    uint32_t word = 0;
    uint64_t mask = 0;
    while (from < to) {
        const uint32_t n = net_map_chunk(&sacked, from, to, &word, &mask);
        const uint64_t *at = sacked.word + word;
        const uint64_t sent_again = at[NET_ROW_AGAIN * w];
        const uint64_t found = ~(at[0] | at[NET_ROW_LOST * w]) & (again ? sent_again : ~sent_again) & mask;
        if (found)
            return from + net_bits_first(found) - net_bits_first(mask);
        from += n;
    }
    return to;
}

/* RACK_update_reo_wnd, in units: nothing in recovery, or with three segments SACKed, while no reordering has
 * been seen. */
WEIR_FN uint32_t net_rack_window(const net_tx *tx)
{
    if (!(tx->flags & NET_TX_REORDERED) && (tx->state != NET_TX_OPEN || tx->n_sacked >= NET_DUPACKS))
        return 0;
    const uint32_t quarter = tx->min_rtt / 4u, srtt = net_rack_units(tx->srtt_ps);
    return quarter < srtt ? quarter : srtt;
}

/*
 * RACK_detect_loss. Originals were sent in sequence, so the first that is too late to be lost ends the search;
 * what was sent again is looked through. Returns how long, in units, until all that was sent before what has
 * been delivered would be lost; 0: nothing is in doubt.
 */
WEIR_FN uint32_t net_rack_detect(weir_ctx *ctx, net_tx *tx, const net_class *c)
{
    const uint32_t now = net_rack_units(weir_now(ctx)), patience = tx->rack_rtt + net_rack_window(tx);
    int doubt = 0;
    if (!(tx->flags & NET_TX_RACK))
        return 0;
    for (int again = 0; again <= 1; again++) {
        const uint32_t to = again ? (tx->n_again ? tx->again_to : 0) : tx->n_out;
        for (uint32_t k = 0; (k = net_rack_next(ctx, tx, c, k, to, again)) < to; k++) {
            const uint32_t sent = *net_rack_stamp(ctx, tx, c, k);
            const uint32_t end = net_tcp_seq_of(tx, c, k) + c->mss_bytes;
            if (!net_rack_after(tx->rack_sent, tx->rack_end, sent, end)) {
                if (!again)
                    break;
                continue;
            }
            if (net_seq_before(now, sent + patience)) {
                doubt = 1;
                if (!again)
                    break;
                continue;
            }
            net_rack_lose(ctx, tx, c, k);
        }
    }
    const uint32_t until = tx->rack_sent + patience;
    return doubt ? (net_seq_before(now, until) ? until - now : 0u) + 1u : 0u;
}

/* A timeout: the first segment is lost, and what has been on its way for longer than a round trip
 * (RACK_mark_losses_on_RTO). */
WEIR_FN void net_rack_timed_out(weir_ctx *ctx, net_tx *tx, const net_class *c)
{
    const uint32_t now = net_rack_units(weir_now(ctx)), patience = tx->rack_rtt + net_rack_window(tx);
    for (int again = 0; again <= 1; again++)
        for (uint32_t k = 0; (k = net_rack_next(ctx, tx, c, k, tx->n_out, again)) < tx->n_out; k++)
            if (k == 0 || !net_seq_before(now, *net_rack_stamp(ctx, tx, c, k) + patience))
                net_rack_lose(ctx, tx, c, k);
}

/* Nothing counts as lost any more. */
WEIR_FN void net_rack_find_all(weir_ctx *ctx, net_tx *tx, const net_class *c)
{
    const net_map lost = net_tx_row(ctx, tx, c, NET_ROW_LOST);
    tx->n_lost -= net_map_put(ctx, &lost, 0, tx->n_out, 0);
}

#endif
