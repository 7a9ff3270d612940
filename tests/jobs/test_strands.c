/*
 * Strands of collectives against what they are for. Each is walked message by message: everyone sends all that it knows, and in the
 * end knows what all others had, over ranks and servers of every shape. Messages and bytes are those of the closed forms:
 *   ring   all-reduce 2 p (p - 1) messages of a p-th; all-gather and reduce-scatter half of them
 *   tree   2 (p - 1) messages of half a part; each server's ranks but one hang in a chain, servers in a binary tree of least depth,
 *          and no server but one is inside both trees
 *   rails  all-reduce 2 (m - 1) inside and 2 (s - 1) between for each rank, of an m-th and an m s-th; reduce-scatter half of
 *          them; all-gather s - 1 between, of a block, and m - 1 inside, of s blocks
 * Rings of several channels cross from server to server between ranks at the same place. NCCL's choice at its ends.
 */
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "jobs/strands.h"

enum { P = 40, STEPS = 2 * P };

typedef struct walked {
    uint64_t messages, bytes, inside; /* inside: messages within a server */
    uint32_t depth;                   /* the longest chain of messages */
} walked;

static uint32_t server[P];

static walked walk(const wi_strands *s, uint32_t strand)
{
    static job_step step[P][STEPS];
    uint32_t n[P], at[P], depth[P], sent[P], left = s->p;
    uint64_t knows[P], carried[P][STEPS];
    uint32_t carried_depth[P][STEPS];
    walked w = {0, 0, 0, 0};
    for (uint32_t i = 0; i < s->p; i++) {
        n[i] = at[i] = depth[i] = sent[i] = 0;
        knows[i] = UINT64_C(1) << i;
        while (job_strand_step(s, strand, i, n[i], &step[i][n[i]]))
            assert_true(++n[i] < STEPS);
        left -= n[i] == 0;
    }
    for (uint32_t idle = 0; left > 0; idle++) {
        assert_true(idle < 2); /* otherwise they wait for each other */
        for (uint32_t i = 0; i < s->p; i++)
            while (at[i] < n[i]) {
                const job_step *x = &step[i][at[i]];
                if (sent[i] == at[i]) { /* its own message goes as the step begins */
                    carried[i][at[i]] = knows[i];
                    carried_depth[i][at[i]] = depth[i] + 1;
                    sent[i]++;
                    idle = 0;
                    if (x->to != JOB_NOBODY) {
                        assert_true(x->to < s->p && x->to != i);
                        w.messages++;
                        w.bytes += x->to_bytes;
                        w.inside += server[i] == server[x->to];
                    }
                }
                if (x->from != JOB_NOBODY) { /* the n-th from there is the n-th that it sends here */
                    uint32_t nth = 0, k = 0;
                    for (uint32_t j = 0; j < at[i]; j++)
                        nth += step[i][j].from == x->from;
                    for (; k < n[x->from]; k++)
                        if (step[x->from][k].to == i && nth-- == 0)
                            break;
                    assert_true(k < n[x->from] && step[x->from][k].to_bytes == x->from_bytes);
                    if (k >= sent[x->from])
                        break;
                    knows[i] |= carried[x->from][k];
                    depth[i] = carried_depth[x->from][k] > depth[i] ? carried_depth[x->from][k] : depth[i];
                    w.depth = depth[i] > w.depth ? depth[i] : w.depth;
                }
                idle = 0;
                left -= ++at[i] == n[i];
            }
    }
    for (uint32_t i = 0; i < s->p; i++)
        assert_true(knows[i] == (UINT64_C(1) << s->p) - 1);
    return w;
}

static wi_strands strands_of(wi_owned *memory, wi_way way, job_op op, uint32_t p, uint32_t channels,
                             uint64_t bytes, uint64_t chunk)
{
    wi_strands s = {.way = (uint8_t)way,
                    .op = (uint8_t)op,
                    .p = p,
                    .channels = channels,
                    .bytes = bytes,
                    .chunk_bytes = chunk};
    assert_true(wi_strands_place(&s, server, memory));
    assert_true(wi_strands_cut(&s));
    return s;
}

/* p ranks in servers of m neighbours, or dealt round; or of unlike numbers. */
static void place(uint32_t p, uint32_t m, int how)
{
    for (uint32_t i = 0; i < p; i++)
        server[i] = how == 0 ? 100 - i / m : how == 1 ? i % ((p + m - 1) / m) : (i * i + i / 3) % (p / m + 1);
}

#define ALL_SHAPES(p, m, how)                        \
    for (uint32_t p = 1; p < P; p++)                 \
        for (uint32_t m = 1; m <= 8; m += m / 2 + 1) \
            for (int how = 0; how < 3; how++)

