/*
 * Part of cpu/solver.h: arrays of a block's steps, and the moves between them that a compiler does not find
 * by itself.
 *
 * All of a block's arrays have BLOCK steps, whatever is needed of them, and stand at a line of memory, so
 * that loops over them are a few vectors without a rest. A vector must not be read that straddles two just
 * written: the processor then waits until both have left for the cache, and with them every store before that
 * misses it. Hence shift_in, where the values one step earlier are wanted.
 */
#ifndef WI_FLUID_CPU_LANES_H
#define WI_FLUID_CPU_LANES_H

enum { BLOCK = WI_FLUID_BLOCK, SOURCES = BLOCK };

#define IN_LINES __attribute__((aligned(64)))
#define INLINE static inline __attribute__((always_inline))

/* A loop over a block's steps whose arrays do not overlap. */
#if defined(__clang__)
#define ALL_STEPS(i) for (uint32_t i = 0; i < BLOCK; i++)
#else
#define ALL_STEPS(i) _Pragma("GCC ivdep") for (uint32_t i = 0; i < BLOCK; i++)
#endif

typedef fluid_real reals[BLOCK] IN_LINES;

typedef float floats8 __attribute__((vector_size(32), may_alias));
typedef float floats4 __attribute__((vector_size(16), may_alias));
typedef long long longs4 __attribute__((vector_size(32), may_alias));
typedef double doubles4 __attribute__((vector_size(32), may_alias));
typedef double doubles2 __attribute__((vector_size(16), may_alias));

/* to[0] = first, to[i] = from[i - 1]. */
INLINE void shift_floats(const float *from, float first, float *to)
{
    floats8 last = {0, 0, 0, 0, 0, 0, 0, first};
    for (uint32_t i = 0; i < BLOCK; i += 8) {
        const floats8 next = *(const floats8 *)(from + i);
        *(floats8 *)(to + i) = __builtin_shufflevector(last, next, 7, 8, 9, 10, 11, 12, 13, 14);
        last = next;
    }
}

INLINE void shift_doubles(const double *from, double first, double *to)
{
    doubles4 last = {0, 0, 0, first};
    for (uint32_t i = 0; i < BLOCK; i += 4) {
        const doubles4 next = *(const doubles4 *)(from + i);
        *(doubles4 *)(to + i) = __builtin_shufflevector(last, next, 3, 4, 5, 6);
        last = next;
    }
}

#define shift_in(from, first, to) \
    _Generic((to), float * : shift_floats, double * : shift_doubles)((from), (first), (to))

/* to[j][i] = from[i][j], for BLOCK x BLOCK; `from` has rows `stride` apart. */
INLINE void transpose_floats(const float *from, uint32_t stride, float (*to)[BLOCK])
{
    for (uint32_t j = 0; j < BLOCK; j += 4)
        for (uint32_t i = 0; i < BLOCK; i += 4) {
            const float *const at = from + i * stride + j;
            const floats4 a = *(const floats4 *)at, b = *(const floats4 *)(at + stride);
            const floats4 c = *(const floats4 *)(at + 2 * stride), d = *(const floats4 *)(at + 3 * stride);
            const floats4 ab0 = __builtin_shufflevector(a, b, 0, 4, 1, 5);
            const floats4 ab2 = __builtin_shufflevector(a, b, 2, 6, 3, 7);
            const floats4 cd0 = __builtin_shufflevector(c, d, 0, 4, 1, 5);
            const floats4 cd2 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
            *(floats4 *)&to[j][i] = __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5);
            *(floats4 *)&to[j + 1][i] = __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7);
            *(floats4 *)&to[j + 2][i] = __builtin_shufflevector(ab2, cd2, 0, 1, 4, 5);
            *(floats4 *)&to[j + 3][i] = __builtin_shufflevector(ab2, cd2, 2, 3, 6, 7);
        }
}

INLINE void transpose_doubles(const double *from, uint32_t stride, double (*to)[BLOCK])
{
    for (uint32_t j = 0; j < BLOCK; j += 2)
        for (uint32_t i = 0; i < BLOCK; i += 2) {
            const double *const at = from + i * stride + j;
            const doubles2 a = *(const doubles2 *)at, b = *(const doubles2 *)(at + stride);
            *(doubles2 *)&to[j][i] = __builtin_shufflevector(a, b, 0, 2);
            *(doubles2 *)&to[j + 1][i] = __builtin_shufflevector(a, b, 1, 3);
        }
}

#define transpose(from, stride, to) \
    _Generic((from), const float * : transpose_floats, const double * : transpose_doubles)((from), (stride), (to))

/* n + 1 values of a ring from step `rel` on, and any behind them: in place, or in `room` where the ring ends
 * among them. whole: those of a whole block may be read, but no more, which others may be writing. */
INLINE const fluid_real *window(fluid_column c, int32_t rel, uint32_t n, bool whole, fluid_real *room)
{
    const uint32_t slot = fluid_slot(c.now, rel, c.rows), there = c.rows - slot;
    if (WEIR_LIKELY(whole && there > BLOCK))
        return c.at + slot;
    if (whole) {
        memcpy(room, c.at + slot, there * sizeof *room);
        memcpy(room + there, c.at, (BLOCK + 1 - there) * sizeof *room);
        return room;
    }
    for (uint32_t i = 0; i <= BLOCK; i++)
        room[i] = fluid_at(c, rel + (int32_t)(i < n ? i : n));
    return room;
}

/* n values to a ring's slots from `now` on. */
INLINE void store(fluid_real *ring, uint32_t now, uint32_t rows, const fluid_real *from, uint32_t n)
{
    const uint32_t there = rows - now;
    if (WEIR_LIKELY(n == BLOCK && there >= BLOCK)) {
        fluid_real *const to = ring + now;
        ALL_STEPS(i)
        to[i] = from[i];
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        ring[i < there ? now + i : i - there] = from[i];
}

INLINE bool any(const int32_t *flags)
{
    const longs4 some = *(const longs4 *)flags | *(const longs4 *)(flags + BLOCK / 2);
    return (some[0] | some[1] | some[2] | some[3]) != 0;
}

#endif
