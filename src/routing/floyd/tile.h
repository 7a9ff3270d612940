/*
 * Blocked Floyd-Warshall on tiles of 128 x 128 distances: what one of the 256 threads of a tile does.
 *
 * Blocked as others have done it before (paper 002, section 3.1, has a list), but for routes. For each tile
 * on the diagonal, its pivots: (1) that tile by itself, pivot after pivot; (2) the tiles of its row and
 * column; (3) all others. (2) and (3) are min-plus products C = min(C, A x B), since the diagonal tile is
 * closed then: it holds every way among its pivots, and zeros on its own diagonal.
 *
 * A product goes through its pivots in stages that fit shared memory; a thread keeps 8 x 8 distances in
 * registers. 16-bit distances are relaxed two to a word. Nothing here is asked of the device but its min-plus
 * instruction, so that a test runs the same code on the host, thread after thread between barriers.
 *
 * Included once per width with KERNEL_NAME, LANE (uint16_t or uint32_t) and LANE_WORDS (words of 8 lanes: 4
 * or 8) defined; floyd/tile_end.h closes. No include guard. "Far" plus "far" must fit a lane.
 */
#include "routing/algorithm/words.h"

#define TILE_JOIN_(a, b) a##_##b
#define TILE_JOIN(a, b) TILE_JOIN_(a, b)
#define LOCAL(name) TILE_JOIN(KERNEL_NAME, name)
#define ROW_WORDS (16 * LANE_WORDS)     /* words in a row of a tile */
#define PER_WORD (8 / LANE_WORDS)       /* lanes in a word: 2 or 1 */
#define STAGE_PIVOTS (16 * PER_WORD)    /* 64 bytes of a row: 32 or 16 */
#define STAGES (WI_TILE / STAGE_PIVOTS) /* in a product: 4 or 8 */

#if LANE_WORDS == 4
#define TILE_RELAX wi_relax_pair
#else
#define TILE_RELAX wi_relax_word
#endif

/* The pivots of one stage: columns of A (each distance in every lane of its word) and rows of B. */
typedef struct LOCAL(stage) {
    uint32_t a[STAGE_PIVOTS][WI_TILE];
    uint32_t b[STAGE_PIVOTS][ROW_WORDS];
} LOCAL(stage);

/* What a thread carries from memory to a stage: 32 bytes of A and 32 of B. */
typedef struct LOCAL(load) {
    wi_quad a[2], b[2];
} LOCAL(load);

/* The thread's distances of a tile: rows 8 * (thread / 16) and on, words tile_word(). */
typedef struct LOCAL(part) {
    uint32_t d[8][LANE_WORDS];
} LOCAL(part);

/* Quad q of the thread's words in a row; quads of neighbouring threads lie side by side. */
WEIR_FN uint32_t LOCAL(quad_word)(uint32_t thread, uint32_t q)
{
    return q * 64 + thread % 16 * 4;
}

WEIR_FN void LOCAL(part_load)(LOCAL(part) * part, const LANE *tile, size_t stride, uint32_t thread)
{
    WI_UNROLL
    for (uint32_t r = 0; r < 8; ++r) {
        const LANE *const row = tile + (thread / 16 * 8 + r) * stride;
        WI_UNROLL
        for (uint32_t q = 0; q < LANE_WORDS / 4; ++q) {
            const wi_quad got =
                *wi_quad_at((const void *)(row + (size_t)LOCAL(quad_word)(thread, q) * PER_WORD));
            part->d[r][4 * q] = got.x;
            part->d[r][4 * q + 1] = got.y;
            part->d[r][4 * q + 2] = got.z;
            part->d[r][4 * q + 3] = got.w;
        }
    }
}

WEIR_FN void LOCAL(part_store)(const LOCAL(part) * part, LANE *tile, size_t stride, uint32_t thread)
{
    WI_UNROLL
    for (uint32_t r = 0; r < 8; ++r) {
        LANE *const row = tile + (thread / 16 * 8 + r) * stride;
        WI_UNROLL
        for (uint32_t q = 0; q < LANE_WORDS / 4; ++q) {
            const wi_quad put = {part->d[r][4 * q], part->d[r][4 * q + 1], part->d[r][4 * q + 2],
                                 part->d[r][4 * q + 3]};
            *wi_quad_put((void *)(row + (size_t)LOCAL(quad_word)(thread, q) * PER_WORD)) = put;
        }
    }
}

/* Fetch the thread's share of a stage: half of a row's 64 bytes of A, a 32-byte piece of B. */
WEIR_FN void LOCAL(stage_fetch)(LOCAL(load) * load, const LANE *a, const LANE *b, size_t stride,
                                uint32_t stage, uint32_t thread)
{
    const LANE *const from_a =
        a + thread % WI_TILE * stride + stage * STAGE_PIVOTS + thread / WI_TILE * (STAGE_PIVOTS / 2);
    const uint32_t per_row = ROW_WORDS / 8; /* pieces of 32 bytes in a row of B */
    const LANE *const from_b = b + (size_t)(stage * STAGE_PIVOTS + thread / per_row) * stride +
                               (size_t)(thread % per_row) * 8 * PER_WORD;
    load->a[0] = *wi_quad_at((const void *)from_a);
    load->a[1] = *(wi_quad_at((const void *)from_a) + 1);
    load->b[0] = *wi_quad_at((const void *)from_b);
    load->b[1] = *(wi_quad_at((const void *)from_b) + 1);
}

