/* Iterations of a job: repeating one; see iterations.h. */
#include "packets/skip/iterations.h"

#include "base/memory.h"

/* ---- whose events are ---- */

uint32_t wi_skip_job_of(const wi_skipper *s, const weir_event *event, net_doing *doing, uint32_t *at)
{
    const net_world *w = wi_net_world(s->net);
    const net_note note = net_note_of(event);
    weir_ctx ctx = {.world = s->net->world, .entity = event->target};
    const net_view host = {.w = w};
    uint32_t chain;
    if (event->type == NET_EV_FEED && note.arg == NET_FEED_INLET) {
        *doing = net_inlet_find(&ctx, &host, note.index, &chain, at);
        doing->ctx = NULL;
        doing->h = NULL;
        return doing->rank->job;
    }
    if (event->type != NET_EV_PROGRAM)
        return NET_NONE;
    const bool begins = (note.arg & ((1u << NET_DO_BITS) - 1u)) == NET_DO_BEGIN;
    return rank_at(s, begins ? note.index : NET_ARRAY(w, net_op, job_ops)[note.index].rank)->job;
}

bool wi_skip_again_is_own(const wi_skipper *s, const wi_skip_part *p, const weir_event *event)
{
    net_doing doing;
    uint32_t at;
    return wi_net_is_inner(s->net, event) || wi_skip_job_of(s, event, &doing, &at) == p->again.job;
}

/* ---- counts ---- */

/* What slots of a job's class have sent and received of their last messages: it is added to the class's counters. */
static void add_slots(const wi_skipper *s, const wi_skip_part *p, int64_t *of_class)
{
    const net_world *w = wi_net_world(s->net);
    const uint32_t *tx_first = NET_ARRAY(w, uint32_t, tx_first), *rx_first = NET_ARRAY(w, uint32_t, rx_first);
    for (uint32_t h = 0; h < p->n_hosts; h++) {
        for (uint32_t i = tx_first[p->entities[h]]; i < tx_first[p->entities[h] + 1]; i++) {
            const net_tx *tx = weir_sim_slot(s->sim, NET_POOL_TX, i);
            const bool own = NET_ARRAY(w, uint16_t, tx_class)[i] == p->again.cls;
            of_class[NET_COUNT_OLD_SENT] += own ? (int64_t)tx->packets : 0;
            of_class[NET_COUNT_OLD_ACKS] += own ? (int64_t)tx->acks : 0;
        }
        for (uint32_t i = rx_first[p->entities[h]]; i < rx_first[p->entities[h] + 1]; i++) {
            const net_rx *rx = weir_sim_slot(s->sim, NET_POOL_RX, i);
            const bool own = rx->cls == p->again.cls;
            of_class[NET_COUNT_OLD_DELIVERED] += own ? (int64_t)rx->packets : 0;
            of_class[NET_COUNT_OLD_ACK_SENT] += own ? (int64_t)rx->acks : 0;
        }
    }
}

/* Counts of ports as they stand, or by how much they have grown since. */
static void take_port(net_port *into, const net_port *now, bool growth)
{
    const net_port then = growth ? *into : (net_port){0};
    into->packets = now->packets - then.packets;
    into->bytes = now->bytes - then.bytes;
    for (int i = 0; i < NET_DROP_REASONS; i++)
        into->dropped[i] = now->dropped[i] - then.dropped[i];
    into->dropped_ttl = now->dropped_ttl - then.dropped_ttl;
    into->marked = now->marked - then.marked;
    into->wait_ns = now->wait_ns - then.wait_ns;
    into->backlog = now->backlog - then.backlog;
}

/* All counts of a part: as they stand, or by how much they have grown since. */
void wi_skip_take_counts(wi_skipper *s, wi_skip_part *p, bool growth)
{
    const int64_t *counters = weir_sim_counters(s->sim);
    for (uint32_t i = 0; i < p->n_entities; i++)
        take_port(&s->quiet_ports[p->entities[i]], wi_net_port(s->net, s->sim, p->entities[i]), growth);
    for (uint32_t r = 0; r < p->n_counters; r++)
        for (uint64_t i = p->counters[r].first; i < p->counters[r].end; i++)
            s->quiet_counters[i] = counters[i] - (growth ? s->quiet_counters[i] : 0);
    add_slots(s, p, wi_skip_quiet_class(s, p));
}

void wi_skipper_record(wi_skipper *s, const weir_record_head *record)
{
    const uint32_t number = s->part_of[record->entity];
    wi_skip_again *a = number == NET_NONE ? NULL : &s->parts[number].again;
    if (!a || !a->quiet_ps || (record->type != NET_REC_TX_DONE && record->type != NET_REC_RX_DONE))
        return;
    const size_t bytes = sizeof *record + record->bytes;
    if (!wi_grow(&a->records, &a->room, a->n_bytes + bytes, 1)) {
        a->failed = true;
        return;
    }
    memcpy(a->records + a->n_bytes, record, bytes);
    a->n_bytes += bytes;
}

