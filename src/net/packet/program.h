/*
 * Jobs as the world has them: ranks host by host, their operations, and the collectives that these are part of. What ranks do
 * while it runs is in transport/program.h.
 *
 * Lists of numbers lie in one array, world->job_lists; `first_...` are places there.
 */
#pragma once

#include "jobs/strand_step.h"
#include "net/packet/world.h"

typedef struct net_job {
    uint32_t iterations;
    uint32_t first_rank; /* list: number in world->job_ranks of each rank */
    uint32_t lasts;      /* its connections do */
    uint32_t reserved;
    weir_time start_ps, local_delay_ps;
    uint64_t local_bps; /* 0: no limit */
    uint64_t eager_bytes;
} net_job;

/* One more than there are stands behind the last, for bounds. */
typedef struct net_rank {
    uint32_t host, job, server;
    uint32_t first_op, n_ops; /* in world->job_ops */
    uint32_t generator;       /* of its slots for messages */
    uint32_t word; /* in NET_POOL_HOST_WORDS: NET_RANK_WORDS, then of each processor until when it is busy */
    uint32_t slot_word; /* of each of its slots NET_SLOT_WORDS, or 1 where connections do not last */
    uint32_t
        end_word; /* of each iteration when it began; then iteration by iteration when each operation ended */
    uint32_t reserved;
} net_rank;

/* Its iteration, and how many operations of that have ended; those that wait for a slot, first and last; until when its local
 * link is busy. */
enum { NET_RANK_TURN, NET_RANK_HEAD, NET_RANK_TAIL, NET_RANK_PORT, NET_RANK_WORDS };
enum { NET_SLOT_WORDS = 2 };

enum { NET_OP_COMPUTE, NET_OP_SEND, NET_OP_RECV, NET_OP_COLLECTIVE };
enum { NET_OP_WINDOW = 1 }; /* its messages of one source are counted in order; see net_chain */

/* An operation. A message finds its place by an inlet: each host numbers them, of each chain `width`. */
typedef struct net_op {
    uint8_t kind, flags;
    uint16_t processor;
    uint32_t rank; /* number in world->job_ranks */
    uint32_t needs;
    uint32_t first_after, n_starts,
        n_ends;    /* list: its rank's operations that wait for its start; for its end */
    uint32_t word; /* what it is at: NET_OP_WORDS, then chains, then connections */
    uint32_t inlet, width;
    uint32_t peer; /* SEND: number of the receive in world->job_ops; COLLECTIVE: in world->job_collectives */
    uint32_t member; /* COLLECTIVE: its number in the group */
    uint32_t reserved;
    uint64_t amount; /* SEND: bytes; COMPUTE: picoseconds */
} net_op;

/* How much of what it needs has come, and for how much its end waits; the next in the rank's queue. */
enum { NET_OP_CAME, NET_OP_LINK, NET_OP_WORDS };

/* A collective operation of a group, once an iteration. */
typedef struct net_collective {
    uint8_t op, algorithm, way, in_strands;
    uint32_t p, root, channels, servers, each, parts, pieces;
    uint32_t first_op;                               /* list: of each member its operation */
    uint32_t first_order, first_place, first_server; /* lists of wi_strands */
    uint64_t bytes;
} net_collective;

/*
 * A member's place in a strand, or a receive's: one in a list of messages from one source (NET_OP_WINDOW) or of several.
 * Behind it lies what has come before its time: a bit a message beyond the first that has not, or 16 bits a step.
 */
typedef struct net_chain {
    uint64_t step : 24;
    uint64_t ahead : 22; /* WINDOW: messages that have come, in order, and are not taken */
    uint64_t next : 6;   /* WINDOW: number of the one behind these, modulo 64 */
    uint64_t out : 5;    /* WINDOW: sent and not acknowledged */
    uint64_t state : 5;
    uint64_t laps : 2; /* how often it has begun, modulo 4 */
    uint64_t link;     /* the next in the rank's queue */
} net_chain;
WEIR_STATIC_ASSERT(sizeof(net_chain) == 16, "two words");

enum {
    NET_CHAIN_IDLE,
    NET_CHAIN_DUE,  /* an event will go on with it */
    NET_CHAIN_RECV, /* it waits for a message, */
    NET_CHAIN_ACK,  /* for what it has sent to be acknowledged, */
    NET_CHAIN_ROOM, /* for one of NET_CHAIN_OUT to be, */
    NET_CHAIN_SLOT, /* for a slot */
    NET_CHAIN_OVER
};
/* Messages of a chain from one source that are under way at once. */
enum { NET_CHAIN_OUT = 31, NET_CHAIN_WINDOW = 64 };

/* Pieces of a part that follow each other on one connection: the next to go. It may be an iteration behind. */
typedef struct net_piece_line {
    uint64_t step : 24, piece : 24;
    uint64_t laps : 6; /* iterations, modulo 64 */
    uint64_t begun : 1, busy : 1;
    uint64_t link;
} net_piece_line;

/* Words of a chain with so many inlets. */
WEIR_FN uint32_t net_chain_words(uint32_t flags, uint32_t width)
{
    return 2u + (flags & NET_OP_WINDOW ? 1u : (width + 3u) / 4u);
}

