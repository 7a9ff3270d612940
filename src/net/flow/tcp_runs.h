/*
 * When segments were sent last, once for a run of them: what RACK (RFC 8985) must know of what is in flight.
 *
 * Runs divide what is outstanding by sequence. What lies in one run was sent last in sequence, all of it as
 * originals or all of it again, within a quarter of a round trip, and counts as sent when its first was; what
 * is SACKed or lost in between belongs to it and does not count. So the order of any two segments is that of
 * their runs' times, then that of their numbers, and exact: what goes again after new data begins a later run,
 * new data after it may have the same time, as it lies above. A window is a few runs however long it is. Where
 * NET_RUNS are not enough, neighbours become one and count as sent at the later time: of what was sent again
 * first, so that its loss shows later, never too early. Where no window ends at a hole (NDP), the first run stays
 * as it is: it would take up all others, and never be old.
 */
#pragma once

#include "net/flow/tcp_scoreboard.h"

enum { NET_RACK_UNIT_BITS = 16 };

/* 80 s in units. Times are differences modulo 281 s, and compared within half of that: nothing counts as older, and
 * nobody waits for longer (net_rack_age). A timeout comes within another 60 s. */
#define NET_RACK_OLD 1220703125u

typedef struct net_sent_run {
    uint32_t from; /* sequence number; it ends where the next begins, the last one at nxt */
    uint32_t sent; /* in units of 2^16 ps */
} net_sent_run;
WEIR_STATIC_ASSERT(sizeof(net_sent_run) == sizeof(uint64_t), "a run is a word of the window's pool");

typedef struct net_runs {
    net_sent_run *run;
} net_runs;

/* A time in units of 2^16 ps. */
WEIR_FN uint32_t net_rack_units(weir_time ps)
{
    return (uint32_t)((uint64_t)ps >> NET_RACK_UNIT_BITS);
}

/* Sent later, or at the same time and later in sequence (RACK_sent_after). */
WEIR_FN bool net_rack_after(uint32_t sent_a, uint32_t end_a, uint32_t sent_b, uint32_t end_b)
{
    return net_seq_before(sent_b, sent_a) || (sent_a == sent_b && net_seq_before(end_b, end_a));
}

/* A sender's runs. */
WEIR_FN net_runs net_runs_of(const weir_ctx *ctx, const net_tx *tx, const net_class *c)
{
    net_runs runs;
    runs.run = (net_sent_run *)weir_slot(ctx, NET_POOL_WINDOW, tx->map + NET_ROW_RUNS * c->map_words,
                                         (uint32_t)sizeof(net_sent_run));
    return runs;
}

/* Whether run i was sent again. */
WEIR_FN bool net_run_again(const net_tx *tx, uint32_t i)
{
    return ((tx->runs_again >> i) & 1) != 0;
}

/* A time as it is compared: at most NET_RACK_OLD ago. Retransmissions may stand a few units in the future. */
WEIR_FN uint32_t net_rack_aged(uint32_t sent, uint32_t now)
{
    const uint32_t age = now - sent, ahead = 1u << 20;
    return age > NET_RACK_OLD && age < UINT32_MAX - ahead ? now - NET_RACK_OLD : sent;
}

/*
 * Where segments may be out for minutes (a link that is down, or sends for that long what waits before it), what was
 * sent so long ago that it looks like the future counts as NET_RACK_OLD. At each timeout, and at ACKs that come after
 * one or with a round trip of many seconds: all others are in time.
 */
WEIR_FN void net_rack_age(weir_ctx *ctx, net_tx *tx, const net_class *c)
{
    const uint32_t now = net_rack_units(weir_now(ctx));
    net_runs runs = net_runs_of(ctx, tx, c);
    tx->rack_sent = net_rack_aged(tx->rack_sent, now);
    weir_touch(ctx, runs.run, NET_RUNS * sizeof *runs.run);
    for (uint32_t i = 0; i < tx->n_runs; i++)
        runs.run[i].sent = net_rack_aged(runs.run[i].sent, now);
}

/* The segment behind run `i`. */
WEIR_FN uint32_t net_run_top(const net_tx *tx, const net_class *c, const net_runs *runs, uint32_t i)
{
    if (i + 1u >= tx->n_runs)
        return tx->n_out;
    const uint32_t end = runs->run[i + 1u].from;
    return net_seq_before(tx->una, end) ? (end - tx->una) / c->mss_bytes : 0;
}