/* ---- repeating ---- */

/* How much later than the first is iteration k of those that are skipped. */
static weir_time later_by(const wi_skip_part *p, uint32_t k)
{
    const weir_time span_ps = p->until_ps - p->since_ps, times = p->again.times;
    return span_ps / times * k + span_ps % times * k / times;
}

/* A rank's next iteration is as far as this one, by_ps later; what this one has not come to was as in the one before. */
typedef struct step {
    uint32_t iterations;
    weir_time by_ps, moved_ps; /* an iteration; the stretch */
} step;

static void end_later(uint64_t *before, uint64_t *now, uint64_t *next, uint64_t by_ps)
{
    if (*now & NET_GATE_OPEN)
        *next = *now + by_ps;
    else
        *now = *before + by_ps;
}

static bool next_iteration(const wi_skipper *s, wi_skip_part *p, uint32_t number, void *what)
{
    const step *by = what;
    const net_rank *rank = rank_at(s, number);
    if (!takes_part(p, rank))
        return true;
    const uint32_t at = iteration_of(s, rank);
    *began(s, rank, at + 1) = *began(s, rank, at) + (uint64_t)by->by_ps;
    for (uint32_t i = 0; i < rank->n_ops; i++)
        end_later(ended(s, rank, at - 1, i), ended(s, rank, at, i), ended(s, rank, at + 1, i),
                  (uint64_t)by->by_ps);
    *word_at(s, rank->word + NET_RANK_TURN) += UINT64_C(1) << 32;
    return true;
}

/* Messages of an iteration that a place for those of one source has. */
static uint32_t messages_of(const net_doing *d)
{
    return d->op->kind == NET_OP_COLLECTIVE ? net_ring_steps(net_doing_collective(d)) : 1u;
}

/* Chains and lines of pieces count messages and iterations, in few bits. */
static void count_chains(const wi_skipper *s, const net_doing *d, uint32_t iterations)
{
    const bool collective = d->op->kind == NET_OP_COLLECTIVE;
    const net_collective *c = collective ? net_doing_collective(d) : NULL;
    const uint32_t each = net_chain_words(d->op->flags, d->op->width),
                   n = collective ? net_collective_chains(c) : d->op->kind == NET_OP_RECV,
                   lines = collective ? net_piece_lines(c) * c->parts : 0;
    for (uint32_t k = 0; k < n; k++) {
        net_chain *chain = (net_chain *)(void *)word_at(s, d->op->word + NET_OP_WORDS + (uint64_t)k * each);
        chain->laps = (chain->laps + iterations) & 3u;
        if (d->op->flags & NET_OP_WINDOW)
            chain->next = (chain->next + iterations * messages_of(d)) % NET_CHAIN_WINDOW;
    }
    for (uint32_t i = 0; i < lines; i++) {
        net_piece_line *line =
            (net_piece_line *)(void *)word_at(s, d->op->word + NET_OP_WORDS + (uint64_t)n * each + 2 * i);
        line->laps = (line->laps + iterations) & 63u;
    }
}

/* What a rank counts besides, and until when its processors and its link inside the server are busy. */
static bool count_rank(const wi_skipper *s, wi_skip_part *p, uint32_t number, void *what)
{
    const step *by = what;
    const net_rank *rank = rank_at(s, number);
    weir_ctx ctx = {.world = s->net->world};
    const net_view host = {.w = wi_net_world(s->net)};
    if (!takes_part(p, rank))
        return true;
    for (uint32_t at = rank->word + NET_RANK_PORT; at < rank->slot_word; at++)
        *word_at(s, at) += *word_at(s, at) ? (uint64_t)by->moved_ps : 0;
    for (uint32_t i = 0; i < rank->n_ops && by->iterations > 0; i++) {
        const net_doing d = net_doing_of(&ctx, &host, rank->first_op + i);
        count_chains(s, &d, by->iterations);
    }
    return true;
}

static uint64_t times(uint64_t n, uint64_t growth)
{
    return growth > 0 && n > NET_TOO_MUCH / growth ? NET_TOO_MUCH : n * growth;
}

static void repeat_port(net_port *port, const net_port *growth, uint64_t n)
{
    port->packets += n * growth->packets;
    port->bytes += n * growth->bytes;
    for (int i = 0; i < NET_DROP_REASONS; i++)
        port->dropped[i] += n * growth->dropped[i];
    port->dropped_ttl += (uint32_t)(n * growth->dropped_ttl);
    port->marked += n * growth->marked;
    port->wait_ns = net_sum(port->wait_ns, times(n, growth->wait_ns));
    port->backlog = net_sum(port->backlog, times(n, growth->backlog));
}

