/* Steps of strands (strands.h), one by one from their closed forms: an engine's model makes them while it runs. */
#pragma once

#include "jobs/collective.h"

typedef enum wi_way { WI_WAY_RING, WI_WAY_TREE, WI_WAY_RAILS } wi_way;

typedef struct wi_strands {
    uint8_t way, op; /* wi_way; job_op: a TREE's is an all-reduce */
    uint32_t p, channels;
    uint64_t bytes;       /* as job_collective has them */
    uint64_t chunk_bytes; /* the largest message; 0: no limit */
    /* By wi_strands_place. */
    uint32_t servers, each; /* each: ranks of every server; 0: they differ */
    uint32_t *order;        /* [p] members, server by server */
    uint32_t *place;        /* [p] where a member stands in `order` */
    uint32_t *first;        /* [servers + 1] in `order` */
    /* By wi_strands_cut. */
    uint32_t parts, pieces; /* of each part */
} wi_strands;

WEIR_FN uint32_t job_server_of(const wi_strands *s, uint32_t place)
{
    uint32_t low = 0, high = s->servers;
    if (s->each)
        return place / s->each;
    while (high - low > 1) {
        const uint32_t middle = (low + high) / 2;
        *(s->first[middle] <= place ? &low : &high) = middle;
    }
    return low;
}

/* ---- sizes ---- */

/* Part number k of n; the first ones are longer where it does not divide. */
WEIR_FN uint64_t job_part_of(uint64_t bytes, uint32_t k, uint32_t n)
{
    return bytes / n + (k < bytes % n);
}

WEIR_FN uint64_t job_share_of(uint64_t bytes, uint32_t n)
{
    return (bytes + n - 1) / n;
}

WEIR_FN uint32_t job_way_of(const wi_strands *s)
{
    return s->way == WI_WAY_RAILS && s->each == 0 ? (uint32_t)WI_WAY_RING : s->way;
}

WEIR_FN uint64_t job_strand_bytes(const wi_strands *s, uint32_t strand)
{
    return job_part_of(job_part_of(s->bytes, strand / s->pieces, s->parts), strand % s->pieces, s->pieces);
}

/* ---- rings ---- */

WEIR_FN bool job_ring_step(uint32_t to, uint32_t from, uint64_t bytes, job_step *out)
{
    *out = job_step_make(to, from, bytes);
    return true;
}

/* Who stands at a place of channel c's ring, and the other way round: the same in both, as each turns a server's ranks over. */
WEIR_FN uint32_t job_ring_turned(const wi_strands *s, uint32_t c, uint32_t place, bool back)
{
    const uint32_t m = s->each, server = m ? place / m : 0, k = m ? place % m : 0;
    if (m < 2)
        return place;
    c %= m;
    if (server % 2 == 0)
        return server * m + (back ? k + m - c : k + c) % m;
    return server * m + (c + 2 * m - 1 - k) % m;
}

WEIR_FN uint32_t job_ring_member(const wi_strands *s, uint32_t c, uint32_t at)
{
    return s->channels == 1 ? at : s->order[job_ring_turned(s, c, at, false)];
}

WEIR_FN bool job_whole_ring(const wi_strands *s, uint32_t c, uint64_t bytes, uint32_t member, uint32_t step,
                            job_step *out)
{
    const uint32_t p = s->p, at = s->channels == 1 ? member : job_ring_turned(s, c, s->place[member], true);
    const uint32_t steps = (s->op == JOB_OP_ALLREDUCE ? 2 : 1) * (p - 1);
    return step < steps &&
           job_ring_step(job_ring_member(s, c, (at + 1) % p), job_ring_member(s, c, (at + p - 1) % p),
                         s->op == JOB_OP_ALLGATHER ? bytes : job_share_of(bytes, p), out);
}

/* Steps along rails: inside a server, between servers, and inside again. An all-gather begins between them, a reduce-scatter ends
 * there. */
typedef struct job_rail_steps {
    uint32_t before, between, after;
} job_rail_steps;

WEIR_FN job_rail_steps job_rail_steps_of(uint32_t op, uint32_t servers, uint32_t each)
{
    job_rail_steps n;
    n.before = op == JOB_OP_ALLGATHER ? 0 : each - 1;
    n.between = (op == JOB_OP_ALLREDUCE ? 2u : 1u) * (servers - 1);
    n.after = op == JOB_OP_REDUCE_SCATTER ? 0 : each - 1;
    return n;
}

/* Bytes of a message inside a server, and between two. */
WEIR_FN uint64_t job_rail_bytes(const wi_strands *s, uint64_t bytes, bool inside)
{
    if (s->op == JOB_OP_ALLGATHER)
        return inside ? bytes * s->servers : bytes;
    const uint64_t share = job_share_of(bytes, s->each);
    return inside ? share : job_share_of(share, s->servers);
}

