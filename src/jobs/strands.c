/* See strands.h. */
#include "jobs/strands.h"

#include <math.h>
#include <string.h>

enum { STRANDS_MAX = 1 << 20 };

/* ---- members by server ---- */

bool wi_strands_place(wi_strands *s, const uint32_t *server, wi_owned *memory)
{
    s->order = wi_take(memory, s->p, sizeof *s->order);
    s->place = wi_take(memory, s->p, sizeof *s->place);
    s->first = wi_take(memory, (size_t)s->p + 1, sizeof *s->first);
    if (memory->failed)
        return false;
    memset(s->place, 0xff, s->p * sizeof *s->place);
    s->servers = 0;
    for (uint32_t i = 0, n = 0; i < s->p; i++) {
        if (s->place[i] != UINT32_MAX)
            continue;
        s->first[s->servers++] = n;
        for (uint32_t k = i; k < s->p; k++)
            if (server[k] == server[i]) {
                s->place[k] = n;
                s->order[n++] = k;
            }
    }
    s->first[s->servers] = s->p;
    s->each = s->p / s->servers;
    for (uint32_t i = 0; i < s->servers; i++)
        if (s->first[i + 1] - s->first[i] != s->p / s->servers)
            s->each = 0;
    return true;
}

static uint32_t server_of(const wi_strands *s, uint32_t place)
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
static uint64_t part_of(uint64_t bytes, uint32_t k, uint32_t n)
{
    return bytes / n + (k < bytes % n);
}

static uint64_t share(uint64_t bytes, uint32_t n)
{
    return (bytes + n - 1) / n;
}

static wi_way way_of(const wi_strands *s)
{
    return s->way == WI_WAY_RAILS && s->each == 0 ? WI_WAY_RING : s->way;
}

/* The largest message of a strand with so many bytes. */
static uint64_t message_of(const wi_strands *s, uint64_t bytes)
{
    if (s->op == JOB_OP_ALLGATHER || way_of(s) == WI_WAY_TREE)
        return bytes;
    return share(bytes, way_of(s) == WI_WAY_RAILS && s->each > 1 ? s->each : s->p);
}

bool wi_strands_cut(wi_strands *s)
{
    const uint64_t channels = s->bytes < s->channels ? (s->bytes ? s->bytes : 1) : s->channels;
    const uint64_t parts = way_of(s) == WI_WAY_TREE && s->bytes >= 2 * channels ? 2 * channels : channels;
    const uint64_t longest = message_of(s, part_of(s->bytes, 0, (uint32_t)parts));
    const uint64_t pieces = s->chunk_bytes && longest ? 1 + (longest - 1) / s->chunk_bytes : 1;
    if (pieces > STRANDS_MAX / parts)
        return false;
    s->parts = (uint32_t)parts;
    s->pieces = (uint32_t)pieces;
    return true;
}

static uint64_t strand_bytes(const wi_strands *s, uint32_t strand)
{
    return part_of(part_of(s->bytes, strand / s->pieces, s->parts), strand % s->pieces, s->pieces);
}

/* ---- rings ---- */

static bool ring_step(uint32_t to, uint32_t from, uint64_t bytes, job_step *out)
{
    *out = job_step_make(to, from, bytes);
    return true;
}

/* Who stands at a place of channel c's ring, and the other way round: the same in both, as each turns a server's ranks over. */
static uint32_t turned(const wi_strands *s, uint32_t c, uint32_t place, bool back)
{
    const uint32_t m = s->each, server = m ? place / m : 0, k = m ? place % m : 0;
    if (m < 2)
        return place;
    c %= m;
    if (server % 2 == 0)
        return server * m + (back ? k + m - c : k + c) % m;
    return server * m + (c + 2 * m - 1 - k) % m;
}

static uint32_t ring_member(const wi_strands *s, uint32_t c, uint32_t at)
{
    return s->channels == 1 ? at : s->order[turned(s, c, at, false)];
}

