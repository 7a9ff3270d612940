/* Pauses: what they count, that they are conserved, and deadlocks. */
#include <stdlib.h>

#include "net/host/host.h"
#include "base/memory.h"
#include "packets/stats/stats.h"

/* Of a router: its first port's entity, how many there are, and where its words begin. */
typedef struct pfc_switch {
    uint32_t first, n, words;
} pfc_switch;

static pfc_switch switch_of(const wi_net *net, uint32_t entity)
{
    const net_world *w = wi_net_world(net);
    const uint32_t router = NET_ARRAY(w, uint32_t, port_router)[entity - net->n_hosts];
    const uint32_t first = NET_ARRAY(w, uint32_t, router_port)[router];
    return (pfc_switch){first, NET_ARRAY(w, uint32_t, router_ports)[router],
                        NET_ARRAY(w, uint32_t, rings)[2 * (size_t)first]};
}

static const net_pfc_port *more_of(const wi_net *net, const weir_sim *sim, uint32_t entity)
{
    const pfc_switch s = switch_of(net, entity);
    const net_pfc_port *more = weir_sim_slot(sim, NET_POOL_PORT_WORDS, s.words + s.n * NET_SWITCH_PORT_WORDS);
    return more + (entity - s.first);
}

static const net_pfc_memory *memory_of(const wi_net *net, const weir_sim *sim, uint32_t entity)
{
    const pfc_switch s = switch_of(net, entity);
    return weir_sim_slot(sim, NET_POOL_PORT_WORDS, s.words + s.n * NET_PFC_PORT_WORDS);
}

static const net_queued *slots_of(const wi_net *net, const weir_sim *sim, uint32_t entity)
{
    const pfc_switch s = switch_of(net, entity);
    return weir_sim_slot(sim, NET_POOL_PORT_WORDS, s.words + s.n * NET_PFC_PORT_WORDS + NET_PFC_MEMORY_WORDS);
}

/* All that waits in a router counts at its first port. */
bool wi_net_pfc_waiting(const wi_net *net, const weir_sim *sim, uint32_t entity, net_waiting_view *out)
{
    if (switch_of(net, entity).first != entity)
        return false;
    out->used = memory_of(net, sim, entity)->store.used;
    out->slots = slots_of(net, sim, entity);
    return true;
}

static uint32_t paused_at_host(const wi_net *net, const weir_sim *sim, uint32_t host)
{
    const uint32_t first = NET_ARRAY(wi_net_world(net), uint32_t, rings)[2 * (size_t)host];
    const net_band *bands = weir_sim_slot(sim, NET_POOL_HOST_WORDS, first + NET_STORE_WORDS);
    uint32_t mask = 0;
    for (uint32_t b = 0; b < NET_BANDS; b++)
        mask |= bands[b].paused << b;
    return mask;
}

wi_net_pauses wi_net_pauses_of(const wi_net *net, const weir_sim *sim, uint32_t entity)
{
    const net_world *w = wi_net_world(net);
    if (!w->pfc_lines)
        return (wi_net_pauses){0};
    const int64_t *count = weir_sim_counters(sim) + w->c_pfc + (uint64_t)entity * NET_PFC_COUNTERS;
    wi_net_pauses p = {.xoff_sent = (uint64_t)count[NET_PFC_XOFF_SENT],
                       .xon_sent = (uint64_t)count[NET_PFC_XON_SENT],
                       .xoff_got = (uint64_t)count[NET_PFC_XOFF_GOT],
                       .xon_got = (uint64_t)count[NET_PFC_XON_GOT],
                       .paused_ps = count[NET_PFC_TIME]};
    if (entity < net->n_hosts) {
        p.paused = paused_at_host(net, sim, entity);
    } else {
        const net_pfc_port *x = more_of(net, sim, entity);
        p.paused = x->paused;
        p.pausing = x->sent;
        p.headroom_bytes = NET_ARRAY(w, net_pfc_line, pfc_lines)[entity - net->n_hosts].headroom_bytes;
        p.headroom_most = x->spare_most;
    }
    if (p.paused)
        p.paused_ps += weir_sim_now(sim);
    return p;
}

uint64_t wi_net_pfc_held(const wi_net *net, const weir_sim *sim, uint32_t entity, uint32_t from,
                         uint32_t priority)
{
    const net_queued *slots = slots_of(net, sim, entity);
    const uint32_t in = from - switch_of(net, entity).first;
    uint64_t bytes = 0;
    for (uint32_t i = more_of(net, sim, entity)->waits[priority].head; i; i = slots[i - 1].next)
        bytes += slots[i - 1].tag == in ? slots[i - 1].packet.bytes : 0;
    return bytes;
}

double wi_net_pfc_waiting_byte_s(const wi_net *net, const weir_sim *sim, uint32_t entity, weir_time at_ps)
{
    const net_queued *slots = slots_of(net, sim, entity);
    double sum = 0.0;
    for (uint32_t priority = 0; priority < NET_BANDS; priority++)
        for (uint32_t i = more_of(net, sim, entity)->waits[priority].head; i; i = slots[i - 1].next)
            sum += slots[i - 1].packet.bytes * weir_seconds(at_ps - slots[i - 1].at_ps);
    return sum;
}

