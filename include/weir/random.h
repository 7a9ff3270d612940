/**
 * Counter-based random streams: Philox4x32-10 of Random123.
 *
 * A stream is a position, not a generator with hidden state: the key is the seed, and (entity, run, number of
 * draws) is the counter. So a draw depends on nothing but what the stream says: not on scheduling, threads or
 * device, and setting `draws` back (a rollback) brings the same numbers again. Two streams that differ in
 * seed, entity or run never share a block. A stream is plain old data and belongs in its entity's state.
 *
 * Repeatability: same bits on every machine, host and device. Thread-safe as far as the stream itself is not
 * shared.
 */
#ifndef WEIR_RANDOM_H
#define WEIR_RANDOM_H

#include <stdint.h>

#include "weir/bits.h"
#include "weir/fn.h"

#if defined(__CUDACC__) && !defined(R123_CUDA_DEVICE)
#define R123_CUDA_DEVICE __host__ __device__
#endif
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wundef"
#pragma GCC diagnostic ignored "-Wshadow"
#endif
#include <Random123/philox.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

typedef struct weir_stream {
    uint64_t seed;
    uint32_t entity, run;
    uint64_t draws; /**< blocks used so far; each call below that draws uses one */
} weir_stream;

/** The stream of `entity` in replication `run`, at its beginning. */
WEIR_FN weir_stream weir_stream_make(uint64_t seed, uint32_t entity, uint32_t run)
{
    weir_stream s;
    s.seed = seed;
    s.entity = entity;
    s.run = run;
    s.draws = 0;
    return s;
}

/** One block of 128 random bits. */
WEIR_FN void weir_draw128(weir_stream *s, uint32_t out[4])
{
    philox4x32_key_t key;
    philox4x32_ctr_t block;
    key.v[0] = (uint32_t)s->seed;
    key.v[1] = (uint32_t)(s->seed >> 32);
    block.v[0] = s->entity;
    block.v[1] = s->run;
    block.v[2] = (uint32_t)s->draws;
    block.v[3] = (uint32_t)(s->draws >> 32);
    s->draws++;
    block = philox4x32_R(10, block, key);
    out[0] = block.v[0];
    out[1] = block.v[1];
    out[2] = block.v[2];
    out[3] = block.v[3];
}

/** Two words of 64 random bits from one block. */
WEIR_FN void weir_draw_pair(weir_stream *s, uint64_t *a, uint64_t *b)
{
    uint32_t w[4];
    weir_draw128(s, w);
    *a = (uint64_t)w[1] << 32 | w[0];
    *b = (uint64_t)w[3] << 32 | w[2];
}

/** 64 random bits. */
WEIR_FN uint64_t weir_draw(weir_stream *s)
{
    uint64_t a, b;
    weir_draw_pair(s, &a, &b);
    return a;
}

/** The upper 53 bits of a word as a double in [0, 1), a multiple of 2^-53. */
WEIR_FN double weir_unit_of_bits(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-53;
}

/** The same in (0, 1], for logarithms. */
WEIR_FN double weir_unit_open_of_bits(uint64_t bits)
{
    return (double)((bits >> 11) + 1) * 0x1p-53;
}

/** Uniform double in [0, 1). */
WEIR_FN double weir_draw_unit(weir_stream *s)
{
    return weir_unit_of_bits(weir_draw(s));
}

/** Uniform double in (0, 1]. */
WEIR_FN double weir_draw_unit_open(weir_stream *s)
{
    return weir_unit_open_of_bits(weir_draw(s));
}

/**
 * Uniform integer in [0, n); 0 when n is 0.
 *
 * Lemire's multiplication without its rejection step, so that each call uses exactly one block. The price is
 * a bias: no value is off its probability 1/n by more than the part n / 2^64 of it, which for n < 2^32 is
 * below 2^-32.
 */
WEIR_FN uint64_t weir_draw_below(weir_stream *s, uint64_t n)
{
    return weir_mulhi64(weir_draw(s), n);
}

#endif
