/*
 * A script against weir's sender, or its receiver: host 0 of two on a fast wire sends as in any simulation, or host 1 receives; what
 * it sends is kept and goes nowhere, and the script plays the peer. Compared are numbers, lengths, times, ECN's flags and the sender's state; PSH and the
 * exchange of FINs have no counterpart and are set aside, as are pure ACKs of the peer's SYN and FIN. Weir's handshake is the sender's:
 * where the script's peer opens, the SYN of weir's stands for the script's SYN and ACK, and comes when that is due.
 */
#ifndef TESTS_NET_PACKETDRILL_PLAY_H
#define TESTS_NET_PACKETDRILL_PLAY_H

#include "net/packetdrill/code.h"
#include "net/packetdrill/setting.h"

enum { PD_SENT = 4096 };
#define PD_BEGIN_PS (1 * SEC)  /* the script's time 0 */
#define PD_SETTLE_PS (20 * US) /* for what goes at once to have gone, on the fast wire */
#define PD_RATE_BPS UINT64_C(1000000000000)

typedef struct pd_sent {
    weir_time at_ps;
    uint32_t seq, length;
    uint8_t flags;
    net_packet packet;
} pd_sent;

typedef struct pd_play {
    pd_script *script;
    pd_setting set;
    wire *w;
    pd_sent sent[PD_SENT];
    uint32_t n_sent, n_seen; /* seen: compared with the script */
    uint32_t n_compared, n_aside;
    char aside[256];
    weir_time reference_ps; /* of relative times */
    weir_time stamp_ps;     /* when the first timestamp went, */
    uint32_t stamp;         /* and what it was */
    pd_names names;
    char failure[256];
    uint32_t delivered_ce; /* packets that the sender has been told came marked */
    bool closed;
    bool merged; /* the last data came as one of several, which Linux acknowledges once */
} pd_play;

