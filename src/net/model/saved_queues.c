/*
 * What waits at ports, as a checkpoint has it: rings of departure times, and the stores of disciplines that decide at departure.
 *
 * A store's slots are in lists: each in one, or free, or neither (its packet is being sent). A list ends, has the bytes that it
 * counts, and ends where its tail is.
 */
#include <stdlib.h>

#include "net/model/model.h"
#include "net/host/host.h"
#include "net/queue/queues.h"
#include "net/switch/pfc.h"

/* Lists of a discipline: the first, how far apart, how many; in its own words. */
typedef struct lists {
    uint32_t at, stride, n;
} lists;

static lists lists_of(const net_queue *q)
{
    switch (q->params.type) {
    case NET_QUEUE_CODEL:
    case NET_QUEUE_SHAPER:
        return (lists){0, sizeof(net_list), 1};
    case NET_QUEUE_DUALPI2:
    case NET_QUEUE_TRIM:
        return (lists){0, sizeof(net_list), 2};
    case NET_QUEUE_PRIORITY:
    case NET_QUEUE_DRR:
        return (lists){0, sizeof(net_band), NET_BANDS};
    case NET_QUEUE_FQ_CODEL:
        return (lists){sizeof(net_fq_codel), sizeof(net_fq_flow),
                       (uint32_t)NET_QUEUE_PARAMS(fq_codel, q)->flows};
    default:
        return (lists){0, 0, 0};
    }
}

typedef struct store {
    const net_queued *slots;
    uint32_t used;
    uint8_t *met; /* [used + 1] */
} store;

/* A slot of a list or of the free ones, not met before. */
static bool visit(store *s, uint32_t slot)
{
    if (slot > s->used || s->met[slot])
        return false;
    s->met[slot] = 1;
    return true;
}

static bool list_fits(store *s, const net_list *list, uint32_t *packets, uint64_t *all_bytes)
{
    uint64_t bytes = 0;
    uint32_t last = 0;
    for (uint32_t at = list->head; at != 0; last = at, at = s->slots[at - 1].next, ++*packets) {
        if (!visit(s, at))
            return false;
        bytes += s->slots[at - 1].packet.bytes;
    }
    *all_bytes += bytes;
    return bytes == list->bytes && last == list->tail;
}

static bool free_fits(store *s, uint32_t at)
{
    for (; at != 0; at = s->slots[at - 1].next)
        if (!visit(s, at))
            return false;
    return true;
}

/* Numbers from 1 to n, one behind the other; `next` of the first, and how far apart. */
static bool chain_fits(uint32_t head, uint32_t tail, const uint32_t *next, size_t stride, uint32_t n)
{
    uint32_t last = 0, count = 0;
    for (uint32_t at = head; at != 0;
         last = at, at = *(const uint32_t *)(const void *)((const unsigned char *)next + (at - 1u) * stride))
        if (at > n || count++ == n)
            return false;
    return last == tail;
}

/* Bands or flows whose turn comes, and what they count. */
static bool turns_fit(const net_queue *q, const void *own)
{
    if (q->params.type == NET_QUEUE_DRR) {
        const net_drr *s = (const net_drr *)own;
        for (uint32_t i = s->head, n = 0; i != 0; i = s->band[i - 1].next) /* none that is empty */
            if (i > NET_BANDS || n++ == NET_BANDS || s->band[i - 1].list.head == 0)
                return false;
        return chain_fits(s->head, s->tail, &s->band[0].next, sizeof s->band[0], NET_BANDS);
    }
    if (q->params.type == NET_QUEUE_FQ_CODEL) {
        const net_fq_codel *s = (const net_fq_codel *)own;
        const net_fq_flow *flows = (const net_fq_flow *)(const void *)(s + 1);
        const uint32_t n = (uint32_t)NET_QUEUE_PARAMS(fq_codel, q)->flows;
        return chain_fits(s->fresh.head, s->fresh.tail, &flows[0].next, sizeof flows[0], n) &&
               chain_fits(s->old.head, s->old.tail, &flows[0].next, sizeof flows[0], n);
    }
    return true;
}

static bool bands_fit(const net_queue *q, const net_band *band, const uint32_t *packets)
{
    for (uint32_t i = 0;
         (q->params.type == NET_QUEUE_PRIORITY || q->params.type == NET_QUEUE_DRR) && i < NET_BANDS; i++)
        if (band[i].packets != packets[i])
            return false;
    return true;
}

static bool packets_fit(const weir_saved_view *saved, const store *s)
{
    const net_world *w = (const net_world *)saved->world;
    for (uint32_t i = 0; i < s->used; i++)
        if (s->slots[i].packet.bytes > 0 &&
            (s->slots[i].packet.flow >= w->n_tx ||
             (!(s->slots[i].packet.flags & NET_ACK) && s->slots[i].packet.dst >= w->n_hosts)))
            return false;
    return true;
}

static bool store_fits(const weir_saved_view *saved, const net_queue *q, const net_port *port,
                       const uint64_t *words)
{
    const net_store *head = (const net_store *)(const void *)words;
    const unsigned char *own = (const unsigned char *)(words + NET_STORE_WORDS);
    const lists l = lists_of(q);
    uint32_t packets[NET_BANDS] = {0}, all = 0;
    uint64_t bytes = 0;
    store s = {.slots = (const net_queued *)(const void *)(words + NET_STORE_WORDS + q->own_words),
               .used = head->used};
    if (head->used > q->slots || !(s.met = calloc((size_t)head->used + 1, 1)))
        return false;
    bool good = free_fits(&s, head->free) && packets_fit(saved, &s) && turns_fit(q, own);
    for (uint32_t i = 0; good && i < l.n; i++) {
        uint32_t n = 0;
        good = list_fits(&s, (const net_list *)(const void *)(own + l.at + (size_t)i * l.stride), &n, &bytes);
        all += n;
        if (i < NET_BANDS)
            packets[i] = n;
    }
    free(s.met);
    return good && bands_fit(q, (const net_band *)(const void *)own, packets) && port->ring_count == all &&
           port->waiting.bytes == bytes;
}

