/* Moving all times of a network; see its header. */
#include "packets/skip/times.h"

#include "packets/skip/moving.h"

static void move_control(wi_moving *m, net_tx *tx, const net_class *c)
{
    weir_ctx *const ctx = &m->ctx;
    switch (c->congestion) {
#define X(number, name, doc)                          \
    case NET_CC_##number:                             \
        net_##name##_move(NET_CC_OF(name), c, m->by); \
        break;
        NET_CONGESTIONS(X)
#undef X
    }
}

/* ---- the ends of flows ---- */

static void move_lasting(wi_moving *m, const net_tx *tx, const net_class *c)
{
    net_lasting *l = net_lasting_of(&m->ctx, tx, c);
    wi_move_always(m, &l->sent_ps);
    if (!(c->flags & NET_CLASS_VALIDATES))
        return;
    wi_move_always(m, &l->validation.valid_ps);
    for (int i = 0; i < NET_PIPE_PERIODS; i++)
        wi_move_always(m, &l->validation.since_ps[i]);
}

static void move_rack(wi_moving *m, net_tx *tx, const net_class *c)
{
    const net_runs runs = net_runs_of(&m->ctx, tx, c);
    wi_move_units(m, &tx->rack_sent);
    wi_move_units(m, &tx->last_new);
    wi_move_units(m, &tx->runs_now);
    if (tx->undo_since)
        wi_move_units(m, &tx->undo_since);
    for (uint32_t i = 0; i < NET_RUNS; i++)
        wi_move_units(m, &runs.run[i].sent);
}

static void move_tx(wi_moving *m, uint32_t flow)
{
    net_tx *tx = net_tx_slot(&m->ctx, flow);
    const net_class *c = net_class_of_flow(m->w, flow);
    if (tx->state == NET_TX_FREE)
        return;
    if (c->flags & NET_CLASS_UDP) {
        if (wi_net_is_steady_udp(c) && tx->timer_at_ps < WEIR_TIME_MAX)
            wi_move_if_set(m, &tx->timer_at_ps);
        return;
    }
    wi_move_always(m, &tx->cc.pace_at_ps);
    wi_move_if_set(m, &tx->rto_at_ps);
    wi_move_if_set(m, &tx->timer_at_ps);
    wi_move_if_set(m, &tx->alarm_at_ps);
    wi_move_units(m, &tx->sent_at);
    if (c->flags & NET_CLASS_LASTS)
        move_lasting(m, tx, c);
    if (c->flags & NET_CLASS_RACK)
        move_rack(m, tx, c);
    move_control(m, tx, c);
}

static void move_rx(wi_moving *m, uint32_t slot)
{
    net_rx *rx = weir_slot(&m->ctx, NET_POOL_RX, slot, sizeof *rx);
    if (rx->flow == 0)
        return;
    const net_class *c = net_class_of_flow(m->w, rx->flow - 1);
    if (rx->echo_ps != 0)
        wi_net_move_sent(m->by, &rx->echo_ps, c);
    if (!(c->flags & NET_CLASS_NDP))
        wi_move_if_set(m, &rx->ack_at_ps);
    wi_move_if_set(m, &rx->timer_at_ps);
}

/* ---- all of it ---- */

/* What a host pulls has a time of its own; gates and processors are not the network's. */
static void move_pulls(wi_moving *m, uint32_t host)
{
    const uint32_t at = NET_ARRAY(m->w, uint32_t, pulls)[host];
    net_pulls *p = weir_slot(&m->ctx, NET_POOL_HOST_WORDS, at, 8);
    wi_move_always(m, &p->at_ps);
    wi_move_if_set(m, &p->looks_ps);
}

static void move_host(wi_moving *m, uint32_t host)
{
    const uint32_t *tx = NET_ARRAY(m->w, uint32_t, tx_first) + host,
                   *rx = NET_ARRAY(m->w, uint32_t, rx_first) + host;
    for (uint32_t i = tx[0]; i < tx[1]; i++)
        move_tx(m, i);
    for (uint32_t i = rx[0]; i < rx[1]; i++)
        move_rx(m, i);
    if (m->w->pulls)
        move_pulls(m, host);
}

void wi_net_move_state(const wi_net *net, weir_sim *sim, const uint32_t *entities, uint32_t n,
                       weir_time span_ps)
{
    wi_moving m = {.net = net, .w = wi_net_world(net), .sim = sim, .by = span_ps};
    m.ctx.world = net->world;
    for (int p = 0; p < NET_POOLS; p++)
        m.ctx.pool[p] = weir_sim_slot(sim, p, 0);
    for (uint32_t i = 0; i < n; i++) {
        if (entities[i] < net->n_hosts)
            move_host(&m, entities[i]);
        wi_net_move_port(&m, entities[i]);
    }
}
