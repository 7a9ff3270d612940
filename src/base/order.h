/* What sorts compare by, and searches in what is sorted. Keys of an item, the first first: WI_ORDER(x->from, y->from) ?: WI_ORDER(x->to, y->to). */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Below 0, 0 or above 0; of numbers that are no NaN. */
#define WI_ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* Define `name`, which compares items of a type, x and y, as qsort and bsearch take it. */
#define WI_ORDER_BY(name, type, ...)                     \
    static int name(const void *a, const void *b)        \
    {                                                    \
        const type *x = a;                               \
        const type *y = b; /* a type may be a pointer */ \
        return __VA_ARGS__;                              \
    }

/* The first i below n of which `is` holds, where it holds of all behind that one, too; n: of none. */
#define WI_FIRST(i, n, is)                              \
    ({                                                  \
        size_t low_ = 0, high_ = (n);                   \
        while (low_ < high_) {                          \
            const size_t i = low_ + (high_ - low_) / 2; \
            if (is)                                     \
                high_ = i;                              \
            else                                        \
                low_ = i + 1;                           \
        }                                               \
        low_;                                           \
    })

/* Of items that are one number, or one text: as qsort and bsearch take them. */
#define WI_ORDER_OF(name, type)                                     \
    static inline int wi_order_##name(const void *a, const void *b) \
    {                                                               \
        return WI_ORDER(*(const type *)a, *(const type *)b);        \
    }
WI_ORDER_OF(u32, uint32_t)
WI_ORDER_OF(u64, uint64_t)
WI_ORDER_OF(double, double)
#undef WI_ORDER_OF

static inline int wi_order_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Of n items by a number below `numbers`, which the first has at `key` and each next one `stride` bytes behind: those of number k
 * are [first[k], first[k + 1]) of `order`, in their order. first: [numbers + 2], zero. */
static inline void wi_order_by(const uint32_t *key, size_t stride, uint32_t n, uint32_t numbers,
                               uint32_t *first, uint32_t *order)
{
#define KEY(i) (*(const uint32_t *)(const void *)((const char *)key + (i)*stride))
    for (size_t i = 0; i < n; i++)
        first[KEY(i) + 2]++;
    for (uint32_t k = 0; k < numbers; k++)
        first[k + 2] += first[k + 1];
    for (uint32_t i = 0; i < n; i++)
        order[first[KEY(i) + 1]++] = i;
#undef KEY
}