/* What messages carried: their hosts' ports sent nothing but their packets and ACKs, each with its headers. */
static uint64_t payload_of(const wi_skipper *s, const wi_skip_part *p)
{
    uint64_t bytes = 0;
    for (uint32_t h = 0; h < p->n_hosts; h++) {
        const net_port *grown = &s->quiet_ports[p->entities[h]];
        bytes += grown->bytes - grown->packets * NET_HEADER_TCP;
    }
    return bytes;
}

static void repeat_counts(wi_skipper *s, wi_skip_part *p, uint32_t iterations)
{
    int64_t *counters = (int64_t *)(uintptr_t)weir_sim_counters(s->sim);
    const uint64_t packets = iterations * (uint64_t)wi_skip_quiet_class(s, p)[NET_COUNT_OLD_SENT];
    for (uint32_t i = 0; i < p->n_entities; i++)
        repeat_port((net_port *)(uintptr_t)wi_net_port(s->net, s->sim, p->entities[i]),
                    &s->quiet_ports[p->entities[i]], iterations);
    for (uint32_t r = 0; r < p->n_counters; r++)
        for (uint64_t i = p->counters[r].first; i < p->counters[r].end; i++)
            counters[i] += iterations * s->quiet_counters[i];
    p->packets += packets;
    s->total.packets += packets;
    s->total.bytes += iterations * payload_of(s, p);
    s->total.iterations += iterations;
}

/* What the last iteration recorded, once more. */
static weir_status repeat_records(const wi_skipper *s, const wi_skip_again *a, weir_time by_ps)
{
    weir_status status = WEIR_OK;
    struct {
        weir_record_head head;
        union {
            net_tx_done sent;
            net_rx_done received;
        } of;
    } record;
    for (size_t at = 0; at < a->n_bytes && status == WEIR_OK; at += sizeof record.head + record.head.bytes) {
        memcpy(&record.head, a->records + at, sizeof record.head);
        memcpy(&record.of, a->records + at + sizeof record.head, record.head.bytes);
        record.head.time_ps += by_ps;
        if (record.head.type == NET_REC_TX_DONE)
            record.of.sent.start_ps += by_ps;
        status = s->take ? s->take(s->user, &record.head) : WEIR_OK;
    }
    return status;
}

/* How many iterations of the skip are over at a time. */
static uint32_t over_at(const wi_skip_part *p, weir_time at_ps)
{
    uint32_t n =
        (uint32_t)((double)(at_ps - p->since_ps) / (double)(p->until_ps - p->since_ps) * p->again.times);
    n = n > p->again.times ? p->again.times : n;
    return at_ps == p->until_ps ? p->again.times : n;
}

weir_status wi_skip_again_apply(wi_skipper *s, wi_skip_part *p, weir_time at_ps)
{
    wi_skip_again *a = &p->again;
    const uint32_t over = over_at(p, at_ps);
    step by = {.iterations = over - a->done, .moved_ps = at_ps - p->done_ps};
    weir_status status = WEIR_OK;
    repeat_counts(s, p, by.iterations);
    for (; a->done < over && status == WEIR_OK; a->done++) {
        by.by_ps = later_by(p, a->done + 1) - later_by(p, a->done);
        (void)each_rank(s, p, next_iteration, &by);
        status = repeat_records(s, a, later_by(p, a->done + 1));
    }
    (void)each_rank(s, p, count_rank, &by);
    wi_net_move_state(s->net, s->sim, p->entities, p->n_entities, by.moved_ps);
    s->total.time_ps += at_ps - s->total_until_ps;
    s->total_until_ps = p->done_ps = at_ps;
    return status;
}

/* A message inside a server goes where its iteration's do. */
void wi_skip_again_move(const wi_skipper *s, const wi_skip_part *p, weir_event *event)
{
    net_note *n = (net_note *)(void *)(event + 1);
    net_doing d;
    uint32_t at;
    if (event->type == NET_EV_FEED && wi_skip_job_of(s, event, &d, &at) != NET_NONE &&
        d.op->flags & NET_OP_WINDOW)
        n->index += (at + p->again.times * messages_of(&d)) % NET_CHAIN_WINDOW - at;
}

/* ---- checkpoints ---- */

void wi_skip_again_archive(wi_skip_part *p, wi_archiver *k)
{
    wi_skip_again *a = &p->again, now = *a;
    wi_archive(k, &now, offsetof(wi_skip_again, records));
    if (wi_archiver_reads(k)) {
        memcpy(a, &now, offsetof(wi_skip_again, records));
        if (!wi_grow(&a->records, &a->room, a->n_bytes, 1))
            wi_archiver_fail(k, WEIR_E_NOMEM);
    }
    wi_archive(k, a->records, k->status == WEIR_OK ? a->n_bytes : 0);
}