static bool ring_fits(const net_world *w, const net_queue *q, const net_port *port, uint32_t entity)
{
    const uint32_t *bounds = NET_ARRAY(w, uint32_t, rings) + 2 * (size_t)entity,
                   size = bounds[1] - bounds[0] - q->own_words;
    return port->ring_count <= size && port->ring_head < (size ? size : 1);
}

/* What the packets that wait in a switch come to, by the ports that they came by: lossless bytes of each priority. */
typedef struct tally {
    uint64_t (*held)[NET_BANDS]; /* [n] */
    uint64_t used;               /* bytes, lossless or not */
} tally;

/* Packets that wait at port e of a switch of n. */
static bool pfc_port_waits(const net_pfc *s, store *met, uint32_t e, uint32_t n, tally *t)
{
    uint32_t packets = 0;
    uint64_t bytes = 0;
    for (uint32_t b = 0; b < NET_BANDS; b++) {
        if (!list_fits(met, &s->more[e].waits[b], &packets, &bytes))
            return false;
        for (uint32_t at = s->more[e].waits[b].head; at != 0; at = met->slots[at - 1].next) {
            const net_queued *q = &met->slots[at - 1];
            if (q->tag >= n)
                return false;
            t->used += q->packet.bytes;
            t->held[q->tag][b] += s->w->pfc_lossless >> b & 1u ? q->packet.bytes : 0;
        }
    }
    return s->ports[e].ring_count == packets && s->ports[e].ring_head == bytes;
}

/* Ports hold what waits of theirs, headroom is part of that, and the memory has the rest. */
static bool pfc_ports_hold(const net_pfc *s, uint32_t n, const tally *t)
{
    uint64_t spare = 0;
    for (uint32_t e = 0; e < n; e++)
        for (uint32_t b = 0; b < NET_BANDS; b++) {
            const net_pfc_port *x = &s->more[e];
            if (x->held[b] != t->held[e][b] || x->spare[b] > x->held[b] ||
                x->spare[b] > s->lines[e].headroom_bytes)
                return false;
            spare += x->spare[b];
        }
    return s->memory->used == t->used - spare;
}

/* A switch that pauses its neighbours, by its first port. */
static bool pfc_fits(const weir_saved_view *saved, uint32_t first)
{
    const net_world *w = (const net_world *)saved->world;
    weir_ctx ctx = {.world = saved->world, .entity = first};
    ctx.pool[NET_POOL_PORT_WORDS] = saved->pool[NET_POOL_PORT_WORDS];
    const net_pfc s = net_pfc_of(&ctx, NULL);
    const uint32_t n = NET_ARRAY(w, uint32_t, router_ports)[s.router];
    store met = {.slots = s.room.slots, .used = s.memory->store.used};
    tally t = {.held = calloc(n, sizeof *t.held)};
    bool good = met.used <= w->pfc_slots && t.held && (met.met = calloc((size_t)met.used + 1, 1)) &&
                free_fits(&met, s.memory->store.free) && packets_fit(saved, &met);
    for (uint32_t e = 0; e < n && good; e++)
        good = pfc_port_waits(&s, &met, e, n, &t);
    good = good && pfc_ports_hold(&s, n, &t);
    free(met.met);
    free(t.held);
    return good;
}

static const char *wrong_pfc(const weir_saved_view *saved)
{
    const net_world *w = (const net_world *)saved->world;
    for (uint32_t r = 0; r < w->n_routers; r++)
        if (NET_ARRAY(w, uint32_t, router_ports)[r] > 0 &&
            !pfc_fits(saved, NET_ARRAY(w, uint32_t, router_port)[r]))
            return "what waits in a switch";
    return NULL;
}

const char *wi_net_wrong_queues(const weir_saved_view *saved)
{
    const net_world *w = (const net_world *)saved->world;
    const char *wrong = w->pfc_lines ? wrong_pfc(saved) : NULL;
    if (!w->rings || wrong)
        return wrong;
    /* Ports of switches with a shared memory count nothing of their own. */
    for (uint32_t e = 0; e < w->n_hosts + (w->port_router ? 0 : w->n_ports); e++) {
        const bool host = e < w->n_hosts;
        const net_link *link = host ? &NET_ARRAY(w, net_host_params, hosts)[e].nic : net_port_link(w, e);
        const net_queue *q = NET_ARRAY(w, net_queue, queues) + link->queue;
        const net_port *port =
            host ? &((const net_host *)(const void *)saved->state[NET_KIND_HOST])[e].nic
                 : (const net_port *)(const void *)saved->state[NET_KIND_PORT] + (e - w->n_hosts);
        const uint64_t *words =
            (const uint64_t *)(const void *)saved->pool[host ? NET_POOL_HOST_WORDS : NET_POOL_PORT_WORDS] +
            NET_ARRAY(w, uint32_t, rings)[2 * (size_t)e];
        if (q->departs && !store_fits(saved, q, port, words))
            return "what waits at a port";
        if (q->counts_packets && !q->departs && !ring_fits(w, q, port, e))
            return "what a port counts";
    }
    return NULL;
}
