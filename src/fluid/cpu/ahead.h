/*
 * Part of cpu/solver.h: what prefixes and flows some places further on will read and write is asked for while
 * those before them are at work. Each block comes to every history once, in another line of memory each time,
 * so that without this a solver waits for memory in most of its time.
 *
 * FAR places ahead goes what is needed to know where the rest stands, NEAR places ahead the rest. Wrong
 * guesses (a ring that ends, a lag that moves on) cost time alone.
 *
 * All of it is INLINE: to a compiler a function that only asks has no effect, and gcc leaves out calls of it.
 */
#ifndef WI_FLUID_CPU_AHEAD_H
#define WI_FLUID_CPU_AHEAD_H

enum { NEAR = 8, FAR = 20, LINE_REALS = 64 / sizeof(fluid_real) };

/* The lines of a block and one value before it, from a slot on. */
INLINE void ask(const fluid_real *ring, uint32_t slot)
{
    __builtin_prefetch(ring + slot);
    __builtin_prefetch(ring + slot + WI_FLUID_BLOCK);
}

INLINE void ask_to_write(const fluid_real *ring, uint32_t slot)
{
    for (uint32_t i = 0; i < WI_FLUID_BLOCK; i += LINE_REALS)
        __builtin_prefetch(ring + slot + i, 1);
}

/* Volumes from what was sent `lag` steps before the block's first. */
INLINE void ask_volume(const fluid_state *s, uint64_t at, uint32_t rows, fluid_real lag)
{
    const uint32_t now = fluid_row_now(s->now, rows);
    ask((const fluid_real *)s->volume + at, fluid_slot(now, -1 - (int32_t)lag, rows));
}

/* Lines of n elements of an array. */
INLINE void ask_lines(const void *at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 64)
        __builtin_prefetch((const char *)at + i);
}

INLINE void prefix_far(const fluid_tables *t, const fluid_state *s, uint32_t p)
{
    __builtin_prefetch(&t->prefixes[p + 2 * FAR]);
    if (p >= t->n_prefixes)
        return;
    const fluid_prefix *const prefix = &t->prefixes[p];
    if (prefix->parent == FLUID_NONE) {
        const uint32_t now = fluid_row_now(s->now, prefix->volume_rows);
        ask((const fluid_real *)s->volume + prefix->volume_at, now);
        return;
    }
    const fluid_port *const port = &t->ports[t->segments[prefix->segment].port];
    const uint64_t at = port->at + (uint64_t)(p - port->first) * port->rows;
    const uint32_t now = fluid_row_now(s->now, port->rows);
    __builtin_prefetch((const fluid_real *)s->lag + at + fluid_slot(now, -1, port->rows));
    ask_to_write((const fluid_real *)s->lag + at, now);
    ask_to_write((const fluid_real *)s->keep + at, now);
}

INLINE void prefix_near(const fluid_tables *t, const fluid_state *s, uint32_t p)
{
    if (p >= t->n_prefixes || t->prefixes[p].parent == FLUID_NONE)
        return;
    const fluid_prefix *const prefix = &t->prefixes[p];
    const fluid_segment *const segment = &t->segments[prefix->segment];
    const fluid_port *const port = &t->ports[segment->port], *const up = &t->ports[segment->upstream];
    const uint64_t at = port->at + (uint64_t)(p - port->first) * port->rows;
    const uint32_t now = fluid_row_now(s->now, port->rows), now_up = fluid_row_now(s->now, up->rows);
    const int32_t from = fluid_front_pulls(t, s, up, segment->kind).from[0];
    const uint64_t at_up = up->at + (uint64_t)prefix->parent * up->rows;
    const uint32_t slot_up = fluid_slot(now_up, from, up->rows);
    ask((const fluid_real *)s->lag + at_up, slot_up);
    ask((const fluid_real *)s->keep + at_up, slot_up);
    ask_volume(s, prefix->volume_at, prefix->volume_rows,
               ((const fluid_real *)s->lag)[at + fluid_slot(now, -1, port->rows)]);
}

