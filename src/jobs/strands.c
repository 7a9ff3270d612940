/* See strands.h. */
#include "jobs/strands.h"

#include <math.h>
#include <stdlib.h>

#include "base/order.h"

enum { STRANDS_MAX = 1 << 20 };

/* ---- members by server ---- */

/* A member, and the first one of its server. */
typedef struct by_server {
    uint32_t server, first, member;
} by_server;

static int order_by_server(const void *a, const void *b)
{
    const by_server *x = a, *y = b;
    return WI_ORDER(x->server, y->server) ?: WI_ORDER(x->member, y->member);
}

static int order_by_first(const void *a, const void *b)
{
    const by_server *x = a, *y = b;
    return WI_ORDER(x->first, y->first) ?: WI_ORDER(x->member, y->member);
}

bool wi_strands_place(wi_strands *s, const uint32_t *server, wi_owned *memory)
{
    s->order = wi_take(memory, s->p, sizeof *s->order);
    s->place = wi_take(memory, s->p, sizeof *s->place);
    s->first = wi_take(memory, (size_t)s->p + 1, sizeof *s->first);
    if (memory->failed)
        return false;
    by_server *const at = wi_take(memory, s->p, sizeof *at);
    if (memory->failed)
        return false;
    for (uint32_t i = 0; i < s->p; i++)
        at[i] = (by_server){server[i], i, i};
    qsort(at, s->p, sizeof *at, order_by_server);
    for (uint32_t i = 1; i < s->p; i++)
        if (at[i].server == at[i - 1].server)
            at[i].first = at[i - 1].first;
    qsort(at, s->p, sizeof *at, order_by_first);
    s->servers = 0;
    for (uint32_t i = 0; i < s->p; i++) {
        if (at[i].member == at[i].first)
            s->first[s->servers++] = i;
        s->place[at[i].member] = i;
        s->order[i] = at[i].member;
    }
    s->first[s->servers] = s->p;
    s->each = s->p / s->servers;
    for (uint32_t i = 0; i < s->servers; i++)
        if (s->first[i + 1] - s->first[i] != s->p / s->servers)
            s->each = 0;
    return true;
}

/* ---- cuts ---- */

/* The largest message of a strand with so many bytes. */
static uint64_t message_of(const wi_strands *s, uint64_t bytes)
{
    if (job_way_of(s) == WI_WAY_RAILS)
        return job_rail_bytes(s, bytes, s->each > 1);
    return s->op == JOB_OP_ALLGATHER || job_way_of(s) == WI_WAY_TREE ? bytes : job_share_of(bytes, s->p);
}

bool wi_strands_cut(wi_strands *s)
{
    const uint64_t channels = s->bytes < s->channels ? (s->bytes ? s->bytes : 1) : s->channels;
    const uint64_t parts = job_way_of(s) == WI_WAY_TREE && s->bytes >= 2 * channels ? 2 * channels : channels;
    const uint64_t longest = message_of(s, job_part_of(s->bytes, 0, (uint32_t)parts));
    const uint64_t pieces = s->chunk_bytes && longest ? 1 + (longest - 1) / s->chunk_bytes : 1;
    if (pieces > STRANDS_MAX / parts)
        return false;
    s->parts = (uint32_t)parts;
    s->pieces = (uint32_t)pieces;
    return true;
}

/* ---- NCCL's choice ---- */

enum { LL, SIMPLE, PROTOCOLS };

/* Microseconds, and bytes a microsecond. */
static double ring_us(uint32_t ranks, uint32_t servers, double bytes, double rate, int protocol)
{
    static const double base[PROTOCOLS] = {3.6, 8.4}, local[PROTOCOLS] = {0.47, 3.4},
                        network[PROTOCOLS] = {2.7, 9.6};
    const double steps = 2.0 * (ranks - 1), between = 2.0 * (servers - 1);
    const double inside = local[protocol] * (servers > 1 && protocol == LL ? 1.8 : 1.0);
    const double latency = base[protocol] + (steps - between) * inside + between * network[protocol];
    const bool plateau = protocol == SIMPLE && servers > 1 && bytes >= ranks / 16.0 * 65536;
    return latency * (plateau ? 1.9 : 1.0) + bytes / (rate * (protocol == LL ? 0.25 : 1.0) * ranks / steps);
}

static double tree_us(uint32_t ranks, uint32_t servers, double bytes, double rate, int protocol)
{
    static const double base[PROTOCOLS] = {4.4, 0.0}, local[PROTOCOLS] = {0.52, 28.0},
                        network[PROTOCOLS] = {5.0, 50.0};
    static const double slowed[PROTOCOLS][22] = {{1.0, 1.0, 1.0, 1.0, 0.9, 0.8, 0.7, 0.7, 0.7, 0.7, 0.6,
                                                  0.5, 0.4, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.0, 1.0},
                                                 {0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.8, 0.7, 0.6, 0.6,
                                                  0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.6, 0.6, 0.7, 0.8, 0.9}};
    const int size = bytes < 128 ? 0 : ilogb(bytes / 64.0), depth = ilogb(servers),
              chain = (int)(ranks / servers) - 1;
    const double inside = local[protocol] * (servers > 1 && protocol == LL ? 1.8 : 1.0);
    const double latency = base[protocol] + 2.0 * (chain * inside + depth * network[protocol]);
    const double used = rate * 0.9 * (protocol == LL ? 1.0 / 3.8 : 1.0) * 0.5;
    return latency + bytes / (used * (size < 22 ? slowed[protocol][size] : 1.0));
}

bool wi_nccl_takes_tree(uint32_t ranks, uint32_t servers, uint64_t bytes, double server_Bps, double local_Bps)
{
    const double rate =
        (servers > 1 && (server_Bps < local_Bps || local_Bps <= 0.0) ? server_Bps : local_Bps) / 1e6;
    if (ranks < 2 || !(rate > 0.0))
        return false;
    const double b = (double)bytes;
    const double rings = fmin(ring_us(ranks, servers, b, rate, LL), ring_us(ranks, servers, b, rate, SIMPLE));
    return fmin(tree_us(ranks, servers, b, rate, LL), tree_us(ranks, servers, b, rate, SIMPLE)) < rings;
}