/* The time for what is sent now, new or again. */
WEIR_FN uint32_t net_runs_now(const weir_ctx *ctx, net_tx *tx, int again)
{
    const uint32_t now = net_rack_units(weir_now(ctx)), quarter = net_rack_units(tx->srtt_ps) / 4u;
    if (tx->n_runs == 0 || net_seq_before(tx->runs_now + quarter, now)) {
        tx->runs_now = now;
        tx->flags &= (uint16_t)~NET_TX_RUN_NEW;
    } else if (again && (tx->flags & NET_TX_RUN_NEW)) {
        tx->runs_now = net_seq_max(now, tx->runs_now + 1u);
        tx->flags &= (uint16_t)~NET_TX_RUN_NEW;
    }
    if (!again)
        tx->flags |= NET_TX_RUN_NEW;
    return tx->runs_now;
}

/* Remove n runs from number i on. */
WEIR_FN void net_runs_drop(net_tx *tx, net_runs *runs, uint32_t at, uint32_t n)
{
    for (uint32_t i = at; i + n < tx->n_runs; i++)
        runs->run[i] = runs->run[i + n];
    const uint32_t below = tx->runs_again & ((1u << at) - 1u);
    tx->runs_again = (uint8_t)(below | (uint32_t)(tx->runs_again >> (at + n)) << at);
    tx->n_runs = (uint8_t)(tx->n_runs - n);
}

/* Insert a run as number i. */
WEIR_FN void net_runs_insert(net_tx *tx, net_runs *runs, uint32_t at, uint32_t from, uint32_t sent, int again)
{
    for (uint32_t i = tx->n_runs; i > at; i--)
        runs->run[i] = runs->run[i - 1u];
    const uint32_t below = tx->runs_again & ((1u << at) - 1u), above = (uint32_t)tx->runs_again >> at;
    runs->run[at].from = from;
    runs->run[at].sent = sent;
    tx->runs_again = (uint8_t)(below | (uint32_t)(again != 0) << at | above << (at + 1u));
    tx->n_runs++;
}

/* What is lost by making runs `i` and `i` + 1 one: the time between them; more where they are new data, and yet
 * more where something went again between them, or only one of them is. */
WEIR_FN uint32_t net_runs_apart(const net_tx *tx, const net_runs *runs, uint32_t i)
{
    const uint32_t a = runs->run[i].sent, b = runs->run[i + 1u].sent;
    const uint32_t apart = net_seq_before(a, b) ? b - a : a - b;
    uint32_t worse = (uint32_t)(net_run_again(tx, i) + net_run_again(tx, i + 1u));
    worse = worse == 2u ? 0u : worse + 1u;
    for (uint32_t k = 0; worse == 1u && k < tx->n_runs; k++)
        if (net_run_again(tx, k) && net_seq_before(a, runs->run[k].sent) &&
            !net_seq_before(b, runs->run[k].sent))
            worse++;
    return apart / 4u + worse * (UINT32_MAX / 4u);
}

/* Make room for `n` more. */
WEIR_FN void net_runs_merge(net_tx *tx, const net_class *c, net_runs *runs, uint32_t n)
{
    while (tx->n_runs + n > NET_RUNS) {
        const uint32_t first = (c->flags & NET_CLASS_NDP) != 0;
        uint32_t best = first, least = UINT32_MAX;
        for (uint32_t i = first; i + 1u < tx->n_runs; i++) {
            const uint32_t apart = net_runs_apart(tx, runs, i);
            if (apart < least) {
                least = apart;
                best = i;
            }
        }
        const net_sent_run low = runs->run[best];
        const int again = net_run_again(tx, best);
        net_runs_drop(tx, runs, best, 1);
        runs->run[best].from = low.from;
        if (net_seq_before(runs->run[best].sent, low.sent))
            runs->run[best].sent = low.sent;
        tx->runs_again = (uint8_t)(tx->runs_again | again << best);
    }
}

