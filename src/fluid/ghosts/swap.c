/* Messages between ranks, once a block: pieces of rings, one behind the other. */
#include <limits.h>
#include <string.h>

#include "fluid/ghosts/ghosts.h"

/* ---- lists ---- */

/* Where a thing's ring is: w, t: tables of the network, and of this rank. */
typedef struct places {
    const fluid_tables *w, *t;
    const wi_fluid_ghosts *g;
} places;

static fluid_ring ring_of(const places *at, uint64_t need)
{
    const uint32_t kind = need >> 32 & 0xff, item = (uint32_t)need;
    const wi_fluid_ghosts *const g = at->g;
    if (kind == WI_GHOST_FLOWS)
        return (fluid_ring){.reserved = g->flow[item]};
    if (kind == WI_GHOST_EARLY || kind == WI_GHOST_LATE)
        return at->t->rings[g->series[item]];
    const uint32_t here = g->port[kind == WI_GHOST_PORTS ? item : wi_ghosts_port_of(at->w, item)];
    const fluid_port *const port = &at->t->ports[here];
    const uint64_t before = kind == WI_GHOST_PORTS ? 0 : g->prefix[item] - port->first;
    return (fluid_ring){port->at + before * port->rows, port->rows, here};
}

/* Bytes of a message at most. */
static size_t room_of(const fluid_tables *t, const wi_fluid_ghosts *g, const wi_ghost_list *l)
{
    const size_t step = (size_t)t->lookahead * g->real, quantities = t->signals ? 2 : 1;
    size_t bytes = 0;
    for (uint32_t i = 0; i < l->n[WI_GHOST_PORTS]; i++)
        bytes += 8 + 8 * (1 + quantities * t->n_kinds) * l->item[WI_GHOST_PORTS][i].rows;
    return bytes + (1 + quantities) * step * l->n[WI_GHOST_PREFIXES] +
           step * ((size_t)l->n[WI_GHOST_LATE] + l->n[WI_GHOST_EARLY]) + 8 * (size_t)l->n[WI_GHOST_FLOWS];
}

/* A list of n needs of one rank in one direction. */
static void fill(wi_owned *memory, const places *at, const uint64_t *need, size_t n, wi_ghost_list *l)
{
    for (size_t i = 0; i < n; i++)
        l->n[need[i] >> 32 & 0xff]++;
    for (int kind = 0; kind < WI_GHOST_KINDS; kind++) {
        l->item[kind] = wi_take(memory, l->n[kind], sizeof *l->item[kind]);
        l->n[kind] = 0;
    }
    for (size_t i = 0; i < n && !memory->failed; i++) {
        const uint32_t kind = need[i] >> 32 & 0xff;
        l->item[kind][l->n[kind]++] = ring_of(at, need[i]);
    }
    l->room = memory->failed ? 0 : room_of(at->t, at->g, l);
    l->message = wi_take(memory, l->room, 1);
}

/* How many needs from `from` on are of the same rank and direction. */
static size_t run_of(const wi_ghost_needs *needs, size_t from)
{
    size_t end = from;
    while (end < needs->n && needs->need[end] >> 40 == needs->need[from] >> 40)
        end++;
    return end - from;
}

/* A message to each peer and from it, unless one is larger than MPI counts. */
static weir_status address(weir_diag *diag, wi_fluid_ghosts *g)
{
    for (uint32_t i = 0; i < g->n_peers; i++) {
        const wi_ghost_peer *const p = &g->peers[i];
        const size_t most = p->out.room > p->in.room ? p->out.room : p->in.room;
        g->letters[i] = (wi_ranks_letter){p->rank, p->out.message, p->in.message, 0, p->in.room};
        if (most > INT_MAX)
            return weir_fail(diag, WEIR_E_UNSUPPORTED,
                             "fluid over ranks: a message of %.3g GB a block; want more ranks, or one",
                             1e-9 * (double)most);
    }
    return WEIR_OK;
}

weir_status wi_ghosts_list(weir_diag *diag, const wi_ghost_needs *needs, const fluid_tables *w,
                           const fluid_tables *t, wi_fluid_ghosts *g)
{
    const places at = {w, t, g};
    g->peers = wi_take(&g->memory, g->ranks->n_ranks, sizeof *g->peers);
    g->letters = wi_take(&g->memory, g->ranks->n_ranks, sizeof *g->letters);
    g->rewritten = wi_take(&g->memory, t->n_ports, 1);
    for (size_t i = 0, n; i < needs->n && !g->memory.failed; i += n) {
        const uint32_t rank = (uint32_t)(needs->need[i] >> 48);
        const bool out = needs->need[i] >> 40 & 1;
        if (g->n_peers == 0 || g->peers[g->n_peers - 1].rank != rank)
            g->peers[g->n_peers++].rank = rank;
        wi_ghost_peer *const peer = &g->peers[g->n_peers - 1];
        n = run_of(needs, i);
        fill(&g->memory, &at, needs->need + i, n, out ? &peer->out : &peer->in);
    }
    return g->memory.failed ? wi_fluid_no_memory(diag, needs->n * sizeof(fluid_ring), "messages")
                            : address(diag, g);
}

