/**
 * Lane loops: a handler's inner loop over independent items, whose sums are taken in one fixed order, so that
 * the host may run it on its SIMD registers and a device may deal it to the lanes of a warp. Same bits
 * everywhere.
 *
 * Item i adds up to WEIR_LANE_SUMS numbers. Lane i mod 32 adds those of its items by rising i, beginning with
 * zero; then lane j adds what lane j + 16 has, then j + 8, 4, 2, 1, and lane 0 has the sum. That order is
 * part of the model's meaning, as its equations are.
 *
 * A body is one function, valid as C17 and CUDA C++:
 *
 *     WEIR_WIDE_FN void my_body(const void *world, const void *subject, const weir_event *event,
 *                               weir_wide item, weir_wide *term)
 *
 * It sets term[0 .. sums - 1] for each item and may read the world, the subject (a part of the entity's state
 * or one of its pool slots) and the event; it changes nothing, draws nothing, calls nothing but the functions
 * of weir/wide.h. Where it reads an array by items, the array reaches to the next multiple of 8.
 *
 * Because a device may compute the sums before it calls the handler, the subject must be as the event found
 * it when the handler calls the loop: run the loop first, then write. A handler has at most one loop.
 *
 * Three places: the body in a header of its own; WEIR_LANES_HOST in a .c file (twice, the second time for
 * AVX2, where that pays); WEIR_LANES_DECLARE beside the handlers, which call NAME(ctx, subject, event, n,
 * sum). A model's device code names the loop in its `lanes` (engine/gpu/round/lanes.cuh). Without it a
 * device's thread runs the whole loop by itself: the same bits, slowly.
 *
 * Source: the third level of parallelism beside those of Kunz, Schemmel, Gross and Wehrle (PADS 2012): few,
 * heavy events leave a device's lanes idle when each event is one thread's.
 */
#ifndef WEIR_LANES_H
#define WEIR_LANES_H

#include "weir/model.h"

enum {
    WEIR_LANES = 32,    /**< partial sums of the fixed order; a warp */
    WEIR_LANE_SUMS = 4, /**< sums of a loop, at most */
};

/** The host's version of a loop: sum[] of `n` items. */
typedef void (*weir_lane_host)(const void *world, const void *subject, const weir_event *event, uint32_t n,
                               double *sum);

#if WEIR_ON_DEVICE

/** What lane `lane` of the 32 adds up. */
#define WEIR_LANE_PART(body, sums, world, subject, event, n, lane, part) \
    do {                                                                 \
        for (int s_ = 0; s_ < (sums); s_++)                              \
            (part)[s_] = 0.0;                                            \
        for (uint32_t i_ = (lane); i_ < (n); i_ += WEIR_LANES) {         \
            weir_wide term_[WEIR_LANE_SUMS];                             \
            body(world, subject, event, weir_wide_items(i_), term_);     \
            for (int s_ = 0; s_ < (sums); s_++)                          \
                (part)[s_] += term_[s_];                                 \
        }                                                                \
    } while (0)

/** One thread runs the loop: lanes in the order of their numbers read backwards, so that the sums that are
 * open fit a few registers. */
#define WEIR_LANES_DECLARE(name, body, sums)                                                            \
    WEIR_FN_APART void name##_serial(const void *world, const void *subject, const weir_event *event,   \
                                     uint32_t n, double *sum)                                           \
    {                                                                                                   \
        double open[6][sums];                                                                           \
        uint32_t depth = 0;                                                                             \
        for (uint32_t k = 0; k < WEIR_LANES; k++) {                                                     \
            const uint32_t lane = (k & 1) << 4 | (k & 2) << 2 | (k & 4) | (k & 8) >> 2 | (k & 16) >> 4; \
            WEIR_LANE_PART(body, sums, world, subject, event, n, lane, open[depth]);                    \
            depth++;                                                                                    \
            for (uint32_t bits = k; bits & 1; bits >>= 1, depth--)                                      \
                for (int s = 0; s < (sums); s++)                                                        \
                    open[depth - 2][s] += open[depth - 1][s];                                           \
        }                                                                                               \
        for (int s = 0; s < (sums); s++)                                                                \
            sum[s] = open[0][s];                                                                        \
    }                                                                                                   \
    WEIR_FN void name(const weir_ctx *ctx, const void *subject, const weir_event *event, uint32_t n,    \
                      double *sum)                                                                      \
    {                                                                                                   \
        if (ctx->lane_sums) { /* its warp has done it */                                                \
            for (int s = 0; s < (sums); s++)                                                            \
                sum[s] = ctx->lane_sums[s];                                                             \
            return;                                                                                     \
        }                                                                                               \
        name##_serial(ctx->world, subject, event, n, sum);                                              \
    }

#else

/** Device code that nvcc reads for the host too: nobody calls it there. */
#define WEIR_LANE_PART(body, sums, world, subject, event, n, lane, part) \
    ((void)(world), (void)(subject), (void)(event), (void)(n), (void)(lane), (void)(part))

/** Declares the loop `name` of `body`, with so many sums, for handlers: its host version is name_host. */
#define WEIR_LANES_DECLARE(name, body, sums)                                                               \
    WEIR_EXTERN void name##_host(const void *world, const void *subject, const weir_event *event,          \
                                 uint32_t n, double *sum);                                                 \
    static inline void name(const weir_ctx *ctx, const void *subject, const weir_event *event, uint32_t n, \
                            double *sum)                                                                   \
    {                                                                                                      \
        name##_host(ctx->world, subject, event, n, sum);                                                   \
    }

#endif

#if !defined(__CUDACC__)

/** Defines `function`, a weir_lane_host, for a body that is in sight; weir/wide.h must be, too. */
#define WEIR_LANES_HOST(function, body, sums)                                                               \
    void function(const void *world, const void *subject, const weir_event *event, uint32_t n, double *sum) \
    {                                                                                                       \
        enum { PARTS = WEIR_LANES / WEIR_WIDE };                                                            \
        weir_wide part[sums][PARTS] = {{{0}}};                                                              \
        for (uint32_t first = 0; first < n; first += WEIR_LANES)                                            \
            for (uint32_t p = 0; p < PARTS && first + p * WEIR_WIDE < n; p++) {                             \
                const uint32_t at = first + p * WEIR_WIDE;                                                  \
                const weir_wide item = weir_wide_items(at);                                                 \
                weir_wide term[WEIR_LANE_SUMS];                                                             \
                body(world, subject, event, item, term);                                                    \
                if (at + WEIR_WIDE <= n)                                                                    \
                    for (int s = 0; s < (sums); s++)                                                        \
                        part[s][p] += term[s];                                                              \
                else /* items from n on are none */                                                         \
                    for (int s = 0; s < (sums); s++)                                                        \
                        part[s][p] += weir_wide_choose(weir_wide_less(item, weir_wide_of((double)n)),       \
                                                       term[s], weir_wide_of(0.0));                         \
            }                                                                                               \
        for (int s = 0; s < (sums); s++) {                                                                  \
            for (int step = PARTS / 2; step > 0; step /= 2)                                                 \
                for (int p = 0; p < step; p++)                                                              \
                    part[s][p] += part[s][p + step];                                                        \
            double lane[WEIR_WIDE];                                                                         \
            memcpy(lane, &part[s][0], sizeof lane);                                                         \
            for (int step = WEIR_WIDE / 2; step > 0; step /= 2)                                             \
                for (int j = 0; j < step; j++)                                                              \
                    lane[j] += lane[j + step];                                                              \
            sum[s] = lane[0];                                                                               \
        }                                                                                                   \
    }

#endif

#endif
