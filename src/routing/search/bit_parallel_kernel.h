/*
 * The kernel of bit_parallel.c, included once per instruction set with KERNEL_NAME and VECTOR_BYTES (16 or
 * 32) defined. No include guard: that is the point.
 */
#include "routing/search/kernels.h"

#include <string.h>

#define PARTS (WI_BIT_LANES / 8 / VECTOR_BYTES)
#define EACH_PART _Pragma("GCC unroll 4") for (unsigned part = 0; part < PARTS; ++part)

typedef uint64_t vec __attribute__((vector_size(VECTOR_BYTES), may_alias));
typedef struct block {
    vec part[PARTS];
} block;

static inline __attribute__((always_inline)) bool any(const block *b)
{
    vec all = b->part[0];
    for (unsigned part = 1; part < PARTS; ++part)
        all |= b->part[part];
#if VECTOR_BYTES == 32
    return !_mm256_testz_si256((__m256i)all, (__m256i)all);
#else
    return (all[0] | all[1]) != 0;
#endif
}

static inline __attribute__((always_inline)) block *block_at(uint64_t *blocks, uint32_t i)
{
    return (block *)__builtin_assume_aligned(blocks + (size_t)i * WI_BIT_WORDS, 64);
}

static void set_bit(uint64_t *blocks, uint32_t i, uint32_t lane)
{
    blocks[(size_t)i * WI_BIT_WORDS + lane / 64] |= UINT64_C(1) << lane % 64;
}

static void clear_bit(uint64_t *blocks, uint32_t i, uint32_t lane)
{
    blocks[(size_t)i * WI_BIT_WORDS + lane / 64] &= ~(UINT64_C(1) << lane % 64);
}

/* Note port p for the destinations of `hit`. */
static inline __attribute__((always_inline)) void note_port(block *planes, uint32_t p, const block *hit)
{
    for (; p; p &= p - 1) {
        block *const plane = planes + __builtin_ctz(p);
        EACH_PART plane->part[part] |= hit->part[part];
    }
}

/* One level of the search for node i. True: it found a way somewhere, or may in a later level, or has to be
 * cleared. */
static inline __attribute__((always_inline)) bool visit(const wi_route_net *net, wi_bit_space *s, uint32_t i,
                                                        const block *lanes, block *grown)
{
    block *const seen = block_at(s->seen, i), *const next = block_at(s->next, i);
    block *const planes = block_at(s->plane, s->first_plane[i]);
    block todo, rest, found;
    EACH_PART todo.part[part] = lanes->part[part] & ~seen->part[part];
    if (!any(&todo)) {
        /* Both fronts have to be empty before the node may be left out. */
        EACH_PART next->part[part] = (vec){0};
        return any(block_at(s->front, i));
    }
    rest = todo;
    for (uint32_t e = net->first[i]; e < net->first[i + 1]; ++e) {
        const block *const offer = block_at(s->front, net->target[e]);
        block hit;
        EACH_PART hit.part[part] = rest.part[part] & offer->part[part];
        if (!any(&hit))
            continue;
        note_port(planes, net->port[e], &hit);
        EACH_PART rest.part[part] ^= hit.part[part];
        if (!any(&rest))
            break;
    }
    EACH_PART found.part[part] = todo.part[part] ^ rest.part[part];
    EACH_PART seen->part[part] |= found.part[part];
    EACH_PART grown->part[part] |= found.part[part];
    const vec forwards = (vec){0} - (uint64_t)(net->role[i] != WEIR_HOST);
    EACH_PART next->part[part] = found.part[part] & forwards;
    return true;
}

/* Returns the hops of the longest way found. */
static uint32_t search(const wi_route_net *net, wi_bit_space *s, const block *lanes)
{
    uint32_t n_active = net->n;
    for (uint32_t i = 0; i < net->n; ++i)
        s->active[i] = i;
    for (uint32_t level = 0;; ++level) {
        block grown = {0};
        uint32_t kept = 0;
        for (uint32_t k = 0; k < n_active; ++k) {
            const uint32_t i = s->active[k];
            s->active[kept] = i;
            kept += visit(net, s, i, lanes, &grown);
        }
        n_active = kept;
        uint64_t *const last = s->front;
        s->front = s->next;
        s->next = last;
        if (!any(&grown))
            return level;
    }
}

#if VECTOR_BYTES == 32
/* 32 bits to 32 bytes, all ones or all zeros. */
static inline __attribute__((always_inline)) __m256i spread(uint32_t bits)
{
    const __m256i pick = _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2,
                                          2, 3, 3, 3, 3, 3, 3, 3, 3);
    const __m256i bit = _mm256_set1_epi64x((int64_t)0x8040201008040201);
    const __m256i byte = _mm256_shuffle_epi8(_mm256_set1_epi32((int)bits), pick);
    return _mm256_cmpeq_epi8(_mm256_and_si256(byte, bit), bit);
}