static void rings(void **state)
{
    static const job_op ops[] = {JOB_OP_ALLREDUCE, JOB_OP_ALLGATHER, JOB_OP_REDUCE_SCATTER};
    (void)state;
    ALL_SHAPES(p, m, how)
    {
        WI_ENDED(wi_owned_free) wi_owned memory = {0};
        place(p, m, how);
        for (uint32_t channels = 1; channels <= 8; channels *= 2) {
            const job_op op = ops[(p + channels) % 3];
            const wi_strands s = strands_of(&memory, WI_WAY_RING, op, p, channels, 64u * p * 8u, 0);
            const uint64_t part = 64u * p * 8u / channels, each = op == JOB_OP_ALLGATHER ? part : part / p;
            const uint64_t messages = (op == JOB_OP_ALLREDUCE ? 2u : 1u) * (uint64_t)p * (p - 1);
            assert_int_equal(s.parts, channels);
            assert_int_equal(s.pieces, 1);
            for (uint32_t c = 0; c < channels; c++) {
                const walked w = walk(&s, c);
                assert_int_equal(w.messages, messages);
                assert_int_equal(w.bytes, messages * each);
                assert_int_equal(w.depth, p > 1 ? messages / p : 0);
            }
        }
    }
}

/* Each ring leaves a server where the next one's begins: no message changes its rail, in an even number of servers. */
static void rings_stay_on_rails(void **state)
{
    (void)state;
    for (uint32_t m = 1; m <= 8; m++)
        for (uint32_t n = 2; n * m < P; n += 2) {
            WI_ENDED(wi_owned_free) wi_owned memory = {0};
            job_step x = {0};
            place(n * m, m, 0);
            const wi_strands s =
                strands_of(&memory, WI_WAY_RING, JOB_OP_ALLREDUCE, n * m, m > 1 ? m : 2, 1 << 20, 0);
            uint32_t leaves[P] = {0}, all = 0;
            for (uint32_t c = 0; c < m; c++)
                for (uint32_t i = 0; i < n * m; i++) {
                    assert_true(job_strand_step(&s, c, i, 0, &x));
                    if (server[x.to] == server[i])
                        continue;
                    assert_int_equal(x.to % m, i % m);
                    leaves[i]++;
                    all++;
                }
            assert_int_equal(all, n * m);
            for (uint32_t i = 0; i < n * m; i++)
                assert_int_equal(leaves[i], 1); /* all interfaces alike */
        }
}

static void trees(void **state)
{
    (void)state;
    ALL_SHAPES(p, m, how)
    {
        WI_ENDED(wi_owned_free) wi_owned memory = {0};
        place(p, m, how);
        for (uint32_t channels = 1; channels <= 4; channels *= 2) {
            const wi_strands s = strands_of(&memory, WI_WAY_TREE, JOB_OP_ALLREDUCE, p, channels, 8000, 0);
            uint32_t longest = 0, log2 = 0;
            for (uint32_t i = 0; i < s.servers; i++)
                if (s.first[i + 1] - s.first[i] > longest)
                    longest = s.first[i + 1] - s.first[i];
            while (2u << log2 <= s.servers)
                log2++;
            assert_int_equal(s.parts, 2 * channels);
            for (uint32_t t = 0; t < s.parts; t++) {
                const walked w = walk(&s, t);
                assert_int_equal(w.messages, 2 * (p - 1));
                assert_int_equal(w.bytes, 2 * (p - 1) * (8000u / s.parts));
                assert_int_equal(w.inside, 2 * (p - s.servers));
                /* Down as many as up, which waits for the longest chain: NCCL's binary tree is at most log2 n + 1 deep. */
                assert_true(w.depth <= 2 * (longest - 1 + log2 + 1));
            }
        }
    }
}

/* With a rank a server: whoever has others below it in one tree has none in the other; all but two. */
static void inner_in_one_tree_alone(void **state)
{
    (void)state;
    for (uint32_t p = 2; p < P; p++) {
        WI_ENDED(wi_owned_free) wi_owned memory = {0};
        place(p, 1, 0);
        const wi_strands s = strands_of(&memory, WI_WAY_TREE, JOB_OP_ALLREDUCE, p, 1, 1000, 0);
        uint32_t both = 0;
        for (uint32_t i = 0; i < p; i++) {
            job_step x = {0}, y = {0};
            assert_true(job_strand_step(&s, 0, i, 0, &x) && job_strand_step(&s, 1, i, 0, &y));
            both += x.to == JOB_NOBODY && y.to == JOB_NOBODY;
        }
        assert_true(both <= 2);
    }
}

