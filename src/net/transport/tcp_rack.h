/*
 * RACK: losses detected by time, for classes with NET_CLASS_RACK.
 *
 * Source: RFC 8985, section 6. A segment is lost when one that was sent later has been delivered and its own
 * round trip, and a reordering window, are over; retransmissions that are lost show in the same way. Rows of
 * a bit a segment: SACKed, lost and not sent again. When a segment was sent last stands once for a run of
 * segments (tcp_runs.h). Whether an ACK is for an original or for what was sent again follows from the least round trip
 * (section 6.2, step 2), and by the echoed time only where una moves (a departure). A recovery whose segments
 * were late and not lost is undone (net_rack_was_late).
 */
#ifndef WI_NET_TRANSPORT_TCP_RACK_H
#define WI_NET_TRANSPORT_TCP_RACK_H

#include "net/flow/tcp_runs.h"

/* Segment k is sent again: lost no longer. */
WEIR_FN void net_rack_again(weir_ctx *ctx, net_tx *tx, const net_class *c, uint32_t k)
{
    const net_map lost = net_tx_row(ctx, tx, c, NET_ROW_LOST);
    tx->n_lost -= net_map_put(ctx, &lost, k, k + 1u, 0);
    if (k == tx->lost_to)
        tx->lost_to = k + 1u;
    net_runs_again(ctx, tx, c, k);
}

/* Count a segment as lost. */
WEIR_FN void net_rack_lose(weir_ctx *ctx, net_tx *tx, const net_class *c, uint32_t from, uint32_t to)
{
    const net_map lost = net_tx_row(ctx, tx, c, NET_ROW_LOST);
    if (tx->n_lost == 0 || from < tx->lost_to)
        tx->lost_to = from;
    tx->n_lost += net_map_put(ctx, &lost, from, to, 1);
}

/*
 * How long after its time run `i`, of originals, may have gone on, in units: until the next of its kind began, a quarter of a
 * round trip at most. Where packets are reordered its segments wait for that too, or the end of a run would count as
 * lost before its window is over. Elsewhere what was sent before the delivered is lost at once, so 0; and what was sent
 * again is seldom reordered, but stops everything while it is lost.
 */
WEIR_FN uint32_t net_rack_slack(const net_tx *tx, const net_runs *runs, uint32_t i)
{
    const uint32_t sent = runs->run[i].sent;
    uint32_t most = net_rack_units(tx->srtt_ps) / 4u;
    if (!(tx->flags & NET_TX_REORDERED) || net_run_again(tx, i))
        return 0;
    if (net_seq_before(tx->last_new, sent + most))
        most = net_seq_before(sent, tx->last_new) ? tx->last_new - sent : 0;
    for (uint32_t k = 0; k < tx->n_runs; k++) {
        const uint32_t other = runs->run[k].sent;
        if (!net_run_again(tx, k) && net_seq_before(sent, other) && other - sent < most)
            most = other - sent;
    }
    return most;
}

/* RACK_update for a segment of run `i` that ends at `end`, whose ACK echoes `echo`, in units. */
WEIR_FN void net_rack_update(const weir_ctx *ctx, net_tx *tx, const net_runs *runs, uint32_t i, uint32_t end,
                             uint32_t echo)
{
    const uint32_t sent = runs->run[i].sent;
    const uint32_t rtt = net_rack_units(weir_now(ctx)) - sent;
    if (net_run_again(tx, i) && (net_seq_before(echo, sent) || rtt + 1u < tx->min_rtt))
        return;
    tx->rack_rtt = rtt;
    if ((tx->flags & NET_TX_RACK) && !net_rack_after(sent, end, tx->rack_sent, tx->rack_end))
        return;
    tx->rack_sent = sent;
    tx->rack_end = end;
    tx->flags |= NET_TX_RACK;
}

/*
 * Segments [from, to) are delivered, as far as no SACK has covered them before: RACK_update and the detection of
 * reordering, a run at a time. `echo` is the time, in units, of what caused the ACK, where una moves; `now`
 * elsewhere. Returns how many are news.
 */