/* A member of sets, by its place among all members: its ring, then what it sends in the block. */
INLINE void member_ahead(const fluid_tables *t, const fluid_state *s, uint32_t m)
{
    if (m + FAR < t->n_members)
        __builtin_prefetch(&t->rings[t->member[m + FAR]]);
    if (m + NEAR < t->n_members) {
        const fluid_ring *const ring = &t->rings[t->member[m + NEAR]];
        __builtin_prefetch((const fluid_real *)s->volume + ring->at + fluid_row_now(s->now, ring->rows));
    }
}

/* What a queue writes: its port's rows. */
INLINE void port_ahead(const fluid_tables *t, const fluid_state *s, uint32_t p)
{
    if (p >= t->n_ports)
        return;
    const fluid_port *const port = &t->ports[p];
    const uint64_t at = port->own + fluid_row_now(s->now, port->rows);
    const double *const ring[] = {s->own_lag,      s->own_accepted, s->own_drop, s->own_reduction,
                                  s->own_expected, s->own_full,     s->own_keep};
    for (uint32_t i = 0; i < sizeof ring / sizeof *ring; i++) {
        __builtin_prefetch(ring[i] + at, 1);
        __builtin_prefetch(ring[i] + at + 8, 1);
    }
}

/* What the tables and the small part of the state say of n flows: contiguous, but of more arrays than the
 * processor follows by itself. */
INLINE void flows_far(const fluid_tables *t, const fluid_state *s, uint32_t f, uint32_t n)
{
    if (f + n > t->n_flows)
        return;
    ask_lines(&t->flows[f], n * sizeof t->flows[f]);
    ask_lines(&t->rings[f], n * sizeof t->rings[f]);
    ask_lines(&s->exit[f], n * sizeof s->exit[f]);
    ask_lines((const fluid_real *)s->window + f, n * sizeof(fluid_real));
    ask_lines((const fluid_real *)s->rtt + f, n * sizeof(fluid_real));
    ask_lines(&s->sent[f], n * sizeof s->sent[f]);
    ask_lines(&s->acked[f], n * sizeof s->acked[f]);
    ask_lines(&s->lost[f], n * sizeof s->lost[f]);
    ask_lines(&s->ended[f], n * sizeof s->ended[f]);
    ask_lines(&s->flow_flags[f], n * sizeof s->flow_flags[f]);
}

INLINE void flow_far(const fluid_tables *t, uint32_t f)
{
    if (f >= t->n_flows)
        return;
    __builtin_prefetch(&t->ports[t->flows[f].port]);
    __builtin_prefetch((const char *)&t->ports[t->flows[f].port] + 64);
}

INLINE void flow_near(const fluid_tables *t, const fluid_state *s, uint32_t f)
{
    if (f >= t->n_flows)
        return;
    const fluid_flow *const flow = &t->flows[f];
    const fluid_port *const port = &t->ports[flow->port];
    const uint64_t at = port->at + (uint64_t)flow->prefix * port->rows;
    const uint32_t now = fluid_row_now(s->now, port->rows);
    const int32_t from = (int32_t)(s->exit[f].step - s->now);
    const uint32_t slot = fluid_slot(now, from, port->rows);
    const fluid_ring *const ring = &t->rings[f];
    ask((const fluid_real *)s->lag + at, slot);
    ask((const fluid_real *)s->keep + at, slot);
    for (uint32_t i = 0; i <= WI_FLUID_BLOCK; i += 8) {
        __builtin_prefetch(s->own_lag + port->own + slot + i);
        __builtin_prefetch(s->own_keep + port->own + slot + i);
    }
    ask_volume(s, ring->at, ring->rows, ((const fluid_real *)s->rtt)[f]);
    ask_to_write((const fluid_real *)s->volume + ring->at, fluid_row_now(s->now, ring->rows));
}

#endif
