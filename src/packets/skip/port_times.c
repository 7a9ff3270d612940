/* Moving the times of ports: lines, disciplines, what waits, links, meters. */
#include "packets/skip/moving.h"

#include "net/queue/queues.h"
#include "net/switch/pfc.h"

static void move_slots(const wi_moving *m, net_queued *slots, uint32_t used)
{
    for (uint32_t i = 0; i < used; i++) {
        wi_move_always(m, &slots[i].at_ps);
        wi_net_move_packet(
            m->w, m->by,
            &slots[i].packet); /* of free slots too: what is moved does not depend on what is looked at */
    }
}

static void move_codel(const wi_moving *m, net_codel *s)
{
    wi_move_if_set(m, &s->first_above_ps);
    wi_move_if_set(m, &s->drop_next_ps);
}

static void move_fq_codel(const wi_moving *m, const net_queue *q, net_fq_codel *s)
{
    net_fq_flow *flows = (net_fq_flow *)(void *)(s + 1);
    for (uint32_t i = 0; i < NET_QUEUE_PARAMS(fq_codel, q)->flows; i++)
        move_codel(m, &flows[i].codel);
}

/* A host's bands count for how long they are paused. */
static void move_bands(const wi_moving *m, net_band *band)
{
    for (int i = 0; i < NET_BANDS; i++)
        if (band[i].paused)
            band[i].paused_ps -= m->by;
}

/* What a discipline has of its own, in words or in the port's state. */
static void move_discipline(const wi_moving *m, const net_queue *q, net_port *port, void *own)
{
    switch (q->params.type) {
    case NET_QUEUE_POLICER:
        port->queue.own[0] += (uint64_t)m->by;
        break;
    case NET_QUEUE_PIE:
        wi_move_always(m, &((net_pie *)own)->next_ps);
        break;
    case NET_QUEUE_SHAPER:
        wi_move_always(m, &((net_shaper *)own)->u_ps);
        break;
    case NET_QUEUE_DUALPI2:
        wi_move_always(m, &((net_dualpi2 *)own)->next_ps);
        break;
    case NET_QUEUE_CODEL:
        move_codel(m, &((net_codel_state *)own)->codel);
        break;
    case NET_QUEUE_FQ_CODEL:
        move_fq_codel(m, q, own);
        break;
    case NET_QUEUE_PRIORITY:
    case NET_QUEUE_DRR:
        move_bands(m, own);
        break;
    default: /* droptail, RED, threshold, trim: none */
        break;
    }
}

/* A ring of departure times, or a store; words: the port's own. */
static void move_waiting(const wi_moving *m, const net_queue *q, net_port *port, uint64_t *words,
                         uint32_t n_words)
{
    if (q->departs) {
        move_discipline(m, q, port, words + NET_STORE_WORDS);
        move_slots(m, (net_queued *)(void *)(words + NET_STORE_WORDS + q->own_words),
                   ((const net_store *)(const void *)words)->used);
        return;
    }
    move_discipline(m, q, port, words);
    if (!q->counts_packets)
        return;
    const uint32_t size = n_words - q->own_words;
    weir_time *times = (weir_time *)(void *)(words + q->own_words);
    for (uint32_t i = 0; i < size; i++)
        wi_move_always(m, &times[i]);
}

/* A switch that pauses its neighbours, by its first port. */
static void move_pausing(wi_moving *m, uint32_t n)
{
    net_pfc s = net_pfc_of(&m->ctx, NULL);
    for (uint32_t i = 0; i < n; i++) {
        wi_move_if_set(m, &s.more[i].wake_ps);
        for (uint32_t b = 0; b < NET_BANDS; b++)
            wi_move_always(m, &s.more[i].sent_ps[b]);
    }
    move_slots(m, s.room.slots, s.memory->store.used);
}

/* The ports of a switch that shares a memory, by its first; how many they are. */
static uint32_t move_switch(wi_moving *m, uint32_t entity)
{
    const uint32_t router = NET_ARRAY(m->w, uint32_t, port_router)[entity - m->w->n_hosts];
    if (NET_ARRAY(m->w, uint32_t, router_port)[router] != entity)
        return 0;
    const uint32_t n = NET_ARRAY(m->w, uint32_t, router_ports)[router];
    m->ctx.entity = entity;
    net_port *ports = (net_port *)(void *)net_port_words(&m->ctx, m->w, entity);
    for (uint32_t i = 0; i < n; i++) {
        const net_queue *q = NET_ARRAY(m->w, net_queue, queues) + net_port_link(m->w, entity + i)->queue;
        wi_move_always(m, &ports[i].busy_until_ps);
        if (!m->w->pfc_lines)
            move_discipline(m, q, &ports[i], NULL);
    }
    if (m->w->pfc_lines)
        move_pausing(m, n);
    return n;
}

static void move_own_port(wi_moving *m, uint32_t entity, const net_link *link)
{
    const bool host = entity < m->w->n_hosts;
    const net_queue *q = NET_ARRAY(m->w, net_queue, queues) + link->queue;
    void *state = weir_sim_state(m->sim, entity);
    net_port *port = host ? &((net_host *)state)->nic : (net_port *)state;
    wi_move_always(m, &port->busy_until_ps);
    if (q->departs || link->turns)
        wi_move_if_set(m, &port->waiting.wake_ps);
    if (!m->w->rings) {
        move_discipline(m, q, port, NULL);
        return;
    }
    const uint32_t *bounds = NET_ARRAY(m->w, uint32_t, rings) + 2 * (size_t)entity;
    move_waiting(m, q, port, net_port_words(&m->ctx, m->w, entity), bounds[1] - bounds[0]);
}

void wi_net_move_port(wi_moving *m, uint32_t entity)
{
    const bool host = entity < m->w->n_hosts, shares = !host && m->w->port_router;
    const net_link *link =
        host ? &NET_ARRAY(m->w, net_host_params, hosts)[entity].nic : net_port_link(m->w, entity);
    uint32_t meters = 1;
    m->ctx.entity = entity;
    if (shares)
        meters = move_switch(m, entity);
    else
        move_own_port(m, entity, link);
    if (link->impaired)
        wi_move_always(m, &net_impaired_of(&m->ctx, m->w, entity)->last_ps);
    net_view v = {.w = m->w, .link = link, .entity = entity};
    for (uint32_t i = 0; m->w->meter_ps && i < meters; i++) {
        v.entity = entity + i;
        wi_move_always(m, &net_meter_of(&m->ctx, &v)->at_ps);
    }
}