static void rails(void **state)
{
    static const job_op ops[] = {JOB_OP_ALLREDUCE, JOB_OP_ALLGATHER, JOB_OP_REDUCE_SCATTER};
    (void)state;
    ALL_SHAPES(p, m, how)
    for (int o = 0; o < 3; o++) {
        WI_ENDED(wi_owned_free) wi_owned memory = {0};
        place(p, m, how);
        const wi_strands s = strands_of(&memory, WI_WAY_RAILS, ops[o], p, 1, (uint64_t)p * 1000u, 0);
        const walked w = walk(&s, 0);
        const uint64_t twice = ops[o] == JOB_OP_ALLREDUCE ? 2 : 1;
        if (s.each == 0 || p == 1) {
            assert_int_equal(w.messages, twice * p * (p - 1));
            continue;
        }
        const uint64_t inside = twice * (s.each - 1), between = twice * (s.servers - 1),
                       b = ops[o] == JOB_OP_ALLGATHER ? p * 1000u : 1000u,
                       of_inside = ops[o] == JOB_OP_ALLGATHER ? b * s.servers : p * 1000u / s.each;
        assert_int_equal(w.inside, p * inside);
        assert_int_equal(w.messages, p * (inside + between));
        assert_int_equal(w.bytes, p * (inside * of_inside + between * b));
        assert_int_equal(w.depth, inside + between);
    }
}

/* Pieces and parts add up to the vector, none is longer than it may be, and few bytes are one strand. */
static void pieces_add_up(void **state)
{
    static const uint64_t sizes[] = {0, 1, 2, 3, 7, 999, 1000, 1001, 65536, 1000003};
    (void)state;
    for (int way = WI_WAY_RING; way <= WI_WAY_RAILS; way++)
        for (uint32_t p = 2; p <= 12; p += 5)
            for (uint32_t channels = 1; channels <= 5; channels += 2)
                for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
                    for (uint64_t chunk = 0; chunk <= 2000; chunk += 1000) {
                        WI_ENDED(wi_owned_free) wi_owned memory = {0};
                        place(p, 2, 0);
                        const wi_strands s =
                            strands_of(&memory, (wi_way)way, JOB_OP_ALLREDUCE, p, channels, sizes[i], chunk);
                        const uint32_t n = s.parts * s.pieces;
                        uint64_t down = 0;
                        for (uint32_t k = 0; k < n; k++) {
                            job_step x = {0};
                            for (uint32_t step = 0; job_strand_step(&s, k, 1, step, &x); step++) {
                                assert_true(chunk == 0 || x.to == JOB_NOBODY || x.to_bytes <= chunk);
                                if (way == WI_WAY_TREE && x.to != JOB_NOBODY && x.to == x.from)
                                    down += x.from_bytes;
                            }
                        }
                        if (way ==
                            WI_WAY_TREE) /* rank 1 hangs at rank 0 in some, and in others the other way round */
                            assert_true(down <= sizes[i]);
                        assert_true(n == 1 || sizes[i] > 1);
                        assert_true(s.parts <= sizes[i] || n == 1);
                    }
}

static void too_many_pieces(void **state)
{
    (void)state;
    WI_ENDED(wi_owned_free) wi_owned memory = {0};
    wi_strands s = {.way = WI_WAY_RING,
                    .op = JOB_OP_ALLREDUCE,
                    .p = 2,
                    .channels = 1,
                    .bytes = UINT64_C(1) << 40,
                    .chunk_bytes = 1};
    place(2, 1, 0);
    assert_true(wi_strands_place(&s, server, &memory));
    assert_false(wi_strands_cut(&s));
}

/* Small vectors of many servers go along trees, large ones in rings; one rank, and ranks without rates, have no choice. */
static void nccl_chooses(void **state)
{
    (void)state;
    for (uint32_t servers = 16; servers <= 1024; servers *= 4)
        for (uint32_t each = 1; each <= 8; each *= 8) {
            assert_true(wi_nccl_takes_tree(servers * each, servers, 8, 50e9, 300e9));
            assert_false(wi_nccl_takes_tree(servers * each, servers, UINT64_C(1) << 36, 50e9, 300e9));
        }
    assert_false(wi_nccl_takes_tree(1, 1, 8, 50e9, 300e9));
    assert_false(wi_nccl_takes_tree(2, 2, UINT64_C(1) << 30, 50e9, 300e9));
    assert_false(wi_nccl_takes_tree(8, 1, 8, 0.0, 0.0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rings),           cmocka_unit_test(rings_stay_on_rails),
        cmocka_unit_test(trees),           cmocka_unit_test(inner_in_one_tree_alone),
        cmocka_unit_test(rails),           cmocka_unit_test(pieces_add_up),
        cmocka_unit_test(too_many_pieces), cmocka_unit_test(nccl_chooses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