static inline __attribute__((always_inline)) void write_bytes(uint8_t *out, const uint64_t *seen,
                                                              const uint64_t *plane, uint32_t n_planes,
                                                              uint32_t columns)
{
    for (uint32_t c = 0; c < columns; c += 32) {
        const uint32_t shift = c % 64, word = c / 64;
        __m256i port = spread(~(uint32_t)(seen[word] >> shift));
        for (uint32_t b = 0; b < n_planes; ++b) {
            const __m256i set = spread((uint32_t)(plane[b * WI_BIT_WORDS + word] >> shift));
            port = _mm256_or_si256(port, _mm256_and_si256(set, _mm256_set1_epi8((char)(1 << b))));
        }
        _mm256_storeu_si256((__m256i *)(out + c), port);
    }
}
#else
/* 8 bits to 8 bytes of 0 or 1, the lowest bit first in memory. */
static inline uint64_t spread(uint8_t bits)
{
    const uint64_t lone = (bits * UINT64_C(0x0101010101010101)) & UINT64_C(0x8040201008040201);
    const uint64_t one = ((lone + UINT64_C(0x7f7f7f7f7f7f7f7f)) >> 7) & UINT64_C(0x0101010101010101);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return __builtin_bswap64(one);
#else
    return one;
#endif
}

static void write_bytes(uint8_t *out, const uint64_t *seen, const uint64_t *plane, uint32_t n_planes,
                        uint32_t columns)
{
    for (uint32_t c = 0; c < columns; c += 8) {
        const uint32_t shift = c % 64, word = c / 64;
        uint64_t port = spread((uint8_t) ~(seen[word] >> shift)) * 0xff;
        for (uint32_t b = 0; b < n_planes; ++b)
            port |= spread((uint8_t)(plane[b * WI_BIT_WORDS + word] >> shift)) << b;
        memcpy(out + c, &port, 8);
    }
}
#endif

/* Rows of two bytes an entry are few: nodes of more than 255 links. */
static void write_pairs(uint8_t *out, const uint64_t *seen, const uint64_t *plane, uint32_t n_planes,
                        uint32_t columns)
{
    for (uint32_t c = 0; c < columns; ++c) {
        uint32_t port = seen[c / 64] >> c % 64 & 1 ? 0 : WEIR_NO_PORT;
        for (uint32_t b = 0; b < n_planes; ++b)
            port |= (uint32_t)(plane[b * WI_BIT_WORDS + c / 64] >> c % 64 & 1) << b;
        out[2 * c] = (uint8_t)port;
        out[2 * c + 1] = (uint8_t)(port >> 8);
    }
}

static void write_columns(const wi_core *core, const wi_table *table, uint32_t dst, uint32_t n_dst,
                          const wi_bit_space *s)
{
    const uint32_t columns = (n_dst + WI_ROW_PAD - 1) / WI_ROW_PAD * WI_ROW_PAD;
    for (uint32_t i = 0; i < core->net.n; ++i) {
        const uint64_t *const seen = s->seen + (size_t)i * WI_BIT_WORDS;
        const uint64_t *const plane = s->plane + (size_t)s->first_plane[i] * WI_BIT_WORDS;
        const uint32_t n_planes = s->first_plane[i + 1] - s->first_plane[i];
        uint8_t *const out = wi_table_at(table, i, dst);
        if (wi_table_wide(table, i))
            write_pairs(out, seen, plane, n_planes, columns);
        else
            write_bytes(out, seen, plane, n_planes, columns);
    }
}

uint32_t KERNEL_NAME(const wi_core *core, const wi_table *table, uint32_t dst, uint32_t n_dst,
                     wi_bit_space *space)
{
    const size_t block_bytes = WI_BIT_LANES / 8, all = core->net.n * block_bytes;
    uint64_t mask[WI_BIT_WORDS] __attribute__((aligned(64))) = {0};
    block lanes;
    memset(space->seen, 0, all);
    memset(space->front, 0, all);
    memset(space->next, 0, all);
    memset(space->plane, 0, space->first_plane[core->net.n] * block_bytes);
    for (uint32_t k = 0; k < n_dst; ++k) {
        set_bit(space->seen, dst + k, k);
        set_bit(space->front, dst + k, k);
        set_bit(mask, 0, k);
    }
    memcpy(&lanes, mask, sizeof lanes);
    const uint32_t hops = search(&core->net, space, &lanes);
    /* A destination has no port to itself. */
    for (uint32_t k = 0; k < n_dst; ++k)
        clear_bit(space->seen, dst + k, k);
    write_columns(core, table, dst, n_dst, space);
    return hops;
}
