/* Part of cpu/solver.h: what rest.h says may be left out, and what it must be told. */
#ifndef WI_FLUID_CPU_RESTING_H
#define WI_FLUID_CPU_RESTING_H

/* Others may write while one reads: what a wave reads of its own wave is of steps before the block at work, so that either
 * value is right. */
INLINE int32_t rest_read(const int32_t *at)
{
    return __atomic_load_n(at, __ATOMIC_RELAXED);
}

INLINE void rest_write(wi_fluid_rest *r, int32_t *at, int32_t since)
{
    __atomic_store_n(at, since, __ATOMIC_RELAXED);
    int32_t latest = rest_read(&r->latest);
    while (since > latest &&
           !__atomic_compare_exchange_n(&r->latest, &latest, since, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
}

/* The latest change, where all rows of all rings are as the last; else a step that nothing is noted of. */
INLINE int32_t rest_of_all(const wi_fluid_rest *r, int64_t now)
{
    const int32_t latest = rest_read(&r->latest);
    return now - latest > r->longest + 2 * BLOCK ? latest : INT32_MAX;
}

/* The last of n values that is not as the one before it, from -1 on. */
#define LAST_CHANGE(type)                                                                         \
    INLINE int32_t last_change_##type(const type *value, type before, uint32_t n, int32_t *first) \
    {                                                                                             \
        int32_t last = -1;                                                                        \
        for (uint32_t i = 0; i < n; i++) {                                                        \
            if (value[i] != (i > 0 ? value[i - 1] : before)) {                                    \
                *first = last < 0 ? (int32_t)i : *first;                                          \
                last = (int32_t)i;                                                                \
            }                                                                                     \
        }                                                                                         \
        return last;                                                                              \
    }
LAST_CHANGE(fluid_real)
LAST_CHANGE(double)
#undef LAST_CHANGE

/* n of a block's values. */
INLINE bool are_all(const fluid_real *value, fluid_real like, uint32_t n)
{
    int32_t odd[BLOCK] IN_LINES;
    ALL_STEPS(i)
    odd[i] = (i < n) & (value[i] != like);
    return !any(odd);
}

/* Since when the rows of lag and survival that a reader of a prefix goes by are alike. */
INLINE int32_t rests_since(const wi_fluid_rest *r, uint32_t port, uint32_t prefix)
{
    const int32_t own = rest_read(&r->port[port]), rows = rest_read(&r->prefix[prefix]);
    return own > rows ? own : rows;
}

/* What a block's steps see of a volume that lies `reach` steps back: since when it is alike, or REST_NEVER where it is not. */
INLINE int32_t seen_of(const rest_changes *c, int32_t reach, int32_t now)
{
    if (now - reach >= c->since)
        return c->since;
    return now + BLOCK + 4 - reach < c->first ? c->before : REST_NEVER;
}

INLINE bool reader_rests(const rest_reader *reader, int32_t port, uint32_t rows, const rest_changes *volume,
                         int32_t now)
{
    return reader->port == port && reader->port != REST_NEVER && now - port >= (int32_t)rows &&
           reader->volume == seen_of(volume, reader->reach, now);
}

/* After a block that came out the same in all its steps, more than one, with this lag. */
INLINE void reader_note(rest_reader *reader, bool same, fluid_real lag, int32_t port, uint32_t rows,
                        const rest_changes *volume, int32_t now)
{
    const int32_t reach = (int32_t)lag + 3;
    *reader = (rest_reader){same && now - port >= (int32_t)rows ? port : REST_NEVER,
                            seen_of(volume, reach, now), reach};
    if (reader->volume == REST_NEVER)
        reader->port = REST_NEVER;
}

/* n rows like the last, where the ring has any others. */
INLINE void store_same(fluid_real *ring, uint32_t now, uint32_t rows, uint32_t n)
{
    const fluid_real last = ring[fluid_slot(now, -1, rows)];
    reals same;
    ALL_STEPS(i)
    same[i] = last;
    store(ring, now, rows, same, n);
}

/* ---- series ---- */

static void series_note(wi_fluid_rest *r, uint32_t series, const fluid_real *volume, fluid_real before,
                        uint32_t rows, int64_t now, uint32_t n)
{
    rest_changes *const c = &r->series[series];
    int32_t first = 0;
    if (c->since == INT32_MAX || are_all(volume, before, n))
        return;
    const int32_t last = last_change_fluid_real(volume, before, n, &first), at = (int32_t)now;
    if (last < 0)
        return;
    if (at + first - c->since >= (int32_t)rows) { /* nothing else is left of before */
        c->before = c->since;
        c->first = at + first;
    }
    rest_write(r, &c->since, at + last);
}

/* Whether none of a set's members has changed in the block at work. */
INLINE bool set_rests(const fluid_tables *t, const wi_fluid_rest *r, uint32_t set, int32_t now)
{
    bool rests = true;
    for (uint32_t m = t->member_first[set]; m < t->member_first[set + 1] && rests; m++)
        rests = r->series[t->member[m]].since < now;
    return rests;
}

/* ---- prefixes ---- */

INLINE bool hop_rests(const fluid_tables *t, const fluid_state *s, const fluid_segment *segment, uint32_t k)
{
    const wi_fluid_rest *const r = s->rest;
    const fluid_port *const up = &t->ports[segment->upstream];
    const fluid_prefix *const prefix = &t->prefixes[k];
    return reader_rests(&r->hop[k], rests_since(r, segment->upstream, up->first + prefix->parent), up->rows,
                        &r->series[prefix->series], (int32_t)s->now);
}

/* Rows of a prefix that rests. */
INLINE void hop_rows(const fluid_tables *t, const fluid_state *s, uint32_t port_index, uint32_t k, uint32_t n)
{
    const fluid_port *const port = &t->ports[port_index];
    if (s->now - s->rest->prefix[k] >= (int64_t)port->rows)
        return;
    const uint64_t at = port->at + (uint64_t)(k - port->first) * port->rows;
    const uint32_t now = fluid_row_now(s->now, port->rows);
    store_same((fluid_real *)s->lag + at, now, port->rows, n);
    store_same((fluid_real *)s->keep + at, now, port->rows, n);
}

/* What carry has made of a prefix, before it is stored. */
static void hop_note(const fluid_tables *t, const fluid_state *s, const fluid_segment *segment, uint32_t k,
                     const fluid_hop *h, const carried *c, uint32_t n)
{
    wi_fluid_rest *const r = s->rest;
    const fluid_port *const up = &t->ports[segment->upstream];
    const fluid_prefix *const prefix = &t->prefixes[k];
    const fluid_real lag = fluid_hop_lag(h), keep = h->out_keep[fluid_slot(h->out_now, -1, h->out_rows)];
    const bool same = are_all(c->lag, lag, n) && are_all(c->keep, keep, n);
    if (!same) {
        int32_t first = 0;
        const int32_t of_lag = last_change_fluid_real(c->lag, lag, n, &first),
                      of_keep = last_change_fluid_real(c->keep, keep, n, &first),
                      last = of_lag > of_keep ? of_lag : of_keep;
        if (last >= 0)
            rest_write(r, &r->prefix[k], (int32_t)s->now + last);
    }
    r->arrived[k] = (double)c->arrived[0];
    reader_note(&r->hop[k], same && n > 1 && are_all(c->arrived, c->arrived[0], n), lag,
                rests_since(r, segment->upstream, up->first + prefix->parent), up->rows,
                &r->series[prefix->series], (int32_t)s->now);
}

/* A queue to which comes what came before, and that stood still: it is owed the counts. at_once: its front has gone by what
 * stands in all of its rows. */
static bool port_rests(const fluid_state *s, uint32_t p, double arrived, uint32_t n)
{
    rest_port *const r = &s->rest->queue[p];
    if (!r->gain.same || r->gain.came != arrived || r->packets != s->packets[p] || r->acks != s->acks[p])
        return false;
    r->owed += (int32_t)n;
    return true;
}

/* What a port's queue has made of a block, before it is stored. rests: so much came in each of its steps and the one before. */
static void port_note(const fluid_tables *t, const fluid_state *s, uint32_t p, const fluid_gain *gain,
                      bool rests, double arrived, double rows[][BLOCK], uint32_t n)
{
    static const uint32_t which[] = {FLUID_OWN_LAG, FLUID_OWN_KEEP, FLUID_OWN_DROP, FLUID_OWN_FULL};
    const fluid_port *const port = &t->ports[p];
    const uint32_t before = fluid_slot(fluid_row_now(s->now, port->rows), -1, port->rows);
    int32_t last = -1;
    for (uint32_t i = 0; i < sizeof which / sizeof *which; i++) {
        int32_t first = 0;
        const int32_t of =
            last_change_double(rows[which[i]], fluid_own_ring(t, s, port, which[i])[before], n, &first);
        last = of > last ? of : last;
    }
    if (last >= 0)
        rest_write(s->rest, &s->rest->port[p], (int32_t)s->now + last);
    rest_port *const r = &s->rest->queue[p];
    *r = (rest_port){*gain, s->packets[p], s->acks[p], 0, r->front_at, r->front_owed};
    r->gain.same = rests && gain->same && gain->came == arrived && s->now >= port->measured_from &&
                   s->now - s->rest->port[p] >= (int64_t)port->rows && s->down[p] == 0;
}

/* ---- fronts ---- */

/* A front of a port whose rows have stood still for longer than they reach: what is in memory is right for any block. */
static bool front_rests(const fluid_state *s, uint32_t p, uint32_t n)
{
    rest_port *const r = &s->rest->queue[p];
    if (r->front_at == REST_NEVER || r->front_at != rest_read(&s->rest->port[p]))
        return false;
    r->front_owed += (int32_t)n;
    return true;
}

static void front_note(const fluid_tables *t, const fluid_state *s, uint32_t port, const block_pulls *p,
                       uint32_t n)
{
    const int32_t since = rest_read(&s->rest->port[port]);
    const bool same = p->regular && n == t->lookahead && s->now - since >= (int64_t)t->ports[port].rows &&
                      are_all(p->rest, p->rest[0], n) && are_all(p->part, p->part[0], n) &&
                      are_all(p->wait, p->wait[0], n) && are_all(p->keep_from, p->keep_from[0], n) &&
                      are_all(p->keep_to, p->keep_to[0], n);
    s->rest->queue[port].front_at = same ? since : REST_NEVER;
}

/* ---- flows ---- */

/* Until which step a stream sends what it sends in step `now`, or a part of it. */
static int32_t sends_until(const fluid_flow *f, int64_t now)
{
    const double from = (double)now, end = from < f->start  ? f->start
                                           : from < f->stop ? f->stop
                                                            : (double)INT32_MAX;
    return end < (double)INT32_MAX ? (int32_t)end : INT32_MAX;
}

INLINE bool flow_rests(const fluid_tables *t, const fluid_state *s, uint32_t flow, uint32_t n)
{
    const wi_fluid_rest *const r = s->rest;
    const fluid_flow *const f = &t->flows[flow];
    const fluid_port *const port = &t->ports[f->port];
    return s->now + n <= r->until[flow] &&
           reader_rests(&r->flow[flow], rests_since(r, f->port, port->first + f->prefix), port->rows,
                        &r->series[flow], (int32_t)s->now);
}

/* What a flow that rests leaves of a block; it is owed the counts. */
static void flow_rows(const fluid_tables *t, const fluid_state *s, uint32_t flow, uint32_t n)
{
    const fluid_column own = fluid_volume_column(t, s, flow);
    s->rest->owed[flow] += (int32_t)n;
    if (s->now - s->rest->series[flow].since < (int64_t)own.rows)
        store_same((fluid_real *)s->volume + t->rings[flow].at, own.now, own.rows, n);
}

/* What a stream has learnt and sent in a block, before either is stored. */
static void flow_note(const fluid_tables *t, const fluid_state *s, uint32_t flow, const carried *news,
                      const fluid_real *bytes, uint32_t n)
{
    wi_fluid_rest *const r = s->rest;
    const fluid_flow *const f = &t->flows[flow];
    const fluid_port *const port = &t->ports[f->port];
    const fluid_column own = fluid_volume_column(t, s, flow);
    const fluid_real before = fluid_at(own, -1), rtt = ((const fluid_real *)s->rtt)[flow];
    series_note(r, flow, bytes, before, own.rows, s->now, n);
    const bool same = n > 1 && are_all(bytes, before, n) && are_all(news->lag, rtt, n) &&
                      are_all(news->sent, news->sent[0], n) && are_all(news->arrived, news->arrived[0], n);
    r->acked[flow] = (double)news->arrived[0];
    r->lost[flow] = (double)(news->sent[0] - news->arrived[0]);
    r->sent[flow] = (double)before;
    r->until[flow] = sends_until(f, s->now);
    reader_note(&r->flow[flow], same, rtt, rests_since(r, f->port, port->first + f->prefix), port->rows,
                &r->series[flow], (int32_t)s->now);
}

/* Flows that are done together, where everything rests: they are owed the counts. */
static bool group_rests(const fluid_tables *t, const fluid_state *s, uint32_t first, uint32_t n)
{
    rest_group *const g = &s->rest->group[first / SOURCES];
    if (g->at != rest_of_all(s->rest, s->now) || s->now + n > g->until)
        return false;
    for (uint32_t f = first; f < first + SOURCES; f++)
        s->rest->owed[f] += (int32_t)n;
    if (s->rest->owed[first] > REST_OWED && first + SOURCES <= t->n_flows)
        rest_count_group(s, first);
    return true;
}

static void group_note(const fluid_state *s, uint32_t first, uint32_t count, int32_t at)
{
    rest_group *const g = &s->rest->group[first / SOURCES];
    g->at = at == INT32_MAX ? REST_NEVER : at;
    g->until = INT32_MAX;
    for (uint32_t f = first; f < first + count; f++)
        g->until = s->rest->until[f] < g->until ? s->rest->until[f] : g->until;
}

#endif
