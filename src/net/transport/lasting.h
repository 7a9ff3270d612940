/*
 * Connections that last: one serves the replies to a client one after another, and its window, round-trip time and
 * congestion control's state go on from one to the next (NET_CLASS_LASTS). A reply's sequence numbers begin some way above
 * those of the one before, as for every new use of a slot (tcp_sender.h).
 *
 * NET_CLASS_RESTART: RFC 5681, section 4.1. After an interval of more than the RTO in which nothing was sent, the window is at
 * most the initial one, the restart window. ssthresh stays, so that slow start leads back to it.
 *
 * NET_CLASS_VALIDATES: congestion window validation, RFC 7661. pipeACK is the most that was acknowledged in a round trip, of
 * the last max(3 SRTT, 1 s), kept as five periods (section 4.5.1's example); undefined before the first sample, and after a
 * recovery; 0 where there is none so young. The window is validated while pipeACK is undefined or at least half of it. While
 * it is not, it stays: ACKs do not open it unless it was full, as it is all along in slow start, where pipeACK lags by a round
 * trip; a loss leaves half of max(pipeACK, flight), and at the recovery's end half of that less what was sent again (4.4.1);
 * after each 5 minutes (the NVP) it is halved, at least the initial window, with ssthresh at least 3/4 of it (4.4.3). A round
 * trip is measured by sequence numbers: from an ACK to the first one of something sent after it, or of the last that was sent.
 * Of section 4.4.2, which wants bursts bounded, nothing more is done than for any sender here: bursts of eight segments, or
 * pacing. Not read in the RFC's own words, which were not at hand, but in parts of three implementations that cite it, two of
 * them by its authors' group.
 */
#ifndef WI_NET_TRANSPORT_LASTING_H
#define WI_NET_TRANSPORT_LASTING_H

#include "net/congestion/congestion.h"
#include "net/flow/tcp_timer.h"

#define NET_NVP_PS (300 * WEIR_PS_PER_S)
enum { NET_PIPE_PERIODS = 5 };

/* pipeACK, and what follows from it. */
typedef struct net_validation {
    weir_time valid_ps;                   /* when the window was last validated, or halved for not being */
    weir_time since_ps[NET_PIPE_PERIODS]; /* periods, a ring: when each began, */
    uint32_t most[NET_PIPE_PERIODS];      /* and its largest sample in bytes */
    uint32_t head, n;                     /* the latest, and how many there are; none: undefined */
    uint32_t from,
        to; /* the sample under way: what was acknowledged, and what had been sent, when it began */
    uint32_t pipe,
        again; /* of a recovery: max(pipeACK, flight), and the flow's retransmissions when it began; pipe 0: none */
    uint32_t sampling; /* from and to hold */
} net_validation;

/* Of a sender, beside its window; the second only with NET_CLASS_VALIDATES. */
typedef struct net_lasting {
    weir_time sent_ps; /* when data went last */
    net_validation validation;
} net_lasting;
WEIR_STATIC_ASSERT(sizeof(net_lasting) == NET_VALIDATING_WORDS * sizeof(uint64_t), "its words");

/* A lasting connection's words, touched. */
WEIR_FN net_lasting *net_lasting_of(weir_ctx *ctx, const net_tx *tx, const net_class *c)
{
    const uint32_t first =
        NET_TX_ROWS(c->flags) * c->map_words + (c->flags & NET_CLASS_RACK ? (uint32_t)NET_RUNS : 0u);
    void *at = weir_slot(ctx, NET_POOL_WINDOW, tx->map + first, (uint32_t)sizeof(uint64_t));
    weir_touch(ctx, at, NET_LASTING_WORDS(c->flags) * (uint32_t)sizeof(uint64_t));
    return (net_lasting *)at;
}

/* A segment goes. */
WEIR_FN void net_lasting_send(weir_ctx *ctx, const net_tx *tx, const net_class *c)
{
    if (WEIR_LIKELY(!(c->flags & NET_CLASS_LASTS)))
        return;
    net_lasting_of(ctx, tx, c)->sent_ps = weir_now(ctx);
}

/* pipeACK in bytes; UINT32_MAX: undefined. */
WEIR_FN uint32_t net_pipe_ack(const net_validation *v, weir_time srtt_ps, weir_time now_ps)
{
    const weir_time span_ps = 3 * srtt_ps > WEIR_PS_PER_S ? 3 * srtt_ps : WEIR_PS_PER_S;
    uint32_t most = 0;
    for (uint32_t i = 0; i < v->n; i++) {
        const uint32_t k = (v->head + NET_PIPE_PERIODS - i) % NET_PIPE_PERIODS;
        most = now_ps - v->since_ps[k] < span_ps && v->most[k] > most ? v->most[k] : most;
    }
    return v->n > 0 ? most : UINT32_MAX;
}

/* Whether the window is validated. */
WEIR_FN bool net_validated(const net_validation *v, const net_tx *tx, weir_time now_ps)
{
    return net_pipe_ack(v, tx->srtt_ps, now_ps) >= tx->cwnd / 2;
}