WEIR_FN bool job_rails(const wi_strands *s, uint64_t bytes, uint32_t member, uint32_t step, job_step *out)
{
    const uint32_t m = s->each, n = s->servers, at = s->place[member], server = at / m, k = at % m;
    const job_rail_steps steps = job_rail_steps_of(s->op, n, m);
    if (step >= steps.before && step < steps.before + steps.between)
        return job_ring_step(s->order[(server + 1) % n * m + k], s->order[(server + n - 1) % n * m + k],
                             job_rail_bytes(s, bytes, false), out);
    return step < steps.before + steps.between + steps.after &&
           job_ring_step(s->order[server * m + (k + 1) % m], s->order[server * m + (k + m - 1) % m],
                         job_rail_bytes(s, bytes, true), out);
}

/* ---- trees ---- */

typedef struct job_tree_node {
    uint32_t up, down[2]; /* JOB_NOBODY: none */
} job_tree_node;

/* Leaves are the odd ones; above them those that are twice an odd number, and so on; 0 is the root, over the largest power of two. */
WEIR_FN job_tree_node job_tree_binary(uint32_t i, uint32_t n)
{
    job_tree_node t = {JOB_NOBODY, {JOB_NOBODY, JOB_NOBODY}};
    uint32_t bit = 1;
    while (bit < n && !(i & bit))
        bit <<= 1;
    if (i == 0) {
        t.down[0] = n > 1 ? bit / 2 : JOB_NOBODY;
        return t;
    }
    const uint32_t far = i - bit + 2 * bit;
    t.up = (i & (2 * bit)) == 0 && far < n ? far : i - bit;
    if (bit > 1) {
        t.down[0] = i - bit / 2;
        for (uint32_t low = bit / 2; low > 0 && t.down[1] == JOB_NOBODY; low /= 2)
            t.down[1] = i + low < n ? i + low : JOB_NOBODY;
    }
    return t;
}

/* The second tree is the first mirrored, or with an odd number shifted, so that the inner ones of either are leaves of the other. */
WEIR_FN uint32_t job_tree_other(uint32_t i, uint32_t n, bool back)
{
    if (i == JOB_NOBODY)
        return i;
    return n % 2 == 0 ? n - 1 - i : (back ? i + 1 : i + n - 1) % n;
}

WEIR_FN job_tree_node job_tree_node_of(uint32_t server, uint32_t n, bool second)
{
    if (!second)
        return job_tree_binary(server, n);
    job_tree_node t = job_tree_binary(job_tree_other(server, n, false), n);
    t.up = job_tree_other(t.up, n, true);
    t.down[0] = job_tree_other(t.down[0], n, true);
    t.down[1] = job_tree_other(t.down[1], n, true);
    return t;
}

/* The rank at distance k from the one of a server that channel c's trees pass through. */
WEIR_FN uint32_t job_chained(const wi_strands *s, uint32_t c, uint32_t server, uint32_t k)
{
    const uint32_t m = s->first[server + 1] - s->first[server];
    return s->order[s->first[server] + (c + k) % m];
}

/* What comes from below, then up and what comes from there, then down. */
WEIR_FN bool job_tree(const wi_strands *s, uint32_t part, uint64_t bytes, uint32_t member, uint32_t step,
                      job_step *out)
{
    const uint32_t c = s->parts > s->channels ? part / 2 : part, at = s->place[member];
    const uint32_t server = job_server_of(s, at), m = s->first[server + 1] - s->first[server];
    const uint32_t k = (at - s->first[server] + m - c % m) % m;
    uint32_t up = JOB_NOBODY, down[3], n = 0;
    if (k == 0) {
        const job_tree_node t = job_tree_node_of(server, s->servers, s->parts > s->channels && part % 2);
        up = t.up == JOB_NOBODY ? t.up : job_chained(s, c, t.up, 0);
        for (int i = 0; i < 2; i++)
            if (t.down[i] != JOB_NOBODY)
                down[n++] = job_chained(s, c, t.down[i], 0);
    } else {
        up = job_chained(s, c, server, k - 1);
    }
    if (k + 1 < m)
        down[n++] = job_chained(s, c, server, k + 1);
    if (step < n)
        return job_ring_step(JOB_NOBODY, down[step], bytes, out);
    step -= n;
    if (up != JOB_NOBODY && step-- == 0)
        return job_ring_step(up, up, bytes, out);
    return step < n && job_ring_step(down[step], JOB_NOBODY, bytes, out);
}

/* Step number `step` of a member in a strand; false: there is none, it is over. */
WEIR_FN bool job_strand_step(const wi_strands *s, uint32_t strand, uint32_t member, uint32_t step,
                             job_step *out)
{
    const uint32_t part = strand / s->pieces;
    const uint64_t bytes = job_strand_bytes(s, strand);
    if (s->p < 2)
        return false;
    switch (job_way_of(s)) {
    case WI_WAY_TREE:
        return job_tree(s, part, bytes, member, step, out);
    case WI_WAY_RAILS:
        return job_rails(s, bytes, member, step, out);
    default:
        return job_whole_ring(s, part, bytes, member, step, out);
    }
}