/* New data goes, from nxt on. */
WEIR_FN void net_runs_new(weir_ctx *ctx, net_tx *tx, const net_class *c)
{
    const uint32_t sent = net_runs_now(ctx, tx, 0);
    net_runs runs = net_runs_of(ctx, tx, c);
    const uint32_t last = tx->n_runs - 1u;
    if (tx->n_runs && !net_run_again(tx, last) && runs.run[last].sent == sent)
        return;
    weir_touch(ctx, runs.run, NET_RUNS * sizeof *runs.run);
    net_runs_merge(tx, c, &runs, 1);
    net_runs_insert(tx, &runs, tx->n_runs, tx->nxt, sent, 0);
}

/* The first of [from, to) that is neither SACKed nor lost; `to` where there is none. */
WEIR_FN uint32_t net_tcp_next_flying(const weir_ctx *ctx, const net_tx *tx, const net_class *c, uint32_t from,
                                     uint32_t to)
{
    const net_map sacked = net_tx_row(ctx, tx, c, NET_ROW_SACKED);
    uint32_t word = 0;
    uint64_t mask = 0;
    while (from < to) {
        const uint32_t n = net_map_chunk(&sacked, from, to, &word, &mask);
        const uint64_t *at = sacked.word + word;
        const uint64_t found = ~(at[0] | at[NET_ROW_LOST * c->map_words]) & mask;
        if (found)
            return from + net_bits_first(found) - net_bits_first(mask);
        from += n;
    }
    return to;
}

/* Segment k, which counted as lost, goes again. */
WEIR_FN void net_runs_again(weir_ctx *ctx, net_tx *tx, const net_class *c, uint32_t k)
{
    const uint32_t sent = net_runs_now(ctx, tx, 1), seq = net_tcp_seq_of(tx, c, k);
    const uint32_t end = seq + net_tcp_length_of(tx, c, k);
    net_runs runs = net_runs_of(ctx, tx, c);
    uint32_t i = 0;
    weir_touch(ctx, runs.run, NET_RUNS * sizeof *runs.run);
    while (i + 1u < tx->n_runs && !net_seq_before(seq, runs.run[i + 1u].from))
        i++;
    /* Run i has it, or will: does the one before go on up to here? */
    if (i > 0 && net_run_again(tx, i - 1u) && runs.run[i - 1u].sent == sent &&
        net_tcp_next_flying(ctx, tx, c, net_run_top(tx, c, &runs, i - 1u), k) == k) {
        if (net_run_top(tx, c, &runs, i) == k + 1u)
            net_runs_drop(tx, &runs, i, 1);
        else
            runs.run[i].from = end;
        return;
    }
    if (net_run_again(tx, i) && runs.run[i].sent == sent)
        return;
    net_runs_merge(tx, c, &runs, 2);
    for (i = 0; i + 1u < tx->n_runs && !net_seq_before(seq, runs.run[i + 1u].from);)
        i++;
    const net_sent_run old = runs.run[i];
    const int again = net_run_again(tx, i);
    if (net_run_top(tx, c, &runs, i) > k + 1u)
        net_runs_insert(tx, &runs, i + 1u, end, old.sent, again);
    net_runs_insert(tx, &runs, i + 1u, seq, sent, 1);
    if (!net_seq_before(old.from, seq) ||
        net_tcp_next_flying(ctx, tx, c, i ? net_run_top(tx, c, &runs, i - 1u) : 0u, k) == k) {
        runs.run[i + 1u].from = old.from;
        net_runs_drop(tx, &runs, i, 1);
    }
}

/* The oldest `n` segments are acknowledged; una has not moved yet. */
WEIR_FN void net_runs_forget(weir_ctx *ctx, net_tx *tx, const net_class *c, uint32_t n)
{
    net_runs runs = net_runs_of(ctx, tx, c);
    uint32_t gone = 0;
    if (n == tx->n_out) {
        tx->n_runs = tx->runs_again = 0;
        return;
    }
    const uint32_t una = net_tcp_seq_of(tx, c, n);
    while (gone + 1u < tx->n_runs && !net_seq_before(una, runs.run[gone + 1u].from))
        gone++;
    if (gone == 0)
        return;
    weir_touch(ctx, runs.run, NET_RUNS * sizeof *runs.run);
    net_runs_drop(tx, &runs, 0, gone);
}