WEIR_FN wi_strands net_strands_of(const net_collective *c, const uint32_t *lists)
{
    wi_strands s;
    s.way = c->way;
    s.op = c->op;
    s.p = c->p;
    s.channels = c->channels;
    s.bytes = c->bytes;
    s.chunk_bytes = 0;
    s.servers = c->servers;
    s.each = c->each;
    s.order = (uint32_t *)lists + c->first_order;
    s.place = (uint32_t *)lists + c->first_place;
    s.first = (uint32_t *)lists + c->first_server;
    s.parts = c->parts;
    s.pieces = c->pieces;
    return s;
}

/* Step of a member in a strand; false: there is none. */
WEIR_FN bool net_collective_step(const net_collective *c, const uint32_t *lists, uint32_t strand,
                                 uint32_t member, uint32_t step, job_step *out)
{
    if (c->in_strands) {
        const wi_strands s = net_strands_of(c, lists);
        return job_strand_step(&s, strand, member, step, out);
    }
    job_collective one;
    one.op = c->op;
    one.algorithm = c->algorithm;
    one.rank = member;
    one.p = c->p;
    one.root = c->root;
    one.bytes = c->bytes;
    return job_collective_step(&one, step, out) != 0;
}

/* Whether each member's messages come from one source, in the order of its steps. */
WEIR_FN bool net_collective_is_ring(const net_collective *c)
{
    const bool rings =
        c->op == JOB_OP_ALLREDUCE || c->op == JOB_OP_ALLGATHER || c->op == JOB_OP_REDUCE_SCATTER;
    if (c->in_strands)
        return c->way == WI_WAY_RING || (c->way == WI_WAY_RAILS && c->each == 0);
    return rings && c->algorithm == JOB_RING;
}

/* Steps of a member of such a ring. */
WEIR_FN uint32_t net_ring_steps(const net_collective *c)
{
    return (c->op == JOB_OP_ALLREDUCE ? 2u : 1u) * (c->p - 1u);
}

/* Chains of each member. */
WEIR_FN uint32_t net_collective_chains(const net_collective *c)
{
    return c->in_strands ? c->parts * c->pieces : 1u;
}

/* Connections that pieces of a part line up for: of a ring one, of rails two, of a tree one a step. */
WEIR_FN uint32_t net_piece_lines(const net_collective *c)
{
    if (!c->in_strands || c->pieces < 2)
        return 0;
    return net_collective_is_ring(c) ? 1u : c->way == WI_WAY_RAILS ? 2u : 7u;
}

WEIR_FN bool net_is_between(const net_collective *c, uint32_t step)
{
    const job_rail_steps n = job_rail_steps_of(c->op, c->servers, c->each);
    return step >= n.before && step < n.before + n.between;
}

/* Which of these a step sends on. */
WEIR_FN uint32_t net_piece_line_of(const net_collective *c, uint32_t step)
{
    return net_collective_is_ring(c) ? 0u : c->way == WI_WAY_RAILS ? (uint32_t)net_is_between(c, step) : step;
}

/* The step of a line behind another, or its first (`step` NET_NO_STEP); NET_NO_STEP: none. */
#define NET_NO_STEP 0xffffffu
WEIR_FN uint32_t net_piece_line_next(const net_collective *c, uint32_t line, uint32_t step)
{
    const bool first = step == NET_NO_STEP;
    if (net_collective_is_ring(c)) {
        const uint32_t at = first ? 0u : step + 1u;
        return at < net_ring_steps(c) ? at : NET_NO_STEP;
    }
    if (c->way == WI_WAY_TREE)
        return first ? line : NET_NO_STEP;
    const job_rail_steps n = job_rail_steps_of(c->op, c->servers, c->each);
    uint32_t at = first ? (line ? n.before : 0u) : step + 1u;
    if (line == 0 && at == n.before)
        at += n.between;
    return at < n.before + n.between + (line ? 0u : n.after) ? at : NET_NO_STEP;
}

/* Whether members take their steps together: the message of a step is taken in the other's step of that number. */
WEIR_FN bool net_steps_are_alike(const net_collective *c)
{
    if (c->in_strands)
        return c->way != WI_WAY_TREE;
    switch (c->op) {
    case JOB_OP_BARRIER:
    case JOB_OP_ALLGATHER:
    case JOB_OP_REDUCE_SCATTER:
    case JOB_OP_ALLTOALL:
        return true;
    case JOB_OP_ALLREDUCE:
        return c->algorithm == JOB_RING;
    default:
        return false;
    }
}

/* The step in which `to` takes what `from` sends in its own: of these two and a strand the n-th with the n-th. */
WEIR_FN uint32_t net_taking_step(const net_collective *c, const uint32_t *lists, uint32_t strand,
                                 uint32_t from, uint32_t to, uint32_t step)
{
    job_step s;
    if (net_steps_are_alike(c))
        return step;
    if (c->op == JOB_OP_GATHER && c->algorithm == JOB_RING)
        return (from + c->p - c->root) % c->p - 1u;
    if (c->op == JOB_OP_SCATTER && c->algorithm == JOB_RING)
        return 0;
    uint32_t n = 0, at = 0;
    for (uint32_t i = 0; i < step; i++)
        n += net_collective_step(c, lists, strand, from, i, &s) && s.to == to;
    for (; net_collective_step(c, lists, strand, to, at, &s); at++)
        if (s.from == from && n-- == 0)
            return at;
    return 0; /* there is one */
}