/* ---- messages ---- */

/* A message being written, or read. */
typedef struct letter {
    unsigned char *at;
    bool out;
} letter;

static void pass(letter *l, void *there, size_t bytes)
{
    memcpy(l->out ? l->at : there, l->out ? there : l->at, bytes);
    l->at += bytes;
}

/* The slots of n steps from `from` on in a ring of elements of `size` bytes. */
static void pass_steps(letter *l, void *ring, size_t size, uint32_t rows, int64_t from, uint32_t n)
{
    const uint32_t slot = (uint32_t)((from % rows + rows) % rows), there = rows - slot < n ? rows - slot : n;
    pass(l, (unsigned char *)ring + slot * size, there * size);
    if (n > there)
        pass(l, ring, (n - there) * size);
}

/* Of a port so many of the last steps, or all rows where what is past has been rewritten. */
static void pass_port(letter *l, const wi_fluid_ghosts *g, const fluid_tables *t, const fluid_state *s,
                      uint32_t p)
{
    const fluid_port *const port = &t->ports[p];
    uint64_t n = g->rewritten[p] ? port->rows : (uint64_t)(s->now - g->sent_to);
    pass(l, &n, sizeof n);
    const int64_t from = s->now - (int64_t)n;
    pass_steps(l, s->own_lag + port->own, 8, port->rows, from, (uint32_t)n);
    for (uint32_t kind = 0; kind < t->n_kinds; kind++) {
        const uint64_t at = (uint64_t)kind * t->n_own + port->own;
        pass_steps(l, s->own_keep + at, 8, port->rows, from, (uint32_t)n);
        if (t->signals)
            pass_steps(l, s->own_signal + at, 8, port->rows, from, (uint32_t)n);
    }
}

static void pass_real(letter *l, const wi_fluid_ghosts *g, void *array, const fluid_ring *r, int64_t from,
                      uint32_t n)
{
    pass_steps(l, (unsigned char *)array + r->at * g->real, g->real, r->rows, from, n);
}

/* What has become known since the last message. */
static void pass_past(letter *l, const wi_fluid_ghosts *g, const wi_ghost_list *list, const fluid_tables *t,
                      const fluid_state *s)
{
    const uint32_t n = (uint32_t)(s->now - g->sent_to);
    for (uint32_t i = 0; i < list->n[WI_GHOST_PORTS]; i++)
        pass_port(l, g, t, s, list->item[WI_GHOST_PORTS][i].reserved);
    for (uint32_t i = 0; i < list->n[WI_GHOST_PREFIXES]; i++) {
        const fluid_ring *const r = &list->item[WI_GHOST_PREFIXES][i];
        pass_real(l, g, s->lag, r, g->sent_to, n);
        pass_real(l, g, s->keep, r, g->sent_to, n);
        if (t->signals)
            pass_real(l, g, s->signal, r, g->sent_to, n);
    }
    for (uint32_t i = 0; i < list->n[WI_GHOST_LATE]; i++)
        pass_real(l, g, s->volume, &list->item[WI_GHOST_LATE][i], g->sent_to, n);
}

/* All of a message: of the n steps to come as well, or of what is acknowledged. */
static size_t pass_all(const wi_fluid_ghosts *g, const wi_ghost_list *list, bool out, const fluid_tables *t,
                       const fluid_state *s, uint32_t n)
{
    letter l = {list->message, out};
    pass_past(&l, g, list, t, s);
    for (uint32_t i = 0; i < list->n[WI_GHOST_EARLY] && n > 0; i++)
        pass_real(&l, g, s->volume, &list->item[WI_GHOST_EARLY][i], s->now, n);
    for (uint32_t i = 0; i < list->n[WI_GHOST_FLOWS] && n == 0; i++)
        pass(&l, &s->acked[list->item[WI_GHOST_FLOWS][i].reserved], sizeof *s->acked);
    return (size_t)(l.at - list->message);
}

void wi_ghosts_swap(wi_fluid_ghosts *g, const fluid_tables *t, const fluid_state *s, uint32_t n)
{
    for (uint32_t i = 0; i < g->n_peers; i++)
        g->letters[i].out_bytes = pass_all(g, &g->peers[i].out, true, t, s, n);
    g->ranks->swap(g->letters, g->n_peers);
    for (uint32_t i = 0; i < g->n_peers; i++)
        (void)pass_all(g, &g->peers[i].in, false, t, s, n);
    memset(g->rewritten, 0, t->n_ports);
    g->sent_to = s->now;
}