/* A's distances of one word, each to its pivot. */
WEIR_FN void LOCAL(stage_spread)(LOCAL(stage) * s, uint32_t pivot, uint32_t row, uint32_t word)
{
#if LANE_WORDS == 4
    s->a[pivot][row] = (word & 0xffffu) | word << 16;
    s->a[pivot + 1][row] = word >> 16 | (word & 0xffff0000u);
#else
    s->a[pivot][row] = word;
#endif
}

WEIR_FN void LOCAL(stage_put)(LOCAL(stage) * s, const LOCAL(load) * load, uint32_t thread)
{
    const uint32_t row = thread % WI_TILE, first = thread / WI_TILE * (STAGE_PIVOTS / 2);
    WI_UNROLL
    for (uint32_t q = 0; q < 2; ++q) {
        const uint32_t pivot = first + q * 4 * PER_WORD;
        LOCAL(stage_spread)(s, pivot, row, load->a[q].x);
        LOCAL(stage_spread)(s, pivot + PER_WORD, row, load->a[q].y);
        LOCAL(stage_spread)(s, pivot + 2 * PER_WORD, row, load->a[q].z);
        LOCAL(stage_spread)(s, pivot + 3 * PER_WORD, row, load->a[q].w);
    }
    const uint32_t per_row = ROW_WORDS / 8;
    wi_quad *const to = wi_quad_put(&s->b[thread / per_row][thread % per_row * 8]);
    to[0] = load->b[0];
    to[1] = load->b[1];
}

/* All pivots of a stage for the thread's 8 x 8 distances. */
WEIR_FN void LOCAL(stage_product)(const LOCAL(stage) * s, LOCAL(part) * part, uint32_t thread)
{
    WI_UNROLL_4
    for (uint32_t pivot = 0; pivot < STAGE_PIVOTS; ++pivot) {
        const wi_quad low = *wi_quad_at(&s->a[pivot][thread / 16 * 8]);
        const wi_quad high = *wi_quad_at(&s->a[pivot][thread / 16 * 8 + 4]);
        const uint32_t a[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
        WI_UNROLL
        for (uint32_t q = 0; q < LANE_WORDS / 4; ++q) {
            const wi_quad b = *wi_quad_at(&s->b[pivot][LOCAL(quad_word)(thread, q)]);
            WI_UNROLL
            for (uint32_t r = 0; r < 8; ++r) {
                uint32_t *const d = &part->d[r][4 * q];
                d[0] = TILE_RELAX(a[r], b.x, d[0]);
                d[1] = TILE_RELAX(a[r], b.y, d[1]);
                d[2] = TILE_RELAX(a[r], b.z, d[2]);
                d[3] = TILE_RELAX(a[r], b.w, d[3]);
            }
        }
    }
}

/* Row and column of one pivot of a diagonal tile, for all threads to read. */
typedef struct LOCAL(cross) {
    uint32_t row[ROW_WORDS], column[WI_TILE];
} LOCAL(cross);

/* Where pivot 8 * eight + k of the thread's row stands: word among the thread's words. */
WEIR_FN void LOCAL(cross_put)(LOCAL(cross) * cross, const LOCAL(part) * part, uint32_t eight, uint32_t k,
                              uint32_t thread)
{
    if (thread / 16 == eight) {
        WI_UNROLL
        for (uint32_t w = 0; w < LANE_WORDS; ++w)
            cross->row[LOCAL(quad_word)(thread, w / 4) + w % 4] = part->d[k][w];
    }
#if LANE_WORDS == 4
    if (thread % 16 != eight)
        return;
    WI_UNROLL
    for (uint32_t r = 0; r < 8; ++r) {
        const uint32_t lane = part->d[r][k / 2] >> k % 2 * 16 & 0xffffu;
        cross->column[thread / 16 * 8 + r] = lane | lane << 16;
    }
#else
    if (thread % 16 != eight % 8 * 2 + k / 4)
        return;
    WI_UNROLL
    for (uint32_t r = 0; r < 8; ++r)
        cross->column[thread / 16 * 8 + r] = eight < 8 ? part->d[r][k % 4] : part->d[r][4 + k % 4];
#endif
}

WEIR_FN void LOCAL(cross_relax)(const LOCAL(cross) * cross, LOCAL(part) * part, uint32_t thread)
{
    WI_UNROLL
    for (uint32_t r = 0; r < 8; ++r) {
        const uint32_t a = cross->column[thread / 16 * 8 + r];
        WI_UNROLL
        for (uint32_t w = 0; w < LANE_WORDS; ++w)
            part->d[r][w] = TILE_RELAX(a, cross->row[LOCAL(quad_word)(thread, w / 4) + w % 4], part->d[r][w]);
    }
}