#define pd_fail(p, e, ...) pd_fail_at(p, (e)->line, __VA_ARGS__)
__attribute__((format(printf, 3, 4))) static inline void pd_fail_at(pd_play *p, int line, const char *format,
                                                                    ...)
{
    char text[200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    pd_note(p->failure, sizeof p->failure, "line %d: %s", line, text);
}

static inline void pd_set_aside(pd_play *p, const char *what)
{
    p->n_aside++;
    if (!strstr(p->aside, what))
        snprintf(p->aside + strlen(p->aside), sizeof p->aside - strlen(p->aside), "%s%s",
                 *p->aside ? ", " : "", what);
}

static inline bool pd_keep(wire *w, net_packet *packet)
{
    pd_play *p = w->user;
    if (p->n_sent < PD_SENT)
        p->sent[p->n_sent++] =
            (pd_sent){w->now, packet->seq, packet->bytes - NET_HEADER_TCP, packet->flags, *packet};
    return true;
}

static inline net_class pd_class(const pd_setting *set)
{
    static const net_cubic_params cubic = {true, true, NET_CUBIC_HYSTART_LINUX};
    net_class c = plain_tcp();
    c.flags = NET_CLASS_HANDSHAKE | NET_CLASS_LASTS | net_cc_traits(set->congestion);
    c.flags |= set->sack ? NET_CLASS_SACK | (set->rack ? NET_CLASS_RACK : 0) : 0;
    c.flags |= (set->ecn ? NET_CLASS_ECN : 0) | (set->accurate ? NET_CLASS_ACE : 0) |
               (set->restart ? NET_CLASS_RESTART : 0) | (set->paced ? NET_CLASS_PACED : 0);
    c.flags |= set->probes ? 0 : NET_CLASS_NO_PROBES;
    c.congestion = (uint16_t)set->congestion;
    if (set->congestion == NET_CC_CUBIC)
        memcpy(c.cc, &cubic, sizeof cubic);
    c.mss_bytes = set->mss;
    c.initial_window_bytes = 10 * set->mss;
    c.window_bytes = 16000 * set->mss;
    c.delayed_ack = 2;
    return c;
}

/* The sender's slot, and its sequence number of the script's 0. */
static inline net_tx *pd_tx(pd_play *p)
{
    return &p->w->tx[0];
}

static inline uint32_t pd_seq(const pd_play *p, uint32_t script)
{
    return p->w->tx[0].first + script - 1u;
}

/* Handle what comes before `until`, or, where `packets`, until there is one to compare. */
static inline void pd_run(pd_play *p, weir_time until, bool packets)
{
    while (!(packets && p->n_seen < p->n_sent) && wire_next(p->w) < until)
        wire_run(p->w, wire_next(p->w) + 1);
}

/* The connection begins: the flow of the plan starts now, with nothing to send yet. */
static inline void pd_open(pd_play *p, weir_time now)
{
    p->w = wire_new(pd_class(&p->set), 1, PD_RATE_BPS, 1000);
    p->w->lose = pd_keep;
    p->w->user = p;
    if (p->set.receives) {
        p->w->n_pending = 0;
        return;
    }
    for (uint32_t i = 0; i < p->w->n_pending; i++)
        p->w->pending[i].head.time_ps = now;
    wire_run(p->w, now + 1);
    pd_tx(p)->flags &= (uint16_t)~NET_TX_UNBOUNDED;
}

/* The application writes: on a connection that was idle, as a lasting connection goes on with its next reply. */
static inline void pd_write(pd_play *p, weir_time now, uint32_t bytes)
{
    net_tx *tx = pd_tx(p);
    wire_enter(p->w, 0, now, WIRE_OUT);
    const net_view h = net_host_view(&p->w->ctx, &p->w->host[0]);
    if (tx->una == tx->nxt && tx->left == 0 && net_lasting_of(&p->w->ctx, tx, p->w->cls)->sent_ps > 0)
        net_lasting_resume(&p->w->ctx, tx, p->w->cls);
    tx->left += bytes;
    tx->size += bytes;
    net_tcp_output(&p->w->ctx, &h, tx, p->w->cls, 0, 0);
    wire_take_out(p->w);
}

/* When what an ACK that moves `una` to `ack` echoes was sent: the oldest segment that it is the first to acknowledge, as RFC 7323
 * has it, as it went last; or what the script's timestamp says. */
static inline weir_time pd_echo(const pd_play *p, const pd_segment *g, uint32_t ack)
{
    const net_tx *tx = &p->w->tx[0];
    weir_time at = 0;
    if (g->stamped && p->stamp_ps)
        return p->stamp_ps + (weir_time)(int32_t)(g->ecr - p->stamp) * MS;
    for (uint32_t i = 0; i < p->n_sent; i++)
        if (p->sent[i].length && p->sent[i].seq == (ack == tx->una ? ack - p->w->cls->mss_bytes : tx->una))
            at = p->sent[i].at_ps;
    return at ? at : p->w->now;
}

/* What the sender takes of the peer's counter, as Linux's tcpi_delivered_ce counts it: of what an ACK newly tells of. */
static inline void pd_count_marked(pd_play *p, const net_tx *before, const net_packet *ack)
{
    const net_tx *tx = pd_tx(p);
    const uint32_t moved = tx->una - before->una, sacked = tx->n_sacked - before->n_sacked;
    const uint32_t segments = (moved ? net_tcp_segments(p->w->cls, moved) : 0u) + sacked;
    if (segments)
        p->delivered_ce += net_tcp_marked(before, p->w->cls, ack, segments);
}

/* The peer's ACK. */
static inline void pd_acknowledge(pd_play *p, const pd_event *e, weir_time now)
{
    const pd_segment *g = &e->segment;
    const net_class *c = p->w->cls;
    net_tx *tx = pd_tx(p);
    net_ack_block block[NET_ACK_BLOCKS];
    net_packet ack;
    const bool answers = tx->state == NET_TX_SYN_SENT;
    uint32_t seq = pd_seq(p, g->ack), n = 0, flags = answers ? NET_SYN : 0;
    if (net_seq_before(tx->nxt, seq) && !net_seq_before(tx->nxt + 2u, seq))
        seq = tx->nxt; /* a FIN has no number here */
    for (uint32_t i = 0; i < g->n_blocks; i++) {
        const uint32_t from = pd_seq(p, g->block[i][0]), to = pd_seq(p, g->block[i][1]);
        const bool inside = g->n_blocks > 1 && i == 0 && !net_seq_before(from, pd_seq(p, g->block[1][0])) &&
                            !net_seq_before(pd_seq(p, g->block[1][1]), to);
        if (net_seq_before(from, seq) || inside) { /* RFC 2883 */
            flags |= NET_DSACK;
            continue;
        }
        block[n].from = (from - seq) / c->mss_bytes;
        block[n++].to = (to - seq + c->mss_bytes - 1u) / c->mss_bytes;
    }
    flags |= strchr(g->flags, 'E') && !answers ? NET_CE : 0;
    net_packet_init(&ack, 0, 0, answers ? tx->first : seq, NET_HEADER_TCP, (uint8_t)(NET_ACK | flags));
    ack.ttl = (uint8_t)wi_net_world(p->w->net)->ttl;
    net_ack_pack(&ack, c, answers ? p->sent[p->n_sent - 1].at_ps : pd_echo(p, g, seq), block, n);
    if (p->set.accurate && !answers)
        net_ack_put_ace(&ack, pd_ace(g) + NET_ACES - 5u);
    const net_tx before = *tx;
    if (g->win >= 0 && !answers)
        p->w->cls->window_bytes = (uint32_t)g->win << p->set.wscale;
    else if (g->win >= 0 && !strchr(g->flags, 'S'))
        p->w->cls->window_bytes = (uint32_t)g->win << p->set.wscale;
    else if (g->win >= 0)
        p->w->cls->window_bytes = (uint32_t)g->win; /* unscaled in a SYN */
    wire_deliver(p->w, 0, &ack, now);
    if (p->set.accurate && !answers)
        pd_count_marked(p, &before, &ack);
    if (tx->state == NET_TX_DONE) /* until close() the application may write more */
        tx->state = NET_TX_OPEN;
}

/* The peer's SYN or data, of which the FIN comes with the last or has no counterpart. */
static inline void pd_take_data(pd_play *p, const pd_event *e, weir_time now)
{
    const pd_segment *g = &e->segment;
    const bool syn = strchr(g->flags, 'S') != NULL, fin = strchr(g->flags, 'F') != NULL;
    p->closed |= fin && g->length == 0;
    if (!syn && g->length == 0)
        return;
    p->w->now = now;
    p->merged = g->length > p->set.mss;
    for (uint32_t done = 0; done < g->length || (syn && done == 0);) { /* several may come as one */
        const uint32_t left = g->length - done, length = left < p->set.mss ? left : p->set.mss;
        const uint32_t last = done + length == g->length && fin ? NET_FIN : 0u;
        net_packet packet =
            wire_segment(p->w, syn ? 0 : g->seq - 1u + done, length, (uint8_t)(syn ? NET_SYN : last));
        packet.flags |= g->ecn == PD_CE ? NET_ECT | NET_CE : 0;
        packet.flags |= strchr(g->flags, 'W') && !syn ? NET_CWR : 0;
        wire_deliver(p->w, 1, &packet, now);
        done += length + syn;
    }
}

/* Whether a segment brings data, and no news of what was sent: no duplicate ACK then (RFC 5681, section 2). */
static inline bool pd_data_alone(pd_play *p, const pd_segment *g)
{
    return g->length > 0 && g->n_blocks == 0 && pd_tx(p)->state != NET_TX_SYN_SENT &&
           pd_seq(p, g->ack) == pd_tx(p)->una;
}

static inline void pd_receive(pd_play *p, const pd_event *e, weir_time now)
{
    const bool syn = strchr(e->segment.flags, 'S') != NULL;
    if (syn && !p->set.active && !p->w) {
        pd_open(p, now);
        if (!p->set.receives)
            return;
    }
    if (!p->w)
        pd_fail(p, e, "a segment before the connection begins");
    else if (p->set.receives)
        pd_take_data(p, e, now);
    else if (syn && !p->set.active)
        return;
    else if (e->segment.acks && !pd_data_alone(p, &e->segment))
        pd_acknowledge(p, e, now);
    if (p->set.sends && e->segment.length)
        pd_set_aside(p, "data of the peer's");
}

/* An ACK of the receiver's against the script's: its number, its blocks and its echo of marks. */
static inline void pd_match_ack(pd_play *p, const pd_event *e, weir_time from, weir_time to)
{
    const pd_segment *g = &e->segment;
    const weir_time slack = p->script->tolerance_us * US;
    pd_run(p, to + slack + 1, true);
    if (p->n_seen == p->n_sent) {
        pd_fail(p, e, "want ACK %u at %.6f s, nothing came", g->ack, weir_seconds(from - PD_BEGIN_PS));
        return;
    }
    while (p->merged && p->n_seen + 1 < p->n_sent && p->sent[p->n_seen + 1].at_ps == p->sent[p->n_seen].at_ps)
        p->n_seen++;
    const pd_sent *s = &p->sent[p->n_seen++];
    const bool syn = s->flags & NET_SYN;
    if (s->seq + 1u != g->ack)
        pd_fail(p, e, "want ACK %u, got %u", g->ack, s->seq + 1u);
    else if (e->when != PD_ANY && (s->at_ps < from - slack || s->at_ps > to + slack))
        pd_fail(p, e, "want ACK %u at %.6f s, came at %.6f s", g->ack, weir_seconds(from - PD_BEGIN_PS),
                weir_seconds(s->at_ps - PD_BEGIN_PS));
    for (uint32_t i = 0; i < NET_ACK_BLOCKS && !syn && !g->any_options; i++) {
        const uint32_t first = wire_sack_from(p->w, &s->packet, i), last = wire_sack_to(p->w, &s->packet, i);
        const uint32_t *want = g->block[i];
        if (i < g->n_blocks ? want[0] != first + 1u || want[1] != last + 1u : first != last)
            pd_fail(p, e, "SACK block %u is %u:%u", i + 1u, first + 1u, last + 1u);
    }
    if (p->set.accurate && !syn && (5u + net_ack_ace(&s->packet)) % NET_ACES != pd_ace(g))
        pd_fail(p, e, "want ACE %u, got %u", pd_ace(g), (5u + net_ack_ace(&s->packet)) % NET_ACES);
    if (!p->set.accurate && !syn && !(s->flags & NET_CE) != !strchr(g->flags, 'E'))
        pd_fail(p, e, "ECE is %s", s->flags & NET_CE ? "set" : "missing");
}

/* One packet of the sender's against the rest of what the script expects, from `seq` on. Returns its length. */
static inline uint32_t pd_match(pd_play *p, const pd_event *e, uint32_t seq, weir_time from, weir_time to)
{
    const pd_segment *g = &e->segment;
    const weir_time slack = p->script->tolerance_us * US;
    pd_run(p, to + slack + 1, true);
    if (p->n_seen == p->n_sent) {
        pd_fail(p, e, "want %u:%u at %.6f s, nothing came", seq, g->seq + g->length,
                weir_seconds(from - PD_BEGIN_PS));
        return 0;
    }
    const pd_sent *s = &p->sent[p->n_seen++];
    const uint32_t got = s->seq - p->w->tx[0].first + 1u;
    const weir_time at = s->at_ps;
    if (!(s->flags & NET_SYN) && (got != seq || got + s->length > g->seq + g->length))
        pd_fail(p, e, "want %u:%u, got %u:%u at %.6f s", seq, g->seq + g->length, got, got + s->length,
                weir_seconds(at - PD_BEGIN_PS));
    else if (e->when != PD_ANY && (at < from - slack || at > to + slack))
        pd_fail(p, e, "want %u:%u at %.6f to %.6f s, came at %.6f s", seq, g->seq + g->length,
                weir_seconds(from - PD_BEGIN_PS), weir_seconds(to - PD_BEGIN_PS),
                weir_seconds(at - PD_BEGIN_PS));
    if (p->set.accurate && !(s->flags & NET_SYN) && pd_ace(g) != 5)
        pd_fail(p, e, "a sender that got no data has ACE 5");
    if (!p->set.accurate && !(s->flags & NET_SYN) && !(s->flags & NET_CWR) != !strchr(g->flags, 'W'))
        pd_fail(p, e, "CWR is %s", s->flags & NET_CWR ? "set" : "missing");
    const enum pd_ecn ecn = !(s->flags & NET_ECT) ? PD_NOECN : s->flags & NET_ECT1 ? PD_ECT1 : PD_ECT0;
    if (g->ecn != PD_ECN_UNSAID && g->ecn != ecn && !(g->ecn == PD_ECT01 && ecn != PD_NOECN))
        pd_fail(p, e, "the ECN field differs");
    return s->length;
}

static inline void pd_expect(pd_play *p, const pd_event *e, weir_time from, weir_time to)
{
    const pd_segment *g = &e->segment;
    const bool syn = strchr(g->flags, 'S') != NULL;
    const bool range = e->when == PD_ANY || e->when == PD_RANGE_AT || e->when == PD_RANGE_AFTER;
    if (p->set.receives && p->set.active && syn) {
        pd_set_aside(p, "SYN of a receiver");
        return;
    }
    if (p->set.receives && !p->closed && !strchr(g->flags, 'F')) {
        p->n_compared++;
        pd_match_ack(p, e, from, to);
        p->reference_ps = range && p->n_seen ? p->sent[p->n_seen - 1].at_ps : p->reference_ps;
        return;
    }
    if (!syn && g->length == 0) {
        pd_set_aside(p, strchr(g->flags, 'F') ? "FIN" : "pure ACK");
        return;
    }
    p->n_compared++;
    for (uint32_t done = 0; !*p->failure && (syn ? done == 0 : done < g->length);)
        done += pd_match(p, e, g->seq + done, from, to) + syn;
    const weir_time at = p->n_seen ? p->sent[p->n_seen - 1].at_ps : from;
    if (g->stamped && !p->stamp_ps) {
        p->stamp_ps = at;
        p->stamp = g->val;
    }
    if (range)
        p->reference_ps = at;
}

/* Segments that were sent again and are out, of the classes with RACK and of those without. */
static inline uint32_t pd_again(pd_play *p)
{
    net_tx *tx = pd_tx(p);
    const net_class *c = p->w->cls;
    if (!(c->flags & NET_CLASS_RACK))
        return tx->n_again;
    const net_runs runs = net_runs_of(&p->w->ctx, tx, c);
    const net_map sacked = net_tx_row(&p->w->ctx, tx, c, NET_ROW_SACKED),
                  lost = net_tx_row(&p->w->ctx, tx, c, NET_ROW_LOST);
    uint32_t n = 0;
    for (uint32_t i = 0, k = 0; i < tx->n_runs; i++)
        for (const uint32_t top = net_run_top(tx, c, &runs, i); k < top; k++)
            n += net_run_again(tx, i) && !net_map_test(&sacked, k) && !net_map_test(&lost, k);
    return n;
}

enum { PD_CA_OPEN, PD_CA_DISORDER, PD_CA_CWR, PD_CA_RECOVERY, PD_CA_LOSS };

/* The sender's state in Linux's words. */
static inline int pd_ca_state(const net_tx *tx)
{
    if (tx->state == NET_TX_RECOVERY || tx->state == NET_TX_LOSS)
        return tx->state == NET_TX_RECOVERY ? PD_CA_RECOVERY : PD_CA_LOSS;
    if (net_seq_before(tx->una, tx->recover))
        return PD_CA_CWR;
    return tx->n_sacked || tx->dupacks ? PD_CA_DISORDER : PD_CA_OPEN;
}

/* What the script may ask of the sender, as Linux's struct tcp_info has it. */
static inline void pd_tell(pd_play *p)
{
    net_tx *tx = pd_tx(p);
    const net_class *c = p->w->cls;
    const double mss = c->mss_bytes;
    const uint32_t again = pd_again(p);
    const bool rack = c->flags & NET_CLASS_RACK, sack = c->flags & NET_CLASS_SACK;
    const struct {
        const char *name;
        double value;
    } known[] = {
        {"TCP_CA_Open", PD_CA_OPEN},
        {"TCP_CA_Disorder", PD_CA_DISORDER},
        {"TCP_CA_CWR", PD_CA_CWR},
        {"TCP_CA_Recovery", PD_CA_RECOVERY},
        {"TCP_CA_Loss", PD_CA_LOSS},
        {"tcpi_ca_state", pd_ca_state(tx)},
        {"tcpi_snd_cwnd", floor(tx->cwnd / mss)},
        {"tcpi_snd_ssthresh", tx->ssthresh == UINT32_MAX ? 0x7fffffff : floor(tx->ssthresh / mss)},
        {"tcpi_snd_mss", mss},
        {"tcpi_unacked", tx->n_out},
        {"tcpi_sacked", sack ? tx->n_sacked : tx->dupacks},
        {"tcpi_lost", rack ? tx->n_lost + again : tx->n_lost},
        {"tcpi_retrans", again},
        {"tcpi_total_retrans", tx->retransmissions},
        {"tcpi_backoff", tx->backoff},
        {"tcpi_retransmits", tx->backoff},
        {"tcpi_rtt", (double)(tx->srtt_ps / US)},
        {"tcpi_rto", (double)(net_tcp_rto(tx, c) / US)},
        {"tcpi_delivered_ce", p->delivered_ce},
        {"tcpi_bytes_acked", (double)tx->acked_bytes},
        {"tcpi_notsent_bytes", (double)tx->left},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        pd_set(&p->names, known[i].name, known[i].value);
}

static inline void pd_ask(pd_play *p, const pd_event *e)
{
    char text[512], about[64];
    const char *at = e->text;
    if (p->w)
        pd_tell(p);
    while (pd_next_statement(&at, text, sizeof text)) {
        switch (pd_statement(&p->names, text, about)) {
        case PD_HOLDS:
            p->n_compared += strncmp(text, "assert", 6) == 0;
            break;
        case PD_FAILS:
            pd_fail(p, e, "%s (cwnd %g, ssthresh %g, state %d, out %u, sacked %u, lost %u)", about,
                    pd_tx(p)->cwnd / (double)p->set.mss, pd_tx(p)->ssthresh / (double)p->set.mss,
                    pd_ca_state(pd_tx(p)), pd_tx(p)->n_out, pd_tx(p)->n_sacked, pd_tx(p)->n_lost);
            break;
        case PD_ASIDE:
            pd_set_aside(p, about);
            break;
        case PD_NO_NUMBERS:
            pd_fail(p, e, "not read: %s", about);
            break;
        }
    }
}

static inline void pd_call(pd_play *p, const pd_event *e, weir_time now)
{
    if (strcmp(e->name, "connect") == 0) {
        pd_open(p, now);
    } else if (strcmp(e->name, "getsockopt") == 0) {
        pd_set_aside(p, "getsockopt");
    } else if (strstr(" write send sendto writev sendmsg ", e->name) && e->result > 0) {
        if (!p->w)
            pd_fail(p, e, "data before the connection begins");
        else
            pd_write(p, now, (uint32_t)e->result);
    }
}

static inline void pd_event_play(pd_play *p, const pd_event *e)
{
    const bool relative = e->when == PD_AFTER || e->when == PD_RANGE_AFTER;
    const weir_time base = e->when == PD_ANY || relative ? p->reference_ps : PD_BEGIN_PS;
    const weir_time from = base + e->us * US, to = base + e->end_us * US;
    p->reference_ps = from;
    if (e->what == PD_OUT) {
        if (!p->w)
            pd_fail(p, e, "a segment before the connection begins");
        else
            pd_expect(p, e, from, e->when == PD_ANY ? from + 300 * SEC : to);
        return;
    }
    if (p->w)
        pd_run(p, from + (e->what == PD_CODE ? PD_SETTLE_PS : 1), false);
    const weir_time now = p->w && p->w->now > from ? p->w->now : from;
    if (e->what == PD_IN)
        pd_receive(p, e, now);
    else if (e->what == PD_CODE)
        pd_ask(p, e);
    else if (e->what == PD_CALL)
        pd_call(p, e, now);
}

/* Play a script that lacks nothing; p->failure says what differs first. */
static inline void pd_run_script(pd_play *p, pd_script *script, const pd_setting *set)
{
    memset(p, 0, sizeof *p);
    p->script = script;
    p->set = *set;
    p->reference_ps = PD_BEGIN_PS;
    for (size_t i = 0; i < script->n && !*p->failure; i++)
        pd_event_play(p, &script->event[i]);
    if (p->w)
        wire_free(p->w);
}

#endif