WEIR_FN uint32_t net_rack_deliver(weir_ctx *ctx, net_tx *tx, const net_class *c, uint32_t from, uint32_t to,
                                  uint32_t echo)
{
    const net_runs runs = net_runs_of(ctx, tx, c);
    const net_map sacked = net_tx_row(ctx, tx, c, NET_ROW_SACKED);
    uint32_t news = 0;
    for (uint32_t i = 0, k = from; k < to && i < tx->n_runs; i++) {
        const uint32_t top = net_run_top(tx, c, &runs, i);
        const uint32_t end = top < to ? top : to;
        if (end <= k)
            continue;
        const uint32_t first = net_tcp_next_unsacked(ctx, tx, c, k, end);
        if (first < end) {
            const uint32_t last = tx->n_sacked ? net_map_last(&sacked, first, end, 0) : end - 1u;
            news += net_tcp_unsacked(ctx, tx, c, first, end);
            if (!net_run_again(tx, i) && first + 1u < tx->sack_top)
                tx->flags |= NET_TX_REORDERED;
            net_rack_update(ctx, tx, &runs, i, net_tcp_seq_of(tx, c, last) + c->mss_bytes, echo);
        }
        k = end;
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
    net_runs_forget(ctx, tx, c, n);
    tx->base = net_map_place(&sacked, n);
    tx->n_out -= n;
    tx->lost_to = tx->lost_to > n ? tx->lost_to - n : 0;
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

/* Take an ACK's blocks, which count from una. Returns how many segments they cover for the first time: any
 * makes a duplicate ACK (RFC 6675, section 2). */
WEIR_FN uint32_t net_tcp_accept_sacks(weir_ctx *ctx, net_tx *tx, const net_class *c, const net_packet *ack)
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

/* What a D-SACK does to the reordering window (RACK_update_reo_wnd): a quarter of a round trip more, once a round trip,
 * for the next 16 recoveries. A D-SACK of a loss probe is no sign of reordering, as in Linux. */
WEIR_FN void net_rack_accept_dsack(net_tx *tx, const net_packet *p)
{
    const uint16_t probe = NET_TX_PROBE | NET_TX_PROBE_AGAIN;
    if (!net_seq_before(tx->una, tx->dsack_round))
        tx->flags &= (uint16_t)~NET_TX_DSACKED;
    if (!(p->flags & NET_DSACK) || (tx->flags & NET_TX_DSACKED) || (tx->flags & probe) == probe)
        return;
    tx->flags |= NET_TX_DSACKED;
    tx->dsack_round = tx->nxt;
    tx->reo_steps += tx->reo_steps < UINT8_MAX;
    tx->reo_left = 16;
}

/* A recovery, by timeout or not, is over. */
WEIR_FN void net_rack_recovered(net_tx *tx)
{
    if (tx->reo_left > 0 && --tx->reo_left == 0)
        tx->reo_steps = 0;
}

/*
 * An ACK that moves una in a recovery, and echoes `echo`, in units. Returns whether the recovery was for nothing: what
 * filled the hole was sent before it began, as all that did (RFC 3522, section 3.2, step 5), nothing counts as
 * lost any more, and nothing that was sent again is still out, as Linux asks.
 */
WEIR_FN bool net_rack_was_late(const weir_ctx *ctx, net_tx *tx, const net_class *c, uint32_t echo)
{
    if (tx->undo_since == 0)
        return false;
    if (!net_seq_before(echo, tx->undo_since)) {
        tx->undo_since = 0;
        return false;
    }
    const net_runs runs = net_runs_of(ctx, tx, c);
    tx->flags |= NET_TX_REORDERED;
    if (tx->n_lost)
        return false;
    for (uint32_t i = 0, from = 0; i < tx->n_runs; i++) {
        const uint32_t to = net_run_top(tx, c, &runs, i);
        if (net_run_again(tx, i) && net_tcp_next_unsacked(ctx, tx, c, from, to) < to)
            return false;
        from = to;
    }
    return true;
}

/* RACK_update_reo_wnd, in units: nothing in recovery, or with three segments SACKed, while no reordering has
 * been seen. */
WEIR_FN uint32_t net_rack_window(const net_tx *tx)
{
    if (!(tx->flags & NET_TX_REORDERED) && (tx->state != NET_TX_OPEN || tx->n_sacked >= NET_DUPACKS))
        return 0;
    const uint64_t window = (uint64_t)tx->min_rtt * (1u + tx->reo_steps) / 4u;
    const uint32_t srtt = net_rack_units(tx->srtt_ps);
    return window < srtt ? (uint32_t)window : srtt;
}

/* How long after it was sent a segment is lost, `slack` for what is not known of when that was: the last round trip and
 * the window, at most NET_RACK_OLD. */
WEIR_FN uint32_t net_rack_patience(const net_tx *tx, uint32_t slack)
{
    const uint64_t patience = (uint64_t)tx->rack_rtt + net_rack_window(tx) + slack;
    return patience < NET_RACK_OLD ? (uint32_t)patience : NET_RACK_OLD;
}

/* The time from `now` until `end`, in units; 0 where that is over. */
WEIR_FN uint32_t net_rack_until(uint32_t now, uint32_t end)
{
    return net_seq_before(now, end) ? end - now : 0;
}

/* Whether segments of run `i` below the returned number were sent before what has been delivered: all, none,
 * or, within one run, those that lie below it. */
WEIR_FN uint32_t net_rack_before(const net_tx *tx, const net_class *c, const net_runs *runs, uint32_t i)
{
    const uint32_t sent = runs->run[i].sent, top = net_run_top(tx, c, runs, i);
    if (sent != tx->rack_sent)
        return net_seq_before(sent, tx->rack_sent) ? top : 0;
    if (!net_seq_before(tx->una, tx->rack_end))
        return 0;
    const uint32_t to = net_tcp_segments(c, tx->rack_end - tx->una);
    return to < top ? to : top;
}

/*
 * RACK_detect_loss, a run at a time. Returns how long, in units, until all that was sent before what has been
 * delivered would be lost; 0: nothing is in doubt.
 */
WEIR_FN uint32_t net_rack_detect(weir_ctx *ctx, net_tx *tx, const net_class *c)
{
    const uint32_t now = net_rack_units(weir_now(ctx));
    const net_runs runs = net_runs_of(ctx, tx, c);
    uint32_t wait = net_rack_until(now, tx->rack_sent + net_rack_patience(tx, 0));
    int doubt = 0;
    if (!(tx->flags & NET_TX_RACK))
        return 0;
    for (uint32_t i = 0, from = 0; i < tx->n_runs; i++) {
        const uint32_t to = net_rack_before(tx, c, &runs, i);
        if (from < to) {
            const uint32_t slack = net_rack_slack(tx, &runs, i);
            const uint32_t left = net_rack_until(now, runs.run[i].sent + net_rack_patience(tx, slack));
            for (uint32_t k = from; (k = net_tcp_next_flying(ctx, tx, c, k, to)) < to; k++) {
                if (left) {
                    doubt = 1;
                    wait = left > wait ? left : wait;
                    break;
                }
                net_rack_lose(ctx, tx, c, k, k + 1u);
            }
        } else if (tx->runs_again == 0) {
            break; /* originals were sent in sequence */
        }
        if (i + 1u < tx->n_runs)
            from = net_run_top(tx, c, &runs, i);
    }
    return doubt ? wait + 1u : 0u;
}

/* A timeout: the first segment is lost, and what has been on its way for longer than a round trip
 * (RACK_mark_losses_on_RTO). */
WEIR_FN void net_rack_timed_out(weir_ctx *ctx, net_tx *tx, const net_class *c)
{
    const uint32_t now = net_rack_units(weir_now(ctx)), patience = net_rack_patience(tx, 0);
    const net_runs runs = net_runs_of(ctx, tx, c);
    for (uint32_t i = 0, from = 0; i < tx->n_runs; i++) {
        const uint32_t top = net_run_top(tx, c, &runs, i);
        const uint32_t to = net_seq_before(now, runs.run[i].sent + patience) ? (i == 0) : top;
        for (uint32_t k = from; (k = net_tcp_next_flying(ctx, tx, c, k, to)) < to; k++)
            net_rack_lose(ctx, tx, c, k, k + 1u);
        from = top;
    }
}

/* Nothing counts as lost any more. */
WEIR_FN void net_rack_find_all(weir_ctx *ctx, net_tx *tx, const net_class *c)
{
    const net_map lost = net_tx_row(ctx, tx, c, NET_ROW_LOST);
    tx->n_lost -= net_map_put(ctx, &lost, 0, tx->n_out, 0);
}

#endif