/* What of a neighbour's packets must go before it is let on again: all but so many bytes. */
static uint64_t kept_at_xon(const net_world *w, uint32_t router)
{
    const double most =
        w->pfc_xoff ? (double)w->pfc_xoff : w->buffer_alpha * NET_ARRAY(w, double, pfc_pools)[router];
    return most > (double)w->pfc_xon_offset ? (uint64_t)(most - (double)w->pfc_xon_offset) : 0;
}

/* Is a paused port held up by others that are `stuck`? Then *next is one of them. */
static bool held_up(const wi_net *net, const weir_sim *sim, const unsigned char *stuck, uint32_t entity,
                    uint32_t priority, uint32_t *next)
{
    const net_world *w = wi_net_world(net);
    const uint32_t back = NET_ARRAY(w, net_pfc_line, pfc_lines)[entity - net->n_hosts].reverse;
    if (back < net->n_hosts || !(more_of(net, sim, back)->wanted >> priority & 1u))
        return false; /* what resumes it is on its way */
    const pfc_switch s = switch_of(net, back);
    uint64_t waits = 0;
    for (uint32_t e = s.first; e < s.first + s.n; e++) {
        if (!stuck[e - net->n_hosts])
            continue;
        const uint64_t bytes = wi_net_pfc_held(net, sim, e, back, priority);
        if (bytes)
            *next = e;
        waits += bytes;
    }
    return waits > kept_at_xon(w, NET_ARRAY(w, uint32_t, port_router)[back - net->n_hosts]);
}

/* The largest set of paused ports that are held up by each other; is there one? */
static bool find_stuck(const wi_net *net, const weir_sim *sim, uint32_t priority, unsigned char *stuck)
{
    uint32_t next, n = 0;
    for (uint32_t p = 0; p < net->n_ports; p++)
        n += stuck[p] = more_of(net, sim, net->n_hosts + p)->paused >> priority & 1u;
    for (bool changed = n > 0; changed && n;) {
        changed = false;
        for (uint32_t p = 0; p < net->n_ports; p++)
            if (stuck[p] && !held_up(net, sim, stuck, net->n_hosts + p, priority, &next)) {
                stuck[p] = 0;
                n--;
                changed = true;
            }
    }
    return n > 0;
}

uint32_t wi_net_pfc_deadlock(const wi_net *net, const weir_sim *sim, uint32_t *ports, uint32_t *priority)
{
    WI_FREED unsigned char *stuck = wi_net_world(net)->pfc_lines ? calloc((size_t)net->n_ports + 1, 1) : NULL;
    uint32_t n = 0;
    for (*priority = 0; stuck && n == 0 && *priority < NET_BANDS; ++*priority) {
        if (!find_stuck(net, sim, *priority, stuck))
            continue;
        uint32_t e = 0, next = 0;
        while (!stuck[e])
            e++;
        /* From port to port, each of which waits for the next: after as many steps as there are ports, in a circle. */
        e += net->n_hosts;
        for (uint32_t i = 0; i < net->n_ports && held_up(net, sim, stuck, e, *priority, &next); i++)
            e = next;
        do {
            ports[n++] = e;
            held_up(net, sim, stuck, ports[n - 1], *priority, &e);
        } while (e != ports[0] && n < net->n_ports);
        break;
    }
    return n;
}

static uint32_t bits(uint32_t mask)
{
    uint32_t n = 0;
    for (; mask; mask &= mask - 1)
        n++;
    return n;
}

/* Memory: what its ports hold, in headroom and in all, and what else waits. */
static bool memory_is_right(const wi_net *net, const weir_sim *sim, uint32_t first)
{
    const net_world *w = wi_net_world(net);
    const pfc_switch s = switch_of(net, first);
    uint64_t waiting = 0, lossless = 0, held = 0, spare = 0;
    for (uint32_t e = s.first; e < s.first + s.n; e++) {
        const net_pfc_port *x = more_of(net, sim, e);
        for (uint32_t b = 0; b < NET_BANDS; b++) {
            waiting += x->waits[b].bytes;
            lossless += w->pfc_lossless >> b & 1u ? x->waits[b].bytes : 0;
            held += x->held[b];
            spare += x->spare[b];
        }
    }
    return held == lossless && memory_of(net, sim, first)->used == waiting - spare;
}

uint32_t wi_net_pfc_check(weir_diag *diag, const wi_net *net, const weir_sim *sim)
{
    uint32_t wrong = 0;
    if (!wi_net_world(net)->pfc_lines)
        return 0;
    for (uint32_t p = 0; p < net->n_ports; p++) {
        const uint32_t e = net->n_hosts + p;
        const wi_net_pauses here = wi_net_pauses_of(net, sim, e),
                            there = wi_net_pauses_of(
                                net, sim, NET_ARRAY(wi_net_world(net), net_pfc_line, pfc_lines)[p].reverse);
        const bool paired = here.xoff_sent - here.xon_sent == bits(here.pausing) &&
                            here.xoff_sent >= there.xoff_got && here.xon_sent >= there.xon_got &&
                            there.xoff_got - there.xon_got == bits(there.paused);
        const bool memory = switch_of(net, e).first != e || memory_is_right(net, sim, e);
        if (!paired || !memory) {
            wrong++;
            weir_fail(diag, WEIR_E_CHECK,
                      "conservation of %s, port %u: %llu XOFF and %llu XON sent, %llu and %llu received",
                      paired ? "memory" : "pauses", e, (unsigned long long)here.xoff_sent,
                      (unsigned long long)here.xon_sent, (unsigned long long)there.xoff_got,
                      (unsigned long long)there.xon_got);
        }
    }
    return wrong;
}