static bool whole_ring(const wi_strands *s, uint32_t c, uint64_t bytes, uint32_t member, uint32_t step,
                       job_step *out)
{
    const uint32_t p = s->p, at = s->channels == 1 ? member : turned(s, c, s->place[member], true);
    const uint32_t steps = (s->op == JOB_OP_ALLREDUCE ? 2 : 1) * (p - 1);
    return step < steps && ring_step(ring_member(s, c, (at + 1) % p), ring_member(s, c, (at + p - 1) % p),
                                     s->op == JOB_OP_ALLGATHER ? bytes : share(bytes, p), out);
}

static bool rails(const wi_strands *s, uint64_t bytes, uint32_t member, uint32_t step, job_step *out)
{
    const uint32_t m = s->each, n = s->servers, at = s->place[member], server = at / m, k = at % m;
    const uint64_t inside = share(bytes, m);
    if (step >= m - 1 && step < m - 1 + 2 * (n - 1))
        return ring_step(s->order[(server + 1) % n * m + k], s->order[(server + n - 1) % n * m + k],
                         share(inside, n), out);
    return step < 2 * (m - 1) + 2 * (n - 1) &&
           ring_step(s->order[server * m + (k + 1) % m], s->order[server * m + (k + m - 1) % m], inside, out);
}

/* ---- trees ---- */

typedef struct tree_node {
    uint32_t up, down[2]; /* JOB_NOBODY: none */
} tree_node;

/* Leaves are the odd ones; above them those that are twice an odd number, and so on; 0 is the root, over the largest power of two. */
static tree_node binary(uint32_t i, uint32_t n)
{
    tree_node t = {JOB_NOBODY, {JOB_NOBODY, JOB_NOBODY}};
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
static uint32_t other_tree(uint32_t i, uint32_t n, bool back)
{
    if (i == JOB_NOBODY)
        return i;
    return n % 2 == 0 ? n - 1 - i : (back ? i + 1 : i + n - 1) % n;
}

static tree_node node_of(uint32_t server, uint32_t n, bool second)
{
    if (!second)
        return binary(server, n);
    const tree_node t = binary(other_tree(server, n, false), n);
    return (tree_node){other_tree(t.up, n, true),
                       {other_tree(t.down[0], n, true), other_tree(t.down[1], n, true)}};
}

/* The rank at distance k from the one of a server that channel c's trees pass through. */
static uint32_t chained(const wi_strands *s, uint32_t c, uint32_t server, uint32_t k)
{
    const uint32_t m = s->first[server + 1] - s->first[server];
    return s->order[s->first[server] + (c + k) % m];
}

/* What comes from below, then up and what comes from there, then down. */
static bool tree(const wi_strands *s, uint32_t part, uint64_t bytes, uint32_t member, uint32_t step,
                 job_step *out)
{
    const uint32_t c = s->parts > s->channels ? part / 2 : part, at = s->place[member];
    const uint32_t server = server_of(s, at), m = s->first[server + 1] - s->first[server];
    const uint32_t k = (at - s->first[server] + m - c % m) % m;
    uint32_t up = JOB_NOBODY, down[3], n = 0;
    if (k == 0) {
        const tree_node t = node_of(server, s->servers, s->parts > s->channels && part % 2);
        up = t.up == JOB_NOBODY ? t.up : chained(s, c, t.up, 0);
        for (int i = 0; i < 2; i++)
            if (t.down[i] != JOB_NOBODY)
                down[n++] = chained(s, c, t.down[i], 0);
    } else {
        up = chained(s, c, server, k - 1);
    }
    if (k + 1 < m)
        down[n++] = chained(s, c, server, k + 1);
    if (step < n)
        return ring_step(JOB_NOBODY, down[step], bytes, out);
    step -= n;
    if (up != JOB_NOBODY && step-- == 0)
        return ring_step(up, up, bytes, out);
    return step < n && ring_step(down[step], JOB_NOBODY, bytes, out);
}

bool wi_strands_step(const wi_strands *s, uint32_t strand, uint32_t member, uint32_t step, job_step *out)
{
    const uint32_t part = strand / s->pieces;
    const uint64_t bytes = strand_bytes(s, strand);
    if (s->p < 2)
        return false;
    switch (way_of(s)) {
    case WI_WAY_TREE:
        return tree(s, part, bytes, member, step, out);
    case WI_WAY_RAILS:
        return rails(s, bytes, member, step, out);
    default:
        return whole_ring(s, part, bytes, member, step, out);
    }
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