/* A sample: into the latest period, or one that begins. */
WEIR_FN void net_pipe_put(net_validation *v, uint32_t bytes, weir_time srtt_ps, weir_time now_ps)
{
    const weir_time span_ps = 3 * srtt_ps > WEIR_PS_PER_S ? 3 * srtt_ps : WEIR_PS_PER_S;
    if (v->n > 0 && now_ps - v->since_ps[v->head] < span_ps / NET_PIPE_PERIODS) {
        v->most[v->head] = bytes > v->most[v->head] ? bytes : v->most[v->head];
        return;
    }
    v->head = (v->head + 1u) % NET_PIPE_PERIODS;
    v->since_ps[v->head] = now_ps;
    v->most[v->head] = bytes;
    v->n += v->n < NET_PIPE_PERIODS;
}

/* The connection begins. */
NET_RARE void net_validation_begin(net_validation *v, weir_time now_ps)
{
    v->valid_ps = now_ps;
    v->head = v->n = v->pipe = v->again = v->sampling = 0;
}

/* Halve what has not been validated for an NVP, for each. */
WEIR_FN void net_validation_expire(net_validation *v, net_tx *tx, const net_class *c, weir_time now_ps)
{
    if (net_validated(v, tx, now_ps)) {
        v->valid_ps = now_ps;
        return;
    }
    for (; now_ps - v->valid_ps > NET_NVP_PS && tx->cwnd > c->initial_window_bytes;
         v->valid_ps += NET_NVP_PS) {
        const uint32_t part = tx->cwnd / 4 * 3, half = tx->cwnd / 2;
        tx->ssthresh = tx->ssthresh > part ? tx->ssthresh : part;
        tx->cwnd = half > c->initial_window_bytes ? half : c->initial_window_bytes;
    }
}

/* An ACK of new data that found the sender in this state, before: sample, and decide whether it may open the window. */
NET_RARE void net_validation_on_ack(net_validation *v, net_tx *tx, const net_class *c, int before,
                                    net_cc_event *e)
{
    if (tx->state != NET_TX_OPEN ||
        before != NET_TX_OPEN) { /* none while anything is mended, and anew after it */
        v->n = v->sampling = 0;
        if (tx->state == NET_TX_OPEN && before == NET_TX_RECOVERY && v->pipe) {
            const uint32_t again = (tx->retransmissions - v->again) * c->mss_bytes;
            const uint32_t half = v->pipe > again ? (v->pipe - again) / 2 : 0, least = 2 * c->mss_bytes;
            tx->cwnd = tx->ssthresh = half > least ? half : least;
            v->pipe = 0;
        }
        return;
    }
    const uint32_t begun = v->sampling ? v->from : tx->una - e->acked;
    const bool over = tx->una == tx->nxt || (v->sampling && net_seq_before(v->to, tx->una));
    if (over)
        net_pipe_put(v, tx->una - begun, tx->srtt_ps, e->now_ps);
    if (over || !v->sampling) {
        v->from = over ? tx->una : begun;
        v->to = tx->nxt;
        v->sampling = 1;
    }
    net_validation_expire(v, tx, c, e->now_ps);
    const uint32_t flight = tx->nxt - tx->una + e->acked;
    if (flight + c->mss_bytes <= tx->cwnd && !net_validated(v, tx, e->now_ps))
        e->grows = 0;
}

/* A loss or a mark: the threshold that a window leaves which is not validated; otherwise the control's own. */
NET_RARE uint32_t net_validation_on_loss(net_validation *v, const net_tx *tx, const net_class *c,
                                         uint32_t threshold, const net_cc_event *e)
{
    const uint32_t pipe = net_pipe_ack(v, tx->srtt_ps, e->now_ps), least = 2 * c->mss_bytes;
    v->pipe = 0;
    if (pipe >= tx->cwnd / 2 || e->sign == NET_CC_TIMEOUT)
        return threshold;
    const uint32_t used = pipe > e->flight ? pipe : e->flight;
    v->pipe = e->sign == NET_CC_LOST ? used : 0;
    v->again = tx->retransmissions;
    return used / 2 > least ? used / 2 : least;
}

/* The connection has something to send again. */
NET_RARE void net_lasting_resume(weir_ctx *ctx, net_tx *tx, const net_class *c)
{
    net_lasting *l = net_lasting_of(ctx, tx, c);
    const weir_time now = weir_now(ctx), idle_ps = now - l->sent_ps;
    if ((c->flags & NET_CLASS_RESTART) && idle_ps > net_tcp_rto(tx, c) && tx->cwnd > c->initial_window_bytes)
        tx->cwnd = c->initial_window_bytes;
    if (c->flags & NET_CLASS_VALIDATES) {
        l->validation.sampling = l->validation.pipe = 0;
        net_validation_expire(&l->validation, tx, c, now);
    }
    net_cc_on_idle(ctx, tx, c, idle_ps);
}

#endif
